//! Each document in the folder is read and planned in a short time, or rejected with one message.

use std::time::{Duration, Instant};

use countersign::plan::{Plan, Scope};

use super::documents::{Document, files};

/// What a test build may take: several times what users wait.
const LONGEST: Duration = Duration::from_secs(30);

#[test]
fn each_document_is_planned_or_reported_in_one_message() {
    let (mut read, mut operations, mut facts, mut reported) = (0, 0, 0, Vec::new());
    for file in files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let started = Instant::now();
        match Document::read(&name, text) {
            Ok(document) => {
                let contract = &document.contract;
                let scope = Scope {
                    writes: true,
                    token: true,
                    ..Scope::default()
                };
                let plan = Plan::new(contract, &scope);
                let called = plan.steps.iter().map(|step| step.operation);
                let not_called = plan.not_called.iter().map(|(operation, _)| *operation);
                let mut accounted: Vec<_> = called.chain(not_called).collect();
                accounted.sort_unstable();
                accounted.dedup();
                assert_eq!(accounted.len(), contract.operations.len(), "{name}");
                for fact in &contract.facts {
                    assert!(
                        contract.document.node(&fact.location).is_some(),
                        "{name}: {} {}",
                        fact.name,
                        fact.location
                    );
                }
                (read, operations, facts) = (
                    read + 1,
                    operations + contract.operations.len(),
                    facts + contract.facts.len(),
                );
            }
            Err(message) => {
                assert!(message.starts_with(&format!("{name}:")), "{message}");
                reported.push(message);
            }
        }
        assert!(started.elapsed() < LONGEST, "{name}: {:?}", started.elapsed());
    }
    println!(
        "{read} documents with {operations} operations and {facts} facts read; {}",
        reported.join("\n")
    );
}
