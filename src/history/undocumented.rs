//! Recognises the records of creates that respond with a 201 that the document does not have. The status is a finding;
//! whose record it is, and what it contains, can be known all the same.

use super::history::History;
use crate::contract::load::is_json;
use crate::contract::shape::ShapeId;
use crate::contract::{Contract, json_schema, pointer};
use crate::exchange::json::{self, Body};
use crate::exchange::{CompiledSchema, Exchange};

impl History<'_> {
    /// Returns the body of a 201 that a create does not document: see [`undocumented_creation`].
    pub(super) fn undocumented_creation(&self, exchange: &Exchange) -> Option<Body> {
        undocumented_creation(self.contract, exchange).map(|(_, body)| body)
    }
}

/// Returns the body of a 201 that a create does not document, if the body matches the schema of a documented success:
/// then the create has created what it documents. The first part is the shape of that success. A create with invariants
/// is left out, because these say what it returns.
pub(crate) fn undocumented_creation(contract: &Contract, exchange: &Exchange) -> Option<(ShapeId, Body)> {
    let operation = contract.operation(exchange.request.operation);
    let response = exchange.response().filter(|response| response.status == 201)?;
    if !operation.creates() || operation.has_invariants() || operation.succeeds_with(response.status) {
        return None;
    }
    let mut successes = operation.successes();
    let (documented, shape) = successes.find_map(|documented| Some((documented, documented.body?)))?;
    let media_type = documented.media_types.iter().find(|name| is_json(name))?;
    let content = pointer::join(&contract.resolve(&documented.pointer), "content");
    let schema = pointer::join(&pointer::join(&content, media_type), "schema");
    let schema = json_schema::convert(&contract.document, &schema)?;
    let body = json::read(&response.body).ok()?;
    let is_documented = CompiledSchema::compile(Some(&schema)).holds(&body.value) == Some(true);
    is_documented.then_some((shape, body))
}
