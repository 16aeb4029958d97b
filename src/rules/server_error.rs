//! `server-error`: a request gets a 5xx.

use super::evidence::ExchangeSeen;
use super::level::Level;
use super::rule::{Example, Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::exchange::Credential;

pub(super) static RULE: Rule = Rule {
    name: "server-error",
    level: Level::Deny,
    summary: "No request gets a 5xx; a 503 counts once it stays.",
    explanation: "A 5xx says that the service erred, whatever was sent. A request that is answered by 429 or 503 is \
                  sent again, as Retry-After asks, a few times; what counts is the last answer.",
    leaves_alone: "A 503 that went away, and one to a wrong token, which is shown once only.",
    mend: "Find the request in the service's log. The line to see it again is in the finding.",
    source: "RFC 9110, section 15.6: a 5xx says that the server erred",
    example: Example {
        fact: "getTags status: no 5xx",
        documented: "no 5xx",
        received: "500",
        pointer: "",
        #[cfg(test)]
        shown: || crate::rules::testing::Bench::of("getTags").status(500),
    },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::{Leaning, Purpose};
    use crate::rules::Verdict;
    use crate::rules::testing::Bench;

    #[test]
    fn any_other_status_holds() {
        for status in [200, 302, 404, 429] {
            let told = Bench::of("getTags").status(status);
            assert_eq!(told.kind(FactKind::NoServerError), Verdict::Held, "{status}");
        }
    }

    #[test]
    fn a_5xx_breaks_it_whatever_was_sent() {
        let probe = Purpose::MustBeRefused(FactKind::NoCredential, Leaning::Nothing);
        for bench in [Bench::of("getTags"), Bench::of("getTags").purpose(probe)] {
            for status in [500, 501, 503, 599] {
                let told = bench.status(status);
                assert_eq!(told.kind(FactKind::NoServerError), Verdict::Broken, "{status}");
            }
        }
    }

    #[test]
    fn a_503_that_went_away_counts_for_nothing() {
        let mut first = Bench::of("getTags").exchange(503, None, "");
        first.superseded = true;
        let told = Bench::of("getTags").judge(|judge| drop(judge.exchange(&first)));
        assert_eq!(told.kind(FactKind::NoServerError), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn without_an_answer_nothing_is_decided() {
        let told = Bench::of("getTags").unanswered();
        assert_eq!(
            told.kind(FactKind::NoServerError),
            Verdict::Undecided(Reason::Unanswered)
        );
    }

    #[test]
    fn the_finding_points_at_the_documented_answers() {
        let told = Bench::of("getTags").status(500);
        let responses = "/paths/~1organization~1v1~1tags/get/responses";
        assert_eq!(told.places("server-error"), ("", responses));
        assert_eq!(told.received("server-error"), "500");
    }
}
