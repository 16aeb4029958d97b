//! `challenge`: a 401 does not say how to authenticate.

use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::traffic_reason::TrafficReason;
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::operation::SecurityScheme;
use crate::exchange::Purpose;

pub(super) static RULE: Rule = Rule {
    name: "challenge",
    level: Level::Warn,
    headline: Headline::Operation(
        "sends a 401 without the challenge of its scheme",
        "send a 401 without the challenge of their scheme",
    ),
    topic: Topic::Access,
    summary: "A 401 has a `WWW-Authenticate` header, and where the scheme is bearer or basic it asks for that one.",
    explanation: "A 401 states that a credential is missing and how to supply one. The document names the scheme but \
                  no header; the RFCs that define the scheme require the header, and clients that log in by themselves \
                  need it.",
    exceptions: "Rejections with another status: only a 401 has a challenge. The parameters of the challenge.",
    fix: "Send `WWW-Authenticate` with each 401, and the name of the scheme in it: `WWW-Authenticate: Bearer`.",
    source: "RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 7617, section 2",
    example: Example {
        fact: "getTags auth: a 401 asks for Bearer",
        documented: "a 401 asks for Bearer",
        received: "401 without `WWW-Authenticate`",
        pointer: "",
        #[cfg(test)]
        judged: || crate::rules::testing::Fixture::of("getTags").status(401),
    },
    judge: Judging::ExchangeExceptEdgeCases(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let (Some(fact), Ok(response)) = (sink.contract.fact_of(seen.id, FactKind::Challenge), seen.outcome()) else {
        return;
    };
    if response.status != 401 {
        if matches!(seen.intent.purpose, Purpose::MustBeRejected { .. }) && (400..500).contains(&response.status) {
            sink.undecided(fact, Reason::No401(response.status));
        }
        return;
    }
    if !response.are_headers_known {
        return sink.undecided(fact, Reason::Traffic(TrafficReason::NoHeaders));
    }
    let schemes = schemes(&response.headers);
    let documented = match seen.operation.security.scheme() {
        Some(SecurityScheme::Basic) => Some("Basic"),
        Some(SecurityScheme::Bearer) => Some("Bearer"),
        // An API key has no registered scheme, or the user named the scheme: any challenge will do.
        _ => None,
    };
    let asks_for = |wanted: &str| schemes.iter().any(|scheme| scheme.eq_ignore_ascii_case(wanted));
    let received = match documented {
        _ if schemes.is_empty() => "401 without `WWW-Authenticate`",
        Some(wanted) if !asks_for(wanted) => "401 that asks for another scheme",
        _ => return sink.held(fact),
    };
    if seen.intent.is_of_other_client() {
        sink.undecided(fact, Reason::Traffic(TrafficReason::NeedsCheck));
    } else {
        sink.broken(fact, String::new, || received.to_owned());
    }
}

/// Returns the schemes that the headers ask for. A header may hold several challenges, and a challenge several
/// parameters, both separated by commas (RFC 9110, section 11.6.1): a part that starts with a name and an equals sign
/// is a parameter.
pub(crate) fn schemes(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(WWW_AUTHENTICATE).iter();
    let parts = values.flat_map(|value| unquoted(&String::from_utf8_lossy(value.as_bytes())));
    let challenges = parts.filter_map(|part| {
        let part = part.trim();
        let end = part.find([' ', '\t', '=']).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        (!name.is_empty() && !rest.trim_start().starts_with('=')).then(|| name.to_owned())
    });
    challenges.collect()
}

/// Splits the value at the commas outside quotes, and leaves out quoted text.
fn unquoted(value: &str) -> Vec<String> {
    let (mut parts, mut quoted, mut escaped) = (vec![String::new()], false, false);
    for character in value.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            ',' => parts.push(String::new()),
            other => parts.last_mut().into_iter().for_each(|part| part.push(other)),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderValue, WWW_AUTHENTICATE};

    use crate::contract::fact::FactKind;
    use crate::exchange::{Purpose, RejectionMeaning};
    use crate::rules::testing::{Fixture, JSON, Judged};
    use crate::rules::{Level, Reason, Verdict};

    fn rejected(fixture: &Fixture, status: u16, challenges: &[&str]) -> Judged {
        let mut exchange = fixture.exchange(status, JSON, "{}");
        if let Ok(response) = &mut exchange.outcome {
            for value in challenges {
                response
                    .headers
                    .append(WWW_AUTHENTICATE, HeaderValue::from_str(value).unwrap());
            }
        }
        fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())))
    }

    fn probe(operation: &str) -> Fixture {
        Fixture::of(operation).purpose(Purpose::MustBeRejected {
            fact: FactKind::RejectsNoCredential,
            meaning_of_another_rejection: RejectionMeaning::Finding,
        })
    }

    #[test]
    fn a_challenge_for_bearer_holds_however_it_is_written() {
        for challenges in [
            &["Bearer"][..],
            &["bearer realm=\"a, b\""],
            &["Bearer error=\"invalid_token\", realm=x"],
            &["Basic realm=\"a\", charset=\"UTF-8\", Bearer"],
            &["Basic realm=\"Bearer\"", "Bearer"],
            &["Negotiate abc==, Bearer realm = x"],
        ] {
            let judged = rejected(&probe("getTags"), 401, challenges);
            assert_eq!(judged.kind(FactKind::Challenge), Verdict::Held, "{challenges:?}");
            assert!(judged.verdicts.findings().is_empty(), "{challenges:?}");
        }
    }

    #[test]
    fn a_401_without_one_is_a_warning() {
        for (challenges, received) in [
            (&[][..], "401 without `WWW-Authenticate`"),
            (&[""], "401 without `WWW-Authenticate`"),
            (&["Basic realm=\"Bearer\""], "401 that asks for another scheme"),
            (&["Basic realm=\"a\", Bearer = x"], "401 that asks for another scheme"),
            (&["Basic realm=\"a\\\", Bearer\""], "401 that asks for another scheme"),
        ] {
            let judged = rejected(&probe("getTags"), 401, challenges);
            assert_eq!(judged.kind(FactKind::Challenge), Verdict::Broken, "{challenges:?}");
            assert_eq!(judged.finding("challenge").level, Level::Warn);
            assert_eq!(judged.received("challenge"), received);
        }
    }

    #[test]
    fn an_api_key_has_no_scheme_to_ask_for() {
        let keyed = "openapi: 3.0.3\ninfo: {title: Keyed, version: '1'}\nsecurity: [{key: []}]\npaths:\n  /things: {get: \
                     {operationId: getThings, responses: {'200': {description: a}}}}\ncomponents:\n  securitySchemes:\n    \
                     key: {type: apiKey, in: header, name: X-Key}\n";
        let fixture = Fixture::text(keyed, "getThings");
        assert_eq!(
            rejected(&fixture, 401, &["ApiKey"]).kind(FactKind::Challenge),
            Verdict::Held
        );
        assert_eq!(rejected(&fixture, 401, &[]).kind(FactKind::Challenge), Verdict::Broken);
    }

    #[test]
    fn basic_is_asked_for_by_its_own_name() {
        let secured = "openapi: 3.0.3\ninfo: {title: Secured, version: '1'}\nsecurity: [{user: []}]\npaths:\n  /things: {get: \
                       {operationId: getThings, responses: {'200': {description: a}}}}\ncomponents:\n  \
                       securitySchemes:\n    user: {type: http, scheme: basic}\n";
        let fixture = Fixture::text(secured, "getThings");
        for (challenge, verdict) in [
            ("Basic realm=\"a\"", Verdict::Held),
            ("basic", Verdict::Held),
            ("Bearer", Verdict::Broken),
        ] {
            let judged = rejected(&fixture, 401, &[challenge]);
            assert_eq!(judged.kind(FactKind::Challenge), verdict, "{challenge}");
        }
    }

    #[test]
    fn another_rejection_and_a_success_need_none() {
        for status in [400, 403, 404] {
            let judged = rejected(&probe("getTags"), status, &[]);
            let verdict = judged.kind(FactKind::Challenge);
            assert_eq!(verdict, Verdict::Undecided(Reason::No401(status)));
            assert!(judged.findings("challenge").is_empty());
        }
        let judged = rejected(&Fixture::of("getTags"), 200, &[]);
        assert_eq!(judged.kind(FactKind::Challenge), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn the_finding_points_at_the_whole_response_and_at_the_scheme() {
        let reported = rejected(&probe("getTags"), 401, &[]);
        assert_eq!(
            reported.locations("challenge"),
            ("", "/components/securitySchemes/bearerAuth")
        );
    }
}
