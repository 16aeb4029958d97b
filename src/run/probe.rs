//! Calls operations with a credential that must be rejected.

use super::session::{Call, Session};
use crate::contract::operation::OperationId;
use crate::exchange::{Credential, Purpose, RejectionMeaning, Request, TOKEN_MUTATIONS};
use crate::plan::CredentialProbe;

impl Session<'_> {
    /// Calls the operation as documented, except for the credential.
    pub(super) async fn probe(&self, operation: OperationId, probe: CredentialProbe) {
        let documented = self.contract.operation(operation);
        // A body that was never accepted may itself be the reason for a rejection.
        let is_known_to_work = documented.is_get() || self.drafts.accepted.borrow().contains_key(&operation);
        // Whether the list has the page is known only where the contract states what pages it has.
        let may_lack_page = probe == CredentialProbe::SecondPage && documented.page.is_none();
        let meaning_of_another_rejection = match self.request_head(operation) {
            Ok(_) if may_lack_page => RejectionMeaning::UncertainValue,
            Ok(head) if documented.is_get() => head.rejection_meaning,
            _ if is_known_to_work => RejectionMeaning::Finding,
            _ => RejectionMeaning::Gap,
        };
        let purpose = Purpose::MustBeRejected {
            fact: probe.fact(),
            meaning_of_another_rejection,
        };
        let credential = self.invalid_credential(operation, probe);
        if probe == CredentialProbe::SecondPage
            && documented.page.is_some()
            && !self.fills.had_second_page.borrow().contains(&operation)
        {
            return;
        }
        if let Err(reason) = self.require_own_records(operation).await {
            return self.not_called(operation, reason);
        }
        let request = self.probe_request(operation, purpose, credential);
        let page = self
            .contract
            .second_page(operation)
            .filter(|_| probe == CredentialProbe::SecondPage);
        let request = match (request, page) {
            (Some(request), Some((parameter, value))) => {
                self.expect_requests(1);
                Some(request.with_query_pair(parameter, &value))
            }
            (request, _) => request,
        };
        if let Some(request) = request {
            self.call(Call::alone(request, purpose)).await;
        }
    }

    /// Returns the credential that a probe sends, at the place where the operation expects one.
    fn invalid_credential(&self, operation: OperationId, probe: CredentialProbe) -> Credential {
        // Only an operation that requires a credential has a probe.
        let Some(scheme) = self.contract.operation(operation).security.scheme().cloned() else {
            return Credential::None;
        };
        match probe {
            CredentialProbe::EmptyToken => Credential::Empty { scheme },
            CredentialProbe::NoCredential | CredentialProbe::SecondPage => Credential::None,
            CredentialProbe::OtherScheme => Credential::OtherScheme { scheme },
            CredentialProbe::WrongToken => Credential::Wrong {
                mutation: self
                    .sender
                    .transport
                    .token_mutation(self.index_of_wrong_token(operation), &scheme),
                scheme,
            },
        }
    }

    /// Returns the index of the kind of wrong token (`TokenMutation`) that this operation gets: the
    /// number of wrong tokens that the plan sends before it, plus the seed. The transport takes it
    /// modulo [`TOKEN_MUTATIONS`].
    fn index_of_wrong_token(&self, operation: OperationId) -> usize {
        let steps = self.plan.steps.iter();
        let mut wrong = steps.filter(|step| step.action.probe() == Some(CredentialProbe::WrongToken));
        let index = wrong.position(|step| step.operation == operation).unwrap_or(0);
        index + usize::try_from(self.plan.seed).unwrap_or(0) % TOKEN_MUTATIONS
    }

    /// Returns the request of a probe; `None`, with the reason noted, if a value for it is unknown or no further record
    /// may be created. A write repeats the choices of the body that the operation accepted, so that a rejection is
    /// about the credential.
    fn probe_request(&self, operation: OperationId, purpose: Purpose, credential: Credential) -> Option<Request> {
        let head = self.request_head_if_any(operation)?;
        let documented = self.contract.operation(operation);
        if documented.is_get() {
            return Some(head.request((operation, documented), credential));
        }
        if !self.has_room_for(operation) {
            if let Purpose::MustBeRejected { fact: kind, .. } = purpose {
                self.set_undecided_reason(operation, kind, self.budget_spent_reason());
            }
            return None;
        }
        if documented.is_query() {
            let request = self.query_request(operation, &head, credential);
            return request.map_err(|reason| self.not_called(operation, reason)).ok();
        }
        let draft = self.draft_like_accepted(operation);
        let draft = draft.map_err(|reason| self.not_called(operation, reason)).ok()?;
        Some(self.request_with_draft(&draft, &head, credential))
    }
}
