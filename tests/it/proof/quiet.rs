//! Neither the most detailed logs of the libraries below a run nor its reports contain a secret: a program that uses
//! this crate as a library may well log everything.

use std::cell::RefCell;
use std::fmt::Write as _;

use axum::body::Body;
use axum::http::{Method, Request, header};
use countersign::report::{Outcome, Styling, Terminal, Verbosity, github, har, json, junit, markdown, sarif};
use countersign::service::fault::{self, Faults};
use countersign::service::{self, Profile, Service, StoreUrl};
use serde_json::json;
use tower::ServiceExt as _;
use tracing::field::{Field, Visit};
use tracing::span;

use super::checked::Check;
use crate::support::leaks::Canary;
use crate::support::sampled;

thread_local! {
    /// What is logged on this thread, while somebody listens.
    static LOGGED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Takes what is logged by `log` and by `tracing`, at every level.
struct Listener;

fn note(text: &std::fmt::Arguments<'_>) {
    LOGGED.with_borrow_mut(|logged| {
        if let Some(logged) = logged {
            writeln!(logged, "{text}").unwrap();
        }
    });
}

impl log::Log for Listener {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        LOGGED.with_borrow(Option::is_some)
    }

    fn log(&self, record: &log::Record<'_>) {
        note(&format_args!(
            "{} {}: {}",
            record.level(),
            record.target(),
            record.args()
        ));
    }

    fn flush(&self) {}
}

impl Visit for Listener {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        note(&format_args!("{} = {value:?}", field.name()));
    }
}

impl tracing::Subscriber for Listener {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        span.record(&mut Listener);
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut Listener);
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Listener);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test]
async fn nothing_that_is_logged_or_reported_holds_a_secret() {
    // Another test may have set a logger: then this one proves nothing, and says so below.
    let _ = log::set_logger(&Listener);
    log::set_max_level(log::LevelFilter::Trace);
    let broken = ["getContacts/data/items/each/firstname:dropped".to_owned()];
    let reads = Check {
        writes: false,
        ..Check::default()
    };
    let cases = [
        (reads, &[][..], Outcome::Conforms),
        (Check::default(), &[], Outcome::Conforms),
        (Check::default(), &broken, Outcome::DoesNotConform),
    ];
    for (check, faults, outcome) in sampled(2, cases) {
        let canary = Canary::fresh(&format!("quiet {outcome:?} {}", check.writes));
        let scanner = canary.scanner();
        let url = serve(&canary, faults).await;
        let subscribed = tracing::subscriber::set_default(Listener);
        LOGGED.set(Some(String::new()));
        let record = check.against_with(&url, &canary.token).await;
        let logged = LOGGED.take().unwrap();
        drop(subscribed);
        assert_eq!(record.outcome, outcome);
        assert!(
            logged.contains("starting new connection"),
            "nothing was logged:\n{logged}"
        );
        scanner.assert_clean("the log", logged.as_bytes());
        for (kind, text) in [
            ("github", github(&record)),
            ("har", har(&record)),
            ("json", json(&record)),
            ("junit", junit(&record)),
            ("markdown", markdown(&record)),
            ("sarif", sarif(&record)),
        ] {
            scanner.assert_clean(kind, text.as_bytes());
        }
        let terminal = Terminal {
            styling: Styling::Coloured,
            verbosity: Verbosity::Verbose,
            width: Some(60),
        };
        let report = terminal.report(&record);
        scanner.assert_clean("the terminal's report", report.as_bytes());
        scanner.assert_clean("the record", format!("{record:?}").as_bytes());
    }
}

#[test]
fn what_is_logged_here_would_be_seen() {
    let _ = log::set_logger(&Listener);
    log::set_max_level(log::LevelFilter::Trace);
    let canary = Canary::fresh("seen");
    LOGGED.set(Some(String::new()));
    log::trace!("connected with {}", canary.token);
    tracing::subscriber::with_default(Listener, || tracing::trace!(email = %canary.email, "created"));
    let logged = LOGGED.take().unwrap();
    let leaks = canary.scanner().leaks(logged.as_bytes());
    assert!(leaks.contains(&"the token, plain".to_owned()), "{logged}");
    assert!(leaks.contains(&"the e-mail address, plain".to_owned()), "{logged}");
}

/// Serves the reference service with these faults, behind the canary's token and with the canary among its contacts.
async fn serve(canary: &Canary, faults: &[String]) -> String {
    let token = canary.token.clone().into();
    let service = Service::open(&StoreUrl::Memory, token, Profile::default())
        .await
        .unwrap();
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
    let router = fault::app(service, &Faults::named(faults).unwrap());
    let created = router
        .clone()
        .oneshot(request.body(Body::from(person.to_string())).unwrap());
    assert!(created.await.unwrap().status().is_success());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(service::run(listener, router, std::future::pending()));
    format!("http://{address}")
}
