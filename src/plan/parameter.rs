//! Makes values for required parameters for which no link has one, and serialises the values of parameters.

use serde_json::{Value, json};

use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::operation::{Location, Parameter};

/// Returns a value that belongs to nobody and that the parameter's schema admits; `None` for a path, where it would
/// name a record, and for a schema that requires more than is read here. If `examples` is set, the schema's own
/// example and default may be used, and numbers need no upper bound.
pub(super) fn generated(contract: &Contract, parameter: &Parameter, examples: bool) -> Option<Value> {
    let schema = parameter.schema.as_deref()?;
    (parameter.location != Location::Path)
        .then(|| of_schema(contract, (schema, examples), 0))
        .flatten()
}

/// Returns a value that the schema at this pointer admits: its example, its first `enum` value, or one by type. `depth`
/// counts the arrays around it.
fn of_schema(contract: &Contract, (schema, examples): (&str, bool), depth: usize) -> Option<Value> {
    let node = contract.document.node(schema)?;
    let suggested = ["example", "default"]
        .iter()
        .find_map(|name| node.member(name).filter(|_| examples));
    let allowed = || node.member("enum")?.elements().first();
    if let Some(value) = suggested.or_else(allowed) {
        return Some(value.to_value());
    }
    let asks_for_more = ["pattern", "allOf", "oneOf", "anyOf", "not", "multipleOf"];
    if asks_for_more.iter().any(|name| node.member(name).is_some()) {
        return None;
    }
    match node.member("type")?.string()? {
        "array" if depth < 4 => {
            let items = contract.resolve(&format!("{schema}/items"));
            Some(json!([of_schema(contract, (&items, examples), depth + 1)?]))
        }
        "boolean" => Some(json!(true)),
        // Without an upper bound it may be the account on whose behalf a write is sent.
        "integer" | "number" => number(node).filter(|_| examples || node.member("maximum").is_some()),
        "string" => text(node),
        _ => None,
    }
}

/// Returns the lowest number within the schema's bounds, or 1 where it has no lower one; `None` where none fits.
fn number(node: &Node) -> Option<Value> {
    let bound = |name: &str| node.member(name).map(Node::to_value).and_then(|bound| bound.as_i64());
    let strict = |name: &str| i64::from(node.member(name).and_then(Node::boolean) == Some(true));
    let least = bound("minimum").map(|bound| bound.saturating_add(strict("exclusiveMinimum")));
    let most = bound("maximum").map(|bound| bound.saturating_sub(strict("exclusiveMaximum")));
    let number = least.unwrap_or(1).min(most.unwrap_or(i64::MAX));
    (number >= least.unwrap_or(i64::MIN)).then(|| json!(number))
}

/// Returns a string of the schema's format or length; `None` for a format that is not known here.
fn text(node: &Node) -> Option<Value> {
    let text = match node.member("format").and_then(Node::string) {
        None => {
            let length = |name: &str| {
                let length = node.member(name)?.to_value().as_u64()?;
                usize::try_from(length).ok()
            };
            let least = length("minLength").filter(|least| *least <= 256).unwrap_or(0);
            let mut text = "countersign".to_owned();
            text.extend(std::iter::repeat_n('x', least.saturating_sub(text.len())));
            text.truncate(length("maxLength").unwrap_or(usize::MAX));
            return Some(Value::String(text));
        }
        Some("date") => "2024-05-17",
        Some("date-time") => "2024-05-17T09:30:00Z",
        Some("email") => "countersign@example.com",
        Some("uri" | "url") => "https://example.com",
        Some("uuid") => "6a1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01",
        Some(_) => return None,
    };
    Some(json!(text))
}

/// Returns the strings that a request has for a value: several where each element of an array is written by itself, which is what a query
/// does unless the contract says otherwise (OpenAPI 3.0.3, section 4.7.12.2).
pub(crate) fn serialized(contract: &Contract, parameter: &Parameter, value: &Value) -> Vec<String> {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let Value::Array(parts) = value else {
        return vec![plain(value)];
    };
    let stated = |name: &str| contract.document.node(&parameter.pointer)?.member(name);
    let explode = stated("explode").and_then(Node::boolean);
    let style = stated("style").and_then(Node::string).unwrap_or("form");
    let parts: Vec<_> = parts.iter().map(plain).collect();
    if parameter.location == Location::Query && style == "form" && explode != Some(false) {
        return parts;
    }
    let separator = match style {
        "pipeDelimited" => "|",
        "spaceDelimited" => " ",
        _ => ",",
    };
    vec![parts.join(separator)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only parameter of a contract.
    fn parameter(stated: &str) -> (Contract, Parameter) {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /a: {{get: {{parameters: [{{name: p, {stated}}}], \
             responses: {{'200': {{description: a}}}}}}}}\n"
        );
        let contract = Contract::read("a.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let parameter = contract.operations[0].parameters[0].clone();
        (contract, parameter)
    }

    fn made(schema: &str) -> Option<Value> {
        let (contract, parameter) = parameter(&format!("in: header, required: true, schema: {schema}"));
        generated(&contract, &parameter, true)
    }

    #[test]
    fn a_value_is_made_by_type_and_within_bounds() {
        for (schema, value) in [
            ("{type: string}", json!("countersign")),
            ("{type: string, minLength: 13}", json!("countersignxx")),
            ("{type: string, maxLength: 7}", json!("counter")),
            ("{type: string, format: date}", json!("2024-05-17")),
            ("{type: string, enum: [b, c]}", json!("b")),
            ("{type: boolean}", json!(true)),
            ("{type: integer}", json!(1)),
            ("{type: integer, minimum: 5, exclusiveMinimum: true}", json!(6)),
            ("{type: integer, maximum: 0}", json!(0)),
            ("{type: array, items: {type: integer, default: 3}}", json!([3])),
        ] {
            assert_eq!(made(schema), Some(value), "{schema}");
        }
    }

    #[test]
    fn a_number_that_may_name_an_account_is_not_made_up_for_a_write() {
        for (schema, value) in [
            ("{type: integer}", None),
            ("{type: integer, minimum: 1, example: 7}", None),
            ("{type: integer, minimum: 2, maximum: 3}", Some(json!(2))),
            ("{type: integer, enum: [4]}", Some(json!(4))),
        ] {
            let (contract, parameter) = parameter(&format!("in: header, required: true, schema: {schema}"));
            assert_eq!(generated(&contract, &parameter, false), value, "{schema}");
        }
    }

    #[test]
    fn nothing_is_made_where_a_schema_asks_for_more() {
        for schema in [
            "{type: string, pattern: '^a$'}",
            "{type: string, format: of-our-own}",
            "{type: integer, minimum: 2, maximum: 1}",
            "{type: object}",
            "{type: array, items: {type: object}}",
            "{oneOf: [{type: string}]}",
            "{}",
        ] {
            assert_eq!(made(schema), None, "{schema}");
        }
    }

    #[test]
    fn an_array_is_written_as_the_contract_has_it() {
        for (stated, texts) in [
            ("in: query", &["a", "b"][..]),
            ("in: query, explode: false", &["a,b"]),
            ("in: query, style: pipeDelimited", &["a|b"]),
            ("in: header", &["a,b"]),
        ] {
            let (contract, parameter) =
                parameter(&format!("{stated}, schema: {{type: array, items: {{type: string}}}}"));
            assert_eq!(serialized(&contract, &parameter, &json!(["a", "b"])), texts, "{stated}");
        }
    }
}
