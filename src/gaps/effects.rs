//! Finds out what a field of a create causes besides being stored: whether the service makes a record of another kind
//! for it. The main type is [`Effects`].
//!
//! # Design
//!
//! No request is sent for this alone. A create may have an effect only if it refers to a record that a list has shown.
//! There is an effect if another list, whose items refer to such records, then shows an item about the new record.
//! There is none if that list, read completely after the new record was listed, shows no such item. Items may be listed
//! late, so their absence counts only if that reading began late enough after the create: at least twice the shortest
//! time that any record of this create took to be listed. It also counts only if the record itself does not show the
//! value: that may be the effect, which the other list shows later. The field is the reason for an item only if the
//! item has its value, and if no record that was created without the field has an item.
//!
//! Once the run has written something else about the record, an item may come from that. Such an item leaves the effect
//! unclear. After an update of the record itself, it is ignored.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::answer::Claim;
use super::listing::{WalksSeen, completed_at, requested_page};
use super::locations::LocationId;
use super::searches::created_id;
use crate::contract::link::{Link, LinkTarget};
use crate::contract::operation::OperationId;
use crate::contract::{Contract, pointer};
use crate::exchange::{Digest, Exchange, identifier};
use crate::history::{lists_that_show, may_have_stored};
use crate::plan::text_fields_with_open_side_effect;

/// How many created records are watched.
const MAX_RECORDS: usize = 64;
/// How many identifiers that a field may refer to are kept. A create takes one of the first.
const MAX_REFERENCES: usize = 1024;
/// What is claimed of a field whose effect no list shows.
pub(super) const NOTHING_SHOWN: &str = "nothing-shown";

/// What lists have shown of the records that were created with and without a field.
#[derive(Debug, Default)]
pub(super) struct Effects {
    fields: Vec<Field>,
    /// The lists that show the records of each create.
    lists: HashMap<OperationId, Lists>,
    records: Vec<Record>,
    /// The items that the run itself has made, by the list that shows them.
    made: HashMap<OperationId, HashSet<Digest>>,
    /// Which pages of each list were seen, to know when it was read whole.
    walks: WalksSeen,
}

/// What is known of the item that a create of the run has made in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnItem {
    Known,
    /// No response has its identifier.
    Unknown,
}

/// A field of a create whose effect is left open.
#[derive(Debug)]
struct Field {
    location: LocationId,
    create: OperationId,
    /// Its pointer in the body.
    at: String,
    /// Where lists show what it refers to.
    sources: Vec<Link>,
    references: HashSet<Digest>,
}

/// The lists that show the records of a create.
#[derive(Debug)]
struct Lists {
    /// The list whose items are the records.
    of_records: OperationId,
    /// The others, each with where an item has the identifier of such a record.
    others: BTreeMap<OperationId, String>,
}

/// A record that was created.
#[derive(Debug)]
struct Record {
    create: OperationId,
    id: Digest,
    id_text: String,
    created: Duration,
    listed: Option<Duration>,
    /// What it was sent in each field.
    sent: BTreeMap<LocationId, Value>,
    /// The fields whose value its own list shows in it.
    shown_in_record: BTreeSet<LocationId>,
    /// The other lists that have an item about it, with a value that was sent.
    listed_in: BTreeSet<OperationId>,
    /// Whether another list has an item about it that the run did not make and that the field may not explain: it has
    /// no value that was sent, or came after the run wrote something about the record.
    has_unexplained_item: bool,
    /// For each other list, when the last reading of all its pages began, before the run wrote anything about the
    /// record. It proves that an item was absent only if none was ever seen.
    read_whole_since: BTreeMap<OperationId, Duration>,
    /// Whether the run has written something about it since.
    is_written: bool,
    /// Whether that was an update of it.
    is_updated: bool,
    /// Whether the run may have made an item about it that cannot be recognised.
    may_have_own_item: bool,
}

/// What lists show of the effect of one field of a created record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// This list has an item about it.
    ItemIn(OperationId),
    /// No other list has one.
    None,
    /// Another list has one, or several do, for which there may be another reason.
    Unclear,
}

impl Effects {
    /// Starts with nothing seen. `add` gets each gap that is about a field of a create, as its index, the operation and
    /// the pointer of the location, and returns the location's id.
    pub(super) fn of(contract: &Contract, mut add: impl FnMut(usize, OperationId, String) -> LocationId) -> Self {
        let mut effects = Self::default();
        for create in contract.operation_ids() {
            let Some(lists) = Lists::of(contract, create) else {
                continue;
            };
            for (gap, location, at) in text_fields_with_open_side_effect(contract, create) {
                let links = contract.links_allowed_to_fill(create, &LinkTarget::Body(at.clone()));
                let sources: Vec<_> = links.into_iter().cloned().collect();
                if !sources.is_empty() {
                    effects.fields.push(Field {
                        location: add(gap, create, location),
                        create,
                        at,
                        sources,
                        references: HashSet::new(),
                    });
                }
            }
            if effects.fields.iter().any(|field| field.create == create) {
                effects.lists.insert(create, lists);
            }
        }
        effects
    }

    /// Notes what the run writes about records, and which items of lists it makes itself.
    pub(super) fn note_write(&mut self, contract: &Contract, exchange: &Exchange, body: Option<&Value>) {
        let request = &exchange.request;
        if self.records.is_empty() || contract.operation(request.operation).is_read() {
            return;
        }
        let path = request.path.split_once('?').map_or(&*request.path, |(path, _)| path);
        let made = self.note_own_item(contract, exchange, body);
        for record in &mut self.records {
            let in_path = path
                .split('/')
                .any(|segment| percent_decode_str(segment).eq(record.id_text.bytes()));
            let in_body = request.json().is_some_and(|body| has_value(body, record.id));
            record.is_written |= in_path || in_body;
            record.is_updated |= in_path && !contract.operation(request.operation).creates();
            record.may_have_own_item |= in_body && made == Some(OwnItem::Unknown);
        }
    }

    /// Notes the item that a create makes in a list; `None` if it makes none.
    fn note_own_item(&mut self, contract: &Contract, exchange: &Exchange, body: Option<&Value>) -> Option<OwnItem> {
        let operation = exchange.request.operation;
        let list = contract.list_whose_items_are_created_by(operation)?;
        may_have_stored(&exchange.outcome).filter(|stored| *stored)?;
        let Some(id) = created_id(contract, operation, body).filter(|id| identifier(id).is_some()) else {
            return Some(OwnItem::Unknown);
        };
        self.made.entry(list).or_default().insert(Digest::of(id));
        Some(OwnItem::Known)
    }

    /// Adds the record that a create has made, if its response has the identifier.
    pub(super) fn add_created(&mut self, contract: &Contract, exchange: &Exchange, body: &Value) {
        let create = exchange.request.operation;
        let id = created_id(contract, create, Some(body));
        let (Some(id), Some(ended), true) = (id, completed_at(exchange), self.lists.contains_key(&create)) else {
            return;
        };
        let (Some(id_text), id) = (identifier(id), Digest::of(id)) else {
            return;
        };
        if let Some(known) = self.records.iter_mut().find(|record| record.id == id) {
            known.is_written = true;
        } else if self.records.len() < MAX_RECORDS {
            let fields = self.fields.iter().filter(|field| field.create == create);
            let sent = fields.filter_map(|field| {
                let value = exchange.request.json().and_then(|sent| pointer::get(sent, &field.at))?;
                Some((field.location, value.clone()))
            });
            self.records.push(Record {
                create,
                id,
                id_text,
                created: ended,
                listed: None,
                sent: sent.collect(),
                shown_in_record: BTreeSet::new(),
                listed_in: BTreeSet::new(),
                has_unexplained_item: false,
                read_whole_since: BTreeMap::new(),
                is_written: false,
                is_updated: false,
                may_have_own_item: false,
            });
        }
    }

    /// Adds a page of a list; one that was requested with any other parameter adds only references.
    pub(super) fn add_page(&mut self, contract: &Contract, exchange: &Exchange, body: &Value) {
        let list = exchange.request.operation;
        let open = self.fields.iter_mut();
        for field in open.filter(|field| field.references.len() < MAX_REFERENCES) {
            let sources = field.sources.iter().filter(|link| link.from == list);
            for value in sources.flat_map(|link| link.values(body)) {
                if field.references.len() < MAX_REFERENCES {
                    field.references.insert(Digest::of(&value));
                }
            }
        }
        let page = contract.operation(list).page.as_ref();
        let (Some(page), Some(ended), false) = (page, completed_at(exchange), self.records.is_empty()) else {
            return;
        };
        let Some(asked) = requested_page(page, &exchange.request.path) else {
            return;
        };
        let items = pointer::get(body, &page.items).and_then(Value::as_array);
        let items = items.map(Vec::as_slice).unwrap_or_default();
        let whole_since = self.walks.add_page((list, page), (asked, exchange.sent_after), body);
        let made = self.made.get(&list);
        // The items, by where they have the identifier.
        let mut by_id: HashMap<&str, HashMap<Digest, Vec<&Value>>> = HashMap::new();
        for record in &mut self.records {
            let Some(lists) = self.lists.get(&record.create) else {
                continue;
            };
            let is_list_of_records = lists.of_records == list;
            let Some(at) = Some(&page.id)
                .filter(|_| is_list_of_records)
                .or_else(|| lists.others.get(&list))
            else {
                continue;
            };
            let ids = by_id.entry(at).or_insert_with(|| {
                let mut ids: HashMap<_, Vec<_>> = HashMap::new();
                for item in items {
                    if let Some(id) = pointer::get(item, at) {
                        ids.entry(Digest::of(id)).or_default().push(item);
                    }
                }
                ids
            });
            for item in ids.get(&record.id).into_iter().flatten() {
                if is_list_of_records {
                    record.note_listed(item, ended);
                } else if !pointer::get(item, &page.id)
                    .is_some_and(|id| made.is_some_and(|made| made.contains(&Digest::of(id))))
                {
                    record.note_item_elsewhere(list, item);
                }
            }
            if let Some(since) = whole_since.filter(|_| !is_list_of_records && !record.is_written) {
                record.read_whole_since.insert(list, since);
            }
        }
    }

    /// Returns what each record shows at its locations; `None` where nothing can be claimed from what it shows.
    pub(super) fn observed(&self, contract: &Contract) -> Vec<(LocationId, Option<Claim>)> {
        let mut observed = Vec::new();
        for field in &self.fields {
            let of_create = self.records.iter().filter(|record| record.create == field.create);
            let (with, without): (Vec<_>, Vec<_>) =
                of_create.partition(|record| record.sent.contains_key(&field.location));
            let of = |records: Vec<&Record>| -> Vec<_> {
                records
                    .into_iter()
                    .filter_map(|record| self.effect(record, field.location))
                    .collect()
            };
            let refers = |record: &&Record| {
                let sent = record.sent.get(&field.location);
                sent.is_some_and(|sent| field.references.contains(&Digest::of(sent)))
            };
            let (with, without) = (of(with.into_iter().filter(refers).collect()), of(without));
            let has_item = with.iter().any(|effect| matches!(effect, Effect::ItemIn(_)));
            for effect in with {
                let claim = match effect {
                    Effect::None => Some(NOTHING_SHOWN.to_owned()),
                    Effect::ItemIn(list) => Some(without.as_slice())
                        .filter(|without| !without.is_empty() && without.iter().all(|other| *other == Effect::None))
                        .map(|_| side_effect_claim(contract, list)),
                    // Like an `ItemIn` of another record, it speaks for an effect, so it does not count against it.
                    Effect::Unclear if has_item => continue,
                    Effect::Unclear => None,
                };
                observed.push((field.location, claim.map(|does| Claim::SideEffect { does })));
            }
        }
        observed
    }

    /// Returns what is known of a record and a field; `None` if nothing can be told, because a list was not read whole
    /// late enough, for example.
    fn effect(&self, record: &Record, location: LocationId) -> Option<Effect> {
        let others = &self.lists.get(&record.create)?.others;
        let mut lists = record.listed_in.iter();
        if record.has_unexplained_item {
            return Some(Effect::Unclear);
        }
        match (lists.next(), lists.next()) {
            (Some(_), Some(_)) => return Some(Effect::Unclear),
            (Some(list), None) => return Some(Effect::ItemIn(*list)),
            _ => {}
        }
        let of_create = self.records.iter().filter(|other| other.create == record.create);
        let soonest = of_create
            .filter_map(|other| Some(other.listed?.saturating_sub(other.created)))
            .min()?;
        let late_enough = record
            .listed?
            .max(record.created.saturating_add(soonest.saturating_mul(2)));
        let is_absent = |list: &OperationId| {
            record
                .read_whole_since
                .get(list)
                .is_some_and(|since| *since >= late_enough)
        };
        // The record itself may show the effect, and another list may show it later.
        let is_nothing = !record.shown_in_record.contains(&location) && others.keys().all(is_absent);
        is_nothing.then_some(Effect::None)
    }
}

impl Record {
    /// Adds how its own list shows it.
    fn note_listed(&mut self, item: &Value, ended: Duration) {
        if !self.is_written {
            self.listed.get_or_insert(ended);
            let sent = self.sent.iter().filter(|(_, value)| has_value(item, Digest::of(value)));
            self.shown_in_record.extend(sent.map(|(location, _)| *location));
        }
    }

    /// Adds an item of another list that is about the record and that the run has not made.
    fn note_item_elsewhere(&mut self, list: OperationId, item: &Value) {
        if self.is_updated {
            return;
        }
        if !self.is_written && self.sent.values().any(|value| has_value(item, Digest::of(value))) {
            self.listed_in.insert(list);
        } else if !self.may_have_own_item {
            self.has_unexplained_item = true;
        }
    }
}

impl Lists {
    /// Returns the lists that show the records of a create; `None` where no list but their own does,
    /// or where that has no [`x-page`](crate::contract::vocabulary::PageInvariant).
    fn of(contract: &Contract, create: OperationId) -> Option<Self> {
        let of_records = contract.list_whose_items_are_created_by(create)?;
        let showing = lists_that_show(contract, create).into_iter();
        let others: BTreeMap<_, _> = showing.filter_map(|(list, at)| Some((list, at?))).collect();
        (contract.operation(of_records).page.is_some() && !others.is_empty()).then_some(Self { of_records, others })
    }
}

/// Returns what is claimed of a field for which the service makes an item of a list: `records-a-visit`.
pub(super) fn side_effect_claim(contract: &Contract, list: OperationId) -> String {
    let name = contract.item_name(list).unwrap_or("record");
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() && !words.ends_with('-') {
            words.push('-');
        }
        words.extend(letter.to_lowercase());
    }
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("records-{article}-{words}")
}

/// Whether a value is the one with this digest, or contains it.
fn has_value(value: &Value, wanted: Digest) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(|element| has_value(element, wanted)),
        Value::Object(members) => members.values().any(|member| has_value(member, wanted)),
        value => Digest::of(value) == wanted,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;
    use crate::exchange::{Content, Request, Response};

    const VENUE: &str = "v1";

    /// What a service and a run do, in seconds.
    struct Scenario<'contract> {
        contract: &'contract Contract,
        effects: Effects,
        now: u64,
    }

    impl<'contract> Scenario<'contract> {
        /// The venue was listed.
        fn new(contract: &'contract Contract) -> Self {
            let mut locations = 0;
            let add = |_, _, _| {
                locations += 1;
                locations
            };
            let (effects, now) = (Effects::of(contract, add), 0);
            let mut scenario = Self { contract, effects, now };
            scenario.page("getVenues", (1, 1), &[json!({"id": VENUE})]);
            scenario
        }

        fn exchange(&mut self, operation: &str, path: &str, sent: Option<Value>) -> Exchange {
            // A visit at a venue gets a response with its identifier.
            let sent_id = sent.as_ref().is_some_and(|sent| sent.get("venue_id").is_some());
            let id = self.contract.operation_named(operation).unwrap();
            self.now += 1;
            let mut request = Request::unfilled(id, self.contract.operation(id));
            request.path += path;
            request.body = sent.map(Content::Json);
            let response = Response {
                status: 200,
                headers: http::HeaderMap::new(),
                body: Bytes::new(),
                was_compressed: false,
                is_body_known: true,
                are_headers_known: true,
                location: None,
                elapsed: Duration::ZERO,
            };
            let exchange = Exchange {
                number: self.now,
                request,
                sent_after: Duration::from_secs(self.now),
                outcome: Ok(response),
            };
            // Of the writes, only those of visits get a response that says what they have made.
            let made = json!({"data": {"id": 8}});
            let made = Some(&made).filter(|_| operation == "createVisit" && sent_id);
            self.effects.note_write(self.contract, &exchange, made);
            exchange
        }

        fn create(&mut self, id: &str, venue: Option<&str>) {
            let sent = venue.map_or_else(|| json!({}), |venue| json!({"venue_id": venue}));
            let exchange = self.exchange("createContact", "", Some(sent));
            let body = json!({"data": {"id": id}});
            self.effects.add_created(self.contract, &exchange, &body);
        }

        fn page(&mut self, list: &str, (page, last): (u64, u64), items: &[Value]) {
            let exchange = self.exchange(list, &format!("?page={page}"), None);
            let body = json!({"data": {"items": items, "page": page, "per_page": 9, "total": 9, "last_page": last}});
            self.effects.add_page(self.contract, &exchange, &body);
        }

        /// Lists contacts, each with a field of its own.
        fn contacts(&mut self, ids: &[&str]) {
            let items: Vec<_> = ids.iter().map(|id| json!({"id": id, "status": "new"})).collect();
            self.page("getContacts", (1, 1), &items);
        }

        /// Lists visits of these contacts, on the only page.
        fn visits(&mut self, of: &[&str]) {
            let items: Vec<_> = of.iter().map(|id| visit(7, id, VENUE)).collect();
            self.page("getVisits", (1, 1), &items);
        }

        /// What each contact shows that was created with a venue.
        fn shown(&self) -> Vec<Option<String>> {
            let observed = self.effects.observed(self.contract).into_iter();
            let claims = observed.map(|(_, claim)| {
                claim.map(|claim| match claim {
                    Claim::SideEffect { does } => does,
                    other => panic!("{other}"),
                })
            });
            claims.collect()
        }
    }

    fn visit(id: u64, contact: &str, venue: &str) -> Value {
        json!({"id": id, "contact": {"id": contact}, "venue": {"id": venue}})
    }

    /// What is shown after this.
    fn after(tell: impl FnOnce(&mut Scenario<'_>)) -> Vec<Option<String>> {
        let contract = crate::testing::built_in();
        let mut scenario = Scenario::new(contract);
        tell(&mut scenario);
        scenario.shown()
    }

    fn does(what: &str) -> Vec<Option<String>> {
        vec![Some(what.to_owned())]
    }

    #[test]
    fn an_item_about_a_record_with_the_field_and_none_about_one_without_it_is_an_effect() {
        let shown = after(|scenario| {
            scenario.create("with", Some(VENUE));
            scenario.contacts(&["with"]);
            scenario.create("without", None);
            scenario.contacts(&["with", "without"]);
            scenario.visits(&["with", "somebody"]);
            scenario.visits(&["with", "somebody"]);
        });
        assert_eq!(shown, does("records-a-visit"));
    }

    #[test]
    fn an_item_about_each_record_or_without_one_to_compare_shows_nothing() {
        for without in [false, true] {
            let shown = after(|scenario| {
                scenario.create("with", Some(VENUE));
                scenario.contacts(&["with"]);
                if without {
                    scenario.create("without", None);
                }
                scenario.contacts(&["with", "without"]);
                scenario.visits(&["with", "without"]);
                scenario.visits(&["with", "without"]);
            });
            assert_eq!(shown, [None], "{without}");
        }
    }

    #[test]
    fn a_list_without_an_item_shows_nothing_if_it_was_read_whole_and_late_enough() {
        type Tell = fn(&mut Scenario<'_>);
        let pages = |scenario: &mut Scenario<'_>, pages: &[u64]| {
            scenario.create("with", Some(VENUE));
            scenario.contacts(&["with"]);
            scenario.contacts(&["with"]);
            pages
                .iter()
                .for_each(|page| scenario.page("getVisits", (*page, 2), &[]));
        };
        assert_eq!(after(|scenario| pages(scenario, &[1, 2])), does("nothing-shown"));
        assert_eq!(after(|scenario| pages(scenario, &[2, 1, 2])), does("nothing-shown"));
        // One page is missing; a page beyond the last is none.
        for missing in [&[1][..], &[2], &[1, 3], &[1, 0]] {
            assert_eq!(after(|scenario| pages(scenario, missing)), [], "{missing:?}");
        }
        let too_soon: [Tell; 3] = [
            |scenario| {
                scenario.visits(&[]);
                scenario.create("with", Some(VENUE));
                scenario.contacts(&["with"]);
            },
            // The visits are read before the contact is listed, and right after.
            |scenario| {
                scenario.create("with", Some(VENUE));
                scenario.visits(&[]);
                scenario.contacts(&["with"]);
            },
            |scenario| {
                scenario.create("with", Some(VENUE));
                scenario.contacts(&[]);
                scenario.contacts(&[]);
                scenario.contacts(&["with"]);
                scenario.visits(&[]);
            },
        ];
        for tell in too_soon {
            assert_eq!(after(tell), []);
        }
    }

    #[test]
    fn what_the_run_writes_itself_is_no_effect() {
        let of_run = |write: fn(&mut Scenario<'_>)| {
            after(|scenario| {
                scenario.create("with", Some(VENUE));
                scenario.create("without", None);
                write(scenario);
                scenario.contacts(&["with", "without"]);
                for _ in 0..4 {
                    scenario.visits(&["with"]);
                }
            })
        };
        assert_eq!(of_run(|_| {}), does("records-a-visit"));
        // Its visit cannot be recognised.
        let lost = |scenario: &mut Scenario<'_>| {
            scenario.exchange("createVisit", "", Some(json!({"contact_id": "with"})));
        };
        assert_eq!(of_run(lost), []);
        let update = |scenario: &mut Scenario<'_>| {
            scenario.exchange("updateContact", "/with", Some(json!({"venue_id": VENUE})));
        };
        assert_eq!(of_run(update), []);
        let encoded = |scenario: &mut Scenario<'_>| {
            scenario.exchange("updateContact", "/w%69th", Some(json!({"status": "new"})));
        };
        assert_eq!(of_run(encoded), []);
        let of_another = |scenario: &mut Scenario<'_>| {
            scenario.exchange("updateContact", "/w%69thout%20", Some(json!({"status": "new"})));
        };
        assert_eq!(of_run(of_another), does("records-a-visit"));
        // A create that returns the record of another one.
        assert_eq!(of_run(|scenario| scenario.create("with", None)), [None]);
    }

    #[test]
    fn an_item_that_the_run_has_not_made_opposes_that_nothing_is_shown() {
        let with_visits = |visits: &[Value]| {
            after(|scenario| {
                scenario.create("first", Some(VENUE));
                scenario.contacts(&["first"]);
                scenario.exchange(
                    "createVisit",
                    "",
                    Some(json!({"contact_id": "first", "venue_id": VENUE})),
                );
                scenario.create("second", Some(VENUE));
                scenario.contacts(&["first", "second"]);
                scenario.page("getVisits", (1, 1), visits);
                scenario.page("getVisits", (1, 1), visits);
            })
        };
        assert_eq!(with_visits(&[]), does("nothing-shown"));
        assert_eq!(with_visits(&[visit(8, "first", VENUE)]), does("nothing-shown"));
        let both = [visit(8, "first", VENUE), visit(9, "first", VENUE)];
        assert_eq!(with_visits(&both), [None, Some("nothing-shown".to_owned())]);
        // An item with a value other than the one that was sent.
        assert_eq!(with_visits(&[visit(9, "second", "v2")]), [None]);
    }

    #[test]
    fn a_value_that_names_no_record_or_that_the_record_shows_says_nothing() {
        let listed = |venue: &str, item: Value| {
            after(|scenario| {
                scenario.create("with", Some(venue));
                scenario.page("getContacts", (1, 1), &[item]);
                scenario.visits(&[]);
                scenario.visits(&[]);
            })
        };
        assert_eq!(listed(VENUE, json!({"id": "with"})), does("nothing-shown"));
        assert_eq!(listed("v2", json!({"id": "with"})), []);
        let showing = json!({"id": "with", "first_visit": [{"venue": [{"id": VENUE}]}]});
        assert_eq!(listed(VENUE, showing), []);
    }

    #[test]
    fn the_item_of_a_list_is_named_in_words() {
        let contract = crate::testing::built_in();
        let name = |list: &str| side_effect_claim(contract, contract.operation_named(list).unwrap());
        assert_eq!(name("getVisits"), "records-a-visit");
        assert_eq!(name("getContacts"), "records-a-contact");
    }
}
