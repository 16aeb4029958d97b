//! Answers to gaps that the contract states under `x-answers`, which an overlay adds. The main type is
//! [`StatedAnswer`].

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::defect::{DefectList, Problem};
use super::document::{Document, Node};
use super::fact::{Fact, FactKind};
use super::openapi::{did_you_mean, near};
use super::operation::{Operation, OperationId};
use super::pointer;
use super::vocabulary::Gap;
use super::{OmittedOperation, find_gap, load};

/// The key of the answers at a location.
pub(crate) const ANSWERS_KEY: &str = "x-answers";

/// An answer to a gap that was learned from a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedAnswer {
    /// The index of the gap in the contract.
    pub gap: usize,
    /// The operation whose exchanges showed it.
    pub operation: OperationId,
    /// What it is about: one of the gap's locations.
    pub location: String,
    /// What is claimed, as in an answer of a report: `{"status": 201}`.
    pub claim: Value,
    /// Where the answer is written.
    pub pointer: String,
}

/// The text of an answer in an overlay.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with a gap, an operation and a claim")]
struct AnswerEntry {
    gap: String,
    operation: String,
    claim: Map<String, Value>,
}

/// Reads the answers of a document. One about an operation that is left out is left out too.
pub(super) fn read(
    document: &Document,
    (operations, omitted): (&[Operation], &[OmittedOperation]),
    gaps: &[Gap],
    defects: &mut DefectList,
) -> Vec<StatedAnswer> {
    let mut stated = Vec::new();
    load::collect_keyed_values(&document.root, &mut String::new(), &[ANSWERS_KEY], &mut stated);
    let (mut answers, mut answered) = (Vec::new(), HashSet::new());
    for (at, list) in stated {
        let location = at
            .strip_suffix(ANSWERS_KEY)
            .and_then(|at| at.strip_suffix('/'))
            .unwrap_or_default();
        let mut wrong = |at: &str, message: String| defects.push(document.defect(at, Problem::Vocabulary { message }));
        if list.elements().is_empty() {
            wrong(
                &at,
                format!("`{ANSWERS_KEY}` is a list of answers; write one, or remove it"),
            );
        }
        for (index, node) in list.elements().iter().enumerate() {
            let pointer = pointer::join(&at, &index.to_string());
            let (gap, operation, claim) = match one(node, location, (operations, omitted), gaps) {
                Ok(Some(answer)) => answer,
                Ok(None) => continue,
                Err(message) => {
                    wrong(&pointer, message);
                    continue;
                }
            };
            // Each condition has an answer of its own.
            let condition = claim.get("condition").map(Value::to_string);
            if !answered.insert((gap, operation, location.to_owned(), condition)) {
                let message = "this gap is answered above for the same operation; remove one of the two";
                wrong(&pointer, message.to_owned());
                continue;
            }
            answers.push(StatedAnswer {
                gap,
                operation,
                location: location.to_owned(),
                claim,
                pointer,
            });
        }
    }
    answers
}

/// Reads one answer; `None` where its operation is left out.
fn one(
    node: &Node,
    location: &str,
    (operations, omitted): (&[Operation], &[OmittedOperation]),
    gaps: &[Gap],
) -> Result<Option<(usize, OperationId, Value)>, String> {
    let AnswerEntry { gap, operation, claim } = serde_json::from_value(node.to_value())
        .map_err(|error| format!("the answer cannot be read: {error}; write its `gap`, `operation` and `claim`"))?;
    let index = find_gap(gaps, &gap).map_err(|unknown| {
        let hint = unknown.hint;
        format!("`x-gaps` has no gap `{gap}`{hint}; correct it, or run `countersign learn` again")
    })?;
    if !gaps[index].locations.iter().any(|known| known == location) {
        return Err(format!(
            "`{gap}` leaves nothing open at this location; move the answer, or run `countersign learn` again"
        ));
    }
    if omitted.iter().any(|omitted| omitted.name == operation) {
        return Ok(None);
    }
    match operations.iter().position(|known| known.name == operation) {
        Some(known) => match containing_operation(operations, location) {
            Some(other) if other.name != operation => Err(format!(
                "this location belongs to `{}`; move the answer, or run `countersign learn` again",
                other.name
            )),
            _ => Ok(Some((index, OperationId(known), Value::Object(claim)))),
        },
        None => {
            let hint = did_you_mean(near(&operation, operations.iter().map(|known| known.name.as_str())));
            Err(format!(
                "there is no operation `{operation}`{hint}; correct it, or run `countersign learn` again"
            ))
        }
    }
}

/// Returns the operation that a location is within, if any: a component may belong to several.
pub(crate) fn containing_operation<'own>(operations: &'own [Operation], location: &str) -> Option<&'own Operation> {
    let is_within = |known: &&Operation| {
        let rest = location.strip_prefix(&known.pointer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    operations.iter().find(is_within)
}

/// Adds a fact for each answer: the service still gives it.
pub(super) fn add_facts(answers: &[StatedAnswer], operations: &[Operation], gaps: &[Gap], facts: &mut Vec<Fact>) {
    for (index, answer) in answers.iter().enumerate() {
        let operation = &operations[answer.operation.0];
        let gap = &gaps[answer.gap].id;
        let condition = answer.claim.get("condition").and_then(Value::as_str);
        let condition = condition.map(|condition| format!(" {condition}")).unwrap_or_default();
        let within = containing_operation(operations, &answer.location)
            .and_then(|owner| answer.location.strip_prefix(&owner.pointer));
        let at = match within.unwrap_or(&answer.location) {
            "" => String::new(),
            rest => format!(" at {rest}"),
        };
        facts.push(Fact {
            // The claim is no part of the name, because a later overlay may state another.
            name: format!("{} {gap}{condition}{at}: as learned", operation.name).into(),
            operation: answer.operation,
            kind: FactKind::Answer(index),
            location: pointer::join(&answer.pointer, "claim").into(),
            response_pointer: "".into(),
            documented: in_words(&answer.claim).into(),
        });
    }
}

/// Returns a claim in words: `status: 201`, `takes 20 to 130 ms`.
pub(crate) fn in_words(claim: &Value) -> String {
    if let Some([from, to]) = claim.get("after_ms").and_then(Value::as_array).map(Vec::as_slice) {
        return format!("takes {from} to {to} ms");
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let members = claim.as_object().into_iter().flatten();
    let member = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::Array(elements) if elements.is_empty() => "none".to_owned(),
            // By which fields the entries of an array may refer to a record: each is accepted in place of the others.
            Value::Array(elements) if name == "entries" => {
                let ways = elements.iter().map(|element| format!("by {}", text(element)));
                ways.collect::<Vec<_>>().join(" or ")
            }
            Value::Array(elements) if name == "required" => required_in_words(elements),
            Value::Array(elements) => elements.iter().map(text).collect::<Vec<_>>().join(" "),
            // Ledgers and reports keep the older word. Names of fields come in arrays, so none is changed here.
            Value::String(word) if word == "refused" => "rejected".to_owned(),
            value => text(value),
        };
        let name = match name.as_str() {
            // In a claim about dates, the older name of the format in which responses show them.
            "answered" => "shown in responses".to_owned(),
            name => name.replace('_', " "),
        };
        format!("{name}: {value}")
    };
    members.map(member).collect::<Vec<_>>().join(", ")
}

/// Lists the pointers of required members. If one is in an object that is not itself required, the text says when it is
/// required.
fn required_in_words(pointers: &[Value]) -> String {
    let is_required = |object: &str| pointers.iter().any(|other| other.as_str() == Some(object));
    let pointers = pointers.iter().filter_map(Value::as_str);
    let described = pointers.map(|pointer| match pointer.rsplit_once('/') {
        Some((object, _)) if !object.is_empty() && !is_required(object) => {
            format!("{pointer} (where the object is sent)")
        }
        _ => pointer.to_owned(),
    });
    described.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Contract;
    use crate::contract::defect::Defects;

    const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
x-gaps:
- {id: success-status, question: Which status?, kind: success-status, stated: not-shown}
- {id: conditions, question: Which errors?, kind: error-conditions, stated: silent}
paths:
  /others:
    post: {operationId: createThing2, responses: {2XX: {description: Other}}}
  /things:
    get:
      operationId: getThings
      x-gap: [conditions]
      responses: {2XX: {description: Things, x-gap: [success-status]}}
    post:
      operationId: createThing
      responses: {2XX: {$ref: '#/components/responses/none'}}
";
    /// Where `success-status` is open.
    const STATUS: &str = "$.paths['/things'].get.responses['2XX']";

    fn with_answers(target: &str, answers: &str) -> Contract {
        let document = Document::read("things.yaml", DOCUMENT.to_owned()).unwrap();
        let text = format!(
            "overlay: 1.0.0\nactions:\n- target: {target}\n  update:\n    x-answers:{}\n",
            answers.replace('\n', "\n    ")
        );
        Contract::read_partly_or_empty(document.with_overlay("known.yaml", text).unwrap()).unwrap()
    }

    /// The defects that the overlay adds.
    fn defects(target: &str, answers: &str) -> Vec<String> {
        let defects = with_answers(target, answers).defects.into_iter();
        let of_overlay = defects.filter(|defect| defect.file == "known.yaml");
        of_overlay
            .map(|defect| Defects::new(vec![defect]).unwrap().to_string())
            .collect()
    }

    #[test]
    fn a_claim_says_rejected_and_where_a_member_of_an_object_is_required() {
        for (claim, expected) in [
            (
                json!({"unknown": "refused", "status": 422}),
                "unknown: rejected, status: 422",
            ),
            (json!({"required": []}), "required: none"),
            (
                json!({"required": ["/date_of_birth/day", "/methods/*/type", "/name", "/owner", "/owner/city"]}),
                "required: /date_of_birth/day (where the object is sent), /methods/*/type (where the object is sent), \
                 /name, /owner, /owner/city",
            ),
        ] {
            assert_eq!(in_words(&claim), expected);
        }
    }

    #[test]
    fn an_answer_is_read_with_its_gap_operation_and_location() {
        let answer = "\n- {gap: success-status, operation: getThings, claim: {status: 200}}";
        let contract = with_answers(STATUS, answer);
        let location = "/paths/~1things/get/responses/2XX";
        assert_eq!(
            contract.answers,
            [StatedAnswer {
                gap: 0,
                operation: contract.operation_named("getThings").unwrap(),
                location: location.to_owned(),
                claim: json!({"status": 200}),
                pointer: format!("{location}/x-answers/0"),
            }]
        );
        assert_eq!(defects(STATUS, answer), [""; 0]);
        let fact = contract.facts.iter().find(|fact| fact.kind == FactKind::Answer(0));
        assert_eq!(
            &*fact.unwrap().name,
            "getThings success-status at /responses/2XX: as learned"
        );
    }

    #[test]
    fn an_answer_that_cannot_be_used_is_reported_where_it_is_written() {
        let at = "(/paths/~1things/get/responses/2XX/x-answers";
        for (answers, position, expected) in [
            (
                " []",
                "5:5",
                "): `x-answers` is a list of answers; write one, or remove it",
            ),
            (" {gap: success-status}", "5:5", "): `x-answers` is a list of answers"),
            (
                "\n- {gap: success-status, operation: getThings}",
                "6:7",
                "/0): the answer cannot be read: missing field `claim`",
            ),
            (
                "\n- {gap: success-status, operation: getThings, claim: 200}",
                "6:7",
                "/0): the answer cannot be read: invalid type",
            ),
            (
                "\n- {gap: success-status, operation: getThings, claim: {status: 200}, state: seen}",
                "6:7",
                "/0): the answer cannot be read: unknown field `state`",
            ),
            (
                "\n- {gap: success_status, operation: getThings, claim: {status: 200}}",
                "6:7",
                "/0): `x-gaps` has no gap `success_status` (did you mean `success-status`?); correct it, or run `countersign learn` again",
            ),
            (
                "\n- {gap: conditions, operation: getThings, claim: {status: 200}}",
                "6:7",
                "/0): `conditions` leaves nothing open at this location; move the answer, or run `countersign learn` again",
            ),
            (
                "\n- {gap: success-status, operation: getThing, claim: {status: 200}}",
                "6:7",
                "/0): there is no operation `getThing` (did you mean `getThings`?); correct it, or run `countersign learn` again",
            ),
            (
                "\n- {gap: success-status, operation: createThing2, claim: {status: 200}}",
                "6:7",
                "/0): this location belongs to `getThings`; move the answer, or run `countersign learn` again",
            ),
            (
                "\n- {gap: success-status, operation: getThings, claim: {status: 200}}\n- {gap: success-status, \
                 operation: getThings, claim: {status: 201}}",
                "7:7",
                "/1): this gap is answered above for the same operation; remove one of the two",
            ),
        ] {
            let found = defects(STATUS, answers);
            let expected = format!("known.yaml:{position} {at}{expected}");
            assert!(
                found.len() == 1 && found[0].starts_with(&expected),
                "{answers}: {found:?}"
            );
        }
    }

    #[test]
    fn an_answer_about_an_operation_that_is_left_out_is_left_out_too() {
        let answers = "\n- {gap: success-status, operation: createThing, claim: {status: 201}}\n- {gap: success-status, \
                       operation: getThings, claim: {status: 200}}";
        assert_eq!(defects(STATUS, answers), [""; 0]);
        let contract = with_answers(STATUS, answers);
        assert_eq!(contract.omitted[0].name, "createThing");
        let claims: Vec<_> = contract.answers.iter().map(|answer| &answer.claim).collect();
        assert_eq!(claims, [&json!({"status": 200})]);
    }

    #[test]
    fn each_condition_has_an_answer_of_its_own() {
        let condition = |condition: &str, status: u16| {
            format!(
                "\n- {{gap: conditions, operation: getThings, claim: {{condition: {condition}, status: {status}}}}}"
            )
        };
        let target = "$.paths['/things'].get";
        let two = condition("no-credential", 401) + &condition("unknown-record", 404);
        assert_eq!(defects(target, &two), [""; 0]);
        assert_eq!(with_answers(target, &two).answers.len(), 2);
        let found = defects(target, &(two + &condition("no-credential", 403)));
        assert!(
            found.len() == 1 && found[0].contains("x-answers/2): this gap is answered above"),
            "{found:?}"
        );
    }
}
