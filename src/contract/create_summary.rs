//! Reads what the summary and the name of a create say that it makes: a record of its collection ("Add a note"), or
//! something that reaches somebody ("Send message", "Grant a permission"). The main functions are
//! [`is_said_to_make_a_plain_record`] and [`reaches_or_grants`].
//!
//! # Design
//!
//! A create whose record only a list shows is never updated and never deleted, so less is taken on trust: it must be
//! said to be a create, or its records must be of a kind that does nothing. For any other create, a first word that
//! sends, grants or starts something speaks against it, whatever the collection is called, because the call does it.

use super::document::Document;
use super::lexicon::{
    DETERMINERS, MESSAGES, PREPOSITIONS, camel_case_words, is_base_or_third_person, is_in, singular, without_prefixes,
};
use super::operation::Operation;
use super::texts::stated;

/// Verbs for creating a record.
pub(super) const CREATES: [&str; 7] = ["add", "create", "insert", "new", "register", "save", "store"];

/// Records that do nothing and tell nobody anything, in the singular.
const PLAIN: [&str; 13] = [
    "annotation", "attribute", "bookmark", "category", "comment", "entry", "item", "label", "memo", "note", "remark",
    "tag", "todo",
];

/// What gives access or reaches somebody, in the singular: a record of it is itself the effect.
const ACTS_OF_ACCESS_OR_SPEECH: [&str; 16] = [
    "admin", "delivery", "download", "fine", "follow", "follower", "forward", "grant", "like", "member", "outbox",
    "permission", "publication", "release", "session", "share",
];

/// Verbs for sending, granting or starting something: first those that are never a noun, then those that are one too.
pub(super) const REACHES_OR_GRANTS: [&str; 11] = [
    "appoint", "rotate", "send", "subscribe", "broadcast", "contact", "deploy", "dispatch", "forward", "grant", "relay",
];

/// Returns the words of the collection that a path ends with, the last one in the singular.
pub(super) fn words_of_collection(path: &str) -> Vec<String> {
    let segments = path.rsplit('/').filter(|segment| !segment.is_empty());
    let last = segments.into_iter().find(|segment| !segment.starts_with('{'));
    let mut words = last.map(camel_case_words).unwrap_or_default();
    if let Some(last) = words.last_mut() {
        *last = singular(last);
    }
    words
}

/// Whether a summary or an `operationId` begins with a verb for creating, followed by the noun of the collection ("Add
/// a comment" for `/comments`), or the collection is of records that do nothing, such as notes.
#[must_use]
pub(crate) fn is_said_to_make_a_plain_record(document: &Document, operation: &Operation) -> bool {
    let collection = words_of_collection(&operation.path);
    let Some(noun) = collection.last() else { return false };
    let mut said = ["summary", "operationId"]
        .into_iter()
        .filter_map(|key| stated(document, operation, key));
    let is_named = said.any(|text| makes(&without_prefixes(text), noun));
    is_in(&[&PLAIN], noun) || is_named && !is_in(&[&ACTS_OF_ACCESS_OR_SPEECH], noun)
}

/// Whether words begin with a verb for creating and an object that is or contains a noun: "Create a circuit note".
fn makes(words: &[String], noun: &str) -> bool {
    let [verb, object @ ..] = words else { return false };
    let is_in_object = |word: &&String| !PREPOSITIONS.contains(&word.as_str());
    let mut object = object.iter().take_while(is_in_object).take(5);
    CREATES.iter().any(|create| is_base_or_third_person(verb, create)) && object.any(|word| singular(word) == noun)
}

/// Whether a summary begins with a verb for sending, granting or starting something, whatever is created: "Send
/// message", "Grant a permission", "Deploy a version". "Deploy key" for `/deploy-keys` names a thing, and
/// "Post a comment" for `/comments` creates one.
pub(super) fn reaches_or_grants(words: &[String], path: &str) -> bool {
    const OBJECTS: [&str; 5] = ["me", "somebody", "someone", "to", "us"];
    let [verb, rest @ ..] = words else { return false };
    let is_one_of = |verbs: &[&str]| verbs.iter().any(|known| is_base_or_third_person(verb, known));
    let (never_a_noun, nouns_too) = REACHES_OR_GRANTS.split_at(4);
    let is_third_person = verb.ends_with('s');
    let next = rest.first().map_or("", String::as_str);
    let has_object = DETERMINERS.contains(&next) || OBJECTS.contains(&next);
    let collection = words_of_collection(path);
    // "Contact" or "Grant type" is a thing; "Forward message" for `/messages` has the collection as its object.
    let is_of_collection = collection.last().is_some_and(|noun| singular(next) == *noun);
    let is_named_like_verb = collection
        .first()
        .is_some_and(|first| first == verb || singular(verb) == *first);
    is_one_of(never_a_noun) && !rest.is_empty() && (!is_third_person || has_object || verb == "sends")
        || is_one_of(nouns_too) && (has_object || is_of_collection && !is_named_like_verb)
        || is_one_of(&["post"]) && is_posted_to_somebody(rest, &collection)
}

/// Whether what follows "Post" is addressed to somebody: "a message to the channel", but not "a comment to an issue"
/// for `/comments`.
fn is_posted_to_somebody(object: &[String], collection: &[String]) -> bool {
    let Some(to) = object.iter().take(6).position(|word| word == "to") else {
        return false;
    };
    let object = &object[..to];
    let is_message = |word: &String| word == "message" || MESSAGES.contains(&word.as_str());
    let is_of_collection = |word: &String| collection.last().is_some_and(|noun| singular(word) == *noun);
    to > 0 && (object.iter().any(is_message) || !object.iter().any(is_of_collection))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    #[test]
    fn a_plain_record_is_made_by_its_kind_or_by_what_is_said_of_it() {
        let is_plain = |path: &str, said: &str| {
            let text = format!("{path}:\n  post: {{{said}responses: {{'201': {{description: a}}}}}}\n");
            let contract = of_paths(&text, "").unwrap_or_else(|defect| panic!("{defect}"));
            is_said_to_make_a_plain_record(&contract.document, &contract.operations[0])
        };
        for (path, said) in [
            ("/notes", ""),
            ("/circuits/{id}/order-items", ""),
            ("/categories", ""),
            ("/boards", "summary: Create a board, "),
            ("/boards", "summary: Creates a new board for the team, "),
            ("/boards", "operationId: createBoard, "),
            ("/v1/boards/", "operationId: add_board_v1_boards_post, "),
            ("/messages", "summary: Create a message, "),
        ] {
            assert!(is_plain(path, said), "{path} {said}");
        }
        for (path, said) in [
            ("/boards", ""),
            ("/boards", "summary: Board, "),
            ("/boards", "summary: Add a user to the board, "),
            ("/boards", "summary: Start a board, operationId: boards_create, "),
            ("/note-deliveries", "summary: Create a delivery, "),
            ("/shares", "summary: Create a share, "),
            ("/likes", "operationId: addLike, "),
        ] {
            assert!(!is_plain(path, said), "{path} {said}");
        }
    }

    #[test]
    fn a_verb_that_sends_or_grants_acts_unless_it_names_a_thing() {
        let acts = |summary: &str, path: &str| reaches_or_grants(&camel_case_words(summary), path);
        for (summary, path) in [
            ("Send message", "/messages"),
            ("Sends a message", "/messages"),
            ("Send an invoice", "/invoices"),
            ("Post a message to the channel", "/messages"),
            ("Broadcast a text", "/texts"),
            ("Appoint an admin", "/admins"),
            ("Grant a permission", "/permissions"),
            ("Dispatch a driver", "/drivers"),
            ("Deploy a version", "/versions"),
            ("Deploy version", "/versions"),
            ("Rotate key", "/keys"),
            ("Subscribe to the newsletter", "/readers"),
            ("Contact us", "/requests"),
            ("Forward a message", "/messages"),
        ] {
            assert!(acts(summary, path), "{summary}");
        }
        for (summary, path) in [
            ("Deploy key", "/deploy-keys"),
            ("Contact", "/contacts"),
            ("Contact creation", "/contacts"),
            ("Grant type", "/grant-types"),
            ("Create a grant", "/grants"),
            ("Post a comment", "/comments"),
            ("Post a comment to an issue", "/issues/{id}/comments"),
            ("Post File", "/files"),
            ("Place an order", "/orders"),
            ("Create a message", "/messages"),
            ("Forward rule", "/forward-rules"),
        ] {
            assert!(!acts(summary, path), "{summary}");
        }
    }
}
