//! What can be wrong with a contract, reported so that it can be fixed: file, line, pointer, problem, what to do.
//!
//! Shared with `build.rs`, like [`document`](super::document).

use std::fmt;

use super::document::Position;

/// A defect of a contract and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The file's name as it was given.
    pub file: String,
    /// The line and column.
    pub position: Position,
    /// The JSON pointer in the contract; empty for the whole of it.
    pub pointer: String,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Defect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}:{}:{}",
            self.file, self.position.line, self.position.column
        )?;
        if !self.pointer.is_empty() {
            write!(formatter, " ({})", self.pointer)?;
        }
        write!(formatter, ": {}", self.problem)
    }
}

impl std::error::Error for Defect {}

/// What is wrong with a contract. Each text ends in what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// An alias stands inside the node that its anchor names.
    AliasInsideItself,
    /// A reference leads back to itself without reaching anything.
    CircularReference {
        /// The reference as written.
        target: String,
    },
    /// A reference names nothing in this file.
    DanglingReference {
        /// The reference as written.
        target: String,
        /// A name beside it that is nearly the same.
        near: Option<String>,
    },
    /// Two operations have one operationId.
    DuplicateOperation {
        /// The operationId.
        id: String,
        /// Where it stood first.
        first_line: u32,
    },
    /// A name stands twice in one object.
    DuplicateName {
        /// The name.
        name: String,
        /// Where it stood first.
        first_line: u32,
    },
    /// There is nothing in the file.
    Empty,
    /// A member that OpenAPI requires is missing.
    Missing {
        /// The object, in OpenAPI's words.
        object: &'static str,
        /// The member.
        name: &'static str,
    },
    /// A name of an object is not a text.
    NameNotText,
    /// The text is no OpenAPI document at all.
    NotOpenApi,
    /// A second document follows the first.
    SeveralDocuments,
    /// The text is not of its language.
    Syntax {
        /// JSON where the text begins with a brace, else YAML.
        language: &'static str,
        /// What the parser says.
        message: String,
    },
    /// The alternatives of a schema multiply, or lead from one to the next, beyond what is asked of a value.
    TooManyAlternatives {
        /// The most that are read.
        maximum: u64,
    },
    /// The schemas of responses state far more than they are long.
    TooManyParts {
        /// The most parts that are read.
        maximum: usize,
    },
    /// The document nests too deep.
    TooDeep {
        /// The most that is read.
        maximum: usize,
    },
    /// The document is too large.
    TooLarge {
        /// The most that is read, in bytes.
        maximum: usize,
    },
    /// The document has too many nodes once its aliases are expanded.
    TooManyNodes {
        /// The most that is read.
        maximum: usize,
    },
    /// A name that is nearly one that OpenAPI or the vocabulary knows.
    UnknownName {
        /// The object, in OpenAPI's words.
        object: &'static str,
        /// The name as written.
        name: String,
        /// The known name.
        near: String,
    },
    /// Something OpenAPI allows and this program does not read.
    Unsupported {
        /// What it is.
        what: String,
        /// What to do instead.
        fix: &'static str,
    },
    /// The document is of another version of OpenAPI.
    Version {
        /// The version as written.
        found: String,
    },
    /// A statement of the vocabulary (`x-page`, `x-invariants`, `x-gaps`, links) that does not fit the rest of the contract.
    Vocabulary {
        /// What is wrong and what to do.
        message: String,
    },
    /// A value of another kind than OpenAPI states.
    WrongKind {
        /// What OpenAPI states.
        expected: String,
        /// What stands there.
        found: String,
    },
}

impl Problem {
    /// Writes that a document goes beyond a bound.
    fn fmt_bound(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyAlternatives { maximum } => write!(
                formatter,
                "this leads to more than {maximum} alternatives within alternatives; let fewer `oneOf` and `anyOf` name each \
                 other"
            ),
            Self::TooManyParts { maximum } => write!(
                formatter,
                "with this response the document states more than {maximum} things; check a document of fewer operations, or \
                 let fewer schemas repeat each other by `allOf`"
            ),
            Self::TooDeep { maximum } => write!(formatter, "this nests deeper than {maximum} levels; flatten it"),
            Self::TooLarge { maximum } => write!(formatter, "this is larger than {} MiB; split it", maximum >> 20),
            Self::TooManyNodes { maximum } => write!(
                formatter,
                "this has more than {maximum} nodes with its aliases expanded; use fewer aliases"
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AliasInsideItself => write!(formatter, "an alias stands inside its own anchor; write the value out"),
            Self::CircularReference { target } => {
                write!(
                    formatter,
                    "the reference `{target}` leads back to itself; let it name a definition"
                )
            }
            Self::DanglingReference {
                target,
                near: Some(near),
            } => {
                write!(
                    formatter,
                    "the reference `{target}` names nothing in this file; did you mean `{near}`?"
                )
            }
            Self::DanglingReference { target, near: None } => {
                write!(
                    formatter,
                    "the reference `{target}` names nothing in this file; define it or correct the reference"
                )
            }
            Self::DuplicateOperation { id, first_line } => {
                write!(
                    formatter,
                    "the operationId `{id}` stands on line {first_line} already; give each operation its own"
                )
            }
            Self::DuplicateName { name, first_line } => {
                write!(
                    formatter,
                    "the name `{name}` stands on line {first_line} already; keep one of the two"
                )
            }
            Self::Empty => write!(formatter, "there is nothing in this file; give an OpenAPI 3.0 document"),
            Self::Missing { object, name } => write!(formatter, "the {object} has no `{name}`; add it"),
            Self::NameNotText => write!(formatter, "a name of an object must be a text; quote it"),
            Self::NotOpenApi => write!(
                formatter,
                "this is no OpenAPI document; its root must be an object with `openapi: 3.0.x`"
            ),
            Self::SeveralDocuments => write!(
                formatter,
                "a second YAML document starts here; give each a file of its own"
            ),
            Self::Syntax { language, message } => write!(
                formatter,
                "this is not {language}: {message}; correct the syntax here or just above"
            ),
            Self::TooDeep { .. }
            | Self::TooLarge { .. }
            | Self::TooManyAlternatives { .. }
            | Self::TooManyNodes { .. }
            | Self::TooManyParts { .. } => self.fmt_bound(formatter),
            Self::UnknownName { object, name, near } => {
                write!(formatter, "the {object} has no `{name}`; did you mean `{near}`?")
            }
            Self::Unsupported { what, fix } => write!(formatter, "{what} is not read; {fix}"),
            Self::Version { found } => write!(
                formatter,
                "this is OpenAPI `{found}`, and only 3.0.x is read; convert the document to 3.0"
            ),
            Self::Vocabulary { message } => formatter.write_str(message),
            Self::WrongKind { expected, found } => write!(
                formatter,
                "{expected} is expected here, and this is {found}; correct the value"
            ),
        }
    }
}
