//! `accepted-form`: a documented form of a request field is refused where another is accepted. Law 7.

use super::evidence::FormTried;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;

pub(super) static RULE: Rule = Rule {
    name: "accepted-form",
    level: Level::Deny,
    summary: "A visit's datetime is accepted with the suffix Z and with a numeric UTC offset.",
    source: "Create visit, datetime",
    judge: Judging::Form(judge),
};

fn judge(tried: &FormTried, sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(tried.operation, FactKind::Accepts(tried.form)) else {
        return;
    };
    match tried.status {
        None => sink.undecided(fact, Reason::Unanswered),
        Some(200..=299) => sink.held(fact),
        Some(status @ (400 | 422)) if tried.other_accepted => sink.broken(fact, String::new, || status.to_string()),
        Some(status) => sink.undecided(fact, Reason::Refused(status)),
    }
}
