//! The table of all faults: [`faults`]. A row is a [`Fault`].

use std::sync::LazyLock;

use super::awkward::{self, Awkward};
use super::contract::Operation;
use super::creates::CreateFault;
use super::credential;
use super::derived::{self, name};
use super::edge_case::{EdgeCase, End};
use super::locations::Edit;
use super::often::{self, Often};
use super::pages::PageFault;
use super::renamed;
use super::sent::SentFault;
use super::several::{self, Several};
use super::whole::WholeFault;
use super::writing::{self, Writing};
use super::written;

/// One deliberate deviation, and what a check must say of it.
#[derive(Debug)]
pub struct Fault {
    /// Its name, as `--fault` takes it.
    pub name: String,
    /// What the service then does, to be read after its name.
    pub about: String,
    /// The rule that must see it.
    pub rule: &'static str,
    /// The operation that it breaks, or the security scheme that it breaks in every operation.
    pub operation: String,
    /// The fact that it breaks, by its name in `countersign facts`; none where the document's contract states none.
    pub fact: Option<String>,
    /// Where in the response, as a JSON pointer with `*` for any one token; empty for the whole response.
    pub pointer: String,
    /// Where else it may be seen, each as good as the first: a fault of many fields is reported of one that shows it.
    pub elsewhere: Vec<Seen>,
    pub(super) deviation: Deviation,
}

/// What a check says where it sees a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The rule that sees it.
    pub rule: &'static str,
    /// The fact that is broken.
    pub fact: Option<String>,
    /// Where in the response.
    pub pointer: String,
}

impl Fault {
    /// A fault of what an operation is sent, by what it does; none where nothing would show it.
    pub(super) fn seen(
        operation: &Operation,
        (deviation, about): (&str, String),
        seen: Vec<Seen>,
        how: How,
    ) -> Option<Self> {
        let on = operation.name.clone();
        Fault::named(
            (name(&on, "", deviation), about),
            &operation.name,
            seen,
            Deviation { on, how },
        )
    }

    /// A fault by its name; none where nothing would show it.
    pub(super) fn named(
        (name, about): (String, String),
        operation: &str,
        seen: Vec<Seen>,
        deviation: Deviation,
    ) -> Option<Self> {
        let mut seen = seen.into_iter();
        let Seen { rule, fact, pointer } = seen.next()?;
        Some(Fault {
            name,
            about,
            rule,
            operation: operation.to_owned(),
            fact,
            pointer,
            elsewhere: seen.collect(),
            deviation,
        })
    }
}

/// What stands in the place of an operation where a fault is of all of them: the scheme that all share.
pub(super) const EVERY: &str = "bearerAuth";

/// What is done to which operation.
#[derive(Clone, Debug)]
pub(super) struct Deviation {
    /// The operation whose requests or responses are changed.
    pub(super) on: String,
    pub(super) how: How,
}

/// The ways to deviate, in the order in which responses are changed.
#[derive(Clone, Debug)]
pub(super) enum How {
    /// What is sent is changed on its way in.
    Sent(SentFault),
    /// A value that is valid and awkward is kept as another.
    Awkward(Awkward),
    /// An array of several elements is kept as another.
    Several(Several),
    /// A request is rejected for the way in which it is written.
    Writing(Writing),
    /// An update gives its record another identifier.
    Renamed,
    /// A write is done more or less often than it was sent.
    Often(Often),
    /// An edge case is answered with a 500, or in part.
    EdgeCase(EdgeCase, End),
    /// The numbers or the items of a page are wrong.
    Page(PageFault),
    /// What a create answers and what is listed afterwards do not agree.
    Create(CreateFault),
    /// A location of a success is changed.
    Location { pattern: String, edit: Edit },
    /// A response is changed as a whole.
    Whole(WholeFault),
}

/// Every fault, in the order of the document, those derived from it first.
#[must_use]
pub fn faults() -> &'static [Fault] {
    static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
        let of_values = awkward::faults().chain(several::faults());
        let of_calls = credential::faults()
            .chain(writing::faults())
            .chain(often::faults())
            .chain(renamed::faults());
        let known = derived::faults().chain(written::faults());
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
