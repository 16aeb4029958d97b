//! Reads a contract from a file: [`Contract::open`] and [`Contract::open_with_overlay`]. They are here and not in
//! `contract`, because none of the modules that `check` uses touches the file system.

use std::path::Path;

use super::error::Error;
use super::files::{self, other_files};
use crate::contract::Contract;
use crate::contract::defect::Defects;
use crate::contract::document::Document;

impl Contract {
    /// Reads a contract from a file, a document of OpenAPI 3.0, 3.1 or 3.2 in YAML or JSON, with the files in its
    /// folder and below it that it refers to. A relative path is relative to the working directory, which in a test is
    /// the package's.
    ///
    /// # Errors
    ///
    /// [`Error::File`] for a file that cannot be read or is not UTF-8, [`Error::Contract`] for a document that is
    /// defective or larger than [`MAX_BYTES`](crate::contract::document::MAX_BYTES); no more than that is read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self::of_document(document(path.as_ref())?)?)
    }

    /// Reads a contract as [`Self::open`] does, and applies an OpenAPI Overlay, such as one that `countersign learn`
    /// has written.
    ///
    /// # Errors
    ///
    /// Those of [`Self::open`], of either file, and [`Error::Contract`] for an overlay that does not fit the document.
    pub fn open_with_overlay(path: impl AsRef<Path>, overlay: impl AsRef<Path>) -> Result<Self, Error> {
        let overlay = overlay.as_ref();
        let document = document(path.as_ref())?.with_overlay(&overlay.display().to_string(), text(overlay)?)?;
        Ok(Self::of_document(document)?)
    }
}

fn document(path: &Path) -> Result<Document, Error> {
    let document =
        Document::read_allowing_repeated_names(&path.display().to_string(), text(path)?).map_err(Defects::from)?;
    Ok(document.with_files(other_files(path)))
}

fn text(path: &Path) -> Result<String, Error> {
    files::text(path).map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::document::MAX_BYTES;

    #[test]
    fn a_contract_is_read_from_its_file() {
        let contract = Contract::open("tests/reference.yaml").unwrap();
        assert_eq!(contract.document.name, "tests/reference.yaml");
        assert_eq!(contract.operations.len(), crate::testing::built_in().operations.len());
    }

    #[test]
    fn an_overlay_is_applied_to_the_document() {
        let folder = tempfile::tempdir().unwrap();
        let overlay = folder.path().join("overlay.yaml");
        let written = |target: &str| {
            let answer = "{gap: success-status, operation: getTags, claim: {status: 200}}";
            let action = format!("{{target: \"{target}\", update: {{x-answers: [{answer}]}}}}");
            std::fs::write(&overlay, format!("overlay: 1.0.0\nactions: [{action}]\n")).unwrap();
            Contract::open_with_overlay("tests/reference.yaml", &overlay)
        };
        let contract = written("$.paths['/organization/v1/tags'].get.responses['2XX']").unwrap();
        assert_eq!(contract.answers.len(), 1);
        let error = written("$.paths['/none']").unwrap_err();
        assert!(matches!(error, Error::Contract(_)), "{error}");
        assert!(error.to_string().contains("overlay.yaml:2:"), "{error}");
        let error = Contract::open_with_overlay("tests/reference.yaml", "no/such.yaml").unwrap_err();
        assert!(error.to_string().contains("`no/such.yaml`"), "{error}");
    }

    #[test]
    fn a_file_that_is_too_large_is_reported_as_that_wherever_it_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.yaml");
        // The cut is within one of these letters, or between two.
        for beginning in ["", "#"] {
            std::fs::write(&path, beginning.to_owned() + &"\u{e9}".repeat(MAX_BYTES / 2 + 1)).unwrap();
            let error = Contract::open(&path).unwrap_err();
            assert!(matches!(error, Error::Contract(_)), "{error}");
            assert!(error.to_string().contains("larger than"), "{error}");
        }
        std::fs::write(&path, b"openapi: \xff").unwrap();
        let error = Contract::open(&path).unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error}");
    }

    #[test]
    fn a_file_that_holds_no_contract_is_reported_by_its_name() {
        let error = Contract::open("no/such.yaml").unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error}");
        assert!(error.to_string().contains("`no/such.yaml`"), "{error}");
        let error = Contract::open("Cargo.toml").unwrap_err();
        assert!(matches!(error, Error::Contract(_)), "{error}");
        assert!(error.to_string().contains("Cargo.toml"), "{error}");
    }
}
