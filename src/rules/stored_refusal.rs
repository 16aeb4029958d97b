//! `stored-refusal`: a create was refused, and its record is there all the same.

use super::evidence::Stored;
use super::level::Level;
use super::rule::{Example, Judging, Rule};
use super::verdict::Sink;
use crate::contract::fact::FactKind;

pub(super) static RULE: Rule = Rule {
    name: "stored-refusal",
    level: Level::Deny,
    summary: "A create that is refused leaves no record.",
    explanation: "At the end of a run its lists are searched for the run's tag, which nobody else writes. A record that \
                  stands there although its create was answered by a refusal was stored and called failed: whoever \
                  sends it again, as a refusal invites them to, stores it twice.",
    leaves_alone: "Creates whose response leaves open whether they were stored: a redirection, a 5xx, a 408, 425 or 429, \
                   none at all. They are told as what the run may have left. Lists that were not seen whole show what \
                   they show.",
    mend: "Store the record after everything that can refuse it, or answer that it was created.",
    source: "RFC 9110, section 15.5: a 4xx says that the request could not be carried out",
    example: Example {
        fact: "createTag status: 201",
        documented: "a refused create leaves no record",
        received: "422, and a record of this run is there",
        pointer: "/data/items/0",
        #[cfg(test)]
        shown: || {
            let bench = crate::rules::testing::Bench::of("createTag");
            let pointer = crate::contract::pointer::element("/data/items", 0);
            let stored = Stored {
                operation: bench.operation,
                status: 422,
                pointer: &pointer,
            };
            bench.judge(|judge| judge.stored(&stored, &bench.request()))
        },
    },
    judge: Judging::Stored(judge),
};

fn judge(stored: &Stored<'_>, sink: &mut Sink<'_>) {
    if let Some(fact) = sink.contract.fact_of(stored.operation, FactKind::Status) {
        let documented = Some("a refused create leaves no record");
        let received = || format!("{}, and a record of this run is there", stored.status);
        sink.noted(fact, documented, || stored.pointer.to_owned(), received);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Bench;

    #[test]
    fn a_stored_refusal_is_told_where_the_record_stands_and_at_the_status_of_its_create() {
        let told = (RULE.example.shown)();
        assert_eq!(told.finding(RULE.name).level, Level::Deny);
        let status = "/paths/~1organization~1v1~1tags/post/responses";
        let (answer, contract) = told.places(RULE.name);
        assert_eq!(answer, "/data/items/0");
        assert!(contract.starts_with(status), "{contract}");
    }

    #[test]
    fn a_refusal_by_itself_is_none() {
        for status in [400, 401, 422] {
            assert!(Bench::of("createTag").status(status).findings(RULE.name).is_empty());
        }
    }
}
