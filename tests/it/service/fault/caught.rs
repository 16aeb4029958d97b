//! The table of faults, in both directions: each fault is caught by the rule that it names, at the location that it
//! breaks, and an edit of one response causes no other finding; and each fact of the contract has a fault.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use countersign::contract::Contract;
use countersign::contract::fact::{Fact, FactKind};
use countersign::contract::operation::OperationId;
use countersign::plan::{Action, CredentialProbe, Plan};
use countersign::rules::RULES;
use countersign::service::fault::{Fault, Faults, faults};

use super::checker::{Checker, Found, Part, scope};
use crate::support::again::any_element;
use crate::support::is_exhaustive;
use crate::support::parallel::each;

/// What a fault of every operation names in the place of one.
const SCHEME: &str = "bearerAuth";

/// How many seeds a fault is looked for with. Where a run chooses one of several, such as the date of a create or the
/// create that is sent twice at once, these seeds together choose each.
const SEEDS: u64 = 13;

/// How many seeds pick each create once.
const CREATES: u64 = 4;

/// A service whose lists end within a page.
const WITHIN_A_PAGE: &str = "page-size=7";

/// Faults that no run shows, and why.
const NOT_SHOWN: [&str; 3] = [
    // What belongs to another record is not sent twice at once: it would stay there, beyond the twelve records of a
    // run.
    "createContactMethod:one-identifier-at-once",
    "createContactMethod:one-lost-at-once",
    "createContactMethod:swapped-at-once",
];

/// Faults that are edits of one response and take a run: it asks for the page that `last_page` then names, or for pages
/// of another size.
pub(super) const SHOWN_BY_RUNS: [&str; 8] = [
    "getContacts:full-last-page-counted",
    "getContacts:last-page-rounded",
    "getTags:full-last-page-counted",
    "getTags:last-page-rounded",
    "getVenues:full-last-page-counted",
    "getVenues:last-page-rounded",
    "getVisits:full-last-page-counted",
    "getVisits:last-page-rounded",
];

#[test]
fn every_fault_is_caught_by_its_rule_at_its_location() {
    let contract = crate::support::built_in();
    let (mut edits, others) = faults()
        .iter()
        .partition::<Vec<_>, _>(|fault| fault.edited_operation().is_some());
    if !is_exhaustive() {
        edits = of_each_rule(of_one_operation_each(edits));
    }
    let by_runs = edits.iter().map(|fault| fault.name.as_str());
    let mut by_runs: Vec<_> = by_runs.filter(|name| SHOWN_BY_RUNS.contains(name)).collect();
    by_runs.sort_unstable();
    let count = edits.len();
    let unshown = unshown(contract, edits);
    let names: Vec<_> = unshown.iter().map(|fault| fault.name.as_str()).collect();
    assert_eq!(names, by_runs, "of {count} edits");
    if is_exhaustive() {
        return assert_each_is_caught(contract, faults().iter().collect(), &NOT_SHOWN);
    }
    let mut live = [others, unshown].concat();
    live.retain(|fault| !NOT_SHOWN.contains(&fault.name.as_str()));
    assert_each_is_caught(contract, of_each_rule(of_one_operation_each(live)), &[]);
}

/// Of the faults that a rule catches every fortieth.
fn of_each_rule(faults: Vec<&Fault>) -> Vec<&Fault> {
    let mut of_rules: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for fault in faults {
        of_rules.entry(fault.rule).or_default().push(fault);
    }
    of_rules
        .into_values()
        .flat_map(|faults| faults.into_iter().step_by(40))
        .collect()
}

/// Of the faults that deviate alike in several operations those of one of these, each time of the next.
pub(super) fn of_one_operation_each(faults: Vec<&Fault>) -> Vec<&Fault> {
    let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for fault in faults {
        let deviation = fault.name.rsplit(':').next();
        alike.entry(deviation).or_default().push(fault);
    }
    let in_turn = alike.values().enumerate();
    in_turn.map(|(turn, faults)| faults[turn % faults.len()]).collect()
}

/// The faults that a recording of the faultless service does not show, with its responses edited. Where it shows one,
/// nothing is found that does not follow from it.
fn unshown<'faults>(contract: &Contract, edits: Vec<&'faults Fault>) -> Vec<&'faults Fault> {
    let checker = || Checker::new(contract);
    let operations = (0..contract.operations.len()).map(OperationId);
    // What a part shows the whole shows too; what else the whole shows is asked where everything is tried.
    let parts = if is_exhaustive() {
        &[Part::Whole][..]
    } else {
        &[Part::Core, Part::Whole]
    };
    let extents = operations.flat_map(|operation| parts.iter().map(move |part| part.of(operation)));
    let extents = extents.chain([Part::Whole.of_all()]);
    let recordings: HashMap<_, OnceLock<_>> = extents.map(|extent| (extent, OnceLock::new())).collect();
    let tried = each(edits, checker, |checker, fault| {
        let own = contract.operation_named(&fault.operation).unwrap();
        let extents = parts.iter().map(|part| part.of(own)).chain([Part::Whole.of_all()]);
        let mut found = extents.map(|extent| {
            let (recording, sound) = recordings[&extent].get_or_init(|| {
                let recording = checker.recording(extent);
                // An operation beyond the extent was not checked.
                let sound = checker.judged(&recording);
                (recording, sound)
            });
            let mut found = checker.replay(recording, fault);
            found.retain(|found| !sound.contains(found));
            found
        });
        let shown = found.find(|found| found.iter().any(|found| catches(found, fault)));
        match shown {
            None => (Some(fault), Vec::new()),
            Some(found) => (None, astray(fault, &found)),
        }
    });
    let (unshown, astray): (Vec<_>, Vec<_>) = tried.into_iter().unzip();
    let astray: BTreeSet<_> = astray.into_iter().flatten().collect();
    assert!(astray.is_empty(), "{}", lines(&astray));
    let mut unshown: Vec<_> = unshown.into_iter().flatten().collect();
    unshown.sort_by_key(|fault| &fault.name);
    unshown
}

/// What a fault brings about beyond the location that it breaks: the end of its name, and the rules that say so.
const FOLLOWING: [(&str, &[&str]); 8] = [
    // A record that is sent under one identifier and shown under another is not known again, and one shown under
    // that of others is taken for them.
    ("/id:retyped", &["listed", "pages"]),
    (":identifier-no-uuid", &["listed"]),
    (":listed-under-another-id", &["stored-values", "record-count"]),
    // What was stored shows in the list.
    (":method-not-allowed", &["rejected-but-stored"]),
    (":methods-unlisted", &["rejected-but-stored"]),
    (":not-found", &["rejected-but-stored"]),
    (":full-last-page-short", &["pages"]),
    (":unwrapped", &["envelope", "missing-field"]),
];

/// What else than the fault is found, and a new name that is not.
fn astray(fault: &Fault, found: &[Found]) -> Vec<String> {
    let (caught, others): (Vec<_>, Vec<_>) = found.iter().partition(|found| catches(found, fault));
    let new_name = fault.name.ends_with(":renamed").then(|| {
        let (parent, name) = fault.pointer.rsplit_once('/').unwrap_or_default();
        format!("{parent}/renamed_{name}")
    });
    let is_new_name = |found: &Found| {
        let names_it = ["envelope", "undocumented-field"].contains(&found.rule) && found.operation == fault.operation;
        names_it && new_name.as_ref().is_some_and(|name| is_at(&found.pointer, name))
    };
    let follows = |found: &Found| {
        let at_the_location = |caught: &&Found| {
            let (location, other) = (any_element(&caught.pointer), any_element(&found.pointer));
            let is_below = !location.is_empty() && other.starts_with(&format!("{location}/"));
            caught.operation == found.operation && (location == other || is_below)
        };
        let mut following = FOLLOWING.iter();
        caught.iter().any(at_the_location)
            || is_new_name(found)
            || following.any(|(end, rules)| fault.name.ends_with(end) && rules.contains(&found.rule))
    };
    let untold = (new_name.is_some() && !others.iter().any(|found| is_new_name(found)))
        .then(|| format!("{}: the new name is not reported", fault.name));
    let astray = others.iter().filter(|found| !follows(found));
    astray
        .map(|found| format!("{}: {found:?}", fault.name))
        .chain(untold)
        .collect()
}

fn assert_each_is_caught(contract: &Contract, faults: Vec<&Fault>, but: &[&str]) {
    let count = faults.len();
    let checker = || Checker::new(contract);
    let missed = each(faults, checker, |checker, fault| missed(contract, checker, fault));
    let missed: BTreeMap<_, _> = missed.into_iter().flatten().collect();
    let names: Vec<_> = missed.keys().map(String::as_str).collect();
    let reported = missed.values().cloned().collect();
    assert_eq!(names, but, "{count} faults:\n{}", lines(&reported));
}

/// What is wrong with the checks of a service that has this fault, by the fault's name.
fn missed(contract: &Contract, checker: &Checker<'_>, fault: &Fault) -> Option<(String, String)> {
    let on = Faults::named([&fault.name]).unwrap();
    let check = |settings: &[String], seed, extent| checker.check_of(settings, &on, (seed, extent));
    let is_caught = |found: &[Found]| found.iter().any(|found| catches(found, fault));
    let seed = seed(contract, fault);
    let seeds = if NOT_SHOWN.contains(&fault.name.as_str()) {
        CREATES
    } else {
        SEEDS
    };
    // One that many fields can show takes awkward values, which are none of the core's, and one of edge cases takes
    // those.
    let is_of_edge_cases = fault.fact.as_ref().is_some_and(|fact| fact.contains(" edge cases: "));
    let parts = match (fault.other_findings.is_empty(), is_of_edge_cases) {
        (false, _) => [Part::Varied; 2],
        (true, true) => [Part::Whole; 2],
        (true, false) if is_exhaustive() => [Part::Core, Part::Whole],
        (true, false) => [Part::Core, Part::Varied],
    };
    let own = contract.operation_named(&fault.operation);
    let of_own = own.into_iter().flat_map(|own| {
        let first = (seed, parts[0].of(own));
        [first]
            .into_iter()
            .chain((1..=seeds).map(move |seed| (seed, parts[1].of(own))))
    });
    let within_a_page =
        || fault.rule == "pages" && is_caught(&check(&[WITHIN_A_PAGE.to_owned()], seed, Part::Core.of_all()));
    if within_a_page() {
        return None;
    }
    let of_all = [(seed, parts[0].of_all())];
    let mut quickly = of_own.chain(of_all);
    if quickly.any(|(seed, extent)| is_caught(&check(&[], seed, extent))) {
        return None;
    }
    let found = check(&[], seed, Part::Whole.of_all());
    let otherwise = || {
        (1..=seeds)
            .filter(|other| *other != seed)
            .any(|seed| is_caught(&check(&[], seed, Part::Whole.of_all())))
    };
    (!is_caught(&found) && !otherwise()).then(|| {
        let reported = format!(
            "{}: no {} at `{}` on {:?}; found {found:?}",
            fault.name, fault.rule, fault.pointer, fault.fact
        );
        (fault.name.clone(), reported)
    })
}

fn catches(found: &Found, fault: &Fault) -> bool {
    // Of a fact that belongs to no operation, a security scheme's or one that is not named, the call is one of the
    // fault's, or any where the fault is the scheme's.
    let is_of_the_fault = [&found.operation, SCHEME].contains(&fault.operation.as_str())
        || found.fact.starts_with(&format!("{} ", fault.operation));
    let seen = |rule: &str, fact: Option<&String>, pointer: &str| {
        let is_the_fact = match fact.filter(|fact| !fact.starts_with(SCHEME)) {
            Some(fact) => found.fact == *fact,
            None => is_of_the_fault && fact.is_none_or(|fact| found.fact == *fact),
        };
        found.rule == rule && is_the_fact && is_at(&found.pointer, pointer)
    };
    let mut elsewhere = fault.other_findings.iter();
    seen(fault.rule, fault.fact.as_ref(), &fault.pointer)
        || elsewhere.any(|location| seen(location.rule, location.fact.as_ref(), &location.pointer))
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
        Action::ProbeRead(CredentialProbe::WrongToken),
        Action::ProbeWrite(CredentialProbe::WrongToken),
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
    let contract = crate::support::built_in();
    assert_eq!(
        Checker::new(contract).check(&Faults::default(), 1, Part::Whole.of_all()),
        []
    );
}

#[test]
fn each_fact_has_a_fault_and_each_fault_names_a_fact_and_a_rule_that_exist() {
    let contract = crate::support::built_in();
    // No service breaks these without breaking another fact: they are about our client, and proven beside their rule.
    let of_the_service = |fact: &&Fact| fact.kind != FactKind::Decodes;
    let facts = contract.facts.iter().filter(of_the_service);
    let facts: HashSet<_> = facts.map(|fact| fact.name.as_str()).collect();
    let broken = faults().iter().flat_map(|fault| {
        let elsewhere = fault.other_findings.iter().filter_map(|seen| seen.fact.as_deref());
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
    for fact in &contract.facts {
        let ways: &[&str] = match fact.kind {
            FactKind::Present => &["dropped", "renamed"],
            FactKind::Type => &["null", "retyped"],
            _ => &[],
        };
        for way in ways {
            let breaks =
                |fault: &&Fault| fault.fact.as_deref() == Some(&fact.name) && fault.edited_operation().is_some();
            let mut faults = faults().iter().filter(breaks);
            assert!(
                faults.any(|fault| fault.name.ends_with(&format!(":{way}"))),
                "{} {way}",
                fact.name
            );
        }
    }
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
