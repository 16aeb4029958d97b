//! The file that `learn` writes an overlay to. The main type is [`OverlayFile`].
//!
//! # Design
//!
//! A person reviews an overlay and removes what the service should not be held to, so a file that is there is never
//! replaced. It is staged before anything is sent, so that a path that cannot be written is reported at once.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use tempfile::NamedTempFile;

use super::document::STANDARD_INPUT;
use super::edge;
use super::failure::Failure;
use super::staged::staged_file;
use crate::contract::Contract;
use crate::gaps::{self, LedgerLine};
use crate::report::counted;

/// A new file, which is moved into place once it is complete.
#[derive(Debug)]
pub(super) struct OverlayFile {
    path: PathBuf,
    staged: NamedTempFile,
}

/// What was written.
#[derive(Debug)]
pub(super) struct Written {
    /// The number of answers that the overlay states.
    pub(super) answers: usize,
    /// What it states, in a line.
    pub(super) summary: String,
}

impl OverlayFile {
    /// Prepares the file.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] if something is there already, [`Failure::Overlay`] if nothing can be written there.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        if path == Path::new(STANDARD_INPUT) {
            let message = "an overlay goes to a file, not to standard output; name one for --overlay";
            return Err(Failure::Usage(message.to_owned()));
        }
        // A link that leads nowhere is something, too.
        if path.symlink_metadata().is_ok() {
            return Err(Failure::Usage(format!(
                "`{}` already exists, and somebody may have reviewed it; name a new file for the overlay, and compare \
                 the two",
                path.display()
            )));
        }
        let staged = staged_file(edge::folder_of(path)).map_err(|source| Failure::Overlay {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            path: path.to_owned(),
            staged,
        })
    }

    /// Returns the file that contains the overlay until it is complete.
    pub(super) fn unfinished(&self) -> PathBuf {
        self.staged.path().to_owned()
    }

    /// Writes what lines of a ledger establish, which are about the contract and one target, and moves the file into
    /// place, unless something is there by now.
    ///
    /// # Errors
    ///
    /// [`Failure::Overlay`] if that fails.
    pub(super) fn write(
        self,
        contract: &Contract,
        (lines, now): (&[LedgerLine], DateTime<Utc>),
    ) -> Result<Written, Failure> {
        let overlay = gaps::overlay(contract, lines, now);
        let path = self.path.display().to_string();
        self.put(&overlay.text)?;
        let comments = match overlay.only_in_comments {
            1 => "1 established answer is only in a comment, which says why".to_owned(),
            count => format!("{count} established answers are only in comments, which say why"),
        };
        let summary = match (overlay.answers, overlay.only_in_comments) {
            (0, 0) => format!(
                "`{path}` states no answer, because nothing is established: that takes two runs of `learn` that started \
                 at least an hour apart\n"
            ),
            (0, _) => format!("`{path}` states no answer that a check can use: {comments}\n"),
            (answers, only_in_comments) => {
                let more = match only_in_comments {
                    0 => String::new(),
                    _ => format!(" ({comments})"),
                };
                let stated = counted(answers, "answer");
                format!("`{path}` states {stated}{more}: review it, then run `countersign check --overlay {path}`\n")
            }
        };
        Ok(Written {
            answers: overlay.answers,
            summary,
        })
    }

    fn put(mut self, text: &str) -> Result<(), Failure> {
        let failure = |source| Failure::Overlay {
            path: self.path.clone(),
            source,
        };
        let written = self.staged.write_all(text.as_bytes());
        // An empty file left by a power failure could not be replaced by the next run.
        written
            .and_then(|()| self.staged.as_file().sync_all())
            .map_err(failure)?;
        let moved = self.staged.persist_noclobber(&self.path);
        moved.map(drop).map_err(|error| failure(error.error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlay_is_a_new_file_and_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("overlay.yaml");
        let (first, second) = (OverlayFile::open(&path).unwrap(), OverlayFile::open(&path).unwrap());
        assert!(!path.exists());
        first.put("first").unwrap();
        assert!(matches!(second.put("second"), Err(Failure::Overlay { .. })));
        assert!(matches!(OverlayFile::open(&path), Err(Failure::Usage(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/overlay.yaml");
        assert!(matches!(OverlayFile::open(&path), Err(Failure::Overlay { .. })));
    }
}
