//! Credentials that are nearly right: services that accept one, and services that require one only in some places.

use std::sync::{Arc, Mutex};

use countersign::report::Outcome;
use http::Method;

use super::call::{Call, Reply, TOKEN};
use super::checked::{Check, Checked, described};
use super::deviating::Deviation;
use crate::support::sampled;

const READ_ONLY: Check = Check {
    writes: false,
    ..Check::DEFAULT
};

/// How a service holds a token against the right one.
type Compares = fn(&str) -> bool;
/// Where a service asks for no credential.
type Place = fn(&Call) -> bool;

/// A check of this list alone; of all that is read where everything is tried.
fn of_reading(list: &'static str) -> Check {
    Check {
        writes: false,
        ..Check::concerning(list)
    }
}

/// The bearer token of a call.
fn token(call: &Call) -> Option<&str> {
    call.credential()?.strip_prefix("Bearer ")
}

/// A service that takes each call for which this holds for an authorized one.
fn letting_in(takes: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Deviation {
    Deviation::none().asked(move |call| {
        if takes(call) {
            call.authorize();
        }
        None
    })
}

/// A service that holds a token against the right one in its own way.
fn comparing(same: Compares) -> Deviation {
    letting_in(move |call| token(call).is_some_and(same))
}

/// The facts that `auth` finds broken.
fn let_in(checked: &Checked) -> Vec<&str> {
    let findings = checked.denied().filter(|finding| finding.rule == "auth");
    findings.map(|finding| finding.fact.as_str()).collect()
}

#[tokio::test]
async fn a_service_that_compares_a_part_of_a_token_is_found_whatever_the_seed() {
    const WRONG: &str = "bearerAuth auth: a wrong token is rejected";
    let comparisons: [(&str, Compares); 8] = [
        ("ignores the last letter", |sent| {
            sent.len() == TOKEN.len() && sent[..sent.len() - 1] == TOKEN[..TOKEN.len() - 1]
        }),
        ("compares a beginning", |sent| sent.get(..4) == Some(&TOKEN[..4])),
        ("compares the first half", |sent| {
            sent.starts_with(&TOKEN[..TOKEN.len() / 2])
        }),
        ("compares as far as both go", |sent| {
            sent.bytes().zip(TOKEN.bytes()).all(|(one, other)| one == other)
        }),
        ("takes what begins with it", |sent| sent.starts_with(TOKEN)),
        ("takes what contains it", |sent| sent.contains(TOKEN)),
        ("compares in any case", |sent| sent.eq_ignore_ascii_case(TOKEN)),
        ("compares the length", |sent| sent.len() == TOKEN.len()),
    ];
    for (name, same) in sampled(2, comparisons) {
        for (seed, writes) in sampled(3, [(1, true), (2, false), (3, false)]) {
            let check = Check {
                seed,
                writes,
                ..READ_ONLY
            };
            let checked = check.run(comparing(same)).await;
            assert_eq!(let_in(&checked), [WRONG], "{name}, {seed}");
            let finding = checked.denied().next().unwrap();
            assert!(
                finding.received.contains(" to the token "),
                "{name}: {}",
                described(finding)
            );
        }
    }
}

#[tokio::test]
async fn the_three_wrong_tokens_differ_and_none_is_the_right_one() {
    for seed in 1..=3 {
        let checked = Check {
            seed,
            ..Check::default()
        }
        .undisturbed()
        .await;
        let wrong: Vec<_> = checked
            .calls
            .iter()
            .filter_map(token)
            .filter(|sent| *sent != TOKEN)
            .collect();
        let different: std::collections::HashSet<_> = wrong.iter().collect();
        assert_eq!((wrong.len(), different.len()), (3, 3), "{wrong:?}");
        assert!(
            wrong.iter().all(|sent| sent.to_lowercase().starts_with("proof-toke")),
            "{wrong:?}"
        );
        assert_eq!(checked.outcome(), Outcome::Conforms);
    }
}

#[tokio::test]
async fn a_service_that_takes_an_empty_token_is_found() {
    let is_empty = |call: &Call| call.credential().is_some_and(|value| value.trim() == "Bearer");
    for (name, writes) in [("a read", false), ("a write", true)] {
        let checked = Check::default()
            .run(letting_in(move |call| is_empty(call) && call.is_write() == writes))
            .await;
        let facts = let_in(&checked);
        assert!(
            facts.len() == 1 && facts[0].ends_with("a request without a credential is rejected"),
            "{name}: {facts:?}"
        );
        assert!(
            checked
                .denied()
                .any(|finding| finding.received.ends_with(" to an empty token")),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_service_that_asks_for_a_credential_on_the_first_page_alone_is_found() {
    for check in [READ_ONLY, Check::default()] {
        let checked = check
            .run(letting_in(|call| {
                call.credential().is_none() && call.uri.query().is_some()
            }))
            .await;
        let paged: Vec<_> = checked
            .calls
            .iter()
            .filter(|call| call.is_authorized() && call.page() == Some(2))
            .collect();
        assert!(!paged.is_empty());
        for call in paged {
            let fact = format!("{} auth: a request without a credential is rejected", call.operation);
            assert!(let_in(&checked).contains(&fact.as_str()), "{fact}");
        }
        assert!(
            checked
                .denied()
                .all(|finding| finding.received == "200 on a second page")
        );
    }
}

#[tokio::test]
async fn a_second_page_is_asked_for_without_a_credential_where_there_is_one() {
    let checked = READ_ONLY.undisturbed().await;
    let asks = |call: &Call, with: bool| call.page() == Some(2) && call.credential().is_some() == with;
    for list in ["getContacts", "getVenues", "getVisits", "getTags"] {
        let of = |with: bool| {
            checked
                .calls
                .iter()
                .filter(move |call| call.is(list) && asks(call, with))
                .count()
        };
        // Edge cases carry the token, and none of them is the second.
        assert_eq!(of(true).min(1), of(false), "{list}");
    }
}

#[tokio::test]
async fn a_call_that_must_be_rejected_is_the_one_that_was_accepted_but_for_its_credential() {
    let accepted: Arc<Mutex<Vec<Call>>> = Arc::default();
    let kept = Arc::clone(&accepted);
    let keeping = Deviation::none().replied(move |call, reply| {
        if call.is_write() && reply.succeeded() {
            kept.lock().unwrap().push(call.clone());
        }
    });
    let checked = Check::default().run(keeping).await;
    let accepted = accepted.lock().unwrap();
    let rejected = |call: &&Call| call.is_write() && call.credential().is_none();
    let fields = |call: &Call| {
        call.body()
            .as_object()
            .map(|body| body.keys().cloned().collect::<Vec<_>>())
    };
    let mut seen = 0;
    for call in checked.calls.iter().filter(rejected) {
        let alike =
            |other: &&Call| other.uri == call.uri && other.method == call.method && fields(other) == fields(call);
        assert!(
            accepted.iter().any(|other| alike(&other)),
            "{} {}",
            call.method,
            call.uri
        );
        seen += 1;
    }
    assert_eq!(seen, 5);
}

#[tokio::test]
async fn a_service_that_asks_for_a_credential_by_method_or_path_alone_is_found() {
    let places: [(&str, Place, usize); 3] = [
        ("no PUT", |call| call.method == Method::PUT, 1),
        (
            "no path with an identifier",
            |call| call.uri.path().matches('/').count() > 3,
            2,
        ),
        ("no body", |call| !call.bytes.is_empty(), 5),
    ];
    for (name, place, count) in places {
        let checked = Check::default()
            .run(letting_in(move |call| call.credential().is_none() && place(call)))
            .await;
        assert_eq!(let_in(&checked).len(), count, "{name}: {:?}", let_in(&checked));
    }
}

#[tokio::test]
async fn a_rejection_that_shows_the_list_all_the_same_is_found() {
    let rejecting = |items: serde_json::Value| {
        Deviation::none().asked(move |call| {
            let rejected = call.is("getTags") && !call.is_authorized();
            let page = serde_json::json!({"page": 1, "per_page": 10, "total": 1, "last_page": 1, "items": items});
            let reply = || Reply::json(401, serde_json::json!({"data": page}));
            rejected.then(|| reply().with(http::header::WWW_AUTHENTICATE, "Bearer"))
        })
    };
    let shown = serde_json::json!([{"id": "t-1", "name": "regular"}]);
    let check = of_reading("getTags");
    let checked = check.run(rejecting(shown)).await;
    assert!(let_in(&checked).contains(&"getTags auth: a request without a credential is rejected"));
    let checked = check.run(rejecting(serde_json::json!([]))).await;
    assert_eq!(let_in(&checked), [""; 0]);
}

#[tokio::test]
async fn a_redirect_is_an_entrance_only_if_the_right_token_gets_none() {
    let redirecting = |everybody: bool| {
        Deviation::none().asked(move |call| {
            let redirected = call.is("getVenues") && (everybody || !call.is_authorized());
            redirected.then(|| Reply::empty(308).with(http::header::LOCATION, "/elsewhere"))
        })
    };
    let check = of_reading("getVenues");
    let checked = check.run(redirecting(true)).await;
    assert_eq!(let_in(&checked), [""; 0]);
    let checked = check.run(redirecting(false)).await;
    assert!(let_in(&checked).contains(&"getVenues auth: a request without a credential is rejected"));
}

#[tokio::test]
async fn what_rejects_a_near_token_by_a_server_error_or_asks_for_time_is_not_let_in() {
    for status in [429, 503] {
        let busy = Deviation::none().asked(move |call| {
            let near = token(call).is_some_and(|sent| sent != TOKEN);
            near.then(|| Reply::empty(status).with(http::header::RETRY_AFTER, "0"))
        });
        let checked = Check::default().run(busy).await;
        assert_eq!(let_in(&checked), [""; 0], "{status}");
    }
}

/// A service that rejects an update whose call is so, and does it; the next one that it accepts writes over that.
fn doing_rejected(is_so: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Deviation {
    let done: Arc<Mutex<Option<(String, serde_json::Value)>>> = Arc::default();
    let shown = Arc::clone(&done);
    Deviation::none()
        .asked(move |call| {
            if call.is("updateContact") && call.body().is_object() {
                let id = call.uri.path().rsplit('/').next().unwrap().to_owned();
                if is_so(call) {
                    *done.lock().unwrap() = Some((id, call.body()));
                } else if call.is_authorized() {
                    *done.lock().unwrap() = None;
                }
            }
            None
        })
        .relisted(move |call, listing| {
            let shown = shown.lock().unwrap();
            let (true, Some((id, body))) = (call.is("getContacts"), shown.as_ref()) else {
                return;
            };
            listing.change(|items| {
                for item in items.iter_mut().filter(|item| item["id"] == id.as_str()) {
                    item["lastname"] = body["lastname"].clone();
                }
            });
        })
}

#[tokio::test]
async fn an_update_that_is_rejected_for_its_credential_and_done_is_found() {
    let ways: [fn(&Call) -> bool; 2] = [
        |call| call.credential().is_none(),
        |call| {
            call.credential()
                .is_some_and(|credential| !credential.starts_with("Bearer "))
        },
    ];
    for way in ways {
        let checked = Check::concerning("updateContact").run(doing_rejected(way)).await;
        let found: Vec<_> = checked.denied().map(described).collect();
        let [finding] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert!(
            finding.contains("rejected-but-stored") && finding.contains("updateContact status"),
            "{finding}"
        );
    }
}
