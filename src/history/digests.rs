//! Keeps the digests of the identifiers that a run has seen: a set with eight bytes per element, because a list may
//! have millions. The main type is [`Digests`].

use std::collections::HashSet;

use crate::exchange::Digest;

/// New digests stay unsorted until there are at least this many: merging them one at a time is slower than a set.
const SORT_THRESHOLD: usize = 4096;

/// A set of digests.
#[derive(Clone, Debug, Default)]
pub(super) struct Digests {
    sorted: Vec<Digest>,
    /// Those that are not sorted yet: fewer than [`SORT_THRESHOLD`] or an eighth of the sorted ones, whichever is more.
    unsorted: HashSet<Digest>,
}

impl Digests {
    pub(super) fn contains(&self, digest: &Digest) -> bool {
        self.unsorted.contains(digest) || self.sorted.binary_search(digest).is_ok()
    }

    /// Inserts a digest, and returns whether it is new.
    pub(super) fn insert(&mut self, digest: Digest) -> bool {
        let new = self.sorted.binary_search(&digest).is_err() && self.unsorted.insert(digest);
        if self.unsorted.len() >= SORT_THRESHOLD.max(self.sorted.len() / 8) {
            self.sorted.reserve_exact(self.unsorted.len());
            self.sorted.extend(self.unsorted.drain());
            self.sorted.sort_unstable();
        }
        new
    }
}

impl Extend<Digest> for Digests {
    fn extend<T: IntoIterator<Item = Digest>>(&mut self, digests: T) {
        for digest in digests {
            self.insert(digest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_digest_is_new_once_however_many_there_are() {
        let mut digests = Digests::default();
        let many = (0..50_000_u64).map(|number| Digest::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        for digest in many.clone() {
            assert!(!digests.contains(&digest));
            assert!(digests.insert(digest));
            assert!(!digests.insert(digest));
        }
        assert!(many.into_iter().all(|digest| digests.contains(&digest)));
        assert!(!digests.contains(&Digest::from(1)));
        assert!(
            digests.unsorted.len() * 8 <= digests.sorted.len(),
            "{}",
            digests.unsorted.len()
        );
    }
}
