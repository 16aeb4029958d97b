//! The contract that this crate is built with.
//!
//! It stands apart from `contract`, which `build.rs` includes: a build script that contained the text would be compiled
//! again after each change of it.

use crate::contract::Contract;
use crate::contract::defect::Defects;
use crate::contract::document::Document;

impl Contract {
    /// The contract that this crate is built with.
    #[cfg(not(all(test, not(feature = "service"))))]
    pub const BUILT_IN: &str = include_str!("../openapi.yaml");
    /// The contract that the unit tests are written for. A fork without the reference service keeps it there.
    #[cfg(all(test, not(feature = "service")))]
    pub const BUILT_IN: &str = include_str!("../tests/reference.yaml");
    /// The name of its file.
    pub const BUILT_IN_NAME: &str = "openapi.yaml";

    /// Reads the contract that this crate is built with. It alone states that its responses decode through the typed
    /// client, because the client is generated from it.
    ///
    /// # Errors
    ///
    /// None in a built crate: `build.rs` holds the file to the same checks.
    pub fn built_in() -> Result<Self, Defects> {
        Self::of_built_in(Document::built_in()?)
    }

    /// Reads the contract that this crate is built with, with an overlay applied to it. `name` is the overlay's file in
    /// messages.
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
            return Self::of(document);
        }
        Self::with_types(document)
    }
}

impl Document {
    fn built_in() -> Result<Self, Defects> {
        Ok(Self::read_past_duplicates(
            Contract::BUILT_IN_NAME,
            Contract::BUILT_IN.to_owned(),
        )?)
    }
}
