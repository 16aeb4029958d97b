//! `unfinished-answer`: a documented request gets no complete answer.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::Sink;
use crate::contract::fact::FactKind;
use crate::exchange::Purpose;

pub(super) static RULE: Rule = Rule {
    name: "unfinished-answer",
    level: Level::Deny,
    summary: "A documented request gets a complete answer within the deadline and the bounds.",
    source: "RFC 9112, section 8: an incomplete message is no answer",
    judge: Judging::Exchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let Purpose::Documented(_) = seen.exchange.request.purpose else {
        return;
    };
    let Some(fact) = seen.contract.fact_of(seen.id, FactKind::Complete) else {
        return;
    };
    match seen.outcome() {
        Ok(_) => sink.held(fact),
        Err(failure) => sink.broken(fact, String::new, || failure.to_string()),
    }
}
