//! What the integration tests share.

pub(crate) mod again;
pub(crate) mod archive;
pub(crate) mod files;
pub(crate) mod leaks;
pub(crate) mod parallel;
pub(crate) mod stub;

use std::sync::{Arc, LazyLock};

use countersign::Contract;

/// The built-in contract, which all tests of a process read once.
pub(crate) fn built_in() -> &'static Arc<Contract> {
    static BUILT_IN: LazyLock<Arc<Contract>> = LazyLock::new(|| {
        let contract = Contract::built_in();
        Arc::new(contract.unwrap_or_else(|defects| panic!("{defects}")))
    });
    &BUILT_IN
}

/// The built-in contract with a few of its edge cases, one for each part of a request. Half of the requests of a check
/// have a field of another type, and most tests are not about them. All of them where everything is tried.
pub(crate) fn contract_with_few_edge_cases() -> Arc<Contract> {
    const FEW: &str = r#"overlay: 1.0.0
info: {title: Few edge cases, version: '1'}
actions:
  - {target: "$['x-edge-cases']", remove: true}
  - {target: $, update: {x-edge-cases: [parameter-zero, identifier-unknown, body-empty, text-control]}}
"#;
    static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(|| {
        if is_exhaustive() {
            return Arc::clone(built_in());
        }
        let contract = Contract::built_in_with_overlay("few.yaml", FEW.to_owned());
        Arc::new(contract.unwrap_or_else(|defects| panic!("{defects}")))
    });
    Arc::clone(&CONTRACT)
}

/// Of things that are alike every so many, beginning with the first; all where everything is tried.
pub(crate) fn sampled<Thing>(every: usize, things: impl IntoIterator<Item = Thing>) -> impl Iterator<Item = Thing> {
    things.into_iter().step_by(tried(every, 1))
}

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
