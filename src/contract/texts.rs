//! Returns what a document says in words about an operation, by what each text is said of ([`About`]), and about a
//! parameter. A rule that looks for a sentence takes its texts from here, and says why it reads fewer than all.

use super::Contract;
use super::document::{Document, Node};
use super::field::{alternatives, is_flagged, required_fields, with_all_of};
use super::lexicon::whole_sentences;
use super::operation::{Method, Operation, Parameter};
use super::{load, pointer};

/// What a text that concerns an operation is said of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The operation itself: its summary and its description.
    Operation,
    /// Its path. Unless it is alone there, the text may be about other operations.
    Path,
    /// Its tags and its further documentation, which may be about other operations too.
    Tags,
    /// Its request body and its successes.
    Parts,
    /// The schemas of these as a whole, without their fields.
    Whole,
    /// The fields that its body must have.
    Required,
    /// All schemas in its body, those of its successes as a whole, and its callbacks. A boolean and an `enum` are left
    /// out, because what is said of them holds for one of their values.
    Schemas,
    /// The scopes that it requires: their names and their descriptions.
    Scopes,
    /// The fields of what it returns. A boolean that it takes too is left out.
    Returned,
    /// All its responses, their headers and its examples.
    Responses,
    /// Its parameters, without booleans and `enum`s.
    Parameters,
    /// The parameters that are a boolean or an `enum`.
    Choices,
    /// The whole document: its introduction.
    Document,
}

impl About {
    const ALL: [Self; 13] = [
        Self::Operation,
        Self::Path,
        Self::Tags,
        Self::Parts,
        Self::Whole,
        Self::Required,
        Self::Schemas,
        Self::Scopes,
        Self::Returned,
        Self::Responses,
        Self::Parameters,
        Self::Choices,
        Self::Document,
    ];
}

/// Whether a text says something.
pub(super) type Says<'of> = dyn Fn(&str) -> bool + 'of;

/// Whether a text that concerns an operation says something, as `reading` decides by what the text is said of: `None`
/// for what is not read.
pub(super) fn any_says<'of>(
    document: &Document,
    operation: &Operation,
    reading: impl Fn(About) -> Option<&'of Says<'of>>,
) -> bool {
    About::ALL.into_iter().any(|about| {
        let says = reading(about);
        says.is_some_and(|says| texts_about(document, operation, about).into_iter().any(says))
    })
}

/// Returns the texts about an operation that are said of these.
pub(super) fn said<'document>(
    document: &'document Document,
    operation: &Operation,
    about: &[About],
) -> impl Iterator<Item = &'document str> {
    about.iter().flat_map(|about| texts_about(document, operation, *about))
}

/// Returns the summary and the description of an operation, if it has them.
pub(super) fn summary_and_description<'document>(
    document: &'document Document,
    operation: &Operation,
) -> impl Iterator<Item = &'document str> {
    said_at(document, &operation.pointer).into_iter()
}

/// Returns a text that the operation itself has: its `summary`, `description` or `operationId`.
pub(super) fn stated<'document>(
    document: &'document Document,
    operation: &Operation,
    key: &str,
) -> Option<&'document str> {
    document.node(&pointer::join(&operation.pointer, key))?.string()
}

fn texts_about<'document>(document: &'document Document, operation: &Operation, about: About) -> Vec<&'document str> {
    let resolved = |at: String| load::resolve(document, at);
    let below = |at: &String, key: &str| members(document, &pointer::join(at, key));
    let body = || resolved(pointer::join(&operation.pointer, "requestBody"));
    let responses = || {
        operation
            .responses
            .iter()
            .map(|response| resolved(response.pointer.clone()))
    };
    let successes = || operation.successes().map(|success| resolved(success.pointer.clone()));
    let parameters = |is_choice: bool| {
        let parameters = operation.parameters.iter();
        let parameters = parameters.filter(move |parameter| is_choice == chooses(document, parameter));
        parameters
            .map(|parameter| resolved(parameter.pointer.clone()))
            .collect()
    };
    let places: Vec<_> = match about {
        About::Operation => vec![operation.pointer.clone()],
        About::Path => vec![path_item(document, operation)],
        About::Tags => return said_in_tags(document, operation),
        About::Parts => std::iter::once(body()).chain(successes()).collect(),
        About::Whole => {
            let body = operation.request_body.as_ref().and_then(|body| body.schema.clone());
            let schemas = body.into_iter().chain(schemas_of_successes(document, operation));
            let schemas = schemas.flat_map(|schema| with_all_of(document, schema));
            schemas.map(|(at, _)| at).collect()
        }
        About::Required => {
            let required = required_fields(document, operation).into_iter();
            required.filter_map(|(_, schema)| Some(resolved(schema?))).collect()
        }
        About::Schemas => return said_in_schemas(document, operation),
        About::Scopes => return said_about_scopes(document, operation),
        About::Returned => return said_about_returned_fields(document, operation).collect(),
        About::Responses => {
            let headers = responses().flat_map(|response| below(&response, "headers"));
            let media_types = responses().chain([body()]).flat_map(|at| below(&at, "content"));
            let examples = media_types.flat_map(|media_type| below(&media_type, "examples"));
            let places = headers.chain(examples).map(resolved);
            places.chain(responses()).collect()
        }
        About::Parameters => parameters(false),
        About::Choices => parameters(true),
        About::Document => vec!["/info".to_owned()],
    };
    places.iter().flat_map(|at| said_at(document, at)).collect()
}

/// Whether a parameter is a boolean or an `enum`.
fn chooses(document: &Document, parameter: &Parameter) -> bool {
    let schema = parameter.schema.as_deref().and_then(|schema| document.node(schema));
    schema.is_some_and(is_chosen)
}

fn said_in_tags<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    let of_operation = |key: &str| document.node(&pointer::join(&operation.pointer, key));
    let tags = of_operation("tags").map_or(&[][..], Node::elements).iter();
    let tags: Vec<_> = tags.filter_map(Node::string).collect();
    let declared = document.elements_at("/tags").iter();
    let is_of_operation = |tag: &&Node| {
        let name = tag.text_of("name");
        name.is_some_and(|name| tags.contains(&name))
    };
    let documented = declared.filter(is_of_operation).chain(of_operation("externalDocs"));
    documented.filter_map(|node| node.text_of("description")).collect()
}

fn said_in_schemas<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    let sent = schemas_sent(document, operation).into_iter();
    let successes = schemas_of_successes(document, operation).into_iter();
    let schemas = sent.chain(successes.flat_map(|schema| with_all_of(document, schema)));
    let nodes = schemas.map(|(_, node)| node).chain(callbacks(document, operation));
    let keys = ["title", "summary", "description"];
    nodes
        .flat_map(|node| keys.into_iter().filter_map(|key| node.text_of(key)))
        .collect()
}

/// Whether the path of an operation has no other operation, so that what is said about the path is about this one.
pub(super) fn is_alone_at_its_path(document: &Document, operation: &Operation) -> bool {
    let members = document.node(&path_item(document, operation));
    let members = members.map_or(&[][..], Node::members).iter();
    let methods = members.filter(|member| Method::KEYS.contains(&member.name.as_ref()));
    methods.count() == 1
}

/// How deep the schemas of a body are read, and how many of them.
const SCHEMA_DEPTH: usize = 4;
const MAX_SCHEMAS: usize = 500;

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
    let members = document.members_at(at).iter();
    members.map(|member| pointer::join(at, &member.name)).collect()
}

/// Whether what is said of a schema holds for one of its values, or the schema is of nothing that is sent.
fn is_chosen(node: &Node) -> bool {
    is_boolean(node) || node.member("enum").is_some() || is_flagged(node, "readOnly")
}

fn is_boolean(node: &Node) -> bool {
    node.text_of("type") == Some("boolean")
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
    returned.into_iter().filter_map(|(_, node)| node.text_of("description"))
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
        let members = node.members_of("properties").iter();
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
        let members = document.members_at(&at).iter();
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

/// Returns the names and the descriptions of the scopes that a caller of an operation needs.
fn said_about_scopes<'document>(document: &'document Document, operation: &Operation) -> Vec<&'document str> {
    let schemes = document.node("/components/securitySchemes");
    let schemes = schemes.map_or(&[][..], Node::members).iter();
    let flows = schemes
        .filter_map(|scheme| scheme.node.member("flows"))
        .flat_map(Node::members);
    let declared: Vec<_> = flows.filter_map(|flow| flow.node.member("scopes")).collect();
    let security = document.node(&pointer::join(&operation.pointer, "security"));
    let security = security.or_else(|| document.node("/security"));
    let ways = security.map_or(&[][..], Node::elements).iter().flat_map(Node::members);
    let required = ways.flat_map(|scheme| scheme.node.elements()).filter_map(Node::string);
    required
        .flat_map(|scope| {
            let described = declared.iter().filter_map(move |scopes| scopes.member(scope)?.string());
            std::iter::once(scope).chain(described)
        })
        .collect()
}

impl Contract {
    /// Returns what a parameter and its schema say about it.
    pub(super) fn descriptions_of(&self, parameter: &Parameter) -> Vec<&str> {
        let schema = parameter.schema.clone();
        let referred = schema.clone().map(|schema| load::resolve(&self.document, schema));
        let referred = referred.filter(|referred| schema.as_ref() != Some(referred));
        let places = [Some(parameter.pointer.clone()), schema, referred]
            .into_iter()
            .flatten();
        places
            .filter_map(|at| self.document.node(&at)?.text_of("description"))
            .collect()
    }

    /// Returns the sentences of an operation's summary and description, in lower case.
    pub(super) fn sentences_about(&self, operation: &Operation) -> Vec<String> {
        let sentences = summary_and_description(&self.document, operation).flat_map(whole_sentences);
        sentences.map(str::to_ascii_lowercase).collect()
    }
}

/// Whether a text about an operation or its success says that the response is a stream, or comes only once something
/// has happened: "Receive notifications from the HTTP stream", "Long polling".
pub(super) fn says_it_streams(document: &Document, operation: &Operation) -> bool {
    const SAYS: [&str; 6] = [
        "event stream", "event-stream", "http stream", "long poll", "long-poll", "server-sent",
    ];
    // A tag is named after what its operations list: "Streams of a channel".
    let said = said(document, operation, &[About::Operation, About::Parts]);
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
    keys.filter_map(|key| document.node(at)?.text_of(key)).collect()
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

    const NOTES: &str = "
openapi: 3.1.0
info: {title: Notes, version: '1', summary: of the document, description: at length of the document}
tags: [{name: a, description: of the tag}, {name: b, description: of another tag}]
paths:
  /notes:
    description: of the path
    post:
      summary: of the operation
      description: at length of the operation
      tags: [a]
      externalDocs: {url: 'https://example.com', description: of the tag in further documentation}
      security: [{keys: [write]}]
      parameters:
      - {name: a, in: query, description: of the parameter, schema: {type: string}}
      - {name: b, in: query, description: of the choice, schema: {type: boolean}}
      requestBody:
        description: of the body
        content:
          application/json:
            schema:
              description: of the whole body
              type: object
              required: [on]
              properties:
                on: {type: boolean, description: of the required field}
                to: {type: string, description: of the field}
            examples: {one: {summary: of the example, value: {}}}
      responses:
        '200':
          description: of the success
          headers: {X-A: {description: of the header, schema: {type: string}}}
          content:
            application/json:
              schema:
                description: of the whole response
                type: object
                properties: {count: {type: integer, description: of the returned field}}
        '409': {description: of the rejection}
      callbacks:
        done: {'{$request.query.a}': {post: {summary: of the callback, responses: {'200': {description: a}}}}}
components:
  securitySchemes:
    keys:
      type: oauth2
      flows:
        implicit:
          authorizationUrl: 'https://example.com'
          scopes: {write: of the scope, read: of another scope}
";

    #[test]
    fn each_text_that_concerns_an_operation_is_said_of_something() {
        let contract = Contract::read("notes.yaml", NOTES.to_owned()).unwrap_or_else(|defects| panic!("{defects}"));
        let operation = &contract.operations[0];
        let of = |about| said(&contract.document, operation, &[about]).collect::<Vec<_>>();
        let whole = ["of the whole body", "of the whole response"];
        for (about, expected) in [
            (About::Operation, vec!["of the operation", "at length of the operation"]),
            (About::Path, vec!["of the path"]),
            (About::Tags, vec!["of the tag", "of the tag in further documentation"]),
            (About::Parts, vec!["of the body", "of the success"]),
            (About::Whole, whole.to_vec()),
            (About::Required, vec!["of the required field"]),
            (
                About::Schemas,
                vec![whole[0], "of the field", whole[1], "of the callback"],
            ),
            (About::Scopes, vec!["write", "of the scope"]),
            (About::Returned, vec![whole[1], "of the returned field"]),
            (
                About::Responses,
                vec!["of the header", "of the example", "of the success", "of the rejection"],
            ),
            (About::Parameters, vec!["of the parameter"]),
            (About::Choices, vec!["of the choice"]),
            (About::Document, vec!["of the document", "at length of the document"]),
        ] {
            assert_eq!(of(about), expected, "{about:?}");
            let says: &Says<'_> = &|text| text == expected[0];
            let is_read = |other| (other == about).then_some(says);
            assert!(any_says(&contract.document, operation, is_read), "{about:?}");
        }
        assert!(!any_says(&contract.document, operation, |_| None));
    }
}
