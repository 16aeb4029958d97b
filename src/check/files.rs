//! Reads the files that a document refers to: those in its own folder and below it. The function is [`other_files`].

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::contract::bundle::{OtherFiles, Unread};
use crate::contract::document::MAX_BYTES;

/// Returns the files beside a document. Nothing outside of its folder is read, not even by way of a symbolic link: a
/// document may come from anybody, and messages contain lines of what is read.
pub(crate) fn other_files(document: &Path) -> OtherFiles<'static> {
    let folder = match document.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let file_name = document.file_name().unwrap_or_default();
    let file_name = file_name.to_string_lossy().into_owned();
    let shown = document.display().to_string();
    OtherFiles {
        shown_folder: shown.strip_suffix(&file_name).unwrap_or_default().to_owned(),
        file_name,
        read: Box::new(move |path| read(&folder, path)),
    }
}

fn read(folder: &Path, path: &str) -> Result<String, Unread> {
    let failed = |error: io::Error| Unread::Failed(error.to_string());
    let file = folder.join(path).canonicalize().map_err(failed)?;
    if !file.starts_with(folder.canonicalize().map_err(failed)?) {
        return Err(Unread::Outside);
    }
    // Opening a pipe would block.
    if !file.is_file() {
        return Err(Unread::Failed("it is not a file".to_owned()));
    }
    text(&file).map_err(failed)
}

/// Returns the text of a document's file. Of a file larger than `MAX_BYTES`, it returns at least one byte more than
/// that: enough for the reader of documents to reject it as too large.
pub(super) fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    // One byte more shows whether the file is larger.
    let max_bytes = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(max_bytes).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        // The cut may fall within a character; what replaces it is no shorter, so the text stays too large.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn only_files_in_the_folder_and_below_it_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let api = folder.path().join("api");
        std::fs::create_dir_all(api.join("schemas")).unwrap();
        for file in ["secret.yaml", "api/a.yaml", "api/schemas/b.yaml"] {
            std::fs::write(folder.path().join(file), file).unwrap();
        }
        let mut other_files = other_files(&api.join("openapi.yaml"));
        assert_eq!(other_files.file_name, "openapi.yaml");
        assert_eq!(other_files.shown_folder, format!("{}/", api.display()));
        assert_eq!((other_files.read)("schemas/b.yaml").unwrap(), "api/schemas/b.yaml");
        assert_eq!((other_files.read)("../secret.yaml"), Err(Unread::Outside));
        for absent in ["schemas", "c.yaml"] {
            assert!(matches!((other_files.read)(absent), Err(Unread::Failed(_))), "{absent}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.yaml", api.join("out.yaml")).unwrap();
            std::os::unix::fs::symlink("schemas/b.yaml", api.join("in.yaml")).unwrap();
            assert_eq!((other_files.read)("out.yaml"), Err(Unread::Outside));
            assert_eq!((other_files.read)("in.yaml").unwrap(), "api/schemas/b.yaml");
        }
    }
}
