//! The checker against a service with faults. It is put together here, as [`countersign::Check`] does it, because a plan may
//! be carried out in part.

use std::collections::HashSet;
use std::time::Duration;

use countersign::client::Token;
use countersign::contract::Contract;
use countersign::contract::operation::OperationId;
use countersign::exchange::{Limits, Transport};
use countersign::plan::{Mark, Plan, Selection, Step};
use countersign::rules::Finding;
use countersign::run::{self, Event, Settings};
use countersign::service::fault::{self, Faults};
use countersign::service::{Service, StoreUrl};
use tokio::runtime::Runtime;

use crate::service::profile::profile;
use crate::service::support::TOKEN;
use crate::support::again::assert_judged_again;
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
pub(super) fn scope(seed: u64) -> Selection {
    Selection {
        writes: true,
        token: true,
        seed,
        ..Selection::default()
    }
}

/// Checks one service after the other, in this process and on a clock that jumps where a check waits.
pub(super) struct Checker<'contract> {
    contract: &'contract Contract,
    runtime: Runtime,
}

impl<'contract> Checker<'contract> {
    pub(super) fn new(contract: &'contract Contract) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        Checker { contract, runtime }
    }

    /// Checks a service over a store of its own that has these faults.
    pub(super) fn check(&self, faults: &Faults, seed: u64, extent: Extent) -> Vec<Found> {
        self.check_of(&[], faults, (seed, extent))
    }

    /// The same, of a service with these choices in the gaps.
    pub(super) fn check_of(&self, settings: &[String], faults: &Faults, (seed, extent): (u64, Extent)) -> Vec<Found> {
        let opened = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile(settings));
        let service = self.runtime.block_on(opened).unwrap();
        let (app, token) = (fault::app(service, faults), Token::new(TOKEN).unwrap());
        let transport = Transport::in_process(app, Some(token), "wrong".to_owned(), Limits::default());
        let settings = Settings {
            settle: Duration::ZERO,
            keep_recording: is_exhaustive(),
            ..Settings::new(Mark::new(seed, 0))
        };
        let mut plan = Plan::new(self.contract, &scope(seed));
        let in_core = |step: &Step| step.action.odd().is_none() && step.action.always_sends();
        match extent {
            Extent::Whole => {}
            Extent::Varied => plan.steps.retain(|step| step.action.odd().is_none()),
            Extent::Core => plan.steps.retain(in_core),
            Extent::CoreOf(operation) => {
                let only = vec![operation];
                let needed = Plan::new(self.contract, &Selection { only, ..scope(seed) });
                let needed: HashSet<_> = needed.steps.iter().map(|step| step.operation).collect();
                plan.steps
                    .retain(|step| in_core(step) && needed.contains(&step.operation));
            }
        }
        let mut ignore = |_: Event<'_>| {};
        let around = (&mut ignore as &mut dyn FnMut(Event<'_>), std::future::pending());
        let run = run::run(self.contract, &plan, &transport, &settings, around);
        let run = self.runtime.block_on(run);
        assert_judged_again(self.contract, &run);
        let findings = run.verdicts.findings().iter();
        findings.map(|finding| found(self.contract, finding)).collect()
    }
}

/// How much of a plan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Without variants and odd requests, which are three quarters of all. What is found so is found by the whole too:
    /// more evidence takes no finding back.
    Core,
    /// Of that what concerns one operation and what it needs.
    CoreOf(OperationId),
    /// Without odd requests.
    Varied,
    /// All of it.
    Whole,
}

fn found(contract: &Contract, finding: &Finding) -> Found {
    Found {
        rule: finding.rule.name,
        fact: contract.fact(finding.fact).name.to_string(),
        operation: contract.operation(finding.request.operation).name.clone(),
        pointer: finding.pointer.clone(),
    }
}
