//! `lifecycle`: later reads do not show what a create, an update or a deletion did. The invariants are inferred: see
//! [`Lifecycle`](crate::contract::lifecycle::Lifecycle).

use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::Value;

use super::level::Level;
use super::named_record;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::stored_values::{JudgedFields, Sent};
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind};
use crate::contract::lifecycle::Lifecycle;
use crate::contract::pointer;
use crate::contract::vocabulary::Carry;
use crate::history::carried::{
    LostValue, carries_all, field_changed_by_repeat, field_listed_otherwise, lost_value, returned_values, same,
};
use crate::history::evidence::{
    KeptFields, ListedCount, PrecedingRequest, Reached, RecordShown, ResponseShown, ShownState, StoredDespiteRejection,
    StrayWrite,
};

pub(super) static RULE: Rule = Rule {
    name: "lifecycle",
    level: Level::Warn,
    headline: Headline::Operation(
        "reports an effect that later reads contradict",
        "report effects that later reads contradict",
    ),
    topic: Topic::Invariants,
    summary: "A created record can be read by its identifier and is listed once, with what was sent; an updated \
              record shows the update; a deleted one is gone; another record stays as it was; a rejected create \
              leaves no record, and a rejected update changes none; a PUT that is sent twice has the effect of one; a \
              PATCH keeps the fields that it does not send; the response to a write shows what the read shows, \
              and the list shows the record as the read does; a field that a create leaves out has its documented \
              default; an update keeps the time of creation, and changes that of the last change, which a read \
              leaves as it is; a read shows the record that its path names, and below no other record.",
    explanation: "These invariants are inferred: no document states them, but paths and schemas leave no doubt. `GET \
                  /pets/{petId}` reads what `POST /pets` has created, by the identifier in its response, and shows \
                  each field that both document under one name and with one type, also in objects within the record. \
                  Of an array of strings or integers, each sent element is there, in any order, in any case, with \
                  others or without; if its description says that the order is kept, it is the array that was sent. So \
                  does the response to the create or the update, where it has the record. After an update, the list \
                  shows these fields as the read does, if one schema describes both. A field that a create leaves out, \
                  or a PUT whose text says so, has its documented default. The time of creation stays, and is that of \
                  the create. A record that is not there, or not as it was sent, is lost data. It is looked for until \
                  it shows, for at most `settle` seconds. A create after which the list shows two records that differ \
                  only in their identifiers has stored twice. A list that shows a record as two equal items counts it \
                  twice. At its end the run looks for the run tag in the list: a record whose create was rejected was \
                  stored all the same, and is stored twice if the caller sends it again. The record of an update that \
                  was rejected is read too: it must not show what the update sent. The last PUT of a record is sent \
                  again: a caller without a response does that, so it must neither fail nor change what was sent. A \
                  PATCH with one field must leave the others as an earlier write set them, also within an object if \
                  the document says that objects are merged. After an update, and after a first deletion, another \
                  record of the run is read: an update whose `WHERE` is missing changes every row. Right after a \
                  write, the list must not show a text of the run in a record that was there before, in the field in \
                  which it was sent. A record that could be read, and cannot after an edge case of an update was \
                  accepted, holds what the service itself cannot show: often no list that has the record can be read \
                  either. The read of an identifier that names no record must not show a record with another one, nor \
                  may that of a number with letters after it show the record with that number, or that of a record \
                  below another record of the run than its own. An update that takes `If-Match` and documents a 412 \
                  must not be carried out for an entity tag that no record has. If five reads in a row show another \
                  time of the last change each, without a write in between and with all else equal, a read changes it. \
                  The `Location` of a 201 must name the record in its body, if it is the path of a read of such \
                  records or that of the create itself.",
    exceptions: "`stored-values`, `listed` and `record-count` judge a create with x-invariants. A 202 is not judged, \
                 because it promises nothing yet. A field is not compared if it is read-only or write-only, has a \
                 format that services normalise (an email address), has a name that services set (`id`, \
                 `createdAt`, `version`) or that of a code or a machine (`sku`, `hostname`), or if a text says that \
                 it comes back changed (\"cut to\", \"in title case\", \"input is escaped\"). An update is not \
                 compared if it takes effect later (\"once it is approved\"). A list proves nothing if it may have \
                 more records than it shows, shows only some by its text (\"List published entries\"), lacks a record \
                 with a state that hides it (`published: false`), shows a deleted record differently than before, or \
                 has a parameter that selects deleted records. It may differ from the read if any text says \
                 more than that it lists the records, or if it may come from a cache, and may show null or an empty \
                 string in place of a value, as the read may show null in place of a default. A default, a time or a \
                 `Location` is not judged either where a text says more than what it is. A read proves nothing if the \
                 text about the deletion says that the record can still be read (\"moves it to the trash\"), or if \
                 the text about the create says that reads show the record only later (\"appears after moderation\"). A PATCH that requires a \
                 field, or is described as replacing the record, may change other fields; any PATCH may change a \
                 field that may follow from another (`slug`). A response may differ if its description says that it \
                 shows an earlier state. A success to an unknown identifier is no finding if it shows that \
                 identifier or no identifier, or if the text about the read speaks of another record (\"falls back to \
                 the default\"). Several records of one create may differ, as the occurrences of an event do, \
                 and so may several items of one record. A PUT may be rejected the second time with a 4xx other than \
                 404 or 410, such as a 409 or 412 for an old version. A record of a rejected create is no finding if \
                 the list shows it only for a while, if it says that it failed, or if the list shows no accepted \
                 record.",
    fix: "Do what the response reports. If a field changes by design, document it as `readOnly` or `writeOnly`; if the \
          effect is another by design, allow the rule for the operation.",
    source: "RFC 9110, section 9.2.2: PUT is idempotent; sections 9.3.3 to 9.3.5: what POST, PUT and DELETE do to the \
             resource that they name; section 15.3.2: `Location` names what a 201 created; RFC 5789, section 2: a \
             PATCH has a set of changes",
    example: Example {
        fact: "addPet created: read by getPet",
        documented: "read by getPet",
        received: "404",
        pointer: "",
        #[cfg(test)]
        judged: || tests::read_after_create(&tests::status(404)),
    },
    judge: Judging::Record(judge, judge_stored_despite_rejection, judge_stray, named_record::judge),
};

fn judge(seen: &RecordShown<'_>, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let Some(lifecycle) = contract.lifecycle_of(seen.operation) else {
        return;
    };
    match seen.after {
        PrecedingRequest::EdgeCase => judge_unreadable(seen, lifecycle, sink),
        PrecedingRequest::WriteOfAnotherRecord => judge_other(seen, lifecycle, sink),
        PrecedingRequest::Response(response) => judge_response(seen, (lifecycle, response), sink),
        PrecedingRequest::PartialUpdate(kept) => judge_kept(seen, (lifecycle, kept), sink),
        PrecedingRequest::Update(before) => {
            judge_creation_time(seen, (lifecycle, before), sink);
            judge_change_time(seen, (lifecycle, before), sink);
        }
        PrecedingRequest::Listed(item) => judge_listed(seen, (lifecycle, item), sink),
        PrecedingRequest::Read => report_touched(seen, lifecycle, sink),
        PrecedingRequest::SecondUpdate(before) => judge_repeated(seen, (lifecycle, before), sink),
        PrecedingRequest::Write if lifecycle.create == seen.operation => judge_created(seen, lifecycle, sink),
        PrecedingRequest::Write if lifecycle.delete == Some(seen.operation) => judge_deleted(seen, lifecycle, sink),
        PrecedingRequest::Write => {
            let carries = contract.lifecycle_carries_of_update(seen.operation);
            judge_carried(seen, (lifecycle, carries), sink, FactKind::ReadAfterUpdateCarrying);
            judge_defaults(seen, lifecycle, FactKind::DefaultAfterReplace, sink);
            // The record could be read before the update.
            if let ShownState::Status(status @ (404 | 410), _) = seen.shown
                && let Some(fact) = contract.fact_of(seen.operation, FactKind::ReadAfterUpdateCarrying(0))
            {
                sink.broken(fact, String::new, || status.to_string());
            }
        }
    }
}

/// Reports that reads of a record change the time of its last change.
fn report_touched(seen: &RecordShown<'_>, lifecycle: &Lifecycle, sink: &mut Sink<'_>) {
    let fact = sink.contract.fact_of(seen.operation, FactKind::ReadAfterCreate);
    if let Some((fact, at)) = fact.zip(lifecycle.change_time.as_ref()) {
        let documented = Some("the time of the last change, which a read leaves as it is");
        let received = || "another time in each read, without a write in between".to_owned();
        sink.report_finding(
            fact,
            documented,
            || format!("{}{at}", lifecycle.record_in_read),
            received,
        );
    }
}

/// Judges whether the response to a write shows what was sent, where the read does. A response that shows neither that
/// nor, after an update, what the record had before leaves the fact undecided.
fn judge_response(seen: &RecordShown<'_>, (lifecycle, response): (&Lifecycle, ResponseShown<'_>), sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let creates = lifecycle.create == seen.operation;
    let (kind, carries) = match creates {
        true => (FactKind::ResponseAfterCreate, lifecycle.carries.as_slice()),
        false => (
            FactKind::ResponseAfterUpdate,
            contract.lifecycle_carries_of_update(seen.operation),
        ),
    };
    let Some(fact) = contract.fact_of(seen.operation, kind) else {
        return;
    };
    let ShownState::Record(read) = seen.shown else {
        return undecided(seen.shown, sink, fact);
    };
    let sent = seen.sent.json().unwrap_or(&Value::Null);
    let is_read = |carry: &&Carry| {
        !pointer::select(sent, &carry.sent).is_empty() && carries_all(std::slice::from_ref(*carry), sent, read)
    };
    let mut is_shown = false;
    for carry in carries.iter().filter(is_read) {
        let one = std::slice::from_ref(carry);
        let Some(lost) = lost_value(one, carry, (sent, response.record)).filter(|lost| !lost.returned.is_empty())
        else {
            is_shown |= !returned_values(carry, response.record).is_empty();
            continue;
        };
        let is_earlier = match response.before {
            Some(before) => returned_values(carry, before) == lost.returned,
            None => creates && !lost.returned.iter().all(|returned| is_blank(returned)),
        };
        if let ([returned], true) = (lost.returned.as_slice(), is_earlier) {
            let (returned, sent) = (sink.render(returned), sink.render(lost.sent));
            let received = format!("{returned}, not the {sent} that was sent, which the read shows");
            let at = contract.fact(fact).response_pointer.clone();
            return sink.broken(fact, || format!("{at}{}", carry.returned_at), || received);
        }
    }
    if is_shown {
        sink.held(fact);
    } else {
        sink.undecided(fact, Reason::NotReturned);
    }
}

/// Whether a response that has not loaded a value shows this in its place.
fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Judges whether a record shows the documented default of each field that the write left out. It may show null.
fn judge_defaults(seen: &RecordShown<'_>, lifecycle: &Lifecycle, kind: FactKind, sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(seen.operation, kind) else {
        return;
    };
    let (ShownState::Record(record), Some(sent)) = (seen.shown, seen.sent.json()) else {
        return undecided(seen.shown, sink, fact);
    };
    let mut is_shown = false;
    for (carry, default) in lifecycle.defaults_after(seen.operation) {
        let shown = record.pointer(&carry.returned_at).filter(|shown| !shown.is_null());
        let Some(shown) = shown.filter(|_| sent.pointer(&carry.sent).is_none()) else {
            continue;
        };
        match same(carry.equality, default, shown) {
            Some(true) => is_shown = true,
            Some(false) => {
                let received = format!("{}, not the default {default}", sink.render(shown));
                let at = format!("{}{}", lifecycle.record_in_read, carry.returned_at);
                return sink.broken(fact, || at, || received);
            }
            None => {}
        }
    }
    if is_shown {
        sink.held(fact);
    } else {
        sink.undecided(fact, Reason::NotReturned);
    }
}

/// Judges whether an update has kept the time at which the record was created. A service may show it less precisely
/// than before.
fn judge_creation_time(seen: &RecordShown<'_>, (lifecycle, before): (&Lifecycle, &Value), sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(seen.operation, FactKind::CreationTimeKept) else {
        return;
    };
    let (ShownState::Record(after), Some(at)) = (seen.shown, &lifecycle.creation_time) else {
        return undecided(seen.shown, sink, fact);
    };
    let shown = |record: &Value| time_in(record, at);
    let Some(((before, precision), (after, precision_after))) = shown(before).zip(shown(after)) else {
        return sink.undecided(fact, Reason::NotReturned);
    };
    let is_other = before != after && precision == precision_after;
    if is_other || (before - after).abs() >= TimeDelta::seconds(1) {
        let at = format!("{}{at}", lifecycle.record_in_read);
        sink.broken(fact, || at, || "another time than before the update".to_owned());
    } else {
        sink.held(fact);
    }
}

/// Judges whether the time of the last change is another after an update that has changed the record. Two changes may
/// have one time if that counts no fractions of a second.
fn judge_change_time(seen: &RecordShown<'_>, (lifecycle, before): (&Lifecycle, &Value), sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(seen.operation, FactKind::ChangeTimeMoves) else {
        return;
    };
    let (ShownState::Record(after), Some(at)) = (seen.shown, &lifecycle.change_time) else {
        return undecided(seen.shown, sink, fact);
    };
    let carries = sink.contract.lifecycle_carries_of_update(seen.operation);
    let is_changed = field_listed_otherwise(carries, (before, after)).is_some();
    match (time_in(before, at), time_in(after, at)) {
        (Some((before, _)), Some((after, _))) if before != after => sink.held(fact),
        (Some((before, _)), Some(_)) if is_changed && before.timestamp_subsec_micros() % 1_000 != 0 => {
            let at = format!("{}{at}", lifecycle.record_in_read);
            sink.broken(fact, || at, || "the time from before the update".to_owned());
        }
        _ => sink.undecided(fact, Reason::NotReturned),
    }
}

/// Returns the instant that a record shows at a pointer, and the length of its text.
fn time_in(record: &Value, at: &str) -> Option<(DateTime<FixedOffset>, usize)> {
    let text = record.pointer(at)?.as_str()?;
    Some((DateTime::parse_from_rfc3339(text).ok()?, text.len()))
}

/// Judges whether the list shows an updated record as the read does.
fn judge_listed(seen: &RecordShown<'_>, (lifecycle, item): (&Lifecycle, &Value), sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(seen.operation, FactKind::ListedAsRead) else {
        return;
    };
    let (ShownState::Record(read), Some(list)) = (seen.shown, &lifecycle.list) else {
        return undecided(seen.shown, sink, fact);
    };
    let carries = &lifecycle.listed_as_read;
    let Some(carry) = field_listed_otherwise(carries, (read, item)) else {
        return match carries.iter().any(|carry| !returned_values(carry, item).is_empty()) {
            true => sink.held(fact),
            false => sink.undecided(fact, Reason::NotReturned),
        };
    };
    let received = match (
        returned_values(carry, item).as_slice(),
        returned_values(carry, read).as_slice(),
    ) {
        ([listed], [read]) => format!(
            "{}, not the {} that the read shows",
            sink.render(listed),
            sink.render(read)
        ),
        _ => "other values than the read shows".to_owned(),
    };
    sink.broken(fact, || format!("{}/*{}", list.items, carry.returned_at), || received);
}

/// Judges whether an update has kept the fields that it did not send. If the record does not show what was sent,
/// another fact is broken, and this one stays undecided.
fn judge_kept(seen: &RecordShown<'_>, (lifecycle, kept): (&Lifecycle, KeptFields<'_>), sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let Some(fact) = contract.fact_of(seen.operation, FactKind::FieldsKeptByUpdate) else {
        return;
    };
    let ShownState::Record(after) = seen.shown else {
        return undecided(seen.shown, sink, fact);
    };
    let carries = contract.lifecycle_carries_of_update(seen.operation);
    if !carries_all(carries, seen.sent.json().unwrap_or(&Value::Null), after) {
        return sink.undecided(fact, Reason::OtherFactBroken);
    }
    let lost = kept.carries.iter().find_map(|carry| {
        let returned = returned_values(carry, after);
        let lost = match returned.first() {
            Some(_) => lost_value(std::slice::from_ref(carry), carry, (kept.sent, after)),
            None => {
                let sent = pointer::select(kept.sent, &carry.sent);
                sent.first().map(|sent| LostValue { sent, returned })
            }
        };
        lost.map(|lost| (carry, lost))
    });
    let Some((carry, LostValue { sent, returned })) = lost else {
        return sink.held(fact);
    };
    let after = match returned.as_slice() {
        [] => "no value".to_owned(),
        [value] => sink.render(value),
        values => format!("{} values", values.len()),
    };
    let received = format!("{after}, not the {} that it had before", sink.render(sent));
    sink.broken(
        fact,
        || format!("{}{}", lifecycle.record_in_read, carry.returned_at),
        || received,
    );
}

/// Judges whether another record is as it was after an update or a deletion.
fn judge_other(seen: &RecordShown<'_>, lifecycle: &Lifecycle, sink: &mut Sink<'_>) {
    let kind = if lifecycle.delete == Some(seen.operation) {
        FactKind::OtherKeptByDelete
    } else {
        FactKind::OtherKeptByUpdate
    };
    let Some(fact) = sink.contract.fact_of(seen.operation, kind) else {
        return;
    };
    match seen.shown {
        ShownState::Record(_) | ShownState::Listed(_) => sink.held(fact),
        ShownState::Status(status @ (404 | 410), _) => sink.broken(fact, String::new, || status.to_string()),
        // The response to the write itself shows it.
        ShownState::ContentOfAnotherWrite if seen.by == seen.operation => {
            sink.broken(fact, String::new, || {
                "a response with the identifier of another record".to_owned()
            });
        }
        ShownState::ContentOfAnotherWrite => {
            sink.broken(fact, String::new, || "what was sent, in another record".to_owned());
        }
        ShownState::IdentifierWithOtherContent => {
            sink.broken(fact, String::new, || "none of what was sent to it".to_owned());
        }
        other => undecided(other, sink, fact),
    }
}

/// Reports a write after which records that were there before the run had changed.
fn judge_stray(stray: &StrayWrite<'_>, sink: &mut Sink<'_>) {
    let lifecycle = sink.contract.lifecycle_of(stray.operation);
    let Some(lifecycle) = lifecycle.filter(|_| stray.reached == Reached::Tagged) else {
        return;
    };
    let kind = match lifecycle.delete == Some(stray.operation) {
        _ if lifecycle.create == stray.operation => FactKind::ReadAfterCreate,
        true => FactKind::OtherKeptByDelete,
        false => FactKind::OtherKeptByUpdate,
    };
    if let Some(fact) = sink.contract.fact_of(stray.operation, kind) {
        let documented = Some("other records as before");
        let received = || "a text of this run, in a record that was there before it".to_owned();
        sink.report_finding(fact, documented, || stray.pointer.to_owned(), received);
    }
}

fn judge_created(seen: &RecordShown<'_>, lifecycle: &Lifecycle, sink: &mut Sink<'_>) {
    let by_list = lifecycle.read != seen.by;
    let kind = if by_list {
        FactKind::InferredListed
    } else {
        FactKind::ReadAfterCreate
    };
    let Some(fact) = sink.contract.fact_of(seen.operation, kind) else {
        return;
    };
    // A guess may be wrong: see `Lifecycle::guessed`.
    let may_be_missing = lifecycle.guessed || lifecycle.is_shown_later;
    let may_be_left_out = may_be_missing || lifecycle.list.as_ref().is_some_and(|list| list.shows_only_some);
    match seen.shown {
        ShownState::Listed(_) | ShownState::Record(_) => sink.held(fact),
        ShownState::NotListed if may_be_left_out => undecided(seen.shown, sink, fact),
        ShownState::Status(404 | 410, _) if may_be_missing || lifecycle.path_may_take_another_field => {
            undecided(seen.shown, sink, fact);
        }
        ShownState::NotListed => sink.broken(fact, String::new, || "no record with the id of the response".to_owned()),
        ShownState::Status(status @ (404 | 410), _) if !by_list => {
            sink.broken(fact, String::new, || status.to_string());
        }
        other => undecided(other, sink, fact),
    }
    if by_list {
        return listed_once(seen, may_be_left_out, sink);
    }
    let carries = (lifecycle, lifecycle.carries.as_slice());
    judge_carried(seen, carries, sink, FactKind::ReadAfterCreateCarrying);
    judge_defaults(seen, lifecycle, FactKind::DefaultAfterCreate, sink);
}

/// Judges whether an update that was sent twice has the effect of one. A 502, 503 or 504 may come from a gateway.
fn judge_repeated(seen: &RecordShown<'_>, (lifecycle, before): (&Lifecycle, &Value), sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(seen.operation, FactKind::SameAfterRepeatedUpdate) else {
        return;
    };
    match seen.shown {
        ShownState::Record(after) => {
            let carries = sink.contract.stated_or_inferred_carries_of_update(seen.operation);
            let sent = seen.sent.json().unwrap_or(&Value::Null);
            match field_changed_by_repeat(carries, sent, (before, after)) {
                None => sink.held(fact),
                Some(at) => {
                    let pointer = || format!("{}{at}", lifecycle.record_in_read);
                    sink.broken(fact, pointer, || "another value after the second update".to_owned());
                }
            }
        }
        ShownState::Status(status @ (404 | 410 | 500 | 501 | 505..), _) => {
            sink.broken(fact, String::new, || format!("{status} to the second update"));
        }
        other => undecided(other, sink, fact),
    }
}

/// Reports a record that can no longer be read after an edge case of an update was accepted.
fn judge_unreadable(seen: &RecordShown<'_>, lifecycle: &Lifecycle, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let nearest = [FactKind::SameAfterRepeatedUpdate, FactKind::ReadAfterUpdateCarrying(0)];
    let nearest = nearest
        .into_iter()
        .find_map(|kind| contract.fact_of(seen.operation, kind));
    let fact = nearest.or_else(|| contract.fact_of(lifecycle.create, FactKind::ReadAfterCreate));
    if let (Some(fact), ShownState::Status(status, _)) = (fact, seen.shown)
        && seen.shown.may_fail_because_of_record()
    {
        let documented = Some("a record that can be read after an update that was accepted");
        let received = || format!("{status} to a read after an edge case that was accepted");
        sink.report_finding(fact, documented, String::new, received);
    }
}

/// Judges whether the list shows one record for the create. It may rightly show none if the record may be left out.
fn listed_once(seen: &RecordShown<'_>, may_be_left_out: bool, sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(seen.operation, FactKind::InferredListedOnce) else {
        return;
    };
    match seen.shown {
        ShownState::Listed(ListedCount::Once) => sink.held(fact),
        ShownState::Listed(ListedCount::Several(count)) => {
            sink.broken(fact, String::new, || {
                format!("{count} records that only their identifiers tell apart")
            });
        }
        ShownState::Listed(ListedCount::EqualItems(count)) => {
            sink.broken(fact, String::new, || format!("{count} equal items with its identifier"));
        }
        ShownState::NotListed if !may_be_left_out => sink.undecided(fact, Reason::OtherFactBroken),
        other => undecided(other, sink, fact),
    }
}

/// Reports a record that the list shows although its create was rejected, or that shows what a rejected update sent.
/// What a write without a valid credential did is left to `auth`.
fn judge_stored_despite_rejection(stored: &StoredDespiteRejection<'_>, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    if stored.rejection.credential_fact.is_some() || contract.lifecycle_of(stored.operation).is_none() {
        return;
    }
    let carries = contract.lifecycle_carries_of_update(stored.operation);
    let updates = (0..carries.len()).map(FactKind::ReadAfterUpdateCarrying);
    let mut shown = updates.filter_map(|kind| contract.fact_of(stored.operation, kind));
    let shown = shown.find(|fact| contract.fact(*fact).response_pointer == stored.pointer);
    let (fact, documented, effect) = match contract.fact_of(stored.operation, FactKind::InferredListedOnce) {
        Some(fact) => (Some(fact), "a rejected create leaves no record", "the record is listed"),
        None => (
            shown,
            "a rejected update changes nothing",
            "the record shows what it sent",
        ),
    };
    if let Some(fact) = fact {
        let received = || format!("{}, but {effect}", stored.rejection.status);
        sink.report_finding(fact, Some(documented), || stored.pointer.to_owned(), received);
    }
}

/// Judges whether the record shows the sent fields.
fn judge_carried(
    seen: &RecordShown<'_>,
    (lifecycle, carries): (&Lifecycle, &[Carry]),
    sink: &mut Sink<'_>,
    kind: fn(usize) -> FactKind,
) {
    if let ShownState::Record(record) = seen.shown {
        let sent = Sent::new(seen.operation, carries, seen.sent);
        return sent.judge(
            (record, &lifecycle.record_in_read),
            sink,
            JudgedFields::WithoutGap,
            kind,
        );
    }
    for index in 0..carries.len() {
        if let Some(fact) = sink.contract.fact_of(seen.operation, kind(index)) {
            undecided(seen.shown, sink, fact);
        }
    }
}

fn judge_deleted(seen: &RecordShown<'_>, lifecycle: &Lifecycle, sink: &mut Sink<'_>) {
    let by_list = lifecycle.read != seen.by;
    let kind = if by_list {
        FactKind::UnlistedAfterDelete
    } else {
        FactKind::GoneAfterDelete
    };
    let Some(fact) = sink.contract.fact_of(seen.operation, kind) else {
        return;
    };
    let shown = lifecycle.shown_after_delete;
    let may_be_shown = if by_list { shown.in_list } else { shown.in_read };
    match seen.shown {
        ShownState::NotListed => sink.held(fact),
        ShownState::Status(404 | 410, _) if !by_list => sink.held(fact),
        ShownState::Listed(_) | ShownState::Record(_) if may_be_shown => sink.undecided(fact, Reason::NotShown),
        ShownState::Listed(_) | ShownState::Record(_) => sink.broken(fact, String::new, || "the record".to_owned()),
        other => undecided(other, sink, fact),
    }
}

/// Leaves a fact undecided, with the reason why what was shown does not decide it.
fn undecided(shown: &ShownState, sink: &mut Sink<'_>, fact: FactId) {
    let reason = match shown {
        ShownState::Status(status, credential) => Reason::for_documented_request(*status, credential),
        ShownState::NoResponse => Reason::NoResponse,
        _ => Reason::NotShown,
    };
    sink.undecided(fact, reason);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::operation::SecurityScheme;
    use crate::exchange::Credential;
    use crate::history::evidence::Rejection;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
components:
  schemas:
    Pet: {type: object, properties: {id: {type: integer}, name: {type: string}}}
  responses:
    Pet: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
    Pets: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}
  requestBodies:
    Pet: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
paths:
  /pets:
    get: {operationId: getPets, responses: {'200': {$ref: '#/components/responses/Pets'}}}
    post: {operationId: addPet, requestBody: {$ref: '#/components/requestBodies/Pet'}, responses: {'201': {$ref: '#/components/responses/Pet'}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getPet, responses: {'200': {$ref: '#/components/responses/Pet'}}}
    put: {operationId: putPet, requestBody: {$ref: '#/components/requestBodies/Pet'}, responses: {'200': {$ref: '#/components/responses/Pet'}}}
    delete: {operationId: deletePet, responses: {'204': {description: Gone}}}
";

    pub(super) fn status(status: u16) -> ShownState {
        let scheme = SecurityScheme::Bearer;
        ShownState::Status(status, Credential::Token { scheme })
    }

    fn judged(operation: &str, by: &str, shown: &ShownState) -> Judged {
        Fixture::text(PETS, operation).shown(by, &json!({"name": "Rex"}), shown)
    }

    pub(super) fn read_after_create(shown: &ShownState) -> Judged {
        judged("addPet", "getPet", shown)
    }

    fn record(name: &Value) -> ShownState {
        ShownState::Record(json!({"id": 7, "name": name}))
    }

    #[test]
    fn a_created_record_is_read_as_it_was_sent() {
        let (read, name) = (
            "addPet created: read by getPet",
            "addPet in getPet /name: as sent in /name",
        );
        let undecided = |shown: &ShownState| {
            let verdicts = [read, name].map(|fact| read_after_create(shown).fact(fact));
            verdicts.iter().all(|verdict| matches!(verdict, Verdict::Undecided(_)))
        };
        let held = read_after_create(&record(&json!("Rex")));
        assert_eq!((held.fact(read), held.fact(name)), (Verdict::Held, Verdict::Held));
        let changed = read_after_create(&record(&json!("REX")));
        assert_eq!(
            (changed.fact(read), changed.fact(name)),
            (Verdict::Held, Verdict::Broken)
        );
        for missing in [404, 410] {
            let judged = read_after_create(&status(missing));
            assert_eq!(judged.fact(read), Verdict::Broken);
            assert!(matches!(judged.fact(name), Verdict::Undecided(_)));
        }
        for shown in [
            status(403),
            status(500),
            status(429),
            ShownState::NoResponse,
            ShownState::Unclear,
        ] {
            assert!(undecided(&shown), "{shown:?}");
        }
    }

    #[test]
    fn a_list_shows_an_updated_record_as_the_read_does() {
        let verdict = |item: &Value| {
            let judged = Fixture::text(PETS, "putPet").shown_in_list("getPets", (item, &record(&json!("Rex"))));
            (
                judged.fact("putPet in getPets: as in getPet"),
                judged.findings("lifecycle").len(),
            )
        };
        assert_eq!(verdict(&json!({"id": 7, "name": "Rex"})), (Verdict::Held, 0));
        assert_eq!(verdict(&json!({"id": 7, "name": "Ben"})), (Verdict::Broken, 1));
        for open in [
            json!({"id": 7}),
            json!({"id": 7, "name": null}),
            json!({"id": 7, "name": ""}),
        ] {
            assert_eq!(verdict(&open).1, 0, "{open}");
        }
    }

    #[test]
    fn a_field_that_is_left_out_has_its_default_or_null() {
        let text = PETS.replace(
            "name: {type: string}",
            "name: {type: string, enum: [Rex, Ben], default: Rex}",
        );
        let fact = "addPet without fields: their defaults";
        let judged = |sent: &Value, name: &Value| {
            let judged = Fixture::text(&text, "addPet").shown("getPet", sent, &record(name));
            (judged.fact(fact), judged.findings("lifecycle").len())
        };
        assert_eq!(judged(&json!({}), &json!("Rex")), (Verdict::Held, 0));
        assert_eq!(judged(&json!({}), &json!("Ben")), (Verdict::Broken, 1));
        assert_eq!(judged(&json!({}), &json!(null)).1, 0);
        let sent = judged(&json!({"name": "Ben"}), &json!("Ben"));
        assert!(matches!(sent, (Verdict::Undecided(_), 0)), "{sent:?}");
    }

    #[test]
    fn an_update_keeps_the_time_of_creation() {
        let text = PETS.replace(
            "name: {type: string}",
            "name: {type: string}, createdAt: {type: string, format: date-time, readOnly: true}",
        );
        let verdict = |before: &str, after: &str| {
            let shown = ShownState::Record(json!({"id": 7, "createdAt": after}));
            let judged = Fixture::text(&text, "putPet");
            let judged = judged.shown_after_update("getPet", (&json!({"createdAt": before}), &shown));
            judged.fact("putPet in getPet /createdAt: as before")
        };
        let before = "2026-05-17T09:30:00.123456Z";
        for kept in [
            before,
            "2026-05-17T11:30:00.123456+02:00",
            "2026-05-17T09:30:00.123Z",
            "2026-05-17T09:30:00Z",
        ] {
            assert_eq!(verdict(before, kept), Verdict::Held, "{kept}");
        }
        for other in [
            "2026-05-17T09:30:00.123457Z",
            "2026-05-17T09:30:01.2Z",
            "2027-05-17T09:30:00Z",
        ] {
            assert_eq!(verdict(before, other), Verdict::Broken, "{other}");
        }
        assert!(matches!(verdict(before, "today"), Verdict::Undecided(_)));
    }

    #[test]
    fn an_update_that_changes_a_record_changes_the_time_of_its_last_change() {
        let text = PETS.replace(
            "name: {type: string}",
            "name: {type: string}, updatedAt: {type: string, format: date-time, readOnly: true}",
        );
        let verdict = |before: (&str, &str), after: (&str, &str)| {
            let record = |(name, at): (&str, &str)| json!({"id": 7, "name": name, "updatedAt": at});
            let judged = Fixture::text(&text, "putPet");
            let judged = judged.shown_after_update("getPet", (&record(before), &ShownState::Record(record(after))));
            judged.fact("putPet in getPet /updatedAt: another than before")
        };
        let (at, later) = ("2026-05-17T09:30:00.123456Z", "2026-05-17T09:30:00.2Z");
        assert_eq!(verdict(("Rex", at), ("Ben", at)), Verdict::Broken);
        assert_eq!(verdict(("Rex", at), ("Ben", later)), Verdict::Held);
        for (before, after) in [
            (("Rex", at), ("Rex", at)),
            (("Rex", "2026-05-17T09:30:00Z"), ("Ben", "2026-05-17T09:30:00Z")),
            (("Rex", "2026-05-17T09:30:00.123Z"), ("Ben", "2026-05-17T09:30:00.123Z")),
        ] {
            assert!(matches!(verdict(before, after), Verdict::Undecided(_)), "{before:?}");
        }
    }

    #[test]
    fn nested_members_and_elements_are_read_as_they_were_sent() {
        let properties = "name: {type: string}, tags: {type: array, items: {type: string}}, \
                          at: {type: object, properties: {city: {type: string}, floor: {type: integer}}}";
        let text = PETS.replace("name: {type: string}", properties);
        let sent = json!({"name": "Rex", "tags": ["Big", "old"], "at": {"city": "Rome"}});
        let verdicts = |fixture: &Fixture, shown: &Value| {
            let judged = fixture.shown("getPet", &sent, &ShownState::Record(shown.clone()));
            let facts =
                ["/at/city", "/tags/*", "/at/floor"].map(|at| format!("putPet in getPet {at}: as sent in {at}"));
            facts.map(|fact| judged.fact(&fact))
        };
        let fixture = Fixture::text(&text, "putPet");
        // What the service adds, and how it orders and spells elements, is left open.
        let shown = json!({"name": "Rex", "tags": ["old", "new", "big"], "at": {"city": "Rome", "floor": 0}});
        assert!(matches!(
            verdicts(&fixture, &shown),
            [Verdict::Held, Verdict::Held, Verdict::Undecided(_)]
        ));
        for (at, tags) in [
            (json!({"city": "Oslo"}), json!([])),
            (json!(null), json!(null)),
            (json!({"city": null}), json!(["old"])),
            (json!({"city": ""}), json!(["old", "older"])),
        ] {
            let shown = json!({"name": "Rex", "tags": tags, "at": at});
            assert!(
                matches!(verdicts(&fixture, &shown), [Verdict::Broken, Verdict::Broken, _]),
                "{shown}"
            );
        }
    }

    #[test]
    fn a_record_that_an_accepted_edge_case_makes_unreadable_is_found() {
        let found = |shown: &ShownState| {
            let judged = Fixture::text(PETS, "putPet").shown_after_edge_case("getPet", shown);
            judged
                .findings("lifecycle")
                .iter()
                .map(|finding| finding.received.clone())
                .collect::<Vec<_>>()
        };
        for failed in [404, 422, 500] {
            let received = format!("{failed} to a read after an edge case that was accepted");
            assert_eq!(found(&status(failed)), [received]);
        }
        for shown in [
            status(401),
            status(429),
            status(503),
            record(&json!("Rex")),
            ShownState::NoResponse,
        ] {
            assert!(found(&shown).is_empty(), "{shown:?}");
        }
    }

    #[test]
    fn another_record_stays_as_it_was() {
        for (operation, fact) in [
            ("putPet", "putPet: another record as before"),
            ("deletePet", "deletePet: another record as before"),
        ] {
            let verdict = |by: &str, shown: &ShownState| {
                Fixture::text(PETS, operation)
                    .shown_after_write_of_another(by, shown)
                    .fact(fact)
            };
            assert_eq!(verdict("getPet", &record(&json!("Rex"))), Verdict::Held);
            for changed in [ShownState::ContentOfAnotherWrite, status(404), status(410)] {
                assert_eq!(verdict("getPet", &changed), Verdict::Broken, "{operation} {changed:?}");
            }
            for shown in [ShownState::Unclear, status(403), status(500), ShownState::NoResponse] {
                assert!(matches!(verdict("getPet", &shown), Verdict::Undecided(_)), "{shown:?}");
            }
        }
    }

    #[test]
    fn a_list_that_may_have_more_decides_nothing() {
        let fact = "addPet created: listed in getPets";
        let verdict = |shown| judged("addPet", "getPets", &shown).fact(fact);
        assert_eq!(verdict(ShownState::Listed(ListedCount::AtLeastOnce)), Verdict::Held);
        assert_eq!(verdict(ShownState::NotListed), Verdict::Broken);
        for shown in [ShownState::Unclear, status(500), status(404), ShownState::NoResponse] {
            assert!(matches!(verdict(shown), Verdict::Undecided(_)));
        }
    }

    #[test]
    fn a_create_is_listed_as_one_record() {
        let verdict = |shown| judged("addPet", "getPets", &shown).fact("addPet created: one record in getPets");
        assert_eq!(verdict(ShownState::Listed(ListedCount::Once)), Verdict::Held);
        for count in [ListedCount::Several(2), ListedCount::EqualItems(2)] {
            assert_eq!(verdict(ShownState::Listed(count)), Verdict::Broken);
        }
        for shown in [
            ShownState::Listed(ListedCount::AtLeastOnce),
            ShownState::NotListed,
            ShownState::Unclear,
            status(500),
        ] {
            assert!(matches!(verdict(shown), Verdict::Undecided(_)));
        }
    }

    #[test]
    fn a_text_says_that_a_deleted_record_can_still_be_read() {
        let verdict = |text: &str, by: &str, shown: &ShownState| {
            let document = PETS.replace(
                "operationId: deletePet",
                &format!("operationId: deletePet, summary: {text}"),
            );
            let judged = Fixture::text(&document, "deletePet").shown(by, &json!({}), shown);
            judged.fact(&format!("deletePet: gone from {by}"))
        };
        let (read, list) = (record(&json!("Rex")), ShownState::Listed(ListedCount::AtLeastOnce));
        let is_open = |verdict| matches!(verdict, Verdict::Undecided(_));
        assert!(is_open(verdict("Archive a pet", "getPet", &read)));
        assert!(is_open(verdict("Archive a pet", "getPets", &list)));
        assert!(is_open(verdict("Moves the pet to the trash", "getPet", &read)));
        assert_eq!(verdict("Moves the pet to the trash", "getPets", &list), Verdict::Broken);
        assert_eq!(verdict("Archive a pet", "getPet", &status(404)), Verdict::Held);
        for (by, shown) in [("getPet", &read), ("getPets", &list)] {
            assert_eq!(verdict("Deletes the pet", by, shown), Verdict::Broken, "{by}");
        }
    }

    #[test]
    fn a_read_may_take_another_identifier_than_that_of_the_create() {
        let verdict = |parameter: &str, slug: &str, by: &str, shown: &ShownState| {
            let document = PETS.replace("petId", parameter).replace(
                "name: {type: string}",
                &format!("name: {{type: string}}, {slug}: {{type: string}}"),
            );
            let judged = Fixture::text(&document, "addPet").shown(by, &json!({"name": "Rex"}), shown);
            let fact = if by == "getPet" { "read by" } else { "listed in" };
            judged.fact(&format!("addPet created: {fact} {by}"))
        };
        let open = verdict("pet", "slug", "getPet", &status(404));
        assert!(matches!(open, Verdict::Undecided(_)));
        assert_eq!(
            verdict("pet", "slug", "getPets", &ShownState::NotListed),
            Verdict::Broken
        );
        for (parameter, field) in [("petId", "slug"), ("pet", "colour")] {
            let verdict = verdict(parameter, field, "getPet", &status(404));
            assert_eq!(verdict, Verdict::Broken, "{parameter} {field}");
        }
    }

    #[test]
    fn a_text_says_that_a_created_record_shows_later() {
        let verdict = |text: &str, by: &str, shown: &ShownState| {
            let document = PETS.replace("operationId: addPet", &format!("operationId: addPet, summary: {text}"));
            let judged = Fixture::text(&document, "addPet").shown(by, &json!({"name": "Rex"}), shown);
            let fact = if by == "getPet" { "read by" } else { "listed in" };
            judged.fact(&format!("addPet created: {fact} {by}"))
        };
        for (by, missing) in [("getPet", &status(404)), ("getPets", &ShownState::NotListed)] {
            let waits = verdict("Pets appear after moderation", by, missing);
            assert!(matches!(waits, Verdict::Undecided(_)), "{by}");
            assert_eq!(verdict("Adds a pet", by, missing), Verdict::Broken, "{by}");
        }
        let shown = verdict("Pets appear after moderation", "getPet", &record(&json!("Rex")));
        assert_eq!(shown, Verdict::Held);
    }

    #[test]
    fn a_put_that_is_sent_twice_has_the_effect_of_one() {
        let sent = json!({"name": "Rex"});
        let before = json!({"id": 7, "name": "Rex", "version": 1});
        let again = |shown: &ShownState| {
            let judged = Fixture::text(PETS, "putPet").shown_again("getPet", &sent, (Some(&before), shown));
            judged.fact("putPet sent twice: the same as once")
        };
        let same = ShownState::Record(json!({"id": 7, "name": "Rex", "version": 2}));
        assert_eq!(again(&same), Verdict::Held);
        assert_eq!(again(&record(&json!("Max"))), Verdict::Broken);
        for failed in [404, 410, 500] {
            assert_eq!(again(&status(failed)), Verdict::Broken, "{failed}");
        }
        for open in [400, 403, 409, 412, 422, 428, 429, 502, 503, 504].map(status) {
            assert!(matches!(again(&open), Verdict::Undecided(_)), "{open:?}");
        }
        for open in [ShownState::NoResponse, ShownState::Unclear] {
            assert!(matches!(again(&open), Verdict::Undecided(_)), "{open:?}");
        }
    }

    #[test]
    fn a_stored_rejection_is_reported_where_the_list_shows_the_record() {
        let fixture = Fixture::text(PETS, "addPet");
        let pointer = pointer::element("", 3);
        let stored = StoredDespiteRejection {
            operation: fixture.operation,
            rejection: Rejection {
                status: 401,
                credential_fact: None,
            },
            pointer: &pointer,
        };
        let judged = fixture.judge(|judge| judge.stored_despite_rejection(&stored, &fixture.request()));
        assert_eq!(judged.finding(RULE.name).level, Level::Warn);
        assert_eq!(judged.received(RULE.name), "401, but the record is listed");
        assert_eq!(judged.locations(RULE.name).0, "/3");
        assert!(judged.findings("rejected-but-stored").is_empty());
    }

    #[test]
    fn an_update_shows_and_a_deletion_too() {
        let update =
            |shown: &ShownState| judged("putPet", "getPet", shown).fact("putPet in getPet /name: as sent in /name");
        assert_eq!(update(&record(&json!("Rex"))), Verdict::Held);
        assert_eq!(update(&record(&json!(null))), Verdict::Broken);
        // Before the update it could be read.
        assert_eq!(update(&status(404)), Verdict::Broken);
        assert!(matches!(update(&status(403)), Verdict::Undecided(_)));
        let deleted = |shown: &ShownState| judged("deletePet", "getPet", shown).fact("deletePet: gone from getPet");
        assert_eq!(deleted(&status(404)), Verdict::Held);
        assert_eq!(deleted(&status(410)), Verdict::Held);
        assert_eq!(deleted(&record(&json!("Rex"))), Verdict::Broken);
        assert!(matches!(deleted(&status(403)), Verdict::Undecided(_)));
        let unlisted = |shown: &ShownState| judged("deletePet", "getPets", shown).fact("deletePet: gone from getPets");
        assert_eq!(unlisted(&ShownState::NotListed), Verdict::Held);
        assert_eq!(unlisted(&ShownState::Listed(ListedCount::AtLeastOnce)), Verdict::Broken);
        for shown in [
            ShownState::ListedChanged,
            ShownState::Unclear,
            ShownState::NoResponse,
            status(404),
        ] {
            assert!(matches!(unlisted(&shown), Verdict::Undecided(_)), "{shown:?}");
        }
    }
}
