//! Tells a target that answers creates and keeps nothing: a mock, most likely.
//!
//! # Design
//!
//! A service that loses records gives each an identifier of its own, and one that gives an identifier twice keeps the
//! record. So both are asked for: of all records that were looked for, none was kept, and two creates that sent different
//! bodies got one identifier. What is found stays as it is; this names the cause of much of it.

use std::collections::HashMap;

use serde_json::Value;

use super::history::Made;
use super::session::Session;
use super::walk::digest;
use crate::contract::operation::OperationId;

/// What became of the run's own records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keeping {
    kept: bool,
    lost: bool,
    same_identifier: bool,
}

impl Keeping {
    /// Whether creates are answered, nothing is kept, and one identifier comes again.
    pub(super) fn is_of_a_mock(self) -> bool {
        !self.kept && self.lost && self.same_identifier
    }
}

impl Session<'_> {
    /// Notes whether the records that were looked for in a list were kept. `kept` says it of each; a list that was not
    /// seen whole says nothing of those that it did not show.
    pub(super) fn note_keeping(&self, made: &[Made], whole: bool, kept: impl Fn(usize) -> bool) {
        let mut keeping = self.history.keeping.get();
        keeping.kept |= (0..made.len()).any(&kept);
        keeping.lost |= whole && (0..made.len()).any(|index| !kept(index));
        keeping.same_identifier |= self.has_same_identifier(made);
        self.history.keeping.set(keeping);
    }

    /// Whether two creates of one operation that sent different bodies were answered with one identifier.
    fn has_same_identifier(&self, made: &[Made]) -> bool {
        let mut first: HashMap<(OperationId, u64), Option<&Value>> = HashMap::new();
        made.iter().any(|made| {
            let law = self.contract.operation(made.operation).laws.created.as_ref();
            let id = law.and_then(|law| made.resource.pointer(&law.id));
            id.filter(|id| !id.is_null()).is_some_and(|id| {
                let sent = made.request.json();
                *first.entry((made.operation, digest(id))).or_insert(sent) != sent
            })
        })
    }
}
