//! OpenAPI's links, read as the ways by which a value of one answer gets into another request. The main type is
//! [`Link`].

use serde_json::Value;

use super::defect::{Defect, Problem};
use super::document::{Document, Node};
use super::load::resolve;
use super::openapi::near;
use super::operation::{Location, Operation, OperationId};
use super::pointer;

/// One value of an answer and where it goes.
#[derive(Clone, Debug)]
pub struct Link {
    /// The operation that answers.
    pub from: OperationId,
    /// Where the value stands in its body; `*` is any element.
    pub value: String,
    /// The operation that needs it.
    pub to: OperationId,
    /// Where it goes there.
    pub target: Target,
    /// Where the link stands in the contract.
    pub pointer: String,
}

/// Where a link's value goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Into the body, at this JSON pointer.
    Body(String),
    /// Into the parameter at this index of the operation's list.
    Parameter(usize),
}

/// Reads all links of all answers. Expressions other than `$response.body#/…` carry nothing and are passed over.
pub(super) fn read(document: &Document, operations: &[Operation]) -> Result<Vec<Link>, Defect> {
    let mut links = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        for answer in operation.successes() {
            let at = pointer::join(&resolve(document, answer.pointer.clone()), "links");
            for member in document.node(&at).map_or(&[][..], Node::members) {
                let pointer = resolve(document, pointer::join(&at, &member.name));
                let reader = Reader {
                    document,
                    operations,
                    from: OperationId(index),
                    pointer,
                };
                reader.link(&mut links)?;
            }
        }
    }
    Ok(links)
}

struct Reader<'read> {
    document: &'read Document,
    operations: &'read [Operation],
    from: OperationId,
    pointer: String,
}

impl Reader<'_> {
    fn link(&self, links: &mut Vec<Link>) -> Result<(), Defect> {
        let Some(node) = self.document.node(&self.pointer) else {
            return Ok(());
        };
        let Some(to) = self.target_operation(node)? else {
            return Ok(());
        };
        for parameter in node.member("parameters").map_or(&[][..], Node::members) {
            let target = self.parameter(to, &parameter.name)?;
            self.carry(to, &parameter.node.to_value(), target, links);
        }
        if let Some(body) = node.member("requestBody") {
            self.body(to, &body.to_value(), &mut String::new(), links);
        }
        Ok(())
    }

    fn target_operation(&self, node: &Node) -> Result<Option<OperationId>, Defect> {
        let Some(id) = node.member("operationId").and_then(Node::text) else {
            return Ok(None);
        };
        if let Some(index) = self.operations.iter().position(|operation| operation.name == id) {
            return Ok(Some(OperationId(index)));
        }
        let known = near(id, self.operations.iter().map(|operation| operation.name.as_str()));
        let hint = known.map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
        let message = format!("the link leads to the operation `{id}`, which this contract does not have{hint}");
        let at = pointer::join(&self.pointer, "operationId");
        Err(self.document.defect(&at, Problem::Vocabulary { message }))
    }

    /// The parameter by its name, which may say where it goes: `path.id` (OpenAPI 3.0.3, section 4.7.20).
    fn parameter(&self, to: OperationId, name: &str) -> Result<Target, Defect> {
        let (location, plain) = match name.split_once('.') {
            Some(("path", rest)) => (Some(Location::Path), rest),
            Some(("query", rest)) => (Some(Location::Query), rest),
            Some(("header", rest)) => (Some(Location::Header), rest),
            _ => (None, name),
        };
        let operation = &self.operations[to.0];
        let found = operation.parameters.iter().position(|parameter| {
            parameter.name == plain && location.is_none_or(|location| location == parameter.location)
        });
        found.map(Target::Parameter).ok_or_else(|| {
            let known = operation
                .parameters
                .iter()
                .map(|parameter| format!("`{}`", parameter.name))
                .collect::<Vec<_>>();
            let message = format!(
                "`{}` has no parameter `{name}`; it has {}",
                operation.name,
                known.join(", ")
            );
            let at = pointer::join(&pointer::join(&self.pointer, "parameters"), name);
            self.document.defect(&at, Problem::Vocabulary { message })
        })
    }

    fn body(&self, to: OperationId, value: &Value, at: &mut String, links: &mut Vec<Link>) {
        let length = at.len();
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    pointer::push(at, name);
                    self.body(to, field, at, links);
                    at.truncate(length);
                }
            }
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    pointer::push(at, &index.to_string());
                    self.body(to, element, at, links);
                    at.truncate(length);
                }
            }
            leaf => self.carry(to, leaf, Target::Body(at.clone()), links),
        }
    }

    fn carry(&self, to: OperationId, expression: &Value, target: Target, links: &mut Vec<Link>) {
        let text = expression.as_str().unwrap_or_default();
        let body = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .unwrap_or(text);
        if let Some(value) = body.strip_prefix("$response.body#") {
            let value = pointer::any_element(value);
            links.push(Link {
                from: self.from,
                value,
                to,
                target,
                pointer: self.pointer.clone(),
            });
        }
    }
}
