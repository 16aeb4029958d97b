//! What is sent in an odd request: the part of it that a sound one has not. The main type is [`OddPart`].
//!
//! # Design
//!
//! Where only a part is odd the rest is sound, so that a service gets far enough to trip over it: an unknown identifier
//! comes with a body that was accepted, an odd text in a record that was. An identifier must be of no record, whatever the
//! target holds: it is a random UUID, or a text that no UUID and no number is.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::draft;
use super::template::Template;
use crate::contract::Contract;
use crate::contract::odd::{Odd, ParameterKind};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::Oddity;
use crate::history::Mark;

/// How many levels a deep body has.
const LEVELS: usize = 1_000;
/// How many fields of another type an operation is sent at most, one in each request: room for 50 texts, each of which can
/// be of four other types. The largest body of the built-in contract has 72 such pairs.
const MOST_FIELDS: usize = 200;
/// How many characters a long text has.
const CHARACTERS: usize = 10_000;
/// The largest integer that every JSON reader keeps (RFC 8259, section 6), and that of 32 bits.
const LARGEST: (&str, &str) = ("9007199254740991", "2147483647");

/// The part of a request that is odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OddPart {
    /// The body, as it is written.
    Body(String),
    /// A field of the body.
    Field(OddField),
    /// The path parameter.
    Identifier(String),
    /// The values of the query parameter, each in a pair of its own.
    Query(Vec<String>),
    /// A text in the body.
    Text(OddText),
}

/// Makes a text in a body odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OddText {
    oddity: Oddity,
    /// What chooses the text.
    random: u64,
}

/// Puts a value of another type into a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddField {
    /// Where it goes; each array on the way has one element.
    pointer: String,
    value: Value,
}

impl OddField {
    fn of(contract: &Contract, operation: OperationId, odd: &Odd) -> Self {
        let fields = &contract.operation(operation).fields;
        let field = odd.field.and_then(|index| fields.get(index));
        let value = match odd.oddity {
            Oddity::FieldNumber => json!(17),
            Oddity::FieldObject => json!({"countersign": 17}),
            Oddity::FieldText => json!("countersign"),
            Oddity::FieldTrue => json!(true),
            _ => Value::Null,
        };
        Self {
            pointer: field.map_or_else(String::new, |field| field.pointer.replace("/*", "/0")),
            value,
        }
    }

    /// Puts the value into the body. `learned` are the pointers of what the target showed; nothing of that is left at
    /// this place.
    pub fn insert(self, body: &mut Value, learned: &mut Vec<String>) {
        let below = format!("{}/", self.pointer);
        learned.retain(|at| *at != self.pointer && !at.starts_with(&below));
        draft::insert(body, &self.pointer, self.value);
    }
}

/// The odd requests to an operation in a run of this seed: each field in each other type that the contract names, one in
/// each request. Of more than [`MOST_FIELDS`] such pairs the seed draws so many.
///
/// A create that is sent awkward values in its own texts is sent no odd text beyond ASCII: these go beyond it, and more is
/// judged of what comes back.
pub(super) fn odd_requests(contract: &Contract, operation: OperationId, seed: u64) -> Vec<Odd> {
    let documented = contract.operation(operation);
    let creates = documented.creates();
    let all = documented.odd.iter().copied();
    let (mut fields, mut odd): (Vec<_>, Vec<_>) = all.partition(|odd| odd.oddity.is_of_a_field());
    let is_varied =
        creates && documented.laws.created.is_some() && Template::of(contract, operation).slots().have_texts();
    odd.retain(|odd| !(is_varied && odd.oddity == Oddity::TextBeyondAscii));
    if fields.len() > MOST_FIELDS {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(place(operation.0) << 32 | 0xffff_ffff);
        fields.sort_by_cached_key(|_| random.next_u64());
        fields.truncate(MOST_FIELDS);
    }
    odd.extend(fields);
    odd.sort_unstable();
    odd
}

fn place(index: usize) -> u64 {
    u64::try_from(index).unwrap_or(0)
}

impl OddPart {
    /// The odd part of a request of the operation in a run of this seed.
    #[must_use]
    pub fn of(contract: &Contract, operation: OperationId, odd: &Odd, seed: u64) -> Self {
        let mut random = random(operation, odd, seed);
        let query = |values: &[&str]| Self::Query(values.iter().map(|value| (*value).to_owned()).collect());
        match odd.oddity {
            Oddity::BodyArray => Self::Body(r#"["countersign"]"#.to_owned()),
            Oddity::BodyDeep => Self::Body(format!("{}{}", "[".repeat(LEVELS), "]".repeat(LEVELS))),
            Oddity::BodyEmpty => Self::Body(String::new()),
            Oddity::BodyNotJson => Self::Body("{\"countersign\":".to_owned()),
            Oddity::BodyNumber => Self::Body("17".to_owned()),
            Oddity::BodyText => Self::Body(r#""countersign""#.to_owned()),
            Oddity::FieldNull | Oddity::FieldNumber | Oddity::FieldObject | Oddity::FieldText | Oddity::FieldTrue => {
                Self::Field(OddField::of(contract, operation, odd))
            }
            Oddity::IdentifierMalformed => Self::Identifier(format!("no-identifier-{:016x}", random.next_u64())),
            Oddity::IdentifierUnknown => Self::Identifier(unknown(contract, operation, odd, &mut random)),
            Oddity::ParameterEmpty => query(&[""]),
            Oddity::ParameterHuge => query(&["1000000000000000000"]),
            Oddity::ParameterNegative => query(&["-1"]),
            Oddity::ParameterTwice => query(&["1", "2"]),
            Oddity::ParameterWord => query(&["countersign"]),
            Oddity::ParameterZero => query(&["0"]),
            Oddity::TextBeyondAscii | Oddity::TextControl | Oddity::TextLong => Self::Text(OddText {
                oddity: odd.oddity,
                random: random.next_u64(),
            }),
        }
    }
}

/// The same for the same request of the same seed, and another for every other.
fn random(operation: OperationId, odd: &Odd, seed: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(place(operation.0) << 32 | place(odd.turn) << 16 | place(odd.parameter.unwrap_or(0)));
    random
}

/// A well-formed identifier of no record.
fn unknown(contract: &Contract, operation: OperationId, odd: &Odd, random: &mut ChaCha8Rng) -> String {
    let documented = contract.operation(operation);
    let parameter = odd.parameter.and_then(|index| documented.parameters.get(index));
    let kind = parameter.map(|parameter| ParameterKind::of(&contract.document, documented, parameter));
    if kind == Some(ParameterKind::Number) {
        let schema = parameter.and_then(|parameter| contract.document.node(parameter.schema.as_deref()?));
        let format = schema.and_then(|schema| schema.member("format")?.text());
        let (largest, of_32_bits) = LARGEST;
        return if format == Some("int32") { of_32_bits } else { largest }.to_owned();
    }
    let mut bytes = [0; 16];
    random.fill_bytes(&mut bytes);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

impl OddText {
    /// Makes one text of the body odd; says whether there is one. `learned` are the pointers of what the target showed.
    ///
    /// It is a text that carries the run's mark, if there is one: the run's own name for what it writes. What is put
    /// before it leaves an address of `example.com` one. A text that the target showed is replaced.
    pub fn insert(self, body: &mut Value, learned: &mut Vec<String>, mark: &Mark) -> bool {
        let mut texts = Vec::new();
        collect(body, &mut String::new(), &mut texts);
        let of_the_target = |at: &String| learned.contains(at);
        let marked = |at: &String| {
            let text = body.pointer(at).and_then(Value::as_str);
            text.is_some_and(|text| text.contains(mark.as_str()))
        };
        let best = texts.iter().map(|at| (!marked(at), of_the_target(at))).min();
        texts.retain(|at| Some((!marked(at), of_the_target(at))) == best);
        let length = u64::try_from(texts.len()).unwrap_or(0);
        let index = self
            .random
            .checked_rem(length)
            .and_then(|index| usize::try_from(index).ok());
        let Some(at) = index.and_then(|index| texts.get(index)) else {
            return false;
        };
        let kept = if of_the_target(at) { "" } else { text_at(body, at) };
        let odd = self.before(kept);
        learned.retain(|other| other != at);
        if let Some(place) = body.pointer_mut(at) {
            *place = Value::String(odd);
        }
        true
    }

    fn before(self, text: &str) -> String {
        match self.oddity {
            Oddity::TextControl => format!("\u{0}\u{7}\u{1b}\r\n{text}"),
            Oddity::TextLong => {
                let left = CHARACTERS.saturating_sub(text.chars().count());
                format!("{}{text}", "a".repeat(left))
            }
            _ => format!("Ωμέγα-名前-🙂-e\u{301}-{text}"),
        }
    }
}

fn text_at<'body>(body: &'body Value, at: &str) -> &'body str {
    body.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

/// Collects the pointers of all texts.
fn collect(value: &Value, at: &mut String, texts: &mut Vec<String>) {
    let length = at.len();
    match value {
        Value::String(_) => texts.push(at.clone()),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                pointer::push(at, &index.to_string());
                collect(element, at, texts);
                at.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                pointer::push(at, name);
                collect(member, at, texts);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    fn mark() -> Mark {
        Mark::new(1, 1)
    }

    /// The odd part of the operation's request with this oddity.
    fn part(operation: &str, oddity: Oddity, seed: u64) -> OddPart {
        let contract = Contract::built_in().unwrap();
        let id = contract.operation_named(operation).unwrap();
        let mut odd = contract.operation(id).odd.iter();
        let odd = odd.find(|odd| odd.oddity == oddity).unwrap();
        OddPart::of(&contract, id, odd, seed)
    }

    fn odd_text(oddity: Oddity, random: u64) -> OddText {
        OddText { oddity, random }
    }

    #[test]
    fn a_page_is_odd_in_six_ways() {
        for (oddity, values) in [
            (Oddity::ParameterZero, &["0"][..]),
            (Oddity::ParameterNegative, &["-1"]),
            (Oddity::ParameterHuge, &["1000000000000000000"]),
            (Oddity::ParameterWord, &["countersign"]),
            (Oddity::ParameterTwice, &["1", "2"]),
            (Oddity::ParameterEmpty, &[""]),
        ] {
            let values = values.iter().map(|value| (*value).to_owned()).collect();
            assert_eq!(part("getTags", oddity, 1), OddPart::Query(values));
        }
    }

    #[test]
    fn an_unknown_identifier_is_a_random_uuid_of_the_seed_and_of_the_operation() {
        let unknown = |operation, seed| match part(operation, Oddity::IdentifierUnknown, seed) {
            OddPart::Identifier(text) => text,
            other => panic!("{other:?}"),
        };
        let text = unknown("updateContact", 1);
        assert_eq!(uuid::Uuid::parse_str(&text).unwrap().get_version_num(), 4);
        assert_eq!(unknown("updateContact", 1), text);
        assert_ne!(unknown("updateContact", 2), text);
        assert_ne!(unknown("createContactMethod", 1), text);
    }

    #[test]
    fn a_malformed_identifier_is_no_uuid_and_no_number() {
        let OddPart::Identifier(text) = part("updateContact", Oddity::IdentifierMalformed, 1) else {
            panic!("no identifier");
        };
        assert!(
            uuid::Uuid::parse_str(&text).is_err() && text.parse::<f64>().is_err(),
            "{text}"
        );
    }

    #[test]
    fn a_body_is_odd_as_it_is_named() {
        let body = |oddity| match part("createTag", oddity, 1) {
            OddPart::Body(text) => text,
            other => panic!("{other:?}"),
        };
        let value = |oddity| serde_json::from_str::<Value>(&body(oddity));
        assert!(value(Oddity::BodyArray).unwrap().is_array());
        assert!(value(Oddity::BodyNumber).unwrap().is_number());
        assert!(value(Oddity::BodyText).unwrap().is_string());
        assert!(value(Oddity::BodyNotJson).is_err());
        assert_eq!(body(Oddity::BodyEmpty), "");
        let deep = body(Oddity::BodyDeep);
        let (opened, closed) = deep.split_at(LEVELS);
        assert!(opened.bytes().all(|byte| byte == b'[') && closed.bytes().all(|byte| byte == b']'));
        assert_eq!(closed.len(), LEVELS);
    }

    #[test]
    fn the_text_with_the_mark_is_made_odd_and_the_rest_stays() {
        let own = format!("countersign.{}@example.com", mark().as_str());
        for (oddity, is) in [
            (
                Oddity::TextLong,
                (|text| text.chars().count() == CHARACTERS) as fn(&str) -> bool,
            ),
            (Oddity::TextControl, |text| text.contains(['\u{0}', '\u{1b}'])),
            (Oddity::TextBeyondAscii, |text| !text.is_ascii()),
        ] {
            for random in 0..3 {
                let mut body = json!({"type": "email", "list": [{"contact": own}], "size": 1});
                assert!(odd_text(oddity, random).insert(&mut body, &mut Vec::new(), &mark()));
                let text = body["list"][0]["contact"].as_str().unwrap();
                assert!(is(text) && text.ends_with(&own), "{text:?}");
                assert_eq!((&body["type"], &body["size"]), (&json!("email"), &json!(1)));
            }
        }
    }

    #[test]
    fn which_text_is_odd_is_chosen_by_the_seed() {
        let mark = mark();
        let chosen = |random| {
            let mut body = json!({"first": mark.as_str(), "last": mark.as_str(), "other": "a"});
            odd_text(Oddity::TextBeyondAscii, random).insert(&mut body, &mut Vec::new(), &mark);
            (body["first"] == mark.as_str(), body["last"] == mark.as_str())
        };
        assert_eq!((chosen(0), chosen(1)), ((false, true), (true, false)));
    }

    #[test]
    fn a_text_that_the_target_showed_is_replaced_where_there_is_no_other() {
        let mut learned = vec!["/a".to_owned(), "/b".to_owned()];
        let mut body = json!({"a": "Ada", "b": "Beth"});
        assert!(odd_text(Oddity::TextBeyondAscii, 1).insert(&mut body, &mut learned, &mark()));
        assert_eq!((&body["a"], &learned[..]), (&json!("Ada"), &["/a".to_owned()][..]));
        assert!(!body["b"].as_str().unwrap().contains("Beth"));
        let mut body = json!({"a": "Ada", "b": "own"});
        let mut learned = vec!["/a".to_owned()];
        assert!(odd_text(Oddity::TextLong, 0).insert(&mut body, &mut learned, &mark()));
        assert_eq!(body["a"], "Ada");
        assert!(body["b"].as_str().unwrap().ends_with("own"));
    }

    /// The requests of the operation that have a field of another type, told.
    fn of_fields(operation: &str, seed: u64) -> Vec<String> {
        let contract = Contract::built_in().unwrap();
        let id = contract.operation_named(operation).unwrap();
        let odd = odd_requests(&contract, id, seed).into_iter();
        let of_fields = odd.filter(|odd| odd.oddity.is_of_a_field());
        of_fields.map(|odd| odd.tell(contract.operation(id))).collect()
    }

    #[test]
    fn each_field_of_a_write_is_sent_in_each_other_type_whatever_the_seed() {
        for (operation, count) in [
            ("createContact", 12 * 4 + 8 * 3),
            ("updateContact", 12 * 4 + 8 * 3),
            ("createContactMethod", 4 * 4 + 3),
            ("createVisit", 3 * 4),
            ("createTag", 2 * 4),
        ] {
            let told = of_fields(operation, 1);
            let different: HashSet<_> = told.iter().collect();
            assert_eq!((told.len(), different.len()), (count, count), "{operation}: {told:?}");
            assert!((2..20).all(|seed| of_fields(operation, seed) == told), "{operation}");
        }
    }

    #[test]
    fn of_very_many_fields_the_seed_draws() {
        let fields: Vec<_> = (0..=MOST_FIELDS)
            .map(|index| format!("field{index}: {{type: string}}"))
            .collect();
        let schema = format!("{{type: object, properties: {{{}}}}}", fields.join(", "));
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\nx-odd: [field-number]\npaths:\n  /things:\n    put:\n      \
             requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}\n      \
             responses: {{'200': {{description: a}}}}\n"
        );
        let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let chosen = |seed| odd_requests(&contract, OperationId(0), seed);
        assert_eq!((chosen(1).len(), chosen(1)), (MOST_FIELDS, chosen(1)));
        assert_ne!(chosen(1), chosen(2));
        let drawn: HashSet<_> = (1..10).flat_map(chosen).collect();
        assert_eq!(drawn.len(), MOST_FIELDS + 1);
    }

    #[test]
    fn a_field_of_another_type_stands_where_it_belongs_and_the_rest_stays() {
        let field = |pointer: &str, value| OddField {
            pointer: pointer.to_owned(),
            value,
        };
        let sound = json!({"name": "Ada", "list": [{"type": "email", "contact": "a@example.com"}]});
        for (at, value, expected) in [
            ("/name", json!(17), json!({"name": 17, "list": sound["list"]})),
            (
                "/list/0/type",
                json!(null),
                json!({"name": "Ada", "list": [{"type": null, "contact": "a@example.com"}]}),
            ),
            (
                "/list/0",
                json!("countersign"),
                json!({"name": "Ada", "list": ["countersign"]}),
            ),
            (
                "/born/day",
                json!(true),
                json!({"name": "Ada", "list": sound["list"], "born": {"day": true}}),
            ),
        ] {
            let mut body = sound.clone();
            let mut learned = vec!["/name".to_owned(), "/list/0/type".to_owned()];
            field(at, value).insert(&mut body, &mut learned);
            assert_eq!(body, expected, "{at}");
            assert!(learned.iter().all(|kept| !kept.starts_with(at)), "{at}: {learned:?}");
        }
    }

    #[test]
    fn a_body_without_a_text_stays_as_it_is() {
        let mut body = json!({"size": 1, "parts": [true, null]});
        assert!(!odd_text(Oddity::TextLong, 0).insert(&mut body, &mut Vec::new(), &mark()));
        assert_eq!(body, json!({"size": 1, "parts": [true, null]}));
    }
}
