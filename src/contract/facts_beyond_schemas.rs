//! Makes the facts that no schema states: of statuses, media types and credentials, of `x-page`, `x-invariants`,
//! `x-edge-cases` and `x-equivalent`, and of links.

use std::collections::HashSet;

use super::document::Document;
use super::edge_case;
use super::equivalent;
use super::fact::{Fact, FactKind};
use super::link::{Link, LinkTarget};
use super::operation::{DocumentedResponse, Operation, OperationId, Security, SecurityScheme};
use super::pointer;
use super::vocabulary::{Carry, Created, Equivalence};

/// What is documented, for an operation that requires a credential, about a request without one.
pub(crate) const MISSING_CREDENTIAL_IS_REJECTED: &str = "a request without a credential is rejected";

/// Adds the facts about the typed client, for the contract that it is generated from: the first success of each
/// operation decodes, if it has a JSON body.
pub(super) fn add_typed(document: &Document, operations: &[Operation], facts: &mut Vec<Fact>) {
    for (index, operation) in operations.iter().enumerate() {
        if let Some(response) = operation.successes().next().filter(|response| response.body.is_some()) {
            let content = pointer::join(&super::load::resolve(document, response.pointer.clone()), "content");
            let mut builder = FactBuilder {
                document,
                operation,
                id: OperationId(index),
                facts,
            };
            builder.add(
                FactKind::Decodes,
                "response",
                "decodes through the typed client",
                content,
            );
        }
    }
}

/// Adds the facts about requests in other spellings: one fact for each equivalence, at the operation that shows
/// it.
pub(super) fn add_equivalent(
    document: &Document,
    operations: &[Operation],
    equivalences: &[Equivalence],
    facts: &mut Vec<Fact>,
) {
    for (index, equivalence) in equivalences.iter().enumerate() {
        let Some(operation) = equivalent::operation_for(document, operations, *equivalence) else {
            continue;
        };
        let mut builder = FactBuilder {
            document,
            operation: &operations[operation],
            id: OperationId(operation),
            facts,
        };
        let location = format!("/x-equivalent/{index}");
        builder.add(
            FactKind::Equivalent(*equivalence),
            "equivalent request",
            equivalence.describe(),
            location,
        );
    }
}

/// Adds the facts of every operation, in the order of the contract.
pub(super) fn add(document: &Document, operations: &[Operation], links: &[Link], facts: &mut Vec<Fact>) {
    let mut schemes = HashSet::new();
    for (index, operation) in operations.iter().enumerate() {
        let mut builder = FactBuilder {
            document,
            operation,
            id: OperationId(index),
            facts,
        };
        builder.response();
        builder.credentials(&mut schemes);
        builder.pages();
        builder.created(links);
        builder.updated();
        for (index, accepted) in operation.invariants.accepted_timestamp_formats.iter().enumerate() {
            for format in &accepted.formats {
                let location = format!("{}/x-invariants/accepts/{index}", operation.pointer);
                builder.add(
                    FactKind::AcceptsTimestampFormat(*format),
                    &format!("accepts {}", accepted.sent),
                    format.name(),
                    location,
                );
            }
        }
        builder.edge_cases();
    }
}

struct FactBuilder<'add> {
    document: &'add Document,
    operation: &'add Operation,
    id: OperationId,
    facts: &'add mut Vec<Fact>,
}

impl FactBuilder<'_> {
    fn response(&mut self) {
        let responses = pointer::join(&self.operation.pointer, "responses");
        let success = self.operation.successes().next();
        let location = success.map_or_else(|| responses.clone(), |response| response.pointer.clone());
        let statuses = self.operation.success_statuses();
        self.add(FactKind::Status, "status", &statuses, location.clone());
        self.add(FactKind::NoServerError, "status", "no 5xx", responses.clone());
        self.add(FactKind::CompleteResponse, "response", "complete", responses);
        let others = self
            .operation
            .responses
            .iter()
            .filter(|response| !response.status.is_success());
        self.contents(&self.operation.successes().collect::<Vec<_>>());
        for response in others {
            self.contents(&[response]);
        }
    }

    /// Adds what the documented bodies of all successes, or of one other response, state apart from their schemas: at
    /// the first of them, and nothing where no body is documented. The names of facts about a response other than a
    /// success contain its status.
    fn contents(&mut self, responses: &[&DocumentedResponse]) {
        let mut with_content = responses.iter().filter(|response| !response.media_types.is_empty());
        let Some(first) = with_content.next() else {
            return;
        };
        let content = |response: &DocumentedResponse| {
            let resolved = super::load::resolve(self.document, response.pointer.clone());
            pointer::join(&resolved, "content")
        };
        let first_content = content(first);
        let with_schema = responses.iter().find(|response| response.body.is_some());
        let json_content = with_schema.map(|response| content(response));
        let media_types = first.media_types.join(" or ");
        let status = first.status;
        let (media_type, json, of) = if status.is_success() {
            (FactKind::MediaType, FactKind::Json, String::new())
        } else {
            let kinds = (FactKind::FailureMediaType(status), FactKind::FailureJson(status));
            (kinds.0, kinds.1, format!("{status} "))
        };
        self.add(media_type, &format!("{of}media type"), &media_types, first_content);
        if let Some(content) = json_content {
            self.add(json, &format!("{of}body"), "JSON", content);
        }
    }

    fn credentials(&mut self, schemes: &mut HashSet<String>) {
        let Security::Scheme { name, scheme } = &self.operation.security else {
            return;
        };
        let location = pointer::join("/components/securitySchemes", name);
        self.add(
            FactKind::RejectsNoCredential,
            "auth",
            MISSING_CREDENTIAL_IS_REJECTED,
            location.clone(),
        );
        if scheme.is_in_authorization_header() {
            self.add(
                FactKind::RejectsOtherScheme,
                "auth",
                "another scheme is rejected",
                location.clone(),
            );
        }
        let challenge = match scheme {
            SecurityScheme::Basic => "a 401 asks for Basic",
            SecurityScheme::Bearer => "a 401 asks for Bearer",
            _ => "a 401 says how to authenticate",
        };
        self.add(FactKind::Challenge, "auth", challenge, location.clone());
        if schemes.insert(name.clone()) {
            let documented = "a wrong token is rejected";
            self.push(
                FactKind::RejectsWrongToken,
                format!("{name} auth: {documented}"),
                Statement {
                    documented,
                    location,
                    response_pointer: "",
                },
            );
        }
    }

    fn pages(&mut self) {
        let Some(page) = self.operation.page.clone() else {
            return;
        };
        let location = pointer::join(&self.operation.pointer, "x-page");
        for (kind, response_pointer, documented) in [
            (FactKind::PageDefault, &page.page, "1 when no page is asked for"),
            (FactKind::PageAsked, &page.page, "the page asked for"),
            (FactKind::PageSize, &page.items, "at most per_page items"),
            (FactKind::PageLast, &page.last_page, "agrees with total and per_page"),
            (FactKind::PageFull, &page.last_page, "a full last page is the last one"),
            (
                FactKind::PageTotal,
                &page.total,
                "equals the number of items on all pages",
            ),
            (FactKind::PageUnique, &page.items, "no item on two pages"),
        ] {
            let name = format!("{} pages {response_pointer}: {documented}", self.operation.name);
            self.push(
                kind,
                name,
                Statement {
                    documented,
                    location: location.clone(),
                    response_pointer,
                },
            );
        }
    }

    fn created(&mut self, links: &[Link]) {
        let Some(created) = self.operation.invariants.created.clone() else {
            return;
        };
        let location = format!("{}/x-invariants/created", self.operation.pointer);
        self.identifier(&created, links, &format!("{location}/id"));
        for (index, carry) in created.carries.iter().enumerate() {
            self.carried(&created, (index, carry), &format!("{location}/carries/{index}"));
        }
        if let Some(listed) = &created.listed {
            let location = format!("{location}/listed");
            let name = format!("{} created: listed in {}", self.operation.name, listed.operation);
            let statement = Statement {
                documented: "listed",
                location: location.clone(),
                response_pointer: "",
            };
            self.push(FactKind::Listed, name, statement);
            let name = format!("{} created in {}: once", self.operation.name, listed.operation);
            self.once(name, "once", &location);
            if listed.item_parameter.is_some() {
                let documented = "under no other item";
                let name = format!("{} created in {}: {documented}", self.operation.name, listed.operation);
                self.push(
                    FactKind::NotElsewhere,
                    name,
                    Statement {
                        documented,
                        location,
                        response_pointer: "",
                    },
                );
            }
        }
    }

    fn updated(&mut self) {
        let Some(updated) = self.operation.invariants.updated.clone() else {
            return;
        };
        let location = format!("{}/x-invariants/updated", self.operation.pointer);
        let list = &updated.listed.operation;
        for (index, carry) in updated.carries.iter().enumerate() {
            let documented = &format!("as sent in {}", carry.sent);
            let name = format!(
                "{} listed in {list} {}: {documented}",
                self.operation.name, carry.returned_at
            );
            let location = format!("{location}/carries/{index}");
            let statement = Statement {
                documented,
                location,
                response_pointer: &carry.returned_at,
            };
            self.push(FactKind::ListedAfterUpdateCarrying(index), name, statement);
        }
        let documented = "no other item changes";
        let name = format!("{} in {list}: {documented}", self.operation.name);
        let location = format!("{location}/listed");
        self.push(
            FactKind::NotElsewhere,
            name,
            Statement {
                documented,
                location: location.clone(),
                response_pointer: "",
            },
        );
        let documented = "once, under its id";
        let name = format!("{} in {list}: {documented}", self.operation.name);
        self.once(name, documented, &location);
    }

    fn once(&mut self, name: String, documented: &str, location: &str) {
        let statement = Statement {
            documented,
            location: location.to_owned(),
            response_pointer: "",
        };
        self.push(FactKind::NoExtraRecord, name, statement);
    }

    fn edge_cases(&mut self) {
        if self.operation.edge_cases.is_empty() {
            return;
        }
        let location = edge_case::location(self.document, &self.operation.pointer);
        self.add(
            FactKind::EdgeCaseNoServerError,
            "edge cases",
            "no 5xx",
            location.clone(),
        );
        self.add(
            FactKind::EdgeCaseCompleteResponse,
            "edge cases",
            "complete response",
            location,
        );
    }

    fn identifier(&mut self, created: &Created, links: &[Link], location: &str) {
        let response_pointer = format!("{}{}", created.resource, created.id);
        let leads_into_a_path = |link: &Link| link.from == self.id && matches!(link.target, LinkTarget::Parameter(_));
        let is_carried = links.iter().any(leads_into_a_path);
        let statements = [
            (FactKind::IdentifierUnique, "not reused", true),
            (
                FactKind::IdentifierFitsPath,
                "valid in the paths that links carry it into",
                is_carried,
            ),
        ];
        for (kind, documented, _) in statements.into_iter().filter(|(_, _, stated)| *stated) {
            let name = format!("{} created {response_pointer}: {documented}", self.operation.name);
            self.push(
                kind,
                name,
                Statement {
                    documented,
                    location: location.to_owned(),
                    response_pointer: &response_pointer,
                },
            );
        }
    }

    fn carried(&mut self, created: &Created, (index, carry): (usize, &Carry), location: &str) {
        let response_pointer = format!("{}{}", created.resource, carry.returned_at);
        let documented = &format!("as sent in {}", carry.sent);
        let location = || location.to_owned();
        let name = format!("{} created {response_pointer}: {documented}", self.operation.name);
        self.push(
            FactKind::Carried(index),
            name,
            Statement {
                documented,
                location: location(),
                response_pointer: &response_pointer,
            },
        );
        if let Some(listed) = &created.listed {
            let name = format!(
                "{} listed in {} {}: {documented}",
                self.operation.name, listed.operation, carry.returned_at
            );
            let statement = Statement {
                documented,
                location: location(),
                response_pointer: &carry.returned_at,
            };
            self.push(FactKind::ListedCarrying(index), name, statement);
        }
    }

    /// Adds a statement about the whole operation.
    fn add(&mut self, kind: FactKind, subject: &str, documented: &str, location: String) {
        let name = format!("{} {subject}: {documented}", self.operation.name);
        self.push(
            kind,
            name,
            Statement {
                documented,
                location,
                response_pointer: "",
            },
        );
    }

    fn push(&mut self, kind: FactKind, name: String, statement: Statement<'_>) {
        let Statement {
            documented,
            location,
            response_pointer,
        } = statement;
        self.facts.push(Fact {
            name: name.into(),
            operation: self.id,
            kind,
            location: location.into(),
            response_pointer: response_pointer.into(),
            documented: documented.into(),
        });
    }
}

/// The statement of a fact and its location: in the contract, and in the response.
struct Statement<'statement> {
    documented: &'statement str,
    location: String,
    response_pointer: &'statement str,
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;
    use crate::contract::fact::FactKind;
    use crate::contract::testing::of_paths;

    const ITEM: &str = "/things/{id}: {get: {operationId: item, parameters: [{name: id, in: path, required: true, \
                        schema: {type: string}}], responses: {'200': {description: Thing}}}}";

    fn names(contract: &Contract) -> Vec<&str> {
        contract.facts.iter().map(|fact| fact.name.as_str()).collect()
    }

    fn answering(responses: &str) -> Contract {
        let paths = format!("/things: {{get: {{operationId: get, responses: {{{responses}}}}}}}");
        of_paths(&paths, "").unwrap()
    }

    fn secured(scheme: &str) -> Contract {
        let operation = |name: &str| {
            format!(
                "/{name}: {{get: {{operationId: {name}, security: [{{s: []}}], responses: {{'200': {{description: a}}}}}}}}"
            )
        };
        let paths = format!("{}\n{}", operation("first"), operation("second"));
        of_paths(&paths, &format!("securitySchemes:\n  s: {scheme}")).unwrap()
    }

    fn auth(contract: &Contract) -> Vec<&str> {
        names(contract)
            .into_iter()
            .filter(|name| name.contains(" auth: "))
            .collect()
    }

    #[test]
    fn a_response_without_a_body_states_no_media_type() {
        let expected = ["get status: 204", "get status: no 5xx", "get response: complete"];
        assert_eq!(names(&answering("'204': {description: None}")), expected);
    }

    #[test]
    fn a_body_that_is_not_json_states_its_media_type_alone() {
        let contract = answering("'200': {description: a, content: {text/csv: {}, text/plain: {}}}");
        assert!(names(&contract).contains(&"get media type: text/csv or text/plain"));
        assert!(!contract.facts.iter().any(|fact| fact.kind == FactKind::Json));
    }

    #[test]
    fn a_json_body_states_both() {
        let contract = answering("'200': {description: a, content: {application/json: {schema: {}}}}");
        assert!(names(&contract).contains(&"get media type: application/json"));
        assert!(names(&contract).contains(&"get body: JSON"));
    }

    #[test]
    fn the_first_success_with_a_body_states_both() {
        let json = "content: {application/json: {schema: {}}}";
        let contract = answering(&format!("'200': {{description: a}}, '201': {{description: b, {json}}}"));
        let located = |name: &str| contract.facts.iter().find(|fact| *fact.name == *name).unwrap();
        for name in ["get media type: application/json", "get body: JSON"] {
            assert_eq!(located(name).location, "/paths/~1things/get/responses/201/content");
        }
    }

    #[test]
    fn several_successes_are_one_fact() {
        let contract = answering("'200': {description: a}, '204': {description: b}, '404': {description: c}");
        assert_eq!(names(&contract)[0], "get status: 200 or 204");
        let contract = answering("default: {description: a}");
        assert_eq!(names(&contract)[0], "get status: 2XX");
        assert_eq!(contract.facts[0].location, "/paths/~1things/get/responses");
    }

    #[test]
    fn a_wrong_token_is_stated_once_for_its_scheme() {
        let expected = [
            "first auth: a request without a credential is rejected",
            "first auth: another scheme is rejected",
            "first auth: a 401 asks for Bearer",
            "s auth: a wrong token is rejected",
            "second auth: a request without a credential is rejected",
            "second auth: another scheme is rejected",
            "second auth: a 401 asks for Bearer",
        ];
        let contract = secured("{type: http, scheme: Bearer}");
        assert_eq!(auth(&contract), expected);
        let locations = contract.facts.iter().filter(|fact| fact.name.contains(" auth: "));
        assert!(
            locations
                .into_iter()
                .all(|fact| fact.location == "/components/securitySchemes/s")
        );
    }

    #[test]
    fn an_api_key_has_no_other_scheme() {
        let contract = secured("{type: apiKey, in: header, name: X-Key}");
        assert!(!auth(&contract).iter().any(|name| name.contains("another scheme")));
        assert!(auth(&contract).contains(&"first auth: a 401 says how to authenticate"));
        assert_eq!(auth(&contract).len(), 5);
    }

    #[test]
    fn a_scheme_that_is_not_followed_states_nothing() {
        for scheme in ["{type: http, scheme: digest}", "{type: http, scheme: hoba}"] {
            assert!(auth(&secured(scheme)).is_empty(), "{scheme}");
        }
    }

    #[test]
    fn what_must_be_rejected_follows_from_the_scheme() {
        let contract = secured("{type: http, scheme: Basic}");
        assert!(auth(&contract).contains(&"first auth: another scheme is rejected"));
        assert!(auth(&contract).contains(&"first auth: a 401 asks for Basic"));
        for place in ["query", "cookie"] {
            let contract = secured(&format!("{{type: apiKey, in: {place}, name: key}}"));
            assert!(!auth(&contract).iter().any(|name| name.contains("another scheme")));
            assert_eq!(auth(&contract).len(), 5);
        }
    }

    #[test]
    fn an_identifier_must_fit_a_path_only_where_a_link_carries_it_into_one() {
        let link = "links: {L: {operationId: item, parameters: {id: '$response.body#/id'}}}";
        for (links, serves) in [(format!(", {link}"), true), (String::new(), false)] {
            let create = format!(
                "/things: {{post: {{operationId: create, x-invariants: {{created: {{resource: '', id: /id}}}}, responses: \
                 {{'201': {{description: a{links}}}}}}}}}"
            );
            let contract = of_paths(&format!("{create}\n{ITEM}"), "").unwrap();
            let names = names(&contract);
            assert!(names.contains(&"create created /id: not reused"));
            assert_eq!(
                names.contains(&"create created /id: valid in the paths that links carry it into"),
                serves
            );
        }
    }

    #[test]
    fn a_list_states_seven_facts_at_their_locations_in_the_response() {
        let contract = crate::testing::built_in();
        let list = contract.operation_named("getTags").unwrap();
        for (kind, response_pointer) in [
            (FactKind::PageDefault, "/data/page"),
            (FactKind::PageAsked, "/data/page"),
            (FactKind::PageSize, "/data/items"),
            (FactKind::PageLast, "/data/last_page"),
            (FactKind::PageFull, "/data/last_page"),
            (FactKind::PageTotal, "/data/total"),
            (FactKind::PageUnique, "/data/items"),
        ] {
            let fact = contract.fact(contract.fact_of(list, kind).unwrap());
            assert_eq!(fact.response_pointer, response_pointer, "{kind:?}");
            assert_eq!(fact.location, "/paths/~1organization~1v1~1tags/get/x-page");
        }
    }

    #[test]
    fn only_what_is_under_another_or_is_updated_can_show_elsewhere() {
        let contract = crate::testing::built_in();
        let elsewhere: Vec<_> = names(contract)
            .into_iter()
            .filter(|name| name.contains("no other item"))
            .collect();
        let expected = [
            "updateContact in getContacts: no other item changes",
            "createContactMethod created in getContacts: under no other item",
        ];
        assert_eq!(elsewhere, expected);
    }

    #[test]
    fn what_is_carried_is_a_fact_of_the_response_and_of_the_list_if_there_is_one() {
        let invariants = "{created: {resource: /data, id: /id, carries: [{sent: /a, kept: /b}]}, accepts: [{sent: /at, forms: [utc]}]}";
        let create = format!(
            "/things: {{post: {{operationId: create, x-invariants: {invariants}, responses: {{'201': {{description: a}}}}}}}}"
        );
        let contract = of_paths(&create, "").unwrap();
        let expected = [
            "create created /data/id: not reused",
            "create created /data/b: as sent in /a",
            "create accepts /at: suffix Z",
        ];
        assert_eq!(names(&contract)[3..], expected);
        let location = "/paths/~1things/post/x-invariants/created/carries/0";
        assert_eq!(contract.facts[4].location, location);
    }
}
