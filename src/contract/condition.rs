//! Finds the updates that certainly fail if their record is not in the state that the caller names: with `If-Match`
//! (RFC 9110, section 13.1.1).

use super::Contract;
use super::field::{is_flagged, is_string};
use super::lexicon::alphanumeric_words;
use super::load::resolve;
use super::operation::{OperationId, Parameter, ParameterLocation};
use super::plain_operation::names_of;
use super::texts::{About, any_says};

/// The words of a text that says no more of `If-Match` than that the entity tag must be that of the record.
const OF_CONDITIONS: [&str; 55] = [
    "a", "according", "an", "and", "another", "as", "by", "changed", "concurrency", "control", "current", "different",
    "differs", "entity", "etag", "expected", "failed", "fails", "from", "given", "has", "have", "header", "if", "in",
    "is", "it", "its", "known", "last", "latest", "locking", "match", "matches", "meanwhile", "met", "modified",
    "must", "of", "only", "optimistic", "precondition", "read", "record", "resource", "returned", "since", "stale",
    "state", "tag", "that", "the", "this", "version", "was",
];

/// More of them, in the description of the 412.
const OF_FAILURES: [&str; 5] = ["been", "do", "does", "no", "not"];

impl Contract {
    /// Returns the index of the optional header `If-Match` of an update that documents a 412, if no text says more of it
    /// than that the entity tag must be that of the record.
    pub(crate) fn plain_condition(&self, update: OperationId) -> Option<usize> {
        let operation = self.operation(update);
        let mut headers = operation.parameters.iter().enumerate().filter(|(_, parameter)| {
            parameter.location == ParameterLocation::Header && parameter.name.to_ascii_lowercase().starts_with("if-")
        });
        let (index, condition) = headers.next().filter(|(_, header)| self.is_plain_condition(header))?;
        let failure = operation.response_of_exactly(412)?;
        let names = names_of(operation);
        let only_says = |at: String, more: &[&str]| {
            let node = self.document.node(&resolve(&self.document, at));
            let described = node.and_then(|node| node.text_of("description"));
            let described = described.unwrap_or_default().to_lowercase();
            let is_known = |word: &str| {
                OF_CONDITIONS.contains(&word) || more.contains(&word) || names.iter().any(|name| name == word)
            };
            alphanumeric_words(&described).all(is_known)
        };
        let is_plain = only_says(condition.pointer.clone(), &[])
            && condition.schema.clone().is_none_or(|schema| only_says(schema, &[]))
            && only_says(failure.pointer.clone(), &OF_FAILURES);
        let speaks = any_says(&self.document, operation, |about| match about {
            About::Operation
            | About::Path
            | About::Tags
            | About::Parts
            | About::Whole
            | About::Scopes
            | About::Document => Some(&speaks_of_conditions),
            // The header and the 412 are read above, and a record may have tags.
            About::Parameters
            | About::Choices
            | About::Responses
            | About::Required
            | About::Schemas
            | About::Returned => None,
        });
        let is_only = headers.next().is_none();
        (is_plain && is_only && !speaks).then_some(index)
    }

    fn is_plain_condition(&self, header: &Parameter) -> bool {
        let node = |at: &str| self.document.node(&resolve(&self.document, at.to_owned()));
        let is_deprecated = |at: &str| node(at).is_some_and(|node| is_flagged(node, "deprecated"));
        let schema = header.schema.as_deref();
        header.name.eq_ignore_ascii_case("If-Match")
            && header.set_by_user.is_none()
            && !header.required
            && !is_deprecated(&header.pointer)
            && schema.is_some_and(|schema| !is_deprecated(schema) && node(schema).is_some_and(is_string))
    }
}

/// Whether a text about something else speaks of entity tags, or of conditions.
fn speaks_of_conditions(text: &str) -> bool {
    let text = text.to_lowercase();
    let parts = ["if-match", "optimistic", "precondition", "writer"];
    let mut words = alphanumeric_words(&text);
    parts.iter().any(|part| text.contains(part))
        || words.any(|word| ["412", "etag", "etags", "tag", "tags"].contains(&word))
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::operation::OperationId;
    use crate::contract::testing::of_paths;

    /// Whether an update of an order takes a plain condition, by what is written of its header, of its 412 and of the
    /// service.
    fn is_plain(headers: &str, failure: &str, info: &str) -> bool {
        let text = format!(
            "openapi: 3.0.3
info: {{title: Orders, version: '1'{info}}}
paths:
  /orders/{{order_id}}:
    parameters: [{{name: order_id, in: path, required: true, schema: {{type: integer}}}}]
    put:
      operationId: putOrder
      parameters: [{headers}]
      responses: {{'204': {{description: Replaced.}}, '412': {{description: '{failure}'}}}}
"
        );
        let contract = Contract::read("orders.yaml", text).unwrap_or_else(|defects| panic!("{defects}"));
        contract.plain_condition(OperationId(0)).is_some()
    }

    fn header(rest: &str) -> String {
        format!("{{name: If-Match, in: header, {rest}}}")
    }

    #[test]
    fn a_condition_is_plain_if_texts_say_only_that_the_tag_must_match() {
        for (rest, failure) in [
            ("schema: {type: string}", "Precondition failed"),
            (
                "schema: {type: string}, description: Entity tag that the order must have.",
                "The order has changed since.",
            ),
            (
                "schema: {type: string}, description: The known ETag.",
                "The tag does not match.",
            ),
        ] {
            assert!(is_plain(&header(rest), failure, ""), "{rest} {failure}");
        }
    }

    #[test]
    fn any_other_word_leaves_open_whether_the_condition_counts() {
        let string = "schema: {type: string}";
        for said in [
            "Ignored.",
            "Reserved for a later version.",
            "Optional; ignored while the order is a draft.",
            "Checked if the account has optimistic locking.",
            "Need not match.",
            "The tag does not have to match.",
        ] {
            assert!(
                !is_plain(&header(&format!("{string}, description: '{said}'")), "Changed.", ""),
                "{said}"
            );
        }
        let failures = [
            "`If-Unmodified-Since` does not hold.",
            "The terms have not been accepted.",
            "The order exists.",
        ];
        for failure in failures {
            assert!(!is_plain(&header(string), failure, ""), "{failure}");
        }
        assert!(!is_plain(&header(&format!("{string}, deprecated: true")), "", ""));
        assert!(!is_plain(&header("schema: {type: integer}"), "", ""));
        assert!(!is_plain(&header("required: true, schema: {type: string}"), "", ""));
        assert!(!is_plain(&header(string), "", ", description: Entity tags are weak."));
        let second = "{name: If-None-Match, in: header, schema: {type: string}}";
        assert!(!is_plain(&format!("{}, {second}", header(string)), "", ""));
    }

    #[test]
    fn a_text_about_the_body_as_a_whole_may_speak_of_conditions() {
        let is_plain = |of_body: &str| {
            let schema = format!("schema: {{type: object, description: '{of_body}'}}");
            let id = "{name: id, in: path, required: true, schema: {type: integer}}";
            let condition = header("schema: {type: string}");
            let body = format!("requestBody: {{content: {{application/json: {{{schema}}}}}}}");
            let responses = "responses: {'204': {description: a}, '412': {description: Changed.}}";
            let put = format!("{{parameters: [{condition}], {body}, {responses}}}");
            let paths = format!("/orders/{{id}}:\n  parameters: [{id}]\n  put: {put}\n");
            let contract = of_paths(&paths, "").unwrap_or_else(|defects| panic!("{defects}"));
            contract.plain_condition(OperationId(0)).is_some()
        };
        assert!(is_plain("An order."));
        assert!(!is_plain("Drafts are written without optimistic locking."));
    }
}
