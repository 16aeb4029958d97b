//! Looks for the run's own records in the list that must show them, until they are there or `--settle` has passed.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::create::text;
use super::history::Made;
use super::session::Session;
use super::walk::{Item, Order};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Created, Listed};
use crate::contract::{Contract, pointer};
use crate::exchange::{Request, identifier};
use crate::rules::carries_all;
use crate::rules::evidence::{Creation, Sighting, Walk};

/// A record of this run as its list shows it.
#[derive(Clone, Debug)]
pub(super) struct Sighted {
    pub(super) record: Value,
    /// Its marked pointer in the answer.
    pub(super) pointer: String,
    /// The page that was asked for; none for the default.
    pub(super) page: Option<u64>,
    pub(super) request: Request,
}

impl Sighted {
    /// A value within an item, and its pointer there.
    pub(super) fn new(item: Item<'_>, record: &Value, below: &str) -> Self {
        let (items, position) = item.at;
        let pointer = format!("{}{below}", pointer::element(items, position));
        Self {
            record: record.clone(),
            pointer,
            page: item.page,
            request: item.request.clone(),
        }
    }
}

/// What a walk showed of the records that are looked for, by their place among them.
#[derive(Default)]
struct Sightings {
    /// The item that each belongs in was seen, so that another is another.
    places: HashSet<usize>,
    /// Those that this walk has found.
    now: HashSet<usize>,
    found: HashMap<usize, Sighted>,
    elsewhere: HashMap<usize, Sighted>,
}

impl Session<'_> {
    /// Looks for every record that this list must show.
    pub(super) async fn look(&self, list: OperationId) {
        let made: Vec<_> = self
            .history
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
        // What may show in the wrong place is looked for in every place.
        let everywhere = made
            .iter()
            .any(|made| law(self.contract, made.operation).is_some_and(|(_, listed)| listed.owner.is_some()));
        let sightings: RefCell<Sightings> = RefCell::default();
        let look = async || {
            sightings.borrow_mut().now.clear();
            self.walk(list, Order::BothEnds, &|item| {
                self.sight(list, &made, item, &sightings);
                // What a record holds may be gone at the end: an update may replace it.
                self.count_item(list, item);
                !everywhere && sightings.borrow().now.len() == findable
            })
            .await
        };
        let enough = |_: &Walk| {
            let sightings = sightings.borrow();
            sightings.found.len() == findable && self.all_carry(&made, &sightings)
        };
        let walk = self.settled(self.settings.settle, look, enough).await;
        self.judge_sightings(&made, &sightings.into_inner(), &walk);
    }

    /// Whether each record that was found carries what was sent.
    fn all_carry(&self, made: &[Made], sightings: &Sightings) -> bool {
        let mut found = sightings.found.iter();
        found.all(|(index, seen)| self.carries(&made[*index], seen))
    }

    /// Whether a record is listed with what was sent.
    pub(super) fn carries(&self, made: &Made, seen: &Sighted) -> bool {
        let body = made.request.json().unwrap_or(&Value::Null);
        law(self.contract, made.operation).is_none_or(|(created, _)| carries_all(&created.carries, body, &seen.record))
    }

    fn listed_in(&self, made: &Made, list: OperationId) -> bool {
        self.contract.created_in(made.operation) == Some(list)
    }

    fn identifier<'made>(&self, made: &'made Made) -> Option<&'made Value> {
        let (created, _) = law(self.contract, made.operation)?;
        made.resource.pointer(&created.id).filter(|id| identifier(id).is_some())
    }

    /// Notes the records that an item is or holds.
    fn sight(&self, list: OperationId, made: &[Made], item: Item<'_>, sightings: &RefCell<Sightings>) {
        let mut sightings = sightings.borrow_mut();
        for (index, made) in made.iter().enumerate() {
            let in_place = self.belongs_in(list, made, item.value);
            if in_place {
                sightings.places.insert(index);
            }
            if let Some((record, below)) = self.record_in(made, item.value, in_place) {
                let sighted = Sighted::new(item, record, &below);
                if in_place {
                    sightings.now.insert(index);
                    sightings.found.insert(index, sighted);
                } else {
                    sightings.elsewhere.insert(index, sighted);
                }
            } else if let Some(below) = self.text_in(made, item.value).filter(|_| !in_place) {
                sightings
                    .elsewhere
                    .insert(index, Sighted::new(item, item.value, &below));
            }
        }
    }

    /// Where an item holds a text of the created record, under whichever identifier: a text with the run's mark in it,
    /// which nobody else would have sent.
    fn text_in(&self, made: &Made, item: &Value) -> Option<String> {
        let (created, listed) = law(self.contract, made.operation)?;
        let at = listed.at.as_deref().filter(|_| listed.owner.is_some())?;
        let records = item.pointer(at)?.as_array()?;
        let body = made.request.json()?;
        let strict = || created.carries.iter().filter(|carry| carry.gap.is_none());
        let index = records
            .iter()
            .position(|record| strict().any(|carry| self.shows_mark(carry, body, record)))?;
        Some(pointer::element(at, index))
    }

    /// Whether an item is the record, or its owner.
    pub(super) fn belongs_in(&self, list: OperationId, made: &Made, item: &Value) -> bool {
        let id = self
            .contract
            .operation(list)
            .page
            .as_ref()
            .and_then(|page| item.pointer(&page.id));
        let listed = law(self.contract, made.operation).map(|(_, listed)| listed);
        match listed.and_then(|listed| listed.owner.as_ref()) {
            None => id.is_some() && id == self.identifier(made),
            Some(owner) => {
                let owner = made.path_values.iter().find(|(name, _)| name == owner);
                id.zip(owner).is_some_and(|(id, (_, owner))| text(id) == text(owner))
            }
        }
    }

    /// The created record that an item is or holds, and its pointer in the item.
    pub(super) fn record_in<'item>(
        &self,
        made: &Made,
        item: &'item Value,
        in_place: bool,
    ) -> Option<(&'item Value, String)> {
        let (created, listed) = law(self.contract, made.operation)?;
        if listed.owner.is_none() {
            return in_place.then(|| (item, String::new()));
        }
        let at = listed.at.as_deref()?;
        let id = self.identifier(made)?;
        let records = item.pointer(at)?.as_array()?;
        let index = records
            .iter()
            .position(|record| record.pointer(&created.id) == Some(id))?;
        Some((&records[index], pointer::element(at, index)))
    }

    fn judge_sightings(&self, made: &[Made], sightings: &Sightings, walk: &Walk) {
        let whole = walk.end.reason(walk.most).is_none() && !walk.changed();
        self.note_keeping(made, whole, |index| sightings.found.get(&index));
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
            let seen = sightings.found.get(&index);
            let elsewhere = sightings
                .elsewhere
                .get(&index)
                .filter(|_| sightings.places.contains(&index));
            let sighting = Sighting {
                creation,
                listed: seen.map(|seen| (&seen.record, seen.pointer.as_str())),
                elsewhere: elsewhere.map(|seen| seen.pointer.as_str()),
                end: walk.end,
                changed: walk.changed(),
                most: walk.most,
            };
            let last = walk.last_request(self.contract);
            let request = elsewhere
                .or(seen)
                .map(|seen| &seen.request)
                .or(last.as_ref())
                .unwrap_or(&made.request);
            self.judged(|judge| judge.sighting(&sighting, request));
        }
        self.tell_findings();
    }
}

pub(super) fn law(contract: &Contract, operation: OperationId) -> Option<(&Created, &Listed)> {
    let created = contract.operation(operation).laws.created.as_ref()?;
    Some((created, created.listed.as_ref()?))
}
