//! `server-error`: a request gets a 5xx.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::exchange::Credential;

pub(super) static RULE: Rule = Rule {
    name: "server-error",
    level: Level::Deny,
    summary: "No request gets a 5xx; a 503 counts once it stays.",
    source: "RFC 9110, section 15.6: a 5xx says that the server erred",
    judge: Judging::Exchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let Some(fact) = seen.contract.fact_of(seen.id, FactKind::NoServerError) else {
        return;
    };
    // A wrong token is shown once, so nobody knows whether its 503 would have stayed.
    let once = matches!(seen.exchange.request.credential, Credential::Wrong { .. });
    match seen.outcome() {
        Err(_) => sink.undecided(fact, Reason::Unanswered),
        Ok(answer) if answer.status == 503 && once => sink.undecided(fact, Reason::Throttled),
        Ok(answer) if answer.status >= 500 => sink.broken(fact, String::new, || answer.status.to_string()),
        Ok(_) => sink.held(fact),
    }
}
