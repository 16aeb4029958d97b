//! Writes what a run found. Every report is given the same [`Record`] and only writes it.

mod json;
mod live;
mod record;
pub mod shapes;
mod terminal;
#[cfg(test)]
mod testing;

pub use json::json;
pub use record::{
    ContractRecord, FactRow, Facts, FindingRecord, Outcome, Record, RequestCounts, ResidueRecord, RunFacts,
    VerdictRecord, record,
};
pub use terminal::{Styling, Terminal, Verbosity};
