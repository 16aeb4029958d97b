//! Tells a plan before anything is sent: what each step sends, why, and the facts that its answers decide. The main type
//! is [`Planned`].
//!
//! # Design
//!
//! Nothing here plans: [`Plan::told`] reads the very steps that a run carries out, so that the two cannot drift. Every
//! match on a kind of fact is total, and so is what is told of an action: who adds one says here what is told of it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::source::{Source, sources};
use super::steps::{Action, Plan, Probe, Step, WRITES_BY_DEFAULT};
use super::variety::{TRIES_A_VARIANT, Variant, WRITES_A_VARIANT, reserve, variants};
use crate::contract::Contract;
use crate::contract::fact::{Fact, FactId, FactKind};
use crate::contract::odd::Odd;
use crate::contract::operation::{Location, OperationId};

/// What bounds the requests of a step.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most records that a run may create in the target.
    pub max_writes: u64,
    /// The most pages of a list that are walked.
    pub max_pages: u64,
    /// How long a created record may take until it is listed.
    pub settle: Duration,
}

/// One step, told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The step.
    pub step: Step,
    /// The operation whose requests it sends: the step's own, or the create that fills a list.
    pub sends: OperationId,
    /// How the bodies differ from the one that was accepted, in the order in which they are sent.
    pub variants: Vec<Variant>,
    /// The list that is read after each of them.
    pub then: Option<OperationId>,
    /// Whether its requests may change the target.
    pub writes: bool,
    /// The facts that its answers decide.
    pub facts: Vec<FactId>,
    /// Where the values of its path come from, and those that an answer shows.
    pub needs: Vec<Source>,
}

impl Plan {
    /// The steps in order, each with what it decides. A fact that several calls decide stands at the step that is made
    /// for it: what every answer shows at the operation's own call, a law at the step that gathers its evidence.
    #[must_use]
    pub fn told(&self, contract: &Contract) -> Vec<Planned> {
        let calls = Calls::of(self, contract);
        let planned = self.steps.iter().map(|step| self.planned(contract, &calls, *step));
        let mut planned: Vec<_> = planned.collect();
        let mut steps_of: HashMap<OperationId, Vec<usize>> = HashMap::new();
        for (index, step) in self.steps.iter().enumerate() {
            steps_of.entry(step.operation).or_default().push(index);
        }
        let wrong: Vec<_> = self.indexes(|action| action.probe() == Some(Probe::WrongToken));
        let here = |(index, _): &(usize, &Fact)| !self.elsewhere.contains(&FactId(*index));
        for (index, fact) in contract.facts.iter().enumerate().filter(here) {
            let evidence = Evidence::of(fact.kind);
            let own = || steps_of.get(&fact.operation).cloned().unwrap_or_default();
            let listing =
                |list: Option<OperationId>| list.and_then(|list| steps_of.get(&list).cloned()).unwrap_or_default();
            let candidates = match evidence {
                // It is a fact of the security scheme, which several operations share.
                Evidence::Refused(Probe::WrongToken) => wrong.clone(),
                Evidence::Answer
                | Evidence::Challenge
                | Evidence::Created
                | Evidence::Equivalent
                | Evidence::Odd
                | Evidence::Paged
                | Evidence::Refused(_) => own(),
                // Where nothing is created, nothing is looked for.
                Evidence::Counted | Evidence::Elsewhere | Evidence::Listed | Evidence::Updated if own().is_empty() => {
                    continue;
                }
                Evidence::Counted | Evidence::Elsewhere => [
                    listing(contract.created_in(fact.operation)),
                    listing(contract.updated_in(fact.operation)),
                ]
                .concat(),
                Evidence::Listed => listing(contract.created_in(fact.operation)),
                Evidence::Updated => listing(contract.updated_in(fact.operation)),
            };
            for step in candidates {
                if evidence.is_shown_by(self.steps[step].action, contract, fact) {
                    planned[step].facts.push(FactId(index));
                }
            }
        }
        planned
    }

    fn planned(&self, contract: &Contract, calls: &Calls, step: Step) -> Planned {
        let sends = calls.sent_by(step);
        let operation = contract.operation(sends);
        // An odd identifier is made up.
        let made_up = step
            .action
            .odd()
            .and_then(|odd| operation.parameters.get(odd.parameter?));
        let needs = sources(contract, sends, |from| !calls.not_called.contains(&from))
            .into_iter()
            .filter(|source| {
                let in_path = operation
                    .parameters
                    .iter()
                    .any(|parameter| parameter.location == Location::Path && parameter.name == source.parameter);
                let shown = !source.own.is_empty() || !source.listed.is_empty();
                (in_path || shown) && made_up.is_none_or(|made_up| made_up.name != source.parameter)
            });
        Planned {
            step,
            sends,
            variants: match step.action {
                Action::VaryCreate | Action::VaryUpdate => variants(contract, sends, self.seed),
                _ => Vec::new(),
            },
            then: match step.action {
                Action::Create => self.shown_by.get(&sends).map(|shown| shown.operation()),
                Action::VaryCreate => contract.list_of(sends),
                Action::VaryUpdate | Action::Equivalent => contract.updated_in(sends),
                _ => None,
            },
            writes: !operation.is_read(),
            facts: Vec::new(),
            needs: needs.collect(),
        }
    }

    fn indexes(&self, wanted: impl Fn(Action) -> bool) -> Vec<usize> {
        let steps = self.steps.iter().enumerate();
        steps
            .filter(|(_, step)| wanted(step.action))
            .map(|(index, _)| index)
            .collect()
    }
}

/// What a plan calls.
struct Calls {
    not_called: HashSet<OperationId>,
    /// The first called create of each list.
    fills: HashMap<OperationId, OperationId>,
}

impl Calls {
    fn of(plan: &Plan, contract: &Contract) -> Self {
        let not_called: HashSet<_> = plan.not_called.iter().map(|(id, _)| *id).collect();
        let mut fills = HashMap::new();
        for id in contract.operation_ids().filter(|id| !not_called.contains(id)) {
            if let Some(list) = contract.list_of(id) {
                fills.entry(list).or_insert(id);
            }
        }
        Self { not_called, fills }
    }

    /// The operation whose requests a step sends.
    fn sent_by(&self, step: Step) -> OperationId {
        let fills = matches!(step.action, Action::Fill | Action::FillLast);
        let create = self.fills.get(&step.operation).filter(|_| fills);
        create.copied().unwrap_or(step.operation)
    }
}

impl Action {
    /// What the step does, and why.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Walk => "walk the list: each answer is judged, and the pages must add up",
            Self::WalkWithin => "walk the list that stands within another record: its pages must add up",
            Self::Read => "read: the answer is judged",
            Self::ProbeRead(probe) | Self::ProbeWrite(probe) => match probe {
                Probe::EmptyToken => "call with an empty token: it must be refused",
                Probe::NoCredential => "call without a credential: it must be refused",
                Probe::OtherScheme => "call with the token under another scheme: it must be refused",
                Probe::SecondPage => "ask for a second page without a credential: it must be refused",
                Probe::WrongToken => "call with a token that nobody issued: it must be refused",
            },
            Self::Create => "create a record: it must be answered as documented and carry what was sent",
            Self::Fill => "create more of the list's records until it has a second page, if that can be reached",
            Self::FillLast => {
                "create more of the list's records until its last page is full, if more may be left than by default"
            }
            Self::VaryCreate => "create further records: awkward values, fields alone, none, other offsets",
            Self::Look => "look for what was created: it must be listed, with what was sent",
            Self::Equivalent => "send the same request, written otherwise: it is accepted as the plain one is",
            Self::WalkFilled => "walk the list once more, if it was given a second page: the pages must add up",
            Self::Restore => "update with plain values once more: what stays behind is read by people",
            Self::ReadCreated => "read by what a create showed, a record of this run before any other",
            Self::Update => "update a record that this run created",
            Self::LookAgain => "look for what was updated: the list must show what was sent, in that record alone",
            Self::LookAtRefused => "look at the updated record again: what was refused must not have changed it",
            Self::OddRead(_) | Self::OddWrite(_) => {
                "send an odd request: whatever it gets, it gets no 5xx, and all of it"
            }
            Self::Account => "look through the list for the run's tag: whatever it left is accounted for",
            Self::VaryUpdate => "update with each field alone, none, and awkward values: the list must show each",
        }
    }

    /// How many requests the step sends, as far as that is known before the target answers.
    #[must_use]
    pub fn requests(self, bounds: &Bounds) -> String {
        let Bounds {
            max_writes,
            max_pages,
            settle,
        } = bounds;
        match self {
            Self::Walk | Self::WalkWithin => {
                format!(
                    "the first page, then pages 2 to last_page, {max_pages} at most; once more where they do not add up"
                )
            }
            Self::LookAtRefused => "none, or one page where a write was refused".to_owned(),
            Self::ProbeRead(Probe::SecondPage) => "none, or one request where the list has a second page".to_owned(),
            Self::Read | Self::ProbeRead(_) | Self::OddRead(_) | Self::Restore => "one request".to_owned(),
            Self::OddWrite(_) => format!("one request; what it leaves counts against max-writes {max_writes}"),
            Self::ProbeWrite(_) => format!(
                "one request, with the body that was accepted; what it leaves counts against max-writes {max_writes}"
            ),
            Self::Create => format!(
                "one request in each documented form, and again, changed field by field, until it is accepted; what \
                 all of them leave is at most max-writes {max_writes}; before a later write takes its identifier, \
                 what shows its record until it does"
            ),
            Self::ReadCreated => format!(
                "one request, again within {} s (settle) while it gets a 404; of a list its pages, {max_pages} at most",
                settle.as_secs_f64()
            ),
            Self::VaryCreate => format!(
                "one with awkward values, with half of them where they are refused; for each started {WRITES_A_VARIANT} of \
                 max-writes {max_writes} one that is accepted, of at most {TRIES_A_VARIANT} that are tried; of one operation a \
                 plain one and a page go together with the first, in the place of the others, unless jobs is 1"
            ),
            Self::Fill => format!(
                "as many as {} of max-writes {max_writes} leave room for, none where they are not needed",
                max_writes - reserve(*max_writes)
            ),
            Self::FillLast => format!(
                "as many as the part of max-writes {max_writes} beyond {WRITES_BY_DEFAULT} has room for, all pages of the list \
                 before and its ends one record before, then and one after; none where it has no room"
            ),
            Self::Equivalent => {
                "one request that is written in each way, and of an update the list's page that shows it; where it is refused, \
                 the plain one and each way alone"
                    .to_owned()
            }
            Self::Account => format!("the first page, then pages 2 to last_page, {max_pages} at most"),
            Self::WalkFilled => format!("none, or the first page, then pages 2 to last_page, {max_pages} at most"),
            Self::VaryUpdate => {
                "one request for each variant, and the list's pages until it shows what was sent; awkward values that are \
                 refused together once more in halves"
                    .to_owned()
            }
            Self::Look | Self::LookAgain => format!(
                "pages 1 to last_page, {max_pages} at most, until it is there, again within {} s (settle)",
                settle.as_secs_f64()
            ),
            Self::Update => "one request, and again, changed field by field, until it is accepted".to_owned(),
        }
    }

    /// Whether the steps of one group are under way together, up to `--jobs`; else each waits for the one before it.
    #[must_use]
    pub fn at_once(self) -> bool {
        match self {
            // Lists need nothing of each other, and neither do calls that must be refused.
            Self::Walk | Self::ProbeRead(_) | Self::OddRead(_) => true,
            // A read may need what the read before it showed; writes go one by one.
            Self::Read
            | Self::ReadCreated
            | Self::WalkWithin
            | Self::Create
            | Self::Fill
            | Self::FillLast
            | Self::VaryCreate
            | Self::Look
            | Self::WalkFilled
            | Self::Update
            | Self::LookAgain
            | Self::VaryUpdate
            | Self::Equivalent
            | Self::ProbeWrite(_)
            | Self::LookAtRefused
            | Self::OddWrite(_)
            | Self::Restore
            | Self::Account => false,
        }
    }

    /// Whether the step is part of every round of a run that repeats its plan. A wrong token is shown in the first
    /// alone: a target may lock out whoever guesses. And a last page is filled once: what that takes stays.
    #[must_use]
    pub fn repeats(self) -> bool {
        self.probe() != Some(Probe::WrongToken) && self != Self::FillLast
    }

    /// What is odd about an odd request.
    #[must_use]
    pub fn odd(self) -> Option<Odd> {
        match self {
            Self::OddRead(odd) | Self::OddWrite(odd) => Some(odd),
            _ => None,
        }
    }

    /// The credential of a probe.
    #[must_use]
    pub fn probe(self) -> Option<Probe> {
        match self {
            Self::ProbeRead(probe) | Self::ProbeWrite(probe) => Some(probe),
            _ => None,
        }
    }

    /// Whether the operation is called as documented, so that its answer is held to everything that is stated of it.
    fn is_the_call(self) -> bool {
        match self {
            Self::Walk | Self::WalkWithin | Self::Read | Self::ReadCreated | Self::Create | Self::Update => true,
            Self::Fill
            | Self::FillLast
            | Self::VaryCreate
            | Self::Look
            | Self::WalkFilled
            | Self::LookAgain
            | Self::VaryUpdate
            | Self::Equivalent
            | Self::ProbeRead(_)
            | Self::ProbeWrite(_)
            | Self::LookAtRefused
            | Self::OddRead(_)
            | Self::OddWrite(_)
            | Self::Restore
            | Self::Account => false,
        }
    }
}

/// What shows whether a fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    /// Any documented answer.
    Answer,
    /// The answer to any request that must be refused.
    Challenge,
    /// The answer to a create, beside what was sent.
    Created,
    /// A look through a list at the end.
    Counted,
    /// The items of a list beside the record's own.
    Elsewhere,
    /// The answer to a request that is written otherwise.
    Equivalent,
    /// The list that must show a created record.
    Listed,
    /// The answer to an odd request.
    Odd,
    /// A walk over pages.
    Paged,
    /// The answer to a request that must be refused.
    Refused(Probe),
    /// The list that must show an update.
    Updated,
}

impl Evidence {
    fn of(kind: FactKind) -> Self {
        match kind {
            FactKind::Absent
            | FactKind::Assertion
            | FactKind::Closed
            | FactKind::Complete
            | FactKind::Decodes
            | FactKind::Json
            | FactKind::JsonOf(_)
            | FactKind::MediaType
            | FactKind::MediaTypeOf(_)
            | FactKind::NoServerError
            | FactKind::Present
            | FactKind::Status
            | FactKind::Type => Self::Answer,
            FactKind::Accepts(_) | FactKind::Carried(_) | FactKind::IdentifierServes | FactKind::IdentifierUnique => {
                Self::Created
            }
            FactKind::Equivalent(_) => Self::Equivalent,
            FactKind::Listed | FactKind::ListedCarrying(_) => Self::Listed,
            FactKind::Challenge => Self::Challenge,
            FactKind::NoCredential => Self::Refused(Probe::NoCredential),
            FactKind::NotElsewhere => Self::Elsewhere,
            FactKind::Once => Self::Counted,
            FactKind::OddComplete | FactKind::OddNoServerError => Self::Odd,
            FactKind::OtherScheme => Self::Refused(Probe::OtherScheme),
            FactKind::PageAsked
            | FactKind::PageDefault
            | FactKind::PageFull
            | FactKind::PageLast
            | FactKind::PageSize
            | FactKind::PageTotal
            | FactKind::PageUnique => Self::Paged,
            FactKind::UpdatedCarrying(_) => Self::Updated,
            FactKind::WrongToken => Self::Refused(Probe::WrongToken),
        }
    }

    /// Whether a step of this action on the right operation gathers it.
    fn is_shown_by(self, action: Action, contract: &Contract, fact: &Fact) -> bool {
        match self {
            Self::Answer => action.is_the_call(),
            Self::Challenge => action.probe().is_some(),
            Self::Counted => action == Action::Account,
            Self::Created => action == Action::Create,
            Self::Elsewhere => match action {
                Action::Look => contract.created_in(fact.operation).is_some(),
                Action::LookAgain => contract.updated_in(fact.operation).is_some(),
                _ => false,
            },
            Self::Equivalent => action == Action::Equivalent,
            Self::Listed => action == Action::Look,
            Self::Odd => matches!(action, Action::OddRead(_) | Action::OddWrite(_)),
            Self::Paged => matches!(action, Action::Walk | Action::WalkWithin | Action::ReadCreated),
            Self::Refused(probe) => action.probe().is_some_and(|other| other.fact() == probe.fact()),
            Self::Updated => action == Action::LookAgain,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;
    use crate::plan::Selection;
    use crate::testing::work;

    fn told(scope: &Selection) -> (Contract, Vec<Planned>) {
        let contract = Contract::built_in().unwrap();
        let planned = Plan::new(&contract, scope).told(&contract);
        (contract, planned)
    }

    fn all() -> Selection {
        Selection {
            writes: true,
            token: true,
            ..Selection::default()
        }
    }

    /// A contract of this many lists, each with an operation that reads one of its items and one that creates in it.
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
                let scope = Selection {
                    also_send: contract.operation_ids().collect(),
                    ..all()
                };
                let planned = Plan::new(&contract, &scope).told(&contract);
                assert!(planned.len() >= 3 * count);
            })
        };
        let (one, two) = (work(200), work(400));
        // A name among twice as many takes one comparison more.
        assert!(two * 10 <= one * 22, "{one} {two}");
    }

    #[test]
    fn a_plan_with_writes_decides_every_fact_of_the_contract() {
        let (contract, planned) = told(&all());
        let decided: HashSet<_> = planned.iter().flat_map(|planned| &planned.facts).collect();
        let open = (0..contract.facts.len()).filter(|index| !decided.contains(&FactId(*index)));
        let open: Vec<_> = open.map(|index| &contract.facts[index].name).collect();
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn without_writes_no_fact_of_a_write_is_decided() {
        let (contract, planned) = told(&Selection { writes: false, ..all() });
        assert!(planned.iter().all(|planned| !planned.writes));
        let facts = planned.iter().flat_map(|planned| &planned.facts);
        // The token's own fact is told at the operation that needs it first.
        let of_writes = facts.filter(|fact| {
            let fact = contract.fact(**fact);
            fact.kind != FactKind::WrongToken && !contract.operation(fact.operation).is_read()
        });
        assert_eq!(of_writes.count(), 0);
    }

    #[test]
    fn each_fact_stands_at_the_step_that_is_made_for_it() {
        let (contract, planned) = told(&all());
        for (name, action) in [
            ("getTags /data/total: integer", Action::Walk),
            ("getTags pages /data/total: agrees with the walk", Action::Walk),
            ("createTag created /data/name: as sent in /name", Action::Create),
            ("createTag created: listed in getTags", Action::Look),
            ("createVisit accepts /datetime: suffix Z", Action::Create),
            ("updateContact in getContacts: no other item changes", Action::LookAgain),
            (
                "createTag auth: no credential is refused",
                Action::ProbeWrite(Probe::NoCredential),
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
        let (contract, planned) = told(&all());
        let update = contract.operation_named("updateContact").unwrap();
        let create = contract.operation_named("createContact").unwrap();
        let step = planned.iter().find(|planned| planned.step.operation == update).unwrap();
        let source = &step.needs[0];
        assert_eq!(
            (source.parameter.as_str(), &source.own, source.given),
            ("id", &vec![create], None)
        );
        assert!(source.listed.is_empty(), "other people's records are not written to");
    }

    #[test]
    fn a_step_is_told_in_words_of_its_own() {
        let (_, planned) = told(&all());
        let actions: BTreeSet<_> = planned.iter().map(|planned| planned.step.action).collect();
        let reasons: HashSet<_> = actions.iter().map(|action| action.reason()).collect();
        let kinds: HashSet<_> = actions.iter().map(std::mem::discriminant).collect();
        // A probe has words for each of five credentials; it and an odd request have one set for reads and writes.
        assert_eq!((kinds.len(), reasons.len()), (18, 20));
    }
}
