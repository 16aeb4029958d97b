//! Looks for the run's updates in the list that must show them: in the updated record, and in no other.

use std::cell::RefCell;

use serde_json::Value;

use super::create::text;
use super::history::Changed;
use super::look::Sighted;
use super::session::Session;
use super::walk::{Item, Order};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, Updated};
use crate::rules::carries_all;
use crate::rules::evidence::{Steadiness, Updating, Walk, WalkEnd};

/// A look at a list for one update.
struct Looked {
    seen: Seen,
    walk: Walk,
}

/// What a walk showed of one update.
#[derive(Default)]
struct Seen {
    record: Option<Sighted>,
    elsewhere: Option<Sighted>,
}

impl Seen {
    /// Whether the record was seen with everything that was sent, as far as it must come back.
    fn carries(&self, law: &Updated, body: &Value) -> bool {
        let record = self.record.as_ref();
        record.is_some_and(|seen| carries_all(&law.carries, body, &seen.record))
    }

    /// The same, and what a gap lets differ is there as it was sent, or came spelled otherwise: it is not what stood there
    /// before, or the same was sent before.
    fn arrived(&self, law: &Updated, body: &Value, (before, sent): (Option<&Sighted>, &Value)) -> bool {
        let Some(seen) = &self.record else { return false };
        law.carries.iter().all(|carry| {
            let strict = Carry {
                gap: None,
                ..carry.clone()
            };
            let shown = |seen: &Sighted| {
                pointer::select(&seen.record, &carry.kept)
                    .into_iter()
                    .cloned()
                    .collect()
            };
            let is_new = |before: &Sighted| -> bool {
                let (shown, before): (Vec<Value>, Vec<Value>) = (shown(seen), shown(before));
                shown != before
            };
            let repeated = || pointer::select(body, &carry.sent) == pointer::select(sent, &carry.sent);
            let respelled = || carry.gap.is_some() && (repeated() || before.is_none_or(is_new));
            carries_all(&[strict], body, &seen.record) || respelled()
        })
    }
}

impl Session<'_> {
    /// Looks for every update that this list must show.
    pub(super) async fn look_again(&self, list: OperationId) {
        let changed = self.history.changed.borrow().clone();
        for changed in &changed {
            if let Some(law) = self.updated_law(changed.operation, list) {
                self.look_for(list, changed, law).await;
            }
        }
        self.tell_findings();
    }

    fn updated_law(&self, operation: OperationId, list: OperationId) -> Option<&Updated> {
        let law = self.contract.operation(operation).laws.updated.as_ref();
        law.filter(|_| self.contract.updated_in(operation) == Some(list))
    }

    async fn look_for(&self, list: OperationId, changed: &Changed, law: &Updated) {
        let body = changed.request.json().cloned().unwrap_or_default();
        let look = async || self.looked_at(list, changed, law, &|_| false).await;
        let carried = |looked: &Looked| looked.seen.carries(law, &body);
        let looked = self.settled(self.settings.settle, look, carried).await;
        self.judge_change((changed, law), &looked, true);
    }

    /// Looks for one of many updates: first on the page that showed the record last. `sent` is what the updates before
    /// sent of each field last.
    pub(super) async fn look_closely(&self, list: OperationId, changed: &Changed, law: &Updated, sent: &Value) {
        let body = changed.request.json().cloned().unwrap_or_default();
        let before = self.history.latest.borrow().get(&changed.operation).cloned();
        let seen_arrived = |seen: &Seen| seen.arrived(law, &body, (before.as_ref(), sent));
        let arrived = |looked: &Looked| seen_arrived(&looked.seen);
        // Who waited in vain once does not wait that long for each field.
        let in_vain = self.patience.updates_in_vain.get();
        let longest = if in_vain { self.briefly() } else { self.settings.settle };
        let glanced = match &before {
            Some(seen) => self.glance(list, changed, law, seen.page).await,
            None => None,
        };
        let looked = match glanced {
            Some(looked) if arrived(&looked) => looked,
            _ => {
                let look = async || self.looked_at(list, changed, law, &seen_arrived).await;
                let looked = self.settled(longest, look, arrived).await;
                self.patience.updates_in_vain.set(!arrived(&looked));
                looked
            }
        };
        self.judge_change((changed, law), &looked, !in_vain);
        self.tell_findings();
    }

    /// Looks at one page alone; none where it does not show the record.
    async fn glance(&self, list: OperationId, changed: &Changed, law: &Updated, page: Option<u64>) -> Option<Looked> {
        let body = changed.request.json().cloned().unwrap_or_default();
        let seen: RefCell<Seen> = RefCell::default();
        let found = |item: Item<'_>| {
            self.sight_change(list, changed, item, (law, &body, &seen));
            false
        };
        self.expect(1);
        let (page, _) = self.page(list, page, &found).await.ok()?;
        let seen = seen.into_inner();
        let walk = Walk {
            operation: list,
            pages: vec![page],
            end: WalkEnd::Found,
            most: self.settings.max_pages,
            steadiness: Steadiness::Unknown,
        };
        seen.record.is_some().then_some(Looked { seen, walk })
    }

    /// Looks through the list once, to its end or until it has shown `enough`.
    async fn looked_at(
        &self,
        list: OperationId,
        changed: &Changed,
        law: &Updated,
        enough: &dyn Fn(&Seen) -> bool,
    ) -> Looked {
        let body = changed.request.json().cloned().unwrap_or_default();
        let seen: RefCell<Seen> = RefCell::default();
        let found = |item: Item<'_>| {
            self.sight_change(list, changed, item, (law, &body, &seen));
            enough(&seen.borrow())
        };
        let walk = self.walk(list, Order::BothEnds, &found).await;
        let seen = seen.into_inner();
        Looked { seen, walk }
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
            // A record that moves while the list is walked may be met twice, as it was and as it is.
            if !seen.borrow().carries(law, body) {
                seen.borrow_mut().record = Some(Sighted::new(item, item.value, ""));
            }
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
    pub(super) fn shows_mark(&self, carry: &Carry, body: &Value, item: &Value) -> bool {
        let mark = self.settings.mark.as_str();
        let sent = pointer::select(body, &carry.sent);
        let marked = sent
            .into_iter()
            .filter(|sent| sent.as_str().is_some_and(|text| text.contains(mark)));
        let kept = pointer::select(item, &carry.kept);
        marked.into_iter().any(|sent| kept.contains(&sent))
    }

    /// Judges what a look shows of an update; `settled` where it was late enough to say that something is not there.
    fn judge_change(&self, (changed, law): (&Changed, &Updated), Looked { seen, walk }: &Looked, settled: bool) {
        if let Some(record) = &seen.record {
            self.history
                .latest
                .borrow_mut()
                .insert(changed.operation, record.clone());
        }
        // While the record itself is not seen, another item may be it under another id.
        let elsewhere = seen.elsewhere.as_ref().filter(|_| seen.record.is_some());
        let updating = Updating {
            contract: self.contract,
            operation: changed.operation,
            law,
            request: &changed.request,
            listed: seen.record.as_ref().map(|seen| (&seen.record, seen.pointer.as_str())),
            elsewhere: elsewhere.map(|seen| seen.pointer.as_str()),
            gone: seen.record.is_none() && settled && walk.end == WalkEnd::Complete && !walk.changed(),
            end: walk.end,
            most: walk.most,
        };
        let last = walk.last_request(self.contract);
        let shown = elsewhere.or(seen.record.as_ref()).map(|seen| &seen.request);
        let request = shown.or(last.as_ref()).unwrap_or(&changed.request);
        self.judged(|judge| judge.updating(&updating, request));
    }
}
