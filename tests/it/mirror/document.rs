//! Reads the document into statements on every place of the interface.
//!
//! Every section is read by the sentences and tables that it is known to hold; one that is not known stops the test.
//! Main type: [`Document`].

use std::collections::BTreeMap;

use super::markdown::{Block, Row, Section, sections};
use super::operation::{Operation, identifier};
use super::phrase::{Field, Object, Shape, fields, shape};
use super::statement::Statements;

pub(super) struct Document {
    pub(super) sections: Vec<Section>,
    resources: BTreeMap<String, Resource>,
}

/// A resource or an envelope of the document.
struct Resource {
    shape: Object,
    heading: String,
}

/// Which way a body goes: nothing is known to be required on the way in, everything listed is on the way out.
#[derive(Clone, Copy)]
enum Way {
    In,
    Out,
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

    /// Everything that the document says about requests and answers.
    pub(super) fn statements(&self) -> Statements {
        let mut said = Statements::default();
        self.say_interface(&mut said);
        for row in self.section("Endpoints / Summary").rows() {
            let operation = Operation::read(self, row);
            self.say_operation(&mut said, &operation);
        }
        said
    }

    fn say_interface(&self, said: &mut Statements) {
        let opening = &self.sections[0];
        let paths = opening.after("All paths are relative to ");
        said.say("interface", opening.title(), "");
        said.say("interface server", paths, "");
        said.note(
            "interface server note",
            &format!("All paths are relative to {paths}"),
            "",
        );
        said.say("interface server variables", paths.trim_matches(['{', '}']), "");
        said.note("interface note", &self.capabilities(), "What the service does");
        let version = self
            .section("Versioning")
            .after("The version is part of the path: every path begins with ");
        let version = version.rsplit('/').next().unwrap_or_default();
        said.say("interface version", version, "Versioning");
        let credential = "The client sends the header Authorization";
        let sent = self.section("Authentication").after(credential);
        said.note("interface credential", &format!("{credential}{sent}"), "Authentication");
    }

    /// What the service does, in one sentence.
    fn capabilities(&self) -> String {
        let section = self.section("What the service does");
        let opening = section
            .after("The service is ")
            .strip_suffix(" with these capabilities:");
        let listed = section.texts().skip(1).filter(|text| !text.ends_with("not shown."));
        let listed: Vec<_> = listed
            .map(|text| text.trim_end_matches('.').replace(", and ", " and "))
            .collect();
        format!(
            "{}: {}",
            opening.expect("the capabilities are listed"),
            listed.join(", ").to_lowercase()
        )
    }

    fn say_operation(&self, said: &mut Statements, operation: &Operation) {
        let (id, heading) = (identifier(&operation.name), operation.heading.as_str());
        said.say(
            &id,
            format!("{} {}", operation.method, operation.path),
            "Endpoints / Summary",
        );
        said.say(format!("{id} name"), &operation.name, heading);
        said.say(format!("{id} security"), self.security(), "Authentication");
        for parameter in &operation.parameters {
            let place = format!("{id} parameter {}", parameter.name);
            said.say(&place, &parameter.value, heading);
            if let Some(note) = &parameter.note {
                said.note(format!("{place} note"), note, heading);
            }
        }
        if let Some(request) = &operation.request {
            self.say_body(said, &format!("{id} request"), Way::In, request, heading);
        }
        for answer in &operation.answers {
            let place = format!("{id} answer {}", answer.status);
            said.note(&place, &answer.description, &answer.heading);
            if let Some(body) = &answer.body {
                self.say_body(said, &place, Way::Out, body, heading);
            }
        }
    }

    /// The scheme of every endpoint, as `name: type scheme`.
    fn security(&self) -> String {
        let said = self
            .section("Authentication")
            .after("Every endpoint uses the scheme named ");
        let (name, words) = said.split_once(", which is ").expect("the scheme has a name");
        let scheme = words
            .strip_suffix(" authentication")
            .expect("the scheme is one of authentication");
        format!("{name}: {}", scheme.to_lowercase())
    }

    fn say_body(&self, said: &mut Statements, place: &str, way: Way, body: &Shape, heading: &str) {
        let types = self
            .section("Resources and their fields")
            .after("All requests and responses use ");
        let (media_type, _) = types.split_once(". ").expect("the media type ends its sentence");
        said.say(format!("{place} media"), media_type, "Resources and their fields");
        self.say_shape(said, &format!("{place} body"), (way, ""), body, heading);
    }

    fn say_shape(
        &self,
        said: &mut Statements,
        place: &str,
        (way, presence): (Way, &str),
        shape: &Shape,
        heading: &str,
    ) {
        let mut say = |kind: &str| said.say(place, [presence, kind].join(" ").trim(), heading);
        match shape {
            Shape::Array(entry) => {
                say("array");
                self.say_shape(said, &format!("{place}/*"), (way, ""), entry, heading);
            }
            Shape::Free => say("object of arbitrary keys"),
            Shape::Object(object) => {
                say(if object.closed { "closed object" } else { "object" });
                let heading = object.heading.as_deref().unwrap_or(heading);
                self.say_fields(said, place, way, &object.fields, heading);
            }
            Shape::Resource(name) => {
                say("object");
                let Resource { shape, heading } = self.resource(name);
                self.say_fields(said, place, way, &shape.fields, heading);
            }
            Shape::Scalar(kind) => say(kind),
            Shape::Slot => panic!("`{place}` names its resource"),
        }
    }

    fn say_fields(&self, said: &mut Statements, place: &str, way: Way, fields: &[Field], heading: &str) {
        for field in fields {
            let place = format!("{place}/{}", field.name);
            if field.forbidden {
                said.say(place, "forbidden", heading);
                continue;
            }
            let presence = match way {
                Way::In => "optional",
                Way::Out => "required",
            };
            self.say_shape(said, &place, (way, presence), &field.shape, heading);
            if let Some(note) = &field.note {
                said.note(format!("{place} note"), note, heading);
            }
        }
    }

    fn resource(&self, name: &str) -> &Resource {
        self.resources
            .get(name)
            .unwrap_or_else(|| panic!("the document has a resource `{name}`"))
    }

    /// A resource as one answer shows it; `clause` tells of fields that only some answers have.
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
