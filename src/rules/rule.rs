//! Defines what a rule is. The main type is [`Rule`]. It and the verdicts refer to each other: a rule gives its
//! verdicts, and a finding names the rule that made it.

use super::level::Level;
use super::location::LocatedValue;
use super::seen::{AnswerSeen, ExchangeSeen, HeadersSeen, OperationSeen};
use super::verdict::Sink;
use crate::contract::fact::FactKind;
use crate::history::evidence::{
    CreatedObservation, Creation, EquivalenceOutcome, FinalListing, FormatOutcome, RecordShown, StoredDespiteRejection,
    StrayWrite, UpdateObservation, Walk,
};

/// Judges facts of one or a few kinds, or only reports findings, at a fact nearby.
pub struct Rule {
    /// Its name, as in flags and reports.
    pub name: &'static str,
    /// The level of its findings unless the user sets another.
    pub level: Level,
    /// What is wrong where it finds something.
    pub headline: Headline,
    /// What its facts are about.
    pub topic: Topic,
    /// What it requires of a response, in one sentence that is true of any contract.
    pub summary: &'static str,
    /// What it looks at, and why a break matters.
    pub explanation: &'static str,
    /// What it does not report: what it leaves to other rules, and what stays undecided.
    pub exceptions: &'static str,
    /// What to do about a finding.
    pub fix: &'static str,
    /// Where the requirement comes from: a section of the document, an RFC.
    pub source: &'static str,
    /// An example of its findings.
    pub example: Example,
    pub(super) judge: Judging,
}

/// What is wrong, in the words that begin a report: for one subject `is missing`, for several `are missing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headline {
    /// With a field of a response, or several, as the subject.
    Field(&'static str, &'static str),
    /// With an operation, or several, as the subject.
    Operation(&'static str, &'static str),
}

/// What facts are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Who is rejected.
    Access,
    /// Whether a response comes, with which status and of which media type.
    Responses,
    /// Which fields a response has.
    Fields,
    /// What holds across several responses.
    Invariants,
    /// Which values the fields have.
    Values,
}

/// A finding of a rule, in the words of its report.
#[derive(Debug)]
pub struct Example {
    /// The fact that is broken.
    pub fact: &'static str,
    /// What the contract states.
    pub documented: &'static str,
    /// What came instead, as a shape.
    pub received: &'static str,
    /// Where in the response, as a JSON pointer; empty for the whole response. `header X-Total` is a header.
    pub pointer: &'static str,
    /// Has the rule judge the example, so that a test can compare the two.
    #[cfg(test)]
    pub(super) judged: fn() -> super::testing::Judged,
}

/// What a rule looks at, with the function that judges it.
pub(super) enum Judging {
    /// What the run shows, at its end, of an answer that an overlay states.
    Answer(fn(&AnswerSeen<'_>, &mut Sink<'_>)),
    /// A success whose body was read, judged after all its locations; the flag says whether it broke no fact.
    Success(fn(&ExchangeSeen<'_>, bool, &mut Sink<'_>)),
    /// An exchange as a whole, including that of an edge case.
    AnyExchange(fn(&ExchangeSeen<'_>, &mut Sink<'_>)),
    /// What a list shows of a write at the end of the run, and an updated record looked for in its list.
    FinalListing(
        fn(&FinalListing<'_>, &mut Sink<'_>),
        fn(&UpdateObservation<'_>, &mut Sink<'_>),
    ),
    /// The record in the response to a create.
    Creation(fn(&Creation<'_>, &mut Sink<'_>)),
    /// An equivalent request: RFCs define it as the same as a plain one.
    Equivalent(fn(&EquivalenceOutcome, &mut Sink<'_>)),
    /// The content of a response that the document describes, that of some edge cases included: see
    /// [`ExchangeSeen::is_described`].
    Content(fn(&ExchangeSeen<'_>, &mut Sink<'_>)),
    /// An exchange as a whole, where the request is not an edge case.
    ExchangeExceptEdgeCases(fn(&ExchangeSeen<'_>, &mut Sink<'_>)),
    /// An exchange as a whole, where the request is not an edge case, and what is wrong with a list that leaves out a
    /// record, if the rule judges facts of this kind.
    ListQuery(
        fn(&ExchangeSeen<'_>, &mut Sink<'_>),
        fn(FactKind) -> Option<&'static str>,
    ),
    /// A request field sent in one of its timestamp formats.
    Format(fn(&FormatOutcome, &mut Sink<'_>)),
    /// What was sent, compared with the response and with the list.
    Comparison(Comparison),
    /// An operation without a judged success, at the end of the run.
    Operation(fn(&OperationSeen<'_>, &mut Sink<'_>)),
    /// One object of a body; other values are skipped.
    Object(fn(&LocatedValue<'_>, &mut Sink<'_>)),
    /// One object of a body, and the headers of a response.
    Presence(
        fn(&LocatedValue<'_>, &mut Sink<'_>),
        fn(&HeadersSeen<'_>, &mut Sink<'_>),
    ),
    /// One location of a body, or of the value of a header.
    Location(fn(&LocatedValue<'_>, &mut Sink<'_>)),
    /// Where a list shows a created record or what an update sent, and a write that reached records which it did not
    /// name.
    Placement(
        fn(&CreatedObservation<'_>, &mut Sink<'_>),
        fn(&UpdateObservation<'_>, &mut Sink<'_>),
        fn(&StrayWrite<'_>, &mut Sink<'_>),
    ),
    /// A created record looked for in its list.
    CreatedObservation(fn(&CreatedObservation<'_>, &mut Sink<'_>)),
    /// What a read or a list shows of a record that the run created, updated or deleted, what a rejected write did all
    /// the same, a write that reached records which it did not name, and an exchange as a whole, including that of an
    /// edge case.
    Record(
        fn(&RecordShown<'_>, &mut Sink<'_>),
        fn(&StoredDespiteRejection<'_>, &mut Sink<'_>),
        fn(&StrayWrite<'_>, &mut Sink<'_>),
        fn(&ExchangeSeen<'_>, &mut Sink<'_>),
    ),
    /// An exchange as a whole, where the request is not an edge case, and what a rejected write did all the same.
    Access(
        fn(&ExchangeSeen<'_>, &mut Sink<'_>),
        fn(&StoredDespiteRejection<'_>, &mut Sink<'_>),
    ),
    /// What a rejected write did all the same: a record that shows what it sent, or that it has deleted.
    StoredDespiteRejection(fn(&StoredDespiteRejection<'_>, &mut Sink<'_>)),
    /// A walk over the pages of a list, and an exchange as a whole, including that of an edge case.
    Walk(fn(&Walk, &mut Sink<'_>), fn(&ExchangeSeen<'_>, &mut Sink<'_>)),
}

/// One comparison, at the three locations where what was sent appears.
pub(super) struct Comparison {
    /// In the response to a create.
    pub(super) in_response: fn(&Creation<'_>, &mut Sink<'_>),
    /// In the list, after a create.
    pub(super) listed: fn(&CreatedObservation<'_>, &mut Sink<'_>),
    /// In the list, after an update.
    pub(super) updated: fn(&UpdateObservation<'_>, &mut Sink<'_>),
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Rule")
            .field("name", &self.name)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
