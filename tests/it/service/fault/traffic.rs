//! Recorded traffic of the reference service: what one exchange shows is found in a recording of it as in a check, and
//! nothing else is found.

use std::collections::{BTreeSet, HashSet};

use countersign::Recording;
use countersign::contract::Contract;
use countersign::contract::fact::FactId;
use countersign::exchange::Exchange;
use countersign::rules::{Finding, Level, Verdict, Verdicts};
use countersign::service::fault::faults;

use super::caught::{SHOWN_BY_RUNS, of_one_operation_each};
use super::checker::{Checker, Part};
use crate::service::profile::checker::of_single_value;
use crate::service::profile::{checked_settings, combinations};
use crate::support::archive::{archive, judged};
use crate::support::parallel::{each, try_all};
use crate::support::{is_exhaustive, tried};

/// Rules about requests that must be rejected, which nobody but a check is known to send, and about responses that
/// never came, which an archive does not have.
const OF_A_CHECK: [&str; 3] = ["auth", "challenge", "unfinished-answer"];

#[test]
fn every_fault_that_one_exchange_shows_is_found_in_its_traffic() {
    let contract = crate::support::built_in();
    let edits: Vec<_> = faults()
        .iter()
        .filter(|fault| fault.edited_operation().is_some())
        .collect();
    let edits = if is_exhaustive() {
        edits
    } else {
        of_one_operation_each(edits).into_iter().step_by(8).collect()
    };
    let recording = Checker::new(contract).recording(Part::Varied.of_all());
    let checker = || Checker::new(contract);
    let shown = each(edits, checker, |checker, fault| {
        let (exchanges, verdicts) = checker.replayed(&recording, fault);
        let expected = of_one_exchange(contract, &recording, (&exchanges, &verdicts));
        let found = findings(contract, &judged(contract, &[archive(&exchanges)]).run.verdicts);
        let in_a_check = findings(contract, &verdicts);
        let missed = expected
            .difference(&found)
            .map(|found| format!("{}: missed {found}", fault.name));
        // Of these a recording of a sound service lacks the page that a check would go on to.
        let compared = !SHOWN_BY_RUNS.contains(&fault.name.as_str());
        let astray = found.difference(&in_a_check).filter(|_| compared);
        let astray = astray.map(|found| format!("{}: only in the traffic: {found}", fault.name));
        (!expected.is_empty(), missed.chain(astray).collect::<Vec<_>>())
    });
    let (seen, wrong): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    let wrong: Vec<_> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let seen = seen.iter().filter(|seen| **seen).count();
    assert!(seen >= tried(3, 100), "only {seen} faults show in one exchange");
}

/// What is found, each as rule and fact.
fn findings(contract: &Contract, verdicts: &Verdicts) -> BTreeSet<String> {
    let findings = verdicts.findings().iter();
    findings.map(|finding| named(contract, finding)).collect()
}

fn named(contract: &Contract, finding: &Finding) -> String {
    format!("{} {}", finding.rule.name, contract.fact(finding.fact).name)
}

/// What a success or a failure of the service shows by itself, in response to a documented request.
fn of_one_exchange(
    contract: &Contract,
    recording: &Recording,
    (exchanges, verdicts): (&[Exchange], &Verdicts),
) -> BTreeSet<String> {
    let documented = recording.exchanges().zip(exchanges).filter(|((_, intent), edited)| {
        let status = edited.status();
        intent.is_documented() && status.is_some_and(|status| matches!(status, 200..300 | 500..=502 | 504..600))
    });
    let numbers: HashSet<_> = documented.map(|(_, edited)| edited.number).collect();
    let findings = verdicts.findings().iter().filter(|finding| {
        finding.exchange.is_some_and(|number| numbers.contains(&number)) && !OF_A_CHECK.contains(&finding.rule.name)
    });
    findings.map(|finding| named(contract, finding)).collect()
}

/// How many drawn profiles are tried, and how many in the gate.
const DRAWN: (usize, usize) = (2, 200);

#[test]
fn no_profile_is_accused_by_its_traffic() {
    let contract = crate::support::built_in();
    // The recordings are those of the checks that others look at, too.
    let settings = checked_settings().into_iter().step_by(tried(4, 1)).collect();
    try_all(settings, async |setting: String| {
        let seen = of_single_value(&setting).await;
        accused(contract, &setting, &seen.recording)
    });
}

#[test]
fn no_profile_that_is_drawn_is_accused_by_its_traffic() {
    let contract = crate::support::built_in();
    let profiles = combinations::profiles(1, tried(DRAWN.0, DRAWN.1));
    let checker = || Checker::new(contract);
    let accused = each(profiles, checker, |checker, settings| {
        let recording = checker.recording_of(&settings, Part::Varied.of_all());
        accused(contract, &format!("{settings:?}"), &recording)
    });
    let accused: Vec<_> = accused.into_iter().flatten().collect();
    assert!(accused.is_empty(), "{}", accused.join("\n"));
}

/// What the traffic of a check of a conforming service is accused of, and whether it decides little.
fn accused(contract: &Contract, settings: &str, recording: &Recording) -> Vec<String> {
    let exchanges = recording.exchanges().map(|(exchange, _)| exchange);
    let verdicts = judged(contract, &[archive(exchanges)]).run.verdicts;
    let facts = (0..contract.facts.len()).map(FactId);
    let held = facts
        .filter(|fact| verdicts.of(contract, *fact) == Verdict::Held)
        .count();
    let shows_little = (held <= 200).then(|| format!("{settings}: {held} facts held"));
    let findings = verdicts.findings().iter();
    let denied = findings.filter(|finding| finding.level == Level::Deny);
    let denied = denied.map(|finding| format!("{settings}: {} {}", named(contract, finding), finding.received));
    shows_little.into_iter().chain(denied).collect()
}
