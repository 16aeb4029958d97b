//! Recorded traffic of the reference service: what one exchange shows is found in a recording of it as in a check, and
//! nothing else is found.

use std::collections::{BTreeSet, HashSet};

use countersign::Recording;
use countersign::contract::Contract;
use countersign::contract::fact::FactId;
use countersign::exchange::Exchange;
use countersign::rules::{Finding, Level, Verdict, Verdicts};
use countersign::service::AXES;
use countersign::service::fault::faults;

use super::caught::{SHOWN_BY_RUNS, of_one_operation_each};
use super::checker::{Checker, Part};
use crate::service::profile::combinations;
use crate::support::archive::{archive, judged};
use crate::support::crew::each;
use crate::support::{is_exhaustive, tried};

/// Rules about requests that must be rejected, which nobody but a check is known to send, and about responses that never
/// came, which an archive does not have.
const OF_A_CHECK: [&str; 3] = ["auth", "challenge", "unfinished-answer"];

#[test]
fn every_fault_that_one_exchange_shows_is_found_in_its_traffic() {
    let contract = Contract::built_in().unwrap();
    let edits: Vec<_> = faults().iter().filter(|fault| fault.edits().is_some()).collect();
    let edits = if is_exhaustive() {
        edits
    } else {
        of_one_operation_each(edits)
    };
    let recording = Checker::new(&contract).recording(Part::Varied.of_all());
    let checker = || Checker::new(&contract);
    let shown = each(edits, checker, |checker, fault| {
        let (exchanges, verdicts) = checker.replayed(&recording, fault);
        let expected = of_one_exchange(&contract, &recording, (&exchanges, &verdicts));
        let found = findings(&contract, &judged(&contract, &[archive(&exchanges)]).run.verdicts);
        let in_a_check = findings(&contract, &verdicts);
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
    assert!(seen >= tried(20, 100), "only {seen} faults show in one exchange");
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
const DRAWN: (usize, usize) = (12, 200);

#[test]
fn no_profile_is_accused_by_its_traffic() {
    let settings = AXES.iter().flat_map(|axis| {
        axis.values
            .iter()
            .map(move |value| vec![format!("{}={}", axis.name, value.name)])
    });
    let mut settings: Vec<_> = settings.collect();
    if !is_exhaustive() {
        settings = settings.into_iter().step_by(4).collect();
    }
    assert_not_accused(settings);
}

#[test]
fn no_profile_that_is_drawn_is_accused_by_its_traffic() {
    assert_not_accused(combinations::profiles(1, tried(DRAWN.0, DRAWN.1)));
}

/// Records a check of a service of each profile: its traffic decides much, and no finding in it is at deny.
fn assert_not_accused(profiles: Vec<Vec<String>>) {
    let contract = Contract::built_in().unwrap();
    let accused = each(
        profiles,
        || Checker::new(&contract),
        |checker, settings| {
            let recording = checker.recording_of(&settings, Part::Varied.of_all());
            let exchanges = recording.exchanges().map(|(exchange, _)| exchange);
            let judged = judged(&contract, &[archive(exchanges)]);
            let held = (0..contract.facts.len())
                .filter(|fact| judged.run.verdicts.of(&contract, FactId(*fact)) == Verdict::Held);
            assert!(held.count() > 200, "{settings:?} shows little");
            let denied = judged
                .run
                .verdicts
                .findings()
                .iter()
                .filter(|finding| finding.level == Level::Deny);
            denied
                .map(|finding| {
                    format!(
                        "{settings:?}: {} {}",
                        contract.fact(finding.fact).name,
                        finding.received
                    )
                })
                .collect::<Vec<_>>()
        },
    );
    let accused: Vec<_> = accused.into_iter().flatten().collect();
    assert!(accused.is_empty(), "{}", accused.join("\n"));
}
