//! Where a contract leaves something open that exchanges may show: [`GapLocations`], made once for each run.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::contract::shape::{Shape, ShapeId};
use crate::contract::vocabulary::GapKind;
use crate::plan::Question;

/// Where security schemes are in a contract.
const SCHEMES: &str = "/components/securitySchemes/";

/// A location that a gap concerns.
#[derive(Clone, Debug)]
pub(super) struct GapLocation {
    /// The index of the gap in the contract.
    pub(super) gap: usize,
    pub(super) kind: GapKind,
    /// The operation that it is about; `None` where it is about every one whose responses have the location.
    pub(super) operation: Option<OperationId>,
    pub(super) pointer: String,
    /// The operations that may show it.
    pub(super) operations: BTreeSet<OperationId>,
}

/// The index of a location in [`GapLocations::all`].
pub(super) type LocationId = usize;

/// Every location that a gap concerns and that a response may show something of.
#[derive(Debug, Default)]
pub(super) struct GapLocations {
    pub(super) all: Vec<GapLocation>,
    /// The locations that a value shows, by the index of its shape; empty where the contract leaves nothing open.
    of_shapes: Vec<Vec<LocationId>>,
    /// The locations that a whole response of an operation shows.
    of_operations: HashMap<OperationId, Vec<LocationId>>,
    /// The same, of one documented response alone, by its pointer.
    of_responses: HashMap<(OperationId, String), Vec<LocationId>>,
    /// Whether a shape has such a location, or contains one, by its index.
    relevant: Vec<bool>,
    /// The field of an item that says when it was created, by the list whose order is left open.
    pub(super) creation_time_field: HashMap<OperationId, String>,
    known: HashMap<(usize, Option<OperationId>, String), LocationId>,
}

impl GapLocations {
    pub(super) fn of(contract: &Contract) -> Self {
        let mut all = Self::default();
        if contract.gaps.iter().all(|gap| gap.kind.is_none()) {
            return all;
        }
        all.of_shapes.resize_with(contract.shapes.len(), Vec::new);
        let gaps = contract.gaps.iter().enumerate();
        for (gap, kind, locations) in gaps.filter_map(|(index, gap)| Some((index, gap.kind?, &gap.locations))) {
            for location in locations {
                all.add_whole_responses(contract, (gap, kind), location);
            }
        }
        for id in contract.operation_ids() {
            for root in contract
                .operation(id)
                .responses
                .iter()
                .filter_map(|response| response.body)
            {
                all.add_values(contract, id, root);
            }
            all.add_page(contract, id);
            all.add_create(contract, id);
        }
        all.mark_relevant(contract);
        all
    }

    /// Returns the locations that a response of an operation shows as a whole, given the pointer of what documents it.
    pub(super) fn of_response(&self, operation: OperationId, pointer: Option<&str>) -> Vec<LocationId> {
        let documented = pointer.and_then(|pointer| self.of_responses.get(&(operation, pointer.to_owned())));
        let all = self.of_operations.get(&operation);
        all.into_iter().chain(documented).flatten().copied().collect()
    }

    /// Returns the location that a question is about, and adds it where it is new.
    pub(super) fn of_question(&mut self, question: &Question) -> LocationId {
        self.add(GapLocation {
            gap: question.gap,
            kind: question.kind,
            operation: Some(question.operation),
            pointer: question.location.clone(),
            operations: [question.operation].into(),
        })
    }

    /// Returns the location of a gap that is about a field of a create, and adds it where it is new.
    pub(super) fn of_create(&mut self, gap: usize, create: OperationId, location: String) -> LocationId {
        self.add(GapLocation {
            gap,
            kind: GapKind::SideEffect,
            operation: Some(create),
            pointer: location,
            operations: [create].into(),
        })
    }

    /// Returns the locations that a value of this shape shows.
    pub(super) fn of_value(&self, shape: ShapeId) -> &[LocationId] {
        self.of_shapes.get(shape.0).map_or(&[], Vec::as_slice)
    }

    /// Whether a value of this shape shows a location, or contains one that does.
    pub(super) fn is_relevant(&self, shape: ShapeId) -> bool {
        self.relevant.get(shape.0).is_some_and(|relevant| *relevant)
    }

    /// Adds a location once.
    fn add(&mut self, location: GapLocation) -> LocationId {
        let key = (location.gap, location.operation, location.pointer.clone());
        let id = *self.known.entry(key).or_insert(self.all.len());
        match self.all.get_mut(id) {
            Some(known) => known.operations.extend(location.operations),
            None => self.all.push(location),
        }
        id
    }

    /// Adds a location of a gap, if it is an operation, one of its responses, or a security scheme.
    fn add_whole_responses(&mut self, contract: &Contract, (gap, kind): (usize, GapKind), location: &str) {
        let of_operations = |operation, operations: BTreeSet<OperationId>| GapLocation {
            gap,
            kind,
            operation,
            pointer: location.to_owned(),
            operations,
        };
        if kind == GapKind::Challenge && location.starts_with(SCHEMES) {
            let secured = contract.operation_ids();
            let secured = secured.filter(|id| contract.operation(*id).security.scheme().is_some());
            let secured: BTreeSet<_> = secured.collect();
            let id = self.add(of_operations(None, secured.clone()));
            for operation in secured {
                self.of_operations.entry(operation).or_default().push(id);
            }
            return;
        }
        for operation in contract.operation_ids() {
            let documented = contract.operation(operation);
            let is_response = documented.responses.iter().any(|response| response.pointer == location);
            if documented.pointer == location && is_of_operations(kind) {
                let id = self.add(of_operations(Some(operation), [operation].into()));
                self.of_operations.entry(operation).or_default().push(id);
            } else if is_response && is_of_responses(kind) {
                let id = self.add(of_operations(Some(operation), [operation].into()));
                let response = (operation, location.to_owned());
                self.of_responses.entry(response).or_default().push(id);
            }
        }
    }

    /// Adds the locations that values in a body of this shape show.
    fn add_values(&mut self, contract: &Contract, operation: OperationId, root: ShapeId) {
        let (mut pending, mut seen) = (vec![root], HashSet::from([root]));
        while let Some(id) = pending.pop() {
            let shape = contract.shape(id);
            for here in &shape.gaps {
                let Some((gap, kind)) = kind_of(contract, here.gap.as_str()).filter(|(_, kind)| is_of_values(*kind))
                else {
                    continue;
                };
                let location = self.add(GapLocation {
                    gap,
                    kind,
                    operation: None,
                    pointer: here.location.to_string(),
                    operations: [operation].into(),
                });
                let of_shape = &mut self.of_shapes[id.0];
                if !of_shape.contains(&location) {
                    of_shape.push(location);
                }
            }
            pending.extend(below(shape).filter(|below| seen.insert(*below)));
        }
    }

    /// Adds what a page of a list shows: its size, and which field of an item says when it was created.
    fn add_page(&mut self, contract: &Contract, operation: OperationId) {
        let documented = contract.operation(operation);
        let (Some(_), Some(root)) = (&documented.page, documented.success_body()) else {
            return;
        };
        self.add_of_body(contract, operation, (root, GapKind::PageSize));
        let Some(item) = contract.item_shape(operation) else {
            return;
        };
        let orders = |id: ShapeId| {
            let mut gaps = contract.shape(id).gaps.iter();
            gaps.any(|here| kind_of(contract, here.gap.as_str()).is_some_and(|(_, kind)| kind == GapKind::ListOrder))
        };
        if let Some(field) = contract.shape(item).fields.iter().find(|field| orders(field.shape)) {
            self.creation_time_field.insert(operation, field.name.to_string());
        }
    }

    /// Adds what a create shows together with the list of its records: when it is listed.
    fn add_create(&mut self, contract: &Contract, operation: OperationId) {
        let root = contract.operation(operation).success_body();
        let (Some(_), Some(root)) = (contract.list_showing_created_by(operation), root) else {
            return;
        };
        self.add_of_body(contract, operation, (root, GapKind::VisibilityDelay));
    }

    /// Adds what a whole response of an operation shows, where its body names a gap of this kind.
    fn add_of_body(&mut self, contract: &Contract, operation: OperationId, (root, kind): (ShapeId, GapKind)) {
        for here in &contract.shape(root).gaps {
            let Some((gap, _)) = kind_of(contract, here.gap.as_str()).filter(|(_, known)| *known == kind) else {
                continue;
            };
            let id = self.add(GapLocation {
                gap,
                kind,
                operation: Some(operation),
                pointer: here.location.to_string(),
                operations: [operation].into(),
            });
            self.of_operations.entry(operation).or_default().push(id);
        }
    }

    /// Marks the shapes that have a location or contain one: everything else in a body is skipped.
    fn mark_relevant(&mut self, contract: &Contract) {
        let mut containing: HashMap<ShapeId, Vec<ShapeId>> = HashMap::new();
        for id in (0..contract.shapes.len()).map(ShapeId) {
            for inner in below(contract.shape(id)) {
                containing.entry(inner).or_default().push(id);
            }
        }
        let shapes = (0..contract.shapes.len()).map(ShapeId);
        let mut pending: Vec<_> = shapes.filter(|id| !self.of_value(*id).is_empty()).collect();
        self.relevant = vec![false; contract.shapes.len()];
        while let Some(id) = pending.pop() {
            if !std::mem::replace(&mut self.relevant[id.0], true) {
                pending.extend(containing.get(&id).into_iter().flatten());
            }
        }
    }
}

/// Returns the shapes of what a value contains.
fn below(shape: &Shape) -> impl Iterator<Item = ShapeId> + '_ {
    let fields = shape.fields.iter().map(|field| field.shape);
    fields.chain(shape.items).chain(shape.additional)
}

/// Returns the index and the kind of a gap.
fn kind_of(contract: &Contract, id: &str) -> Option<(usize, GapKind)> {
    let index = contract.gaps.iter().position(|gap| gap.id == id)?;
    Some((index, contract.gaps[index].kind?))
}

/// Whether whole responses show gaps of this kind that their operation names.
fn is_of_operations(kind: GapKind) -> bool {
    matches!(
        kind,
        GapKind::Compression
            | GapKind::Deprecation
            | GapKind::ErrorBody
            | GapKind::ErrorConditions
            | GapKind::Latency
            | GapKind::ListOrder
            | GapKind::SuccessStatus
    )
}

/// Whether whole responses show gaps of this kind that the documented response names.
fn is_of_responses(kind: GapKind) -> bool {
    matches!(
        kind,
        GapKind::Challenge | GapKind::ErrorBody | GapKind::SuccessStatus | GapKind::UpdateResponseBody
    )
}

/// Whether single values show gaps of this kind.
fn is_of_values(kind: GapKind) -> bool {
    matches!(
        kind,
        GapKind::DateFormat
            | GapKind::IdentifierForm
            | GapKind::MemberTypes
            | GapKind::NullValues
            | GapKind::TimestampForm
    )
}
