//! Security schemes: each credential goes where the contract has it, what must be rejected follows from the scheme, and
//! nothing of a credential comes out anywhere.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::formats::EVERY_FORMAT;
use super::stub::{Received, Stub};
use super::support::{Ended, check, countersign};
use crate::support::leaks::Scanner;

const PASSWORD: &str = "Pw-5f1c09be-of-nobody";
const USER_AND_PASSWORD: &str = "jane.roe:Pw-5f1c09be-of-nobody";
/// With characters that a URL and a shell treat as their own.
const KEY: &str = "Key/5f1c+09be=of&nobody";

const BEARER: &str = "{type: http, scheme: bearer}";
const HEADER: &str = "{type: apiKey, in: header, name: X-Key}";
const BASIC: &str = "{type: http, scheme: basic}";
const COOKIE: &str = "{type: apiKey, in: cookie, name: sid}";
const QUERY: &str = "{type: apiKey, in: query, name: app id}";

/// A contract whose only operation is secured by these alternatives.
fn contract(schemes: &str, security: &str) -> String {
    format!(
        "openapi: 3.0.3
info: {{title: Things, version: '1'}}
components: {{securitySchemes: {{{schemes}}}}}
security: {security}
paths:
  /things:
    get:
      operationId: listThings
      parameters:
        - {{name: kind, in: query, required: true, schema: {{type: string}}, example: small}}
        - {{name: theme, in: cookie, required: true, schema: {{type: string}}, example: dark}}
      responses:
        '200':
          description: All things
          content: {{application/json: {{schema: {{type: object, required: [total], properties: {{total: {{type: integer}}}}}}}}}}
"
    )
}

fn contract_of(scheme: &str) -> String {
    contract(&format!("it: {scheme}"), "[{it: []}]")
}

fn basic(token: &str) -> String {
    format!("Basic {}", STANDARD.encode(token))
}

/// What of a request carries its credential: the header, the cookies, the query, and a header of its own.
fn carried(request: &Received) -> [String; 4] {
    let query = request.head.split(' ').nth(1).unwrap().split_once('?');
    [
        request.header("authorization").unwrap_or_default().to_owned(),
        request.header("cookie").unwrap_or_default().to_owned(),
        query.map_or_else(String::new, |(_, query)| query.to_owned()),
        request.header("x-key").unwrap_or_default().to_owned(),
    ]
}

/// A service that lets in whom `lets_in` does, and returns the credential of each request in its response.
fn service(lets_in: impl Fn(&Received) -> bool + Send + Sync + 'static) -> Stub {
    Stub::start(move |request, stream| {
        let echo = carried(request).join(" ");
        let (status, total) = if lets_in(request) {
            ("200 OK", Value::from(1))
        } else {
            (
                "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\", Bearer",
                echo.clone().into(),
            )
        };
        let body = serde_json::json!({"total": total, "token": echo}).to_string();
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n");
        stream.write_all(format!("{head}X-Echo: {echo}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
    })
}

/// Checks with this token and every report, and asserts that nothing of a secret comes out.
fn checked(target: &Stub, token: &str, spec: &str, secrets: &[&str]) -> (Ended, Value) {
    let mut scanner = Scanner::new();
    for secret in secrets {
        scanner.hide("a secret", secret, true);
    }
    let arguments = [&["-v", "--spec", "things.yaml"][..], &EVERY_FORMAT].concat();
    for shown in [&[][..], &["--show-values"]] {
        let call = check(&target.url(), &[&arguments[..], shown].concat()).env("COUNTERSIGN_TOKEN", token);
        let ended = call.file("things.yaml", spec).run();
        scanner.assert_clean("standard output", ended.stdout.as_bytes());
        scanner.assert_clean("standard error", ended.stderr.as_bytes());
        for name in ended.files() {
            scanner.assert_clean(&name, &std::fs::read(ended.path().join(&name)).unwrap());
        }
        if !shown.is_empty() {
            let report = ended.json("report.json");
            return (ended, report);
        }
    }
    unreachable!("the last call shows values")
}

/// The broken facts about credentials.
fn let_in(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    let of_auth = findings.filter(|finding| finding["rule"] == "auth");
    let mut facts: Vec<_> = of_auth.map(|finding| finding["fact"].as_str().unwrap()).collect();
    facts.sort_unstable();
    facts
}

#[test]
fn a_user_and_a_password_go_into_the_header_by_basic() {
    let right = basic(USER_AND_PASSWORD);
    let expected = right.clone();
    let target = service(move |request| request.header("authorization") == Some(&expected));
    let secrets = [PASSWORD, USER_AND_PASSWORD, &right["Basic ".len()..]];
    let (ended, report) = checked(&target, USER_AND_PASSWORD, &contract_of(BASIC), &secrets);
    assert_eq!((ended.code, let_in(&report)), (0, vec![]), "{ended:?}");
    let sent: Vec<_> = target
        .received()
        .iter()
        .map(|request| carried(request)[0].clone())
        .collect();
    assert!(sent.contains(&String::new()), "no credential: {sent:?}");
    assert!(sent.contains(&basic(":")), "neither user nor password: {sent:?}");
    let other = format!("Bearer {}", &right["Basic ".len()..]);
    assert!(sent.contains(&other), "another scheme: {sent:?}");
    let decoded = sent
        .iter()
        .filter_map(|value| STANDARD.decode(value.strip_prefix("Basic ")?).ok());
    let decoded: Vec<_> = decoded.map(|token| String::from_utf8(token).unwrap()).collect();
    let wrong = |token: &&String| **token != USER_AND_PASSWORD && token.starts_with("jane.roe:");
    assert!(
        decoded.iter().any(|token| wrong(&token)),
        "a wrong password: {decoded:?}"
    );
}

#[test]
fn a_token_and_a_key_go_into_their_header() {
    for (scheme, place, before) in [(BEARER, 0, "Bearer "), (HEADER, 3, "")] {
        let right = format!("{before}{KEY}");
        let expected = right.clone();
        let target = service(move |request| carried(request)[place] == expected);
        let (ended, report) = checked(&target, KEY, &contract_of(scheme), &[KEY]);
        assert_eq!((ended.code, let_in(&report)), (0, vec![]), "{ended:?}");
        let received = target.received();
        let sent = || received.iter().map(|request| carried(request)[place].clone());
        let has = |header: &str| {
            let fields = received.iter().filter(|request| request.header(header).is_some());
            fields.count()
        };
        let name = if place == 0 { "authorization" } else { "x-key" };
        assert!(has(name) < received.len(), "no credential: {scheme}");
        assert!(sent().any(|value| value == before), "an empty one: {scheme}");
        let wrong = sent().filter(|value| value.len() > before.len() && *value != right);
        assert!(wrong.count() > 0, "a wrong one: {scheme}");
        let other = format!("Basic {KEY}");
        assert_eq!(
            sent().any(|value| value == other),
            scheme == BEARER,
            "another scheme: {scheme}"
        );
    }
}

#[test]
fn a_token_that_is_rejected_everywhere_is_reported_as_such() {
    for (scheme, token) in [
        (BEARER, KEY),
        (HEADER, KEY),
        (BASIC, USER_AND_PASSWORD),
        (QUERY, KEY),
        (COOKIE, KEY),
    ] {
        let (ended, report) = checked(&service(|_| false), token, &contract_of(scheme), &[token]);
        assert_eq!((ended.code, let_in(&report)), (3, vec![]), "{scheme}: {ended:?}");
        let reason = "the token was rejected with 401 by every operation";
        assert!(ended.stdout.contains(reason), "{scheme}: {ended:?}");
    }
}

#[test]
fn a_key_goes_into_the_query_or_a_cookie_beside_the_other_parameters() {
    for (scheme, place, right) in [
        (QUERY, 2, "kind=small&app%20id=Key%2F5f1c%2B09be%3Dof%26nobody"),
        (COOKIE, 1, "theme=dark; sid=Key/5f1c+09be=of&nobody"),
    ] {
        let target = service(move |request| carried(request)[place] == right);
        let (ended, report) = checked(&target, KEY, &contract_of(scheme), &[KEY]);
        assert_eq!((ended.code, let_in(&report)), (0, vec![]), "{ended:?}");
        let received = target.received();
        assert!(
            received.iter().all(|request| carried(request)[0].is_empty()),
            "{scheme}"
        );
        let (own, empty) = right.split_at(right.find("Key").unwrap());
        let name = own.rsplit(['&', ' ']).next().unwrap();
        let sent: Vec<_> = received.iter().map(|request| carried(request)[place].clone()).collect();
        assert!(sent.iter().any(|sent| !sent.contains(name)), "no credential: {sent:?}");
        assert!(sent.iter().any(|sent| sent == own), "an empty key: {sent:?}");
        let wrong = |sent: &&String| sent.len() > own.len() && !sent.ends_with(empty);
        assert!(sent.iter().any(|sent| wrong(&sent)), "a wrong key: {sent:?}");
    }
}

#[test]
fn a_service_that_lets_anybody_in_is_found_by_every_scheme() {
    const NONE: &str = "listThings auth: a request without a credential is rejected";
    const OTHER: &str = "listThings auth: another scheme is rejected";
    const WRONG: &str = "it auth: a wrong token is rejected";
    for (scheme, token, facts) in [
        (BASIC, USER_AND_PASSWORD, &[WRONG, OTHER, NONE][..]),
        (BEARER, KEY, &[WRONG, OTHER, NONE]),
        (HEADER, KEY, &[WRONG, NONE]),
        (QUERY, KEY, &[WRONG, NONE]),
        (COOKIE, KEY, &[WRONG, NONE]),
    ] {
        let secrets = [token, &STANDARD.encode(token)];
        let (ended, report) = checked(&service(|_| true), token, &contract_of(scheme), &secrets);
        let mut expected = facts.to_vec();
        expected.sort_unstable();
        let mut found = let_in(&report);
        found.dedup();
        assert_eq!((ended.code, found), (1, expected), "{scheme}: {ended:?}");
        assert!(ended.stdout.contains("$COUNTERSIGN_TOKEN") || ended.stdout.contains("${COUNTERSIGN_TOKEN"));
    }
}

#[test]
fn the_token_decides_between_basic_and_another_scheme() {
    let schemes = format!("user: {BASIC}, key: {{type: http, scheme: bearer}}");
    let spec = contract(&schemes, "[{key: []}, {user: []}]");
    for (token, expected) in [
        (USER_AND_PASSWORD, basic(USER_AND_PASSWORD)),
        ("tk-5f1c09be", "Bearer tk-5f1c09be".to_owned()),
    ] {
        let right = expected.clone();
        let target = Stub::start(move |request, stream| {
            let is_right = request.header("authorization") == Some(&right);
            let asked = right.split(' ').next().unwrap();
            let (status, body) = if is_right {
                ("200 OK", r#"{"total":1}"#)
            } else {
                ("401 No", "{}")
            };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nWWW-Authenticate: {asked}\r\n");
            stream.write_all(format!("{head}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes())
        });
        let (ended, _) = checked(&target, token, &spec, &[token]);
        assert_eq!(ended.code, 0, "{expected}: {ended:?}");
    }
}

#[test]
fn a_token_without_a_colon_calls_nothing_that_takes_a_password() {
    let target = service(|_| true);
    let call = check(&target.url(), &["--spec", "things.yaml"]).file("things.yaml", contract_of(BASIC));
    let ended = call.run();
    assert_eq!((ended.code, target.received().len()), (3, 0), "{ended:?}");
    assert!(
        ended.stdout.contains("the token is not of the form `user:password`"),
        "{ended:?}"
    );
}

#[test]
fn a_short_password_is_rejected_unless_the_target_is_on_this_machine() {
    let call = |url: &str| {
        let arguments = ["check", "--seed", "1", "--base-url", url, "--spec", "things.yaml"];
        countersign(&arguments)
            .env("COUNTERSIGN_TOKEN", "admin:pw-7319")
            .file("things.yaml", contract_of(BASIC))
            .run()
    };
    let ended = call("https://api.example.invalid");
    let message = ended.is_one_error(2);
    assert!(
        message.contains("COUNTERSIGN_TOKEN") && message.contains("its password has fewer than 8"),
        "{message}"
    );
    assert!(!message.contains("pw-7319"), "{message}");
    let target = service(|request| request.header("authorization") == Some(&basic("admin:pw-7319")));
    let ended = call(&target.url());
    assert_eq!(ended.code, 0, "{ended:?}");
    ended.shows_nowhere("admin:pw");
}
