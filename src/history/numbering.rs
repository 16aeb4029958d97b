//! Decides whether records of two kinds are numbered each on their own, as in a database where each table counts from 1.
//! The main type is [`Numbering`].
//!
//! # Design
//!
//! That two collections have the same identifiers does not say so: `/users` and `/admins` may show one record each in its
//! own form. So records are compared that have one identifier: where both have a field of one name, its strings differ in
//! different records and are equal in two forms of one. The run's own records are not compared, since what a create sent
//! may have replaced what was there. A handful of records of each kind suffices, because small numbers come first.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::observed_values::identifier_digest;
use crate::exchange::Digest;

/// The number of records of each kind that are kept for the comparison.
const RECORDS_PER_KIND: usize = 20;

/// The maximum number of kinds.
const MAX_KINDS: usize = 200;

/// Endings of the names of fields that say little about which record it is: two records may have been stored at one time,
/// and two forms of one may state different types.
const SAYS_LITTLE: [&str; 7] = ["at", "date", "kind", "state", "status", "time", "type"];

/// Some records of each kind, and what comparing them has shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    records: HashMap<String, Vec<ComparedRecord>>,
    compared: HashMap<(String, String), Compared>,
}

/// A record that another response showed.
#[derive(Clone, Debug)]
struct ComparedRecord {
    id: Digest,
    /// Its strings that tell records apart.
    strings: HashMap<String, Digest>,
}

/// What records of two kinds with one identifier have shown.
#[derive(Clone, Copy, Debug, Default)]
struct Compared {
    are_different: bool,
    are_equal: bool,
}

impl Numbering {
    /// Whether more records of this kind would be kept.
    pub(super) fn needs_more_of(&self, kind: &str) -> bool {
        !kind.is_empty()
            && match self.records.get(kind) {
                Some(records) => records.len() < RECORDS_PER_KIND,
                None => self.records.len() < MAX_KINDS,
            }
    }

    /// Notes a record of this kind that is not the run's own, if it has an identifier.
    pub(super) fn note(&mut self, kind: &str, members: &Map<String, Value>) {
        let by_kind = format!("{kind}id");
        let is_identity = |name: &str| {
            let name = name.trim_start_matches(['_', '@']).replace('_', "").to_lowercase();
            matches!(name.as_str(), "id" | "uuid" | "key" | "pk") || name == by_kind
        };
        let mut identities = members.iter().filter(|(name, _)| is_identity(name));
        let Some(id) = identities.find_map(|(_, id)| identifier_digest(id)) else {
            return;
        };
        let strings = members.iter().filter_map(|(name, value)| {
            let text = value.as_str().filter(|text| !text.is_empty() && !text.contains('/'))?;
            let lower = name.to_lowercase();
            let says_little = SAYS_LITTLE.iter().any(|ending| lower.ends_with(ending));
            (!says_little && !is_identity(name)).then(|| (name.clone(), Digest::of(&Value::from(text))))
        });
        let record = ComparedRecord {
            id,
            strings: strings.collect(),
        };
        if self
            .records
            .get(kind)
            .is_some_and(|records| records.iter().any(|known| known.id == id))
        {
            return;
        }
        for (other, records) in self.records.iter().filter(|(other, _)| *other != kind) {
            for with_same_id in records.iter().filter(|known| known.id == id) {
                let compared = self.compared.entry(pair(kind, other)).or_default();
                compared.add(&record, with_same_id);
            }
        }
        self.records.entry(kind.to_owned()).or_default().push(record);
    }

    /// Whether records of these kinds that have one identifier are different records.
    pub(super) fn are_separate(&self, one: &str, other: &str) -> bool {
        let compared = self.compared.get(&pair(one, other));
        compared.is_some_and(|compared| compared.are_different && !compared.are_equal)
    }
}

impl Compared {
    /// Adds two records with one identifier.
    fn add(&mut self, one: &ComparedRecord, other: &ComparedRecord) {
        let common = one
            .strings
            .iter()
            .filter_map(|(name, string)| Some((string, other.strings.get(name)?)));
        let (equal, different): (Vec<_>, Vec<_>) = common.partition(|(one, other)| one == other);
        self.are_different |= different.len() > equal.len();
        self.are_equal |= !equal.is_empty() && different.is_empty();
    }
}

/// Returns two kinds in one order.
fn pair(one: &str, other: &str) -> (String, String) {
    let (first, second) = if one < other { (one, other) } else { (other, one) };
    (first.to_owned(), second.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn numbering(records: &[(&str, Value)]) -> Numbering {
        let mut numbering = Numbering::default();
        for (kind, record) in records {
            numbering.note(kind, record.as_object().unwrap());
        }
        numbering
    }

    #[test]
    fn different_records_under_one_identifier_show_that_their_kinds_are_numbered_separately() {
        let author = json!({"id": 1, "name": "Anna", "created_at": "2026-01-01"});
        let book = json!({"bookId": "1", "name": "A book", "created_at": "2026-01-01"});
        let separate = numbering(&[("author", author.clone()), ("book", book)]);
        assert!(separate.are_separate("author", "book") && separate.are_separate("book", "author"));
        for other in [
            // Another form of the same record.
            json!({"id": 1, "name": "Anna", "role": "admin"}),
            // Another identifier.
            json!({"id": 2, "name": "Bea"}),
            // Nothing in common that would tell them apart.
            json!({"id": 1, "title": "A book", "created_at": "2026-01-02"}),
        ] {
            let unknown = numbering(&[("author", author.clone()), ("book", other.clone())]);
            assert!(!unknown.are_separate("author", "book"), "{other}");
        }
    }

    #[test]
    fn two_forms_of_one_record_outweigh_any_difference() {
        let one = json!({"id": 1, "name": "Anna"});
        let shown = [
            ("user", one.clone()),
            ("user", json!({"id": 2, "name": "Bea"})),
            ("admin", one),
            ("admin", json!({"id": 2, "name": "Bea (changed since)"})),
        ];
        assert!(!numbering(&shown).are_separate("admin", "user"));
    }

    #[test]
    fn a_bounded_number_of_records_is_kept() {
        let mut numbering = Numbering::default();
        for id in 0..RECORDS_PER_KIND {
            assert!(numbering.needs_more_of("pet"));
            numbering.note("pet", json!({"id": id, "name": "a"}).as_object().unwrap());
        }
        assert!(!numbering.needs_more_of("pet"));
        assert!(numbering.needs_more_of("toy"));
        assert!(!numbering.needs_more_of(""));
    }
}
