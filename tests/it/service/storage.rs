//! What a store keeps, and which files are rejected as a store.

use std::fs;
use std::path::{Path, PathBuf};

use countersign::service::{OpenError, Profile, Service, StoreUrl};
use rusqlite::Connection;
use serde_json::json;

use super::support::{Running, TOKEN};

async fn opened(path: &Path) -> Result<Service, OpenError> {
    Service::open(
        &StoreUrl::File(path.to_owned()),
        TOKEN.to_owned().into(),
        Profile::default(),
    )
    .await
}

/// Asserts that a file is rejected and left byte for byte as it was, with nothing beside it.
async fn assert_untouched(folder: &Path, path: &Path) -> OpenError {
    let before = fs::read(path).unwrap();
    let rejected = opened(path).await.err().unwrap();
    assert_eq!(fs::read(path).unwrap(), before);
    let files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files, [path]);
    rejected
}

#[tokio::test]
async fn what_was_acknowledged_is_there_without_a_clean_stop() {
    let folder = tempfile::tempdir().unwrap();
    let service = Running::over(&StoreUrl::File(folder.path().join("contacts.db"))).await;
    let tag = service.post("/tags", &json!({"name": "fresh"})).await.body["data"].clone();

    // What lies on the disk while the service runs is what a killed one leaves.
    let left = tempfile::tempdir().unwrap();
    for name in ["contacts.db", "contacts.db-wal"] {
        fs::copy(folder.path().join(name), left.path().join(name)).unwrap();
    }
    let service = Running::over(&StoreUrl::File(left.path().join("contacts.db"))).await;
    assert_eq!(service.listed("/tags", &tag["id"]).await, Some(tag));
}

#[tokio::test]
async fn the_seed_has_contacts_of_every_kind() {
    let contacts = Running::memory().await.walk("/contact-database").await;
    for field in ["first_visit", "excluded_channels", "contact_methods"] {
        assert!(
            contacts.iter().any(|contact| contact[field] == json!([])),
            "{field} is never empty"
        );
        assert_ne!(contacts[0][field], json!([]), "{field} of the first contact");
    }
    assert!(
        contacts
            .iter()
            .any(|contact| contact["first_visit"] != contact["last_visit"])
    );
    for contact in contacts {
        let email = contact["email"].as_str().unwrap();
        assert!(email.is_empty() || email.ends_with("@example.com"));
        let phone = contact["phone"].as_str().unwrap();
        assert!(phone.is_empty() || phone.starts_with("+44 7700 900"));
    }
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contacts.db");
    fs::write(&path, "").unwrap();
    assert!(opened(&path).await.is_ok());
}

#[tokio::test]
async fn a_file_that_is_no_database_is_rejected_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(
        &path,
        "These are notes, and they are longer than the header of a database.\n".repeat(20),
    )
    .unwrap();
    assert!(matches!(
        assert_untouched(folder.path(), &path).await,
        OpenError::NotADatabase { .. }
    ));
}

#[tokio::test]
async fn a_database_of_another_program_is_rejected_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE note (text TEXT)")
        .unwrap();
    assert!(matches!(
        assert_untouched(folder.path(), &path).await,
        OpenError::ForeignStore { .. }
    ));
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_rejected_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contacts.db");
    drop(opened(&path).await.unwrap());
    let store = Connection::open(&path).unwrap();
    store
        .execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 2")
        .unwrap();
    drop(store);
    let rejected = assert_untouched(folder.path(), &path).await;
    assert!(matches!(rejected, OpenError::NewerStore { found: 2, known: 1, .. }));
    assert!(
        rejected.to_string().contains("written by a newer version"),
        "{rejected}"
    );
}

#[tokio::test]
async fn a_file_in_a_folder_that_is_not_there_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let rejected = opened(&folder.path().join("missing").join("contacts.db"))
        .await
        .err()
        .unwrap();
    assert!(matches!(rejected, OpenError::Unavailable { .. }));
    assert!(rejected.to_string().contains("contacts.db"), "{rejected}");
}

#[tokio::test]
async fn a_folder_is_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let rejected = opened(folder.path()).await.err().unwrap();
    assert!(matches!(rejected, OpenError::Folder { .. }));
    assert!(rejected.to_string().contains("name a file in it"), "{rejected}");
}
