//! Recognises lists that show only some of their records, by their text ("List published entries") or their parameters
//! (`include_archived`), and records that say of themselves that lists may not show them (`published: false`). If such a
//! list lacks a record, that proves nothing.

use super::Contract;
use super::inferred::{collection_name, comparable_name};
use super::lexicon::{alphanumeric_words, camel_case_words};
use super::lifecycle::schema_type;
use super::operation::{Operation, OperationId, ParameterLocation};
use super::shape::JsonType;

/// Qualities of records that a list may be limited to.
const QUALIFIED: [&str; 30] = [
    "active", "approved", "available", "best", "cached", "coming", "current", "currently", "enabled", "eventually",
    "featured", "latest", "live", "minute", "minutes", "newest", "old", "open", "popular", "public", "published",
    "recent", "recently", "seconds", "today", "top", "trending", "upcoming", "visible", "week",
];

/// Names of booleans that are true of records that lists show.
const SHOWN: [&str; 18] = [
    "active", "approved", "available", "confirmed", "enabled", "instock", "listed", "live", "onsale", "online", "open",
    "public", "published", "searchable", "shown", "validated", "verified", "visible",
];

/// Beginnings of words with which a list says that it leaves records out: "Trashed shifts are not shown".
const LEFT_OUT: [&str; 19] = [
    "accessible", "archiv", "cancel", "closed", "days", "delet", "draft", "except", "exclud", "expire", "hid", "hours",
    "inactive", "months", "omit", "suspend", "trash", "unpublish", "weeks",
];

/// Words and phrases with the same meaning.
const LEAVES_OUT: [&[&str]; 12] = [
    &["assigned"],
    &["at", "most"],
    &["by", "default"],
    &["may", "see"],
    &["mine"],
    &["my"],
    &["not", "included"],
    &["not", "listed"],
    &["not", "returned"],
    &["not", "shown"],
    &["only"],
    &["up", "to"],
];

/// Phrases with which a parameter's description says what is shown without it.
const SHOWN_WITHOUT: [&str; 8] = [
    "by default", "defaults to", "if absent", "if not", "if omitted", "unless", "when omitted", "without",
];

impl Contract {
    /// Whether a list may show deleted records by design: it has a parameter that selects them.
    pub(super) fn may_list_deleted(&self, list: OperationId) -> bool {
        const SELECTS_DELETED: [&str; 7] = ["active", "archive", "delete", "remov", "state", "status", "trash"];
        let parameters = self.operation(list).parameters.iter();
        let mut names = parameters.map(|parameter| comparable_name(&parameter.name));
        names.any(|name| SELECTS_DELETED.iter().any(|part| name.contains(part)))
    }

    /// Whether a list may leave records out, by its text or where a query parameter or a header is not sent: one that is
    /// on or off, has a few values or a default, is named like a state or an identifier (`parent_id`: only the records
    /// at the top are shown), or whose description says what is shown without it. Those that divide the list into pages
    /// or sort it do not count.
    pub(crate) fn may_hide_records(&self, list: OperationId) -> bool {
        const SELECTS_HIDDEN: [&str; 6] = ["all", "draft", "hidden", "include", "publish", "visib"];
        let paging = self.paging_of(list);
        let of_pages = [
            paging.map(|paging| paging.page_parameter),
            paging.and_then(|paging| Some(paging.size?.parameter)),
        ];
        let parameters = self.operation(list).parameters.iter().enumerate();
        let mut others = parameters.filter(|(index, parameter)| {
            let selects = [ParameterLocation::Query, ParameterLocation::Header].contains(&parameter.location);
            selects && !of_pages.contains(&Some(*index))
        });
        let selects = others.any(|(_, parameter)| {
            let name = comparable_name(&parameter.name);
            let schema = parameter
                .schema
                .as_deref()
                .and_then(|schema| self.document.node(schema));
            let schema = schema.map(|schema| self.referred(schema));
            let states = |keyword: &str| schema.is_some_and(|schema| schema.member(keyword).is_some());
            let is_switch = schema.and_then(schema_type) == Some(JsonType::Boolean);
            let sorts = ["order", "sort"].iter().any(|part| name.starts_with(part));
            let is_identifier = name.starts_with("parent") || name.ends_with("id");
            let is_named = is_identifier || SELECTS_HIDDEN.iter().any(|part| name.contains(part));
            let described = self.descriptions_of(parameter).join(". ").to_ascii_lowercase();
            let says_what_is_shown_without = SHOWN_WITHOUT.iter().any(|phrase| described.contains(phrase));
            !sorts && (is_switch || states("enum") || states("default") || is_named || says_what_is_shown_without)
        });
        let list_of_some = self.operation(list);
        let sentences = self.sentences_about(list_of_some);
        selects
            || self.may_list_deleted(list)
            || self.shows_only_some(list_of_some)
            || sentences.iter().any(|sentence| says_that_some_are_left_out(sentence))
    }

    /// Whether the text about a list says that it shows only some of its records, or shows them late: "List published
    /// entries", "Up to a minute old".
    pub(super) fn shows_only_some(&self, list: &Operation) -> bool {
        let path = camel_case_words(collection_name(&list.path));
        self.sentences_about(list).iter().any(|sentence| {
            let words: Vec<&str> = alphanumeric_words(sentence).collect();
            let qualifies = |(at, word): (usize, &&str)| {
                // The records of the current user are all that the user has.
                let of_caller = [
                    "account", "caller", "organization", "project", "tenant", "user", "workspace",
                ];
                let next = words.get(at + 1).copied().unwrap_or_default();
                let is_caller = *word == "current" && of_caller.contains(&next);
                QUALIFIED.contains(word) && !is_caller && !path.iter().any(|part| part == word)
            };
            words.iter().enumerate().any(qualifies)
        })
    }
}

/// Whether a sentence about a list says that it leaves records out.
fn says_that_some_are_left_out(sentence: &str) -> bool {
    let words: Vec<&str> = alphanumeric_words(sentence).collect();
    let begins = |word: &&str| LEFT_OUT.iter().any(|part| word.starts_with(part));
    let says = |phrase: &&[&str]| words.windows(phrase.len()).any(|said| said == *phrase);
    words.iter().any(begins) || LEAVES_OUT.iter().any(says)
}

/// Whether a member of a record with this name, if it is false, says that lists may not show the record.
pub(crate) fn is_state_of_shown_records(name: &str) -> bool {
    let name = comparable_name(name);
    SHOWN.contains(&name.strip_prefix("is").unwrap_or(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::operation::OperationId;
    use crate::contract::testing::of_paths;

    #[test]
    fn a_record_says_that_lists_may_not_show_it() {
        for name in ["published", "isVisible", "in_stock", "approved"] {
            assert!(is_state_of_shown_records(name), "{name}");
        }
        for name in ["gift", "archived", "has_owner"] {
            assert!(!is_state_of_shown_records(name), "{name}");
        }
    }

    #[test]
    fn a_list_shows_only_some_by_its_text() {
        let of = |text: &str| {
            let contract = of_paths(
                &format!(
                    "/entries: {{get: {{operationId: list, summary: {text}, responses: {{'200': {{description: a}}}}}}}}"
                ),
                "",
            )
            .unwrap();
            contract.shows_only_some(contract.operation(OperationId(0)))
        };
        for text in [
            "List published entries",
            "Entries of the coming week",
            "List the best scores",
            "The list may be up to a minute old.",
            "Entries that are currently visible",
            "List upcoming entries",
        ] {
            assert!(of(text), "{text}");
        }
        for text in [
            "List entries",
            "Returns every entry",
            "Entries of the current user",
            "All entries",
        ] {
            assert!(!of(text), "{text}");
        }
    }

    #[test]
    fn a_parameter_that_selects_what_is_shown_may_hide_records() {
        let hides = |parameter: &str| {
            let paths = format!(
                "/shops: {{get: {{parameters: [{{name: page, in: query, schema: {{type: integer, default: 1}}}}, {{in: query, \
                 {parameter}}}], responses: {{'200': {{description: OK, content: {{application/json: {{schema: {{type: \
                 array, items: {{type: object, properties: {{id: {{type: integer}}}}}}}}}}}}}}}}}}}}"
            );
            let contract = of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"));
            assert!(contract.paging_of(OperationId(0)).is_some());
            contract.may_hide_records(OperationId(0))
        };
        for parameter in [
            "name: include_archived, schema: {type: boolean}",
            "name: kind, schema: {type: string, enum: [open, closed]}",
            "name: limit_to, schema: {type: string, default: open}",
            "name: visibility, schema: {type: string}",
            "name: state, schema: {type: string}",
            "name: parent_id, schema: {type: integer}",
            "name: region_id, schema: {type: integer}",
            "name: since, description: 'Without it, the last week.', schema: {type: string}",
            "name: since, schema: {type: string, description: Now if omitted.}",
        ] {
            assert!(hides(parameter), "{parameter}");
        }
        for parameter in [
            "name: q, schema: {type: string}",
            "name: since, description: 'Changed at this time or later.', schema: {type: string}",
            "name: name, schema: {type: string}",
            "name: sort, schema: {type: string, enum: [name, id]}",
            "name: order_by, schema: {type: string, default: name}",
        ] {
            assert!(!hides(parameter), "{parameter}");
        }
    }

    #[test]
    fn a_text_says_that_some_are_left_out() {
        for text in [
            "Trashed shifts are not shown.",
            "Lists all shifts except archived ones.",
            "Lists up to 20 shifts of the next weeks.",
            "Shifts of other teams are hidden.",
            "List my shifts",
            "Deleted shifts have a page of their own.",
        ] {
            assert!(says_that_some_are_left_out(&text.to_ascii_lowercase()), "{text}");
        }
        for text in [
            "List shifts",
            "Returns every shift, by its name",
            "The shifts are divided into pages.",
        ] {
            assert!(!says_that_some_are_left_out(&text.to_ascii_lowercase()), "{text}");
        }
    }
}
