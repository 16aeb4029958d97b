//! Answers to gaps: what the document leaves open, and what exchanges show about it. The main types are [`Gaps`], which
//! collects, and [`Answer`].
//!
//! - **In**: each exchange, with why it was sent and its body as it was read for the rules.
//! - **Out**: for each gap, an answer with its observations, or why there is none.
//! - **Start with** [`Gaps::add`] and [`Gaps::answers`].
//!
//! ```
//! use countersign::Contract;
//! use countersign::gaps::{AnswerState, Gaps};
//!
//! let contract = Contract::built_in()?;
//! let answers = Gaps::new(&contract).answers();
//! // Nothing was seen, so nothing is known.
//! assert!(answers.iter().all(|answer| answer.state == AnswerState::CannotTell));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Words
//!
//! - *inferred gap*: one that the document does not list under `x-gaps`, because any document may leave it open
//!   (`contract::inferred_gaps`). A check asks about it only if an overlay states answers.
//! - *claim*: what an answer says, such as `status: 201`.
//! - *void*: a trial or an observation that decides nothing: the request was throttled, got a 5xx or no complete
//!   response, or was sent again later; a trial also if a control was not accepted, or no record of the variant was
//!   seen.
//! - *whole response*: what a response shows besides the values in its body, such as its status or its time.
//! - *search*: trials of which each decides what the next one sends, as for required fields and the longest text.
//! - *ledger*: the file in which runs keep their answers and trials.
//! - *overlay*: a file of answers that a person has reviewed, applied to a contract.
//!
//! # Design
//!
//! Ordinary requests are only observed: nothing is sent for an answer, so none gets further than *seen*. A run that
//! asks sends *trials*, each a variant between two controls, and what four of them show is *indicated*. Both are read
//! from the exchanges alone. A ledger keeps the answers of runs, and what two of them indicate is *established*: that,
//! and nothing else, [`overlay()`] writes for the contract. The contract says which gaps there are, of which kind each
//! is, and which operations and locations it concerns; no operation and no field is named here. Of the target, an
//! answer contains only forms, statuses, known media types, names that the contract documents or that are common in
//! errors, and numbers: the size of a page, the length of a text, times and rates that the run measured.
//!
//! Times and rates depend on machines and networks, so nothing is asked about them and they are never more than seen.
//! They come from the recorded exchanges alone, so a recording that is judged again gives the same ones.
//!
//! Per location, at most eight different claims are kept, so memory is bounded by the contract, whatever a target
//! sends. Time is linear in the size of a body, and parts of a body that no gap concerns are skipped.

mod answer;
mod collector;
mod effects;
mod form;
mod join;
mod learned;
mod ledger;
mod listing;
mod locations;
mod overlay;

mod length_search;
mod rate;
mod required;
mod searches;
mod settled;
mod tally;
mod trial;
mod trials;

pub use answer::{
    Announcement, Answer, AnswerState, BeyondLast, BodyForm, Claim, Condition, DateFormat, Dissent, Duplicate,
    ListOrder, MemberType, ObservationCounts, ReturnedSpelling, UnknownHandling, UnsentFields, ValueSet, WhyUnanswered,
    WrittenForm,
};
pub use collector::Gaps;
pub use join::join;
pub(crate) use learned::validate_stated_answers;
pub use ledger::{
    KnownAnswer, LearnRun, LedgerEntry, LedgerLine, UnreadableLine, known_answers, known_trials, known_with_runs,
    read_line, trials_without, with_unanswered,
};
pub use overlay::{Overlay, overlay};
pub use settled::settled;
pub use trial::{Trial, TrialClaim, TrialOutcome};
