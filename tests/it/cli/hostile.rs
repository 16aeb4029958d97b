//! Answers that no HTTP library would send. Each costs bounded time and memory, is told for what it is, and leaves the
//! verdicts on every other operation as they were.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::stub::{Received, Stub, drip, flood, json, sound, stall};
use super::support::{Ended, check};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";

/// Checks a target whose tags are answered by `hostile`. The other lists must come out as if nothing had happened.
#[track_caller]
fn checked(hostile: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> (Ended, Value) {
    let target = Stub::hostile(hostile);
    let started = Instant::now();
    let (ended, report) = check(&target.url(), &["--timeout", "1"]).report();
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    for row in report["facts"]["rows"].as_array().unwrap() {
        let other = ["getContacts", "getVenues", "getVisits"].contains(&row["operation"].as_str().unwrap());
        assert!(!other || row["verdict"] != "broken", "{row}");
        let whole = row["fact"].as_str().unwrap().ends_with("answer: complete");
        assert!(!(other && whole) || row["verdict"] == "held", "{row}");
    }
    (ended, report)
}

/// Checks that the tags got no complete answer, for this reason.
#[track_caller]
fn unfinished(reason: &str, hostile: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static) {
    broken("unfinished-answer", reason, hostile);
}

/// Checks that the tags are told by one finding, of this rule and with these words.
#[track_caller]
fn broken(rule: &str, received: &str, hostile: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static) {
    let (ended, report) = checked(hostile);
    assert_eq!(ended.code, 1, "{ended:?}");
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{ended:?}");
    assert_eq!(
        (&findings[0]["rule"], &findings[0]["operation"]),
        (&rule.into(), &"getTags".into())
    );
    let told = findings[0]["received"].as_str().unwrap();
    assert!(told.contains(received), "{told}");
}

/// Checks that nothing was found, that the body is undecided for this reason, and all that it holds with it.
#[track_caller]
fn undecided(reason: &str, body: impl Into<Vec<u8>>) {
    let body = body.into();
    let (ended, report) = checked(move |stream| with_length(stream, &body));
    assert_eq!(ended.code, 0, "{ended:?}");
    let rows = report["facts"]["rows"].as_array().unwrap();
    let row = |fact| rows.iter().find(|row| row["fact"] == fact).unwrap();
    assert_eq!(row("getTags /data/total: integer")["verdict"], "undecided");
    let body = row("getTags body: JSON");
    assert_eq!(body["verdict"], "undecided");
    assert!(body["reason"].as_str().unwrap().contains(reason), "{body}");
}

fn with_length(stream: &mut TcpStream, body: &[u8]) -> io::Result<()> {
    write!(stream, "{HEAD}Content-Length: {}\r\n\r\n", body.len())?;
    stream.write_all(body)
}

fn gzipped(piece: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..times {
        encoder.write_all(piece).unwrap();
    }
    encoder.finish().unwrap()
}

#[test]
fn silence() {
    unfinished("no complete answer within 1 s", stall);
}

#[test]
fn a_slow_head() {
    unfinished("no complete answer within 1 s", |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ")?;
        drip(stream, b"a")
    });
}

#[test]
fn a_slow_body() {
    unfinished("no complete answer within 1 s", |stream| {
        write!(stream, "{HEAD}Content-Length: 1000000\r\n\r\n")?;
        drip(stream, b" ")
    });
}

#[test]
fn an_endless_body_in_chunks() {
    unfinished("larger than 8 MiB", |stream| {
        write!(stream, "{HEAD}Transfer-Encoding: chunked\r\n\r\n")?;
        flood(stream, format!("10000\r\n{}\r\n", " ".repeat(0x10000)).as_bytes())
    });
}

#[test]
fn an_endless_body_without_a_length() {
    unfinished("larger than 8 MiB", |stream| {
        write!(stream, "{HEAD}\r\n")?;
        flood(stream, &[b' '; 0x10000])
    });
}

#[test]
fn a_body_one_byte_too_large() {
    unfinished("larger than 8 MiB", |stream| {
        with_length(stream, &vec![b' '; (8 << 20) + 1])
    });
}

#[test]
fn a_compression_bomb() {
    let bomb = gzipped(&[b' '; 1 << 20], 256);
    assert!(bomb.len() < 1 << 20);
    unfinished("larger than 8 MiB", move |stream| {
        write!(
            stream,
            "{HEAD}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            bomb.len()
        )?;
        stream.write_all(&bomb)
    });
}

#[test]
fn a_body_that_is_not_in_its_content_coding() {
    unfinished("content coding", |stream| {
        write!(stream, "{HEAD}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{{}}")
    });
}

#[test]
fn a_compressed_body_that_is_cut() {
    let page = br#"{"data":{"per_page":10,"page":1,"total":0,"last_page":1,"items":[]}}"#;
    let whole = gzipped(page, 1);
    unfinished("", move |stream| {
        let half = &whole[..whole.len() / 2];
        write!(
            stream,
            "{HEAD}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            half.len()
        )?;
        stream.write_all(half)
    });
}

#[test]
fn endless_headers() {
    unfinished("head is too large", |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        flood(stream, b"X-Endless: and on and on\r\n")
    });
}

#[test]
fn one_endless_header() {
    unfinished("head is too large", |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nX-Endless: ")?;
        flood(stream, &[b'a'; 4096])
    });
}

#[test]
fn a_flood_of_interim_answers() {
    // Each is of some size: without optimisation, hyper takes seconds for one piece that holds nothing but small ones.
    let hints = format!("HTTP/1.1 103 Early Hints\r\nLink: <{}>\r\n\r\n", "a".repeat(8000));
    unfinished("no complete answer within 1 s", move |stream| {
        flood(stream, hints.as_bytes())
    });
}

#[test]
fn a_connection_that_closes_at_once() {
    unfinished("connection ended before", |_| Ok(()));
}

#[test]
fn a_connection_that_is_reset_in_the_body() {
    unfinished("connection ended before", |stream| {
        write!(stream, "{HEAD}Content-Length: 1000\r\n\r\n{{")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let _entered = runtime.enter();
        stream.set_nonblocking(true)?;
        tokio::net::TcpStream::from_std(stream.try_clone()?)?.set_zero_linger()
    });
}

#[test]
fn a_content_length_that_promises_too_much() {
    unfinished("connection ended before", |stream| {
        write!(stream, "{HEAD}Content-Length: 1000\r\n\r\n{{}}")
    });
}

#[test]
fn a_last_chunk_that_never_comes() {
    unfinished("connection ended before", |stream| {
        write!(stream, "{HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n")
    });
}

#[test]
fn a_chunk_whose_size_is_no_number() {
    unfinished("not HTTP/1.1", |stream| {
        write!(stream, "{HEAD}Transfer-Encoding: chunked\r\n\r\nlots\r\n{{}}\r\n")
    });
}

#[test]
fn two_lengths() {
    unfinished("not HTTP/1.1", |stream| {
        write!(stream, "{HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}")
    });
}

#[test]
fn what_is_not_http() {
    unfinished("not HTTP/1.1", |stream| stream.write_all(b"SSH-2.0-OpenSSH_9.7\r\n"));
    unfinished("not HTTP/1.1", |stream| stream.write_all(b"HTTP/1.1 20 Fine\r\n\r\n"));
    unfinished("not HTTP/1.1", |stream| {
        stream.write_all(b"\x16\x03\x01\x00\x05\r\n\r\n")
    });
}

#[test]
fn a_target_where_nothing_is_http() {
    let target = Stub::start(|_, stream| stream.write_all(b"SSH-2.0-OpenSSH_9.7\r\n"));
    let (ended, report) = check(&target.url(), &["--timeout", "1"]).report();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(report["requests"]["answered"], 0);
    assert_eq!(report["facts"]["held"], 0);
}

#[test]
fn invalid_utf_8() {
    broken("malformed-json", "no JSON from line 1, column 2", |stream| {
        with_length(stream, b"\"\xff\xfe\"")
    });
}

#[test]
fn deep_nesting() {
    undecided("128 levels", "[".repeat(1 << 20));
    undecided("128 levels", "{\"a\":".repeat(1 << 20));
}

#[test]
fn huge_numbers() {
    undecided("double's range", r#"{"data": {"total": 1e999}}"#);
    undecided(
        "double's range",
        format!(r#"{{"data": {{"total": {}}}}}"#, "9".repeat(1 << 20)),
    );
}

#[test]
fn a_page_count_that_would_take_for_ever() {
    let body =
        r#"{"data":{"per_page":1,"page":1,"total":9000000000000000000,"last_page":9000000000000000000,"items":[]}}"#;
    let target = Stub::hostile(|stream| with_length(stream, body.as_bytes()));
    let started = Instant::now();
    let (ended, _) = check(&target.url(), &["--timeout", "1"]).report();
    assert!(started.elapsed() < Duration::from_secs(15));
    assert!(target.received().len() < 1000);
    assert_eq!(ended.code, 1, "{ended:?}");
}

#[test]
fn a_redirect_is_an_answer_and_not_followed() {
    let elsewhere = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    for status in [
        "301 Moved Permanently",
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let head = format!(
            "HTTP/1.1 {status}\r\nLocation: {}/organization/v1/tags\r\n",
            elsewhere.url()
        );
        let answer = format!("{head}Content-Length: 0\r\nConnection: close\r\n\r\n");
        broken("status", &status[..3], move |stream| {
            stream.write_all(answer.as_bytes())
        });
    }
    assert_eq!(elsewhere.received().len(), 0);
}

#[test]
fn a_proxy_of_the_environment_sees_nothing() {
    let proxy = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let call = check(&target.url(), &[]);
    let call = call.env("http_proxy", &proxy.url()).env("HTTPS_PROXY", &proxy.url());
    let ended = call.env("ALL_PROXY", &proxy.url()).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(proxy.received().len(), 0);
}

#[test]
fn a_target_that_asks_for_hours_is_waited_for_seconds() {
    let target = Stub::hostile(|stream| {
        let answer = json("503 Service Unavailable", "{}").replacen("\r\n", "\r\nRetry-After: 7200\r\n", 1);
        stream.write_all(answer.as_bytes())
    });
    let started = Instant::now();
    let (ended, report) = check(&target.url(), &["--only", "getTags"]).report();
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
    assert_ne!(ended.code, 0, "{ended:?}");
    assert!(report["requests"]["throttled"].as_u64().unwrap() > 1);
}

#[test]
fn the_token_goes_into_authorization_and_nowhere_else() {
    use super::support::TOKEN;
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    check(&target.url(), &["--writes", "--settle", "0"]).run();
    let received = target.received();
    assert!(received.iter().any(Received::authorized));
    for request in received {
        assert!(!request.body.contains(TOKEN), "{request:?}");
        for line in request.head.lines().filter(|line| line.contains(TOKEN)) {
            let name = line.split(": ").next().unwrap();
            assert!(name.eq_ignore_ascii_case("authorization"), "{line}");
        }
    }
}
