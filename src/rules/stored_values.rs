//! `stored-values`: a record does not carry what was sent. The invariants are `carries` of `x-invariants`, for creates
//! and updates.

use serde_json::Value;

use super::level::Level;
use super::rule::{Comparison, Example, Headline, Judging, Rule, Topic};
use super::value_change::describe_change;
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::Carry;
use crate::exchange::Request;
use crate::history::carried::{CarriedElements, LostValue, lost_value, returned_values, same};
use crate::history::evidence::{CreatedObservation, Creation, UpdateObservation};
use crate::history::same::unicode_composed;

pub(super) static RULE: Rule = Rule {
    name: "stored-values",
    level: Level::Deny,
    headline: Headline::Field("differs from what was sent", "differ from what was sent"),
    topic: Topic::Invariants,
    summary: "The response to a create, and the record listed after a create or an update, carry the fields that were \
              sent.",
    explanation: "The fields that x-invariants names are compared with what comes back: in the response to the create, \
                  in its list, and in the list after an update. Text and numbers are compared as values, timestamps as \
                  instants. A value that is lost or changed is lost data. So is a value that appears in another \
                  element of an array than the one it was sent in, and an element that a create sent once and that \
                  appears twice. A field that an update did not send may be kept or cleared, but must not become a \
                  text that software writes by mistake, such as undefined or 1970-01-01.",
    exceptions: "Fields that were not sent, or that the response lacks (`missing-field` reports those). Fields whose \
                 values or format are a gap (`stored-spelling` reports those), unless elements show each other's \
                 values. Timestamps in a form that does not name an instant, unless it has no time of day, or minutes \
                 that the instant has in no time zone. The order of an array, and further elements in it.",
    fix: "Store and return the value that was sent.",
    source: "The document, section \"Endpoints\": the created resource is in data; `carries` in the contract's \
             `x-invariants`",
    example: Example {
        fact: "createTag created /data/name: as sent in /name",
        documented: "as sent in /name",
        received: "string(7), not the string(7) that was sent: letters came back in another case",
        pointer: "/data/name",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("createTag")
                .created(&json!({"name": "regular"}), &json!({"name": "Regular"}))
        },
    },
    judge: Judging::Comparison(Comparison {
        in_response: |creation, sink| judge_in_response(creation, sink, JudgedFields::WithoutGap),
        listed: |observation, sink| judge_listed(observation, sink, JudgedFields::WithoutGap),
        updated: |updating, sink| judge_updated(updating, sink, JudgedFields::WithoutGap),
    }),
};

/// Which fields are judged. A field that has lost nothing but direction marks counts as one with a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JudgedFields {
    /// Fields with a gap, which allows them to differ.
    WithGap,
    /// Fields without a gap, which must come back as they were sent. Of fields with a gap, only this is judged: that a
    /// value has not moved to another element of its array.
    WithoutGap,
}

/// Judges the fields of the create's own response.
pub(super) fn judge_in_response(creation: &Creation<'_>, sink: &mut Sink<'_>, judged_fields: JudgedFields) {
    let sent = Sent {
        creates: true,
        ..Sent::new(creation.operation, &creation.invariant.carries, creation.request)
    };
    let record = (creation.record, creation.invariant.resource.as_str());
    sent.judge(record, sink, judged_fields, FactKind::Carried);
}

/// Judges the fields of the listed record.
pub(super) fn judge_listed(observation: &CreatedObservation<'_>, sink: &mut Sink<'_>, judged_fields: JudgedFields) {
    if let Some(listed) = observation.listed {
        let creation = &observation.creation;
        let sent = Sent {
            creates: true,
            ..Sent::new(creation.operation, &creation.invariant.carries, creation.request)
        };
        sent.judge(listed, sink, judged_fields, FactKind::ListedCarrying);
    }
}

/// Judges the fields of the listed record, after an update.
pub(super) fn judge_updated(updating: &UpdateObservation<'_>, sink: &mut Sink<'_>, judged_fields: JudgedFields) {
    if let Some(listed) = updating.listed {
        let sent = Sent {
            before: updating.before,
            ..Sent::new(updating.operation, &updating.invariant.carries, updating.request)
        };
        sent.judge(listed, sink, judged_fields, FactKind::ListedAfterUpdateCarrying);
    }
}

/// What was sent, and where it must come back.
pub(super) struct Sent<'sent> {
    operation: OperationId,
    carries: &'sent [Carry],
    body: &'sent Value,
    /// Pointers to the values in the body that were taken from the target.
    from_target: &'sent [String],
    /// Whether the record is new, so that it had no values before.
    creates: bool,
    /// The record before, and what the earlier updates sent, if it is a further update.
    before: Option<(&'sent Value, &'sent Value)>,
}

/// Texts that software writes by mistake where it has no value.
const TEXTS_FOR_NOTHING: [&str; 6] = ["undefined", "null", "None", "nil", "NaN", "[object Object]"];

/// Dates that stand for zero.
const DATES_FOR_NOTHING: [&str; 3] = ["1970-01-01", "0001-01-01", "0000-00-00"];

impl<'sent> Sent<'sent> {
    pub(super) fn new(operation: OperationId, carries: &'sent [Carry], request: &'sent Request) -> Self {
        Self {
            operation,
            carries,
            body: request.json().unwrap_or(&Value::Null),
            from_target: &request.from_target,
            creates: false,
            before: None,
        }
    }

    pub(super) fn judge(
        &self,
        (record, at): (&Value, &str),
        sink: &mut Sink<'_>,
        judged_fields: JudgedFields,
        kind: fn(usize) -> FactKind,
    ) {
        for (index, carry) in self.carries.iter().enumerate() {
            let Some(fact) = sink.contract.fact_of(self.operation, kind(index)) else {
                continue;
            };
            let may_differ = carry.gap.is_some() || self.loses_only_direction_marks(carry, record);
            let is_ours = may_differ == (judged_fields == JudgedFields::WithGap);
            let is_reported = match judged_fields {
                // `stored-values` reports it.
                JudgedFields::WithGap => self.is_mixed(carry, record),
                JudgedFields::WithoutGap => self.report_mixed_or_duplicated(carry, fact, (record, at), sink),
            };
            if is_ours && !is_reported {
                self.judge_field(carry, fact, (record, at), sink);
            }
        }
    }

    /// Describes what came instead of a value and, unless the value was taken from the target, how it was changed.
    fn describe_lost(&self, sink: &Sink<'_>, carry: &Carry, (returned, lost): (&[&Value], &Value)) -> String {
        let [one] = returned else {
            let count = returned.len();
            return format!("{count} values, none of them the {} that was sent", sink.render(lost));
        };
        let mut rendered = format!("{}, not the {} that was sent", sink.render(one), sink.render(lost));
        let is_own = !is_from_target(self.from_target, &carry.sent);
        if let Some(how) = is_own.then(|| describe_change(carry, self.body, (lost, one))).flatten() {
            rendered.push_str(": ");
            rendered.push_str(&how);
        }
        rendered
    }

    fn judge_field(&self, carry: &Carry, fact: FactId, (record, at): (&Value, &str), sink: &mut Sink<'_>) {
        if pointer::select(self.body, &carry.sent).is_empty() {
            match self.text_for_nothing(carry, record) {
                Some(text) => {
                    let received = format!("the text \"{text}\", in a field that was not sent and had another value");
                    sink.broken(fact, || format!("{at}{}", carry.returned_at), || received);
                }
                None => sink.undecided(fact, Reason::NotSent),
            }
        } else if returned_values(carry, record).is_empty() {
            sink.undecided(fact, Reason::NotReturned);
        } else if let Some(LostValue { sent, returned }) = lost_value(self.carries, carry, (self.body, record)) {
            if returned
                .iter()
                .any(|returned| same(carry.equality, sent, returned).is_none())
            {
                return sink.undecided(fact, Reason::NoInstant);
            }
            let count = |body, at| pointer::select(body, at).len();
            let (shown, all) = (count(record, &carry.returned_at), count(self.body, &carry.sent));
            let received = if (1..all).contains(&shown) {
                let plural = if shown == 1 { "" } else { "s" };
                let lost = sink.render(sent);
                format!("{shown} value{plural} in place of the {all} that were sent; the {lost} is not among them")
            } else {
                self.describe_lost(sink, carry, (&returned, sent))
            };
            sink.broken(fact, || format!("{at}{}", carry.returned_at), || received);
        } else {
            sink.held(fact);
        }
    }

    /// Whether the lost value of a field differs only in the marks of the direction in which a text is written. A service
    /// may strip them, because they can make a text look like another one.
    fn loses_only_direction_marks(&self, carry: &Carry, record: &Value) -> bool {
        let without_marks =
            |value: &Value| Some(unicode_composed(&value.as_str()?.replace(is_direction_mark, "")).into_owned());
        let lost = lost_value(self.carries, carry, (self.body, record));
        lost.is_some_and(|LostValue { sent, returned }| {
            let sent = without_marks(sent);
            sent.is_some() && returned.into_iter().any(|returned| without_marks(returned) == sent)
        })
    }

    /// Returns the text that software writes where it has no value, if the record has one, after an update without the
    /// field, that neither it nor an update had before. Whether the update keeps the value or clears it is a gap.
    fn text_for_nothing(&self, carry: &Carry, record: &Value) -> Option<&'static str> {
        let (before, sent) = self.before?;
        let had = pointer::select(before, &carry.returned_at);
        if had.is_empty() {
            return None;
        }
        let mut returned = pointer::select(record, &carry.returned_at).into_iter();
        returned.find_map(|value| {
            let text = value.as_str()?;
            let mut words = TEXTS_FOR_NOTHING.into_iter().filter(|word| text == *word);
            let mut dates = DATES_FOR_NOTHING.into_iter().filter(|date| {
                let rest = text.strip_prefix(date);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['T', ' ']))
            });
            let found = words.next().or_else(|| dates.next())?;
            // A field may follow from another one: a date of birth as a text from its parts.
            let part = found.strip_suffix("-01-01").unwrap_or(found);
            let mut known = had.iter().copied().chain([sent, self.body]);
            (!known.any(|value| mentions(value, part))).then_some(found)
        })
    }

    fn is_mixed(&self, carry: &Carry, record: &Value) -> bool {
        let elements = CarriedElements::of(self.carries, carry, (self.body, record));
        elements.is_some_and(|elements| elements.mixed_up().is_some())
    }

    /// Reports elements whose parts did not stay together or that appear twice. Returns whether there was one.
    fn report_mixed_or_duplicated(
        &self,
        carry: &Carry,
        fact: FactId,
        (record, at): (&Value, &str),
        sink: &mut Sink<'_>,
    ) -> bool {
        let Some(elements) = CarriedElements::of(self.carries, carry, (self.body, record)) else {
            return false;
        };
        let duplicated = || {
            let counts = self.creates && carry.comes_back_as_sent();
            counts.then(|| elements.duplicated()).flatten()
        };
        let (pointer, received) = if let Some(mixed) = elements.mixed_up() {
            let (returned, sent) = (sink.render(mixed.returned), sink.render(mixed.sent));
            let received = format!("{returned} of another element of the array, not the {sent} that was sent");
            (mixed.pointer, received)
        } else if let Some(duplicated) = duplicated() {
            let (found, counted) = duplicated.counts;
            let received = format!(
                "{} in {found} elements, sent in {counted}",
                sink.render(duplicated.value)
            );
            (duplicated.pointer, received)
        } else {
            return false;
        };
        sink.broken(fact, || format!("{at}{pointer}"), || received);
        true
    }
}

/// Whether a character is an invisible one that only says in which direction a text is written.
fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a value has this text in it, or is a number that is written so.
fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Number(number) => number.to_string() == text,
        Value::Array(elements) => elements.iter().any(|element| mentions(element, text)),
        Value::Object(members) => members.values().any(|member| mentions(member, text)),
        Value::Null | Value::Bool(_) => false,
    }
}

/// Whether the value that was sent at this location came from the target: by itself, or within what did, such as the
/// whole body of traffic.
fn is_from_target(from_target: &[String], sent: &str) -> bool {
    from_target.iter().any(|at| {
        let below = sent.strip_prefix(&pointer::with_any_elements(at));
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::vocabulary::Equality;
    use crate::history::evidence::WalkEnd;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    const NAME: &str = "createTag created /data/name: as sent in /name";
    const CONTACT: &str =
        "createContact created /data/contact_methods/*/contact: as sent in /contact_methods/*/contact";
    const FIRST_NAME: &str = "updateContact listed in getContacts /firstname: as sent in /firstname";
    const DAY: &str = "createContact created /data/date_of_birth/day: as sent in /date_of_birth/day";

    fn tag(sent: &Value, returned: &Value) -> Judged {
        Fixture::of("createTag").created(&json!({"name": sent}), &json!({"name": returned}))
    }

    /// A contact that was sent with one method and came back with these.
    fn methods(returned: &Value) -> Judged {
        let sent = json!({"contact_methods": [{"contact": "ada@example.com"}]});
        Fixture::of("createContact").created(&sent, &json!({"contact_methods": returned}))
    }

    #[test]
    fn what_is_within_a_value_of_the_target_is_the_targets_too() {
        let from = |at: &str| [at.to_owned()];
        for (at, sent) in [
            ("", "/date_of_birth/day"),
            ("/address", "/address/city"),
            ("/tags/0", "/tags/*"),
            ("/a", "/a"),
        ] {
            assert!(is_from_target(&from(at), sent), "{at} {sent}");
        }
        for (at, sent) in [("/address", "/addressee"), ("/address/city", "/address"), ("/a", "/b")] {
            assert!(!is_from_target(&from(at), sent), "{at} {sent}");
        }
        assert!(!is_from_target(&[], "/a"));
    }

    #[test]
    fn the_same_value_holds_and_another_is_broken() {
        assert_eq!(tag(&json!("regular"), &json!("regular")).fact(NAME), Verdict::Held);
        for (returned, received) in [
            (
                json!("Regular"),
                "string(7), not the string(7) that was sent: letters came back in another case",
            ),
            (json!(null), "null, not the string(7) that was sent"),
        ] {
            let reported = tag(&json!("regular"), &returned);
            assert_eq!(reported.fact(NAME), Verdict::Broken);
            assert_eq!(reported.received("stored-values"), received);
        }
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        let sent = json!({"date_of_birth": {"day": 28}});
        for (day, verdict) in [("28", Verdict::Held), ("28.0", Verdict::Held), ("27", Verdict::Broken)] {
            let returned = serde_json::from_str(&format!("{{\"date_of_birth\": {{\"day\": {day}}}}}")).unwrap();
            assert_eq!(
                Fixture::of("createContact").created(&sent, &returned).fact(DAY),
                verdict,
                "{day}"
            );
        }
    }

    #[test]
    fn a_text_is_the_same_however_its_accents_are_composed() {
        for (sent, returned, verdict) in [
            ("Zo\u{e9}", "Zoe\u{301}", Verdict::Held),
            ("Zoe\u{301}", "Zo\u{e9}", Verdict::Held),
            ("Zo\u{e9}", "Zoe", Verdict::Broken),
            ("Zo\u{e9}", "Zo\u{c3}\u{a9}", Verdict::Broken),
            ("\u{1f31f}", "\u{fffd}", Verdict::Broken),
            ("\u{fb01}", "fi", Verdict::Broken),
        ] {
            assert_eq!(
                tag(&json!(sent), &json!(returned)).fact(NAME),
                verdict,
                "{sent} {returned}"
            );
        }
    }

    #[test]
    fn a_visit_keeps_its_instant_in_any_offset() {
        let fact = "createVisit created /data/datetime: as sent in /datetime";
        for (returned, verdict) in [
            ("2024-05-17T07:30:00Z", Verdict::Held),
            ("2024-05-17T09:30:00Z", Verdict::Broken),
        ] {
            let sent = json!({"datetime": "2024-05-17T09:30:00+02:00"});
            let judged = Fixture::of("createVisit").created(&sent, &json!({"datetime": returned}));
            assert_eq!(judged.fact(fact), verdict, "{returned}");
        }
    }

    #[test]
    fn each_sent_element_is_found_somewhere_among_the_returned_ones() {
        let method = |contact: &str| json!({"contact": contact});
        let (first, second) = (method("ada@example.com"), method("+44 7700 900123"));
        let sent = json!({"contact_methods": [first, second]});
        for (returned, verdict) in [
            (json!([second, first, method("more@example.com")]), Verdict::Held),
            (json!([first]), Verdict::Broken),
            (json!([method("a"), method("b")]), Verdict::Broken),
        ] {
            let judged = Fixture::of("createContact").created(&sent, &json!({"contact_methods": returned}));
            assert_eq!(judged.fact(CONTACT), verdict, "{returned}");
        }
        let judged = Fixture::of("createContact").created(&sent, &json!({"contact_methods": [first]}));
        let received = "1 value in place of the 2 that were sent; the string(15) is not among them";
        assert_eq!(judged.received("stored-values"), received);
    }

    #[test]
    fn an_array_that_came_back_empty_or_null_carries_nothing() {
        for (returned, received) in [(json!([]), "array(0)"), (json!(null), "null")] {
            let reported = methods(&returned);
            assert_eq!(reported.fact(CONTACT), Verdict::Broken, "{returned}");
            assert_eq!(
                reported.received("stored-values"),
                format!("{received}, not the string(15) that was sent")
            );
        }
    }

    #[test]
    fn a_value_of_another_type_is_left_to_the_rule_that_sees_it() {
        let sent = json!({"date_of_birth": {"day": 28}});
        for returned in [json!([]), json!("28"), json!(28)] {
            let judged = Fixture::of("createContact").created(&sent, &json!({"date_of_birth": returned}));
            assert_eq!(judged.fact(DAY), Verdict::Undecided(Reason::NotReturned));
        }
    }

    #[test]
    fn a_field_that_is_missing_is_left_to_the_rule_that_misses_it() {
        for expected in [
            methods(&json!([{}])),
            methods(&json!([[]])),
            methods(&json!("none")),
            Fixture::of("createContact").created(&json!({"contact_methods": [{"contact": "a"}]}), &json!({})),
        ] {
            assert_eq!(expected.fact(CONTACT), Verdict::Undecided(Reason::NotReturned));
        }
    }

    #[test]
    fn a_field_that_was_not_sent_is_undecided() {
        let judged = Fixture::of("createTag").created(&json!({}), &json!({"name": "regular"}));
        assert_eq!(judged.fact(NAME), Verdict::Undecided(Reason::NotSent));
        let judged = Fixture::of("createContact").created(&json!({"contact_methods": []}), &json!({}));
        assert_eq!(judged.fact(CONTACT), Verdict::Undecided(Reason::NotSent));
    }

    #[test]
    fn the_listed_record_is_held_to_the_same() {
        let fact = "createTag listed in getTags /name: as sent in /name";
        let observed = |listed: Option<&Value>| {
            Fixture::of("createTag").observed(&json!({"name": "regular"}), listed, WalkEnd::Complete)
        };
        assert_eq!(observed(Some(&json!({"name": "regular"}))).fact(fact), Verdict::Held);
        assert_eq!(observed(Some(&json!({"name": "other"}))).fact(fact), Verdict::Broken);
        assert_eq!(observed(None).fact(fact), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn an_update_is_held_to_the_same_in_the_list() {
        let updated = |listed: Option<&Value>| {
            Fixture::of("updateContact").updated(&json!({"firstname": "Ada"}), listed, (None, WalkEnd::Complete))
        };
        let [held, broken] = ["Ada", "Bea"].map(|name| updated(Some(&json!({"firstname": name}))));
        assert_eq!(held.kind(FactKind::ListedAfterUpdateCarrying(0)), Verdict::Held);
        assert_eq!(
            held.kind(FactKind::ListedAfterUpdateCarrying(1)),
            Verdict::Undecided(Reason::NotSent)
        );
        assert_eq!(broken.kind(FactKind::ListedAfterUpdateCarrying(0)), Verdict::Broken);
        assert_eq!(broken.finding("stored-values").pointer, "/data/items/3/firstname");
        assert_eq!(
            updated(None).kind(FactKind::ListedAfterUpdateCarrying(0)),
            Verdict::Undecided(Reason::NotShown)
        );
    }

    #[test]
    fn the_finding_in_a_list_points_into_its_item() {
        let listed = json!({"name": "other"});
        let judged = Fixture::of("createTag").observed(&json!({"name": "a"}), Some(&listed), WalkEnd::Complete);
        assert_eq!(judged.finding("stored-values").pointer, "/data/items/3/name");
    }

    #[test]
    fn the_finding_points_at_the_field_and_at_the_invariant() {
        let invariant = "/paths/~1organization~1v1~1tags/post/x-invariants/created/carries/0";
        assert_eq!(
            tag(&json!("a"), &json!("b")).locations("stored-values"),
            ("/data/name", invariant)
        );
        let invariant = "/paths/~1organization~1v1~1contact-database/post/x-invariants/created/carries/5";
        assert_eq!(
            methods(&json!([])).locations("stored-values"),
            ("/data/contact_methods/*/contact", invariant)
        );
    }

    #[test]
    fn a_text_that_loses_only_direction_marks_is_left_to_the_rule_that_warns() {
        let hebrew = json!("\u{5e9}\u{5dd}\u{200f}-a");
        let stripped = tag(&hebrew, &json!("\u{5e9}\u{5dd}-a"));
        assert!(stripped.findings("stored-values").is_empty());
        assert_eq!(stripped.finding("stored-spelling").level, Level::Warn);
        let cut = tag(&hebrew, &json!("\u{5e9}-a"));
        assert_eq!(cut.fact(NAME), Verdict::Broken);
        assert!(cut.findings("stored-spelling").is_empty());
        assert!(tag(&hebrew, &hebrew).findings("stored-spelling").is_empty());
    }

    #[test]
    fn a_field_that_was_not_sent_may_be_kept_or_cleared_but_is_no_text_for_nothing() {
        let judged = |(before, sent_before): (&str, &str), now: Value| {
            let before = json!({"firstname": before, "lastname": "B", "dob": "1990-02-28"});
            let earlier = json!({"firstname": sent_before, "gender": "f"});
            let now = json!({"firstname": now, "lastname": "C", "dob": now});
            let after = (&json!({"lastname": "C"}), Some(&now));
            let updated = Fixture::of("updateContact");
            updated.updated_after(Some((&before, &earlier)), after, (None, WalkEnd::Complete))
        };
        for text in [
            "undefined", "null", "[object Object]", "1970-01-01", "0001-01-01T00:00:00Z",
        ] {
            let broken = judged(("Ada", "Ada"), json!(text));
            assert_eq!(broken.fact(FIRST_NAME), Verdict::Broken, "{text}");
            assert_eq!(broken.finding("stored-spelling").level, Level::Warn);
        }
        for now in [
            json!("Ada"),
            json!(""),
            json!(null),
            json!("unknown"),
            json!("none"),
            json!("Null Island"),
        ] {
            let left = judged(("Ada", "Ada"), now.clone());
            assert_eq!(left.fact(FIRST_NAME), Verdict::Undecided(Reason::NotSent), "{now}");
            assert!(left.findings("stored-spelling").is_empty());
        }
        // The record had it, or an update sent it.
        for earlier in [("null", "Ada"), ("Ada", "null")] {
            let left = judged(earlier, json!("null"));
            assert_eq!(left.fact(FIRST_NAME), Verdict::Undecided(Reason::NotSent));
        }
    }

    #[test]
    fn a_date_that_follows_from_parts_that_were_sent_is_no_text_for_nothing() {
        let before = json!({"dob": "1990-02-28"});
        let now = json!({"dob": "1970-01-01"});
        let sent = json!({"date_of_birth": {"day": 1, "month": 1, "year": 1970}});
        let judged = Fixture::of("updateContact").updated_after(
            Some((&before, &json!({}))),
            (&sent, Some(&now)),
            (None, WalkEnd::Complete),
        );
        assert!(judged.findings("stored-spelling").is_empty());
    }

    #[test]
    fn a_form_that_names_no_instant_says_nothing() {
        let sent = json!("2024-05-17T09:30:00+02:00");
        for returned in ["2024-05-17", "2024-05-17 09:30:00", "1715931000", "17/05/2024 09:30"] {
            assert_eq!(same(Equality::Instant, &sent, &json!(returned)), None, "{returned}");
        }
    }
}
