//! `x-edge-cases`: which edge cases an operation must withstand, and those of a contract without
//! this key. The main type is [`EdgeCase`].
//!
//! # Design
//!
//! No request may get a 5xx, so a contract without this key has some too: a few for each parameter of a read, because
//! such documents may have hundreds of operations. Writes get no invented identifiers, so that none can name somebody's
//! record, and their bodies either are not JSON or carry the run tag.

use super::document::{Document, Node};
use super::fact::FactKind;
use super::operation::{Method, Operation, Parameter, ParameterLocation, turns_into_another_request};
use super::pointer;
use super::vocabulary::EdgeCaseKind;

/// What makes one request an edge case, ordered as edge cases are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeCase {
    /// The kind's index in the contract's list, or in the one that is used without it.
    pub index: usize,
    /// The kind.
    pub kind: EdgeCaseKind,
    /// The parameter concerned, as an index into [`Operation::parameters`].
    pub parameter: Option<usize>,
    /// The field of the body concerned, as an index into [`Operation::fields`].
    pub field: Option<usize>,
}

impl EdgeCase {
    /// Describes what was sent, for use after a status and "in response to".
    #[must_use]
    pub fn describe(&self, operation: &Operation) -> String {
        let parameter = self.parameter.and_then(|index| operation.parameters.get(index));
        let name = parameter.map_or("", |parameter| &parameter.name);
        let field = self.field.and_then(|index| operation.fields.get(index));
        let field = field.map_or("", |field| &field.pointer);
        match self.kind {
            EdgeCaseKind::BodyArray => "a body that is an array".to_owned(),
            EdgeCaseKind::BodyDeep => "a body of 1,000 levels".to_owned(),
            EdgeCaseKind::BodyEmpty => "a body that is empty".to_owned(),
            EdgeCaseKind::BodyNotJson => "a body that is not JSON".to_owned(),
            EdgeCaseKind::BodyNumber => "a body that is a number".to_owned(),
            EdgeCaseKind::BodyString => "a body that is a string".to_owned(),
            EdgeCaseKind::FieldNull => format!("null in `{field}`"),
            EdgeCaseKind::FieldNumber => format!("a number in `{field}`"),
            EdgeCaseKind::FieldObject => format!("an object in `{field}`"),
            EdgeCaseKind::FieldString => format!("a string in `{field}`"),
            EdgeCaseKind::FieldTrue => format!("true in `{field}`"),
            EdgeCaseKind::IdentifierHuge => format!("`{name}` 10^20"),
            EdgeCaseKind::IdentifierMalformed => format!("a malformed `{name}`"),
            EdgeCaseKind::IdentifierUnknown => format!("an unknown `{name}`"),
            EdgeCaseKind::ParameterEmpty => format!("an empty `{name}`"),
            EdgeCaseKind::ParameterHuge => format!("`{name}` 10^18"),
            EdgeCaseKind::ParameterNegative => format!("`{name}` -1"),
            EdgeCaseKind::ParameterTwice => format!("`{name}` twice"),
            EdgeCaseKind::ParameterWord => format!("a word as `{name}`"),
            EdgeCaseKind::ParameterZero => format!("`{name}` 0"),
            EdgeCaseKind::NonAsciiString => "a string beyond ASCII".to_owned(),
            EdgeCaseKind::StringWithControlCharacters => "a string with control characters".to_owned(),
            EdgeCaseKind::LongString => "a string of 10,000 characters".to_owned(),
        }
    }
}

/// The key that lists edge cases.
const KEY: &str = "x-edge-cases";

/// The kinds of edge cases of a read where the contract lists none: at most five for each parameter.
const OF_READS: [EdgeCaseKind; 8] = [
    EdgeCaseKind::IdentifierMalformed,
    EdgeCaseKind::IdentifierUnknown,
    EdgeCaseKind::IdentifierHuge,
    EdgeCaseKind::ParameterWord,
    EdgeCaseKind::ParameterHuge,
    EdgeCaseKind::ParameterNegative,
    EdgeCaseKind::ParameterEmpty,
    EdgeCaseKind::ParameterZero,
];

/// The kinds of edge cases of a write where the contract lists none.
const OF_WRITES: [EdgeCaseKind; 3] = [
    EdgeCaseKind::BodyNotJson,
    EdgeCaseKind::NonAsciiString,
    EdgeCaseKind::LongString,
];

/// The kinds of edge cases of an update where the contract lists none. Of these, a create could store something without
/// the run tag, or again and again.
const OF_UPDATES: [EdgeCaseKind; 5] = [
    EdgeCaseKind::BodyNotJson,
    EdgeCaseKind::BodyArray,
    EdgeCaseKind::NonAsciiString,
    EdgeCaseKind::LongString,
    EdgeCaseKind::StringWithControlCharacters,
];

/// The kinds of edge cases of a query if the contract lists none, one of each: bodies that its schema
/// cannot admit.
const OF_QUERIES: [EdgeCaseKind; 3] = [
    EdgeCaseKind::BodyNotJson,
    EdgeCaseKind::FieldString,
    EdgeCaseKind::FieldObject,
];

/// The maximum number of edge cases of one operation if the contract lists none: those of three
/// parameters.
const MAX_UNLISTED: usize = 15;

/// The kinds of facts about edge cases.
pub(crate) const FACT_KINDS: [FactKind; 2] = [FactKind::EdgeCaseCompleteResponse, FactKind::EdgeCaseNoServerError];

/// Whether a location is that of a fact about edge cases, and not of another one that the same rule judges: the key
/// that lists them or, if no key does, an operation.
pub(crate) fn is_stated_at(location: &str) -> bool {
    let key = location.rsplit_once('/').map(|(_, key)| key);
    key.is_some_and(|key| key == KEY || Method::from_key(key).is_some())
}

/// Returns the location that lists an operation's edge cases: the operation's list, or else the root's; the operation
/// where there is none.
pub(super) fn location(document: &Document, operation: &str) -> String {
    let lists = [pointer::join(operation, KEY), format!("/{KEY}")];
    let mut lists = lists.into_iter().filter(|list| document.node(list).is_some());
    lists.next().unwrap_or_else(|| operation.to_owned())
}

/// Returns the edge cases of an operation where the contract lists none.
pub(super) fn unlisted(document: &Document, operation: &Operation) -> Vec<EdgeCase> {
    let kinds: &[EdgeCaseKind] = match operation {
        query if query.is_query() => &OF_QUERIES,
        read if read.is_read() => &OF_READS,
        update if update.method == Method::Patch && !update.creates() => &OF_UPDATES,
        _ => &OF_WRITES,
    };
    let kinds = kinds.iter().copied().enumerate();
    let all = kinds.flat_map(|kind| {
        let most = if operation.is_query() { 1 } else { MAX_UNLISTED };
        of_kind(document, operation, kind).into_iter().take(most)
    });
    all.take(MAX_UNLISTED).collect()
}

/// Returns an operation's edge cases of this kind: one for each parameter or field of the body that it concerns, or a
/// single one if it concerns the whole body. `index` is that of the kind in the contract's list.
pub(super) fn of_kind(
    document: &Document,
    operation: &Operation,
    (index, kind): (usize, EdgeCaseKind),
) -> Vec<EdgeCase> {
    let edge_case = |parameter| EdgeCase {
        index,
        kind,
        parameter,
        field: None,
    };
    let takes_a_body = matches!(operation.method, Method::Patch | Method::Post | Method::Put);
    if kind.changes_field_type() {
        let fields = operation.fields.iter().enumerate().filter(|_| takes_a_body);
        let concerned = fields.filter(|(_, field)| field.has_edge_case(kind));
        let field = |(index, _)| EdgeCase {
            field: Some(index),
            ..edge_case(None)
        };
        return concerned.map(field).collect();
    }
    if is_in_the_body(kind) {
        let of_the_body = (takes_a_body && operation.request_body.is_some()).then(|| edge_case(None));
        return of_the_body.into_iter().collect();
    }
    if !takes_a_body && !operation.is_read() {
        return Vec::new();
    }
    let parameters = operation.parameters.iter().enumerate();
    let parameters = parameters.filter(|(_, parameter)| concerns_parameter(document, operation, (parameter, kind)));
    parameters.map(|(index, _)| edge_case(Some(index))).collect()
}

fn is_in_the_body(kind: EdgeCaseKind) -> bool {
    use EdgeCaseKind::{BodyArray, BodyDeep, BodyEmpty, BodyNotJson, BodyNumber, BodyString};
    use EdgeCaseKind::{LongString, NonAsciiString, StringWithControlCharacters};
    matches!(
        kind,
        BodyArray
            | BodyDeep
            | BodyEmpty
            | BodyNotJson
            | BodyNumber
            | BodyString
            | NonAsciiString
            | StringWithControlCharacters
            | LongString
    )
}

/// Whether edge cases of this kind concern a parameter. Writes are stricter: the identifier must name no record,
/// whatever the target has, and no number can promise that.
fn concerns_parameter(
    document: &Document,
    operation: &Operation,
    (parameter, case): (&Parameter, EdgeCaseKind),
) -> bool {
    use EdgeCaseKind::{IdentifierMalformed, IdentifierUnknown, ParameterEmpty, ParameterTwice, ParameterWord};
    let kind = ParameterKind::of(document, operation, parameter);
    match (parameter.location, case) {
        (ParameterLocation::Path, IdentifierUnknown) => match kind {
            ParameterKind::FreeText | ParameterKind::Uuid => true,
            ParameterKind::Number => operation.is_get(),
            ParameterKind::Constrained => false,
        },
        (ParameterLocation::Path, EdgeCaseKind::IdentifierHuge) => kind == ParameterKind::Number && operation.is_get(),
        (ParameterLocation::Query, _)
            if !operation.is_get() || turns_into_another_request(parameter.location, &parameter.name) =>
        {
            false
        }
        (ParameterLocation::Path, IdentifierMalformed) | (ParameterLocation::Query, ParameterWord) => {
            kind != ParameterKind::FreeText
        }
        (ParameterLocation::Query, ParameterEmpty | ParameterTwice) => true,
        (
            ParameterLocation::Query,
            EdgeCaseKind::ParameterHuge | EdgeCaseKind::ParameterNegative | EdgeCaseKind::ParameterZero,
        ) => kind == ParameterKind::Number,
        _ => false,
    }
}

/// The kind of value that a parameter takes, as far as its edge cases depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A string of any form.
    FreeText,
    /// A string with an `enum`, `format` or `pattern`, or a value of another type, such as a boolean.
    Constrained,
    /// A number.
    Number,
    /// A UUID.
    Uuid,
}

impl ParameterKind {
    /// Returns the kind of a parameter, as the contract states it; the one that requests a page is a number.
    #[must_use]
    pub fn of(document: &Document, operation: &Operation, parameter: &Parameter) -> Self {
        let is_page = |name: &str| operation.page.as_ref().is_some_and(|page| page.parameter == name);
        let schema = parameter.schema.as_deref().and_then(|schema| document.node(schema));
        let member = |name: &str| schema.and_then(|schema| schema.member(name));
        let restricted = || ["enum", "format", "pattern"].iter().any(|name| member(name).is_some());
        match member("type").and_then(Node::string) {
            Some("integer" | "number") => Self::Number,
            _ if is_page(&parameter.name) => Self::Number,
            _ if member("format").and_then(Node::string) == Some("uuid") => Self::Uuid,
            Some("string") | None if !restricted() => Self::FreeText,
            _ => Self::Constrained,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::fact::{Fact, FactKind};
    use crate::contract::testing::of_paths;

    const LIST: &str = "x-edge-cases: [parameter-zero, parameter-word, parameter-twice, identifier-malformed, \
                       identifier-unknown, body-empty, text-long]";
    const OK: &str = "responses: {'200': {description: a}}";
    const BODY: &str = "requestBody: {content: {application/json: {schema: {type: object}}}}";

    /// The edge cases of each operation of these paths, with or without the list at the root.
    fn edge_cases_of(paths: &str, list: &str) -> Vec<String> {
        let contract = read(paths, list).unwrap_or_else(|defect| panic!("{defect}"));
        let rendered = contract.operations.iter().map(|operation| {
            let rendered: Vec<_> = operation
                .edge_cases
                .iter()
                .map(|edge_case| edge_case.describe(operation))
                .collect();
            rendered.join(", ")
        });
        rendered.collect()
    }

    fn read(paths: &str, list: &str) -> Result<Contract, String> {
        let contract = of_paths(paths, "").map_err(|defect| defect.to_string())?;
        Contract::read("things.yaml", format!("{list}\n{}", contract.document.text()))
            .map_err(|defect| defect.to_string())
    }

    fn get(parameters: &str) -> String {
        format!("/things/{{id}}: {{get: {{operationId: get, parameters: [{parameters}], {OK}}}}}")
    }

    fn writing(method: &str, schema: &str, rest: &str) -> String {
        let id = format!("{{name: id, in: path, required: true, schema: {schema}}}");
        format!("/things/{{id}}: {{{method}: {{operationId: it, parameters: [{id}], {rest}, {OK}}}}}")
    }

    #[test]
    fn a_parameter_of_a_read_has_edge_cases_by_its_type() {
        for (parameter, expected) in [
            (
                "{name: n, in: query, schema: {type: integer}}",
                "`n` 0, a word as `n`, `n` twice",
            ),
            ("{name: n, in: query, schema: {type: string}}", "`n` twice"),
            (
                "{name: n, in: query, schema: {type: string, format: date}}",
                "a word as `n`, `n` twice",
            ),
            (
                "{name: n, in: query, schema: {type: boolean}}",
                "a word as `n`, `n` twice",
            ),
            ("{name: n, in: header, schema: {type: integer}}", ""),
            (
                "{name: id, in: path, required: true, schema: {type: string, format: uuid}}",
                "a malformed `id`, an unknown `id`",
            ),
            (
                "{name: id, in: path, required: true, schema: {type: integer}}",
                "a malformed `id`, an unknown `id`",
            ),
            (
                "{name: id, in: path, required: true, schema: {type: string}}",
                "an unknown `id`",
            ),
            (
                "{name: id, in: path, required: true, schema: {type: string, format: date}}",
                "a malformed `id`",
            ),
        ] {
            assert_eq!(edge_cases_of(&get(parameter), LIST), [expected], "{parameter}");
        }
    }

    #[test]
    fn a_write_has_edge_cases_of_its_body_and_of_identifiers_that_can_name_no_record() {
        for (path, expected) in [
            (
                writing("put", "{type: string, format: uuid}", BODY),
                "a malformed `id`, an unknown `id`, a body that is empty, a string of 10,000 characters",
            ),
            (
                writing("patch", "{type: integer}", BODY),
                "a malformed `id`, a body that is empty, a string of 10,000 characters",
            ),
            (
                writing("post", "{type: string, format: uuid}", "summary: a"),
                "a malformed `id`, an unknown `id`",
            ),
            (writing("delete", "{type: string, format: uuid}", BODY), ""),
        ] {
            assert_eq!(edge_cases_of(&path, LIST), [expected], "{path}");
        }
    }

    #[test]
    fn a_write_has_edge_cases_of_each_field_of_its_body_by_the_fields_type() {
        let list = "x-edge-cases: [field-object, field-text, field-number, field-true, field-null]";
        let fields = "{name: {type: string}, tags: {type: array, items: {type: string, nullable: true}}}";
        let body = format!(
            "requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {fields}}}}}}}}}"
        );
        let expected = "an object in `/name`, an object in `/tags/*`, a string in `/tags`, a number in `/name`, \
                   a number in `/tags/*`, true in `/name`, true in `/tags`, true in `/tags/*`, null in `/name`, \
                   null in `/tags`";
        assert_eq!(
            edge_cases_of(&writing("put", "{type: string}", &body), list),
            [expected]
        );
        assert_eq!(edge_cases_of(&writing("put", "{type: string}", BODY), list), [""]);
        assert_eq!(edge_cases_of(&writing("delete", "{type: string}", &body), list), [""]);
        assert_eq!(
            edge_cases_of(&get("{name: n, in: query, schema: {type: integer}}"), list),
            [""]
        );
    }

    #[test]
    fn a_contract_that_lists_none_has_few_of_each_parameter_and_no_identifiers_in_writes() {
        let parameters = "{name: id, in: path, required: true, schema: {type: integer}}, \
                          {name: n, in: query, schema: {type: integer}}, {name: s, in: query, schema: {type: string}}, \
                          {name: _method, in: query, schema: {type: string}}";
        let expected = "a malformed `id`, an unknown `id`, `id` 10^20, a word as `n`, `n` 10^18, `n` -1, an empty `n`, \
             an empty `s`, `n` 0";
        assert_eq!(edge_cases_of(&get(parameters), ""), [expected]);
        let written = "a body that is not JSON, a string beyond ASCII, a string of 10,000 characters";
        let updated = "a body that is not JSON, a body that is an array, a string beyond ASCII, a string of 10,000 \
                       characters, a string with control characters";
        for (method, expected) in [("post", written), ("put", written), ("patch", updated)] {
            let path = writing(method, "{type: string, format: uuid}", BODY);
            assert_eq!(edge_cases_of(&path, ""), [expected], "{method}");
        }
        assert_eq!(edge_cases_of(&writing("delete", "{type: string}", BODY), ""), [""]);
        assert_eq!(edge_cases_of(&get(parameters), "x-edge-cases: []"), [""]);
        let contract = read(&get(parameters), "").unwrap();
        let facts = contract.facts.iter().filter(|fact| fact.name.contains("edge cases"));
        assert!(facts.clone().count() == 2 && facts.clone().all(|fact| super::is_stated_at(&fact.location)));
        let of_the_same_rules =
            |fact: &&Fact| matches!(fact.kind, FactKind::CompleteResponse | FactKind::NoServerError);
        let others = contract.facts.iter().filter(of_the_same_rules);
        assert!(others.clone().count() == 2 && others.clone().all(|fact| !super::is_stated_at(&fact.location)));
    }

    #[test]
    fn an_operation_of_many_parameters_has_a_bounded_number() {
        let parameters = (0..50).map(|n| format!("{{name: n{n}, in: query, schema: {{type: integer}}}}"));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let contract = read(&get(&parameters), "").unwrap();
        assert_eq!(contract.operations[0].edge_cases.len(), super::MAX_UNLISTED);
    }

    #[test]
    fn an_operation_may_have_a_list_of_its_own_or_an_empty_one() {
        let number = "parameters: [{name: n, in: query, schema: {type: integer}}]";
        let path = |list: &str| format!("/things: {{get: {{operationId: get, {number}, x-edge-cases: {list}, {OK}}}}}");
        let contract = read(&path("[parameter-word, parameter-zero]"), LIST).unwrap();
        let reported: Vec<_> = contract.operations[0]
            .edge_cases
            .iter()
            .map(|edge_case| edge_case.describe(&contract.operations[0]))
            .collect();
        assert_eq!(reported, ["a word as `n`", "`n` 0"], "in its own order");
        let location = "/paths/~1things/get/x-edge-cases";
        assert!(contract.facts.iter().any(|fact| fact.location == location));
        assert_eq!(edge_cases_of(&path("[]"), LIST), [""]);
    }

    #[test]
    fn an_edge_case_that_is_unknown_or_binds_nothing_is_reported() {
        let path = get("{name: n, in: query, schema: {type: integer}}");
        let own = path.replace("operationId: get", "operationId: get, x-edge-cases: [body-empty]");
        for (path, list, wanted) in [
            (
                &path,
                "x-edge-cases: [page-zero]",
                "unknown variant `page-zero`, expected one of `body-array`",
            ),
            (
                &path,
                "x-edge-cases: [parameter-zero, parameter-zero]",
                "this kind of edge case is listed twice; remove one",
            ),
            (
                &own,
                LIST,
                "this kind of edge case applies to no request of `get`; remove it",
            ),
        ] {
            let message = read(path, list).unwrap_err();
            assert!(message.contains(wanted), "{message}");
        }
    }
}
