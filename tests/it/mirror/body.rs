//! States the body of a request or of an answer, as the document describes it.
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

    /// States the media type and the body of a request or of an answer.
    pub(super) fn say_whole(&mut self, place: &str, shape: &Shape, heading: &str) {
        let media = format!("{place} media");
        self.said
            .say(media, self.document.media_type(), "Resources and their fields");
        self.say(&format!("{place} body"), "", shape, heading);
    }

    /// States one value and everything in it.
    fn say(&mut self, place: &str, presence: &str, shape: &Shape, heading: &str) {
        let kind = match shape {
            Shape::Array(_) => "array",
            Shape::Free => "object of arbitrary keys",
            Shape::Object(object) if object.closed => "closed object",
            Shape::Object(_) | Shape::Resource(_) => "object",
            Shape::Scalar(kind) => kind,
            Shape::Slot => panic!("`{place}` names its resource"),
        };
        self.said.say(place, [presence, kind].join(" ").trim(), heading);
        match shape {
            Shape::Array(entry) => self.say(&format!("{place}/*"), "", entry, heading),
            Shape::Object(object) => {
                self.say_fields(place, &object.fields, object.heading.as_deref().unwrap_or(heading));
            }
            Shape::Resource(name) => {
                let Resource { shape, heading } = self.document.resource(name);
                self.say_fields(place, &shape.fields, heading);
            }
            Shape::Free | Shape::Scalar(_) | Shape::Slot => {}
        }
    }

    fn say_fields(&mut self, place: &str, fields: &[Field], heading: &str) {
        for field in fields {
            let place = format!("{place}/{}", field.name);
            if field.forbidden {
                self.said.say(place, "forbidden", heading);
                continue;
            }
            self.say(&place, self.presence, &field.shape, heading);
            if let Some(note) = &field.note {
                self.said.note(format!("{place} note"), note, heading);
            }
        }
    }
}
