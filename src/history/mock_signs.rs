//! Recognises a target that accepts creates and keeps nothing: most likely a mock.
//!
//! # Design
//!
//! A service that loses records gives each its own identifier, and one that gives an identifier twice keeps the record.
//! So both are required: no list showed anything that the run sent, and two creates with different bodies got the same
//! identifier. That the identifier is listed proves nothing, because a mock may list its example. The findings stay as
//! they are; this names the cause of many of them.

use std::collections::HashMap;

use serde_json::Value;

use super::created::{CreatedRecord, ObservedRecord};
use super::history::History;
use crate::contract::operation::OperationId;
use crate::exchange::Digest;

/// What the lists have shown of the run's own records: whether some were kept, whether some were lost, and whether two
/// creates got the same identifier.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MockSigns {
    kept: bool,
    lost: bool,
    same_identifier: bool,
}

impl MockSigns {
    /// Whether creates are accepted, nothing is kept, and one identifier is repeated.
    fn indicate_mock(self) -> bool {
        !self.kept && self.lost && self.same_identifier
    }
}

impl History<'_> {
    /// Notes whether the target keeps what was sent, for the records that were looked for in a list: `shown` returns
    /// each as the list shows it. A list that was not seen completely proves nothing about the records that it did not
    /// show.
    pub(super) fn note_mock_signs<'seen>(
        &mut self,
        creations: &[CreatedRecord],
        is_complete: bool,
        shown: impl Fn(usize) -> Option<&'seen ObservedRecord>,
    ) {
        let run_tag = &self.run_tag;
        let is_tagged = |creation: &&CreatedRecord| creation.request.json().is_some_and(|body| run_tag.is_in(body));
        // A body without the run tag may be the contract's example, which a mock shows too, or may have nothing that
        // must be kept. So such records count only where no record of the list can carry the run tag.
        let any_tagged = creations.iter().any(|creation| is_tagged(&creation));
        let mut mock_signs = self.mock_signs;
        for (index, creation) in creations.iter().enumerate() {
            if any_tagged && !is_tagged(&creation) {
                continue;
            }
            let kept = shown(index).is_some_and(|seen| {
                if any_tagged {
                    run_tag.is_in(&seen.record)
                } else {
                    self.carries(creation, seen)
                }
            });
            mock_signs.kept |= kept;
            mock_signs.lost |= is_complete && !kept;
        }
        mock_signs.same_identifier |= self.has_same_identifier(creations);
        self.mock_signs = mock_signs;
    }

    /// Whether the target is a mock, judging by its lists until the end: the run tag in any of them, under any
    /// identifier, means that something was kept.
    pub(crate) fn is_mock(&self) -> bool {
        let residue_tracker = &self.residue_tracker;
        let found = || residue_tracker.residue.iter().any(|left| left.found == Some(true));
        self.mock_signs.indicate_mock() && residue_tracker.unexplained_records.is_empty() && !found()
    }

    /// Whether two creates of one operation with different bodies got the same identifier.
    fn has_same_identifier(&self, creations: &[CreatedRecord]) -> bool {
        let mut first: HashMap<(OperationId, Digest), Option<&Value>> = HashMap::new();
        creations.iter().any(|creation| {
            let invariant = self.contract.operation(creation.operation).invariants.created.as_ref();
            let id = invariant.and_then(|invariant| creation.identity.pointer(&invariant.id));
            id.filter(|id| !id.is_null()).is_some_and(|id| {
                let sent = creation.request.json();
                *first.entry((creation.operation, Digest::of(id))).or_insert(sent) != sent
            })
        })
    }
}
