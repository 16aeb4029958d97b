//! `record-count`: a create left several records, or an update left its record under another identifier.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink, Verdict};
use crate::contract::fact::FactKind;
use crate::history::evidence::{FinalListing, UpdateObservation};

pub(super) static RULE: Rule = Rule {
    name: "record-count",
    level: Level::Deny,
    headline: Headline::Operation(
        "does not leave exactly one record",
        "do not leave exactly one record each",
    ),
    topic: Topic::Invariants,
    summary: "A create adds one record, and an update neither adds nor removes one.",
    explanation: "At the end of a run its lists are searched for the run tag, which nobody else writes, and for what \
                  each create sent. Nobody requested a second record that carries the same values under another identifier. \
                  After an update the list must show the record under the identifier that it had, and what was sent in \
                  no other item. A record that was created and listed must still be listed at the end: nobody \
                  requested its deletion.",
    exceptions: "A record that does not carry everything the create sent: one that the service makes in addition, or \
                   that others create meanwhile. A create that was sent again because the target asked the caller to \
                   wait, or that was not clearly accepted. A list that changed while it was walked, or was not seen in \
                   full.",
    fix: "Store each record once, even when a request is handled twice; update in place.",
    source: "The document, sections \"Create contact\" and \"Update contact\"; `listed` in the contract's \
             `x-invariants`",
    example: Example {
        fact: "createTag created in getTags: once",
        documented: "once",
        received: "what was sent, in another record too",
        pointer: "/data/items/4",
        #[cfg(test)]
        judged: || {
            let fixture = crate::rules::testing::Fixture::of("createTag");
            let other = crate::contract::pointer::element("/data/items", 4);
            fixture.final_listing(Some(&other), true, crate::history::evidence::WalkEnd::Complete)
        },
    },
    judge: Judging::FinalListing(judge_final, judge_update),
};

fn judge_final(listing: &FinalListing<'_>, sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(listing.operation, FactKind::NoExtraRecord) else {
        return;
    };
    // While the record itself is not seen, another one may be the same record under another identifier.
    if let Some(pointer) = listing.second_record.filter(|_| listing.found) {
        let elsewhere = sink.contract.fact_of(listing.operation, FactKind::NotElsewhere);
        // The second record may be the one that `other-records` reports already.
        if elsewhere.is_some_and(|fact| sink.verdicts.of(sink.contract, fact) == Verdict::Broken) {
            return sink.force_undecided(fact, Reason::OtherFactBroken);
        }
        let received = || "what was sent, in another record too".to_owned();
        return sink.broken(fact, || pointer.to_owned(), received);
    }
    match listing.end.reason(listing.max_pages) {
        Some(reason) => sink.undecided(fact, reason),
        None if listing.gone => sink.broken(fact, String::new, || {
            "listed before, and not at the end of the run".to_owned()
        }),
        None if listing.changed => sink.undecided(fact, Reason::ListChanged),
        None if listing.found => sink.held(fact),
        None => sink.undecided(fact, Reason::NotShown),
    }
}

fn judge_update(updating: &UpdateObservation<'_>, sink: &mut Sink<'_>) {
    if let Some(fact) = sink.contract.fact_of(updating.operation, FactKind::NoExtraRecord)
        && updating.gone
    {
        sink.broken(fact, String::new, || "no item with the id of the update".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::history::evidence::{Reached, StrayWrite, WalkEnd};
    use crate::rules::testing::{Fixture, Judged};

    const OTHER: &str = "/data/items/~24";

    fn both(second_record: Option<&str>, found: bool, end: WalkEnd) -> [Judged; 2] {
        ["createTag", "updateContact"].map(|operation| Fixture::of(operation).final_listing(second_record, found, end))
    }

    #[test]
    fn a_record_that_is_there_alone_holds() {
        for expected in both(None, true, WalkEnd::Complete) {
            assert_eq!(expected.kind(FactKind::NoExtraRecord), Verdict::Held);
        }
    }

    #[test]
    fn a_second_record_is_broken_however_the_walk_ended() {
        for end in [WalkEnd::Complete, WalkEnd::NoResponse, WalkEnd::TooManyPages] {
            for expected in both(Some(OTHER), true, end) {
                assert_eq!(expected.kind(FactKind::NoExtraRecord), Verdict::Broken);
                assert_eq!(expected.finding("record-count").level, Level::Deny);
                assert_eq!(
                    expected.received("record-count"),
                    "what was sent, in another record too"
                );
            }
        }
    }

    #[test]
    fn a_second_record_is_not_reported_beside_a_write_to_another_record_and_never_held() {
        let fixture = Fixture::of("updateContact");
        let stray = StrayWrite {
            operation: fixture.operation,
            pointer: OTHER,
            reached: Reached::ByUnknownIdentifier,
        };
        let judged = |second_record| {
            fixture.judge(|judge| {
                judge.stray_write(&stray, &fixture.request());
                for other in [second_record, None] {
                    let listing = fixture.final_listing_of(other, true, WalkEnd::Complete);
                    judge.final_listing(&listing, &fixture.request());
                }
            })
        };
        let with_second = judged(Some(OTHER));
        assert_eq!(
            with_second.kind(FactKind::NoExtraRecord),
            Verdict::Undecided(Reason::OtherFactBroken)
        );
        assert!(with_second.findings("record-count").is_empty());
        assert_eq!(judged(None).kind(FactKind::NoExtraRecord), Verdict::Held);
    }

    #[test]
    fn what_may_be_the_record_itself_or_was_not_seen_whole_decides_nothing() {
        for (other, found, end, reason) in [
            (Some(OTHER), false, WalkEnd::Complete, Reason::NotShown),
            (None, false, WalkEnd::Complete, Reason::NotShown),
            (None, true, WalkEnd::TooManyPages, Reason::TooManyPages(100)),
            (None, true, WalkEnd::NoResponse, Reason::NoResponse),
            (None, true, WalkEnd::Unusable, Reason::PageUnclear),
        ] {
            for expected in both(other, found, end) {
                assert_eq!(
                    expected.kind(FactKind::NoExtraRecord),
                    Verdict::Undecided(reason.clone())
                );
            }
        }
    }

    #[test]
    fn a_list_that_changed_may_have_hidden_a_second_record() {
        let fixture = Fixture::of("createTag");
        let counted = FinalListing {
            changed: true,
            ..fixture.final_listing_of(None, true, WalkEnd::Complete)
        };
        let judged = fixture.judge(|judge| judge.final_listing(&counted, &fixture.request()));
        assert_eq!(
            judged.kind(FactKind::NoExtraRecord),
            Verdict::Undecided(Reason::ListChanged)
        );
    }

    #[test]
    fn a_record_that_was_listed_and_is_not_any_more_is_broken_where_the_list_was_seen_whole() {
        for (end, verdict) in [
            (WalkEnd::Complete, Verdict::Broken),
            (WalkEnd::TooManyPages, Verdict::Undecided(Reason::TooManyPages(100))),
            (WalkEnd::NoResponse, Verdict::Undecided(Reason::NoResponse)),
        ] {
            let fixture = Fixture::of("createVisit");
            let counted = FinalListing {
                gone: true,
                ..fixture.final_listing_of(None, true, end)
            };
            let judged = fixture.judge(|judge| judge.final_listing(&counted, &fixture.request()));
            assert_eq!(judged.kind(FactKind::NoExtraRecord), verdict);
        }
    }

    #[test]
    fn an_updated_record_that_is_gone_is_broken_and_one_that_is_there_is_not_yet_alone() {
        let fixture = Fixture::of("updateContact");
        for (gone, verdict) in [(true, Verdict::Broken), (false, Verdict::Undecided(Reason::NotShown))] {
            let listed = json!({});
            let listed = Some(&listed).filter(|_| !gone);
            let judged = fixture.updated(&json!({"firstname": "Ada"}), listed, (None, WalkEnd::Complete));
            assert_eq!(judged.kind(FactKind::NoExtraRecord), verdict);
        }
    }

    #[test]
    fn the_finding_points_at_the_other_record_and_at_the_invariant() {
        let invariants = [
            "/paths/~1organization~1v1~1tags/post/x-invariants/created/listed",
            "/paths/~1organization~1v1~1contact-database~1{id}/put/x-invariants/updated/listed",
        ];
        for (expected, invariant) in both(Some(OTHER), true, WalkEnd::Complete).iter().zip(invariants) {
            assert_eq!(expected.locations("record-count"), ("/data/items/4", invariant));
        }
    }
}
