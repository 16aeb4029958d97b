//! Recognises creates that do more than create a record, or something else: `POST /payments`, "Ends all other sessions". The
//! main function is [`reason_against_create`].
//!
//! # Design
//!
//! Nothing but words says so. A path says it by the name of its collection, where that names what cannot be undone by
//! deleting a record: money that moves, a message that reaches a person, something destroyed or restarted. A sentence says
//! it if it has a verb for an end or a replacement and a word for records other than the new one (`existing`, `previous`,
//! `others`), or joins the two in "create or replace". Many collections are left out of this on purpose (`messages`,
//! `jobs`, `orders`): their records are what a check is for, and `--writes` is a decision to create some.

use super::document::Document;
use super::operation::Operation;
use super::query::{begins_with_action, is_form_of, names_what_it_takes, said, says_it_takes_away, sentences, stated};
use super::query::{without_prefixes, words};

/// Names of collections, in the singular, in which a create has an effect that outlasts its record.
const OUTLASTING: [&str; 44] = [
    "blast",
    "broadcast",
    "cancellation",
    "capture",
    "charge",
    "chargeback",
    "deletion",
    "deposit",
    "disbursement",
    "dispute",
    "donation",
    "email",
    "erasure",
    "eviction",
    "fax",
    "flush",
    "invalidation",
    "invitation",
    "invite",
    "logout",
    "newsletter",
    "password-reset",
    "payment",
    "payout",
    "purchase",
    "purge",
    "reboot",
    "refund",
    "reset",
    "restart",
    "restore",
    "revocation",
    "rollback",
    "shutdown",
    "signout",
    "sms",
    "suspension",
    "termination",
    "transfer",
    "truncation",
    "wipe",
    "wire",
    "withdrawal",
    "writeoff",
];

/// Verbs for what a create may do to records that were there before.
const ENDS_OR_REPLACES: [&str; 25] = [
    "archive",
    "cancel",
    "clear",
    "close",
    "deactivate",
    "delete",
    "disable",
    "discard",
    "drop",
    "end",
    "expire",
    "invalidate",
    "lose",
    "overwrite",
    "overwritten",
    "purge",
    "remove",
    "replace",
    "reset",
    "revoke",
    "supersede",
    "suspend",
    "terminate",
    "unset",
    "wipe",
];

/// Words for records that were there before.
const OTHERS: [&str; 14] = [
    "already",
    "current",
    "earlier",
    "existed",
    "existing",
    "exists",
    "former",
    "old",
    "older",
    "other",
    "others",
    "previous",
    "previously",
    "prior",
];

/// Words that say that something does not happen.
const NEGATIONS: [&str; 6] = ["cannot", "fails", "never", "not", "rejected", "without"];

/// Returns why a create may change more than the record that it creates; `None` if nothing in the document says so.
#[must_use]
pub(crate) fn reason_against_create(document: &Document, operation: &Operation) -> Option<&'static str> {
    let mut segments = operation.path.rsplit('/');
    let collection = segments.find(|segment| !segment.is_empty() && !segment.starts_with('{'));
    if collection.is_some_and(outlasts_its_record) {
        return Some(
            "its path suggests an effect that remains when the record is deleted, such as a payment or an e-mail",
        );
    }
    let name = stated(document, operation, "operationId").map(words);
    if name.is_some_and(|words| begins_with_action(&words) || names_what_it_takes(&words)) {
        return Some("its operationId suggests a side effect");
    }
    let summary = said(document, operation).next().map(without_prefixes);
    if summary.is_some_and(|words| begins_with_action(&words) || says_it_takes_away(&words)) {
        return Some("its summary suggests a side effect");
    }
    let changes_others = said(document, operation)
        .flat_map(sentences)
        .any(|sentence| changes_others(&words(sentence)));
    changes_others.then_some("the document says that it may change records that were there before")
}

/// Whether the last words of a segment name what outlasts a record: `payments`, `bulk-refunds`.
fn outlasts_its_record(segment: &str) -> bool {
    let words = words(segment);
    let is_one = |word: &str| {
        OUTLASTING.iter().any(|name| {
            let rest = word.strip_prefix(name);
            rest.is_some_and(|rest| ["", "s", "es"].contains(&rest))
        })
    };
    let last = words.last().is_some_and(|last| is_one(last));
    last || words.windows(2).next_back().is_some_and(|pair| is_one(&pair.join("-")))
}

/// Whether a sentence says that records which were there before are ended or replaced, or may be.
fn changes_others(words: &[String]) -> bool {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    // The end of a list is no verb.
    let verbs = words.iter().filter(|word| *word != "end");
    let ends_or_replaces = verbs
        .into_iter()
        .any(|word| ENDS_OR_REPLACES.iter().any(|verb| is_form_of(word, verb)));
    let is_no_longer = words.windows(2).any(|pair| pair[0] == "no" && pair[1] == "longer");
    let creates_or = words.windows(3).any(|three| {
        let second = ["overwrite", "replace", "update"];
        let is_first = ["add", "create", "insert"]
            .iter()
            .any(|verb| is_form_of(&three[0], verb));
        is_first && three[1] == "or" && second.iter().any(|verb| is_form_of(&three[2], verb))
    });
    let upserts = words.iter().any(|word| is_form_of(word, "upsert"));
    let others = has(&OTHERS) && (ends_or_replaces || is_no_longer) && !has(&NEGATIONS);
    upserts || creates_or || others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    fn is_suspect(path: &str, said: &str) -> bool {
        let text = format!("{path}:\n  post: {{{said}responses: {{'201': {{description: a}}}}}}\n");
        let contract = of_paths(&text, "").unwrap_or_else(|defect| panic!("{defect}"));
        reason_against_create(&contract.document, &contract.operations[0]).is_some()
    }

    #[test]
    fn a_collection_of_what_cannot_be_undone_is_no_collection_of_records() {
        for path in [
            "/payments",
            "/invoices/{id}/refunds",
            "/bulk-payments/",
            "/users/password_resets",
            "/sms",
            "/faxes",
            "/shutdowns",
        ] {
            assert!(is_suspect(path, ""), "{path}");
        }
        for path in [
            "/pets",
            "/messages",
            "/orders",
            "/payment-methods",
            "/email-addresses",
            "/jobs",
            "/sessions",
            "/transfer-rules",
            "/resettlements",
        ] {
            assert!(!is_suspect(path, ""), "{path}");
        }
    }

    #[test]
    fn a_sentence_that_ends_or_replaces_other_records_speaks_against_a_create() {
        for said in [
            "Only one may exist: creating one replaces the existing one.",
            "Creating a record discards all previous records.",
            "If one exists already, it is overwritten.",
            "Any older record is archived.",
            "Upserts by name.",
            "A new record ends all other records of the account.",
            "Creates or replaces the record of the account.",
            "Create or update a record",
            "The new record becomes the default, and the former default is no longer it.",
            "Pay an invoice",
            "Logs out and creates a record",
            "Reset the items",
        ] {
            assert!(is_suspect("/things", &format!("description: \"{said}\", ")), "{said}");
            let text = format!("summary: Create a thing, description: \"It has a name. {said}\", ");
            let begins = ["Pay", "Logs", "Reset"].iter().any(|verb| said.starts_with(verb));
            assert_eq!(is_suspect("/things", &text), !begins, "{said}");
        }
        for said in [
            "Creates a thing.",
            "Fails with 409 if another thing with this name exists.",
            "Existing things are not replaced.",
            "Creates a thing for an existing user.",
            "Create a new database with the name given. It can be deleted later.",
            "Send a message to the current channel.",
            "Add a thing to the end of the list, after the other things.",
            "Place an order.",
        ] {
            assert!(!is_suspect("/things", &format!("description: \"{said}\", ")), "{said}");
        }
    }

    #[test]
    fn a_name_may_say_what_a_create_does() {
        for (name, suspect) in [
            ("payInvoice", true),
            ("deletePets", true),
            ("createPet", false),
            ("addToCart", false),
        ] {
            assert_eq!(
                is_suspect("/things", &format!("operationId: {name}, ")),
                suspect,
                "{name}"
            );
        }
    }
}
