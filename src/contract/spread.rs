//! Recognises sentences about an update of one record that say that it shows in others: "Renames the tag for all
//! products", "A change applies to every record", "Updates a product and its siblings". The main functions are
//! [`reaches_other_records`] and [`field_reaches_other_records`].
//!
//! # Design
//!
//! The evidence is a word for all or other ones that stands right before the noun of the collection, or before a word
//! for records. "All fields are replaced" and "all product fields" speak of the parts of a record. What is said of a
//! path, a tag or the whole service is about more than updates ("Lists and changes all products"), so there the sentence
//! must also have a change as its subject.

use super::document::Document;
use super::inferred::collection_name;
use super::lexicon::{DETERMINERS, camel_case_words, sentences, singular};
use super::operation::Operation;
use super::texts::{About, Says, any_says};

/// Words for records of any kind.
const RECORDS: [&str; 6] = ["entities", "entity", "entries", "record", "records", "rows"];

/// Words that may stand between the word for all or other ones and the noun.
const BETWEEN: [&str; 11] = [
    "existing", "its", "of", "other", "our", "related", "such", "the", "their", "these", "your",
];

/// Words with which a sentence denies it, or says who may call the operation, or that a value is unique.
const DENIES: [&str; 12] = [
    "can", "cannot", "distinct", "never", "no", "nobody", "none", "not", "permission", "unique", "uniquely", "without",
];

/// Whether a text about an update, its body, its success, its path, its tags or the service says that it changes other
/// records than the one that it names.
pub(super) fn reaches_other_records(document: &Document, update: &Operation) -> bool {
    let nouns = nouns(update);
    let speaks = |sentence: &str| speaks_of_others(&camel_case_words(sentence), &nouns);
    let changes = |sentence: &str| has_change_as_subject(&camel_case_words(sentence)) && speaks(sentence);
    let says: [&Says<'_>; 2] = [&|text| sentences(text).any(speaks), &|text| {
        sentences(text).any(changes)
    }];
    let [own, around] = says;
    any_says(document, update, |about| match about {
        About::Operation | About::Parts | About::Whole => Some(own),
        About::Path | About::Tags | About::Document | About::Scopes | About::Responses => Some(around),
        // A field reaches others by its value, so [`field_reaches_other_records`] leaves out that field alone.
        About::Required | About::Schemas | About::Returned | About::Parameters | About::Choices => None,
    })
}

/// Whether the description of a field that an update takes says that its value shows in other records.
pub(crate) fn field_reaches_other_records(description: &str, update: &Operation) -> bool {
    let nouns = nouns(update);
    sentences(description).any(|sentence| speaks_of_others(&camel_case_words(sentence), &nouns))
}

/// Returns the words for the records of an operation, in the singular.
fn nouns(operation: &Operation) -> Vec<String> {
    let collection = operation.path.trim_end_matches('/');
    let collection = collection.rsplit('/').find(|segment| !segment.starts_with('{'));
    let words = camel_case_words(collection_name(collection.unwrap_or_default()));
    words.last().map(|noun| singular(noun)).into_iter().collect()
}

/// Whether words speak of all records, or of others than one.
fn speaks_of_others(words: &[String], nouns: &[String]) -> bool {
    const EVERYWHERE: [&str; 5] = ["everywhere", "sibling", "siblings", "throughout", "wherever"];
    let is_in = |list: &[&str], word: &String| list.contains(&word.as_str());
    let is_record = |word: &String| is_in(&RECORDS, word) || nouns.contains(&singular(word));
    let is_plural = |word: &String| singular(word) != *word;
    // "All others have it too", but not "all others keep their value".
    let others_have = |at: usize| {
        is_in(&["all", "others"], &words[at])
            && words
                .get(at + 1)
                .is_some_and(|next| is_in(&["get", "gets", "has", "have", "share", "show"], next))
    };
    let before_records = |at: usize| {
        let mut next = words[at + 1..].iter().take(4);
        let noun = next.find(|word| !is_in(&BETWEEN, word));
        noun.is_some_and(|noun| {
            is_record(noun)
                && match words[at].as_str() {
                    "all" | "other" => is_plural(noun),
                    "each" | "every" => true,
                    _ => false,
                }
        })
    };
    // "Tags are shared by products", but not "settings of shared products".
    let is_said_to_be_shared = |pair: &[String]| {
        is_in(&["are", "is"], &pair[0]) && is_in(&["global", "shared"], &pair[1])
            || pair[0] == "shared" && is_in(&["across", "among", "between", "by", "with"], &pair[1])
    };
    let is_shared =
        words.windows(2).any(is_said_to_be_shared) && words.iter().any(|word| is_record(word) && is_plural(word));
    let is_denied = words.iter().any(|word| is_in(&DENIES, word));
    !is_denied
        && (is_shared
            || words.iter().any(|word| is_in(&EVERYWHERE, word))
            || (0..words.len()).any(|at| before_records(at) || others_have(at)))
}

/// Whether words have a change as their subject, or say what is shared: "Changing a tag changes it for all", "Tags are
/// global: a change shows everywhere".
fn has_change_as_subject(words: &[String]) -> bool {
    const CHANGING: [&str; 6] = ["changing", "editing", "renaming", "replacing", "setting", "updating"];
    const CHANGE: [&str; 4] = ["change", "edit", "update", "write"];
    words.iter().any(|word| CHANGING.contains(&word.as_str()))
        || words.windows(2).any(|pair| {
            let is_change = DETERMINERS.contains(&pair[0].as_str()) && CHANGE.contains(&pair[1].as_str());
            is_change || pair[0] == "are" && ["global", "shared"].contains(&pair[1].as_str())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::contract::operation::OperationId;
    use crate::contract::testing::of_paths;

    /// A text, and where it stands: the place in the update of a product or, before a slash, beside it.
    fn contract((place, text): (&str, &str)) -> Contract {
        let said = |at: &str| match at == place {
            true => format!("description: '{text}', "),
            false => String::new(),
        };
        let paths = format!(
            "/products/{{product_id}}:
  parameters: [{{name: product_id, in: path, required: true, schema: {{type: integer}}}}]
  {}
  patch:
    {}
    tags: [products]
    requestBody:
      {}
      content: {{application/json: {{schema: {{{}type: object}}}}}}
    responses: {{'200': {{description: '{}'}}}}
",
            said("path").trim_end_matches(", "),
            said("operation").trim_end_matches(", "),
            said("body").trim_end_matches(", "),
            said("schema"),
            if place == "success" { text } else { "It." },
        );
        of_paths(&paths, "").unwrap_or_else(|defect| panic!("{defect}"))
    }

    fn reaches(place: &str, text: &str) -> bool {
        let contract = contract((place, text));
        reaches_other_records(&contract.document, contract.operation(OperationId(0)))
    }

    #[test]
    fn a_text_may_say_that_an_update_shows_in_other_records() {
        for (place, text) in [
            ("operation", "Renames the tag for all products."),
            ("operation", "Updates a product. A new tag is given to all products."),
            ("operation", "Renames a tag on all products"),
            ("operation", "Updates a product and its siblings."),
            ("operation", "Changes the tag wherever it is used."),
            ("operation", "The tag is renamed throughout the shop."),
            ("operation", "Changes it in each of the other products."),
            ("body", "What to change, for every product with the same tag."),
            ("success", "The product; all others have the tag too."),
            ("path", "Tags are global: a change shows in all products."),
            ("path", "Changing a tag changes it for all products that have it."),
            ("path", "Tags are shared by all products."),
            ("schema", "A product. The tag is shared with other records."),
        ] {
            assert!(reaches(place, text), "{place}: {text}");
        }
    }

    #[test]
    fn what_a_text_says_of_the_record_and_its_parts_is_nothing_of_the_kind() {
        for (place, text) in [
            ("operation", "Updates a product."),
            ("operation", "All fields are replaced."),
            ("operation", "All product fields are optional."),
            (
                "operation",
                "Changes the fields that are sent; all others keep their value.",
            ),
            ("operation", "Replaces every field of the product."),
            ("operation", "Does not change other products."),
            ("operation", "The name must be unique among all products."),
            ("operation", "Requires the permission to edit all products."),
            ("body", "All properties of the product, each with its value."),
            ("success", "The product with all its fields."),
            ("path", "Lists, reads and writes all products."),
            ("path", "A product, one of all products of the shop."),
        ] {
            assert!(!reaches(place, text), "{place}: {text}");
        }
    }

    #[test]
    fn a_description_of_a_field_may_say_so_too() {
        let contract = contract(("", ""));
        let update = contract.operation(OperationId(0));
        for text in [
            "Tag. A change applies to all products.",
            "Tag; renaming it renames it everywhere.",
            "Tag; shared by all products.",
        ] {
            assert!(field_reaches_other_records(text, update), "{text}");
        }
        for text in [
            "Tag of the product.",
            "Settings of shared products.",
            "Unique among all products.",
            "All tags of the product.",
        ] {
            assert!(!field_reaches_other_records(text, update), "{text}");
        }
    }
}
