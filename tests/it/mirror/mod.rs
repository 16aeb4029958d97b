//! `openapi.yaml` against the document that it mirrors: nothing is missing, nothing is added, and no type differs, at
//! any location. What was found beyond the document is in `openapi.overlay.yaml`.
//!
//! The document is `interface.md` next to this file. [`interface`] and [`contract`] read the two sides into the same
//! model, [`statement`] compares it, and [`mutations`] proves that the comparison can fail.

mod background;
mod body;
mod calls;
mod contract;
mod document;
mod examples;
mod gaps;
mod headings;
mod interface;
mod markdown;
mod mutations;
mod operation;
mod phrase;
mod response;
mod schema;
mod statement;

use contract::Contract;
use document::Document;
use statement::{Difference, Statements};

const DOCUMENT: &str = include_str!("interface.md");
const CONTRACT: &str = include_str!("../../../openapi.yaml");

/// The document, and what it says. It is read once, however many contracts are compared with it.
struct Mirrored {
    document: Document,
    said: Statements,
}

impl Mirrored {
    fn read(text: &str) -> Self {
        let document = Document::read(text);
        let mut said = document.statements();
        gaps::documented(&document, &mut said);
        Self { document, said }
    }

    /// Every location where a contract does not mirror the document.
    fn differences(&self, contract: &Contract) -> Vec<Difference> {
        let said = contracted(contract);
        let mut differences = self.said.differences(&said);
        differences.extend(headings::unknown(&self.document, contract));
        differences.extend(headings::absent(contract));
        differences.extend(gaps::misplaced(contract));
        differences.extend(gaps::astray(contract, &said));
        differences.extend(examples::defects(contract, &said));
        differences
    }
}

fn contracted(contract: &Contract) -> Statements {
    let mut said = contract.statements();
    gaps::contracted(contract, &mut said);
    said
}

fn listed(differences: &[Difference]) -> String {
    differences.iter().map(|difference| format!("{difference}\n")).collect()
}

#[test]
fn the_contract_mirrors_the_document() {
    let differences = Mirrored::read(DOCUMENT).differences(&Contract::read(CONTRACT));
    assert!(
        differences.is_empty(),
        "{} locations differ:\n{}",
        differences.len(),
        listed(&differences)
    );
}

#[test]
fn what_was_learned_is_in_the_overlay_and_not_in_the_mirror() {
    assert!(!CONTRACT.contains("x-answers"));
}

/// A reader that covers less than before would find fewer differences, so the figures are held.
#[test]
fn the_comparison_covers_as_many_locations_as_it_did() {
    let (documented, contracted) = (Mirrored::read(DOCUMENT).said, contracted(&Contract::read(CONTRACT)));
    let locations = (documented.len(), contracted.len(), contracted.sources());
    assert_eq!(
        locations,
        (360, 360, 249),
        "locations in the document, in the contract, and of these in the file: if both say more now, count it here"
    );
}
