//! Tests how the rules judge the elements of an array that were sent and came back.

use serde_json::{Value, json};

use crate::contract::fact::FactKind;
use crate::history::evidence::WalkEnd;
use crate::rules::testing::{Fixture, Judged};
use crate::rules::{Level, Verdict};

/// Makes the kind of fact about a carry from its index in the contract.
type Kind = fn(usize) -> FactKind;

// The indexes of the carries of a contact method, in both invariants of the built-in contract.
const CONTACT: usize = 5;
const TYPE: usize = 6;
const STATUS: usize = 7;

fn method(contact: &str, kind: &str, status: &str) -> Value {
    json!({"contact": contact, "type": kind, "status": status})
}

/// Three contact methods as they are sent.
fn methods() -> [Value; 3] {
    [
        method("ada@example.com", "email", "active"),
        method("+44 7700 900123", "phone", "inactive"),
        method("01632 960123", "landline", "blocked"),
    ]
}

fn contact(methods: &[Value]) -> Value {
    json!({ "contact_methods": methods })
}

fn created(sent: &[Value], returned: &[Value]) -> Judged {
    Fixture::of("createContact").created(&contact(sent), &contact(returned))
}

/// Judges the same methods three times: in the response to a create, in the list after it, and in the list after an
/// update.
fn judged_everywhere(sent: &[Value], returned: &[Value]) -> [(Judged, Kind); 3] {
    let listed = contact(returned);
    let create = Fixture::of("createContact");
    let observed = create.observed(&contact(sent), Some(&listed), WalkEnd::Complete);
    let end = (None, WalkEnd::Complete);
    let updated = Fixture::of("updateContact").updated(&contact(sent), Some(&listed), end);
    [
        (created(sent, returned), FactKind::Carried as Kind),
        (observed, FactKind::ListedCarrying),
        (updated, FactKind::ListedAfterUpdateCarrying),
    ]
}

#[test]
fn elements_in_any_order_and_among_others_hold() {
    let [one, two, three] = methods();
    let sent = [one.clone(), two.clone()];
    for returned in [
        vec![one.clone(), two.clone()],
        vec![two.clone(), one.clone()],
        vec![three, two, one.clone()],
        // Another method with the same address is not a duplicate of it.
        vec![sent[1].clone(), one, method("ada@example.com", "newsletter", "active")],
    ] {
        for (expected, kind) in judged_everywhere(&sent, &returned) {
            for index in [CONTACT, TYPE, STATUS] {
                assert_eq!(expected.kind(kind(index)), Verdict::Held, "{returned:?}");
            }
            assert!(expected.verdicts.findings().is_empty());
        }
    }
}

#[test]
fn elements_that_show_the_values_of_each_other_are_broken_once_and_no_finding_of_stored_spelling() {
    let [one, two, three] = methods();
    let swapped = [
        method("ada@example.com", "phone", "active"),
        method("+44 7700 900123", "email", "inactive"),
    ];
    for (expected, kind) in judged_everywhere(&[one.clone(), two.clone()], &swapped) {
        assert_eq!(expected.kind(kind(TYPE)), Verdict::Broken);
        assert_eq!(expected.kind(kind(CONTACT)), Verdict::Held);
        assert_eq!(expected.kind(kind(STATUS)), Verdict::Held);
        let finding = expected.finding("stored-values");
        assert_eq!(finding.level, Level::Deny);
        assert_eq!(
            finding.received,
            "string(5) of another element of the array, not the string(5) that was sent"
        );
        assert!(
            finding.pointer.ends_with("/contact_methods/0/type"),
            "{}",
            finding.pointer
        );
        assert!(expected.findings("stored-spelling").is_empty());
    }
    let swapped_around = [
        method("ada@example.com", "phone", "active"),
        method("+44 7700 900123", "landline", "inactive"),
        method("01632 960123", "email", "blocked"),
    ];
    let expected = created(&[one, two, three], &swapped_around);
    assert_eq!(
        expected.finding("stored-values").pointer,
        "/data/contact_methods/0/type"
    );
}

#[test]
fn a_swap_beside_a_value_that_is_spelled_otherwise_is_found() {
    let returned = [
        method("ada@example.com", "phone", "active"),
        method("+44 7700 900123", "email", "inactive"),
        method("01632 960123", "LANDLINE", "blocked"),
    ];
    let reported = created(&methods(), &returned);
    assert_eq!(
        reported.finding("stored-values").pointer,
        "/data/contact_methods/0/type"
    );
}

#[test]
fn a_value_of_an_element_that_is_spelled_otherwise_is_a_warning() {
    let [one, two, _] = methods();
    for returned in [
        [method("ada@example.com", "EMAIL", "active"), two.clone()],
        [method("ada@example.com", "phone", "active"), two.clone()],
        [
            method("ada@example.com", "mail", "active"),
            method("+44 7700 900123", "telephone", "inactive"),
        ],
    ] {
        let judged = created(&[one.clone(), two.clone()], &returned);
        assert_eq!(judged.kind(FactKind::Carried(TYPE)), Verdict::Broken);
        assert!(judged.findings("stored-values").is_empty(), "{returned:?}");
        let finding = judged.finding("stored-spelling");
        assert_eq!(finding.level, Level::Warn);
        assert!(finding.received.starts_with("string("), "{}", finding.received);
    }
}

#[test]
fn what_is_in_another_element_alone_is_not_kept_in_its_own() {
    // It is not enough that some element shows the value.
    let sent = [
        method("ada@example.com", "email", "active"),
        method("+44 7700 900123", "phone", "active"),
        method("01632 960123", "phone", "active"),
    ];
    let returned = [
        sent[0].clone(),
        method("+44 7700 900123", "other", "active"),
        sent[2].clone(),
    ];
    let reported = created(&sent, &returned);
    assert_eq!(
        reported.received("stored-spelling"),
        "string(5), not the string(5) that was sent"
    );
}

#[test]
fn an_element_that_a_create_shows_twice_is_broken_and_an_update_may_add() {
    let [one, two, _] = methods();
    let returned = [one.clone(), two.clone(), one.clone()];
    let [answered, listed, updated] = judged_everywhere(&[one.clone(), two], &returned);
    for (expected, kind) in [answered, listed] {
        assert_eq!(expected.kind(kind(CONTACT)), Verdict::Broken);
        assert_eq!(
            expected.received("stored-values"),
            "string(15) in 2 elements, sent in 1"
        );
        let pointer = &expected.finding("stored-values").pointer;
        assert!(pointer.ends_with("/contact_methods/2/contact"), "{pointer}");
    }
    assert!(updated.0.verdicts.findings().is_empty());
    let expected = created(&[one.clone(), one.clone()], &[one.clone(), one]);
    assert!(expected.verdicts.findings().is_empty());
}

#[test]
fn an_element_that_is_not_found_leaves_its_parts_to_be_found_anywhere() {
    let [one, two, _] = methods();
    let judged = created(&[one, two.clone()], &[two, method("other", "email", "active")]);
    assert_eq!(judged.kind(FactKind::Carried(CONTACT)), Verdict::Broken);
    assert_eq!(judged.kind(FactKind::Carried(TYPE)), Verdict::Held);
}

#[test]
fn two_elements_that_nothing_distinguishes_are_not_called_mixed() {
    let sent = [
        method("ada@example.com", "email", "active"),
        method("ada@example.com", "work", "active"),
    ];
    let returned = [sent[1].clone(), sent[0].clone()];
    assert!(created(&sent, &returned).verdicts.findings().is_empty());
}

#[test]
fn of_several_strict_fields_the_first_distinguishes_the_element() {
    let text = "openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    post:
      operationId: createThing
      x-invariants:
        created:
          resource: ''
          id: /id
          carries:
            - {sent: /parts/*/name, kept: /parts/*/label}
            - {sent: /parts/*/size, kept: /parts/*/size}
      responses: {'201': {description: Thing}}
";
    let fixture = Fixture::text(text, "createThing");
    let sent = json!({"parts": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]});
    for (sizes, verdict) in [
        ([1, 2], Verdict::Held),
        ([2, 1], Verdict::Broken),
        ([1, 1], Verdict::Broken),
    ] {
        let returned = json!({"parts": [{"label": "a", "size": sizes[0]}, {"label": "b", "size": sizes[1]}]});
        let judged = fixture.created(&sent, &returned);
        assert_eq!(judged.kind(FactKind::Carried(0)), Verdict::Held);
        assert_eq!(judged.kind(FactKind::Carried(1)), verdict, "{sizes:?}");
    }
}
