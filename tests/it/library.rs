//! A check as a library, as a program's own tests use it: with a service in the same process, and over a socket.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use chrono::DateTime;
use countersign::contract::operation::Method;
use countersign::exchange::RequestBody;
use countersign::report::{Outcome, Record};
use countersign::rules::Levels;
use countersign::service::fault::{self, Faults};
use countersign::service::{self, Service};
use countersign::{Check, Contract, Error, Report};
use http::{Request, Response};
use tower::ServiceExt as _;

use crate::support::again::assert_judged_again;
use crate::support::{contract_with_few_edge_cases, is_exhaustive, sampled};

/// As short as one that nobody takes trouble over.
const TOKEN: &str = "test";

/// Faults of the reference service, each with the rule that finds it.
const CAUGHT: [(&str, &str); 3] = [
    ("createContact/data/firstname:renamed", "missing-field"),
    ("createContact/data/firstname:altered", "stored-values"),
    ("getContacts:server-error", "server-error"),
];
/// Faults of which much goes by on the wire.
const ALIKE: [&str; 5] = [
    "createContact/data/lastname:altered",
    "getContacts:answered-204",
    "getContacts:body-cut",
    "getContacts:challenge-dropped",
    "getContacts:connection-cut",
];

fn my_app() -> Router {
    service::app(Service::in_memory(TOKEN.to_owned().into()).unwrap())
}

fn with_fault(name: &str) -> Router {
    let faults = Faults::named(&[name.to_owned()]).unwrap();
    fault::app(Service::in_memory(TOKEN.to_owned().into()).unwrap(), &faults)
}

/// A check that is the same each time.
fn check() -> Check {
    Check::new(contract_with_few_edge_cases())
        .seed(1)
        .started_at(DateTime::UNIX_EPOCH)
}

/// What the test of a service that does not keep its contract prints.
fn panic_of(report: &Report) -> String {
    let assertion = std::panic::AssertUnwindSafe(|| report.assert_conforms());
    let failed = std::panic::catch_unwind(assertion).unwrap_err();
    failed.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test]
async fn the_service_keeps_its_contract() -> Result<(), Error> {
    let report = Check::new(Contract::open("openapi.yaml")?)
        .service(my_app())
        .token(TOKEN)
        .writes(true)
        .run()
        .await?;
    report.assert_conforms();
    assert!(report.record().requests.writes > 0);
    Ok(())
}

/// The operation in which a fault shows; none where everything is tried, so that a check is of all.
fn of_faulty_operation(fault: &str) -> impl Iterator<Item = &str> {
    fault.split([':', '/']).take(usize::from(!is_exhaustive()))
}

#[tokio::test(start_paused = true)]
async fn a_fault_fails_the_test_with_the_name_of_its_rule() -> Result<(), Error> {
    for (fault, rule) in CAUGHT {
        let check = check().service(with_fault(fault)).token(TOKEN).writes(true);
        // An operation that always fails is no verdict by itself.
        let own = of_faulty_operation(fault).filter(|_| fault.contains('/'));
        let report = own.fold(check, Check::only).run().await?;
        assert!(!report.conforms());
        let reported = panic_of(&report);
        assert!(
            reported.contains(rule) && reported.contains("does not conform"),
            "{fault}: {reported}"
        );
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_overlay_is_judged_and_one_that_claims_nothing_is_an_error() -> Result<(), Error> {
    let of_tags = |claim: &str| {
        let target = "$.paths['/organization/v1/tags'].get.responses['2XX']";
        let answer = format!("{{gap: success-status, operation: getTags, claim: {claim}}}");
        let action = format!("{{target: \"{target}\", update: {{x-answers: [{answer}]}}}}");
        let overlay = format!("overlay: 1.0.0\nactions: [{action}]\n");
        let contract = Contract::built_in_with_overlay("known.yaml", overlay).unwrap();
        Check::new(contract)
            .service(my_app())
            .token(TOKEN)
            .only("getTags")
            .run()
    };
    for (claim, findings) in [("{status: 200}", 0), ("{status: 206}", 1)] {
        let report = of_tags(claim).await?;
        assert!(report.conforms(), "{report}");
        assert_eq!(report.record().findings.len(), findings, "{report}");
    }
    let error = of_tags("{status: many}").await.unwrap_err();
    assert!(matches!(error, Error::Contract(_)), "{error}");
    assert!(error.to_string().contains("known.yaml:2:"), "{error}");
    Ok(())
}

#[test]
fn the_checker_alone_brings_no_page_no_junit_no_store_and_no_command_line() {
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
    let brings = |feature: &str| {
        let parts = manifest["features"][feature].as_array().unwrap();
        parts.iter().map(|part| part.as_str().unwrap()).collect::<Vec<_>>()
    };
    let checker = brings("checker");
    let program = [brings("default"), brings("cli")].concat();
    assert!(checker.contains(&"dep:jsonschema"));
    for (feature, spared) in [
        ("html", "dep:maud"),
        ("junit", "dep:quick-junit"),
        ("service", "dep:rusqlite"),
        ("cli", "dep:clap"),
        ("cli", "dep:indicatif"),
    ] {
        assert!(brings(feature).contains(&spared), "{feature}");
        assert!(!checker.contains(&spared) && !checker.contains(&feature), "{spared}");
        assert!(program.contains(&feature), "{feature}");
    }
}

/// What a record says, but for where and when.
fn said(record: &Record) -> String {
    let findings = record.findings.iter();
    let findings: Vec<_> = findings
        .map(|finding| {
            (
                &finding.rule,
                &finding.fact,
                &finding.response_pointer,
                &finding.received,
            )
        })
        .collect();
    let residue: Vec<_> = record
        .residue
        .iter()
        .map(|left| (&left.operation, left.found))
        .collect();
    format!(
        "{:?} {findings:#?} {:#?} {residue:#?} {:?}",
        record.outcome, record.facts, record.requests
    )
}

#[tokio::test]
async fn a_service_in_this_process_is_judged_as_over_a_socket() -> Result<(), Error> {
    for fault in sampled(2, [None].into_iter().chain(ALIKE.map(Some))) {
        let app = || fault.map_or_else(my_app, with_fault);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        // Over a socket a token is not that short, and a layer makes it the service's.
        let long = |router: Router| {
            router.layer(axum::middleware::map_request(
                async |mut request: axum::extract::Request| {
                    if let Some(shown) = request.headers_mut().get_mut("authorization") {
                        let plain = shown.to_str().unwrap().replace("longer-token", TOKEN);
                        *shown = plain.parse().unwrap();
                    }
                    request
                },
            ))
        };
        let served = tokio::spawn(service::run(listener, long(app()), std::future::pending()));
        let settled = || {
            let settled = check().token("longer-token").writes(true);
            let settled = settled.settle(Duration::ZERO).jobs(1);
            fault
                .into_iter()
                .flat_map(of_faulty_operation)
                .fold(settled, Check::only)
        };
        let over_a_socket = settled().url(url).run().await?.into_record();
        served.abort();
        let in_process = settled().service(long(app())).run().await?.into_record();
        assert_eq!(in_process.target, "http://in-process.localhost");
        assert_eq!(said(&in_process), said(&over_a_socket), "{fault:?}");
    }
    Ok(())
}

const SMALL: &str = "openapi: 3.0.3
info: {title: Small, version: '1'}
paths:
  /things:
    get:
      operationId: getThings
      responses:
        '200':
          description: Things
          content: {application/json: {schema: {type: array, items: {type: string}}}}
";

fn small() -> Check {
    Check::new(Contract::read("small.yaml", SMALL.to_owned()).unwrap())
}

async fn response(body: &'static str) -> Report {
    let service = tower::service_fn(move |_: Request<RequestBody>| async move {
        let response = Response::builder().header("content-type", "application/json");
        Ok::<_, Infallible>(response.body(axum::body::Body::from(body)).unwrap())
    });
    small().service(service).run().await.unwrap()
}

#[tokio::test]
async fn any_tower_service_is_checked() {
    response(r#"["a"]"#).await.assert_conforms();
    assert!(panic_of(&response("[1]").await).contains("wrong-type"));
    // A service that takes another body is given one.
    let router = Router::new().route("/things", get(async || axum::Json(["a"])));
    let typed = router
        .into_service::<axum::body::Body>()
        .map_request(|request: Request<RequestBody>| request.map(axum::body::Body::new));
    small().service(typed).run().await.unwrap().assert_conforms();
}

#[tokio::test]
async fn a_check_that_could_not_judge_fails_the_test() {
    let nothing = Router::new().fallback(async || StatusCode::NOT_FOUND);
    let report = small().service(nothing).run().await.unwrap();
    assert_eq!(report.record().outcome, Outcome::CouldNotJudge);
    assert!(panic_of(&report).contains("could not be judged"));
}

#[tokio::test(start_paused = true)]
async fn a_silent_service_costs_no_time_on_a_paused_clock() {
    let began = std::time::Instant::now();
    let silent = Router::new().route("/things", get(async || std::future::pending::<()>().await));
    let report = small()
        .service(silent)
        .timeout(Duration::from_secs(3_600))
        .max_time(Duration::MAX)
        .run()
        .await
        .unwrap();
    assert!(!report.conforms());
    assert!(panic_of(&report).contains("unfinished-answer"));
    assert!(began.elapsed() < Duration::from_secs(3_600));
}

#[tokio::test(start_paused = true)]
async fn a_service_is_waited_for_as_long_as_was_said() {
    for (up_after_ms, conforms) in [(0, true), (850, true), (1_050, false)] {
        let began = tokio::time::Instant::now();
        let starting = Router::new().route(
            "/things",
            get(move || async move {
                let is_up = began.elapsed() >= Duration::from_millis(up_after_ms);
                is_up
                    .then_some(axum::Json(["a"]))
                    .ok_or(StatusCode::SERVICE_UNAVAILABLE)
            }),
        );
        let check = small().service(starting).wait(Duration::from_secs(1));
        let report = check.run().await.unwrap();
        assert_eq!(report.conforms(), conforms, "{up_after_ms} ms");
    }
}

#[tokio::test]
async fn a_handler_that_panics_is_found_and_ends_no_check() {
    async fn broken() {
        panic!("as the test asks");
    }
    let report = small()
        .service(Router::new().route("/things", get(broken)))
        .run()
        .await
        .unwrap();
    assert!(panic_of(&report).contains("unfinished-answer"));
}

#[tokio::test]
async fn a_contract_is_shared_by_several_checks() -> Result<(), Error> {
    let contract = Arc::new(Contract::built_in()?);
    for operation in ["getTags", "getVenues"] {
        let check = Check::new(Arc::clone(&contract))
            .only(operation)
            .service(my_app())
            .token(TOKEN);
        let planned = check.plan()?.steps.len();
        let report = check.run().await?;
        report.assert_conforms();
        assert!(planned > 0 && report.record().exchanges.is_empty());
    }
    Ok(())
}

#[tokio::test]
async fn the_settings_hold() -> Result<(), Error> {
    let report = |check: Check| check.service(my_app()).token(TOKEN).run();
    let reads = report(check()).await?;
    assert_eq!((reads.record().requests.writes, reads.record().residue.len()), (0, 0));
    let few = report(check().writes(true).max_writes(3)).await?;
    assert!((1..=3).contains(&few.record().residue.len()));
    let kept = report(check().only("getTags").keep_exchanges(true)).await?;
    assert_eq!(
        u64::try_from(kept.record().exchanges.len()).ok(),
        Some(kept.record().requests.sent)
    );
    let skipped = report(check().skip("getTags").skip("getVisits")).await?;
    assert!(skipped.record().requests.sent < reads.record().requests.sent);
    let asked_for = report(check().require_facts(100.0)).await?;
    assert_eq!(asked_for.record().outcome, Outcome::CouldNotJudge);
    let mut events = 0;
    let watched = check().service(my_app()).token(TOKEN);
    watched.run_watched(&mut |_| events += 1).await?;
    assert!(events > 0);
    Ok(())
}

#[tokio::test]
async fn levels_decide_what_fails() -> Result<(), Error> {
    let service = || {
        tower::service_fn(|_: Request<RequestBody>| async {
            Ok::<_, Infallible>(Response::new(axum::body::Body::from("[1]")))
        })
    };
    let of = |check: Check| check.service(service()).run();
    assert!(!of(small()).await?.conforms());
    assert!(of(small().warn("wrong-type").allow("media-type")).await?.conforms());
    assert!(
        !of(small().warn("wrong-type").allow("media-type").deny("wrong-type"))
            .await?
            .conforms()
    );
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_checked_is_an_error_that_says_so() {
    let reported = async |check: Check| check.run().await.unwrap_err().to_string();
    let tokened = || check().token("a-longer-token");
    for (check, expected) in [
        (tokened(), "there is nothing to check"),
        (check().service(my_app()), "asks for a token"),
        (tokened().only("getTag"), "did you mean `getTags`?"),
        (
            tokened().deny("wrong-types").service(my_app()),
            "there is no rule `wrong-types`",
        ),
        (tokened().url("api.example.com"), "failed to read the base URL"),
        (
            check().token(TOKEN).url("https://api.example.com"),
            "fewer than 8 characters",
        ),
        (check().token("").service(my_app()), "failed to use the token"),
    ] {
        let reported = reported(check).await;
        assert!(reported.contains(expected), "{expected}: {reported}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_check_that_was_recorded_is_judged_again_without_a_request() -> Result<(), Error> {
    let contract = contract_with_few_edge_cases();
    let check = || check().token(TOKEN).writes(true);
    let unrecorded = check().only("getTags").service(my_app()).run().await?;
    assert!(unrecorded.recording().is_none());
    for app in [my_app(), with_fault(CAUGHT[0].0)] {
        let report = check().service(app).keep_recording(true).run().await?;
        let recording = report.recording().unwrap();
        let sent = report.record().requests.sent;
        assert_eq!(recording.exchanges().count(), usize::try_from(sent).unwrap());
        assert_judged_again(&contract, report.run());
        // Nothing of what was answered is in what a log or a failed assertion prints.
        assert_eq!(
            format!("{recording:?}"),
            format!("Recording {{ exchanges: {sent}, .. }}")
        );
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_recording_that_is_edited_shows_what_a_service_would_be_found_at_fault_for() -> Result<(), Error> {
    let contract = contract_with_few_edge_cases();
    let check = check().token(TOKEN).writes(true).service(my_app());
    let report = check.keep_recording(true).run().await?;
    let recording = report.recording().unwrap();
    let edits = [
        ("pages", r#""total":"#, r#""total":1"#),
        ("stored-values", r#""firstname":""#, r#""firstname":"a"#),
        ("listed", r#""id":""#, r#""id":"a"#),
    ];
    for (rule, from, to) in edits {
        let verdicts = recording.judge_edited(&contract, Levels::default(), |exchange| {
            let mut edited = exchange.clone();
            let response = edited.outcome.as_mut().ok()?;
            let text = String::from_utf8(response.body.to_vec()).unwrap();
            response.body = text.replace(from, to).into();
            (exchange.request.method == Method::Get).then_some(edited)
        });
        let found: Vec<_> = verdicts.findings().iter().map(|finding| finding.rule.name).collect();
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    Ok(())
}
