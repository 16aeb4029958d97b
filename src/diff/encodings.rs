//! Compares how the properties of a form are written.

use super::bodies::{covers, normalized_media_type};
use super::difference::{ClientEffect, Side};
use super::kind::Kind;
use super::operations::{Comparison, location_of_member};
use super::parameters::SerializationStyle;
use super::range::Relation;
use super::schemas::FoundDifference;
use super::source::{LocatedNode, Source, state_the_same};
use super::types::Types;
use super::view::View;

/// A media type of a body in one document, and its schema.
type Media<'pair, 'both> = (&'pair LocatedNode<'both>, &'pair View<'both>);

impl<'both> Comparison<'both> {
    /// Compares how each property that both schemas list is written, if the body is a form; elsewhere `encoding` has no
    /// effect (3.0.3, section 4.7.14.3).
    pub(super) fn encodings(
        &mut self,
        side: Side,
        (name, title): (&str, &str),
        (old, new): (Media<'_, 'both>, Media<'_, 'both>),
    ) {
        let is_multipart = name.starts_with("multipart/");
        if !is_multipart && !name.starts_with("application/x-www-form-urlencoded") {
            return;
        }
        let stated = |media: Media<'_, 'both>| media.0.member("encoding").is_some();
        if !stated(old) && !stated(new) {
            return;
        }
        for property in new.1.property_names() {
            let schemas = (old.1.property(self.old, property), new.1.property(self.new, property));
            let (Some(was), Some(is)) = schemas else { continue };
            let what = format!("`/{property}` of {title}");
            let parts = (part(old.0, property), part(new.0, property));
            if is_multipart {
                self.content_types(side, &what, ((&parts.0, &was), (&parts.1, &is)));
                self.part_headers(side, &what, (&parts.0, &parts.1));
            } else {
                let forms = (
                    SerializationStyle::of("query", &parts.0),
                    SerializationStyle::of("query", &parts.1),
                );
                if !forms.0.same(&forms.1, was.types().or(is.types())) {
                    self.report_style((&parts.0, &forms.0), (&parts.1, &forms.1), (side, &what));
                }
            }
        }
    }

    fn content_types(&mut self, side: Side, what: &str, (old, new): (Media<'_, 'both>, Media<'_, 'both>)) {
        let (was, is) = (content_types(self.old, old), content_types(self.new, new));
        let within = |these: &[String], those: &[String]| {
            let allowed = |one: &String| those.iter().any(|other| other == one || covers(other, one));
            these.iter().all(allowed)
        };
        let relation = match (within(&was, &is), within(&is, &was)) {
            (true, true) => return,
            (true, false) => Relation::Wider,
            (false, true) => Relation::Narrower,
            (false, false) => Relation::Different,
        };
        let found = FoundDifference {
            kind: Kind::Encoding,
            relation,
            client: ClientEffect::Major,
            text: format!("{what} was written as {}, now as {}", was.join(" or "), is.join(" or ")),
        };
        let keyword = "contentType";
        self.emit(
            side,
            found,
            (location_of_member(old.0, keyword), location_of_member(new.0, keyword)),
        );
    }

    fn part_headers(&mut self, side: Side, what: &str, (old, new): (&LocatedNode<'both>, &LocatedNode<'both>)) {
        let same = match (old.member("headers"), new.member("headers")) {
            (None, None) => true,
            (Some(was), Some(is)) => state_the_same(Some("headers"), (self.old, &was), (self.new, &is)),
            _ => false,
        };
        if !same {
            let found = FoundDifference {
                kind: Kind::Encoding,
                relation: Relation::Unclear("the headers of a part are not compared further"),
                client: ClientEffect::None,
                text: format!("the headers of {what} differ"),
            };
            self.emit(
                side,
                found,
                (location_of_member(old, "headers"), location_of_member(new, "headers")),
            );
        }
    }
}

/// Returns the encoding of a property; where none is stated, the media type, which has none of its keywords.
fn part<'both>(media: &LocatedNode<'both>, property: &str) -> LocatedNode<'both> {
    let stated = media.member("encoding").and_then(|all| all.member(property));
    stated.unwrap_or_else(|| media.clone())
}

/// Returns the media types of a part, stated or default (3.0.3, section 4.7.15.1).
fn content_types<'both>(source: &Source<'both>, (part, schema): Media<'_, 'both>) -> Vec<String> {
    match part.string("contentType") {
        Some(stated) => stated.split(',').map(normalized_media_type).collect(),
        None => vec![by_default(source, schema).to_owned()],
    }
}

fn by_default<'both>(source: &Source<'both>, schema: &View<'both>) -> &'static str {
    let items = (schema.types() == Types::ARRAY).then(|| schema.items(source));
    let value = items.as_ref().unwrap_or(schema);
    let is_binary = value.keywords("format").any(|at| at.node.string() == Some("binary"));
    match value.types() {
        Types::OBJECT => "application/json",
        Types::STRING if is_binary => "application/octet-stream",
        _ => "text/plain",
    }
}
