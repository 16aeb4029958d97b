//! Sends requests, within the bounds of a run, and counts their outcomes. The main type is [`Sender`].

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use super::pace::Pace;
use super::session::{RequestCounts, RunEnd};
use super::settings::Settings;
use super::write_log::{WriteEntry, WriteState};
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::exchange::{Credential, Exchange, Failure, Intent, Request, Response, Transport};

/// Sends the requests of a run.
pub(super) struct Sender<'run> {
    contract: &'run Contract,
    pub(super) transport: &'run Transport,
    settings: &'run Settings,
    permits: Semaphore,
    pace: Pace,
    /// When the run began.
    begun: Instant,
    tally: Cell<RequestCounts>,
    outcomes: RefCell<DocumentedOutcomes>,
    /// The writes that wait for a response.
    writes_in_flight: RefCell<Vec<OperationId>>,
    /// The error of the first entry that the write log could not keep.
    write_log_error: RefCell<Option<String>>,
    /// Notified when a write is held back because an entry of the write log could not be kept.
    write_held_back: Notify,
    /// How long the handling of responses has kept the thread busy, which no deadline counts.
    handling_time: Cell<Duration>,
}

/// The documented requests by outcome, to recognise a run in which nothing can be judged.
#[derive(Clone, Debug, Default)]
struct DocumentedOutcomes {
    /// All of them.
    documented: u64,
    token_rejected: u64,
    /// The status that rejected the token last.
    token_status: u16,
    /// Those answered with 429; a 503 is not counted here.
    throttled: u64,
    /// Why no connection could be made, the last time that it failed.
    unreachable: Option<Failure>,
}

impl<'run> Sender<'run> {
    pub(super) fn new(contract: &'run Contract, transport: &'run Transport, settings: &'run Settings) -> Self {
        Self {
            contract,
            transport,
            settings,
            permits: Semaphore::new(settings.jobs.max(1)),
            pace: Pace::new(settings.rate),
            begun: Instant::now(),
            tally: Cell::default(),
            outcomes: RefCell::default(),
            writes_in_flight: RefCell::default(),
            write_log_error: RefCell::default(),
            write_held_back: Notify::new(),
            handling_time: Cell::default(),
        }
    }

    /// Sends a request when a slot is free: once, or a second time with a renewed token, unless [`Self::has_expired`]
    /// leaves that to the caller. A write goes into the write log first.
    pub(super) async fn send(&self, mut request: Request) -> Exchange {
        // Where a credential is optional, a run without a token sends none.
        if matches!(request.credential, Credential::Token { .. }) && !self.transport.has_token() {
            request.credential = Credential::None;
        }
        // Nobody closes the semaphore, so a permit always comes.
        let _permit = self.permits.acquire().await;
        self.pace.wait().await;
        let writes = !self.contract.operation(request.operation).is_get();
        let number = self.tally.get().sent + 1;
        if writes {
            self.log_intended(&request, number).await;
            self.writes_in_flight.borrow_mut().push(request.operation);
        }
        self.count(|tally| {
            tally.sent += 1;
            tally.writes += u64::from(writes);
        });
        let (sent_after, outcome) = self.exchange(&request, writes).await;
        if writes {
            let mut in_flight = self.writes_in_flight.borrow_mut();
            let answered = in_flight.iter().position(|operation| *operation == request.operation);
            answered.map(|place| in_flight.swap_remove(place));
        }
        if let Ok(response) = &outcome {
            self.count(|tally| {
                tally.answered += 1;
                tally.throttled += u64::from(response.is_throttled());
            });
        }
        Exchange {
            number,
            request,
            sent_after,
            outcome,
        }
    }

    /// Sends a request, and sends it once more if the token had expired and there is a new one. The target did not
    /// process the first one (RFC 9110, section 15.5.2), and it is not judged, so the log has one write for both; the
    /// tally counts both requests. What changes or deletes a record is not sent again here: the service may have carried
    /// out the first one all the same. Also returns the time at which the last one was sent.
    async fn exchange(&self, request: &Request, writes: bool) -> (Duration, Result<Response, Failure>) {
        let busy = || self.handling_time.get();
        let is_renewed = self.transport.is_renewed();
        let sent = self.begun.elapsed();
        let outcome = self.transport.send(request, &busy).await;
        let is_rejected = matches!(&outcome, Ok(response) if response.status == 401);
        let is_valid = matches!(request.credential, Credential::Token { .. });
        if is_renewed || !is_valid || !is_rejected || !self.transport.renew().await {
            return (sent, outcome);
        }
        if self.must_be_read_again(request) {
            return (sent, outcome);
        }
        self.pace.wait().await;
        self.count(|tally| {
            tally.sent += 1;
            tally.answered += 1;
            tally.writes += u64::from(writes);
        });
        let sent = self.begun.elapsed();
        (sent, self.transport.send(request, &busy).await)
    }

    /// Whether a request changes or deletes a record of which the contract does not say what the write does, so that a
    /// read must show the record before it is sent again.
    pub(super) fn must_be_read_again(&self, request: &Request) -> bool {
        let operation = self.contract.operation(request.operation);
        !operation.is_read() && !operation.may_store() && !operation.has_invariants()
    }

    /// Whether a write was rejected because the first token had expired, and may be sent again with the new one once a
    /// read has shown that its record is still the run's own. `had_first_token` is whether the first token was the
    /// latest when the write was sent.
    pub(super) fn has_expired(&self, write: &Exchange, had_first_token: bool) -> bool {
        let is_valid = matches!(write.request.credential, Credential::Token { .. });
        let is_rejected = is_valid && write.status() == Some(401) && self.must_be_read_again(&write.request);
        is_rejected && had_first_token && self.transport.is_renewed()
    }

    /// Logs that a write is about to be sent. Where that fails, or an earlier entry could not be kept, the run ends
    /// here: the write is not sent, and of one that is held back for an earlier entry, the log says nothing.
    async fn log_intended(&self, request: &Request, number: u64) {
        if self.write_log_error.borrow().is_none() {
            self.log(request, number, WriteState::Intended);
        }
        if self.write_log_error.borrow().is_some() {
            self.write_held_back.notify_one();
            // The caller that waits for the end of the run drops this future.
            std::future::pending::<()>().await;
        }
    }

    /// Logs the outcome of a write; `id` is the identifier of what it created.
    pub(super) fn log_outcome(&self, exchange: &Exchange, id: Option<&str>) {
        if self.contract.operation(exchange.request.operation).is_get() {
            return;
        }
        let state = match &exchange.outcome {
            Ok(response) => WriteState::Answered {
                status: response.status,
                id: id.map(str::to_owned),
            },
            Err(failure) if failure.is_unreachable() => WriteState::NotSent,
            Err(_) => WriteState::Unanswered,
        };
        self.log(&exchange.request, exchange.number, state);
    }

    /// Adds an entry about a write to the write log, if there is one, and keeps the first error.
    fn log(&self, request: &Request, number: u64, state: WriteState) {
        let Some(write_log) = &self.settings.write_log else {
            return;
        };
        let entry = WriteEntry {
            request: number,
            operation: self.contract.operation(request.operation).name.clone(),
            state,
        };
        if let Err(error) = write_log.keep(&entry) {
            self.write_log_error.borrow_mut().get_or_insert(error.to_string());
        }
    }

    /// Waits until a write is held back because the write log has failed, and returns its error. The run ends then.
    pub(super) async fn write_held_back(&self) -> String {
        self.write_held_back.notified().await;
        self.write_log_error().unwrap_or_default()
    }

    /// Returns the error of the write log if it has failed so far. If the outcome of a write could not be kept, the run
    /// ends only at the next write or after the last step.
    pub(super) fn write_log_error(&self) -> Option<String> {
        self.write_log_error.borrow().clone()
    }

    /// Does `work` on a response, and counts how long that keeps the thread busy.
    pub(super) fn timed<T>(&self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.handling_time.set(self.handling_time.get() + begun.elapsed());
        done
    }

    /// Changes the counts of requests.
    pub(super) fn count(&self, count: impl FnOnce(&mut RequestCounts)) {
        let mut tally = self.tally.get();
        count(&mut tally);
        self.tally.set(tally);
    }

    /// Returns the counts of requests so far.
    pub(super) fn tally(&self) -> RequestCounts {
        self.tally.get()
    }

    /// Returns the writes that are in flight: sent, with no outcome yet.
    pub(super) fn writes_in_flight(&self) -> Vec<OperationId> {
        self.writes_in_flight.borrow().clone()
    }

    /// Counts the outcome of a documented request, for [`Self::reason_to_stop`].
    pub(super) fn count_documented(&self, exchange: &Exchange, intent: Intent) {
        if intent.is_documented() {
            self.outcomes.borrow_mut().count(exchange);
        }
    }

    /// Returns why nothing can be judged, as far as the exchanges show; `None` where something can.
    pub(super) fn reason_to_stop(&self) -> Option<RunEnd> {
        let outcomes = self.outcomes.borrow();
        let all = |count: u64| count > 0 && count == outcomes.documented;
        if self.tally.get().answered == 0
            && let Some(failure) = &outcomes.unreachable
        {
            return Some(RunEnd::Unreachable(failure.clone()));
        }
        if all(outcomes.token_rejected) {
            return Some(RunEnd::TokenRejected(outcomes.token_status));
        }
        all(outcomes.throttled).then_some(RunEnd::Throttled)
    }
}

impl DocumentedOutcomes {
    /// Adds the outcome of one documented request.
    fn count(&mut self, exchange: &Exchange) {
        self.documented += 1;
        match &exchange.outcome {
            // A request without a token is not rejected because of the token.
            Ok(response) if matches!(response.status, 401 | 403) && exchange.request.credential != Credential::None => {
                self.token_rejected += 1;
                self.token_status = response.status;
            }
            Ok(response) if response.status == 429 => self.throttled += 1,
            Err(failure) if failure.is_unreachable() => self.unreachable = Some(failure.clone()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::super::write_log::WriteLog;
    use super::*;
    use crate::exchange::{Limits, Target};
    use crate::history::RunTag;

    /// A log that cannot keep the outcome of the first write.
    #[derive(Debug, Default)]
    struct FullOnce(Mutex<Vec<WriteState>>);

    impl WriteLog for FullOnce {
        fn keep(&self, entry: &WriteEntry) -> io::Result<()> {
            let mut kept = self.0.lock().unwrap();
            let is_first_outcome = kept.len() == 1 && entry.state != WriteState::Intended;
            kept.push(entry.state.clone());
            match is_first_outcome {
                true => Err(io::ErrorKind::StorageFull.into()),
                false => Ok(()),
            }
        }
    }

    #[tokio::test]
    async fn of_a_write_that_is_held_back_for_an_earlier_entry_the_log_says_nothing() {
        let contract = Contract::read(
            "pets.yaml",
            "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {/pets: {post: {operationId: addPet, responses: \
             {'201': {description: a}}}}}\n"
                .to_owned(),
        )
        .unwrap();
        let operation = contract.operation_named("addPet").unwrap();
        let log = Arc::new(FullOnce::default());
        let settings = Settings {
            write_log: Some(Arc::clone(&log) as Arc<dyn WriteLog>),
            ..Settings::new(RunTag::new(1, 1))
        };
        // Nothing listens at the port of a listener that is gone.
        let port = std::net::TcpListener::bind(("127.0.0.1", 0))
            .unwrap()
            .local_addr()
            .unwrap();
        let target = Target::parse(&format!("http://{port}")).unwrap();
        let transport = Transport::new(target, None, String::new(), Limits::default()).unwrap();
        let sender = Sender::new(&contract, &transport, &settings);
        let write = || Request::unfilled(operation, contract.operation(operation));
        let first = sender.send(write()).await;
        sender.log_outcome(&first, None);
        let held_back = tokio::select! {
            _ = sender.send(write()) => false,
            error = sender.write_held_back() => !error.is_empty(),
        };
        assert!(held_back);
        assert_eq!(*log.0.lock().unwrap(), [WriteState::Intended, WriteState::NotSent]);
    }
}
