//! Which defects concern which operation: those in it, in what its path item shares, and in what it refers to, directly
//! or not. The main type is [`Reach`].
//!
//! # Design
//!
//! A *region* is an operation, a part of its path item, or whatever a reference names, each with all that is below it.
//! References are edges between regions. Defects are carried along these edges backwards, so that each region is visited
//! once, however many operations refer to it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::defect::{Defect, Problem};
use super::document::{Document, Node, NodeKind};
use super::openapi::{near, target_of};
use super::operation::Method;
use super::pointer;

/// The defects that an operation cannot be checked with, by the regions that have or reach them.
pub(super) struct Reach<'defects> {
    document: &'defects Document,
    defects: &'defects [Defect],
    /// The indexes of the grave defects by their pointers.
    by_pointer: BTreeMap<&'defects str, usize>,
    /// The first defect that each region reaches.
    reached: HashMap<String, usize>,
}

impl<'defects> Reach<'defects> {
    /// Follows the references of these operations; each is given with its path item and its own pointer.
    pub(super) fn new<'operation>(
        document: &'defects Document,
        defects: &'defects [Defect],
        operations: impl Iterator<Item = (&'operation str, &'operation str)>,
    ) -> Self {
        let grave = defects
            .iter()
            .enumerate()
            .filter(|(_, defect)| !defect.problem.is_slight());
        let mut by_pointer = BTreeMap::new();
        for (index, defect) in grave {
            by_pointer.entry(defect.pointer.as_str()).or_insert(index);
        }
        let mut reach = Self {
            document,
            defects,
            by_pointer,
            reached: HashMap::new(),
        };
        if !reach.by_pointer.is_empty() {
            let roots = operations.flat_map(|(item, operation)| roots(document, item, operation));
            let graph = Graph::from(document, roots.collect());
            reach.carry(&graph);
        }
        reach
    }

    /// Returns the first defect that concerns the operation of this path, path item and pointer.
    pub(super) fn defect(&self, path: &str, item: &str, operation: &str) -> Option<&'defects Defect> {
        if self.by_pointer.is_empty() {
            return None;
        }
        let regions = roots(self.document, item, operation);
        let reached = regions.iter().filter_map(|region| self.reached.get(region)).copied();
        // What is wrong with the whole item is written at its path.
        let written = pointer::join("/paths", path);
        let reference = pointer::join(&written, "$ref");
        let above = ["/paths", &written, &reference, item];
        let above = above.into_iter().filter_map(|at| self.by_pointer.get(at)).copied();
        reached.chain(above).min().map(|index| &self.defects[index])
    }

    fn carry(&mut self, graph: &Graph) {
        let own = graph
            .regions
            .iter()
            .filter_map(|region| Some((self.own(region)?, region)));
        let mut own: Vec<_> = own.collect();
        own.sort_unstable();
        let mut pending: VecDeque<_> = own.into();
        while let Some((index, region)) = pending.pop_front() {
            if self.reached.contains_key(region) {
                continue;
            }
            self.reached.insert(region.clone(), index);
            let referring = graph.referring.get(region).into_iter().flatten();
            // The next ones come before those with a later defect.
            referring.for_each(|region| pending.push_front((index, region)));
        }
    }

    /// Returns the first defect in the region itself.
    fn own(&self, region: &str) -> Option<usize> {
        let below = format!("{region}/");
        let inside = self.by_pointer.range(below.as_str()..);
        let inside = inside
            .take_while(|(at, _)| at.starts_with(&below))
            .map(|(_, index)| *index);
        inside.chain(self.by_pointer.get(region).copied()).min()
    }
}

/// The regions that some operations reach, and which refer to which.
struct Graph {
    regions: Vec<String>,
    /// The regions that refer to each.
    referring: HashMap<String, Vec<String>>,
}

impl Graph {
    fn from(document: &Document, roots: Vec<String>) -> Self {
        let mut graph = Self {
            regions: Vec::new(),
            referring: HashMap::new(),
        };
        let mut seen: HashMap<String, ()> = HashMap::new();
        let mut pending = roots;
        while let Some(region) = pending.pop() {
            if seen.insert(region.clone(), ()).is_some() {
                continue;
            }
            let mut targets = Vec::new();
            if let Some(node) = document.node(&region) {
                references(node, &mut targets);
            }
            for target in targets {
                let referring = graph.referring.entry(target.clone()).or_default();
                referring.push(region.clone());
                pending.push(target);
            }
            graph.regions.push(region);
        }
        graph
    }
}

/// Collects the targets of the references in a value.
fn references(node: &Node, found: &mut Vec<String>) {
    match &node.kind {
        NodeKind::Object(_) => {
            found.extend(target_of(node));
            node.members().iter().for_each(|member| references(&member.node, found));
        }
        NodeKind::Array(elements) => elements.iter().for_each(|element| references(element, found)),
        _ => {}
    }
}

/// Returns the regions that an operation consists of: itself, what its path item shares with it, and how it is called.
fn roots(document: &Document, item: &str, operation: &str) -> Vec<String> {
    let mut roots = vec![operation.to_owned()];
    let members = document.node(item).map_or(&[][..], Node::members);
    let shared = members.iter().filter(|member| !is_nearly_a_method(&member.name));
    roots.extend(shared.map(|member| pointer::join(item, &member.name)));
    let mut security = pointer::join(operation, "security");
    if document.node(&security).is_none() {
        "/security".clone_into(&mut security);
        roots.push(security.clone());
    }
    let alternatives = document.node(&security).map_or(&[][..], Node::elements);
    let schemes = alternatives.iter().flat_map(Node::members);
    roots.extend(schemes.map(|scheme| pointer::join("/components/securitySchemes", &scheme.name)));
    roots
}

/// Whether this member of a path item is an operation, or is meant to be one.
fn is_nearly_a_method(name: &str) -> bool {
    Method::from_key(name).is_some() || near(name, Method::KEYS).is_some()
}

impl Problem {
    /// Whether an operation can be checked in spite of this: nothing that a response can break is lost.
    #[must_use]
    pub fn is_slight(&self) -> bool {
        match self {
            // The second operation is called by its method and path.
            Self::DuplicateOperation { .. } => true,
            Self::Missing { name, .. } => is_prose(name),
            Self::UnknownName { near, .. } => is_prose(near),
            _ => false,
        }
    }
}

fn is_prose(name: &str) -> bool {
    matches!(name, "description" | "summary" | "title")
}
