//! Decides whether a record carries what was sent. The main function is [`carries_all`].

use serde_json::Value;

pub(crate) use super::element::{CarriedElements, LostValue};
pub(crate) use super::same::same;
use crate::contract::pointer;
use crate::contract::vocabulary::Carry;

/// Whether a record carries everything in the body that must come back as it was sent. Fields that the record lacks do
/// not count.
pub(crate) fn carries_all(carries: &[Carry], body: &Value, record: &Value) -> bool {
    let strict = carries.iter().filter(|carry| carry.comes_back_as_sent());
    // A missing field is another rule's finding, and waiting does not make it appear.
    let arrived = |carry: &Carry| {
        returned_values(carry, record).is_empty() || lost_value(carries, carry, (body, record)).is_none()
    };
    strict.into_iter().all(arrived)
}

/// Returns where a record shows something else after the same update was sent again: a sent value that it no longer
/// carries, or an array whose sent elements it now has more often. `before` is the record in between, which carries
/// everything. Fields that a service sets itself may change with each update.
pub(crate) fn field_changed_by_repeat(
    carries: &[Carry],
    body: &Value,
    (before, after): (&Value, &Value),
) -> Option<String> {
    let mut strict = carries.iter().filter(|carry| carry.comes_back_as_sent());
    let lost = strict.find(|carry| !carries_all(std::slice::from_ref(carry), body, after));
    let grows = |(name, sent): (&String, &Value)| {
        let array = |record: &'_ Value| record.get(name).and_then(Value::as_array).cloned();
        let (sent, before, after) = (sent.as_array()?, array(before)?, array(after)?);
        let is_repeated = before.len() == sent.len() && after.len() > before.len();
        let has_only_sent = after.iter().all(|element| before.contains(element));
        (is_repeated && has_only_sent).then(|| pointer::join("", name))
    };
    let grown = || body.as_object()?.iter().find_map(grows);
    lost.map(|carry| carry.returned_at.clone()).or_else(grown)
}

/// Returns the first of these fields that an item of a list shows with another value than the read of the same record.
/// A list may leave a value out, or show null, an empty string or an empty array in its place.
pub(crate) fn field_listed_otherwise<'contract>(
    carries: &'contract [Carry],
    (read, item): (&Value, &Value),
) -> Option<&'contract Carry> {
    let is_blank = |value: &&Value| {
        value.is_null() || value.as_array().is_some_and(Vec::is_empty) || value.as_str().is_some_and(str::is_empty)
    };
    carries.iter().find(|carry| {
        let listed = returned_values(carry, item);
        !listed.is_empty()
            && !listed.iter().any(is_blank)
            && lost_value(std::slice::from_ref(*carry), carry, (read, item)).is_some()
    })
}

/// Returns the first sent value that the record does not carry, and what the record shows instead.
pub(crate) fn lost_value<'seen>(
    carries: &'seen [Carry],
    carry: &'seen Carry,
    (body, record): (&'seen Value, &'seen Value),
) -> Option<LostValue<'seen>> {
    if let Some(elements) = CarriedElements::of(carries, carry, (body, record)) {
        return elements.lost_value();
    }
    let returned = returned_values(carry, record);
    let carried = |sent: &&Value| {
        returned
            .iter()
            .any(|returned| same(carry.equality, sent, returned) == Some(true))
    };
    let lost = pointer::select(body, &carry.sent)
        .into_iter()
        .find(|sent| !carried(sent))?;
    Some(LostValue { sent: lost, returned })
}

/// Returns what the record shows at the field's place. If the path to it ends early at a null or an empty array, that
/// value is returned: the sent value is lost, and no other rule reports it. A field that is missing on the way is
/// another rule's finding.
pub(crate) fn returned_values<'record>(carry: &Carry, record: &'record Value) -> Vec<&'record Value> {
    let returned = pointer::select(record, &carry.returned_at);
    if !returned.is_empty() {
        return returned;
    }
    let ways = carry
        .returned_at
        .match_indices('/')
        .map(|(end, _)| carry.returned_at.split_at(end));
    let mut ends = ways.flat_map(|(above, below)| {
        let expects_elements = below.starts_with("/*");
        let is_end = move |value: &&Value| value.is_null() || (expects_elements && *value == &Value::Array(Vec::new()));
        pointer::select(record, above).into_iter().filter(is_end)
    });
    ends.next().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_array_that_grows_by_what_was_sent_is_changed_and_one_that_a_service_extends_is_not() {
        let sent = json!({"tags": ["a", "b"]});
        let before = json!({"id": 7, "tags": ["a", "b"], "version": 1});
        let changed = |after: Value| field_changed_by_repeat(&[], &sent, (&before, &after));
        assert_eq!(changed(json!({"id": 7, "tags": ["a", "b"], "version": 2})), None);
        assert_eq!(changed(json!({"tags": ["a", "b", "a", "b"]})), Some("/tags".to_owned()));
        for tags in [json!(["b", "a"]), json!(["a", "b", "c"]), json!(null)] {
            assert_eq!(changed(json!({"tags": tags})), None);
        }
    }

    #[test]
    fn a_record_carries_all_but_what_a_gap_lets_differ() {
        let contract = crate::testing::built_in();
        let create = contract.operation_named("createContact").unwrap();
        let carries = &contract.operation(create).invariants.created.as_ref().unwrap().carries;
        let sent = json!({"firstname": "Ada", "gender": "female"});
        assert!(carries_all(carries, &sent, &json!({"firstname": "Ada", "gender": "F"})));
        assert!(!carries_all(
            carries,
            &sent,
            &json!({"firstname": "Bea", "gender": "female"})
        ));
    }
}
