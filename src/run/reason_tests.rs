//! Tests that each reason for an undecided fact is true: a run gives it against a service that shows just that, or the
//! test of a rule, named here, shows it. A new reason needs a case of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use super::{Run, Settings, run};
use crate::client::Token;
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::contract::operation::OperationId;
use crate::exchange::{Limits, Transport};
use crate::history::RunTag;
use crate::plan::{NeededValue, NoValue, NotCalled, Plan, Scope};
use crate::rules::{Levels, Reason, TrafficReason, Verdict};

const TOKEN: &str = "reasons-token";

/// A read without security, one that needs a token, one that takes a value from another's response,
/// one that takes an example, and a create.
const CONTRACT: &str = "openapi: 3.0.3
info: {title: Reasons, version: '1'}
components:
  securitySchemes: {key: {type: http, scheme: bearer}}
paths:
  /public:
    get:
      operationId: getOpen
      responses:
        '200':
          description: a
          content: {application/json: {schema: {type: object, properties: {size: {type: integer}}}}}
          links: {It: {operationId: getLinked, parameters: {id: '$response.body#/id'}}}
        '304': {description: same}
    post:
      operationId: create
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'201': {description: a}}
  /guarded:
    get:
      operationId: getGuarded
      security: [{key: []}]
      responses: {'200': {description: a}}
  /linked/{id}:
    get:
      operationId: getLinked
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: a}}
  /example/{id}:
    get:
      operationId: getExample
      parameters: [{name: id, in: path, required: true, schema: {type: string}, example: shown}]
      responses: {'200': {description: a}}
";

/// What a service saw: method and path, and the credential.
type ReceivedRequest = (String, Option<String>);

/// How a service responds to a request: with a status, where 0 is a 200 whose body breaks off, and with a body.
type Respond = fn(&ReceivedRequest) -> (u16, &'static str);

/// A reason, how a run arrives at it, and what the service must have seen.
struct Case {
    reason: Reason,
    fact: &'static str,
    respond: Respond,
    set: fn(&Contract, &mut Scope, &mut Settings),
    evidence: fn(&[ReceivedRequest]) -> bool,
}

/// Where a reason is shown to be true.
enum ReasonProof {
    /// By the case of this module.
    Here,
    /// By the test with this name, in a file with this text.
    Tested(&'static str, &'static str),
}

fn shown_by_traffic(reason: &TrafficReason) -> ReasonProof {
    let test = match reason {
        TrafficReason::NoBody => "a_body_that_was_not_recorded_decides_nothing_but_its_status",
        TrafficReason::NoCall | TrafficReason::NeedsCheck => {
            "a_recording_of_a_check_is_judged_as_the_check_was_however_it_is_split"
        }
        TrafficReason::NoHeaders => "headers_that_were_not_recorded_decide_nothing_and_the_status_counts",
        TrafficReason::OneWalk => "one_walk_that_does_not_add_up_is_not_enough_and_two_are",
        TrafficReason::Rejected(_) => "a_rejection_of_another_clients_request_is_not_a_finding",
    };
    ReasonProof::Tested(include_str!("../../tests/it/traffic.rs"), test)
}

fn shown_by_inferred_pages() -> ReasonProof {
    let test = "one_page_and_a_list_that_was_not_seen_in_full_decide_nothing_but_sizes";
    ReasonProof::Tested(include_str!("../rules/inferred_pages.rs"), test)
}

fn shown_by_mistyped_fields() -> ReasonProof {
    ReasonProof::Tested(
        include_str!("../../tests/it/proof/edge_cases.rs"),
        "a_service_that_lets_in_any_type_is_left_with_one_such_record_of_each_create",
    )
}

fn shown_by_unreadable_record() -> ReasonProof {
    ReasonProof::Tested(
        include_str!("../../tests/it/proof/unreadable.rs"),
        "a_record_that_an_edge_case_makes_unreadable_is_found_and_no_more_are_sent",
    )
}

fn shown_by_query() -> ReasonProof {
    let test = "a_query_that_keeps_what_it_is_asked_is_reported_as_left_and_gets_no_edge_case";
    ReasonProof::Tested(include_str!("../../tests/it/proof/query.rs"), test)
}

fn shown_by_learned(test: &'static str) -> ReasonProof {
    ReasonProof::Tested(include_str!("../rules/changed_answer.rs"), test)
}

fn shown_by_typed_client() -> ReasonProof {
    let test = "errors_broken_responses_and_other_contracts_say_nothing_of_the_client";
    ReasonProof::Tested(include_str!("../rules/typed_client.rs"), test)
}

fn shown_by_closed_connection() -> ReasonProof {
    let test = "a_connection_that_is_closed_when_it_may_be_idle_decides_nothing";
    ReasonProof::Tested(include_str!("../rules/unfinished_answer.rs"), test)
}

fn shown_by_spelling() -> ReasonProof {
    let test = "an_identifier_without_capitals_is_not_written_in_them_and_that_is_said";
    ReasonProof::Tested(include_str!("../../tests/it/proof/equivalent.rs"), test)
}

fn shown_by_assertion() -> ReasonProof {
    let test = "an_assertion_that_cannot_be_read_decides_nothing";
    ReasonProof::Tested(include_str!("../rules/constraint.rs"), test)
}

fn shown_by_header() -> ReasonProof {
    let test = "a_value_with_several_readings_decides_nothing";
    ReasonProof::Tested(include_str!("../rules/header_text.rs"), test)
}

fn shown(reason: &Reason) -> ReasonProof {
    use ReasonProof::{Here, Tested};
    let (pages, listed) = (include_str!("../rules/pages.rs"), include_str!("../rules/listed.rs"));
    let (stored, typed) = (
        include_str!("../rules/stored_values.rs"),
        include_str!("../rules/typed_client.rs"),
    );
    let counts = include_str!("../../tests/it/proof/counts.rs");
    match reason {
        Reason::ClosedWhenIdle => shown_by_closed_connection(),
        Reason::LimitExceeded
        | Reason::Documented(_)
        | Reason::Failed(_)
        | Reason::MaxWrites(_)
        | Reason::No401(_)
        | Reason::NoTokenSent(_)
        | Reason::NoValue(_)
        | Reason::NotCalled(_)
        | Reason::NotReady
        | Reason::ThrottledNotRepeated
        | Reason::NotShown
        | Reason::SameForAll(_)
        | Reason::Rejected(_)
        | Reason::RejectedUncertainValue(_)
        | Reason::RunEnded
        | Reason::Throttled
        | Reason::TokenRejected(_)
        | Reason::NoResponse => Here,
        Reason::OtherStatus(_) | Reason::PageUnclear | Reason::PageUnread | Reason::TooManyPages(_) => {
            Tested(listed, "a_list_that_was_not_seen_whole_decides_nothing")
        }
        Reason::MoreInferredPages(_) | Reason::PageNotFollowed => shown_by_inferred_pages(),
        Reason::OtherFactBroken => Tested(typed, "a_response_that_breaks_a_fact_is_not_reported_again"),
        Reason::ListChanged => Tested(pages, "a_list_that_changed_decides_nothing_about_its_items"),
        Reason::WrongTypeLimit(_) => shown_by_mistyped_fields(),
        Reason::RecordUnreadable => shown_by_unreadable_record(),
        Reason::StoredByQuery => shown_by_query(),
        Reason::NothingToUppercase => shown_by_spelling(),
        Reason::Traffic(reason) => shown_by_traffic(reason),
        Reason::NoIdentifier => Tested(listed, "a_record_without_an_identifier_is_not_called_lost"),
        Reason::NoInstant => Tested(stored, "a_form_that_names_no_instant_says_nothing"),
        Reason::NoFullPage(_) => Tested(
            counts,
            "a_list_that_needs_more_than_is_allowed_for_its_last_page_says_how_many_are",
        ),
        Reason::NotFilledByDefault(_) => Tested(
            counts,
            "a_list_that_no_budget_can_fill_gets_no_record_for_its_last_page_and_says_so",
        ),
        Reason::NotFull => Tested(pages, "a_last_page_that_is_not_full_decides_nothing_of_a_full_one"),
        Reason::NoSecondPage(..) => Tested(
            include_str!("../../tests/it/proof/moves/few.rs"),
            "a_list_whose_second_page_is_out_of_reach_gets_no_record_and_says_so",
        ),
        Reason::NotReturned => Tested(stored, "a_field_that_is_missing_is_left_to_the_rule_that_misses_it"),
        Reason::NotOwn(_) => Tested(
            include_str!("../../tests/it/proof/harm.rs"),
            "a_create_with_the_identifier_of_a_record_that_no_page_showed_is_not_written_under",
        ),
        Reason::NotSent => Tested(stored, "a_field_that_was_not_sent_is_undecided"),
        Reason::OnePage => Tested(pages, "one_page_shows_neither_another_page_nor_a_shared_item"),
        Reason::OnlyNull => Tested(
            include_str!("../rules/identifier.rs"),
            "null_identifies_nothing_however_often_it_comes",
        ),
        Reason::HeaderUnclear => shown_by_header(),
        Reason::AssertionUnreadable(_) => shown_by_assertion(),
        Reason::NoClientType => shown_by_typed_client(),
        Reason::AnswerNotConfirmed => shown_by_learned("what_does_not_contradict_an_answer_leaves_it_undecided"),
        Reason::GapNotAnswered(_) => shown_by_learned("what_was_not_seen_again_is_undecided"),
    }
}

fn calls(asked: &[ReceivedRequest], call: &str) -> usize {
    asked.iter().filter(|(other, _)| other == call).count()
}

/// What a sound service answers.
fn sound(asked: &ReceivedRequest) -> (u16, &'static str) {
    match (asked.0.as_str(), asked.1.as_deref()) {
        ("POST /public", _) => (201, ""),
        ("GET /guarded", credential) if credential != Some("Bearer reasons-token") => (401, ""),
        ("GET /public", _) => (200, r#"{"id": "a", "size": 1}"#),
        _ => (200, ""),
    }
}

/// A sound service except for this call.
macro_rules! but {
    ($call:expr => $response:expr) => {
        |asked: &ReceivedRequest| if asked.0 == $call { $response } else { sound(asked) }
    };
}

fn nothing(_: &Contract, _: &mut Scope, _: &mut Settings) {}

fn case(reason: Reason, fact: &'static str, respond: Respond, evidence: fn(&[ReceivedRequest]) -> bool) -> Case {
    Case {
        reason,
        fact,
        respond,
        set: nothing,
        evidence,
    }
}

fn cases() -> Vec<Case> {
    let parts = [of_responses(), of_credentials(), of_values(), of_limits()];
    parts.into_iter().flatten().collect()
}

/// The cases in which a response, or its lack, leaves a fact undecided.
fn of_responses() -> Vec<Case> {
    let open = |asked: &[ReceivedRequest]| calls(asked, "GET /public") == 1;
    vec![
        case(
            Reason::LimitExceeded,
            "getOpen body: JSON",
            but!("GET /public" => (200, r#"{"size": 1e999}"#)),
            open,
        ),
        case(
            Reason::Documented(304),
            "getOpen status: 200",
            but!("GET /public" => (304, "")),
            open,
        ),
        case(
            Reason::Failed(500),
            "getOpen status: 200",
            but!("GET /public" => (500, "")),
            open,
        ),
        case(
            Reason::NoResponse,
            "getOpen status: 200",
            but!("GET /public" => (0, "")),
            open,
        ),
        case(
            Reason::NotShown,
            "getOpen /size: integer",
            but!("GET /public" => (200, "{}")),
            open,
        ),
        case(
            Reason::Throttled,
            "getOpen status: 200",
            but!("GET /public" => (429, "")),
            |asked| calls(asked, "GET /public") > 1,
        ),
        case(
            Reason::Rejected(422),
            "create status: 201",
            but!("POST /public" => (422, "")),
            |asked| calls(asked, "POST /public") > 0,
        ),
        case(
            Reason::RejectedUncertainValue(404),
            "getExample status: 200",
            but!("GET /example/shown" => (404, "")),
            |asked| calls(asked, "GET /example/shown") == 1,
        ),
    ]
}

/// The cases in which a credential leaves a fact undecided.
fn of_credentials() -> Vec<Case> {
    let token = |asked: &[ReceivedRequest]| {
        asked
            .iter()
            .any(|(_, credential)| credential.as_deref() == Some("Bearer reasons-token"))
    };
    vec![
        case(
            Reason::NoTokenSent(401),
            "getOpen status: 200",
            but!("GET /public" => (401, "")),
            |asked| {
                asked
                    .iter()
                    .all(|(call, credential)| call != "GET /public" || credential.is_none())
            },
        ),
        case(
            Reason::TokenRejected(403),
            "getGuarded status: 200",
            but!("GET /guarded" => (403, "")),
            token,
        ),
        case(
            Reason::SameForAll(308),
            "getGuarded auth: a request without a credential is rejected",
            but!("GET /guarded" => (308, "")),
            token,
        ),
        case(
            Reason::No401(403),
            "getGuarded auth: a 401 asks for Bearer",
            |asked| match sound(asked) {
                (401, _) => (403, ""),
                sound => sound,
            },
            token,
        ),
        case(
            Reason::ThrottledNotRepeated,
            "key auth: a wrong token is rejected",
            |asked| match sound(asked) {
                (401, _) => (429, ""),
                sound => sound,
            },
            |asked| {
                let wrong = asked.iter().filter(|(_, credential)| {
                    credential
                        .as_deref()
                        .is_some_and(|sent| sent.starts_with("Bearer ") && !sent.ends_with(TOKEN))
                });
                wrong.count() == 1
            },
        ),
    ]
}

/// The cases in which a request lacks a value.
fn of_values() -> Vec<Case> {
    let needed = |sources: &str| NeededValue {
        operation: "getLinked".to_owned(),
        field: "id".to_owned(),
        sources: vec![sources.to_owned()],
    };
    let open = |asked: &[ReceivedRequest]| calls(asked, "GET /public") == 1;
    vec![
        case(
            Reason::NoValue(NoValue::NotInResponses {
                needed: needed("getOpen"),
            }),
            "getLinked status: 200",
            but!("GET /public" => (200, "{}")),
            open,
        ),
        case(
            Reason::NoValue(NoValue::SourceFailed {
                needed: needed("getOpen"),
            }),
            "getLinked status: 200",
            but!("GET /public" => (404, "")),
            open,
        ),
        Case {
            set: |contract, scope, _| scope.skip = vec![named(contract, "getOpen")],
            ..case(
                Reason::NotCalled(NotCalled::Because(
                    NoValue::SourceNotCalled {
                        needed: needed("getOpen"),
                    }
                    .to_string(),
                )),
                "getLinked status: 200",
                sound,
                |asked| calls(asked, "GET /public") == 0,
            )
        },
    ]
}

/// The cases in which the user or the target prevents a request.
fn of_limits() -> Vec<Case> {
    vec![
        Case {
            set: |_, scope, _| scope.writes = false,
            ..case(
                Reason::NotCalled(NotCalled::Because("needs writes, which are off".to_owned())),
                "create status: 201",
                sound,
                |asked| calls(asked, "POST /public") == 0,
            )
        },
        Case {
            set: |_, _, settings| settings.max_writes = 0,
            ..case(Reason::MaxWrites(0), "create status: 201", sound, |asked| {
                calls(asked, "POST /public") == 0
            })
        },
        Case {
            set: |_, _, settings| {
                settings.max_time = Duration::from_secs(1);
                settings.rate = Some(0.1);
            },
            ..case(Reason::RunEnded, "getLinked status: 200", sound, |asked| {
                calls(asked, "GET /linked/a") == 0
            })
        },
        Case {
            set: |_, _, settings| settings.wait = Some(Duration::ZERO),
            ..case(
                Reason::NotReady,
                "getOpen status: 200",
                |_| (502, ""),
                |asked| !asked.is_empty(),
            )
        },
    ]
}

fn named(contract: &Contract, operation: &str) -> OperationId {
    contract.operation_named(operation).unwrap()
}

/// Runs the check of a case, and returns the run and what the service saw.
async fn checked(contract: &Contract, case: &Case) -> (Run, Vec<ReceivedRequest>) {
    let log: Arc<Mutex<Vec<ReceivedRequest>>> = Arc::default();
    let (seen, respond) = (Arc::clone(&log), case.respond);
    let response = move |method: Method, uri: Uri, headers: HeaderMap| {
        let sent = headers
            .get("authorization")
            .map(|sent| sent.to_str().unwrap().to_owned());
        let asked = (format!("{method} {}", uri.path()), sent);
        seen.lock().unwrap().push(asked.clone());
        let (status, body) = respond(&asked);
        async move { answered(status, body) }
    };
    let mut scope = Scope {
        writes: true,
        token: true,
        also_send: vec![named(contract, "create")],
        seed: 1,
        ..Scope::default()
    };
    let mut settings = Settings {
        settle: Duration::ZERO,
        keep_recording: true,
        ..Settings::new(RunTag::new(1, 1))
    };
    (case.set)(contract, &mut scope, &mut settings);
    let (token, wrong) = (Token::new(TOKEN).unwrap(), settings.run_tag.wrong_token_seed());
    let service = Router::new().fallback(response);
    let transport = Transport::in_process(service, Some(token), wrong, Limits::default());
    let plan = Plan::new(contract, &scope);
    let mut silent = |_: super::Event<'_>| {};
    let run = run(
        contract,
        &plan,
        &transport,
        &settings,
        (&mut silent, std::future::pending()),
    )
    .await;
    let asked = std::mem::take(&mut *log.lock().unwrap());
    (run, asked)
}

/// Returns a response; one with status 0 ends too early.
fn answered(status: u16, body: &'static str) -> Response {
    if status == 0 {
        let cut = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let parts = [Ok(Bytes::from_static(b"{")), Err(cut)];
        return axum::body::Body::from_stream(futures::stream::iter(parts)).into_response();
    }
    let status = StatusCode::from_u16(status).unwrap();
    let headers = [("content-type", "application/json"), ("retry-after", "0")];
    (status, headers, body).into_response()
}

#[tokio::test(start_paused = true)]
async fn each_reason_is_given_where_its_evidence_is() {
    let contract = Contract::read("reasons.yaml", CONTRACT.to_owned()).unwrap();
    for case in cases() {
        let (run, asked) = checked(&contract, &case).await;
        let fact = contract.facts.iter().position(|fact| fact.name == case.fact);
        let fact = FactId(fact.unwrap_or_else(|| panic!("no fact {}", case.fact)));
        let verdict = run.verdicts.of(&contract, fact);
        assert_eq!(verdict, Verdict::Undecided(case.reason.clone()), "{}", case.fact);
        assert!((case.evidence)(&asked), "{:?}: {asked:?}", case.reason);
        let again = run.recording.unwrap().judge(&contract, Levels::default());
        // The report of a check that never reached its target says only that.
        if case.reason != Reason::NotReady {
            assert_eq!(again.of(&contract, fact), verdict, "{}", case.fact);
        }
        assert!(matches!(shown(&case.reason), ReasonProof::Here));
    }
}

#[test]
fn every_reason_has_a_case_or_a_test_of_its_rule() {
    let status = 404;
    let elsewhere = [
        Reason::OtherStatus(status),
        Reason::OtherFactBroken,
        Reason::ListChanged,
        Reason::StoredByQuery,
        Reason::RecordUnreadable,
        Reason::NoIdentifier,
        Reason::NoInstant,
        Reason::NoFullPage(1),
        Reason::NotFilledByDefault(20),
        Reason::NoSecondPage(2, 1),
        Reason::NotFull,
        Reason::NotReturned,
        Reason::NotSent,
        Reason::OnePage,
        Reason::OnlyNull,
        Reason::MoreInferredPages(10),
        Reason::PageNotFollowed,
        Reason::PageUnclear,
        Reason::PageUnread,
        Reason::TooManyPages(3),
        Reason::Traffic(TrafficReason::NeedsCheck),
        Reason::Traffic(TrafficReason::NoBody),
        Reason::Traffic(TrafficReason::NoCall),
        Reason::Traffic(TrafficReason::NoHeaders),
        Reason::Traffic(TrafficReason::OneWalk),
        Reason::Traffic(TrafficReason::Rejected(status)),
        Reason::AssertionUnreadable(String::new()),
        Reason::NoClientType,
    ];
    for reason in elsewhere {
        let ReasonProof::Tested(file, test) = shown(&reason) else {
            panic!("{reason:?} is shown here");
        };
        assert!(file.contains(&format!("fn {test}(")), "{reason:?}: no test {test}");
    }
}
