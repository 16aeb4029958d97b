//! Guesses which list shows the value of a path parameter that no other link fills: `{event}` in
//! `/events/{event}/rooms` takes the `slug` of what `GET /events` lists, if that is all that identifies an event. The
//! main function is [`links`].
//!
//! # Design
//!
//! Only reads get such a link, and only from a `GET`, because a record that it shows belongs to somebody. The list is
//! the first of these that shows a fitting field:
//!
//! 1. the one at the path before the parameter;
//! 2. those right below that path whose items have a field with the parameter's full name, or only fields of the record
//!    that the call reads (`/runs/latest` for `/runs/{run_ids}`);
//! 3. the only one whose path ends with the segment before the parameter (`/owners/{owner}/pets` for `/pets/{pet}`); or
//!    of several that show the same fields, the only one whose path has no parameter;
//! 4. likewise for what the parameter names (`/pets` for `/photos-of/{pet_id}`);
//! 5. what shows the same parameter elsewhere, after the name of its collection.
//!
//! The field has the name of the parameter, or its last word where the words before it name the record, or it is the
//! only one that can identify the record. Where the schema of a list says nothing about its items, the response
//! decides: the link leads from the field with the parameter's name, or from the word for an identifier at its end, and
//! without one there is no value. A parameter that takes several values takes one. These links are guesses, as those of
//! [`guessed`](super::guessed) are: a value is sent only if the parameter's schema admits it, and a rejection decides
//! nothing.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::document::Document;
use super::get_side_effects;
use super::guessed::may_take_id;
use super::inferred::{
    Collections, RecordFinder, collection_name, comparable_name, comparable_path, may_be_secret, may_be_sent, types,
};
use super::lexicon::{camel_case_words, singular};
use super::link::{Link, LinkTarget};
use super::load::is_json;
use super::operation::{Operation, OperationId, Parameter, ParameterLocation, StatusPattern};
use super::pointer;
use super::shape::{JsonType, Shape, ShapeId};

/// The words for identifiers at the end of a parameter's name.
const IDENTIFYING: [&str; 10] = [
    "code", "guid", "handle", "hash", "id", "key", "name", "sid", "slug", "uuid",
];

/// The names of fields of which one alone identifies a record that has no `id`.
const INSTEAD_OF_ID: [&str; 7] = ["code", "guid", "handle", "key", "sid", "slug", "uuid"];

/// The minimum length of a word that abbreviates the name of a record: `ext` for an extension.
const SHORTEST_ABBREVIATION: usize = 3;

/// Returns the links into path parameters of reads that none of the `known` links fills.
pub(super) fn links((document, operations): (&Document, &[Operation]), shapes: &[Shape], known: &[Link]) -> Vec<Link> {
    let mut search = Search {
        document,
        lists: by_kind(operations),
        collections: Collections::new(operations, shapes),
        paths: operations
            .iter()
            .map(|operation| comparable_path(&operation.path))
            .collect(),
        first_index: known.len(),
        links: Vec::new(),
    };
    let filled: HashSet<_> = known.iter().filter_map(Link::fills).collect();
    let mut left = Vec::new();
    for (index, operation) in operations.iter().enumerate().filter(|(_, read)| read.is_get()) {
        for (number, parameter) in operation.parameters.iter().enumerate() {
            let target = (OperationId(index), number);
            if parameter.example.is_some() || filled.contains(&target) {
                continue;
            }
            if let Some(wanted) = Wanted::of(operation, parameter)
                && search.may_name_what_is_read(operation, &wanted)
                && !search.fill(&wanted, target)
            {
                left.push((wanted, target));
            }
        }
    }
    search.fill_like_others(known, left);
    search.links
}

/// Returns the `GET`s whose paths end with the name of a collection, by the singular of that name.
fn by_kind(operations: &[Operation]) -> HashMap<String, Vec<OperationId>> {
    let mut lists: HashMap<_, Vec<_>> = HashMap::new();
    for (index, operation) in operations.iter().enumerate().filter(|(_, read)| read.is_get()) {
        let last = comparable_name(collection_name(&operation.path));
        let kind = singular(&last);
        if kind != last {
            lists.entry(kind).or_default().push(OperationId(index));
        }
    }
    lists
}

/// A parameter: its operation, and its index.
type Target = (OperationId, usize);

/// What path and name say about the value of a path parameter. Names are in the form in which they are compared.
struct Wanted<'document> {
    parameter: &'document Parameter,
    /// The path before the parameter.
    before: &'document str,
    /// The name as the document spells it, without what it says about how a value is compared.
    spelled: String,
    /// The name, with its last word in the singular.
    name: String,
    /// What the words before that word name.
    kind: String,
    /// The word for an identifier at the end of the name.
    word: Option<&'static str>,
}

impl<'document> Wanted<'document> {
    /// Reads a path parameter that is a whole segment.
    fn of(operation: &'document Operation, parameter: &'document Parameter) -> Option<Self> {
        if parameter.location != ParameterLocation::Path {
            return None;
        }
        let (before, after) = operation.path.split_once(&format!("/{{{}}}", parameter.name))?;
        if !after.is_empty() && !after.starts_with('/') {
            return None;
        }
        // Django looks a record up by `owner__slug__iexact`: a field of what the record refers to, and how it compares.
        let is_comparison = |part: &&str| ["exact", "iexact"].contains(part);
        let parts = parameter.name.split("__").filter(|part| !is_comparison(part));
        let spelled = parts.last().filter(|part| !part.is_empty())?.to_owned();
        let mut words = camel_case_words(&spelled);
        // One that takes this or that takes this.
        if let Some(at) = words.iter().position(|word| word == "or") {
            words.truncate(at);
        }
        let last = singular(words.last()?);
        let word = IDENTIFYING.into_iter().find(|word| *word == last);
        let before_last = words[..words.len() - 1].concat();
        Some(Self {
            parameter,
            before,
            spelled,
            name: format!("{before_last}{last}"),
            kind: if word.is_some() {
                before_last
            } else {
                format!("{before_last}{last}")
            },
            word,
        })
    }

    /// The kind of record that the segment before the parameter names; empty if that is a parameter.
    fn collection(&self) -> String {
        let name = collection_name(self.before);
        singular(&comparable_name(if name.contains('{') { "" } else { name }))
    }

    /// Whether the name says what the value is wherever it is shown, as `dag_run_id` does.
    fn is_distinctive(&self) -> bool {
        self.word.is_some() && !self.kind.is_empty()
    }

    /// Whether the words before the last one name this kind of record, or nothing.
    fn may_be_of(&self, kind: &str) -> bool {
        let begins_or_ends = |long: &str, short: &str| {
            short.len() >= SHORTEST_ABBREVIATION && (long.starts_with(short) || long.ends_with(short))
        };
        self.kind.is_empty() || begins_or_ends(kind, &self.kind) || begins_or_ends(&self.kind, kind)
    }

    /// Whether what a list of records of this kind shows may be a secret that the parameter takes.
    fn is_secret(&self, kind: &str) -> bool {
        may_be_secret(kind) || may_be_secret(&self.name) || may_be_secret(&self.kind)
    }

    /// Whether the parameter takes whatever identifies a record of this kind.
    fn takes_any_identifier(&self, kind: &str) -> bool {
        match self.word {
            Some("id") => self.may_be_of(kind),
            Some(_) => false,
            None => self.kind == kind && may_take_id(&self.parameter.name),
        }
    }
}

struct Search<'document> {
    document: &'document Document,
    lists: HashMap<String, Vec<OperationId>>,
    collections: Collections<'document>,
    /// The path of each operation, in the form in which paths are compared.
    paths: Vec<String>,
    first_index: usize,
    links: Vec<Link>,
}

impl<'document> Search<'document> {
    /// Adds links into a parameter from the first lists that show a value for it. Returns whether there are any.
    fn fill(&mut self, wanted: &Wanted<'document>, target: Target) -> bool {
        let collection = wanted.collection();
        let at_path = self.collections.get_operation_of(comparable_path(wanted.before));
        let at_path = at_path.filter(|_| !collection.is_empty());
        self.add(at_path, (wanted, &collection), target)
            || self.add_below(wanted, target)
            || self.add(self.only_list_of(&collection), (wanted, &collection), target)
            || self.add(self.only_list_of(&wanted.kind), (wanted, &wanted.kind), target)
    }

    /// Whether the segment before a parameter, if it is one, names what is read. It names something that is listed or
    /// changed there, a plural, a kind of record, or a way to look it up, or the operation says that it reads; any other
    /// may be a verb: `/press/{button_id}`. So may a listed one unless its own path shows that it is a thing.
    fn may_name_what_is_read(&self, operation: &Operation, wanted: &Wanted<'_>) -> bool {
        let words = camel_case_words(collection_name(wanted.before));
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return true;
        };
        if collection_name(wanted.before).contains('{')
            || get_side_effects::has_records_at(self.document, wanted.before)
        {
            return true;
        }
        let collection = wanted.collection();
        let is_plural = singular(last) != *last;
        let is_kind = self.lists.contains_key(&collection) || wanted.kind == collection;
        let has_way = words.iter().any(|word| ["by", "for", "of"].contains(&word.as_str()));
        let acts = !is_plural && !has_way && (get_side_effects::is_verb(first) || get_side_effects::is_verb(last));
        !acts && (is_plural || is_kind || has_way || get_side_effects::says_it_reads(self.document, operation))
    }

    /// Returns the only list of a kind of record; of several that show the same fields, the only one whose path has no
    /// parameter.
    fn only_list_of(&self, kind: &str) -> Option<OperationId> {
        let lists = self.lists.get(kind)?;
        let path = |list: &OperationId| &self.collections.operations[list.0].path;
        let mut of_all = lists.iter().filter(|list| !path(list).contains('{'));
        match (lists.as_slice(), of_all.next(), of_all.next()) {
            ([only], ..) => Some(*only),
            (_, Some(only), None) => {
                let fields = self.fields_of_items(*only)?;
                let is_same = |list: &OperationId| self.fields_of_items(*list).as_ref() == Some(&fields);
                lists.iter().all(is_same).then_some(*only)
            }
            _ => None,
        }
    }

    /// Returns the names of the fields of a list's items, if it has one array or map of records.
    fn fields_of_items(&self, list: OperationId) -> Option<BTreeSet<&'document str>> {
        let operation = &self.collections.operations[list.0];
        let records = RecordFinder::new(self.collections.shapes, collection_name(&operation.path));
        let found = records.arrays_and_maps((String::new(), operation.success_body()?), 0);
        let [(_, record)] = found.as_slice() else {
            return None;
        };
        Some(record.fields.iter().map(|field| field.name.as_str()).collect())
    }

    /// Adds links from a list of records of this kind. Returns whether there are any.
    fn add(&mut self, list: Option<OperationId>, (wanted, kind): (&Wanted<'_>, &str), target: Target) -> bool {
        let Some(list) = list.filter(|list| *list != target.0) else {
            return false;
        };
        let operation = &self.collections.operations[list.0];
        let records = RecordFinder::new(self.collections.shapes, collection_name(&operation.path));
        let value = records.value(operation, "", |record| self.field((wanted, kind), record));
        let plain = || self.plain_values(operation, (wanted, kind));
        let values = match value.or_else(plain) {
            Some(value) => vec![value],
            None => self.where_schema_is_silent(operation, (wanted, kind)),
        };
        for value in &values {
            self.push((list, value.clone()), target);
        }
        !values.is_empty()
    }

    /// Adds links from the lists right below the path before the parameter. Returns whether there are any.
    fn add_below(&mut self, wanted: &Wanted<'document>, target: Target) -> bool {
        let shapes = self.collections.shapes;
        let before = format!("{}/", comparable_path(wanted.before));
        let read = self.collections.operations[target.0.0].success_body();
        let read = read.map(|body| &shapes[body.0]);
        let read = read.map(|shape| shape.items.map_or(shape, |items| &shapes[items.0]));
        let kind = wanted.collection();
        let field = |record: &'document Shape| {
            let named = exact(record, &wanted.name).filter(|_| wanted.is_distinctive() && !wanted.is_secret(&kind));
            let is_same = read.is_some_and(|read| has_only_fields_of(record, read));
            named.or_else(|| self.field((wanted, &kind), record).filter(|_| is_same))
        };
        let mut found = Vec::new();
        for (index, operation) in self.collections.operations.iter().enumerate() {
            let rest = self.paths[index].strip_prefix(&before).unwrap_or_default();
            let segment = rest.strip_suffix("/{}").unwrap_or(rest);
            let is_below = !segment.is_empty() && !segment.contains(['/', '{']);
            if is_below && operation.is_get() && OperationId(index) != target.0 {
                let records = RecordFinder::new(shapes, collection_name(wanted.before));
                found.extend(
                    records
                        .value(operation, "", field)
                        .map(|value| (OperationId(index), value)),
                );
            }
        }
        for from in &found {
            self.push(from.clone(), target);
        }
        !found.is_empty()
    }

    /// Adds links into the parameters that are left, from what shows the same parameter where it follows the name of
    /// its collection.
    fn fill_like_others(&mut self, known: &[Link], left: Vec<(Wanted<'_>, Target)>) {
        let mut others: HashMap<String, Vec<(OperationId, String)>> = HashMap::new();
        for link in known.iter().chain(&self.links) {
            let from = &self.collections.operations[link.from.0];
            let Some((to, index)) = link.fills().filter(|_| from.is_get() && link.is_in_body()) else {
                continue;
            };
            let operation = &self.collections.operations[to.0];
            let Some(wanted) = Wanted::of(operation, &operation.parameters[index]) else {
                continue;
            };
            let value = (link.from, link.value_at.clone());
            let same = others.entry(wanted.name.clone()).or_default();
            if wanted.is_distinctive() && wanted.kind == wanted.collection() && !same.contains(&value) {
                same.push(value);
            }
        }
        for (wanted, target) in left {
            let from = others.get(&wanted.name).into_iter().flatten();
            let is_id = |value: &str| pointer::tokens(value).last().is_some_and(|name| name == "id");
            let is_secret = wanted.is_secret(&wanted.collection());
            let may_fill = |value: &str| !is_secret || is_id(value);
            for (list, value) in from.filter(|(list, value)| *list != target.0 && may_fill(value)) {
                self.push((*list, value.clone()), target);
            }
        }
    }

    /// Returns the field of a record of this kind that the parameter takes.
    fn field(&self, (wanted, kind): (&Wanted<'_>, &str), record: &'document Shape) -> Option<&'document str> {
        let shapes = self.collections.shapes;
        let taken = types(self.document, wanted.parameter);
        let fits = |name: &&str| {
            let field = record.fields.iter().find(|field| field.name == *name);
            field.is_some_and(|field| may_be_sent(&shapes[field.shape.0], &taken))
        };
        let by_word = wanted.word.filter(|_| wanted.may_be_of(kind)).and_then(|word| {
            let named = exact(record, word);
            named.or_else(|| exact(record, &format!("{kind}{word}")))
        });
        let of_kind = || exact(record, "id").or_else(|| exact(record, &format!("{kind}id")));
        if wanted.is_secret(kind) {
            return of_kind().filter(|_| wanted.takes_any_identifier(kind)).filter(fits);
        }
        let instead = || {
            let mut named = INSTEAD_OF_ID.iter().filter_map(|name| exact(record, name)).filter(fits);
            named.next().filter(|_| named.next().is_none())
        };
        let any = || wanted.takes_any_identifier(kind).then(|| of_kind().or_else(instead))?;
        exact(record, &wanted.name).or(by_word).or_else(any).filter(fits)
    }

    /// Returns where a list has plain values and no records, if the parameter has the name of one of them.
    fn plain_values(&self, list: &Operation, (wanted, kind): (&Wanted<'_>, &str)) -> Option<String> {
        let items = self.collections.shapes[list.success_body()?.0].items?;
        let items = self.collections.shapes[items.0].types.as_slice();
        let is_plain = matches!(items, [JsonType::Integer | JsonType::String]);
        let names_one = !kind.is_empty() && wanted.kind == kind && !wanted.is_secret(kind);
        (is_plain && names_one).then(|| pointer::join("", "*"))
    }

    /// Returns where the items of a list may have the value, if its path ends with a plural and its schema says nothing
    /// about them, the best last.
    fn where_schema_is_silent(&self, list: &Operation, (wanted, kind): (&Wanted<'_>, &str)) -> Vec<String> {
        let spelled = &wanted.spelled;
        let of_path = kind == wanted.collection();
        let mut names = match wanted.word {
            _ if wanted.is_secret(kind) => {
                let takes_id = wanted.takes_any_identifier(kind);
                takes_id.then(|| "id".to_owned()).into_iter().collect()
            }
            Some(word) if wanted.may_be_of(kind) || (word == "id" && of_path) => {
                vec![word.to_owned(), spelled.clone()]
            }
            Some(_) => vec![],
            None if wanted.takes_any_identifier(kind) => {
                vec!["id".to_owned(), format!("{spelled}Id"), format!("{spelled}_id")]
            }
            None => vec![spelled.clone()],
        };
        names.dedup();
        let is_plural = self.lists.get(kind).is_some_and(|lists| {
            let path = |list: &OperationId| &self.collections.operations[list.0].path;
            lists.iter().any(|other| *path(other) == list.path)
        });
        let arrays = if is_plural {
            self.arrays_of_anything(list)
        } else {
            vec![]
        };
        let values = |name: String| {
            arrays
                .iter()
                .map(move |array| pointer::join(array, &name))
                .collect::<Vec<_>>()
        };
        names.into_iter().flat_map(values).collect()
    }

    /// Returns where a success of a list has the items of which its schema says nothing.
    fn arrays_of_anything(&self, list: &Operation) -> Vec<String> {
        let shapes = self.collections.shapes;
        let at = |pointers: &[&str]| pointers.iter().map(|at| (*at).to_owned()).collect();
        let Some(body) = list.success_body() else {
            let is_open = list.successes().any(|success| {
                let has_body = !matches!(success.status, StatusPattern::Exact(204 | 205));
                let types = &success.media_types;
                has_body && (types.is_empty() || types.iter().any(|media_type| is_json(media_type)))
            });
            return at(if is_open { &["/*/*", "/*"] } else { &[] });
        };
        let body = &shapes[body.0];
        let items = |shape: &Shape| shape.items.is_some_and(|items| is_silent(shapes, items));
        if items(body) {
            return at(&["/*"]);
        }
        let mut arrays = body.fields.iter().filter(|field| items(&shapes[field.shape.0]));
        match (arrays.next(), arrays.next()) {
            (Some(only), None) => vec![format!("{}/*", pointer::join("", &only.name))],
            (None, _) if body.types.is_empty() && body.items.is_none() && says_nothing(shapes, body) => {
                at(&["/*/*", "/*"])
            }
            _ => Vec::new(),
        }
    }

    fn push(&mut self, from: (OperationId, String), (to, index): Target) {
        let link_index = self.first_index + self.links.len();
        let link = self
            .collections
            .link(link_index, from, (to, LinkTarget::Parameter(index)));
        self.links.push(Link { guessed: true, ..link });
    }
}

/// Returns the one field of a record with this name, which is in the form in which names are compared.
fn exact<'document>(record: &'document Shape, name: &str) -> Option<&'document str> {
    let names = record.fields.iter().map(|field| field.name.as_str());
    let mut named = names.filter(|field| comparable_name(field) == name);
    named.next().filter(|_| named.next().is_none())
}

/// Whether each field of a record, three at least, is one of the other record.
fn has_only_fields_of(record: &Shape, other: &Shape) -> bool {
    let mut fields = record.fields.iter();
    fields.len() >= 3 && fields.all(|field| other.field_named(&field.name).is_some())
}

/// Whether a schema does not say what the fields of a value are.
fn is_silent(shapes: &[Shape], shape: ShapeId) -> bool {
    let shape = &shapes[shape.0];
    shape.items.is_none() && says_nothing(shapes, shape)
}

/// Whether a schema admits any object and names no field of it.
fn says_nothing(shapes: &[Shape], shape: &Shape) -> bool {
    let is_object = shape.types.iter().all(|kind| *kind == JsonType::Object);
    let names_none = shape.fields.is_empty() && shape.names_of_alternatives.is_empty() && shape.closed.is_none();
    let members = shape.additional.map(|members| &shapes[members.0]);
    let is_map = members.is_some_and(|members| !members.types.is_empty() || !members.fields.is_empty());
    is_object && names_none && !is_map
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::testing::of_paths;

    /// A contract with these operations: a path and, for a `GET` with a response, its schema; `{}` responds with
    /// anything, and an empty one documents no body. Each path parameter is a text.
    fn contract(reads: &[(&str, &str)]) -> Contract {
        let read = |(path, schema): &(&str, &str)| {
            let content = match *schema {
                "" => String::new(),
                schema => format!(", content: {{application/json: {{schema: {schema}}}}}"),
            };
            let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
            let parameters =
                names.map(|name| format!("{{name: {name}, in: path, required: true, schema: {{type: string}}}}"));
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            format!(
                "{path}:\n  get: {{operationId: '{path}', parameters: [{parameters}], responses: {{'200': \
                 {{description: a{content}}}}}}}\n"
            )
        };
        let paths: String = reads.iter().map(read).collect();
        of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"))
    }

    /// The links into the reads of a contract: each source with the value, and the parameter's operation.
    fn guessed(reads: &[(&str, &str)]) -> Vec<String> {
        let contract = contract(reads);
        let name = |id| contract.operation(id).name.as_str();
        let links = contract.links.iter().filter(|link| link.guessed);
        let links = links.map(|link| format!("{} {} > {}", name(link.from), link.value_at, name(link.to)));
        links.collect()
    }

    /// The schema of an array of records with these fields, each a text.
    fn list(fields: &[&str]) -> String {
        let fields: Vec<_> = fields
            .iter()
            .map(|field| format!("{field}: {{type: string}}"))
            .collect();
        format!(
            "{{type: array, items: {{type: object, properties: {{{}}}}}}}",
            fields.join(", ")
        )
    }

    #[test]
    fn a_record_without_an_id_is_read_by_the_one_other_field_that_identifies_it() {
        for (parameter, fields, field) in [
            ("event", &["slug", "title"][..], Some("slug")),
            // By name and type, this is no guess.
            ("event", &["event_id", "slug"], None),
            ("event_id", &["code", "title"], Some("code")),
            // It abbreviates the name of the record.
            ("evt_code", &["code", "title"], None),
            ("eve_code", &["code", "title"], Some("code")),
            ("user__code__iexact", &["code", "title"], Some("code")),
            ("slug__exact", &["code", "slug"], Some("slug")),
            ("event_ids", &["id", "title"], Some("id")),
            ("codeOrId", &["code", "title"], Some("code")),
            ("event", &["slug", "code"], None),
            ("event", &["title"], None),
            ("owner_code", &["code", "title"], None),
            ("version", &["slug", "title"], None),
        ] {
            let read = format!("/events/{{{parameter}}}/rooms");
            let found = guessed(&[("/events", &list(fields)), (&read, "")]);
            let expected = field.map(|field| format!("/events /*/{field} > {read}"));
            assert_eq!(
                found,
                expected.into_iter().collect::<Vec<_>>(),
                "{parameter} {fields:?}"
            );
        }
    }

    #[test]
    fn what_may_be_a_secret_goes_into_no_url() {
        for (fields, value) in [
            (&["key", "user"][..], None),
            (&["token", "user"], None),
            (&["id", "key"], Some("id")),
        ] {
            let shown = list(fields);
            for read in [
                "/tokens/{token}", "/tokens/{token_key}", "/tokens/{key}", "/tokens/{key}/log",
            ] {
                let contract = contract(&[("/tokens", &shown), (read, "")]);
                let values: Vec<_> = contract.links.iter().map(|link| link.value_at.as_str()).collect();
                let of_id = value.is_some_and(|value| values.iter().all(|at| *at == format!("/*/{value}")));
                assert!(values.is_empty() || of_id, "{fields:?} {read}: {values:?}");
            }
        }
        assert_eq!(
            contract(&[("/posts", &list(&["key", "user"])), ("/posts/{key}", "")])
                .links
                .len(),
            1
        );
    }

    #[test]
    fn of_what_may_be_a_secret_a_silent_list_shows_an_id_at_most() {
        let open = "{type: array, items: {type: object}}";
        let of = |lists: &[&str], read: &str| {
            let lists = lists.iter().map(|list| (*list, open));
            let contract = contract(&lists.chain([(read, "")]).collect::<Vec<_>>());
            let links = contract.links.iter().map(|link| link.value_at.clone());
            links.collect::<Vec<_>>()
        };
        for (list, read) in [
            ("/tokens", "/tokens/{key}/usage"),
            ("/sessions", "/sessions/{sid}/usage"),
            ("/api_keys", "/api_keys/{code}/usage"),
            ("/otps", "/otps/{code}/usage"),
            ("/recovery-codes", "/recovery-codes/{code}/usage"),
            ("/magic-links", "/magic-links/{code}/usage"),
            ("/tokens", "/v2/tokens/{token_key}/usage"),
        ] {
            assert_eq!(of(&[list], read), [""; 0], "{read}");
        }
        assert_eq!(of(&["/tokens"], "/tokens/{token_id}/usage"), ["/*/id"]);
        assert_eq!(of(&["/posts"], "/posts/{code}/usage").len(), 1);
        for (schema, read, values) in [
            ("{type: array, items: {type: string}}", "/tokens/{token}", 0),
            (
                "{type: object, additionalProperties: {type: object, properties: {user: {type: string}}}}",
                "/tokens/{token}",
                0,
            ),
            (&list(&["code"]), "/tokens/code/{code}", 0),
            (&list(&["id"]), "/tokens/id/{id}", 1),
        ] {
            assert_eq!(
                contract(&[("/tokens", schema), (read, "")]).links.len(),
                values,
                "{schema} {read}"
            );
        }
    }

    #[test]
    fn a_parameter_after_what_may_be_a_verb_takes_no_value_of_a_list() {
        let doors = list(&["id", "name"]);
        for segment in ["open", "run", "vote", "press", "wol", "door-run", "doors/recall"] {
            let read = format!("/{segment}/{{door_id}}");
            assert_eq!(guessed(&[("/doors", &doors), (&read, "")]), [""; 0], "{read}");
        }
        for segment in ["door", "by-door", "photos", "photos-of", "find"] {
            let read = format!("/{segment}/{{door_id}}");
            assert_eq!(guessed(&[("/doors", &doors), (&read, "")]).len(), 1, "{read}");
        }
        let runs = list(&["id", "name"]);
        assert_eq!(guessed(&[("/runs", &runs), ("/run/{run_id}", "")]), [""; 0]);
        assert_eq!(
            guessed(&[("/runs", &runs), ("/run", "{}"), ("/run/{run_id}", "")]).len(),
            0
        );
    }

    #[test]
    fn only_a_whole_segment_without_an_example_or_another_link_takes_what_a_list_shows() {
        let events = list(&["slug", "title"]);
        for read in ["/events/{event}.json", "/events/{a}-{event}"] {
            assert_eq!(guessed(&[("/events", &events), (read, "")]), [""; 0], "{read}");
        }
        let with = |schema: &str, method: &str| {
            let list = format!("{{description: a, content: {{application/json: {{schema: {events}}}}}}}");
            let paths = format!(
                "/events:\n  get: {{operationId: list, responses: {{'200': {list}}}}}\n/events/{{event}}/rooms:\n  \
                 {method}: {{operationId: rooms, parameters: [{{name: event, in: path, required: true, schema: \
                 {schema}}}], responses: {{'200': {{description: a}}}}}}\n"
            );
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            contract.links.len()
        };
        assert_eq!(with("{type: string}", "get"), 1);
        assert_eq!(with("{type: string, example: a}", "get"), 0);
        assert_eq!(with("{type: integer}", "get"), 0);
        for method in ["put", "post", "delete"] {
            assert_eq!(with("{type: string}", method), 0, "{method}");
        }
        // By name and type, this is no guess.
        assert_eq!(
            guessed(&[("/events", &list(&["id"])), ("/events/{event}/rooms", "")]),
            [""; 0]
        );
    }

    #[test]
    fn a_list_below_the_path_counts_by_full_name_or_by_the_fields_of_what_is_read() {
        let run = list(&["id", "state", "start"]);
        for (below, shown, value) in [
            ("/runs/latest", run.as_str(), Some("/*/id")),
            ("/runs/reports", &list(&["run_id", "text", "at"]), Some("/*/run_id")),
            ("/runs/of/{team}", &list(&["run_id", "text", "at"]), Some("/*/run_id")),
            ("/runs/reports", &list(&["id", "text", "at"]), None),
            ("/runs/states", &list(&["id", "state"]), None),
            ("/runs/latest/all", &run, None),
        ] {
            let found = guessed(&[(below, shown), ("/runs/{run_ids}", &run)]);
            let expected = value.map(|value| format!("{below} {value} > /runs/{{run_ids}}"));
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{below} {shown}");
        }
    }

    #[test]
    fn a_list_elsewhere_counts_by_its_name_if_it_leaves_no_choice() {
        let pets = list(&["id", "name"]);
        let (nested, read) = ("/owners/{owner}/pets", "/pets/{id}");
        assert_eq!(
            guessed(&[(nested, &pets), (read, "")]),
            ["/owners/{owner}/pets /*/id > /pets/{id}"]
        );
        assert_eq!(
            guessed(&[(nested, &pets), ("/shops/{shop}/pets", &pets), (read, "")]),
            [""; 0]
        );
        let names = |lists: &[(&str, &str)]| {
            let found = guessed(&[lists, &[("/photos-of/{pet_name}", "")]].concat());
            found
                .iter()
                .map(|link| link.split(' ').take(2).collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&[("/pets", &pets), (nested, &pets)]), ["/pets /*/name"]);
        assert_eq!(
            names(&[("/pets", &pets), (nested, &list(&["id", "name", "sold"]))]),
            [""; 0]
        );
        let values = |items: &str| names(&[("/pets", &format!("{{type: array, items: {items}}}"))]);
        assert_eq!(values("{type: string}"), ["/pets /*"]);
        assert_eq!(values("{type: boolean}"), [""; 0]);
    }

    #[test]
    fn what_shows_a_parameter_after_the_name_of_its_collection_shows_it_elsewhere() {
        let run = list(&["id", "state", "start"]);
        let of = |read: &str| {
            let found = guessed(&[("/runs/latest", &run), ("/runs/{run_ids}", &run), (read, "")]);
            found.iter().filter(|link| link.ends_with(read)).count()
        };
        assert_eq!(of("/steps/by-run/{run_id}"), 1);
        assert_eq!(of("/steps/by-run/{id}"), 0);
        assert_eq!(of("/steps/by-run/{job_id}"), 0);
    }

    #[test]
    fn where_a_schema_says_nothing_about_the_items_the_response_decides() {
        let read = "/symbols/{symbol_id}/raw";
        let open = "{type: array, items: {type: object, additionalProperties: true}}";
        let within = format!("{{type: object, properties: {{rows: {open}}}}}");
        for (schema, values) in [
            (open, &["/*/id", "/*/symbol_id"][..]),
            ("", &["/*/*/id", "/*/id", "/*/*/symbol_id", "/*/symbol_id"]),
            ("{}", &["/*/*/id", "/*/id", "/*/*/symbol_id", "/*/symbol_id"]),
            (&within, &["/rows/*/id", "/rows/*/symbol_id"]),
            ("{type: array, items: {type: boolean}}", &[]),
            ("{type: object, additionalProperties: {type: boolean}}", &[]),
            ("{type: object}", &[]),
            (&list(&["title"]), &[]),
        ] {
            let found = guessed(&[("/symbols", schema), (read, "")]);
            let expected: Vec<_> = values
                .iter()
                .map(|value| format!("/symbols {value} > {read}"))
                .collect();
            assert_eq!(found, expected, "{schema}");
        }
        // It is no collection by its name, and it names another record.
        assert_eq!(guessed(&[("/symbol", "{}"), ("/symbol/{symbol_id}", "")]), [""; 0]);
        assert_eq!(guessed(&[("/symbols", open), ("/symbols/{owner_name}", "")]), [""; 0]);
    }
}
