//! `misplaced`: a created record shows under another owner, or an update shows in another record. Laws 5 and 6.

use super::evidence::WalkEnd;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;

pub(super) static RULE: Rule = Rule {
    name: "misplaced",
    level: Level::Deny,
    summary: "A contact method stands under its own contact alone, and an update changes its own contact alone.",
    source: "Update contact; Create contact method; design, laws 5 and 6",
    judge: Judging::Placed(
        |sighting, sink| {
            let seen = Seen {
                found: sighting.listed.is_some(),
                elsewhere: sighting.elsewhere,
                end: sighting.end,
            };
            judge(sighting.creation.operation, &seen, sighting.most, sink);
        },
        |updating, sink| {
            let seen = Seen {
                found: updating.listed.is_some(),
                elsewhere: updating.elsewhere,
                end: updating.end,
            };
            judge(updating.operation, &seen, updating.most, sink);
        },
    ),
};

/// What a walk over the list showed.
struct Seen<'seen> {
    found: bool,
    elsewhere: Option<&'seen str>,
    end: WalkEnd,
}

fn judge(operation: OperationId, seen: &Seen<'_>, most: u64, sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(operation, FactKind::NotElsewhere) else {
        return;
    };
    match (seen.elsewhere, seen.end) {
        (Some(pointer), _) => sink.broken(
            fact,
            || pointer.to_owned(),
            || "what was sent, in another item".to_owned(),
        ),
        (None, WalkEnd::Complete) if seen.found => sink.held(fact),
        (None, WalkEnd::Complete) => sink.undecided(fact, Reason::NotShown),
        (None, WalkEnd::TooManyPages) => sink.undecided(fact, Reason::TooManyPages(most)),
        (None, WalkEnd::Broken) => sink.undecided(fact, Reason::Broken),
        (None, WalkEnd::Unanswered) => sink.undecided(fact, Reason::Unanswered),
    }
}
