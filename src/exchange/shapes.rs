//! Renders the body of a response as a shape: every name that the document knows, and only the kind of each value.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::redact::shape;
use crate::contract::Contract;
use crate::contract::operation::Operation;
use crate::contract::pointer;
use crate::contract::shape::ShapeId;

/// The maximum number of different shapes that are shown for the elements of one list.
const MAX_SHAPES: usize = 8;

/// How the names in a value are shown.
pub trait Names: Copy {
    /// Returns the name of a member as it may be printed.
    fn name(self, name: &str) -> String;

    /// Returns how the names in the member with this name are shown.
    #[must_use]
    fn member(self, name: &str) -> Self;

    /// Returns how the names in the elements of an array are shown.
    #[must_use]
    fn element(self) -> Self;
}

/// The names in a body, as far as a contract knows them. The names of a map's members are data: their shapes are shown,
/// like those of values. An object in an undocumented field may be a map too, so there only names that the contract
/// documents or that anybody may know are shown ([`Contract::render_possible_map_key`]); elsewhere also those that look
/// like words ([`Contract::render_name`]).
#[derive(Clone, Copy)]
pub struct BodyNames<'contract> {
    contract: &'contract Contract,
    documented: Documented,
}

/// What a contract documents of a value.
#[derive(Clone, Copy)]
enum Documented {
    /// Where it is in the schema of a response: one of the contract's shapes.
    Shape(ShapeId),
    /// That the target chooses all of it, as in a map whose members have no schema.
    Data,
    /// Nothing.
    Nothing,
    /// Nothing, and nothing of the field that contains it: the names may be those of a map's members.
    InUndocumentedField,
}

impl<'contract> BodyNames<'contract> {
    /// The names in the body of a response with this status.
    #[must_use]
    pub fn of_response(contract: &'contract Contract, operation: &Operation, status: u16) -> Self {
        let response = operation.response(status);
        let body = response.and_then(|response| response.body);
        Self {
            contract,
            documented: body.map_or(Documented::Nothing, Documented::Shape),
        }
    }

    /// The names in a body of which nothing is documented.
    #[must_use]
    pub fn of_undocumented(contract: &'contract Contract) -> Self {
        Self {
            contract,
            documented: Documented::Nothing,
        }
    }

    /// Returns an indexed pointer into the body (see [`pointer::element`]), with `*` for each name that is data: those
    /// of the members of a map.
    #[must_use]
    pub fn with_map_keys_hidden(self, pointer: &str) -> String {
        let mut names = self;
        pointer.split('/').skip(1).fold(String::new(), |shown, token| {
            let name = pointer::unescape(token);
            let is_index = pointer::is_index(token);
            // A name that may be that of a map's member is not shown either.
            let is_data = !is_index && names.name(&name) != name;
            names = if is_index { names.element() } else { names.member(&name) };
            format!("{shown}/{}", if is_data { "*" } else { token })
        })
    }
}

impl Names for BodyNames<'_> {
    fn name(self, name: &str) -> String {
        match self.documented {
            Documented::Shape(shape) if self.contract.shape(shape).is_map() => hidden_name(name),
            Documented::Data => hidden_name(name),
            // Beside its documented members, an object may have those of a map.
            Documented::Shape(shape) if self.contract.shape(shape).is_also_a_map_with(name) => hidden_name(name),
            // An object in place of a text or a number may be a map too.
            Documented::Shape(shape) if self.contract.shape(shape).fields.is_empty() => {
                self.contract.render_possible_map_key(name)
            }
            Documented::InUndocumentedField => self.contract.render_possible_map_key(name),
            Documented::Shape(_) | Documented::Nothing => self.contract.render_name(name),
        }
    }

    fn member(self, name: &str) -> Self {
        let shape = match self.documented {
            Documented::Shape(shape) => self.contract.shape(shape),
            Documented::Data => return self,
            Documented::Nothing | Documented::InUndocumentedField => {
                let documented = Documented::InUndocumentedField;
                return Self { documented, ..self };
            }
        };
        let field = shape.field_named(name).map(|index| shape.fields[index].shape);
        let documented = match field.or(shape.additional) {
            Some(below) => Documented::Shape(below),
            None if shape.is_map() => Documented::Data,
            None => Documented::InUndocumentedField,
        };
        Self { documented, ..self }
    }

    fn element(self) -> Self {
        let Documented::Shape(shape) = self.documented else {
            return self;
        };
        let items = self.contract.shape(shape).items;
        Self {
            documented: items.map_or(Documented::InUndocumentedField, Documented::Shape),
            ..self
        }
    }
}

/// Returns the shape of a name that may be a value.
#[must_use]
pub fn hidden_name(name: &str) -> String {
    format!("<name({})>", name.chars().count())
}

/// Returns the body as JSON text in which each value is its shape and each name is as `names` shows it. Elements of a
/// list that have the same shape, apart from the lengths of their strings, are shown once: the first, and how many more
/// are like it.
///
/// # Design
///
/// Elements are compared at every level of a body, so shapes compared as strings would be written once for each level
/// above them. Instead each value is visited twice, however deep it is: once to give its shape a number, the same for
/// equal shapes, and once to write it.
#[must_use]
pub fn shape_text(value: &Value, names: impl Names) -> String {
    let mut shapes = Shapes {
        names: HashMap::new(),
        known: HashMap::new(),
        visited: Vec::new(),
    };
    shapes.visit(value, names);
    let mut text = String::new();
    shapes.write((value, names), 0, &mut text);
    text
}

/// A shape without the lengths of its strings; the shapes below it are numbers.
#[derive(PartialEq, Eq, Hash)]
enum ShapeForm {
    /// The numbers of the different shapes of its elements, in order.
    Array(Vec<usize>),
    /// Each member's name as it is shown, by its number, with the number of its shape.
    Object(Vec<(usize, usize)>),
    Scalar(&'static str),
}

/// A value that was visited.
struct Visited {
    /// The number of its shape.
    form: usize,
    /// The number of values in it, itself included, which is the distance to its next sibling.
    values: usize,
}

/// The shapes of a body.
struct Shapes {
    /// The names that are shown, numbered.
    names: HashMap<String, usize>,
    known: HashMap<ShapeForm, usize>,
    /// The values from the root down, each before those within it.
    visited: Vec<Visited>,
}

impl Shapes {
    /// Visits a value and those within it, and returns the number of its shape.
    fn visit(&mut self, value: &Value, names: impl Names) -> usize {
        #[cfg(test)]
        crate::testing::work::count();
        let place = self.visited.len();
        self.visited.push(Visited { form: 0, values: 1 });
        let form = match value {
            Value::Object(members) => {
                let members = members.iter();
                ShapeForm::Object(
                    members
                        .map(|(name, value)| (self.named(names.name(name)), self.visit(value, names.member(name))))
                        .collect(),
                )
            }
            Value::Array(elements) => {
                let mut forms: Vec<_> = elements
                    .iter()
                    .map(|element| self.visit(element, names.element()))
                    .collect();
                forms.sort_unstable();
                forms.dedup();
                ShapeForm::Array(forms)
            }
            Value::Bool(_) => ShapeForm::Scalar("boolean"),
            Value::Null => ShapeForm::Scalar("null"),
            Value::Number(number) if number.is_f64() => ShapeForm::Scalar("number"),
            Value::Number(_) => ShapeForm::Scalar("integer"),
            Value::String(_) => ShapeForm::Scalar("string"),
        };
        let next = self.known.len();
        let form = *self.known.entry(form).or_insert(next);
        let values = self.visited.len() - place;
        self.visited[place] = Visited { form, values };
        form
    }

    fn named(&mut self, shown: String) -> usize {
        let next = self.names.len();
        *self.names.entry(shown).or_insert(next)
    }

    /// Writes the value that was visited at this index.
    fn write(&self, (value, names): (&Value, impl Names), place: usize, text: &mut String) {
        #[cfg(test)]
        crate::testing::work::count();
        match value {
            Value::Object(members) => {
                text.push('{');
                let mut below = place + 1;
                for (index, (member, value)) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    // Writing into a String does not fail.
                    let _ = write!(text, "{comma}{}:", Value::from(names.name(member)));
                    self.write((value, names.member(member)), below, text);
                    below += self.visited[below].values;
                }
                text.push('}');
            }
            Value::Array(elements) => {
                text.push('[');
                self.elements((elements, names.element()), place + 1, text);
                text.push(']');
            }
            scalar => {
                let _ = write!(text, "{}", Value::from(shape(scalar)));
            }
        }
    }

    /// Writes the first element of each shape, in order, each followed by how many more are like it.
    fn elements(&self, (elements, names): (&[Value], impl Names), first: usize, text: &mut String) {
        let mut groups: Vec<Group<'_>> = Vec::new();
        let (mut others, mut place) = (0, first);
        for element in elements {
            let Visited { form, values } = self.visited[place];
            match groups.iter().position(|group| group.form == form) {
                Some(group) => groups[group].more += 1,
                None if groups.len() < MAX_SHAPES => groups.push(Group {
                    form,
                    element,
                    place,
                    more: 0,
                }),
                None => others += 1,
            }
            place += values;
        }
        for (index, group) in groups.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { "," });
            self.write((group.element, names), group.place, text);
            if group.more > 0 {
                let _ = write!(text, ",\"and {} more like it\"", group.more);
            }
        }
        if others > 0 {
            let _ = write!(text, ",\"and {others} more of other shapes\"");
        }
    }
}

/// The elements of a list that have one shape.
struct Group<'value> {
    form: usize,
    /// The first of them, and the index at which it was visited.
    element: &'value Value,
    place: usize,
    more: usize,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Clone, Copy)]
    struct ShortNames;

    impl Names for ShortNames {
        fn name(self, name: &str) -> String {
            if name.len() < 5 {
                name.to_owned()
            } else {
                "<undocumented>".to_owned()
            }
        }

        fn member(self, _name: &str) -> Self {
            self
        }

        fn element(self) -> Self {
            self
        }
    }

    fn text(value: &Value) -> String {
        shape_text(value, ShortNames)
    }

    #[test]
    fn the_names_of_a_maps_members_are_shown_as_shapes() {
        let text = "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths:\n  /a:\n    get:\n      operationId: getA\n      \
                    responses: {'200': {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}\n\
                    components:\n  schemas:\n    A:\n      type: array\n      items:\n        type: object\n        properties:\n          \
                    tags: {type: object, additionalProperties: {type: object, properties: {size: {}}}}\n          \
                    notes: {type: object, additionalProperties: true}\n          text: {type: string}\n          open: {type: object, properties: {a: {}}, \
                    additionalProperties: true}\n          votes: {type: object, properties: {total: {}}, additionalProperties: {type: integer}}\n";
        let contract = Contract::read("a.yaml", text.to_owned()).unwrap();
        let value = json!([{"tags": {"maria": {"size": 1, "maria": 2}}, "notes": {"size": {"maria": 1}},
            "open": {"maria": 1}, "maria": {"maria": 1}, "text": {"maria": 1, "size": [{"maria": 1}]}, "votes": {"total": 2, "maria": 1}}]);
        let shown = shape_text(&value, BodyNames::of_response(&contract, &contract.operations[0], 200));
        let expected = r#"[{"tags":{"<name(5)>":{"size":"integer","maria":"integer"}},"notes":{"<name(4)>":{"<name(5)>":"integer"}},"open":{"maria":"integer"},"maria":{"<undocumented name(5)>":"integer"},"text":{"<undocumented name(5)>":"integer","size":[{"<undocumented name(5)>":"integer"}]},"votes":{"total":"integer","<name(5)>":"integer"}}]"#;
        assert_eq!(shown, expected);
        let error = json!({"error": {"code": 1, "maria": {"size": 1}}, "reason": [{"maria": 1, "message": ""}]});
        let expected = r#"{"error":{"code":"integer","<undocumented name(5)>":{"size":"integer"}},"reason":[{"<undocumented name(5)>":"integer","message":"string(0)"}]}"#;
        assert_eq!(shape_text(&error, BodyNames::of_undocumented(&contract)), expected);
    }

    #[test]
    fn nothing_of_a_value_is_reported_and_no_name_that_is_not_allowed() {
        let text = text(&json!({"data": {"id": "t-17", "n": 4711, "jane.roe@example.com": null, "ok": true}}));
        assert_eq!(
            text,
            r#"{"data":{"id":"string(4)","n":"integer","<undocumented>":"null","ok":"boolean"}}"#
        );
    }

    #[test]
    fn elements_of_one_shape_are_reported_once_and_another_one_is_seen() {
        let text = text(&json!([{"id": "a"}, {"id": "bcd"}, {"id": 7}, {"id": ""}, [], [1, 2, 3], [4]]));
        assert_eq!(
            text,
            r#"[{"id":"string(1)"},"and 2 more like it",{"id":"integer"},[],["integer","and 2 more like it"],"and 1 more like it"]"#
        );
    }

    #[test]
    fn a_list_of_very_many_shapes_is_not_reported_whole() {
        let kinds: Vec<_> = (0..20).map(|index| json!({index.to_string(): null})).collect();
        let text = text(&Value::from(kinds));
        assert!(text.ends_with(r#""and 12 more of other shapes"]"#), "{text}");
    }

    #[test]
    fn the_text_is_json() {
        let text = text(&json!({"a\"b": [null, "x\u{1b}"], "c": {}}));
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }

    #[test]
    fn each_value_is_looked_at_twice_however_deep_it_lies() {
        let wide = |width: usize| Value::from(vec![json!({"id": "a"}); width]);
        let deep = |depth: usize| (0..depth).fold(wide(1000), |below, _| json!([below, {"n": 1}]));
        let work = |value: &Value| crate::testing::work::of(|| drop(text(value)));
        let (flat, nested) = (work(&deep(1)), work(&deep(100)));
        assert!(nested <= flat + 100 * 2 * 3, "{flat} {nested}");
    }
}
