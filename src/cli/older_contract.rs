//! `--since`: marks the facts that an older contract does not state. The main type is [`OlderContract`].

use std::path::Path;

use super::arguments::Arguments;
use super::document::{STANDARD_INPUT, Source, both_standard_input};
use super::failure::Failure;
use super::overwrites::{self, reject_overwrites};
use crate::contract::Contract;
use crate::contract::document::Document;
use crate::diff::facts_only_in;
use crate::report::{Record, mark_new};

/// An older contract.
#[derive(Debug)]
pub(super) struct OlderContract {
    name: String,
    contract: Contract,
}

impl OlderContract {
    /// Reads the older contract, if one is named.
    ///
    /// # Errors
    ///
    /// Those of [`Source::text`]; a document that is not a contract, because only a contract states facts; a report
    /// that would replace a file that it refers to.
    pub(super) fn read(arguments: &Arguments) -> Result<Option<Self>, Failure> {
        let Some(source) = &arguments.since else {
            return Ok(None);
        };
        for (flag, other) in [("spec", arguments.spec()), ("overlay", arguments.overlay())] {
            if *source == Source::StandardInput && other == Some(Path::new(STANDARD_INPUT)) {
                return Err(both_standard_input(flag, "since"));
            }
        }
        let name = source.to_string();
        let mut document = Document::read_allowing_repeated_names(&name, source.text("older contract (--since)")?)?;
        if let Some(other_files) = source.other_files() {
            document = document.with_files(other_files);
        }
        let files = document
            .other_files()
            .map(|path| ("a file of the older contract", path));
        reject_overwrites(&overwrites::reports(&arguments.report), &files.collect::<Vec<_>>())?;
        let contract = Contract::of_document(document)?;
        Ok(Some(Self { name, contract }))
    }

    /// Marks the facts that the older contract does not state, and the findings about them.
    pub(super) fn mark(&self, record: &mut Record, contract: &Contract) {
        let new = facts_only_in(contract, &self.contract);
        mark_new(record, &self.name, new.iter().map(|fact| fact.name.as_str()));
    }
}
