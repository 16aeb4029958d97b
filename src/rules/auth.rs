//! `auth`: a request that must be refused is let in.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind};
use crate::contract::operation::{Security, StatusPattern};
use crate::contract::pointer;
use crate::exchange::{Leaning, Purpose};

pub(super) static RULE: Rule = Rule {
    name: "auth",
    level: Level::Deny,
    summary: "A request without a credential, with a wrong one or under another scheme is refused: 401 where the \
              document lists it, some 4xx elsewhere.",
    source: "Authentication; Errors",
    judge: Judging::Exchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let Purpose::MustBeRefused(kind, leaning) = seen.exchange.request.purpose else {
        return;
    };
    let Some(fact) = fact(seen, kind) else { return };
    let Ok(answer) = seen.outcome() else {
        return sink.undecided(fact, Reason::Unanswered);
    };
    let exact = seen
        .operation
        .answers
        .iter()
        .any(|answer| answer.status == StatusPattern::Exact(401));
    match answer.status {
        429 => sink.undecided(fact, Reason::Throttled),
        status @ 500.. => sink.undecided(fact, Reason::Refused(status)),
        401 => sink.held(fact),
        status @ (400 | 409 | 422) if leaning == Leaning::Gap => sink.undecided(fact, Reason::Refused(status)),
        400..=499 if !exact => sink.held(fact),
        status => {
            let documented = if exact {
                "refused with 401"
            } else {
                "refused with a 4xx"
            };
            sink.broken_where(fact, documented, || status.to_string());
        }
    }
}

/// A wrong token is a fact of the security scheme, the others are the operation's own.
fn fact(seen: &ExchangeSeen<'_>, kind: FactKind) -> Option<FactId> {
    let (Security::Bearer { scheme } | Security::ApiKey { scheme, .. }) = &seen.operation.security else {
        return None;
    };
    let of_scheme = || {
        let place = pointer::join("/components/securitySchemes", scheme);
        let facts = &seen.contract.facts;
        facts
            .iter()
            .position(|fact| fact.kind == kind && fact.place == place)
            .map(FactId)
    };
    seen.contract.fact_of(seen.id, kind).or_else(of_scheme)
}
