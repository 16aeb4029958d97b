//! Guesses the identifier that a path parameter takes where neither names nor types say so: what `GET /themes/{pk}`
//! reads is in the list `GET /themes`, so `pk` takes the `id` of an item. The main function is [`links`].
//!
//! # Design
//!
//! Only paths are certain here, so a guess is made only for a parameter that has no example and no better link, and a
//! value is sent only if the parameter's schema admits it (`history::bindings`). A guess that is wrong gives a
//! rejection, which decides nothing. A list leads only to reads. A create leads to writes too, but, as with every other
//! link, only to those on its own record, and nothing is written under its identifier before a read by it has shown the
//! run tag.

use std::collections::HashSet;

use super::Contract;
use super::inferred::{
    Collections, ENDINGS_OF_CHOSEN_NAMES, RecordFinder, collection_name, collection_of, comparable_name,
    comparable_path, may_be_secret,
};
use super::link::{Link, LinkTarget};
use super::operation::{Operation, OperationId, Parameter};
use super::shape::{JsonType, Shape};

/// The endings of names of parameters that name something other than an `id`, in the form in which names are compared,
/// in addition to [`ENDINGS_OF_CHOSEN_NAMES`].
const NOT_IDS: [&str; 27] = [
    "address", "code", "date", "day", "digest", "email", "format", "hash", "index", "kind", "lang", "language",
    "level", "locale", "month", "number", "path", "position", "region", "revision", "state", "status", "tag", "title",
    "type", "version", "year",
];

/// The segments of a path after which a parameter takes the field of that name, with or without `by-` before it.
const WORDS: [&str; 5] = ["id", "key", "name", "slug", "uuid"];

/// Returns the guessed links. `stated` are the links that the document states, `inferred` those that are inferred by
/// name and type.
pub(super) fn links(collections: &Collections<'_>, (stated, inferred): (&[Link], &[Link])) -> Vec<Link> {
    let mut guesses = Guesses {
        collections,
        stated: stated.iter().filter_map(Link::fills).collect(),
        filled: inferred.iter().filter_map(Link::fills).collect(),
        filled_by_reads: HashSet::new(),
        read_by: HashSet::new(),
        first_index: stated.len() + inferred.len(),
        links: Vec::new(),
    };
    let by_reads = inferred
        .iter()
        .filter(|link| collections.operations[link.from.0].is_read());
    guesses.filled_by_reads.extend(by_reads.filter_map(Link::fills));
    // What may be written to depends on what is read.
    for reads in [true, false] {
        for (index, operation) in collections.operations.iter().enumerate() {
            for number in (0..operation.parameters.len()).filter(|_| operation.is_get() == reads) {
                guesses.guess((OperationId(index), number));
            }
        }
    }
    guesses.links
}

/// A parameter: its operation, and its index.
type Target = (OperationId, usize);

/// The guesses so far, and what they depend on.
struct Guesses<'document> {
    collections: &'document Collections<'document>,
    /// The parameters that links of the document fill.
    stated: HashSet<Target>,
    /// Those that other inferred links fill.
    filled: HashSet<Target>,
    /// Those that other inferred links fill with what a read shows.
    filled_by_reads: HashSet<Target>,
    /// The creates with a guess for the read of a record, each with the path of the collection.
    read_by: HashSet<(OperationId, String)>,
    first_index: usize,
    links: Vec<Link>,
}

impl<'document> Guesses<'document> {
    /// Adds the guesses for a parameter.
    fn guess(&mut self, target: Target) {
        let operation = &self.collections.operations[target.0.0];
        let parameter = &operation.parameters[target.1];
        let Some(path) = collection_of(operation, parameter) else {
            return;
        };
        if parameter.example.is_some() || self.stated.contains(&target) {
            return;
        }
        match after_word(path, parameter).filter(|_| operation.is_get()) {
            Some((collection, word)) => self.add_named((collection, word), target),
            None => self.add_identifier(path, (operation, parameter), target),
        }
    }

    /// Adds links from lists that show the field that is named by the segment before the parameter.
    fn add_named(&mut self, (path, word): (&'document str, &str), target: Target) {
        if self.filled.contains(&target) {
            return;
        }
        let records = RecordFinder::new(self.collections.shapes, collection_name(path));
        let own = format!("{}id", records.singular());
        if word != "id" && may_be_secret(&records.singular()) {
            return;
        }
        let names = if word == "id" {
            &[word, own.as_str()][..]
        } else {
            &[word]
        };
        self.add_lists((path, &records), names, target);
    }

    /// Adds links from the lists of the collection whose record the parameter names, and from its create.
    fn add_identifier(&mut self, path: &'document str, (to, parameter): (&Operation, &Parameter), target: Target) {
        let comparable = comparable_path(path);
        let item = format!("{comparable}/{{}}");
        let read = self.collections.get_operation_of(item.clone());
        if read.is_none() || !may_take_id(&parameter.name) {
            return;
        }
        let records = RecordFinder::new(self.collections.shapes, collection_name(path));
        let own = format!("{}id", records.singular());
        let names = ["id", own.as_str()];
        let is_listed = if !to.is_get() || self.filled_by_reads.contains(&target) {
            false
        } else {
            self.add_lists((path, &records), &names, target)
        };
        if self.filled.contains(&target) {
            return;
        }
        for from in self.collections.sources(path, target.0) {
            let create = &self.collections.operations[from.0];
            let key = (from, comparable.clone());
            let has_basis = if to.is_get() {
                is_listed
            } else {
                self.read_by.contains(&key)
            };
            if !create.creates() || !has_basis {
                continue;
            }
            let value = records.value(create, &parameter.name, |record| records.plain_field(record, &names));
            if let Some(value) = value {
                self.push((from, value), target);
                if comparable_path(&to.path) == item && to.is_read() {
                    self.read_by.insert(key);
                }
            }
        }
    }

    /// Adds links from what reads the collection at this path. Returns whether there are any.
    fn add_lists(&mut self, (path, records): (&str, &RecordFinder<'_>), names: &[&str], target: Target) -> bool {
        let before = self.links.len();
        for from in self.collections.sources(path, target.0) {
            let list = &self.collections.operations[from.0];
            let value = || records.value(list, "", |record| records.plain_field(record, names));
            if let Some(value) = list.is_read().then(value).flatten() {
                self.push((from, value), target);
            }
        }
        self.links.len() > before
    }

    fn push(&mut self, from: (OperationId, String), (to, index): Target) {
        let link_index = self.first_index + self.links.len();
        let link = self
            .collections
            .link(link_index, from, (to, LinkTarget::Parameter(index)));
        self.links.push(Link { guessed: true, ..link });
    }
}

/// Names of fields that identify a record as its `id` does, in the form in which names are compared.
const BESIDE_ID: [&str; 8] = [
    "code", "documentid", "guid", "handle", "key", "publicid", "slug", "uuid",
];

impl Contract {
    /// Whether a read may take another field of its record than `id_field`, which a link carries into it: the record
    /// has a text that identifies it too, and the read's parameter is not named like `id_field`, or takes a text
    /// although `id_field` is a number.
    pub(super) fn path_may_take_another_field(&self, read: &Link, id_field: &str, record: &Shape) -> bool {
        let LinkTarget::Parameter(number) = read.target else {
            return false;
        };
        let types_of = |name: &str| {
            let index = record.field_named(name)?;
            Some(&self.shapes[record.fields[index].shape.0].types)
        };
        let operation = self.operation(read.to);
        let parameter = &operation.parameters[number];
        let is_named = comparable_name(&parameter.name).ends_with(&comparable_name(id_field));
        let takes_text = super::inferred::types(&self.document, parameter) == [JsonType::String];
        let is_number = types_of(id_field).is_some_and(|types| *types == [JsonType::Integer]);
        let mut others = record.fields.iter().map(|field| field.name.as_str());
        let is_other = |name: &str| {
            let is_known = BESIDE_ID.contains(&comparable_name(name).as_str());
            is_known && types_of(name).is_some_and(|types| *types == [JsonType::String])
        };
        let has_other = others.any(|name| name != id_field && is_other(name));
        read.inferred && has_other && (!is_named || (takes_text && is_number))
    }
}

/// Returns the path of a collection and the name of the field that a parameter takes if the segment before it says so:
/// `/flows` and `name` for `/flows/name/{name}`, `/collections` and `id` for `/collections/by-id/{collection_id}`.
fn after_word<'path>(path: &'path str, parameter: &Parameter) -> Option<(&'path str, &'static str)> {
    let (collection, segment) = path.rsplit_once('/')?;
    let segment = comparable_name(segment);
    let segment = segment.strip_prefix("by").unwrap_or(&segment);
    let word = WORDS.into_iter().find(|word| *word == segment)?;
    let last = collection_name(collection);
    let named = comparable_name(&parameter.name);
    let is_of_record = named == word || named == format!("{}{word}", RecordFinder::new(&[], last).singular());
    (is_of_record && !last.is_empty() && !last.contains('{')).then_some((collection, word))
}

/// Whether a parameter of this name may take the `id` of a record: the name is not that of something else, or names
/// both, as `id_or_slug` does.
pub(super) fn may_take_id(name: &str) -> bool {
    let separated = name.replace("Or", "_or_").replace('-', "_");
    let mut alternatives = separated.split("_or_").map(comparable_name);
    let named = comparable_name(name);
    let is_other = ENDINGS_OF_CHOSEN_NAMES
        .iter()
        .chain(&NOT_IDS)
        .any(|ending| named.ends_with(ending));
    !is_other || (separated.contains("_or_") && alternatives.any(|part| part.ends_with("id") || part == "pk"))
}

#[cfg(test)]
mod tests {
    use crate::contract::testing::of_paths;

    const RECORD: &str = "{type: object, properties: {id: {type: string}, name: {type: string}}}";

    /// A list and a create of these records at `/pets/`, a read and a change at this path, and photos below it.
    fn guessed((record, item, name): (&str, &str, &str), more: &str) -> Vec<String> {
        let json = |schema: &str| format!("content: {{application/json: {{schema: {schema}}}}}");
        let list = json(&format!(
            "{{type: object, properties: {{result: {{type: array, items: {record}}}}}}}"
        ));
        let created = json(record);
        let parameter =
            format!("parameters: [{{name: {name}, in: path, required: true, schema: {{type: integer}}{more}}}]");
        let document = format!(
            "/pets/:\n  get: {{operationId: list, responses: {{'200': {{description: a, {list}}}}}}}\n  \
             post: {{operationId: add, responses: {{'201': {{description: a, {created}}}}}}}\n\
             {item}:\n  {parameter}\n  \
             get: {{operationId: read, responses: {{'200': {{description: a}}}}}}\n  \
             put: {{operationId: change, responses: {{'200': {{description: a}}}}}}\n\
             {item}/photos:\n  {parameter}\n  \
             get: {{operationId: photos, responses: {{'200': {{description: a}}}}}}\n"
        );
        let contract = of_paths(&document, "").unwrap_or_else(|defect| panic!("{defect}"));
        let name = |id| contract.operation(id).name.as_str();
        let links = contract.links.iter().filter(|link| link.guessed);
        let links = links.map(|link| format!("{} {} {}", name(link.from), link.value_at, name(link.to)));
        links.collect()
    }

    #[test]
    fn what_follows_a_list_takes_the_id_of_its_items_whatever_its_name_and_type() {
        for name in ["pk", "identifier", "id_or_slug", "id_or_name", "idOrName", "id"] {
            assert_eq!(
                guessed((RECORD, &format!("/pets/{{{name}}}"), name), ""),
                [
                    "list /result/*/id read",
                    "add /id read",
                    "list /result/*/id photos",
                    "add /id photos",
                    "add /id change",
                ],
                "{name}"
            );
        }
    }

    #[test]
    fn nothing_is_guessed_where_something_else_is_named_or_known_or_no_field_is_the_id() {
        let item = "/pets/{pk}";
        for (record, path, name, more) in [
            (RECORD, "/pets/{version}", "version", ""),
            (RECORD, "/pets/{slug}", "slug", ""),
            (RECORD, "/pets/{slug_or_key}", "slug_or_key", ""),
            (RECORD, item, "pk", ", example: 7"),
            (RECORD, "/pets/{a}-{pk}", "pk", ""),
            ("{type: object, properties: {uuid: {type: string}}}", item, "pk", ""),
            ("{type: object, properties: {id: {type: object}}}", item, "pk", ""),
            (
                "{type: object, properties: {id: {type: string}, ID: {type: string}}}",
                item,
                "pk",
                "",
            ),
            // By name and type, this is no guess.
            (
                "{type: object, properties: {pk: {type: integer}, id: {type: integer}}}",
                item,
                "pk",
                "",
            ),
        ] {
            assert_eq!(guessed((record, path, name), more), [""; 0], "{record} {path} {more}");
        }
    }

    #[test]
    fn a_segment_before_the_parameter_names_the_field_for_reads() {
        for (path, name, field) in [
            ("/pets/name/{name}", "name", Some("name")),
            ("/pets/by-name/{pet_name}", "pet_name", Some("name")),
            ("/pets/by-id/{pet_id}", "pet_id", Some("id")),
            ("/pets/slug/{slug}", "slug", None),
            ("/pets/name/{owner_name}", "owner_name", None),
            ("/pets/sold/{name}", "name", None),
        ] {
            let links = field.map(|field| ["read", "photos"].map(|to| format!("list /result/*/{field} {to}")));
            let links: Vec<_> = links.into_iter().flatten().collect();
            assert_eq!(guessed((RECORD, path, name), ""), links, "{path}");
        }
    }
}
