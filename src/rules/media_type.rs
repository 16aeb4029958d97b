//! `media-type`: an answer comes as another media type than the documented one.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::Sink;
use crate::contract::fact::FactKind;
use crate::exchange::redact::printable;

pub(super) static RULE: Rule = Rule {
    name: "media-type",
    level: Level::Deny,
    summary: "A documented body comes as application/json.",
    source: "Resources and their fields: all requests and responses use application/json",
    judge: Judging::Exchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let (Some(answer), Some(documented)) = (seen.success(), seen.documented) else {
        return;
    };
    let Some(fact) = seen.contract.fact_of(seen.id, FactKind::MediaType) else {
        return;
    };
    let received = answer.media_type();
    if received
        .as_ref()
        .is_some_and(|received| documented.media_types.iter().any(|known| admits(known, received)))
    {
        sink.held(fact);
    } else {
        sink.broken(fact, String::new, || {
            received.map_or_else(|| "no media type".to_owned(), |media| tell(&media))
        });
    }
}

/// Whether the documented media type, which may be a range and have parameters, admits the received one.
fn admits(documented: &str, received: &str) -> bool {
    let documented = documented.split(';').next().unwrap_or_default().trim();
    match documented.strip_suffix('*') {
        Some(range) => range == "*/" || received.starts_with(range),
        None => documented == received,
    }
}

/// Media types that are known well enough to be printed; another may be made up to carry a value.
fn tell(media_type: &str) -> String {
    let known = [
        "text/html",
        "text/plain",
        "application/problem+json",
        "application/xml",
        "text/xml",
        "application/octet-stream",
    ];
    let told = known.iter().find(|known| **known == media_type);
    told.map_or_else(
        || format!("another media type, string({})", media_type.chars().count()),
        |known| printable(known),
    )
}
