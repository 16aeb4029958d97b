//! `unusable-identifier`: what a create returns as an identifier cannot name a record.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::Sink;
use crate::contract::fact::FactKind;
use crate::exchange::identifier;
use crate::history::evidence::Creation;

pub(super) static RULE: Rule = Rule {
    name: "unusable-identifier",
    level: Level::Warn,
    headline: Headline::Operation("returns an unusable identifier", "return an unusable identifier"),
    topic: Topic::Invariants,
    summary: "A created record's identifier is a string or number of at most 200 characters.",
    explanation: "An identifier goes into paths, logs and other records. A value that is neither a text nor a number, \
                  is empty or has more than 200 characters does not fit there, and may be somebody's data in the wrong \
                  field. It is not used, not kept, and printed only as a shape, so nothing that depends on the record \
                  is checked.",
    exceptions: "Null, and a missing identifier: `null-value` and `missing-field` report those. A type other than \
                   the documented one: `wrong-type` reports it in addition.",
    fix: "Return a short text or a number that names the record.",
    source: "The document gives identifiers no length; 200 characters are this program's own bound",
    example: Example {
        fact: "createTag created /data/id: not reused",
        documented: "a string or number of at most 200 characters",
        received: "string(201)",
        pointer: "/data/id",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("createTag").created(&json!({}), &json!({"id": "x".repeat(201)}))
        },
    },
    judge: Judging::Creation(judge),
};

fn judge(creation: &Creation<'_>, sink: &mut Sink<'_>) {
    let id = creation.record.pointer(&creation.invariant.id);
    let unusable = id.filter(|id| !id.is_null() && identifier(id).is_none());
    let fact = sink.contract.fact_of(creation.operation, FactKind::IdentifierUnique);
    if let (Some(id), Some(fact)) = (unusable, fact) {
        let documented = Some("a string or number of at most 200 characters");
        let received = sink.render(id);
        let pointer = || format!("{}{}", creation.invariant.resource, creation.invariant.id);
        sink.report_finding(fact, documented, pointer, || received);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::testing::Fixture;

    #[test]
    fn what_names_no_record_is_shown_as_a_shape() {
        let person = json!({"name": "Ada Example", "contact": "ada@example.com"});
        for (id, shape) in [
            (person, "object"),
            (json!("x".repeat(1 << 20)), "string(1048576)"),
            (json!(""), "string(0)"),
            (json!([7]), "array(1)"),
        ] {
            let judged = Fixture::of("createTag").created(&json!({}), &json!({"id": id}));
            assert_eq!(judged.received(RULE.name), shape);
            assert_eq!(judged.locations(RULE.name).0, "/data/id");
        }
    }

    #[test]
    fn a_short_text_a_number_and_null_are_left_alone() {
        for id in [json!("t-17"), json!(17), json!("ä".repeat(200)), json!(null)] {
            let judged = Fixture::of("createTag").created(&json!({}), &json!({"id": id}));
            assert!(judged.findings(RULE.name).is_empty(), "{id}");
        }
        let judged = Fixture::of("createTag").created(&json!({}), &json!({}));
        assert!(judged.findings(RULE.name).is_empty());
    }
}
