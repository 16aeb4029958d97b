//! What is true of every store that outlives the service that made it.

use countersign::service::{Profile, Service};
use futures::future::join_all;
use serde_json::json;

use super::Place;
use super::claims::assert_whole;
use crate::service::support::{Running, TOKEN};

pub(super) async fn what_was_created_is_there_after_a_restart(place: Place) {
    let service = Running::over(&place.url).await;
    let tag = service.post("/tags", &json!({"name": "fresh"})).await.body["data"].clone();
    let contact = service
        .post("/contact-database", &json!({"firstname": "Ada", "tags": ["fresh"]}))
        .await;
    let before = service.walk("/contact-database").await;
    service.stop().await.unwrap();

    let service = Running::over(&place.url).await;
    assert_eq!(service.walk("/contact-database").await, before);
    assert_eq!(before.last().unwrap()["id"], contact.body["data"]["id"]);
    assert_eq!(service.listed("/tags", &tag["id"]).await, Some(tag));
    service.stop().await.unwrap();
}

pub(super) async fn services_that_start_together_make_one_store(place: Place) {
    let open = || Service::open(&place.url, TOKEN.to_owned().into(), Profile::default());
    for service in join_all((0..4).map(|_| open())).await {
        let service = Running::start(service.unwrap()).await;
        assert_eq!(service.walk("/contact-database").await.len(), 30);
        assert_eq!(service.walk("/venues").await.len(), 30);
    }
}

pub(super) async fn two_services_over_one_store_see_each_other(place: Place) {
    let (one, other) = (Running::over(&place.url).await, Running::over(&place.url).await);
    let write = async |number: usize| {
        let (writer, reader) = if number.is_multiple_of(2) {
            (&one, &other)
        } else {
            (&other, &one)
        };
        let tag = writer
            .post("/tags", &json!({"name": format!("tag {number}")}))
            .await
            .body["data"]
            .clone();
        // A page of the other replica is whole at any moment, and has what the first has acknowledged.
        let mut page = 3;
        loop {
            let data = reader.get(&format!("/tags?page={page}")).await.body["data"].clone();
            assert_whole(&data);
            let items = data["items"].as_array().unwrap();
            if items.contains(&tag) {
                return;
            }
            assert!(
                !items.is_empty(),
                "an acknowledged tag is not listed by the other service"
            );
            page += 1;
        }
    };
    join_all((0..40).map(write)).await;
    let tags = one.walk("/tags").await;
    assert_eq!(tags.len(), 60);
    assert_eq!(tags, other.walk("/tags").await);
}
