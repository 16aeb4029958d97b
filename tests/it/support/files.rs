//! How many files a process may have open.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

/// Lets this process, and those that it starts, open so many files: each end of a connection is one.
pub(crate) fn allow_open_files(count: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    let raised = Rlimit {
        current: Some(maximum.map_or(count, |maximum| maximum.min(count))),
        maximum,
    };
    setrlimit(Resource::Nofile, raised).unwrap();
}
