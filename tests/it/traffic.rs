//! Recorded traffic, judged by the rules of a check: what it shows, and what it leaves open. The files in the folder
//! beside this one were written by the programs that they are named after, against the reference service; see the
//! README there.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

use std::collections::BTreeMap;

use countersign::contract::Contract;
use countersign::contract::fact::FactId;
use countersign::exchange::{Exchange, Target};
use countersign::gaps::AnswerState;
use countersign::rules::{Level, Verdict, Verdicts};
use countersign::run::RunEnd;
use countersign::traffic::{Judged, NotJudged, Skipped, Stopped};
use serde_json::{Value, json};

use crate::service::recording_of_a_check;
use crate::support::archive::{BASE, archive, judged, judged_texts};
use crate::support::built_in;

const TAGS: &str = "/organization/v1/tags";

/// A moment of the recordings here, in seconds after their beginning.
fn at(seconds: f64) -> String {
    let noon = chrono::DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let after = chrono::TimeDelta::from_std(std::time::Duration::from_secs_f64(seconds)).unwrap();
    (noon + after).to_rfc3339()
}

/// An entry that was sent then, with its response.
fn entry(seconds: f64, call: (&str, &str), sent: Option<Value>, (status, body): (u16, &Value)) -> Value {
    let (method, path) = call;
    let text = body.to_string();
    let sent = sent.map(|body| json!({"mimeType": "application/json", "text": body.to_string()}));
    json!({
        "startedDateTime": at(seconds),
        "time": 10,
        "request": {
            "method": method,
            "url": format!("{BASE}{path}"),
            "headers": [{"name": "Authorization", "value": "Bearer tk-of-somebody"}],
            "postData": sent,
        },
        "response": {
            "status": status,
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "content": {"size": text.len(), "mimeType": "application/json", "text": text},
        },
    })
}

fn tags(page: i64, ids: &[&str], (total, last_page): (usize, i64)) -> Value {
    let items = ids.iter().map(|id| json!({"id": id, "name": "regular"}));
    json!({"data": {"items": items.collect::<Vec<_>>(), "page": page, "per_page": 2, "total": total, "last_page": last_page}})
}

fn list(seconds: f64, query: &str, page: &Value) -> Value {
    entry(seconds, ("GET", &format!("{TAGS}{query}")), None, (200, page))
}

fn create(seconds: f64, id: &str) -> Value {
    let response = json!({"message": "Tag created", "data": {"id": id, "name": "regular"}});
    entry(
        seconds,
        ("POST", TAGS),
        Some(json!({"name": "regular"})),
        (201, &response),
    )
}

fn har(entries: &[Value]) -> Value {
    json!({"log": {"version": "1.2", "entries": entries}})
}

/// The rules of the findings, with the level and the fact of each.
fn findings(judged: &Judged) -> Vec<String> {
    let contract = built_in();
    let findings = judged.run.verdicts.findings().iter();
    let named = findings.map(|finding| {
        let name = &contract.fact(finding.fact).name;
        format!("{}: {name}: {}", finding.rule.name, finding.received)
    });
    named.collect()
}

#[track_caller]
fn verdict(judged: &Judged, fact: &str) -> Verdict {
    let contract = built_in();
    let index = contract.facts.iter().position(|known| &*known.name == fact);
    judged.run.verdicts.of(contract, FactId(index.unwrap()))
}

fn verdicts(contract: &Contract, verdicts: &Verdicts) -> BTreeMap<String, Verdict> {
    let facts = contract.facts.iter().enumerate();
    facts
        .map(|(index, fact)| (fact.name.to_string(), verdicts.of(contract, FactId(index))))
        .collect()
}

#[test]
fn a_recording_of_a_check_is_judged_as_the_check_was_however_it_is_split() {
    let contract = built_in();
    let recording = recording_of_a_check(contract);
    let exchanges: Vec<&Exchange> = recording.exchanges().map(|(exchange, _)| exchange).collect();
    let whole = judged(contract, &[archive(exchanges.iter().copied())]);
    assert!(whole.run.verdicts.findings().is_empty(), "{:?}", findings(&whole));
    let decided = verdicts(contract, &whole.run.verdicts);
    let mut open: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (fact, verdict) in &decided {
        if let Verdict::Undecided(reason) = verdict {
            open.entry(reason.to_string()).or_default().push(fact);
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_yaml_snapshot!("traffic_undecided", open));

    let entries = archive(exchanges.iter().copied())["log"]["entries"]
        .as_array()
        .unwrap()
        .clone();
    let strangers = (0..40).map(|number| {
        let url = if number % 2 == 0 {
            "https://cdn.example.com/app.js".to_owned()
        } else {
            format!("{BASE}/health")
        };
        let mut stranger = list(f64::from(number), "", &json!({}));
        stranger["request"]["url"] = url.into();
        stranger
    });
    let mut mixed: Vec<_> = entries.iter().cloned().chain(strangers).collect();
    // A fixed shuffle.
    mixed.sort_by_key(|entry| {
        entry
            .to_string()
            .bytes()
            .fold(7_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte))
    });
    let shuffled = judged(contract, &[har(&mixed)]);
    assert_eq!(verdicts(contract, &shuffled.run.verdicts), decided);
    let left_out = shuffled.not_judged.values().sum::<u64>() - whole.not_judged.values().sum::<u64>();
    assert_eq!(left_out, 40, "{:?}", shuffled.not_judged);

    let lines = mixed.iter().map(|entry| format!("{entry}\n")).collect::<String>();
    let in_lines = judged_texts(contract, vec![lines]);
    assert_eq!(verdicts(contract, &in_lines.run.verdicts), decided);

    // Of a walk that is split over files nothing is concluded; each response is judged all the same.
    let thirds: Vec<_> = (0..3)
        .map(|third| har(&entries.iter().skip(third).step_by(3).cloned().collect::<Vec<_>>()))
        .collect();
    let split = judged(contract, &thirds);
    assert!(split.run.verdicts.findings().is_empty(), "{:?}", findings(&split));
    for (fact, verdict) in verdicts(contract, &split.run.verdicts) {
        let of_several = fact.contains(" pages ") || fact.contains(" listed") || fact.contains(" created ");
        assert!(verdict == decided[&fact] || of_several, "{fact}: {verdict:?}");
    }
}

#[test]
fn a_sound_service_is_not_accused_by_what_real_programs_record() {
    let contract = built_in();
    for (name, text, held) in [
        ("chrome-har", include_str!("traffic/chrome-har.har"), 250),
        ("firefox", include_str!("traffic/firefox.har"), 250),
        ("mitmproxy", include_str!("traffic/mitmproxy.har"), 250),
        (
            "mitmproxy-profile-trimmed",
            include_str!("traffic/mitmproxy-profile-trimmed.har"),
            5,
        ),
        (
            "mitmproxy-text-plain",
            include_str!("traffic/mitmproxy-text-plain.har"),
            0,
        ),
        ("playwright-attach", include_str!("traffic/playwright-attach.har"), 20),
        (
            "playwright-cached-list",
            include_str!("traffic/playwright-cached-list.har"),
            5,
        ),
        ("playwright-embed", include_str!("traffic/playwright-embed.har"), 250),
    ] {
        let judged = judged_texts(contract, vec![format!("\u{feff}{text}")]);
        let denied = judged
            .run
            .verdicts
            .findings()
            .iter()
            .filter(|finding| finding.level == Level::Deny);
        assert_eq!(denied.count(), 0, "{name}: {:?}", findings(&judged));
        let decided = verdicts(contract, &judged.run.verdicts);
        let count = decided.values().filter(|verdict| **verdict == Verdict::Held).count();
        assert!(count >= held, "{name}: {count} held, {:?}", judged.not_judged);
        assert_eq!(judged.files[0].stopped, None, "{name}");
    }
}

#[test]
fn a_body_that_was_not_recorded_decides_nothing_but_its_status() {
    let page = tags(1, &["a", "b"], (2, 1));
    let text = page.to_string();
    let cut = &text[..text.len() - 9];
    for content in [
        json!({}),
        json!({"size": 300, "mimeType": "application/json"}),
        json!({"size": -1, "text": ""}),
        json!({"text": "", "_file": "abc.json"}),
        json!({"size": 300, "mimeType": "application/json", "_file": "abc.json"}),
        json!({"text": cut, "size": text.len()}),
        json!({"text": cut}),
        json!({"text": text.replace("regular", "\u{fffd}egular")}),
        json!({"text": text.replace("regular", "***")}),
        json!({"text": text.replace("regular", "<redacted>")}),
        json!({"text": text.replace("regular", "j***@example.com")}),
        json!({"text": text.replace("regular", "\u{2039}text of 7 characters\u{203a}")}),
        json!({"text": "H4sIAAAAAAAA/w==", "encoding": "base64"}),
        json!({"text": text, "encoding": "utf-16"}),
        json!({"text": r#"{"data": "object"}"#, "comment": "values are shown as shapes"}),
    ] {
        let mut entry = list(0.0, "", &page);
        entry["response"]["content"] = content.clone();
        let judged = judged(built_in(), &[har(&[entry])]);
        assert!(
            judged.run.verdicts.findings().is_empty(),
            "{content}: {:?}",
            findings(&judged)
        );
        assert_eq!(verdict(&judged, "getTags status: 2XX"), Verdict::Held, "{content}");
        let body = verdict(&judged, "getTags body: JSON");
        assert!(matches!(body, Verdict::Undecided(_)), "{content}: {body:?}");
    }
    for content in [
        json!({"text": text}),
        json!({"text": text, "size": text.len() * 2}),
        json!({"text": text.replace("regular", "the ***redacted*** edition of it")}),
        json!({"text": text.replace("\"name\"", "\"redacted\": false, \"name\"")}),
        json!({"text": base64_of(&text), "encoding": "base64"}),
    ] {
        let mut entry = list(0.0, "", &page);
        entry["response"]["content"] = content;
        let headers = entry["response"]["headers"].as_array_mut().unwrap();
        headers.push(json!({"name": "content-encoding", "value": "gzip"}));
        headers.push(json!({"name": ":status", "value": "200"}));
        let judged = judged(built_in(), &[har(&[entry])]);
        assert_eq!(verdict(&judged, "getTags body: JSON"), Verdict::Held);
    }
}

#[test]
fn headers_that_were_not_recorded_decide_nothing_and_the_status_counts() {
    let judged_with = |status: u16, headers: Value, media_type: &str| {
        let mut entry = list(0.0, "", &json!({"data": 7}));
        entry["response"]["status"] = json!(status);
        entry["response"]["headers"] = headers;
        entry["response"]["content"]["mimeType"] = json!(media_type);
        judged(built_in(), &[har(&[entry])])
    };
    // Without headers, and as Chromium writes a response without a media type, with its guess.
    for (headers, media_type) in [
        (json!([]), ""),
        (json!([]), "text/html"),
        (json!([{"name": "Server", "value": "a"}]), "text/plain"),
    ] {
        for (status, expected) in [
            (200, &[][..]),
            (401, &[]),
            (422, &[]),
            (500, &["server-error: getTags status: no 5xx: 500"]),
        ] {
            let judged = judged_with(status, headers.clone(), media_type);
            assert_eq!(judged.run.tally.answered, 1, "{status} {headers}");
            assert_eq!(findings(&judged), expected, "{status} {headers}");
        }
        let judged = judged_with(200, headers, media_type);
        assert_eq!(verdict(&judged, "getTags status: 2XX"), Verdict::Held);
        for fact in ["getTags media type: application/json", "getTags body: JSON"] {
            assert!(matches!(verdict(&judged, fact), Verdict::Undecided(_)), "{fact}");
        }
    }
    let mut entry = create(0.0, "b");
    entry["response"] = json!({"status": 202});
    assert_eq!(
        findings(&judged(built_in(), &[har(&[entry])])),
        ["status: createTag status: 201: 202"]
    );
}

#[test]
fn a_sent_body_that_was_not_recorded_is_compared_with_nothing() {
    let fact = "createTag created /data/name: as sent in /name";
    let sent = json!({"name": "weekly"}).to_string();
    let judged_with = |post_data: &Value| {
        let mut create = create(0.0, "b");
        create["request"]["postData"] = post_data.clone();
        judged(built_in(), &[har(&[create])])
    };
    // What Playwright writes with `content: 'attach'`, chrome-har, browser extensions, and who cuts or redacts bodies.
    for post_data in [
        json!({"mimeType": "application/json", "text": "", "params": [], "_file": "abc.json"}),
        json!({"mimeType": "application/json", "_file": "abc.json"}),
        json!({"mimeType": "application/json", "params": [{"name": "name", "value": "weekly"}]}),
        json!({"mimeType": "application/json", "params": [{"name": "name", "value": {"of": "another type"}}]}),
        json!({"mimeType": "application/json", "text": "", "params": [{"name": "{\"name\": \"weekly\"}"}]}),
        json!({"mimeType": "application/json"}),
        json!({"text": sent.replace("weekly", "***")}),
        Value::Null,
    ] {
        let judged = judged_with(&post_data);
        assert_eq!(judged.run.tally.answered, 1, "{post_data}");
        assert!(findings(&judged).is_empty(), "{post_data}: {:?}", findings(&judged));
        let carried = verdict(&judged, fact);
        assert!(matches!(carried, Verdict::Undecided(_)), "{post_data}: {carried:?}");
        let present = verdict(&judged, "createTag /data/name: present");
        assert_eq!(present, Verdict::Held, "{post_data}");
    }
    let judged = judged_with(&json!({"mimeType": "application/json", "text": sent}));
    assert_eq!(verdict(&judged, fact), Verdict::Broken, "{:?}", findings(&judged));
}

fn base64_of(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

#[test]
fn what_is_no_exchange_with_the_service_is_left_out_with_its_reason() {
    let page = tags(1, &["a", "b"], (2, 1));
    let change = |pointer: &str, value: Value| {
        let mut entry = list(0.0, "", &json!({"broken": true}));
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        entry.pointer_mut(parent).unwrap()[name] = value;
        entry
    };
    let mut without_response = list(0.0, "", &page);
    without_response.as_object_mut().unwrap().remove("response");
    for (entry, why) in [
        (change("/response/status", json!(0)), Skipped::Aborted),
        (change("/response/status", json!(-1)), Skipped::Aborted),
        (change("/response/_error", json!("net::ERR_ABORTED")), Skipped::Aborted),
        (change("/response/_failureText", json!("gone")), Skipped::Aborted),
        (change("/response/status", json!(304)), Skipped::Cached),
        (change("/response/_transferSize", json!(0)), Skipped::Cached),
        (change("/_fromCache", json!("disk")), Skipped::Cached),
        (
            change("/response/headers", json!([{"name": "Age", "value": "7"}])),
            Skipped::Cached,
        ),
        (change("/response/status", json!(302)), Skipped::Redirect),
        (change("/response/status", json!(101)), Skipped::NotHttp),
        (change("/_resourceType", json!("websocket")), Skipped::NotHttp),
        (change("/request/url", json!("data:text/plain,a")), Skipped::NotHttp),
        (
            change("/response/_fetchedViaServiceWorker", json!(true)),
            Skipped::Cached,
        ),
        (change("/startedDateTime", json!(7)), Skipped::NotAnEntry),
        (without_response, Skipped::Aborted),
    ] {
        let judged = judged(built_in(), &[har(&[list(0.0, "", &page), entry.clone()])]);
        assert_eq!(
            judged.not_judged,
            BTreeMap::from([(NotJudged::Skipped(why), 1)]),
            "{entry}"
        );
        assert!(
            judged.run.verdicts.findings().is_empty(),
            "{entry}: {:?}",
            findings(&judged)
        );
    }
    let mut preflight = change("/request/method", json!("OPTIONS"));
    preflight["request"]["headers"] = json!([{"name": "Access-Control-Request-Method", "value": "GET"}]);
    let judged = judged(built_in(), &[har(&[list(0.0, "", &page), preflight])]);
    assert_eq!(
        judged.not_judged,
        BTreeMap::from([(NotJudged::Skipped(Skipped::Preflight), 1)])
    );
}

#[test]
fn a_rejection_of_another_clients_request_is_not_a_finding() {
    for status in [400, 401, 403, 404, 405, 409, 410, 415, 422, 429] {
        let entries = [entry(0.0, ("GET", TAGS), None, (status, &json!({"error": "no"})))];
        let judged = judged(built_in(), &[har(&entries)]);
        assert!(
            judged.run.verdicts.findings().is_empty(),
            "{status}: {:?}",
            findings(&judged)
        );
        assert!(
            matches!(judged.run.ended, RunEnd::NothingSucceeded(_)),
            "{status}: {:?}",
            judged.run.ended
        );
    }
    let failed = [entry(0.0, ("GET", &format!("{TAGS}?page=x")), None, (500, &json!({})))];
    let judged = judged(built_in(), &[har(&failed)]);
    assert_eq!(findings(&judged), ["server-error: getTags status: no 5xx: 500"]);
    for status in [502, 503, 504, 520] {
        let failed = [entry(0.0, ("GET", TAGS), None, (status, &json!({})))];
        let judged = self::judged(built_in(), &[har(&failed)]);
        assert_eq!(judged.not_judged, BTreeMap::from([(NotJudged::Unavailable, 1)]));
    }
}

#[test]
fn what_other_clients_received_is_evidence_on_gaps_but_for_rejections() {
    let page = tags(1, &["t-1"], (1, 1));
    let rejected = |seconds, status| entry(seconds, ("POST", TAGS), None, (status, &json!({"error": "no"})));
    let entries = [
        list(0.0, "", &page),
        list(1.0, "?page=1", &page),
        rejected(2.0, 401),
        rejected(3.0, 422),
    ];
    let judged = judged(built_in(), &[har(&entries)]);
    let told = judged
        .run
        .answers
        .iter()
        .filter(|answer| answer.state == AnswerState::Seen);
    let told = told.map(|answer| {
        let claim = answer.claim.as_ref().unwrap();
        format!("{} {claim}, {}", answer.gap, answer.observations.supporting)
    });
    let expected = [
        "identifier-spelling form: text, 2",
        "latency takes 10 to 10 ms, 2",
        "page-size per page: 2, 2",
        "success-status status: 200, 2",
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

#[test]
fn the_body_of_a_rejection_may_come_from_something_in_front_of_the_service() {
    let response = "{description: a, content: {application/json: {schema: {type: object}}}}";
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n  /pets:\n    get: {{operationId: getPets, responses: \
         {{'200': {response}, '404': {response}}}}}\n"
    );
    let contract = Contract::read("pets.yaml", text).unwrap();
    for body in [json!([]), json!("<html>")] {
        let mut entry = entry(0.0, ("GET", "/pets"), None, (404, &body));
        entry["response"]["headers"] = json!([{"name": "Content-Type", "value": "text/html"}]);
        let judged = judged(&contract, &[har(&[entry])]);
        assert_eq!(judged.run.tally.answered, 1);
        assert!(judged.run.verdicts.findings().is_empty(), "{body}");
    }
}

#[test]
fn a_request_that_asks_for_something_else_is_not_judged() {
    let odd = json!({"data": []});
    let header = |name: &str, value: &str| {
        let mut entry = list(0.0, "", &odd);
        let headers = entry["request"]["headers"].as_array_mut().unwrap();
        headers.push(json!({"name": name, "value": value}));
        entry
    };
    for entry in [
        list(0.0, "?page=0", &odd),
        list(0.0, "?page=one", &odd),
        list(0.0, "?format=csv", &odd),
        header("Range", "bytes=0-9"),
        header("Prefer", "return=minimal"),
        header("Accept", "text/csv"),
        header("Accept", "text/html, application/json;q=0"),
        header("Accept", "*/*, application/json; q=0.0"),
        header("Accept", "application/*;q=0, */*"),
        header("X-HTTP-Method-Override", "DELETE"),
    ] {
        let judged = judged(built_in(), &[har(std::slice::from_ref(&entry))]);
        assert_eq!(
            judged.not_judged,
            BTreeMap::from([(NotJudged::NotAsDocumented, 1)]),
            "{entry}"
        );
    }
}

#[test]
fn a_request_that_accepts_json_among_others_is_judged() {
    let page = tags(1, &["a"], (1, 1));
    for accepted in [
        &["application/*"][..],
        &["application/JSON"],
        &["text/csv", "application/json"],
        &["text/csv;q=0.5, */*;q=0.1"],
        &["text/csv;q=0, application/json;q=0.001"],
        &["application/problem+json;q=0, application/json"],
        &["application/vnd.example+json;q=0, */*"],
    ] {
        let mut entry = list(0.0, "", &page);
        let headers = entry["request"]["headers"].as_array_mut().unwrap();
        headers.extend(accepted.iter().map(|value| json!({"name": "Accept", "value": value})));
        let judged = judged(built_in(), &[har(&[entry])]);
        assert_eq!(judged.run.tally.answered, 1, "{accepted:?}");
    }
}

#[test]
fn a_body_of_a_documented_type_and_media_type_is_as_documented() {
    let contract = |content: &str| {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n  /pets:\n    post:\n      operationId: addPets\n      \
             requestBody: {{content: {{{content}}}}}\n      responses: {{'200': {{description: a, content: \
             {{application/json: {{schema: {{type: object}}}}}}}}}}\n"
        );
        Contract::read("pets.yaml", text).unwrap()
    };
    let array = "application/json: {schema: {type: array, items: {type: object}}}";
    let object = "application/json: {schema: {type: object}}";
    let both =
        "application/json: {schema: {type: object}}, application/x-www-form-urlencoded: {schema: {type: object}}";
    let form = "application/x-www-form-urlencoded";
    for (content, (media_type, sent), is_judged) in [
        (array, ("application/json", "[{}]"), true),
        (array, ("application/json", "{}"), false),
        (object, ("application/json", "{}"), true),
        (object, ("application/json", "[{}]"), false),
        (object, (form, "name=rex"), false),
        (both, (form, "name=rex"), true),
        (both, ("text/plain", "name=rex"), false),
    ] {
        let mut entry = entry(0.0, ("POST", "/pets"), None, (200, &json!([])));
        entry["request"]["postData"] = json!({"mimeType": media_type, "text": sent});
        let headers = entry["request"]["headers"].as_array_mut().unwrap();
        headers.push(json!({"name": "Content-Type", "value": media_type}));
        let judged = judged(&contract(content), &[har(&[entry])]);
        let case = format!("{content} {media_type} {sent}");
        assert_eq!(judged.run.tally.answered == 1, is_judged, "{case}");
        // A response that is not as documented is found.
        assert_eq!(!judged.run.verdicts.findings().is_empty(), is_judged, "{case}");
    }
}

#[test]
fn a_page_beyond_the_last_one_belongs_to_no_walk() {
    // The service shows its last page there, which the document leaves open.
    let walk = [
        list(0.0, "?page=1", &tags(1, &["a", "b"], (3, 2))),
        list(1.0, "?page=1000000000000000000", &tags(2, &["c"], (3, 2))),
        list(2.0, "?page=2", &tags(2, &["c"], (3, 2))),
    ];
    let judged = judged(built_in(), &[har(&walk)]);
    assert_eq!(findings(&judged), Vec::<String>::new());
    assert_eq!(
        verdict(&judged, "getTags pages /data/items: no item on two pages"),
        Verdict::Held
    );
}

/// Two pages that share an item, as one client walks them from this second on.
fn unsound_walk(seconds: f64) -> Vec<Value> {
    vec![
        list(seconds, "?page=1", &tags(1, &["a", "b"], (3, 2))),
        list(seconds + 1.0, "?page=2", &tags(2, &["b"], (3, 2))),
    ]
}

#[test]
fn one_walk_that_does_not_add_up_is_not_enough_and_two_are() {
    let once = judged(built_in(), &[har(&unsound_walk(0.0))]);
    assert!(once.run.verdicts.findings().is_empty(), "{:?}", findings(&once));
    let unique = "getTags pages /data/items: no item on two pages";
    assert!(verdict(&once, unique) != Verdict::Held);
    let twice = judged(built_in(), &[har(&[unsound_walk(0.0), unsound_walk(20.0)].concat())]);
    assert!(
        findings(&twice)
            .iter()
            .all(|finding| finding.starts_with("pages: getTags")),
        "{:?}",
        findings(&twice)
    );
    assert_eq!(findings(&twice).len(), 2, "{:?}", findings(&twice));
    let mut disturbed = [unsound_walk(0.0), unsound_walk(20.0)].concat();
    for seconds in [0.5, 20.5] {
        let mut delete = list(seconds, "/7", &json!({}));
        delete["request"]["method"] = "DELETE".into();
        disturbed.push(delete);
    }
    let disturbed = judged(built_in(), &[har(&disturbed)]);
    assert!(
        disturbed.run.verdicts.findings().is_empty(),
        "{:?}",
        findings(&disturbed)
    );
}

#[test]
fn what_else_a_recording_has_hides_no_walk() {
    let sound = [unsound_walk(0.0), unsound_walk(20.0)].concat();
    // Each of many other clients reads the first of two pages, and no more.
    let first_page = |client: usize| {
        let mut entry = list(40.0, "?page=1", &tags(1, &["a", "b"], (3, 2)));
        entry["request"]["headers"][0]["value"] = format!("Bearer tk-of-client-{client}").into();
        entry
    };
    let others: Vec<_> = (0..300).map(first_page).collect();
    let after: Vec<_> = sound.iter().map(|entry| shifted(entry, 60)).collect();
    let judged_after = judged(built_in(), &[har(&[others, after].concat())]);
    assert_eq!(findings(&judged_after).len(), 2, "{:?}", findings(&judged_after));
    // A tracing system gives each request its own headers.
    for header in [
        "sentry-trace",
        "baggage",
        "x-b3-traceid",
        "X-Amzn-Trace-Id",
        "x-datadog-trace-id",
        "Request-Id",
        "newrelic",
        "elastic-apm-traceparent",
        "X-Trace-Id",
        "x-transaction-id",
    ] {
        let mut traced = sound.clone();
        for (index, entry) in traced.iter_mut().enumerate() {
            let headers = entry["request"]["headers"].as_array_mut().unwrap();
            headers.push(json!({"name": header, "value": format!("trace-{index}")}));
        }
        let judged = judged(built_in(), &[har(&traced)]);
        assert_eq!(findings(&judged).len(), 2, "{header}: {:?}", findings(&judged));
    }
}

/// The walks of two clients over lists of their own, each page of one between the pages of the other.
fn interleaved(seconds: f64, as_client: &dyn Fn(Value, &str) -> Value) -> Vec<Value> {
    let one = [tags(1, &["a", "b"], (3, 2)), tags(2, &["c"], (3, 2))];
    let other = [tags(1, &["d", "e"], (4, 2)), tags(2, &["f", "g"], (4, 2))];
    vec![
        as_client(list(seconds, "?page=1", &one[0]), "one"),
        as_client(list(seconds + 1.0, "?page=1", &other[0]), "other"),
        as_client(list(seconds + 2.0, "?page=2", &one[1]), "one"),
        as_client(list(seconds + 3.0, "?page=2", &other[1]), "other"),
    ]
}

#[test]
fn pages_of_two_clients_are_not_taken_for_one_walk() {
    let keyed = include_str!("../../openapi.yaml").replace(
        "      type: http\n      scheme: bearer\n",
        "      type: apiKey\n      in: query\n      name: key\n",
    );
    let keyed = Contract::read("openapi.yaml", keyed).unwrap();
    let by_key = |mut entry: Value, client: &str| {
        let url = entry["request"]["url"].as_str().unwrap();
        entry["request"]["url"] = format!("{url}&key=tk-of-{client}").into();
        entry["request"]["headers"] = json!([]);
        entry
    };
    let redacted = |mut entry: Value, _: &str| {
        entry["request"]["headers"][0]["value"] = "Bearer ***".into();
        entry
    };
    let without = |mut entry: Value, _: &str| {
        entry["request"]["headers"] = json!([]);
        entry
    };
    let unique = "getTags pages /data/items: no item on two pages";
    for (contract, as_client) in [
        (&keyed, &by_key as &dyn Fn(Value, &str) -> Value),
        (built_in(), &redacted),
        (built_in(), &without),
    ] {
        let mixed = [interleaved(0.0, as_client), interleaved(20.0, as_client)].concat();
        let judged_mixed = judged(contract, &[har(&mixed)]);
        assert_eq!(judged_mixed.run.tally.answered, 8);
        let found = judged_mixed.run.verdicts.findings();
        assert!(found.is_empty(), "{found:?}");
        // The walks of one client are judged, whether its credential is known or not.
        let alone = [unsound_walk(0.0), unsound_walk(20.0)].concat().into_iter();
        let alone: Vec<_> = alone.map(|entry| as_client(entry, "one")).collect();
        let judged_alone = judged(contract, &[har(&alone)]);
        let index = contract.facts.iter().position(|known| &*known.name == unique);
        let verdict = judged_alone.run.verdicts.of(contract, FactId(index.unwrap()));
        assert_eq!(verdict, Verdict::Broken);
    }
}

/// The same entry, this many seconds later.
fn shifted(entry: &Value, seconds: i64) -> Value {
    let mut entry = entry.clone();
    let sent = chrono::DateTime::parse_from_rfc3339(entry["startedDateTime"].as_str().unwrap()).unwrap();
    entry["startedDateTime"] = (sent + chrono::TimeDelta::seconds(seconds)).to_rfc3339().into();
    entry
}

/// The same entry later, about another record.
fn later(entry: &Value, seconds: i64) -> Value {
    // A body is text in the entry.
    let renamed = entry
        .to_string()
        .replace(r#""b""#, r#""later""#)
        .replace(r#"\"b\""#, r#"\"later\""#);
    shifted(&serde_json::from_str(&renamed).unwrap(), seconds)
}

#[test]
fn two_created_records_that_are_not_listed_are_a_finding_and_one_is_not() {
    let empty = tags(1, &["a"], (1, 1));
    let fact = "createTag created: listed in getTags";
    let listed = |entries: &[Value]| judged(built_in(), &[har(entries)]);
    let found = listed(&[create(0.0, "b"), list(1.0, "", &tags(1, &["a", "b"], (2, 1)))]);
    assert_eq!(verdict(&found, fact), Verdict::Held);
    // Somebody who was not recorded may have removed one record, or one that was listed before.
    let first = [create(0.0, "b"), list(8.0, "", &empty)];
    assert_eq!(findings(&listed(&first)), Vec::<String>::new());
    let second = [create(20.0, "c"), list(28.0, "", &empty)];
    let seen = list(1.0, "", &tags(1, &["a", "b"], (2, 1)));
    let removed = listed(&[&first[..], &[seen], &second].concat());
    assert_eq!(findings(&removed), Vec::<String>::new());
    assert_eq!(verdict(&removed, fact), Verdict::Held);
    let missing = listed(&[first, second].concat());
    assert!(
        findings(&missing)
            .iter()
            .any(|finding| finding.starts_with("listed: createTag")),
        "{:?}",
        findings(&missing)
    );
}

#[test]
fn a_created_record_is_missed_only_where_nothing_explains_it() {
    let empty = tags(1, &["a"], (1, 1));
    let write = |seconds: f64, method: &str| {
        let mut write = list(seconds, "/b", &json!({}));
        write["request"]["method"] = method.into();
        write
    };
    let with_header = |mut entry: Value, name: &str, value: &str| {
        entry["request"]["headers"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": name, "value": value}));
        entry
    };
    let aborted = {
        let mut aborted = create(5.0, "c");
        aborted["response"] = json!({"status": 0, "headers": [], "content": {}});
        aborted
    };
    let stripped = |mut entry: Value| {
        entry["request"]["headers"] = json!([]);
        entry
    };
    for (why, entries) in [
        ("not settled", vec![create(0.0, "b"), list(2.0, "", &empty)]),
        ("long ago", vec![create(0.0, "b"), list(600.0, "", &empty)]),
        (
            "deleted",
            vec![create(0.0, "b"), write(1.0, "DELETE"), list(8.0, "", &empty)],
        ),
        (
            "an aborted write",
            vec![create(0.0, "b"), aborted, list(8.0, "", &empty)],
        ),
        (
            "another tenant",
            vec![
                create(0.0, "b"),
                with_header(list(8.0, "", &empty), "X-Organization", "b"),
            ],
        ),
        (
            "sanitised",
            vec![stripped(create(0.0, "b")), stripped(list(8.0, "", &empty))],
        ),
        (
            "only one page",
            vec![create(0.0, "b"), list(8.0, "", &tags(1, &["a", "c"], (3, 2)))],
        ),
    ] {
        // The same happens twice, so that only the reason keeps it from being a finding.
        let again: Vec<_> = entries.iter().map(|entry| later(entry, 1200)).collect();
        let judged = judged(built_in(), &[har(&[entries, again].concat())]);
        assert!(
            judged.run.verdicts.findings().is_empty(),
            "{why}: {:?}",
            findings(&judged)
        );
    }
}

#[test]
fn a_created_record_whose_owner_cannot_be_told_from_the_path_is_not_missed() {
    let contacts = "/organization/v1/contact-database";
    let id = "6a1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01";
    let contact = json!({"id": id, "contact_methods": []});
    let page = json!({"data": {"items": [contact], "page": 1, "per_page": 5, "total": 1, "last_page": 1}});
    let method = json!({"type": "email", "contact": "ada.second@example.com", "status": "active"});
    let response = json!({"message": "Contact method created", "data": {"id": "b", "contact": method["contact"]}});
    for (divider, is_missed) in [(".", true), ("-", false)] {
        let (owner, parameter) = ("{contactId}", "        - name: contactId\n");
        let kind = "        - {name: kind, in: path, required: true, schema: {type: string}}\n";
        let text = include_str!("../../openapi.yaml")
            .replace(owner, &format!("{owner}{divider}{{kind}}"))
            .replace(parameter, &format!("{kind}{parameter}"));
        let contract = Contract::read("openapi.yaml", text).unwrap();
        let call = format!("{contacts}/{id}{divider}a/contact-method");
        let create = entry(0.0, ("POST", &call), Some(method.clone()), (201, &response));
        let list = entry(8.0, ("GET", contacts), None, (200, &page));
        let again = [later(&create, 60), later(&list, 60)];
        let judged = judged(&contract, &[har(&[&[create, list][..], &again].concat())]);
        assert_eq!(judged.run.tally.answered, 4, "{divider}");
        let mut missed = judged.run.verdicts.findings().iter();
        let is_found = missed.any(|finding| finding.rule.name == "listed");
        assert_eq!(is_found, is_missed, "{divider}");
    }
}

#[test]
fn a_file_that_is_cut_short_is_judged_as_far_as_it_is_whole() {
    let text = har(&[
        list(0.0, "", &tags(1, &["a"], (1, 1))),
        list(1.0, "", &tags(1, &["a"], (1, 1))),
    ])
    .to_string();
    let judged = judged_texts(built_in(), vec![text[..text.len() - 40].to_owned()]);
    assert_eq!(judged.run.tally.answered, 1);
    assert_eq!(judged.files[0].stopped, Some(Stopped::Cut { line: 1 }));
    assert!(
        matches!(judged.run.ended, RunEnd::Incomplete(_)),
        "{:?}",
        judged.run.ended
    );
    for (text, stopped) in [
        ("\u{1f}\u{8b}", "gzip"),
        ("PK\u{3}\u{4}", "ZIP"),
        ("hello", "column 1"),
        (r#"{"log": {}}"#, "entries"),
        (r#"{"log": {"entries": []}} {"log": {"entries": []}}"#, "end of one"),
    ] {
        let bytes = text.chars().map(|character| character as u8).collect::<Vec<_>>();
        let file = countersign::traffic::File {
            name: "a.har".to_owned(),
            content: Box::new(std::io::Cursor::new(bytes)),
        };
        let judged = countersign::traffic::judge(built_in(), vec![file], Default::default(), &mut |_| {});
        let reason = judged.files[0]
            .stopped
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(
            reason.contains(stopped) || stopped == "entries" && !reason.is_empty(),
            "{text}: {reason}"
        );
    }
}

/// Gives one byte at a time, as a slow pipe may.
struct ByteByByte(std::io::Cursor<Vec<u8>>);

impl std::io::Read for ByteByByte {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let one = buffer.len().min(1);
        self.0.read(&mut buffer[..one])
    }
}

#[test]
fn the_format_of_a_file_is_told_by_its_first_members_however_it_is_read() {
    let entry = list(0.0, "", &tags(1, &["a"], (1, 1)));
    // Chromium names the function that sent the request before the request itself.
    let initiated = format!(
        r#"{{"_initiator": {{"functionName": "log", "log": 1}}, {}"#,
        &entry.to_string()[1..]
    );
    let archive = format!(
        r#"{{"comment": "the \"request\"", {}"#,
        &har(std::slice::from_ref(&entry)).to_string()[1..]
    );
    for text in [
        archive.clone(),
        format!("\u{feff}{archive}"),
        initiated.clone(),
        format!("\u{feff}{initiated}"),
    ] {
        let whole = judged_texts(built_in(), vec![text.clone()]);
        let file = countersign::traffic::File {
            name: "a.har".to_owned(),
            content: Box::new(ByteByByte(std::io::Cursor::new(text.clone().into_bytes()))),
        };
        let piped = countersign::traffic::judge(built_in(), vec![file], Default::default(), &mut |_| {});
        for judged in [whole, piped] {
            assert_eq!(judged.files[0].stopped, None, "{text}");
            assert_eq!(judged.run.tally.answered, 1, "{text}");
        }
    }
}

#[test]
fn entries_that_cannot_be_judged_do_not_hide_that_the_others_went_elsewhere() {
    let page = tags(1, &["a"], (1, 1));
    let mut elsewhere = list(0.0, "", &page);
    elsewhere["request"]["url"] = format!("https://other.example.com{TAGS}").into();
    let mut cached = list(1.0, "", &page);
    cached["_fromCache"] = json!("disk");
    let message = |entries: &[Value]| {
        let file = countersign::traffic::File {
            name: "a.har".to_owned(),
            content: Box::new(std::io::Cursor::new(har(entries).to_string().into_bytes())),
        };
        let settings = countersign::traffic::Settings {
            base: Some(Target::parse(BASE).unwrap()),
            ..Default::default()
        };
        countersign::traffic::judge(built_in(), vec![file], settings, &mut |_| {}).all_went_elsewhere()
    };
    let expected = format!("none of the 1 entries that can be judged went to {BASE}");
    assert_eq!(message(&[elsewhere.clone(), cached.clone()]), Some(expected));
    assert_eq!(message(&[elsewhere, cached, list(2.0, "", &page)]), None);
}

#[test]
fn a_write_of_another_file_counts_though_another_ended_later() {
    let delete = |seconds: f64| {
        let mut delete = list(seconds, "/7", &json!({}));
        delete["request"]["method"] = "DELETE".into();
        delete
    };
    let walked = |others: &[Value]| {
        let own: Vec<_> = [2.0, 22.0]
            .into_iter()
            .flat_map(|seconds| [vec![delete(seconds - 1.0)], unsound_walk(seconds)].concat())
            .collect();
        findings(&judged(built_in(), &[har(&own), har(others)])).len()
    };
    assert_eq!(walked(&[]), 2);
    // The clocks of two files may be a few seconds apart, so these may have come between the pages.
    assert_eq!(walked(&[delete(0.0), delete(20.0)]), 0);
}

#[test]
fn of_creates_that_overlap_no_record_is_missed() {
    let creates = |seconds: f64, (first, second): (f64, f64)| {
        let mut long = create(seconds, "b");
        long["time"] = first.into();
        let mut short = create(seconds + 0.1, "c");
        short["time"] = second.into();
        vec![long, short, list(seconds + 8.0, "", &tags(1, &["a", "b"], (2, 1)))]
    };
    let twice = |times| {
        let first = creates(0.0, times);
        let again: Vec<_> = creates(60.0, times).iter().map(|entry| later(entry, 0)).collect();
        findings(&judged(built_in(), &[har(&[first, again].concat())]))
    };
    // The record of the second, shorter create is not listed, but may have been deleted meanwhile.
    assert_eq!(twice((2_000.0, 10.0)), Vec::<String>::new());
}

#[test]
fn a_time_that_no_calendar_has_stops_nothing() {
    for time in [json!(1e18), json!(-5), json!(null), json!("1e400"), json!(9e15)] {
        let mut create = create(0.0, "a");
        create["time"] = time.clone();
        let judged = judged(built_in(), &[har(&[create, list(8.0, "", &tags(1, &["b"], (1, 1)))])]);
        assert!(
            judged.run.verdicts.findings().is_empty(),
            "{time}: {:?}",
            findings(&judged)
        );
    }
}
