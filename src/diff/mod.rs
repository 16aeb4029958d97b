//! Compares two documents: what a change of the document means for those who call the service, and for the Rust client.
//!
//! - **In**: two OpenAPI documents, old and new, read leniently: a defect does not stop the comparison of the rest.
//! - **Out**: a [`Diff`]: each difference with its operation, side, meaning, and its location in both documents.
//! - **Start with** [`read`] and [`diff`].
//!
//! ```
//! use countersign::diff::{Meaning, diff, read};
//!
//! let text = |kind: &str| format!("
//! openapi: 3.0.3
//! paths:
//!   /things:
//!     get:
//!       responses:
//!         '200':
//!           content: {{application/json: {{schema: {{type: {kind}}}}}}}
//! ");
//! let (old, new) = (read("old.yaml", text("integer"))?, read("new.yaml", text("number"))?);
//! let diff = diff(&old, &new, None);
//! let difference = &diff.differences[0];
//! assert_eq!(difference.sentence, "the body of the 200 response was integer, is number");
//! assert_eq!((difference.meaning, difference.new.line), (Meaning::Breaking, 8));
//! assert_eq!(diff.release().as_str(), "major");
//! # Ok::<(), countersign::contract::defect::Defect>(())
//! ```
//!
//! # Words
//!
//! - *difference*: something that two documents state differently; breaking, compatible or unclear for callers; major,
//!   minor or none for the client.
//!
//! # Design
//!
//! What is compared is what the documents allow, not their text: a response that the new document allows must have been
//! allowed by the old one, and a request that the old one allows must still be allowed. The answer is yes, no or
//! *unclear*, with the reason; what cannot be decided is never called compatible or breaking. Descriptions, examples,
//! order, `$ref` or inline, and how `allOf` is split say nothing to a caller, and are not compared.
//!
//! It reads documents and not contracts, because a contract rejects a document that has a defect.

mod accepted;
mod answers;
mod bodies;
mod callbacks;
mod difference;
mod encodings;
mod kind;
mod operations;
mod parameters;
mod range;
mod responses;
mod schemas;
mod security;
mod source;
mod statements;
#[cfg(test)]
mod tests;
mod types;
mod view;

use chrono::NaiveDate;

use crate::contract::bundle::OtherFiles;
use crate::contract::defect::{Defect, Problem};
use crate::contract::document::{Document, NodeKind};
pub use accepted::{AcceptedDifference, DifferenceScope};
pub use difference::{
    ClientEffect, DanglingReference, DanglingReferences, Diff, Difference, DocumentLocation, DocumentName, FactChange,
    FactChanges, Meaning, OperationName, Release, Side,
};
pub use kind::Kind;
pub use statements::facts_only_in;

/// Reads a document to be compared: any OpenAPI 3 document, YAML or JSON. `name` is the file's name in messages.
///
/// # Errors
///
/// A [`Defect`] with its line: a text that is not YAML or JSON, exceeds a limit of [`Document::read`], or is not an
/// OpenAPI 3 document.
pub fn read(name: &str, text: String) -> Result<Document, Defect> {
    read_with_files(name, text, None)
}

/// Reads a document to be compared, with the files beside it that it refers to.
///
/// # Errors
///
/// Those of [`read`].
pub fn read_with_files(name: &str, text: String, other_files: Option<OtherFiles<'_>>) -> Result<Document, Defect> {
    let mut document = Document::read(name, text)?;
    if let Some(other_files) = other_files {
        document = document.with_files(other_files);
    }
    let root = &document.root;
    if let Some(version) = root.member("swagger") {
        let found = version
            .to_value()
            .as_str()
            .map_or_else(|| "2.0".to_owned(), str::to_owned);
        return Err(document.defect("/swagger", Problem::Version { found }));
    }
    let version = root.member("openapi").map(|version| match &version.kind {
        NodeKind::String(text) => text.to_string(),
        _ => version.to_value().to_string(),
    });
    match version {
        Some(version) if version.starts_with('3') => Ok(document),
        Some(found) => Err(document.defect("/openapi", Problem::Version { found })),
        None => Err(document.defect("", Problem::NotOpenApi)),
    }
}

/// Compares two documents. `today` decides whether something deprecated could be removed: the day that `x-sunset` gives
/// must be over. If one of the two days is missing, this is unclear.
#[must_use]
pub fn diff(old: &Document, new: &Document, today: Option<NaiveDate>) -> Diff {
    Diff {
        old: DocumentName::of(old),
        new: DocumentName::of(new),
        differences: operations::differences(old, new, today),
        facts: statements::facts(old, new),
        dangling_references: DanglingReferences {
            old: source::dangling_references(old),
            new: source::dangling_references(new),
        },
    }
}
