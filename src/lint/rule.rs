//! The rules of a lint, by name. The main type is [`LintRule`].

use crate::contract::defect::Problem;

/// What kind of thing is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LintRule {
    /// A schema of type `array` without `items`.
    ArrayWithoutItems,
    /// A body under a status that never has one.
    ContentWithoutBody,
    /// Bounds that no value satisfies, or a bound that is itself invalid.
    ContradictingBounds,
    /// A name that appears twice in an object, or two paths that are the same template.
    DuplicateKey,
    /// An operationId that two operations have.
    DuplicateOperationId,
    /// A parameter that is declared twice.
    DuplicateParameter,
    /// An `enum` without a value.
    EmptyEnum,
    /// A `required` without a name.
    EmptyRequired,
    /// A schema that contains itself at the same location.
    EndlessSchema,
    /// A value of an `enum` that is not of the schema's type.
    EnumOfAnotherType,
    /// A `pattern` that is not a regular expression.
    InvalidPattern,
    /// A document, or one of its schemas, that exceeds a limit of the reader, such as size or depth.
    Limit,
    /// A member that OpenAPI requires is missing.
    Missing,
    /// A parameter of the path's template that is not declared.
    MissingPathParameter,
    /// A `.json` file that is not strict JSON.
    NotJson,
    /// A text that is not an OpenAPI 3.0, 3.1 or 3.2 document.
    NotOpenApi,
    /// A path parameter that is not required.
    OptionalPathParameter,
    /// A path that does not begin with a slash.
    PathWithoutSlash,
    /// A reference that leads to nothing, or to something of another kind.
    Reference,
    /// A text that is not YAML or JSON.
    Syntax,
    /// A name that is nearly a known one.
    UnknownName,
    /// Something that OpenAPI allows and that is not supported.
    Unsupported,
    /// A declared path parameter that is not in the template.
    UnusedPathParameter,
    /// One of countersign's own `x-` keys, or a link, that does not fit the rest of the contract.
    Vocabulary,
    /// A value of a type that OpenAPI does not allow there, or one that is not among those that it lists.
    WrongType,
}

impl LintRule {
    /// Every rule, in the order of the names.
    pub const ALL: [Self; 25] = [
        Self::ArrayWithoutItems,
        Self::ContentWithoutBody,
        Self::ContradictingBounds,
        Self::DuplicateKey,
        Self::DuplicateOperationId,
        Self::DuplicateParameter,
        Self::EmptyEnum,
        Self::EmptyRequired,
        Self::EndlessSchema,
        Self::EnumOfAnotherType,
        Self::InvalidPattern,
        Self::Limit,
        Self::Missing,
        Self::MissingPathParameter,
        Self::NotJson,
        Self::NotOpenApi,
        Self::OptionalPathParameter,
        Self::PathWithoutSlash,
        Self::Reference,
        Self::Syntax,
        Self::UnknownName,
        Self::Unsupported,
        Self::UnusedPathParameter,
        Self::Vocabulary,
        Self::WrongType,
    ];

    /// Returns the rule's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ArrayWithoutItems => "array-without-items",
            Self::ContentWithoutBody => "content-without-body",
            Self::ContradictingBounds => "contradicting-bounds",
            Self::DuplicateKey => "duplicate-key",
            Self::DuplicateOperationId => "duplicate-operation-id",
            Self::DuplicateParameter => "duplicate-parameter",
            Self::EmptyEnum => "empty-enum",
            Self::EmptyRequired => "empty-required",
            Self::EndlessSchema => "endless-schema",
            Self::EnumOfAnotherType => "enum-of-another-type",
            Self::InvalidPattern => "invalid-pattern",
            Self::Limit => "limit",
            Self::Missing => "missing",
            Self::MissingPathParameter => "missing-path-parameter",
            Self::NotJson => "not-json",
            Self::NotOpenApi => "not-openapi",
            Self::OptionalPathParameter => "optional-path-parameter",
            Self::PathWithoutSlash => "path-without-slash",
            Self::Reference => "reference",
            Self::Syntax => "syntax",
            Self::UnknownName => "unknown-name",
            Self::Unsupported => "unsupported",
            Self::UnusedPathParameter => "unused-path-parameter",
            Self::Vocabulary => "vocabulary",
            Self::WrongType => "wrong-type",
        }
    }

    /// Returns what the rule reports, in a few words.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::ArrayWithoutItems => "an array does not say what is in it",
            Self::ContentWithoutBody => "a response that never has a body documents one",
            Self::ContradictingBounds => "no value is within the bounds, or a bound is invalid",
            Self::DuplicateKey => "a name appears twice in an object",
            Self::DuplicateOperationId => "two operations have the same operationId",
            Self::DuplicateParameter => "a parameter is declared twice",
            Self::EmptyEnum => "an enum allows no value",
            Self::EmptyRequired => "a list of required names is empty",
            Self::EndlessSchema => "a schema contains itself at the same location",
            Self::EnumOfAnotherType => "a value of an enum is not of the type beside it",
            Self::InvalidPattern => "a pattern is not a regular expression",
            Self::Limit => "the document, or one of its schemas, exceeds a limit of the reader, such as size or depth",
            Self::Missing => "a member that OpenAPI requires is missing",
            Self::MissingPathParameter => "a parameter of the path is not declared",
            Self::NotJson => "a file whose name ends in `.json` is not strict JSON",
            Self::NotOpenApi => "the text is not an OpenAPI 3.0, 3.1 or 3.2 document",
            Self::OptionalPathParameter => "a path parameter is not required",
            Self::PathWithoutSlash => "a path does not begin with a slash",
            Self::Reference => "a reference leads to nothing",
            Self::Syntax => "the text is not YAML or JSON",
            Self::UnknownName => "a name is nearly a known one",
            Self::Unsupported => "something that OpenAPI allows is not supported",
            Self::UnusedPathParameter => "a declared path parameter is not in the path",
            Self::Vocabulary => "a key of countersign, or a link, does not fit the rest of the contract",
            Self::WrongType => {
                "a value has a type that OpenAPI does not allow there, or is not one of those that it lists"
            }
        }
    }

    /// Returns the rule that reports a defect of a contract.
    pub(super) fn of(problem: &Problem) -> Self {
        match problem {
            Problem::AliasInsideItself
            | Problem::Empty
            | Problem::NameNotText
            | Problem::SeveralDocuments
            | Problem::Syntax { .. } => Self::Syntax,
            Problem::CircularReference { .. } | Problem::DanglingReference { .. } | Problem::UnreadableFile { .. } => {
                Self::Reference
            }
            Problem::DuplicateName { .. } => Self::DuplicateKey,
            Problem::DuplicateOperation { .. } => Self::DuplicateOperationId,
            Problem::Missing { .. } => Self::Missing,
            Problem::NotOpenApi | Problem::Version { .. } => Self::NotOpenApi,
            Problem::PathWithoutSlash => Self::PathWithoutSlash,
            Problem::TooDeep { .. }
            | Problem::TooLarge { .. }
            | Problem::TooManyAlternatives { .. }
            | Problem::TooManyDefects { .. }
            | Problem::TooManyNodes { .. }
            | Problem::TooManyParts { .. } => Self::Limit,
            Problem::UnknownKeyword { .. } | Problem::UnknownName { .. } => Self::UnknownName,
            Problem::Unsupported { .. } => Self::Unsupported,
            Problem::Vocabulary { .. } => Self::Vocabulary,
            Problem::WrongKind { .. } => Self::WrongType,
        }
    }
}
