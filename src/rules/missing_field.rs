//! `missing-field`: a documented field is not there.

use super::level::Level;
use super::place::Place;
use super::rule::{Judging, Rule};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "missing-field",
    level: Level::Deny,
    summary: "Every field that the document lists is there; null counts as there.",
    source: "Resources and their fields",
    judge: Judging::Place(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    let Some(members) = place.value.as_object() else { return };
    for field in &place.shape.fields {
        let Some(fact) = field.present else { continue };
        if members.contains_key(&field.name) {
            sink.held(fact);
        } else {
            sink.broken(fact, || place.member(&field.name), || "nothing".to_owned());
        }
    }
}
