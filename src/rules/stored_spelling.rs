//! `stored-spelling`: a field whose allowed values or format are a gap comes back different from what was sent.

use super::level::Level;
use super::rule::{Comparison, Example, Headline, Judging, Rule, Topic};
use super::stored_values::{self, JudgedFields};

pub(super) static RULE: Rule = Rule {
    name: "stored-spelling",
    level: Level::Warn,
    headline: Headline::Field(
        "does not come back as it was sent",
        "do not come back as they were sent",
    ),
    topic: Topic::Invariants,
    summary: "A field whose values or format the document does not show comes back as it was sent.",
    explanation: "The allowed values of gender, status, type, nationality and country_of_residence and the format of \
                  dob are gaps. A service may spell such a value its own way; a caller that compares what it sent with \
                  what it reads should know, so this is a warning. So is a text that software writes by mistake, such \
                  as undefined or 1970-01-01, in such a field that an update did not send, and a text of any field \
                  that comes back without the invisible marks of its direction of writing (U+200E, U+200F and the \
                  like).",
    exceptions: "Other changes of fields without a gap, and elements of an array that show each other's values: there \
                 `stored-values` is strict. Fields that were not sent, otherwise.",
    fix: "If the spelling is intended, document it; otherwise return what was sent.",
    source: "The document, section \"Gaps in the field definitions\"",
    example: Example {
        fact: "createContact created /data/gender: as sent in /gender",
        documented: "as sent in /gender",
        received: "string(1), not the string(6) that was sent",
        pointer: "/data/gender",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("createContact")
                .created(&json!({"gender": "female"}), &json!({"gender": "F"}))
        },
    },
    judge: Judging::Comparison(Comparison {
        in_response: |creation, sink| stored_values::judge_in_response(creation, sink, JudgedFields::WithGap),
        listed: |observation, sink| stored_values::judge_listed(observation, sink, JudgedFields::WithGap),
        updated: |updating, sink| stored_values::judge_updated(updating, sink, JudgedFields::WithGap),
    }),
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::history::evidence::WalkEnd;
    use crate::rules::testing::Fixture;
    use crate::rules::{Level, Reason, Verdict};

    const GENDER: &str = "createContact created /data/gender: as sent in /gender";

    #[test]
    fn the_same_spelling_holds() {
        let judged = Fixture::of("createContact").created(&json!({"gender": "female"}), &json!({"gender": "female"}));
        assert_eq!(judged.fact(GENDER), Verdict::Held);
    }

    #[test]
    fn another_spelling_is_a_warning_and_no_finding_of_stored_values() {
        for returned in [json!("F"), json!(null)] {
            let judged =
                Fixture::of("createContact").created(&json!({"gender": "female"}), &json!({"gender": returned}));
            assert_eq!(judged.fact(GENDER), Verdict::Broken);
            assert_eq!(judged.finding("stored-spelling").level, Level::Warn);
            assert!(judged.findings("stored-values").is_empty());
        }
    }

    #[test]
    fn a_field_without_a_gap_is_none_of_its_business() {
        let judged = Fixture::of("createContact").created(&json!({"firstname": "Ada"}), &json!({"firstname": "Bea"}));
        assert!(judged.findings("stored-spelling").is_empty());
        assert_eq!(judged.finding("stored-values").level, Level::Deny);
    }

    #[test]
    fn a_field_that_was_not_sent_is_undecided() {
        let judged = Fixture::of("createContact").created(&json!({}), &json!({"gender": "female"}));
        assert_eq!(judged.fact(GENDER), Verdict::Undecided(Reason::NotSent));
    }

    #[test]
    fn the_listed_record_is_held_to_the_same() {
        let listed = json!({"gender": "F"});
        let judged =
            Fixture::of("createContact").observed(&json!({"gender": "female"}), Some(&listed), WalkEnd::Complete);
        let fact = "createContact listed in getContacts /gender: as sent in /gender";
        assert_eq!(judged.fact(fact), Verdict::Broken);
        assert_eq!(judged.finding("stored-spelling").level, Level::Warn);
    }

    #[test]
    fn the_finding_points_at_the_field_and_at_the_invariant() {
        let judged = Fixture::of("createContact").created(&json!({"gender": "female"}), &json!({"gender": "F"}));
        let invariant = "/paths/~1organization~1v1~1contact-database/post/x-invariants/created/carries/9";
        assert_eq!(judged.locations("stored-spelling"), ("/data/gender", invariant));
    }
}
