//! Finds the values of an update that code mistakes for a missing one: `false`, 0, an empty string, an empty array and
//! null, each where the document states that it is allowed. The main function is [`Contract::falsy_values`].

use serde_json::Value;

use super::Contract;
use super::document::Node;
use super::field::is_flagged;
use super::operation::OperationId;
use super::pointer;
use super::shape::{Shape, shape_at};
use super::what_texts_say::leaves_a_doubt;

impl Contract {
    /// Returns the fields that the record of an update without invariants must show, each with its schema and a value
    /// that code may mistake for a missing one; other keywords of the schema may exclude the value. A field has none if
    /// its description, or the default of a field that is no boolean, leaves a doubt that the value is stored as it is.
    pub(crate) fn falsy_values(&self, update: OperationId) -> Vec<(String, &Node, Value)> {
        let carries = self.lifecycle_carries_of_update(update);
        let record = self.shape_of_record(update);
        let mut values: Vec<(String, &Node, Value)> = Vec::new();
        for property in self.body_properties(update) {
            let (at, schema) = (pointer::join("", &property.name), self.referred(&property.node));
            let is_carried = carries.iter().any(|carry| carry.sent == at);
            let shown = record.and_then(|record| record.field_named(&property.name).map(|index| &record.fields[index]));
            let shows_null = shown.is_some_and(|field| self.shapes[field.shape.0].nullable);
            let value = falsy_value(schema, shows_null).filter(|_| is_carried && !leaves_a_doubt(schema));
            if let Some(value) = value
                && values.iter().all(|(other, ..)| *other != at)
            {
                values.push((at, schema, value));
            }
        }
        values
    }

    /// Returns the shape of the record that shows what an update changed.
    fn shape_of_record(&self, update: OperationId) -> Option<&Shape> {
        let lifecycle = self.lifecycle_of(update)?;
        let body = self.operation(lifecycle.read).success_body()?;
        shape_at(&self.shapes, body, &lifecycle.record_in_read)
    }
}

/// Returns the value of a schema that code may mistake for a missing one: `false` for any boolean, an empty array where
/// no bound excludes it, 0 and an empty string where a stated bound allows them, and otherwise null where the schema and
/// the record allow it.
fn falsy_value(schema: &Node, shows_null: bool) -> Option<Value> {
    let stated = |name: &str| schema.member(name);
    let kind = stated("type").and_then(Node::string);
    if kind == Some("boolean") {
        return stated("enum").is_none().then_some(Value::Bool(false));
    }
    let default = stated("default").map(Node::to_value);
    if default.is_some_and(|default| !default.is_null() && default != Value::Array(Vec::new())) {
        return None;
    }
    let is_at_most_zero = |name: &str| {
        stated(name)
            .and_then(|bound| bound.to_value().as_f64())
            .is_some_and(|bound| bound <= 0.0)
    };
    let is_plain = ["enum", "format", "pattern"].iter().all(|name| stated(name).is_none());
    match kind {
        Some("integer" | "number") if is_at_most_zero("minimum") && stated("enum").is_none() => Some(Value::from(0)),
        Some("string") if is_at_most_zero("minLength") && is_plain => Some(Value::from("")),
        Some("array") if stated("minItems").is_none() || is_at_most_zero("minItems") => Some(Value::Array(Vec::new())),
        _ => (is_flagged(schema, "nullable") && shows_null).then_some(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::contract::document::Document;

    fn value(schema: &str) -> Option<Value> {
        let document = Document::read("a.yaml", schema.to_owned()).unwrap();
        falsy_value(&document.root, true).filter(|_| !leaves_a_doubt(&document.root))
    }

    #[test]
    fn a_falsy_value_is_sent_where_the_schema_states_it() {
        for (schema, falsy) in [
            ("{type: boolean}", Some(json!(false))),
            ("{type: boolean, default: true}", Some(json!(false))),
            ("{type: integer, minimum: 0}", Some(json!(0))),
            ("{type: number, minimum: -1}", Some(json!(0))),
            ("{type: integer}", None),
            ("{type: integer, minimum: 1}", None),
            ("{type: integer, minimum: 0, default: 5}", None),
            ("{type: integer, minimum: 0, description: 0 for no limit}", None),
            (
                "{type: integer, minimum: 0, description: Unlimited if it is missing}",
                None,
            ),
            ("{type: string, minLength: 0}", Some(json!(""))),
            ("{type: string}", None),
            ("{type: string, nullable: true}", Some(json!(null))),
            ("{type: array, items: {type: string}, default: []}", Some(json!([]))),
            ("{type: array, items: {type: string}, minItems: 1}", None),
            ("{type: array, items: {type: string}, default: [a]}", None),
            (
                "{type: string, nullable: true, description: Left unchanged by null}",
                None,
            ),
        ] {
            assert_eq!(value(schema), falsy, "{schema}");
        }
    }
}
