//! Changes what a *pattern* names in a response's body: [`Edit`]. A pattern is a JSON pointer with `*` for any element.

use chrono::{DateTime, Duration, SecondsFormat};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::contract::Operation;

/// What is done to a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// A member that does not belong there.
    Added(String),
    /// Another value of the same type.
    Altered,
    /// The field is missing.
    Dropped,
    /// An array becomes an object; any other value is wrapped in an array.
    OtherContainer,
    /// Null.
    Null,
    /// The field has another name.
    Renamed,
    /// A value of another type.
    Retyped,
    /// This string.
    String(&'static str),
}

/// Edits every location of the body that the pattern names. Where there is none because arrays are empty, an element is
/// added first.
pub(super) fn edit(body: &mut Value, operation: &Operation, pattern: &str, edit: &Edit) {
    fill_empty_arrays(body, operation, pattern);
    let (parent, name) = pattern.rsplit_once('/').unwrap_or(("", ""));
    match edit {
        Edit::Dropped => each(body, parent, &mut |parent| {
            members(parent, |members| {
                members.shift_remove(name);
            });
        }),
        Edit::Renamed => each(body, parent, &mut |parent| {
            members(parent, |members| {
                let value = members.shift_remove(name);
                members.extend(value.map(|value| (format!("renamed_{name}"), value)));
            });
        }),
        Edit::Added(name) => each(body, pattern, &mut |location| {
            members(location, |members| {
                members.insert(name.clone(), json!({}));
            });
        }),
        Edit::Altered => each(body, pattern, &mut |location| *location = altered(location)),
        Edit::OtherContainer => each(body, pattern, &mut |location| {
            *location = in_other_container(location.take());
        }),
        Edit::Null => each(body, pattern, &mut |location| *location = Value::Null),
        Edit::Retyped => each(body, pattern, &mut |location| *location = retyped(location)),
        Edit::String(text) => each(body, pattern, &mut |location| *location = json!(text)),
    }
}

/// Calls `change` with each location of the pattern.
pub(super) fn each(value: &mut Value, pattern: &str, change: &mut dyn FnMut(&mut Value)) {
    let Some(rest) = pattern.strip_prefix('/') else {
        return change(value);
    };
    let (token, below) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
    if token == "*" {
        for element in value.as_array_mut().into_iter().flatten() {
            each(element, below, change);
        }
    } else if let Some(member) = value.get_mut(token) {
        each(member, below, change);
    }
}

/// Returns the values at the pattern.
pub(super) fn select(value: &Value, pattern: &str) -> Vec<Value> {
    let (mut value, mut found) = (value.clone(), Vec::new());
    each(&mut value, pattern, &mut |location| found.push(location.take()));
    found
}

/// Returns another value of the same type: for a UUID another UUID, for a timestamp one an hour later, for an integer
/// the next one, otherwise another string.
pub(super) fn altered(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_i64().map_or(0, |number| number.saturating_add(1))),
        Value::String(text) => match (Uuid::try_parse(text), DateTime::parse_from_rfc3339(text)) {
            (Ok(id), _) => json!(Uuid::from_u128(id.as_u128() ^ 1)),
            (_, Ok(at)) => json!((at + Duration::hours(1)).to_rfc3339_opts(SecondsFormat::AutoSi, true)),
            _ => json!(format!("{text} altered")),
        },
        other => other.clone(),
    }
}

/// Puts an element into each empty array on the way, where the pattern would otherwise lead nowhere. An empty page
/// stays empty.
fn fill_empty_arrays(body: &mut Value, operation: &Operation, pattern: &str) {
    let parent = pattern.rsplit_once('/').map_or("", |(parent, _)| parent);
    let leads_through = if pattern.ends_with("/*") { pattern } else { parent };
    if !select(body, leads_through).is_empty() {
        return;
    }
    let items = operation.page.as_ref().map(|page| page.items.as_str());
    for (end, _) in pattern.match_indices("/*") {
        let array = pattern.get(..end).unwrap_or_default();
        let Some(element) = operation.elements.get(array).filter(|_| items != Some(array)) else {
            continue;
        };
        each(body, array, &mut |location| {
            if let Some(elements) = location.as_array_mut().filter(|elements| elements.is_empty()) {
                elements.push(element.clone());
            }
        });
    }
}

fn members(value: &mut Value, change: impl FnOnce(&mut Map<String, Value>)) {
    if let Some(members) = value.as_object_mut() {
        change(members);
    }
}

fn in_other_container(value: Value) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().find(Value::is_object).unwrap_or_else(|| json!({})),
        other => json!([other]),
    }
}

fn retyped(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(7),
        Value::Number(number) => json!(number.to_string()),
        _ => json!("a string"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::fault::contract::operation;

    fn edited(pattern: &str, how: &Edit) -> Value {
        let item = json!({"id": "a", "tags": {"id": "b"}, "excluded_channels": [], "age": 3});
        let mut body = json!({"data": {"items": [item]}});
        edit(&mut body, operation("getContacts").unwrap(), pattern, how);
        body["data"]["items"][0].take()
    }

    #[test]
    fn a_location_is_edited_as_named_and_only_there() {
        let item = |id: Value| json!({"id": id, "tags": {"id": "b"}, "excluded_channels": [], "age": 3});
        assert_eq!(edited("/data/items/*/id", &Edit::Null), item(Value::Null));
        assert_eq!(edited("/data/items/*/id", &Edit::Retyped), item(json!(7)));
        assert_eq!(edited("/data/items/*/id", &Edit::String("x")), item(json!("x")));
        let dropped = edited("/data/items/*/id", &Edit::Dropped);
        assert_eq!(dropped, json!({"tags": {"id": "b"}, "excluded_channels": [], "age": 3}));
        let renamed = edited("/data/items/*/id", &Edit::Renamed);
        assert_eq!((&renamed["renamed_id"], renamed.get("id")), (&json!("a"), None));
    }

    #[test]
    fn an_array_becomes_an_object_and_an_object_an_array() {
        assert_eq!(
            edited("/data/items/*/tags", &Edit::OtherContainer)["tags"],
            json!([{"id": "b"}])
        );
        assert_eq!(
            edited("/data/items/*/excluded_channels", &Edit::OtherContainer)["excluded_channels"],
            json!({})
        );
        assert_eq!(in_other_container(json!([{"id": "b"}])), json!({"id": "b"}));
    }

    #[test]
    fn an_empty_array_is_shown_an_element_where_the_fault_is_inside() {
        let shown = edited("/data/items/*/excluded_channels/*", &Edit::Null);
        assert_eq!(shown["excluded_channels"], json!([null]));
        let untouched = edited("/data/items/*/excluded_channels", &Edit::Null);
        assert_eq!(untouched["excluded_channels"], Value::Null);
    }

    #[test]
    fn an_altered_value_keeps_its_form() {
        for (value, other) in [
            (json!(3), json!(4)),
            (json!("a"), json!("a altered")),
            (json!("2024-05-17T07:30:00Z"), json!("2024-05-17T08:30:00Z")),
            (
                json!("67e55044-10b1-426f-9247-bb680e5fe0c8"),
                json!("67e55044-10b1-426f-9247-bb680e5fe0c9"),
            ),
        ] {
            assert_eq!(altered(&value), other);
        }
    }
}
