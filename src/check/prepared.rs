//! A check with every setting decided. The main type is [`Prepared`].

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::time::Instant;

use super::report::Report;
use crate::contract::Contract;
use crate::exchange::Transport;
use crate::plan::Plan;
use crate::report::{Exchanges, RunContext, record};
use crate::run::{self, Event, RunEnd, Settings};

/// A check with every setting decided: what is sent, where, and how.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) contract: Arc<Contract>,
    pub(crate) plan: Plan,
    pub(crate) transport: Transport,
    pub(crate) settings: Settings,
    pub(crate) started_at: DateTime<Utc>,
    /// How many of the facts must be decided, in percent.
    pub(crate) require_facts: Option<f64>,
    /// Whether the record contains the exchanges.
    pub(crate) keep_exchanges: bool,
}

impl Prepared {
    /// Carries out the plan and emits events. Ends when the plan is done, when `interrupt` completes, whose value then
    /// says how the run ended, or for another reason in [`RunEnd`].
    pub(crate) async fn run(&self, emit: &mut dyn FnMut(Event<'_>), interrupt: impl Future<Output = RunEnd>) -> Report {
        let (contract, values) = (&*self.contract, self.settings.values);
        let redaction = self.transport.redaction();
        let mut exchanges = Exchanges::new(contract, values, redaction.clone());
        let mut started = Instant::now();
        let mut observe = |event: Event<'_>| {
            // Waiting for a target to come up is not part of the run.
            if matches!(event, Event::Begun) {
                started = Instant::now();
            }
            emit(event);
            if self.keep_exchanges {
                exchanges.add_event(event);
            }
        };
        let hooks: (&mut dyn FnMut(Event<'_>), _) = (&mut observe, interrupt);
        let run = run::run(contract, &self.plan, &self.transport, &self.settings, hooks).await;
        let context = RunContext {
            contract,
            target: self.transport.target(),
            seed: self.plan.seed,
            run_tag: Some(&self.settings.run_tag),
            is_recorded_traffic: false,
            writes: self
                .plan
                .steps
                .iter()
                .any(|step| !contract.operation(step.operation).is_get()),
            started_at: self.started_at,
            duration: started.elapsed(),
            require_facts: self.require_facts,
            values,
            redaction: &redaction,
        };
        let record = record(&run, exchanges, &context);
        Report { record, run }
    }
}
