//! States the body of a request or of a response, as the document describes it.
//!
//! Main type: [`Body`].

use super::document::{Document, Resource};
use super::phrase::{Field, Shape};
use super::statement::Statements;

pub(super) struct Body<'a> {
    document: &'a Document,
    said: &'a mut Statements,
    /// What every listed field is: `optional` on the way in, where nothing is known to be required, and `required` on
    /// the way out.
    presence: &'a str,
}

impl<'a> Body<'a> {
    pub(super) fn of(document: &'a Document, said: &'a mut Statements, presence: &'a str) -> Self {
        Self {
            document,
            said,
            presence,
        }
    }

    /// States the media type and the body of a request or of a response.
    pub(super) fn say_whole(&mut self, location: &str, shape: &Shape, heading: &str) {
        let media = format!("{location} media");
        self.said
            .say(media, self.document.media_type(), "Resources and their fields");
        self.say(&format!("{location} body"), "", shape, heading);
    }

    /// States one value and everything in it.
    fn say(&mut self, location: &str, presence: &str, shape: &Shape, heading: &str) {
        let kind = match shape {
            Shape::Array(_) => "array",
            Shape::Free => "object of arbitrary keys",
            Shape::Object(object) if object.closed => "closed object",
            Shape::Object(_) | Shape::Resource(_) => "object",
            Shape::Scalar(kind) => kind,
            Shape::Slot => panic!("`{location}` names its resource"),
        };
        self.said.say(location, [presence, kind].join(" ").trim(), heading);
        match shape {
            Shape::Array(entry) => self.say(&format!("{location}/*"), "", entry, heading),
            Shape::Object(object) => {
                self.say_fields(location, &object.fields, object.heading.as_deref().unwrap_or(heading));
            }
            Shape::Resource(name) => {
                let Resource { shape, heading } = self.document.resource(name);
                self.say_fields(location, &shape.fields, heading);
            }
            Shape::Free | Shape::Scalar(_) | Shape::Slot => {}
        }
    }

    fn say_fields(&mut self, location: &str, fields: &[Field], heading: &str) {
        for field in fields {
            let location = format!("{location}/{}", field.name);
            if field.forbidden {
                self.said.say(location, "forbidden", heading);
                continue;
            }
            self.say(&location, self.presence, &field.shape, heading);
            if let Some(note) = &field.note {
                self.said.note(format!("{location} note"), note, heading);
            }
        }
    }
}
