//! Runs against services that conform, or break the document in a simple way, with a person in their data that no
//! output may show. [`hostile`](super::hostile) has the requirements for hostile targets.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use countersign::service::fault::{self, Faults};
use countersign::service::{Profile, Service, StoreUrl};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::formats::EVERY_FORMAT;
use super::support::{Ended, concerning, countersign};
use super::target::Target;
use crate::support::leaks::encoding::WAYS;
use crate::support::leaks::{Canary, Scanner};
use crate::support::tried;

/// The reference service with these faults, behind the canary's token and with the canary among its contacts.
pub(super) fn target(canary: &Canary, faults: &[&str]) -> Target {
    Target::serve(service(canary, faults))
}

/// The same, not served yet.
pub(super) fn service(canary: &Canary, faults: &[&str]) -> Router {
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    let person = json!({
        "firstname": canary.firstname, "lastname": canary.lastname,
        "contact_methods": [
            {"type": "email", "contact": canary.email, "status": "active"},
            {"type": "phone", "contact": canary.phone, "status": "active"},
        ],
    });
    let request = Request::builder()
        .method(Method::POST)
        .uri("/organization/v1/contact-database");
    let request = request.header(header::AUTHORIZATION, format!("Bearer {}", canary.token));
    let request = request.header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from(person.to_string())).unwrap();
    let runtime = crate::support::parallel::runtime();
    runtime.block_on(async {
        let token = canary.token.clone().into();
        let service = Service::open(&StoreUrl::Memory, token, Profile::default())
            .await
            .unwrap();
        let router = fault::app(service, &Faults::named(&faults).unwrap());
        assert!(router.clone().oneshot(request).await.unwrap().status().is_success());
        router
    })
}

#[track_caller]
fn gives_nothing_away(scanner: &Scanner, ended: &Ended) {
    scanner.assert_clean("standard output", ended.stdout.as_bytes());
    scanner.assert_clean("standard error", ended.stderr.as_bytes());
    assert!(ended.files().contains(&"report.json".to_owned()));
    for name in ended.files() {
        scanner.assert_clean(&name, &std::fs::read(ended.path().join(&name)).unwrap());
    }
}

#[test]
fn no_run_gives_a_secret_away() {
    const DROPPED: &str = "getContacts/data/items/each/firstname:dropped";
    const RESIDUE: &[&str] = &["--writes", "--residue", "residue.jsonl"];
    let runs = [
        (&[][..], &["--writes", "--show-values", "--color", "always"][..], 0),
        (&[DROPPED], RESIDUE, 1),
        (&[DROPPED], &["--color", "always"], 1),
        (&[], &[], 0),
        (&[], RESIDUE, 0),
    ];
    for (faults, arguments, code) in runs.into_iter().take(tried(2, 5)) {
        let canary = Canary::fresh(&format!("{faults:?} {arguments:?}"));
        let target = target(&canary, faults);
        let url = target.url();
        let common = ["check", "-v", "--base-url", &url, "--report", "terminal=report.txt"];
        // Contacts are what a run shows of a person.
        let arguments_of_one = [
            &common[..],
            &EVERY_FORMAT,
            arguments,
            &concerning("createContactMethod"),
        ]
        .concat();
        let call = countersign(&arguments_of_one).env("COUNTERSIGN_TOKEN", &canary.token);
        let call = call.env("GITHUB_STEP_SUMMARY", "summary.md");
        let ended = call.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full").run();
        assert_eq!(ended.code, code, "{ended:?}");
        // One for each format, the terminal's twice, the step summary, and the residue.
        let residue = usize::from(arguments == RESIDUE);
        assert_eq!(ended.files().len(), EVERY_FORMAT.len() / 2 + 1 + residue, "{ended:?}");
        // The reports show each exchange; with that flag as it came, but for the token.
        let scanner = if arguments.contains(&"--show-values") {
            canary.token_scanner()
        } else {
            canary.scanner()
        };
        gives_nothing_away(&scanner, &ended);
    }
}

#[test]
fn the_configuration_and_what_is_accepted_hold_no_secret() {
    let canary = Canary::fresh("configuration");
    let target = target(&canary, &["getContacts/data/items/each/firstname:dropped"]);
    let file = format!(
        "default_target = \"it\"\n[targets.it]\nbase_url = \"{}\"\ntoken_env = \"COUNTERSIGN_OF_IT\"\n",
        target.url()
    );
    let scanner = canary.scanner();
    for arguments in [&["config"][..], &["config", "--json"], &["check", "--accept"]] {
        let call = countersign(arguments).file("countersign.toml", file.clone());
        let ended = call.env("COUNTERSIGN_OF_IT", &canary.token).run();
        assert!([0, 1].contains(&ended.code), "{ended:?}");
        scanner.assert_clean("standard output", ended.stdout.as_bytes());
        scanner.assert_clean("standard error", ended.stderr.as_bytes());
        let after = std::fs::read(ended.path().join("countersign.toml")).unwrap();
        assert_eq!(after.len() > file.len(), arguments.contains(&"--accept"), "{ended:?}");
        scanner.assert_clean("countersign.toml", &after);
    }
}

#[test]
fn what_ends_a_run_before_it_begins_gives_no_token_away() {
    let canary = Canary::fresh("before it begins");
    for arguments in [
        &["--base-url", "http://127.0.0.1:1"][..],
        &["--base-url", "nonsense://a"],
        &["--base-url", "http://127.0.0.1:1", "--only", "nothing"],
        &[
            "--base-url",
            "http://127.0.0.1:1",
            "--report",
            "json=there/is/no/folder",
        ],
        &["--base-url", "http://127.0.0.1:1", "--token-file", "token"],
    ] {
        let call = countersign(&[&["check"], arguments].concat()).file("token", format!("{}\u{1}", canary.token));
        let ended = call.env("COUNTERSIGN_TOKEN", &canary.token).run();
        assert!([2, 3, 4].contains(&ended.code), "{ended:?}");
        let scanner = canary.scanner();
        scanner.assert_clean("standard output", ended.stdout.as_bytes());
        scanner.assert_clean("standard error", ended.stderr.as_bytes());
    }
}

/// The service, but each response holds the token in the next way of writing: as the identifier of what was created,
/// and in a page as the fields of its first item, in every way.
fn echoing(canary: &Canary, first: usize) -> (Target, Arc<AtomicUsize>) {
    let turn = Arc::new(AtomicUsize::new(first));
    let turns = turn.clone();
    let written = WAYS.map(|(_, way)| String::from_utf8_lossy(&way(&canary.token)).into_owned());
    let written = Arc::new(written);
    let layer = middleware::from_fn(move |request: Request<Body>, next: Next| {
        let (turns, written) = (turns.clone(), written.clone());
        async move {
            let response = next.run(request).await;
            if !response.status().is_success() {
                return response;
            }
            let (mut head, body) = response.into_parts();
            let mut body: Value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap();
            let written = |way: usize| written[way % WAYS.len()].clone();
            if let Some(item) = body.pointer_mut("/data/items/0").and_then(Value::as_object_mut) {
                for (index, (name, _)) in WAYS.iter().enumerate() {
                    item.insert(written(index), Value::from(*name));
                    item.insert((*name).to_owned(), Value::from(written(index)));
                }
            } else if body.pointer("/data/id").is_some() {
                body["data"]["id"] = Value::from(written(turns.fetch_add(1, Ordering::SeqCst)));
            }
            head.headers.remove("content-length");
            Response::from_parts(head, Body::from(body.to_string()))
        }
    });
    (Target::serve(service(canary, &[]).layer(layer)), turn)
}

/// A check with writes of a target, its reports and these arguments, and with an account of what it left.
fn writing(canary: &Canary, target: &Target, arguments: &[&[&str]]) -> Ended {
    const WRITING: [&str; 9] = [
        "check", "-v", "--writes", "--settle", "0", "--residue", "residue.jsonl", "--report", "json=report.json",
    ];
    let url = target.url();
    let arguments = [&WRITING[..], &["--base-url", &url], &arguments.concat()].concat();
    let ended = countersign(&arguments).env("COUNTERSIGN_TOKEN", &canary.token).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.files().contains(&"residue.jsonl".to_owned()), "{ended:?}");
    ended
}

#[test]
fn a_token_that_comes_back_as_an_identifier_comes_out_nowhere_however_it_is_written() {
    for values in [&["--show-values"][..], &[]].into_iter().take(tried(1, 2)) {
        let mut first = 0;
        // As many runs as it takes for each way to be the identifier of something; a sixteenth but where all is tried.
        while first < tried(WAYS.len() / 16, WAYS.len()) {
            let canary = Canary::fresh(&format!("echoed {values:?} {first}"));
            let (target, turn) = echoing(&canary, first);
            // The other formats are made of the same record.
            let others = if first == 0 { &EVERY_FORMAT[..8] } else { &[] };
            // Its path has such an identifier.
            let some = concerning("createContactMethod");
            let ended = writing(&canary, &target, &[&["--accept"], others, values, &some]);
            assert!(ended.files().contains(&"countersign.toml".to_owned()), "{ended:?}");
            gives_nothing_away(&canary.token_scanner(), &ended);
            let next = turn.load(Ordering::SeqCst);
            assert!(next > first, "nothing was created");
            first = next;
        }
    }
}

/// The service, but each rejection of a token repeats that in the next way of writing; and the tokens that were
/// rejected.
fn repeating(canary: &Canary) -> (Target, Arc<Mutex<Vec<String>>>) {
    let rejected: Arc<Mutex<Vec<String>>> = Arc::default();
    let (seen, right) = (rejected.clone(), canary.token.clone());
    let layer = middleware::from_fn(move |request: Request<Body>, next: Next| {
        let (seen, right) = (seen.clone(), right.clone());
        async move {
            let credential = request.headers().get(header::AUTHORIZATION).cloned();
            let response = next.run(request).await;
            let token = credential
                .as_ref()
                .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
            let Some(token) = token.filter(|token| *token != right) else {
                return response;
            };
            seen.lock().unwrap().push(token.to_owned());
            let ways = WAYS.iter();
            let ways = ways.map(|(name, way)| (*name, String::from_utf8_lossy(&way(token)).into_owned()));
            let ways: HashMap<_, _> = ways.collect();
            let (mut head, _) = response.into_parts();
            head.headers.remove("content-length");
            head.headers
                .insert("content-type", header::HeaderValue::from_static("application/json"));
            Response::from_parts(head, Body::from(json!(ways).to_string()))
        }
    });
    (Target::serve(service(canary, &[]).layer(layer)), rejected)
}

#[test]
fn a_wrong_token_that_a_rejection_repeats_comes_out_nowhere_however_it_is_written() {
    for arguments in [&["--writes", "--show-values"][..], &["--show-values"]]
        .into_iter()
        .take(tried(1, 2))
    {
        let canary = Canary::fresh(&format!("rejected {arguments:?}"));
        let (target, rejected) = repeating(&canary);
        let url = target.url();
        let common = ["check", "-v", "--base-url", &url, "--report", "terminal=report.txt"];
        let call = countersign(
            &[
                &common[..],
                &EVERY_FORMAT,
                arguments,
                &concerning("createContactMethod"),
            ]
            .concat(),
        );
        let ended = call.env("COUNTERSIGN_TOKEN", &canary.token).run();
        assert_eq!(ended.code, 0, "{ended:?}");
        let mut scanner = canary.token_scanner();
        let rejected = rejected.lock().unwrap().clone();
        assert_eq!(rejected.len(), 3);
        for wrong in &rejected {
            assert!(wrong.to_lowercase().starts_with(&canary.token[..20]), "{wrong}");
            scanner.hide("a wrong token", wrong, true);
        }
        gives_nothing_away(&scanner, &ended);
    }
}

#[test]
fn a_token_of_four_thousand_characters_is_hidden_in_every_report() {
    let mut canary = Canary::fresh("of four thousand characters");
    let short = canary.token.clone();
    canary.token = format!("{short}{}", "qzjv".repeat(990));
    let (target, _) = echoing(&canary, 0);
    let some = concerning("createContactMethod");
    let ended = writing(&canary, &target, &[&["--show-values"], &EVERY_FORMAT[..8], &some]);
    // Its beginning, which no other text has: whatever shows the token shows that.
    let beginning = Canary { token: short, ..canary };
    gives_nothing_away(&beginning.token_scanner(), &ended);
}
