//! What the unit tests share.

/// Runs an assertion whose snapshot stands in the top-level `snapshots/`.
pub(crate) fn with_snapshots(assertion: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(assertion);
}

/// Counts the work of code under test, so that a bound on it is no bound on a machine's speed.
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static DONE: Cell<u64> = const { Cell::new(0) };
    }

    /// One more unit of work was done by this thread.
    pub(crate) fn done() {
        DONE.set(DONE.get() + 1);
    }

    /// How many units of work this took.
    pub(crate) fn of(work: impl FnOnce()) -> u64 {
        let before = DONE.get();
        work();
        DONE.get() - before
    }
}
