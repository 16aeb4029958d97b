//! Finds the strings of a request whose length only other schemas of the same record limit. The main type is
//! [`LengthLimits`].
//!
//! # Design
//!
//! A service that accepts in an update what its own responses may not contain can no longer show the record, nor any
//! list that has it. If the schema of a create says `maxLength` for `name`, and that of the update does not, a longer
//! `name` in an update may be such a value. A field whose own schema has `maxLength` is another matter: the document
//! says that a longer value is rejected.

use std::collections::{HashMap, HashSet};

use super::Contract;
use super::document::{Document, Node};
use super::edge_case;
use super::inferred::comparable_path;
use super::load::{is_json, resolve};
use super::operation::{Operation, OperationId};
use super::pointer;

/// The depth to which schemas are followed.
const DEPTH: usize = 12;
/// The maximum number of schemas that are read of one body: a document with more is built to take time.
const MAX_SCHEMAS: usize = 2_000;
/// The maximum number of schemas that are read for the limits of one body's fields, for the same reason.
const MAX_SCHEMAS_OF_FIELDS: usize = 20_000;
/// The keywords that combine schemas.
const COMBINING: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// How long the strings of an operation's body may be, where only other schemas of the same record say so.
#[derive(Debug, Default)]
pub(crate) struct LengthLimits {
    /// The pointers of the fields whose own schema limits their length.
    stated: HashSet<String>,
    /// The smallest `maxLength` of each field in any create, update or response, by its name.
    elsewhere: HashMap<String, u64>,
}

impl LengthLimits {
    /// Whether a string of this many characters may be sent at this location of the body.
    pub(crate) fn admit(&self, at: &str, characters: usize) -> bool {
        let at = pointer::with_any_elements(at);
        let limit = name_of(&at).and_then(|name| self.elsewhere.get(&name));
        let is_within = |limit: &u64| u64::try_from(characters).is_ok_and(|characters| characters <= *limit);
        self.stated.contains(&at) || limit.is_none_or(is_within)
    }
}

impl Contract {
    /// Returns the limits within which an edge case of an operation must stay: none if the contract lists the edge
    /// cases that the operation must withstand.
    pub(crate) fn length_limits_of_edge_cases(&self, id: OperationId) -> LengthLimits {
        let operation = self.operation(id);
        let lists_edge_cases = edge_case::location(&self.document, &operation.pointer) != operation.pointer;
        if lists_edge_cases {
            return LengthLimits::default();
        }
        self.length_limits(id)
    }

    /// Returns the limits of the strings in an operation's body that other schemas of the same record state: those of
    /// its creates, its updates and its responses.
    pub(crate) fn length_limits(&self, operation: OperationId) -> LengthLimits {
        let mut limits = LengthLimits {
            stated: stated(&self.document, self.operation(operation)),
            ..LengthLimits::default()
        };
        for other in self.of_the_same_record(operation) {
            for schema in schemas(&self.document, self.operation(other)) {
                let mut left = MAX_SCHEMAS_OF_FIELDS;
                for (at, schema) in fields(&self.document, &schema) {
                    let limit = max_length(&self.document, &schema, (0, &mut left));
                    if let Some((name, limit)) = name_of(&at).zip(limit) {
                        let least = limits.elsewhere.entry(name).or_insert(limit);
                        *least = limit.min(*least);
                    }
                }
            }
        }
        limits
    }

    /// Returns the operations that create, update, read, list or delete the records of an operation, this one included.
    pub(crate) fn of_the_same_record(&self, id: OperationId) -> HashSet<OperationId> {
        let collection = collection(self.operation(id));
        let item = format!("{collection}/{{}}");
        let is_of_collection = |other: &Operation| {
            let path = comparable_path(&other.path);
            let is_search = other.is_query() && path.rsplit_once('/').is_some_and(|(above, _)| above == collection);
            path == collection || path == item || is_search
        };
        let by_path = self.operation_ids().filter(|id| is_of_collection(self.operation(*id)));
        let creates = self.links_to(id).map(|link| link.from).chain([id]);
        let creates = creates.filter(|id| self.operation(*id).creates());
        let reads = creates
            .clone()
            .filter_map(|id| self.link_to_read(id).map(|link| link.to));
        by_path.chain(reads).chain([id]).collect()
    }
}

/// Returns the path of the collection whose records an operation creates or updates, with `{}` for each parameter.
fn collection(operation: &Operation) -> String {
    let path = comparable_path(operation.collection_path());
    let before = path.rsplit_once("/{}").filter(|_| !operation.creates());
    before.map_or(path.as_str(), |(before, _)| before).to_owned()
}

/// Returns the schemas of an operation's body and of its successes.
fn schemas(document: &Document, operation: &Operation) -> Vec<String> {
    let request = operation
        .request_body
        .as_ref()
        .and_then(|request| request.schema.clone());
    let responses = operation.successes().flat_map(|response| {
        let content = pointer::join(&resolve(document, response.pointer.clone()), "content");
        let media = document.members_at(&content);
        let json = media.iter().filter(|media| is_json(&media.name));
        let schemas = json.map(move |json| pointer::join(&pointer::join(&content, &json.name), "schema"));
        schemas.collect::<Vec<_>>()
    });
    request.into_iter().chain(responses).collect()
}

/// Returns the pointers of the fields of an operation's body whose own schemas all limit their length.
fn stated(document: &Document, operation: &Operation) -> HashSet<String> {
    let schema = operation
        .request_body
        .as_ref()
        .and_then(|request| request.schema.as_deref());
    let mut by_pointer: HashMap<String, bool> = HashMap::new();
    let mut left = MAX_SCHEMAS_OF_FIELDS;
    for (at, schema) in schema.map_or_else(Vec::new, |schema| fields(document, schema)) {
        let is_limited = limits_length(document, &schema, (0, &mut left));
        by_pointer
            .entry(at)
            .and_modify(|all| *all &= is_limited)
            .or_insert(is_limited);
    }
    let stated = by_pointer.into_iter().filter(|(_, is_limited)| *is_limited);
    stated.map(|(at, _)| at).collect()
}

/// Returns the pointers of the fields and elements below a schema, each with the location of its own schema.
fn fields(document: &Document, schema: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = MAX_SCHEMAS;
    collect(document, (schema, ""), (0, &mut left), &mut found);
    found
}

fn collect(
    document: &Document,
    (schema, at): (&str, &str),
    (depth, left): (usize, &mut usize),
    found: &mut Vec<(String, String)>,
) {
    let schema = resolve(document, schema.to_owned());
    let Some(node) = document.node(&schema).filter(|_| depth < DEPTH && *left > 0) else {
        return;
    };
    *left -= 1;
    for keyword in COMBINING {
        for part in node.locations_in(&schema, keyword) {
            collect(document, (&part, at), (depth + 1, left), found);
        }
    }
    let properties = pointer::join(&schema, "properties");
    for property in node.members_of("properties") {
        let field = (
            pointer::join(at, &property.name),
            pointer::join(&properties, &property.name),
        );
        collect(document, (&field.1, &field.0), (depth + 1, left), found);
        found.push(field);
    }
    for keyword in ["items", "additionalProperties"] {
        if node.member(keyword).is_some() {
            let element = (pointer::join(at, "*"), pointer::join(&schema, keyword));
            collect(document, (&element.1, &element.0), (depth + 1, left), found);
            found.push(element);
        }
    }
}

/// Returns the smallest `maxLength` in a schema and in its parts.
fn max_length(document: &Document, schema: &str, (depth, left): (usize, &mut usize)) -> Option<u64> {
    if depth >= DEPTH || *left == 0 {
        return None;
    }
    *left -= 1;
    let schema = resolve(document, schema.to_owned());
    let node = document.node(&schema)?;
    let own = node.member("maxLength").map(Node::to_value);
    let own = own.and_then(|limit| limit.as_u64());
    let parts = COMBINING.iter().flat_map(|keyword| node.locations_in(&schema, keyword));
    let of_parts = parts.filter_map(|part| max_length(document, &part, (depth + 1, left)));
    own.into_iter().chain(of_parts).min()
}

/// Whether a schema limits the length of the strings that it admits.
fn limits_length(document: &Document, schema: &str, (depth, left): (usize, &mut usize)) -> bool {
    if depth >= DEPTH || *left == 0 {
        return false;
    }
    *left -= 1;
    let schema = resolve(document, schema.to_owned());
    let Some(node) = document.node(&schema) else {
        return false;
    };
    let kind = node.text_of("type");
    if kind.is_some_and(|kind| kind != "string") || node.member("maxLength").is_some() {
        return true;
    }
    let mut is_limited = |part: String| limits_length(document, &part, (depth + 1, left));
    let of_alternatives = ["anyOf", "oneOf"]
        .into_iter()
        .filter(|keyword| node.member(keyword).is_some());
    node.locations_in(&schema, "allOf").any(&mut is_limited)
        || of_alternatives
            .into_iter()
            .any(|keyword| node.locations_in(&schema, keyword).all(&mut is_limited))
}

/// Returns the name of the field at a pointer, or of the one that contains the element there.
fn name_of(at: &str) -> Option<String> {
    pointer::tokens(at).filter(|token| token != "*").last()
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::testing::of_paths;

    /// A contract whose tags are created, updated, read and listed with these schemas of their name.
    fn tags(created: &str, updated: &str, shown: &str) -> Contract {
        let body = |name: &str, id: &str| {
            format!("content: {{application/json: {{schema: {{type: object, properties: {{{id}name: {name}}}}}}}}}")
        };
        let shown = format!("{{description: OK, {}}}", body(shown, "id: {type: string}, "));
        let paths = format!(
            "/tags:\n  post: {{operationId: addTag, requestBody: {{{}}}, responses: {{'200': {shown}}}}}\n\
             /tags/{{id}}:\n  parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]\n  \
             get: {{operationId: getTag, responses: {{'200': {shown}}}}}\n  \
             put: {{operationId: putTag, requestBody: {{{}}}, responses: {{'204': {{description: OK}}}}}}",
            body(created, ""),
            body(updated, "")
        );
        of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"))
    }

    fn admits(contract: &Contract, operation: &str, characters: usize) -> bool {
        let operation = contract.operation_named(operation).unwrap();
        contract
            .length_limits_of_edge_cases(operation)
            .admit("/name", characters)
    }

    const TEXT: &str = "{type: string}";
    const LIMITED: &str = "{type: string, maxLength: 255}";

    #[test]
    fn what_only_another_schema_of_the_record_limits_is_not_exceeded() {
        let other = "{anyOf: [{type: string, maxLength: 255}, {type: integer}]}";
        for (created, updated, shown) in [
            (LIMITED, TEXT, TEXT),
            (TEXT, TEXT, LIMITED),
            (TEXT, TEXT, other),
            (
                LIMITED,
                "{anyOf: [{type: string}, {type: string, maxLength: 255}]}",
                TEXT,
            ),
        ] {
            let contract = tags(created, updated, shown);
            assert!(!admits(&contract, "putTag", 256), "{created} {updated} {shown}");
            assert!(admits(&contract, "putTag", 255), "{created} {updated} {shown}");
        }
        assert!(!admits(&tags(TEXT, TEXT, LIMITED), "addTag", 256));
        assert!(!admits(&tags(TEXT, LIMITED, TEXT), "addTag", 256));
    }

    #[test]
    fn what_nothing_limits_or_its_own_schema_does_may_be_exceeded() {
        for (created, updated, shown) in [
            (TEXT, TEXT, TEXT),
            (LIMITED, LIMITED, LIMITED),
            (TEXT, LIMITED, "{type: string, maxLength: 9}"),
            (TEXT, "{allOf: [{type: string}, {maxLength: 255}]}", LIMITED),
            (
                TEXT,
                "{anyOf: [{type: string, maxLength: 255}, {type: integer}]}",
                LIMITED,
            ),
        ] {
            let contract = tags(created, updated, shown);
            assert!(admits(&contract, "putTag", 10_000), "{created} {updated} {shown}");
        }
        assert!(admits(&tags(LIMITED, TEXT, TEXT), "addTag", 10_000));
    }

    #[test]
    fn a_contract_that_lists_its_edge_cases_is_taken_at_its_word() {
        let text = format!(
            "x-edge-cases: [text-long]\n{}",
            tags(LIMITED, TEXT, LIMITED).document.text()
        );
        let contract = Contract::read("tags.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        assert!(admits(&contract, "putTag", 10_000));
    }

    #[test]
    fn an_element_has_the_limit_of_its_array() {
        let labels = |element: &str| format!("{{type: array, items: {element}}}");
        let contract = tags(TEXT, &labels(TEXT), &labels(LIMITED));
        let operation = contract.operation_named("putTag").unwrap();
        let limits = contract.length_limits(operation);
        assert!(!limits.admit("/name/3", 256) && limits.admit("/name/3", 255) && limits.admit("/title", 256));
    }

    #[test]
    fn alternatives_that_contain_themselves_are_read_at_bounded_cost() {
        let itself = "{$ref: '#/paths/~1tags~1{id}/put/requestBody/content/application~1json/schema/properties/name'}";
        let contract = tags(TEXT, &format!("{{anyOf: [{}]}}", [itself; 3].join(", ")), TEXT);
        let work = crate::testing::work::of(|| {
            assert!(admits(&contract, "putTag", 10_000));
        });
        assert!(work < 2_000_000, "{work}");
    }
}
