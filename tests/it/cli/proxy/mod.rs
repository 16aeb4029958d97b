//! `countersign proxy`: what passes is judged, and what passes is not changed.
#![cfg(unix)]

mod chaos;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;

use countersign::client::Client;
use countersign::service::{self, Profile, ProfileSetting, Service, StoreUrl};
use futures::TryStreamExt as _;
use serde_json::{Value, json};

use super::stub::Stub;
use super::support::{Call, Ended, Running, TOKEN, concerning, countersign};
use super::target::Target;
use crate::examples::built;
use crate::service::profile::combinations::profiles;
use crate::support::parallel::{each, runtime};
use crate::support::tried;

/// What a client sends in the tests that look at bytes.
const TAGS: &str = "/organization/v1/tags";

/// `countersign proxy` to the service at `url`, with the token in its environment for a command.
fn proxy(url: &str, arguments: &[&str]) -> Call {
    let fixed = ["proxy", "--to", url, "--listen", "127.0.0.1:0"];
    countersign(&[&fixed, arguments].concat())
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
}

/// The same, running a shell's line. `countersign` is the program itself.
fn proxy_with(url: &str, flags: &[&str], line: &str) -> Call {
    let line = line.replace("countersign", env!("CARGO_BIN_EXE_countersign"));
    proxy(url, &[flags, &["--", "sh", "-c", &line]].concat())
}

/// A shell's line that requests the tags.
fn request_tags() -> String {
    format!(r#"curl -sS -o tags.json -H "Authorization: Bearer $COUNTERSIGN_TOKEN" "$COUNTERSIGN_PROXY_URL{TAGS}""#)
}

/// A proxy that runs until a signal, and its address.
fn running(target: &str, flags: &[&str]) -> (Running, String) {
    let running = proxy(target, flags).start();
    let line = running.first_error_line();
    let address = line
        .strip_prefix("http://")
        .and_then(|line| line.split([' ', '/']).next());
    let address = address.expect("the first line begins with the URL").to_owned();
    (running, address)
}

/// Ends a proxy by Ctrl-C.
fn interrupted(running: Running) -> Ended {
    running.signal("INT");
    running.end()
}

/// Sends these bytes over a connection of its own, and returns all that comes back until the other side closes.
fn exchanged(address: &str, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    String::from_utf8_lossy(&received).into_owned()
}

#[test]
fn a_check_through_the_proxy_has_its_own_verdict_and_the_proxy_judges_what_it_shows() {
    let target = Target::sound();
    let line = "countersign check --seed 1 --base-url $COUNTERSIGN_PROXY_URL --writes --report json=check.json";
    let ended = proxy_with(
        &target.url(),
        &["--report", "terminal", "--report", "json=proxy.json"],
        line,
    )
    .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let (check, proxied) = (ended.json("check.json"), ended.json("proxy.json"));
    assert_eq!(check["facts"]["held"], check["facts"]["total"], "{ended:?}");
    assert_eq!(proxied["traffic"]["proxied"], check["requests"]["sent"]);
    let held = proxied["facts"]["held"].as_u64().unwrap();
    assert!(held > 460, "{ended:?}");
    assert_eq!(proxied["facts"]["broken"], 0);
    assert!(
        ended.stdout.contains(" exchanges through the proxy were judged; "),
        "{ended:?}"
    );
    assert!(
        !ended.stdout.contains("  requests "),
        "the proxy sends none of its own: {ended:?}"
    );
}

#[test]
fn a_finding_makes_the_run_fail_although_the_command_did_not() {
    let target = Target::changed("/tags", |page| page["data"]["items"][0]["id"] = json!(7));
    let ended = proxy_with(&target.url(), &[], &request_tags()).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("getTags"), "{ended:?}");
    assert!(ended.stdout.contains("wrong-type"), "{ended:?}");
    let passed: Value = serde_json::from_slice(&std::fs::read(ended.path().join("tags.json")).unwrap()).unwrap();
    assert_eq!(passed["data"]["items"][0]["id"], 7);
}

#[test]
fn the_greater_exit_code_counts() {
    let target = Target::sound();
    for (line, code, note) in [
        ("exit 0", 0, None),
        ("exit 7", 7, Some("the command ended with 7, which is the exit code")),
        (
            "kill -TERM $$",
            143,
            Some("the command was ended by signal 15, so the exit code is 143"),
        ),
    ] {
        let ended = proxy_with(&target.url(), &[], &format!("{}; {line}", request_tags())).run();
        assert_eq!(ended.code, code, "{line}: {ended:?}");
        let is_noted = ended.stderr.contains(note.unwrap_or("the command"));
        assert_eq!(is_noted, note.is_some(), "{line}: {ended:?}");
        assert!(
            ended.stdout.starts_with(&format!(
                "{} conforms in 1 of 9 operations; 8 were not selected\n",
                target.url()
            )),
            "{ended:?}"
        );
    }
}

#[test]
fn a_run_through_which_nothing_passed_is_not_green() {
    let target = Target::sound();
    let ended = proxy_with(&target.url(), &[], "true").run();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("could not be judged"), "{ended:?}");
    assert!(
        ended.stdout.contains("0 of 0 exchanges through the proxy were judged"),
        "{ended:?}"
    );
}

#[test]
fn a_command_that_cannot_be_run_and_a_missing_target_are_errors_of_usage() {
    let target = Target::sound();
    let ended = proxy(&target.url(), &["--", "./no-such-program"]).run();
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("failed to run `./no-such-program`"), "{ended:?}");
    let ended = countersign(&["proxy"]).run();
    assert_eq!(
        ended.is_one_error(2),
        "there is no service to forward requests to; give --to URL"
    );
    let ended = proxy(&target.url(), &["--writes"]).run();
    assert!(ended.is_one_error(2).starts_with("--writes does not apply to `proxy`"));
}

#[test]
fn ctrl_c_ends_the_proxy_with_its_reports() {
    let target = Target::sound();
    let (running, address) = running(&target.url(), &["--report", "terminal", "--report", "json=report.json"]);
    let response = exchanged(
        &address,
        &format!(
            "GET {TAGS} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\r\n"
        ),
    );
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    let ended = interrupted(running);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.json("report.json")["traffic"]["judged"], 1);
}

#[test]
fn it_says_where_it_listens_and_warns_beyond_this_machine() {
    let target = Target::sound();
    for (listen, warned) in [("127.0.0.1:0", false), ("[::1]:0", false), ("0.0.0.0:0", true)] {
        let call = countersign(&["proxy", "--to", &target.url(), "--listen", listen, "--", "true"]);
        let ended = call.env("PATH", "/usr/bin:/bin").run();
        let to = format!(" forwards requests to {} and judges them\n", target.url());
        assert!(ended.stderr.contains(&to), "{ended:?}");
        assert_eq!(ended.stderr.contains("other machines may reach"), warned, "{ended:?}");
    }
    let call = ["proxy", "--to", &target.url(), "--metrics", "0.0.0.0:0", "--", "true"];
    let ended = countersign(&call).env("PATH", "/usr/bin:/bin").run();
    assert!(
        ended.stderr.contains("warning: other machines may reach 0.0.0.0:"),
        "{ended:?}"
    );
    assert!(!ended.stderr.contains("and the service through it"), "{ended:?}");
}

#[test]
fn what_passes_is_not_changed() {
    let stub = Stub::start(|_, stream| {
        stream.write_all(
            b"HTTP/1.1 299 Very Own Reason\r\nX-MiXeD: 1\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Type: text/plain\r\n\
              Keep-Alive: timeout=5\r\nContent-Length: 5\r\nConnection: close\r\n\r\nh\xffllo",
        )
    });
    let (running, address) = running(&stub.url(), &[]);
    let sent = format!(
        "POST {TAGS}/%2e%2F?q=a+b%20c&empty=&page HTTP/1.1\r\nHost: {address}\r\nX-CaSe: 1\r\nAccept-Encoding: br, zstd\r\n\
         Connection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 4\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\nbody"
    );
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all(sent.as_bytes()).unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    let (head, body) = response.split_at(response.len() - 5);
    assert_eq!(body, b"h\xffllo");
    let head = String::from_utf8(head.to_vec()).unwrap();
    let mut lines: Vec<_> = head.trim_end().lines().collect();
    // What is about the connection to the client is the proxy's own.
    lines.retain(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    assert_eq!(
        lines,
        [
            "HTTP/1.1 299 Very Own Reason",
            "X-MiXeD: 1",
            "set-cookie: a=1",
            "Set-Cookie: b=2",
            "Content-Type: text/plain",
            "Content-Length: 5",
        ]
    );
    let received = &stub.received()[0];
    assert_eq!(received.body, "body");
    let target = stub.url();
    let host = format!("Host: {}", target.trim_start_matches("http://"));
    let line = format!("POST {TAGS}/%2e%2F?q=a+b%20c&empty=&page HTTP/1.1");
    let lines: Vec<_> = received.head.trim_end().lines().collect();
    assert_eq!(
        lines,
        [
            line.as_str(),
            &host,
            "X-CaSe: 1",
            "Accept-Encoding: br, zstd",
            "Content-Length: 4",
            "X-Twice: 1",
            "X-Twice: 2",
        ]
    );
    interrupted(running);
}

#[test]
fn a_head_of_many_lines_passes_both_ways() {
    const LINES: usize = 300;
    let many = |name: &str| {
        (0..LINES)
            .map(|number| format!("{name}-{number}: 1\r\n"))
            .collect::<String>()
    };
    let (asked, answered) = (many("X-Asked"), many("X-Answered"));
    let head = format!("HTTP/1.1 200 OK\r\n{answered}Content-Length: 0\r\n\r\n");
    let stub = Stub::start(move |_, stream| stream.write_all(head.as_bytes()));
    let (running, address) = running(&stub.url(), &[]);
    let request = format!("GET {TAGS} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{asked}\r\n");
    let response = exchanged(&address, &request);
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert_eq!(response.matches("X-Answered-").count(), LINES);
    assert_eq!(stub.received()[0].head.matches("X-Asked-").count(), LINES);
    interrupted(running);
}

/// The lines of the head that a target receives after the proxy was sent this head without its end.
fn passed_on(head: &str) -> Vec<String> {
    let stub = Stub::start(|_, stream| stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    let (running, address) = running(&stub.url(), &[]);
    let response = exchanged(&address, &format!("{head}\r\nHost: a\r\n\r\n"));
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    interrupted(running);
    let host = |line: &&str| !line.to_ascii_lowercase().starts_with("host:");
    let received = &stub.received()[0].head;
    received.trim_end().lines().filter(host).map(str::to_owned).collect()
}

#[test]
fn what_asks_about_the_server_as_a_whole_stays_so() {
    let lines = passed_on("OPTIONS * HTTP/1.1\r\nConnection: close");
    assert_eq!(lines, ["OPTIONS * HTTP/1.1"]);
}

#[test]
fn a_client_that_takes_trailers_does_so_on_the_connection_to_the_target_too() {
    let lines = passed_on("GET / HTTP/1.1\r\nConnection: TE, close\r\nTE: trailers, deflate");
    assert_eq!(lines, ["GET / HTTP/1.1", "TE: trailers", "Connection: TE"]);
    let lines = passed_on("GET / HTTP/1.1\r\nConnection: TE, close\r\nTE: deflate");
    assert_eq!(lines, ["GET / HTTP/1.1"]);
}

#[test]
fn a_target_that_does_not_answer_is_reported_to_the_client_and_not_judged() {
    // Nobody listens at this address, and the port is taken at the one that every other test uses.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = format!("127.0.0.2:{}", taken.local_addr().unwrap().port());
    let (running, address) = running(&format!("http://{gone}"), &["--metrics", "127.0.0.1:0"]);
    let metrics = running.first_error_line();
    let metrics = metrics.trim_end().strip_prefix("metrics are at http://").unwrap();
    let (metrics, _) = metrics.split_once('/').unwrap();
    let response = exchanged(&address, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert!(response.starts_with("HTTP/1.1 502 Bad Gateway\r\n"), "{response}");
    assert!(
        response.ends_with(&format!(
            "countersign proxy: no response from http://{gone}: the connection could not be opened: connection refused\n"
        )),
        "{response}"
    );
    let scraped = exchanged(metrics, "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    for line in [
        "countersign_exchanges_total 1\n",
        "countersign_judged_total 0\n",
        "countersign_not_judged_total{reason=\"have no complete response\"} 1\n",
        "countersign_bad_gateway_total 1\n",
        "countersign_facts{verdict=\"held\"} 0\n",
    ] {
        assert!(scraped.contains(line), "{line} in {scraped}");
    }
    let ended = interrupted(running);
    assert_eq!(ended.code, 3, "{ended:?}");
}

#[test]
fn it_is_no_proxy_to_other_hosts() {
    let stub = Stub::start(|_, stream| stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    let (running, address) = running(&stub.url(), &[]);
    for line in ["GET http://other.example.com/tags", "CONNECT other.example.com:443"] {
        let request = format!("{line} HTTP/1.1\r\nHost: other.example.com\r\nConnection: close\r\n\r\n");
        let response = exchanged(&address, &request);
        assert!(
            response.starts_with("HTTP/1.1 421 Misdirected Request\r\n"),
            "{response}"
        );
        assert!(response.contains("set your client's base URL to it"), "{response}");
    }
    interrupted(running);
    assert_eq!(stub.received().len(), 0);
}

#[test]
fn another_protocol_passes_both_ways_and_is_not_judged() {
    let stub = Stub::start(|_, stream| {
        stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")?;
        let mut word = [0; 4];
        stream.read_exact(&mut word)?;
        stream.write_all(&word)
    });
    let (running, address) = running(&stub.url(), &[]);
    let mut stream = TcpStream::connect(&address).unwrap();
    stream
        .write_all(b"GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
        .unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    assert!(head.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&head));
    stream.write_all(b"ping").unwrap();
    let mut echoed = Vec::new();
    stream.read_to_end(&mut echoed).unwrap();
    assert_eq!(echoed, b"ping");
    let ended = interrupted(running);
    assert!(ended.stdout.contains("1 are not HTTP requests"), "{ended:?}");
}

#[test]
fn what_passed_is_recorded_and_judged_again_with_the_same_verdicts() {
    let target = Target::sound();
    let line = "countersign check --seed 1 --base-url $COUNTERSIGN_PROXY_URL --writes --quiet ";
    let line = line.to_owned() + &concerning("createContactMethod").join(" ");
    let flags = ["--record", "passed.har", "--show-values", "--report", "json=live.json"];
    let live = proxy_with(&target.url(), &flags, &line).run();
    assert_eq!(live.code, 0, "{live:?}");
    let archive = std::fs::read_to_string(live.path().join("passed.har")).unwrap();
    let again = countersign(&["judge", "passed.har", "--report", "json=again.json"])
        .file("passed.har", archive)
        .run();
    assert_eq!(again.code, 0, "{again:?}");
    let verdicts = |report: &Value| {
        let rows = report["facts"]["rows"].as_array().unwrap();
        rows.iter()
            .map(|row| (row["fact"].clone(), row["verdict"].clone()))
            .collect::<Vec<_>>()
    };
    let (live, again) = (live.json("live.json"), again.json("again.json"));
    assert_eq!(verdicts(&live), verdicts(&again));
    assert_eq!(live["traffic"]["judged"], again["traffic"]["judged"]);
    assert_eq!(live["traffic"]["proxied"], again["traffic"]["files"][0]["entries"]);
}

#[test]
fn a_recording_has_shapes_unless_values_are_asked_for_and_a_finding_names_its_entry() {
    let create = r#"curl -sS -H "Authorization: Bearer $COUNTERSIGN_TOKEN" -H "Content-Type: application/json" -d '{"name":"canary-77"}' "$COUNTERSIGN_PROXY_URL/organization/v1/tags" -o created.json"#;
    for (flags, shown) in [
        (&["--record", "a.har"][..], false),
        (&["--record", "a.har", "--show-values"][..], true),
    ] {
        let target = Target::changed("/tags", |page| page["data"]["name"] = json!(7));
        let ended = proxy_with(&target.url(), flags, create).run();
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stdout.contains("= recorded: entry 1 of a.har\n"), "{ended:?}");
        let archive = std::fs::read_to_string(ended.path().join("a.har")).unwrap();
        let mode = std::fs::metadata(ended.path().join("a.har"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(archive.contains("canary-77"), shown, "{archive}");
        assert!(!ended.stdout.contains("canary-77"), "{ended:?}");
    }
}

#[test]
fn a_recording_shows_neither_name_nor_value_of_an_undocumented_parameter() {
    let target = Target::sound();
    // A token is in the address by itself, and in parameters of usual and of other names.
    let list = r#"curl -sS -H "Authorization: Bearer $COUNTERSIGN_TOKEN" "$COUNTERSIGN_PROXY_URL/organization/v1/tags?page=1&eyJ.canary-88&via=canary-99&token-canary-77&sid=canary-66" -o tags.json"#;
    let ended = proxy_with(&target.url(), &["--record", "a.har", "--show-values"], list).run();
    let archive = std::fs::read_to_string(ended.path().join("a.har")).unwrap();
    assert!(archive.contains("tags?page=1&%3Cnot"), "{archive}");
    assert!(archive.contains("&sid=%3Ccredential"), "{archive}");
    for hidden in ["canary-", "via", "token-"] {
        assert!(!archive.contains(hidden), "{hidden}: {archive}");
    }
}

#[test]
fn a_recording_takes_the_place_of_no_other_file() {
    let target = Target::sound();
    let same = ["--record", "a.har", "--report", "har=a.har", "--", "true"];
    let ended = proxy(&target.url(), &same).run();
    assert_eq!(
        ended.is_one_error(2),
        "a report goes to `a.har`, which is the recording `a.har`; name another file for it"
    );
    let ended = proxy(&target.url(), &["--record", "no/such/folder.har", "--", "true"]).run();
    assert_eq!(ended.code, 4, "{ended:?}");
    let ended = proxy(&target.url(), &["--show-values", "--", "true"]).run();
    assert_eq!(ended.code, 2, "{ended:?}");
}

#[test]
fn a_body_that_cannot_be_read_is_not_judged_and_not_green() {
    let stub = Stub::start(|_, stream| {
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\
              Connection: close\r\n\r\nbrrr",
        )
    });
    let ended = proxy_with(&stub.url(), &[], &request_tags()).run();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(
        ended
            .stdout
            .contains("0 of 1 exchange through the proxy were judged; 1 have a response in a content coding"),
        "{ended:?}"
    );
    assert_eq!(std::fs::read(ended.path().join("tags.json")).unwrap(), b"brrr");
}

#[test]
fn status_and_media_type_are_judged_where_the_body_cannot_be_read() {
    for (head, finding) in [
        (
            "202 Accepted\r\nContent-Type: application/json\r\nContent-Encoding: br",
            None,
        ),
        (
            "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: br",
            Some("error[media-type]"),
        ),
        // A plain body with the label of another coding.
        (
            "200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip",
            Some("the body cannot be decoded from its content coding"),
        ),
        (
            "500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Encoding: gzip",
            Some("error[server-error]"),
        ),
        // No body of a 4xx is a finding.
        (
            "403 Forbidden\r\nContent-Type: application/json\r\nContent-Encoding: gzip",
            None,
        ),
        (
            "403 Forbidden\r\nContent-Type: application/json\r\nContent-Encoding: br",
            None,
        ),
    ] {
        let stub = Stub::start(move |_, stream| {
            write!(
                stream,
                "HTTP/1.1 {head}\r\nContent-Length: 4\r\nConnection: close\r\n\r\n[{{}}]"
            )
        });
        let ended = proxy_with(&stub.url(), &[], &request_tags()).run();
        match finding {
            Some(finding) => assert!(ended.stdout.contains(finding), "{head}: {ended:?}"),
            None => {
                assert_eq!(ended.code, 3, "{head}: {ended:?}");
                let judged = "0 of 1 exchange through the proxy were judged";
                assert!(ended.stdout.contains(judged), "{head}: {ended:?}");
            }
        }
    }
}

#[test]
fn a_response_that_ends_with_a_trailer_section_is_judged() {
    let stub = Stub::start(|_, stream| {
        let body = r#"{"data": {"items": []}}"#;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\
                    Connection: close\r\n";
        write!(stream, "{head}\r\n{:x}\r\n{body}\r\n0\r\nX-Sum: 1\r\n\r\n", body.len())
    });
    let ended = proxy_with(&stub.url(), &[], &request_tags()).run();
    let judged = "1 of 1 exchange through the proxy was judged";
    assert!(ended.stdout.contains(judged), "{ended:?}");
}

#[test]
fn a_body_in_chunks_reaches_the_target_with_any_method_and_comes_back_by_its_chunks() {
    let (sender, bodies) = std::sync::mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let stub = Stub::start(move |_, stream| {
        let mut body = Vec::new();
        while !body.ends_with(b"0\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            body.push(byte[0]);
        }
        sender.lock().unwrap().send(body).unwrap();
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
              3\r\nabc\r\n0\r\n\r\n",
        )
    });
    let (running, address) = running(&stub.url(), &[]);
    let request =
        "GET /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
    let response = exchanged(&address, request);
    assert!(response.ends_with("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), "{response}");
    assert!(!response.contains("Content-Length"), "{response}");
    assert_eq!(bodies.recv().unwrap(), b"4\r\nbody\r\n0\r\n\r\n");
    interrupted(running);
}

#[test]
fn a_signal_to_the_proxy_ends_its_command_and_the_reports_are_written() {
    let target = Target::sound();
    let line = format!("{}; echo started >&2; exec sleep 600", request_tags());
    let running = proxy_with(&target.url(), &["--report", "json=report.json"], &line).start();
    running.first_error_line();
    assert_eq!(running.first_error_line(), "started\n");
    running.signal("TERM");
    let ended = running.end();
    assert_eq!(ended.code, 143, "{ended:?}");
    assert_eq!(ended.json("report.json")["traffic"]["judged"], 1);
}

#[test]
fn the_proxy_is_not_its_own_target() {
    // No other test uses this address, so nobody takes the port in between.
    let free = std::net::TcpListener::bind("127.0.0.3:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let ended = countersign(&[
        "proxy",
        "--to",
        &format!("http://{free}"),
        "--listen",
        &free.to_string(),
    ])
    .run();
    assert!(ended.is_one_error(2).starts_with("--to http://127.0.0.3:"), "{ended:?}");
}

/// How many drawn profiles are tried, and how many in the gate.
const DRAWN: (usize, usize) = (2, 200);

#[test]
fn no_profile_that_is_drawn_is_accused_through_the_proxy() {
    let accused = each(
        profiles(1, tried(DRAWN.0, DRAWN.1)),
        runtime,
        |runtime, mut settings| {
            // Each would only take time.
            settings.retain(|setting| !setting.starts_with("latency=") && !setting.starts_with("rate-limit="));
            let parsed: Vec<_> = settings
                .iter()
                .map(|setting| ProfileSetting::parse(setting).unwrap())
                .collect();
            let opened = Service::open(
                &StoreUrl::Memory,
                TOKEN.to_owned().into(),
                Profile::of(&parsed).unwrap(),
            );
            let target = Target::serve(service::app(runtime.block_on(opened).unwrap()));
            // What the check itself says is not asked here.
            let line =
                "countersign check --seed 1 --base-url $COUNTERSIGN_PROXY_URL --writes --quiet --settle 0 || true";
            let ended = proxy_with(&target.url(), &["--report", "json=report.json"], line).run();
            let held = ended.json("report.json")["facts"]["held"].as_u64().unwrap();
            (ended.code != 0 || held < 100).then(|| format!("{settings:?}: {held} held: {ended:?}"))
        },
    );
    let accused: Vec<_> = accused.into_iter().flatten().collect();
    assert!(accused.is_empty(), "{accused:#?}");
}

#[test]
fn what_clients_of_others_send_is_decided_as_a_check_decides_it() {
    let target = Target::serve(runtime().block_on(async {
        let service = Service::in_memory(TOKEN.to_owned().into()).unwrap();
        service.grow_contacts(120, |_| {}).await.unwrap();
        service::app(service)
    }));
    let (contact, venue) = runtime().block_on(async {
        let client = Client::new(&target.url(), TOKEN.parse().unwrap()).unwrap();
        let contacts: Vec<_> = client.contacts().try_collect().await.unwrap();
        let venues: Vec<_> = client.venues().try_collect().await.unwrap();
        (contacts[0].id.clone().unwrap(), venues[0].name.clone().unwrap())
    });
    let [list, import, visit] =
        ["list_contacts", "import_contacts", "record_visit"].map(|name| built(name).display().to_string());
    let line = format!(
        "'{list}' $COUNTERSIGN_PROXY_URL > /dev/null && '{import}' $COUNTERSIGN_PROXY_URL contacts.csv contacts.resume && \
         '{visit}' $COUNTERSIGN_PROXY_URL '{contact}' '{venue}' 2024-05-17T09:30:00+02:00"
    );
    let ended = proxy_with(&target.url(), &["--report", "json=report.json"], &line)
        .file(
            "contacts.csv",
            "firstname,lastname,contact_type,contact\nAda,Sample,email,ada@example.com\n",
        )
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let report = ended.json("report.json");
    let called = report["operations"].as_array().unwrap().iter();
    let called: Vec<_> = called.filter(|operation| operation["coverage"] == "checked").collect();
    assert_eq!(
        (report["facts"]["broken"].as_u64(), called.len()),
        (Some(0), 4),
        "{report:#}"
    );
    // What a direct check decides of these operations, it decides likewise: all of it is held.
    assert!(
        report["facts"]["held"].as_u64().unwrap() > 150,
        "{}",
        report["facts"]["held"]
    );
    ended.shows_nowhere(&contact);
}
