//! The checker with what was learned of a service: it holds of that service, and is reported of one that answers
//! otherwise, and of no other.

use std::sync::Arc;

use countersign::Contract;
use countersign::contract::fact::FactKind;
use countersign::contract::learned::LearnedAnswer;
use countersign::gaps::{Answer, State};
use countersign::rules::Verdict;
use countersign::run::Run;
use serde_json::json;

use super::answers::wrong;
use super::checker::{CONTRACT, checked, findings, learned};
use super::single_settings;
use crate::support::crew::{runtime, try_all};
use crate::support::tried;

/// Returns the contract with these answers.
fn stating(answers: &[Answer]) -> Arc<Contract> {
    let mut document = CONTRACT.document.root.to_value();
    for answer in answers {
        let at = document.pointer_mut(answer.location.as_deref().unwrap()).unwrap();
        let stated = at
            .as_object_mut()
            .unwrap()
            .entry("x-answers")
            .or_insert_with(|| json!([]));
        let stated = stated.as_array_mut().unwrap();
        stated.push(json!({"gap": answer.gap, "operation": answer.operation, "claim": answer.claim}));
    }
    Arc::new(Contract::read("openapi.json", document.to_string()).unwrap())
}

/// What a run of a service with these settings answers by trials, so that two runs would establish it.
async fn established(settings: &[String]) -> Vec<Answer> {
    let mut answers = learned(settings).await.answers;
    answers.retain(|answer| answer.state == State::Indicated);
    answers
}

/// The answers that a contract states, each with the verdict of a run.
fn judged<'run>(contract: &'run Contract, run: &'run Run) -> impl Iterator<Item = (&'run LearnedAnswer, Verdict)> {
    let facts = contract.facts.iter().enumerate();
    facts.filter_map(|(index, fact)| match fact.kind {
        FactKind::Answer(answer) => {
            let verdict = run.verdicts.of(contract, countersign::contract::fact::FactId(index));
            Some((&contract.answers[answer], verdict))
        }
        _ => None,
    })
}

#[test]
fn what_was_learned_of_a_service_holds_of_it() {
    let cases = single_settings().into_iter().step_by(tried(7, 1));
    let cases = cases.map(Some).chain([None]).collect();
    try_all(cases, async |setting: Option<String>| {
        let settings: Vec<_> = setting.into_iter().collect();
        let answers = established(&settings).await;
        let contract = stating(&answers);
        let run = checked(&contract, &settings).await;
        let mut misses: Vec<_> = findings(&contract, &run, &settings).into_iter().collect();
        for (answer, verdict) in judged(&contract, &run).filter(|(_, verdict)| *verdict != Verdict::Held) {
            misses.push(format!(
                "{} {} {:?}",
                contract.gaps[answer.gap].id, answer.claim, verdict
            ));
        }
        misses.into_iter().map(|miss| format!("{settings:?}: {miss}")).collect()
    });
}

#[test]
fn what_a_service_answers_otherwise_is_reported_and_nothing_else() {
    let answers = runtime().block_on(established(&[]));
    let contract = stating(&answers);
    let cases = single_settings().into_iter().step_by(tried(3, 1)).collect();
    try_all(cases, async |setting: String| {
        let settings = [setting];
        let run = checked(&contract, &settings).await;
        let mut misses: Vec<_> = findings(&contract, &run, &settings)
            .into_iter()
            .filter(|finding| !finding.contains("changed-answer"))
            .collect();
        for (answer, verdict) in judged(&contract, &run) {
            let is_it = |learned: &&Answer| {
                learned.gap == contract.gaps[answer.gap].id
                    && learned.operation.as_ref() == Some(&contract.operation(answer.operation).name)
                    && learned.location.as_ref() == Some(&answer.location)
            };
            let learned = answers.iter().find(is_it).unwrap();
            let changed = wrong(&settings, learned).is_some();
            if changed != (verdict == Verdict::Broken) {
                misses.push(format!(
                    "{} {} {:?} changed {changed}",
                    contract.gaps[answer.gap].id, answer.claim, verdict
                ));
            }
        }
        misses.into_iter().map(|miss| format!("{settings:?}: {miss}")).collect()
    });
}
