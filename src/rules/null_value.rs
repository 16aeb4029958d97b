//! `null-value`: a field that the document lists with a type is null.

use super::level::Level;
use super::place::Place;
use super::rule::{Judging, Rule};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "null-value",
    level: Level::Warn,
    summary: "No listed field is null; the document does not say that one may be, nor that it may not.",
    source: "Resources and their fields, silent on null",
    judge: Judging::Place(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    if let Some(fact) = place
        .shape
        .type_fact
        .filter(|_| place.value.is_null() && place.null_is_open())
    {
        sink.noted(fact, None, || place.pointer(), || "null".to_owned());
    }
}
