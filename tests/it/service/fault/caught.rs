//! The table of faults, asked in both directions: each fault is caught by the rule that it names, at the place that it
//! breaks; and each fact of the contract has a fault.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use countersign::contract::Contract;
use countersign::contract::fact::{Fact, FactKind};
use countersign::plan::{Action, Plan, Probe};
use countersign::rules::RULES;
use countersign::service::fault::{Fault, Faults, faults};

use super::checker::{Checker, Extent, Found, scope};
use crate::support::crew::each;

/// What a fault of every operation names in the place of one.
const SCHEME: &str = "bearerAuth";

/// How many seeds a fault is looked for with: what a run draws one of, such as the date of a create or the create that is
/// sent twice at once, each of them has drawn.
const SEEDS: u64 = 13;

/// How many seeds draw each create once.
const CREATES: u64 = 4;

/// A service whose lists end within a page.
const WITHIN_A_PAGE: &str = "page-size=7";

/// Faults that no run shows, and why.
const NOT_SHOWN: [&str; 3] = [
    // What belongs to another record is not sent twice at once: it would stay there, beyond the twelve records of a run.
    "createContactMethod:one-identifier-at-once",
    "createContactMethod:one-lost-at-once",
    "createContactMethod:swapped-at-once",
];

#[test]
fn every_fault_is_caught_by_its_rule_at_its_place() {
    let contract = Contract::built_in().unwrap();
    let checker = || Checker::new(&contract);
    let missed = each(faults().iter().collect(), checker, |checker, fault| {
        missed(&contract, checker, fault)
    });
    let missed: BTreeMap<_, _> = missed.into_iter().flatten().collect();
    let names: Vec<_> = missed.keys().map(String::as_str).collect();
    let told = missed.values().cloned().collect();
    assert_eq!(names, NOT_SHOWN, "{} faults:\n{}", faults().len(), lines(&told));
}

/// What is wrong with the checks of a service that has this fault, by the fault's name.
fn missed(contract: &Contract, checker: &Checker<'_>, fault: &Fault) -> Option<(String, String)> {
    let on = Faults::named([&fault.name]).unwrap();
    let check = |settings: &[String], seed, extent| checker.check_of(settings, &on, (seed, extent));
    let is_caught = |found: &[Found]| found.iter().any(|found| catches(found, fault));
    let seed = seed(contract, fault);
    let own = contract.operation_named(&fault.operation).map(Extent::CoreOf);
    // One that many fields can show takes awkward values, which are none of the core's.
    let parts = if fault.elsewhere.is_empty() {
        own.into_iter().chain([Extent::Core]).collect()
    } else {
        vec![Extent::Varied]
    };
    if parts.into_iter().any(|part| is_caught(&check(&[], seed, part))) {
        return None;
    }
    let found = check(&[], seed, Extent::Whole);
    let elsewhere = || fault.rule == "pages" && is_caught(&check(&[WITHIN_A_PAGE.to_owned()], seed, Extent::Core));
    let seeds = if NOT_SHOWN.contains(&fault.name.as_str()) {
        CREATES
    } else {
        SEEDS
    };
    let otherwise = || {
        (1..=seeds)
            .filter(|other| *other != seed)
            .any(|seed| is_caught(&check(&[], seed, Extent::Whole)))
    };
    (!is_caught(&found) && !elsewhere() && !otherwise()).then(|| {
        let told = format!(
            "{}: no {} at `{}` on {:?}; found {found:?}",
            fault.name, fault.rule, fault.pointer, fault.fact
        );
        (fault.name.clone(), told)
    })
}

fn catches(found: &Found, fault: &Fault) -> bool {
    // Of a fact that belongs to no operation, a security scheme's or one that is not named, the call is one of the fault's,
    // or any where the fault is the scheme's.
    let is_of_the_fault = [&found.operation, SCHEME].contains(&fault.operation.as_str())
        || found.fact.starts_with(&format!("{} ", fault.operation));
    let seen = |rule: &str, fact: Option<&String>, pointer: &str| {
        let is_the_fact = match fact.filter(|fact| !fact.starts_with(SCHEME)) {
            Some(fact) => found.fact == *fact,
            None => is_of_the_fault && fact.is_none_or(|fact| found.fact == *fact),
        };
        found.rule == rule && is_the_fact && is_at(&found.pointer, pointer)
    };
    let mut elsewhere = fault.elsewhere.iter();
    seen(fault.rule, fault.fact.as_ref(), &fault.pointer)
        || elsewhere.any(|place| seen(place.rule, place.fact.as_ref(), &place.pointer))
}

fn is_at(pointer: &str, pattern: &str) -> bool {
    let (tokens, names) = (pointer.split('/'), pattern.split('/'));
    let alike = tokens
        .clone()
        .zip(names.clone())
        .all(|(token, name)| name == "*" || token == name);
    alike && tokens.count() == names.count()
}

/// A seed whose plan shows a wrong token to the fault's operation, if that is what it takes; 1 otherwise.
fn seed(contract: &Contract, fault: &Fault) -> u64 {
    let wrong_token = [
        Action::ProbeRead(Probe::WrongToken),
        Action::ProbeWrite(Probe::WrongToken),
    ];
    let shows = |seed: &u64| {
        let plan = Plan::new(contract, &scope(*seed));
        plan.steps.iter().any(|step| {
            wrong_token.contains(&step.action) && contract.operation(step.operation).name == fault.operation
        })
    };
    let needed = fault.name.ends_with(":let-in-with-a-wrong-token");
    let seed = || (1..100).find(shows);
    needed.then(seed).flatten().unwrap_or(1)
}

#[test]
fn a_service_without_faults_is_found_faultless() {
    let contract = Contract::built_in().unwrap();
    assert_eq!(Checker::new(&contract).check(&Faults::default(), 1, Extent::Whole), []);
}

#[test]
fn each_fact_has_a_fault_and_each_fault_names_a_fact_and_a_rule_that_exist() {
    let contract = Contract::built_in().unwrap();
    // No service breaks these without breaking another fact: they are about our client, and proven beside their rule.
    let of_the_service = |fact: &&Fact| fact.kind != FactKind::Decodes;
    let facts = contract.facts.iter().filter(of_the_service);
    let facts: HashSet<_> = facts.map(|fact| fact.name.as_str()).collect();
    let broken = faults().iter().flat_map(|fault| {
        let elsewhere = fault.elsewhere.iter().filter_map(|seen| seen.fact.as_deref());
        fault.fact.as_deref().into_iter().chain(elsewhere)
    });
    let broken: HashSet<_> = broken.collect();
    let lacking: BTreeSet<_> = facts
        .difference(&broken)
        .map(|fact| format!("no fault breaks `{fact}`"))
        .collect();
    let unknown: BTreeSet<_> = broken
        .difference(&facts)
        .map(|fact| format!("no fact is called `{fact}`"))
        .collect();
    assert!(
        lacking.is_empty() && unknown.is_empty(),
        "{}{}",
        lines(&lacking),
        lines(&unknown)
    );
    for fault in faults() {
        assert!(
            RULES.iter().any(|rule| rule.name == fault.rule),
            "{}: {}",
            fault.name,
            fault.rule
        );
    }
}

fn lines(texts: &BTreeSet<String>) -> String {
    texts.iter().fold(String::new(), |lines, text| lines + text + "\n")
}
