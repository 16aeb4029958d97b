//! `envelope`: an object that the document closes has another field.

use super::level::Level;
use super::place::Place;
use super::rule::{Judging, Rule};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "envelope",
    level: Level::Deny,
    summary: "A page is an object with the one key data, a create answers message and data: nothing else stands there.",
    source: "Page envelope, Create envelope",
    judge: Judging::Place(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    let (Some((fact, names)), Some(members)) = (&place.shape.closed, place.value.as_object()) else {
        return;
    };
    let mut others = members.iter().filter(|(name, _)| !names.contains(name)).peekable();
    if others.peek().is_none() {
        return sink.held(*fact);
    }
    for (name, value) in others {
        let received = sink.tell(value);
        sink.broken(*fact, || place.member(name), || format!("another field, {received}"));
    }
}
