//! Reads a ledger and appends to it. Lines that cannot be read are left out, with a note. The main type is
//! [`LedgerFile`].

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};

use super::edge;
use super::failure::Failure;
use super::residue_file::end_line;
use crate::contract::Contract;
use crate::gaps::{self, LedgerLine, UnreadableLine};

/// The largest ledger that is read: some ten thousand runs.
const MAX_BYTES: u64 = 1 << 30;
/// How each line begins.
const FIRST_BYTES: &[u8] = b"{\"version\":";
/// How many bytes of a digest are written: enough to tell contracts apart.
const DIGEST_BYTES: usize = 8;

/// The files of the standard streams that a run writes to, on systems that have such files, each with its name.
const STREAMS: [(&str, &str); 2] = [("/dev/stdout", "standard output"), ("/dev/stderr", "standard error")];

/// Rejects a path that exists but is not a regular file, or where standard output or standard error goes. A ledger is
/// read again, so one that was written to a pipe or a device is lost; a pipe may keep whoever opens it waiting for
/// ever; and a report or a message on a standard stream would go between the lines.
///
/// # Errors
///
/// [`Failure::Usage`] for a folder, a pipe, a device, or a file that a standard stream goes to.
pub(super) fn require_regular_file(path: &Path) -> Result<(), Failure> {
    let failure = |what: &str| Err(Failure::Usage(format!("the ledger `{}` is {what}", path.display())));
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => failure("a folder, a pipe or a device; name a file"),
        Ok(_) => {
            let mut streams = STREAMS.iter();
            match streams.find(|(stream, _)| edge::same_file(path, Path::new(stream))) {
                Some((_, name)) => failure(&format!("where {name} goes; name another file")),
                None => Ok(()),
            }
        }
        // Whoever opens it reports an error.
        Err(_) => Ok(()),
    }
}

/// An open ledger, with the lines that were in it.
#[derive(Debug)]
pub(super) struct LedgerFile {
    path: PathBuf,
    file: File,
    lines: Vec<LedgerLine>,
}

impl LedgerFile {
    /// Opens or creates a ledger, and reads its lines.
    ///
    /// # Errors
    ///
    /// [`Failure::Ledger`] if it cannot be opened or added to, [`Failure::File`] if it cannot be read or is too large,
    /// [`Failure::Usage`] if a line has another version or none was written by `learn`.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let failure = |source| Failure::Ledger {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failure)?;
        let lines = lines(path, &edge::read_whole("ledger", path, MAX_BYTES)?)?;
        end_line(&mut file).map_err(failure)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            lines,
        })
    }

    /// Appends lines in one write, and waits until they are on the disk.
    ///
    /// # Errors
    ///
    /// [`Failure::Ledger`] if they cannot be written.
    pub(super) fn append(&mut self, lines: &[LedgerLine]) -> Result<(), Failure> {
        let failure = |source| Failure::Ledger {
            path: self.path.clone(),
            source,
        };
        let mut text = String::new();
        for line in lines {
            // An answer is plain data, so writing it cannot fail.
            text.push_str(&serde_json::to_string(line).unwrap_or_default());
            text.push('\n');
        }
        let written = self.file.write_all(text.as_bytes());
        written.and_then(|()| self.file.sync_all()).map_err(failure)
    }

    /// Returns the lines of this target and contract that were in it when it was opened.
    pub(super) fn lines_of(&self, target: &str, contract: &str) -> Vec<LedgerLine> {
        let lines = self.lines.iter();
        let same = lines.filter(|line| line.target == target && line.contract == contract);
        same.cloned().collect()
    }
}

/// Reads the lines of a ledger, and prints a note on those that it leaves out.
///
/// # Errors
///
/// [`Failure::Usage`] if it is not a regular file, no line was written by `learn`, or a line has another version,
/// [`Failure::File`] if it cannot be read.
pub(super) fn read(path: &Path) -> Result<Vec<LedgerLine>, Failure> {
    require_regular_file(path)?;
    lines(path, &edge::read_whole("ledger", path, MAX_BYTES)?)
}

fn lines(path: &Path, bytes: &[u8]) -> Result<Vec<LedgerLine>, Failure> {
    let (mut lines, mut unreadable) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let text = std::str::from_utf8(line).map_err(|_| UnreadableLine::NotWrittenByARun);
        match text.and_then(gaps::read_line) {
            Ok(line) => lines.push(line),
            Err(UnreadableLine::NotWrittenByARun) => unreadable.push((number, line)),
            Err(UnreadableLine::Version(version)) => {
                return Err(Failure::Usage(format!(
                    "line {number} of the ledger `{}` has version {version}, which this version of countersign does not \
                     read; name another file",
                    path.display()
                )));
            }
        }
    }
    if let Some((first, _)) = unreadable.first() {
        let more = match unreadable.len() {
            1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        let path = path.display();
        edge::note(&format!(
            "line {first}{more} of the ledger `{path}` is cut off or was not written by `learn`, and is ignored"
        ));
    }
    // The first runs may have been killed while they wrote their first lines.
    let is_cut = |line: &[u8]| {
        let line = line.trim_ascii_end();
        line.starts_with(FIRST_BYTES) || FIRST_BYTES.starts_with(line)
    };
    if lines.is_empty() && !unreadable.iter().all(|(_, line)| is_cut(line)) {
        return Err(Failure::Usage(format!(
            "`{}` is not a ledger: none of its lines was written by `learn`",
            path.display()
        )));
    }
    Ok(lines)
}

/// Returns the beginning of the SHA-256 digest of a contract's document, with the files that it refers to, in
/// hexadecimal digits.
pub(super) fn digest(contract: &Contract) -> String {
    let mut digest = Context::new(&SHA256);
    for text in contract.document.texts() {
        // Its length, so that no text can move from one file to the next unseen.
        digest.update(&text.len().to_be_bytes());
        digest.update(text.as_bytes());
    }
    let digest = digest.finish();
    let bytes = digest.as_ref().iter().take(DIGEST_BYTES);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
