//! Compares bodies: the body of a request, and the media types of any body.

use std::collections::{HashMap, HashSet};

use super::difference::{ClientEffect, Location, Side};
use super::kind::Kind;
use super::operations::{Comparison, OperationPair, location_of_member};
use super::range::Relation;
use super::schemas::{FoundDifference, ValueEncoding};
use super::source::{LocatedNode, NOT_IN_THE_FILE, Source, reference};
use super::types::Types;
use super::view::View;
use crate::contract::is_json;

/// Why a further media type of what callers receive is unclear.
const UNREAD_MEDIA_TYPE: &str = "a caller may get a media type that it does not read";

/// Two request bodies or responses to compare, on one side of an operation.
pub(super) struct Bodies<'pair, 'both> {
    pub(super) side: Side,
    /// The request body or the response, with its `content`.
    pub(super) old: &'pair LocatedNode<'both>,
    pub(super) new: &'pair LocatedNode<'both>,
    /// What sentences call the request body, or the response that has the body.
    pub(super) title: String,
}

impl<'both> Comparison<'both> {
    pub(super) fn request_body(&mut self, both: OperationPair<'_, 'both>) {
        let was = self
            .old
            .member(&both.old.at, "requestBody")
            .filter(LocatedNode::is_object);
        let is = self
            .new
            .member(&both.new.at, "requestBody")
            .filter(LocatedNode::is_object);
        match (was, is) {
            (None, None) => {}
            (None, Some(new)) => {
                let required = new.flag("required");
                let found = FoundDifference {
                    kind: Kind::RequestBodyAdded,
                    relation: if reference(new.node).is_some() {
                        Relation::Unclear(NOT_IN_THE_FILE)
                    } else if required {
                        Relation::Narrower
                    } else {
                        Relation::Harmless
                    },
                    client: ClientEffect::Major,
                    text: format!(
                        "the request has a body now{}",
                        if required { ", and it is required" } else { "" }
                    ),
                };
                let locations = (
                    Location::missing_from(&both.old.at.pointer),
                    location_of_member(&both.new.at, "requestBody"),
                );
                self.emit(Side::Request, found, locations);
            }
            (Some(_), None) => {
                let found = FoundDifference {
                    kind: Kind::RequestBodyRemoved,
                    relation: Relation::Different,
                    client: ClientEffect::Major,
                    text: "the request no longer has a body".to_owned(),
                };
                let locations = (
                    location_of_member(&both.old.at, "requestBody"),
                    Location::missing_from(&both.new.at.pointer),
                );
                self.emit(Side::Request, found, locations);
            }
            (Some(old), Some(new)) if self.is_unresolved(Side::Request, (&old, &new), "the request body") => {}
            (Some(old), Some(new)) => {
                self.body_required(&old, &new);
                self.bodies(&Bodies {
                    side: Side::Request,
                    old: &old,
                    new: &new,
                    title: "the request body".to_owned(),
                });
            }
        }
    }

    fn body_required(&mut self, old: &LocatedNode<'both>, new: &LocatedNode<'both>) {
        let (relation, verb) = match (old.flag("required"), new.flag("required")) {
            (false, true) => (Relation::Narrower, "is now required"),
            (true, false) => (Relation::Wider, "is no longer required"),
            _ => return,
        };
        let found = FoundDifference {
            kind: Kind::RequestBodyRequired,
            relation,
            // The generated client always sends the body that it has a type for.
            client: ClientEffect::None,
            text: format!("the request body {verb}"),
        };
        self.emit(
            Side::Request,
            found,
            (location_of_member(old, "required"), location_of_member(new, "required")),
        );
    }

    /// Compares the media types of two bodies, and the schemas of those that both have.
    pub(super) fn bodies(&mut self, bodies: &Bodies<'_, 'both>) {
        let (was, is) = (MediaTypes::of(bodies.old), MediaTypes::of(bodies.new));
        let several = was.all.len() > 1 || is.all.len() > 1;
        // The new ranges that an old type was compared with.
        let mut compared = HashSet::new();
        for (name, old) in &was.all {
            let title = if several {
                format!("{} ({name})", bodies.title)
            } else {
                bodies.title.clone()
            };
            if let Some((_, new)) = is.get(name) {
                self.media(bodies.side, (name, old, new), &title);
            } else if let Some((range, new)) = is.closest_range(name) {
                compared.insert(range);
                if self.seen_by_callers(bodies.side) == Side::Response {
                    let found = FoundDifference {
                        kind: Kind::MediaTypeAdded,
                        relation: Relation::Unclear(UNREAD_MEDIA_TYPE),
                        client: ClientEffect::Major,
                        text: format!("{title} may now have any media type of {range}"),
                    };
                    self.emit(
                        bodies.side,
                        found,
                        (Location::at(&old.pointer), Location::at(&new.pointer)),
                    );
                }
                self.media(bodies.side, (name, old, new), &title);
            } else if is.covered_by(name).next().is_none() {
                let what = format!("{} can no longer be {name}", bodies.title);
                self.media_removed(bodies, old, (Relation::Different, what));
            } else {
                self.within_range(bodies, (name, old), &is);
            }
        }
        for (name, new) in &is.all {
            let is_known = was.get(name).is_some() || was.closest_range(name).is_some() || compared.contains(name);
            if !is_known {
                // In its callbacks the service sends what it likes: nobody asks for a media type there.
                let is_sent = self.callback.is_some() && self.seen_by_callers(bodies.side) == Side::Response;
                let found = FoundDifference {
                    kind: Kind::MediaTypeAdded,
                    relation: if is_sent {
                        Relation::Unclear(UNREAD_MEDIA_TYPE)
                    } else {
                        Relation::Harmless
                    },
                    client: ClientEffect::Minor,
                    text: if was.all.is_empty() && bodies.side == Side::Response {
                        format!("{} can now have a body, {name}", bodies.title)
                    } else {
                        format!("{} can also be {name}", bodies.title)
                    },
                };
                let locations = (
                    Location::missing_from(location_of_member(bodies.old, "content").pointer),
                    Location::at(&new.pointer),
                );
                self.emit(bodies.side, found, locations);
            }
        }
    }

    /// Compares an old range such as `text/*`, which the new document no longer has, with the new media types that it
    /// covers.
    fn within_range(
        &mut self,
        bodies: &Bodies<'_, 'both>,
        (range, old): (&str, &LocatedNode<'both>),
        is: &MediaTypes<'both>,
    ) {
        let covered: Vec<_> = is.covered_by(range).collect();
        if self.seen_by_callers(bodies.side) == Side::Request {
            let names: Vec<_> = covered.iter().map(|(name, _)| name.as_str()).collect();
            let what = format!(
                "{} can now only be {}, and no other media type of {range}",
                bodies.title,
                names.join(" or ")
            );
            self.media_removed(bodies, old, (Relation::Narrower, what));
        }
        for (name, new) in covered {
            self.media(bodies.side, (name, old, new), &bodies.title);
        }
    }

    fn media_removed(
        &mut self,
        bodies: &Bodies<'_, 'both>,
        old: &LocatedNode<'both>,
        (relation, text): (Relation, String),
    ) {
        let found = FoundDifference {
            kind: Kind::MediaTypeRemoved,
            relation,
            client: ClientEffect::Major,
            text,
        };
        let locations = (
            Location::at(&old.pointer),
            Location::missing_from(location_of_member(bodies.new, "content").pointer),
        );
        self.emit(bodies.side, found, locations);
    }

    fn media(&mut self, side: Side, (name, old, new): (&str, &LocatedNode<'both>, &LocatedNode<'both>), title: &str) {
        let title = if side == Side::Response {
            format!("the body of {title}")
        } else {
            title.to_owned()
        };
        let (was, is) = (schema(self.old, old), schema(self.new, new));
        let differences = self.schema_differences(side, encoding_of(name, [&was, &is]), (&was, &is));
        self.emit_schema_differences(side, differences, &title);
        self.encodings(side, (name, &title), ((old, &was), (new, &is)));
    }
}

fn schema<'both>(source: &Source<'both>, media: &LocatedNode<'both>) -> View<'both> {
    match media.member("schema") {
        Some(schema) => View::of(source, vec![schema]),
        None => View::anything(&media.pointer),
    }
}

/// The media types of a body. A document may list very many, so each is found by its name or by its type.
struct MediaTypes<'both> {
    /// All of them, each under a normalised name.
    all: Vec<(String, LocatedNode<'both>)>,
    /// The first of each name.
    by_name: HashMap<String, usize>,
    /// Those of each type: `text/plain` is of the type `text`.
    by_type: HashMap<String, Vec<usize>>,
}

impl<'both> MediaTypes<'both> {
    fn of(holder: &LocatedNode<'both>) -> Self {
        let content = holder.member("content");
        let members = content.iter().flat_map(LocatedNode::members);
        let all: Vec<_> = members.map(|(name, at)| (normalized_media_type(name), at)).collect();
        let (mut by_name, mut by_type) = (HashMap::new(), HashMap::<_, Vec<_>>::new());
        for (index, (name, _)) in all.iter().enumerate() {
            by_name.entry(name.clone()).or_insert(index);
            by_type.entry(type_of(name).to_owned()).or_default().push(index);
        }
        Self { all, by_name, by_type }
    }

    fn get(&self, name: &str) -> Option<&(String, LocatedNode<'both>)> {
        self.by_name.get(name).map(|index| &self.all[*index])
    }

    /// Returns the range that covers a media type; of several, the narrowest.
    fn closest_range(&self, name: &str) -> Option<&(String, LocatedNode<'both>)> {
        let ranges = [format!("{}/*", type_of(name)), "*/*".to_owned()];
        ranges
            .iter()
            .filter(|range| covers(range, name))
            .find_map(|range| self.get(range))
    }

    /// Returns the media types that a range covers.
    fn covered_by(&self, range: &str) -> impl Iterator<Item = &(String, LocatedNode<'both>)> {
        let of_type = self
            .by_type
            .get(type_of(range))
            .into_iter()
            .flatten()
            .map(|index| &self.all[*index]);
        let is_all = range == "*/*";
        let all = self.all.iter().filter(move |_| is_all);
        let covered = all.chain(of_type.filter(move |_| !is_all));
        covered.filter(move |(name, _)| covers(range, name))
    }
}

/// Returns the type of a media type: `text` for `text/plain`.
fn type_of(name: &str) -> &str {
    name.split_once('/').map_or(name, |(kind, _)| kind)
}

/// Returns how values are written in a body of this media type. In a form every number is also a string, and so is a
/// plain-text body that is a single value.
fn encoding_of(name: &str, schemas: [&View<'_>; 2]) -> ValueEncoding {
    let essence = name.split(';').next().unwrap_or_default();
    let one_value = || schemas.iter().all(|schema| !schema.types().meets(Types::OBJECT));
    match essence {
        "application/x-www-form-urlencoded" => ValueEncoding::Text,
        "application/xml" | "text/xml" => ValueEncoding::Xml,
        _ if essence.ends_with("+xml") => ValueEncoding::Xml,
        _ if essence.starts_with("multipart/") => ValueEncoding::Parts,
        _ if essence.starts_with("text/") && one_value() => ValueEncoding::Text,
        _ => ValueEncoding::Json,
    }
}

/// Returns a media type in lower case, without blanks, and without the charset that JSON always has (RFC 8259, section
/// 11).
pub(super) fn normalized_media_type(name: &str) -> String {
    let name: String = name.to_ascii_lowercase().split_whitespace().collect();
    match name.split_once(';') {
        Some((essence, "charset=utf-8")) if is_json(essence) => essence.to_owned(),
        _ => name,
    }
}

/// Whether a range such as `text/*` covers the media type.
pub(super) fn covers(range: &str, name: &str) -> bool {
    if range == name {
        return false;
    }
    range == "*/*"
        || range
            .strip_suffix("/*")
            .is_some_and(|kind| name.contains('/') && kind == type_of(name))
}
