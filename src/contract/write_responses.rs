//! Infers, for the operations of a lifecycle, where the response to a write shows the record, which fields are for
//! requests alone, and which updates leave the fields that they do not send as they were.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::Contract;
use super::document::Node;
use super::fact::{Fact, FactKind};
use super::field::is_flagged;
use super::inferred::{RecordFinder, comparable_name};
use super::lexicon::{alphanumeric_words, camel_case_words, singular};
use super::lifecycle::Lifecycle;
use super::load::essence;
use super::operation::{Method, Operation, OperationId};
use super::plain_operation::names_of;
use super::plain_text::{only_explains_a_value, only_names_a_value, only_updates};
use super::pointer;
use super::shape::{JsonType, Shape, ShapeId, shape_id_at, shape_within};
use super::vocabulary::Carry;

impl Contract {
    /// Returns the names of the fields that each write of a record has for requests alone, if it has them.
    pub(super) fn names_for_requests(&self, lifecycle: &Lifecycle) -> BTreeSet<String> {
        let updates = lifecycle.updates.iter().map(|(update, _)| *update);
        let writes = updates.chain([lifecycle.create]);
        let fields = writes.flat_map(|write| self.body_properties(write));
        let (hidden, shown): (Vec<_>, Vec<_>) =
            fields.partition(|field| [&field.node, self.referred(&field.node)].into_iter().any(is_write_only));
        let shown: HashSet<_> = shown.into_iter().map(|field| field.name.as_str()).collect();
        let names = hidden.into_iter().map(|field| field.name.as_str());
        names.filter(|name| !shown.contains(name)).map(str::to_owned).collect()
    }

    /// Returns the shapes of a record in the responses of the operations that show it.
    pub(super) fn shapes_of_records(&self, lifecycle: &Lifecycle) -> Vec<ShapeId> {
        let shape = |of: OperationId, at: &str| shape_id_at(&self.shapes, self.operation(of).success_body()?, at);
        let listed = lifecycle.list.as_ref().and_then(|list| {
            let items = shape(list.operation, &list.items)?;
            self.shapes[items.0].items
        });
        let written = lifecycle.responses.iter().filter_map(|(write, at)| shape(*write, at));
        let read = shape(lifecycle.read, &lifecycle.record_in_read);
        written.chain(listed).chain(read).collect()
    }

    /// Returns where the success of a write shows its record, if it shows any fields that must come back, each with the
    /// type that it has in the `record` of the read, and no description says that it shows an earlier state.
    pub(super) fn record_in_response(
        &self,
        of: OperationId,
        (records, named): (&RecordFinder<'_>, &str),
        (record, carries): (&Shape, &[Carry]),
    ) -> Option<String> {
        let operation = self.operation(of);
        let success = operation.successes().find(|response| response.body.is_some())?;
        let described = self.document.node(&self.resolve(&success.pointer));
        let texts = [self.document.node(&operation.pointer), described];
        if texts.into_iter().flatten().any(says_that_it_shows_an_earlier_state) {
            return None;
        }
        let (at, shown) = records.in_response(success.body?, named)?;
        let field = |shape: &Shape, carry: &Carry| {
            let field = shape_within(&self.shapes, shape, &carry.returned_at)?;
            Some(field.types.clone())
        };
        let mut shown = carries
            .iter()
            .filter_map(|carry| Some((carry, field(shown, carry)?)))
            .peekable();
        let has_any = shown.peek().is_some();
        (has_any && shown.all(|(carry, types)| field(record, carry) == Some(types))).then_some(at)
    }

    /// Returns the fields that the list of a lifecycle must show as the read does: those that writes send, that must
    /// come back as they were sent, and that one statement of the document describes in both, so that the list is not
    /// documented to show them in a form of its own. None if anything around the list, the read or each update says
    /// more than that these list, show and change the records.
    pub(super) fn fields_listed_as_read(&self, lifecycle: &Lifecycle) -> Vec<Carry> {
        let list = lifecycle
            .list
            .as_ref()
            .filter(|list| !lifecycle.guessed && !list.shows_only_some);
        let Some(list) = list.filter(|list| {
            self.only_lists_plainly(list.operation)
                && self.only_shows_plainly(lifecycle.read)
                && lifecycle
                    .updates
                    .iter()
                    .all(|(update, _)| self.only_updates_plainly(*update))
        }) else {
            return Vec::new();
        };
        let shape = |of: OperationId, at: &str| shape_id_at(&self.shapes, self.operation(of).success_body()?, at);
        let item = shape(list.operation, &list.items).and_then(|items| self.shapes[items.0].items);
        let read = shape(lifecycle.read, &lifecycle.record_in_read);
        let Some((item, read)) = item.zip(read) else {
            return Vec::new();
        };
        let stated_at = |record: ShapeId, carry: &Carry| {
            let field = shape_within(&self.shapes, &self.shapes[record.0], &carry.returned_at)?;
            Some(self.facts[field.type_fact?.0].location.clone())
        };
        let records = [
            (list.operation, format!("{}/*", list.items)),
            (lifecycle.read, lifecycle.record_in_read.clone()),
        ];
        let is_plain = |carry: &Carry| {
            let mut texts: Vec<_> = records
                .iter()
                .flat_map(|(of, record)| self.descriptions_in_record((*of, record), carry))
                .collect();
            let updates = lifecycle.updates.iter().map(|(update, _)| *update);
            let writes = updates.chain([lifecycle.create]);
            texts.extend(writes.flat_map(|write| self.descriptions_in_body(write, carry)));
            texts
                .iter()
                .all(|text| only_explains_a_value(text) && !leaves_doubt(text))
        };
        // It may say how much of the record the list shows: `truncated`.
        let has_flag_of_service = self.shapes[item.0].fields.iter().any(|field| {
            let mut sent = self.body_properties(lifecycle.create);
            self.shapes[field.shape.0].types == [JsonType::Boolean] && !sent.any(|sent| sent.name == field.name)
        });
        if has_flag_of_service {
            return Vec::new();
        }
        let is_alike = |carry: &Carry| {
            let is_one = stated_at(item, carry).is_some_and(|at| stated_at(read, carry) == Some(at));
            is_one && is_field(&carry.returned_at) && is_plain(carry)
        };
        let of_updates = lifecycle.updates.iter().flat_map(|(_, carries)| carries);
        let mut alike: Vec<Carry> = Vec::new();
        for carry in lifecycle
            .carries
            .iter()
            .chain(of_updates)
            .filter(|carry| is_alike(carry))
        {
            if !alike.iter().any(|known| known.returned_at == carry.returned_at) {
                alike.push(carry.clone());
            }
        }
        alike
    }

    /// Returns what the writes of a lifecycle must set where they leave a field out. OpenAPI says so of a create; a PUT
    /// may keep such a field unless its text says what becomes of it.
    pub(super) fn defaults_of_writes(&self, lifecycle: &Lifecycle) -> Vec<(OperationId, Vec<(Carry, Value)>)> {
        let replaces = |write: OperationId| {
            self.operation(write).method == Method::Put
                && self.says_that_unsent_fields_get_defaults(write)
                && self.only_updates_plainly(write)
        };
        if lifecycle.guessed || !self.only_creates_plainly(lifecycle.create) || !self.only_shows_plainly(lifecycle.read)
        {
            return Vec::new();
        }
        let updates = lifecycle.updates.iter().filter(|(update, _)| replaces(*update));
        let updates = updates.map(|(update, carries)| (*update, carries));
        let writes = [(lifecycle.create, &lifecycle.carries)].into_iter().chain(updates);
        let defaults = writes.map(|(write, carries)| {
            let with_default = |carry: &Carry| {
                let default = self.default_of(write, carry)?;
                let is_plain = write == lifecycle.create || self.only_names_members(write, carry);
                (is_plain && self.is_one_value(write, carry, lifecycle)).then(|| (carry.clone(), default))
            };
            (write, carries.iter().filter_map(with_default).collect::<Vec<_>>())
        });
        defaults.filter(|(_, defaults)| !defaults.is_empty()).collect()
    }

    /// Returns the default that the body of a write documents for a field at its top. `None` if the service may replace
    /// it by what it stands for: 0, a fraction, a free text, `auto`.
    fn default_of(&self, write: OperationId, carry: &Carry) -> Option<Value> {
        const STANDS_FOR_ANOTHER: [&str; 8] = [
            "", "any", "auto", "automatic", "default", "inherit", "inherited", "none",
        ];
        let name = pointer::tokens(&carry.sent).last()?;
        let is_at_top = carry.sent == pointer::join("", &name);
        let mut fields = self
            .body_properties(write)
            .filter(|field| is_at_top && *field.name == *name);
        let schema = &fields.next()?.node;
        let default = schema.member("default")?.to_value();
        let is_plain = match &default {
            Value::Bool(_) => true,
            Value::Number(number) => number.as_u64() > Some(0),
            Value::String(word) => schema.member("enum").is_some() && !STANDS_FOR_ANOTHER.contains(&word.as_str()),
            _ => false,
        };
        is_plain.then_some(default)
    }

    /// Whether the record shows in a field just what a write sends in it: both have one description, which says no more
    /// than what the value is, one type and one `enum`.
    fn is_one_value(&self, write: OperationId, carry: &Carry, lifecycle: &Lifecycle) -> bool {
        let record = (lifecycle.read, lifecycle.record_in_read.as_str());
        let texts = self.descriptions_in_record(record, carry);
        let in_writes = lifecycle
            .updates
            .iter()
            .map(|(update, _)| *update)
            .chain([lifecycle.create]);
        let mut others = in_writes.flat_map(|other| self.descriptions_in_body(other, carry));
        let is_plain = |text: &String| only_names_a_value(text) && !leaves_doubt(text);
        let sent = self.schemas_in_body(write, carry);
        let shown = self.schemas_in_record(record, carry);
        let is_flagged_so = |(_, schema): &(String, &Node)| {
            is_flagged(schema, "deprecated") || is_flagged(schema, "readOnly") || is_flagged(schema, "writeOnly")
        };
        texts == self.descriptions_in_body(write, carry)
            && texts.iter().all(is_plain)
            && others.all(|text| is_plain(&text))
            && !sent.iter().chain(&shown).any(is_flagged_so)
            && ["type", "enum", "format"]
                .iter()
                .all(|keyword| values_of(&sent, keyword) == values_of(&shown, keyword))
    }

    /// Whether the description of a field in the body of an update has only its name, that of the record, its values,
    /// and what it counts. "Size chosen by the first writer" stays as it was.
    fn only_names_members(&self, update: OperationId, carry: &Carry) -> bool {
        const OF_FIELDS: [&str; 20] = [
            "a", "amount", "an", "and", "defaults", "default", "either", "has", "if", "is", "kind", "number", "of",
            "one", "or", "the", "this", "to", "true", "whether",
        ];
        let mut names = names_of(self.operation(update));
        names.extend(pointer::tokens(&carry.sent).flat_map(|name| camel_case_words(&name)));
        let sent = self.schemas_in_body(update, carry);
        let members = sent.iter().filter_map(|(_, schema)| schema.member("enum"));
        let members = members.flat_map(Node::elements).filter_map(Node::string);
        names.extend(members.flat_map(camel_case_words));
        let is_known = |word: &String| {
            let is_number = word.chars().all(|letter| letter.is_ascii_digit());
            is_number || OF_FIELDS.contains(&word.as_str()) || names.iter().any(|name| singular(name) == singular(word))
        };
        descriptions(&sent).iter().all(|text| {
            let words = camel_case_words(text);
            let is_counted = |at: usize| {
                let before = words[..at].iter().rev().map(String::as_str);
                let before: Vec<_> = before.take(2).collect();
                matches!(before[..], ["of", "amount" | "number"])
            };
            let mut words_at = words.iter().enumerate();
            words_at.all(|(at, word)| is_known(word) || is_counted(at))
        })
    }

    /// Returns the schemas of a field in the record that an operation returns.
    fn schemas_in_record(&self, (of, record): (OperationId, &str), carry: &Carry) -> Vec<(String, &Node)> {
        let schema = self.schema_of_success(of);
        schema.map_or_else(Vec::new, |schema| {
            self.schemas_within(&schema, &format!("{record}{}", carry.returned_at))
        })
    }

    /// Returns the schemas of a field in the body of a write.
    fn schemas_in_body(&self, write: OperationId, carry: &Carry) -> Vec<(String, &Node)> {
        let body = self.operation(write).request_body.as_ref();
        let schema = body.and_then(|body| body.schema.as_ref());
        schema.map_or_else(Vec::new, |schema| self.schemas_within(schema, &carry.sent))
    }

    fn descriptions_in_record(&self, record: (OperationId, &str), carry: &Carry) -> BTreeSet<String> {
        descriptions(&self.schemas_in_record(record, carry))
    }

    fn descriptions_in_body(&self, write: OperationId, carry: &Carry) -> BTreeSet<String> {
        descriptions(&self.schemas_in_body(write, carry))
    }

    /// Whether the texts about an update, and around it, say only that what is sent is changed.
    fn only_updates_plainly(&self, update: OperationId) -> bool {
        let operation = self.operation(update);
        let names = names_of(operation);
        let about = self.sentences_about(operation);
        about.iter().all(|sentence| only_updates(sentence, &names)) && self.is_plain_around_update(update)
    }

    /// Returns where the read of a lifecycle shows a time, if its description says no more than that, in the words that
    /// `says` knows, and nothing around the read does.
    pub(super) fn plain_time(
        &self,
        lifecycle: &Lifecycle,
        time: Option<&String>,
        says: fn(&str, &[String]) -> bool,
    ) -> Option<String> {
        let names = names_of(self.operation(lifecycle.read));
        let is_plain = |at: &&String| {
            let schema = self.schema_of_success(lifecycle.read).unwrap_or_default();
            let schemas = self.schemas_within(&schema, &format!("{}{at}", lifecycle.record_in_read));
            descriptions(&schemas).iter().all(|text| says(text, &names)) && self.only_shows_plainly(lifecycle.read)
        };
        time.filter(is_plain).cloned()
    }

    /// Whether an update leaves a time to the service: its texts are plain, and it takes no field of that name.
    fn leaves_time_to_service(&self, update: OperationId, at: &str) -> bool {
        let name = pointer::last(at).map(|name| comparable_name(&name));
        let mut taken = self.body_properties(update).filter(|property| {
            Some(comparable_name(&property.name)) == name && !is_flagged(self.referred(&property.node), "readOnly")
        });
        taken.next().is_none() && self.only_updates_plainly(update)
    }

    /// Whether a sentence about an update says that a field that is not sent gets its default.
    fn says_that_unsent_fields_get_defaults(&self, update: OperationId) -> bool {
        const UNSENT: [&str; 6] = ["absent", "left out", "missing", "not sent", "omit", "not provided"];
        self.sentences_about(self.operation(update))
            .iter()
            .any(|sentence| sentence.contains("default") && UNSENT.iter().any(|unsent| sentence.contains(unsent)))
    }

    /// Returns where a record shows a time by one of these names, if its schema leaves no doubt of that: an instant that
    /// the create cannot send.
    pub(super) fn time_in_record(&self, create: OperationId, record: &Shape, names: &[&str]) -> Option<String> {
        let mut fields = record.fields.iter().filter(|field| {
            let fact = self.shapes[field.shape.0]
                .type_fact
                .map(|fact| self.facts[fact.0].location.clone());
            let schema = fact.and_then(|at| self.document.node(at.strip_suffix("/type").unwrap_or(&at)));
            let member = |key: &str| schema.and_then(|schema| schema.text_of(key));
            names.contains(&comparable_name(&field.name).as_str()) && member("format") == Some("date-time")
        });
        let field = fields.next().filter(|_| fields.next().is_none())?;
        let mut sent = self
            .body_properties(create)
            .filter(|property| property.name == field.name);
        let is_sent = sent.any(|property| !is_flagged(self.referred(&property.node), "readOnly"));
        (!is_sent).then(|| pointer::join("", &field.name))
    }

    /// Returns the facts that the responses to the writes of a lifecycle carry what was sent.
    pub(super) fn facts_of_responses(&self, lifecycle: &Lifecycle) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (operation, at) in &lifecycle.responses {
            let kind = if *operation == lifecycle.create {
                FactKind::ResponseAfterCreate
            } else {
                FactKind::ResponseAfterUpdate
            };
            let documented = "what was sent".to_owned();
            let words = (
                format!("{} response: {documented}", self.operation(*operation).name),
                documented,
            );
            facts.push(self.inferred_fact(*operation, kind, words, at));
        }
        facts
    }

    /// Returns the facts about what reads show after writes beside what was sent: defaults, times, and the same as the
    /// list.
    pub(super) fn facts_of_reads(&self, lifecycle: &Lifecycle) -> Vec<Fact> {
        let name = |id: OperationId| self.operation(id).name.as_str();
        let (create, read) = (lifecycle.create, name(lifecycle.read));
        let fact = |operation, kind, words, at: &str| self.inferred_fact(operation, kind, words, at);
        let mut facts = Vec::new();
        for (update, _) in &lifecycle.updates {
            for (time, kind, documented) in [
                (&lifecycle.creation_time, FactKind::CreationTimeKept, "as before"),
                (&lifecycle.change_time, FactKind::ChangeTimeMoves, "another than before"),
            ] {
                let time = time.as_ref().filter(|at| self.leaves_time_to_service(*update, at));
                if let Some(at) = time.filter(|_| !lifecycle.guessed) {
                    let (documented, at) = (documented.to_owned(), format!("{}{at}", lifecycle.record_in_read));
                    let words = (format!("{} in {read} {at}: {documented}", name(*update)), documented);
                    facts.push(fact(*update, kind, words, &at));
                }
            }
            if let Some(list) = lifecycle.list.as_ref().filter(|_| !lifecycle.listed_as_read.is_empty()) {
                let documented = format!("as in {read}");
                let words = (
                    format!("{} in {}: {documented}", name(*update), name(list.operation)),
                    documented,
                );
                facts.push(fact(*update, FactKind::ListedAsRead, words, ""));
            }
        }
        for (write, _) in &lifecycle.defaults {
            let documented = "their defaults".to_owned();
            let words = (format!("{} without fields: {documented}", name(*write)), documented);
            let kind = match *write == create {
                true => FactKind::DefaultAfterCreate,
                false => FactKind::DefaultAfterReplace,
            };
            facts.push(fact(*write, kind, words, ""));
        }
        facts
    }

    /// Whether an update changes only the fields that it sends: a PATCH that requires none, with the record as JSON,
    /// that is not described as replacing the record (RFC 5789, section 2: a set of changes; RFC 7396).
    pub(super) fn keeps_fields_not_sent(&self, update: OperationId) -> bool {
        let operation = self.operation(update);
        let body = operation.request_body.as_ref();
        let media_type = body.map_or_else(String::new, |body| essence(&body.media_type));
        let mut schemas = self.body_schemas(update).into_iter();
        operation.method == Method::Patch
            && ["application/json", "application/merge-patch+json"].contains(&&*media_type)
            && schemas.all(|schema| {
                schema
                    .member("required")
                    .is_none_or(|names| names.elements().is_empty())
            })
            && !self.says_that_it_replaces(operation)
    }

    /// Whether a PATCH that sends a part of an object keeps the rest of it: its media type says so (RFC 7396), or its
    /// summary or description.
    pub(crate) fn merges_objects(&self, update: OperationId) -> bool {
        let operation = self.operation(update);
        let body = operation.request_body.as_ref();
        let is_merge_patch = body.is_some_and(|body| body.media_type.starts_with("application/merge-patch+json"));
        let says_so = |text: String| {
            let mut sentences = text.split(['.', ';']);
            sentences.any(|said| {
                let is_of_object = said.contains("nested") || said.contains("object");
                is_of_object && said.contains("merge") && !["not ", "n't", "never"].iter().any(|no| said.contains(no))
            })
        };
        let node = self.document.node(&operation.pointer);
        is_merge_patch || node.is_some_and(|node| texts(node).any(says_so))
    }

    /// Whether the summary or description of an operation says that it also sets the fields that are not sent.
    fn says_that_it_replaces(&self, operation: &Operation) -> bool {
        const REPLACES: [&str; 8] = [
            "all fields", "complete ", "default", "entire", "full ", "overwrit", "replac", "reset",
        ];
        let node = self.document.node(&operation.pointer);
        node.is_some_and(|node| texts(node).any(|text| REPLACES.iter().any(|word| text.contains(word))))
    }
}

/// Whether a description says that a response shows the record as it was before the write: "Returns the previous
/// version".
fn says_that_it_shows_an_earlier_state(described: &Node) -> bool {
    const EARLIER: [&str; 7] = ["before", "earlier", "former", "original", "previous", "prior ", "old "];
    texts(described).any(|text| EARLIER.iter().any(|word| text.contains(word)))
}

/// Returns the summary and the description of a node, in lower case.
fn texts(node: &Node) -> impl Iterator<Item = String> + '_ {
    let names = ["summary", "description"].into_iter();
    let texts = names.filter_map(|name| node.text_of(name));
    texts.map(str::to_ascii_lowercase)
}

/// Whether a pointer leads to a field at the top of a record.
fn is_field(at: &str) -> bool {
    pointer::tokens(at).count() == 1
}

/// Whether a description speaks of a list, of a place within one, or of who asks, or says where the value comes from:
/// "Overridden by the policy".
fn leaves_doubt(described: &str) -> bool {
    const OF_REQUESTS: [&str; 19] = [
        "accept", "caller", "collection", "collections", "display", "header", "index", "list", "listed", "listing",
        "listings", "lists", "locale", "position", "rank", "request", "response", "responses", "viewer",
    ];
    const OF_ORIGIN: [&str; 6] = ["at", "by", "from", "in", "through", "with"];
    let mut words = alphanumeric_words(described);
    let begins_with_participle = words
        .next()
        .is_some_and(|first| ["ed", "en", "set"].iter().any(|ending| first.ends_with(ending)));
    let comes_from = begins_with_participle && words.next().is_some_and(|next| OF_ORIGIN.contains(&next));
    comes_from || alphanumeric_words(described).any(|word| OF_REQUESTS.contains(&word))
}

/// Returns the descriptions of schemas, in lower case.
fn descriptions(schemas: &[(String, &Node)]) -> BTreeSet<String> {
    let described = schemas.iter().filter_map(|(_, schema)| schema.text_of("description"));
    described.map(str::to_ascii_lowercase).collect()
}

/// Returns what schemas state by a keyword, but for null.
fn values_of(schemas: &[(String, &Node)], keyword: &str) -> BTreeSet<String> {
    let stated = schemas.iter().filter_map(|(_, schema)| schema.member(keyword));
    let values = stated.flat_map(|node| match node.to_value() {
        Value::Array(values) => values,
        value => vec![value],
    });
    let null = [Value::Null, Value::from("null")];
    values
        .filter(|value| !null.contains(value))
        .map(|value| value.to_string())
        .collect()
}

fn is_write_only(schema: &Node) -> bool {
    is_flagged(schema, "writeOnly")
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::fact::FactKind;

    /// The kinds of facts of the update in a document with these texts.
    fn kinds(patch: &str, body: &str, response: &str) -> [bool; 2] {
        let text = format!(
            "openapi: 3.0.3
info: {{title: Pets, version: '1'}}
components:
  schemas:
    Pet: {{type: object, properties: {{id: {{type: integer}}, name: {{type: string}}, note: {{type: string}}}}}}
    Sent: {{type: object, properties: {{name: {{type: string}}, note: {{type: string}}}}}}
paths:
  /pets:
    post: {{operationId: addPet, requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/Sent'}}}}}}}}, responses: {{'201': {{description: OK, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Pet'}}}}}}}}}}}}
  /pets/{{petId}}:
    parameters: [{{name: petId, in: path, required: true, schema: {{type: integer}}}}]
    get: {{operationId: getPet, responses: {{'200': {{description: OK, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Pet'}}}}}}}}}}}}
    patch: {{operationId: changePet, {patch}requestBody: {{content: {{{body}}}}}, responses: {{'200': {{{response}}}}}}}
"
        );
        let contract = Contract::read("pets.yaml", text).unwrap();
        let patch = contract.operation_named("changePet").unwrap();
        [FactKind::FieldsKeptByUpdate, FactKind::ResponseAfterUpdate]
            .map(|kind| contract.fact_of(patch, kind).is_some())
    }

    const SENT: &str = "application/json: {schema: {$ref: '#/components/schemas/Sent'}}";
    const PET: &str = "description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}";

    /// The fields of pets that the list shows as the read does, those with a default after the create and after the
    /// PUT, and where a pet shows when it was created, which the PUT keeps.
    fn inferred(schemas: &str, (list, item): (&str, &str), put: &str) -> (Vec<String>, [usize; 2], Option<String>) {
        let content = |schema: &str| format!("{{application/json: {{schema: {schema}}}}}");
        let reference = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
        let sent = content(&reference("Sent"));
        let pet = format!("{{description: OK, content: {}}}", content(&reference("Pet")));
        let pets = format!(
            "{{description: OK, content: {}}}",
            content(&format!("{{type: array, items: {item}}}"))
        );
        let text = format!(
            "openapi: 3.0.3
info: {{title: Pets, version: '1'}}
components:
  schemas:
{schemas}
paths:
  /pets:
    get: {{operationId: listPets, summary: {list}, responses: {{'200': {pets}}}}}
    post: {{operationId: addPet, requestBody: {{content: {sent}}}, responses: {{'201': {pet}}}}}
  /pets/{{petId}}:
    parameters: [{{name: petId, in: path, required: true, schema: {{type: integer}}}}]
    get: {{operationId: getPet, responses: {{'200': {pet}}}}}
    put: {{operationId: putPet, summary: {put}, requestBody: {{content: {sent}}}, responses: {{'200': {pet}}}}}
"
        );
        let contract = Contract::read("pets.yaml", text).unwrap();
        let lifecycle = &contract.lifecycles()[0];
        let listed = lifecycle.listed_as_read.iter().map(|carry| carry.returned_at.clone());
        let defaults = ["addPet", "putPet"].map(|write| contract.operation_named(write).unwrap());
        let facts = [FactKind::DefaultAfterCreate, FactKind::DefaultAfterReplace];
        for (write, fact) in defaults.into_iter().zip(facts) {
            let has_defaults = !lifecycle.defaults_after(write).is_empty();
            assert_eq!(contract.fact_of(write, fact).is_some(), has_defaults, "{fact:?}");
        }
        let fact = contract.fact_of(defaults[1], FactKind::CreationTimeKept);
        assert!(fact.is_none() || lifecycle.creation_time.is_some());
        (
            listed.collect(),
            defaults.map(|write| lifecycle.defaults_after(write).len()),
            lifecycle.creation_time.clone().filter(|_| fact.is_some()),
        )
    }

    const PETS: &str = "    Sent: {type: object, properties: {name: {type: string}, tame: {type: boolean, default: false}}}
    Pet: {type: object, properties: {id: {type: integer}, name: {type: string}, tame: {type: boolean}, created_at: {type: string, format: date-time}}}";
    const ITEM: &str = "{$ref: '#/components/schemas/Pet'}";

    #[test]
    fn one_schema_in_list_and_read_is_shown_alike_unless_the_list_says_that_it_shows_less() {
        let listed = |list: &str, item: &str| inferred(PETS, (list, item), "Changes a pet").0;
        assert_eq!(listed("Lists the pets", ITEM), ["/name", "/tame"]);
        for text in [
            "Returns short records", "A summary of each pet", "A snapshot of all pets", "Cached for a minute",
        ] {
            assert!(listed(text, ITEM).is_empty(), "{text}");
        }
        let own = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
        assert!(
            listed("Lists the pets", own).is_empty(),
            "a schema of its own may mean a form of its own"
        );
    }

    #[test]
    fn what_is_said_around_a_list_or_a_field_takes_back_that_it_is_shown_alike() {
        let listed = |schemas: &str, list: &str, put: &str| inferred(schemas, (list, ITEM), put).0;
        let pets = PETS.replace("tame", "sold");
        let with = |parameters: &str| {
            let list = format!("Lists the pets, parameters: [{parameters}]");
            listed(&pets, &list, "Changes a pet")
        };
        let page = "{name: page, in: query, schema: {type: integer}}";
        let filter = "{name: sold, in: query, schema: {type: boolean}}";
        assert_eq!(with(&format!("{page}, {filter}")), ["/name", "/sold"]);
        for parameter in [
            "{name: length, in: query, schema: {type: integer}}",
            "{name: Accept-Language, in: header, schema: {type: string}}",
        ] {
            assert!(with(parameter).is_empty(), "{parameter}");
        }
        for text in [
            "Lists the pets as of the last nightly export",
            "Lists the pets with their current names",
            "'Lists the pets. New data is available with a delay.'",
        ] {
            assert!(listed(PETS, text, "Changes a pet").is_empty(), "{text}");
        }
        let flagged = PETS.replace("created_at:", "cut: {type: boolean, readOnly: true}, created_at:");
        assert!(listed(&flagged, "Lists the pets", "Changes a pet").is_empty());
        let put = "'Changes a pet. Lists show the change with a delay.'";
        assert!(listed(PETS, "Lists the pets", put).is_empty());
        for (described, is_plain) in [
            ("Name of the pet", true),
            ("Name. Enter at least two letters.", true),
            ("Name, shortened in lists", false),
            ("Name in the language of the caller", false),
            ("Position in the list", false),
            ("Only the beginning when listed", false),
        ] {
            let schemas = PETS.replace(
                "name: {type: string}",
                &format!("name: {{type: string, description: '{described}'}}"),
            );
            let listed = listed(&schemas, "Lists the pets", "Changes a pet");
            assert_eq!(listed.contains(&"/name".to_owned()), is_plain, "{described}");
            let is_about_lists = described.contains("list");
            assert_eq!(listed.contains(&"/tame".to_owned()), !is_about_lists, "{described}");
        }
    }

    #[test]
    fn what_is_said_of_a_default_takes_it_back() {
        let defaults = |schemas: &str, put: &str| inferred(schemas, ("Lists the pets", ITEM), put).1;
        let described = |sent: &str, shown: &str| {
            let schemas = PETS
                .replace("default: false", &format!("default: false, description: '{sent}'"))
                .replace(
                    "tame: {type: boolean}",
                    &format!("tame: {{type: boolean, description: '{shown}'}}"),
                );
            defaults(&schemas, "Changes a pet")
        };
        let tame = "Whether the pet is tame.";
        assert_eq!(described(tame, tame), [1, 0]);
        for (sent, shown) in [
            (tame, "Whether the pet is tame at present."),
            (tame, ""),
            ("Usually `false`.", "Usually `false`."),
            ("Overridden by the kind", "Overridden by the kind"),
            (
                "Whether it is tame. Leave empty for that of the kind.",
                "Whether it is tame. Leave empty for that of the kind.",
            ),
        ] {
            assert_eq!(described(sent, shown), [0, 0], "{sent} {shown}");
        }
        let other_type = PETS.replace("tame: {type: boolean}", "tame: {type: string}");
        assert_eq!(defaults(&other_type, "Changes a pet"), [0, 0]);
        let described = PETS.replacen("Sent: {", "Sent: {description: Kinds have settings of their own, ", 1);
        assert_eq!(defaults(&described, "Changes a pet"), [0, 0]);
    }

    #[test]
    fn a_default_is_set_by_a_create_and_by_a_put_that_says_so() {
        let defaults = |schemas: &str, put: &str| inferred(schemas, ("Lists the pets", ITEM), put).1;
        assert_eq!(defaults(PETS, "Changes a pet"), [1, 0]);
        assert_eq!(defaults(PETS, "A field that is not sent gets its default."), [1, 1]);
        for default in [
            "integer, default: 0",
            "string, default: any",
            "string, enum: [auto], default: auto",
        ] {
            let schemas = PETS
                .replace("boolean, default: false", default)
                .replace("tame: {type: boolean}", &format!("tame: {{type: {default}}}"));
            assert_eq!(defaults(&schemas, "Changes a pet"), [0, 0], "{default}");
        }
        for described in ["Inherited from the owner.", "False unless the owner says otherwise."] {
            let schemas = PETS.replace("default: false", &format!("default: false, description: '{described}'"));
            assert_eq!(defaults(&schemas, "Changes a pet"), [0, 0], "{described}");
        }
        assert_eq!(defaults(&PETS.replace(", default: false", ""), "Changes a pet"), [0, 0]);
    }

    #[test]
    fn the_time_of_creation_is_an_instant_that_the_create_does_not_take() {
        let kept = |schemas: &str, put: &str| inferred(schemas, ("Lists the pets", ITEM), put).2;
        let time = |schemas: &str| kept(schemas, "Changes a pet");
        assert_eq!(kept(PETS, "Changes a pet and dates it anew"), None);
        assert_eq!(time(PETS), Some("/created_at".to_owned()));
        for plain in [
            "When the pet was created. Never changes.",
            "Creation time",
            "Date and time of creation (RFC 3339)",
        ] {
            let described = PETS.replace(
                "format: date-time",
                &format!("format: date-time, description: '{plain}'"),
            );
            assert_eq!(time(&described), Some("/created_at".to_owned()), "{plain}");
        }
        for (from, to) in [
            ("format: date-time", "format: date"),
            ("created_at", "updated_at"),
            (
                "format: date-time",
                "format: date-time, description: When this version was made",
            ),
            (
                "format: date-time",
                "format: date-time, description: Date of the booking",
            ),
            (
                "format: date-time",
                "format: date-time, description: When the original was created",
            ),
            (
                "tame: {type: boolean, default: false}",
                "created_at: {type: string, format: date-time}",
            ),
        ] {
            assert_eq!(time(&PETS.replacen(from, to, 1)), None, "{to}");
        }
    }

    #[test]
    fn a_patch_with_optional_fields_alone_keeps_the_others() {
        assert_eq!(kinds("", SENT, PET), [true, true]);
        let merge = SENT.replace("application/json", "application/merge-patch+json");
        assert!(kinds("", &merge, PET)[0]);
        let required = SENT.replace(
            "{$ref: '#/components/schemas/Sent'}",
            "{allOf: [{$ref: '#/components/schemas/Sent'}], required: [name]}",
        );
        assert!(!kinds("", &required, PET)[0]);
        assert!(!kinds("summary: Replaces the pet, ", SENT, PET)[0]);
        assert!(!kinds("", &SENT.replace("application/json", "application/vnd.api+json"), PET)[0]);
    }

    #[test]
    fn a_response_shows_what_was_sent_unless_it_is_described_otherwise() {
        assert!(
            !kinds(
                "",
                SENT,
                &PET.replace("description: OK", "description: The previous version")
            )[1]
        );
        assert!(!kinds("", SENT, "description: OK")[1]);
        let typed = PET.replace(
            "{$ref: '#/components/schemas/Pet'}",
            "{type: object, properties: {id: {type: integer}, name: {type: boolean}}}",
        );
        assert!(!kinds("", SENT, &typed)[1]);
    }
}
