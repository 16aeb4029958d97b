//! What every report says: one record of a run, resolved to texts and numbers. The main type is [`Record`]; [`record`]
//! makes it.
//!
//! Its JSON Schema is derived from these types and checked in as `snapshots/report_schema.snap.json`.

mod make;
mod outcome;

use std::fmt;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

pub(in crate::report) use make::put_in_order;
pub use make::{RunFacts, record};
pub(in crate::report) use outcome::too_few;

use super::accepted::AcceptedRecord;
use super::excerpt::Excerpt;
use super::exchanges::ExchangeRecord;
use crate::contract::edge_case;
use crate::contract::texts::Text;
use crate::history::LookedThrough;
use crate::plan::ANOTHER_SHARD;
use crate::rules::{Level, RuleName, UNDOCUMENTED_FIELD};
use crate::run::Tally;

/// The version of the record's form. It grows when a reader of the older one would misread the newer.
pub const VERSION: u32 = 2;

/// What a run says of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Facts were decided, and there is no finding at deny.
    Conforms,
    /// There is a finding at deny.
    DoesNotConform,
    /// Nothing could be judged, or less than was required.
    CouldNotJudge,
    /// The run was interrupted; what was judged until then is here.
    Interrupted,
    /// The account of its writes could not be kept, so the run ended; what was judged until then is here.
    NotRecorded,
}

impl Outcome {
    /// Whether the run says something of the service; otherwise the record's reason says why not.
    #[must_use]
    pub fn is_judged(self) -> bool {
        matches!(self, Self::Conforms | Self::DoesNotConform)
    }

    /// The exit code: 0 conforms, 1 does not conform, 3 could not judge, 4 not recorded, 130 interrupted.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Conforms => 0,
            Self::DoesNotConform => 1,
            Self::CouldNotJudge => 3,
            Self::Interrupted => 130,
            Self::NotRecorded => 4,
        }
    }
}

/// What is behind many findings at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The target answers creates, the same identifier comes again, and nothing is kept.
    Mock,
}

/// A run, as reported.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The version of this form, [`VERSION`]; a report of another one is not read.
    pub report_version: u32,
    /// The version of the program that made the run.
    pub countersign: String,
    /// What the run says of the service.
    pub outcome: Outcome,
    /// The process's exit code.
    pub exit_code: u8,
    /// Why nothing could be judged, where that is so.
    pub reason: Option<String>,
    /// The contract.
    pub contract: ContractRecord,
    /// The target's origin: scheme, host, port.
    pub target: String,
    /// The path of the base URL, which stands before the path of every exchange; empty where there is none.
    pub base_path: String,
    /// Whether values of the target's data are shown as they are; otherwise as shapes.
    pub values_shown: bool,
    /// What choices were made by; the same seed makes the same ones.
    pub seed: u64,
    /// When the run started, RFC 3339 in UTC.
    pub started_at: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The verdicts.
    pub facts: Facts,
    /// What was found, what to fix first comes first.
    pub findings: Vec<FindingRecord>,
    /// What is behind the findings, where that can be said.
    #[serde(default)]
    pub cause: Option<Cause>,
    /// What was accepted beforehand, and what became of it.
    #[serde(default)]
    pub accepted: Vec<AcceptedRecord>,
    /// What the run may have left in the target; nothing can be deleted there.
    pub residue: Vec<ResidueRecord>,
    /// How far the run looked for that at its end.
    #[serde(default)]
    pub looked_through: LookedThrough,
    /// What else showed the run's tag then: what the target made beside a create, or what a write reached by mistake.
    #[serde(default)]
    pub others: Vec<OtherRecord>,
    /// The awkward values that the target rejected: the document leaves open which it takes.
    #[serde(default)]
    pub not_taken: Vec<NotTakenRecord>,
    /// What was sent.
    pub requests: Tally,
    /// The operations of the contract, in its order.
    pub operations: Vec<OperationRecord>,
    /// What the document leaves open; nothing was called broken over it.
    pub gaps: Vec<GapRecord>,
    /// The exchanges, in the order in which they ended: the first of a run, and each that showed a finding.
    pub exchanges: Vec<ExchangeRecord>,
    /// How many exchanges more there were.
    pub exchanges_left_out: u64,
    /// The shard that the run was, where it was one of several: the facts of the others are undecided.
    pub shard: Option<ShardRecord>,
    /// The shards that this was made of, where it was made of several reports.
    pub shards: Option<ShardsRecord>,
}

/// Which of several shards a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShardRecord {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

/// The shards that one record was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShardsRecord {
    /// How many there are.
    pub of: u32,
    /// Those that are here, by number.
    pub present: Vec<ShardEnded>,
    /// The numbers of those that are not.
    pub missing: Vec<u32>,
}

/// How a shard ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShardEnded {
    /// Its number, from 1.
    pub number: u32,
    /// What its run says of the service.
    pub outcome: Outcome,
    /// Why nothing could be judged, where that is so.
    pub reason: Option<String>,
}

/// An operation of the contract.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OperationRecord {
    /// Its name, the document's `operationId`.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Its path as the contract writes it.
    pub path: String,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// Whether the run had a success of it to judge.
    #[serde(default)]
    pub coverage: Coverage,
    /// Why it had none, where it was to have one.
    #[serde(default)]
    pub unchecked: Option<String>,
}

/// Whether a run had a success of an operation to judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// It was left out: by a flag, as a write of a run that only reads, or for another shard.
    #[default]
    LeftOut,
    /// It was in scope, and there was none.
    Unchecked,
    /// There was one.
    Checked,
}

/// Something that the document leaves open.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GapRecord {
    /// Its stable name.
    pub id: String,
    /// What nobody knows, in one sentence.
    pub question: String,
    /// Whether the document itself says that it does not show this; otherwise it is silent.
    pub stated: bool,
    /// The locations of the contract that it touches.
    pub locations: Vec<LocationRecord>,
}

/// A location in the contract.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LocationRecord {
    /// The JSON pointer (RFC 6901).
    pub pointer: String,
    /// The line in the contract's file, from 1.
    pub line: u32,
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
    /// How many responses kept.
    pub held: usize,
    /// How many a response broke.
    pub broken: usize,
    /// How many nothing decided.
    pub undecided: usize,
    /// Each fact.
    pub rows: Vec<FactRow>,
}

impl Facts {
    /// The rows, counted.
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

// There may be a hundred thousand rows, so their texts are those of the contract, shared.
/// One fact and its verdict.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FactRow {
    /// The fact's name.
    #[schemars(with = "String")]
    pub fact: Text,
    /// Its operation.
    #[schemars(with = "String")]
    pub operation: Text,
    /// The rule that judges it.
    #[schemars(with = "String")]
    pub rule: RuleName,
    /// What the contract states.
    #[schemars(with = "String")]
    pub documented: Text,
    /// Where in the contract, as a JSON pointer.
    #[schemars(with = "String")]
    pub contract_pointer: Text,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// Its verdict.
    pub verdict: VerdictRecord,
    /// Why it is undecided.
    #[schemars(with = "Option<String>")]
    pub reason: Option<WhyUndecided>,
}

impl FactRow {
    /// Whether the fact is stated of edge cases.
    #[must_use]
    pub fn is_of_edge_cases(&self) -> bool {
        edge_case::is_stated_at(&self.contract_pointer)
    }

    /// Whether it says nothing because another shard checks the fact.
    #[must_use]
    pub fn is_of_another_shard(&self) -> bool {
        matches!(self.reason, Some(WhyUndecided::AnotherShard))
    }
}

/// Why a fact is undecided; a text in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "Text")]
pub enum WhyUndecided {
    /// Another shard checks it.
    AnotherShard,
    /// For this reason.
    Because(Text),
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

impl<T: Into<Text>> From<T> for WhyUndecided {
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
    /// Responses kept the fact.
    Held,
    /// A response broke it.
    Broken,
    /// Nothing decided it.
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
    /// Where in the response, as a JSON pointer (RFC 6901); empty for the whole response.
    pub response_pointer: String,
    /// Where in the contract, as a JSON pointer.
    pub contract_pointer: String,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// The lines of the contract that it stands in.
    pub excerpt: Excerpt,
    /// What the contract states.
    pub documented: String,
    /// What came instead, as a shape.
    pub received: String,
    /// How often.
    pub count: u64,
    /// A `curl` line that shows it again; it takes the token from `$COUNTERSIGN_TOKEN`.
    pub reproduce: String,
    /// The number of the exchange that showed it first.
    pub exchange: Option<u64>,
}

impl FindingRecord {
    /// The name of the field that the document does not list, where the finding is about one and names it; else empty. It
    /// distinguishes findings of one rule on one fact.
    #[must_use]
    pub fn field(&self) -> &str {
        let is_named = self.rule.is(UNDOCUMENTED_FIELD);
        let (_, name) = self.response_pointer.rsplit_once('/').unwrap_or_default();
        // A name that is not shown begins so.
        if is_named && !name.starts_with('<') { name } else { "" }
    }
}

/// Something left in the target.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResidueRecord {
    /// The operation that created it.
    pub operation: String,
    /// Its identifier, as a shape where it may be somebody's address; none when no response showed one.
    pub id: Option<String>,
    /// Whether the contract says where a response shows the identifier; without it nobody can say.
    #[serde(default = "stated")]
    pub id_stated: bool,
    /// Whether a response came; without one nobody knows whether there is anything.
    pub answered: bool,
    /// The status of the response.
    #[serde(default)]
    pub status: Option<u16>,
    /// Whether the look at the end of the run showed it; none where that look did not see all of its list.
    #[serde(default)]
    pub found: Option<bool>,
}

/// A record that shows the run's tag, and that no create of the run answered with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct OtherRecord {
    /// The list that shows it.
    pub list: String,
    /// Its identifier, as a shape where it may be somebody's address; none where it has none.
    pub id: Option<String>,
}

/// Awkward values that an operation rejected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct NotTakenRecord {
    /// The operation.
    pub operation: String,
    /// What is awkward about the value.
    pub value: String,
    /// The status that rejected it.
    pub status: u16,
}

/// What a report means that is silent on it, as those of earlier versions are.
fn stated() -> bool {
    true
}
