//! Recognises texts that say nothing but what a list shows, what an update changes, and what a value is. The main
//! functions are [`only_lists`], [`only_updates`] and [`only_names_a_value`].
//!
//! # Design
//!
//! A text can take back in endless words what names and types promise ("Sponsored ones may appear at any place", "Fixed
//! once the order exists", "0 stands for unlimited"), so no list of such words is enough. What takes nothing back has
//! few words: those for listing or for updating, and the names of the records. So a sentence about an operation may have
//! no other words. What a value is can be any noun phrase. So the first clause of a description is one, without a
//! condition and without a value; the clauses after it have words of their own for forms, units and uniqueness.

use super::lexicon::{alphanumeric_words, camel_case_words, singular, underscored_words, whole_sentences};

/// Words of sentences that say that records are listed, filtered, sorted or divided into pages.
const OF_LISTS: [&str; 118] = [
    "a", "access", "all", "an", "and", "api", "are", "array", "asc", "ascending", "authenticated", "belong",
    "belonging", "belongs", "beyond", "browse", "by", "caller", "collection", "combined", "created", "creation",
    "current", "data", "date", "default", "desc", "descending", "empty", "endpoint", "entries", "every", "existing",
    "fetch", "fetches", "filter", "filtered", "filtering", "filters", "find", "for", "found", "get", "gets", "given",
    "has", "have", "id", "in", "index", "info", "information", "is", "it", "items", "joined", "known", "list",
    "listed", "listing", "lists", "logical", "match", "matching", "multiple", "name", "newest", "no", "not", "number",
    "object", "objects", "of", "oldest", "one", "only", "optional", "optionally", "or", "order", "ordered", "ordering",
    "otherwise", "page", "paged", "pages", "paginate", "paginated", "pagination", "parameter", "parameters",
    "permission", "query", "record", "records", "resource", "resources", "response", "result", "results", "retrieve",
    "retrieves", "return", "returned", "returns", "says", "several", "show", "shows", "sort", "sorted", "sorting",
    "sorts", "that", "the", "their", "to", "unless",
];

/// More of them.
const OF_LISTS_TOO: [&str; 10] = [
    "specific", "specified", "supports", "this", "uses", "using", "via", "view", "which", "with",
];

/// Words of sentences that say by what, and in which direction, a parameter sorts, besides those of [`OF_LISTS`].
const OF_SORTING: [&str; 66] = [
    "as", "at", "attribute", "be", "can", "case", "choose", "column", "comma", "come", "comes", "considered",
    "criteria", "criterion", "dash", "decreasing", "defaults", "determines", "direction", "each", "either", "end",
    "field", "fields", "front", "highest", "how", "hyphen", "if", "increasing", "key", "last", "lowest", "may",
    "minus", "must", "null", "nulls", "numbers", "on", "option", "options", "plus", "possible", "prefix", "prefixed",
    "property", "regard", "regardless", "reverse", "reversed", "separated", "sign", "specifies", "specify", "string",
    "texts", "use", "used", "value", "values", "valid", "when", "where", "whether", "without",
];

/// Words of sentences that say that an update changes what is sent.
const OF_UPDATES: [&str; 96] = [
    "a", "all", "allows", "an", "and", "any", "are", "as", "attributes", "be", "before", "body", "by", "change",
    "changed", "changes", "complete", "completely", "current", "data", "default", "details", "edit", "edits",
    "endpoint", "entire", "entity", "existing", "field", "fields", "for", "full", "fully", "gets", "given", "has",
    "id", "identified", "identifier", "in", "info", "information", "is", "it", "its", "item", "keep", "keeps", "kept",
    "merge", "merged", "modifies", "modify", "nested", "new", "not", "object", "of", "one", "only", "other", "others",
    "overwrites", "partial", "partially", "patch", "payload", "properties", "provided", "put", "record", "replace",
    "replaced", "replaces", "request", "resource", "return", "returns", "same", "sent", "single", "specific",
    "specified", "supplied", "that", "the", "their", "this", "to", "update", "updated", "updates", "value", "values",
    "way", "with",
];

/// Words of sentences that say that a record is shown or was changed, besides those of [`OF_LISTS`].
const OF_SHOWN: [&str; 30] = [
    "after", "at", "back", "be", "change", "changed", "contains", "details", "entity", "how", "its", "json", "look",
    "new", "newly", "ok", "operation", "read", "replaced", "saved", "single", "state", "stored", "success",
    "successful", "successfully", "unique", "update", "updated", "was",
];

/// Words of sentences that say that what is sent is created or changed, besides those of [`OF_LISTS`] and
/// [`OF_SHOWN`].
const OF_CREATES: [&str; 18] = [
    "add", "added", "adds", "attributes", "body", "create", "creates", "details", "entity", "fields", "identifier",
    "insert", "inserts", "payload", "post", "request", "sent", "store",
];

/// Words of [`OF_LISTS`] and [`OF_SHOWN`] that can say that one of several values is shown.
const OF_CHOICES: [&str; 8] = [
    "caller", "current", "default", "index", "latest", "recent", "state", "view",
];

/// Words of texts that say what a service is about, besides the names of its records.
const OF_INTRODUCTIONS: [&str; 52] = [
    "a", "about", "access", "actions", "all", "an", "and", "api", "browse", "by", "collection", "create", "creating",
    "crud", "data", "delete", "deleting", "demo", "endpoint", "endpoints", "everything", "example", "for", "get",
    "http", "json", "list", "listing", "manage", "management", "manages", "managing", "of", "on", "one", "openapi",
    "operation", "operations", "our", "read", "record", "records", "rest", "restful", "sample", "service", "simple",
    "the", "their", "these", "update", "your",
];

/// Words of descriptions of a header that says where the created record is.
const OF_LOCATIONS: [&str; 35] = [
    "a", "absolute", "address", "an", "at", "be", "by", "can", "created", "entity", "for", "found", "get", "in", "is",
    "it", "just", "link", "location", "new", "newly", "of", "path", "read", "record", "relative", "resource",
    "retrieved", "that", "the", "to", "uri", "url", "was", "where",
];

/// Words of the clauses after the first one in the description of a value: about its form, its unit, or that it is
/// unique.
const OF_FORMS: [&str; 99] = [
    "a", "allowed", "an", "and", "are", "array", "as", "at", "be", "boolean", "by", "centimetres", "character",
    "characters", "cm", "code", "date", "datetime", "day", "days", "decimal", "degrees", "duplicates", "each", "euros",
    "exact", "exactly", "format", "formatted", "free", "grams", "human", "identifier", "in", "inclusive", "integer",
    "is", "iso", "it", "its", "kept", "kg", "km", "language", "least", "length", "letter", "list", "long", "max",
    "maximum", "metres", "min", "minimum", "minutes", "mm", "most", "name", "number", "numbers", "object", "of",
    "optional", "or", "order", "per", "percent", "places", "plain", "positive", "readable", "required", "returned",
    "rfc", "seconds", "sent", "short", "string", "text", "than", "the", "they", "this", "time", "timestamp", "to",
    "two", "unique", "unit", "units", "unsigned", "utc", "utf", "uuid", "value", "values", "were", "which", "with",
];

/// Words in the first clause of a description that make what it says depend on something, or begin to say what becomes
/// of the value.
const CONDITIONS: [&str; 28] = [
    "afterwards", "always", "but", "can", "cannot", "except", "fixed", "if", "immutable", "instead", "later", "may",
    "must", "never", "no", "not", "once", "only", "opposite", "otherwise", "permanent", "readonly", "reserved", "then",
    "unless", "until", "while", "will",
];

/// Words with which no name of a thing begins.
const NO_NAMES: [&str; 14] = [
    "applied", "applies", "are", "changes", "false", "has", "have", "initial", "is", "read", "reads", "stays", "takes",
    "to",
];

/// Verbs of which the subject is the value, unless a word like "that" is before them.
const FINITE_VERBS: [&str; 16] = [
    "are", "becomes", "follows", "get", "gets", "has", "have", "is", "means", "precede", "precedes", "remains",
    "shows", "stands", "stays", "takes",
];

/// Words that begin a clause within another.
const SUBORDINATES: [&str; 9] = [
    "how", "that", "what", "when", "where", "whether", "which", "who", "whose",
];

/// Whether a sentence about a list, in lower case, says no more than that these records are listed, filtered, sorted or
/// divided into pages. The names are those of the records and of parameters.
pub(super) fn only_lists(sentence: &str, names: &[String]) -> bool {
    is_about_permission(sentence) || says_what_each_has(sentence, names) || {
        let words: Vec<_> = underscored_words(sentence).collect();
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
        words.iter().all(|word| match *word {
            "first" => has(&["latest", "newest", "oldest", "recent"]),
            "last" => has(&["page", "pages"]),
            "latest" | "recent" | "most" => has(&["first"]),
            word => OF_LISTS.contains(&word) || OF_LISTS_TOO.contains(&word) || is_one_of(names, word),
        })
    }
}

/// Whether a sentence about a parameter that sorts, in lower case, says no more than by what and in which direction.
/// The names are those of what it sorts by.
pub(super) fn only_sorts(sentence: &str, names: &[String]) -> bool {
    underscored_words(sentence).all(|word| {
        OF_LISTS.contains(&word) || OF_LISTS_TOO.contains(&word) || OF_SORTING.contains(&word) || is_one_of(names, word)
    })
}

/// Whether a sentence about an update, in lower case, says no more than that what is sent is changed. The names are
/// those of the record.
pub(super) fn only_updates(sentence: &str, names: &[String]) -> bool {
    let sentence = sentence.replace(", or null", "");
    is_about_permission(&sentence)
        || alphanumeric_words(&sentence).all(|word| OF_UPDATES.contains(&word) || is_one_of(names, word))
}

/// Whether a sentence about a read, in lower case, says no more than that the record is shown. The names are those of
/// the record.
pub(super) fn only_shows(sentence: &str, names: &[String]) -> bool {
    is_about_permission(sentence) || underscored_words(sentence).all(|word| is_of_shown(word) || is_one_of(names, word))
}

/// Whether a sentence about a create, or about what an operation takes and returns, says no more than that what is sent
/// is created or changed, and shown. The names are those of the record.
pub(super) fn only_creates(sentence: &str, names: &[String]) -> bool {
    is_about_permission(sentence)
        || underscored_words(sentence)
            .all(|word| is_of_shown(word) || OF_CREATES.contains(&word) || is_one_of(names, word))
}

fn is_of_shown(word: &str) -> bool {
    let is_known = [&OF_LISTS[..], &OF_LISTS_TOO, &OF_SHOWN]
        .iter()
        .any(|words| words.contains(&word));
    is_known && !OF_CHOICES.contains(&word)
}

/// Whether a sentence about a list speaks of one of several states or values.
pub(super) fn names_a_choice(sentence: &str) -> bool {
    underscored_words(sentence).any(|word| OF_CHOICES.contains(&word) && !["latest", "recent"].contains(&word))
}

/// Whether a sentence about a whole service, a path or a tag, in lower case, says no more than what it is about. The
/// names are those of the paths and of the service.
pub(super) fn only_introduces(sentence: &str, names: &[String]) -> bool {
    alphanumeric_words(sentence).all(|word| OF_INTRODUCTIONS.contains(&word) || is_one_of(names, word))
}

/// Whether a sentence about a header, in lower case, says no more than that it is the address of what was created. The
/// names are those of the record.
pub(super) fn only_names_the_record(sentence: &str, names: &[String]) -> bool {
    alphanumeric_words(sentence).all(|word| OF_LOCATIONS.contains(&word) || is_one_of(names, word))
}

/// Whether a sentence about a 404, in lower case, says no more than that the record was not found. The names are those
/// of the record.
pub(super) fn only_says_not_found(sentence: &str, names: &[String]) -> bool {
    const WORDS: [&str; 33] = [
        "404", "a", "an", "be", "by", "cannot", "could", "does", "doesn", "error", "exist", "exists", "for", "found",
        "given", "id", "identifier", "is", "item", "no", "not", "or", "record", "requested", "resource", "such", "t",
        "that", "the", "there", "this", "was", "with",
    ];
    alphanumeric_words(sentence).all(|word| WORDS.contains(&word) || is_one_of(names, word))
}

/// Whether a description, in lower case, says no more than that a value is when the record was created. The names are
/// those of the record.
pub(super) fn only_says_when_created(described: &str, names: &[String]) -> bool {
    const CREATED: [&str; 2] = ["created", "creation"];
    let described = described.replace("never changes", "");
    says_when(&described, (&CREATED, names))
}

/// Whether a description, in lower case, says no more than that a value is when the record was last changed. The names
/// are those of the record.
pub(super) fn only_says_when_changed(described: &str, names: &[String]) -> bool {
    const CHANGED: [&str; 11] = [
        "change", "changed", "last", "latest", "modification", "modified", "most", "recent", "recently", "update",
        "updated",
    ];
    says_when(described, (&CHANGED, names))
}

/// Whether a description has only these words, at least one of them, and words for a record and for a time.
fn says_when(described: &str, (known, names): (&[&str], &[String])) -> bool {
    const OF_TIMES: [&str; 38] = [
        "a", "and", "at", "by", "date", "datetime", "entity", "entry", "format", "in", "is", "iso", "it", "item",
        "moment", "object", "of", "on", "only", "read", "record", "resource", "rfc", "server", "service", "set",
        "stamp", "string", "that", "the", "this", "time", "timestamp", "utc", "was", "when", "which", "8601",
    ];
    let words: Vec<_> = alphanumeric_words(described).collect();
    let is_known = |word: &&str| {
        let is_of_time = OF_TIMES.contains(word) || *word == "3339";
        known.contains(word) || is_of_time || is_one_of(names, word)
    };
    words.is_empty() || words.iter().any(|word| known.contains(word)) && words.iter().all(is_known)
}

/// Whether a description, in lower case, says no more than what a value is, and in which form.
pub(super) fn only_names_a_value(described: &str) -> bool {
    names_a_value(whole_sentences(&without_full_stops_within(described)))
}

/// Whether a description, in lower case, says no more than what a value is, in which form, and what to enter.
pub(super) fn only_explains_a_value(described: &str) -> bool {
    names_a_value(
        whole_sentences(&without_full_stops_within(described)).filter(|sentence| !says_what_to_enter(sentence)),
    )
}

/// Returns a text in which "e.g." ends no sentence.
fn without_full_stops_within(described: &str) -> String {
    described.replace("e.g. ", "such as ").replace("i.e. ", "such as ")
}

fn names_a_value<'text>(sentences: impl Iterator<Item = &'text str>) -> bool {
    let mut sentences = sentences.filter(|sentence| !sentence.trim().is_empty());
    let first = sentences.next().unwrap_or_default();
    // "True if" is another word for "whether".
    let (name, rest) = first
        .find([';', ':', ',', '('])
        .map_or((first, ""), |at| first.split_at(at));
    is_noun_phrase(&name.replace("true if ", "whether ")) && [rest].into_iter().chain(sentences).all(says_in_which_form)
}

/// Whether the first clause of a description is a noun phrase, or a clause like "whether it is sold", without a
/// condition and without a value.
fn is_noun_phrase(clause: &str) -> bool {
    let words: Vec<_> = alphanumeric_words(clause).collect();
    let begins = match words.as_slice() {
        ["set" | "sets", next, ..] => *next == "of",
        // What follows from another field.
        [
            "beginning" | "excerpt" | "start",
            "of",
            "the",
            "body" | "content" | "text",
            ..,
        ] => false,
        [first, ..] => !NO_NAMES.contains(first),
        [] => true,
    };
    let is_subordinate = |at: usize| words[..at].iter().any(|word| SUBORDINATES.contains(word));
    let is_plain = |(at, word): (usize, &&str)| {
        let is_number = word.chars().all(|letter| letter.is_ascii_digit());
        let of_standard = || words[..at].iter().any(|word| ["iso", "rfc", "utf"].contains(word));
        !CONDITIONS.contains(word)
            && (!FINITE_VERBS.contains(word) || is_subordinate(at))
            && (!is_number || of_standard())
    };
    begins && !clause.contains('`') && words.iter().enumerate().all(is_plain)
}

/// Whether a sentence tells a person what to enter, or what for, and speaks of no change.
fn says_what_to_enter(sentence: &str) -> bool {
    const HINTS: [&str; 9] = [
        "choose", "enter", "leave", "please", "provide", "see", "select", "use", "you",
    ];
    const OF_CHANGES: [&str; 9] = [
        "change", "creat", "fixed", "ignor", "kept", "late", "new", "once", "updat",
    ];
    let mut words = alphanumeric_words(sentence);
    words.next().is_some_and(|first| HINTS.contains(&first))
        && !words.any(|word| OF_CHANGES.iter().any(|beginning| word.starts_with(beginning)))
}

/// Whether a part of a description has only words about the form of a value.
fn says_in_which_form(part: &str) -> bool {
    let is_example = ["e.g", "(e.g", "for example", "example", "such as"]
        .iter()
        .any(|words| part.trim_start_matches([' ', ',', ';', ':', '(']).starts_with(words));
    let is_number = |word: &str| word.chars().all(|letter| letter.is_ascii_digit());
    is_example || alphanumeric_words(part).all(|word| OF_FORMS.contains(&word) || is_number(word))
}

/// Whether a sentence says what a caller needs: "Requires the admin role".
fn is_about_permission(sentence: &str) -> bool {
    const NEEDED: [&str; 7] = [
        "access", "permission", "permissions", "privileges", "rights", "role", "scope",
    ];
    let words: Vec<_> = alphanumeric_words(sentence).collect();
    match words.as_slice() {
        ["needs" | "requires", .., last] => words.len() < 8 && NEEDED.contains(last),
        ["required", "permission" | "privilege" | "role" | "scope", rest @ ..] => rest.len() < 4,
        _ => false,
    }
}

/// Whether a sentence is like "each issue includes its labels".
fn says_what_each_has(sentence: &str, names: &[String]) -> bool {
    let words: Vec<_> = alphanumeric_words(sentence).collect();
    match words.as_slice() {
        [
            "each" | "every",
            record,
            "contains" | "has" | "includes",
            "a" | "its" | "the",
            had,
        ] => is_one_of(names, record) && !is_one_of(names, had),
        _ => false,
    }
}

/// Whether a word is one of some names, in the singular or the plural, or the whole of which one is the beginning:
/// `organization` for `orgs`.
fn is_one_of(names: &[String], word: &str) -> bool {
    let one = singular(word);
    names.iter().any(|name| {
        let name = singular(name);
        name == one || name == word || (name.len() > 2 && one.starts_with(&name) && one.len() > name.len() + 3)
    })
}

/// Returns the words of a name.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words = camel_case_words(name);
    words.push(name.to_lowercase());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["pets", "price", "sort"].map(str::to_owned).into()
    }

    #[test]
    fn a_sentence_lists_what_the_path_names() {
        for text in [
            "list pets",
            "returns a paginated list of pets",
            "returns the pets, page by page, the oldest record first unless `sort` says otherwise",
            "a page beyond the last one has no items",
            "several filters are combined with and",
            "each pet includes its owner",
            "requires the admin role",
            "required privilege: pet.audit",
            "",
        ] {
            assert!(only_lists(text, &names()), "{text}");
        }
        for text in [
            "sold-out pets are at the end, whatever the order",
            "lists the pets, followed by those that are sold out",
            "sponsored pets may appear at any place",
            "lists pets as a tree",
            "lists pets by section",
            "the order is approximate",
            "sorting is best effort",
            "with `sort` the five that come out on top",
            "pets without a price are left out when sorting",
            "new pets can be found by filters after a few seconds",
            "unknown identifiers in filters are ignored",
            "the default pet is always part of the list",
            "filters look only at the last 30 days",
            "lists the pets that are visible in the shop",
        ] {
            assert!(!only_lists(text, &names()), "{text}");
        }
    }

    #[test]
    fn a_sentence_sorts_by_a_name_in_a_direction() {
        for text in [
            "sort order",
            "sort by price",
            "field to sort by; with `-` in front, in descending order",
            "numbers are sorted by value, null comes last",
            "comma-separated fields to sort by",
            "sort direction: `asc` or `desc`",
        ] {
            assert!(only_sorts(text, &names()), "{text}");
        }
        for text in [
            "sort by price, converted to euros",
            "sort by effective price",
            "sort order within sections",
            "sort by price range",
            "`price` from the worst to the best",
            "`-` starts with the highest price",
            "unlimited counts as the highest",
            "a pet with several prices is listed once for each",
        ] {
            assert!(!only_sorts(text, &names()), "{text}");
        }
    }

    #[test]
    fn a_sentence_about_an_update_changes_what_is_sent() {
        for text in [
            "updates a pet",
            "update an existing pet by id",
            "changes the fields that are sent; all others keep their value",
            "a field that is not sent gets its default, or null",
            "update pets (partial update)",
        ] {
            assert!(only_updates(text, &names()), "{text}");
        }
        for text in [
            "changes the pet, except its kind",
            "`kind` is fixed",
            "changes name and colour of the pet",
            "renames the pet",
            "only `name` is taken into account",
            "its name is permanent",
            "fields that are null are left unchanged",
            "leaving out `notes` deletes them",
            "it may take some seconds until reads show the change",
        ] {
            assert!(!only_updates(text, &names()), "{text}");
        }
    }

    #[test]
    fn a_description_names_a_value_and_its_form() {
        for text in [
            "",
            "category of the pet.",
            "whether the pet is sold.",
            "true if the pet is sold",
            "how the owner prefers to be contacted.",
            "serial number. unique.",
            "e-mail address, kept exactly as sent. unique.",
            "price in euros, an exact decimal number with two places.",
            "labels, in the order in which they were sent. duplicates are kept.",
            "name of the pet, e.g. rex",
            "country (iso 3166)",
        ] {
            assert!(only_names_a_value(text) && only_explains_a_value(text), "{text}");
        }
        for text in [
            "number of seats; -1 stands for unlimited.",
            "price; 0 means on request",
            "0001-01-01 if it never expires.",
            "1 is the highest priority.",
            "status; in filters `open` covers `pending`.",
            "kind. fixed once the pet exists.",
            "kind. only used when creating",
            "immutable.",
            "cannot be changed.",
            "takes effect with the next delivery",
            "has no effect in an update.",
            "only for new pets.",
            "kind. to change it, create a new pet.",
            "the opposite of `free`.",
            "start of the text.",
            "colour; null resets it to `grey`.",
            "due date, set by the service for new pets.",
        ] {
            assert!(!only_names_a_value(text) && !only_explains_a_value(text), "{text}");
        }
        let hint = "deadline. leave empty to use that of the event.";
        assert!(only_explains_a_value(hint) && !only_names_a_value(hint));
    }
}
