//! What differs between two documents, as values. The main types are [`Diff`] and [`Difference`].

use std::fmt;

use serde::Serialize;

use super::accepted::AcceptedDifference;
use super::kind::Kind;
use crate::contract::document::{Document, Position};
use crate::contract::operation::Method;

/// Everything that differs between two documents in what they mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// The old document.
    pub old: DocumentName,
    /// The new document.
    pub new: DocumentName,
    /// The differences, in the order of the new document's operations.
    pub differences: Vec<Difference>,
    /// The facts that only one of the two states.
    pub facts: FactChanges,
    /// The references whose definitions were not compared.
    #[serde(rename = "loose_references")]
    pub dangling_references: DanglingReferences,
}

impl Diff {
    /// Returns what the next release is: the greatest that any difference asks for.
    #[must_use]
    pub fn release(&self) -> Release {
        let asked = self.differences.iter().map(Difference::release);
        asked.max().unwrap_or(Release::Patch)
    }

    /// Returns how many differences have this meaning for the service's contract and are not accepted.
    #[must_use]
    pub fn count(&self, meaning: Meaning) -> usize {
        let meanings = self.unaccepted().map(|difference| difference.meaning);
        meanings.filter(|found| *found == meaning).count()
    }

    /// Returns the differences that are not accepted.
    pub fn unaccepted(&self) -> impl Iterator<Item = &Difference> {
        let differences = self.differences.iter();
        differences.filter(|difference| difference.accepted.is_none())
    }

    /// Whether any difference that is not accepted breaks those who call the service.
    #[must_use]
    pub fn is_breaking(&self) -> bool {
        self.count(Meaning::Breaking) > 0
    }
}

/// What identifies a document: its file, and the title and version that it states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentName {
    /// The file: its path, without the revision.
    pub file: String,
    /// The revision that it was read from, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The title; empty where there is none.
    pub title: String,
    /// The version that it gives itself; empty where there is none.
    pub version: String,
}

impl DocumentName {
    pub(super) fn of(document: &Document) -> Self {
        let info = |name: &str| {
            let node = document.node("/info").and_then(|info| info.member(name));
            node.map_or_else(String::new, |node| match node.to_value() {
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            })
        };
        Self {
            file: document.name.clone(),
            revision: None,
            title: info("title"),
            version: info("version"),
        }
    }
}

impl fmt::Display for DocumentName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, revision, .. } = self;
        match revision {
            Some(revision) => write!(formatter, "{revision}:{file}"),
            None => formatter.write_str(file),
        }
    }
}

/// One difference of a [`Diff`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Difference {
    /// What kind of difference it is.
    pub kind: Kind,
    /// The operation; `None` where it concerns the whole document.
    pub operation: Option<OperationName>,
    /// Which side of the operation.
    pub side: Side,
    /// What differs, in one sentence.
    pub sentence: String,
    /// What it means for the service's contract: for those who call the service.
    pub meaning: Meaning,
    /// Why the meaning is unclear; `None` where it is clear.
    pub reason: Option<String>,
    /// What it means for the Rust client that is generated from the contract.
    pub client: ClientEffect,
    /// Why it is accepted, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<AcceptedDifference>,
    /// Where the old document states it.
    pub old: DocumentLocation,
    /// Where the new document states it.
    pub new: DocumentLocation,
}

impl Difference {
    /// Returns the release that this difference asks for. If it is accepted, only its effect on the client counts: the
    /// client changes anyway.
    #[must_use]
    pub fn release(&self) -> Release {
        let breaks = self.meaning == Meaning::Breaking && self.accepted.is_none();
        match self.client {
            _ if breaks => Release::Major,
            ClientEffect::Major => Release::Major,
            ClientEffect::Minor => Release::Minor,
            // What only concerns the service leaves the client as it was.
            ClientEffect::None => Release::Patch,
        }
    }
}

/// Method and path of an operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct OperationName {
    /// The method, in capitals.
    pub method: &'static str,
    /// The path template: that of the new document, if the operation is in it.
    pub path: String,
}

impl OperationName {
    pub(super) fn new(method: Method, path: &str) -> Self {
        Self {
            method: method.as_str(),
            path: path.to_owned(),
        }
    }
}

impl fmt::Display for OperationName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.path)
    }
}

/// The side of an operation that a difference is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The operation as a whole, or the document.
    Operation,
    /// What callers send.
    Request,
    /// What the service returns.
    Response,
}

impl Side {
    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operation => "operation",
            Self::Request => "request",
            Self::Response => "response",
        }
    }
}

/// What a difference means for those who call the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Meaning {
    /// A request that the old document allows is no longer allowed, a response is allowed that was not, or something
    /// that callers use is gone.
    Breaking,
    /// The documents do not say enough to decide.
    Unclear,
    /// Nobody who kept to the old document notices.
    Compatible,
}

impl Meaning {
    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Compatible => "compatible",
            Self::Unclear => "unclear",
        }
    }
}

/// What a difference means for programs that use the generated Rust client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientEffect {
    /// Something is gone or changed.
    Major,
    /// Something is added.
    Minor,
    /// The client stays as it is.
    None,
}

impl ClientEffect {
    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Major => "major",
            Self::Minor => "minor",
            Self::None => "none",
        }
    }
}

/// The next release, by Semantic Versioning 2.0.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Release {
    /// Nothing that a program uses differs.
    Patch,
    /// Something is added.
    Minor,
    /// Something breaks.
    Major,
}

impl Release {
    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Major => "major",
            Self::Minor => "minor",
            Self::Patch => "patch",
        }
    }
}

/// A location in one of the two documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct DocumentLocation {
    /// The JSON pointer: of what differs, or of what would contain it.
    pub pointer: String,
    /// The file, where it is not the document's own but one that it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Whether this document has it; `false` where the pointer names what would contain it.
    pub present: bool,
}

impl DocumentLocation {
    pub(super) fn of(document: &Document, location: &Location) -> Self {
        let position = document.position(&location.pointer);
        let Position { line, column, .. } = position;
        Self {
            pointer: location.pointer.clone(),
            file: document.other_file(position).map(str::to_owned),
            line,
            column,
            present: location.present,
        }
    }
}

/// Where something is, or would be, before its line is looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Location {
    pub(super) pointer: String,
    pub(super) present: bool,
}

impl Location {
    /// Where something is.
    pub(super) fn at(pointer: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            present: true,
        }
    }

    /// Where something would be.
    pub(super) fn missing_from(pointer: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            present: false,
        }
    }
}

/// References that lead to nothing. What they refer to is not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DanglingReferences {
    /// Those of the old document.
    pub old: Vec<DanglingReference>,
    /// Those of the new document.
    pub new: Vec<DanglingReference>,
}

impl DanglingReferences {
    /// Returns how many there are in both documents.
    #[must_use]
    pub fn count(&self) -> usize {
        self.old.len() + self.new.len()
    }
}

/// A reference that leads to nothing in its document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DanglingReference {
    /// What it names.
    pub target: String,
    /// Where the document states it first.
    #[serde(rename = "place")]
    pub location: DocumentLocation,
}

/// The facts that only one of the two documents states, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FactChanges {
    /// Those that the new document adds.
    pub gained: Vec<FactChange>,
    /// Those that the new document no longer states.
    pub lost: Vec<FactChange>,
    /// Why facts are not compared: a document cannot be read as a contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
}

/// A fact of one of the two documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FactChange {
    /// Its name.
    pub name: String,
    /// The line of its statement, in the document that states it.
    pub line: u32,
    /// The file of that line, where it is not the document's own but one that it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}
