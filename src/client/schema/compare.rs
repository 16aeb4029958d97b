//! Compares the schemas of a contract with those of the Rust types, location by location.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToPascalCase;
use serde_json::{Map, Value, json};

/// What a reference to a named schema starts with.
const SCHEMA_REFERENCE_PREFIX: &str = "#/components/schemas/";

/// Returns where contract and types differ, one line each after its pointer, and the names of the types that were
/// compared.
pub(super) fn differences(contract: &Value, types: &BTreeMap<String, Value>) -> (Vec<String>, BTreeSet<String>) {
    let (mut requests, mut responses) = (BTreeSet::new(), BTreeSet::new());
    let mut learned = Learned::default();
    for operation in contract["paths"].as_object().unwrap().values().flat_map(operations) {
        reach(learned.note(operation, contract, types), contract, &mut requests);
        let documented = operation["responses"].as_object().into_iter().flatten();
        for (_, response) in documented.filter(|(status, _)| status.starts_with('2')) {
            reach(&response["content"], contract, &mut responses);
        }
    }
    let (mut found, mut compared) = (learned.found, &requests | &responses);
    let named = compared.iter().map(|name| (name.clone(), name.clone()));
    for (name, documented) in named.chain(learned.own_bodies.clone()) {
        let pointer = format!("/components/schemas/{documented}");
        let Some(root) = types.get(&name) else {
            found.insert(format!("{pointer}: there is no such type"));
            continue;
        };
        // A schema that a request and a response share is relaxed for both.
        let response = responses.contains(&name);
        let mut comparison = Comparison {
            contract,
            root,
            response,
            required: learned.required.get(&name).cloned().unwrap_or_default(),
            seen: BTreeSet::new(),
            found: Vec::new(),
        };
        comparison.compare(&contract["components"]["schemas"][&documented], root, &pointer, false);
        found.extend(comparison.found);
    }
    compared.extend(learned.own_bodies.into_keys().chain(learned.responses));
    (found.into_iter().collect(), compared)
}

fn operations(path: &Value) -> impl Iterator<Item = &Value> {
    let parts = path.as_object().into_iter().flatten();
    parts
        .map(|(_, part)| part)
        .filter(|part| part.get("operationId").is_some())
}

/// Adds the names of the schemas that `value` leads to and that have a type: a part of an `allOf` has none of its own.
fn reach(value: &Value, contract: &Value, names: &mut BTreeSet<String>) {
    if let Some(name) = name(value) {
        if names.insert(name.to_owned()) {
            reach(&contract["components"]["schemas"][name], contract, names);
        }
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|inner| reach(inner, contract, names)),
        Value::Object(entries) => {
            for (keyword, inner) in entries {
                let parts = inner.as_array().filter(|_| keyword == "allOf");
                match parts {
                    Some(parts) => parts
                        .iter()
                        .for_each(|part| reach(resolved(part, contract), contract, names)),
                    None => reach(inner, contract, names),
                }
            }
        }
        _ => {}
    }
}

fn name(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(SCHEMA_REFERENCE_PREFIX)
}

fn resolved<'a>(schema: &'a Value, contract: &'a Value) -> &'a Value {
    name(schema).map_or(schema, |name| &contract["components"]["schemas"][name])
}

/// What the answers of an overlay add to the document, read without the projection.
#[derive(Default)]
struct Learned {
    /// The bodies that have a type of their own, each with the schema that the document gives to it.
    own_bodies: BTreeMap<String, String>,
    /// The locations of the fields that a type requires, by the name of the type.
    required: BTreeMap<String, BTreeSet<String>>,
    /// The types of responses that the document does not show.
    responses: BTreeSet<String>,
    found: BTreeSet<String>,
}

impl Learned {
    /// Notes the answers about an operation, and returns what the document says about its body.
    fn note<'a>(&mut self, operation: &'a Value, contract: &'a Value, types: &BTreeMap<String, Value>) -> &'a Value {
        let id = operation["operationId"].as_str().unwrap();
        let mut claims = Vec::new();
        claims_of(contract, id, &mut claims);
        let shown = claims.iter().filter(|claim| claim["body"] == "object");
        for names in shown.filter_map(|claim| claim["properties"].as_array()) {
            let name = format!("{}Response", id.to_pascal_case());
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            self.found
                .extend(learned_response(&names, types.get(&name).unwrap(), contract));
            self.responses.insert(name);
        }
        let body = &operation["requestBody"]["content"];
        let Some(documented) = name(&body["application/json"]["schema"]) else {
            return body;
        };
        let own = format!("{}Body", id.to_pascal_case());
        let has_own = types.contains_key(&own);
        let fields = claims.iter().filter_map(|claim| claim["required"].as_array()).flatten();
        let location = |field: &Value| {
            let tokens = field.as_str().unwrap().split('/').skip(1);
            let steps = tokens.map(|token| match token {
                "*" => "/items".to_owned(),
                name => format!("/properties/{name}"),
            });
            format!("/components/schemas/{documented}{}", steps.collect::<String>())
        };
        let type_name = if has_own { &own } else { documented };
        self.required
            .entry(type_name.to_owned())
            .or_default()
            .extend(fields.map(location));
        if !has_own {
            return body;
        }
        self.own_bodies.insert(own, documented.to_owned());
        &contract["components"]["schemas"][documented]
    }
}

/// Compares the type of a learned response with every schema of the contract that has all of these fields, and returns
/// the shortest list of differences; it is empty if there is no such schema.
fn learned_response(names: &[&str], typed: &Value, contract: &Value) -> Vec<String> {
    let has = typed["properties"].as_object().unwrap();
    let is_in_one = |field: &&str| has.contains_key(*field) != names.contains(field);
    let fields: BTreeSet<_> = has.keys().map(String::as_str).chain(names.iter().copied()).collect();
    let in_one: Vec<_> = fields.into_iter().filter(is_in_one).collect();
    if !in_one.is_empty() {
        let line = |field| format!("/properties/{field}: is only learned, or only in the type");
        return in_one.into_iter().map(line).collect();
    }
    let schemas = contract["components"]["schemas"].as_object().unwrap();
    let compared = schemas.iter().filter_map(|(name, schema)| {
        let parts = parts(schema, contract);
        let field = |field: &&str| {
            let documented = parts.iter().find_map(|part| part["properties"].get(*field))?;
            Some(((*field).to_owned(), documented.clone()))
        };
        let fields: Option<Map<String, Value>> = names.iter().map(field).collect();
        let documented = json!({ "type": "object", "properties": fields? });
        let mut comparison = Comparison {
            contract,
            root: typed,
            response: true,
            required: BTreeSet::new(),
            seen: BTreeSet::new(),
            found: Vec::new(),
        };
        comparison.compare(&documented, typed, &format!("/components/schemas/{name}"), false);
        Some(comparison.found)
    });
    compared.min_by_key(Vec::len).unwrap_or_default()
}

/// Adds the claims of the answers about an operation.
fn claims_of<'a>(value: &'a Value, id: &str, claims: &mut Vec<&'a Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|inner| claims_of(inner, id, claims)),
        Value::Object(entries) => {
            let answers = entries.get("x-answers").and_then(Value::as_array).into_iter().flatten();
            claims.extend(
                answers
                    .filter(|answer| answer["operation"] == id)
                    .map(|answer| &answer["claim"]),
            );
            entries.values().for_each(|inner| claims_of(inner, id, claims));
        }
        _ => {}
    }
}

struct Comparison<'a> {
    contract: &'a Value,
    /// The schema of the Rust type, which contains those of the types inside it.
    root: &'a Value,
    response: bool,
    /// The locations of the fields that the type requires.
    required: BTreeSet<String>,
    /// The named schemas that were compared, each with the type that it was compared with: they may refer to
    /// themselves.
    seen: BTreeSet<(String, String)>,
    found: Vec<String>,
}

impl Comparison<'_> {
    /// Compares one location; `nullable` where a type may be null.
    fn compare(&mut self, documented: &Value, typed: &Value, pointer: &str, nullable: bool) {
        let (typed, takes_null) = self.typed(typed);
        if nullable && !takes_null {
            self.report(pointer, "may be null, the type does not take it");
        }
        let (kind, received) = (self.kind(documented), typed["type"].as_str().unwrap_or("any"));
        if kind != received {
            self.report(pointer, &format!("documented as {kind}, the type has {received}"));
        } else if let Some(name) = name(documented) {
            if self.seen.insert((name.to_owned(), typed.to_string())) {
                self.compare_inside(documented, &typed, &format!("/components/schemas/{name}"));
            }
        } else {
            self.compare_inside(documented, &typed, pointer);
        }
    }

    /// Compares the contents of two schemas of one kind.
    fn compare_inside(&mut self, documented: &Value, typed: &Value, pointer: &str) {
        let parts = parts(documented, self.contract);
        let part = |keyword: &str| parts.iter().find_map(|part| part.get(keyword));
        if !self.response {
            self.compare_format(part("format"), typed.get("format"), pointer);
        }
        match typed["type"].as_str() {
            Some("array") => {
                let items = part("items").cloned().unwrap_or_default();
                self.compare(&items, &typed["items"], &format!("{pointer}/items"), false);
            }
            Some("object") if part("properties").is_some() => self.compare_fields(&parts, typed, pointer),
            _ => {}
        }
    }

    fn compare_format(&mut self, documented: Option<&Value>, typed: Option<&Value>, pointer: &str) {
        if let Some(format) = documented.and_then(Value::as_str) {
            let typed = typed.and_then(Value::as_str).unwrap_or_default();
            if format != typed {
                self.report(
                    pointer,
                    &format!("documented with format `{format}`, the type has `{typed}`"),
                );
            }
        }
    }

    fn compare_fields(&mut self, parts: &[&Value], typed: &Value, pointer: &str) {
        let mut documented = BTreeMap::<&str, Vec<&Value>>::new();
        for (name, field) in parts.iter().flat_map(|part| part["properties"].as_object()).flatten() {
            documented.entry(name).or_default().push(field);
        }
        let none = Map::new();
        let has = typed["properties"].as_object().unwrap_or(&none);
        for (name, fields) in &documented {
            let location = format!("{pointer}/properties/{name}");
            let forbidden = fields.iter().any(|field| field["not"].is_object());
            match (forbidden, has.get(*name)) {
                (true, None) => {}
                (true, Some(_)) => self.report(&location, "documented as absent, the type has it"),
                (false, None) => {
                    let kind = self.kind(fields[0]);
                    self.report(&location, &format!("documented as {kind}, the type has no such field"));
                }
                (false, Some(typed)) => self.compare(fields[0], typed, &location, !self.required.contains(&location)),
            }
        }
        for name in has.keys().filter(|name| !documented.contains_key(name.as_str())) {
            self.report(
                &format!("{pointer}/properties/{name}"),
                "is not documented, the type has it",
            );
        }
        let required = typed["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let required: BTreeSet<_> = required.collect();
        for name in documented.keys() {
            let location = format!("{pointer}/properties/{name}");
            match (self.required.contains(&location), required.contains(name)) {
                (true, false) => self.report(&location, "was found to be required, the type does not require it"),
                (false, true) => self.report(&location, "may be missing, the type requires it"),
                _ => {}
            }
        }
    }

    fn kind(&self, documented: &Value) -> String {
        let parts = parts(documented, self.contract);
        let has_fields = parts.iter().any(|part| part.get("properties").is_some());
        let kind = parts.iter().find_map(|part| part["type"].as_str());
        kind.or(has_fields.then_some("object")).unwrap_or("any").to_owned()
    }

    /// What a schema of `schemars` refers to, and whether it takes null: `anyOf` with null, or null among the types.
    fn typed(&self, schema: &Value) -> (Value, bool) {
        if let Some([inner, null]) = schema["anyOf"].as_array().map(Vec::as_slice) {
            return (self.typed(inner).0, null["type"] == "null");
        }
        if let Some(target) = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#')) {
            return self.typed(self.root.pointer(target).unwrap());
        }
        if let Some([kind, null]) = schema["type"].as_array().map(Vec::as_slice) {
            let mut one = schema.clone();
            one["type"] = kind.clone();
            return (one, null == "null");
        }
        let any = schema.get("type").is_none();
        (schema.clone(), any)
    }

    fn report(&mut self, pointer: &str, difference: &str) {
        self.found.push(format!("{pointer}: {difference}"));
    }
}

/// A schema with all that `allOf` and references add to it.
fn parts<'a>(schema: &'a Value, contract: &'a Value) -> Vec<&'a Value> {
    if let Some(target) = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#')) {
        return parts(contract.pointer(target).unwrap(), contract);
    }
    let inner = schema["allOf"].as_array().into_iter().flatten();
    let inner = inner.flat_map(|part| parts(part, contract));
    std::iter::once(schema).chain(inner).collect()
}
