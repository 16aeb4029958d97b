//! Looks for the run's updates in the list that must show them: in the updated record, and in no other.

use std::cell::RefCell;

use serde_json::Value;
use tokio::time::Instant;

use super::create::text;
use super::look::{FIRST_WAIT, Sighted};
use super::session::{Changed, Session};
use super::walk::Item;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, Updated};
use crate::rules::carries_all;
use crate::rules::evidence::{Updating, Walk};

/// What a walk showed of one update.
#[derive(Default)]
struct Seen {
    record: Option<Sighted>,
    elsewhere: Option<Sighted>,
}

impl Session<'_> {
    /// Looks for every update that this list must show.
    pub(super) async fn look_again(&self, list: OperationId) {
        let changed = self.changed.borrow().clone();
        for changed in &changed {
            if let Some(law) = self.updated_law(changed.operation, list) {
                self.look_for(list, changed, law).await;
            }
        }
        self.tell_findings();
    }

    fn updated_law(&self, operation: OperationId, list: OperationId) -> Option<&Updated> {
        let law = self.contract.operation(operation).laws.updated.as_ref()?;
        (self.contract.operation_named(&law.listed.operation) == Some(list)).then_some(law)
    }

    async fn look_for(&self, list: OperationId, changed: &Changed, law: &Updated) {
        let body = changed.request.json().cloned().unwrap_or_default();
        let started = Instant::now();
        let mut wait = FIRST_WAIT;
        loop {
            let seen: RefCell<Seen> = RefCell::default();
            let walk = self
                .walk(list, &|item| {
                    self.sight_change(list, changed, item, (law, &body, &seen));
                    false
                })
                .await;
            let seen = seen.into_inner();
            let carried = seen
                .record
                .as_ref()
                .is_some_and(|seen| carries_all(&law.carries, &body, &seen.record));
            let left = self.settings.settle.saturating_sub(started.elapsed());
            if carried || left.is_zero() {
                return self.judge_change(changed, law, &seen, &walk);
            }
            tokio::time::sleep(wait.min(left)).await;
            wait *= 2;
        }
    }

    fn sight_change(
        &self,
        list: OperationId,
        changed: &Changed,
        item: Item<'_>,
        (law, body, seen): (&Updated, &Value, &RefCell<Seen>),
    ) {
        let page = self.contract.operation(list).page.as_ref();
        let id = page.and_then(|page| item.value.pointer(&page.id));
        let owner = changed
            .path_values
            .iter()
            .find(|(name, _)| Some(name) == law.listed.owner.as_ref());
        let own = id.zip(owner).is_some_and(|(id, (_, owner))| text(id) == text(owner));
        if own {
            seen.borrow_mut().record = Some(Sighted::new(item, item.value, ""));
        } else if let Some(carry) = law
            .carries
            .iter()
            .find(|carry| self.shows_mark(carry, body, item.value))
        {
            let kept = carry.kept.replace('*', "0");
            seen.borrow_mut().elsewhere = Some(Sighted::new(item, item.value, &kept));
        }
    }

    /// Whether an item shows a value of the body that has the run's mark in it: nobody else would have sent that.
    fn shows_mark(&self, carry: &Carry, body: &Value, item: &Value) -> bool {
        let mark = self.settings.mark.as_str();
        let sent = pointer::select(body, &carry.sent);
        let marked = sent
            .into_iter()
            .filter(|sent| sent.as_str().is_some_and(|text| text.contains(mark)));
        let kept = pointer::select(item, &carry.kept);
        marked.into_iter().any(|sent| kept.contains(&sent))
    }

    fn judge_change(&self, changed: &Changed, law: &Updated, seen: &Seen, walk: &Walk) {
        // While the record itself is not seen, another item may be it under another id.
        let elsewhere = seen.elsewhere.as_ref().filter(|_| seen.record.is_some());
        let updating = Updating {
            contract: self.contract,
            operation: changed.operation,
            law,
            request: &changed.request,
            listed: seen.record.as_ref().map(|seen| (&seen.record, seen.pointer.as_str())),
            elsewhere: elsewhere.map(|seen| seen.pointer.as_str()),
            end: walk.end,
            most: walk.most,
        };
        let last = walk.pages.last().map(|page| &page.request);
        let shown = elsewhere.or(seen.record.as_ref()).map(|seen| &seen.request);
        self.judge
            .borrow_mut()
            .updating(&updating, shown.or(last).unwrap_or(&changed.request));
    }
}
