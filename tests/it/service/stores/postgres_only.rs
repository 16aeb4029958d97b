//! What is true only of PostgreSQL: which databases are rejected, and with what message.

use std::error::Error;

use countersign::service::{OpenError, Profile, Service, StoreUrl};
use reqwest::StatusCode;
use serde_json::json;

use super::place_in_postgres::Database;
use crate::service::support::{Running, TOKEN};

async fn rejected(store: &StoreUrl) -> OpenError {
    let opened = Service::open(store, TOKEN.to_owned().into(), Profile::default()).await;
    opened.err().unwrap()
}

/// Asserts that a store is rejected with a word on what to check and nothing of a password.
pub(super) async fn assert_rejected(url: &str, check: &str) {
    let error = rejected(&url.parse().unwrap()).await;
    let beneath = error.source().map(ToString::to_string).unwrap_or_default();
    let message = format!("{error}: {beneath}");
    assert!(message.contains(check), "{message}");
    assert!(!beneath.is_empty());
    assert!(
        !message.contains("hidden") && !format!("{error:?}").contains("hidden"),
        "{message}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    // A port of this machine that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("postgres://ada:hidden@127.0.0.1:{port}/contacts");
    assert_rejected(
        &url,
        &format!("postgres://ada@127.0.0.1:{port}/contacts`; check that PostgreSQL runs there"),
    )
    .await;
}

#[tokio::test]
async fn a_rejected_password_is_named() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let user = format!("user_{}", database.name);
    let client = database.client().await;
    client
        .batch_execute(&format!("CREATE USER {user} PASSWORD 'right'"))
        .await
        .unwrap();
    assert_rejected(
        &database.url_for(&format!("{user}:hidden")),
        "check the user and the password",
    )
    .await;
}

#[tokio::test]
async fn missing_rights_are_named() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let user = format!("user_{}", database.name);
    let client = database.client().await;
    client
        .batch_execute(&format!("CREATE USER {user} PASSWORD 'hidden'"))
        .await
        .unwrap();
    assert_rejected(&database.url_for(&format!("{user}:hidden")), "GRANT CREATE ON DATABASE").await;
    // With the right to create it works, and another user may not look into what the first has made.
    client
        .batch_execute(&format!("GRANT CREATE ON DATABASE {} TO {user}", database.name))
        .await
        .unwrap();
    let store: StoreUrl = database.url_for(&format!("{user}:hidden")).parse().unwrap();
    assert!(
        Service::open(&store, TOKEN.to_owned().into(), Profile::default())
            .await
            .is_ok()
    );
    let other = format!("other_{}", database.name);
    client
        .batch_execute(&format!("CREATE USER {other} PASSWORD 'hidden'"))
        .await
        .unwrap();
    assert_rejected(&database.url_for(&format!("{other}:hidden")), "must own it").await;
}

#[tokio::test]
async fn a_database_that_is_not_there_is_named() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let url = database.url().replace("/test_", "/missing_");
    assert_rejected(&url, "check the database of the address").await;
}

#[tokio::test]
async fn a_database_that_fails_is_answered_with_a_plain_500_until_it_works_again() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let service = Running::over(&database.store()).await;
    let client = database.client().await;
    let rename = async |from, to| {
        let statement = format!("ALTER TABLE countersign.{from} RENAME TO {to}");
        client.batch_execute(&statement).await.unwrap();
    };
    rename("tag", "gone").await;
    let failed = service.get("/tags").await;
    assert_eq!(failed.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(failed.body, json!({"message": "the service failed", "errors": []}));
    rename("gone", "tag").await;
    assert_eq!(service.get("/tags").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_schema_of_another_program_is_rejected_and_not_touched() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let client = database.client().await;
    let foreign = "CREATE SCHEMA countersign; CREATE TABLE countersign.note (text text)";
    client.batch_execute(foreign).await.unwrap();
    assert!(matches!(
        rejected(&database.store()).await,
        OpenError::ForeignStore { .. }
    ));
    let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'countersign'";
    assert_eq!(client.query_one(tables, &[]).await.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_rejected_and_not_touched() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    drop(
        Service::open(&database.store(), TOKEN.to_owned().into(), Profile::default())
            .await
            .unwrap(),
    );
    let client = database.client().await;
    client
        .batch_execute("INSERT INTO countersign.format VALUES (2)")
        .await
        .unwrap();
    let error = rejected(&database.store()).await;
    assert!(matches!(error, OpenError::NewerStore { found: 2, known: 1, .. }));
    assert!(error.to_string().contains("written by a newer version"), "{error}");
    let formats = client
        .query_one("SELECT count(*) FROM countersign.format", &[])
        .await
        .unwrap();
    assert_eq!(formats.get::<_, i64>(0), 2);
}

#[tokio::test]
async fn tables_of_others_beside_the_schema_do_no_harm() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let client = database.client().await;
    client
        .batch_execute("CREATE TABLE contact (text text); CREATE TABLE tag (text text)")
        .await
        .unwrap();
    assert!(
        Service::open(&database.store(), TOKEN.to_owned().into(), Profile::default())
            .await
            .is_ok()
    );
}
