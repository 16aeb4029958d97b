//! `status`: a documented request gets another status than the documented one.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::operation::StatusPattern;
use crate::exchange::{Leaning, Purpose};

pub(super) static RULE: Rule = Rule {
    name: "status",
    level: Level::Deny,
    summary: "A documented request gets the documented status: 201 from Create tag, some 2xx elsewhere.",
    source: "Endpoints; Gaps in the endpoint definitions",
    judge: Judging::Exchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let Purpose::Documented(leaning) = seen.exchange.request.purpose else {
        return;
    };
    let Some(fact) = seen.contract.fact_of(seen.id, FactKind::Status) else {
        return;
    };
    let Ok(answer) = seen.outcome() else {
        return sink.undecided(fact, Reason::Unanswered);
    };
    let documented = seen
        .documented
        .is_some_and(|documented| documented.status != StatusPattern::Default);
    match answer.status {
        status if seen.operation.succeeds_with(status) => sink.held(fact),
        429 => sink.undecided(fact, Reason::Throttled),
        status @ 500.. => sink.undecided(fact, Reason::Refused(status)),
        status @ (401 | 403) => sink.undecided(fact, Reason::TokenRefused(status)),
        status if refuses(status, leaning) || (status >= 400 && documented) => {
            sink.undecided(fact, Reason::Refused(status));
        }
        status => sink.broken(fact, String::new, || status.to_string()),
    }
}

/// Whether the status refuses what a request leaned on.
fn refuses(status: u16, leaning: Leaning) -> bool {
    match leaning {
        Leaning::Gap => matches!(status, 400 | 409 | 422),
        Leaning::Nothing => false,
        Leaning::Sample => matches!(status, 400 | 404 | 409 | 410 | 422),
    }
}
