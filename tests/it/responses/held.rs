//! The run that compares a service with its snapshots: the embedded service, or the deployed one that the environment
//! names.

use std::panic::{AssertUnwindSafe, catch_unwind};

use countersign::report::shapes::{NewShape, ResponseShapes};

use super::accepted;
use super::guard::{contradictions, operation};
use super::observing::{contract, shapes};
use super::subject::Subject;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_response_has_the_shape_that_was_accepted() {
    let subject = Subject::asked_for().await;
    let shapes = shapes(&subject).await.unwrap_or_else(|message| panic!("{message}"));
    for operation in &shapes.not_called {
        println!("not held, because it was not called: {operation}; COUNTERSIGN_WRITES=1 calls it");
    }
    let compared = shapes.by_name.iter();
    let compared = compared.flat_map(|(name, responses)| compared_with_accepted(&subject, name, responses));
    let different: Vec<_> = compared.collect();
    assert!(
        different.is_empty(),
        "other shapes than accepted:\n{}\n`cargo insta review` shows and accepts them",
        different.join("\n")
    );
    // What insta was told to accept just now is held like everything else that was.
    for name in shapes.by_name.keys() {
        let text = accepted::text(&subject.folder, name).unwrap_or_default();
        assert_eq!(
            contradictions(name, &text),
            [""; 0],
            "{name} was accepted and contradicts the contract"
        );
    }
}

/// Compares responses with their snapshot, and returns what is different. What the contract leaves open is printed, and
/// offered to insta, but is no difference.
#[expect(
    clippy::print_stdout,
    reason = "who compares a deployed service reads what is new, without a failure"
)]
fn compared_with_accepted(subject: &Subject, name: &str, responses: &ResponseShapes) -> Vec<String> {
    let accepted = accepted::shapes(&subject.folder, name).filter(|_| !subject.rows_are_known);
    let Some(accepted) = accepted else {
        let is_different = !is_accepted(subject, name, &responses.to_string());
        let different = is_different.then(|| format!("{name}: not the shapes that were accepted"));
        return different.into_iter().collect();
    };
    let found_beyond = beyond(name, responses, &accepted);
    let (open, different): (Vec<_>, Vec<_>) = found_beyond.iter().partition(|new| new.is_open);
    for new in open {
        println!("{name}: {new}, which the contract leaves open");
    }
    let held = held(responses, &accepted, different.is_empty());
    let has_changed = !is_accepted(subject, name, &held);
    let different = different.iter().filter(|_| has_changed);
    different.map(|new| format!("{name}: {new}")).collect()
}

/// What responses show beyond their accepted shapes.
pub(super) fn beyond(name: &str, responses: &ResponseShapes, accepted: &ResponseShapes) -> Vec<NewShape> {
    responses.beyond(accepted, contract(), operation(name))
}

/// What insta is asked to hold of responses whose rows are not known: what was accepted and what they show, or where
/// that differs, what they show and what was accepted beside it.
pub(super) fn held(responses: &ResponseShapes, accepted: &ResponseShapes, is_open: bool) -> String {
    if is_open {
        responses.joined_with(accepted).to_string()
    } else {
        responses.with_missing_from(accepted).to_string()
    }
}

/// Lets insta compare, and go on with the next snapshot where it differs.
fn is_accepted(subject: &Subject, name: &str, text: &str) -> bool {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&subject.folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let compare = || settings.bind(|| insta::assert_snapshot!(name, text));
    catch_unwind(AssertUnwindSafe(compare)).is_ok()
}

/// What fails the comparison of a service with these faults with the accepted snapshots.
async fn different(faults: &[&str]) -> Vec<String> {
    let subject = Subject::with_faults(faults).await;
    let shapes = shapes(&subject).await.unwrap();
    let mut different = Vec::new();
    for (name, responses) in &shapes.by_name {
        let accepted = accepted::shapes(&subject.folder, name).unwrap();
        let found_beyond = beyond(name, responses, &accepted).into_iter();
        different.extend(
            found_beyond
                .filter(|new| !new.is_open)
                .map(|new| format!("{name}: {new}")),
        );
    }
    different
}

#[tokio::test]
async fn a_deployed_service_without_a_fault_is_no_different() {
    assert_eq!(different(&[]).await, [""; 0]);
}

#[tokio::test]
async fn a_difference_names_operation_and_location_and_both_shapes() {
    let faults = [
        "getTags/data/items/each/name:retyped",
        "getVenues/data/items/each/country:renamed",
        "getVisits/data/last_page:null",
    ];
    let head = "200 application/json";
    let venue = "id, name, country, address, phone, email, tags, created_at";
    let renamed = "id, name, address, phone, email, tags, created_at, renamed_country";
    let expected = [
        format!("envelope_getVisits: {head} /data/last_page: accepted `integer`, now `null`"),
        format!("response_getTags: {head} /data/items/*/name: accepted `text`, now `integer`"),
        format!("response_getVenues: {head} /data/items/*: accepted `{venue}`, now `{renamed}`"),
        format!("response_getVisits: {head} /data/last_page: accepted `integer`, now `null`"),
    ];
    assert_eq!(different(&faults).await, expected);
}
