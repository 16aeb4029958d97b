//! Lists what a run can ask about a contract's gaps, and changes a request so that it asks. The main type is
//! [`Question`].
//!
//! # Design
//!
//! A question is put to a read, or to an update of the run's own record: neither leaves a record. What an update cannot
//! show is put to a create, if an invariant or an inferred lifecycle says where its response has the record's
//! identifier: a record without a string of the run can be recognised only by its identifier. The contract says where a
//! question arises: the locations of a gap (those with its `x-gap`, or, where the document lists no gaps, those that
//! `inferred_gaps` finds) are fields, lists and operations, and the kind of the gap says how.

use std::cell::LazyCell;

use chrono::NaiveDate;
use rand_chacha::rand_core::Rng;
use serde_json::{Value, json};
use uuid::Uuid;

use super::draft;
use super::edge_case::FIRST_DIGIT_A_LETTER;
use crate::contract::document::Node;
use crate::contract::field::is_free_string;
use crate::contract::operation::{Method, OperationId};
use crate::contract::shape::ShapeId;
use crate::contract::vocabulary::GapKind;
use crate::contract::{Contract, pointer};

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The index of the gap in the contract.
    pub gap: usize,
    /// The kind of the gap.
    pub kind: GapKind,
    /// The operation that is asked.
    pub operation: OperationId,
    /// The location in the contract that it is about, as a JSON pointer.
    pub location: String,
    /// What is asked.
    pub asks: Asks,
}

/// What is asked, and of which part of a request. Fields are JSON pointers into the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Whether a field accepts a date in this format.
    Date {
        /// The field.
        field: String,
        /// The format.
        format: SentDateFormat,
        /// Where the record shows it.
        returned_at: Option<String>,
    },
    /// Whether the element `field` of an array whose elements name other records, such as tags, may be the value that
    /// the record has in its field `shown_in`, such as its id or its name; if that is `None`, whether it may be a
    /// string that names no record.
    Entry {
        /// The element.
        field: String,
        /// The name of the field in which the linked record has the value.
        shown_in: Option<String>,
    },
    /// Whether a field accepts another value that a response has shown. It is asked once, and only after an unknown
    /// value of the same field was rejected: if the known one is accepted, the rejection was about the unknown value,
    /// and not about changing the field.
    KnownValue {
        /// The field.
        field: String,
    },
    /// Whether a create accepts a duplicate of an earlier record.
    Duplicate,
    /// How many characters a text of the run's own may have. What the earlier texts showed decides how long the next
    /// one is.
    Longest {
        /// The field.
        field: String,
    },
    /// With which status a request without a credential is rejected.
    NoCredential,
    /// What becomes of the other fields if an update sends this one alone.
    UpdateOfOneField {
        /// The field.
        field: String,
    },
    /// Whether a field accepts a value that no response has shown.
    OtherValue {
        /// The field.
        field: String,
        /// Where the record shows it, if the contract says so.
        returned_at: Option<String>,
    },
    /// What a list returns for a page beyond its last.
    PageBeyondLast,
    /// Which members of the body are required. What the earlier bodies showed decides what the next one leaves out.
    Required {
        /// The members that the contract documents.
        documented: Vec<String>,
    },
    /// Whether a value in mixed upper and lower case comes back as it was sent.
    Spelling {
        /// The field.
        field: String,
        /// Where the record shows it.
        returned_at: String,
    },
    /// The questions with these indexes in one request, as long as it is accepted: each is about another field.
    InOneRequest {
        /// The questions.
        questions: Vec<usize>,
    },
    /// Whether a field that the document does not list is rejected.
    UnknownField,
    /// Whether an identifier that names no record is rejected.
    UnknownRecord {
        /// The field.
        field: String,
        /// Whether a create is asked, so that each body that is accepted leaves a record.
        creates: bool,
    },
}

/// The format of a date that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentDateFormat {
    /// DD/MM/YYYY.
    DayFirst,
    /// YYYY-MM-DD.
    Iso,
    /// MM/DD/YYYY.
    MonthFirst,
    /// No date at all.
    Text,
    /// YYYY-MM-DDT00:00:00Z.
    Timestamp,
}

impl SentDateFormat {
    const ALL: [Self; 5] = [Self::DayFirst, Self::Iso, Self::MonthFirst, Self::Text, Self::Timestamp];

    /// Writes a date in 1976.
    fn write(self, (day, month): (u64, u64)) -> String {
        match self {
            Self::DayFirst => format!("{day:02}/{month:02}/1976"),
            Self::Iso => format!("1976-{month:02}-{day:02}"),
            Self::MonthFirst => format!("{month:02}/{day:02}/1976"),
            Self::Text => format!("no date {day}"),
            Self::Timestamp => format!("1976-{month:02}-{day:02}T00:00:00Z"),
        }
    }

    /// Reads a date in this format; `None` for what is no date.
    #[must_use]
    pub fn read(self, text: &str) -> Option<NaiveDate> {
        let format = match self {
            Self::DayFirst => "%d/%m/%Y",
            Self::Iso => "%Y-%m-%d",
            Self::MonthFirst => "%m/%d/%Y",
            Self::Text => return None,
            Self::Timestamp => "%Y-%m-%dT%H:%M:%SZ",
        };
        NaiveDate::parse_from_str(text, format).ok()
    }
}

/// The accepted request that a question turns into its own, and what it is changed with.
#[derive(Debug)]
pub struct QuestionRequest<'draft> {
    /// The body.
    pub body: &'draft mut Value,
    /// The pointers of the values in it that the target showed, which must not be printed.
    pub from_target: &'draft mut Vec<String>,
    /// The run tag, for a text by which the search for residue finds what it may have created.
    pub run_tag: &'draft str,
    /// The values that links carry into the field, each with the name of the field that showed it.
    pub linked: &'draft [(String, Value)],
    /// A number that differs each time the question is asked.
    pub times_asked: u64,
    /// How the body is changed, where earlier trials decide that.
    pub change: BodyChange,
}

/// How the body that asks the next question differs from a plain one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyChange {
    /// Makes a text this many characters long.
    Long(usize),
    /// Only the values differ from an accepted body.
    OnlyValues,
    /// Sends this body again.
    Repeat(Value),
    /// Leaves out these members.
    Without(Vec<String>),
}

impl Question {
    /// Returns the questions of a contract; none where it has no gaps.
    #[must_use]
    pub fn all(contract: &Contract) -> Vec<Self> {
        let mut questions = Vec::new();
        for operation in contract.operation_ids() {
            let documented = contract.operation(operation);
            if documented.is_read() {
                page_beyond_last(contract, operation, &mut questions);
            } else if updates_own_records(contract, operation) {
                // What an update leaves alone shows only right after a control.
                one_field(contract, operation, &mut questions);
                of_body(contract, operation, &mut questions);
                add_spelling_questions(contract, operation, &mut questions);
                required(contract, operation, &mut questions);
            } else if creates_own_records(contract, operation) {
                required(contract, operation, &mut questions);
                unknown_records(contract, operation, &mut questions);
                if may_equal_another(contract, operation) {
                    of_whole_body(
                        contract,
                        operation,
                        (GapKind::Duplicates, &Asks::Duplicate),
                        &mut questions,
                    );
                }
                continue;
            } else {
                continue;
            }
            if documented.security.scheme().is_some() {
                let at = (operation, documented.pointer.as_str());
                ask_at(
                    contract,
                    at,
                    GapKind::ErrorConditions,
                    &[Asks::NoCredential],
                    &mut questions,
                );
            }
        }
        questions
    }

    /// Returns further questions that ask several of these at once.
    #[must_use]
    pub fn together(questions: &[Self]) -> Vec<Self> {
        let (mut groups, mut kinds) = (Vec::new(), Vec::new());
        for question in questions {
            let kind = (question.operation, std::mem::discriminant(&question.asks));
            let is_one_of_several = matches!(
                question.asks,
                Asks::KnownValue { .. } | Asks::OtherValue { .. } | Asks::Spelling { .. }
            );
            if is_one_of_several && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        for (operation, asks) in kinds {
            let all = questions.iter().enumerate();
            let alike =
                all.filter(|(_, other)| (other.operation, std::mem::discriminant(&other.asks)) == (operation, asks));
            let alike: Vec<_> = alike.collect();
            if let [(_, first), _, ..] = alike.as_slice() {
                groups.push(Self {
                    asks: Asks::InOneRequest {
                        questions: alike.iter().map(|(index, _)| *index).collect(),
                    },
                    ..(*first).clone()
                });
            }
        }
        groups
    }

    /// Returns the field that it changes, if it changes one.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match &self.asks {
            Asks::Date { field, .. }
            | Asks::Entry { field, .. }
            | Asks::KnownValue { field }
            | Asks::Longest { field }
            | Asks::UpdateOfOneField { field }
            | Asks::OtherValue { field, .. }
            | Asks::Spelling { field, .. }
            | Asks::UnknownRecord { field, .. } => Some(field),
            Asks::Duplicate
            | Asks::NoCredential
            | Asks::PageBeyondLast
            | Asks::Required { .. }
            | Asks::InOneRequest { .. }
            | Asks::UnknownField => None,
        }
    }

    /// Returns whether its trials decide what the next one sends, so that each is sent alone, after the one before it
    /// has ended.
    #[must_use]
    pub fn builds_on_trials(&self) -> bool {
        matches!(
            self.asks,
            Asks::Duplicate | Asks::Longest { .. } | Asks::Required { .. } | Asks::UnknownRecord { creates: true, .. }
        )
    }

    /// Turns the body of an accepted request into the question. Returns whether it can: the body may have no value of
    /// the form that is asked about.
    pub fn apply_to(&self, request: QuestionRequest<'_>, random: &mut impl Rng) -> bool {
        let QuestionRequest {
            body,
            from_target,
            run_tag,
            linked,
            times_asked,
            change,
        } = request;
        let value = match &self.asks {
            Asks::NoCredential | Asks::PageBeyondLast => return true,
            Asks::InOneRequest { .. } => return false,
            Asks::Duplicate | Asks::Required { .. } => return change.apply_to((body, from_target)),
            Asks::UpdateOfOneField { field } => {
                let Some(value) = body.pointer(field).cloned() else {
                    return false;
                };
                *body = json!({});
                from_target.clear();
                Some((field, value))
            }
            Asks::Date { field, format, .. } => {
                // A day that cannot be taken for a month.
                let date = (13 + times_asked % 15, 1 + times_asked % 12);
                if *format != SentDateFormat::Text {
                    set_date(body, date);
                }
                Some((field, json!(format.write(date))))
            }
            Asks::Entry { field, shown_in: None } => Some((field, json!(format!("Countersign {run_tag}{NO_NUMBER}")))),
            Asks::Entry {
                field,
                shown_in: Some(shown_in),
            } => {
                let values: Vec<_> = linked.iter().filter(|(name, _)| name == shown_in).collect();
                let nth = usize::try_from(times_asked).unwrap_or(0);
                let chosen = nth.checked_rem(values.len()).and_then(|index| values.get(index));
                chosen.map(|(_, value)| (field, value.clone()))
            }
            Asks::OtherValue { field, .. } => {
                let shown = body.pointer(field).and_then(Value::as_str);
                shown.and_then(|shown| Some((field, json!(invented(shown, linked, random)?))))
            }
            Asks::KnownValue { field } => {
                let other = another(body.pointer(field), linked, times_asked);
                other.map(|other| (field, json!(other)))
            }
            Asks::Longest { field } => {
                let (text, length) = (body.pointer(field).and_then(Value::as_str), change.length());
                let longer = text.zip(length).and_then(|(text, length)| longer(text, length, random));
                if times_asked % 2 == 1 {
                    lengthen_others(body, (field, run_tag), random);
                }
                longer.map(|longer| (field, json!(longer)))
            }
            // Another value than the record has, because a service may keep what it has.
            Asks::Spelling { field, .. } => {
                let other = another(body.pointer(field), linked, times_asked);
                other.and_then(|other| Some((field, json!(in_mixed_case(other, times_asked)?))))
            }
            Asks::UnknownField => {
                let name = format!("countersign_{}", letters(8, 'a', random));
                draft::insert(body, &pointer::join("", &name), json!("countersign"));
                return true;
            }
            Asks::UnknownRecord { field, .. } => {
                let shown = body.pointer(field).and_then(Value::as_str);
                shown.map(|shown| (field, json!(unknown_identifier(shown, random))))
            }
        };
        let Some((field, value)) = value else { return false };
        self.put((field, value), (body, from_target));
        true
    }

    /// Puts the question's value into a body.
    fn put(&self, (field, value): (&str, Value), (body, from_target): (&mut Value, &mut Vec<String>)) {
        if let Asks::Entry { shown_in: Some(_), .. } | Asks::KnownValue { .. } | Asks::Spelling { .. } = self.asks {
            from_target.push(field.to_owned());
        } else {
            from_target.retain(|at| at != field);
        }
        // An array is asked about with a single entry.
        if let Some(array) = field.strip_suffix("/0") {
            draft::insert(body, array, json!([]));
            from_target.retain(|at| at == field || !draft::is_within(at, array));
        }
        draft::insert(body, field, value);
    }
}

impl BodyChange {
    /// Returns how many characters a text has, if that is asked about.
    fn length(&self) -> Option<usize> {
        match self {
            Self::Long(length) => Some(*length),
            Self::OnlyValues | Self::Repeat(_) | Self::Without(_) => None,
        }
    }

    /// Makes a body of a plain one. Returns whether it asks anything.
    fn apply_to(self, (body, from_target): (&mut Value, &mut Vec<String>)) -> bool {
        match self {
            Self::Long(_) | Self::OnlyValues => return false,
            Self::Repeat(other) => *body = other,
            Self::Without(members) => members.iter().for_each(|at| draft::remove_member(body, at)),
        }
        from_target.retain(|at| body.pointer(at).is_some());
        true
    }
}

/// Takes the place of the draft number after the run tag, so that a record found by it is attributed to no draft.
const NO_NUMBER: &str = "zzzzzz";

/// Sets the dates at the top of a body that have a day, a month and a year, because a service may compare them with
/// the one that is asked about.
fn set_date(body: &mut Value, (day, month): (u64, u64)) {
    let members = body
        .as_object_mut()
        .into_iter()
        .flat_map(|members| members.values_mut());
    for date in members.filter_map(Value::as_object_mut) {
        let parts = [("day", day), ("month", month), ("year", 1976)];
        if parts.iter().all(|(name, _)| date.get(*name).is_some_and(Value::is_u64)) {
            date.extend(parts.map(|(name, part)| (name.to_owned(), json!(part))));
        }
    }
}

/// Returns a text that was shown for a field, other than the one that it has: another one each time, if there are
/// several.
fn another<'shown>(has: Option<&Value>, shown: &'shown [(String, Value)], times_asked: u64) -> Option<&'shown str> {
    let has = has.and_then(Value::as_str).unwrap_or_default();
    let others = shown.iter().filter_map(|(_, value)| value.as_str());
    let others: Vec<_> = others.filter(|other| !other.eq_ignore_ascii_case(has)).collect();
    let nth = usize::try_from(times_asked).ok()?.checked_rem(others.len())?;
    others.get(nth).copied()
}

/// Whether the operation updates records that a read shows.
fn updates_own_records(contract: &Contract, operation: OperationId) -> bool {
    let method = contract.operation(operation).method;
    matches!(method, Method::Put | Method::Patch) && contract.read_showing_update(operation).is_some()
}

/// Whether the operation creates records whose identifiers its response shows, by an invariant or by an inferred
/// lifecycle.
fn creates_own_records(contract: &Contract, operation: OperationId) -> bool {
    contract.operation(operation).creates()
        && (contract.list_showing_created_by(operation).is_some()
            || contract.lifecycle_starting_with(operation).is_some())
}

/// Whether a create can be sent a duplicate: its response must show what tells the two records apart.
fn may_equal_another(contract: &Contract, create: OperationId) -> bool {
    let id = contract.identifier_pointer(create);
    id.is_some_and(|id| id.starts_with('/')) && !contract.carries_of_create(create).is_empty()
}

/// Adds a question about the body as a whole.
fn of_whole_body(
    contract: &Contract,
    operation: OperationId,
    (kind, asks): (GapKind, &Asks),
    questions: &mut Vec<Question>,
) {
    for (location, _) in contract.located_body_schemas(operation) {
        ask_at(
            contract,
            (operation, &location),
            kind,
            std::slice::from_ref(asks),
            questions,
        );
    }
}

/// Adds the question of which members of the body are required.
fn required(contract: &Contract, operation: OperationId, questions: &mut Vec<Question>) {
    let mut documented = Vec::new();
    for node in contract.body_schemas(operation) {
        collect_members(contract, node, ("", 0), &mut documented);
    }
    let asks = Asks::Required { documented };
    of_whole_body(contract, operation, (GapKind::RequiredFields, &asks), questions);
}

/// Adds the questions about identifiers in the body of a create.
fn unknown_records(contract: &Contract, create: OperationId, questions: &mut Vec<Question>) {
    for (location, field) in body_strings(contract, create) {
        let asks = [Asks::UnknownRecord { field, creates: true }];
        ask_at(
            contract,
            (create, &location),
            GapKind::UnknownReferences,
            &asks,
            questions,
        );
    }
}

/// Collects the pointers of the members of an object in a body, and of those of the objects in it.
fn collect_members(contract: &Contract, node: &Node, (at, depth): (&str, usize), members: &mut Vec<String>) {
    for property in node.member("properties").map_or(&[][..], Node::members) {
        let field = pointer::join(at, &property.name);
        members.push(field.clone());
        let described = contract.referred(&property.node);
        let (inner, below) = match described.member("items") {
            Some(items) => (contract.referred(items), pointer::join(&field, "0")),
            None => (described, field),
        };
        if depth < DEPTH {
            collect_members(contract, inner, (&below, depth + 1), members);
        }
    }
}

/// Adds these questions about each gap of this kind that a location names.
fn ask_at(
    contract: &Contract,
    (operation, location): (OperationId, &str),
    kind: GapKind,
    asks: &[Asks],
    questions: &mut Vec<Question>,
) {
    let gaps = contract.gaps.iter().enumerate();
    let of_kind = gaps.filter(|(_, gap)| gap.kind == Some(kind));
    for (gap, _) in of_kind.filter(|(_, gap)| gap.locations.iter().any(|other| other == location)) {
        questions.extend(asks.iter().map(|asks| Question {
            gap,
            kind,
            operation,
            location: location.to_owned(),
            asks: asks.clone(),
        }));
    }
}

/// Adds the questions about the body and its fields.
fn of_body(contract: &Contract, operation: OperationId, questions: &mut Vec<Question>) {
    let limits = LazyCell::new(|| contract.length_limits(operation));
    for (schema, node) in contract.located_body_schemas(operation) {
        let mut add =
            |location: &str, kind, asks: &[Asks]| ask_at(contract, (operation, location), kind, asks, questions);
        add(&schema, GapKind::UnknownRequestFields, &[Asks::UnknownField]);
        let mut strings = Vec::new();
        collect_strings(contract, (&schema, node), ("", 0), &mut strings);
        for (location, field) in strings {
            let returned_at = returned_at(contract, operation, &field);
            let dates = SentDateFormat::ALL.map(|format| Asks::Date {
                field: field.clone(),
                format,
                returned_at: returned_at.clone(),
            });
            add(&location, GapKind::DateFormat, &dates);
            let known = Asks::KnownValue { field: field.clone() };
            let other = Asks::OtherValue {
                field: field.clone(),
                returned_at,
            };
            add(&location, GapKind::AllowedValues, &[other, known.clone()]);
            let entries = entries(contract, operation, &field);
            add(&location, GapKind::ReferenceEntries, &entries);
            // A service that accepts more than its own responses admit can no longer show the record.
            let is_tagged = contract
                .carries_with_run_tag(operation)
                .any(|carry| carry.sent == field);
            if is_tagged && limits.admit(&field, usize::MAX) {
                add(
                    &location,
                    GapKind::FieldSizes,
                    &[Asks::Longest { field: field.clone() }],
                );
            }
            let unknown = Asks::UnknownRecord { field, creates: false };
            add(&location, GapKind::UnknownReferences, &[unknown, known]);
        }
    }
}

/// How deep in a body strings and other members are asked about.
const DEPTH: usize = 3;

/// Returns the strings of an operation's body, each with the location that names its gaps and with its pointer in the
/// body.
fn body_strings(contract: &Contract, operation: OperationId) -> Vec<(String, String)> {
    let mut strings = Vec::new();
    for (schema, node) in contract.located_body_schemas(operation) {
        collect_strings(contract, (&schema, node), ("", 0), &mut strings);
    }
    strings
}

/// Returns the strings of a create's body whose effect a gap leaves open: the index of the gap, the location and the
/// pointer.
pub(crate) fn text_fields_with_open_side_effect(
    contract: &Contract,
    create: OperationId,
) -> Vec<(usize, String, String)> {
    let gaps = contract.gaps.iter().enumerate();
    let gaps: Vec<_> = gaps.filter(|(_, gap)| gap.kind == Some(GapKind::SideEffect)).collect();
    if gaps.is_empty() {
        return Vec::new();
    }
    let strings = body_strings(contract, create).into_iter();
    let named = strings.flat_map(|(location, field)| {
        let naming = gaps.iter().filter(|(_, gap)| gap.locations.contains(&location));
        let naming: Vec<_> = naming.map(|(gap, _)| (*gap, location.clone(), field.clone())).collect();
        naming
    });
    named.collect()
}

/// Collects the strings of an object in a body, each with the location that names its gaps and with its pointer in the
/// body: fields, entries of arrays, and those of the objects in either.
fn collect_strings(
    contract: &Contract,
    (schema, node): (&str, &Node),
    (at, depth): (&str, usize),
    strings: &mut Vec<(String, String)>,
) {
    let is_string = |node: &Node| node.member("type").and_then(Node::string) == Some("string");
    let properties = pointer::join(schema, "properties");
    for property in node.member("properties").map_or(&[][..], Node::members) {
        let location = pointer::join(&properties, &property.name);
        let field = pointer::join(at, &property.name);
        let described = contract.referred(&property.node);
        let items = described.member("items").map(|items| contract.referred(items));
        if is_string(described) {
            strings.push((location, field));
        } else if items.is_some_and(is_string) {
            strings.push((location, pointer::join(&field, "0")));
        } else if let Some(items) = items.filter(|_| depth < DEPTH) {
            let inner = contract.resolve(&pointer::join(&contract.resolve(&location), "items"));
            let below = (pointer::join(&field, "0"), depth + 1);
            collect_strings(contract, (&inner, items), (&below.0, below.1), strings);
        } else if items.is_none() && depth < DEPTH {
            let inner = contract.resolve(&location);
            collect_strings(contract, (&inner, described), (&field, depth + 1), strings);
        }
    }
}

/// Returns where the record shows a field that an update sends.
fn returned_at(contract: &Contract, update: OperationId, field: &str) -> Option<String> {
    let any = pointer::with_any_elements(field);
    let carry = contract
        .stated_or_inferred_carries_of_update(update)
        .iter()
        .find(|carry| carry.sent == any);
    carry.map(|carry| carry.returned_at.clone())
}

/// Returns a question for each field whose value a link carries into an entry of an array, and one for a text that
/// names no record.
fn entries(contract: &Contract, operation: OperationId, field: &str) -> Vec<Asks> {
    let target = crate::contract::link::LinkTarget::Body(field.to_owned());
    let links = contract.links_allowed_to_fill(operation, &target);
    let names = links.iter().filter_map(|link| pointer::last(&link.value_at));
    let mut names: Vec<_> = names.map(Some).collect();
    names.sort();
    names.dedup();
    names.push(None);
    let entry = |shown_in| Asks::Entry {
        field: field.to_owned(),
        shown_in,
    };
    names.into_iter().map(entry).collect()
}

/// Adds the questions of whether values come back in the upper and lower case in which they were sent.
fn add_spelling_questions(contract: &Contract, operation: OperationId, questions: &mut Vec<Question>) {
    let Some(updated) = contract.operation(operation).invariants.updated.as_ref() else {
        return;
    };
    let Some(item) = contract
        .list_showing_updated_by(operation)
        .and_then(|list| contract.item_shape(list))
    else {
        return;
    };
    for carry in &updated.carries {
        let Some(shown) = contract.shape_below(item, &carry.returned_at) else {
            continue;
        };
        for here in &contract.shape(shown).gaps {
            let asks = [Asks::Spelling {
                field: carry.sent.replace("/*", "/0"),
                returned_at: carry.returned_at.clone(),
            }];
            let at = (operation, here.location.as_str());
            ask_at(contract, at, GapKind::ValueSpelling, &asks, questions);
        }
    }
    questions.dedup();
}

/// Adds the question of what becomes of fields that are not sent.
fn one_field(contract: &Contract, operation: OperationId, questions: &mut Vec<Question>) {
    let Some(field) = contract.carries_with_run_tag(operation).next() else {
        return;
    };
    let at = (operation, contract.operation(operation).pointer.as_str());
    let asks = [Asks::UpdateOfOneField {
        field: field.sent.clone(),
    }];
    ask_at(contract, at, GapKind::UpdateSemantics, &asks, questions);
}

/// Adds the question of what comes after the last page.
fn page_beyond_last(contract: &Contract, operation: OperationId, questions: &mut Vec<Question>) {
    let documented = contract.operation(operation);
    let body = documented.success_body();
    let (Some(_), Some(body)) = (&documented.page, body) else {
        return;
    };
    for here in &contract.shape(body).gaps {
        let at = (operation, here.location.as_str());
        ask_at(
            contract,
            at,
            GapKind::PageBeyondLast,
            &[Asks::PageBeyondLast],
            questions,
        );
    }
    questions.dedup();
}

impl Contract {
    /// Returns the shape of a list's items.
    pub(crate) fn item_shape(&self, list: OperationId) -> Option<ShapeId> {
        let documented = self.operation(list);
        let body = documented.success_body()?;
        let items = self.shape_below(body, &documented.page.as_ref()?.items)?;
        self.shape(items).items
    }

    /// Returns the name of the component that documents the items of a list; `None` where they are documented
    /// elsewhere.
    pub(crate) fn item_name(&self, list: OperationId) -> Option<&str> {
        let fact = self.shape(self.item_shape(list)?).type_fact?;
        let below = self.fact(fact).location.strip_prefix("/components/schemas/")?;
        below.split('/').next()
    }

    /// Returns the shape of a field below another, by its pointer.
    pub(crate) fn shape_below(&self, shape: ShapeId, pointer: &str) -> Option<ShapeId> {
        pointer::tokens(pointer).try_fold(shape, |id, name| {
            let shape = self.shape(id);
            match shape.field_named(&name) {
                Some(field) => Some(shape.fields.get(field)?.shape),
                None => shape.items.filter(|_| name == "*"),
            }
        })
    }

    /// Returns the fields by which an update's record can be recognised: those with a text of the run's own that come
    /// back as they were sent. Without an invariant, that is any string at the top of the body without `enum`,
    /// `format`, `maxLength` or `pattern` whose name is not that of a record.
    pub(crate) fn carries_with_run_tag(
        &self,
        update: OperationId,
    ) -> impl Iterator<Item = &crate::contract::vocabulary::Carry> {
        let is_inferred = self.operation(update).invariants.updated.is_none();
        let is_tagged = move |sent: &str| {
            let name = sent.strip_prefix('/').filter(|name| !name.contains('/'));
            let mut properties = self.body_properties(update);
            name.is_some_and(|name| {
                properties.any(|property| {
                    let schema = self.referred(&property.node);
                    property.name == name
                        && match is_inferred {
                            true => is_free_string(schema) && !self.names_a_record(name),
                            false => schema.member("x-synthetic").is_some(),
                        }
                })
            })
        };
        let carries = self.stated_or_inferred_carries_of_update(update).iter();
        carries.filter(move |carry| carry.comes_back_as_sent() && is_tagged(&carry.sent))
    }
}

/// Returns a value of the same form as one that was shown, and not among those; `None` for a text without letters and
/// digits, and for one with a letter or digit outside ASCII, which would stay as it is. Two or three capitals may be a
/// country code: those that begin with `QM` to `QZ` are nobody's (ISO 3166-1, section 8).
fn invented(shown: &str, others: &[(String, Value)], random: &mut impl Rng) -> Option<String> {
    if shown
        .chars()
        .any(|character| !character.is_ascii() && character.is_alphanumeric())
    {
        return None;
    }
    let is_code = matches!(shown.len(), 2 | 3) && shown.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_known = |text: &str| {
        let same = |other: &str| other.eq_ignore_ascii_case(text);
        same(shown) || others.iter().any(|(_, value)| value.as_str().is_some_and(same))
    };
    let tries = (0..20).map(|_| {
        if is_code {
            let rest = letters(shown.len() - 2, 'A', random);
            let second = char::from(b'M' + pick(14, random));
            return format!("Q{second}{rest}");
        }
        let vowel = |random: &mut _| char::from(b"aeiou"[usize::from(pick(5, random))]);
        let change = |character: char| match character {
            // A service may ask for words that can be pronounced.
            'a' | 'e' | 'i' | 'o' | 'u' => vowel(random),
            'a'..='z' => char::from(b'a' + pick(26, random)),
            'A'..='Z' => char::from(b'A' + pick(26, random)),
            '0'..='9' => char::from(b'0' + pick(10, random)),
            other => other,
        };
        shown.chars().map(change).collect()
    });
    let mut tries: Vec<String> = tries.collect();
    tries.retain(|text| !is_known(text));
    tries.into_iter().next()
}

/// Returns the text with its ASCII letters alternately in lower and upper case; `None` if it has fewer than two. Every
/// other time, the first letter is a capital: a service may change only that one.
fn in_mixed_case(text: &str, times_asked: u64) -> Option<String> {
    // Every other letter, so that a service that changes all letters to upper or to lower case is noticed.
    let upper_first = times_asked % 2;
    let mut letters = 0;
    let mixed = text.chars().map(|letter| {
        if !letter.is_ascii_alphabetic() {
            return letter;
        }
        letters += 1;
        if (letters + upper_first) % 2 == 1 {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    });
    let mixed: String = mixed.collect();
    (letters >= 2).then_some(mixed)
}

/// Returns the text with a hyphen and random letters added, so that it has this many characters; `None` if it is longer
/// already. The record is still recognised by the text before the hyphen.
fn longer(text: &str, length: usize, random: &mut impl Rng) -> Option<String> {
    match length.checked_sub(text.chars().count())? {
        0 => Some(text.to_owned()),
        more => Some(format!("{text}-{}", letters(more - 1, 'a', random))),
    }
}

/// Makes the other texts of the run's own a little longer, at the top of a body. If that changes what becomes of a
/// text, the limit is not that of its field, but of several together or of the whole body.
fn lengthen_others(body: &mut Value, (field, run_tag): (&str, &str), random: &mut impl Rng) {
    for (name, value) in body.as_object_mut().into_iter().flatten() {
        let text = value
            .as_str()
            .filter(|text| text.contains(run_tag) && !text.contains('@'));
        let text = text.filter(|_| pointer::join("", name) != field);
        let longer = text.and_then(|text| longer(text, text.chars().count() + EXTRA_LENGTH, random));
        if let Some(longer) = longer {
            *value = json!(longer);
        }
    }
}

/// By how many characters [`lengthen_others`] lengthens each string.
const EXTRA_LENGTH: usize = 5;

/// Returns an identifier that should name no record, in the form of a known one, if that form has enough letters and
/// digits to draw: a service may reject any other form for that alone.
fn unknown_identifier(shown: &str, random: &mut impl Rng) -> String {
    if let Ok(known) = Uuid::try_parse(shown) {
        return unknown_uuid(shown, known, random);
    }
    if let Some(known) = shown.parse::<u64>().ok().filter(|_| !shown.starts_with(['0', '+'])) {
        // The largest numbers that services keep: of 32 bits, of a double, of 64 bits.
        let largest = [
            i32::MAX.unsigned_abs().into(),
            9_007_199_254_740_991,
            i64::MAX.unsigned_abs(),
        ];
        let largest = largest
            .into_iter()
            .find(|largest| known <= *largest)
            .unwrap_or(u64::MAX);
        return (largest - u64::from(pick(200, random))).to_string();
    }
    // What comes before the last part may say what kind of record it is: `ven_01hx4k`.
    let last = shown
        .char_indices()
        .rev()
        .find(|(_, letter)| !letter.is_ascii_alphanumeric());
    let (kind, name) = shown.split_at(last.map_or(0, |(at, letter)| at + letter.len_utf8()));
    let (kind, name) = match name.len() < MIN_RANDOM_LETTERS {
        true => ("", shown),
        false => (kind, name),
    };
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    if letters.count() < MIN_RANDOM_LETTERS {
        return unknown_uuid("", Uuid::nil(), random);
    }
    let is_hex = name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut from =
        |letters: &[u8]| char::from(letters[usize::from(pick(u8::try_from(letters.len()).unwrap_or(1), random))]);
    let other = |letter: char| match letter {
        '0'..='9' => from(b"0123456789"),
        'a'..='f' if is_hex => from(b"abcdef"),
        'A'..='F' if is_hex => from(b"ABCDEF"),
        // Without i, l, o and u, which Crockford's base 32 leaves out.
        'a'..='z' => from(b"abcdefghjkmnpqrstvwxyz"),
        'A'..='Z' => from(b"ABCDEFGHJKMNPQRSTVWXYZ"),
        letter => letter,
    };
    kind.chars().chain(name.chars().map(other)).collect()
}

/// The fewest letters and digits that are drawn at random, so that the result is not that of another record.
const MIN_RANDOM_LETTERS: usize = 6;

/// Returns a UUID that should name no record, of the version and in the spelling of another. What a version other than
/// 4 (RFC 9562, section 5) takes from the clock or from a name stays as it is. Otherwise it begins with a letter, so
/// that its beginning is no number of a record.
fn unknown_uuid(shown: &str, known: Uuid, random: &mut impl Rng) -> String {
    let mut bytes = [0; 16];
    random.fill_bytes(&mut bytes);
    bytes[0] |= FIRST_DIGIT_A_LETTER;
    let made_up = uuid::Builder::from_random_bytes(bytes).into_uuid();
    let made_up = if matches!(known.get_version_num(), 0 | 4) {
        made_up
    } else {
        let mut bytes = *known.as_bytes();
        bytes[8..].copy_from_slice(&made_up.as_bytes()[8..]);
        Uuid::from_bytes(bytes)
    };
    let text = match shown.contains('-') {
        true => made_up.to_string(),
        false => made_up.simple().to_string(),
    };
    let is_upper = shown.chars().any(|letter| letter.is_ascii_uppercase());
    if is_upper { text.to_uppercase() } else { text }
}

/// Returns this many random letters of the alphabet that begins at `from`: `a` for lower case, `A` for upper case.
fn letters(count: usize, from: char, random: &mut impl Rng) -> String {
    let from = u8::try_from(from).unwrap_or(b'a');
    (0..count).map(|_| char::from(from + pick(26, random))).collect()
}

/// Returns a random number below `limit`.
fn pick(limit: u8, random: &mut impl Rng) -> u8 {
    u8::try_from(random.next_u32() % u32::from(limit)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    type HasForm = fn(&str) -> bool;

    #[test]
    fn an_unknown_identifier_has_the_form_of_a_known_one() {
        let forms: [(&str, HasForm); 16] = [
            ("1001", |id| id.parse::<i32>().is_ok()),
            ("31", |id| id.parse::<i32>().is_ok()),
            ("3000000000", |id| id.parse::<i64>().is_ok()),
            ("1796234567890123", |id| id.len() == 16 && id.parse::<i64>().is_ok()),
            ("1796234567890123456", |id| id.parse::<i64>().is_ok()),
            ("0000000107", |id| {
                id.len() == 10 && id.bytes().all(|byte| byte.is_ascii_digit())
            }),
            ("façade-naïveté", |id| id.contains('ç') && id.contains('ï')),
            ("\u{6771}\u{4eac}", |id| id.len() == 32),
            ("DE", |id| id.len() == 32),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", |id| {
                id.len() == 26 && !id.contains(['I', 'L', 'O', 'U'])
            }),
            ("04000000-0000-4000-8000-000000000107", |id| {
                Uuid::try_parse(id).unwrap().get_version_num() == 4 && id.contains('-')
            }),
            ("0190a5c2-7b3e-7abc-8def-0123456789ab", |id| {
                id.starts_with("0190a5c2-7b3e-7abc-")
            }),
            ("04000000000040008000000000000107", |id| id.len() == 32),
            ("04000000-0000-4000-8000-00000000ABCD", |id| {
                !id.bytes().any(|byte| byte.is_ascii_lowercase())
            }),
            ("ven_01hx4k7zq2", |id| id.starts_with("ven_") && id.len() == 14),
            ("main-hall", |id| id.len() == 9 && id.as_bytes()[4] == b'-'),
        ];
        for seed in 0..20 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            for (shown, has_form) in forms {
                let made_up = unknown_identifier(shown, &mut random);
                assert!(made_up != shown && has_form(&made_up), "{shown} {made_up}");
            }
        }
    }
}
