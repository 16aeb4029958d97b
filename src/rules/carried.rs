//! `carried`: a record does not carry what was sent. Laws 3 and 5, and the second half of law 2.

use chrono::{DateTime, FixedOffset};
use serde_json::Value;

use super::evidence::{Creation, Sighting, Updating};
use super::level::Level;
use super::rule::{Comparison, Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, Same};
use crate::exchange::Request;

pub(super) static RULE: Rule = Rule {
    name: "carried",
    level: Level::Deny,
    summary: "What a create answers, and what is listed after a create or an update, carries the fields that were sent.",
    source: "Endpoints: the created resource is in data; design, laws 2, 3 and 5",
    judge: Judging::Kept(Comparison {
        answered: |creation, sink| answered(creation, sink, |carry| carry.gap.is_none()),
        listed: |sighting, sink| listed(sighting, sink, |carry| carry.gap.is_none()),
        updated: |updating, sink| updated(updating, sink, |carry| carry.gap.is_none()),
    }),
};

/// Judges the fields of the create's own answer that the choice admits.
pub(super) fn answered(creation: &Creation<'_>, sink: &mut Sink<'_>, choice: impl Fn(&Carry) -> bool) {
    let sent = Sent::new(creation.operation, &creation.law.carries, creation.request);
    sent.judge(
        (creation.resource, &creation.law.resource),
        sink,
        &choice,
        FactKind::Carried,
    );
}

/// Judges the fields of the listed record that the choice admits.
pub(super) fn listed(sighting: &Sighting<'_>, sink: &mut Sink<'_>, choice: impl Fn(&Carry) -> bool) {
    if let Some(listed) = sighting.listed {
        let creation = &sighting.creation;
        let sent = Sent::new(creation.operation, &creation.law.carries, creation.request);
        sent.judge(listed, sink, &choice, FactKind::ListedCarrying);
    }
}

/// Judges the fields of the listed record that the choice admits, after an update.
pub(super) fn updated(updating: &Updating<'_>, sink: &mut Sink<'_>, choice: impl Fn(&Carry) -> bool) {
    if let Some(listed) = updating.listed {
        let sent = Sent::new(updating.operation, &updating.law.carries, updating.request);
        sent.judge(listed, sink, &choice, FactKind::UpdatedCarrying);
    }
}

/// Whether a record carries everything of the body that must come back as it was sent.
pub(crate) fn carries_all(carries: &[Carry], body: &Value, record: &Value) -> bool {
    let strict = carries.iter().filter(|carry| carry.gap.is_none());
    strict.into_iter().all(|carry| lost(carry, body, record).is_none())
}

/// What was sent, and where it must come back.
struct Sent<'sent> {
    operation: OperationId,
    carries: &'sent [Carry],
    body: &'sent Value,
}

impl<'sent> Sent<'sent> {
    fn new(operation: OperationId, carries: &'sent [Carry], request: &'sent Request) -> Self {
        Self {
            operation,
            carries,
            body: request.body.as_ref().unwrap_or(&Value::Null),
        }
    }

    fn judge(
        &self,
        (record, at): (&Value, &str),
        sink: &mut Sink<'_>,
        choice: &dyn Fn(&Carry) -> bool,
        kind: fn(usize) -> FactKind,
    ) {
        for (index, carry) in self.carries.iter().enumerate().filter(|(_, carry)| choice(carry)) {
            let Some(fact) = sink.contract.fact_of(self.operation, kind(index)) else {
                continue;
            };
            if pointer::select(self.body, &carry.sent).is_empty() {
                sink.undecided(fact, Reason::NotSent);
            } else if pointer::select(record, &carry.kept).is_empty() {
                sink.undecided(fact, Reason::Broken);
            } else if let Some(lost) = lost(carry, self.body, record) {
                let kept = pointer::select(record, &carry.kept);
                if kept.iter().any(|kept| same(carry.same, lost, kept).is_none()) {
                    sink.undecided(fact, Reason::NoInstant);
                    continue;
                }
                let received = tell_lost(sink, &kept, lost);
                sink.broken(fact, || format!("{at}{}", carry.kept), || received);
            } else {
                sink.held(fact);
            }
        }
    }
}

/// The first sent value that the record does not carry.
fn lost<'body>(carry: &Carry, body: &'body Value, record: &Value) -> Option<&'body Value> {
    let kept = pointer::select(record, &carry.kept);
    let carried = |sent: &&Value| kept.iter().any(|kept| same(carry.same, sent, kept) == Some(true));
    pointer::select(body, &carry.sent)
        .into_iter()
        .find(|sent| !carried(sent))
}

fn tell_lost(sink: &Sink<'_>, kept: &[&Value], lost: &Value) -> String {
    match kept {
        [one] => format!("{}, not the {} that was sent", sink.tell(one), sink.tell(lost)),
        many => format!(
            "{} values, none of them the {} that was sent",
            many.len(),
            sink.tell(lost)
        ),
    }
}

/// Whether a value is kept; none where a timestamp came in a form that does not say.
fn same(how: Same, sent: &Value, kept: &Value) -> Option<bool> {
    match how {
        Same::Value => Some(equal(sent, kept)),
        Same::Instant if sent == kept => Some(true),
        Same::Instant if !kept.is_string() => Some(false),
        Same::Instant => Some(instant(sent)? == instant(kept)?),
    }
}

/// Whether two values are one value of JSON, which knows one kind of number: `28.0` is `28`.
fn equal(sent: &Value, kept: &Value) -> bool {
    sent == kept || (sent.is_number() && sent.as_f64() == kept.as_f64())
}

/// The instant that a timestamp names, in the forms that leave no doubt: those of ISO 8601 with `Z` or an offset, `T` or
/// a space between date and time, and that of mail. In which form timestamps are answered is a gap.
fn instant(value: &Value) -> Option<DateTime<FixedOffset>> {
    let text = value.as_str()?;
    let forms = [
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%.f%#z",
        "%Y-%m-%dT%H:%M%#z",
    ];
    let parsed = forms.iter().find_map(|form| DateTime::parse_from_str(text, form).ok());
    let mail = || DateTime::parse_from_rfc2822(text).ok();
    DateTime::parse_from_rfc3339(text).ok().or(parsed).or_else(mail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_instant_is_the_same_in_every_offset() {
        let sent = json!("2024-05-17T09:30:00+02:00");
        for kept in [
            "2024-05-17T07:30:00Z",
            "2024-05-17T07:30:00.000Z",
            "2024-05-17 07:30:00+00:00",
            "2024-05-17T07:30:00+0000",
            "Fri, 17 May 2024 07:30:00 +0000",
        ] {
            assert_eq!(same(Same::Instant, &sent, &json!(kept)), Some(true), "{kept}");
        }
        for kept in [json!("2024-05-17T09:30:00Z"), json!("2024-05-17T07:30:01Z"), json!(7)] {
            assert_eq!(same(Same::Instant, &sent, &kept), Some(false), "{kept}");
        }
    }

    #[test]
    fn a_form_that_names_no_instant_says_nothing() {
        let sent = json!("2024-05-17T09:30:00+02:00");
        for kept in ["2024-05-17", "2024-05-17 09:30:00", "1715931000", "17/05/2024 09:30"] {
            assert_eq!(same(Same::Instant, &sent, &json!(kept)), None, "{kept}");
        }
    }

    #[test]
    fn a_number_is_kept_however_it_is_written() {
        assert_eq!(same(Same::Value, &json!(28), &json!(28.0)), Some(true));
        assert_eq!(same(Same::Value, &json!(28), &json!("28")), Some(false));
    }
}
