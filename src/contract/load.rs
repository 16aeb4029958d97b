//! Makes a [`Contract`] from a document: operations, links, invariants, gaps and every fact. All of them are
//! cross-checked, so that a statement that applies to nothing is reported and not ignored.

use std::collections::{HashMap, HashSet};

use serde::de::DeserializeOwned;

use super::defect::{Defect, Problem};
use super::document::{Document, Node, NodeKind};
use super::edge_case::{self, EdgeCase};
use super::field;
use super::inferred;
use super::link;
use super::openapi::{self, MAXIMUM_REFERENCES, near};
use super::operation::{
    DocumentedResponse, Location, Method, Operation, OperationId, Parameter, RequestBody, Security, SecurityScheme,
    StatusPattern,
};
use super::shape::Expander;
use super::vocabulary::{Carry, EdgeCaseKind, Equivalence, Gap, Invariants, Listed, PageInvariant};
use super::{Contract, Statements, invariant_facts, pointer};

/// The contract that the client's types are generated from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    /// This contract: its responses decode through the types.
    OfThisContract,
    /// Another contract.
    OfAnother,
}

/// Which of several security schemes an operation is called with, where each is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefer {
    /// One that takes a token as most services issue them.
    Token,
    /// HTTP Basic.
    UserAndPassword,
}

/// Reads a contract from its text.
pub(super) fn contract(name: &str, text: String, types: Types, prefer: Prefer) -> Result<Contract, Defect> {
    let document = Document::read(name, text)?;
    openapi::validate(&document)?;
    reject_root_null_key(&document)?;
    let gaps = gaps(&document)?;
    let mut expander = Expander::new(&document);
    let mut operations = operations(&mut expander)?;
    for operation in &mut operations {
        operation.security = security(&document, &operation.pointer, prefer);
    }
    check_null_keys(&expander)?;
    let mut links = link::read(&document, &operations)?;
    check_invariants(&document, &operations, &gaps)?;
    let (shapes, mut facts) = (expander.shapes, expander.facts);
    invariant_facts::add(&document, &operations, &links, &mut facts);
    // What is inferred states nothing.
    links.extend(inferred::links((&document, &operations), &shapes, &links));
    invariant_facts::add_equivalent(&document, &operations, &equivalences(&document)?, &mut facts);
    if types == Types::OfThisContract {
        invariant_facts::add_typed(&document, &operations, &mut facts);
    }
    Ok(Contract::new(
        document,
        operations,
        links,
        Statements { gaps, shapes, facts },
    ))
}

fn operations(expander: &mut Expander<'_>) -> Result<Vec<Operation>, Defect> {
    let document = expander.document;
    let mut operations = Vec::new();
    for path in document.root.member("paths").map_or(&[][..], Node::members) {
        if path.name.starts_with("x-") {
            continue;
        }
        let item = resolve(document, pointer::join("/paths", &path.name));
        for member in document.node(&item).map_or(&[][..], Node::members) {
            if let Some(method) = Method::from_key(&member.name) {
                let location = OperationLocation {
                    item: &item,
                    path: &path.name,
                    pointer: pointer::join(&item, &member.name),
                };
                let id = OperationId(operations.len());
                operations.push(operation(expander, id, method, &location)?);
            }
        }
    }
    Ok(operations)
}

struct OperationLocation<'location> {
    item: &'location str,
    path: &'location str,
    pointer: String,
}

fn operation(
    expander: &mut Expander<'_>,
    id: OperationId,
    method: Method,
    location: &OperationLocation<'_>,
) -> Result<Operation, Defect> {
    let document = expander.document;
    let pointer = &location.pointer;
    let string = |name: &str| document.node(&pointer::join(pointer, name)).and_then(Node::string);
    let name = string("operationId").map_or_else(|| format!("{method} {}", location.path), str::to_owned);
    let responses = responses(expander, id, &name, pointer)?;
    let mut operation = Operation {
        parameters: parameters(document, location),
        request: request(document, pointer),
        security: Security::None,
        page: read_key(document, pointer, "x-page")?,
        invariants: read_key(document, pointer, "x-invariants")?.unwrap_or_default(),
        name,
        method,
        path: location.path.to_owned(),
        pointer: pointer.clone(),
        responses,
        edge_cases: Vec::new(),
        fields: Vec::new(),
    };
    let schema = operation.request.as_ref().and_then(|request| request.schema.as_deref());
    let has_edge_cases = document.node(&edge_case::location(document, pointer)).is_some();
    operation.fields = schema
        .filter(|_| has_edge_cases)
        .map_or_else(Vec::new, |schema| field::fields(document, schema));
    operation.edge_cases = edge_cases(document, &operation)?;
    Ok(operation)
}

fn responses(
    expander: &mut Expander<'_>,
    id: OperationId,
    name: &str,
    operation: &str,
) -> Result<Vec<DocumentedResponse>, Defect> {
    let document = expander.document;
    let responses = pointer::join(operation, "responses");
    let mut documented = Vec::new();
    for response in document.node(&responses).map_or(&[][..], Node::members) {
        if response.name.starts_with("x-") {
            continue;
        }
        let key = pointer::join(&responses, &response.name);
        let Some(status) = StatusPattern::parse(&response.name) else {
            let expected = "a status such as `200`, a class such as `2XX`, or `default`".to_owned();
            return Err(document.defect(
                &key,
                Problem::WrongKind {
                    expected,
                    found: format!("`{}`", response.name),
                },
            ));
        };
        let subject = if status.is_success() {
            name.to_owned()
        } else {
            format!("{name} {status}")
        };
        let target = resolve(document, key.clone());
        let content = pointer::join(&target, "content");
        let media = document.node(&content).map_or(&[][..], Node::members);
        let json = media
            .iter()
            .find(|media| is_json(&media.name))
            .filter(|media| media.node.member("schema").is_some());
        let schema = json.map(|json| pointer::join(&pointer::join(&content, &json.name), "schema"));
        let body = schema
            .map(|schema| expander.response(id, &subject, &schema))
            .transpose()?;
        let media_types = media.iter().map(|media| media.name.to_ascii_lowercase()).collect();
        documented.push(DocumentedResponse {
            status,
            pointer: key,
            media_types,
            body,
        });
    }
    Ok(documented)
}

/// Whether the media type is JSON (RFC 6839, section 3.1 for the suffix).
#[must_use]
pub fn is_json(media_type: &str) -> bool {
    let essence = media_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

fn parameters(document: &Document, location: &OperationLocation<'_>) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = Vec::new();
    for list in [
        pointer::join(&location.pointer, "parameters"),
        pointer::join(location.item, "parameters"),
    ] {
        let count = document.node(&list).map_or(0, |list| list.elements().len());
        for index in 0..count {
            let at = resolve(document, pointer::join(&list, &index.to_string()));
            let Some(parameter) = document.node(&at).and_then(|node| parameter(document, node, &at)) else {
                continue;
            };
            let overridden = found
                .iter()
                .any(|other| other.name == parameter.name && other.location == parameter.location);
            if !overridden {
                found.push(parameter);
            }
        }
    }
    found
}

fn parameter(document: &Document, node: &Node, at: &str) -> Option<Parameter> {
    let location = match node.member("in")?.string()? {
        "cookie" => Location::Cookie,
        "header" => Location::Header,
        "path" => Location::Path,
        _ => Location::Query,
    };
    let name = node.member("name")?.string()?.to_owned();
    // The values of these three come from elsewhere in the contract (OpenAPI 3.0.3, section 4.7.12.1).
    let said_elsewhere = ["accept", "authorization", "content-type"];
    if location == Location::Header && said_elsewhere.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let schema = node
        .member("schema")
        .map(|_| resolve(document, pointer::join(at, "schema")));
    let suggested = |holder: &Node| {
        holder
            .member("example")
            .or_else(|| holder.member("examples")?.members().first()?.node.member("value"))
            .or_else(|| holder.member("default"))
            .map(Node::to_value)
    };
    let allowed = |holder: &Node| holder.member("enum")?.elements().first().map(Node::to_value);
    let in_schema = schema.as_deref().and_then(|schema| document.node(schema));
    let example =
        suggested(node).or_else(|| in_schema.and_then(|schema| suggested(schema).or_else(|| allowed(schema))));
    Some(Parameter {
        name,
        location,
        required: node.member("required").and_then(Node::boolean) == Some(true),
        pointer: at.to_owned(),
        schema,
        example,
        given: None,
    })
}

fn request(document: &Document, operation: &str) -> Option<RequestBody> {
    let body = resolve(document, pointer::join(operation, "requestBody"));
    let content = pointer::join(&body, "content");
    let media = document
        .node(&content)?
        .members()
        .iter()
        .find(|media| is_json(&media.name))?;
    let at = pointer::join(&content, &media.name);
    let schema = media
        .node
        .member("schema")
        .map(|_| resolve(document, pointer::join(&at, "schema")));
    let first = |examples: &Node| examples.members().first()?.node.member("value").map(Node::to_value);
    let example = media.node.member("example").map(Node::to_value);
    Some(RequestBody {
        media_type: media.name.to_string(),
        schema,
        example: example.or_else(|| media.node.member("examples").and_then(first)),
    })
}

/// Returns how a caller meets the first of the operation's security alternatives that is preferred; an empty
/// alternative admits anybody.
fn security(document: &Document, operation: &str, prefer: Prefer) -> Security {
    let own = document.node(&pointer::join(operation, "security"));
    let Some(alternatives) = own.or_else(|| document.root.member("security")) else {
        return Security::None;
    };
    let alternatives = alternatives.elements();
    if alternatives.is_empty() || alternatives.iter().any(|alternative| alternative.members().is_empty()) {
        return Security::None;
    }
    let single = alternatives
        .iter()
        .filter(|alternative| alternative.members().len() == 1);
    let met = single.filter_map(|alternative| {
        let name = &alternative.members()[0].name;
        Some((name, scheme(document, name)?))
    });
    let met = met.min_by_key(|(_, scheme)| match (prefer, scheme) {
        (Prefer::Token, SecurityScheme::ApiKeyHeader { .. } | SecurityScheme::Bearer)
        | (Prefer::UserAndPassword, SecurityScheme::Basic) => 0,
        (Prefer::UserAndPassword, SecurityScheme::Bearer) => 2,
        _ => 1,
    });
    let met = met.map(|(name, scheme)| Security::Scheme {
        name: name.to_string(),
        scheme,
    });
    met.unwrap_or_else(|| {
        let names = alternatives
            .iter()
            .flat_map(Node::members)
            .map(|member| member.name.as_str());
        Security::Unsupported {
            schemes: names.collect::<Vec<_>>().join(", "),
        }
    })
}

fn scheme(document: &Document, name: &str) -> Option<SecurityScheme> {
    let at = resolve(document, pointer::join("/components/securitySchemes", name));
    let node = document.node(&at)?;
    let string = |member: &str| node.member(member).and_then(Node::string);
    let named = || string("name").map(str::to_owned);
    match (string("type")?, string("scheme"), string("in")) {
        ("http", Some(kind), _) if kind.eq_ignore_ascii_case("basic") => Some(SecurityScheme::Basic),
        ("http", Some(kind), _) if kind.eq_ignore_ascii_case("bearer") => Some(SecurityScheme::Bearer),
        ("oauth2" | "openIdConnect", _, _) => Some(SecurityScheme::Bearer),
        ("apiKey", _, Some("cookie")) => Some(SecurityScheme::ApiKeyCookie { name: named()? }),
        ("apiKey", _, Some("header")) => Some(SecurityScheme::ApiKeyHeader { name: named()? }),
        ("apiKey", _, Some("query")) => Some(SecurityScheme::ApiKeyQuery { name: named()? }),
        _ => None,
    }
}

/// Follows references from the pointer to the definition; [`openapi::validate`] has checked that they lead somewhere.
pub(super) fn resolve(document: &Document, mut pointer: String) -> String {
    for _ in 0..=MAXIMUM_REFERENCES {
        match document.node(&pointer).and_then(openapi::target_of) {
            Some(target) => pointer = target,
            None => break,
        }
    }
    pointer
}

/// Reads one of our keys at an operation.
fn read_key<T: DeserializeOwned>(document: &Document, operation: &str, key: &str) -> Result<Option<T>, Defect> {
    let at = pointer::join(operation, key);
    let Some(node) = document.node(&at) else {
        return Ok(None);
    };
    let read = serde_json::from_value(node.to_value());
    read.map(Some)
        .map_err(|error| vocabulary_defect(document, &at, format!("`{key}` cannot be read: {error}")))
}

/// Returns the edge cases of an operation: those of its own list, or else those of the root's list that its requests
/// can have.
fn edge_cases(document: &Document, operation: &Operation) -> Result<Vec<EdgeCase>, Defect> {
    let at = edge_case::location(document, &operation.pointer);
    let (holder, key) = at.rsplit_once('/').unwrap_or_default();
    let listed: Vec<EdgeCaseKind> = read_key(document, holder, key)?.unwrap_or_default();
    let of_its_own = !holder.is_empty();
    let mut requests = Vec::new();
    for (index, kind) in listed.iter().enumerate() {
        let location = || pointer::join(&at, &index.to_string());
        let found = edge_case::of_kind(document, operation, (index, *kind));
        if listed.iter().take(index).any(|earlier| earlier == kind) {
            let message = "this kind of edge case is listed twice; remove one".to_owned();
            return Err(vocabulary_defect(document, &location(), message));
        }
        if found.is_empty() && of_its_own {
            let message = format!(
                "no request of `{}` can have this kind of edge case; remove it",
                operation.name
            );
            return Err(vocabulary_defect(document, &location(), message));
        }
        requests.extend(found);
    }
    Ok(requests)
}

/// Returns the equivalent ways of writing a request that the root lists.
fn equivalences(document: &Document) -> Result<Vec<Equivalence>, Defect> {
    let listed: Vec<Equivalence> = read_key(document, "", "x-equivalent")?.unwrap_or_default();
    let repeats = |(index, way): (usize, &Equivalence)| listed.iter().take(index).any(|earlier| earlier == way);
    match listed.iter().enumerate().position(repeats) {
        None => Ok(listed),
        Some(index) => {
            let message = "this way is listed twice; remove one".to_owned();
            Err(vocabulary_defect(document, &format!("/x-equivalent/{index}"), message))
        }
    }
}

fn vocabulary_defect(document: &Document, pointer: &str, message: String) -> Defect {
    document.defect(pointer, Problem::Vocabulary { message })
}

/// Reports a contract of an earlier version, whose root left every location of every response open, and says where the
/// key belongs now.
fn reject_root_null_key(document: &Document) -> Result<(), Defect> {
    let Some(_) = document.root.member("x-null") else {
        return Ok(());
    };
    let message = "`x-null` no longer goes at the root: put it on the schema of each resource whose fields may be \
                   null, beside its `properties`";
    Err(vocabulary_defect(document, "/x-null", message.to_owned()))
}

fn gaps(document: &Document) -> Result<Vec<Gap>, Defect> {
    reject_written_locations(document)?;
    let mut catalogue: Vec<Gap> = read_key(document, "", "x-gaps")?.unwrap_or_default();
    let mut references = Vec::new();
    gap_references(&document.root, &mut String::new(), &mut references);
    let index = catalogue.iter().enumerate().map(|(index, gap)| (gap.id.clone(), index));
    let index: HashMap<String, usize> = index.collect();
    for (at, id) in &references {
        let Some(index) = index.get(id) else {
            let known = near(id, catalogue.iter().map(|gap| gap.id.as_str()));
            let hint = known.map_or_else(|| "add it there".to_owned(), |known| format!("did you mean `{known}`?"));
            let message = format!("`x-gaps` has no gap `{id}`; {hint}");
            return Err(vocabulary_defect(document, at, message));
        };
        catalogue[*index].locations.push(gap_location(at).to_owned());
    }
    let Some(unnamed) = catalogue.iter().position(|gap| gap.locations.is_empty()) else {
        return Ok(catalogue);
    };
    let message = format!(
        "no `x-gap` and no `x-null` names `{}`: name it where it leaves something open, or remove it",
        catalogue[unnamed].id
    );
    Err(vocabulary_defect(document, &format!("/x-gaps/{unnamed}"), message))
}

/// Reports a contract of an earlier version, whose catalogue repeated the locations of each gap.
fn reject_written_locations(document: &Document) -> Result<(), Defect> {
    let gaps = document.root.member("x-gaps").map_or(&[][..], |gaps| gaps.elements());
    let Some(index) = gaps.iter().position(|gap| gap.member("locations").is_some()) else {
        return Ok(());
    };
    let message = "`locations` follow from the `x-gap` and `x-null` keys that name the gap; remove them here";
    Err(vocabulary_defect(
        document,
        &format!("/x-gaps/{index}/locations"),
        message.to_owned(),
    ))
}

/// Returns the location that a reference to a gap is about: the one that has the `x-gap` or the `x-null`.
fn gap_location(reference: &str) -> &str {
    let holder = reference.strip_suffix("/x-null");
    holder
        .or_else(|| reference.rsplit_once("/x-gap").map(|(holder, _)| holder))
        .unwrap_or(reference)
}

/// Checks the location of each `x-null`: it must be on a schema of a response that has something below it.
fn check_null_keys(expander: &Expander<'_>) -> Result<(), Defect> {
    let document = expander.document;
    let mut references = Vec::new();
    gap_references(&document.root, &mut String::new(), &mut references);
    let mut keys = references.iter().map(|(at, _)| at).filter(|at| at.ends_with("/x-null"));
    let Some(at) = keys.find(|at| !expander.null_keys.contains(*at)) else {
        return Ok(());
    };
    let message = "`x-null` applies to nothing here: it goes on the schema of a resource in a response, beside its \
                   `properties`, and not beside a `$ref`";
    Err(vocabulary_defect(document, at, message.to_owned()))
}

/// Collects every `x-gap` entry and `x-null`, each with its own pointer.
fn gap_references(node: &Node, pointer: &mut String, found: &mut Vec<(String, String)>) {
    let length = pointer.len();
    match &node.kind {
        NodeKind::Object(_) => {
            for member in node.members() {
                pointer::push(pointer, &member.name);
                match member.name.as_str() {
                    "x-gap" => {
                        let ids = member.node.elements().iter().enumerate();
                        let named =
                            ids.filter_map(|(index, id)| Some((format!("{pointer}/{index}"), id.string()?.to_owned())));
                        found.extend(named);
                    }
                    "x-null" => found.push((pointer.clone(), member.node.string().unwrap_or_default().to_owned())),
                    _ => gap_references(&member.node, pointer, found),
                }
                pointer.truncate(length);
            }
        }
        NodeKind::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                pointer::push(pointer, &index.to_string());
                gap_references(element, pointer, found);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

/// Checks each invariant against the rest of the contract: the operations, parameters and gaps that it names exist.
fn check_invariants(document: &Document, operations: &[Operation], gaps: &[Gap]) -> Result<(), Defect> {
    let gaps: HashSet<&str> = gaps.iter().map(|gap| gap.id.as_str()).collect();
    let pages = operations.iter().filter(|operation| operation.page.is_some());
    let pages: HashSet<&str> = pages.map(|operation| operation.name.as_str()).collect();
    for operation in operations {
        check_page(document, operation)?;
        let at = pointer::join(&operation.pointer, "x-invariants");
        let Invariants { created, updated, .. } = &operation.invariants;
        if let Some(created) = created {
            let at = format!("{at}/created");
            check_carries(document, &gaps, &created.carries, &at)?;
            if let Some(listed) = &created.listed {
                check_listed(document, &pages, operation, (listed, &format!("{at}/listed")))?;
                if listed.owner.is_some() && listed.array.is_none() {
                    let message = "an `owner` needs `at`, the array within the owner's item; add it".to_owned();
                    return Err(vocabulary_defect(document, &format!("{at}/listed"), message));
                }
            }
        }
        if let Some(updated) = updated {
            let at = format!("{at}/updated");
            check_carries(document, &gaps, &updated.carries, &at)?;
            check_listed(document, &pages, operation, (&updated.listed, &format!("{at}/listed")))?;
            if updated.listed.owner.is_none() {
                let message = "an update needs `owner`, the path parameter that names the record; add it".to_owned();
                return Err(vocabulary_defect(document, &format!("{at}/listed"), message));
            }
        }
    }
    Ok(())
}

fn check_carries(document: &Document, gaps: &HashSet<&str>, carries: &[Carry], at: &str) -> Result<(), Defect> {
    for (index, carry) in carries.iter().enumerate() {
        let at = format!("{at}/carries/{index}");
        if let Some(gap) = carry.gap.as_ref().filter(|id| !gaps.contains(id.as_str())) {
            let message = format!("`x-gaps` has no gap `{gap}`; add it there");
            return Err(vocabulary_defect(document, &at, message));
        }
        if let Some(wrong) = [&carry.sent, &carry.returned_at]
            .into_iter()
            .find(|text| !pointer::is_pointer(text))
        {
            let message = format!("`{wrong}` is not a JSON pointer; start it with a slash");
            return Err(vocabulary_defect(document, &at, message));
        }
    }
    Ok(())
}

fn check_page(document: &Document, operation: &Operation) -> Result<(), Defect> {
    let Some(PageInvariant { parameter, .. }) = &operation.page else {
        return Ok(());
    };
    let queries: Vec<_> = operation
        .parameters
        .iter()
        .filter(|known| known.location == Location::Query)
        .collect();
    if queries.iter().any(|query| query.name == *parameter) {
        return Ok(());
    }
    let known = queries
        .iter()
        .map(|query| format!("`{}`", query.name))
        .collect::<Vec<_>>()
        .join(", ");
    let message = format!(
        "`x-page` names the query parameter `{parameter}`, but the operation has {}",
        or_none(&known)
    );
    Err(vocabulary_defect(
        document,
        &pointer::join(&operation.pointer, "x-page"),
        message,
    ))
}

fn check_listed(
    document: &Document,
    pages: &HashSet<&str>,
    operation: &Operation,
    (listed, at): (&Listed, &str),
) -> Result<(), Defect> {
    if !pages.contains(listed.operation.as_str()) {
        let mut known: Vec<_> = pages.iter().map(|name| format!("`{name}`")).collect();
        known.sort_unstable();
        let known = known.join(", ");
        let message = format!(
            "`{}` is not an operation with `x-page`; those are {}",
            listed.operation,
            or_none(&known)
        );
        return Err(vocabulary_defect(document, at, message));
    }
    match &listed.owner {
        Some(owner) if !operation.parameters.iter().any(|parameter| parameter.name == *owner) => {
            let message = format!(
                "the owner `{owner}` is not a parameter of `{}`; name one",
                operation.name
            );
            Err(vocabulary_defect(document, at, message))
        }
        _ => Ok(()),
    }
}

fn or_none(list: &str) -> &str {
    if list.is_empty() { "none" } else { list }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::testing::of_paths;

    /// The only operation of a path item, in YAML's flow form.
    fn operation(item: &str) -> Operation {
        let contract =
            of_paths(&format!("/things/{{id}}: {item}"), SCHEMES).unwrap_or_else(|defect| panic!("{defect}"));
        contract.operations.into_iter().next().unwrap()
    }

    const OK: &str = "responses: {'200': {description: a}}";
    const ID: &str = "{name: id, in: path, required: true, schema: {type: string}}";
    const SCHEMES: &str = "securitySchemes:\n  bearer: {type: http, scheme: Bearer}\n  \
                           key: {type: apiKey, in: header, name: X-Key}\n  basic: {type: http, scheme: basic}\n  \
                           oauth: {type: oauth2, flows: {}}\n  query: {type: apiKey, in: query, name: key}\n  \
                           cookie: {type: apiKey, in: cookie, name: sid}\n  digest: {type: http, scheme: digest}";

    #[test]
    fn json_is_reported_by_its_essence() {
        for media_type in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/problem+json",
            "application/vnd.example.v1+json;q=1",
        ] {
            assert!(is_json(media_type), "{media_type}");
        }
        for media_type in [
            "",
            "text/json",
            "application/jsonp",
            "application/xml",
            "application/json-seq",
            "+json",
        ] {
            assert!(!is_json(media_type), "{media_type}");
        }
    }

    #[test]
    fn an_operation_without_an_id_is_called_by_method_and_path() {
        let operation = operation(&format!("{{get: {{parameters: [{ID}], {OK}}}}}"));
        assert_eq!(operation.name, "GET /things/{id}");
    }

    #[test]
    fn an_operations_parameters_go_before_those_of_its_path() {
        let own = "{name: id, in: path, required: true, schema: {type: integer}, example: 7}";
        let other = "{name: id, in: query, schema: {type: string}}";
        let operation = operation(&format!(
            "{{parameters: [{ID}, {other}], get: {{parameters: [{own}], {OK}}}}}"
        ));
        let found: Vec<_> = operation
            .parameters
            .iter()
            .map(|parameter| (parameter.location, parameter.example.clone()))
            .collect();
        assert_eq!(found, [(Location::Path, Some(json!(7))), (Location::Query, None)]);
    }

    #[test]
    fn a_sample_is_the_nearest_value_that_the_contract_gives() {
        for (rest, sample) in [
            ("schema: {type: string, default: c, enum: [d]}, example: a", Some("a")),
            ("schema: {type: string, example: b, default: c, enum: [d]}", Some("b")),
            ("schema: {type: string, default: c, enum: [d]}", Some("c")),
            ("schema: {type: string, enum: [d, e]}", Some("d")),
            ("schema: {type: string}", None),
        ] {
            let parameters = format!("parameters: [{{name: id, in: path, required: true, {rest}}}]");
            let operation = operation(&format!("{{get: {{{parameters}, {OK}}}}}"));
            assert_eq!(
                operation.parameters[0].example,
                sample.map(|sample| json!(sample)),
                "{rest}"
            );
        }
    }

    #[test]
    fn a_body_brings_the_first_json_media_type_and_its_example() {
        for (json, example) in [
            ("{schema: {type: object}, example: {a: 1}}", Some(json!({"a": 1}))),
            (
                "{examples: {one: {value: {a: 2}}, two: {value: 3}}}",
                Some(json!({"a": 2})),
            ),
            ("{schema: {type: object}}", None),
        ] {
            let body = format!("requestBody: {{content: {{text/csv: {{}}, application/x+json: {json}}}}}");
            let operation = operation(&format!("{{put: {{parameters: [{ID}], {body}, {OK}}}}}"));
            let request = operation.request.unwrap();
            assert_eq!(
                (request.media_type.as_str(), request.example),
                ("application/x+json", example)
            );
        }
    }

    #[test]
    fn a_body_that_takes_no_json_is_not_sent() {
        let body = "requestBody: {content: {text/csv: {}}}";
        assert!(
            operation(&format!("{{put: {{parameters: [{ID}], {body}, {OK}}}}}"))
                .request
                .is_none()
        );
    }

    #[test]
    fn security_is_the_first_alternative_that_can_be_met() {
        let by = |name: &str, scheme: &SecurityScheme| Security::Scheme {
            name: name.to_owned(),
            scheme: scheme.clone(),
        };
        let unread = |schemes: &str| Security::Unsupported {
            schemes: schemes.to_owned(),
        };
        let key = SecurityScheme::ApiKeyHeader {
            name: "X-Key".to_owned(),
        };
        let query = SecurityScheme::ApiKeyQuery { name: "key".to_owned() };
        let cookie = SecurityScheme::ApiKeyCookie { name: "sid".to_owned() };
        for (alternatives, security) in [
            ("[{bearer: []}]", by("bearer", &SecurityScheme::Bearer)),
            ("[{oauth: []}]", by("oauth", &SecurityScheme::Bearer)),
            ("[{basic: []}, {key: []}, {bearer: []}]", by("key", &key)),
            ("[{query: []}, {cookie: []}, {basic: []}]", by("query", &query)),
            ("[{digest: []}, {cookie: []}]", by("cookie", &cookie)),
            ("[{bearer: []}, {}]", Security::None),
            ("[]", Security::None),
            ("[{basic: []}]", by("basic", &SecurityScheme::Basic)),
            ("[{digest: []}]", unread("digest")),
            ("[{bearer: [], key: []}]", unread("bearer, key")),
        ] {
            let operation = operation(&format!(
                "{{get: {{parameters: [{ID}], security: {alternatives}, {OK}}}}}"
            ));
            assert_eq!(operation.security, security, "{alternatives}");
        }
    }

    #[test]
    fn a_user_with_a_password_calls_by_basic_wherever_that_is_enough() {
        let security = |alternatives: &str| {
            let item = format!("/things: {{get: {{security: {alternatives}, {OK}}}}}");
            let contract = of_paths(&item, SCHEMES).unwrap().for_user_and_password().unwrap();
            contract.operations[0].security.scheme_name().map(str::to_owned)
        };
        for (alternatives, expected) in [
            ("[{bearer: []}, {key: []}, {basic: []}]", Some("basic")),
            ("[{bearer: []}, {key: []}]", Some("key")),
            ("[{bearer: []}]", Some("bearer")),
            ("[{basic: []}, {}]", None),
        ] {
            assert_eq!(security(alternatives).as_deref(), expected, "{alternatives}");
        }
    }

    #[test]
    fn where_no_security_is_stated_anybody_may_call() {
        assert_eq!(
            operation(&format!("{{get: {{parameters: [{ID}], {OK}}}}}")).security,
            Security::None
        );
    }

    #[test]
    fn what_starts_with_x_is_neither_a_path_nor_a_status() {
        let paths = "x-note: {get: {}}\n/things: {get: {responses: {x-note: a, '200': {description: a}}}}";
        let contract = of_paths(paths, "").unwrap();
        assert_eq!(contract.operations.len(), 1);
        assert_eq!(contract.operations[0].responses.len(), 1);
    }

    #[test]
    fn a_response_and_a_parameter_may_be_shared() {
        let paths = "/things/{id}: {get: {parameters: [{$ref: '#/components/parameters/id'}], \
                     responses: {'200': {$ref: '#/components/responses/Things'}}}}";
        let json = "content: {application/json: {schema: {type: object}}}";
        let components = format!("parameters:\n  id: {ID}\nresponses:\n  Things: {{description: a, {json}}}");
        let contract = of_paths(paths, &components).unwrap();
        let operation = &contract.operations[0];
        assert_eq!(operation.parameters[0].pointer, "/components/parameters/id");
        assert!(operation.responses[0].body.is_some());
        assert_eq!(operation.responses[0].media_types, ["application/json"]);
    }
}
