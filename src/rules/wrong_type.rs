//! `wrong-type`: a value has another type than the documented one.

use super::level::Level;
use super::place::Place;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};

pub(super) static RULE: Rule = Rule {
    name: "wrong-type",
    level: Level::Deny,
    summary: "Every value has the type that the document gives it.",
    source: "Resources and their fields",
    judge: Judging::Place(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    let Some(fact) = place.shape.type_fact else { return };
    if place.value.is_null() && place.null_is_open() {
        return sink.undecided(fact, Reason::OnlyNull);
    }
    let admitted = place.shape.types.iter().all(|kind| kind.admits(place.value));
    if admitted || (place.value.is_null() && place.shape.nullable) {
        sink.held(fact);
    } else {
        let received = sink.tell(place.value);
        sink.broken(fact, || place.pointer(), || received);
    }
}
