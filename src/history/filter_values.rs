//! Remembers which values the items of a list have in the properties that it can be filtered by, so that it is filtered
//! by a value that proves something. The main type is [`ShownFilterValues`].

use std::collections::HashMap;

use serde_json::Value;

use super::history::History;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::Exchange;

/// How many different values of one property are kept: two show that the items differ.
const MAX_VALUES: usize = 8;
/// The maximum length of a value in a query, in bytes.
const MAX_LENGTH: usize = 200;

/// The values that the items of lists have in properties, by the list and the index of the parameter that filters by
/// the property; the most recent last.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownFilterValues(HashMap<(OperationId, usize), Vec<Value>>);

impl ShownFilterValues {
    fn note(&mut self, filter: (OperationId, usize), value: Value) {
        let is_short = value.as_str().is_none_or(|text| text.len() <= MAX_LENGTH);
        let shown = self.0.entry(filter).or_default();
        shown.retain(|other| *other != value);
        if is_short {
            shown.push(value);
        }
        if shown.len() > MAX_VALUES {
            shown.remove(0);
        }
    }
}

impl History<'_> {
    /// Remembers the values in a list's success by which the list can be filtered.
    pub(super) fn note_filter_values(&mut self, exchange: &Exchange, body: &Value) {
        let list = exchange.request.operation;
        let filters = self.contract.filters_of(list).iter();
        for filter in filters.filter(|filter| !filter.in_path) {
            for value in pointer::select(body, &filter.property) {
                if let Some(value) = filter.values.shown(value) {
                    self.shown_filter_values.note((list, filter.parameter), value);
                }
            }
        }
    }

    /// Returns the different values that a list has shown in the property that it filters by with this parameter, the
    /// last one first.
    pub(crate) fn shown_filter_values(&self, list: OperationId, parameter: usize) -> impl Iterator<Item = &Value> {
        let shown = self.shown_filter_values.0.get(&(list, parameter));
        shown.into_iter().flatten().rev()
    }
}
