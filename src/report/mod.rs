//! Writes what a run found. Every report of a run is given the same [`Record`] and only writes it; those of `lint` and
//! `diff` are given what these found.
//!
//! - **In**: a [`Record`], from a check that has just ended or from a JSON report that [`read()`] reads.
//! - **Out**: text: lines for people, JSON, JUnit, SARIF, Markdown, GitHub's annotations, HAR, an HTML page.
//! - **Start with** [`json()`] and [`read()`], or with [`Terminal`] for people.
//!
//! ```no_run
//! use countersign::report::{json, markdown, read};
//! use countersign::{Check, Contract};
//!
//! # async fn sample() -> Result<(), Box<dyn std::error::Error>> {
//! let check = Check::new(Contract::open("openapi.yaml")?).url("https://contacts.example.com").token("a-long-token");
//! let report = check.run().await?;
//! let text = json(report.record());
//!
//! // Later, or elsewhere.
//! let comment = markdown(&read(text.as_bytes())?);
//! println!("{comment}");
//! # Ok(())
//! # }
//! ```
//!
//! # Design
//!
//! Unless values are shown, the record has only shapes of what a target sent, except for identifiers of records that
//! exist or changed because of the run, and the numbers that describe pages; so a new report cannot leak any other
//! value.

mod accepted;
mod diff;
mod excerpt;
mod exchanges;
mod github;
mod groups;
mod har;
mod har_entry;
#[cfg(feature = "html")]
mod html;
mod json;
#[cfg(feature = "junit")]
mod junit;
mod learn;
mod line;
mod lint;
mod markdown;
mod merge;
mod phrases;
mod read;
mod record;
mod sarif;
pub mod shapes;
mod since;
mod summary;
mod terminal;
#[cfg(test)]
mod testing;
pub(crate) mod wrap;

pub use accepted::{AcceptedDeviation, AcceptedDeviationRecord, AcceptedState, accepted};
pub use diff::{
    diff_changelog, diff_github, diff_json, diff_markdown, diff_markdown_within, diff_sarif, diff_terminal,
};
pub use excerpt::{Excerpt, ExcerptLine, Mark};
pub use exchanges::{
    CredentialRecord, ExchangeRecord, Exchanges, HeaderRecord, PurposeRecord, ResponseRecord, SchemeRecord,
};
pub use github::github;
pub use har::har;
#[cfg(feature = "cli")]
pub(crate) use har_entry::{ArchiveBody, ArchiveEntry, ArchiveRequest, ArchiveResponse, header as archive_header};
pub(crate) use har_entry::{COMMENT_CREDENTIAL_HIDDEN, COMMENT_SHAPES};
#[cfg(feature = "html")]
pub use html::html;
pub use json::{json, write_json};
#[cfg(feature = "junit")]
pub use junit::junit;
pub use lint::{lint_github, lint_json, lint_markdown_within, lint_sarif, lint_terminal};
pub use markdown::{MAX_BYTES, markdown, markdown_within};
pub use merge::{MergeError, merge};
#[cfg(feature = "cli")]
pub(crate) use phrases::{answer_in_words, counted, errors_and_warnings, is_or_are};
pub use read::{MAX_REPORT_BYTES, ReadError, read};
pub use record::{
    ContractRecord, Coverage, FactRow, Facts, FindingRecord, GapRecord, LocationRecord, NotJudgedRecord,
    OmittedOperationRecord, OperationRecord, Outcome, OutcomeRecord, Record, RecordedIn, RejectedValueRecord,
    ResidueRecord, RunContext, ShardEnded, ShardRecord, ShardsRecord, SuspectedCause, TrafficFileRecord, TrafficRecord,
    UnexplainedRecord, VERSION, VerdictRecord, WhyUndecided, record,
};
pub use sarif::sarif;
pub use since::mark_new;
pub use terminal::{Styling, Terminal, Verbosity};
