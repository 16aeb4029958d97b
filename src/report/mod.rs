//! Writes what a run found. Every report is given the same [`Record`] and only writes it.

mod excerpt;
mod exchanges;
mod html;
mod json;
mod record;
pub mod shapes;
mod terminal;
#[cfg(test)]
mod testing;

pub use excerpt::{Excerpt, ExcerptLine, Mark};
pub use exchanges::{AnswerRecord, CredentialRecord, ExchangeRecord, Exchanges, HeaderRecord, PurposeRecord};
pub use html::html;
pub use json::json;
pub use record::{
    ContractRecord, FactRow, Facts, FindingRecord, GapRecord, OperationRecord, Outcome, PlaceRecord, Record,
    RequestCounts, ResidueRecord, RunFacts, VERSION, VerdictRecord, record,
};
pub use terminal::{Styling, Terminal, Verbosity};
