//! `listed`: what was created is not listed. Law 2, and law 6 for records that stand under another.

use super::evidence::{Sighting, WalkEnd};
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;

pub(super) static RULE: Rule = Rule {
    name: "listed",
    level: Level::Deny,
    summary: "What a create answers is found in its list by its id, within --settle.",
    source: "What the service does: create, list; design, laws 2 and 6",
    judge: Judging::Sighting(judge),
};

fn judge(sighting: &Sighting<'_>, sink: &mut Sink<'_>) {
    let creation = &sighting.creation;
    let Some(fact) = creation.contract.fact_of(creation.operation, FactKind::Listed) else {
        return;
    };
    match (sighting.listed, sighting.end) {
        (Some(_), _) => sink.held(fact),
        (None, WalkEnd::Complete) if sighting.changed => sink.undecided(fact, Reason::Changed),
        (None, WalkEnd::Complete) => sink.broken(fact, String::new, || "no item with the id of the answer".to_owned()),
        (None, WalkEnd::TooManyPages) => sink.undecided(fact, Reason::TooManyPages(sighting.most)),
        (None, WalkEnd::Broken) => sink.undecided(fact, Reason::Broken),
        (None, WalkEnd::Unanswered) => sink.undecided(fact, Reason::Unanswered),
    }
}
