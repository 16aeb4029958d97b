//! Infers which operations read, list, update and delete the records that a create makes, and which sent fields each
//! record must show. The main type is [`Lifecycle`].
//!
//! # Design
//!
//! An ordinary document states no invariants, but its paths and schemas imply some: `GET /pets/{petId}` returns the
//! record that `POST /pets` created, by the identifier in the response to the create. So a lifecycle starts from a link
//! between a create and the read of its records, and includes the other operations on the same two paths. A record must
//! show a field as it was sent only if request and response document the field with one name and one type, in the same
//! object, and if services do not usually set or normalize such a field, and no text says that they do. A create with
//! `x-invariants` has no lifecycle, because its contract states more than can be inferred. Of an array of plain values,
//! each sent element must be there: the order, and what a service adds, is left open.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::Contract;
use super::document::{Member, Node};
use super::fact::{Fact, FactKind};
use super::field::{is_flagged, with_all_of};
use super::inferred::{MethodAndPath, RecordFinder, collection_name, comparable_name, comparable_path};
use super::lasting::ShownAfterDelete;
use super::lexicon::{alphanumeric_words, camel_case_words, singular};
use super::link::{Link, LinkTarget};
use super::operation::{Method, Operation, OperationId};
use super::plain_text::{only_explains_a_value, only_says_when_changed, only_says_when_created, only_updates};
use super::pointer;
use super::shape::{Field, JsonType, Shape, shape_at};
use super::vocabulary::{Carry, Equality};
use super::what_texts_say::{
    concerns, is_for_machines, says_that_it_comes_back_changed, says_that_order_is_kept, says_what_is_done_to_it,
};

/// The operations on the records of one create.
#[derive(Clone, Debug)]
pub struct Lifecycle {
    /// The create.
    pub create: OperationId,
    /// Where its response shows the identifier of the created record; an expression, where that is not in the body
    /// ([`Link::value_at`]).
    pub created_id_pointer: String,
    /// The read of one record by its identifier.
    pub read: OperationId,
    /// Whether it is only guessed that the read takes that identifier ([`Link::guessed`]): then a read that shows no
    /// such record decides nothing.
    pub guessed: bool,
    /// Whether the record has another field that the read may take: `slug` for `/posts/{post}`. Then it decides nothing
    /// if the read finds no record.
    pub path_may_take_another_field: bool,
    /// The path of the read up to the identifier, as [`Operation::path_to_parameter`] returns it.
    pub path_to_id: String,
    /// Where the response of the read shows the record.
    pub record_in_read: String,
    /// The fields of the create's request that the record must show.
    pub carries: Vec<Carry>,
    /// The list on the path of the create, if one clearly shows the records.
    pub list: Option<RecordList>,
    /// The fields that the read and the list show alike: one statement of the document describes both.
    pub listed_as_read: Vec<Carry>,
    /// What the record must show where a write leaves a field out, for the create and for a PUT whose text says so: each
    /// such field, with its documented default.
    pub defaults: Vec<(OperationId, Vec<(Carry, Value)>)>,
    /// Whether all texts about the create say only that it creates what is sent.
    pub is_created_plainly: bool,
    /// Whether nothing says that the `Location` of the create names something else than the record.
    pub is_located_plainly: bool,
    /// Where the read shows when the record was created, within the record.
    pub creation_time: Option<String>,
    /// Where the read shows when the record was last changed, within the record.
    pub change_time: Option<String>,
    /// The updates of one record, each with the fields of its request that the record must show.
    pub updates: Vec<(OperationId, Vec<Carry>)>,
    /// The operation that deletes one record.
    pub delete: Option<OperationId>,
    /// Which reads may still show the record after its deletion, by the text about the deletion.
    pub shown_after_delete: ShownAfterDelete,
    /// Whether the text about the create says that reads show the record only later.
    pub is_shown_later: bool,
    /// Where the responses to the create and to the updates show the record, for each that shows it as the read does.
    pub responses: Vec<(OperationId, String)>,
}

/// A list, and where its responses show the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordList {
    /// The operation that returns the list.
    pub operation: OperationId,
    /// The pointer to the array of records in the response.
    pub items: String,
    /// The pointer to the identifier within a record.
    pub id: String,
    /// Whether the document says that it shows only some of them, or shows them late.
    pub shows_only_some: bool,
}

impl Lifecycle {
    /// Returns where the response to a write shows the record.
    #[must_use]
    pub fn record_in_response(&self, write: OperationId) -> Option<&str> {
        let found = self.responses.iter().find(|(operation, _)| *operation == write);
        found.map(|(_, at)| at.as_str())
    }

    /// Returns the fields that the record must show with these defaults if a write leaves them out.
    #[must_use]
    pub fn defaults_after(&self, write: OperationId) -> &[(Carry, Value)] {
        let found = self.defaults.iter().find(|(operation, _)| *operation == write);
        found.map_or(&[], |(_, defaults)| defaults)
    }
}

/// Operations by method and path, with the names of the path's parameters left out.
type ByPath = HashMap<MethodAndPath, Vec<OperationId>>;

/// The lifecycles of a contract.
#[derive(Debug, Default)]
pub(super) struct Lifecycles {
    all: Vec<Lifecycle>,
    /// The index in `all` of the lifecycle that a create, an update or a delete belongs to.
    by_operation: HashMap<OperationId, usize>,
    /// For each create whose records only the list at its path shows, that list, and where its response has the
    /// identifier.
    at_path: BTreeMap<OperationId, (RecordList, String)>,
}

impl Lifecycles {
    fn new(all: Vec<Lifecycle>) -> Self {
        let mut by_operation = HashMap::new();
        for (index, lifecycle) in all.iter().enumerate() {
            let updates = lifecycle.updates.iter().map(|(update, _)| *update);
            for operation in updates.chain([lifecycle.create]).chain(lifecycle.delete) {
                by_operation.insert(operation, index);
            }
        }
        Self {
            all,
            by_operation,
            at_path: BTreeMap::new(),
        }
    }
}

impl Contract {
    /// Returns the contract with its inferred lifecycles and their facts added.
    pub(super) fn with_lifecycles(mut self) -> Self {
        let mut by_path = ByPath::new();
        for id in self.operation_ids() {
            let operation = self.operation(id);
            let key = (operation.method, comparable_path(&operation.path));
            by_path.entry(key).or_default().push(id);
        }
        let creates = self.operation_ids().filter(|id| self.operation(*id).creates());
        let mut lifecycles: Vec<_> = creates.filter_map(|id| self.infer_lifecycle(id, &by_path)).collect();
        for lifecycle in &mut lifecycles {
            lifecycle.listed_as_read = self.fields_listed_as_read(lifecycle);
            lifecycle.defaults = self.defaults_of_writes(lifecycle);
            lifecycle.creation_time =
                self.plain_time(lifecycle, lifecycle.creation_time.as_ref(), only_says_when_created);
            lifecycle.change_time = self.plain_time(lifecycle, lifecycle.change_time.as_ref(), only_says_when_changed);
            lifecycle.is_created_plainly = self.only_creates_plainly(lifecycle.create);
            lifecycle.is_located_plainly = lifecycle.is_created_plainly && self.locates_plainly(lifecycle.create);
        }
        for lifecycle in &lifecycles {
            for fact in self.lifecycle_facts(lifecycle) {
                self.add_fact(fact);
            }
            let names = self.names_for_requests(lifecycle);
            for shape in self.shapes_of_records(lifecycle) {
                self.shapes[shape.0].names_for_requests.clone_from(&names);
            }
        }
        self.lifecycles = Lifecycles::new(lifecycles);
        let creates = self.operation_ids();
        let at_path = creates.filter_map(|create| Some((create, self.infer_list_at_path(create, &by_path)?)));
        self.lifecycles.at_path = at_path.collect();
        self
    }

    /// Returns the inferred lifecycles, in the order of their creates.
    #[must_use]
    pub fn lifecycles(&self) -> &[Lifecycle] {
        &self.lifecycles.all
    }

    /// Returns the lifecycle of the records that an operation creates, updates or deletes.
    #[must_use]
    pub fn lifecycle_of(&self, operation: OperationId) -> Option<&Lifecycle> {
        let index = *self.lifecycles.by_operation.get(&operation)?;
        self.lifecycles.all.get(index)
    }

    /// Returns where an operation lists the records of a lifecycle, or those of the create at its path, if it does.
    #[must_use]
    pub fn record_list(&self, operation: OperationId) -> Option<&RecordList> {
        let lists = self.lifecycles().iter().filter_map(|lifecycle| lifecycle.list.as_ref());
        let mut lists = lists.chain(self.lists_at_paths().map(|(_, list)| list));
        lists.find(|list| list.operation == operation)
    }

    /// Returns the lifecycle of the records that an operation creates.
    #[must_use]
    pub fn lifecycle_starting_with(&self, create: OperationId) -> Option<&Lifecycle> {
        let lifecycle = self.lifecycle_of(create);
        lifecycle.filter(|lifecycle| lifecycle.create == create)
    }

    /// Returns the lifecycle of the records that an operation deletes.
    #[must_use]
    pub fn lifecycle_ending_with(&self, delete: OperationId) -> Option<&Lifecycle> {
        let lifecycle = self.lifecycle_of(delete);
        lifecycle.filter(|lifecycle| lifecycle.delete == Some(delete))
    }

    /// Returns the fields of an update's request that the record must show afterwards; none if the update has no
    /// lifecycle.
    #[must_use]
    pub fn lifecycle_carries_of_update(&self, update: OperationId) -> &[Carry] {
        let lifecycle = self.lifecycle_of(update);
        let mut updates = lifecycle.into_iter().flat_map(|lifecycle| &lifecycle.updates);
        let found = updates.find(|(operation, _)| *operation == update);
        found.map_or(&[], |(_, carries)| carries)
    }

    /// Returns the read that shows what an update changed: the list that its invariant names, or else the read of the
    /// record by an inferred lifecycle.
    #[must_use]
    pub(crate) fn read_showing_update(&self, update: OperationId) -> Option<OperationId> {
        if self.operation(update).invariants.updated.is_some() {
            return self.list_showing_updated_by(update);
        }
        let lifecycle = self.lifecycle_of(update)?;
        let mut updates = lifecycle.updates.iter();
        updates.any(|(known, _)| *known == update).then_some(lifecycle.read)
    }

    /// Returns the records in a response of the read that shows what an update changed: the items of a list, or the one
    /// record.
    pub(crate) fn records_showing_update<'body>(&self, update: OperationId, body: &'body Value) -> &'body [Value] {
        let listed = self
            .list_showing_updated_by(update)
            .and_then(|list| self.operation(list).page.as_ref());
        let items = listed.and_then(|page| pointer::get(body, &page.items)?.as_array());
        match self.lifecycle_of(update).filter(|_| listed.is_none()) {
            Some(lifecycle) => pointer::get(body, &lifecycle.record_in_read).map_or(&[], std::slice::from_ref),
            None => items.map_or(&[], Vec::as_slice),
        }
    }

    /// Returns the fields of an update's request that its record must show afterwards, by an invariant or by an
    /// inferred lifecycle.
    pub(crate) fn stated_or_inferred_carries_of_update(&self, update: OperationId) -> &[Carry] {
        let updated = self.operation(update).invariants.updated.as_ref();
        updated.map_or_else(|| self.lifecycle_carries_of_update(update), |updated| &updated.carries)
    }

    fn infer_lifecycle(&self, create: OperationId, by_path: &ByPath) -> Option<Lifecycle> {
        let operation = self.operation(create);
        if operation.invariants.created.is_some() {
            return None;
        }
        let path_to_id = format!("{}/", comparable_path(operation.collection_path()));
        let item_path = format!("{path_to_id}{{}}");
        let mut links = self.links_from(create);
        let read = links.find(|link| {
            let to = self.operation(link.to);
            to.is_read()
                && comparable_path(&to.path) == item_path
                && self.path_to_parameter(link).as_ref() == Some(&path_to_id)
                && self.identifies_created_record(link)
        })?;
        let records = RecordFinder::new(&self.shapes, collection_name(operation.collection_path()));
        let body = self.operation(read.to).success_body()?;
        let chosen = operation
            .new_record_name_parameter()
            .map(|index| operation.parameters[index].name.clone());
        let id_field = chosen.clone().or_else(|| pointer::tokens(&read.value_at).last());
        let named = id_field.as_deref().unwrap_or_default();
        let (record, shape) = match chosen {
            Some(_) => records.in_read(body, named)?,
            None => records.in_response(body, named)?,
        };
        let only = |method: Method| match by_path.get(&(method, item_path.clone())).map(Vec::as_slice) {
            Some([id]) => Some(*id),
            _ => None,
        };
        let updates = [Method::Put, Method::Patch].into_iter().filter_map(only);
        let updates = updates.filter(|update| *update != create);
        let carries = |of: OperationId| {
            let told_by = [create, read.to, of];
            self.infer_carries(of, shape, (id_field.as_deref(), &told_by))
        };
        let carries_of_update = |update: OperationId| match self.may_change_something_else(self.operation(update)) {
            true => Vec::new(),
            false => carries(update),
        };
        let updates: Vec<_> = updates.map(|update| (update, carries_of_update(update))).collect();
        let created = carries(create);
        let delete = only(Method::Delete);
        let writes = updates.iter().map(|(update, carries)| (*update, carries));
        let writes = writes.chain([(create, &created)]).filter(|_| !read.guessed);
        let shown = |(of, carries): (OperationId, &Vec<Carry>)| {
            let at = self.record_in_response(of, (&records, named), (shape, carries.as_slice()))?;
            Some((of, at))
        };
        Some(Lifecycle {
            listed_as_read: Vec::new(),
            defaults: Vec::new(),
            is_created_plainly: false,
            is_located_plainly: false,
            creation_time: self.time_in_record(create, shape, &CREATION_TIMES),
            change_time: self.time_in_record(create, shape, &CHANGE_TIMES),
            responses: writes.filter_map(shown).collect(),
            create,
            created_id_pointer: read.value_at.clone(),
            read: read.to,
            guessed: read.guessed,
            path_may_take_another_field: self.path_may_take_another_field(read, named, shape),
            path_to_id,
            record_in_read: record,
            carries: created,
            list: self.list_of(create, read),
            updates,
            shown_after_delete: delete.map_or_else(ShownAfterDelete::default, |delete| self.shown_after_delete(delete)),
            is_shown_later: self.shows_record_later(create),
            delete,
        })
    }

    /// Whether the text about an update says more than that it changes what is sent, now.
    fn may_change_something_else(&self, update: &Operation) -> bool {
        let names = camel_case_words(&update.path);
        let sentences = self.sentences_about(update);
        self.takes_effect_later(update) || !sentences.iter().all(|sentence| only_updates(sentence, &names))
    }

    /// Returns the list on the path of a create, if all its links to the read of the records agree on the array that
    /// holds them.
    fn list_of(&self, create: OperationId, read: &Link) -> Option<RecordList> {
        let path = comparable_path(self.operation(create).collection_path());
        let lists = self.links_to(read.to).filter(|link| {
            let from = self.operation(link.from);
            let same_path = from.is_read() && comparable_path(&from.path) == path;
            same_path && link.target == read.target
        });
        let mut lists = lists.filter_map(|link| {
            let (items, id) = link
                .value_at
                .split_once("/*")
                .filter(|(items, _)| self.is_array(link.from, items))?;
            Some(RecordList {
                operation: link.from,
                items: items.to_owned(),
                id: id.to_owned(),
                shows_only_some: self.shows_only_some(self.operation(link.from)) || self.speaks_of_lists(create),
            })
        });
        lists.next().filter(|list| lists.all(|other| other == *list))
    }

    /// Whether the description of a field that a create takes speaks of a list: "Drafts are left out of the list".
    fn speaks_of_lists(&self, create: OperationId) -> bool {
        self.body_properties(create).any(|property| {
            let described = described(self.referred(&property.node));
            alphanumeric_words(&described).any(|word| ["list", "listed", "lists"].contains(&word))
        })
    }

    /// Returns the list at the very path of a create that shows its records, and where the create's response has their
    /// identifier, if nothing reads one record by it: the only array of that list whose elements have the fields and
    /// types of the create's record (`POST` and `GET /circuits/{id}/notes`). Nothing is written under such an
    /// identifier.
    pub(crate) fn list_at_path_of(&self, create: OperationId) -> Option<&(RecordList, String)> {
        self.lifecycles.at_path.get(&create)
    }

    /// Returns the creates whose records only the list at their path shows, with that list.
    pub(crate) fn lists_at_paths(&self) -> impl Iterator<Item = (OperationId, &RecordList)> {
        let at_path = self.lifecycles.at_path.iter();
        at_path.map(|(create, (list, _))| (*create, list))
    }

    fn infer_list_at_path(&self, create: OperationId, by_path: &ByPath) -> Option<(RecordList, String)> {
        let operation = self.operation(create);
        let is_read_elsewhere = operation.invariants.created.is_some() || self.link_to_read(create).is_some();
        if !operation.creates() || is_read_elsewhere || operation.new_record_name_parameter().is_some() {
            return None;
        }
        let lists = by_path.get(&(Method::Get, comparable_path(&operation.path)))?;
        let [list] = lists[..] else { return None };
        let records = RecordFinder::new(&self.shapes, collection_name(&operation.path));
        let (at, record) = records.in_response(operation.success_body()?, "id")?;
        let id = record.fields.iter().find(|field| records.is_identifier(&field.name))?;
        let body = self.operation(list).success_body()?;
        let arrays = records.arrays_and_maps((String::new(), body), 0).into_iter();
        let mut arrays = arrays
            .filter(|(_, item)| self.has_same_fields(item, record))
            .filter_map(|(at, _)| at.strip_suffix("/*").map(str::to_owned))
            .filter(|items| self.is_array(list, items));
        let items = arrays.next().filter(|_| arrays.next().is_none())?;
        let shown = RecordList {
            operation: list,
            items,
            id: pointer::join("", &id.name),
            shows_only_some: self.shows_only_some(self.operation(list)),
        };
        Some((shown, pointer::join(&at, &id.name)))
    }

    /// Whether an operation has a collection at another path that is called like a create's, or a list of records with
    /// the same fields: `/unassigned-devices`, or `/inventory`, for what is created at `/sites/{site}/devices`.
    pub(crate) fn has_same_collection(&self, create: OperationId, other: &Operation) -> bool {
        let collection = comparable_path(self.operation(create).collection_path());
        let path = comparable_path(&other.path);
        let is_there = path
            .strip_prefix(&collection)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let noun = |segment: &str| camel_case_words(segment).last().map(|last| singular(last));
        let name = noun(collection_name(&collection));
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        !is_there && (segments.any(|segment| noun(segment) == name) || self.lists_records_like(create, other))
    }

    /// Whether a list has records with the fields and types that the response to a create has. What can be created in
    /// the list itself is of another collection.
    fn lists_records_like(&self, create: OperationId, list: &Operation) -> bool {
        let path = comparable_path(&list.path);
        let is_at_path = |other: &Operation| other.creates() && comparable_path(other.collection_path()) == path;
        self.items_like(create, list).is_some() && !self.operations.iter().any(is_at_path)
    }

    /// Returns the items of a list that have the fields and types which the record in the response to a create has, and
    /// that record.
    pub(super) fn items_like(&self, create: OperationId, list: &Operation) -> Option<(&Shape, &Shape)> {
        let operation = self.operation(create);
        let records = RecordFinder::new(&self.shapes, collection_name(operation.collection_path()));
        let record = records.in_response(operation.success_body()?, "id")?.1;
        let mut listed = records
            .arrays_and_maps((String::new(), list.success_body()?), 0)
            .into_iter();
        let item = listed.find(|(_, item)| self.has_same_fields(item, record))?.1;
        Some((item, record))
    }

    /// Whether two shapes have the same fields, with the same types.
    fn has_same_fields(&self, item: &Shape, record: &Shape) -> bool {
        let has_field = |field: &Field| {
            let found = item.field_named(&field.name).map(|index| item.fields[index].shape);
            found.is_some_and(|found| self.shapes[found.0].types == self.shapes[field.shape.0].types)
        };
        item.fields.len() == record.fields.len() && record.fields.iter().all(has_field)
    }

    /// Whether a list's response has an array at this location: a map is not searched for a record.
    pub(super) fn is_array(&self, list: OperationId, at: &str) -> bool {
        let body = self.operation(list).success_body();
        let shape = body.and_then(|body| shape_at(&self.shapes, body, at));
        shape.is_some_and(|shape| shape.items.is_some())
    }

    /// Returns the fields of an operation's request that a record of this shape must show. What the texts of the
    /// `told_by` operations (the create, the read and the operation itself) say about the values in their bodies
    /// counts.
    fn infer_carries(
        &self,
        of: OperationId,
        record: &Shape,
        (id_field, told_by): (Option<&str>, &[OperationId]),
    ) -> Vec<Carry> {
        let mut carries = Vec::new();
        let told = self.sentences_of_changes(told_by);
        let body = SentObject {
            at: String::new(),
            schemas: self.located_body_schemas(of),
            names: Vec::new(),
        };
        let is_update = told_by.first() != Some(&of);
        self.collect_carries(body, record, (id_field, &told, is_update), &mut carries);
        carries.retain(|carry| !self.is_filled_by_link(of, &format!("{}/*", carry.sent.trim_end_matches("/*"))));
        carries
    }

    /// Collects the fields of an object in a body, and of the objects in it, that the object of this shape must show.
    /// What one text says of an object counts for all that is in it.
    fn collect_carries(
        &self,
        mut object: SentObject<'_>,
        shown_in: &Shape,
        (id_field, told, is_update): (Option<&str>, &[String], bool),
        carries: &mut Vec<Carry>,
    ) {
        let properties = object.properties();
        object
            .names
            .extend(properties.iter().map(|(_, property)| property.name.as_str()));
        for (location, property) in properties {
            let (name, at) = (property.name.as_str(), pointer::join(&object.at, &property.name));
            let shown = shown_in
                .field_named(name)
                .map(|index| &self.shapes[shown_in.fields[index].shape.0]);
            let is_told = told
                .iter()
                .any(|sentence| concerns(sentence, name, object.names.iter().copied()));
            let schemas = with_all_of(&self.document, location);
            let Some(shown) = shown.filter(|_| !is_told && Some(name) != id_field) else {
                continue;
            };
            if is_set_by_service(name)
                || is_for_machines(name)
                || [&property.node]
                    .into_iter()
                    .chain(schemas.iter().map(|(_, node)| *node))
                    .any(may_come_back_changed)
                || is_update && !self.is_only_explained((&property.node, &schemas), shown)
                || carries.iter().any(|carry| carry.sent.trim_end_matches("/*") == at)
            {
                continue;
            }
            let schema = self.referred(&property.node);
            let one_type = schema_type(schema).is_some_and(|sent| shown.types == [sent]);
            let equality = same_as_sent(schema).filter(|how| one_type && !(*how == Equality::Url && is_rehosted(name)));
            if let Some(equality) = equality {
                carries.push(same_field(at, equality));
            } else if let Some(equality) = self.elements_as_sent((name, schema), shown) {
                // A service that is documented to keep their order keeps them as they are, and adds none.
                let is_sequence = says_that_order_is_kept(&described(&property.node));
                carries.push(match is_sequence {
                    true => same_field(at, Equality::Value),
                    false => same_field(format!("{at}/*"), equality),
                });
            } else if shown.types == [JsonType::Object] && pointer::tokens(&at).count() <= MAX_OBJECTS {
                let names = object.names.clone();
                let inner = SentObject { at, schemas, names };
                if !self.names_a_record(name) && !inner.is_another_record(shown) {
                    self.collect_carries(inner, shown, (None, told, is_update), carries);
                }
            }
        }
    }

    /// Whether the descriptions of a field, in the request and in the record, say no more than what its value is. What an
    /// update leaves as it was can be said in endless words.
    fn is_only_explained(&self, (property, schemas): (&Node, &[(String, &Node)]), shown: &Shape) -> bool {
        let sent = [property].into_iter().chain(schemas.iter().map(|(_, node)| *node));
        let mut texts = sent.map(described).chain(self.descriptions_of_property(shown));
        texts.all(|text| only_explains_a_value(&text))
    }

    /// Returns how to compare what an array of this shape shows with the elements that were sent of this schema. `None`
    /// if they are no strings or integers, if they name other records, or if the service may leave some out.
    fn elements_as_sent(&self, (name, array): (&str, &Node), shown: &Shape) -> Option<Equality> {
        let items = self.referred(array.member("items")?);
        let kind = schema_type(items).filter(|kind| matches!(kind, JsonType::String | JsonType::Integer))?;
        let one = singular(&comparable_name(name));
        let is_same = shown.types == [JsonType::Array] && self.shapes[shown.items?.0].types == [kind];
        let is_open = is_set_by_service(&one)
            || is_rehosted(name)
            || is_flagged(array, "uniqueItems")
            || may_leave_elements_out(name, array)
            || may_come_back_changed(items)
            || is_same && self.names_a_record(&one);
        let equality = same_as_sent(items).filter(|_| is_same && !is_open)?;
        let is_word = kind == JsonType::String && ["enum", "format"].iter().all(|key| items.member(key).is_none());
        Some(if is_word { Equality::Letters } else { equality })
    }

    /// Whether a link fills these elements of an operation's body, so that they are identifiers of other records.
    fn is_filled_by_link(&self, operation: OperationId, elements: &str) -> bool {
        self.links_to(operation)
            .any(|link| matches!(&link.target, LinkTarget::Body(at) if pointer::with_any_elements(at) == elements))
    }

    /// Returns a fact that is inferred from an operation; the texts are its name and what is documented.
    pub(super) fn inferred_fact(
        &self,
        operation: OperationId,
        kind: FactKind,
        (name, documented): (String, String),
        response_pointer: &str,
    ) -> Fact {
        let location = self.document.pointer_in_text(&self.operation(operation).pointer);
        Fact {
            name: name.into(),
            operation,
            kind,
            location: location.into_owned().into(),
            response_pointer: response_pointer.to_owned().into(),
            documented: documented.into(),
        }
    }

    fn lifecycle_facts(&self, lifecycle: &Lifecycle) -> Vec<Fact> {
        let name = |id: OperationId| self.operation(id).name.as_str();
        let (create, read) = (lifecycle.create, name(lifecycle.read));
        let fact = |operation, kind, words, at: &str| self.inferred_fact(operation, kind, words, at);
        let by = |of: OperationId, carry: &Carry| {
            let documented = format!("as sent in {}", carry.sent);
            let pointer = format!("{}{}", lifecycle.record_in_read, carry.returned_at);
            (
                (format!("{} in {read} {pointer}: {documented}", name(of)), documented),
                pointer,
            )
        };
        let documented = format!("read by {read}");
        let whole = (format!("{} created: {documented}", name(create)), documented);
        let mut facts = vec![fact(create, FactKind::ReadAfterCreate, whole, "")];
        for (index, carry) in lifecycle.carries.iter().enumerate() {
            let (words, pointer) = by(create, carry);
            facts.push(fact(create, FactKind::ReadAfterCreateCarrying(index), words, &pointer));
        }
        if let Some(list) = &lifecycle.list {
            for (kind, documented) in [
                (FactKind::InferredListed, "listed in"),
                (FactKind::InferredListedOnce, "one record in"),
            ] {
                let documented = format!("{documented} {}", name(list.operation));
                let words = (format!("{} created: {documented}", name(create)), documented);
                facts.push(fact(create, kind, words, ""));
            }
        }
        for (update, carries) in &lifecycle.updates {
            for (index, carry) in carries.iter().enumerate() {
                let (words, pointer) = by(*update, carry);
                facts.push(fact(*update, FactKind::ReadAfterUpdateCarrying(index), words, &pointer));
            }
            let words = (!lifecycle.guessed).then(|| other_kept(name(*update)));
            facts.extend(words.map(|words| fact(*update, FactKind::OtherKeptByUpdate, words, "")));
            if !lifecycle.guessed && carries.len() > 1 && self.keeps_fields_not_sent(*update) {
                let documented = "as before".to_owned();
                let words = (format!("{} without fields: {documented}", name(*update)), documented);
                facts.push(fact(*update, FactKind::FieldsKeptByUpdate, words, ""));
            }
            // RFC 9110, section 9.2.2: PUT is idempotent, PATCH is not.
            if self.operation(*update).method == Method::Put {
                let documented = "the same as once".to_owned();
                let words = (format!("{} sent twice: {documented}", name(*update)), documented);
                facts.push(fact(*update, FactKind::SameAfterRepeatedUpdate, words, ""));
            }
        }
        facts.extend(self.facts_of_responses(lifecycle));
        facts.extend(self.facts_of_reads(lifecycle));
        if let Some(delete) = lifecycle.delete {
            let documented = format!("gone from {read}");
            let words = (format!("{}: {documented}", name(delete)), documented);
            facts.push(fact(delete, FactKind::GoneAfterDelete, words, ""));
            let words = (!lifecycle.guessed).then(|| other_kept(name(delete)));
            facts.extend(words.map(|words| fact(delete, FactKind::OtherKeptByDelete, words, "")));
            let list = lifecycle.list.as_ref().map(|list| list.operation);
            if let Some(list) = list.filter(|list| !self.may_list_deleted(*list)) {
                let documented = format!("gone from {}", name(list));
                let words = (format!("{}: {documented}", name(delete)), documented);
                facts.push(fact(delete, FactKind::UnlistedAfterDelete, words, ""));
            }
        }
        facts
    }
}

/// Returns the name of the fact that a write leaves another record as it was, and what is documented.
fn other_kept(write: &str) -> (String, String) {
    let documented = "another record as before".to_owned();
    (format!("{write}: {documented}"), documented)
}

/// Names of the time at which a record was created.
const CREATION_TIMES: [&str; 8] = [
    "createdat", "createddate", "createdon", "createdtime", "creationdate", "creationtime", "creationtimestamp",
    "datecreated",
];

/// Names of the time at which a record was last changed.
const CHANGE_TIMES: [&str; 8] = [
    "datemodified", "lastmodified", "lastmodifiedat", "lastupdatedat", "modifiedat", "updatedat", "updatedon",
    "updatetime",
];

/// How many objects a compared field may be nested in, besides the body itself: `/address/location/city`.
const MAX_OBJECTS: usize = 2;

/// An object in the body of an operation.
struct SentObject<'document> {
    /// Its pointer in the body.
    at: String,
    /// Its schema and the `allOf` members of that, each with its location.
    schemas: Vec<(String, &'document Node)>,
    /// The names of the fields of the objects around it.
    names: Vec<&'document str>,
}

impl<'document> SentObject<'document> {
    /// Returns its properties, each with the location of its schema.
    fn properties(&self) -> Vec<(String, &'document Member)> {
        let schemas = self.schemas.iter();
        let properties = schemas.flat_map(|(location, node)| {
            let properties = node.members_of("properties");
            let located = |property: &'document Member| {
                let above = pointer::join(location, "properties");
                (pointer::join(&above, &property.name), property)
            };
            properties.iter().map(located)
        });
        properties.collect()
    }

    /// Whether it only names another record, so that the service shows what that has: one of the two has an identifier.
    fn is_another_record(&self, shown: &Shape) -> bool {
        let properties = self.properties();
        let sent = properties.iter().map(|(_, property)| property.name.as_str());
        let mut names = sent.chain(shown.fields.iter().map(|field| field.name.as_str()));
        names.any(identifies_a_record)
    }
}

/// Whether an object with a field of this name is a record of its own, or names one.
pub(crate) fn identifies_a_record(name: &str) -> bool {
    ["href", "id", "key", "ref", "self", "uuid"].contains(&comparable_name(name).as_str())
}

/// Whether services often copy what a URL with this name leads to, or shorten it, and show a URL of their own.
fn is_rehosted(name: &str) -> bool {
    const REHOSTED: [&str; 14] = [
        "attachment", "avatar", "banner", "cover", "file", "icon", "image", "img", "link", "logo", "media", "photo",
        "picture", "thumbnail",
    ];
    camel_case_words(name)
        .iter()
        .any(|word| REHOSTED.contains(&singular(word).as_str()))
}

/// Returns the carry of a field that the record shows where the body has it.
fn same_field(at: String, equality: Equality) -> Carry {
    Carry {
        sent: at.clone(),
        returned_at: at,
        gap: None,
        equality,
    }
}

/// Whether a service may leave out elements of an array that it accepts: by its name or its description, it has
/// identifiers, rights or persons, or its elements follow from something else.
fn may_leave_elements_out(name: &str, array: &Node) -> bool {
    const OF_OTHERS: [&str; 18] = [
        "assignee", "collaborator", "follower", "grant", "guid", "id", "key", "member", "participant", "permission",
        "privilege", "ref", "reviewer", "scope", "slug", "user", "uuid", "watcher",
    ];
    const DERIVED: [&str; 7] = ["comput", "deriv", "exist", "generat", "identif", "known", "unique"];
    let last = camel_case_words(name).pop().unwrap_or_default();
    let described = array.text_of("description").unwrap_or_default();
    OF_OTHERS.contains(&singular(&last).as_str())
        || alphanumeric_words(&described.to_ascii_lowercase())
            .any(|word| matches!(word, "id" | "ids") || DERIVED.iter().any(|beginning| word.starts_with(beginning)))
}

/// Whether a service may hide a value of this schema (a password), set it itself, or change it by its description.
fn may_come_back_changed(schema: &Node) -> bool {
    let described = described(schema);
    is_flagged(schema, "writeOnly")
        || is_flagged(schema, "readOnly")
        || says_that_it_comes_back_changed(&described)
        || says_what_is_done_to_it(&described)
        || depends_on_something(&described)
}

/// Whether the description of a field, in lower case, says that its value depends on something else: "100 if done",
/// "The opposite of `free`".
fn depends_on_something(described: &str) -> bool {
    const PHRASES: [&str; 8] = [
        "are returned", "by the server", "by the service", "opposite of", "returned as", "shown with",
        "start of the text", "when returned",
    ];
    let described = described.replace("true if", "");
    PHRASES.iter().any(|words| described.contains(words))
        || alphanumeric_words(&described).any(|word| ["if", "new", "only", "unless"].contains(&word))
}

/// Returns the description of a schema, in lower case.
fn described(schema: &Node) -> String {
    let described = schema.text_of("description");
    described.unwrap_or_default().to_ascii_lowercase()
}

/// Returns the type of a schema, if it states one that is neither array nor object.
pub(super) fn schema_type(schema: &Node) -> Option<JsonType> {
    let name = schema.text_of("type")?;
    JsonType::parse(name).filter(|kind| !matches!(kind, JsonType::Array | JsonType::Object))
}

/// Returns how to compare what a record shows with the sent value of this schema. `None` if a service may rewrite the
/// value (put an email address in lower case).
fn same_as_sent(schema: &Node) -> Option<Equality> {
    let format = schema.text_of("format");
    match format {
        None | Some("date" | "int32" | "int64" | "double") => Some(Equality::Value),
        Some("date-time") => Some(Equality::Instant),
        Some("uri" | "url") => Some(Equality::Url),
        Some(_) => None,
    }
}

/// Whether services often set a field with this name themselves, normalize it, or never show it.
pub(crate) fn is_set_by_service(name: &str) -> bool {
    const SET_BY_SERVICE: [&str; 41] = [
        "archived", "author", "code", "country", "created", "currency", "default", "email", "etag", "generation",
        "hash", "iban", "id", "language", "locale", "lockversion", "modified", "owner", "path", "phase", "phone",
        "published", "rev", "revision", "role", "rowversion", "sequence", "slug", "stage", "state", "status",
        "timestamp", "timezone", "updated", "uri", "url", "uuid", "verified", "version", "visible", "zip",
    ];
    const HIDDEN: [&str; 4] = ["apikey", "passw", "secret", "token"];
    let name = comparable_name(name);
    let prefixes = ["created", "updated", "modified", "deleted"];
    SET_BY_SERVICE.contains(&name.as_str())
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
        || HIDDEN.iter().any(|hidden| name.contains(hidden))
}

#[cfg(test)]
mod tests {
    use crate::contract::testing::of_paths;

    /// The fields that a record must show as a create sends them, if requests and the record have these properties, and
    /// this is the description of the create.
    fn carried_of(sent: &str, shown: &str, described: &str) -> Vec<String> {
        let content = |name: &str| format!("{{application/json: {{schema: {{$ref: '#/components/schemas/{name}'}}}}}}");
        let shop = format!(
            "responses: {{'200': {{description: OK, content: {}}}}}",
            content("Shop")
        );
        let paths = format!(
            "/shops:
  post: {{operationId: addShop, description: '{described}', requestBody: {{content: {}}}, {shop}}}
/shops/{{shopId}}:
  parameters: [{{name: shopId, in: path, required: true, schema: {{type: integer}}}}]
  get: {{operationId: getShop, {shop}}}
/cities/{{cityId}}:
  parameters: [{{name: cityId, in: path, required: true, schema: {{type: integer}}}}]
  get: {{operationId: getCity, responses: {{'200': {{description: OK}}}}}}",
            content("NewShop")
        );
        let schemas = format!(
            "schemas:
  NewShop: {{type: object, properties: {{{sent}}}}}
  Shop: {{type: object, properties: {{id: {{type: integer}}, {shown}}}}}
  Place: {{type: object, properties: {{street: {{type: string}}, country: {{type: string}}, floor: {{type: integer}}}}}}"
        );
        let contract = of_paths(&paths, &schemas).unwrap_or_else(|defect| panic!("{defect}"));
        let lifecycle = &contract.lifecycles()[0];
        lifecycle.carries.iter().map(|carry| carry.sent.clone()).collect()
    }

    /// The fields that the record must show, if requests and the record have these properties.
    fn carried(both: &str) -> Vec<String> {
        carried_of(both, both, "")
    }

    #[test]
    fn a_member_of_a_nested_object_comes_back_as_a_field_does() {
        let place = "$ref: '#/components/schemas/Place'";
        assert_eq!(carried(&format!("at: {{{place}}}")), ["/at/street", "/at/floor"]);
        let wrapped = format!("at: {{allOf: [{{{place}}}], nullable: true, description: Where it is}}");
        assert_eq!(carried(&wrapped), ["/at/street", "/at/floor"]);
        let deep = |below: &str| format!("at: {{type: object, properties: {{in: {{{below}}}}}}}");
        assert_eq!(carried(&deep(place)), ["/at/in/street", "/at/in/floor"]);
        assert!(carried(&deep(&format!("type: object, properties: {{lot: {{{place}}}}}"))).is_empty());
    }

    #[test]
    fn a_url_comes_back_unless_services_copy_what_it_leads_to() {
        let url = |name: &str| carried(&format!("{name}: {{type: string, format: uri}}"));
        assert_eq!(url("website"), ["/website"]);
        assert_eq!(url("callback_url"), ["/callback_url"]);
        for left_open in ["url", "avatar_url", "profileImages", "short_link"] {
            assert!(url(left_open).is_empty(), "{left_open}");
        }
    }

    #[test]
    fn the_elements_of_an_array_of_plain_values_come_back() {
        assert_eq!(carried("tags: {type: array, items: {type: string}}"), ["/tags/*"]);
        assert_eq!(carried("sizes: {type: array, items: {type: integer}}"), ["/sizes/*"]);
        let nested = "at: {type: object, properties: {floors: {type: array, items: {type: string, enum: [a, b]}}}}";
        assert_eq!(carried(nested), ["/at/floors/*"]);
        for left_open in [
            "sizes: {type: array, items: {type: number}}",
            "names: {type: array, uniqueItems: true, items: {type: string}}",
            "names: {type: array, readOnly: true, items: {type: string}}",
            "names: {type: array, description: 'Normalised', items: {type: string}}",
            "names: {type: array, description: 'Derived from the title', items: {type: string}}",
            "names: {type: array, items: {type: string, description: 'In upper case'}}",
            "names: {type: array, items: {type: string, format: email}}",
            "emails: {type: array, items: {type: string}}",
            // They name other records.
            "owners: {type: array, description: 'Ids of the owners', items: {type: integer}}",
            "owner_ids: {type: array, items: {type: integer}}",
            "cities: {type: array, items: {type: string}}",
        ] {
            assert!(carried(left_open).is_empty(), "{left_open}");
        }
        let (integers, strings) = (
            "type: array, items: {type: integer}",
            "type: array, items: {type: string}",
        );
        assert!(carried_of(&format!("sizes: {{{integers}}}"), &format!("sizes: {{{strings}}}"), "").is_empty());
    }

    #[test]
    fn a_field_is_compared_after_an_update_if_the_texts_say_no_more_than_what_it_is() {
        let carried_by_update = |kind: &str, described: &str| {
            let shop = "{type: object, properties: {name: {type: string}";
            let kind = format!("kind: {{type: string, enum: [a, b], description: '{kind}'}}");
            let body = |fields: &str| format!("content: {{application/json: {{schema: {shop}, {fields}}}}}}}}}");
            let shown = format!(
                "responses: {{'200': {{description: OK, {}}}}}",
                body(&format!("id: {{type: integer}}, {kind}"))
            );
            let sent = format!("requestBody: {{{}}}", body(&kind));
            let paths = format!(
                "/shops: {{post: {{operationId: add, {sent}, {shown}}}}}
/shops/{{shopId}}:
  parameters: [{{name: shopId, in: path, required: true, schema: {{type: integer}}}}]
  get: {{operationId: get, {shown}}}
  patch: {{operationId: change, description: '{described}', {sent}, {shown}}}"
            );
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            let carries = |carries: &[crate::contract::vocabulary::Carry]| {
                carries.iter().map(|carry| carry.sent.clone()).collect::<Vec<_>>()
            };
            let lifecycle = &contract.lifecycles()[0];
            (carries(&lifecycle.carries), carries(&lifecycle.updates[0].1))
        };
        let both = || vec!["/name".to_owned(), "/kind".to_owned()];
        for (kind, described) in [
            ("", ""),
            (
                "Kind of the shop.",
                "Changes the fields that are sent; all others keep their value.",
            ),
        ] {
            assert_eq!(
                carried_by_update(kind, described),
                (both(), both()),
                "{kind} {described}"
            );
        }
        for kind in [
            "Kind. Immutable.",
            "Kind. Fixed once the shop exists.",
            "Kind. Applied overnight.",
        ] {
            assert_eq!(carried_by_update(kind, "").1, ["/name"], "{kind}");
        }
        for described in [
            "Changes the shop, except its kind.",
            "Renames the shop.",
            "Its name is permanent.",
        ] {
            let (created, updated) = carried_by_update("", described);
            assert_eq!((created, updated), (both(), Vec::new()), "{described}");
        }
        for kind in [
            "a if done.",
            "Kept only for gifts.",
            "The opposite of `free`.",
            "New shops get that of the city.",
        ] {
            let (created, updated) = carried_by_update(kind, "");
            assert_eq!(
                (created, updated),
                (vec!["/name".to_owned()], vec!["/name".to_owned()]),
                "{kind}"
            );
        }
    }

    #[test]
    fn a_member_of_a_nested_object_that_a_service_may_change_is_not_compared() {
        let place = "{type: object, properties: {street: {type: string}}}";
        for (sent, shown) in [
            ("at: {type: object, properties: {street: {type: integer}}}", None),
            ("at: {type: object, properties: {road: {type: string}}}", None),
            (
                "at: {type: object, writeOnly: true, properties: {street: {type: string}}}",
                None,
            ),
            (
                "at: {type: object, properties: {street: {type: string, readOnly: true}}}",
                None,
            ),
            (
                "at: {type: object, description: 'Normalised', properties: {street: {type: string}}}",
                None,
            ),
            (
                "at: {allOf: [{type: object, properties: {street: {type: string}}}], description: 'Is ignored'}",
                None,
            ),
            (
                "at: {type: object, properties: {street: {type: string, description: 'In upper case'}}}",
                None,
            ),
            (
                "at: {type: array, items: {type: object, properties: {street: {type: string}}}}",
                None,
            ),
            // What the service shows is what another record has.
            (
                "city: {type: object, properties: {street: {type: string}}}",
                Some("city"),
            ),
            (
                "at: {type: object, properties: {id: {type: integer}, street: {type: string}}}",
                None,
            ),
            // The service sets it.
            (
                "status: {type: object, properties: {street: {type: string}}}",
                Some("status"),
            ),
        ] {
            let shown = format!("{}: {place}", shown.unwrap_or("at"));
            assert!(carried_of(sent, &shown, "").is_empty(), "{sent}");
        }
        let at = format!("at: {place}, name: {{type: string}}");
        let told = |described: &str| carried_of(&at, &at, described);
        assert_eq!(told(""), ["/at/street", "/name"]);
        assert_eq!(told("The name is ignored"), ["/at/street"]);
        assert_eq!(told("From others the at is ignored"), ["/name"]);
        assert!(told("Input is escaped").is_empty());
    }
}
