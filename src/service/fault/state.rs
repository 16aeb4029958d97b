//! What a fault remembers between requests: [`FaultState`].

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::writes::Rendezvous;

/// What a fault remembers between requests, from the start of the service on.
#[derive(Debug, Default)]
pub(super) struct FaultState {
    /// For a [`CreateFault`](super::creates::CreateFault), the records that creates have returned; for
    /// [`DeviationKind::IdentifierChanged`](super::deviation::DeviationKind), the identifiers of updated records.
    remembered: Mutex<Vec<Value>>,
    /// The create that waits for another one.
    pub(super) rendezvous: Rendezvous,
}

impl FaultState {
    pub(super) fn remember(&self, value: &Value) {
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(value.clone());
    }

    pub(super) fn remembered(&self) -> Vec<Value> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
