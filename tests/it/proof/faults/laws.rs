//! Created records that are not what was sent, not listed, or not told apart. Laws 2, 3, 4 and 7.

use axum::http::header;
use serde_json::{Value, json};

use super::{Fault, prove};
use crate::proof::call::Reply;
use crate::proof::deviating::Deviation;
use crate::proof::listing::seeded;

/// Puts a value into the created record that an operation answers.
fn answering(operation: &'static str, place: &'static str, value: Value) -> Deviation {
    Deviation::none().at(operation, move |_, reply| {
        *reply.value_mut().unwrap().pointer_mut(place).unwrap() = value.clone();
    })
}

const OTHER: &str = "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52";

#[test]
fn a_create_answer_that_carries_something_else_is_found_there() {
    let cases = [
        ("createContact", "/data/firstname", json!("Other")),
        ("createContact", "/data/lastname", json!("Other")),
        ("createContact", "/data/date_of_birth/day", json!(1)),
        ("createContact", "/data/date_of_birth/month", json!(1)),
        ("createContact", "/data/date_of_birth/year", json!(1901)),
        (
            "createContact",
            "/data/contact_methods/0/contact",
            json!("other@example.com"),
        ),
        ("createContactMethod", "/data/contact", json!("other@example.com")),
        ("createVisit", "/data/contact/id", json!(OTHER)),
        ("createVisit", "/data/venue/id", json!(OTHER)),
        ("createVisit", "/data/datetime", json!("2024-05-17T10:30:00Z")),
        // In whatever form an instant is told, another one is another one.
        ("createVisit", "/data/datetime", json!("Fri, 17 May 2024 10:30:00 GMT")),
        ("createTag", "/data/name", json!("other")),
    ];
    let faults = cases.map(|(operation, place, value)| {
        Fault::new(format!("{operation} {place}"), answering(operation, place, value))
            .found_by("carried", operation)
            .at(&place.replace("/0/", "/*/"))
            .of(" created ")
    });
    prove(faults.into());
}

#[test]
fn a_visit_whose_offset_is_dropped_is_found() {
    let deviation = Deviation::none().asked(|call| {
        let mut body = call.body();
        let is_local = |sent: &&str| sent.len() > 19 && !sent.ends_with('Z');
        if let Some(sent) = body["datetime"].as_str().filter(is_local) {
            body["datetime"] = json!(format!("{}Z", &sent[..19]));
            call.set_body(&body);
        }
        None
    });
    prove(vec![
        Fault::new("the offset is dropped", deviation)
            .found_by("carried", "createVisit")
            .at("/data/datetime")
            .of("datetime"),
    ]);
}

#[test]
fn a_listed_record_that_carries_something_else_is_found_there() {
    let cases = [
        ("createContact", "getContacts", "/firstname", json!("Other")),
        ("createContact", "getContacts", "/lastname", json!("Other")),
        ("createContact", "getContacts", "/date_of_birth/year", json!(1901)),
        (
            "createContact",
            "getContacts",
            "/contact_methods/0/contact",
            json!("other@example.com"),
        ),
        (
            "createContactMethod",
            "getContacts",
            "/contact_methods/1/contact",
            json!("other@example.com"),
        ),
        ("createVisit", "getVisits", "/contact/id", json!(OTHER)),
        ("createVisit", "getVisits", "/venue/id", json!(OTHER)),
        ("createVisit", "getVisits", "/datetime", json!("2024-05-17T10:30:00Z")),
        ("createTag", "getTags", "/name", json!("other")),
    ];
    let faults = cases.map(|(create, list, place, value)| {
        let deviation = Deviation::none().relisted(move |call, listing| {
            if call.is(list) && listing.total > seeded(list) {
                listing.change(|items| {
                    // The second method comes a little after its contact, and a variant of a contact has none.
                    let created = items.iter_mut().skip(seeded(list));
                    for kept in created.filter_map(|row| row.pointer_mut(place)) {
                        *kept = value.clone();
                    }
                });
            }
        });
        Fault::new(format!("{list} {place}"), deviation)
            .found_by("carried", list)
            .at(&format!(
                "/data/items/*{}",
                place.replace("/0/", "/*/").replace("/1/", "/*/")
            ))
            .of(&format!("{create} listed "))
    });
    prove(faults.into());
}

#[test]
fn a_created_record_that_is_not_listed_is_found() {
    let cases = [
        ("getContacts", "createContact"),
        ("getVisits", "createVisit"),
        ("getTags", "createTag"),
    ];
    let faults = cases.map(|(list, create)| {
        let hides = Deviation::none().relisted(move |call, listing| {
            if call.is(list) {
                listing.change(|items| items.truncate(seeded(list)));
            }
        });
        Fault::new(format!("{create} is not listed"), hides)
            .found_by("listed", list)
            .of(&format!("{create} created: listed"))
    });
    prove(faults.into());
}

#[test]
fn a_method_that_its_contact_does_not_list_is_found() {
    let hides = Deviation::none().relisted(|call, listing| {
        if call.is("getContacts") {
            listing.change(|items| {
                let methods = |item: &mut Value| item["contact_methods"].as_array_mut().unwrap().truncate(1);
                items.iter_mut().for_each(methods);
            });
        }
    });
    prove(vec![
        Fault::new("the second method is hidden", hides)
            .found_by("listed", "getContacts")
            .of("createContactMethod created: listed")
            // What is sent several methods at once lacks them too.
            .bringing(&["carried"]),
    ]);
}

#[test]
fn a_record_that_is_listed_under_another_id_is_found() {
    let cases = [
        ("createContact", "getContacts", 0, json!(OTHER)),
        // The first new visit came with the contact that was created in a venue.
        ("createVisit", "getVisits", 1, json!(990_001)),
        ("createTag", "getTags", 0, json!(OTHER)),
    ];
    let faults = cases.map(|(create, list, before, id)| {
        let renames = Deviation::none().relisted(move |call, listing| {
            if call.is(list) {
                listing.change(|items| {
                    for item in items.iter_mut().skip(seeded(list) + before).take(1) {
                        item["id"] = id.clone();
                    }
                });
            }
        });
        Fault::new(format!("{create} under another id"), renames)
            .found_by("listed", list)
            .of(&format!("{create} created: listed"))
    });
    prove(faults.into());
}

#[test]
fn an_id_that_another_record_has_is_found() {
    let seeded_contact = Deviation::none().relisted(|call, listing| {
        if call.is("getContacts") {
            listing.change(|items| items[0]["id"] = json!(OTHER));
        }
    });
    let seeded_contact = seeded_contact.at("createContact", |_, reply| {
        reply.value_mut().unwrap()["data"]["id"] = json!(OTHER);
    });
    prove(vec![
        Fault::new("a contact gets the id of a listed one", seeded_contact)
            .found_by("identifier", "createContact")
            .at("/data/id")
            .of("not reused")
            .bringing(&["carried", "status", "listed"]),
        Fault::new(
            "two visits get one id",
            answering("createVisit", "/data/id", json!(900_001)),
        )
        .found_by("identifier", "createVisit")
        .at("/data/id")
        .of("not reused")
        .bringing(&["listed"]),
    ]);
}

#[test]
fn a_contact_id_that_is_no_uuid_is_found() {
    for id in ["42", "contact-1", "3f6f1f0e52a54c538d7a", ""] {
        prove(vec![
            Fault::new(
                format!("the id {id:?}"),
                answering("createContact", "/data/id", json!(id)),
            )
            .found_by("identifier", "createContact")
            .at("/data/id")
            .of("serves")
            .bringing(&["listed", "status"]),
        ]);
    }
}

#[test]
fn a_form_of_datetime_that_is_refused_is_found() {
    let refusing = |refused: fn(&str) -> bool| {
        Deviation::none().answering(move |call| {
            let body = call.body();
            let refused = call.is("createVisit") && body["datetime"].as_str().is_some_and(refused);
            refused.then(|| Reply::json(422, json!({"message": "not acceptable"})).with(header::VARY, "accept"))
        })
    };
    let offset = refusing(|sent| !sent.ends_with('Z'));
    let utc = refusing(|sent| sent.ends_with('Z'));
    prove(vec![
        Fault::new("no offset is taken", offset)
            .found_by("accepted-form", "createVisit")
            .of("offset"),
        Fault::new("no Z is taken", utc)
            .found_by("accepted-form", "createVisit")
            .of("suffix Z"),
    ]);
}
