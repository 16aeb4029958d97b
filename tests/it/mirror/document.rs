//! Reads the document: its sections, its resources and its tables of fields.
//!
//! Every section is read by the sentences and tables that it is known to contain; an unknown one stops the test. Main
//! type: [`Document`].

use std::collections::BTreeMap;

use super::markdown::{Block, Row, Section, sections};
use super::phrase::{Field, Object, Shape, fields, shape};

pub(super) struct Document {
    pub(super) sections: Vec<Section>,
    resources: BTreeMap<String, Resource>,
}

/// A resource or an envelope of the document.
pub(super) struct Resource {
    pub(super) shape: Object,
    pub(super) heading: String,
}

impl Document {
    pub(super) fn read(text: &str) -> Self {
        let sections = sections(text);
        let parent = "Resources and their fields";
        let described = sections.iter().filter(|section| {
            section.headings.len() > 2 && section.headings[1] == parent && !section.title().starts_with("Gaps")
        });
        let resources = described
            .map(|section| (name(section.title()), Resource::read(section)))
            .collect();
        Self { sections, resources }
    }

    /// Finds a section by the whole path of its headings.
    pub(super) fn section(&self, path: &str) -> &Section {
        let found = self.sections.iter().find(|section| section.path() == path);
        found.unwrap_or_else(|| panic!("the document has a section `{path}`"))
    }

    pub(super) fn resource(&self, name: &str) -> &Resource {
        self.resources
            .get(name)
            .unwrap_or_else(|| panic!("the document has a resource `{name}`"))
    }

    /// A resource as one response shows it; `clause` names fields that only some responses have.
    pub(super) fn shown(&self, name: &str, clause: &str) -> Shape {
        let Resource { shape, heading } = self.resource(name);
        let mut shown = Object {
            heading: Some(heading.clone()),
            ..shape.clone()
        };
        shown.fields.retain(|field| !field.says("Input on creation only"));
        for field in &mut shown.fields {
            if field.says("present in list items only") {
                field.forbidden = clause == format!("without {}", field.name);
                assert!(
                    field.forbidden || clause == format!("including {}", field.name),
                    "`{clause}` of `{name}`"
                );
            }
        }
        Shape::Object(shown)
    }

    /// What the resource's own section notes of a field that goes in on creation only.
    pub(super) fn input_note(&self, resource: &str, field: &str) -> Option<String> {
        let fields = &self.resources.get(resource)?.shape.fields;
        let of_input = fields
            .iter()
            .find(|known| known.name == field && known.says("Input on creation only"))?;
        of_input.note.clone()
    }

    /// Finds a resource by its name in the singular or in the plural.
    pub(super) fn singular<'a>(&self, name: &'a str) -> &'a str {
        let singular = name
            .strip_suffix('s')
            .filter(|singular| self.resources.contains_key(*singular));
        singular.unwrap_or(name)
    }

    pub(super) fn resource_names(&self) -> impl Iterator<Item = &str> {
        self.resources.keys().map(String::as_str)
    }
}

/// `Contact (response shape)` is the resource `Contact`.
fn name(title: &str) -> String {
    title.split(" (").next().unwrap_or(title).to_owned()
}

impl Resource {
    fn read(section: &Section) -> Self {
        let listed: Vec<_> = section.rows().map(field).collect();
        let mut shape = Object {
            heading: None,
            closed: false,
            fields: listed,
        };
        for text in section.texts() {
            shape.closed = true;
            shape.fields = match text {
                "The body is an object with one key, data. It is an object with these fields:" => {
                    vec![Field::new("data", Shape::Object(shape.clone()))]
                }
                _ => fields(section.after("The body is an object with ")),
            };
        }
        Self {
            shape,
            heading: section.path(),
        }
    }
}

/// Reads a row of a table of fields.
pub(super) fn field(row: &Row) -> Field {
    let note = row.get("Notes").filter(|note| !note.is_empty());
    let kind = match note.and_then(|note| note.strip_prefix("See ")) {
        Some(resource) => Shape::Resource(resource.to_owned()),
        None if note.is_some_and(|note| note.starts_with("Arbitrary keys")) => Shape::Free,
        None => shape(&row["Type"]),
    };
    let note = note.filter(|note| !note.starts_with("See ")).cloned();
    Field {
        note,
        ..Field::new(&row["Field"], kind)
    }
}

/// The rows of the table that follows a paragraph.
pub(super) fn table_after<'a>(section: &'a Section, opening: &str) -> &'a [Row] {
    let mut blocks = section.blocks.iter();
    blocks.find(|block| matches!(block, Block::Text(text) if text == opening));
    match blocks.next() {
        Some(Block::Table(rows)) => rows,
        _ => panic!("a table follows `{opening}`"),
    }
}
