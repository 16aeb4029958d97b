//! Sends the same request in other spellings: a read, or an update of a record of this run.
//!
//! # Design
//!
//! All spellings go into one request, so that a service which accepts them costs one request. Where it is rejected, the
//! same request is sent plainly, and once that is accepted each spelling is sent alone: so a rejection is about the
//! spelling and not about the content. A create is never sent this way, because its record stays. The run looks for
//! what was accepted as for every other update.

use serde_json::Value;

use super::create::WRITE_PURPOSE;
use super::request;
use super::session::{Call, Session};
use crate::contract::equivalent::is_uuid_in_path;
use crate::contract::fact::FactKind;
use crate::contract::operation::{Method, OperationId};
use crate::contract::vocabulary::Equivalence;
use crate::exchange::{Exchange, Purpose, Request, Spelling, identifier};
use crate::history::{AcceptedUpdate, ExchangeRole, Residue, is_error_response};
use crate::plan::values_for_equivalent_request;
use crate::rules::Reason;

/// The plain request, and the UUIDs in its path that contain lower-case letters, each as a pair of upper case and
/// original.
struct PlainRequest {
    call: Call,
    identifiers: Vec<(String, String)>,
    /// The values in the path of an update, by parameter; empty for a read.
    path_values: Vec<(String, Value)>,
}

impl Session<'_> {
    /// Sends a request with each equivalence that the contract names for the operation.
    pub(super) async fn equivalent(&self, operation: OperationId) {
        let plain = match self.plain(operation).await {
            Ok(Some(plain)) => plain,
            // For an operation that never accepted a request, the reason is already noted.
            Ok(None) => return,
            Err(reason) => return self.not_called(operation, reason),
        };
        let mut equivalences = self.contract.equivalences(operation).to_vec();
        let uppercase = equivalences
            .iter()
            .position(|equivalence| *equivalence == Equivalence::IdentifierCase);
        if let Some(uppercase) = uppercase.filter(|_| plain.identifiers.is_empty()) {
            equivalences.remove(uppercase);
            let kind = FactKind::Equivalent(Equivalence::IdentifierCase);
            self.set_undecided_reason(operation, kind, Reason::NothingToUppercase);
        }
        if equivalences.is_empty() {
            return;
        }
        let together = self.send_equivalent(&plain, &equivalences).await;
        if !is_error_response(&together) {
            let is_shown = self.look_for_equivalent_update(&plain, &together).await;
            return self.note_created_in_capitals(&plain, (&together, is_shown));
        }
        self.expect_requests(1);
        let (again, _) = self.call(plain.call.clone().role(ExchangeRole::PlainAgain)).await;
        self.emit_findings();
        if self.succeeded(&again) && equivalences.len() > 1 {
            for equivalence in equivalences {
                let alone = self.send_equivalent(&plain, &[equivalence]).await;
                if alone.request.path != plain.call.request.path {
                    let is_shown = self.look_for_equivalent_update(&plain, &alone).await;
                    self.note_created_in_capitals(&plain, (&alone, is_shown));
                }
            }
        }
    }

    /// Returns the plain request: a read, or an update like an accepted one, with a new value; `None` if no update was
    /// accepted.
    async fn plain(&self, operation: OperationId) -> Result<Option<PlainRequest>, Reason> {
        let documented = self.contract.operation(operation);
        self.require_own_records(operation).await?;
        let head = self.request_head(operation)?;
        let uuids = documented.parameters.iter();
        let uuids = uuids.filter(|parameter| is_uuid_in_path(&self.contract.document, documented, parameter));
        let values = uuids.filter_map(|uuid| {
            let (_, value) = head.path_values.iter().find(|(name, _)| *name == uuid.name)?;
            identifier(value).filter(|text| can_be_uppercased(text))
        });
        let identifiers: Vec<_> = values.map(|text| (text.to_ascii_uppercase(), text)).collect();
        if documented.is_read() {
            let call = self.documented_call(operation, head);
            return Ok(Some(PlainRequest {
                call,
                identifiers,
                path_values: Vec::new(),
            }));
        }
        let Some(accepted) = self.drafts.accepted.borrow().get(&operation).cloned() else {
            return Ok(None);
        };
        let mut draft = self.draft_like(operation, &accepted)?;
        let taken = values_for_equivalent_request(self.contract, operation).without(&self.rejected_values(operation));
        // Without such values, or if the schema does not admit them, the request is sent all the same.
        let before = draft.clone();
        if !draft.make_awkward(&taken) || !draft.is_admitted() {
            draft = before;
        }
        let credential = request::credential(&documented.security);
        let request = self.request_with_draft(&draft, &head, credential);
        Ok(Some(PlainRequest {
            call: Call::alone(request, WRITE_PURPOSE),
            identifiers,
            path_values: head.path_values,
        }))
    }

    /// Sends the request with these equivalences, all at once, and returns the exchange.
    async fn send_equivalent(&self, plain: &PlainRequest, equivalences: &[Equivalence]) -> Exchange {
        let mut request = Request {
            spelling: Spelling::of(equivalences),
            ..plain.call.request.clone()
        };
        if equivalences.contains(&Equivalence::IdentifierCase) {
            for (uppercase, text) in &plain.identifiers {
                request.path = request.path.replace(text, uppercase);
                request.printable.path = request.printable.path.replace(text, uppercase);
            }
        }
        self.expect_requests(1);
        let call =
            Call::alone(request, Purpose::EquivalentRequest).role(ExchangeRole::Equivalent(equivalences.to_vec()));
        self.call(call).await.0
    }

    /// Notes as residue a record that an update may have created under an identifier in capitals: a service that
    /// compares identifiers by case knows no record with it, and a `PUT` may create one. `is_shown` is whether the
    /// run's own record shows what was sent.
    fn note_created_in_capitals(&self, plain: &PlainRequest, (update, is_shown): (&Exchange, bool)) {
        let operation = update.request.operation;
        let documented = self.contract.operation(operation);
        let may_create = documented.method == Method::Put && update.request.path != plain.call.request.path;
        let has_created = update.status() == Some(201) || self.succeeded(update) && !is_shown;
        if !(may_create && has_created) {
            return;
        }
        let parameter = self.contract.parameter_of_record(operation);
        let name = parameter.and_then(|parameter| Some(&documented.parameters.get(parameter)?.name));
        let value = name.and_then(|name| plain.path_values.iter().find(|(known, _)| known == name));
        let id = value.and_then(|(_, value)| identifier(value));
        let in_capitals = |id: String| {
            let mut pairs = plain.identifiers.iter();
            pairs
                .find(|(_, text)| *text == id)
                .map_or(id, |(capitals, _)| capitals.clone())
        };
        let left = Residue::of_write(operation, id.map(in_capitals), update.status());
        self.with_evaluation(|evaluation| evaluation.add_residue(left));
    }

    /// Looks for what an equivalent update sent: a service that accepts it must read it like the plain one. Returns
    /// whether the run's own record shows it.
    async fn look_for_equivalent_update(&self, plain: &PlainRequest, together: &Exchange) -> bool {
        let operation = plain.call.request.operation;
        let list = self.contract.list_showing_updated_by(operation);
        let Some(list) = list.filter(|_| self.succeeded(together)) else {
            return false;
        };
        // As if no update had sent anything before: a value that comes back in another spelling, as a gap may allow,
        // then counts as arrived only if the record changed.
        let sent = Value::Object(serde_json::Map::new());
        let changed = AcceptedUpdate {
            operation,
            request: together.request.clone(),
            path_values: plain.path_values.clone(),
        };
        self.look_for_further_update(list, changed, &sent).await
    }
}

/// Returns whether a string is a UUID with a lower-case letter (RFC 9562, section 4), so that upper case changes it.
fn can_be_uppercased(text: &str) -> bool {
    let groups: Vec<_> = text.split('-').map(str::len).collect();
    let digits = text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    groups == [8, 4, 4, 4, 12] && digits && text.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::can_be_uppercased;

    #[test]
    fn only_a_uuid_with_a_lower_case_letter_can_be_uppercased() {
        for (text, has) in [
            ("7c9e6679-7425-40de-944b-e07fc1f90ae7", true),
            ("7C9E6679-7425-40DE-944B-E07FC1F90AE7", false),
            ("70906679-7425-4000-9440-007010900007", false),
            ("7c9e667974254-0de-944b-e07fc1f90ae7", false),
            ("gc9e6679-7425-40de-944b-e07fc1f90ae7", false),
            ("c-17", false),
        ] {
            assert_eq!(can_be_uppercased(text), has, "{text}");
        }
    }
}
