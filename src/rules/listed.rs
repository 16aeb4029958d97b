//! `listed`: what was created is not listed. A record may be listed within another, as a contact method is within its
//! contact.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::history::evidence::CreatedObservation;

pub(super) static RULE: Rule = Rule {
    name: "listed",
    level: Level::Deny,
    headline: Headline::Operation(
        "creates a record that its list does not show",
        "create a record that their list does not show",
    ),
    topic: Topic::Invariants,
    summary: "A created record is found in its list by its id within `settle` seconds (5 by default).",
    explanation: "After a create, the list that x-invariants names is walked again and again until it shows the \
                  identifier that the create returned, for at most `settle` seconds: the document does not promise \
                  that a record is listed at once. A record that no list shows is lost to every caller.",
    exceptions: "A list that changed while it was walked, was not seen in full, or has more pages than are walked. A \
                   create that returned no identifier.",
    fix: "List the record; if the list lags by design, raise `settle`.",
    source: "The document, section \"What the service does\" (create, list); `listed` in the contract's `x-invariants`",
    example: Example {
        fact: "createTag created: listed in getTags",
        documented: "listed",
        received: "no item with the id of the response",
        pointer: "",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("createTag").observed(
                &json!({"name": "regular"}),
                None,
                crate::history::evidence::WalkEnd::Complete,
            )
        },
    },
    judge: Judging::CreatedObservation(judge),
};

fn judge(observation: &CreatedObservation<'_>, sink: &mut Sink<'_>) {
    let creation = &observation.creation;
    let Some(fact) = sink.contract.fact_of(creation.operation, FactKind::Listed) else {
        return;
    };
    if observation.listed.is_some() {
        return sink.held(fact);
    }
    if !creation.is_identified() {
        return sink.undecided(fact, Reason::NoIdentifier);
    }
    match observation.end.reason(observation.max_pages) {
        Some(reason) => sink.undecided(fact, reason),
        None if observation.changed => sink.undecided(fact, Reason::ListChanged),
        None => sink.broken(fact, String::new, || "no item with the id of the response".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::history::evidence::WalkEnd;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    fn observed(listed: Option<&Value>, end: WalkEnd) -> Judged {
        Fixture::of("createTag").observed(&json!({"name": "regular"}), listed, end)
    }

    #[test]
    fn a_record_that_was_found_holds_however_the_walk_ended() {
        for end in [
            WalkEnd::Unusable,
            WalkEnd::Complete,
            WalkEnd::SeenEnough,
            WalkEnd::TooManyPages,
            WalkEnd::NoResponse,
        ] {
            let judged = observed(Some(&json!({"id": "t-1"})), end);
            assert_eq!(judged.kind(FactKind::Listed), Verdict::Held);
        }
    }

    #[test]
    fn a_record_that_no_page_shows_is_broken() {
        let judged = observed(None, WalkEnd::Complete);
        assert_eq!(judged.kind(FactKind::Listed), Verdict::Broken);
        assert_eq!(judged.received("listed"), "no item with the id of the response");
    }

    #[test]
    fn a_list_that_was_not_seen_whole_decides_nothing() {
        for (end, reason) in [
            (WalkEnd::Unusable, Reason::PageUnclear),
            (WalkEnd::Rejected(404), Reason::OtherStatus(404)),
            (WalkEnd::Rejected(500), Reason::Failed(500)),
            (WalkEnd::Unread, Reason::PageUnread),
            (WalkEnd::NoResponse, Reason::NoResponse),
            (WalkEnd::TooManyPages, Reason::TooManyPages(100)),
        ] {
            assert_eq!(observed(None, end).kind(FactKind::Listed), Verdict::Undecided(reason));
        }
    }

    #[test]
    fn a_record_without_an_identifier_is_not_called_lost() {
        let fixture = Fixture::of("createTag");
        let judged = fixture.creation(
            &json!({"name": "regular"}),
            &json!({"name": "regular"}),
            |creation, judge| {
                let observation = CreatedObservation {
                    creation,
                    listed: None,
                    elsewhere: None,
                    changed: false,
                    end: WalkEnd::Complete,
                    max_pages: 100,
                };
                judge.created_observation(&observation, creation.request);
            },
        );
        assert_eq!(judged.kind(FactKind::Listed), Verdict::Undecided(Reason::NoIdentifier));
    }

    #[test]
    fn the_finding_points_at_the_invariant() {
        let invariant = "/paths/~1organization~1v1~1tags/post/x-invariants/created/listed";
        assert_eq!(observed(None, WalkEnd::Complete).locations("listed"), ("", invariant));
    }
}
