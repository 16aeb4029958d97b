//! Finds lists that say that they have one page and state another total than the number of its records. The main type
//! is [`WrongTotals`].
//!
//! # Design
//!
//! A total may be a moment old, and a record may be deleted between the count and the query for the records. So the run
//! sends such a request again after a while, and only what several responses in a row state, without a write of the run
//! in between, is evidence. A list is also known to have one page if a filter is all that its query has, and without it
//! the list has just shown as many records as it states.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::evidence::{Evidence, PageSeen, Stability, Walk, WalkEnd};
use super::history::{EvidenceSink, History};
use super::residue::may_have_stored;
use crate::contract::operation::OperationId;
use crate::contract::paging::Paging;
use crate::contract::pointer;
use crate::exchange::{Exchange, Request, query_pairs};

/// How many responses must state the same wrong total, without a write of the run in between, before it counts.
pub(crate) const SAME_TOTALS_TO_COUNT: usize = 3;

/// What lists have stated about their totals since the last write of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct WrongTotals {
    /// What the last responses that are the only page state against it, by their requests.
    wrong: BTreeMap<(OperationId, String), WrongTotal>,
    /// The lists that have shown as many records as they state, by their paths.
    whole: BTreeSet<(OperationId, String)>,
}

/// A total that differs from the number of records of a list's only page.
#[derive(Clone, Debug)]
struct WrongTotal {
    request: Request,
    total: i64,
    count: usize,
    /// How many responses have shown both, one after the other.
    seen: usize,
}

impl History<'_> {
    /// Remembers a response that says that it is the only page of a list and states another total than the number of its
    /// records. Emits the evidence once enough responses have shown the same.
    pub(super) fn note_total_of_only_page(
        &mut self,
        (exchange, has_link): (&Exchange, bool),
        (paging, body): (&Paging, &Value),
        emit: EvidenceSink<'_>,
    ) {
        let request = &exchange.request;
        let list = request.operation;
        let is_paged = query_pairs(&request.path).any(|(name, _)| self.contract.is_of_paging(list, &name));
        let is_known_to_be_only = self.is_filtered_part_of_whole(request);
        let total = paging.total_against_only_page(body, is_known_to_be_only);
        let total = total.filter(|_| !is_paged && !has_link);
        let key = (list, request.path.clone());
        let stated = paging.total.as_ref().and_then(|at| pointer::get(body, at));
        if !request.path.contains('?') && !has_link && stated.is_some() && paging.says_that_all_are_shown(body) {
            self.wrong_totals.whole.insert(key.clone());
        }
        let before = self.wrong_totals.wrong.remove(&key);
        let items = pointer::get(body, &paging.items).and_then(Value::as_array);
        let (Some(total), Some(items)) = (total, items) else {
            return;
        };
        let seen = before.filter(|before| (before.total, before.count) == (total, items.len()));
        let wrong = WrongTotal {
            request: request.clone(),
            total,
            count: items.len(),
            seen: seen.map_or(1, |before| before.seen + 1),
        };
        if wrong.seen == SAME_TOTALS_TO_COUNT {
            let page = PageSeen {
                asked: None,
                request: Arc::new(request.clone()),
                page: None,
                per_page: None,
                total: Some(total),
                last_page: Some(1),
                has_item_array: true,
                items: vec![None; items.len()],
                latest: None,
                stated_size: None,
            };
            emit(Evidence::Walk(&Walk {
                operation: list,
                pages: vec![page],
                end: WalkEnd::SeenEnough,
                max_pages: 1,
                stability: Stability::Stable,
                is_residue_walk: false,
            }));
        }
        self.wrong_totals.wrong.insert(key, wrong);
    }

    /// Whether a request only filters a list that has just shown all its records in one response.
    fn is_filtered_part_of_whole(&self, request: &Request) -> bool {
        let list = request.operation;
        let parameters = &self.contract.operation(list).parameters;
        let filters = self.contract.filters_of(list);
        let is_filter = |name: &str| {
            let mut named = filters.iter().filter(|filter| !filter.in_path);
            named.any(|filter| parameters[filter.parameter].name == name)
        };
        let whole = request.path.split_once('?').map(|(path, _)| (list, path.to_owned()));
        whole.is_some_and(|whole| self.wrong_totals.whole.contains(&whole))
            && query_pairs(&request.path).all(|(name, _)| is_filter(&name))
    }

    /// Counts a write that may have changed something, and forgets what lists stated before it.
    pub(super) fn note_possible_change(&mut self, write: &Exchange) {
        let is_read = self.contract.operation(write.request.operation).is_get();
        if !is_read && may_have_stored(&write.outcome) != Some(false) {
            self.writes += 1;
            self.wrong_totals = WrongTotals::default();
        }
    }

    /// Returns the requests to send again because of the totals in their responses, one for each list.
    pub(crate) fn totals_to_confirm(&self) -> Vec<Request> {
        let wrong = self.wrong_totals.wrong.iter();
        let mut wrong: Vec<_> = wrong.map(|((list, _), wrong)| (*list, wrong)).collect();
        wrong.sort_by_key(|(list, wrong)| (*list, Reverse(wrong.seen)));
        wrong.dedup_by_key(|(list, _)| *list);
        let wrong = wrong.into_iter().filter(|(_, wrong)| wrong.seen < SAME_TOTALS_TO_COUNT);
        wrong.map(|(_, wrong)| wrong.request.clone()).collect()
    }
}
