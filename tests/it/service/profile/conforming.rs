//! A tour of every operation under a profile, with each response checked strictly against `openapi.yaml`.

use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use super::contract::{Nulls, assert_conforms};
use super::wire::{Reply, call, get, patiently, post, walk};
use super::{Running, first, single_settings, value, with};
use crate::support::sampled;

/// How many tours are under way at once.
const AT_ONCE: usize = 16;

const LISTS: [(&str, &str); 4] = [
    ("/contact-database", "ContactPage"),
    ("/venues", "VenuePage"),
    ("/visits", "VisitPage"),
    ("/tags", "TagPage"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_single_value_conforms() {
    let settings = sampled(2, single_settings());
    conform(settings.map(|setting| vec![setting]).collect()).await;
}

/// Panics unless every operation conforms under each of the profiles.
pub(super) async fn conform(profiles: Vec<Vec<String>>) {
    let tours = profiles
        .into_iter()
        .map(|settings| tokio::spawn(async move { Tour::start(&settings).await.take().await }));
    let mut tours = futures::stream::iter(tours).buffer_unordered(AT_ONCE);
    while let Some(ended) = tours.next().await {
        ended.unwrap();
    }
}

/// A tour under way: what it knows of its profile is what a client has to know to be accepted.
struct Tour<'a> {
    settings: &'a [String],
    service: Running,
    nulls: Nulls,
}

impl<'a> Tour<'a> {
    async fn start(settings: &'a [String]) -> Self {
        let nulls = match value(settings, "unset-fields") {
            "blank" => Nulls::Rejected,
            _ => Nulls::Taken,
        };
        Tour {
            settings,
            service: with(settings).await,
            nulls,
        }
    }

    async fn take(self) {
        self.lists_conform().await;
        let contact = self.creates_conform().await;
        self.update_conforms(&contact).await;
        self.rejections_conform().await;
    }

    fn check(&self, schema: &str, reply: &Reply) {
        assert!(
            reply.is_success(),
            "{:?}: {schema} {} {}",
            self.settings,
            reply.status,
            reply.body
        );
        assert_eq!(reply.headers["content-type"], "application/json");
        assert_conforms(schema, &reply.body, self.nulls, &self.settings.join(" "));
    }

    async fn lists_conform(&self) {
        for (path, schema) in LISTS {
            let unasked = get(&self.service, path).await;
            self.check(schema, &unasked);
            let last = unasked.body["data"]["last_page"].as_i64().unwrap();
            for page in [1, last] {
                let reply = get(&self.service, &format!("{path}?page={page}")).await;
                self.check(schema, &reply);
                assert_eq!(reply.body["data"]["page"], page);
            }
            let items = walk(&self.service, path).await;
            assert_eq!(unasked.body["data"]["total"], items.len(), "{:?} {path}", self.settings);
            let ids: std::collections::HashSet<_> = items.iter().map(|item| item["id"].to_string()).collect();
            assert_eq!(ids.len(), items.len(), "{:?} {path}", self.settings);
            let beyond = get(&self.service, &format!("{path}?page={}", last + 1)).await;
            if beyond.is_success() {
                self.check(schema, &beyond);
            } else {
                assert_eq!(beyond.status, 404);
            }
        }
    }

    /// Creates one of each, and returns the contact.
    async fn creates_conform(&self) -> Value {
        let tag = post(&self.service, "/tags", &json!({"name": "fresh", "color": "#1A2B3C"})).await;
        assert_eq!(tag.status, 201);
        self.check("TagCreated", &tag);
        let venue = first(&get(&self.service, "/venues").await.body);
        let contact = post(&self.service, "/contact-database", &self.contact(&tag, &venue, "Ada")).await;
        self.check("ContactCreated", &contact);
        let contact = contact.body["data"].clone();
        assert_eq!(contact["tags"], tag.body["data"]);
        let path = format!("/contact-database/{}/contact-method", contact["id"].as_str().unwrap());
        let method = json!({
            "type": "email", "contact": "ada.second@example.com", "status": "active", "included_channels": ["email"],
        });
        self.check("ContactMethodCreated", &post(&self.service, &path, &method).await);
        let datetime = match value(self.settings, "visit-times") {
            "any" => "2031-05-17T09:30:00+02:00",
            _ => "2024-05-17T09:30:00+02:00",
        };
        let visit = json!({ "contact_id": contact["id"], "venue_id": venue["id"], "datetime": datetime });
        let visit = post(&self.service, "/visits", &visit).await;
        self.check("VisitCreated", &visit);
        assert_eq!(visit.body["data"]["venue"]["id"], venue["id"]);
        assert_eq!(visit.body["data"]["contact"]["id"], contact["id"]);
        contact
    }

    async fn update_conforms(&self, contact: &Value) {
        let tag = Reply {
            body: json!({"data": contact["tags"]}),
            ..get(&self.service, "/tags").await
        };
        let venue = first(&get(&self.service, "/venues").await.body);
        let path = format!("/contact-database/{}", contact["id"].as_str().unwrap());
        let reply = call(
            &self.service,
            Method::PUT,
            &path,
            Some(&self.contact(&tag, &venue, "Bruno")),
        )
        .await;
        match (
            value(self.settings, "update-contact-status"),
            value(self.settings, "update-response-body"),
        ) {
            ("204", _) | (_, "empty") => {
                assert!(reply.is_success(), "{:?}: {}", self.settings, reply.status);
                assert_eq!(reply.body, Value::Null);
            }
            (_, "message") => assert_eq!(reply.body, json!({"message": "Contact updated"})),
            (_, "envelope") => self.check("ContactCreated", &reply),
            (_, _) => self.check("ContactFresh", &reply),
        }
    }

    /// Rejects what is no request of the document with some 4xx, and with the documented ones where they are.
    async fn rejections_conform(&self) {
        for (method, path) in [
            (Method::GET, "/tags"),
            (Method::POST, "/visits"),
            (Method::POST, "/tags"),
        ] {
            let reply = patiently(self.service.bare(method.clone(), path)).await;
            assert!(matches!(reply.status, 401 | 403), "{:?} {method} {path}", self.settings);
            assert!(reply.status == 401 || (method, path) != (Method::POST, "/tags"));
        }
        let reply = post(&self.service, "/tags", &json!({"name": 1, "color": "red"})).await;
        assert!(
            matches!(reply.status, 400 | 422),
            "{:?} {}",
            self.settings,
            reply.status
        );
    }

    /// Makes a whole contact, as a client does that knows how this service takes it.
    fn contact(&self, tag: &Reply, venue: &Value, firstname: &str) -> Value {
        let dob = match value(self.settings, "dob-format") {
            "day-first" => "28/02/1990",
            "month-first" => "02/28/1990",
            "timestamp" => "1990-02-28T00:00:00Z",
            _ => "1990-02-28",
        };
        let tag = match value(self.settings, "tags-entries") {
            "name" => &tag.body["data"]["name"],
            _ => &tag.body["data"]["id"],
        };
        json!({
            "firstname": firstname,
            "lastname": "Example",
            "contact_methods": [{
                "type": "email", "contact": format!("{firstname}@example.com"), "status": "active",
            }],
            "dob": dob,
            "date_of_birth": {"day": 28, "month": 2, "year": 1990},
            "gender": "female",
            "nationality": "GB",
            "country_of_residence": "IT",
            "venue_id": venue["id"],
            "included_channels": ["email", "sms"],
            "tags": [tag],
        })
    }
}
