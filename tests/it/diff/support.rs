//! Small documents to compare, and what a test expects to be told of them.

use countersign::contract::document::Document;
use countersign::diff::{Diff, Meaning, Side, diff, read};

/// Reads a document.
pub(super) fn document(name: &str, text: &str) -> Document {
    read(name, text.to_owned()).unwrap_or_else(|defect| panic!("{defect}\n{text}"))
}

/// Compares two texts.
pub(super) fn compared(old: &str, new: &str) -> Diff {
    diff(&document("old.yaml", old), &document("new.yaml", new), None)
}

/// Each difference in one line: meaning, side, kind, sentence.
pub(super) fn lines(diff: &Diff) -> Vec<String> {
    let line = |difference: &countersign::diff::Difference| {
        let (meaning, side) = (difference.meaning.as_str(), difference.side.as_str());
        format!("{meaning} {side} {}: {}", difference.kind.name(), difference.sentence)
    };
    diff.differences.iter().map(line).collect()
}

/// An edit of a document, what is told of it, and what of its reverse.
pub(super) type Edit<'text> = (&'text str, &'text str, &'text [&'text str], &'text [&'text str]);

/// Asserts what is told of each edit, and that it is told at the lines of both documents.
pub(super) fn assert_edits(text: &str, edits: &[Edit<'_>]) {
    let mut wrong = Vec::new();
    for (from, to, expected, reversed) in edits {
        assert!(text.contains(from), "the document has no {from}");
        let other = text.replacen(from, to, 1);
        for (old, new, expected) in [(text, other.as_str(), expected), (&other, text, reversed)] {
            let found = lines(&compared(old, new));
            if found != *expected {
                wrong.push(format!("{from} -> {to}: {found:#?}"));
            }
            assert_locations(old, new);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A document whose one operation takes a body and a query parameter of the first schema, and returns the second.
pub(super) fn with_schemas(request: &str, response: &str, schemas: &str) -> String {
    format!(
        "openapi: 3.0.3
info: {{title: Things, version: '1'}}
paths:
  /things:
    post:
      operationId: makeThing
      requestBody:
        content:
          application/json:
            schema: {request}
      responses:
        '200':
          description: Done
          content:
            application/json:
              schema: {response}
components:
  schemas:
    Other: {{type: string}}
{schemas}"
    )
}

/// What is said of an edit from one schema to another, on each side; `-` is nothing.
pub(super) fn on_each_side(old: &str, new: &str) -> (String, String) {
    let (old, new) = (with_schemas(old, old, ""), with_schemas(new, new, ""));
    let diff = compared(&old, &new);
    let worst = |side: Side| {
        let found = diff.differences.iter().filter(|difference| difference.side == side);
        let meaning = found.map(|difference| difference.meaning).min();
        meaning.map_or("-", Meaning::as_str).to_owned()
    };
    (worst(Side::Request), worst(Side::Response))
}

/// Asserts that both locations of each difference exist in their documents, on the lines that they name.
pub(super) fn assert_locations(old: &str, new: &str) {
    let (old, new) = (document("old.yaml", old), document("new.yaml", new));
    for difference in diff(&old, &new, None).differences {
        for (document, location) in [(&old, &difference.old), (&new, &difference.new)] {
            let there = document.node(&location.pointer).is_some();
            assert!(
                there || !location.present,
                "{}: {}",
                difference.sentence,
                location.pointer
            );
            assert_eq!(document.position(&location.pointer).line, location.line);
        }
        assert!(
            difference.old.present || difference.new.present,
            "{}",
            difference.sentence
        );
    }
}
