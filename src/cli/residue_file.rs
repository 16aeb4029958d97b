//! `--residue FILE`: keeps the log of a run's writes on disk, so that a killed run still shows what it may have
//! left. The main type is [`ResidueFile`].
//!
//! The format is JSON Lines. A run appends a line that names it, then one line before each write and one after it; each
//! line is flushed to the disk before the run continues. Earlier runs' lines stay, because what those runs left
//! may still be in the target.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::Serialize;

use super::failure::Failure;
use crate::exchange::redact::{Redaction, ValueDisplay};
use crate::exchange::sanitize::sanitize_json;
use crate::run::{WriteEntry, WriteLog, WriteState};

/// An open log. Its lines carry the run tag, which is in everything that the run creates.
#[derive(Debug)]
pub(super) struct ResidueFile {
    file: File,
    run_tag: String,
    redaction: Redaction,
    /// Whether an identifier that may be somebody's address is printed.
    values: ValueDisplay,
}

/// The first line of a run.
#[derive(Debug, Serialize)]
pub(super) struct RunHeader<'run> {
    /// The target's origin.
    pub(super) target: &'run str,
    /// The contract's file.
    pub(super) contract: &'run str,
    /// When the run started, RFC 3339 in UTC.
    pub(super) started_at: String,
    /// The seed of the run's choices.
    pub(super) seed: u64,
    /// The most records that the run may leave.
    pub(super) max_writes: u64,
}

/// A line: the run that it belongs to, and its content.
#[derive(Serialize)]
struct Line<'line, T> {
    run: &'line str,
    #[serde(flatten)]
    content: &'line T,
}

impl ResidueFile {
    /// Opens or creates the file and begins a run in it.
    ///
    /// # Errors
    ///
    /// [`Failure::Residue`] if it cannot be written.
    pub(super) fn open(
        path: &Path,
        run_tag: &str,
        (redaction, values): (Redaction, ValueDisplay),
        header: &RunHeader<'_>,
    ) -> Result<Self, Failure> {
        let failure = |source| Failure::Residue {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failure)?;
        end_line(&mut file).map_err(failure)?;
        let opened = Self {
            file,
            run_tag: run_tag.to_owned(),
            redaction,
            values,
        };
        opened.line(header).map_err(failure)?;
        Ok(opened)
    }

    /// Appends one line in one write, and waits until it is on the disk.
    fn line(&self, content: &impl Serialize) -> io::Result<()> {
        let line = serde_json::to_string(&Line {
            run: &self.run_tag,
            content,
        })?;
        let line = sanitize_json(&line) + "\n";
        let mut file = &self.file;
        file.write_all(line.as_bytes())?;
        // A pipe or a terminal has no disk to wait for.
        match file.sync_all() {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        }
    }
}

impl WriteLog for ResidueFile {
    fn keep(&self, entry: &WriteEntry) -> io::Result<()> {
        let mut entry = entry.clone();
        // The target may have returned the token where an identifier belongs.
        if let WriteState::Answered { id: Some(id), .. } = &mut entry.state {
            *id = self.redaction.hide(&self.values.render_identifier(id));
        }
        self.line(&entry)
    }
}

/// Ends the line in which a run was killed.
pub(super) fn end_line(file: &mut File) -> io::Result<()> {
    if !file.metadata()?.is_file() || file.metadata()?.len() == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::client::Token;

    fn header() -> RunHeader<'static> {
        RunHeader {
            target: "http://127.0.0.1:1",
            contract: "openapi.yaml",
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            seed: 1,
            max_writes: 20,
        }
    }

    fn entry(request: u64, state: WriteState) -> WriteEntry {
        WriteEntry {
            request,
            operation: "createTag".to_owned(),
            state,
        }
    }

    fn lines(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn each_entry_is_a_line_of_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("residue.jsonl");
        let file = ResidueFile::open(&path, "cs-1", (Redaction::default(), ValueDisplay::Hidden), &header()).unwrap();
        file.keep(&entry(7, WriteState::Intended)).unwrap();
        let id = Some("t-1".to_owned());
        file.keep(&entry(7, WriteState::Answered { status: 201, id })).unwrap();
        file.keep(&entry(8, WriteState::Unanswered)).unwrap();
        let lines = lines(&path);
        assert_eq!(lines[0]["run"], "cs-1");
        assert_eq!(lines[0]["target"], "http://127.0.0.1:1");
        assert_eq!(
            lines[1..],
            [
                json!({"run": "cs-1", "request": 7, "operation": "createTag", "state": "intended"}),
                json!({"run": "cs-1", "request": 7, "operation": "createTag", "state": "answered", "status": 201, "id": "t-1"}),
                json!({"run": "cs-1", "request": 8, "operation": "createTag", "state": "unanswered"}),
            ]
        );
    }

    #[test]
    fn an_identifier_gives_no_token_away_and_drives_no_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("residue.jsonl");
        let token = Token::new("tk-4711-secret").unwrap();
        let open = |values| ResidueFile::open(&path, "cs-1", (Redaction::of(Some(&token)), values), &header()).unwrap();
        let (hidden, shown) = (open(ValueDisplay::Hidden), open(ValueDisplay::Shown));
        for (file, id, kept) in [
            (&hidden, "tk-4711-secret", "$COUNTERSIGN_TOKEN"),
            (&shown, "tk-4711-secret", "$COUNTERSIGN_TOKEN"),
            (&hidden, "ada@example.com", "<identifier(15): show-values reveals it>"),
            (&shown, "ada@example.com", "ada@example.com"),
            (
                &hidden,
                "a\u{9b}2J\u{202e}##vso[b]",
                "<identifier(13): show-values reveals it>",
            ),
            (&shown, "a\u{9b}2J\u{202e}##vso[b]", "a\\u{9b}2J\\u{202e}# #vso[b]"),
        ] {
            let id = Some(id.to_owned());
            file.keep(&entry(7, WriteState::Answered { status: 201, id })).unwrap();
            assert_eq!(lines(&path).last().unwrap()["id"], kept);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            !text.contains(['\u{9b}', '\u{202e}']) && !text.contains("##vso"),
            "{text}"
        );
    }

    #[test]
    fn an_earlier_run_stays_and_a_line_that_it_was_killed_in_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("residue.jsonl");
        std::fs::write(&path, "{\"run\": \"cs-0\"}\n{\"run\": \"cs").unwrap();
        ResidueFile::open(&path, "cs-1", (Redaction::default(), ValueDisplay::Hidden), &header()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..2], ["{\"run\": \"cs-0\"}", "{\"run\": \"cs"]);
        assert!(lines[2].starts_with("{\"run\":\"cs-1\","), "{text}");
    }
}
