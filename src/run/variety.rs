//! Sends variants of what was accepted: a few for each create, because its record stays, and all for each update,
//! because it leaves no record. A variant that is rejected is evidence on a gap and changes no verdict.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::create::WriteRole;
use super::optional::OptionalValue;
use super::request::RequestHead;
use super::session::{RejectedValue, Session};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{TimestampFormat, Updated};
use crate::exchange::Request;
use crate::history::{AcceptedUpdate, LookGoal};
use crate::plan::{
    AWKWARD_UPDATES, AWKWARD_UPDATES_WITHOUT_INVARIANTS, Action, AwkwardValues, Draft, NotCalled, RECORDS_PER_VARIANT,
    Step, TRIES_PER_VARIANT, Variant, variants,
};
use crate::rules::UNKNOWN_ENTITY_TAG;

/// The offset of the timestamp that is sent if one with another negative offset is rejected: that of New York in
/// winter.
const NEGATIVE_OFFSET: &str = "-05:00";

/// The further updates of one record: variants of the update that was accepted first.
struct Updates<'run> {
    operation: OperationId,
    invariant: &'run Updated,
    list: OperationId,
    head: RequestHead,
    /// The draft that was accepted.
    accepted: Draft,
    /// The most recent value sent for each field.
    sent: Value,
}

/// The outcome of one update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UpdateOutcome {
    Accepted,
    /// With this status.
    Rejected(u16),
    /// Neither accepted nor rejected for what it sent: no complete response, or another status, such as 401 or 500. No
    /// further update is sent.
    Inconclusive,
    /// The connection was closed, and may have been idle.
    ClosedWhenIdle,
}

impl Session<'_> {
    /// Creates records from variants of the draft that the operation accepted. The first has awkward values. After it
    /// come `max_writes` / 20 other variants, rounded up, minus one if the operation creates something within another
    /// record. For one operation of a run, a plain record is created concurrently with the first, in place of the other
    /// variants.
    pub(super) async fn vary_create(&self, operation: OperationId) {
        let Some((accepted, head)) = self.accepted_write(operation).await else {
            return;
        };
        let mut awkward = None;
        let mut others = variants(self.contract, operation, self.plan.seed);
        others.retain(|variant| match variant {
            Variant::Awkward(values) => {
                awkward = Some(values.clone());
                false
            }
            _ => true,
        });
        let base = (operation, &accepted, &head);
        let awkward_create = self.create_with_awkward_values(base, awkward);
        match self.concurrent_create(operation, &accepted) {
            Some(concurrent) => {
                self.expect_requests(1);
                let plain_create = self.write(&concurrent, &head, WriteRole::Additional);
                let read = async {
                    if let Some(list) = self.contract.list_whose_items_are_created_by(operation) {
                        self.read_page(list, None, &LookGoal::Nothing).await;
                    }
                };
                futures::join!(awkward_create, plain_create, read);
            }
            None => {
                let has_tried_offset = awkward_create.await;
                self.create_other_variants(base, others, has_tried_offset).await;
            }
        }
    }

    /// Creates a record with awkward values; if they are rejected, with half of them, and then with a quarter. Returns
    /// whether an offset was tried.
    async fn create_with_awkward_values(
        &self,
        (operation, accepted, head): (OperationId, &Draft, &RequestHead),
        values: Option<AwkwardValues>,
    ) -> bool {
        let (mut values, mut has_tried_offset) = (values, false);
        for number in 0..TRIES_PER_VARIANT {
            let Some(these) = values.take().filter(|_| self.left_to_create() > 0) else {
                break;
            };
            let Ok(mut draft) = self.draft(operation, TimestampFormat::Utc) else {
                break;
            };
            let halves = these.halves();
            let differs = draft.vary(&Variant::Awkward(these), accepted);
            if let (true, Ok(draft)) = (differs, self.avoid_existing_identifiers(draft)) {
                self.expect_requests(1);
                let exchange = self.write(&draft, head, WriteRole::Additional).await;
                if exchange.rejection_of_content().is_none() && !exchange.was_closed_when_idle() {
                    break;
                }
                if number == 0 && exchange.rejection_of_content().is_some() {
                    has_tried_offset = true;
                    self.create_at_offset(NEGATIVE_OFFSET, (operation, accepted, head))
                        .await;
                }
            }
            values = halves.into_iter().next();
        }
        has_tried_offset
    }

    /// Creates a record whose timestamp has this offset, if the contract says that the operation accepts one. A create
    /// with such an offset was rejected, but at a time that a service may reject. Here it is the accepted instant, and
    /// then the accepted local time, because a service may go by either, such as one with opening hours. A rejection
    /// counts only if both are rejected, and a create in UTC is accepted in between.
    pub(super) async fn create_at_offset(
        &self,
        offset: &'static str,
        (operation, accepted, head): (OperationId, &Draft, &RequestHead),
    ) {
        let formats = self.contract.operation(operation).accepted_timestamp_formats();
        if !formats.is_some_and(|accepted| accepted.formats.contains(&TimestampFormat::Offset)) {
            return;
        }
        let tried = [
            Some(Variant::SameInstantAt(offset)),
            None,
            Some(Variant::SameLocalTimeAt(offset)),
        ];
        for variant in tried {
            let Ok(mut draft) = self.draft_like(operation, accepted) else {
                break;
            };
            let differs = variant.as_ref().is_none_or(|variant| draft.vary(variant, accepted));
            if !differs || self.left_to_create() == 0 {
                break;
            }
            self.expect_requests(1);
            let exchange = self.write(&draft, head, WriteRole::ForFormat).await;
            let may_be_for_offset = match variant {
                Some(_) => exchange.rejection_of_content().is_some(),
                None => self.succeeded(&exchange),
            };
            if !may_be_for_offset {
                break;
            }
        }
        let formats = [TimestampFormat::Utc, TimestampFormat::Offset];
        self.with_evaluation(|evaluation| evaluation.judge_timestamp_formats(operation, &formats));
        self.emit_findings();
    }

    /// Creates records from the other variants. If one with an offset is rejected and no offset was tried by
    /// itself yet, this one is.
    async fn create_other_variants(
        &self,
        (operation, accepted, head): (OperationId, &Draft, &RequestHead),
        variants: Vec<Variant>,
        has_tried_offset: bool,
    ) {
        let mut has_tried_offset = has_tried_offset;
        // When the operation creates something within another record, the awkward create counts towards the wanted
        // number.
        let has_invariant = self.contract.operation(operation).invariants.created.is_some();
        let is_nested = u64::from(has_invariant && self.contract.list_whose_items_are_created_by(operation).is_none());
        let wanted = self
            .settings
            .max_writes
            .div_ceil(RECORDS_PER_VARIANT)
            .saturating_sub(is_nested);
        let (mut made, mut tries) = (0, 0);
        for variant in variants {
            if made == wanted || tries == wanted.saturating_mul(TRIES_PER_VARIANT) || self.left_to_create() == 0 {
                break;
            }
            let Ok(mut draft) = self.draft(operation, TimestampFormat::Utc) else {
                break;
            };
            let differs = draft.vary(&variant, accepted);
            let Ok(draft) = self.avoid_existing_identifiers(draft) else {
                continue;
            };
            if !differs || (!has_invariant && !self.settings.run_tag.is_in(&draft.body().0)) {
                continue;
            }
            tries += 1;
            self.expect_requests(1);
            let exchange = self.write(&draft, head, WriteRole::Additional).await;
            if self.succeeded(&exchange) {
                made += 1;
            } else if exchange.rejection_of_content().is_none() && !exchange.was_closed_when_idle() {
                break;
            } else if let Variant::Offset(offset) = variant
                && exchange.rejection_of_content().is_some()
                && !has_tried_offset
            {
                has_tried_offset = true;
                self.create_at_offset(offset, (operation, accepted, head)).await;
            }
        }
    }

    /// Drafts a create to be sent at the same time as the one with awkward values, to reveal mixed-up responses,
    /// identifiers given twice and lost records. It replaces the other variants, and only one operation gets it, once.
    fn concurrent_create(&self, operation: OperationId, accepted: &Draft) -> Option<Draft> {
        let at_once = self.settings.jobs > 1 && self.is_first_round() && self.left_to_create() > 1;
        if !at_once || self.operation_with_concurrent_creates() != Some(operation) {
            return None;
        }
        let mut draft = self.draft_like(operation, accepted).ok()?;
        // Then the arrays of both records have several elements, which must stay in their own record.
        let before = draft.clone();
        draft.vary_for_concurrent_create(self.plan.seed);
        Some(if draft.is_admitted() { draft } else { before })
    }

    /// Returns the operation that gets two creates at the same time: the seed picks it from those whose records are a
    /// list's items. All shards together have one.
    fn operation_with_concurrent_creates(&self) -> Option<OperationId> {
        let is_created = |id: &OperationId| {
            let mut steps = self.plan.steps.iter();
            let creates = |step: &Step| step.operation == *id && step.action == Action::Create;
            let mut others = self.plan.not_called.iter();
            steps.any(creates) || others.any(|(other, why)| other == id && *why == NotCalled::AnotherShard)
        };
        let creates = self
            .contract
            .operation_ids()
            .filter(|id| self.contract.list_whose_items_are_created_by(*id).is_some());
        let candidates: Vec<_> = creates.filter(is_created).collect();
        let place = self.plan.seed.checked_rem(u64::try_from(candidates.len()).ok()?)?;
        candidates.get(usize::try_from(place).ok()?).copied()
    }

    /// Updates a record of this run with every variant of the draft that the operation accepted, and looks for each.
    pub(super) async fn vary_update(&self, operation: OperationId) {
        let invariant = self.contract.operation(operation).invariants.updated.as_ref();
        let (Some(invariant), Some(list)) = (invariant, self.contract.list_showing_updated_by(operation)) else {
            return;
        };
        let Some((accepted, head)) = self.accepted_write(operation).await else {
            return;
        };
        let sent = self.sent_last(operation);
        let mut updates = Updates {
            operation,
            invariant,
            list,
            head,
            accepted,
            sent,
        };
        let mut awkward = VecDeque::new();
        for variant in variants(self.contract, operation, self.plan.seed) {
            match variant {
                // It is judged like any update; whatever the response is, the others may still be accepted.
                Variant::SameAgain => {
                    self.expect_requests(1);
                    self.write(&updates.accepted, &updates.head, WriteRole::Additional)
                        .await;
                }
                Variant::Awkward(values) => awkward.push_back(values),
                other => {
                    if self.send_update_variant(&mut updates, &other).await == Some(UpdateOutcome::Inconclusive) {
                        return;
                    }
                }
            }
        }
        self.update_with_awkward_values(&mut updates, awkward).await;
    }

    /// Updates a record of this run with each variant of an update without invariants, in parts where its values are
    /// rejected together, and reads it after each update that is accepted.
    pub(super) async fn vary_and_read_back(&self, update: OperationId) {
        let Some((accepted, head)) = self.accepted_write(update).await else {
            return;
        };
        let all = variants(self.contract, update, self.plan.seed).into_iter();
        let mut open: VecDeque<_> = all.map(|variant| (variant, true)).collect();
        let mut sent = 0;
        while let Some((variant, is_whole)) = open.pop_front() {
            if is_whole {
                sent = 0;
            } else if sent == AWKWARD_UPDATES_WITHOUT_INVARIANTS {
                continue;
            }
            let Ok(mut draft) = self.draft(update, TimestampFormat::Utc) else {
                return;
            };
            // Values that cannot be sent together may still be sent in parts.
            let differs = draft.vary(&variant, &accepted);
            if let (true, Ok(draft)) = (differs, self.avoid_existing_identifiers(draft)) {
                sent += 1;
                self.expect_requests(1);
                let exchange = self.write(&draft, &head, WriteRole::Additional).await;
                if exchange.was_closed_when_idle() && self.may_send_again(&exchange.request).await {
                    open.push_front((variant, is_whole));
                    continue;
                }
                // RFC 9110, section 15.3.3: it may be carried out later, or not at all.
                if exchange.status() == Some(202) {
                    continue;
                }
                if self.succeeded(&exchange) {
                    match self.read_back_sent(&exchange.request).await {
                        true => continue,
                        false => return,
                    }
                }
                if exchange.rejection_of_content().is_none() {
                    return;
                }
            }
            let parts = variant.parts().into_iter().rev();
            parts.for_each(|part| open.push_front((part, false)));
        }
    }

    /// Sends awkward values, in halves where they are rejected together: which one a service rejects is evidence on a
    /// gap.
    async fn update_with_awkward_values(&self, updates: &mut Updates<'_>, mut open: VecDeque<AwkwardValues>) {
        let (mut tries, mut rejected) = (0, Vec::new());
        while let Some(values) = open.pop_front().filter(|_| tries < AWKWARD_UPDATES) {
            let values = values.without(&rejected);
            if values.is_empty() {
                continue;
            }
            match self
                .send_update_variant(updates, &Variant::Awkward(values.clone()))
                .await
            {
                Some(UpdateOutcome::Accepted) => {}
                Some(UpdateOutcome::ClosedWhenIdle) => open.push_front(values),
                Some(UpdateOutcome::Rejected(status)) => {
                    if values.is_single() {
                        rejected.push(values.to_string());
                        self.note_rejected_value(updates.operation, values.to_string(), status);
                    }
                    values.halves().into_iter().rev().for_each(|half| open.push_front(half));
                }
                Some(UpdateOutcome::Inconclusive) => return,
                // They cannot be sent together, perhaps because of one that is too long for the schema.
                None => {
                    values.halves().into_iter().rev().for_each(|half| open.push_front(half));
                    continue;
                }
            }
            tries += 1;
        }
    }

    /// Notes that a value was rejected, once in a run.
    fn note_rejected_value(&self, operation: OperationId, description: String, status: u16) {
        let rejected = RejectedValue {
            operation,
            description,
            status,
        };
        let mut all = self.drafts.rejected_values.borrow_mut();
        if !all.contains(&rejected) {
            all.push(rejected);
        }
    }

    /// Updates the record of an operation with plain values once more, because people and other programs read what the
    /// run leaves.
    pub(super) async fn restore(&self, operation: OperationId) {
        let Some((accepted, head)) = self.accepted_write(operation).await else {
            return;
        };
        self.update_another_state(operation, (&accepted, &head)).await;
        if let Ok(draft) = self.draft_like(operation, &accepted) {
            self.expect_requests(1);
            self.write(&draft, &head, WriteRole::Additional).await;
        }
    }

    /// Sends an update on the condition that the record is in a state which it never had, if the contract says no more
    /// than that the operation takes such a condition and which status it gets, and if a read has shown an entity tag.
    async fn update_another_state(&self, update: OperationId, (accepted, head): (&Draft, &RequestHead)) {
        let lifecycle = self.contract.lifecycle_of(update);
        let has_tags = lifecycle.is_some_and(|lifecycle| self.history().shows_strong_tag(lifecycle.read));
        let condition = self.contract.plain_condition(update).filter(|_| has_tags);
        let Some((parameter, draft)) = condition.zip(self.draft_like(update, accepted).ok()) else {
            return;
        };
        let mut head = head.clone();
        let condition = OptionalValue {
            parameter,
            value: UNKNOWN_ENTITY_TAG.into(),
            is_from_target: false,
        };
        if head.add_optional(self.contract, update, &condition).is_ok() {
            self.expect_requests(1);
            self.write(&draft, &head, WriteRole::Additional).await;
        }
    }

    /// Returns the descriptions of the awkward values that the operation rejected.
    pub(super) fn rejected_values(&self, operation: OperationId) -> Vec<String> {
        let rejected = self.drafts.rejected_values.borrow();
        let of_this = rejected.iter().filter(|value| value.operation == operation);
        of_this.map(|rejected| rejected.description.clone()).collect()
    }

    /// Sends one variant of an update; returns `None` where it would not differ from what was accepted.
    async fn send_update_variant(&self, updates: &mut Updates<'_>, variant: &Variant) -> Option<UpdateOutcome> {
        let mut draft = self.draft(updates.operation, TimestampFormat::Utc).ok()?;
        if !draft.vary(variant, &updates.accepted) {
            return None;
        }
        if matches!(variant, Variant::OneField(_)) {
            self.make_different(updates.operation, updates.invariant, &mut draft, &updates.sent);
        }
        Some(self.send_update(updates, &draft).await)
    }

    /// Sends an update and looks for what it sent.
    async fn send_update(&self, updates: &mut Updates<'_>, draft: &Draft) -> UpdateOutcome {
        self.expect_requests(1);
        let (operation, invariant) = (updates.operation, updates.invariant);
        let exchange = self.write(draft, &updates.head, WriteRole::Additional).await;
        if exchange.was_closed_when_idle() && self.may_send_again(&exchange.request).await {
            return UpdateOutcome::ClosedWhenIdle;
        }
        if !self.succeeded(&exchange) {
            return exchange
                .rejection_of_content()
                .map_or(UpdateOutcome::Inconclusive, UpdateOutcome::Rejected);
        }
        let changed = AcceptedUpdate {
            operation,
            request: exchange.request,
            path_values: updates.head.path_values.clone(),
        };
        let sent = changed.request.json().cloned();
        if must_come_back(invariant, &changed.request) {
            self.look_for_further_update(updates.list, changed, &updates.sent).await;
        }
        overwrite_fields(&mut updates.sent, sent);
        UpdateOutcome::Accepted
    }

    /// Returns the most recent value sent for each field.
    fn sent_last(&self, operation: OperationId) -> Value {
        let mut sent = json!({});
        let history = self.history();
        for changed in history
            .accepted_updates()
            .iter()
            .filter(|changed| changed.operation == operation)
        {
            overwrite_fields(&mut sent, changed.request.json().cloned());
        }
        sent
    }

    /// Changes the draft to values other than those that were sent and those that the list showed
    /// last, so that the list shows whether the next update arrived.
    fn make_different(&self, operation: OperationId, invariant: &Updated, draft: &mut Draft, sent: &Value) {
        let history = self.history();
        let Some((shown, _)) = history.latest_record(operation) else {
            return;
        };
        draft.avoid_repeating(|at, value| {
            let any = pointer::with_any_elements(at);
            let mut carries = invariant.carries.iter().filter(|carry| carry.sent == any);
            let is_shown = carries.any(|carry| pointer::select(shown, &carry.returned_at).contains(&value));
            is_shown || sent.pointer(at) == Some(value)
        });
    }
}

/// Overwrites the fields of `sent` with those of a body.
fn overwrite_fields(sent: &mut Value, body: Option<Value>) {
    if let (Some(sent), Some(Value::Object(fields))) = (sent.as_object_mut(), body) {
        sent.extend(fields);
    }
}

/// Returns whether the record must show any of what was sent.
fn must_come_back(invariant: &Updated, request: &Request) -> bool {
    let sent = request.json();
    sent.is_some_and(|sent| {
        invariant
            .carries
            .iter()
            .any(|carry| !pointer::select(sent, &carry.sent).is_empty())
    })
}
