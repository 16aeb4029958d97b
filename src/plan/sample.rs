//! Makes values that a schema of the contract admits. The main type is [`SampleMaker`].
//!
//! # Design
//!
//! Each keyword suggests a few candidates, and the validator that judges responses picks the first that the schema
//! admits: no combination of keywords has to be understood here. A string carries the run's own text wherever it fits,
//! so that two of them differ and a person recognises what the run left behind.

use jsonschema_regex::pattern_witness;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Map, Number, Value, json};

use super::rights::may_hold_any_object;
use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::json_schema;
use crate::exchange::CompiledSchema;

/// The name under which the run puts its tag into a map, and into an object in which callers may keep data of their
/// own, such as `metadata`: its *note*.
pub(super) const NOTE: &str = "countersign";

/// The longest string that is made where a schema asks for a long one, in characters.
const LONGEST: usize = 10_000;

/// The maximum number of digits in a string that is varied within its pattern: phone numbers have more.
const MOST_DIGITS: usize = 6;

/// The maximum number of elements in an array that is made.
pub(super) const MAX_ELEMENTS: u64 = 10;

/// The maximum number of arrays that a value is nested in, and of schemas that refer to each other
/// in a row.
pub(super) const DEPTH: usize = 4;

/// Where an identifier may be expected, a number between this and twice this is sent: few lists have that many records,
/// and an integer of 32 bits holds it.
pub(super) const UNLIKELY_IDENTIFIERS_FROM: u32 = 1_000_000_000;

/// The values for the formats of dates and times, each with the one for a field that ends a period.
const DATE: (&str, &str) = ("2024-05-17", "2024-05-18");
const INSTANT: (&str, &str) = ("2024-05-17T09:30:00Z", "2024-05-17T10:30:00Z");
const TIME: (&str, &str) = ("09:30:00Z", "10:30:00Z");

/// Returns the value for the end of a period that begins with this one, if it is one that is made here.
pub(super) fn end_of_period(value: &Value) -> Option<Value> {
    let mut periods = [DATE, INSTANT, TIME].into_iter();
    periods.find_map(|(start, end)| (value == start).then(|| Value::from(end)))
}

/// What values are made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleMaker<'run> {
    pub(super) contract: &'run Contract,
    /// The run's own text.
    pub(super) text: &'run str,
    /// The number of the value in the run.
    pub(super) number: u64,
    /// Whether what the schema itself suggests, by `example` and `default`, is a candidate, and then the first.
    pub(super) examples: bool,
}

impl SampleMaker<'_> {
    /// Returns a value that the schema admits.
    ///
    /// # Errors
    ///
    /// The keyword that admits none of the candidates.
    pub(super) fn of(&self, schema: &Node) -> Result<Value, &'static str> {
        self.at_depth(schema, 0)
    }

    fn at_depth(&self, schema: &Node, depth: usize) -> Result<Value, &'static str> {
        let node = self.contract.referred(schema);
        let suggested = ["example", "default"].iter().filter_map(|name| node.member(name));
        let mut candidates: Vec<_> = suggested.filter(|_| self.examples).map(Node::to_value).collect();
        let listed = node.elements_of("enum");
        candidates.extend(listed.iter().map(Node::to_value));
        let kind = node.text_of("type");
        let parts = ["allOf", "anyOf", "oneOf"].iter().filter_map(|name| node.member(name));
        match kind {
            _ if !listed.is_empty() => {}
            None if depth < DEPTH => {
                let parts = parts.flat_map(Node::elements);
                candidates.extend(parts.filter_map(|part| self.at_depth(part, depth + 1).ok()));
            }
            Some("array") => candidates.extend(self.array(node, depth)),
            Some("boolean") => candidates.extend([json!(true), json!(false)]),
            Some("integer") => candidates.extend(numbers(node, true)),
            Some("number") => candidates.extend(numbers(node, false)),
            Some("string") => candidates.extend(self.strings(node).into_iter().map(Value::String)),
            _ => {}
        }
        self.first_admitted((node, depth), candidates)
    }

    /// Returns the first of the candidates that the schema admits.
    fn first_admitted(&self, (node, depth): (&Node, usize), mut candidates: Vec<Value>) -> Result<Value, &'static str> {
        let parts = node.member("allOf").filter(|_| depth < DEPTH);
        for part in parts.map_or(&[][..], Node::elements) {
            let part = (self.contract.referred(part), depth + 1);
            candidates.retain(|candidate| self.first_admitted(part, vec![candidate.clone()]).is_ok());
        }
        let stated = json_schema::keywords(node);
        if stated.is_empty() {
            return candidates.into_iter().next().ok_or("type");
        }
        let asserted = json_schema::assertions(&self.contract.document, node);
        let compiled = CompiledSchema::compile(Some(&asserted));
        let mut rejecting = stated.first().copied().unwrap_or("type");
        for candidate in candidates {
            let Some(violation) = compiled.first_violation(&candidate) else {
                return Ok(candidate);
            };
            rejecting = stated
                .iter()
                .find(|keyword| **keyword == violation.keyword)
                .unwrap_or(&rejecting);
        }
        Err(rejecting)
    }

    /// Returns an array with as few elements as the schema admits, but one at least if it admits one.
    fn array(&self, node: &Node, depth: usize) -> Option<Value> {
        let items = node.member("items").filter(|_| depth < DEPTH)?;
        let least = size(node, "minItems").unwrap_or(0).max(1);
        let count = least.min(size(node, "maxItems").unwrap_or(least)).min(MAX_ELEMENTS);
        let mut elements = Vec::new();
        for index in 0..count {
            let text = if index == 0 {
                self.text.to_owned()
            } else {
                format!("{}-{index}", self.text)
            };
            let sample = SampleMaker {
                text: &text,
                number: self.number + index,
                ..*self
            };
            let mut element = sample.at_depth(items, depth + 1).ok()?;
            // Elements that must differ and are not strings of the run are the next ones in the
            // schema's `enum`, or the next numbers.
            if elements.contains(&element) {
                element = self.other(items, &elements)?;
            }
            elements.push(element);
        }
        Some(Value::Array(elements))
    }

    /// Returns a map with the run's own text under as many names as the schema requires, but one at least: under
    /// `first`, and then under names of the run's own.
    ///
    /// # Errors
    ///
    /// The keyword that admits none.
    pub(super) fn map(&self, schema: &Node, first: Option<&str>) -> Result<Value, &'static str> {
        let node = self.contract.referred(schema);
        let text = self.of(node.member("additionalProperties").ok_or("type")?)?;
        let least = size(node, "minProperties").unwrap_or(0).clamp(1, MAX_ELEMENTS);
        let names = first.map(str::to_owned).into_iter().chain(self.names(node));
        let mut members = Map::new();
        for name in names {
            if members.len() as u64 == least {
                break;
            }
            members.insert(name, text.clone());
        }
        self.first_admitted((node, 0), vec![Value::Object(members)])
    }

    /// Returns names of the run's own that a map may have: those that its schema lists, or else made by their schema.
    fn names(&self, map: &Node) -> Vec<String> {
        let schema = json_schema::property_names(map).map(|names| self.contract.referred(names));
        let listed = schema.and_then(|schema| schema.member("enum"));
        if let Some(listed) = listed {
            let listed = listed.elements().iter().filter_map(Node::string);
            return listed
                .filter(|name| may_hold_any_object(name))
                .map(str::to_owned)
                .collect();
        }
        let made = |number: u64| {
            let text = if number == 0 {
                NOTE.to_owned()
            } else {
                format!("{NOTE}{}", number + 1)
            };
            let Some(schema) = schema else { return Some(text) };
            let sample = SampleMaker {
                text: &text,
                number,
                ..*self
            };
            let candidates = sample.strings(schema).into_iter().map(Value::String).collect();
            let name = sample.first_admitted((schema, 0), candidates).ok()?;
            name.as_str().map(str::to_owned)
        };
        (0..MAX_ELEMENTS).filter_map(made).collect()
    }

    /// Returns the values that a schema admits, where it leaves a choice: both booleans, the members of an `enum`, or
    /// two numbers. A wide number, which may identify a record, has none.
    pub(super) fn alternatives(&self, schema: &Node) -> Vec<Value> {
        let node = self.contract.referred(schema);
        let kind = node.text_of("type");
        let listed = node
            .member("enum")
            .map(|listed| listed.elements().iter().map(Node::to_value));
        let candidates: Vec<_> = match (listed, kind) {
            (Some(listed), _) => listed.collect(),
            (None, Some("boolean")) => vec![json!(true), json!(false)],
            (None, Some("integer" | "number")) if !is_wide_number(node) => {
                let first = self.of(node).ok();
                let second = first
                    .as_ref()
                    .and_then(|first| self.other(node, std::slice::from_ref(first)));
                return first.into_iter().chain(second).collect();
            }
            _ => Vec::new(),
        };
        let admitted = |candidate: &Value| self.first_admitted((node, 0), vec![candidate.clone()]).is_ok();
        candidates.into_iter().filter(admitted).collect()
    }

    /// Returns a value for an element that differs from those that are taken.
    fn other(&self, items: &Node, taken: &[Value]) -> Option<Value> {
        let node = self.contract.referred(items);
        let listed = node.elements_of("enum");
        let mut others: Vec<_> = listed.iter().map(Node::to_value).collect();
        if others.is_empty() {
            let last = taken.last().and_then(Value::as_i64)?;
            let step = node.member("multipleOf").map(Node::to_value);
            let step = step.and_then(|step| step.as_i64()).unwrap_or(1);
            others.push(json!(last.checked_add(step)?));
        }
        others.retain(|other| !taken.contains(other));
        self.first_admitted((node, 0), others).ok()
    }

    /// Returns candidates for a string, by format, pattern and length.
    fn strings(&self, node: &Node) -> Vec<String> {
        let least = size(node, "minLength").unwrap_or(0);
        let most = size(node, "maxLength").unwrap_or(u64::MAX);
        let length = |bound: u64| usize::try_from(bound).unwrap_or(usize::MAX).min(LONGEST);
        let fit = |text: &str| fitted(text, length(least), length(most));
        let mut candidates = Vec::new();
        if let Some(format) = node.text_of("format") {
            candidates.extend(self.formatted(format));
        }
        if let Some(pattern) = node.text_of("pattern") {
            let plain: String = self.text.chars().filter(char::is_ascii_alphanumeric).collect();
            let letters: String = plain.chars().filter(char::is_ascii_alphabetic).collect();
            let digits: String = plain.chars().filter(char::is_ascii_digit).collect();
            candidates.extend([fit(self.text), fit(&plain), fit(&letters), fit(&digits)]);
            candidates.extend([fit(&plain.to_uppercase()), fit(&letters.to_uppercase())]);
            if let Some(witness) = pattern_witness(pattern) {
                candidates.extend(self.varied(&witness));
                // An unbounded repetition may go on until the string is long enough.
                candidates.push(witness.clone());
                candidates.extend(witness.chars().last().map(|last| {
                    let missing = length(least).saturating_sub(witness.chars().count());
                    witness.chars().chain(std::iter::repeat_n(last, missing)).collect()
                }));
            }
        }
        candidates.push(fit(self.text));
        candidates
    }

    /// Returns variants of a string that a pattern admits, with other digits and letters: the first may not fit the
    /// pattern, the later ones change less. In a field whose values must differ, the bodies of a run and of the runs
    /// after it would otherwise collide. There are none of a string that may be an address, or the number of a phone or
    /// an account: a variant could be somebody's.
    fn varied(&self, witness: &str) -> Vec<String> {
        let is_code = |letter: char| letter.is_ascii_alphanumeric() || "-_ ".contains(letter);
        let digits = witness.chars().filter(char::is_ascii_digit).count();
        if !witness.chars().all(is_code) || digits > MOST_DIGITS {
            return Vec::new();
        }
        let with = |changes: fn(char) -> bool, last_letter: u8| {
            let mut random = self.random();
            let other = |letter: char| match letter {
                _ if !changes(letter) => letter,
                '0'..='9' => char::from(b'0' + below(&mut random, 10)),
                'a'..='z' => char::from(b'a' + below(&mut random, last_letter)),
                'A'..='Z' => char::from(b'A' + below(&mut random, last_letter)),
                _ => letter,
            };
            witness.chars().map(other).collect()
        };
        vec![
            with(|letter| letter.is_ascii_alphanumeric(), 26),
            with(|letter| letter.is_ascii_alphanumeric(), 6),
            with(|letter| letter.is_ascii_digit(), 26),
        ]
    }

    /// Returns a random generator, seeded with the run's own text and the number of the value.
    fn random(&self) -> ChaCha8Rng {
        let of_text = |hash: u64, byte: u8| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
        let mut random = ChaCha8Rng::seed_from_u64(self.text.bytes().fold(self.number, of_text));
        random.set_stream(self.number);
        random
    }

    /// Returns a string in this format; `None` for a format that is not known.
    fn formatted(&self, format: &str) -> Option<String> {
        let text = self.text;
        Some(match format {
            "byte" => "Y291bnRlcnNpZ24=".to_owned(),
            "date" => DATE.0.to_owned(),
            "date-time" => INSTANT.0.to_owned(),
            "duration" => "PT1H".to_owned(),
            "email" => format!("{}@example.com", text.replacen('-', ".", 1)),
            "hostname" => "countersign.example.com".to_owned(),
            "ipv4" => "192.0.2.1".to_owned(),
            "ipv6" => "2001:db8::1".to_owned(),
            "time" => TIME.0.to_owned(),
            "uri" | "url" | "uri-reference" => format!("https://example.com/{text}"),
            "uuid" => {
                let mut bytes = [0; 16];
                self.random().fill_bytes(&mut bytes);
                uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
            }
            _ => return None,
        })
    }
}

/// Returns a random number below `limit`.
fn below(random: &mut ChaCha8Rng, limit: u8) -> u8 {
    u8::try_from(random.next_u32() % u32::from(limit)).unwrap_or(0)
}

/// Returns the text in a length that is admitted: without its beginning, or with letters added at
/// its end.
fn fitted(text: &str, least: usize, most: usize) -> String {
    let count = text.chars().count();
    let mut fitted: String = text.chars().skip(count.saturating_sub(most)).collect();
    fitted.extend(std::iter::repeat_n('x', least.saturating_sub(count)));
    fitted
}

/// Returns the count that a keyword states.
fn size(node: &Node, keyword: &str) -> Option<u64> {
    node.member(keyword)?.to_value().as_u64()
}

/// Returns candidates for a number: the lowest within the bounds or else 1, and multiples of
/// `multipleOf` near the bounds.
fn numbers(node: &Node, whole: bool) -> Vec<Value> {
    let bound = |name: &str| node.member(name).map(Node::to_value).and_then(|bound| bound.as_f64());
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let (least, most) = (bound("minimum"), bound("maximum"));
    let mut candidates = Vec::new();
    candidates.extend(least.filter(|least| *least > 1.0));
    candidates.push(1.0);
    let step = step.unwrap_or(1.0);
    candidates.extend([step, 0.0]);
    for bound in [least, most].into_iter().flatten() {
        let near = (bound / step).ceil() * step;
        candidates.extend([near, near + step, near - step, bound]);
    }
    if let (Some(least), Some(most)) = (least, most) {
        candidates.push(f64::midpoint(least, most));
    }
    candidates.retain(|number| !whole || number.fract() == 0.0);
    candidates.into_iter().filter_map(to_json).collect()
}

/// Returns the number as JSON, without a fraction where it has none.
fn to_json(number: f64) -> Option<Value> {
    let integer = format!("{number:.0}").parse::<i64>().ok();
    match integer.filter(|_| number.fract() == 0.0) {
        Some(integer) => Some(json!(integer)),
        None => Number::from_f64(number).map(Value::Number),
    }
}

/// Whether the schema describes a number that leaves room for the identifier of a record.
pub(super) fn is_wide_number(node: &Node) -> bool {
    let kind = node.text_of("type");
    let leaves_room = |most: &Node| {
        let most = most.to_value().as_f64();
        most.is_some_and(|most| most >= f64::from(UNLIKELY_IDENTIFIERS_FROM) * 2.0)
    };
    matches!(kind, Some("integer" | "number")) && node.member("maximum").is_none_or(leaves_room)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_PATHS: &str = "openapi: 3.0.3
info: {title: A, version: '1'}
paths: {/a: {get: {responses: {'200': {description: a}}}}}
";

    /// Makes a value by the schema of the only component of a contract.
    fn made(schema: &str, examples: bool) -> Result<Value, &'static str> {
        let text = format!("{NO_PATHS}components: {{schemas: {{A: {schema}}}}}\n");
        let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let sample = SampleMaker {
            contract: &contract,
            text: "countersign-7-x2",
            number: 4,
            examples,
        };
        sample.of(contract.document.node("/components/schemas/A").unwrap())
    }

    #[test]
    fn a_value_keeps_every_keyword_of_its_schema() {
        for (schema, value) in [
            ("{type: string}", json!("countersign-7-x2")),
            ("{type: string, maxLength: 4}", json!("7-x2")),
            ("{type: string, minLength: 18}", json!("countersign-7-x2xx")),
            ("{type: string, maxLength: 0}", json!("")),
            ("{type: string, pattern: '^[a-z]+$', maxLength: 5}", json!("signx")),
            (
                "{type: string, pattern: '^[A-Z0-9]{3,6}$', maxLength: 6}",
                json!("IGN7X2"),
            ),
            ("{type: string, pattern: '^\\d{4}-\\d{2}$'}", json!("4334-46")),
            ("{type: string, pattern: '^\\+\\d{10}$'}", json!("+0000000000")),
            ("{type: string, pattern: '^[a-z]+@[a-z]+$'}", json!("a@a")),
            ("{type: string, pattern: '^a+$', minLength: 3}", json!("aaa")),
            ("{type: string, format: date}", json!("2024-05-17")),
            (
                "{type: string, format: email, maxLength: 40}",
                json!("countersign.7-x2@example.com"),
            ),
            ("{type: string, format: of-our-own}", json!("countersign-7-x2")),
            ("{type: string, enum: [b, c]}", json!("b")),
            ("{type: string, enum: [bbb, c], maxLength: 1}", json!("c")),
            ("{type: boolean, enum: [false]}", json!(false)),
            ("{type: integer}", json!(1)),
            ("{type: integer, minimum: 5}", json!(5)),
            ("{type: integer, minimum: 5, exclusiveMinimum: true}", json!(6)),
            ("{type: integer, maximum: 0}", json!(0)),
            ("{type: integer, maximum: 0, exclusiveMaximum: true}", json!(-1)),
            ("{type: integer, minimum: 7, multipleOf: 5}", json!(10)),
            ("{type: integer, multipleOf: 4}", json!(4)),
            (
                "{type: number, minimum: 0.25, maximum: 0.75, exclusiveMinimum: true, exclusiveMaximum: true}",
                json!(0.5),
            ),
            ("{type: array, items: {type: integer}}", json!([1])),
            ("{allOf: [{type: integer, minimum: 3}], nullable: true}", json!(3)),
            ("{oneOf: [{type: object}, {type: string, maxLength: 2}]}", json!("x2")),
            ("{allOf: [{type: string}, {type: string, maxLength: 2}]}", json!("x2")),
            ("{type: array, maxItems: 0, items: {type: integer}}", json!([])),
            (
                "{type: array, minItems: 3, uniqueItems: true, items: {type: integer, multipleOf: 2}}",
                json!([2, 4, 6]),
            ),
            ("{type: array, minItems: 2, items: {enum: [x, y]}}", json!(["x", "y"])),
            (
                "{type: array, minItems: 2, items: {type: string}}",
                json!(["countersign-7-x2", "countersign-7-x2-1"]),
            ),
        ] {
            assert_eq!(made(schema, false), Ok(value), "{schema}");
        }
    }

    #[test]
    fn what_the_schema_suggests_comes_first_where_the_schema_admits_it() {
        for (schema, value) in [
            ("{type: string, example: e}", json!("e")),
            ("{type: string, default: d}", json!("d")),
            ("{type: string, example: too long, maxLength: 3}", json!("-x2")),
            ("{type: integer, example: -3, minimum: 0, default: 2}", json!(2)),
        ] {
            assert_eq!(made(schema, true), Ok(value), "{schema}");
        }
        assert_eq!(made("{type: integer, example: 7}", false), Ok(json!(1)));
    }

    /// A pattern without room for the run's own text.
    #[test]
    fn strings_by_a_pattern_differ_between_runs_and_within_one() {
        let contract = Contract::read(
            "a.yaml",
            format!("{NO_PATHS}components: {{schemas: {{A: {{type: string, pattern: '^SKU-[0-9]{{4}}$'}}}}}}\n"),
        )
        .unwrap_or_else(|defect| panic!("{defect}"));
        let schema = contract.document.node("/components/schemas/A").unwrap();
        let of = |text: &str, number| {
            let sample = SampleMaker {
                contract: &contract,
                text,
                number,
                examples: false,
            };
            sample.of(schema).unwrap()
        };
        let made = [
            of("countersign-7-x2", 1),
            of("countersign-7-x3", 2),
            of("countersign-8-x2", 1),
        ];
        assert!(
            made[0] != made[1] && made[0] != made[2] && made[1] != made[2],
            "{made:?}"
        );
        assert_eq!(made[0], of("countersign-7-x2", 1));
    }

    #[test]
    fn the_names_in_a_map_keep_their_schema() {
        for (keywords, names) in [
            ("", &["countersign"][..]),
            ("propertyNames: {pattern: '^[a-z]{2}$'}, ", &["mj"]),
            (
                "propertyNames: {enum: [admin, en, fr]}, minProperties: 2, ",
                &["en", "fr"],
            ),
            ("minProperties: 2, ", &["countersign", "countersign2"]),
        ] {
            let text = format!(
                "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\npaths: {{}}\ncomponents: {{schemas: {{A: {{\
                 type: object, {keywords}additionalProperties: {{type: string}}}}}}}}\n"
            );
            let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let sample = SampleMaker {
                contract: &contract,
                text: "countersign-7-x2",
                number: 4,
                examples: false,
            };
            let map = sample
                .map(contract.document.node("/components/schemas/A").unwrap(), None)
                .unwrap();
            let made: Vec<_> = map.as_object().unwrap().keys().collect();
            assert_eq!(made, names, "{keywords}");
            assert!(map.as_object().unwrap().values().all(|text| text == "countersign-7-x2"));
        }
    }

    #[test]
    fn the_keyword_that_admits_nothing_is_named() {
        for (schema, keyword) in [
            ("{type: integer, minimum: 2, maximum: 1}", "minimum"),
            ("{type: string, format: ipv4, maxLength: 3}", "format"),
            ("{type: string, pattern: '^a$', minLength: 9}", "pattern"),
            ("{type: string, pattern: '^(?!x)a+$'}", "pattern"),
            ("{type: object}", "type"),
            ("{}", "type"),
        ] {
            assert_eq!(made(schema, true), Err(keyword), "{schema}");
        }
    }
}
