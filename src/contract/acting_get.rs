//! Recognises GETs that act in spite of their method: `/flushdb`, `/mail/send`, "Opens the front door", a message that is
//! deleted after it was read. The main function is [`acts`].
//!
//! # Design
//!
//! Words are the only evidence, so their place counts. The last segment of a path is a command if it is a verb in the
//! imperative, alone or with its object, and a summary is one if it begins with a verb and says of what. A summary that
//! begins with a verb that reads settles that the path names a thing ("List open orders" for `/orders/open`). So does a
//! name of several before the verb: `/doors/open` filters, `/door/open` opens. Verbs that are nouns too (`block`, `copy`,
//! `release`) are not commands on their own.

use super::document::Document;
use super::operation::Operation;
use super::query::{
    ACTS, ACTS_ALONE, ACTS_ON_COLLECTION, ACTS_ON_RECORD, DETERMINERS, NEVER_A_NOUN, SWITCHES, THINGS, ends_session,
    is_action, is_in, is_said_of_subject, said, sentences, stated, without_prefixes, words,
};

/// Verbs that are a command where they are all of the last segment.
pub(super) const COMMANDS: [&str; 86] = [
    "accept",
    "activate",
    "announce",
    "anonymise",
    "anonymize",
    "approve",
    "arm",
    "assign",
    "beep",
    "broadcast",
    "calibrate",
    "confirm",
    "create",
    "deactivate",
    "deallocate",
    "decline",
    "decrement",
    "defrag",
    "detach",
    "disarm",
    "dismiss",
    "eject",
    "emit",
    "empty",
    "enqueue",
    "escalate",
    "estop",
    "exit",
    "failover",
    "forcemerge",
    "forget",
    "format",
    "freeze",
    "handover",
    "hangup",
    "hide",
    "increment",
    "insert",
    "install",
    "invalidate",
    "kick",
    "lockdown",
    "modify",
    "mount",
    "mutate",
    "notify",
    "open",
    "optout",
    "overwrite",
    "payout",
    "persist",
    "poweron",
    "promote",
    "provision",
    "publish",
    "recalculate",
    "reconcile",
    "reconnect",
    "redact",
    "reject",
    "relinquish",
    "rename",
    "renew",
    "replace",
    "resend",
    "resync",
    "retry",
    "revert",
    "save",
    "scrub",
    "send",
    "snooze",
    "spawn",
    "standby",
    "stepdown",
    "switchover",
    "takeover",
    "toggle",
    "umount",
    "unblock",
    "unlock",
    "unmount",
    "update",
    "upsert",
    "wake",
    "write",
];

/// Verbs that are not also nouns: followed by an object, one is a command: `sendReminder`, `rotate-keys`.
const IMPERATIVE: [&str; 31] = [
    "activate",
    "approve",
    "create",
    "deactivate",
    "disable",
    "disarm",
    "dismiss",
    "eject",
    "enable",
    "enqueue",
    "forget",
    "insert",
    "install",
    "invalidate",
    "notify",
    "publish",
    "redeem",
    "reject",
    "renew",
    "resend",
    "rotate",
    "save",
    "send",
    "set",
    "submit",
    "toggle",
    "trim",
    "unblock",
    "unlock",
    "unmount",
    "withdraw",
];

/// Verbs that are a command only with certain objects: `emptyTrash`, but not `empty-rooms`.
const WITH_OBJECTS: [(&str, &[&str]); 9] = [
    ("ban", &["account", "address", "ip", "user"]),
    ("close", &["account", "session"]),
    (
        "drop",
        &["cache", "caches", "database", "db", "index", "table", "tables"],
    ),
    ("empty", &["basket", "bin", "cart", "folder", "inbox", "queue", "trash"]),
    ("mark", &["all", "as", "done", "read", "seen", "unread"]),
    ("power", &["cycle"]),
    ("reset", &["cache", "counters", "metrics", "stats", "statistics"]),
    ("roll", &["key", "keys", "secret", "secrets"]),
    ("trim", &["log", "logs"]),
];

/// Words before a verb that make a command of both: `emergency-stop`, `factoryDefaults`.
const EMPHASES: [&str; 9] = [
    "cold",
    "emergency",
    "factory",
    "force",
    "hard",
    "safe",
    "soft",
    "system",
    "warm",
];

/// Words after a verb that say that what the segment names is shown: `/orders/create-form`.
const SHOWN: [&str; 8] = [
    "data", "fields", "form", "meta", "metadata", "preview", "schema", "template",
];

/// Verbs with which the summary of a read may begin too: "Resolve a name", "Format a number".
const MAY_SHOW: [&str; 28] = [
    "accept",
    "apply",
    "attach",
    "begin",
    "complete",
    "convert",
    "copy",
    "create",
    "edit",
    "expire",
    "format",
    "generate",
    "import",
    "init",
    "join",
    "login",
    "open",
    "prepare",
    "produce",
    "redact",
    "resolve",
    "run",
    "sign",
    "submit",
    "sync",
    "synchronize",
    "take",
    "verify",
];

/// Verbs with which a summary says that it reads.
const READS: [&str; 22] = [
    "browse", "check", "count", "describe", "display", "download", "export", "fetch", "filter", "find", "get", "list",
    "look", "lookup", "obtain", "query", "read", "retrieve", "return", "search", "show", "view",
];

/// Participles of what happens to a record that cannot be read again.
const TAKEN: [&str; 12] = [
    "acknowledged",
    "cleared",
    "consumed",
    "deleted",
    "dequeued",
    "discarded",
    "erased",
    "expunged",
    "flushed",
    "purged",
    "removed",
    "wiped",
];

/// Words for the moment at which a record is read.
const READING: [&str; 13] = [
    "call",
    "delivered",
    "delivery",
    "download",
    "downloaded",
    "fetched",
    "read",
    "reading",
    "request",
    "retrieval",
    "retrieved",
    "returned",
    "shown",
];

/// Phrases that say that a record can be read no more.
const GONE: [&str; 5] = [
    "after that it is gone",
    "are then gone",
    "is gone afterwards",
    "is then gone",
    "not be returned again",
];

/// Whether a GET does something, as far as the last segment of its path, its summary and its description say.
pub(super) fn acts(document: &Document, operation: &Operation) -> bool {
    let summary = stated(document, operation, "summary").map(without_prefixes);
    let reads = summary.as_deref().is_some_and(is_said_to_read);
    let mut sentences = said(document, operation).flat_map(sentences);
    !reads && (is_command(&operation.path) || summary.as_deref().is_some_and(says_command))
        || sentences.any(says_it_consumes)
}

fn is_said_to_read(words: &[String]) -> bool {
    let is_read = |first: &String| READS.iter().any(|verb| is_said_of_subject(first, verb));
    words.first().is_some_and(is_read)
}

/// Whether a path ends with a command.
fn is_command(path: &str) -> bool {
    let mut segments = path.trim_end_matches('/').rsplit('/');
    let last = segments.next().filter(|last| !last.contains('{'));
    let last = words(last.unwrap_or_default());
    // An interface of the form `/#Action=SendEmail` names its operations there.
    let last = last.strip_prefix(&["action".to_owned()]).unwrap_or(&last);
    let before = segments.next().filter(|before| !before.is_empty());
    match last {
        [] => false,
        [only] => is_command_alone(only, before),
        [first, .., end] => is_command_of_words(first, end, last),
    }
}

/// Whether one word is a command, by what is before it in the path: `/relay/off`, `/killall`, but not `/orders/open`.
fn is_command_alone(word: &str, before: Option<&str>) -> bool {
    let is_switch = before.is_some() && ["off", "on"].contains(&word);
    let of_several = before.is_some_and(|before| before.ends_with('s') && !before.ends_with("ss"));
    let mut glued = ["all", "db", "everything", "now"]
        .into_iter()
        .filter_map(|end| word.strip_suffix(end));
    let is_glued = glued.any(|verb| is_action(verb) || is_in(&[&ACTS_ALONE, &COMMANDS], verb));
    // What a record may do is told by other words: `/images/{id}/format` is a thing.
    let is_of_record = before.is_some_and(|before| before.contains('{'));
    is_switch || is_glued || !of_several && !is_of_record && COMMANDS.contains(&word)
}

/// Whether several words are a command, of which these are the first and the last.
fn is_command_of_words(first: &str, end: &str, words: &[String]) -> bool {
    let is_shown = SHOWN.contains(&end) || THINGS.contains(&end);
    let has_object = WITH_OBJECTS
        .iter()
        .any(|(verb, objects)| *verb == first && objects.contains(&words[1].as_str()));
    let is_verb = |word: &str| is_action(word) || is_in(&[&ACTS, &ACTS_ALONE, &["cycle", "defaults"]], word);
    let is_pair = words.len() == 2;
    let is_turned = is_pair && (SWITCHES.contains(&first) || ["quiet", "step"].contains(&first)) && end == "down"
        || is_pair && ["off", "on"].contains(&end) && !["add", "log", "sign"].contains(&first);
    has_object
        || is_turned
        || IMPERATIVE.contains(&first) && (NEVER_A_NOUN.contains(&first) || !is_shown)
        || EMPHASES.contains(&first) && is_pair && is_verb(end)
        || is_pair && ["all", "everything"].contains(&end) && ["rm", "stop"].contains(&first)
        || end == "everywhere" && ends_session(&words[..words.len() - 1])
}

/// Whether a summary begins with a verb for an action and says of what: "Opens the front door", "Leave the group".
fn says_command(words: &[String]) -> bool {
    let [first, object, ..] = words else { return false };
    let lists = [&ACTS[..], &ACTS_ALONE, &ACTS_ON_COLLECTION, &ACTS_ON_RECORD, &COMMANDS];
    let mut verbs = lists.into_iter().flatten().filter(|verb| !MAY_SHOW.contains(verb));
    DETERMINERS.contains(&object.as_str()) && verbs.any(|verb| is_said_of_subject(first, verb))
}

/// Whether a sentence about a read says that what is read is taken away or changed by it: "can be read once", "deleted
/// after retrieval", "Returns the messages and marks them as read".
fn says_it_consumes(sentence: &str) -> bool {
    let whole = words(sentence);
    let is_condition = |word: &String| ["cannot", "if", "never", "not", "until", "whether"].contains(&word.as_str());
    if GONE.iter().any(|phrase| sentence.contains(phrase)) {
        return true;
    }
    let mut clauses = sentence.split([',', ':', '(', ')']).map(words);
    !whole.iter().any(is_condition)
        && (clauses.any(|clause| is_read_once(&clause) || is_taken_by_reading(&clause) || clears(&clause))
            || marks_as_read(&whole)
            || is_said_to_read(&whole) && takes_what_it_returns(&whole))
}

/// Whether a clause ends like "can be read once".
fn is_read_once(clause: &[String]) -> bool {
    const READ: [&str; 5] = ["delivered", "downloaded", "fetched", "read", "retrieved"];
    let [before @ .., last] = clause else { return false };
    let counts = before
        .last()
        .is_some_and(|word| ["at", "least", "than"].contains(&word.as_str()));
    last == "once" && !counts && before.iter().any(|word| READ.contains(&word.as_str()))
}

/// Whether a clause says "deleted after retrieval" or "messages returned by this call are removed".
fn is_taken_by_reading(clause: &[String]) -> bool {
    let is_moment = |word: &String| ["after", "once", "upon", "when"].contains(&word.as_str());
    let is_reading = |word: &String| READING.contains(&word.as_str());
    let Some(at) = clause.iter().position(|word| TAKEN.contains(&word.as_str())) else {
        return false;
    };
    let after = &clause[at + 1..];
    let is_followed = after.first().is_some_and(is_moment) && after.iter().take(5).any(is_reading);
    let by_call = clause[..at]
        .windows(2)
        .any(|pair| pair[0] == "this" && pair[1] == "call");
    is_followed || by_call && ["are", "is"].contains(&clause[at - 1].as_str())
}

/// Whether a clause says of what was named before it that it destroys something: "which invalidates the previous one".
fn clears(clause: &[String]) -> bool {
    const CLEARS: [&str; 9] = [
        "clears",
        "deletes",
        "empties",
        "erases",
        "invalidates",
        "purges",
        "removes",
        "resets",
        "wipes",
    ];
    matches!(clause, [which, verb, ..] if which == "which" && CLEARS.contains(&verb.as_str()))
}

/// Whether a sentence says "marks them as read" or "messages are marked as seen", but not "messages that are marked".
fn marks_as_read(words: &[String]) -> bool {
    const STATES: [&str; 5] = ["acknowledged", "delivered", "read", "seen", "viewed"];
    let relative = ["can", "that", "when", "which", "who"];
    let is_relative = |word: &String| relative.contains(&word.as_str());
    words.iter().enumerate().any(|(at, word)| {
        let is_done = word == "marks"
            || word == "marked"
                && at > 0
                && ["are", "is"].contains(&words[at - 1].as_str())
                && !words[..at].iter().any(is_relative);
        let mut after = words[at + 1..].windows(2).take(4);
        is_done && after.any(|pair| pair[0] == "as" && STATES.contains(&pair[1].as_str()))
    })
}

/// Whether a sentence that begins with a verb that reads goes on like "and removes them".
fn takes_what_it_returns(words: &[String]) -> bool {
    let is_object = |word: &str| DETERMINERS.contains(&word) || ["it", "them", "these", "those"].contains(&word);
    words.windows(3).any(|three| {
        let verb = three[1].strip_suffix('s');
        ["and", "then"].contains(&three[0].as_str()) && verb.is_some_and(is_action) && is_object(&three[2])
    })
}

#[cfg(test)]
mod tests {
    use super::super::operation::OperationId;
    use super::super::query::has_side_effect;
    use crate::contract::testing::of_paths;

    fn is_left_out(path: &str, said: &str) -> bool {
        let name = path.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
        let parameter = name.map_or_else(String::new, |(name, _)| {
            format!("parameters: [{{name: {name}, in: path, required: true, schema: {{type: string}}}}], ")
        });
        let paths = format!("{path}:\n  get: {{{parameter}{said}responses: {{'200': {{description: a}}}}}}\n");
        let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
        has_side_effect(&contract.document, contract.operation(OperationId(0)))
    }

    #[test]
    fn a_last_segment_in_the_imperative_is_a_command() {
        for path in [
            "/flushdb",
            "/emptyTrash",
            "/deleteall",
            "/killall",
            "/format",
            "/factoryDefaults",
            "/emergency-stop",
            "/power/off",
            "/power-cycle",
            "/failover",
            "/promote",
            "/lockdown",
            "/door/open",
            "/alarm/disarm",
            "/rotate-keys",
            "/keys/roll-keys",
            "/reset-counters",
            "/payout",
            "/mail/send",
            "/sendReminder",
            "/broadcast",
            "/mark-read",
            "/close-account",
            "/forgetUser",
            "/logoutEverywhere",
            "/firmware/update",
            "/deactivate",
            "/banIp",
            "/stepDown",
            "/trimLogs",
            "/rmAll",
            "/dropCaches",
            "/system-prune",
            "/resetStats",
            "/createToken",
            "/quietDown",
            "/exit",
            "/_forcemerge",
            "/setWebhook",
            "/gpio/write",
            "/lights-off",
            "/#Action=SendEmail",
        ] {
            assert!(is_left_out(path, ""), "{path}");
        }
    }

    #[test]
    fn a_last_segment_that_names_a_thing_is_no_command() {
        for (path, summary) in [
            ("/orders/open", ""),
            ("/orders/open", "summary: List open orders, "),
            ("/order/open", "summary: Returns the open order, "),
            ("/stats/reset-times", ""),
            ("/doors/{id}", ""),
            ("/mail/received", "summary: List received mails, "),
            ("/status/{state}", ""),
            ("/records/deleted", ""),
            ("/tasks/closed", ""),
            ("/broadcasts", ""),
            ("/empty-rooms", ""),
            ("/closing-prices", ""),
            ("/close-price", ""),
            ("/orders/create-form", ""),
            ("/ban-list", ""),
            ("/mark-types", ""),
            ("/formats", ""),
            ("/updates", ""),
            ("/firmware/update", "summary: Get the latest update, "),
            ("/leave", ""),
            ("/block", ""),
            ("/releases/latest", ""),
            ("/add-on", ""),
            ("/markdown", ""),
            ("/small", ""),
            ("/payouts", ""),
            ("/step", ""),
        ] {
            assert!(!is_left_out(path, summary), "{path} {summary}");
        }
    }

    #[test]
    fn a_summary_in_the_imperative_is_a_command() {
        for summary in [
            "Sends the pending mails",
            "Leave the group",
            "Toggle the relay",
            "Updates the firmware",
            "Publish the site",
            "Close the account",
        ] {
            assert!(is_left_out("/things", &format!("summary: {summary}, ")), "{summary}");
        }
        for summary in [
            "Open orders",
            "Release notes",
            "Format a number",
            "Resolve a name",
            "Verify the signature",
            "Run a query",
            "Updates of the firmware",
            "Block list",
            "Generate a report",
            "List the mails to send",
        ] {
            assert!(!is_left_out("/things", &format!("summary: {summary}, ")), "{summary}");
        }
    }

    #[test]
    fn a_read_that_consumes_is_a_command() {
        for said in [
            "Messages are deleted after retrieval.",
            "Received messages (deleted after retrieval)",
            "The note can be read once.",
            "Returns the note; after that it is gone.",
            "Each message can only be retrieved once.",
            "Messages returned by this call are removed from the server.",
            "Returns the unread messages and marks them as read.",
            "Returns the inbox; messages are marked as seen.",
            "Returns a fresh password, which invalidates the previous one.",
            "Returns the next message and removes it.",
        ] {
            let text = format!("summary: Get things, description: \"{said}\", ");
            assert!(is_left_out("/things", &text), "{said}");
        }
        for said in [
            "Returns deleted messages.",
            "Returns messages that are marked as read.",
            "Messages are deleted after 30 days.",
            "Files are removed from the archive when they expire.",
            "The export can be downloaded once it is complete.",
            "Reading a message does not mark it as read.",
            "Events are delivered at least once.",
            "May be called once per hour.",
            "The key is shown once, when it is created.",
            "Returns what was deleted and when.",
            "Returns the field, which holds the name.",
        ] {
            let text = format!("summary: Get things, description: \"{said}\", ");
            assert!(!is_left_out("/things", &text), "{said}");
        }
    }
}
