//! Expands a schema into the shape of one response: a node for each location, each with the facts that apply to it. The
//! main type is [`Shape`].
//!
//! # Design
//!
//! With `allOf`, several schemas apply to one location, so a shape is made from a set of them: a schema and its `allOf`
//! members. A schema that contains itself leads back to the shape that is being made. So that the expansion of a
//! response does not explode, its shapes are shared after the first thousand, and a shared fact is named after the
//! first location that uses it. A document that still states far more than its length suggests is rejected.
//!
//! A `response_pointer` is the JSON pointer of a location in the response, with `*` for the elements of an array
//! and the members of a map. For a header, its name comes before the pointer. No fact states the type of a header that
//! any text has.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::alternatives::AlternativeCounts;
use super::defect::{Defect, Problem};
use super::dialect::LATER_KEYWORDS_KEY;
use super::discriminator;
use super::document::{Document, MAX_DEPTH, Node};
use super::fact::{Fact, FactId, FactKind};
use super::field;
use super::json_schema;
use super::openapi::referred_pointer;
use super::operation::{DocumentedHeader, OperationId};
use super::pointer;
use super::shared_string::{SharedString, StringPool};

/// The number of shapes that one response may have before they are shared.
const SHARED_AFTER: usize = 1000;
/// The maximum number of schemas and fields expanded for all responses of a document. The largest public documents need
/// a tenth of it.
pub const MAX_PARTS: usize = 10_000_000;

/// The index of a shape in [`Contract::shapes`](super::Contract::shapes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeId(pub usize);

/// What the contract states about one location in a response.
#[derive(Debug, Default)]
pub struct Shape {
    /// The types that are stated, several where the parts of an `allOf` state one each: a value must be of all of them.
    /// Every type is allowed when it is empty.
    pub types: Vec<JsonType>,
    /// Whether null is documented.
    pub nullable: bool,
    /// Whether `nullable` stands next to a reference, or to `allOf`, that leads to the schema.
    pub nullable_beside_ref: bool,
    /// Whether `x-null` leaves open whether this may be null: it is below a schema that has the key.
    pub null_is_open: bool,
    /// Whether an `x-gap` says that something about this location is left open.
    pub has_gap: bool,
    /// Whether this is a number that a description calls an estimate, or the number of something other than all
    /// records.
    pub is_estimate: bool,
    /// Whether this is a number that a description calls that of the records on all pages.
    pub counts_all_pages: bool,
    /// What is left open about this location: by its `x-gap`, and by the `x-null` above it.
    pub gaps: Vec<LocatedGap>,
    /// The fact of the type, where one is stated.
    pub type_fact: Option<FactId>,
    /// The documented fields.
    pub fields: Vec<Field>,
    /// Fields that must be absent.
    pub forbidden: BTreeMap<String, FactId>,
    /// The fact that there is no other field, and the allowed names.
    pub closed: Option<(FactId, BTreeSet<String>)>,
    /// The shape of fields whose names are not listed.
    pub additional: Option<ShapeId>,
    /// Whether unlisted fields are documented, by `additionalProperties`.
    pub allows_unlisted_fields: bool,
    /// The names that only an alternative of `oneOf` or `anyOf`, or a definition that a discriminator names, documents.
    pub names_of_alternatives: BTreeSet<String>,
    /// The names of fields that the writes of the same record document for requests alone (`writeOnly`).
    pub names_for_requests: BTreeSet<String>,
    /// The shape of each element.
    pub items: Option<ShapeId>,
    /// The schemas' other assertions: the fact, and the location of the schema.
    pub other_assertions: Vec<(FactId, String)>,
    /// The indexes of the fields in the order of their names, where there are more than a few.
    by_name: Vec<usize>,
}

/// A gap that concerns a location in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedGap {
    /// The gap's id.
    pub gap: SharedString,
    /// The location in the contract, as a JSON pointer: that of the `x-gap`, or, for an `x-null`, the one below it that
    /// may be null.
    pub location: SharedString,
}

/// Up to this many fields are searched one by one.
const LINEAR_SEARCH_LIMIT: usize = 32;

impl Shape {
    /// Whether it is a map: an object of which the contract documents no field, and leaves the names to the target.
    #[must_use]
    pub fn is_map(&self) -> bool {
        self.allows_unlisted_fields && self.fields.is_empty()
    }

    /// Whether a member with this name belongs to a map beside the fields that the contract documents: the contract
    /// states a schema for members that it does not name.
    #[must_use]
    pub(crate) fn is_also_a_map_with(&self, name: &str) -> bool {
        let is_named = self.field_named(name).is_some() || self.names_of_alternatives.contains(name);
        self.additional.is_some() && !is_named
    }

    /// Returns the index of the shape of the field with this name, or of the elements for `*`.
    fn below(&self, name: &str) -> Option<ShapeId> {
        match self.field_named(name) {
            Some(field) => Some(self.fields[field].shape),
            None => self.items.filter(|_| name == "*"),
        }
    }

    /// Returns the index of the field with this name.
    #[must_use]
    pub fn field_named(&self, name: &str) -> Option<usize> {
        if self.by_name.is_empty() {
            return self.fields.iter().position(|field| field.name == name);
        }
        let ordered = |index: &usize| self.fields[*index].name.as_str().cmp(name);
        let found = self.by_name.binary_search_by(ordered).ok()?;
        Some(self.by_name[found])
    }

    /// Whether a value of this type has one of the documented types; any, if none is documented.
    #[must_use]
    pub fn admits_type(&self, received: JsonType) -> bool {
        let admits = |documented: &JsonType| {
            *documented == received || (*documented == JsonType::Number && received == JsonType::Integer)
        };
        self.types.is_empty() || self.types.iter().any(admits)
    }

    fn index(&mut self) {
        if self.fields.len() > LINEAR_SEARCH_LIMIT {
            self.by_name = (0..self.fields.len()).collect();
            self.by_name
                .sort_unstable_by_key(|index| self.fields[*index].name.as_str());
        }
    }
}

/// A documented field.
#[derive(Debug)]
pub struct Field {
    /// The name.
    pub name: SharedString,
    /// The shape of its value.
    pub shape: ShapeId,
    /// The fact that the field is present, where the contract requires it.
    pub required_fact: Option<FactId>,
    /// Whether it is for requests alone (`writeOnly`).
    pub is_write_only: bool,
}

/// What a response states of one of its headers.
pub(super) struct StatedHeader<'document> {
    pub(super) name: &'document str,
    /// The location of the header in the contract.
    pub(super) pointer: String,
    pub(super) is_required: bool,
    /// Whether its value is written as JSON, and not in the style `simple`.
    pub(super) is_json: bool,
    /// The location of the schema of its value, where there is one.
    pub(super) schema: Option<String>,
}

/// JSON's types, with OpenAPI's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonType {
    /// `array`.
    Array,
    /// `boolean`.
    Boolean,
    /// `integer`: a number without a fraction.
    Integer,
    /// `number`.
    Number,
    /// `object`.
    Object,
    /// `string`.
    String,
}

impl JsonType {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "array" => Self::Array,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "object" => Self::Object,
            "string" => Self::String,
            _ => return None,
        })
    }

    /// Returns the type's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }

    /// Whether the value is of this type. `1.0` is an integer: JSON knows one kind of number (RFC 8259, section 6).
    #[must_use]
    pub fn admits(self, value: &serde_json::Value) -> bool {
        match self {
            Self::Array => value.is_array(),
            Self::Boolean => value.is_boolean(),
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            Self::Number => value.is_number(),
            Self::Object => value.is_object(),
            Self::String => value.is_string(),
        }
    }
}

/// Expands the bodies of a contract's responses into shapes and facts.
pub(super) struct Expander<'document> {
    pub(super) document: &'document Document,
    pub(super) shapes: Vec<Shape>,
    pub(super) facts: Vec<Fact>,
    strings: StringPool,
    alternative_counts: AlternativeCounts<'document>,
    /// The number of schemas and fields expanded so far.
    parts: Cell<usize>,
    /// The first defect in a response's schema.
    rejected: Option<Defect>,
    /// The shapes of the current body by the key of what they were expanded from, so that a large body shares them.
    memo: HashMap<String, ShapeId>,
    /// The shapes that contain what is being expanded, with their keys, the outermost first.
    path: Vec<(String, ShapeId)>,
    /// The number of shapes before those of the current body.
    first: usize,
    subject: String,
    operation: OperationId,
    /// Whether what is expanded is the value of a header in the style `simple`: a text, which is a string as well as a
    /// list, whatever it is.
    is_text: bool,
    /// The gap of the `x-null` that applies to what is being expanded, if there is one above it.
    open_null: Option<SharedString>,
    /// The definitions that the discriminator of each definition names.
    children: HashMap<String, Rc<[(String, String)]>>,
    /// The locations of the `x-null` keys that apply to some response.
    pub(super) null_keys: HashSet<String>,
}

/// One schema that applies to a location: the node and its location.
#[derive(Clone)]
struct AllOfMember<'document> {
    node: &'document Node,
    pointer: String,
    /// Whether the schema that leads here has `nullable`, next to `allOf` or next to the reference. Strictly that
    /// has no effect (OpenAPI 3.0.3, sections 4.7.23 and 4.7.24.1), but nobody writes it to exclude null.
    nullable_beside_ref: bool,
}

fn is_number(types: &[JsonType]) -> bool {
    matches!(types, [JsonType::Integer | JsonType::Number])
}

/// Whether a text calls a number an estimate: "an approximation", "not exact", "a lower bound", "there may be fewer".
pub(super) fn says_estimate(text: &str) -> bool {
    const ESTIMATES: [&str; 8] = [
        "approx", "bound", "capped", "estimat", "imprecise", "inaccurate", "inexact", "rough",
    ];
    const NOT: [&str; 3] = ["accura", "exact", "precise"];
    const MAY_BE: [&str; 9] = [
        "differ", "fewer", "greater", "higher", "larger", "less", "lower", "more", "smaller",
    ];
    let text = text.to_ascii_lowercase();
    let words: Vec<_> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let has = |beginnings: &[&str]| {
        let mut words = words.iter();
        words.any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
    };
    let may = ["can", "could", "may", "might"].iter().any(|verb| words.contains(verb));
    has(&ESTIMATES) || (words.contains(&"not") && has(&NOT)) || (may && has(&MAY_BE))
}

/// Whether a text says that a number is not that of the records of a list: "at most 10", "rounded up", "includes
/// archived ones", "refreshed hourly".
fn says_another_count(text: &str) -> bool {
    const SAYS: [&str; 11] = [
        "all-time", "at most", "before access", "cached", "daily", "hourly", "includes ", "including ", "not counted",
        "refreshed", "rounded",
    ];
    // "That match the filter" are all records of a list.
    const OF_ALL: [&str; 4] = [" are ", "exist", "match", "satisf"];
    let text = text.to_ascii_lowercase();
    let is_limited = text.contains(" that ") && !OF_ALL.iter().any(|words| text.contains(words));
    is_limited || SAYS.iter().any(|words| text.contains(words))
}

/// Whether a schema names fields by a pattern. OpenAPI 3.0 does not have the keyword, but whoever writes it means that
/// the schema admits these fields. In later versions it is kept elsewhere (`dialect`).
fn has_patterns(schema: &Node) -> bool {
    schema.member("patternProperties").is_some()
}

impl<'document> Expander<'document> {
    pub(super) fn new(document: &'document Document) -> Self {
        Self {
            document,
            shapes: Vec::new(),
            facts: Vec::new(),
            strings: StringPool::default(),
            alternative_counts: AlternativeCounts::new(document),
            parts: Cell::new(0),
            rejected: None,
            memo: HashMap::new(),
            path: Vec::new(),
            first: 0,
            subject: String::new(),
            operation: OperationId(0),
            is_text: false,
            open_null: None,
            children: HashMap::new(),
            null_keys: HashSet::new(),
        }
    }

    /// Expands the schema of one response. `subject` starts the facts' names: the operation, and the status of a
    /// response that is not its first success.
    ///
    /// # Errors
    ///
    /// A schema that expands to more than [`MAX_PARTS`] schemas and fields, or whose alternatives multiply beyond what
    /// can be checked.
    pub(super) fn response(&mut self, operation: OperationId, subject: &str, schema: &str) -> Result<ShapeId, Defect> {
        self.begin(operation, subject);
        let all_of = self.all_of(schema);
        let shape = self.shape(&all_of, "", schema);
        self.end(shape, schema)
    }

    /// Expands one header of a response. `subject` is as in [`Self::response`].
    ///
    /// # Errors
    ///
    /// Those of [`Self::response`].
    pub(super) fn header(
        &mut self,
        (operation, subject): (OperationId, &str),
        header: &StatedHeader<'_>,
    ) -> Result<DocumentedHeader, Defect> {
        self.begin(operation, subject);
        let location = pointer::header(header.name);
        let is_required = header.is_required;
        let required_fact =
            is_required.then(|| self.fact(FactKind::Present, &location, header.pointer.clone(), "present"));
        let mark = self.mark();
        self.is_text = !header.is_json;
        let mut shape = self.merged(header.schema.as_slice(), &location);
        self.is_text = false;
        let is_object = |shape: &Shape| shape.types.contains(&JsonType::Object) || !shape.fields.is_empty();
        if !header.is_json && self.shapes[mark.0..].iter().any(is_object) {
            // The text of an object does not say where a value ends and the next name begins: a comma may be in either.
            self.roll_back(mark);
            shape = self.merged(&[], &location);
        }
        let documented = DocumentedHeader {
            name: header.name.to_owned(),
            required_fact,
            shape,
            is_json: header.is_json,
        };
        self.end(documented, &header.pointer)
    }

    /// Prepares for the body, or a header, of another response.
    fn begin(&mut self, operation: OperationId, subject: &str) {
        self.memo.clear();
        self.first = self.shapes.len();
        subject.clone_into(&mut self.subject);
        self.operation = operation;
    }

    /// Returns what was expanded, or why the schema at the location is rejected.
    fn end<T>(&mut self, expanded: T, location: &str) -> Result<T, Defect> {
        if self.is_exhausted() {
            let maximum = MAX_PARTS;
            return Err(self.document.defect(location, Problem::TooManyParts { maximum }));
        }
        self.rejected.take().map_or(Ok(expanded), Err)
    }

    /// Returns how far the expansion has come, for [`Self::roll_back`].
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.shapes.len(), self.facts.len())
    }

    /// Forgets what was expanded since the mark. It still counts against [`MAX_PARTS`].
    pub(super) fn roll_back(&mut self, (shapes, facts): (usize, usize)) {
        self.shapes.truncate(shapes);
        self.facts.truncate(facts);
    }

    fn count(&self, parts: usize) {
        self.parts.set(self.parts.get().saturating_add(parts));
    }

    fn is_exhausted(&self) -> bool {
        self.parts.get() > MAX_PARTS
    }

    /// `written_at` is where the contract names the schemas: the reference, where there is one.
    fn shape(&mut self, all_of: &[AllOfMember<'document>], response_pointer: &str, written_at: &str) -> ShapeId {
        let pointers = all_of.iter().map(|member| member.pointer.as_str());
        // The same schema may appear where null is left open and where it is not.
        let openness = self.open_null.is_some().then_some("x-null");
        let key = pointers.chain(openness).collect::<Vec<_>>().join(" ");
        if let Some((_, id)) = self.path.iter().find(|(other, _)| *other == key) {
            return *id;
        }
        if self.shapes.len() - self.first > SHARED_AFTER
            && let Some(id) = self.memo.get(&key)
        {
            return *id;
        }
        let id = ShapeId(self.shapes.len());
        self.shapes.push(Shape::default());
        // No response is read to that depth, so nothing that is stated there could be broken.
        if self.path.len() > MAX_DEPTH || self.is_exhausted() {
            return id;
        }
        self.memo.insert(key.clone(), id);
        self.path.push((key, id));
        let inherited = self.open_null.clone();
        self.note_x_null(all_of);
        let shape = self.fill(all_of, response_pointer);
        self.open_null.clone_from(&inherited);
        self.shapes[id.0] = Shape {
            is_estimate: is_number(&shape.types) && self.is_called_estimate(all_of, written_at),
            counts_all_pages: is_number(&shape.types) && self.is_called_count_of_all_pages(all_of, written_at),
            null_is_open: inherited.is_some(),
            gaps: self.gaps_here(all_of, inherited, written_at),
            ..shape
        };
        self.path.pop();
        id
    }

    /// Whether a schema, or what is written next to the reference to it, calls its value an estimate or another count.
    fn is_called_estimate(&self, all_of: &[AllOfMember<'document>], written_at: &str) -> bool {
        let mut texts = self.titles_and_descriptions(all_of, written_at);
        texts.any(|text| says_estimate(text) || says_another_count(text))
    }

    /// Whether a schema, or what is written next to the reference to it, says that its value counts what all pages have.
    fn is_called_count_of_all_pages(&self, all_of: &[AllOfMember<'document>], written_at: &str) -> bool {
        let mut texts = self.titles_and_descriptions(all_of, written_at);
        texts.any(|text| text.to_ascii_lowercase().contains("all pages"))
    }

    /// Returns what says what a value is, in its schemas and next to the reference to them.
    fn titles_and_descriptions<'own>(
        &'own self,
        all_of: &'own [AllOfMember<'document>],
        written_at: &str,
    ) -> impl Iterator<Item = &'own str> {
        let written = self.document.node(written_at).into_iter();
        let schemas = all_of.iter().map(|member| member.node).chain(written);
        schemas.flat_map(|schema| {
            ["title", "description"]
                .into_iter()
                .filter_map(|key| schema.text_of(key))
        })
    }

    /// Records whether one of the schemas has `x-null`, for everything below this location.
    fn note_x_null(&mut self, all_of: &[AllOfMember<'document>]) {
        let has_locations_below = |member: &&AllOfMember<'_>| {
            let keywords = ["properties", "items", "additionalProperties", "allOf"];
            keywords.iter().any(|keyword| member.node.member(keyword).is_some())
        };
        for key in all_of
            .iter()
            .filter(has_locations_below)
            .filter_map(|member| member.member("x-null"))
        {
            self.open_null = Some(self.strings.share(key.node.string().unwrap_or_default()));
            self.null_keys.insert(key.pointer);
        }
    }

    /// Returns the gaps that concern a location: those of its own schemas, and that of the `x-null` above it.
    fn gaps_here(
        &mut self,
        all_of: &[AllOfMember<'document>],
        open_null: Option<SharedString>,
        written_at: &str,
    ) -> Vec<LocatedGap> {
        let mut gaps = Vec::new();
        for (member, named) in all_of
            .iter()
            .filter_map(|member| Some((member, member.node.member("x-gap")?)))
        {
            let ids = named.elements().iter().filter_map(Node::string);
            gaps.extend(ids.map(|gap| LocatedGap {
                gap: self.strings.share(gap),
                location: self.strings.share(&member.pointer),
            }));
        }
        gaps.extend(open_null.map(|gap| LocatedGap {
            gap,
            location: self.strings.share(written_at),
        }));
        gaps
    }

    fn fill(&mut self, all_of: &[AllOfMember<'document>], response_pointer: &str) -> Shape {
        let mut shape = Shape {
            has_gap: all_of.iter().any(|member| member.node.member("x-gap").is_some()),
            ..Shape::default()
        };
        self.types(all_of, response_pointer, &mut shape);
        self.closed(all_of, response_pointer, &mut shape);
        self.fields(all_of, response_pointer, &mut shape);
        let below = |name: &str| {
            all_of
                .iter()
                .filter_map(|member| member.member(name))
                .map(|inner| inner.pointer)
                .collect::<Vec<_>>()
        };
        let items = below("items");
        if !items.is_empty() {
            shape.items = Some(self.merged(&items, &pointer::join(response_pointer, "*")));
        }
        let additional: Vec<_> = all_of
            .iter()
            .filter(|member| !has_patterns(member.node))
            .filter_map(|member| member.member("additionalProperties"))
            .collect();
        shape.allows_unlisted_fields = additional.iter().any(|inner| inner.node.boolean() != Some(false))
            || all_of.iter().any(|member| has_patterns(member.node));
        self.alternatives(all_of, &mut shape);
        let schemas: Vec<_> = additional
            .into_iter()
            .filter(|inner| inner.node.boolean().is_none())
            .map(|inner| inner.pointer)
            .collect();
        if !schemas.is_empty() {
            shape.additional = Some(self.merged(&schemas, &pointer::join(response_pointer, "*")));
        }
        self.assertions(all_of, response_pointer, &mut shape);
        shape
    }

    /// Adds the names that the alternatives of a schema document, including nested alternatives.
    fn alternatives(&self, all_of: &[AllOfMember<'document>], shape: &mut Shape) {
        let mut pending: Vec<AllOfMember<'_>> = all_of.to_vec();
        // An alternative may contain itself, and several may refer to one schema.
        let mut seen = HashSet::new();
        while let Some(schema) = pending.pop() {
            for alternative in schema.alternatives() {
                let named = self.all_of(&alternative);
                let fresh = named
                    .into_iter()
                    .filter(|one| seen.insert(std::ptr::from_ref(one.node)));
                for member in fresh {
                    let properties = member.node.members_of("properties");
                    self.count(properties.len());
                    shape
                        .names_of_alternatives
                        .extend(properties.iter().map(|property| property.name.to_string()));
                    let additional = member.node.member("additionalProperties");
                    shape.allows_unlisted_fields |=
                        additional.is_some_and(|inner| inner.boolean() != Some(false)) || has_patterns(member.node);
                    pending.push(member);
                }
            }
        }
    }

    fn merged(&mut self, schemas: &[String], response_pointer: &str) -> ShapeId {
        let all_of: Vec<_> = schemas.iter().flat_map(|schema| self.all_of(schema)).collect();
        let written_at = schemas.first().map_or("", String::as_str);
        self.shape(&all_of, response_pointer, written_at)
    }

    fn types(&mut self, all_of: &[AllOfMember<'document>], response_pointer: &str, shape: &mut Shape) {
        shape.nullable_beside_ref = all_of.iter().any(|member| member.nullable_beside_ref);
        let typed = |member: &&AllOfMember<'_>| member.string("type").is_some();
        let Some(first) = all_of.iter().find(typed) else {
            shape.nullable = true;
            return;
        };
        let mut types: Vec<_> = all_of
            .iter()
            .filter_map(|member| member.string("type").and_then(JsonType::parse))
            .collect();
        types.dedup();
        if types.contains(&JsonType::Integer) {
            types.retain(|kind| *kind != JsonType::Number);
        }
        let admits_null = |member: &AllOfMember<'_>| member.nullable_beside_ref || member.flag("nullable");
        shape.nullable = all_of.iter().filter(typed).all(admits_null);
        let mut documented = types.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" and ");
        if shape.nullable {
            documented.push_str(" or null");
        }
        shape.types = types;
        if self.is_text && matches!(shape.types.as_slice(), [JsonType::Array | JsonType::String]) {
            return;
        }
        let location = pointer::join(&first.pointer, "type");
        shape.type_fact = Some(self.fact(FactKind::Type, response_pointer, location, &documented));
    }

    fn fields(&mut self, all_of: &[AllOfMember<'document>], response_pointer: &str, shape: &mut Shape) {
        let mut names: Vec<&str> = Vec::new();
        // The first schema that requires each field.
        let mut requiring: HashMap<&str, &AllOfMember<'_>> = HashMap::new();
        for member in all_of {
            for required in member.required() {
                requiring.entry(required).or_insert(member);
            }
            let listed = member.node.members_of("properties").iter();
            let named = listed.map(|member| member.name.as_str()).chain(member.required());
            names.extend(named);
        }
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(*name));
        for name in names {
            self.count(all_of.len());
            if self.is_exhausted() {
                return;
            }
            self.field(all_of, response_pointer, (name, requiring.get(name).copied()), shape);
        }
        shape.index();
    }

    fn field(
        &mut self,
        all_of: &[AllOfMember<'document>],
        response_pointer: &str,
        (name, requiring): (&str, Option<&AllOfMember<'document>>),
        shape: &mut Shape,
    ) {
        let below = pointer::join(response_pointer, name);
        let states = |member: &&AllOfMember<'_>| {
            let properties = member.node.member("properties");
            properties.is_some_and(|properties| properties.member(name).is_some())
        };
        let stated = all_of.iter().filter(states);
        let stated: Vec<_> = stated
            .filter_map(|member| member.member("properties")?.member(name))
            .collect();
        if let Some(forbidding) = stated.iter().find(|inner| forbids(inner.node)) {
            let fact = self.fact(
                FactKind::ForbiddenFieldAbsent,
                &below,
                forbidding.pointer.clone(),
                "absent",
            );
            shape.forbidden.insert(name.to_owned(), fact);
            return;
        }
        let has_write_only = |inner: &AllOfMember<'_>| {
            let mut parts = self.all_of(&inner.pointer).into_iter();
            inner.flag("writeOnly") || parts.any(|part| part.flag("writeOnly"))
        };
        let is_write_only = stated.iter().any(has_write_only);
        let required_fact = requiring.filter(|_| !is_write_only).map(|member| {
            let location = stated.first().map_or_else(
                || pointer::join(&member.pointer, "required"),
                |inner| inner.pointer.clone(),
            );
            self.fact(FactKind::Present, &below, location, "present")
        });
        let schemas: Vec<_> = stated.into_iter().map(|inner| inner.pointer).collect();
        let field = self.merged(&schemas, &below);
        shape.fields.push(Field {
            name: self.strings.share(name),
            shape: field,
            required_fact,
            is_write_only,
        });
    }

    fn closed(&mut self, all_of: &[AllOfMember<'document>], response_pointer: &str, shape: &mut Shape) {
        let closing = all_of
            .iter()
            .filter(|member| !has_patterns(member.node))
            .filter_map(|member| Some((member, member.member("additionalProperties")?)));
        let Some((member, inner)) = closing
            .into_iter()
            .find(|(_, inner)| inner.node.boolean() == Some(false))
        else {
            return;
        };
        let names: Vec<_> = member
            .node
            .members_of("properties")
            .iter()
            .map(|member| member.name.to_string())
            .collect();
        let documented = match names.as_slice() {
            [] => "no fields".to_owned(),
            names => format!("only {}", names.join(", ")),
        };
        let fact = self.fact(FactKind::NoOtherFields, response_pointer, inner.pointer, &documented);
        shape.closed = Some((fact, names.into_iter().collect()));
    }

    fn assertions(&mut self, all_of: &[AllOfMember<'document>], response_pointer: &str, shape: &mut Shape) {
        for member in all_of {
            let keywords = json_schema::keywords(member.node);
            let Some(first) = keywords.first() else { continue };
            let location = pointer::join(&member.pointer, first);
            if let Err(maximum) = self.alternative_counts.check(member.node) {
                let defect = || {
                    self.document
                        .defect(&location, Problem::TooManyAlternatives { maximum })
                };
                self.rejected.get_or_insert_with(defect);
                return;
            }
            let fact = self.fact(FactKind::Assertion, response_pointer, location, &keywords.join(", "));
            shape.other_assertions.push((fact, member.pointer.clone()));
        }
        self.discriminators(all_of, response_pointer, shape);
    }

    /// Adds what discriminators state about the definitions that inherit from a schema, and the names of their fields.
    /// Where one of these definitions itself applies, its own facts state this.
    fn discriminators(&mut self, all_of: &[AllOfMember<'document>], response_pointer: &str, shape: &mut Shape) {
        for parent in all_of
            .iter()
            .filter(|member| discriminator::property(member.node).is_some())
        {
            let known = self.children.entry(parent.pointer.clone());
            let children = known.or_insert_with(|| discriminator::children(self.document, &parent.pointer).into());
            let children = Rc::clone(children);
            let is_child = |member: &AllOfMember<'_>| children.iter().any(|(_, child)| *child == member.pointer);
            if children.is_empty() || all_of.iter().any(is_child) {
                continue;
            }
            for (_, child) in children.iter() {
                for part in self.all_of(child) {
                    let properties = part.node.members_of("properties");
                    self.count(properties.len() + 1);
                    let names = properties.iter().map(|property| property.name.to_string());
                    shape.names_of_alternatives.extend(names);
                    let additional = part.node.member("additionalProperties");
                    shape.allows_unlisted_fields |=
                        additional.is_some_and(|inner| inner.boolean() != Some(false)) || has_patterns(part.node);
                }
            }
            let location = pointer::join(&parent.pointer, "discriminator");
            let fact = self.fact(FactKind::Assertion, response_pointer, location.clone(), "discriminator");
            shape.other_assertions.push((fact, location));
        }
    }

    fn fact(&mut self, kind: FactKind, response_pointer: &str, location: String, documented: &str) -> FactId {
        let stated = if kind == FactKind::NoOtherFields {
            "no other fields"
        } else {
            documented
        };
        let at = if response_pointer.is_empty() {
            "body"
        } else {
            response_pointer
        };
        let name = format!("{} {at}: {stated}", self.subject);
        let id = FactId(self.facts.len());
        self.facts.push(Fact {
            name: name.into(),
            operation: self.operation,
            kind,
            location: location.into(),
            response_pointer: self.strings.share(response_pointer),
            documented: self.strings.share(documented),
        });
        id
    }

    /// Returns the schemas that apply to a location, with references followed and `allOf` flattened.
    fn all_of(&self, pointer: &str) -> Vec<AllOfMember<'document>> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut pending = vec![(pointer.to_owned(), false)];
        while let Some((pointer, nullable_beside_ref)) = pending.pop() {
            self.count(1);
            let Some(node) = self.document.node(&pointer) else {
                continue;
            };
            if !seen.insert(std::ptr::from_ref(node)) {
                continue;
            }
            let says_null = node.member("nullable").and_then(Node::boolean) == Some(true);
            let nullable_below = nullable_beside_ref || says_null;
            if let Some(target) = referred_pointer(node) {
                pending.push((target, nullable_below));
                continue;
            }
            // Reversed, so that the first part is taken next.
            let parts = node.locations_in(&pointer, "allOf").rev();
            pending.extend(parts.map(|part| (part, nullable_below)));
            found.push(AllOfMember {
                node,
                pointer,
                nullable_beside_ref,
            });
        }
        found
    }
}

impl<'document> AllOfMember<'document> {
    fn member(&self, name: &str) -> Option<Self> {
        Some(Self {
            node: self.node.member(name)?,
            pointer: pointer::join(&self.pointer, name),
            nullable_beside_ref: false,
        })
    }

    /// Returns the pointers of the schemas that may or may not apply.
    fn alternatives(&self) -> Vec<String> {
        let mut found = field::alternatives(&self.pointer, self.node);
        if let Some(later) = self.member(LATER_KEYWORDS_KEY) {
            let conditions = ["if", "then", "else"].into_iter();
            found.extend(conditions.filter_map(|name| later.member(name)).map(|it| it.pointer));
            if let Some(listed) = later.member("dependentSchemas") {
                let members = listed.node.members().iter();
                found.extend(members.map(|member| pointer::join(&listed.pointer, &member.name)));
            }
        }
        found
    }

    fn string(&self, name: &str) -> Option<&'document str> {
        self.node.text_of(name)
    }

    fn flag(&self, name: &str) -> bool {
        self.node.member(name).and_then(Node::boolean) == Some(true)
    }

    fn required(&self) -> impl Iterator<Item = &'document str> {
        self.node.elements_of("required").iter().filter_map(Node::string)
    }
}

/// Returns the shape of the field at a pointer below another shape.
pub(super) fn shape_at<'shapes>(shapes: &'shapes [Shape], below: ShapeId, at: &str) -> Option<&'shapes Shape> {
    shape_id_at(shapes, below, at).map(|id| &shapes[id.0])
}

/// Returns the index of the shape of the field at a pointer below another shape, in which `*` is any element.
pub(super) fn shape_id_at(shapes: &[Shape], below: ShapeId, at: &str) -> Option<ShapeId> {
    pointer::tokens(at).try_fold(below, |id, name| shapes[id.0].below(&name))
}

/// Returns the shape of a field below another shape, by its pointer, in which `*` is any element.
pub(super) fn shape_within<'shapes>(
    shapes: &'shapes [Shape],
    shape: &'shapes Shape,
    at: &str,
) -> Option<&'shapes Shape> {
    pointer::tokens(at).try_fold(shape, |shape, name| {
        let below = shape.below(&name)?;
        Some(&shapes[below.0])
    })
}

/// `not: {}` admits no value at all: a field with it must be absent.
fn forbids(schema: &Node) -> bool {
    schema
        .member("not")
        .is_some_and(|not| not.members().is_empty() && not.string().is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Contract;
    use crate::contract::testing::{of_schema, try_schema};

    const SCHEMA: &str = "/paths/~1things/get/responses/200/content/application~1json/schema";

    /// Returns what is stated about the body: the names of the facts without the operation's.
    fn stated(contract: &Contract) -> Vec<&str> {
        let of_body = |fact: &&Fact| {
            matches!(fact.kind, FactKind::Type | FactKind::Present | FactKind::NoOtherFields)
                || matches!(fact.kind, FactKind::ForbiddenFieldAbsent | FactKind::Assertion)
        };
        let facts = contract.facts.iter().filter(of_body);
        facts.map(|fact| fact.name.strip_prefix("get ").unwrap()).collect()
    }

    /// Returns the location of the fact with this name, below the response's schema.
    fn location<'contract>(contract: &'contract Contract, name: &str) -> &'contract str {
        let fact = contract.facts.iter().find(|fact| fact.name == format!("get {name}"));
        let location = fact.expect(name).location.as_str();
        location.strip_prefix(SCHEMA).unwrap_or(location)
    }

    fn body(contract: &Contract) -> &Shape {
        let response = &contract.operations[0].responses[0];
        contract.shape(response.body.unwrap())
    }

    #[test]
    fn each_location_of_a_body_has_its_facts() {
        let contract = of_schema(
            "{type: object, required: [a], properties: {a: {type: array, items: {type: integer}}, b: {type: string}}}",
            "",
        );
        let expected = [
            "body: object", "/a: present", "/a: array", "/a/*: integer", "/b: string",
        ];
        assert_eq!(stated(&contract), expected);
        assert_eq!(location(&contract, "/a: present"), "/properties/a");
        assert_eq!(location(&contract, "/a/*: integer"), "/properties/a/items/type");
    }

    #[test]
    fn null_that_is_stated_around_a_type_is_documented() {
        let named = "N: {type: object}";
        for (field, documented) in [
            ("{nullable: true, allOf: [{type: object}]}", "/f: object or null"),
            (
                "{nullable: true, allOf: [{$ref: '#/components/schemas/N'}]}",
                "/f: object or null",
            ),
            ("{nullable: true, $ref: '#/components/schemas/N'}", "/f: object or null"),
            (
                "{nullable: true, allOf: [{allOf: [{type: object}]}]}",
                "/f: object or null",
            ),
            ("{allOf: [{nullable: true}, {type: object}]}", "/f: object"),
            (
                "{type: object, nullable: true, allOf: [{type: object}]}",
                "/f: object or null",
            ),
        ] {
            let contract = of_schema(&format!("{{properties: {{f: {field}}}}}"), named);
            assert!(stated(&contract).contains(&documented), "{field}");
        }
    }

    #[test]
    fn names_of_alternatives_are_documented_by_them() {
        let contract = of_schema(
            "{type: object, properties: {a: {}}, oneOf: [{properties: {b: {}}}, {$ref: '#/components/schemas/N'}]}",
            "N: {anyOf: [{properties: {c: {}}}], allOf: [{properties: {d: {}}}]}",
        );
        assert!(body(&contract).names_of_alternatives.iter().eq(["b", "c", "d"]));
    }

    #[test]
    fn a_name_that_many_alternatives_lead_to_is_documented_however_deep_they_lie() {
        let level = |level: usize| {
            let below = format!("{{$ref: '#/components/schemas/L{}'}}", level - 1);
            format!("L{level}: {{properties: {{p{level}: {{}}}}, anyOf: [{below}]}}")
        };
        let levels: Vec<_> = (1..20).map(level).collect();
        let schemas = format!("L0: {{properties: {{p0: {{}}}}}}\n{}", levels.join("\n"));
        let contract = of_schema("{type: object, oneOf: [{$ref: '#/components/schemas/L19'}]}", &schemas);
        assert_eq!(body(&contract).names_of_alternatives.len(), 20);
    }

    #[test]
    fn parts_of_parts_are_all_read_however_many_there_are() {
        let level = |level: usize| {
            let below = format!("{{$ref: '#/components/schemas/L{}'}}", level - 1);
            format!("L{level}: {{allOf: [{below}, {{properties: {{p{level}: {{type: string}}}}}}]}}")
        };
        let levels: Vec<_> = (1..200).map(level).collect();
        let schemas = format!("L0: {{type: object}}\n{}", levels.join("\n"));
        let contract = of_schema("{$ref: '#/components/schemas/L199'}", &schemas);
        assert_eq!(body(&contract).fields.len(), 199);
        assert_eq!(body(&contract).field_named("p7"), Some(6));
        assert_eq!(body(&contract).field_named("p200"), None);
    }

    #[test]
    fn nothing_is_stated_deeper_than_a_response_is_read() {
        let level = |level: usize| {
            let above = level + 1;
            format!("L{level}: {{type: object, properties: {{p: {{$ref: '#/components/schemas/L{above}'}}}}}}")
        };
        let levels: Vec<_> = (0..5000).map(level).collect();
        let schemas = format!("{}\nL5000: {{type: object}}", levels.join("\n"));
        let contract = of_schema("{$ref: '#/components/schemas/L0'}", &schemas);
        assert!(stated(&contract).len() <= 130);
    }

    #[test]
    fn schemas_that_repeat_each_other_without_end_are_rejected_with_the_location() {
        let names: Vec<_> = (0..2500).map(|number| format!("p{number}: {{}}")).collect();
        let parts = vec!["{properties: {a: {}}}"; 2500].join(", ");
        let schema = format!(
            "{{allOf: [{parts}, {{properties: {{{}}}}}, {{properties: {{x: {{}}}}}}]}}",
            names.join(", ")
        );
        let twice = format!(
            "{{properties: {{a: {schema}, b: {{$ref: '{}'}}}}}}",
            "#/components/schemas/S"
        );
        let reported = try_schema(&twice, &format!("S: {schema}")).unwrap_err().to_string();
        assert!(
            reported.contains(SCHEMA) && reported.contains("expand to more than 10000000 schemas and fields"),
            "{reported}"
        );
    }

    #[test]
    fn the_parts_of_all_of_bind_one_location_together() {
        let contract = of_schema(
            "{allOf: [{$ref: '#/components/schemas/Base'}, {type: object, required: [b, c], properties: {c: {}}}]}",
            "Base: {type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}",
        );
        let expected = [
            "body: object", "/a: present", "/a: string", "/b: present", "/b: string", "/c: present",
        ];
        assert_eq!(stated(&contract), expected);
        assert_eq!(
            location(&contract, "/b: present"),
            "/components/schemas/Base/properties/b"
        );
    }

    #[test]
    fn a_field_of_several_parts_is_bound_by_all_of_them() {
        let contract = of_schema(
            "{allOf: [{properties: {a: {type: number}}}, {properties: {a: {type: integer, minimum: 1}}}]}",
            "",
        );
        assert_eq!(stated(&contract), ["/a: integer", "/a: minimum"]);
        assert_eq!(body(&contract).fields.len(), 1);
    }

    #[test]
    fn a_field_that_is_only_required_is_there_and_may_be_anything() {
        let contract = of_schema("{type: object, required: [a]}", "");
        assert_eq!(stated(&contract), ["body: object", "/a: present"]);
        assert_eq!(location(&contract, "/a: present"), "/required");
    }

    #[test]
    fn null_is_documented_where_every_typed_part_says_so() {
        for (schema, name) in [
            ("{type: string, nullable: true}", "body: string or null"),
            ("{type: string}", "body: string"),
            (
                "{allOf: [{type: string, nullable: true}, {minLength: 1}]}",
                "body: string or null",
            ),
            (
                "{allOf: [{type: string, nullable: true}, {type: string}]}",
                "body: string",
            ),
        ] {
            let contract = of_schema(schema, "");
            assert_eq!(stated(&contract)[0], name, "{schema}");
            assert_eq!(body(&contract).nullable, name.ends_with("null"), "{schema}");
        }
    }

    #[test]
    fn a_location_without_a_type_states_none() {
        let contract = of_schema("{}", "");
        assert!(stated(&contract).is_empty());
        assert!(body(&contract).nullable && body(&contract).type_fact.is_none());
    }

    #[test]
    fn a_schema_that_contains_itself_leads_back() {
        let tree =
            "Tree: {type: object, properties: {below: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}";
        let contract = of_schema("{$ref: '#/components/schemas/Tree'}", tree);
        assert_eq!(stated(&contract), ["body: object", "/below: array"]);
        let below = contract.shape(body(&contract).fields[0].shape);
        assert_eq!(below.items, contract.operations[0].responses[0].body);
    }

    #[test]
    fn a_schema_that_contains_itself_within_all_of_leads_back() {
        let schemas = "Named: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}}}\n\
                       Node: {allOf: [{$ref: '#/components/schemas/Named'}, {$ref: '#/components/schemas/Node'}]}";
        let contract = of_schema("{$ref: '#/components/schemas/Node'}", schemas);
        assert_eq!(stated(&contract), ["body: object"]);
    }

    #[test]
    fn null_is_left_open_below_the_schema_that_says_so_and_not_around_it() {
        let node = "Node: {type: object, properties: {id: {type: string}, of: {type: array, items: \
                    {$ref: '#/components/schemas/Node'}}}}";
        let page = "{type: object, properties: {total: {type: integer}, item: {$ref: '#/components/schemas/Node'}}}";
        let gap = "x-gaps: [{id: nulls, question: a, stated: silent}]";
        let text = of_schema(page, node)
            .document
            .text()
            .replacen("Node: {", "Node: {x-null: nulls, ", 1);
        let contract = Contract::read("things.yaml", format!("{gap}\n{text}"));
        let contract = contract.unwrap_or_else(|defect| panic!("{defect}"));
        let open = |shape: &Shape| {
            shape
                .fields
                .iter()
                .map(|field| contract.shape(field.shape).null_is_open)
                .collect()
        };
        let page = body(&contract);
        let item = contract.shape(page.fields[1].shape);
        let element = contract.shape(contract.shape(item.fields[1].shape).items.unwrap());
        let reported: [Vec<bool>; 3] = [open(page), open(item), open(element)];
        assert_eq!(reported, [[false, false], [true, true], [true, true]]);
        assert!(!page.null_is_open && !item.null_is_open && element.null_is_open);
    }

    #[test]
    fn a_document_that_would_explode_shares_its_shapes() {
        let level = |level: usize| {
            let next = format!("{{$ref: '#/components/schemas/L{}'}}", level + 1);
            format!("L{level}: {{type: object, properties: {{a: {next}, b: {next}}}}}\n")
        };
        let schemas: String = (0..40).map(level).chain(["L40: {type: string}".to_owned()]).collect();
        let contract = of_schema("{$ref: '#/components/schemas/L0'}", &schemas);
        assert!(contract.shapes.len() < 2 * SHARED_AFTER, "{}", contract.shapes.len());
    }

    #[test]
    fn a_field_for_requests_alone_need_not_be_answered() {
        let field = |keyword: &str| {
            of_schema(
                &format!("{{type: object, required: [a], properties: {{a: {{type: string, {keyword}: true}}}}}}"),
                "",
            )
        };
        assert_eq!(stated(&field("writeOnly")), ["body: object", "/a: string"]);
        for elsewhere in [
            "$ref: '#/components/schemas/A'",
            "allOf: [{$ref: '#/components/schemas/A'}]",
        ] {
            let schema = format!("{{type: object, required: [a], properties: {{a: {{{elsewhere}}}}}}}");
            let contract = of_schema(&schema, "A: {type: string, writeOnly: true}");
            assert_eq!(stated(&contract), ["body: object", "/a: string"], "{elsewhere}");
        }
        assert_eq!(
            stated(&field("readOnly")),
            ["body: object", "/a: present", "/a: string"]
        );
    }

    #[test]
    fn a_field_that_admits_nothing_must_be_absent_even_where_it_is_required() {
        let contract = of_schema("{type: object, required: [a], properties: {a: {not: {}}}}", "");
        assert_eq!(stated(&contract), ["body: object", "/a: absent"]);
        assert_eq!(location(&contract, "/a: absent"), "/properties/a");
        assert!(body(&contract).fields.is_empty());
    }

    #[test]
    fn a_field_that_excludes_something_is_not_absent() {
        let contract = of_schema("{type: object, properties: {a: {not: {type: string}}}}", "");
        assert_eq!(stated(&contract), ["body: object", "/a: not"]);
        assert!(body(&contract).forbidden.is_empty());
    }

    #[test]
    fn a_closed_object_names_its_fields() {
        let contract = of_schema(
            "{type: object, properties: {a: {}, b: {}}, additionalProperties: false}",
            "",
        );
        let (fact, names) = body(&contract).closed.as_ref().unwrap();
        assert!(names.iter().eq(["a", "b"]));
        assert_eq!(contract.fact(*fact).documented, "only a, b");
        assert_eq!(location(&contract, "body: no other fields"), "/additionalProperties");
        assert!(!body(&contract).allows_unlisted_fields && body(&contract).additional.is_none());
    }

    #[test]
    fn a_closed_object_without_fields_says_so() {
        let contract = of_schema("{type: object, additionalProperties: false}", "");
        let (fact, names) = body(&contract).closed.as_ref().unwrap();
        assert!(names.is_empty());
        assert_eq!(contract.fact(*fact).documented, "no fields");
    }

    #[test]
    fn an_object_with_fields_named_by_a_pattern_is_not_closed() {
        let contract = of_schema(
            "{type: object, properties: {a: {}}, patternProperties: {'^x-': {}}, additionalProperties: false}",
            "",
        );
        assert!(body(&contract).closed.is_none() && body(&contract).allows_unlisted_fields);
    }

    #[test]
    fn a_part_that_is_closed_admits_no_field_of_the_others() {
        let closed = "{type: object, properties: {a: {}}, additionalProperties: false}";
        let contract = of_schema(&format!("{{allOf: [{closed}, {{properties: {{b: {{}}}}}}]}}"), "");
        let (_, names) = body(&contract).closed.as_ref().unwrap();
        assert!(names.iter().eq(["a"]));
    }

    #[test]
    fn additional_properties_are_open_or_have_a_shape() {
        let open = of_schema("{type: object, additionalProperties: true}", "");
        assert!(body(&open).allows_unlisted_fields && body(&open).additional.is_none());
        let shaped = of_schema("{type: object, additionalProperties: {type: integer}}", "");
        assert_eq!(stated(&shaped), ["body: object", "/*: integer"]);
        assert_eq!(location(&shaped, "/*: integer"), "/additionalProperties/type");
        assert!(body(&shaped).allows_unlisted_fields && body(&shaped).additional.is_some());
    }

    #[test]
    fn a_response_that_is_no_success_has_its_status_in_the_name() {
        let json = "content: {application/json: {schema: {type: object}}}";
        let path = format!(
            "/things: {{get: {{operationId: get, responses: {{'200': {{description: a}}, '404': {{description: b, {json}}}}}}}}}"
        );
        let contract = crate::contract::testing::of_paths(&path, "").unwrap();
        assert_eq!(stated(&contract), ["404 body: object"]);
    }

    #[test]
    fn facts_with_the_same_name_are_numbered() {
        let contract = of_schema("{allOf: [{pattern: a}, {pattern: b}, {pattern: c}]}", "");
        assert_eq!(
            stated(&contract),
            ["body: pattern", "body: pattern (2)", "body: pattern (3)"]
        );
    }

    #[test]
    fn a_success_after_another_has_its_status_in_the_name() {
        let json = "content: {application/json: {schema: {type: object}}}";
        let path = format!(
            "/things: {{get: {{operationId: get, responses: {{'204': {{description: a}}, \
             '200': {{description: a, {json}}}, '201': {{description: b, {json}}}}}}}}}"
        );
        let contract = crate::contract::testing::of_paths(&path, "").unwrap();
        assert_eq!(stated(&contract), ["body: object", "201 body: object"]);
    }

    #[test]
    fn each_type_admits_its_own_values() {
        let values = [
            json!([]),
            json!(true),
            json!(1),
            json!(1.5),
            json!({}),
            json!("a"),
            json!(null),
        ];
        for (kind, admitted) in [
            ("array", [true, false, false, false, false, false, false]),
            ("boolean", [false, true, false, false, false, false, false]),
            ("integer", [false, false, true, false, false, false, false]),
            ("number", [false, false, true, true, false, false, false]),
            ("object", [false, false, false, false, true, false, false]),
            ("string", [false, false, false, false, false, true, false]),
        ] {
            let parsed = JsonType::parse(kind).unwrap();
            assert_eq!(values.each_ref().map(|value| parsed.admits(value)), admitted, "{kind}");
            assert_eq!(parsed.name(), kind);
        }
        assert!(JsonType::Integer.admits(&json!(1.0)) && JsonType::Integer.admits(&json!(u64::MAX)));
        assert_eq!(JsonType::parse("null"), None);
    }
}
