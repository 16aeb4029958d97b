//! What the integration tests share.

pub(crate) mod again;
pub(crate) mod archive;
pub(crate) mod crew;
pub(crate) mod files;
pub(crate) mod leaks;
pub(crate) mod stub;

/// How many of something to try: a few in `cargo test`, all where it is to be exhaustive.
pub(crate) fn tried(few: usize, all: usize) -> usize {
    if is_exhaustive() { all } else { few }
}

/// Whether everything is to be tried of which `cargo test` tries a sample: the gate turns on this switch.
#[expect(
    clippy::disallowed_methods,
    reason = "a test is told by the environment how thorough to be, as it is by cargo"
)]
pub(crate) fn is_exhaustive() -> bool {
    std::env::var_os("COUNTERSIGN_TEST_EXHAUSTIVE").is_some()
}
