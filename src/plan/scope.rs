//! Holds what a run covers. The main type is [`Scope`].

use std::collections::{BTreeMap, BTreeSet};

use super::action::ShownBy;
use super::shard::Shard;
use super::steps::may_be_called;
use crate::contract::Contract;
use crate::contract::link::LinkTarget;
use crate::contract::operation::{Method, OperationId};

/// What a run covers of the contract, and what it may do.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Whether requests that change the target may be sent.
    pub writes: bool,
    /// Whether the records that the run creates are deleted at its end, where the contract has an operation for it.
    pub cleanup: bool,
    /// The gaps that the run asks about, by index; all of them if empty. It then leaves out the steps that answer none.
    /// `None` for a run that does not ask.
    pub learn: Option<Vec<usize>>,
    /// What a run that asks about all gaps need not ask again.
    pub settled_answers: SettledAnswers,
    /// Whether there is a token.
    pub token: bool,
    /// Whether the token is a user and a password, so that it can be sent by HTTP Basic.
    pub user_and_password: bool,
    /// The operations to check, with those that they need; all when empty.
    pub only: Vec<OperationId>,
    /// The operations that are neither called nor reported on.
    pub skip: Vec<OperationId>,
    /// Operations that are sent although the plan would leave them out: writes that cannot be traced (the contract does
    /// not say how to recognise what they do), and operations that seem to have a side effect, beyond what their method
    /// says.
    pub also_send: Vec<OperationId>,
    /// The seed of all choices.
    pub seed: u64,
    /// The shard of the plan that is carried out; `None` for the whole plan.
    pub shard: Option<Shard>,
}

/// What earlier runs have answered so well that it need not be asked again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettledAnswers {
    /// What the answers are about: the index of the gap, the operation and the location.
    pub subjects: BTreeSet<(usize, OperationId, String)>,
    /// The operations whose ordinary responses, such as the controls of trials, leave something open.
    pub operations_with_open_responses: BTreeSet<OperationId>,
    /// The gaps about which nothing is left to ask.
    pub gaps: BTreeSet<usize>,
}

impl SettledAnswers {
    /// Whether an answer is settled.
    pub(super) fn contains(&self, gap: usize, operation: OperationId, location: &str) -> bool {
        self.subjects.contains(&(gap, operation, location.to_owned()))
    }
}

/// An operation that may not be named in [`Scope::also_send`], such as a `DELETE`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the setting `also_send` cannot send `{operation}`: {reason}")]
pub struct NeverAlsoSent {
    /// The operation.
    pub operation: String,
    reason: String,
}

/// Makes sure that an operation may be named in [`Scope::also_send`]: a `DELETE` is sent only for records that the run
/// created, and `HEAD`, `OPTIONS` and `TRACE` never.
///
/// # Errors
///
/// [`NeverAlsoSent`] if it is one of these.
pub fn check_also_sent(contract: &Contract, id: OperationId) -> Result<(), NeverAlsoSent> {
    let operation = contract.operation(id);
    let reason = match operation.method {
        Method::Get | Method::Patch | Method::Post | Method::Put => return Ok(()),
        Method::Delete => "a DELETE is sent only by `cleanup`, for records that the run created".to_owned(),
        other => format!("{other} is never sent"),
    };
    Err(NeverAlsoSent {
        operation: operation.name.clone(),
        reason,
    })
}

/// Returns what shows the record of each create from which another write or a query takes a value: its list, or else a
/// read that the contract links it to.
pub(super) fn shown_by(contract: &Contract, scope: &Scope) -> BTreeMap<OperationId, ShownBy> {
    let creates = |id: OperationId| !contract.operation(id).is_read();
    let writes = |id: OperationId| !contract.operation(id).is_get();
    let dependencies: BTreeSet<_> = contract
        .links
        .iter()
        .filter(|link| creates(link.from) && writes(link.to))
        .map(|link| link.from)
        .collect();
    let shown = dependencies
        .into_iter()
        .filter_map(|create| Some((create, what_shows(contract, scope, create)?)));
    shown.collect()
}

/// Returns what shows the record of a create, among the operations that may be called.
pub(super) fn what_shows(contract: &Contract, scope: &Scope, create: OperationId) -> Option<ShownBy> {
    let may_be_called = |id: &OperationId| may_be_called(contract, scope, *id);
    let list = contract.list_showing_created_by(create).filter(may_be_called);
    let links = contract.links_from(create);
    // A read into whose path a link carries the identifier of the created record. The shortest path is that of the
    // record itself, and not of a part of it.
    let by_id = || {
        let reads = links.filter(|link| {
            let parameter = matches!(link.target, LinkTarget::Parameter(_));
            let reads = parameter && contract.operation(link.to).is_read() && may_be_called(&link.to);
            reads && contract.identifies_created_record(link)
        });
        let read = reads.min_by_key(|link| contract.operation(link.to).path.len());
        read.map(|link| ShownBy::Read(link.to))
    };
    list.map(ShownBy::List).or_else(by_id)
}
