//! The checker against a service with faults. It is put together here, as [`countersign::Check`] does it, because a plan may
//! be carried out in part.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use countersign::client::Token;
use countersign::contract::Contract;
use countersign::exchange::{Limits, Transport};
use countersign::plan::{Mark, Plan, Scope, Step};
use countersign::rules::Finding;
use countersign::run::{self, Event, Settings};
use countersign::service::fault::{self, Faults};
use countersign::service::{Service, StoreUrl};
use tokio::runtime::Runtime;

use crate::service::profile::profile;
use crate::service::support::TOKEN;

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
            ..Settings::new(Mark::new(seed, 0))
        };
        let mut plan = Plan::new(self.contract, &scope(seed));
        let in_core = |step: &Step| step.action.odd().is_none() && step.action.always_sends();
        plan.steps.retain(|step| extent == Extent::Whole || in_core(step));
        let mut ignore = |_: Event<'_>| {};
        let around = (&mut ignore as &mut dyn FnMut(Event<'_>), std::future::pending());
        let run = run::run(self.contract, &plan, &transport, &settings, around);
        let run = self.runtime.block_on(run);
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
    /// All of it.
    Whole,
}

fn found(contract: &Contract, finding: &Finding) -> Found {
    Found {
        rule: finding.rule.name,
        fact: contract.fact(finding.fact).name.clone(),
        operation: contract.operation(finding.request.operation).name.clone(),
        pointer: finding.pointer.clone(),
    }
}

/// Does something with each of many things, on as many threads as there are processors. Each thread has a tool of its own.
pub(super) fn each<Thing: Sync, Tool, Done: Send>(
    things: &[Thing],
    tool: impl Fn() -> Tool + Sync,
    work: impl Fn(&Tool, &Thing) -> Done + Sync,
) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let (tool, mut done) = (tool(), Vec::new());
        while let Some(thing) = things.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(work(&tool, thing));
        }
        done
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

pub(super) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}
