//! Assigns the parts of a plan to shards. The main type is [`Share`].
//!
//! # Design
//!
//! A part is indivisible: a list and the creates whose records, by an invariant, are its items, since facts of the list
//! are decided by records that were created, and facts of the creates by reading the list; or a create with an inferred
//! lifecycle and the delete of its records; every other operation is a part by itself. Whatever a part depends on (the
//! operations whose responses fill its requests, the lists that show what it writes) is also called in this shard, as
//! rarely as possible, but is checked in the shard that owns it. So each fact falls to one shard, and each sequence of
//! dependent calls is complete within its shard: an update goes to a contact that its own shard created.
//!
//! The largest parts are assigned first, each to the shard that has the least so far. The seed has no influence on
//! that.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::shard::Shard;
use crate::contract::fact::{Fact, FactId, FactKind};
use crate::contract::operation::OperationId;
use crate::contract::{Contract, pointer};

/// The maximum number of requests with a wrong token in one run: a target may lock out a caller who guesses.
pub const WRONG_TOKENS: usize = 3;

/// The operations of one shard.
#[derive(Clone, Debug)]
pub(super) struct Share {
    /// The operations whose facts the shard checks.
    pub(super) own: HashSet<OperationId>,
    /// The operations that the shard calls because its own depend on them.
    pub(super) dependencies: HashSet<OperationId>,
    /// The facts that other shards check.
    pub(super) in_other_shards: BTreeSet<FactId>,
    /// The number of parts of the plan that send something: any more shards have nothing to do.
    pub(super) parts: usize,
    /// For each fact of a security scheme that falls to this shard, the scheme's location and the maximum number of
    /// wrong tokens that are sent for it.
    pub(super) wrong_tokens: Vec<(String, usize)>,
}

impl Share {
    /// Returns what falls to the shard. `called` are the operations that the whole plan calls, and `weight` is the cost
    /// of checking one of them.
    pub(super) fn new(
        contract: &Contract,
        called: &[OperationId],
        (shard, seed): (Shard, u64),
        weight: impl Fn(OperationId) -> usize,
    ) -> Self {
        let called: BTreeSet<_> = called.iter().copied().collect();
        let weight = |part: &Vec<OperationId>| -> usize {
            let called = part.iter().filter(|id| called.contains(id));
            called.map(|id| weight(*id).max(1)).sum()
        };
        let mut parts: Vec<_> = parts(contract).into_iter().map(|part| (weight(&part), part)).collect();
        // The sort is stable, so equal parts stay in the contract's order.
        parts.sort_by_key(|(weight, _)| Reverse(*weight));
        let mut loads = vec![0; usize::try_from(shard.of()).unwrap_or(1)];
        let mut own = HashSet::new();
        for (weight, part) in &parts {
            let lightest = (0..loads.len()).min_by_key(|index| loads[*index]).unwrap_or(0);
            loads[lightest] += weight;
            if u32::try_from(lightest + 1) == Ok(shard.number()) {
                own.extend(part.iter().copied());
            }
        }
        let dependencies = dependencies(contract, &own, &called);
        let facts = || (0..contract.facts.len()).map(FactId);
        let is_own = |id: &FactId| own.contains(&checking_operation(contract, contract.fact(*id), &called));
        Self {
            in_other_shards: facts().filter(|id| !is_own(id)).collect(),
            parts: parts.iter().filter(|(weight, _)| *weight > 0).count(),
            wrong_tokens: wrong_tokens(contract, (&called, seed), is_own),
            own,
            dependencies,
        }
    }
}

/// Returns the parts of a contract, with the operations of each in the contract's order.
fn parts(contract: &Contract) -> Vec<Vec<OperationId>> {
    let first_of_part = |id: OperationId| {
        let create = contract.lifecycle_ending_with(id).map(|lifecycle| lifecycle.create);
        contract.list_whose_items_are_created_by(id).or(create).unwrap_or(id)
    };
    let mut parts: Vec<Vec<OperationId>> = Vec::new();
    let mut places: HashMap<OperationId, usize> = HashMap::new();
    for id in contract.operation_ids() {
        let place = *places.entry(first_of_part(id)).or_insert(parts.len());
        if place == parts.len() {
            parts.push(Vec::new());
        }
        parts[place].push(id);
    }
    parts
}

/// Returns what is called in addition for the operations of a shard: where their values come from, directly or not, and
/// where what they write is listed.
fn dependencies(
    contract: &Contract,
    own: &HashSet<OperationId>,
    called: &BTreeSet<OperationId>,
) -> HashSet<OperationId> {
    let sends = own.iter().copied().filter(|id| called.contains(id));
    let mut pending: Vec<_> = sends.collect();
    let mut seen: HashSet<_> = pending.iter().copied().collect();
    let lists = pending.iter().map(|id| {
        [
            contract.list_showing_created_by(*id),
            contract.list_showing_updated_by(*id),
        ]
    });
    let lists: Vec<_> = lists.flatten().flatten().collect();
    pending.extend(lists.into_iter().filter(|list| seen.insert(*list)));
    while let Some(id) = pending.pop() {
        let sources = contract.links_to(id).map(|link| link.from);
        pending.extend(sources.filter(|source| seen.insert(*source)));
    }
    seen.retain(|id| called.contains(id) && !own.contains(id));
    seen
}

/// Returns the operation in whose shard a fact is checked: the one that it applies to, or for a security scheme the
/// first one called that requires it.
fn checking_operation(contract: &Contract, fact: &Fact, called: &BTreeSet<OperationId>) -> OperationId {
    let mut requiring = called
        .iter()
        .filter(|id| scheme_location(contract, **id).as_deref() == Some(&fact.location));
    match fact.kind {
        FactKind::RejectsWrongToken => requiring.next().copied().unwrap_or(fact.operation),
        _ => fact.operation,
    }
}

/// Returns the location of the security scheme of an operation.
pub(super) fn scheme_location(contract: &Contract, operation: OperationId) -> Option<String> {
    let name = contract.operation(operation).security.scheme_name()?;
    Some(pointer::join("/components/securitySchemes", name))
}

/// Returns the schemes whose fact falls to a shard, each with its portion of the wrong tokens: all shards together send
/// no more of them than a whole run does. The seed chooses which scheme gets the larger portion.
fn wrong_tokens(
    contract: &Contract,
    (called, seed): (&BTreeSet<OperationId>, u64),
    is_own: impl Fn(&FactId) -> bool,
) -> Vec<(String, usize)> {
    let is_required = |place: &str| {
        called
            .iter()
            .any(|id| scheme_location(contract, *id).as_deref() == Some(place))
    };
    let mut facts: Vec<_> = (0..contract.facts.len()).map(FactId).collect();
    facts.retain(|id| {
        let fact = contract.fact(*id);
        fact.kind == FactKind::RejectsWrongToken && is_required(&fact.location)
    });
    let count = facts.len().max(1);
    let offset = seed
        .checked_rem(u64::try_from(count).unwrap_or(1))
        .and_then(|offset| usize::try_from(offset).ok())
        .unwrap_or(0);
    let portion = |index: usize| WRONG_TOKENS / count + usize::from((index + offset) % count < WRONG_TOKENS % count);
    let portions = facts
        .into_iter()
        .enumerate()
        .filter(|(_, id)| is_own(id))
        .map(|(index, id)| (contract.fact(id).location.to_string(), portion(index)));
    portions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Action, CredentialProbe, Plan, Scope, Step};
    use crate::testing::tried;

    fn scope(writes: bool) -> Scope {
        Scope {
            writes,
            token: true,
            seed: 1,
            ..Scope::default()
        }
    }

    /// The plans of all shards, this many of them.
    fn shards(contract: &Contract, scope: &Scope, of: u32) -> Vec<Plan> {
        let shard = |number| Scope {
            shard: Shard::new(number, of).ok(),
            ..scope.clone()
        };
        (1..=of).map(|number| Plan::new(contract, &shard(number))).collect()
    }

    #[test]
    fn each_fact_falls_to_exactly_one_shard() {
        let contract = crate::testing::built_in();
        for writes in [true, false] {
            for of in 1..=7 {
                let plans = shards(contract, &scope(writes), of);
                for fact in (0..contract.facts.len()).map(FactId) {
                    let own = plans.iter().filter(|plan| !plan.in_other_shards.contains(&fact));
                    assert_eq!(own.count(), 1, "{} of {of}", contract.fact(fact).name);
                }
            }
        }
    }

    #[test]
    fn each_step_of_the_whole_plan_is_taken_in_some_shard_and_each_shard_takes_fewer() {
        let contract = crate::testing::built_in();
        for writes in [true, false] {
            let whole = Plan::new(contract, &scope(writes));
            for of in 2..=4 {
                let plans = shards(contract, &scope(writes), of);
                // The seed chooses where wrong tokens are sent, among the operations of one shard.
                let in_other_shards = |step: &&Step| step.action.probe() != Some(CredentialProbe::WrongToken);
                for step in whole.steps.iter().filter(in_other_shards) {
                    assert!(plans.iter().any(|plan| plan.steps.contains(step)), "{step:?} of {of}");
                }
                for plan in &plans {
                    assert!(!plan.steps.is_empty() && plan.steps.len() < whole.steps.len());
                }
            }
        }
    }

    #[test]
    fn every_fact_that_a_plan_decides_is_decided_by_the_plan_of_its_shard() {
        let contract = crate::testing::built_in();
        let decided = |plan: &Plan| -> BTreeSet<FactId> {
            let reported = plan.describe(contract);
            reported.into_iter().flat_map(|planned| planned.facts).collect()
        };
        for writes in [true, false] {
            let whole = decided(&Plan::new(contract, &scope(writes)));
            for of in 1..=6 {
                let plans = shards(contract, &scope(writes), of);
                let union: Vec<_> = plans.iter().flat_map(&decided).collect();
                assert_eq!(union.len(), whole.len(), "no fact is reported twice");
                assert_eq!(union.into_iter().collect::<BTreeSet<_>>(), whole);
            }
        }
    }

    #[test]
    fn a_list_stays_with_what_is_created_in_it_and_an_update_brings_its_own_record() {
        let contract = crate::testing::built_in();
        let id = |name| contract.operation_named(name).unwrap();
        let plans = shards(contract, &scope(true), 6);
        for (list, create) in [
            ("getContacts", "createContact"),
            ("getVisits", "createVisit"),
            ("getTags", "createTag"),
        ] {
            let owner = plans.iter().find(|plan| {
                plan.steps.contains(&Step {
                    operation: id(list),
                    action: Action::FillToSecondPage,
                })
            });
            let planned = |action| {
                owner
                    .unwrap()
                    .steps
                    .iter()
                    .any(|step| step.operation == id(create) && step.action == action)
            };
            assert!(planned(Action::Create) && planned(Action::VaryCreate), "{list}");
        }
        let updates = |plan: &&Plan| plan.steps.iter().any(|step| step.action == Action::Update);
        let update = plans.iter().find(updates).unwrap();
        let creates: Vec<_> = update
            .steps
            .iter()
            .filter(|step| step.action == Action::Create)
            .collect();
        assert_eq!(creates.len(), 1);
        assert_eq!(creates[0].operation, id("createContact"));
        assert!(
            update
                .steps
                .iter()
                .all(|step| step.action != Action::VaryCreate && step.action != Action::Walk)
        );
    }

    #[test]
    fn the_seed_moves_nothing_from_shard_to_shard() {
        let contract = crate::testing::built_in();
        for of in 1..=6 {
            let in_other_shards = |seed| {
                let plans = shards(contract, &Scope { seed, ..scope(true) }, of);
                plans.into_iter().map(|plan| plan.in_other_shards).collect::<Vec<_>>()
            };
            let by_the_first = in_other_shards(1);
            let mut others = (2..10).take(tried(3, 8));
            assert!(others.all(|seed| in_other_shards(seed) == by_the_first));
        }
    }

    #[test]
    fn one_shard_of_one_is_the_whole_plan() {
        let contract = crate::testing::built_in();
        for seed in 0..5 {
            let scope = Scope { seed, ..scope(true) };
            let only = shards(contract, &scope, 1).remove(0);
            assert_eq!(only.steps, Plan::new(contract, &scope).steps);
            assert!(only.in_other_shards.is_empty());
        }
    }

    #[test]
    fn as_many_shards_have_something_to_do_as_there_are_parts() {
        let contract = crate::testing::built_in();
        for writes in [true, false] {
            let parts = u32::try_from(shards(contract, &scope(writes), 1)[0].parts).unwrap();
            // Each list is a part, and what writes need is one more at least.
            let lists = contract.operations.iter().filter(|operation| operation.page.is_some());
            assert!(parts as usize >= lists.count() + usize::from(writes));
            let plans = shards(contract, &scope(writes), parts);
            assert!(plans.iter().all(|plan| u32::try_from(plan.parts) == Ok(parts)));
            assert!(plans.iter().all(|plan| !plan.steps.is_empty()));
            let beyond = shards(contract, &scope(writes), parts + 1);
            assert_eq!(beyond.iter().filter(|plan| plan.steps.is_empty()).count(), 1);
        }
    }

    #[test]
    fn all_shards_together_show_no_more_wrong_tokens_than_a_whole_run() {
        let schemes = "a: {type: http, scheme: bearer}, b: {type: http, scheme: bearer}";
        let operation = |name: &str, scheme: &str| {
            format!(
                "  /{name}: {{get: {{operationId: {name}, security: [{{{scheme}: []}}], responses: {{'200': {{description: a}}}}}}}}\n"
            )
        };
        let paths: String = ["a", "b"]
            .iter()
            .flat_map(|scheme| (0..4).map(move |index| operation(&format!("{scheme}{index}"), scheme)))
            .collect();
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\ncomponents: {{securitySchemes: {{{schemes}}}}}\npaths:\n{paths}"
        );
        let two = Contract::read("a.yaml", text).unwrap();
        for contract in [&two, crate::testing::built_in()] {
            for of in 1..=4 {
                for seed in 0..4 {
                    let plans = shards(contract, &Scope { seed, ..scope(true) }, of);
                    let steps = plans.iter().flat_map(|plan| &plan.steps);
                    let wrong = steps.filter(|step| step.action.probe() == Some(CredentialProbe::WrongToken));
                    let wrong = wrong.count();
                    assert!((1..=WRONG_TOKENS).contains(&wrong), "{wrong} of {of}");
                    for plan in &plans {
                        let facts = contract.facts.iter().enumerate().filter(|(index, fact)| {
                            fact.kind == FactKind::RejectsWrongToken && !plan.in_other_shards.contains(&FactId(*index))
                        });
                        let shown = plan
                            .steps
                            .iter()
                            .any(|step| step.action.probe() == Some(CredentialProbe::WrongToken));
                        assert_eq!(facts.count() > 0, shown);
                    }
                }
            }
        }
    }
}
