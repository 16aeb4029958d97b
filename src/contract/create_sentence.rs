//! Recognises sentences about a create that plainly speak of other records, of one that exists, or of something that
//! happens: "Only the last five are kept", "Returns the same board if called twice", "Relayed to Slack". The main
//! function is [`says_more_than_create`].
//!
//! # Design
//!
//! Each form is a verb at the beginning of a clause with its object, or a fixed group of words that states a fact. Where
//! a clause begins with a verb, those verbs are known that create or describe, and any other does something else. What
//! may be, or what is denied, is none: "It can be restored".

use super::consequence::is_stated_as_fact;
use super::lexicon::{DETERMINERS, FREE, OTHERS, OWNERS, camel_case_words, clauses, is_base_or_third_person, is_in};

/// Verbs in the third person at the beginning of a clause, for what is done to the object after its determiner.
const ON_AN_OBJECT: [&str; 15] = [
    "closes", "forwards", "frees", "locks", "overrides", "reactivates", "relays", "releases", "reopens", "resets",
    "restores", "undeletes", "unlocks", "vacates", "wakes",
];

/// Participles at the beginning of a clause, followed by somebody who gets the record.
const PASSED_ON: [&str; 7] = [
    "broadcast", "delivered", "dispatched", "forwarded", "posted", "pushed", "relayed",
];

/// Verbs in the third person that say of a create what it makes, takes, requires or returns, or where it belongs. Any
/// other at the beginning of a sentence does something to what it names.
const SAYS_WHAT_IT_IS: [&str; 71] = [
    "accepts", "adds", "allows", "applies", "assigns", "associates", "attaches", "belongs", "checks", "computes",
    "configures", "consists", "contains", "converts", "corresponds", "creates", "declares", "defaults", "defines",
    "depends", "describes", "determines", "enables", "expects", "explains", "fails", "fills", "follows", "generates",
    "gets", "gives", "holds", "identifies", "ignores", "includes", "indicates", "inherits", "initializes", "inserts",
    "keeps", "limits", "links", "lists", "makes", "means", "needs", "normalizes", "permits", "provides", "puts",
    "records", "refers", "registers", "represents", "requires", "responds", "rounds", "returns", "saves", "sets",
    "shows", "specifies", "states", "stores", "supports", "takes", "trims", "uploads", "uses", "validates", "works",
];

/// Participles that say where a record is from, or what it takes, at the beginning of a sentence.
const SAID_OF_A_RECORD: [&str; 34] = [
    "accepted", "added", "allowed", "applied", "associated", "authenticated", "based", "created", "defined",
    "deprecated", "described", "enabled", "expected", "generated", "given", "identified", "intended", "introduced",
    "known", "limited", "listed", "named", "needed", "owned", "provided", "related", "required", "restricted",
    "returned", "set", "sorted", "specified", "stored", "supported",
];

/// Words for the end of an order in time.
const NEWEST: [&str; 4] = ["last", "latest", "most", "newest"];

/// Whether a sentence about a create says that more is done than that a record is created.
pub(super) fn says_more_than_create(sentence: &str) -> bool {
    let whole = camel_case_words(sentence);
    is_idempotent(&whole) || returns_the_same(&whole) || clauses(sentence).any(|clause| clause_says_more(&clause))
}

fn clause_says_more(clause: &[String]) -> bool {
    begins_with_act(clause)
        || does_something_else(clause)
        || somebody_acts(clause)
        || keeps_only_some(clause)
        || earlier_ones_end(clause)
        || is_the_only_one(clause)
        || takes_the_place(clause)
        || revives(clause)
        || turns_into(clause)
        || hands_out(clause)
        || costs(clause)
        || tells(clause)
}

/// Whether a clause begins with what is done to something that exists, or with where the record goes: "Closes the
/// board", "Hides the older ones", "Posted to the channel".
fn begins_with_act(words: &[String]) -> bool {
    let at = |index: usize| words.get(index).map_or("", String::as_str);
    let has_object = DETERMINERS.contains(&at(1)) && at(1) != "a" && at(1) != "an";
    let is_switched = ["switches", "turns"].contains(&at(0))
        && DETERMINERS.contains(&at(1))
        && words.iter().skip(2).take(3).any(|word| word == "on" || word == "off");
    // "Releases of the product" and "Locks are freed later" begin with nouns.
    has_object && ON_AN_OBJECT.contains(&at(0))
        || at(0) == "hides" && (1..4).any(|index| OTHERS.contains(&at(index)))
        || PASSED_ON.contains(&at(0)) && at(1) == "to"
        || at(0) == "takes"
            && at(1) == "effect"
            && ["for", "on"].contains(&at(2))
            && ["all", "each", "every", "everybody", "everyone"].contains(&at(3))
        || is_switched
}

/// Whether a clause begins with a verb that neither creates nor describes, and with what that is done to or where it
/// leads: "Reduces the stock", "Counts towards the result", "Printed in the kitchen". Which verb it is need not be known.
fn does_something_else(words: &[String]) -> bool {
    const LEADS: [&str; 8] = ["against", "as", "before", "by", "in", "on", "to", "towards"];
    /// Those before which a word in -s is no plural: "Columns by the team".
    const AFTER_VERBS: [&str; 3] = ["against", "as", "towards"];
    const DEFINITE: [&str; 6] = ["all", "each", "every", "its", "the", "your"];
    /// Those who create records.
    const CREATORS: [&str; 6] = ["author", "caller", "client", "creator", "owner", "user"];
    let [verb, next, rest @ ..] = words else { return false };
    let is_third_person = verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss");
    let is_participle = verb.len() > 4 && (verb.ends_with("ed") || verb.ends_with("en"));
    let is_by_creator = next == "by" && rest.iter().take(2).any(|who| CREATORS.contains(&who.as_str()));
    let leads = LEADS.contains(&next.as_str()) && !rest.is_empty() && !is_by_creator;
    let is_after_verb = AFTER_VERBS.contains(&next.as_str()) || verb == "goes";
    let acts_on = leads && is_after_verb || DEFINITE.contains(&next.as_str());
    is_third_person && acts_on && !SAYS_WHAT_IT_IS.contains(&verb.as_str())
        || is_participle && leads && !SAID_OF_A_RECORD.contains(&verb.as_str())
}

/// Whether somebody does something with the record: "Subscribers get it", "A courier comes".
fn somebody_acts(words: &[String]) -> bool {
    const NOBODY: [&str; 16] = [
        "buffer", "container", "counter", "error", "filter", "folder", "header", "identifier", "integer", "letter",
        "number", "order", "parameter", "pointer", "server", "vector",
    ];
    let (first, words) = match words {
        [first, rest @ ..] if DETERMINERS.contains(&first.as_str()) => (first.as_str(), rest),
        words => ("", words),
    };
    let [subject, verb, rest @ ..] = words else {
        return false;
    };
    let one = subject.strip_suffix('s').unwrap_or(subject);
    let is_agent = ["er", "or", "ee", "ant"]
        .iter()
        .any(|end| one.len() > 4 && one.ends_with(end))
        || OWNERS.contains(&one);
    let is_singular = one == subject;
    let agrees = verb.len() > 2 && verb.ends_with('s') == is_singular;
    let object = rest.first().map_or("", String::as_str);
    let is_done_with_it = ["it", "them"].contains(&object);
    // "The customer settings" has no verb.
    let is_alone = rest.is_empty() && is_singular && ["a", "an"].contains(&first);
    let is_state = ["has", "have", "is", "needs", "own", "owns"].contains(&verb.as_str());
    is_agent && !NOBODY.contains(&one) && agrees && !is_state && (is_done_with_it || is_alone)
}

/// Whether only some records remain: "Only the last five are kept", "Keeps the newest 20".
fn keeps_only_some(words: &[String]) -> bool {
    let is_newest = |word: &String| NEWEST.contains(&word.as_str());
    let begins = words
        .first()
        .is_some_and(|first| first == "keeps" || first == "retains");
    let of_newest = |words: &[String]| words.iter().take(3).any(is_newest);
    let is_kept = |word: &String| ["kept", "remain", "remains", "retained", "stored"].contains(&word.as_str());
    let only = words.iter().position(|word| word == "only");
    begins && of_newest(&words[1..])
        || only.is_some_and(|at| {
            is_stated_as_fact(&words[..at]) && of_newest(&words[at + 1..]) && words[at..].iter().any(is_kept)
        })
}

/// Whether records that were there before end by themselves: "Earlier ones expire".
fn earlier_ones_end(words: &[String]) -> bool {
    const ENDS: [&str; 7] = ["close", "disappear", "end", "expire", "lapse", "stop", "vanish"];
    let words = match words {
        [first, rest @ ..] if DETERMINERS.contains(&first.as_str()) => rest,
        words => words,
    };
    let [other, rest @ ..] = words else { return false };
    is_in(&[&OTHERS], other)
        && rest
            .iter()
            .take(2)
            .any(|word| ENDS.iter().any(|verb| is_base_or_third_person(word, verb)))
}

/// Whether there is one record, or one for each of those who may create one: "There can be only one", "Each user has
/// one board".
fn is_the_only_one(words: &[String]) -> bool {
    let says = words.join(" ");
    let is_each = matches!(words, [each, owner, has, ..]
        if ["each", "every"].contains(&each.as_str()) && OWNERS.contains(&owner.as_str()) && has == "has");
    let is_one = |word: &String| word == "one" || word == "single";
    let there = [
        "there can be only one", "there can only be one", "there is only one", "there is at most one",
    ];
    let is_more = says.contains("one or more") || says.contains("at least one");
    there.iter().any(|there| says.starts_with(there)) || is_each && !is_more && words.iter().skip(3).take(3).any(is_one)
}

/// Whether a record takes another one's place: "a new one takes its place".
fn takes_the_place(words: &[String]) -> bool {
    words.windows(3).enumerate().any(|(at, three)| {
        three[0] == "takes"
            && ["its", "the", "their"].contains(&three[1].as_str())
            && three[2] == "place"
            && is_stated_as_fact(&words[..at])
    })
}

/// Whether a record that was there before comes back: "A deleted board of yours is restored".
fn revives(words: &[String]) -> bool {
    const REVIVED: [&str; 5] = ["reactivated", "reopened", "restored", "revived", "undeleted"];
    words.windows(2).enumerate().any(|(at, pair)| {
        let is_done = ["are", "gets", "is"].contains(&pair[0].as_str()) && REVIVED.contains(&pair[1].as_str());
        is_done && is_stated_as_fact(&words[..at])
    })
}

/// Whether a record becomes another one: "Turns the draft into a board".
fn turns_into(words: &[String]) -> bool {
    let [verb, determiner, rest @ ..] = words else {
        return false;
    };
    ["converts", "promotes", "transforms", "turns"].contains(&verb.as_str())
        && ["an", "a", "the", "this", "your"].contains(&determiner.as_str())
        && rest.iter().take(4).any(|word| word == "into")
}

/// Whether a record is taken from those that are there: "Hands out the next free board", "Picks a vacant board".
fn hands_out(words: &[String]) -> bool {
    let hands = match words {
        [verb, out, ..] if ["gives", "hands"].contains(&verb.as_str()) => out == "out",
        [verb, ..] => ["chooses", "leases", "picks", "selects"].contains(&verb.as_str()),
        [] => false,
    };
    hands && words.iter().skip(1).take(5).any(|word| FREE.contains(&word.as_str()))
}

/// Whether somebody pays for it: "Uses one credit", "Deducted from your quota", "Billed monthly".
fn costs(words: &[String]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let is_account = |word: &String| ["balance", "credit", "credits", "quota"].contains(&word.as_str());
    match first.as_str() {
        "spends" | "uses" => rest.iter().take(3).any(is_account),
        "charged" | "debited" | "deducted" => rest.first().is_some_and(|next| ["from", "to"].contains(&next.as_str())),
        "billed" => rest.first().is_some_and(|next| next != "to"),
        _ => false,
    }
}

/// Whether somebody is told, or something else is called: "Watchers are told", "A webhook fires".
fn tells(words: &[String]) -> bool {
    let is_pair = |pair: &[String]| {
        matches!(
            (pair[0].as_str(), pair[1].as_str()),
            ("are" | "is", "told") | ("webhook" | "webhooks" | "hook" | "hooks", "fire" | "fires") | ("push", "goes")
        )
    };
    let mut pairs = words.windows(2).enumerate();
    pairs.any(|(at, pair)| is_pair(pair) && is_stated_as_fact(&words[..at]))
}

/// Whether a sentence says no more than that a second call makes no second record.
fn is_idempotent(words: &[String]) -> bool {
    match words {
        [only] => only == "idempotent",
        [.., is, last] => is == "is" && last == "idempotent" && is_stated_as_fact(&words[..words.len() - 2]),
        [] => false,
    }
}

/// Whether a second call returns what the first one made: "Returns the same board if called twice".
fn returns_the_same(words: &[String]) -> bool {
    const REPEATED: [&str; 5] = ["again", "already", "repeated", "repeatedly", "twice"];
    matches!(words, [returns, the, same, ..] if returns == "returns" && the == "the" && same == "same")
        && words.iter().any(|word| REPEATED.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_other_records_or_of_an_event_says_more_than_a_create() {
        for sentence in [
            "Only the last five are kept",
            "Keeps the newest 20",
            "Hides the older ones",
            "Earlier ones expire",
            "There can be only one",
            "a new one takes its place",
            "Takes the place of the current one",
            "Frees the previous seat",
            "Closes the board",
            "Locks the board",
            "Reopens the ticket",
            "Resets the counter",
            "Overrides the global setting",
            "Takes effect for all users",
            "Posted to the channel",
            "Relayed to Slack",
            "Forwarded to the partner",
            "Watchers are told",
            "A push goes to the phone",
            "A webhook fires",
            "Uses one credit",
            "Deducted from your quota",
            "Billed monthly",
            "Turns the light on",
            "Wakes the device",
            "Each user has one board",
            "Returns the same board if called twice",
            "Idempotent",
            "This call is idempotent",
            "A deleted board of yours is restored",
            "If a deleted board exists, it is restored",
            "Hands out the next free board",
            "Picks a vacant board",
            "Turns the draft into a board",
            "Reduces the stock by one",
            "Extends the session",
            "Rebuilds the index",
            "Counts towards the result",
            "Goes to the moderation queue",
            "Printed in the kitchen",
            "Spoken by the assistant",
            "Mirrored to the archive",
            "Subscribers get it with the next digest",
            "The customer sees it right away",
            "The worker runs it",
            "A courier comes",
        ] {
            assert!(says_more_than_create(sentence), "{sentence}");
        }
    }

    #[test]
    fn a_sentence_of_the_new_record_says_no_more() {
        for sentence in [
            "Creates a board",
            "Only the last line may be empty",
            "Keeps the order of the fields",
            "The older ones are listed first",
            "Earlier dates are allowed",
            "There can be several of them",
            "The event takes place on this day",
            "Closes at five",
            "Locks of a door",
            "Releases of a product",
            "It can be restored",
            "A board which is restored has a new number",
            "Each user has one or more boards",
            "Each board has one owner",
            "The call is not idempotent",
            "Idempotent if the key is sent",
            "Returns the same fields as the read",
            "Uses the default colour",
            "Billed to",
            "Turns of a player",
            "Converts the name to lower case",
            "Picks a colour if none is sent",
            "Takes effect immediately",
            "Returns the new board",
            "Belongs to the team",
            "Columns by the team",
            "Press the button to create it",
            "Posted by the caller",
            "Created by the caller",
            "Hidden fields are left out",
            "The owner has it in a list",
            "The server stores it",
            "The customer settings",
            "Users may see it",
        ] {
            assert!(!says_more_than_create(sentence), "{sentence}");
        }
    }
}
