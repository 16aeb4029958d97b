//! `undocumented-field`: a resource has a field that the document does not list.

use super::level::Level;
use super::place::Place;
use super::rule::{Judging, Rule};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "undocumented-field",
    level: Level::Warn,
    summary: "A resource has the fields that the document lists and no others.",
    source: "Resources and their fields, silent on other fields",
    judge: Judging::Place(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    let shape = place.shape;
    let says_nothing = shape.fields.is_empty() || shape.open || shape.closed.is_some() || shape.additional.is_some();
    let (Some(members), Some(fact), false) = (place.value.as_object(), shape.type_fact, says_nothing) else {
        return;
    };
    for (name, value) in members {
        let listed = shape.fields.iter().any(|field| field.name == *name);
        let forbidden = shape.forbidden.iter().any(|(forbidden, _)| forbidden == name);
        if !listed && !forbidden {
            let received = sink.tell(value);
            sink.noted(fact, Some("no field of this name"), || place.member(name), || received);
        }
    }
}
