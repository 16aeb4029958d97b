//! Tests that compare the public surface of the client with the reviewed one, `snapshots/client_surface.snap`: every
//! type with its fields, every method with its signature, every error. It covers both progenitor's code and the code
//! written by hand.
//!
//! One line is one thing that a program can name, so that a change of `openapi.yaml` reads as a diff.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod answers;
mod items;
#[cfg(feature = "checker")]
mod meanings;

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{generate, projection};

/// The contract that the changes below are made to, whatever contract this crate is built for.
const REFERENCE: &str = include_str!("../../tests/reference.yaml");
const GENERATED: &str = include_str!(concat!(env!("OUT_DIR"), "/client.rs"));

/// The hand-written files that have public items.
const BY_HAND: [(&str, &str); 6] = [
    ("base_url", include_str!("base_url.rs")),
    ("connect", include_str!("connect.rs")),
    ("error", include_str!("error.rs")),
    ("pages", include_str!("pages.rs")),
    ("session", include_str!("session.rs")),
    ("token", include_str!("token.rs")),
];

#[test]
fn the_public_surface_is_the_reviewed_one() {
    let mut text = String::from("# by hand\n");
    let by_hand = BY_HAND.iter().flat_map(|(_, source)| items::lines(source));
    let crates = include_str!("mod.rs")
        .lines()
        .filter(|line| line.starts_with("pub use {"));
    text.extend(sorted(by_hand.chain(crates.map(str::to_owned))).map(|line| line + "\n"));
    text.push_str("\n# generated from openapi.yaml\n");
    text.extend(sorted(items::lines(GENERATED)).map(|line| line + "\n"));
    println!(
        "the client's surface differs from snapshots/client_surface.snap? Read the diff, then accept it by\n  \
         INSTA_UPDATE=always cargo test --lib client::surface"
    );
    crate::testing::with_snapshots(|| insta::assert_snapshot!("client_surface", text));
}

#[test]
fn every_file_with_public_items_is_looked_at() {
    let module = include_str!("mod.rs");
    let exported = module.lines().filter_map(|line| line.strip_prefix("pub use "));
    for line in exported.filter(|line| !line.starts_with("generated::") && !line.starts_with('{')) {
        let file = line.split("::").next().unwrap();
        assert!(BY_HAND.iter().any(|(name, _)| *name == file), "{file}");
    }
}

#[test]
fn every_generated_type_derives_its_json_schema() {
    let types = items::types(&source(&reference()));
    assert!(types.len() > 20, "{types:?}");
    for (name, derives) in types {
        assert!(
            derives.iter().any(|derive| derive == "JsonSchema"),
            "{name}: {derives:?}"
        );
    }
}

#[test]
fn every_method_names_the_section_of_the_document() {
    let docs = items::docs(&source(&reference()));
    assert!(docs.len() > 12, "{docs:?}");
    for (method, doc) in docs {
        assert!(doc.contains("In the document: Endpoints / "), "{method}: {doc}");
    }
}

#[test]
fn a_new_field_shows_as_lines_of_its_own() {
    let (gone, new) = changed(|contract| {
        contract["components"]["schemas"]["Venue"]["properties"]["floor"] = json!({ "type": "integer" });
    });
    assert!(gone.is_empty(), "{gone:?}");
    assert!(
        new.contains(&"types::Venue.floor: Option<i64>".to_owned()),
        "the field is not among {new:?}"
    );
}

#[test]
fn a_changed_type_shows_as_one_line_gone_and_one_new() {
    let (gone, new) = changed(|contract| {
        contract["components"]["schemas"]["Visit"]["properties"]["id"] = json!({ "type": "string" });
    });
    assert!(gone.contains(&"types::Visit.id: Option<i64>".to_owned()), "{gone:?}");
    assert!(new.contains(&"types::Visit.id: Option<String>".to_owned()), "{new:?}");
}

#[test]
fn a_new_operation_shows_as_a_method_and_its_builder() {
    let (gone, new) = changed(|contract| {
        let mut operation = contract["paths"]["/organization/v1/tags"]["get"].clone();
        operation["operationId"] = json!("getLabels");
        contract["paths"]["/organization/v1/labels"] = json!({ "get": operation });
    });
    assert!(gone.is_empty(), "{gone:?}");
    for line in [
        "Client::get_labels(&self) -> builder::GetLabels<'_>",
        "Client::labels(&self) -> crate::client::Items<'_, types::Tag>",
        "async builder::GetLabels::send(self) -> Result<ResponseValue<types::TagPage>, crate::client::ClientError>",
    ] {
        assert!(new.iter().any(|known| known == line), "`{line}` is not among {new:#?}");
    }
}

#[test]
fn a_dropped_operation_shows_as_lines_gone() {
    let (gone, new) = changed(|contract| {
        contract["paths"]
            .as_object_mut()
            .unwrap()
            .remove("/organization/v1/venues");
    });
    assert!(new.is_empty(), "{new:?}");
    assert!(
        gone.iter().any(|line| line.starts_with("Client::get_venues(")),
        "{gone:?}"
    );
}

/// Returns the lines that disappear and those that appear when the generator gets another contract.
fn changed(change: impl FnOnce(&mut Value)) -> (Vec<String>, Vec<String>) {
    let mut contract = reference();
    change(&mut contract);
    let (before, after) = (of_the_reference(), generated(&contract));
    (without(before, &after), without(&after, before))
}

/// Returns these lines that are not among those.
fn without(these: &[String], those: &[String]) -> Vec<String> {
    these.iter().filter(|line| !those.contains(line)).cloned().collect()
}

fn reference() -> Value {
    serde_yaml::from_str(REFERENCE).unwrap()
}

/// The lines of the client of the reference contract, which is generated once.
fn of_the_reference() -> &'static [String] {
    static LINES: LazyLock<Vec<String>> = LazyLock::new(|| generated(&reference()));
    &LINES
}

fn generated(contract: &Value) -> Vec<String> {
    sorted(items::lines(&source(contract))).collect()
}

/// The client that is generated from a contract.
fn source(contract: &Value) -> String {
    let projected = projection::project(contract).unwrap();
    generate::client(contract, &projected).unwrap()
}

fn sorted(lines: impl IntoIterator<Item = String>) -> impl Iterator<Item = String> {
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort();
    lines.dedup();
    lines.into_iter()
}
