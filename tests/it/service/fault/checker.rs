//! The checker, put together as `countersign check` does it, against a service with faults.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use countersign::contract::Contract;
use countersign::exchange::redact::Values;
use countersign::exchange::{Limits, Target, Token, Transport};
use countersign::plan::{Mark, Plan, Scope};
use countersign::rules::{Finding, Levels};
use countersign::run::{self, Event, Run, Settings};
use countersign::service::fault::{self, Faults};
use countersign::service::{self, Service};

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

/// Checks a service of its own that has these faults.
pub(super) async fn check(contract: &Contract, faults: &Faults, seed: u64) -> Vec<Found> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = Target::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let router = fault::app(Service::memory(TOKEN.to_owned().into()).unwrap(), faults);
    let served = tokio::spawn(service::run(listener, router, std::future::pending()));
    let mark = Mark::new(seed, 0);
    let token = Token::parse(TOKEN).unwrap();
    let transport = Transport::new(target, Some(token), mark.wrong_token(), Limits::default()).unwrap();
    let settings = Settings {
        jobs: 4,
        rate: None,
        settle: Duration::ZERO,
        max_writes: 20,
        max_pages: 200,
        mark,
        levels: Levels::default(),
        values: Values::Hidden,
    };
    let plan = Plan::new(contract, &scope(seed));
    let mut ignore = |_: Event<'_>| {};
    let around = (&mut ignore as &mut dyn FnMut(Event<'_>), std::future::pending());
    let run: Run = run::run(contract, &plan, &transport, &settings, around).await;
    served.abort();
    run.verdicts
        .findings()
        .iter()
        .map(|finding| found(contract, finding))
        .collect()
}

fn found(contract: &Contract, finding: &Finding) -> Found {
    Found {
        rule: finding.rule.name,
        fact: contract.fact(finding.fact).name.clone(),
        operation: contract.operation(finding.request.operation).name.clone(),
        pointer: finding.pointer.clone(),
    }
}

/// Does something with each of many things, on as many threads as there are processors, twice over: half of the time
/// goes by on the socket.
pub(super) fn each<Thing: Sync, Done: Send>(things: &[Thing], work: impl Fn(&Thing) -> Done + Sync) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let threads = 2 * std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let mut done = Vec::new();
        while let Some(thing) = things.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(work(thing));
        }
        done
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// Runs one check to its end on this thread.
pub(super) fn block_on<Output>(check: impl Future<Output = Output>) -> Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(check)
}
