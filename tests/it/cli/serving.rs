//! `countersign serve`: what it says at its start, and why it does not start.

use std::net::TcpListener;

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
fn a_port_that_is_taken_is_told_with_a_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = countersign(&["serve", "--listen", &address]).run();
    let message = ended.is_one_error(2);
    assert!(message.contains(&address) && message.contains("--listen"), "{message}");
    ended.matches("serve_port_taken");
}

#[test]
fn what_is_no_address_is_told_with_one() {
    for address in ["8080", "nowhere", "127.0.0.1:99999", ""] {
        let ended = countersign(&["serve", "--listen", address]).run();
        let message = ended.is_one_error(2);
        assert!(message.contains("127.0.0.1:8080"), "{message}");
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_as_it_was() {
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
fn a_store_that_cannot_be_opened_is_told_with_the_reason() {
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
fn a_store_of_an_unknown_kind_is_told_with_the_known_ones() {
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
fn a_store_that_is_not_built_in_is_told_with_its_feature_and_without_its_password() {
    let ended = countersign(&["serve", "--store", "postgres://ada:hunter2@localhost/db"]).run();
    let message = ended.is_one_error(2);
    assert!(message.contains("--features postgres"), "{message}");
    ended.shows_nowhere("hunter2");
}
