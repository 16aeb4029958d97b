//! Finds the creates with a *chosen* identifier, which the caller picks in the path: `PUT /pets/{name}`, where nothing
//! else creates the pets that `GET /pets/{name}` reads. For an identifier that the caller picks in the body, see
//! `Contract::identifier_field`.
//!
//! # Design
//!
//! A `PUT` to a path that names no record creates that record (RFC 9110, section 9.3.4), and some documents use `POST`
//! for it. Such an operation is taken for a create only if the document leaves no other way to make the record: no
//! create's response shows an identifier for this path. The run chooses a name that contains its run tag, so the
//! request cannot name a record of anybody else: a service that only updates by this operation rejects it.

use std::collections::{HashMap, HashSet};

use super::document::{Document, Node, NodeKind};
use super::edge_case::ParameterKind;
use super::inferred::{MethodAndPath, RecordFinder, collection_name, comparable_path};
use super::link::{Link, LinkTarget};
use super::operation::{Method, Operation, OperationId, Parameter, ParameterLocation};
use super::query;
use super::shape::Shape;

/// The maximum length of a name that a run chooses.
const LONGEST_NAME: u64 = 30;

/// The minimum length of a name that a run chooses: that of its run tag.
const SHORTEST_NAME: u64 = 8;

/// Operations by method and path, with the names of the path's parameters left out.
type ByPath = HashMap<MethodAndPath, OperationId>;

/// Marks the creates whose callers choose the identifier, and returns the links that carry it to the other operations
/// on the record. `links` are those that the document states and those that were inferred so far.
pub(super) fn links(
    document: &Document,
    (operations, shapes): (&mut [Operation], &[Shape]),
    links: &[Link],
) -> Vec<Link> {
    let ids = (0..operations.len()).map(OperationId);
    let by_path: ByPath = ids
        .clone()
        .map(|id| ((operations[id.0].method, comparable_path(&operations[id.0].path)), id))
        .collect();
    let filled = Filled::by(operations, links);
    let chosen = |id| chosen_by_caller(document, (operations, shapes), (id, &by_path), &filled);
    let creates: Vec<_> = ids.filter_map(|id| Some((id, chosen(id)?))).collect();
    for (id, parameter) in &creates {
        operations[id.0].chosen = Some(*parameter);
    }
    let mut by_place: HashMap<String, Vec<(OperationId, usize)>> = HashMap::new();
    for (index, operation) in operations.iter().enumerate().filter(|_| !creates.is_empty()) {
        for number in 0..operation.parameters.len() {
            if let Some(place) = operation.path_to_parameter(number) {
                by_place.entry(place).or_default().push((OperationId(index), number));
            }
        }
    }
    let mut found = Vec::new();
    for (from, parameter) in creates {
        let create = &operations[from.0];
        let expression = format!("{}{}", Link::IN_REQUEST_PATH, create.parameters[parameter].name);
        let others = create
            .path_to_parameter(parameter)
            .and_then(|place| by_place.get(&place));
        for (to, number) in others.into_iter().flatten().filter(|(to, _)| *to != from) {
            found.push(Link {
                index: links.len() + found.len(),
                from,
                value_at: expression.clone(),
                to: *to,
                target: LinkTarget::Parameter(*number),
                pointer: create.pointer.clone(),
                inferred: true,
                guessed: false,
            });
        }
    }
    found
}

/// The paths up to the parameters that links fill, as [`Operation::path_to_parameter`] returns them.
struct Filled {
    /// Those that some link fills with a value from the response to a write.
    by_writes: HashSet<String>,
    /// Those that any link fills, by the operation.
    by_operation: HashSet<(OperationId, String)>,
}

impl Filled {
    fn by(operations: &[Operation], links: &[Link]) -> Self {
        let mut filled = Self {
            by_writes: HashSet::new(),
            by_operation: HashSet::new(),
        };
        for link in links.iter().filter(|link| !link.guessed) {
            let LinkTarget::Parameter(index) = &link.target else {
                continue;
            };
            if let Some(path) = operations[link.to.0].path_to_parameter(*index) {
                if !operations[link.from.0].is_read() {
                    filled.by_writes.insert(path.clone());
                }
                filled.by_operation.insert((link.to, path));
            }
        }
        filled
    }
}

/// Returns the index of the path parameter whose value the caller of a create chooses, if there is one without doubt.
fn chosen_by_caller(
    document: &Document,
    (operations, shapes): (&[Operation], &[Shape]),
    (id, by_path): (OperationId, &ByPath),
    filled: &Filled,
) -> Option<usize> {
    let operation = &operations[id.0];
    let at = |method, path: &str| by_path.get(&(method, path.to_owned()));
    let path = comparable_path(&operation.path);
    let may_create = match operation.method {
        Method::Post => !operation.is_query(),
        // Beside a `POST` to the same path, it updates.
        Method::Put => at(Method::Post, &path).is_none(),
        _ => false,
    };
    if !may_create || operation.has_invariants() || query::has_side_effect(document, operation) {
        return None;
    }
    let (collection, last) = operation.path.trim_end_matches('/').rsplit_once('/')?;
    let name = last.strip_prefix('{')?.strip_suffix('}')?;
    let parameter = operation
        .parameters
        .iter()
        .position(|parameter| parameter.is(ParameterLocation::Path, name))?;
    let is_create = |id: &&OperationId| operations[id.0].creates();
    // What a `POST` to the collection creates has an identifier that the service chooses, even if no response shows it.
    let is_made_otherwise = operation.method == Method::Put
        && at(Method::Post, &comparable_path(collection))
            .filter(is_create)
            .is_some();
    let read = *at(Method::Get, &path)?;
    let path_to_parameter = operation.path_to_parameter(parameter)?;
    let is_shown = operations[read.0]
        .successes()
        .filter_map(|response| response.body)
        .any(|body| {
            RecordFinder::new(shapes, collection_name(collection))
                .in_read(body, name)
                .is_some()
        });
    let is_chosen = takes_any_name(document, operation, &operation.parameters[parameter])
        && !collection_name(collection).starts_with('{')
        && !is_made_otherwise
        && !filled.by_writes.contains(&path_to_parameter)
        && !filled.by_operation.contains(&(id, path_to_parameter))
        && is_shown;
    is_chosen.then_some(parameter)
}

/// Whether a parameter admits any name that a run chooses.
fn takes_any_name(document: &Document, operation: &Operation, parameter: &Parameter) -> bool {
    let schema = parameter.schema.as_deref().and_then(|schema| document.node(schema));
    let bound = |key: &str| match schema.and_then(|schema| schema.member(key)).map(|node| &node.kind) {
        Some(NodeKind::Number(number)) => number.as_u64(),
        _ => None,
    };
    let is_text = schema.and_then(|schema| schema.member("type")).and_then(Node::string) == Some("string");
    is_text
        && ParameterKind::of(document, operation, parameter) == ParameterKind::FreeText
        && bound("maxLength").is_none_or(|most| most >= LONGEST_NAME)
        && bound("minLength").is_none_or(|least| least <= SHORTEST_NAME)
}
