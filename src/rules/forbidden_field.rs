//! `forbidden-field`: a field is there that the document calls absent.

use super::level::Level;
use super::place::Place;
use super::rule::{Judging, Rule};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "forbidden-field",
    level: Level::Deny,
    summary: "A field that the document calls absent is absent: custom_fields in the create response.",
    source: "Contact (response shape), custom_fields",
    judge: Judging::Place(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    let Some(members) = place.value.as_object() else { return };
    for (name, fact) in &place.shape.forbidden {
        match members.get(name) {
            None => sink.held(*fact),
            Some(value) => {
                let received = sink.tell(value);
                sink.broken(*fact, || place.member(name), || received);
            }
        }
    }
}
