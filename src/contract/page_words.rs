//! Recognises texts that say plainly what the numbers beside the records of a list are, and that a page beyond the last
//! one has no items.
//!
//! # Design
//!
//! What a total counts can be limited in endless words ("hidden ones too", "as of last night"), anywhere in a document.
//! So a description counts only if it is nothing but the plain phrase, and no other text that concerns the list may
//! speak of the matter.

use super::Contract;
use super::inferred::collection_name;
use super::lexicon::{alphanumeric_words, camel_case_words, singular, whole_sentences};
use super::operation::{Operation, OperationId, Parameter};
use super::texts::{About, said};

/// Words for the records of any list.
const RECORDS: [&str; 7] = ["element", "entry", "item", "object", "record", "result", "row"];

/// Whether a text, in lower case, is nothing but a phrase like "Total number of orders on all pages".
fn counts_records(text: &str, names: &[String]) -> bool {
    const SELECTED: [&str; 15] = [
        "all", "and", "applied", "criteria", "filter", "filters", "given", "parameters", "query", "request", "search",
        "the", "these", "this", "your",
    ];
    let text = text
        .replace(", on all pages", " on all pages")
        .replace(", exactly", " exactly");
    let Some(words) = only_phrase(&text) else { return false };
    let counted = match without(without(&words, &["the"]), &["exact"]) {
        ["all", counted @ ..] if !counted.is_empty() => counted,
        ["total", "number" | "count", counted @ ..] | ["total" | "number" | "count", counted @ ..] => counted,
        _ => return false,
    };
    let of = ["of", "the", "all", "matching"];
    let counted = of.iter().fold(counted, |words, word| without(words, &[word]));
    let is_of_all = [["in", "all"], ["across", "all"], ["over", "all"], ["on", "all"]];
    let rest = match after_records(counted, names) {
        [first, second, rest @ ..] if is_of_all.contains(&[*first, *second]) => match without(rest, &["the"]) {
            ["pages", rest @ ..] => rest,
            _ => return false,
        },
        rest => rest,
    };
    match rest {
        [] | ["found" | "exactly"] => true,
        ["that", "match", selected @ ..] | ["matching", selected @ ..] => {
            !selected.is_empty() && selected.iter().all(|word| SELECTED.contains(word))
        }
        _ => false,
    }
}

/// Whether a text, in lower case, is nothing but a phrase for the size of the page itself, or that was asked for:
/// "Number of records on this page".
fn is_size_of_page(text: &str, names: &[String]) -> bool {
    let Some(words) = only_phrase(text) else { return false };
    let words = without(&words, &["the"]);
    match words {
        ["size", "of", "a" | "each" | "the" | "this", "page"]
        | ["requested", "size"]
        | ["requested", "page", "size"]
        | ["size", "that", "was", "asked", "for"]
        | ["size", "that", "was", "requested"]
        | ["page", "size", "that", "was", "asked", "for"]
        | ["page", "size", "that", "was", "requested"] => true,
        _ => {
            let counted = words.strip_prefix(&["number", "of"]).unwrap_or(words);
            let rest = after_records(counted, names);
            let is_of_page = matches!(
                rest,
                ["per", "page"] | ["in" | "on", "a" | "each" | "the" | "this", "page"]
            );
            is_of_page && rest.len() < counted.len()
        }
    }
}

/// Whether a sentence, in lower case, says nothing but that a page beyond the last one has no items.
fn says_beyond_is_empty(sentence: &str, names: &[String]) -> bool {
    let Some(words) = only_phrase(sentence) else {
        return false;
    };
    let (page, rest) = match without(&words, &["a", "any", "the"]) {
        [
            page @ ("page" | "pages"),
            "after" | "beyond" | "past",
            "the",
            "end" | "last",
            rest @ ..,
        ] => (*page, rest),
        _ => return false,
    };
    let rest = without(rest, &["one", "page"]);
    let has = match page {
        "page" => ["has", "is", "returns", "contains"],
        _ => ["have", "are", "return", "contain"],
    };
    match rest {
        [verb, "empty"] => *verb == has[1],
        [verb, "no", records @ ..] => {
            has.contains(verb) && *verb != has[1] && !records.is_empty() && after_records(records, names).is_empty()
        }
        [verb, "an", "empty", "array" | "list" | "page"] => has.contains(verb),
        _ => false,
    }
}

/// Returns the words of a text of one clause; `None` if it has several, a name in backticks, or no word.
fn only_phrase(text: &str) -> Option<Vec<&str>> {
    let text = text.trim().trim_end_matches('.');
    let words: Vec<_> = alphanumeric_words(text).collect();
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == ' ';
    (!words.is_empty() && text.chars().all(is_plain)).then_some(words)
}

/// Returns words without the first, if it is one of these.
fn without<'words, 'text>(words: &'words [&'text str], first: &[&str]) -> &'words [&'text str] {
    match words {
        [word, rest @ ..] if first.contains(word) => rest,
        _ => words,
    }
}

/// Returns what follows the words for the records of a list.
fn after_records<'words, 'text>(words: &'words [&'text str], names: &[String]) -> &'words [&'text str] {
    let is_name = |word: &&str| {
        let one = singular(word);
        RECORDS.contains(&one.as_str()) || names.iter().any(|name| singular(name) == one)
    };
    let end = words.iter().position(|word| !is_name(word)).unwrap_or(words.len());
    &words[end..]
}

/// Whether a sentence, in lower case, speaks of how records are counted, or of records that not everybody sees.
fn speaks_of_totals(sentence: &str) -> bool {
    const SAID: [&str; 12] = [
        "archived", "count", "counted", "counting", "counts", "hidden", "invisible", "see", "seen", "total", "totals",
        "visible",
    ];
    let mut words = alphanumeric_words(sentence).enumerate();
    // What begins with "see" names another text.
    words.any(|(at, word)| {
        SAID.contains(&word) && (word != "see" || at > 0)
            || word.starts_with("estimat")
            || word.starts_with("approximat")
    })
}

/// Whether a sentence, in lower case, speaks of pages that are not there or not returned.
fn speaks_of_missing_pages(sentence: &str) -> bool {
    const SAID: [&str; 16] = [
        "404", "above", "after", "beyond", "deep", "end", "error", "errors", "far", "found", "invalid", "last",
        "later", "most", "past", "too",
    ];
    alphanumeric_words(sentence)
        .any(|word| SAID.contains(&word) || ["exist", "reject"].iter().any(|beginning| word.starts_with(beginning)))
}

impl Contract {
    /// Whether the numbers of records and pages at these places in a list's response are judged: their descriptions, if
    /// they have any, say nothing but that they count the records of the list, and no other text speaks of that.
    pub(super) fn counts_plainly(&self, list: OperationId, total: Option<&str>) -> bool {
        let operation = self.operation(list);
        let names = names_of_records(operation);
        let described = total.map_or_else(Vec::new, |at| self.texts_at(list, at, &["title", "description"]));
        let said = self.texts_concerning(operation);
        described.iter().all(|text| counts_records(text, &names))
            && !said.iter().flat_map(|text| whole_sentences(text)).any(speaks_of_totals)
    }

    /// Whether the description of the number at this place in a list's response says that it is the size of the page.
    pub(super) fn states_size_of_page(&self, list: OperationId, at: &str) -> bool {
        let names = names_of_records(self.operation(list));
        let described = self.texts_at(list, at, &["description"]);
        !described.is_empty() && described.iter().all(|text| is_size_of_page(text, &names))
    }

    /// Whether a sentence about a list, or about the parameter that requests a page, says that a page beyond the last
    /// one has no items, and nothing says more of such pages.
    pub(crate) fn says_that_pages_beyond_last_are_empty(&self, list: OperationId) -> bool {
        let Some(paging) = self.paging_of(list) else {
            return false;
        };
        let operation = self.operation(list);
        let names = names_of_records(operation);
        let is_plain = |sentence: &&str| says_beyond_is_empty(sentence, &names);
        let own = said(&self.document, operation, &[About::Operation]).map(str::to_lowercase);
        let own: Vec<_> = own
            .chain(self.texts_of_parameter(&operation.parameters[paging.page_parameter]))
            .collect();
        let is_said = |text: &String| whole_sentences(text).any(|sentence| is_plain(&sentence));
        let adds = |text: &String| {
            let more: Vec<_> = whole_sentences(text).filter(|sentence| !is_plain(sentence)).collect();
            let is_of_pages =
                |sentence: &str| alphanumeric_words(sentence).any(|word| matches!(word, "page" | "pages"));
            more.iter()
                .any(|sentence| speaks_of_missing_pages(sentence) && (is_said(text) || is_of_pages(sentence)))
        };
        own.iter().any(is_said) && !self.texts_concerning(operation).iter().any(adds)
    }

    /// Returns the texts about a list, its parameters, its responses, its tags and the whole document, in lower case.
    fn texts_concerning(&self, operation: &Operation) -> Vec<String> {
        // The fields of a record are left out: they may count or hide something else.
        const ABOUT: [About; 8] = [
            About::Operation,
            About::Path,
            About::Tags,
            About::Parts,
            About::Whole,
            About::Scopes,
            About::Responses,
            About::Document,
        ];
        let of_parameters = operation.parameters.iter();
        said(&self.document, operation, &ABOUT)
            .map(str::to_lowercase)
            .chain(of_parameters.flat_map(|parameter| self.texts_of_parameter(parameter)))
            .collect()
    }

    fn texts_of_parameter(&self, parameter: &Parameter) -> Vec<String> {
        let described = self.descriptions_of(parameter).into_iter();
        described.map(str::to_lowercase).collect()
    }

    /// Returns what is said of a place in the response of a list, in lower case.
    fn texts_at(&self, list: OperationId, at: &str, keys: &[&str]) -> Vec<String> {
        let Some(schema) = self.schema_of_success(list) else {
            return Vec::new();
        };
        let schemas = self.schemas_within(&schema, at).into_iter();
        let said = schemas.flat_map(|(_, node)| keys.iter().filter_map(|key| node.text_of(key)));
        said.map(str::to_lowercase).collect()
    }
}

/// Returns the words for the records of a list, as its path has them.
fn names_of_records(list: &Operation) -> Vec<String> {
    let mut names = camel_case_words(collection_name(&list.path));
    names.retain(|word| !word.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["orders".to_owned()]
    }

    #[test]
    fn a_total_is_described_by_one_plain_phrase() {
        for text in [
            "total",
            "total count",
            "total items",
            "number of records on all pages.",
            "the total number of orders across all pages",
            "number of records on all pages that match the filters.",
            "total number of matching items",
            "the exact number of records",
            "all records, on all pages",
        ] {
            assert!(counts_records(text, &names()), "{text}");
        }
        for text in [
            "number of pages",
            "number of records on all pages, counted up to 3.",
            "number of records on all pages. the count stops at 3.",
            "number of records on all pages as of last night.",
            "number of records on all pages, hidden ones too.",
            "total number of records across all pages, with variants.",
            "number of records on all pages if nothing is filtered.",
            "number of records on all pages of the unfiltered list.",
            "total number of products in stock",
            "items on this page",
        ] {
            assert!(!counts_records(text, &names()), "{text}");
        }
    }

    #[test]
    fn a_stated_size_is_that_of_the_page() {
        for text in [
            "size of a page.",
            "records on a page.",
            "number of orders per page",
            "number of records on this page.",
            "the size that was asked for",
        ] {
            assert!(is_size_of_page(text, &names()), "{text}");
        }
        for text in [
            "page size of the account.",
            "page size.",
            "largest page size.",
            "number of records fetched per query.",
            "maximum number of records on a page.",
            "the most records that a page may have.",
            "records per page by default.",
            "limit for `per_page`.",
        ] {
            assert!(!is_size_of_page(text, &names()), "{text}");
        }
    }

    #[test]
    fn a_page_beyond_the_last_one_is_empty_in_one_plain_sentence() {
        for text in [
            "a page beyond the last one has no items",
            "a page after the last one is empty",
            "pages past the end have no orders",
            "a page beyond the last page returns an empty list",
        ] {
            assert!(says_beyond_is_empty(text, &names()), "{text}");
        }
        for text in [
            "a page beyond the last one has no items, or there is a 404",
            "a page beyond the last one has no items; it is not found",
            "a page beyond the last one may have no items",
            "a page beyond the last one has no items or does not exist",
            "a page beyond the last one has no items if `page` is at most 100",
            "the last page is empty",
        ] {
            assert!(!says_beyond_is_empty(text, &names()), "{text}");
        }
    }
}
