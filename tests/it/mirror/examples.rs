//! The examples of the request bodies: valid, complete, and without real persons' data.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::contract::Contract;
use super::statement::{Difference, Statements};

/// Every request body whose example is absent, not valid, not complete or not synthetic.
pub(super) fn defects(contract: &Contract, said: &Statements) -> Vec<Difference> {
    let mut found = Vec::new();
    for operation in contract.operations() {
        let media = format!("{operation}/requestBody/content/application~1json");
        if contract.find(&media).is_none() {
            continue;
        }
        let id = contract.text(&format!("{operation}/operationId"));
        let body = format!("{id} request body/");
        let fields = said.under(&body).filter(|location| !location.contains(' '));
        let complaints = complaints(contract, &media, &fields.collect());
        found.extend(complaints.into_iter().map(|(expected, shown)| Difference {
            location: format!("{id} example"),
            documented: expected.to_owned(),
            contracted: format!("{shown} at `{media}/example`"),
        }));
    }
    found
}

/// What an example should be, and what it is instead.
fn complaints(contract: &Contract, media: &str, fields: &BTreeSet<&str>) -> Vec<(&'static str, String)> {
    let example = contract.find(&format!("{media}/example")).unwrap_or(&Value::Null);
    let mut shown = Leaves::default();
    shown.visit("", example);
    let locations = shown.locations.iter().map(String::as_str).collect();
    let errors = errors(contract, contract.at(&format!("{media}/schema")), example);
    let invalid = errors.into_iter().map(|error| ("a valid example", error));
    let absent = fields
        .difference(&locations)
        .map(|field| ("all documented fields", format!("no `{field}`")));
    let added = locations
        .difference(fields)
        .map(|field| ("documented fields alone", format!("`{field}`")));
    let real = shown
        .texts
        .iter()
        .filter(|text| !is_synthetic(text))
        .map(|text| ("synthetic data", text.clone()));
    invalid.chain(absent).chain(added).chain(real).collect()
}

/// What the example breaks in its schema, read as the JSON Schema that knows formats.
fn errors(contract: &Contract, schema: &Value, example: &Value) -> Vec<String> {
    let mut root = schema.clone();
    root["components"] = json!({"schemas": contract.at("/components/schemas")});
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    let validator = options
        .build(&root)
        .unwrap_or_else(|error| panic!("no schema: {error}"));
    validator.iter_errors(example).map(|error| error.to_string()).collect()
}

/// The locations of an example, written as statements write them, and its texts.
#[derive(Default)]
struct Leaves {
    locations: BTreeSet<String>,
    texts: Vec<String>,
}

impl Leaves {
    fn visit(&mut self, location: &str, value: &Value) {
        if !location.is_empty() {
            self.locations.insert(location.trim_start_matches('/').to_owned());
        }
        match value {
            Value::Array(entries) => entries
                .iter()
                .for_each(|entry| self.visit(&format!("{location}/*"), entry)),
            Value::Object(fields) => fields
                .iter()
                .for_each(|(key, field)| self.visit(&format!("{location}/{key}"), field)),
            Value::String(text) => self.texts.push(text.clone()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Returns whether a text reaches nobody: mail at a reserved domain, a phone number kept for fiction, no address of a
/// site.
fn is_synthetic(text: &str) -> bool {
    let mail = text.split_once('@').is_none_or(|(_, domain)| domain == "example.com");
    let phone = !text.starts_with('+') || text.starts_with("+44 7700 900");
    mail && phone && !text.contains("://") && !text.contains("www.")
}

#[test]
fn mail_and_phones_that_may_reach_someone_are_not_synthetic() {
    assert!(is_synthetic("ada@example.com") && is_synthetic("+44 7700 900123") && is_synthetic("Ada"));
    assert!(!is_synthetic("ada@example.com.test") && !is_synthetic("+44 7700 800123") && !is_synthetic("www.test"));
}
