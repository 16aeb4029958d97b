//! What an archive shows, what it keeps to itself, and that it is judged as the traffic itself is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::*;
use crate::contract::fact::FactId;
use crate::rules::Verdict;
use crate::support::archive::judged_texts;
use crate::traffic::entry::{self, Entry};
use crate::traffic::request::ClientIdentity;
use crate::traffic::{Judged, NotJudged, Skipped, source};

const BASE: &str = "https://contacts.example.com";
const TAGS: &str = "https://contacts.example.com/organization/v1/tags";

fn built_in() -> Arc<Contract> {
    Arc::clone(crate::testing::built_in())
}

fn base() -> Target {
    Target::parse(BASE).unwrap()
}

fn request_line(method: &str, url: &str) -> RequestLine {
    RequestLine {
        method: method.to_owned(),
        url: Url::parse(url).unwrap(),
        started: DateTime::from_timestamp(1_700_000_000, 123_456_789).unwrap(),
        elapsed: Some(Duration::from_micros(12_345)),
    }
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let header = |(name, value): &(&str, &str)| (HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
    pairs.iter().map(header).collect()
}

/// A success with a body of this media type.
fn response(media_type: &'static str, body: impl Into<Vec<u8>>) -> RecordedExchange {
    let mut response_headers = HeaderMap::new();
    response_headers.insert("content-type", HeaderValue::from_static(media_type));
    RecordedExchange {
        request_headers: headers(&[("authorization", "Bearer tk-of-somebody")]),
        request_body: None,
        status: 200,
        response_headers,
        are_headers_known: true,
        response_body: Some(body.into().into()),
        unread_body: None,
    }
}

fn archived_by(
    contract: &Contract,
    values: ValueDisplay,
    exchanges: &[(RequestLine, Option<RecordedExchange>)],
) -> String {
    let mut archive = Archive::begin(Vec::new(), contract, base(), values).unwrap();
    for (request_line, recorded) in exchanges {
        archive.add(request_line, recorded.as_ref()).unwrap();
    }
    String::from_utf8(archive.end("all is in it").unwrap()).unwrap()
}

fn archived(values: ValueDisplay, exchanges: &[(RequestLine, Option<RecordedExchange>)]) -> String {
    archived_by(&built_in(), values, exchanges)
}

/// The entries of an archive, and whether it was read to its end.
fn entries(text: &str) -> (Vec<Entry>, bool) {
    let mut entries = Vec::new();
    let read = source::read(text.as_bytes(), &mut |text| entries.push(entry::read(text.get())));
    (entries, read.is_ok())
}

/// The exchange of an archive that has one.
#[track_caller]
fn exchange(text: &str) -> (RequestLine, RecordedExchange) {
    let (mut entries, _) = entries(text);
    let entry = entries.pop().unwrap();
    assert!(entries.is_empty(), "{text}");
    match entry {
        Entry::Exchange(request_line, recorded) => (request_line, *recorded),
        other => panic!("{other:?}: {text}"),
    }
}

fn judged(contract: &Contract, text: &str) -> Judged {
    judged_texts(contract, vec![text.to_owned()])
}

/// The archive of what another one contains.
fn again(contract: &Contract, text: &str, values: ValueDisplay) -> String {
    let base = judged(contract, text).target.unwrap();
    let mut archive = Archive::begin(Vec::new(), contract, base, values).unwrap();
    for entry in entries(text).0 {
        match entry {
            Entry::Exchange(request_line, recorded) => archive.add(&request_line, Some(&recorded)).unwrap(),
            Entry::Write(_, request_line) => archive.add(&request_line, None).unwrap(),
            Entry::Other(_) => {}
        }
    }
    String::from_utf8(archive.end("").unwrap()).unwrap()
}

fn verdicts(contract: &Contract, judged: &Judged) -> BTreeMap<String, Verdict> {
    let facts = contract.facts.iter().enumerate();
    let verdict = |index| judged.run.verdicts.of(contract, FactId(index));
    facts
        .map(|(index, fact)| (fact.name.to_string(), verdict(index)))
        .collect()
}

fn findings(contract: &Contract, judged: &Judged) -> Vec<String> {
    let findings = judged.run.verdicts.findings().iter();
    findings
        .map(|finding| {
            let fact = &contract.fact(finding.fact).name;
            format!("{} {fact} {} {}", finding.rule.name, finding.pointer, finding.received)
        })
        .collect()
}

/// Why entries were not judged, apart from those of which only the request is archived.
fn not_judged(judged: &Judged) -> BTreeMap<NotJudged, u64> {
    let counts = judged.not_judged.iter().map(|(why, count)| (*why, *count));
    counts
        .filter(|(why, _)| !matches!(why, NotJudged::Skipped(_)))
        .collect()
}

/// Judges traffic and its archives: with values shown, the findings are the same; with values hidden, each verdict is
/// the same or undecided.
#[track_caller]
fn assert_judged_alike(contract: &Contract, name: &str, text: &str) -> usize {
    let original = judged(contract, text);
    let shown = judged(contract, &again(contract, text, ValueDisplay::Shown));
    let known = verdicts(contract, &original);
    let mut differing = verdicts(contract, &shown);
    differing.retain(|fact, verdict| *verdict != known[fact]);
    assert!(differing.is_empty(), "{name}: {differing:#?}");
    assert_eq!(findings(contract, &shown), findings(contract, &original), "{name}");
    assert_eq!(not_judged(&shown), not_judged(&original), "{name}");
    let hidden = judged(contract, &again(contract, text, ValueDisplay::Hidden));
    for (fact, verdict) in verdicts(contract, &hidden) {
        let agrees = verdict == known[&fact] || matches!(verdict, Verdict::Undecided(_));
        assert!(agrees, "{name}: {fact}: {verdict:?}");
    }
    original.run.verdicts.findings().len()
}

#[test]
fn what_real_programs_recorded_is_judged_the_same_from_an_archive_of_it() {
    let contract = built_in();
    for (name, text) in [
        ("chrome-har", include_str!("../../../tests/it/traffic/chrome-har.har")),
        ("firefox", include_str!("../../../tests/it/traffic/firefox.har")),
        ("mitmproxy", include_str!("../../../tests/it/traffic/mitmproxy.har")),
        (
            "mitmproxy-text-plain",
            include_str!("../../../tests/it/traffic/mitmproxy-text-plain.har"),
        ),
        (
            "playwright-attach",
            include_str!("../../../tests/it/traffic/playwright-attach.har"),
        ),
        (
            "playwright-embed",
            include_str!("../../../tests/it/traffic/playwright-embed.har"),
        ),
    ] {
        assert_judged_alike(&contract, name, text);
    }
}

#[test]
fn an_archive_is_judged_up_to_where_it_was_cut_off() {
    let exchanges = [1, 2, 3].map(|page| {
        let body = format!(r#"{{"data": "page {page}, }}\n]"}}"#);
        let recorded = response("application/json", body);
        (request_line("GET", &format!("{TAGS}?page={page}")), Some(recorded))
    });
    let text = archived(ValueDisplay::Shown, &exchanges);
    let ends: Vec<_> = text
        .match_indices('\n')
        .map(|(at, _)| at - usize::from(text[..at].ends_with(',')))
        .collect();
    // The first line begins the archive, and the last two end it.
    assert_eq!(ends.len(), 5, "{text}");
    for cut in 1..text.len() {
        let whole = ends[1..4].iter().filter(|end| **end <= cut).count();
        let (entries, ended) = entries(&text[..cut]);
        assert_eq!(
            (entries.len(), ended),
            (whole, cut + 1 == text.len()),
            "{}",
            &text[..cut]
        );
    }
    assert!(entries(&text).1);
}

#[test]
fn values_are_shapes_unless_they_are_asked_for() {
    let mut create = response("application/json", r#"{"data": {"id": "t-17", "name": "regular"}}"#);
    create.request_headers = headers(&[
        ("authorization", "Bearer tk-of-somebody"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/plain"),
        ("user-agent", "a program"),
        ("x-tenant", "example"),
        ("x-request-id", "1"),
    ]);
    create.request_body = Some(r#"{"name": "regular"}"#.to_owned());
    let list = response(
        "application/json; charset=utf-8",
        r#"{"data": {"items": [{"id": "t-17"}, {"id": "t-18"}]}}"#,
    );
    let exchanges = [
        (request_line("POST", TAGS), Some(create)),
        (request_line("GET", &format!("{TAGS}?page=2")), Some(list)),
        (request_line("DELETE", TAGS), None),
    ];
    let archives = [ValueDisplay::Hidden, ValueDisplay::Shown].map(|values| archived(values, &exchanges));
    crate::testing::with_snapshots(|| insta::assert_snapshot!("traffic_archive", archives.join("\n")));
}

#[test]
fn every_body_comes_back_as_it_was() {
    for (media_type, body) in [
        ("application/json", &br#"{"name": "Ren\u00e9e \u0001"}"#[..]),
        ("application/json", b""),
        ("application/json", b"{\"note\": \"***\"}"),
        ("application/json", "{\"note\": \"\u{fffd}\"}".as_bytes()),
        ("text/plain", b"not JSON ##vso[task.complete]"),
        ("application/octet-stream", &[0xff, 0xfe, 0, 1]),
    ] {
        let recorded = response(media_type, body);
        let text = archived(ValueDisplay::Shown, &[(request_line("GET", TAGS), Some(recorded))]);
        let (read, recorded) = exchange(&text);
        assert_eq!(recorded.response_body.as_deref(), Some(body), "{text}");
        assert_eq!(recorded.response_headers["content-type"], media_type);
        assert_eq!(read.url.as_str(), TAGS);
        assert_eq!(
            (read.started, read.elapsed),
            (request_line("GET", TAGS).started, request_line("GET", TAGS).elapsed)
        );
    }
    let mut unknown = response("application/json", "");
    unknown.response_body = None;
    let text = archived(ValueDisplay::Shown, &[(request_line("GET", TAGS), Some(unknown))]);
    assert_eq!(exchange(&text).1.response_body, None);
}

#[test]
fn a_shape_is_not_judged_as_a_body_and_an_unusual_media_type_not_as_another() {
    let contract = built_in();
    let mut create = response("application/json", r#"{"data": 7}"#);
    create.request_body = Some(r#"{"name": "regular"}"#.to_owned());
    let text = archived(ValueDisplay::Hidden, &[(request_line("POST", TAGS), Some(create))]);
    let (_, read) = exchange(&text);
    assert_eq!((read.request_body, read.response_body), (None, None));
    let unusual = response("application/x-ada", "{}");
    let text = archived(ValueDisplay::Hidden, &[(request_line("GET", TAGS), Some(unusual))]);
    assert!(!text.contains("x-ada"), "{text}");
    let judged = judged(&contract, &text);
    assert_eq!((judged.judged_count(), findings(&contract, &judged)), (1, Vec::new()));
}

#[test]
fn a_request_that_is_not_documented_is_not_made_one_by_hiding_its_values() {
    let contract = built_in();
    for (url, header) in [
        (format!("{TAGS}?fields=id"), ("accept", "*/*")),
        (TAGS.to_owned(), ("accept", "text/csv")),
        (TAGS.to_owned(), ("range", "bytes=0-9")),
        (format!("{TAGS}?page=0"), ("accept", "*/*")),
        (format!("{TAGS}?page=x"), ("accept", "*/*")),
    ] {
        let mut recorded = response("application/json", "{}");
        recorded.request_headers = headers(&[header]);
        for values in [ValueDisplay::Hidden, ValueDisplay::Shown] {
            let text = archived(values, &[(request_line("GET", &url), Some(clone(&recorded)))]);
            let judged = judged(&contract, &text);
            let expected = BTreeMap::from([(NotJudged::NotAsDocumented, 1)]);
            assert_eq!(judged.not_judged, expected, "{text}");
        }
    }
}

fn clone(recorded: &RecordedExchange) -> RecordedExchange {
    RecordedExchange {
        request_headers: recorded.request_headers.clone(),
        request_body: recorded.request_body.clone(),
        status: recorded.status,
        response_headers: recorded.response_headers.clone(),
        are_headers_known: recorded.are_headers_known,
        response_body: recorded.response_body.clone(),
        unread_body: recorded.unread_body,
    }
}

#[test]
fn two_clients_stay_two_and_one_stays_one() {
    let callers = [
        &[("authorization", "Bearer tk-one")][..],
        &[("authorization", "Bearer tk-two")],
        &[("authorization", "Basic tk-one")],
        &[("authorization", "Bearer tk-one"), ("x-tenant", "a")],
        &[("authorization", "Bearer tk-one"), ("x-tenant", "b")],
        &[("cookie", "session=tk-one")],
        &[("x-api-key", "tk-one")],
        &[("authorization", "Bearer ***")],
        &[],
    ];
    let identity = |headers: &HeaderMap| ClientIdentity::of(headers, (None, &request_line("GET", TAGS).url));
    let noise = [("user-agent", "a"), ("x-request-id", "7"), ("sec-fetch-site", "none")];
    let requests = callers
        .iter()
        .flat_map(|caller| [caller.to_vec(), [*caller, &noise].concat()]);
    let requests: Vec<_> = requests.map(|request| headers(&request)).collect();
    for values in [ValueDisplay::Hidden, ValueDisplay::Shown] {
        let exchanges: Vec<_> = requests
            .iter()
            .map(|headers| {
                let mut recorded = response("application/json", "{}");
                recorded.request_headers = headers.clone();
                (request_line("GET", TAGS), Some(recorded))
            })
            .collect();
        let (entries, _) = entries(&archived(values, &exchanges));
        let read: Vec<_> = entries
            .iter()
            .map(|entry| match entry {
                Entry::Exchange(_, recorded) => identity(&recorded.request_headers),
                other => panic!("{other:?}"),
            })
            .collect();
        let original: Vec<_> = requests.iter().map(identity).collect();
        for (one, other) in (0..read.len()).flat_map(|one| (0..read.len()).map(move |other| (one, other))) {
            let alike = original[one] == original[other];
            assert_eq!(
                read[one] == read[other],
                alike,
                "{:?} {:?}",
                requests[one],
                requests[other]
            );
            assert_eq!(read[one].is_known, original[one].is_known, "{:?}", requests[one]);
        }
    }
}

#[test]
fn what_calls_no_operation_is_seen_and_not_judged_and_nothing_of_it_is_kept() {
    let contract = built_in();
    let mut login = response("application/json", r#"{"token": "tk-of-somebody", "name": "Jane Roe"}"#);
    login.request_body = Some("user=jane.roe&password=hunter2".to_owned());
    login
        .response_headers
        .insert("set-cookie", HeaderValue::from_static("session=tk-of-somebody"));
    let url = "https://jane:hunter2@contacts.example.com/login/jane.roe?password=hunter2#jane";
    for values in [ValueDisplay::Hidden, ValueDisplay::Shown] {
        for recorded in [Some(clone(&login)), None] {
            let is_whole = recorded.is_some();
            let text = archived(values, &[(request_line("POST", url), recorded)]);
            for secret in [
                "jane", "Jane", "hunter2", "tk-of", "login", "session", "password", "json",
            ] {
                assert!(!text.contains(secret), "{secret}: {text}");
            }
            let why = if is_whole {
                NotJudged::NoOperation
            } else {
                NotJudged::Skipped(Skipped::Aborted)
            };
            let judged = judged(&contract, &text);
            assert_eq!(judged.not_judged, BTreeMap::from([(why, 1)]), "{text}");
            match &entries(&text).0[..] {
                [Entry::Exchange(request_line, _) | Entry::Write(_, request_line)] => {
                    assert!(request_line.is_write(), "{text}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
    let elsewhere = archived(
        ValueDisplay::Shown,
        &[(request_line("JANE", "https://id.example.com/a?b"), Some(login))],
    );
    let (request_line, _) = exchange(&elsewhere);
    assert_eq!((request_line.method.as_str(), request_line.is_write()), ("OTHER", true));
    assert_eq!(request_line.url.host_str(), Some("id.example.com"));
}

#[test]
fn the_path_of_no_operation_calls_none_even_where_a_contract_has_nothing_but_parameters() {
    let path = |path: &str| {
        let names = path
            .split('{')
            .skip(1)
            .filter_map(|piece| Some(piece.split_once('}')?.0));
        let parameters =
            names.map(|name| format!("{{name: {name}, in: path, required: true, schema: {{type: string}}}}"));
        format!(
            "  {path}:\n    parameters: [{}]\n    post: {{responses: {{'200': {{description: a}}}}}}\n",
            parameters.collect::<Vec<_>>().join(", ")
        )
    };
    let paths = ["/{a}", "/{a}/{b}", "/"].map(path).concat();
    let text = format!("openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n{paths}");
    let contract = Contract::read("pets.yaml", text).unwrap();
    let login = response("text/html", "Jane Roe");
    let text = archived_by(
        &contract,
        ValueDisplay::Shown,
        &[(request_line("POST", "https://contacts.example.com/a/b/c"), Some(login))],
    );
    let (request_line, _) = exchange(&text);
    let mut router = Router::new(&contract, None);
    assert!(router.call("POST", &request_line.url).is_err(), "{}", request_line.url);
    assert!(!text.contains("Jane"), "{text}");
}

#[test]
fn a_secret_in_the_path_or_the_query_is_hidden() {
    let parameter = |name: &str, location: &str| {
        format!("{{name: {name}, in: {location}, required: true, schema: {{type: string}}}}")
    };
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n  /resets/{{token}}:\n    get: {{operationId: getReset, \
         parameters: [{}], responses: {{'200': {{description: a}}}}}}\n  /pets:\n    get: {{operationId: getPets, \
         parameters: [{}, {}], responses: {{'200': {{description: a}}}}}}\n",
        parameter("token", "path"),
        parameter("kind", "query"),
        parameter("session", "query"),
    );
    let contract = Contract::read("pets.yaml", text).unwrap();
    let url = format!("{BASE}/pets?kind=a%20b&session=hunter2&api_key=hunter2#hunter2");
    let exchanges = [format!("{BASE}/resets/hunter2"), url].map(|url| {
        (
            request_line("GET", &url),
            Some(response("application/json", r#"{"of": "Jane Roe"}"#)),
        )
    });
    let text = archived_by(&contract, ValueDisplay::Shown, &exchanges);
    assert!(!text.contains("hunter2"), "{text}");
    let (entries, _) = entries(&text);
    let urls = entries.iter().map(|entry| match entry {
        Entry::Exchange(request_line, _) => request_line.url.as_str(),
        other => panic!("{other:?}"),
    });
    let expected = [
        "https://contacts.example.com/resets/%3Ctoken%20as%20the%20target%20lists%20it%3E",
        "https://contacts.example.com/pets?kind=a%20b&session=%3Ccredential%202%3E&api_key=%3Ccredential%202%3E",
    ];
    assert_eq!(urls.collect::<Vec<_>>(), expected);
}

#[test]
fn an_entry_that_is_too_large_to_be_read_is_written_as_shapes() {
    let mut recorded = response("application/json", "{}");
    let body = usize::try_from(MAX_ENTRY_BYTES).unwrap();
    // Without a credential nothing is searched for, which would take seconds.
    recorded.request_headers = HeaderMap::new();
    // Its characters take four bytes each, and each of them is looked at.
    recorded.request_body = Some(format!("{{\"name\": \"{}\"}}", "\u{1f4c7}".repeat(body / 4)));
    let text = archived(
        ValueDisplay::Shown,
        &[
            (request_line("POST", TAGS), Some(recorded)),
            (request_line("POST", TAGS), None),
        ],
    );
    assert!(text.len() < 10_000, "{}", text.len());
    assert_eq!(entries(&text).0.len(), 2);
}

#[cfg(feature = "service")]
mod of_a_check {
    use std::sync::LazyLock;

    use base64::Engine as _;

    use super::*;
    use crate::Check;
    use crate::service::Service;
    use crate::service::fault::{Faults, app};
    use crate::support::archive;
    use crate::support::leaks::Canary;
    use crate::support::leaks::encoding::WAYS;
    use crate::testing::tried;

    const CONTACTS: &str = "https://contacts.example.com/organization/v1/contact-database";

    /// Traffic of a check of the reference service without faults.
    static SOUND: LazyLock<String> = LazyLock::new(|| traffic(&[]));

    /// The contract with one edge case for each part of a request; with all of them where everything is tried. An
    /// archive treats them all alike.
    fn with_few_edge_cases() -> Contract {
        const FEW: &str = "overlay: 1.0.0
info: {title: Few edge cases, version: '1'}
actions:
  - {target: \"$['x-edge-cases']\", remove: true}
  - {target: $, update: {x-edge-cases: [parameter-zero, identifier-unknown, body-empty, text-control]}}
";
        match tried(0, 1) {
            0 => Contract::built_in_with_overlay("few.yaml", FEW.to_owned()).unwrap(),
            _ => Contract::built_in().unwrap(),
        }
    }

    /// Traffic of a check of the reference service with these faults.
    fn traffic(faults: &[&str]) -> String {
        let faults: Vec<_> = faults.iter().map(|fault| (*fault).to_owned()).collect();
        let service = Service::in_memory("test".to_owned().into()).unwrap();
        let check = Check::new(with_few_edge_cases())
            .service(app(service, &Faults::named(&faults).unwrap()))
            .token("test")
            .writes(true)
            .keep_recording(true);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let report = runtime.block_on(check.run()).unwrap();
        let exchanges = report.recording().unwrap().exchanges();
        archive::archive(exchanges.map(|(exchange, _)| exchange)).to_string()
    }

    #[test]
    fn a_whole_check_is_judged_the_same_from_an_archive_of_it() {
        let contract = built_in();
        let found = assert_judged_alike(&contract, "sound", &SOUND);
        assert_eq!(found, 0);
        let broken = [
            &[
                "getTags:body-not-utf8",
                "getContacts:body-html",
                "getVenues:body-empty",
                "getVisits:media-type-dropped",
            ][..],
            &["getContacts/data/items/each/firstname:dropped"],
        ];
        for faults in broken.into_iter().take(tried(1, 2)) {
            let found = assert_judged_alike(&contract, faults[0], &traffic(faults));
            assert!(found > 0, "{faults:?}");
        }
    }

    /// An exchange whose every part shows the canary's token or another of its secrets.
    fn telling(canary: &Canary, body: Vec<u8>) -> (RequestLine, Option<RecordedExchange>) {
        let (token, name) = (&canary.token, &canary.firstname);
        let mut recorded = response("application/json", body);
        recorded.request_body =
            Some(json!({"name": canary.lastname, "note": token, (token): [canary.street]}).to_string());
        let basic = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{token}"));
        recorded.request_headers = headers(&[
            ("authorization", &format!("Bearer {token}")),
            ("proxy-authorization", &format!("Basic {basic}")),
            ("cookie", &format!("theme=dark; session={token}")),
            ("x-api-key", token),
            ("accept", &format!("text/{token}, {name}")),
            ("content-type", &format!("application/json; boundary={token}")),
            ("prefer", token),
            ("x-tenant", &canary.email),
            ("user-agent", name),
            ("referer", &format!("{BASE}/{token}/{name}")),
            ("x-request-id", token),
        ]);
        for (name, value) in [
            ("set-cookie", token),
            ("location", &canary.id),
            ("server", name),
            ("vary", token),
            ("etag", &canary.id),
            ("cache-control", &canary.street),
            ("www-authenticate", &format!("Bearer realm={token}, {name}")),
        ] {
            recorded.response_headers.insert(name, value.parse().unwrap());
        }
        let query = format!("page={}&{token}={token}&{}={name}", canary.id, canary.email);
        (
            request_line("PUT", &format!("{CONTACTS}/{token}?{query}")),
            Some(recorded),
        )
    }

    #[test]
    fn no_value_comes_out_where_values_are_hidden_and_no_credential_where_they_are_shown() {
        let canary = Canary::fresh("archive");
        let person = json!({
            "id": canary.id, "firstname": canary.firstname, "lastname": [canary.lastname], "email": canary.email,
            (canary.firstname.as_str()): canary.phone, (canary.token.as_str()): {"street": canary.street},
        });
        let bodies = WAYS.iter().step_by(tried(3, 1)).flat_map(|(_, way)| {
            let written = way(&canary.token);
            let in_json = json!({"data": {"id": String::from_utf8_lossy(&written), "items": [person]}});
            [in_json.to_string().into_bytes(), written]
        });
        for body in bodies {
            let exchanges = || {
                let mut login = telling(&canary, body.clone());
                login.0.url = Url::parse(&format!("{BASE}/login/{}", canary.token)).unwrap();
                let mut unusual = telling(&canary, body.clone());
                let media_type = format!("application/{}", canary.firstname).parse().unwrap();
                let headers = &mut unusual.1.as_mut().unwrap().response_headers;
                headers.insert("content-type", media_type);
                let (request_line, _) = telling(&canary, Vec::new());
                [telling(&canary, body.clone()), login, unusual, (request_line, None)]
            };
            let hidden = archived(ValueDisplay::Hidden, &exchanges());
            canary.scanner().assert_clean("the archive", hidden.as_bytes());
            let shown = archived(ValueDisplay::Shown, &exchanges());
            canary.token_scanner().assert_clean("the archive", shown.as_bytes());
            assert!(
                shown.contains("<credential 1>") && hidden.contains("<credential 1>"),
                "{hidden}"
            );
        }
    }

    #[test]
    fn what_was_changed_to_hide_a_credential_is_not_judged() {
        let body = json!({"data": {"id": "tk-of-somebody"}}).to_string();
        let mut recorded = response("application/json", body.clone());
        recorded.request_body = Some(body);
        let text = archived(ValueDisplay::Shown, &[(request_line("POST", TAGS), Some(recorded))]);
        assert!(!text.contains("tk-of-somebody"), "{text}");
        let (_, read) = exchange(&text);
        assert_eq!((read.request_body, read.response_body), (None, None));
    }

    #[test]
    fn an_archive_follows_the_schema_of_its_format() {
        let validator = jsonschema::validator_for(&archive::schema()).unwrap();
        for values in [ValueDisplay::Hidden, ValueDisplay::Shown] {
            let text = again(&built_in(), &SOUND, values);
            let mut archive: Value = serde_json::from_str(&text).unwrap();
            // Entries are alike, and validating them is slow: only every fifth one is validated, unless everything is
            // tried.
            let entries = archive["log"]["entries"].as_array_mut().unwrap();
            *entries = std::mem::take(entries).into_iter().step_by(tried(5, 1)).collect();
            let errors: Vec<_> = validator.iter_errors(&archive).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }
}
