//! The kinds of differences, each with a stable name. The main type is [`Kind`].

use serde::{Serialize, Serializer};

impl Kind {
    /// Returns the kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// Declares the kinds once: variant, name in reports, summary.
macro_rules! kinds {
    ($($variant:ident $name:literal $summary:literal,)*) => {
        /// A kind of difference.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $(#[doc = $summary] $variant,)*
        }

        impl Kind {
            /// Every kind, in the order of names.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns its name in reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns what it says, in one sentence.
            #[must_use]
            pub fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary,)* }
            }
        }
    };
}

kinds! {
    AdditionalProperties "additional-properties" "An object may have properties that are not listed, or no longer may, or their schema is new or gone.",
    Alternatives "alternatives" "The alternatives of a `oneOf` or `anyOf` differ.",
    Answer "answer" "The answers that an overlay states differ.",
    Bounds "bounds" "The bounds of a number differ.",
    Callbacks "callbacks" "A callback of an operation is gone or new, or is sent elsewhere.",
    Default "default" "The value that stands for a missing one differs.",
    Deprecation "deprecation" "Something is deprecated, or no longer is.",
    Discriminator "discriminator" "The discriminator, which tells the alternatives of a schema apart, differs.",
    Encoding "encoding" "The encoding of the parts of a body differs.",
    Enum "enum" "The allowed values differ.",
    Format "format" "The format of a value differs.",
    Gap "gap" "Something that the document leaves open differs.",
    HeaderAdded "header-added" "A response has a new header.",
    HeaderRemoved "header-removed" "A header of a response is gone.",
    HeaderRequired "header-required" "A response always has a header, or no longer does.",
    InvariantGained "invariant-gained" "An invariant over several responses is new.",
    InvariantLost "invariant-lost" "An invariant over several responses is gone.",
    ItemCount "item-count" "The minimum or maximum number of items of an array differs.",
    Keyword "keyword" "Something that is not interpreted differs, or a schema is too large to compare.",
    Length "length" "The minimum or maximum length of a string differs.",
    Link "link" "A link from a response to another operation differs.",
    MediaTypeAdded "media-type-added" "A body may have a further media type.",
    MediaTypeRemoved "media-type-removed" "A media type of a body is gone.",
    MultipleOf "multiple-of" "The `multipleOf` of a number differs.",
    Not "not" "The values that a `not` excludes differ.",
    Nullable "nullable" "A value may be null, or no longer may.",
    OperationAdded "operation-added" "An operation is new.",
    OperationId "operation-id" "The name of an operation differs, and with it the client's method.",
    OperationRemoved "operation-removed" "An operation is gone.",
    ParameterAdded "parameter-added" "An operation has a new parameter.",
    ParameterMoved "parameter-moved" "A parameter goes elsewhere in a request.",
    ParameterRemoved "parameter-removed" "A parameter of an operation is gone.",
    ParameterRenamed "parameter-renamed" "A path parameter has another name, which only the client shows.",
    ParameterRequired "parameter-required" "A parameter is required, or no longer is.",
    ParameterStyle "parameter-style" "The format in which the value of a parameter, a header or a form property is sent differs.",
    Pattern "pattern" "The pattern of a string differs.",
    PropertyAdded "property-added" "An object has a new property.",
    PropertyCount "property-count" "The minimum or maximum number of properties of an object differs.",
    PropertyRemoved "property-removed" "A property of an object is gone.",
    PropertyRequired "property-required" "A property is required, or no longer is.",
    Reference "reference" "A reference cannot be followed.",
    RequestBodyAdded "request-body-added" "A request has a body now.",
    RequestBodyRemoved "request-body-removed" "A request no longer has a body.",
    RequestBodyRequired "request-body-required" "A request body is required, or no longer is.",
    ResponseAdded "response-added" "An operation responds with a further status.",
    ResponseRemoved "response-removed" "An operation no longer documents a status.",
    Security "security" "The authentication that an operation requires differs.",
    SecurityScheme "security-scheme" "The flows of an OAuth scheme differ.",
    Servers "servers" "The URLs of the service differ.",
    Sunset "sunset" "The announced day on which something ends differs.",
    Type "type" "The type of a value differs.",
    UniqueItems "unique-items" "The items of an array must be unique, or no longer must.",
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_are_in_the_order_of_their_names() {
        assert!(Kind::ALL.is_sorted_by_key(|kind| kind.name()));
    }
}
