//! Remembers the values that responses showed, to detect a create whose response has the identifier of another record.
//! The main type is [`SeenIdentifiers`].
//!
//! A contract with our invariants says where the identifiers of its lists are, and only those are kept. For another
//! contract this is unknown, so every short string and number counts, where the contract has a create without
//! `x-invariants`, whose record only a link identifies.

use serde_json::Value;

use super::digests::Digests;
use super::history::History;
use crate::exchange::{Digest, Exchange, identifier, json};

/// The maximum number of different values that are kept; beyond it, every value counts as shown. Then every identifier
/// is in doubt and nothing is written under it, which is the safe side.
const MAX_VALUES: usize = 1_000_000;

/// The values that responses showed.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenIdentifiers {
    /// Whether the run has a create without the invariant `created`: only then the responses to reads are remembered.
    remembers_reads: bool,
    /// The digest of each value, as a path would contain it.
    values: Digests,
    /// How many they are.
    count: usize,
}

impl SeenIdentifiers {
    /// Begins with no value.
    pub(super) fn new(remembers_reads: bool) -> Self {
        Self {
            remembers_reads,
            ..Self::default()
        }
    }

    /// Whether a response showed the value.
    pub(super) fn contains(&self, value: &Value) -> bool {
        self.count >= MAX_VALUES || path_digest(value).is_some_and(|digest| self.values.contains(&digest))
    }

    /// Remembers a value, or every value in an array or object, that may be an identifier.
    pub(super) fn note(&mut self, value: &Value) {
        match value {
            Value::Array(elements) => elements.iter().for_each(|element| self.note(element)),
            Value::Object(members) => members.values().for_each(|member| self.note(member)),
            scalar => {
                if let Some(digest) = path_digest(scalar).filter(|_| self.count < MAX_VALUES) {
                    self.count += usize::from(self.values.insert(digest));
                }
            }
        }
    }
}

/// Returns the digest of a value as a path would contain it: `7` and `"7"` name the same record, and so do the two
/// cases of a UUID. `None` for a value that cannot be an identifier.
fn path_digest(value: &Value) -> Option<Digest> {
    identifier(value).map(|text| Digest::of(&Value::String(text.to_lowercase())))
}

impl History<'_> {
    /// Remembers the values in the response to a read, whatever its status, if the run needs them.
    pub(super) fn note_response(&mut self, exchange: &Exchange) {
        if !self.seen_identifiers.remembers_reads || !self.contract.operation(exchange.request.operation).is_read() {
            return;
        }
        let response = exchange.response();
        if let Some(Ok(body)) = response.map(|response| json::read(&response.body)) {
            self.seen_identifiers.note(&body.value);
        }
    }
}
