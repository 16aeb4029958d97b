//! The differences in SARIF 2.1.0: each at its line of the new document, with that of the old one as a related
//! location.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{sentence, short};
use crate::diff::{DanglingReference, Diff, Difference, DocumentLocation, DocumentName, Kind, Meaning};
use crate::exchange::sanitize::json_text;
use crate::report::sarif::{SCHEMA, artifact, plain};

/// Returns the differences as a SARIF file that ends in a newline.
#[must_use]
pub fn diff_sarif(diff: &Diff) -> String {
    let rules = Kind::ALL
        .iter()
        .map(|kind| json!({ "id": kind.name(), "shortDescription": { "text": kind.summary() } }));
    let mut invocation = json!({ "executionSuccessful": true });
    if diff.dangling_references.count() > 0 {
        invocation["toolExecutionNotifications"] = dangling_references(diff);
    }
    let results = diff.differences.iter().map(|difference| result(diff, difference));
    json_text(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "countersign diff",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Value>(),
            }},
            "invocations": [invocation],
            "columnKind": "utf16CodeUnits",
            "results": results.collect::<Value>(),
            "properties": { "release": diff.release() },
        }],
    }))
}

/// Returns a notification for each reference behind which nothing could be compared.
fn dangling_references(diff: &Diff) -> Value {
    let dangling = &diff.dangling_references;
    let old = dangling.old.iter().map(|reference| (&diff.old, reference));
    let new = dangling.new.iter().map(|reference| (&diff.new, reference));
    let notification = |(document, reference): (&DocumentName, &DanglingReference)| {
        let text = format!("nothing could be compared behind {}", short(&reference.target));
        json!({
            "level": "warning",
            "message": { "text": plain(&text) },
            "locations": [physical_location(document, &reference.location)],
        })
    };
    old.chain(new).map(notification).collect()
}

fn result(diff: &Diff, difference: &Difference) -> Value {
    let level = match difference.meaning {
        Meaning::Breaking => "error",
        Meaning::Compatible => "note",
        Meaning::Unclear => "warning",
    };
    let operation = difference
        .operation
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let text = match operation.as_str() {
        "" => sentence(difference),
        operation => format!("{operation}: {}", sentence(difference)),
    };
    let rule_index = Kind::ALL.iter().position(|kind| *kind == difference.kind);
    let fingerprint = [difference.kind.name(), &operation, &difference.sentence].join(" ");
    let suppressions = difference
        .accepted
        .iter()
        .map(|accepted| json!({ "kind": "external", "status": "accepted", "justification": accepted.reason }));
    json!({
        "ruleId": difference.kind.name(),
        "ruleIndex": rule_index,
        "level": level,
        "message": { "text": plain(&text) },
        "locations": [physical_location(&diff.new, &difference.new)],
        "relatedLocations": [related(&diff.old, &difference.old)],
        "suppressions": suppressions.collect::<Value>(),
        "partialFingerprints": BTreeMap::from([("countersignDifference/v1", fingerprint)]),
        "properties": {
            "operation": operation,
            "side": difference.side,
            "meaning": difference.meaning,
            "client": difference.client,
            "oldPointer": difference.old.pointer,
            "newPointer": difference.new.pointer,
        },
    })
}

fn physical_location(document: &DocumentName, location: &DocumentLocation) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": artifact(location.file.as_deref().unwrap_or(&document.file)),
        "region": { "startLine": location.line.max(1) },
    }})
}

fn related(document: &DocumentName, location: &DocumentLocation) -> Value {
    let mut related = physical_location(document, location);
    let what = if location.present {
        "in the old document"
    } else {
        "where the old document would have it"
    };
    if let Some(members) = related.as_object_mut() {
        members.insert("message".to_owned(), json!({ "text": what }));
    }
    related
}
