//! Finds schemas that contain themselves at the same location, by way of `allOf`, `oneOf`, `anyOf` and references alone:
//! no value can be checked against them in the end.

use std::collections::HashMap;

use super::{At, Findings, LintRule};
use crate::contract::document::{Document, Node};
use crate::contract::openapi::{Visited, target_of, walk};
use crate::contract::pointer;

/// The schemas that apply where one of them applies.
#[derive(Default)]
struct Graph {
    /// What each schema applies in its place, by pointer.
    below: HashMap<String, Vec<String>>,
    /// The schemas in the order of the file.
    order: Vec<String>,
}

/// Reports the schemas that are composed of themselves.
pub(super) fn check(document: &Document, findings: &mut Findings) {
    let mut graph = Graph::default();
    walk(document, &mut |visited, node, pointer| {
        if visited == Visited::Object("schema") {
            graph.add(node, pointer);
        }
    });
    // What leads to no circle is removed in both directions, and the circles remain.
    let leading = cyclic(&graph.below);
    let mut above: HashMap<String, Vec<String>> = HashMap::new();
    for (from, targets) in graph
        .below
        .iter()
        .filter(|(from, _)| leading.contains_key(from.as_str()))
    {
        for target in targets.iter().filter(|target| leading.contains_key(target.as_str())) {
            above.entry(target.clone()).or_default().push(from.clone());
            above.entry(from.clone()).or_default();
        }
    }
    let circles = cyclic(&above);
    for pointer in graph
        .order
        .iter()
        .filter(|pointer| circles.contains_key(pointer.as_str()))
    {
        // References that lead to no schema at all are defects of their own.
        let Some(node) = document.node(pointer).filter(|node| target_of(node).is_none()) else {
            continue;
        };
        let at = At {
            document,
            node,
            pointer,
        };
        let message = "this schema is composed of itself, with no property or element between; name another schema";
        findings.at(&at, "", LintRule::EndlessSchema, message.to_owned());
    }
}

impl Graph {
    fn add(&mut self, node: &Node, pointer: &str) {
        let mut targets: Vec<_> = target_of(node).into_iter().collect();
        let choices: &[&str] = if targets.is_empty() {
            &["allOf", "oneOf", "anyOf"]
        } else {
            &[]
        };
        for choice in choices {
            let list = pointer::join(pointer, choice);
            let count = node.member(choice).map_or(0, |parts| parts.elements().len());
            targets.extend((0..count).map(|index| pointer::join(&list, &index.to_string())));
        }
        self.below.insert(pointer.to_owned(), targets);
        self.order.push(pointer.to_owned());
    }
}

/// Returns the nodes that lead to a circle, each with the number of its edges to others that do.
fn cyclic(edges: &HashMap<String, Vec<String>>) -> HashMap<&str, usize> {
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut reverse: HashMap<&str, Vec<&str>> = HashMap::new();
    for (from, targets) in edges {
        let known = targets.iter().filter(|target| edges.contains_key(*target));
        let known: Vec<_> = known.map(String::as_str).collect();
        open.insert(from, known.len());
        for target in known {
            reverse.entry(target).or_default().push(from);
        }
    }
    let mut ended: Vec<&str> = open
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(node, _)| *node)
        .collect();
    while let Some(node) = ended.pop() {
        open.remove(node);
        for from in reverse.get(node).into_iter().flatten() {
            if let Some(count) = open.get_mut(from) {
                *count -= 1;
                if *count == 0 {
                    ended.push(from);
                }
            }
        }
    }
    open
}
