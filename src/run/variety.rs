//! Sends variants of what was accepted: a few of each create, because a record stays, and all of each update, because
//! nothing does. A variant that is refused is evidence on a gap and changes no verdict.

use serde_json::{Value, json};

use super::create::Standing;
use super::request;
use super::session::{Changed, Session};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Form, Updated};
use crate::exchange::{Exchange, Request};
use crate::plan::{ANOTHER_SHARD, Action, Draft, Step, TRIES_A_VARIANT, Variant, WRITES_A_VARIANT, variants};

impl Session<'_> {
    /// Creates records from variants of the draft that the operation accepted: one for each twenty of `--max-writes`.
    pub(super) async fn vary_create(&self, operation: OperationId) {
        let accepted = self.accepted.borrow().get(&operation).cloned();
        if self.owned(operation).await.is_err() {
            return;
        }
        let address = request::address(self.contract, operation, &self.known.borrow());
        let (Some(accepted), Ok(address)) = (accepted, address) else {
            return;
        };
        let wanted = self.settings.max_writes.div_ceil(WRITES_A_VARIANT);
        let (mut made, mut tries) = (0, 0);
        for variant in variants(self.contract, operation, self.seed) {
            if made == wanted || tries == wanted.saturating_mul(TRIES_A_VARIANT) || self.left_to_create() == 0 {
                break;
            }
            let Ok(mut draft) = self.draft(operation, Form::Utc) else {
                break;
            };
            if !draft.vary(&variant, &accepted) {
                continue;
            }
            tries += 1;
            let beside = self.beside(operation, &accepted).filter(|_| tries == 1);
            self.expect(1 + u64::from(beside.is_some()));
            let varied = self.write(operation, &draft, &address, Standing::Further);
            let (exchange, _) = match &beside {
                None => varied.await,
                Some(beside) => {
                    let beside = self.write(operation, beside, &address, Standing::Further);
                    futures::future::join(varied, beside).await.0
                }
            };
            if self.succeeded(&exchange) {
                made += 1;
            } else if !is_refused(&exchange) {
                break;
            }
        }
    }

    /// Drafts a create that is under way together with the first variant, so that answers which are mixed up, identifiers
    /// that are given twice and records that are lost come to light. It leaves a record more, so one operation has it, once.
    fn beside(&self, operation: OperationId, accepted: &Draft) -> Option<Draft> {
        let at_once = self.settings.jobs > 1 && self.is_first_round() && self.left_to_create() > 1;
        if !at_once || self.created_at_once() != Some(operation) {
            return None;
        }
        let mut draft = self.draft(operation, Form::Utc).ok()?;
        draft.choose_as(accepted);
        Some(draft)
    }

    /// The operation that is sent two creates together: the seed draws it of those whose first variant leaves nothing out,
    /// for one that is refused is under way with nothing. All shards together have one.
    fn created_at_once(&self) -> Option<OperationId> {
        let is_varied = |id: &OperationId| {
            let mut steps = self.plan.steps.iter();
            let creates = |step: &Step| step.operation == *id && step.action == Action::Create;
            let mut others = self.plan.not_called.iter();
            let has_law = self.contract.operation(*id).laws.created.is_some();
            has_law && (steps.any(creates) || others.any(|(other, why)| other == id && why == ANOTHER_SHARD))
        };
        let varied = self.contract.operation_ids().filter(is_varied);
        let first = |id| variants(self.contract, id, self.seed).into_iter().next();
        let firsts = varied.filter_map(|id| Some((id, first(id)?)));
        let (partial, whole): (Vec<_>, Vec<_>) = firsts.partition(|(_, variant)| variant.leaves_out());
        let drawn = if whole.is_empty() { partial } else { whole };
        let place = self.seed.checked_rem(u64::try_from(drawn.len()).ok()?)?;
        drawn.get(usize::try_from(place).ok()?).map(|(operation, _)| *operation)
    }

    /// Updates a record of this run with every variant of the draft that the operation accepted, and looks for each.
    pub(super) async fn vary_update(&self, operation: OperationId) {
        let accepted = self.accepted.borrow().get(&operation).cloned();
        let law = self.contract.operation(operation).laws.updated.as_ref();
        let list = law.and_then(|law| self.contract.operation_named(&law.listed.operation));
        if self.owned(operation).await.is_err() {
            return;
        }
        let address = request::address(self.contract, operation, &self.known.borrow());
        let (Some(accepted), Some(law), Some(list), Ok(address)) = (accepted, law, list, address) else {
            return;
        };
        let mut sent = self.sent_last(operation);
        for variant in variants(self.contract, operation, self.seed) {
            let Ok(mut draft) = self.draft(operation, Form::Utc) else {
                return;
            };
            if !draft.vary(&variant, &accepted) {
                continue;
            }
            if matches!(variant, Variant::Alone(_)) {
                self.differ(operation, law, &mut draft, &sent);
            }
            self.expect(1);
            let (exchange, _) = self.write(operation, &draft, &address, Standing::Further).await;
            if self.succeeded(&exchange) {
                let changed = Changed {
                    operation,
                    request: exchange.request,
                    path_values: address.path_values.clone(),
                };
                if comes_back(law, &changed.request) {
                    self.look_closely(list, &changed, law, &sent).await;
                }
                put(&mut sent, changed.request.json().cloned());
            } else if !is_refused(&exchange) {
                return;
            }
        }
    }

    /// What the updates so far sent of each field.
    fn sent_last(&self, operation: OperationId) -> Value {
        let mut sent = json!({});
        let changed = self.changed.borrow();
        for changed in changed.iter().filter(|changed| changed.operation == operation) {
            put(&mut sent, changed.request.json().cloned());
        }
        sent
    }

    /// Sends other values than those that were sent and those that the list showed last.
    fn differ(&self, operation: OperationId, law: &Updated, draft: &mut Draft, sent: &Value) {
        let latest = self.latest.borrow();
        let Some(shown) = latest.get(&operation) else { return };
        draft.differ(|at, value| {
            let any = pointer::any_element(at);
            let mut carries = law.carries.iter().filter(|carry| carry.sent == any);
            let is_shown = carries.any(|carry| pointer::select(&shown.record, &carry.kept).contains(&value));
            is_shown || sent.pointer(at) == Some(value)
        });
    }
}

/// Puts the fields of a body into another one.
fn put(sent: &mut Value, body: Option<Value>) {
    if let (Some(sent), Some(Value::Object(fields))) = (sent.as_object_mut(), body) {
        sent.extend(fields);
    }
}

/// Whether something of what was sent must come back.
fn comes_back(law: &Updated, request: &Request) -> bool {
    let sent = request.json();
    sent.is_some_and(|sent| {
        law.carries
            .iter()
            .any(|carry| !pointer::select(sent, &carry.sent).is_empty())
    })
}

/// Whether the answer refuses what leans on a gap.
fn is_refused(exchange: &Exchange) -> bool {
    let answer = exchange.outcome.as_ref();
    answer.is_ok_and(|answer| matches!(answer.status, 400 | 409 | 422))
}
