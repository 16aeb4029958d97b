//! What is wrong with single schemas: bounds, patterns, `enum`, `required`, `items`.

use std::collections::HashMap;

use serde_json::json;

use super::{Findings, LintRule, LocatedNode};
use crate::contract::document::{Node, NodeKind};
use crate::contract::shape::JsonType;

/// Which patterns are regular expressions, kept because a document repeats them.
#[derive(Debug, Default)]
pub(super) struct Patterns(HashMap<String, bool>);

impl Patterns {
    /// Whether the pattern is one that the validator of schemas can read.
    fn is_readable(&mut self, pattern: &str) -> bool {
        if let Some(known) = self.0.get(pattern) {
            return *known;
        }
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        let is_readable = options.build(&json!({ "pattern": pattern })).is_ok();
        self.0.insert(pattern.to_owned(), is_readable);
        is_readable
    }
}

/// The bounds of a length or a count: what is bounded, and the keywords.
const COUNTS: [(&str, &str, &str); 3] = [
    ("length", "minLength", "maxLength"),
    ("number of items", "minItems", "maxItems"),
    ("number of properties", "minProperties", "maxProperties"),
];

/// Checks one schema, without those below it.
pub(super) fn check(at: &LocatedNode<'_>, patterns: &mut Patterns, findings: &mut Findings) {
    let node = at.node;
    if node.member("$ref").is_some() {
        return;
    }
    let is_empty = |name: &str| {
        let list = node.member(name);
        list.is_some_and(|list| matches!(&list.kind, NodeKind::Array(elements) if elements.is_empty()))
    };
    if is_empty("enum") {
        let message = "this `enum` allows no value; list the values, or remove it".to_owned();
        findings.add_at(at, "enum", LintRule::EmptyEnum, message);
    }
    // Later versions allow it (JSON Schema 2020-12, validation, section 6.5.3).
    if is_empty("required") && !at.document.was_later_than_3_0() {
        let message = "this `required` names no property; remove it".to_owned();
        findings.add_at(at, "required", LintRule::EmptyRequired, message);
    }
    for choice in ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .filter(|choice| is_empty(choice))
    {
        let message = format!("this `{choice}` lists no schema; list one, or remove it");
        findings.add_at(at, choice, LintRule::WrongType, message);
    }
    at.must_be_objects(&["discriminator"], findings);
    let is_array = node.text_of("type") == Some("array");
    // Only OpenAPI 3.0 requires it.
    if is_array && node.member("items").is_none() && !at.document.was_later_than_3_0() {
        let message = "an array has no `items`; add the schema of its elements, or `items: {}`".to_owned();
        findings.add_at(at, "type", LintRule::ArrayWithoutItems, message);
    }
    let pattern = node.text_of("pattern");
    if pattern.is_some_and(|pattern| !patterns.is_readable(pattern)) {
        let message =
            "this is not a regular expression (ECMA-262) that a check can read, so it cannot be used; correct it"
                .to_owned();
        findings.add_at(at, "pattern", LintRule::InvalidPattern, message);
    }
    flags_of_bounds(at, findings);
    bounds(at, findings);
    types_of_enum(at, findings);
}

/// Checks that an excluded bound is a number, as it is from OpenAPI 3.1 on.
fn flags_of_bounds(at: &LocatedNode<'_>, findings: &mut Findings) {
    if !at.document.was_later_than_3_0() {
        return;
    }
    for (name, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(flag) = at.node.member(name).filter(|flag| flag.boolean().is_some()) else {
            continue;
        };
        // Where a number is written, the reader makes a bound and a flag of it, both at its position.
        let is_written = at
            .node
            .member(bound)
            .is_none_or(|bound| bound.position != flag.position);
        if is_written {
            let message = format!("from OpenAPI 3.1 on, `{name}` is the bound itself; write the number here");
            findings.add_at(at, name, LintRule::WrongType, message);
        }
    }
}

fn bounds(at: &LocatedNode<'_>, findings: &mut Findings) {
    let number = |name: &str| match &at.node.member(name)?.kind {
        NodeKind::Number(number) => number.as_f64(),
        _ => None,
    };
    let mut contradict = |name: &str, message: String| {
        findings.add_at(at, name, LintRule::ContradictingBounds, message);
    };
    for (what, least, most) in COUNTS {
        for name in [least, most] {
            if number(name).is_some_and(|bound| bound < 0.0) {
                contradict(name, format!("a {what} cannot be negative; give 0 or more"));
            }
        }
        if let (Some(minimum), Some(maximum)) = (number(least), number(most))
            && minimum > maximum
        {
            let message =
                format!("no {what} is at least {minimum} and at most {maximum}; correct `{least}` or `{most}`");
            contradict(least, message);
        }
    }
    let is_exclusive = |name: &str| at.node.member(name).and_then(Node::boolean) == Some(true);
    if let (Some(minimum), Some(maximum)) = (number("minimum"), number("maximum")) {
        if minimum > maximum {
            let message = format!("no number is at least {minimum} and at most {maximum}; correct one of the two");
            contradict("minimum", message);
        } else if minimum >= maximum && (is_exclusive("exclusiveMinimum") || is_exclusive("exclusiveMaximum")) {
            let message =
                format!("no number is between {minimum} and {maximum} if one of them is excluded; correct one");
            contradict("minimum", message);
        }
    }
    if number("multipleOf").is_some_and(|step| step <= 0.0) {
        contradict(
            "multipleOf",
            "`multipleOf` must be greater than 0; correct it".to_owned(),
        );
    }
}

fn types_of_enum(at: &LocatedNode<'_>, findings: &mut Findings) {
    let named = at.node.text_of("type");
    let Some(kind) = named.and_then(JsonType::parse) else {
        return;
    };
    let values = at.node.elements_of("enum");
    let is_other = |value: &&Node| !matches!(value.kind, NodeKind::Null) && !kind.admits(&value.to_value());
    if let Some(index) = values.iter().position(|value| is_other(&value)) {
        let message = format!(
            "this value is {}, but the type is `{}`; {}",
            values[index].kind_name(),
            kind.name(),
            if kind == JsonType::String && matches!(values[index].kind, NodeKind::Number(_) | NodeKind::Boolean(_)) {
                "quote it"
            } else {
                "correct one of the two"
            }
        );
        let value = LocatedNode {
            pointer: &format!("{}/enum/{index}", at.pointer),
            ..*at
        };
        findings.add_at(&value, "", LintRule::EnumOfAnotherType, message);
    }
}
