//! The run that compares a service with its snapshots: the embedded service, or the deployed one that the environment
//! names.

use std::panic::{AssertUnwindSafe, catch_unwind};

use countersign::report::shapes::Responses;

use super::accepted;
use super::guard::contradictions;
use super::observing::shapes;
use super::subject::Subject;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_response_has_the_shape_that_was_accepted() {
    let subject = Subject::asked_for().await;
    let shapes = shapes(&subject).await.unwrap_or_else(|message| panic!("{message}"));
    for operation in &shapes.not_called {
        println!("not held, because it was not called: {operation}; COUNTERSIGN_WRITES=1 calls it");
    }
    let differing: Vec<_> = shapes
        .by_name
        .iter()
        .filter(|(name, responses)| !is_as_accepted(&subject, name, responses))
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(differing.is_empty(), "other shapes than accepted: {differing:?}");
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

/// What insta is asked to hold: of known rows what they showed, else that and what was accepted beside it.
pub(super) fn held(subject: &Subject, name: &str, responses: &Responses) -> String {
    let accepted = accepted::shapes(&subject.folder, name).filter(|_| !subject.rows_are_known);
    accepted.map_or_else(
        || responses.to_string(),
        |accepted| responses.with_missing_from(&accepted).to_string(),
    )
}

/// Lets insta compare, and go on with the next snapshot where it differs.
fn is_as_accepted(subject: &Subject, name: &str, responses: &Responses) -> bool {
    let text = held(subject, name, responses);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&subject.folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let compare = || settings.bind(|| insta::assert_snapshot!(name, text));
    catch_unwind(AssertUnwindSafe(compare)).is_ok()
}
