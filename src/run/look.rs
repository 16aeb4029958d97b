//! Looks for the run's own records and updates in the lists that must show them, until they appear or `settle` has
//! passed.

use std::sync::Arc;

use serde_json::Value;

use super::session::Session;
use crate::contract::operation::{Method, OperationId};
use crate::history::{AcceptedUpdate, ExchangeRole, LookGoal, Ownership, SearchExtent, WalkExtent, lists_that_show};
use crate::plan::{Action, MAX_SAMPLED, ShownBy};
use crate::rules::{Evaluation, Reason};

/// For how many pages of other lists there must be room where a run that learns reads all of one.
const PAGES_OF_OTHER_LISTS: u64 = 8;

impl Session<'_> {
    /// Looks for every record that this list must show.
    pub(super) async fn look_for_created(&self, list: OperationId) {
        if self.history().has_created_for(list) {
            let goal = if self.plan.learns {
                LookGoal::CreatedUntilFound
            } else {
                LookGoal::Created
            };
            self.seek(list, &goal).await;
        }
    }

    /// Looks for every update that this list must show.
    pub(super) async fn look_for_updates(&self, list: OperationId) {
        let updates = self.history().accepted_updates().to_vec();
        for update in updates {
            if self.contract.list_showing_updated_by(update.operation) == Some(list) {
                self.seek(list, &LookGoal::Update(Arc::new(update))).await;
            }
        }
    }

    /// Looks for a further update, a variant sent to a record after its first accepted update. The page that last
    /// showed the record comes first. `sent` has the last value that the earlier updates sent for each field. Returns
    /// whether the record shows the update.
    pub(super) async fn look_for_further_update(
        &self,
        list: OperationId,
        update: AcceptedUpdate,
        sent: &Value,
    ) -> bool {
        let update = Arc::new(update);
        let goal = LookGoal::FurtherUpdate(Arc::clone(&update), sent.clone());
        // After a wait that timed out, the next one is short, so that the run does not wait that long for each field.
        let timed_out = self.delays.invariant_update_timed_out.get();
        let longest = if timed_out {
            self.short_wait()
        } else {
            self.settings.settle
        };
        let page = self.history().latest_record(update.operation).map(|(_, page)| page);
        if let Some(page) = page {
            let look = self.begin_look(list, &goal);
            self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::SelectedPages));
            self.expect_requests(1);
            self.page(look, page).await;
            if self.history().is_settled(look) {
                self.conclude(look);
                return true;
            }
            self.with_evaluation(|evaluation| evaluation.drop_look(look));
        }
        let look = self.begin_look(list, &goal);
        self.seek_until_settled(look, None, longest).await;
        let is_settled = self.history().is_settled(look);
        self.delays.invariant_update_timed_out.set(!is_settled);
        if timed_out {
            self.with_evaluation(|evaluation| evaluation.conclude_after_short_wait(look));
            self.emit_findings();
        } else {
            self.conclude(look);
        }
        is_settled
    }

    /// Makes sure that every identifier that a write to the operation takes from a create is that of the run's own
    /// record, and that no earlier write has shown that it may affect somebody else's. A read may go to any record.
    ///
    /// # Errors
    ///
    /// The reason why one may be somebody else's; then the write is not sent.
    pub(super) async fn require_own_records(&self, operation: OperationId) -> Result<(), Reason> {
        let contract = self.contract;
        if contract.operation(operation).is_get() {
            return Ok(());
        }
        let deletes = contract.operation(operation).method == Method::Delete;
        if let Some(reason) = self.history().reason_not_to_create(operation) {
            return Err(Reason::NotOwn(reason));
        }
        // What the user names with `also_send` is sent whatever it may change.
        let reason = self.history().reason_existing_record_changed(operation);
        if let Some(reason) = reason.filter(|_| !self.plan.also_sent.contains(&operation)) {
            return Err(Reason::NotOwn(reason));
        }
        let links = contract.links_to(operation);
        let mut creates: Vec<_> = links.map(|link| link.from).collect();
        // No other write gives an identifier: see `Contract::links_allowed_to_fill`.
        creates.retain(|from| !contract.operation(*from).is_read() && contract.identifies_what_it_stores(*from));
        creates.sort_unstable();
        creates.dedup();
        for create in creates {
            if let Some(reason) = self.history().reason_not_to_update(create).filter(|_| !deletes) {
                return Err(Reason::NotOwn(reason));
            }
            self.ensure_records_are_new(create).await?;
            let mut ownership = self.history().ownership(create);
            if let Ownership::Unconfirmed = ownership {
                self.confirm(create).await?;
                ownership = self.history().ownership(create);
            }
            if let Ownership::Doubtful(reason) = ownership {
                return Err(Reason::NotOwn(reason));
            }
        }
        Ok(())
    }

    /// Looks for the record of a create in the operation that shows it according to the plan.
    async fn confirm(&self, create: OperationId) -> Result<(), Reason> {
        let Some(shown_by) = self.plan.shown_by.get(&create) else {
            return Err(Reason::NotOwn(self.history().reason_never_shown(create)));
        };
        let goal = LookGoal::Own { operation: create };
        match *shown_by {
            ShownBy::List(list) => self.seek(list, &goal).await,
            ShownBy::Read(read) => self.read_until_settled(read, &goal).await,
        }
        Ok(())
    }

    /// Reads one record, or a list as a whole, until what is sought is found or `settle` has passed, and judges the
    /// result.
    async fn read_until_settled(&self, read: OperationId, goal: &LookGoal) {
        let look = self.begin_look(read, goal);
        let again = async || {
            let Ok(head) = self.request_head(read) else { return };
            self.call(self.documented_call(read, head).role(ExchangeRole::RecordRead(look)))
                .await;
        };
        self.repeat_until_settled(look, self.settings.settle, again).await;
        self.conclude(look);
    }

    /// Checks whether writes that had to be rejected, because their credential was wrong, changed anything: on the page
    /// that last showed the updated record, or in the read of it.
    pub(super) async fn look_at_rejected_writes(&self, read: OperationId) {
        let page = self.history().page_of_rejected_update(read);
        if let Some(page) = page {
            self.read_page(read, page, &LookGoal::RejectedWrites).await;
        }
        self.read_after_rejected_updates(read).await;
    }

    /// Returns what is sought in a list at the end: a run that learns judges nothing of a list, so it reads as much as
    /// shows what the run left, and the pages that it read at its beginning, which show whether a write has changed a
    /// record that was there before. To find that a field of a create has no effect, it reads all, unless that takes
    /// more requests than the run may send.
    fn goal_of_residue_look(&self, list: OperationId) -> LookGoal {
        let creates = self.plan.creates_with_open_effect.iter();
        let mut effects = creates.flat_map(|create| lists_that_show(self.contract, *create));
        let may_show_effect = effects.any(|(other, in_item)| other == list && in_item.is_some());
        match self.plan.learns && !(may_show_effect && self.may_read_whole_list(list)) {
            true => LookGoal::ResidueUntilCounted {
                first_pages: MAX_SAMPLED,
            },
            false => LookGoal::Residue,
        }
    }

    /// Whether a run that learns may read all pages of a list at its end. If not, notes that the effects of creates
    /// which it may show stay open.
    fn may_read_whole_list(&self, list: OperationId) -> bool {
        let last = self.gaps().last_page(list).unwrap_or(1);
        let sent = self.sender.tally().sent.saturating_add(last);
        let room_for_others = self.settings.max_requests_to_learn.saturating_sub(PAGES_OF_OTHER_LISTS);
        let may_read = !self.plan.learns || sent <= room_for_others;
        if !may_read {
            let creates = self.plan.creates_with_open_effect.iter();
            self.with_evaluation(|evaluation| creates.for_each(|create| evaluation.note_unread_effects(*create)));
        }
        may_read
    }

    /// Looks through each list that shows what creates left, if any create was sent: until it settles, and then, if the
    /// contract states its pages, once more to count the records.
    pub(super) async fn search_for_residue(&self) {
        if !self.history().has_sent_creates() {
            // Only creates leave records that a list shows by their run tag.
            if self.sender.tally().writes > 0 {
                let extent = match self.history().count_including_deleted() {
                    0 => SearchExtent::Whole,
                    _ => SearchExtent::Part,
                };
                self.residue_search.set(Some(extent));
            }
            return;
        }
        self.residue_search.set(Some(SearchExtent::Nothing));
        if self.plan.learns {
            // A list that is late would not show the last creates yet.
            tokio::time::sleep(self.short_wait() / 2).await;
        }
        let steps = self.plan.steps.iter().filter(|step| step.action == Action::ResidueLook);
        for list in steps.map(|step| step.operation) {
            if self.contract.operation(list).page.is_none() {
                self.read_until_settled(list, &LookGoal::Residue).await;
                continue;
            }
            self.seek(list, &self.goal_of_residue_look(list)).await;
            // That walk may have missed some of the records created, or seen them twice, so a list that does not add up
            // is walked again.
            let look = self.begin_look(list, &LookGoal::Recount);
            self.rewalk_until_it_adds_up(look).await;
            self.conclude(look);
        }
        let residue_search = self.with_evaluation(Evaluation::end_residue_search);
        self.residue_search.set(Some(residue_search));
    }
}
