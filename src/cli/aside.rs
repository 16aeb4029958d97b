//! Files that are written aside and take their place once they are whole: [`aside`].
//!
//! # Design
//!
//! A process holds a lock on each of its files aside for as long as it lives, and the system frees it however the process
//! ends. So one that can be locked is nobody's, and the next run in that folder takes it away. Between making a file and
//! locking it another process may take it for such a one; then it is gone, and another is made.

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// What the name of such a file begins with.
const PREFIX: &str = ".countersign-";
/// How many letters and digits follow.
const RANDOM: usize = 6;

/// A file in `folder` that takes another's place once it is whole. Whoever may read what the user writes may read it: a
/// container writes reports for somebody else. What a run that was killed left of such files there is taken away.
///
/// # Errors
///
/// What the system says, without the name of that file: it means nothing to the user.
pub(super) fn aside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The process's mask takes away what is not wanted.
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

/// Locks a file that was just made. Gives back whether it is still there.
fn is_kept(made: &NamedTempFile) -> bool {
    match made.as_file().try_lock() {
        // Whoever holds it takes it away.
        Err(TryLockError::WouldBlock) => false,
        // Where files cannot be locked, nobody takes one away.
        Ok(()) | Err(TryLockError::Error(_)) => made.path().exists(),
    }
}

/// Takes away the files aside that killed processes of this user left in a folder. What cannot be taken away stays.
fn clear(folder: &Path, own: &File) {
    let own_owner = owner(own.metadata());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let is_ours = random
            .is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        // Not through a link: only what was made here is taken away.
        let found = entry.metadata();
        let is_file = found.as_ref().is_ok_and(Metadata::is_file);
        if !is_ours || !is_file || owner(found) != own_owner {
            continue;
        }
        let path = entry.path();
        if File::open(&path).is_ok_and(|left| left.try_lock().is_ok()) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Who owns a file.
#[cfg(unix)]
fn owner(file: io::Result<Metadata>) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    file.ok().map(|found| found.uid())
}

/// Elsewhere a file of somebody else's cannot be taken away.
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
        let held = aside(folder.path()).unwrap();
        let second = aside(folder.path()).unwrap();
        let third = aside(folder.path()).unwrap();
        assert!(held.path().exists() && second.path().exists() && third.path().exists());
        assert_eq!(names(folder.path()).len(), 3);
        // The lock goes with the process; here, with the file that was opened for it.
        let (file, path) = held.into_parts();
        let path = path.keep().unwrap();
        drop(file);
        let fourth = aside(folder.path()).unwrap();
        assert!(!path.exists() && fourth.path().exists() && third.path().exists());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_else_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in [
            ".countersign-five5",
            ".countersign-seven77",
            ".countersign-a.json",
            ".countersigned-abcdef",
            "countersign-abcdef",
            "report.json",
        ] {
            fs::write(at(name), "").unwrap();
        }
        fs::create_dir(at(".countersign-folder")).unwrap();
        std::os::unix::fs::symlink("report.json", at(".countersign-linked")).unwrap();
        let before = names(folder.path());
        drop(aside(folder.path()).unwrap());
        assert_eq!(names(folder.path()), before);
    }

    #[test]
    fn a_file_that_takes_its_place_stays_there() {
        let folder = tempfile::tempdir().unwrap();
        let made = aside(folder.path()).unwrap();
        made.persist(folder.path().join("report.json")).unwrap();
        drop(aside(folder.path()).unwrap());
        assert_eq!(names(folder.path()), ["report.json"]);
    }
}
