//! Who is let in without the right credential, on a read and on a write.

use axum::http::header;

use super::{Fault, prove};
use crate::proof::call::Call;
use crate::proof::deviating::Deviation;

const OPERATIONS: [&str; 9] = [
    "createContact",
    "getContacts",
    "updateContact",
    "createContactMethod",
    "getVenues",
    "getVisits",
    "createVisit",
    "getTags",
    "createTag",
];

#[test]
fn an_operation_that_asks_for_no_credential_is_found() {
    let faults = OPERATIONS.iter().map(|operation| {
        let lets_in = letting_in(operation, |call| call.credential().is_none());
        Fault::new(format!("{operation} without a credential"), lets_in)
            .found_by("auth", operation)
            .of("no credential is refused")
    });
    prove(faults.collect());
}

#[test]
fn an_operation_that_takes_another_scheme_is_found() {
    let faults = OPERATIONS.iter().map(|operation| {
        let basic = |call: &Call| call.credential().is_some_and(|value| value.starts_with("Basic "));
        Fault::new(format!("{operation} under Basic"), letting_in(operation, basic))
            .found_by("auth", operation)
            .of("another scheme is refused")
    });
    prove(faults.collect());
}

#[test]
fn a_service_that_takes_any_token_is_found() {
    let any = Deviation::none().asked(|call| {
        if call.credential().is_some_and(|value| value.starts_with("Bearer ")) {
            call.authorize();
        }
        None
    });
    // The seed draws the three operations that are shown a wrong token; this is the first of them.
    prove(vec![
        Fault::new("any token", any)
            .found_by("auth", "getContacts")
            .of("a wrong token is refused"),
    ]);
}

#[test]
fn a_refusal_of_create_tag_other_than_401_is_found() {
    let forbids = Deviation::none().told(|call, reply| {
        if call.is("createTag") && reply.status == 401 {
            reply.status = 403;
            reply.headers.remove(header::WWW_AUTHENTICATE);
        }
    });
    prove(vec![
        Fault::new("403 where 401 is documented", forbids)
            .found_by("auth", "createTag")
            .of("refused"),
    ]);
}

fn letting_in(operation: &'static str, credential: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Deviation {
    Deviation::none().asked(move |call| {
        if call.is(operation) && credential(call) {
            call.authorize();
        }
        None
    })
}
