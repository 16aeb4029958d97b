//! `auth`: a request that must be rejected is let in.

use serde_json::Value;

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::{Reason, Sink};
use crate::contract::Contract;
use crate::contract::document::Node;
use crate::contract::fact::{FactId, FactKind};
use crate::contract::lifecycle::Lifecycle;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::shape::ShapeId;
use crate::contract::vocabulary::{Carry, PageInvariant};
use crate::exchange::{Credential, Purpose, RejectionMeaning, identifier, json, query_pairs};
use crate::history::evidence::StoredDespiteRejection;
use crate::history::identifiers_in_path;

pub(super) static RULE: Rule = Rule {
    name: "auth",
    level: Level::Deny,
    headline: Headline::Operation(
        "does not reject a request without a valid credential as documented",
        "do not reject a request without a valid credential as documented",
    ),
    topic: Topic::Access,
    summary: "A request without a credential, with a wrong one or under another scheme is rejected: with 401 where the \
              document lists it, with any 4xx elsewhere.",
    explanation: "Every operation that the document protects is called without a credential and with the token under \
                  another scheme; the second page of a list is also requested without a credential, and so is a \
                  filtered list. A few operations get an empty token, and wrong tokens made from the right one: with \
                  another ending, with letters appended, in another case. A caller who is let in, or redirected, could \
                  read or write personal data without a token. So could one whose rejection has a record in its \
                  body, or whose rejected write is carried out all the same. So the record of the run is read again \
                  after updates and a deletion of it were rejected.",
    exceptions: "A 429 or a 5xx, which has another cause. Which 4xx it is, where the document lists no 401. Where it \
                 lists 401: a 403, if that is listed too; a 400 to an empty token or another scheme, if 400 is \
                 listed; a listed status whose description mentions the credential. A 404 or 410, where the record \
                 may be unknown. A 400, 409 or 422 for a write that was never accepted: the cause may be the body. A \
                 redirect that the right credential gets too; for a read, also a 4xx other than 401 and 403 that it \
                 gets too.",
    fix: "Check the credential before anything else, and respond with 401.",
    source: "The document, sections \"Authentication\" and \"Errors\"",
    example: Example {
        fact: "getTags auth: a request without a credential is rejected",
        documented: "rejected with a 4xx",
        received: "200",
        pointer: "",
        #[cfg(test)]
        judged: || {
            use crate::contract::fact::FactKind;
            let probe = Purpose::MustBeRejected {
                fact: FactKind::RejectsNoCredential,
                meaning_of_another_rejection: RejectionMeaning::Finding,
            };
            crate::rules::testing::Fixture::of("getTags").purpose(probe).status(200)
        },
    },
    judge: Judging::Access(judge, judge_stored_despite_rejection),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let Purpose::MustBeRejected {
        fact: kind,
        meaning_of_another_rejection,
    } = seen.intent.purpose
    else {
        return;
    };
    let Some(fact) = fact(sink.contract, seen.id, kind) else {
        return;
    };
    let Ok(response) = seen.outcome() else {
        return sink.undecided(fact, Reason::NoResponse);
    };
    let documents = |status: u16| seen.operation.response_of_exactly(status).is_some();
    let documents_401 = documents(401);
    match response.status {
        429 => sink.undecided(fact, Reason::throttled(&seen.exchange.request.credential)),
        status @ 500.. => sink.undecided(fact, Reason::Failed(status)),
        // A router may respond like this before anything checks the credential.
        status @ (300..=399 | 400 | 402 | 404..=499) if is_same_with_credential(seen, status, sink) => {
            sink.undecided(fact, Reason::SameForAll(status));
        }
        status @ (401 | 403) if shows_records(sink.contract, seen, &response.body) => {
            let documented = "rejected without a record";
            sink.response_broken(fact, documented, || {
                format!("rejected with {status}, but its body shows a record")
            });
        }
        401 => sink.held(fact),
        status
            if RejectionMeaning::rejects_as_invalid_or_conflicting(status)
                && meaning_of_another_rejection == RejectionMeaning::Gap =>
        {
            sink.undecided(fact, Reason::Rejected(status));
        }
        // A service may report an unknown record before it checks the credential.
        status @ (404 | 410) if meaning_of_another_rejection == RejectionMeaning::UncertainValue => {
            sink.undecided(fact, Reason::RejectedUncertainValue(status));
        }
        // A header without a token or of another scheme is malformed, and 400 is the status for that (RFC 6750, section
        // 3.1).
        400 if documents_401
            && documents(400)
            && matches!(
                seen.exchange.request.credential,
                Credential::Empty { .. } | Credential::OtherScheme { .. }
            ) =>
        {
            sink.undecided(fact, Reason::Documented(400));
        }
        // A document that lists both a 401 and a 403 leaves open which of them it is.
        403 if documents(403) => sink.held(fact),
        400..=499 if !documents_401 => sink.held(fact),
        status @ 300..=499 if is_documented_for_credentials(sink.contract, seen, status) => {
            sink.undecided(fact, Reason::Documented(status));
        }
        status => {
            let documented = if documents_401 {
                "rejected with 401"
            } else {
                "rejected with a 4xx"
            };
            sink.response_broken(fact, documented, || format!("{status}{}", describe_request(seen)));
        }
    }
}

/// Judges what a write did although it was rejected for its credential. `rejected-but-stored` does so where no
/// lifecycle is inferred.
fn judge_stored_despite_rejection(stored: &StoredDespiteRejection<'_>, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let lifecycle = contract.lifecycle_of(stored.operation);
    let Some((lifecycle, kind)) = lifecycle.zip(stored.rejection.credential_fact) else {
        return;
    };
    if let Some(fact) = fact(contract, stored.operation, kind) {
        let effect = if lifecycle.create == stored.operation {
            "the record is listed"
        } else if lifecycle.delete == Some(stored.operation) {
            "the record is gone"
        } else {
            "the record shows what it sent"
        };
        sink.response_broken(fact, "rejected, and nothing is done", || {
            format!("{}, but {effect}", stored.rejection.status)
        });
    }
}

/// Whether the description of this status mentions the credential, as in "Not found, or there is no token": then the
/// document leaves open which of the two it means.
fn is_documented_for_credentials(contract: &Contract, seen: &ExchangeSeen<'_>, status: u16) -> bool {
    const CREDENTIALS: [&str; 9] = [
        "api key", "apikey", "authenticate", "authentication", "credential", "log in", "login", "session", "token",
    ];
    let documented = seen.operation.response_of_exactly(status);
    let node = documented.and_then(|documented| contract.document.node(&contract.resolve(&documented.pointer)));
    let description = node.and_then(|node| node.member("description")).and_then(Node::string);
    let description = description.unwrap_or_default().to_ascii_lowercase();
    CREDENTIALS.iter().any(|word| description.contains(word))
}

/// Whether the body of a rejection is a documented success that shows a record: an item with an identifier in a list, or
/// the record that the path names. The document leaves error bodies open, so anything less may be an error body.
fn shows_records(contract: &Contract, seen: &ExchangeSeen<'_>, body: &[u8]) -> bool {
    let Ok(body) = json::read(body) else { return false };
    let shows_record = match &seen.operation.page {
        Some(page) => {
            let is_record = |item: &Value| pointer::get(item, &page.id).and_then(identifier).is_some();
            items(&body.value, &page.items).iter().any(is_record)
        }
        None => shows_record_of_lifecycle(contract, seen, &body.value),
    };
    let mut documented = seen.operation.successes().filter_map(|documented| documented.body);
    shows_record && documented.any(|shape| conforms(contract, shape, &body.value))
}

/// Whether a body shows all that an inferred lifecycle says of a record, and its identifier: any in the list, that of
/// the path in the read.
fn shows_record_of_lifecycle(contract: &Contract, seen: &ExchangeSeen<'_>, body: &Value) -> bool {
    let has_carries = |lifecycle: &Lifecycle, record: &Value| {
        let is_shown = |carry: &Carry| pointer::get(record, &carry.returned_at).is_some_and(|value| !value.is_null());
        !lifecycle.carries.is_empty() && lifecycle.carries.iter().all(is_shown)
    };
    contract.lifecycles().iter().any(|lifecycle| {
        let in_list = lifecycle.list.as_ref().filter(|list| list.operation == seen.id);
        let is_listed = in_list.is_some_and(|list| {
            let is_record = |item: &&Value| pointer::get(item, &list.id).and_then(identifier).is_some();
            let mut records = items(body, &list.items).iter().filter(is_record);
            records.any(|item| has_carries(lifecycle, item))
        });
        let is_read = lifecycle.read == seen.id && {
            let named = identifiers_in_path(seen.operation, &seen.exchange.request.path).pop();
            let record = pointer::get(body, &lifecycle.record_in_read);
            named.zip(record).is_some_and(|((_, named), record)| {
                let mut members = record.as_object().into_iter().flat_map(serde_json::Map::values);
                members.any(|member| identifier(member).as_ref() == Some(&named)) && has_carries(lifecycle, record)
            })
        };
        is_listed || is_read
    })
}

/// Returns the elements of the array at a pointer; none where there is no array.
fn items<'body>(body: &'body Value, at: &str) -> &'body [Value] {
    pointer::get(body, at)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Whether a value has the documented types and the required fields, at every depth; null passes as any type.
fn conforms(contract: &Contract, shape: ShapeId, value: &Value) -> bool {
    let shape = contract.shape(shape);
    let is_typed = value.is_null() || shape.types.iter().all(|of| of.admits(value));
    let is_whole = match value {
        Value::Object(members) => shape.fields.iter().all(|field| match members.get(field.name.as_str()) {
            Some(member) => conforms(contract, field.shape, member),
            None => field.required_fact.is_none(),
        }),
        Value::Array(elements) => shape
            .items
            .is_none_or(|below| elements.iter().all(|element| conforms(contract, below, element))),
        _ => true,
    };
    is_typed && is_whole
}

/// Whether no call of the operation succeeded, and the right credential got the same status: then the status shows
/// nothing about the credential. A rejected write may have been carried out all the same, so for a write only a
/// redirect counts.
fn is_same_with_credential(seen: &ExchangeSeen<'_>, status: u16, sink: &Sink<'_>) -> bool {
    let with_credential = sink.verdicts.successes.first_failed(seen.id);
    let says_nothing_was_done = status < 400 || seen.operation.is_read();
    says_nothing_was_done && with_credential.is_some_and(|failed| failed.status == Some(status))
}

/// Describes the request, unless it just lacks a credential or uses another scheme.
fn describe_request(seen: &ExchangeSeen<'_>) -> String {
    let request = &seen.exchange.request;
    let page = seen.operation.page.as_ref();
    let asks = |page: &PageInvariant| query_pairs(&request.path).any(|(name, _)| name == page.parameter);
    match request.credential {
        Credential::Empty { .. } => " to an empty token".to_owned(),
        Credential::Wrong { mutation, .. } => format!(" to {}", mutation.describe()),
        Credential::None if page.is_some_and(asks) => " on a second page".to_owned(),
        Credential::None | Credential::OtherScheme { .. } | Credential::Token { .. } => String::new(),
    }
}

/// Returns the fact that a request to this operation tests: for a wrong token a fact of the security scheme, otherwise
/// the operation's own.
fn fact(contract: &Contract, operation: OperationId, kind: FactKind) -> Option<FactId> {
    let scheme = contract.operation(operation).security.scheme_name()?;
    let of_scheme = || {
        let location = pointer::join("/components/securitySchemes", scheme);
        let facts = &contract.facts;
        facts
            .iter()
            .position(|fact| fact.kind == kind && fact.location == location)
            .map(FactId)
    };
    contract.fact_of(operation, kind).or_else(of_scheme)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::conforms;
    use crate::contract::fact::FactKind;
    use crate::contract::operation::SecurityScheme;
    use crate::exchange::{Credential, Purpose, RejectionMeaning};
    use crate::rules::testing::{Fixture, Judged};
    use crate::rules::{Reason, Verdict};

    fn rejecting(operation: &str, kind: FactKind, status: u16) -> Judged {
        Fixture::of(operation)
            .purpose(Purpose::MustBeRejected {
                fact: kind,
                meaning_of_another_rejection: RejectionMeaning::Finding,
            })
            .status(status)
    }

    #[test]
    fn a_record_that_may_be_unknown_may_be_missed_before_the_credential_is() {
        let probed = |on_rejection, status| {
            let kind = FactKind::RejectsNoCredential;
            let purpose = Purpose::MustBeRejected {
                fact: kind,
                meaning_of_another_rejection: on_rejection,
            };
            let judged = Fixture::of("createTag").purpose(purpose).status(status);
            judged.fact("createTag auth: a request without a credential is rejected")
        };
        let unknown = RejectionMeaning::UncertainValue;
        assert_eq!(
            probed(unknown, 404),
            Verdict::Undecided(Reason::RejectedUncertainValue(404))
        );
        assert_eq!(probed(unknown, 401), Verdict::Held);
        assert_eq!(probed(unknown, 200), Verdict::Broken);
        assert_eq!(probed(RejectionMeaning::Finding, 404), Verdict::Broken);
    }

    #[test]
    fn where_the_document_lists_401_nothing_else_rejects() {
        for (status, verdict) in [
            (401, Verdict::Held),
            (400, Verdict::Broken),
            (403, Verdict::Broken),
            (404, Verdict::Broken),
            (422, Verdict::Broken),
        ] {
            let judged = rejecting("createTag", FactKind::RejectsNoCredential, status);
            assert_eq!(judged.kind(FactKind::RejectsNoCredential), verdict, "{status}");
        }
    }

    /// A document with one operation, which lists these responses after that of its success.
    fn listing(responses: &str) -> String {
        format!(
            "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\nsecurity: [{{bearer: []}}]\ncomponents: {{securitySchemes: \
             {{bearer: {{type: http, scheme: bearer}}}}}}\npaths:\n  /a:\n    get: {{operationId: a, responses: {{'200': \
             {{description: a}}{responses}}}}}\n"
        )
    }

    #[test]
    fn a_documented_400_is_left_open_for_a_malformed_header_and_for_no_other_request() {
        let judged_by = |listed: &str, credential: Credential| {
            let document = listing(listed);
            let kind = FactKind::RejectsNoCredential;
            let purpose = Purpose::MustBeRejected {
                fact: kind,
                meaning_of_another_rejection: RejectionMeaning::Finding,
            };
            let fixture = Fixture::text(&document, "a").purpose(purpose);
            let mut exchange = fixture.exchange(400, None, "");
            exchange.request.credential = credential;
            let judged = fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())));
            judged.kind(kind)
        };
        let scheme = SecurityScheme::Bearer;
        let listed = ", '401': {description: a}, '400': {description: a}";
        for malformed in [
            Credential::Empty { scheme: scheme.clone() },
            Credential::OtherScheme { scheme: scheme.clone() },
        ] {
            let judged = |listed: &str| judged_by(listed, malformed.clone());
            assert_eq!(judged(listed), Verdict::Undecided(Reason::Documented(400)));
            assert_eq!(judged(", '401': {description: a}"), Verdict::Broken);
            assert_eq!(judged(", '400': {description: a}"), Verdict::Held);
        }
        assert_eq!(judged_by(listed, Credential::None), Verdict::Broken);
    }

    /// A document may say itself that a missing token looks like a missing record, or sends a person to the login.
    #[test]
    fn a_status_whose_description_speaks_of_the_credential_is_left_open() {
        let judged = |description: &str, status: u16| {
            let document = listing(&format!(
                ", '401': {{description: a}}, '404': {{description: '{description}'}}"
            ));
            let kind = FactKind::RejectsNoCredential;
            let purpose = Purpose::MustBeRejected {
                fact: kind,
                meaning_of_another_rejection: RejectionMeaning::Finding,
            };
            Fixture::text(&document, "a").purpose(purpose).status(status).kind(kind)
        };
        let said = "Not found, or the request has no token";
        assert_eq!(judged(said, 404), Verdict::Undecided(Reason::Documented(404)));
        assert_eq!(judged(said, 400), Verdict::Broken);
        assert_eq!(judged("Not found", 404), Verdict::Broken);
        assert_eq!(judged(said, 401), Verdict::Held);
    }

    #[test]
    fn elsewhere_any_4xx_rejects() {
        for status in [400, 401, 403, 404, 422] {
            let judged = rejecting("getTags", FactKind::RejectsOtherScheme, status);
            assert_eq!(judged.kind(FactKind::RejectsOtherScheme), Verdict::Held, "{status}");
        }
    }

    #[test]
    fn who_is_let_in_or_sent_elsewhere_is_not_rejected() {
        for (operation, documented) in [("getTags", "rejected with a 4xx"), ("createTag", "rejected with 401")] {
            for status in [200, 201, 204, 301, 302, 304] {
                let judged = rejecting(operation, FactKind::RejectsNoCredential, status);
                let finding = judged.finding("auth");
                assert_eq!(judged.kind(FactKind::RejectsNoCredential), Verdict::Broken, "{status}");
                assert_eq!(finding.documented.as_deref(), Some(documented));
                assert_eq!(finding.received, status.to_string());
            }
        }
    }

    /// Without invariants of ours the lifecycle says where a record is shown.
    #[test]
    fn a_rejection_with_a_record_of_an_inferred_lifecycle_is_none() {
        let document = "openapi: 3.0.3\ninfo: {title: A, version: '1'}\nsecurity: [{bearer: []}]\ncomponents:\n  \
            securitySchemes: {bearer: {type: http, scheme: bearer}}\n  schemas:\n    Note: {type: object, properties: \
            {id: {type: integer}, title: {type: string}, message: {type: string}}}\npaths:\n  /notes:\n    get: \
            {operationId: notes, responses: {'200': {description: a, content: {application/json: {schema: {type: array, \
            items: {$ref: '#/components/schemas/Note'}}}}}}}\n    post: {operationId: add, requestBody: {content: \
            {application/json: {schema: {type: object, properties: {title: {type: string}, message: {type: string}}}}}}, \
            responses: {'201': {description: a, content: {application/json: {schema: {$ref: \
            '#/components/schemas/Note'}}}}}}\n  /notes/{noteId}:\n    get: {operationId: note, parameters: [{name: \
            noteId, in: path, required: true, schema: {type: integer}}], responses: {'200': {description: a, content: \
            {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}}}\n";
        let judged = |operation: &str, path: &str, body: &serde_json::Value| {
            let kind = FactKind::RejectsNoCredential;
            let fixture = Fixture::text(document, operation).purpose(Purpose::MustBeRejected {
                fact: kind,
                meaning_of_another_rejection: RejectionMeaning::Finding,
            });
            let mut exchange = fixture.exchange(401, crate::rules::testing::JSON, &body.to_string());
            exchange.request.path = path.into();
            let judged = fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())));
            judged.kind(kind)
        };
        let note = json!({"id": 7, "title": "a", "message": "b"});
        let broken = [
            judged("note", "/notes/7", &note),
            judged("notes", "/notes", &json!([note])),
        ];
        assert_eq!(broken, [Verdict::Broken, Verdict::Broken]);
        for (operation, path, body) in [
            ("note", "/notes/8", note.clone()),
            ("note", "/notes/7", json!({"id": 7, "message": "Unauthenticated."})),
            (
                "note",
                "/notes/7",
                json!({"title": "Unauthorized", "message": "No token.", "status": 401}),
            ),
            ("notes", "/notes", json!([])),
            (
                "notes",
                "/notes",
                json!([{"title": "Unauthorized", "message": "No token."}]),
            ),
        ] {
            assert_eq!(judged(operation, path, &body), Verdict::Held, "{operation} {body}");
        }
    }

    #[test]
    fn a_rejection_with_a_page_of_the_list_is_none() {
        let judged = |status: u16, body: &serde_json::Value| {
            Fixture::of("getTags")
                .purpose(Purpose::MustBeRejected {
                    fact: FactKind::RejectsNoCredential,
                    meaning_of_another_rejection: RejectionMeaning::Finding,
                })
                .response(status, crate::rules::testing::JSON, &body.to_string())
        };
        let item = json!({"id": "t-1", "name": "a"});
        let page = |items: serde_json::Value| json!({"data": {"page": 1, "per_page": 10, "total": 1, "last_page": 1, "items": items}});
        for status in [401, 403] {
            let found = judged(status, &page(json!([item])));
            assert_eq!(found.kind(FactKind::RejectsNoCredential), Verdict::Broken);
            assert_eq!(
                found.received("auth"),
                format!("rejected with {status}, but its body shows a record")
            );
            assert_eq!(found.locations("auth").0, "");
        }
        for body in [
            json!({"message": "Unauthenticated."}),
            json!({"data": {"items": [item]}}),
            json!({"errors": [item]}),
            page(json!([])),
            page(json!([{"id": "t-1"}])),
            page(json!(["t-1"])),
        ] {
            assert_eq!(
                judged(401, &body).kind(FactKind::RejectsNoCredential),
                Verdict::Held,
                "{body}"
            );
        }
        assert_eq!(
            judged(404, &page(json!([item]))).kind(FactKind::RejectsNoCredential),
            Verdict::Held
        );
    }

    #[test]
    fn a_value_conforms_if_it_has_the_type_of_each_part() {
        let schema = "{allOf: [{type: number}, {type: integer}]}";
        let fixture = Fixture::responses(&format!(
            "'200': {{description: a, content: {{application/json: {{schema: {schema}}}}}}}"
        ));
        let contract = &*fixture.contract;
        let shape = contract
            .operation(fixture.operation)
            .successes()
            .find_map(|documented| documented.body);
        for (value, expected) in [
            (json!(2), true),
            (json!(1.5), false),
            (json!("a"), false),
            (json!(null), true),
        ] {
            assert_eq!(conforms(contract, shape.unwrap(), &value), expected, "{value}");
        }
    }

    #[test]
    fn a_status_that_everybody_gets_says_nothing_of_credentials() {
        let judged = |documented: u16, probed: u16| {
            let fixture = Fixture::of("getVenues");
            let probe = Purpose::MustBeRejected {
                fact: FactKind::RejectsNoCredential,
                meaning_of_another_rejection: RejectionMeaning::Finding,
            };
            let judged = fixture.judge(|judge| {
                judge.exchange(&fixture.exchange(documented, None, ""), fixture.intent());
                judge.exchange(&fixture.exchange(probed, None, ""), probe.into());
            });
            judged.kind(FactKind::RejectsNoCredential)
        };
        for status in [308, 400, 404, 405] {
            assert_eq!(judged(status, status), Verdict::Undecided(Reason::SameForAll(status)));
        }
        for (documented, probed) in [(200, 308), (302, 308), (500, 308), (200, 200), (404, 200)] {
            assert_eq!(judged(documented, probed), Verdict::Broken, "{documented} {probed}");
        }
        for (documented, probed) in [(308, 401), (200, 404), (403, 404)] {
            assert_eq!(judged(documented, probed), Verdict::Held, "{documented} {probed}");
        }
    }

    #[test]
    fn a_response_about_something_else_decides_nothing() {
        for (status, reason) in [
            (429, Reason::Throttled),
            (500, Reason::Failed(500)),
            (503, Reason::Failed(503)),
        ] {
            for operation in ["getTags", "createTag"] {
                let judged = rejecting(operation, FactKind::RejectsNoCredential, status);
                assert_eq!(
                    judged.kind(FactKind::RejectsNoCredential),
                    Verdict::Undecided(reason.clone())
                );
            }
        }
        let probe = Fixture::of("getTags").purpose(Purpose::MustBeRejected {
            fact: FactKind::RejectsNoCredential,
            meaning_of_another_rejection: RejectionMeaning::Finding,
        });
        let judged = probe.unanswered();
        assert_eq!(
            judged.kind(FactKind::RejectsNoCredential),
            Verdict::Undecided(Reason::NoResponse)
        );
    }

    #[test]
    fn a_documented_request_says_nothing_of_credentials() {
        let judged = Fixture::of("getTags").status(200);
        assert_eq!(
            judged.kind(FactKind::RejectsNoCredential),
            Verdict::Undecided(Reason::NotShown)
        );
    }

    #[test]
    fn a_wrong_token_is_a_fact_of_the_scheme_whichever_operation_shows_it() {
        let reported = rejecting("getVenues", FactKind::RejectsWrongToken, 401);
        assert_eq!(
            reported.fact("bearerAuth auth: a wrong token is rejected"),
            Verdict::Held
        );
        let reported = rejecting("createTag", FactKind::RejectsWrongToken, 403);
        assert_eq!(
            reported.fact("bearerAuth auth: a wrong token is rejected"),
            Verdict::Broken
        );
    }

    #[test]
    fn the_finding_points_at_the_whole_response_and_at_the_scheme() {
        let reported = rejecting("getTags", FactKind::RejectsNoCredential, 200);
        assert_eq!(
            reported.locations("auth"),
            ("", "/components/securitySchemes/bearerAuth")
        );
    }
}
