//! `countersign serve`: what it prints when it starts, and why it does not start.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use super::support::{TOKEN, check, countersign};

#[cfg(unix)]
#[test]
fn a_service_says_where_it_listens_and_stops_at_sigterm() {
    let serving = countersign(&["serve", "--listen", "127.0.0.1:0"]).start();
    let lines = serving.first_lines(2);
    let url = lines[0].split(' ').nth(1).unwrap();
    let token = lines[1].trim().strip_prefix("token ").unwrap();
    let checked = check(url, &["-q"]).env("COUNTERSIGN_TOKEN", token).run();
    assert_eq!(checked.code, 0, "{checked:?}");
    serving.signal("TERM");
    let mut ended = serving.end();
    ended.stdout.insert_str(0, &lines.concat());
    ended.matches("serve");
}

#[cfg(unix)]
#[test]
fn a_response_that_is_in_flight_at_sigterm_is_finished() {
    let call = countersign(&["serve", "--listen", "127.0.0.1:0"]).env("COUNTERSIGN_TOKEN", TOKEN);
    let serving = call.start();
    let line = serving.first_lines(1).concat();
    let address = line.split(' ').nth(1).unwrap().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = r#"{"name": "late"}"#;
    let head = format!(
        "POST /organization/v1/tags HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // The service says this when it begins to read the body, so the request is being answered.
    let mut response = [0; 25];
    stream.read_exact(&mut response).unwrap();
    assert_eq!(&response, b"HTTP/1.1 100 Continue\r\n\r\n");
    serving.signal("TERM");
    while TcpStream::connect(address).is_ok() {
        std::thread::yield_now();
    }
    stream.write_all(body.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 201 Created\r\n"), "{response}");
    assert_eq!(serving.end().code, 0);
}

#[cfg(unix)]
#[test]
fn a_token_that_was_given_is_not_printed() {
    let call = countersign(&["serve", "--listen", "127.0.0.1:0"]).env("COUNTERSIGN_TOKEN", TOKEN);
    let serving = call.start();
    let first = serving.first_lines(1);
    assert!(!first[0].contains(TOKEN));
    serving.signal("INT");
    let ended = serving.end();
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
}

#[test]
fn a_port_that_is_taken_is_reported_with_a_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = countersign(&["serve", "--listen", &address]).run();
    let message = ended.is_one_error(2);
    assert!(message.contains(&address) && message.contains("--listen"), "{message}");
    ended.matches("serve_port_taken");
}

#[test]
fn what_is_no_address_is_reported_with_one() {
    for address in ["8080", "nowhere", "127.0.0.1:99999", ""] {
        let ended = countersign(&["serve", "--listen", address]).run();
        let message = ended.is_one_error(2);
        assert!(message.contains("127.0.0.1:8080"), "{message}");
    }
}

#[test]
fn a_file_that_is_no_database_is_rejected_and_left_as_it_was() {
    let call = countersign(&["serve", "--listen", "127.0.0.1:0", "--store", "sqlite:notes.txt"]);
    let ended = call
        .file("notes.txt", "not a database, but somebody's notes\n".repeat(50))
        .run();
    ended.is_one_error(2);
    ended.matches("serve_no_database");
    assert_eq!(ended.files(), ["notes.txt"]);
    let kept = std::fs::read_to_string(ended.path().join("notes.txt")).unwrap();
    assert!(kept.starts_with("not a database") && kept.lines().count() == 50);
}

#[test]
fn a_store_that_cannot_be_opened_is_reported_with_the_reason() {
    for (store, reason) in [("sqlite:absent/a.db", "unable to open"), ("sqlite:folder", "folder")] {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--store", store];
        let ended = countersign(&arguments).folder("folder").run();
        let message = ended.is_one_error(2);
        assert!(message.contains(store) || message.contains("`folder`"), "{message}");
        assert!(message.contains(reason), "{message}");
        assert_eq!(ended.files(), ["folder"]);
    }
}

#[test]
fn a_store_of_an_unknown_kind_is_reported_with_the_known_ones() {
    for store in ["redis://localhost", "contacts.db", "sqlite:"] {
        let ended = countersign(&["serve", "--store", store]).run();
        let message = ended.is_one_error(2);
        assert!(
            message.contains("known stores are `sqlite:FILE`, `sqlite::memory:`"),
            "{message}"
        );
    }
}

#[cfg(not(feature = "postgres"))]
#[test]
fn a_store_that_is_not_built_in_is_reported_with_its_feature_and_without_its_password() {
    let ended = countersign(&["serve", "--store", "postgres://ada:hunter2@localhost/db"]).run();
    let message = ended.is_one_error(2);
    assert!(message.contains("--features postgres"), "{message}");
    ended.shows_nowhere("hunter2");
}
