//! `x-document`: each value names a heading of the document, and each operation and component schema has one.

use serde_json::Value;

use super::contract::{Contract, escape};
use super::document::Document;
use super::statement::Difference;

/// Every `x-document` that names no heading, or more than one.
pub(super) fn unknown(document: &Document, contract: &Contract) -> Vec<Difference> {
    let count = |named: &str| {
        document
            .sections
            .iter()
            .filter(|section| section.is_named(named))
            .count()
    };
    let mut stated = Vec::new();
    collect(contract.at(""), "", &mut stated);
    let wrong = stated.into_iter().filter(|(_, named)| count(named) != 1);
    let difference = |(pointer, named): (String, &str)| Difference {
        location: format!("heading of {pointer}"),
        documented: format!("{} such headings", count(named)),
        contracted: format!("`{named}` at `{pointer}/x-document`"),
    };
    wrong.map(difference).collect()
}

/// Every operation and component schema that does not say where it stands.
pub(super) fn absent(contract: &Contract) -> Vec<Difference> {
    let holders = contract.operations().into_iter().chain(contract.schemas());
    let mute = holders.filter(|pointer| contract.at(pointer).get("x-document").is_none());
    let difference = |pointer: String| Difference {
        location: format!("heading of {pointer}"),
        documented: "a heading".to_owned(),
        contracted: format!("nothing at `{pointer}`"),
    };
    mute.map(difference).collect()
}

/// Every `x-document` with the pointer to what holds it.
fn collect<'a>(value: &'a Value, pointer: &str, found: &mut Vec<(String, &'a str)>) {
    if let Some(heading) = value.get("x-document").and_then(Value::as_str) {
        found.push((pointer.to_owned(), heading));
    }
    let children: Vec<(String, &Value)> = match value {
        Value::Array(entries) => entries
            .iter()
            .enumerate()
            .map(|(index, entry)| (index.to_string(), entry))
            .collect(),
        Value::Object(keys) => keys.iter().map(|(key, value)| (escape(key), value)).collect(),
        _ => Vec::new(),
    };
    for (token, child) in children {
        collect(child, &format!("{pointer}/{token}"), found);
    }
}
