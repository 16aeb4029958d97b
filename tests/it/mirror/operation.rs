//! Reads the section of one operation, sentence by sentence.
//!
//! Main type: [`Operation`].

use super::document::{Document, field, table_after};
use super::markdown::{Row, Section};
use super::phrase::{Field, Object, Shape, entries, fields, limited};
use super::response::{Response, response};

/// An operation as its section describes it.
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) heading: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) request: Option<Shape>,
    pub(super) responses: Vec<Response>,
}

pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) note: Option<String>,
}

/// The `operationId` of an operation: its name in one word.
pub(super) fn identifier(name: &str) -> String {
    let mut words = name.split(' ').map(str::to_owned);
    let first = words.next().unwrap_or_default().to_lowercase();
    let rest = words.map(|word| word[..1].to_uppercase() + &word[1..]);
    rest.fold(first, |identifier, word| identifier + &word)
}

impl Operation {
    /// Reads the operation that a row of the summary names.
    pub(super) fn read(document: &Document, row: &Row) -> Self {
        let section = document.section(&format!("Endpoints / {}", row["Operation"]));
        let mut operation = Self {
            name: row["Operation"].clone(),
            method: row["Method"].clone(),
            path: row["Path"].clone(),
            heading: section.path(),
            parameters: Vec::new(),
            request: None,
            responses: Vec::new(),
        };
        let line = format!("{} {}", operation.method, operation.path);
        assert!(
            section.texts().any(|text| text.starts_with(&line)),
            "`{}` is `{line}`",
            operation.name
        );
        for text in section.texts() {
            operation.take(document, section, text);
        }
        operation.note_input(document);
        operation
    }

    fn take(&mut self, document: &Document, section: &Section, text: &str) {
        let sentence = text.trim_end_matches('.');
        if let Some(rest) = sentence.strip_prefix(&format!("{} {}", self.method, self.path)) {
            self.take_query(document, rest);
        } else if let Some(list) = sentence.strip_prefix("Request body fields:") {
            let listed = match list.trim() {
                "" => table_after(section, text).iter().map(field).collect(),
                list => fields(list),
            };
            self.request = Some(open(listed));
        } else if let Some(rest) = sentence.strip_prefix("Request body: the same fields as ") {
            self.request = Some(same_fields(document, rest));
        } else if let Some(rest) = sentence.strip_prefix("Path parameter ") {
            self.parameters.push(path_parameter(rest));
        } else if let Some(rest) = sentence.strip_prefix("Response") {
            self.responses.push(response(document, rest, &self.heading));
        } else if let Some(rest) = sentence.strip_prefix("Other documented statuses of this operation: ") {
            self.take_errors(document, rest);
        } else {
            self.take_limit(sentence);
        }
    }

    fn take_query(&mut self, document: &Document, words: &str) {
        if words.is_empty() {
            return;
        }
        let name = words.strip_prefix(" with optional query parameter ");
        let name = name.unwrap_or_else(|| panic!("`{words}` is a query that can be read"));
        let rows = table_after(document.section("Endpoints"), LIST_QUERY);
        let row = rows
            .iter()
            .find(|row| row["Query parameter"] == name)
            .expect("the query parameter is in its table");
        let value = format!("query optional {}, default {}", row["Type"], row["Default"]);
        self.parameters.push(Parameter {
            name: name.to_owned(),
            value,
            note: None,
        });
    }

    /// Reads `401 and 422 (see Errors)`, and what the section named says of each.
    fn take_errors(&mut self, document: &Document, words: &str) {
        let (statuses, location) = words.split_once(" (see ").expect("the statuses stand in a section");
        let section = document.section(location.trim_end_matches(')'));
        for status in entries(statuses) {
            let row = section
                .rows()
                .find(|row| row["Status"] == status && row["Documented on"] == self.name);
            let description = row.expect("the status is in the table of errors")["Meaning given"].clone();
            self.responses.push(Response {
                status: status.to_owned(),
                description,
                heading: section.path(),
                body: None,
            });
        }
    }

    /// Reads a sentence that limits one field of the request, and is its note.
    fn take_limit(&mut self, sentence: &str) {
        let Some(Shape::Object(Object { fields, .. })) = &mut self.request else {
            panic!("`{sentence}` can be read");
        };
        let (name, words) = sentence
            .split_once(" is ")
            .unwrap_or_else(|| panic!("`{sentence}` can be read"));
        let field = fields
            .iter_mut()
            .find(|field| field.name == name)
            .expect("the field is in the request");
        field.shape = Shape::Scalar(limited("string", words));
        field.note = Some(words.to_owned());
    }

    /// A create's field that its resource does not show again is described in the resource's section.
    fn note_input(&mut self, document: &Document) {
        let Some(Shape::Object(Object { fields, .. })) = &mut self.request else {
            return;
        };
        let Some(resource) = self.name.strip_prefix("Create ") else {
            return;
        };
        let known = document.resource_names().find(|name| name.to_lowercase() == resource);
        for field in fields {
            let note = known.and_then(|known| document.input_note(known, &field.name));
            field.note = field.note.take().or(note);
        }
    }
}

const LIST_QUERY: &str = "Every endpoint requires bearer authentication (see Authentication). \
                          List endpoints take one query parameter.";

fn open(fields: Vec<Field>) -> Shape {
    Shape::Object(Object {
        heading: None,
        closed: false,
        fields,
    })
}

/// Reads `Create contact (firstname, …)`, and holds the list against the operation named.
fn same_fields(document: &Document, words: &str) -> Shape {
    let (name, list) = words.split_once(" (").expect("the same fields are listed");
    let section = document.section(&format!("Endpoints / {name}"));
    let fields: Vec<_> = table_after(section, "Request body fields:").iter().map(field).collect();
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(
        entries(list.trim_end_matches(')')),
        names,
        "the document lists the same fields"
    );
    open(fields)
}

/// Reads `id: required string, format uuid, the contact's identifier`.
fn path_parameter(words: &str) -> Parameter {
    let (name, words) = words
        .split_once(": required string, ")
        .expect("a path parameter is a required string");
    let (format, note) = words
        .split_once(", ")
        .map_or((words, None), |(format, note)| (format, Some(note)));
    let value = format!("path required {}", limited("string", format));
    Parameter {
        name: name.to_owned(),
        value,
        note: note.map(str::to_owned),
    }
}

#[test]
fn an_operation_is_named_in_one_word() {
    assert_eq!(identifier("Create contact method"), "createContactMethod");
}
