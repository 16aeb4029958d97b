//! Compares what was learned about a service, which an overlay of the document states under `x-answers`. The document
//! promises none of it, but the client is generated from it.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::difference::{ClientEffect, Location, Side};
use super::kind::Kind;
use super::operations::{Comparison, OperationPair};
use super::range::Relation;
use super::schemas::FoundDifference;
use crate::contract::document::{Document, Node};
use crate::contract::learned::{ANSWERS_KEY, in_words};
use crate::contract::pointer;

/// The forms of a timestamp that the client has a method for.
const READABLE: [&str; 3] = ["offset", "utc", "utc-fraction"];

/// The answers of a document, by the operation that they are about.
#[derive(Debug, Default)]
pub(super) struct Answers(HashMap<String, Vec<Answer>>);

/// An answer to a gap.
#[derive(Debug)]
struct Answer {
    gap: String,
    /// The pointer to what it is about.
    subject: String,
    /// What the answer says: `{"status": 201}`. `form` is that of a timestamp; `required` and `properties` list the
    /// names of fields.
    claim: Value,
    /// The pointer to the answer itself.
    pointer: String,
}

impl Answers {
    pub(super) fn of(document: &Document) -> Self {
        let mut answers = Self::default();
        answers.visit(&document.root, &mut String::new());
        answers
    }

    fn visit(&mut self, node: &Node, at: &mut String) {
        let members = node
            .members()
            .iter()
            .map(|member| (member.name.to_string(), &member.node));
        let elements = node.elements().iter().enumerate();
        let elements = elements.map(|(index, element)| (index.to_string(), element));
        for (token, inner) in members.chain(elements) {
            let length = at.len();
            pointer::push(at, &token);
            if token == ANSWERS_KEY {
                self.note(inner, &at[..length], at);
            } else {
                self.visit(inner, at);
            }
            at.truncate(length);
        }
    }

    fn note(&mut self, list: &Node, subject: &str, at: &str) {
        for (index, node) in list.elements().iter().enumerate() {
            let text = |name: &str| node.member(name).and_then(Node::string).map(str::to_owned);
            let (Some(gap), Some(operation), Some(claim)) = (text("gap"), text("operation"), node.member("claim"))
            else {
                continue;
            };
            self.0.entry(operation).or_default().push(Answer {
                gap,
                subject: subject.to_owned(),
                claim: claim.to_value(),
                pointer: pointer::join(at, &index.to_string()),
            });
        }
    }

    fn about(&self, operation: Option<&str>) -> &[Answer] {
        operation
            .and_then(|operation| self.0.get(operation))
            .map_or(&[], Vec::as_slice)
    }
}

impl Answer {
    /// Returns what identifies the question. A gap about errors has an answer for each error condition, such as a
    /// missing credential.
    fn question(&self) -> (&str, &str, Option<&Value>) {
        (&self.gap, &self.subject, self.claim.get("condition"))
    }
}

impl<'both> Comparison<'both> {
    /// Compares what was learned about an operation.
    pub(super) fn answers(&mut self, both: OperationPair<'_, 'both>) {
        let (of_old, of_new) = self.answers;
        let was = of_old.about(both.old.at.string("operationId"));
        let is = of_new.about(both.new.at.string("operationId"));
        // Of several answers to one question, the first counts.
        let new_answers: HashMap<_, _> = is.iter().rev().map(|new| (new.question(), new)).collect();
        let old_questions: HashSet<_> = was.iter().map(Answer::question).collect();
        for old in was {
            let new = new_answers.get(&old.question()).copied();
            if new.is_none_or(|new| new.claim != old.claim) {
                self.answer(Some(old), new);
            }
        }
        for new in is.iter().filter(|new| !old_questions.contains(&new.question())) {
            self.answer(None, Some(new));
        }
    }

    fn answer(&mut self, old: Option<&Answer>, new: Option<&Answer>) {
        let Some(either) = old.or(new) else { return };
        let claim =
            |answer: Option<&Answer>| answer.map_or_else(|| "none".to_owned(), |answer| in_words(&answer.claim));
        let location = |answer: Option<&Answer>| match answer {
            Some(answer) => Location::at(answer.pointer.as_str()),
            None => Location::missing_from(either.subject.as_str()),
        };
        let (was, is) = (old.map(|answer| &answer.claim), new.map(|answer| &answer.claim));
        let found = FoundDifference {
            kind: Kind::Answer,
            relation: match (old, new) {
                (Some(_), Some(_)) => Relation::Unclear("no document promises what was learned"),
                _ => Relation::Harmless,
            },
            client: effect(was, is),
            text: format!("the answer to `{}` was {}, is {}", either.gap, claim(old), claim(new)),
        };
        self.emit(side(either), found, (location(old), location(new)));
    }
}

/// Returns which side of an operation an answer is about.
fn side(answer: &Answer) -> Side {
    let has = |member: &str| answer.claim.get(member).is_some();
    if has("required") {
        Side::Request
    } else if has("body") || has("form") {
        Side::Response
    } else {
        Side::Operation
    }
}

/// Returns what it means for the client that the claim of an answer changed.
fn effect(was: Option<&Value>, is: Option<&Value>) -> ClientEffect {
    let names = |claim: Option<&Value>, member: &str| -> BTreeSet<String> {
        let names = claim.and_then(|claim| claim.get(member)?.as_array());
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    let is_readable = |claim: Option<&Value>| {
        let form = claim.and_then(|claim| claim.get("form")?.as_str());
        form.is_some_and(|form| READABLE.contains(&form))
    };
    let is_object = |claim: Option<&Value>| claim.is_some_and(|claim| claim["body"] == "object");
    let (returned, returns) = (names(was, "properties"), names(is, "properties"));
    let is_typed = |claim: Option<&Value>, names: &BTreeSet<String>| is_object(claim) && !names.is_empty();
    if names(was, "required") != names(is, "required") || is_typed(was, &returned) != is_typed(is, &returns) {
        ClientEffect::Major
    } else if is_typed(was, &returned) && returned != returns {
        if returned.is_subset(&returns) {
            ClientEffect::Minor
        } else {
            ClientEffect::Major
        }
    } else {
        match (is_readable(was), is_readable(is)) {
            (true, false) => ClientEffect::Major,
            (false, true) => ClientEffect::Minor,
            _ => ClientEffect::None,
        }
    }
}
