//! The faults that are written by hand: one or more for each invariant of the contract and for each fact about
//! credentials.

use axum::http::StatusCode;

use super::contract::{Operation, PageInvariant, operations};
use super::creates::CreateFault;
use super::credential::PresentedCredential;
use super::deviation::{Deviation, DeviationKind, Fault, name};
use super::edge_case::{EDGE_CASES, EdgeCaseFailure, FaultyEdgeCase};
use super::locations::Edit;
use super::pages::{self, PageFault, PageRow};
use super::request::{DocumentedFormat, RequestFault};
use super::response::ResponseFault;

/// Every fault that is written by hand.
pub(super) fn faults() -> impl Iterator<Item = Fault> {
    let credentials = operations().iter().flat_map(credentials);
    let rejected = operations()
        .iter()
        .filter(|operation| operation.documents_401)
        .map(rejected_with_403);
    let lists = operations().iter().flat_map(pages);
    let creates = operations().iter().flat_map(creates);
    credentials
        .chain(rejected)
        .chain(lists)
        .chain(creates)
        .chain(contacts())
        .chain(visits())
        .chain(edge_cases())
}

/// A row of the table.
fn fault(
    on: &str,
    deviation: &str,
    about: &str,
    (rule, fact): (&'static str, Option<String>),
    kind: DeviationKind,
) -> Fault {
    Fault {
        name: name(on, "", deviation),
        about: about.to_owned(),
        rule,
        operation: on.to_owned(),
        fact,
        pointer: String::new(),
        other_findings: Vec::new(),
        deviation: Deviation {
            on: on.to_owned(),
            kind,
        },
    }
}

impl Fault {
    /// Returns the fault, reported at this location.
    fn at(self, pointer: impl Into<String>) -> Self {
        Fault {
            pointer: pointer.into(),
            ..self
        }
    }
}

fn credentials(operation: &Operation) -> [Fault; 3] {
    let on = &operation.name;
    let accepts = |deviation, about, fact, credential| {
        fault(
            on,
            deviation,
            about,
            ("auth", Some(fact)),
            DeviationKind::Request(RequestFault::AcceptsCredential(credential)),
        )
    };
    [
        accepts(
            "let-in-without-credential",
            "a request without a credential is let in",
            format!("{on} auth: a request without a credential is rejected"),
            PresentedCredential::None,
        ),
        accepts(
            "let-in-with-another-scheme",
            "a credential of another scheme is let in",
            format!("{on} auth: another scheme is rejected"),
            PresentedCredential::OtherScheme,
        ),
        accepts(
            "let-in-with-a-wrong-token",
            "any bearer token is let in",
            "bearerAuth auth: a wrong token is rejected".to_owned(),
            PresentedCredential::WrongToken,
        ),
    ]
}

/// Makes the fault of a 403 in place of the 401 that the document lists.
fn rejected_with_403(operation: &Operation) -> Fault {
    let fact = format!("{} auth: a request without a credential is rejected", operation.name);
    let kind = DeviationKind::Response(ResponseFault::RejectionStatus(StatusCode::FORBIDDEN));
    let about = "a failed authentication is answered with 403";
    fault(&operation.name, "rejected-with-403", about, ("auth", Some(fact)), kind)
}

fn pages(operation: &Operation) -> Vec<Fault> {
    let Some(invariant) = &operation.page else {
        return Vec::new();
    };
    let on = &operation.name;
    let row = |(deviation, about, number, stated, page): &PageRow| {
        let pointer = number(invariant);
        let fact = format!("{on} pages {pointer}: {stated}");
        fault(on, deviation, about, ("pages", Some(fact)), DeviationKind::Page(*page)).at(pointer)
    };
    let rows = pages::ROWS.iter().map(row);
    rows.chain([last_item(on, invariant)]).collect()
}

/// A fault in every item shows in the first one; this one shows only to a check that reads all of them.
fn last_item(on: &str, invariant: &PageInvariant) -> Fault {
    let pointer = invariant.item_id();
    let expected = ("missing-field", Some(format!("{on} {pointer}: present")));
    let about = "the last item of the last page has no identifier";
    fault(
        on,
        "last-item-without-id",
        about,
        expected,
        DeviationKind::Page(PageFault::LastItemWithoutId),
    )
    .at(pointer)
}

fn creates(operation: &Operation) -> Vec<Fault> {
    let Some(created) = &operation.created else {
        return Vec::new();
    };
    let on = &operation.name;
    let id = created.response_id();
    let listed = || {
        (
            "listed",
            Some(format!("{on} created: listed in {}", created.listed.list)),
        )
    };
    let unique = ("identifier", Some(format!("{on} created {id}: not reused")));
    let another = DeviationKind::Location {
        pattern: id.clone(),
        edit: Edit::Altered,
    };
    let reused = DeviationKind::Create(CreateFault::IdentifierReused);
    vec![
        fault(
            on,
            "unlisted",
            "what is created is not listed",
            listed(),
            DeviationKind::Create(CreateFault::Unlisted),
        ),
        fault(
            on,
            "listed-under-another-id",
            "the identifier in the response is not the one listed",
            listed(),
            another,
        ),
        fault(
            on,
            "identifier-reused",
            "the identifier in the response is another record's",
            unique,
            reused,
        )
        .at(id),
    ]
}

fn contacts() -> Vec<Fault> {
    let fits_paths = "createContact created /data/id: valid in the paths that links carry it into".to_owned();
    let listed = || {
        (
            "listed",
            Some("createContactMethod created: listed in getContacts".to_owned()),
        )
    };
    let no_uuid = DeviationKind::Location {
        pattern: "/data/id".to_owned(),
        edit: Edit::String("contact-17"),
    };
    let (method, update) = ("createContactMethod", "updateContact");
    let elsewhere = || DeviationKind::Request(RequestFault::AnotherInPath);
    let too = DeviationKind::Request(RequestFault::ToAnotherToo);
    let lost = DeviationKind::Request(RequestFault::Lost);
    let both = DeviationKind::Create(CreateFault::ListedElsewhereToo);
    let carried = || {
        (
            "stored-values",
            Some(format!(
                "{update} listed in getContacts /firstname: as sent in /firstname"
            )),
        )
    };
    let carried_of = |write| {
        let stated = "listed in getContacts /contact_methods/*/contact: as sent in /contact_methods/*/contact";
        ("stored-values", Some(format!("{write} {stated}")))
    };
    let other_records = |fact: &str| ("other-records", Some(fact.to_owned()));
    let updated = |deviation, about, expected, kind| {
        fault(update, deviation, about, expected, kind).at("/data/items/*/firstname")
    };
    vec![
        fault(
            "createContact",
            "identifier-no-uuid",
            "the identifier is not a UUID",
            ("identifier", Some(fits_paths)),
            no_uuid,
        )
        .at("/data/id"),
        fault(
            method,
            "added-elsewhere",
            "a method is added to another contact",
            listed(),
            elsewhere(),
        ),
        fault(
            method,
            "listed-elsewhere-too",
            "a method is listed under every contact",
            other_records("createContactMethod created in getContacts: under no other item"),
            both,
        )
        .at("/data/items/*/contact_methods/*"),
        fault(
            method,
            "others-replaced",
            "an added method replaces the existing ones",
            carried_of("createContact"),
            DeviationKind::Create(CreateFault::OthersReplaced),
        )
        .at("/data/items/*/contact_methods/*/contact"),
        fault(
            "createContact",
            "parts-exchanged",
            "the last methods of two new contacts are exchanged",
            carried_of("createContact"),
            DeviationKind::Create(CreateFault::PartsExchanged),
        )
        .at("/data/items/*/contact_methods/*/contact"),
        updated("lost", "nothing is updated", carried(), lost),
        updated(
            "lone-field-lost",
            "a field that is sent alone is not updated",
            carried(),
            DeviationKind::Request(RequestFault::LoneLost),
        ),
        updated(
            "unicode-mangled",
            "a character beyond ASCII is stored as a question mark",
            carried(),
            DeviationKind::Request(RequestFault::Mangled),
        ),
        updated(
            "applied-elsewhere",
            "another contact is updated",
            carried(),
            elsewhere(),
        ),
        updated(
            "applied-elsewhere-too",
            "another contact is updated, as well",
            other_records("updateContact in getContacts: no other item changes"),
            too,
        ),
    ]
}

fn visits() -> Vec<Fault> {
    let on = "createVisit";
    let carries = |deviation, about, pointer: &str, sent: &str, how| {
        let fact = format!("{on} created {pointer}: as sent in {sent}");
        fault(
            on,
            deviation,
            about,
            ("stored-values", Some(fact)),
            DeviationKind::Request(how),
        )
        .at(pointer)
    };
    let accepts = |deviation, about, form: &str, how| {
        let fact = format!("{on} accepts /datetime: {form}");
        fault(
            on,
            deviation,
            about,
            ("accepted-format", Some(fact)),
            DeviationKind::Request(RequestFault::FormatRejected(how)),
        )
    };
    let another = |field, list| RequestFault::AnotherInBody { field, list };
    let (contact, venue, at) = ("/contact_id", "/venue_id", "/datetime");
    vec![
        carries(
            "another-contact",
            "the visit is another contact's",
            "/data/contact/id",
            contact,
            another(contact, "getContacts"),
        ),
        carries(
            "another-venue",
            "the visit is to another venue",
            "/data/venue/id",
            venue,
            another(venue, "getVenues"),
        ),
        carries(
            "offset-dropped",
            "a numeric offset is read as Z",
            "/data/datetime",
            at,
            RequestFault::OffsetDropped(at),
        ),
        carries(
            "instant-shifted",
            "the visit is an hour later",
            "/data/datetime",
            at,
            RequestFault::InstantShifted(at),
        ),
        accepts(
            "utc-rejected",
            "a datetime with the suffix Z is rejected",
            "suffix Z",
            DocumentedFormat::Utc,
        ),
        accepts(
            "offset-rejected",
            "a datetime with a numeric offset is rejected",
            "numeric offset",
            DocumentedFormat::Offset,
        ),
    ]
}

fn edge_cases() -> impl Iterator<Item = Fault> {
    operations().iter().flat_map(|operation| {
        let on = &operation.name;
        let suitable = || EDGE_CASES.iter().filter(|(edge_case, ..)| edge_case.suits(operation));
        let failing = suitable().map(move |(edge_case, deviation, about)| {
            // Ordinary requests already send names beyond ASCII where a field allows any string. The first of them
            // shows this fault, so it breaks no fact about edge cases.
            let fact = Some(format!("{on} edge cases: no 5xx"));
            let are = if *edge_case == FaultyEdgeCase::PageTwice {
                "are"
            } else {
                "is"
            };
            fault(
                on,
                &format!("fails-on-{deviation}"),
                &format!("{about} {are} answered with a 500"),
                (
                    "server-error",
                    fact.filter(|_| *edge_case != FaultyEdgeCase::BeyondAscii),
                ),
                DeviationKind::EdgeCase {
                    edge_case: *edge_case,
                    failure: EdgeCaseFailure::Status500,
                },
            )
        });
        // One per operation is enough to break the fact; which one makes no difference to how it is seen.
        let cut_off = suitable()
            .filter(|(edge_case, ..)| *edge_case != FaultyEdgeCase::BeyondAscii)
            .take(1)
            .map(move |(edge_case, deviation, about)| {
                fault(
                    on,
                    &format!("breaks-off-on-{deviation}"),
                    &format!("the connection ends inside the response to {about}"),
                    ("unfinished-answer", Some(format!("{on} edge cases: complete response"))),
                    DeviationKind::EdgeCase {
                        edge_case: *edge_case,
                        failure: EdgeCaseFailure::CutOff,
                    },
                )
            });
        failing.chain(cut_off).collect::<Vec<_>>()
    })
}
