//! Why `countersign learn` has no answer, and what it learns of services that differ from every profile.

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::support::{TOKEN, countersign};
use super::target::{Target, reference};

/// The answers about a gap, each with its operation, its claim and its reason.
fn answers(target: &Target, gap: &str, arguments: &[&str]) -> Vec<(String, Value, Value)> {
    let url = target.url();
    let fixed = ["learn", "--seed", "1", "--base-url", &url, "--gap", gap];
    let call = countersign(&[&fixed, arguments].concat()).env("COUNTERSIGN_TOKEN", TOKEN);
    let (ended, report) = call.report();
    let answers = report["answers"].as_array().unwrap().iter();
    let of_gap = answers.filter(|answer| answer["gap"] == gap);
    let row = |answer: &Value| {
        let operation = answer["operation"].as_str().unwrap_or_default().to_owned();
        (operation, answer["claim"].clone(), answer["reason"].clone())
    };
    let rows: Vec<_> = of_gap.map(row).collect();
    assert!(!rows.is_empty(), "{ended:?}");
    rows
}

#[test]
fn a_field_that_an_update_rejects_was_refused_and_one_that_it_accepts_is_answered() {
    let rejects_gender = async |request: Request, next: Next| {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let has_gender = String::from_utf8_lossy(&body).contains("\"gender\"");
        match parts.method == Method::PUT && has_gender {
            true => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
            false => next.run(Request::from_parts(parts, body.into())).await,
        }
    };
    let target = Target::serve(reference().layer(from_fn(rejects_gender)));
    let update = "updateContact".to_owned();
    let refused = [(update.clone(), Value::Null, json!("refused"))];
    assert_eq!(answers(&target, "gender-values", &["--writes"]), refused);
    let open = [(update, json!({"set": "open"}), Value::Null)];
    assert_eq!(answers(&target, "nationality-values", &["--writes"]), open);
}

#[test]
fn a_create_that_may_leave_no_more_records_has_no_row() {
    let rows = answers(&Target::sound(), "required-fields", &["--writes", "--max-writes", "6"]);
    let tag = rows.iter().find(|(operation, _, _)| operation == "createTag").unwrap();
    assert_eq!((&tag.1, &tag.2), (&Value::Null, &json!("no row")), "{rows:?}");
}

#[test]
fn a_page_beyond_the_last_without_content_is_empty() {
    let has_no_content = async |request: Request, next: Next| -> Response {
        let (head, body) = next.run(request).await.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        match serde_json::from_slice::<Value>(&body).is_ok_and(|page| page["data"]["items"] == json!([])) {
            true => StatusCode::NO_CONTENT.into_response(),
            false => Response::from_parts(head, body.into()),
        }
    };
    let target = Target::serve(reference().layer(from_fn(has_no_content)));
    for (operation, claim, _) in answers(&target, "page-beyond-last", &[]) {
        assert_eq!(claim, json!({"beyond": "empty", "status": 204}), "{operation}");
    }
}
