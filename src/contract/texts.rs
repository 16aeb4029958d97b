//! Returns what a document says about an operation in words: in its own texts, and in those of the parts around it.

use super::document::{Document, Node};
use super::field::{alternatives, is_flagged, required_fields, with_all_of};
use super::operation::{Method, Operation};
use super::{load, pointer};

/// Returns the summary and the description of an operation, if it has them.
pub(super) fn summary_and_description<'document>(
    document: &'document Document,
    operation: &Operation,
) -> impl Iterator<Item = &'document str> {
    let keys = ["summary", "description"].into_iter();
    keys.filter_map(|key| stated(document, operation, key))
}

/// Returns a text that the operation itself has: its `summary`, `description` or `operationId`.
pub(super) fn stated<'document>(
    document: &'document Document,
    operation: &Operation,
    key: &str,
) -> Option<&'document str> {
    document.node(&pointer::join(&operation.pointer, key))?.string()
}

/// Returns what is said about the path of an operation, its tags and its further documentation. It may be about other
/// operations too.
pub(super) fn said_around<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    let mut said = said_about_path(document, operation);
    let of_operation = |key: &str| document.node(&pointer::join(&operation.pointer, key));
    let tags = of_operation("tags").map_or(&[][..], Node::elements).iter();
    let tags: Vec<_> = tags.filter_map(Node::string).collect();
    let declared = document.node("/tags").map_or(&[][..], Node::elements).iter();
    let is_of_operation = |tag: &&Node| {
        let name = tag.member("name").and_then(Node::string);
        name.is_some_and(|name| tags.contains(&name))
    };
    let documented = declared.filter(is_of_operation).chain(of_operation("externalDocs"));
    said.extend(documented.filter_map(|node| node.member("description")?.string()));
    said
}

/// Returns what is said about the path of an operation alone.
pub(super) fn said_about_path<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    said_at(document, &path_item(document, operation))
}

/// Whether the path of an operation has no other operation, so that what is said about the path is about this one.
pub(super) fn is_alone_at_its_path(document: &Document, operation: &Operation) -> bool {
    let members = document.node(&path_item(document, operation));
    let members = members.map_or(&[][..], Node::members).iter();
    let methods = members.filter(|member| Method::KEYS.contains(&member.name.as_ref()));
    methods.count() == 1
}

/// Returns what is said about the request body and the successes of an operation.
pub(super) fn said_about_body_and_successes<'document>(
    document: &'document Document,
    operation: &Operation,
) -> Vec<&'document str> {
    let body = pointer::join(&operation.pointer, "requestBody");
    let successes = operation.successes().map(|success| success.pointer.clone());
    let places = std::iter::once(body).chain(successes);
    places
        .flat_map(|place| said_at(document, &load::resolve(document, place)))
        .collect()
}

/// Returns what is said about the path, the tags, the body, its required fields, the success, the scopes and the
/// further documentation of an operation.
pub(super) fn said_about_parts<'document>(
    document: &'document Document,
    operation: &Operation,
) -> impl Iterator<Item = &'document str> {
    let required = required_fields(document, operation).into_iter();
    let required = required.filter_map(|(_, schema)| Some(load::resolve(document, schema?)));
    let of_required = required.flat_map(|place| said_at(document, &place));
    said_around(document, operation)
        .into_iter()
        .chain(of_required)
        .chain(said_about_wholes(document, operation))
        .chain(scopes(document, operation))
}

/// Returns what is said about the request body and the successes of an operation, and about their schemas.
pub(super) fn said_about_wholes<'document>(
    document: &'document Document,
    operation: &Operation,
) -> Vec<&'document str> {
    let below = |pointer: &str, key: &str| pointer::join(pointer, key);
    let body = operation.request_body.as_ref().and_then(|body| body.schema.clone());
    let mut schemas: Vec<_> = body.into_iter().collect();
    for success in operation.successes() {
        let content = pointer::join(&load::resolve(document, success.pointer.clone()), "content");
        let media_types = document.node(&content).map_or(&[][..], Node::members).iter();
        schemas.extend(media_types.map(|media_type| below(&below(&content, &media_type.name), "schema")));
    }
    let schemas = schemas.into_iter().flat_map(|schema| with_all_of(document, schema));
    let of_schemas = schemas.flat_map(|(place, _)| said_at(document, &place));
    said_about_body_and_successes(document, operation)
        .into_iter()
        .chain(of_schemas)
        .collect()
}

/// How deep the schemas of a body are read, and how many of them.
const SCHEMA_DEPTH: usize = 4;
const MAX_SCHEMAS: usize = 500;

/// Returns the titles and descriptions of the schemas of an operation's body and of their fields, and of the schemas of
/// its successes, what the callbacks say, and what the document says of the scopes that it requires. A boolean and an
/// `enum` are left out, because what is said of them holds for one of their values.
pub(super) fn said_in_schemas_and_scopes<'document>(
    document: &'document Document,
    operation: &Operation,
) -> impl Iterator<Item = &'document str> {
    let sent = schemas_sent(document, operation).into_iter().map(|(_, node)| node);
    let successes = schemas_of_successes(document, operation).into_iter();
    let successes = successes.flat_map(|schema| with_all_of(document, schema));
    let of_callbacks = callbacks(document, operation);
    let keys = ["title", "summary", "description"];
    let said = sent.chain(successes.map(|(_, node)| node)).chain(of_callbacks);
    said.flat_map(move |node| keys.into_iter().filter_map(|key| node.member(key)?.string()))
        .chain(said_about_scopes(document, operation))
}

/// Returns the schemas of what an operation takes that say what happens: see [`is_chosen`].
fn schemas_sent<'document>(document: &'document Document, operation: &Operation) -> Vec<(String, &'document Node)> {
    let mut found = Vec::new();
    if let Some(schema) = operation.request_body.as_ref().and_then(|body| body.schema.clone()) {
        collect_schemas(document, schema, (SCHEMA_DEPTH, &|_, node| is_chosen(node)), &mut found);
    }
    found
}

/// Returns the schemas of the bodies of an operation's successes.
fn schemas_of_successes(document: &Document, operation: &Operation) -> Vec<String> {
    let successes = operation.successes().map(|success| success.pointer.clone());
    let contents = successes.map(|success| pointer::join(&load::resolve(document, success), "content"));
    let media_types = contents.flat_map(|content| members(document, &content));
    media_types
        .map(|media_type| pointer::join(&media_type, "schema"))
        .collect()
}

/// Returns the locations of the members of an object.
fn members(document: &Document, at: &str) -> Vec<String> {
    let members = document.node(at).map_or(&[][..], Node::members).iter();
    members.map(|member| pointer::join(at, &member.name)).collect()
}

/// Whether what is said of a schema holds for one of its values, or the schema is of nothing that is sent.
fn is_chosen(node: &Node) -> bool {
    is_boolean(node) || node.member("enum").is_some() || is_flagged(node, "readOnly")
}

fn is_boolean(node: &Node) -> bool {
    node.member("type").and_then(Node::string) == Some("boolean")
}

/// Returns what is said beside the body and the success of an operation: about the fields of what it returns, the
/// headers of its responses, its rejections, its parameters, and in the summaries of examples.
pub(super) fn said_beside<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    let resolved = |at: String| load::resolve(document, at);
    let responses = operation
        .responses
        .iter()
        .map(|response| resolved(response.pointer.clone()));
    let responses: Vec<_> = responses.collect();
    let below = |at: &String, key: &str| members(document, &pointer::join(at, key));
    let headers = responses.iter().flat_map(|response| below(response, "headers"));
    let body = resolved(pointer::join(&operation.pointer, "requestBody"));
    let contents = responses.iter().chain([&body]);
    let media_types = contents.flat_map(|at| below(at, "content"));
    let examples = media_types.flat_map(|media_type| below(&media_type, "examples"));
    let parameters = operation.parameters.iter().filter(|parameter| {
        let schema = parameter.schema.as_deref().and_then(|schema| document.node(schema));
        !schema.is_some_and(is_chosen)
    });
    let parameters = parameters.map(|parameter| parameter.pointer.clone());
    let places = headers.chain(examples).chain(parameters).map(resolved);
    let mut said: Vec<_> = places
        .chain(responses.clone())
        .flat_map(|at| said_at(document, &at))
        .collect();
    said.extend(said_about_returned_fields(document, operation));
    said
}

/// Returns what is said about the fields of what an operation returns. A boolean that it takes too is left out.
fn said_about_returned_fields<'document>(
    document: &'document Document,
    operation: &Operation,
) -> impl Iterator<Item = &'document str> {
    let mut sent = Vec::new();
    if let Some(schema) = operation.request_body.as_ref().and_then(|body| body.schema.clone()) {
        collect_schemas(document, schema, (SCHEMA_DEPTH, &|_, _| false), &mut sent);
    }
    let is_left_out = |at: &str, node: &Node| {
        let name = pointer::last(at);
        let is_sent = || sent.iter().any(|(sent, _)| pointer::last(sent) == name);
        node.member("enum").is_some() || is_boolean(node) && is_sent()
    };
    let mut returned = Vec::new();
    for schema in schemas_of_successes(document, operation) {
        collect_schemas(document, schema, (SCHEMA_DEPTH, &is_left_out), &mut returned);
    }
    returned
        .into_iter()
        .filter_map(|(_, node)| node.member("description")?.string())
}

/// Whether a schema is left out, by its location and its node.
type IsLeftOut<'of> = dyn Fn(&str, &Node) -> bool + 'of;

/// Collects a schema, its parts and its fields, at any depth up to this one, without those that `is_left_out` names.
fn collect_schemas<'document>(
    document: &'document Document,
    schema: String,
    (depth, is_left_out): (usize, &IsLeftOut<'_>),
    found: &mut Vec<(String, &'document Node)>,
) {
    // What stands beside a reference (OpenAPI 3.1) is about this place alone.
    let beside = document.node(&schema).filter(|node| node.member("$ref").is_some());
    found.extend(beside.map(|node| (schema.clone(), node)));
    for (at, node) in with_all_of(document, schema) {
        if is_left_out(&at, node) || found.len() >= MAX_SCHEMAS {
            continue;
        }
        found.push((at.clone(), node));
        if depth == 0 {
            continue;
        }
        let properties = pointer::join(&at, "properties");
        let members = node.member("properties").map_or(&[][..], Node::members).iter();
        let fields = members.map(|member| pointer::join(&properties, &member.name));
        let items = node.member("items").map(|_| pointer::join(&at, "items"));
        for below in fields.chain(items).chain(alternatives(&at, node)) {
            collect_schemas(document, below, (depth - 1, is_left_out), found);
        }
    }
}

/// Returns the requests that an operation's callbacks describe, and the paths that they are sent to.
fn callbacks<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document Node> {
    let callbacks = pointer::join(&operation.pointer, "callbacks");
    let below = |at: &str| -> Vec<String> {
        let at = load::resolve(document, at.to_owned());
        let members = document.node(&at).map_or(&[][..], Node::members).iter();
        members.map(|member| pointer::join(&at, &member.name)).collect()
    };
    let paths = below(&callbacks).into_iter().flat_map(|callback| below(&callback));
    let paths: Vec<_> = paths.collect();
    let methods = |path: &String| {
        below(path)
            .into_iter()
            .filter(|at| Method::KEYS.iter().any(|key| at.ends_with(&format!("/{key}"))))
    };
    let requests: Vec<_> = paths.iter().flat_map(methods).collect();
    let at = paths.into_iter().chain(requests);
    at.filter_map(|at| document.node(&load::resolve(document, at)))
        .collect()
}

/// Returns the descriptions of the scopes that a caller of an operation needs.
fn said_about_scopes<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    let schemes = document.node("/components/securitySchemes");
    let schemes = schemes.map_or(&[][..], Node::members).iter();
    let flows = schemes.filter_map(|scheme| scheme.node.member("flows"));
    let declared: Vec<_> = flows
        .flat_map(Node::members)
        .filter_map(|flow| flow.node.member("scopes"))
        .collect();
    let required = scopes(document, operation).into_iter();
    required
        .flat_map(|scope| declared.iter().filter_map(move |scopes| scopes.member(scope)?.string()))
        .collect()
}

/// Returns the scopes that a caller of an operation needs.
pub(super) fn scopes<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    let security = document.node(&pointer::join(&operation.pointer, "security"));
    let security = security.or_else(|| document.node("/security"));
    let ways = security.map_or(&[][..], Node::elements).iter().flat_map(Node::members);
    ways.flat_map(|scheme| scheme.node.elements())
        .filter_map(Node::string)
        .collect()
}

/// Whether a text about an operation or its success says that the response is a stream, or comes only once something
/// has happened: "Receive notifications from the HTTP stream", "Long polling".
pub(super) fn says_it_streams(document: &Document, operation: &Operation) -> bool {
    const SAYS: [&str; 6] = [
        "event stream",
        "event-stream",
        "http stream",
        "long poll",
        "long-poll",
        "server-sent",
    ];
    let said = summary_and_description(document, operation).chain(said_about_body_and_successes(document, operation));
    let mut said = said.map(str::to_lowercase);
    said.any(|text| {
        let begins = ["stream ", "streams "].iter().any(|verb| text.starts_with(verb));
        begins || SAYS.iter().any(|said| text.contains(said))
    })
}

fn path_item(document: &Document, operation: &Operation) -> String {
    load::resolve(document, operation.path_item_pointer().to_owned())
}

fn said_at<'document>(document: &'document Document, at: &str) -> Vec<&'document str> {
    let keys = ["summary", "description"].into_iter();
    keys.filter_map(|key| document.node(at)?.member(key)?.string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    #[test]
    fn a_text_may_say_that_a_response_is_a_stream() {
        let streams = |summary: &str, of_success: &str| {
            let paths = format!(
                "/notes:\n  get: {{summary: '{summary}', responses: {{'200': {{description: '{of_success}'}}}}}}\n"
            );
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            says_it_streams(&contract.document, &contract.operations[0])
        };
        assert!(streams("Receive notifications from the HTTP stream", "Notifications"));
        assert!(streams("Stream the log", "Lines"));
        assert!(streams("Notifications", "An event stream."));
        assert!(!streams("List the streams of a channel", "Streams"));
    }
}
