//! What is true of every store.

use std::collections::HashSet;
use std::sync::Arc;

use countersign::service::{Profile, Service, StoreUrl};
use futures::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::Place;
use crate::service::support::{Running, TOKEN};
use crate::support::tried;

const LISTS: [&str; 4] = ["/contact-database", "/venues", "/visits", "/tags"];

pub(super) async fn the_seed_is_the_same_everywhere(place: Place) {
    let (here, memory) = (Running::over(&place.url).await, Running::memory().await);
    for list in LISTS {
        assert_eq!(here.walk(list).await, memory.walk(list).await, "{list}");
    }
}

pub(super) async fn growth_is_the_same_everywhere_and_happens_once(place: Place) {
    let open = async |url: &StoreUrl| {
        Service::open(url, TOKEN.to_owned().into(), Profile::default())
            .await
            .unwrap()
    };
    let (here, memory) = (open(&place.url).await, open(&StoreUrl::Memory).await);
    let mut seen = Vec::new();
    for target in [100, 100, 50, 120] {
        here.grow_contacts(target, |total| seen.push(total)).await.unwrap();
        memory.grow_contacts(target, |_| ()).await.unwrap();
    }
    assert_eq!(seen, [100, 100, 100, 120]);
    let (here, memory) = (Running::start(here).await, Running::start(memory).await);
    let contacts = here.walk("/contact-database").await;
    assert_eq!(contacts, memory.walk("/contact-database").await);
    let ids: HashSet<String> = contacts.iter().map(|contact| contact["id"].to_string()).collect();
    assert_eq!(ids.len(), 120);
}

pub(super) async fn a_contact_is_kept_as_sent(place: Place) {
    let service = Running::over(&place.url).await;
    for odd in [
        "'; DROP TABLE contact; --",
        "\"{}\\",
        "Zoë 👩‍🚀 \u{202e}",
        "\u{1}\t\n",
        " Ada ",
    ] {
        let sent = json!({"firstname": odd, "lastname": odd, "contact_methods": [{"type": odd, "contact": odd}]});
        let response = service.post("/contact-database", &sent).await;
        if odd.trim().is_empty() {
            assert_eq!(response.status, StatusCode::UNPROCESSABLE_ENTITY, "{odd:?}");
            continue;
        }
        let created = response.body["data"].clone();
        assert_eq!(created["firstname"], odd);
        assert_eq!(created["contact_methods"][0]["contact"], odd);
        let mut listed = service.listed("/contact-database", &created["id"]).await.unwrap();
        listed.as_object_mut().unwrap().remove("custom_fields");
        assert_eq!(listed, created);
    }
    let nul = json!({"firstname": "Ada\0"});
    let rejected = service.post("/contact-database", &nul).await;
    assert_eq!(rejected.status, StatusCode::UNPROCESSABLE_ENTITY);
}

pub(super) async fn a_contact_created_in_a_venue_has_visited_it(place: Place) {
    let service = Running::over(&place.url).await;
    let venue = service.get("/venues").await.body["data"]["items"][3].clone();
    let write = async || {
        let sent = json!({"firstname": "Ada", "venue_id": venue["id"]});
        let contact = service.post("/contact-database", &sent).await.body["data"].clone();
        let visit = json!({"contact_id": contact["id"], "venue_id": venue["id"], "datetime": "2024-05-17T07:30:00Z"});
        assert_eq!(service.post("/visits", &visit).await.status, StatusCode::CREATED);
        contact
    };
    let contacts = join_all((0..20).map(|_| write())).await;
    let visits = service.walk("/visits").await;
    let ids: Vec<i64> = visits.iter().map(|visit| visit["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, (1..=70).collect::<Vec<_>>());
    for contact in contacts {
        let mut of_contact = visits.iter().filter(|visit| visit["contact"]["id"] == contact["id"]);
        let first = of_contact
            .find(|visit| visit["datetime"] == contact["created_at"])
            .unwrap();
        let shown = json!([{"datetime": first["datetime"], "venue": [{"id": venue["id"], "name": venue["name"]}]}]);
        assert_eq!((&contact["first_visit"], &contact["last_visit"]), (&shown, &shown));
        assert_eq!(contact["first_visited_venue"], venue["name"]);
    }
    let path = format!("/contact-database/{}", visits[30]["contact"]["id"].as_str().unwrap());
    service.put(&path, &json!({"venue_id": venue["id"]})).await;
    assert_eq!(service.walk("/visits").await.len(), 70);
}

pub(super) async fn a_page_beyond_the_last_is_empty_and_knows_the_total(place: Place) {
    let service = Running::over(&place.url).await;
    for (list, total) in LISTS.into_iter().zip([30, 30, 30, 20]) {
        for page in [6, 1_000_000_000_000_000_000, i64::MAX] {
            let data = service.get(&format!("{list}?page={page}")).await.body["data"].clone();
            assert_eq!(data["items"], json!([]), "{list} {page}");
            assert_eq!(data["total"], total, "{list} {page}");
        }
    }
}

pub(super) async fn a_page_that_was_read_before_shows_every_write(place: Place) {
    let service = Running::over(&place.url).await;
    let item = async |path| service.get(path).await.body["data"]["items"][0].clone();
    let before = item("/contact-database").await;
    let path = format!("/contact-database/{}", before["id"].as_str().unwrap());

    service.put(&path, &json!({"firstname": "Renamed"})).await;
    let renamed = item("/contact-database").await;
    assert_eq!(renamed["firstname"], "Renamed");

    let method = json!({"type": "fax", "contact": "+44 7700 900123"});
    let method = service.post(&format!("{path}/contact-method"), &method).await;
    let methods = item("/contact-database").await["contact_methods"].clone();
    assert!(methods.as_array().unwrap().contains(&method.body["data"]));

    let venue = item("/venues").await["id"].clone();
    let visit = json!({"contact_id": before["id"], "venue_id": venue, "datetime": "2031-05-17T07:30:00Z"});
    let total = service.get("/visits").await.body["data"]["total"].as_i64().unwrap();
    service.post("/visits", &visit).await;
    assert_eq!(service.get("/visits").await.body["data"]["total"], total + 1);
    let visited = item("/contact-database").await;
    assert_eq!(visited["last_visited_at"], "2031-05-17T07:30:00Z");
}

pub(super) async fn a_rejected_create_leaves_nothing(place: Place) {
    let service = Running::over(&place.url).await;
    let nobody = "00000000-0000-4000-8000-00000000ffff";
    let visit = json!({"contact_id": nobody, "venue_id": nobody, "datetime": "2024-05-17T07:30:00Z"});
    let creates = [
        (
            "/contact-database",
            json!({"firstname": "Ada", "tags": ["guest", "no such tag"]}),
            422,
        ),
        (
            "/contact-database",
            json!({"firstname": "Ada", "venue_id": nobody}),
            422,
        ),
        ("/visits", visit, 422),
        (
            &format!("/contact-database/{nobody}/contact-method"),
            json!({"type": "a", "contact": "b"}),
            404,
        ),
    ];
    for (path, sent, status) in creates {
        assert_eq!(service.post(path, &sent).await.status.as_u16(), status, "{path} {sent}");
    }
    let path = format!("/contact-database/{nobody}");
    let update = service.put(&path, &json!({"tags": ["no such tag"]})).await;
    assert_eq!(update.status, StatusCode::NOT_FOUND);
    assert_eq!(service.walk("/contact-database").await.len(), 30);
    assert_eq!(service.walk("/visits").await.len(), 30);
    // The positions that the rejected ones would have had are taken by the next.
    assert_eq!(
        service.post("/tags", &json!({"name": "next"})).await.status,
        StatusCode::CREATED
    );
    assert_eq!(service.walk("/tags").await.len(), 21);
}

pub(super) async fn a_history_ends_as_in_memory(place: Place) {
    let (here, memory) = (Running::over(&place.url).await, Running::memory().await);
    assert_eq!(history(&here).await, history(&memory).await);
}

/// Does something of everything, and returns what can be seen of it afterwards, without what differs from run to run.
async fn history(service: &Running) -> Value {
    for color in ["#000001", "#000002"] {
        service.post("/tags", &json!({"name": "twice", "color": color})).await;
    }
    let venues = service.walk("/venues").await;
    let sent = json!({
        "firstname": "Ada", "lastname": "Example", "dob": "1990-02-28", "gender": "female", "nationality": "GB",
        "country_of_residence": "IT", "venue_id": venues[2]["id"], "included_channels": ["email"],
        "tags": ["twice", "guest"], "contact_methods": [{"type": "email", "contact": "ada@example.com"}],
    });
    let id = service.post("/contact-database", &sent).await.body["data"]["id"].clone();
    let path = format!("/contact-database/{}", id.as_str().unwrap());
    let method = json!({"type": "phone", "contact": "+44 7700 900123", "included_channels": ["phone", "sms"]});
    service.post(&format!("{path}/contact-method"), &method).await;
    // The first and the last of these are neither the first nor the last recorded.
    for (venue, day) in [(0, 12), (1, 10), (2, 14), (3, 10), (4, 14), (5, 11)] {
        let datetime = format!("2024-05-{day}T09:30:00+02:00");
        let visit = json!({"contact_id": id, "venue_id": venues[venue]["id"], "datetime": datetime});
        service.post("/visits", &visit).await;
    }
    let update = json!({"lastname": "", "tags": ["guest"], "nationality": "FR"});
    assert_eq!(service.put(&path, &update).await.status, StatusCode::OK);
    let mut contact = service.listed("/contact-database", &id).await.unwrap();
    let methods: Vec<Value> = contact["contact_methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|method| method["contact"].clone())
        .collect();
    contact["contact_methods"] = json!(methods);
    let created_at = contact["created_at"].clone();
    for varying in ["id", "updated_at"] {
        contact[varying] = Value::Null;
    }
    let visits: Vec<Value> = service
        .walk("/visits")
        .await
        .into_iter()
        .skip(30)
        .map(|visit| json!([visit["id"], visit["venue"], visit["datetime"]]))
        .collect();
    let seen = json!([contact, visits]).to_string();
    json!(seen.replace(created_at.as_str().unwrap(), "then"))
}

pub(super) async fn concurrent_creates_skip_no_position_and_tear_no_page(place: Place) {
    const WRITERS: usize = 50;
    let service = Arc::new(Running::over(&place.url).await);
    let contact = service.get("/contact-database").await.body["data"]["items"][0]["id"].clone();
    let venue = service.get("/venues").await.body["data"]["items"][0]["id"].clone();
    let body = json!({"contact_id": contact, "venue_id": venue, "datetime": "2024-05-17T07:30:00Z"});
    let write = async || {
        let mut ids = Vec::new();
        for _ in 0..4 {
            let id = service.post("/visits", &body).await.body["data"]["id"]
                .as_i64()
                .unwrap();
            // What was acknowledged is on its page, and its page is as full as the total says.
            let data = service.get(&format!("/visits?page={}", (id + 9) / 10)).await.body["data"].clone();
            assert_whole(&data);
            assert_eq!(data["items"][usize::try_from((id - 1) % 10).unwrap()]["id"], id);
            ids.push(id);
        }
        ids
    };
    let written = join_all((0..WRITERS).map(|_| write())).await;
    let mut ids = written.concat();
    ids.sort_unstable();
    assert_eq!(ids, (31..=230).collect::<Vec<i64>>());
    let walked = service.walk("/visits").await;
    let walked: Vec<i64> = walked.iter().map(|visit| visit["id"].as_i64().unwrap()).collect();
    assert_eq!(walked, (1..=230).collect::<Vec<_>>());
}

/// Asserts that a page holds all the items that its total promises.
pub(in crate::service) fn assert_whole(data: &Value) {
    let number = |field: &str| data[field].as_u64().unwrap();
    let before = (number("page") - 1) * number("per_page");
    let promised = number("total").saturating_sub(before).min(number("per_page"));
    assert_eq!(data["items"].as_array().unwrap().len() as u64, promised);
}

pub(super) async fn concurrent_creates_and_updates_add_up(place: Place) {
    // Half of them create, half update what was created.
    let writes = tried(1_000, 10_000);
    let writers = 64.min(writes / 2);
    let service = Running::over(&place.url).await;
    let write = async |writer: usize| {
        for number in 0..writes / 2 / writers {
            let sent = json!({"firstname": format!("{writer}"), "lastname": "before"});
            let created = service.post("/contact-database", &sent).await;
            assert_eq!(created.status, StatusCode::CREATED);
            let path = format!("/contact-database/{}", created.body["data"]["id"].as_str().unwrap());
            let updated = service.put(&path, &json!({"lastname": format!("{number}")})).await;
            assert_eq!(updated.status, StatusCode::OK);
        }
    };
    join_all((0..writers).map(write)).await;
    let contacts = service.walk("/contact-database").await;
    assert_eq!(contacts.len(), 30 + writes / 2 / writers * writers);
    let names: HashSet<&str> = contacts
        .iter()
        .map(|contact| contact["full_name"].as_str().unwrap())
        .collect();
    for writer in 0..writers {
        for number in 0..writes / 2 / writers {
            assert!(
                names.contains(format!("{writer} {number}").as_str()),
                "{writer} {number}"
            );
        }
    }
}

pub(super) async fn concurrent_methods_and_visits_of_one_contact_all_count(place: Place) {
    let service = Running::over(&place.url).await;
    let created = service.post("/contact-database", &json!({"firstname": "Ada"})).await;
    let id = created.body["data"]["id"].clone();
    let venue = service.get("/venues").await.body["data"]["items"][0]["id"].clone();
    let path = format!("/contact-database/{}/contact-method", id.as_str().unwrap());
    let write = async |number: usize| {
        let method = json!({"type": "email", "contact": format!("{number}@example.com")});
        assert_eq!(service.post(&path, &method).await.status, StatusCode::CREATED);
        // The middle ones are recorded at any time; the first and last day must come out whatever the order.
        let datetime = format!("2024-05-{:02}T09:30:00Z", (number * 7) % 30 + 1);
        let visit = json!({"contact_id": id, "venue_id": venue, "datetime": datetime});
        assert_eq!(service.post("/visits", &visit).await.status, StatusCode::CREATED);
    };
    join_all((0..30).map(write)).await;
    let contact = service.listed("/contact-database", &id).await.unwrap();
    let methods: HashSet<String> = contact["contact_methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|method| method["contact"].to_string())
        .collect();
    assert_eq!(methods.len(), 30);
    assert_eq!(contact["first_visited_at"], "2024-05-01T09:30:00Z");
    assert_eq!(contact["last_visited_at"], "2024-05-30T09:30:00Z");
}
