//! Makes a [`Contract`] from a document: operations, links, invariants, gaps and every fact. All of them are
//! cross-checked, so that a statement that applies to nothing is reported and not ignored.

use std::collections::{HashMap, HashSet};

use serde::de::DeserializeOwned;

use super::defect::{Defect, DefectList, Defects, Problem};
use super::document::{Document, Member, Node};
use super::edge_case::{self, EdgeCase};
use super::fact::Fact;
use super::field;
use super::headers;
use super::inferred;
use super::learned;
use super::link;
use super::openapi::{self, MAX_REFERENCES, near, referred_pointer};
use super::operation::{
    DocumentedResponse, Method, Operation, OperationId, Parameter, ParameterLocation, RequestBody, Security,
    SecurityScheme, StatusPattern,
};
use super::query;
use super::reach::DefectReach;
use super::shape::Expander;
use super::shared_string::SharedString;
use super::texts;
use super::vocabulary::{Carry, EdgeCaseKind, Equivalence, Gap, Invariants, Listed, PageInvariant};
use super::{Contract, OmittedOperation, Statements, facts_beyond_schemas, inferred_gaps, pointer};

/// The contract that the client's types are generated from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContractOfClientTypes {
    /// This contract: its responses decode through the types.
    ThisContract,
    /// Another contract.
    AnotherContract,
}

/// Which of several security schemes an operation is called with, where each is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemePreference {
    /// A scheme for a token of the kind that most services issue.
    Token,
    /// HTTP Basic.
    UserAndPassword,
}

/// How a document is read.
#[derive(Clone, Copy)]
pub(super) struct ReadingOptions {
    pub(super) client_types: ContractOfClientTypes,
    pub(super) prefer: SchemePreference,
}

/// Makes the contract of what can be read of a document, with the defects of the rest. It may be left without any
/// operation.
///
/// # Errors
///
/// A text that is not an OpenAPI document, or one with more defects than are collected.
pub(super) fn contract(document: Document, reading: ReadingOptions) -> Result<Contract, Defects> {
    let mut document = document.in_dialect();
    let mut defects = DefectList::default();
    document
        .name_defects()
        .iter()
        .cloned()
        .for_each(|defect| defects.push(defect));
    openapi::validate(&document, &mut defects)?;
    let without_type = remove_unknown_types(&mut document, &defects);
    reject_root_null_key(&document, &mut defects);
    let gaps = gaps(&document, &mut defects);
    let equivalences = equivalences(&document, &mut defects);
    check_root_edge_cases(&document, &mut defects);
    let locations = locations(&document);
    let mut expander = Expander::new(&document);
    let (mut operations, mut omitted) = operations(&mut expander, (&locations, &without_type), &gaps, &mut defects);
    omitted.extend(dropped(&document));
    for operation in &mut operations {
        operation.security = security(&document, &operation.pointer, reading.prefer);
    }
    if omitted.is_empty() {
        // An operation that is left out may be the only one that a key applies to.
        check_null_keys(&expander, &mut defects);
    }
    let mut links = link::read(&document, &operations, &omitted, &mut defects);
    let (mut shapes, mut facts) = (expander.shapes, expander.facts);
    let gaps = match document.root.member("x-gaps") {
        Some(_) => gaps,
        None => inferred_gaps::gaps(&document, &operations, (&mut shapes, &facts)),
    };
    let answers = learned::read(&document, (&operations, &omitted), &gaps, &mut defects);
    let is_full = defects.is_full();
    let defects = defects.in_order();
    if is_full && let Some(defects) = Defects::new(defects.clone()) {
        return Err(defects);
    }
    facts_beyond_schemas::add(&document, &operations, &links, &mut facts);
    links.extend(inferred::links((&document, &operations), &shapes, &links));
    links.extend(super::chosen::links(&document, (&mut operations, &shapes), &links));
    links.extend(super::unlinked::links((&document, &operations), &shapes, &links));
    facts_beyond_schemas::add_equivalent(&document, &operations, &equivalences, &mut facts);
    if reading.client_types == ContractOfClientTypes::ThisContract {
        facts_beyond_schemas::add_typed(&document, &operations, &mut facts);
    }
    learned::add_facts(&answers, &operations, &gaps, &mut facts);
    if document.was_later_than_3_0() {
        for fact in &mut facts {
            fact.location = document.pointer_in_text(&fact.location).into_owned().into();
        }
    }
    let statements = Statements {
        gaps,
        answers,
        shapes,
        facts,
    };
    let mut contract = Contract::new(document, operations, links, statements)
        .with_lifecycles()
        .with_pagings()
        .with_filters()
        .with_sorting();
    number_repeated_names(&mut contract.facts);
    Ok(Contract {
        defects,
        omitted,
        ..contract
    })
}

/// Takes out the types of properties that are none of OpenAPI, such as `str`: the property may then have any value, and
/// all else that its operations state still counts. Returns their locations; each stays a defect.
fn remove_unknown_types(document: &mut Document, defects: &DefectList) -> HashSet<String> {
    let mut removed = HashSet::new();
    for defect in defects.as_slice() {
        let tokens: Vec<_> = pointer::tokens(&defect.pointer).collect();
        let [.., properties, _, keyword] = tokens.as_slice() else {
            continue;
        };
        let is_type = properties == "properties" && keyword == "type";
        let is_unknown = is_type
            && document
                .node(&defect.pointer)
                .is_some_and(|node| node.string().is_some());
        let schema = defect.pointer.strip_suffix("/type").filter(|_| is_unknown);
        if let (Problem::WrongKind { .. }, Some(schema)) = (&defect.problem, schema)
            && let Some(schema) = document.node_mut(schema)
        {
            schema.remove_member("type");
            removed.insert(defect.pointer.clone());
        }
    }
    removed
}

/// Numbers the facts that have the name of an earlier one, such as those of two `allOf` parts with the same keyword: a
/// report has one row for each name.
fn number_repeated_names(facts: &mut [Fact]) {
    let mut uses: HashMap<SharedString, usize> = facts.iter().map(|fact| (fact.name.clone(), 0)).collect();
    for fact in facts {
        let numbered = |number: usize| SharedString::from(format!("{} ({number})", fact.name));
        let mut number = uses[&fact.name] + 1;
        while number > 1 && uses.contains_key(&numbered(number)) {
            number += 1;
        }
        let name = if number > 1 {
            numbered(number)
        } else {
            fact.name.clone()
        };
        uses.insert(std::mem::replace(&mut fact.name, name), number);
    }
}

/// Where an operation is written, and its name.
struct OperationLocation<'document> {
    name: String,
    method: Method,
    path: &'document str,
    /// The path item, with references followed.
    item: String,
    pointer: String,
}

/// Returns the operations of the document, in its order. An operation that has the operationId of an earlier one is
/// named after its method and path.
fn locations(document: &Document) -> Vec<OperationLocation<'_>> {
    let mut ids = HashSet::new();
    let mut locations = Vec::new();
    for path in document.root.members_of("paths") {
        if path.name.starts_with("x-") {
            continue;
        }
        let item = resolve(document, pointer::join("/paths", &path.name));
        for member in document.members_at(&item) {
            let Some(method) = Method::from_key(&member.name) else {
                continue;
            };
            let pointer = pointer::join(&item, &member.name);
            let id = member.node.text_of("operationId");
            let id = id.filter(|id| ids.insert(*id));
            locations.push(OperationLocation {
                name: id.map_or_else(|| format!("{method} {}", path.name), str::to_owned),
                method,
                path: &path.name,
                item: item.clone(),
                pointer,
            });
        }
    }
    locations
}

/// Returns the operations in path items that were dropped, because their paths appear twice.
fn dropped(document: &Document) -> Vec<OmittedOperation> {
    let mut omitted = Vec::new();
    for (pointer, node) in document.dropped() {
        let Some(defect) = document.name_defects().iter().find(|defect| defect.pointer == *pointer) else {
            continue;
        };
        let items: Vec<_> = match pointer::tokens(pointer).nth(1) {
            Some(path) => vec![(path, node)],
            None => node
                .members()
                .iter()
                .map(|path| (path.name.to_string(), &path.node))
                .collect(),
        };
        for (path, item) in items {
            for member in item.members() {
                let Some(method) = Method::from_key(&member.name) else {
                    continue;
                };
                let id = member.node.text_of("operationId");
                omitted.push(OmittedOperation {
                    name: id.map_or_else(|| format!("{method} {path}"), str::to_owned),
                    method,
                    path: path.clone(),
                    pointer: pointer.clone(),
                    defect: defect.clone(),
                });
            }
        }
    }
    omitted
}

/// Reads each operation that no defect concerns.
fn operations(
    expander: &mut Expander<'_>,
    (locations, without_type): (&[OperationLocation<'_>], &HashSet<String>),
    gaps: &[Gap],
    defects: &mut DefectList,
) -> (Vec<Operation>, Vec<OmittedOperation>) {
    let document = expander.document;
    let mut known = defects.as_slice().to_vec();
    known.retain(|defect| !without_type.contains(&defect.pointer));
    let pairs = locations
        .iter()
        .map(|location| (location.item.as_str(), location.pointer.as_str()));
    let reach = DefectReach::new(document, &known, pairs);
    let has_page =
        |location: &&OperationLocation<'_>| document.node(&pointer::join(&location.pointer, "x-page")).is_some();
    let named = NamedObjects {
        gaps: gaps.iter().map(|gap| gap.id.as_str()).collect(),
        pages: locations
            .iter()
            .filter(has_page)
            .map(|location| location.name.as_str())
            .collect(),
    };
    let (mut operations, mut omitted) = (Vec::new(), Vec::new());
    for location in locations {
        if defects.is_full() {
            break;
        }
        if let Some(defect) = reach.defect(location.path, &location.item, &location.pointer) {
            omitted.push(location.omitted(defect));
            continue;
        }
        let (before, mark) = (defects.len(), expander.mark());
        let read = operation(expander, OperationId(operations.len()), location, defects);
        check_invariants(document, &read, &named, defects);
        if let Some(defect) = defects.as_slice().get(before) {
            omitted.push(location.omitted(defect));
            expander.roll_back(mark);
        } else {
            operations.push(read);
        }
    }
    (operations, omitted)
}

impl OperationLocation<'_> {
    fn omitted(&self, defect: &Defect) -> OmittedOperation {
        OmittedOperation {
            name: self.name.clone(),
            method: self.method,
            path: self.path.to_owned(),
            pointer: self.pointer.clone(),
            defect: defect.clone(),
        }
    }
}

fn operation(
    expander: &mut Expander<'_>,
    id: OperationId,
    location: &OperationLocation<'_>,
    defects: &mut DefectList,
) -> Operation {
    let document = expander.document;
    let pointer = &location.pointer;
    let mut operation = Operation {
        parameters: parameters(document, location),
        request_body: request(document, pointer),
        security: Security::None,
        page: read_key(document, pointer, "x-page", defects),
        invariants: read_key(document, pointer, "x-invariants", defects).unwrap_or_default(),
        name: location.name.clone(),
        method: location.method,
        path: location.path.to_owned(),
        pointer: pointer.clone(),
        responses: responses(expander, id, location, defects),
        edge_cases: Vec::new(),
        fields: Vec::new(),
        reads_by_post: false,
        is_said_to_stream: false,
        other_server: other_server(document, location),
        chosen: None,
    };
    operation.reads_by_post = query::is_query(document, &operation);
    operation.is_said_to_stream = texts::says_it_streams(document, &operation);
    let schema = operation
        .request_body
        .as_ref()
        .and_then(|request| request.schema.as_deref());
    let has_edge_cases = edge_case::location(document, pointer) != *pointer;
    operation.fields = schema
        .filter(|_| has_edge_cases || operation.reads_by_post)
        .map_or_else(Vec::new, |schema| field::fields(document, schema));
    operation.edge_cases = edge_cases(document, &operation, defects);
    operation
}

/// Returns the first server that an operation or its path states for itself, if none of them is one of the document's
/// (OpenAPI 3.0.3, sections 4.7.9.1 and 4.7.10.1). If the document states none for all, those of the first path that
/// states some count as the document's.
fn other_server(document: &Document, location: &OperationLocation<'_>) -> Option<String> {
    let urls = |at: &str| -> Vec<String> {
        let servers = document.elements_at(&pointer::join(at, "servers"));
        let urls = servers.iter().filter_map(|server| server.text_of("url"));
        urls.map(|url| url.trim_end_matches('/').to_owned()).collect()
    };
    let of_paths = || {
        let paths = document.root.members_of("paths").iter();
        let mut stated = paths.map(|path| urls(&resolve(document, pointer::join("/paths", &path.name))));
        stated.find(|urls| !urls.is_empty())
    };
    let own = Some(urls(&location.pointer)).filter(|urls| !urls.is_empty());
    let own = own.unwrap_or_else(|| urls(&location.item));
    if own.is_empty() {
        return None;
    }
    let of_all = Some(urls(""))
        .filter(|urls| !urls.is_empty())
        .or_else(of_paths)
        .unwrap_or_default();
    let is_other = own.iter().all(|url| !of_all.contains(url));
    own.into_iter().next().filter(|_| is_other)
}

fn responses(
    expander: &mut Expander<'_>,
    id: OperationId,
    location: &OperationLocation<'_>,
    defects: &mut DefectList,
) -> Vec<DocumentedResponse> {
    let (document, name) = (expander.document, &location.name);
    let responses = pointer::join(&location.pointer, "responses");
    let mut documented = Vec::new();
    for response in document.members_at(&responses) {
        if response.name.starts_with("x-") {
            continue;
        }
        let key = pointer::join(&responses, &response.name);
        let Some(status) = StatusPattern::parse(&response.name) else {
            let expected = "a status such as `200`, a class such as `2XX`, or `default`".to_owned();
            let found = format!("`{}`", response.name);
            defects.push(document.defect(&key, Problem::WrongKind { expected, found }));
            continue;
        };
        // The names of facts about the first success that has any are without its status.
        let mut earlier = documented.iter();
        let is_first =
            !earlier.any(|earlier: &DocumentedResponse| earlier.status.is_success() && earlier.body.is_some());
        let subject = |is_first: bool| {
            if status.is_success() && is_first {
                name.clone()
            } else {
                format!("{name} {status}")
            }
        };
        let target = resolve(document, key.clone());
        let content = pointer::join(&target, "content");
        // Content that can never come is a defect of the document, which `lint` reports, and states nothing.
        let stated = document.node(&content).filter(|_| !status.never_has_body());
        let media = stated.map_or(&[][..], Node::members);
        let json = json_or_range(media).filter(|media| media.node.member("schema").is_some());
        let schema = json.map(|json| pointer::join(&pointer::join(&content, &json.name), "schema"));
        let body = schema.and_then(|schema| {
            let expanded = expander.response(id, &subject(is_first), &schema);
            expanded.map_err(|defect| defects.push(defect)).ok()
        });
        let media_types = media.iter().map(|media| media.name.to_ascii_lowercase()).collect();
        let mut earlier = documented.iter();
        let is_first =
            !earlier.any(|earlier: &DocumentedResponse| earlier.status.is_success() && !earlier.headers.is_empty());
        let stated = if location.method == Method::Head {
            Vec::new()
        } else {
            headers::stated(document, status, &target)
        };
        let headers = stated.into_iter().filter_map(|header| {
            let expanded = expander.header((id, &subject(is_first)), &header);
            expanded.map_err(|defect| defects.push(defect)).ok()
        });
        let headers = headers.collect();
        documented.push(DocumentedResponse {
            status,
            pointer: key,
            media_types,
            body,
            headers,
        });
    }
    documented
}

/// Returns a media type in lower case and without parameters.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Whether the media type is JSON (RFC 6839, section 3.1 for the suffix).
#[must_use]
pub fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Returns the content that is JSON, or else the range that admits JSON, if it is the only content.
fn json_or_range(media: &[Member]) -> Option<&Member> {
    media
        .iter()
        .find(|media| is_json(&media.name))
        .or_else(|| json_range(media))
}

/// Returns the range that admits JSON, if it is the only content: generators for Spring write `*/*` where they know of
/// no media type.
fn json_range(media: &[Member]) -> Option<&Member> {
    match media {
        [only] if matches!(&*only.name, "*/*" | "application/*") => Some(only),
        _ => None,
    }
}

/// Returns the place of a JSON media type among those in which a request may send its body, the best first. A JSON
/// Patch is an array of changes (RFC 6902, section 3), so `None` where its schema describes the record instead.
fn rank_of_request(media_type: &str, schema: Option<&Node>) -> Option<u8> {
    match essence(media_type).as_str() {
        "application/json" => Some(0),
        "application/merge-patch+json" => Some(1),
        "application/json-patch+json" => {
            let kind = schema?.text_of("type");
            (kind == Some("array")).then_some(3)
        }
        _ => Some(2),
    }
}

fn parameters(document: &Document, location: &OperationLocation<'_>) -> Vec<Parameter> {
    let mut found: Vec<Parameter> = Vec::new();
    for list in [
        pointer::join(&location.pointer, "parameters"),
        pointer::join(&location.item, "parameters"),
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
    let location = match node.text_of("in")? {
        "cookie" => ParameterLocation::Cookie,
        "header" => ParameterLocation::Header,
        "path" => ParameterLocation::Path,
        _ => ParameterLocation::Query,
    };
    let name = node.text_of("name")?.to_owned();
    // The values of these three come from elsewhere in the contract (OpenAPI 3.0.3, section 4.7.12.1).
    let said_elsewhere = ["accept", "authorization", "content-type"];
    if location == ParameterLocation::Header && said_elsewhere.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    // With `content`, schema and examples are those of its one media type.
    let content = node.member("content").filter(|_| node.member("schema").is_none());
    let media = content.and_then(|content| content.members().first());
    let (node_of_value, at_value) = match media {
        Some(media) => (&media.node, pointer::join(&pointer::join(at, "content"), &media.name)),
        None => (node, at.to_owned()),
    };
    let schema = node_of_value
        .member("schema")
        .map(|_| resolve(document, pointer::join(&at_value, "schema")));
    let suggested = |holder: &Node| {
        holder
            .member("example")
            .or_else(|| first_example(document, holder))
            .or_else(|| holder.member("default"))
            .map(Node::to_value)
    };
    let allowed = |holder: &Node| holder.member("enum")?.elements().first().map(Node::to_value);
    let in_schema = schema.as_deref().and_then(|schema| document.node(schema));
    let example =
        suggested(node_of_value).or_else(|| in_schema.and_then(|schema| suggested(schema).or_else(|| allowed(schema))));
    Some(Parameter {
        name,
        location,
        required: node.member("required").and_then(Node::boolean) == Some(true),
        pointer: at.to_owned(),
        media_type: media.map(|media| media.name.to_string()),
        schema,
        example,
        set_by_user: None,
    })
}

fn request(document: &Document, operation: &str) -> Option<RequestBody> {
    let body = resolve(document, pointer::join(operation, "requestBody"));
    let content = pointer::join(&body, "content");
    let schema_of = |media: &Member| {
        let at = pointer::join(&pointer::join(&content, &media.name), "schema");
        media.node.member("schema").map(|_| resolve(document, at))
    };
    let media = document.node(&content)?.members();
    let ranked = media.iter().filter(|media| is_json(&media.name)).filter_map(|media| {
        let schema = schema_of(media).and_then(|schema| document.node(&schema));
        Some((rank_of_request(&media.name, schema)?, media))
    });
    let best = ranked.min_by_key(|(rank, _)| *rank).map(|(_, media)| media);
    let media = best.or_else(|| json_range(media))?;
    let schema = schema_of(media);
    let example = media
        .node
        .member("example")
        .or_else(|| first_example(document, &media.node));
    let schema_type = schema
        .as_deref()
        .and_then(|schema| document.node(schema)?.text_of("type"));
    let others = document
        .node(&content)?
        .members()
        .iter()
        .map(|media| media.name.to_string());
    Some(RequestBody {
        is_object: schema_type.is_none_or(|stated| stated == "object"),
        other_media_types: others.filter(|other| *other != *media.name).collect(),
        media_type: media.name.to_string(),
        schema,
        example: example.map(Node::to_value),
    })
}

/// Returns the value of the first of the `examples` that has one in the document.
fn first_example<'document>(document: &'document Document, holder: &'document Node) -> Option<&'document Node> {
    let mut listed = holder.member("examples")?.members().iter();
    listed.find_map(|example| match referred_pointer(&example.node) {
        Some(target) => document.node(&resolve(document, target))?.member("value"),
        None => example.node.member("value"),
    })
}

/// Returns how a caller authenticates: by the preferred one of the operation's security alternatives, or else by the
/// first that can be met. For a user and a password, a bearer token is the last choice. An empty alternative admits
/// anybody.
fn security(document: &Document, operation: &str, prefer: SchemePreference) -> Security {
    let own = document.node(&pointer::join(operation, "security"));
    let Some(alternatives) = own.or_else(|| document.root.member("security")) else {
        return Security::None;
    };
    let alternatives = alternatives.elements();
    let is_optional = alternatives.iter().any(|alternative| alternative.members().is_empty());
    let single = alternatives
        .iter()
        .filter(|alternative| alternative.members().len() == 1);
    let met = single.filter_map(|alternative| {
        let name = &alternative.members()[0].name;
        Some((name, scheme(document, name)?))
    });
    let met = met.min_by_key(|(_, scheme)| match (prefer, scheme) {
        (SchemePreference::Token, SecurityScheme::ApiKeyHeader { .. } | SecurityScheme::Bearer)
        | (SchemePreference::UserAndPassword, SecurityScheme::Basic) => 0,
        (SchemePreference::UserAndPassword, SecurityScheme::Bearer) => 2,
        _ => 1,
    });
    let met = met.map(|(name, scheme)| match is_optional {
        true => Security::Optional { scheme },
        false => Security::Scheme {
            name: name.to_string(),
            scheme,
        },
    });
    if alternatives.is_empty() || (is_optional && met.is_none()) {
        return Security::None;
    }
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
        ("apiKey", _, Some("header")) => {
            // A key under a name that no header can have could not be sent.
            let name = named().filter(|name| is_http_token(name))?;
            Some(SecurityScheme::ApiKeyHeader { name })
        }
        ("apiKey", _, Some("query")) => Some(SecurityScheme::ApiKeyQuery { name: named()? }),
        _ => None,
    }
}

/// Whether a text is a token of HTTP, as the name of a header and of an authentication scheme must be (RFC 9110,
/// section 5.6.2).
pub(crate) fn is_http_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// Follows references from the pointer to the definition; [`openapi::validate`] has checked that they lead somewhere.
pub(crate) fn resolve(document: &Document, mut pointer: String) -> String {
    for _ in 0..=MAX_REFERENCES {
        match document.node(&pointer).and_then(referred_pointer) {
            Some(target) => pointer = target,
            None => break,
        }
    }
    pointer
}

/// Follows the references of a node, and returns the node that they lead to; the node itself where it is not a
/// reference.
pub(super) fn referred<'document>(document: &'document Document, node: &'document Node) -> &'document Node {
    match referred_pointer(node) {
        Some(pointer) => document.node(&resolve(document, pointer)).unwrap_or(node),
        None => node,
    }
}

/// Reads one of our keys at an operation.
fn read_key<T: DeserializeOwned>(
    document: &Document,
    operation: &str,
    key: &str,
    defects: &mut DefectList,
) -> Option<T> {
    let at = pointer::join(operation, key);
    let read = serde_json::from_value(document.node(&at)?.to_value());
    let unreadable = |error| vocabulary_defect(document, &at, format!("`{key}` cannot be read: {error}"));
    read.map_err(|error| defects.push(unreadable(error))).ok()
}

/// Returns the edge cases of an operation: those of its own list, or else those of the root's list that its requests
/// can have, or a few where there is no list.
fn edge_cases(document: &Document, operation: &Operation, defects: &mut DefectList) -> Vec<EdgeCase> {
    let at = edge_case::location(document, &operation.pointer);
    if at == operation.pointer {
        return edge_case::unlisted(document, operation);
    }
    let (holder, key) = at.rsplit_once('/').unwrap_or_default();
    let of_its_own = !holder.is_empty();
    let listed: Vec<EdgeCaseKind> = if of_its_own {
        read_key(document, holder, key, defects).unwrap_or_default()
    } else {
        root_edge_cases(document).unwrap_or_default()
    };
    let mut requests = Vec::new();
    for (index, kind) in listed.iter().enumerate() {
        let location = || pointer::join(&at, &index.to_string());
        let found = edge_case::of_kind(document, operation, (index, *kind));
        if listed.iter().take(index).any(|earlier| earlier == kind) {
            if of_its_own {
                defects.push(vocabulary_defect(document, &location(), KIND_TWICE.to_owned()));
            }
            continue;
        }
        if found.is_empty() && of_its_own {
            let message = format!(
                "this kind of edge case applies to no request of `{}`; remove it",
                operation.name
            );
            defects.push(vocabulary_defect(document, &location(), message));
        }
        requests.extend(found);
    }
    requests
}

const KIND_TWICE: &str = "this kind of edge case is listed twice; remove one";

/// Reads the root's list of edge cases; `None` where there is none that can be read.
fn root_edge_cases(document: &Document) -> Option<Vec<EdgeCaseKind>> {
    read_key(document, "", "x-edge-cases", &mut DefectList::default())
}

/// Checks the root's list of edge cases. A defect in it leaves out no operation.
fn check_root_edge_cases(document: &Document, defects: &mut DefectList) {
    let listed: Vec<EdgeCaseKind> = read_key(document, "", "x-edge-cases", defects).unwrap_or_default();
    for index in repeated(&listed) {
        let at = format!("/x-edge-cases/{index}");
        defects.push(vocabulary_defect(document, &at, KIND_TWICE.to_owned()));
    }
}

/// Returns the equivalences that the root lists.
fn equivalences(document: &Document, defects: &mut DefectList) -> Vec<Equivalence> {
    let mut listed: Vec<Equivalence> = read_key(document, "", "x-equivalent", defects).unwrap_or_default();
    let repeated = repeated(&listed);
    for index in repeated.iter().rev() {
        let message = "this kind of equivalent request is listed twice; remove one".to_owned();
        defects.push(vocabulary_defect(document, &format!("/x-equivalent/{index}"), message));
        listed.remove(*index);
    }
    listed
}

/// Returns the indexes of the entries that are equal to an earlier one.
fn repeated<T: PartialEq>(listed: &[T]) -> Vec<usize> {
    let entries = listed.iter().enumerate();
    let repeats = entries.filter(|(index, entry)| listed.iter().take(*index).any(|earlier| earlier == *entry));
    repeats.map(|(index, _)| index).collect()
}

fn vocabulary_defect(document: &Document, pointer: &str, message: String) -> Defect {
    document.defect(pointer, Problem::Vocabulary { message })
}

/// Reports `x-null` at the root, where it left every location of every response open in contracts of an earlier
/// version, and says where it belongs now.
fn reject_root_null_key(document: &Document, defects: &mut DefectList) {
    if document.root.member("x-null").is_some() {
        let message = "`x-null` no longer goes at the root: put it on the schema of each record whose fields may be \
                       null, beside its `properties`";
        defects.push(vocabulary_defect(document, "/x-null", message.to_owned()));
    }
}

fn gaps(document: &Document, defects: &mut DefectList) -> Vec<Gap> {
    reject_written_locations(document, defects);
    let before = defects.len();
    let mut catalogue: Vec<Gap> = read_key(document, "", "x-gaps", defects).unwrap_or_default();
    if defects.len() > before {
        // The catalogue could not be read, so references to gaps cannot be checked.
        return catalogue;
    }
    let references = gap_references(&document.root);
    let index = catalogue.iter().enumerate().map(|(index, gap)| (gap.id.clone(), index));
    let index: HashMap<String, usize> = index.collect();
    for (at, id) in &references {
        if let Some(index) = index.get(id) {
            catalogue[*index].locations.push(gap_location(at).to_owned());
        } else if at != "/x-null" {
            let known = catalogue.iter().filter(|_| defects.suggests());
            let known = near(id, known.map(|gap| gap.id.as_str()));
            let hint = known.map_or_else(|| "add it there".to_owned(), |known| format!("did you mean `{known}`?"));
            let message = format!("`x-gaps` has no gap `{id}`; {hint}");
            defects.push(vocabulary_defect(document, at, message));
        }
    }
    let unnamed = catalogue.iter().enumerate().filter(|(_, gap)| gap.locations.is_empty());
    // What an overlay states may close the last location that left a gap open; the document lists it all the same.
    for (index, gap) in unnamed.filter(|_| !document.has_overlay()) {
        let message = format!(
            "no `x-gap` and no `x-null` names `{}`: name it where it leaves something open, or remove it",
            gap.id
        );
        defects.push(vocabulary_defect(document, &format!("/x-gaps/{index}"), message));
    }
    catalogue
}

/// Reports `locations` in the catalogue of gaps, where contracts of an earlier version repeated them.
fn reject_written_locations(document: &Document, defects: &mut DefectList) {
    let gaps = document.root.member("x-gaps").map_or(&[][..], |gaps| gaps.elements());
    let message = "`locations` follow from the `x-gap` and `x-null` keys that name the gap; remove them here";
    let written = gaps
        .iter()
        .enumerate()
        .filter(|(_, gap)| gap.member("locations").is_some());
    for (index, _) in written {
        let at = format!("/x-gaps/{index}/locations");
        defects.push(vocabulary_defect(document, &at, message.to_owned()));
    }
}

/// Returns the location that a reference to a gap is about: the one that has the `x-gap` or the `x-null`.
fn gap_location(reference: &str) -> &str {
    let holder = reference.strip_suffix("/x-null");
    holder
        .or_else(|| reference.rsplit_once("/x-gap").map(|(holder, _)| holder))
        .unwrap_or(reference)
}

/// Checks the location of each `x-null`: it must be on a schema of a response that has something below it.
fn check_null_keys(expander: &Expander<'_>, defects: &mut DefectList) {
    let document = expander.document;
    let references = gap_references(&document.root);
    let keys = references.iter().map(|(at, _)| at);
    let keys = keys.filter(|at| at.ends_with("/x-null") && *at != "/x-null");
    for at in keys.filter(|at| !expander.null_keys.contains(*at)) {
        let message = "`x-null` applies to nothing here: it goes on the schema of a record in a response, beside its \
                       `properties`, and not beside a `$ref`";
        defects.push(vocabulary_defect(document, at, message.to_owned()));
    }
}

/// Collects every `x-gap` entry and `x-null`, each with its own pointer.
fn gap_references(root: &Node) -> Vec<(String, String)> {
    let mut keys = Vec::new();
    collect_keyed_values(root, &mut String::new(), &["x-gap", "x-null"], &mut keys);
    let mut references = Vec::new();
    for (at, node) in keys {
        if at.ends_with("/x-null") {
            references.push((at, node.string().unwrap_or_default().to_owned()));
        } else {
            let ids = node.elements().iter().enumerate();
            references.extend(ids.filter_map(|(index, id)| Some((format!("{at}/{index}"), id.string()?.to_owned()))));
        }
    }
    references
}

/// Collects the values of some of our keys, wherever they are, each with its own pointer.
pub(super) fn collect_keyed_values<'node>(
    node: &'node Node,
    pointer: &mut String,
    keys: &[&str],
    found: &mut Vec<(String, &'node Node)>,
) {
    let length = pointer.len();
    // Most values hold no others, so they need no pointer.
    let has_values = |node: &Node| !node.members().is_empty() || !node.elements().is_empty();
    // A member of `properties` has the name of a field, whatever that is.
    let names_fields = pointer.ends_with("/properties") && !pointer.ends_with("/properties/properties");
    for member in node.members() {
        if !names_fields && keys.contains(&member.name.as_str()) {
            found.push((pointer::join(pointer, &member.name), &member.node));
        } else if has_values(&member.node) {
            pointer::push(pointer, &member.name);
            collect_keyed_values(&member.node, pointer, keys, found);
            pointer.truncate(length);
        }
    }
    for (index, element) in node
        .elements()
        .iter()
        .enumerate()
        .filter(|(_, element)| has_values(element))
    {
        pointer::push(pointer, &index.to_string());
        collect_keyed_values(element, pointer, keys, found);
        pointer.truncate(length);
    }
}

/// What invariants may name.
struct NamedObjects<'document> {
    gaps: HashSet<&'document str>,
    /// The operations that have `x-page`.
    pages: HashSet<&'document str>,
}

/// Checks the invariants of an operation against the rest of the contract: the operations, parameters and gaps that
/// they name exist.
fn check_invariants(document: &Document, operation: &Operation, named: &NamedObjects<'_>, defects: &mut DefectList) {
    check_page(document, operation, defects);
    let at = pointer::join(&operation.pointer, "x-invariants");
    let mut fail = |at: &str, message: String| defects.push(vocabulary_defect(document, at, message));
    let Invariants { created, updated, .. } = &operation.invariants;
    if let Some(created) = created {
        let at = format!("{at}/created");
        check_carries(&named.gaps, &created.carries, &at, &mut fail);
        if let Some(listed) = &created.listed {
            let at = format!("{at}/listed");
            check_listed(&named.pages, operation, (listed, &at), &mut fail);
            if listed.item_parameter.is_some() && listed.records_in_item.is_none() {
                fail(
                    &at,
                    "an `owner` needs `at`, the pointer to the array within the item that `owner` names; add `at`"
                        .to_owned(),
                );
            }
        }
    }
    if let Some(updated) = updated {
        let at = format!("{at}/updated");
        check_carries(&named.gaps, &updated.carries, &at, &mut fail);
        let at = format!("{at}/listed");
        check_listed(&named.pages, operation, (&updated.listed, &at), &mut fail);
        if updated.listed.item_parameter.is_none() {
            let message = "an update needs `owner`, the path parameter that names the record; add it";
            fail(&at, message.to_owned());
        }
    }
}

fn check_carries(gaps: &HashSet<&str>, carries: &[Carry], at: &str, fail: &mut impl FnMut(&str, String)) {
    for (index, carry) in carries.iter().enumerate() {
        let at = format!("{at}/carries/{index}");
        if let Some(gap) = carry.gap.as_ref().filter(|id| !gaps.contains(id.as_str())) {
            fail(&at, format!("`x-gaps` has no gap `{gap}`; add it there"));
        }
        let fields = [&carry.sent, &carry.returned_at].into_iter();
        for wrong in fields.filter(|text| !pointer::is_pointer(text)) {
            fail(&at, format!("`{wrong}` is not a JSON pointer; start it with a slash"));
        }
    }
}

fn check_page(document: &Document, operation: &Operation, defects: &mut DefectList) {
    let Some(PageInvariant { parameter, .. }) = &operation.page else {
        return;
    };
    let parameters = operation.parameters.iter();
    let queries = parameters.filter(|known| known.location == ParameterLocation::Query);
    let queries: Vec<_> = queries.map(|query| query.name.as_str()).collect();
    if queries.contains(&parameter.as_str()) {
        return;
    }
    let known: Vec<_> = queries.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "`x-page` names the query parameter `{parameter}`, but the operation has {}",
        or_none(&known.join(", "))
    );
    let at = pointer::join(&operation.pointer, "x-page");
    defects.push(vocabulary_defect(document, &at, message));
}

fn check_listed(
    pages: &HashSet<&str>,
    operation: &Operation,
    (listed, at): (&Listed, &str),
    fail: &mut impl FnMut(&str, String),
) {
    if !pages.contains(listed.operation.as_str()) {
        let mut known: Vec<_> = pages.iter().map(|name| format!("`{name}`")).collect();
        known.sort_unstable();
        let message = format!(
            "`{}` is not an operation with `x-page`; the operations with `x-page` are: {}",
            listed.operation,
            or_none(&known.join(", "))
        );
        fail(at, message);
    }
    let mut parameters = operation.parameters.iter();
    if let Some(owner) = &listed.item_parameter
        && !parameters.any(|parameter| parameter.name == *owner)
    {
        let message = format!(
            "the owner `{owner}` is not a parameter of `{}`; name one",
            operation.name
        );
        fail(at, message);
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
                           blank: {type: apiKey, in: header, name: X Key}\n  \
                           oauth: {type: oauth2, flows: {}}\n  query: {type: apiKey, in: query, name: key}\n  \
                           cookie: {type: apiKey, in: cookie, name: sid}\n  digest: {type: http, scheme: digest}";

    #[test]
    fn a_field_may_have_the_name_of_one_of_our_keys() {
        let fields =
            "{x-null: {type: string}, x-gap: {type: string}, properties: {type: object, properties: {x-gap: {}}}}";
        let schema = format!("{{type: object, properties: {fields}}}");
        let paths = format!(
            "/things:\n  get: {{responses: {{'200': {{description: a, content: {{application/json: {{schema: {schema}}}}}}}}}}}"
        );
        let contract = of_paths(&paths, "").unwrap_or_else(|defects| panic!("{defects}"));
        assert_eq!(
            (
                contract.operations.len(),
                contract.gaps.iter().filter(|gap| gap.kind.is_none()).count()
            ),
            (1, 0)
        );
    }

    #[test]
    fn json_is_recognised_by_its_essence() {
        for media_type in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/problem+json",
            "application/vnd.example.v1+json;q=1",
        ] {
            assert!(is_json(media_type), "{media_type}");
        }
        for media_type in [
            "", "text/json", "application/jsonp", "application/xml", "application/json-seq", "+json",
        ] {
            assert!(!is_json(media_type), "{media_type}");
        }
    }

    #[test]
    fn an_operation_without_an_id_is_named_after_its_method_and_path() {
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
        assert_eq!(
            found,
            [
                (ParameterLocation::Path, Some(json!(7))),
                (ParameterLocation::Query, None)
            ]
        );
    }

    #[test]
    fn an_example_is_the_nearest_value_that_the_contract_gives() {
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
    fn an_example_by_reference_counts_and_one_without_a_value_does_not() {
        let examples = "examples: {far: {externalValue: 'https://example.com/a.json'}, near: {$ref: \
                        '#/components/examples/Near'}, other: {value: c}}";
        let body = format!("requestBody: {{content: {{application/json: {{schema: {{type: string}}, {examples}}}}}}}");
        let id = format!("{{name: id, in: path, required: true, schema: {{type: string}}, {examples}}}");
        let path = format!("/things/{{id}}: {{put: {{parameters: [{id}], {body}, {OK}}}}}");
        let contract = of_paths(&path, "examples:\n  Near: {value: b}").unwrap_or_else(|defect| panic!("{defect}"));
        let operation = &contract.operations[0];
        assert_eq!(operation.parameters[0].example, Some(json!("b")));
        assert_eq!(operation.request_body.as_ref().unwrap().example, Some(json!("b")));
    }

    #[test]
    fn a_body_is_sent_as_plain_json_rather_than_as_a_patch_or_a_merge_patch() {
        let array = "{type: array, items: {type: object}}";
        let patch = |schema: &str| format!("application/json-patch+json: {{schema: {schema}}}");
        let merge = "application/merge-patch+json: {schema: {type: object}}";
        for (content, sent) in [
            (
                format!("{}, {merge}", patch("{type: object}")),
                Some("application/merge-patch+json"),
            ),
            (
                format!("{}, {merge}", patch(array)),
                Some("application/merge-patch+json"),
            ),
            (format!("{merge}, application/json: {{}}"), Some("application/json")),
            (patch(array), Some("application/json-patch+json")),
            (patch("{type: object}"), None),
            (
                format!("{}, application/vnd.a+json: {{}}", patch(array)),
                Some("application/vnd.a+json"),
            ),
        ] {
            let body = format!("requestBody: {{content: {{{content}}}}}");
            let body = operation(&format!("{{patch: {{parameters: [{ID}], {body}, {OK}}}}}")).request_body;
            assert_eq!(body.as_ref().map(|body| body.media_type.as_str()), sent, "{content}");
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
            let request = operation.request_body.unwrap();
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
                .request_body
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
            (
                "[{bearer: []}, {}]",
                Security::Optional {
                    scheme: SecurityScheme::Bearer,
                },
            ),
            ("[{}, {digest: []}]", Security::None),
            ("[{}]", Security::None),
            ("[]", Security::None),
            ("[{basic: []}]", by("basic", &SecurityScheme::Basic)),
            ("[{digest: []}]", unread("digest")),
            ("[{bearer: [], key: []}]", unread("bearer, key")),
            ("[{blank: []}]", unread("blank")),
            ("[{blank: []}, {bearer: []}]", by("bearer", &SecurityScheme::Bearer)),
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
