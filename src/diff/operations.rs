//! Finds the operations that two documents share, and compares each. The main function is [`differences`].

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;
use indexmap::{IndexMap, IndexSet};

use super::answers::Answers;
use super::difference::{ClientEffect, Difference, DocumentLocation, Location, Meaning, OperationName, Side};
use super::kind::Kind;
use super::range::Relation;
use super::schemas::{FoundDifference, SchemaComparison, SchemaDifference, ValueEncoding, meaning, value_change};
use super::source::{LocatedNode, NOT_IN_THE_FILE, Source, reference};
use super::view::View;
use crate::contract::document::Document;
use crate::contract::operation::Method;

/// Returns every difference: those of the whole document, of each operation of the new document, then what was removed.
pub(super) fn differences(old: &Document, new: &Document, today: Option<NaiveDate>) -> Vec<Difference> {
    let answers = (&Answers::of(old), &Answers::of(new));
    let (old, new) = (Source::new(old), Source::new(new));
    let mut comparison = Comparison {
        old: &old,
        new: &new,
        answers,
        schemas: SchemaComparison::new(&old, &new),
        today,
        differences: IndexSet::new(),
        operation: None,
        callback: None,
    };
    comparison.document();
    comparison.operations();
    comparison.differences.into_iter().collect()
}

/// Two documents that are being compared.
pub(super) struct Comparison<'both> {
    pub(super) old: &'both Source<'both>,
    pub(super) new: &'both Source<'both>,
    /// The answers that the overlay of each states.
    pub(super) answers: (&'both Answers, &'both Answers),
    schemas: SchemaComparison<'both>,
    pub(super) today: Option<NaiveDate>,
    differences: IndexSet<Difference>,
    /// The operation that is being compared.
    operation: Option<OperationName>,
    /// The callback that is being compared, in which the service sends the request and the caller the response.
    pub(super) callback: Option<String>,
}

/// An operation of one document.
#[derive(Clone, Debug)]
pub(super) struct Operation<'document> {
    pub(super) method: Method,
    pub(super) path: &'document str,
    /// The path item, whose parameters apply too.
    pub(super) item: LocatedNode<'document>,
    pub(super) at: LocatedNode<'document>,
}

/// The same operation in both documents.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperationPair<'pair, 'both> {
    pub(super) old: &'pair Operation<'both>,
    pub(super) new: &'pair Operation<'both>,
}

impl<'both> Comparison<'both> {
    fn operations(&mut self) {
        let unresolved = self.unresolved_paths();
        let is_known = |operation: &Operation<'_>| !unresolved.contains(&template(operation.path));
        let (was, is) = (operations(self.old), operations(self.new));
        let (mut matched, index) = (vec![false; was.len()], Index::new(&was));
        for new in &is {
            let known = index.partner(&matched, new);
            self.operation = Some(OperationName::new(new.method, new.path));
            match known {
                Some(index) => {
                    matched[index] = true;
                    self.compare_operation(OperationPair { old: &was[index], new });
                }
                None if is_known(new) => self.added(new),
                None => {}
            }
        }
        let unmatched = was.iter().zip(matched).filter(|(_, matched)| !matched);
        for (old, _) in unmatched.filter(|(old, _)| is_known(old)) {
            self.operation = Some(OperationName::new(old.method, old.path));
            self.removed(old);
        }
        self.operation = None;
    }

    /// Reports paths that refer to something else and lead nowhere in one document, and returns all that lead nowhere:
    /// which operations they have there is not known.
    fn unresolved_paths(&mut self) -> HashSet<String> {
        let (was, is) = (path_items(self.old), path_items(self.new));
        let all: IndexSet<&String> = is.keys().chain(was.keys()).collect();
        let mut unresolved = HashSet::new();
        for template in all {
            let (old, new) = (was.get(template), is.get(template));
            let target = |item: Option<&(&'both str, LocatedNode<'both>)>| reference(item?.1.node);
            if target(old).is_none() && target(new).is_none() {
                continue;
            }
            unresolved.insert(template.clone());
            if let Some((path, _)) = new.or(old).filter(|_| target(old) != target(new)) {
                let location = |item: Option<&(&'both str, LocatedNode<'both>)>| {
                    item.map_or_else(
                        || Location::missing_from("/paths"),
                        |(_, at)| location_of_member(at, "$ref"),
                    )
                };
                self.refers_elsewhere(
                    Side::Operation,
                    &format!("the path `{path}`"),
                    (location(old), location(new)),
                );
            }
        }
        unresolved
    }

    /// Whether one of two parts is a reference that leads nowhere, so that there is nothing to compare. If they refer
    /// to different things, that is reported; `what` is what they describe.
    pub(super) fn is_unresolved(
        &mut self,
        side: Side,
        (old, new): (&LocatedNode<'both>, &LocatedNode<'both>),
        what: &str,
    ) -> bool {
        let (was, is) = (reference(old.node), reference(new.node));
        if was != is {
            let locations = (location_of_member(old, "$ref"), location_of_member(new, "$ref"));
            self.refers_elsewhere(side, what, locations);
        }
        was.is_some() || is.is_some()
    }

    /// Reports a reference that leads nowhere where the other document has none, or another.
    pub(super) fn refers_elsewhere(&mut self, side: Side, what: &str, locations: (Location, Location)) {
        let found = FoundDifference {
            kind: Kind::Reference,
            relation: Relation::Unclear(NOT_IN_THE_FILE),
            client: ClientEffect::None,
            text: format!("{what} refers to something else"),
        };
        self.emit(side, found, locations);
    }

    fn added(&mut self, new: &Operation<'both>) {
        let found = FoundDifference {
            kind: Kind::OperationAdded,
            relation: Relation::Harmless,
            client: ClientEffect::Minor,
            text: "the operation is new".to_owned(),
        };
        let above = self.old.at(&new.item.pointer).map_or("/paths", |_| &new.item.pointer);
        let locations = (Location::missing_from(above), Location::at(&new.at.pointer));
        self.emit(Side::Operation, found, locations);
    }

    fn removed(&mut self, old: &Operation<'both>) {
        let relation = self.removal(&old.at);
        let found = FoundDifference {
            kind: Kind::OperationRemoved,
            relation,
            client: ClientEffect::Major,
            text: "the operation is gone".to_owned(),
        };
        let above = self.new.at(&old.item.pointer).map_or("/paths", |_| &old.item.pointer);
        let locations = (Location::at(&old.at.pointer), Location::missing_from(above));
        self.emit(Side::Operation, found, locations);
    }

    /// What it means that something is gone, which the old document may have announced.
    pub(super) fn removal(&self, old: &LocatedNode<'both>) -> Relation {
        if !old.flag("deprecated") {
            return Relation::Different;
        }
        match (sunset(old), self.today) {
            (Some(day), Some(today)) if day < today => Relation::Harmless,
            (Some(_), Some(_)) => Relation::Different,
            (Some(_), None) => Relation::Unclear("it was deprecated, and whether its last day is over is not known"),
            (None, _) => Relation::Unclear("it was deprecated, and no day was given on which it ends"),
        }
    }

    fn compare_operation(&mut self, both: OperationPair<'_, 'both>) {
        self.operation_id(both);
        self.deprecation((&both.old.at, &both.new.at), Side::Operation, "the operation");
        self.servers_of(both);
        self.security(both);
        self.parameters(both);
        self.request_body(both);
        self.responses(both);
        self.invariants(both);
        self.answers(both);
        self.callbacks(both);
    }

    fn operation_id(&mut self, both: OperationPair<'_, 'both>) {
        let id = |at: &LocatedNode<'both>| at.string("operationId");
        let (was, is) = (id(&both.old.at), id(&both.new.at));
        if was == is {
            return;
        }
        let text = |id: Option<&str>| id.map(|id| format!("`{id}`"));
        let found = FoundDifference {
            kind: Kind::OperationId,
            relation: Relation::Harmless,
            client: ClientEffect::Major,
            text: format!("the operation {}", value_change("operationId", text(was), text(is))),
        };
        let locations = (
            location_of_member(&both.old.at, "operationId"),
            location_of_member(&both.new.at, "operationId"),
        );
        self.emit(Side::Operation, found, locations);
    }

    /// Compares whether something is deprecated, and until when it stays.
    pub(super) fn deprecation(
        &mut self,
        (old, new): (&LocatedNode<'both>, &LocatedNode<'both>),
        side: Side,
        what: &str,
    ) {
        let (was, is) = (old.flag("deprecated"), new.flag("deprecated"));
        let locations = (
            location_of_member(old, "deprecated"),
            location_of_member(new, "deprecated"),
        );
        if was != is {
            let verb = if is { "is now" } else { "is no longer" };
            let found = FoundDifference {
                kind: Kind::Deprecation,
                relation: Relation::Harmless,
                client: ClientEffect::None,
                text: format!("{what} {verb} deprecated"),
            };
            return self.emit(side, found, locations);
        }
        let relation = match (is, sunset(old), sunset(new)) {
            (true, Some(was), Some(is)) if is < was => Relation::Different,
            (true, Some(was), Some(is)) if is > was => Relation::Harmless,
            (true, None, Some(_)) => Relation::Harmless,
            (true, Some(_), None) => Relation::Unclear("it is still deprecated, and no day is given any longer"),
            _ => return,
        };
        let day =
            |day: Option<NaiveDate>| day.map_or_else(|| "no end date".to_owned(), |day| format!("the end date {day}"));
        let found = FoundDifference {
            kind: Kind::Sunset,
            relation,
            client: ClientEffect::None,
            text: format!("{what} had {}, has {}", day(sunset(old)), day(sunset(new))),
        };
        self.emit(
            side,
            found,
            (location_of_member(old, "x-sunset"), location_of_member(new, "x-sunset")),
        );
    }

    /// Compares something, and reports what would be breaking as unclear, for this reason.
    pub(super) fn with_doubt(&mut self, reason: &str, compare: impl FnOnce(&mut Self)) {
        let before = self.differences.len();
        compare(self);
        for mut difference in self.differences.split_off(before) {
            if difference.meaning == Meaning::Breaking {
                difference.meaning = Meaning::Unclear;
                difference.reason = Some(reason.to_owned());
            }
            self.differences.insert(difference);
        }
    }

    /// Adds a difference of the current operation; its text is a whole sentence.
    pub(super) fn emit(&mut self, side: Side, found: FoundDifference, (old, new): (Location, Location)) {
        let side = self.seen_by_callers(side);
        let (meaning, reason) = meaning(found.relation, side);
        let difference = Difference {
            kind: found.kind,
            operation: self.operation.clone(),
            side,
            sentence: self.sentence(found.text),
            meaning,
            reason: reason.map(str::to_owned),
            client: found.client,
            accepted: None,
            old: DocumentLocation::of(self.old.document, &old),
            new: DocumentLocation::of(self.new.document, &new),
        };
        self.differences.insert(difference);
    }

    /// Returns the side of an operation for its callers: what a callback sends is what they receive.
    pub(super) fn seen_by_callers(&self, side: Side) -> Side {
        match (side, &self.callback) {
            (Side::Request, Some(_)) => Side::Response,
            (Side::Response, Some(_)) => Side::Request,
            _ => side,
        }
    }

    fn sentence(&self, sentence: String) -> String {
        match &self.callback {
            Some(name) => format!("in the callback `{name}`: {sentence}"),
            None => sentence,
        }
    }

    /// Compares two schemas.
    pub(super) fn schema_differences(
        &mut self,
        side: Side,
        encoding: ValueEncoding,
        views: (&View<'both>, &View<'both>),
    ) -> Vec<SchemaDifference> {
        let side = self.seen_by_callers(side);
        self.schemas.differences(side, encoding, views)
    }

    /// Adds the differences of two schemas; `what` is what they describe.
    pub(super) fn emit_schema_differences(&mut self, side: Side, differences: Vec<SchemaDifference>, what: &str) {
        let side = self.seen_by_callers(side);
        for found in differences {
            let subject = if found.path.is_empty() {
                what.to_owned()
            } else {
                // A sentence about a value in a body names the response only: `/id` of the 200 response.
                format!(
                    "`{}` of {}",
                    found.path,
                    what.strip_prefix("the body of ").unwrap_or(what)
                )
            };
            let difference = Difference {
                kind: found.kind,
                operation: self.operation.clone(),
                side,
                sentence: self.sentence(format!("{subject} {}", found.text)),
                meaning: found.meaning,
                reason: found.reason.map(str::to_owned),
                client: found.client,
                accepted: None,
                old: DocumentLocation::of(self.old.document, &found.old),
                new: DocumentLocation::of(self.new.document, &found.new),
            };
            self.differences.insert(difference);
        }
    }
}

/// Returns where a member is, or would be.
pub(super) fn location_of_member(at: &LocatedNode<'_>, member: &str) -> Location {
    match at.member(member) {
        Some(found) => Location::at(found.pointer),
        None => Location::missing_from(&at.pointer),
    }
}

/// Returns the day on which something deprecated ends.
fn sunset(at: &LocatedNode<'_>) -> Option<NaiveDate> {
    let day = at.string("x-sunset")?;
    day.get(..10)?.parse().ok()
}

fn operations<'both>(source: &Source<'both>) -> Vec<Operation<'both>> {
    let Some(paths) = source.at("/paths") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (path, item) in paths.members().filter(|(path, _)| !path.starts_with("x-")) {
        found.extend(operations_of(path, &source.resolve(item)));
    }
    found
}

/// Returns the path items, with their references followed, by the paths without the names of their parameters.
fn path_items<'both>(source: &Source<'both>) -> IndexMap<String, (&'both str, LocatedNode<'both>)> {
    let paths = source.at("/paths");
    let items = paths.iter().flat_map(LocatedNode::members);
    let items = items.filter(|(path, _)| !path.starts_with("x-"));
    items
        .map(|(path, item)| (template(path), (path, source.resolve(item))))
        .collect()
}

/// Returns the operations of a path item.
pub(super) fn operations_of<'both>(path: &'both str, item: &LocatedNode<'both>) -> Vec<Operation<'both>> {
    let of_method = |(key, at): (&str, LocatedNode<'both>)| {
        Some(Operation {
            method: Method::from_key(key)?,
            path,
            item: item.clone(),
            at,
        })
    };
    item.members().filter_map(of_method).collect()
}

/// The operations of a document, found by what identifies them.
struct Index<'both> {
    by_path: HashMap<(Method, &'both str), usize>,
    /// Several paths may differ only in the names of their parameters.
    by_template: HashMap<(Method, String), Vec<usize>>,
}

impl<'both> Index<'both> {
    fn new(operations: &[Operation<'both>]) -> Self {
        let mut by_template: HashMap<_, Vec<_>> = HashMap::new();
        for (index, operation) in operations.iter().enumerate() {
            let key = (operation.method, template(operation.path));
            by_template.entry(key).or_default().push(index);
        }
        let by_path = operations.iter().enumerate();
        Self {
            by_path: by_path
                .map(|(index, operation)| ((operation.method, operation.path), index))
                .collect(),
            by_template,
        }
    }

    /// Returns the operation that is the same as one of another document: on the same path, or on one that differs
    /// only in the names of its parameters.
    fn partner(&self, matched: &[bool], other: &Operation<'both>) -> Option<usize> {
        let exact = self.by_path.get(&(other.method, other.path)).copied();
        let alike = || {
            let alike = self.by_template.get(&(other.method, template(other.path)));
            alike.into_iter().flatten().copied().find(|index| !matched[*index])
        };
        exact.filter(|index| !matched[*index]).or_else(alike)
    }
}

/// Returns a path without the names of its parameters.
pub(super) fn template(path: &str) -> String {
    let mut template = String::with_capacity(path.len());
    let mut within = false;
    for character in path.chars() {
        match character {
            '{' => {
                within = true;
                template.push_str("{}");
            }
            '}' => within = false,
            other if !within => template.push(other),
            _ => {}
        }
    }
    template
}

/// Returns the names of a path's parameters, in order.
pub(super) fn template_names(path: &str) -> Vec<&str> {
    let after = path.split('{').skip(1);
    after
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .collect()
}
