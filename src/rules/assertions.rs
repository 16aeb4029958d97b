//! Compiles what the schemas of a contract assert beyond types. The main type is [`Assertions`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::contract::{Contract, json_schema};
use crate::exchange::CompiledSchema;

/// The assertions of a contract, each compiled on first use.
#[derive(Debug, Default)]
pub(super) struct Assertions {
    compiled: RefCell<HashMap<String, Rc<CompiledSchema>>>,
}

impl Assertions {
    /// Returns the assertion of the schema at the pointer.
    pub(super) fn of(&self, contract: &Contract, schema: &str) -> Rc<CompiledSchema> {
        if let Some(known) = self.compiled.borrow().get(schema) {
            return Rc::clone(known);
        }
        let compiled = Rc::new(CompiledSchema::compile(
            json_schema::asserted(&contract.document, schema).as_ref(),
        ));
        self.compiled
            .borrow_mut()
            .insert(schema.to_owned(), Rc::clone(&compiled));
        compiled
    }
}
