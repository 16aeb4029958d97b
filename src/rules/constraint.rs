//! `constraint`: a value is outside what its schema asserts beyond the type: `enum`, `pattern`, `format`, bounds,
//! `oneOf`.

use super::assertion::Assertion;
use super::level::Level;
use super::place::Place;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};

pub(super) static RULE: Rule = Rule {
    name: "constraint",
    level: Level::Deny,
    summary: "Every value satisfies what its schema asserts beyond its type.",
    source: "OpenAPI 3.0.3, section 4.7.24; the built-in contract asserts nothing of the kind in its answers",
    judge: Judging::Place(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    if place.value.is_null() && (place.shape.nullable || place.null_is_open()) {
        return;
    }
    for (fact, schema) in &place.shape.assertions {
        let assertion = place.assertions.of(place.contract, schema);
        match &*assertion {
            Assertion::Unreadable(why) => sink.undecided(*fact, Reason::Unreadable(why.clone())),
            compiled if compiled.holds(place.value) == Some(true) => sink.held(*fact),
            _ => {
                let received = sink.tell(place.value);
                sink.broken(*fact, || place.pointer(), || received);
            }
        }
    }
}
