//! Reads the sentence about a response: `Response, description "Tag created": a Create envelope whose data is …`.
//!
//! Main type: [`Response`].

use super::document::Document;
use super::phrase::{Shape, entries, shape};

/// A response that the document gives an operation.
pub(super) struct Response {
    pub(super) status: String,
    pub(super) description: String,
    pub(super) heading: String,
    pub(super) body: Option<Shape>,
}

/// Reads what follows `Response`: `, status 201, description "…": a Create envelope whose data is …`.
pub(super) fn response(document: &Document, words: &str, heading: &str) -> Response {
    let status = words
        .split_once("status ")
        .map_or("2XX", |(_, rest)| rest.split(',').next().unwrap_or(rest));
    let described = words.split('"').nth(1);
    let body = words.strip_suffix("Response body: not shown").is_none().then(|| {
        let (_, body) = words.split_once(": ").unwrap_or_else(|| panic!("`{words}` has a body"));
        body
    });
    // Without a description of its own a response is described by the sentence on its body.
    let description = described
        .or(body.and_then(|body| body.split(" (").next()))
        .unwrap_or_default();
    Response {
        status: status.to_owned(),
        description: description.to_owned(),
        heading: heading.to_owned(),
        body: body.map(|body| enveloped(document, body)),
    }
}

/// Reads `a Page envelope whose items are Tags (id, name)`.
fn enveloped(document: &Document, words: &str) -> Shape {
    let (envelope, words) = words.split_once(" whose ").expect("a response is an envelope");
    let (_, item) = words
        .split_once(" is ")
        .or(words.split_once(" are "))
        .expect("an envelope holds a resource");
    let envelope = envelope.strip_prefix("a ").unwrap_or(envelope);
    let item = item.strip_prefix("an ").or(item.strip_prefix("a ")).unwrap_or(item);
    document.shown(envelope, "").filled(&resource(document, item))
}

fn resource(document: &Document, words: &str) -> Shape {
    if words.starts_with("object with ") {
        return shape(words);
    }
    let clauses = words
        .split_once(", ")
        .or(words.split_once(' ').filter(|(_, rest)| rest.starts_with("without ")));
    if let Some((name, clause)) = clauses.filter(|(_, clause)| clause.starts_with("with") || clause.starts_with("incl"))
    {
        return document.shown(document.singular(name), clause);
    }
    let Some((name, list)) = words.split_once(" (") else {
        return document.shown(document.singular(words), "");
    };
    let shown = document.shown(document.singular(name), "");
    if let Shape::Object(object) = &shown {
        let names: Vec<_> = object.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(
            entries(list.trim_end_matches(')')),
            names,
            "the response shows the fields that it lists"
        );
    }
    shown
}
