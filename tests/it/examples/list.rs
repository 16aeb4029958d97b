//! `list_contacts`: every contact is a row, and rows are written as pages come.

use countersign::client::types::ContactInput;
use serde_json::{Value, json};

use super::run;
use super::served::{Served, runtime};
use crate::support::stub::{Response, Stub};

#[test]
fn every_contact_of_every_page_is_a_row() {
    let service = Served::start(120);
    let odd = ContactInput {
        firstname: Some("Ada \"the, first\"".to_owned()),
        lastname: Some("Sample".to_owned()),
        ..ContactInput::default()
    };
    runtime()
        .block_on(service.client().create_contact().body(odd).send())
        .unwrap();
    let outcome = run("list_contacts", &[&service.url]);
    assert!(outcome.success, "{}", outcome.stderr);

    let mut table = csv::Reader::from_reader(outcome.stdout.as_bytes());
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    let contacts = service.contacts();
    assert!(contacts.len() > 120, "{}", contacts.len());
    let ids: Vec<_> = contacts.iter().map(|contact| contact.id.clone().unwrap()).collect();
    let listed: Vec<_> = rows.iter().map(|row| row[0].to_owned()).collect();
    assert_eq!(listed, ids);
    assert!(rows.iter().any(|row| &row[1] == "Ada \"the, first\""));
    assert_eq!(outcome.stderr, format!("{} contacts written\n", ids.len()));
}

#[test]
fn the_rows_of_pages_before_an_error_are_written() {
    let path = "/organization/v1/contact-database";
    let page = |page: i64| -> Value {
        json!({ "data": { "per_page": 1, "page": page, "total": 3, "last_page": 3, "items": [{ "id": format!("id-{page}") }] } })
    };
    let outcome = runtime().block_on(async {
        let responses = vec![
            Response::json(200, &page(1)),
            Response::json(200, &page(2)),
            Response::status(500),
        ];
        let stub = Stub::table().on_in_turn("GET", path, responses).start().await;
        let url = stub.url();
        tokio::task::spawn_blocking(move || run("list_contacts", &[&url]))
            .await
            .unwrap()
    });
    assert!(!outcome.success);
    assert!(
        outcome.stdout.contains("\nid-1,") && outcome.stdout.contains("\nid-2,"),
        "{}",
        outcome.stdout
    );
    let expected = "2 contacts written\nlist_contacts: failed to get a success: the service answered with 500 Internal Server Error\n";
    assert_eq!(outcome.stderr, expected);
}
