//! Looks for the run's own records in the list that must show them, until they are there or `--settle` has passed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::create::text;
use super::session::{Made, Session};
use super::walk::Item;
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Created, Listed};
use crate::exchange::Request;
use crate::rules::evidence::{Creation, Sighting, Walk, WalkEnd};

/// The first wait before a list is walked again; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// A record of this run as its list shows it.
struct Sighted {
    record: Value,
    /// Its pointer in the answer.
    pointer: String,
    request: Request,
}

impl Session<'_> {
    /// Looks for every record that this list must show.
    pub(super) async fn look(&self, list: OperationId) {
        let made: Vec<_> = self
            .made
            .borrow()
            .iter()
            .filter(|made| self.listed_in(made, list))
            .cloned()
            .collect();
        if made.is_empty() {
            return;
        }
        // What has no identifier cannot be found, so it is not waited for.
        let findable = made.iter().filter(|made| self.identifier(made).is_some()).count();
        let sightings: RefCell<HashMap<usize, Sighted>> = RefCell::default();
        let started = Instant::now();
        let mut wait = FIRST_WAIT;
        let walk = loop {
            let walk = self
                .walk(list, &|item| {
                    self.sight(list, &made, item, &sightings);
                    sightings.borrow().len() == findable
                })
                .await;
            let left = self.settings.settle.saturating_sub(started.elapsed());
            if sightings.borrow().len() == findable || left.is_zero() {
                break walk;
            }
            tokio::time::sleep(wait.min(left)).await;
            wait *= 2;
        };
        self.judge_sightings(&made, &sightings.into_inner(), &walk);
    }

    fn listed_in(&self, made: &Made, list: OperationId) -> bool {
        law(self.contract, made.operation)
            .is_some_and(|(_, listed)| self.contract.operation_named(&listed.operation) == Some(list))
    }

    fn identifier<'made>(&self, made: &'made Made) -> Option<&'made Value> {
        let (created, _) = law(self.contract, made.operation)?;
        made.resource.pointer(&created.id).filter(|id| !id.is_null())
    }

    /// Notes the records that an item is or holds.
    fn sight(&self, list: OperationId, made: &[Made], item: Item<'_>, sightings: &RefCell<HashMap<usize, Sighted>>) {
        let (items, position) = item.at;
        for (index, made) in made.iter().enumerate() {
            if let Some((record, below)) = self.record_in(list, made, item.value) {
                let sighted = Sighted {
                    record: record.clone(),
                    pointer: format!("{items}/{position}{below}"),
                    request: item.request.clone(),
                };
                sightings.borrow_mut().insert(index, sighted);
            }
        }
    }

    /// The created record that an item is or holds, with its pointer in the item.
    fn record_in<'item>(&self, list: OperationId, made: &Made, item: &'item Value) -> Option<(&'item Value, String)> {
        let (created, listed) = law(self.contract, made.operation)?;
        let page = self.contract.operation(list).page.as_ref()?;
        let id = self.identifier(made)?;
        let Some(owner) = &listed.owner else {
            return (item.pointer(&page.id)? == id).then(|| (item, String::new()));
        };
        let (_, owner) = made.path_values.iter().find(|(name, _)| name == owner)?;
        if text(item.pointer(&page.id)?) != text(owner) {
            return None;
        }
        let at = listed.at.as_deref()?;
        let records = item.pointer(at)?.as_array()?;
        let index = records
            .iter()
            .position(|record| record.pointer(&created.id) == Some(id))?;
        Some((&records[index], format!("{at}/{index}")))
    }

    fn judge_sightings(&self, made: &[Made], sightings: &HashMap<usize, Sighted>, walk: &Walk) {
        for (index, made) in made.iter().enumerate() {
            let Some((law, _)) = law(self.contract, made.operation) else {
                continue;
            };
            let creation = Creation {
                contract: self.contract,
                operation: made.operation,
                law,
                request: &made.request,
                resource: &made.resource,
                seen_before: made.seen_before,
            };
            let seen = sightings.get(&index);
            let sighting = Sighting {
                creation,
                listed: seen.map(|seen| (&seen.record, seen.pointer.as_str())),
                end: self.identifier(made).map_or(WalkEnd::Broken, |_| walk.end),
                changed: walk.changed(),
                most: walk.most,
            };
            let last = walk.pages.last().map(|page| &page.request);
            let request = seen.map(|seen| &seen.request).or(last).unwrap_or(&made.request);
            self.judge.borrow_mut().sighting(&sighting, request);
        }
        self.tell_findings();
    }
}

fn law(contract: &Contract, operation: OperationId) -> Option<(&Created, &Listed)> {
    let created = contract.operation(operation).laws.created.as_ref()?;
    Some((created, created.listed.as_ref()?))
}
