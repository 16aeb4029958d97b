//! Decides, by the words about a query parameter, whether it filters a list. The main function is [`plainly_filtered`].
//!
//! # Design
//!
//! A parameter with the name of a property may compare in another way than by equality ("Severity threshold"), with
//! another record ("Payment status"), or not at all ("Currency of the amounts"), and there is no end of words for that.
//! So the evidence is a sentence that says plainly that the list is filtered: it asks for that ("Filter by", "Only",
//! "Limit to", "Return … with this"), and it has no word beside those for filtering, for the parameter itself and for
//! the records of the list. No other sentence of the description may have more words than that, or leave a doubt. Without a description, only the name can
//! say that the parameter is a category of the records themselves (`status`, `owner_id`), or a state that lists show
//! anyway.

use super::filters::FilterValues;
use super::inferred::comparable_name;
use super::lexicon::{IDENTIFIERS, camel_case_words, singular, underscored_words};

/// The words of a parameter and of what is around it.
pub(super) struct ParameterWords<'document> {
    /// Its name.
    pub name: &'document str,
    /// The name of the list's records, as the path has it.
    pub collection: &'document str,
    /// Its description, in lower case; empty if it has none.
    pub described: String,
    /// The sentences about the operation, in lower case.
    pub about: Vec<String>,
}

/// Words that a sentence about a filter may have besides those of the parameter and of the records.
const FILTERING: [&str; 86] = [
    "a", "an", "are", "be", "belong", "belonging", "belongs", "by", "certain", "down", "entries", "equal", "equals",
    "exact", "exactly", "fetch", "field", "filter", "filtered", "filtering", "filters", "find", "flag", "for", "get",
    "given", "has", "have", "having", "id", "identifier", "if", "in", "is", "it", "items", "kind", "limit", "limited",
    "limits", "list", "listed", "lists", "match", "matches", "matching", "narrow", "objects", "of", "on", "only",
    "provided", "records", "resources", "restrict", "restricted", "restricts", "results", "retrieve", "return",
    "returned", "returns", "select", "set", "show", "shown", "shows", "specific", "specified", "state", "status",
    "that", "the", "their", "these", "this", "to", "true", "type", "uuid", "value", "when", "where", "whether",
    "which", "with",
];

/// More words, for sentences beside the one that asks for some records.
const BESIDE: [&str; 14] = [
    "allowed", "as", "can", "integer", "must", "number", "one", "possible", "same", "string", "take", "those", "valid",
    "values",
];

/// Beginnings of words; one such word is enough to ask for some records and no others.
const ASKING: [&str; 5] = ["exact", "filter", "limit", "only", "restrict"];

/// Verbs that ask for some records, if they begin a sentence that has one of [`GIVEN`].
const VERBS: [&str; 10] = [
    "fetch", "find", "get", "list", "lists", "retrieve", "return", "returns", "show", "shows",
];

/// Words that refer to the value of the parameter.
const GIVEN: [&str; 7] = [
    "given", "matching", "provided", "specific", "specified", "this", "whose",
];

/// Verbs between a record and what it has, in a sentence about a boolean: "whether the customer gets the newsletter".
/// Others may say the opposite ("refuses").
const HAVING: [&str; 11] = [
    "accepts", "allows", "gets", "likes", "needs", "offers", "receives", "supports", "takes", "uses", "wants",
];

/// Nouns after the name of a property that repeat what it is: "serial number".
const KINDS_OF_TEXT: [&str; 3] = ["code", "name", "number"];

/// Words for scales: `severity=high` may ask for anything from there on, unless a text says "only".
const SCALES: [&str; 17] = [
    "access", "clearance", "grade", "importance", "level", "maturity", "permission", "plan", "priority", "quality",
    "rating", "risk", "role", "severity", "size", "tier", "verbosity",
];

/// Beginnings of words in a description that leave a doubt whether a parameter asks for equal values.
const DOUBTFUL_BEGINNINGS: [&str; 33] = [
    "addition", "ancestor", "child", "comma", "contain", "default", "deprecate", "descend", "exclu", "expand",
    "hierarchical", "hierarchy", "ignore", "ignoring", "inclu", "inherit", "maxim", "minim", "multiple", "nested",
    "optional", "partial", "pattern", "prefer", "prefix", "recurs", "regex", "search", "separate", "sort", "subset",
    "threshold", "wildcard",
];

/// Words in a description that leave the same doubt.
const DOUBTFUL_WORDS: [&str; 44] = [
    "above", "after", "all", "also", "always", "and", "any", "before", "below", "both", "but", "count", "counted",
    "counts", "either", "ever", "except", "excepting", "fallback", "hide", "hides", "higher", "hint", "instead",
    "least", "like", "lower", "most", "no", "none", "not", "omit", "omits", "onwards", "or", "past", "regarded",
    "skip", "than", "too", "treated", "under", "unless", "without",
];

/// Beginnings of words in a sentence about the operation, for records besides those that a parameter asks for.
const MORE: [&str; 10] = [
    "addition", "also", "child", "descend", "fallback", "inclu", "inherit", "nested", "part", "threshold",
];

/// Phrases that say that of every parameter of an operation.
const MORE_OF_ALL: [&str; 6] = ["fall back", "falls back", "fallback", "inherit", "subtree", "threshold"];

/// First words of the name of a property that say which of several values it has, and otherwise leave a doubt.
const OF_A_VALUE: [&str; 2] = ["default", "preferred"];

/// Names of properties that are categories of the records themselves.
const CATEGORIES: [&str; 5] = ["category", "kind", "state", "status", "type"];

/// Values that may cover others of the same enum: what is merged is closed, too.
const UMBRELLAS: [&str; 8] = [
    "active", "closed", "done", "ended", "finished", "inactive", "open", "opened",
];

/// States of records that a list shows even if it is not asked for them, so that asking for them can only leave others
/// out.
const SHOWN_STATES: [&str; 22] = [
    "active", "approved", "available", "confirmed", "enabled", "favorite", "favourite", "featured", "mine", "onsale",
    "online", "paid", "popular", "premium", "public", "published", "sold", "starred", "unread", "valid", "verified",
    "visible",
];

/// First words of names that refer to a place in a list, or to the point of view of the caller.
const CONTEXTS: [&str; 20] = [
    "after", "before", "current", "cursor", "end", "exclude", "first", "from", "last", "max", "min", "next", "not",
    "offset", "price", "since", "start", "tenant", "until", "workspace",
];

/// Returns the values by which the list is plainly filtered; `None` if the words leave a doubt.
pub(super) fn plainly_filtered(words: &ParameterWords<'_>, values: FilterValues) -> Option<FilterValues> {
    if words.about.iter().any(|sentence| words.asks_for_more(sentence)) {
        return None;
    }
    if words.described.trim().is_empty() {
        return words.by_name(values);
    }
    let is_boolean = matches!(values, FilterValues::Boolean { .. });
    // "Only active ones (or not)" describes both values of a boolean.
    let (described, says_both) = match is_boolean {
        true => without_or_not(&words.described),
        false => (words.described.clone(), false),
    };
    let plain = sentences_of(&described).find(|sentence| words.says_filter(sentence, &values))?;
    let is_exact = || underscored_words(plain).any(|word| word.starts_with("exact") || word.starts_with("equal"));
    let is_known = |sentence: &str| {
        words.says_filter(sentence, &values)
            || underscored_words(sentence).all(|word| words.knows(word) || BESIDE.contains(&word))
    };
    if !sentences_of(&described).all(is_known) {
        return None;
    }
    if leaves_doubt(&words.without_name(&described)) || (values == FilterValues::Text && !is_exact()) {
        return None;
    }
    Some(match values {
        FilterValues::Enum { asked, documented } => {
            let is_covered = |value: &String| {
                let others = || documented.iter().any(|other| !asked.contains(other));
                UMBRELLAS.contains(&value.to_ascii_lowercase().as_str()) && others()
            };
            let asked: Vec<_> = asked.iter().filter(|value| !is_covered(value)).cloned().collect();
            return (!asked.is_empty()).then_some(FilterValues::Enum { asked, documented });
        }
        FilterValues::Boolean { .. } => {
            let has = |beginning: &str| underscored_words(plain).any(|word| word.starts_with(beginning));
            // "Filter by whether it is sold" asks for either; "Whether to return only sold ones" and "Whether to filter
            // by sold" say nothing of `false`.
            let is_switch = has("only") || plain.contains("whether to ");
            let also_false = says_both || (has("filter") && has("whether") && !is_switch);
            FilterValues::Boolean { also_false }
        }
        other => other,
    })
}

impl ParameterWords<'_> {
    /// Whether a sentence asks for records with the value of the parameter, and has no word for anything else.
    fn says_filter(&self, sentence: &str, values: &FilterValues) -> bool {
        let is_boolean = matches!(values, FilterValues::Boolean { .. });
        let found: Vec<&str> = underscored_words(sentence).collect();
        let has = |beginning: &str| found.iter().any(|word| word.starts_with(beginning));
        let of_a_scale = camel_case_words(self.name)
            .iter()
            .any(|word| SCALES.contains(&word.as_str()));
        let first = found.first().is_some_and(|word| VERBS.contains(word));
        let asks = match of_a_scale {
            true => has("only") || has("exact"),
            false => {
                ASKING.iter().any(|beginning| has(beginning))
                    || (!is_boolean && first && found.iter().any(|word| GIVEN.contains(word)))
            }
        };
        let is_known = |(index, word): (usize, &&str)| {
            let follows_record = index > 1 && (found[index - 1] == "it" || is_of(self.collection, found[index - 1]));
            let is_having = is_boolean
                && follows_record
                && HAVING.contains(word)
                && found[..index].contains(&"whether")
                && found[index..].iter().any(|word| is_of(self.name, word));
            let is_kind_of_text = *values == FilterValues::Text
                && index > 0
                && KINDS_OF_TEXT.contains(word)
                && is_of(self.name, found[index - 1]);
            is_having || is_kind_of_text || self.knows(word)
        };
        // "Filter archived issues" may ask for the others.
        let filters_them = is_boolean
            && found.first().is_some_and(|first| ["filter", "filters"].contains(first))
            && !found
                .iter()
                .any(|word| ["by", "for", "only", "on", "to", "whether"].contains(word));
        asks && !filters_them && found.iter().enumerate().all(is_known)
    }

    /// Whether a word is about filtering, the parameter, or the records of the list.
    fn knows(&self, word: &str) -> bool {
        FILTERING.contains(&word) || is_of(self.name, word) || is_of(self.collection, word)
    }

    /// Returns a text without the name of the parameter as it is, or as words, if it says how a value is used: the
    /// "preferred" of `preferred_contact` leaves no doubt, and the "include" of `include_drafts` does.
    fn without_name(&self, text: &str) -> String {
        let parts = camel_case_words(self.name);
        let is_of_value = |part: &String| OF_A_VALUE.contains(&part.as_str());
        if !parts.first().is_some_and(is_of_value) || parts.len() == 1 {
            return text.to_owned();
        }
        let others = parts[1..].join(" ");
        ["_", "-", " ", ""].iter().fold(text.to_owned(), |text, separator| {
            text.replace(&parts.join(separator), &others)
        })
    }

    /// Whether a sentence about the operation says that the list shows more than the parameter asks for.
    fn asks_for_more(&self, sentence: &str) -> bool {
        let name = comparable_name(self.name);
        let named = || underscored_words(sentence).any(|word| word.replace('_', "") == name);
        let parts: Vec<_> = camel_case_words(self.name);
        let parts: Vec<_> = parts
            .iter()
            .filter(|part| !["id", "ids", "is", "has", "uuid"].contains(&part.as_str()))
            .collect();
        let in_part =
            || underscored_words(sentence).any(|word| parts.iter().any(|part| singular(word) == singular(part)));
        let has_more =
            || underscored_words(sentence).any(|word| MORE.iter().any(|beginning| word.starts_with(beginning)));
        MORE_OF_ALL.iter().any(|words| sentence.contains(words))
            || (leaves_doubt(sentence) && named())
            || (has_more() && in_part())
    }

    /// For a parameter without a description, returns the values that are judged, if its name alone says that it
    /// filters.
    fn by_name(&self, values: FilterValues) -> Option<FilterValues> {
        let name = comparable_name(self.name);
        let parts = camel_case_words(self.name);
        let is_context = parts.first().is_none_or(|first| CONTEXTS.contains(&first.as_str()));
        match values {
            FilterValues::Boolean { .. } => {
                let state = name.strip_prefix("is").unwrap_or(&name);
                let is_shown = [state, name.as_str()].iter().any(|state| SHOWN_STATES.contains(state));
                is_shown.then_some(FilterValues::Boolean { also_false: false })
            }
            FilterValues::Enum { asked, documented } => {
                let own = name.strip_prefix(&singular(&comparable_name(self.collection)));
                let is_category = CATEGORIES.contains(&own.unwrap_or(&name));
                let may_be_covered = asked.len() > 2 || documented.len() > asked.len();
                let is_plain = |value: &String| !UMBRELLAS.contains(&value.to_ascii_lowercase().as_str());
                let asked: Vec<_> = asked
                    .into_iter()
                    .filter(|value| !may_be_covered || is_plain(value))
                    .collect();
                (is_category && !asked.is_empty()).then_some(FilterValues::Enum { asked, documented })
            }
            FilterValues::Integer | FilterValues::Uuid => {
                let is_identifier = parts.last().is_some_and(|last| IDENTIFIERS.contains(&last.as_str()));
                (is_identifier && parts.len() > 1 && !is_context).then_some(values)
            }
            FilterValues::Text => None,
        }
    }
}

/// Whether a word is a name, or one of the words in it.
fn is_of(name: &str, word: &str) -> bool {
    let word = singular(word);
    let mut parts = camel_case_words(name).into_iter();
    singular(&comparable_name(&word)) == singular(&comparable_name(name)) || parts.any(|part| singular(&part) == word)
}

/// Whether the sentences about an operation say that a list that is filtered by several parameters has only what each
/// of them asks for: "Several filters are combined with AND".
pub(super) fn says_that_filters_are_combined(about: &[String]) -> bool {
    const COMBINED: [[&str; 2]; 6] = [
        ["combined", "with"],
        ["combined", "by"],
        ["combined", "using"],
        ["joined", "with"],
        ["joined", "by"],
        ["joined", "using"],
    ];
    let says_so = |sentence: &String| {
        let found: Vec<_> = underscored_words(sentence)
            .filter(|word| !["a", "logical"].contains(word))
            .collect();
        let is_about_filters = found.iter().any(|word| ["filter", "filters"].contains(word));
        let of_and = |words: &[&str]| words[2] == "and" && COMBINED.iter().any(|phrase| phrase[..] == words[..2]);
        is_about_filters && found.windows(3).any(of_and) && !found.contains(&"or") && !found.contains(&"not")
    };
    about.iter().any(says_so)
}

/// Returns the sentences of a description.
fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ';', '\n'])
}

/// Returns a description without the part in parentheses that begins with "or", and whether it had one. The "or not" of
/// a sentence with "whether" says nothing, so it is left out too.
fn without_or_not(text: &str) -> (String, bool) {
    let of_whether: Vec<_> = sentences_of(text)
        .filter(|sentence| sentence.contains("whether "))
        .collect();
    let text = of_whether.iter().fold(text.to_owned(), |text, sentence| {
        let shorter = sentence.replace("whether or not ", "whether ");
        let shorter = shorter.trim_end();
        let shorter = shorter
            .strip_suffix(" or not")
            .map_or(shorter, |before| before.trim_end_matches(','));
        text.replace(sentence, shorter)
    });
    let text = text.as_str();
    let parts = text
        .split_once("(or ")
        .and_then(|(before, rest)| Some((before, rest.split_once(')')?.1)));
    parts.map_or_else(
        || (text.to_owned(), false),
        |(before, after)| (format!("{before}{after}"), true),
    )
}

fn leaves_doubt(text: &str) -> bool {
    underscored_words(text).any(|word| {
        DOUBTFUL_WORDS.contains(&word) || DOUBTFUL_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enumeration(values: &[&str]) -> FilterValues {
        let values: Vec<_> = values.iter().map(|value| (*value).to_owned()).collect();
        FilterValues::Enum {
            asked: values.clone(),
            documented: values,
        }
    }

    /// What is judged of a parameter of a list of issues.
    fn judged(name: &str, described: &str, values: FilterValues) -> Option<FilterValues> {
        about(name, described, "", values)
    }

    fn about(name: &str, described: &str, about: &str, values: FilterValues) -> Option<FilterValues> {
        let words = ParameterWords {
            name,
            collection: "issues",
            described: described.to_ascii_lowercase(),
            about: about.split(". ").map(str::to_ascii_lowercase).collect(),
        };
        plainly_filtered(&words, values)
    }

    #[test]
    fn a_description_that_says_plainly_that_it_filters_makes_a_filter() {
        for (name, described) in [
            ("status", "Filter by status"),
            ("status", "Filters issues by their status."),
            ("status", "Status to filter by"),
            ("status", "Status filter"),
            ("status", "Only issues with this status."),
            ("state", "Return issues with this state"),
            ("status", "Limit to issues in this status"),
            ("visibility", "Limit by visibility."),
            ("currency", "Only return issues for the given currency."),
            ("severity", "Only issues of exactly this severity"),
            ("issue_type", "Limits the results to the issues of the given type."),
            ("status", "Filter by status. The values are those of the issue."),
            ("preferred_contact", "Filter by preferred contact."),
            ("preferred_contact", "Filter by preferred_contact"),
            ("preferredContact", "Only issues with this preferredContact"),
            ("default_currency", "Only issues with this default currency"),
        ] {
            assert!(
                judged(name, described, enumeration(&["a", "b"])).is_some(),
                "{described}"
            );
        }
        for (name, described) in [
            ("owner_id", "Filter by owner ID"),
            ("contactID", "Filter for issues for a specific contact"),
            ("userId", "Only issues that belong to this user"),
        ] {
            assert!(judged(name, described, FilterValues::Integer).is_some(), "{described}");
        }
    }

    #[test]
    fn a_description_with_any_other_word_or_sense_makes_none() {
        for (name, described) in [
            ("severity", "Severity threshold"),
            ("severity", "The lowest severity of interest"),
            ("severity", "Severity filter level"),
            ("severity", "Filter by severity"),
            ("severity", "Starting from this severity"),
            ("role", "Users that have this role"),
            ("role", "Return issues with this role"),
            ("environment", "Resolve values for this environment."),
            ("currency", "Currency of the amounts."),
            ("units", "Units"),
            ("status", "Payment status"),
            ("status", "Filter by payment status"),
            ("status", "Filter by the status of the customer's last order."),
            ("role", "Role of the caller in the project"),
            ("status", "Status at the end of the period"),
            ("status", "Issues that were ever in this status."),
            ("status", "Only issues that were ever in this status."),
            ("type", "Type to leave out"),
            ("type", "Everything but this type."),
            ("type", "Filter out this type"),
            ("status", "Items that can go to this status"),
            ("status", "Group by"),
            ("status", "Highlight entries with this status"),
            ("type", "Boost this type"),
            ("state", "State of the issues"),
            ("preferred_contact", "Preferred contact"),
            ("contact", "Filter by preferred contact"),
            ("preferred_contact", "Filter by preferred contact, by default all"),
            ("preferred", "Filter by preferred"),
            ("include_type", "Filter by include type"),
            ("status", "Filter by status. Drafts are included."),
            ("status", "Filter by status. Inherited from the project."),
            ("status", "Filter by status. Needs `since`."),
            ("status", "Filter by status. Reserved for future use."),
            ("level", "Only issues with this level. Levels are cumulative."),
        ] {
            assert_eq!(judged(name, described, enumeration(&["a", "b"])), None, "{described}");
        }
        for (name, described) in [
            ("user_id", "Act on behalf of this user."),
            ("user_id", "User whose feed is shown."),
            ("product_id", "Product to find accessories for."),
            ("version_id", "Compare with this version"),
            ("assignee_id", "Return issues assigned to the given user ID."),
        ] {
            assert_eq!(judged(name, described, FilterValues::Integer), None, "{described}");
        }
    }

    #[test]
    fn without_a_description_the_name_must_be_that_of_a_category() {
        let two = || enumeration(&["a", "b"]);
        for name in ["status", "State", "type", "kind", "category", "issue_type"] {
            assert!(judged(name, "", two()).is_some(), "{name}");
        }
        for name in [
            "level", "severity", "view", "format", "order", "direction", "version", "currency", "gender",
        ] {
            assert_eq!(judged(name, "", two()), None, "{name}");
        }
        for name in ["owner_id", "shopId", "house-uuid"] {
            assert!(judged(name, "", FilterValues::Uuid).is_some(), "{name}");
        }
        for name in [
            "since_id", "last_id", "max_id", "price_list_id", "tenant_id", "workspace_id", "id", "cursor",
        ] {
            assert_eq!(judged(name, "", FilterValues::Integer), None, "{name}");
        }
        let umbrella = judged("state", "", enumeration(&["open", "closed", "merged"]));
        let Some(FilterValues::Enum { asked, .. }) = umbrella else {
            panic!("{umbrella:?}");
        };
        assert_eq!(asked, ["merged"], "a merged one may be closed, too");
        let of_two = |described: &str| {
            let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
            let (asked, documented) = (values(&["open", "closed"]), values(&["open", "closed", "solved"]));
            judged("status", described, FilterValues::Enum { asked, documented })
        };
        for described in ["", "Only issues with this status."] {
            assert_eq!(of_two(described), None, "a solved one may be closed, too");
        }
    }

    #[test]
    fn false_is_judged_only_where_a_text_says_what_it_does() {
        let boolean = || FilterValues::Boolean { also_false: true };
        for (name, described, also_false) in [
            ("active", "", Some(false)),
            ("is_public", "", Some(false)),
            ("active", "Only active", Some(false)),
            ("enabled", "Show only enabled issues.", Some(false)),
            ("archived", "Whether to return only archived issues", Some(false)),
            ("archived", "Filter by archived status", Some(false)),
            ("archived", "Filter archived issues.", None),
            ("spam", "Filter spam.", None),
            ("archived", "Filter by archived. Closed ones count as archived.", None),
            ("archived", "Filter by archived; pinned ones are always listed.", None),
            ("archived", "If true, only archived issues are returned", Some(false)),
            ("sold", "Filters by whether it is sold", Some(true)),
            ("sold", "Filter by whether the issue is sold or not.", Some(true)),
            ("sold", "Filter by whether it is sold, or not", Some(true)),
            ("sold", "Filter by whether or not it is sold.", Some(true)),
            ("on_sale", "Filter by on_sale", Some(false)),
            ("on_sale", "Filter by `on_sale`.", Some(false)),
            ("sold", "Whether to return only sold issues or not.", Some(false)),
            ("sold", "Whether to filter by sold or not", Some(false)),
            ("sold", "Filter by whether it is sold or not set.", None),
            (
                "sold",
                "Filter by whether it is sold or not. Drafts are not shown.",
                None,
            ),
            ("sold", "Only sold or not", None),
            ("sold", "Only issues that are sold (or not).", Some(true)),
            ("news", "Filter by whether the issue gets the news or not.", Some(true)),
            ("news", "Filter by whether it gets news", Some(true)),
            ("news", "Filter by whether the issue refuses the news or not.", None),
            ("news", "Filter by whether the author gets the news or not.", None),
            ("news", "Filter by whether the issue gets the mail or not.", None),
            ("archived", "", None),
            ("recursive", "", None),
            ("inherited", "", None),
            ("system", "", None),
            ("archived", "Show archived issues", None),
            ("pinned", "Pinned on top", None),
            ("active", "Active on the given date", None),
        ] {
            let expected = also_false.map(|also_false| FilterValues::Boolean { also_false });
            assert_eq!(judged(name, described, boolean()), expected, "{name} {described}");
        }
    }

    #[test]
    fn a_text_filters_only_by_exactly_what_is_given() {
        for (name, described) in [
            ("serial", "Only the issue with exactly this serial number."),
            ("slug", "Filter by exact slug"),
        ] {
            assert!(judged(name, described, FilterValues::Text).is_some(), "{described}");
        }
        for described in [
            "",
            "Filter by serial",
            "Only issues with this serial number",
            "Only issues that contain exactly this serial",
            "Only issues with exactly this serial or a part of it",
            "Only issues with exactly this parent number",
        ] {
            assert_eq!(judged("serial", described, FilterValues::Text), None, "{described}");
        }
    }

    #[test]
    fn a_sentence_says_that_filters_are_combined() {
        let says_so = |text: &str| says_that_filters_are_combined(&[text.to_ascii_lowercase()]);
        for text in [
            "Several filters are combined with AND.",
            "The filters are joined by a logical AND",
        ] {
            assert!(says_so(text), "{text}");
        }
        for text in [
            "Filters are combined with OR",
            "Filters are combined with AND, or with OR if `any` is set",
            "Filters are not combined with and",
            "Names are combined with and",
            "Filters can be combined",
        ] {
            assert!(!says_so(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_about_the_operation_may_ask_for_more() {
        let of = |text: &str| about("assignee_id", "", text, FilterValues::Integer);
        assert_eq!(
            of("Lists issues. Issues of teams that the assignee belongs to are part of the result."),
            None
        );
        assert_eq!(of("Lists issues. Inherited ones are shown."), None);
        assert!(of("Lists the issues of an assignee. Each issue includes its labels.").is_some());
    }
}
