//! Reads OpenAPI's links: how a value in one response gets into another request. The main type is [`Link`].

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::OmittedOperation;
use super::defect::{Defect, DefectList, Problem};
use super::document::{Document, Node};
use super::load::resolve;
use super::openapi::near;
use super::operation::{Operation, OperationId, ParameterLocation};
use super::pointer;

/// One value of a response and where it goes.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its index among the links of its contract.
    pub index: usize,
    /// The operation whose response has the value.
    pub from: OperationId,
    /// The location of the value in the response's body; `*` is any element, and [`Self::NAMES`] at its end stands for
    /// the names of a map's members. It is [`Self::IN_LOCATION_HEADER`] if the value is in the path that the `Location`
    /// header names, and [`Self::IN_REQUEST_PATH`] with a name if it is the value of that parameter of the request.
    pub value_at: String,
    /// The operation that needs it.
    pub to: OperationId,
    /// Where the value goes in that operation's request.
    pub target: LinkTarget,
    /// The location of the link in the contract; of an inferred one, that of the operation whose response has the
    /// value.
    pub pointer: String,
    /// Whether the document does not state the link, so that it is inferred from paths, names and types.
    pub inferred: bool,
    /// Whether it is inferred from paths alone, and no name or type says that the value is the one that is needed. Only
    /// a value that the parameter's schema admits is taken, and a response that finds nothing under it breaks no fact.
    pub guessed: bool,
}

impl Link {
    /// The expression for a value that is in the path of the `Location` header, and in no body.
    pub const IN_LOCATION_HEADER: &'static str = "$response.header.Location";
    /// Where an update of JSON:API repeats the identifier of its record.
    pub(crate) const JSON_API_IDENTIFIER: &'static str = "/data/id";
    /// Where it repeats the type of its record.
    pub(crate) const JSON_API_TYPE: &'static str = "/data/type";

    /// The end of the expression for the names of an object's members. No escaped name contains it.
    pub const NAMES: &'static str = "/~names";

    /// The beginning of the expression for the value of a path parameter of the request, before its name: the name that
    /// a caller has chosen for what it created.
    pub const IN_REQUEST_PATH: &'static str = "$request.path.";

    /// Returns the operation and the index of the parameter that it fills.
    pub(super) fn fills(&self) -> Option<(OperationId, usize)> {
        match self.target {
            LinkTarget::Parameter(index) => Some((self.to, index)),
            LinkTarget::Body(_) => None,
        }
    }

    /// Whether the value is in the response's body.
    #[must_use]
    pub fn is_in_body(&self) -> bool {
        !self.value_at.starts_with('$')
    }

    /// Returns the values that a response's body has at the link's location.
    #[must_use]
    pub fn values<'body>(&self, body: &'body Value) -> Vec<Cow<'body, Value>> {
        if !self.is_in_body() {
            return Vec::new();
        }
        match self.value_at.strip_suffix(Self::NAMES) {
            Some(map) => {
                let members = pointer::get(body, map).and_then(Value::as_object);
                let names = members.into_iter().flat_map(serde_json::Map::keys);
                names.map(|name| Cow::Owned(Value::from(name.as_str()))).collect()
            }
            None if !self.guessed => {
                let found = pointer::select(body, &self.value_at).into_iter();
                found.map(Cow::Borrowed).collect()
            }
            None => {
                let found = pointer::select_indexed(body, &self.value_at);
                let records = |at: &str| at.rsplitn(3, '/').nth(2).map(str::to_owned);
                let mut arrays = found.iter().map(|(at, _)| records(at));
                let first = arrays.next();
                // Where it is a guess, each of two arrays may be the one that is meant.
                let is_one = arrays.all(|other| Some(other) == first);
                let values = found.into_iter().filter(|_| is_one);
                values.map(|(_, value)| Cow::Borrowed(value)).collect()
            }
        }
    }
}

/// Where a link's value goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// Into the body, at this JSON pointer.
    Body(String),
    /// Into the parameter at this index of the operation's list.
    Parameter(usize),
}

/// Reads all links of all successes. Expressions other than `$response.body#/…`, links that name their operation by
/// `operationRef`, and links to an operation that is left out are passed over.
pub(super) fn read(
    document: &Document,
    operations: &[Operation],
    omitted: &[OmittedOperation],
    defects: &mut DefectList,
) -> Vec<Link> {
    let mut links = Vec::new();
    let omitted: HashSet<&str> = omitted.iter().map(|operation| operation.name.as_str()).collect();
    let by_name = by_name(operations);
    for (index, operation) in operations.iter().enumerate() {
        for response in operation.successes() {
            let at = pointer::join(&resolve(document, response.pointer.clone()), "links");
            if defects.is_full() {
                return links;
            }
            for member in document.members_at(&at) {
                let pointer = resolve(document, pointer::join(&at, &member.name));
                let reader = Reader {
                    document,
                    operations,
                    by_name: &by_name,
                    omitted: &omitted,
                    suggests: defects.suggests(),
                    from: OperationId(index),
                    pointer,
                };
                if let Err(defect) = reader.read(&mut links) {
                    defects.push(defect);
                }
            }
        }
    }
    links
}

/// Returns the operations by their names; the first where two have the same name.
pub(super) fn by_name(operations: &[Operation]) -> HashMap<&str, OperationId> {
    let named = operations.iter().enumerate();
    let later_first = named
        .rev()
        .map(|(index, operation)| (operation.name.as_str(), OperationId(index)));
    later_first.collect()
}

struct Reader<'read> {
    document: &'read Document,
    operations: &'read [Operation],
    by_name: &'read HashMap<&'read str, OperationId>,
    omitted: &'read HashSet<&'read str>,
    /// Whether a defect suggests a similar name for an unknown one.
    suggests: bool,
    from: OperationId,
    pointer: String,
}

impl Reader<'_> {
    fn read(&self, links: &mut Vec<Link>) -> Result<(), Defect> {
        let Some(node) = self.document.node(&self.pointer) else {
            return Ok(());
        };
        let Some(to) = self.target_operation(node)? else {
            return Ok(());
        };
        for parameter in node.members_of("parameters") {
            let target = self.parameter(to, &parameter.name)?;
            self.add(to, &parameter.node.to_value(), target, links);
        }
        if let Some(body) = node.member("requestBody") {
            self.add_body(to, &body.to_value(), &mut String::new(), links);
        }
        Ok(())
    }

    fn target_operation(&self, node: &Node) -> Result<Option<OperationId>, Defect> {
        let Some(id) = node.text_of("operationId") else {
            return Ok(None);
        };
        if let Some(to) = self.by_name.get(id) {
            return Ok(Some(*to));
        }
        if self.omitted.contains(id) {
            return Ok(None);
        }
        let known = self.operations.iter().filter(|_| self.suggests);
        let known = near(id, known.map(|operation| operation.name.as_str()));
        let hint = known.map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
        let message = format!("the link leads to the operation `{id}`, which this contract does not have{hint}");
        let at = pointer::join(&self.pointer, "operationId");
        Err(self.document.defect(&at, Problem::Vocabulary { message }))
    }

    /// Finds the parameter by its name, or else by a name that begins with its location: `path.id` (OpenAPI 3.0.3,
    /// section 4.7.20).
    fn parameter(&self, to: OperationId, name: &str) -> Result<LinkTarget, Defect> {
        let located = name.split_once('.').and_then(|(location, plain)| match location {
            "cookie" => Some((ParameterLocation::Cookie, plain)),
            "header" => Some((ParameterLocation::Header, plain)),
            "path" => Some((ParameterLocation::Path, plain)),
            "query" => Some((ParameterLocation::Query, plain)),
            _ => None,
        });
        let operation = &self.operations[to.0];
        let mut parameters = operation.parameters.iter();
        let found = parameters.position(|parameter| parameter.name == name).or_else(|| {
            let (location, plain) = located?;
            let mut parameters = operation.parameters.iter();
            parameters.position(|parameter| parameter.name == plain && parameter.location == location)
        });
        found.map(LinkTarget::Parameter).ok_or_else(|| {
            let known = operation
                .parameters
                .iter()
                .map(|parameter| format!("`{}`", parameter.name))
                .collect::<Vec<_>>();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            let message = format!("`{}` has no parameter `{name}`; it has {known}", operation.name);
            let at = pointer::join(&pointer::join(&self.pointer, "parameters"), name);
            self.document.defect(&at, Problem::Vocabulary { message })
        })
    }

    fn add_body(&self, to: OperationId, value: &Value, at: &mut String, links: &mut Vec<Link>) {
        let length = at.len();
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    pointer::push(at, name);
                    self.add_body(to, field, at, links);
                    at.truncate(length);
                }
            }
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    pointer::push(at, &index.to_string());
                    self.add_body(to, element, at, links);
                    at.truncate(length);
                }
            }
            leaf => self.add(to, leaf, LinkTarget::Body(at.clone()), links),
        }
    }

    fn add(&self, to: OperationId, expression: &Value, target: LinkTarget, links: &mut Vec<Link>) {
        let text = expression.as_str().unwrap_or_default();
        let body = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .unwrap_or(text);
        if let Some(value) = body.strip_prefix("$response.body#") {
            links.push(Link {
                index: links.len(),
                from: self.from,
                value_at: pointer::any_element(value),
                to,
                target,
                pointer: self.pointer.clone(),
                inferred: false,
                guessed: false,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::testing::of_paths;

    /// The links of a `list` whose response has this `links` object, in YAML's flow form.
    fn links(links: &str) -> Result<Vec<Link>, String> {
        let paths = format!(
            "/things:\n  get:\n    operationId: list\n    responses: {{'200': {{description: a, links: {links}}}}}\n\
             /things/{{id}}:\n  put:\n    operationId: put\n    parameters:\n      \
             - {{name: id, in: path, required: true, schema: {{type: string}}}}\n      \
             - {{name: id, in: query, schema: {{type: string}}}}\n      \
             - {{name: a.b, in: header, schema: {{type: string}}}}\n      \
             - {{name: sid, in: cookie, schema: {{type: string}}}}\n      \
             - {{name: query.sid, in: query, schema: {{type: string}}}}\n    responses: {{'200': {{description: b}}}}"
        );
        let components = "links:\n  Shared: {operationId: put, parameters: {id: '$response.body#/id'}}";
        of_paths(&paths, components)
            .map(|contract| contract.links)
            .map_err(|defect| defect.to_string())
    }

    fn only(text: &str) -> Link {
        let mut links = links(text).unwrap();
        assert_eq!(links.len(), 1, "{text}");
        links.remove(0)
    }

    fn parameter(name: &str) -> LinkTarget {
        only(&format!(
            "{{L: {{operationId: put, parameters: {{{name}: '$response.body#/id'}}}}}}"
        ))
        .target
    }

    #[test]
    fn a_link_says_whence_and_whither() {
        let link = only("{L: {operationId: put, parameters: {id: '$response.body#/items/0/id'}}}");
        assert_eq!((link.from, link.to), (OperationId(0), OperationId(1)));
        assert_eq!(link.value_at, "/items/*/id");
        assert_eq!(link.pointer, "/paths/~1things/get/responses/200/links/L");
    }

    #[test]
    fn a_parameters_name_may_say_where_it_goes() {
        assert_eq!(parameter("id"), LinkTarget::Parameter(0));
        assert_eq!(parameter("path.id"), LinkTarget::Parameter(0));
        assert_eq!(parameter("query.id"), LinkTarget::Parameter(1));
        assert_eq!(parameter("a.b"), LinkTarget::Parameter(2));
        assert_eq!(parameter("header.a.b"), LinkTarget::Parameter(2));
        assert_eq!(parameter("cookie.sid"), LinkTarget::Parameter(3));
        // A name that only looks as if it began with a location.
        assert_eq!(parameter("query.sid"), LinkTarget::Parameter(4));
    }

    #[test]
    fn an_expression_may_stand_in_braces() {
        let link = only("{L: {operationId: put, parameters: {id: '{$response.body#/x}'}}}");
        assert_eq!(link.value_at, "/x");
    }

    #[test]
    fn the_whole_body_is_the_empty_pointer() {
        let link = only("{L: {operationId: put, requestBody: '$response.body#'}}");
        assert_eq!(
            (link.value_at.as_str(), link.target),
            ("", LinkTarget::Body(String::new()))
        );
    }

    #[test]
    fn an_expression_that_is_not_about_the_body_carries_nothing() {
        for expression in [
            "$request.path.id",
            "$response.header.Location",
            "$response.body",
            "$url",
            "t-17",
            "{$response.body#/a}{$response.body#/b}x",
        ] {
            let text = format!("{{L: {{operationId: put, parameters: {{id: '{expression}'}}}}}}");
            assert!(links(&text).unwrap().is_empty(), "{expression}");
        }
        assert!(
            links("{L: {operationId: put, parameters: {id: 17}}}")
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn a_body_is_carried_leaf_by_leaf() {
        let body = "{a: [{b/c: '$response.body#/x', d: 1}], e: '$response.body#/y'}";
        let links = links(&format!("{{L: {{operationId: put, requestBody: {body}}}}}")).unwrap();
        let carried: Vec<_> = links
            .iter()
            .map(|link| (link.value_at.as_str(), &link.target))
            .collect();
        let at = |pointer: &str| LinkTarget::Body(pointer.to_owned());
        assert_eq!(carried, [("/x", &at("/a/0/b~1c")), ("/y", &at("/e"))]);
    }

    #[test]
    fn a_link_may_be_shared() {
        let link = only("{L: {$ref: '#/components/links/Shared'}}");
        assert_eq!(
            (link.value_at.as_str(), link.pointer.as_str()),
            ("/id", "/components/links/Shared")
        );
    }

    #[test]
    fn a_link_by_reference_to_an_operation_is_passed_over() {
        assert!(links("{L: {operationRef: '#/paths/~1things/get'}}").unwrap().is_empty());
    }

    #[test]
    fn a_parameter_that_is_elsewhere_or_nowhere_is_reported() {
        for name in ["header.id", "ident", "query.a.b"] {
            let text = format!("{{L: {{operationId: put, parameters: {{{name}: '$response.body#/id'}}}}}}");
            let reported = links(&text).unwrap_err();
            assert!(
                reported.contains(&format!(
                    "`put` has no parameter `{name}`; it has `id`, `id`, `a.b`, `sid`, `query.sid`"
                )),
                "{reported}"
            );
        }
        let reported = links("{L: {operationId: list, parameters: {id: '$response.body#/id'}}}").unwrap_err();
        assert!(
            reported.contains("`list` has no parameter `id`; it has none"),
            "{reported}"
        );
    }
}
