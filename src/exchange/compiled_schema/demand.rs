//! Says what a schema demands where a value does not satisfy it, in the words of the contract: `maxLength: 10`. It
//! shows nothing of the value, because a response may contain a person's data, even in its names.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// The maximum number of keywords that are named for one value.
const MAX_KEYWORDS: usize = 3;
/// The maximum number of alternatives for which the reason why they do not apply is given.
const MAX_ALTERNATIVES: usize = 4;
/// The maximum number of characters shown of what one keyword demands: an `enum` may have thousands of values.
const LONGEST_DEMAND: usize = 120;

/// Returns what the schema demands of one value, according to its validation errors.
pub(super) fn unmet<'error>(errors: impl IntoIterator<Item = ValidationError<'error>>) -> String {
    let demands = errors.into_iter().take(MAX_KEYWORDS);
    let demands: Vec<_> = demands.map(|error| demand(&error, Alternatives::Each)).collect();
    demands.join("; ")
}

/// How the alternatives of a keyword are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alternatives {
    /// Each with what it demands.
    Each,
    /// Only their number, because they are alternatives of an alternative.
    Counted,
}

fn demand(error: &ValidationError<'_>, alternatives: Alternatives) -> String {
    let keyword = error.kind().keyword();
    let stated = match error.kind() {
        ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::FalseSchema => "false".to_owned(),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            none_of(context, alternatives)
        }
        ValidationErrorKind::Constant { expected_value } => expected_value.to_string(),
        ValidationErrorKind::Enum { options } => listed(options),
        ValidationErrorKind::ExclusiveMaximum { limit }
        | ValidationErrorKind::ExclusiveMinimum { limit }
        | ValidationErrorKind::Maximum { limit }
        | ValidationErrorKind::Minimum { limit } => limit.to_string(),
        ValidationErrorKind::Format { format } => format.clone(),
        ValidationErrorKind::MaxItems { limit }
        | ValidationErrorKind::MaxLength { limit }
        | ValidationErrorKind::MaxProperties { limit }
        | ValidationErrorKind::MinItems { limit }
        | ValidationErrorKind::MinLength { limit }
        | ValidationErrorKind::MinProperties { limit } => limit.to_string(),
        ValidationErrorKind::MultipleOf { multiple_of } => multiple_of.to_string(),
        ValidationErrorKind::Not { schema } => schema.to_string(),
        ValidationErrorKind::OneOfMultipleValid { context } => several_of(context),
        ValidationErrorKind::Pattern { pattern } => pattern.clone(),
        ValidationErrorKind::Required { property } => property.as_str().unwrap_or_default().to_owned(),
        ValidationErrorKind::Type { kind } => types(kind),
        ValidationErrorKind::UniqueItems => "true".to_owned(),
        _ => String::new(),
    };
    let stated = if stated.is_empty() {
        keyword.to_owned()
    } else {
        format!("{keyword}: {}", clipped(&stated))
    };
    match location(error) {
        at if at.is_empty() => stated,
        at => format!("{stated} at {at}"),
    }
}

/// Says that no alternative applies and, unless they are only counted, what each demands first.
fn none_of(alternatives: &[Vec<ValidationError<'_>>], shown: Alternatives) -> String {
    let count = format!("none of {}", alternatives.len());
    if shown == Alternatives::Counted {
        return count;
    }
    let numbered = alternatives.iter().enumerate().take(MAX_ALTERNATIVES);
    let tried = numbered.filter_map(|(index, errors)| {
        let first = errors.first()?;
        Some(format!("{}. {}", index + 1, demand(first, Alternatives::Counted)))
    });
    let mut tried: Vec<_> = tried.collect();
    match alternatives.len().saturating_sub(MAX_ALTERNATIVES) {
        0 => {}
        more => tried.push(format!("and {more} more")),
    }
    format!("{count} ({})", tried.join(", "))
}

/// Says which alternatives apply, where one of them should.
fn several_of(alternatives: &[Vec<ValidationError<'_>>]) -> String {
    let numbered = alternatives.iter().enumerate();
    let applying = numbered.filter(|(_, errors)| errors.is_empty());
    let applying: Vec<_> = applying.map(|(index, _)| (index + 1).to_string()).collect();
    format!(
        "alternatives {} of {} apply, only one may",
        applying.join(" and "),
        alternatives.len()
    )
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(many) => {
            let names: Vec<_> = many.iter().map(|one| one.to_string()).collect();
            names.join(" or ")
        }
    }
}

fn listed(options: &Value) -> String {
    let options = options.as_array().map_or(&[][..], Vec::as_slice);
    let options: Vec<_> = options.iter().map(Value::to_string).collect();
    options.join(", ")
}

/// Returns where in the value the keyword applies, as far as the schema names it: a name that is not in the contract
/// may be a person's.
fn location(error: &ValidationError<'_>) -> String {
    let path = error.schema_path().as_str();
    let mut tokens = path.split('/').skip(1);
    let mut at = String::new();
    while let Some(token) = tokens.next() {
        match token {
            "properties" => at.extend(["/", tokens.next().unwrap_or_default()]),
            "items" | "additionalProperties" => at.push_str("/*"),
            _ => {}
        }
    }
    // The keyword itself is no location.
    let own = error.kind().keyword();
    if own == "additionalProperties" {
        at.truncate(at.len().saturating_sub("/*".len()));
    }
    at
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST_DEMAND) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::CompiledSchema;
    use crate::contract::document::Document;
    use crate::contract::json_schema::asserted;

    fn demands(schema: &str, value: &Value) -> String {
        let document = Document::read("schema.yaml", schema.to_owned()).unwrap();
        CompiledSchema::compile(asserted(&document, "").as_ref()).unmet_demands(value)
    }

    #[test]
    fn each_keyword_says_what_it_demands() {
        for (schema, value, expected) in [
            ("maxLength: 3", json!("abcd"), "maxLength: 3"),
            ("pattern: '^[A-Z]+$'", json!("ada"), "pattern: ^[A-Z]+$"),
            ("enum: [open, 1]", json!("ajar"), "enum: \"open\", 1"),
            ("{maximum: 9, exclusiveMaximum: true}", json!(9), "exclusiveMaximum: 9"),
            ("format: uuid", json!("ada"), "format: uuid"),
            (
                "{minLength: 9, pattern: '^b'}",
                json!("ada"),
                "minLength: 9; pattern: ^b",
            ),
            ("uniqueItems: true", json!([1, 1]), "uniqueItems: true"),
            ("multipleOf: 5", json!(7), "multipleOf: 5"),
            ("not: {type: string}", json!("ada"), "not: {\"type\":\"string\"}"),
            ("minLength: 2", json!("ada"), ""),
        ] {
            assert_eq!(demands(schema, &value), expected, "{schema}");
        }
    }

    #[test]
    fn each_alternative_says_why_it_does_not_apply() {
        for (schema, value, expected) in [
            (
                "oneOf: [{type: integer}, {maxLength: 2}]",
                json!("ada"),
                "oneOf: none of 2 (1. type: integer, 2. maxLength: 2)",
            ),
            (
                "anyOf: [{required: [a]}, {properties: {b: {items: {type: string}}}}]",
                json!({"b": [7], "jane.roe@example.com": 1}),
                "anyOf: none of 2 (1. required: a, 2. type: string at /b/*)",
            ),
            (
                "oneOf: [{allOf: [{properties: {a: {maxLength: 2}}}]}, {oneOf: [{type: string}, {type: integer}]}]",
                json!({"a": "ada"}),
                "oneOf: none of 2 (1. maxLength: 2 at /a, 2. oneOf: none of 2)",
            ),
            (
                "oneOf: [{type: string}, {type: integer}, {maxLength: 5}]",
                json!("ada"),
                "oneOf: alternatives 1 and 3 of 3 apply, only one may",
            ),
        ] {
            assert_eq!(demands(schema, &value), expected, "{schema}");
        }
    }

    #[test]
    fn a_name_or_a_value_of_the_response_is_not_shown() {
        for schema in [
            "anyOf: [{additionalProperties: false}]",
            "anyOf: [{additionalProperties: {type: integer}}]",
            "anyOf: [{maxProperties: 0}]",
            "not: {required: [data]}",
        ] {
            let shown = demands(schema, &json!({"jane.roe@example.com": "4711", "data": "secret"}));
            assert!(!shown.is_empty(), "{schema}");
            for hidden in ["jane", "4711", "secret"] {
                assert!(!shown.contains(hidden), "{schema}: {shown}");
            }
        }
    }

    #[test]
    fn what_is_long_is_cut() {
        let names: Vec<_> = (0..900).map(|number| format!("state{number}")).collect();
        let shown = demands(&format!("enum: [{}]", names.join(", ")), &json!("ada"));
        assert!(shown.chars().count() < 140, "{shown}");
        let many = vec!["{type: integer}"; 30].join(", ");
        let shown = demands(&format!("oneOf: [{many}]"), &json!("ada"));
        assert!(
            shown.contains("none of 30") && shown.ends_with("and 26 more)"),
            "{shown}"
        );
    }
}
