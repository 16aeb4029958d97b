//! Holds a run to its recording: judged again, it gives the verdicts and the findings of the run.

use countersign::contract::Contract;
use countersign::contract::fact::FactId;
use countersign::rules::{Levels, Verdicts};
use countersign::run::{Ended, Run};

/// Judges the recording of a run again, where it has one, at the levels that every rule has by itself.
///
/// # Panics
///
/// Where a verdict or a finding is not the run's.
#[track_caller]
pub(crate) fn assert_judged_again(contract: &Contract, run: &Run) {
    let reached = !matches!(run.ended, Ended::NotReady(..) | Ended::Unreachable(_));
    let Some(recording) = run.recording.as_ref().filter(|_| reached) else {
        return;
    };
    let again = recording.judge(contract, Levels::default());
    for (index, fact) in contract.facts.iter().enumerate() {
        let of = |verdicts: &Verdicts| verdicts.of(contract, FactId(index));
        assert_eq!(of(&again), of(&run.verdicts), "{}", fact.name);
    }
    assert_eq!(findings(contract, &again), findings(contract, &run.verdicts));
}

/// Every finding, with all that is told of it.
fn findings(contract: &Contract, verdicts: &Verdicts) -> Vec<String> {
    let findings = verdicts.findings().iter();
    let told = findings.map(|finding| {
        let (level, rule, fact) = (finding.level, finding.rule.name, &contract.fact(finding.fact).name);
        let (at, received, exchange) = (&finding.pointer, &finding.received, finding.exchange);
        let (path, count) = (&finding.request.path, finding.count);
        format!("{level:?} {rule}: {fact} at {at}, received {received}, in {exchange:?} to {path}, {count} times")
    });
    told.collect()
}
