//! Looks for the run's own records in the list that must show them, until they are there or `--settle` has passed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::create::text;
use super::session::{Made, Session};
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Created, Listed};
use crate::exchange::Request;
use crate::rules::evidence::{Creation, Sighting, Walk};

/// The first wait before a list is walked again; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(50);

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
        let sightings: RefCell<HashMap<usize, (Value, Request)>> = RefCell::default();
        let started = Instant::now();
        let mut wait = FIRST_WAIT;
        let walk = loop {
            let walk = self
                .walk(list, &|item, request| {
                    self.sight(list, &made, (item, request), &sightings)
                })
                .await;
            let left = self.settings.settle.saturating_sub(started.elapsed());
            if sightings.borrow().len() == made.len() || left.is_zero() {
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

    /// Notes the records that an item is or holds. True once all were seen.
    fn sight(
        &self,
        list: OperationId,
        made: &[Made],
        (item, request): (&Value, &Request),
        sightings: &RefCell<HashMap<usize, (Value, Request)>>,
    ) -> bool {
        let mut sightings = sightings.borrow_mut();
        for (index, made) in made.iter().enumerate() {
            if let Some(record) = self.record_in(list, made, item) {
                sightings.insert(index, (record.clone(), request.clone()));
            }
        }
        sightings.len() == made.len()
    }

    fn record_in<'item>(&self, list: OperationId, made: &Made, item: &'item Value) -> Option<&'item Value> {
        let (created, listed) = law(self.contract, made.operation)?;
        let page = self.contract.operation(list).page.as_ref()?;
        let id = made.resource.pointer(&created.id)?;
        let Some(owner) = &listed.owner else {
            return (item.pointer(&page.id)? == id).then_some(item);
        };
        let (_, owner) = made.path_values.iter().find(|(name, _)| name == owner)?;
        if text(item.pointer(&page.id)?) != text(owner) {
            return None;
        }
        let records = item.pointer(listed.at.as_deref()?)?.as_array()?;
        records.iter().find(|record| record.pointer(&created.id) == Some(id))
    }

    fn judge_sightings(&self, made: &[Made], sightings: &HashMap<usize, (Value, Request)>, walk: &Walk) {
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
                listed: seen.map(|(record, _)| record),
                end: walk.end,
                most: walk.most,
            };
            let last = walk.pages.last().map(|page| &page.request);
            let request = seen.map(|(_, request)| request).or(last).unwrap_or(&made.request);
            self.judge.borrow_mut().sighting(&sighting, request);
        }
        self.tell_findings();
    }
}

fn law(contract: &Contract, operation: OperationId) -> Option<(&Created, &Listed)> {
    let created = contract.operation(operation).laws.created.as_ref()?;
    Some((created, created.listed.as_ref()?))
}
