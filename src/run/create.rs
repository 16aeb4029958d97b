//! Writes: creates, with retreat where they are refused, and updates of the run's own records.

use std::sync::Arc;

use serde_json::Value;

use super::history::{Changed, Made};
use super::pace::{ATTEMPTS, says_when, wait_after};
use super::request::{self, Address};
use super::session::{Again, Session};
use crate::contract::link::Target;
use crate::contract::operation::{Method, OperationId};
use crate::contract::pointer;
use crate::contract::vocabulary::{Accepts, Form};
use crate::exchange::json::Body;
use crate::exchange::{Content, Exchange, Leaning, Purpose, Request, Writing, identifier};
use crate::plan::{Draft, Retreat};
use crate::rules::Reason;
use crate::rules::evidence::{Creation, FormTried};

/// The last try of a create in one form.
struct Tried {
    draft: Draft,
    request: Request,
    /// The status; none when no complete answer came.
    status: Option<u16>,
    accepted: bool,
}

impl Tried {
    /// Why a try that was not accepted shows nothing.
    fn reason(&self) -> Reason {
        let refused = |status| Reason::refused(status, &self.request.credential);
        self.status.map_or(Reason::Unanswered, refused)
    }
}

/// What a write is to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// One beside the others: what comes after goes to another record.
    Further,
    /// As [`Self::Main`], and none is sent in its stead while the target asks for time.
    Last,
    /// The one whose record, and whose choices, what comes after builds on.
    Main,
}

impl Session<'_> {
    /// Creates a record in each form that the laws name, one where they name none.
    pub(super) async fn create(&self, operation: OperationId) {
        let accepts = self.contract.operation(operation).laws.accepts.first();
        let forms = accepts.map_or(&[Form::Utc][..], |accepts| &accepts.forms);
        let mut tries: Vec<(Form, Tried)> = Vec::new();
        for form in forms {
            let accepted = tries
                .iter()
                .find(|(_, tried)| tried.accepted)
                .map(|(_, tried)| tried.draft.clone());
            match self.in_form(operation, *form, accepted.as_ref()).await {
                Ok(tried) => tries.push((*form, tried)),
                Err(reason) => {
                    self.not_called(operation, reason);
                    break;
                }
            }
        }
        self.try_again(operation, &mut tries).await;
        if let Some(accepts) = accepts {
            self.judge_forms(operation, accepts, &tries);
        }
        let accepted = tries.iter().find(|(_, tried)| tried.accepted);
        if let (None, Some((_, last))) = (accepted, tries.last()) {
            self.not_called(operation, last.reason());
        }
    }

    /// Sends a form that was refused once more, with the other fields as a later form was accepted: the retreat before
    /// may have dropped the very field that has the form.
    async fn try_again(&self, operation: OperationId, tries: &mut [(Form, Tried)]) {
        let accepted = tries.iter().find(|(_, tried)| tried.accepted);
        let Some(accepted) = accepted.map(|(_, tried)| tried.draft.clone()) else {
            return;
        };
        for (form, tried) in tries.iter_mut().filter(|(_, tried)| !tried.accepted) {
            // The draft of a form that came after the accepted one is the accepted one's already.
            if tried.draft.same_choices(&accepted) {
                continue;
            }
            self.expect(1);
            if let Ok(again) = self.in_form(operation, *form, Some(&accepted)).await {
                *tried = again;
            }
        }
    }

    /// Updates a record of this run.
    pub(super) async fn update(&self, operation: OperationId) {
        match self.in_form(operation, Form::Utc, None).await {
            Ok(tried) if !tried.accepted => self.not_called(operation, tried.reason()),
            Ok(_) => {}
            Err(reason) => self.not_called(operation, reason),
        }
    }

    /// Sends a draft in this form: as an earlier one was accepted, or with retreat until it is.
    async fn in_form(&self, operation: OperationId, form: Form, as_before: Option<&Draft>) -> Result<Tried, Reason> {
        self.owned(operation).await?;
        let address =
            request::address(self.contract, operation, &self.history.known.borrow()).map_err(Reason::NoValue)?;
        let mut draft = self.draft(operation, form)?;
        if let Some(before) = as_before {
            draft.choose_as(before);
        }
        let mut retreat = Retreat::from(draft.clone());
        loop {
            let exchange = self.heard(operation, form, &mut draft, &address).await?;
            let status = exchange.status();
            let accepted = self.succeeded(&exchange);
            let refused = matches!(status, Some(400 | 409 | 422));
            let text = exchange.answer().map(|answer| lossy(&answer.body)).unwrap_or_default();
            let next = match as_before {
                None => retreat.next(&text),
                // The form is what is asked about, not the instant.
                Some(_) => draft.at_another_time(),
            };
            match next.filter(|_| refused) {
                Some(next) => draft = next,
                None => {
                    // What was refused at each of its times was sent as the accepted one was.
                    if let Some(before) = as_before.filter(|_| !accepted) {
                        draft.choose_as(before);
                    }
                    return Ok(Tried {
                        draft,
                        request: exchange.request,
                        status,
                        accepted,
                    });
                }
            }
            self.expect(1);
        }
    }

    /// Sends a draft. A create that is answered by a 503, or by a 429 that does not say when, may have stored the record: so
    /// it is not sent again, but another record of the same choices.
    async fn heard(
        &self,
        operation: OperationId,
        form: Form,
        draft: &mut Draft,
        address: &Address,
    ) -> Result<Exchange, Reason> {
        let mut attempt = 0;
        let mut last: Option<Exchange> = None;
        loop {
            if !self.may_write(operation) {
                // What was answered says more than that there is no room for another. Nothing of it was judged yet; once
                // may be by chance.
                let Some(last) = last else {
                    return Err(self.budget_spent());
                };
                if attempt > 1 {
                    let last = Exchange {
                        superseded: false,
                        ..last.clone()
                    };
                    self.judged(|judge| judge.exchange(&last));
                    self.tell_findings();
                }
                return Ok(last);
            }
            attempt += 1;
            let standing = if attempt < ATTEMPTS {
                Standing::Main
            } else {
                Standing::Last
            };
            let (exchange, _) = self.write(operation, draft, address, standing).await;
            let creates = exchange.request.method == Method::Post;
            let answer = exchange.answer().filter(|answer| answer.is_throttled());
            let open = answer.filter(|answer| creates && !(answer.status == 429 && says_when(answer)));
            let Some(answer) = open.filter(|_| standing == Standing::Main) else {
                return Ok(exchange);
            };
            tokio::time::sleep(wait_after(answer, attempt - 1)).await;
            last = Some(exchange);
            let before = std::mem::replace(draft, self.draft(operation, form)?);
            draft.choose_as(&before);
            self.expect(1);
        }
    }

    /// Drafts the next body of a run.
    pub(super) fn draft(&self, operation: OperationId, form: Form) -> Result<Draft, Reason> {
        let number = self.history.drafts.get();
        self.history.drafts.set(number + 1);
        let mark = (&self.settings.mark, number);
        Draft::new(self.contract, operation, &self.history.known.borrow(), mark, form).map_err(Reason::NoValue)
    }

    /// Drafts the next body of a run, with the choices of one that was accepted.
    pub(super) fn draft_as(&self, operation: OperationId, accepted: &Draft) -> Result<Draft, Reason> {
        let mut draft = self.draft(operation, Form::Utc)?;
        draft.choose_as(accepted);
        Ok(draft)
    }

    /// The draft that the operation accepted, and the address of another request like it; none where it accepted none, or
    /// what it leans on is not there.
    pub(super) async fn as_accepted(&self, operation: OperationId) -> Option<(Draft, Address)> {
        let accepted = self.history.accepted.borrow().get(&operation).cloned()?;
        self.owned(operation).await.ok()?;
        let address = request::address(self.contract, operation, &self.history.known.borrow()).ok()?;
        Some((accepted, address))
    }

    /// Sends one write, notes what it may leave in the target, and judges what it created.
    pub(super) async fn write(
        &self,
        operation: OperationId,
        draft: &Draft,
        address: &Address,
        standing: Standing,
    ) -> (Exchange, Option<Arc<Body>>) {
        let purpose = Purpose::Documented(Leaning::Gap);
        let credential = request::credential(&self.contract.operation(operation).security);
        let request = self.writing_request(operation, draft, address, (purpose, credential));
        let creates = self.contract.operation(operation).method == Method::Post;
        let another = creates && standing != Standing::Last;
        let again = Again {
            another,
            ..Again::default()
        };
        let (exchange, body) = self.call_again(request, again).await;
        if self.succeeded(&exchange) {
            let main = standing != Standing::Further;
            if main {
                self.history.accepted.borrow_mut().insert(operation, draft.clone());
            }
            if let Some(body) = &body {
                self.created(&exchange.request, body, address, standing);
            }
            self.note_counted_update(&exchange.request, &address.path_values);
            if main && self.contract.operation(operation).laws.updated.is_some() {
                let (request, path_values) = (exchange.request.clone(), address.path_values.clone());
                self.history.changed.borrow_mut().push(Changed {
                    operation,
                    request,
                    path_values,
                });
            }
        }
        (exchange, body)
    }

    /// A request that carries a draft.
    pub(super) fn writing_request(
        &self,
        operation: OperationId,
        draft: &Draft,
        address: &Address,
        (purpose, credential): (Purpose, crate::exchange::Credential),
    ) -> Request {
        let documented = self.contract.operation(operation);
        let (body, learned) = draft.body();
        Request {
            operation,
            purpose,
            method: documented.method,
            path: address.path.clone(),
            headers: address.headers.clone(),
            body: documented.request.as_ref().map(|_| Content::Json(body)),
            writing: Writing::default(),
            learned,
            told: address.told.clone(),
            credential,
        }
    }

    /// The identifier of what an exchange created, when its answer shows one that no record of the list had before.
    pub(super) fn created_id(&self, exchange: &Exchange, body: Option<&Body>) -> Option<String> {
        let operation = exchange.request.operation;
        let created = (200..300).contains(&exchange.status()?);
        let ids = self.created_ids(operation, &body.filter(|_| created)?.value);
        let mut own = ids.into_iter().filter(|id| !self.history.was_listed(operation, id));
        own.find_map(identifier)
    }

    /// Where a create's answer shows the identifier: where the law says, else what its links lead into paths and queries.
    fn created_ids<'body>(&self, operation: OperationId, body: &'body Value) -> Vec<&'body Value> {
        if let Some(law) = &self.contract.operation(operation).laws.created {
            return body
                .pointer(&format!("{}{}", law.resource, law.id))
                .into_iter()
                .collect();
        }
        let links = self.contract.links_from(operation);
        let links = links.filter(|link| matches!(link.target, Target::Parameter(_)));
        links.flat_map(|link| pointer::select(body, &link.value)).collect()
    }

    /// Takes up a created record: its links, its identifier, what it carries.
    fn created(&self, request: &Request, body: &Body, address: &Address, standing: Standing) {
        let operation = request.operation;
        let main = standing != Standing::Further;
        if main {
            let mut known = self.history.known.borrow_mut();
            known.forget(self.contract, operation);
            known.learn(self.contract, operation, &body.value);
        }
        // A hostile answer may have megabytes, and each record is kept to the end of its round.
        let made = |resource: Value, seen_before| Made {
            operation,
            request: request.clone(),
            resource,
            seen_before,
            path_values: address.path_values.clone(),
        };
        let Some(law) = &self.contract.operation(operation).laws.created else {
            let ids = self.created_ids(operation, &body.value);
            let was_seen = ids.iter().any(|id| self.history.shown.borrow().shows(id));
            self.note_shown(&Value::from_iter(ids.into_iter().cloned()));
            if main {
                let marked = self.settings.mark.is_in(&body.value);
                self.note_own(made(Value::Null, was_seen), (was_seen, marked));
            }
            return;
        };
        let resource = body.value.pointer(&law.resource).unwrap_or(&Value::Null);
        let was_seen = resource
            .pointer(&law.id)
            .is_some_and(|id| self.history.was_seen(operation, id));
        // What has nothing of this run in it may be a record that was there before: whether two may be the same is a gap.
        let seen_before = was_seen && (main || self.has_mark(request));
        let made = made(identified(resource, &law.id), seen_before);
        if main {
            let marked = self.settings.mark.is_in(resource);
            let has_identifier = resource.pointer(&law.id).and_then(identifier).is_some();
            // Who needs an identifier that was not answered says so.
            if has_identifier {
                self.note_own(made.clone(), (was_seen, marked));
            } else {
                self.history.own.borrow_mut().remove(&operation);
            }
        }
        if !resource.is_object() {
            return;
        }
        let creation = Creation {
            contract: self.contract,
            operation,
            law,
            request,
            resource,
            seen_before,
        };
        self.judged(|judge| judge.creation(&creation));
        self.tell_findings();
        self.history.made.borrow_mut().push(made);
    }

    fn has_mark(&self, request: &Request) -> bool {
        request.json().is_some_and(|body| self.settings.mark.is_in(body))
    }

    /// Judges the forms in which the field was sent; a form whose field was dropped was not tried.
    fn judge_forms(&self, operation: OperationId, accepts: &Accepts, tries: &[(Form, Tried)]) {
        for (form, tried) in tries {
            let sent = tried
                .request
                .json()
                .is_some_and(|body| body.pointer(&accepts.sent).is_some());
            if sent {
                let other_accepted = tries.iter().any(|(other, tried)| other != form && tried.accepted);
                let evidence = FormTried {
                    operation,
                    form: *form,
                    status: tried.status,
                    other_accepted,
                };
                self.judged(|judge| judge.form(&evidence, &tried.request));
            }
        }
        self.tell_findings();
    }
}

/// The record with its identifier alone.
fn identified(resource: &Value, at: &str) -> Value {
    let id = resource.pointer(at).filter(|id| identifier(id).is_some());
    let tokens: Vec<_> = pointer::tokens(at).collect();
    let within = |inner: Value, token: &String| Value::from_iter([(token.clone(), inner)]);
    id.map_or(Value::Null, |id| tokens.iter().rev().fold(id.clone(), within))
}

/// An identifier as text.
pub(super) fn text(identifier: &Value) -> String {
    identifier
        .as_str()
        .map_or_else(|| identifier.to_string(), str::to_owned)
}

fn lossy(body: &[u8]) -> String {
    String::from_utf8_lossy(body.get(..body.len().min(65_536)).unwrap_or_default()).into_owned()
}
