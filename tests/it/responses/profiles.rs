//! Which axes of the profile change a shape, and the proof that no other axis does: the snapshots of the embedded
//! service are compared with it under every value of every axis.

use std::collections::BTreeSet;

use countersign::report::shapes::ResponseShapes;
use countersign::service::AXES;
use tokio::sync::OnceCell;

use super::accepted;
use super::held::{beyond, held};
use super::observing::{ERRORS, Shapes, recorded};
use super::subject::folder;
use crate::service::profile::checker::{of_defaults, of_single_value};
use crate::service::profile::single_values;
use crate::support::parallel::try_all;
use crate::support::sampled;

/// Values of one axis that change what a snapshot holds.
struct Change {
    axis: &'static str,
    /// Which values; every one but the default where none is named.
    values: &'static [&'static str],
    snapshots: &'static [&'static str],
    because: &'static str,
}

const STATUS: &str = "a snapshot holds the status";
const TIMES: &[&str] = &[
    "response_createContact",
    "response_createContactMethod",
    "response_createVisit",
    "response_getContacts",
    "response_getVenues",
    "response_getVisits",
];
const CONTACTS: &[&str] = &["response_createContact", "response_getContacts"];

/// Every axis that changes a shape. Of each of the others no value changes a snapshot.
const CHANGES: &[Change] = &[
    change(
        "create-contact-method-status",
        &[],
        &["response_createContactMethod", "envelope_createContactMethod"],
        STATUS,
    ),
    change(
        "create-contact-status",
        &[],
        &["response_createContact", "envelope_createContact"],
        STATUS,
    ),
    change(
        "create-visit-status",
        &[],
        &["response_createVisit", "envelope_createVisit"],
        STATUS,
    ),
    change(
        "get-contacts-status",
        &[],
        &["response_getContacts", "envelope_getContacts"],
        STATUS,
    ),
    change(
        "get-tags-status",
        &[],
        &["response_getTags", "envelope_getTags"],
        STATUS,
    ),
    change(
        "get-venues-status",
        &[],
        &["response_getVenues", "envelope_getVenues"],
        STATUS,
    ),
    change(
        "get-visits-status",
        &[],
        &["response_getVisits", "envelope_getVisits"],
        STATUS,
    ),
    change("update-contact-status", &[], &["response_updateContact"], STATUS),
    change(
        "update-response-body",
        &[],
        &["response_updateContact"],
        "each value is another body",
    ),
    change("credential-status", &[], &[ERRORS], STATUS),
    change("invalid-input-status", &[], &[ERRORS], STATUS),
    change("error-body", &[], &[ERRORS], "each value is another body"),
    change("dob-format", &[], CONTACTS, "a snapshot holds the form of a date"),
    change(
        "timestamp-form",
        &["utc-offset", "east", "west", "unzoned", "epoch"],
        TIMES,
        "a snapshot holds how a timestamp gives its zone",
    ),
    change(
        "identifier-spelling",
        &["digits"],
        &[
            "response_createContact",
            "response_createContactMethod",
            "response_createTag",
            "response_createVisit",
            "response_getContacts",
            "response_getTags",
            "response_getVenues",
            "response_getVisits",
        ],
        "a snapshot holds whether a UUID has hyphens",
    ),
    change(
        "unset-fields",
        &["null"],
        CONTACTS,
        "null is another type than a blank text",
    ),
    change(
        "unset-fields",
        &["null-arrays"],
        &["response_createContact", "response_getContacts", "response_getVenues"],
        "null is another type than a blank text or an empty array",
    ),
    change(
        "methods-order",
        &[],
        &["response_createContact"],
        "a create takes the type of its method from the first that is listed, and has an address or a number by it",
    ),
    change(
        "venue-of-contact",
        &[],
        &["response_createContact"],
        "a contact that was just created has a visit or has none",
    ),
    change(
        "required-fields",
        &["least"],
        &[
            "response_createContact", "response_createTag", "response_getContacts", "response_getTags",
        ],
        "a field that may be left out of a create is left out of one, and is unset in the response",
    ),
    change(
        "required-fields",
        &["every"],
        &[ERRORS],
        "another field is named by what rejects a create",
    ),
    change("birth-dates", &[], &[ERRORS], REJECTED),
    change("characters", &["basic-plane", "latin"], CREATED_AND_ERRORS, REJECTED),
    change("field-sizes", &["60"], CREATED_AND_ERRORS, REJECTED),
    change("markup", &[], CREATED_AND_ERRORS, REJECTED),
    change("methods-at-once", &["1", "2"], &["response_createContact"], REJECTED),
    change("name-sizes", &[], CREATED_AND_ERRORS, REJECTED),
    change(
        "update-semantics",
        &[],
        &["response_getContacts"],
        "a field that an update does not send is unset afterwards",
    ),
];

/// What changes where a service rejects awkward values.
const CREATED_AND_ERRORS: &[&str] = &["response_createContact", ERRORS];
/// Why.
const REJECTED: &str = "awkward values are rejected, so that no record has them and one rejection more is seen";

const fn change(
    axis: &'static str,
    values: &'static [&'static str],
    snapshots: &'static [&'static str],
    because: &'static str,
) -> Change {
    Change {
        axis,
        values,
        snapshots,
        because,
    }
}

impl Change {
    fn is_of(&self, axis: &str, value: &str) -> bool {
        self.axis == axis && (self.values.is_empty() || self.values.contains(&value))
    }
}

#[test]
fn no_snapshot_differs_but_where_an_axis_changes_shapes() {
    let values = single_values().into_iter();
    let values = values.map(|(axis, value)| (axis.name, value.name));
    try_all(sampled(15, values).collect(), async |(axis, value)| {
        let seen = of_single_value(&format!("{axis}={value}")).await;
        let shapes = recorded(&seen.recording);
        let expected = CHANGES.iter().find(|change| change.is_of(axis, value));
        let because = expected.map_or("no shape changes", |change| change.because);
        let expected: BTreeSet<_> = expected
            .iter()
            .flat_map(|change| change.snapshots.iter().copied())
            .collect();
        let shapes = shapes.unwrap_or_else(|message| panic!("{axis}={value}: {message}"));
        let by_default = by_default().await;
        let differing = differing(&shapes, by_default);
        let differing: BTreeSet<_> = differing.iter().map(String::as_str).collect();
        let wrong = differing != expected;
        let reported = || format!("{axis}={value}: {differing:?} differ, but {because}: {expected:?}");
        let closed = told_of_a_deployed_service(&shapes, by_default).into_iter();
        let closed = closed.map(|new| format!("{axis}={value}: {new}, which is a choice"));
        wrong.then(reported).into_iter().chain(closed).collect()
    });
}

/// What would fail the comparison of a deployed service that shows these shapes where those of the defaults are
/// accepted.
fn told_of_a_deployed_service(shapes: &Shapes, by_default: &Shapes) -> Vec<String> {
    let beyond_default =
        |(name, responses): (&String, &ResponseShapes)| beyond(name, responses, &by_default.by_name[name]);
    let found_beyond = shapes.by_name.iter().flat_map(beyond_default);
    found_beyond
        .filter(|new| !new.is_open)
        .map(|new| new.to_string())
        .collect()
}

/// The shapes of the defaults, which another test compares with the snapshots.
async fn by_default() -> &'static Shapes {
    static SHAPES: OnceCell<Shapes> = OnceCell::const_new();
    let shapes = async || recorded(&of_defaults().await.recording).unwrap();
    SHAPES.get_or_init(shapes).await
}

/// The snapshots that the embedded service would have with a value, and that differ from those that it has by default.
fn differing(shapes: &Shapes, by_default: &Shapes) -> BTreeSet<String> {
    assert!(shapes.by_name.keys().eq(by_default.by_name.keys()));
    let differs = |(name, responses): &(&String, &ResponseShapes)| {
        let default = &by_default.by_name[*name];
        responses.to_string() != default.to_string()
    };
    let differing = shapes.by_name.iter().filter(differs);
    differing.map(|(name, _)| name.clone()).collect()
}

#[test]
fn what_does_not_differ_here_does_not_for_a_deployed_service_that_answers_the_same() {
    for (name, text) in accepted::all(&folder()) {
        let responses = accepted::shapes(&folder(), &name).unwrap();
        assert_eq!(beyond(&name, &responses, &responses), []);
        assert!([true, false].map(|is_open| held(&responses, &responses, is_open)) == [text.clone(), text]);
    }
}

#[test]
fn every_change_is_of_an_axis_and_of_values_that_exist() {
    for change in CHANGES {
        let axis = AXES.iter().find(|axis| axis.name == change.axis).expect(change.axis);
        let has = |value: &&str| axis.values.iter().any(|known| known.name == *value);
        assert!(change.values.iter().all(has), "{}", change.axis);
    }
}
