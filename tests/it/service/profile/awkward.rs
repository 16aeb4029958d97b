//! The axes for valid but awkward values, as [`observing`](super::observing) uses them.

use reqwest::Method;
use serde_json::{Value, json};

use super::Running;
use super::observing::{contact, visit_at};
use super::wire::{Reply, call, get, walk};

/// Names the value that such an axis has.
pub(super) async fn observed(axis: &str, service: &Running) -> String {
    let taken: &[(&str, &str, &str)] = match axis {
        "text-ends" => return kept(service, " Ada\t", &[(" Ada\t", "kept"), ("Ada", "trimmed")]).await,
        "text-form" => return kept(service, "e\u{301}", &[("e\u{301}", "kept"), ("\u{e9}", "composed")]).await,
        "methods-order" => return methods_order(service).await,
        "path-case" => return path_case(service).await,
        "visit-times" => return visit_times(service).await,
        "name-sizes" => &[
            ("as-others", "lastname", &"\u{e9}".repeat(101)),
            ("100", "lastname", &"\u{e9}".repeat(100)),
            ("50", "lastname", &"\u{e9}".repeat(50)),
        ],
        "markup" => &[("taken", "lastname", "a < b"), ("rejected", "lastname", "ab")],
        "characters" => &[
            ("any", "lastname", "a\u{7}"),
            ("printable", "lastname", "\u{1f600}"),
            ("basic-plane", "lastname", "\u{3a9}"),
            ("latin", "lastname", "\u{e9}"),
        ],
        "name-letters" => &[("optional", "lastname", "007"), ("required", "lastname", "007a")],
        "birth-dates" => return birth_dates(service).await,
        "methods-at-once" => return methods_at_once(service).await,
        axis => panic!("nobody observes {axis}"),
    };
    first_taken(service, taken).await
}

/// The name beside the first text that is taken, after which every other is.
async fn first_taken(service: &Running, texts: &[(&str, &str, &str)]) -> String {
    let mut first = None;
    for (name, field, text) in texts {
        let reply = contact(service, &json!({ *field: text })).await;
        assert!(first.is_none() || reply.is_success(), "{text}");
        if reply.is_success() {
            assert_eq!(reply.body["data"][*field], *text);
            first = first.or(Some(*name));
        }
    }
    first.unwrap().to_owned()
}

/// The name of what becomes of a text in every field that keeps one.
async fn kept(service: &Running, text: &str, forms: &[(&str, &str)]) -> String {
    let method = json!({"type": "email", "contact": text});
    let sent = json!({"lastname": text, "contact_methods": [method]});
    let created = contact(service, &sent).await.body["data"].clone();
    let method = &created["contact_methods"][0]["contact"];
    assert_eq!(created["lastname"], *method);
    let form = forms.iter().find(|(form, _)| created["lastname"] == *form);
    form.unwrap().1.to_owned()
}

fn method(contact: &str) -> Value {
    json!({"type": "email", "contact": contact})
}

async fn methods_order(service: &Running) -> String {
    let methods = ["a@example.com", "b@example.com"].map(method);
    let created = contact(service, &json!({ "contact_methods": methods })).await.body["data"].clone();
    let contacts = walk(service, "/contact-database").await;
    let listed = contacts.iter().find(|listed| listed["id"] == created["id"]).unwrap();
    assert_eq!(listed["contact_methods"], created["contact_methods"]);
    assert_eq!(listed["email"], "a@example.com");
    let is_first = created["contact_methods"][0]["contact"] == "a@example.com";
    if is_first { "as-sent" } else { "last-first" }.to_owned()
}

async fn methods_at_once(service: &Running) -> String {
    let most = [100, 2, 1].into_iter();
    for most in most {
        let methods: Vec<_> = (0..most)
            .map(|number| method(&format!("a{number}@example.com")))
            .collect();
        if contact(service, &json!({ "contact_methods": methods }))
            .await
            .is_success()
        {
            return most.to_string();
        }
    }
    panic!("no method is taken")
}

async fn path_case(service: &Running) -> String {
    let created = contact(service, &json!({})).await.body["data"].clone();
    let id = created["id"].as_str().unwrap().to_uppercase();
    let update = async |path: &str| call(service, Method::PUT, path, Some(&json!({"firstname": "Bruno"}))).await;
    assert!(update(&format!("/contact-database/{id}")).await.is_success());
    let other = update(&format!("/Contact-Database/{id}")).await;
    let second = get(service, "/TAGS?page=2").await;
    assert_eq!(other.is_success(), second.is_success());
    if second.is_success() {
        assert_eq!(second.body["data"]["page"], 2);
    }
    if other.is_success() { "any" } else { "documented" }.to_owned()
}

fn either(takes_all: &[bool], names: [&str; 2]) -> String {
    assert!(takes_all.iter().all(|taken| *taken == takes_all[0]));
    names[usize::from(!takes_all[0])].to_owned()
}

async fn birth_dates(service: &Running) -> String {
    let takes = async |born: &str| {
        let mut parts = born.split('-').map(|part| part.parse::<i64>().unwrap());
        let mut part = || parts.next();
        let parts = json!({"year": part(), "month": part(), "day": part()});
        let replies: [Reply; 2] = [
            contact(service, &json!({ "dob": born })).await,
            contact(service, &json!({ "date_of_birth": parts })).await,
        ];
        assert_eq!(replies[0].is_success(), replies[1].is_success());
        replies[0].is_success()
    };
    assert!(takes("1900-01-01").await);
    either(
        &[takes("1899-12-31").await, takes("2199-01-01").await],
        ["any", "1900-to-today"],
    )
}

async fn visit_times(service: &Running) -> String {
    let takes = async |at: &str| visit_at(service, at).await.is_success();
    assert!(takes("2000-01-01T00:00:00Z").await);
    either(
        &[
            takes("2000-01-01T00:00:00+01:00").await,
            takes("2199-01-01T00:00:00Z").await,
        ],
        ["any", "2000-to-now"],
    )
}
