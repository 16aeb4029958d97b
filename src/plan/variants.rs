//! Makes bodies other than the plain draft: each field alone, only the required fields, timestamps at several offsets,
//! awkward values; and for an update the same once more, or other choices. The main type is [`Variant`].
//!
//! # Design
//!
//! Every variant is a documented body: the document does not show which fields are required, and a JSON string is any
//! Unicode text. So a rejection of a variant is evidence about a gap, and a response is judged like any other. A create
//! leaves a record, so a run sends few of its variants, in an order that the seed chooses: the runs of a week cover all
//! of them, and one variant has as many awkward values as a record can hold. An update leaves nothing, so it is sent
//! with all of them.

use std::fmt;

use chrono::{DateTime, Days, Duration, FixedOffset, NaiveTime, Timelike as _};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use super::awkward::AwkwardValues;
use super::body::fields;
use super::draft::{Draft, is_within};
use super::fragile::{FragileValue, fragile_values, words_instead_of_null};
use super::leaf::{Choice, FieldKind, Leaf};
use super::rights::may_be_falsy;
use super::template::Template;
use super::timestamps::written_at;
use crate::contract::document::Node;
use crate::contract::fact::FactKind;
use crate::contract::link::Link;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampFormat;
use crate::contract::{Contract, pointer};
use crate::history::{Bindings, RunTag};

/// The default maximum number of records that a run may leave in the target.
pub const RECORDS_BY_DEFAULT: u64 = 20;

/// How many records `max_writes` must allow for each further variant that a create is sent with.
pub const RECORDS_PER_VARIANT: u64 = 20;

/// The number of variants of a create that are tried to get one accepted: most leave out a field that may be required.
pub const TRIES_PER_VARIANT: u64 = 3;

/// The maximum number of bodies with awkward values that an update is sent with: those that are rejected are sent again
/// in halves.
pub const AWKWARD_UPDATES: usize = 60;

/// The maximum number of bodies that each variant of an update without invariants is sent with, in parts where it is
/// rejected.
pub const AWKWARD_UPDATES_WITHOUT_INVARIANTS: u64 = 8;

/// Returns how much of `--max-writes` is reserved for what comes after the documented creates and may be accepted.
#[must_use]
pub fn reserved_writes(max_writes: u64) -> u64 {
    max_writes.div_ceil(4)
}

/// Offsets other than that of the plain draft: the ends of the range, those with half and quarter hours, and UTC
/// written as an offset.
const OFFSETS: [&str; 5] = ["+14:00", "-12:00", "+05:45", "-03:30", "+00:00"];

/// How a body differs from the plain draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variant {
    /// The accepted request, unchanged: for an update, which may then do the same twice.
    SameAgain,
    /// This field alone, by its pointer, with those that the contract requires; an object or an array with everything
    /// in it. A field in an object comes without the others in there.
    OneField(String),
    /// Only the fields that the contract requires; an empty object, if it requires none.
    RequiredFields,
    /// Timestamps at this offset, at an instant whose date there differs from that in UTC, where the offset allows.
    Offset(&'static str),
    /// Timestamps at this offset, at the instant that was accepted.
    SameInstantAt(&'static str),
    /// Timestamps at this offset, with the local time that was accepted: a target may accept only some hours of the
    /// day.
    SameLocalTimeAt(&'static str),
    /// These awkward values, added to what was accepted.
    Awkward(AwkwardValues),
    /// What was accepted, with these values in place of others: each is one that software changes on its way.
    Fragile(Vec<FragileValue>),
    /// What was accepted, with these values in place of others: each is one that code may mistake for a missing one.
    Falsy(Vec<(String, Value)>),
    /// What was accepted, with another value in each field for which the schema leaves a choice: a boolean, a member of
    /// an `enum`, a number.
    OtherChoices,
}

impl fmt::Display for Variant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameAgain => formatter.write_str("the same body again"),
            Self::OneField(field) => write!(formatter, "{field} alone"),
            Self::RequiredFields => formatter.write_str("only the required fields"),
            Self::Offset(offset) | Self::SameInstantAt(offset) | Self::SameLocalTimeAt(offset) => {
                write!(formatter, "timestamps at {offset}")
            }
            Self::Awkward(values) => write!(formatter, "awkward values ({values})"),
            Self::Fragile(_) => formatter.write_str("several elements, fractions, long texts and times at an offset"),
            Self::Falsy(_) => formatter.write_str("false, 0, an empty string or null"),
            Self::OtherChoices => formatter.write_str("other booleans, numbers and members of enumerations"),
        }
    }
}

impl Variant {
    /// Returns what is sent instead if this is rejected: the values in halves, or each by itself.
    #[must_use]
    pub fn parts(&self) -> Vec<Self> {
        match self {
            Self::Awkward(values) => values.halves().into_iter().map(Self::Awkward).collect(),
            Self::Falsy(values) if values.len() > 1 => {
                values.iter().map(|value| Self::Falsy(vec![value.clone()])).collect()
            }
            Self::Fragile(values) if values.len() > 1 => {
                values.iter().map(|value| Self::Fragile(vec![value.clone()])).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a create has variants: it has fields, and where no invariant says what it does, some that may be left out of
/// a record that can still be recognised by the run tag.
pub(super) fn varies(contract: &Contract, create: OperationId) -> bool {
    if contract.operation(create).invariants.created.is_some() {
        return !fields(contract, create).is_empty();
    }
    let run_tag = RunTag::new(0, 0);
    let draft = Template::of(contract, create).draft(&Bindings::default(), (&run_tag, 0), TimestampFormat::Utc);
    draft.is_ok_and(|full| {
        let mut required = full.clone();
        required.vary(&Variant::RequiredFields, &full) && run_tag.is_in(&required.body().0)
    })
}

/// Returns all variants of an operation's body, in the order of sending:
///
/// - of a create without invariants: the one with the required fields alone, if the body has others, since the document
///   says that both bodies are accepted;
/// - of an update without invariants: one with awkward values, if a read shows what it sent; one with values that
///   software changes on their way; one text of an object alone, if the rest of the object must stay; one with other
///   choices; one text alone, if the fields that are not sent must stay or get their defaults; one with values that code may mistake for
///   missing ones, after the one in which they may be others; and one with words for nothing in place of texts;
/// - of any other create: one with awkward values, then the others, in the order of the seed;
/// - of any other update: the same update again, then the others, in the order of the seed, then those with awkward
///   values.
#[must_use]
pub fn variants(contract: &Contract, operation: OperationId, seed: u64) -> Vec<Variant> {
    let fields = fields(contract, operation);
    if fields.is_empty() {
        return Vec::new();
    }
    let documented = contract.operation(operation);
    let invariants = &documented.invariants;
    if documented.creates() && invariants.created.is_none() {
        return varies(contract, operation)
            .then_some(Variant::RequiredFields)
            .into_iter()
            .collect();
    }
    let places = Template::of(contract, operation).awkward_places();
    if !documented.creates() && invariants.updated.is_none() {
        let values = AwkwardValues::of_an_update_without_invariants(places);
        let values = Some(values).filter(|values| !values.is_empty());
        let text = Template::of(contract, operation).first_text();
        let awkward = values.map(Variant::Awkward);
        // Without a text, nothing shows whose the record is.
        let others = text.map(|text| further_variants(contract, (operation, seed), text));
        return awkward.into_iter().chain(others.into_iter().flatten()).collect();
    }
    let offsets = invariants
        .accepted_timestamp_formats
        .iter()
        .any(|accepted| accepted.formats.contains(&TimestampFormat::Offset));
    let mut variants: Vec<_> = fields.into_iter().map(Variant::OneField).collect();
    variants.push(Variant::RequiredFields);
    variants.extend(OFFSETS.map(Variant::Offset).into_iter().filter(|_| offsets));
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(u64::try_from(operation.0).unwrap_or(0));
    for end in (1..variants.len()).rev() {
        let range = u64::try_from(end + 1).unwrap_or(1);
        variants.swap(end, usize::try_from(random.next_u64() % range).unwrap_or(0));
    }
    if documented.creates() {
        let values = AwkwardValues::of_a_create(places, seed);
        variants.splice(0..0, values.map(Variant::Awkward));
    } else {
        // Only right after the accepted update does it change nothing.
        variants.insert(0, Variant::SameAgain);
        let sets = AwkwardValues::of_an_update(places, seed).into_iter();
        variants.extend(sets.map(Variant::Awkward));
    }
    variants
}

/// Returns the variants of an update without invariants that come after the one with awkward values; `text` is its
/// first text, which stays the run's own.
fn further_variants(contract: &Contract, (update, seed): (OperationId, u64), text: String) -> Vec<Variant> {
    let is_harmless = |(at, schema, value): &(String, &Node, Value)| {
        let name = pointer::last(at).unwrap_or_default();
        *at != text && may_be_falsy(value, &name, schema)
    };
    let falsy = contract.falsy_values(update).into_iter().filter(is_harmless);
    let falsy: Vec<_> = falsy.map(|(at, _, value)| (at, value)).collect();
    let keeps = contract.fact_of(update, FactKind::FieldsKeptByUpdate).is_some();
    let resets = contract.fact_of(update, FactKind::DefaultAfterReplace).is_some();
    let of_object = || Template::of(contract, update).first_text_in_object();
    let part = (keeps && contract.merges_objects(update)).then(of_object).flatten();
    let words = words_instead_of_null(contract, (update, seed), &text);
    let fragile = |values: Vec<FragileValue>| (!values.is_empty()).then_some(Variant::Fragile(values));
    let all = [
        fragile(fragile_values(contract, update)),
        part.map(Variant::OneField),
        Some(Variant::OtherChoices),
        (keeps || resets).then_some(Variant::OneField(text)),
        (!falsy.is_empty()).then_some(Variant::Falsy(falsy)),
        fragile(words),
    ];
    all.into_iter().flatten().collect()
}

impl Draft {
    /// Makes the draft a variant of an accepted one. Returns whether it now differs in the requested way: a field that
    /// was not accepted cannot be sent, and [`Variant::SameAgain`] changes nothing.
    #[must_use]
    pub fn vary(&mut self, variant: &Variant, accepted: &Self) -> bool {
        self.copy_choices_from(accepted);
        let before = self.body().0;
        match variant {
            Variant::SameAgain => {}
            Variant::OneField(field) => {
                self.keep_only(|leaf| leaf.required || is_within(&leaf.pointer, field));
            }
            Variant::RequiredFields => self.keep_only(|leaf| leaf.required),
            Variant::Offset(offset) => self.rewrite(FieldKind::Timestamp, |text| at_offset(text, offset)),
            Variant::SameInstantAt(offset) => {
                self.format = TimestampFormat::Offset;
                self.rewrite(FieldKind::Timestamp, |text| same_instant_at(text, offset));
            }
            Variant::SameLocalTimeAt(offset) => {
                self.format = TimestampFormat::Offset;
                self.rewrite(FieldKind::Timestamp, |text| same_local_time_at(text, offset));
            }
            Variant::Awkward(values) => self.put(values),
            Variant::OtherChoices => {
                // The type of a record in JSON:API must stay.
                let may_differ =
                    |leaf: &&mut Leaf| leaf.kind == FieldKind::Other && leaf.pointer != Link::JSON_API_TYPE;
                for leaf in self.leaves.iter_mut().filter(may_differ) {
                    let now = leaf.value().cloned();
                    let mut others = leaf.others.iter().map(|other| &other.value);
                    let other = now.and_then(|now| others.find(|other| **other != now).cloned());
                    other.into_iter().for_each(|other| leaf.set(other));
                }
            }
            Variant::Fragile(values) => values.iter().for_each(|value| self.put_fragile(value)),
            Variant::Falsy(values) => values.iter().for_each(|(at, value)| self.put_if_admitted(at, value)),
        }
        let body = self.body().0;
        let emptied = body.as_object().is_some_and(serde_json::Map::is_empty);
        body != before && (!emptied || *variant == Variant::RequiredFields) && self.is_admitted()
    }

    /// Reduces a create to the required fields of what was sent. If none of them has the run tag, by which the record
    /// is found again, an optional field that has it stays: `name` or `title`, or else the first one. Returns whether
    /// the draft now differs from what was sent.
    #[must_use]
    pub fn reduce(&mut self, sent: &Self, run_tag: &RunTag) -> bool {
        let differs = self.vary(&Variant::RequiredFields, sent);
        if run_tag.is_in(&self.body().0) {
            return differs;
        }
        let has_tag = |leaf: &&Leaf| leaf.value().is_some_and(|value| run_tag.is_in(value));
        let fields = sent.leaves.iter().filter(has_tag).filter_map(Leaf::top_field);
        match fields.min_by_key(|field| !["/name", "/title"].contains(field)) {
            Some(field) => self.vary(&Variant::OneField(field.to_owned()), sent),
            None => differs,
        }
    }

    /// Puts awkward values into the draft, as far as it has a place for them. Returns whether that changed it.
    #[must_use]
    pub fn make_awkward(&mut self, values: &AwkwardValues) -> bool {
        let before = self.body().0;
        self.put(values);
        self.body().0 != before
    }

    /// Adds a second element to an array of the run's own addresses, and takes one of the instants on which time zones
    /// break: for a create that is sent at the same time as the one with awkward values.
    pub fn vary_for_concurrent_create(&mut self, seed: u64) {
        self.put(&AwkwardValues::of_a_concurrent_create(seed));
    }

    /// Sends other values than those that a record already shows, where others are known: an update that repeats them
    /// proves nothing. The parts of one field are changed together, so that a date stays a date.
    pub fn avoid_repeating(&mut self, shown: impl Fn(&str, &Value) -> bool) {
        let repeats = |leaf: &Leaf| leaf.value().is_some_and(|value| shown(&leaf.pointer, value));
        let repeated: Vec<_> = self.leaves.iter().filter(|leaf| repeats(leaf)).collect();
        let fields: Vec<_> = repeated
            .into_iter()
            .filter_map(|leaf| leaf.top_field().map(str::to_owned))
            .collect();
        for leaf in &mut self.leaves {
            let repeated = leaf
                .top_field()
                .is_some_and(|field| fields.iter().any(|other| other == field));
            if repeated && leaf.value().is_some() {
                let at = leaf.pointer.clone();
                leaf.choose_another(|value| !shown(&at, value));
            }
        }
    }

    /// Puts a value into the field at this location, in place of the elements if it is an array, if the draft sends the
    /// field and its schema admits the value.
    pub(super) fn put_if_admitted(&mut self, at: &str, value: &Value) {
        let is_of_it = |leaf: &Leaf| is_within(&leaf.pointer, at);
        let mut leaves = self.leaves.iter();
        let Some(sent) = leaves.find(|leaf| is_of_it(leaf) && leaf.value().is_some()).cloned() else {
            return;
        };
        let before = self.leaves.clone();
        self.leaves.retain(|leaf| !is_of_it(leaf));
        self.leaves.push(Leaf {
            pointer: at.to_owned(),
            choices: vec![Choice::own(value.clone())],
            chosen: 0,
            repeats: None,
            ..sent
        });
        if !self.is_admitted() {
            self.leaves = before;
        }
    }

    /// Leaves out every field except those that `stays` admits, and those that belong to every body.
    fn keep_only(&mut self, stays: impl Fn(&Leaf) -> bool) {
        for leaf in self.leaves.iter_mut().filter(|leaf| !leaf.must_be_sent && !stays(leaf)) {
            leaf.chosen = leaf.choices.len();
        }
    }

    /// Changes the strings of fields with this kind.
    pub(super) fn rewrite(&mut self, kind: FieldKind, change: impl Fn(&str) -> Option<String>) {
        let leaves = self.leaves.iter_mut().filter(|leaf| leaf.kind == kind);
        leaves.for_each(|leaf| leaf.rewrite(&change));
    }
}

/// Returns the awkward values that an equivalent request sends: each can be written in more than one way.
#[must_use]
pub fn values_for_equivalent_request(contract: &Contract, operation: OperationId) -> AwkwardValues {
    AwkwardValues::for_equivalent_request(Template::of(contract, operation).awkward_places())
}

/// Returns a timestamp at this offset, within an hour of a UTC midnight and on the side where the local date differs
/// from the UTC date.
fn at_offset(text: &str, offset: &str) -> Option<String> {
    let offset: FixedOffset = offset.parse().ok()?;
    let utc = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
    let minute = Duration::seconds(i64::from(utc.minute() * 60 + utc.second()));
    let midnight = utc.date_naive().and_time(NaiveTime::MIN);
    let instant = if offset.local_minus_utc() > 0 {
        midnight.checked_add_days(Days::new(1))? - Duration::hours(1) + minute
    } else {
        midnight + minute
    };
    Some(written_at(&instant.and_utc(), offset))
}

/// Returns the same instant as it is written at this offset.
fn same_instant_at(text: &str, offset: &str) -> Option<String> {
    Some(written_at(
        &DateTime::parse_from_rfc3339(text).ok()?,
        offset.parse().ok()?,
    ))
}

/// Returns the instant at this offset whose local time is that of the text.
fn same_local_time_at(text: &str, offset: &str) -> Option<String> {
    let local = DateTime::parse_from_rfc3339(text).ok()?.naive_local();
    let offset: FixedOffset = offset.parse().ok()?;
    Some(written_at(&local.and_local_timezone(offset).single()?, offset))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;
    use crate::history::{Bindings, RunTag};

    fn bindings() -> Bindings {
        let contract = crate::testing::built_in();
        let mut bindings = Bindings::default();
        for (operation, body) in [
            ("createContact", json!({"data": {"id": "c-1"}})),
            ("getVenues", json!({"data": {"items": [{"id": "v-1"}]}})),
            (
                "getContacts",
                json!({"data": {"items": [{"gender": "f"}, {"gender": "m"}]}}),
            ),
        ] {
            bindings.bind(contract, contract.operation_named(operation).unwrap(), &body);
        }
        bindings
    }

    fn draft(operation: &str, number: u64) -> Draft {
        let contract = crate::testing::built_in();
        let id = contract.operation_named(operation).unwrap();
        Template::of(contract, id)
            .draft(&bindings(), (&RunTag::new(1, 1), number), TimestampFormat::Utc)
            .unwrap()
    }

    fn of(operation: &str, seed: u64) -> Vec<Variant> {
        let contract = crate::testing::built_in();
        variants(contract, contract.operation_named(operation).unwrap(), seed)
    }

    /// The body of a variant; `None` where there is no such variant.
    fn varied(operation: &str, variant: &Variant) -> Option<Value> {
        let mut draft_of = draft(operation, 1);
        draft_of.vary(variant, &draft(operation, 0)).then(|| draft_of.body().0)
    }

    #[test]
    fn every_field_is_sent_alone_and_none_at_all() {
        let fields: HashSet<_> = of("createContact", 1)
            .into_iter()
            .filter_map(|variant| match variant {
                Variant::OneField(field) => Some(field),
                _ => None,
            })
            .collect();
        assert_eq!(fields.len(), 11);
        let born = varied("createContact", &Variant::OneField("/date_of_birth".to_owned())).unwrap();
        assert_eq!(born, json!({"date_of_birth": {"day": 28, "month": 2, "year": 1990}}));
        assert_eq!(varied("createTag", &Variant::RequiredFields), Some(json!({})));
    }

    #[test]
    fn an_update_alone_is_sent_again_before_anything_else_is_sent() {
        for seed in 0..20 {
            assert_eq!(of("updateContact", seed)[0], Variant::SameAgain);
            for create in ["createContact", "createContactMethod", "createVisit", "createTag"] {
                assert!(!of(create, seed).contains(&Variant::SameAgain), "{create}");
            }
        }
        let (mut same, accepted) = (draft("updateContact", 1), draft("updateContact", 1));
        assert!(!same.vary(&Variant::SameAgain, &accepted));
        assert_eq!(same.body().0, accepted.body().0);
    }

    #[test]
    fn the_same_seed_gives_the_same_order_and_few_seeds_bring_every_variant_first() {
        assert_eq!(of("createContact", 7), of("createContact", 7));
        let all = of("createVisit", 1).len();
        let first: HashSet<_> = (0..60).map(|seed| of("createVisit", seed)[1].to_string()).collect();
        // The one with awkward values comes before the others, whatever the seed.
        assert_eq!((all, first.len()), (10, 9));
    }

    #[test]
    fn an_offset_moves_the_date_where_it_can() {
        for (offset, sent) in [
            ("+14:00", "2024-03-01T13:31:37+14:00"),
            ("-12:00", "2024-02-28T12:31:37-12:00"),
            ("+05:45", "2024-03-01T05:16:37+05:45"),
            ("-03:30", "2024-02-28T21:01:37-03:30"),
            ("+00:00", "2024-02-29T00:31:37+00:00"),
        ] {
            let body = varied("createVisit", &Variant::Offset(offset)).unwrap();
            assert_eq!(body["datetime"], sent);
        }
        assert!(!of("createContact", 1).contains(&Variant::Offset("+14:00")));
    }

    #[test]
    fn a_field_that_was_not_accepted_is_not_sent_alone() {
        let field = Variant::OneField("/gender".to_owned());
        let mut accepted = draft("createContact", 0);
        accepted.keep_only(|leaf| leaf.pointer != "/gender");
        assert!(!draft("createContact", 1).vary(&field, &accepted));
        assert!(draft("createContact", 1).vary(&field, &draft("createContact", 0)));
    }

    #[test]
    fn a_field_that_the_contract_requires_is_never_left_out() {
        let text = "openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    post:
      operationId: createThing
      requestBody:
        content:
          application/json:
            schema:
              allOf: [{required: [name]}, {type: object, properties: {name: {type: string}, size: {type: integer, maximum: 9}}}]
      responses: {'201': {description: Thing}}
";
        let contract = Contract::read("things.yaml", text.to_owned()).unwrap();
        let id = contract.operation_named("createThing").unwrap();
        let draft = || {
            Template::of(&contract, id)
                .draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
                .unwrap()
        };
        let names = |variant: &Variant| {
            let mut varied = draft();
            let sent = varied.vary(variant, &draft());
            sent.then(|| varied.body().0.as_object().unwrap().keys().cloned().collect::<Vec<_>>())
        };
        assert_eq!(variants(&contract, id, 1), [Variant::RequiredFields]);
        assert_eq!(
            names(&Variant::OneField("/name".to_owned())),
            Some(vec!["name".to_owned()])
        );
        assert_eq!(names(&Variant::OneField("/size".to_owned())), None);
        assert_eq!(names(&Variant::RequiredFields), Some(vec!["name".to_owned()]));
    }

    #[test]
    fn a_field_that_is_all_there_is_makes_no_variant() {
        let field = Variant::OneField("/gender".to_owned());
        let mut accepted = draft("createContact", 0);
        accepted.keep_only(|leaf| leaf.pointer == "/gender");
        assert!(!draft("createContact", 1).vary(&field, &accepted));
    }

    #[test]
    fn an_update_sends_other_values_than_those_that_the_record_shows() {
        let mut update = draft("updateContact", 0);
        let shown = update.body().0;
        update.avoid_repeating(|at, value| shown.pointer(at) == Some(value));
        let body = update.body().0;
        assert_eq!(shown["date_of_birth"], json!({"day": 14, "month": 7, "year": 1985}));
        assert_eq!(body["date_of_birth"], json!({"day": 28, "month": 2, "year": 1990}));
        assert_eq!((&shown["gender"], &body["gender"]), (&json!("f"), &json!("m")));
        assert_eq!(body["dob"], "1990-02-28");
    }

    #[test]
    fn a_field_without_another_value_stays() {
        let mut update = draft("updateContact", 0);
        let shown = update.body().0;
        update.avoid_repeating(|at, value| shown.pointer(at) == Some(value));
        assert_eq!(update.body().0["venue_id"], "v-1");
    }

    #[test]
    fn a_value_that_its_schema_excludes_is_not_sent_for_a_missing_one() {
        for (bounds, is_sent) in [
            ("minimum: 0, maximum: 9", true),
            ("minimum: -1, maximum: 0", true),
            ("minimum: 0, exclusiveMinimum: true", false),
            ("minimum: -2, maximum: -1", false),
        ] {
            let body = |fields: &str| {
                format!(
                    "content: {{application/json: {{schema: {{type: object, required: [name, size, colour], \
                     properties: {{{fields}name: {{type: string}}, size: {{type: integer, {bounds}}}, colour: \
                     {{type: string, minLength: 0}}}}}}}}}}"
                )
            };
            let (sent, shown) = (body(""), body("id: {type: string}, "));
            let shown = format!("{{description: OK, {shown}}}");
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\npaths:\n  /things:\n    post:\n      \
                 operationId: addThing\n      requestBody: {{{sent}}}\n      responses: {{'201': {shown}}}\n  \
                 /things/{{id}}:\n    parameters: [{{name: id, in: path, required: true, schema: {{type: \
                 string}}}}]\n    get: {{operationId: getThing, responses: {{'200': {shown}}}}}\n    put:\n      \
                 operationId: putThing\n      requestBody: {{{sent}}}\n      responses: {{'200': {shown}}}\n"
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let update = contract.operation_named("putThing").unwrap();
            let mut variants = variants(&contract, update, 1).into_iter();
            let falsy = variants.find(|variant| matches!(variant, Variant::Falsy(_))).unwrap();
            let template = Template::of(&contract, update);
            let draft = || template.draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc);
            let (mut varied, accepted) = (draft().unwrap(), draft().unwrap());
            assert!(varied.vary(&falsy, &accepted), "{bounds}");
            let body = varied.body().0;
            assert_eq!((&body["colour"], body["size"] == 0), (&json!(""), is_sent), "{bounds}");
        }
    }
}
