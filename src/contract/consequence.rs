//! Recognises sentences about a write that say what else happens: "Others are deactivated", "The service restarts", "The
//! customer is notified by e-mail". The main function is [`says_consequence`].
//!
//! # Design
//!
//! The evidence is the subject of a sentence, or of its main clause: where records other than that of the path, persons
//! or the service itself are the subject of a verb that changes them, the write does more than it says. The same holds
//! where they are the object of such a verb at the beginning ("Replaces all other rules"). The fields of a record are no
//! others: "All fields are replaced" is what a PUT does. A condition, a negation or a relative clause names what may be
//! the case, not what the call does.

use super::query::{DETERMINERS, PASSIVE, is_action, words};

/// First words of a subject other than the record itself.
const OTHERS: [&str; 17] = [
    "all",
    "any",
    "children",
    "customers",
    "everybody",
    "everyone",
    "existing",
    "followers",
    "its",
    "later",
    "members",
    "open",
    "others",
    "related",
    "subscribers",
    "subsequent",
    "users",
];

/// Participles of what is done to somebody else, or to other records.
const CHANGED: [&str; 28] = [
    "archived",
    "canceled",
    "cancelled",
    "closed",
    "deactivated",
    "deleted",
    "demoted",
    "detached",
    "disabled",
    "disconnected",
    "ended",
    "logged",
    "moved",
    "notified",
    "paused",
    "purged",
    "put",
    "reassigned",
    "refunded",
    "removed",
    "renumbered",
    "restarted",
    "revoked",
    "shifted",
    "signed",
    "stopped",
    "terminated",
    "unassigned",
];

/// Words for the parts of a record, which are not other records.
const PARTS: [&str; 21] = [
    "attribute",
    "attributes",
    "characters",
    "data",
    "elements",
    "field",
    "fields",
    "items",
    "keys",
    "labels",
    "lines",
    "metadata",
    "options",
    "parameters",
    "properties",
    "property",
    "settings",
    "spaces",
    "tags",
    "value",
    "values",
];

/// Words for what runs the interface.
const SERVICES: [&str; 11] = [
    "application",
    "cluster",
    "container",
    "daemon",
    "device",
    "host",
    "machine",
    "node",
    "server",
    "service",
    "system",
];

/// Words for records that belong to others, or that fit a condition.
const RELATED: [&str; 9] = [
    "associated",
    "children",
    "dependent",
    "duplicate",
    "duplicates",
    "matching",
    "other",
    "others",
    "related",
];

/// Verbs for what is done to records, where a sentence begins with one.
const CHANGES: [&str; 14] = [
    "archive",
    "assign",
    "close",
    "deactivate",
    "demote",
    "disable",
    "merge",
    "move",
    "overwrite",
    "reassign",
    "recalculate",
    "replace",
    "stop",
    "update",
];

/// Words for messages that reach a person.
const MESSAGES: [&str; 8] = [
    "cancellation",
    "email",
    "invitation",
    "mail",
    "notification",
    "notifications",
    "reminder",
    "sms",
];

/// Roles that at most one record can have.
pub(super) const ROLES: [&str; 26] = [
    "activation",
    "active",
    "canonical",
    "captain",
    "cover",
    "current",
    "default",
    "featured",
    "head",
    "leader",
    "live",
    "main",
    "master",
    "order",
    "owner",
    "pinned",
    "position",
    "preferred",
    "primary",
    "production",
    "rank",
    "selected",
    "star",
    "successor",
    "turn",
    "winner",
];

/// Words that make the verb after them a possibility rather than a statement.
const IS_NO_FACT: [&str; 19] = [
    "can", "cannot", "could", "if", "may", "must", "never", "no", "not", "should", "that", "unless", "until", "when",
    "where", "whether", "which", "who", "whose",
];

/// Whether a sentence about a write says that something happens to other records, to somebody, or to the service.
pub(super) fn says_consequence(sentence: &str) -> bool {
    sentence
        .split([',', ';', ':', '(', ')'])
        .map(words)
        .any(|clause| match clause.as_slice() {
            [first, rest @ ..] if ["also", "and", "then"].contains(&first.as_str()) => is_consequence(rest),
            clause => is_consequence(clause),
        })
}

fn is_consequence(clause: &[String]) -> bool {
    changes_related(clause)
        || cascades(clause)
        || others_are_changed(clause)
        || restarts(clause)
        || becomes_the_one(clause)
        || charges_or_refunds(clause)
        || reaches_somebody(clause)
}

/// Whether a summary gives a record a role that only one can have: "Make a photo the cover of the album", "Declare the winner".
pub(super) fn makes_the_one(summary: &[String]) -> bool {
    let [verb, object, rest @ ..] = summary else {
        return false;
    };
    let is_verb = |verbs: &[&str]| verbs.contains(&verb.strip_suffix('s').unwrap_or(verb));
    let has_object = DETERMINERS.contains(&object.as_str());
    let of_one = |word: &String| word == "the" || ROLES.contains(&word.as_str());
    has_object && (is_verb(&["make"]) && rest.iter().any(of_one) || is_verb(&["appoint", "declare", "elect"]))
}

/// Whether the words before a verb leave it a fact.
fn is_fact(before: &[String]) -> bool {
    !before.iter().any(|word| IS_NO_FACT.contains(&word.as_str()))
}

/// Whether words begin like "Deletes matching entries", "Replaces all other rules" or "Moves all cards".
fn changes_related(words: &[String]) -> bool {
    let [verb, object @ ..] = words else { return false };
    let base = verb.strip_suffix('s').unwrap_or(verb);
    let changes = is_action(base) || CHANGES.contains(&base);
    let is_part = |index: usize| {
        object
            .get(index + 1)
            .is_some_and(|word| PARTS.contains(&word.as_str()) || word == "than")
    };
    let is_related =
        |index: usize| object.get(index).is_some_and(|word| RELATED.contains(&word.as_str())) && !is_part(index);
    let moves_all = ["assigns", "closes", "moves", "reassigns", "stops"].contains(&verb.as_str())
        && object
            .first()
            .is_some_and(|word| ["all", "every"].contains(&word.as_str()))
        && !is_part(0);
    moves_all || changes && (0..3).any(is_related)
}

/// Whether words say that a change goes on below the record: "Cascades to children".
fn cascades(words: &[String]) -> bool {
    words.iter().position(|word| word == "cascades").is_some_and(|at| {
        let goes_on = words
            .get(at + 1)
            .is_none_or(|next| ["down", "to"].contains(&next.as_str()));
        goes_on && is_fact(&words[..at])
    })
}

/// Whether other records or persons are changed: "Its tickets are deleted too", "Everyone is signed out".
fn others_are_changed(words: &[String]) -> bool {
    let Some(first) = words.first().filter(|first| OTHERS.contains(&first.as_str())) else {
        return false;
    };
    // What comes later in an order is no part of the record.
    let follows_it = ["later", "subsequent"].contains(&first.as_str());
    let ends = matches!(words, [.., subject, end] if subject == "sessions" && end == "end");
    ends || (1..words.len().min(10)).any(|at| {
        let is_done = PASSIVE.contains(&words[at - 1].as_str()) && CHANGED.contains(&words[at].as_str());
        let subject = &words[..at - 1];
        let next = words.get(at + 1).map_or("", String::as_str);
        let is_complete = match words[at].as_str() {
            "logged" | "signed" => next == "off" || next == "out",
            "put" => ["in", "into", "on"].contains(&next),
            _ => true,
        };
        is_done
            && is_complete
            && is_fact(subject)
            && (follows_it || !subject.iter().any(|word| PARTS.contains(&word.as_str())))
    })
}

/// Whether words say that what runs the interface starts again or stops: "The service restarts", "Stops the server".
fn restarts(words: &[String]) -> bool {
    let is_service = |word: &String| SERVICES.contains(&word.as_str());
    let is_verb = |word: &String| ["reboots", "reloads", "restarts", "stops"].contains(&word.as_str());
    let is_done = |word: &String| ["rebooted", "reloaded", "restarted", "stopped"].contains(&word.as_str());
    match words {
        [verb, the, what, ..] if is_verb(verb) && DETERMINERS.contains(&the.as_str()) => is_service(what),
        [the, what, verb, ..] if the == "the" && is_service(what) && is_verb(verb) => true,
        [the, what, is, verb, ..] if the == "the" && is_service(what) && is == "is" => is_done(verb),
        _ => false,
    }
}

/// Whether the record becomes what another one was: "This becomes the current version".
fn becomes_the_one(words: &[String]) -> bool {
    let at = words.iter().position(|word| word == "becomes" || word == "become");
    let Some(at) = at.filter(|at| is_fact(&words[..*at])) else {
        return false;
    };
    let is_one = |word: &String| ROLES.contains(&word.as_str()) || word == "latest" || word == "new";
    match &words[at + 1..] {
        [the, one, ..] if the == "the" => is_one(one),
        [one, ..] => ["default", "leader", "main", "primary"].contains(&one.as_str()),
        [] => false,
    }
}

/// Whether money moves: "A refund is issued", "The fee is charged".
fn charges_or_refunds(words: &[String]) -> bool {
    const MONEY: [&str; 8] = [
        "account", "amount", "balance", "card", "credits", "customer", "fee", "refund",
    ];
    const MOVED: [&str; 8] = [
        "billed", "charged", "consumed", "debited", "deducted", "issued", "reduced", "refunded",
    ];
    let is_money = |word: &String| MONEY.contains(&word.as_str());
    words.windows(2).enumerate().any(|(at, pair)| {
        let is_moved = ["are", "be", "is"].contains(&pair[0].as_str()) && MOVED.contains(&pair[1].as_str());
        is_moved && at <= 5 && words[..at].iter().any(is_money) && is_fact(&words[..at])
    })
}

/// Whether somebody gets a message: "The user receives an e-mail", "The customer is notified".
fn reaches_somebody(words: &[String]) -> bool {
    let is_message = |word: &String| MESSAGES.contains(&word.as_str());
    let sends = words
        .first()
        .is_some_and(|first| ["emails", "mails", "notifies", "sends"].contains(&first.as_str()));
    let begins = sends && (words[0] == "notifies" || words.iter().skip(1).take(4).any(is_message));
    begins
        || words.windows(2).enumerate().any(|(at, pair)| {
            let (verb, next) = (pair[0].as_str(), pair[1].as_str());
            let rest = &words[at + 1..];
            let is_told = ["are", "is"].contains(&verb) && ["emailed", "notified"].contains(&next);
            let gets = ["gets", "receive", "receives"].contains(&verb) && ["a", "an"].contains(&next);
            let is_sent = ["are", "is"].contains(&verb)
                && ["mailed", "sent"].contains(&next)
                && words[..at].iter().take(5).any(is_message);
            let goes = ["goes"].contains(&verb) && ["out", "to"].contains(&next) && words[..at].iter().any(is_message);
            let is_said = is_told || is_sent || goes || gets && rest.iter().take(4).any(is_message);
            is_said && at <= 8 && is_fact(&words[..at])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_to_others_is_a_consequence() {
        for sentence in [
            "Deletes matching entries",
            "Replaces all other rules",
            "Its tickets are deleted too",
            "Members are removed",
            "Also deletes related records",
            "Cascades to children",
            "Cascades",
            "Others are deactivated",
            "Everyone is signed out",
            "Users are signed out",
            "Later items are shifted",
            "Existing sessions end",
            "All tickets without a queue are put into it",
            "Open tickets are reassigned",
            "Moves all cards to the new column",
            "The service restarts",
            "Restarts the service",
            "Stops the server",
            "This becomes the current version",
            "The oldest becomes primary",
            "A refund is issued",
            "The fee is charged",
            "The customer is notified by e-mail",
            "The user receives an e-mail with an activation link",
            "An e-mail goes to the owner",
            "Sends a cancellation to all attendees",
        ] {
            assert!(says_consequence(sentence), "{sentence}");
        }
    }

    #[test]
    fn what_happens_to_the_record_or_may_happen_is_none() {
        for sentence in [
            "Deletes the entry",
            "Replaces the rule",
            "Replaces all fields",
            "All fields are replaced",
            "All values that are omitted are removed",
            "Existing tags are removed",
            "Updates the pet, leaving all other fields as they are",
            "Updates other fields only if they are given",
            "Removes the pet from the other list than the first",
            "Does not cascade to children",
            "All requests are logged",
            "If the user is notified, a time is set",
            "The address to which an e-mail is sent",
            "Whether the customer is notified",
            "Users who are signed out cannot call it",
            "The record is deleted",
            "It becomes visible after a minute",
            "The service returns 404",
            "The date on which the invoice is issued",
            "Members can be removed later",
            "The name of the service restarts",
        ] {
            assert!(!says_consequence(sentence), "{sentence}");
        }
    }

    #[test]
    fn a_summary_may_make_a_record_the_one_of_its_kind() {
        let makes = |summary: &str| makes_the_one(&words(summary));
        assert!(makes("Make a photo the cover of the album") && makes("Declare the winner"));
        assert!(makes("Makes this address primary"));
        assert!(!makes("Make changes to the user") && !makes("Update the cover"));
    }
}
