//! `other-records`: a created record appears inside another record than the one that it was created in, or an update in
//! another record than the one that its path names.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;
use crate::history::evidence::{Reached, WalkEnd};

pub(super) static RULE: Rule = Rule {
    name: "other-records",
    level: Level::Deny,
    headline: Headline::Operation("writes to another record", "write to another record"),
    topic: Topic::Invariants,
    summary: "A created record appears only in the record that it was created for, and an update changes only its own \
              record.",
    explanation: "A contact method must appear under the contact that it was created for, and an update in the \
                  contact that was updated. Every other item of the list is searched for what was sent, which carries \
                  the run tag: there it would be one person's data under another's name. What an edge case sends to \
                  an identifier that names no record must not appear in a record that the list showed before. Right \
                  after the first write of an operation, three or more records on the first page must not show what \
                  was sent in one of its fields if they had another value before. Another client may have set a value \
                  without a digit, or a number below 1,000, so such a value counts only if every record on the page \
                  shows it. Nor must a field that the operation writes be cleared in three or more of the records that \
                  were there before, and in half of them, between the reads right before and right after a write.",
    exceptions: "A list that was not seen in full. An item elsewhere while the record itself was not found: it may \
                   be the record under another id.",
    fix: "Write to the record that the path names, and to no other.",
    source: "The document, sections \"Update contact\" and \"Create contact method\"; `listed` in the contract's \
             `x-invariants`",
    example: Example {
        fact: "createContactMethod created in getContacts: under no other item",
        documented: "under no other item",
        received: "what was sent, in another item",
        pointer: "/data/items/4/contact_methods/0",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            let item = crate::contract::pointer::element("/data/items", 4);
            let elsewhere = crate::contract::pointer::element(&format!("{item}/contact_methods"), 0);
            crate::rules::testing::Fixture::of("createContactMethod").placed(
                &json!({}),
                Some(&json!({})),
                (Some(&elsewhere), WalkEnd::Complete),
            )
        },
    },
    judge: Judging::Placement(
        |observation, sink| {
            let seen = Observation {
                found: observation.listed.is_some(),
                identified: observation.creation.is_identified(),
                elsewhere: observation.elsewhere,
                end: observation.end,
            };
            judge(observation.creation.operation, &seen, observation.max_pages, sink);
        },
        |updating, sink| {
            let seen = Observation {
                found: updating.listed.is_some(),
                identified: true,
                elsewhere: updating.elsewhere,
                end: updating.end,
            };
            judge(updating.operation, &seen, updating.max_pages, sink);
        },
        |stray, sink| {
            let received = match stray.reached {
                Reached::ByUnknownIdentifier => "what was sent to an identifier that names no record".to_owned(),
                Reached::ExistingRecords(count) => {
                    format!("what was sent, in {count} records that showed another value before")
                }
                Reached::Cleared(count, seen) => {
                    format!("nothing in a field that had a value before, in {count} of {seen} records")
                }
                // `lifecycle` judges it.
                Reached::Tagged => return,
            };
            if let Some(fact) = sink.contract.fact_of(stray.operation, FactKind::NotElsewhere) {
                sink.broken(fact, || stray.pointer.to_owned(), || received);
            }
        },
    ),
};

/// What a walk over the list showed.
struct Observation<'seen> {
    found: bool,
    /// Whether the record has an identifier to be found by.
    identified: bool,
    elsewhere: Option<&'seen str>,
    end: WalkEnd,
}

fn judge(operation: OperationId, seen: &Observation<'_>, max_pages: u64, sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(operation, FactKind::NotElsewhere) else {
        return;
    };
    if let Some(pointer) = seen.elsewhere {
        return sink.broken(
            fact,
            || pointer.to_owned(),
            || "what was sent, in another item".to_owned(),
        );
    }
    match seen.end.reason(max_pages) {
        _ if !seen.identified => sink.undecided(fact, Reason::NoIdentifier),
        Some(reason) => sink.undecided(fact, reason),
        None if seen.found && seen.end == WalkEnd::Complete => sink.held(fact),
        // Not every item was seen, or the record itself was not found.
        None => sink.undecided(fact, Reason::NotShown),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    const ELSEWHERE: &str = "/data/items/~24/contact_methods/~20";

    /// Judges a created method, and an update: whether each was found, and where else it was shown.
    fn both(found: bool, elsewhere: Option<&str>, end: WalkEnd) -> [Judged; 2] {
        let (sent, listed) = (json!({}), json!({}));
        let listed = Some(&listed).filter(|_| found);
        [
            Fixture::of("createContactMethod").placed(&sent, listed, (elsewhere, end)),
            Fixture::of("updateContact").updated(&sent, listed, (elsewhere, end)),
        ]
    }

    #[test]
    fn what_shows_in_its_own_location_alone_holds() {
        for expected in both(true, None, WalkEnd::Complete) {
            assert_eq!(expected.kind(FactKind::NotElsewhere), Verdict::Held);
        }
    }

    #[test]
    fn what_shows_in_another_item_is_broken_however_the_walk_ended() {
        for end in [
            WalkEnd::Unusable,
            WalkEnd::Complete,
            WalkEnd::TooManyPages,
            WalkEnd::NoResponse,
        ] {
            for found in [true, false] {
                for expected in both(found, Some(ELSEWHERE), end) {
                    assert_eq!(expected.kind(FactKind::NotElsewhere), Verdict::Broken);
                    assert_eq!(expected.received("other-records"), "what was sent, in another item");
                }
            }
        }
    }

    #[test]
    fn what_was_sent_to_no_record_is_broken_in_a_record_that_was_listed_before() {
        for operation in ["createContactMethod", "updateContact"] {
            let judged = Fixture::of(operation).stray("/data/items/~24", Reached::ByUnknownIdentifier);
            assert_eq!(judged.kind(FactKind::NotElsewhere), Verdict::Broken);
            let received = "what was sent to an identifier that names no record";
            assert_eq!(judged.received("other-records"), received);
            assert_eq!(judged.locations("other-records").0, "/data/items/4");
        }
    }

    #[test]
    fn what_existing_records_show_right_after_an_update_is_broken_and_counted() {
        let judged = Fixture::of("updateContact").stray("/data/items", Reached::ExistingRecords(7));
        assert_eq!(judged.kind(FactKind::NotElsewhere), Verdict::Broken);
        let received = "what was sent, in 7 records that showed another value before";
        assert_eq!(judged.received("other-records"), received);
        assert_eq!(judged.locations("other-records").0, "/data/items");
    }

    #[test]
    fn a_field_that_is_cleared_in_half_of_the_records_is_broken_and_counted() {
        let judged = Fixture::of("updateContact").stray("/data/items", Reached::Cleared(19, 20));
        assert_eq!(judged.kind(FactKind::NotElsewhere), Verdict::Broken);
        let received = "nothing in a field that had a value before, in 19 of 20 records";
        assert_eq!(judged.received("other-records"), received);
    }

    #[test]
    fn a_list_that_was_not_seen_whole_or_shows_nothing_of_it_decides_nothing() {
        for (found, end, reason) in [
            (false, WalkEnd::Complete, Reason::NotShown),
            (true, WalkEnd::TooManyPages, Reason::TooManyPages(100)),
            (true, WalkEnd::SeenEnough, Reason::NotShown),
            (true, WalkEnd::Unusable, Reason::PageUnclear),
            (true, WalkEnd::NoResponse, Reason::NoResponse),
        ] {
            for expected in both(found, None, end) {
                assert_eq!(
                    expected.kind(FactKind::NotElsewhere),
                    Verdict::Undecided(reason.clone())
                );
            }
        }
    }

    #[test]
    fn a_record_that_stands_under_no_other_has_no_such_fact() {
        let judged = Fixture::of("createTag").placed(&json!({}), None, (Some("/data/items/0"), WalkEnd::Complete));
        assert!(judged.findings("other-records").is_empty());
    }

    #[test]
    fn the_finding_points_at_the_other_item_and_at_the_invariant() {
        let paths = "/paths/~1organization~1v1~1contact-database~1";
        let invariants = [
            format!("{paths}{{contactId}}~1contact-method/post/x-invariants/created/listed"),
            format!("{paths}{{id}}/put/x-invariants/updated/listed"),
        ];
        for (expected, invariant) in both(true, Some(ELSEWHERE), WalkEnd::Complete).iter().zip(invariants) {
            assert_eq!(
                expected.locations("other-records"),
                ("/data/items/4/contact_methods/0", invariant.as_str())
            );
        }
    }
}
