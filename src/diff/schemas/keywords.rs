//! The keywords of one schema: type, values, bounds, formats and the rest.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    AttemptOutcome, FoundDifference, Relation, SchemaComparison, ValueEncoding, any_below, client_effect_of_limit,
    value_change,
};
use crate::diff::difference::{ClientEffect, Location, Side};
use crate::diff::kind::Kind;
use crate::diff::range::{self, End, Range, compare_ends};
use crate::diff::source::{LocatedNode, NOT_IN_THE_FILE, normalized_value, refers, state_the_same};
use crate::diff::types::Types;
use crate::diff::view::View;

/// The string formats whose values are defined. They are treated as having no value in common.
const KNOWN_FORMATS: &[&str] = &[
    "byte", "date", "date-time", "email", "hostname", "ipv4", "ipv6", "uri", "uuid",
];
/// The numeric formats whose limits no document relies on.
const WIDE_FORMATS: &[&str] = &["double", "float", "int64", "uint64"];
/// The keywords that assert something and are not interpreted, with the types that they are about: only whether both
/// documents state the same is compared.
const OPAQUE: &[(&str, Types)] = &[
    ("$dynamicRef", Types::ALL),
    ("contains", Types::ARRAY),
    ("contentEncoding", Types::STRING),
    ("contentMediaType", Types::STRING),
    ("contentSchema", Types::STRING),
    ("dependentRequired", Types::OBJECT),
    ("dependentSchemas", Types::OBJECT),
    ("else", Types::ALL),
    ("if", Types::ALL),
    ("maxContains", Types::ARRAY),
    ("minContains", Types::ARRAY),
    ("patternProperties", Types::OBJECT),
    ("prefixItems", Types::ARRAY),
    ("propertyNames", Types::OBJECT),
    ("then", Types::ALL),
    ("unevaluatedItems", Types::ARRAY),
    ("unevaluatedProperties", Types::OBJECT),
];
/// The most values that a sentence lists.
const MAX_VALUES: usize = 8;

impl<'both> SchemaComparison<'both> {
    /// Compares two schemas without alternatives.
    pub(super) fn plain(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        self.unresolved(old, new, path);
        let (was, is) = (old.types(), new.types());
        if was != is {
            self.types(old, new, path);
        }
        let both = was & is;
        // If only one schema allows any type, no other keyword is worth reporting.
        if both == Types::NONE || (was == Types::ALL) != (is == Types::ALL) {
            return;
        }
        self.values(old, new, path);
        self.open_values(old, new, path);
        self.default(old, new, path);
        let by_values = enum_decides_limits(old, new);
        if both.meets(Types::STRING) {
            if !by_values {
                self.length(old, new, path);
            }
            self.pattern(old, new, path);
        }
        if both.meets(Types::NUMBER) && !by_values {
            self.bounds(old, new, path);
            self.multiple_of(old, new, path);
        }
        if both.meets(Types::STRING) || both.meets(Types::NUMBER) {
            self.format(old, new, path);
        }
        if both.meets(Types::ARRAY) && both != Types::ALL {
            self.compare(&old.items(self.old), &new.items(self.new), &any_below(path));
            self.count(old, new, path, Kind::ItemCount);
            self.unique(old, new, path);
        }
        if both.meets(Types::OBJECT) && both != Types::ALL {
            self.object(old, new, path);
            self.discriminator(old, new, path);
        }
        self.not(old, new, path);
        self.deprecated(old, new, path);
        for (keyword, _) in OPAQUE.iter().filter(|(_, types)| both.meets(*types)) {
            self.opaque(old, new, (keyword, path));
        }
        if self.encoding == ValueEncoding::Xml {
            self.opaque(old, new, ("xml", path));
        }
    }

    /// Emits a difference of one keyword, located at the keyword.
    fn emit_at_keyword(
        &mut self,
        found: FoundDifference,
        views: (&View<'both>, &View<'both>),
        keyword: &str,
        path: &str,
    ) {
        let location = |view: &View<'_>| match view.keyword(keyword) {
            Some(at) => Location::at(at.pointer),
            None => Location::missing_from(view.definition()),
        };
        let locations = (location(views.0), location(views.1));
        self.emit(found, path, locations);
    }

    fn types(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let (was, is) = (old.types(), new.types());
        let scalar = Types::NUMBER.or(Types::BOOLEAN);
        let is_free_text = |view: &View<'_>, types: Types| {
            types.includes(Types::STRING)
                && view.values().is_none()
                && ["pattern", "format", "minLength", "maxLength"]
                    .iter()
                    .all(|keyword| view.keyword(keyword).is_none())
        };
        let text = self.encoding == ValueEncoding::Text;
        let relation = if is.includes(was) {
            Relation::Wider
        } else if was.includes(is) {
            Relation::Narrower
        } else if text && is_free_text(new, is) && scalar.or(Types::STRING).includes(was) {
            Relation::Wider
        } else if text && is_free_text(old, was) && scalar.or(Types::STRING).includes(is) {
            Relation::Narrower
        } else if text && self.side == Side::Request && is == Types::ARRAY {
            Relation::Unclear("one value is written like a list of one, unless it contains the separator")
        } else {
            Relation::Different
        };
        let found = FoundDifference {
            kind: Kind::Type,
            relation,
            client: ClientEffect::Major,
            text: format!("was {was}, is {is}"),
        };
        self.emit_at_keyword(found, (old, new), "type", path);
    }

    fn values(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let keyword = if old.keyword("const").or_else(|| new.keyword("const")).is_some() {
            "const"
        } else {
            "enum"
        };
        let (was, is) = (old.values(), new.values());
        let emitted: Vec<(Relation, String)> = match (&was, &is) {
            (None, Some(values)) if !is_every_boolean(values, new.types()) => {
                vec![(Relation::Narrower, format!("is now limited to {}", listed(values)))]
            }
            (Some(values), None) if !is_every_boolean(values, old.types()) => {
                vec![(Relation::Wider, format!("is no longer limited to {}", listed(values)))]
            }
            (Some(was), Some(is)) => {
                let (gone, added) = (values_only_in(was, is), values_only_in(is, was));
                let mut emitted = Vec::new();
                if !gone.is_empty() {
                    emitted.push((Relation::Narrower, format!("may no longer be {}", listed(&gone))));
                }
                if !added.is_empty() {
                    emitted.push((Relation::Wider, format!("may now be {}", listed(&added))));
                }
                emitted
            }
            _ => return,
        };
        for (relation, text) in emitted {
            let found = FoundDifference {
                kind: Kind::Enum,
                relation,
                client: match self.side {
                    Side::Request if was.is_some() && is.is_some() => client_effect_of_limit(relation),
                    Side::Request => ClientEffect::Major,
                    // The client's types accept any value in a response.
                    Side::Operation | Side::Response => ClientEffect::None,
                },
                text,
            };
            self.emit_at_keyword(found, (old, new), keyword, path);
        }
    }

    /// Compares `x-extensible-enum`, whose values a response may exceed at any time.
    fn open_values(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let keyword = "x-extensible-enum";
        let values = |view: &View<'both>| {
            let values = view.keyword(keyword).map(|at| at.node.to_value());
            values.and_then(|values| values.as_array().cloned())
        };
        let (was, is) = (values(old), values(new));
        let (narrower, fewer) = match is {
            Some(_) => (Relation::Narrower, "may no longer be"),
            // Without the list, nothing says which values there are.
            None => (Relation::Harmless, "is no longer known to be"),
        };
        let more = if was.is_some() { "may now be" } else { "is known to be" };
        let (was, is) = (was.unwrap_or_default(), is.unwrap_or_default());
        let (gone, added) = (values_only_in(&was, &is), values_only_in(&is, &was));
        for (relation, verb, values, client) in [
            (narrower, fewer, gone, ClientEffect::Major),
            (Relation::Harmless, more, added, ClientEffect::Minor),
        ] {
            if !values.is_empty() {
                let found = FoundDifference {
                    kind: Kind::Enum,
                    relation,
                    // The client has a constant for each known value of a field, and none for what is not a field, such
                    // as a body.
                    client: if path.is_empty() { ClientEffect::None } else { client },
                    text: format!("{verb} {}", listed(&values)),
                };
                self.emit_at_keyword(found, (old, new), keyword, path);
            }
        }
    }

    fn default(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let stated = |view: &View<'_>| view.keyword("default").map(|at| normalized_value(at.node));
        let (was, is) = (stated(old), stated(new));
        if was == is {
            return;
        }
        let text = |value: &Option<Value>| value.as_ref().map(quoted);
        let changed = was.is_some() && is.is_some();
        let relation = match (self.side, self.encoding) {
            (Side::Request, ValueEncoding::Text) if changed && path.is_empty() => Relation::Different,
            (Side::Request, ValueEncoding::Text) if !changed => {
                Relation::Unclear("only one document says what a missing value stands for")
            }
            (Side::Request, _) => {
                Relation::Unclear("a request without it may mean something else now, or keep what is stored")
            }
            _ => Relation::Harmless,
        };
        let found = FoundDifference {
            kind: Kind::Default,
            relation,
            client: if changed {
                ClientEffect::Minor
            } else {
                ClientEffect::Major
            },
            text: value_change("default", text(&was), text(&is)),
        };
        self.emit_at_keyword(found, (old, new), "default", path);
    }

    fn bounds(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let whole_numbers_only = !(old.types() & new.types()).includes(Types::NUMBER);
        let range = |view: &View<'_>| Range::of_number(view, whole_numbers_only);
        let (was, is) = (range(old), range(new));
        self.range(Kind::Bounds, ("minimum", "maximum"), (was, is), (old, new), path);
    }

    fn length(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let range = |view: &View<'_>| Range::of_count(view, "minLength", "maxLength");
        self.range(
            Kind::Length,
            ("minLength", "maxLength"),
            (range(old), range(new)),
            (old, new),
            path,
        );
    }

    pub(super) fn count(&mut self, old: &View<'both>, new: &View<'both>, path: &str, kind: Kind) {
        let names = if kind == Kind::ItemCount {
            ("minItems", "maxItems")
        } else {
            ("minProperties", "maxProperties")
        };
        let range = |view: &View<'_>| Range::of_count(view, names.0, names.1);
        self.range(kind, names, (range(old), range(new)), (old, new), path);
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "two ranges of two schemas, and what they are called"
    )]
    fn range(
        &mut self,
        kind: Kind,
        names: (&str, &str),
        (was, is): (Range, Range),
        views: (&View<'both>, &View<'both>),
        path: &str,
    ) {
        for (keyword, was, is, upper) in [
            (names.0, was.lower, is.lower, false),
            (names.1, was.upper, is.upper, true),
        ] {
            let Some(relation) = compare_ends(was, is, upper) else {
                continue;
            };
            let states = |keyword: &str| views.0.keyword(keyword).or_else(|| views.1.keyword(keyword)).is_some();
            let mut stated = keyword;
            if kind == Kind::Bounds && !states(keyword) {
                stated = range::exclusive_keyword(keyword);
                // A bound that follows from the format alone is reported with the format.
                if !states(stated) {
                    continue;
                }
            }
            let found = FoundDifference {
                kind,
                relation,
                client: match kind {
                    Kind::Bounds | Kind::ItemCount | Kind::PropertyCount => ClientEffect::None,
                    // A string whose length is limited has a type of its own.
                    _ if views.0.limits_length() != views.1.limits_length() => ClientEffect::Major,
                    _ => client_effect_of_limit(relation),
                },
                text: value_change(keyword, was.map(end), is.map(end)),
            };
            self.emit_at_keyword(found, views, stated, path);
        }
    }

    fn multiple_of(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let whole_numbers_only = !(old.types() & new.types()).includes(Types::NUMBER);
        // Every integer is a multiple of 1, and of anything that divides 1, such as 0.5.
        let asks = |divisor: &f64| !whole_numbers_only || !is_whole(1.0 / divisor);
        let stated = |view: &View<'_>| multiples_of(view).into_iter().filter(asks).collect::<Vec<_>>();
        let (was, is) = (stated(old), stated(new));
        // Whether each of these says nothing more than one of those.
        let follow = |these: &[f64], those: &[f64]| {
            let divides = |divisor: f64, whole: f64| {
                divisor.to_bits() == whole.to_bits() || (divisor > 0.0 && is_whole(whole / divisor))
            };
            these
                .iter()
                .all(|divisor| those.iter().any(|whole| divides(*divisor, *whole)))
        };
        let relation = match (follow(&was, &is), follow(&is, &was)) {
            (true, true) => return,
            (true, false) if was.len() < 2 => Relation::Narrower,
            (false, true) if is.len() < 2 => Relation::Wider,
            (false, false) if was.len() < 2 && is.len() < 2 => Relation::Different,
            _ => Relation::Unclear("what several of them ask for together is not decided"),
        };
        let text = |divisors: &[f64]| joined(divisors.iter().map(f64::to_string));
        let found = FoundDifference {
            kind: Kind::MultipleOf,
            relation,
            client: ClientEffect::None,
            text: value_change("multipleOf", text(&was), text(&is)),
        };
        self.emit_at_keyword(found, (old, new), "multipleOf", path);
    }

    fn pattern(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let patterns = |view: &View<'_>| -> Vec<String> {
            let stated = view
                .keywords("pattern")
                .filter_map(|at| at.node.string().map(str::to_owned));
            let mut stated: Vec<_> = stated.filter(|pattern| !is_any_text(pattern)).collect();
            stated.sort();
            stated.dedup();
            stated
        };
        let (was, is) = (patterns(old), patterns(new));
        if was == is {
            return;
        }
        let within = |these: &[String], those: &[String]| these.iter().all(|pattern| those.contains(pattern));
        let relation = if within(&was, &is) {
            Relation::Narrower
        } else if within(&is, &was) {
            Relation::Wider
        } else {
            Relation::Unclear("whether one pattern includes the other is not decided")
        };
        let text = |patterns: &[String]| joined(patterns.iter().map(|pattern| format!("`{pattern}`")));
        let found = FoundDifference {
            kind: Kind::Pattern,
            relation,
            client: if was.is_empty() || is.is_empty() {
                ClientEffect::Major
            } else {
                ClientEffect::Minor
            },
            text: value_change("pattern", text(&was), text(&is)),
        };
        self.emit_at_keyword(found, (old, new), "pattern", path);
    }

    fn format(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let (was, is) = (formats(old), formats(new));
        let only_in_first = |these: &[&'both str], those: &[&'both str]| -> Vec<&'both str> {
            these.iter().filter(|format| !those.contains(format)).copied().collect()
        };
        let (gone, added) = (only_in_first(&was, &is), only_in_first(&is, &was));
        let (from, to) = (gone.first().copied(), added.first().copied());
        let relation = match (gone.len(), added.len()) {
            (0, 0) => return,
            (0 | 1, 0 | 1) => match relation_of_formats((from, old), (to, new)) {
                Some(relation) => relation,
                None => return,
            },
            _ => Relation::Unclear("what several formats allow together is not decided"),
        };
        let text = |formats: &[&str]| joined(formats.iter().map(|format| format!("`{format}`")));
        let found = FoundDifference {
            kind: Kind::Format,
            relation,
            client: if self.side == Side::Response {
                client_effect_of_format(from, to, path)
            } else {
                ClientEffect::Major
            },
            text: value_change("format", text(&was), text(&is)),
        };
        self.emit_at_keyword(found, (old, new), "format", path);
    }

    fn unique(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let (relation, text) = match (old.flag("uniqueItems"), new.flag("uniqueItems")) {
            (false, true) => (Relation::Narrower, "may no longer repeat an item"),
            (true, false) => (Relation::Wider, "may now repeat an item"),
            _ => return,
        };
        let found = FoundDifference {
            kind: Kind::UniqueItems,
            relation,
            client: ClientEffect::None,
            text: text.to_owned(),
        };
        self.emit_at_keyword(found, (old, new), "uniqueItems", path);
    }

    /// Compares what is excluded: excluding more allows less.
    fn not(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let (was, is) = (old.excluded(self.old), new.excluded(self.new));
        let relation = match (was.as_slice(), is.as_slice()) {
            ([], []) => return,
            ([], _) => Relation::Narrower,
            (_, []) => Relation::Wider,
            (was, is) => match self.exclusion(was, is) {
                None => return,
                Some(relation) => relation,
            },
        };
        let found = FoundDifference {
            kind: Kind::Not,
            relation,
            client: ClientEffect::None,
            text: "excludes different values by `not`".to_owned(),
        };
        self.emit_at_keyword(found, (old, new), "not", path);
    }

    /// Returns how what remains allowed in the two relates, where both exclude something; `None` if they exclude the
    /// same.
    fn exclusion(&mut self, was: &[View<'both>], is: &[View<'both>]) -> Option<Relation> {
        let mut within = |old_in_new: bool| {
            let (these, those) = if old_in_new { (was, is) } else { (is, was) };
            let included = these.iter().map(|one| {
                let tried = those.iter().map(|other| {
                    let (old, new) = if old_in_new { (one, other) } else { (other, one) };
                    self.excluded_is_included(old, new, old_in_new)
                });
                match tried.min() {
                    Some(AttemptOutcome::Same | AttemptOutcome::Compatible) => Some(true),
                    // Several may exclude it together.
                    Some(AttemptOutcome::Breaking) if those.len() == 1 => Some(false),
                    _ => None,
                }
            });
            let included: Vec<_> = included.collect();
            if included.contains(&Some(false)) {
                return Some(false);
            }
            included.into_iter().collect::<Option<Vec<_>>>().map(|_| true)
        };
        Some(match (within(true), within(false)) {
            (Some(true), Some(true)) => return None,
            (Some(true), Some(false)) => Relation::Narrower,
            (Some(false), Some(true)) => Relation::Wider,
            (Some(false), Some(false)) => Relation::Different,
            _ => Relation::Unclear("what is excluded by `not` differs, and is not compared further"),
        })
    }

    /// Tries whether what one `not` excludes is included in what another excludes.
    fn excluded_is_included(&mut self, old: &View<'both>, new: &View<'both>, old_in_new: bool) -> AttemptOutcome {
        if are_identical_texts(old, new) {
            return AttemptOutcome::Same;
        }
        self.included(old, new, old_in_new)
    }

    /// Compares what alternatives are told apart by.
    pub(super) fn discriminator(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        if old.discriminator_compared || new.discriminator_compared {
            return;
        }
        let stated = |view: &View<'both>| view.keyword("discriminator");
        let (was, is) = (stated(old), stated(new));
        let property = |at: &Option<LocatedNode<'both>>| at.as_ref().and_then(|at| at.string("propertyName"));
        let mapping = |at: &Option<LocatedNode<'both>>| {
            at.as_ref()
                .and_then(|at| Some(normalized_value(at.member("mapping")?.node)))
        };
        let helps = "a discriminator only helps to choose the schema; it neither allows nor forbids a value";
        let (relation, text) = match (property(&was), property(&is)) {
            (None, None) => return,
            (Some(was), Some(is)) if was != is => {
                let text = format!("now tells its alternatives apart by `{is}`, no longer by `{was}`");
                (Relation::Different, text)
            }
            // Where both have alternatives, the values for each alternative are compared.
            (Some(_), Some(_)) if mapping(&was) == mapping(&is) || !old.groups.is_empty() && !new.groups.is_empty() => {
                return;
            }
            (Some(_), Some(_)) => (
                Relation::Unclear(helps),
                "maps the values of its discriminator differently".to_owned(),
            ),
            (None, _) => (Relation::Unclear(helps), "has a discriminator now".to_owned()),
            (_, None) => (Relation::Unclear(helps), "no longer has a discriminator".to_owned()),
        };
        let found = FoundDifference {
            kind: Kind::Discriminator,
            relation,
            client: ClientEffect::Major,
            text,
        };
        self.emit_at_keyword(found, (old, new), "discriminator", path);
    }

    fn deprecated(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let text = match (old.flag("deprecated"), new.flag("deprecated")) {
            (false, true) => "is now deprecated",
            (true, false) => "is no longer deprecated",
            _ => return,
        };
        let found = FoundDifference {
            kind: Kind::Deprecation,
            relation: Relation::Harmless,
            client: ClientEffect::None,
            text: text.to_owned(),
        };
        self.emit_at_keyword(found, (old, new), "deprecated", path);
    }

    fn opaque(&mut self, old: &View<'both>, new: &View<'both>, (keyword, path): (&str, &str)) {
        let stated = |view: &View<'both>| view.keywords(keyword).collect::<Vec<_>>();
        let (was, is) = (stated(old), stated(new));
        let same = |(was, is)| state_the_same(Some(keyword), (self.old, was), (self.new, is));
        if was.len() == is.len() && was.iter().zip(&is).all(same) {
            return;
        }
        let found = FoundDifference {
            kind: Kind::Keyword,
            relation: Relation::Unclear("the keyword is not interpreted"),
            client: ClientEffect::None,
            text: format!("has a different `{keyword}`"),
        };
        self.emit_at_keyword(found, (old, new), keyword, path);
    }

    /// Compares references that lead nowhere, or to another file.
    fn unresolved(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let references = |view: &View<'_>, siblings: bool| -> Vec<String> {
            let stated = view
                .keywords("$ref")
                .filter_map(|at| at.node.string().map(str::to_owned));
            // With siblings, the part that has the reference is kept next to what it leads to.
            stated.filter(|target| !siblings || !target.starts_with('#')).collect()
        };
        let (was, is) = (
            references(old, self.old.is_later_than_3_0),
            references(new, self.new.is_later_than_3_0),
        );
        if was != is {
            let found = FoundDifference {
                kind: Kind::Reference,
                relation: Relation::Unclear(NOT_IN_THE_FILE),
                client: ClientEffect::None,
                text: "refers to something else".to_owned(),
            };
            self.emit_at_keyword(found, (old, new), "$ref", path);
        }
    }
}

/// Returns the formats that a schema states for its types, each once.
fn formats<'both>(view: &View<'both>) -> Vec<&'both str> {
    let types = view.types();
    // A single type may have any format: many documents have strings in the format `int64`.
    let concerns = |format: &&str| {
        if is_numeric(format) {
            types.meets(Types::NUMBER) || !view.is_one_of_listed_types()
        } else {
            types.meets(Types::STRING) || !KNOWN_FORMATS.contains(format)
        }
    };
    let stated = view.keywords("format").filter_map(|at| at.node.string());
    let mut stated: Vec<_> = stated.filter(concerns).collect();
    stated.sort_unstable();
    stated.dedup();
    stated
}

/// Returns how two schemas relate of which each has at most one format that the other lacks; `None` if the formats say
/// nothing more than the bounds.
fn relation_of_formats(
    (was, old): (Option<&str>, &View<'_>),
    (is, new): (Option<&str>, &View<'_>),
) -> Option<Relation> {
    let numeric = (old.types() & new.types()).meets(Types::NUMBER);
    let known = |format: Option<&str>| format.is_none_or(|format| KNOWN_FORMATS.contains(&format));
    Some(match (was, is) {
        (Some("float"), Some("double")) if numeric => Relation::Wider,
        (Some("double"), Some("float")) if numeric => Relation::Narrower,
        _ if numeric && [was, is].into_iter().flatten().all(is_numeric) => {
            let wide = |format: Option<&str>| format.is_none_or(|format| WIDE_FORMATS.contains(&format));
            return by_bounds(old, new).or_else(|| {
                let reason = "the formats differ only in numbers that few programs can hold";
                (wide(was) && wide(is)).then_some(Relation::Unclear(reason))
            });
        }
        (Some("password"), None) | (None, Some("password")) => Relation::Harmless,
        // A base64 string is not the bytes themselves.
        (Some("binary"), Some("byte")) | (Some("byte"), Some("binary")) => Relation::Different,
        _ if !known(was) || !known(is) => Relation::Unclear("nothing defines which values the format has"),
        (None, _) => Relation::Narrower,
        (_, None) => Relation::Wider,
        _ => Relation::Different,
    })
}

/// Returns the effect on the client of a changed format in a response: a field with the format `date-time` has a method
/// that reads the time.
fn client_effect_of_format(was: Option<&str>, is: Option<&str>, path: &str) -> ClientEffect {
    let is_field = !path.is_empty() && !path.ends_with("/*");
    match (was, is) {
        (Some("date-time"), _) if is_field => ClientEffect::Major,
        (_, Some("date-time")) if is_field => ClientEffect::Minor,
        _ => ClientEffect::None,
    }
}

/// Whether two schemas are the same text, of one definition that refers to no other.
fn are_identical_texts(old: &View<'_>, new: &View<'_>) -> bool {
    let ([was], [is]) = (old.parts.as_slice(), new.parts.as_slice()) else {
        return false;
    };
    normalized_value(was.node) == normalized_value(is.node) && !refers(was.node)
}

/// Returns whether bounds and lengths need no comparison: at least one schema lists its values, and the other allows
/// each of them. Then only the lists differ, which are compared by themselves.
fn enum_decides_limits(old: &View<'_>, new: &View<'_>) -> bool {
    let (was, is) = (old.values(), new.values());
    let within = |values: &Option<Vec<Value>>, other: &View<'_>| {
        let values = values.iter().flatten();
        values.clone().all(|value| is_within_limits(other, value))
    };
    (was.is_some() || is.is_some()) && within(&was, new) && within(&is, old)
}

/// Returns whether a value is within the bounds and lengths of a schema.
fn is_within_limits(view: &View<'_>, value: &Value) -> bool {
    if let Some(text) = value.as_str() {
        let length = i128::try_from(text.chars().count()).unwrap_or(i128::MAX);
        return Range::of_count(view, "minLength", "maxLength").includes(range::Number::Integer(length));
    }
    value
        .as_number()
        .and_then(range::Number::of_number)
        .is_none_or(|number| {
            let is_multiple = |divisor: &f64| is_whole(number.to_f64() / divisor);
            multiples_of(view).iter().all(is_multiple) && Range::of_number(view, false).includes(number)
        })
}

/// Returns what a number must be a multiple of, each once.
fn multiples_of(view: &View<'_>) -> Vec<f64> {
    let stated = view.keywords("multipleOf");
    let mut divisors: Vec<_> = stated.filter_map(|at| at.node.to_value().as_f64()).collect();
    divisors.sort_by(f64::total_cmp);
    divisors.dedup();
    divisors
}

/// Returns whether a ratio is a whole number, or nearly so: a tenth has no exact binary form, so `0.3 / 0.1` is not
/// exactly 3. Only 0 itself counts as 0: a ratio is very small if a number is much smaller than what divides it.
fn is_whole(ratio: f64) -> bool {
    let whole = ratio.round();
    ratio == 0.0 || (whole != 0.0 && (ratio - whole).abs() < 1e-9)
}

/// Compares the ranges of two integer formats, at each end where no bound is stated; `None` where they are the same.
fn by_bounds(old: &View<'_>, new: &View<'_>) -> Option<Relation> {
    let (was, is) = (Range::of_number(old, true), Range::of_number(new, true));
    let states = |keyword: &str| old.keyword(keyword).or_else(|| new.keyword(keyword)).is_some();
    // An end that is stated is reported by itself.
    let stated = |bound: &str| states(bound) || states(range::exclusive_keyword(bound));
    let lower = compare_ends(was.lower, is.lower, false).filter(|_| !stated("minimum"));
    let upper = compare_ends(was.upper, is.upper, true).filter(|_| !stated("maximum"));
    match (lower, upper) {
        (Some(lower), Some(upper)) if lower != upper => Some(Relation::Different),
        (lower, upper) => lower.or(upper),
    }
}

fn is_numeric(format: &str) -> bool {
    WIDE_FORMATS.contains(&format) || format.starts_with("int") || format.starts_with("uint")
}

/// Whether the pattern matches every text, the empty one included. `^.*$` matches no line break.
fn is_any_text(pattern: &str) -> bool {
    matches!(pattern, "" | ".*" | "^.*" | ".*$")
}

/// Whether the listed values are all that a schema of these types allows anyway.
fn is_every_boolean(values: &[Value], types: Types) -> bool {
    types == Types::BOOLEAN && values.contains(&Value::Bool(true)) && values.contains(&Value::Bool(false))
}

/// Returns what applies at once for a sentence: `2 and 3`; `None` for nothing.
fn joined(texts: impl Iterator<Item = String>) -> Option<String> {
    let texts: Vec<_> = texts.collect();
    (!texts.is_empty()).then(|| texts.join(" and "))
}

/// Returns the values that the other list lacks.
fn values_only_in(list: &[Value], other: &[Value]) -> Vec<Value> {
    let other: HashSet<_> = other.iter().collect();
    list.iter().filter(|value| !other.contains(value)).cloned().collect()
}

/// Returns values for a sentence: `` `a`, `b` ``.
fn listed(values: &[Value]) -> String {
    let shown: Vec<_> = values.iter().take(MAX_VALUES).map(quoted).collect();
    match values.len().saturating_sub(MAX_VALUES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

fn end(End { value, excluded }: End) -> String {
    if excluded {
        format!("{value}, itself excluded")
    } else {
        value.to_string()
    }
}
