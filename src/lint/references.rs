//! Finds references to something other than what belongs there, such as one from a schema to a parameter.

use std::collections::HashMap;

use super::{Findings, LintRule, LocatedNode};
use crate::contract::document::Document;
use crate::contract::openapi::{Visited, referred_pointer, visit_objects};

/// Reports the references whose target is an object of another kind.
pub(super) fn check(document: &Document, findings: &mut Findings) {
    let mut references = Vec::new();
    visit_objects(document, &mut |visited, node, pointer| {
        if let (Visited::Object(kind), Some(target)) = (visited, referred_pointer(node)) {
            references.push((pointer.to_owned(), kind, target));
        }
    });
    let mut kinds: HashMap<&str, Option<&str>> =
        references.iter().map(|(.., target)| (target.as_str(), None)).collect();
    visit_objects(document, &mut |visited, _, pointer| {
        if let (Visited::Object(kind), Some(known)) = (visited, kinds.get_mut(pointer)) {
            *known = Some(kind);
        }
    });
    for (pointer, kind, target) in &references {
        // From OpenAPI 3.1 on, `#` is the schema itself below one with `$id`, which the reader leaves out.
        if target.is_empty() && *kind == "schema" && document.was_later_than_3_0() {
            continue;
        }
        // What OpenAPI does not define may be anything.
        let Some(other) = kinds
            .get(target.as_str())
            .copied()
            .flatten()
            .filter(|other| other != kind)
        else {
            continue;
        };
        let Some(node) = document.node(pointer) else { continue };
        let at = LocatedNode {
            document,
            node,
            pointer,
        };
        let message = format!("this refers to the {other} `#{target}`, where a {kind} belongs; correct the reference");
        findings.add_at(&at, "$ref", LintRule::Reference, message);
    }
}
