//! The differences as JSON.

use serde::Serialize;

use crate::diff::{DanglingReferences, Diff, Difference, DocumentName, FactChanges, Meaning, Release};
use crate::exchange::sanitize::json_text;

/// The version of this format. It changes when programs that read the format must change too.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report<'diff> {
    countersign: &'static str,
    version: u32,
    old: &'diff DocumentName,
    new: &'diff DocumentName,
    release: Release,
    counts: MeaningCounts,
    differences: &'diff [Difference],
    facts: &'diff FactChanges,
    // The JSON report keeps an older name.
    #[serde(rename = "loose_references")]
    dangling_references: &'diff DanglingReferences,
}

#[derive(Serialize)]
struct MeaningCounts {
    breaking: usize,
    unclear: usize,
    compatible: usize,
    accepted: usize,
}

/// Returns the differences as JSON that ends in a newline.
#[must_use]
pub fn diff_json(diff: &Diff) -> String {
    json_text(&Report {
        countersign: env!("CARGO_PKG_VERSION"),
        version: VERSION,
        old: &diff.old,
        new: &diff.new,
        release: diff.release(),
        counts: MeaningCounts {
            breaking: diff.count(Meaning::Breaking),
            unclear: diff.count(Meaning::Unclear),
            compatible: diff.count(Meaning::Compatible),
            accepted: diff.differences.len() - diff.unaccepted().count(),
        },
        differences: &diff.differences,
        facts: &diff.facts,
        dangling_references: &diff.dangling_references,
    })
}
