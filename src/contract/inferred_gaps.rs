//! Lists what a document without `x-gaps` leaves open, as every OpenAPI document does: the statuses of its errors, the
//! limits of requests, how a timestamp is written. The main function is [`gaps`].
//!
//! # Design
//!
//! The gaps listed here are about whole responses (their status, headers, media type and time, not single values),
//! about how identifiers and timestamps are written, and about what a write requires, accepts and does. A gap about the
//! values of single fields needs the keys that say which values are meant. These gaps are for `learn`, which asks about
//! them: unless an overlay states an answer, a check neither judges by them nor reports them.

use std::collections::BTreeSet;

use super::document::{Document, Node};
use super::fact::Fact;
use super::field::{is_free_string, is_string, with_all_of};
use super::lexicon::IDENTIFIERS;
use super::load::resolve;
use super::operation::{Method, Operation, SecurityScheme, StatusPattern};
use super::pointer;
use super::shape::{LocatedGap, Shape};
use super::vocabulary::{Gap, GapKind, HowLeftOpen};

/// What any document may leave open: the id, the kind and the question.
const GAPS_OF_ANY_DOCUMENT: [(&str, GapKind, &str); 15] = [
    (
        "success-status",
        GapKind::SuccessStatus,
        "Which status does a success have?",
    ),
    (
        "error-conditions",
        GapKind::ErrorConditions,
        "Which status rejects a request, and for what?",
    ),
    (
        "error-body",
        GapKind::ErrorBody,
        "What does the body of an error contain?",
    ),
    (
        "challenge",
        GapKind::Challenge,
        "Does a 401 carry a challenge in WWW-Authenticate?",
    ),
    (
        "compression",
        GapKind::Compression,
        "Are responses compressed for a client that accepts it?",
    ),
    (
        "deprecation",
        GapKind::Deprecation,
        "Will operations change or end, and when?",
    ),
    ("latency", GapKind::Latency, "How long does a response take?"),
    ("rate-limits", GapKind::RateLimits, "Is there a rate limit?"),
    (
        "identifier-spelling",
        GapKind::IdentifierForm,
        "In which form are identifiers written?",
    ),
    (
        "timestamp-form",
        GapKind::TimestampForm,
        "In which form are timestamps written?",
    ),
    (
        "duplicates",
        GapKind::Duplicates,
        "May two records have the same fields?",
    ),
    (
        "required-fields",
        GapKind::RequiredFields,
        "Which fields does a write require?",
    ),
    (
        "update-semantics",
        GapKind::UpdateSemantics,
        "Does an update replace the whole record, or merge the fields that are sent?",
    ),
    (
        "unknown-request-fields",
        GapKind::UnknownRequestFields,
        "Are request fields that the document does not list rejected or ignored?",
    ),
    ("field-sizes", GapKind::FieldSizes, "How large may each field be?"),
];

/// Returns what a document without `x-gaps` leaves open, and marks the shapes that are concerned.
pub(super) fn gaps(
    document: &Document,
    operations: &[Operation],
    (shapes, facts): (&mut [Shape], &[Fact]),
) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for (id, kind, question) in GAPS_OF_ANY_DOCUMENT {
        let locations = match kind {
            GapKind::IdentifierForm => marked(document, (shapes, facts), id, is_free_identifier),
            GapKind::TimestampForm => marked(document, (shapes, facts), id, is_timestamp),
            GapKind::SuccessStatus => operations.iter().flat_map(open_successes).collect(),
            GapKind::Challenge => schemes(operations),
            GapKind::Duplicates => bodies(document, operations, |operation, _| {
                operation.creates() && !documents(operation, 409)
            }),
            GapKind::RequiredFields => bodies(document, operations, |operation, schemas| {
                operation.creates() && leaves_required_open(schemas)
            }),
            GapKind::UnknownRequestFields => bodies(document, operations, |operation, schemas| {
                updates(operation) && !states(schemas, "additionalProperties")
            }),
            GapKind::FieldSizes => free_strings(document, operations),
            GapKind::RateLimits => {
                let is_limited = operations.iter().any(|operation| documents(operation, 429));
                let paths = (!is_limited && !operations.is_empty()).then(|| "/paths".to_owned());
                paths.into_iter().collect()
            }
            _ => {
                let open = operations
                    .iter()
                    .filter(|operation| leaves_open(document, operation, kind));
                open.map(|operation| operation.pointer.clone()).collect()
            }
        };
        if !locations.is_empty() {
            gaps.push(Gap {
                id: id.to_owned(),
                question: question.to_owned(),
                left_open: HowLeftOpen::Silent,
                document_section: None,
                kind: Some(kind),
                locations,
                is_inferred: true,
            });
        }
    }
    gaps
}

/// Whether an operation as a whole leaves something open.
fn leaves_open(document: &Document, operation: &Operation, kind: GapKind) -> bool {
    match kind {
        GapKind::UpdateSemantics => updates(operation),
        GapKind::ErrorConditions => !(400..500).any(|status| documents(operation, status)),
        GapKind::ErrorBody => {
            let mut responses = operation.responses.iter();
            !responses.any(|response| !response.status.is_success() && !response.media_types.is_empty())
        }
        GapKind::Deprecation => {
            let stated = document
                .node(&operation.pointer)
                .and_then(|node| node.member("deprecated"));
            stated.and_then(Node::boolean) != Some(true)
        }
        _ => true,
    }
}

/// Whether an operation documents a status, by itself or by its class.
fn documents(operation: &Operation, status: u16) -> bool {
    let mut patterns = operation.responses.iter().map(|response| response.status);
    patterns.any(|pattern| pattern.rank(status).is_some_and(|rank| rank < 2))
}

/// Returns the locations of the responses that document successes without their status. `default` stands for errors
/// too, and for successes only if no other response does.
fn open_successes(operation: &Operation) -> Vec<String> {
    let mut statuses = operation.responses.iter().map(|response| response.status);
    let others = statuses.any(StatusPattern::is_success);
    let open = operation.responses.iter().filter(|response| match response.status {
        StatusPattern::Class(class) => class == 2,
        StatusPattern::Default => !others,
        StatusPattern::Exact(_) => false,
    });
    open.map(|response| response.pointer.clone()).collect()
}

/// Whether an operation changes a record, as far as its method says.
fn updates(operation: &Operation) -> bool {
    matches!(operation.method, Method::Put | Method::Patch) && !operation.creates()
}

/// Returns the locations of the schemas of bodies, where the operation or the schema with its `allOf` members leaves
/// something open.
fn bodies(
    document: &Document,
    operations: &[Operation],
    leaves_open: fn(&Operation, &[(String, &Node)]) -> bool,
) -> Vec<String> {
    let open = operations.iter().filter_map(|operation| {
        let schemas = with_all_of(document, operation.request_body.as_ref()?.schema.clone()?);
        let (schema, _) = schemas.first()?;
        leaves_open(operation, &schemas).then(|| schema.clone())
    });
    open.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether one of the schemas states a keyword.
fn states(schemas: &[(String, &Node)], keyword: &str) -> bool {
    schemas.iter().any(|(_, schema)| schema.member(keyword).is_some())
}

/// Returns the locations of the strings in the bodies of updates whose schemas state no `maxLength`, `enum`, `format`
/// or `pattern`.
fn free_strings(document: &Document, operations: &[Operation]) -> Vec<String> {
    let mut free = Vec::new();
    let schemas = bodies(document, operations, |operation, _| updates(operation));
    let schemas = schemas.into_iter().flat_map(|schema| with_all_of(document, schema));
    for (schema, _) in schemas {
        let properties = pointer::join(&schema, "properties");
        let members = document.members_at(&properties);
        let at = members
            .iter()
            .map(|property| pointer::join(&properties, &property.name));
        free.extend(at.filter(|at| {
            let described = document.node(&resolve(document, at.clone()));
            described.is_some_and(is_free_string)
        }));
    }
    // Several bodies may have the same `allOf` member.
    free.sort_unstable();
    free.dedup();
    free
}

/// Whether the schema of a body does not say which of its fields are required. What a body with alternatives requires
/// depends on which of them it is, so nothing is asked about it.
fn leaves_required_open(schemas: &[(String, &Node)]) -> bool {
    let states = |keyword: &str| states(schemas, keyword);
    states("properties") && !["required", "anyOf", "oneOf"].into_iter().any(states)
}

/// Returns the locations of the security schemes whose credential a 401 can ask for.
fn schemes(operations: &[Operation]) -> Vec<String> {
    let names: BTreeSet<_> = operations
        .iter()
        .filter(|operation| {
            operation
                .security
                .scheme()
                .is_some_and(SecurityScheme::is_in_authorization_header)
        })
        .filter_map(|operation| operation.security.scheme_name())
        .collect();
    let at = |name| pointer::join("/components/securitySchemes", name);
    names.into_iter().map(at).collect()
}

/// Marks the shapes of the fields that a gap is about, and returns the locations of their schemas.
fn marked(
    document: &Document,
    (shapes, facts): (&mut [Shape], &[Fact]),
    id: &str,
    is_concerned: fn(&str, &Node) -> bool,
) -> Vec<String> {
    let mut concerned = Vec::new();
    for field in shapes.iter().flat_map(|shape| &shape.fields) {
        let fact = shapes[field.shape.0].type_fact.map(|fact| &facts[fact.0]);
        let Some(location) = fact.and_then(|fact| fact.location.strip_suffix("/type")) else {
            continue;
        };
        if document
            .node(location)
            .is_some_and(|schema| is_concerned(&field.name, schema))
        {
            concerned.push((field.shape, location.to_owned()));
        }
    }
    for (shape, location) in &concerned {
        let located = LocatedGap {
            gap: id.into(),
            location: location.as_str().into(),
        };
        let gaps = &mut shapes[shape.0].gaps;
        if !gaps.contains(&located) {
            gaps.push(located);
        }
    }
    let locations: BTreeSet<_> = concerned.into_iter().map(|(_, location)| location).collect();
    locations.into_iter().collect()
}

/// Whether a field is an identifier whose form its schema does not state.
fn is_free_identifier(name: &str, schema: &Node) -> bool {
    let states = |keyword: &&str| schema.member(keyword).is_some();
    is_string(schema) && IDENTIFIERS.contains(&name) && !["enum", "format", "pattern"].iter().any(states)
}

/// Whether a field is a timestamp, which RFC 3339 allows to be written in several forms.
fn is_timestamp(_: &str, schema: &Node) -> bool {
    is_string(schema) && schema.text_of("format") == Some("date-time")
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::testing::of_paths;

    /// The locations of a gap that a document leaves open.
    fn locations(contract: &Contract, gap: &str) -> Vec<String> {
        let mut found = contract.gaps.iter().filter(|known| known.id == gap);
        found.next().map(|gap| gap.locations.clone()).unwrap_or_default()
    }

    /// A document whose one operation has these responses, and these further keys.
    fn of_responses(responses: &str, keys: &str) -> Contract {
        of_paths(
            &format!("/things: {{get: {{operationId: get, {keys}responses: {responses}}}}}"),
            "",
        )
        .unwrap()
    }

    #[test]
    fn what_a_document_says_is_not_open() {
        const OPERATION: &str = "/paths/~1things/get";
        let open = |responses: &str, keys: &str, gap: &str| !locations(&of_responses(responses, keys), gap).is_empty();
        let ok = "{'200': {description: Things}}";
        for (gap, silent, saying) in [
            ("success-status", "{2XX: {description: Things}}", ok),
            ("success-status", "{default: {description: Any}}", ok),
            (
                "error-conditions",
                ok,
                "{'200': {description: Things}, 4XX: {description: Wrong}}",
            ),
            (
                "rate-limits",
                ok,
                "{'200': {description: Things}, '429': {description: Slow down}}",
            ),
            (
                "error-body",
                "{'200': {description: Things}, '404': {description: None}}",
                "{'200': {description: Things}, default: {description: Wrong, content: {text/plain: {}}}}",
            ),
        ] {
            assert!(open(silent, "", gap), "{gap}: {silent}");
            assert!(!open(saying, "", gap), "{gap}: {saying}");
        }
        assert!(open(ok, "", "deprecation") && !open(ok, "deprecated: true, ", "deprecation"));
        for always in ["compression", "latency"] {
            assert_eq!(locations(&of_responses(ok, ""), always), [OPERATION], "{always}");
        }
        let default = "{2XX: {description: Things}, default: {description: Wrong}}";
        let class = format!("{OPERATION}/responses/2XX");
        assert_eq!(locations(&of_responses(default, ""), "success-status"), [class]);
        assert_eq!(locations(&of_responses(ok, ""), "challenge"), [""; 0]);
    }

    #[test]
    fn what_a_create_requires_is_open_where_neither_its_schema_nor_its_responses_say_it() {
        let of_create = |schema: &str, responses: &str| {
            let body = format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}");
            let paths = format!("/things: {{post: {{operationId: add, {body}, responses: {responses}}}}}");
            of_paths(&paths, "").unwrap()
        };
        const SCHEMA: &str = "/paths/~1things/post/requestBody/content/application~1json/schema";
        let (ok, conflict) = (
            "{'201': {description: A thing}}",
            "{'201': {description: A thing}, '409': {description: Another has the name}}",
        );
        let silent = "{type: object, properties: {name: {type: string}}}";
        let contract = of_create(silent, ok);
        for gap in ["duplicates", "required-fields"] {
            assert_eq!(locations(&contract, gap), [SCHEMA], "{gap}");
        }
        assert_eq!(locations(&of_create(silent, conflict), "duplicates"), [""; 0]);
        for stated in [
            "{type: object, required: [name], properties: {name: {type: string}}}",
            "{type: object, properties: {name: {type: string}}, anyOf: [{required: [name]}]}",
            "{type: array, items: {type: string}}",
        ] {
            let contract = of_create(stated, ok);
            assert_eq!(locations(&contract, "required-fields"), [""; 0], "{stated}");
            assert_eq!(locations(&contract, "duplicates"), [SCHEMA], "{stated}");
        }
        let all_of = |first: &str| {
            format!("{{allOf: [{{type: object, {first}properties: {{kind: {{type: string}}}}}}, {silent}]}}")
        };
        let (open, stated) = (of_create(&all_of(""), ok), of_create(&all_of("required: [kind], "), ok));
        assert_eq!(locations(&open, "required-fields"), [SCHEMA]);
        assert_eq!(locations(&stated, "required-fields"), [""; 0]);
    }

    #[test]
    fn what_an_update_does_and_accepts_is_open_where_its_schema_does_not_say_it() {
        let of_update = |schema: &str| {
            let body = format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}");
            let responses = "responses: {'200': {description: A thing}}";
            let id = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
            let get = format!("get: {{operationId: read, {responses}}}");
            let paths = format!(
                "/things: {{post: {{operationId: add, {responses}}}}}\n'/things/{{id}}': {{{id}, {get}, patch: \
                 {{operationId: set, {body}, {responses}}}}}"
            );
            of_paths(&paths, "").unwrap()
        };
        const OPERATION: &str = "/paths/~1things~1{id}/patch";
        let schema = format!("{OPERATION}/requestBody/content/application~1json/schema");
        let open = of_update("{type: object, properties: {name: {type: string}, size: {type: integer}}}");
        assert_eq!(locations(&open, "update-semantics"), [OPERATION]);
        assert_eq!(locations(&open, "unknown-request-fields"), [schema.as_str()]);
        assert_eq!(locations(&open, "field-sizes"), [format!("{schema}/properties/name")]);
        let closed = "{type: object, additionalProperties: false, properties: {name: {type: string, maxLength: 9}}}";
        let closed = of_update(closed);
        for gap in ["unknown-request-fields", "field-sizes", "required-fields"] {
            assert_eq!(locations(&closed, gap), [""; 0], "{gap}");
        }
        let all_of = |closed: &str| {
            of_update(&format!(
                "{{allOf: [{{type: object, {closed}properties: {{name: {{type: string}}}}}}]}}"
            ))
        };
        let (open, closed) = (all_of(""), all_of("additionalProperties: false, "));
        assert_eq!(locations(&open, "unknown-request-fields"), [schema.as_str()]);
        assert_eq!(
            locations(&open, "field-sizes"),
            [format!("{schema}/allOf/0/properties/name")]
        );
        assert_eq!(locations(&closed, "unknown-request-fields"), [""; 0]);
    }

    #[test]
    fn a_form_is_open_where_the_schema_states_none() {
        let contract = crate::contract::testing::of_schema(
            "{type: object, properties: {id: {type: string}, uuid: {type: string, format: uuid}, name: {type: string}, \
             at: {type: string, format: date-time}}}",
            "",
        );
        let schema = "/paths/~1things/get/responses/200/content/application~1json/schema/properties";
        assert_eq!(locations(&contract, "identifier-spelling"), [format!("{schema}/id")]);
        assert_eq!(locations(&contract, "timestamp-form"), [format!("{schema}/at")]);
        assert!(contract.gaps.iter().all(|gap| gap.is_inferred) && !contract.needs_answers_in_check());
    }

    #[test]
    fn a_document_that_lists_its_gaps_leaves_open_what_it_says() {
        let contract = crate::testing::built_in();
        assert!(contract.needs_answers_in_check() && contract.gaps.iter().all(|gap| !gap.is_inferred));
        let none = "openapi: 3.0.3\ninfo: {title: Things, version: '1'}\nx-gaps: []\npaths: {}\n";
        assert!(Contract::read("things.yaml", none.to_owned()).unwrap().gaps.is_empty());
    }
}
