//! Moves within the gaps: services that conform, each in another way. None may cause a finding at deny or leave much
//! undecided without a reason of its own, and most cause no warning either.

mod few;
mod lists;
mod pressure;
mod requests;
mod responses;
mod values;
mod variety;

use countersign::report::Outcome;

use super::call::Reply;
use super::checked::{Check, Judged};
use super::deviating::Deviation;
use crate::support::parallel::try_all;
use crate::support::tried;

/// What the facts held must reach, unless a move takes evidence away itself.
const FLOOR: usize = 440;

/// How many facts the reference service holds.
const ALL: usize = 487;

/// A service that conforms.
pub(super) struct Move {
    name: String,
    deviation: Deviation,
    check: Check,
    /// The rules that may warn.
    warning: &'static [&'static str],
    floor: usize,
    /// A part of a reason for which facts must be undecided.
    reason: &'static str,
}

impl Move {
    fn new(name: impl Into<String>, deviation: Deviation) -> Self {
        Self {
            name: name.into(),
            deviation,
            check: Check::default(),
            warning: &[],
            floor: FLOOR,
            reason: "",
        }
    }

    fn warning(mut self, rules: &'static [&'static str]) -> Self {
        self.warning = rules;
        self
    }

    /// Takes evidence away: at least so many facts are held, and the others are undecided for this reason.
    fn leaving(mut self, floor: usize, reason: &'static str) -> Self {
        (self.floor, self.reason) = (floor, reason);
        self
    }

    /// Asks what it brings about of this operation and what that needs, but where everything is tried. As large a part
    /// of their facts must be held as of all.
    fn of(mut self, operation: &'static str) -> Self {
        self.check.only = Check::concerning(operation).only;
        self
    }

    fn checked(mut self, check: Check) -> Self {
        self.check = check;
        self
    }
}

/// Checks each move's service, every fourth one but where everything is tried, and reports every false finding and
/// every check that decided too little.
fn prove(moves: Vec<Move>) {
    let moves = moves.into_iter().step_by(tried(4, 1)).collect();
    try_all(moves, async |mut moved: Move| {
        let deviation = std::mem::take(&mut moved.deviation);
        if moved.check.only.is_some() {
            moved.floor = moved.floor * moved.check.held().await / ALL;
        }
        misses(&moved, &moved.check.judged(deviation).await)
    });
}

fn misses(moved: &Move, judged: &Judged) -> Vec<String> {
    let mut misses: Vec<_> = judged.denied().map(|finding| format!("false: {finding}")).collect();
    if judged.outcome != Outcome::Conforms {
        misses.push(format!("the outcome is {:?}", judged.outcome));
    }
    let unexpected = judged
        .warned()
        .filter(|finding| !moved.warning.contains(&finding.rule.as_str()));
    misses.extend(unexpected.map(|finding| format!("warned: {finding}")));
    for rule in moved.warning {
        if !judged.warned().any(|finding| finding.rule == *rule) {
            misses.push(format!("`{rule}` does not warn"));
        }
    }
    let Judged { held, reasons, .. } = judged;
    if *held < moved.floor {
        misses.push(format!("{held} facts are held: {reasons:?}"));
    }
    if !moved.reason.is_empty() && !reasons.iter().any(|reason| reason.contains(moved.reason)) {
        misses.push(format!("nothing is undecided because {}: {reasons:?}", moved.reason));
    }
    misses
        .into_iter()
        .map(|miss| format!("{}: {miss}", moved.name))
        .collect()
}

#[test]
fn the_reference_service_conforms() {
    prove(vec![Move::new("nothing moved", Deviation::none()).leaving(ALL, "")]);
}

#[test]
fn a_service_may_move_along_many_gaps_at_once() {
    let moved = Deviation::none()
        .relisted(|_, listing| {
            listing.change(|items| items.reverse());
            let items = listing.take_items();
            listing.recut(items, 7);
            listing.beyond = 404;
        })
        .replied(|call, reply| {
            if call.is("updateContact") && reply.succeeded() {
                *reply = Reply::empty(204);
            } else if reply.succeeded() && !call.is("createTag") {
                reply.status = 200;
            } else if !reply.succeeded() {
                *reply = Reply::text(reply.status, "text/html", "<h1>No</h1>").challenging_like(reply);
            }
        });
    prove(vec![Move::new("order, page size, statuses and error bodies", moved)]);
}
