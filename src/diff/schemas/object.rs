//! Objects: properties, whether they are required, what else may be there.
//!
//! # Design
//!
//! Formally, an object that lists properties and is not closed admits anything under every other name. Nobody reads it
//! that way: a name that is not listed is not documented. A property that is added to an open object is therefore
//! harmless, and one that is removed from it leaves open what its name means now.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::{AttemptOutcome, Relation, SchemaComparison, ValueEncoding, any_below};
use crate::contract::pointer;
use crate::diff::difference::{ClientEffect, Location, Side};
use crate::diff::kind::Kind;
use crate::diff::schemas::FoundDifference;
use crate::diff::source::Source;
use crate::diff::types::Types;
use crate::diff::view::{Additional, NamePatterns, RequiredNames, View};

/// Whether `patternProperties` of an object may apply to a property of this name.
fn may_match(object: &View<'_>, patterns: &OnceCell<NamePatterns>, name: &str) -> bool {
    patterns.get_or_init(|| object.name_patterns()).may_match(name)
}

/// A property on one side.
struct Property<'both> {
    view: View<'both>,
    /// Where the property is listed as required; none if it is not.
    required_at: Option<String>,
}

impl<'both> SchemaComparison<'both> {
    pub(super) fn object(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let mut names = HashSet::new();
        let listed = old.property_names().into_iter().chain(new.property_names());
        let listed: Vec<_> = listed.filter(|name| names.insert(*name)).collect();
        // Reading patterns takes time, so each side's are read once, and only if a name asks for them.
        let (of_old, of_new) = (OnceCell::new(), OnceCell::new());
        let (required_before, required_now) = (old.required(), new.required());
        for name in listed {
            let below = pointer::join(path, name);
            let was = self.property(self.old, (old, &required_before), name);
            let is = self.property(self.new, (new, &required_now), name);
            match (was, is) {
                (Some(was), Some(is)) => {
                    let relation = self.newly_required(&is.view);
                    let places = (was.required_at.as_deref(), is.required_at.as_deref());
                    self.required((old, places.0), (new, places.1), (relation, &below));
                    self.property_value(&was.view, &is.view, &below);
                }
                (Some(was), None) => self.removed(&was, (new, &of_new), &below),
                (None, Some(is)) => self.added((old, &of_old), &is, &below),
                (None, None) => {}
            }
        }
        let required = required_before.names().chain(required_now.names());
        for name in required.filter(|name| names.insert(*name)) {
            let places = (required_before.location_of(name), required_now.location_of(name));
            let relation = Relation::Narrower;
            self.required(
                (old, places.0.as_deref()),
                (new, places.1.as_deref()),
                (relation, &pointer::join(path, name)),
            );
        }
        self.additional(old, new, path);
        self.count(old, new, path, Kind::PropertyCount);
    }

    /// Compares the values of a property; in a multipart body, each is encoded by itself.
    fn property_value(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let whole = self.encoding;
        if whole == ValueEncoding::Parts {
            self.encoding = if is_json_part(old, self.old) || is_json_part(new, self.new) {
                ValueEncoding::Json
            } else {
                ValueEncoding::Text
            };
        }
        self.compare(old, new, path);
        self.encoding = whole;
    }

    /// Returns a property, unless it does not exist on this side of an operation.
    fn property(
        &self,
        source: &Source<'both>,
        (view, required): (&View<'both>, &RequiredNames<'both>),
        name: &str,
    ) -> Option<Property<'both>> {
        let property = view.property(source, name)?;
        let hidden = match self.side {
            Side::Request => "readOnly",
            Side::Response => "writeOnly",
            Side::Operation => return None,
        };
        let required_at = required.location_of(name);
        (!property.flag(hidden)).then_some(Property {
            view: property,
            required_at,
        })
    }

    /// Compares whether a property is required, which each object says at a place, or nowhere; `newly` is what it means
    /// that it is required now.
    fn required(
        &mut self,
        (old, was): (&View<'both>, Option<&str>),
        (new, is): (&View<'both>, Option<&str>),
        (newly, path): (Relation, &str),
    ) {
        let (relation, text) = match (was, is) {
            (None, Some(_)) => (newly, "is now required"),
            (Some(_), None) => (Relation::Wider, "is no longer required"),
            _ => return,
        };
        let location = |place: Option<&str>, view: &View<'_>| match place {
            Some(at) => Location::at(at),
            None => Location::missing_from(view.keyword_pointer("required")),
        };
        let locations = (location(was, old), location(is, new));
        self.emit(found(Kind::PropertyRequired, relation, text), path, locations);
    }

    /// What it means that a property is required now.
    fn newly_required(&self, property: &View<'both>) -> Relation {
        if self.side == Side::Request && property.keyword("default").is_some() {
            return Relation::Unclear(
                "it is required and has a default, so a request without it may still be accepted",
            );
        }
        Relation::Narrower
    }

    fn removed(&mut self, was: &Property<'both>, (new, patterns): (&View<'both>, &OnceCell<NamePatterns>), path: &str) {
        let name = last(path);
        // It is listed all the same, with `readOnly` or `writeOnly`.
        let on_other_side = new.property(self.new, &name);
        let text = match (on_other_side.is_some(), self.side) {
            (true, Side::Response) => "is now write-only, so no response has it",
            (true, _) => "is now read-only, so no request has it",
            (false, _) => "is gone",
        };
        let relation = match (self.side, was.required_at.is_some(), new.additional(self.new)) {
            (Side::Response, true, _) => Relation::Wider,
            // Then what holds for every other name does not hold for this one.
            (_, _, Additional::Nothing | Additional::Of(_))
                if on_other_side.is_none() && may_match(new, patterns, &name) =>
            {
                Relation::Unclear("`patternProperties` of the new document may still allow it, and is not compared")
            }
            // What holds for every other name holds for this one now.
            (_, false, Additional::Of(others)) if on_other_side.is_none() => match self.attempt(&was.view, &others) {
                AttemptOutcome::Same | AttemptOutcome::Compatible => Relation::Harmless,
                AttemptOutcome::Unclear => Relation::Unclear(
                    "the new document has a schema for every other property, which cannot be compared",
                ),
                AttemptOutcome::Breaking => Relation::Different,
            },
            // It was optional, and the new document says that it no longer comes.
            (Side::Response, false, _) if on_other_side.is_some() => Relation::Narrower,
            (Side::Response, false, Additional::Nothing) => Relation::Narrower,
            (Side::Response, false, _) => Relation::Unclear(
                "it was optional, so callers had to expect its absence; whether it still comes is not said",
            ),
            (_, _, Additional::Nothing) => Relation::Narrower,
            _ => Relation::Unclear(
                "the new document does not say whether a request that still has it is rejected or ignored",
            ),
        };
        let locations = (Location::at(&was.view.pointer), listed_at(on_other_side.as_ref(), new));
        self.emit(found(Kind::PropertyRemoved, relation, text), path, locations);
    }

    fn added(&mut self, (old, patterns): (&View<'both>, &OnceCell<NamePatterns>), is: &Property<'both>, path: &str) {
        let name = last(path);
        let on_other_side = old.property(self.old, &name);
        let additional = old.additional(self.old);
        let relation = match (self.side, &additional) {
            (Side::Request, _) if is.required_at.is_some() => self.newly_required(&is.view),
            (_, Additional::Nothing | Additional::Of(_))
                if on_other_side.is_none() && may_match(old, patterns, &name) =>
            {
                Relation::Unclear("`patternProperties` of the old document may have allowed it, and is not compared")
            }
            (_, Additional::Nothing) => Relation::Wider,
            (_, Additional::Of(others)) if on_other_side.is_none() => match self.attempt(others, &is.view) {
                AttemptOutcome::Same | AttemptOutcome::Compatible => Relation::Harmless,
                AttemptOutcome::Unclear => Relation::Unclear(
                    "the old document has a schema for every other property, which cannot be compared",
                ),
                AttemptOutcome::Breaking => Relation::Different,
            },
            (_, Additional::Anything | Additional::Of(_)) => Relation::Harmless,
        };
        let required = is.required_at.is_some() && self.side == Side::Request;
        let text = match (on_other_side.is_some(), self.side) {
            (true, Side::Response) => "is no longer write-only",
            (true, _) if required => "is no longer read-only, and is required",
            (true, _) => "is no longer read-only",
            (false, _) if required => "is new and required",
            (false, _) => "is new",
        };
        let locations = (listed_at(on_other_side.as_ref(), old), Location::at(&is.view.pointer));
        let mut found = found(Kind::PropertyAdded, relation, text);
        found.client = if required {
            ClientEffect::Major
        } else {
            ClientEffect::Minor
        };
        self.emit(found, path, locations);
    }

    fn additional(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let (relation, text) = match (old.additional(self.old), new.additional(self.new)) {
            (Additional::Nothing, Additional::Nothing) | (Additional::Anything, Additional::Anything) => return,
            (Additional::Of(old), Additional::Of(new)) => return self.compare(&old, &new, &any_below(path)),
            (_, Additional::Nothing) => (Relation::Narrower, "may no longer have other properties"),
            (Additional::Nothing, _) => (Relation::Wider, "may now have other properties"),
            (Additional::Anything, Additional::Of(_)) => {
                (Relation::Narrower, "has a schema for its other properties now")
            }
            (Additional::Of(_), Additional::Anything) => {
                (Relation::Wider, "no longer has a schema for its other properties")
            }
        };
        // The client's API shows the type of other properties, but not whether there may be any.
        let of_a_type = |view: &View<'both>, source| matches!(view.additional(source), Additional::Of(_));
        let client = if of_a_type(old, self.old) || of_a_type(new, self.new) {
            ClientEffect::Major
        } else {
            ClientEffect::None
        };
        let keyword = "additionalProperties";
        let locations = (
            Location::at(old.keyword_pointer(keyword)),
            Location::at(new.keyword_pointer(keyword)),
        );
        let mut found = found(Kind::AdditionalProperties, relation, text);
        found.client = client;
        self.emit(found, path, locations);
    }
}

fn found(kind: Kind, relation: Relation, text: &str) -> FoundDifference {
    FoundDifference {
        kind,
        relation,
        client: ClientEffect::Major,
        text: text.to_owned(),
    }
}

/// Whether a part is JSON: an object, or an array of objects, each of which is a part of its own.
fn is_json_part<'both>(view: &View<'both>, source: &Source<'both>) -> bool {
    match view.types() {
        Types::ARRAY => view.items(source).types() == Types::OBJECT,
        types => types == Types::OBJECT,
    }
}

/// Returns where an object lists a property that does not exist on this side, or where it would list it.
fn listed_at(on_other_side: Option<&View<'_>>, object: &View<'_>) -> Location {
    on_other_side.map_or_else(
        || Location::missing_from(object.keyword_pointer("properties")),
        |property| Location::at(&property.pointer),
    )
}

fn last(path: &str) -> String {
    pointer::tokens(path).last().unwrap_or_default()
}
