//! Recognises sentences about a list that say nothing but what is shown, in which order, and what selects it. The main
//! function is [`only_describes`].
//!
//! # Design
//!
//! What a call does besides showing can be said in endless words ("The siren falls silent"), so no list of these is
//! enough. The sentences that describe a list have few forms, so each sentence of a text must have one of them, and an
//! unknown one speaks against the read. Within a form, the words for things are free, but those that join them are a
//! closed set, because they lead to what else is done: "List homes in the MLS", "Get orders, which count as delivered".
//! After "list" the set is smaller, since to list is also to offer.

use super::lexicon::{
    DETERMINERS, READS, READS_IN_SUMMARIES, camel_case_words, is_base_or_third_person, whole_sentences,
    without_prefixes,
};

/// The word that stands for what is between backticks, which is a name or a value.
const NAME: &str = "codespan";

/// The word that stands for a mark between clauses.
const MARK: &str = ",";

/// Verbs for what a response has, besides those that read.
const HAS: [&str; 4] = ["contain", "exclude", "include", "omit"];

/// Verbs for what parameters do to a list.
const SELECTS: [&str; 7] = ["exclude", "filter", "include", "limit", "order", "restrict", "sort"];

/// What is done to the records of a response as a whole.
const ARRANGED: [&str; 9] = [
    "empty", "filtered", "grouped", "limited", "null", "ordered", "paged", "paginated", "sorted",
];

/// Verbs with which a hint names a parameter or another operation.
const HINTS: [&str; 7] = ["call", "pass", "provide", "see", "set", "specify", "use"];

/// Words that stand for a person who calls, in the plural.
const VIEWERS: [&str; 6] = ["administrators", "admins", "callers", "managers", "members", "users"];

/// Whether each sentence of a text has the form of one that only describes a list.
pub(super) fn only_describes(text: &str) -> bool {
    let parts = whole_sentences(text).flat_map(|sentence| sentence.split(';'));
    let mut parts = parts.flat_map(|sentence| sentence.split(" - "));
    parts.all(describes)
}

/// Whether a sentence has one of the known forms.
fn describes(sentence: &str) -> bool {
    let words = words_and_marks(sentence);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["newest" | "oldest", "first"] | ["paginated"] => true,
        [verb, rest @ ..] if is_base_or_third_person(verb, "list") => continues_a_list(rest),
        [verb, rest @ ..] if is_of(verb, &[&READS, &READS_IN_SUMMARIES, &HAS]) => is_plain(rest),
        ["sorted" | "ordered" | "filtered" | "grouped", "by" | "in", rest @ ..]
        | [
            "supports",
            "filtering" | "filters" | "pagination" | "paging" | "sorting",
            rest @ ..,
        ] => is_plain(rest),
        ["requires" | "needs", needed @ .., last] => {
            ["access", "permission", "permissions", "role", "scope"].contains(last) && is_plain(needed)
        }
        ["if" | "when" | "without", NAME, ..] => selects_on_condition(sentence),
        ["setting" | "specifying", NAME, rest @ ..] => selects(rest),
        _ => {
            names_the_list(&words)
                || are_arranged(&words)
                || are_shown(&words)
                || may_see(&words)
                || defines(&words)
                || may_be_given(&words)
                || hints(&words)
        }
    }
}

/// Returns the words of a sentence, with a word for each name in backticks, and a mark between clauses.
fn words_and_marks(sentence: &str) -> Vec<String> {
    let quoted = sentence.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => part.to_owned(),
        _ => format!(" {NAME} "),
    });
    let plain: String = quoted.collect();
    let mut words = Vec::new();
    for clause in plain.split([',', ':', '(', ')']) {
        let of_clause = match words.is_empty() {
            true => without_prefixes(clause),
            false => camel_case_words(clause),
        };
        if !words.is_empty() && !of_clause.is_empty() {
            words.push(MARK.to_owned());
        }
        words.extend(of_clause);
    }
    words
}

fn is_of(word: &str, lists: &[&[&str]]) -> bool {
    lists
        .iter()
        .any(|list| list.iter().any(|verb| is_base_or_third_person(word, verb)))
}

/// Whether what follows "list" names records and how they are selected and ordered, and nobody to whom, and no place at
/// which, they could be offered.
fn continues_a_list(words: &[&str]) -> bool {
    const ELSEWHERE: [&str; 12] = [
        "about", "across", "among", "near", "over", "per", "toward", "towards", "under", "upon", "when", "while",
    ];
    is_plain(words)
        && words.iter().enumerate().all(|(at, word)| {
            let next = words.get(at + 1).copied().unwrap_or_default();
            let after = words.get(at + 2).copied().unwrap_or_default();
            match *word {
                "in" => {
                    let of_order = ["alphabetical", "ascending", "descending", "order", "pages"];
                    of_order.contains(&next) || next == "the" && after == "order"
                }
                "with" => ["filter", "filters", "no", "optional", "pagination", "paging", "their"].contains(&next),
                "for" => {
                    let known = ["authenticated", "current", "given", "specified"];
                    next == "this" || known.contains(&next) || next == "the" && known.contains(&after)
                }
                MARK => [
                    "filtered", "including", "excluding", "newest", "oldest", "ordered", "sorted", "with",
                ]
                .contains(&next),
                word => !ELSEWHERE.contains(&word) && (!word.ends_with("ly") || word == "only"),
            }
        })
}

/// Whether words go on about what is shown: nothing in them leads to a time, a place or a recipient, and no clause
/// begins with a verb.
fn is_plain(words: &[&str]) -> bool {
    const NEVER: [&str; 19] = [
        "afterwards", "against", "as", "away", "back", "from", "into", "it", "now", "once", "onto", "them", "then",
        "they", "through", "until", "via", "you", "yours",
    ];
    const REACHES: [&str; 9] = [
        "access", "accessible", "according", "belong", "belonging", "belongs", "equal", "related", "visible",
    ];
    words.iter().enumerate().all(|(at, word)| {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let next = words.get(at + 1).copied().unwrap_or_default();
        match *word {
            "to" => REACHES.contains(&before),
            "at" => ["least", "most"].contains(&next),
            "on" => ["based", "depending", "registered"].contains(&before),
            "that" | "which" | "who" | "whose" => begins_relative_clause(&words[at + 1..]),
            "and" | "but" | "or" | MARK => begins_plain_clause(&words[at + 1..]),
            word => !NEVER.contains(&word),
        }
    })
}

/// Whether words after "that" say what the records are or have, or that they are somebody's.
fn begins_relative_clause(words: &[&str]) -> bool {
    const STATES: [&str; 13] = [
        "are", "belong", "belongs", "contain", "contains", "has", "have", "is", "match", "matches", "the", "user",
        "status",
    ];
    words.first().is_some_and(|first| STATES.contains(first))
}

/// Whether a clause begins with a thing, or with a form of a verb for selecting or arranging.
fn begins_plain_clause(words: &[&str]) -> bool {
    const FORMS: [&str; 15] = [
        "deleted", "excluding", "filtered", "grouped", "imported", "including", "limited", "matching", "ordered",
        "owned", "paginated", "shared", "sorted", "starting", "used",
    ];
    let [first, rest @ ..] = words else { return true };
    let is_form = first.ends_with("ed") || first.ends_with("ing");
    let next = rest.first().copied().unwrap_or_default();
    let has_object = DETERMINERS.contains(&next) || ["it", "its", "new", "one", "their", "them"].contains(&next);
    let is_verb = first.ends_with('s') && !first.ends_with("ss") && has_object;
    (!is_form || FORMS.contains(first)) && (!is_verb || is_of(first, &[&READS, &READS_IN_SUMMARIES, &HAS, &SELECTS]))
}

/// Whether words are like "A list of users".
fn names_the_list(words: &[&str]) -> bool {
    let at = words.windows(2).position(|pair| pair == ["list", "of"]);
    at.is_some_and(|at| at < 4 && ["a", "the"].contains(&words[0]) && is_plain(&words[at + 2..]))
}

/// Splits words at the first "are" or "is", before which nothing but a thing may be.
fn subject_and_predicate<'words>(
    words: &'words [&'words str],
) -> Option<(&'words [&'words str], &'words [&'words str])> {
    const ELSE: [&str; 9] = ["each", "not", "once", "that", "then", "was", "were", "what", "which"];
    let at = words.iter().position(|word| ["are", "is"].contains(word))?;
    let (subject, predicate) = (&words[..at], &words[at + 1..]);
    (!subject.iter().any(|word| ELSE.contains(word))).then_some((subject, predicate))
}

/// Whether words are like "The results are paginated" or "`members` are always empty".
fn are_arranged(words: &[&str]) -> bool {
    let Some((subject, predicate)) = subject_and_predicate(words) else {
        return false;
    };
    let predicate = predicate.strip_prefix(&["always"]).unwrap_or(predicate);
    let [done, rest @ ..] = predicate else { return false };
    let is_response = |word: &&str| [NAME, "items", "list", "records", "response", "result", "results"].contains(word);
    // What is "ordered" may be bought.
    let is_followed = rest.first().is_none_or(|next| ["by", "in", "to"].contains(next));
    ARRANGED.contains(done)
        && is_followed
        && subject.iter().any(is_response)
        && is_plain(rest.strip_prefix(&["to"]).unwrap_or(rest))
}

/// Whether words are like "Only active pets are returned".
fn are_shown(words: &[&str]) -> bool {
    let (subject, shown) = match words {
        [subject @ .., be, shown] => (subject, (be, shown)),
        _ => return false,
    };
    let plain = ["excluded", "included", "omitted", "returned", "shown"];
    let subjects = ["was", "were", "what"];
    ["are", "is"].contains(shown.0)
        && plain.contains(shown.1)
        && is_plain(subject)
        && !subject.iter().any(|word| subjects.contains(word))
}

/// Whether words are like "Non-admins only see themselves".
fn may_see(words: &[&str]) -> bool {
    let at = words.iter().position(|word| is_base_or_third_person(word, "see"));
    at.is_some_and(|at| {
        let mut subject = &words[..at];
        while let [before @ .., "can" | "may" | "only"] = subject {
            subject = before;
        }
        let is_viewer = subject.len() < 4 && subject.last().is_some_and(|last| VIEWERS.contains(last));
        is_viewer && is_plain(&words[at + 1..])
    })
}

/// Whether words are like "Active pets are those with an owner".
fn defines(words: &[&str]) -> bool {
    let Some((subject, predicate)) = subject_and_predicate(words) else {
        return false;
    };
    matches!(predicate, ["those", "that" | "where" | "which" | "whose" | "with", ..])
        && subject.len() < 5
        && is_plain(&predicate[1..])
}

/// Whether words are like "`name` and `age` can be specified as filters".
fn may_be_given(words: &[&str]) -> bool {
    const GIVEN: [&str; 6] = ["given", "passed", "provided", "set", "specified", "used"];
    let at = words
        .windows(2)
        .position(|pair| ["can", "may"].contains(&pair[0]) && pair[1] == "be");
    let Some((subject, [_, _, given, purpose @ ..])) = at.map(|at| words.split_at(at)) else {
        return false;
    };
    let is_parameter = |word: &&str| [NAME, "and", "or", "the", MARK, "field", "fields", "parameter"].contains(word);
    GIVEN.contains(given) && subject.iter().all(is_parameter) && is_purpose(purpose)
}

/// Whether words are like "as filters" or "to sort the results".
fn is_purpose(words: &[&str]) -> bool {
    match words {
        ["as", "filter" | "filters"] | ["as", "a", "filter"] => true,
        ["for", "filtering" | "pagination" | "paging" | "sorting", rest @ ..] => is_plain(rest),
        ["to", verb, rest @ ..] => {
            is_of(verb, &[&READS, &SELECTS]) && is_plain(rest.strip_prefix(&["them"]).unwrap_or(rest))
        }
        _ => false,
    }
}

/// Whether words are like "To get the next page, pass the last name" or "Use `name` to filter the results".
fn hints(words: &[&str]) -> bool {
    let is_hint = |pair: &[&str]| HINTS.contains(&pair[0]) && [NAME, "the"].contains(&pair[1]);
    match words {
        ["to", verb, rest @ ..] if is_of(verb, &[&READS, &SELECTS]) => {
            let at = rest.windows(2).position(is_hint);
            let (before, after) = rest.split_at(at.unwrap_or_default());
            let next_step = ["afterwards", "it", "one", "them", "then"];
            at.is_some() && is_plain(before) && !after.iter().any(|word| next_step.contains(word))
        }
        [first, second, rest @ ..] if is_hint(&[first, second]) => {
            let at = rest.iter().position(|word| ["for", "to"].contains(word));
            at.is_some_and(|at| is_plain(&rest[..at]) && is_purpose(&rest[at..]))
        }
        _ => false,
    }
}

/// Whether words after "Setting `archived`" are like "to `false` excludes archived pets".
fn selects(words: &[&str]) -> bool {
    let value = [NAME, "false", "null", "or", "to", "true", "without"];
    let at = words.iter().position(|word| !value.contains(word));
    at.is_some_and(|at| is_of(words[at], &[&["return"], &SELECTS]) && is_plain(&words[at + 1..]))
}

/// Whether a sentence is like "If `name` is specified, restrict results to pets of that name".
fn selects_on_condition(sentence: &str) -> bool {
    const CONDITION: [&str; 16] = [
        NAME, "and", "empty", "false", "given", "if", "is", "not", "null", "omitted", "or", "provided", "set",
        "specified", "true", "when",
    ];
    let Some((condition, then)) = sentence.split_once(',') else {
        return false;
    };
    let condition = words_and_marks(condition);
    let mut given = condition.iter().map(String::as_str);
    let words = words_and_marks(then);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let restricts = match words.as_slice() {
        ["restrict" | "limit", what, "to", rest @ ..] => ["results", "records"].contains(what) && is_plain(rest),
        _ => false,
    };
    given.all(|word| CONDITION.contains(&word) || word == "without") && (restricts || describes(then))
}

#[cfg(test)]
mod tests {
    use super::only_describes;

    #[test]
    fn sentences_that_describe_a_list_have_few_forms() {
        for text in [
            "List pets",
            "[Admin] Lists all pets of an owner, sorted by name.",
            "List pets with no owner. List pets in the order of their names.",
            "Returns pets visible to the user, sorted by descending `age`.",
            "Returns a bare list for clients older than 0.22.0, otherwise a `Page`.",
            "Get the pets and their owners",
            "Includes only active pets. Sorted by name. Newest first.",
            "Admins see all pets. Non-admins only see their own.",
            "The results are paginated. To get the next page, pass `age` and `id` of the last pet.",
            "To list all owners, use `/owners/list`.",
            "`name`, `age`, and `owner` can be specified as filters.",
            "Setting `active` to `true` excludes archived pets.",
            "Specifying `name` without `owner` returns no pets.",
            "If `name` is specified, restrict results to pets that match.",
            "Without `name`, `owners` are empty.",
            "`owners` are always empty - call `/owners/get` to retrieve them.",
            "Only pets accessible to the user are returned.",
            "Active pets are those with an owner.",
            "Use `name` to filter the results.",
            "A paginated list of pets.",
            "Requires the admin role.",
        ] {
            assert!(only_describes(text), "{text}");
        }
    }

    #[test]
    fn what_else_a_sentence_says_has_none_of_these_forms() {
        for text in [
            "List homes with Zillow",
            "List homes in the MLS",
            "List homes at partner sites",
            "List homes to channel partners",
            "Lists homes with the broker",
            "List homes for tenants",
            "List homes publicly",
            "List homes by owner, with public ads",
            "List homes that go to auction",
            "Show homes to channel partners",
            "Get orders, which count as delivered",
            "Get orders, each of them uses one credit. Uses one credit.",
            "Opens the lots for bids.",
            "Each lead shown uses one credit.",
            "The tasks belong to the calling worker for 5 minutes.",
            "Orders that were returned count as delivered.",
            "What was returned once is not returned a second time.",
            "Orders are returned to the shop.",
            "The siren falls silent.",
            "Wakes sleeping ones.",
            "Old ones go to the bin.",
            "They stay yours for ten minutes.",
            "Buyers see them from now on.",
            "Use `keep` to end the sessions.",
            "To get the orders, use one credit.",
            "If `keep` is false, the sessions end.",
            "Parts are ordered by mail.",
        ] {
            assert!(!only_describes(text), "{text}");
        }
    }
}
