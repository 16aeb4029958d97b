//! The record of a run, from which every report is written: texts and numbers only. The main type is [`Record`];
//! [`record`] makes it.
//!
//! Its JSON Schema is derived from these types and checked in as `snapshots/report_schema.snap.json`. Where a serde
//! name differs from its field or variant, reports keep the name of earlier versions.
//!
//! [`Record`] holds the results of a run, and types such as [`FindingRecord`] are its parts. What the service stores is
//! called a record of the service, or a record that the run created.

mod make;
mod outcome;

use std::fmt;
use std::ops::Deref;

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

pub(in crate::report) use make::put_in_order;
pub use make::{RunContext, record};
pub(in crate::report) use outcome::{NOTHING_DECIDED, too_few};

use super::accepted::AcceptedDeviationRecord;
use super::excerpt::Excerpt;
use super::exchanges::ExchangeRecord;
use crate::contract::edge_case;
use crate::contract::shared_string::SharedString;
use crate::gaps::{Answer, Trial};
use crate::history::SearchExtent;
use crate::plan::ANOTHER_SHARD;
use crate::rules::{CHANGED_ANSWER, Level, RuleName, UNDOCUMENTED_FIELD, rule_of};
use crate::run::RequestCounts;

/// The version of the record's format. It increases when a reader of the older format would misread the newer one.
pub const VERSION: u32 = 2;

/// The verdict of a run on a service. It is called the outcome, because a verdict alone is that of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Facts were decided, and there is no finding at deny.
    Conforms,
    /// There is a finding at deny.
    DoesNotConform,
    /// Nothing could be judged, or less than was required.
    CouldNotJudge,
    /// The run was interrupted; what was judged so far is reported.
    Interrupted,
    /// The log of its writes could not be kept, so the run ended; what was judged so far is reported.
    #[serde(rename = "not-recorded")]
    WriteLogFailed,
}

impl Outcome {
    /// Whether the run could judge the service; if not, the record's reason says why.
    #[must_use]
    pub fn is_judged(self) -> bool {
        matches!(self, Self::Conforms | Self::DoesNotConform)
    }

    /// Returns the exit code: 0 conforms, 1 does not conform, 3 could not be judged, 4 the write log failed, 130
    /// interrupted.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Conforms => 0,
            Self::DoesNotConform => 1,
            Self::CouldNotJudge => 3,
            Self::Interrupted => 130,
            Self::WriteLogFailed => 4,
        }
    }
}

/// The one guess that explains many findings at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Cause")]
pub enum SuspectedCause {
    /// The target is a mock: it responds to creates with the same identifier again and again, and keeps nothing.
    Mock,
}

/// A run, as reported.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The version of this format, [`VERSION`]; a report in another one is rejected.
    pub report_version: u32,
    /// The version of the program that made the run.
    pub countersign: String,
    /// The verdict on the service.
    pub outcome: Outcome,
    /// The process's exit code.
    pub exit_code: u8,
    /// Why the service could not be judged; none if it was.
    pub reason: Option<String>,
    /// The contract.
    pub contract: ContractRecord,
    /// The target's origin: scheme, host, port.
    pub target: String,
    /// The path of the base URL, which precedes the path of every exchange; empty if there is none.
    pub base_path: String,
    /// Whether values of the target's data are shown; otherwise they are replaced by shapes.
    pub values_shown: bool,
    /// The seed of the choices that the run made; the same seed makes the same ones.
    pub seed: u64,
    /// When the run started, RFC 3339 in UTC.
    pub started_at: String,
    /// How long the run took, in milliseconds.
    pub duration_ms: u64,
    /// The verdicts.
    pub facts: Facts,
    /// The findings, the most urgent first.
    pub findings: Vec<FindingRecord>,
    /// The one guess that explains the findings, such as that the target is a mock; none if there is no such guess.
    #[serde(default, rename = "cause")]
    pub suspected_cause: Option<SuspectedCause>,
    /// The accepted deviations: the entries of the configuration, and what the run showed about them.
    #[serde(default)]
    pub accepted: Vec<AcceptedDeviationRecord>,
    /// The residue: what the run left, or may have left, in the target.
    pub residue: Vec<ResidueRecord>,
    /// The number of records that the run created and deleted.
    #[serde(default)]
    pub deleted: usize,
    /// The letters that mark what the run created, one for each shard; none if its plan has no writes.
    #[serde(default)]
    pub run_tags: Vec<String>,
    /// How far the run looked for residue at its end.
    #[serde(default, rename = "looked_through")]
    pub residue_search: SearchExtent,
    /// The records that showed the run tag at the end of the run and that no write explains (made by the target along
    /// with a create, or changed by mistake), and those that were there before the run and had changed after a write.
    #[serde(default, rename = "others")]
    pub unexplained_records: Vec<UnexplainedRecord>,
    /// The awkward values (valid, but often garbled by software) that the target rejected: the document leaves open
    /// which values are accepted.
    #[serde(default, rename = "not_taken")]
    pub rejected_values: Vec<RejectedValueRecord>,
    /// The number of requests sent, by kind.
    pub requests: RequestCounts,
    /// The operations of the contract, in its order.
    pub operations: Vec<OperationRecord>,
    /// The operations of the document that are left out, because the document is defective there: nothing about them is
    /// among the facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted_operations: Vec<OmittedOperationRecord>,
    /// The gaps: what the document leaves open; no response can break it.
    pub gaps: Vec<GapRecord>,
    /// What the exchanges showed about the gaps, by gap, operation and location. Where nothing is known about a gap,
    /// the answer has the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// The trials by which a run asked about the gaps, in the order in which they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
    /// Whether it was a run of `countersign learn`, whose purpose is the answers.
    #[serde(default, rename = "learned", skip_serializing_if = "std::ops::Not::not")]
    pub learns: bool,
    /// The exchanges, in the order in which they ended (in a merged report, by number): the first ones of the run, and
    /// each that showed a finding.
    pub exchanges: Vec<ExchangeRecord>,
    /// How many more exchanges there were.
    pub exchanges_left_out: u64,
    /// The recorded traffic that was judged, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<TrafficRecord>,
    /// The older contract with which this one was compared, if one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The shard, if the run was one of several: the facts of the other shards are undecided.
    pub shard: Option<ShardRecord>,
    /// The shards that this record was merged from, if it was merged from several reports.
    pub shards: Option<ShardsRecord>,
}

impl Record {
    /// Whether it is the record of recorded traffic alone. A shard that sent nothing was a run all the same.
    pub(in crate::report) fn is_traffic_only(&self) -> bool {
        self.traffic.is_some() && self.shards.is_none() && self.requests == RequestCounts::default()
    }

    /// Returns when the run ended; `None` if its start or its duration is not valid.
    pub(in crate::report) fn ended_at(&self) -> Option<DateTime<Utc>> {
        let started = DateTime::parse_from_rfc3339(&self.started_at).ok()?.to_utc();
        let lasted = TimeDelta::try_milliseconds(i64::try_from(self.duration_ms).ok()?)?;
        started.checked_add_signed(lasted)
    }
}

/// Recorded traffic that was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficRecord {
    /// The files.
    pub files: Vec<TrafficFileRecord>,
    /// How many exchanges passed a proxy.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proxied: u64,
    /// How many exchanges were judged.
    pub judged: u64,
    /// Why others were not judged, and how many.
    pub not_judged: Vec<NotJudgedRecord>,
    /// Its verdict on the service, if it was added to the reports of shards: theirs is decided again with each further
    /// report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<OutcomeRecord>,
}

/// A verdict on the service, and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeRecord {
    /// The verdict.
    pub outcome: Outcome,
    /// Why the service could not be judged; none if it was.
    pub reason: Option<String>,
}

impl OutcomeRecord {
    /// Returns the verdict of a record.
    pub(in crate::report) fn of(record: &Record) -> Self {
        Self {
            outcome: record.outcome,
            reason: record.reason.clone(),
        }
    }
}

/// Whether a count is left out of the JSON report.
pub(in crate::report) fn is_zero<N: Default + PartialEq>(count: &N) -> bool {
    *count == N::default()
}

/// A file of recorded traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrafficFileRecord {
    /// Its name, as it was given.
    pub name: String,
    /// How many entries it has, as far as it was read.
    pub entries: u64,
    /// Why it was not read to its end.
    pub stopped: Option<String>,
}

/// Entries of recorded traffic that were not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotJudgedRecord {
    /// What they have in common: `went to another origin`.
    pub reason: String,
    /// How many there are.
    pub count: u64,
}

/// In which file an exchange was recorded, and where in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedIn {
    /// The file.
    pub file: String,
    /// The number of the entry in it, from 1.
    pub entry: u64,
}

/// One of several shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShardRecord {
    /// Its number, from 1.
    pub number: u32,
    /// How many shards there are.
    pub of: u32,
}

/// The shards that a record was merged from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShardsRecord {
    /// How many shards there are.
    pub of: u32,
    /// The shards that are present, in the order of their numbers.
    pub present: Vec<ShardEnded>,
    /// The numbers of the shards that are missing.
    pub missing: Vec<u32>,
}

/// How a shard ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShardEnded {
    /// Its number, from 1.
    pub number: u32,
    /// Its verdict on the service.
    pub outcome: Outcome,
    /// Why the service could not be judged; none if it was.
    pub reason: Option<String>,
}

/// An operation of the contract.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperationRecord {
    /// Its name, the document's `operationId`.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Its path, as written in the contract.
    pub path: String,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// The file of that line, where it is not the contract's own, but one that it refers to or an overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_file: Option<String>,
    /// Whether the run judged a successful response of it.
    #[serde(default)]
    pub coverage: Coverage,
    /// Why the run judged no successful response of it, if the operation was selected.
    #[serde(default)]
    pub unchecked: Option<String>,
}

/// An operation of the document that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OmittedOperationRecord {
    /// Its name, the document's `operationId`.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Its path, as written in the contract.
    pub path: String,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// The file of that line, where it is not the contract's own, but one that it refers to or an overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_file: Option<String>,
    /// The defect that it is left out for: file, line, column, pointer and problem.
    pub defect: String,
}

/// Whether a run judged a successful response of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// The run does not report on it: a flag excludes it, it is a write and the run only reads, another shard checks
    /// it, the ledger of `learn` settles what it answers, or recorded traffic does not have it.
    #[default]
    #[serde(alias = "left-out")]
    NotSelected,
    /// It was selected, but there was no successful response to judge, whether it was called or not.
    Unchecked,
    /// There was a successful response to judge.
    Checked,
}

/// Something that the document leaves open.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GapRecord {
    /// Its stable name.
    pub id: String,
    /// The open question, in one sentence.
    pub question: String,
    /// Whether the document itself says that it does not show this; otherwise it does not mention it.
    pub stated: bool,
    /// The locations in the contract that it concerns.
    pub locations: Vec<LocationRecord>,
}

/// A location in the contract.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LocationRecord {
    /// The JSON pointer (RFC 6901).
    pub pointer: String,
    /// The line in the contract's file, from 1.
    pub line: u32,
    /// The file of that line, where it is not the contract's own, but one that it refers to or an overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The contract of a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContractRecord {
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
}

/// The verdicts of a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// How many facts the contract has.
    pub total: usize,
    /// How many held.
    pub held: usize,
    /// How many are broken.
    pub broken: usize,
    /// How many are undecided.
    pub undecided: usize,
    /// Each fact with its verdict.
    pub rows: Vec<FactRow>,
}

impl Facts {
    /// Counts the rows.
    pub(super) fn of(rows: Vec<FactRow>) -> Self {
        let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
        Self {
            total: rows.len(),
            held: count(VerdictRecord::Held),
            broken: count(VerdictRecord::Broken),
            undecided: count(VerdictRecord::Undecided),
            rows,
        }
    }
}

// There may be a hundred thousand rows, so they share their texts with the contract.
/// One fact and its verdict.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FactRow {
    /// The fact's name.
    #[schemars(with = "String")]
    pub fact: SharedString,
    /// Its operation.
    #[schemars(with = "String")]
    pub operation: SharedString,
    /// The rule that judges it.
    #[schemars(with = "String")]
    pub rule: RuleName,
    /// What the contract states.
    #[schemars(with = "String")]
    pub documented: SharedString,
    /// Where the contract states it, as a JSON pointer.
    #[schemars(with = "String")]
    pub contract_pointer: SharedString,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// The file of that line, where it is not the contract's own, but one that it refers to or an overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub contract_file: Option<SharedString>,
    /// Its verdict.
    pub verdict: VerdictRecord,
    /// Why it is undecided; none if it is not.
    #[schemars(with = "Option<String>")]
    pub reason: Option<WhyUndecided>,
    /// Whether the older contract of `since` does not state it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
}

impl FactRow {
    /// Whether the fact is about edge cases.
    #[must_use]
    pub fn is_of_edge_cases(&self) -> bool {
        let judges = |kind| self.rule.rule().is_some_and(|rule| rule.name == rule_of(kind).name);
        edge_case::FACT_KINDS.into_iter().any(judges) && edge_case::is_stated_at(&self.contract_pointer)
    }

    /// Whether the fact is undecided because another shard checks it.
    #[must_use]
    pub fn is_of_another_shard(&self) -> bool {
        matches!(self.reason, Some(WhyUndecided::AnotherShard))
    }
}

/// Why a fact is undecided. In JSON, it is a string.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "SharedString")]
pub enum WhyUndecided {
    /// Another shard checks it.
    AnotherShard,
    /// Any other reason.
    Because(SharedString),
}

impl Deref for WhyUndecided {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::AnotherShard => ANOTHER_SHARD,
            Self::Because(reason) => reason,
        }
    }
}

impl fmt::Display for WhyUndecided {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

impl<T: Into<SharedString>> From<T> for WhyUndecided {
    fn from(text: T) -> Self {
        let text = text.into();
        if text == ANOTHER_SHARD {
            Self::AnotherShard
        } else {
            Self::Because(text)
        }
    }
}

impl Serialize for WhyUndecided {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictRecord {
    /// Responses showed that the fact holds, and none broke it.
    Held,
    /// A response broke it.
    Broken,
    /// No response decided it.
    Undecided,
}

/// A finding.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FindingRecord {
    /// The rule.
    #[schemars(with = "String")]
    pub rule: RuleName,
    /// Its level in this run.
    pub level: Level,
    /// The operation.
    pub operation: String,
    /// The fact.
    pub fact: String,
    /// Where in the response, as a JSON pointer (RFC 6901); empty for the whole response. `header X-Total` is a header,
    /// and what follows its name a pointer into its value.
    pub response_pointer: String,
    /// Where the contract states the fact, as a JSON pointer.
    pub contract_pointer: String,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// The file of that line, where it is not the contract's own, but one that it refers to or an overlay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_file: Option<String>,
    /// The lines of the contract that state the fact.
    pub excerpt: Excerpt,
    /// What the contract states.
    pub documented: String,
    /// What was received instead, as a shape unless values are shown.
    pub received: String,
    /// The fields of an error's body that say what is wrong, as shapes unless values are shown; none if the finding is
    /// not about a status, or the body says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_body: Option<String>,
    /// How often it was seen.
    pub count: u64,
    /// A command line that reproduces it; it takes the token from `$COUNTERSIGN_TOKEN`.
    pub reproduce: String,
    /// The number of the exchange that showed it first or, if several showed it together, of the last of them; none if
    /// it is not known.
    pub exchange: Option<u64>,
    /// The file and the entry in which that exchange was recorded, if recorded traffic was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_in: Option<RecordedIn>,
    /// Whether the older contract of `since` does not state the fact.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
}

impl FindingRecord {
    /// Returns the file of the contract that states the fact.
    #[must_use]
    pub fn file<'record>(&'record self, contract: &'record ContractRecord) -> &'record str {
        self.contract_file.as_deref().unwrap_or(&contract.file)
    }

    /// Returns where the fact is stated, for a report that names the contract elsewhere: `line 7`, with the file if it
    /// is another.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.contract_file {
            Some(file) => format!("line {} of {file}", self.contract_line),
            None => format!("line {}", self.contract_line),
        }
    }

    /// Whether what is broken was learned about the service, and is not stated by the document.
    pub(in crate::report) fn is_learned(&self) -> bool {
        self.rule.is(CHANGED_ANSWER)
    }

    /// Returns the name of the undocumented field, if the finding is about one and names it; otherwise an empty string.
    /// It distinguishes findings of one rule on one fact.
    #[must_use]
    pub fn undocumented_field(&self) -> &str {
        let is_named = self.rule.is(UNDOCUMENTED_FIELD);
        let (_, name) = self.response_pointer.rsplit_once('/').unwrap_or_default();
        // The placeholder for a name that may not be shown begins with `<`.
        if is_named && !name.starts_with('<') { name } else { "" }
    }
}

/// Something that a write left, or may have left, in the target.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResidueRecord {
    /// The operation that created it.
    pub operation: String,
    /// Its identifier, as a shape if it may be personal data, such as an email address; none if no response showed one.
    pub id: Option<String>,
    /// Whether the contract says where a response shows the identifier; otherwise it cannot be read.
    #[serde(default = "id_stated_by_default")]
    pub id_stated: bool,
    /// Whether the run made the identifier up: an update that named no record may have created one.
    #[serde(default)]
    pub id_made_up: bool,
    /// Whether a response arrived; without one it is unknown whether anything was created.
    pub answered: bool,
    /// The status of the response; none if none arrived.
    #[serde(default)]
    pub status: Option<u16>,
    /// Whether a list showed it, at the end of the run or before; none if no list did and the search did not see all of
    /// its list, or could not have recognised it there.
    #[serde(default)]
    pub found: Option<bool>,
}

/// A record of the service that none of the run's creates returned, and that a write may have made or changed: it shows
/// the run tag, or it was there before the run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OtherRecord")]
pub struct UnexplainedRecord {
    /// The list that shows it.
    pub list: String,
    /// Its identifier, as a shape if it may be personal data, such as an email address; none if it has none.
    pub id: Option<String>,
    /// The operation after whose first request it had changed, if it was there before the run; none if it shows the run
    /// tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<String>,
    /// Whether its list showed it before the run wrote anything: then it is not the run's own, whatever it shows now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub existed: bool,
}

/// An awkward value that an operation rejected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NotTakenRecord")]
pub struct RejectedValueRecord {
    /// The operation.
    pub operation: String,
    /// What is awkward about the value, in words; the value itself is not kept.
    pub value: String,
    /// The status that rejected it.
    pub status: u16,
}

/// The value for reports of earlier versions, which do not have the field.
fn id_stated_by_default() -> bool {
    true
}
