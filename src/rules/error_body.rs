//! Describes what the body of an error says is wrong, so that a finding about a status shows why the service responded
//! that way.

use crate::contract::is_json;
use crate::exchange::Response;
use crate::exchange::json;
use crate::exchange::redact::ValueDisplay;

/// The fields by which an error says what is wrong: those of RFC 9457 (section 3.1), of RFC 6749 (section 5.2), and the
/// names that most others use.
const NAMES: [&str; 6] = ["title", "detail", "message", "error", "error_description", "errors"];
/// The maximum size of a body that is searched for them, in bytes: an error needs a few lines.
const MAX_BODY_SIZE: usize = 64 << 10;

/// Returns the fields of an error's body that say what is wrong, as shapes unless the user asked for values; `None` if
/// the response is not an error or has none of these fields.
pub(super) fn describe(response: &Response, values: ValueDisplay) -> Option<String> {
    let is_json = response.media_type().is_some_and(|media_type| is_json(&media_type));
    if response.status < 400 || !is_json || response.body.len() > MAX_BODY_SIZE {
        return None;
    }
    let body = json::read(&response.body).ok()?;
    let described = NAMES.iter().filter_map(|name| {
        let value = body.value.get(name).filter(|value| !value.is_null())?;
        Some(format!("{name}: {}", values.render(value)))
    });
    let described: Vec<_> = described.collect();
    (!described.is_empty()).then(|| described.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::rules::testing::{Fixture, JSON};

    const PROBLEM: Option<&str> = Some("application/problem+json");

    fn said(fixture: &Fixture, status: u16, media_type: Option<&str>, body: &Value) -> String {
        let judged = fixture.response(status, media_type, &body.to_string());
        let rule = if status < 500 { "status" } else { "server-error" };
        let finding = judged.finding(rule);
        assert_eq!(finding.received, status.to_string());
        finding.error_body.clone().unwrap_or_default()
    }

    #[test]
    fn an_error_shows_the_shapes_of_what_it_says_and_its_text_where_values_are_shown() {
        let fixture = Fixture::of("getTags");
        let problem =
            json!({"type": "about:blank", "title": "Not found", "detail": "no jane.roe@example.com", "id": 7});
        for (status, media_type, body, hidden, shown) in [
            (
                404,
                PROBLEM,
                &problem,
                "title: string(9), detail: string(23)",
                "title: \"Not found\", detail: \"no jane.roe@example.com\"",
            ),
            (
                500,
                JSON,
                &json!({"error": {"message": "down"}, "errors": ["a", "b"], "message": null}),
                "error: object, errors: array(2)",
                "error: {\"message\":\"down\"}, errors: [\"a\",\"b\"]",
            ),
        ] {
            assert_eq!(said(&fixture, status, media_type, body), hidden);
            assert_eq!(said(&fixture.clone().showing_values(), status, media_type, body), shown);
        }
    }

    #[test]
    fn a_body_that_says_nothing_or_is_no_error_in_json_is_left_out() {
        let fixture = Fixture::of("createTag").showing_values();
        let titled = json!({"title": "Not found"});
        for (status, media_type, body) in [
            (404, JSON, &json!({"jane.roe@example.com": 1})),
            (404, JSON, &json!(["title"])),
            (404, Some("text/html"), &titled),
            (404, None, &titled),
            (200, JSON, &titled),
            (404, JSON, &json!({"title": "a".repeat(70_000)})),
        ] {
            assert_eq!(said(&fixture, status, media_type, body), "");
        }
    }
}
