//! Finds what a list leaves out when it is filtered or sorted: a record that it shows before and after without the
//! parameter. The main type is [`PlainLists`].
//!
//! # Design
//!
//! A filtered list that is empty, or too short, breaks no statement about its items. But a record with the value that is
//! asked for, which the same list shows without the filter, must be there if the filtered list says that it is whole.
//! The record may have changed in between, and an index of the service may lag behind. So the run sends the filtered
//! request again after a while, and then the plain one: only what is left out twice and still shown is evidence.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use reqwest::header::LINK;
use serde_json::Value;

use super::evidence::{Evidence, LeftOut};
use super::history::{EvidenceSink, History};
use crate::contract::fact::FactKind;
use crate::contract::filters::Filter;
use crate::contract::operation::OperationId;
use crate::contract::paging::Paging;
use crate::contract::pointer;
use crate::exchange::{Digest, Exchange, Request, identifier, query_pairs};

/// How many records of one list are remembered.
const MAX_RECORDS: usize = 500;

/// What lists show without other parameters than those for pages, by the list and its path, and what they then left
/// out.
#[derive(Clone, Debug, Default)]
pub(super) struct PlainLists {
    shown: HashMap<(OperationId, String), BTreeMap<Digest, PlainRecord>>,
    /// The number of all records that a list states, with the request.
    totals: HashMap<(OperationId, String), (i64, Arc<Request>)>,
    suspected: Vec<Suspicion>,
}

/// A record as a list shows it.
#[derive(Clone, Debug)]
struct PlainRecord {
    /// The last request that showed it.
    request: Arc<Request>,
    /// Its values, by the index of the parameter that filters by them.
    values: Vec<(usize, Value)>,
}

/// A record that a list left out.
#[derive(Clone, Debug)]
struct Suspicion {
    /// The request whose response left it out.
    varied: Request,
    kind: FactKind,
    missing: Missing,
    /// The request that showed it.
    plain: Arc<Request>,
    /// Whether it was left out a second time.
    is_repeated: bool,
}

/// What a list left out.
#[derive(Clone, Debug)]
enum Missing {
    /// A record, which must still have this value of the parameter with this index.
    Record(Digest, Option<(usize, Value)>),
    /// Some of this number of records.
    OfTotal(i64),
}

/// What a response of a list shows.
struct Shown {
    /// Of each item its identifier and its values.
    items: BTreeMap<Digest, Vec<(usize, Value)>>,
    /// The number of all records that it states.
    total: Option<i64>,
    /// Whether it has all records, as far as it says.
    is_whole: bool,
}

impl History<'_> {
    /// Compares the success of a list with what the list has shown with or without parameters.
    pub(super) fn compare_with_plain_list(&mut self, exchange: &Exchange, body: &Value, emit: EvidenceSink<'_>) {
        let list = exchange.request.operation;
        let Some(paging) = self.contract.paging_of(list) else {
            return;
        };
        let Some(items) = items_in(paging, self.contract.filters_of(list), body) else {
            return;
        };
        let has_link = exchange
            .response()
            .is_some_and(|response| response.headers.contains_key(LINK));
        let total = paging.total.as_ref().and_then(|at| pointer::get(body, at)?.as_i64());
        let is_whole = !has_link && paging.says_that_all_are_shown(body);
        let shown = Shown { items, total, is_whole };
        let pairs: Vec<_> = query_pairs(&exchange.request.path)
            .filter(|(name, _)| !self.contract.is_of_paging(list, name))
            .collect();
        self.note_total_of_only_page((exchange, has_link), (paging, body), &mut *emit);
        match pairs.as_slice() {
            [] => self.plain_lists.note_plain(&exchange.request, &shown, emit),
            pairs => {
                if let Some(variation) = self.variation(list, pairs) {
                    self.plain_lists.note_varied(&exchange.request, &shown, &variation);
                }
            }
        }
    }

    /// Returns the kind of fact that the parameters of a list's query are about, and which records the list must show.
    fn variation(&self, list: OperationId, pairs: &[(String, String)]) -> Option<Variation> {
        let parameters = &self.contract.operation(list).parameters;
        if let Some(sorting) = self.contract.sorting_of(list)
            && sorting.is_only(parameters, pairs)
        {
            return Some(Variation {
                kind: FactKind::Sorted(sorting.parameter),
                asked: None,
            });
        }
        let [(name, text)] = pairs else { return None };
        let mut filters = self.contract.filters_of(list).iter();
        let filter = filters.find(|filter| parameters[filter.parameter].name == *name)?;
        Some(Variation {
            kind: FactKind::Filtered(filter.parameter),
            asked: Some((filter.parameter, filter.values.asked(text)?)),
        })
    }

    /// Returns the plain request of a list that showed what the list left out in response to this one.
    pub(crate) fn plain_request_showing_more(&self, varied: &Request) -> Option<Request> {
        let mut suspected = self.plain_lists.suspected.iter();
        let suspicion = suspected.find(|suspicion| suspicion.is_about(varied))?;
        Some((*suspicion.plain).clone())
    }
}

/// What a request asks for besides a page.
struct Variation {
    kind: FactKind,
    /// The index of the parameter, and the value for which a record must be shown; `None` if each must.
    asked: Option<(usize, Value)>,
}

impl Suspicion {
    fn is_about(&self, varied: &Request) -> bool {
        self.varied.operation == varied.operation && self.varied.path == varied.path
    }
}

impl PlainLists {
    /// Adds a response to a request without such parameters. Emits evidence if it still shows what was left out twice.
    fn note_plain(&mut self, request: &Request, shown: &Shown, emit: EvidenceSink<'_>) {
        self.suspected.retain(|suspicion| {
            let plain = &suspicion.plain;
            let is_plain = plain.operation == request.operation && plain.path == request.path;
            if !is_plain || !suspicion.is_repeated {
                return true;
            }
            let is_shown = match &suspicion.missing {
                Missing::Record(record, value) => {
                    let values = shown.items.get(record);
                    values.is_some_and(|values| value.as_ref().is_none_or(|value| values.contains(value)))
                }
                Missing::OfTotal(total) => shown.total >= Some(*total),
            };
            if is_shown {
                let left_out = LeftOut {
                    operation: request.operation,
                    kind: suspicion.kind,
                };
                emit(Evidence::LeftOut(left_out, &suspicion.varied));
            }
            false
        });
        let known = self.shown.entry(key(request)).or_default();
        known.retain(|_, record| record.request.path != request.path);
        let request = Arc::new(request.clone());
        if let Some(total) = shown.total {
            self.totals.insert(key(&request), (total, Arc::clone(&request)));
        }
        for (id, values) in &shown.items {
            if known.len() < MAX_RECORDS || known.contains_key(id) {
                let (request, values) = (Arc::clone(&request), values.clone());
                known.insert(*id, PlainRecord { request, values });
            }
        }
    }

    /// Adds the response to a request with one such parameter.
    fn note_varied(&mut self, request: &Request, shown: &Shown, variation: &Variation) {
        if let Some(at) = self.suspected.iter().position(|suspicion| suspicion.is_about(request)) {
            let is_missing_again = match &self.suspected[at].missing {
                Missing::Record(record, _) => shown.is_whole && !shown.items.contains_key(record),
                Missing::OfTotal(total) => shown.total.is_some_and(|shown| shown < *total),
            };
            match is_missing_again {
                true => self.suspected[at].is_repeated = true,
                false => drop(self.suspected.remove(at)),
            }
        } else if let Some((missing, plain)) = self.missing_in(request, shown, variation) {
            self.suspected.push(Suspicion {
                varied: request.clone(),
                kind: variation.kind,
                missing,
                plain,
                is_repeated: false,
            });
        }
    }

    /// Returns what a response lacks of what the list has shown, and the request that showed it.
    fn missing_in(&self, request: &Request, shown: &Shown, variation: &Variation) -> Option<(Missing, Arc<Request>)> {
        let total = self.totals.get(&key(request)).filter(|_| variation.asked.is_none());
        let total = total.filter(|(total, _)| shown.total.is_some_and(|shown| shown < *total));
        if let Some((total, plain)) = total {
            return Some((Missing::OfTotal(*total), Arc::clone(plain)));
        }
        let known = self.shown.get(&key(request)).filter(|_| shown.is_whole)?;
        let mut left_out = known.iter().filter(|(id, record)| {
            let is_asked = variation
                .asked
                .as_ref()
                .is_none_or(|asked| record.values.contains(asked));
            is_asked && !shown.items.contains_key(id)
        });
        let (id, record) = left_out.next()?;
        let missing = Missing::Record(*id, variation.asked.clone());
        Some((missing, Arc::clone(&record.request)))
    }
}

/// Returns the list of a request, with its path.
fn key(request: &Request) -> (OperationId, String) {
    let path = request.path.split('?').next().unwrap_or_default();
    (request.operation, path.to_owned())
}

/// Returns the items in a response of a list; `None` unless all of them have an identifier.
fn items_in(paging: &Paging, filters: &[Filter], body: &Value) -> Option<BTreeMap<Digest, Vec<(usize, Value)>>> {
    let id = paging.id.as_ref()?;
    let items = pointer::get(body, &paging.items)?.as_array()?;
    let within = format!("{}/*", paging.items);
    let shown = items.iter().map(|item| {
        let id = pointer::get(item, id).filter(|id| identifier(id).is_some())?;
        let value = |filter: &Filter| {
            let property = filter.property.strip_prefix(&within)?;
            let value = filter.values.shown(pointer::get(item, property)?)?;
            Some((filter.parameter, value))
        };
        Some((Digest::of(id), filters.iter().filter_map(value).collect()))
    });
    shown.collect()
}
