//! The documents: our own small ones, and those in a folder named by the environment. The main type is [`Document`].

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use countersign::contract::Contract;
use serde_json::Value;

/// The variable that names a folder of OpenAPI documents.
pub(super) const FOLDER: &str = "COUNTERSIGN_CORPUS";

/// A document in two readings: the checker's, and plain JSON.
pub(super) struct Document {
    pub(super) name: String,
    pub(super) contract: Arc<Contract>,
    pub(super) json: Value,
    /// Whether a value may fit one alternative and break another.
    pub(super) has_choices: bool,
}

/// Our own documents, each with what it shows.
pub(crate) const OWN: &[(&str, &str)] = &[
    ("choices", include_str!("documents/choices.yaml")),
    ("composed", include_str!("documents/composed.yaml")),
    ("headers", include_str!("documents/headers.yaml")),
    ("parameters", include_str!("documents/parameters.yaml")),
    ("recursive", include_str!("documents/recursive.yaml")),
    ("security", include_str!("documents/security.yaml")),
];

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// What the document has wrong, in the words of the checker.
    pub(super) fn read(name: &str, text: String) -> Result<Self, String> {
        let has_choices = ["oneOf", "anyOf", "not", "enum"]
            .iter()
            .any(|choice| text.contains(choice));
        let contract = Contract::read(name, text).map_err(|defect| defect.to_string())?;
        let json = contract.document.root.to_value();
        Ok(Self {
            name: name.to_owned(),
            contract: Arc::new(contract),
            json,
            has_choices,
        })
    }
}

/// Our own documents.
pub(super) fn own() -> impl Iterator<Item = Document> {
    let read = |(name, text): &(&str, &str)| Document::read(name, (*text).to_owned());
    OWN.iter()
        .map(move |document| read(document).unwrap_or_else(|defect| panic!("{defect}")))
}

/// The files of the folder that the environment names, in the order of their names; none where it names none, which is
/// said once.
pub(crate) fn files() -> Vec<PathBuf> {
    static SAID: OnceLock<()> = OnceLock::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever runs the tests says where the documents are"
    )]
    let folder = std::env::var_os(FOLDER);
    let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
        #[expect(clippy::print_stderr, reason = "a test that tests nothing says so")]
        SAID.get_or_init(|| eprintln!("no folder of documents is tested: {FOLDER} names none"));
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The readable documents of that folder.
pub(super) fn foreign() -> impl Iterator<Item = Document> {
    files().into_iter().filter_map(|file| {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        Document::read(&name, text).ok()
    })
}
