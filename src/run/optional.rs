//! Reads with each optional parameter of the query by itself, and a list with values that its filters must tell apart.
//!
//! # Design
//!
//! A response to a filter proves most if the list has items with its value and items with another one: the list is then
//! asked for the value that it showed last, which is the likeliest to be there still. If all items have the same value,
//! the list is asked for another value, for which it must return none of them, and for theirs. A list that is filtered
//! by an identifier is always asked for an unknown one too, and one that is filtered by an exact text also for a part of
//! that text. So a filter costs at most one more request than any other parameter. Where the document says that filters
//! are combined, two of them are sent together. A list that can be sorted is sorted in both directions, by the property
//! that shows most.

use serde_json::Value;

use super::session::{Call, Session};
use crate::contract::fact::FactKind;
use crate::contract::filters::{Filter, FilterValues};
use crate::contract::operation::OperationId;
use crate::exchange::{Credential, Purpose, RejectionMeaning, Request};
use crate::history::SAME_TOTALS_TO_COUNT;
use crate::plan::optional;

/// How far the number of an unknown record is beyond those that a list has shown.
const BEYOND_KNOWN_NUMBERS: i64 = 1_000_003;

/// The minimum length of the beginning of a text that is sent in place of the text, in bytes.
const MIN_PART: usize = 5;

/// A value for an optional parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OptionalValue {
    /// The index of the parameter.
    pub(super) parameter: usize,
    /// The value.
    pub(super) value: Value,
    /// Whether only the target has shown it, so that it is not printed.
    pub(super) is_from_target: bool,
}

impl Session<'_> {
    /// Reads with each optional query parameter by itself. A rejection may be due to what the
    /// document does not say: which values are allowed, or which other parameters are needed.
    pub(super) async fn read_optional(&self, operation: OperationId) {
        let optional = optional::optional(self.contract, operation).into_iter();
        let mut requests = Vec::new();
        let mut alone = Vec::new();
        for (parameter, made_up) in optional {
            let sorted = self.values_to_sort_by(operation, parameter);
            if sorted.is_empty() {
                let values = self.optional_values(operation, (parameter, made_up));
                requests.extend(values.iter().cloned().map(|value| vec![value]));
                alone.extend(values);
            } else {
                requests.extend(sorted);
            }
        }
        requests.extend(self.values_together(operation, &alone));
        self.expect_requests(u64::try_from(requests.len()).unwrap_or(u64::MAX).saturating_sub(1));
        let mut filtered = None;
        for values in requests {
            let Some(mut head) = self.request_head_if_any(operation) else {
                return;
            };
            let before = head.rejection_meaning;
            let mut added = values
                .iter()
                .map(|value| head.add_optional(self.contract, operation, value));
            if added.all(|added| added.is_ok()) {
                if self.may_only_find_nothing(operation, &values) && before == RejectionMeaning::Finding {
                    head.rejection_meaning = RejectionMeaning::Gap;
                }
                let (exchange, _) = self.call(self.documented_call(operation, head)).await;
                self.request_again_if_records_are_missing(&exchange.request).await;
                let is_filtered = values.iter().all(|value| self.is_filter(operation, value));
                filtered = filtered.or((is_filtered && exchange.is_success()).then_some(exchange.request));
            }
        }
        if let Some(filtered) = filtered {
            self.filter_without_credential(filtered).await;
        }
        self.confirm_totals().await;
    }

    fn is_filter(&self, operation: OperationId, value: &OptionalValue) -> bool {
        let mut filters = self.contract.filters_of(operation).iter();
        filters.any(|filter| !filter.in_path && filter.parameter == value.parameter)
    }

    /// Requests a filtered list without a credential, where the contract says that the list needs one: what searches may
    /// be other code than what lists.
    async fn filter_without_credential(&self, filtered: Request) {
        let fact = FactKind::RejectsNoCredential;
        if self.plan.learns || self.contract.fact_of(filtered.operation, fact).is_none() {
            return;
        }
        self.expect_requests(1);
        let request = Request {
            credential: Credential::None,
            ..filtered
        };
        let purpose = Purpose::MustBeRejected {
            fact,
            meaning_of_another_rejection: RejectionMeaning::UncertainValue,
        };
        self.call(Call::alone(request, purpose)).await;
    }

    /// Requests each list again that said it has one page and stated another total than the number of its records: the
    /// total may have been a moment old.
    pub(super) async fn confirm_totals(&self) {
        for _ in 1..SAME_TOTALS_TO_COUNT {
            let requests = self.history().totals_to_confirm();
            if requests.is_empty() {
                return;
            }
            tokio::time::sleep(self.wait_for_left_out()).await;
            self.note_still_left_out();
            for request in requests {
                self.expect_requests(1);
                let purpose = Purpose::Documented(RejectionMeaning::UncertainValue);
                Box::pin(self.call(Call::alone(request, purpose))).await;
            }
        }
    }

    /// Returns the values that sort a list, if this parameter does, in both directions.
    fn values_to_sort_by(&self, operation: OperationId, parameter: usize) -> Vec<Vec<OptionalValue>> {
        let sorting = self.contract.sorting_of(operation);
        let sorting = sorting.filter(|sorting| sorting.parameter == parameter);
        let Some(key) = sorting.and_then(|sorting| sorting.keys.first()) else {
            return Vec::new();
        };
        let value = |(parameter, value): &(usize, String)| OptionalValue {
            parameter: *parameter,
            value: Value::from(value.as_str()),
            is_from_target: false,
        };
        let queries = [&key.ascending, &key.descending];
        queries.map(|query| query.iter().map(value).collect()).into()
    }

    /// Whether all that these values can mean is that the list is empty: they name no record that may be missing, and
    /// nor does the path.
    fn may_only_find_nothing(&self, operation: OperationId, values: &[OptionalValue]) -> bool {
        let filters = self.contract.filters_of(operation);
        let names_no_record = |value: &OptionalValue| {
            let mut filters = filters.iter().filter(|filter| filter.parameter == value.parameter);
            filters.any(|filter| !matches!(filter.values, FilterValues::Integer | FilterValues::Uuid))
        };
        !self.contract.operation(operation).path.contains('{') && values.iter().all(names_no_record)
    }

    /// If a list left a record out, requests it again, and then the list that showed the record.
    async fn request_again_if_records_are_missing(&self, narrowed: &Request) {
        let plain = self.history().plain_request_showing_more(narrowed);
        let Some(plain) = plain else { return };
        // What the list filters or sorts by may come from an index, which a record reaches later than the list.
        tokio::time::sleep(self.wait_for_left_out()).await;
        self.expect_requests(2);
        let call = async |request: Request| {
            let purpose = Purpose::Documented(RejectionMeaning::UncertainValue);
            self.call(Call::alone(request, purpose)).await;
        };
        call(narrowed.clone()).await;
        if self.history().plain_request_showing_more(narrowed).is_some() {
            self.note_still_left_out();
        }
        call(plain).await;
    }

    /// Returns the values of two filters to send together, if the document says that a list has only what both ask for.
    fn values_together(&self, operation: OperationId, alone: &[OptionalValue]) -> Option<Vec<OptionalValue>> {
        let filters = self.contract.filters_of(operation);
        // The last value of each filter is the one that the list has shown.
        let last = |filter: &Filter| alone.iter().rfind(|value| value.parameter == filter.parameter).cloned();
        let is_switch = |filter: &&Filter| matches!(filter.values, FilterValues::Boolean { .. });
        let others = filters.iter().filter(|filter| !is_switch(filter));
        let values: Vec<_> = others
            .chain(filters.iter().filter(is_switch))
            .filter_map(last)
            .take(2)
            .collect();
        (values.len() == 2 && self.contract.combines_filters(operation)).then_some(values)
    }

    /// Returns the values to send for a parameter, in this order: for a filter those of [`values`], for any other
    /// parameter the one that was made up for it.
    fn optional_values(&self, operation: OperationId, (parameter, made_up): (usize, Value)) -> Vec<OptionalValue> {
        let mut filters = self.contract.filters_of(operation).iter();
        let filter = filters.find(|filter| filter.parameter == parameter);
        let chosen = filter.map(|filter| {
            let history = self.history();
            let shown: Vec<_> = history.shown_filter_values(operation, parameter).cloned().collect();
            values(filter, &shown, &made_up)
        });
        chosen.unwrap_or_else(|| {
            vec![OptionalValue {
                parameter,
                value: made_up,
                is_from_target: false,
            }]
        })
    }
}

/// Returns the values to send for a filter, given the values that its list has shown, the last one first.
fn values(filter: &Filter, shown: &[Value], made_up: &Value) -> Vec<OptionalValue> {
    let of = |value: Value, is_from_target| OptionalValue {
        parameter: filter.parameter,
        value,
        is_from_target,
    };
    // A service that knows no such record must not list others instead.
    let other_and_last = |other: OptionalValue| {
        let last = shown.first().filter(|value| **value != other.value).cloned();
        [other].into_iter().chain(last.map(|value| of(value, true))).collect()
    };
    match &filter.values {
        FilterValues::Boolean { also_false } => {
            let both = [Some(true), also_false.then_some(false)];
            both.into_iter()
                .flatten()
                .map(|value| of(Value::Bool(value), false))
                .collect()
        }
        FilterValues::Enum { asked, .. } => {
            let values: Vec<_> = asked.iter().map(|value| Value::from(value.as_str())).collect();
            let last = shown.iter().find(|value| values.contains(value));
            // None of the items that were shown has it.
            let other = values
                .iter()
                .find(|value| !shown.contains(value))
                .filter(|_| shown.len() == 1);
            let chosen: Vec<_> = other.into_iter().chain(last).collect();
            let chosen = if chosen.is_empty() { vec![made_up] } else { chosen };
            chosen.into_iter().map(|value| of(value.clone(), false)).collect()
        }
        FilterValues::Integer => {
            let largest = shown.iter().filter_map(Value::as_i64).max();
            let unknown = largest.and_then(|largest| largest.checked_add(BEYOND_KNOWN_NUMBERS));
            let unknown = unknown.filter(|number| i32::try_from(*number).is_ok());
            let unknown = unknown.map_or_else(|| of(made_up.clone(), false), |number| of(number.into(), true));
            other_and_last(unknown)
        }
        FilterValues::Text => {
            let known = shown
                .iter()
                .find_map(|value| Some((value, shortened(value.as_str()?)?)));
            let Some((whole, part)) = known else {
                return vec![of(made_up.clone(), false)];
            };
            vec![of(part.into(), true), of(whole.clone(), true)]
        }
        FilterValues::Uuid => other_and_last(of(made_up.clone(), false)),
    }
}

/// Returns the beginning of a text that is long enough to be hardly another record's whole text; `None` if the text is
/// too short for that, or has characters that a service may treat in another way.
fn shortened(text: &str) -> Option<&str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '-' | '_' | '.');
    let part = text.get(..text.len().checked_sub(2)?)?.trim_end();
    (text.chars().all(is_plain) && part.len() >= MIN_PART).then_some(part)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(values: FilterValues, shown: &[Value], made_up: &Value) -> Vec<(Value, bool)> {
        let filter = Filter {
            parameter: 0,
            in_path: false,
            property: "/*/a".to_owned(),
            values,
        };
        let values = super::values(&filter, shown, made_up).into_iter();
        values.map(|value| (value.value, value.is_from_target)).collect()
    }

    fn strings(values: &[&str]) -> FilterValues {
        let asked: Vec<_> = values.iter().map(|value| (*value).to_owned()).collect();
        FilterValues::Enum {
            documented: asked.clone(),
            asked,
        }
    }

    #[test]
    fn a_value_that_not_all_items_have_is_enough() {
        let values = strings(&["a", "b", "c"]);
        let shown = [json!("lost"), json!("b"), json!("c")];
        assert_eq!(sent(values, &shown, &json!("a")), [(json!("b"), false)]);
    }

    #[test]
    fn an_identifier_is_sent_after_an_unknown_one() {
        assert_eq!(
            sent(FilterValues::Integer, &[json!(7), json!(8)], &json!(1)),
            [(json!(8 + BEYOND_KNOWN_NUMBERS), true), (json!(7), true)]
        );
        let huge = [json!(i64::from(i32::MAX))];
        assert_eq!(
            sent(FilterValues::Integer, &huge, &json!(1)),
            [(json!(1), false), (huge[0].clone(), true)]
        );
        assert_eq!(
            sent(FilterValues::Uuid, &[json!("u"), json!("v")], &json!("m")),
            [(json!("m"), false), (json!("u"), true)]
        );
    }

    #[test]
    fn an_exact_text_is_sent_after_a_part_of_it() {
        let shown = [json!("short"), json!("100 % other"), json!("SN-00471")];
        assert_eq!(
            sent(FilterValues::Text, &shown, &json!("made up")),
            [(json!("SN-004"), true), (json!("SN-00471"), true)]
        );
        assert_eq!(
            sent(FilterValues::Text, &shown[..2], &json!("made up")),
            [(json!("made up"), false)]
        );
    }

    #[test]
    fn a_value_that_all_items_have_is_sent_after_another_one() {
        let values = strings(&["a", "b"]);
        assert_eq!(
            sent(values, &[json!("a")], &json!("a")),
            [(json!("b"), false), (json!("a"), false)]
        );
        assert_eq!(
            sent(FilterValues::Uuid, &[json!("u")], &json!("m")),
            [(json!("m"), false), (json!("u"), true)]
        );
    }

    #[test]
    fn a_list_that_showed_nothing_is_asked_for_what_was_made_up() {
        let values = strings(&["a", "b"]);
        for values in [values, FilterValues::Integer, FilterValues::Text, FilterValues::Uuid] {
            assert_eq!(sent(values, &[], &json!("b")), [(json!("b"), false)]);
        }
    }

    #[test]
    fn a_boolean_is_sent_both_ways_unless_false_only_switches_it_off() {
        let both = FilterValues::Boolean { also_false: true };
        assert_eq!(
            sent(both, &[], &json!(false)),
            [(json!(true), false), (json!(false), false)]
        );
        let one = FilterValues::Boolean { also_false: false };
        assert_eq!(sent(one, &[json!(false)], &json!(false)), [(json!(true), false)]);
    }
}
