//! What the unit tests share.

use std::sync::{Arc, LazyLock};

use crate::contract::Contract;

/// The contract that this crate is built with, which all tests of a process read once.
pub(crate) fn built_in() -> &'static Arc<Contract> {
    static BUILT_IN: LazyLock<Arc<Contract>> = LazyLock::new(|| Arc::new(Contract::built_in().unwrap()));
    &BUILT_IN
}

/// Returns the first number in `cargo test`, and the second where tests are to be exhaustive, as in `.ci/run`: how many
/// of something to try, or every how many.
#[cfg(any(feature = "checker", feature = "service"))]
#[expect(
    clippy::disallowed_methods,
    reason = "a test is told by the environment how thorough to be, as it is by cargo"
)]
pub(crate) fn tried(few: usize, all: usize) -> usize {
    let is_exhaustive = std::env::var_os("COUNTERSIGN_TEST_EXHAUSTIVE").is_some();
    if is_exhaustive { all } else { few }
}

/// Runs an assertion whose snapshot stands in the top-level `snapshots/`.
pub(crate) fn with_snapshots(assertion: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(assertion);
}

/// Counts the work of code under test: tests bound this count, which does not depend on the speed of a machine.
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static DONE: Cell<u64> = const { Cell::new(0) };
    }

    /// Counts one more unit of work of this thread; the code under test calls it, and a test bounds the sum by [`of`].
    pub(crate) fn count() {
        DONE.set(DONE.get() + 1);
    }

    /// Returns how many units of work this took.
    pub(crate) fn of(work: impl FnOnce()) -> u64 {
        let before = DONE.get();
        work();
        DONE.get() - before
    }
}
