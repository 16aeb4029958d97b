//! Makes the part of an edge case that differs from a plain request. The main type is [`EdgeCaseChange`].
//!
//! # Design
//!
//! Where only a part differs, the rest is sound, so that a service gets far enough to trip over that part: an unknown
//! identifier comes with a body that was accepted, and an unusual string within such a body. An unknown identifier
//! should name no record, whatever the target contains: it is a random UUID, or the largest integer that every JSON
//! reader preserves (for `int32`, the largest of 32 bits). A malformed one is a string that is neither a UUID nor a
//! number.
//!
//! A read whose path no response fills still gets its edge cases: every identifier in its path is then unknown, so that
//! they name no record, and what the document says of its errors can be judged.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::source::{check_allowed, stand_in_value, unusable_path};
use super::template::Template;
use super::{body, draft, optional, parameter, rights};
use crate::contract::Contract;
use crate::contract::edge_case::{EdgeCase, ParameterKind};
use crate::contract::length_limits::LengthLimits;
use crate::contract::link::LinkTarget;
use crate::contract::operation::{OperationId, Parameter, ParameterLocation};
use crate::contract::parameter_side_effects;
use crate::contract::pointer;
use crate::contract::vocabulary::EdgeCaseKind;
use crate::history::RunTag;

/// The number of levels in a deep body.
const LEVELS: usize = 1_000;
/// The maximum number of pairs of a field and another type that are sent to one operation, one pair in each request:
/// enough for 50 strings with four other types each. The largest body of the built-in contract has 72.
const MAX_FIELD_TYPE_PAIRS: usize = 200;
/// The number of characters in a long string.
const CHARACTERS: usize = 10_000;
/// The largest integer that every JSON reader preserves (RFC 8259, section 6), and the largest of 32 bits.
const LARGEST: (&str, &str) = ("9007199254740991", "2147483647");
/// An integer that no type of 64 bits holds.
const BEYOND_64_BITS: &str = "100000000000000000000";

/// The bits that make the first of a UUID's hexadecimal digits c, d, e or f.
pub(super) const FIRST_DIGIT_A_LETTER: u8 = 0xc0;

/// The part of a request that makes it an edge case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeCaseChange {
    /// The body, as it is written.
    Body(String),
    /// A field of the body.
    Field(EdgeCaseField),
    /// The path parameter.
    Identifier(String),
    /// The values of the query parameter, each sent as a `name=value` of its own.
    Query(Vec<String>),
    /// A string in the body.
    String(EdgeCaseString),
}

/// Makes a string in a body unusual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeCaseString {
    kind: EdgeCaseKind,
    /// The random number that chooses the string.
    random: u64,
}

/// Puts a value of another type into a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeCaseField {
    /// The location of the value; each array on the way has one element.
    pointer: String,
    value: Value,
}

impl EdgeCaseField {
    fn of(contract: &Contract, operation: OperationId, edge_case: &EdgeCase) -> Self {
        let fields = &contract.operation(operation).fields;
        let field = edge_case.field.and_then(|index| fields.get(index));
        let value = match edge_case.kind {
            EdgeCaseKind::FieldNumber => json!(17),
            EdgeCaseKind::FieldObject => json!({"countersign": 17}),
            EdgeCaseKind::FieldString => json!("countersign"),
            EdgeCaseKind::FieldTrue => json!(true),
            _ => Value::Null,
        };
        Self {
            pointer: field.map_or_else(String::new, |field| field.pointer.replace("/*", "/0")),
            value,
        }
    }

    /// Puts the value into the body. `from_target` has the pointers of the values that the target showed, which must
    /// not be printed; those at this location are removed.
    pub fn insert(self, body: &mut Value, from_target: &mut Vec<String>) {
        let below = format!("{}/", self.pointer);
        from_target.retain(|at| *at != self.pointer && !at.starts_with(&below));
        draft::insert(body, &self.pointer, self.value);
    }
}

/// Returns the edge cases of an operation in a run with this seed. Among them is each field in each other type that the
/// contract names; if there are more than [`MAX_FIELD_TYPE_PAIRS`] such pairs, the seed chooses that many.
///
/// A create whose own strings are varied with awkward values gets no edge case with a string beyond ASCII: the awkward
/// values contain such characters too, and more is judged about what comes back.
pub(super) fn edge_cases(contract: &Contract, operation: OperationId, seed: u64) -> Vec<EdgeCase> {
    let documented = contract.operation(operation);
    let creates = documented.creates();
    // Whatever value it gets, a parameter with a side effect may change somebody else's record.
    let is_left_out = |edge_case: &EdgeCase| {
        if may_name_another_record(contract, operation, edge_case) {
            return true;
        }
        let parameter = edge_case.parameter.map(|index| &documented.parameters[index]);
        let in_query = parameter.filter(|parameter| parameter.location == ParameterLocation::Query);
        in_query.is_some_and(|parameter| {
            parameter_side_effects::has_side_effect(contract, parameter) || optional::selects_fields_by_name(parameter)
        })
    };
    let all = documented
        .edge_cases
        .iter()
        .copied()
        .filter(|edge_case| !is_left_out(edge_case));
    let (mut fields, mut edge_cases): (Vec<_>, Vec<_>) = all.partition(|edge_case| edge_case.kind.changes_field_type());
    let is_varied = creates
        && documented.invariants.created.is_some()
        && Template::of(contract, operation).awkward_places().have_strings();
    edge_cases.retain(|edge_case| !(is_varied && edge_case.kind == EdgeCaseKind::NonAsciiString));
    if fields.len() > MAX_FIELD_TYPE_PAIRS {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream_number(operation.0) << 32 | 0xffff_ffff);
        fields.sort_by_cached_key(|_| random.next_u64());
        fields.truncate(MAX_FIELD_TYPE_PAIRS);
    }
    edge_cases.extend(fields);
    edge_cases.sort_unstable();
    edge_cases
}

/// Whether an edge case of a write puts a value that a lax service may take for a key where the body names a record,
/// its own or another, or says who has which rights: `17`, `true` (the number 1 in several languages) or a text (the
/// number 0 in some databases). No store takes null or an object for one. Where the contract states what a write does
/// (`x-invariants`), and a link that it states fills the field, the field is only a reference, and the value stays in.
fn may_name_another_record(contract: &Contract, operation: OperationId, edge_case: &EdgeCase) -> bool {
    use EdgeCaseKind::{FieldNumber, FieldString, FieldTrue};
    let documented = contract.operation(operation);
    let field = edge_case.field.and_then(|index| documented.fields.get(index));
    let is_key = matches!(edge_case.kind, FieldNumber | FieldString | FieldTrue);
    let Some(field) = field.filter(|_| is_key && !documented.is_read()) else {
        return false;
    };
    let at = field.pointer.replace("/*", "/0");
    let name = pointer::tokens(&at)
        .filter(|token| token.parse::<usize>().is_err())
        .last();
    let name = name.unwrap_or_default();
    let own = contract.identifier_pointer(operation).and_then(|at| pointer::last(&at));
    let mut in_path = 0..documented.parameters.len();
    let is_own = own.as_ref() == Some(&name)
        || in_path.any(|index| {
            let is_in_path = documented.path_to_parameter(index).is_some();
            is_in_path && contract.names_in_body(operation, index).contains(&name)
        });
    let links = || {
        let target = LinkTarget::Body(at.clone());
        contract.links_to(operation).filter(move |link| link.target == target)
    };
    let is_stated = documented.has_invariants() && links().any(|link| !link.inferred);
    let is_reference = body::looks_like_an_identifier(&at, None)
        || contract.names_a_record(&name)
        || rights::names_somebody(&name)
        || links().next().is_some();
    let concerns_rights = pointer::tokens(&at).any(|name| rights::concerns_rights(&name));
    is_own || concerns_rights || is_reference && !is_stated
}

fn stream_number(index: usize) -> u64 {
    u64::try_from(index).unwrap_or(0)
}

impl EdgeCaseChange {
    /// Makes the part of a request that makes it this edge case, in a run with this seed.
    #[must_use]
    pub fn of(contract: &Contract, operation: OperationId, edge_case: &EdgeCase, seed: u64) -> Self {
        let mut random = random(operation, edge_case, seed);
        let query = |values: &[&str]| Self::Query(values.iter().map(|value| (*value).to_owned()).collect());
        match edge_case.kind {
            EdgeCaseKind::BodyArray => Self::Body(r#"["countersign"]"#.to_owned()),
            EdgeCaseKind::BodyDeep => Self::Body(format!("{}{}", "[".repeat(LEVELS), "]".repeat(LEVELS))),
            EdgeCaseKind::BodyEmpty => Self::Body(String::new()),
            EdgeCaseKind::BodyNotJson => Self::Body("{\"countersign\":".to_owned()),
            EdgeCaseKind::BodyNumber => Self::Body("17".to_owned()),
            EdgeCaseKind::BodyString => Self::Body(r#""countersign""#.to_owned()),
            EdgeCaseKind::FieldNull
            | EdgeCaseKind::FieldNumber
            | EdgeCaseKind::FieldObject
            | EdgeCaseKind::FieldString
            | EdgeCaseKind::FieldTrue => Self::Field(EdgeCaseField::of(contract, operation, edge_case)),
            EdgeCaseKind::IdentifierHuge => Self::Identifier(BEYOND_64_BITS.to_owned()),
            EdgeCaseKind::IdentifierMalformed => Self::Identifier(format!("no-identifier-{:016x}", random.next_u64())),
            EdgeCaseKind::IdentifierUnknown => {
                let documented = contract.operation(operation);
                let parameter = edge_case.parameter.and_then(|index| documented.parameters.get(index));
                Self::Identifier(unknown(contract, (operation, parameter), &mut random))
            }
            EdgeCaseKind::ParameterEmpty => query(&[""]),
            EdgeCaseKind::ParameterHuge => query(&["1000000000000000000"]),
            EdgeCaseKind::ParameterNegative => query(&["-1"]),
            EdgeCaseKind::ParameterTwice => query(&["1", "2"]),
            EdgeCaseKind::ParameterWord => query(&["countersign"]),
            EdgeCaseKind::ParameterZero => query(&["0"]),
            EdgeCaseKind::NonAsciiString | EdgeCaseKind::StringWithControlCharacters | EdgeCaseKind::LongString => {
                Self::String(EdgeCaseString {
                    kind: edge_case.kind,
                    random: random.next_u64(),
                })
            }
        }
    }
}

/// Returns identifiers that name no record, for the path of a `GET` that nothing else fills, each with the index of its
/// parameter. `None`:
///
/// - for an operation that is not a `GET`, and for a path without identifiers,
/// - if a form is stated for an identifier, which a made-up one might not have,
/// - if something else that the read requires has no value either.
#[must_use]
pub fn unknown_identifiers_of_path(
    contract: &Contract,
    operation: OperationId,
    seed: u64,
) -> Option<Vec<(usize, String)>> {
    let documented = contract.operation(operation);
    if !documented.is_get() || unusable_path(documented).is_some() {
        return None;
    }
    let mut identifiers = Vec::new();
    for (index, parameter) in documented.parameters.iter().enumerate().filter(|(_, one)| one.required) {
        if let Some((_, value)) = stand_in_value(contract, documented, parameter) {
            let texts = parameter::serialized(contract, parameter, &value);
            texts.iter().try_for_each(|text| check_allowed(parameter, text)).ok()?;
            continue;
        }
        let kind = ParameterKind::of(&contract.document, documented, parameter);
        if parameter.location != ParameterLocation::Path || kind == ParameterKind::Constrained {
            return None;
        }
        let edge_case = EdgeCase {
            // Whichever kind of edge case it is: only the parameters must differ here.
            index: 0,
            kind: EdgeCaseKind::IdentifierUnknown,
            parameter: Some(index),
            field: None,
        };
        let mut random = random(operation, &edge_case, seed);
        identifiers.push((index, unknown(contract, (operation, Some(parameter)), &mut random)));
    }
    (!identifiers.is_empty()).then_some(identifiers)
}

/// Returns the same generator for the same request and seed. Requests that differ only in the field share one.
fn random(operation: OperationId, edge_case: &EdgeCase, seed: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(
        stream_number(operation.0) << 32
            | stream_number(edge_case.index) << 16
            | stream_number(edge_case.parameter.unwrap_or(0)),
    );
    random
}

/// Returns a well-formed identifier that hardly any target has: a random UUID, or the largest number. The UUID begins
/// with a letter: a service that reads the digits at the beginning of an identifier as a number must find no record.
fn unknown(
    contract: &Contract,
    (operation, parameter): (OperationId, Option<&Parameter>),
    random: &mut ChaCha8Rng,
) -> String {
    let documented = contract.operation(operation);
    let kind = parameter.map(|parameter| ParameterKind::of(&contract.document, documented, parameter));
    if kind == Some(ParameterKind::Number) {
        let schema = parameter.and_then(|parameter| contract.document.node(parameter.schema.as_deref()?));
        let format = schema.and_then(|schema| schema.member("format")?.string());
        let (largest, of_32_bits) = LARGEST;
        return if format == Some("int32") { of_32_bits } else { largest }.to_owned();
    }
    let mut bytes = [0; 16];
    random.fill_bytes(&mut bytes);
    bytes[0] |= FIRST_DIGIT_A_LETTER;
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

impl EdgeCaseString {
    /// Makes one string of the body unusual; returns whether there is one. `from_target` has the pointers of the values
    /// that the target showed.
    ///
    /// It prefers a string that carries the run tag: the run's own name for what it writes. An address of `example.com`
    /// stays one, because what makes the string unusual goes before it. A string that the target showed is replaced.
    /// None is made longer than `limits` admit. Beyond ASCII, an address comes after a string that is otherwise as
    /// good: a service may accept it (RFC 6531) although `format: email` admits ASCII alone, and could then show no
    /// response that its schema admits.
    pub(crate) fn insert(
        self,
        body: &mut Value,
        from_target: &mut Vec<String>,
        (run_tag, limits): (&RunTag, &LengthLimits),
    ) -> bool {
        let mut texts = Vec::new();
        collect(body, &mut String::new(), &mut texts);
        let of_the_target = |at: &String| from_target.contains(at);
        let tagged = |at: &String| {
            let text = body.pointer(at).and_then(Value::as_str);
            text.is_some_and(|text| text.contains(run_tag.as_str()))
        };
        let is_address = |at: &String| self.kind == EdgeCaseKind::NonAsciiString && text_at(body, at).contains('@');
        let rank = |at: &String| (!tagged(at), of_the_target(at), is_address(at));
        let changed = |at: &String| self.made_unusual(if of_the_target(at) { "" } else { text_at(body, at) });
        texts.retain(|at| limits.admit(at, changed(at).chars().count()));
        let best = texts.iter().map(rank).min();
        texts.retain(|at| Some(rank(at)) == best);
        let length = u64::try_from(texts.len()).unwrap_or(0);
        let index = self
            .random
            .checked_rem(length)
            .and_then(|index| usize::try_from(index).ok());
        let Some(at) = index.and_then(|index| texts.get(index)) else {
            return false;
        };
        let unusual = changed(at);
        from_target.retain(|other| other != at);
        if let Some(place) = body.pointer_mut(at) {
            *place = Value::String(unusual);
        }
        true
    }

    fn made_unusual(self, text: &str) -> String {
        match self.kind {
            EdgeCaseKind::StringWithControlCharacters => format!("\u{0}\u{7}\u{1b}\r\n{text}"),
            EdgeCaseKind::LongString => {
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

/// Collects the pointers of all strings.
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

    fn run_tag() -> RunTag {
        RunTag::new(1, 1)
    }

    /// The part that makes a request of the operation an edge case of this kind.
    fn part(operation: &str, kind: EdgeCaseKind, seed: u64) -> EdgeCaseChange {
        let contract = crate::testing::built_in();
        let id = contract.operation_named(operation).unwrap();
        let mut edge_cases = contract.operation(id).edge_cases.iter();
        let edge_case = edge_cases.find(|edge_case| edge_case.kind == kind).unwrap();
        EdgeCaseChange::of(contract, id, edge_case, seed)
    }

    #[test]
    fn a_parameter_that_acts_or_selects_fields_has_no_edge_case_whatever_its_type() {
        let described = |name: &str, schema: &str, listed: &str| {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\n{listed}paths:\n  /things: {{get: {{parameters: [\
                 {{in: query, name: {name}, schema: {schema}}}], responses: {{'200': {{description: a}}}}}}}}\n"
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let of_first = edge_cases(&contract, OperationId(0), 1).into_iter();
            let described = of_first.map(|edge_case| edge_case.describe(contract.operation(OperationId(0))));
            described.collect::<Vec<_>>()
        };
        let schemas = [
            "{type: boolean}",
            "{type: string}",
            "{type: integer}",
            "{type: string, enum: ['1', '0']}",
        ];
        let lists = [
            "",
            "x-edge-cases: [parameter-zero, parameter-word, parameter-twice, parameter-empty]\n",
        ];
        for (schema, listed) in schemas
            .into_iter()
            .flat_map(|schema| lists.map(|listed| (schema, listed)))
        {
            for name in [
                "mark_read", "auto_ack", "recheck_all", "send_email", "fields", "include", "$select",
            ] {
                assert_eq!(described(name, schema, listed), [""; 0], "{name} {schema}");
            }
            for name in ["send_after", "created_after", "sent_to", "read"] {
                let is_sent = !described(name, schema, listed).is_empty();
                // A switch of this name would send something.
                let is_switch = schema.contains("boolean") || schema.contains("enum");
                assert!(is_sent || name == "send_after" && is_switch, "{name} {schema}");
            }
        }
    }

    fn edge_case_string(kind: EdgeCaseKind, random: u64) -> EdgeCaseString {
        EdgeCaseString { kind, random }
    }

    #[test]
    fn a_page_has_six_edge_cases() {
        for (kind, values) in [
            (EdgeCaseKind::ParameterZero, &["0"][..]),
            (EdgeCaseKind::ParameterNegative, &["-1"]),
            (EdgeCaseKind::ParameterHuge, &["1000000000000000000"]),
            (EdgeCaseKind::ParameterWord, &["countersign"]),
            (EdgeCaseKind::ParameterTwice, &["1", "2"]),
            (EdgeCaseKind::ParameterEmpty, &[""]),
        ] {
            let values = values.iter().map(|value| (*value).to_owned()).collect();
            assert_eq!(part("getTags", kind, 1), EdgeCaseChange::Query(values));
        }
    }

    #[test]
    fn an_unknown_identifier_is_a_random_uuid_of_the_seed_and_of_the_operation() {
        let unknown = |operation, seed| match part(operation, EdgeCaseKind::IdentifierUnknown, seed) {
            EdgeCaseChange::Identifier(text) => text,
            other => panic!("{other:?}"),
        };
        let text = unknown("updateContact", 1);
        assert_eq!(uuid::Uuid::parse_str(&text).unwrap().get_version_num(), 4);
        assert_eq!(unknown("updateContact", 1), text);
        assert_ne!(unknown("updateContact", 2), text);
        assert_ne!(unknown("createContactMethod", 1), text);
    }

    #[test]
    fn a_huge_identifier_fits_no_integer_of_64_bits() {
        let huge = EdgeCase {
            index: 0,
            kind: EdgeCaseKind::IdentifierHuge,
            parameter: None,
            field: None,
        };
        let contract = crate::testing::built_in();
        let operation = contract.operation_named("updateContact").unwrap();
        let EdgeCaseChange::Identifier(text) = EdgeCaseChange::of(contract, operation, &huge, 1) else {
            panic!("no identifier");
        };
        assert!(text.parse::<u64>().is_err() && text.parse::<u128>().is_ok(), "{text}");
    }

    #[test]
    fn a_malformed_identifier_is_no_uuid_and_no_number() {
        let EdgeCaseChange::Identifier(text) = part("updateContact", EdgeCaseKind::IdentifierMalformed, 1) else {
            panic!("no identifier");
        };
        assert!(
            uuid::Uuid::parse_str(&text).is_err() && text.parse::<f64>().is_err(),
            "{text}"
        );
    }

    #[test]
    fn a_body_is_as_its_edge_case_is_named() {
        let body = |kind| match part("createTag", kind, 1) {
            EdgeCaseChange::Body(text) => text,
            other => panic!("{other:?}"),
        };
        let value = |kind| serde_json::from_str::<Value>(&body(kind));
        assert!(value(EdgeCaseKind::BodyArray).unwrap().is_array());
        assert!(value(EdgeCaseKind::BodyNumber).unwrap().is_number());
        assert!(value(EdgeCaseKind::BodyString).unwrap().is_string());
        assert!(value(EdgeCaseKind::BodyNotJson).is_err());
        assert_eq!(body(EdgeCaseKind::BodyEmpty), "");
        let deep = body(EdgeCaseKind::BodyDeep);
        let (opened, closed) = deep.split_at(LEVELS);
        assert!(opened.bytes().all(|byte| byte == b'[') && closed.bytes().all(|byte| byte == b']'));
        assert_eq!(closed.len(), LEVELS);
    }

    #[test]
    fn the_text_with_the_run_tag_is_made_unusual_and_the_rest_stays() {
        let own = format!("countersign.{}@example.com", run_tag().as_str());
        for (kind, is) in [
            (
                EdgeCaseKind::LongString,
                (|text| text.chars().count() == CHARACTERS) as fn(&str) -> bool,
            ),
            (EdgeCaseKind::StringWithControlCharacters, |text| {
                text.contains(['\u{0}', '\u{1b}'])
            }),
            (EdgeCaseKind::NonAsciiString, |text| !text.is_ascii()),
        ] {
            for random in 0..3 {
                let mut body = json!({"type": "email", "list": [{"contact": own}], "size": 1});
                assert!(edge_case_string(kind, random).insert(
                    &mut body,
                    &mut Vec::new(),
                    (&run_tag(), &LengthLimits::default())
                ));
                let text = body["list"][0]["contact"].as_str().unwrap();
                assert!(is(text) && text.ends_with(&own), "{text:?}");
                assert_eq!((&body["type"], &body["size"]), (&json!("email"), &json!(1)));
            }
        }
    }

    #[test]
    fn an_address_stays_ascii_beside_another_text_of_the_run() {
        for random in 0..4 {
            let address = format!("countersign.{}@example.com", run_tag().as_str());
            let mut body = json!({"email": address, "name": run_tag().as_str()});
            let limits = LengthLimits::default();
            edge_case_string(EdgeCaseKind::NonAsciiString, random).insert(
                &mut body,
                &mut Vec::new(),
                (&run_tag(), &limits),
            );
            assert_eq!(body["email"], address);
            assert!(!body["name"].as_str().unwrap().is_ascii());
        }
    }

    #[test]
    fn which_text_is_unusual_is_chosen_by_the_seed() {
        let run_tag = run_tag();
        let chosen = |random| {
            let mut body = json!({"first": run_tag.as_str(), "last": run_tag.as_str(), "other": "a"});
            edge_case_string(EdgeCaseKind::NonAsciiString, random).insert(
                &mut body,
                &mut Vec::new(),
                (&run_tag, &LengthLimits::default()),
            );
            (body["first"] == run_tag.as_str(), body["last"] == run_tag.as_str())
        };
        assert_eq!((chosen(0), chosen(1)), ((false, true), (true, false)));
    }

    #[test]
    fn a_text_that_the_target_showed_is_replaced_where_there_is_no_other() {
        let mut from_target = vec!["/a".to_owned(), "/b".to_owned()];
        let mut body = json!({"a": "Ada", "b": "Beth"});
        assert!(edge_case_string(EdgeCaseKind::NonAsciiString, 1).insert(
            &mut body,
            &mut from_target,
            (&run_tag(), &LengthLimits::default())
        ));
        assert_eq!((&body["a"], &from_target[..]), (&json!("Ada"), &["/a".to_owned()][..]));
        assert!(!body["b"].as_str().unwrap().contains("Beth"));
        let mut body = json!({"a": "Ada", "b": "own"});
        let mut from_target = vec!["/a".to_owned()];
        assert!(edge_case_string(EdgeCaseKind::LongString, 0).insert(
            &mut body,
            &mut from_target,
            (&run_tag(), &LengthLimits::default())
        ));
        assert_eq!(body["a"], "Ada");
        assert!(body["b"].as_str().unwrap().ends_with("own"));
    }

    /// The requests of the operation that have a field with another type, described.
    fn of_fields(contract: &Contract, operation: &str, seed: u64) -> Vec<String> {
        let id = contract.operation_named(operation).unwrap();
        let all = edge_cases(contract, id, seed).into_iter();
        let of_fields = all.filter(|edge_case| edge_case.kind.changes_field_type());
        of_fields
            .map(|edge_case| edge_case.describe(contract.operation(id)))
            .collect()
    }

    #[test]
    fn each_field_of_a_write_is_sent_in_each_other_type_whatever_the_seed() {
        let contract = crate::testing::built_in();
        for (operation, count) in [
            ("createContact", 12 * 4 + 8 * 3),
            ("updateContact", 12 * 4 + 8 * 3),
            ("createContactMethod", 4 * 4 + 3),
            ("createVisit", 3 * 4),
            ("createTag", 2 * 4),
        ] {
            let reported = of_fields(contract, operation, 1);
            let different: HashSet<_> = reported.iter().collect();
            assert_eq!(
                (reported.len(), different.len()),
                (count, count),
                "{operation}: {reported:?}"
            );
            assert!(
                (2..20).all(|seed| of_fields(contract, operation, seed) == reported),
                "{operation}"
            );
        }
    }

    #[test]
    fn a_field_that_names_a_record_or_gives_rights_gets_no_value_that_a_store_may_take_for_a_key() {
        let text = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\nx-edge-cases: [field-number, field-text, field-true, \
                    field-null, field-object]\ncomponents: {schemas: {Pet: {type: object, properties: {id: {type: string}, \
                    nick: {type: string}, owner: {type: object}, vet_ids: {type: \
                    array, items: {type: integer}}, role: {type: string}, note: {type: string}}}}}\npaths:\n  /pets:\n    \
                    post: {operationId: addPet, requestBody: &body {content: {application/json: {schema: {$ref: \
                    '#/components/schemas/Pet'}}}}, responses: {'201': {description: a, content: {application/json: \
                    {schema: {$ref: '#/components/schemas/Pet'}}}}}}\n  /pets/{nick}:\n    parameters: [{name: nick, in: \
                    path, required: true, schema: {type: string}}]\n    get: {operationId: getPet, responses: {'200': \
                    {description: a}}}\n    put: {operationId: setPet, requestBody: *body, responses: {'200': \
                    {description: a}}}\n  /owners/{id}: {get: {operationId: getOwner, parameters: [{name: id, in: path, \
                    required: true, schema: {type: string}}], responses: {'200': {description: a}}}}\n";
        let contract = Contract::read("pets.yaml", text.to_owned()).unwrap_or_else(|defect| panic!("{defect}"));
        for operation in ["addPet", "setPet"] {
            let sent = of_fields(&contract, operation, 1);
            let may_be_key = |text: &&String| {
                ["a number", "a string", "true"]
                    .iter()
                    .any(|kind| text.starts_with(kind))
            };
            let mut keys: Vec<_> = sent.iter().filter(may_be_key).map(String::as_str).collect();
            keys.sort_unstable();
            assert_eq!(keys, ["a number in `/note`", "true in `/note`"], "{operation}");
            for field in ["/id", "/nick", "/owner", "/vet_ids", "/vet_ids/*", "/role"] {
                let null = format!("null in `{field}`");
                assert!(sent.contains(&null), "{operation} {null} {sent:?}");
            }
            assert!(sent.contains(&"an object in `/id`".to_owned()), "{sent:?}");
        }
    }

    #[test]
    fn of_very_many_fields_the_seed_draws() {
        let fields: Vec<_> = (0..=MAX_FIELD_TYPE_PAIRS)
            .map(|index| format!("field{index}: {{type: string}}"))
            .collect();
        let schema = format!("{{type: object, properties: {{{}}}}}", fields.join(", "));
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\nx-edge-cases: [field-number]\npaths:\n  /things:\n    put:\n      \
             requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}\n      \
             responses: {{'200': {{description: a}}}}\n"
        );
        let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let chosen = |seed| edge_cases(&contract, OperationId(0), seed);
        assert_eq!((chosen(1).len(), chosen(1)), (MAX_FIELD_TYPE_PAIRS, chosen(1)));
        assert_ne!(chosen(1), chosen(2));
        let chosen_fields: HashSet<_> = (1..10).flat_map(chosen).collect();
        assert_eq!(chosen_fields.len(), MAX_FIELD_TYPE_PAIRS + 1);
    }

    #[test]
    fn a_field_of_another_type_is_where_it_belongs_and_the_rest_stays() {
        let field = |pointer: &str, value| EdgeCaseField {
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
            let mut from_target = vec!["/name".to_owned(), "/list/0/type".to_owned()];
            field(at, value).insert(&mut body, &mut from_target);
            assert_eq!(body, expected, "{at}");
            assert!(
                from_target.iter().all(|kept| !kept.starts_with(at)),
                "{at}: {from_target:?}"
            );
        }
    }

    #[test]
    fn a_body_without_a_text_stays_as_it_is() {
        let mut body = json!({"size": 1, "parts": [true, null]});
        assert!(!edge_case_string(EdgeCaseKind::LongString, 0).insert(
            &mut body,
            &mut Vec::new(),
            (&run_tag(), &LengthLimits::default())
        ));
        assert_eq!(body, json!({"size": 1, "parts": [true, null]}));
    }

    #[test]
    fn another_string_is_made_unusual_if_the_best_one_must_stay_short() {
        let text = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    post: {operationId: addPet, \
                    requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string, \
                    maxLength: 40}}}}}}, responses: {'201': {description: a, content: {application/json: {schema: {type: \
                    object, properties: {id: {type: string}, name: {type: string}, note: {type: string}}}}}}}}\n  \
                    /pets/{id}:\n    parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n    put: \
                    {operationId: changePet, requestBody: {content: {application/json: {schema: {type: object, properties: \
                    {name: {type: string}, note: {type: string}}}}}}, responses: {'200': {description: a}}}\n";
        let contract = Contract::read("pets.yaml", text.to_owned()).unwrap();
        let update = contract.operation_named("changePet").unwrap();
        let limits = contract.length_limits_of_edge_cases(update);
        assert!(!limits.admit("/name", CHARACTERS) && limits.admit("/note", CHARACTERS));
        let mut body = json!({"name": run_tag().as_str(), "note": "a"});
        let long = edge_case_string(EdgeCaseKind::LongString, 0);
        assert!(long.insert(&mut body, &mut Vec::new(), (&run_tag(), &limits)));
        assert_eq!(body["name"], run_tag().as_str());
        assert_eq!(body["note"].as_str().map(str::len), Some(CHARACTERS));
    }
}
