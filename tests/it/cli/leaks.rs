//! Runs against services that behave, or break the document in a plain way, with a person in their data that no output
//! may show. What hostile targets are held to is in [`hostile`](super::hostile).

use axum::body::Body;
use axum::http::{Method, Request, header};
use countersign::service::fault::{self, Faults};
use countersign::service::{Profile, Service, StoreUrl};
use serde_json::json;
use tower::ServiceExt as _;

use super::formats::EVERY_FORMAT;
use super::support::{Ended, countersign};
use super::target::Target;
use crate::support::leaks::{Canary, Scanner};

/// The reference service with these faults, behind the canary's token and with the canary among its contacts.
pub(super) fn target(canary: &Canary, faults: &[&str]) -> Target {
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let router = runtime.block_on(async {
        let token = canary.token.clone().into();
        let service = Service::open(&StoreUrl::Memory, token, Profile::default())
            .await
            .unwrap();
        let router = fault::app(service, &Faults::named(&faults).unwrap());
        assert!(router.clone().oneshot(request).await.unwrap().status().is_success());
        router
    });
    Target::serve(router)
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
    for (faults, arguments, code) in [
        (&[][..], &[][..], 0),
        (&[], &["--writes"], 0),
        (&[], &["--writes", "--show-values", "--color", "always"], 0),
        (&[DROPPED], &["--writes"], 1),
        (&[DROPPED], &["--color", "always"], 1),
    ] {
        let canary = Canary::fresh(&format!("{faults:?} {arguments:?}"));
        let target = target(&canary, faults);
        let url = target.url();
        let common = ["check", "-v", "--base-url", &url, "--report", "terminal=report.txt"];
        let call =
            countersign(&[&common[..], &EVERY_FORMAT, arguments].concat()).env("COUNTERSIGN_TOKEN", &canary.token);
        let call = call.env("GITHUB_STEP_SUMMARY", "summary.md");
        let ended = call.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full").run();
        assert_eq!(ended.code, code, "{ended:?}");
        // One for each format, the terminal's twice, and the summary of the step.
        assert_eq!(ended.files().len(), EVERY_FORMAT.len() / 2 + 1, "{ended:?}");
        // The reports tell each exchange; with that flag as it came, but for the token.
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
