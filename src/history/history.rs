//! What exchanges have shown so far. The main type is [`History`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::bindings::Bindings;
use super::created::{CreatedRecord, ObservedRecord};
use super::digests::Digests;
use super::evidence::{Evidence, Walk, WalkEnd};
use super::exchange_role::{ExchangeRole, RecordRole, WriteContext};
use super::existing_records::ExistingRecords;
use super::filter_values::ShownFilterValues;
use super::foreign_identifiers::ForeignIdentifiers;
use super::left_out::PlainLists;
use super::lifecycle::TrackedRecord;
use super::list_totals::ListTotals;
use super::look::{Look, LookId};
use super::mock_signs::MockSigns;
use super::next_numbers::NextNumbers;
use super::observed_values::{ObservedValues, other_spellings};
use super::only_page::WrongTotals;
use super::own::OwnershipEntry;
use super::pending_comparisons::PendingComparisons;
use super::records::AcceptedUpdate;
use super::residue::{Residue, ResidueTracker, UnexplainedRecord};
use super::run_tag::RunTag;
use super::sent_strings::SentStrings;
use super::unidentified::UnidentifiedCreates;
use super::written::ReadsBetweenWrites;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Created, Listed};
use crate::contract::{Contract, pointer};
use crate::exchange::json::Body;
use crate::exchange::{Digest, Exchange, Intent};

/// Receives each piece of evidence as it is made.
pub(crate) type EvidenceSink<'emit> = &'emit mut dyn FnMut(Evidence<'_>);

/// What exchanges have shown, and what was sent successfully.
#[derive(Debug)]
pub(crate) struct History<'run> {
    pub(super) contract: &'run Contract,
    /// The tag that the run's own values carry.
    pub(super) run_tag: RunTag,
    /// The values that links take from responses.
    pub(super) bindings: Bindings,
    /// The records that creates with the invariant `created` made, those of the run or of other clients whose traffic
    /// is judged.
    pub(super) creations: Vec<CreatedRecord>,
    /// The records that creates without the invariant `created` returned, where the contract says how to read them.
    pub(super) tracked: Vec<TrackedRecord>,
    /// The reads and lists of which a response may have been an earlier one.
    pub(super) cached: HashSet<OperationId>,
    /// The reads that last showed a strong entity tag.
    pub(super) reads_with_strong_tag: HashSet<OperationId>,
    /// The status with which each read responded to an unknown identifier.
    pub(super) status_of_unknown_record: HashMap<OperationId, u16>,
    /// The round of the plan that began last.
    pub(super) round: u64,
    /// The accepted updates of the run's own records, which are looked for once all are sent.
    pub(super) accepted_updates: Vec<AcceptedUpdate>,
    /// The record of each update, as its list showed it last.
    pub(super) updated_as_last_listed: HashMap<OperationId, ObservedRecord>,
    /// For each create on whose record later writes depend, whether that record is known to be the run's own.
    pub(super) own: HashMap<OperationId, OwnershipEntry>,
    /// For each list, the total that its first page stated before any create was accepted whose records are its items.
    pub(super) totals_before_creates: HashMap<OperationId, i64>,
    /// For each list, the total that its first page stated before the run sent any create: one may add records to other
    /// lists too.
    pub(super) totals_before_any_create: HashMap<OperationId, i64>,
    /// The creates whose identifiers led to another record, each with the reason. Nothing is written under their
    /// identifiers any more, not even in later rounds.
    pub(super) doubted_creates: HashMap<OperationId, String>,
    /// Those of `doubted_creates` that returned the identifier of a record that already existed. They are not sent
    /// again.
    pub(super) stopped_creates: HashSet<OperationId>,
    /// The creates with a record in which an accepted update changed nothing.
    pub(super) updated_without_effect: HashSet<OperationId>,
    /// Digests of the identifiers that each list and each create has shown, by that operation; those of records inside
    /// items are under their create.
    pub(super) shown_identifiers: HashMap<OperationId, Digests>,
    /// The values that responses showed, for creates without the invariant `created`, whose records only the contract's
    /// links identify.
    pub(super) observed_values: ObservedValues,
    /// The values of items by which their lists can be filtered.
    pub(super) shown_filter_values: ShownFilterValues,
    /// What lists show without filters, and what they left out with one.
    pub(super) plain_lists: PlainLists,
    pub(super) wrong_totals: WrongTotals,
    /// How many writes of the run may have changed something.
    pub(super) writes: u64,
    pub(super) reads_between_writes: ReadsBetweenWrites,
    /// The identifiers of records that the run has not made: those that lists showed, until a complete walk moves them
    /// to `shown_identifiers`, and those that items refer to.
    pub(super) foreign_identifiers: ForeignIdentifiers,
    /// The records that were in the target before the run wrote anything, for those lists that only the paths connect
    /// with the writes.
    pub(super) existing_records: ExistingRecords,
    /// The greatest identifier that is a number, for each collection; the records that a read did not find; and what
    /// other views of the collections have shown.
    pub(super) next_numbers: NextNumbers,
    /// The totals that lists have stated, and what was created since.
    pub(super) list_totals: ListTotals,
    /// The strings by which the run's own records are recognised, where no invariant says which come back.
    pub(super) sent_strings: SentStrings,
    /// The accepted writes to an unknown or malformed identifier, by the number of the draft.
    pub(super) writes_to_unknown_identifiers: HashMap<u64, OperationId>,
    /// The creates whose response shows no identifier.
    pub(super) unidentified: UnidentifiedCreates,
    /// Signs that the target is a mock.
    pub(super) mock_signs: MockSigns,
    /// The looks under way.
    pub(super) looks: HashMap<LookId, Look>,
    pub(super) looks_begun: u64,
    /// The requests that were tried in several timestamp formats or spellings.
    pub(super) pending: PendingComparisons,
    /// What the run may have left.
    pub(super) residue_tracker: ResidueTracker,
}

/// The result of an exchange.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExchangeResult {
    /// The identifier of the created record: the chosen one, or one in the response that no list had shown before.
    pub(crate) created: Option<String>,
    /// Whether the page shows what is sought; `None` if the response is no page. For inferred pages always
    /// `Some(false)`.
    pub(crate) page_shows_goal: Option<bool>,
}

impl ExchangeResult {
    /// Whether the response is a page of the list that was requested.
    pub(crate) fn is_page(&self) -> bool {
        self.page_shows_goal.is_some()
    }
}

/// What is known at the end.
#[derive(Debug)]
pub(crate) struct HistoryResult {
    /// The number of records that the run deleted.
    pub(crate) deleted: usize,
    /// What may be left.
    pub(crate) residue: Vec<Residue>,
    /// The records that show the run tag but were in no response to a create of this run, and those that were there
    /// before the run and that a write changed.
    pub(crate) unexplained_records: Vec<UnexplainedRecord>,
    /// Whether the target responds to creates with the same identifier again and again, and keeps nothing.
    pub(crate) target_is_mock: bool,
}

impl<'run> History<'run> {
    /// Begins the history of a run whose own values carry the run tag. `recognises_by_links` says whether the run has
    /// creates without the invariant `created`, whose records only the contract's links identify.
    pub(crate) fn new(contract: &'run Contract, run_tag: RunTag, recognises_by_links: bool) -> Self {
        Self {
            contract,
            run_tag,
            bindings: Bindings::default(),
            creations: Vec::new(),
            tracked: Vec::new(),
            cached: HashSet::new(),
            reads_with_strong_tag: HashSet::new(),
            status_of_unknown_record: HashMap::new(),
            round: 0,
            accepted_updates: Vec::new(),
            updated_as_last_listed: HashMap::new(),
            own: HashMap::new(),
            totals_before_creates: HashMap::new(),
            totals_before_any_create: HashMap::new(),
            doubted_creates: HashMap::new(),
            stopped_creates: HashSet::new(),
            updated_without_effect: HashSet::new(),
            shown_identifiers: HashMap::new(),
            observed_values: ObservedValues::new(recognises_by_links),
            shown_filter_values: ShownFilterValues::default(),
            plain_lists: PlainLists::default(),
            wrong_totals: WrongTotals::default(),
            writes: 0,
            reads_between_writes: ReadsBetweenWrites::default(),
            foreign_identifiers: ForeignIdentifiers::new(contract),
            existing_records: ExistingRecords::default(),
            next_numbers: NextNumbers::default(),
            list_totals: ListTotals::default(),
            sent_strings: SentStrings::default(),
            writes_to_unknown_identifiers: HashMap::new(),
            unidentified: UnidentifiedCreates::default(),
            mock_signs: MockSigns::default(),
            looks: HashMap::new(),
            looks_begun: 0,
            pending: PendingComparisons::default(),
            residue_tracker: ResidueTracker::default(),
        }
    }

    /// Forgets the records of an earlier round (one execution of the plan): they were judged there, and keeping them
    /// would cost memory for each round. `tracked` keeps its records of all rounds, because the clean-up needs them.
    /// What a list has shown stays bound until it responds again. Whether a create returned the run's own record stays
    /// known, because its identifier stays bound until the create succeeds again.
    pub(crate) fn begin_round(&mut self) {
        self.round += 1;
        self.bindings.begin_round(self.contract);
        self.creations.clear();
        self.accepted_updates.clear();
        self.updated_as_last_listed.clear();
        // A write to an unknown identifier may have created a record. The next round lists it from the start, and would
        // take it for somebody else's record that the write changed.
        self.writes_to_unknown_identifiers.clear();
        self.pending = PendingComparisons::default();
    }

    /// Adds an exchange, with its body where one is documented and could be read.
    pub(crate) fn add_exchange(
        &mut self,
        (exchange, intent, role): (&Exchange, Intent, &ExchangeRole),
        body: Option<&Body>,
        emit: EvidenceSink<'_>,
    ) -> ExchangeResult {
        let undocumented = self.undocumented_creation(exchange);
        let body = body.or(undocumented.as_ref());
        self.note_response(exchange, body);
        self.note_read_of_unknown(exchange, intent);
        self.note_numeric_identifiers(exchange, body.map(|body| &body.value));
        let created = self.created_id(exchange, body);
        if !matches!(role, ExchangeRole::OtherClient(_)) {
            self.note_write((exchange, intent), created.as_deref());
            self.note_rejected_update(exchange);
            self.note_fields_of_write(exchange, intent);
            self.note_write_to_unknown_identifier(exchange, intent);
            self.note_sent_values(exchange);
            self.note_possible_change(exchange);
        }
        let succeeded = self.succeeded(exchange);
        if !matches!(role, ExchangeRole::OtherClient(_)) {
            if let Some(body) = body.filter(|_| succeeded) {
                self.note_shown(exchange.request.operation, &body.value);
                self.note_filter_values(exchange, &body.value);
                if intent.is_documented() {
                    self.compare_with_plain_list(exchange, &body.value, &mut *emit);
                }
                self.note_existing(exchange, body, &mut *emit);
                self.note_stated_total(exchange, body);
            }
            self.note_sent_strings(exchange);
        }
        if let Some(body) = body.filter(|_| succeeded) {
            self.note_stored_in_list(exchange.request.operation, &body.value);
            self.note_listed_at_path(exchange.request.operation, &body.value);
            self.find_unidentified(exchange, &body.value);
        }
        if succeeded && !matches!(role, ExchangeRole::OtherClient(_)) {
            let body = body.map_or(&Value::Null, |body| &body.value);
            self.track_created(exchange, body);
            self.note_added_or_removed(exchange);
            self.doubt_by_response(exchange, body, emit);
            self.note_ignored_write(exchange, body);
        }
        if let Some(body) = body.filter(|_| succeeded && !matches!(role, ExchangeRole::OtherClient(_))) {
            self.note_lost_records((exchange, intent), body);
        }
        let mut page_shows_goal = None;
        match role {
            ExchangeRole::Alone => {}
            ExchangeRole::OtherClient(path_values) => self.created_by_other_client(exchange, path_values, body, emit),
            ExchangeRole::Write(context) => self.add_write((exchange, context), body, emit),
            // For every other role, an exchange that a later one replaces does not count: it was throttled, or got a
            // 404 too early.
            _ if intent.is_superseded => {}
            ExchangeRole::Equivalent(equivalences) => self.pending.equivalent_request(exchange, equivalences, emit),
            ExchangeRole::PlainAgain => self.pending.plain_again(exchange, succeeded, emit),
            ExchangeRole::Page(look, asked) => page_shows_goal = self.add_page(*look, *asked, (exchange, body)),
            ExchangeRole::Read if succeeded => self.bind_values(exchange, body),
            ExchangeRole::Read => {}
            ExchangeRole::UpdateSentAgain(look) => self.observe_update_sent_again(*look, exchange),
            ExchangeRole::RecordRead(look) => self.observe_record_read(*look, exchange, body),
        }
        if let Some(id) = &created {
            self.note_taken_number(&exchange.request, id);
        }
        if created.is_none() && !matches!(role, ExchangeRole::OtherClient(_)) {
            self.note_unidentified((exchange, role));
        }
        ExchangeResult {
            created,
            page_shows_goal,
        }
    }

    /// Remembers the strings with the run tag in a request. Those in the body of a query (a read by `POST`) are kept
    /// apart, because they identify no record of the run.
    fn note_sent_strings(&mut self, exchange: &Exchange) {
        let Some(body) = exchange.request.json() else { return };
        if self.contract.operation(exchange.request.operation).is_query() {
            self.note_sent_by_query(exchange, body);
        } else {
            let write = (self.contract, exchange.request.operation);
            self.sent_strings.note_body_of(write, &self.run_tag, body);
        }
    }

    /// Adds a write of the run: what it created or updated, and the timestamp format in which it was sent.
    fn add_write(
        &mut self,
        (exchange, context): (&Exchange, &WriteContext),
        body: Option<&Body>,
        emit: EvidenceSink<'_>,
    ) {
        let succeeded = self.succeeded(exchange);
        self.note_timestamp_format(exchange, context, succeeded);
        if !succeeded {
            return;
        }
        let value = body.map_or(&Value::Null, |body| &body.value);
        self.track_updated(exchange, value);
        if body.is_some() || self.identifier_outside_body(exchange, value).is_some() {
            self.bind_written((exchange, context), value);
            if self.contract.identifies_what_it_stores(exchange.request.operation) {
                self.add_created_record((exchange, context), value, emit);
            }
        } else {
            self.bind_values(exchange, None);
        }
        self.doubt_accepted(exchange);
        self.add_accepted_update(&exchange.request, context);
    }

    /// Takes the values of a write's links from a success that later calls use, in place of earlier values.
    fn bind_written(&mut self, (exchange, context): (&Exchange, &WriteContext), body: &Value) {
        if context.role != RecordRole::Main {
            return;
        }
        let from = (exchange.request.operation, exchange.request.path.as_str());
        self.bindings.forget(self.contract, from.0);
        self.bindings.bind_under(self.contract, from, body);
        if let Some(id) = self.identifier_outside_body(exchange, body) {
            self.bindings.bind_created(self.contract, from, &id);
        }
    }

    /// Takes the values of an operation's links from a success. A success whose body was not read
    /// gives no values, but counts as read.
    fn bind_values(&mut self, exchange: &Exchange, body: Option<&Body>) {
        let value = body.map_or(&Value::Null, |body| &body.value);
        let request = &exchange.request;
        self.bindings
            .bind_under(self.contract, (request.operation, &request.path), value);
    }

    /// Whether the exchange ended in a documented success, or in an undocumented 201 whose body matches a documented
    /// success.
    pub(crate) fn succeeded(&self, exchange: &Exchange) -> bool {
        let operation = self.contract.operation(exchange.request.operation);
        exchange.status().is_some_and(|status| operation.succeeds_with(status))
            || self.undocumented_creation(exchange).is_some()
    }

    /// Returns the invariant `created` of an operation and where it says that the records are listed; `None` if the
    /// contract states only one of them, or neither.
    pub(super) fn created_and_listed_invariants(
        &self,
        operation: OperationId,
    ) -> Option<(&'run Created, &'run Listed)> {
        let created = self.contract.operation(operation).invariants.created.as_ref()?;
        Some((created, created.listed.as_ref()?))
    }

    /// Remembers the identifiers that a walk over a list has shown.
    pub(super) fn note_listed(&mut self, walk: &Walk) {
        // One that was not complete may have missed items that an earlier response showed.
        if walk.end == WalkEnd::Complete {
            self.foreign_identifiers.forget(walk.operation, self.contract);
        }
        self.shown_identifiers
            .entry(walk.operation)
            .or_default()
            .extend(walk.items());
    }

    /// Remembers the identifiers of records inside the items, to detect when one of them is given to a new record.
    pub(super) fn note_nested(&mut self, list: OperationId, items: &[Value]) {
        for create in self.contract.creating_within(list) {
            let created = self.contract.operation(create).invariants.created.as_ref();
            let within =
                created.and_then(|created| Some((created, created.listed.as_ref()?.records_in_item.as_ref()?)));
            let Some((created, at)) = within else { continue };
            let nested = format!("{at}/*{}", created.id);
            let ids = items.iter().flat_map(|item| pointer::select(item, &nested));
            let digests = ids.filter(|id| !id.is_null()).map(Digest::of);
            self.shown_identifiers.entry(create).or_default().extend(digests);
        }
    }

    /// Marks an identifier as that of a created record. Returns whether it was known before: a list showed it, or
    /// another create returned it.
    pub(super) fn mark_created(&mut self, operation: OperationId, id: &Value) -> bool {
        let in_list = self.was_listed(operation, id);
        !self
            .shown_identifiers
            .entry(operation)
            .or_default()
            .insert(Digest::of(id))
            || in_list
    }

    /// Whether a list has shown an item with this identifier.
    pub(super) fn has_listed(&self, list: OperationId, id: &Digest) -> bool {
        self.shown_identifiers.get(&list).is_some_and(|seen| seen.contains(id))
    }

    /// Whether the list of the records that this operation creates has shown the identifier.
    pub(super) fn was_listed(&self, operation: OperationId, id: &Value) -> bool {
        let list = self.contract.list_whose_items_are_created_by(operation);
        let has_listed = |id: &Value| list.is_some_and(|list| self.has_listed(list, &Digest::of(id)));
        has_listed(id) || other_spellings(id).iter().any(has_listed)
    }
}

/// What a run asks before it decides what comes next.
impl History<'_> {
    /// Returns the values that links take from responses.
    pub(crate) fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// Returns how many of a list's items the run created.
    pub(crate) fn count_created_items(&self, list: OperationId) -> usize {
        let creations = self.creations.iter();
        creations
            .filter(|creation| self.contract.list_whose_items_are_created_by(creation.operation) == Some(list))
            .count()
    }

    /// Whether records were created that this list must show.
    pub(crate) fn has_created_for(&self, list: OperationId) -> bool {
        self.creations
            .iter()
            .any(|creation| self.contract.list_showing_created_by(creation.operation) == Some(list))
    }

    /// Returns the updates that are looked for once all are sent.
    pub(crate) fn accepted_updates(&self) -> &[AcceptedUpdate] {
        &self.accepted_updates
    }

    /// Returns the record of an update as its list showed it last, and the page on which it appeared.
    pub(crate) fn latest_record(&self, operation: OperationId) -> Option<(&Value, Option<u64>)> {
        let seen = self.updated_as_last_listed.get(&operation)?;
        Some((&seen.record, seen.page))
    }

    /// Ends the history and returns what is known.
    pub(crate) fn finish(self) -> HistoryResult {
        HistoryResult {
            target_is_mock: self.is_mock(),
            deleted: self.residue_tracker.residue.iter().filter(|left| left.deleted).count(),
            residue: self
                .residue_tracker
                .residue
                .into_iter()
                .filter(|left| !left.deleted)
                .collect(),
            unexplained_records: self.residue_tracker.unexplained_records,
        }
    }
}
