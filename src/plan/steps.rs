//! Orders the steps of a run. The main type is [`Plan`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::action::{Action, CredentialProbe, ShownBy};
use super::body;
use super::edge_case::{edge_cases, unknown_identifiers_of_path};
use super::optional;
use super::question::{Asks, Question, text_fields_with_open_side_effect};
use super::scope::{Scope, SettledAnswers, shown_by};
use super::shard::{NotCalled, Shard};
use super::share::{Share, scheme_location};
use super::source::{ValueAvailability, sources};
use super::traceable_writes::TraceableWrites;
use super::variants::{variants, varies};
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::contract::operation::{
    Method, OperationId, Parameter, ParameterLocation, Security, SecurityScheme, turns_into_another_request,
};
use crate::contract::parameter_side_effects;
use crate::contract::pointer;
use crate::contract::query::{deletes_more, has_side_effect};
use crate::contract::vocabulary::{EdgeCaseKind, GapKind};

/// How many fields of another type a run that learns sends to an operation: they show how it rejects an invalid body.
const MISTYPED_FIELDS: usize = 2;

/// One step: an operation, and what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation.
    pub operation: OperationId,
    /// What is done.
    pub action: Action,
}

/// The steps of a run, and the operations that are not called.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The steps in order. Consecutive walks, also those of inferred pages, may run at the same time, and so may probes
    /// of reads, edge cases of reads and reads with optional parameters: see [`Plan::groups`] and
    /// [`concurrent_sequences`]. A read that takes a value from a create comes after all creates, or between them where
    /// another create takes what it shows; its own calls that must be rejected come after it.
    pub steps: Vec<Step>,
    /// Operations that are not called, each with the reason.
    pub not_called: Vec<(OperationId, NotCalled)>,
    /// The seed of the run's choices.
    pub seed: u64,
    /// The shard that this plan is for; `None` for the whole plan.
    pub shard: Option<Shard>,
    /// The number of parts in the whole plan: any more shards would have nothing to do.
    pub parts: usize,
    /// The facts that other shards check.
    pub in_other_shards: BTreeSet<FactId>,
    /// What shows the record of each create from which later writes take an identifier: the record is looked for there
    /// before the first of them.
    pub shown_by: BTreeMap<OperationId, ShownBy>,
    /// The operations that are sent because the setting `also_send` names them, whatever they change.
    pub also_sent: Vec<OperationId>,
    /// Whether the run is to learn what the document leaves open, and judges nothing else.
    pub learns: bool,
    /// What the run asks about the gaps: when it is to learn, and of the answers that the contract states.
    pub questions: Vec<Question>,
    /// The creates with a field of which it asks what else it causes.
    pub creates_with_open_effect: BTreeSet<OperationId>,
    /// The operations that a run reports on, called or not (*selected*, in the documentation): all but those that
    /// `only`, `skip` or the shard excludes and, in a run that only reads, the writes that `only` does not name.
    pub in_scope: BTreeSet<OperationId>,
    /// The operations that `only` names; none if it names none. The others in scope are there because these need them.
    pub named: BTreeSet<OperationId>,
}

impl Plan {
    /// Plans a run.
    #[must_use]
    pub fn new(contract: &Contract, scope: &Scope) -> Self {
        let mut plan = Self {
            steps: Vec::new(),
            not_called: Vec::new(),
            seed: scope.seed,
            shard: scope.shard,
            parts: 0,
            in_other_shards: BTreeSet::new(),
            shown_by: BTreeMap::new(),
            also_sent: scope.also_send.clone(),
            learns: scope.learn.is_some(),
            questions: Vec::new(),
            creates_with_open_effect: BTreeSet::new(),
            in_scope: BTreeSet::new(),
            named: scope.only.iter().copied().collect(),
        };
        let wanted = requested_and_needed(contract, scope);
        let is_unselected = |id: &OperationId| {
            // A write that the user names is selected, whether it may be sent or not.
            let writes = !contract.operation(*id).is_get() && !scope.writes && !scope.only.contains(id);
            scope.skip.contains(id) || !wanted.contains(id) || writes
        };
        let traceable = TraceableWrites::new(contract, scope);
        let mut called = Vec::new();
        for id in link_order(contract) {
            let reason = reason_against(contract, scope, &wanted, id).or_else(|| traceable.reason_against(id));
            match reason {
                Some(reason) => plan.not_called.push((id, NotCalled::Because(reason))),
                None => called.push(id),
            }
        }
        let value_availability = ValueAvailability::new(contract, &called);
        called.retain(|id| !value_availability.without_value.contains_key(id));
        let without_path_value = value_availability.without_value.keys().copied();
        let without_path_value = without_path_value
            .filter(|id| unknown_identifiers_of_path(contract, *id, scope.seed).is_some() && !is_unselected(id));
        let without_path_value: BTreeSet<_> = without_path_value.filter(|_| scope.learn.is_none()).collect();
        let without_value = value_availability.without_value.iter();
        let without_value = without_value.map(|(id, missing)| (*id, NotCalled::Because(missing.to_string())));
        plan.not_called.extend(without_value);
        let shard = scope.shard.unwrap_or(Shard::WHOLE);
        let calls: HashSet<_> = called.iter().copied().collect();
        let given = (scope.seed, &value_availability);
        let of_one = |id: &OperationId| steps_of(contract, *id, read_back(contract, *id, &calls), given);
        let steps: BTreeMap<_, _> = called.iter().map(|id| (*id, of_one(id))).collect();
        let weight = |id| steps.get(&id).map_or(0, Vec::len);
        let share = Share::new(contract, &called, (shard, scope.seed), weight);
        let own = contract.operation_ids().filter(|id| share.own.contains(id));
        plan.in_scope = own.filter(|id| !is_unselected(id)).collect();
        for operation in without_path_value.intersection(&plan.in_scope) {
            // Nothing fills its path, but what it does with an unknown identifier can be seen all the same.
            let edge_cases = edge_cases(contract, *operation, scope.seed).into_iter();
            plan.steps.extend(edge_cases.map(|edge_case| Step {
                operation: *operation,
                action: Action::EdgeCaseRead(edge_case),
            }));
        }
        plan.add_steps_of_share(contract, (&called, steps), share, &value_availability);
        plan.residue_looks(contract, &called);
        plan.add_deletes(contract, &called);
        match &scope.learn {
            Some(gaps) => plan.ask_about_gaps(contract, gaps, &scope.settled_answers),
            None => plan.ask_again(contract),
        }
        plan.shown_by = shown_by(contract, scope);
        plan.not_called.sort_by_key(|(id, _)| *id);
        plan.steps
            .sort_by_key(|step| order_key(contract, &value_availability, step));
        plan
    }

    /// Whether neither this run nor another shard calls an operation, for the reason in [`Self::not_called`].
    #[must_use]
    pub fn leaves_out(&self, operation: OperationId) -> bool {
        let index = self.not_called.binary_search_by_key(&operation, |(id, _)| *id);
        index.is_ok_and(|index| matches!(self.not_called[index].1, NotCalled::Because(_)))
    }

    /// Returns the steps in groups, which run one after the other. [`Action::runs_concurrently`] says whether the steps
    /// of one group run at the same time.
    pub fn groups(&self) -> impl Iterator<Item = &[Step]> {
        self.steps
            .chunk_by(|before, step| step.action.shares_group_with(before.action))
    }

    /// Adds the steps of the called operations that fall to a shard, and of what they depend on.
    fn add_steps_of_share(
        &mut self,
        contract: &Contract,
        (called, mut steps): (&[OperationId], BTreeMap<OperationId, Vec<Step>>),
        share: Share,
        value_availability: &ValueAvailability,
    ) {
        let own: Vec<_> = called.iter().copied().filter(|id| share.own.contains(id)).collect();
        for id in called {
            if share.own.contains(id) {
                self.steps.extend(steps.remove(id).unwrap_or_default());
            } else if share.dependencies.contains(id) {
                let action = match call_of(contract, *id, value_availability) {
                    // Its first page shows values; its pages are checked in the shard that owns the list.
                    Action::Walk | Action::WalkNested => Action::Read,
                    action => action,
                };
                self.add(action, [*id]);
            } else {
                self.not_called.push((*id, NotCalled::AnotherShard));
            }
        }
        self.empty_tokens(contract, &own, called);
        self.add_looks(contract, &own, called);
        self.add_fills(contract, &own);
        for (place, most) in share.wrong_tokens {
            let asks = |id: &OperationId| scheme_location(contract, *id).as_ref() == Some(&place);
            self.wrong_tokens(contract, own.iter().copied().filter(asks).collect(), most);
        }
        (self.parts, self.in_other_shards) = (share.parts, share.in_other_shards);
    }

    /// Leaves out the steps that answer nothing that the document leaves open, and adds those that ask about it.
    fn ask_about_gaps(&mut self, contract: &Contract, gaps: &[usize], settled: &SettledAnswers) {
        // No response says anything about these.
        if !gaps.is_empty() && gaps.iter().all(|gap| contract.gaps[*gap].kind.is_none()) {
            self.steps.clear();
            return;
        }
        let mut questions = Question::all(contract);
        let is_chosen = |gap: usize| gaps.is_empty() || gaps.contains(&gap);
        let is_asked = |gap: usize, operation: OperationId, location: &str| {
            is_chosen(gap) && !settled.contains(gap, operation, location)
        };
        let is_wanted = |asked: &Question| is_asked(asked.gap, asked.operation, &asked.location);
        let wanted = questions.iter().filter(|asked| is_wanted(asked));
        let about_required = wanted.filter(|asked| matches!(asked.asks, Asks::Required { .. }));
        let without_fields: BTreeSet<_> = about_required.map(|asked| asked.operation).collect();
        // What a field does shows only if records are created with it and without it.
        let creates = contract.operation_ids().filter(|id| contract.operation(*id).creates());
        let has_effect = |id: &OperationId| {
            text_fields_with_open_side_effect(contract, *id)
                .iter()
                .any(|(gap, location, _)| is_asked(*gap, *id, location))
        };
        let with_effect: BTreeSet<_> = creates.filter(has_effect).collect();
        let shows_effect = |asked: &Question| {
            matches!(asked.asks, Asks::Required { .. } | Asks::Duplicate) && with_effect.contains(&asked.operation)
        };
        // A create without a field may be rejected because it equals an earlier one: whether that is so is asked too.
        let explains = |asked: &Question| asked.asks == Asks::Duplicate && without_fields.contains(&asked.operation);
        let chosen = questions.iter().filter(|asked| is_chosen(asked.gap));
        let chosen: BTreeSet<_> = chosen.map(|asked| asked.operation).collect();
        questions.retain(|asked| is_wanted(asked) || shows_effect(asked) || explains(asked));
        self.creates_with_open_effect = with_effect;
        self.keep_steps_that_answer(contract, &is_chosen, &questions);
        for step in self.steps.iter_mut().filter(|step| step.action == Action::Walk) {
            step.action = Action::SamplePages;
        }
        // What ordinary responses show needs controls, even where no question is left.
        let (with_open_responses, settled): (BTreeSet<_>, BTreeSet<_>) = chosen
            .into_iter()
            .partition(|id| settled.operations_with_open_responses.contains(id));
        let is_settled = |id: &OperationId| !questions.iter().any(|asked| asked.operation == *id);
        self.leave_out_creates(contract, settled.into_iter().filter(is_settled).collect());
        let controlled = with_open_responses.into_iter();
        let controlled = controlled.filter(|id| !contract.operation(*id).creates()).collect();
        let called = self.steps.iter().map(|step| step.operation).collect();
        self.add_questions(contract, (questions, &controlled), &called);
    }

    /// Leaves out the steps that answer nothing about the chosen gaps beyond these questions.
    fn keep_steps_that_answer(
        &mut self,
        contract: &Contract,
        is_chosen: &impl Fn(usize) -> bool,
        questions: &[Question],
    ) {
        let asks_for_rejection = |id| {
            let mut of_it = questions.iter().filter(|question| question.operation == id);
            of_it.any(|question| question.asks == Asks::NoCredential)
        };
        let mut all = contract.gaps.iter().enumerate();
        let asks_when_listed = all.any(|(index, gap)| gap.kind == Some(GapKind::VisibilityDelay) && is_chosen(index));
        let mut of_fields: HashMap<OperationId, usize> = HashMap::new();
        self.steps.retain(|step| match step.action {
            Action::Equivalent
            | Action::FillLastPage
            | Action::FillToSecondPage
            | Action::LookAtRejectedWrites
            | Action::LookForUpdates
            | Action::ReadOptional
            | Action::VaryCreate
            | Action::VaryAndReadBack
            | Action::VaryUpdate
            | Action::WalkFilledList
            | Action::WalkInferredPages => false,
            Action::LookForCreated => asks_when_listed,
            Action::ProbeRead(probe) | Action::ProbeWrite(probe) => {
                probe == CredentialProbe::WrongToken
                    || (probe == CredentialProbe::NoCredential && !asks_for_rejection(step.operation))
            }
            Action::EdgeCaseRead(edge_case) | Action::EdgeCaseWrite(edge_case) => {
                let sent = of_fields.entry(step.operation).or_default();
                *sent += usize::from(edge_case.kind.changes_field_type());
                edge_case.kind == EdgeCaseKind::IdentifierUnknown
                    || (edge_case.kind.changes_field_type() && *sent <= MISTYPED_FIELDS)
            }
            _ => true,
        });
    }

    /// Leaves out those of these operations that create records, unless other steps take values from their responses.
    fn leave_out_creates(&mut self, contract: &Contract, settled: BTreeSet<OperationId>) {
        let mut unneeded: BTreeSet<_> = settled
            .into_iter()
            .filter(|id| contract.operation(*id).creates())
            .collect();
        let called = self.steps.iter().map(|step| step.operation);
        let mut pending: Vec<_> = called.filter(|id| !unneeded.contains(id)).collect();
        while let Some(id) = pending.pop() {
            let parameters = sources(contract, id, |_| true)
                .into_iter()
                .flat_map(|source| source.creates);
            let links = contract.links_to(id).filter(|_| contract.operation(id).creates());
            let from: Vec<_> = parameters.chain(links.map(|link| link.from)).collect();
            pending.extend(from.into_iter().filter(|from| unneeded.remove(from)));
        }
        self.steps.retain(|step| !unneeded.contains(&step.operation));
        self.in_scope.retain(|id| !unneeded.contains(id));
        let reason = || NotCalled::Because("the ledger has answers to all that it is asked about".to_owned());
        self.not_called.extend(unneeded.into_iter().map(|id| (id, reason())));
    }

    /// Adds the steps that ask again about what the contract's answers state, where no other step shows it.
    fn ask_again(&mut self, contract: &Contract) {
        let is_answered = |asked: &Question| {
            contract.answers.iter().any(|answer| {
                (answer.gap, answer.operation, &answer.location) == (asked.gap, asked.operation, &asked.location)
            })
        };
        let mut questions = Vec::new();
        if !contract.answers.is_empty() {
            questions = Question::all(contract);
            questions.retain(|asked| {
                let creates = contract.operation(asked.operation).creates();
                asked.asks != Asks::NoCredential && !creates && is_answered(asked)
            });
        }
        let called = self.steps.iter().map(|step| step.operation);
        let called = called.filter(|id| self.in_scope.contains(id)).collect();
        self.add_questions(contract, (questions, &BTreeSet::new()), &called);
    }

    /// Adds the steps that ask the questions about the called operations, and those that only send controls to further
    /// ones.
    fn add_questions(
        &mut self,
        contract: &Contract,
        (questions, controlled): (Vec<Question>, &BTreeSet<OperationId>),
        called: &BTreeSet<OperationId>,
    ) {
        // A create follows those whose records it refers to.
        let asks = |id: &OperationId| {
            let is_asked = controlled.contains(id) || questions.iter().any(|asked| asked.operation == *id);
            called.contains(id) && is_asked
        };
        let asked: Vec<_> = link_order(contract).into_iter().filter(asks).collect();
        for id in asked {
            let action = match contract.operation(id).creates() {
                true => Action::AskByCreating,
                false => Action::Ask,
            };
            self.add(action, [id]);
        }
        let together = Question::together(&questions);
        self.questions = questions;
        self.questions.extend(together);
    }

    /// Adds a step with this action for each of the operations.
    fn add(&mut self, action: Action, operations: impl IntoIterator<Item = OperationId>) {
        let steps = operations.into_iter().map(|operation| Step { operation, action });
        self.steps.extend(steps);
    }

    /// Adds a look at each called list, or read of a record, that shows what one of the shard's own operations creates
    /// or updates.
    fn add_looks(&mut self, contract: &Contract, own: &[OperationId], called: &[OperationId]) {
        let updated = || called_lists(own, called, |id| contract.list_showing_updated_by(id));
        self.add(
            Action::LookForCreated,
            called_lists(own, called, |id| contract.list_showing_created_by(id)),
        );
        self.add(Action::LookForUpdates, updated());
        self.add(
            Action::LookAtRejectedWrites,
            called_lists(own, called, |id| contract.read_showing_update(id)),
        );
    }

    /// Adds steps that create more records for each list whose items a called operation creates, until it has a second
    /// page and until its last page is full, and that walk over it again.
    fn add_fills(&mut self, contract: &Contract, called: &[OperationId]) {
        for action in [Action::FillToSecondPage, Action::FillLastPage, Action::WalkFilledList] {
            self.add(
                action,
                called_lists(called, called, |id| contract.list_whose_items_are_created_by(id)),
            );
        }
    }

    /// Adds a look through each list that shows what a called operation creates.
    fn residue_looks(&mut self, contract: &Contract, called: &[OperationId]) {
        let steps: Vec<_> = self.steps.iter().map(|step| step.operation).collect();
        let creates = |id: OperationId| contract.operation(id).creates();
        let created_in = |id| contract.list_searched_for(id).filter(|_| creates(id));
        self.add(Action::ResidueLook, called_lists(&steps, called, created_in));
    }

    /// Adds steps that delete what the called operations create, where a called operation deletes such records.
    fn add_deletes(&mut self, contract: &Contract, called: &[OperationId]) {
        self.steps
            .retain(|step| contract.operation(step.operation).method != Method::Delete);
        let created: BTreeSet<_> = self.steps.iter().map(|step| step.operation).collect();
        let deletes = created.into_iter().filter_map(|create| {
            let lifecycle = contract.lifecycle_starting_with(create)?;
            lifecycle.delete.filter(|delete| called.contains(delete))
        });
        self.add(Action::Delete, deletes.collect::<Vec<_>>());
    }

    /// Adds steps that send an empty token to one called read and to one called write, chosen by the seed: the code
    /// that tells an empty token from a missing one runs before any operation's own, so two calls are enough.
    fn empty_tokens(&mut self, contract: &Contract, own: &[OperationId], called: &[OperationId]) {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let is_read = |id: &OperationId| contract.operation(*id).is_read();
        let is_guarded = |id: &&OperationId| contract.fact_of(**id, CredentialProbe::EmptyToken.fact()).is_some();
        let (reads, writes): (Vec<_>, Vec<_>) = called.iter().filter(is_guarded).partition(|id| is_read(id));
        for guarded in [reads, writes] {
            let length = u64::try_from(guarded.len()).unwrap_or(1).max(1);
            let index = usize::try_from(random.next_u64() % length).unwrap_or(0);
            let chosen = guarded.get(index).filter(|id| own.contains(id));
            if let Some(id) = chosen {
                self.add(probe(contract, *id, CredentialProbe::EmptyToken), [*id]);
            }
        }
    }

    /// Adds steps that send a wrong token to a few operations, chosen by the seed.
    fn wrong_tokens(&mut self, contract: &Contract, mut guarded: Vec<OperationId>, most: usize) {
        guarded.sort_unstable();
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        while guarded.len() > most {
            let length = u64::try_from(guarded.len()).unwrap_or(1);
            let index = usize::try_from(random.next_u64() % length).unwrap_or(0);
            guarded.swap_remove(index);
        }
        guarded.sort_unstable();
        for operation in guarded {
            self.add(probe(contract, operation, CredentialProbe::WrongToken), [operation]);
        }
    }
}

/// Returns the lists of these operations that are called.
fn called_lists(
    of: &[OperationId],
    called: &[OperationId],
    listed_in: impl Fn(OperationId) -> Option<OperationId>,
) -> BTreeSet<OperationId> {
    let called: HashSet<_> = called.iter().copied().collect();
    let lists = of.iter().filter_map(|id| listed_in(*id));
    lists.filter(|list| called.contains(list)).collect()
}

/// Returns the call of an operation with a credential that must be rejected.
fn probe(contract: &Contract, id: OperationId, probe: CredentialProbe) -> Action {
    if contract.operation(id).is_read() {
        Action::ProbeRead(probe)
    } else {
        Action::ProbeWrite(probe)
    }
}

/// Returns the documented call of an operation.
fn call_of(contract: &Contract, id: OperationId, value_availability: &ValueAvailability) -> Action {
    let operation = contract.operation(id);
    if operation.is_query() {
        return Action::Query;
    }
    if value_availability.after_creates.contains(&id) {
        return Action::ReadCreated;
    }
    if value_availability.nested.contains(&id) {
        return Action::WalkNested;
    }
    match (&operation.page, operation.is_read()) {
        (Some(_), true) => Action::Walk,
        (_, true) => Action::Read,
        _ if operation.creates() => Action::Create,
        _ => Action::Update,
    }
}

/// Returns the steps that an operation takes by itself: its call, the read of what it did, variants of it, credentials
/// that must be rejected, edge cases.
fn steps_of(
    contract: &Contract,
    id: OperationId,
    read_back: Option<Action>,
    (seed, value_availability): (u64, &ValueAvailability),
) -> Vec<Step> {
    let operation = contract.operation(id);
    let call = call_of(contract, id, value_availability);
    let varied = match call {
        Action::Create => varies(contract, id).then_some(Action::VaryCreate),
        Action::Update if operation.invariants.updated.is_some() => Some(Action::VaryUpdate),
        Action::Update => read_back
            .filter(|_| !variants(contract, id, seed).is_empty())
            .map(|_| Action::VaryAndReadBack),
        _ => None,
    };
    let reads = operation.is_read();
    let send = if reads {
        Action::EdgeCaseRead
    } else {
        Action::EdgeCaseWrite
    };
    let rejected = |credential: &CredentialProbe| contract.fact_of(id, credential.fact()).is_some();
    let paged = (reads && contract.second_page(id).is_some()).then_some(CredentialProbe::SecondPage);
    let probes = [CredentialProbe::NoCredential, CredentialProbe::OtherScheme]
        .into_iter()
        .chain(paged)
        .filter(rejected)
        .map(|credential| probe(contract, id, credential));
    let edge_cases = edge_cases(contract, id, seed).into_iter().map(send);
    let equivalent = (!contract.equivalences(id).is_empty()).then_some(Action::Equivalent);
    let optional = (operation.is_get() && !optional::optional(contract, id).is_empty()).then_some(Action::ReadOptional);
    let paged_by_inference = contract.paging_of(id).map(|_| Action::WalkInferredPages);
    let restored = varied.filter(|_| call == Action::Update).map(|_| Action::Restore);
    let actions = [call]
        .into_iter()
        .chain(read_back)
        .chain(varied)
        .chain(paged_by_inference)
        .chain(optional)
        .chain(probes)
        .chain(equivalent)
        .chain(edge_cases)
        .chain(restored);
    actions.map(|action| Step { operation: id, action }).collect()
}

/// Returns the action that reads back what a create or an update did, if the read of the record is called.
fn read_back(contract: &Contract, id: OperationId, called: &HashSet<OperationId>) -> Option<Action> {
    let lifecycle = contract
        .lifecycle_of(id)
        .filter(|lifecycle| called.contains(&lifecycle.read))?;
    let action = if lifecycle.create == id {
        Action::ReadBackCreated
    } else {
        Action::ReadBackUpdated
    };
    Some(action).filter(|_| contract.lifecycle_ending_with(id).is_none())
}

/// Returns the key by which steps are sorted: steps with the same key stay in the order of their links.
fn order_key(
    contract: &Contract,
    value_availability: &ValueAvailability,
    step: &Step,
) -> (Action, Option<CredentialProbe>) {
    let waits = value_availability.after_creates.contains(&step.operation);
    let action = match step.action {
        Action::ReadCreated if value_availability.between_creates.contains(&step.operation) => Action::Create,
        Action::ProbeRead(_) if waits => Action::ReadCreated,
        // The run may create the records that give a list its second page.
        Action::ProbeRead(CredentialProbe::SecondPage) => Action::WalkFilledList,
        // An equivalent update is sent once the plain one was accepted; an equivalent read has to wait for nothing.
        Action::Equivalent if contract.operation(step.operation).is_read() => Action::Read,
        Action::WalkNested => Action::Read,
        // Reads take what queries show.
        Action::Query => Action::ReadCreated,
        // Another update may change the same record.
        Action::ReadBackUpdated => Action::Update,
        action => action,
    };
    (action, step.action.probe())
}

/// Splits the steps of a group into sequences that may run at the same time. The edge cases of one operation are one
/// sequence, because an edge case without a response ends them. So are its probes of one fact, so that a finding always
/// shows the plainest of them. Every other step is a sequence by itself.
#[must_use]
pub fn concurrent_sequences(group: &[Step]) -> Vec<Vec<Step>> {
    let mut sequences: Vec<Vec<Step>> = Vec::new();
    let mut of_several = HashMap::new();
    for step in group {
        let fact = step.action.probe().map(CredentialProbe::fact);
        let is_edge_case = matches!(step.action, Action::EdgeCaseRead(_));
        let new = sequences.len();
        let sequence = if is_edge_case || fact.is_some() {
            *of_several.entry((step.operation, fact)).or_insert(new)
        } else {
            new
        };
        match sequences.get_mut(sequence) {
            Some(steps) => steps.push(*step),
            None => sequences.push(vec![*step]),
        }
    }
    sequences
}

/// Returns the requested operations, and those that they need: where their values come from, where they are listed and,
/// if records are to be deleted, what reads and deletes them.
fn requested_and_needed(contract: &Contract, scope: &Scope) -> HashSet<OperationId> {
    if scope.only.is_empty() {
        return contract.operation_ids().collect();
    }
    let mut wanted = HashSet::new();
    let mut pending = scope.only.clone();
    while let Some(id) = pending.pop() {
        if wanted.insert(id) {
            pending.extend(contract.links_to(id).map(|link| link.from));
            pending.extend(
                [
                    contract.list_showing_created_by(id),
                    contract.list_showing_updated_by(id),
                ]
                .into_iter()
                .flatten(),
            );
            let lifecycle = contract.lifecycle_of(id).filter(|_| scope.cleanup);
            pending.extend(lifecycle.map(|lifecycle| lifecycle.read));
            pending.extend(lifecycle.and_then(|lifecycle| lifecycle.delete));
        }
    }
    wanted
}

/// Why a write is not sent while writes are off.
pub(crate) const NEEDS_WRITES: &str = "needs writes, which are off";

/// Returns why an operation is not called, as far as the contract, the scope and the token decide it. Whether its
/// records can be recognised and its values are known is decided elsewhere. `None` if nothing speaks against the call.
fn reason_against(
    contract: &Contract,
    scope: &Scope,
    wanted: &HashSet<OperationId>,
    id: OperationId,
) -> Option<String> {
    if scope.skip.contains(&id) {
        return Some("not selected, by the setting `skip`".to_owned());
    }
    if !wanted.contains(&id) {
        return Some("not selected, by the setting `only`".to_owned());
    }
    reason_never_called(contract, scope, id)
}

/// Whether an operation may be called, selected or not, for what other operations need of it.
pub(super) fn may_be_called(contract: &Contract, scope: &Scope, id: OperationId) -> bool {
    !scope.skip.contains(&id) && reason_never_called(contract, scope, id).is_none()
}

/// Returns why a `DELETE` is not sent.
fn reason_against_delete(contract: &Contract, scope: &Scope, id: OperationId) -> Option<String> {
    if !scope.cleanup {
        return Some("needs cleanup, which is off".to_owned());
    }
    let Some(lifecycle) = contract.lifecycle_ending_with(id) else {
        let has_path_parameter = contract.operation(id).path.contains('{');
        let words = match !has_path_parameter && body::names_records(contract, id) {
            true => body::BODY_NAMES_RECORDS,
            false => "it deletes no record that the run can recognise as its own",
        };
        return Some(words.to_owned());
    };
    if deletes_more(&contract.document, contract.operation(id)) {
        return Some("it may delete or change more than its record, as the document says".to_owned());
    }
    // Before a record is deleted, it is read: it has to show that it is the run's own.
    if !may_be_called(contract, scope, lifecycle.read) {
        let read = &contract.operation(lifecycle.read).name;
        return Some(format!(
            "the run does not call {read}, which shows that a record is the run's own"
        ));
    }
    None
}

/// Returns why no request can have what an operation requires: these schemes, separated by commas.
fn reason_against_security(contract: &Contract, schemes: &str) -> String {
    let scheme = |name: &str| {
        contract
            .document
            .node(&pointer::join("/components/securitySchemes", name))
    };
    match schemes.split(", ").find(|name| scheme(name).is_none()) {
        Some(name) => format!("its security names the scheme `{name}`, which the document does not define"),
        None => format!("its security ({schemes}) is not supported; bearer tokens, API keys and HTTP Basic are"),
    }
}

/// Returns why an operation is not called, even if it is selected.
fn reason_never_called(contract: &Contract, scope: &Scope, id: OperationId) -> Option<String> {
    let operation = contract.operation(id);
    match operation.method {
        Method::Delete => {
            if let Some(reason) = reason_against_delete(contract, scope, id) {
                return Some(reason);
            }
        }
        Method::Get | Method::Post | Method::Put | Method::Patch => {}
        other => return Some(format!("{other} is never sent")),
    }
    if let Some(server) = &operation.other_server {
        return Some(format!("the document gives it a server of its own (`{server}`)"));
    }
    if operation.always_streams() {
        return Some("it responds with a stream, which may not end".to_owned());
    }
    if !operation.is_get() && !scope.writes {
        return Some(NEEDS_WRITES.to_owned());
    }
    if !scope.also_send.contains(&id)
        && let Some(reason) = reason_to_suspect_side_effect(contract, id)
    {
        return Some(format!("{reason}; the setting `also_send` sends it anyway"));
    }
    if let Security::Unsupported { schemes } = &operation.security {
        return Some(reason_against_security(contract, schemes));
    }
    if operation.security.needs_credential() && !scope.token {
        return Some("there is no token".to_owned());
    }
    if operation.security.scheme() == Some(&SecurityScheme::Basic) && !scope.user_and_password {
        return Some("it uses HTTP Basic, and the token is not of the form `user:password`".to_owned());
    }
    None
}

/// Returns why an operation may do something that its method does not say; `None` if nothing suggests that.
fn reason_to_suspect_side_effect(contract: &Contract, id: OperationId) -> Option<String> {
    let operation = contract.operation(id);
    let caller_chooses_name = operation.new_record_name_parameter().is_some();
    let updates =
        matches!(operation.method, Method::Put | Method::Patch) && !operation.has_invariants() && !caller_chooses_name;
    if (operation.is_get() || updates) && has_side_effect(&contract.document, operation) {
        return Some("its path, its operationId or a text about it suggests a side effect".to_owned());
    }
    let is_get = operation.is_get();
    let mut in_path = operation
        .parameters
        .iter()
        .filter(|parameter| is_get && parameter.location == ParameterLocation::Path && parameter.set_by_user.is_none());
    if let Some(parameter) = in_path.find(|parameter| optional::chooses_a_command(contract, operation, parameter)) {
        let name = &parameter.name;
        return Some(format!("its path parameter `{name}` chooses what is done"));
    }
    let mut needed = operation.parameters.iter().filter(|parameter| {
        parameter.required && parameter.set_by_user.is_none() && parameter.location != ParameterLocation::Path
    });
    let acts = |parameter: &&Parameter| {
        let in_query = operation.is_get() && parameter.location == ParameterLocation::Query;
        let in_header = parameter.location == ParameterLocation::Header;
        let is_of_webdav =
            in_header && ["depth", "destination", "overwrite"].contains(&parameter.name.to_lowercase().as_str());
        let has_side_effect = in_query
            && (parameter_side_effects::has_side_effect(contract, parameter)
                || optional::is_a_switch(contract, parameter)
                || optional::is_sent_as_command(contract, parameter));
        let has_side_effect_as_header = in_header
            && !operation.has_invariants()
            && (parameter_side_effects::has_side_effect_as_header(contract, parameter)
                || optional::reaches_more(parameter_side_effects::plain_name(parameter)));
        turns_into_another_request(parameter.location, &parameter.name)
            || is_of_webdav
            || has_side_effect
            || has_side_effect_as_header
    };
    if let Some(parameter) = needed.find(acts) {
        let name = &parameter.name;
        return Some(format!("its required parameter `{name}` chooses what is done"));
    }
    let is_write = !operation.is_get() && !operation.has_invariants();
    let mut parameters = operation.parameters.iter().filter(|_| is_write);
    let parameter =
        parameters.find(|parameter| optional::has_side_effect_by_default(contract, operation.method, parameter))?;
    Some(format!(
        "leaving out its parameter `{}` may change more than one record, or reach somebody",
        parameter.name
    ))
}

/// Returns the operations so that each comes after those whose values it takes, and otherwise in the order of the
/// contract.
fn link_order(contract: &Contract) -> Vec<OperationId> {
    let sources = |id: OperationId| {
        let others: HashSet<_> = contract.links_to(id).map(|link| link.from).collect();
        others.into_iter().filter(move |from| *from != id)
    };
    let mut pending: BTreeSet<_> = contract.operation_ids().collect();
    let mut waiting: Vec<_> = contract.operation_ids().map(|id| sources(id).count()).collect();
    let mut ready: BTreeSet<_> = pending.iter().copied().filter(|id| waiting[id.0] == 0).collect();
    let mut ordered = Vec::with_capacity(pending.len());
    // Where links form a cycle, the contract's order decides.
    while let Some(id) = ready.pop_first().or_else(|| pending.first().copied()) {
        pending.remove(&id);
        ordered.push(id);
        let targets: HashSet<_> = contract.links_from(id).map(|link| link.to).collect();
        for to in targets.into_iter().filter(|to| *to != id && pending.contains(to)) {
            waiting[to.0] -= 1;
            if waiting[to.0] == 0 {
                ready.insert(to);
            }
        }
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::edge_case::EdgeCase;
    use crate::plan::WRONG_TOKENS;

    fn plan(scope: &Scope) -> (&'static Contract, Plan) {
        let contract = crate::testing::built_in();
        let plan = Plan::new(contract, scope);
        (contract, plan)
    }

    fn all() -> Scope {
        Scope {
            writes: true,
            token: true,
            ..Scope::default()
        }
    }

    #[test]
    fn a_write_that_requires_or_has_by_default_a_header_that_acts_is_not_sent() {
        let suspect = |stated: &str| {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /a: {{post: {{parameters: [{{in: header, \
                 {stated}}}], responses: {{'201': {{description: a}}}}}}}}\n"
            );
            let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            reason_to_suspect_side_effect(&contract, OperationId(0)).is_some()
        };
        for stated in [
            "name: X-Force, required: true, schema: {type: boolean}",
            "name: X-Notify, required: true, schema: {type: boolean}, description: Notify the owner",
            "name: X-Tell, required: true, schema: {type: boolean}, description: Notify the owner",
            "name: X-Cascade, required: true, schema: {type: boolean, default: true}",
            "name: X-Cascade, schema: {type: boolean, default: true}",
            "name: Depth, required: true, schema: {type: string, enum: [infinity, '0'], default: infinity}",
            "name: Depth, schema: {type: string, default: infinity}",
            "name: X-On-Behalf-Of, required: true, schema: {type: string}",
        ] {
            assert!(suspect(stated), "{stated}");
        }
        for stated in [
            "name: X-Force, schema: {type: boolean}",
            "name: X-Request-ID, required: true, schema: {type: string}",
            "name: Idempotency-Key, required: true, schema: {type: string}",
            "name: If-Match, required: true, schema: {type: string}, description: Needed to delete or update a record",
            "name: Accept-Language, required: true, schema: {type: string}, description: Sets the language",
            "name: X-Tenant, required: true, schema: {type: string}",
            "name: Prefer, required: true, schema: {type: string}",
        ] {
            assert!(!suspect(stated), "{stated}");
        }
    }

    fn names(contract: &Contract, plan: &Plan, wanted: impl Fn(Action) -> bool) -> Vec<String> {
        let steps = plan.steps.iter().filter(|step| wanted(step.action));
        steps
            .map(|step| contract.operation(step.operation).name.clone())
            .collect()
    }

    #[test]
    fn what_the_document_gives_a_server_of_its_own_is_not_called() {
        let not_called = |of_all: &str| {
            let item = |servers: &str| format!("{{{servers}get: {{responses: {{'200': {{description: a}}}}}}}}");
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{of_all}paths:\n  /a: {}\n  /b: {}\n  /c: {}\n",
                item(""),
                item("servers: [{url: 'https://api.example.com/'}], "),
                item("servers: [{url: 'https://uploads.example.com'}], ")
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let plan = Plan::new(&contract, &Scope::default());
            let left_out = plan.not_called.iter();
            left_out
                .map(|(id, _)| contract.operation(*id).name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(not_called("servers: [{url: 'https://api.example.com'}]\n"), ["GET /c"]);
        assert_eq!(not_called(""), ["GET /c"]);
    }

    #[test]
    fn a_stream_of_events_is_not_called_and_a_read_that_may_be_one_is() {
        let content = |kinds: &str| format!("responses: {{'200': {{description: a, content: {{{kinds}}}}}}}");
        let (stream, both) = ("text/event-stream: {}", "text/event-stream: {}, application/json: {}");
        let with_charset = "'text/event-stream; charset=UTF-8': {}";
        let paths = format!(
            "  /a: {{get: {{operationId: a, {}}}}}\n  /b: {{get: {{operationId: b, {}}}}}\n  /c: {{get: {{operationId: c, \
             responses: {{'204': {{description: a}}}}}}}}\n  /d: {{get: {{operationId: d, {}}}}}\n",
            content(stream),
            content(both),
            content(with_charset)
        );
        let text = format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n{paths}");
        let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let plan = Plan::new(&contract, &Scope::default());
        let name = |id: OperationId| contract.operation(id).name.as_str();
        let not_called: Vec<_> = plan.not_called.iter().map(|(id, _)| name(*id)).collect();
        assert_eq!(not_called, ["a", "d"]);
        assert!(plan.steps.iter().any(|step| name(step.operation) == "b"));
    }

    #[test]
    fn a_get_that_says_that_it_does_something_is_sent_only_where_it_is_named() {
        let get = |path: &str, summary: &str| {
            format!("  {path}: {{get: {{summary: {summary}, responses: {{'200': {{description: a}}}}}}}}\n")
        };
        let called = |path: &str, summary: &str, also_send: Vec<OperationId>| {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n{}",
                get(path, summary)
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let scope = Scope {
                also_send,
                ..Scope::default()
            };
            Plan::new(&contract, &scope).not_called.is_empty()
        };
        for (path, summary, sent) in [
            ("/auth/logout", "Ends it", false),
            ("/auth/log-out", "Ends it", false),
            ("/auth/signOut", "Ends it", false),
            ("/cache/clear", "The cache", false),
            ("/session", "Log out the user", false),
            ("/session", "Logout the user", false),
            ("/token", "Revoke the token", false),
            ("/token", "Revokes a token", false),
            ("/session", "Logs out the user", false),
            ("/logout.json", "It", false),
            ("/logout/all", "It", false),
            ("/users:logout", "It", false),
            ("/cache:clear", "It", false),
            ("/clearCache", "It", false),
            ("/jobs/stop", "It", false),
            ("/session/end", "It", false),
            ("/session", "Ends the session", false),
            ("/trash", "Empties the trash", false),
            ("/messages/next", "Returns and removes the next message", false),
            ("/invoice", "Pays the open invoice", false),
            ("/key", "Replaces the key by a new one", false),
            ("/admin/nuke", "It", false),
            ("/lock", "Lock of the door", true),
            ("/restores", "Restore points and locks", true),
            ("/ends", "End dates and transfers", true),
            ("/status", "Reset status", true),
            ("/logs", "Delete log", true),
            ("/sky", "Clear sky index", true),
            ("/triggers", "Trigger list", true),
            ("/start-times", "Start times", true),
            ("/logs", "Logs of today", true),
            ("/log-entries", "All entries", true),
            ("/logout-events", "Who logged out", true),
            ("/reset-tokens", "All tokens that reset a password", true),
            ("/deleted", "What was deleted", true),
            ("/session", "Get the session", true),
        ] {
            assert_eq!(called(path, summary, Vec::new()), sent, "{path} {summary}");
            assert!(called(path, summary, vec![OperationId(0)]), "{path} {summary}");
        }
    }

    #[test]
    fn a_get_that_requires_a_parameter_that_acts_is_not_sent_whatever_the_type() {
        let is_sent = |name: &str, schema: &str| {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a: {{get: {{parameters: [{{in: query, name: {name}, \
                 required: true, schema: {schema}}}], responses: {{'200': {{description: a}}}}}}}}\n"
            );
            let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
            let plan = Plan::new(&contract, &Scope::default());
            assert_eq!(plan.steps.is_empty(), plan.not_called.len() == 1);
            !plan.steps.is_empty()
        };
        for schema in [
            "{type: boolean}",
            "{type: string}",
            "{type: integer}",
            "{type: string, enum: ['1', '0']}",
        ] {
            for name in ["mark_read", "auto_ack", "recheck_all", "send_email"] {
                assert!(!is_sent(name, schema), "{name} {schema}");
            }
            for name in ["send_after", "created_after", "sent_to", "read", "fields"] {
                // A switch of this name would send something.
                let is_switch = schema.contains("boolean") || schema.contains("enum");
                assert!(
                    is_sent(name, schema) || name == "send_after" && is_switch,
                    "{name} {schema}"
                );
            }
        }
    }

    #[test]
    fn a_create_comes_after_the_creates_whose_identifiers_it_takes() {
        let (contract, plan) = plan(&all());
        let creates = names(contract, &plan, |action| action == Action::Create);
        assert_eq!(
            creates,
            ["createContact", "createContactMethod", "createVisit", "createTag"]
        );
        assert_eq!(
            names(contract, &plan, |action| action == Action::Update),
            ["updateContact"]
        );
    }

    #[test]
    fn what_lists_show_is_filled_and_what_invariants_bind_is_varied() {
        let (contract, plan) = plan(&all());
        for action in [Action::FillToSecondPage, Action::FillLastPage, Action::WalkFilledList] {
            let lists = names(contract, &plan, |other| other == action);
            assert_eq!(lists, ["getContacts", "getVisits", "getTags"]);
        }
        let creates = names(contract, &plan, |action| action == Action::VaryCreate);
        assert_eq!(
            creates,
            ["createContact", "createContactMethod", "createVisit", "createTag"]
        );
        assert_eq!(
            names(contract, &plan, |action| action == Action::VaryUpdate),
            ["updateContact"]
        );
    }

    #[test]
    fn without_writes_only_reads_are_planned() {
        let (contract, plan) = plan(&Scope { writes: false, ..all() });
        assert!(
            plan.steps
                .iter()
                .all(|step| contract.operation(step.operation).is_read())
        );
        let reasons: HashSet<_> = plan.not_called.iter().map(|(_, reason)| reason.to_string()).collect();
        assert_eq!(reasons, HashSet::from(["needs writes, which are off".to_owned()]));
        assert_eq!(plan.not_called.len(), 5);
    }

    #[test]
    fn at_most_three_wrong_tokens_are_shown_and_the_seed_says_where() {
        let wrong = |seed| {
            let (contract, plan) = plan(&Scope { seed, ..all() });
            names(contract, &plan, |action| {
                matches!(
                    action,
                    Action::ProbeRead(CredentialProbe::WrongToken) | Action::ProbeWrite(CredentialProbe::WrongToken)
                )
            })
        };
        assert_eq!(wrong(1).len(), WRONG_TOKENS);
        assert_eq!(wrong(1), wrong(1));
        assert!((2..20).any(|seed| wrong(seed) != wrong(1)));
    }

    #[test]
    fn probes_and_edge_case_reads_go_together_those_of_one_kind_and_operation_in_order() {
        let (contract, reads) = plan(&Scope { writes: false, ..all() });
        let groups: Vec<_> = reads.groups().collect();
        assert_eq!(groups.len(), 3);
        let lists = contract
            .operations
            .iter()
            .filter(|operation| operation.page.is_some())
            .count();
        assert_eq!(concurrent_sequences(groups[0]).len(), lists);
        assert_eq!(groups[1].len(), 1);
        // Another scheme, and no credential, on each list; what else has no credential follows in the same sequence.
        let (probes, edge_cases) = (2 * lists + WRONG_TOKENS, lists);
        assert_eq!(concurrent_sequences(groups[2]).len(), probes + edge_cases);
        for sequence in concurrent_sequences(groups[2]).iter().skip(probes) {
            assert_eq!(
                sequence.len(),
                contract.operation(sequence[0].operation).edge_cases.len()
            );
            assert!(sequence.iter().all(|step| step.operation == sequence[0].operation));
        }
        let without = concurrent_sequences(groups[2]).into_iter().map(|sequence| {
            let probes = sequence.iter().filter_map(|step| step.action.probe());
            probes.collect::<Vec<_>>()
        });
        let without: Vec<_> = without
            .filter(|probes| probes.contains(&CredentialProbe::NoCredential))
            .collect();
        assert_eq!(without.len(), lists);
        assert!(without.iter().all(|probes| probes[0] == CredentialProbe::NoCredential));
        assert!(
            without
                .iter()
                .any(|probes| probes.contains(&CredentialProbe::EmptyToken))
        );
        let (_, all) = plan(&all());
        assert!(all.groups().all(|group| {
            let first = group[0].action;
            first.runs_concurrently() || group.iter().all(|step| step.action == first)
        }));
    }

    #[test]
    fn only_brings_what_the_operation_needs() {
        let contract = crate::testing::built_in();
        let only = vec![contract.operation_named("createVisit").unwrap()];
        let (contract, plan) = plan(&Scope { only, ..all() });
        let called: BTreeSet<_> = names(contract, &plan, |_| true).into_iter().collect();
        let expected = [
            "createContact", "createVisit", "getContacts", "getTags", "getVenues", "getVisits",
        ];
        assert_eq!(called, expected.map(str::to_owned).into());
    }

    /// The edge cases of a plan with this seed, in order, each as its operation and what it sends.
    fn edge_cases_of(contract: &Contract, plan: &Plan) -> Vec<String> {
        let steps = plan.steps.iter().filter_map(|step| match step.action {
            Action::EdgeCaseRead(edge_case) | Action::EdgeCaseWrite(edge_case) => {
                let operation = contract.operation(step.operation);
                Some(format!("{}: {}", operation.name, edge_case.describe(operation)))
            }
            _ => None,
        });
        steps.collect()
    }

    #[test]
    fn a_run_ends_with_a_look_through_each_list_of_what_it_creates() {
        let (contract, plan) = plan(&all());
        let end = plan
            .steps
            .iter()
            .rev()
            .take_while(|step| step.action == Action::ResidueLook);
        let mut lists: Vec<_> = end
            .map(|step| contract.operation(step.operation).name.as_str())
            .collect();
        lists.sort_unstable();
        assert_eq!(lists, ["getContacts", "getTags", "getVisits"]);
        let reads = Scope { writes: false, ..all() };
        assert!(
            Plan::new(contract, &reads)
                .steps
                .iter()
                .all(|step| step.action != Action::ResidueLook)
        );
    }

    #[test]
    fn each_edge_case_is_planned_once_and_at_the_end_the_writes_last() {
        let (contract, plan) = plan(&all());
        let edge_cases = edge_cases_of(contract, &plan);
        assert_eq!(edge_cases.iter().collect::<HashSet<_>>().len(), edge_cases.len());
        // An operation that is sent awkward strings anyway has no string beyond ASCII by itself.
        let is_beyond_ascii = |edge_case: &EdgeCase| edge_case.kind == EdgeCaseKind::NonAsciiString;
        let of = |is_read: bool| {
            let operations = contract.operations.iter();
            let operations = operations.filter(move |operation| operation.is_read() == is_read);
            let stated = operations.flat_map(|operation| &operation.edge_cases);
            stated.filter(|edge_case| !is_beyond_ascii(edge_case)).count()
        };
        let reads = of(true);
        let planned = plan.steps.iter().filter_map(|step| step.action.edge_case());
        let planned = planned.filter(|edge_case| !is_beyond_ascii(edge_case));
        assert_eq!(planned.count(), reads + of(false));
        let behind = |step: &&Step| matches!(step.action, Action::ResidueLook | Action::Restore);
        let before = plan.steps.len() - plan.steps.iter().filter(behind).count();
        let tail = plan.steps.get(before - edge_cases.len()..before).unwrap();
        let (of_reads, of_writes) = tail.split_at(reads);
        let is_read = |step: &Step| matches!(step.action, Action::EdgeCaseRead(_));
        assert!(of_reads.iter().all(is_read));
        let is_write = |step: &Step| matches!(step.action, Action::EdgeCaseWrite(_));
        assert!(of_writes.iter().all(is_write));
        assert_eq!(edge_cases[0], "getContacts: `page` 0");
        assert_eq!(edge_cases[reads], "updateContact: a malformed `id`");
        assert!(
            edge_cases[edge_cases.len() - 1].ends_with("a string beyond ASCII"),
            "{edge_cases:?}"
        );
    }

    #[test]
    fn a_contract_with_an_empty_list_plans_no_edge_case() {
        let silent = Contract::BUILT_IN.replacen("\nx-edge-cases:", "\nx-edge-cases: []\nx-other:", 1);
        let contract = Contract::read("openapi.yaml", silent).unwrap();
        let plan = Plan::new(&contract, &all());
        assert!(edge_cases_of(&contract, &plan).is_empty());
        assert!(!contract.facts.iter().any(|fact| fact.name.contains("edge cases")));
    }
}
