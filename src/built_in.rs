//! The contract that this crate is built with.
//!
//! It stands apart from `contract`, which `build.rs` includes: a build script that contained the text would be compiled
//! again after each change of it.

use crate::contract::Contract;
use crate::contract::defect::Defects;
use crate::contract::document::Document;
use crate::contract::tree::StoredTree;

/// The tree of `openapi.yaml`.
const TREE: StoredTree = include!(concat!(env!("OUT_DIR"), "/tree.rs"));

impl Contract {
    /// The contract that this crate is built with.
    #[cfg(not(all(test, not(feature = "service"))))]
    pub const BUILT_IN: &str = include_str!("../openapi.yaml");
    /// The contract that the unit tests are written for. A fork without the reference service keeps it there.
    #[cfg(all(test, not(feature = "service")))]
    pub const BUILT_IN: &str = include_str!("../tests/reference.yaml");
    /// The name of its file.
    pub const BUILT_IN_NAME: &str = "openapi.yaml";
    /// The overlay that is applied to it; empty if there was none when this crate was built.
    pub const BUILT_IN_OVERLAY: &str = include_str!(concat!(env!("OUT_DIR"), "/overlay.yaml"));
    /// The name of the overlay's file.
    pub const BUILT_IN_OVERLAY_NAME: &str = "openapi.overlay.yaml";

    /// Reads the contract that this crate is built with. It alone states that its responses decode through the typed
    /// client, because the client is generated from it.
    ///
    /// # Errors
    ///
    /// None in a built crate: `build.rs` checks the file in the same way.
    pub fn built_in() -> Result<Self, Defects> {
        let document = Document::built_in()?;
        // The overlay may belong to another contract, as the types may.
        if Self::BUILT_IN_OVERLAY.is_empty() || cfg!(all(test, not(feature = "service"))) {
            return Self::of_built_in(document);
        }
        let (name, text) = (Self::BUILT_IN_OVERLAY_NAME, Self::BUILT_IN_OVERLAY.to_owned());
        Self::of_built_in(document.with_overlay(name, text)?)
    }

    /// Reads the contract that this crate is built with, with this overlay in place of the built-in one. `name` is its
    /// file in messages.
    ///
    /// # Errors
    ///
    /// What is wrong with the overlay.
    pub fn built_in_with_overlay(name: &str, text: String) -> Result<Self, Defects> {
        Self::of_built_in(Document::built_in()?.with_overlay(name, text)?)
    }

    fn of_built_in(document: Document) -> Result<Self, Defects> {
        if cfg!(all(test, not(feature = "service"))) {
            // The types may be those of another contract.
            return Self::of_document(document);
        }
        Self::with_client_types(document)
    }
}

impl Document {
    fn built_in() -> Result<Self, Defects> {
        let (name, text) = (Contract::BUILT_IN_NAME, Contract::BUILT_IN.to_owned());
        // The text may be that of another contract.
        let tree = (!cfg!(all(test, not(feature = "service")))).then_some(TREE);
        match tree.and_then(StoredTree::root) {
            Some(root) => Ok(Self::of_tree(name, text, root)),
            None => Ok(Self::read_allowing_repeated_names(name, text)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_overlay_is_that_of_the_last_build() {
        let overlay = std::fs::read_to_string(Contract::BUILT_IN_OVERLAY_NAME).unwrap_or_default();
        assert_eq!(Contract::BUILT_IN_OVERLAY, overlay);
    }

    #[test]
    fn the_tree_of_the_build_is_the_one_that_is_read_from_the_text() {
        let text = include_str!("../openapi.yaml").to_owned();
        let read = Document::read(Contract::BUILT_IN_NAME, text).unwrap();
        let stored = TREE.root().unwrap();
        assert_eq!(format!("{stored:?}"), format!("{:?}", read.root));
    }

    #[test]
    fn an_overlay_is_applied_to_the_built_in_contract() {
        let built_in = Contract::built_in().unwrap();
        let answer = "{gap: success-status, operation: getTags, claim: {status: 200}}";
        let target = "$.paths['/organization/v1/tags'].get.responses['2XX']";
        let text = format!("overlay: 1.0.0\nactions: [{{target: \"{target}\", update: {{x-answers: [{answer}]}}}}]\n");
        let overlaid = Contract::built_in_with_overlay("known.yaml", text).unwrap();
        let states_it = |contract: &Contract| contract.facts.iter().any(|fact| fact.name.ends_with(": as learned"));
        assert!(states_it(&overlaid));
        assert!(overlaid.facts.len() >= built_in.facts.len());
        let error = Contract::built_in_with_overlay("known.yaml", "overlay: 1.0.0".to_owned()).unwrap_err();
        assert!(error.to_string().starts_with("known.yaml:1:1"), "{error}");
    }

    #[cfg(feature = "service")]
    #[test]
    fn an_overlay_may_narrow_a_status_and_close_a_gap() {
        let update = "$.paths['/organization/v1/contact-database/{id}'].put.responses";
        let text = format!(
            "overlay: 1.0.0\nactions:\n- {{target: \"{update}['2XX']\", remove: true}}\n- {{target: \"{update}\", update: \
             {{'201': {{description: Contact updated}}}}}}\n"
        );
        let contract = Contract::built_in_with_overlay("known.yaml", text).unwrap();
        let closed = contract.gaps.iter().filter(|gap| gap.locations.is_empty());
        assert_eq!(
            closed.map(|gap| gap.id.as_str()).collect::<Vec<_>>(),
            ["update-response-body"]
        );
        assert!(
            contract
                .facts
                .iter()
                .any(|fact| &*fact.name == "updateContact status: 201")
        );
    }
}
