//! The digests of identifiers that a run has met: a set in eight bytes an element, because a list may have millions.
//! The main type is [`Digests`].

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

/// How many are held apart at least before they are sorted in.
const FEW: usize = 4096;

/// A set of digests.
#[derive(Clone, Debug, Default)]
pub(super) struct Digests {
    sorted: Vec<u64>,
    /// Those that are not sorted in yet; at most an eighth of the others.
    fresh: HashSet<u64>,
}

impl Digests {
    pub(super) fn contains(&self, digest: &u64) -> bool {
        self.fresh.contains(digest) || self.sorted.binary_search(digest).is_ok()
    }

    /// Takes one in, and tells whether it is new.
    pub(super) fn insert(&mut self, digest: u64) -> bool {
        let new = self.sorted.binary_search(&digest).is_err() && self.fresh.insert(digest);
        if self.fresh.len() >= FEW.max(self.sorted.len() / 8) {
            self.sorted.reserve_exact(self.fresh.len());
            self.sorted.extend(self.fresh.drain());
            self.sorted.sort_unstable();
        }
        new
    }
}

impl Extend<u64> for Digests {
    fn extend<T: IntoIterator<Item = u64>>(&mut self, digests: T) {
        for digest in digests {
            self.insert(digest);
        }
    }
}

/// A short stand-in for an identifier, so that a walk over a large list costs little memory.
pub(super) fn digest(identifier: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match identifier {
        Value::String(text) => (true, text.as_str()).hash(&mut hasher),
        other => (false, other.to_string()).hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_digest_is_new_once_however_many_there_are() {
        let mut digests = Digests::default();
        let many = (0..50_000_u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for digest in many.clone() {
            assert!(!digests.contains(&digest));
            assert!(digests.insert(digest));
            assert!(!digests.insert(digest));
        }
        assert!(many.into_iter().all(|digest| digests.contains(&digest)));
        assert!(!digests.contains(&1));
        assert!(
            digests.fresh.len() * 8 <= digests.sorted.len(),
            "{}",
            digests.fresh.len()
        );
    }

    #[test]
    fn a_number_and_its_digits_are_two_identifiers() {
        assert_ne!(digest(&json!(7)), digest(&json!("7")));
        assert_eq!(digest(&json!("7")), digest(&json!("7")));
    }
}
