//! Infers, for the operations of a lifecycle, where the response to a write shows the record, which fields are for
//! requests alone, and which updates leave the fields that they do not send as they were.

use std::collections::{BTreeSet, HashSet};

use super::Contract;
use super::document::Node;
use super::fact::{Fact, FactKind};
use super::field::is_flagged;
use super::inferred::RecordFinder;
use super::lifecycle::Lifecycle;
use super::load::essence;
use super::operation::{Method, Operation, OperationId};
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
