//! Finds which fields of a body are required. The main type is [`RequiredSearch`].
//!
//! # Design
//!
//! A rejected create leaves nothing, and an accepted one leaves a record. So the search starts from the empty body and
//! adds the fields that rejections name, or one field at a time, until a body is accepted: the smallest one. What it
//! lacks is optional. After a few fields in vain, all but the last are added, in case all are required. A field that it
//! has is required if both the smallest body and the whole one are rejected when only that field is left out. Where
//! they are not, for example because either of two fields is enough, no list of fields says what is required. A field
//! that the whole body lacks may be enough in place of a required one, so that proves nothing then. Nor does a body
//! that was accepted once and rejected once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::pointer;
use crate::plan::{TRIALS_TO_INDICATE, words_of_rejection};

/// How often a create must accept the smallest body: each time leaves a record. An update leaves none, so it must do so
/// [`TRIALS_TO_INDICATE`] times.
const NEEDED_ACCEPTANCES: u64 = 2;
/// The most required fields each of which takes [`TRIALS_TO_INDICATE`] requests.
pub(super) const MAX_PROVED: usize = 8;
/// The most required fields that are asked about. If they are more than [`MAX_PROVED`], each takes only one request
/// without it from the whole body and one from the smallest, which is no proof.
const MAX_REQUIRED: usize = 24;
/// How deep fields are asked about, in names.
const MAX_DEPTH: usize = 3;
/// After how many fields that were added one by one to a create all but the last are added at once. If that is
/// accepted, it leaves a record.
const ONE_BY_ONE: usize = 3;
/// The most bodies that are sent.
const MAX_TRIES: u64 = 64;

/// Fields of a body, by their indexes.
type Fields = BTreeSet<usize>;

/// The search for what an operation requires.
#[derive(Clone, Debug)]
pub(super) struct RequiredSearch {
    /// The fields of the whole body, which was accepted: those at its top, and those in objects, up to [`MAX_DEPTH`].
    fields: Vec<Field>,
    tried: BTreeMap<Fields, BodyOutcome>,
    /// The bodies that are not sent, because each may have stored a record before.
    unsendable: BTreeSet<Fields>,
    /// Whether the whole body has every object in which the contract documents fields.
    has_every_object: bool,
    /// Whether the whole body has every field at the top that the contract documents.
    has_every_top: bool,
    /// How often the smallest body must be accepted.
    needed_acceptances: u64,
    /// The fields at the top that are left out of no body of [`SmallestBodies::by_depth`] but the first: those that
    /// tell a record from others, and those whose effect is looked for.
    always_sent: Fields,
    /// Whether the service may accept an empty body as one that does nothing, whatever it requires of other bodies.
    pub(super) may_do_nothing: bool,
    /// How many responses neither accepted a body nor rejected its content.
    others: u64,
    tries: u64,
    /// Whether nothing has been accepted since a body was rejected: the service may reject everything by now.
    awaits_acceptance: bool,
}

#[derive(Clone, Debug)]
struct Field {
    pointer: String,
    /// The field that contains it; `None` at the top.
    within: Option<usize>,
    /// The number of fields that contain it.
    depth: usize,
}

/// Adds the fields of an object, each followed by those that it contains.
fn add_fields(object: &Value, at: &str, (within, depth): (Option<usize>, usize), fields: &mut Vec<Field>) {
    for (name, value) in object.as_object().into_iter().flatten() {
        let index = fields.len();
        let at = pointer::join(at, name);
        fields.push(Field {
            pointer: at.clone(),
            within,
            depth,
        });
        let (inner, at) = match value {
            Value::Array(elements) => (elements.first(), pointer::join(&at, "0")),
            value => (Some(value), at),
        };
        if let Some(inner) = inner.filter(|_| depth + 1 < MAX_DEPTH) {
            add_fields(inner, &at, (Some(index), depth + 1), fields);
        }
    }
}

/// What became of a body.
#[derive(Clone, Debug, Default)]
struct BodyOutcome {
    accepted: u64,
    rejected: u64,
    /// The fields that its rejections name and that it lacks.
    named: Fields,
    /// What its rejections say.
    rejection_texts: Vec<RejectionText>,
}

/// What a rejection says: its words, and those of the body that was sent. Nothing that has a digit, such as the
/// identifier of the request, counts as a word.
#[derive(Clone, Debug)]
pub(super) struct RejectionText {
    words: BTreeSet<String>,
    sent: BTreeSet<String>,
}

impl RejectionText {
    pub(super) fn new(text: &str, sent: &Value) -> Self {
        let words = |text: &str| {
            let parts = text.split(|letter: char| !letter.is_alphanumeric());
            let words = parts.filter(|part| !part.is_empty() && part.chars().all(char::is_alphabetic));
            words.map(str::to_lowercase).collect()
        };
        Self {
            words: words(text),
            sent: words(&sent.to_string()),
        }
    }

    /// Whether it differs from another rejection by more than what was sent.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let echoed = &self.sent | &other.sent;
        &self.words - &echoed != &other.words - &echoed
    }
}

/// What the search does next.
enum SearchStep<Found> {
    Found(Found),
    Send(Fields),
    /// Responses disagree, or nothing explains them.
    Stuck,
}

/// The smallest bodies that were accepted.
struct SmallestBodies {
    /// The required fields.
    required: Fields,
    /// The smallest body in which fields of each depth are left out. The first has the required fields at the top. Each
    /// further one has every object that is less deep, with the required fields so far, and the fields in
    /// [`RequiredSearch::always_sent`]. The deepest fields of each that are objects have everything in them.
    by_depth: Vec<Fields>,
}

impl SmallestBodies {
    /// The smallest of them.
    fn smallest(&self) -> &Fields {
        &self.by_depth[0]
    }
}

/// What the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequiredFields {
    /// The pointers of the required fields, in order; `*` is any element.
    pub(super) required: Vec<String>,
    /// How many requests showed it.
    pub(super) count: u64,
    /// Whether they are enough to prove it.
    pub(super) is_proof: bool,
}

impl RequiredSearch {
    /// Starts from a body that was accepted, of an operation for which the contract documents these fields.
    /// `always_sent` are the fields that the smallest body with objects has in any case; `None` if the operation
    /// creates no record.
    pub(super) fn of(whole: &Value, (documented, always_sent): (&[String], Option<&[String]>)) -> Self {
        let mut fields = Vec::new();
        add_fields(whole, "", (None, 0), &mut fields);
        let names = |at: &str| pointer::tokens(at).filter(|token| token != "0").count();
        let has_object = |at: &str| {
            let above = at.rsplit_once('/').map_or("", |(above, _)| above);
            let mut below = fields.iter();
            below.any(|field| field.within.is_some() && field.pointer.starts_with(&format!("{above}/")))
        };
        let first = |at: &str| pointer::tokens(at).next();
        let is_always_sent = |index: &usize| {
            let field: &Field = &fields[*index];
            let mut always_sent = always_sent.into_iter().flatten();
            field.within.is_none() && always_sent.any(|at| first(at) == first(&field.pointer))
        };
        let is_known = |at: &String| names(at) < 2 || (names(at) <= MAX_DEPTH && has_object(at));
        let is_sent = |at: &String| names(at) > 1 || whole.pointer(at).is_some();
        let mut search = Self {
            has_every_object: documented.iter().all(is_known),
            has_every_top: documented.iter().all(is_sent),
            needed_acceptances: always_sent.map_or(TRIALS_TO_INDICATE, |_| NEEDED_ACCEPTANCES),
            always_sent: (0..fields.len()).filter(is_always_sent).collect(),
            may_do_nothing: false,
            fields,
            tried: BTreeMap::new(),
            unsendable: BTreeSet::new(),
            others: 0,
            tries: 0,
            awaits_acceptance: false,
        };
        search.tried.entry(search.all()).or_default().accepted = 1;
        search
    }

    /// Adds what became of a body: whether it was accepted or rejected, or neither, and the text of the response.
    pub(super) fn add(&mut self, sent: &Value, accepted: Option<bool>, text: &str) {
        let body = self.fields_in(sent);
        let words = words_of_rejection(text);
        let is_named = |field: &Field| pointer::last(&field.pointer).is_some_and(|name| words.contains(name.as_str()));
        let named = |index: &usize| !body.contains(index) && is_named(&self.fields[*index]);
        let named: Vec<_> = (0..self.fields.len()).filter(named).collect();
        self.tries += 1;
        let outcome = self.tried.entry(body).or_default();
        match accepted {
            Some(true) => {
                outcome.accepted += 1;
                self.awaits_acceptance = false;
            }
            Some(false) => {
                outcome.rejected += 1;
                outcome.named.extend(named);
                outcome.rejection_texts.push(RejectionText::new(text, sent));
                self.awaits_acceptance = true;
            }
            None => self.others += 1,
        }
    }

    /// Notes that this body is not sent again.
    pub(super) fn note_unsendable(&mut self, body: &Value) {
        self.unsendable.insert(self.fields_in(body));
    }

    fn fields_in(&self, body: &Value) -> Fields {
        let has = |index: &usize| body.pointer(&self.fields[*index].pointer).is_some();
        (0..self.fields.len()).filter(has).collect()
    }

    /// Notes that the operation still accepts a request.
    pub(super) fn confirm_acceptance(&mut self) {
        self.awaits_acceptance = false;
    }

    pub(super) fn awaits_acceptance(&self) -> bool {
        self.awaits_acceptance
    }

    pub(super) fn was_asked(&self) -> bool {
        self.tries > 0
    }

    /// Returns what the next body leaves out, as pointers; `None` if the search has ended. `is_sent_by_no_other` says
    /// that no other question sends the smallest body again.
    pub(super) fn next_omissions(&self, is_sent_by_no_other: bool) -> Option<Vec<String>> {
        if self.others > 0 || self.tries >= MAX_TRIES {
            return None;
        }
        let SearchStep::Send(body) = self.next(is_sent_by_no_other) else {
            return None;
        };
        let is_left = |index: &usize| {
            let within = self.fields[*index].within;
            !body.contains(index) && within.is_none_or(|within| body.contains(&within))
        };
        let left = (0..self.fields.len()).filter(is_left);
        Some(left.map(|index| self.fields[index].pointer.clone()).collect())
    }

    /// Returns what was found; `None` if nothing says what is required, or if one of the rejections that do may have
    /// had another reason.
    pub(super) fn required(&self, has_other_reason: impl Fn(&RejectionText) -> bool) -> Option<RequiredFields> {
        let SearchStep::Found(bodies) = self.confirmed() else {
            return None;
        };
        if self.others > 0 || self.awaits_acceptance || !self.has_every_object {
            return None;
        }
        let any = |index: &usize| pointer::with_any_elements(&self.fields[*index].pointer);
        let mut required: Vec<_> = bodies.required.iter().map(any).collect();
        required.sort_unstable();
        let (without, rejected) = (
            |field: &usize| self.both_without(*field, &bodies),
            |body: &Fields| self.outcome(body).map_or(0, |outcome| outcome.rejected),
        );
        let tried: BTreeSet<_> = bodies.required.iter().flat_map(without).collect();
        let mut rejection_texts = tried
            .iter()
            .filter_map(|body| self.outcome(body))
            .flat_map(|outcome| &outcome.rejection_texts);
        if rejection_texts.any(has_other_reason) {
            return None;
        }
        let rejections: u64 = tried.iter().map(rejected).sum();
        let smallest = bodies.smallest();
        let different: BTreeSet<_> = bodies.by_depth.iter().collect();
        let acceptances: u64 = different.into_iter().map(|body| self.accepted(body)).sum();
        Some(RequiredFields {
            required,
            count: rejections + acceptances,
            is_proof: (self.accepted(smallest) >= self.needed_acceptances || *smallest == self.all())
                && bodies.required.len() <= MAX_PROVED
                && (self.has_every_top || bodies.required.is_empty())
                && !(self.may_do_nothing && smallest.is_empty()),
        })
    }

    /// Returns how many bodies were both accepted and rejected, but for rejections that may have had another reason.
    pub(super) fn contradictions(&self, has_other_reason: impl Fn(&RejectionText) -> bool) -> usize {
        let contradicts = |outcome: &&BodyOutcome| {
            outcome.accepted > 0 && outcome.rejected > 0 && !outcome.rejection_texts.iter().any(&has_other_reason)
        };
        self.tried.values().filter(contradicts).count()
    }

    fn all(&self) -> Fields {
        (0..self.fields.len()).collect()
    }

    /// Returns the fields that a field contains.
    fn inside(&self, field: usize) -> impl Iterator<Item = usize> + '_ {
        let within = |index: &usize| self.fields[*index].within;
        let is_inside = move |index: &usize| std::iter::successors(within(index), within).any(|other| other == field);
        (0..self.fields.len()).filter(is_inside)
    }

    /// Returns these fields with those that they contain.
    fn with_inside(&self, fields: &Fields) -> Fields {
        let inside = fields.iter().flat_map(|field| self.inside(*field));
        inside.chain(fields.iter().copied()).collect()
    }

    fn outcome(&self, body: &Fields) -> Option<&BodyOutcome> {
        self.tried.get(body)
    }

    /// Whether a body is accepted; `None` if it was not sent, and an error if responses disagree.
    fn is_accepted(&self, body: &Fields) -> Result<Option<bool>, ()> {
        match self.outcome(body) {
            Some(BodyOutcome {
                accepted: 1..,
                rejected: 1..,
                ..
            }) => Err(()),
            Some(outcome) if outcome.accepted > 0 => Ok(Some(true)),
            Some(outcome) if outcome.rejected > 0 => Ok(Some(false)),
            // A larger one is tried instead. Nothing is claimed unless this one is shown to be rejected.
            _ if self.unsendable.contains(body) => Ok(Some(false)),
            _ => Ok(None),
        }
    }

    fn next(&self, is_sent_by_no_other: bool) -> SearchStep<()> {
        match self.confirmed() {
            SearchStep::Found(bodies) => {
                let smallest = bodies.smallest();
                let is_accepted_enough = *smallest == self.all() || self.accepted(smallest) >= self.needed_acceptances;
                match is_sent_by_no_other && !is_accepted_enough && !self.unsendable.contains(smallest) {
                    true => SearchStep::Send(smallest.clone()),
                    false => SearchStep::Found(()),
                }
            }
            SearchStep::Send(body) => SearchStep::Send(body),
            SearchStep::Stuck => SearchStep::Stuck,
        }
    }

    /// How often a body was accepted.
    fn accepted(&self, body: &Fields) -> u64 {
        self.outcome(body).map_or(0, |outcome| outcome.accepted)
    }

    /// Returns the smallest bodies once every field of them has proved to be required.
    fn confirmed(&self) -> SearchStep<SmallestBodies> {
        let bodies = match self.smallest() {
            SearchStep::Found(bodies) => bodies,
            other => return other,
        };
        if bodies.required.len() > MAX_REQUIRED {
            return SearchStep::Stuck;
        }
        let trials = match bodies.required.len() {
            ..=MAX_PROVED => TRIALS_TO_INDICATE,
            _ => 2,
        };
        for field in &bodies.required {
            let without = self.both_without(*field, &bodies);
            // The rejections of both bodies together show that a field is required.
            let wanted = trials / u64::try_from(without.len()).unwrap_or(1).max(1);
            for body in without {
                match self.is_accepted(&body) {
                    Ok(Some(true)) | Err(()) => return SearchStep::Stuck,
                    _ if self.outcome(&body).is_none_or(|outcome| outcome.rejected < wanted) => {
                        return match self.unsendable.contains(&body) {
                            true => SearchStep::Stuck,
                            false => SearchStep::Send(body),
                        };
                    }
                    _ => {}
                }
            }
        }
        SearchStep::Found(bodies)
    }

    /// Returns the whole body and the smallest one that has the field, both without it; once if they are the same.
    fn both_without(&self, field: usize, bodies: &SmallestBodies) -> BTreeSet<Fields> {
        let small = &bodies.by_depth[self.fields[field].depth];
        let gone: Fields = self.inside(field).chain([field]).collect();
        [&self.all(), small].into_iter().map(|body| body - &gone).collect()
    }

    /// Returns the smallest bodies that are accepted.
    fn smallest(&self) -> SearchStep<SmallestBodies> {
        let mut bodies = SmallestBodies {
            required: Fields::new(),
            by_depth: Vec::new(),
        };
        for depth in 0..MAX_DEPTH {
            let at_depth = |index: &usize| self.fields[*index].depth == depth;
            let fields: Vec<_> = (0..self.fields.len()).filter(at_depth).collect();
            let mut around = Fields::new();
            if depth > 0 {
                let is_object =
                    |index: &usize| self.fields[*index].depth < depth && self.inside(*index).next().is_some();
                around.extend((0..self.fields.len()).filter(is_object));
                around.extend(bodies.required.iter().chain(&self.always_sent).copied());
            }
            if depth > 0 && fields.is_empty() {
                break;
            }
            let body = |chosen: &Fields| &around | &self.with_inside(chosen);
            match self.grown(&fields, &body) {
                SearchStep::Found(found) => {
                    bodies.by_depth.push(body(&found));
                    bodies.required.extend(found);
                }
                SearchStep::Send(body) => return SearchStep::Send(body),
                SearchStep::Stuck => return SearchStep::Stuck,
            }
        }
        SearchStep::Found(bodies)
    }

    /// Returns fields with which a body is accepted, and of which, as far as was tried, none can be left out.
    fn grown(&self, fields: &[usize], body: &dyn Fn(&Fields) -> Fields) -> SearchStep<Fields> {
        let mut chosen = Fields::new();
        loop {
            let sent = body(&chosen);
            match self.is_accepted(&sent) {
                Ok(None) => return SearchStep::Send(sent),
                Ok(Some(true)) => break,
                Ok(Some(false)) => {}
                Err(()) => return SearchStep::Stuck,
            }
            let named = self.outcome(&sent).into_iter().flat_map(|outcome| &outcome.named);
            let named: Fields = named.copied().filter(|index| fields.contains(index)).collect();
            if !named.is_subset(&chosen) {
                chosen.extend(named);
                continue;
            }
            let (grown, last) = match self.first_accepted(&chosen, fields, body) {
                SearchStep::Found(found) => found,
                SearchStep::Send(body) => return SearchStep::Send(body),
                SearchStep::Stuck => return SearchStep::Stuck,
            };
            let with_last: Fields = chosen.iter().copied().chain([last]).collect();
            match self.is_accepted(&body(&with_last)) {
                Ok(None) => return SearchStep::Send(body(&with_last)),
                Ok(Some(true)) => {
                    chosen = with_last;
                    break;
                }
                Ok(Some(false)) => return self.shrunk(grown, &with_last, body),
                Err(()) => return SearchStep::Stuck,
            }
        }
        // A rejection may name fields that are not required.
        while let Some(spare) = chosen.iter().copied().find(|field| {
            let without = &chosen - &[*field].into();
            self.is_accepted(&body(&without)) == Ok(Some(true))
        }) {
            chosen.remove(&spare);
        }
        SearchStep::Found(chosen)
    }

    /// Removes from the chosen fields, with which a body is accepted, each one that is not in `kept` and without which
    /// the body is still accepted.
    fn shrunk(&self, mut chosen: Fields, kept: &Fields, body: &dyn Fn(&Fields) -> Fields) -> SearchStep<Fields> {
        for field in &chosen.clone() - kept {
            let without = &chosen - &[field].into();
            match self.is_accepted(&body(&without)) {
                Ok(None) => return SearchStep::Send(body(&without)),
                Ok(Some(true)) => chosen = without,
                Ok(Some(false)) => {}
                Err(()) => return SearchStep::Stuck,
            }
        }
        SearchStep::Found(chosen)
    }

    /// Adds one field after the other to the chosen ones until the body is accepted, and returns all of them, and the
    /// last one.
    fn first_accepted(
        &self,
        chosen: &Fields,
        fields: &[usize],
        body: &dyn Fn(&Fields) -> Fields,
    ) -> SearchStep<(Fields, usize)> {
        // An update leaves nothing, whatever it accepts.
        if self.needed_acceptances == TRIALS_TO_INDICATE {
            return self.first_accepted_by_halves(chosen, fields, body);
        }
        let others: Vec<_> = fields.iter().filter(|field| !chosen.contains(field)).collect();
        let with = |count: usize| -> Fields { chosen.iter().chain(others[..count].iter().copied()).copied().collect() };
        for (index, field) in others.iter().copied().enumerate() {
            // Perhaps every field is required. If all but the last one are not enough, nothing between is.
            if index == ONE_BY_ONE && index + 1 < others.len() && self.accepted(&body(&with(others.len()))) > 0 {
                let sent = body(&with(others.len() - 1));
                match self.is_accepted(&sent) {
                    Ok(None) => return SearchStep::Send(sent),
                    Ok(Some(true)) => {}
                    Ok(Some(false)) => return SearchStep::Found((with(others.len()), *others[others.len() - 1])),
                    Err(()) => return SearchStep::Stuck,
                }
            }
            let grown = with(index + 1);
            let sent = body(&grown);
            match self.is_accepted(&sent) {
                Ok(None) => return SearchStep::Send(sent),
                Ok(Some(true)) => return SearchStep::Found((grown, *field)),
                Ok(Some(false)) => {}
                Err(()) => return SearchStep::Stuck,
            }
        }
        SearchStep::Stuck
    }

    /// The same by bisection of the number of fields that are added: this takes fewer bodies, but several of them may
    /// be accepted.
    fn first_accepted_by_halves(
        &self,
        chosen: &Fields,
        fields: &[usize],
        body: &dyn Fn(&Fields) -> Fields,
    ) -> SearchStep<(Fields, usize)> {
        let others: Vec<_> = fields.iter().filter(|field| !chosen.contains(field)).copied().collect();
        let with = |count: usize| -> Fields { chosen.iter().chain(&others[..count]).copied().collect() };
        let (mut rejected, mut accepted, mut next) = (0, None, others.len());
        while next > rejected && accepted.is_none_or(|accepted| next < accepted) {
            let sent = body(&with(next));
            match self.is_accepted(&sent) {
                Ok(None) => return SearchStep::Send(sent),
                Ok(Some(true)) => accepted = Some(next),
                Ok(Some(false)) => rejected = next,
                Err(()) => return SearchStep::Stuck,
            }
            next = rejected.midpoint(accepted.unwrap_or(rejected));
        }
        match accepted {
            Some(count) => SearchStep::Found((with(count), others[count - 1])),
            None => SearchStep::Stuck,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole() -> Value {
        json!({
            "firstname": "a", "lastname": "b", "gender": "c",
            "methods": [{"type": "d", "contact": "e", "status": "f"}],
            "born": {"day": 1, "month": 2},
        })
    }

    /// Asks a service, which rejects a body if it returns a text. Returns what was found, and how many bodies were sent
    /// and accepted.
    fn search_with(
        whole: &Value,
        service: impl Fn(u64, &Value) -> Option<&'static str>,
    ) -> (Option<RequiredFields>, u64, u64) {
        let mut search = RequiredSearch::of(whole, (&[], Some(&[])));
        let mut accepted = 0;
        while let Some(left) = search.next_omissions(true) {
            let mut sent = whole.clone();
            left.iter().for_each(|at| crate::plan::remove_member(&mut sent, at));
            match service(search.tries, &sent) {
                None => {
                    accepted += 1;
                    search.add(&sent, Some(true), "");
                }
                Some(text) => search.add(&sent, Some(false), text),
            }
        }
        search.confirm_acceptance();
        (search.required(|_| false), search.tries, accepted)
    }

    #[test]
    fn an_update_is_asked_by_halves() {
        let whole: Value = ('a'..='p').map(|name| (name.to_string(), json!(1))).collect();
        for last in ["/a", "/h", "/p"] {
            let mut search = RequiredSearch::of(&whole, (&[], None));
            while let Some(left) = search.next_omissions(true) {
                let mut sent = whole.clone();
                left.iter().for_each(|at| crate::plan::remove_member(&mut sent, at));
                search.add(&sent, Some(lacks(&sent, &[last]).is_none()), "");
            }
            search.confirm_acceptance();
            assert_eq!(search.required(|_| false).unwrap().required, [last]);
            assert!(search.tries <= 16, "{last}: {}", search.tries);
        }
    }

    #[test]
    fn fields_three_names_deep_are_asked_about_where_their_objects_are_sent() {
        let whole = json!({
            "name": "a",
            "address": {"street": "b", "geo": {"lat": 1, "lon": 2, "datum": "c"}, "notes": [{"by": "d", "text": "e"}]},
        });
        let documented: Vec<_> = ["/name", "/address/street", "/address/geo/lat", "/address/notes/0/text"]
            .map(str::to_owned)
            .into();
        let nested = |sent: &Value| {
            let address = sent.get("address").and_then(|_| lacks(sent, &["/address/geo"]));
            let geo = sent.pointer("/address/geo");
            let geo = geo.and_then(|_| lacks(sent, &["/address/geo/lat", "/address/geo/lon"]));
            let note = sent.pointer("/address/notes/0");
            address
                .or(geo)
                .or(note.and_then(|_| lacks(sent, &["/address/notes/0/text"])))
        };
        let mut search = RequiredSearch::of(&whole, (&documented, Some(&[])));
        let mut accepted = 0;
        while let Some(left) = search.next_omissions(true) {
            let mut sent = whole.clone();
            left.iter().for_each(|at| crate::plan::remove_member(&mut sent, at));
            let lacking = lacks(&sent, &["/name"]).or_else(|| nested(&sent));
            accepted += u64::from(lacking.is_none());
            search.add(&sent, Some(lacking.is_none()), "");
        }
        search.confirm_acceptance();
        let found = search.required(|_| false).unwrap();
        let expected = [
            "/address/geo", "/address/geo/lat", "/address/geo/lon", "/address/notes/*/text", "/name",
        ];
        assert_eq!(
            (found.required.as_slice(), found.is_proof),
            (&expected.map(str::to_owned)[..], true)
        );
        assert!(search.tries < MAX_TRIES && accepted <= 9, "{} {accepted}", search.tries);
        // An object that is deeper, or that was never sent, may require anything.
        for unknown in ["/address/geo/datum/year", "/home/street"] {
            let documented = [documented.clone(), vec![unknown.to_owned()]].concat();
            let mut other = RequiredSearch::of(&whole, (&documented, Some(&[])));
            other.tried.clone_from(&search.tried);
            assert_eq!(other.required(|_| false), None, "{unknown}");
        }
    }

    #[test]
    fn many_required_fields_are_found_and_no_more_than_seen() {
        let names = |count: u8| (0..count).map(|index| format!("f{index:02}")).collect::<Vec<_>>();
        for (required, optional, is_named) in [(9, 3, true), (12, 2, false), (20, 2, true)] {
            let whole: Value = names(required + optional)
                .into_iter()
                .map(|name| (name, json!("a")))
                .collect();
            let required = names(required);
            let lacking = |sent: &Value| required.iter().find(|name| sent.get(name.as_str()).is_none()).cloned();
            let all = required.join(", ");
            let mut search = RequiredSearch::of(&whole, (&[], Some(&[])));
            while let Some(left) = search.next_omissions(true) {
                let mut sent = whole.clone();
                left.iter().for_each(|at| crate::plan::remove_member(&mut sent, at));
                let text = if is_named { all.as_str() } else { "" };
                search.add(&sent, Some(lacking(&sent).is_none()), text);
            }
            search.confirm_acceptance();
            let found = search.required(|_| false).unwrap();
            let expected: Vec<_> = required.iter().map(|name| format!("/{name}")).collect();
            assert_eq!((found.required, found.is_proof), (expected, false));
        }
        let whole: Value = names(30).into_iter().map(|name| (name, json!("a"))).collect();
        let found = search_with(&whole, |_, sent| (sent.as_object().unwrap().len() < 30).then_some(""));
        assert_eq!(found.0, None);
    }

    #[test]
    fn a_body_that_is_not_sent_again_is_done_without_unless_it_would_be_the_proof() {
        let whole = json!({"contact": "a", "venue": "b", "note": "c"});
        let found = |required: &'static [&'static str]| {
            let mut search = RequiredSearch::of(&whole, (&[], Some(&[])));
            search.note_unsendable(&json!({}));
            while let Some(left) = search.next_omissions(true) {
                let mut sent = whole.clone();
                left.iter().for_each(|at| crate::plan::remove_member(&mut sent, at));
                assert_ne!(sent, json!({}));
                search.add(&sent, Some(lacks(&sent, required).is_none()), "");
            }
            search.confirm_acceptance();
            search.required(|_| false).map(|found| found.required)
        };
        assert_eq!(found(&["/contact", "/venue"]).unwrap(), ["/contact", "/venue"]);
        assert_eq!((found(&["/contact"]), found(&[])), (None, None));
    }

    fn lacks(sent: &Value, fields: &[&'static str]) -> Option<&'static str> {
        fields.iter().copied().find(|field| sent.pointer(field).is_none())
    }

    fn names(found: &(Option<RequiredFields>, u64, u64)) -> Vec<&str> {
        let found = found.0.as_ref().filter(|found| found.is_proof).unwrap();
        found.required.iter().map(String::as_str).collect()
    }

    #[test]
    fn what_is_required_is_found_with_three_accepted_bodies_whether_or_not_rejections_name_it() {
        let nested = |sent: &Value| {
            let method = sent
                .pointer("/methods/0")
                .and_then(|_| lacks(sent, &["/methods/0/type"]));
            method.or_else(|| {
                sent.get("born")
                    .and_then(|_| lacks(sent, &["/born/day", "/born/month"]))
            })
        };
        for required in [&["/firstname"][..], &["/lastname"], &[], &["/gender", "/firstname"]] {
            for is_named in [true, false] {
                let found = search_with(&whole(), |_, sent| {
                    let lacking = lacks(sent, required).or_else(|| nested(sent));
                    lacking.map(|name| if is_named { name } else { "" })
                });
                let mut expected = vec!["/born/day", "/born/month", "/methods/*/type"];
                expected.extend(required);
                expected.sort_unstable();
                assert_eq!(names(&found), expected);
                assert!(found.2 <= 6, "{found:?}");
                assert!(!is_named || (found.2 <= 4 && found.1 <= 4 * 5 + 8), "{found:?}");
            }
        }
    }

    #[test]
    fn a_body_of_which_all_is_required_is_accepted_as_a_whole() {
        let whole = json!({"type": "a", "contact": "b"});
        let found = search_with(&whole, |_, sent| lacks(sent, &["/type", "/contact"]).map(|_| ""));
        assert_eq!((names(&found), found.2), (vec!["/contact", "/type"], 0));
    }

    #[test]
    fn a_create_that_requires_every_field_or_a_late_one_is_not_searched_field_by_field() {
        let all: Vec<_> = ('a'..='l').map(|name| name.to_string()).collect();
        let whole: Value = all.iter().map(|name| (name.clone(), json!(1))).collect();
        let every = search_with(&whole, |_, sent| {
            (sent.as_object().unwrap().len() < all.len()).then_some("")
        });
        // None is proved, because they are many: each is left out twice.
        assert_eq!(every.0.unwrap().required.len(), all.len());
        assert!(every.1 <= 2 * 12 + 6 && every.2 == 0, "{} {}", every.1, every.2);
        let one = search_with(&whole, |_, sent| lacks(sent, &["/h"]).map(|_| ""));
        assert_eq!((names(&one), one.2 <= 5), (vec!["/h"], true), "{one:?}");
    }

    #[test]
    fn of_two_fields_either_of_which_is_enough_nothing_is_said() {
        let found = search_with(&whole(), |_, sent| {
            let has_one = ["firstname", "lastname"].iter().any(|name| sent.get(name).is_some());
            (!has_one).then_some("")
        });
        assert_eq!(found.0, None);
        let found = search_with(&whole(), |_, sent| sent.as_object().unwrap().is_empty().then_some(""));
        assert_eq!(found.0, None);
    }

    #[test]
    fn a_field_that_only_another_one_requires_is_not_called_required() {
        // A rejection names both, and the whole body needs both.
        let found = search_with(&whole(), |_, sent| match lacks(sent, &["/firstname"]) {
            Some(_) => Some("firstname, gender"),
            None => (sent.get("lastname").is_some() && sent.get("gender").is_none()).then_some("gender"),
        });
        assert!(
            found
                .0
                .is_none_or(|found| !found.required.contains(&"/gender".to_owned()))
        );
    }

    #[test]
    fn what_is_rejected_at_times_leaves_it_open() {
        for every in [2, 3, 4, 5] {
            let found = search_with(&whole(), |number, sent| match number % every {
                0 => Some(""),
                _ => lacks(sent, &["/firstname"]),
            });
            let wrong = |found: &RequiredFields| found.is_proof && found.required != ["/firstname"];
            assert!(!found.0.as_ref().is_some_and(wrong), "{every}: {found:?}");
        }
    }

    #[test]
    fn what_was_rejected_last_counts_only_once_something_is_accepted_again() {
        let whole = json!({"name": "a", "color": "b"});
        let mut search = RequiredSearch::of(&whole, (&[], Some(&[])));
        for _ in 0..2 {
            search.add(&json!({}), Some(false), "");
            search.add(&json!({"name": "a"}), Some(true), "");
        }
        for _ in 0..2 {
            search.add(&json!({"color": "b"}), Some(false), "");
        }
        assert_eq!(search.required(|_| false), None);
        search.confirm_acceptance();
        assert_eq!(search.required(|_| false).unwrap().required, ["/name"]);
        // Another status may have another reason.
        search.add(&json!({"name": "a"}), None, "");
        assert_eq!((search.required(|_| false), search.next_omissions(true)), (None, None));
    }

    #[test]
    fn a_rejection_differs_from_another_by_more_than_what_was_sent_and_numbers() {
        let equal = RejectionText::new(
            r#"{"id": "7f3a1", "error": "Paint red: exists already"}"#,
            &json!({"name": "Paint red", "color": "blue"}),
        );
        for (text, differs) in [
            (r#"{"id": "90be2", "error": "blue: exists already"}"#, false),
            (r#"{"id": "90be2", "error": "name: exists already"}"#, false),
            (r#"{"id": "90be2", "error": "name: is missing"}"#, true),
            ("", true),
        ] {
            let rejection_texts = RejectionText::new(text, &json!({"color": "blue"}));
            assert_eq!(
                (rejection_texts.differs(&equal), equal.differs(&rejection_texts)),
                (differs, differs),
                "{text}"
            );
        }
    }

    #[test]
    fn a_field_that_was_never_sent_may_be_enough_in_place_of_a_required_one() {
        let proves = |documented: &[&str], required: &'static [&'static str]| {
            let whole = json!({"name": "a", "note": "b"});
            let documented: Vec<_> = documented.iter().map(ToString::to_string).collect();
            let mut search = RequiredSearch::of(&whole, (&documented, None));
            while let Some(left) = search.next_omissions(true) {
                let mut sent = whole.clone();
                left.iter().for_each(|at| crate::plan::remove_member(&mut sent, at));
                search.add(&sent, Some(lacks(&sent, required).is_none()), "");
            }
            search.confirm_acceptance();
            let found = search.required(|_| false).unwrap();
            assert_eq!(found.required, required);
            found.is_proof
        };
        assert!(proves(&["/name", "/note"], &["/name"]));
        assert!(!proves(&["/name", "/note", "/price"], &["/name"]));
        assert!(proves(&["/name", "/note", "/price"], &[]));
    }

    #[test]
    fn a_body_that_is_accepted_and_rejected_is_a_contradiction() {
        let mut search = RequiredSearch::of(&json!({"name": "a"}), (&[], None));
        search.add(&json!({}), Some(false), "no name");
        assert_eq!(search.contradictions(|_| false), 0);
        search.add(&json!({}), Some(true), "");
        assert_eq!(search.contradictions(|_| false), 1);
        assert_eq!(search.contradictions(|_| true), 0);
    }

    #[test]
    fn nothing_is_said_where_an_object_was_never_sent() {
        let mut search = RequiredSearch::of(
            &json!({"name": "a"}),
            (&["/name".to_owned(), "/born/day".to_owned()], Some(&[])),
        );
        for _ in 0..4 {
            search.add(&json!({}), Some(false), "");
        }
        search.confirm_acceptance();
        assert_eq!(search.required(|_| false), None);
    }
}
