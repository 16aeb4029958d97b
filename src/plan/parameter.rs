//! Makes values for parameters, required or optional, for which no link or example has one, and serialises the values
//! of parameters.

use serde_json::Value;

use super::sample::{DEPTH, SampleMaker};
use crate::contract::comparable_name;
use crate::contract::document::Node;
use crate::contract::operation::{Parameter, ParameterLocation};
use crate::contract::{Contract, is_json, json_schema};
use crate::exchange::{CompiledSchema, identifier};

/// Returns a value that the parameter's schema admits: one that belongs to nobody or, if `examples` is set, the
/// schema's own example or default. `None` for a path, where it would name a record; for a schema that requires more
/// than is read here; and, without `examples`, where the value may name an account, and for a number without an upper
/// bound.
pub(super) fn generated(contract: &Contract, parameter: &Parameter, examples: bool) -> Option<Value> {
    generated_from(contract, parameter, ("countersign", 0), examples)
}

/// Returns a value for a header that identifies each request, such as `Idempotency-Key`: a service takes a second
/// request with the same value for a repetition of the first. `None` for any other parameter. It is made from a text
/// that the run uses only once.
pub(crate) fn request_key(
    contract: &Contract,
    parameter: &Parameter,
    next_text: impl FnOnce() -> String,
) -> Option<String> {
    const NAMES: [&str; 7] = [
        "clientrequestid", "clienttoken", "correlationid", "idempotencykey", "nonce", "requestid", "transactionid",
    ];
    if parameter.location != ParameterLocation::Header {
        return None;
    }
    let name = comparable_name(&parameter.name);
    let is_key = NAMES.iter().any(|key| name.ends_with(key));
    let value = is_key.then(|| generated_from(contract, parameter, (&next_text(), 0), false))??;
    value.as_str().map(str::to_owned)
}

fn generated_from(
    contract: &Contract,
    parameter: &Parameter,
    (text, number): (&str, u64),
    examples: bool,
) -> Option<Value> {
    let schema = contract.document.node(parameter.schema.as_deref()?)?;
    if parameter.location == ParameterLocation::Header && comparable_name(&parameter.name) == "ifmatch" {
        // Any state of the record, if it exists (RFC 9110, section 13.1.1).
        let any = Value::from("*");
        let stated = json_schema::convert_for_request(&contract.document, parameter.schema.as_deref()?);
        if CompiledSchema::compile(stated.as_ref()).first_violation(&any).is_none() {
            return Some(any);
        }
    }
    let sample = SampleMaker {
        contract,
        text,
        number,
        examples,
    };
    let may_be_made =
        parameter.location != ParameterLocation::Path && (examples || !may_name_an_account(contract, (schema, 0)));
    let writes_json = parameter.media_type.as_deref().is_some_and(is_json);
    let of_object = || {
        writes_json
            .then(|| object(&sample, parameter.schema.as_deref()?))
            .flatten()
    };
    may_be_made.then(|| sample.of(schema).ok().or_else(of_object)).flatten()
}

/// Returns an object with a value for each property that the schema requires or, where it requires none, for the first
/// that has one; `None` where the schema does not admit it.
fn object(sample: &SampleMaker<'_>, schema: &str) -> Option<Value> {
    let document = &sample.contract.document;
    let node = document.node(schema)?;
    let properties = node.members_of("properties").iter();
    let required = node.elements_of("required");
    let required: Vec<_> = required.iter().filter_map(Node::string).collect();
    let made = properties
        .filter(|property| required.is_empty() || required.contains(&property.name.as_str()))
        .filter_map(|property| Some((property.name.to_string(), sample.of(&property.node).ok()?)));
    let most = required.len().max(1);
    let made = Value::Object(made.take(most).collect());
    let compiled = CompiledSchema::compile(json_schema::convert_for_request(document, schema).as_ref());
    compiled.first_violation(&made).is_none().then_some(made)
}

/// Whether a value that is made up may be the account on whose behalf a write is sent: a number without an upper bound,
/// or a string with a form of its own.
fn may_name_an_account(contract: &Contract, (schema, depth): (&Node, usize)) -> bool {
    let node = contract.referred(schema);
    let states = |name: &str| node.member(name).is_some();
    match node.text_of("type") {
        _ if states("enum") => false,
        Some("array") => {
            let items = node.member("items").filter(|_| depth < DEPTH);
            items.is_none_or(|items| may_name_an_account(contract, (items, depth + 1)))
        }
        Some("object") => {
            let properties = node.member("properties").filter(|_| depth < DEPTH);
            let mut properties = properties.map_or(&[][..], Node::members).iter();
            properties.any(|property| may_name_an_account(contract, (&property.node, depth + 1)))
        }
        Some("integer" | "number") => !states("maximum"),
        _ => states("pattern"),
    }
}

/// Returns the strings by which a request states a value: its JSON where the contract states that media type; in a
/// query, one for each element of an array, unless the contract says otherwise (OpenAPI 3.0.3, section 4.7.12.2); or
/// else a single one.
pub(crate) fn serialized(contract: &Contract, parameter: &Parameter, value: &Value) -> Vec<String> {
    if parameter.media_type.as_deref().is_some_and(is_json) {
        return vec![value.to_string()];
    }
    // A response may render 10 as `10.0`, which is another text in a path.
    let number = |value: &Value| identifier(value).filter(|_| value.is_number());
    let plain = |value: &Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => number(value).unwrap_or_else(|| value.to_string()),
    };
    let Value::Array(parts) = value else {
        return vec![plain(value)];
    };
    let stated = |name: &str| contract.document.node(&parameter.pointer)?.member(name);
    let explode = stated("explode").and_then(Node::boolean);
    let style = stated("style").and_then(Node::string).unwrap_or("form");
    let parts: Vec<_> = parts.iter().map(plain).collect();
    if parameter.location == ParameterLocation::Query && style == "form" && explode != Some(false) {
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
    use serde_json::json;

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

    #[test]
    fn a_value_that_may_name_an_account_is_not_made_up_for_a_write() {
        for (schema, value) in [
            ("{type: integer}", None),
            ("{type: integer, minimum: 1, example: 7}", None),
            ("{type: integer, minimum: 2, maximum: 3}", Some(json!(2))),
            ("{type: integer, enum: [4]}", Some(json!(4))),
            ("{type: string, pattern: '^acct_[0-9]+$'}", None),
            ("{type: array, items: {type: integer}}", None),
            ("{type: string}", Some(json!("countersign"))),
        ] {
            let (contract, parameter) = parameter(&format!("in: header, required: true, schema: {schema}"));
            assert_eq!(generated(&contract, &parameter, false), value, "{schema}");
        }
    }

    #[test]
    fn nothing_is_made_for_a_path_or_where_nothing_is_admitted() {
        for stated in [
            "in: path, required: true, schema: {type: string}",
            "in: query, schema: {type: integer, minimum: 2, maximum: 1}",
            "in: query, schema: {type: object}",
        ] {
            let (contract, parameter) = parameter(stated);
            assert_eq!(generated(&contract, &parameter, true), None, "{stated}");
        }
    }

    #[test]
    fn a_parameter_with_content_is_made_up_and_written_in_its_media_type() {
        let object = "{type: object, required: [size, on], properties: {name: {type: string}, size: {type: integer, maximum: 9}, \
                      on: {type: boolean}}}";
        for (content, made, written) in [
            (
                format!("{{application/json: {{schema: {object}}}}}"),
                Some(json!({"size": 1, "on": true})),
                r#"{"size":1,"on":true}"#,
            ),
            (
                "{application/json: {schema: {type: array, items: {type: string}}}}".to_owned(),
                Some(json!(["countersign"])),
                r#"["countersign"]"#,
            ),
            (
                "{application/json: {schema: {type: string}}}".to_owned(),
                Some(json!("countersign")),
                r#""countersign""#,
            ),
            (
                "{text/plain: {schema: {type: string}}}".to_owned(),
                Some(json!("countersign")),
                "countersign",
            ),
            (format!("{{text/plain: {{schema: {object}}}}}"), None, "null"),
            (
                "{application/json: {schema: {type: object, required: [a], properties: {}}}}".to_owned(),
                None,
                "null",
            ),
        ] {
            for location in ["query", "header"] {
                let (contract, parameter) = parameter(&format!("in: {location}, required: true, content: {content}"));
                let value = generated(&contract, &parameter, false);
                assert_eq!(value, made, "{content}");
                let value = value.unwrap_or_default();
                assert_eq!(serialized(&contract, &parameter, &value), [written], "{content}");
            }
        }
        let stated = "in: path, required: true, content: {application/json: {example: {a: [1]}}}";
        let (contract, parameter) = parameter(stated);
        let example = parameter.example.clone().unwrap();
        assert_eq!(serialized(&contract, &parameter, &example), [r#"{"a":[1]}"#]);
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

    #[test]
    fn a_number_is_written_without_a_fraction_that_is_none() {
        let (contract, parameter) = parameter("in: query, schema: {type: number}");
        for (number, text) in [("10.0", "10"), ("1e1", "10"), ("2.5", "2.5"), ("-7", "-7")] {
            let number: Value = serde_json::from_str(number).unwrap();
            assert_eq!(serialized(&contract, &parameter, &number), [text]);
        }
    }
}
