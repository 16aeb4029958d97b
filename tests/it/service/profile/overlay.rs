//! The checker with what was learned about a service: it holds for that service, and is reported of one that answers
//! otherwise, and of no other.

use std::sync::Arc;

use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta};
use countersign::Contract;
use countersign::contract::fact::{FactId, FactKind};
use countersign::contract::learned::StatedAnswer;
use countersign::gaps::{self, Answer, AnswerState};
use countersign::rules::Verdict;
use countersign::run::Run;

use super::answers::wrong;
use super::checker::{CONTRACT, checked, checked_from, findings, learned_of};
use super::learning::{Layer, behind, is_update};
use super::{app, asked_settings};
use crate::support::parallel::{runtime, try_all};
use crate::support::sampled;

/// Returns the contract with the overlay of a ledger in which two runs, two hours apart, answered this.
fn stating(answers: &[Answer]) -> Arc<Contract> {
    let began = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
    let runs = [began - TimeDelta::hours(2), began].map(|time| {
        let run = gaps::LearnRun {
            tag: format!("cs-{}", time.timestamp()),
            time,
            target: "https://contacts.example.com".to_owned(),
            contract: "0".to_owned(),
        };
        run.lines(&[], answers)
    });
    let overlay = gaps::overlay(&CONTRACT, &runs.concat(), began);
    assert_eq!(overlay.answers, answers.len());
    Arc::new(Contract::built_in_with_overlay("known.yaml", overlay.text).unwrap())
}

/// What a run of a service with this value answers by trials, so that two runs would establish it.
async fn established(setting: Option<&String>) -> Vec<Answer> {
    let answers = learned_of(setting).await.answers.iter();
    let indicated = answers.filter(|answer| answer.state == AnswerState::Indicated);
    indicated.cloned().collect()
}

/// Whether a check asks this again: it creates no record for that.
fn is_asked_again(contract: &Contract, answer: &StatedAnswer) -> bool {
    let is_of_trials =
        ["duplicates", "required-fields", "unknown-references"].contains(&contract.gaps[answer.gap].id.as_str());
    !(is_of_trials && contract.operation(answer.operation).creates())
}

/// The answers that a contract states, each with the verdict of a run.
fn judged<'run>(contract: &'run Contract, run: &'run Run) -> impl Iterator<Item = (&'run StatedAnswer, Verdict)> {
    let facts = contract.facts.iter().enumerate();
    facts.filter_map(|(index, fact)| match fact.kind {
        FactKind::Answer(answer) => {
            let verdict = run.verdicts.of(contract, FactId(index));
            Some((&contract.answers[answer], verdict))
        }
        _ => None,
    })
}

#[test]
fn what_was_learned_of_a_service_holds_of_it() {
    let cases = asked_settings().into_iter().map(Some).chain([None]).collect();
    try_all(cases, async |setting: Option<String>| {
        let answers = established(setting.as_ref()).await;
        let settings: Vec<_> = setting.into_iter().collect();
        let contract = stating(&answers);
        let run = checked(&contract, &settings).await;
        let mut misses: Vec<_> = findings(&contract, &run, &settings).into_iter().collect();
        for (answer, verdict) in judged(&contract, &run) {
            let is_right = match is_asked_again(&contract, answer) {
                true => verdict == Verdict::Held,
                false => matches!(verdict, Verdict::Undecided(_)),
            };
            if is_right {
                continue;
            }
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
    let answers = runtime().block_on(established(None));
    let contract = stating(&answers);
    try_all(asked_settings(), async |setting: String| {
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
            // What is compressed depends on its size too.
            let changed = wrong(&settings, learned).is_some()
                && learned.gap != "compression"
                && is_asked_again(&contract, answer);
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

#[tokio::test]
async fn what_fails_or_is_rejected_by_chance_contradicts_no_answer() {
    let contract = stating(&established(None).await);
    let faults: [(&str, Layer); 3] = [
        ("fails", |number, _| {
            (number % 17 == 5).then_some(StatusCode::BAD_GATEWAY)
        }),
        ("rejects updates", |number, request| {
            (number % 10 == 3 && is_update(request)).then_some(StatusCode::UNPROCESSABLE_ENTITY)
        }),
        ("rejects what asks", |number, request| {
            (number > 200 && is_update(request)).then_some(StatusCode::BAD_REQUEST)
        }),
    ];
    for (name, fault) in sampled(3, faults) {
        let run = checked_from(&contract, behind(fault, app(&[]).await)).await;
        let broken = judged(&contract, &run).filter(|(_, verdict)| *verdict == Verdict::Broken);
        let broken: Vec<_> = broken.map(|(answer, _)| &answer.pointer).collect();
        assert!(broken.is_empty(), "a service that {name}: {broken:?}");
        let held = judged(&contract, &run).filter(|(_, verdict)| *verdict == Verdict::Held);
        let (held, all) = (held.count(), contract.answers.len());
        assert!((15..all).contains(&held), "a service that {name}: {held} of {all}");
    }
}
