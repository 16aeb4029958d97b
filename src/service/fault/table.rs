//! The table of all faults: [`faults`]. A row is a [`Fault`].

use std::sync::LazyLock;

use super::deviation::{DeviationKind, Fault};
use super::sent::SentFault;
use super::{awkward, credential, derived, renamed, repetition, several, writing, written};

/// Every fault, in the order of the document, those derived from it first.
#[must_use]
pub fn faults() -> &'static [Fault] {
    static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
        let awkward = awkward::faults().filter_map(|proposed| proposed.fault(DeviationKind::Awkward));
        let several = several::faults().filter_map(|proposed| proposed.fault(DeviationKind::Several));
        let let_in = |credential| DeviationKind::Sent(SentFault::LetIn(credential));
        let credential = credential::faults().filter_map(|proposed| proposed.fault(let_in));
        let writing = writing::faults().filter_map(|proposed| proposed.fault(DeviationKind::Writing));
        let repetition = repetition::faults().filter_map(|proposed| proposed.fault(DeviationKind::Repetition));
        let renamed = renamed::faults().filter_map(|proposed| proposed.fault(|()| DeviationKind::Renamed));
        let known = derived::faults().chain(written::faults());
        let of_values = awkward.chain(several);
        let of_calls = credential.chain(writing).chain(repetition).chain(renamed);
        known.chain(of_values).chain(of_calls).collect()
    });
    &FAULTS
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_name_stands_for_one_fault_and_needs_no_quotes() {
        let mut names = HashSet::new();
        for fault in faults() {
            assert!(names.insert(&fault.name), "{} twice", fault.name);
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/:_-".contains(&byte);
            assert!(fault.name.bytes().all(plain), "{}", fault.name);
            assert_eq!(fault.name.matches(':').count(), 1, "{}", fault.name);
        }
    }

    #[test]
    fn the_examples_in_the_documentation_exist() {
        for name in [
            "getContacts/data/items/each/firstname:dropped",
            "getVisits:row-skipped",
            "createTag:let-in-without-credential",
        ] {
            assert!(faults().iter().any(|fault| fault.name == name), "{name}");
        }
    }
}
