//! The table of all faults: [`faults`]. A row is a [`Fault`].

use std::sync::LazyLock;

use super::deviation::{DeviationKind, Fault};
use super::request::RequestFault;
use super::{arrays, awkward, credential, derived, handwritten, identifier_changed, spelling, writes};

/// Every fault: those derived from the document, in its order, then the others, kind by kind.
#[must_use]
pub fn faults() -> &'static [Fault] {
    static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
        let awkward = awkward::faults().filter_map(|proposed| proposed.fault(DeviationKind::Distortion));
        let array = arrays::faults().filter_map(|proposed| proposed.fault(DeviationKind::Array));
        let accepts = |credential| DeviationKind::Request(RequestFault::AcceptsCredential(credential));
        let credential = credential::faults().filter_map(|proposed| proposed.fault(accepts));
        let spelling = spelling::faults().filter_map(|proposed| proposed.fault(DeviationKind::Spelling));
        let writes = writes::faults().filter_map(|proposed| proposed.fault(DeviationKind::Write));
        let identifier_changed =
            identifier_changed::faults().filter_map(|proposed| proposed.fault(|()| DeviationKind::IdentifierChanged));
        let known = derived::faults().chain(handwritten::faults());
        let of_values = awkward.chain(array);
        let of_calls = credential.chain(spelling).chain(writes).chain(identifier_changed);
        known.chain(of_values).chain(of_calls).collect()
    });
    &FAULTS
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_name_means_one_fault_and_needs_no_quotes() {
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
