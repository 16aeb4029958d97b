//! Holds the words by which several modules understand the sentences and names of a document (verbs that read and verbs
//! that act, things, roles, determiners), and splits texts into sentences and words. Words that only one question needs
//! are kept beside its code. The main functions are [`camel_case_words`] and [`is_form_of`].
//!
//! Where a verb of each list means an action:
//!
//! | list | last segment | after a record | start of a summary | name of a parameter | any form, in what is said of a write |
//! |---|---|---|---|---|---|
//! | [`ALWAYS_ACTIONS`] | yes | yes | yes | as any word of it | yes |
//! | [`DESTROYS`] | yes, first or last | yes | yes | as any word of it | of a `DELETE` |
//! | [`ACTS_ALONE`] | the whole | yes | in -s, of a `GET` | of a switch | |
//! | [`ACTS_ON_COLLECTION`] | the whole | the whole | in -s, of a `GET` | of a switch | |
//! | [`ACTS_ON_RECORD`] | with `all` | yes | in -s, of a `GET` | of a switch | |
//! | [`ACTS`] | with `all` | yes | in -s, of a `GET` | of a switch | yes |
//! | [`COMMANDS`] | the whole, of a `GET` | | in -s, of a `GET` | | |
//! | `get_side_effects::IMPERATIVE` | with an object, of a `GET` | | also in -s, of a `GET`, without a determiner | | |
//! | `get_side_effects::STARTS` | | | of a `GET`, without a determiner | | |
//! | `query::MAY_ACT` | a whole segment of a `POST`, also before the last | | | | after "and" or "is" |
//! | `parameter_side_effects::LEADING` | | | of a parameter's description | | |
//! | `parameter_side_effects::ALONE` | | | | the whole | |
//!
//! "After a record" is the segment after a path parameter. A *switch* is a parameter that is on or off. "In -s" is the
//! third person before a determiner: "Deploys the stack".

/// Returns the words of a name or a text in lower case. A word ends at each character that is neither a letter nor a
/// digit, and before a capital that follows a small letter. A letter beyond ASCII ends no word: otherwise a word that
/// only begins like a verb that reads would count as one.
pub(crate) fn camel_case_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the words of a text. A word ends at each character that is neither a letter nor a digit.
pub(super) fn alphanumeric_words(text: &str) -> impl Iterator<Item = &str> {
    words_of(text, char::is_alphanumeric)
}

/// Returns the words of a text. A letter beyond ASCII ends a word, so that a verb is found in a text without spaces.
pub(crate) fn ascii_words(text: &str) -> impl Iterator<Item = &str> {
    words_of(text, |letter| letter.is_ascii_alphanumeric())
}

/// Returns the words of a text. An underscore ends no word, so that the name of a parameter is one.
pub(super) fn underscored_words(text: &str) -> impl Iterator<Item = &str> {
    words_of(text, |letter| letter.is_alphanumeric() || letter == '_')
}

fn words_of(text: &str, is_of_word: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(move |letter| !is_of_word(letter))
        .filter(|word| !word.is_empty())
}

/// Returns the sentences of a text. An empty line, an item of a list and a cell of a table end a sentence, and a line
/// break does not.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    let blocks = std::iter::from_fn(move || {
        let text = rest?;
        let end = text
            .char_indices()
            .find_map(|(at, _)| Some((at, end_of_block(&text[at..])?)));
        rest = end.map(|(at, length)| &text[at + length..]);
        Some(end.map_or(text, |(at, _)| &text[..at]))
    });
    blocks.flat_map(|block| block.split(['.', ';', '!']))
}

/// Returns the length of what ends a block of text where this text begins: an empty line, the mark of an item of a list
/// or of a cell (Markdown), or the tag of a block (HTML).
fn end_of_block(text: &str) -> Option<usize> {
    const BLOCKS: [&str; 12] = [
        "br", "dd", "div", "dt", "li", "ol", "p", "table", "td", "th", "tr", "ul",
    ];
    match text.as_bytes() {
        [b'\n', b'\n', ..] | [b' ', b'|', ..] => Some(2),
        [b'\n', rest @ ..] => {
            let indent = rest.iter().take_while(|byte| **byte == b' ').count();
            matches!(rest.get(indent..), Some([b'-' | b'*' | b'+' | b'|', b' ', ..])).then_some(indent + 3)
        }
        [b'<', ..] => {
            let (tag, _) = text.split_once('>')?;
            let name = tag.trim_start_matches('<').trim_start_matches('/');
            let name = name.split([' ', '/']).next().unwrap_or_default().to_ascii_lowercase();
            BLOCKS.contains(&name.as_str()).then_some(tag.len() + 1)
        }
        _ => None,
    }
}

/// Returns the sentences of a text as a reader sees them: a full stop within "2.5" ends none, nor does a semicolon.
pub(super) fn whole_sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").flat_map(|paragraph| {
        let mut rest = Some(paragraph);
        std::iter::from_fn(move || {
            let text = rest?;
            let ends = |(at, _): &(usize, &str)| text[at + 1..].starts_with(char::is_whitespace);
            let end = text.match_indices(['.', '!']).find(ends).map(|(at, _)| at);
            rest = end.map(|at| &text[at + 1..]);
            Some(end.map_or(text, |at| &text[..at]))
        })
    })
}

/// Returns the words of a summary without what may come before its verb: "<p>[Admin] Permanently delete all pets".
pub(super) fn without_prefixes(summary: &str) -> Vec<String> {
    let mut summary = summary.trim_start();
    while let Some((_, rest)) = summary.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        summary = rest.trim_start();
    }
    let closed = |open: char, close: char| summary.trim_start().strip_prefix(open)?.split_once(close);
    let tagged = closed('[', ']').or_else(|| closed('(', ')'));
    let words = camel_case_words(tagged.map_or(summary, |(_, rest)| rest)).into_iter();
    let is_prefix = |word: &String| word.ends_with("ly") || ["api", "bulk", "mass"].contains(&word.as_str());
    words.skip_while(is_prefix).collect()
}

/// Whether one of the lists has the word.
pub(super) fn is_in(lists: &[&[&str]], word: &str) -> bool {
    lists.iter().any(|list| list.contains(&word))
}

/// Whether a word is listed as one that means an action, in this form. In a summary or an `operationId`, some of
/// them may be nouns or adjectives: see [`NOUNS_TOO`].
pub(crate) fn is_listed_action(word: &str) -> bool {
    is_in(&[&ALWAYS_ACTIONS, &DESTROYS], word)
}

/// Whether a word is a verb in its base form or third person singular: `empty`, `empties`.
pub(super) fn is_base_or_third_person(word: &str, verb: &str) -> bool {
    let is_third_person = word
        .strip_prefix(verb)
        .is_some_and(|rest| ["", "s", "es"].contains(&rest));
    is_third_person || verb.strip_suffix('y').is_some_and(|stem| word == format!("{stem}ies"))
}

/// Whether a word is a form of a verb: `deletes`, `deleting`, `deleted` and `deletion` are of `delete`.
pub(super) fn is_form_of(word: &str, verb: &str) -> bool {
    let has = |stem: &str, endings: &[&str]| word.strip_prefix(stem).is_some_and(|rest| endings.contains(&rest));
    if let Some(stem) = verb.strip_suffix('y') {
        // `destroys`, `copying`; and `copies`, but not `cope`. After a vowel, the y stays: `bus` is no form of `buy`.
        return has(verb, &["", "s", "ed", "er", "ers", "ing", "ings"])
            || !stem.ends_with(['a', 'e', 'o', 'u']) && has(stem, &["ied", "ies"]);
    }
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let Some(rest) = word.strip_prefix(stem) else {
        return false;
    };
    let doubled = stem.chars().next_back().and_then(|last| rest.strip_prefix(last));
    // `delivery` and `expiries`
    let is_noun_in_ry = ["y", "ies"].contains(&rest) && stem.ends_with('r');
    ENDINGS.contains(&rest) || is_noun_in_ry || doubled.is_some_and(|rest| ["ed", "er", "ing", "ings"].contains(&rest))
}

/// Nouns whose plural has an ending from which [`singular`] would take another one.
const SINGULARS: [&str; 24] = [
    "alias", "atlas", "bias", "brownie", "cache", "calorie", "canvas", "clause", "cookie", "excuse", "fuse", "gas",
    "hero", "lens", "movie", "pause", "potato", "prairie", "quiz", "rookie", "selfie", "tomato", "veto", "zombie",
];

/// Returns the singular of a noun, for the endings that English has for most of them: `categories`, `boxes`, `statuses`,
/// but also `movies`, `caches`, `houses`. The noun may be the end of a name without separators.
pub(super) fn singular(name: &str) -> String {
    let ending = |ending: &str| name.strip_suffix(ending).filter(|stem| stem.len() > 1);
    let is_form_of = |noun: &&&str| {
        let mut stems = ["", "s", "es", "zes"]
            .iter()
            .filter_map(|plural| name.strip_suffix(plural));
        stems.any(|stem| stem.ends_with(**noun))
    };
    if let Some(noun) = SINGULARS.iter().find(is_form_of) {
        let start = name.rfind(noun).unwrap_or(0);
        return name[..start + noun.len()].to_owned();
    }
    if let Some(stem) = ending("ies") {
        return format!("{stem}y");
    }
    let takes_es = |stem: &&str| ["ss", "x", "ch", "sh"].iter().any(|end| stem.ends_with(end)) || is_in_us(stem);
    ending("es")
        .filter(takes_es)
        .or_else(|| ending("s").filter(|stem| !stem.ends_with('s') && !is_in_us(name)))
        .unwrap_or(name)
        .to_owned()
}

/// Whether a word is a noun that ends with "us", such as "status" or "bus", and neither a plural, such as "menus", nor
/// the beginning of "house", "cause" or "use".
fn is_in_us(word: &str) -> bool {
    const PLURALS: [&str; 5] = ["cpus", "gpus", "gurus", "menus", "skus"];
    let before = word.strip_suffix("us").unwrap_or_default();
    let is_vowel = before.ends_with(['a', 'e', 'i', 'o', 'u']);
    let is_noun = !is_vowel || before.ends_with("radi");
    !before.is_empty() && is_noun && !PLURALS.iter().any(|plural| word.ends_with(plural))
}

/// Returns the verbs for what may be done to records that were there before.
pub(super) fn verbs_for_others() -> impl Iterator<Item = &'static str> {
    ALWAYS_ACTIONS.into_iter().chain(DESTROYS).chain(ENDS_OR_REPLACES)
}

/// Whether a word is the third person of a verb: `empties`.
pub(super) fn is_third_person(word: &str, verb: &str) -> bool {
    word != verb && is_base_or_third_person(word, verb)
}

/// Returns the words of each clause of a text.
pub(super) fn clauses(text: &str) -> impl Iterator<Item = Vec<String>> {
    text.split([',', ';', ':', '(', ')']).map(camel_case_words)
}

/// Whether a verb for an end or a replacement is a participle: `replaced`, `lost`.
pub(super) fn is_participle(verb: &str) -> bool {
    verb.ends_with("ed") || ["lost", "overwritten", "reset", "unset"].contains(&verb)
}

/// Verbs with which a summary, or an operation's name, says that it reads.
pub(super) const READS: [&str; 14] = [
    "browse", "count", "fetch", "filter", "find", "get", "list", "look", "lookup", "paginate", "query", "read",
    "retrieve", "search",
];

/// More such verbs, used only in summaries: many begin with `return`.
pub(super) const READS_IN_SUMMARIES: [&str; 3] = ["return", "show", "view"];

/// Verbs that mean an action in a path and in the name of a parameter (see
/// [`parameter_side_effects`](super::parameter_side_effects)). At the beginning of a summary or an `operationId`, those
/// of [`NOUNS_TOO`] need an object; at the end of an `operationId`, they do not count.
pub(super) const ALWAYS_ACTIONS: [&str; 21] = [
    "acknowledge", "cancel", "clear", "delete", "erase", "execute", "force", "mute", "pause", "purge", "recheck",
    "refresh", "reindex", "reload", "remove", "reset", "restart", "revoke", "trigger", "unmute", "unpause",
];

/// Verbs that destroy or end something, whatever other word is beside them in a path.
pub(super) const DESTROYS: [&str; 21] = [
    "clear", "delete", "destroy", "disconnect", "erase", "expunge", "flush", "invalidate", "kill", "nuke",
    "obliterate", "purge", "reboot", "remove", "restart", "revoke", "shutdown", "terminate", "truncate", "unsubscribe",
    "wipe",
];

/// More verbs that mean an action where they are the whole last segment of a path.
pub(super) const ACTS_ALONE: [&str; 30] = [
    "abort", "acquire", "deploy", "disable", "discard", "donate", "enable", "end", "expire", "halt", "hibernate",
    "impersonate", "logoff", "pay", "poweroff", "prune", "quit", "rebuild", "redeem", "regenerate", "restore",
    "resume", "rotate", "start", "stop", "sudo", "suspend", "topup", "vacuum", "withdraw",
];

/// More verbs that mean an action where they are the whole last segment, after a collection too: `/jobs/claim`.
pub(super) const ACTS_ON_COLLECTION: [&str; 9] = [
    "claim", "consume", "dequeue", "drain", "drop", "evict", "migrate", "pop", "rollback",
];

/// More verbs that mean an action where they, alone or with a noun, are the segment after a record:
/// `/users/{id}/verify`.
pub(super) const ACTS_ON_RECORD: [&str; 115] = [
    "accept", "ban", "beep", "begin", "blink", "block", "boost", "broadcast", "buzz", "call", "charge", "checkout",
    "claim", "click", "clone", "close", "commit", "complete", "copy", "cordon", "decommission", "demote", "deploy",
    "detonate", "dial", "disarm", "discard", "dispense", "do", "downvote", "duplicate", "eject", "empty", "evacuate",
    "exec", "finalise", "finalize", "flag", "flip", "freeze", "go", "impersonate", "import", "ingest", "join", "leave",
    "lock", "mark", "merge", "nudge", "open", "optimise", "optimize", "pay", "pin", "play", "poke", "pop",
    "powercycle", "prepare", "press", "prime", "print", "promote", "reactivate", "rearm", "recalculate", "redeliver",
    "redeploy", "refund", "reissue", "rekey", "release", "remind", "reprint", "reprocess", "requeue", "rerun",
    "resend", "resolve", "resubmit", "ring", "rollback", "run", "scrape", "share", "ship", "sign", "submit", "take",
    "tap", "thaw", "toggle", "touch", "train", "unarchive", "unban", "uncordon", "undelete", "unenroll", "unfollow",
    "unfreeze", "uninstall", "unlike", "unlink", "unpin", "unpublish", "unregister", "unshare", "upgrade", "upvote",
    "vend", "verify", "vote", "wake",
];

/// More verbs that say that an operation does something. They count in any form, because summaries say "deletes",
/// "deleting" and "deletion".
pub(super) const ACTS: [&str; 115] = [
    "ack", "activate", "add", "allocate", "alter", "anonymise", "anonymize", "apply", "approve", "archive", "assign",
    "attach", "ban", "bump", "buy", "confirm", "consume", "convert", "create", "deactivate", "deallocate", "decline",
    "decrement", "deliver", "dequeue", "destroy", "detach", "disable", "dismiss", "dispatch", "drop", "edit", "emit",
    "enable", "enqueue", "escalate", "evict", "expire", "flush", "generate", "grant", "hide", "increment", "init",
    "insert", "install", "invalidate", "invite", "kick", "kill", "launch", "login", "logout", "migrate", "mint",
    "modify", "move", "mutate", "notify", "obliterate", "overwrite", "patch", "persist", "produce", "provision",
    "prune", "publish", "purchase", "push", "rebuild", "recompute", "redact", "register", "reject", "rename", "renew",
    "reopen", "repair", "replace", "reserve", "restore", "resume", "retry", "revert", "rotate", "save", "sell", "send",
    "set", "settle", "shred", "shut", "snooze", "spawn", "stop", "subscribe", "suspend", "swap", "sync", "synchronize",
    "terminate", "transfer", "trash", "unassign", "unblock", "undo", "unlock", "unsubscribe", "update", "upsert",
    "vacuum", "void", "wipe", "withdraw", "write",
];

/// Verbs that are a command where they are the whole last segment.
pub(super) const COMMANDS: [&str; 136] = [
    "accept", "activate", "announce", "anonymise", "anonymize", "approve", "arm", "assign", "authorise", "ban", "beep",
    "blink", "boost", "brew", "broadcast", "buy", "calibrate", "checkin", "checkout", "cmd", "compact", "confirm",
    "crash", "create", "deactivate", "deallocate", "decline", "decrement", "defrag", "deprovision", "detach", "dial",
    "disarm", "dismiss", "draw", "eject", "emit", "empty", "enqueue", "escalate", "estop", "exec", "exit", "failover",
    "fire", "follow", "forcemerge", "forget", "format", "freeze", "gc", "handover", "hangup", "hide", "hold",
    "increment", "init", "initialise", "initialize", "insert", "install", "invalidate", "join", "kick", "leave",
    "lockdown", "modify", "mount", "mutate", "notify", "open", "optout", "overwrite", "panic", "payout", "persist",
    "play", "poweron", "prime", "print", "promote", "provision", "publish", "rearm", "reboot", "recalculate",
    "reconcile", "reconnect", "redact", "redeploy", "reject", "relinquish", "rename", "renew", "replace", "reprint",
    "requeue", "resend", "resync", "retry", "revert", "ring", "roll", "run", "save", "scrub", "seed", "selfdestruct",
    "send", "setup", "snooze", "spawn", "standby", "stepdown", "switchover", "sync", "takeover", "tick", "toggle",
    "train", "umount", "unban", "unblock", "undo", "unenroll", "unfollow", "unlock", "unmount", "unregister", "update",
    "upgrade", "upsert", "wake", "wakeup", "warmup", "write",
];

/// Verbs that are a command only with certain objects: `emptyTrash`, but not `empty-rooms`.
pub(super) const WITH_OBJECTS: [(&str, &[&str]); 15] = [
    ("ban", &["account", "address", "ip", "user"]),
    ("close", &["account", "session"]),
    (
        "drop",
        &["cache", "caches", "database", "db", "index", "table", "tables"],
    ),
    ("empty", &["basket", "bin", "cart", "folder", "inbox", "queue", "trash"]),
    ("mark", &["all", "as", "done", "read", "seen", "unread"]),
    ("power", &["cycle"]),
    ("ping", &["all"]),
    ("reset", &["cache", "counters", "metrics", "stats", "statistics"]),
    ("roll", &["key", "keys", "secret", "secrets"]),
    ("run", &["backup", "cron", "jobs", "migrations", "scheduler", "tasks"]),
    ("self", &["destroy", "destruct"]),
    ("test", &["email", "mail", "sms"]),
    ("trim", &["log", "logs"]),
    ("wake", &["up"]),
    ("warm", &["up"]),
];

/// More verbs for what may be done to records that were there before, beside those of [`ALWAYS_ACTIONS`] and
/// [`DESTROYS`]. Irregular forms are listed too, and of a verb that may be another word, only the form that may not.
const ENDS_OR_REPLACES: [&str; 45] = [
    "abort", "archive", "bump", "changed", "close", "deactivate", "decline", "demote", "deprecate", "detach",
    "disable", "discard", "drop", "edited", "end", "evict", "expire", "kick", "lose", "lost", "merge", "modify",
    "move", "override", "overwrite", "overwritten", "reassign", "recalculate", "rename", "renumber", "reorder",
    "replace", "retire", "rotate", "shift", "shorten", "stop", "supersede", "suspend", "swap", "swapped", "trim",
    "unset", "update", "void",
];

/// Verbs that are nouns or adjectives too.
pub(super) const NOUNS_TOO: [&str; 8] = [
    "clear", "delete", "force", "kill", "pause", "refresh", "reset", "trigger",
];

/// Verbs that are never half of a noun, so that what follows one is no thing that is read: `/jobs/{id}/set-status`.
pub(super) const NEVER_A_NOUN: [&str; 4] = ["save", "send", "set", "toggle"];

/// First words of segments that switch something: `/machines/{id}/power-off`.
pub(super) const TURNS_ON_OR_OFF: [&str; 4] = ["power", "shut", "switch", "turn"];

/// Names of fields and parameters, or words in them, that say that what a read shows is taken away, or given to the
/// reader alone.
pub(super) const CONSUMES: [&str; 9] = [
    "ack", "ackmode", "acks", "consume", "dequeue", "lease", "pop", "requeue", "take",
];

/// Nouns after a verb that say that a segment is a thing that is read: `/jobs/{id}/run-status`.
pub(super) const THINGS: [&str; 18] = [
    "code", "config", "count", "date", "events", "history", "info", "link", "list", "log", "logs", "options", "policy",
    "settings", "state", "status", "time", "url",
];

/// Names of fields that identify what contains them, and the last words of the names of those that refer to a record.
pub(crate) const IDENTIFIERS: [&str; 3] = ["id", "uuid", "guid"];

/// Names of things that are issued anew to each caller, in the singular: `POST /otp/get-code`.
pub(super) const ISSUED: [&str; 10] = [
    "captcha", "challenge", "code", "lease", "lock", "nonce", "otp", "password", "secret", "token",
];

/// What a message, or another record, is marked as once somebody has it: "marks them as read".
pub(super) const MARKED_AS: [&str; 7] = [
    "acknowledged", "delivered", "done", "processed", "read", "seen", "viewed",
];

/// Words for messages that reach a person.
pub(super) const MESSAGES: [&str; 11] = [
    "cancellation", "email", "emails", "invitation", "invitations", "mail", "newsletter", "notification",
    "notifications", "reminder", "sms",
];

/// Words for records other than the one that is written.
pub(super) const OTHERS: [&str; 16] = [
    "conflicting", "current", "earlier", "existing", "former", "old", "older", "oldest", "other", "others",
    "overlapping", "predecessor", "predecessors", "preexisting", "previous", "prior",
];

/// Roles that at most one record can have.
pub(crate) const EXCLUSIVE_ROLES: [&str; 15] = [
    "canonical", "captain", "cover", "current", "default", "featured", "leader", "main", "master", "pinned",
    "preferred", "primary", "production", "selected", "winner",
];

/// Words that end the object of a verb.
pub(super) const PREPOSITIONS: [&str; 11] = [
    "at", "by", "for", "from", "in", "into", "of", "on", "to", "under", "with",
];

/// Words, in the singular, for those of whom each may have one record.
pub(super) const OWNERS: [&str; 10] = [
    "account", "caller", "customer", "member", "organization", "person", "team", "tenant", "user", "you",
];

/// Words for those to whom what is read may be given alone.
pub(super) const READERS: [&str; 6] = ["caller", "client", "consumer", "consumers", "worker", "you"];

/// Words for a record that nobody has yet.
pub(super) const FREE: [&str; 7] = ["available", "free", "idle", "next", "pool", "unused", "vacant"];

/// Names of fields and parameters whose value chooses what is done.
pub(crate) const CHOOSES: [&str; 10] = [
    "action", "cmd", "command", "decision", "do", "op", "operation", "transition", "verdict", "vote",
];

/// Verbs in the third person that say, after "and", that somebody gets a message or pays, or that something ends.
pub(super) const REACHES: [&str; 13] = [
    "alerts", "bills", "cancels", "charges", "debits", "deploys", "emails", "mails", "notifies", "pays", "refunds",
    "sends", "texts",
];

/// Words that introduce the object of a verb.
pub(super) const DETERMINERS: [&str; 9] = ["a", "all", "an", "any", "each", "every", "the", "this", "your"];

/// Forms of "be" before a participle that says what the call does. `PASSIVE` has others too.
pub(super) const BE: [&str; 5] = ["are", "be", "is", "was", "were"];

/// Words after which a participle says what is done: "matches are deleted", but not "deleted pets".
pub(super) const PASSIVE: [&str; 8] = ["are", "be", "been", "get", "gets", "is", "was", "were"];

/// Endings of the forms of a verb that does not end in y, without its e, and of the nouns that are made from it.
const ENDINGS: [&str; 15] = [
    "", "al", "ation", "ations", "e", "ed", "er", "ers", "es", "ing", "ings", "ion", "ions", "or", "s",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_stop_within_a_number_ends_no_sentence() {
        for (text, expected) in [
            (
                "Accurate to 2.5 percent.\nAn estimate",
                vec!["Accurate to 2.5 percent", "\nAn estimate"],
            ),
            ("Each page; pinned ones also.", vec!["Each page; pinned ones also."]),
            ("One\n\ntwo! Three", vec!["One", "two", " Three"]),
        ] {
            assert_eq!(whole_sentences(text).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn an_item_of_a_list_and_a_cell_of_a_table_are_sentences() {
        for (text, expected) in [
            ("<p>One</p><ul><li>Two</li></ul>", vec!["One", "Two"]),
            ("One:\n- Two\n * Three", vec!["One:", "Two", "Three"]),
            (
                "| One | Two |\n|---|---|\n| Three | Four |",
                vec!["| One", " Two", "\n|---|---|", "Three", " Four"],
            ),
            (
                "One <b>bold</b> word\non two lines",
                vec!["One <b>bold</b> word\non two lines"],
            ),
            ("Less < more | a|b - c", vec!["Less < more", " a|b - c"]),
        ] {
            let found = sentences(text).filter(|sentence| !sentence.trim().is_empty());
            assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn a_singular_follows_from_the_plural() {
        for (plural, expected) in [
            ("pets", "pet"),
            ("categories", "category"),
            ("boxes", "box"),
            ("addresses", "address"),
            ("branches", "branch"),
            ("news", "new"),
            ("class", "class"),
            ("series", "sery"),
            ("statuses", "status"),
            ("orderstatuses", "orderstatus"),
            ("buses", "bus"),
            ("houses", "house"),
            ("causes", "cause"),
            ("uses", "use"),
            ("reuses", "reuse"),
            ("cases", "case"),
            ("caches", "cache"),
            ("coaches", "coach"),
            ("movies", "movie"),
            ("cookies", "cookie"),
            ("ties", "tie"),
            ("aliases", "alias"),
            ("quizzes", "quiz"),
            ("monkeys", "monkey"),
            ("campuses", "campus"),
            ("radiuses", "radius"),
            ("status", "status"),
            ("alias", "alias"),
            ("menus", "menu"),
            ("cpus", "cpu"),
            ("cache", "cache"),
            ("movie", "movie"),
        ] {
            assert_eq!(singular(plural), expected);
        }
    }

    #[test]
    fn a_word_is_a_form_of_a_verb_by_its_ending() {
        for (verb, forms) in [
            ("apply", "apply applies applied applying"),
            ("ban", "ban bans banned banning"),
            ("buy", "buy buys buying buyer"),
            ("copy", "copy copies copied copying"),
            ("create", "create creates created creating creation creator"),
            ("delete", "delete deletes deleted deleting deletion deletions"),
            ("deliver", "deliver delivers delivered delivering delivery deliveries"),
            ("destroy", "destroy destroys destroyed destroyer"),
            ("expire", "expires expired expiration expiry expiries"),
            ("modify", "modify modifies modified modifying"),
            ("move", "move moves moved moving"),
            ("pay", "pay pays paying payer"),
            ("push", "push pushes pushed pushing"),
            ("remove", "removes removal"),
            ("restore", "restores restoring restoration"),
            ("retry", "retry retries retried retrying"),
            ("send", "send sends sending sender"),
            ("ship", "ships shipped shipping"),
            ("swap", "swap swapped swapping"),
        ] {
            for form in forms.split(' ') {
                assert!(is_form_of(form, verb), "{form} of {verb}");
            }
        }
        for (verb, others) in [
            ("apply", "apple apples application"),
            ("ban", "band bandied"),
            ("buy", "bus busy buies"),
            ("copy", "cop cope coping"),
            ("deploy", "days"),
            ("destroy", "destroyable destroies"),
            ("drop", "dropy"),
            ("mark", "market"),
            ("move", "movie movies movy"),
            ("pay", "pad pal paies"),
            ("retry", "retro retries2"),
            ("send", "sendd"),
        ] {
            for other in others.split(' ') {
                assert!(!is_form_of(other, verb), "{other} of {verb}");
            }
        }
    }
}
