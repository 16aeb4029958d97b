//! Tries many cases at once and tells all misses in one message.

use std::sync::Mutex;

/// More than there are processors: a case waits for records that never come.
const THREADS: usize = 4;

/// Runs `miss` on every case, each on one thread from start to end, and fails with everything that it hands back.
pub(super) fn try_all<Case: Send>(cases: Vec<Case>, miss: impl AsyncFn(Case) -> Vec<String> + Sync) {
    let count = cases.len();
    let cases = Mutex::new(cases.into_iter());
    let misses = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS.min(count) {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                loop {
                    let Some(case) = cases.lock().unwrap().next() else {
                        break;
                    };
                    let missed = runtime.block_on(miss(case));
                    misses.lock().unwrap().extend(missed);
                }
            });
        }
    });
    let mut misses = misses.into_inner().unwrap();
    misses.sort();
    assert!(
        misses.is_empty(),
        "{} misses in {count} cases:\n{}",
        misses.len(),
        misses.join("\n")
    );
}
