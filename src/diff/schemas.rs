//! Compares two schemas, keyword by keyword, and finds out for each difference whether the new schema allows more, less
//! or something else. The main type is [`SchemaComparison`].
//!
//! # Design
//!
//! What a schema allows is compared, not its text: a response of the new document must have been allowed by the old
//! one, a request of the old document must still be allowed by the new one. Schemas refer to themselves, so a pair that
//! is being compared, or was, is not compared again within one comparison; a pair without any difference is remembered
//! for all of them. Whether alternatives match is tried in separate comparisons, whose differences are not kept.

mod alternatives;
mod keywords;
mod object;

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use indexmap::IndexSet;

use super::difference::{ClientEffect, Location, Meaning, Side};
use super::kind::Kind;
use super::range::Relation;
use super::source::{Source, state_the_same};
use super::types::Types;
use super::view::View;
use crate::contract::pointer;

/// How deep two schemas are compared.
const MAX_DEPTH: usize = 150;
/// How deep attempts are nested: alternatives within alternatives.
const MAX_ATTEMPT_DEPTH: usize = 3;
/// How many pairs of schemas are compared for one body or parameter; a document made for the purpose could make
/// attempts multiply without bound.
const MAX_PAIRS: usize = 20_000;

/// A difference between two schemas, at a path of the value: a [`FoundDifference`] whose side and locations are known,
/// but whose operation, unlike that of a [`Difference`](super::Difference), is not. Two are equal if they say the same
/// about the same locations in the documents, even at different paths: what two fields share by a reference is reported
/// once.
#[derive(Clone, Debug)]
pub(super) struct SchemaDifference {
    pub(super) kind: Kind,
    /// The pointer to the value, with `*` for any element; empty for the whole value.
    pub(super) path: String,
    /// What is said about that value.
    pub(super) text: String,
    pub(super) meaning: Meaning,
    pub(super) reason: Option<&'static str>,
    pub(super) client: ClientEffect,
    pub(super) old: Location,
    pub(super) new: Location,
}

impl SchemaDifference {
    fn key(&self) -> (Kind, &Location, &Location, &str) {
        (self.kind, &self.old, &self.new, &self.text)
    }
}

impl PartialEq for SchemaDifference {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for SchemaDifference {}

impl Hash for SchemaDifference {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// A difference between two schemas, or two statements, before its side and its locations are known. Between schemas it
/// becomes a [`SchemaDifference`], otherwise a [`Difference`](super::Difference).
pub(super) struct FoundDifference {
    pub(super) kind: Kind,
    pub(super) relation: Relation,
    pub(super) client: ClientEffect,
    pub(super) text: String,
}

/// How a value is written, which decides what a type includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ValueEncoding {
    /// As JSON.
    Json,
    /// As XML, which has a structure of its own: a value in it is no plain text, and `xml` says how it is written.
    Xml,
    /// As plain text: in a parameter, a header or a form, where `5` is a string too.
    Text,
    /// As the parts of a multipart body, of which an object is JSON and anything else text (3.0.3, section 4.7.14.4).
    Parts,
}

/// What distinguishes a pair of schemas.
type Pair = (Vec<usize>, Vec<usize>, Side, ValueEncoding);

/// How far the comparison of a pair has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has begun, at this depth.
    Begun(usize),
    /// It found something.
    Differs,
    /// It found nothing.
    Same,
    /// It found nothing, assuming that the enclosing pair at this depth, to which the schemas refer back, has no
    /// difference either.
    SameAssuming(usize),
}

/// What is known so far of the pair that is being compared.
#[derive(Clone, Copy, Debug)]
struct Frame {
    same: bool,
    /// The least depth of an enclosing pair that is assumed to be the same; `usize::MAX` if none is.
    assumes: usize,
}

/// Two documents whose schemas are compared.
pub(super) struct SchemaComparison<'both> {
    pub(super) old: &'both Source<'both>,
    pub(super) new: &'both Source<'both>,
    pub(super) side: Side,
    pub(super) encoding: ValueEncoding,
    differences: IndexSet<SchemaDifference>,
    states: HashMap<Pair, State>,
    /// The pairs that are [`State::SameAssuming`], in the order in which they ended.
    assuming: Vec<Pair>,
    same: HashSet<Pair>,
    frame: Frame,
    depth: usize,
    attempt_depth: usize,
    /// The pairs that were compared in this comparison.
    pairs: usize,
}

impl<'both> SchemaComparison<'both> {
    pub(super) fn new(old: &'both Source<'both>, new: &'both Source<'both>) -> Self {
        Self {
            old,
            new,
            side: Side::Request,
            encoding: ValueEncoding::Json,
            differences: IndexSet::new(),
            states: HashMap::new(),
            assuming: Vec::new(),
            same: HashSet::new(),
            frame: Frame::outermost(),
            depth: 0,
            attempt_depth: 0,
            pairs: 0,
        }
    }

    /// Compares two schemas on one side of an operation, and returns what differs.
    pub(super) fn differences(
        &mut self,
        side: Side,
        encoding: ValueEncoding,
        views: (&View<'both>, &View<'both>),
    ) -> Vec<SchemaDifference> {
        (self.side, self.encoding) = (side, encoding);
        self.frame = Frame::outermost();
        self.pairs = 0;
        self.compare(views.0, views.1, "");
        self.assuming.clear();
        let same = self.states.drain().filter(|(_, state)| *state == State::Same);
        self.same.extend(same.map(|(pair, _)| pair));
        std::mem::take(&mut self.differences).into_iter().collect()
    }

    /// Compares two schemas at a location of the value.
    fn compare(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let pair = (old.key(), new.key(), self.side, self.encoding);
        if self.same.contains(&pair) {
            return;
        }
        match self.states.get(&pair) {
            Some(State::Same) => return,
            Some(State::Begun(depth) | State::SameAssuming(depth)) => {
                self.frame.assumes = self.frame.assumes.min(*depth);
                return;
            }
            Some(State::Differs) => {
                self.frame.same = false;
                return;
            }
            None => {}
        }
        self.pairs += 1;
        if self.depth >= MAX_DEPTH || self.pairs > MAX_PAIRS {
            return self.too_large(
                (old, new),
                path,
                "the schemas nest too deep, or have too many alternatives",
            );
        }
        self.states.insert(pair.clone(), State::Begun(self.depth));
        let above = std::mem::replace(&mut self.frame, Frame::outermost());
        let assuming_above = self.assuming.len();
        self.depth += 1;
        if old.admits_null != new.admits_null {
            self.nullable(old, new, path);
        }
        if (old.is_cut || new.is_cut) && !self.have_the_same_parts(old, new) {
            self.too_large((old, new), path, "an `allOf` has too many schemas to be compared");
        }
        if old.groups.is_empty() && new.groups.is_empty() {
            self.plain(old, new, path);
        } else {
            self.alternatives(old, new, path);
        }
        self.depth -= 1;
        let state = self.frame.state(self.depth);
        self.settle(assuming_above, state);
        if matches!(state, State::SameAssuming(_)) {
            self.assuming.push(pair.clone());
        }
        self.states.insert(pair, state);
        let below = std::mem::replace(&mut self.frame, above);
        self.frame.same &= below.same;
        if below.assumes < self.depth {
            self.frame.assumes = self.frame.assumes.min(below.assumes);
        }
    }

    /// Whether each part states the same as the other schema's, what it lists in `allOf` included.
    fn have_the_same_parts(&self, old: &View<'both>, new: &View<'both>) -> bool {
        let mut pairs = old.parts.iter().zip(&new.parts);
        old.parts.len() == new.parts.len()
            && pairs.all(|(was, is)| state_the_same(None, (self.old, was), (self.new, is)))
    }

    /// Settles the inner pairs of a pair that has ended in this state: after the first `kept`, each that assumed that
    /// the outer pair is the same gets its state. Otherwise it would seem to assume that of the next pair at that
    /// depth, and a difference would be missed.
    fn settle(&mut self, kept: usize, ended: State) {
        for pair in self.assuming.split_off(kept) {
            let Some(state) = self.states.get_mut(&pair) else {
                continue;
            };
            if matches!(state, State::SameAssuming(depth) if *depth >= self.depth) {
                *state = ended;
            }
            if matches!(state, State::SameAssuming(_)) {
                self.assuming.push(pair);
            }
        }
    }

    fn nullable(&mut self, old: &View<'both>, new: &View<'both>, path: &str) {
        let untyped = |view: &View<'_>| view.types() == Types::ALL && view.groups.is_empty();
        if untyped(old) != untyped(new) {
            // Then the difference of the type says so.
            return;
        }
        let (relation, text) = if new.admits_null {
            (Relation::Wider, "may now be null")
        } else {
            (Relation::Narrower, "may no longer be null")
        };
        let relation = if old.nests_too_deep_for_null || new.nests_too_deep_for_null {
            Relation::Unclear("the schema nests too deep to know whether null is admitted")
        } else {
            relation
        };
        let (old, new) = (
            Location::at(old.null_pointer(self.old)),
            Location::at(new.null_pointer(self.new)),
        );
        let found = FoundDifference {
            kind: Kind::Nullable,
            relation,
            client: ClientEffect::None,
            text: text.to_owned(),
        };
        self.emit(found, path, (old, new));
    }

    /// Reports that the two schemas are too large to be compared.
    fn too_large(&mut self, views: (&View<'both>, &View<'both>), path: &str, reason: &'static str) {
        let found = FoundDifference {
            kind: Kind::Keyword,
            relation: Relation::Unclear(reason),
            client: ClientEffect::None,
            text: "was not compared to the end".to_owned(),
        };
        let locations = (Location::at(views.0.definition()), Location::at(views.1.definition()));
        self.emit(found, path, locations);
    }

    /// Whether the client's types ignore this keyword: they accept more than the document allows.
    fn client_ignores(&self, kind: Kind) -> bool {
        let of_a_response = [Kind::Default, Kind::Length, Kind::Pattern, Kind::PropertyRequired];
        self.side == Side::Response && of_a_response.contains(&kind)
    }

    fn emit(&mut self, found: FoundDifference, path: &str, (old, new): (Location, Location)) {
        self.frame.same = false;
        let (meaning, reason) = meaning(found.relation, self.side);
        let difference = SchemaDifference {
            kind: found.kind,
            path: path.to_owned(),
            text: found.text,
            meaning,
            reason,
            client: if self.client_ignores(found.kind) {
                ClientEffect::None
            } else {
                found.client
            },
            old,
            new,
        };
        // What two places of the value share is reported at the first.
        self.differences.insert(difference);
    }

    /// Compares two schemas by a comparison whose differences are not kept.
    fn attempt(&mut self, old: &View<'both>, new: &View<'both>) -> AttemptOutcome {
        if self.attempt_depth >= MAX_ATTEMPT_DEPTH {
            return AttemptOutcome::Unclear;
        }
        let differences = std::mem::take(&mut self.differences);
        let begun = self.states.iter().filter(|(_, state)| matches!(state, State::Begun(_)));
        let begun: HashMap<_, _> = begun.map(|(pair, state)| (pair.clone(), *state)).collect();
        let states = std::mem::replace(&mut self.states, begun);
        let assuming = std::mem::take(&mut self.assuming);
        let frame = std::mem::replace(&mut self.frame, Frame::outermost());
        self.attempt_depth += 1;
        self.compare(old, new, "");
        self.attempt_depth -= 1;
        let found = std::mem::replace(&mut self.differences, differences);
        self.states = states;
        self.assuming = assuming;
        let attempted = std::mem::replace(&mut self.frame, frame);
        self.frame.assumes = self.frame.assumes.min(attempted.assumes);
        AttemptOutcome::of(&found)
    }
}

impl Frame {
    fn outermost() -> Self {
        Self {
            same: true,
            assumes: usize::MAX,
        }
    }

    fn state(self, depth: usize) -> State {
        match self {
            Self { same: false, .. } => State::Differs,
            Self { assumes, .. } if assumes < depth => State::SameAssuming(assumes),
            Self { .. } => State::Same,
        }
    }
}

/// What an attempt found, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AttemptOutcome {
    /// Nothing differs.
    Same,
    /// Something differs, and breaks nobody.
    Compatible,
    /// Something differs that is unclear.
    Unclear,
    /// Something breaks.
    Breaking,
}

impl AttemptOutcome {
    fn of(differences: &IndexSet<SchemaDifference>) -> Self {
        let has = |meaning| differences.iter().any(|difference| difference.meaning == meaning);
        if has(Meaning::Breaking) {
            Self::Breaking
        } else if has(Meaning::Unclear) {
            Self::Unclear
        } else if has(Meaning::Compatible) {
            Self::Compatible
        } else {
            Self::Same
        }
    }

    /// Whether one schema includes the other as the side requires.
    fn is_included(self) -> bool {
        matches!(self, Self::Same | Self::Compatible)
    }
}

/// Returns what a relation means to those who call the service.
pub(super) fn meaning(relation: Relation, side: Side) -> (Meaning, Option<&'static str>) {
    let meaning = match (relation, side) {
        (Relation::Unclear(reason), _) => return (Meaning::Unclear, Some(reason)),
        (Relation::Different, _)
        | (Relation::Narrower, Side::Request | Side::Operation)
        | (Relation::Wider, Side::Response) => Meaning::Breaking,
        (Relation::Harmless, _)
        | (Relation::Narrower, Side::Response)
        | (Relation::Wider, Side::Request | Side::Operation) => Meaning::Compatible,
    };
    (meaning, None)
}

/// Returns the effect on the client of a limit that its types enforce: allowing less is major, allowing more is minor.
fn client_effect_of_limit(relation: Relation) -> ClientEffect {
    match relation {
        Relation::Different | Relation::Narrower => ClientEffect::Major,
        Relation::Wider => ClientEffect::Minor,
        Relation::Harmless | Relation::Unclear(_) => ClientEffect::None,
    }
}

/// Returns the pointer to any element of an array, or any member of a map.
fn any_below(path: &str) -> String {
    pointer::join(path, "*")
}

/// Returns the predicate of a sentence that says that a value differs: `now has the minimum 5`.
pub(super) fn value_change(name: &str, was: Option<String>, is: Option<String>) -> String {
    match (was, is) {
        (Some(was), Some(is)) => format!("had the {name} {was}, has {is}"),
        (Some(was), None) => format!("no longer has the {name} {was}"),
        (None, Some(is)) => format!("now has the {name} {is}"),
        (None, None) => format!("has no {name}"),
    }
}
