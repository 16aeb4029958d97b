//! Counts what the document leaves open, question by question.
//!
//! A sentence of the document that ends in "not shown" may contain several questions. [`QUESTIONS`] splits each
//! sentence into them; the split is compared with the document's text, so that no question is lost or invented.

use std::collections::BTreeSet;

use super::contract::Contract;
use super::document::Document;
use super::statement::{Difference, Statements};

/// A heading, the words under it that leave something open, and the gap that they are.
const QUESTIONS: [(&str, &str, &str); 27] = [
    ("What the service does", "Purpose beyond these operations", "purpose"),
    (
        "Gaps in the field definitions",
        "Allowed values of gender",
        "gender-values",
    ),
    ("Gaps in the field definitions", "status", "status-values"),
    ("Gaps in the field definitions", "type", "type-values"),
    ("Gaps in the field definitions", "nationality", "nationality-values"),
    (
        "Gaps in the field definitions",
        "country_of_residence",
        "country-values",
    ),
    ("Gaps in the field definitions", "the format of dob", "dob-format"),
    (
        "Gaps in the field definitions",
        "Meaning of the entries of the request array tags (identifier or name)",
        "tags-entries",
    ),
    (
        "Gaps in the field definitions",
        "Keys and value types of custom_fields",
        "custom-fields",
    ),
    (
        "Gaps in the field definitions",
        "Channel names allowed in included_channels and excluded_channels",
        "channel-names",
    ),
    ("States and transitions", "Its values", "status-values"),
    ("States and transitions", "the moves between them", "status-transitions"),
    ("Endpoints / Update contact", "Response body", "update-response-body"),
    (
        "Gaps in the endpoint definitions",
        "Which request fields are required",
        "required-fields",
    ),
    (
        "Gaps in the endpoint definitions",
        "Whether the update replaces the whole contact or merges the supplied fields",
        "update-semantics",
    ),
    (
        "Gaps in the endpoint definitions",
        "Success status codes of all operations other than Create tag",
        "success-status",
    ),
    ("Authentication", "How a token is obtained", "token-origin"),
    ("Authentication", "its lifetime", "token-lifetime"),
    ("Authentication", "its scopes", "token-scopes"),
    ("Events", "Events, webhooks or notifications", "events"),
    ("Errors", "Shape of an error body and error codes", "error-body"),
    (
        "Errors",
        "Conditions that produce each error, and errors of the other operations",
        "error-conditions",
    ),
    ("Limits", "The value of per_page", "page-size"),
    ("Limits", "the maximum page", "page-maximum"),
    ("Limits", "rate limits", "rate-limits"),
    ("Limits", "size limits of fields", "field-sizes"),
    ("Versioning", "Deprecation and compatibility policy", "deprecation"),
];

/// What the document does not even say that it leaves open.
const SILENT: [&str; 14] = [
    "challenge", "compression", "created-listed-when", "duplicates", "identifier-spelling", "latency", "list-order",
    "null-values", "page-beyond-last", "timestamp-form", "unknown-references", "unknown-request-fields",
    "value-spelling", "venue-of-contact",
];

/// How the locations end that a gap touches, where the question names them by their fields or responses.
const TOUCHED: [(&str, &str); 12] = [
    ("channel-names", "cluded_channels"),
    ("country-values", "/country_of_residence"),
    ("custom-fields", "items/*/custom_fields"),
    ("dob-format", "/dob"),
    ("gender-values", "/gender"),
    ("nationality-values", "/nationality"),
    ("status-values", "/status"),
    ("success-status", " response 2XX"),
    ("tags-entries", " request body/tags"),
    ("type-values", "/type"),
    ("unknown-references", "_id"),
    ("update-response-body", "updateContact response 2XX"),
];

/// The gaps of the document, each as often as it is stated.
pub(super) fn documented(document: &Document, said: &mut Statements) {
    let mut questions = QUESTIONS.iter().peekable();
    for (heading, sentence) in open_sentences(document) {
        let mut rest = sentence.as_str();
        while !rest.is_empty() {
            let (named, words, _) = questions.next().unwrap_or_else(|| panic!("`{rest}` is a question"));
            assert!(heading.ends_with(named), "`{words}` is asked under `{heading}`");
            rest = rest
                .strip_prefix(words)
                .unwrap_or_else(|| panic!("`{rest}` begins with `{words}`"));
            rest = [", and ", ", ", " and "]
                .iter()
                .find_map(|joint| rest.strip_prefix(joint))
                .unwrap_or(rest);
        }
    }
    assert!(questions.next().is_none(), "every question is asked in the document");
    for (index, (heading, _, gap)) in QUESTIONS.iter().enumerate() {
        if QUESTIONS[..index].iter().all(|(_, _, former)| former != gap) {
            said.say(format!("gap {gap}"), "not-shown", *heading);
        }
    }
    for gap in SILENT {
        said.say(format!("gap {gap}"), "silent", "");
    }
}

/// The sentences that end in "not shown", without these words, each with the path of its section.
fn open_sentences(document: &Document) -> Vec<(String, String)> {
    let sections = document.sections.iter();
    let texts = sections.flat_map(|section| section.texts().map(|text| (section.path(), text)));
    let open = texts.filter_map(|(path, text)| {
        let open = text.strip_suffix(": not shown.");
        assert!(
            open.is_some() || !text.contains("not shown"),
            "`{text}` ends in what is not shown"
        );
        let sentence = open?.rsplit(". ").next()?;
        Some((path, sentence.to_owned()))
    });
    open.collect()
}

/// The catalogue of the contract.
pub(super) fn contracted(contract: &Contract, said: &mut Statements) {
    for (index, gap) in contract.at("/x-gaps").as_array().into_iter().flatten().enumerate() {
        let text = |key: &str| gap.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        said.say(
            format!("gap {}", text("id")),
            text("stated"),
            format!("/x-gaps/{index}"),
        );
    }
}

/// Gaps whose `x-document` is not a section that leaves them open.
pub(super) fn misplaced(contract: &Contract) -> Vec<Difference> {
    let mut found = Vec::new();
    for (index, gap) in contract.at("/x-gaps").as_array().into_iter().flatten().enumerate() {
        let id = gap["id"].as_str().unwrap_or_default();
        let headings: Vec<_> = QUESTIONS
            .iter()
            .filter(|(_, _, gap)| *gap == id)
            .map(|(heading, _, _)| *heading)
            .collect();
        let named = gap.get("x-document").and_then(|heading| heading.as_str());
        if named.map_or(!headings.is_empty(), |named| !headings.contains(&named)) {
            found.push(Difference {
                location: format!("gap {id} heading"),
                documented: format!("under `{}`", headings.join("` and `")),
                contracted: format!("`{}` at `/x-gaps/{index}`", named.unwrap_or_default()),
            });
        }
    }
    found
}

/// Gaps whose locations are not all that the question names, or more.
pub(super) fn astray(contract: &Contract, said: &Statements) -> Vec<Difference> {
    let mut found = Vec::new();
    for (id, ending) in TOUCHED {
        let touched = said.standing(|location| location.ends_with(ending));
        let locations = contract.naming(id);
        let locations: BTreeSet<_> = locations.iter().map(String::as_str).collect();
        found.extend(touched.symmetric_difference(&locations).map(|pointer| Difference {
            location: format!("gap {id} locations"),
            documented: format!("every location that ends in `{ending}`"),
            contracted: format!(
                "{} `{pointer}`",
                if locations.contains(pointer) { "also" } else { "not" }
            ),
        }));
    }
    found
}

#[test]
fn every_sentence_that_says_not_shown_is_read_and_every_gap() {
    let document = Document::read(super::DOCUMENT);
    assert_eq!(open_sentences(&document).len(), 16);
    let mut said = Statements::default();
    documented(&document, &mut said);
    assert_eq!(said.len(), 26 + SILENT.len());
}
