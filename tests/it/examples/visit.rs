//! `record_visit`: the visit is recorded, or nothing is recorded and the reason is reported.

use futures::TryStreamExt;

use super::run;
use super::served::{Served, runtime};

#[test]
fn a_visit_is_recorded_at_the_instant_that_was_given() {
    let service = Served::start(1);
    let (contact, venue) = ids(&service);
    let outcome = run(
        "record_visit",
        &[&service.url, &contact, &venue, "2024-05-17T09:30:00+02:00"],
    );
    assert!(outcome.success, "{}", outcome.stderr);
    let id: i64 = outcome
        .stdout
        .trim()
        .strip_prefix("recorded: ")
        .unwrap()
        .parse()
        .unwrap();
    let client = service.client();
    let visits: Vec<_> = runtime().block_on(client.visits().try_collect()).unwrap();
    let visit = visits.into_iter().find(|visit| visit.id == Some(id)).unwrap();
    assert_eq!(visit.contact.unwrap().id, Some(contact));
    assert_eq!(visit.venue.unwrap().name, Some(venue));
    let datetime: chrono::DateTime<chrono::FixedOffset> = visit.datetime.unwrap().parse().unwrap();
    assert_eq!(
        datetime,
        "2024-05-17T07:30:00Z"
            .parse::<chrono::DateTime<chrono::FixedOffset>>()
            .unwrap()
    );
}

#[test]
fn what_cannot_be_recorded_is_reported_and_nothing_is_sent() {
    let service = Served::start(1);
    let (contact, venue) = ids(&service);
    for (venue, datetime, expected) in [
        (
            "No Such Hall",
            "2024-05-17T09:30:00Z",
            "record_visit: no venue is named `No Such Hall`\n",
        ),
        (
            &venue,
            "yesterday",
            "record_visit: `yesterday` is not a time with an offset, such as 2024-05-17T09:30:00+02:00 or …Z\n",
        ),
        (
            &venue,
            "2024-05-17T09:30:00",
            "record_visit: `2024-05-17T09:30:00` is not a time with an offset, such as 2024-05-17T09:30:00+02:00 or …Z\n",
        ),
    ] {
        let outcome = run("record_visit", &[&service.url, &contact, venue, datetime]);
        assert!(!outcome.success && outcome.stdout.is_empty(), "{}", outcome.stdout);
        assert_eq!(outcome.stderr, expected);
    }
    assert_eq!(service.creates(), 0);
}

#[test]
fn a_rejection_fails_the_program() {
    let service = Served::start(1);
    let (_, venue) = ids(&service);
    let outcome = run(
        "record_visit",
        &[&service.url, "no-such-contact", &venue, "2024-05-17T09:30:00Z"],
    );
    assert!(!outcome.success && outcome.stdout.is_empty(), "{}", outcome.stdout);
    assert!(
        outcome
            .stderr
            .starts_with("record_visit: failed to record the visit: 4"),
        "{}",
        outcome.stderr
    );
}

/// The id of a contact and the name of a venue.
fn ids(service: &Served) -> (String, String) {
    let client = service.client();
    let venue = runtime().block_on(async { client.venues().try_next().await.unwrap().unwrap() });
    (service.contacts()[0].id.clone().unwrap(), venue.name.unwrap())
}
