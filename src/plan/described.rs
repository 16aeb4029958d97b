//! Describes a plan before anything is sent: what each step sends, why, and which facts its responses decide. The main
//! type is [`StepDescription`].
//!
//! # Design
//!
//! Nothing here plans: [`Plan::describe`] reads the very steps that a run carries out, so the two cannot drift apart.
//! Every match on a kind of fact is exhaustive: whoever adds one states here what shows it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::action::{Action, CredentialProbe, FactEvidence};
use super::optional;
use super::share::scheme_location;
use super::source::{Source, StandInOrigin, sources};
use super::steps::{Plan, Step};
use super::variants::{Variant, variants};
use crate::contract::Contract;
use crate::contract::fact::{Fact, FactId, FactKind};
use crate::contract::operation::{OperationId, ParameterLocation};

/// One step, described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepDescription {
    /// The step.
    pub step: Step,
    /// The operation whose requests the step sends: its own, the create that fills a list, or the read that shows a
    /// created or updated record.
    pub sends: OperationId,
    /// How the bodies differ from the accepted one, in the order of sending.
    pub variants: Vec<Variant>,
    /// The optional parameters that it is read with, in the order of sending.
    pub optional: Vec<String>,
    /// The list, or the read of a record, that is sent after each request of the step.
    pub read_after: Option<OperationId>,
    /// Whether its requests may change the target.
    pub writes: bool,
    /// The facts that its responses decide.
    pub facts: Vec<FactId>,
    /// Where the values in its path come from, and those of its other parameters that are given or that a response
    /// shows.
    pub needs: Vec<Source>,
}

impl Plan {
    /// Returns the steps in order, each with what it decides. A fact that several calls decide belongs to the step that
    /// is made for it: what every response shows, to the operation's own call; an invariant, to the step that gathers
    /// its evidence.
    #[must_use]
    pub fn describe(&self, contract: &Contract) -> Vec<StepDescription> {
        let calls = Calls::of(self, contract);
        let descriptions = self
            .steps
            .iter()
            .map(|step| self.describe_step(contract, &calls, *step));
        let mut descriptions: Vec<_> = descriptions.collect();
        let (mut steps_of, mut wrong_tokens) = (HashMap::<_, Vec<usize>>::new(), Vec::new());
        for (index, step) in self.steps.iter().enumerate() {
            steps_of.entry(step.operation).or_default().push(index);
            if step.action.probe() == Some(CredentialProbe::WrongToken) {
                wrong_tokens.push(index);
            }
        }
        let here = |(index, _): &(usize, &Fact)| !self.in_other_shards.contains(&FactId(*index));
        for (index, fact) in contract.facts.iter().enumerate().filter(here) {
            let (of, evidence) = (fact.operation, FactEvidence::of(fact.kind));
            // It is a fact of the security scheme, which several operations share.
            if evidence == FactEvidence::WrongToken {
                let uses_it = |step: &&usize| {
                    let scheme = scheme_location(contract, self.steps[**step].operation);
                    scheme.is_some_and(|scheme| fact.location == scheme)
                };
                for step in wrong_tokens.iter().filter(uses_it) {
                    descriptions[*step].facts.push(FactId(index));
                }
                continue;
            }
            // Something that is not called creates nothing that a list could show.
            let lists = [
                contract.list_showing_created_by(of),
                contract.list_showing_updated_by(of),
            ];
            let places = steps_of.get(&of).map(|_| lists.into_iter().flatten().chain([of]));
            let places: BTreeSet<_> = places.into_iter().flatten().collect();
            for step in places.iter().filter_map(|place| steps_of.get(place)).flatten() {
                let Step { operation, action } = self.steps[*step];
                let spec = action.spec();
                if spec.decides.contains(&evidence) && (spec.decides_facts_of)(contract, of, operation) {
                    descriptions[*step].facts.push(FactId(index));
                }
            }
        }
        descriptions
    }

    /// Describes a step, without its facts.
    fn describe_step(&self, contract: &Contract, calls: &Calls, step: Step) -> StepDescription {
        let (spec, sends) = (step.action.spec(), calls.sent_by(contract, step));
        let operation = contract.operation(sends);
        // A run sends the update once more between two reads, unless it asks about gaps.
        let repeats_update = step.action == Action::ReadBackUpdated
            && !self.learns
            && contract
                .fact_of(step.operation, FactKind::SameAfterRepeatedUpdate)
                .is_some();
        // The identifier in an edge case is made up.
        let made_up = step
            .action
            .edge_case()
            .and_then(|edge_case| operation.parameters.get(edge_case.parameter?));
        let needs = sources(contract, sends, |from| !calls.not_called.contains(&from))
            .into_iter()
            .filter(|source| {
                let in_path = operation.parameters.iter().any(|parameter| {
                    parameter.location == ParameterLocation::Path && parameter.name == source.parameter
                });
                // Where nothing fills the path, all of it is made up.
                let in_path = in_path && !calls.not_called.contains(&sends);
                let is_given = source.stand_in == Some(StandInOrigin::Given);
                let shown = is_given || !source.creates.is_empty() || !source.reads.is_empty();
                (in_path || shown) && made_up.is_none_or(|made_up| made_up.name != source.parameter)
            });
        StepDescription {
            step,
            sends,
            variants: if spec.varies {
                variants(contract, sends, self.seed)
            } else {
                Vec::new()
            },
            optional: if step.action == Action::ReadOptional {
                let optional = optional::optional(contract, sends).into_iter();
                optional
                    .map(|(index, _)| operation.parameters[index].name.clone())
                    .collect()
            } else {
                Vec::new()
            },
            read_after: (spec.read_after)(contract, &self.shown_by, sends),
            writes: repeats_update || !operation.is_get(),
            facts: Vec::new(),
            needs: needs.collect(),
        }
    }
}

/// The operations that a plan does not call, and the create that fills each list.
struct Calls {
    not_called: HashSet<OperationId>,
    /// The first create that is called for each list.
    fills: HashMap<OperationId, OperationId>,
}

impl Calls {
    fn of(plan: &Plan, contract: &Contract) -> Self {
        let not_called: HashSet<_> = plan.not_called.iter().map(|(id, _)| *id).collect();
        let mut fills = HashMap::new();
        for id in contract.operation_ids().filter(|id| !not_called.contains(id)) {
            if let Some(list) = contract.list_whose_items_are_created_by(id) {
                fills.entry(list).or_insert(id);
            }
        }
        Self { not_called, fills }
    }

    /// Returns the operation whose requests a step sends.
    fn sent_by(&self, contract: &Contract, step: Step) -> OperationId {
        if matches!(step.action, Action::ReadBackCreated | Action::ReadBackUpdated) {
            let lifecycle = contract.lifecycle_of(step.operation);
            return lifecycle.map_or(step.operation, |lifecycle| lifecycle.read);
        }
        let create = self.fills.get(&step.operation).filter(|_| step.action.spec().fills);
        create.copied().unwrap_or(step.operation)
    }
}

impl FactEvidence {
    /// Returns what shows whether a fact of this kind holds.
    fn of(kind: FactKind) -> Self {
        match kind {
            FactKind::ForbiddenFieldAbsent
            | FactKind::Answer(_)
            | FactKind::Assertion
            | FactKind::NoOtherFields
            | FactKind::CompleteResponse
            | FactKind::Decodes
            | FactKind::Json
            | FactKind::FailureJson(_)
            | FactKind::MediaType
            | FactKind::FailureMediaType(_)
            | FactKind::NoServerError
            | FactKind::OfRecordInPath(_)
            | FactKind::Present
            | FactKind::Status
            | FactKind::Type => Self::Response,
            FactKind::AcceptsTimestampFormat(_)
            | FactKind::Carried(_)
            | FactKind::IdentifierFitsPath
            | FactKind::IdentifierUnique => Self::Created,
            FactKind::Equivalent(_) => Self::Equivalent,
            FactKind::Filtered(_) | FactKind::Sorted(_) => Self::Filtered,
            FactKind::Listed | FactKind::ListedCarrying(_) => Self::Listed,
            FactKind::Challenge => Self::Challenge,
            FactKind::RejectsNoCredential => Self::NoCredential,
            FactKind::NotElsewhere => Self::OtherItems,
            FactKind::NoExtraRecord => Self::Counted,
            FactKind::EdgeCaseCompleteResponse | FactKind::EdgeCaseNoServerError => Self::EdgeCase,
            FactKind::RejectsOtherScheme => Self::OtherScheme,
            FactKind::PageAsked
            | FactKind::PageDefault
            | FactKind::PageFull
            | FactKind::PageLast
            | FactKind::PageSize
            | FactKind::PageTotal
            | FactKind::PageUnique => Self::Paged,
            FactKind::InferredPages(_) => Self::InferredPages,
            FactKind::ListedAfterUpdateCarrying(_) => Self::Updated,
            FactKind::InferredListed
            | FactKind::InferredListedOnce
            | FactKind::DefaultAfterCreate
            | FactKind::ReadAfterCreate
            | FactKind::ReadAfterCreateCarrying(_)
            | FactKind::ResponseAfterCreate => Self::ReadBackCreated,
            FactKind::ChangeTimeMoves
            | FactKind::CreationTimeKept
            | FactKind::DefaultAfterReplace
            | FactKind::FieldsKeptByUpdate
            | FactKind::ListedAsRead
            | FactKind::OtherKeptByUpdate
            | FactKind::ReadAfterUpdateCarrying(_)
            | FactKind::ResponseAfterUpdate
            | FactKind::SameAfterRepeatedUpdate => Self::ReadBackUpdated,
            FactKind::GoneAfterDelete | FactKind::OtherKeptByDelete | FactKind::UnlistedAfterDelete => Self::Deleted,
            FactKind::RejectsWrongToken => Self::WrongToken,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;
    use crate::plan::{Action, Scope};
    use crate::testing::work;

    fn described(scope: &Scope) -> (&'static Contract, Vec<StepDescription>) {
        let contract = crate::testing::built_in();
        let planned = Plan::new(contract, scope).describe(contract);
        (contract, planned)
    }

    fn all() -> Scope {
        Scope {
            writes: true,
            token: true,
            ..Scope::default()
        }
    }

    /// A contract with this many lists, each with an operation that reads one of its items and one that creates in it.
    fn lists(count: usize) -> String {
        let mut text = "openapi: 3.0.3\ninfo: {title: Things, version: '1'}\npaths:\n".to_owned();
        for number in 0..count {
            let ok = |links: &str| format!("responses: {{'200': {{description: a{links}}}}}");
            let link =
                format!(", links: {{L: {{operationId: get{number}, parameters: {{id: '$response.body#/0/id'}}}}}}");
            let id = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
            text.push_str(&format!("  /t{number}:\n"));
            text.push_str(&format!("    get: {{operationId: list{number}, {}}}\n", ok(&link)));
            text.push_str(&format!("    post: {{operationId: create{number}, {}}}\n", ok("")));
            text.push_str(&format!(
                "  /t{number}/{{id}}: {{get: {{operationId: get{number}, {id}, {}}}}}\n",
                ok("")
            ));
        }
        text
    }

    #[test]
    fn a_document_twice_as_long_takes_twice_the_work_to_read_and_plan() {
        let work = |count| {
            let text = lists(count);
            work::of(|| {
                let contract = Contract::read("lists.yaml", text).unwrap();
                let scope = Scope {
                    also_send: contract.operation_ids().collect(),
                    ..all()
                };
                let planned = Plan::new(&contract, &scope).describe(&contract);
                assert!(planned.len() >= 3 * count);
            })
        };
        let (one, two) = (work(200), work(400));
        // Finding a name among twice as many takes one more comparison.
        assert!(two * 10 <= one * 22, "{one} {two}");
    }

    #[test]
    fn a_plan_with_writes_decides_every_fact_of_the_contract() {
        let (contract, planned) = described(&all());
        let decided: HashSet<_> = planned.iter().flat_map(|planned| &planned.facts).collect();
        let open = (0..contract.facts.len()).filter(|index| !decided.contains(&FactId(*index)));
        let open: Vec<_> = open.map(|index| &contract.facts[index].name).collect();
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn without_writes_no_fact_of_a_write_is_decided() {
        let (contract, planned) = described(&Scope { writes: false, ..all() });
        assert!(planned.iter().all(|planned| !planned.writes));
        let facts = planned.iter().flat_map(|planned| &planned.facts);
        // The token's own fact is reported at the first operation that needs it.
        let of_writes = facts.filter(|fact| {
            let fact = contract.fact(**fact);
            fact.kind != FactKind::RejectsWrongToken && !contract.operation(fact.operation).is_read()
        });
        assert_eq!(of_writes.count(), 0);
    }

    #[test]
    fn a_put_that_is_sent_again_before_its_record_is_read_is_a_write() {
        let reads_back = |method: &str, learn: Option<Vec<usize>>| {
            let pet = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
            let body = format!("content: {{application/json: {{schema: {pet}}}}}");
            let id = "parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]";
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n  /pets:\n    post: {{operationId: addPet, \
                 requestBody: {{{body}}}, responses: {{'201': {{description: a, {body}}}}}}}\n  /pets/{{petId}}:\n    {id}\n    \
                 get: {{operationId: getPet, responses: {{'200': {{description: a, {body}}}}}}}\n    {method}: {{operationId: \
                 changePet, requestBody: {{{body}}}, responses: {{'200': {{description: a, {body}}}}}}}\n"
            );
            let contract = Contract::read("pets.yaml", text).unwrap();
            let planned = Plan::new(&contract, &Scope { learn, ..all() }).describe(&contract);
            let reads = planned
                .into_iter()
                .filter(|planned| planned.step.action == Action::ReadBackUpdated);
            reads.map(|planned| planned.writes).collect::<Vec<_>>()
        };
        assert_eq!(reads_back("put", None), [true]);
        assert_eq!(reads_back("patch", None), [false]);
        assert!(!reads_back("put", Some(Vec::new())).contains(&true));
    }

    #[test]
    fn each_fact_is_at_the_step_that_is_made_for_it() {
        let (contract, planned) = described(&all());
        for (name, action) in [
            ("getTags /data/total: integer", Action::Walk),
            (
                "getTags pages /data/total: equals the number of items on all pages",
                Action::Walk,
            ),
            ("createTag created /data/name: as sent in /name", Action::Create),
            ("createTag created: listed in getTags", Action::LookForCreated),
            ("createVisit accepts /datetime: suffix Z", Action::Create),
            (
                "updateContact in getContacts: no other item changes",
                Action::LookForUpdates,
            ),
            (
                "createTag auth: a request without a credential is rejected",
                Action::ProbeWrite(CredentialProbe::NoCredential),
            ),
        ] {
            let fact = contract.facts.iter().position(|fact| fact.name == name).expect(name);
            let steps = planned.iter().filter(|planned| planned.facts.contains(&FactId(fact)));
            let actions: Vec<_> = steps.map(|planned| planned.step.action).collect();
            assert_eq!(actions, [action], "{name}");
        }
    }

    #[test]
    fn a_path_says_which_answers_fill_it() {
        let (contract, planned) = described(&all());
        let update = contract.operation_named("updateContact").unwrap();
        let create = contract.operation_named("createContact").unwrap();
        let step = planned.iter().find(|planned| planned.step.operation == update).unwrap();
        let source = &step.needs[0];
        assert_eq!(
            (source.parameter.as_str(), &source.creates, source.stand_in),
            ("id", &vec![create], None)
        );
        assert!(source.reads.is_empty(), "other people's records are not written to");
    }

    #[test]
    fn a_step_is_reported_in_words_of_its_own() {
        let (_, planned) = described(&all());
        let actions: BTreeSet<_> = planned.iter().map(|planned| planned.step.action).collect();
        let reasons: HashSet<_> = actions.iter().map(|action| action.spec().reason).collect();
        let kinds: HashSet<_> = actions.iter().map(std::mem::discriminant).collect();
        // Each of the five credentials has its own description; that and the one of an edge case are the same for reads
        // and writes.
        assert_eq!((kinds.len(), reasons.len()), (18, 20));
    }
}
