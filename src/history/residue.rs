//! Keeps what a run may have left: what each create may have stored, and what one look at the end finds with the run
//! tag. The main type is [`ResidueTracker`].
//!
//! # Design
//!
//! A target, or a gateway in front of it, may store a record and respond as if it had not. So what counts is not
//! whether the response to a create was a success, but whether the create was clearly rejected. At the end the run
//! reads the lists, where nobody but this run has written its tag. The letters after the run tag show which draft a
//! record came from. A record that is created without a string of the run (such as a visit) is recognised by the run
//! tag of the record that it refers to, and by carrying what was sent.
//!
//! The list of an inferred lifecycle is searched too, but what is inferred proves less. There a record counts only if
//! it shows a sent string as a whole, in the field in which it was sent. What the list does not show stays unknown. A
//! rejected create counts as stored only if the list goes on to show its record for as long as the look waits, because
//! a service may store a record first and remove it when a later step fails.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::carried::carries_all;
use super::counts::CountedWrites;
use super::evidence::{Evidence, Rejection, StoredDespiteRejection, Walk, WalkEnd};
use super::history::{EvidenceSink, History};
use super::look::Item;
use super::pages::counts_of_ends_add_up;
use super::run_tag::NO_DRAFT_NUMBER;
use super::sent_strings::SentStrings;
use super::stray::StrayRecord;
use crate::contract::lifecycle::{Lifecycle, RecordList};
use crate::contract::operation::{OperationId, is_success};
use crate::contract::vocabulary::{Carry, Created, Listed};
use crate::contract::{lexicon, pointer};
use crate::exchange::json::Body;
use crate::exchange::{Exchange, Failure, Intent, Request, Response, identifier};

/// The statuses that reject a write so clearly that it does not count: the credential, the path, the method, a conflict
/// or the content is at fault (RFC 9110, section 15.5). Another 4xx, and every redirection and 5xx, may come from an
/// intermediary in front of a service that has stored the record: 408, 429 and 451 typically do, and 412 and 428
/// concern preconditions, which no request here has.
const CLEAR_REJECTIONS: [u16; 11] = [400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422];

/// How far a run looked, at its end, for what it left.
// The order matters: when shards are merged, the last variant among those of the shards that wrote is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
// The name in the published JSON Schema: another one would break programs that are generated from it.
#[schemars(rename = "LookedThroughRecord")]
pub enum SearchExtent {
    /// Every list in which it may have created something was seen completely.
    Whole,
    /// Some list was not seen completely, or some record appears in no list.
    Part,
    /// It did not look: it wrote nothing, or ended early.
    #[default]
    Nothing,
}

/// The outcome of a write that creates.
#[derive(Clone, Copy, Debug)]
enum CreateOutcome {
    /// It may have stored a record, at this index in the residue.
    Left(usize),
    /// It was clearly rejected.
    Rejected(Rejection),
}

/// A record of the service that no response to a create of the run showed, and that a write of the run may have made or
/// changed. It shows the run tag (the target created it in addition, or a write reached it by mistake), or it was there
/// before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnexplainedRecord {
    /// The list that shows it.
    pub list: OperationId,
    /// Its identifier, where it has one.
    pub id: Option<String>,
    /// The write after which it had changed, if it was there before the run; `None` if it shows the run tag.
    pub changed_by: Option<OperationId>,
    /// Whether its list showed it before the run wrote anything.
    pub existed: bool,
}

/// The maximum number of unexplained records that one look keeps.
const MAX_UNEXPLAINED: usize = 100;

/// Something that a run may have left in the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    /// The operation that created it.
    pub operation: OperationId,
    /// Its identifier, where it is known.
    pub id: Option<String>,
    /// The status of the response; `None` where no response came, so that it is unknown what was created.
    pub status: Option<u16>,
    /// Whether a list showed it, in the look at the end of the run or before; `None` where none did and that look did
    /// not see the list completely, or could not have recognised it.
    pub found: Option<bool>,
    /// Whether the run deleted it.
    pub deleted: bool,
}

impl Residue {
    /// Creates the residue of a write that no list has shown yet.
    pub(crate) fn of_write(operation: OperationId, id: Option<String>, status: Option<u16>) -> Self {
        Self {
            operation,
            id,
            status,
            found: None,
            deleted: false,
        }
    }

    /// Creates the residue of a write that a list shows.
    fn listed(operation: OperationId, id: Option<String>, status: Option<u16>) -> Self {
        Self {
            found: Some(true),
            ..Self::of_write(operation, id, status)
        }
    }
}

/// What a run may have left in the target.
#[derive(Debug, Default)]
pub(super) struct ResidueTracker {
    /// Each record that the run may have left.
    pub(super) residue: Vec<Residue>,
    /// The indexes of those whose create sent no run tag.
    untagged: HashSet<usize>,
    /// The outcome of each create and update.
    write_outcomes: WriteOutcomes,
    /// What each query has sent.
    queries: BTreeMap<OperationId, QueryContent>,
    /// The writes whose records are counted at the end.
    pub(super) counts: CountedWrites,
    /// The records that show the run tag although no create of the run explains them, and those that were there before
    /// the run and that a write changed.
    pub(super) unexplained_records: Vec<UnexplainedRecord>,
    /// The walk that looked for what is left in each list.
    pub(super) walks: HashMap<OperationId, Walk>,
    /// The lists that were seen completely.
    seen_completely: HashSet<OperationId>,
}

/// What a query has sent: no list shows it, unless the query has stored it.
#[derive(Debug, Default)]
struct QueryContent {
    strings: SentStrings,
    /// The status of the last response.
    status: Option<u16>,
}

/// The creates and updates of a run, and their outcomes.
#[derive(Debug, Default)]
struct WriteOutcomes {
    /// Creates that sent the run tag, by the number of the draft, each with its outcomes, the most recent first: a
    /// draft may be sent again.
    tagged: HashMap<u64, (OperationId, Vec<CreateOutcome>)>,
    /// The most recent creates without a run tag, each with its body.
    untagged: VecDeque<(OperationId, CreateOutcome, Value)>,
    /// The updates by the number of the draft, each with how it was rejected; `None` where one of the draft's requests
    /// may have succeeded.
    updates: HashMap<u64, (OperationId, Option<Rejection>)>,
}

/// The number of remembered drafts with a run tag, of creates and of updates, at which rejected ones are no longer
/// added: a run that repeats its plan (a soak) may send any number of them.
const MAX_TAGGED: usize = 100_000;
/// The maximum number of creates without a run tag that are remembered, stored ones too. Each is kept with its body,
/// and each record that is seen is compared with all of them.
const MAX_UNTAGGED: usize = 1_000;

impl WriteOutcomes {
    /// Returns the update of this draft and how it was rejected, if none of the draft's requests may have succeeded.
    fn rejected_update(&self, number: u64) -> Option<(OperationId, Rejection)> {
        let (operation, rejection) = self.updates.get(&number)?;
        Some((*operation, (*rejection)?))
    }

    /// Returns the outcomes of this operation's creates with these draft numbers, which a record shows.
    fn of_drafts(&self, create: OperationId, numbers: &[u64]) -> Vec<CreateOutcome> {
        let numbers = numbers.iter().filter(|number| **number != NO_DRAFT_NUMBER);
        let drafts = numbers.filter_map(|number| self.tagged.get(number));
        let drafts = drafts.filter(|(operation, _)| *operation == create);
        drafts.flat_map(|(_, outcomes)| outcomes).copied().collect()
    }

    /// Whether some draft's updates were all rejected.
    fn has_rejected_update(&self) -> bool {
        self.updates.values().any(|(_, rejection)| rejection.is_some())
    }

    /// Returns the operations whose creates were sent.
    fn operations(&self) -> BTreeSet<OperationId> {
        let untagged = self.untagged.iter().map(|(operation, ..)| *operation);
        let tagged = self.tagged.values().map(|(operation, _)| *operation);
        tagged.chain(untagged).collect()
    }

    /// Returns the outcome of the create that left a record with these numbers: the create of its draft, or one that
    /// sent no run tag and whose values the record carries. Of several, as where a create was sent again, it prefers
    /// one for which `is_unmatched` holds: no record has been found for it yet.
    fn outcome(
        &self,
        (operation, created): (OperationId, &Created),
        (record, numbers): (&Value, &[u64]),
        is_unmatched: impl Fn(&CreateOutcome) -> bool,
    ) -> Option<CreateOutcome> {
        let tagged = numbers.iter().find_map(|number| {
            let (of, outcomes) = self.tagged.get(number)?;
            (*of == operation).then(|| outcomes.clone())
        });
        // Several records may have a part of what must come back, so all of it is required.
        let strict = || created.carries.iter().filter(|carry| carry.comes_back_as_sent());
        let has = |carry: &Carry, body: &Value| {
            !pointer::select(body, &carry.sent).is_empty() && !pointer::select(record, &carry.returned_at).is_empty()
        };
        let is_shown = |body: &Value| {
            strict().all(|carry| has(carry, body))
                && strict().next().is_some()
                && carries_all(&created.carries, body, record)
        };
        let outcomes = tagged.unwrap_or_else(|| {
            let untagged = self.untagged.iter();
            let found = untagged.filter(|(of, _, body)| *of == operation && is_shown(body));
            found.map(|(_, outcome, _)| *outcome).collect()
        });
        outcomes
            .iter()
            .find(|outcome| is_unmatched(outcome))
            .or(outcomes.first())
            .copied()
    }
}

/// A record that exists, or was changed, although the write that sent it was rejected.
#[derive(Debug)]
struct StoredRecord {
    operation: OperationId,
    rejection: Rejection,
    pointer: String,
    request: Request,
}

/// What a look for residue has found so far.
#[derive(Debug, Default)]
pub(super) struct ResidueSearch {
    /// The identifiers in the residue, by operation, with their indexes there: records of different parents may have
    /// the same identifier.
    known: HashMap<(OperationId, String), Vec<usize>>,
    stored: Vec<StoredRecord>,
    /// The records of rejected creates, each with its identifier, that the last walk has shown in the list of an
    /// inferred lifecycle.
    rejected: Vec<(StoredRecord, String)>,
    strays: Vec<StrayRecord>,
    unexplained_records: Vec<UnexplainedRecord>,
    /// The first pages, this many, that a walk reads in any case before it ends early; `None` if it reads every page.
    first_pages: Option<u64>,
    /// The identifiers of the items of the run that the current walk has shown.
    items_of_run: HashSet<String>,
}

impl ResidueSearch {
    /// Forgets what only the previous walk has shown.
    pub(super) fn begin_walk(&mut self) {
        self.rejected.clear();
        self.items_of_run.clear();
    }

    /// Ends each walk once it has read this many of the first pages and has shown every item by which the list has
    /// grown.
    pub(super) fn ending_once_counted(self, first_pages: u64) -> Self {
        Self {
            first_pages: Some(first_pages),
            ..self
        }
    }

    /// Whether the last walk has shown the record of a rejected create in the list of an inferred lifecycle. The
    /// service may still be removing it.
    pub(super) fn shows_rejected(&self) -> bool {
        !self.rejected.is_empty()
    }

    /// Remembers where in the residue the record with this identifier is.
    fn remember(&mut self, operation: OperationId, id: Option<String>, index: usize) {
        if let Some(id) = id {
            self.known.entry((operation, id)).or_default().push(index);
        }
    }

    /// Adds a record that no write of the run explains.
    fn add_unexplained_record(&mut self, list: OperationId, id: Option<String>) {
        let record = UnexplainedRecord {
            list,
            id,
            changed_by: None,
            existed: false,
        };
        if self.unexplained_records.len() < MAX_UNEXPLAINED && !self.unexplained_records.contains(&record) {
            self.unexplained_records.push(record);
        }
    }

    /// Emits the evidence about writes that were rejected although their records exist, and about those that reached a
    /// record that their path did not name.
    pub(super) fn emit(&self, emit: EvidenceSink<'_>) {
        for stray in &self.strays {
            stray.emit(&mut *emit);
        }
        for left in &self.stored {
            let stored = StoredDespiteRejection {
                operation: left.operation,
                rejection: left.rejection,
                pointer: &left.pointer,
            };
            emit(Evidence::StoredDespiteRejection(stored, &left.request));
        }
    }
}

/// Where a record appears.
struct Appearance<'page> {
    list: OperationId,
    /// Whether it is an item of the list; otherwise it is inside one.
    is_an_item: bool,
    pointer: String,
    request: &'page Request,
}

/// Compares the items of a list with the residue, and updates it.
struct ResidueUpdate<'look> {
    search: &'look mut ResidueSearch,
    write_outcomes: &'look WriteOutcomes,
    residue: &'look mut Vec<Residue>,
}

impl History<'_> {
    /// Remembers what a write may have left in the target; `id` is the identifier of what it created. An update changes
    /// only what a create has already left; a rejected one changes nothing.
    pub(super) fn note_write(&mut self, (exchange, intent): (&Exchange, Intent), id: Option<&str>) {
        let operation = exchange.request.operation;
        if self.contract.operation(operation).is_query() {
            return self.note_stored_by_query(exchange);
        }
        if !self.contract.operation(operation).creates() {
            return self.note_update(exchange, intent);
        }
        let Some(stored) = may_have_stored(&exchange.outcome) else {
            return;
        };
        self.note_counted_create((exchange, intent), id);
        let status = exchange.status();
        let outcome = if stored {
            CreateOutcome::Left(self.add_residue(Residue::of_write(operation, id.map(str::to_owned), status)))
        } else {
            CreateOutcome::Rejected(Rejection::of(exchange, intent))
        };
        let body = exchange.request.json().cloned().unwrap_or_default();
        let numbers = self.run_tag.numbers_in(&body);
        let outcomes = &mut self.residue_tracker.write_outcomes;
        if numbers.is_empty() {
            if let CreateOutcome::Left(index) = outcome {
                self.residue_tracker.untagged.insert(index);
            }
            outcomes.untagged.truncate(MAX_UNTAGGED - 1);
            outcomes.untagged.push_front((operation, outcome, body));
        }
        // The allowed writes bound what may be stored, but nothing bounds what was rejected.
        if stored || outcomes.tagged.len() < MAX_TAGGED {
            for number in numbers {
                let (_, of_draft) = outcomes.tagged.entry(number).or_insert_with(|| (operation, Vec::new()));
                of_draft.insert(0, outcome);
            }
        }
    }

    /// Notes what a query has left, if its status says that it has created something, or begun to.
    fn note_stored_by_query(&mut self, exchange: &Exchange) {
        let status = exchange.status().filter(|status| matches!(status, 201 | 202));
        if status.is_some() {
            self.add_residue(Residue::of_write(exchange.request.operation, None, status));
        }
    }

    /// Returns the number of the draft that a create sent, if the draft was sent only once.
    pub(super) fn draft_sent_once(&self, create: &Request) -> Option<u64> {
        let numbers = self.run_tag.numbers_in(create.json()?);
        let [number] = numbers.as_slice() else { return None };
        let (_, outcomes) = self.residue_tracker.write_outcomes.tagged.get(number)?;
        (outcomes.len() == 1).then_some(*number)
    }

    /// Notes what a create has stored in addition to the record with this identifier, if no other write explains it.
    pub(super) fn note_also_stored(&mut self, (create, id): (OperationId, Option<&str>), also_stored: &[String]) {
        let left = |residue_tracker: &ResidueTracker, id: Option<&str>| {
            let mut residue = residue_tracker.residue.iter().filter(|left| left.operation == create);
            residue.find(|left| left.id.as_deref() == id).map(|left| left.status)
        };
        for other in also_stored {
            if left(&self.residue_tracker, Some(other)).is_none() {
                let status = left(&self.residue_tracker, id).flatten();
                self.add_residue(Residue::listed(create, Some(other.clone()), status));
            }
        }
    }

    /// Remembers the strings with the run tag that an accepted query has sent.
    pub(super) fn note_sent_by_query(&mut self, exchange: &Exchange, body: &Value) {
        if let Some(status) = exchange.status().filter(|_| self.succeeded(exchange)) {
            let content = self
                .residue_tracker
                .queries
                .entry(exchange.request.operation)
                .or_default();
            content.status = Some(status);
            content.strings.note(&self.run_tag, body);
        }
    }

    /// Notes what a query has stored although it responded as a read does: its list shows a string that only the query
    /// has sent. Nobody else knows the run tag, so this leaves no doubt.
    pub(super) fn note_stored_in_list(&mut self, list: OperationId, body: &Value) {
        let contract = self.contract;
        let queries = self.residue_tracker.queries.keys().copied();
        let queries: Vec<_> = queries
            .filter(|query| contract.list_of_queried_collection(*query) == Some(list))
            .collect();
        for query in queries {
            let content = self.residue_tracker.queries.get(&query);
            let Some(content) =
                content.filter(|content| content.strings.any_shown_anywhere_in(body, &self.sent_strings))
            else {
                continue;
            };
            let id = self.id_of_stored(list, body, &content.strings);
            self.add_residue(Residue::listed(query, id, content.status));
            // The list may show it again, but it counts only once.
            self.residue_tracker.queries.remove(&query);
        }
    }

    /// Notes which records of the run a list shows, where that list alone shows them, at the path of their create.
    pub(super) fn note_listed_at_path(&mut self, list: OperationId, body: &Value) {
        let contract = self.contract;
        for left in self
            .residue_tracker
            .residue
            .iter_mut()
            .filter(|left| left.found != Some(true))
        {
            let at_path = contract.list_at_path_of(left.operation).map(|(shown, _)| shown);
            let (Some(shown), Some(id)) = (at_path.filter(|shown| shown.operation == list), &left.id) else {
                continue;
            };
            let items = pointer::get(body, &shown.items).and_then(Value::as_array);
            let is_it = |item: &Value| item.pointer(&shown.id).and_then(identifier).as_ref() == Some(id);
            if items.into_iter().flatten().any(is_it) {
                left.found = Some(true);
            }
        }
    }

    /// Returns the identifier of the record in which a list shows what a query sent, if the contract says where it is.
    fn id_of_stored(&self, list: OperationId, body: &Value, strings: &SentStrings) -> Option<String> {
        let known = self.contract.record_list(list)?;
        let mut items = pointer::get(body, &known.items)?.as_array()?.iter();
        let item = items.find(|item| strings.any_shown_anywhere_in(item, &self.sent_strings))?;
        item.pointer(&known.id).and_then(identifier)
    }

    /// Whether a query has sent what would show in a list if it were stored.
    pub(crate) fn would_show_if_stored(&self, query: OperationId) -> bool {
        let content = self.residue_tracker.queries.get(&query);
        content.is_some_and(|content| !content.strings.is_empty())
    }

    /// Whether a list has shown what a query sent.
    pub(crate) fn has_stored(&self, query: OperationId) -> bool {
        let mut residue = self.residue_tracker.residue.iter();
        residue.any(|left| left.operation == query && left.found == Some(true))
    }

    /// Remembers an update by the run tag that it sent, with the status if it was rejected.
    fn note_update(&mut self, exchange: &Exchange, intent: Intent) {
        let operation = exchange.request.operation;
        let updates = self.contract.read_showing_update(operation).is_some();
        let stored = may_have_stored(&exchange.outcome).filter(|_| updates);
        let (Some(stored), Some(body)) = (stored, exchange.request.json()) else {
            return;
        };
        let rejection = Rejection::of(exchange, intent);
        let updates = &mut self.residue_tracker.write_outcomes.updates;
        for number in self.run_tag.numbers_in(body) {
            if stored {
                updates.insert(number, (operation, None));
            } else if updates.len() < MAX_TAGGED {
                updates.entry(number).or_insert((operation, Some(rejection)));
            }
        }
    }

    /// Adds something that may be left, and returns its index in the residue.
    pub(crate) fn add_residue(&mut self, left: Residue) -> usize {
        self.residue_tracker.residue.push(left);
        self.residue_tracker.residue.len() - 1
    }

    /// Marks the record of a create as deleted by the run.
    pub(super) fn note_deleted(&mut self, create: OperationId, id: &str) {
        let mut left = self.residue_tracker.residue.iter_mut();
        // Records of different parents may have the same identifier; the newest is deleted first.
        let is_it = |left: &&mut Residue| !left.deleted && left.operation == create && left.id.as_deref() == Some(id);
        if let Some(left) = left.rfind(is_it) {
            left.deleted = true;
        }
    }

    /// Notes the identifier of a record whose create did not show it.
    pub(super) fn note_identifier(&mut self, create: OperationId, id: &Value) {
        let mut left = self.residue_tracker.residue.iter_mut();
        if let Some(left) = left.find(|left| left.operation == create && left.id.is_none()) {
            left.id = identifier(id);
        }
    }

    /// Returns how many records the run may have stored, including those that it has deleted since.
    pub(crate) fn count_including_deleted(&self) -> u64 {
        u64::try_from(self.residue_tracker.residue.len()).unwrap_or(u64::MAX)
    }

    /// Returns the drafts of rejected updates whose strings a record shows in the fields that must come back, each with
    /// the update, how it was rejected, and such a field.
    pub(super) fn rejected_updates_shown_in<'record>(
        &'record self,
        lifecycle: &'record Lifecycle,
        record: &'record Value,
    ) -> impl Iterator<Item = (u64, (OperationId, Rejection), &'record Carry)> {
        let updates = lifecycle.updates.iter();
        let carries = updates.flat_map(|(update, carries)| carries.iter().map(|carry| (*update, carry)));
        carries.filter_map(move |(update, carry)| {
            let shown = pointer::select(record, &carry.returned_at).into_iter();
            let mut numbers = shown.flat_map(|shown| self.run_tag.numbers_in(shown));
            numbers.find_map(|number| {
                let rejected = self.residue_tracker.write_outcomes.rejected_update(number)?;
                (rejected.0 == update).then_some((number, rejected, carry))
            })
        })
    }

    /// Forgets that the update of a draft was rejected, because that was reported.
    pub(super) fn forget_rejected_update(&mut self, number: u64) {
        if let Some((_, rejection)) = self.residue_tracker.write_outcomes.updates.get_mut(&number) {
            *rejection = None;
        }
    }

    /// Returns the page that last showed the updated record of a list; `None` if it has none, or if no update was
    /// clearly rejected. A rejected update, such as one with a wrong credential, may still have changed the record, and
    /// later writes may overwrite what it did.
    pub(crate) fn page_of_rejected_update(&self, list: OperationId) -> Option<Option<u64>> {
        let in_list = |operation: &OperationId| self.contract.list_showing_updated_by(*operation) == Some(list);
        let mut latest = self.updated_as_last_listed.iter();
        let (_, seen) = latest.find(|(operation, _)| in_list(operation))?;
        self.residue_tracker
            .write_outcomes
            .has_rejected_update()
            .then_some(seen.page)
    }

    /// Whether a create was sent, accepted or not, that may have reached the target.
    pub(crate) fn has_sent_creates(&self) -> bool {
        let outcomes = &self.residue_tracker.write_outcomes;
        !(outcomes.tagged.is_empty() && outcomes.untagged.is_empty())
    }

    /// Begins a look for residue that knows what is in the residue.
    pub(super) fn residue_search(&self) -> ResidueSearch {
        let mut search = ResidueSearch::default();
        for (index, left) in self.residue_tracker.residue.iter().enumerate() {
            search.remember(left.operation, left.id.clone(), index);
        }
        search
    }

    /// Keeps what a look for residue has found.
    pub(super) fn note_residue(&mut self, search: ResidueSearch, walk: Walk) {
        let mut unexplained = search.unexplained_records;
        for record in &mut unexplained {
            record.existed = record.id.as_deref().is_some_and(|id| self.existed(record.list, id));
        }
        self.residue_tracker.unexplained_records.extend(unexplained);
        // A walk that ended early has shown every item by which the list has grown.
        if matches!(walk.end, WalkEnd::Complete | WalkEnd::SeenEnough) {
            self.residue_tracker.seen_completely.insert(walk.operation);
        }
        self.residue_tracker.walks.insert(walk.operation, walk);
    }

    /// Ends the search for residue: marks as not found whatever no look has shown, where a look would have seen it. A
    /// record that has neither the run tag nor a known identifier could not be recognised.
    pub(crate) fn end_residue_search(&mut self) -> SearchExtent {
        let (contract, residue_tracker) = (self.contract, &mut self.residue_tracker);
        let seen = |operation: OperationId| {
            let list = contract.list_showing_created_by(operation);
            list.is_some_and(|list| residue_tracker.seen_completely.contains(&list))
        };
        let mut all_recognisable = true;
        for (index, left) in residue_tracker
            .residue
            .iter_mut()
            .enumerate()
            .filter(|(_, left)| seen(left.operation))
        {
            if left.id.is_none() && residue_tracker.untagged.contains(&index) {
                all_recognisable = false;
            } else {
                left.found.get_or_insert(false);
            }
        }
        if all_recognisable && residue_tracker.write_outcomes.operations().into_iter().all(seen) {
            SearchExtent::Whole
        } else {
            SearchExtent::Part
        }
    }

    /// Looks up in the residue what an item shows of the run, or adds it. A record without the run tag is recognised
    /// only by the identifier in the response to its create.
    pub(super) fn match_residue(&mut self, list: OperationId, item: Item<'_>, search: &mut ResidueSearch) {
        if search.known.is_empty() && !self.run_tag.is_in(item.value) {
            return;
        }
        for stray in self.stray_records(list, item) {
            // The list may be walked again.
            if !search.strays.iter().any(|known| known.is_of_same_record(&stray)) {
                search.strays.push(stray);
            }
        }
        let mut residue = std::mem::take(&mut self.residue_tracker.residue);
        let mut update = ResidueUpdate {
            search,
            write_outcomes: &self.residue_tracker.write_outcomes,
            residue: &mut residue,
        };
        self.update_residue(list, item, &mut update);
        self.residue_tracker.residue = residue;
        self.note_item_of_run(list, item, search);
    }

    /// Notes an item that a list has in addition since the run began, and that a create of the run explains.
    fn note_item_of_run(&self, list: OperationId, item: Item<'_>, search: &mut ResidueSearch) {
        let page = self.contract.operation(list).page.as_ref();
        let id = page
            .and_then(|page| pointer::get(item.value, &page.id))
            .and_then(identifier);
        let Some(id) = id.filter(|id| !self.existed(list, id)) else {
            return;
        };
        let mut known = search.known.keys();
        let is_known = known.any(|(create, known)| *known == id && self.creates_items_of(*create, list));
        if is_known || self.run_tag.is_in(item.value) {
            search.items_of_run.insert(id);
        }
    }

    /// Whether the records of a create are items of this list.
    fn creates_items_of(&self, create: OperationId, list: OperationId) -> bool {
        let listed = self.created_and_listed_invariants(create).map(|(_, listed)| listed);
        let is_item = listed.is_some_and(|listed| listed.item_parameter.is_none());
        is_item && self.contract.list_showing_created_by(create) == Some(list)
    }

    /// Whether a walk that looks for residue has shown every item by which its list has grown since the run began, so
    /// that no other page has one of them. The first page and the last must agree on how many items the list has.
    pub(super) fn shows_all_that_was_added(&self, search: &ResidueSearch, walk: &Walk) -> bool {
        let (Some(first_pages), Some(first)) = (search.first_pages, walk.pages.first()) else {
            return false;
        };
        let before = self.totals_before_any_create.get(&walk.operation);
        let added = before
            .zip(first.total)
            .and_then(|(before, now)| now.checked_sub(*before));
        let has_read = |number: u64| walk.pages.iter().any(|page| page.asked == Some(number));
        let last = first.last_page.and_then(|last| u64::try_from(last).ok()).unwrap_or(0);
        let has_read_ends = last == 1 || (last > 1 && has_read(last));
        let mut left = self.residue_tracker.residue.iter().filter(|left| !left.deleted);
        let is_seen = |left: &Residue| {
            let id = left
                .id
                .as_ref()
                .filter(|_| self.creates_items_of(left.operation, walk.operation));
            id.is_none_or(|id| search.items_of_run.contains(id))
        };
        has_read_ends
            && added == i64::try_from(search.items_of_run.len()).ok()
            && (2..=first_pages.min(last)).all(has_read)
            && left.all(is_seen)
            && counts_of_ends_add_up(walk)
    }

    /// Finds in the residue what the run created, or adds it: the item itself, or records in it.
    fn update_residue(&self, list: OperationId, item: Item<'_>, update: &mut ResidueUpdate<'_>) {
        self.add_rejected_update(list, item, update);
        for lifecycle in self.contract.lifecycles() {
            if let Some(known) = lifecycle.list.as_ref().filter(|known| known.operation == list) {
                self.find_listed(lifecycle.create, known, item, update);
            }
        }
        for (create, known) in self
            .contract
            .lists_at_paths()
            .filter(|(_, known)| known.operation == list)
        {
            self.find_listed(create, known, item, update);
        }
        for operation in self.contract.operation_ids() {
            let Some((created, listed)) = self.created_and_listed_invariants(operation) else {
                continue;
            };
            if self.contract.list_showing_created_by(operation) != Some(list) {
                continue;
            }
            for (record, at) in records(item.value, item.pointer(), listed) {
                let numbers = self.run_tag.numbers_in(record);
                if numbers.is_empty() {
                    update.find((operation, created), record);
                } else {
                    let shown = Appearance {
                        list,
                        is_an_item: listed.item_parameter.is_none(),
                        pointer: at,
                        request: item.request,
                    };
                    update.find_or_add((operation, created), (record, &numbers), &shown);
                }
            }
        }
    }

    /// Looks for residue in a list of an inferred lifecycle that is read as a whole.
    pub(super) fn search_whole_list(&mut self, search: &mut ResidueSearch, exchange: &Exchange, body: Option<&Body>) {
        search.begin_walk();
        let list = exchange.request.operation;
        search.unexplained_records.retain(|record| record.list != list);
        let body = body.filter(|_| self.succeeded(exchange));
        let Some((known, body)) = self.contract.record_list(list).zip(body) else {
            return;
        };
        let items = pointer::get(&body.value, &known.items).and_then(Value::as_array);
        for (index, value) in items.into_iter().flatten().enumerate() {
            let item = Item {
                value,
                at: (known.items.as_str(), index),
                page: None,
                request: &exchange.request,
            };
            self.match_residue(list, item, search);
        }
    }

    /// Looks up an item of an inferred lifecycle's list in the residue, or notes that the create of this record was
    /// rejected.
    fn find_listed(&self, create: OperationId, list: &RecordList, item: Item<'_>, update: &mut ResidueUpdate<'_>) {
        let members = item.value.as_object();
        let id = item.value.pointer(&list.id).and_then(identifier);
        let Some((members, id)) = members.zip(id) else { return };
        let rejected = &update.search.rejected;
        let is_noted = rejected
            .iter()
            .any(|(stored, known)| (stored.operation, known) == (create, &id));
        let is_sent = self.sent_strings.any_shown_by(members);
        if is_noted || !(is_sent || self.run_tag.is_in(item.value)) || update.find_by_id(create, &id) {
            return;
        }
        // Another write explains it: a query, or a create whose records this list shows, too.
        if update.residue.iter().any(|left| left.id.as_deref() == Some(&id)) {
            return;
        }
        if !is_sent {
            // The service made it from a record of another kind: no create sent this string here.
            update.search.add_unexplained_record(item.request.operation, Some(id));
            return;
        }
        let outcomes = update
            .write_outcomes
            .of_drafts(create, &self.run_tag.numbers_in(item.value));
        let left = outcomes.iter().find_map(|outcome| match outcome {
            CreateOutcome::Left(index) => Some(*index),
            CreateOutcome::Rejected(_) => None,
        });
        match (left, outcomes.first()) {
            // The response to this create showed no identifier.
            (Some(index), _) if update.residue[index].id.is_none() => {
                update.residue[index].id = Some(id.clone());
                update.residue[index].found = Some(true);
                update.search.remember(create, Some(id), index);
            }
            (None, Some(CreateOutcome::Rejected(rejection))) if !says_it_is_not_in_effect(members) => {
                let stored = StoredRecord {
                    operation: create,
                    rejection: *rejection,
                    pointer: item.pointer(),
                    request: item.request.clone(),
                };
                update.search.rejected.push((stored, id));
            }
            // It is left, but whether the service should have stored it is open: its string was sent by several
            // requests, of which one was accepted, or the record says that it failed.
            _ => update.search.add_unexplained_record(item.request.operation, Some(id)),
        }
    }

    /// Adds to the residue the records of rejected creates that the last walk has shown in the list of an inferred
    /// lifecycle. They are no evidence if the list shows no record of an accepted create under its identifier: it may
    /// show something else, such as attempts.
    pub(super) fn add_rejected_creates(&mut self, search: &mut ResidueSearch) {
        for (stored, id) in std::mem::take(&mut search.rejected) {
            let create = stored.operation;
            let mut residue = self.residue_tracker.residue.iter();
            let has_accepted = residue.any(|left| {
                let is_success = left.status.is_some_and(is_success);
                left.operation == create && left.id.is_some() && is_success
            });
            let mut tracked = self.tracked.iter().filter(|record| record.create == create);
            if has_accepted && !tracked.any(|record| record.is_listed) {
                search.add_unexplained_record(stored.request.operation, Some(id));
                continue;
            }
            self.add_residue(Residue::listed(create, Some(id), Some(stored.rejection.status)));
            search.stored.push(stored);
        }
    }

    /// Notes the rejected update whose values an item shows.
    fn add_rejected_update(&self, list: OperationId, item: Item<'_>, update: &mut ResidueUpdate<'_>) {
        let numbers = self.run_tag.numbers_in(item.value);
        let rejected = numbers
            .iter()
            .find_map(|number| update.write_outcomes.rejected_update(*number));
        let Some((operation, rejection)) = rejected else { return };
        let updated = self.contract.operation(operation).invariants.updated.as_ref();
        let shown_in = updated.and_then(|updated| self.contract.operation_named(&updated.listed.operation));
        // The list may be walked again.
        let is_it = |stored: &StoredRecord| {
            (stored.operation, &stored.pointer, &stored.request.path)
                == (operation, &item.pointer(), &item.request.path)
        };
        if shown_in == Some(list) && !update.search.stored.iter().any(is_it) {
            update.search.stored.push(StoredRecord {
                operation,
                rejection,
                pointer: item.pointer(),
                request: item.request.clone(),
            });
        }
    }
}

/// Returns the records that an item is or contains, each with its pointer in the response.
pub(super) fn records<'item>(item: &'item Value, at: String, listed: &Listed) -> Vec<(&'item Value, String)> {
    let Some(below) = listed
        .records_in_item
        .as_deref()
        .filter(|_| listed.item_parameter.is_some())
    else {
        return vec![(item, at)];
    };
    let records = item.pointer(below).and_then(Value::as_array);
    let below = format!("{at}{below}");
    let records = records.into_iter().flatten().enumerate();
    records
        .map(|(index, record)| (record, pointer::element(&below, index)))
        .collect()
}

impl ResidueUpdate<'_> {
    /// Marks a record as found if its identifier is in the residue. Returns whether it is.
    fn find(&mut self, (operation, created): (OperationId, &Created), record: &Value) -> bool {
        let id = record.pointer(&created.id).and_then(identifier);
        id.is_some_and(|id| self.find_by_id(operation, &id))
    }

    /// Marks the record with this identifier as found if it is in the residue. Returns whether it is.
    fn find_by_id(&mut self, operation: OperationId, id: &str) -> bool {
        let indexes = self.search.known.get(&(operation, id.to_owned()));
        for index in indexes.into_iter().flatten() {
            self.residue[*index].found = Some(true);
        }
        indexes.is_some()
    }

    /// Finds in the residue one record that shows the run tag, or adds it.
    fn find_or_add(
        &mut self,
        (operation, created): (OperationId, &Created),
        (record, numbers): (&Value, &[u64]),
        shown: &Appearance<'_>,
    ) {
        if self.find((operation, created), record) {
            return;
        }
        let id = record.pointer(&created.id).and_then(identifier);
        let residue = &*self.residue;
        let lacks_id =
            |outcome: &CreateOutcome| matches!(outcome, CreateOutcome::Left(at) if residue[*at].id.is_none());
        let outcome = self
            .write_outcomes
            .outcome((operation, created), (record, numbers), lacks_id);
        let Some(outcome) = outcome else {
            // A record within an item is explained by that item.
            if shown.is_an_item {
                self.search.add_unexplained_record(shown.list, id);
            }
            return;
        };
        match outcome {
            CreateOutcome::Left(index) if self.residue[index].id.is_none() => {
                self.residue[index].id.clone_from(&id);
                self.residue[index].found = Some(true);
                self.search.remember(operation, id, index);
            }
            CreateOutcome::Left(index) => self.add(operation, id, self.residue[index].status),
            CreateOutcome::Rejected(rejection) => {
                self.add(operation, id, Some(rejection.status));
                self.search.stored.push(StoredRecord {
                    operation,
                    rejection,
                    pointer: shown.pointer.clone(),
                    request: shown.request.clone(),
                });
            }
        }
    }

    /// Adds a record to the residue that only the look has shown.
    fn add(&mut self, operation: OperationId, id: Option<String>, status: Option<u16>) {
        self.search.remember(operation, id.clone(), self.residue.len());
        self.residue.push(Residue::listed(operation, id, status));
    }
}

/// Whether a record says of itself that it failed or is gone, as a payment that was declined does: a service may keep
/// it on purpose. It says so in a state, by a flag, or by an error. Other fields may just mention the words.
pub(super) fn says_it_is_not_in_effect(members: &serde_json::Map<String, Value>) -> bool {
    const STATES: [&str; 6] = ["outcome", "phase", "result", "stage", "state", "status"];
    const ERRORS: [&str; 8] = [
        "canceled", "cancelled", "deleted", "error", "errors", "failed", "failure", "rejected",
    ];
    const SUCCESSES: [&str; 6] = ["accepted", "approved", "ok", "succeeded", "success", "valid"];
    members.iter().any(|(name, value)| {
        let words = lexicon::camel_case_words(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        match value {
            Value::Bool(true) => has(&ERRORS),
            Value::Bool(false) => has(&SUCCESSES),
            Value::Null | Value::Number(_) => false,
            Value::String(text) => !text.is_empty() && (has(&ERRORS) || has(&STATES) && means_no_effect(text)),
            Value::Array(elements) => !elements.is_empty() && has(&ERRORS),
            Value::Object(below) => {
                let mut texts = below.values().filter_map(Value::as_str);
                has(&ERRORS) && !below.is_empty() || has(&STATES) && texts.any(means_no_effect)
            }
        }
    })
}

/// Whether the text of a state means that a record failed, waits for somebody, or is gone.
fn means_no_effect(text: &str) -> bool {
    const NOT_IN_EFFECT: [&str; 22] = [
        "abort", "archive", "block", "bounc", "cancel", "declin", "delete", "denied", "draft", "error", "expired",
        "fail", "incomplete", "invalid", "pending", "quarantin", "reject", "review", "rolled", "spam", "unprocess",
        "void",
    ];
    const OTHERS: [&str; 7] = [
        "avoided", "enrolled", "failover", "preview", "reviewed", "unblocked", "undeleted",
    ];
    let words = lexicon::camel_case_words(text).into_iter();
    let mut words = words.filter(|word| !OTHERS.contains(&word.as_str()));
    text.to_lowercase().contains("not_accepted")
        || words.any(|word| NOT_IN_EFFECT.iter().any(|failed| word.contains(failed)))
}

/// Whether a write may have changed the target; `None` where it never reached the target.
pub(crate) fn may_have_stored(outcome: &Result<Response, Failure>) -> Option<bool> {
    match outcome {
        Ok(response) => Some(!CLEAR_REJECTIONS.contains(&response.status)),
        Err(failure) => (!failure.is_unreachable()).then_some(true),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use serde_json::json;

    use super::*;
    use crate::contract::Contract;
    use crate::exchange::{Content, Purpose, RejectionMeaning};
    use crate::history::RunTag;

    fn named(name: &str) -> (&'static Contract, OperationId) {
        let contract = crate::testing::built_in();
        (contract, contract.operation_named(name).unwrap())
    }

    fn left(operation: OperationId, id: Option<&str>) -> Residue {
        Residue::of_write(operation, id.map(str::to_owned), Some(201))
    }

    #[test]
    fn a_state_says_that_a_record_failed_by_its_words() {
        for state in [
            "rolled_back", "softdeleted", "Not accepted: invalid", "IN_REVIEW", "not_accepted", "voided",
        ] {
            assert!(means_no_effect(state), "{state}");
        }
        for state in [
            "enrolled", "previewAvailable", "reviewed", "unblocked", "accepted", "avoided",
        ] {
            assert!(!means_no_effect(state), "{state}");
        }
    }

    #[test]
    fn records_of_different_parents_may_have_the_same_identifier() {
        let (contract, create) = named("createContact");
        let mut history = History::new(contract, RunTag::new(1, 1), true);
        for id in ["1", "1", "2"] {
            history.add_residue(left(create, Some(id)));
        }
        let mut search = history.residue_search();
        let mut residue = history.residue_tracker.residue.clone();
        let mut update = ResidueUpdate {
            search: &mut search,
            write_outcomes: &history.residue_tracker.write_outcomes,
            residue: &mut residue,
        };
        assert!(update.find_by_id(create, "1") && !update.find_by_id(create, "3"));
        let found: Vec<_> = residue.iter().map(|left| left.found).collect();
        assert_eq!(found, [Some(true), Some(true), None]);

        history.note_deleted(create, "1");
        history.note_deleted(create, "1");
        assert_eq!(history.finish().residue, [left(create, Some("2"))]);
    }

    #[test]
    fn a_record_without_tag_and_identifier_stays_unknown_however_many_creates_follow() {
        let (contract, create) = named("createVisit");
        let list = contract.list_showing_created_by(create).unwrap();
        let mut history = History::new(contract, RunTag::new(1, 1), true);
        let exchange = Exchange {
            number: 1,
            request: Request {
                body: Some(Content::Json(json!({"contact_id": "c-1"}))),
                ..Request::unfilled(create, contract.operation(create))
            },
            sent_after: Duration::ZERO,
            outcome: Ok(Response {
                status: 201,
                headers: reqwest::header::HeaderMap::new(),
                body: Bytes::new(),
                was_compressed: false,
                is_body_known: true,
                are_headers_known: true,
                location: None,
                elapsed: Duration::ZERO,
            }),
        };
        let intent = Purpose::Documented(RejectionMeaning::Finding).into();
        history.note_write((&exchange, intent), None);
        for _ in 0..MAX_UNTAGGED {
            history.note_write((&exchange, intent), Some("v-1"));
        }
        history.residue_tracker.seen_completely.insert(list);
        assert_eq!(history.end_residue_search(), SearchExtent::Part);
        let residue = history.finish().residue;
        assert_eq!((residue[0].found, residue[1].found), (None, Some(false)));
    }
}
