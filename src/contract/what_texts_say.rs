//! Recognises texts that say that a service changes what it is sent, or that it shows a change only later. Which fields
//! a record must show as they were sent, and which of them get awkward characters, depends on it.
//!
//! # Design
//!
//! Two questions are asked of a text. Does it say that an ordinary value comes back as another one ("in title case",
//! "cut to 12 characters", "the end of the month")? Then the field is not compared. Does it speak of characters at all
//! ("ASCII only", "no emoji", "quotes are removed")? Then the field is compared, but gets only ordinary ones. Awkward
//! characters need more than silence: the field must be free text by its name or its description, because codes and
//! names for machines (`sku`, `hostname`) are normalised by services that say nothing of it.

use super::Contract;
use super::document::Node;
use super::inferred::comparable_name;
use super::lexicon::{alphanumeric_words, camel_case_words, singular, whole_sentences};
use super::operation::{Operation, OperationId};

/// Participles and other words, by their beginnings, for what a service does to a value before it shows it.
const REWRITTEN: [&str; 42] = [
    "abbreviat", "adjusted", "anonymi", "appended", "appends", "canonical", "capitali", "censor", "cleaned", "cleans",
    "converted", "corrected", "encoded", "escaped", "hashed", "lowercase", "mask", "moderat", "normali", "obfuscat",
    "prefixed", "pseudonymi", "redact", "rendered", "rounded", "sanitis", "sanitiz", "scrubbed", "shortened", "slug",
    "stripped", "suffixed", "titlecase", "transcod", "transliterat", "trimmed", "truncate", "unescaped", "uppercase",
    "wrapped", "xml-escaped", "zeroed",
];

/// Phrases that say that a field comes back changed.
const COMES_BACK_CHANGED: [&str; 38] = [
    "added to the", "are added", "are dropped", "are ignored", "are kept", "are removed", "are replaced", "are shown",
    "be changed to", "capital initial", "capital letters", "case insensitive", "case-insensitive",
    "characters survive", "cut after", "cut off", "cut to", "digits survive", "in a response", "in capitals",
    "in responses", "is added", "is ignored", "letters survive", "lower case", "lower-case", "made a capital",
    "made unique", "moved to", "moves to", "responses have", "responses show", "set to the end", "set to the first",
    "set to the last", "title case", "upper case", "upper-case",
];

/// Beginnings of words in a text that speaks of characters, of what they are encoded in, or of changes to a value.
const OF_CHARACTERS: [&str; 40] = [
    "accent", "alphabet", "alphanumeric", "ascii", "byte", "case", "censor", "charact", "clean",
    // Code pages, such as CP437.
    "cp4", "diacritic", "digit", "emoji", "encod", "escap", "generated", "gsm", "html", "identifier", "iso", "latin",
    "letter", "markdown", "markup", "moderat", "normali", "offensive", "print", "quot", "redact", "rich", "round",
    "sanit", "sms", "special", "strip", "symbol", "translit", "truncate", "unicode",
];

/// Phrases, and parts of words, that say the same.
const OF_CHARACTERS_IN_WORDS: [&str; 10] = [
    "case-", "mask", "plain text", "plaintext", "the display", "device display", "unsafe", "url", "utf-", "wysiwyg",
];

/// Last words of the names of fields that hold text that people write for people.
const FREE_TEXT: [&str; 34] = [
    "about", "abstract", "address", "addressline", "answer", "bio", "body", "caption", "comment", "content",
    "description", "details", "headline", "heading", "instructions", "introduction", "label", "line", "memo",
    "message", "motto", "note", "question", "reason", "remark", "review", "story", "street", "subject", "subtitle",
    "summary", "text", "title", "tagline",
];

/// Words before `name` in the name of a field that holds the name of a person or a thing.
const NAMED_BY_PEOPLE: [&str; 17] = [
    "business", "company", "contact", "customer", "display", "family", "first", "full", "given", "last", "legal",
    "long", "middle", "organisation", "organization", "product", "team",
];

/// Collections whose names are for machines.
const NAMED_FOR_MACHINES: [&str; 20] = [
    "attribute", "branch", "bucket", "column", "database", "domain", "environment", "field", "host", "key", "keyword",
    "label", "namespace", "node", "package", "queue", "repository", "tag", "user", "variable",
];

/// Names of fields with codes and names for machines, which services normalise.
const FOR_MACHINES: [&str; 36] = [
    "branch", "column", "contenttype", "domain", "ean", "filename", "fqdn", "gtin", "handle", "host", "hostname",
    "identifier", "isbn", "key", "keyword", "licenseplate", "licensekey", "login", "mac", "macaddress", "mimetype",
    "nick", "partnumber", "plate", "postalcode", "postcode", "serial", "serialnumber", "sku", "symbol", "tag",
    "ticker", "username", "variablename", "vat", "zipcode",
];

/// Beginnings of words about an update that takes effect later, or not without somebody's consent.
const LATER: [&str; 15] = [
    "approv", "asynchronous", "background", "draft", "eventual", "later", "midnight", "moderat", "pending", "proposal",
    "propose", "queue", "review", "scheduled", "suggest",
];

/// Beginnings of words for dates that a service moves, or computes from what was sent.
const OF_MOVED_DATES: [&str; 17] = [
    "adjust", "anniversar", "annual", "business", "end", "holiday", "last", "month", "move", "next", "recur", "renew",
    "round", "shift", "weekend", "working", "year",
];

/// Whether the description of a field, in lower case, says that what comes back is not what was sent: "Responses show
/// only the last four digits", "Cut to 12 characters", "Appended to the text that the log has".
pub(super) fn says_that_it_comes_back_changed(described: &str) -> bool {
    // Whoever keeps duplicates keeps everything; the first characters "are kept".
    let described = &described.replace("duplicates are kept", "");
    let is_cut = described.contains("first") && described.contains("characters");
    is_cut
        || has_word_of(described, &REWRITTEN)
        || COMES_BACK_CHANGED.iter().any(|words| described.contains(words))
        || (described.contains("characters") && (described.contains("shown") || described.contains("become")))
}

/// Whether the description of a field, in lower case, says what a service does to the value, in whatever words:
/// "Stemmed.", "Copied to our storage", "Only the host is kept", "Always in metres". Unlike
/// [`says_that_it_comes_back_changed`], it is asked of fields alone: about an operation, such words say what it does.
pub(super) fn says_what_is_done_to_it(described: &str) -> bool {
    const DONE: [&str; 20] = [
        "always", "become", "clamp", "comput", "convert", "copied", "copies", "deduplic", "derive", "expand", "fall",
        "geocod", "interpret", "merg", "otherwise", "replac", "resiz", "resolv", "scaled", "unknown",
    ];
    const PHRASES: [&str; 14] = [
        "default to", "is cut", "is dropped", "is kept", "is made", "is moved", "is removed", "is set", "is shown",
        "is stored", "looked up", "shown as", "stored as", "turned into",
    ];
    has_word_of(described, &DONE)
        || PHRASES.iter().any(|words| described.contains(words))
        || whole_sentences(described)
            .flat_map(|sentence| sentence.split([':', ';', ',', '(']))
            .any(begins_with_what_is_done)
}

/// Whether a part of a sentence, in lower case, begins with a participle that says what is done to a value, and not
/// what kind of value it is ("Preferred name") or what for ("Used in invoices").
fn begins_with_what_is_done(part: &str) -> bool {
    const SAYS_WHAT_FOR: [&str; 22] = [
        "addressed", "allowed", "assigned", "based", "bed", "deprecated", "displayed", "embed", "expected",
        "expressed", "feed", "given", "intended", "measured", "need", "needed", "printed", "provided", "related",
        "required", "seed", "used",
    ];
    const FOLLOWS: [&str; 24] = [
        "according", "after", "and", "as", "at", "before", "by", "down", "from", "if", "in", "into", "on", "or", "out",
        "over", "per", "through", "to", "under", "up", "when", "while", "with",
    ];
    let mut words = alphanumeric_words(part);
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let is_participle = first.len() > 4 && first.ends_with("ed") && !SAYS_WHAT_FOR.contains(&first);
    is_participle && second.is_none_or(|second| FOLLOWS.contains(&second))
}

/// Whether a sentence about an operation, in lower case, says that values in its body come back changed: "Input is
/// HTML-escaped".
pub(super) fn says_that_values_come_back_changed(sentence: &str) -> bool {
    let is_done =
        alphanumeric_words(sentence).any(|word| matches!(word, "are" | "be" | "been" | "gets" | "get" | "is"));
    is_done && (has_word_of(sentence, &REWRITTEN) || says_that_values_are_left_out(sentence))
}

/// Whether a sentence, in lower case, says that what is sent may not be stored: "Locked fields are skipped", "from
/// others they are ignored".
fn says_that_values_are_left_out(sentence: &str) -> bool {
    const LEFT_OUT: [&str; 6] = [
        "are ignored", "are skipped", "are silently ignored", "are silently skipped", "is ignored", "is left as it is",
    ];
    // What the document does not describe is not sent, and a header or parameter is no value of the body.
    const NOT_IN_BODY: [&str; 5] = ["additional", "header", "parameter", "undocumented", "query"];
    LEFT_OUT.iter().any(|words| sentence.contains(words)) && !has_word_of(sentence, &NOT_IN_BODY)
}

/// Whether a text, in lower case, speaks of the characters that a field takes or shows.
pub(crate) fn speaks_of_characters(text: &str) -> bool {
    has_word_of(text, &OF_CHARACTERS)
        || OF_CHARACTERS_IN_WORDS.iter().any(|words| text.contains(words))
        || says_that_it_comes_back_changed(text)
}

/// Whether a text, in lower case, speaks of dates that are moved.
pub(crate) fn speaks_of_moved_dates(text: &str) -> bool {
    has_word_of(text, &OF_MOVED_DATES)
}

/// Whether the description of a field says something about a value that is left out, empty, or 0.
pub(crate) fn leaves_a_doubt(schema: &Node) -> bool {
    const DOUBTS: [&str; 15] = [
        "blank", "clear", "default", "empty", "ignored", "infinite", "keep", "leave", "must", "omit", "remove",
        "unchanged", "unlimited", "unset", "zero",
    ];
    let description = schema.text_of("description").unwrap_or_default();
    let description = description.to_ascii_lowercase();
    let mut words = description.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| word == "0") || DOUBTS.iter().any(|doubt| description.contains(doubt))
}

/// Whether the description of an array, in lower case, says that its elements stay in the order in which they are sent:
/// "Tags, in the order in which they were sent", "The order is kept".
pub(super) fn says_that_order_is_kept(described: &str) -> bool {
    const OF_ORDER: [&str; 5] = ["order in which they", "order is", "order of", "same order", "the order"];
    const KEPT: [&str; 8] = [
        "given", "kept", "keeps", "maintained", "preserve", "provided", "retain", "sent",
    ];
    let mut sentences = described.split(['.', ';']);
    sentences.any(|sentence| {
        OF_ORDER.iter().any(|words| sentence.contains(words)) && has_word_of(sentence, &KEPT) && !denies(sentence)
    })
}

/// Whether the description of an array, in lower case, says that an element which is sent twice is kept twice.
pub(crate) fn says_that_duplicates_are_kept(described: &str) -> bool {
    let mut sentences = described.split(['.', ';']);
    sentences.any(|sentence| {
        has_word_of(sentence, &["duplicate"])
            && has_word_of(sentence, &["kept", "preserved", "retained"])
            && !denies(sentence)
    })
}

/// Whether a sentence, in lower case, denies something.
fn denies(sentence: &str) -> bool {
    sentence.contains("n't")
        || alphanumeric_words(sentence)
            .any(|word| matches!(word, "cannot" | "neither" | "never" | "no" | "not" | "nor"))
}

/// Whether the description of a number, in lower case, says that it has two decimal places.
pub(crate) fn speaks_of_decimal_places(described: &str) -> bool {
    const PLACES: [&str; 5] = ["2 decimal", "two decimal", "two places", "two fractional", "with cents"];
    PLACES.iter().any(|words| described.contains(words)) && !denies(described)
}

/// Whether the description of an instant, in lower case, speaks of parts of a time: a service may only know hours.
pub(crate) fn speaks_of_precision_of_times(described: &str) -> bool {
    has_word_of(
        described,
        &["hour", "midnight", "minute", "precision", "quarter", "second", "slot"],
    )
}

/// Whether the description of a number, in lower case, names the unit in which a thing is weighed or measured.
pub(crate) fn names_a_unit(described: &str) -> bool {
    const UNITS: [&str; 15] = [
        "centimet", "cm", "feet", "gram", "inch", "kg", "kilogram", "kilomet", "km", "meter", "metre", "mile",
        "millimet", "mm", "pounds",
    ];
    has_word_of(described, &UNITS)
}

/// Whether a field holds text that people write for people, or a name, by the last word of its own name.
pub(crate) fn is_named_as_text(name: &str) -> bool {
    let words = camel_case_words(name);
    let last = words.last().map(String::as_str).unwrap_or_default();
    FREE_TEXT.contains(&last) || ["i18n", "name", "names", "texts", "titles", "translations"].contains(&last)
}

/// Whether a field holds a code or a name for machines, by its name.
pub(super) fn is_for_machines(name: &str) -> bool {
    FOR_MACHINES.contains(&comparable_name(name).as_str())
}

impl Contract {
    /// Whether a field of an operation's body is text that people write for people, by its name or its description (in
    /// lower case).
    pub(crate) fn is_free_text(&self, operation: OperationId, name: &str, described: &str) -> bool {
        let words = camel_case_words(name);
        let words: Vec<&str> = words
            .iter()
            .map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()))
            .filter(|word| !word.is_empty())
            .collect();
        let says_so = [
            "free text", "free-text", "freetext", "free-form", "freeform", "human-readable", "human readable",
        ];
        let by_name = match words.as_slice() {
            [.., "name"] => {
                let collection = self.operation(operation).collection_path().to_owned();
                let above = collection
                    .split('/')
                    .rfind(|part| !part.is_empty() && !part.starts_with('{'));
                let of = camel_case_words(above.unwrap_or_default());
                let of = of.last().map(|word| singular(word)).unwrap_or_default();
                match words.as_slice() {
                    [_] => !NAMED_FOR_MACHINES.contains(&of.as_str()),
                    [.., before, _] => NAMED_BY_PEOPLE.contains(before),
                    [] => false,
                }
            }
            [.., "url" | "email" | "ip" | "mac", "address"] | [] => false,
            [.., last] => FREE_TEXT.contains(&singular(last).as_str()) || FREE_TEXT.contains(last),
        };
        by_name || says_so.iter().any(|words| described.contains(words))
    }

    /// Whether a text about an update, or about the create or the read of its record, speaks of characters or of
    /// changes to values.
    pub(crate) fn texts_speak_of_characters(&self, update: OperationId) -> bool {
        let lifecycle = self.lifecycle_of(update);
        let others = lifecycle.map(|lifecycle| [lifecycle.create, lifecycle.read]);
        let all = others.into_iter().flatten().chain([update]);
        let mut sentences = all.flat_map(|id| self.sentences_about(self.operation(id)));
        sentences.any(|sentence| speaks_of_characters(&sentence))
    }

    /// Whether the text about an update says that the record does not show it at once, or not without somebody's
    /// consent.
    pub(super) fn takes_effect_later(&self, update: &Operation) -> bool {
        // An update of a review or of a draft is no request for one.
        let own = camel_case_words(&update.path);
        let is_own = |word: &str| own.iter().any(|own| singular(own) == singular(word) || own == word);
        let sentences = self.sentences_about(update);
        sentences.iter().any(|sentence| {
            alphanumeric_words(sentence)
                .any(|word| LATER.iter().any(|beginning| word.starts_with(beginning)) && !is_own(word))
        })
    }

    /// Returns the sentences about these operations that say that values come back changed, in lower case.
    pub(super) fn sentences_of_changes(&self, operations: &[OperationId]) -> Vec<String> {
        let sentences = operations
            .iter()
            .flat_map(|id| self.sentences_about(self.operation(*id)));
        sentences
            .filter(|sentence| says_that_values_come_back_changed(sentence))
            .collect()
    }
}

/// Whether a sentence about a body with these fields concerns the one with this name: it names this one, or none of
/// them.
pub(super) fn concerns<'name>(sentence: &str, name: &str, mut fields: impl Iterator<Item = &'name str>) -> bool {
    let names = |field: &str| alphanumeric_words(sentence).any(|word| comparable_name(word) == comparable_name(field));
    names(name) || !fields.any(names)
}

fn has_word_of(text: &str, beginnings: &[&str]) -> bool {
    alphanumeric_words(text).any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    #[test]
    fn a_description_says_that_an_array_keeps_its_order_or_its_duplicates() {
        for (described, keeps_order, keeps_duplicates) in [
            ("tags, in the order in which they were sent.", true, false),
            ("the order is preserved. duplicates are kept.", true, true),
            ("shown in the same order as given", true, false),
            ("the order is not preserved. duplicates are not kept.", false, false),
            (
                "a set: duplicates are removed and the order is alphabetical.",
                false,
                false,
            ),
            ("the tags of an order", false, false),
            ("", false, false),
        ] {
            assert_eq!(says_that_order_is_kept(described), keeps_order, "{described}");
            assert_eq!(
                says_that_duplicates_are_kept(described),
                keeps_duplicates,
                "{described}"
            );
        }
    }

    #[test]
    fn a_description_says_what_a_number_and_a_time_are_made_of() {
        for (described, has_places, has_unit, has_precision) in [
            ("price with two decimal places", true, false, false),
            ("not limited to two decimal places", false, false, false),
            ("weight in kg", false, true, false),
            ("share of the traffic", false, false, false),
            ("start of the slot, to the minute", false, false, true),
            ("when it was opened", false, false, false),
        ] {
            assert_eq!(speaks_of_decimal_places(described), has_places, "{described}");
            assert_eq!(names_a_unit(described), has_unit, "{described}");
            assert_eq!(speaks_of_precision_of_times(described), has_precision, "{described}");
        }
    }

    #[test]
    fn a_description_says_that_a_value_comes_back_changed() {
        assert!(!says_that_it_comes_back_changed("duplicates are kept."));
        for described in [
            "Title of the note, shown in title case.",
            "Serial number (upper case)",
            "First 20 characters are kept",
            "At most 20 characters are shown",
            "Connection string. Credentials are redacted when read.",
            "Moved to the next working day if it falls on a weekend.",
            "Last day of validity; set to the end of the month",
            "Rounded to five minutes",
            "URL path; percent-encoded",
            "Encoded path",
            "Birthday of the customer (the year is ignored).",
            "Trimmed",
            "Cut to 12 characters",
            "Returned in capitals.",
            "Shown with capital initials.",
            "The first letter is made a capital.",
            "Prefixed with the year.",
            "Prefixed with # if it does not start with one.",
            "Only letters and digits survive.",
            "May be changed to make it unique.",
        ] {
            assert!(
                says_that_it_comes_back_changed(&described.to_ascii_lowercase()),
                "{described}"
            );
        }
        for described in [
            "",
            "Title of the note",
            "Name of the customer",
            "What the case is about",
            "Birthday",
            "The day on which it ends",
            "At most 64 characters",
            "ASCII only",
            "The capital of the country",
            "Must be unique",
            "Can be changed by its owner",
        ] {
            assert!(
                !says_that_it_comes_back_changed(&described.to_ascii_lowercase()),
                "{described}"
            );
        }
        let sentence = |text: &str| says_that_values_come_back_changed(&text.to_ascii_lowercase());
        assert!(sentence("Input is HTML-escaped."));
        assert!(sentence("Non-ASCII characters are transliterated."));
        assert!(sentence("The text is cleaned of emoji."));
        assert!(sentence(
            "Only administrators can change the notes; from others they are ignored."
        ));
        assert!(sentence(
            "Only administrators may change the notes; for others that field is left as it is."
        ));
        assert!(sentence("Unknown and protected fields are ignored."));
        assert!(sentence("Fields that are locked are silently skipped."));
        assert!(!sentence("Additional properties are ignored."));
        assert!(!sentence("The header is ignored."));
        assert!(!sentence("Updates a note."));
        assert!(!sentence("Truncates the log."));
    }

    #[test]
    fn a_description_says_what_is_done_to_a_value() {
        for described in [
            "Stemmed.",
            "Copied to our storage.",
            "Only the host is kept.",
            "Resolved: if it redirects, the final address is shown.",
            "Looked up in the register and shown as spelled there.",
            "Geocoded.",
            "Always in metres.",
            "Unknown themes fall back to the default.",
            "Scaled to 0..1000.",
            "The picture. Resampled to 72 dpi.",
            "Colour, sharpened if need be",
            "Keywords (stemmed)",
        ] {
            assert!(says_what_is_done_to_it(&described.to_ascii_lowercase()), "{described}");
        }
        for described in [
            "",
            "Title of the note",
            "Preferred name",
            "Detailed description of the product",
            "Used in invoices",
            "Required for shipping",
            "The day on which it ends",
            "Can be changed by its owner",
            "Size in metres",
            "Speed of the fan",
        ] {
            assert!(!says_what_is_done_to_it(&described.to_ascii_lowercase()), "{described}");
        }
    }

    #[test]
    fn a_text_speaks_of_characters() {
        for text in [
            "ASCII only",
            "Only Latin-1 characters are supported.",
            "GSM 7-bit text. Unsupported characters are replaced with a question mark.",
            "Special characters are stripped",
            "Quotes are removed",
            "No emoji please.",
            "Plain text without special characters",
            "Name of the file; unsafe characters become underscores",
            "Shown on the device display (ISO 8859-1).",
            "Printed on a thermal printer (CP437)",
            "Rich text (a subset of HTML).",
            "Moderated text",
            "Free text, up to 64 bytes",
            "Keyword (letters and digits only, others are ignored)",
            "Non-ASCII characters are transliterated.",
        ] {
            assert!(speaks_of_characters(&text.to_ascii_lowercase()), "{text}");
        }
        for text in [
            "", "Title", "What the customer says", "Display name", "Updates a note", "Why it was returned",
        ] {
            assert!(!speaks_of_characters(&text.to_ascii_lowercase()), "{text}");
        }
    }

    #[test]
    fn free_text_is_recognised_by_name_or_description() {
        let contract = of_paths(
            "/pets: {post: {operationId: add, responses: {'201': {description: a}}}}\n\
             /branches: {post: {operationId: branch, responses: {'201': {description: a}}}}",
            "",
        )
        .unwrap();
        let is_free = |operation, name: &str, described| contract.is_free_text(OperationId(operation), name, described);
        for name in [
            "name", "title", "description", "summary", "notes", "orderNote", "comments", "body", "text", "message",
            "label", "bio", "address", "address_line1", "addressLine2", "street", "firstName", "display_name",
            "remarks",
        ] {
            assert!(is_free(0, name, ""), "{name}");
        }
        for name in [
            "sku", "tag", "handle", "username", "user_name", "hostname", "host_name", "domain", "mac_address", "isbn",
            "plate", "postal_code", "mime_type", "branch", "license_key", "serial", "filename", "variable_name",
            "formula", "color", "url_path", "nickname", "city", "ip_address",
        ] {
            assert!(!is_free(0, name, ""), "{name}");
        }
        assert!(is_free(0, "extra", "free text"));
        assert!(!is_free(1, "name", ""), "the name of a branch");
    }

    #[test]
    fn an_update_takes_effect_later_by_its_text() {
        let of = |path: &str, text: &str| {
            let contract = of_paths(
                &format!(
                    "{path}: {{patch: {{operationId: edit, description: {text}, responses: {{'200': {{description: a}}}}}}}}"
                ),
                "",
            )
            .unwrap();
            contract.takes_effect_later(contract.operation(OperationId(0)))
        };
        for text in [
            "Saves a new revision. The change becomes visible once an editor has approved it.",
            "Submits a change for review.",
            "The change is made asynchronously.",
            "Proposes a change.",
            "Saves a draft.",
            "The change shows later.",
            "The change takes effect at midnight.",
        ] {
            assert!(of("/entries/{id}", text), "{text}");
        }
        assert!(!of("/entries/{id}", "Updates an entry."));
        assert!(!of("/reviews/{id}", "Updates a review."));
        assert!(!of("/drafts/{id}", "Updates a draft."));
    }
}
