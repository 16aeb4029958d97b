//! The faults that follow from the document: [`faults`] goes through its locations, its responses and what its creates
//! carry.

use super::carried;
use super::contract::{LocationKind, Members, Operation, ResponseLocation, operations};
use super::deviation::{Deviation, DeviationKind, Fault, in_words, name};
use super::locations::Edit;
use super::response_table;

/// A member that appears nowhere in the document.
const UNKNOWN: &str = "countersign_fault";

/// Every derived fault, in the order of the document.
pub(super) fn faults() -> impl Iterator<Item = Fault> {
    operations().iter().flat_map(|operation| {
        let locations = operation
            .locations
            .iter()
            .flat_map(|location| at_location(operation, location));
        locations
            .chain(response_table::faults(operation))
            .chain(carried::faults(operation))
    })
}

/// A deviation at a location: its name, the rule that sees it, what the broken fact states, and what is done.
type AtLocation = (&'static str, &'static str, &'static str, Edit);

fn at_location<'location>(
    operation: &'location Operation,
    location: &'location ResponseLocation,
) -> impl Iterator<Item = Fault> + use<'location> {
    deviations(location)
        .into_iter()
        .map(move |deviation| location_fault(operation, location, deviation))
}

fn deviations(location: &ResponseLocation) -> Vec<AtLocation> {
    if location.kind == LocationKind::Absent {
        let name = location.pattern.rsplit('/').next().unwrap_or_default();
        return vec![("added", "forbidden-field", "absent", Edit::Added(name.to_owned()))];
    }
    let kind = type_name(location.kind);
    let another = || Edit::Added(UNKNOWN.to_owned());
    let field = [
        ("dropped", "missing-field", "present", Edit::Dropped),
        ("renamed", "missing-field", "present", Edit::Renamed),
    ];
    let mut deviations: Vec<_> = field.into_iter().filter(|_| location.is_required).collect();
    deviations.push(("retyped", "wrong-type", kind, Edit::Retyped));
    let of_null = if location.null_is_open {
        "null-value"
    } else {
        "wrong-type"
    };
    deviations.push(("null", of_null, kind, Edit::Null));
    if let LocationKind::Array | LocationKind::Object(_) = location.kind {
        deviations.push(("exchanged", "wrong-type", kind, Edit::OtherContainer));
    }
    match location.kind {
        // The rule `envelope` judges every object that the document closes.
        LocationKind::Object(Members::Closed) => deviations.push(("opened", "envelope", "no other fields", another())),
        LocationKind::Object(Members::Listed) => deviations.push(("extended", "undocumented-field", kind, another())),
        _ => {}
    }
    deviations
}

fn location_fault(
    operation: &Operation,
    location: &ResponseLocation,
    (deviation, rule, stated, edit): AtLocation,
) -> Fault {
    let ResponseLocation { pattern, .. } = location;
    // An added member changes the object that it is added to, and is reported at its own location.
    let (changed, pointer) = match (&edit, location.kind) {
        (Edit::Added(_), LocationKind::Absent) => (parent(pattern), pattern.clone()),
        (Edit::Added(_), _) => (pattern.as_str(), format!("{pattern}/*")),
        _ => (pattern.as_str(), pattern.clone()),
    };
    let subject = if pattern.is_empty() { "body" } else { pattern };
    Fault {
        name: name(&operation.name, pattern, deviation),
        about: format!("{} {}", in_words(subject), words(&edit, location.kind)),
        rule,
        operation: operation.name.clone(),
        fact: Some(format!("{} {subject}: {stated}", operation.name)),
        pointer,
        other_findings: Vec::new(),
        deviation: Deviation {
            on: operation.name.clone(),
            kind: DeviationKind::Location {
                pattern: changed.to_owned(),
                edit,
            },
        },
    }
}

fn parent(pattern: &str) -> &str {
    pattern.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn type_name(kind: LocationKind) -> &'static str {
    match kind {
        LocationKind::Absent => "absent",
        LocationKind::Array => "array",
        LocationKind::Integer => "integer",
        LocationKind::Object(_) => "object",
        LocationKind::String => "string",
    }
}

fn words(edit: &Edit, kind: LocationKind) -> &'static str {
    match (edit, kind) {
        (Edit::Added(_), LocationKind::Absent) => "is present",
        (Edit::Added(_), _) => "has another field",
        (Edit::Dropped, _) => "is missing",
        (Edit::OtherContainer, LocationKind::Array) => "is an object",
        (Edit::OtherContainer, _) => "is wrapped in an array",
        (Edit::Null, _) => "is null",
        (Edit::Renamed, _) => "has another name",
        (Edit::Retyped, LocationKind::String) => "is an integer",
        (Edit::Retyped, _) => "is a string",
        (Edit::Altered | Edit::String(_), _) => "has another value",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::service::fault::contract::operation;
    use crate::service::fault::locations::edit;

    /// A body with something at each documented location.
    fn body(operation: &Operation) -> Value {
        let mut body = Value::Null;
        for location in operation
            .locations
            .iter()
            .filter(|location| location.kind != LocationKind::Absent)
        {
            let value = match location.kind {
                LocationKind::Integer => json!(1),
                LocationKind::Object(_) => json!({}),
                LocationKind::Array => json!([]),
                _ => json!("synthetic"),
            };
            let pointer = location.pattern.replace('*', "0");
            let Some((parent, name)) = pointer.rsplit_once('/') else {
                body = value;
                continue;
            };
            match body.pointer_mut(parent).unwrap() {
                Value::Array(elements) => elements.push(value),
                object => object[name] = value,
            }
        }
        body
    }

    /// The locations at which two values differ.
    fn differences(one: &Value, other: &Value, at: &str) -> Vec<String> {
        match (one, other) {
            (Value::Object(one), Value::Object(other)) => {
                let names: HashSet<_> = one.keys().chain(other.keys()).collect();
                let below = names
                    .into_iter()
                    .flat_map(|name| match (one.get(name), other.get(name)) {
                        (Some(one), Some(other)) => differences(one, other, &format!("{at}/{name}")),
                        _ => vec![format!("{at}/{name}")],
                    });
                below.collect()
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                let pairs = one.iter().zip(other);
                pairs
                    .flat_map(|(one, other)| differences(one, other, &format!("{at}/*")))
                    .collect()
            }
            _ if one == other => Vec::new(),
            _ => vec![at.to_owned()],
        }
    }

    #[test]
    fn each_location_is_changed_as_named_and_nothing_else_is() {
        for fault in faults() {
            let DeviationKind::Location { pattern, edit: how } = &fault.deviation.kind else {
                continue;
            };
            let operation = operation(&fault.deviation.on).unwrap();
            let sound = body(operation);
            let mut faulty = sound.clone();
            edit(&mut faulty, operation, pattern, how);
            let mut changed = differences(&sound, &faulty, "");
            changed.sort();
            let mut expected = match how {
                Edit::Added(name) => vec![format!("{pattern}/{name}")],
                Edit::Renamed => {
                    let (parent, name) = pattern.rsplit_once('/').unwrap();
                    vec![pattern.clone(), format!("{parent}/renamed_{name}")]
                }
                _ => vec![pattern.clone()],
            };
            expected.sort();
            assert_eq!(changed, expected, "{}", fault.name);
        }
    }

    #[test]
    fn each_location_can_be_wrong_in_each_way_that_it_has() {
        let names: HashSet<_> = faults().map(|fault| fault.name).collect();
        for name in [
            "getContacts:null",
            "getContacts:opened",
            "getContacts/data:opened",
            "getContacts/data/items/each:extended",
            "getContacts/data/items/each/tags:exchanged",
            "getContacts/data/items/each/first_visit/each/venue/each/id:renamed",
            "createContact/data/custom_fields:added",
            "createVisit/data/id:retyped",
            "createVisit/contact/id:listed-altered",
            "updateContact:connection-cut",
        ] {
            assert!(names.contains(name), "{name}");
        }
        for name in [
            "getContacts:extended",
            "getContacts:dropped",
            "getContacts/data/items/each:dropped",
            "getContacts/data/items/each/custom_fields:extended",
            "updateContact:body-cut",
            "createTag:answered-204",
            "getTags:answered-200",
        ] {
            assert!(!names.contains(name), "{name}");
        }
    }
}
