//! The checker against a service with faults. It is assembled here, as [`countersign::Check`] does it, because only
//! part of a plan may be carried out.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use countersign::Recording;
use countersign::client::Token;
use countersign::contract::Contract;
use countersign::contract::operation::OperationId;
use countersign::exchange::{Exchange, Limits, Transport};
use countersign::history::RunTag;
use countersign::plan::{Plan, Scope};
use countersign::rules::{Finding, Levels, Verdicts};
use countersign::run::{self, Event, Run, Settings};
use countersign::service::fault::{self, Edited, Fault, Faults};
use countersign::service::{Service, StoreUrl};
use tokio::runtime::Runtime;

use crate::service::profile::profile;
use crate::service::support::TOKEN;
use crate::support::again::{answered, assert_judged_again, request, response};
use crate::support::is_exhaustive;

/// One thing that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) rule: &'static str,
    pub(super) fact: String,
    /// The operation that was called.
    pub(super) operation: String,
    pub(super) pointer: String,
}

/// What a check does with everything on: reads and writes.
pub(super) fn scope(seed: u64) -> Scope {
    Scope {
        writes: true,
        token: true,
        seed,
        ..Scope::default()
    }
}

/// Checks one service after the other, in this process and on a clock that jumps where a check waits.
pub(super) struct Checker<'contract> {
    contract: &'contract Contract,
    runtime: Runtime,
    /// The plans that were carried out: many checks carry out the same.
    plans: RefCell<HashMap<(u64, Extent), Rc<Plan>>>,
}

impl<'contract> Checker<'contract> {
    pub(super) fn new(contract: &'contract Contract) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        Checker {
            contract,
            runtime,
            plans: RefCell::default(),
        }
    }

    /// Checks a service over a store of its own that has these faults.
    pub(super) fn check(&self, faults: &Faults, seed: u64, extent: Extent) -> Vec<Found> {
        self.check_of(&[], faults, (seed, extent))
    }

    /// The same, of a service with these choices in the gaps.
    pub(super) fn check_of(&self, settings: &[String], faults: &Faults, part: (u64, Extent)) -> Vec<Found> {
        let run = self.run((settings, faults), part, is_exhaustive());
        assert_judged_again(self.contract, &run);
        self.found(&run.verdicts)
    }

    /// What went over the wire in a check of a service without faults.
    pub(super) fn recording(&self, extent: Extent) -> Recording {
        self.recording_of(&[], extent)
    }

    /// The same, of a service with these choices in the gaps.
    pub(super) fn recording_of(&self, settings: &[String], extent: Extent) -> Recording {
        let run = self.run((settings, &Faults::default()), (1, extent), true);
        run.recording.unwrap()
    }

    /// What the check of a recording finds.
    pub(super) fn judged(&self, recording: &Recording) -> Vec<Found> {
        self.found(&recording.judge(self.contract, Levels::default()))
    }

    /// What the check of a recording finds with the responses as this fault makes them; nothing where it edits none.
    pub(super) fn replay(&self, recording: &Recording, fault: &Fault) -> Vec<Found> {
        self.found(&self.replayed(recording, fault).1)
    }

    /// The exchanges of a recording with the responses as this fault makes them, and what they show.
    pub(super) fn replayed(&self, recording: &Recording, fault: &Fault) -> (Vec<Exchange>, Verdicts) {
        let edits = fault
            .edited_operation()
            .and_then(|on| self.contract.operation_named(on));
        let edited = |exchange: &Exchange| {
            let response = response(exchange).filter(|_| edits == Some(exchange.request.operation))?;
            Some(match fault.edited(request(exchange)?, response)? {
                Edited::Response(edited) => answered(exchange, Some(edited)),
                Edited::CutOff => answered(exchange, None),
            })
        };
        let exchanges = recording
            .exchanges()
            .map(|(exchange, _)| edited(exchange).unwrap_or_else(|| exchange.clone()));
        (
            exchanges.collect(),
            recording.judge_edited(self.contract, Levels::default(), edited),
        )
    }

    fn run(&self, (settings, faults): (&[String], &Faults), (seed, extent): (u64, Extent), keep: bool) -> Run {
        let opened = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile(settings));
        let service = self.runtime.block_on(opened).unwrap();
        let (app, token) = (fault::app(service, faults), Token::new(TOKEN).unwrap());
        let transport = Transport::in_process(app, Some(token), "wrong".to_owned(), Limits::default());
        let settings = Settings {
            settle: Duration::ZERO,
            keep_recording: keep,
            ..Settings::new(RunTag::new(seed, 0))
        };
        let mut plans = self.plans.borrow_mut();
        let plan = plans
            .entry((seed, extent))
            .or_insert_with(|| self.plan(seed, extent).into());
        let plan = Rc::clone(plan);
        let mut ignore = |_: Event<'_>| {};
        let around = (&mut ignore as &mut dyn FnMut(Event<'_>), std::future::pending());
        let run = run::run(self.contract, &plan, &transport, &settings, around);
        self.runtime.block_on(run)
    }

    fn plan(&self, seed: u64, extent: Extent) -> Plan {
        let mut plan = Plan::new(self.contract, &scope(seed));
        plan.steps.retain(|step| match extent.part {
            Part::Core => step.action.edge_case().is_none() && step.action.always_sends(),
            Part::Varied => step.action.edge_case().is_none(),
            Part::Whole => true,
        });
        if let Some(operation) = extent.of {
            let only = vec![operation];
            let needed = Plan::new(self.contract, &Scope { only, ..scope(seed) });
            let needed: HashSet<_> = needed.steps.iter().map(|step| step.operation).collect();
            plan.steps.retain(|step| needed.contains(&step.operation));
        }
        plan
    }

    fn found(&self, verdicts: &Verdicts) -> Vec<Found> {
        let findings = verdicts.findings().iter();
        findings.map(|finding| found(self.contract, finding)).collect()
    }
}

/// How much of a plan is carried out. What a part finds the whole finds too: more evidence takes no finding back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Extent {
    pub(super) part: Part,
    /// The operation that it concerns, with what that needs; all where none is named.
    pub(super) of: Option<OperationId>,
}

/// Which steps of a plan are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// Without variants and edge cases, which are three quarters of all.
    Core,
    /// Without edge cases.
    Varied,
    /// All of them.
    Whole,
}

impl Part {
    /// This part of what concerns one operation and what it needs.
    pub(super) fn of(self, operation: OperationId) -> Extent {
        let of = Some(operation);
        Extent { part: self, of }
    }

    /// This part of the plan for all operations.
    pub(super) fn of_all(self) -> Extent {
        let of = None;
        Extent { part: self, of }
    }
}

fn found(contract: &Contract, finding: &Finding) -> Found {
    Found {
        rule: finding.rule.name,
        fact: contract.fact(finding.fact).name.to_string(),
        operation: contract.operation(finding.request.operation).name.clone(),
        pointer: finding.pointer.clone(),
    }
}
