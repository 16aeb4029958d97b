//! A schema as a conjunction: references followed, `allOf` flattened, `oneOf` and `anyOf` kept as groups of
//! alternatives. Two documents that split the same constraints differently have the same view. The main type is
//! [`View`].

use std::collections::{HashMap, HashSet, VecDeque};

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::source::{LocatedNode, Source, has_siblings, is_annotation, normalized_value, reference};
use super::types::Types;
use crate::contract::document::{Node, NodeKind};
use crate::contract::pointer;

/// The most schemas that one view combines; a larger `allOf` is not compared to the end.
const MAX_PARTS: usize = 200;
/// From this many combinations on, further groups of alternatives are not multiplied out.
const MAX_COMBINATIONS: usize = 64;
/// The most alternatives that the groups of one schema may list; a schema with more is reported as too large.
const MAX_LISTED_ALTERNATIVES: usize = 1_000;
/// The most patterns of names that are tried.
const MAX_PATTERNS: usize = 20;
/// How deep `allOf`, `oneOf` and `anyOf` are followed to learn whether null is admitted; deeper, that is not known.
const MAX_NULL_DEPTH: usize = 16;

/// The keywords that imply an object where no type is stated.
const OF_OBJECTS: [&str; 5] = [
    "properties", "additionalProperties", "required", "minProperties", "maxProperties",
];
/// The keywords that imply an array where no type is stated.
const OF_ARRAYS: [&str; 4] = ["items", "minItems", "maxItems", "uniqueItems"];

/// A schema.
#[derive(Clone, Debug)]
pub(super) struct View<'document> {
    /// The schemas that apply at once.
    pub(super) parts: Vec<LocatedNode<'document>>,
    /// The `oneOf` and `anyOf` of the parts.
    pub(super) groups: Vec<Group<'document>>,
    /// The values of groups in which each alternative only lists values.
    listed_values: Vec<Vec<Value>>,
    /// The types, null aside, that the enclosing alternatives leave, where the parts do not state them.
    type_limit: Option<Types>,
    /// Whether null is admitted.
    pub(super) admits_null: bool,
    /// Whether the schema nests too deep to know whether null is admitted.
    pub(super) nests_too_deep_for_null: bool,
    /// The pointer to where the schema is used, or would be where there is none.
    pub(super) pointer: String,
    /// The name of the definition that it refers to, or an alternative's title, where it has either.
    pub(super) name: Option<String>,
    /// Whether schemas are left out, because there are too many.
    pub(super) is_cut: bool,
    /// Whether the discriminator of this alternative was compared along with its group.
    pub(super) discriminator_compared: bool,
}

/// Alternatives.
#[derive(Clone, Debug)]
pub(super) struct Group<'document> {
    /// Where the keyword is.
    pub(super) pointer: String,
    /// Whether exactly one may apply.
    pub(super) is_one_of: bool,
    pub(super) alternatives: Vec<LocatedNode<'document>>,
}

/// The names of `patternProperties`.
pub(super) enum NamePatterns {
    /// One cannot be read, or there are very many.
    Unread,
    /// What each admits.
    Read(Vec<jsonschema::Validator>),
}

impl NamePatterns {
    /// Whether one may apply to a property of this name.
    pub(super) fn may_match(&self, name: &str) -> bool {
        match self {
            Self::Unread => true,
            Self::Read(patterns) => patterns.iter().any(|pattern| pattern.is_valid(&json!(name))),
        }
    }
}

/// The names that an object lists as required, which may be very many.
pub(super) struct RequiredNames<'document> {
    /// The `required` of each part.
    lists: Vec<LocatedNode<'document>>,
    /// The first place of each name: the index of the list, and the index in it.
    places: IndexMap<&'document str, (usize, usize)>,
}

impl<'document> RequiredNames<'document> {
    /// Returns the names, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &'document str> {
        self.places.keys().copied()
    }

    /// Returns where a name is listed; `None` if it is not.
    pub(super) fn location_of(&self, name: &str) -> Option<String> {
        let (list, index) = *self.places.get(name)?;
        Some(pointer::join(&self.lists[list].pointer, &index.to_string()))
    }
}

/// What an object may have besides its listed properties.
pub(super) enum Additional<'document> {
    Anything,
    Nothing,
    Of(View<'document>),
}

impl<'document> View<'document> {
    /// The view of a schema that is not stated: anything.
    pub(super) fn anything(pointer: &str) -> Self {
        Self {
            parts: Vec::new(),
            groups: Vec::new(),
            listed_values: Vec::new(),
            type_limit: None,
            admits_null: true,
            nests_too_deep_for_null: false,
            pointer: pointer.to_owned(),
            name: None,
            is_cut: false,
            discriminator_compared: false,
        }
    }

    /// The view of several schemas that apply at once.
    pub(super) fn of(source: &Source<'document>, schemas: Vec<LocatedNode<'document>>) -> Self {
        let Some(first) = schemas.first() else {
            return Self::anything("");
        };
        let mut view = Self::anything(&first.pointer);
        view.name = name(first);
        let mut nulls = Nulls::new(source);
        view.admits_null = schemas.iter().all(|schema| nulls.admitted(schema, false, 0));
        view.nests_too_deep_for_null = nulls.is_cut;
        for schema in schemas {
            view.add(source, &schema);
        }
        view
    }

    fn add(&mut self, source: &Source<'document>, schema: &LocatedNode<'document>) {
        if self.parts.len() >= MAX_PARTS {
            self.is_cut = true;
            return;
        }
        for part in source.applied(schema.clone()) {
            self.add_part(source, &part);
        }
    }

    fn add_part(&mut self, source: &Source<'document>, part: &LocatedNode<'document>) {
        if self.parts.iter().any(|known| known.address() == part.address()) {
            return;
        }
        self.parts.push(part.clone());
        for inner in part.member("allOf").iter().flat_map(LocatedNode::elements) {
            self.add(source, &inner);
        }
        for keyword in ["oneOf", "anyOf"] {
            let Some(group) = part.member(keyword) else { continue };
            let mut alternatives: Vec<_> = group.elements().filter(|inner| !is_null(source, inner)).collect();
            match alternatives.len() {
                0 if group.node.elements().is_empty() => {}
                0 => self.type_limit = Some(Types::NONE),
                // One alternative, next to null perhaps, is no choice.
                1 => {
                    let only = alternatives.remove(0);
                    self.name = self.name.take().or_else(|| name(&only));
                    self.add(source, &only);
                }
                _ => match alternatives
                    .iter()
                    .map(|inner| values_if_only_listed(source, inner))
                    .collect::<Option<Vec<_>>>()
                {
                    Some(values) => self.listed_values.push(values.concat()),
                    None => self.groups.push(Group {
                        pointer: group.pointer,
                        is_one_of: keyword == "oneOf",
                        alternatives,
                    }),
                },
            }
        }
    }

    /// Returns the alternatives, each with everything else that applies, those within alternatives included; the schema
    /// itself where it has none.
    pub(super) fn alternatives(&self, source: &Source<'document>) -> Vec<Self> {
        let mut found = Vec::new();
        let mut open = VecDeque::from([self.clone()]);
        while let Some(view) = open.pop_front() {
            let is_many = found.len() + open.len() > MAX_COMBINATIONS;
            if view.groups.is_empty() || is_many || view.has_too_many_alternatives() {
                found.push(view);
            } else {
                open.extend(view.of_first_group(source));
            }
        }
        found
    }

    /// Returns the schema once for each of the types that it lists, as if they were alternatives; the schema itself
    /// where it has one type, or any.
    pub(super) fn by_type(self) -> Vec<Self> {
        let types = self.types();
        let each = types.each();
        if types == Types::ALL || each.len() < 2 {
            return vec![self];
        }
        let of_type = |only| Self {
            type_limit: Some(only),
            name: None,
            ..self.clone()
        };
        each.into_iter().map(of_type).collect()
    }

    /// Whether this is the part of a schema with several types that is about one of them.
    pub(super) fn is_one_of_listed_types(&self) -> bool {
        self.type_limit.is_some()
    }

    /// Whether the groups list more alternatives than are looked at.
    pub(super) fn has_too_many_alternatives(&self) -> bool {
        let listed = self.groups.iter().map(|group| group.alternatives.len());
        listed.sum::<usize>() > MAX_LISTED_ALTERNATIVES
    }

    fn of_first_group(&self, source: &Source<'document>) -> Vec<Self> {
        let Some((group, others)) = self.groups.split_first() else {
            return Vec::new();
        };
        let mut shared = self.clone();
        shared.groups = others.to_vec();
        shared.admits_null = false;
        let alternative = |schema: &LocatedNode<'document>| {
            let mut view = shared.clone();
            view.pointer.clone_from(&schema.pointer);
            view.name = name(schema).or_else(|| source.resolve(schema.clone()).string("title").map(str::to_owned));
            view.add(source, schema);
            view
        };
        group.alternatives.iter().map(alternative).collect()
    }

    /// Returns what distinguishes this view from every other of its document.
    pub(super) fn key(&self) -> Vec<usize> {
        let mut key: Vec<_> = self.parts.iter().map(LocatedNode::address).collect();
        key.sort_unstable();
        // No node is at this address: what follows are alternatives, of which one applies.
        key.push(0);
        let groups = self.groups.iter().filter_map(|group| group.alternatives.first());
        key.extend(groups.map(LocatedNode::address));
        key.push(usize::from(self.admits_null));
        key.extend(self.type_limit.map(Types::bits));
        key
    }

    /// Returns a keyword's value in the first part that has it.
    pub(super) fn keyword(&self, name: &str) -> Option<LocatedNode<'document>> {
        self.parts.iter().find_map(|part| part.member(name))
    }

    /// Returns every part's value of a keyword.
    pub(super) fn keywords(&self, name: &str) -> impl Iterator<Item = LocatedNode<'document>> {
        self.parts.iter().filter_map(move |part| part.member(name))
    }

    /// Whether a part limits the length of a string.
    pub(super) fn limits_length(&self) -> bool {
        ["minLength", "maxLength"]
            .iter()
            .any(|name| self.keyword(name).is_some())
    }

    /// Whether any part sets the flag.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.flag(name))
    }

    /// Returns the types that a value may have, null aside.
    pub(super) fn types(&self) -> Types {
        let mut stated = self.type_limit;
        for part in &self.parts {
            if is_never(part.node) {
                return Types::NONE;
            }
            let own = match part.node.member("type").map(|kind| &kind.kind) {
                Some(NodeKind::String(name)) => Types::named(name),
                Some(NodeKind::Array(names)) => names
                    .iter()
                    .filter_map(Node::string)
                    .fold(Types::NONE, |types, name| types.or(Types::named(name))),
                _ => continue,
            };
            stated = Some(stated.map_or(own, |types: Types| types & own));
        }
        stated.unwrap_or_else(|| self.implied_types())
    }

    /// Returns the types that the other keywords are about.
    fn implied_types(&self) -> Types {
        if let Some(values) = self.values() {
            return values
                .iter()
                .fold(Types::NONE, |types, value| types.or(Types::of(value)));
        }
        let has = |names: &[&str]| names.iter().any(|name| self.keyword(name).is_some());
        if has(&OF_OBJECTS) {
            Types::OBJECT
        } else if has(&OF_ARRAYS) {
            Types::ARRAY
        } else {
            Types::ALL
        }
    }

    /// Returns the allowed values, null aside; `None` where they are not listed.
    pub(super) fn values(&self) -> Option<Vec<Value>> {
        let listed = self
            .keywords("enum")
            .map(|at| at.node.elements().iter().map(normalized_value).collect::<Vec<_>>());
        let single = self.keywords("const").map(|at| vec![normalized_value(at.node)]);
        let values = listed
            .chain(single)
            .chain(self.listed_values.iter().cloned())
            .reduce(|left, right| {
                let right: HashSet<_> = right.iter().collect();
                left.into_iter().filter(|value| right.contains(value)).collect()
            })?;
        let is_of_type = |value: &Value| self.type_limit.is_none_or(|only| only.includes(Types::of(value)));
        let values = values.into_iter().filter(|value| !value.is_null() && is_of_type(value));
        Some(values.collect())
    }

    /// Returns the names of the listed properties, in order; a name that several parts list appears several times.
    pub(super) fn property_names(&self) -> Vec<&'document str> {
        let mut names: Vec<&'document str> = Vec::new();
        for properties in self.keywords("properties") {
            names.extend(properties.node.members().iter().map(|member| member.name.as_str()));
        }
        names
    }

    /// Returns the schema of a property.
    pub(super) fn property(&self, source: &Source<'document>, name: &str) -> Option<Self> {
        let stated: Vec<_> = self.keywords("properties").filter_map(|all| all.member(name)).collect();
        (!stated.is_empty()).then(|| Self::of(source, stated))
    }

    /// Returns the names that are listed as required.
    pub(super) fn required(&self) -> RequiredNames<'document> {
        let lists: Vec<_> = self.keywords("required").collect();
        let mut places = IndexMap::new();
        for (list, at) in lists.iter().enumerate() {
            let elements = at.node.elements().iter().enumerate();
            for (index, name) in elements.filter_map(|(index, element)| Some((index, element.string()?))) {
                places.entry(name).or_insert((list, index));
            }
        }
        RequiredNames { lists, places }
    }

    /// Returns the names of `patternProperties`, as patterns.
    pub(super) fn name_patterns(&self) -> NamePatterns {
        let all = self.keywords("patternProperties");
        let all: Vec<_> = all.flat_map(|at| at.node.members()).collect();
        if all.len() > MAX_PATTERNS {
            return NamePatterns::Unread;
        }
        let read = all.into_iter().map(|member| {
            let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
            options.build(&json!({ "pattern": member.name.as_str() }))
        });
        read.collect::<Result<_, _>>()
            .map_or(NamePatterns::Unread, NamePatterns::Read)
    }

    /// Returns the schema of an item.
    pub(super) fn items(&self, source: &Source<'document>) -> Self {
        let stated: Vec<_> = self.keywords("items").collect();
        if stated.is_empty() {
            return Self::anything(&self.pointer);
        }
        Self::of(source, stated)
    }

    /// Returns what an object may have besides its listed properties.
    pub(super) fn additional(&self, source: &Source<'document>) -> Additional<'document> {
        let others = Self::of(source, self.keywords("additionalProperties").collect());
        if others.parts.iter().any(|part| is_never(part.node)) {
            Additional::Nothing
        } else if others.demands_something(source) {
            Additional::Of(others)
        } else {
            Additional::Anything
        }
    }

    /// Whether a part has a keyword that demands something. What an `allOf` lists, and what a reference leads to, are
    /// parts themselves.
    fn demands_something(&self, source: &Source<'document>) -> bool {
        self.parts.iter().any(|part| {
            part.members().any(|(keyword, _)| match keyword {
                "allOf" => false,
                "$ref" => source.resolve(part.clone()).address() == part.address(),
                _ => !is_annotation(keyword),
            })
        })
    }

    /// Returns the schemas that `not` excludes. A `not` that is only an `anyOf` gives one for each alternative; one of
    /// a type that the schema does not allow anyway is left out.
    pub(super) fn excluded(&self, source: &Source<'document>) -> Vec<Self> {
        let stated = self.keywords("not").map(|at| Self::of(source, vec![at]));
        let each = stated.flat_map(|not| match not.groups.as_slice() {
            [group] if !group.is_one_of && not.parts.len() == 1 && not.parts[0].node.members().len() == 1 => {
                let alternatives = group.alternatives.iter();
                alternatives
                    .map(|schema| Self::of(source, vec![schema.clone()]))
                    .collect()
            }
            _ => vec![not],
        });
        let types = self.types();
        each.filter(|not| !not.groups.is_empty() || not.types().meets(types) || (not.admits_null && self.admits_null))
            .collect()
    }

    /// Returns the values of the discriminator that stand for this alternative: those of the mapping, else the name of
    /// the definition (3.0.3, section 4.7.25); none where it is not a reference.
    pub(super) fn discriminating(&self, source: &Source<'document>) -> Vec<&'document str> {
        let schema = source.at(&self.pointer);
        let Some(target) = schema.and_then(|schema| reference(schema.node)) else {
            return Vec::new();
        };
        let definition = target.rsplit('/').next().unwrap_or(target);
        let mapping = self.keyword("discriminator").and_then(|at| at.member("mapping"));
        let entries = mapping.iter().flat_map(LocatedNode::members);
        let of_this = entries.filter(|(_, to)| to.node.string().is_some_and(|to| to == target || to == definition));
        let mut values: Vec<_> = of_this.map(|(value, _)| value).collect();
        if values.is_empty() {
            values.push(definition);
        }
        values
    }

    /// Returns where a keyword is, or the schema where it would be.
    pub(super) fn keyword_pointer(&self, keyword: &str) -> String {
        self.keyword(keyword).map_or_else(|| self.definition(), |at| at.pointer)
    }

    /// Returns where null is admitted, by the schema or by one of its alternatives; else the schema.
    pub(super) fn null_pointer(&self, source: &Source<'document>) -> String {
        let alternatives = self.groups.iter().flat_map(|group| &group.alternatives);
        let mut alternatives = alternatives.map(|schema| source.resolve(schema.clone()));
        let stated = self.keyword("nullable");
        let stated = stated.or_else(|| alternatives.find_map(|schema| schema.member("nullable")));
        stated.map_or_else(|| self.definition(), |at| at.pointer)
    }

    /// Returns where the schema is defined.
    pub(super) fn definition(&self) -> String {
        self.parts
            .first()
            .map_or_else(|| self.pointer.clone(), |part| part.pointer.clone())
    }
}

/// Returns the name of what a schema refers to.
fn name(schema: &LocatedNode<'_>) -> Option<String> {
    let target = reference(schema.node)?;
    pointer::tokens(target).last()
}

/// Whether nothing is valid against this schema: `false`, or `not` anything.
fn is_never(node: &Node) -> bool {
    let is_anything = |node: &Node| match node.kind {
        NodeKind::Object(_) => node.members().iter().all(|member| is_annotation(&member.name)),
        _ => node.boolean() == Some(true),
    };
    node.boolean() == Some(false) || node.member("not").is_some_and(is_anything)
}

/// Returns the values that a schema lists, if it says nothing else. A `type` beside them is ignored, because each value
/// has its own.
fn values_if_only_listed(source: &Source<'_>, schema: &LocatedNode<'_>) -> Option<Vec<Value>> {
    let (references, definition) = source.follow(schema.clone());
    if source.is_later_than_3_0 && references.iter().any(|at| has_siblings(at.node)) {
        return None;
    }
    let node = definition.node;
    let says_nothing_else = node.members().iter().all(|member| {
        let name = member.name.as_str();
        matches!(name, "const" | "description" | "enum" | "title" | "type") || name.starts_with("x-")
    });
    if !says_nothing_else {
        return None;
    }
    match (node.member("enum"), node.member("const")) {
        (Some(values), _) => Some(values.elements().iter().map(normalized_value).collect()),
        (None, Some(single)) => Some(vec![normalized_value(single)]),
        (None, None) => None,
    }
}

/// Whether only null is valid against this schema.
fn is_null(source: &Source<'_>, schema: &LocatedNode<'_>) -> bool {
    source
        .applied(schema.clone())
        .iter()
        .any(|part| states_only_null(part.node))
}

/// Whether the values that a schema lists, or its type, leave only null.
fn states_only_null(node: &Node) -> bool {
    match node.member("type").map(|kind| &kind.kind) {
        Some(NodeKind::String(name)) => name.as_str() == "null",
        Some(NodeKind::Array(names)) => !names.is_empty() && names.iter().all(|name| name.string() == Some("null")),
        Some(_) => false,
        None => {
            let listed = node.member("enum").map(Node::elements).unwrap_or_default();
            let mut values = listed.iter().chain(node.member("const")).peekable();
            values.peek().is_some() && values.all(|value| matches!(value.kind, NodeKind::Null))
        }
    }
}

/// Finds out whether null is valid against a schema. Members of an `allOf` may refer to the same schemas many times
/// over, so each result is kept, with whether a type beside the schema admits null.
struct Nulls<'both, 'document> {
    source: &'both Source<'document>,
    known: HashMap<(usize, bool), bool>,
    /// Whether a schema nested too deep to be looked at.
    is_cut: bool,
}

impl<'both, 'document> Nulls<'both, 'document> {
    fn new(source: &'both Source<'document>) -> Self {
        Self {
            source,
            known: HashMap::new(),
            is_cut: false,
        }
    }

    /// Whether null is valid against this schema. `nullable` adds null wherever it is written, as the check reads it.
    /// `is_stated` says that a type which applies at the same time admits null.
    fn admitted(&mut self, schema: &LocatedNode<'document>, is_stated: bool, depth: usize) -> bool {
        let (references, definition) = self.source.follow(schema.clone());
        let is_nullable = references.iter().chain([&definition]).any(|at| at.flag("nullable"));
        if is_nullable {
            return true;
        }
        if depth > MAX_NULL_DEPTH {
            self.is_cut = true;
            return true;
        }
        let beside = references.iter().filter(|_| self.source.is_later_than_3_0);
        let applied: Vec<_> = beside.chain([&definition]).collect();
        let is_stated = is_stated || applied.iter().any(|part| null_by_type(part.node) == Some(true));
        applied.iter().all(|part| {
            let key = (part.address(), is_stated);
            if let Some(known) = self.known.get(&key) {
                return *known;
            }
            let admitted = self.admitted_by(part, is_stated, depth);
            self.known.insert(key, admitted);
            admitted
        })
    }

    fn admitted_by(&mut self, resolved: &LocatedNode<'document>, is_stated: bool, depth: usize) -> bool {
        if is_never(resolved.node) {
            return false;
        }
        let is_null = |node: &Node| matches!(node.kind, NodeKind::Null);
        let by_type = null_by_type(resolved.node);
        // From OpenAPI 3.1 on, the values must admit it too (JSON Schema 2020-12, validation, section 6.1.2).
        let is_decided = by_type == Some(false) || !self.source.is_later_than_3_0;
        if let Some(admitted) = by_type.filter(|_| is_decided) {
            return admitted;
        }
        if let Some(values) = resolved.node.member("enum") {
            return values.elements().iter().any(is_null);
        }
        if let Some(single) = resolved.node.member("const") {
            return is_null(single);
        }
        let members = |keyword: &str| -> Option<Vec<_>> { Some(resolved.member(keyword)?.elements().collect()) };
        let conjunction = members("allOf").unwrap_or_default();
        // Keywords of objects and arrays say nothing about null where a type does.
        let admits_by_type = |inner: &LocatedNode<'document>| {
            let mut applied = self.source.applied(inner.clone()).into_iter();
            applied.any(|part| null_by_type(part.node) == Some(true))
        };
        let is_stated = is_stated
            || by_type == Some(true)
            || (self.source.is_later_than_3_0 && conjunction.iter().any(admits_by_type));
        let mut typed = OF_OBJECTS.iter().chain(&OF_ARRAYS);
        if !is_stated && typed.any(|keyword| resolved.node.member(keyword).is_some()) {
            return false;
        }
        let all = conjunction
            .iter()
            .all(|inner| self.admitted(inner, is_stated, depth + 1));
        all && ["oneOf", "anyOf"].into_iter().all(|keyword| {
            members(keyword).is_none_or(|group| group.iter().any(|inner| self.admitted(inner, is_stated, depth + 1)))
        })
    }
}

/// Whether the type of a schema admits null; `None` where it has none.
fn null_by_type(node: &Node) -> Option<bool> {
    match &node.member("type")?.kind {
        NodeKind::String(name) => Some(name.as_str() == "null"),
        NodeKind::Array(names) => Some(names.iter().any(|name| name.string() == Some("null"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::document::Document;

    fn with_view<T>(text: &str, of: impl Fn(&Source<'_>, &View<'_>) -> T) -> T {
        let document = Document::read("schema.yaml", text.to_owned()).unwrap();
        let source = Source::new(&document);
        let schema = source.at("/schema").unwrap();
        of(&source, &View::of(&source, vec![schema]))
    }

    #[test]
    fn all_of_and_references_are_one_conjunction() {
        let text = "schema: {allOf: [{$ref: '#/A'}, {maxLength: 3}]}\nA: {type: string, allOf: [{$ref: '#/A'}, {minLength: 1}]}";
        let (parts, types) = with_view(text, |_, view| (view.parts.len(), view.types()));
        assert_eq!((parts, types), (4, Types::STRING));
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_itself() {
        let pointer = with_view("schema: {$ref: '#/nowhere'}", |_, view| view.definition());
        assert_eq!(pointer, "/schema");
        let pointer = with_view("schema: {$ref: '#/schema'}", |_, view| view.definition());
        assert_eq!(pointer, "/schema");
    }

    #[test]
    fn null_is_admitted_wherever_nullable_is_written() {
        for (schema, admitted) in [
            ("{type: string}", false),
            ("{}", true),
            ("{type: string, nullable: true}", true),
            ("{nullable: true, allOf: [{type: string}]}", true),
            ("{allOf: [{type: string, nullable: true}]}", true),
            ("{allOf: [{type: string, nullable: true}, {type: string}]}", false),
            ("{oneOf: [{type: string}, {type: integer, nullable: true}]}", true),
            ("{type: [string, 'null']}", true),
            ("{anyOf: [{type: string}, {type: 'null'}]}", true),
            ("{enum: [a, null]}", true),
            ("{not: {}}", false),
        ] {
            assert_eq!(
                with_view(&format!("schema: {schema}"), |_, view| view.admits_null),
                admitted,
                "{schema}"
            );
        }
    }

    #[test]
    fn alternatives_within_alternatives_are_alternatives() {
        let text = "schema: {maxLength: 3, oneOf: [{type: string}, {anyOf: [{type: integer}, {type: boolean}]}]}";
        let types = with_view(text, |source, view| {
            let found = view.alternatives(source);
            found.iter().map(|view| view.types().to_string()).collect::<Vec<_>>()
        });
        assert_eq!(types, ["string", "integer", "boolean"]);
        let endless =
            "schema: {oneOf: [{$ref: '#/schema'}, {$ref: '#/A'}]}\nA: {oneOf: [{$ref: '#/schema'}, {$ref: '#/A'}]}";
        assert!(with_view(endless, |source, view| view.alternatives(source).len()) < 10);
    }

    #[test]
    fn an_alternative_is_not_taken_for_the_whole() {
        let text = "schema: {oneOf: [{type: string}, {type: integer}]}";
        let distinct = with_view(text, |source, view| {
            let found = view.alternatives(source);
            found.iter().all(|alternative| alternative.key() != view.key())
        });
        assert!(distinct);
    }

    #[test]
    fn a_type_follows_from_what_is_said_of_it() {
        for (schema, expected) in [
            ("{properties: {}}", Types::OBJECT),
            ("{items: {}}", Types::ARRAY),
            ("{enum: [a, 1]}", Types::STRING.or(Types::INTEGER)),
            ("{description: a}", Types::ALL),
            ("{allOf: [{type: number}, {type: integer}]}", Types::INTEGER),
            ("{allOf: [{type: string}, {type: integer}]}", Types::NONE),
            ("false", Types::NONE),
        ] {
            assert_eq!(
                with_view(&format!("schema: {schema}"), |_, view| view.types()),
                expected,
                "{schema}"
            );
        }
    }
}
