//! Remembers the values that responses showed, to detect a create whose response has the identifier of another record.
//! The main type is [`ObservedValues`].
//!
//! # Design
//!
//! Invariants say where a list shows its identifiers, and then only those are kept. Without
//! invariants this is unknown: if the contract has a create whose record only a link identifies,
//! every short string and every number is kept, and every name in a map.
//!
//! Each is kept with the kind of record that it may identify, by the name that is nearest: `6` in `author_id`, in
//! `{"author": {"id": 6}}` or in the list `/authors` is an author. In most databases each table counts from 1, so a book
//! that gets the identifier 6 is a new one although an author has it. A value of another kind does not count against a
//! created record in two cases: the list of its kind was seen as a whole before and did not have it, or the two kinds
//! have shown different records under one identifier: see [`Numbering`].

use std::collections::{HashMap, HashSet};

use reqwest::header::LINK;
use serde_json::Value;

use super::digests::Digests;
use super::history::History;
use super::numbering::Numbering;
use super::same::composed;
use crate::contract::operation::OperationId;
use crate::contract::{Contract, kind_of_record, pointer};
use crate::exchange::json::{self, Body};
use crate::exchange::{Digest, Exchange, Request, identifier};

/// The maximum number of different values that are kept; beyond it, every value counts as shown. Then every identifier
/// is in doubt and nothing is written under it, which is the safe side.
const MAX_VALUES: usize = 1_000_000;

/// The maximum length of a string that is searched as a path, in bytes.
const MAX_PATH_LENGTH: usize = 2000;

/// A list with this many records may be one page of more.
const MAY_BE_A_PAGE_FROM: usize = 5;

/// Names of members that identify the object which has them, in the form in which names are compared.
const IDENTITIES: [&str; 9] = ["guid", "href", "id", "key", "pk", "self", "uri", "url", "uuid"];

/// Names of members that contain records, or the fields of one, and say nothing of their kind.
const WRAPPERS: [&str; 16] = [
    "attributes",
    "content",
    "data",
    "elements",
    "embedded",
    "entries",
    "hits",
    "items",
    "list",
    "member",
    "payload",
    "records",
    "response",
    "result",
    "results",
    "rows",
];

/// The values that responses showed.
#[derive(Clone, Debug, Default)]
pub(super) struct ObservedValues {
    /// Whether the run has a create without the invariant `created`: only then are the responses to reads remembered.
    remembers_reads: bool,
    /// The digest of each value, as a path would contain it, by the kind of record that it may identify. The empty kind
    /// stands for any.
    values: HashMap<String, Digests>,
    /// The number of digests.
    count: usize,
    /// The paths of the lists that were seen as a whole.
    whole_lists: HashSet<String>,
    numbering: Numbering,
}

/// What the names in a response say.
pub(super) struct Names<'read> {
    /// Whether the contract documents a field of this name; otherwise it is that of a member of a map.
    pub(super) is_documented: &'read dyn Fn(&str) -> bool,
    /// Whether an object is the run's own record.
    pub(super) is_own: &'read dyn Fn(&Value) -> bool,
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
        let digest = identifier_digest(value);
        self.count >= MAX_VALUES
            || digest.is_some_and(|digest| self.values.values().any(|values| values.contains(&digest)))
    }

    /// Whether a response showed the value where it may identify a record of this kind, which a create at this path has
    /// returned.
    pub(super) fn may_identify(&self, kind: &str, path: &str, value: &Value) -> bool {
        if self.count >= MAX_VALUES {
            return true;
        }
        let Some(digest) = identifier_digest(value) else {
            return false;
        };
        let is_new = self.whole_lists.contains(path.trim_end_matches('/'));
        let counts = |shown: &str| may_be_one_kind(shown, kind) || !is_new && !self.numbering.are_separate(shown, kind);
        let mut shown = self.values.iter().filter(|(_, values)| values.contains(&digest));
        shown.any(|(shown, _)| counts(shown))
    }

    /// Remembers a value, or every value in an array or object, that may identify a record of this kind or of the kind
    /// that a name in it says. So may the name of a member that the contract does not document: those of a map are the
    /// identifiers of its records.
    pub(super) fn note(&mut self, value: &Value, kind: &str, names: &Names<'_>) {
        match value {
            Value::Array(elements) => elements.iter().for_each(|element| self.note(element, kind, names)),
            Value::Object(members) => {
                if self.numbering.needs_more_of(kind) && !(names.is_own)(value) {
                    self.numbering.note(kind, members);
                }
                for (name, member) in members {
                    let is_documented = (names.is_documented)(name);
                    if !is_documented {
                        self.note(&Value::from(name.as_str()), kind, names);
                    }
                    if !(member.is_number() && is_count(name)) {
                        let below = kind_below(kind, name).filter(|_| is_documented);
                        self.note(member, below.as_deref().unwrap_or(kind), names);
                    }
                }
            }
            scalar => {
                if let Value::String(path) = scalar {
                    self.note_path(path);
                }
                self.note_scalar(scalar, kind);
            }
        }
    }

    /// Remembers each segment of a string that is a path or a URL, because it may name a record: one of the kind that the
    /// segment before it says.
    fn note_path(&mut self, path: &str) {
        let is_urn = path.starts_with("urn:");
        if path.len() > MAX_PATH_LENGTH || !(path.contains('/') || is_urn) || path.contains(char::is_whitespace) {
            return;
        }
        let segments = path.split(|letter| matches!(letter, '/' | '?' | '#' | '&' | '=') || is_urn && letter == ':');
        let mut kind = String::new();
        for segment in segments.filter(|segment| !segment.is_empty()) {
            self.note_scalar(&Value::from(segment), &kind);
            kind = kind_of_record(segment);
        }
    }

    /// Remembers what identifies a record in the body of an error: the members named so, and the paths.
    fn note_identifiers(&mut self, value: &Value) {
        match value {
            Value::Array(elements) => elements.iter().for_each(|element| self.note_identifiers(element)),
            Value::Object(members) => {
                for (name, member) in members {
                    if ["id", "key", "uuid"].contains(&name.to_lowercase().as_str()) {
                        self.note_scalar(member, "");
                    }
                    self.note_identifiers(member);
                }
            }
            Value::String(path) => self.note_path(path),
            _ => {}
        }
    }

    fn note_scalar(&mut self, scalar: &Value, kind: &str) {
        if let Some(digest) = identifier_digest(scalar).filter(|_| self.count < MAX_VALUES) {
            let values = match self.values.get_mut(kind) {
                Some(values) => values,
                None => self.values.entry(kind.to_owned()).or_default(),
            };
            self.count += usize::from(values.insert(digest));
        }
    }

    /// Remembers that the list at this path was seen as a whole, if the response looks so.
    fn note_list(&mut self, exchange: &Exchange, (body, items): (&Value, &str)) {
        let shown = pointer::get(body, items).and_then(Value::as_array).map(Vec::len);
        let has_links = exchange
            .response()
            .is_some_and(|response| response.headers.contains_key(LINK));
        if shown.is_some_and(|shown| shown < MAY_BE_A_PAGE_FROM && !has_links && !says_more(body, shown)) {
            let path = exchange.request.path.trim_end_matches('/');
            self.whole_lists.insert(path.to_owned());
        }
    }
}

/// Whether values under these names may identify the same records: one of them is the other, or ends with it, as
/// `parent_task` does with `task`.
fn may_be_one_kind(shown: &str, kind: &str) -> bool {
    shown.ends_with(kind) || kind.ends_with(shown)
}

/// Returns the kind of record that a member of this name identifies or contains; `None` if that is what its object is of.
fn kind_below(kind: &str, name: &str) -> Option<String> {
    let lower = name.trim_start_matches(['_', '@']).to_lowercase();
    if IDENTITIES.contains(&lower.as_str()) || WRAPPERS.contains(&lower.as_str()) {
        return None;
    }
    let below = kind_of_record(without_identity(name));
    (below != kind).then_some(below)
}

/// Returns the name of a member without the word in its end that says that it identifies something: `author` for
/// `author_id` and `authorIds`.
fn without_identity(name: &str) -> &str {
    let one = name.strip_suffix('s').unwrap_or(name);
    let words = IDENTITIES.iter().filter_map(|word| {
        let (rest, ending) = one.split_at_checked(one.len().checked_sub(word.len())?)?;
        let begins_word = rest.ends_with(['_', '-']) || ending.starts_with(char::is_uppercase);
        (ending.eq_ignore_ascii_case(word) && begins_word).then_some(rest)
    });
    words
        .map(|rest| rest.trim_end_matches(['_', '-']))
        .find(|rest| !rest.is_empty())
        .unwrap_or(name)
}

/// Returns the kind of record that an operation shows or creates: the last segment of its path that is no parameter.
pub(super) fn kind_of(contract: &Contract, operation: OperationId) -> String {
    let mut segments = contract.operation(operation).path.rsplit('/');
    let named = segments.find(|segment| !segment.is_empty() && !segment.starts_with('{'));
    kind_of_record(named.unwrap_or_default())
}

/// Whether what is beside the records of a list says that there are more than it shows: a number of all, or what comes
/// next.
fn says_more(body: &Value, shown: usize) -> bool {
    let Value::Object(members) = body else { return false };
    members.iter().any(|(name, member)| {
        let name = name.to_lowercase();
        let says_next = ["next", "more", "cursor"].iter().any(|word| name.contains(word));
        match member {
            Value::Object(_) => says_more(member, shown),
            Value::Number(count) => {
                let counts_all = ["count", "total"].iter().any(|ending| name.contains(ending));
                counts_all
                    && count
                        .as_u64()
                        .is_none_or(|count| usize::try_from(count).is_ok_and(|count| count > shown))
            }
            Value::Null | Value::Bool(false) | Value::Array(_) => false,
            Value::String(text) => says_next && !text.is_empty(),
            Value::Bool(true) => says_next,
        }
    })
}

/// Whether a number in a field with this name counts or measures something, so that it identifies
/// no record.
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
    let text = composed(text.trim()).to_lowercase();
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

impl History<'_> {
    /// Remembers, if the run needs them, the values in the response to a read, whatever its status and even if its body
    /// is undocumented; and the identifiers and paths in a 4xx to any other request.
    pub(super) fn note_response(&mut self, exchange: &Exchange, body: Option<&Body>) {
        let Some(response) = exchange.response().filter(|_| self.observed_values.remembers_reads) else {
            return;
        };
        if !self.contract.operation(exchange.request.operation).is_read() {
            // What rejects a create may name the record that is in its way.
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
            let (contract, run_tag) = (self.contract, &self.run_tag);
            let operation = exchange.request.operation;
            let names = Names {
                is_documented: &|name| contract.documents_field(name),
                is_own: &|record| run_tag.is_in(record),
            };
            self.observed_values
                .note(&body.value, &kind_of(contract, operation), &names);
            let mut lists = contract
                .lifecycles()
                .iter()
                .filter_map(|lifecycle| lifecycle.list.as_ref());
            if let Some(list) = lists
                .find(|list| list.operation == operation)
                .filter(|_| self.succeeded(exchange))
            {
                self.observed_values.note_list(exchange, (&body.value, &list.items));
            }
        }
    }

    /// Remembers the identifier that a create returned.
    pub(super) fn observe_created(&mut self, create: OperationId, id: &Value) {
        let kind = kind_of(self.contract, create);
        self.observed_values.note_scalar(id, &kind);
    }

    /// Whether a response showed this value where it may identify a record of the kind that a create makes.
    pub(super) fn was_observed(&self, create: &Request, id: &Value) -> bool {
        let kind = kind_of(self.contract, create.operation);
        self.observed_values.may_identify(&kind, &create.path, id)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Notes what a read of pets shows, none of which is the run's own.
    fn note(seen: &mut ObservedValues, body: &Value, is_documented: &dyn Fn(&str) -> bool) {
        let names = Names {
            is_documented,
            is_own: &|_| false,
        };
        seen.note(body, "pet", &names);
    }

    #[test]
    fn a_value_may_identify_a_record_of_the_kind_that_its_name_says() {
        for (shown, as_author) in [
            (json!([{"id": 6}]), false),
            (json!({"data": {"items": [{"_id": 6}]}}), false),
            (json!({"petId": 6}), false),
            (json!({"pet_ids": [6]}), false),
            (json!({"age": 6}), false),
            (json!({"author_id": 6}), true),
            (json!({"authorIds": [6]}), true),
            (json!({"author": {"id": 6}}), true),
            (json!({"authors": [{"id": 6}]}), true),
            (json!({"first_author": 6}), true),
            (json!({"at": "https://example.com/authors/6"}), true),
            // Nothing says what it is.
            (json!({"at": "6/x"}), true),
        ] {
            let mut seen = ObservedValues::new(true);
            note(&mut seen, &shown, &|_| true);
            assert!(seen.may_identify("author", "/authors", &json!(6)), "{shown}");
            assert!(seen.contains(&json!(6)), "{shown}");
            seen.whole_lists.insert("/authors".to_owned());
            assert_eq!(seen.may_identify("author", "/authors", &json!(6)), as_author, "{shown}");
        }
    }

    #[test]
    fn records_of_another_kind_that_is_numbered_separately_do_not_count() {
        let mut seen = ObservedValues::new(true);
        let authors = json!({"authors": [{"id": 1, "name": "Anna"}], "owner": {"id": 2}});
        note(
            &mut seen,
            &json!([{"id": 1, "name": "Rex"}, {"id": 2, "name": "Tom"}]),
            &|_| true,
        );
        assert!(seen.may_identify("author", "/authors", &json!(2)));
        note(&mut seen, &authors, &|_| true);
        for (id, may_identify) in [(1, true), (2, true), (3, false)] {
            assert_eq!(
                seen.may_identify("author", "/authors", &json!(id)),
                may_identify,
                "{id}"
            );
        }
        seen = ObservedValues::new(true);
        note(
            &mut seen,
            &json!([{"id": 1, "name": "Rex"}, {"id": 2, "name": "Tom"}]),
            &|_| true,
        );
        note(&mut seen, &json!({"authors": [{"id": 1, "name": "Anna"}]}), &|_| true);
        assert!(!seen.may_identify("author", "/authors", &json!(2)));
    }

    #[test]
    fn a_list_that_says_that_there_is_more_was_not_seen_as_a_whole() {
        for (body, is_whole) in [
            (
                json!({"items": [], "total": 2, "next": null, "page": 1, "per_page": 20}),
                true,
            ),
            (json!({"items": [], "total": 3}), false),
            (json!({"items": [], "paging": {"next": "/pets?page=2"}}), false),
            (json!({"items": [], "has_more": true}), false),
            (json!({"items": [], "has_more": false, "next_cursor": ""}), true),
        ] {
            assert_eq!(!says_more(&body, 2), is_whole, "{body}");
        }
    }

    #[test]
    fn the_names_in_a_map_are_identifiers_and_those_of_documented_fields_are_not() {
        let mut seen = ObservedValues::new(true);
        let map = json!({"data": {"5": [{"name": "a"}], "o1": {"name": "b"}, "/pets/p7": {}}});
        note(&mut seen, &map, &|name| matches!(name, "data" | "name"));
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
        note(&mut seen, &json!({"urn": "urn:pet:11", "at": "12:45"}), &|_| true);
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
        note(&mut seen, &json!([100, uuid, "ab12", "Zo\u{e9}", link]), &|_| true);
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
        ] {
            assert!(seen.contains(&same), "{same}");
        }
        for other in [
            json!(101),
            json!("ab1"),
            json!("1000"),
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
        note(&mut seen, &counts, &|_| true);
        for (value, is_seen) in [(7, false), (8, false), (9, true), (10, true)] {
            assert_eq!(seen.contains(&json!(value)), is_seen, "{value}");
        }
        assert!(seen.contains(&json!("eleven")));
    }
}
