//! Makes values that a schema of OpenAPI 3.0 admits, from a seed. The main type is [`Maker`].
//!
//! It reads the document as plain JSON and shares nothing with the checker's reader, so that a mistake in one shows up
//! against the other. It leaves out what it cannot make: a value is only a proposal, and [`admits`] decides.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Map, Number, Value, json};

/// How deep a value nests at most.
const DEEPEST: usize = 24;
/// How deep optional fields and elements are made.
const DEEP: usize = 7;
/// How many optional fields and elements a value has at most.
const BUDGET: usize = 300;

/// Makes values of the schemas of one document.
pub(crate) struct Maker<'document> {
    document: &'document Value,
    random: ChaCha8Rng,
    budget: usize,
}

/// The schemas that bind one value together, and the name that a discriminator gives it.
#[derive(Default)]
struct Bound<'document> {
    parts: Vec<&'document Value>,
    named: Vec<(String, String)>,
}

impl<'document> Maker<'document> {
    pub(crate) fn new(document: &'document Value, seed: u64) -> Self {
        Self {
            document,
            random: ChaCha8Rng::seed_from_u64(seed),
            budget: BUDGET,
        }
    }

    /// A value of the schema; none where none was found.
    pub(crate) fn value(&mut self, schema: &'document Value) -> Option<Value> {
        self.budget = BUDGET;
        self.made(&[schema], 0)
    }

    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.random.next_u64() >> 16).unwrap_or(0) % bound.max(1)
    }

    fn made(&mut self, schemas: &[&'document Value], depth: usize) -> Option<Value> {
        let mut bound = Bound::default();
        for schema in schemas {
            self.bind(schema, &mut bound, 0);
        }
        let parts = &bound.parts;
        if depth > DEEPEST || parts.iter().any(|part| part.get("not") == Some(&json!({}))) {
            return None;
        }
        let typed = || parts.iter().filter(|part| part.get("type").is_some());
        if typed().count() > 0 && typed().all(|part| part["nullable"] == true) && self.below(8) == 0 {
            return Some(Value::Null);
        }
        if let Some(values) = parts.iter().find_map(|part| part.get("enum")?.as_array()) {
            return values.get(self.below(values.len())).cloned();
        }
        match kind(parts) {
            Some("string") => self.string(parts),
            Some("integer") => self.number(parts, true),
            Some("number") => self.number(parts, false),
            Some("boolean") => Some(Value::Bool(self.below(2) == 0)),
            Some("array") => self.array(parts, depth),
            Some("object") => self.object(&bound, depth),
            Some(_) => None,
            None => {
                let any = [json!("text"), json!(7), json!({}), json!([]), json!(true)];
                any.get(self.below(any.len())).cloned()
            }
        }
    }

    /// Collects what binds a value: references followed, `allOf` flattened, one alternative of each choice taken.
    fn bind(&mut self, schema: &'document Value, bound: &mut Bound<'document>, depth: usize) {
        if depth > 64 || bound.parts.iter().any(|part| std::ptr::eq(*part, schema)) {
            return;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            if let Some(target) = self.document.pointer(&decoded(reference)) {
                self.bind(target, bound, depth + 1);
            }
            return;
        }
        bound.parts.push(schema);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.bind(part, bound, depth + 1);
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(alternatives) = schema[choice].as_array().filter(|found| !found.is_empty()) {
                let alternative = &alternatives[self.below(alternatives.len())];
                bound.named.extend(discriminated(schema, alternative));
                self.bind(alternative, bound, depth + 1);
            }
        }
    }

    fn string(&mut self, parts: &[&Value]) -> Option<Value> {
        let least = most_of(parts, "minLength").unwrap_or(0);
        let longest = least_of(parts, "maxLength").unwrap_or(u64::MAX);
        let fits = |text: &String| (least..=longest).contains(&(text.chars().count() as u64));
        if let Some(pattern) = parts.iter().find_map(|part| part["pattern"].as_str()) {
            let tries = (0..40).filter_map(|_| self.matching(pattern));
            return tries.into_iter().find(fits).map(Value::String);
        }
        let format = parts.iter().find_map(|part| part["format"].as_str());
        let mut text = formatted(format.unwrap_or_default()).to_owned();
        if format.is_none() {
            let wanted = usize::try_from(least).ok()?.min(10_000);
            text.extend(std::iter::repeat_n('x', wanted.saturating_sub(text.len())));
            text.truncate(usize::try_from(longest).unwrap_or(usize::MAX));
        }
        Some(text).filter(fits).map(Value::String)
    }

    /// A text that the pattern of ECMA 262 finds itself in.
    fn matching(&mut self, pattern: &str) -> Option<String> {
        let generator = rand_regex::Regex::compile(&generable(pattern), 8).ok()?;
        let text: String = rand::RngExt::sample(&mut self.random, &generator);
        let read = regress::Regex::with_flags(pattern, "u").ok()?;
        read.find(&text).map(|_| text)
    }

    fn number(&mut self, parts: &[&Value], whole: bool) -> Option<Value> {
        let bounds = |name: &str| parts.iter().filter_map(|part| part[name].as_f64()).collect::<Vec<_>>();
        let (least, most) = (bounds("minimum"), bounds("maximum"));
        let step = bounds("multipleOf")
            .first()
            .copied()
            .unwrap_or(if whole { 1.0 } else { 0.5 });
        let mut tries = vec![0.0, 1.0, 7.0, step, 42.0 * step];
        for bound in least.iter().chain(&most) {
            let near = (bound / step).floor() * step;
            tries.extend([
                *bound,
                near,
                near + step,
                near - step,
                near + 2.0 * step,
                bound + 0.001,
                bound - 0.001,
            ]);
        }
        let strict = |part: &&Value, name: &str| part[name] == true;
        let fits = |number: &f64| {
            let number = *number;
            (!whole || number.fract() == 0.0)
                && ((number / step).fract() == 0.0 || bounds("multipleOf").is_empty())
                && parts.iter().all(|part| {
                    let low = part["minimum"].as_f64().unwrap_or(f64::NEG_INFINITY);
                    let high = part["maximum"].as_f64().unwrap_or(f64::INFINITY);
                    (number > low || (number == low && !strict(part, "exclusiveMinimum")))
                        && (number < high || (number == high && !strict(part, "exclusiveMaximum")))
                })
        };
        tries.retain(fits);
        let number = *tries.get(self.below(tries.len()))?;
        // Within 2^53 a double is the integer, and JSON may write it with a fraction (RFC 8259, section 6).
        let written = format!("{number:.0}")
            .parse::<i64>()
            .ok()
            .filter(|_| number.fract() == 0.0);
        match written {
            Some(integer) if self.below(6) > 0 => Some(json!(integer)),
            _ => Number::from_f64(number).map(Value::Number),
        }
    }

    fn array(&mut self, parts: &[&'document Value], depth: usize) -> Option<Value> {
        let least = most_of(parts, "minItems").unwrap_or(0);
        let most = least_of(parts, "maxItems").unwrap_or(u64::MAX).min(least.max(3));
        let wanted = if depth > DEEP || self.budget == 0 {
            least
        } else {
            least.max(most.min(self.below(4) as u64))
        };
        let items: Vec<_> = parts.iter().filter_map(|part| part.get("items")).collect();
        let unique = parts.iter().any(|part| part["uniqueItems"] == true);
        let mut elements: Vec<Value> = Vec::new();
        for _ in 0..wanted.saturating_mul(if unique { 8 } else { 1 }) {
            if elements.len() as u64 >= wanted {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            match self.made(&items, depth + 1) {
                Some(element) if unique && elements.contains(&element) => {}
                Some(element) => elements.push(element),
                None => break,
            }
        }
        (elements.len() as u64 >= least).then_some(Value::Array(elements))
    }

    fn object(&mut self, bound: &Bound<'document>, depth: usize) -> Option<Value> {
        let parts = &bound.parts;
        let mut fields: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        let mut required = Vec::new();
        for part in parts {
            for (name, schema) in part["properties"].as_object().into_iter().flatten() {
                fields.entry(name).or_default().push(schema);
            }
            required.extend(
                part["required"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str),
            );
        }
        let closed = |name: &str| {
            let closing = |part: &&&Value| part["additionalProperties"] == false;
            parts
                .iter()
                .filter(closing)
                .any(|part| part["properties"].get(name).is_none())
        };
        for name in &required {
            fields.entry(name).or_default();
        }
        let least = most_of(parts, "minProperties").unwrap_or(0);
        let most = least_of(parts, "maxProperties").unwrap_or(u64::MAX);
        let mut object = Map::new();
        for (name, schemas) in &fields {
            let input_only = schemas.iter().any(|schema| self.resolved(schema)["writeOnly"] == true);
            let needed = required.contains(name) && !input_only;
            let spared = input_only || closed(name) || depth > DEEP || self.budget == 0 || self.below(10) < 3;
            if !needed && (spared || object.len() as u64 + required.len() as u64 >= most) {
                continue;
            }
            self.budget = self.budget.saturating_sub(1);
            let named = bound.named.iter().find(|(property, _)| property == name);
            let free = |schema: &&&Value| schema.get("enum").is_none() && schema["type"] == "string";
            let made = match named.filter(|_| schemas.iter().all(|schema| free(&&self.resolved(schema)))) {
                Some((_, value)) => Some(json!(value)),
                None => self.made(schemas, depth + 1),
            };
            match made {
                Some(value) => drop(object.insert((*name).to_owned(), value)),
                None if needed => return None,
                None => {}
            }
        }
        self.additional(parts, (least, most), &mut object, depth);
        Some(Value::Object(object))
    }

    /// Adds a field that has no name of its own where the schemas document such.
    fn additional(
        &mut self,
        parts: &[&'document Value],
        (least, most): (u64, u64),
        object: &mut Map<String, Value>,
        depth: usize,
    ) {
        let stated: Vec<_> = parts
            .iter()
            .filter_map(|part| part.get("additionalProperties"))
            .collect();
        if stated.is_empty() || stated.contains(&&Value::Bool(false)) || depth > DEEP {
            return;
        }
        let schemas: Vec<_> = stated.into_iter().filter(|stated| stated.is_object()).collect();
        for count in 0..least.max(self.below(2) as u64) {
            if object.len() as u64 >= most.min(least.max(object.len() as u64 + 1)) {
                return;
            }
            if let Some(value) = self.made(&schemas, depth + 1) {
                object.insert(format!("additional{count}"), value);
            }
        }
    }

    fn resolved(&self, mut schema: &'document Value) -> &'document Value {
        for _ in 0..64 {
            let target = schema["$ref"]
                .as_str()
                .and_then(|it| self.document.pointer(&decoded(it)));
            match target {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }
}

/// The type that the schemas agree on, or that their keywords speak of; `!` where they contradict each other.
fn kind<'document>(parts: &[&'document Value]) -> Option<&'document str> {
    let mut stated: Vec<_> = parts.iter().filter_map(|part| part["type"].as_str()).collect();
    if stated.contains(&"integer") {
        stated.retain(|kind| *kind != "number");
    }
    stated.dedup();
    match stated[..] {
        [] => {}
        [kind] => return Some(kind),
        _ => return Some("!"),
    }
    let spoken = |names: &[&str]| {
        parts
            .iter()
            .any(|part| names.iter().any(|name| part.get(name).is_some()))
    };
    if spoken(&["properties", "additionalProperties", "required", "minProperties"]) {
        Some("object")
    } else if spoken(&["items", "minItems", "maxItems"]) {
        Some("array")
    } else if spoken(&["pattern", "minLength", "maxLength", "format"]) {
        Some("string")
    } else if spoken(&["minimum", "maximum", "multipleOf"]) {
        Some("number")
    } else {
        None
    }
}

fn most_of(parts: &[&Value], name: &str) -> Option<u64> {
    parts.iter().filter_map(|part| part[name].as_u64()).max()
}

fn least_of(parts: &[&Value], name: &str) -> Option<u64> {
    parts.iter().filter_map(|part| part[name].as_u64()).min()
}

/// The discriminator's property and its value for the alternative (OpenAPI 3.0.3, section 4.7.25).
fn discriminated(schema: &Value, alternative: &Value) -> Option<(String, String)> {
    let discriminator = schema.get("discriminator")?;
    let reference = alternative["$ref"].as_str()?;
    let name = reference.rsplit('/').next()?;
    let mapped = discriminator["mapping"].as_object().into_iter().flatten();
    let mut mapped = mapped.filter(|(_, target)| *target == reference || *target == name);
    let value = mapped.next().map_or(name, |(value, _)| value);
    Some((discriminator["propertyName"].as_str()?.to_owned(), value.to_owned()))
}

/// The pattern without what only rejects texts, which are tried until one fits, and with classes of ASCII alone, as
/// ECMA 262 has them.
fn generable(pattern: &str) -> String {
    let mut bare = pattern.to_owned();
    while let Some(start) = ["(?!", "(?="].iter().find_map(|look| bare.find(look)) {
        let mut depth = 0;
        let end = bare[start..].find(|character| {
            depth += i32::from(character == '(') - i32::from(character == ')');
            depth == 0
        });
        bare.replace_range(start..end.map_or(bare.len(), |end| start + end + 1), "");
    }
    for (class, ascii) in [("\\d", "[0-9]"), ("\\w", "[0-9A-Za-z_]"), ("\\s", "[ ]"), ("\\/", "/")] {
        bare = bare.replace(class, ascii);
    }
    let bare = bare.trim_start_matches('^');
    bare.strip_suffix('$').unwrap_or(bare).to_owned()
}

/// A text of the format.
fn formatted(format: &str) -> &'static str {
    match format {
        "byte" => "dGV4dA==",
        "date" => "2024-02-29",
        "date-time" => "2024-02-29T12:30:00Z",
        "email" => "ada@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" | "ip" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "time" => "12:30:00Z",
        "uri" | "url" => "https://example.com/a",
        "uuid" => "6a1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01",
        _ => "text",
    }
}

/// A local reference as a pointer.
fn decoded(reference: &str) -> String {
    let pointer = reference.strip_prefix('#').unwrap_or("/nowhere");
    percent_encoding::percent_decode_str(pointer)
        .decode_utf8_lossy()
        .into_owned()
}

/// Whether the schema admits the value, by a validator that is asked of the whole schema at once; none where the
/// validator cannot read it.
pub(crate) fn admits(document: &Value, schema: &Value, value: &Value) -> Option<bool> {
    let mut whole = plain(schema);
    whole["components"] = plain(&document["components"]);
    whole["paths"] = plain(&document["paths"]);
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    let validator = options.should_validate_formats(true).build(&whole).ok()?;
    Some(validator.is_valid(value))
}

/// The schema in the words of JSON Schema: `nullable` is a type, bounds are exclusive by their own value, and a
/// reference is alone.
fn plain(schema: &Value) -> Value {
    match schema {
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::Object(members) => {
            if let Some(reference @ Value::String(_)) = members.get("$ref") {
                return json!({ "$ref": reference });
            }
            let mut converted: Map<_, _> = members
                .iter()
                .map(|(name, inner)| (name.clone(), plain(inner)))
                .collect();
            for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
                match converted.remove(exclusive) {
                    Some(Value::Bool(true)) => {
                        if let Some(value) = converted.remove(bound) {
                            converted.insert(exclusive.to_owned(), value);
                        }
                    }
                    Some(Value::Bool(false)) | None => {}
                    Some(other) => drop(converted.insert(exclusive.to_owned(), other)),
                }
            }
            if let (Some(Value::Bool(true)), Some(Value::String(kind))) = (members.get("nullable"), members.get("type"))
            {
                converted.insert("type".to_owned(), json!([kind, "null"]));
            }
            for annotation in ["example", "discriminator", "xml", "id"] {
                if !members
                    .get(annotation)
                    .is_some_and(|it| it.get("type").is_some() || it.get("$ref").is_some())
                {
                    converted.remove(annotation);
                }
            }
            Value::Object(converted)
        }
        other => other.clone(),
    }
}
