//! `envelope`: an object that the document closes has a further field.

use super::level::Level;
use super::location::LocatedValue;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "envelope",
    level: Level::Deny,
    headline: Headline::Field("does not belong in the envelope", "do not belong in the envelope"),
    topic: Topic::Fields,
    summary: "An object with `additionalProperties: false` has the documented fields and no others.",
    explanation: "The document gives its page envelope one key, data, and its create envelope two, message and data; a \
                  contract states this with `additionalProperties: false`. A client that decodes strictly fails on any \
                  other field.",
    exceptions: "Objects that the contract does not close: `undocumented-field` reports further fields there. The \
                   contents of the fields.",
    fix: "Remove the field from the envelope, or document it.",
    source: "The document, sections \"Page envelope (all list responses)\" and \"Create envelope (all create \
             responses)\"",
    example: Example {
        fact: "getTags body: no other fields",
        documented: "only data",
        received: "another field, integer",
        pointer: "/meta",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("getTags").body(&json!({"data": {}, "meta": 1}))
        },
    },
    judge: Judging::Object(judge),
};

fn judge(location: &LocatedValue<'_>, sink: &mut Sink<'_>) {
    let (Some((fact, names)), Some(members)) = (&location.shape.closed, location.value.as_object()) else {
        return;
    };
    let mut others = members.iter().filter(|(name, _)| !names.contains(*name)).peekable();
    if others.peek().is_none() {
        return sink.held(*fact);
    }
    for (name, value) in others {
        let values = sink.values;
        let received = || format!("another field, {}", values.render(value));
        sink.broken(*fact, || location.member(name), received);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rules::testing::Fixture;
    use crate::rules::{Reason, Verdict};

    #[test]
    fn the_documented_keys_alone_hold() {
        let judged =
            Fixture::of("createTag").body(&json!({"message": "Tag created", "data": {"id": "t-1", "name": "a"}}));
        assert_eq!(judged.fact("createTag body: no other fields"), Verdict::Held);
        let judged = Fixture::of("getTags").body(&json!({"data": {"per_page": 10}}));
        assert_eq!(judged.fact("getTags body: no other fields"), Verdict::Held);
        assert_eq!(judged.fact("getTags /data: no other fields"), Verdict::Held);
    }

    #[test]
    fn another_key_breaks_it_and_is_reported_once() {
        let judged = Fixture::of("getTags").body(&json!({"data": {}, "links": {}, "meta": {}}));
        assert_eq!(judged.fact("getTags body: no other fields"), Verdict::Broken);
        assert_eq!(judged.finding("envelope").count, 2);
        assert!(judged.findings("undocumented-field").is_empty());
    }

    #[test]
    fn what_is_no_object_is_not_judged() {
        let judged = Fixture::of("getTags").body(&json!([]));
        assert_eq!(
            judged.fact("getTags body: no other fields"),
            Verdict::Undecided(Reason::NotShown)
        );
    }

    #[test]
    fn a_resource_is_not_closed() {
        let judged =
            Fixture::of("createTag").body(&json!({"message": "", "data": {"id": "t-1", "name": "a", "color": ""}}));
        assert!(judged.findings("envelope").is_empty());
    }

    #[test]
    fn the_finding_points_at_the_key_and_not_at_its_value() {
        let judged = Fixture::of("getTags").body(&json!({"data": {}, "ada": 1}));
        assert_eq!(
            judged.locations("envelope"),
            ("/ada", "/components/schemas/TagPage/additionalProperties")
        );
        assert_eq!(judged.received("envelope"), "another field, integer");
    }
}
