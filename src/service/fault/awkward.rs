//! Values that are valid but awkward, and stored as something else: [`faults`], and [`Distortion`], which changes them
//! on their way in. These faults break the invariants of what is carried and updated.
//!
//! The change is made to what a write carries, so that its response and its list both show it; and the service accepts
//! what it is given, so that nothing else is wrong.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, SecondsFormat};
use serde_json::{Value, json};

use super::call::Call;
use super::contract::{Carry, Created, LocationKind, Operation, operations};
use super::days::{DATES, INSTANTS};
use super::expected::{ProposedFault, carried};
use super::locations::each;
use super::strings::{DISTORTIONS, Reach};
use crate::service::profile::{DobFormat, Profile};

/// What happens to awkward values of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Distortion {
    Date(fn(NaiveDate) -> Option<NaiveDate>),
    Instant(fn(DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>>),
    String(fn(&str) -> String),
}

/// Each distortion of awkward values, in each write that it reaches.
pub(super) fn faults() -> impl Iterator<Item = ProposedFault<Distortion>> {
    operations().iter().flat_map(|operation| {
        let strings = DISTORTIONS
            .iter()
            .filter(|distortion| distortion.reach.suits(operation));
        let strings = strings.map(|distortion| {
            let about = format!("a string {}", distortion.about);
            (distortion.name.to_owned(), about, Distortion::String(distortion.change))
        });
        let dates = DATES.iter().map(|distortion| {
            let about = format!("a date {}", distortion.about);
            (
                format!("date-{}", distortion.name),
                about,
                Distortion::Date(distortion.change),
            )
        });
        let instants = INSTANTS.iter().map(|distortion| {
            let about = format!("an instant {}", distortion.about);
            (
                format!("instant-{}", distortion.name),
                about,
                Distortion::Instant(distortion.change),
            )
        });
        let all = strings.chain(dates).chain(instants);
        all.map(|(deviation, about, distortion)| {
            let expected = carried(operation, &|carry| distortion.changes(operation, carry));
            ProposedFault::new(&operation.name, &deviation, about, expected, distortion)
        })
    })
}

impl Reach {
    fn suits(self, operation: &Operation) -> bool {
        let updates = operation.updated.is_some();
        match self {
            Reach::Every => true,
            Reach::TopLevelRecords => updates || standalone_created(operation).is_some(),
            Reach::Overwritable => updates || is_rewritten(operation),
            Reach::Updates => updates,
        }
    }
}

/// Returns what a create promises, unless its record belongs to another.
fn standalone_created(create: &Operation) -> Option<&Created> {
    create.created.as_ref().filter(|created| created.listed.array.is_none())
}

/// Returns whether an update can overwrite what the operation creates.
fn is_rewritten(create: &Operation) -> bool {
    let Some(created) = standalone_created(create) else {
        return false;
    };
    let mut updates = operations().iter().filter_map(|operation| operation.updated.as_ref());
    updates.any(|updated| updated.listed.list == created.listed.list)
}

impl Distortion {
    /// Returns whether it may change what a field carries. Fields whose spelling a gap leaves open do not count.
    fn changes(self, operation: &Operation, carry: &Carry) -> bool {
        let is_instant = operation.accepts.iter().any(|accepts| accepts.sent == carry.sent);
        let is_string = || {
            let mut fields = operation.fields.iter();
            fields.any(|(pattern, kind)| *pattern == carry.sent && *kind == LocationKind::String)
        };
        carry.gap.is_none()
            && match self {
                Distortion::Date(_) => date_of(carry).is_some() || part_of(carry).is_some(),
                Distortion::Instant(_) => is_instant,
                Distortion::String(_) => is_string() && !is_instant && !carry.returned_at.ends_with("/id"),
            }
    }

    /// Changes what a call carries.
    pub(super) fn change_request(self, call: &mut Call, profile: &Profile) {
        let Some(sent) = call.json() else { return };
        let mut body = sent.clone();
        for carry in call.operation.carries() {
            match self {
                Distortion::Date(change) => dates(&mut body, carry, change, profile.dob_format),
                _ if !self.changes(call.operation, carry) => {}
                Distortion::Instant(change) => each(&mut body, &carry.sent, &mut |value| instant(value, change)),
                Distortion::String(change) => text(&mut body, &carry.sent, change),
            }
        }
        // A body without anything awkward is passed on byte for byte.
        if body != sent {
            call.set_body(&body);
        }
    }
}

/// Returns the pointer of the date whose year a field carries.
fn date_of(carry: &Carry) -> Option<&str> {
    carry.sent.strip_suffix("/year")
}

/// Returns the pointer of the date whose month or day a field carries.
fn part_of(carry: &Carry) -> Option<&str> {
    carry.sent.strip_suffix("/month").or(carry.sent.strip_suffix("/day"))
}

/// Changes a date: one that is sent as day, month and year, if this carry is its year, or one that is written as a
/// string.
fn dates(body: &mut Value, carry: &Carry, change: fn(NaiveDate) -> Option<NaiveDate>, format: DobFormat) {
    if let Some(pointer) = date_of(carry) {
        each(body, pointer, &mut |parts| {
            let part = |name: &str| parts.get(name).and_then(Value::as_i64);
            let year = part("year").and_then(|year| i32::try_from(year).ok());
            let small = |name: &str| part(name).and_then(|part| u32::try_from(part).ok());
            let date = || NaiveDate::from_ymd_opt(year?, small("month")?, small("day")?);
            if let Some(changed) = date().and_then(change) {
                *parts = json!({"day": changed.day(), "month": changed.month(), "year": changed.year()});
            }
        });
    } else if carry.gap.is_some() {
        each(body, &carry.sent, &mut |value| {
            let date = value
                .as_str()
                .map(|text| NaiveDate::parse_from_str(text, format.pattern()));
            if let Some(changed) = date.and_then(Result::ok).and_then(change) {
                *value = json!(changed.format(format.pattern()).to_string());
            }
        });
    }
}

fn instant(value: &mut Value, change: fn(DateTime<FixedOffset>) -> Option<DateTime<FixedOffset>>) {
    let sent = value.as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    if let Some((sent, changed)) = sent.and_then(|sent| Some((sent, change(sent)?)))
        && changed != sent
    {
        *value = json!(changed.to_rfc3339_opts(SecondsFormat::AutoSi, true));
    }
}

/// Changes a string. A field that the change would leave blank is removed; a string deeper in the body is left alone.
fn text(body: &mut Value, pointer: &str, change: fn(&str) -> String) {
    let mut is_lost = false;
    each(body, pointer, &mut |value| {
        let Some(sent) = value.as_str() else { return };
        let changed = change(sent);
        if changed.trim().is_empty() {
            is_lost |= !sent.trim().is_empty();
        } else {
            *value = json!(changed);
        }
    });
    let name = pointer.trim_start_matches('/');
    if let (true, Value::Object(members)) = (is_lost && !name.contains('/'), body) {
        members.shift_remove(name);
    }
}
