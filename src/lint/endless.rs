//! Finds schemas that contain themselves at the same location, by way of `allOf`, `oneOf`, `anyOf` and references
//! alone: checking a value against one would never end.

use std::collections::{HashMap, HashSet};

use super::{Findings, LintRule, LocatedNode};
use crate::contract::document::{Document, Node};
use crate::contract::openapi::{Visited, referred_pointer, visit_objects};

/// For each schema, by pointer, those that apply to the same value.
type Edges<'graph> = HashMap<&'graph str, Vec<&'graph str>>;

/// For each schema with others that apply to the same value, these: by reference, `allOf`, `oneOf` or `anyOf`.
#[derive(Default)]
struct Graph {
    /// By the schema's pointer.
    applied_with: HashMap<String, Vec<String>>,
    /// These schemas in the order of the file.
    order: Vec<String>,
}

/// Reports the schemas that are composed of themselves.
pub(super) fn check(document: &Document, findings: &mut Findings) {
    let mut graph = Graph::default();
    visit_objects(document, &mut |visited, node, pointer| {
        if visited == Visited::Object("schema") {
            graph.add(node, pointer);
        }
    });
    let cyclic = graph.cyclic();
    for pointer in graph.order.iter().filter(|pointer| cyclic.contains(pointer.as_str())) {
        // A reference in a cycle is not reported itself; the schema that it leads to is. A reference that only leads to
        // references is a defect already.
        let Some(node) = document.node(pointer).filter(|node| referred_pointer(node).is_none()) else {
            continue;
        };
        let at = LocatedNode {
            document,
            node,
            pointer,
        };
        let message = "this schema is composed of itself, with no property or element between; name another schema";
        findings.add_at(&at, "", LintRule::EndlessSchema, message.to_owned());
    }
}

impl Graph {
    fn add(&mut self, node: &Node, pointer: &str) {
        let mut targets: Vec<_> = referred_pointer(node).into_iter().collect();
        let choices: &[&str] = if targets.is_empty() {
            &["allOf", "oneOf", "anyOf"]
        } else {
            &[]
        };
        for choice in choices {
            targets.extend(node.locations_in(pointer, choice));
        }
        // What applies with nothing else leads nowhere, and most schemas are like that.
        if targets.is_empty() {
            return;
        }
        self.applied_with.insert(pointer.to_owned(), targets);
        self.order.push(pointer.to_owned());
    }

    /// Returns the schemas that lead back to themselves: those with an edge to a schema of their own strongly connected
    /// component.
    fn cyclic(&self) -> HashSet<&str> {
        let edges: Edges<'_> = self
            .applied_with
            .iter()
            .map(|(from, targets)| (from.as_str(), targets.iter().map(String::as_str).collect()))
            .collect();
        let components = components(&edges);
        let is_cyclic = |from: &str| {
            let targets = edges.get(from).into_iter().flatten();
            let mut components_of_targets = targets.map(|target| components.get(target));
            components_of_targets.any(|of_target| of_target == components.get(from))
        };
        edges.keys().copied().filter(|from| is_cyclic(from)).collect()
    }
}

/// Returns for each schema one that stands for its strongly connected component: it is the same for two schemas only if
/// each leads to the other. This is Kosaraju's algorithm, which is linear in the size of the document.
fn components<'graph>(edges: &Edges<'graph>) -> HashMap<&'graph str, &'graph str> {
    let mut reversed: Edges<'graph> = HashMap::new();
    for (from, targets) in edges {
        for target in targets {
            reversed.entry(target).or_default().push(from);
        }
    }
    let (mut finished, mut seen) = (Vec::new(), HashSet::new());
    for start in edges.keys() {
        visit(edges, start, &mut seen, &mut finished);
    }
    let mut components = HashMap::new();
    seen.clear();
    for start in finished.into_iter().rev() {
        let mut members = Vec::new();
        visit(&reversed, start, &mut seen, &mut members);
        components.extend(members.into_iter().map(|member| (member, start)));
    }
    components
}

/// Adds a schema and all that it leads to and that was not `seen` to `finished`, each after what it leads to. It keeps
/// its own stack, because a chain of schemas may be as long as the document.
fn visit<'graph>(
    edges: &Edges<'graph>,
    start: &'graph str,
    seen: &mut HashSet<&'graph str>,
    finished: &mut Vec<&'graph str>,
) {
    let mut open = Vec::new();
    if seen.insert(start) {
        open.push((start, 0));
    }
    while let Some((node, next)) = open.last_mut() {
        let target = edges.get(node).and_then(|targets| targets.get(*next));
        if let Some(target) = target {
            *next += 1;
            if seen.insert(target) {
                open.push((target, 0));
            }
        } else {
            finished.push(*node);
            open.pop();
        }
    }
}
