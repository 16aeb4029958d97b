//! Reads what the contract says about the fields of a request body.

use super::leaf::Choice;
use crate::contract::document::Node;
use crate::contract::lexicon::{self, IDENTIFIERS};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::Carry;
use crate::contract::what_texts_say::{speaks_of_characters, speaks_of_moved_dates};
use crate::contract::{Contract, pointer};

/// Returns the top-level fields that an operation's body may have, as pointers, without the read-only ones.
pub(super) fn fields(contract: &Contract, operation: OperationId) -> Vec<String> {
    let mut fields = Vec::new();
    for property in contract.body_properties(operation) {
        let field = pointer::join("", &property.name);
        if !contract.is_read_only(&property.node) && !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// Returns the top-level fields that the contract requires, as pointers. A body without one of them
/// is not a documented request.
pub(super) fn required(contract: &Contract, operation: OperationId) -> Vec<String> {
    let stated = contract.body_schemas(operation).into_iter();
    let names = stated.flat_map(|node| node.elements_of("required"));
    let is_sent = |name: &&str| {
        let mut named = contract
            .body_properties(operation)
            .filter(|property| property.name == *name);
        !named.any(|property| contract.is_read_only(&property.node))
    };
    names
        .filter_map(Node::string)
        .filter(is_sent)
        .map(|name| pointer::join("", name))
        .collect()
}

/// Why a write is not sent if its body identifies what it changes, and its path does not.
pub(super) const BODY_NAMES_RECORDS: &str =
    "its body, not its path, names what it changes, and the run changes only the record that a path names";

/// Whether the body of a write, or each of its elements, has the identifier of a record: `id`, or several in `ids`.
pub(super) fn names_records(contract: &Contract, operation: OperationId) -> bool {
    let schemas = contract.body_schemas(operation);
    let items = schemas.iter().filter_map(|schema| schema.member("items"));
    let items: Vec<_> = items.map(|items| contract.referred(items)).collect();
    let parts = items.iter().filter_map(|items| items.member("allOf"));
    let parts = parts.flat_map(Node::elements).map(|part| contract.referred(part));
    let stated = schemas.iter().chain(&items).copied().chain(parts);
    let mut properties = stated
        .filter_map(|schema| schema.member("properties"))
        .flat_map(Node::members);
    properties.any(|property| {
        let name = property.name.to_ascii_lowercase();
        IDENTIFIERS.contains(&name.trim_end_matches('s')) && !contract.is_read_only(&property.node)
    })
}

/// Returns where a required field, or each of its elements, has the identifier of the record to which it refers; `None`
/// if it is no reference.
pub(super) fn reference(contract: &Contract, operation: OperationId, field: &str) -> Option<String> {
    let mut properties = contract.body_properties(operation);
    let property = properties.find(|property| pointer::join("", &property.name) == field)?;
    let items = contract.referred(&property.node).member("items");
    let (at, schema) = match items {
        Some(items) => (pointer::join(field, "0"), items),
        None => (field.to_owned(), &property.node),
    };
    let id = contract.reference_identifier(schema)?;
    Some(pointer::join(&at, &id.name))
}

/// Whether a field is a *name*: the run fills it with a string that it makes, which must come back
/// as it was sent and is no email address, whose grammar (RFC 5321) has only ASCII.
pub(super) fn is_name(contract: &Contract, operation: OperationId, node: &Node, at: &str) -> bool {
    let plain = node.member("pattern").is_none() && node.member("format").is_none();
    plain && returned_synthetic_string(contract, operation, node, at).is_some_and(|text| !text.contains('@'))
}

/// Whether a field is an email address that the run makes, and that must come back as it was sent.
pub(super) fn is_address(contract: &Contract, operation: OperationId, node: &Node, at: &str) -> bool {
    let plain = node.member("pattern").is_none();
    plain && returned_synthetic_string(contract, operation, node, at).is_some_and(|text| text.contains('@'))
}

/// Whether a field of an update without invariants is a text that the updated record must show as it was sent, whatever
/// its characters: it is free text, and neither its description nor the texts about the operation speak of characters.
/// HTML is excluded: a service may sanitise it.
pub(super) fn is_text(contract: &Contract, operation: OperationId, node: &Node, at: &str) -> bool {
    let is_plain = ["pattern", "format", "enum", "const"]
        .iter()
        .all(|key| node.member(key).is_none());
    let name = pointer::last(at).unwrap_or_default();
    let described = described(node);
    is_plain
        && node.text_of("type") == Some("string")
        && !looks_like_an_identifier(at, Some(node))
        && contract.is_free_text(operation, &name, &described)
        && !speaks_of_characters(&described)
        && !name.to_ascii_lowercase().contains("html")
        && !contract.texts_speak_of_characters(operation)
        && is_shown_after_update(contract, operation, at)
}

/// Whether a field of an update without invariants is a full date that the updated record must show as it was sent, and
/// neither its name nor its description speaks of dates that the service moves or computes (to the next business day,
/// to the end of a month).
pub(super) fn is_shown_date(contract: &Contract, operation: OperationId, node: &Node, at: &str) -> bool {
    let name = pointer::last(at).unwrap_or_default();
    let name = lexicon::camel_case_words(&name).join(" ");
    node.text_of("format") == Some("date")
        && !speaks_of_moved_dates(&format!("{name} {}", described(node)))
        && is_shown_after_update(contract, operation, at)
}

/// Returns the description of a field, in lower case.
pub(super) fn described(node: &Node) -> String {
    let described = node.text_of("description");
    described.unwrap_or_default().to_ascii_lowercase()
}

/// Whether a field at the top of the body must come back after an update without invariants.
pub(super) fn is_shown_after_update(contract: &Contract, update: OperationId, at: &str) -> bool {
    at.trim_end_matches("/*").rfind('/') == Some(0)
        && contract.operation(update).invariants.updated.is_none()
        && contract
            .lifecycle_carries_of_update(update)
            .iter()
            .any(|carry| carry.sent == at)
}

/// Returns the field's synthetic string (`x-synthetic`) if the field must come back as it was sent: a carry without a
/// gap.
fn returned_synthetic_string<'node>(
    contract: &Contract,
    operation: OperationId,
    node: &'node Node,
    at: &str,
) -> Option<&'node str> {
    let text = node.text_of("x-synthetic")?;
    let any = pointer::with_any_elements(at);
    let mut carries = carries(contract, operation);
    carries
        .any(|carry| carry.comes_back_as_sent() && any == carry.sent)
        .then_some(text)
}

/// Returns the carries of the operation's invariants.
fn carries(contract: &Contract, operation: OperationId) -> impl Iterator<Item = &Carry> {
    let invariants = &contract.operation(operation).invariants;
    let created = invariants.created.iter().flat_map(|created| &created.carries);
    created.chain(invariants.updated.iter().flat_map(|updated| &updated.carries))
}

/// Returns the values at this location in the examples of other operations whose body has the same schema.
pub(super) fn other_examples(contract: &Contract, operation: OperationId, at: &str) -> Vec<Choice> {
    let body = |id: OperationId| contract.operation(id).request_body.as_ref();
    let schema = |id: OperationId| Some(contract.resolve(body(id)?.schema.as_ref()?));
    let this = schema(operation);
    let alike = contract
        .operation_ids()
        .filter(|id| *id != operation && this.is_some() && schema(*id) == this);
    let values = alike.filter_map(|id| body(id)?.example.as_ref()?.pointer(at));
    values.map(|value| Choice::own(value.clone())).collect()
}

/// Whether a field, by its pointer and schema, looks like the identifier of a record: `id`, `petId`, `owner_ids`,
/// `user_ids_allowed`, a UUID.
pub(super) fn looks_like_an_identifier(field: &str, schema: Option<&Node>) -> bool {
    let format = schema.and_then(|node| node.member("format")).and_then(Node::string);
    let mut names = field.split('/').filter(|token| token.parse::<usize>().is_err());
    let name = names.next_back().unwrap_or_default().trim_end_matches('s');
    let lower = name.to_ascii_lowercase();
    let whole = IDENTIFIERS.contains(&lower.as_str());
    let separated_endings = ["_id", "-id", "_uuid", "-uuid", "_guid", "-guid"];
    let camel_case_endings = ["Id", "ID", "Uuid", "UUID", "Guid", "GUID"];
    let has_several = |word: String| ["ids", "uuids", "guids"].contains(&word.as_str());
    format == Some("uuid")
        || whole
        || lexicon::camel_case_words(name).into_iter().any(has_several)
        || separated_endings.iter().any(|end| lower.ends_with(end))
        || camel_case_endings.iter().any(|end| name.ends_with(end))
}
