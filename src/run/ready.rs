//! Waits for a target that is still starting up, before a run begins. None of these exchanges is judged or counted.
//!
//! # Design
//!
//! The target gets a request that it will get anyway: the first read of the plan, on the documented
//! path and with the documented credential, because no other path is documented. If the plan has no
//! such read, a connection is opened and nothing is sent over it. Any response will do except that
//! of a gateway whose service is not up yet (RFC 9110, sections 15.6.3 to 15.6.5). A TLS failure
//! does not go away by waiting.

use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

use super::event::Event;
use super::request::{credential, request_head};
use super::session::Session;
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::exchange::{Failure, Request};
use crate::history::Bindings;
use crate::plan::Plan;

/// The time between the first and the second try; it doubles with each try.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest time between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

impl Session<'_> {
    /// Waits until the target answers, or, if every read of the plan needs a value from another
    /// response, until something listens there.
    ///
    /// # Errors
    ///
    /// The outcome of the last try, when the time is over.
    pub(super) async fn wait_until_ready(&self, plan: &Plan, timeout: Duration) -> Result<(), String> {
        let request = first_read(self.contract, plan);
        let end = Instant::now() + timeout;
        let (mut pause, mut last) = (FIRST_PAUSE, None);
        loop {
            // The first try is made however short the time is; a later try that runs out of time keeps the last reason.
            let sent = self.try_once(request.as_ref());
            let tried = match &last {
                None => Ok(sent.await),
                Some(_) => timeout_at(end, sent).await,
            };
            match tried {
                Ok(None) => return Ok(()),
                Ok(Some(reason)) => {
                    self.emit(Event::Waiting(&reason));
                    last = Some(reason);
                }
                Err(_) => {}
            }
            // A pause that would outlast the time is cut short: the last try is made when there is just time for one.
            let now = Instant::now();
            let next = (now + pause).min(end.checked_sub(FIRST_PAUSE).unwrap_or(now));
            if next <= now {
                return Err(last.unwrap_or_default());
            }
            sleep_until(next).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Returns why the target is not ready yet; `None` where it is.
    async fn try_once(&self, request: Option<&Request>) -> Option<String> {
        let Some(request) = request else {
            let target = self.sender.transport.target();
            let ready = target.is_in_process() || target.connects().await;
            return (!ready).then(|| "the connection could not be opened".to_owned());
        };
        match self.sender.transport.send(request, &|| Duration::ZERO).await {
            Ok(response) if matches!(response.status, 502..=504) => Some(format!("it answers {}", response.status)),
            Err(failure) if may_recover(&failure) => Some(failure.to_string()),
            Ok(_) | Err(_) => None,
        }
    }
}

/// Returns whether a failure can go away by waiting.
fn may_recover(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Connect { .. } | Failure::Incomplete | Failure::Deadline { .. } | Failure::Resolve
    )
}

/// Returns the first read of the plan that needs nothing from another response.
fn first_read(contract: &Contract, plan: &Plan) -> Option<Request> {
    let request = |id: OperationId| {
        let operation = contract.operation(id);
        let head = request_head(contract, id, &Bindings::default(), "")
            .ok()
            .filter(|_| operation.is_get())?;
        Some(head.request((id, operation), credential(&operation.security)))
    };
    plan.steps.iter().find_map(|step| request(step.operation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Scope;

    #[test]
    fn the_request_is_a_documented_read_with_the_documented_credential() {
        let contract = crate::testing::built_in();
        let scope = Scope {
            writes: true,
            token: true,
            ..Scope::default()
        };
        let request = first_read(contract, &Plan::new(contract, &scope)).unwrap();
        assert!(contract.operation(request.operation).is_read() && !request.path.contains('{'));
        assert_eq!(
            request.credential,
            credential(&contract.operation(request.operation).security)
        );
        let nothing = Plan::new(
            contract,
            &Scope {
                skip: contract.operation_ids().collect(),
                ..scope
            },
        );
        assert!(first_read(contract, &nothing).is_none());
    }

    #[test]
    fn waiting_is_for_what_may_come() {
        let reason = String::new;
        for failure in [
            Failure::Connect { reason: reason() },
            Failure::Incomplete,
            Failure::Resolve,
        ] {
            assert!(may_recover(&failure), "{failure}");
        }
        for failure in [Failure::Tls { reason: reason() }, Failure::NotHttp, Failure::Decoding] {
            assert!(!may_recover(&failure), "{failure}");
        }
    }
}
