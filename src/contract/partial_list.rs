//! Recognises lists that show only some of their records, by their text ("List published entries"), and records that
//! say of themselves that lists may not show them (`published: false`). If such a list lacks a record, that proves
//! nothing.

use super::Contract;
use super::inferred::{collection_name, comparable_name};
use super::lexicon::{alphanumeric_words, camel_case_words};
use super::operation::Operation;

/// Qualities of records that a list may be limited to.
const QUALIFIED: [&str; 30] = [
    "active",
    "approved",
    "available",
    "best",
    "cached",
    "coming",
    "current",
    "currently",
    "enabled",
    "eventually",
    "featured",
    "latest",
    "live",
    "minute",
    "minutes",
    "newest",
    "old",
    "open",
    "popular",
    "public",
    "published",
    "recent",
    "recently",
    "seconds",
    "today",
    "top",
    "trending",
    "upcoming",
    "visible",
    "week",
];

/// Names of booleans that are true of records that lists show.
const SHOWN: [&str; 18] = [
    "active",
    "approved",
    "available",
    "confirmed",
    "enabled",
    "instock",
    "listed",
    "live",
    "onsale",
    "online",
    "open",
    "public",
    "published",
    "searchable",
    "shown",
    "validated",
    "verified",
    "visible",
];

impl Contract {
    /// Whether the text about a list says that it shows only some of its records, or shows them late: "List published
    /// entries", "Up to a minute old".
    pub(super) fn shows_only_some(&self, list: &Operation) -> bool {
        let path = camel_case_words(collection_name(&list.path));
        self.sentences_about(list).iter().any(|sentence| {
            let words: Vec<&str> = alphanumeric_words(sentence).collect();
            let qualifies = |(at, word): (usize, &&str)| {
                // The records of the current user are all that the user has.
                let of_caller = [
                    "account",
                    "caller",
                    "organization",
                    "project",
                    "tenant",
                    "user",
                    "workspace",
                ];
                let next = words.get(at + 1).copied().unwrap_or_default();
                let is_caller = *word == "current" && of_caller.contains(&next);
                QUALIFIED.contains(word) && !is_caller && !path.iter().any(|part| part == word)
            };
            words.iter().enumerate().any(qualifies)
        })
    }
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
}
