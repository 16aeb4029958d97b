//! Writes that change records which were in the target before the run, although no word of the contract says so: they
//! are not sent again, and the records are reported. What changes by itself, or follows from there being one record
//! more, stops nothing.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::{Record, UnexplainedRecord};
use countersign::{Check, Contract};
use serde_json::{Value, json};

use super::misled::THINGS;

/// What happens to the record that was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// A create takes its flag.
    FlagMoves,
    /// An update ends it.
    UpdateEndsIt,
    /// Each read shows another flag in it.
    ChangesByItself,
    /// It shows how many records there are.
    CountsRecords,
    /// A create removes it.
    IsRemoved,
    /// There are three, and a create removes them all.
    AllAreRemoved,
    /// An update removes its parts.
    UpdateEmptiesIt,
    /// A create takes its only free seat.
    SeatIsTaken,
    /// An update writes to it, too.
    UpdateReachesIt,
    /// A deletion removes it, too.
    DeletionRemovesIt,
    /// A deletion ends it.
    DeletionEndsIt,
    /// The second update writes to it, too, and so does each later one.
    LaterUpdateReachesIt,
    /// The second create removes it.
    LaterCreateRemovesIt,
    /// The second deletion removes it, too.
    LaterDeletionRemovesIt,
    /// The list shows one record.
    IsOnTheNextPage,
    /// Records are read by another identifier than the one in the response to their create.
    IsReadBySlug,
    /// Both.
    IsOnTheNextPageAndReadBySlug,
}

pub(super) struct Service {
    effect: Effect,
    things: Vec<Value>,
    /// The next identifier.
    next: u64,
    reads: usize,
    /// The accepted writes, by method.
    pub(super) accepted: Vec<Method>,
}

impl Service {
    pub(super) fn new(effect: Effect) -> Self {
        let old = json!({"id": 7, "name": "Old", "colour": "red", "flag": true, "state": "live", "rank": 1,
            "parts": [{"id": 71}], "free_seats": [4]});
        let mut things = vec![old];
        if effect == Effect::AllAreRemoved {
            for id in [5, 6] {
                things.push(
                    json!({"id": id, "name": "Older", "colour": "blue", "flag": false, "state": "live", "rank": 1}),
                );
            }
        }
        Self {
            effect,
            things,
            next: 8,
            reads: 0,
            accepted: Vec::new(),
        }
    }

    pub(super) fn respond(&mut self, method: &Method, path: &str, sent: &Value) -> Response {
        let Some(id) = path.strip_prefix("/things/") else {
            if method == Method::GET {
                self.reads += 1;
                if self.effect == Effect::ChangesByItself {
                    self.things[0]["flag"] = json!(self.reads.is_multiple_of(2));
                }
                let is_page = matches!(
                    self.effect,
                    Effect::IsOnTheNextPage | Effect::IsOnTheNextPageAndReadBySlug
                );
                let listed = self.things.iter().rev().take(if is_page { 1 } else { usize::MAX });
                return axum::Json(listed.collect::<Vec<_>>()).into_response();
            }
            let thing = json!({"id": self.next, "name": sent["name"], "colour": sent["colour"]});
            self.next += 1;
            self.things.push(thing.clone());
            match self.effect {
                Effect::IsRemoved => self.things.retain(|thing| thing["id"] != 7),
                Effect::LaterCreateRemovesIt if self.count(&Method::POST) > 0 => {
                    self.things.retain(|thing| thing["id"] != 7);
                }
                Effect::AllAreRemoved => self.things.retain(|thing| thing["id"].as_u64() > Some(7)),
                Effect::FlagMoves => self.things[0]["flag"] = json!(false),
                Effect::SeatIsTaken => self.things[0]["free_seats"] = json!([]),
                Effect::CountsRecords => self.things[0]["rank"] = json!(self.things.len()),
                _ => {}
            }
            return (StatusCode::CREATED, axum::Json(thing)).into_response();
        };
        let number = id.parse::<u64>().ok();
        let position = self.things.iter().position(|thing| thing["id"].as_u64() == number);
        let by_slug = matches!(self.effect, Effect::IsReadBySlug | Effect::IsOnTheNextPageAndReadBySlug);
        let Some(position) = position.filter(|_| !by_slug) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        if method == Method::DELETE {
            self.things.remove(position);
            match self.effect {
                Effect::DeletionRemovesIt => self.things.retain(|thing| thing["id"] != 7),
                Effect::DeletionEndsIt => self.things[0]["state"] = json!("ended"),
                Effect::LaterDeletionRemovesIt if self.count(&Method::DELETE) > 0 => {
                    self.things.retain(|thing| thing["id"] != 7);
                }
                _ => {}
            }
            return StatusCode::NO_CONTENT.into_response();
        }
        if method == Method::PUT {
            for name in ["name", "colour"] {
                if let Some(value) = sent.get(name) {
                    self.things[position][name] = value.clone();
                    let is_later = self.effect == Effect::LaterUpdateReachesIt && self.count(&Method::PUT) > 0;
                    if is_later || self.effect == Effect::UpdateReachesIt {
                        self.things[0][name] = value.clone();
                    }
                }
            }
            match self.effect {
                Effect::UpdateEndsIt => self.things[0]["state"] = json!("ended"),
                Effect::UpdateEmptiesIt => self.things[0]["parts"] = json!([]),
                _ => {}
            }
        }
        axum::Json(&self.things[position]).into_response()
    }

    pub(super) fn count(&self, method: &Method) -> usize {
        self.accepted.iter().filter(|accepted| *accepted == method).count()
    }
}

/// Checks such a service. `also_send` names an operation that is sent whatever it changes.
async fn check(effect: Effect, also_send: Option<&str>) -> (Service, Record) {
    run(effect, |check| also_send.into_iter().fold(check, Check::also_send)).await
}

/// Checks such a service, and deletes what was created.
async fn check_and_clean_up(effect: Effect) -> (Service, Record) {
    run(effect, |check| check.cleanup(true)).await
}

async fn run(effect: Effect, set: impl FnOnce(Check) -> Check) -> (Service, Record) {
    let service = Arc::new(Mutex::new(Service::new(effect)));
    let shared = Arc::clone(&service);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let service = &mut *shared.lock().unwrap();
        let sent = serde_json::from_slice(&body)
            .ok()
            .or_else(|| body.is_empty().then_some(Value::Null));
        let response = match sent {
            Some(sent) if sent.is_null() || sent.is_object() => service.respond(&method, uri.path(), &sent),
            _ => StatusCode::BAD_REQUEST.into_response(),
        };
        if response.status().is_success() {
            service.accepted.push(method);
        }
        async { response }
    });
    let (parameter, field) = match effect {
        Effect::IsReadBySlug | Effect::IsOnTheNextPageAndReadBySlug => {
            ("thing", "id: {type: integer}, slug: {type: string}")
        }
        _ => ("id", "id: {type: integer}"),
    };
    let document = THINGS.replace("PARAMETER", parameter);
    let document = document.replace("{id: {type: integer}", &format!("{{{field}"));
    let check = Check::new(Contract::read("things.yaml", document).unwrap()).service(router);
    let check = check
        .writes(true)
        .max_writes(40)
        .seed(1)
        .settle(std::time::Duration::ZERO);
    let record = set(check).run().await.unwrap().record().clone();
    let service = std::mem::replace(&mut *service.lock().unwrap(), Service::new(effect));
    (service, record)
}

/// The record that was there before, as it is reported after a write.
fn changed(write: &str) -> UnexplainedRecord {
    numbered(7, write)
}

fn numbered(id: u64, write: &str) -> UnexplainedRecord {
    UnexplainedRecord {
        list: "listThings".to_owned(),
        id: Some(id.to_string()),
        changed_by: Some(write.to_owned()),
        existed: true,
    }
}

#[tokio::test]
async fn a_write_after_which_an_existing_record_has_changed_is_not_sent_again_and_the_record_is_reported() {
    let (plain, _) = check(Effect::None, None).await;
    assert!(plain.count(&Method::POST) > 1 && plain.count(&Method::PUT) > 1);

    let (service, record) = check(Effect::FlagMoves, None).await;
    assert_eq!(service.count(&Method::POST), 1);
    // Without a second create nothing shows that the record is new.
    assert_eq!(service.count(&Method::PUT), 0);
    assert_eq!(record.unexplained_records, [changed("addThing")]);

    let (service, record) = check(Effect::IsRemoved, None).await;
    assert_eq!(service.count(&Method::POST), 1);
    assert_eq!(record.unexplained_records, [changed("addThing")]);

    for effect in [Effect::UpdateEndsIt, Effect::UpdateEmptiesIt] {
        let (service, record) = check(effect, None).await;
        assert_eq!(service.count(&Method::PUT), 1, "{effect:?}");
        assert_eq!(service.count(&Method::POST), plain.count(&Method::POST), "{effect:?}");
        assert_eq!(record.unexplained_records, [changed("setThing")], "{effect:?}");
    }
}

#[tokio::test]
async fn what_changes_without_a_write_or_counts_records_stops_nothing() {
    let (plain, record) = check(Effect::None, None).await;
    assert_eq!(record.unexplained_records, []);
    let others = [
        Effect::ChangesByItself,
        Effect::CountsRecords,
        Effect::SeatIsTaken,
        Effect::IsOnTheNextPage,
    ];
    for effect in others {
        let (service, record) = check(effect, None).await;
        let plain = |method| plain.count(method);
        assert_eq!(service.count(&Method::POST), plain(&Method::POST), "{effect:?}");
        assert_eq!(service.count(&Method::PUT), plain(&Method::PUT), "{effect:?}");
        assert_eq!(record.unexplained_records, [], "{effect:?}");
    }
}

#[tokio::test]
async fn a_write_that_the_user_names_is_sent_again_and_what_it_changed_is_reported() {
    let (plain, _) = check(Effect::None, Some("addThing")).await;
    let (service, record) = check(Effect::FlagMoves, Some("addThing")).await;
    assert_eq!(service.count(&Method::POST), plain.count(&Method::POST));
    assert_eq!(record.unexplained_records, [changed("addThing")]);
}

#[tokio::test]
async fn each_record_that_a_write_has_removed_is_reported() {
    let (service, record) = check(Effect::AllAreRemoved, None).await;
    assert_eq!(service.count(&Method::POST), 1);
    assert_eq!(record.unexplained_records, [5, 6, 7].map(|id| numbered(id, "addThing")));
}

#[tokio::test]
async fn nothing_is_deleted_once_an_update_has_also_written_to_an_existing_record() {
    let (plain, record) = check_and_clean_up(Effect::None).await;
    assert!(plain.count(&Method::DELETE) > 1);
    assert_eq!(record.unexplained_records, []);

    let (service, record) = check_and_clean_up(Effect::UpdateReachesIt).await;
    assert_eq!(service.count(&Method::PUT), 1);
    assert_eq!(service.count(&Method::DELETE), 0);
    assert!(record.unexplained_records.contains(&changed("setThing")));

    // What an update sets in an existing record is no reason to leave the run's own records there.
    let (service, _) = check_and_clean_up(Effect::UpdateEndsIt).await;
    assert_eq!(service.count(&Method::DELETE), plain.count(&Method::DELETE));
}

#[tokio::test]
async fn a_deletion_after_which_an_existing_record_has_changed_is_the_last_one() {
    for effect in [Effect::DeletionRemovesIt, Effect::DeletionEndsIt] {
        let (service, record) = check_and_clean_up(effect).await;
        assert_eq!(service.count(&Method::DELETE), 1, "{effect:?}");
        assert_eq!(record.unexplained_records, [changed("dropThing")], "{effect:?}");
    }
}

#[tokio::test]
async fn what_only_a_later_write_changes_is_noticed_before_more_is_deleted() {
    let (plain, _) = check_and_clean_up(Effect::None).await;
    assert!(plain.count(&Method::PUT) > 1 && plain.count(&Method::DELETE) > 2);

    let (service, record) = check_and_clean_up(Effect::LaterUpdateReachesIt).await;
    assert_eq!(service.count(&Method::DELETE), 0);
    assert!(record.unexplained_records.contains(&changed("setThing")));

    let (_, record) = check_and_clean_up(Effect::LaterCreateRemovesIt).await;
    assert_eq!(record.unexplained_records, [changed("addThing")]);

    let (service, record) = check_and_clean_up(Effect::LaterDeletionRemovesIt).await;
    assert_eq!(service.count(&Method::DELETE), 2);
    assert_eq!(record.unexplained_records, [changed("dropThing")]);
}

#[tokio::test]
async fn a_record_on_the_next_page_is_not_gone_because_a_read_takes_another_identifier() {
    let (plain, _) = check(Effect::IsReadBySlug, None).await;
    let (service, record) = check(Effect::IsOnTheNextPageAndReadBySlug, None).await;
    assert!(plain.count(&Method::POST) > 0);
    assert_eq!(service.count(&Method::POST), plain.count(&Method::POST));
    assert_eq!(record.unexplained_records, []);
}
