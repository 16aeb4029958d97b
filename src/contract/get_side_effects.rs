//! Recognises GETs that have a side effect: `/flushdb`, `/mail/send`, "Opens the front door", a message that is deleted
//! after it was read. The main function is [`has_side_effect`].
//!
//! # Design
//!
//! Words are the only evidence, so their position counts. A word before a determiner is a verb. A text that begins with
//! one ("Feed the fish") says that the GET has a side effect, unless the verb is known to read: verbs that read can be
//! listed completely, verbs that act cannot. Without a determiner a summary may be a noun phrase ("Order history",
//! "Close friends"), so there the verb must be known; if it may be a noun or an adjective too, the path must agree
//! ("Close valve" for `/valve/close`). The last segment of a path is a command if it is an imperative, alone or with
//! its object, unless the summary begins with a verb that reads ("List open orders" for `/orders/open`) or a plural
//! precedes it: `/doors/open` filters, `/door/open` opens. A segment before the parameters at the end is one likewise,
//! unless the contract shows that it is a thing ([`acts_on_parameter`]). A read acts in any case if a sentence also
//! says what it does ("Get and remove the first item", "creating it if needed").

use super::consequence::{ends_sessions, is_stated_as_fact, this_acts};
use super::document::Document;
use super::inferred::comparable_path;
use super::lexicon::{
    ACTS, ACTS_ALONE, ACTS_ON_COLLECTION, ACTS_ON_RECORD, COMMANDS, DESTROYS, DETERMINERS, ISSUED, MARKED_AS, MESSAGES,
    NEVER_A_NOUN, NOUNS_TOO, OTHERS, REACHES, READERS, READS, READS_IN_SUMMARIES, THINGS, TURNS_ON_OR_OFF,
    WITH_OBJECTS, camel_case_words, clauses, is_base_or_third_person, is_in, is_listed_action, is_third_person,
    sentences, without_prefixes,
};
use super::operation::Operation;
use super::query::{ends_session, is_action_in_path};
use super::texts::{About, any_says, is_alone_at_its_path, said, stated, summary_and_description};
use super::{load, pointer};

/// Verbs that are not also nouns: followed by an object, one is a command: `sendReminder`, `rotate-keys`. So is the
/// third person in a summary ("Sends mail"), unless a preposition follows: some are plurals then ("Sends by campaign").
const IMPERATIVE: [&str; 52] = [
    "activate", "approve", "brew", "create", "deactivate", "deallocate", "decrement", "disable", "disarm", "dismiss",
    "eject", "enable", "enqueue", "forget", "increment", "initialise", "initialize", "initiate", "insert", "install",
    "invalidate", "modify", "notify", "provision", "publish", "recalculate", "reconnect", "redeem", "redeploy",
    "regenerate", "reindex", "reject", "renew", "resend", "restart", "rotate", "save", "send", "set", "submit",
    "subscribe", "synchronise", "synchronize", "terminate", "toggle", "trim", "unblock", "uninstall", "unlock",
    "unmount", "unsubscribe", "withdraw",
];

/// Last segments of two words that are commands, each by its first word and those that may follow it:
/// `accept-invitation`, `clock-out`. As the name of a parameter, `check_in` is a date.
const OF_TWO_WORDS: [(&str, &[&str]); 7] = [
    ("accept", &["invitation", "invite", "offer", "terms"]),
    ("check", &["in", "out"]),
    ("clock", &["in", "out"]),
    (
        "confirm",
        &["account", "email", "order", "registration", "subscription"],
    ),
    ("opt", &["in", "out"]),
    ("page", &["oncall"]),
    ("run", &["daily", "hourly", "nightly", "weekly"]),
];

/// Words that are a command together with the verb after them: `emergency-stop`, `factoryDefaults`.
const EMPHASES: [&str; 9] = [
    "cold", "emergency", "factory", "force", "hard", "safe", "soft", "system", "warm",
];

/// Nouns after a verb that make the segment a thing that is shown, not a command: `/orders/create-form`.
const DISPLAY_NOUNS: [&str; 8] = [
    "data", "fields", "form", "meta", "metadata", "preview", "schema", "template",
];

/// More verbs with which the summary of a read begins: those that find something out, and those that show it.
const READS_TOO: [&str; 94] = [
    "access", "aggregate", "allow", "analyse", "analyze", "assess", "autocomplete", "calculate", "check", "classify",
    "compare", "compute", "contain", "decode", "deliver", "describe", "detail", "detect", "determine", "diff",
    "discover", "display", "download", "echo", "encode", "enumerate", "estimate", "evaluate", "examine", "expand",
    "explain", "explore", "export", "expose", "extract", "forecast", "gather", "geocode", "give", "identify", "infer",
    "inspect", "introspect", "iterate", "load", "locate", "manage", "match", "measure", "monitor", "navigate",
    "obtain", "outline", "output", "parse", "peek", "ping", "poll", "predict", "present", "preview", "print", "probe",
    "provide", "rank", "receive", "recommend", "render", "report", "request", "respond", "reverse", "romanize",
    "sample", "see", "select", "serve", "stream", "suggest", "summarise", "summarize", "tail", "tell", "test", "trace",
    "transform", "translate", "traverse", "validate", "verify", "view", "visualise", "visualize", "watch",
];

/// Verbs for actions with which the summary of a read may begin too: "Resolve a name", "Format a number".
const MAY_SHOW: [&str; 24] = [
    "accept", "apply", "attach", "begin", "complete", "convert", "copy", "create", "edit", "expire", "format",
    "generate", "import", "init", "login", "prepare", "produce", "redact", "resolve", "run", "sign", "submit", "sync",
    "synchronize",
];

/// Words before a determiner that are not taken for verbs that act.
const NO_VERBS: [&str; 73] = [
    "about", "above", "across", "after", "against", "along", "also", "among", "around", "as", "at", "before", "behind",
    "below", "beside", "besides", "between", "both", "but", "by", "call", "contains", "despite", "during",
    "everything", "except", "for", "from", "half", "if", "in", "inside", "into", "is", "like", "many", "near", "not",
    "note", "nothing", "of", "off", "on", "only", "onto", "or", "out", "outside", "over", "per", "plus", "see", "such",
    "than", "that", "through", "to", "under", "unlike", "until", "upon", "use", "using", "versus", "via", "what",
    "when", "where", "which", "while", "with", "within", "without",
];

/// Words for times, of which a count or a list is shown: "Visits this month".
const TIMES: [&str; 9] = [
    "day", "hour", "minute", "month", "quarter", "second", "time", "week", "year",
];

/// Verbs that begin a command whose object has no determiner, although most are nouns or adjectives too: "Run garbage
/// collection".
const STARTS: [&str; 18] = [
    "begin", "capture", "drain", "draw", "execute", "fire", "force", "kick", "launch", "pay", "run", "seed", "start",
    "stop", "take", "train", "trigger", "warm",
];

/// What a last segment `up` or `down` moves: `/volume/up`.
const MOVED: [&str; 9] = [
    "blinds", "brightness", "fan", "lift", "shutter", "speed", "temperature", "volume", "vote",
];

/// Participles of what happens to a record that cannot be read again.
const TAKEN: [&str; 14] = [
    "acknowledged", "burned", "cleared", "consumed", "deleted", "dequeued", "destroyed", "discarded", "erased",
    "expunged", "flushed", "purged", "removed", "wiped",
];

/// More verbs that take away what is read, or keep it from others.
const TAKES: [&str; 13] = [
    "ack", "claim", "consume", "decrement", "dequeue", "empty", "increment", "lock", "mark", "pop", "reserve",
    "rotate", "take",
];

/// Words for the moment at which a record is read.
const READING: [&str; 20] = [
    "access", "accessed", "call", "delivered", "delivery", "download", "downloaded", "fetched", "opened", "opening",
    "read", "reading", "request", "retrieval", "retrieved", "returned", "shown", "view", "viewed", "viewing",
];

/// Phrases that say that a record can no longer be read.
const GONE: [&str; 5] = [
    "after that it is gone", "are then gone", "is gone afterwards", "is then gone", "not be returned again",
];

/// Whether a GET does more than read, as far as the last segment of its path, its summary, its description and its name
/// say.
pub(super) fn has_side_effect(document: &Document, operation: &Operation) -> bool {
    let summary = stated(document, operation, "summary").map(without_prefixes);
    let reads = summary.as_deref().is_some_and(is_said_to_read);
    let mut opens = summary_and_description(document, operation).map(without_prefixes);
    let named = stated(document, operation, "operationId").map(camel_case_words);
    let says_it_reads = opens.next().is_some_and(|words| is_said_to_read(&words));
    let mut own = summary_and_description(document, operation).flat_map(sentences);
    let says_only_what_was_done = |text: &str| is_of_what_was_done(&camel_case_words(text));
    !reads
        && (is_command(&operation.path)
            || summary_and_description(document, operation).any(|text| says_command(&without_prefixes(text)))
            || summary
                .as_deref()
                .is_some_and(|words| is_phrase_of_command(words, &operation.path)))
        || !says_it_reads && named.is_some_and(|words| is_name_of_command(&words))
        || takes_the_next(&operation.path)
        || own.any(|sentence| says_it_consumes(sentence) || says_it_acts_too(sentence))
        || is_path_said_to_act(document, operation)
        || said(document, operation, &[About::Parts]).any(says_only_what_was_done)
        || any_says(document, operation, |about| match about {
            About::Operation
            | About::Path
            | About::Tags
            | About::Parts
            | About::Whole
            | About::Required
            | About::Schemas
            | About::Scopes
            | About::Returned
            | About::Responses
            | About::Parameters => Some(&says_that_reading_acts),
            // What is said of a choice holds for one of its values, and of the document, for any other operation.
            About::Choices | About::Document => None,
        })
}

/// Whether a text says, whatever it is about, that what is read is gone then, or that the call acts.
fn says_that_reading_acts(text: &str) -> bool {
    sentences(text)
        .any(|sentence| says_reading_takes_away(sentence) || clauses(sentence).any(|clause| this_acts(&clause)))
}

/// Whether what is said about a path says a command, if the GET is its only operation: "Erase all measurements".
fn is_path_said_to_act(document: &Document, operation: &Operation) -> bool {
    let mut said = said(document, operation, &[About::Path]);
    is_alone_at_its_path(document, operation) && said.any(|text| says_command(&without_prefixes(text)))
}

/// Whether the description of a success only says what was done: "Device rebooted", "Email sent", but not "Emails
/// sent", which may be listed.
fn is_of_what_was_done(words: &[String]) -> bool {
    matches!(words, [thing, done] if !thing.ends_with('s') && !NOT_WHAT_IS_DONE.contains(&thing.as_str())
        && is_in(&[&TAKEN, &["rebooted", "restarted", "sent"]], done))
}

/// Words that make of a pair with a participle a time, or the name of one of several: "date sent", "last sent".
const NOT_WHAT_IS_DONE: [&str; 6] = ["data", "date", "first", "last", "recently", "time"];

/// Whether a sentence about a read says that it reaches somebody, keeps from others what it shows, or has another
/// effect: "emails it to all subscribers", "hidden from other consumers", "invalidates any earlier token".
fn says_it_acts_too(sentence: &str) -> bool {
    let acts = |clause: &[String]| {
        let is_own = this_acts(clause) || ends_sessions(clause) || emits(clause) || is_withheld_or_sent(clause);
        is_own || joins_an_effect(clause)
    };
    clauses(sentence).any(|clause| acts(&clause)) || is_marked_as_effect(sentence)
}

/// Whether a sentence is marked as one about a side effect: "**Side effect:** places an order".
fn is_marked_as_effect(sentence: &str) -> bool {
    let plain = sentence.replace(['*', '_'], "").trim().to_lowercase();
    let marked = plain
        .strip_prefix("side effects:")
        .or_else(|| plain.strip_prefix("side effect:"));
    let said = marked.map(camel_case_words).unwrap_or_default();
    said.first()
        .is_some_and(|first| !["no", "none", "nothing"].contains(&first.as_str()))
}

/// Whether words begin like "Fires a sample event at every endpoint".
fn emits(words: &[String]) -> bool {
    matches!(words, [verb, object, ..] if ["broadcasts", "emits", "fires", "pushes"].contains(&verb.as_str())
        && DETERMINERS.contains(&object.as_str()))
}

/// Whether words say that what is read is kept from others, or given out in another way: "messages are hidden from
/// other consumers", "locked to the worker", "delivered by SMS", "The old key is revoked", "become read".
fn is_withheld_or_sent(words: &[String]) -> bool {
    words.windows(2).enumerate().any(|(at, pair)| {
        let (be, done) = (pair[0].as_str(), pair[1].as_str());
        let (before, after) = (&words[..at], &words[at + 2..]);
        let ends_in = |known: &[&str]| after.iter().take(4).any(|word| known.contains(&word.as_str()));
        let follows = |known: &[&str]| after.first().is_some_and(|next| known.contains(&next.as_str()));
        let is_done = match done {
            "assigned" | "hidden" | "invisible" | "leased" | "locked" | "reserved" => {
                follows(&["for", "from", "to"]) && ends_in(&READERS)
            }
            "delivered" | "emailed" | "mailed" | "sent" | "texted" => {
                be == "is" && follows(&["by", "via"]) && (ends_in(&MESSAGES) || ends_in(&["text"]))
            }
            "invalidated" | "revoked" => before.iter().any(|word| OTHERS.contains(&word.as_str())),
            _ => false,
        };
        let becomes_read = ["become", "becomes"].contains(&be) && MARKED_AS.contains(&done) && after.is_empty();
        (["are", "is"].contains(&be) && is_done || becomes_read) && is_stated_as_fact(before)
    })
}

/// Whether words go on with what reaches somebody or ends something: "and emails it to all subscribers", "and
/// invalidates any earlier token", but not "names and emails of users".
fn joins_an_effect(words: &[String]) -> bool {
    words.windows(3).enumerate().any(|(at, three)| {
        let object = three[2].as_str();
        let is_object = DETERMINERS.contains(&object) || ["everybody", "everyone", "it", "them"].contains(&object);
        three[0] == "and"
            && is_in(&[&REACHES, &["invalidates", "revokes"]], &three[1])
            && is_object
            && is_stated_as_fact(&words[..at])
    })
}

/// Whether a sentence says, whatever it is about, that what is read is gone then: "can be read once", "deleted after
/// retrieval".
fn says_reading_takes_away(sentence: &str) -> bool {
    GONE.iter().any(|phrase| sentence.contains(phrase)) || clauses(sentence).any(|clause| is_gone_once_read(&clause))
}

/// Whether a path takes the next of what is handed out: `/queue/next`, but not `/events/next`.
fn takes_the_next(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let handed_out = ["jobs", "queue", "sequence", "tasks", "tickets"];
    path.strip_suffix("/next")
        .and_then(|before| before.rsplit('/').next())
        .is_some_and(|before| handed_out.contains(&before))
}

/// Whether the name of an operation is a command with its object: `createToken`. A name that a generator made of a
/// function, its path and `get` is none: such a function may read.
fn is_name_of_command(words: &[String]) -> bool {
    let is_generated = words.len() > 4 && words.last().is_some_and(|last| last == "get");
    matches!(words, [first, .., end] if !is_generated && is_command_of_words(first, end, words))
}

fn is_said_to_read(words: &[String]) -> bool {
    let second = words.get(1).map_or("", String::as_str);
    words.first().is_some_and(|first| match first.as_str() {
        "check" | "checks" => !["in", "out"].contains(&second),
        "ping" | "pings" => !["all", "each", "every"].contains(&second),
        first => reads(first),
    })
}

/// Whether a word is a verb that reads.
fn reads(word: &str) -> bool {
    let mut verbs = READS.iter().chain(&READS_IN_SUMMARIES).chain(&READS_TOO);
    verbs.any(|verb| is_base_or_third_person(word, verb))
}

/// Whether a path ends with a command.
fn is_command(path: &str) -> bool {
    let mut segments = path.trim_end_matches('/').rsplit('/');
    let last = segments.next().filter(|last| !last.contains('{'));
    let last = camel_case_words(last.unwrap_or_default());
    // An interface with paths such as `/#Action=SendEmail` names its operations there.
    let last = last.strip_prefix(&["action".to_owned()]).unwrap_or(&last);
    let before = segments.next().filter(|before| !before.is_empty());
    match last {
        [] => false,
        [only] => is_command_alone(only, before),
        [first, .., end] => is_command_of_words(first, end, last),
    }
}

/// Whether a GET does something to what the parameters at the end of its path name, by the segment before these:
/// `/unsubscribe/{subscriber_id}`, but not `/stop/{stop_id}` or, where the contract lists runs at `/run`, `/run/{id}`.
/// What destroys is never a thing.
pub(super) fn acts_on_parameter(document: &Document, operation: &Operation) -> bool {
    let path = operation.path.trim_end_matches('/');
    let mut before = path;
    while let Some((shorter, parameter)) = before.rsplit_once('/')
        && parameter.starts_with('{')
        && parameter.ends_with('}')
    {
        before = shorter;
    }
    let mut segments = before.rsplit('/');
    let words = camel_case_words(segments.next().unwrap_or_default());
    let parent = segments.next().unwrap_or_default();
    let named = path[before.len()..]
        .split('}')
        .next()
        .map(camel_case_words)
        .unwrap_or_default();
    let [first, ..] = words.as_slice() else { return false };
    let is_thing = named.starts_with(&words) || has_records_at(document, before);
    let is_alone = words.len() == 1;
    // `/orders/open/{customer}` filters.
    let filters = parent.contains('{') || parent.ends_with('s');
    let is_sure = is_alone && is_listed_action(first);
    let is_command = is_command(before) || is_action_in_path(&words) || is_alone && !filters && is_verb(first);
    before.len() < path.len()
        && (is_alone && DESTROYS.contains(&first.as_str())
            || !is_thing && (is_sure || is_command && !says_it_reads(document, operation)))
}

/// Whether records are at this path: they are listed there, or changed at a path right below it.
pub(super) fn has_records_at(document: &Document, path: &str) -> bool {
    let path = comparable_path(path);
    let item = format!("{path}/{{}}");
    let mut items = document.members_at("/paths").iter();
    items.any(|other| {
        let at = comparable_path(&other.name);
        if at != path && at != item {
            return false;
        }
        let node = document.node(&load::resolve(document, pointer::join("/paths", &other.name)));
        let has = |method: &str| node.is_some_and(|node| node.member(method).is_some());
        let summary = || node?.member("get")?.text_of("summary").map(without_prefixes);
        let is_read = || !is_command(&path) || summary().is_some_and(|words| is_said_to_read(&words));
        at == path && has("get") && is_read() || at == item && ["delete", "patch", "put"].into_iter().any(has)
    })
}

/// Whether a text about a GET, or its name, begins with a verb that reads.
pub(super) fn says_it_reads(document: &Document, operation: &Operation) -> bool {
    let mut texts = summary_and_description(document, operation).map(without_prefixes);
    let name = || stated(document, operation, "operationId").map(camel_case_words);
    texts.next().or_else(name).is_some_and(|words| is_said_to_read(&words))
}

/// Whether a word is listed as a verb that acts, although some are nouns too.
pub(super) fn is_verb(word: &str) -> bool {
    let known = [
        &ACTS[..],
        &ACTS_ALONE,
        &ACTS_ON_COLLECTION,
        &ACTS_ON_RECORD,
        &COMMANDS,
        &IMPERATIVE,
    ];
    is_listed_action(word) || is_in(&known, word)
}

/// Whether one word is a command, by what is before it in the path: `/relay/off`, `/killall`, but not `/orders/open`.
fn is_command_alone(word: &str, before: Option<&str>) -> bool {
    let is_moved = ["down", "up"].contains(&word) && before.is_some_and(|before| MOVED.contains(&before))
        || word == "now" && before.is_some_and(|before| is_in(&[&COMMANDS, &ACTS, &ACTS_ALONE], before));
    let is_switch = is_moved || before.is_some() && ["off", "on"].contains(&word);
    let of_several = before.is_some_and(|before| before.ends_with('s') && !before.ends_with("ss"));
    let mut glued = ["all", "db", "everything", "now"]
        .into_iter()
        .filter_map(|end| word.strip_suffix(end));
    let is_glued = glued.any(|verb| is_listed_action(verb) || is_in(&[&ACTS_ALONE, &COMMANDS], verb));
    // After a record, other words decide: `/images/{id}/format` is a thing.
    let is_of_record = before.is_some_and(|before| before.contains('{'));
    is_switch || is_glued || !of_several && !is_of_record && COMMANDS.contains(&word)
}

/// Whether several words are a command; `first` and `end` are the first and the last of them.
fn is_command_of_words(first: &str, end: &str, words: &[String]) -> bool {
    let is_shown = DISPLAY_NOUNS.contains(&end) || THINGS.contains(&end);
    let has_object = WITH_OBJECTS
        .iter()
        .any(|(verb, objects)| *verb == first && objects.contains(&words[1].as_str()));
    let is_verb = |word: &str| is_listed_action(word) || is_in(&[&ACTS, &ACTS_ALONE, &["cycle", "defaults"]], word);
    let is_pair = words.len() == 2;
    let is_turned =
        is_pair && (TURNS_ON_OR_OFF.contains(&first) || ["quiet", "step"].contains(&first)) && end == "down"
            || is_pair && ["off", "on"].contains(&end) && !["add", "log", "sign"].contains(&first);
    has_object
        || is_pair
            && OF_TWO_WORDS
                .iter()
                .any(|(verb, objects)| *verb == first && objects.contains(&end))
        || is_turned
        || IMPERATIVE.contains(&first) && (NEVER_A_NOUN.contains(&first) || !is_shown)
        || EMPHASES.contains(&first) && is_pair && is_verb(end)
        || is_pair && ["all", "everything"].contains(&end) && ["rm", "stop"].contains(&first)
        || end == "everywhere" && ends_session(&words[..words.len() - 1])
}

/// Whether a text begins with a verb that acts: "Opens the front door", "Feed the fish", "Send test email", "Generate
/// password".
fn says_command(words: &[String]) -> bool {
    let [first, object, ..] = words else { return false };
    let lists = [&ACTS[..], &ACTS_ALONE, &ACTS_ON_COLLECTION, &ACTS_ON_RECORD, &COMMANDS];
    let mut known = lists.into_iter().flatten();
    let may_show = MAY_SHOW.iter().any(|verb| is_base_or_third_person(first, verb));
    let is_no_verb = NO_VERBS.contains(&first.as_str()) || DETERMINERS.contains(&first.as_str());
    // Before a determiner, only a plural may be a noun, of which more is said then: "Days a vehicle takes to sell".
    let is_sentence = words.len() == 3 && ["a", "an", "the", "your"].contains(&object.as_str());
    let is_verb = !first.ends_with('s') || is_sentence || known.any(|verb| is_base_or_third_person(first, verb));
    // "Visits this month" are no act.
    let is_of_time = ["all", "any", "each", "every", "this"].contains(&object.as_str())
        && words.get(2).is_some_and(|time| TIMES.contains(&time.as_str()));
    let has_object = DETERMINERS.contains(&object.as_str()) && !is_of_time;
    let is_sure = IMPERATIVE.contains(&first.as_str()) && !NOUNS_TOO.contains(&first.as_str()) && first != "set"
        || first != "sets"
            && IMPERATIVE
                .iter()
                .chain(&["grant"])
                .any(|verb| is_third_person(first, verb))
            && !NO_VERBS.contains(&object.as_str());
    let is_secret = |word: &String| ["otp", "password", "secret", "token"].contains(&word.as_str());
    let creates_secret = is_base_or_third_person(first, "create") && words.iter().take(5).any(is_secret);
    let is_issued = ["generate", "issue"].contains(&first.as_str())
        && words.last().is_some_and(|last| ISSUED.contains(&last.as_str()));
    let is_thing = THINGS.contains(&object.as_str());
    !is_said_to_read(words)
        && !is_no_verb
        && (has_object && is_verb && !may_show || is_sure && !is_thing && !may_show || is_issued || creates_secret)
}

/// Whether a summary without a determiner is a command, by the path: "Close valve" for `/valve/close`, "Start export"
/// for `/export`, but not "Close price" for `/close-price`.
fn is_phrase_of_command(summary: &[String], path: &str) -> bool {
    let [verb, object @ ..] = summary else { return false };
    let Some(end) = object.last() else { return false };
    let is_thing = THINGS.contains(&end.as_str()) || DISPLAY_NOUNS.contains(&end.as_str()) || object.len() > 3;
    let mut segments = path.trim_end_matches('/').rsplit('/').map(camel_case_words);
    let last = segments.next().unwrap_or_default();
    let before = segments.next().unwrap_or_default();
    let is_of_path = last == [verb.clone()] && before == object;
    let is_several = end.ends_with('s') && !end.ends_with("ss");
    let repeats_path = last == summary;
    let starts = STARTS.contains(&verb.as_str()) && !is_several && !DETERMINERS.contains(&object[0].as_str());
    !is_thing && (is_of_path && !is_several || starts && !repeats_path)
}

/// Whether a sentence about a read says that reading takes away, changes or creates what is read: "can be read once",
/// "deleted after retrieval", "Returns the messages and marks them as read".
fn says_it_consumes(sentence: &str) -> bool {
    let whole = camel_case_words(sentence);
    let is_condition = |word: &String| ["cannot", "if", "never", "not", "until", "whether"].contains(&word.as_str());
    let is_phrase = GONE.iter().any(|phrase| sentence.contains(phrase));
    if is_phrase || says_it_creates(&whole) || clauses(sentence).any(|clause| does_too(&clause)) {
        return true;
    }
    let mut clauses = clauses(sentence);
    !whole.iter().any(is_condition)
        && (clauses.any(|clause| is_gone_once_read(&clause) || clears(&clause))
            || marks_as_read(&whole)
            || is_cleared(&whole)
            || is_said_to_read(&whole) && takes_what_it_returns(&whole))
}

/// Whether a clause says "can be read once" or "deleted after retrieval".
fn is_gone_once_read(clause: &[String]) -> bool {
    is_read_once(clause) || is_taken_by_reading(clause)
}

/// Whether a clause ends like "can be read once", "can only be retrieved one time" or "is shown only once". What is
/// "shown once" may be shown when it is created.
fn is_read_once(clause: &[String]) -> bool {
    const READ: [&str; 9] = [
        "accessed", "claimed", "delivered", "downloaded", "fetched", "opened", "read", "retrieved", "viewed",
    ];
    let (before, is_once) = match clause {
        [before @ .., one, time] if one == "one" && time == "time" => (before, true),
        [before @ .., last] => (before, last == "once"),
        [] => return false,
    };
    let counts = before
        .last()
        .is_some_and(|word| ["at", "least", "than"].contains(&word.as_str()));
    let has = |list: &[&str]| before.iter().any(|word| list.contains(&word.as_str()));
    is_once && !counts && (has(&READ) || has(&["displayed", "shown"]) && has(&["only"]))
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

/// Whether a clause says that what was named before it destroys something: "which invalidates the previous one".
fn clears(clause: &[String]) -> bool {
    const CLEARS: [&str; 9] = [
        "clears", "deletes", "empties", "erases", "invalidates", "purges", "removes", "resets", "wipes",
    ];
    matches!(clause, [which, verb, ..] if which == "which" && CLEARS.contains(&verb.as_str()))
}

/// Whether a sentence says "marks them as read" or "messages are marked as seen", but not "messages that are marked".
fn marks_as_read(words: &[String]) -> bool {
    let relative = ["can", "that", "when", "which", "who"];
    let is_relative = |word: &String| relative.contains(&word.as_str());
    words.iter().enumerate().any(|(at, word)| {
        let is_done = word == "marks"
            || word == "marked"
                && at > 0
                && ["are", "is"].contains(&words[at - 1].as_str())
                && !words[..at].iter().any(is_relative);
        let mut after = words[at + 1..].windows(2).take(4);
        is_done && after.any(|pair| pair[0] == "as" && MARKED_AS.contains(&pair[1].as_str()))
    })
}

/// Whether a sentence that begins with a verb that reads goes on like "and removes them" or "and remove the first".
fn takes_what_it_returns(words: &[String]) -> bool {
    let is_object = |word: &str| DETERMINERS.contains(&word) || ["it", "its", "them", "these", "those"].contains(&word);
    let is_joined = |three: &[String]| {
        let verb = three[1].strip_suffix('s').unwrap_or(&three[1]);
        ["and", "then"].contains(&three[0].as_str())
            && (is_listed_action(verb) || is_in(&[&TAKES, &IMPERATIVE], verb))
            && is_object(&three[2])
    };
    words.windows(3).any(is_joined)
}

/// Whether a clause adds what is done besides reading: "creating it if needed", "marking them as read".
fn does_too(clause: &[String]) -> bool {
    let verb = clause.first().and_then(|first| first.strip_suffix("ing"));
    let acts = |stem: &str| {
        let base = format!("{stem}e");
        let is_verb = |verb: &str| is_listed_action(verb) || is_in(&[&TAKES, &["create", "mark"]], verb);
        is_verb(stem) || is_verb(&base) || stem == "popp"
    };
    let object = clause.get(1).map_or("", String::as_str);
    verb.is_some_and(acts) && ["it", "one", "them", "these", "those"].contains(&object)
}

/// Whether words say that a record is created if there is none: "Get or create the cart", "It is created on first
/// access".
fn says_it_creates(words: &[String]) -> bool {
    let is = |word: Option<&String>, list: &[&str]| word.is_some_and(|word| list.contains(&word.as_str()));
    words.iter().enumerate().any(|(at, word)| {
        let (before, after) = (&words[..at], &words[at + 1..]);
        let condition = after.iter().take(5).position(|word| is(Some(word), &["if", "when"]));
        let if_missing = condition.is_some_and(|at| {
            let mut condition = after[at + 1..].iter();
            condition.any(|word| is(Some(word), &["absent", "exist", "exists", "missing", "none"]))
        });
        let on_demand = is(after.first(), &["if"])
            || is(after.first(), &["on"]) && is(after.get(1), &["access", "demand", "first"])
            || is(after.first(), &["it", "one"]) && is(after.get(1), &["if"])
            || if_missing;
        match word.as_str() {
            "create" | "creates" => on_demand || is(before.last(), &["or"]) && is_said_to_read(words),
            "created" => on_demand && is(before.last(), &["are", "is"]),
            _ => false,
        }
    })
}

/// Whether a whole sentence says that records are gone afterwards: "messages are cleared", but not "null values are
/// removed".
pub(super) fn is_cleared(words: &[String]) -> bool {
    const RECORDS: [&str; 13] = [
        "counter", "entries", "events", "it", "items", "jobs", "list", "messages", "notifications", "queue", "records",
        "tasks", "they",
    ];
    let [subject @ .., is, done] = words else { return false };
    let subject = match subject {
        [first, rest @ ..] if first == "and" || DETERMINERS.contains(&first.as_str()) => rest,
        subject => subject,
    };
    let is_record = matches!(subject, [only] if RECORDS.contains(&only.as_str()));
    is_record && ["are", "is"].contains(&is.as_str()) && TAKEN.contains(&done.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::operation::OperationId;
    use super::super::query::has_side_effect;
    use crate::contract::lexicon::camel_case_words;
    use crate::contract::testing::{of_paths, with_tags};

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
            "/flushdb", "/emptyTrash", "/deleteall", "/killall", "/format", "/factoryDefaults", "/emergency-stop",
            "/power/off", "/power-cycle", "/failover", "/promote", "/lockdown", "/door/open", "/alarm/disarm",
            "/rotate-keys", "/keys/roll-keys", "/reset-counters", "/payout", "/mail/send", "/sendReminder",
            "/broadcast", "/mark-read", "/close-account", "/forgetUser", "/logoutEverywhere", "/firmware/update",
            "/deactivate", "/banIp", "/stepDown", "/trimLogs", "/rmAll", "/dropCaches", "/system-prune", "/resetStats",
            "/createToken", "/quietDown", "/exit", "/_forcemerge", "/setWebhook", "/gpio/write", "/lights-off",
            "/#Action=SendEmail", "/pump/prime", "/label/print", "/members/{id}/ban", "/orders/{id}/print",
            "/contacts/{id}/call", "/machines/{id}/vend", "/nodes/{id}/cordon", "/accept-invitation", "/confirm-email",
            "/opt-out", "/check-in", "/clock-out", "/page-oncall", "/cron/run-nightly",
        ] {
            assert!(is_left_out(path, ""), "{path}");
        }
    }

    #[test]
    fn a_command_before_the_last_parameter_acts_on_what_that_names() {
        for path in [
            "/unsubscribe/{subscriber_id}",
            "/delete/{file_id}",
            "/reboot/{device_id}",
            "/approve/{request_id}",
            "/charge/{card_id}",
            "/cancel/{order_id}",
            "/restart/{service_id}",
            "/stop/{job_id}",
            "/send/{mail_id}",
            "/activate/{account_id}",
            "/redeem/{invitation_code}",
            "/unlock/{door_id}",
            "/power-cycle/{device_id}",
            "/v1/press/{button_id}",
            "/lights/{light_id}/blink",
            "/macros/{macro_id}/go",
        ] {
            assert!(is_left_out(path, ""), "{path}");
        }
        for summary in ["Open Door", "Open", "Run", "Start", "Vote"] {
            let path = format!("/{}/{{it}}", summary.to_lowercase().replace(" door", ""));
            assert!(is_left_out(&path, &format!("summary: {summary}, ")), "{path} {summary}");
        }
        assert!(is_left_out("/delete/{file_id}", "summary: Returns the file, "));
        for (path, summary) in [
            ("/files/{id}", ""),
            ("/stops/{id}", ""),
            ("/runs/{id}", ""),
            ("/votes/{id}", ""),
            ("/orders/{id}", ""),
            ("/stop/{stop_id}", ""),
            ("/flag/{country}", "summary: Returns the flag"),
            ("/orders/open/{customer}", ""),
            ("/files/{id}/content", ""),
            ("/users/search/{name}", ""),
        ] {
            let said = if summary.is_empty() {
                String::new()
            } else {
                format!("{summary}, ")
            };
            assert!(!is_left_out(path, &said), "{path} {summary}");
        }
    }

    #[test]
    fn a_verb_at_whose_path_records_are_listed_or_changed_is_a_thing() {
        let left_out = |verb: &str, more: &str| {
            let parameter = "parameters: [{name: id, in: path, required: true, schema: {type: string}}], ";
            let shown = "responses: {'200': {description: a}}";
            let paths = format!(
                "/{verb}/{{id}}:\n  get: {{{parameter}{shown}}}\n{}",
                more.replace("SHOWN", shown)
            );
            let contract =
                of_paths(&paths.replace("PARAMETER", parameter), "").unwrap_or_else(|defect| panic!("{defect}"));
            let operation = contract.operation_named(&format!("GET /{verb}/{{id}}"));
            has_side_effect(&contract.document, contract.operation(operation.unwrap()))
        };
        for verb in ["run", "vote", "order", "delete"] {
            let list = format!("/{verb}:\n  get: {{summary: List all, SHOWN}}\n");
            let update = "  put: {PARAMETERSHOWN}\n";
            let destroys = verb == "delete";
            assert_eq!(left_out(verb, &list), destroys, "{verb}");
            assert_eq!(left_out(verb, update), destroys, "{verb}");
            assert_eq!(left_out(verb, ""), verb != "order", "{verb}");
        }
        let acts = "/run:\n  get: {SHOWN}\n";
        assert!(left_out("run", acts));
    }

    #[test]
    fn a_last_segment_that_names_a_thing_is_no_command() {
        for (path, summary) in [
            ("/orders/open", ""),
            ("/orders/open", "summary: List open orders, "),
            (
                "/ports/{id}/trace",
                "description: Trace a complete cable path and return each segment, ",
            ),
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
            ("/leave", "summary: List leave, "),
            ("/block", ""),
            ("/releases/latest", ""),
            ("/add-on", ""),
            ("/markdown", ""),
            ("/small", ""),
            ("/payouts", ""),
            ("/prime-numbers", ""),
            ("/prints", ""),
            ("/contacts/{id}/calls", ""),
            ("/machines/{id}/vends", ""),
            ("/nodes/{id}/drafts", ""),
            ("/nodes/{id}/backup", ""),
            ("/members/{id}/bans", ""),
            ("/step", ""),
            ("/check-ins", ""),
            ("/check-in", "summary: Returns the check-in, "),
            ("/page-count", ""),
            ("/run-times", ""),
            ("/opt-outs", ""),
            ("/accept-types", ""),
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
            "Feed the fish",
            "Draw the next ticket",
            "Send test email",
            "Run garbage collection",
            "Increment and return",
            "Generate password",
            "Nudges the assignee",
            "Vends a can",
            "Books a seat",
            "Warms the cache",
            "Sends mail",
            "Rotates keys",
            "Grants access to the door",
        ] {
            assert!(is_left_out("/things", &format!("summary: {summary}, ")), "{summary}");
        }
        for summary in [
            "Open orders",
            "Release notes",
            "Format a number",
            "Resolve a name",
            "Verify the signature",
            "Trace a complete cable path and return each segment",
            "Run a query",
            "Updates of the firmware",
            "Block list",
            "Generate a report",
            "List the mails to send",
            "User details",
            "Order history",
            "Export formats",
            "Health check",
            "Close friends",
            "Run status",
            "Start date",
            "Infer the likely origin of a name",
            "Days a vehicle takes to sell",
            "Orders the customer placed",
            "Details the order",
            "Installs by month",
            "Sends by campaign",
            "Grants of a user",
            "Visits this month",
            "Hours each day",
            "Revenue this month",
            "About the service",
            "Info for a specific thing",
            "Print a label",
            "Train stations",
        ] {
            assert!(!is_left_out("/things", &format!("summary: {summary}, ")), "{summary}");
        }
    }

    #[test]
    fn a_summary_that_may_name_a_thing_is_a_command_if_the_path_agrees() {
        for (path, summary, acts) in [
            ("/valve/close", "Close valve", true),
            ("/export", "Start export", true),
            ("/friends/close", "Close friends", false),
            ("/close-price", "Close price", false),
            ("/start-page", "Start page", false),
            ("/cart/checkout", "Checkout", true),
            ("/volume/up", "Volume up", true),
            ("/services/up", "Services that are up", false),
            ("/run-scheduler", "Scheduler", true),
            ("/run-history", "Runs", false),
            ("/ping-all", "Ping all devices", true),
            ("/ping", "Ping", false),
            ("/checkin", "Check in", true),
            ("/queue/next", "Get the next item", true),
            ("/events/next", "Get the next event", false),
            ("/things", "<p>This operation lists things.", false),
            ("/things", "Manage the things", false),
        ] {
            let said = format!("summary: '{summary}', ");
            assert_eq!(is_left_out(path, &said), acts, "{path} {summary}");
        }
        assert!(is_left_out("/things", "operationId: createThing, "));
        assert!(!is_left_out(
            "/things",
            "operationId: createThing, summary: List things, "
        ));
        assert!(!is_left_out("/things", "operationId: send_things_v1_things_get, "));
    }

    #[test]
    fn a_read_is_a_command_if_its_path_or_its_success_says_that_it_consumes() {
        let left_out = |of_path: &str, of_success: &str| {
            let paths = format!(
                "/secret:\n  description: {of_path}\n  get: {{operationId: getSecret, responses: {{'200': {{description: \
                 {of_success}}}}}}}\n"
            );
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            has_side_effect(&contract.document, contract.operation(OperationId(0)))
        };
        for said in ["The secret can be read once.", "It is deleted after retrieval."] {
            assert!(left_out(said, "A secret.") && left_out("Secrets.", said), "{said}");
        }
        for said in [
            "Creates, reads and deletes secrets.",
            "A secret. It is read at least once.",
        ] {
            assert!(!left_out(said, "A secret.") && !left_out("Secrets.", said), "{said}");
        }
    }

    #[test]
    fn a_read_that_reaches_others_or_keeps_what_it_shows_from_them_is_a_command() {
        for said in [
            "Generates the report and emails it to all subscribers.",
            "A new one-time password is delivered by SMS.",
            "Issues a one-time token and invalidates any earlier token.",
            "Returns a fresh key. The old key is revoked.",
            "Returned notifications become read.",
            "Received messages are hidden from other consumers for 30 seconds.",
            "The job is locked to the worker.",
            "Logs the user out of all other sessions.",
            "Note: this endpoint reboots the device.",
            "**Side effect:** places an order.",
            "Fires a sample event at every registered endpoint.",
        ] {
            let text = format!("summary: Get things, description: \"{said}\", ");
            assert!(is_left_out("/things", &text), "{said}");
        }
        for said in [
            "Returns the time of the last login.",
            "Only active users are returned.",
            "The report that is emailed to all subscribers.",
            "Reports that are delivered by SMS.",
            "Returns the keys and when they were revoked.",
            "Old entries are listed last.",
            "Jobs that are locked to a worker are listed too.",
            "Logs of the user.",
            "This endpoint returns the device.",
            "It has no side effects.",
            "Side effects: none.",
            "Returns the side effects of a drug.",
            "Returns the names and emails of the users.",
            "Lists payments and refunds of a customer.",
            "Fires of the last year.",
            "Notifications that become read are hidden.",
        ] {
            let text = format!("summary: Get things, description: \"{said}\", ");
            assert!(!is_left_out("/things", &text), "{said}");
        }
    }

    #[test]
    fn what_is_said_around_a_read_may_say_that_it_acts() {
        let left_out = |of_path: &str, of_success: &str, of_tag: &str, more: &str| {
            let paths = format!(
                "/report:\n  {of_path}\n  get: {{operationId: report, tags: [a], responses: {{'200': {{description: \
                 '{of_success}'}}}}}}\n{more}"
            );
            let tags = format!("{{name: a, description: '{of_tag}'}}");
            let contract = with_tags(&paths, &tags);
            has_side_effect(&contract.document, contract.operation(OperationId(0)))
        };
        let delete = "  delete: {operationId: drop, responses: {'204': {description: a}}}\n";
        let erases = "summary: Erase all stored measurements";
        assert!(left_out(erases, "A report.", "Reports.", ""));
        assert!(!left_out(erases, "A report.", "Reports.", delete));
        let calling = "description: Calling this erases all stored measurements.";
        assert!(left_out(calling, "A report.", "Reports.", ""));
        assert!(left_out(
            "summary: A",
            "A report.",
            "Everything here wipes the device.",
            ""
        ));
        for said in ["Device rebooted", "Email sent"] {
            assert!(left_out("summary: A", said, "Reports.", ""), "{said}");
        }
        for said in ["Emails sent", "Last sent", "The device that was rebooted"] {
            assert!(
                !left_out("summary: Reports", said, "Everything about reports.", ""),
                "{said}"
            );
        }
    }

    #[test]
    fn a_read_that_consumes_is_a_command() {
        for said in [
            "Get and remove the first item",
            "Fetch the inbox; messages are cleared",
            "Returns the cart, creating it if needed.",
            "Get or create the cart",
            "The list is created on first access.",
            "Fetches the mails, marking them as read.",
            "Messages are deleted after retrieval.",
            "Received messages (deleted after retrieval)",
            "The note can be read once.",
            "Returns the note; after that it is gone.",
            "Each message can only be retrieved once.",
            "Each message can only be retrieved one time.",
            "Messages returned by this call are removed from the server.",
            "Returns the unread messages and marks them as read.",
            "Returns the inbox; messages are marked as seen.",
            "Returns a fresh password, which invalidates the previous one.",
            "Returns the next message and removes it.",
            "The secret is shown only once.",
            "The note is destroyed after being viewed.",
            "Returns the cart. Creates the cart if it does not exist.",
            "Creates an empty list when none exists.",
        ] {
            let text = format!("summary: Get things, description: \"{said}\", ");
            assert!(is_left_out("/things", &text), "{said}");
        }
        for said in [
            "Returns deleted messages.",
            "Duplicates are removed.",
            "Null values are removed.",
            "Returns the date when the thing was created.",
            "Fetches the mails without marking them as read.",
            "Returns events and updates.",
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
            "Returns the user who creates a pet, with a photo where it was stored, if one exists.",
            "Tokens are destroyed 30 days after they were last used.",
        ] {
            let text = format!("summary: Get things, description: \"{said}\", ");
            assert!(!is_left_out("/things", &text), "{said}");
        }
    }

    #[test]
    fn a_field_a_header_or_a_rejection_may_say_that_reading_takes_away() {
        for said in ["Deleted after retrieval.", "The secret can be read once."] {
            for (field, header, rejection) in [(said, "", ""), ("", said, ""), ("", "", said)] {
                let left_out = |said: [&str; 3]| {
                    let [field, header, rejection] = said;
                    let schema =
                        format!("{{type: object, properties: {{a: {{type: string, description: '{field}'}}}}}}");
                    let header = format!("headers: {{X-A: {{schema: {{type: string}}, description: '{header}'}}}}");
                    let success = format!(
                        "'200': {{description: a, {header}, content: {{application/json: {{schema: {schema}}}}}}}"
                    );
                    let rejection = format!("'404': {{description: '{rejection}'}}");
                    let paths =
                        format!("/secret:\n  get: {{summary: Get it, responses: {{{success}, {rejection}}}}}\n");
                    let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
                    has_side_effect(&contract.document, contract.operation(OperationId(0)))
                };
                assert!(left_out([field, header, rejection]), "{field} {header} {rejection}");
                assert!(!left_out(["When it was deleted.", "Read at least once.", "Deleted."]));
            }
        }
    }

    #[test]
    fn words_of_other_rules_count_for_a_read_too() {
        for said in [
            "summary: Unmounts disks, ",
            "summary: Get the order, description: Returns the order and cancels it., ",
            "summary: Get the key, description: The current key is revoked., ",
            "summary: Get the code, description: It is sent by notification., ",
            "summary: Get the job, description: The job is leased to you., ",
        ] {
            assert!(is_left_out("/things", said), "{said}");
        }
        for said in [
            "summary: Sets available, ",
            "summary: Get the order, description: Returns the order and cancellations of it., ",
            "summary: Get the key, description: Whether the current key is revoked., ",
        ] {
            assert!(!is_left_out("/things", said), "{said}");
        }
        let done = camel_case_words("Message acknowledged");
        assert!(super::is_of_what_was_done(&done));
    }
}
