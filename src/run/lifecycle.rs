//! Reads back what was created and updated, and deletes what the run created, where the contract
//! has a lifecycle for it: see [`Lifecycle`](crate::contract::lifecycle::Lifecycle).

use std::collections::{HashMap, HashSet};

use super::create::WRITE_PURPOSE;
use super::pace::{MAX_ATTEMPTS, throttles_for_now, wait_after};
use super::request::{Replacement, credential, request_head_with};
use super::session::{Call, ResendOptions, Session};
use super::settle::LifecycleWait;
use crate::contract::fact::FactKind;
use crate::contract::lifecycle::Lifecycle;
use crate::contract::operation::{OperationId, is_success};
use crate::exchange::{Credential, Exchange, Failure, Purpose, RejectionMeaning, Request, Response};
use crate::history::evidence::Rejection;
use crate::history::{ExchangeRole, LookGoal, LookId, PathIdentifiers, RecordStage, may_have_stored};
use crate::plan::Action;
use crate::rules::Evaluation;

/// How many times a record is read again at most because reads seem to change the time of its last change.
const MAX_READS_IF_TOUCHED: usize = 5;

/// What a look for a record showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenRecord {
    /// It is gone.
    Gone,
    /// It is there, and the run's own.
    Own,
    /// Neither, such as no response or the record of somebody else.
    Unclear,
}

impl Session<'_> {
    /// Looks for each record that a create has returned, by its identifier and in its list.
    pub(super) async fn read_back_created(&self, create: OperationId) {
        let Some(lifecycle) = self.contract.lifecycle_of(create) else {
            return;
        };
        let records = self.history().created_by(create);
        for record in records {
            self.look_for_record(lifecycle.read, (record, RecordStage::CreatedInRead))
                .await;
            if let Some(list) = self.called_list(lifecycle) {
                self.look_for_record(list, (record, RecordStage::CreatedInList)).await;
            }
        }
        self.read_below_another_parent(lifecycle).await;
    }

    /// Reads a created record under the path of another record of the run than the one that it was created in, if its
    /// response would show that.
    async fn read_below_another_parent(&self, lifecycle: &Lifecycle) {
        let documents_404 = self
            .contract
            .operation(lifecycle.read)
            .response_of_exactly(404)
            .is_some();
        let is_judged =
            !self.contract.parents_in_records(lifecycle).is_empty() && self.contract.only_names_its_record(lifecycle);
        if self.plan.learns || !documents_404 || !is_judged {
            return;
        }
        let elsewhere = self.history().below_another_parent(lifecycle.create);
        let request = elsewhere.and_then(|elsewhere| self.request_under(lifecycle.read, &elsewhere));
        if let Some(request) = request {
            self.expect_requests(1);
            let purpose = Purpose::Documented(RejectionMeaning::UncertainValue);
            self.call(Call::alone(request, purpose)).await;
        }
    }

    /// Looks for the record that a create returned last, by its identifier.
    pub(super) async fn read_back_last_created(&self, create: OperationId) {
        let record = self.history().created_by(create).last().copied();
        if let Some((lifecycle, record)) = self.contract.lifecycle_of(create).zip(record) {
            self.look_for_record(lifecycle.read, (record, RecordStage::CreatedInRead))
                .await;
        }
    }

    /// Looks for what an update sent, in the read of each record whose last update it was.
    pub(super) async fn read_back_updated(&self, update: OperationId) {
        let Some(lifecycle) = self.contract.lifecycle_of(update) else {
            return;
        };
        let records = self.history().updated_by(update);
        let mut is_compared = false;
        for record in records {
            let after = (record, RecordStage::Update(update));
            let seen = self.look_for_record(lifecycle.read, after).await;
            let repeats = !self.plan.learns && self.history().update_to_repeat(record, update).is_some();
            if seen == SeenRecord::Own && repeats {
                let after = (record, RecordStage::UpdateSentAgain(update));
                self.look_for_record(lifecycle.read, after).await;
            }
            // Where it is a guess that the read takes this identifier, what it shows of another record proves nothing.
            if seen == SeenRecord::Own && !is_compared && !lifecycle.guessed {
                is_compared = true;
                self.compare_with_list(lifecycle, (record, update)).await;
                self.look_at_others(lifecycle, (record, update)).await;
            }
        }
    }

    /// Reads each record of which updates were rejected since it was read: what they sent must not show.
    pub(super) async fn read_after_rejected_updates(&self, read: OperationId) {
        let records = self.history().with_rejected_updates(read);
        for record in records {
            self.look_for_record(read, (record, RecordStage::RejectedUpdates)).await;
        }
    }

    /// Looks for what an accepted update sent, in the read of the run's own record that it names. Returns whether it
    /// names one, and the read still shows it.
    pub(super) async fn read_back_sent(&self, update: &Request) -> bool {
        let seen = self
            .look_for_record_of_update(update, RecordStage::Update(update.operation))
            .await;
        seen.is_some_and(|(_, seen)| seen == SeenRecord::Own)
    }

    /// Looks at the run's own record that an update without invariants names, if it can be read. Returns its index,
    /// and what the read showed.
    async fn look_for_record_of_update(&self, update: &Request, stage: RecordStage) -> Option<(usize, SeenRecord)> {
        let is_inferred = self.contract.operation(update.operation).invariants.updated.is_none();
        let read = self.contract.read_showing_update(update.operation);
        let read = read.filter(|_| is_inferred)?;
        let record = self.history().readable_in_path(update)?;
        Some((record, self.look_for_record(read, (record, stage)).await))
    }

    /// Whether a write may be sent again, or another to the same record in its place, after a response that rejected it
    /// only for now, or after none. Where it changes or deletes a record, a read must show that the record is still the
    /// run's own: the write may have been carried out, and somebody else's record may have the identifier by now. What
    /// the contract states invariants for is sent without such a read, and without an operation for the read, nothing
    /// is sent again.
    pub(super) async fn may_send_again(&self, write: &Request) -> bool {
        if !self.sender.must_be_read_again(write) {
            return true;
        }
        let record = self.history().readable_in_path(write);
        let read = self
            .contract
            .lifecycle_of(write.operation)
            .map(|lifecycle| lifecycle.read);
        let Some((record, read)) = record.zip(read) else {
            return false;
        };
        let before = (record, RecordStage::BeforeDelete);
        Box::pin(self.look_for_record(read, before)).await == SeenRecord::Own
    }

    /// Reads a record of the run before the first edge case of an update of it.
    pub(super) async fn read_before_edge_case(&self, update: OperationId, record: usize) {
        if let Some(read) = self
            .contract
            .read_showing_update(update)
            .filter(|read| self.is_called(*read))
        {
            self.look_for_record(read, (record, RecordStage::BeforeDelete)).await;
        }
    }

    /// Compares what the list shows of an updated record with what its read shows. If that differs, the record is read
    /// once more: it may have changed in between.
    async fn compare_with_list(&self, lifecycle: &Lifecycle, (record, update): (usize, OperationId)) {
        let is_stated = self.contract.fact_of(update, FactKind::ListedAsRead).is_some();
        let Some(list) = self.called_list(lifecycle).filter(|_| is_stated && !self.plan.learns) else {
            return;
        };
        self.look_for_record(list, (record, RecordStage::UpdatedInList(update)))
            .await;
        if self.history().is_listed_otherwise(record) {
            self.look_for_record(lifecycle.read, (record, RecordStage::ListedOtherwise(update)))
                .await;
        }
    }

    /// Checks whether an update of a record has changed another: one of the run that was read before, or else those
    /// that the list shows.
    async fn look_at_others(&self, lifecycle: &Lifecycle, (record, update): (usize, OperationId)) {
        let other = self.history().another_unchanged_record(record);
        if let Some(other) = other.filter(|other| self.history().was_read(*other)) {
            let after = (other, RecordStage::WriteOfAnotherRecord(update, record));
            self.look_for_record(lifecycle.read, after).await;
        } else if let Some(list) = self.called_list(lifecycle) {
            self.look_for_record(list, (record, RecordStage::OthersInList(update)))
                .await;
        }
    }

    /// Sends the last update of a record again, as it was. Like an equivalent request, it must do what the first did.
    async fn repeat_update(&self, look: LookId, (record, update): (usize, OperationId)) {
        let request = self.history().update_to_repeat(record, update);
        if let Some(request) = request {
            self.expect_requests(1);
            self.call(Call::alone(request, Purpose::EquivalentRequest).role(ExchangeRole::UpdateSentAgain(look)))
                .await;
        }
    }

    /// Reads the run's own record after an edge case of an update was accepted. Returns whether it can no longer be
    /// read, although it could be before.
    pub(super) async fn read_fails_after_edge_case(&self, update: &Request) -> bool {
        let seen = self
            .look_for_record_of_update(update, RecordStage::EdgeCase(update.operation))
            .await;
        let history = self.history();
        let record = seen.and_then(|(record, _)| history.tracked(record));
        record.is_some_and(|record| record.is_unreadable)
    }

    /// Before a create, reads the record with the number that the create will return, if that may show that the number
    /// is free: see [`History::read_of_next_number`](crate::history::History::read_of_next_number).
    pub(super) async fn read_before_create(&self, create: &Request) {
        let next = self.history().read_of_next_number(create);
        let Some((read, named)) = next.filter(|(read, _)| self.is_called(*read)) else {
            return;
        };
        if let Some(request) = self.request_under(read, &named) {
            self.expect_requests(1);
            let purpose = Purpose::Documented(RejectionMeaning::UncertainValue);
            Box::pin(self.call(Call::alone(request, purpose))).await;
        }
    }

    /// Returns the list that may show what else a write changes, if it is still to be watched. Reads it first if no
    /// earlier response can be compared with the one that follows the write.
    pub(super) async fn read_list_before(&self, write: OperationId) -> Option<OperationId> {
        let list = self
            .history()
            .list_to_watch(write)
            .filter(|list| self.is_called(*list))?;
        if self.history().must_be_read_before_write(list) {
            self.read_list(list).await;
        }
        Some(list)
    }

    /// Reads the list again after a write that was accepted, so that the history sees what else it has changed.
    pub(super) async fn read_list_after(&self, write: &Exchange, list: Option<OperationId>) {
        let Some(list) = list.filter(|_| self.succeeded(write)) else {
            return;
        };
        self.read_list(list).await;
    }

    /// After a response of a list, reads each record that was there before the run and that it lacks since the last
    /// write: it may have moved to the second page, or be gone.
    pub(super) async fn read_vanished(&self, list: OperationId) {
        let Some(vanished) = self.with_evaluation(|evaluation| evaluation.take_vanished(list)) else {
            return;
        };
        for id in vanished.ids.into_iter().filter(|_| self.is_called(vanished.read)) {
            let named = vec![(vanished.path_to_id.clone(), id.clone())];
            let Some(read) = self.request_under(vanished.read, &named) else {
                continue;
            };
            self.expect_requests(1);
            let purpose = Purpose::Documented(RejectionMeaning::UncertainValue);
            let (exchange, _) = Box::pin(self.call(Call::alone(read, purpose))).await;
            if matches!(exchange.status(), Some(404 | 410)) {
                self.with_evaluation(|evaluation: &mut Evaluation<'_>| {
                    evaluation.mark_existing_deleted((list, id), vanished.write);
                });
            }
        }
    }

    /// Reads a list, for what the history takes from any response of it.
    pub(super) async fn read_list(&self, list: OperationId) {
        if let Ok(head) = self.request_head(list) {
            self.expect_requests(1);
            Box::pin(self.call(self.documented_call(list, head))).await;
        }
    }

    /// Deletes the records of the run, the newest first, so that a nested record goes before the
    /// one that it is nested in. A record is deleted only if a read shows it with the run tag.
    pub(super) async fn clean_up(&self) {
        if self.plan.steps.iter().any(|step| step.action == Action::Delete) {
            self.look_for_unidentified().await;
        }
        let deletes: Vec<_> = self
            .plan
            .steps
            .iter()
            .filter(|step| step.action == Action::Delete)
            .collect();
        // What is created here to show that records are new is deleted too.
        let mut may_be_older = HashSet::new();
        for delete in &deletes {
            if let Some(lifecycle) = self.contract.lifecycle_ending_with(delete.operation)
                && self.ensure_records_are_new(lifecycle.create).await.is_err()
            {
                may_be_older.insert(lifecycle.create);
            }
        }
        let records = self.history().newest_first();
        let mut tested: HashMap<OperationId, TestedDeletion> = HashMap::new();
        for record in records {
            let create = self.history().tracked(record).map(|tracked| tracked.create);
            let lifecycle = create.and_then(|create| self.contract.lifecycle_of(create));
            let Some(lifecycle) = lifecycle else { continue };
            let delete = deletes.iter().find(|step| lifecycle.delete == Some(step.operation));
            if let Some(delete) = delete {
                // What it shows of earlier writes counts before anything is deleted.
                self.read_list_before(delete.operation).await;
                if self
                    .history()
                    .reason_existing_record_changed(delete.operation)
                    .is_some()
                    || self.history().may_reach_others(lifecycle.create)
                    || self.history().may_ignore_parents(lifecycle.create)
                    || may_be_older.contains(&lifecycle.create)
                    || self.history().holds_older_record(record)
                    || self.history().reason_chosen_record_may_be_older(record).is_some()
                {
                    continue;
                }
                let done = tested.entry(delete.operation).or_default();
                let seen = self.delete(lifecycle, (record, delete.operation), *done).await;
                done.was_sent |= seen.was_sent;
                done.was_compared |= seen.was_compared;
            }
        }
        self.confirm_totals().await;
    }

    /// Calls once each operation that may show the records of creates whose response showed no identifier, so that the
    /// history finds them. A query is sent only if it was accepted before and kept nothing.
    pub(super) async fn look_for_unidentified(&self) {
        let sources = self.history().showing_unidentified();
        for source in sources.into_iter().filter(|source| self.is_called(*source)) {
            let Ok(head) = self.request_head(source) else { continue };
            let documented = self.contract.operation(source);
            let call = if documented.is_query() {
                let was_accepted = self.drafts.accepted.borrow().contains_key(&source);
                let request = self.query_request(source, &head, credential(&documented.security));
                let Some(request) = request.ok().filter(|_| was_accepted && self.has_room_for(source)) else {
                    continue;
                };
                Call::alone(request, Purpose::Documented(RejectionMeaning::UncertainValue))
            } else {
                self.documented_call(source, head)
            };
            self.expect_requests(1);
            self.call(call.role(ExchangeRole::Read)).await;
        }
    }

    /// Deletes one record, if a read shows that it is the run's own, and checks whether it is gone. If that was not
    /// compared for this operation yet, it also checks whether another record is still there. Returns what was done.
    async fn delete(
        &self,
        lifecycle: &Lifecycle,
        (record, delete): (usize, OperationId),
        before: TestedDeletion,
    ) -> TestedDeletion {
        let is_own = async |record| {
            let before = (record, RecordStage::BeforeDelete);
            self.look_for_record(lifecycle.read, before).await == SeenRecord::Own
        };
        if !is_own(record).await {
            return TestedDeletion::default();
        }
        let mut other = self
            .history()
            .another_unchanged_record(record)
            // Where it is a guess that the read takes this identifier, another record's absence proves nothing.
            .filter(|_| !before.was_compared && !lifecycle.guessed);
        if let Some(index) = other
            && !is_own(index).await
        {
            other = None;
        }
        let Some(request) = self.request_of_record(delete, record) else {
            return TestedDeletion::default();
        };
        let mut tested = TestedDeletion {
            was_sent: true,
            was_compared: false,
        };
        let accepted = if before.was_sent {
            None
        } else {
            self.delete_without_credential(lifecycle, (record, other), &request)
                .await
        };
        let deletion = match accepted {
            Some(deletion) => deletion,
            None if !self.read_again_if_touched(lifecycle, record).await => return tested,
            None => self.delete_unless_throttled(&request).await,
        };
        let stages = match deletion {
            Deletion::Accepted => (RecordStage::DeletedInRead, RecordStage::DeletedInList),
            Deletion::Uncertain => (RecordStage::MayBeDeletedInRead, RecordStage::MayBeDeletedInList),
            Deletion::Rejected => return tested,
        };
        let is_gone = self.look_for_record(lifecycle.read, (record, stages.0)).await == SeenRecord::Gone;
        if is_gone && self.look_in_list_after_delete(lifecycle, (record, stages.1)).await {
            self.with_evaluation(|evaluation: &mut Evaluation<'_>| evaluation.mark_deleted(record));
        }
        if let Some(other) = other.filter(|_| deletion == Deletion::Accepted) {
            let after = (other, RecordStage::WriteOfAnotherRecord(delete, record));
            self.look_for_record(lifecycle.read, after).await;
            tested.was_compared = true;
        }
        tested
    }

    /// Sends a deletion without a credential, where the contract says that it needs one, and reads the record if that
    /// was rejected. A record may vanish by itself, or because it is read, so its absence counts only if the other
    /// record is still there. Returns `None` if the record is still to be deleted, because it was just read as the
    /// run's own, and otherwise what became of the deletion.
    async fn delete_without_credential(
        &self,
        lifecycle: &Lifecycle,
        (record, other): (usize, Option<usize>),
        delete: &Request,
    ) -> Option<Deletion> {
        let kind = FactKind::RejectsNoCredential;
        self.contract.fact_of(delete.operation, kind)?;
        let purpose = Purpose::MustBeRejected {
            fact: kind,
            meaning_of_another_rejection: RejectionMeaning::UncertainValue,
        };
        let request = Request {
            credential: Credential::None,
            ..delete.clone()
        };
        self.expect_requests(1);
        let not_judged_if_throttled = ResendOptions {
            replaceable: true,
            ..ResendOptions::default()
        };
        let (exchange, _) = self
            .call_with_options(Call::alone(request, purpose), not_judged_if_throttled)
            .await;
        let status = exchange.status();
        if status.is_some_and(is_success) {
            return Some(Deletion::of(&exchange.outcome));
        }
        let before = (record, RecordStage::BeforeDelete);
        match self.look_for_record(lifecycle.read, before).await {
            SeenRecord::Own => return None,
            SeenRecord::Unclear => return Some(Deletion::Uncertain),
            SeenRecord::Gone => {}
        }
        let status = status.filter(|_| may_have_stored(&exchange.outcome) == Some(false));
        let (Some(status), Some(other)) = (status, other) else {
            return Some(Deletion::Uncertain);
        };
        let before = (other, RecordStage::BeforeDelete);
        if self.look_for_record(lifecycle.read, before).await != SeenRecord::Own {
            return Some(Deletion::Uncertain);
        }
        let rejection = Rejection {
            status,
            credential_fact: Some(kind),
        };
        let after = (record, RecordStage::RejectedDelete(delete.operation, rejection));
        let is_gone = self.look_for_record(lifecycle.read, after).await == SeenRecord::Gone;
        Some(if is_gone {
            Deletion::Accepted
        } else {
            Deletion::Uncertain
        })
    }

    /// Reads a record again while reads seem to change the time of its last change, to be sure. Returns whether the last
    /// read, if there was one, shows it as the run's own.
    async fn read_again_if_touched(&self, lifecycle: &Lifecycle, record: usize) -> bool {
        for _ in 0..MAX_READS_IF_TOUCHED {
            if !self.history().may_touch_on_read(lifecycle.create) {
                break;
            }
            let before = (record, RecordStage::BeforeDelete);
            if self.look_for_record(lifecycle.read, before).await != SeenRecord::Own {
                return false;
            }
        }
        true
    }

    /// Sends a deletion, and again after a response that throttles it, or that rejects an expired token, if
    /// [`Self::may_send_again`].
    async fn delete_unless_throttled(&self, delete: &Request) -> Deletion {
        let mut attempt = 0;
        loop {
            let is_last = attempt + 1 >= MAX_ATTEMPTS;
            let options = ResendOptions {
                replaceable: !is_last,
                ..ResendOptions::default()
            };
            self.expect_requests(1);
            let call = Call::alone(delete.clone(), WRITE_PURPOSE);
            let had_first_token = !self.sender.transport.is_renewed();
            let (exchange, _) = self.call_with_options(call, options).await;
            let throttling = exchange.response().filter(|response| throttles_for_now(response));
            if let Some(throttling) = throttling.filter(|_| !is_last) {
                tokio::time::sleep(wait_after(throttling, attempt)).await;
            } else if !self.sender.has_expired(&exchange, had_first_token) {
                return Deletion::of(&exchange.outcome);
            }
            if !self.may_send_again(delete).await {
                return Deletion::Uncertain;
            }
            attempt += 1;
        }
    }

    /// Looks in its list for a record whose read shows that it is gone. The list may show it all the same, because a
    /// 403 also hides a record that was not deleted.
    async fn look_in_list_after_delete(&self, lifecycle: &Lifecycle, after: (usize, RecordStage)) -> bool {
        let Some(list) = self.called_list(lifecycle) else {
            return true;
        };
        self.look_for_record(list, after).await == SeenRecord::Gone
    }

    /// Returns the list of a lifecycle, if the plan has a step for it.
    fn called_list(&self, lifecycle: &Lifecycle) -> Option<OperationId> {
        let list = lifecycle.list.as_ref().map(|list| list.operation);
        list.filter(|list| self.is_called(*list))
    }

    /// Whether the plan has a step for an operation.
    pub(super) fn is_called(&self, operation: OperationId) -> bool {
        let mut steps = self.plan.steps.iter();
        steps.any(|step| step.operation == operation)
    }

    /// Reads a record, by its identifier or in its list, until it shows as it should or `settle` has passed, and judges
    /// what it showed. An operation that no shard calls is not called here either.
    async fn look_for_record(&self, shown_by: OperationId, (record, stage): (usize, RecordStage)) -> SeenRecord {
        if self.plan.leaves_out(shown_by) {
            return SeenRecord::Unclear;
        }
        let look = self.begin_look(shown_by, &LookGoal::Record(record, stage));
        if let RecordStage::UpdateSentAgain(update) = stage {
            self.repeat_update(look, (record, update)).await;
        }
        let read = async || {
            if let Some(request) = self.request_of_record(shown_by, record) {
                self.expect_requests(1);
                let purpose = Purpose::Documented(RejectionMeaning::UncertainValue);
                self.call(Call::alone(request, purpose).role(ExchangeRole::RecordRead(look)))
                    .await;
            }
        };
        let wait = self.delays.lifecycle_wait((shown_by, stage));
        let longest = match wait {
            LifecycleWait::Full => self.settings.settle,
            LifecycleWait::Again | LifecycleWait::TooMany => self.short_wait(),
        };
        self.repeat_until_settled(look, longest, read).await;
        let settled = self.history().is_settled(look);
        if !settled && wait == LifecycleWait::Full {
            self.delays.note_lifecycle_timeout((shown_by, stage));
        }
        let seen = match (
            self.history().look_confirms_own(look),
            self.history().shows_gone_record(look),
        ) {
            (true, _) => SeenRecord::Own,
            (false, true) => SeenRecord::Gone,
            (false, false) => SeenRecord::Unclear,
        };
        // Of the same operation at the same stage, a first look had its full time; but a list may show one deletion
        // sooner than another, and a repeated update counts only if it settles.
        let may_be_late = match wait {
            LifecycleWait::Full => false,
            LifecycleWait::Again => {
                let waits_for_list = matches!(stage, RecordStage::DeletedInList | RecordStage::UpdatedInList(_));
                waits_for_list
                    || matches!(stage, RecordStage::UpdateSentAgain(_))
                    || self.history().shows_duplicate_items(look)
            }
            LifecycleWait::TooMany => true,
        };
        if may_be_late && !settled {
            self.with_evaluation(|evaluation| evaluation.drop_look(look));
        } else {
            self.conclude(look);
        }
        seen
    }

    /// Returns a request to an operation with the record's values in its path; `None` if something
    /// else that the request requires has no value.
    fn request_of_record(&self, operation: OperationId, record: usize) -> Option<Request> {
        let path_identifiers = self.history().tracked(record)?.path_identifiers.clone();
        self.request_under(operation, &path_identifiers)
    }

    /// Returns a request to an operation whose path names these records; `None` if something else that the request
    /// requires has no value.
    fn request_under(&self, operation: OperationId, path_identifiers: &PathIdentifiers) -> Option<Request> {
        let history = self.history();
        let head = request_head_with(
            self.contract,
            operation,
            history.bindings(),
            (Replacement::Record(path_identifiers), ""),
        );
        let documented = self.contract.operation(operation);
        Some(
            head.ok()?
                .request((operation, documented), credential(&documented.security)),
        )
    }
}

/// What the deletions by one operation have tested.
#[derive(Clone, Copy, Debug, Default)]
struct TestedDeletion {
    /// Whether one was sent, at first without a credential.
    was_sent: bool,
    /// Whether another record was read after one that was accepted.
    was_compared: bool,
}

/// What the response to a `DELETE` says of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deletion {
    /// The record must be gone. Even an undocumented success, which is a finding, says so.
    Accepted,
    /// The record may be gone, now or later: the deletion has only begun (202), its response did not come or reports a
    /// failure, or the record had vanished before.
    Uncertain,
    /// The record is still there.
    Rejected,
}

impl Deletion {
    fn of(outcome: &Result<Response, Failure>) -> Self {
        match outcome {
            Ok(response) if is_success(response.status) && response.status != 202 => Self::Accepted,
            Ok(Response { status: 404 | 410, .. }) => Self::Uncertain,
            outcome if may_have_stored(outcome) == Some(true) => Self::Uncertain,
            _ => Self::Rejected,
        }
    }
}
