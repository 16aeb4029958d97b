//! Writes what a run found. Every report is given the same [`Record`] and only writes it.

mod accepted;
mod excerpt;
mod exchanges;
mod json;
mod line;
mod merge;
mod read;
mod record;
pub mod shapes;
mod summary;
mod terminal;
#[cfg(test)]
mod testing;
pub(crate) mod wrap;

pub use accepted::{Acceptance, AcceptedRecord, AcceptedState, Scope, accepted};
pub use excerpt::{Excerpt, ExcerptLine, Mark};
pub use exchanges::{AnswerRecord, CredentialRecord, ExchangeRecord, Exchanges, HeaderRecord, PurposeRecord};
pub use json::json;
pub use merge::{MergeError, merge};
pub use read::{LARGEST_REPORT, ReadError, read};
pub use record::{
    ContractRecord, FactRow, Facts, FindingRecord, GapRecord, OperationRecord, Outcome, PlaceRecord, Record,
    RequestCounts, ResidueRecord, RunFacts, ShardEnded, ShardRecord, ShardsRecord, VERSION, VerdictRecord, record,
};
pub use terminal::{Styling, Terminal, Verbosity};
