//! What no accepted snapshot may be: a text that contains a value, or shapes that contradict the contract.

use std::collections::BTreeSet;

use countersign::contract::operation::Operation;
use countersign::report::shapes::ResponseShapes;

use super::accepted;
use super::observing::{ERRORS, contract};
use super::subject::{folder, named_folder};

/// Every accepted snapshot: of this project, and of the deployed service that the environment names.
fn everywhere() -> impl Iterator<Item = (String, String)> {
    let folders = [Some(folder()), named_folder()];
    folders.into_iter().flatten().flat_map(|folder| accepted::all(&folder))
}

/// The operation of a snapshot; none for the errors.
pub(super) fn operation(name: &str) -> Option<&'static Operation> {
    let (_, operation) = name.split_once('_')?;
    contract().operation_named(operation).map(|id| contract().operation(id))
}

/// What in a snapshot looks like a value of a target.
fn values(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| letter.is_whitespace() || "\"'`,;()<>|".contains(letter));
    let is_value = |word: &&str| {
        let email = word
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
        let digits = word
            .split(|letter: char| !letter.is_ascii_digit())
            .any(|digits| digits.len() > 4);
        let hexadecimal =
            |part: &&str| part.len() >= 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        let uuid = word
            .split(|letter: char| !letter.is_ascii_hexdigit() && letter != '-')
            .any(|part| hexadecimal(&part));
        email || digits || uuid
    };
    words.filter(is_value).map(str::to_owned).collect()
}

/// What in a snapshot's text breaks a statement of the contract.
pub(super) fn contradictions(name: &str, text: &str) -> Vec<String> {
    let responses = ResponseShapes::read(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    match operation(name) {
        Some(operation) => responses.contradictions(contract(), operation),
        None => {
            assert_eq!(name, ERRORS);
            let heads = text.lines().filter(|line| !line.starts_with(' '));
            let no_rejection = heads.filter(|head| !head.starts_with('4'));
            no_rejection.map(|head| format!("{head} is no rejection")).collect()
        }
    }
}

#[test]
fn every_operation_has_its_snapshots_and_there_are_no_others() {
    let mut expected = BTreeSet::from([ERRORS.to_owned()]);
    for operation in &contract().operations {
        expected.insert(format!("response_{}", operation.name));
        if operation.page.is_some() || operation.invariants.created.is_some() {
            expected.insert(format!("envelope_{}", operation.name));
        }
    }
    let names: BTreeSet<_> = accepted::all(&folder()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, expected);
}

#[test]
fn no_snapshot_holds_a_value() {
    for (name, text) in everywhere() {
        assert_eq!(
            values(&text),
            [""; 0],
            "{name} holds a value: it was not written by these tests"
        );
    }
}

#[test]
fn a_value_that_is_planted_is_seen() {
    let (_, text) = &accepted::all(&folder())[0];
    for value in [
        "ada@example.com",
        "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52",
        "3F6F1F0E52A54C538D7A7A2F6F1F0E52",
        "fafafafa-bcde-abcd-abcd-abcdefabcdef",
        "+447700900123",
        "SW1A-12345",
    ] {
        assert_eq!(values(&text.replacen("text", value, 1)), [value]);
    }
    assert_eq!(values(&text.replacen("text", "1234", 1)), [""; 0]);
}

#[test]
fn no_snapshot_contradicts_the_contract() {
    for (name, text) in everywhere() {
        assert_eq!(contradictions(&name, &text), [""; 0], "{name}");
    }
}

/// In each snapshot of an envelope, the text that is accepted by mistake and what the contract says of it.
#[test]
fn an_envelope_that_is_accepted_by_mistake_contradicts_the_contract() {
    let mut held = 0;
    for (name, text) in accepted::all(&folder()) {
        let Some(operation) = operation(&name).filter(|_| name.starts_with("envelope_")) else {
            continue;
        };
        let mistakes: &[(&str, &str, &str)] = if operation.page.is_some() {
            &[
                (
                    "last_page: integer",
                    "pages: integer",
                    "/data: `last_page` is documented but missing",
                ),
                (
                    "last_page: integer",
                    "last_page: integer\n      more: null",
                    "/data: `more` is present, but only",
                ),
                (
                    "per_page: integer",
                    "per_page: text",
                    "/data/per_page: string is not integer",
                ),
                (
                    "items: array of a page\n        *: the resource",
                    "items: null | blank",
                    "/data/items: string is not array",
                ),
                (
                    "items: array of a page\n        *: the resource",
                    "items: null",
                    "/data/items: null is not documented",
                ),
                (
                    "    data: object",
                    "    data: object\n      id: uuid",
                    "/data: `id` is present, but only",
                ),
                ("application/json", "text/html", "text/html is not application/json"),
            ]
        } else {
            &[
                (
                    "message: text",
                    "notice: text",
                    "body: `message` is documented but missing",
                ),
                ("message: text", "message: integer", "/message: integer is not string"),
                ("message: text", "message: null", "/message: null is not documented"),
                (
                    "message: text",
                    "message: text\n    total: integer",
                    "body: `total` is present, but only data, message may be",
                ),
                ("20", "40", "is not 2"),
            ]
        };
        for (from, to, expected) in mistakes {
            assert!(text.contains(from), "{name} {from}");
            let found = contradictions(&name, &text.replacen(from, to, 1));
            assert!(
                found.iter().any(|line| line.contains(expected)),
                "{name} {to}: {found:?}"
            );
            held += 1;
        }
    }
    assert_eq!(held, 4 * 7 + 4 * 5);
}

#[test]
fn a_response_that_is_accepted_by_mistake_contradicts_the_contract() {
    let listed = accepted::text(&folder(), "response_getContacts").unwrap();
    let fresh = accepted::text(&folder(), "response_createContact").unwrap();
    for (name, text, expected) in [
        (
            "response_getContacts",
            listed.replace("age: integer", "age: text"),
            "/data/items/*/age: string is not integer",
        ),
        (
            "response_getContacts",
            listed.replace("gender: ", "sex: "),
            "/data/items/*: `gender` is documented but missing",
        ),
        (
            "response_createContact",
            format!("{fresh}\n      custom_fields: object"),
            "/data: `custom_fields` is present but must be absent",
        ),
        (
            ERRORS,
            "500 application/json\n  body: none".to_owned(),
            "500 application/json is no rejection",
        ),
    ] {
        let found = contradictions(name, &text);
        assert!(found.iter().any(|line| line == expected), "{name}: {found:?}");
    }
}
