//! Reads with each optional parameter of the query by itself, and a list with values that its filters must tell apart.
//!
//! # Design
//!
//! A response to a filter proves most if the list has items with its value and items with another one: the list is then
//! asked for the value that it showed last, which is the likeliest to be there still. If all items have the same value,
//! the list is asked for another value, for which it must return none of them, and for theirs. So a filter costs at
//! most one more request than any other parameter.

use serde_json::Value;

use super::session::Session;
use crate::contract::filters::{Filter, FilterValues};
use crate::contract::operation::OperationId;
use crate::plan::optional;

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
        let values: Vec<_> = optional
            .flat_map(|(parameter, made_up)| self.optional_values(operation, (parameter, made_up)))
            .collect();
        self.expect_requests(u64::try_from(values.len()).unwrap_or(u64::MAX).saturating_sub(1));
        for value in values {
            let Some(mut head) = self.request_head_if_any(operation) else {
                return;
            };
            if head.add_optional(self.contract, operation, &value).is_ok() {
                self.call(self.documented_call(operation, head)).await;
            }
        }
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
        FilterValues::Integer | FilterValues::Uuid => {
            let other = (shown.len() < 2).then(|| of(made_up.clone(), false));
            let last = shown.first().map(|value| of(value.clone(), true));
            other.into_iter().chain(last).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(values: FilterValues, shown: &[Value], made_up: &Value) -> Vec<(Value, bool)> {
        let filter = Filter {
            parameter: 0,
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
        assert_eq!(
            sent(FilterValues::Integer, &[json!(7), json!(8)], &json!(1)),
            [(json!(7), true)]
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
        for values in [values, FilterValues::Integer, FilterValues::Uuid] {
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
