//! Parts that stay together: what was sent in one element of an array comes back in one element, once, and in the
//! record that it belongs to.

use serde_json::{Value, json};

use super::checked::{Check, Checked, described};
use super::deviating::Deviation;
use super::listing::seeded;
use crate::support::again::any_element;

/// Changes the contacts that the run created, where the list shows them; the first of all contacts is shown too.
fn own_contacts(change: impl Fn(&mut [Value], &mut Value) + Send + Sync + 'static) -> Deviation {
    Deviation::none().relisted(move |call, listing| {
        if call.is("getContacts") {
            listing.change(|items| {
                let at = seeded("getContacts").min(items.len());
                let (before, own) = items.split_at_mut(at);
                change(own, &mut before[0]);
            });
        }
    })
}

fn methods(contact: &mut Value) -> &mut Vec<Value> {
    contact["contact_methods"].as_array_mut().unwrap()
}

/// Whether the rule reports the fact, at this location, and no other rule denies anything.
fn assert_found(checked: &Checked, (rule, fact, location): (&str, &str, &str)) {
    let all: Vec<_> = checked.denied().map(described).collect();
    let found = checked.denied().any(|finding| {
        finding.rule == rule && finding.fact == fact && any_element(&finding.response_pointer) == location
    });
    assert!(found, "{fact}: {all:#?}");
    assert!(checked.denied().all(|finding| finding.rule == rule), "{all:#?}");
}

#[tokio::test]
async fn an_element_that_a_create_stores_twice_is_found() {
    let double = |contact: &mut Value| {
        if let Some(mut second) = methods(contact).first().cloned() {
            second["id"] = json!("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52");
            methods(contact).push(second);
        }
    };
    let answered = Deviation::none().at("createContact", move |_, reply| {
        double(reply.value_mut().unwrap().pointer_mut("/data").unwrap());
    });
    let sent = "as sent in /contact_methods/*/contact";
    let checked = Check::default().run(answered).await;
    let fact = format!("createContact created /data/contact_methods/*/contact: {sent}");
    assert_found(&checked, ("stored-values", &fact, "/data/contact_methods/*/contact"));
    let listed = own_contacts(move |own, _| own.iter_mut().for_each(double));
    let checked = Check::default().run(listed).await;
    let fact = format!("createContact listed in getContacts /contact_methods/*/contact: {sent}");
    assert_found(
        &checked,
        ("stored-values", &fact, "/data/items/*/contact_methods/*/contact"),
    );
}

#[tokio::test]
async fn a_second_method_that_takes_the_place_of_the_first_is_found() {
    let replacing = own_contacts(|own, _| {
        for contact in own {
            let methods = methods(contact);
            methods.drain(..methods.len().saturating_sub(1));
        }
    });
    let checked = Check::default().run(replacing).await;
    let fact = "createContact listed in getContacts /contact_methods/*/contact: as sent in /contact_methods/*/contact";
    let found = checked
        .denied()
        .any(|finding| finding.rule == "stored-values" && finding.fact == fact);
    assert!(found, "{:#?}", checked.denied().map(described).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_method_whose_text_shows_in_another_contact_too_is_found() {
    let copying = own_contacts(|own, other| {
        let second = own.first().and_then(|own| own["contact_methods"].get(1)).cloned();
        if let Some(mut second) = second {
            second["id"] = json!("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52");
            methods(other).push(second);
        }
    });
    let checked = Check::default().run(copying).await;
    let fact = "createContactMethod created in getContacts: under no other item";
    assert_found(&checked, ("other-records", fact, "/data/items/*/contact_methods/*"));
}

#[tokio::test]
async fn methods_in_another_order_and_beside_others_are_left_alone() {
    let turned = own_contacts(|own, _| {
        for contact in own {
            let more = json!({
                "id": "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52", "type": "email", "contact": "more@example.com",
                "status": "active", "created_at": "2024-05-17T07:30:00Z",
            });
            methods(contact).push(more);
            methods(contact).reverse();
        }
    });
    let checked = Check::default().run(turned).await;
    assert!(
        checked.record.findings.is_empty(),
        "{:#?}",
        checked.record.findings.iter().map(described).collect::<Vec<_>>()
    );
}
