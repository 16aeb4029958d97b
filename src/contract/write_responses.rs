//! Infers, for the operations of a lifecycle, where the response to a write shows the record, which fields are for
//! requests alone, and which updates leave the fields that they do not send as they were.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::Contract;
use super::document::Node;
use super::fact::{Fact, FactKind};
use super::field::is_flagged;
use super::inferred::{RecordFinder, comparable_name};
use super::lexicon::alphanumeric_words;
use super::lifecycle::Lifecycle;
use super::load::essence;
use super::operation::{Method, Operation, OperationId};
use super::pointer;
use super::shape::{Shape, ShapeId, shape_id_at, shape_within};
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
    /// documented to show them in a form of its own. None if a text says that the list shows less, or shows it late.
    pub(super) fn fields_listed_as_read(&self, lifecycle: &Lifecycle) -> Vec<Carry> {
        let list = lifecycle
            .list
            .as_ref()
            .filter(|list| !lifecycle.guessed && !list.shows_only_some);
        let Some(list) = list.filter(|list| !self.shows_less(self.operation(list.operation))) else {
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
        let is_alike = |carry: &Carry| stated_at(item, carry).is_some_and(|at| stated_at(read, carry) == Some(at));
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
            self.operation(write).method == Method::Put && self.says_that_unsent_fields_get_defaults(write)
        };
        let updates = lifecycle.updates.iter().filter(|(update, _)| replaces(*update));
        let updates = updates.map(|(update, carries)| (*update, carries));
        let writes = [(lifecycle.create, &lifecycle.carries)].into_iter().chain(updates);
        let defaults = writes.filter(|_| !lifecycle.guessed).map(|(write, carries)| {
            let with_default = |carry: &Carry| Some((carry.clone(), self.default_of(write, carry)?));
            (write, carries.iter().filter_map(with_default).collect::<Vec<_>>())
        });
        defaults.filter(|(_, defaults)| !defaults.is_empty()).collect()
    }

    /// Returns the default that the body of a write documents for a field at its top. `None` if its description says
    /// that the value depends on something else, or if the service may replace it by what it stands for: 0, a free text,
    /// `auto`.
    fn default_of(&self, write: OperationId, carry: &Carry) -> Option<Value> {
        const STANDS_FOR_ANOTHER: [&str; 6] = ["", "any", "auto", "automatic", "default", "none"];
        const DEPENDS: [&str; 12] = [
            "account",
            "configur",
            "depend",
            "deriv",
            "if",
            "inherit",
            "otherwise",
            "parent",
            "setting",
            "unless",
            "when",
            "where",
        ];
        let name = pointer::tokens(&carry.sent).last()?;
        let is_at_top = carry.sent == pointer::join("", &name);
        let mut fields = self
            .body_properties(write)
            .filter(|field| is_at_top && *field.name == *name);
        let schema = &fields.next()?.node;
        let described = schema.member("description").and_then(Node::string).unwrap_or_default();
        let described = described.to_ascii_lowercase();
        let depends = alphanumeric_words(&described).any(|word| match word.len() {
            0..=5 => DEPENDS.contains(&word),
            _ => DEPENDS
                .iter()
                .any(|beginning| beginning.len() > 5 && word.starts_with(beginning)),
        });
        let default = schema.member("default").filter(|_| !depends)?.to_value();
        let is_plain = match &default {
            Value::Bool(_) => true,
            Value::Number(number) => number.as_f64() > Some(0.0),
            Value::String(word) => schema.member("enum").is_some() && !STANDS_FOR_ANOTHER.contains(&word.as_str()),
            _ => false,
        };
        is_plain.then_some(default)
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
            let member = |key: &str| schema.and_then(|schema| schema.member(key)?.string());
            let described = member("description").unwrap_or_default().to_ascii_lowercase();
            names.contains(&comparable_name(&field.name).as_str())
                && member("format") == Some("date-time")
                && !["version", "revision", "original", "import"]
                    .iter()
                    .any(|word| described.contains(word))
        });
        let field = fields.next().filter(|_| fields.next().is_none())?;
        let mut sent = self
            .body_properties(create)
            .filter(|property| property.name == field.name);
        let is_sent = sent.any(|property| !is_flagged(self.referred(&property.node), "readOnly"));
        (!is_sent).then(|| pointer::join("", &field.name))
    }

    /// Whether the text about a list says that it shows its records shortened, or as they were earlier.
    fn shows_less(&self, list: &Operation) -> bool {
        const SAYS_SO: [&str; 18] = [
            "abbreviat",
            "abridg",
            "brief",
            "cache",
            "compact",
            "condens",
            "delay",
            "earlier",
            "excerpt",
            "index",
            "overview",
            "partial",
            "periodic",
            "preview",
            "short",
            "snapshot",
            "summar",
            "truncat",
        ];
        self.sentences_about(list).iter().any(|sentence| {
            alphanumeric_words(sentence).any(|word| SAYS_SO.iter().any(|beginning| word.starts_with(beginning)))
        })
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
                if let Some(at) = time.as_ref().filter(|_| !lifecycle.guessed) {
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
            "all fields",
            "complete ",
            "default",
            "entire",
            "full ",
            "overwrit",
            "replac",
            "reset",
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
    let texts = names.filter_map(|name| node.member(name).and_then(Node::string));
    texts.map(str::to_ascii_lowercase)
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
    /// PUT, and where a pet shows when it was created.
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
        assert_eq!(fact.is_some(), lifecycle.creation_time.is_some());
        (
            listed.collect(),
            defaults.map(|write| lifecycle.defaults_after(write).len()),
            lifecycle.creation_time.clone(),
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
            "Returns short records",
            "A summary of each pet",
            "A snapshot of all pets",
            "Cached for a minute",
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
        let time = |schemas: &str| inferred(schemas, ("Lists the pets", ITEM), "Changes a pet").2;
        assert_eq!(time(PETS), Some("/created_at".to_owned()));
        for (from, to) in [
            ("format: date-time", "format: date"),
            ("created_at", "updated_at"),
            (
                "format: date-time",
                "format: date-time, description: When this version was made",
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
