//! `forbidden-field`: a response has a field that the document calls absent.

use super::level::Level;
use super::location::LocatedValue;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "forbidden-field",
    level: Level::Deny,
    headline: Headline::Field("must be absent", "must be absent"),
    topic: Topic::Fields,
    summary: "A field that the document calls absent is absent.",
    explanation: "A field may be documented for one response and excluded from another: custom_fields is listed for \
                  the items of a list and called absent from the create response. A contract states this with `not: \
                  {}`.",
    exceptions: "Fields that the document does not mention: `undocumented-field` and `envelope` report those.",
    fix: "Leave the field out of this response, or document it there.",
    source: "The document, section \"Contact (response shape)\" (custom_fields)",
    example: Example {
        fact: "createContact /data/custom_fields: absent",
        documented: "absent",
        received: "object",
        pointer: "/data/custom_fields",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("createContact").body(&json!({"data": {"custom_fields": {}}}))
        },
    },
    judge: Judging::Object(judge),
};

fn judge(location: &LocatedValue<'_>, sink: &mut Sink<'_>) {
    let Some(members) = location.value.as_object() else {
        return;
    };
    for (name, fact) in &location.shape.forbidden {
        match members.get(name) {
            None => sink.held(*fact),
            Some(value) => {
                let values = sink.values;
                sink.broken(*fact, || location.member(name), || values.render(value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rules::testing::Fixture;
    use crate::rules::{Reason, Verdict};

    const ABSENT: &str = "createContact /data/custom_fields: absent";

    #[test]
    fn an_absent_field_holds() {
        let judged = Fixture::of("createContact").body(&json!({"data": {"id": "c-1"}}));
        assert_eq!(judged.fact(ABSENT), Verdict::Held);
    }

    #[test]
    fn a_field_that_is_there_breaks_it_even_when_it_is_null() {
        for (value, received) in [(json!({}), "object"), (json!(null), "null")] {
            let judged = Fixture::of("createContact").body(&json!({"data": {"custom_fields": value}}));
            assert_eq!(judged.fact(ABSENT), Verdict::Broken);
            assert_eq!(judged.received("forbidden-field"), received);
            assert!(judged.findings("undocumented-field").is_empty());
        }
    }

    #[test]
    fn without_the_record_nothing_is_decided() {
        let judged = Fixture::of("createContact").body(&json!({"data": null}));
        assert_eq!(judged.fact(ABSENT), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn the_same_field_is_required_in_list_items() {
        let judged = Fixture::of("getContacts").body(&json!({"data": {"items": [{"custom_fields": {"shoe": 42}}]}}));
        assert_eq!(
            judged.fact("getContacts /data/items/*/custom_fields: present"),
            Verdict::Held
        );
        assert!(judged.findings("forbidden-field").is_empty());
    }

    #[test]
    fn the_finding_points_at_the_field_and_at_what_forbids_it() {
        let judged = Fixture::of("createContact").body(&json!({"data": {"custom_fields": {}}}));
        assert_eq!(
            judged.locations("forbidden-field"),
            (
                "/data/custom_fields",
                "/components/schemas/ContactFresh/allOf/1/properties/custom_fields"
            )
        );
    }
}
