//! Whatever request an operation receives, the service answers, does not fail, and quotes no part of it in a rejection.
//!
//! The operations, their examples and the links that fill these come from `openapi.yaml`. Requests are written byte by
//! byte, because no client sends most of them. The seed is fixed; `PROPTEST_RNG_SEED` and `PROPTEST_CASES`
//! change what is sent and how much.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::time::Duration;

use proptest::prelude::{BoxedStrategy, Just, Strategy, prop_oneof};
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use serde_json::{Map, Value, json};

use super::profile::with;
use super::support::{Running, TOKEN};
use crate::support::tried;

/// Stands in requests wherever a text can, and in no rejection.
const MARK: &str = "Zq7x";

/// An operation of the contract, with what a request of it needs to be accepted.
struct Operation {
    name: String,
    method: String,
    path: String,
    /// The identifier in the path.
    identifier: String,
    body: Option<Value>,
    links: Vec<Value>,
}

type Bytes = Vec<u8>;

/// A request as it is sent, which a failure shows as text.
#[derive(Clone)]
struct Request(Bytes);

impl std::fmt::Debug for Request {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_of_any_operation_is_answered_with_a_5xx_or_quoted() {
    let moved = [
        "unknown-request-fields=rejected",
        "update-semantics=replaces",
        "required-fields=least",
        "error-body=problem-details",
    ];
    for settings in [&moved[..0], &moved] {
        let settings: Vec<_> = settings.iter().map(|setting| (*setting).to_owned()).collect();
        try_all_out(with(&settings).await).await;
    }
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_over_postgres_is_answered_with_a_5xx_or_quoted() {
    if let Some(place) = super::stores::Place::postgres().await {
        try_all_out(Running::over(&place.url).await).await;
    }
}

async fn try_all_out(service: Running) {
    let address = service.address();
    let operations = operations(&service).await;
    assert_eq!(operations.len(), 9);
    let tried = tokio::task::spawn_blocking(move || operations.iter().for_each(|of| try_out(of, address)));
    tried.await.unwrap();
}

/// Sends many requests of an operation, and panics with the least of those that go wrong.
fn try_out(operation: &Operation, address: SocketAddr) {
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if config.rng_seed == RngSeed::Random {
        let most = u32::try_from(tried(60, 150)).unwrap();
        (config.cases, config.rng_seed) = (config.cases.min(most), RngSeed::Fixed(1));
    }
    let seen = Mutex::new([0; 6]);
    let sent = TestRunner::new(config).run(&requests(operation), |request| {
        let response = response(address, &request.0);
        let status = response.get(9..12).and_then(|digits| digits.parse::<usize>().ok());
        let Some(class @ 1..=4) = status.map(|status| status / 100) else {
            return Err(TestCaseError::fail(format!("{response:?}")));
        };
        if class == 4 && response.contains(MARK) {
            return Err(TestCaseError::fail(format!("quoted in {response}")));
        }
        seen.lock().unwrap()[class] += 1;
        Ok(())
    });
    if let Err(error) = sent {
        panic!("{}: {error}", operation.name);
    }
    // A generator that only makes nonsense would prove little.
    let seen = seen.into_inner().unwrap();
    assert!(seen[2] > 0 && seen[4] > 0, "{}: {seen:?}", operation.name);
}

/// Sends a request and returns the response, as far as it is text.
fn response(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // A service that has answered already may have closed the connection.
    let _ = stream.write_all(request);
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    String::from_utf8_lossy(&response).into_owned()
}

/// Reads the operations of the contract, and fills their examples along its links.
async fn operations(service: &Running) -> Vec<Operation> {
    let contract: Value = serde_yaml::from_str(include_str!("../../../openapi.yaml")).unwrap();
    let mut operations = Vec::new();
    for (path, methods) in contract["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let links = |response: &Value| response["links"].as_object().cloned().unwrap_or_default();
            operations.push(Operation {
                name: operation["operationId"].as_str().unwrap().to_owned(),
                method: method.to_uppercase(),
                path: path.clone(),
                identifier: String::new(),
                body: operation
                    .pointer("/requestBody/content/application~1json/example")
                    .cloned(),
                links: operation["responses"]
                    .as_object()
                    .unwrap()
                    .values()
                    .flat_map(links)
                    .map(|(_, link)| link)
                    .collect(),
            });
        }
    }
    // What lists show goes into creates, and what these response into the rest.
    operations.sort_by_key(|operation| operation.method != "GET");
    for index in 0..operations.len() {
        let operation = &operations[index];
        if operation.links.is_empty() || operation.path.contains('{') {
            continue;
        }
        let path = operation.path.strip_prefix("/organization/v1").unwrap();
        let response = match &operation.body {
            Some(body) => service.post(path, body).await,
            None => service.get(path).await,
        };
        assert!(response.status.is_success(), "{}: {}", operation.name, response.body);
        for link in operation.links.clone() {
            follow(&link, &response.body, &mut operations);
        }
    }
    operations
}

/// Puts what a link takes from a response into the request that it leads to.
fn follow(link: &Value, response: &Value, operations: &mut [Operation]) {
    let found = |expression: &Value| {
        let pointer = expression.as_str()?.strip_prefix("$response.body#")?;
        response.pointer(pointer).filter(|value| value.is_string()).cloned()
    };
    let named = |part: &str| link[part].as_object().cloned().unwrap_or_else(Map::new);
    let mut leads_to = operations.iter_mut().filter(|to| link["operationId"] == *to.name);
    let Some(to) = leads_to.next() else { return };
    if let Some(identifier) = named("parameters").values().find_map(found) {
        to.identifier = identifier.as_str().unwrap().to_owned();
    }
    for (field, expression) in named("requestBody") {
        let sent = to.body.as_mut().and_then(|body| body.get_mut(&field));
        if let (Some(sent @ Value::String(_)), Some(value)) = (sent, found(&expression)) {
            *sent = value;
        }
    }
}

fn requests(operation: &Operation) -> BoxedStrategy<Request> {
    let body = operation.body.clone().unwrap_or_else(|| json!({}));
    let is_read = operation.body.is_none();
    let body = if is_read {
        prop_oneof![8 => Just(Bytes::new()), 1 => odd_bodies()].boxed()
    } else {
        prop_oneof![8 => mutated(&body), 1 => Just(body.to_string().into_bytes()), 1 => odd_bodies()].boxed()
    };
    let parts = (method(&operation.method), target(operation), headers(), body);
    parts
        .prop_map(|(method, target, headers, body)| {
            let mut request = [method.as_bytes(), b" ", &target, b" HTTP/1.1\r\nHost: example.com\r\n"].concat();
            request.extend_from_slice(&headers);
            let end = format!("Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
            request.extend_from_slice(end.as_bytes());
            request.extend_from_slice(&body);
            Request(request)
        })
        .boxed()
}

fn method(documented: &str) -> BoxedStrategy<String> {
    let others = select(vec![
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO", "get",
    ]);
    prop_oneof![9 => Just(documented.to_owned()), 1 => others.prop_map(str::to_owned)].boxed()
}

fn target(operation: &Operation) -> BoxedStrategy<Bytes> {
    let long = MARK.repeat(2_000);
    let known = operation.identifier.clone();
    let odd = [
        known.to_uppercase(),
        known.replace('-', ""),
        format!("%7B{known}%7D"),
        format!("urn:uuid:{known}"),
        "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52".to_owned(),
        format!("{MARK}%00%FF%zz%"),
        format!("..%2F..%2F{MARK}"),
        String::new(),
        "//".to_owned(),
        long.clone(),
    ];
    let odd = odd.map(String::into_bytes).to_vec();
    let identifier = prop_oneof![6 => Just(known.into_bytes()), 2 => select(odd)];
    let queries = [
        "?",
        "?page=2",
        "?page=1",
        "?page=0",
        "?page=-1",
        "?page=1000000000000000000000000000000",
        "?page=",
        "?page",
        "?page=1&page=2",
        "?page=%31",
        "?page=%00",
        "?page=%FF%FE",
        "?page=+1",
        "?page=1.0",
        "?page=1e3",
        "?page=Zq7x",
        "?page[]=1",
        "?PAGE=0",
        "?page=9223372036854775808",
        "?page=1;page=2",
        "?&&&=&",
        "?Zq7x=%",
        "?page=0x10",
        "?page=%E2%91%A0",
        "?page='--",
    ];
    let mut queries: Vec<Bytes> = queries.iter().map(|query| query.as_bytes().to_vec()).collect();
    queries.push(format!("?page={long}").into_bytes());
    queries.push(b"?page=\xff".to_vec());
    let query = prop_oneof![3 => Just(Bytes::new()), 2 => select(queries)];
    let suffix = prop_oneof![20 => Just(&b""[..]), 1 => select(vec![&b"/"[..], b"%2F", b"%00", b"/..", b"\xff", b"%"])];
    let template = operation.path.clone();
    let path = (identifier, suffix, query).prop_map(move |(identifier, suffix, query)| {
        let (before, rest) = template.split_once('{').unwrap_or((&template, ""));
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        let identifier = if rest.is_empty() { Bytes::new() } else { identifier };
        [before.as_bytes(), &identifier, after.as_bytes(), suffix, &query].concat()
    });
    path.boxed()
}

fn headers() -> BoxedStrategy<Bytes> {
    let right = format!("Authorization: Bearer {TOKEN}\r\n").into_bytes();
    let credentials: Vec<Bytes> = vec![
        Bytes::new(),
        [&right[..], &right].concat(),
        b"Authorization: Bearer Zq7x\r\n".to_vec(),
        b"Authorization: Bearer \xff\xfe\r\n".to_vec(),
        b"Authorization: Basic Zq7x\r\n".to_vec(),
        b"Authorization:\r\n".to_vec(),
        format!("authorization: bEARER   {TOKEN}\r\n").into_bytes(),
    ];
    let json = &b"Content-Type: application/json\r\n"[..];
    let types = vec![
        &b""[..],
        b"Content-Type: application/json; charset=Zq7x\r\n",
        b"Content-Type: text/plain\r\n",
        b"Content-Type: \xff\r\n",
        b"Content-Type: application/json\r\nContent-Type: application/json\r\n",
        b"Content-Type: multipart/form-data\r\n",
    ];
    let many = "X-Odd: Zq7x\r\n".repeat(150).into_bytes();
    let long = format!("X-Long: {}\r\n", MARK.repeat(10_000)).into_bytes();
    let others = vec![
        b"Content-Encoding: gzip\r\n".to_vec(),
        b"Accept-Encoding: gzip;q=Zq7x, \xff, *;q=-1\r\n".to_vec(),
        b"Accept: Zq7x/*\r\n".to_vec(),
        b"Expect: Zq7x\r\n".to_vec(),
        b"Range: bytes=0-0\r\nIf-None-Match: *\r\n".to_vec(),
        b"Upgrade: h2c\r\nHTTP2-Settings: Zq7x\r\n".to_vec(),
        b"X-HTTP-Method-Override: DELETE\r\n".to_vec(),
        b"Host: Zq7x\r\n".to_vec(),
        many,
        long,
    ];
    let parts = (
        prop_oneof![12 => Just(right), 1 => select(credentials)],
        prop_oneof![12 => Just(json), 1 => select(types)],
        prop_oneof![9 => Just(Bytes::new()), 1 => select(others)],
    );
    parts
        .prop_map(|(credential, media_type, other)| [&credential, media_type, &other].concat())
        .boxed()
}

/// Bodies that are no changed example.
fn odd_bodies() -> BoxedStrategy<Bytes> {
    let deep = |open: &str, close: &str, depth| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let bodies: Vec<Bytes> = vec![
        Bytes::new(),
        b"Zq7x".to_vec(),
        b"{".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        b"\0".to_vec(),
        b"{}{}".to_vec(),
        b"{\"Zq7x\": 1, \"Zq7x\": 2}".to_vec(),
        b"{\"name\": \"\xff\"}".to_vec(),
        deep("[", "]", 100).into_bytes(),
        deep("{\"a\":[", "]}", 5_000).into_bytes(),
        format!("{{\"name\": \"{}\"}}", MARK.repeat(20_000)).into_bytes(),
    ];
    prop_oneof![1 => select(bodies), 1 => odd_values(), 1 => proptest::collection::vec(0_u8..=255, 0..64)].boxed()
}

/// Values sent where others are documented, as they are written.
fn odd_values() -> BoxedStrategy<Bytes> {
    let values = [
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "-0.0",
        "1e999",
        "1e-999",
        "99999999999999999999999999999999",
        "2147483648",
        "\"\"",
        "\" \"",
        "\"Zq7x\"",
        "\"\\u0000\"",
        "\"Zq7x\\u0000\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"\\x\"",
        "\"\u{202e}\u{1f600}e\u{301}\"",
        "\"2024-02-30T25:61:61Z\"",
        "\"2024-05-17T07:30:00.1234567+99:99\"",
        "\"9999-12-31T23:59:59-23:59\"",
        "\"0001-01-01T00:00:00+23:59\"",
        "\"2016-12-31T23:59:60Z\"",
        "\"0000-00-00\"",
        "\"#GGGGGG\"",
        "\"'; --\"",
        "\"00000000-0000-0000-0000-000000000000\"",
        "[]",
        "{}",
        "[null]",
        "[[]]",
        "{\"Zq7x\": \"Zq7x\"}",
        "{\"day\": 31, \"month\": 2, \"year\": 1990}",
        "[\"Zq7x\", \"Zq7x\"]",
        "Zq7x",
        "{\"type\": \"email\", \"type\": \"Zq7x\"}",
    ];
    let mut values: Vec<Bytes> = values.iter().map(|value| value.as_bytes().to_vec()).collect();
    values.push(format!("\"{}\"", "x".repeat(1_001)).into_bytes());
    values.push(format!("[{}0]", "0,".repeat(200)).into_bytes());
    values.push(format!("1{}", "0".repeat(400)).into_bytes());
    values.push(b"\"\x01\"".to_vec());
    select(values).boxed()
}

/// An example with some of its values dropped, exchanged, repeated or named twice.
fn mutated(example: &Value) -> BoxedStrategy<Bytes> {
    match example {
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(name, value)| member(name, value)).collect();
            let unknown = prop_oneof![12 => Just(Bytes::new()), 1 => Just(b"\"Zq7x\":\"Zq7x\"".to_vec())];
            (members, unknown)
                .prop_map(|(members, unknown)| {
                    let mut written: Vec<_> = members.into_iter().flatten().collect();
                    written.extend((!unknown.is_empty()).then_some(unknown));
                    [&b"{"[..], &written.join(&b","[..]), b"}"].concat()
                })
                .boxed()
        }
        Value::Array(elements) => {
            let element = elements.first().map_or_else(odd_values, mutated);
            proptest::collection::vec(element, 0..4)
                .prop_map(|elements| [&b"["[..], &elements.join(&b","[..]), b"]"].concat())
                .boxed()
        }
        value => Just(value.to_string().into_bytes()).boxed(),
    }
}

/// A member of an object as it is written: usually once, sometimes not at all, with another value or twice.
fn member(name: &str, value: &Value) -> BoxedStrategy<Vec<Bytes>> {
    let name = format!("{name:?}:").into_bytes();
    let written = move |value: Bytes| [&name[..], &value].concat();
    let again = written.clone();
    let odd = written.clone();
    prop_oneof![
        16 => mutated(value).prop_map(move |value| vec![written(value)]),
        2 => Just(Vec::new()),
        2 => odd_values().prop_map(move |value| vec![odd(value)]),
        1 => odd_values().prop_map(move |value| vec![again(value); 2]),
    ]
    .boxed()
}
