//! Alternatives: each of the old schema is matched with one of the new, by name, by equality or because one includes
//! the other. What is left was removed or added.

use serde_json::Value;

use super::{AttemptOutcome, FoundDifference, Relation, SchemaComparison, client_effect_of_limit};
use crate::diff::difference::{ClientEffect, Location, Side};
use crate::diff::kind::Kind;
use crate::diff::source::{Source, only_in_first};
use crate::diff::types::Types;
use crate::diff::view::View;

/// The most pairs of unmatched alternatives that are compared with each other.
const MAX_UNMATCHED_PAIRS: usize = 400;
/// Why alternatives are not compared.
const TOO_MANY: &str = "there are too many alternatives to be compared";

impl<'both> SchemaComparison<'both> {
    pub(super) fn alternatives(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        self.discriminator(old, new, path);
        if old.has_too_many_alternatives() || new.has_too_many_alternatives() {
            return self.too_large((old, new), path, TOO_MANY);
        }
        let (mut was, mut is) = (old.alternatives(self.old), new.alternatives(self.new));
        // A list of types is a choice too.
        if old.groups.is_empty() != new.groups.is_empty() {
            was = was.into_iter().flat_map(View::by_type).collect();
            is = is.into_iter().flat_map(View::by_type).collect();
        }
        for view in was.iter_mut().chain(&mut is) {
            view.discriminator_compared = true;
            // Whether null is admitted was compared for the whole, which may be its own only alternative.
            view.admits_null = false;
        }
        let mut unmatched_old: Vec<_> = (0..was.len()).collect();
        let mut unmatched_new: Vec<_> = (0..is.len()).collect();
        let mut pairs = Vec::new();
        let by_name = |old: &View<'_>, new: &View<'_>| old.name.is_some() && old.name == new.name;
        take_pairs(&mut unmatched_old, &mut unmatched_new, &mut pairs, |o, n| {
            by_name(&was[o], &is[n])
        });
        let (old_tags, new_tags) = (tags(self.old, &was), tags(self.new, &is));
        take_pairs(&mut unmatched_old, &mut unmatched_new, &mut pairs, |o, n| {
            old_tags[o].is_some() && old_tags[o] == new_tags[n]
        });
        if unmatched_old.len() * unmatched_new.len() > MAX_UNMATCHED_PAIRS {
            self.too_large((old, new), path, TOO_MANY);
        } else {
            take_pairs(&mut unmatched_old, &mut unmatched_new, &mut pairs, |o, n| {
                self.attempt(&was[o], &is[n]) == AttemptOutcome::Same
            });
            take_pairs(&mut unmatched_old, &mut unmatched_new, &mut pairs, |o, n| {
                self.is_nested(&was[o], &is[n])
            });
            if unmatched_old.len() == unmatched_new.len() {
                // What is left on both sides is probably the same alternatives, changed.
                take_pairs(&mut unmatched_old, &mut unmatched_new, &mut pairs, |o, n| {
                    was[o].types() == is[n].types()
                });
            }
            for index in unmatched_old {
                self.unmatched(&was[index], &is, (new, path), Relation::Narrower);
            }
            for index in unmatched_new {
                self.unmatched(&is[index], &was, (old, path), Relation::Wider);
            }
        }
        for (o, n) in pairs {
            self.discriminating_values(&was[o], &is[n], path);
            self.compare(&was[o], &is[n], path);
        }
        self.exclusive(old, new, path);
    }

    /// Reports an alternative that only one document has, unless one of the other's includes it.
    fn unmatched(
        &mut self,
        lone: &View<'both>,
        others: &[View<'both>],
        (holder, path): (&View<'both>, &str),
        relation: Relation,
    ) {
        let removed = relation == Relation::Narrower;
        let mut best = AttemptOutcome::Breaking;
        for other in others {
            let (old, new) = if removed { (lone, other) } else { (other, lone) };
            // For a removed alternative, whether a new one includes it; for an added one, whether an old one does.
            if other.types().includes(lone.types()) && lone.types() != Types::ALL {
                best = best.min(self.included(old, new, removed));
            }
        }
        let relation = match best {
            AttemptOutcome::Same | AttemptOutcome::Compatible => return,
            AttemptOutcome::Unclear => Relation::Unclear("whether another alternative includes it is not decided"),
            AttemptOutcome::Breaking => relation,
        };
        let what = lone
            .name
            .as_ref()
            .map_or_else(|| lone.types().to_string(), |name| format!("`{name}`"));
        let holder = holder
            .groups
            .first()
            .map_or_else(|| holder.definition(), |group| group.pointer.clone());
        let (text, locations) = if removed {
            let locations = (Location::at(&lone.pointer), Location::missing_from(holder));
            (format!("no longer has the alternative {what}"), locations)
        } else {
            let locations = (Location::missing_from(holder), Location::at(&lone.pointer));
            (format!("has the new alternative {what}"), locations)
        };
        let client = match relation {
            Relation::Wider if self.side == Side::Request => ClientEffect::Minor,
            Relation::Wider | Relation::Unclear(_) => ClientEffect::Major,
            other => client_effect_of_limit(other),
        };
        let found = FoundDifference {
            kind: Kind::Alternatives,
            relation,
            client,
            text,
        };
        self.emit(found, path, locations);
    }

    /// Compares the values of the discriminator that stand for one alternative.
    fn discriminating_values(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let property = |view: &View<'both>| view.keyword("discriminator").and_then(|at| at.string("propertyName"));
        let Some(name) = property(old).filter(|name| property(new) == Some(name)) else {
            return;
        };
        // Where the property lists its values, they are compared as such.
        let listed =
            |view: &View<'both>, source| view.property(source, name).is_some_and(|view| view.values().is_some());
        let (was, is) = (old.discriminating(self.old), new.discriminating(self.new));
        if was.is_empty() || is.is_empty() || (listed(old, self.old) && listed(new, self.new)) {
            return;
        }
        let alternative = new.name.as_deref().unwrap_or_default();
        for (relation, these, others, verb) in [
            (Relation::Narrower, &was, &is, "no longer"),
            (Relation::Wider, &is, &was, "now"),
        ] {
            for value in only_in_first(these, others, |value| value) {
                let found = FoundDifference {
                    kind: Kind::Discriminator,
                    relation,
                    client: ClientEffect::Major,
                    text: format!("{verb} has `{value}` in `{name}` for the alternative `{alternative}`"),
                };
                self.emit(found, path, (Location::at(&old.pointer), Location::at(&new.pointer)));
            }
        }
    }

    /// Tries whether one of two alternatives includes the other, so that they are the same one, changed.
    fn is_nested(&mut self, old: &View<'both>, new: &View<'both>) -> bool {
        let (was, is) = (old.types(), new.types());
        let typed = was != Types::ALL && is != Types::ALL && was.meets(is);
        typed
            && [true, false]
                .iter()
                .any(|old_in_new| self.included(old, new, *old_in_new).is_included())
    }

    /// Tries whether the old schema is included in the new one, or the other way round, whatever the side.
    pub(super) fn included(&mut self, old: &View<'both>, new: &View<'both>, old_in_new: bool) -> AttemptOutcome {
        let included_by = if old_in_new { Side::Request } else { Side::Response };
        if self.side == included_by {
            return self.attempt(old, new);
        }
        // Only the other side answers this question, so the comparison runs there, with the read-only and write-only
        // properties of that side. Where there are none, the result is the same on both sides.
        let side = std::mem::replace(&mut self.side, included_by);
        let tried = self.attempt(old, new);
        self.side = side;
        tried
    }

    /// Compares whether the alternatives exclude each other.
    fn exclusive(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let groups = old.groups.iter().zip(&new.groups);
        let changed: Vec<_> = groups.filter(|(was, is)| was.is_one_of != is.is_one_of).collect();
        if changed.is_empty() {
            return;
        }
        let mut met = Types::NONE;
        let apart = new.alternatives(self.new).iter().all(|view| {
            let is_apart = !met.meets(view.types());
            met = met.or(view.types());
            is_apart
        });
        if apart {
            return;
        }
        for (was, is) in changed {
            // What fits exactly one alternative fits any of them.
            let relation = match (is.is_one_of, self.side) {
                (true, Side::Response) | (false, Side::Request) => Relation::Harmless,
                _ => Relation::Unclear("whether a value fits several alternatives is not decided"),
            };
            let found = FoundDifference {
                kind: Kind::Alternatives,
                relation,
                client: ClientEffect::Major,
                text: if is.is_one_of {
                    "must now fit exactly one alternative"
                } else {
                    "may now fit several alternatives"
                }
                .to_owned(),
            };
            self.emit(found, path, (Location::at(&was.pointer), Location::at(&is.pointer)));
        }
    }
}

/// Returns what tells each alternative apart: its first property with a single value, and that value.
fn tags<'both>(source: &Source<'both>, alternatives: &[View<'both>]) -> Vec<Option<(&'both str, Value)>> {
    let tag = |view: &View<'both>| {
        let mut names = view.property_names().into_iter();
        names.find_map(|name| match view.property(source, name)?.values()?.as_slice() {
            [value] => Some((name, value.clone())),
            _ => None,
        })
    };
    alternatives.iter().map(tag).collect()
}

/// Moves the pairs that fit from the unmatched ones, each of them once.
fn take_pairs(
    old: &mut Vec<usize>,
    new: &mut Vec<usize>,
    pairs: &mut Vec<(usize, usize)>,
    mut fits: impl FnMut(usize, usize) -> bool,
) {
    old.retain(|o| {
        let Some(position) = new.iter().position(|n| fits(*o, *n)) else {
            return true;
        };
        pairs.push((*o, new.remove(position)));
        false
    });
}
