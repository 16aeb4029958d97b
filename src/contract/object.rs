//! Tells which kind of OpenAPI object (3.0 to 3.2) each location of a document holds, from the root down. The main type
//! is [`Object`].

use super::operation::Method;

/// A kind of OpenAPI object that may be a reference, or that may contain references or schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Object {
    Callback,
    Components,
    Encoding,
    Example,
    Header,
    Link,
    MediaType,
    OpenApi,
    Operation,
    Parameter,
    PathItem,
    Paths,
    RequestBody,
    Response,
    Responses,
    Schema,
    SecurityScheme,
}

/// What a member holds: one object of a kind, a list of them, or a map of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberContent {
    List(Object),
    Map(Object),
    One(Object),
}

impl Object {
    /// The kinds that have a section under `components` here: see [`Self::section`].
    pub(super) const NAMED: [Self; 7] = [
        Self::Header,
        Self::Link,
        Self::Parameter,
        Self::RequestBody,
        Self::Response,
        Self::Schema,
        Self::SecurityScheme,
    ];

    /// Returns the section of `components` into which `bundle` copies an object of this kind. `None` if the object
    /// replaces the reference to it instead.
    pub(super) fn section(self) -> Option<&'static str> {
        match self {
            Self::Header => Some("headers"),
            Self::Link => Some("links"),
            Self::Parameter => Some("parameters"),
            Self::RequestBody => Some("requestBodies"),
            Self::Response => Some("responses"),
            Self::Schema => Some("schemas"),
            Self::SecurityScheme => Some("securitySchemes"),
            _ => None,
        }
    }

    /// Returns what the member with this name holds; `None` if it holds none of these kinds.
    pub(super) fn member(self, name: &str) -> Option<MemberContent> {
        use MemberContent::{List, Map, One};
        let held = match (self, name) {
            (Self::Callback | Self::Paths, _) if !name.starts_with("x-") => One(Self::PathItem),
            (Self::OpenApi, "components") => One(Self::Components),
            (Self::OpenApi, "paths") => One(Self::Paths),
            (Self::OpenApi, "webhooks") | (Self::Components, "pathItems") => Map(Self::PathItem),
            (Self::Components | Self::Operation, "callbacks") => Map(Self::Callback),
            (Self::Components | Self::MediaType | Self::Parameter | Self::Header, "examples") => Map(Self::Example),
            (Self::Components | Self::Response | Self::Encoding, "headers") => Map(Self::Header),
            (Self::Components | Self::Response, "links") => Map(Self::Link),
            (Self::Components, "parameters") => Map(Self::Parameter),
            (Self::PathItem | Self::Operation, "parameters") => List(Self::Parameter),
            (Self::Components, "requestBodies") => Map(Self::RequestBody),
            (Self::Operation, "responses") => One(Self::Responses),
            (Self::Responses, _) if !name.starts_with("x-") => One(Self::Response),
            (Self::Components, "responses") => Map(Self::Response),
            (Self::Components, "schemas") | (Self::OpenApi, "$defs") => Map(Self::Schema),
            (Self::Components, "securitySchemes") => Map(Self::SecurityScheme),
            (Self::PathItem, "additionalOperations") => Map(Self::Operation),
            (Self::PathItem, "query") => One(Self::Operation),
            (Self::PathItem, _) if Method::from_key(name).is_some() => One(Self::Operation),
            (Self::Operation, "requestBody") => One(Self::RequestBody),
            (Self::Parameter | Self::Header | Self::RequestBody | Self::Response, "content")
            | (Self::Components, "mediaTypes") => Map(Self::MediaType),
            (Self::Parameter | Self::Header | Self::MediaType, "schema") | (Self::MediaType, "itemSchema") => {
                One(Self::Schema)
            }
            (Self::MediaType, "encoding") => Map(Self::Encoding),
            (Self::Schema, "allOf" | "anyOf" | "oneOf" | "prefixItems") => List(Self::Schema),
            (Self::Schema, "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties") => {
                Map(Self::Schema)
            }
            (
                Self::Schema,
                "additionalProperties"
                | "contains"
                | "contentSchema"
                | "else"
                | "if"
                | "items"
                | "not"
                | "propertyNames"
                | "then"
                | "unevaluatedItems"
                | "unevaluatedProperties",
            ) => One(Self::Schema),
            _ => return None,
        };
        Some(held)
    }
}

impl MemberContent {
    /// Returns what the member with this name holds; `None` if it holds none of these kinds.
    pub(super) fn below(self, name: &str) -> Option<Self> {
        match self {
            Self::List(_) => None,
            Self::Map(object) => Some(Self::One(object)),
            Self::One(object) => object.member(name),
        }
    }
}
