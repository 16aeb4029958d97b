//! Recognises the operations that read by `POST`: `POST /flows/filter` takes what is looked for in its body and changes
//! nothing. The main function is [`is_query`].
//!
//! # Design
//!
//! No method says so (RFC 9110 has none for it), so the name has to, and where anything in the document speaks against
//! it, the operation stays a write. The last segment of the path must say that it is a read: one of `ASKS`, `history`,
//! a search, `find`, `lookup` or `count` by something, `list` (see [`list_query`]), or `get` with its object. Where the
//! segment may mean more (`history`, `lookup`, `get` with its object), everything that is said about the operation must
//! say that it reads. A segment is taken as a whole, because a verb beside other words is often the name of a thing
//! (`saved-search`, `search-index`) or half of an action (`delete-by-query`, `find-and-modify`). The summary must begin
//! with a verb that is known to mean a read (or the name must contain one, if there is no summary), because a list of
//! verbs for actions is never complete. A verb for an action, in any form and anywhere near, speaks against it, and so
//! does a record below the path: `GET /search/{id}` says that a `POST` to `/search` stores what it starts.

use std::collections::HashSet;

use super::consequence::{is_role, is_stated_as_fact, makes_the_one, says_consequence, says_unconditionally};
use super::document::{Document, Node};
use super::field::{required_fields, with_all_of};
use super::get_side_effects;
use super::inferred::comparable_path;
use super::lexicon::{
    ACTS, ACTS_ALONE, ACTS_ON_COLLECTION, ACTS_ON_RECORD, ALWAYS_ACTIONS, COMMANDS, CONSUMES, DESTROYS, DETERMINERS,
    ISSUED, NEVER_A_NOUN, NOUNS_TOO, PASSIVE, READS, READS_IN_SUMMARIES, THINGS, TURNS_ON_OR_OFF, camel_case_words,
    clauses, is_base_or_third_person, is_form_of, is_in, is_listed_action, sentences, without_prefixes,
};
use super::operation::{Method, Operation, OperationId, StatusPattern};
use super::parameter_side_effects::{name_has_side_effect, says_side_effect};
use super::spread::reaches_other_records;
use super::texts::{About, any_says, said, stated, summary_and_description};
use super::{Contract, list_query, load, pointer};

/// Verbs that, as the last segment of a path, ask for something; [`only_asks`] says which can do nothing else.
const ASKS: [&str; 7] = ["count", "filter", "find", "get", "lookup", "paginate", "query"];

/// Words before `search` in a segment that say how it searches.
const WAYS_TO_SEARCH: [&str; 8] = [
    "advanced", "bulk", "full", "fulltext", "global", "multi", "semantic", "text",
];

/// Phrases in a description that say that what is shown is taken away, as the names in `CONSUMES` do.
const SAYS_CONSUMED: [&str; 9] = [
    "are held for", "for this worker", "invisible", "no longer", "not returned again", "poll for", "taken off",
    "to work on", "works once",
];

fn says_consumed(text: &str) -> bool {
    let text = text.to_lowercase();
    SAYS_CONSUMED.iter().any(|phrase| text.contains(phrase))
}

/// Verbs that need not mean an action: a form of one may be a thing that is read (`records`, `changes`), or say what a
/// read takes (`accepts a filter`). Beside other words they mean an action only after one of `JOINS` or `PASSIVE`.
const MAY_ACT: [&str; 52] = [
    "accept", "begin", "bill", "block", "book", "change", "charge", "claim", "clone", "close", "commit", "copy",
    "deploy", "email", "empty", "export", "flag", "import", "issue", "join", "leave", "lock", "mark", "merge", "open",
    "pay", "pin", "pop", "post", "prepare", "print", "process", "put", "queue", "record", "refund", "release",
    "remind", "resolve", "run", "schedule", "share", "sign", "start", "store", "submit", "take", "touch", "train",
    "upgrade", "upload", "vote",
];

/// Verbs that end, spend or take away something, which no read does. A summary that begins with one and says of what,
/// or a name that consists of one and a thing, says so: "Ends the session", `emptyTrash`.
const TAKES_AWAY: [&str; 25] = [
    "ban", "charge", "deactivate", "disable", "discard", "drop", "empty", "end", "evict", "expire", "invalidate",
    "lock", "pay", "prune", "redeem", "refund", "replace", "restore", "rotate", "suspend", "transfer", "trash",
    "vacuum", "void", "withdraw",
];

/// Words after which a verb says what else is done: "find pets and store them".
const JOINS: [&str; 4] = ["and", "or", "then", "to"];

/// Words in the names of required fields that say that the body chooses an action, or whom to notify.
const COMMAND_FIELDS: [&str; 6] = ["action", "callback", "command", "method", "recipient", "webhook"];

impl Contract {
    /// Returns the list of the collection in which a query looks: `GET /pets` for `POST /pets/search`.
    pub(crate) fn list_of_queried_collection(&self, query: OperationId) -> Option<OperationId> {
        let query = Some(self.operation(query)).filter(|query| query.is_query())?;
        let collection = comparable_path(queried_collection(query)?);
        let mut operations = self.operation_ids();
        operations.find(|id| {
            let operation = self.operation(*id);
            operation.is_get() && comparable_path(&operation.path) == collection
        })
    }
}

/// Returns the path of the collection in which a query looks for records; `None` if it lists others:
/// `/backends/list_types`.
pub(super) fn queried_collection(query: &Operation) -> Option<&str> {
    let (collection, segment) = query.path.trim_end_matches('/').rsplit_once('/')?;
    Some(collection).filter(|_| !list_query::lists_others(collection, segment))
}

/// Whether the operation reads, although it is a `POST`, as far as its path, its name, its responses and the paths
/// below it say without doubt.
pub(super) fn is_query(document: &Document, operation: &Operation) -> bool {
    let segment = operation.path.trim_end_matches('/').rsplit('/').next();
    operation.method == Method::Post
        && segment.is_some_and(|segment| !segment.contains('{') && asks(segment))
        && !operation.has_invariants()
        && operation.page.is_none()
        && only_shows(document, operation)
        && segment.is_some_and(|segment| {
            if list_query::is_named_list(segment) {
                list_query::lists_several(document, operation)
            } else if only_asks(segment) {
                is_said_to_read(document, operation)
            } else {
                is_only_said_to_read(document, operation)
            }
        })
        && !has_action_below(&operation.path)
        && !has_side_effect_by_default(document, operation)
        && !issues_something(document, operation)
        && !is_said_to_have_side_effect(document, operation)
        && !parts_say_it_acts(document, operation)
        && !has_records_below(document, &operation.path)
}

/// Whether a sentence about a query, its path, its tags, its body, a required field or its success says that searching
/// does something: "Each search is billed", "Results are removed from the pool".
fn parts_say_it_acts(document: &Document, operation: &Operation) -> bool {
    any_says(document, operation, |about| match about {
        About::Operation
        | About::Path
        | About::Tags
        | About::Parts
        | About::Whole
        | About::Required
        | About::Scopes => Some(&part_says_it_acts),
        About::Schemas | About::Returned | About::Responses | About::Parameters => Some(&says_unconditionally),
        // What is said of a choice holds for one of its values, and of the document, for any other operation.
        About::Choices | About::Document => None,
    })
}

fn part_says_it_acts(text: &str) -> bool {
    sentences(text).any(|sentence| {
        let words = camel_case_words(sentence);
        let finds_a_device = words.windows(3).any(|three| {
            three[0] == "find" && three[1] == "my" && ["car", "device", "keys", "phone"].contains(&three[2].as_str())
        });
        finds_a_device || says_consequence(sentence) || is_done_with_results(&words) || locks_an_account(&words)
    })
}

/// Returns what is said of the parts of an operation. The fields that it may take or returns are left out: their texts
/// name what was done to a record ("Created after this time"), not what the operation does.
pub(super) fn said_of_parts<'document>(
    document: &'document Document,
    operation: &Operation,
) -> impl Iterator<Item = &'document str> {
    const PARTS: [About; 6] = [
        About::Path,
        About::Tags,
        About::Required,
        About::Parts,
        About::Whole,
        About::Scopes,
    ];
    said(document, operation, &PARTS)
}

/// Whether words say what is done with a search or what it finds: "Results are removed from the pool", "The first hit
/// is assigned to the caller", but not "results that are archived".
fn is_done_with_results(words: &[String]) -> bool {
    const RESULTS: [&str; 9] = [
        "hit", "hits", "it", "match", "matches", "result", "results", "search", "they",
    ];
    const DONE: [&str; 10] = [
        "assigned", "billed", "charged", "claimed", "consumed", "deleted", "held", "locked", "removed", "reserved",
    ];
    words.windows(2).enumerate().any(|(at, pair)| {
        let is_done = ["are", "is"].contains(&pair[0].as_str()) && DONE.contains(&pair[1].as_str());
        let subject = &words[..at];
        is_done && is_stated_as_fact(subject) && subject.iter().any(|word| RESULTS.contains(&word.as_str()))
    })
}

/// Whether words say that too many calls have an effect: "Further ones lock the account".
fn locks_an_account(words: &[String]) -> bool {
    words.windows(3).any(|three| {
        ["block", "blocks", "lock", "locks"].contains(&three[0].as_str())
            && three[1] == "the"
            && ["account", "card", "user"].contains(&three[2].as_str())
    })
}

/// Whether the query issues something new, holds what it finds, or counts the call: `/tokens/get`, "Gets a new token",
/// "Counts a visit".
fn issues_something(document: &Document, operation: &Operation) -> bool {
    let path = camel_case_words(&operation.path);
    let is_issued = |word: &String| ISSUED.contains(&word.strip_suffix('s').unwrap_or(word));
    let last = operation
        .path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .map(camel_case_words);
    let gets = last.is_some_and(|last| last.first().is_some_and(|first| first == "get"));
    let is_made = |text: &str| {
        let words = camel_case_words(text);
        let is_fresh = |pair: &[String]| {
            ["a", "an", "one", "the"].contains(&pair[0].as_str())
                && ["fresh", "new", "next"].contains(&pair[1].as_str())
        };
        let holds =
            |pair: &[String]| JOINS.contains(&pair[0].as_str()) && ["hold", "holds"].contains(&pair[1].as_str());
        let counts_one = matches!(words.as_slice(), [count, one, ..]
            if is_base_or_third_person(count, "count") && ["a", "an", "this"].contains(&one.as_str()));
        let pages = |index: usize| {
            words
                .get(index)
                .is_some_and(|word| ["page", "pages"].contains(&word.as_str()))
        };
        let mut pairs = words.windows(2).enumerate();
        counts_one || pairs.any(|(at, pair)| is_fresh(pair) && !pages(at + 2) || holds(pair))
    };
    gets && path.iter().any(is_issued) || summary_and_description(document, operation).any(is_made)
}

/// Whether an operation does something besides what its method says, as far as its path, its name, the beginning of its
/// summary or, unless it is a `POST`, a sentence of its summary or description says without doubt: `GET /logout`,
/// "Revokes the token".
#[must_use]
pub(crate) fn has_side_effect(document: &Document, operation: &Operation) -> bool {
    let segments = operation.path.split('/').filter(|segment| !segment.starts_with('{'));
    let segments: Vec<_> = segments
        .map(camel_case_words)
        .filter(|words| !words.is_empty())
        .collect();
    let ends_session = |words: &Vec<String>| ends_session(words);
    let is_last_literal = !operation.path.trim_end_matches('/').ends_with('}');
    let last = segments.last().filter(|_| is_last_literal);
    // `GET /types/{id}/block-documents` lists what `GET /block-documents` does.
    let last = last.filter(|words| !is_collection(document, words));
    let is_after_record = operation
        .path
        .trim_end_matches('/')
        .rsplit('/')
        .nth(1)
        .is_some_and(|before| before.starts_with('{'));
    let name = stated(document, operation, "operationId").map(camel_case_words);
    let said = summary_and_description(document, operation).next();
    let is_get = operation.is_get();
    let changes = !is_get && operation.method != Method::Post;
    segments.iter().any(ends_session)
        || is_get
            && (get_side_effects::has_side_effect(document, operation)
                || get_side_effects::acts_on_parameter(document, operation))
        || changes && has_consequence(document, operation)
        || name.is_some_and(|words| {
            ends_session(&words)
                || begins_with_action(&words)
                || ends_with_action(&words)
                || is_get && names_what_it_takes(&words)
        })
        || last.is_some_and(|words| {
            is_action_in_path(words)
                || is_after_record
                    && (is_action_on_record(words) || !is_get && (is_role_of_one(words) || is_of_rights(words)))
        })
        || has_action_after_record(&operation.path)
        || said.is_some_and(|said| {
            let words = without_prefixes(said);
            begins_with_action(&words) || is_get && says_it_takes_away(&words)
        })
}

/// Verbs for what is done to a record that exists, so that a `POST` need not create one.
const MOVES: [&str; 11] = [
    "assign", "associate", "attach", "borrow", "claim", "connect", "enroll", "link", "move", "pair", "reassign",
];

/// Returns what the path or the name of a `POST` suggests that it does, other than create a record: `POST /runs/stop`,
/// `/runs/get_plan`.
#[must_use]
pub(crate) fn suggests_no_create(document: &Document, operation: &Operation) -> Option<&'static str> {
    const CREATES: [&str; 3] = ["add", "create", "insert"];
    let segment = operation.path.trim_end_matches('/').rsplit('/').next()?;
    let segment = Some(segment).filter(|segment| !segment.contains('{'));
    let begins = |words: Vec<String>, verbs: &[&str]| words.first().is_some_and(|first| verbs.contains(&&**first));
    let named = ["operationId", "summary"].map(|key| stated(document, operation, key));
    let mut names = named.into_iter().chain([segment]).flatten();
    let creates = names.any(|name| begins(without_prefixes(name), &CREATES));
    let moves = named
        .into_iter()
        .flatten()
        .any(|name| says_that_it_moves(&without_prefixes(name)));
    let reads = |segment: &str| asks(segment) || begins(camel_case_words(segment), &["find", "get", "list"]);
    let acts = |segment: &str| {
        let words = camel_case_words(segment);
        is_action_on_record(&words) || is_action_in_path(&words)
    };
    let reason = if operation.method != Method::Post || creates {
        None
    } else if segment.is_some_and(reads) {
        Some("its path suggests a read, but the document leaves open whether it only reads")
    } else if moves || has_side_effect(document, operation) || segment.is_some_and(acts) {
        Some("its path, its operationId or its summary suggests an action, not a create")
    } else {
        None
    };
    // `POST /update-rules` creates what `GET /update-rules/{id}` reads.
    reason.filter(|_| !has_records_below(document, &operation.path))
}

/// Whether a summary or an operationId begins with a verb for what is done to a record that exists, and its object:
/// "Assign a device to a site". The name of a collection may look the same (`links_create`).
fn says_that_it_moves(words: &[String]) -> bool {
    const CREATES: [&str; 4] = ["add", "create", "new", "post"];
    let [verb, object, ..] = words else { return false };
    MOVES.iter().any(|moves| is_base_or_third_person(verb, moves)) && !CREATES.contains(&object.as_str())
}

/// Whether a write to a record does something to others too, or makes it the one of its kind, as the document says of
/// the operation, its path, its body or its successes.
fn has_consequence(document: &Document, operation: &Operation) -> bool {
    let summary = stated(document, operation, "summary").map(without_prefixes);
    summary.is_some_and(|words| makes_the_one(&words))
        || reaches_other_records(document, operation)
        || any_says(document, operation, |about| match about {
            About::Operation | About::Path | About::Tags | About::Parts => {
                Some(&|text| sentences(text).any(says_consequence))
            }
            About::Whole | About::Schemas | About::Scopes | About::Returned | About::Responses | About::Parameters => {
                Some(&says_unconditionally)
            }
            // What is said of a choice holds for one of its values, and of the document, for any other operation.
            About::Required | About::Choices | About::Document => None,
        })
}

/// Whether a `DELETE` of one record may delete or change others, by what the document says: it requires a body, which
/// chooses what is deleted, or a sentence says "Deletes all", "Clears the list" or "All items are removed", or speaks
/// of every other record or of the end of a session.
#[must_use]
pub(crate) fn deletes_more(document: &Document, operation: &Operation) -> bool {
    const SEVERAL: [&str; 4] = ["all", "each", "every", "everything"];
    const EMPTIES: [&str; 6] = ["clear", "empty", "flush", "reset", "truncate", "wipe"];
    let body = load::resolve(document, pointer::join(&operation.pointer, "requestBody"));
    let required = document.node(&body).and_then(|body| body.member("required"));
    let is_verb = |word: &String| {
        DESTROYS
            .iter()
            .chain(&ALWAYS_ACTIONS)
            .any(|verb| is_form_of(word, verb))
    };
    let is_of_several = |sentence: &str| {
        let words = without_prefixes(sentence);
        let is_of_several = |word: &String| SEVERAL.contains(&word.as_str());
        let is_of_others = |pair: &[String]| is_of_several(&pair[0]) && pair[1].starts_with("other");
        let deletes_several = match words.as_slice() {
            [verb, what, ..] => is_verb(verb) && (is_of_several(what) || words.windows(2).any(is_of_others)),
            _ => false,
        };
        // What is emptied contains others, and the end of a session is no deletion.
        let empties = words
            .first()
            .is_some_and(|word| EMPTIES.iter().any(|verb| is_base_or_third_person(word, verb)));
        deletes_several || empties || ends_session(&words[..words.len().min(2)])
    };
    // "Empty response" is no command.
    let are_several_deleted = |sentence: &str| {
        let words = without_prefixes(sentence);
        let is_passive = |pair: &[String]| PASSIVE.contains(&pair[0].as_str()) && is_verb(&pair[1]);
        let begins = words.first().is_some_and(|word| SEVERAL.contains(&word.as_str()));
        begins && words.windows(2).any(is_passive) || says_consequence(sentence)
    };
    required.and_then(Node::boolean) == Some(true)
        || summary_and_description(document, operation)
            .flat_map(sentences)
            .any(is_of_several)
        // [`has_consequence`] reads the others.
        || said(document, operation, &[About::Operation, About::Path, About::Tags, About::Parts])
            .flat_map(sentences)
            .any(are_several_deleted)
}

/// Whether these are the words of a plural that begins the path of records: `/block-documents/{id}`.
fn is_collection(document: &Document, segment: &[String]) -> bool {
    let mut paths = document.members_at("/paths").iter();
    segment.len() > 1
        && segment.last().is_some_and(|last| last.ends_with('s'))
        && paths.any(|path| {
            let mut segments = path.name.split('/').skip_while(|name| name.is_empty()).peekable();
            let first = segments.next().map(camel_case_words);
            let is_followed = segments.peek().is_some_and(|next| next.starts_with('{'));
            is_followed && first.as_deref() == Some(segment)
        })
}

/// Whether a segment somewhere after a record is a verb that always means an action: `/pets/{id}/delete/confirm`.
fn has_action_after_record(path: &str) -> bool {
    let mut segments = path.split('/').skip_while(|segment| !segment.starts_with('{'));
    segments.any(|segment| {
        let words = camel_case_words(segment);
        let [only] = words.as_slice() else { return false };
        !segment.starts_with('{') && is_in(&[&ALWAYS_ACTIONS, &DESTROYS], only)
    })
}

/// Whether words begin or end with those for the end of a session: `logout`, `userLogout`, `sign-out`.
pub(super) fn ends_session(words: &[String]) -> bool {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let is_end = |words: &[&str]| {
        matches!(
            words,
            ["log" | "logs" | "sign" | "signs", "off" | "out"] | ["end", "session"]
        )
    };
    let is_one =
        |word: Option<&&str>| word.is_some_and(|word| ["logoff", "logout", "signoff", "signout"].contains(word));
    // Generators of names add the method: `usersSignOutGet`.
    let words = match words.as_slice() {
        [before @ .., "get"] if !before.is_empty() => before.to_vec(),
        _ => words,
    };
    // What has happened is a thing: `/logout-events`.
    let has_suffix =
        words.len() > 1 && !["all", "html", "json", "php", "user", "xml"].contains(&words[words.len() - 1]);
    is_one(words.last())
        || (is_one(words.first()) && !has_suffix)
        || words.get(words.len().saturating_sub(2)..).is_some_and(is_end)
}

/// Whether the words of a path's last segment say that something is done: `clear`, `clear-cache`, `cache:clear`,
/// `archive-all`, `reset.json`.
pub(super) fn is_action_in_path(words: &[String]) -> bool {
    let is_format = |word: &String| ["html", "json", "php", "xml"].contains(&word.as_str());
    let words = match words {
        [before @ .., last] if !before.is_empty() && is_format(last) => before,
        words => words,
    };
    let acts_on_all = |first: &str| {
        let is_verb = is_in(
            &[
                &ALWAYS_ACTIONS, &ACTS_ALONE, &ACTS, &ACTS_ON_COLLECTION, &ACTS_ON_RECORD,
            ],
            first,
        );
        is_verb && words[1..].iter().any(|word| word == "all")
    };
    let follows_and = words
        .windows(2)
        .any(|pair| pair[0] == "and" && is_form_of_acting_verb(&pair[1]));
    follows_and
        || match words {
            [only] => is_in(&[&ALWAYS_ACTIONS, &DESTROYS, &ACTS_ALONE, &ACTS_ON_COLLECTION], only),
            [first, .., last] => {
                let is_thing = THINGS.contains(&last.as_str()) || last.ends_with('s');
                is_in(&[&DESTROYS], first)
                    || is_in(&[&DESTROYS], last)
                    || acts_on_all(first)
                    || is_in(&[&ALWAYS_ACTIONS], first) && !is_thing
            }
            [] => false,
        }
}

/// Whether the words of a path's last segment, which follows a record, say what is done with it: `verify`,
/// `reset-password`. `GET /reports/{id}/export` may only read, and so may what ends in a thing that is read.
fn is_action_on_record(words: &[String]) -> bool {
    let [verb, rest @ ..] = words else { return false };
    let is_verb = is_in(&[&ALWAYS_ACTIONS, &ACTS_ALONE, &ACTS, &ACTS_ON_RECORD], verb);
    let is_switch = TURNS_ON_OR_OFF.contains(&verb.as_str()) && matches!(rest, [to] if to == "off" || to == "on");
    let is_reset = verb == "reset" && rest.last().is_some_and(|last| last == "settings" || last == "config");
    let is_thing = rest.last().is_some_and(|last| THINGS.contains(&last.as_str()));
    is_switch || is_verb && rest.len() < 3 && (is_reset || NEVER_A_NOUN.contains(&verb.as_str()) || !is_thing)
}

/// Whether the words of a path's last segment, which follows a record, name a role that at most one record has, so that
/// a write to it takes the role from another: `/addresses/{id}/default`.
fn is_role_of_one(words: &[String]) -> bool {
    matches!(words, [only] if is_role(only))
}

/// Whether the words of a path's last segment, which follows a record, are about what its owner may do:
/// `/users/{id}/admin`, `/users/{id}/roles`. A write there grants rights.
fn is_of_rights(words: &[String]) -> bool {
    const RIGHTS: [&str; 11] = [
        "admin", "administrator", "grants", "owner", "ownership", "permissions", "privileges", "rights", "role",
        "roles", "superuser",
    ];
    matches!(words, [only] if RIGHTS.contains(&only.as_str()))
}

/// Whether a summary begins with a verb for an action: "Revoke the token", "Clears the cache". A verb that is a noun
/// too must have an object with a determiner: "Reset the password", but not "Reset status".
pub(super) fn begins_with_action(words: &[String]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let base = |verb: &&str| first == verb || first == &format!("{verb}s") || first == &format!("{verb}es");
    let is_always = ALWAYS_ACTIONS.iter().chain(&DESTROYS).any(base);
    let has_object = rest
        .first()
        .is_some_and(|second| DETERMINERS.contains(&second.as_str()));
    // "Delete pets" names what is deleted, and "Delete history" a thing that is read; "Reset everything" says how much.
    let is_of_all = rest.iter().any(|word| word == "all" || word == "everything");
    let deletes = is_of_all || first == "delete" && rest.last().is_some_and(|last| !THINGS.contains(&last.as_str()));
    let is_noun_too = NOUNS_TOO.iter().any(|verb| first == verb) && !deletes;
    // "Log the current user out".
    let is_parted = has_object && rest.last().is_some_and(|last| last == "out");
    ends_session(&words[..words.len().min(2)])
        || ends_session(&words[..1])
        || is_parted && ["log", "logs", "sign", "signs"].contains(&first.as_str())
        || (is_always && (!is_noun_too || has_object))
}

/// Whether the name of an operation ends with a verb that always means an action, as where the thing comes first:
/// `tokenRevoke`.
fn ends_with_action(words: &[String]) -> bool {
    let [_, .., verb] = words else { return false };
    is_listed_action(verb) && !NOUNS_TOO.contains(&verb.as_str())
}

/// Whether the summary of a read says that it takes something away: "Empties the trash", "Returns and removes the next
/// message". An update may say so of what it replaces.
pub(super) fn says_it_takes_away(words: &[String]) -> bool {
    match words {
        [_, and, also, ..] if and == "and" || and == "then" => {
            let mut verbs = ALWAYS_ACTIONS.iter().chain(&DESTROYS).chain(&TAKES_AWAY);
            verbs.any(|verb| *also == format!("{verb}s"))
        }
        [first, object, ..] => {
            DETERMINERS.contains(&object.as_str()) && TAKES_AWAY.iter().any(|verb| is_base_or_third_person(first, verb))
        }
        _ => false,
    }
}

/// Whether the words of an operation's name are a verb that takes something away, and one thing that it takes:
/// `emptyTrash`, but not `restorePoints` or `lockStatus`.
pub(super) fn names_what_it_takes(words: &[String]) -> bool {
    let [verb, .., thing] = words else { return false };
    TAKES_AWAY.contains(&verb.as_str()) && !thing.ends_with('s') && !THINGS.contains(&thing.as_str())
}

/// Whether a word is a form of a verb that acts: `resets`, `archiving`.
pub(super) fn is_form_of_acting_verb(word: &str) -> bool {
    ALWAYS_ACTIONS.iter().chain(&ACTS).any(|verb| is_form_of(word, verb))
}

/// Whether words say that something is done: one is a form of a verb that acts, or of one that may act where it follows
/// "and" or is passive. A form in -ed alone only says which things are meant.
pub(super) fn says_something_is_done(words: &[String]) -> bool {
    let follows = |index: usize, before: &[&str]| {
        index
            .checked_sub(1)
            .is_some_and(|at| before.contains(&words[at].as_str()))
    };
    words.iter().enumerate().any(|(index, word)| {
        let is_done = follows(index, &JOINS) || follows(index, &PASSIVE);
        if MAY_ACT.iter().any(|verb| is_form_of(word, verb)) {
            return is_done;
        }
        is_form_of_acting_verb(word) && (is_done || !word.ends_with("ed"))
    })
}

/// Whether the summary begins with a verb that reads, or the name has one; where the document has neither, the path
/// alone says so.
fn is_said_to_read(document: &Document, operation: &Operation) -> bool {
    let is_read = |word: &String| READS.iter().any(|verb| is_form_of(word, verb));
    let begins = |word: &String| is_read(word) || READS_IN_SUMMARIES.iter().any(|verb| is_form_of(word, verb));
    match (
        stated(document, operation, "summary"),
        stated(document, operation, "operationId"),
    ) {
        (Some(summary), _) => camel_case_words(summary).first().is_some_and(begins),
        (None, Some(name)) => camel_case_words(name).iter().any(is_read),
        (None, None) => true,
    }
}

/// Whether a segment of the path says that what is below it is an action: `/users/delete/search`.
fn has_action_below(path: &str) -> bool {
    let mut segments = path.split('/').filter(|segment| !segment.starts_with('{'));
    segments.any(|segment| {
        let words = camel_case_words(segment);
        says_something_is_done(&words) || matches!(words.as_slice(), [verb] if MAY_ACT.contains(&verb.as_str()))
    })
}

/// Whether the last segment of a path asks for something.
fn asks(segment: &str) -> bool {
    let words: Vec<_> = camel_case_words(segment);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [verb] => ASKS.contains(verb) || ["history", "list", "search"].contains(verb),
        ["count", "by", what @ ..] | ["get", what @ ..] => {
            !what.is_empty()
                && what.len() <= 4
                && !what
                    .iter()
                    .any(|word| *word == "next" || JOINS.contains(word) || is_form_of_acting_verb(word))
        }
        ["find" | "lookup", "by", by @ ..] => {
            !by.is_empty()
                && by.len() <= 2
                && !by
                    .iter()
                    .any(|word| JOINS.contains(word) || is_form_of_acting_verb(word))
        }
        [ways @ .., "search"] => ways.iter().all(|way| WAYS_TO_SEARCH.contains(way)),
        _ => list_query::is_named_list(segment),
    }
}

/// Whether the last segment of a path, which asks for something, can do nothing else. `POST …/get-messages` may take
/// messages from a queue, `…/history` may add to a history, and a `…/lookup` may be charged.
fn only_asks(segment: &str) -> bool {
    let words = camel_case_words(segment);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    !matches!(words.as_slice(), ["get", _, ..] | ["history"] | ["lookup", ..])
}

/// Whether each sentence about an operation begins with a verb that reads, and nothing that is said about its parts has
/// one that acts. A summary that only repeats the path, such as "Flow run history", is no sentence.
fn is_only_said_to_read(document: &Document, operation: &Operation) -> bool {
    let is_plain_form = |word: &str, verb: &str| {
        let ending = word.strip_prefix(verb);
        let ies = verb.strip_suffix('y').and_then(|stem| word.strip_prefix(stem));
        ending.is_some_and(|ending| ["", "s", "es"].contains(&ending)) || ies == Some("ies")
    };
    let begins = |words: &[String]| {
        let mut verbs = READS.iter().chain(&READS_IN_SUMMARIES);
        words
            .first()
            .is_some_and(|first| verbs.any(|verb| is_plain_form(first, verb)))
    };
    let path = camel_case_words(&operation.path);
    let repeats_path = |words: &[String]| {
        let mut words = words.iter();
        words.all(|word| path.iter().any(|known| known == word || is_plain_form(known, word)))
    };
    let sentences = summary_and_description(document, operation).flat_map(sentences);
    let sentences: Vec<_> = sentences
        .filter(|sentence| !repeats_path(&camel_case_words(sentence)))
        .collect();
    let acts = |sentence: &str| {
        let may_act = |word: &String| MAY_ACT.iter().any(|verb| is_form_of(word, verb));
        clauses(sentence).any(|clause| has_form_of_acting_verb(&clause) || clause.first().is_some_and(may_act))
    };
    let is_named = || stated(document, operation, "operationId").is_some_and(|name| begins(&camel_case_words(name)));
    (!sentences.is_empty() || is_named())
        && sentences
            .iter()
            .all(|sentence| begins(&camel_case_words(sentence)) && !acts(sentence))
        && !said_of_parts(document, operation).any(part_acts)
}

/// Whether what is said about a part of an operation has a verb that acts.
pub(super) fn part_acts(text: &str) -> bool {
    let words = camel_case_words(text);
    has_form_of_acting_verb(&words) || says_something_is_done(&words) || says_consumed(text)
}

/// Whether a body without fields may do something: a boolean that acts is on by default.
fn has_side_effect_by_default(document: &Document, operation: &Operation) -> bool {
    let schema = operation.request_body.as_ref().and_then(|body| body.schema.clone());
    let schemas = schema.map_or_else(Vec::new, |schema| with_all_of(document, schema));
    let mut properties = schemas.iter().flat_map(|(_, node)| node.members_of("properties"));
    properties.any(|property| {
        let is_on = property.node.member("default").and_then(Node::boolean) == Some(true);
        let said = property.node.text_of("description");
        is_on && (name_has_side_effect(&property.name, true) || says_side_effect(said.unwrap_or_default()))
    })
}

/// Whether one of the words is a form of a verb that acts, whatever is around it, or a form in -ed or -ing of a verb
/// that may act: `deleted`, `marking`.
fn has_form_of_acting_verb(words: &[String]) -> bool {
    words.iter().any(|word| {
        let is_verb = word.ends_with("ed") || word.ends_with("ing");
        is_form_of_acting_verb(word) || is_verb && MAY_ACT.iter().any(|verb| is_form_of(word, verb))
    })
}

/// Whether the one success is a 200 with a body, and no link, callback or `Location` leads from it to a record.
fn only_shows(document: &Document, operation: &Operation) -> bool {
    let mut successes = operation.successes();
    let only = successes.next().filter(|_| successes.next().is_none());
    let Some(success) = only.filter(|success| success.status == StatusPattern::Exact(200) && success.body.is_some())
    else {
        return false;
    };
    let response = document.node(&load::resolve(document, success.pointer.clone()));
    let calls_back = document.node(&pointer::join(&operation.pointer, "callbacks")).is_some();
    let links = response.and_then(|response| response.member("links"));
    links.is_none() && !calls_back && !success.documents_header(document, "Location")
}

/// Whether a word of the operation's name, its summary, its description or a field that its body must have says that it
/// does something, or its path has a method that changes what it names.
fn is_said_to_have_side_effect(document: &Document, operation: &Operation) -> bool {
    let path_words = camel_case_words(&operation.path);
    let words_of = |text: &str| {
        let words = camel_case_words(text);
        let is_of_collection = |thing: &String| path_words.iter().any(|word| *word == format!("{thing}s"));
        match words.as_slice() {
            // "Get run" of `/runs/get` says what is read.
            [get, thing, ..] if get == "get" && is_of_collection(thing) => words[1..].to_vec(),
            _ => words,
        }
    };
    let name = stated(document, operation, "operationId").map(|name| {
        let words = words_of(name);
        match words.as_slice() {
            // Generators of names add the method: `get_pet_pets_get_post`.
            [before @ .., verb, method] if method == "post" && !JOINS.contains(&verb.as_str()) => {
                [before, std::slice::from_ref(verb)].concat()
            }
            _ => words,
        }
    });
    let mut said = summary_and_description(document, operation);
    let path = operation.path_item_pointer();
    // Beside a `GET` of the same path, a `POST` to `/history` may add to what that lists.
    let is_ambiguous = operation.path.trim_end_matches('/').ends_with("/history");
    let mut others = ["delete", "patch", "put"]
        .into_iter()
        .chain(is_ambiguous.then_some("get"));
    name.is_some_and(|words| says_something_is_done(&words) || says_consumed(&words.join(" ")))
        || said.any(|text| says_something_is_done(&words_of(text)) || says_consumed(text))
        || consumes(document, operation)
        || required_fields(document, operation)
            .into_iter()
            .any(|(field, _)| camel_case_words(field).iter().any(|word| is_command_field(word)))
        || others.any(|method| document.node(&pointer::join(path, method)).is_some())
}

/// Whether a field of the body, or a value that it may have, says that what is shown is taken away.
fn consumes(document: &Document, operation: &Operation) -> bool {
    let is_said = |text: &str| {
        camel_case_words(text)
            .iter()
            .any(|word| CONSUMES.contains(&word.as_str()))
    };
    let mut pending: Vec<_> = operation
        .request_body
        .as_ref()
        .and_then(|body| body.schema.clone())
        .into_iter()
        .collect();
    let mut seen = HashSet::new();
    while let Some(schema) = pending.pop() {
        let schema = load::resolve(document, schema);
        let Some(node) = document.node(&schema).filter(|_| seen.insert(schema.clone())) else {
            continue;
        };
        let properties = node.members_of("properties").iter();
        let listed = node.elements_of("enum").iter();
        if properties.clone().any(|property| is_said(&property.name)) || listed.filter_map(Node::string).any(is_said) {
            return true;
        }
        let at = pointer::join(&schema, "properties");
        pending.extend(properties.map(|property| pointer::join(&at, &property.name)));
        for parts in ["allOf", "anyOf", "oneOf"] {
            pending.extend(node.locations_in(&schema, parts));
        }
    }
    false
}

/// Whether a value for a parameter of a path is a command by itself.
pub(crate) fn is_command_of_path(word: &str) -> bool {
    is_listed_action(word) || is_in(&[&ACTS_ALONE, &COMMANDS], word)
}

fn is_command_field(word: &str) -> bool {
    is_form_of_acting_verb(word) || MAY_ACT.contains(&word) || COMMAND_FIELDS.contains(&word)
}

/// Whether the document has a path with a parameter right below this one.
fn has_records_below(document: &Document, path: &str) -> bool {
    let below = format!("{}/{{", comparable_path(path));
    let mut paths = document.members_at("/paths").iter();
    paths.any(|other| comparable_path(&other.name).starts_with(&below))
}

#[cfg(test)]
mod tests {
    use super::super::operation::OperationId;
    use super::has_side_effect;
    use crate::contract::testing::{of_paths, with_tags};

    /// Whether the first `POST` of these paths is a read.
    fn reads(paths: &str) -> bool {
        let contract = of_paths(paths, "").unwrap_or_else(|defect| panic!("{defect}"));
        let mut posts = contract
            .operations
            .iter()
            .filter(|operation| operation.method.as_str() == "POST");
        let post = posts.next().unwrap();
        assert_eq!(post.is_query(), post.is_read(), "{}", post.path);
        assert_ne!(post.is_query(), post.creates(), "{}", post.path);
        assert!(!post.is_get());
        post.is_query()
    }

    const SHOWN: &str =
        "'200': {description: a, content: {application/json: {schema: {type: array, items: {type: string}}}}}";

    fn post(path: &str, rest: &str, responses: &str) -> String {
        format!("{path}:\n  post: {{{rest}responses: {{{responses}}}}}\n")
    }

    #[test]
    fn a_verb_that_only_asks_makes_a_read_of_a_post() {
        for path in [
            "/flows/filter",
            "/flows/count/",
            "/flows/paginate",
            "/pets/search",
            "/movies/search",
            "/pets/_search",
            "/pets/full-text-search",
            "/stubs/find-by-metadata",
            "/stubs/findByMetadata",
            "/vectors/query",
            "/vectors/get",
            "/deployments/count-by-state",
        ] {
            assert!(reads(&post(path, "", SHOWN)), "{path}");
        }
    }

    #[test]
    fn the_method_in_a_name_what_is_read_and_the_next_page_are_no_acts() {
        let named = |name: &str| reads(&post("/pets/get", &format!("operationId: {name}, "), SHOWN));
        assert!(named("get_pet_pets_get_post") && named("getPets_POST"));
        assert!(!named("get_and_post") && !named("get_pet_post_delete_post"));
        let said = |text: &str| {
            let said = format!("summary: Get pets, description: '{text}', ");
            reads(&post("/pets/get", &said, SHOWN))
        };
        assert!(reads(&post(
            "/runs/get",
            "operationId: get_run, summary: Get run, ",
            SHOWN
        )));
        assert!(!reads(&post(
            "/runs/get",
            "summary: Get them run, description: Runs get run., ",
            SHOWN
        )));
        for path in ["/jobs/get", "/refund/get", "/locks/get"] {
            let thing = if path.starts_with("/locks") { "lock" } else { "refund" };
            assert!(!reads(&post(path, &format!("summary: Get {thing}, "), SHOWN)), "{path}");
        }
        assert!(!said("Afterwards the list is empty.") && said("To get the next page, pass the last name."));
        assert!(!said("The tags are emptied.") && !said("Get the next pet.") && !said("Get pets and empty the list."));
    }

    #[test]
    fn a_post_to_a_history_that_is_also_listed_may_add_to_it() {
        let post = post("/task_runs/history", "operationId: readHistory, ", SHOWN);
        let get = format!("  get: {{operationId: listHistory, responses: {{{SHOWN}}}}}\n");
        assert!(reads(&post) && !reads(&(post.clone() + &get)));
        let held = post.replace(
            "operationId",
            "description: Invisible to others for a minute, operationId",
        );
        assert!(!reads(&held));
    }

    #[test]
    fn a_word_that_may_do_something_else_makes_a_read_where_each_sentence_says_so() {
        for (path, said) in [
            (
                "/task_runs/history",
                "summary: Task run history, description: Query for the runs of a range, ",
            ),
            ("/task_runs/history", "operationId: readHistory, "),
            ("/pets/get_latest_versions", "summary: Get the latest versions, "),
            ("/task_runs/history", "summary: Queries the runs of a range, "),
            (
                "/pets/lookup",
                "summary: Look up a pet, description: Returns its record. Finds it by name., ",
            ),
        ] {
            assert!(reads(&post(path, said, SHOWN)), "{path}: {said}");
        }
        let deletes = SHOWN.replace("description: a", "description: They are deleted from the queue");
        let taken = SHOWN.replace(
            "description: a",
            "description: 'The messages, which are taken off the queue'",
        );
        let scope = "summary: Get messages, security: [{a: ['messages:delete']}], ";
        for (path, said, responses) in [
            ("/task_runs/history", "", SHOWN),
            ("/videos/history", "summary: View recorded, ", SHOWN),
            (
                "/books/history",
                "operationId: readHistory, summary: Reading progress of a book, ",
                SHOWN,
            ),
            (
                "/messages/get-unread",
                "summary: 'Get messages; marks them as read', ",
                SHOWN,
            ),
            ("/messages/get-unread", "summary: 'Get messages, marking them', ", SHOWN),
            (
                "/auth/get-token",
                "summary: Get a token, description: Earlier ones become invalid, ",
                SHOWN,
            ),
            (
                "/pets/lookup",
                "summary: Look up a pet, description: Costs one credit, ",
                SHOWN,
            ),
            ("/queues/get-messages", "summary: Get messages, ", deletes.as_str()),
            ("/queues/get-messages", "summary: Get messages, ", taken.as_str()),
            ("/queues/get-messages", scope, SHOWN),
            (
                "/queues/get-messages",
                "summary: 'Get messages, marks them as read', ",
                SHOWN,
            ),
        ] {
            assert!(!reads(&post(path, said, responses)), "{path}: {said}");
        }
        let below_path = "/queues/get-messages:\n  description: Deletes them\n  post: {summary: Get messages, ";
        assert!(!reads(&format!("{below_path}responses: {{{SHOWN}}}}}\n")));
    }

    #[test]
    fn a_name_that_could_be_an_act_or_a_thing_makes_none() {
        for path in [
            "/flows",
            "/filters",
            "/saved-search",
            "/search-index",
            "/pets/_delete_by_query",
            "/pets/delete-by-query",
            "/pets/find-and-modify",
            "/pets/find-by-name-and-delete",
            "/pets/find-by-name-to",
            "/pets/findOneAndUpdate",
            "/pets/get-or-create",
            "/pets/filter/apply",
            "/notifications/read",
            "/pets/list",
            "/pets/validate",
            "/jobs/{search}",
            "/jobs:search",
        ] {
            let parameter = if path.contains('{') {
                "parameters: [{name: search, in: path, required: true, schema: {type: string}}], "
            } else {
                ""
            };
            assert!(!reads(&post(path, parameter, SHOWN)), "{path}");
        }
    }

    #[test]
    fn a_segment_after_a_record_that_says_what_is_done_is_no_read() {
        let acts = |path: &str| {
            let parameters = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
            let paths = format!("{path}:\n  get: {{{parameters}, responses: {{'200': {{description: a}}}}}}\n");
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            has_side_effect(&contract.document, contract.operation(OperationId(0)))
        };
        for action in [
            "activate", "approve", "verify", "pay", "lock", "archive", "send-invoice", "reset-password", "login-as",
            "regenerateToken", "set-status", "toggle", "power-off", "reset-settings", "ping-and-reset",
            "delete/confirm",
        ] {
            assert!(acts(&format!("/things/{{id}}/{action}")), "{action}");
        }
        for read in [
            "members", "export", "lock-status", "approvals", "email", "schedule", "verify-status", "runs",
            "reset-link", "power",
        ] {
            assert!(!acts(&format!("/things/{{id}}/{read}")), "{read}");
        }
        // A read of it takes it from nobody.
        assert!(!acts("/things/{id}/default"));
        // Elsewhere, they may name what is read.
        for read in ["/things/archive/{id}", "/things/{id}/lock/{id}"] {
            assert!(!acts(read), "{read}");
        }
    }

    #[test]
    fn a_write_to_what_one_record_at_most_is_takes_it_from_another() {
        let acts = |path: &str| {
            let parameters = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
            let paths = format!("{path}:\n  put: {{{parameters}, responses: {{'200': {{description: a}}}}}}\n");
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            has_side_effect(&contract.document, contract.operation(OperationId(0)))
        };
        for role in [
            "default", "activation", "cover", "captain", "active", "winner", "position", "order", "rank",
        ] {
            assert!(acts(&format!("/players/{{id}}/{role}")), "{role}");
        }
        for rights in ["admin", "roles", "permissions"] {
            assert!(acts(&format!("/players/{{id}}/{rights}")), "{rights}");
        }
        for thing in ["defaults", "orders", "ranking", "address", "administration"] {
            assert!(!acts(&format!("/players/{{id}}/{thing}")), "{thing}");
        }
        assert!(!acts("/players/{id}") && !acts("/things/default/{id}"));
    }

    #[test]
    fn a_get_of_a_collection_that_says_that_it_acts_is_no_read() {
        let acts = |path: &str, said: &str| {
            let paths = format!("{path}:\n  get: {{{said}responses: {{'200': {{description: a}}}}}}\n");
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            has_side_effect(&contract.document, contract.operation(OperationId(0)))
        };
        for path in [
            "/admin/reset-database", "/pets/reset.json", "/db/drop-all", "/pets/archive-all", "/pets/mark-all-read",
            "/pets/pop", "/jobs/claim", "/migrate",
        ] {
            assert!(acts(path, ""), "{path}");
        }
        for path in [
            "/pets/list-all", "/export-all", "/reset-tokens", "/pets/take", "/refresh-config", "/stats.json",
        ] {
            assert!(!acts(path, ""), "{path}");
        }
        let below = "/types/{id}/lock_documents: {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], \
                     responses: {'200': {description: a}}}}\n";
        let collection = below.replace("/types/{id}/lock_documents", "/lock_documents/{id}");
        for (paths, is_action) in [(below.to_owned(), true), (format!("{below}{collection}"), false)] {
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            let acts = has_side_effect(&contract.document, contract.operation(OperationId(0)));
            assert_eq!(acts, is_action, "{paths}");
        }
        for said in [
            "operationId: deleteAllPets, description: Deletes all pets., ",
            "operationId: deletePets, ",
            "summary: Permanently delete all pets, ",
            "summary: Bulk delete pets, ",
            "summary: '[Admin] Delete all pets', ",
            "description: Purges the queue., ",
            "operationId: tokenRevoke, ",
            "operationId: resetEverything, ",
            "operationId: usersSignOutGet, ",
            "summary: Log the current user out, ",
        ] {
            assert!(acts("/pets", said), "{said}");
        }
        for said in [
            "summary: Delete history, ",
            "summary: Recently deleted pets, ",
            "summary: List pets, description: Deletes nothing., ",
            "operationId: getDeletedPets, ",
            "operationId: jobTrigger, ",
            "summary: Log of what went out, ",
            "summary: 'Reset status of pets', ",
        ] {
            assert!(!acts("/pets", said), "{said}");
        }
    }

    #[test]
    fn a_deletion_that_speaks_of_several_deletes_more() {
        let deletes = |description: &str| {
            let path =
                "/pets/{id}: {delete: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], ";
            let paths = format!("{path}description: '{description}', responses: {{'204': {{description: a}}}}}}}}\n");
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            super::deletes_more(&contract.document, contract.operation(OperationId(0)))
        };
        for several in [
            "Deletes all pets.",
            "Removes the pet. All pets of the owner are removed as well.",
            "Deletes the pet and every other pet of the owner.",
            "Clears the whole list.",
            "Resets the collection.",
            "Log out",
        ] {
            assert!(deletes(several), "{several}");
        }
        for one in [
            "Deletes the pet.",
            "Removes the pet from all lists.",
            "All callers may delete a pet that is theirs.",
            "Removes the pet, which resets the counter.",
        ] {
            assert!(!deletes(one), "{one}");
        }
    }

    #[test]
    fn what_a_document_says_of_the_path_the_body_and_the_success_of_a_write_counts() {
        let acts = |of_path: &str, of_body: &str, of_success: &str| {
            let parameters = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
            let body = format!("requestBody: {{description: '{of_body}', content: {{}}}}");
            let responses = format!("responses: {{'200': {{description: '{of_success}'}}}}");
            let paths = format!(
                "/pets/{{id}}:\n  description: '{of_path}'\n  {parameters}\n  put: {{{body}, {responses}}}\n  delete: \
                 {{{responses}}}\n"
            );
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            let [update, delete] = [0, 1].map(|at| contract.operation(OperationId(at)));
            [
                has_side_effect(&contract.document, update),
                has_side_effect(&contract.document, delete),
                super::deletes_more(&contract.document, delete),
            ]
        };
        let said = "The owner is notified by e-mail.";
        assert_eq!(acts(said, "A pet.", "Done."), [true; 3]);
        assert_eq!(acts("A pet.", said, "Done."), [true, false, false]);
        assert_eq!(acts("A pet.", "A pet.", said), [true, true, true]);
        assert_eq!(
            acts("A pet.", "A pet.", "All pets of the owner were deleted."),
            [true; 3]
        );
        assert_eq!(acts("A pet.", "A pet.", "Empty response"), [false; 3]);
        let of_path = "Reads, updates and deletes a pet.";
        assert_eq!(
            acts(of_path, "All fields of the pet.", "The pet was updated."),
            [false; 3]
        );
    }

    #[test]
    fn what_a_document_says_of_the_tags_and_the_documentation_of_an_update_counts() {
        let acts = |of_tag: &str, of_other: &str, of_documentation: &str| {
            let parameters = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
            let paths = format!(
                "/pets/{{id}}:\n  {parameters}\n  put: {{tags: [a], externalDocs: {{url: 'https://example.com', description: \
                 '{of_documentation}'}}, responses: {{'200': {{description: a}}}}}}\n"
            );
            let tags = format!("{{name: a, description: '{of_tag}'}}, {{name: b, description: '{of_other}'}}");
            let contract = with_tags(&paths, &tags);
            has_side_effect(&contract.document, contract.operation(OperationId(0)))
        };
        for said in ["Everything here wipes the device.", "The owner is notified by e-mail."] {
            assert!(
                acts(said, "b", "c") && acts("a", "b", said) && !acts("a", said, "c"),
                "{said}"
            );
        }
        assert!(!acts("Everything about pets.", "b", "How to update a pet."));
    }

    #[test]
    fn what_takes_away_what_it_shows_is_no_read() {
        let body = |properties: &str| {
            format!(
                "requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{{properties}}}}}}}}}}}, "
            )
        };
        for said in [
            body("count: {type: integer}, ackmode: {type: string}"),
            body("mode: {type: string, enum: [take, peek]}"),
            body("options: {allOf: [{type: object, properties: {ackmode: {type: string}}}]}"),
            "description: The pet is then invisible for 30 seconds., ".to_owned(),
            "description: Fetched messages are no longer in the queue., ".to_owned(),
        ] {
            assert!(!reads(&post("/pets/get", &said, SHOWN)), "{said}");
        }
        for said in [
            body("count: {type: integer}"),
            body("order: {type: string, enum: [name, age]}"),
        ] {
            assert!(reads(&post("/pets/get", &said, SHOWN)), "{said}");
        }
    }

    #[test]
    fn what_is_said_around_a_query_may_say_that_it_acts() {
        let read = |[of_path, own, of_body, of_success, of_tag]: [&str; 5]| {
            let body = format!(
                "requestBody: {{description: '{of_body}', content: {{application/json: {{schema: {{type: object}}}}}}}}"
            );
            let shown = SHOWN.replace("description: a", &format!("description: '{of_success}'"));
            let paths = format!(
                "/pets/search:\n  description: '{of_path}'\n  post: {{summary: Search pets, description: '{own}', tags: [a], \
                 {body}, responses: {{{shown}}}}}\n"
            );
            let tags = format!("{{name: a, description: '{of_tag}'}}");
            let contract = with_tags(&paths, &tags);
            contract.operation(OperationId(0)).is_query()
        };
        let plain = [
            "Pets.", "Sorted by name.", "What is looked for.", "The hits.", "About pets.",
        ];
        assert!(read(plain));
        for said in [
            "Each search is billed.",
            "Results are removed from the pool.",
            "Matches are reserved for ten minutes.",
            "The first hit is assigned to the caller.",
            "Emails the result to the owner.",
            "The person is informed.",
            "Costs 0.10 EUR.",
        ] {
            for place in 0..plain.len() {
                let mut texts = plain;
                texts[place] = said;
                assert!(!read(texts), "{said} {place}");
            }
        }
        for said in [
            "Three per day; further ones lock the account.",
            "Works like Find my phone.",
        ] {
            let mut texts = plain;
            texts[1] = said;
            assert!(!read(texts), "{said}");
        }
        for said in [
            "Search, create and delete pets.",
            "Results that are archived are listed last.",
            "The search is case-insensitive.",
            "Only active pets are returned.",
            "The account of the owner.",
            "The name, as it is stored.",
        ] {
            for place in [0, 2, 3, 4] {
                let mut texts = plain;
                texts[place] = said;
                assert!(read(texts), "{said} {place}");
            }
        }
    }

    #[test]
    fn a_post_may_suggest_an_action_or_a_read_instead_of_a_create() {
        let suggests = |path: &str, said: &str| {
            let contract = of_paths(&post(path, said, SHOWN), "").unwrap_or_else(|defect| panic!("{defect}"));
            super::suggests_no_create(&contract.document, contract.operation(OperationId(0)))
        };
        let acting = "its path, its operationId or its summary suggests an action, not a create";
        for (path, said) in [
            ("/runs/stop", ""),
            ("/users/delete", ""),
            ("/fleets/delete_instances", ""),
            ("/runs/apply", ""),
            ("/users/update", ""),
            ("/users/refresh_token", ""),
            ("/members/set_members/", ""),
            ("/things", "operationId: revokeToken, "),
            ("/leave-types", ""),
            ("/sites/{site}/devices", "summary: Assign a device to a site, "),
            ("/sites/{site}/devices", "operationId: attachDevice, "),
            ("/sites/{site}/devices", "summary: Moves a device to the site, "),
        ] {
            assert_eq!(suggests(path, said), Some(acting), "{path}");
        }
        for path in ["/pets/list", "/runs/get_plan", "/pets/search", "/pets/find-and-modify"] {
            let read = "its path suggests a read, but the document leaves open whether it only reads";
            assert_eq!(suggests(path, "summary: Pets, "), Some(read), "{path}");
        }
        for path in [
            "/users",
            "/users/create",
            "/users/create_or_update",
            "/keys/add",
            "/runs",
        ] {
            assert_eq!(suggests(path, ""), None, "{path}");
        }
        assert_eq!(suggests("/leave-types", "summary: Create a type of leave, "), None);
        assert_eq!(suggests("/links", "operationId: links_create, "), None);
        assert_eq!(suggests("/links", "summary: Add a link, "), None);
        assert_eq!(suggests("/read-policies", ""), None);
        assert_eq!(suggests("/search-indexes", "operationId: addSearchIndex, "), None);
        let below = "/update-rules/{id}: {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], \
                     responses: {'200': {description: a}}}}\n";
        for (more, suggested) in [("", Some(acting)), (below, None)] {
            let paths = format!("{}{more}", post("/update-rules", "", SHOWN));
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            let operation = contract.operation_named("POST /update-rules");
            let operation = contract.operation(operation.unwrap_or(OperationId(0)));
            assert_eq!(
                super::suggests_no_create(&contract.document, operation),
                suggested,
                "{paths}"
            );
        }
    }

    #[test]
    fn what_is_issued_held_or_counted_is_no_read() {
        for (path, summary) in [
            ("/seats/query", "Returns free seats and holds them for ten minutes"),
            ("/tokens/get", "Gets tokens"),
            ("/sessions/get", "Gets a new session"),
            ("/otp/get-code", "Returns a code for the phone"),
            ("/jobs/find", "Finds a job for this worker"),
            ("/visits/count", "Counts a visit"),
        ] {
            let said = format!("summary: {summary}, ");
            assert!(!reads(&post(path, &said, SHOWN)), "{path} {summary}");
        }
        for (path, summary) in [
            ("/seats/query", "Returns free seats"),
            ("/tokens/search", "Finds tokens"),
            ("/jobs/find", "Finds the jobs of a worker"),
            ("/visits/count", "Counts the visits"),
            ("/pets/filter", "Returns new pets"),
        ] {
            let said = format!("summary: {summary}, ");
            assert!(reads(&post(path, &said, SHOWN)), "{path} {summary}");
        }
    }

    #[test]
    fn whatever_speaks_of_an_act_or_a_record_makes_a_write_of_it() {
        let created = SHOWN.replace("200", "201");
        let begun = format!("{SHOWN}, '202': {{description: b}}");
        let header = SHOWN.replace(
            "description: a",
            "description: a, headers: {location: {schema: {type: string}}}",
        );
        let linked = SHOWN.replace("description: a", "description: a, links: {it: {operationId: x}}");
        let below = "/pets/search/{id}:\n  get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], \
                     responses: {'200': {description: a}}}\n";
        let named = "/x:\n  get: {operationId: x, responses: {'200': {description: a}}}\n";
        for (rest, responses, more) in [
            ("", created.as_str(), ""),
            ("", &begun, ""),
            ("", &header, ""),
            ("", &linked, named),
            ("", "'200': {description: a}", ""),
            ("", "default: {description: a}", ""),
            ("", SHOWN, below),
            ("operationId: updateByFilter, ", SHOWN, ""),
            ("summary: Delete what a filter selects, ", SHOWN, ""),
            ("summary: Search and save the result, ", SHOWN, ""),
        ] {
            let paths = format!("{}{more}", post("/pets/search", rest, responses));
            assert!(!reads(&paths), "{paths}");
        }
    }

    #[test]
    fn it_must_be_said_to_read_and_no_form_of_a_verb_that_acts_may_be_near() {
        for said in [
            "summary: Search pets, ",
            "summary: Finds pets by their names, ",
            "summary: Returns matching pets, description: Query for pets. Sorted by age., ",
            "operationId: searchPets, ",
            "operationId: read_pets_pets_search, summary: Read Pets, ",
            "summary: Search deleted pets, ",
            "summary: Read Flow Runs, description: Query for flow runs. Accepts a filter., ",
        ] {
            assert!(reads(&post("/pets/search", said, SHOWN)), "{said}");
        }
        for said in [
            "summary: Deletes matching pets, ",
            "summary: 'Search, deleting what matches', ",
            "summary: Bulk deletion by query, ",
            "summary: Search and then modifies, ",
            "summary: Find and drop, ",
            "summary: Search pets and store the result, ",
            "summary: Search pets, description: All matches are deleted., ",
            "summary: Find and dropping, ",
            "summary: Supprime les animaux, ",
            "summary: Pets, ",
            "summary: Kills what matches, ",
            "summary: 'Search, reloading the index', ",
            "summary: Search検索して削除, ",
            "summary: Enqueue a search, ",
            "operationId: killSearch, ",
            "operationId: pets, ",
            "operationId: search.delete, ",
            "summary: Search pets, description: Search pets. Saves the search., ",
        ] {
            assert!(!reads(&post("/pets/search", said, SHOWN)), "{said}");
        }
        for path in [
            "/users/delete/search", "/bulk-delete/filter", "/jobs/start/query", "/messages/pop/get",
        ] {
            assert!(!reads(&post(path, "", SHOWN)), "{path}");
        }
        let body = |field: &str| {
            format!(
                "requestBody: {{content: {{application/json: {{schema: {{type: object, required: [{field}], properties: \
                 {{{field}: {{type: string}}}}}}}}}}}}, "
            )
        };
        assert!(reads(&post("/pets/search", &body("name"), SHOWN)));
        for field in ["delete", "action", "save_as", "callbackUrl", "notify_email"] {
            assert!(!reads(&post("/pets/search", &body(field), SHOWN)), "{field}");
        }
        let in_a_part = |field: &str| {
            let part =
                format!("{{allOf: [{{required: [{field}], properties: {{{field}: {{type: string}}}}}}], type: object,");
            body("name").replace("{type: object,", &part)
        };
        assert!(reads(&post("/pets/search", &in_a_part("size"), SHOWN)));
        assert!(!reads(&post("/pets/search", &in_a_part("webhook"), SHOWN)));
        let also = "  delete: {responses: {'204': {description: a}}}\n";
        assert!(!reads(&format!("{}{also}", post("/pets/search", "", SHOWN))));
    }

    #[test]
    fn a_text_beside_a_write_may_say_that_it_reaches_others() {
        let held = |method: &str, [header, rejection, field]: [&str; 3]| {
            let id = "{name: id, in: path, required: true, schema: {type: string}}";
            let schema = format!("{{type: object, properties: {{a: {{type: string, description: '{field}'}}}}}}");
            let headers = format!("headers: {{X-A: {{schema: {{type: string}}, description: '{header}'}}}}");
            let shown = format!("content: {{application/json: {{schema: {schema}}}}}");
            let success = format!("'200': {{description: a, {headers}, {shown}}}");
            let paths = format!(
                "/pets/{{id}}:\n  {method}: {{parameters: [{id}], responses: {{{success}, '409': {{description: \
                 '{rejection}'}}}}}}\n"
            );
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            has_side_effect(&contract.document, contract.operation(OperationId(0)))
        };
        let plain = ["The revision.", "Changed by others.", "The name of the owner."];
        for method in ["put", "patch", "delete"] {
            assert!(!held(method, plain));
            for place in 0..plain.len() {
                let mut texts = plain;
                texts[place] = "The owner is notified by e-mail.";
                assert!(held(method, texts), "{method} {place}");
                texts[place] = "Whether the owner is notified by e-mail.";
                assert!(!held(method, texts), "{method} {place}");
            }
        }
    }

    #[test]
    fn a_field_that_a_query_returns_may_say_that_it_acts() {
        let query = |field: &str| {
            let items = format!("{{type: object, properties: {{a: {{type: string, description: '{field}'}}}}}}");
            let shown = format!("content: {{application/json: {{schema: {{type: array, items: {items}}}}}}}");
            reads(&post(
                "/pets/search",
                "summary: Search pets, ",
                &format!("'200': {{description: a, {shown}}}"),
            ))
        };
        assert!(query("When the owner was notified."));
        assert!(!query("The owner is notified by e-mail."));
    }
}
