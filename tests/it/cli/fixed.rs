//! What a configuration says about the requests to one target: fixed headers and query values, the scheme of the token,
//! and that it is sent where the document asks for none.

use std::io::Write as _;

use super::formats::EVERY_FORMAT;
use super::stub::{Received, Stub, json};
use super::support::{Call, TOKEN, countersign};
use crate::support::leaks::Scanner;

const SPEC: &str = "\
openapi: 3.0.3
x-edge-cases: []
info: {title: Things, version: '1'}
components: {securitySchemes: {it: {type: http, scheme: bearer}}}
paths:
  /things:
    get:
      operationId: listThings
      parameters:
        - {name: kind, in: query, required: true, schema: {type: string}, example: small}
        - {name: X-Kind, in: header, schema: {type: string}}
      responses:
        '200': {description: Things, content: {application/json: {schema: {type: array, items: {}}}}}
";
const SECURED: &str = "security: [{it: []}]\n";

/// A call with a target of these lines in its configuration.
fn call(command: &[&str], url: &str, lines: &str, spec: &str) -> Call {
    let config = format!(
        "default_target = \"staging\"\n[check]\nspec = \"things.yaml\"\n[targets.staging]\nbase_url = \"{url}\"\n"
    );
    countersign(command)
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .file("countersign.toml", format!("{config}{lines}\n"))
        .file("things.yaml", spec)
}

/// A service that responds to whom this holds for, and rejects others.
fn service(lets_in: impl Fn(&Received) -> bool + Send + Sync + 'static) -> Stub {
    Stub::start(move |request, stream| {
        let response = if lets_in(request) {
            json("200 OK", "[]")
        } else {
            json("401 No", "{}")
        };
        stream.write_all(response.replace("Bearer", "Token").as_bytes())
    })
}

fn target(request: &Received) -> &str {
    request.head.split(' ').nth(1).unwrap()
}

#[test]
fn every_request_carries_the_fixed_values_of_its_target_and_no_output_shows_them() {
    const LINES: &str = "headers = { X-Tenant = \"jane.roe@example.com\", X-Stage = \"green\" }\nquery = { api-version = \"v2\", of = \"a b&c\" }";
    let stub = Stub::start(|_, stream| stream.write_all(json("200 OK", "{}").as_bytes()));
    let arguments = [&["check"][..], &EVERY_FORMAT].concat();
    let ended = call(&arguments, &stub.url(), LINES, SPEC).run();
    let report = ended.json("report.json");
    assert_eq!(ended.code, 1, "{ended:?}");
    let received = stub.received();
    assert!(!received.is_empty());
    for request in &received {
        assert_eq!(target(request), "/things?kind=small&api-version=v2&of=a%20b%26c");
        assert_eq!(request.header("x-tenant"), Some("jane.roe@example.com"));
        assert_eq!(request.header("x-stage"), Some("green"));
    }
    let mut scanner = Scanner::new();
    scanner.hide("a fixed value", "jane.roe@example.com", true);
    scanner.assert_clean("standard output", ended.stdout.as_bytes());
    scanner.assert_clean("standard error", ended.stderr.as_bytes());
    for name in ended.files().iter().filter(|name| *name != "countersign.toml") {
        scanner.assert_clean(name, &std::fs::read(ended.path().join(name)).unwrap());
    }
    let line = report["findings"].to_string();
    for part in [
        "-H 'X-Stage: green'",
        "\\\"${FILL_X_TENANT:?}\\\"",
        "&api-version=v2&of='\\\"${FILL_OF:?}\\\"",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
}

#[test]
fn a_target_that_is_not_of_the_configuration_gets_nothing_of_it() {
    let stub = Stub::start(|_, stream| stream.write_all(json("200 OK", "[]").as_bytes()));
    let config = "[targets.staging]\nbase_url = \"http://127.0.0.1:1\"\nheaders = { X-Tenant = \"a\" }\n";
    let arguments = ["check", "--spec", "things.yaml", "--base-url", &stub.url()];
    let call = countersign(&arguments)
        .file("countersign.toml", config)
        .file("things.yaml", SPEC);
    assert_eq!(call.run().code, 0);
    assert!(
        stub.received()
            .iter()
            .all(|request| request.header("x-tenant").is_none())
    );
}

#[test]
fn a_token_is_sent_under_the_scheme_of_the_target() {
    // An API key has no scheme that another could stand in for.
    for (scheme, has_other) in [
        ("{type: http, scheme: bearer}", true),
        ("{type: apiKey, in: header, name: Authorization}", false),
    ] {
        let spec = SPEC.replace("{type: http, scheme: bearer}", scheme) + SECURED;
        let stub = service(|request| request.header("authorization") == Some(&format!("Token {TOKEN}")));
        let (ended, report) = call(&["check"], &stub.url(), "token_scheme = \"Token\"", &spec).report();
        assert_eq!(
            (ended.code, report["findings"].to_string().as_str()),
            (0, "[]"),
            "{ended:?}"
        );
        let sent: Vec<_> = stub
            .received()
            .iter()
            .map(|request| request.header("authorization").map(str::to_owned))
            .collect();
        assert!(
            sent.contains(&None) && sent.contains(&Some("Token ".to_owned())),
            "{sent:?}"
        );
        let tokens = sent.iter().flatten().filter_map(|value| value.strip_prefix("Token "));
        let wrong = tokens.filter(|token| !token.is_empty() && *token != TOKEN).count();
        assert!(wrong > 0, "a wrong token: {sent:?}");
        assert_eq!(sent.contains(&Some(format!("Basic {TOKEN}"))), has_other, "{sent:?}");
        let open = service(|_| true);
        let (ended, report) = call(&["check"], &open.url(), "token_scheme = \"Token\"", &spec).report();
        assert_eq!(ended.code, 1, "{ended:?}");
        let findings = report["findings"].to_string();
        assert!(findings.contains("Authorization: Token "), "{findings}");
        for (fact, is_judged) in [
            ("listThings auth: a request without a credential is rejected", true),
            ("it auth: a wrong token is rejected", true),
            ("listThings auth: another scheme is rejected", has_other),
        ] {
            assert_eq!(findings.contains(fact), is_judged, "{fact}: {findings}");
        }
    }
}

#[test]
fn a_token_with_a_space_says_where_its_scheme_belongs() {
    let call = countersign(&["check", "--base-url", "https://api.example.invalid"]);
    let ended = call.env("COUNTERSIGN_TOKEN", "Token 0000-of-nobody").run();
    let message = ended.is_one_error(2);
    assert!(
        message.contains("from COUNTERSIGN_TOKEN") && message.contains("`token_scheme`"),
        "{message}"
    );
    assert!(!message.contains("of-nobody"), "{message}");
}

#[test]
fn a_token_with_the_scheme_that_is_added_says_to_leave_it_out() {
    for (token, expected) in [
        (
            "bearer 0000-of-nobody",
            "leave out the word `Bearer`; each request has its scheme before the token",
        ),
        (
            "Basic 0000-of-nobody",
            "leave out the word `Basic`; each request has its scheme before the token, and the token is the user and the password",
        ),
        ("  ", "there is no token in COUNTERSIGN_TOKEN: it is empty"),
    ] {
        let call = countersign(&["check", "--base-url", "https://api.example.invalid"]);
        let ended = call.env("COUNTERSIGN_TOKEN", token).run();
        let message = ended.is_one_error(2);
        assert!(message.contains(expected), "{message}");
        assert!(
            !message.contains("of-nobody") && !message.contains("token_scheme"),
            "{message}"
        );
    }
}

#[test]
fn a_credential_goes_where_the_document_states_none_only_if_the_target_says_so() {
    let right = format!("Bearer {TOKEN}");
    for (lines, code) in [("auth = \"always\"", 0), ("auth = \"documented\"", 3), ("", 3)] {
        let right = right.clone();
        let stub = service(move |request| request.header("authorization") == Some(&right));
        let (ended, report) = call(&["check"], &stub.url(), lines, SPEC).report();
        assert_eq!(ended.code, code, "{lines}: {ended:?}");
        // The document states nothing about credentials, so nothing of it is judged.
        assert!(!report["facts"].to_string().contains("auth:"), "{report}");
        let credentials = stub
            .received()
            .iter()
            .filter(|request| request.header("authorization").is_some())
            .count();
        assert_eq!(credentials == stub.received().len(), code == 0, "{lines}");
    }
    let spec = SPEC.replace("scheme: bearer", "scheme: basic");
    let call = call(&["check"], "http://127.0.0.1:1", "auth = \"always\"", &spec);
    let ended = call.env("COUNTERSIGN_TOKEN", "").run();
    assert_eq!(ended.code, 2, "{ended:?}");
}

/// Lines of a target, and parts of the message that they get.
const MISTAKES: [(&str, &[&str]); 14] = [
    (
        "headers = { x-kind = \"a\" }",
        &[
            "countersign.toml:6:22",
            "the header `x-kind` is already a parameter of `listThings`",
        ],
    ),
    (
        "query = { kind = \"a\" }",
        &[
            "countersign.toml:6:",
            "the query parameter `kind` is already a parameter",
            "/parameters/0",
        ],
    ),
    (
        "headers = { Accept = \"a/b\" }",
        &["countersign.toml:6:", "the header `Accept` is set by each request"],
    ),
    (
        "headers = { \"X Y\" = \"a\" }",
        &["countersign.toml:6:", "is not the name of a header"],
    ),
    (
        "headers = { X-A = \"\\n\" }",
        &["countersign.toml:6:", "no header can carry"],
    ),
    (
        "headers = { X-HTTP-Method-Override = \"DELETE\" }",
        &["countersign.toml:6:", "may turn a read into a write"],
    ),
    (
        "headers = { X-Api-Key = \"k-5f1c09be\" }",
        &["countersign.toml:6:", "`X-Api-Key` does not belong", "token_env"],
    ),
    (
        "headers = { Authorization = \"k-5f1c09be\" }",
        &["countersign.toml:6:", "does not belong"],
    ),
    (
        "query = { access_token = \"k-5f1c09be\" }",
        &["countersign.toml:6:", "does not belong"],
    ),
    (
        "token_scheme = \"k-5f1c09be k-5f1c09be\"",
        &["countersign.toml:6:", "`token_scheme` must be the name"],
    ),
    ("token_scheme = \"Basic\"", &["countersign.toml:6:", "not `Basic`"]),
    (
        "token_schema = \"Token\"",
        &["countersign.toml:6:", "`token_schema`", "did you mean `token_scheme`?"],
    ),
    (
        "auth = \"k-5f1c09be\"",
        &[
            "countersign.toml:6:", "`targets.staging.auth`", "`always`", "`documented`",
        ],
    ),
    ("headers = { X-A = 1 }", &["countersign.toml:6:", "a string"]),
];

#[test]
fn what_a_target_may_not_fix_is_reported_at_its_line() {
    for (lines, parts) in MISTAKES {
        for command in ["check", "config"] {
            let ended = call(&[command], "http://127.0.0.1:1", lines, SPEC).run();
            let message = ended.is_one_error(2);
            for part in parts {
                assert!(message.contains(part), "{command}: `{part}` is not in: {message}");
            }
            assert!(!message.contains("5f1c09be"), "{message}");
        }
    }
    let spec = SPEC.replace("{type: http, scheme: bearer}", "{type: apiKey, in: query, name: app}") + SECURED;
    let ended = call(&["check"], "http://127.0.0.1:1", "query = { app = \"a\" }", &spec).run();
    let message = ended.is_one_error(2);
    assert!(
        message.contains("already the credential of `listThings` (/components/securitySchemes/it)"),
        "{message}"
    );
}

#[test]
fn the_configuration_is_shown_without_values_that_may_be_somebodys() {
    const LINES: &str = "headers = { X-Tenant = \"jane.roe@example.com\" }\nquery = { api-version = \"v2\" }\ntoken_scheme = \"Token\"\nauth = \"always\"";
    let ended = call(&["config"], "https://api.example.com", LINES, SPEC).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    for part in [
        "headers.X-Tenant", "string(20)", "query.api-version", "v2", "Token", "always", "countersign.toml:6",
    ] {
        assert!(ended.stdout.contains(part), "`{part}` is not in: {}", ended.stdout);
    }
    assert!(!ended.stdout.contains("jane.roe"), "{}", ended.stdout);
}
