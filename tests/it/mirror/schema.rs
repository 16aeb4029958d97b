//! Reads one schema of the contract: what applies to one value, from all locations that describe it.
//!
//! Main type: [`Parts`].

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::contract::{Contract, escape};
use super::statement::Statements;

/// All schemas that apply to one value: its own, those it refers to and those of its `allOf`.
pub(super) struct Parts<'a> {
    contract: &'a Contract,
    parts: Vec<(String, &'a Value)>,
}

/// What structure and words are made of; every other keyword limits the type and is described with it.
const STRUCTURE: [&str; 9] = [
    "$ref", "additionalProperties", "allOf", "description", "items", "not", "properties", "required", "type",
];

impl<'a> Parts<'a> {
    pub(super) fn of(contract: &'a Contract, pointer: &str) -> Self {
        let mut parts = Self {
            contract,
            parts: Vec::new(),
        };
        parts.add(pointer);
        parts
    }

    fn add(&mut self, pointer: &str) {
        let schema = self.contract.at(pointer);
        self.parts.push((pointer.to_owned(), schema));
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            self.add(&self.contract.follow(reference));
        }
        for index in 0..schema.get("allOf").and_then(Value::as_array).map_or(0, Vec::len) {
            self.add(&format!("{pointer}/allOf/{index}"));
        }
    }

    /// What the parts say under a keyword or, with two tokens, under a property.
    fn under(&self, tokens: &[&str]) -> Self {
        let mut below = Self {
            contract: self.contract,
            parts: Vec::new(),
        };
        for (pointer, schema) in &self.parts {
            let path: String = tokens.iter().map(|token| format!("/{}", escape(token))).collect();
            if schema.pointer(&path).is_some() {
                below.add(&(pointer.clone() + &path));
            }
        }
        below
    }

    /// States this value, and everything in it.
    pub(super) fn say(&self, said: &mut Statements, location: &str, presence: &str) {
        let Some((pointer, _)) = self.parts.first() else {
            said.say(location, [presence, "undescribed"].join(" ").trim(), "");
            return;
        };
        said.say(location, [presence, &self.kind()].join(" ").trim(), pointer);
        let required = self.required();
        for name in self.properties().union(&required) {
            let property = self.under(&["properties", name]);
            let presence = match (property.is_forbidden(), required.contains(name)) {
                (true, true) => "required and",
                (true, false) => "",
                (false, true) => "required",
                (false, false) => "optional",
            };
            property.say(said, &format!("{location}/{name}"), presence);
            property.say_note(said, &format!("{location}/{name}"));
        }
        let items = self.under(&["items"]);
        if !items.parts.is_empty() {
            items.say(said, &format!("{location}/*"), "");
        }
    }

    /// States the property's own description; a component's belongs to the component.
    fn say_note(&self, said: &mut Statements, location: &str) {
        let Some((pointer, schema)) = self.parts.first().filter(|_| !self.is_forbidden()) else {
            return;
        };
        if let Some(note) = schema.get("description").and_then(Value::as_str) {
            said.note(format!("{location} note"), note, format!("{pointer}/description"));
        }
    }

    fn properties(&self) -> BTreeSet<&'a str> {
        let objects = self.keywords("properties").filter_map(Value::as_object);
        objects.flat_map(Map::keys).map(String::as_str).collect()
    }

    fn required(&self) -> BTreeSet<&'a str> {
        let lists = self.keywords("required").filter_map(Value::as_array);
        lists.flatten().filter_map(Value::as_str).collect()
    }

    fn keywords(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        self.parts.iter().filter_map(move |(_, schema)| schema.get(keyword))
    }

    fn is_forbidden(&self) -> bool {
        self.keywords("not").any(|not| *not == json!({}))
    }

    /// The type with everything that limits it: `string, format uuid`.
    pub(super) fn kind(&self) -> String {
        let types: BTreeSet<_> = self.keywords("type").map(plain).collect();
        let types = types.into_iter().collect::<Vec<_>>().join(" and ");
        let name = match (self.is_forbidden(), types.as_str()) {
            (true, _) => "forbidden".to_owned(),
            (false, "object") => self.object_kind(),
            (false, "") => "any type".to_owned(),
            (false, _) => types,
        };
        let limits = self.parts.iter().filter_map(|(_, schema)| schema.as_object()).flatten();
        let limits = limits.filter(|(key, value)| match key.as_str() {
            "not" => **value != json!({}),
            key => !STRUCTURE.contains(&key) && !key.starts_with("x-"),
        });
        limits.fold(name, |kind, (key, value)| format!("{kind}, {key} {}", plain(value)))
    }

    fn object_kind(&self) -> String {
        let others: Vec<_> = self.keywords("additionalProperties").collect();
        match others.as_slice() {
            [] => "object".to_owned(),
            [Value::Bool(false)] => "closed object".to_owned(),
            [Value::Bool(true)] if self.properties().is_empty() => "object of arbitrary keys".to_owned(),
            others => format!("object with others {others:?}"),
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
