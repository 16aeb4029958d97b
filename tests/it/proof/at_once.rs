//! Two concurrent creates of one operation: responses that are mixed up, identifiers that are given twice, a record
//! that is lost.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use countersign::run::{Run, RunEnd};
use countersign::service::{self, Profile, Service, StoreUrl};
use http::Method;
use serde_json::json;
use tokio::sync::oneshot;

use super::call::{Call, Reply, TOKEN};
use super::checked::{check, contract};
use crate::support::sampled;

/// How long a create waits for another one at most: one that is alone goes on then.
const LONGEST: Duration = Duration::from_millis(100);
/// An identifier of no record.
const NOBODY: &str = "5eed0000-0000-4000-8000-00000000beef";

/// What a service does with two creates that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// It answers each.
    None,
    /// It answers the second as the first, but for its name, and stores nothing of it.
    Loses,
    /// It gives both one identifier.
    SameIdentifier,
    /// It answers each with the other's response.
    Swaps,
}

/// What a create says to the one that it met, and hears of it.
struct Met {
    mine: oneshot::Sender<Reply>,
    theirs: oneshot::Receiver<Reply>,
    is_second: bool,
}

/// Where creates of one path meet.
#[derive(Default)]
struct Meetings {
    /// Who waits, by path.
    waiting: Mutex<HashMap<String, oneshot::Sender<Met>>>,
    /// The operations whose creates met.
    met: Mutex<Vec<&'static str>>,
}

impl Meetings {
    async fn meet(&self, call: &Call) -> Option<Met> {
        // Two meet once in a run, so nobody waits for another any more.
        if !self.met.lock().unwrap().is_empty() {
            return None;
        }
        let path = call.uri.path().to_owned();
        let (reported, hears) = oneshot::channel();
        let other = {
            let mut waiting = self.waiting.lock().unwrap();
            let other = waiting.remove(&path);
            if other.is_none() {
                waiting.insert(path.clone(), reported);
            }
            other
        };
        let Some(other) = other else {
            let met = tokio::time::timeout(LONGEST, hears).await.ok().and_then(Result::ok);
            if met.is_none() {
                self.waiting.lock().unwrap().remove(&path);
            }
            return met;
        };
        let ((mine, for_other), (others, for_me)) = (oneshot::channel(), oneshot::channel());
        let first = Met {
            mine: others,
            theirs: for_other,
            is_second: false,
        };
        other.send(first).ok()?;
        self.met.lock().unwrap().push(call.operation);
        Some(Met {
            mine,
            theirs: for_me,
            is_second: true,
        })
    }
}

async fn create(State((mistake, meetings)): State<(Mistake, Arc<Meetings>)>, request: Request, next: Next) -> Response {
    let call = Call::read(request).await;
    let beneath = async |call: &Call| Reply::read(next.run(call.request()).await).await;
    if call.method != Method::POST || !call.is_authorized() {
        return beneath(&call).await.into_response();
    }
    let Some(met) = meetings.meet(&call).await else {
        return beneath(&call).await.into_response();
    };
    let reply = match mistake {
        Mistake::Loses if met.is_second => {
            let mut reply = met.theirs.await.unwrap();
            let data = &mut reply.value_mut().unwrap()["data"];
            (data["id"], data["name"]) = (json!(NOBODY), call.body()["name"].clone());
            reply
        }
        Mistake::SameIdentifier if met.is_second => {
            let mut reply = beneath(&call).await;
            let theirs = met.theirs.await.unwrap();
            reply.value_mut().unwrap()["data"]["id"] = theirs.value()["data"]["id"].clone();
            reply
        }
        Mistake::Swaps => {
            let _ = met.mine.send(beneath(&call).await);
            met.theirs.await.unwrap()
        }
        _ => {
            let reply = beneath(&call).await;
            let _ = met.mine.send(reply.clone());
            reply
        }
    };
    reply.into_response()
}

/// Checks the service with so many requests under way; hands back what the run ended in and the operations that met.
async fn checked(mistake: Mistake, seed: u64, jobs: usize) -> (Run, Vec<&'static str>) {
    let beneath = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), Profile::default())
        .await
        .unwrap();
    let meetings: Arc<Meetings> = Arc::default();
    let layer = middleware::from_fn_with_state((mistake, Arc::clone(&meetings)), create);
    let router = service::app(beneath).layer(layer);
    let check = check(seed)
        .service(router)
        .jobs(jobs)
        .settle(Duration::from_millis(200));
    tokio::time::pause();
    let run = check.run().await.unwrap().into_run();
    tokio::time::resume();
    assert_eq!(run.ended, RunEnd::Complete);
    let met = meetings.met.lock().unwrap().clone();
    (run, met)
}

/// The rules that found something, each with the operation.
fn found(run: &Run) -> BTreeSet<(&'static str, String)> {
    let findings = run.verdicts.findings().iter();
    let of = |finding: &countersign::rules::Finding| {
        let operation = contract().fact(finding.fact).operation;
        (finding.rule.name, contract().operation(operation).name.clone())
    };
    findings.map(of).collect()
}

const OF_TAGS: u64 = 2;
/// Seeds by which each operation that can be is the one whose creates are sent together.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=4;

#[tokio::test]
async fn two_creates_of_one_operation_are_under_way_together() {
    let mut operations = BTreeSet::new();
    for seed in sampled(2, SEEDS) {
        let (together, met) = checked(Mistake::None, seed, 4).await;
        assert_eq!((met.len(), found(&together).len()), (1, 0), "{seed}: {met:?}");
        if seed == 1 {
            let (alone, met) = checked(Mistake::None, seed, 1).await;
            assert_eq!((met.len(), found(&alone).len()), (0, 0));
            assert!(together.residue.len() <= 12 && alone.residue.len() <= 12);
        }
        operations.extend(met);
    }
    assert!(operations.len() > 1, "{operations:?}");
}

#[tokio::test]
async fn responses_that_are_mixed_up_are_found() {
    for seed in sampled(2, SEEDS) {
        let (run, met) = checked(Mistake::Swaps, seed, 4).await;
        assert!(
            found(&run).contains(&("stored-values", met[0].to_owned())),
            "{seed}, {met:?}: {:?}",
            found(&run)
        );
    }
}

#[tokio::test]
async fn an_identifier_that_is_given_twice_is_found() {
    for seed in sampled(2, SEEDS) {
        let (run, met) = checked(Mistake::SameIdentifier, seed, 4).await;
        // Two visits that carry no run tag might be one; then what the list shows of it is not what was sent.
        let is_found = found(&run).into_iter().any(|(rule, operation)| {
            operation == met[0] && (rule == "identifier" || (rule == "stored-values" && met[0] == "createVisit"))
        });
        assert!(is_found, "{seed}, {met:?}: {:?}", found(&run));
    }
}

#[tokio::test]
async fn a_record_that_is_lost_is_found() {
    // Only a tag's response is made up as easily; by this seed it is tags that are created together.
    let (run, met) = checked(Mistake::Loses, OF_TAGS, 4).await;
    assert_eq!(met, ["createTag"]);
    let lost = ("listed", "createTag".to_owned());
    assert!(found(&run).contains(&lost), "{:?}", found(&run));
}
