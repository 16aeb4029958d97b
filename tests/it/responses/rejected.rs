//! Targets whose responses cannot be compared: the run fails with the checker's own message, and no snapshot is
//! compared.

use super::observing::shapes;
use super::subject::Subject;
use crate::support::stub::{Response, Stub};

/// The message of a run that fails before anything is compared.
async fn message(subject: &Subject) -> String {
    shapes(subject).await.unwrap_err()
}

#[tokio::test]
async fn a_target_that_nobody_reaches_is_reported_in_the_checkers_words() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let message = message(&Subject::deployed(url.clone())).await;
    let expected = "could not be judged: the connection could not be opened: connection refused; \
                    check the base URL, and that the service is up";
    assert_eq!(message, format!("{url} {expected}"));
}

#[tokio::test]
async fn a_token_that_is_rejected_is_reported_in_the_checkers_words() {
    let subject = Subject {
        token: "another-token".to_owned(),
        ..Subject::embedded(&[]).await
    };
    let message = message(&subject).await;
    let expected = "could not be judged: the token was rejected with 401 by every operation that was called; \
                    check that it is for this target";
    assert_eq!(message, format!("{} {expected}", subject.url));
}

#[tokio::test]
async fn a_target_that_shows_no_success_fails_by_name() {
    // A table without a row responses 404.
    let stub = Stub::table().start().await;
    let message = message(&Subject::deployed(stub.url())).await;
    let expected = "could not be judged: every path returns 404: is the base URL, with its prefix, right?";
    assert_eq!(message, format!("{} {expected}", stub.url()));
}

#[tokio::test]
async fn a_list_that_is_rejected_alone_fails_by_name() {
    let page = serde_json::json!({"data": {"per_page": 10, "page": 1, "total": 0, "last_page": 1, "items": []}});
    let mut table = Stub::table();
    for list in ["contact-database", "venues", "visits"] {
        table = table.on("GET", &format!("/organization/v1/{list}"), Response::json(200, &page));
    }
    let stub = table.start().await;
    let message = message(&Subject::deployed(stub.url())).await;
    assert!(
        message.starts_with("nothing was decided on the responses of getTags: "),
        "{message}"
    );
}

#[tokio::test]
async fn a_deployed_service_is_sent_reads_alone_unless_writes_are_asked_for() {
    let embedded = Subject::embedded(&[]).await;
    let reads = Subject {
        writes: false,
        ..embedded.clone()
    };
    let read = shapes(&reads).await.unwrap();
    assert_eq!(
        read.not_called,
        [
            "createContact", "updateContact", "createContactMethod", "createVisit", "createTag"
        ]
    );
    assert!(shapes(&embedded).await.unwrap().not_called.is_empty());
}
