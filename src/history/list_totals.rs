//! Notices a create after which the total that its list states does not grow. The main type is [`ListTotals`].
//!
//! # Design
//!
//! A service may overwrite an existing record completely, and return its identifier like that of a new one: nothing in
//! the record, nor in another that the next create returns, shows that it was there before. If it is on a page that
//! nobody has read, only its number shows it: with a record more, the list states a total that is higher by one. So the
//! total in a response of the list before a create is compared with those after it. While they lack a record, nothing
//! is written to the records of the create, and it is not sent again. A total may be late, so it counts from the second
//! such response on, and a later one that has grown ends the doubt. Another client may have deleted a record in
//! between: then the run writes less than it might.
//!
//! Where the first response shows all records, none can be overwritten unseen. A power of ten, such as 10,000, is often
//! the number up to which a service counts.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::history::History;
use crate::contract::operation::{Method, OperationId};
use crate::contract::pointer;
use crate::exchange::Exchange;
use crate::exchange::json::Body;

/// How many responses must lack created records for the total to count: it may be late once.
pub(super) const MIN_LACKING: usize = 2;

/// The totals that lists have stated.
#[derive(Debug, Default)]
pub(super) struct ListTotals(HashMap<OperationId, StatedTotal>);

/// The total that a list has stated, and what was created since.
#[derive(Debug)]
struct StatedTotal {
    /// The path of the request, with its query: another query may select records.
    path: String,
    /// The last total that had every record created before.
    total: i64,
    /// How many records were created since, less those deleted.
    created: i64,
    /// By which operations.
    creates: BTreeSet<OperationId>,
    /// How many responses since the last of them have lacked some.
    lacking: usize,
}

impl StatedTotal {
    /// Adds the total of a further response.
    fn add(&mut self, total: i64) {
        // Without a create of the run, whatever it is now is what later ones are compared with.
        if self.creates.is_empty() || total >= self.total.saturating_add(self.created) {
            self.total = total;
            self.created = 0;
            self.creates.clear();
            self.lacking = 0;
        } else {
            self.lacking += 1;
        }
    }
}

/// Whether a total may be the number up to which a service counts.
fn may_be_limit(total: i64) -> bool {
    (2..=9).any(|exponent| total == 10_i64.pow(exponent))
}

/// Returns a path without its query.
fn without_query(path: &str) -> &str {
    path.split_once('?').map_or(path, |(path, _)| path)
}

impl History<'_> {
    /// Notes the total that a response of a list states.
    pub(super) fn note_stated_total(&mut self, exchange: &Exchange, body: &Body) {
        let list = exchange.request.operation;
        let Some(paging) = self.contract.paging_of(list) else {
            return;
        };
        let total = paging
            .total
            .as_ref()
            .and_then(|at| pointer::get(&body.value, at)?.as_i64());
        let items = pointer::get(&body.value, &paging.items).and_then(Value::as_array);
        let Some((total, items)) = total.zip(items) else {
            return;
        };
        let path = exchange.request.path.as_str();
        let known = self.list_totals.0.get_mut(&list);
        if may_be_limit(total) {
            self.list_totals.0.remove(&list);
        } else if let Some(known) = known {
            if known.path == path {
                known.add(total);
            }
        } else if i64::try_from(items.len()).is_ok_and(|shown| total > shown) && !self.contract.may_hide_records(list) {
            let stated = StatedTotal {
                path: path.to_owned(),
                total,
                created: 0,
                creates: BTreeSet::new(),
                lacking: 0,
            };
            self.list_totals.0.insert(list, stated);
        }
    }

    /// Notes a record that an accepted write has added to a list, or removed from it.
    pub(super) fn note_added_or_removed(&mut self, exchange: &Exchange) {
        let request = &exchange.request;
        let lifecycle = self.contract.lifecycle_of(request.operation);
        let list = lifecycle.and_then(|lifecycle| Some((lifecycle.create, lifecycle.list.as_ref()?.operation)));
        let Some((create, list)) = list else { return };
        let deletes = self.contract.operation(request.operation).method == Method::Delete;
        let creates = create == request.operation && !self.may_have_created_nothing(exchange);
        let Some(stated) = self.list_totals.0.get_mut(&list) else {
            return;
        };
        if deletes {
            stated.created -= 1;
        } else if creates && without_query(&request.path) == without_query(&stated.path) {
            stated.created += 1;
            stated.creates.insert(create);
            stated.lacking = 0;
        }
    }

    /// Returns the list whose total is still to show the records of a create, and whether a response has lacked some of
    /// them.
    pub(crate) fn list_to_count(&self, create: OperationId) -> Option<(OperationId, bool)> {
        let (list, stated) = self.total_to_show(create)?;
        (stated.lacking < MIN_LACKING).then_some((list, stated.lacking > 0))
    }

    /// Returns why a create may have overwritten a record that nobody has seen: as many responses of its list as this,
    /// or more, have stated a total that lacks some that were created.
    pub(crate) fn reason_total_lacks_created(&self, create: OperationId, least: usize) -> Option<String> {
        let (list, _) = self
            .total_to_show(create)
            .filter(|(_, stated)| stated.lacking >= least)?;
        let list = &self.contract.operation(list).name;
        let doubt = format!("the total that {list} states has grown by less than the number of records created");
        Some(self.reason_for_doubt(create, &doubt))
    }

    /// Returns the list whose total has not shown all records of a create yet, and that total.
    fn total_to_show(&self, create: OperationId) -> Option<(OperationId, &StatedTotal)> {
        let list = self.contract.lifecycle_of(create)?.list.as_ref()?.operation;
        let stated = self.list_totals.0.get(&list)?;
        stated.creates.contains(&create).then_some((list, stated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_that_lacks_what_was_created_counts_from_the_second_on_and_until_it_has_grown() {
        let mut stated = StatedTotal {
            path: "/pets".to_owned(),
            total: 25,
            created: 2,
            creates: BTreeSet::from([OperationId(0)]),
            lacking: 0,
        };
        for (total, lacking) in [(25, 1), (26, 2), (27, 0), (24, 0)] {
            stated.add(total);
            assert_eq!(stated.lacking, lacking, "{total}");
        }
        assert_eq!((stated.total, stated.created, stated.creates.len()), (24, 0, 0));
    }

    #[test]
    fn a_power_of_ten_may_be_a_limit() {
        let limits = [1, 10, 25, 99, 100, 101, 1_000, 9_999, 10_000].into_iter();
        assert_eq!(
            limits.filter(|total| may_be_limit(*total)).collect::<Vec<_>>(),
            [100, 1_000, 10_000]
        );
    }
}
