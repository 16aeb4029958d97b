//! The values that links carry from responses into requests. The main type is [`Bindings`].
//!
//! # Design
//!
//! A value is kept with the records in the path of the request whose response showed it: a pet that
//! `GET /owners/17/pets` showed is read as `/owners/17/pets/{petId}` and under no other owner.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::field::languages_in;
use crate::contract::json_schema;
use crate::contract::link::{Link, LinkTarget};
use crate::contract::operation::{Operation, OperationId, ParameterLocation};
use crate::contract::path_template::PathTemplate;
use crate::contract::pointer;
use crate::exchange::{CompiledSchema, identifier};

/// The maximum number of different values that are kept for one link: a body sends one of them, and the others are its
/// fallbacks where it is rejected.
const MAX_VALUES_PER_LINK: usize = 3;

/// The maximum number of items of a list whose texts are looked at for their languages.
const MAX_ITEMS: usize = 20;
/// The maximum number of fields whose languages are remembered of each list.
const MAX_FIELDS: usize = 100;
/// The maximum number of languages that are remembered of each field.
const MAX_LANGUAGES: usize = 100;

/// A value that a response showed.
#[derive(Clone, Debug, PartialEq)]
struct BoundValue {
    value: Value,
    /// The records in the path of the request that showed it.
    parents: PathIdentifiers,
}

/// The identifiers of the records that a path names: for each parameter, the path before it
/// (`Operation::path_to_parameter`), and its value.
pub(crate) type PathIdentifiers = Vec<(String, String)>;

/// A parameter of a call that needs a value.
#[derive(Clone, Debug)]
pub(crate) struct NeededParameter {
    /// Its index among the operation's parameters.
    pub(crate) index: usize,
    /// Whether it may take what responses showed.
    pub(crate) may_be_linked: bool,
    /// The value that is sent if no response showed one.
    pub(crate) stand_in: Option<String>,
}

/// The values of one call that responses showed, each with the index of its parameter and with its link. They belong
/// together: a nested record is combined only with the record under which it was shown.
pub(crate) type LinkedValues<'own> = Vec<(usize, &'own Link, &'own Value)>;

/// The values that responses have shown so far, by link.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// By the number of the link.
    values: HashMap<usize, Vec<BoundValue>>,
    /// The operations of which a success was read, whatever it showed.
    read_from: HashSet<OperationId>,
    /// The reads whose values are from an earlier round (one execution of the plan).
    outdated: HashSet<OperationId>,
    /// The languages of the texts that lists have shown, by list and by the name of the field of their items, each with
    /// the number of texts.
    languages: HashMap<OperationId, HashMap<String, HashMap<String, usize>>>,
}

impl Bindings {
    /// Takes the values of an operation's links from a response body. Ignores what is not an identifier: null, an empty
    /// string, a string that is too long, a boolean, an object, an array. Otherwise any of these would be kept, put
    /// into a path and sent back.
    pub fn bind(&mut self, contract: &Contract, from: OperationId, body: &Value) {
        self.bind_under(contract, (from, ""), body);
    }

    /// Takes the values as [`Self::bind`] does, from the response to a request with this path.
    pub(crate) fn bind_under(&mut self, contract: &Contract, (from, path): (OperationId, &str), body: &Value) {
        self.read_from.insert(from);
        // A body that could not be read shows nothing in place of the earlier values.
        if !body.is_null() && self.outdated.remove(&from) {
            self.forget(contract, from);
        }
        let parents = identifiers_in_path(contract.operation(from), path);
        let shows_secrets = || !contract.operation(from).has_invariants() && contract.shows_secrets(from);
        for link in contract.links_from(from) {
            if !self.has_room_for(link) {
                continue;
            }
            let admits = AdmittedByParameter::of(contract, link);
            let may_be_sent = |value: &Value| admits.holds(value) && !(may_be_credential(value) && shows_secrets());
            for value in link.values(body).iter().filter(|value| may_be_sent(value)) {
                self.keep(link, value, &parents);
            }
        }
        self.note_languages(contract, from, body);
    }

    /// Counts the languages of the texts in the items of a list.
    fn note_languages(&mut self, contract: &Contract, list: OperationId, body: &Value) {
        let items = contract.items_of_list(list).and_then(|(at, _)| pointer::get(body, at));
        for item in items.and_then(Value::as_array).into_iter().flatten().take(MAX_ITEMS) {
            for (field, text) in item.as_object().into_iter().flatten() {
                for language in languages_in(text) {
                    let of_list = self.languages.entry(list).or_default();
                    if !of_list.contains_key(field) && of_list.len() >= MAX_FIELDS {
                        break;
                    }
                    let shown = of_list.entry(field.clone()).or_default();
                    if shown.contains_key(language) || shown.len() < MAX_LANGUAGES {
                        *shown.entry(language.to_owned()).or_default() += 1;
                    }
                }
            }
        }
    }

    /// Returns the language in which a list has shown most texts in this field of its items; of several, the first in
    /// the alphabet.
    pub(crate) fn language_of(&self, list: OperationId, field: &str) -> Option<&str> {
        let shown = self.languages.get(&list)?.get(field)?.iter();
        let most = shown.max_by_key(|(language, texts)| (**texts, std::cmp::Reverse(*language)));
        most.map(|(language, _)| language.as_str())
    }

    /// Takes the identifier of a created record, where the body of the response does not show it, as the value of each
    /// link that carries it.
    pub(super) fn bind_created(&mut self, contract: &Contract, (from, path): (OperationId, &str), id: &Value) {
        let mut parents = identifiers_in_path(contract.operation(from), path);
        let chosen = contract.operation(from).path_to_chosen_identifier();
        parents.retain(|(before, _)| chosen.as_ref() != Some(before));
        let links = contract.links_from(from);
        for link in links.filter(|link| contract.identifies_created_record(link)) {
            if AdmittedByParameter::of(contract, link).holds(id) {
                self.keep(link, id, &parents);
            }
        }
    }

    /// Returns bindings with a made-up identifier for each create from which a body takes one, to know what the body
    /// will be before any create is sent.
    pub(crate) fn with_placeholder_identifiers(contract: &Contract, to: OperationId) -> Self {
        let mut bindings = Self::default();
        for link in contract
            .links_to(to)
            .filter(|link| contract.operation(link.from).creates())
        {
            let LinkTarget::Body(at) = &link.target else { continue };
            let is_it = |field: &str| at.strip_prefix(&pointer::join("", field));
            let mut fields = contract.body_properties(to);
            let node = fields.find_map(|field| match is_it(&field.name)? {
                "" => Some(&field.node),
                _ => contract.reference_identifier(&field.node).map(|id| &id.node),
            });
            let kind = node.and_then(|node| contract.referred(node).member("type"));
            let id = if kind.and_then(Node::string) == Some("integer") {
                Value::from(1)
            } else {
                Value::from("00000000-0000-4000-8000-000000000000")
            };
            bindings.keep(link, &id, &PathIdentifiers::new());
        }
        bindings
    }

    /// Keeps a value of a link, if it is an identifier and there is room for it.
    fn keep(&mut self, link: &Link, value: &Value, parents: &PathIdentifiers) {
        if !self.has_room_for(link) || identifier(value).is_none() {
            return;
        }
        let kept = self.values.entry(link.index).or_default();
        let shown = BoundValue {
            value: value.clone(),
            parents: parents.clone(),
        };
        if !kept.contains(&shown) {
            kept.push(shown);
        }
    }

    fn has_room_for(&self, link: &Link) -> bool {
        let kept = self.values.get(&link.index);
        kept.is_none_or(|kept| kept.len() < MAX_VALUES_PER_LINK)
    }

    /// Forgets the values of an operation's links, so that those of its next response count.
    pub fn forget(&mut self, contract: &Contract, from: OperationId) {
        for link in contract.links_from(from) {
            self.values.remove(&link.index);
        }
    }

    /// Begins another round: somebody may have deleted a record since, so the first success of each read in this round
    /// replaces what the read has shown before.
    pub(super) fn begin_round(&mut self, contract: &Contract) {
        let reads = self.read_from.iter().copied();
        self.outdated = reads.filter(|from| contract.operation(*from).is_read()).collect();
    }

    /// Whether a success of the operation was read, whatever it showed.
    pub(crate) fn has_read_from(&self, operation: OperationId) -> bool {
        self.read_from.contains(&operation)
    }

    /// Returns up to `max_sets` sets of values that belong together, for one call, the best first: values of creates
    /// before those of lists, then later links before earlier ones, and later values before earlier ones. A read falls
    /// back to values of lists if those of creates do not belong together. A write does not, where a create in the
    /// contract provides the value: other people's records are never written to. A set has no value for a parameter
    /// whose only value is its stand-in. The result is empty if no values belong together.
    pub(crate) fn consistent_values<'own>(
        &'own self,
        contract: &'own Contract,
        to: OperationId,
        (mut needed, max_sets): (Vec<NeededParameter>, usize),
    ) -> Vec<LinkedValues<'own>> {
        let operation = contract.operation(to);
        // The value that is deepest in the path says under which records it was shown.
        let depth = |needed: &NeededParameter| operation.path_to_parameter(needed.index).map(|before| before.len());
        needed.sort_by_key(|needed| std::cmp::Reverse(depth(needed)));
        let candidates = needed.iter().map(|needed| self.candidates(contract, to, needed));
        let mut search = Search {
            operation,
            candidates: candidates.collect(),
            needed,
            max_sets,
            steps: 0,
            found: Vec::new(),
        };
        search.descend(0, &mut Vec::new(), &mut Vec::new());
        search.found
    }

    /// Returns the values for a parameter, the best first.
    fn candidates<'own>(
        &'own self,
        contract: &'own Contract,
        to: OperationId,
        needed: &NeededParameter,
    ) -> Vec<(&'own Link, &'own BoundValue)> {
        if !needed.may_be_linked {
            return Vec::new();
        }
        let links = contract.links_allowed_to_fill(to, &LinkTarget::Parameter(needed.index));
        let shown = |link: &'own Link| {
            let kept = self.values.get(&link.index).into_iter().flatten();
            kept.map(move |shown| (link, shown))
        };
        let mut shown: Vec<_> = links.into_iter().flat_map(shown).collect();
        shown.reverse();
        shown.sort_by_key(|(link, _)| contract.operation(link.from).is_read());
        shown
    }

    /// Returns the values of the links that may fill a target, each with its link.
    pub(crate) fn linked_values<'own>(&'own self, links: &[&'own Link]) -> Vec<(&'own Link, &'own Value)> {
        let valued = links.iter().flat_map(|link| {
            self.values
                .get(&link.index)
                .into_iter()
                .flatten()
                .map(move |shown| (*link, &shown.value))
        });
        valued.collect()
    }
}

/// The schema of the parameter that a link fills, if the link is *guessed*: inferred from paths alone
/// ([`Link::guessed`]). Only values that it admits are taken, whatever type the document states for them. Any other
/// link gives its values as they are.
struct AdmittedByParameter(Option<CompiledSchema>);

impl AdmittedByParameter {
    fn of(contract: &Contract, link: &Link) -> Self {
        let schema = || match &link.target {
            LinkTarget::Parameter(index) => contract.operation(link.to).parameters[*index].schema.as_deref(),
            LinkTarget::Body(_) => None,
        };
        let schema = link.guessed.then(schema).flatten().map(|schema| {
            // One of the values that a parameter takes is a list of them too.
            let items = pointer::join(schema, "items");
            let has_items = contract.document.node(&items).is_some();
            if has_items {
                Cow::Owned(items)
            } else {
                Cow::Borrowed(schema)
            }
        });
        let compiled = |schema: Cow<'_, str>| {
            CompiledSchema::compile(json_schema::convert_for_request(&contract.document, &schema).as_ref())
        };
        Self(schema.map(compiled))
    }

    /// Whether the parameter admits the value. A path is text, so `17` in it may be a number or a string.
    fn holds(&self, value: &Value) -> bool {
        let Some(compiled) = &self.0 else { return true };
        let Some(text) = identifier(value) else { return false };
        let number = text.parse().ok().map(Value::Number);
        let number = number.filter(|number| identifier(number).as_ref() == Some(&text));
        let mut forms = [Some(Value::from(text)), number].into_iter().flatten();
        forms.any(|form| compiled.holds(&form) != Some(false))
    }
}

/// Whether a value that a collection of credentials shows may be one: anything but an integer and a UUID.
fn may_be_credential(value: &Value) -> bool {
    let text = value.as_str().filter(|text| text.parse::<u64>().is_err());
    text.is_some_and(|text| uuid::Uuid::parse_str(text).is_err())
}

/// A search for the values of one call that belong together.
struct Search<'own> {
    operation: &'own Operation,
    /// What needs a value, the deepest in the path first.
    needed: Vec<NeededParameter>,
    /// The values for each of these.
    candidates: Vec<Vec<(&'own Link, &'own BoundValue)>>,
    max_sets: usize,
    /// The number of values looked at so far.
    steps: usize,
    found: Vec<LinkedValues<'own>>,
}

/// The maximum number of values that a search looks at: a call with ten parameters has very many combinations.
const MAX_STEPS: usize = 1000;

impl<'own> Search<'own> {
    /// Chooses a value for the parameter at this position, and then for those after it; `path_identifiers`
    /// has the records that the chosen values are under.
    fn descend(&mut self, position: usize, chosen: &mut LinkedValues<'own>, path_identifiers: &mut PathIdentifiers) {
        let Some(needed) = self.needed.get(position).cloned() else {
            let mut together = chosen.clone();
            together.sort_by_key(|(index, ..)| *index);
            return self.found.push(together);
        };
        let before = self.operation.path_to_parameter(needed.index);
        let before = before.as_deref();
        let candidates = self.candidates[position].clone();
        if candidates.is_empty() {
            let fits = needed
                .stand_in
                .is_some_and(|text| agrees(path_identifiers, before, &text));
            if fits {
                self.descend(position + 1, chosen, path_identifiers);
            }
            return;
        }
        for (link, shown) in candidates {
            self.steps += 1;
            if self.found.len() >= self.max_sets || self.steps > MAX_STEPS {
                return;
            }
            let text = identifier(&shown.value).unwrap_or_default();
            let fits = agrees(path_identifiers, before, &text)
                && shown
                    .parents
                    .iter()
                    .all(|(before, text)| agrees(path_identifiers, Some(before), text));
            if !fits {
                continue;
            }
            let length = path_identifiers.len();
            path_identifiers.extend(shown.parents.iter().cloned());
            path_identifiers.extend(before.map(|before| (before.to_owned(), text)));
            chosen.push((needed.index, link, &shown.value));
            self.descend(position + 1, chosen, path_identifiers);
            chosen.pop();
            path_identifiers.truncate(length);
        }
    }
}

/// Whether the record with the identifier `text`, at the position in the path that follows `before`, agrees with
/// `path_identifiers`: none of those is a different record at that position.
fn agrees(path_identifiers: &PathIdentifiers, before: Option<&str>, text: &str) -> bool {
    let mut same = path_identifiers
        .iter()
        .filter(|(other, _)| Some(other.as_str()) == before);
    same.all(|(_, other)| other == text)
}

/// Returns the identifiers in the path of a request to the operation.
pub(crate) fn identifiers_in_path(operation: &Operation, path: &str) -> PathIdentifiers {
    if !operation.path.contains('{') {
        return PathIdentifiers::new();
    }
    let path = path.split('?').next().unwrap_or_default();
    let template = PathTemplate::read(&operation.path);
    let values = template.values(path).unwrap_or_default();
    let records = values.into_iter().filter_map(|(name, value)| {
        let index = operation
            .parameters
            .iter()
            .position(|parameter| parameter.is(ParameterLocation::Path, name))?;
        let value = percent_decode_str(value).decode_utf8().ok()?;
        Some((operation.path_to_parameter(index)?, value.into_owned()))
    });
    records.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CONTRACT: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
components:
  schemas:
    Record: {type: object, properties: {id: {type: integer}}}
    Records: {type: array, items: {$ref: '#/components/schemas/Record'}}
  parameters:
    owner: {name: owner, in: path, required: true, schema: {type: integer}}
    pet: {name: pet, in: path, required: true, schema: {type: integer}}
  responses:
    Record: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Record'}}}}
    Records: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Records'}}}}
paths:
  /owners:
    get: {operationId: owners, responses: {'200': {$ref: '#/components/responses/Records'}}}
    post: {operationId: addOwner, responses: {'201': {$ref: '#/components/responses/Record'}}}
  /owners/{owner}/pets:
    parameters: [{$ref: '#/components/parameters/owner'}]
    get: {operationId: pets, responses: {'200': {$ref: '#/components/responses/Records'}}}
    post: {operationId: addPet, responses: {'201': {$ref: '#/components/responses/Record'}}}
  /owners/{owner}/pets/{pet}:
    parameters: [{$ref: '#/components/parameters/pet'}, {$ref: '#/components/parameters/owner'}]
    get: {operationId: pet, responses: {'200': {$ref: '#/components/responses/Record'}}}
    delete: {operationId: removePet, responses: {'204': {description: Gone}}}
";

    fn records(ids: &[u64]) -> Value {
        ids.iter().map(|id| json!({ "id": id })).collect()
    }

    /// The values of a call after these responses, each of an operation and at a path: the pet, and the owner.
    fn together(to: &str, shown: &[(&str, &str, Value)]) -> Vec<Vec<Value>> {
        let contract = Contract::read("pets.yaml", CONTRACT.to_owned()).unwrap();
        let mut bindings = Bindings::default();
        for (from, path, body) in shown {
            let from = contract.operation_named(from).unwrap();
            bindings.bind_under(&contract, (from, path), body);
        }
        let needed = [0, 1].map(|index| NeededParameter {
            index,
            may_be_linked: true,
            stand_in: None,
        });
        let to = contract.operation_named(to).unwrap();
        let sets = bindings.consistent_values(&contract, to, (needed.into(), 3));
        let values = sets
            .into_iter()
            .map(|set| set.into_iter().map(|(.., value)| value.clone()));
        values.map(Iterator::collect).collect()
    }

    #[test]
    fn a_record_is_named_under_the_one_that_it_was_shown_under() {
        let owners = ("owners", "/owners", records(&[1, 2, 3]));
        let of = |owner: u64, pets: &[u64]| ("pets", format!("/owners/{owner}/pets?size=9"), records(pets));
        let (first, second) = (of(1, &[11, 12]), of(2, &[11]));
        let shown = [
            owners,
            (first.0, &first.1, first.2.clone()),
            (second.0, &second.1, second.2.clone()),
        ];
        assert_eq!(
            together("pet", &shown),
            [[json!(11), json!(2)], [json!(12), json!(1)], [json!(11), json!(1)]]
        );
    }

    #[test]
    fn the_names_of_a_map_and_the_fields_of_its_members_are_values() {
        let map = "{type: object, additionalProperties: {type: object, properties: {NAME: {type: string}}}}";
        for (name, expected) in [("uuid", &["a", "b", "two"][..]), ("title", &["one", "two"])] {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /watch:\n    get: {{operationId: list, responses: \
                 {{'200': {{description: a, content: {{application/json: {{schema: {}}}}}}}}}}}\n  /watch/{{uuid}}:\n    \
                 parameters: [{{name: uuid, in: path, required: true, schema: {{type: string}}}}]\n    get: {{operationId: \
                 read, responses: {{'200': {{description: a}}}}}}\n",
                map.replace("NAME", name)
            );
            let contract = Contract::read("watch.yaml", text).unwrap();
            let (list, read) = (OperationId(0), OperationId(1));
            let mut bindings = Bindings::default();
            let members = [json!({name: "a"}), json!({name: "b"})];
            bindings.bind(&contract, list, &json!({"one": members[0], "two": members[1]}));
            let needed = vec![NeededParameter {
                index: 0,
                may_be_linked: true,
                stand_in: None,
            }];
            let sets = bindings.consistent_values(&contract, read, (needed, 3));
            let mut values: Vec<_> = sets.iter().map(|set| set[0].2.clone()).collect();
            values.sort_by_key(ToString::to_string);
            assert_eq!(values, expected, "{name}");
        }
    }

    /// The values that a parameter with this name and schema takes from a list at `/events`, of which the document says
    /// nothing, after this response.
    fn taken_from_undescribed((parameter, schema): (&str, &str), body: &Value) -> Vec<Value> {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /events:\n    get: {{responses: {{'200': \
             {{description: a}}}}}}\n  /events/{{{parameter}}}:\n    get: {{parameters: [{{name: {parameter}, in: path, required: \
             true, schema: {schema}}}], responses: {{'200': {{description: a}}}}}}\n"
        );
        let contract = Contract::read("events.yaml", text).unwrap();
        let mut bindings = Bindings::default();
        bindings.bind(&contract, OperationId(0), body);
        let needed = vec![NeededParameter {
            index: 0,
            may_be_linked: true,
            stand_in: None,
        }];
        let sets = bindings.consistent_values(&contract, OperationId(1), (needed, 3));
        sets.iter().map(|set| set[0].2.clone()).collect()
    }

    #[test]
    fn of_credentials_only_an_integer_and_a_uuid_are_values_of_a_call() {
        let shown = json!([{"id": "sk_live_1"}, {"id": 7}, {"id": "5d0f4e0a-6a0e-4b57-9a3a-0c6f4a0f7a11"}]);
        for (collection, sent) in [("keys", 2), ("pets", 3)] {
            let text = format!(
                "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /{collection}:\n    get: {{responses: {{'200': \
                 {{description: a, content: {{application/json: {{schema: {{type: array, items: {{type: object, \
                 properties: {{id: {{}}}}}}}}}}}}}}}}}}\n  /{collection}/{{id}}:\n    get: {{parameters: [{{name: id, in: path, \
                 required: true, schema: {{}}}}], responses: {{'200': {{description: a}}}}}}\n"
            );
            let contract = Contract::read("a.yaml", text).unwrap();
            let mut bindings = Bindings::default();
            bindings.bind(&contract, OperationId(0), &shown);
            let needed = vec![NeededParameter {
                index: 0,
                may_be_linked: true,
                stand_in: None,
            }];
            let sets = bindings.consistent_values(&contract, OperationId(1), (needed, 9));
            assert_eq!(sets.len(), sent, "{collection}");
        }
    }

    #[test]
    fn a_guess_takes_what_the_parameter_admits_from_the_one_array_that_shows_it() {
        let text = ("event_id", "{type: string}");
        for (body, values) in [
            (json!([{"event_id": "a", "id": 7}]), &[json!("a"), json!(7)][..]),
            (
                json!({"events": [{"id": "a"}], "links": [{"rel": "self"}]}),
                &[json!("a")],
            ),
            (json!({"events": [{"id": "a"}], "owners": [{"id": "b"}]}), &[]),
            (json!({"title": "a", "id": "b"}), &[]),
            (json!([{"id": null}, {"id": {}}, "a"]), &[]),
        ] {
            assert_eq!(taken_from_undescribed(text, &body), values, "{body}");
        }
        let ids = ("ids", "{type: array, items: {type: integer}}");
        assert_eq!(
            taken_from_undescribed(ids, &json!([{"id": "a"}, {"id": 7}])),
            [json!(7)]
        );
    }

    #[test]
    fn a_list_shows_the_language_of_most_texts_and_no_other_name_in_a_map() {
        let contract = Contract::read("pets.yaml", CONTRACT.to_owned()).unwrap();
        let pets = contract.operation_named("pets").unwrap();
        let pet = |id: u64, name: Value| json!({"id": id, "name": name});
        for (first, second, language) in [
            (json!({"de": "a", "en": "b"}), json!({"en": "c"}), Some("en")),
            (json!({"pt-BR": "a"}), json!("b"), Some("pt-BR")),
            (json!({"id": "7", "name": "a"}), json!({"ada": "b"}), None),
            (json!({"en": {"text": "a"}}), json!({"17": "b"}), None),
        ] {
            let mut bindings = Bindings::default();
            bindings.bind(&contract, pets, &json!([pet(1, first), pet(2, second)]));
            assert_eq!(bindings.language_of(pets, "name"), language);
            assert_eq!(bindings.language_of(pets, "title"), None);
        }
    }

    #[test]
    fn what_a_list_shows_in_a_round_replaces_what_it_showed_before_and_what_a_create_returned_stays() {
        let contract = Contract::read("pets.yaml", CONTRACT.to_owned()).unwrap();
        let named = |name: &str| contract.operation_named(name).unwrap();
        let mut bindings = Bindings::default();
        let owners = |bindings: &Bindings| {
            let links = contract.links_allowed_to_fill(named("pets"), &LinkTarget::Parameter(0));
            let shown = bindings.linked_values(&links).into_iter();
            shown.map(|(_, value)| value.clone()).collect::<HashSet<_>>()
        };
        bindings.bind(&contract, named("owners"), &records(&[1, 2, 3]));
        bindings.bind(&contract, named("addOwner"), &json!({"id": 9}));
        bindings.begin_round(&contract);
        assert_eq!(owners(&bindings), HashSet::from([1, 2, 3, 9].map(Value::from)));
        bindings.bind(&contract, named("owners"), &records(&[2]));
        bindings.bind(&contract, named("owners"), &records(&[3]));
        assert_eq!(owners(&bindings), HashSet::from([2, 3, 9].map(Value::from)));
    }

    #[test]
    fn records_that_do_not_belong_together_are_in_no_call() {
        let pets = ("pets", "/owners/4/pets", records(&[41]));
        assert!(together("pet", &[("owners", "/owners", records(&[1])), pets]).is_empty());
    }

    #[test]
    fn a_read_takes_own_records_first_and_a_write_takes_no_others() {
        let listed = [
            ("owners", "/owners", records(&[1])),
            ("pets", "/owners/1/pets", records(&[11])),
        ];
        let owner = ("addOwner", "/owners", json!({"id": 9}));
        let pet = ("addPet", "/owners/9/pets", json!({"id": 91}));
        let all = [listed.as_slice(), &[owner.clone(), pet]].concat();
        assert_eq!(together("pet", &all), [[json!(91), json!(9)], [json!(11), json!(1)]]);
        assert_eq!(together("removePet", &all), [[json!(91), json!(9)]]);
        // A pet of this run does not belong to an owner that the run created later.
        let other = [owner, ("addPet", "/owners/8/pets", json!({"id": 81}))];
        assert!(together("removePet", &other).is_empty());
        let with_owner = [listed.as_slice(), &[("addOwner", "/owners", json!({"id": 9}))]].concat();
        assert_eq!(together("pet", &with_owner), [[json!(11), json!(1)]]);
    }
}
