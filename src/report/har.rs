//! The exchanges of a run as an HTTP archive (HAR 1.2), which browsers and proxies open. Values are shapes, as in the
//! record, unless the user asked to see values. The token never appears.

use std::collections::HashSet;

use chrono::{DateTime, FixedOffset, SecondsFormat, TimeDelta};
use serde_json::{Value, json};

use super::exchanges::{CredentialRecord, ExchangeRecord, PurposeRecord, ResponseRecord, SchemeRecord};
use super::har_entry::{ArchiveBody, ArchiveEntry, ArchiveRequest, ArchiveResponse, COMMENT_SHAPES, header};
use super::phrases;
use super::record::Record;
use crate::contract::JSON;
use crate::exchange::sanitize::json_text;

/// Returns the record's exchanges as an HTTP archive that ends in a newline.
#[must_use]
pub fn har(record: &Record) -> String {
    let mut log = json!({
        "version": "1.2",
        "creator": {"name": "countersign", "version": record.countersign},
        "pages": pages(record),
        "entries": record.exchanges.iter().map(|exchange| entry(record, exchange)).collect::<Vec<_>>(),
    });
    let mut comments = vec![format!(
        "{}{}",
        phrases::outcome(record.outcome),
        phrases::outcome_details(record)
    )];
    if record.exchanges_left_out > 0 {
        comments.push(format!("exchanges that were not kept: {}", record.exchanges_left_out));
    }
    log["comment"] = comments.join("; ").into();
    json_text(&json!({ "log": log }))
}

/// Returns a page for each operation that was called.
fn pages(record: &Record) -> Vec<Value> {
    let (mut pages, mut named) = (Vec::new(), HashSet::new());
    for exchange in &record.exchanges {
        if named.insert(exchange.operation.as_str()) {
            pages.push(json!({
                "startedDateTime": sent(record, exchange),
                "id": exchange.operation,
                "title": exchange.operation,
                "pageTimings": {},
            }));
        }
    }
    pages
}

fn entry(record: &Record, exchange: &ExchangeRecord) -> Value {
    let response = exchange.response.as_ref();
    let failure = || exchange.failure.as_deref().unwrap_or("no response came").to_owned();
    let entry = ArchiveEntry {
        page: Some(exchange.operation.clone()),
        started: sent(record, exchange),
        elapsed_ms: Some(response.map_or(0.0, |response| response.elapsed_ms)),
        request: request(record, exchange),
        response: response
            .map(|received| self::response(record, received))
            .ok_or_else(failure),
        comment: Some(comment(exchange)),
    };
    entry.into_json()
}

/// Returns when the request was sent. The record has the second in which the run began, and the offset of each request.
fn sent(record: &Record, exchange: &ExchangeRecord) -> String {
    let started = DateTime::parse_from_rfc3339(&record.started_at).unwrap_or_default();
    let after = std::time::Duration::try_from_secs_f64(exchange.sent_ms / 1000.0).unwrap_or_default();
    let after = TimeDelta::from_std(after).unwrap_or_default();
    let at: DateTime<FixedOffset> = started.checked_add_signed(after).unwrap_or(started);
    at.to_utc().to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Describes why a request was sent.
fn comment(exchange: &ExchangeRecord) -> String {
    let purpose = match exchange.purpose {
        PurposeRecord::ResidueLook => "to look for what the run left",
        PurposeRecord::Documented => "as documented",
        PurposeRecord::Equivalent if exchange.edge_case.is_none() => "an update, sent again unchanged",
        PurposeRecord::Equivalent => "as documented, spelled differently",
        PurposeRecord::MustBeRejected => "to be rejected",
        PurposeRecord::EdgeCase => "edge case",
        PurposeRecord::Trial => "trial",
    };
    let edge_case = exchange
        .edge_case
        .as_ref()
        .map_or_else(String::new, |edge_case| format!(": {edge_case}"));
    let superseded = if exchange.superseded {
        "; sent again later, and only that response was judged"
    } else {
        ""
    };
    format!("exchange {}, {purpose}{edge_case}{superseded}", exchange.number)
}

fn request(record: &Record, exchange: &ExchangeRecord) -> ArchiveRequest {
    let mut headers = vec![header("Accept", exchange.accept.as_deref().unwrap_or(JSON))];
    let (authentication, pair) = credential(exchange);
    headers.extend(authentication);
    headers.extend(exchange.headers.iter().map(|field| header(&field.name, &field.value)));
    let body = exchange.body.as_ref().map(|body| ArchiveBody {
        media_type: exchange.content_type.as_deref().unwrap_or(JSON).to_owned(),
        text: Some(body.clone()),
        ..ArchiveBody::default()
    });
    headers.extend(body.as_ref().map(|body| header("Content-Type", &body.media_type)));
    let mut url = format!("{}{}{}", record.target, record.base_path, exchange.path);
    if let Some(pair) = pair {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&pair);
    }
    ArchiveRequest {
        method: exchange.method.clone(),
        url,
        headers,
        body,
    }
}

/// Returns the header or the query pair that carried the credential, with the token's variable in place of the token.
fn credential(exchange: &ExchangeRecord) -> (Option<Value>, Option<String>) {
    let secret = match exchange.credential {
        CredentialRecord::None => return (None, None),
        CredentialRecord::EmptyToken => "",
        CredentialRecord::OtherScheme | CredentialRecord::Token => "$COUNTERSIGN_TOKEN",
        CredentialRecord::WrongToken => "a-token-nobody-issued",
    };
    let is_other = exchange.credential == CredentialRecord::OtherScheme;
    let authorization = |scheme: &str| Some(header("Authorization", &format!("{scheme} {secret}")));
    match (&exchange.credential_scheme, &exchange.credential_header) {
        (Some(SchemeRecord::Cookie(name)), _) => (Some(header("Cookie", &format!("{name}={secret}"))), None),
        (Some(SchemeRecord::Query(name)), _) => (None, Some(format!("{name}={secret}"))),
        (Some(SchemeRecord::Basic), _) => (authorization(if is_other { "Bearer" } else { "Basic" }), None),
        (Some(SchemeRecord::Named(name)), _) => (authorization(if is_other { "Basic" } else { name }), None),
        (None, Some(name)) => (Some(header(name, secret)), None),
        (None, None) => (authorization(if is_other { "Basic" } else { "Bearer" }), None),
    }
}

fn response(record: &Record, response: &ResponseRecord) -> ArchiveResponse {
    let media_type = response.media_type.as_deref();
    let mut comments = Vec::new();
    if !record.values_shown {
        comments.push(COMMENT_SHAPES);
    }
    if !response.whole {
        comments.push(match response.body {
            Some(_) => "only the beginning of the body is shown",
            None => "the body is not shown",
        });
    }
    ArchiveResponse {
        status: response.status,
        headers: media_type
            .map(|media_type| header("Content-Type", media_type))
            .into_iter()
            .collect(),
        body: ArchiveBody {
            size: response.bytes,
            media_type: media_type.unwrap_or_default().to_owned(),
            text: response.body.clone(),
            comments,
            ..ArchiveBody::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::HeaderRecord;
    use crate::report::testing::sample_record;

    fn first(record: &Record) -> Value {
        let read: Value = serde_json::from_str(&har(record)).unwrap();
        read["log"]["entries"][0].clone()
    }

    #[test]
    fn the_har_report() {
        let text = har(&sample_record());
        crate::testing::with_snapshots(|| insta::assert_snapshot!("report_har", text));
    }

    #[test]
    fn a_request_is_reported_with_its_base_its_query_and_its_body() {
        let mut record = sample_record();
        record.base_path = "/tenant".to_owned();
        let exchange = &mut record.exchanges[0];
        exchange.path = "/things/<id as the target lists it>?page=2&name=a%20b".to_owned();
        exchange.body = Some(r#"{"name":"a"}"#.to_owned());
        exchange.headers = vec![HeaderRecord {
            name: "X-Kind".to_owned(),
            value: "a".to_owned(),
        }];
        let request = first(&record)["request"].clone();
        assert_eq!(
            request["url"],
            "https://api.example.com/tenant/things/%3Cid%20as%20the%20target%20lists%20it%3E?page=2&name=a%20b"
        );
        assert_eq!(
            request["queryString"],
            json!([header("page", "2"), header("name", "a b")])
        );
        assert_eq!(request["postData"]["text"], r#"{"name":"a"}"#);
        assert!(request["headers"].as_array().unwrap().contains(&header("X-Kind", "a")));
    }

    #[test]
    fn the_credential_is_reported_by_its_kind() {
        let mut record = sample_record();
        for (credential, name, expected) in [
            (CredentialRecord::None, None, None),
            (
                CredentialRecord::Token,
                None,
                Some(header("Authorization", "Bearer $COUNTERSIGN_TOKEN")),
            ),
            (
                CredentialRecord::OtherScheme,
                None,
                Some(header("Authorization", "Basic $COUNTERSIGN_TOKEN")),
            ),
            (
                CredentialRecord::WrongToken,
                Some("X-Key"),
                Some(header("X-Key", "a-token-nobody-issued")),
            ),
        ] {
            record.exchanges[0].credential = credential;
            record.exchanges[0].credential_header = name.map(str::to_owned);
            let headers = first(&record)["request"]["headers"].as_array().unwrap().clone();
            assert_eq!(headers.get(1).cloned(), expected);
        }
        record.exchanges[0].credential_header = None;
        for (credential, scheme, expected, query) in [
            (
                CredentialRecord::Token,
                SchemeRecord::Basic,
                Some(header("Authorization", "Basic $COUNTERSIGN_TOKEN")),
                None,
            ),
            (
                CredentialRecord::OtherScheme,
                SchemeRecord::Basic,
                Some(header("Authorization", "Bearer $COUNTERSIGN_TOKEN")),
                None,
            ),
            (
                CredentialRecord::EmptyToken,
                SchemeRecord::Cookie("sid".to_owned()),
                Some(header("Cookie", "sid=")),
                None,
            ),
            (
                CredentialRecord::Token,
                SchemeRecord::Query("key".to_owned()),
                None,
                Some(header("key", "$COUNTERSIGN_TOKEN")),
            ),
        ] {
            record.exchanges[0].credential = credential;
            record.exchanges[0].credential_scheme = Some(scheme);
            let request = first(&record)["request"].clone();
            let headers = request["headers"].as_array().unwrap();
            assert_eq!(headers.get(1).cloned(), expected);
            let pairs = request["queryString"].as_array().unwrap();
            assert!(query.is_none_or(|query| pairs.contains(&query)), "{pairs:?}");
        }
    }

    #[test]
    fn an_exchange_without_a_response_has_status_zero_and_the_reason() {
        let mut record = sample_record();
        (record.exchanges[0].response, record.exchanges[0].failure) =
            (None, Some("no response within 10 s".to_owned()));
        let response = first(&record)["response"].clone();
        assert_eq!(
            (&response["status"], &response["comment"]),
            (&0.into(), &"no response within 10 s".into())
        );
    }

    #[test]
    fn shapes_are_called_shapes_and_values_are_not() {
        let mut record = sample_record();
        assert_eq!(
            first(&record)["response"]["content"]["comment"],
            "values are shown as shapes"
        );
        record.values_shown = true;
        assert_eq!(first(&record)["response"]["content"].get("comment"), None);
    }

    #[test]
    fn a_body_that_is_cut_is_called_a_beginning_and_one_that_is_not_shown_is_not() {
        let mut record = sample_record();
        let mut comment = |body: Option<&str>, whole| {
            let response = record.exchanges[0].response.as_mut().unwrap();
            (response.body, response.whole) = (body.map(str::to_owned), whole);
            first(&record)["response"]["content"]["comment"].clone()
        };
        assert_eq!(comment(Some("{}"), true), "values are shown as shapes");
        assert_eq!(
            comment(Some("{…"), false),
            "values are shown as shapes; only the beginning of the body is shown"
        );
        assert_eq!(
            comment(None, false),
            "values are shown as shapes; the body is not shown"
        );
        assert_eq!(comment(None, true), "values are shown as shapes");
    }

    #[test]
    fn times_count_from_the_start_of_the_run() {
        let mut record = sample_record();
        record.exchanges[0].sent_ms = 61_250.4;
        assert_eq!(first(&record)["startedDateTime"], "2024-05-17T07:31:01.250Z");
    }
}
