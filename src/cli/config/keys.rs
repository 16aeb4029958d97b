//! Finds keys that nothing reads. The known keys come from the schema of the types that read the file, so that there is
//! no second list of keys.

use std::ops::Range;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::error::Problem;
use super::file;
use crate::contract::openapi::near;

/// Words that people use as keys for a secret.
const SECRETS: [&str; 9] = [
    "token", "bearer", "bearer_token", "api_key", "apikey", "api_token", "authorization", "password", "secret",
];

/// Returns the first key in the text that nothing reads, and the problem to report.
pub(super) fn unknown(table: &DeTable<'_>) -> Option<(Range<usize>, Problem)> {
    let schema = file::schema().to_value();
    let mut found = Vec::new();
    let mut walk = Walk {
        schema: &schema,
        found: &mut found,
    };
    walk.table(table, &schema, "");
    found.into_iter().min_by_key(|(span, _)| span.start)
}

/// Returns the dotted name of the key whose value has this span.
pub(super) fn path_to(table: &DeTable<'_>, span: &Range<usize>) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        if value.span() == *span {
            return Some(key.get_ref().to_string());
        }
        let inner = match value.get_ref() {
            DeValue::Table(table) => path_to(table, span),
            DeValue::Array(elements) => elements.iter().find_map(|element| match element.get_ref() {
                DeValue::Table(table) => path_to(table, span),
                _ => (element.span() == *span).then(String::new),
            }),
            _ => None,
        };
        inner.map(|inner| match inner.as_str() {
            "" => key.get_ref().to_string(),
            inner => format!("{}.{inner}", key.get_ref()),
        })
    })
}

struct Walk<'walk> {
    schema: &'walk Value,
    found: &'walk mut Vec<(Range<usize>, Problem)>,
}

impl Walk<'_> {
    fn table(&mut self, table: &DeTable<'_>, schema: &Value, path: &str) {
        let schema = self.resolved(schema);
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        for (key, value) in table {
            let name: &str = key.get_ref();
            let inner = properties.and_then(|known| known.get(name)).or(others);
            match (inner, properties) {
                (Some(inner), _) => self.value(value.get_ref(), inner, &dotted(path, name)),
                (None, Some(known)) => {
                    let problem = unknown_key(name, path, known.keys().map(String::as_str));
                    self.found.push((key.span(), problem));
                }
                // The types do not expect a table here, and report that themselves.
                (None, None) => {}
            }
        }
    }

    fn value(&mut self, value: &DeValue<'_>, schema: &Value, path: &str) {
        match value {
            DeValue::Table(table) => self.table(table, schema, path),
            DeValue::Array(elements) => {
                let schema = self.resolved(schema);
                let Some(items) = schema.get("items") else { return };
                for element in elements {
                    self.value(element.get_ref(), items, path);
                }
            }
            _ => {}
        }
    }

    /// Returns the schema itself, after following a reference.
    fn resolved(&self, schema: &Value) -> Value {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let pointed = reference
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|pointer| self.schema.pointer(pointer));
        pointed.unwrap_or(schema).clone()
    }
}

fn unknown_key<'known>(name: &str, path: &str, known: impl Iterator<Item = &'known str> + Clone) -> Problem {
    if SECRETS.contains(&name.to_lowercase().replace('-', "_").as_str()) {
        return Problem::Secret { key: name.to_owned() };
    }
    let within = match path {
        "" => "at the top".to_owned(),
        path => format!("in `{path}`"),
    };
    // `max-writes` is the flag; the key has an underscore.
    let as_key = name.replace('-', "_");
    let near = known
        .clone()
        .find(|known| *known == as_key)
        .or_else(|| near(name, known.clone()));
    Problem::UnknownKey {
        name: name.to_owned(),
        within,
        near: near.map(str::to_owned),
        known: known.map(str::to_owned).collect(),
    }
}

fn dotted(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
