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
    /// The JSON pointer in the contract; empty for the whole document.
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

/// The maximum number of defects that are collected for one contract.
pub const MAX_DEFECTS: usize = 10_000;
/// The maximum length of their pointers, and of the messages of [`Problem::Vocabulary`], together, in bytes: a name may
/// be megabytes long.
pub(crate) const MAX_TEXT: usize = 64 << 20;
/// The number of defects beyond which no similar name is suggested: looking for one compares all names.
const MAX_SUGGESTIONS: usize = 20;
/// The number of defects that a message lists.
const MAX_LISTED: usize = 20;

/// Collects defects up to a bound.
#[derive(Clone, Debug, Default)]
pub(super) struct DefectList {
    defects: Vec<Defect>,
    /// The length of what [`MAX_TEXT`] limits.
    text: usize,
    is_full: bool,
}

impl DefectList {
    /// Keeps a defect. Beyond the bound, keeps one that says so, and nothing after it.
    pub(super) fn push(&mut self, defect: Defect) {
        if self.is_full {
            return;
        }
        self.text += defect.pointer.len();
        if let Problem::Vocabulary { message } = &defect.problem {
            self.text += message.len();
        }
        if self.defects.len() < MAX_DEFECTS && self.text <= MAX_TEXT {
            return self.defects.push(defect);
        }
        self.is_full = true;
        self.defects.push(Defect {
            problem: Problem::TooManyDefects { maximum: MAX_DEFECTS },
            ..defect
        });
    }

    /// Whether there were more defects than can be kept, so that what is not named may be defective too.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether there are still so few defects that a similar name is suggested.
    pub(super) fn suggests(&self) -> bool {
        self.defects.len() < MAX_SUGGESTIONS
    }

    /// Returns the number of defects.
    pub(super) fn len(&self) -> usize {
        self.defects.len()
    }

    /// Returns the defects in the order in which they were found.
    pub(super) fn as_slice(&self) -> &[Defect] {
        &self.defects
    }

    /// Returns the defects in the order of the file.
    pub(super) fn in_order(mut self) -> Vec<Defect> {
        self.defects.sort_by_key(|defect| defect.position);
        self.defects
    }
}

/// The message after defects that leave a document without operations: not all of them need to be fixed.
pub(super) const NO_OPERATION_LEFT: &str = "\nno operation is left; `countersign lint` names the operations that each defect leaves out, and some leave out none";

/// All defects of a contract, in the order of the file. There is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defects {
    first: Box<Defect>,
    others: Vec<Defect>,
    /// Whether they are all that is wrong with a document that was read as far as possible, and leave no operation.
    leave_no_operation: bool,
}

impl Defects {
    /// Returns the defects; `None` where there are none.
    pub(crate) fn new(defects: Vec<Defect>) -> Option<Self> {
        let mut defects = defects.into_iter();
        let first = Box::new(defects.next()?);
        let others = defects.collect();
        Some(Self {
            first,
            others,
            leave_no_operation: false,
        })
    }

    /// Says that they leave no operation of the document.
    pub(super) fn leaving_no_operation(self) -> Self {
        Self {
            leave_no_operation: true,
            ..self
        }
    }

    /// Returns the first defect.
    #[must_use]
    pub fn first(&self) -> &Defect {
        &self.first
    }

    /// Returns the defects in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Defect> {
        std::iter::once(&*self.first).chain(&self.others)
    }

    /// Returns the first defect and the number of the others, in one line.
    #[must_use]
    pub fn in_one_line(&self) -> String {
        match self.others.len() {
            0 => self.first.to_string(),
            1 => format!("{}; and 1 more defect", self.first),
            others => format!("{}; and {others} more defects", self.first),
        }
    }
}

impl From<Defect> for Defects {
    fn from(defect: Defect) -> Self {
        Self {
            first: Box::new(defect),
            others: Vec::new(),
            leave_no_operation: false,
        }
    }
}

impl fmt::Display for Defects {
    /// Writes one defect per line, at most twenty, and how many more there are.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.first)?;
        for defect in self.others.iter().take(MAX_LISTED - 1) {
            write!(formatter, "\n{defect}")?;
        }
        match self.others.len().saturating_sub(MAX_LISTED - 1) {
            0 => Ok(()),
            1 => write!(formatter, "\nand 1 more defect"),
            more => write!(formatter, "\nand {more} more defects"),
        }?;
        if self.leave_no_operation && !self.others.is_empty() {
            formatter.write_str(NO_OPERATION_LEFT)?;
        }
        Ok(())
    }
}

impl std::error::Error for Defects {}

/// What is wrong with a contract. Nearly each message ends with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// An alias is inside the node that its anchor names.
    AliasInsideItself,
    /// A reference leads back to itself without reaching anything.
    CircularReference {
        /// The reference as written.
        target: String,
    },
    /// A reference names nothing.
    DanglingReference {
        /// The reference as written.
        target: String,
        /// A defined name that is nearly the same.
        near: Option<String>,
    },
    /// Two operations have the same operationId.
    DuplicateOperation {
        /// The operationId.
        id: String,
        /// The line of the first one.
        first_line: u32,
    },
    /// A name appears twice in one object.
    DuplicateName {
        /// The name.
        name: String,
        /// The line of the first one.
        first_line: u32,
    },
    /// The file is empty.
    Empty,
    /// A member that OpenAPI requires is missing.
    Missing {
        /// The object, in OpenAPI's words.
        object: &'static str,
        /// The member.
        name: &'static str,
    },
    /// The name of an object's member is not a string.
    NameNotText,
    /// The text is not an OpenAPI document.
    NotOpenApi,
    /// A path does not begin with a slash.
    PathWithoutSlash,
    /// A second document follows the first.
    SeveralDocuments,
    /// The text is not valid YAML or JSON.
    Syntax {
        /// JSON where the text begins with a brace, otherwise YAML.
        language: &'static str,
        /// The parser's message.
        message: String,
    },
    /// The alternatives of a schema multiply or nest beyond what may be checked for one value.
    TooManyAlternatives {
        /// The maximum number of alternatives.
        maximum: u64,
    },
    /// The document has more defects than are collected.
    TooManyDefects {
        /// The maximum number of defects.
        maximum: usize,
    },
    /// The schemas of the responses expand to more schemas and fields than are kept.
    TooManyParts {
        /// The maximum number of schemas and fields.
        maximum: usize,
    },
    /// The document nests too deep.
    TooDeep {
        /// The maximum depth.
        maximum: usize,
    },
    /// The document is too large.
    TooLarge {
        /// The maximum size, in bytes.
        maximum: usize,
    },
    /// The document has too many nodes once its aliases are expanded.
    TooManyNodes {
        /// The maximum number of nodes.
        maximum: usize,
    },
    /// A keyword of a schema that OpenAPI and JSON Schema do not define but that differs little from one that they do,
    /// in a version that allows unknown keywords.
    UnknownKeyword {
        /// The keyword as written.
        name: String,
        /// The known keyword that it nearly is.
        near: Box<str>,
    },
    /// A reference names a file that cannot be read.
    UnreadableFile {
        /// The reference as written.
        target: String,
        /// Why.
        reason: String,
    },
    /// A name that nearly matches one that OpenAPI or the vocabulary defines.
    UnknownName {
        /// The object, in OpenAPI's words.
        object: &'static str,
        /// The name as written.
        name: String,
        /// The known name.
        near: Box<str>,
    },
    /// Something that OpenAPI allows and this program does not support.
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
    /// A statement of our own keys (`x-page`, `x-invariants`, `x-gaps`), a link or an action of an overlay that cannot
    /// be read or does not fit the document.
    Vocabulary {
        /// What is wrong and what to do.
        message: String,
    },
    /// A value of a different kind than OpenAPI requires.
    WrongKind {
        /// What OpenAPI requires.
        expected: String,
        /// What the document contains.
        found: String,
    },
}

impl Problem {
    /// Whether an operation can be checked in spite of this: nothing that a response can break is lost.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        let is_prose = |name: &str| matches!(name, "description" | "summary" | "title");
        match self {
            // The second operation is called by its method and path.
            Self::DuplicateOperation { .. } | Self::UnknownKeyword { .. } => true,
            Self::Missing { name, .. } => is_prose(name),
            Self::UnknownName { near, .. } => is_prose(near),
            _ => false,
        }
    }

    /// Writes the message for a reference that leads nowhere.
    fn fmt_reference(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
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
                    "the reference `{target}` names nothing; did you mean `{near}`?"
                )
            }
            Self::DanglingReference { target, near: None } => {
                write!(
                    formatter,
                    "the reference `{target}` names nothing; define it or correct the reference"
                )
            }
            Self::UnreadableFile { target, reason } => {
                write!(
                    formatter,
                    "the reference `{target}` names a file that cannot be read: {reason}; correct the reference or the file"
                )
            }
            _ => Ok(()),
        }
    }

    /// Writes the message for a document that exceeds a limit.
    fn fmt_bound(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyAlternatives { maximum } => write!(
                formatter,
                "this has more than {maximum} alternatives, nested ones included; use fewer `oneOf` and `anyOf` that refer to \
                 each other"
            ),
            Self::TooManyDefects { maximum } => write!(
                formatter,
                "the document has more than {maximum} defects, and the rest are not listed; correct those above and \
                 check again"
            ),
            Self::TooManyParts { maximum } => write!(
                formatter,
                "with this response, the schemas expand to more than {maximum} schemas and fields; check a document with \
                 fewer operations, or fewer schemas that repeat each other through `allOf`"
            ),
            Self::TooDeep { maximum } => write!(formatter, "this nests deeper than {maximum} levels; flatten it"),
            Self::TooLarge { maximum } => write!(
                formatter,
                "this is larger than {} MiB; split it, or remove its indentation",
                maximum >> 20
            ),
            Self::TooManyNodes { maximum } => write!(
                formatter,
                "this has more than {maximum} nodes with its aliases expanded; use fewer aliases"
            ),
            _ => Ok(()),
        }
    }
}

fn write_version(formatter: &mut fmt::Formatter<'_>, found: &str) -> fmt::Result {
    if found == "3.0" {
        return formatter.write_str("the version of OpenAPI has three numbers; write `3.0.3`, in quotes");
    }
    write!(
        formatter,
        "this is OpenAPI `{found}`, but only 3.0.x, 3.1.x and 3.2.x are supported; convert the document to 3.0"
    )
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AliasInsideItself => write!(formatter, "an alias is inside its own anchor; write the value out"),
            Self::CircularReference { .. } | Self::DanglingReference { .. } | Self::UnreadableFile { .. } => {
                self.fmt_reference(formatter)
            }
            Self::DuplicateOperation { id, first_line } => {
                write!(
                    formatter,
                    "the operationId `{id}` is already on line {first_line}; give each operation its own"
                )
            }
            Self::DuplicateName { name, first_line } => {
                write!(
                    formatter,
                    "the name `{name}` is already on line {first_line}; keep one of the two"
                )
            }
            Self::Empty => write!(formatter, "there is nothing in this file; give an OpenAPI document"),
            Self::Missing { object, name } => write!(formatter, "the {object} has no `{name}`; add it"),
            Self::NameNotText => write!(formatter, "the name of a member must be a string; quote it"),
            Self::NotOpenApi => write!(
                formatter,
                "this is not an OpenAPI document; its root must be an object with `openapi: 3.0.x`, `3.1.x` or `3.2.x`"
            ),
            Self::PathWithoutSlash => write!(formatter, "a path begins with a slash; add it"),
            Self::SeveralDocuments => write!(
                formatter,
                "a second YAML document starts here; put each in its own file"
            ),
            Self::Syntax { language, message } => write!(
                formatter,
                "this is not {language}: {message}; correct the syntax here or just above"
            ),
            Self::TooDeep { .. }
            | Self::TooLarge { .. }
            | Self::TooManyAlternatives { .. }
            | Self::TooManyDefects { .. }
            | Self::TooManyNodes { .. }
            | Self::TooManyParts { .. } => self.fmt_bound(formatter),
            Self::UnknownKeyword { name, near } => {
                write!(
                    formatter,
                    "the keyword `{name}` is unknown and has no effect; did you mean `{near}`?"
                )
            }
            Self::UnknownName { object, name, near } => {
                write!(
                    formatter,
                    "`{name}` is not a field of the {object}; did you mean `{near}`?"
                )
            }
            Self::Unsupported { what, fix } => write!(formatter, "{what} is not supported; {fix}"),
            Self::Version { found } => write_version(formatter, found),
            Self::Vocabulary { message } => formatter.write_str(message),
            Self::WrongKind { expected, found } => {
                write!(formatter, "this must be {expected}, not {found}; correct the value")
            }
        }
    }
}
