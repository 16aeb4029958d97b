//! What the answers of a run have shown so far, which later requests and the evidence are made of. The main type is
//! [`History`].

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use serde_json::Value;

use super::digests::Digests;
use super::look::Sighted;
use super::mock::Keeping;
use super::own::Own;
use super::session::NotTaken;
use super::shown::Shown;
use super::walk::digest;
use crate::contract::operation::OperationId;
use crate::contract::{Contract, pointer};
use crate::exchange::Request;
use crate::plan::{Draft, Known, Plan};
use crate::rules::evidence::Walk;

/// What a run has seen, and what it has sent with success.
#[derive(Debug)]
pub(super) struct History<'run> {
    contract: &'run Contract,
    /// The values that links take from answers.
    pub(super) known: RefCell<Known>,
    /// The records that the run created.
    pub(super) made: RefCell<Vec<Made>>,
    /// The updates of these that the run looks for once all are sent.
    pub(super) changed: RefCell<Vec<Changed>>,
    /// The record of each update as its list showed it last.
    pub(super) latest: RefCell<HashMap<OperationId, Sighted>>,
    /// Whose the record of each create is that later writes lean on.
    pub(super) own: RefCell<HashMap<OperationId, Own>>,
    /// The draft that each write accepted.
    pub(super) accepted: RefCell<HashMap<OperationId, Draft>>,
    /// Digests of the identifiers that each operation's list or create showed.
    identifiers: RefCell<HashMap<OperationId, Digests>>,
    /// What answers showed, where a create is known by its links alone.
    pub(super) shown: RefCell<Shown>,
    /// What became of the run's own records.
    pub(super) keeping: Cell<Keeping>,
    /// How many bodies were drafted.
    pub(super) drafts: Cell<u64>,
    /// The awkward values that were not taken.
    pub(super) not_taken: RefCell<Vec<NotTaken>>,
}

/// A record that the run created.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) operation: OperationId,
    pub(super) request: Request,
    pub(super) resource: Value,
    pub(super) seen_before: bool,
    /// The values in the path of the create, by parameter: the record's owner is among them.
    pub(super) path_values: Vec<(String, Value)>,
}

/// An update of a record that the run created.
#[derive(Clone, Debug)]
pub(super) struct Changed {
    pub(super) operation: OperationId,
    pub(super) request: Request,
    /// The values in the path of the update, by parameter: the record itself is among them.
    pub(super) path_values: Vec<(String, Value)>,
}

impl<'run> History<'run> {
    /// Of a run that has seen nothing yet.
    pub(super) fn new(contract: &'run Contract, plan: &Plan) -> Self {
        Self {
            contract,
            known: RefCell::default(),
            made: RefCell::default(),
            changed: RefCell::default(),
            latest: RefCell::default(),
            own: RefCell::default(),
            accepted: RefCell::default(),
            identifiers: RefCell::default(),
            shown: RefCell::new(Shown::of(contract, plan)),
            keeping: Cell::default(),
            drafts: Cell::default(),
            not_taken: RefCell::default(),
        }
    }

    /// Forgets the records of an earlier round: they were judged there, and keeping them would cost memory with each round.
    pub(super) fn begin_round(&self) {
        self.made.borrow_mut().clear();
        self.changed.borrow_mut().clear();
        self.latest.borrow_mut().clear();
        self.own.borrow_mut().clear();
    }
    /// Notes the identifiers that a walk over a list has shown.
    pub(super) fn note_listed(&self, walk: &Walk) {
        let mut identifiers = self.identifiers.borrow_mut();
        identifiers.entry(walk.operation).or_default().extend(walk.items());
    }

    /// Notes the identifiers of records that the items hold, so that one of them given to a new record is seen.
    pub(super) fn note_nested(&self, list: OperationId, items: &[Value]) {
        let mut identifiers = self.identifiers.borrow_mut();
        for create in self.contract.creating_within(list) {
            let created = self.contract.operation(create).laws.created.as_ref();
            let within = created.and_then(|created| Some((created, created.listed.as_ref()?.at.as_ref()?)));
            let Some((created, at)) = within else { continue };
            let nested = format!("{at}/*{}", created.id);
            let ids = items.iter().flat_map(|item| pointer::select(item, &nested));
            let digests = ids.filter(|id| !id.is_null()).map(digest);
            identifiers.entry(create).or_default().extend(digests);
        }
    }

    /// Whether the identifier stood in the list of such records, or was given to another one; from now on it was.
    pub(super) fn was_seen(&self, operation: OperationId, id: &Value) -> bool {
        let in_list = self.was_listed(operation, id);
        let mut identifiers = self.identifiers.borrow_mut();
        !identifiers.entry(operation).or_default().insert(digest(id)) || in_list
    }

    /// Whether the identifier stood in the list of such records.
    pub(super) fn was_listed(&self, operation: OperationId, id: &Value) -> bool {
        let identifiers = self.identifiers.borrow();
        let seen = self.contract.list_of(operation).and_then(|list| identifiers.get(&list));
        seen.is_some_and(|seen| seen.contains(&digest(id)))
    }
}
