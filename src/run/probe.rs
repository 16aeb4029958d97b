//! Calls with a credential that must be refused.

use super::request;
use super::session::Session;
use crate::contract::operation::{OperationId, Security};
use crate::contract::vocabulary::Form;
use crate::exchange::{Credential, Leaning, Purpose, Request};
use crate::plan::Probe;
use crate::rules::Reason;

impl Session<'_> {
    /// Calls the operation as documented, but for the credential.
    pub(super) async fn probe(&self, operation: OperationId, probe: Probe) {
        let documented = self.contract.operation(operation);
        // A body that was never accepted may be refused for itself.
        let proven = documented.is_read() || self.accepted.borrow().contains_key(&operation);
        let leaning = if proven { Leaning::Nothing } else { Leaning::Gap };
        let purpose = Purpose::MustBeRefused(probe.fact(), leaning);
        let credential = self.refusable(operation, probe);
        if let Err(reason) = self.owned(operation).await {
            return self.not_called(operation, reason);
        }
        if let Some(request) = self.refusable_request(operation, purpose, credential) {
            self.call(request).await;
        }
    }

    fn refusable(&self, operation: OperationId, probe: Probe) -> Credential {
        let header = match &self.contract.operation(operation).security {
            Security::ApiKey { header, .. } => Some(header.clone()),
            _ => None,
        };
        match probe {
            Probe::NoCredential => Credential::None,
            Probe::OtherScheme => Credential::OtherScheme,
            Probe::WrongToken => Credential::Wrong { header },
        }
    }

    /// The request, or none where its identifiers are not known; then the operation's own reason stands. A write is
    /// drafted as the operation accepted it, so that a refusal is about the credential.
    fn refusable_request(&self, operation: OperationId, purpose: Purpose, credential: Credential) -> Option<Request> {
        let address = request::address(self.contract, operation, &self.known.borrow());
        let address = address
            .map_err(|reason| self.not_called(operation, Reason::NoValue(reason)))
            .ok()?;
        let documented = self.contract.operation(operation);
        if documented.is_read() {
            return Some(address.request((operation, documented), purpose, credential));
        }
        if !self.may_write(operation) {
            let reason = self.budget_spent();
            if let Purpose::MustBeRefused(kind, _) = purpose
                && let Some(fact) = self.contract.fact_of(operation, kind)
            {
                self.judged(|judge| judge.verdicts_mut().explain(fact, reason));
            }
            return None;
        }
        let mut draft = self.draft(operation, Form::Utc).ok()?;
        if let Some(accepted) = self.accepted.borrow().get(&operation) {
            draft.choose_as(accepted);
        }
        Some(self.writing_request(operation, &draft, &address, (purpose, credential)))
    }
}
