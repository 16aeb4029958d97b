//! Values of an update without invariants that software changes on their way, although each of them is ordinary where
//! the document allows it: two elements of an array, a fraction, a day before 1970, a text as long as documented. The
//! main type is [`FragileValue`].
//!
//! # Design
//!
//! What [`awkward`](super::awkward) adds to texts, this does for the other fields of a record. Each value is here
//! because the document states something that it makes use of (a `maxLength`, decimal places, a unit, the order of an
//! array), so that a service which changes it does something else than documented. Where the document leaves a value
//! open, the field keeps its plain value. All are sent in one update, and one at a time where they are rejected
//! together.

use chrono::{DateTime, Duration};
use serde_json::{Number, Value, json};

use super::body;
use super::draft::{Draft, is_within};
use super::leaf::Leaf;
use super::rights::{concerns_rights, is_date_of_trigger, is_place_among_others, is_size_of_a_thing, names_somebody};
use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::field::is_flagged;
use crate::contract::lexicon::camel_case_words;
use crate::contract::operation::{Method, OperationId};
use crate::contract::pointer;
use crate::contract::what_texts_say::{
    leaves_a_doubt, says_that_duplicates_are_kept, speaks_of_decimal_places, speaks_of_precision_of_times,
};

/// The longest text that is sent because a `maxLength` allows it, in characters.
const LONGEST: u64 = 2_000;

/// What is added to a text of several lines: a line break and a double space.
const LINES: &str = "\nb  c";

/// What is added to a URL: characters that mean something else once they are decoded, and a capital letter.
const RESERVED_IN_URL: &str = "/A%2Fb?c=D%26e";

/// A day before 1970: the seconds of its instant are negative.
const DAY: &str = "1955-06-30";

/// The offset of an instant, with half an hour, and the seconds that are added to it.
const OFFSET_IN_SECONDS: i32 = -(3 * 3600 + 1800);
const SECONDS: i64 = 41;

/// 2^53 + 1, the smallest positive integer that a double cannot represent.
const BEYOND_DOUBLE: i64 = (1 << 53) + 1;

/// A field of an update without invariants, and what it is sent with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragileValue {
    /// The field at the top of the body, as a pointer.
    at: String,
    kind: FragileKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FragileKind {
    /// This value.
    Value(Value),
    /// Two elements of an array of strings that are in no alphabetical order, one with a capital letter; where the
    /// document says that duplicates are kept, the first comes once more.
    Elements { repeats: bool },
    /// The text with a line break and a double space, if it may have several lines, and this many characters, if the
    /// document states a maximum.
    Text { has_lines: bool, characters: Option<usize> },
    /// The same minute, with seconds and at another offset.
    Instant,
    /// The URL with an encoded character in its path and a query.
    Url,
}

/// Returns the fragile values of an update without invariants.
pub(super) fn fragile_values(contract: &Contract, update: OperationId) -> Vec<FragileValue> {
    each_field(contract, update, |at, schema| {
        of_array(contract, update, (at, schema))
            .or_else(|| of_text(contract, update, (at, schema)))
            .or_else(|| of_url(contract, update, (at, schema)))
            .or_else(|| of_time(contract, update, (at, schema)))
            .or_else(|| of_number(contract, update, (at, schema)))
    })
}

/// Returns the words that are sent instead of texts that may be null: `null` and the empty string, in turn, so that
/// code which takes one for no value shows it. Which of them a text gets depends on the seed. `text` stays the run's
/// own.
pub(super) fn words_instead_of_null(
    contract: &Contract,
    (update, seed): (OperationId, u64),
    text: &str,
) -> Vec<FragileValue> {
    // The PUT and the PATCH of one record differ.
    let mut place = seed.wrapping_add(u64::from(contract.operation(update).method == Method::Patch));
    each_field(contract, update, |at, schema| {
        let is_excluded = leaves_a_doubt(schema) || !body::is_text(contract, update, schema, at);
        if at == text || is_excluded || !is_flagged(schema, "nullable") || schema.member("default").is_some() {
            return None;
        }
        place = place.wrapping_add(1);
        let word = if place.is_multiple_of(2) { "null" } else { "" };
        Some(FragileKind::Value(Value::from(word)))
    })
}

/// Returns what the fields of an update are sent with, those that say who may see or change the record left out.
fn each_field(
    contract: &Contract,
    update: OperationId,
    mut kind_of: impl FnMut(&str, &Node) -> Option<FragileKind>,
) -> Vec<FragileValue> {
    let mut values: Vec<FragileValue> = Vec::new();
    for property in contract.body_properties(update) {
        let (at, schema) = (pointer::join("", &property.name), contract.referred(&property.node));
        let is_excluded = concerns_rights(&property.name) || body::looks_like_an_identifier(&at, Some(schema));
        if is_excluded || values.iter().any(|value| value.at == at) {
            continue;
        }
        values.extend(kind_of(&at, schema).map(|kind| FragileValue { at, kind }));
    }
    values
}

fn of_array(contract: &Contract, update: OperationId, (at, schema): (&str, &Node)) -> Option<FragileKind> {
    let items = contract.referred(schema.member("items")?);
    let is_word = items.text_of("type") == Some("string")
        && ["enum", "format", "pattern"]
            .iter()
            .all(|name| items.member(name).is_none());
    let any = format!("{at}/*");
    let is_shown = [at, &any]
        .iter()
        .any(|at| body::is_shown_after_update(contract, update, at));
    (is_word && is_shown).then(|| FragileKind::Elements {
        repeats: says_that_duplicates_are_kept(&body::described(schema)),
    })
}

fn of_text(contract: &Contract, update: OperationId, (at, schema): (&str, &Node)) -> Option<FragileKind> {
    if !body::is_text(contract, update, schema, at) {
        return None;
    }
    let longest = schema.member("maxLength").and_then(|most| most.to_value().as_u64());
    let characters = longest.filter(|longest| *longest <= LONGEST);
    let characters = characters.and_then(|longest| usize::try_from(longest).ok());
    let has_lines = may_have_several_lines(at);
    (has_lines || characters.is_some()).then_some(FragileKind::Text { has_lines, characters })
}

fn of_url(contract: &Contract, update: OperationId, (at, schema): (&str, &Node)) -> Option<FragileKind> {
    let format = schema.text_of("format");
    let is_plain =
        matches!(format, Some("uri" | "url")) && !leaves_a_doubt(schema) && !contract.may_change_urls(update, schema);
    (is_plain && body::is_shown_after_update(contract, update, at)).then_some(FragileKind::Url)
}

/// Whether a text is one that people write with line breaks, by the last word of its name.
fn may_have_several_lines(at: &str) -> bool {
    const LONG_TEXTS: [&str; 14] = [
        "bio", "body", "comment", "comments", "content", "description", "instructions", "message", "note", "notes",
        "remark", "remarks", "review", "text",
    ];
    let name = pointer::last(at).unwrap_or_default();
    let last = camel_case_words(&name).pop().unwrap_or_default();
    LONG_TEXTS.contains(&last.to_ascii_lowercase().as_str())
}

fn of_time(contract: &Contract, update: OperationId, (at, schema): (&str, &Node)) -> Option<FragileKind> {
    let name = pointer::last(at).unwrap_or_default();
    let is_instant = schema.text_of("format") == Some("date-time")
        && body::is_shown_after_update(contract, update, at)
        && !speaks_of_precision_of_times(&body::described(schema));
    if is_date_of_trigger(&name) {
        None
    } else if is_instant {
        Some(FragileKind::Instant)
    } else {
        body::is_shown_date(contract, update, schema, at).then(|| FragileKind::Value(Value::from(DAY)))
    }
}

fn of_number(contract: &Contract, update: OperationId, (at, schema): (&str, &Node)) -> Option<FragileKind> {
    let name = pointer::last(at).unwrap_or_default();
    let is_plain = schema.member("enum").is_none() && !is_place_among_others(&name) && !names_somebody(&name);
    if !is_plain || !body::is_shown_after_update(contract, update, at) {
        return None;
    }
    let value = match schema.text_of("type")? {
        "number" => fraction(schema),
        "integer" if is_size_of_a_thing(&name, schema) => largest(schema),
        _ => None,
    };
    value.map(FragileKind::Value)
}

/// Returns a number with decimal places, where the schema or its description shows that it has some: many documents
/// say `number` where a service has an integer.
fn fraction(schema: &Node) -> Option<Value> {
    let stated = |name: &str| schema.member(name).and_then(|value| value.to_value().as_f64());
    let has_places = speaks_of_decimal_places(&body::described(schema));
    let step = stated("multipleOf");
    let others = ["default", "example", "maximum", "minimum"].iter();
    let is_fractional = step.is_some_and(|step| step.fract() != 0.0)
        || has_places
        || others.filter_map(|name| stated(name)).any(|value| value.fract() != 0.0);
    // It begins with a digit that is not in the plain value, and 1.15 is below 115 hundredths as a double.
    let least = stated("minimum").unwrap_or(0.0).max(0.0).floor();
    let places = if step.is_some_and(|step| step <= 0.01) || has_places {
        0.15
    } else {
        0.5
    };
    let most = stated("maximum").unwrap_or(f64::INFINITY);
    let values = [least + 1.0 + places, least + places].into_iter();
    let fitting = values.filter(|_| is_fractional).find(|value| *value <= most)?;
    // Of a large sum, a double has more places than are meant.
    let written = format!("{fitting:.2}").parse().ok()?;
    Number::from_f64(written).map(Value::Number)
}

/// Returns the largest integer that the schema allows, or for an integer of 64 bits one that no double holds.
fn largest(schema: &Node) -> Option<Value> {
    let is_long = schema.text_of("format") == Some("int64");
    match schema.member("maximum") {
        Some(most) => most.to_value().as_i64().map(Value::from),
        None => is_long.then(|| Value::from(BEYOND_DOUBLE)),
    }
}

impl FragileKind {
    /// Returns the value in place of that of a field, which for an array is its first element.
    fn instead_of(&self, now: &Value) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Elements { repeats } => {
                let own = now.as_str()?;
                // In each alphabetical order, the second comes before the first.
                let (first, second) = (format!("{own}-b"), format!("{own}-A"));
                Some(match repeats {
                    true => json!([first, second, first]),
                    false => json!([first, second]),
                })
            }
            Self::Text { has_lines, characters } => {
                let mut text = now.as_str()?.to_owned();
                text.push_str(if *has_lines { LINES } else { "" });
                let left = characters.unwrap_or(0).saturating_sub(text.chars().count());
                text.extend(std::iter::repeat_n('x', left));
                Some(Value::from(text))
            }
            Self::Url => {
                // What the run sends leads to the domains that are set aside for examples, and has no query.
                let url = now
                    .as_str()
                    .filter(|url| url.starts_with("https://example.com/") && !url.contains('?'))?;
                Some(Value::from(format!("{url}{RESERVED_IN_URL}")))
            }
            Self::Instant => {
                let instant = DateTime::parse_from_rfc3339(now.as_str()?).ok()?;
                let offset = chrono::FixedOffset::east_opt(OFFSET_IN_SECONDS)?;
                let instant = (instant + Duration::seconds(SECONDS)).with_timezone(&offset);
                Some(Value::from(instant.to_rfc3339()))
            }
        }
    }
}

impl Draft {
    /// Puts a fragile value into its field, if the draft sends the field and its schema admits the value.
    pub(super) fn put_fragile(&mut self, value: &FragileValue) {
        let is_of_it = |leaf: &&Leaf| is_within(&leaf.pointer, &value.at) && leaf.value().is_some();
        let now = self.leaves.iter().find(is_of_it).and_then(Leaf::value);
        if let Some(value_now) = now.and_then(|now| value.kind.instead_of(now)) {
            self.put_if_admitted(&value.at, &value_now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::document::Document;

    fn schema(text: &str) -> Document {
        Document::read("a.yaml", text.to_owned()).unwrap()
    }

    #[test]
    fn a_number_has_decimal_places_where_the_document_shows_that_it_may() {
        for (stated, sent) in [
            ("{type: number, multipleOf: 0.01}", Some(json!(1.15))),
            ("{type: number, minimum: 10, multipleOf: 0.01}", Some(json!(11.15))),
            ("{type: number, maximum: 1, multipleOf: 0.01}", Some(json!(0.15))),
            ("{type: number, description: Two decimal places.}", Some(json!(1.15))),
            ("{type: number, example: 0.5}", Some(json!(1.5))),
            ("{type: number, multipleOf: 0.5}", Some(json!(1.5))),
            ("{type: number, maximum: 0.1}", None),
            ("{type: number, multipleOf: 5}", None),
            ("{type: number}", None),
        ] {
            assert_eq!(fraction(&schema(stated).root), sent, "{stated}");
        }
    }

    #[test]
    fn a_large_integer_is_sent_only_as_the_size_of_a_thing() {
        for (name, stated, sent) in [
            (
                "weight",
                "{maximum: 900, description: Weight in grams}",
                Some(json!(900)),
            ),
            (
                "mileage",
                "{format: int64, description: Mileage in km}",
                Some(json!(9_007_199_254_740_993_i64)),
            ),
            ("mileage", "{description: Mileage in km}", None),
            ("weight", "{maximum: 900, description: Share of the traffic}", None),
            ("replicas", "{maximum: 900, description: Number of servers}", None),
            ("disk_size", "{maximum: 900, description: Size in GB}", None),
        ] {
            let document = schema(stated);
            let is_size = is_size_of_a_thing(name, &document.root);
            let sent_now = is_size.then(|| largest(&document.root)).flatten();
            assert_eq!(sent_now, sent, "{name} {stated}");
        }
    }

    #[test]
    fn each_fragile_value_is_made_of_the_plain_one() {
        let made = |kind: FragileKind, now: &str| kind.instead_of(&json!(now)).unwrap();
        let elements = |repeats| made(FragileKind::Elements { repeats }, "x");
        assert_eq!(elements(false), json!(["x-b", "x-A"]));
        assert_eq!(elements(true), json!(["x-b", "x-A", "x-b"]));
        assert_eq!(
            made(FragileKind::Instant, "2024-05-17T09:30:00Z"),
            json!("2024-05-17T06:00:41-03:30")
        );
        let text = FragileKind::Text {
            has_lines: true,
            characters: Some(8),
        };
        assert_eq!(made(text, "x"), json!("x\nb  cxx"));
        let url = "https://example.com/x";
        assert_eq!(
            made(FragileKind::Url, url),
            json!("https://example.com/x/A%2Fb?c=D%26e")
        );
        for other in ["https://shop.example.com/x", "https://example.com/x?y", "x"] {
            assert_eq!(FragileKind::Url.instead_of(&json!(other)), None, "{other}");
        }
    }
}
