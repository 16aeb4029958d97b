//! A changed contract needs no new Rust: a made-up resource is added to a copy of `openapi.yaml`, and is planned,
//! judged and proven like the others. Only its stub, in this process, knows it.

mod harbour;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use chrono::DateTime;
use countersign::Check;
use countersign::contract::Contract;
use countersign::contract::fact::{Fact, FactId, FactKind};
use countersign::contract::operation::OperationId;
use countersign::plan::{Action, Plan, Scope, Shard};
use countersign::rules::Verdict;
use countersign::run::Run;

use super::call::TOKEN;
use crate::support::again::any_element;
use crate::support::parallel::try_all;
use crate::support::tried;
use harbour::{Harbour, Way};

const OPERATIONS: [&str; 3] = ["getBoats", "createBoat", "updateBoat"];

/// The contract with the resource in it.
static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(|| {
    let (paths, schemas) = (
        include_str!("invented/boats.yaml"),
        include_str!("invented/schemas.yaml"),
    );
    let text = Contract::BUILT_IN.replacen("\ncomponents:\n", &format!("\n{paths}\ncomponents:\n"), 1);
    let text = text.replacen("\n  schemas:\n", &format!("\n  schemas:\n{schemas}\n"), 1);
    Arc::new(Contract::read("openapi.yaml", text).unwrap_or_else(|defect| panic!("{defect}")))
});

fn operations() -> Vec<OperationId> {
    OPERATIONS
        .iter()
        .map(|name| CONTRACT.operation_named(name).unwrap())
        .collect()
}

/// The facts of the resource.
fn facts() -> impl Iterator<Item = (FactId, &'static Fact)> {
    let facts = CONTRACT
        .facts
        .iter()
        .enumerate()
        .map(|(index, fact)| (FactId(index), fact));
    facts.filter(|(_, fact)| operations().contains(&fact.operation))
}

fn scope() -> Scope {
    Scope {
        writes: true,
        token: true,
        only: operations(),
        seed: 1,
        ..Scope::default()
    }
}

async fn checked(broken: Option<Fact>, way: Way) -> Run {
    checked_in(None, broken, way).await
}

async fn checked_in(shard: Option<Shard>, broken: Option<Fact>, way: Way) -> Run {
    let check = Check::new(Arc::clone(&CONTRACT)).service(Harbour::router(broken, way));
    let check = OPERATIONS
        .into_iter()
        .fold(check.token(TOKEN).writes(true), Check::only);
    let check = shard.into_iter().fold(check, Check::shard);
    let check = check
        .seed(1)
        .started_at(DateTime::UNIX_EPOCH + Duration::from_micros(1));
    let check = check.jobs(2).settle(Duration::from_millis(50)).max_pages(20);
    tokio::time::pause();
    let report = check.run().await.unwrap();
    tokio::time::resume();
    report.into_run()
}

#[test]
fn an_invented_resource_is_planned() {
    let plan = Plan::new(&CONTRACT, &scope());
    let planned = |operation: &str, action| {
        let operation = CONTRACT.operation_named(operation).unwrap();
        plan.steps
            .iter()
            .any(|step| step.operation == operation && step.action == action)
    };
    for (operation, action) in [
        ("getBoats", Action::Walk),
        ("createBoat", Action::Create),
        ("getBoats", Action::LookForCreated),
        ("updateBoat", Action::Update),
        ("getBoats", Action::LookForUpdates),
    ] {
        assert!(planned(operation, action), "{operation} {action:?}");
    }
}

#[test]
fn each_fact_of_an_invented_resource_is_held_by_its_stub() {
    let runtime = crate::support::parallel::runtime();
    let run = runtime.block_on(checked(None, Way::Dropped));
    assert!(run.verdicts.findings().is_empty(), "{:?}", run.verdicts.findings());
    assert_eq!(facts().count(), 108);
    for (id, fact) in facts() {
        assert_eq!(run.verdicts.of(&CONTRACT, id), Verdict::Held, "{}", fact.name);
    }
}

#[tokio::test]
async fn an_invented_resource_is_split_into_shards_that_decide_it_together() {
    assert_eq!(Plan::new(&CONTRACT, &scope()).parts, 2);
    let mut runs = Vec::new();
    for number in 1..=2 {
        let shard = Shard::new(number, 2).ok();
        runs.push(checked_in(shard, None, Way::Dropped).await);
    }
    for (id, fact) in facts() {
        let held = runs
            .iter()
            .filter(|run| run.verdicts.of(&CONTRACT, id) == Verdict::Held);
        assert_eq!(held.count(), 1, "{}", fact.name);
    }
    for run in &runs {
        assert!(run.verdicts.findings().is_empty(), "{:?}", run.verdicts.findings());
        assert!(run.tally.sent < 100 && run.tally.writes > 0, "{:?}", run.tally);
    }
}

#[test]
fn each_fact_of_an_invented_resource_is_found_when_its_stub_breaks_it() {
    let ways = |fact: &Fact| match fact.kind {
        FactKind::Present => vec![Way::Dropped, Way::Renamed],
        _ => vec![Way::OtherType],
    };
    let cases = facts().flat_map(|(id, fact)| ways(fact).into_iter().map(move |way| (id, fact, way)));
    try_all(
        cases.step_by(tried(11, 1)).collect(),
        async |(id, fact, way): (FactId, &Fact, Way)| {
            let run = checked(Some(fact.clone()), way).await;
            let mut findings = run.verdicts.findings().iter();
            let at_its_place = findings.any(|finding| {
                let pointer = any_element(&finding.pointer);
                // What a closed object has too much is in it; what is listed is in an item of the list.
                finding.fact == id
                    && (pointer.starts_with(&*fact.response_pointer) || pointer.ends_with(&*fact.response_pointer))
            });
            match run.verdicts.of(&CONTRACT, id) {
                Verdict::Broken if at_its_place => Vec::new(),
                verdict => vec![format!(
                    "{} {way:?}: {verdict:?}, {:?}",
                    fact.name,
                    run.verdicts.findings()
                )],
            }
        },
    );
}
