//! Changes a rejected body field by field until it is accepted, or until nothing is left to change. The main type is
//! [`Fallback`].
//!
//! # Design
//!
//! The document does not show which request fields are required, and which values are allowed. So a
//! rejection means one of two things: a value is not allowed, or a field is missing. The fields
//! that the rejection itself names are changed first: error bodies are a gap, but most services
//! name the field somewhere in them. A named field that the body lacks is put back; one that it has
//! is changed. Then the fields whose values a gap leaves open are dropped one at a time, then
//! timestamps get their other values, and after that the whole top-level fields that contain the
//! open ones are dropped, because a field may be useless without its neighbour; then more and more
//! fields are dropped together, until only those remain that the schema requires; and last, each
//! field whose values are open is sent with its other values. Where the same rejection comes twice, another member of a
//! required `enum` is tried first.
//!
//! Where no gap leaves values open, two kinds of rejections are answered at once with the required fields alone: one
//! that names several of the fields that were sent, and one that is the same as the one before, although the body was
//! another. After the latter, no field that the rejection does not name is dropped by itself.
//!
//! A field without which the record would begin with a value that the run avoids stays in every body. If a rejection
//! names nothing else, the write is given up.

use std::collections::HashSet;

use serde_json::Value;

use super::draft::Draft;
use super::leaf::Leaf;

/// The maximum number of bodies that are tried for one write.
const TRIES: usize = 40;

/// A rejection that names so many of the fields that were sent is not followed field by field.
const MANY_FIELDS: usize = 3;
/// The maximum number of members of a required `enum` that are tried because of rejections that stay the same.
const MAX_TRIED_ENUM_MEMBERS: usize = 3;

/// The bodies that are still to be tried.
#[derive(Clone, Debug)]
pub struct Fallback {
    /// The draft that the rejections so far have led to.
    base: Draft,
    /// The next bodies, last first; `None` as long as rejections name fields.
    queue: Option<Vec<Draft>>,
    tried: Vec<Value>,
    is_reduced: bool,
    /// The draft that was sent first.
    first: Draft,
    /// The text of the last rejection.
    last_rejection: Option<String>,
    /// How many members of a required `enum` were tried.
    tried_enum_members: usize,
}

impl Fallback {
    /// Starts with a draft that is about to be sent.
    #[must_use]
    pub fn starting_with(draft: Draft) -> Self {
        let sent = draft.body().0;
        Self {
            first: draft.clone(),
            base: draft,
            queue: None,
            tried: vec![sent],
            is_reduced: false,
            last_rejection: None,
            tried_enum_members: 1,
        }
    }

    /// Returns the next draft after a rejection whose response has this text; `None` when all were tried. `required`
    /// makes the one with the required fields alone, if it differs from what was sent.
    pub fn next_with(&mut self, rejection: &str, required: impl FnOnce() -> Option<Draft>) -> Option<Draft> {
        let is_open = self.base.leaves.iter().any(|leaf| leaf.values_are_open);
        if self.names_only_what_must_be_sent(rejection) {
            return None;
        }
        // Each body has its own reason, as far as a response without text says.
        let before = self.last_rejection.replace(rejection.to_owned());
        let is_same = !rejection.is_empty() && before.as_deref() == Some(rejection);
        let is_repeated = !is_open && is_same;
        if is_same
            && self.tried.len() < TRIES
            && let Some(draft) = self.with_another_member()
        {
            return Some(draft);
        }
        let has_room = !self.is_reduced && self.tried.len() < TRIES;
        if has_room
            && (is_repeated || !is_open && self.names_many(rejection))
            && let Some(draft) = required().and_then(|required| self.reduce_to(required))
        {
            return Some(draft);
        }
        self.change(rejection, is_repeated)
    }

    /// Returns the next draft after a rejection, one change after the other: see [`Self::next_with`].
    pub fn next(&mut self, rejection: &str) -> Option<Draft> {
        self.change(rejection, false)
    }

    /// Whether a rejection names fields that belong to every body, and none that may be changed or put back.
    fn names_only_what_must_be_sent(&self, rejection: &str) -> bool {
        let words = words_of_rejection(rejection);
        let is_named = |leaf: &&Leaf| {
            names(&leaf.pointer)
                .next_back()
                .is_some_and(|name| words.contains(name))
        };
        let mut named = self.base.leaves.iter().filter(is_named).peekable();
        named.peek().is_some() && named.all(|leaf| leaf.must_be_sent)
    }

    /// Returns the next draft that differs in one change. If the rejection is `repeated`, no field is dropped that it
    /// does not name.
    fn change(&mut self, rejection: &str, is_repeated: bool) -> Option<Draft> {
        if self.tried.len() >= TRIES {
            return None;
        }
        if self.queue.is_none() {
            self.follow(rejection);
            if let Some(draft) = self.untried(self.base.clone()) {
                return Some(draft);
            }
            self.queue = Some(changes(&self.base));
        }
        if is_repeated {
            let words = words_of_rejection(rejection);
            let sent = self.base.leaves.iter().map(|leaf| leaf.value().is_some());
            let sent: Vec<_> = sent.collect();
            let keeps_unnamed = |draft: &Draft| {
                let mut dropped = draft
                    .leaves
                    .iter()
                    .zip(&sent)
                    .filter(|(leaf, sent)| **sent && leaf.value().is_none());
                dropped.all(|(leaf, _)| names(&leaf.pointer).any(|name| words.contains(name)))
            };
            self.queue.iter_mut().for_each(|queue| queue.retain(keeps_unnamed));
        }
        while let Some(draft) = self.queue.as_mut().and_then(Vec::pop) {
            if let Some(draft) = self.untried(draft) {
                return Some(draft);
            }
        }
        None
    }

    /// Goes on from a draft that may well be accepted, after the first rejection. Returns it to be sent; `None` if it
    /// is too late for that, or if its body was tried before.
    pub fn go_on_from(&mut self, draft: Draft) -> Option<Draft> {
        if self.tried.len() > 1 {
            return None;
        }
        let draft = self.untried(draft)?;
        self.base = draft.clone();
        Some(draft)
    }

    /// Goes on from another draft of the same operation, once: the one with the required fields alone. Returns it to be
    /// sent; `None` the second time. The number of tries stays that of one write.
    pub fn reduce_to(&mut self, required: Draft) -> Option<Draft> {
        if std::mem::replace(&mut self.is_reduced, true) {
            return None;
        }
        self.tried.push(required.body().0);
        self.queue = None;
        self.base = required.clone();
        Some(required)
    }

    /// Whether a rejection names several of the fields that were sent, not all of which must be, and suggests neither
    /// that one is missing nor that one has another value.
    fn names_many(&self, rejection: &str) -> bool {
        let words = words_of_rejection(rejection);
        let is_named = |leaf: &Leaf| names(&leaf.pointer).any(|name| words.contains(name));
        let (sent, missing): (Vec<_>, Vec<_>) = (0..self.base.leaves.len())
            .filter(|index| is_named(&self.base.leaves[*index]))
            .partition(|index| self.base.leaves[*index].value().is_some());
        let sent: Vec<_> = sent.into_iter().map(|index| &self.base.leaves[index]).collect();
        let fields: HashSet<_> = sent.iter().filter_map(|leaf| leaf.top_field()).collect();
        let has_another = |leaf: &&Leaf| leaf.chosen + 1 < leaf.choices.len();
        fields.len() >= MANY_FIELDS
            && sent.iter().any(|leaf| !leaf.required)
            && !sent.iter().any(has_another)
            && self.with_missing(&missing).is_none()
    }

    /// Returns the first draft with another member of a required `enum`, after two rejections that were the same: what
    /// kind of record it is may decide which fields it needs, and the document does not say so.
    fn with_another_member(&mut self) -> Option<Draft> {
        if self.tried_enum_members >= MAX_TRIED_ENUM_MEMBERS {
            return None;
        }
        let is_kind = |leaf: &Leaf| !leaf.members.is_empty() && leaf.required && names(&leaf.pointer).count() == 1;
        let kinds = self.first.leaves.iter().enumerate().filter(|(_, leaf)| is_kind(leaf));
        let others = kinds.flat_map(|(index, leaf)| leaf.others.iter().map(move |other| (index, other.value.clone())));
        for (index, other) in others.collect::<Vec<_>>() {
            let mut draft = self.first.clone();
            draft.leaves[index].set(other);
            if let Some(draft) = self.untried(draft) {
                self.tried_enum_members += 1;
                self.base = draft.clone();
                (self.queue, self.last_rejection) = (None, None);
                return Some(draft);
            }
        }
        None
    }

    /// Returns the draft if its body was not tried before and the schema admits it, and notes that it is tried now.
    fn untried(&mut self, draft: Draft) -> Option<Draft> {
        let body = draft.body().0;
        if self.tried.contains(&body) || !draft.is_admitted() {
            return None;
        }
        self.tried.push(body);
        Some(draft)
    }

    /// Follows what the rejection names. Fields that the body lacks are put back, because one of
    /// them may be required. If there are none to put back, every named field is changed: to its
    /// next value, or out of the body where the schema admits that. If none can be changed, the
    /// objects around them that the rejection names are dropped too.
    fn follow(&mut self, rejection: &str) {
        let words = words_of_rejection(rejection);
        let is_named = |leaf: &Leaf| {
            let name = names(&leaf.pointer).next_back();
            name.is_some_and(|name| words.contains(name))
        };
        let named: Vec<_> = (0..self.base.leaves.len())
            .filter(|index| is_named(&self.base.leaves[*index]))
            .collect();
        if let Some(draft) = self.with_missing(&named) {
            self.base = draft;
            return;
        }
        let mut changed = false;
        for index in named {
            changed |= self.try_next_value(index);
        }
        if changed {
            return;
        }
        let mut without = self.base.clone();
        for leaf in &mut without.leaves {
            if !leaf.must_be_sent && names(&leaf.pointer).any(|name| words.contains(&name)) {
                leaf.chosen = leaf.choices.len();
            }
        }
        if without.is_admitted() {
            self.base = without;
        }
    }

    /// Returns the draft with those of the named fields that it lacks: with all of them, or else with one; `None` if
    /// each was tried or is not admitted.
    fn with_missing(&self, named: &[usize]) -> Option<Draft> {
        let leaves = &self.base.leaves;
        let missing = named.iter().copied().filter(|index| leaves[*index].value().is_none());
        let missing: Vec<_> = missing.collect();
        let with = |indexes: &[usize]| {
            let mut draft = self.base.clone();
            indexes.iter().for_each(|index| draft.leaves[*index].chosen = 0);
            draft
        };
        let each = missing.iter().map(std::slice::from_ref);
        let mut drafts = std::iter::once(missing.as_slice()).chain(each).map(with);
        drafts.find(|draft| draft.is_admitted() && !self.tried.contains(&draft.body().0))
    }

    /// Moves a field to its next value, or leaves it out after the last one. Returns whether the
    /// schema admits that.
    fn try_next_value(&mut self, index: usize) -> bool {
        let leaf = &mut self.base.leaves[index];
        if leaf.value().is_none() || leaf.must_be_sent {
            return false;
        }
        leaf.chosen += 1;
        let is_admitted = self.base.is_admitted();
        if !is_admitted {
            self.base.leaves[index].chosen -= 1;
        }
        is_admitted
    }
}

/// Returns the names in a pointer into a body, outermost first, without the indexes of elements.
fn names(pointer: &str) -> impl DoubleEndedIterator<Item = &str> {
    pointer
        .split('/')
        .filter(|token| !token.is_empty() && token.parse::<usize>().is_err())
}

/// Returns the drafts that are tried once rejections name nothing, last first.
fn changes(base: &Draft) -> Vec<Draft> {
    let leaves = &base.leaves;
    let group = |index: usize| names(&leaves[index].pointer).next();
    let values_are_open = |index: usize| leaves[index].values_are_open;
    let beside = |index: usize| (0..leaves.len()).filter(move |other| group(*other) == group(index));
    let without = |dropped: &mut dyn Iterator<Item = usize>| {
        let mut draft = base.clone();
        for index in dropped.filter(|index| !leaves[*index].must_be_sent) {
            draft.leaves[index].chosen = leaves[index].choices.len();
        }
        draft
    };
    let mut order: Vec<_> = (0..leaves.len()).collect();
    order.retain(|index| without(&mut std::iter::once(*index)).is_admitted());
    order.sort_by_cached_key(|index| !beside(*index).any(values_are_open));
    let open: Vec<_> = order.iter().copied().filter(|index| values_are_open(*index)).collect();

    let mut drafts: Vec<_> = open.iter().map(|index| without(&mut std::iter::once(*index))).collect();
    drafts.extend(std::iter::successors(base.at_another_time(), Draft::at_another_time));
    drafts.extend(open.iter().map(|index| without(&mut beside(*index))));
    drafts.extend((1..=order.len()).map(|count| without(&mut order.iter().copied().take(count))));
    // A field that must be sent may have other values too.
    for index in (0..leaves.len()).filter(|index| values_are_open(*index)) {
        for chosen in leaves[index].chosen + 1..leaves[index].choices.len() {
            let mut draft = base.clone();
            draft.leaves[index].chosen = chosen;
            drafts.push(draft);
        }
    }
    drafts.reverse();
    drafts
}

/// Returns what may be the name of a field in the text of a rejection. A hyphen may be part of a name (`first-name`),
/// or follow one (`age-related`).
pub(crate) fn words_of_rejection(text: &str) -> HashSet<&str> {
    let within = |others: &'static str| {
        text.split(move |letter: char| !letter.is_ascii_alphanumeric() && !others.contains(letter))
    };
    within("_").chain(within("_-")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::contract::operation::OperationId;
    use crate::contract::vocabulary::TimestampFormat;
    use crate::history::{Bindings, RunTag};
    use crate::plan::Template;

    fn fallback(operation: &str) -> (Value, Fallback) {
        let contract = crate::testing::built_in();
        let id = contract.operation_named(operation).unwrap();
        let draft = Template::of(contract, id)
            .draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
            .unwrap();
        (draft.body().0, Fallback::starting_with(draft))
    }

    /// Sends bodies to a service that accepts what `accepts` does, and returns how many tries that took.
    fn tries(operation: &str, rejection: &str, accepts: impl Fn(&Value) -> bool) -> Option<usize> {
        let (mut body, mut fallback) = fallback(operation);
        for tries in 1..=TRIES {
            if accepts(&body) {
                return Some(tries);
            }
            body = fallback.next(rejection)?.body().0;
        }
        None
    }

    #[test]
    fn a_field_with_a_hyphen_is_named_by_its_whole_name() {
        let text = "openapi: 3.0.3\ninfo: {title: People, version: '1'}\npaths:\n  /people:\n    post:\n      \
                    operationId: addPerson\n      requestBody: {content: {application/json: {schema: {type: object, \
                    properties: {first-name: {type: string}, age: {type: integer}, note: {type: string}}}}}}\n      \
                    responses: {'201': {description: Added}}\n";
        let contract = Contract::read("people.yaml", text.to_owned()).unwrap();
        let id = contract.operation_named("addPerson").unwrap();
        let draft = Template::of(&contract, id)
            .draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
            .unwrap();
        for (rejection, field) in [
            ("first-name is too long", "first-name"),
            ("an age-related problem", "age"),
        ] {
            let before = draft.body().0;
            let after = Fallback::starting_with(draft.clone()).next(rejection).unwrap().body().0;
            let names = ["first-name", "age", "note"];
            let differing = names.into_iter().filter(|name| before.get(name) != after.get(name));
            assert_eq!(differing.collect::<Vec<_>>(), [field], "{rejection}: {before} {after}");
        }
    }

    #[test]
    fn a_field_that_the_rejection_names_is_changed_first_and_then_dropped() {
        let named = |name: &str, accepts: fn(&Value) -> bool| {
            tries(
                "createContact",
                &format!(r#"{{"errors":{{"{name}":["no"]}}}}"#),
                accepts,
            )
        };
        assert_eq!(named("gender", |body| body.get("gender").is_none()), Some(2));
        assert_eq!(named("dob", |body| body["dob"] == "28/02/1990"), Some(3));
        assert_eq!(named("dob", |body| body.get("dob").is_none()), Some(5));
    }

    #[test]
    fn one_bad_field_is_found_without_a_word_and_the_others_stay() {
        let accepts = |body: &Value| body.get("nationality").is_none() && body.get("gender").is_some();
        assert!(tries("createContact", "", accepts).is_some());
    }

    #[test]
    fn a_required_field_is_not_lost_to_another_bad_one() {
        let accepts = |body: &Value| body["type"] == "email" && body.get("status").is_none();
        assert!(tries("createContactMethod", "", accepts).is_some());
    }

    #[test]
    fn an_object_goes_whole_where_a_part_is_no_good_and_the_rest_needs_it() {
        let accepts = |body: &Value| {
            let method = &body["contact_methods"][0];
            body.get("firstname").is_some() && (method.is_null() || method["type"] == "carrier pigeon")
        };
        assert!(tries("createContact", "", accepts).is_some());
        let named = r#"{"errors": [{"field": "/contact_methods/0/type", "problem": "is missing"}]}"#;
        assert_eq!(tries("createContact", named, accepts), Some(3));
    }

    #[test]
    fn every_field_in_a_gap_may_be_rejected_and_the_names_are_kept() {
        let open = [
            "contact_methods", "dob", "gender", "nationality", "country_of_residence",
        ];
        let accepts =
            |body: &Value| body.get("firstname").is_some() && open.iter().all(|name| body.get(*name).is_none());
        assert!(tries("createContact", "", accepts).is_some());
    }

    /// The bodies that follow the rejections of the only operation of a contract, by the names of their fields.
    fn bodies_after(rejections: &[&str]) -> Vec<Vec<String>> {
        let mut fallback = Fallback::starting_with(thing());
        let bodies = rejections.iter().map_while(|rejection| fallback.next(rejection));
        bodies.map(|draft| fields(&draft)).collect()
    }

    /// The same, with the required fields alone where they suffice to be sent at once.
    fn reduced_after(rejections: &[&str]) -> Vec<Vec<String>> {
        let mut fallback = Fallback::starting_with(thing());
        let required = || {
            let mut draft = thing();
            draft.leaves.retain(|leaf| leaf.required);
            Some(draft)
        };
        let bodies = rejections
            .iter()
            .map_while(|rejection| fallback.next_with(rejection, required));
        bodies.map(|draft| fields(&draft)).collect()
    }

    fn fields(draft: &Draft) -> Vec<String> {
        draft.body().0.as_object().unwrap().keys().cloned().collect()
    }

    fn thing() -> Draft {
        draft_of("required: [name], properties: {name: {type: string}, note: {type: string}, on: {type: boolean}}")
    }

    /// The draft of a create whose body is an object with these keywords.
    fn draft_of(keywords: &str) -> Draft {
        let contract = format!(
            "openapi: 3.0.3
info: {{title: Things, version: '1'}}
paths:
  /things:
    post:
      requestBody: {{content: {{application/json: {{schema: {{type: object, {keywords}}}}}}}}}
      responses: {{'201': {{description: Thing}}}}
"
        );
        let contract = Contract::read("things.yaml", contract).unwrap();
        Template::of(&contract, OperationId(0))
            .draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
            .unwrap()
    }

    #[test]
    fn a_rejection_that_names_many_fields_leaves_only_the_required_ones() {
        assert_eq!(reduced_after(&["name, note, on"]), [vec!["name"]]);
        // One or two are changed by themselves.
        assert_eq!(reduced_after(&["note"]), [vec!["name", "on"]]);
        assert_eq!(reduced_after(&["note, on"]), [vec!["name"]]);
        assert_eq!(reduced_after(&["no"]), [vec!["name", "on"]]);
    }

    #[test]
    fn after_the_same_rejection_of_another_body_no_field_is_dropped_that_it_does_not_name() {
        assert_eq!(reduced_after(&["no"; TRIES]), [vec!["name", "on"], vec!["name"]]);
        let without_text = reduced_after(&[""; TRIES]);
        assert_eq!(without_text, bodies_after(&[""; TRIES]));
        let mut fallback = Fallback::starting_with(thing());
        let bodies = [("no", 2), ("no", 0)].map(|(rejection, left)| {
            let draft = fallback.next_with(rejection, || None);
            (draft.map_or(0, |draft| fields(&draft).len()), left)
        });
        assert!(bodies.iter().all(|(sent, left)| sent == left), "{bodies:?}");
        // Another rejection says something else.
        let mut fallback = Fallback::starting_with(thing());
        assert!(fallback.next_with("no", || None).is_some());
        assert!(fallback.next_with("not so", || None).is_some());
    }

    #[test]
    fn values_that_a_gap_leaves_open_are_tried_after_the_same_rejection_too() {
        let (_, mut with_required) = fallback("createContact");
        let tried = std::iter::from_fn(|| with_required.next_with("no", || unreachable!())).count();
        let (_, mut by_itself) = fallback("createContact");
        assert_eq!(tried, std::iter::from_fn(|| by_itself.next("no")).count());
    }

    /// The kinds of the bodies that follow the rejections of a create with a required `enum`.
    fn kinds_after(rejections: &[&str]) -> Vec<String> {
        let mut fallback = Fallback::starting_with(draft_of(
            "required: [kind, name], properties: {name: {type: string}, kind: {type: string, enum: [a, b, c, d]}, one: \
             {type: string}, two: {type: string}}",
        ));
        let bodies = rejections
            .iter()
            .map_while(|rejection| fallback.next_with(rejection, || None));
        bodies
            .map(|draft| draft.body().0["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn three_members_of_a_required_enum_are_tried_where_rejections_stay_the_same() {
        let mut kinds = kinds_after(&["image is missing"; 6]);
        kinds.dedup();
        assert_eq!(kinds, ["a", "b", "c"]);
        let different = ["x", "y", "x", "y", "z"];
        assert!(kinds_after(&different).iter().all(|kind| kind == "a"));
    }

    /// The bodies that follow the rejections of a create with an optional field, whose schema this is, and one with it.
    fn protecting(field: &str, rejections: &[&str]) -> Vec<Value> {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\npaths: {{/things: {{post: {{requestBody: {{content: \
             {{application/json: {{schema: {{type: object, required: [name], properties: {{name: {{type: string}}, memo: \
             {{type: string}}, {field}}}}}}}}}}}, responses: {{'201': {{description: Thing}}}}}}}}}}\n"
        );
        let contract = Contract::read("things.yaml", text).unwrap();
        let draft = Template::of(&contract, OperationId(0))
            .draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
            .unwrap();
        let first = draft.body().0;
        let mut required = draft.clone();
        assert!(required.vary(&crate::plan::Variant::RequiredFields, &draft));
        let mut fallback = Fallback::starting_with(draft);
        let bodies = rejections
            .iter()
            .map_while(|rejection| fallback.next_with(rejection, || Some(required.clone())));
        let bodies: Vec<_> = bodies.map(|draft| draft.body().0).collect();
        [first, required.body().0].into_iter().chain(bodies).collect()
    }

    #[test]
    fn what_keeps_a_record_from_a_harmful_default_is_in_every_body() {
        for (field, sent) in [
            ("notify: {type: boolean, default: true}", Value::from(false)),
            ("draft: {type: boolean, default: false}", Value::from(true)),
            (
                "visibility: {type: string, enum: [private, public], default: public}",
                Value::from("private"),
            ),
        ] {
            let name = field.split(':').next().unwrap();
            for rejections in [["no"; TRIES], ["memo, name"; TRIES], [""; TRIES]] {
                let bodies = protecting(field, &rejections);
                assert!(
                    bodies.len() > 2 && bodies.iter().all(|body| body[name] == sent),
                    "{bodies:?}"
                );
                assert!(bodies.iter().any(|body| body.get("memo").is_none()), "{bodies:?}");
            }
            // The write is given up.
            assert_eq!(protecting(field, &[name; TRIES]).len(), 2);
        }
        // A plain field may be left out.
        let bodies = protecting("gift: {type: boolean}", &["gift"; TRIES]);
        assert!(bodies[1..3].iter().any(|body| body.get("gift").is_none()), "{bodies:?}");
    }

    #[test]
    fn a_field_that_was_left_out_comes_back_when_a_rejection_misses_it() {
        let bodies = bodies_after(&["note and on are not both allowed", "note is required"]);
        assert_eq!(bodies, [vec!["name"], vec!["name", "note"]]);
    }

    #[test]
    fn a_field_that_is_missed_comes_back_where_the_error_has_a_member_called_as_another() {
        let missed = r#"{"error": {"on": "/things", "message": "must have required property 'note'"}}"#;
        let bodies = bodies_after(&["note", missed]);
        assert_eq!(bodies[0], ["name", "on"]);
        // The body with everything was rejected before, so `on` goes, and `note` comes back alone.
        assert_eq!(
            bodies_after(&["note", missed, missed])[1..],
            [vec!["name"], vec!["name", "note"]]
        );
    }

    #[test]
    fn what_the_schema_requires_is_never_left_out() {
        let bodies = bodies_after(&["name"; TRIES]);
        assert_eq!(bodies, [vec!["name", "on"], vec!["name"]]);
    }

    #[test]
    fn a_service_that_rejects_everything_is_given_up_on() {
        assert_eq!(tries("createContact", "no", |_| false), None);
        assert_eq!(tries("createTag", r#"{"name": "taken"}"#, |_| false), None);
    }

    #[test]
    fn a_field_that_must_be_sent_is_tried_with_its_other_values() {
        let (before, after) = (
            "      type: object\n      properties:\n        firstname:",
            "      type: object\n      required: [dob]\n      properties:\n        firstname:",
        );
        let text = include_str!("../../tests/reference.yaml").replacen(before, after, 2);
        let contract = Contract::read("contract.yaml", text).unwrap_or_else(|defect| panic!("{defect}"));
        let id = contract.operation_named("createContact").unwrap();
        let draft = Template::of(&contract, id)
            .draft(&Bindings::default(), (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
            .unwrap();
        let mut fallback = Fallback::starting_with(draft);
        let mut bodies = std::iter::from_fn(|| Some(fallback.next("no")?.body().0));
        assert!(bodies.any(|body| body["dob"] == "28/02/1990"));
        assert!(bodies.all(|body| body.get("dob").is_some()));
    }
}
