//! Checks accepted shapes against the contract, so that one that was accepted by mistake does not pass as documented.

use super::form::ValueForm;
use super::location::SeenForms;
use super::observed::ResponseShapes;
use crate::contract::Contract;
use crate::contract::operation::Operation;
use crate::contract::pointer;
use crate::contract::shape::{JsonType, Shape, ShapeId};

impl ResponseShapes {
    /// Returns what in these successful responses breaks a statement of the contract, one line each; empty if nothing
    /// does.
    #[must_use]
    pub fn contradictions(&self, contract: &Contract, operation: &Operation) -> Vec<String> {
        let mut found = Vec::new();
        for (head, location) in &self.by_status_and_media_type {
            let (status, media_type) = head.split_once(' ').unwrap_or((head, ""));
            let documented = status.parse().ok().filter(|status| operation.succeeds_with(*status));
            let Some(response) = documented.and_then(|status| operation.response(status)) else {
                found.push(format!("{status} is not {}", operation.success_statuses()));
                continue;
            };
            if !response.media_types.is_empty() && !response.media_types.iter().any(|known| known == media_type) {
                found.push(format!("{media_type} is not {}", response.media_types.join(" or ")));
            }
            if let Some(shape) = response.body {
                let mut check = ContractCheck { contract, found };
                check.location(location, shape, "");
                found = check.found;
            }
        }
        found
    }
}

impl SeenForms {
    /// Whether what was seen at a location breaks what the contract states of its types and names.
    pub(super) fn contradicts(&self, contract: &Contract, shape: ShapeId) -> bool {
        let found = Vec::new();
        let mut check = ContractCheck { contract, found };
        check.location(self, shape, "");
        !check.found.is_empty()
    }
}

struct ContractCheck<'contract> {
    contract: &'contract Contract,
    found: Vec<String>,
}

impl ContractCheck<'_> {
    fn location(&mut self, seen: &SeenForms, id: ShapeId, at: &str) {
        let shape = self.contract.shape(id);
        self.types(seen, shape, at);
        for (names, locations) in &seen.objects {
            self.names(names, shape, at);
            for (name, seen) in names.iter().zip(locations) {
                let field = shape.field_named(name).map(|index| shape.fields[index].shape);
                if let Some(below) = field.or(shape.additional) {
                    self.location(seen, below, &pointer::join(at, name));
                }
            }
        }
        if let (Some(element), Some(items)) = (&seen.element, shape.items) {
            self.location(element, items, &pointer::join(at, "*"));
        }
    }

    fn types(&mut self, seen: &SeenForms, shape: &Shape, at: &str) {
        let objects = (!seen.objects.is_empty()).then_some(JsonType::Object);
        let arrays = (!seen.lengths.is_empty()).then_some(JsonType::Array);
        let scalars = seen.forms.iter().filter_map(|form| form.json_type());
        for received in scalars.chain(objects).chain(arrays) {
            if !shape.admits_type(received) {
                let types: Vec<_> = shape.types.iter().map(|known| known.name()).collect();
                self.report(at, &format!("{} is not {}", received.name(), types.join(" or ")));
            }
        }
        let null_is_open = shape.nullable || shape.null_is_open;
        for form in [ValueForm::NotJson, ValueForm::NoBody, ValueForm::Null] {
            if seen.forms.contains(&form) && !(form == ValueForm::Null && null_is_open) {
                self.report(at, &format!("{} is not documented", form.name()));
            }
        }
    }

    fn names(&mut self, names: &[String], shape: &Shape, at: &str) {
        for field in &shape.fields {
            if field.required_fact.is_some() && !names.iter().any(|name| field.name == *name) {
                self.report(at, &format!("`{}` is documented but missing", field.name));
            }
        }
        for name in shape.forbidden.keys() {
            if names.contains(name) {
                self.report(at, &format!("`{name}` is present but must be absent"));
            }
        }
        if let Some((_, closed)) = &shape.closed {
            for name in names.iter().filter(|name| !closed.contains(*name)) {
                self.report(
                    at,
                    &format!(
                        "`{name}` is present, but only {} may be",
                        Vec::from_iter(closed.iter().map(String::as_str)).join(", ")
                    ),
                );
            }
        }
    }

    fn report(&mut self, at: &str, says: &str) {
        let at = if at.is_empty() { "body" } else { at };
        self.found.push(format!("{at}: {says}"));
    }
}
