//! What the answers of an overlay change for programs: the surface of the client with each answer alone, and with all
//! of them. CI compiles the same clients: `.ci/client-of-answers`.

use serde_json::{Value, json};

use super::{REFERENCE, generated, of_the_reference, reference, source, without};
use crate::contract::Contract;
use crate::contract::document::Document;
use crate::testing::tried;

/// Answers that go together.
const TOGETHER: &str = include_str!("../../../tests/answers/together.yaml");
/// Answers that contradict those or each other.
const ALTERNATIVES: &str = include_str!("../../../tests/answers/alternatives.yaml");

/// The reference contract with these actions of an overlay, applied as in the build.
fn with(actions: &[Value]) -> Value {
    let overlay = json!({ "overlay": "1.0.0", "info": { "title": "t", "version": "1" }, "actions": actions });
    let document = Document::read_allowing_repeated_names("openapi.yaml", REFERENCE.to_owned()).unwrap();
    let document = document.with_overlay("answers.yaml", overlay.to_string()).unwrap();
    let contract = document.root.to_value();
    if let Err(defects) = Contract::of_document(document) {
        panic!("{defects}");
    }
    contract
}

fn actions(overlay: &str) -> Vec<Value> {
    let overlay: Value = serde_yaml::from_str(overlay).unwrap();
    overlay["actions"].as_array().unwrap().clone()
}

/// The lines that disappear with these actions, and those that appear.
fn changed(before: &[String], actions: &[Value]) -> (Vec<String>, Vec<String>) {
    let after = generated(&with(actions));
    (without(before, &after), without(&after, before))
}

#[test]
fn each_answer_changes_what_was_reviewed_alone_and_with_the_others() {
    let before = of_the_reference();
    let (together, alternatives) = (actions(TOGETHER), actions(ALTERNATIVES));
    let (_, all) = changed(before, &together);
    let mut sections = Vec::new();
    // Generating a client takes a third of a second.
    let every = tried(5, 1);
    for (index, action) in together.iter().chain(&alternatives).enumerate().step_by(every) {
        let (gone, new) = changed(before, std::slice::from_ref(action));
        let mut section = format!("# {action}\n");
        let lines = gone.iter().map(|line| format!("- {line}\n"));
        section.extend(lines.chain(new.iter().map(|line| format!("+ {line}\n"))));
        sections.push(section);
        if index < together.len() {
            assert_eq!(without(&new, &all), [""; 0], "{action}");
        }
    }
    if every > 1 {
        let reviewed = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/client_of_answers.snap");
        let reviewed = std::fs::read_to_string(reviewed).unwrap();
        let (_, reviewed) = reviewed.rsplit_once("---\n").unwrap();
        let reviewed: Vec<_> = reviewed.trim_end().split("\n\n").collect();
        for section in sections {
            assert!(reviewed.contains(&section.trim_end()), "{section}");
        }
        return;
    }
    let text = sections.join("\n");
    crate::testing::with_snapshots(|| insta::assert_snapshot!("client_of_answers", text));
}

#[test]
fn an_overlay_that_states_nothing_leaves_the_client_as_it_is() {
    let nothing = json!({ "target": "$", "update": {} });
    assert_eq!(source(&with(&[nothing])), source(&reference()));
}

#[test]
fn a_body_that_an_overlay_documents_is_typed_and_a_narrower_status_changes_nothing() {
    let update = "$['paths']['/organization/v1/contact-database/{id}']['put']['responses']";
    let remove = json!({ "target": format!("{update}['2XX']"), "remove": true });
    let narrowed = |response: Value| {
        let add = json!({ "target": update, "update": { "200": response } });
        changed(of_the_reference(), &[remove.clone(), add])
    };
    assert_eq!(
        narrowed(json!({ "description": "Contact updated" })),
        Default::default()
    );
    let schema = json!({ "$ref": "#/components/schemas/ContactCreated" });
    let content = json!({ "application/json": { "schema": schema } });
    let (_, new) = narrowed(json!({ "description": "Contact updated", "content": content }));
    let typed = "ResponseValue<types::ContactCreated>";
    assert!(new.len() == 1 && new[0].contains(typed), "{new:?}");
}

#[test]
fn an_answer_about_a_field_that_the_request_lacks_is_an_error_where_it_is_written() {
    let answer = json!({ "gap": "required-fields", "operation": "createTag", "claim": { "required": ["/icon"] } });
    let target = "$['components']['schemas']['TagInput']";
    let contract = with(&[json!({ "target": target, "update": { "x-answers": [answer] } })]);
    let error = super::projection::project(&contract).unwrap_err();
    assert_eq!(error.pointer, "/components/schemas/TagInput/x-answers/0");
    assert!(
        error.message.starts_with("the request has no field `/icon`; "),
        "{}",
        error.message
    );
}

#[test]
fn the_documentation_says_what_was_learned() {
    let source = source(&with(&actions(TOGETHER)));
    for said in [
        "Learned from a service, not in the document: success-status (status: 200); update-response-body",
        "Learned from a service, not in the document: page-size (per page: 10, by `getTags`).",
        "required-fields (required: none, by `updateContact`).",
    ] {
        assert!(source.contains(said), "{said}");
    }
}
