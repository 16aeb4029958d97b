//! Chooses the operations that show whether two spellings of a request mean the same: one operation for each
//! equivalence that `x-equivalent` lists, so that few requests show them all.

use super::document::Document;
use super::edge_case::ParameterKind;
use super::operation::{JSON, Method, Operation, Parameter, ParameterLocation, SecurityScheme};
use super::vocabulary::Equivalence;

/// Returns the index of the operation on which this equivalence is tested; `None` where no request can have it. It is
/// never a create, because what a create makes stays.
pub(super) fn operation_for(document: &Document, operations: &[Operation], equivalence: Equivalence) -> Option<usize> {
    let updates = || {
        operations
            .iter()
            .position(|operation| updates(document, operation, equivalence))
    };
    match equivalence {
        Equivalence::SchemeCase => operations.iter().position(reads_with_a_token).or_else(updates),
        Equivalence::IdentifierCase
        | Equivalence::JsonEscapes
        | Equivalence::JsonOrder
        | Equivalence::MediaTypeCharset => updates(),
    }
}

/// Whether a parameter is an identifier in the path and documented as a UUID.
#[must_use]
pub fn is_uuid_in_path(document: &Document, operation: &Operation, parameter: &Parameter) -> bool {
    parameter.location == ParameterLocation::Path
        && ParameterKind::of(document, operation, parameter) == ParameterKind::Uuid
}

fn takes_a_token(operation: &Operation) -> bool {
    operation.security.scheme() == Some(&SecurityScheme::Bearer)
}

fn reads_with_a_token(operation: &Operation) -> bool {
    let mut parameters = operation.parameters.iter();
    operation.is_get() && takes_a_token(operation) && !parameters.any(|parameter| parameter.required)
}

/// Whether the operation updates a record of the run with a request that can have this equivalence.
fn updates(document: &Document, operation: &Operation, equivalence: Equivalence) -> bool {
    let is_update = matches!(operation.method, Method::Patch | Method::Put) && operation.invariants.updated.is_some();
    let mut parameters = operation.parameters.iter();
    is_update
        && match equivalence {
            Equivalence::IdentifierCase => parameters.any(|parameter| is_uuid_in_path(document, operation, parameter)),
            Equivalence::JsonEscapes | Equivalence::JsonOrder => operation.request_body.is_some(),
            // What a charset means for another type, such as `application/merge-patch+json`, is for that type to say.
            Equivalence::MediaTypeCharset => operation.request_body.is_some() && operation.content_type() == JSON,
            Equivalence::SchemeCase => takes_a_token(operation),
        }
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::fact::FactKind;
    use crate::contract::testing::of_paths;

    const ALL: &str = "x-equivalent: [scheme-case, media-type-charset, json-escapes, json-order, identifier-case]";

    fn read(paths: &str, list: &str) -> Result<Contract, String> {
        let contract = of_paths(paths, "").map_err(|defect| defect.to_string())?;
        Contract::read("things.yaml", format!("{list}\n{}", contract.document.text()))
            .map_err(|defect| defect.to_string())
    }

    fn names(contract: &Contract) -> Vec<&str> {
        let facts = contract.facts.iter();
        let facts = facts.filter(|fact| matches!(fact.kind, FactKind::Equivalent(_)));
        facts.map(|fact| fact.name.as_str()).collect()
    }

    #[test]
    fn each_way_applies_to_one_operation_of_the_built_in_contract() {
        let contract = crate::testing::built_in();
        let reported = [
            "getContacts equivalent request: the scheme in lower case",
            "updateContact equivalent request: JSON with escapes",
            "updateContact equivalent request: JSON in another order, with white space",
            "updateContact equivalent request: a charset in the media type",
            "updateContact equivalent request: the UUID in capitals",
        ];
        assert_eq!(names(contract), reported);
        let locations = contract
            .facts
            .iter()
            .filter(|fact| reported.contains(&fact.name.as_str()));
        assert!(
            locations
                .enumerate()
                .all(|(index, fact)| fact.location == format!("/x-equivalent/{index}"))
        );
    }

    #[test]
    fn what_no_request_of_a_contract_can_be_written_in_applies_to_nothing() {
        let path = "/things: {get: {operationId: get, responses: {'200': {description: a}}}}";
        for list in [ALL, ""] {
            assert_eq!(names(&read(path, list).unwrap()), [""; 0], "{list}");
        }
    }

    #[test]
    fn a_way_that_is_unknown_or_appears_twice_is_reported() {
        let path = "/things: {get: {operationId: get, responses: {'200': {description: a}}}}";
        for (list, wanted) in [
            (
                "x-equivalent: [json-tabs]",
                "unknown variant `json-tabs`, expected one of",
            ),
            (
                "x-equivalent: [json-order, json-order]",
                "this kind of equivalent request is listed twice; remove one",
            ),
        ] {
            let message = read(path, list).unwrap_err();
            assert!(message.contains(wanted), "{message}");
        }
    }
}
