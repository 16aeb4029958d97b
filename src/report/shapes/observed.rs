//! Collects the shapes of responses from the exchanges of a run. The main types are [`ObservedShapes`] and
//! [`ResponseShapes`].

use std::collections::BTreeMap;

use super::form::ValueForm;
use super::location::{SeenForms, ValueLocation};
use crate::contract::Contract;
use crate::contract::operation::{Operation, OperationId};
use crate::contract::pointer;
use crate::exchange::json::{self, JsonError};
use crate::exchange::{Exchange, Intent, Response};

/// The media types that are shown besides those that the contract documents: any other text there may be a value.
const PRINTABLE_MEDIA_TYPES: [&str; 4] = [
    "application/json",
    "application/problem+json",
    "text/html",
    "text/plain",
];

/// The shapes that a run saw.
#[derive(Debug)]
pub struct ObservedShapes<'contract> {
    contract: &'contract Contract,
    successes: BTreeMap<OperationId, ResponseShapes>,
    errors: ResponseShapes,
}

/// The shapes of several responses, by status and media type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseShapes {
    /// By status and media type, as in `200 application/json`.
    pub(super) by_status_and_media_type: BTreeMap<String, SeenForms>,
}

impl<'contract> ObservedShapes<'contract> {
    /// Starts without any shapes.
    #[must_use]
    pub fn new(contract: &'contract Contract) -> Self {
        Self {
            contract,
            successes: BTreeMap::new(),
            errors: ResponseShapes::default(),
        }
    }

    /// Adds an exchange: the success of a documented request to its operation, any other 4xx to the errors. Throttled
    /// requests, incomplete responses and everything else are left out.
    pub fn add(&mut self, exchange: &Exchange, intent: Intent) {
        let Ok(response) = &exchange.outcome else { return };
        let id = exchange.request.operation;
        let operation = self.contract.operation(id);
        let seen = || body(self.contract, operation, response);
        if intent.is_documented() && operation.succeeds_with(response.status) {
            self.successes
                .entry(id)
                .or_default()
                .add(head(operation, response), seen());
        } else if (400..500).contains(&response.status) && !response.is_throttled() {
            self.errors.add(head(operation, response), seen());
        }
    }

    /// Returns the shapes of an operation's successes; none if no documented request to it succeeded.
    #[must_use]
    pub fn successes(&self, operation: OperationId) -> Option<&ResponseShapes> {
        self.successes.get(&operation)
    }

    /// Returns the shapes of responses that rejected a request.
    #[must_use]
    pub fn errors(&self) -> &ResponseShapes {
        &self.errors
    }
}

impl ResponseShapes {
    fn add(&mut self, head: String, seen: SeenForms) {
        let known = self.by_status_and_media_type.remove(&head).unwrap_or_default();
        self.by_status_and_media_type.insert(head, known.joined(seen));
    }

    /// Whether there are no shapes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_status_and_media_type.is_empty()
    }

    /// Adds those shapes of the committed snapshot that the target's records may just not have shown.
    #[must_use]
    pub fn with_missing_from(&self, snapshot: &Self) -> Self {
        let shares_any = self
            .by_status_and_media_type
            .keys()
            .any(|head| snapshot.by_status_and_media_type.contains_key(head));
        let mut by_status_and_media_type = if shares_any {
            snapshot.by_status_and_media_type.clone()
        } else {
            BTreeMap::new()
        };
        for (head, seen) in &self.by_status_and_media_type {
            let known = snapshot
                .by_status_and_media_type
                .get(head)
                .or_else(|| snapshot.by_status_and_media_type.values().next());
            let seen = seen.clone().with_missing_from(known.unwrap_or(&SeenForms::default()));
            by_status_and_media_type.insert(head.clone(), seen);
        }
        Self {
            by_status_and_media_type,
        }
    }

    /// Returns these shapes without the resource itself: the items of a list, or the record that a create made. None if
    /// the contract states no location for it.
    #[must_use]
    pub fn envelopes(&self, operation: &Operation) -> Option<Self> {
        let created = operation.invariants.created.as_ref();
        let resource = match (&operation.page, created) {
            (Some(page), _) => pointer::join(&page.items, "*"),
            (None, Some(created)) => created.resource.clone(),
            (None, None) => return None,
        };
        let resource: Vec<_> = pointer::tokens(&resource).collect();
        let around = |(head, seen): (&String, &SeenForms)| (head.clone(), seen.without_resource(&resource));
        Some(Self {
            by_status_and_media_type: self.by_status_and_media_type.iter().map(around).collect(),
        })
    }
}

fn head(operation: &Operation, response: &Response) -> String {
    let documented = |received: &str| {
        let mut responses = operation.responses.iter().flat_map(|response| &response.media_types);
        responses.any(|media_type| media_type == received) || PRINTABLE_MEDIA_TYPES.contains(&received)
    };
    match response.media_type() {
        None => response.status.to_string(),
        Some(received) if documented(&received) => format!("{} {received}", response.status),
        Some(_) => format!("{} <undocumented media type>", response.status),
    }
}

fn body(contract: &Contract, operation: &Operation, response: &Response) -> SeenForms {
    let at = ValueLocation {
        contract,
        shape: operation.response(response.status).and_then(|response| response.body),
        page: operation.page.as_ref().map(|page| page.items.as_str()),
        pointer: "",
    };
    match json::read(&response.body) {
        Ok(body) => SeenForms::of(&body.value, at),
        Err(JsonError::Empty) => SeenForms::only(ValueForm::NoBody),
        Err(JsonError::LimitExceeded | JsonError::NotRecorded | JsonError::Syntax { .. }) => {
            SeenForms::only(ValueForm::NotJson)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The shapes of responses with these bodies.
    fn shown(contract: &Contract, bodies: &[Value]) -> String {
        let mut responses = ResponseShapes::default();
        for body in bodies {
            let at = ValueLocation {
                contract,
                shape: contract.operations[0].responses[0].body,
                page: Some("/page"),
                pointer: "",
            };
            responses.add("200".to_owned(), SeenForms::of(body, at));
        }
        responses.to_string()
    }

    fn contract() -> Contract {
        let text = "openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      operationId: getThings
      responses:
        '200':
          description: Things
          content:
            application/json:
              schema:
                type: object
                properties:
                  a: {}
                  page: {type: array, items: {}}
                  own: {type: object, additionalProperties: true}
";
        Contract::read("things.yaml", text.to_owned()).unwrap()
    }

    #[test]
    fn the_order_of_rows_changes_nothing() {
        let rows = [
            json!({"a": "2024-05-17", "page": [1, 2]}),
            json!({"a": "Ada"}),
            json!({"a": ["", {"a": 1}]}),
            json!({"a": [{"a": 1.5}, null]}),
            json!({"a": ""}),
            json!({"page": [], "a": 7}),
        ];
        let reported = shown(&contract(), &rows);
        for by in 1..rows.len() {
            let mut rotated = rows.clone();
            rotated.rotate_left(by);
            assert_eq!(shown(&contract(), &rotated), reported);
            rotated.reverse();
            assert_eq!(shown(&contract(), &rotated), reported);
        }
        assert!(reported.contains("a: array of many | text | blank"), "{reported}");
    }

    #[test]
    fn the_order_of_keys_is_reported() {
        let one = shown(&contract(), &[json!({"a": 1, "page": []})]);
        let other = shown(&contract(), &[json!({"page": [], "a": 1})]);
        assert_ne!(one, other);
    }

    #[test]
    fn how_much_stands_on_a_page_changes_nothing_but_what_is_in_it() {
        let one = shown(&contract(), &[json!({"page": ["a"]})]);
        assert_eq!(
            one,
            shown(&contract(), &[json!({"page": ["a", "b"]}), json!({"page": []})])
        );
    }

    #[test]
    fn a_name_that_the_contract_does_not_have_is_reported_unless_it_looks_like_data() {
        let reported = shown(&contract(), &[json!({"a": {"ada@example.com": 1}, "secret": 2})]);
        assert!(reported.contains("<undocumented name(15)>: integer"), "{reported}");
        assert!(reported.contains("secret: integer"), "{reported}");
    }

    #[test]
    fn keys_that_the_contract_leaves_to_the_target_are_not_reported() {
        let reported = shown(&contract(), &[json!({"own": {"a": 1}}), json!({"own": {}})]);
        assert!(reported.ends_with("own: object with keys of its own"), "{reported}");
    }
}
