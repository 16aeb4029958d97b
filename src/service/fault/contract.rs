//! What faults are derived from: `openapi.yaml` with its overlay, read into operations and the locations of their
//! responses. The main types are [`Operation`] and [`ResponseLocation`].
//!
//! This is a second, small reading of the document. It shares no code with the checker's, apart from the overlay, which
//! the build applies, so a mistake in one shows against the other.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::http::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The name used in place of an operation by faults of all operations: the security scheme that they share.
pub(super) const ALL_OPERATIONS: &str = "bearerAuth";

/// One operation of the document.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) method: Method,
    /// The path, with a segment in braces for each parameter.
    pub(super) path: String,
    /// The success status as it is documented: `201`, or `2XX` where the code is not shown.
    pub(super) success: String,
    /// Whether the status of a failed authentication is documented.
    pub(super) documents_401: bool,
    /// The locations of the success's body, from the root down; none where no body is documented.
    pub(super) locations: Vec<ResponseLocation>,
    /// The fields of the request's body and their kinds, including elements of arrays.
    pub(super) fields: Vec<(String, LocationKind)>,
    /// A sample element for each array of the success's body, by the array's JSON pointer, with `*` for any element.
    pub(super) elements: HashMap<String, Value>,
    pub(super) page: Option<PageInvariant>,
    pub(super) created: Option<Created>,
    pub(super) updated: Option<Updated>,
    pub(super) accepts: Vec<Accepts>,
}

impl Operation {
    /// Returns the fields that a create or an update carries; none for other operations.
    pub(super) fn carries(&self) -> &[Carry] {
        let created = self.created.as_ref().map(|created| &created.carries);
        let updated = self.updated.as_ref().map(|updated| &updated.carries);
        created.or(updated).map_or(&[], Vec::as_slice)
    }
}

/// One location of a response.
#[derive(Debug)]
pub(super) struct ResponseLocation {
    /// Its JSON pointer, with `*` for any element.
    pub(super) pattern: String,
    pub(super) kind: LocationKind,
    /// Whether it is a field that the schema requires.
    pub(super) is_required: bool,
    /// Whether the document leaves open if it may be null: it is a resource's field, or inside one.
    pub(super) null_is_open: bool,
}

impl ResponseLocation {
    /// The body, before its schema is read.
    fn body() -> Self {
        Self {
            pattern: String::new(),
            kind: LocationKind::Absent,
            is_required: false,
            null_is_open: false,
        }
    }
}

/// The type that the document states for a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocationKind {
    /// Nothing may be here.
    Absent,
    Array,
    Integer,
    Object(Members),
    String,
}

/// Which members an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Members {
    /// Any members.
    Arbitrary,
    /// The listed ones, and no others.
    Closed,
    /// The listed ones; the document says nothing about others.
    Listed,
}

/// `x-page`: where a list's numbers and items are.
#[derive(Debug, Deserialize)]
pub(super) struct PageInvariant {
    pub(super) page: String,
    pub(super) per_page: String,
    pub(super) total: String,
    pub(super) last_page: String,
    pub(super) items: String,
    /// The pointer of the identifier of an item, within the item.
    pub(super) id: String,
}

impl PageInvariant {
    /// Returns the pattern of an item of the list.
    pub(super) fn item(&self) -> String {
        format!("{}/*", self.items)
    }

    /// Returns the pattern of the identifier of an item.
    pub(super) fn item_id(&self) -> String {
        format!("{}{}", self.item(), self.id)
    }
}

/// `x-invariants`, `created`: what a create promises of its record.
#[derive(Debug, Deserialize)]
pub(super) struct Created {
    /// The pointer of the record in the response's body.
    pub(super) resource: String,
    /// The pointer of its identifier, within the record.
    pub(super) id: String,
    pub(super) listed: Listed,
    pub(super) carries: Vec<Carry>,
}

impl Created {
    /// Returns the pointer of the identifier in the response to the create.
    pub(super) fn response_id(&self) -> String {
        format!("{}{}", self.resource, self.id)
    }
}

/// `x-invariants`, `updated`: what an update promises of its record.
#[derive(Debug, Deserialize)]
pub(super) struct Updated {
    pub(super) listed: Listed,
    pub(super) carries: Vec<Carry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Listed {
    /// The list that shows the record.
    #[serde(rename = "in")]
    pub(super) list: String,
    /// Where the record is in an item, when it is not the item itself.
    #[serde(rename = "at")]
    pub(super) array: Option<String>,
}

impl Listed {
    /// Returns the pattern of the records in the list.
    pub(super) fn records(&self) -> Option<String> {
        let item = operation(&self.list)?.page.as_ref()?.item();
        // Records that belong to another are in an array of it.
        let record = self
            .array
            .as_ref()
            .map_or_else(String::new, |array| format!("{array}/*"));
        Some(item + &record)
    }
}

/// A field that must come back: where it is sent, and where the record shows it (`carries` in `x-invariants`).
#[derive(Debug, Deserialize)]
pub(super) struct Carry {
    pub(super) sent: String,
    #[serde(rename = "kept")]
    pub(super) returned_at: String,
    /// The gap that lets the value come back in another spelling.
    pub(super) gap: Option<String>,
}

/// `x-invariants`, `accepts`: a request field that may have several forms; only its pointer is read.
#[derive(Debug, Deserialize)]
pub(super) struct Accepts {
    pub(super) sent: String,
}

#[derive(Default, Deserialize)]
struct Invariants {
    created: Option<Created>,
    updated: Option<Updated>,
    #[serde(default)]
    accepts: Vec<Accepts>,
}

/// Returns the operations in the order of the document.
pub(super) fn operations() -> &'static [Operation] {
    static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
        let document: Value = serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/contract.json")))
            .expect("the build has read this document and written it as JSON");
        Reader { document: &document }.operations()
    });
    &OPERATIONS
}

/// Returns the operation with this name.
pub(super) fn operation(name: &str) -> Option<&'static Operation> {
    operations().iter().find(|operation| operation.name == name)
}

struct Reader<'read> {
    document: &'read Value,
}

impl Reader<'_> {
    fn operations(&self) -> Vec<Operation> {
        let paths = self.document["paths"].as_object().into_iter().flatten();
        let methods = paths.flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.filter_map(move |(method, operation)| Some((path, method_named(method)?, operation)))
        });
        methods
            .map(|(path, method, operation)| self.operation(path, method, operation))
            .collect()
    }

    fn operation(&self, path: &str, method: Method, operation: &Value) -> Operation {
        let responses = || operation["responses"].as_object().into_iter().flatten();
        let success = responses().find(|(status, _)| status.starts_with('2'));
        let invariants: Invariants = read(&operation["x-invariants"]).unwrap_or_default();
        let mut read_operation = Operation {
            name: operation["operationId"].as_str().unwrap_or_default().to_owned(),
            method,
            path: path.to_owned(),
            success: success.map_or_else(String::new, |(status, _)| status.clone()),
            documents_401: responses().any(|(status, _)| status == "401"),
            locations: Vec::new(),
            fields: Vec::new(),
            elements: HashMap::new(),
            page: read(&operation["x-page"]),
            created: invariants.created,
            updated: invariants.updated,
            accepts: invariants.accepts,
        };
        let schema = success.map(|(_, response)| &response["content"]["application/json"]["schema"]);
        if let Some(schema) = schema.filter(|schema| schema.is_object()) {
            self.locations(schema, ResponseLocation::body(), &mut read_operation);
        }
        let sent = &operation["requestBody"]["content"]["application/json"]["schema"];
        if sent.is_object() {
            self.fields(sent, "", &mut read_operation.fields);
        }
        read_operation
    }

    /// Reads the kind of a location, and the locations below it.
    fn locations(&self, schema: &Value, location: ResponseLocation, operation: &mut Operation) {
        let schema = self.merged(schema);
        let pattern = location.pattern.clone();
        let below = |name: &str, is_required| ResponseLocation {
            pattern: format!("{pattern}/{name}"),
            is_required,
            null_is_open: location.null_is_open || schema.contains_key("x-null"),
            ..ResponseLocation::body()
        };
        operation.locations.push(ResponseLocation {
            kind: kind(&schema),
            ..location
        });
        let is_required = |name: &String| {
            let mut names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            names.any(|required| required == name)
        };
        for (name, property) in members(&schema, "properties") {
            self.locations(property, below(name, is_required(name)), operation);
        }
        if let Some(items) = schema.get("items") {
            operation.elements.insert(pattern.clone(), self.sample(items));
            self.locations(items, below("*", false), operation);
        }
    }

    /// Reads the fields below a location of a request's body.
    fn fields(&self, schema: &Value, pattern: &str, found: &mut Vec<(String, LocationKind)>) {
        let schema = self.merged(schema);
        let items = schema.get("items").map(|items| ("*", items));
        let properties = members(&schema, "properties").map(|(name, property)| (name.as_str(), property));
        for (name, below) in properties.chain(items) {
            let pattern = format!("{pattern}/{name}");
            found.push((pattern.clone(), kind(&self.merged(below))));
            self.fields(below, &pattern, found);
        }
    }

    /// Returns a schema with its reference followed and the parts of its `allOf` merged.
    fn merged(&self, schema: &Value) -> Map<String, Value> {
        let reference = schema["$ref"]
            .as_str()
            .and_then(|reference| reference.strip_prefix('#'));
        let schema = reference
            .and_then(|pointer| self.document.pointer(pointer))
            .unwrap_or(schema);
        let mut merged = schema.as_object().cloned().unwrap_or_default();
        let parts = merged.remove("allOf");
        for part in parts.as_ref().and_then(Value::as_array).into_iter().flatten() {
            for (name, value) in self.merged(part) {
                extend(merged.entry(name).or_insert(Value::Null), value);
            }
        }
        merged
    }

    /// Returns a value that conforms to the schema.
    fn sample(&self, schema: &Value) -> Value {
        let schema = self.merged(schema);
        match kind(&schema) {
            LocationKind::Absent => Value::Null,
            LocationKind::Array => json!([self.sample(&schema["items"])]),
            LocationKind::Integer => json!(1),
            LocationKind::String => json!("synthetic"),
            LocationKind::Object(_) => {
                let members = members(&schema, "properties");
                members
                    .map(|(name, property)| (name.clone(), self.sample(property)))
                    .collect()
            }
        }
    }
}

fn kind(schema: &Map<String, Value>) -> LocationKind {
    let additional = schema.get("additionalProperties").and_then(Value::as_bool);
    match (schema.get("type").and_then(Value::as_str), additional) {
        (None, _) => LocationKind::Absent,
        (Some("array"), _) => LocationKind::Array,
        (Some("integer"), _) => LocationKind::Integer,
        (Some("object"), None) => LocationKind::Object(Members::Listed),
        (Some("object"), Some(false)) => LocationKind::Object(Members::Closed),
        (Some("object"), Some(true)) => LocationKind::Object(Members::Arbitrary),
        (Some(_), _) => LocationKind::String,
    }
}

/// Adds what a part of an `allOf` states to what the parts before it stated.
fn extend(known: &mut Value, more: Value) {
    match (known, more) {
        (Value::Object(known), Value::Object(more)) => known.extend(more),
        (Value::Array(known), Value::Array(more)) => known.extend(more),
        (known, more) => *known = more,
    }
}

fn members<'schema>(
    schema: &'schema Map<String, Value>,
    name: &str,
) -> impl Iterator<Item = (&'schema String, &'schema Value)> + use<'schema> {
    schema.get(name).and_then(Value::as_object).into_iter().flatten()
}

fn method_named(name: &str) -> Option<Method> {
    let known = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    known
        .into_iter()
        .find(|method| method.as_str().eq_ignore_ascii_case(name))
}

fn read<T: for<'de> Deserialize<'de>>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(operation_name: &str, pattern: &str) -> (LocationKind, bool) {
        let operation = operation(operation_name).unwrap();
        let location = operation
            .locations
            .iter()
            .find(|location| location.pattern == pattern)
            .unwrap();
        (location.kind, location.is_required)
    }

    #[test]
    fn every_operation_is_read() {
        let contract = include_str!("../../../openapi.yaml");
        assert_eq!(operations().len(), contract.matches("\n      operationId: ").count());
        assert!(operations().iter().all(|operation| !operation.name.is_empty()));
        assert_eq!(operation("createTag").unwrap().success, "201");
        assert!(operation("updateContact").unwrap().locations.is_empty());
    }

    #[test]
    fn locations_are_read_through_references_and_parts() {
        assert_eq!(
            location("getContacts", ""),
            (LocationKind::Object(Members::Closed), false)
        );
        assert_eq!(
            location("getContacts", "/data/items/*/tags"),
            (LocationKind::Object(Members::Listed), true)
        );
        assert_eq!(
            location("getContacts", "/data/items/*/first_visit/*/venue/*/id"),
            (LocationKind::String, true)
        );
        assert_eq!(
            location("getContacts", "/data/items/*/custom_fields"),
            (LocationKind::Object(Members::Arbitrary), true)
        );
        assert_eq!(
            location("createContact", "/data/custom_fields"),
            (LocationKind::Absent, false)
        );
        assert_eq!(location("createVisit", "/data/id"), (LocationKind::Integer, true));
    }

    #[test]
    fn the_fields_of_requests_are_read_at_every_depth() {
        let fields = &operation("createContactMethod").unwrap().fields;
        let fields: Vec<_> = fields.iter().map(|(pattern, kind)| (pattern.as_str(), *kind)).collect();
        assert_eq!(
            fields,
            [
                ("/type", LocationKind::String),
                ("/contact", LocationKind::String),
                ("/status", LocationKind::String),
                ("/included_channels", LocationKind::Array),
                ("/included_channels/*", LocationKind::String),
            ]
        );
        assert_eq!(operation("updateContact").unwrap().fields.len(), 20);
        assert!(operation("getTags").unwrap().fields.is_empty());
    }

    #[test]
    fn null_is_open_in_resources_and_not_around_them() {
        for (name, around) in [
            (
                "getContacts",
                &[
                    "", "/data", "/data/per_page", "/data/page", "/data/total", "/data/last_page", "/data/items",
                    "/data/items/*",
                ][..],
            ),
            ("createContact", &["", "/message", "/data"]),
            ("createTag", &["", "/message", "/data"]),
        ] {
            let locations = operation(name).unwrap().locations.iter();
            let stated = locations
                .filter(|location| !location.null_is_open)
                .map(|location| location.pattern.as_str());
            assert_eq!(stated.collect::<Vec<_>>(), around, "{name}");
        }
    }

    #[test]
    fn an_array_has_an_element_to_show() {
        let elements = &operation("createContact").unwrap().elements;
        let venue = json!([{"id": "synthetic", "name": "synthetic"}]);
        assert_eq!(
            elements["/data/first_visit"],
            json!({"datetime": "synthetic", "venue": venue})
        );
    }

    #[test]
    fn invariants_are_read() {
        let created = operation("createContactMethod").unwrap().created.as_ref().unwrap();
        assert_eq!(
            (created.listed.list.as_str(), created.listed.array.as_deref()),
            ("getContacts", Some("/contact_methods"))
        );
        assert_eq!(created.carries.len(), 3);
        assert_eq!(
            operation("getTags").unwrap().page.as_ref().unwrap().items,
            "/data/items"
        );
    }
}
