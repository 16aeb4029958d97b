//! Which writes are understood well enough to be sent: creates of records that the run can recognise again, and updates of
//! these. The main function is [`reason_against`].
//!
//! # Design
//!
//! `POST` may create a record, and it may log a caller out, restart a host or start a job; `PATCH` on a list may rewrite
//! every row. A document says which by nothing but prose. So a write is sent where the contract tells how to find what it
//! made: by a law that names its list, or by a link that leads its identifier to a read. Everything else is sent only where
//! somebody names the operation.

use super::draft::Draft;
use super::known::Known;
use super::steps::{Scope, shows};
use super::synthetic::Mark;
use super::variety;
use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::link::Target;
use crate::contract::operation::{Location, Method, Operation, OperationId};
use crate::contract::vocabulary::Form;

/// Why a write is not sent; none where it is understood, or named by the scope.
pub(super) fn reason_against(contract: &Contract, scope: &Scope, id: OperationId) -> Option<String> {
    let operation = contract.operation(id);
    if operation.is_read() || scope.also_send.contains(&id) {
        return None;
    }
    let reason = match operation.method {
        Method::Post => against_create(contract, scope, id),
        _ => against_update(contract, scope, id),
    };
    let reason = reason.or_else(|| foreign_field(contract, id));
    reason.map(|reason| format!("{reason}; `also_send` in the configuration sends it all the same"))
}

fn against_create(contract: &Contract, scope: &Scope, id: OperationId) -> Option<String> {
    let laws = &contract.operation(id).laws;
    let listed = laws.created.as_ref().is_some_and(|created| created.listed.is_some());
    if !listed && shows(contract, scope, id).is_none() {
        let words = "nothing says where a record that it creates is shown, so none could be recognised again";
        return Some(words.to_owned());
    }
    let marked = laws.created.is_some() || carries_mark(contract, id);
    (!marked).then(|| "no field of its body can carry the run's tag, so no record could be recognised again".to_owned())
}

/// Whether the body of a create has a place for the run's mark.
fn carries_mark(contract: &Contract, id: OperationId) -> bool {
    let mark = Mark::new(0, 0);
    let draft = Draft::new(contract, id, &Known::default(), (&mark, 0), Form::Utc);
    draft.is_ok_and(|draft| mark.is_in(&draft.body().0))
}

fn against_update(contract: &Contract, scope: &Scope, id: OperationId) -> Option<String> {
    let parameters = contract.operation(id).parameters.iter().enumerate();
    let mut in_path = parameters
        .filter(|(_, parameter)| parameter.location == Location::Path)
        .peekable();
    if in_path.peek().is_none() {
        return Some("its path names no record, so it may change every one".to_owned());
    }
    let is_own = |index: usize| {
        contract.links_to(id).any(|link| {
            let creates = contract.operation(link.from).method == Method::Post;
            let there = link.target == Target::Parameter(index);
            there && creates && reason_against(contract, scope, link.from).is_none()
        })
    };
    let foreign = in_path.find(|(index, _)| !is_own(*index));
    foreign.map(|(_, parameter)| {
        format!(
            "no create that is sent links to its `{}`, and only own records are written to",
            parameter.name
        )
    })
}

/// A required field of the body that would be the identifier of another's record, where no law says that it is meant.
fn foreign_field(contract: &Contract, id: OperationId) -> Option<String> {
    let operation = contract.operation(id);
    if has_laws(operation) {
        return None;
    }
    let required = variety::required(contract, id).into_iter();
    let mut foreign =
        required.filter(|field| names_a_record(field, None) && !is_linked_to_a_create(contract, id, field));
    let field = foreign.next()?;
    Some(format!(
        "its body asks for `{field}`, which would be the identifier of another's record"
    ))
}

/// Whether the contract speaks our own words of what the operation writes: then what its links carry is meant.
pub(super) fn has_laws(operation: &Operation) -> bool {
    operation.laws.created.is_some() || operation.laws.updated.is_some()
}

/// Whether a create gives the value of a field.
pub(super) fn is_linked_to_a_create(contract: &Contract, id: OperationId, field: &str) -> bool {
    let target = Target::Body(field.to_owned());
    let mut links = contract.links_to(id);
    links.any(|link| link.target == target && !contract.operation(link.from).is_read())
}

/// Whether a field, by its pointer and schema, reads as the identifier of a record: `id`, `petId`, `owner_ids`, a UUID.
pub(super) fn names_a_record(field: &str, schema: Option<&Node>) -> bool {
    let format = schema.and_then(|node| node.member("format")).and_then(Node::text);
    let mut names = field.split('/').filter(|token| token.parse::<usize>().is_err());
    let name = names.next_back().unwrap_or_default().trim_end_matches('s');
    let lower = name.to_ascii_lowercase();
    let whole = matches!(lower.as_str(), "id" | "uuid" | "guid");
    let parted = ["_id", "-id", "_uuid", "-uuid", "_guid", "-guid"];
    let humped = ["Id", "ID", "Uuid", "UUID", "Guid", "GUID"];
    format == Some("uuid")
        || whole
        || parted.iter().any(|end| lower.ends_with(end))
        || humped.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What keeps each operation of a document with these paths from being sent.
    fn reasons(paths: &str, also_send: &[&str]) -> Vec<(String, Option<String>)> {
        let text = format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n{paths}");
        let contract = Contract::read("things.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let named = also_send.iter().map(|name| contract.operation_named(name).unwrap());
        let scope = Scope {
            writes: true,
            also_send: named.collect(),
            ..Scope::default()
        };
        let ids = contract.operation_ids();
        ids.map(|id| {
            (
                contract.operation(id).name.clone(),
                reason_against(&contract, &scope, id),
            )
        })
        .collect()
    }

    const OK: &str = "responses: {'200': {description: OK}}";
    const TEXT: &str = "{content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}";

    #[test]
    fn what_creates_no_record_is_not_sent_unless_it_is_named() {
        let paths = format!(
            "  /log-out:\n    post: {{operationId: logOut, {OK}}}\n  /jobs:\n    post: {{operationId: run, requestBody: {TEXT}, {OK}}}\n"
        );
        for (name, reason) in reasons(&paths, &[]) {
            let reason = reason.unwrap_or_else(|| panic!("{name} would be sent"));
            assert!(reason.starts_with("nothing says where a record"), "{name}: {reason}");
        }
        let named = reasons(&paths, &["logOut"]);
        assert!(named[0].1.is_none() && named[1].1.is_some(), "{named:?}");
    }

    #[test]
    fn a_change_without_a_record_in_its_path_is_not_sent() {
        let paths = format!("  /todos:\n    patch: {{operationId: all, requestBody: {TEXT}, {OK}}}\n");
        let reason = reasons(&paths, &[]).remove(0).1.unwrap();
        assert!(reason.starts_with("its path names no record"), "{reason}");
    }

    fn linked(body: &str) -> String {
        format!(
            "  /pets:\n    post:\n      operationId: addPet\n      requestBody: {body}\n      responses:\n        '201':\n          \
             description: Added\n          links:\n            self: {{operationId: getPet, parameters: {{id: '$response.body#/id'}}}}\n            \
             change: {{operationId: setPet, parameters: {{id: '$response.body#/id'}}}}\n  \
             /pets/{{id}}:\n    parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]\n    \
             get: {{operationId: getPet, {OK}}}\n    put: {{operationId: setPet, requestBody: {TEXT}, {OK}}}\n  \
             /owners/{{id}}:\n    parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]\n    \
             put: {{operationId: setOwner, requestBody: {TEXT}, {OK}}}\n"
        )
    }

    fn of(reasons: &[(String, Option<String>)], name: &str) -> Option<String> {
        reasons.iter().find(|(known, _)| known == name).unwrap().1.clone()
    }

    #[test]
    fn a_create_that_a_read_shows_and_an_update_of_its_record_are_sent() {
        let reasons = reasons(&linked(TEXT), &[]);
        assert_eq!((of(&reasons, "addPet"), of(&reasons, "setPet")), (None, None));
        let foreign = of(&reasons, "setOwner").unwrap();
        assert!(
            foreign.starts_with("no create that is sent links to its `id`"),
            "{foreign}"
        );
    }

    #[test]
    fn a_create_that_cannot_carry_the_mark_or_asks_for_anothers_identifier_is_not_sent() {
        let unmarked = "{content: {application/json: {schema: {type: object, properties: {size: {type: integer}}}}}}";
        let reason = of(&reasons(&linked(unmarked), &[]), "addPet").unwrap();
        assert!(reason.starts_with("no field of its body can carry"), "{reason}");
        let foreign = "{content: {application/json: {schema: {type: object, required: [ownerId], properties: {ownerId: {type: \
                       integer}, name: {type: string}}}}}}";
        let found = reasons(&linked(foreign), &[]);
        let reason = of(&found, "addPet").unwrap();
        assert!(reason.starts_with("its body asks for `/ownerId`"), "{reason}");
        // What would update its record leans on it.
        assert!(of(&found, "setPet").is_some());
    }

    #[test]
    fn identifiers_are_known_by_their_names() {
        for name in ["/id", "/petId", "/owner_ids/0", "/a/b/UUID", "/parent-id", "/tagIDs/0"] {
            assert!(names_a_record(name, None), "{name}");
        }
        for name in ["/name", "/paid", "/kid", "/grid/0", "/identity", "/valid", "/video"] {
            assert!(!names_a_record(name, None), "{name}");
        }
    }

    #[test]
    fn every_write_of_the_built_in_contract_is_understood() {
        let contract = Contract::built_in().unwrap();
        for id in contract.operation_ids() {
            assert_eq!(reason_against(&contract, &Scope::default(), id), None);
        }
    }
}
