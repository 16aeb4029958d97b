//! The checker with every value, every pair of values and combinations picked by a seed: a service that conforms gets
//! no finding that fails a run, and no warning if it keeps to the plain reading.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use chrono::DateTime;
use countersign::Recording;
use countersign::gaps::Answer;
use countersign::rules::Level;
use countersign::run::{Run, RunEnd};
use countersign::{Check, Contract};
use tokio::sync::OnceCell;

use super::{TOKEN, app, checked_settings, combinations, pairs, single_settings};
use crate::support::again::assert_judged_again;
use crate::support::parallel::try_all;
use crate::support::{contract_with_few_edge_cases, is_exhaustive, tried};

/// The values that depart from the plain reading of the document, each with the rule that warns of it. Every other
/// value of every axis is read plainly: it raises no warning either.
const WARNED: [(&str, &str); 3] = [
    ("challenge=omitted", "challenge"),
    ("unset-fields=null", "null-value"),
    ("unset-fields=null-arrays", "null-value"),
];

/// The values that depart from it only where a draft is spelled otherwise than the target's own lists.
const MAY_WARN: [(&str, &str); 2] = [
    ("value-spelling=lowercase", "stored-spelling"),
    ("value-spelling=uppercase", "stored-spelling"),
];

/// How many combinations are picked, and how many in the gate.
const COMBINATIONS: (usize, usize) = (1, 200);

pub(super) static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(contract_with_few_edge_cases);

#[test]
fn no_single_value_is_found_at_fault() {
    try_all(checked_settings(), async |setting: String| {
        let seen = of_single_value(&setting).await;
        let reported = seen.unexpected.iter();
        reported.map(|reported| format!("{setting}: {reported}")).collect()
    });
}

#[test]
fn no_two_values_are_found_at_fault_together() {
    assert_no_findings(pairs::profiles());
}

#[test]
fn no_combination_that_is_drawn_is_found_at_fault() {
    assert_no_findings(combinations::profiles(1, tried(COMBINATIONS.0, COMBINATIONS.1)));
}

#[tokio::test]
async fn what_departs_from_the_plain_reading_is_warned_of() {
    for (value, rule) in WARNED {
        let run = checked(&CONTRACT, &[value.to_owned()]).await;
        let warned = run.verdicts.findings().iter().any(|finding| finding.rule.name == rule);
        assert!(warned, "{value}");
    }
}

#[test]
fn another_seed_draws_other_combinations() {
    assert_eq!(combinations::profiles(1, 20), combinations::profiles(1, 20));
    assert_ne!(combinations::profiles(1, 20), combinations::profiles(2, 20));
}

/// What the check of a service with one value came to.
pub(crate) struct Seen {
    unexpected: Vec<String>,
    /// What it showed of the gaps.
    pub(super) answers: Vec<Answer>,
    /// What went over the wire.
    pub(crate) recording: Recording,
}

/// The check of a service with this value and otherwise the defaults. It is run once for all tests that look at it.
pub(crate) async fn of_single_value(setting: &str) -> &'static Seen {
    static SEEN: LazyLock<HashMap<String, OnceCell<Seen>>> = LazyLock::new(|| {
        let settings = single_settings().into_iter();
        settings.map(|setting| (setting, OnceCell::new())).collect()
    });
    let settings = [setting.to_owned()];
    SEEN[setting].get_or_init(|| seen(&settings)).await
}

/// The same, of a service with the defaults alone.
pub(crate) async fn of_defaults() -> &'static Seen {
    static SEEN: OnceCell<Seen> = OnceCell::const_new();
    SEEN.get_or_init(|| seen(&[])).await
}

async fn seen(settings: &[String]) -> Seen {
    let run = checked(&CONTRACT, settings).await;
    Seen {
        unexpected: unexpected(&run, settings),
        answers: run.answers,
        recording: run.recording.unwrap(),
    }
}

/// Checks a service of each profile: nothing fails a run, and nothing warns but what departs from the plain reading.
fn assert_no_findings(profiles: Vec<Vec<String>>) {
    try_all(profiles, async |settings: Vec<String>| {
        let unexpected = unexpected(&checked(&CONTRACT, &settings).await, &settings).into_iter();
        unexpected.map(|reported| format!("{settings:?}: {reported}")).collect()
    });
}

/// How the run did not end as it should, and every finding that the settings do not explain.
fn unexpected(run: &Run, settings: &[String]) -> Vec<String> {
    let ended = (run.ended != RunEnd::Complete).then(|| format!("{:?}", run.ended));
    ended.into_iter().chain(findings(&CONTRACT, run, settings)).collect()
}

/// Returns every finding that the settings do not explain.
pub(super) fn findings(contract: &Contract, run: &Run, settings: &[String]) -> BTreeSet<String> {
    let explained = |rule: &str| {
        let mut warned = WARNED.iter().chain(&MAY_WARN);
        warned.any(|(value, warns)| *warns == rule && settings.iter().any(|setting| setting == value))
    };
    let findings = run.verdicts.findings().iter();
    // A create that takes none of the values that the check has is reported, and breaks nothing.
    let unchecked = |rule: &str| rule == "unchecked-operation";
    let unexpected = findings.filter(|finding| {
        let rule = finding.rule.name;
        finding.level == Level::Deny || !(explained(rule) || unchecked(rule))
    });
    let reported = unexpected.map(|finding| {
        let operation = contract.facts[finding.fact.0].operation;
        let operation = &contract.operation(operation).name;
        let fact = &contract.facts[finding.fact.0].name;
        format!(
            "{:?} {operation} {}: {fact}, received {}",
            finding.level, finding.rule.name, finding.received
        )
    });
    reported.collect()
}

/// Asks a service with these settings, as `countersign learn --writes` does.
pub(super) async fn learned(settings: &[String]) -> Run {
    learned_from(app(settings).await).await
}

/// The same, of a service with this value and otherwise the defaults, or with the defaults alone. It is run once for
/// all tests that look at it.
pub(super) async fn learned_of(setting: Option<&String>) -> &'static Run {
    static LEARNED: LazyLock<HashMap<Option<String>, OnceCell<Run>>> = LazyLock::new(|| {
        let settings = single_settings().into_iter().map(Some).chain([None]);
        settings.map(|setting| (setting, OnceCell::new())).collect()
    });
    let settings: Vec<_> = setting.into_iter().cloned().collect();
    LEARNED[&setting.cloned()].get_or_init(|| learned(&settings)).await
}

/// Asks this service.
pub(super) async fn learned_from(service: axum::Router) -> Run {
    learned_alone(&[], service).await
}

/// Asks this service about these gaps; about all where everything is tried.
pub(super) async fn learned_about(gaps: &[&str], service: axum::Router) -> Run {
    learned_alone(if is_exhaustive() { &[] } else { gaps }, service).await
}

/// Asks this service about these gaps alone, as `countersign learn --writes --gap` does.
pub(super) async fn learned_alone(gaps: &[&str], service: axum::Router) -> Run {
    let check = check_of(&CONTRACT, service).learn(true);
    run_of(gaps.iter().fold(check, |check, gap| check.learn_about(*gap))).await
}

/// Asks this service with as many requests as it takes.
pub(super) async fn learned_without_limit(service: axum::Router) -> Run {
    run_of(check_of(&CONTRACT, service).learn(true).max_requests_to_learn(10_000)).await
}

fn check_of(contract: &Arc<Contract>, service: axum::Router) -> Check {
    let check = Check::new(Arc::clone(contract)).service(service);
    let began = DateTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    check.token(TOKEN).writes(true).seed(1).started_at(began)
}

/// Checks a service with these settings, as `countersign check --writes` does.
pub(super) async fn checked(contract: &Arc<Contract>, settings: &[String]) -> Run {
    // Others look at the recordings of single values.
    let is_kept = is_exhaustive() || settings.len() < 2;
    let run = run_of(check_of(contract, app(settings).await).keep_recording(is_kept)).await;
    if is_judged_again(settings) {
        assert_judged_again(contract, &run);
    }
    run
}

/// Whether a run with these settings is judged again: the defaults and some values by themselves, or all where
/// everything is tried.
fn is_judged_again(settings: &[String]) -> bool {
    let mut some = checked_settings().into_iter().step_by(tried(4, 1));
    is_exhaustive() || settings.is_empty() || some.any(|setting| settings == [setting])
}

/// Checks this service.
pub(super) async fn checked_from(contract: &Arc<Contract>, service: axum::Router) -> Run {
    run_of(check_of(contract, service)).await
}

/// Runs a check on a clock that jumps.
async fn run_of(check: Check) -> Run {
    tokio::time::pause();
    let report = check.run().await.unwrap();
    tokio::time::resume();
    report.into_run()
}
