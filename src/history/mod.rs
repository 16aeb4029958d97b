//! Derives what exchanges show together. Nothing else makes evidence.
//!
//! - **In**: exchanges, one after the other, each with the reason why it was sent and its role in the run.
//! - **Out**: [`evidence`], which the rules about several responses judge; what a write may have left ([`Residue`]).
//! - **Start with** [`evidence`] for what is judged. A run feeds the history; no other caller has to.
//!
//! ```no_run
//! use countersign::{Check, Contract};
//!
//! # async fn sample() -> Result<(), countersign::Error> {
//! let check = Check::new(Contract::open("openapi.yaml")?).url("https://contacts.example.com").token("a-long-token");
//! let report = check.writes(true).run().await?;
//! println!("{} records left", report.run().residue.len());
//! # Ok(())
//! # }
//! ```
//!
//! # Words
//!
//! - *chosen identifier*: one that the caller of a create picks, as in `PUT /pets/{name}`
//!   (`Operation::new_record_name_parameter`).
//! - *draft number*: the letters after the run tag, which tell which draft a string comes from.
//! - *inferred lifecycle*: the operations that read, list, update and delete the records of a create without
//!   `x-invariants`, as paths and schemas imply them.
//! - *link*: a value of one operation's response that fills a parameter or a field of the body of another, as the
//!   contract states or its paths imply.
//! - *owner* of a record: the item of a list that contains it, such as the contact of a contact method (`owner` in
//!   `x-invariants`); not whoever created it.
//! - *own record*: one that the run created. A record or an identifier that may be somebody else's is *doubtful*, or
//!   *in doubt*, and nothing is written to it.
//! - *tracked record*: one that a create without the invariant `created` returned, where an inferred lifecycle says how
//!   to read it.
//!
//! # Design
//!
//! A run only sends requests. It says which role a request has, begins and ends a look at a list, and asks what the
//! responses have shown. Everything else is derived here, from the exchanges alone: walks over pages, created records
//! and where they appear, updates, the timestamp formats and spellings that were tried, what a write may have left. So
//! a recording that is judged again gives the same verdicts as its run.
//!
//! `mock_signs` keeps the signs that the target is a mock: it accepts creates, but no list shows what was sent, and
//! creates with different bodies get the same identifier.
//!
//! There is one `History`. Most files add methods to it, one file for each kind of evidence, and it holds their types:
//! this circular dependency is intended. The others, such as `digests`, `element`, `run_tag` and `same`, do not know
//! it.

mod bindings;
pub(crate) mod carried;
mod copies;
mod counts;
mod created;
mod digests;
mod element;
pub mod evidence;
mod exchange_role;
mod existing_records;
mod filter_values;
mod foreign_identifiers;
#[expect(clippy::module_inception, reason = "the module is named after what it keeps")]
mod history;
mod inferred_pages;
mod left_out;
mod lifecycle;
mod list_totals;
mod look;
mod lost_records;
mod mock_signs;
mod new_records;
mod next_numbers;
mod observed_values;
mod only_page;
mod other_clients;
mod own;
mod pages;
mod pending_comparisons;
mod records;
mod residue;
mod run_tag;
pub(crate) mod same;
mod sent_strings;
mod stray;
mod undocumented;
mod unidentified;
mod updated;
mod written;

pub use bindings::Bindings;
pub(crate) use bindings::PathIdentifiers;
pub(crate) use bindings::{LinkedValues, NeededParameter, identifiers_in_path};
pub(crate) use exchange_role::{ExchangeRole, RecordRole, WriteContext};
pub(crate) use existing_records::{IdentifyingUse, VanishedRecords};
pub(crate) use foreign_identifiers::lists_that_show;
pub(crate) use history::{ExchangeResult, History, HistoryResult};
pub(crate) use inferred_pages::NextPage;
pub(crate) use lifecycle::RecordStage;
pub(crate) use look::{LookGoal, LookId, LookResult, WaitExtent, WalkExtent};
pub(crate) use only_page::SAME_TOTALS_TO_COUNT;
pub(crate) use own::Ownership;
pub(crate) use pages::total_and_space_on_last_page;
pub(crate) use pending_comparisons::is_error_response;
pub(crate) use records::AcceptedUpdate;
pub(crate) use residue::may_have_stored;
pub use residue::{Residue, SearchExtent, UnexplainedRecord};
pub use run_tag::RunTag;
pub(crate) use undocumented::undocumented_creation;
