//! The faults that follow from the document: [`faults`] walks over its places, its answers and what its creates carry.

use axum::http::StatusCode;

use super::contract::{Carry, Created, Kind, Members, Operation, Place, item, operation, operations};
use super::places::Edit;
use super::table::{Deviation, Fault, How};
use super::whole::WholeFault;

/// A member that the document knows nowhere.
const UNKNOWN: &str = "countersign_fault";

/// Every derived fault, in the order of the document.
pub(super) fn faults() -> impl Iterator<Item = Fault> {
    operations().iter().flat_map(|operation| {
        let places = operation.places.iter().flat_map(|place| at_place(operation, place));
        places.chain(wholes(operation)).chain(carried(operation))
    })
}

/// A deviation at a place: its name, the rule that sees it, what the broken fact states, and what is done.
type AtPlace = (&'static str, &'static str, &'static str, Edit);

fn at_place<'place>(operation: &'place Operation, place: &'place Place) -> impl Iterator<Item = Fault> + use<'place> {
    deviations(place)
        .into_iter()
        .map(move |deviation| place_fault(operation, place, deviation))
}

fn deviations(place: &Place) -> Vec<AtPlace> {
    if place.kind == Kind::Absent {
        let name = place.pattern.rsplit('/').next().unwrap_or_default();
        return vec![("added", "forbidden-field", "absent", Edit::Added(name.to_owned()))];
    }
    let kind = type_name(place.kind);
    let another = || Edit::Added(UNKNOWN.to_owned());
    let field = [
        ("dropped", "missing-field", "present", Edit::Dropped),
        ("renamed", "missing-field", "present", Edit::Renamed),
    ];
    let mut deviations: Vec<_> = field.into_iter().filter(|_| place.listed).collect();
    deviations.push(("retyped", "wrong-type", kind, Edit::Retyped));
    deviations.push(("null", "null-value", kind, Edit::Null));
    if let Kind::Array | Kind::Object(_) = place.kind {
        deviations.push(("exchanged", "wrong-type", kind, Edit::Exchanged));
    }
    match place.kind {
        Kind::Object(Members::Closed) => deviations.push(("opened", "envelope", "closed", another())),
        Kind::Object(Members::Listed) => deviations.push(("extended", "undocumented-field", kind, another())),
        _ => {}
    }
    deviations
}

fn place_fault(operation: &Operation, place: &Place, (deviation, rule, stated, edit): AtPlace) -> Fault {
    let Place { pattern, .. } = place;
    // What is added is changed in the object that it is added to, and told where it stands.
    let (changed, pointer) = match (&edit, place.kind) {
        (Edit::Added(_), Kind::Absent) => (parent(pattern), pattern.clone()),
        (Edit::Added(_), _) => (pattern.as_str(), format!("{pattern}/*")),
        _ => (pattern.as_str(), pattern.clone()),
    };
    let subject = if pattern.is_empty() { "body" } else { pattern };
    Fault {
        name: name(&operation.name, pattern, deviation),
        about: format!("{} {}", told(subject), words(&edit, place.kind)),
        rule,
        operation: operation.name.clone(),
        fact: Some(format!("{} {subject}: {stated}", operation.name)),
        pointer,
        deviation: Deviation {
            on: operation.name.clone(),
            how: How::Place {
                pattern: changed.to_owned(),
                edit,
            },
        },
    }
}

/// The name of a fault: the operation, the place, the deviation.
pub(super) fn name(operation: &str, pattern: &str, deviation: &str) -> String {
    format!("{operation}{}:{deviation}", pattern.replace('*', "each"))
}

fn told(subject: &str) -> String {
    if subject == "body" {
        "the body".to_owned()
    } else {
        subject.replace('*', "each")
    }
}

fn parent(pattern: &str) -> &str {
    pattern.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Absent => "absent",
        Kind::Array => "array",
        Kind::Integer => "integer",
        Kind::Object(_) => "object",
        Kind::String => "string",
    }
}

fn words(edit: &Edit, kind: Kind) -> &'static str {
    match (edit, kind) {
        (Edit::Added(_), Kind::Absent) => "is there",
        (Edit::Added(_), _) => "has another field",
        (Edit::Dropped, _) => "is not there",
        (Edit::Exchanged, Kind::Array) => "is an object",
        (Edit::Exchanged, _) => "stands in an array",
        (Edit::Null, _) => "is null",
        (Edit::Renamed, _) => "has another name",
        (Edit::Retyped, Kind::String) => "is an integer",
        (Edit::Retyped, _) => "is a string",
        (Edit::Altered | Edit::Text(_), _) => "has another value",
    }
}

/// A deviation of a whole answer: its name, the words for it, the rule that sees it, what the broken fact states, and
/// what is done.
type Whole = (&'static str, &'static str, &'static str, String, WholeFault);

fn wholes(operation: &Operation) -> impl Iterator<Item = Fault> + use<'_> {
    let mut wholes = failures(operation);
    if !operation.places.is_empty() {
        wholes.extend(bodies(operation));
    }
    wholes.into_iter().map(move |(deviation, about, rule, stated, fault)| {
        let pointer = match fault {
            WholeFault::NameTwice => operation.places.get(1).map_or("", |place| &place.pattern),
            WholeFault::Unwrapped => "/data",
            _ => "",
        };
        Fault {
            name: name(&operation.name, "", deviation),
            about: about.to_owned(),
            rule,
            operation: operation.name.clone(),
            fact: Some(format!("{} {stated}", operation.name)),
            pointer: pointer.to_owned(),
            deviation: Deviation {
                on: operation.name.clone(),
                how: How::Whole(fault),
            },
        }
    })
}

fn failures(operation: &Operation) -> Vec<Whole> {
    let success = || format!("status: {}", operation.success);
    let no_5xx = || "status: no 5xx".to_owned();
    let status = WholeFault::Status;
    let exact = operation.success.parse::<u16>().is_ok();
    let another = (
        "answered-200",
        "a success is 200",
        "status",
        success(),
        status(StatusCode::OK),
    );
    let mut failures = vec![
        (
            "redirected",
            "a success is 302",
            "status",
            success(),
            status(StatusCode::FOUND),
        ),
        (
            "not-found",
            "a success is 404",
            "status",
            success(),
            status(StatusCode::NOT_FOUND),
        ),
        (
            "method-not-allowed",
            "a success is 405",
            "status",
            success(),
            status(StatusCode::METHOD_NOT_ALLOWED),
        ),
        (
            "server-error",
            "a success is 500",
            "server-error",
            no_5xx(),
            status(StatusCode::INTERNAL_SERVER_ERROR),
        ),
        (
            "not-implemented",
            "a success is 501",
            "server-error",
            no_5xx(),
            status(StatusCode::NOT_IMPLEMENTED),
        ),
        (
            "unavailable",
            "a success is 503",
            "server-error",
            no_5xx(),
            status(StatusCode::SERVICE_UNAVAILABLE),
        ),
        (
            "connection-cut",
            "the connection ends in the middle of the body",
            "unfinished-answer",
            "answer: complete".to_owned(),
            WholeFault::ConnectionCut,
        ),
    ];
    failures.extend(exact.then_some(another));
    failures
}

fn bodies(operation: &Operation) -> Vec<Whole> {
    let media_type = |name| WholeFault::MediaType(name);
    let json_type = || "media type: application/json".to_owned();
    let json = || "body: JSON".to_owned();
    let no_content = WholeFault::Status(StatusCode::NO_CONTENT);
    let open = !operation.success.parse::<u16>().is_ok();
    let empty_success = (
        "answered-204",
        "a success is 204, without a body",
        "malformed-json",
        json(),
        no_content,
    );
    let mut bodies = vec![
        (
            "media-type-html",
            "the media type is text/html",
            "media-type",
            json_type(),
            media_type(Some("text/html")),
        ),
        (
            "media-type-text",
            "the media type is text/plain",
            "media-type",
            json_type(),
            media_type(Some("text/plain")),
        ),
        (
            "media-type-dropped",
            "no media type is named",
            "media-type",
            json_type(),
            media_type(None),
        ),
        (
            "body-cut",
            "the body ends in the middle",
            "malformed-json",
            json(),
            WholeFault::BodyCut,
        ),
        (
            "body-empty",
            "the body is empty",
            "malformed-json",
            json(),
            WholeFault::BodyEmpty,
        ),
        (
            "body-html",
            "the body is a sign-in page",
            "malformed-json",
            json(),
            WholeFault::BodyHtml,
        ),
        (
            "body-not-utf8",
            "the body is not UTF-8",
            "malformed-json",
            json(),
            WholeFault::BodyNotUtf8,
        ),
        (
            "name-twice",
            "the first name stands twice",
            "malformed-json",
            json(),
            WholeFault::NameTwice,
        ),
        (
            "unwrapped",
            "the body is what belongs under data",
            "missing-field",
            "/data: present".to_owned(),
            WholeFault::Unwrapped,
        ),
    ];
    bodies.extend(open.then_some(empty_success));
    bodies
}

/// Each field that a create carries comes back other than it was sent, from the create and from the list.
fn carried(operation: &Operation) -> impl Iterator<Item = Fault> + use<'_> {
    operation
        .created
        .iter()
        .flat_map(move |created| {
            let fields = created.carries.iter();
            fields.flat_map(move |carry| {
                [
                    Some(answered(operation, created, carry)),
                    listed(operation, created, carry),
                ]
            })
        })
        .flatten()
}

fn answered(create: &Operation, created: &Created, carry: &Carry) -> Fault {
    let pattern = format!("{}{}", created.resource, carry.kept);
    Fault {
        name: name(&create.name, &pattern, "altered"),
        about: format!("{} is not what was sent", told(&pattern)),
        rule: carrying(carry),
        operation: create.name.clone(),
        fact: Some(format!("{} created {pattern}: as sent in {}", create.name, carry.sent)),
        pointer: pattern.clone(),
        deviation: altering(&create.name, pattern),
    }
}

fn listed(create: &Operation, created: &Created, carry: &Carry) -> Option<Fault> {
    let list = operation(&created.listed.list)?;
    // Records that belong to another stand in an array of it.
    let record = created
        .listed
        .at
        .as_ref()
        .map_or_else(String::new, |at| format!("{at}/*"));
    let pattern = format!("{}{record}{}", item(list.page.as_ref()?), carry.kept);
    let stated = format!("listed in {} {}: as sent in {}", list.name, carry.kept, carry.sent);
    Some(Fault {
        name: name(&create.name, &carry.kept, "listed-altered"),
        about: format!("{} of {} is not what was sent", told(&pattern), list.name),
        rule: carrying(carry),
        operation: create.name.clone(),
        fact: Some(format!("{} {stated}", create.name)),
        pointer: carry.kept.clone(),
        deviation: altering(&list.name, pattern),
    })
}

fn carrying(carry: &Carry) -> &'static str {
    if carry.gap.is_some() { "respelled" } else { "carried" }
}

fn altering(on: &str, pattern: String) -> Deviation {
    let edit = Edit::Altered;
    Deviation {
        on: on.to_owned(),
        how: How::Place { pattern, edit },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_place_can_be_wrong_in_each_way_that_it_has() {
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
