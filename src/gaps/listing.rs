//! Measures how long lists take to show what was created. The main type is [`ListingDelays`].
//!
//! # Design
//!
//! No response says when a record was listed, so each record gives an interval: the last complete reading of a list
//! that lacked it began at one time after the create's response, and a page that showed it was complete at a later
//! time. Both times are those of the run. The claimed interval contains that of every record that counts. A record for
//! which the run first looked late says less: it counts only if a look still found it absent. Whether any other record
//! counts depends on when the run first looked, and not on what it found, so records that are listed fast are not
//! favoured.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use serde_json::Value;

use super::answer::Claim;
use super::locations::LocationId;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::PageInvariant;
use crate::contract::{Contract, pointer};
use crate::exchange::json::Body;
use crate::exchange::{Digest, Exchange, Response, identifier};

/// A record counts if the run first looked for it within twice the shortest time to the first look for any record, plus
/// this.
const SOON: Duration = Duration::from_millis(100);
/// How many records of a list are looked for at a time. More are not needed to see how late one is.
const MAX_AWAITED: usize = 64;
/// How many records that were shown are kept.
const MAX_SHOWN: usize = 256;

/// What lists have shown of the records that were created.
#[derive(Debug, Default)]
pub(super) struct ListingDelays {
    /// The records that their list has not shown yet, by the list.
    awaited: HashMap<OperationId, Vec<UnlistedRecord>>,
    walks: WalksSeen,
    /// The records that were shown, by the location that the gap concerns.
    shown: BTreeMap<LocationId, Vec<ListedRecord>>,
}

/// A created record that its list has not shown yet.
#[derive(Debug)]
struct UnlistedRecord {
    location: LocationId,
    id: Digest,
    /// Where the list shows the identifiers of such records.
    at: String,
    /// Whether it is inside another record, which may be absent itself.
    is_inside: bool,
    /// The time of the create's response.
    created: Duration,
    /// How long after it the list was requested first.
    first_look: Option<Duration>,
    /// The latest time after it at which the list still lacked the record.
    last_absent: Duration,
}

/// For each list, the walk that began with the latest request for its first page.
#[derive(Debug, Default)]
pub(super) struct WalksSeen(HashMap<OperationId, WalkSeen>);

/// The pages that were seen of a walk, whoever requested them.
#[derive(Debug)]
struct WalkSeen {
    began: Duration,
    /// The number of items and of pages. If either changes, an item that no page shows may have moved from one page to
    /// another.
    size: (Option<u64>, u64),
    pages: BTreeSet<u64>,
}

/// A record that its list has shown. All times are from the create's response on.
#[derive(Debug)]
struct ListedRecord {
    /// When the list was requested first.
    first_look: Duration,
    /// When the record was absent last.
    last_absent: Duration,
    /// When it was shown.
    shown_at: Duration,
}

impl ListingDelays {
    /// Adds the record that a create has made, if its response has the identifier.
    pub(super) fn add_created(
        &mut self,
        contract: &Contract,
        location: LocationId,
        (exchange, body): (&Exchange, &Value),
    ) {
        let operation = exchange.request.operation;
        let created = contract.operation(operation).invariants.created.as_ref();
        let (Some(created), Some(list), Some(ended)) = (
            created,
            contract.list_showing_created_by(operation),
            completed_at(exchange),
        ) else {
            return;
        };
        let (Some(listed), Some(page)) = (&created.listed, &contract.operation(list).page) else {
            return;
        };
        let resource = pointer::get(body, &created.resource);
        let id = resource.and_then(|resource| pointer::get(resource, &created.id));
        let Some(id) = id.filter(|id| identifier(id).is_some()) else {
            return;
        };
        let at = match (&listed.item_parameter, &listed.records_in_item) {
            (None, _) => format!("{}/*{}", page.items, page.id),
            (Some(_), Some(array)) => format!("{}/*{array}/*{}", page.items, created.id),
            (Some(_), None) => return,
        };
        let awaited = self.awaited.entry(list).or_default();
        if awaited.len() < MAX_AWAITED {
            awaited.push(UnlistedRecord {
                location,
                id: Digest::of(id),
                at,
                is_inside: listed.item_parameter.is_some(),
                created: ended,
                first_look: None,
                last_absent: Duration::ZERO,
            });
        }
    }

    /// Adds a page of a list; one that was requested with any other parameter does not count.
    pub(super) fn add_page(&mut self, contract: &Contract, exchange: &Exchange, body: &Body) {
        let list = exchange.request.operation;
        let page = contract.operation(list).page.as_ref();
        let awaited = self.awaited.get_mut(&list).filter(|awaited| !awaited.is_empty());
        let (Some(page), Some(awaited), Some(ended)) = (page, awaited, completed_at(exchange)) else {
            return;
        };
        let Some(asked) = requested_page(page, &exchange.request.path) else {
            return;
        };
        let mut ids: HashMap<String, BTreeSet<Digest>> = HashMap::new();
        awaited.retain_mut(|record| {
            if exchange.sent_after >= record.created {
                record.first_look.get_or_insert(exchange.sent_after - record.created);
            }
            let shown = ids.entry(record.at.clone()).or_insert_with(|| {
                let ids = pointer::select(&body.value, &record.at).into_iter();
                ids.map(Digest::of).collect()
            });
            let is_shown = shown.contains(&record.id);
            if is_shown {
                let shown = self.shown.entry(record.location).or_default();
                if shown.len() < MAX_SHOWN {
                    shown.push(record.shown(ended));
                }
            }
            !is_shown
        });
        let Some(began) = self
            .walks
            .add_page((list, page), (asked, exchange.sent_after), &body.value)
        else {
            return;
        };
        let awaited = self.awaited.get_mut(&list).into_iter().flatten();
        for record in awaited.filter(|record| !record.is_inside && began >= record.created) {
            record.last_absent = record.last_absent.max(began - record.created);
        }
    }

    /// Returns what was seen at each location: the interval, the number of records that it covers, and the number of
    /// those that were absent even later.
    pub(super) fn observed(&self) -> impl Iterator<Item = (LocationId, Claim, u64, u64)> {
        self.shown.iter().filter_map(|(location, shown)| {
            let soonest = shown.iter().map(|shown| shown.first_look).min()?;
            let is_counted = |shown: &&ListedRecord| {
                shown.first_look <= soonest.saturating_mul(2).saturating_add(SOON) || !shown.last_absent.is_zero()
            };
            let counted = || shown.iter().filter(is_counted);
            let from = counted().map(|shown| shown.last_absent).min()?;
            let to = counted().map(|shown| shown.shown_at).max()?;
            let is_later = |record: &&UnlistedRecord| record.location == *location && record.last_absent > to;
            let later = self.awaited.values().flatten().filter(is_later).count();
            let count = |number| u64::try_from(number).unwrap_or(u64::MAX);
            Some((
                *location,
                Claim::duration(from, to),
                count(counted().count()),
                count(later),
            ))
        })
    }
}

impl WalksSeen {
    /// Adds a page of a list: its number, and when it was requested. Once every page was seen of a list whose size did
    /// not change, returns when the first of them was requested.
    pub(super) fn add_page(
        &mut self,
        (list, page): (OperationId, &PageInvariant),
        (asked, sent): (u64, Duration),
        body: &Value,
    ) -> Option<Duration> {
        let number = |at: &str| pointer::get(body, at).and_then(Value::as_u64);
        let size = (number(&page.total), number(&page.last_page).unwrap_or(1).max(1));
        if asked == 1 {
            let pages = BTreeSet::new();
            let walk = WalkSeen {
                began: sent,
                size,
                pages,
            };
            self.0.insert(list, walk);
        }
        let walk = self.0.get_mut(&list)?;
        // What a list returns for a page beyond its last is not part of the list.
        if (1..=size.1).contains(&asked) {
            walk.pages.insert(asked);
        }
        let was_stable = walk.size == size;
        let is_whole = u64::try_from(walk.pages.len()).is_ok_and(|count| count == size.1);
        if was_stable && !is_whole {
            return None;
        }
        let began = walk.began;
        self.0.remove(&list);
        was_stable.then_some(began)
    }
}

impl UnlistedRecord {
    /// Returns what is known about the record, given that the page that shows it was complete at `ended`.
    fn shown(&self, ended: Duration) -> ListedRecord {
        ListedRecord {
            first_look: self.first_look.unwrap_or_default(),
            last_absent: self.last_absent,
            shown_at: ended.saturating_sub(self.created),
        }
    }
}

/// Returns when the response was complete; `None` where there is none.
pub(super) fn completed_at(exchange: &Exchange) -> Option<Duration> {
    let elapsed = |response: &Response| exchange.sent_after.saturating_add(response.elapsed);
    exchange.response().map(elapsed)
}

/// Returns the number of the page that a request asks for, which is 1 by default; `None` where it asks for anything
/// else too, such as certain items.
pub(super) fn requested_page(page: &PageInvariant, path: &str) -> Option<u64> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let pairs: Vec<_> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    match pairs.as_slice() {
        [] => Some(1),
        [pair] => {
            let (name, value) = pair.split_once('=')?;
            (name == page.parameter).then(|| value.parse().ok()).flatten()
        }
        _ => None,
    }
}
