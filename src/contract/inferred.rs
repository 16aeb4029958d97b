//! Infers the links that a document does not write: `GET /pets` shows what `GET /pets/{petId}` reads, and so does the
//! response of `POST /pets`. The main function is [`links`].
//!
//! # Design
//!
//! A link is inferred by path, name and type, and only where each leaves one choice: the path before the parameter is
//! that of a list or a create, one array of the list's response has its records, and one field of a record is its
//! identifier; or one map has the records, under names that are their identifiers. Where two would fit, none is taken.
//! A required identifier with the very name of the parameter is that of the created record even where the collection is
//! called otherwise (`user_group_id` of `/groups`), unless the document has such other records or the caller sends it.
//! A query, such as `POST /pets/search`, shows the records of its collection, as the list does. If a create's response
//! shows no identifier but documents a `Location` header, the identifier is taken from that header. A value that a list
//! shows belongs to somebody, so no link leads from a read to a write. A parameter that a link of the document fills
//! gets no inferred one. [`guessed`] adds links where only the path says what a parameter is.

use std::collections::{HashMap, HashSet};

use super::Contract;
use super::document::{Document, Node};
use super::field::{required_fields, required_of, with_all_of};
use super::guessed;
use super::lexicon::{camel_case_words, singular};
use super::link::{Link, LinkTarget};
use super::load::{referred, resolve};
use super::operation::{Method, Operation, OperationId, Parameter, ParameterLocation};
use super::pointer;
use super::query::queried_collection;
use super::reference;
use super::shape::{Field, JsonType, Shape, ShapeId, shape_at};

/// The method of an operation, and its path without the names of parameters.
pub(super) type MethodAndPath = (Method, String);

/// Returns the inferred links, whose indexes follow those of the stated ones.
pub(super) fn links((document, operations): (&Document, &[Operation]), shapes: &[Shape], stated: &[Link]) -> Vec<Link> {
    let collections = Collections::new(operations, shapes);
    let is_stated: HashSet<_> = stated.iter().filter_map(Link::fills).collect();
    let kinds = record_kinds(operations);
    let mut inferred = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        for (number, parameter) in operation.parameters.iter().enumerate() {
            let (to, target) = (OperationId(index), LinkTarget::Parameter(number));
            let Some(path) = collection_of(operation, parameter).filter(|_| !is_stated.contains(&(to, number))) else {
                continue;
            };
            for from in collections.sources(path, to) {
                let records = RecordFinder::new(shapes, collection_name(path));
                let source = &operations[from.0];
                let in_body = records.identifier(source, (document, parameter));
                let in_read = || collections.get_operation_of(format!("{}/{{}}", comparable_path(path)));
                let own_name = || {
                    let read = &operations[in_read()?.0];
                    let is_free = !names_another_kind(&parameter.name, &kinds);
                    is_free.then(|| records.required_identifier((source, read), (document, parameter)))?
                };
                let value = in_body
                    .or_else(own_name)
                    .or_else(|| documents_location(document, source).then(|| Link::IN_LOCATION_HEADER.to_owned()));
                // What is inferred last is taken first: the identifier that a member shows, and else its name in the
                // map.
                let names = records.names(source, (document, parameter));
                for value in names.into_iter().chain(value) {
                    let index = stated.len() + inferred.len();
                    inferred.push(collections.link(index, (from, value), (to, target.clone())));
                }
            }
        }
    }
    inferred.extend(guessed::links(&collections, (stated, &inferred)));
    inferred.extend(in_bodies((document, operations), shapes, (stated, &inferred)));
    inferred.extend(repeated_identifiers(
        (document, operations),
        shapes,
        (stated, &inferred),
    ));
    inferred
}

/// The operations of a document, by the collections that they show.
pub(super) struct Collections<'document> {
    pub(super) operations: &'document [Operation],
    pub(super) shapes: &'document [Shape],
    /// The operations, by method and path.
    at: HashMap<MethodAndPath, OperationId>,
    /// The queries, by the path of the collection in which they look.
    queries: HashMap<String, Vec<OperationId>>,
}

impl<'document> Collections<'document> {
    /// Reads which collections the paths of these operations name.
    pub(super) fn new(operations: &'document [Operation], shapes: &'document [Shape]) -> Self {
        let at = operations
            .iter()
            .enumerate()
            .map(|(index, operation)| ((operation.method, comparable_path(&operation.path)), OperationId(index)));
        Self {
            operations,
            shapes,
            at: at.collect(),
            queries: queries(operations),
        }
    }

    /// Returns the `GET` of a path in the form in which paths are compared.
    pub(super) fn get_operation_of(&self, comparable: String) -> Option<OperationId> {
        self.at.get(&(Method::Get, comparable)).copied()
    }

    /// Returns the operations whose responses may show what a call takes for a record of the collection at this path:
    /// for a read the list, the create and the queries, and otherwise the create.
    pub(super) fn sources(&self, path: &str, to: OperationId) -> Vec<OperationId> {
        let path = comparable_path(path);
        let is_get = self.operations[to.0].is_get();
        let methods = if is_get {
            &[Method::Get, Method::Post][..]
        } else {
            &[Method::Post]
        };
        let at = methods
            .iter()
            .filter_map(|method| self.at.get(&(*method, path.clone())))
            .filter(|from| is_get || !self.operations[from.0].is_query());
        let asked = self.queries.get(&path).filter(|_| is_get);
        let sources = at.chain(asked.into_iter().flatten()).copied();
        sources.filter(|from| *from != to).collect()
    }

    /// Returns an inferred link.
    pub(super) fn link(
        &self,
        index: usize,
        (from, value_at): (OperationId, String),
        (to, target): (OperationId, LinkTarget),
    ) -> Link {
        Link {
            index,
            from,
            value_at,
            to,
            target,
            pointer: self.operations[from.0].pointer.clone(),
            inferred: true,
            guessed: false,
        }
    }
}

/// Returns the links from creates into required fields of bodies, if a field is named like the identifier of what the
/// create makes: `flow_id`, or `flow` where that is a UUID or a reference, takes what `POST /flows` returns and `GET
/// /flows/{id}` reads. None leads from a read: a record that it shows belongs to somebody. Nor is there one if another
/// collection has a name that ends with the noun (`/sales/flows`, `/product-flows`): the field may be for its records.
fn in_bodies(
    (document, operations): (&Document, &[Operation]),
    shapes: &[Shape],
    (stated, inferred): (&[Link], &[Link]),
) -> Vec<Link> {
    let mut creates: HashMap<String, Vec<&Link>> = HashMap::new();
    for link in inferred {
        let (from, to) = (&operations[link.from.0], &operations[link.to.0]);
        if from.creates()
            && to.is_get()
            && is_path_of_item(&to.path, &from.path)
            && link.value_at != Link::IN_LOCATION_HEADER
        {
            let kind = singular(&comparable_name(collection_name(&from.path)));
            creates.entry(kind).or_default().push(link);
        }
    }
    let paths = operations.iter().map(|operation| operation.path.as_str());
    let named: Vec<_> = paths.map(|path| (path, kinds_named_by(path))).collect();
    creates.retain(|kind, links| {
        let is_own = |path: &str| {
            links
                .iter()
                .any(|link| is_at_or_below(path, &operations[link.from.0].path))
        };
        !named.iter().any(|(path, kinds)| kinds.contains(kind) && !is_own(path))
    });
    let mut links = Vec::new();
    for (index, operation) in operations
        .iter()
        .enumerate()
        .filter(|(_, operation)| !operation.is_read())
    {
        for (name, schema) in required_fields(document, operation) {
            let Some(field) = schema.and_then(|schema| document.node(&resolve(document, schema))) else {
                continue;
            };
            let at = pointer::join("", name);
            let reference = reference::identifier(document, field);
            let (at, field) = match reference {
                Some(id) => (pointer::join(&at, &id.name), referred(document, &id.node)),
                None => (at, field),
            };
            let target = LinkTarget::Body(at);
            let to = OperationId(index);
            let is_stated = stated.iter().any(|link| link.to == to && link.target == target);
            let named = comparable_name(name);
            // Text under the name of a kind of record may be anything, but a UUID is an identifier.
            let is_uuid = field.text_of("format") == Some("uuid");
            let names_kind = is_uuid || reference.is_some();
            let kind = named.strip_suffix("id").filter(|kind| !kind.is_empty());
            let Some(source) = kind
                .or(names_kind.then_some(named.as_str()))
                .and_then(|kind| only(creates.get(kind)?))
            else {
                continue;
            };
            if is_stated
                || source.from == to
                || !is_of_type((document, field), linked_shape(shapes, operations, source))
            {
                continue;
            }
            links.push(Link {
                index: stated.len() + inferred.len() + links.len(),
                to,
                target,
                ..(*source).clone()
            });
        }
    }
    links
}

/// Whether a path is that of a collection, or of something below it.
fn is_at_or_below(path: &str, collection: &str) -> bool {
    let (path, collection) = (comparable_path(path), comparable_path(collection));
    path.strip_prefix(&collection)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the kinds with which the name ends by which a path names records: `group` and `productgroup` for
/// `/product-groups/{id}`. A list below another record (`/users/{id}/groups`) may show the same records, so it counts
/// only if its records are read there.
fn kinds_named_by(path: &str) -> Vec<String> {
    let path = comparable_path(path);
    let (collection, is_item) = match path.strip_suffix("/{}") {
        Some(collection) => (collection, true),
        None => (path.as_str(), false),
    };
    let named = collection.rsplit_once('/');
    let Some((_, name)) = named.filter(|(before, _)| is_item || !before.contains("{}")) else {
        return Vec::new();
    };
    let words = camel_case_words(name);
    (0..words.len()).map(|at| singular(&words[at..].concat())).collect()
}

/// Whether a path is that of an item in the collection at the other one.
fn is_path_of_item(path: &str, collection: &str) -> bool {
    comparable_path(path) == format!("{}/{{}}", comparable_path(collection))
}

/// Returns the links into the identifiers that bodies must repeat from their paths, as the `id` of a PUT often is, and
/// that of a resource object in an update of JSON:API (version 1.1, section "Updating Resources").
fn repeated_identifiers(
    (document, operations): (&Document, &[Operation]),
    shapes: &[Shape],
    (stated, inferred): (&[Link], &[Link]),
) -> Vec<Link> {
    let names_record = |link: &&Link| {
        let (from, to) = (&operations[link.from.0], &operations[link.to.0]);
        let in_path = matches!(link.target, LinkTarget::Parameter(_));
        in_path && from.creates() && !to.is_read() && is_path_of_item(&to.path, &from.path)
    };
    let required = |schema: String, name: &str| {
        let mut fields = required_of(document, schema).into_iter();
        fields.find(|(field, _)| *field == name).and_then(|(_, schema)| schema)
    };
    let mut links = Vec::new();
    for link in inferred.iter().filter(names_record) {
        let body = operations[link.to.0].request_body.as_ref();
        let Some(schema) = body.and_then(|body| body.schema.clone()) else {
            continue;
        };
        let within = required(schema.clone(), "data").and_then(|data| required(data, "id"));
        let at = required(schema, "id").map(|at| ("/id", at));
        let Some((at, schema)) = at.or_else(|| within.map(|at| (Link::JSON_API_IDENTIFIER, at))) else {
            continue;
        };
        let target = LinkTarget::Body(at.to_owned());
        let is_known = stated
            .iter()
            .chain(inferred)
            .any(|other| other.to == link.to && other.target == target);
        let field = document.node(&resolve(document, schema));
        if !is_known && field.is_some_and(|field| is_of_type((document, field), linked_shape(shapes, operations, link)))
        {
            links.push(Link {
                index: stated.len() + inferred.len() + links.len(),
                target,
                ..link.clone()
            });
        }
    }
    links
}

/// Returns the only one of these links, or the only one that is not guessed.
fn only<'link>(links: &[&'link Link]) -> Option<&'link Link> {
    let mut certain = links.iter().filter(|link| !link.guessed);
    match (links, certain.next(), certain.next()) {
        ([link], ..) | (_, Some(link), None) => Some(link),
        _ => None,
    }
}

/// Returns the shape of the value that a link takes from a success.
fn linked_shape<'shapes>(shapes: &'shapes [Shape], operations: &[Operation], link: &Link) -> Option<&'shapes Shape> {
    shape_at(shapes, operations[link.from.0].success_body()?, &link.value_at)
}

/// Whether a field, or one of its alternatives, has the one type of a shape.
fn is_of_type((document, field): (&Document, &Node), shape: Option<&Shape>) -> bool {
    let alternatives = ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|keyword| field.member(keyword));
    let alternatives = alternatives
        .flat_map(Node::elements)
        .map(|node| referred(document, node));
    let mut kinds = [field].into_iter().chain(alternatives).filter_map(|node| {
        let kind = node.text_of("type");
        kind.and_then(JsonType::parse)
    });
    shape.is_some_and(|shape| kinds.any(|kind| shape.types == [kind]))
}

/// Returns the queries, by the path of the collection in which they look for records: `POST /pets/search` looks in
/// `/pets`.
fn queries(operations: &[Operation]) -> HashMap<String, Vec<OperationId>> {
    let mut queries: HashMap<_, Vec<_>> = HashMap::new();
    let found = operations
        .iter()
        .enumerate()
        .filter(|(_, operation)| operation.is_query());
    for (index, query) in found {
        if let Some(collection) = queried_collection(query) {
            queries
                .entry(comparable_path(collection))
                .or_default()
                .push(OperationId(index));
        }
    }
    queries
}

/// Whether a 201 of a create documents a `Location` header: it names the record (RFC 9110, section 15.3.2).
fn documents_location(document: &Document, create: &Operation) -> bool {
    let created = create.response_of_exactly(201).filter(|_| create.creates());
    created.is_some_and(|created| created.documents_header(document, "Location"))
}

/// Returns the path of the collection whose record a path parameter names: the path before it, if
/// the parameter is a whole segment and the segment before it is not a parameter.
pub(super) fn collection_of<'operation>(
    operation: &'operation Operation,
    parameter: &Parameter,
) -> Option<&'operation str> {
    if parameter.location != ParameterLocation::Path {
        return None;
    }
    let segment = format!("/{{{}}}", parameter.name);
    let (before, after) = operation.path.split_once(&segment)?;
    let is_segment = after.is_empty() || after.starts_with('/');
    let last = before
        .rsplit('/')
        .next()
        .filter(|last| !last.is_empty() && !last.contains('{'));
    last.filter(|_| is_segment).map(|_| before)
}

/// Returns a path in the form in which paths are compared: with `{}` for each parameter, and without a slash at its
/// end.
pub(super) fn comparable_path(path: &str) -> String {
    without_names(path.trim_end_matches('/'))
}

/// Returns a path, or its beginning, with `{}` for each parameter.
pub(super) fn without_names(path: &str) -> String {
    let is_parameter = |segment: &str| segment.starts_with('{') && segment.ends_with('}');
    let segments = path.split('/');
    let segments = segments.map(|segment| if is_parameter(segment) { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// Returns the name of the collection that a path ends with.
pub(super) fn collection_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// Finds the records of a collection, and their fields, in the shapes of what operations respond with.
pub(super) struct RecordFinder<'contract> {
    shapes: &'contract [Shape],
    /// The last segment of the collection's path.
    name: &'contract str,
}

impl<'contract> RecordFinder<'contract> {
    /// Creates the finder for a collection whose path ends with this name.
    pub(super) fn new(shapes: &'contract [Shape], name: &'contract str) -> Self {
        Self { shapes, name }
    }

    /// Returns where a success of the operation shows the identifier that the parameter takes.
    fn identifier(&self, from: &Operation, taken_by: (&Document, &Parameter)) -> Option<String> {
        // What the run has created is its own.
        let is_guarded = from.is_read() && may_be_secret(&self.singular());
        self.value(from, &taken_by.1.name, |record| {
            let field = self.field(record, taken_by)?;
            (!is_guarded || self.is_identifier(field)).then_some(field)
        })
    }

    /// Returns where a success of a create shows a required identifier with the very name and type of the parameter,
    /// whatever the collection is called: `user_group_id` of `POST /groups`, where `GET /groups/{user_group_id}` shows
    /// it too. One that the create's body has is chosen by the caller, or belongs to another record.
    fn required_identifier(
        &self,
        (create, read): (&Operation, &Operation),
        (document, parameter): (&Document, &Parameter),
    ) -> Option<String> {
        let sent = create.request_body.as_ref().and_then(|body| body.schema.clone());
        let sent = sent.map_or_else(Vec::new, |schema| with_all_of(document, schema));
        let mut sent = sent.iter().flat_map(|(_, node)| node.members_of("properties"));
        if !create.creates() || sent.any(|property| property.name == parameter.name) {
            return None;
        }
        let field = |operation: &Operation| {
            let (at, record) = self.by_required_name(operation.success_body()?, &parameter.name)?;
            let index = record.field_named(&parameter.name)?;
            let wanted = types(document, parameter);
            let is_same = !wanted.is_empty() && self.shapes[record.fields[index].shape.0].types == wanted;
            is_same.then(|| pointer::join(&at, &parameter.name))
        };
        field(read).and_then(|_| field(create))
    }

    /// Returns where a success of the operation shows the field that `field` finds in a record;
    /// `parameter_name` is that of the parameter that takes it.
    pub(super) fn value(
        &self,
        from: &Operation,
        parameter_name: &str,
        field: impl Fn(&'contract Shape) -> Option<&'contract str>,
    ) -> Option<String> {
        let body = from.success_body()?;
        let candidates = if from.is_read() {
            self.arrays_and_maps((String::new(), body), 0)
        } else {
            self.by_usual_name(body, parameter_name).into_iter().collect()
        };
        let with_field = candidates
            .into_iter()
            .filter_map(|(at, record)| Some((pointer::join(&at, field(record)?), at)));
        let found: Vec<_> = with_field.collect();
        let mut named = found.iter().filter(|(_, at)| self.is_named_like_collection(at));
        match found.as_slice() {
            [(only, _)] => Some(only.clone()),
            // Of several arrays, the one that is named like the collection.
            _ => named
                .next()
                .filter(|_| named.next().is_none())
                .map(|(value, _)| value.clone()),
        }
    }

    /// Returns the one field of a record that has one of these names, in the form in which names are compared; the
    /// first name that any field has counts.
    pub(super) fn plain_field(&self, record: &'contract Shape, names: &[&str]) -> Option<&'contract str> {
        let called = |name: &&str| {
            let named = record
                .fields
                .iter()
                .filter(|field| comparable_name(&field.name) == **name);
            Some(named.collect::<Vec<_>>()).filter(|named| !named.is_empty())
        };
        let [only] = names.iter().find_map(called)?[..] else {
            return None;
        };
        may_be_sent(&self.shapes[only.shape.0], &[]).then_some(only.name.as_str())
    }

    /// Returns the name of one record, in the form in which names are compared.
    pub(super) fn singular(&self) -> String {
        singular(&comparable_name(self.name))
    }

    /// Whether the array with these elements has the name of the collection.
    fn is_named_like_collection(&self, elements: &str) -> bool {
        let array = elements.strip_suffix("/*").and_then(|at| pointer::tokens(at).last());
        array.is_some_and(|name| comparable_name(&name) == comparable_name(self.name))
    }

    /// Returns where a success of a read has the names of a map's members, if the map is the whole response, its
    /// members are records, and the parameter takes any text.
    fn names(&self, from: &Operation, (document, parameter): (&Document, &Parameter)) -> Option<String> {
        let body = from.success_body().filter(|_| from.is_read())?;
        let shape = &self.shapes[body.0];
        let records = shape
            .additional
            .filter(|_| shape.fields.is_empty() && shape.items.is_none())?;
        let is_text = types(document, parameter).iter().all(|kind| *kind == JsonType::String);
        let is_text = is_text && !may_be_secret(&self.singular());
        let are_records = !self.shapes[records.0].fields.is_empty();
        (is_text && are_records).then(|| Link::NAMES.to_owned())
    }

    /// Returns the arrays and maps of objects in a value, at most one envelope deep, each with the shape of its
    /// elements. A map has no properties of its own.
    pub(super) fn arrays_and_maps(
        &self,
        (at, shape): (String, ShapeId),
        depth: usize,
    ) -> Vec<(String, &'contract Shape)> {
        let shape = &self.shapes[shape.0];
        let members = shape.additional.filter(|_| shape.fields.is_empty());
        if let Some(items) = shape.items.or(members) {
            let items = &self.shapes[items.0];
            return if items.fields.is_empty() {
                Vec::new()
            } else {
                vec![(pointer::join(&at, "*"), items)]
            };
        }
        if depth > MAX_ENVELOPES {
            return Vec::new();
        }
        let fields = shape.fields.iter();
        fields
            .flat_map(|field| self.arrays_and_maps((pointer::join(&at, &field.name), field.shape), depth + 1))
            .collect()
    }

    /// Returns the one record in the response of a create or a read: the body, or the one object in it that has an
    /// identifier. If none has, the field `named` counts as one, provided that it is a usual name for identifiers
    /// (`uuid`, `slug`), or that it is required and named like one (`user_group_id`).
    pub(super) fn in_response(&self, body: ShapeId, named: &str) -> Option<(String, &'contract Shape)> {
        let usual = self.by_usual_name(body, named);
        usual.or_else(|| self.by_required_name(body, named))
    }

    /// Returns the one record in the response of a create or a read that has an identifier with a usual name.
    fn by_usual_name(&self, body: ShapeId, named: &str) -> Option<(String, &'contract Shape)> {
        let named = comparable_name(named);
        // `pool_name` is the `name` of a pool.
        let short = Contract::short_name(self.name, &named);
        let called = |is_named: &dyn Fn(&str) -> bool| self.object_with(body, |field| is_named(&field.name));
        called(&|name| self.is_identifier(name))
            .or_else(|| may_identify(&named).then(|| called(&|name| comparable_name(name) == named))?)
            .or_else(|| called(&|name| Some(comparable_name(name)) == short))
    }

    /// Returns the one record in a response with a required field of exactly this name, if that is one of an
    /// identifier.
    fn by_required_name(&self, body: ShapeId, named: &str) -> Option<(String, &'contract Shape)> {
        let is_named = |field: &Field| *field.name == *named && field.required_fact.is_some();
        kind_identified_by(named).and_then(|_| self.object_with(body, is_named))
    }

    /// Returns the one record that a read by a chosen name shows: that of [`Self::in_response`], or else the whole
    /// body.
    pub(super) fn in_read(&self, body: ShapeId, named: &str) -> Option<(String, &'contract Shape)> {
        let whole = &self.shapes[body.0];
        let whole = (!whole.fields.is_empty()).then(|| (String::new(), whole));
        self.in_response(body, named).or(whole)
    }

    /// Returns the body, or the one object in it, with a field that `identifies` accepts.
    fn object_with(&self, body: ShapeId, identifies: impl Fn(&Field) -> bool) -> Option<(String, &'contract Shape)> {
        let shape = &self.shapes[body.0];
        let has_id = |shape: &Shape| shape.fields.iter().any(&identifies);
        if has_id(shape) {
            return Some((String::new(), shape));
        }
        let below = shape
            .fields
            .iter()
            .map(|field| (&field.name, &self.shapes[field.shape.0]));
        let mut with_id = below.filter(|(_, shape)| has_id(shape));
        let (name, record) = with_id.next().filter(|_| with_id.next().is_none())?;
        // Beside other data, such an object is another record that this one refers to: the role of a user.
        let mut others = shape
            .fields
            .iter()
            .map(|field| comparable_name(&field.name))
            .filter(|other| *other != comparable_name(name));
        let named = comparable_name(name);
        let is_named_like_record =
            named == singular(&comparable_name(self.name)) || NAMES_OF_ANY_RECORD.contains(&named.as_str());
        let is_around = |other: String| BESIDE_RECORDS.contains(&other.as_str());
        (is_named_like_record || others.all(is_around)).then(|| (pointer::join("", name), record))
    }

    /// Returns the field of a record that a parameter takes: the one with its name, or the
    /// identifier if the parameter is named like an identifier.
    fn field(
        &self,
        record: &'contract Shape,
        (document, parameter): (&Document, &Parameter),
    ) -> Option<&'contract str> {
        let wanted = comparable_name(&parameter.name);
        let singular = singular(&comparable_name(self.name));
        let without_record = wanted.strip_prefix(singular.as_str()).unwrap_or(&wanted);
        let means_id = without_record.is_empty() || without_record == "id" || wanted.ends_with("id");
        let called = |name: &str| {
            let mut named = record
                .fields
                .iter()
                .filter(|field| comparable_name(&field.name) == name);
            named.next().filter(|_| named.next().is_none())
        };
        let field = called(&wanted)
            .or_else(|| called(without_record).filter(|_| !without_record.is_empty()))
            .or_else(|| called("id").filter(|_| means_id))
            .or_else(|| called(&format!("{singular}id")).filter(|_| means_id))?;
        let fits = may_be_sent(&self.shapes[field.shape.0], types(document, parameter).as_slice());
        fits.then_some(field.name.as_str())
    }

    /// Whether a field is named like the identifier of these records.
    pub(super) fn is_identifier(&self, name: &str) -> bool {
        let name = comparable_name(name);
        name == "id" || name == format!("{}id", singular(&comparable_name(self.name)))
    }
}

/// Returns the kind of record that a field or a parameter identifies by its name, in the form in which names are
/// compared: `usergroup` for `user_group_id`; `None` for any other name.
fn kind_identified_by(name: &str) -> Option<String> {
    let last = camel_case_words(name).pop()?;
    let is_identifier = matches!(last.as_str(), "guid" | "id" | "uuid");
    let name = comparable_name(name);
    let kind = name.strip_suffix(last.as_str()).filter(|_| is_identifier)?;
    (!kind.is_empty()).then(|| kind.to_owned())
}

/// Whether a parameter is named like the identifier of a kind of record that a path names.
fn names_another_kind(parameter: &str, kinds: &HashSet<String>) -> bool {
    kind_identified_by(parameter).is_some_and(|kind| kinds.contains(&kind))
}

/// The names of an object that is the record whatever else a response has, in the form in which names are compared.
const NAMES_OF_ANY_RECORD: [&str; 8] = [
    "body", "content", "data", "item", "object", "payload", "record", "response",
];

/// The names of what a response has beside a record, in the form in which names are compared.
const BESIDE_RECORDS: [&str; 16] = [
    "code", "detail", "error", "errors", "links", "message", "meta", "ok", "requestid", "result", "status",
    "statuscode", "success", "timestamp", "version", "warnings",
];

/// The endings of names of identifiers that a caller may choose, in the form in which names are compared. `history`
/// takes such an identifier for that of the run's own record only if it has the run tag in it.
pub(super) const ENDINGS_OF_CHOSEN_NAMES: [&str; 5] = ["handle", "key", "login", "name", "slug"];

/// Whether a field of this name, in the form in which names are compared, may identify a record.
fn may_identify(name: &str) -> bool {
    let given = ["guid", "identifier", "uuid"];
    given
        .iter()
        .chain(&ENDINGS_OF_CHOSEN_NAMES)
        .any(|ending| name.ends_with(ending))
}

impl Contract {
    /// Whether callers may choose the identifier that a create returns, such as a name.
    pub(crate) fn has_chosen_identifier(&self, create: OperationId) -> bool {
        if self.operation(create).new_record_name_parameter().is_some() {
            return true;
        }
        let at = self.identifier_pointer(create);
        let field = at.and_then(|at| pointer::tokens(&at).last().map(|name| comparable_name(&name)));
        field.is_some_and(|field| ENDINGS_OF_CHOSEN_NAMES.iter().any(|ending| field.ends_with(ending)))
    }

    /// Returns the short name of a path parameter for an identifier that callers choose: `name` for `pool_name` of a
    /// pool. `path` is the path before the parameter.
    pub(crate) fn short_name(path: &str, parameter: &str) -> Option<String> {
        let parameter = comparable_name(parameter);
        let short = parameter.strip_prefix(singular(&comparable_name(collection_name(path))).as_str())?;
        ENDINGS_OF_CHOSEN_NAMES.contains(&short).then(|| short.to_owned())
    }

    /// Returns the name of the path parameter whose value the caller of a create chooses.
    pub(crate) fn chosen_parameter_name(&self, create: OperationId) -> Option<&str> {
        let operation = self.operation(create);
        Some(
            operation.parameters[operation.new_record_name_parameter()?]
                .name
                .as_str(),
        )
    }

    /// Returns the pointer of the text that a create's body must have and that becomes the identifier of its record:
    /// the field under whose name the response returns it, as `connection_id` of `POST /connections`. A value with the
    /// run tag names nobody else's record there; whether the schema admits one is not decided here.
    pub(crate) fn identifier_field(&self, create: OperationId) -> Option<String> {
        let operation = self.operation(create);
        if !operation.creates() || operation.has_invariants() {
            return None;
        }
        let name = match operation.new_record_name_parameter() {
            Some(index) => operation.parameters[index].name.clone(),
            None => pointer::tokens(&self.identifier_pointer(create)?).last()?,
        };
        if !self.requires_property(create, &name) {
            return None;
        }
        let mut properties = self.body_properties(create);
        let node = &properties.find(|property| *property.name == *name)?.node;
        let node = self.referred(node);
        let is_stated = |key: &str| node.member(key).is_some();
        let is_free = ["enum", "format", "const"].iter().all(|key| !is_stated(key));
        let is_text = node.text_of("type") == Some("string");
        (is_text && is_free).then(|| pointer::join("", &name))
    }

    /// Whether a field has the name of a kind of record that the document reads by a path:
    /// `work_pool_name` where the document has `/work_pools/{name}`. Such a record does not exist
    /// under a value that the run makes up.
    pub(crate) fn names_a_record(&self, field: &str) -> bool {
        let name = comparable_name(field);
        let endings = ["", "name", "slug", "key", "code"];
        let mut kinds = endings.iter().filter_map(|ending| name.strip_suffix(ending));
        kinds.any(|kind| self.record_kinds.contains(kind))
    }
}

/// Returns the kinds of records that paths name, each in the singular.
pub(super) fn record_kinds(operations: &[Operation]) -> HashSet<String> {
    let mut kinds = HashSet::new();
    for operation in operations {
        let mut segments = operation.path.split('/').peekable();
        while let Some(segment) = segments.next() {
            if !segment.is_empty() && segments.peek().is_some_and(|next| next.starts_with('{')) {
                kinds.insert(singular(&comparable_name(segment)));
            }
        }
    }
    kinds
}

/// How many objects the array of a list may be nested in, besides the body itself: `{"data": {"items": []}}`.
const MAX_ENVELOPES: usize = 1;

/// Whether everything but the `id` of records of this kind may be a secret, which must not get into a URL.
pub(super) fn may_be_secret(kind: &str) -> bool {
    /// Words that only end like one of these.
    const OTHERS: [&str; 6] = ["donkey", "hockey", "jockey", "monkey", "turkey", "whiskey"];
    const SECRETS: [&str; 18] = [
        "accesscode", "backupcode", "bearer", "cookie", "credential", "invitation", "invite", "key", "magiclink",
        "otp", "passcode", "passphrase", "password", "pin", "recoverycode", "secret", "session", "token",
    ];
    let ends_with_one_of = |words: &[&str]| words.iter().any(|word| kind.ends_with(word));
    ends_with_one_of(&SECRETS) && !ends_with_one_of(&OTHERS) && kind != "spin"
}

/// Returns a name in the form in which names are compared: in lower case, without separators.
pub(crate) fn comparable_name(name: &str) -> String {
    let letters = name.chars().filter(|character| character.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns the types that a parameter takes; none if it takes any.
pub(super) fn types(document: &Document, parameter: &Parameter) -> Vec<JsonType> {
    let schema = parameter.schema.as_deref().and_then(|schema| document.node(schema));
    let name = schema.and_then(|schema| schema.member("type")).and_then(Node::string);
    name.and_then(JsonType::parse).into_iter().collect()
}

/// Whether a value of this shape may be sent in a parameter of these types: any plain value is text in a path, but a
/// number is only taken from a number.
pub(super) fn may_be_sent(value: &Shape, wanted: &[JsonType]) -> bool {
    let is_plain = |kind: &JsonType| matches!(kind, JsonType::Integer | JsonType::Number | JsonType::String);
    let is_number = |kind: &JsonType| matches!(kind, JsonType::Integer | JsonType::Number);
    let wants_number = wanted.iter().any(is_number);
    value.types.iter().all(is_plain) && (!wants_number || value.types.is_empty() || value.types.iter().any(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    /// A document with a list and a create of records at one path, a read and a change of one, and photos below it.
    fn document(list: &str, create: &str, parameter: &str) -> String {
        let json = |schema: &str| format!("content: {{application/json: {{schema: {schema}}}}}");
        let (list, create) = (json(list), json(create));
        format!(
            "/pets:\n  get: {{operationId: list, responses: {{'200': {{description: a, {list}}}}}}}\n  \
             post: {{operationId: add, responses: {{'201': {{description: a, {create}}}}}}}\n\
             /pets/{{{parameter}}}:\n  parameters: [{{name: {parameter}, in: path, required: true, schema: {{type: integer}}}}]\n  \
             get: {{operationId: read, responses: {{'200': {{description: a}}}}}}\n  \
             put: {{operationId: change, responses: {{'200': {{description: a}}}}}}\n\
             /pets/{{{parameter}}}/photos:\n  parameters: [{{name: {parameter}, in: path, required: true, schema: {{type: integer}}}}]\n  \
             get: {{operationId: photos, responses: {{'200': {{description: a}}}}}}\n"
        )
    }

    /// Each inferred link: from, the value, to.
    fn inferred(document: &str) -> Vec<String> {
        let contract = of_paths(document, "").unwrap_or_else(|defect| panic!("{defect}"));
        let name = |id| contract.operation(id).name.as_str();
        let links = contract.links.iter().filter(|link| link.inferred);
        links
            .map(|link| format!("{} {} {}", name(link.from), link.value_at, name(link.to)))
            .collect()
    }

    const RECORD: &str = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";

    #[test]
    fn a_list_by_post_shows_its_collection_and_no_other_things() {
        let records = format!(
            "{{'200': {{description: a, content: {{application/json: {{schema: {{type: array, items: {RECORD}}}}}}}}}}}"
        );
        let read = "/pets/{id}:\n  get: {operationId: read, parameters: [{name: id, in: path, required: true, schema: \
                    {type: integer}}], responses: {'200': {description: a}}}\n";
        for (segment, links) in [("list", 1), ("list_pets", 1), ("list_types", 0)] {
            let list = format!("/pets/{segment}:\n  post: {{operationId: {segment}_pets, responses: {records}}}\n");
            let expected = vec![format!("{segment}_pets /*/id read"); links];
            assert_eq!(inferred(&format!("{list}{read}")), expected, "{segment}");
        }
    }

    #[test]
    fn a_list_fills_reads_and_a_create_fills_writes_too() {
        let list = format!("{{type: array, items: {RECORD}}}");
        assert_eq!(
            inferred(&document(&list, RECORD, "petId")),
            [
                "list /*/id read", "add /id read", "add /id change", "list /*/id photos", "add /id photos"
            ]
        );
    }

    #[test]
    fn a_map_of_records_is_a_list_by_a_field_of_theirs_or_by_its_names() {
        let map = |record: &str| format!("{{type: object, additionalProperties: {record}}}");
        let text = |document: String| document.replace("schema: {type: integer}}]", "schema: {type: string}}]");
        let nameless = "{type: object, properties: {title: {type: string}}}";
        let own = "{type: object, properties: {took: {type: integer}}, additionalProperties: {type: object, properties: \
                   {title: {type: string}}}}";
        let of = |list: &str| inferred(&text(document(list, "{type: string}", "petId")));
        assert_eq!(
            of(&map(RECORD)),
            [
                "list /~names read", "list /*/id read", "list /~names photos", "list /*/id photos"
            ]
        );
        assert_eq!(of(&map(nameless)), ["list /~names read", "list /~names photos"]);
        for other in [
            own,
            &map("{type: string}"),
            "{type: object}",
            &format!("{{type: array, items: {nameless}}}"),
        ] {
            assert_eq!(of(other), [""; 0], "{other}");
        }
        assert_eq!(inferred(&document(&map(nameless), "{type: string}", "petId")), [""; 0]);
    }

    #[test]
    fn an_object_that_a_record_refers_to_is_not_the_record() {
        for (properties, value) in [
            (format!("pet: {RECORD}, note: {{type: string}}"), Some("/pet/id")),
            (format!("made: {RECORD}, message: {{type: string}}"), Some("/made/id")),
            (format!("data: {RECORD}, note: {{type: string}}"), Some("/data/id")),
            (format!("owner: {RECORD}, secret: {{type: string}}"), None),
        ] {
            let create = format!("{{type: object, properties: {{{properties}}}}}");
            let found = inferred(&document("{type: array, items: {}}", &create, "id"));
            let read = found
                .iter()
                .find(|link| link.starts_with("add ") && link.ends_with(" read"));
            assert_eq!(
                read.cloned(),
                value.map(|value| format!("add {value} read")),
                "{properties}"
            );
        }
    }

    #[test]
    fn records_may_be_in_an_envelope_that_leaves_one_choice() {
        let create = format!("{{type: object, properties: {{data: {RECORD}, took: {{type: integer}}}}}}");
        let array = |name: &str, record: &str| format!("{name}: {{type: array, items: {record}}}");
        for (arrays, value) in [
            (array("data", RECORD), Some("/data/*/id")),
            (
                format!("{}, {}", array("pets", RECORD), array("owners", RECORD)),
                Some("/pets/*/id"),
            ),
            (
                format!("{}, {}", array("items", RECORD), array("tags", "{type: string}")),
                Some("/items/*/id"),
            ),
            (format!("{}, {}", array("cats", RECORD), array("dogs", RECORD)), None),
            (
                format!("data: {{type: object, properties: {{{}}}}}", array("rows", RECORD)),
                Some("/data/rows/*/id"),
            ),
        ] {
            let found = inferred(&document(
                &format!("{{type: object, properties: {{{arrays}}}}}"),
                &create,
                "id",
            ));
            let read = found
                .iter()
                .find(|link| link.starts_with("list ") && link.ends_with(" read"));
            assert_eq!(
                read.cloned(),
                value.map(|value| format!("list {value} read")),
                "{arrays}"
            );
            assert!(found.contains(&"add /data/id change".to_owned()), "{found:?}");
        }
    }

    #[test]
    fn the_identifier_is_called_as_the_parameter_or_as_an_identifier_and_fits_its_type() {
        for (fields, parameter, field) in [
            ("{id: {type: integer}}", "id", Some("id")),
            ("{id: {type: integer}}", "pet_id", Some("id")),
            ("{id: {type: integer}}", "pet", Some("id")),
            ("{id: {type: integer}}", "customerId", Some("id")),
            (
                "{pet_id: {type: integer}, id: {type: integer}}",
                "petId",
                Some("pet_id"),
            ),
            ("{number: {type: integer}}", "petNumber", Some("number")),
            ("{petId: {type: integer}}", "id", Some("petId")),
            // Nothing says what `version` is, and an object is not an identifier.
            ("{id: {type: integer}}", "version", None),
            ("{id: {type: object}}", "id", None),
            ("{pet_id: {type: integer}, petId: {type: integer}}", "petId", None),
        ] {
            let record = format!("{{type: object, properties: {fields}}}");
            let found = inferred(&document(
                &format!("{{type: array, items: {record}}}"),
                "{type: object}",
                parameter,
            ));
            let read = found.into_iter().find(|link| link.ends_with(" read"));
            assert_eq!(
                read,
                field.map(|field| format!("list /*/{field} read")),
                "{fields} {parameter}"
            );
        }
    }

    #[test]
    fn a_body_takes_no_identifier_that_may_be_of_another_collection() {
        let takes = |others: &[&str]| {
            let order = "{type: object, required: [pet_id], properties: {pet_id: {type: integer}}}";
            let content = format!("content: {{application/json: {{schema: {order}}}}}");
            let paths = others.iter().enumerate().map(|(at, path)| {
                let names = ["id", "x"].into_iter().filter(|name| path.contains(&format!("{{{name}}}")));
                let parameters: Vec<_> = names
                    .map(|name| format!("{{name: {name}, in: path, required: true, schema: {{type: integer}}}}"))
                    .collect();
                let parameters = parameters.join(", ");
                format!(
                    "{path}:\n  get: {{operationId: o{at}, parameters: [{parameters}], responses: {{'200': {{description: \
                     a}}}}}}\n"
                )
            });
            let text = format!(
                "{}/orders:\n  post: {{operationId: order, requestBody: {{{content}}}, responses: {{'201': {{description: \
                 a}}}}}}\n{}",
                document(&format!("{{type: array, items: {RECORD}}}"), RECORD, "petId"),
                paths.collect::<String>()
            );
            inferred(&text).contains(&"add /id order".to_owned())
        };
        for others in [
            &[][..],
            &["/pet-groups"],
            &["/owners/{id}/pets"],
            &["/pets/count"],
            &["/pets/groups/{id}"],
        ] {
            assert!(takes(others), "{others:?}");
        }
        for others in [
            &["/sales/pets"][..],
            &["/sold-pets/{id}"],
            &["/soldPets"],
            &["/owners/{id}/pets/{x}"],
        ] {
            assert!(!takes(others), "{others:?}");
        }
    }

    /// The inferred links of groups that are created with this body, shown with these fields, and read by this
    /// parameter.
    fn groups(sent: &str, (required, shown): (&str, &str), parameter: &str, others: &str) -> Vec<String> {
        let json = |schema: &str| format!("content: {{application/json: {{schema: {{type: object, {schema}}}}}}}");
        let group = json(&format!("required: [{required}], properties: {{{shown}}}"));
        let sent = json(&format!("properties: {{{sent}}}"));
        inferred(&format!(
            "/groups:\n  post: {{operationId: add, requestBody: {{{sent}}}, responses: {{'201': {{description: a, {group}}}}}}}\n\
             /groups/{{{parameter}}}:\n  parameters: [{{name: {parameter}, in: path, required: true, schema: {{type: string}}}}]\n  \
             get: {{operationId: read, responses: {{'200': {{description: a, {group}}}}}}}\n  \
             put: {{operationId: change, responses: {{'200': {{description: a}}}}}}\n{others}"
        ))
    }

    #[test]
    fn a_required_identifier_named_as_the_parameter_is_the_records_whatever_its_collection_is_called() {
        let own = "user_group_id: {type: string}, name: {type: string}";
        let name = "name: {type: string}";
        let both = ["add /user_group_id read", "add /user_group_id change"];
        let required = "user_group_id, name";
        assert_eq!(groups(name, (required, own), "user_group_id", ""), both);
        // An `id` of another type is not what the parameter takes.
        let with_id = format!("id: {{type: object}}, {own}");
        assert_eq!(groups(name, (required, &with_id), "user_group_id", ""), both);
        let other = own.replacen("string", "integer", 1);
        let user_groups = "/user-groups/{id}:\n  parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n  \
                           get: {operationId: other, responses: {'200': {description: a}}}\n";
        for (why, found) in [
            ("optional", groups(name, ("name", own), "user_group_id", "")),
            ("sent", groups(own, (required, own), "user_group_id", "")),
            ("another type", groups(name, (required, &other), "user_group_id", "")),
            (
                "other records",
                groups(name, (required, own), "user_group_id", user_groups),
            ),
            ("another spelling", groups(name, (required, own), "userGroupId", "")),
            (
                "no identifier",
                groups(name, ("name, kind", "kind: {type: string}"), "kind", ""),
            ),
        ] {
            assert!(found.iter().all(|link| !link.starts_with("add")), "{why}: {found:?}");
        }
    }

    #[test]
    fn a_stated_link_is_left_alone() {
        let list = format!("{{type: array, items: {RECORD}}}");
        let links = "links: {L: {operationId: read, parameters: {id: '$response.body#/0/name'}}}";
        let document =
            document(&list, RECORD, "id").replacen("description: a,", &format!("description: a, {links},"), 1);
        let found = inferred(&document);
        assert!(!found.iter().any(|link| link.ends_with(" read")), "{found:?}");
        assert!(found.contains(&"list /*/id photos".to_owned()), "{found:?}");
    }

    #[test]
    fn only_a_segment_after_a_name_is_a_record_of_a_collection() {
        let paths = |path: &str| {
            let of = |name: &str| format!("{{name: {name}, in: path, required: true, schema: {{type: integer}}}}");
            format!(
                "/a:\n  get: {{responses: {{'200': {{description: a, content: {{application/json: {{schema: {{type: array, items: {RECORD}}}}}}}}}}}}}\n\
                 {path}:\n  get: {{operationId: read, parameters: [{}, {}], responses: {{'200': {{description: a}}}}}}\n",
                of("id"),
                of("other"),
            )
        };
        assert_eq!(inferred(&paths("/a/{id}/b/{other}")), ["GET /a /*/id read"]);
        assert_eq!(inferred(&paths("/a/{id}.json")), Vec::<String>::new());
        assert_eq!(inferred(&paths("/a/{other}/{id}")).len(), 0);
    }

    #[test]
    fn a_word_that_only_ends_like_one_for_a_secret_names_none() {
        for kind in ["key", "apikey", "publickey", "pin", "token", "cookie"] {
            assert!(may_be_secret(kind), "{kind}");
        }
        for kind in ["monkey", "donkey", "turkey", "spin", "movie"] {
            assert!(!may_be_secret(kind), "{kind}");
        }
    }
}
