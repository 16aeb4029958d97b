//! Recognises the parameters with which a read does something: `recheck_all`, `mark_read`, `send_email`. The main
//! function is [`has_side_effect`].
//!
//! # Design
//!
//! Only a parameter's name and description say what it does, so both are searched for verbs. Leaving out a harmless
//! parameter costs the facts that it alone would show; sending a harmful one costs somebody a record. A switch is on or
//! off, so a verb at the beginning of its name says what it does; it need not be a boolean (`mark=1`). With any other
//! value, `start` and `send_after` filter, so there the name must have the object of the verb too (`send_email`), or be
//! a verb that no filter is named after. A name such as `archived` or `deleted` is a filter far more often, and counts
//! only if the description says so.

use serde_json::Value;

use super::Contract;
use super::consequence::says_consequence;
use super::document::Node;
use super::get_side_effects::is_cleared;
use super::lexicon::{
    ACTS, ACTS_ALONE, ACTS_ON_COLLECTION, ACTS_ON_RECORD, ALWAYS_ACTIONS, CHOOSES, CONSUMES, DETERMINERS, MARKED_AS,
    MESSAGES, PASSIVE, READERS, WITH_OBJECTS, ascii_words, camel_case_words, is_base_or_third_person, is_in,
    is_listed_action, sentences,
};
use super::operation::{Parameter, ParameterLocation};
use super::query::says_something_is_done;

/// Verbs that mean a side effect where a sentence begins with them and a determiner follows: "Start the job", not
/// "Start date".
const LEADING: [&str; 26] = [
    "acknowledge", "add", "archive", "assign", "charge", "commit", "confirm", "create", "email", "empty", "issue",
    "lock", "mark", "notify", "rebuild", "recalculate", "rename", "resume", "run", "send", "sign", "start", "stop",
    "switch", "sync", "update",
];

/// Words for what is shown, and how: "Sets the page size" and "Switches the output to XML" change nothing.
const SHOWN: [&str; 43] = [
    "api", "charset", "currency", "cursor", "date", "depth", "direction", "encoding", "end", "field", "fields",
    "filter", "format", "index", "items", "language", "length", "limit", "locale", "maximum", "minimum", "number",
    "offset", "order", "output", "page", "precision", "query", "radius", "range", "records", "response", "result",
    "results", "size", "sort", "sorting", "start", "style", "timeout", "timezone", "units", "version",
];

/// Objects of a verb that have no determiner.
const PRONOUNS: [&str; 3] = ["everything", "it", "them"];

/// More names of a single word that say that the parameter has a side effect, whatever value it has.
const ALONE: [&str; 6] = ["ackmode", "acks", "exec", "logout", "overwrite", "sudo"];

/// Verbs that are not nouns too: a name of one, alone or with its object, says what is done: `notify`, `send_email`.
const WITH_ANY_OBJECT: [&str; 32] = [
    "ack", "activate", "approve", "consume", "create", "deactivate", "decrement", "dequeue", "disable", "dismiss",
    "enable", "enqueue", "increment", "notify", "persist", "publish", "rebuild", "recalculate", "redeem", "regenerate",
    "renew", "reprocess", "requeue", "resend", "resync", "save", "send", "submit", "subscribe", "toggle", "unlock",
    "upsert",
];

/// Last words of names that say what a filter compares: `send_after`, `create_time` and `publish_year` do nothing.
const COMPARED: [&str; 52] = [
    "account", "after", "at", "before", "between", "by", "count", "cursor", "date", "dates", "datetime", "day", "dept",
    "end", "from", "gt", "gte", "id", "ids", "index", "limit", "lt", "lte", "max", "min", "month", "name", "no",
    "number", "offset", "on", "order", "org", "page", "range", "reason", "since", "size", "sort", "start", "state",
    "status", "time", "timestamp", "to", "type", "types", "until", "user", "username", "utc", "year",
];

/// Words that are nouns or adjectives too, each with the words that make it an action: `mark_read`, `charge_account`,
/// `lease_seconds`.
const NOUN_WITH_OBJECTS: [(&str, &[&str]); 11] = [
    ("charge", &["account", "card", "credits", "customer"]),
    ("lease", &["seconds", "timeout", "ttl"]),
    ("lock", &["record", "records", "row", "rows", "seconds", "timeout"]),
    ("mark", &["delivered", "handled", "notified", "processed", "viewed"]),
    ("new", &["passphrase", "password", "pin"]),
    ("run", &["now"]),
    ("set", &["active", "cookie", "default", "read", "seen", "unread"]),
    ("start", &["import", "job", "now", "scan", "session", "sync"]),
    ("sync", &["now"]),
    (
        "update",
        &["access", "cache", "counter", "index", "seen", "stats", "views"],
    ),
    ("visibility", &["timeout"]),
];

/// Values of a switch.
const SWITCH_VALUES: [&str; 12] = ["0", "1", "f", "false", "n", "no", "off", "on", "t", "true", "y", "yes"];

/// Whether the parameter has a side effect, as far as its name and its description say.
pub(crate) fn has_side_effect(contract: &Contract, parameter: &Parameter) -> bool {
    let node = contract.document.node(&parameter.pointer);
    let stated = parameter
        .schema
        .as_deref()
        .and_then(|schema| contract.document.node(schema));
    let described = |node: Option<&Node>| Some(node?.text_of("description")?.to_owned());
    // A schema that several parameters share says less about each of them.
    let description = described(node).or_else(|| described(stated)).unwrap_or_default();
    let schema = stated.map(|schema| contract.referred(schema));
    let is_switch = schema.is_some_and(|schema| is_switch(contract, (schema, 0)));
    is_for_another(&parameter.name)
        || name_has_side_effect(&parameter.name, is_switch || is_described_as_switch(&description))
        || says_side_effect(&description)
        || is_switch && switches_action(&description)
        || schema.is_some_and(|schema| counts_what_is_taken(&parameter.name, schema))
}

/// Whether a header has a side effect, as far as its name and the beginning of a sentence of its description say:
/// `X-Notify`. Other words say less there: an `If-Match` may be "needed to delete a record".
pub(crate) fn has_side_effect_as_header(contract: &Contract, parameter: &Parameter) -> bool {
    let name = plain_name(parameter);
    let schema = parameter
        .schema
        .as_deref()
        .and_then(|schema| contract.document.node(schema));
    let is_switch = schema.is_some_and(|schema| is_switch(contract, (contract.referred(schema), 0)));
    let mut descriptions = contract.descriptions_of(parameter).into_iter();
    let for_another = camel_case_words(name).iter().any(|word| word == "behalf");
    for_another
        || name_has_side_effect(name, is_switch)
        || descriptions.any(|description| says_what_it_does(&description.to_lowercase()))
}

/// Whether something happens to others where a parameter is not sent, as its description says: "If not set, the
/// customer gets a mail".
pub(crate) fn has_side_effect_if_absent(contract: &Contract, parameter: &Parameter) -> bool {
    let mut descriptions = contract.descriptions_of(parameter).into_iter();
    descriptions.any(says_side_effect_if_absent)
}

/// Whether a description says that something happens to others where its value is missing or `false`.
pub(crate) fn says_side_effect_if_absent(description: &str) -> bool {
    const ABSENT: [&str; 9] = [
        "absent", "default", "empty", "false", "missing", "not", "omitted", "unless", "without",
    ];
    sentences(description).any(|sentence| {
        sentence.split_once(',').is_some_and(|(condition, rest)| {
            let condition = camel_case_words(condition);
            let begins = condition
                .first()
                .is_some_and(|first| ["by", "if", "unless", "when", "without"].contains(&first.as_str()));
            begins && condition.iter().any(|word| ABSENT.contains(&word.as_str())) && says_consequence(rest)
        })
    })
}

/// Returns the name of a parameter, without the `X-` of a header.
pub(crate) fn plain_name(parameter: &Parameter) -> &str {
    let name = parameter.name.as_str();
    let is_extension = |rest: &&str| parameter.location == ParameterLocation::Header && !rest.is_empty();
    let extension = name.strip_prefix("X-").or_else(|| name.strip_prefix("x-"));
    extension.filter(is_extension).unwrap_or(name)
}

/// Whether a parameter says how many of what is read are taken away, or for how long: `pop=1`. But `take` is how many
/// records a page has.
fn counts_what_is_taken(name: &str, schema: &Node) -> bool {
    let name = name.to_ascii_lowercase();
    CONSUMES.contains(&name.as_str()) && name != "take" && schema.text_of("type") == Some("integer")
}

/// Whether a value of a parameter is a command, such as `delete` for `then`: the parameter chooses what is done with
/// what is read. Where `delete` is the name of what a record is about, as in a log of events, a read without it costs
/// only what that value would show.
pub(crate) fn is_command(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let words = camel_case_words(text);
    matches!(words.as_slice(), [word] if is_listed_action(word) || CONSUMES.contains(&word.as_str()))
}

/// Whether a schema is that of a switch: it admits only values such as on and off, of whatever type, or has `true` or
/// `false` as its default or example.
fn is_switch(contract: &Contract, (schema, depth): (&Node, usize)) -> bool {
    const DEPTH: usize = 3;
    let text = |value: Value| match value {
        Value::String(text) => text.to_lowercase(),
        value => value.to_string(),
    };
    let is_value = |value: &Node| SWITCH_VALUES.contains(&text(value.to_value()).as_str());
    let listed = schema.elements_of("enum");
    let kind = schema.text_of("type");
    let bound = |name: &str| schema.member(name).and_then(|bound| bound.to_value().as_i64());
    let is_bit = kind == Some("integer") && (bound("minimum"), bound("maximum")) == (Some(0), Some(1));
    let mut values = ["default", "example"].into_iter().filter_map(|key| schema.member(key));
    let has_value = values.any(|value| ["false", "true"].contains(&text(value.to_value()).as_str()));
    let pattern = schema.text_of("pattern").unwrap_or_default();
    let has_pattern = !pattern.is_empty()
        && ascii_words(pattern).all(|word| word == "01" || SWITCH_VALUES.contains(&word.to_lowercase().as_str()))
        && ascii_words(pattern).next().is_some();
    let parts = ["allOf", "anyOf", "oneOf"].into_iter().filter(|_| depth < DEPTH);
    let mut parts = parts.flat_map(|key| schema.elements_of(key));
    kind == Some("boolean")
        || !listed.is_empty() && listed.iter().all(is_value)
        || is_bit
        || has_value
        || has_pattern
        || parts.any(|part| is_switch(contract, (contract.referred(part), depth + 1)))
}

/// Whether a description gives the values of a switch: "Set to 1 to …", "true or false".
fn is_described_as_switch(description: &str) -> bool {
    const PAIRS: [(&str, &str); 4] = [("false", "true"), ("0", "1"), ("no", "yes"), ("off", "on")];
    let lower = description.to_lowercase();
    let words: Vec<_> = ascii_words(&lower).collect();
    let is_on = |word: &str| ["1", "true", "yes"].contains(&word);
    let are_pair = |one: &str, other: &str| PAIRS.contains(&(one, other)) || PAIRS.contains(&(other, one));
    let is_given = |three: &[&str]| match three {
        [one, "or", other] => are_pair(one, other),
        ["if" | "when", value, _] => *value == "true",
        _ => false,
    };
    let is_slashed = ["true/false", "false/true", "yes/no", "0/1", "1/0"]
        .iter()
        .any(|pair| lower.contains(pair));
    // Only at the beginning: further on, it may be another parameter that must "be set to true".
    let begins = sentences(&lower).any(|sentence| {
        let words: Vec<_> = ascii_words(sentence).take(4).collect();
        matches!(words.as_slice(), ["set", "to", value, ..] | ["set", "this", "to", value] if is_on(value))
    });
    words.windows(3).any(is_given) || is_slashed || begins
}

/// Whether a description says that the parameter does something, whatever value it has: "Mark the messages as read",
/// "If given, the customer is notified".
pub(super) fn says_side_effect(description: &str) -> bool {
    let lower = description.to_lowercase();
    let mut begin = ascii_words(&lower);
    // "Set pause state" is a side effect; "Set to true to list all" says how the parameter is used.
    let sets = begin.next() == Some("set") && begin.next().is_some_and(|second| !["of", "to"].contains(&second));
    sets || ascii_words(&lower).any(|word| ALWAYS_ACTIONS.contains(&word)) || says_what_it_does(&lower)
}

/// Whether a sentence of a description in lower case says what the parameter does.
fn says_what_it_does(description: &str) -> bool {
    sentences(description).any(|sentence| {
        let words: Vec<_> = ascii_words(sentence).collect();
        let mut clauses = sentence
            .split([',', ':', '('])
            .map(|clause| ascii_words(clause).collect::<Vec<_>>());
        begins_with_verb(&words)
            || matches!(words.as_slice(), ["the", "new", _, ..])
            || is_cleared(&camel_case_words(sentence))
            || is_handed_out(&words)
            || is_sent_there(&words)
            || clauses.any(|clause| marks(&clause))
            || is_done_if_given(sentence)
    })
}

/// Whether a sentence begins with a verb and its object: "Also sends the invoice".
fn begins_with_verb(sentence: &[&str]) -> bool {
    let sentence = sentence.strip_prefix(&["also"]).unwrap_or(sentence);
    let [first, second, ..] = sentence else { return false };
    let is = |verb: &str| is_base_or_third_person(first, verb);
    let may_show = is("set") || is("switch");
    is_in(&[&DETERMINERS, &PRONOUNS], second)
        && (LEADING.iter().any(|verb| is(verb)) || *first == "sets")
        && !(may_show && sentence.iter().any(|word| SHOWN.contains(word)))
}

/// Words after which a sentence says what is meant, not what is done: "tickets that are assigned to the caller".
const RELATIVE: [&str; 9] = [
    "if", "only", "that", "when", "where", "whether", "which", "who", "whose",
];

/// Whether a sentence says that what is read is taken, or given to the caller: "How many messages are taken from the
/// queue", "At most this many jobs are assigned to the caller".
fn is_handed_out(sentence: &[&str]) -> bool {
    const SOURCES: [&str; 6] = ["buffer", "inbox", "mailbox", "pool", "queue", "stock"];
    let is_done = |at: usize| {
        let ends_in = |ends: &[&str]| sentence[at + 2..].iter().take(3).any(|word| ends.contains(word));
        let is_taken = match sentence[at + 1] {
            "popped" | "removed" | "taken" => ends_in(&SOURCES),
            "assigned" | "given" | "leased" | "locked" | "reserved" => ends_in(&READERS),
            _ => false,
        };
        PASSIVE.contains(&sentence[at]) && is_taken && !sentence[..at].iter().any(|word| RELATIVE.contains(word))
    };
    (1..sentence.len().saturating_sub(1)).any(is_done)
}

/// Whether a sentence says that something is sent to the value: "A copy of the report goes to this address".
fn is_sent_there(sentence: &[&str]) -> bool {
    sentence.windows(3).enumerate().any(|(at, three)| {
        let is_verb = three[0] == "goes" || at > 0 && PASSIVE.contains(&sentence[at - 1]);
        let is_sent = matches!(three, ["goes" | "mailed" | "sent", "to", "this"]);
        is_sent && is_verb && !sentence[..at].iter().any(|word| RELATIVE.contains(word))
    })
}

/// Whether a clause says that something is marked: "Marks messages as read", "to mark them as seen", but not "messages
/// that are marked as read".
fn marks(clause: &[&str]) -> bool {
    const BEFORE: [&str; 6] = ["also", "and", "automatically", "optionally", "then", "to"];
    clause.iter().enumerate().any(|(at, word)| {
        let is_verb = ["mark", "marks"].contains(word) && (at == 0 || BEFORE.contains(&clause[at - 1]));
        let mut after = clause[at + 1..].windows(2).take(5);
        is_verb && after.any(|pair| pair[0] == "as" && MARKED_AS.contains(&pair[1]))
    })
}

/// Whether a sentence says that something is done where the parameter is given: "If set, the caller is logged out".
fn is_done_if_given(sentence: &str) -> bool {
    const DONE: [&str; 23] = [
        "acknowledged", "cancelled", "charged", "consumed", "created", "deactivated", "deleted", "dequeued", "emailed",
        "erased", "invalidated", "locked", "logged", "marked", "notified", "purged", "reserved", "revoked", "saved",
        "signed", "stored", "wiped", "written",
    ];
    const NEGATIVE: [&str; 7] = ["absent", "empty", "missing", "no", "not", "null", "omitted"];
    let Some((condition, rest)) = sentence.split_once(',') else {
        return false;
    };
    let condition: Vec<_> = ascii_words(condition).collect();
    let rest: Vec<_> = ascii_words(rest).collect();
    let is_given = ["if", "when"].contains(condition.first().unwrap_or(&""));
    let is_done = |at: usize| {
        let (before, word) = (&rest[..at], rest[at]);
        let is_message = || before.iter().any(|word| is_in(&[&MESSAGES, &["message"]], word));
        let is_out = || rest.get(at + 1).is_some_and(|next| ["off", "out"].contains(next));
        let is_passive = before.last().is_some_and(|verb| PASSIVE.contains(verb));
        let is_complete = match word {
            "sent" => is_message(),
            "logged" | "signed" => is_out(),
            word => DONE.contains(&word),
        };
        is_passive && is_complete && !before.iter().any(|word| RELATIVE.contains(word))
    };
    // "If given, written to the register", but not "If given, created in this year".
    let is_kept = matches!(rest.as_slice(), ["saved" | "stored" | "written", "in" | "to", ..]);
    is_given && !condition.iter().any(|word| NEGATIVE.contains(word)) && (is_kept || (1..rest.len()).any(is_done))
}

/// Whether the description of a switch says that something is done when it is on: "the messages are deleted
/// afterwards", but not "deleted messages too". "Set to true" only says how to use it.
fn switches_action(description: &str) -> bool {
    let words: Vec<_> = camel_case_words(description)
        .into_iter()
        .filter(|word| word != "set")
        .collect();
    let logs_out = words
        .windows(2)
        .any(|pair| pair[0].starts_with("log") && pair[1] == "out");
    says_something_is_done(&words) || logs_out
}

/// Whether a parameter or a field with this name has a side effect, or chooses what is done, whatever the path says. A
/// switch is a parameter that is on or off.
pub(crate) fn name_has_side_effect(name: &str, is_switch: bool) -> bool {
    // Words that name an action in the name of a switch, but not in a path.
    const SWITCHED: [&str; 15] = [
        "autoread", "bill", "burn", "cleanup", "destruct", "destructive", "final", "gc", "pay", "recalc", "rescan",
        "signout", "store", "sweep", "wake",
    ];
    // Those that do so only as the whole name: `has_power` filters.
    const SWITCHED_ALONE: [&str; 4] = ["crash", "power", "relay", "turn"];
    const CALLS: [&str; 2] = ["callback", "webhook"];
    let words = camel_case_words(name);
    let Some(first) = words.first() else { return false };
    // The value of `autocomplete` is what is looked for.
    let is_automatic = match words.as_slice() {
        [auto, verb] => auto == "auto" && is_verb(verb),
        [only] => only
            .strip_prefix("auto")
            .is_some_and(|verb| verb != "complete" && (is_verb(verb) || is_listed_action(verb))),
        _ => false,
    };
    let is_switched = |word: &String| SWITCHED.contains(&word.as_str());
    words
        .iter()
        .any(|word| is_listed_action(word) || CALLS.contains(&word.as_str()))
        || matches!(words.as_slice(), [only] if CHOOSES.contains(&only.as_str())
            || is_switch && SWITCHED_ALONE.contains(&only.as_str()))
        || is_automatic
        || is_instruction(&words)
        || is_switch && (is_verb(first) || words.iter().any(is_switched))
}

/// Whether a name says on whose behalf the call is made, or to whom something is sent: `run_as`, `email_to`.
fn is_for_another(name: &str) -> bool {
    const SENDS: [&str; 6] = ["copy", "email", "forward", "mail", "notify", "send"];
    let words = camel_case_words(name);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["impersonate" | "impersonated", ..] | ["as", "user"] | ["act" | "acting" | "run", "as"] => true,
        [verb, "to"] => SENDS.contains(verb),
        words => words.contains(&"behalf"),
    }
}

/// Whether a word is a verb for an action, alone or beside its object.
fn is_verb(word: &str) -> bool {
    let lists = [&ACTS_ALONE[..], &ACTS, &ACTS_ON_RECORD, &ACTS_ON_COLLECTION, &CONSUMES];
    is_in(&lists, word)
}

/// Whether the words of a name say what is done, whatever value the parameter has.
fn is_instruction(words: &[String]) -> bool {
    let has_objects = |verb: &str, objects: &[&str]| match words {
        [only] => only
            .strip_prefix(verb)
            .is_some_and(|object| objects.contains(&object.strip_prefix("as").unwrap_or(object))),
        [first, rest @ ..] => first == verb && rest.iter().any(|word| objects.contains(&word.as_str())),
        [] => false,
    };
    let all = WITH_OBJECTS.iter().chain(&NOUN_WITH_OBJECTS);
    let mut objects = all.filter(|(verb, _)| !is_listed_action(verb));
    objects.any(|(verb, objects)| has_objects(verb, objects))
        || match words {
            [only] => is_in(&[&WITH_ANY_OBJECT, &ALONE, &["sendemail", "sendmail", "sendsms"]], only),
            [verb, .., last] => {
                let is_compared = COMPARED.contains(&last.as_str()) || ["date", "time"].contains(&words[1].as_str());
                // `notify_user` names who is told, not what a filter compares.
                let is_told = verb == "notify" && last.starts_with("user");
                let is_of_all = ["all", "everything", "them"].contains(&last.as_str());
                WITH_ANY_OBJECT.contains(&verb.as_str()) && (!is_compared || is_told) || is_of_all && is_verb(verb)
            }
            [] => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the parameter of a read has a side effect.
    fn acts_as_stated(stated: &str) -> bool {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /a: {{get: {{parameters: [{{in: query, {stated}}}], \
             responses: {{'200': {{description: a}}}}}}}}\n"
        );
        let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        has_side_effect(&contract, &contract.operations[0].parameters[0])
    }

    #[test]
    fn a_name_that_says_what_is_done_acts_whatever_its_type() {
        let names = [
            "mark_read", "markAsRead", "mark_messages_read", "auto_ack", "autoAck", "ackmode", "recheck_all",
            "send_email", "sendEmail", "sendmail", "resend", "notify", "notify_user", "save_history", "create_missing",
            "publish-event", "redeem_code", "renew_lease", "ack_messages", "consume", "close_all", "charge_account",
            "update_last_seen", "set_read", "start_sync", "trim_logs", "logout", "lease_seconds", "visibility_timeout",
            "new_password", "sudo", "exec", "run_as", "as_user", "on_behalf_of", "impersonate_user", "email_to",
            "forwardTo",
        ];
        let schemas = [
            "{type: boolean}",
            "{type: string}",
            "{type: integer}",
            "{type: string, enum: ['1', '0']}",
            "{type: integer, enum: [0, 1]}",
            "{type: string, enum: [all, none]}",
            "{type: array, items: {type: string}}",
            "{}",
        ];
        for (name, schema) in names.iter().flat_map(|name| schemas.map(|schema| (name, schema))) {
            assert!(
                acts_as_stated(&format!("name: {name}, schema: {schema}")),
                "{name} {schema}"
            );
        }
    }

    #[test]
    fn a_name_of_what_is_compared_or_shown_does_not_act() {
        for stated in [
            "name: send_after, schema: {type: string}",
            "name: created_after, schema: {type: string}",
            "name: sent_to, schema: {type: string}",
            "name: from_to, schema: {type: string}",
            "name: user, schema: {type: string}",
            "name: runs, schema: {type: integer}",
            "name: read, schema: {type: string}",
            "name: read, schema: {type: boolean}",
            "name: unread, schema: {type: integer}",
            "name: marked, schema: {type: string}",
            "name: mark, schema: {type: string}",
            "name: start, schema: {type: integer}",
            "name: start_date, schema: {type: string}",
            "name: end, schema: {type: string}",
            "name: open, schema: {type: string}",
            "name: open_now, schema: {type: string}",
            "name: update_time, schema: {type: string}",
            "name: createTime, schema: {type: string}",
            "name: create_user, schema: {type: string}",
            "name: create_by, schema: {type: string}",
            "name: createUserId, schema: {type: integer}",
            "name: publish_year, schema: {type: integer}",
            "name: send_status, schema: {type: string, enum: [sent, failed]}",
            "name: submit_date_from, schema: {type: string}",
            "name: renew_before, schema: {type: string}",
            "name: approve_state, schema: {type: string}",
            "name: set, schema: {type: string}",
            "name: set_code, schema: {type: string}",
            "name: take, schema: {type: integer}",
            "name: pop, schema: {type: string}",
            "name: run_id, schema: {type: string}",
            "name: block_number, schema: {type: integer}",
            "name: release, schema: {type: string}",
            "name: share_type, schema: {type: string}",
            "name: transfer_id, schema: {type: string}",
            "name: login, schema: {type: string}",
            "name: sender, schema: {type: string}",
            "name: autocomplete, schema: {type: string}",
            "name: archived, schema: {type: string, enum: ['true', 'false']}",
            "name: email, schema: {type: string}",
            "name: consumer_group, schema: {type: string}",
            "name: lease_type, schema: {type: string}",
            "name: visibility, schema: {type: string}",
            "name: new_since, schema: {type: string}",
            "name: power, schema: {type: integer}",
            "name: has_power, schema: {type: boolean}",
            "name: turn, schema: {type: string}",
            "name: probability, schema: {type: number, minimum: 0, maximum: 1}",
        ] {
            assert!(!acts_as_stated(stated), "{stated}");
        }
    }

    #[test]
    fn a_switch_acts_by_its_verb_whatever_its_type() {
        for schema in [
            "{type: boolean}",
            "{type: string, enum: ['1', '0']}",
            "{type: string, enum: ['yes', 'no']}",
            "{type: integer, enum: [0, 1]}",
            "{type: integer, minimum: 0, maximum: 1}",
            "{type: string, default: 'false'}",
            "{type: string, pattern: '^(true|false)$'}",
            "{type: string, pattern: '^[01]$'}",
            "{anyOf: [{type: boolean}, {type: string}]}",
            "{type: string}, description: 'true or false'",
            "{type: integer}, description: 'Set to 1 to start at once'",
        ] {
            assert!(acts_as_stated(&format!("name: start, schema: {schema}")), "{schema}");
        }
        for schema in [
            "{type: string, enum: [today, tomorrow]}",
            "{type: integer, minimum: 0, maximum: 100}",
            "{type: integer, default: 0}",
            "{type: string, pattern: '^[0-9]+$'}",
            "{type: string}, description: 'Where the list begins, 1 or later'",
        ] {
            assert!(!acts_as_stated(&format!("name: start, schema: {schema}")), "{schema}");
        }
    }

    #[test]
    fn some_names_are_those_of_a_switch_that_acts() {
        for name in ["power", "turn", "crash"] {
            assert!(
                acts_as_stated(&format!("name: {name}, schema: {{type: string, enum: ['on', 'off']}}")),
                "{name}"
            );
        }
    }

    #[test]
    fn a_description_that_says_what_is_set_taken_or_sent_acts() {
        for description in [
            "Sets the log level",
            "Sets the volume",
            "Switches the heating to this mode",
            "The new status",
            "Renames the device",
            "If given, written to the register",
            "If given, the value is written to the register",
            "Acknowledges the messages up to here",
            "Confirms all updates before this one",
            "Number of messages to receive; they are deleted",
            "How many messages are taken from the queue",
            "At most this many jobs are assigned to the caller",
            "A copy of the report goes to this address",
        ] {
            let stated = format!("name: x, schema: {{type: string}}, description: '{description}'");
            assert!(acts_as_stated(&stated), "{description}");
        }
        for description in [
            "Sets the page size",
            "Sets the maximum number of results to return",
            "Switches the output to XML",
            "New records since this date",
            "The status",
            "The name of the device",
            "The level of the messages that were logged",
            "If given, created in this year",
            "If given, stored values are compared with it",
            "Only tickets that are assigned to the caller",
            "Whether tickets are assigned to the caller",
            "How many samples are taken from each class",
            "The address to which the report is sent",
            "Messages sent to this address",
            "Records in the trash are included; they are deleted after 30 days",
            "Filters by status",
        ] {
            let stated = format!("name: x, schema: {{type: string}}, description: '{description}'");
            assert!(!acts_as_stated(&stated), "{description}");
        }
    }

    #[test]
    fn a_description_that_says_what_is_done_acts_whatever_the_type() {
        for (kind, description) in ["boolean", "string", "integer"].into_iter().flat_map(|kind| {
            [
                "Mark the messages as read.",
                "Marks messages as read",
                "1: mark messages as seen",
                "Set to 1 to mark what is returned as read",
                "How many to return. Also marks them as read",
                "If set, the caller is logged out",
                "If given, the customer is notified",
                "When present, a reminder is sent to the owner.",
                "If set, returned messages are deleted",
                "The reader. Notifies the owner",
                "Sends a copy to the owner",
            ]
            .map(|description| (kind, description))
        }) {
            let stated = format!("name: x, schema: {{type: {kind}}}, description: '{description}'");
            let in_schema = format!("name: x, schema: {{type: {kind}, description: '{description}'}}");
            assert!(acts_as_stated(&stated) && acts_as_stated(&in_schema), "{stated}");
        }
    }

    #[test]
    fn a_description_of_a_filter_does_not_act() {
        for description in [
            "Only messages that are marked as read",
            "Filter by whether messages are marked as read",
            "If set, only messages that are deleted are listed",
            "If omitted, all messages are deleted from the list",
            "If given, records created after this date are returned",
            "If present, the results are sorted",
            "If set, the response is sent as an attachment",
            "The date on which the invoice was sent",
            "Send date",
            "Start of the range",
            "Mark of the car",
            "Emails to look for",
            "Marks of the product",
            "The position at which to begin. This requires `usemarker` to be set to `true`.",
        ] {
            let stated = format!("name: x, schema: {{type: string}}, description: '{description}'");
            assert!(!acts_as_stated(&stated), "{stated}");
        }
    }

    #[test]
    fn a_name_that_acts_on_an_object_acts_alone_too() {
        for name in ["enable", "increment", "decision", "transition"] {
            assert!(name_has_side_effect(name, false), "{name}");
        }
        for name in ["enabled", "increments", "decisions", "state"] {
            assert!(!name_has_side_effect(name, false), "{name}");
        }
    }
}
