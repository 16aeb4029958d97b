//! The checker over every value and every pair of values: a service that conforms gets no finding that fails a run.

use std::collections::BTreeSet;
use std::time::Duration;

use countersign::client::Token;
use countersign::contract::Contract;
use countersign::exchange::redact::Values;
use countersign::exchange::{Limits, Target, Transport};
use countersign::plan::{Mark, Plan, Scope};
use countersign::rules::{Level, Levels};
use countersign::run::{self, Ended, Run, Settings};
use futures::StreamExt;

use super::{Running, TOKEN, pairs, single_values, with};

/// How many checks are under way at once.
const AT_ONCE: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_single_value_is_found_at_fault() {
    assert_no_findings(single_values().into_iter().map(|setting| vec![setting]).collect()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_two_values_are_found_at_fault_together() {
    assert_no_findings(pairs::profiles()).await;
}

async fn assert_no_findings(profiles: Vec<Vec<String>>) {
    let contract = Contract::built_in().unwrap();
    let checks = profiles.into_iter().map(async |settings| {
        let run = checked(&contract, &settings).await;
        (settings, run.ended.clone(), findings(&contract, &run))
    });
    let checks: Vec<_> = futures::stream::iter(checks).buffer_unordered(AT_ONCE).collect().await;
    let faulty: Vec<_> = checks
        .into_iter()
        .filter(|(_, ended, findings)| *ended != Ended::Complete || !findings.is_empty())
        .collect();
    assert!(faulty.is_empty(), "{faulty:#?}");
}

/// Returns every finding that fails a run.
fn findings(contract: &Contract, run: &Run) -> BTreeSet<String> {
    let findings = run.verdicts.findings().iter();
    let denied = findings.filter(|finding| finding.level == Level::Deny);
    let told = denied.map(|finding| {
        let operation = contract.facts[finding.fact.0].operation;
        let operation = &contract.operation(operation).name;
        let fact = &contract.facts[finding.fact.0].name;
        format!(
            "{operation} {}: {fact}, received {}",
            finding.rule.name, finding.received
        )
    });
    told.collect()
}

/// Checks a service with these settings, as `countersign check --writes` does.
async fn checked(contract: &Contract, settings: &[String]) -> Run {
    let service: Running = with(settings).await;
    let scope = Scope {
        writes: true,
        token: true,
        seed: 1,
        ..Scope::default()
    };
    let pace = Settings {
        jobs: 4,
        rate: None,
        settle: Duration::from_secs(5),
        max_writes: 20,
        max_pages: 200,
        mark: Mark::new(1, 1_800_000_000),
        levels: Levels::default(),
        values: Values::Hidden,
    };
    let target = Target::parse(&format!("http://{}", service.address())).unwrap();
    let token = Token::new(TOKEN).unwrap();
    let transport = Transport::new(target, Some(token), pace.mark.wrong_token(), Limits::default()).unwrap();
    let plan = Plan::new(contract, &scope);
    let mut ignored = |_: run::Event<'_>| {};
    run::run(
        contract,
        &plan,
        &transport,
        &pace,
        (&mut ignored, std::future::pending()),
    )
    .await
}
