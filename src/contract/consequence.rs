//! Recognises sentences about a write that say what else happens: "Others are deactivated", "The service restarts",
//! "The customer is notified by e-mail". The main function is [`says_consequence`].
//!
//! # Design
//!
//! The evidence is the subject of a sentence, or of its main clause: where a person, the service itself, or a record
//! other than that of the path is the subject of a verb that says that it is changed, the write does more than it says.
//! The same holds where it is the object of such a verb at the beginning ("Replaces all other rules"). The fields of a
//! record are not other records: "All fields are replaced" is what a PUT does. Nor is "the existing record" of a PUT or
//! a DELETE another one. A condition, a negation or a relative clause names what may be the case, not what the call
//! does. A few verbs say more than that a record is written, whatever their object is ("Escalates after an hour", "The
//! oncall engineer is paged").

use super::lexicon::{
    BE, DETERMINERS, EXCLUSIVE_ROLES, FREE, MESSAGES, OTHERS, PASSIVE, REACHES, camel_case_words, clauses,
    is_base_or_third_person, is_form_of, is_in, is_participle, is_third_person, sentences, verbs_for_others,
};

/// First words of a subject other than the record itself.
const OTHERS_FIRST: [&str; 17] = [
    "all", "any", "children", "customers", "everybody", "everyone", "existing", "followers", "its", "later", "members",
    "open", "others", "related", "subscribers", "subsequent", "users",
];

/// Participles of what is done to somebody else, or to other records.
const DONE_TO_OTHERS: [&str; 30] = [
    "archived", "canceled", "cancelled", "closed", "deactivated", "deleted", "demoted", "detached", "disabled",
    "disconnected", "dropped", "ended", "logged", "moved", "notified", "paused", "purged", "put", "reassigned",
    "refunded", "removed", "renumbered", "restarted", "revoked", "shifted", "signed", "stopped", "terminated",
    "unassigned", "wiped",
];

/// Words for the parts of a record, which are not other records.
const PARTS: [&str; 21] = [
    "attribute", "attributes", "characters", "data", "elements", "field", "fields", "items", "keys", "labels", "lines",
    "metadata", "options", "parameters", "properties", "property", "settings", "spaces", "tags", "value", "values",
];

/// Words for what runs the interface.
const SERVICES: [&str; 11] = [
    "application", "cluster", "container", "daemon", "device", "host", "machine", "node", "server", "service", "system",
];

/// More words for records that belong to others, or that fit a condition.
const RELATED: [&str; 9] = [
    "associated", "children", "dependent", "duplicate", "duplicates", "matching", "related", "sibling", "siblings",
];

/// More words for roles, which may be a state of several records too: a boolean `active` is no role.
const EXCLUSIVE_ROLES_IN_TEXT: [&str; 11] = [
    "activation", "active", "head", "live", "order", "owner", "position", "rank", "star", "successor", "turn",
];

/// Words after which a verb states no fact: of possibility, condition and denial, and relative pronouns.
const PREVENTS_A_STATEMENT: [&str; 22] = [
    "can", "cannot", "could", "if", "may", "must", "never", "no", "nobody", "none", "not", "nothing", "should", "that",
    "unless", "until", "when", "where", "whether", "which", "who", "whose",
];

/// Verbs with which a sentence says more than that a record is written, whatever their object is.
const DOES_MORE: [&str; 31] = [
    "alerts", "bills", "blocks", "bumps", "calls", "charges", "consumes", "costs", "debits", "deducts", "deploys",
    "escalates", "evicts", "informs", "interrupts", "invites", "joins", "kicks", "mails", "notifies", "pages", "pings",
    "pushes", "reboots", "retires", "reuses", "rotates", "supersedes", "syncs", "texts", "triggers",
];

/// More of them, with the words that follow.
const DOES_MORE_WITH: [(&str, &[&str]); 23] = [
    ("adds", &["to"]),
    ("appends", &["to"]),
    ("applies", &["to"]),
    ("draws", &["from", "on"]),
    (
        "emails",
        &["all", "each", "every", "everybody", "everyone", "it", "the", "them"],
    ),
    ("goes", &["live"]),
    ("lights", &["up"]),
    ("locks", &["the"]),
    ("logs", &["off", "out"]),
    ("posts", &["it", "to"]),
    ("propagates", &["to"]),
    ("publishes", &["a", "it", "the", "this", "to"]),
    ("registers", &["the"]),
    ("reserves", &["inventory", "stock"]),
    ("resets", &["the"]),
    ("shuts", &["down"]),
    ("signs", &["off", "out"]),
    ("submits", &["it", "the"]),
    ("takes", &["effect", "over"]),
    ("text", &["messages"]),
    ("turns", &["off", "on"]),
    ("uses", &["up"]),
    ("we", &["bill", "charge", "email", "inform", "mail", "notify", "text"]),
];

/// Participles of what is done to persons, and of what ends the use of something.
const TOLD: [&str; 13] = [
    "alerted", "billed", "charged", "debited", "emailed", "informed", "interrupted", "invited", "mailed", "notified",
    "paged", "superseded", "texted",
];

/// Whether a word is a role that at most one record can have.
pub(super) fn is_role(word: &str) -> bool {
    is_in(&[&EXCLUSIVE_ROLES, &EXCLUSIVE_ROLES_IN_TEXT], word)
}

/// Whether a sentence about a write says that something happens to other records, to somebody, or to the service.
pub(super) fn says_consequence(sentence: &str) -> bool {
    clauses(sentence).any(|clause| match clause.as_slice() {
        [first, rest @ ..] if ["also", "and", "it", "then", "this"].contains(&first.as_str()) => is_consequence(rest),
        clause => is_consequence(clause),
    })
}

/// Whether a text about a part of a write, such as a field, says that something happens to others whatever its value is:
/// "An SMS is sent to all members", but not "If true, the owner is notified" or "On this day the price changes".
pub(super) fn says_unconditionally(text: &str) -> bool {
    const DEPENDS: [&str; 11] = [
        "after", "before", "enabled", "false", "once", "only", "otherwise", "set", "true", "used", "while",
    ];
    const AT_A_TIME: [&str; 4] = ["after", "at", "from", "on"];
    sentences(text).any(|sentence| {
        let words = camel_case_words(sentence);
        let is_of_a_time = matches!(words.as_slice(), [at, this, ..]
            if AT_A_TIME.contains(&at.as_str()) && ["that", "this"].contains(&this.as_str()));
        // "Will receive a copy of every mail" says what its value is for.
        let is_of_its_value = words
            .first()
            .is_some_and(|first| ["gets", "receives", "will"].contains(&first.as_str()));
        let depends = words.iter().any(|word| DEPENDS.contains(&word.as_str()));
        !is_of_a_time && !is_of_its_value && !depends && is_stated_as_fact(&words) && says_consequence(sentence)
    })
}

fn is_consequence(clause: &[String]) -> bool {
    let joined = clause.iter().enumerate().filter(|(_, word)| *word == "and");
    let mut joined = joined.filter(|(at, _)| is_stated_as_fact(&clause[..*at]));
    joined.any(|(at, _)| others_are_changed(&clause[at + 1..]))
        || changes_related(clause)
        || affects_all(clause)
        || ends_sessions(clause)
        || this_acts(clause)
        || is_replaced_by_the_next(clause)
        || does_more(clause)
        || also_reaches_somebody(clause)
        || goes_beyond_its_record(clause)
        || takes_from_all(clause)
        || is_done_to_others(clause)
        || moves_by_itself(clause)
        || cascades(clause)
        || others_are_changed(clause)
        || restarts(clause)
        || becomes_the_one(clause)
        || charges_or_refunds(clause)
        || reaches_somebody(clause)
}

/// Whether the description of a field says that something happens to others by itself, at the time or after the period
/// that is the field's value: "Days after which all files are purged", "On this day the price changes for all
/// customers".
pub(crate) fn says_it_happens_by_itself(description: &str) -> bool {
    const TIMES: [&str; 7] = ["date", "day", "days", "hours", "moment", "seconds", "time"];
    let is_time = |word: &String| TIMES.contains(&word.as_str());
    let is_at = |word: &String| ["after", "at", "from", "on"].contains(&word.as_str());
    sentences(description).any(|sentence| {
        let words = camel_case_words(sentence);
        if let [at, this, time, rest @ ..] = words.as_slice()
            && is_at(at)
            && ["that", "this"].contains(&this.as_str())
            && is_time(time)
        {
            return is_consequence(rest);
        }
        let which = words.windows(2).position(|pair| is_at(&pair[0]) && pair[1] == "which");
        which.is_some_and(|at| words[..at].iter().any(is_time) && is_consequence(&words[at + 2..]))
    })
}

/// Whether a summary gives a record a role that only one can have: "Make a photo the cover of the album", "Declare the
/// winner".
pub(super) fn makes_the_one(summary: &[String]) -> bool {
    let [verb, object, rest @ ..] = summary else {
        return false;
    };
    let is_verb = |verbs: &[&str]| verbs.contains(&verb.strip_suffix('s').unwrap_or(verb));
    let has_object = DETERMINERS.contains(&object.as_str());
    let of_one = |word: &String| word == "the" || is_role(word);
    has_object && (is_verb(&["make"]) && rest.iter().any(of_one) || is_verb(&["appoint", "declare", "elect"]))
}

/// Whether no word before a verb turns it into a possibility, a condition, a denial or a description of something else.
/// "That" after a preposition ("in that slot") only says which one.
pub(super) fn is_stated_as_fact(before: &[String]) -> bool {
    let points = |at: usize| {
        at > 0 && before[at] == "that" && ["at", "for", "in", "of", "on"].contains(&before[at - 1].as_str())
    };
    !before
        .iter()
        .enumerate()
        .any(|(at, word)| PREVENTS_A_STATEMENT.contains(&word.as_str()) && !points(at))
}

/// Whether words begin like "Deletes matching entries", "Replaces all other rules" or "Moves all cards".
fn changes_related(words: &[String]) -> bool {
    let [verb, object @ ..] = words else { return false };
    let changes = verbs_for_others()
        .chain(["assign"])
        .any(|known| is_third_person(verb, known));
    let at = |index: usize| object.get(index).map_or("", String::as_str);
    let is_part = |index: usize| PARTS.contains(&at(index + 1)) || ["than", "user"].contains(&at(index + 1));
    // "Updates the existing user" is what an update does.
    let is_itself = |index: usize| ["current", "existing", "old"].contains(&at(index)) && !at(index + 1).ends_with('s');
    let is_related = |index: usize| {
        let ends_it = verb == "ends" && at(index) == "current";
        is_in(&[&RELATED, &OTHERS], at(index)) && !is_part(index) && (!is_itself(index) || ends_it)
    };
    let is_of_all = |list: &[&str]| list.contains(&verb.as_str()) && ["all", "every"].contains(&at(0)) && !is_part(0);
    let moves_all = is_of_all(&[
        "assigns", "closes", "moves", "reassigns", "recalculates", "renumbers", "reorders", "stops",
    ]);
    moves_all || changes && (0..3).any(is_related)
}

/// Whether words begin with a verb that says more than that a record is written: "Rotates the key", "Logs out other
/// devices", "Adds to the existing conversation".
fn does_more(words: &[String]) -> bool {
    let at = |index: usize| words.get(index).map_or("", String::as_str);
    // "Calls" alone is a noun, and "adds to" means more only with another record ("Adds to the existing conversation").
    let is_with = DOES_MORE_WITH
        .iter()
        .any(|(verb, next)| at(0) == *verb && next.contains(&at(1)));
    let is_complete = match at(0) {
        "adds" | "appends" => is_in(&[&OTHERS], at(3)),
        "applies" => ["all", "every", "everybody", "everyone"].contains(&at(2)),
        "locks" => ["account", "user"].contains(&at(2)),
        "posts" if at(1) == "it" => at(2) == "to",
        "registers" => at(2) == "domain",
        "resets" => ["key", "password", "pin", "secret", "token"].contains(&at(2)),
        "submits" => words.iter().any(|word| word == "to"),
        "takes" if at(1) == "effect" => ["everybody", "everyone"].contains(&at(3)),
        _ => true,
    };
    // "Costs are in EUR" is about a noun.
    let is_noun = at(1) == "of" || BE.contains(&at(1));
    words.len() > 1 && !is_noun && DOES_MORE.contains(&at(0))
        || is_with && is_complete
        || words
            .iter()
            .position(|word| word == "supersedes")
            .is_some_and(|at| at > 0 && is_stated_as_fact(&words[..at]))
}

/// Whether words go on with what reaches somebody: "Creates the invoice and emails it to the customer".
fn also_reaches_somebody(words: &[String]) -> bool {
    words.windows(3).enumerate().any(|(at, three)| {
        let joins = three[0] == "and" || three[0] == "then";
        let denies = ["no", "nobody", "nothing"].contains(&three[2].as_str());
        joins && !denies && REACHES.contains(&three[1].as_str()) && is_stated_as_fact(&words[..at])
    })
}

/// Whether a verb for an end or a replacement affects what has many records: "Cancels the subscription of every
/// member", "Replaces the whole collection", "Purges the cache for the whole site".
fn affects_all(words: &[String]) -> bool {
    const WHOLE: [&str; 10] = [
        "cache", "catalog", "cluster", "collection", "database", "fleet", "network", "site", "system", "table",
    ];
    let Some(verb) = words.first() else { return false };
    let changes = verbs_for_others().any(|known| is_third_person(verb, known));
    let has_part = |words: &[String]| words.iter().take(2).any(|word| PARTS.contains(&word.as_str()));
    let is_all = |at: usize| match (words[at - 1].as_str(), words[at].as_str()) {
        ("of", "all" | "each" | "every") => !has_part(&words[at + 1..]),
        (_, "entire" | "whole") => words.get(at + 1).is_some_and(|what| WHOLE.contains(&what.as_str())),
        _ => false,
    };
    changes && (1..words.len()).any(is_all)
}

/// Whether a clause says of the call itself that it destroys or ends something, or acts at once: "This endpoint reboots
/// the device", "Calling this erases all stored measurements", "Everything here wipes the device". "This operation
/// deletes a pet" is what a DELETE does.
pub(super) fn this_acts(words: &[String]) -> bool {
    const ACTS_AT_ONCE: [&str; 5] = ["flushes", "kills", "reboots", "restarts", "wipes"];
    const CALLS: [&str; 7] = ["call", "endpoint", "here", "method", "operation", "request", "this"];
    words.windows(2).take(6).enumerate().any(|(at, pair)| {
        let object = words.get(at + 2).map_or("", String::as_str);
        let acts = match pair[1].as_str() {
            "erases" | "purges" => ["all", "each", "every"].contains(&object),
            verb => ACTS_AT_ONCE.contains(&verb) && DETERMINERS.contains(&object),
        };
        acts && CALLS.contains(&pair[0].as_str()) && is_stated_as_fact(&words[..at])
    })
}

/// Whether words begin like "Signs everybody out", "Logs every other device out" or "Logs the user out of all other
/// sessions".
pub(super) fn ends_sessions(words: &[String]) -> bool {
    const WHO: [&str; 7] = ["all", "each", "every", "everybody", "everyone", "other", "the"];
    match words {
        [verb, who, rest @ ..] => {
            ["logs", "signs"].contains(&verb.as_str())
                && WHO.contains(&who.as_str())
                && rest.iter().take(3).any(|word| word == "off" || word == "out")
        }
        _ => false,
    }
}

/// Whether a later call changes what this one makes, or this one what an earlier call made: "A second POST swaps it",
/// "The previous default loses the flag".
fn is_replaced_by_the_next(words: &[String]) -> bool {
    const NEXT: [&str; 4] = ["another", "repeated", "second", "subsequent"];
    let begins = |list: &[&str]| words.iter().take(2).any(|word| list.contains(&word.as_str()));
    let is_verb =
        |word: &String| word.ends_with('s') && verbs_for_others().any(|verb| is_base_or_third_person(word, verb));
    let verb = words.iter().take(5).skip(1).position(is_verb).map(|at| at + 1);
    verb.is_some_and(|at| {
        let is_fact = is_stated_as_fact(&words[..at]);
        is_fact && (begins(&NEXT) || begins(&OTHERS) && ["lose", "loses"].contains(&words[at].as_str()))
    })
}

/// Whether a verb for an end or a replacement has more than the record as its object: "Overwrites an item with the same
/// title", "Deletes items with this number or higher", "Removes it together with its siblings".
fn goes_beyond_its_record(words: &[String]) -> bool {
    const COMPARATIVES: [&str; 8] = [
        "above", "after", "before", "earlier", "higher", "later", "lower", "newer",
    ];
    let [verb, object @ ..] = words else { return false };
    if !verbs_for_others().any(|known| is_base_or_third_person(verb, known)) {
        return false;
    }
    let follows = |first: &str, next: &dyn Fn(&str) -> bool| {
        let mut pairs = object.windows(2);
        pairs.any(|pair| pair[0] == first && next(&pair[1]))
    };
    follows("same", &|next| !["id", "identifier", "key"].contains(&next))
        || follows("or", &|next| COMPARATIVES.contains(&next))
        || object
            .windows(3)
            .any(|three| three[0] == "together" && three[1] == "with" && three[2] == "its")
}

/// Whether words begin like "Assigns a number from the pool" or "Takes the next ticket".
fn takes_from_all(words: &[String]) -> bool {
    let [verb, object @ ..] = words else { return false };
    let takes = ["allocates", "assigns", "claims", "picks", "takes"].contains(&verb.as_str());
    takes && object.iter().take(6).any(|word| FREE.contains(&word.as_str()))
}

/// Whether something is done to somebody else, to other records, or to what all have in common: "The oncall engineer is
/// paged", "Older entries are retired", "The queue is reordered".
fn is_done_to_others(words: &[String]) -> bool {
    const SHARED: [&str; 11] = [
        "balances", "callback", "inventory", "prices", "queue", "quota", "relay", "seats", "stock", "valve", "webhook",
    ];
    const SHIFTED: [&str; 12] = [
        "adjusted", "blocked", "called", "changed", "moved", "recalculated", "reduced", "released", "reordered",
        "reserved", "switched", "updated",
    ];
    let is_be = |word: &String| BE.contains(&word.as_str());
    let Some(at) = words
        .iter()
        .take(8)
        .position(is_be)
        .filter(|at| *at > 0 && is_stated_as_fact(&words[..*at]))
    else {
        return false;
    };
    let subject = &words[..at];
    // "e" is what remains of "e-mailed" in front of its verb.
    let is_between = |word: &&String| ["also", "automatically", "e", "then"].contains(&word.as_str());
    let Some(done) = words[at + 1..].iter().find(|word| !is_between(word)) else {
        return false;
    };
    let has = |lists: &[&[&str]]| subject.iter().any(|word| is_in(lists, word));
    // "The existing record is replaced" by an update of it.
    let is_itself = words[at] == "is"
        && subject
            .iter()
            .any(|word| ["current", "existing", "old"].contains(&word.as_str()));
    let is_compared = words.iter().any(|word| word == "than" || word == "requests");
    let is_changed = is_participle(done);
    let is_changed = is_changed
        && (DONE_TO_OTHERS.contains(&done.as_str()) || verbs_for_others().any(|verb| is_form_of(done, verb)))
        && !["logged", "put", "signed"].contains(&done.as_str());
    let is_tried = has(&[&["ping", "test"]]) && ["made", "posted", "sent"].contains(&done.as_str());
    // "Results are paged."
    let is_shown = done == "paged" && has(&[&["items", "list", "output", "records", "response", "results"]]);
    TOLD.contains(&done.as_str()) && !is_compared && !is_shown
        || is_tried
        || has(&[&SHARED]) && SHIFTED.contains(&done.as_str())
        || has(&[&OTHERS]) && !has(&[&PARTS]) && is_changed && !is_itself && !is_compared
}

/// Whether something else moves or begins: "Entries below move down by one", "The valve opens", "Billing starts
/// immediately".
fn moves_by_itself(words: &[String]) -> bool {
    const THINGS_THAT_MOVE: [&str; 13] = [
        "below", "device", "door", "gate", "lamp", "lights", "machine", "others", "price", "prices", "pump", "relay",
        "valve",
    ];
    const MOVES: [&str; 10] = [
        "change", "changes", "lights", "move", "moves", "opens", "reboots", "shift", "shifts", "unlocks",
    ];
    // "The device after the change" is no sentence.
    let is_noun = |before: &String| ["a", "an", "any", "each", "every", "the"].contains(&before.as_str());
    let is_verb = |word: &String| MOVES.contains(&word.as_str()) || ["begins", "starts"].contains(&word.as_str());
    let Some(at) = words
        .windows(2)
        .take(5)
        .position(|pair| is_verb(&pair[1]) && !is_noun(&pair[0]))
    else {
        return false;
    };
    let (subject, after) = (&words[..=at], &words[at + 2..]);
    let at_once = after.first().is_some_and(|next| next == "immediately")
        || matches!(after, [at, once, ..] if at == "at" && once == "once");
    let is_begun = ["begins", "starts"].contains(&words[at + 1].as_str());
    let is_other = |word: &String| THINGS_THAT_MOVE.contains(&word.as_str()) || word == "other";
    is_stated_as_fact(subject) && (is_begun && at_once || !is_begun && subject.iter().any(is_other))
}

/// Whether words say that a change goes on below the record: "Cascades to children".
fn cascades(words: &[String]) -> bool {
    words.iter().position(|word| word == "cascades").is_some_and(|at| {
        let goes_on = words
            .get(at + 1)
            .is_none_or(|next| ["down", "to"].contains(&next.as_str()));
        goes_on && is_stated_as_fact(&words[..at])
    })
}

/// Whether other records or persons are changed: "Its tickets are deleted too", "Everyone is signed out".
fn others_are_changed(words: &[String]) -> bool {
    let Some(first) = words.first().filter(|first| OTHERS_FIRST.contains(&first.as_str())) else {
        return false;
    };
    // What comes later in an order is no part of the record.
    let follows_it = ["later", "subsequent"].contains(&first.as_str());
    let ends = matches!(words, [.., subject, end] if subject == "sessions" && end == "end");
    ends || (1..words.len().min(10)).any(|at| {
        let is_done = PASSIVE.contains(&words[at - 1].as_str()) && DONE_TO_OTHERS.contains(&words[at].as_str());
        let subject = &words[..at - 1];
        let next = words.get(at + 1).map_or("", String::as_str);
        let is_complete = match words[at].as_str() {
            "logged" | "signed" => next == "off" || next == "out",
            "put" => ["in", "into", "on"].contains(&next),
            _ => true,
        };
        is_done
            && is_complete
            && is_stated_as_fact(subject)
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

/// Whether the record becomes what another one was: "This becomes the current version", "Makes this the default".
fn becomes_the_one(words: &[String]) -> bool {
    let makes = matches!(words, [verb, it, rest @ ..] if verb == "makes"
        && ["it", "this"].contains(&it.as_str())
        && rest.iter().take(2).any(|word| is_role(word)));
    if makes {
        return true;
    }
    let at = words.iter().position(|word| word == "becomes" || word == "become");
    // "The logged-in user becomes the owner" of the new record.
    let is_caller = |word: &String| ["caller", "creator", "user"].contains(&word.as_str());
    let Some(at) = at.filter(|at| is_stated_as_fact(&words[..*at]) && !words[..*at].iter().any(is_caller)) else {
        return false;
    };
    let is_one = |word: &String| is_role(word) || word == "latest" || word == "new";
    match &words[at + 1..] {
        [the, one, ..] if the == "the" => is_one(one),
        [one, ..] => ["default", "leader", "main", "primary"].contains(&one.as_str()),
        [] => false,
    }
}

/// Whether money moves: "A refund is issued", "The fee is charged".
fn charges_or_refunds(words: &[String]) -> bool {
    const MONEY: [&str; 11] = [
        "account", "amount", "balance", "card", "credits", "customer", "fee", "funds", "money", "payment", "refund",
    ];
    const DONE_TO_MONEY: [&str; 12] = [
        "billed", "captured", "charged", "collected", "consumed", "debited", "deducted", "issued", "reduced",
        "refunded", "transferred", "withdrawn",
    ];
    const TAKES: [&str; 4] = ["draws", "takes", "transfers", "withdraws"];
    let begins = words.first().is_some_and(|first| TAKES.contains(&first.as_str()));
    if begins
        && words
            .iter()
            .take(4)
            .any(|word| ["funds", "money"].contains(&word.as_str()))
    {
        return true;
    }
    let is_money = |word: &String| MONEY.contains(&word.as_str());
    words.windows(2).enumerate().any(|(at, pair)| {
        let is_charged = BE.contains(&pair[0].as_str()) && DONE_TO_MONEY.contains(&pair[1].as_str());
        is_charged && at <= 5 && words[..at].iter().any(is_money) && is_stated_as_fact(&words[..at])
    })
}

/// Whether somebody gets a message: "The user receives an e-mail", "The customer is notified".
fn reaches_somebody(words: &[String]) -> bool {
    const PEOPLE: [&str; 10] = [
        "customer", "driver", "everybody", "everyone", "member", "members", "owner", "team", "user", "users",
    ];
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
            let gets = ["get", "gets", "receive", "receives"].contains(&verb) && ["a", "an"].contains(&next);
            let is_message = |word: &String| is_message(word) || word == "text" || word == "invitations";
            let is_of_people = || words[..at].iter().any(|word| PEOPLE.contains(&word.as_str()));
            let is_received = |word: &String| is_message(word) || word == "message" && is_of_people();
            let is_sent = ["are", "is"].contains(&verb)
                && ["mailed", "sent"].contains(&next)
                && words[..at].iter().take(5).any(is_message);
            let goes = ["goes"].contains(&verb) && ["out", "to"].contains(&next) && words[..at].iter().any(is_message);
            let is_said = is_told || is_sent || goes || gets && rest.iter().take(6).any(is_received);
            is_said && at <= 8 && is_stated_as_fact(&words[..at])
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
            "Older entries are retired",
            "The updated plan supersedes the current one",
            "Entries below move down by one",
            "The queue is reordered",
            "The oldest entry is evicted when ten exist",
            "Seats are blocked for other customers",
            "Logs out other devices",
            "Ends the current session",
            "Closes the previous period",
            "Deactivates its predecessor",
            "The oncall engineer is paged",
            "The recipient is e-mailed",
            "Pushes to all devices",
            "You will be billed",
            "Consumes one credit",
            "Rotates the key",
            "Assigns a number from the pool",
            "Joins an existing conversation if there is one",
            "Adds to the existing conversation",
            "Billing starts immediately",
            "Existing bookings in that slot are moved",
            "A ping event is sent to the URL",
            "Creates the invoice and emails it to the customer",
            "The customer receives a copy by e-mail",
            "Money is collected from the card on file",
            "This bills the customer immediately",
            "Takes the money from your balance",
            "Posts it to the channel",
            "Text-messages the driver",
            "Deploys the change to production",
            "All other items move down by one",
            "Overwrites an item with the same title",
            "Deletes items with this number or higher",
            "Removes it together with its siblings",
        ] {
            assert!(says_consequence(sentence), "{sentence}");
        }
    }

    #[test]
    fn what_a_call_or_a_sentence_says_of_several_is_a_consequence() {
        for sentence in [
            "This endpoint reboots the device",
            "Calling this erases all stored measurements",
            "Everything here wipes the device",
            "Emails the owner",
            "Cancels the subscription of every member",
            "The account is closed and all of its devices are wiped",
            "Terminates the whole cluster",
            "Purges the CDN cache for the whole site",
            "The oldest record is removed",
            "Signs everybody out",
            "Logs every other device out",
            "Makes this the default",
            "The previous default loses the flag",
            "Publishes the page",
            "Propagates to all child pages",
            "Resets the password of the owner",
            "Applies to every record of the owner",
            "Replaces the whole collection",
            "Charges the difference to the card",
            "A second POST swaps it",
            "The whole team gets a Slack message",
            "The door unlocks for ten seconds",
            "After the change the device reboots",
            "The price of this changes",
            "Submits the order to the exchange",
            "All existing rules are dropped first",
            "The card on file is debited",
        ] {
            assert!(says_consequence(sentence), "{sentence}");
        }
    }

    #[test]
    fn a_denial_and_what_is_shown_or_stated_is_none() {
        for sentence in [
            "Nobody is notified",
            "Results are paged",
            "Costs are in EUR",
            "The logged-in user becomes the owner",
        ] {
            assert!(!says_consequence(sentence), "{sentence}");
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
            "Updates the existing pet",
            "The existing configuration is replaced",
            "Closes the current period",
            "Adds a comment to an existing issue",
            "Calls",
            "Calls of a user",
            "The service is deleted",
            "The customer is removed",
            "Assigns a role to the user",
            "The job starts at the given time",
            "Prices that change are marked",
            "The order can be moved",
            "The device after the change",
            "The machine before a move",
            "Older entries that are retired",
            "Events are sent to the URL",
            "Applies to drafts",
            "It has a name and sends no events",
            "A user who creates it and sends it later",
            "The money is in the account",
            "Takes the name from the path",
            "Posts it as a draft",
            "The other items are listed",
            "Replaces the item with the same id",
            "Removes one or more tags",
            "Removes it from the list",
            "This endpoint deletes the record",
            "This operation erases the record",
            "Erases the record",
            "Emails of the owner",
            "Removes the subscription",
            "Updates the values of all given fields",
            "The account is closed and its name is kept",
            "If it is closed and all of its devices are wiped",
            "Replaces the whole record",
            "Logs the change of the password",
            "Makes this field optional",
            "Makes it visible",
            "A second request returns 409",
            "Publishes of the page",
            "Resets the fields that are omitted",
            "The queue gets a message for each job",
            "The door number",
            "Submits the form",
            "Replaces the cache settings",
        ] {
            assert!(!says_consequence(sentence), "{sentence}");
        }
    }

    #[test]
    fn what_happens_by_itself_is_told_by_the_description_of_a_time() {
        for said in [
            "Days after which all files are purged",
            "On this day the price changes for all customers",
            "The date on which the customer is notified.",
            "From that date, all members are removed",
        ] {
            assert!(says_it_happens_by_itself(said), "{said}");
        }
        for said in [
            "The date on which the invoice was written",
            "Days after which it may be cancelled",
            "On this day the period begins",
            "The time of the last login",
            "The address at which the customer is notified",
            "The day on which the shop is closed",
        ] {
            assert!(!says_it_happens_by_itself(said), "{said}");
        }
    }

    #[test]
    fn a_summary_may_make_a_record_the_one_of_its_kind() {
        let makes = |summary: &str| makes_the_one(&camel_case_words(summary));
        assert!(makes("Make a photo the cover of the album") && makes("Declare the winner"));
        assert!(makes("Makes this address primary"));
        assert!(!makes("Make changes to the user") && !makes("Update the cover"));
    }

    #[test]
    fn a_record_that_nobody_has_yet_is_taken_from_all() {
        assert!(says_consequence("Assigns an idle worker"));
        assert!(says_consequence("Picks a vacant board"));
        assert!(!says_consequence("Picks a colour"));
        assert!(says_consequence("Refreshes other sessions"));
        assert!(!says_consequence("Refreshes the session"));
    }
}
