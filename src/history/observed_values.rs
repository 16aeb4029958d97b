//! Remembers the values that responses showed, to detect a create whose response has the identifier of another record.
//! The main type is [`ObservedValues`].
//!
//! Invariants say where a list shows its identifiers, and then only those are kept. Without invariants this is unknown:
//! if the contract has a create whose record only a link identifies, every short string is kept, and every number but
//! those in fields named like counts, and every name in a map.

use reqwest::header::LINK;
use serde_json::Value;

use super::digests::Digests;
use super::history::History;
use super::same::unicode_composed;
use crate::exchange::json::{self, Body};
use crate::exchange::{Digest, Exchange, identifier};

/// The maximum number of different values that are kept; beyond it, every value counts as shown. Then every identifier
/// is in doubt and nothing is written under it, which errs on the safe side.
const MAX_VALUES: usize = 1_000_000;

/// The maximum length of a string that is searched as a path, in bytes.
const MAX_PATH_LENGTH: usize = 2000;

/// The number of digits of a number that a text does not contain by chance, and of the longest that is an identifier.
const MIN_DIGITS: usize = 5;
const MAX_DIGITS: usize = 20;

/// The values that responses showed.
#[derive(Clone, Debug, Default)]
pub(super) struct ObservedValues {
    /// Whether the run has a create without the invariant `created`: only then are the responses to reads remembered.
    remembers_reads: bool,
    /// The digest of each value, as a path would contain it.
    values: Digests,
    /// The number of digests.
    count: usize,
}

impl ObservedValues {
    /// Creates an empty set.
    pub(super) fn new(remembers_reads: bool) -> Self {
        Self {
            remembers_reads,
            ..Self::default()
        }
    }

    /// Whether a response showed the value.
    pub(super) fn contains(&self, value: &Value) -> bool {
        self.count >= MAX_VALUES || identifier_digest(value).is_some_and(|digest| self.values.contains(&digest))
    }

    /// Remembers a value, or every value in an array or object, that may be an identifier. The name of a member that
    /// the contract does not document may be one too: the names in a map are the identifiers of its records.
    pub(super) fn note(&mut self, value: &Value, is_documented: &dyn Fn(&str) -> bool) {
        match value {
            Value::Array(elements) => elements.iter().for_each(|element| self.note(element, is_documented)),
            Value::Object(members) => {
                for (name, member) in members {
                    if !is_documented(name) {
                        self.note(&Value::from(name.as_str()), is_documented);
                    }
                    if !(member.is_number() && is_count(name)) {
                        self.note(member, is_documented);
                    }
                }
            }
            scalar => {
                if let Value::String(text) = scalar {
                    self.note_path(text);
                    self.note_numbers_in(text);
                }
                self.note_scalar(scalar);
            }
        }
    }

    /// Remembers each segment of a string that is a path or a URL, because it may name a record.
    fn note_path(&mut self, path: &str) {
        let is_urn = path.starts_with("urn:");
        if path.len() > MAX_PATH_LENGTH || !(path.contains('/') || is_urn) || path.contains(char::is_whitespace) {
            return;
        }
        let segments = path.split(|letter| matches!(letter, '/' | '?' | '#' | '&' | '=') || is_urn && letter == ':');
        for segment in segments.filter(|segment| !segment.is_empty()) {
            self.note_scalar(&Value::from(segment));
        }
    }

    /// Remembers each number of at least [`MIN_DIGITS`] digits in a text, because it may name a record: `#70017`.
    fn note_numbers_in(&mut self, text: &str) {
        if text.len() > MAX_PATH_LENGTH {
            return;
        }
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        let is_number = |word: &&str| {
            (MIN_DIGITS..=MAX_DIGITS).contains(&word.len()) && word.bytes().all(|digit| digit.is_ascii_digit())
        };
        for word in words.filter(is_number) {
            self.note_scalar(&Value::from(word));
        }
    }

    /// Remembers what identifies a record in the body of an error: members named like identifiers, and paths.
    fn note_identifiers(&mut self, value: &Value) {
        match value {
            Value::Array(elements) => elements.iter().for_each(|element| self.note_identifiers(element)),
            Value::Object(members) => {
                for (name, member) in members {
                    if ["id", "key", "uuid"].contains(&name.to_lowercase().as_str()) {
                        self.note_scalar(member);
                    }
                    self.note_identifiers(member);
                }
            }
            Value::String(path) => self.note_path(path),
            _ => {}
        }
    }

    pub(super) fn note_scalar(&mut self, scalar: &Value) {
        if let Some(digest) = identifier_digest(scalar).filter(|_| self.count < MAX_VALUES) {
            self.count += usize::from(self.values.insert(digest));
        }
    }
}

/// Whether a number in a field with this name counts or measures something, so that it identifies no record.
fn is_count(name: &str) -> bool {
    const ENDINGS: [&str; 9] = [
        "count", "length", "limit", "offset", "page", "pages", "size", "total", "version",
    ];
    let name = name.to_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Returns the digest of a value that may be an identifier, the same for all values that a service may take for one
/// another: `7`, `"7"`, `7.0` and `"07"`, the two cases of a UUID, with dashes and without, and however an accent is
/// composed. `None` for a value that cannot be an identifier.
pub(super) fn identifier_digest(value: &Value) -> Option<Digest> {
    identifier(value).map(|text| Digest::of(&Value::String(canonical(&text))))
}

/// Returns the form of an identifier that stands for all its spellings.
fn canonical(text: &str) -> String {
    let text = unicode_composed(text.trim()).to_lowercase();
    if let Ok(number) = text.parse::<i128>() {
        return number.to_string();
    }
    if let Some(number) = text.parse::<f64>().ok().filter(|number| number.fract() == 0.0) {
        return format!("{number:.0}");
    }
    let digits: String = text
        .chars()
        .filter(|letter| !matches!(letter, '-' | '{' | '}'))
        .collect();
    let is_uuid = digits.len() == 32 && digits.chars().all(|letter| letter.is_ascii_hexdigit());
    if is_uuid { digits } else { text }
}

/// Returns how an identifier may be written elsewhere: a number as a string, a string as a number, a UUID in the other
/// case.
pub(super) fn other_spellings(id: &Value) -> Vec<Value> {
    let Value::String(text) = id else {
        return id.is_number().then(|| id.to_string().into()).into_iter().collect();
    };
    let number = text.parse::<i64>().ok().map(Value::from);
    let is_uuid = uuid::Uuid::try_parse(text).is_ok();
    let cases = is_uuid.then(|| [text.to_lowercase(), text.to_uppercase()].map(Value::from));
    number.into_iter().chain(cases.into_iter().flatten()).collect()
}

impl History<'_> {
    /// Remembers, if the run needs them, the values in the response to a read, whatever its status and even if its body
    /// is undocumented; and the identifiers and paths in a 4xx to any other request.
    pub(super) fn note_response(&mut self, exchange: &Exchange, body: Option<&Body>) {
        let Some(response) = exchange.response().filter(|_| self.observed_values.remembers_reads) else {
            return;
        };
        if !self.contract.operation(exchange.request.operation).is_read() {
            // A response that rejects a create may name the record that is in its way.
            if (400..500).contains(&response.status) {
                let body = json::read(&response.body).ok();
                body.iter()
                    .for_each(|body| self.observed_values.note_identifiers(&body.value));
                response
                    .location
                    .iter()
                    .for_each(|path| self.observed_values.note_path(path));
            }
            return;
        }
        let links = response
            .headers
            .get_all(LINK)
            .iter()
            .filter_map(|link| link.to_str().ok());
        for target in links.flat_map(|links| links.split(['<', '>'])) {
            self.observed_values.note_path(target);
        }
        let read = || json::read(&response.body).ok();
        let undocumented = body.is_none().then(read).flatten();
        if let Some(body) = body.or(undocumented.as_ref()) {
            let contract = self.contract;
            self.observed_values
                .note(&body.value, &|name| contract.documents_field(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_identifier_may_be_written_as_a_number_or_a_string_and_a_uuid_in_either_case() {
        assert_eq!(other_spellings(&json!(7)), [json!("7")]);
        assert_eq!(other_spellings(&json!("7")), [json!(7)]);
        assert_eq!(other_spellings(&json!("p7")), [] as [Value; 0]);
        let [lower, upper] = [
            "1d2a7c80-0000-4000-8000-0000000000aa",
            "1D2A7C80-0000-4000-8000-0000000000AA",
        ];
        assert_eq!(other_spellings(&json!(upper)), [json!(lower), json!(upper)]);
    }

    #[test]
    fn the_names_in_a_map_are_identifiers_and_those_of_documented_fields_are_not() {
        let mut seen = ObservedValues::new(true);
        let map = json!({"data": {"5": [{"name": "a"}], "o1": {"name": "b"}, "/pets/p7": {}}});
        seen.note(&map, &|name| matches!(name, "data" | "name"));
        for identifier in [json!("5"), json!(5), json!("o1"), json!("p7")] {
            assert!(seen.contains(&identifier), "{identifier}");
        }
        for documented in ["data", "name"] {
            assert!(!seen.contains(&json!(documented)), "{documented}");
        }
    }

    #[test]
    fn what_rejects_a_create_names_a_record_by_its_identifier_and_a_urn_does_too() {
        let mut seen = ObservedValues::new(true);
        seen.note_identifiers(&json!({"status": 409, "existing": {"id": 7, "href": "/pets/p8"}, "at": "09:30"}));
        seen.note(&json!({"urn": "urn:pet:11", "at": "12:45"}), &|_| true);
        for (value, is_seen) in [
            (json!(7), true),
            (json!("p8"), true),
            (json!(11), true),
            (json!(409), false),
            (json!(30), false),
            (json!(45), false),
        ] {
            assert_eq!(seen.contains(&value), is_seen, "{value}");
        }
    }

    #[test]
    fn the_spellings_of_one_identifier_are_one() {
        let uuid = "0192f0c1-7a2b-4c3d-8e4f-5a6b7c8d9e0f";
        let mut seen = ObservedValues::new(true);
        let link = json!({"href": "https://example.com/things/linked?of=other"});
        let numbers = ["Order #70017 and 70123, 1234 of them", "code72001"];
        seen.note(&json!([100, uuid, "ab12", "Zo\u{e9}", link, numbers]), &|_| true);
        for same in [
            json!(100.0),
            json!("100"),
            json!("0100"),
            json!("1e2"),
            json!(uuid.to_uppercase()),
            json!(format!("{{{}}}", uuid.replace('-', ""))),
            json!(" AB12"),
            json!("Zoe\u{301}"),
            json!("linked"),
            json!("other"),
            json!(70017),
            json!("70123"),
        ] {
            assert!(seen.contains(&same), "{same}");
        }
        for other in [
            json!(101),
            json!("ab1"),
            json!("1000"),
            json!(1234),
            json!(72001),
            json!("things of"),
            json!(uuid.replace('9', "8")),
        ] {
            assert!(!seen.contains(&other), "{other}");
        }
    }

    #[test]
    fn what_counts_something_names_no_record() {
        let mut seen = ObservedValues::new(true);
        let counts = json!({"total": 7, "pageSize": 8, "petId": 9, "number": 10, "total_label": "eleven"});
        seen.note(&counts, &|_| true);
        for (value, is_seen) in [(7, false), (8, false), (9, true), (10, true)] {
            assert_eq!(seen.contains(&json!(value)), is_seen, "{value}");
        }
        assert!(seen.contains(&json!("eleven")));
    }
}
