//! Writes staged files, which are moved into place once they are complete: [`Replacement`] and [`staged_file`].
//!
//! # Design
//!
//! A process keeps a lock on each of its staged files for as long as it lives, and the system releases it however the
//! process ends. So a file that can be locked has no owner, and the next run in that folder removes it. Between the
//! creation of a file and its lock another process may mistake it for such a leftover and remove it; then another file
//! is made.

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::edge;

/// The prefix of the name of such a file.
const PREFIX: &str = ".countersign-";
/// How many letters and digits follow the prefix.
const RANDOM_CHARACTERS: usize = 6;

/// A staged file, and the place that it is moved to once it is complete.
#[derive(Debug)]
pub(super) struct Replacement {
    staged: NamedTempFile,
    place: PathBuf,
}

impl Replacement {
    /// Stages a file for this path. A file that is there is replaced by one with its permissions; a link stays a link,
    /// and the file that it leads to is replaced.
    ///
    /// # Errors
    ///
    /// The system's error, or that there is no such folder.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let existing = fs::metadata(path).ok();
        let place = match existing {
            Some(_) => fs::canonicalize(path)?,
            None => path.to_owned(),
        };
        let folder = edge::folder_of(&place);
        // Reported here, because the error of the staged file would name that file.
        if !folder.is_dir() {
            return Err(io::Error::other(format!(
                "`{}` is not a folder; create it, or name another file",
                folder.display()
            )));
        }
        let staged = staged_file(folder)?;
        if let Some(existing) = existing {
            staged.as_file().set_permissions(existing.permissions())?;
        }
        Ok(Self { staged, place })
    }

    /// Returns what is written to.
    pub(super) fn file(&self) -> &File {
        self.staged.as_file()
    }

    /// Returns the path of the staged file.
    pub(super) fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Returns the file that it replaces.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Moves the file into place, once it is on the disk.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub(super) fn complete(self) -> io::Result<()> {
        self.staged.as_file().sync_all()?;
        let moved = self.staged.persist(self.place);
        moved.map(drop).map_err(|error| error.error)
    }
}

/// Creates a file in `folder` that will replace another once it is complete. It has the user's default permissions,
/// because a container writes reports for others to read. Leftover files of killed runs in that folder are removed.
///
/// # Errors
///
/// The system's error, without the name of that file, which means nothing to the user.
pub(super) fn staged_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(RANDOM_CHARACTERS);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The process's umask removes what is not wanted.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    loop {
        let made = builder.tempfile_in(folder);
        let made = made.map_err(|error| io::Error::from(error.kind()))?;
        if is_kept(&made) {
            clear(folder, made.as_file());
            return Ok(made);
        }
    }
}

/// Locks a file that was just made. Returns whether it is still there.
fn is_kept(made: &NamedTempFile) -> bool {
    match made.as_file().try_lock() {
        // The process that holds the lock removes the file.
        Err(TryLockError::WouldBlock) => false,
        // Where files cannot be locked, no process removes one.
        Ok(()) | Err(TryLockError::Error(_)) => made.path().exists(),
    }
}

/// Removes the staged files that killed processes of this user left in a folder. Files that cannot be removed stay.
fn clear(folder: &Path, own: &File) {
    let own_owner = owner(own.metadata());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let is_ours = random.is_some_and(|random| {
            random.len() == RANDOM_CHARACTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        // Links are not followed: only files that were made here are removed.
        let found = entry.metadata();
        let is_file = found.as_ref().is_ok_and(Metadata::is_file);
        if !is_ours || !is_file || owner(found) != own_owner {
            continue;
        }
        let path = entry.path();
        // The lock is held until the file is gone: otherwise its owner, who has just made it, could take it in between.
        if let Ok(left) = File::open(&path)
            && left.try_lock().is_ok()
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Returns the owner of a file.
#[cfg(unix)]
fn owner(file: io::Result<Metadata>) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    file.ok().map(|found| found.uid())
}

/// On other systems a file that belongs to somebody else cannot be removed.
#[cfg(not(unix))]
fn owner(_: io::Result<Metadata>) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_nobody_holds_is_taken_away_and_what_somebody_holds_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".countersign-LeftBy"), "half a rep").unwrap();
        let held = staged_file(folder.path()).unwrap();
        let second = staged_file(folder.path()).unwrap();
        let third = staged_file(folder.path()).unwrap();
        assert!(held.path().exists() && second.path().exists() && third.path().exists());
        assert_eq!(names(folder.path()).len(), 3);
        // The lock goes with the process. A child that another test starts at this moment has the file too, until it
        // has become its program, so closing the file is not enough here.
        let (file, path) = held.into_parts();
        let path = path.keep().unwrap();
        file.unlock().unwrap();
        drop(file);
        let fourth = staged_file(folder.path()).unwrap();
        assert!(!path.exists() && fourth.path().exists() && third.path().exists());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_else_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            ".countersign-five5", ".countersign-seven77", ".countersign-a.json", ".countersigned-abcdef",
            "countersign-abcdef", "report.json",
        ] {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at(".countersign-folder")).unwrap();
        std::os::unix::fs::symlink("report.json", at(".countersign-linked")).unwrap();
        let before = names(folder.path());
        drop(staged_file(folder.path()).unwrap());
        assert_eq!(names(folder.path()), before);
    }

    #[test]
    fn a_file_that_takes_its_place_stays_there() {
        let folder = tempfile::tempdir().unwrap();
        let made = staged_file(folder.path()).unwrap();
        made.persist(folder.path().join("report.json")).unwrap();
        drop(staged_file(folder.path()).unwrap());
        assert_eq!(names(folder.path()), ["report.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_replacement_keeps_the_link_and_the_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("kept")).unwrap();
        fs::write(at("kept/report.json"), "old").unwrap();
        fs::set_permissions(at("kept/report.json"), fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("kept/report.json", at("report.json")).unwrap();
        let replacement = Replacement::of(&at("report.json")).unwrap();
        io::Write::write_all(&mut replacement.file(), b"new").unwrap();
        assert_eq!(fs::read_to_string(at("kept/report.json")).unwrap(), "old");
        replacement.complete().unwrap();
        assert_eq!(fs::read_to_string(at("kept/report.json")).unwrap(), "new");
        assert!(at("report.json").is_symlink());
        let mode = fs::metadata(at("kept/report.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(names(folder.path()), ["kept", "report.json"]);
        assert_eq!(names(&at("kept")), ["report.json"]);
    }

    #[test]
    fn a_file_that_was_just_made_is_never_taken_for_a_leftover() {
        let folder = tempfile::tempdir().unwrap();
        let made = || (0..200).all(|_| staged_file(folder.path()).unwrap().path().exists());
        std::thread::scope(|scope| {
            let makers: Vec<_> = (0..4).map(|_| scope.spawn(made)).collect();
            assert!(makers.into_iter().all(|maker| maker.join().unwrap()));
        });
    }
}
