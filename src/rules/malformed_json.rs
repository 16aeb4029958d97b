//! `malformed-json`: a body is not JSON, or gives one name twice.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::exchange::json::JsonError;

pub(super) static RULE: Rule = Rule {
    name: "malformed-json",
    level: Level::Deny,
    summary: "A body is JSON, with one value for each name.",
    source: "RFC 8259, sections 2 and 4",
    judge: Judging::Exchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let (Some(_), Some(body)) = (seen.success(), seen.body) else {
        return;
    };
    let Some(fact) = seen.contract.fact_of(seen.id, FactKind::Json) else {
        return;
    };
    match body {
        Err(JsonError::Beyond) => sink.undecided(fact, Reason::Beyond),
        Err(error) => sink.broken(fact, String::new, || error.to_string()),
        Ok(body) => match body.duplicates.first() {
            None => sink.held(fact),
            Some(pointer) => sink.broken(fact, || pointer.clone(), || "a name that stands twice".to_owned()),
        },
    }
}
