//! Decides which records are the run's own, so that it may write to them.
//!
//! # Design
//!
//! A create whose response has the identifier of another record, by mistake or by malice, would make the run overwrite
//! that record. So an identifier is the run's own when no earlier response showed it and its record was seen with the
//! run tag twice: in the create's response and, before the first write that takes it, in its list or by its identifier.
//! If only the `Location` header of a 201 shows the identifier, the header replaces the first of the two. Until then
//! nothing is written under it; if this cannot be established, nothing ever is.
//!
//! A service may take the identifier for that of another record only later, or only in a write. Several things show
//! that: a read or the response to a write has another identifier, the record is still there after its deletion, a
//! later create returns it again, a name that was never used has a record, or the write of one record changes another.
//! Each ends all writes to the records of that create: see [`History::doubt_all`]. An identifier may also be lost
//! alone: see [`lost_records`](super::lost_records).

use std::collections::VecDeque;

use serde_json::Value;

use super::created::CreatedRecord;
use super::evidence::Walk;
use super::history::History;
use super::look::Item;
use crate::contract::operation::OperationId;
use crate::exchange::{Exchange, identifier};

/// What is known about the record whose identifier later writes take from a create: as [`Ownership`], with the created
/// record while it is unconfirmed.
#[derive(Clone, Debug)]
pub(super) enum OwnershipEntry {
    /// Only the response to its create has shown it so far: with the run tag, or with its identifier in `Location`.
    Unconfirmed(Box<CreatedRecord>),
    /// Why it may be somebody else's.
    Doubtful(String),
    /// Another response has shown it with the run tag.
    Confirmed,
}

/// Whose record a create returned, as far as a run must know before it writes to it.
#[derive(Clone, Debug)]
pub(crate) enum Ownership {
    /// The run's own.
    Confirmed,
    /// Only its create has shown it so far.
    Unconfirmed,
    /// It may be somebody else's, for this reason.
    Doubtful(String),
}

/// What a look showed of a record that a create returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagCheck {
    /// The record, with the run tag in it: the run's own.
    Tagged,
    /// No record with its identifier.
    Missing,
    /// Nothing: what should show it could not be read.
    Unread,
    /// A record with its identifier and without the run tag: somebody else's.
    Untagged,
    /// The record, with the run tag in it, in a list that has no more records than before the create: the create may
    /// have changed a record that was on a page which nobody has read.
    NotAdded,
}

/// Words that services accept in place of an identifier in a path, and that name another record, or several.
const ALIASES: [&str; 25] = [
    "_all", "all", "any", "current", "default", "everyone", "everything", "false", "first", "head", "last", "latest",
    "me", "mine", "new", "newest", "next", "none", "null", "own", "previous", "self", "today", "true", "undefined",
];

/// Returns the beginnings at which code that reads a number, or a name up to a mark, may take an identifier for ended:
/// `4` of `4a`, `item1` of `item1.v2`.
fn beginnings(id: &str) -> impl Iterator<Item = &str> {
    let pairs = id.char_indices().zip(id.char_indices().skip(1));
    let ends = pairs.filter(|((_, before), (_, next))| {
        !next.is_alphanumeric() || before.is_alphanumeric() && before.is_ascii_digit() != next.is_ascii_digit()
    });
    ends.filter_map(|(_, (end, _))| id.get(..end))
}

impl History<'_> {
    /// Returns why a request under the identifier of a created record may concern another one, whatever a read of it
    /// shows; `None` if nothing in the identifier says so.
    pub(super) fn reason_identifier_is_ambiguous(&self, create: OperationId, id: &str) -> Option<&'static str> {
        if self.contract.documents_path_of(create, id) {
            return Some("the document has a path of that name");
        }
        // A gateway may decode or normalise a path in which an identifier has a URL delimiter (RFC 3986, section 2.2),
        // an escape, whitespace or a control character.
        let is_delimiter = |character: char| matches!(character, '/' | '\\' | '?' | '#' | ';' | '%');
        if id.contains(|character: char| is_delimiter(character) || character.is_whitespace() || character.is_control())
        {
            return Some("a gateway may read the identifier as part of the path");
        }
        let names_several = |character: char| matches!(character, '*' | ',' | '|' | '{' | '}');
        if id.contains(names_several) || ALIASES.contains(&id.to_ascii_lowercase().as_str()) {
            return Some("services use such an identifier for another record, or for several");
        }
        let is_listed = |beginning: &str| self.foreign_identifiers.contains(create, &Value::from(beginning));
        if beginnings(id).any(is_listed) {
            return Some("a service may read only its beginning, which is the identifier of a listed record");
        }
        None
    }

    /// Remembers a created record, and whether the response to its create shows that it is the run's own: that response
    /// has the run tag, and no earlier one showed the identifier.
    pub(super) fn note_ownership(&mut self, creation: CreatedRecord, id: &Value, (was_seen, tagged): (bool, bool)) {
        let doubt = if was_seen {
            Some("it named another record before")
        } else if !tagged {
            Some("the create's response carries nothing that the run sent")
        } else {
            identifier(id).and_then(|id| self.reason_identifier_is_ambiguous(creation.operation, &id))
        };
        let operation = creation.operation;
        let entry = match doubt {
            Some(doubt) => OwnershipEntry::Doubtful(self.reason_for_doubt(operation, doubt)),
            None => OwnershipEntry::Unconfirmed(Box::new(creation)),
        };
        self.own.insert(operation, entry);
    }

    /// Marks the record of an accepted create as possibly somebody else's if the status does not say that a record was
    /// created, unless an invariant says what is created: see [`Self::may_have_created_nothing`].
    pub(super) fn doubt_accepted(&mut self, exchange: &Exchange) {
        let operation = exchange.request.operation;
        let by_invariant = self.contract.operation(operation).invariants.created.is_some();
        if self.may_have_created_nothing(exchange) && !by_invariant {
            let status = exchange.status().unwrap_or_default();
            self.doubt_ownership(operation, &format!("a {status} does not say that a record was created"));
        }
    }

    /// Whether a create may have created nothing, by its status: with a 202 the target has only begun something (RFC
    /// 9110, section 15.3.3), and with a 200 where 201 is documented it may have changed an existing record.
    pub(super) fn may_have_created_nothing(&self, exchange: &Exchange) -> bool {
        let operation = self.contract.operation(exchange.request.operation);
        match exchange.status() {
            Some(202) => true,
            Some(200) => operation.response_of_exactly(201).is_some(),
            _ => false,
        }
    }

    /// Notes how many items the first page of a list states, unless a create was accepted whose records are its items.
    pub(super) fn note_total(&mut self, list: OperationId, total: Option<i64>) {
        let Some(total) = total else { return };
        if self.count_created_items(list) == 0 {
            self.totals_before_creates.insert(list, total);
        }
        if !self.has_sent_creates() {
            self.totals_before_any_create.insert(list, total);
        }
    }

    /// Whether the total of a list is at least the one before any create plus the creates accepted since, where it
    /// states totals and the record is an item of its own; otherwise true. A create that changes a record instead (an
    /// upsert) adds none.
    pub(super) fn has_grown_by_creates(&self, create: OperationId, walk: &Walk) -> bool {
        let listed = self.created_and_listed_invariants(create).map(|(_, listed)| listed);
        // A record inside an item does not count as an item.
        let is_item = listed.is_some_and(|listed| listed.item_parameter.is_none());
        !(is_item && self.lacks_created_items(walk))
    }

    /// Whether the total of a list is less than the one before any create plus the number of creates accepted since: it
    /// does not show all of their records yet.
    pub(super) fn lacks_created_items(&self, walk: &Walk) -> bool {
        let before = self.totals_before_creates.get(&walk.operation);
        let now = walk.pages.first().and_then(|page| page.total);
        let created = i64::try_from(self.count_created_items(walk.operation)).unwrap_or(i64::MAX);
        before
            .zip(now)
            .is_some_and(|(before, now)| now < before.saturating_add(created))
    }

    /// Marks the record that a create returned as possibly somebody else's, if there is one.
    pub(super) fn doubt_ownership(&mut self, create: OperationId, doubt: &str) {
        if self.own.contains_key(&create) {
            let reason = self.reason_for_doubt(create, doubt);
            self.own.insert(create, OwnershipEntry::Doubtful(reason));
        }
    }

    /// Returns whose record this create returned last.
    pub(crate) fn ownership(&self, create: OperationId) -> Ownership {
        if let Some(reason) = self.doubted_creates.get(&create) {
            return Ownership::Doubtful(reason.clone());
        }
        match self.own.get(&create) {
            // Where nothing is known, no identifier of this create is bound, so no write takes one from it.
            None | Some(OwnershipEntry::Confirmed) => Ownership::Confirmed,
            Some(OwnershipEntry::Unconfirmed(_)) => Ownership::Unconfirmed,
            Some(OwnershipEntry::Doubtful(reason)) => Ownership::Doubtful(reason.clone()),
        }
    }

    /// Whether another response has shown the record of a create with the run tag.
    pub(super) fn is_confirmed(&self, create: OperationId) -> bool {
        matches!(self.own.get(&create), Some(OwnershipEntry::Confirmed))
    }

    /// Returns why the record of a create is doubtful if no other response shows it.
    pub(crate) fn reason_never_shown(&self, create: OperationId) -> String {
        self.reason_for_doubt(create, "no other call shows a record with it")
    }

    /// Returns why the record of a create may have been there before if the budget has no room for another, which would
    /// show that the create makes a new one each time.
    pub(crate) fn reason_no_room_for_second(&self, create: OperationId, max_writes: u64) -> String {
        let doubt =
            format!("no list shows that it is new, and max-writes {max_writes} left no room for a second create");
        self.reason_for_doubt(create, &doubt)
    }

    /// Adds what an item shows of the record that a create returned. Returns whether the record was seen, so that the
    /// look needs no further page.
    pub(super) fn observe_ownership(
        &self,
        create: OperationId,
        list: OperationId,
        item: Item<'_>,
        check: &mut TagCheck,
    ) -> bool {
        if let Some(OwnershipEntry::Unconfirmed(creation)) = self.own.get(&create) {
            let is_record_or_owner = self.is_record_or_owner(list, creation, item.value);
            // An untagged record is final, even after a tagged one: then two records share the identifier.
            let shown = self
                .record_in(creation, item.value, is_record_or_owner)
                .filter(|_| is_record_or_owner);
            if let Some((record, _)) = shown.filter(|_| *check != TagCheck::Untagged) {
                *check = self.check_tag(record);
            }
        }
        matches!(check, TagCheck::Tagged | TagCheck::Untagged)
    }

    /// Checks what the response to a read by the identifier of a create's record shows.
    pub(super) fn check_read(&self, create: OperationId, body: &Value) -> TagCheck {
        let Some(OwnershipEntry::Unconfirmed(creation)) = self.own.get(&create) else {
            return TagCheck::Missing;
        };
        let by_invariant = self.contract.operation(create).invariants.created.is_some();
        if by_invariant {
            self.check_tag(body)
        } else if self.shows_record_of_create(create, (body, &creation.identity)) {
            TagCheck::Tagged
        } else {
            TagCheck::Untagged
        }
    }

    /// Checks whether a record has the run tag.
    fn check_tag(&self, record: &Value) -> TagCheck {
        if self.run_tag.is_in(record) {
            TagCheck::Tagged
        } else {
            TagCheck::Untagged
        }
    }

    /// Whether a body shows the record that a create made under this identifier. If the run has chosen the identifier,
    /// the body must show the run tag anywhere; otherwise see [`Self::shows_tagged_record`].
    pub(super) fn shows_record_of_create(&self, create: OperationId, (body, id): (&Value, &Value)) -> bool {
        match self.contract.operation(create).new_record_name_parameter() {
            Some(_) => self.run_tag.is_in(body) && !self.shows_foreign_name(create, body),
            None => self.shows_tagged_record(body, id),
        }
    }

    /// Whether a body shows the record with this identifier, with a string that has the run tag in the field in which a
    /// write sent it. This is for creates where no invariant says which strings come back. Records nested within it do
    /// not count: a customer's cart contains what the run has put into it.
    pub(super) fn shows_tagged_record(&self, body: &Value, id: &Value) -> bool {
        let Some(id) = identifier(id) else { return false };
        let mut pending = VecDeque::from([body]);
        while let Some(value) = pending.pop_front() {
            match value {
                Value::Array(elements) => pending.extend(elements),
                Value::Object(members) => {
                    if members.values().any(|member| identifier(member).as_ref() == Some(&id)) {
                        // JSON:API has the fields of a record beside its identifier, in `attributes`.
                        let attributes = members.get("attributes").and_then(Value::as_object);
                        let mut objects = [Some(members), attributes].into_iter().flatten();
                        return objects.any(|members| self.sent_strings.any_shown_by(members));
                    }
                    pending.extend(members.values());
                }
                _ => {}
            }
        }
        false
    }

    /// Decides whose record a create returned, after a look at what the operation `shown_by` shows of it.
    pub(super) fn conclude_ownership(&mut self, create: OperationId, shown_by: OperationId, check: TagCheck) {
        let shown_by = self.contract.operation(shown_by).name.as_str();
        let entry = match check {
            TagCheck::Tagged => OwnershipEntry::Confirmed,
            TagCheck::NotAdded => OwnershipEntry::Doubtful(self.reason_for_doubt(
                create,
                &format!("{shown_by} states no more records than before, as if none had been created"),
            )),
            TagCheck::Missing => {
                OwnershipEntry::Doubtful(self.reason_for_doubt(create, &format!("{shown_by} shows no record with it")))
            }
            TagCheck::Unread => OwnershipEntry::Doubtful(self.reason_for_doubt(
                create,
                &format!("{shown_by}, which would show its record, could not be read"),
            )),
            TagCheck::Untagged => {
                let doubt = format!("{shown_by} shows a record with it, but nothing that the run sent");
                if self.contract.operation(create).invariants.created.is_none() {
                    self.doubt_all(create, &doubt);
                }
                OwnershipEntry::Doubtful(self.reason_for_doubt(create, &doubt))
            }
        };
        self.own.insert(create, entry);
    }

    /// Returns the reason why the record that a create returned may be somebody else's.
    pub(super) fn reason_for_doubt(&self, create: OperationId, doubt: &str) -> String {
        let operation = self.contract.operation(create);
        let identifier = match operation.new_record_name_parameter() {
            Some(_) => format!("the name under which {} created a record", operation.name),
            None => format!("the identifier that {} returned", operation.name),
        };
        format!("nothing more was created or updated under {identifier}: {doubt}, so it may be another record's")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_may_be_read_up_to_a_mark_or_a_change_between_digit_and_letter_and_no_further() {
        for (id, expected) in [
            ("2abc13", &["2", "2abc"][..]),
            ("item1.v2", &["item", "item1", "item1.v"]),
            ("it1:x5", &["it", "it1", "it1:x"]),
            ("1234", &[]),
            ("-1", &[]),
            ("café", &[]),
        ] {
            assert_eq!(beginnings(id).collect::<Vec<_>>(), expected, "{id}");
        }
    }
}
