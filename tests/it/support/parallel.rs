//! Tries many cases on as many threads as there are processors, because each case is limited by the processor.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

use std::sync::Mutex;

/// Does something with each of many things. Each thread has a tool of its own.
pub(crate) fn each<Thing: Send, Tool, Done: Send>(
    things: Vec<Thing>,
    tool: impl Fn() -> Tool + Sync,
    work: impl Fn(&Tool, Thing) -> Done + Sync,
) -> Vec<Done> {
    let things = Mutex::new(things.into_iter());
    let next = || things.lock().unwrap().next();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let worker = || {
        let (tool, mut done) = (tool(), Vec::new());
        while let Some(thing) = next() {
            done.push(work(&tool, thing));
        }
        done
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// Runs `miss` on every case, each on one thread from start to end, and fails with everything that it hands back.
pub(crate) fn try_all<Case: Send>(cases: Vec<Case>, miss: impl AsyncFn(Case) -> Vec<String> + Sync) {
    let count = cases.len();
    let missed = each(cases, runtime, |runtime, case| runtime.block_on(miss(case)));
    let mut misses: Vec<_> = missed.into_iter().flatten().collect();
    misses.sort();
    assert!(
        misses.is_empty(),
        "{} misses in {count} cases:\n{}",
        misses.len(),
        misses.join("\n")
    );
}

/// A runtime of one thread, with sockets and timers.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}
