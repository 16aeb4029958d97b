//! The record arranged for the page: facts by operation, with the numbers that links use. The main type is [`View`].

use std::collections::{BTreeSet, HashMap};

use super::topics::FactTopic;
use crate::report::exchanges::ExchangeRecord;
use crate::report::record::{FactRow, FindingRecord, OperationRecord, Record, VerdictRecord};

/// A record, and where each part of it is on the page.
pub(super) struct View<'record> {
    /// The record.
    pub(super) record: &'record Record,
    /// The operations in the contract's order, followed by those that only a fact or an exchange names.
    pub(super) operations: Vec<OperationView<'record>>,
    /// Why facts are undecided, the most frequent reason first.
    pub(super) reasons: Vec<(&'record str, Vec<FactView<'record>>)>,
    facts: HashMap<&'record str, FactView<'record>>,
    operation_indexes: HashMap<&'record str, usize>,
    reason_indexes: HashMap<&'record str, usize>,
    exchanges: BTreeSet<u64>,
    at_fault: BTreeSet<u64>,
}

/// An operation, and what belongs to it.
pub(super) struct OperationView<'record> {
    /// Its number on the page.
    pub(super) number: usize,
    /// Its name.
    pub(super) name: &'record str,
    /// Its entry in the record's operations, if there is one.
    pub(super) record: Option<&'record OperationRecord>,
    /// Its facts.
    pub(super) facts: Vec<FactView<'record>>,
    /// Its exchanges, in the order in which they ended.
    pub(super) exchanges: Vec<&'record ExchangeRecord>,
}

/// A fact.
#[derive(Clone, Copy)]
pub(super) struct FactView<'record> {
    /// Its number on the page.
    pub(super) number: usize,
    /// Its topic.
    pub(super) topic: FactTopic,
    /// The fact.
    pub(super) row: &'record FactRow,
}

/// How many facts have each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VerdictCounts {
    /// Held.
    pub(super) held: usize,
    /// Broken.
    pub(super) broken: usize,
    /// Undecided.
    pub(super) undecided: usize,
}

impl<'record> View<'record> {
    /// Arranges a record.
    pub(super) fn of(record: &'record Record) -> Self {
        let mut operations = Operations::default();
        for operation in &record.operations {
            operations.named(&operation.name).record = Some(operation);
        }
        let (mut facts, mut reasons) = (HashMap::new(), Reasons::default());
        for (index, row) in record.facts.rows.iter().enumerate() {
            let fact = FactView {
                number: index + 1,
                topic: FactTopic::of(row),
                row,
            };
            operations.named(&row.operation).facts.push(fact);
            facts.entry(row.fact.as_str()).or_insert(fact);
            if row.verdict == VerdictRecord::Undecided {
                reasons.add(reason(row), fact);
            }
        }
        for exchange in &record.exchanges {
            operations.named(&exchange.operation).exchanges.push(exchange);
        }
        let reasons = reasons.most_frequent_first();
        let reason_indexes = reasons.iter().enumerate().map(|(index, (reason, _))| (*reason, index));
        Self {
            record,
            operations: operations.all,
            operation_indexes: operations.indexes,
            reason_indexes: reason_indexes.collect(),
            reasons,
            facts,
            exchanges: record.exchanges.iter().map(|exchange| exchange.number).collect(),
            at_fault: record.findings.iter().filter_map(|finding| finding.exchange).collect(),
        }
    }

    /// Returns the operation with this name.
    pub(super) fn operation(&self, name: &str) -> Option<&OperationView<'record>> {
        let index = self.operation_indexes.get(name)?;
        self.operations.get(*index)
    }

    /// Returns the fact that a finding is about.
    pub(super) fn fact(&self, finding: &FindingRecord) -> Option<FactView<'record>> {
        self.facts.get(finding.fact.as_str()).copied()
    }

    /// Whether the exchange with this number is on the page.
    pub(super) fn shows(&self, exchange: u64) -> bool {
        self.exchanges.contains(&exchange)
    }

    /// Whether a finding names the exchange with this number.
    pub(super) fn is_at_fault(&self, exchange: u64) -> bool {
        self.at_fault.contains(&exchange)
    }

    /// Returns the index of the reason why a fact is undecided.
    pub(super) fn reason(&self, fact: FactView<'record>) -> Option<usize> {
        let undecided = fact.row.verdict == VerdictRecord::Undecided;
        undecided
            .then(|| self.reason_indexes.get(reason(fact.row)).copied())
            .flatten()
    }

    /// Returns the topics that have a column: those with at least one fact.
    pub(super) fn topics(&self) -> Vec<FactTopic> {
        let present: BTreeSet<_> = self
            .operations
            .iter()
            .flat_map(|operation| &operation.facts)
            .map(|fact| fact.topic)
            .collect();
        FactTopic::ALL
            .into_iter()
            .filter(|topic| present.contains(topic))
            .collect()
    }
}

impl VerdictCounts {
    /// Counts facts by verdict.
    pub(super) fn of<'facts>(facts: impl Iterator<Item = &'facts FactView<'facts>>) -> Self {
        let mut counts = Self::default();
        for fact in facts {
            match fact.row.verdict {
                VerdictRecord::Held => counts.held += 1,
                VerdictRecord::Broken => counts.broken += 1,
                VerdictRecord::Undecided => counts.undecided += 1,
            }
        }
        counts
    }

    /// Returns the number of all facts.
    pub(super) fn total(self) -> usize {
        self.held + self.broken + self.undecided
    }
}

fn reason(row: &FactRow) -> &str {
    row.reason.as_deref().unwrap_or("no reason is given")
}

/// Operations in the order in which they were first named.
#[derive(Default)]
struct Operations<'record> {
    all: Vec<OperationView<'record>>,
    indexes: HashMap<&'record str, usize>,
}

impl<'record> Operations<'record> {
    fn named(&mut self, name: &'record str) -> &mut OperationView<'record> {
        let index = *self.indexes.entry(name).or_insert(self.all.len());
        if index == self.all.len() {
            self.all.push(OperationView {
                number: index + 1,
                name,
                record: None,
                facts: Vec::new(),
                exchanges: Vec::new(),
            });
        }
        &mut self.all[index]
    }
}

/// Undecided facts by reason, in the order in which the reasons first appeared.
#[derive(Default)]
struct Reasons<'record> {
    all: Vec<(&'record str, Vec<FactView<'record>>)>,
    indexes: HashMap<&'record str, usize>,
}

impl<'record> Reasons<'record> {
    fn add(&mut self, reason: &'record str, fact: FactView<'record>) {
        let index = *self.indexes.entry(reason).or_insert(self.all.len());
        if index == self.all.len() {
            self.all.push((reason, Vec::new()));
        }
        self.all[index].1.push(fact);
    }

    fn most_frequent_first(mut self) -> Vec<(&'record str, Vec<FactView<'record>>)> {
        self.all.sort_by_key(|(_, facts)| std::cmp::Reverse(facts.len()));
        self.all
    }
}
