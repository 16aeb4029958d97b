//! The parameters of an operation.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::bodies::normalized_media_type;
use super::difference::{ClientEffect, Location, Side};
use super::kind::Kind;
use super::operations::{Comparison, Operation, OperationPair, location_of_member, template_names};
use super::range::Relation;
use super::schemas::{FoundDifference, ValueEncoding};
use super::source::{LocatedNode, Source, only_in_first, reference};
use super::types::Types;
use super::view::View;

/// The headers that OpenAPI does not describe as parameters (3.0.3, section 4.7.12.1).
const NOT_PARAMETERS: [&str; 3] = ["accept", "authorization", "content-type"];

/// Why a parameter may be there although it is not listed.
const MAY_BE_ELSEWHERE: &str = "a parameter that the other document refers to is not in the file, and may be this one";

/// A parameter of an operation in one document.
struct Parameter<'both> {
    name: &'both str,
    location: &'both str,
    /// What identifies it: the place in the path, or location and name.
    key: (String, String),
    at: LocatedNode<'both>,
}

impl Parameter<'_> {
    fn required(&self) -> bool {
        self.location == "path" || self.at.flag("required")
    }

    fn title(&self) -> String {
        format!("the {} parameter `{}`", self.location, self.name)
    }
}

impl<'both> Comparison<'both> {
    pub(super) fn parameters(&mut self, both: OperationPair<'_, 'both>) {
        let (was, unresolved_old) = parameters(self.old, both.old);
        let (is, unresolved_new) = parameters(self.new, both.new);
        let (may_be_old, may_be_new) = self.unresolved_parameters(both, (&unresolved_old, &unresolved_new));
        let new_parameters: HashMap<_, _> = is.iter().map(|new| (&new.key, new)).collect();
        let mut added: Vec<_> = only_in_first(&is, &was, |parameter| &parameter.key).collect();
        for old in &was {
            if let Some(new) = new_parameters.get(&old.key) {
                self.parameter(old, new);
                continue;
            }
            let moved = added
                .iter()
                .position(|new| new.name.eq_ignore_ascii_case(old.name) && new.location != old.location);
            match moved {
                Some(index) => self.moved(old, added.remove(index)),
                None if may_be_new => self.with_doubt(MAY_BE_ELSEWHERE, |comparison| {
                    comparison.parameter_removed(old, both.new);
                }),
                None => self.parameter_removed(old, both.new),
            }
        }
        for new in added {
            if may_be_old {
                self.with_doubt(MAY_BE_ELSEWHERE, |comparison| comparison.parameter_added(new, both.old));
            } else {
                self.parameter_added(new, both.old);
            }
        }
    }

    /// Reports references to parameters that lead nowhere and that only one document has. Returns whether the old and
    /// whether the new document has one: it may be any parameter that is not listed there.
    fn unresolved_parameters(
        &mut self,
        both: OperationPair<'_, 'both>,
        (old, new): (&[LocatedNode<'both>], &[LocatedNode<'both>]),
    ) -> (bool, bool) {
        let lone = |these: &[LocatedNode<'both>], others: &[LocatedNode<'both>]| {
            let known: HashSet<_> = others.iter().filter_map(|at| reference(at.node)).collect();
            let lone = these
                .iter()
                .filter(|at| reference(at.node).is_some_and(|target| !known.contains(target)));
            lone.cloned().collect::<Vec<_>>()
        };
        let (only_old, only_new) = (lone(old, new), lone(new, old));
        let missing_from =
            |operation: &Operation<'_>| Location::missing_from(location_of_member(&operation.at, "parameters").pointer);
        for at in &only_old {
            let locations = (location_of_member(at, "$ref"), missing_from(both.new));
            self.refers_elsewhere(Side::Request, "a parameter", locations);
        }
        for at in &only_new {
            let locations = (missing_from(both.old), location_of_member(at, "$ref"));
            self.refers_elsewhere(Side::Request, "a parameter", locations);
        }
        (!only_old.is_empty(), !only_new.is_empty())
    }

    fn moved(&mut self, old: &Parameter<'both>, new: &Parameter<'both>) {
        let found = FoundDifference {
            kind: Kind::ParameterMoved,
            relation: Relation::Different,
            client: ClientEffect::Major,
            text: format!(
                "the parameter `{}` was in the {}, is in the {}",
                old.name, old.location, new.location
            ),
        };
        self.emit(
            Side::Request,
            found,
            (location_of_member(&old.at, "in"), location_of_member(&new.at, "in")),
        );
    }

    fn parameter_removed(&mut self, old: &Parameter<'both>, new: &Operation<'both>) {
        let found = FoundDifference {
            kind: Kind::ParameterRemoved,
            relation: self.removal(&old.at),
            client: ClientEffect::Major,
            text: format!("{} is gone", old.title()),
        };
        let above = location_of_member(&new.at, "parameters").pointer;
        self.emit(
            Side::Request,
            found,
            (Location::at(&old.at.pointer), Location::missing_from(above)),
        );
    }

    fn parameter_added(&mut self, new: &Parameter<'both>, old: &Operation<'both>) {
        let required = new.required();
        let (relation, client, verb) = if required {
            (Relation::Narrower, ClientEffect::Major, "is new and required")
        } else {
            (Relation::Harmless, ClientEffect::Minor, "is new")
        };
        let found = FoundDifference {
            kind: Kind::ParameterAdded,
            relation,
            client,
            text: format!("{} {verb}", new.title()),
        };
        let above = location_of_member(&old.at, "parameters").pointer;
        self.emit(
            Side::Request,
            found,
            (Location::missing_from(above), Location::at(&new.at.pointer)),
        );
    }

    fn parameter(&mut self, old: &Parameter<'both>, new: &Parameter<'both>) {
        if old.location == "path" && old.name != new.name {
            let found = FoundDifference {
                kind: Kind::ParameterRenamed,
                relation: Relation::Harmless,
                client: ClientEffect::Major,
                text: format!("the path parameter `{}` is called `{}` now", old.name, new.name),
            };
            self.emit(
                Side::Request,
                found,
                (location_of_member(&old.at, "name"), location_of_member(&new.at, "name")),
            );
        }
        let title = new.title();
        if old.required() != new.required() {
            let (relation, client, verb) = if new.required() {
                (Relation::Narrower, ClientEffect::Major, "is now required")
            } else {
                (Relation::Wider, ClientEffect::Minor, "is no longer required")
            };
            let found = FoundDifference {
                kind: Kind::ParameterRequired,
                relation,
                client,
                text: format!("{title} {verb}"),
            };
            self.emit(
                Side::Request,
                found,
                (
                    location_of_member(&old.at, "required"),
                    location_of_member(&new.at, "required"),
                ),
            );
        }
        self.deprecation((&old.at, &new.at), Side::Request, &title);
        let (was, encoding) = schema(self.old, &old.at);
        let (is, _) = schema(self.new, &new.at);
        let differences = self.schema_differences(Side::Request, encoding, (&was, &is));
        self.emit_schema_differences(Side::Request, differences, &title);
        self.style(old, new, was.types().or(is.types()));
        self.flag(old, new, ("allowEmptyValue", "be empty"));
        if new.location == "query" {
            self.flag(
                old,
                new,
                ("allowReserved", "have reserved characters that are not encoded"),
            );
        }
    }

    /// Compares how a value is written, which matters for lists and objects, and in a path for every value.
    fn style(&mut self, old: &Parameter<'both>, new: &Parameter<'both>, types: Types) {
        let (was, is) = (
            SerializationStyle::of(old.location, &old.at),
            SerializationStyle::of(new.location, &new.at),
        );
        if was.same(&is, types) || (was.is_style() && is.is_style() && is_scalar(types) && old.location != "path") {
            return;
        }
        self.report_style((&old.at, &was), (&new.at, &is), (Side::Request, &new.title()));
    }

    /// Reports that a value is written differently; `what` is the value.
    pub(super) fn report_style(
        &mut self,
        (old, was): (&LocatedNode<'both>, &SerializationStyle<'both>),
        (new, is): (&LocatedNode<'both>, &SerializationStyle<'both>),
        (side, what): (Side, &str),
    ) {
        let found = FoundDifference {
            kind: Kind::ParameterStyle,
            relation: Relation::Different,
            client: ClientEffect::Major,
            text: format!("{what} was written {was}, now {is}"),
        };
        let keyword = match (was, is) {
            (SerializationStyle::Style(was, _), SerializationStyle::Style(is, _)) if was == is => "explode",
            (SerializationStyle::Style(..), SerializationStyle::Style(..)) => "style",
            _ => "content",
        };
        self.emit(
            side,
            found,
            (location_of_member(old, keyword), location_of_member(new, keyword)),
        );
    }

    /// Compares what a flag permits a value to be.
    fn flag(&mut self, old: &Parameter<'both>, new: &Parameter<'both>, (keyword, permitted): (&str, &str)) {
        let (relation, verb) = match (old.at.flag(keyword), new.at.flag(keyword)) {
            (true, false) => (Relation::Narrower, "may no longer"),
            (false, true) => (Relation::Wider, "may now"),
            _ => return,
        };
        let found = FoundDifference {
            kind: Kind::ParameterStyle,
            relation,
            client: ClientEffect::None,
            text: format!("{} {verb} {permitted}", new.title()),
        };
        self.emit(
            Side::Request,
            found,
            (
                location_of_member(&old.at, keyword),
                location_of_member(&new.at, keyword),
            ),
        );
    }
}

/// Returns the schema of a parameter or a header, and how its value is written.
pub(super) fn schema<'both>(source: &Source<'both>, at: &LocatedNode<'both>) -> (View<'both>, ValueEncoding) {
    if let Some(schema) = at.member("schema") {
        return (View::of(source, vec![schema]), ValueEncoding::Text);
    }
    let content = at.member("content");
    let media = content.as_ref().and_then(|content| content.members().next());
    let schema = media.and_then(|(_, media)| media.member("schema"));
    let view = schema.map_or_else(|| View::anything(&at.pointer), |schema| View::of(source, vec![schema]));
    (
        view,
        if content.is_some() {
            ValueEncoding::Json
        } else {
            ValueEncoding::Text
        },
    )
}

/// How a value is written in a parameter, a header or a property of a form.
pub(super) enum SerializationStyle<'both> {
    /// In a style, exploded or not.
    Style(&'both str, bool),
    /// As a body of this media type.
    Content(String),
}

impl<'both> SerializationStyle<'both> {
    /// Returns style and explode, stated or default (3.0.3, section 4.7.12.2).
    pub(super) fn of(location: &str, at: &LocatedNode<'both>) -> Self {
        let content = at.member("content");
        if let Some((name, _)) = content.as_ref().and_then(|content| content.members().next()) {
            return Self::Content(normalized_media_type(name));
        }
        let by_default = match location {
            "query" | "cookie" => "form",
            _ => "simple",
        };
        let style = at.string("style").unwrap_or(by_default);
        let explode = at.member("explode").and_then(|at| at.node.boolean());
        Self::Style(style, explode.unwrap_or(style == "form"))
    }

    fn is_style(&self) -> bool {
        matches!(self, Self::Style(..))
    }

    /// Whether values of these types are written the same. `explode` makes no difference to a list in the style
    /// `simple`, nor to a scalar in any style.
    pub(super) fn same(&self, other: &Self, types: Types) -> bool {
        match (self, other) {
            (Self::Style(was, exploded), Self::Style(is, explodes)) => {
                let same_way =
                    exploded == explodes || is_scalar(types) || (*is == "simple" && !types.meets(Types::OBJECT));
                was == is && same_way
            }
            (Self::Content(was), Self::Content(is)) => was == is,
            _ => false,
        }
    }
}

impl fmt::Display for SerializationStyle<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Style(style, true) => write!(formatter, "in the style `{style}`, exploded"),
            Self::Style(style, false) => write!(formatter, "in the style `{style}`"),
            Self::Content(name) => write!(formatter, "as {name}"),
        }
    }
}

/// Whether values are scalars, as far as the document says.
fn is_scalar(types: Types) -> bool {
    types == Types::ALL || !(types.meets(Types::ARRAY) || types.meets(Types::OBJECT))
}

/// Returns the parameters of an operation, and the references to one that lead nowhere.
fn parameters<'both>(
    source: &Source<'both>,
    operation: &Operation<'both>,
) -> (Vec<Parameter<'both>>, Vec<LocatedNode<'both>>) {
    let in_path = template_names(operation.path);
    let mut found: Vec<Parameter<'both>> = Vec::new();
    let (mut keys, mut unresolved) = (HashSet::new(), Vec::new());
    for holder in [&operation.at, &operation.item] {
        for at in holder.member("parameters").iter().flat_map(LocatedNode::elements) {
            let at = source.resolve(at);
            if reference(at.node).is_some() {
                unresolved.push(at);
                continue;
            }
            let (Some(name), Some(location)) = (at.string("name"), at.string("in")) else {
                continue;
            };
            let lower = name.to_ascii_lowercase();
            let key = match location {
                "header" if NOT_PARAMETERS.contains(&lower.as_str()) => continue,
                "header" => lower,
                "path" => match in_path.iter().position(|known| *known == name) {
                    Some(index) => index.to_string(),
                    // It is nowhere in the path, so no request has it.
                    None => continue,
                },
                _ => name.to_owned(),
            };
            let key = (location.to_owned(), key);
            if keys.insert(key.clone()) {
                found.push(Parameter {
                    name,
                    location,
                    key,
                    at,
                });
            }
        }
    }
    (found, unresolved)
}
