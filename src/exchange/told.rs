//! Tells the body of an answer as a shape: every name that the document knows, and nothing of a value but its kind.

use std::fmt::Write as _;

use serde_json::Value;

use super::redact::shape;

/// How many shapes of the elements of one list are told.
const MOST_SHAPES: usize = 8;

/// The body as JSON text in which each value is its shape and each name is told by `name`. Elements of a list that have
/// one shape, whatever the lengths of their texts, are told once: the first, and how many more are like it.
#[must_use]
pub fn shape_text(value: &Value, name: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    write(value, name, Lengths::Told, &mut text);
    text
}

/// Whether the shape of a text says how long it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lengths {
    Told,
    /// To compare two shapes.
    Left,
}

fn write(value: &Value, name: &dyn Fn(&str) -> String, lengths: Lengths, text: &mut String) {
    match value {
        Value::Object(members) => {
            text.push('{');
            for (index, (member, value)) in members.iter().enumerate() {
                let comma = if index == 0 { "" } else { "," };
                // Writing into a String does not fail.
                let _ = write!(text, "{comma}{}:", Value::from(name(member)));
                write(value, name, lengths, text);
            }
            text.push('}');
        }
        Value::Array(elements) if lengths == Lengths::Left => {
            let mut kinds: Vec<String> = elements.iter().map(|element| key(element, name)).collect();
            kinds.sort_unstable();
            kinds.dedup();
            let _ = write!(text, "[{}]", kinds.join(","));
        }
        Value::Array(elements) => {
            let _ = write!(text, "[{}]", grouped(elements, name).join(","));
        }
        Value::String(_) if lengths == Lengths::Left => text.push_str("string"),
        scalar => {
            let _ = write!(text, "{}", Value::from(shape(scalar)));
        }
    }
}

fn key(value: &Value, name: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    write(value, name, Lengths::Left, &mut text);
    text
}

/// The first element of each shape, in order, each followed by how many more are like it.
fn grouped(elements: &[Value], name: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut groups: Vec<(String, &Value, usize)> = Vec::new();
    let mut others = 0;
    for element in elements {
        let key = key(element, name);
        match groups.iter().position(|(known, ..)| *known == key) {
            Some(group) => groups[group].2 += 1,
            None if groups.len() < MOST_SHAPES => groups.push((key, element, 0)),
            None => others += 1,
        }
    }
    let mut told = Vec::new();
    for (_, first, more) in groups {
        told.push(shape_text(first, name));
        if more > 0 {
            told.push(Value::from(format!("and {more} more like it")).to_string());
        }
    }
    if others > 0 {
        told.push(Value::from(format!("and {others} more of other shapes")).to_string());
    }
    told
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(value: &Value) -> String {
        shape_text(value, &|name| {
            if name.len() < 5 {
                name.to_owned()
            } else {
                "<undocumented>".to_owned()
            }
        })
    }

    #[test]
    fn nothing_of_a_value_is_told_and_no_name_that_is_not_allowed() {
        let text = told(&json!({"data": {"id": "t-17", "n": 4711, "jane.roe@example.com": null, "ok": true}}));
        assert_eq!(
            text,
            r#"{"data":{"id":"string(4)","n":"integer","<undocumented>":"null","ok":"boolean"}}"#
        );
    }

    #[test]
    fn elements_of_one_shape_are_told_once_and_another_one_is_seen() {
        let text = told(&json!([{"id": "a"}, {"id": "bcd"}, {"id": 7}, {"id": ""}, [], [1, 2, 3], [4]]));
        assert_eq!(
            text,
            r#"[{"id":"string(1)"},"and 2 more like it",{"id":"integer"},[],["integer","and 2 more like it"],"and 1 more like it"]"#
        );
    }

    #[test]
    fn a_list_of_very_many_shapes_is_not_told_whole() {
        let kinds: Vec<_> = (0..20).map(|index| json!({index.to_string(): null})).collect();
        let text = told(&Value::from(kinds));
        assert!(text.ends_with(r#""and 12 more of other shapes"]"#), "{text}");
    }

    #[test]
    fn the_text_is_json() {
        let text = told(&json!({"a\"b": [null, "x\u{1b}"], "c": {}}));
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
}
