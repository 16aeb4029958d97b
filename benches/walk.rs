//! Walks over long lists: the memory that a run takes above its start, and the time for each page, for ten thousand, a
//! hundred thousand and a million contacts. Memory must stay flat and time linear in the pages.
//!
//! The target makes its pages as they are asked for, in this process, so that it adds little. The peak of the process
//! only grows, so the short lists come first.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its figures"
)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use countersign::contract::fact::FactId;
use countersign::rules::Verdict;
use countersign::{Check, Contract};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const TOKEN: &str = "benchmark-token";
const LIST: &str = "getContacts";

fn main() {
    // `cargo test --benches` runs this too; there is nothing to measure in a debug build.
    if cfg!(debug_assertions) {
        return;
    }
    let contract = Arc::new(Contract::built_in().expect("the contract"));
    println!(
        "{:>10} {:>9} {:>9} {:>10} {:>16} {:>14}",
        "contacts", "per page", "pages", "wall", "processor a page", "above start"
    );
    for (contacts, per_page) in [(10_000, 100), (100_000, 100), (1_000_000, 100), (1_000_000, 10)] {
        let pages = contacts / per_page;
        let before = processor();
        let (wall, above) = walk(&contract, contacts, per_page);
        let busy = processor().saturating_sub(before);
        println!(
            "{contacts:>10} {per_page:>9} {pages:>9} {:>8.2} s {:>13.1} µs {:>10.1} MiB",
            wall.as_secs_f64(),
            busy.as_secs_f64() * 1e6 / pages as f64,
            above as f64 / 1024.0
        );
    }
}

/// Checks the list of contacts, and hands back how long it took and how much the peak lies above the start, in KiB.
fn walk(contract: &Arc<Contract>, contacts: u64, per_page: u64) -> (Duration, u64) {
    let start = memory("VmRSS:");
    let server = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let listener = server.block_on(TcpListener::bind(("127.0.0.1", 0))).expect("a port");
    let address = listener.local_addr().expect("an address");
    server.spawn(serve(listener, contacts, per_page));
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(check(contract, &format!("http://{address}"), contacts / per_page));
    let wall = started.elapsed();
    server.shutdown_background();
    (wall, memory("VmHWM:").saturating_sub(start))
}

async fn check(contract: &Arc<Contract>, url: &str, pages: u64) {
    let check = Check::new(Arc::clone(contract)).url(url).token(TOKEN).only(LIST);
    let report = check.seed(1).settle(Duration::ZERO).max_pages(pages).run().await;
    let run = report.expect("a check").into_run();
    assert!(run.verdicts.findings().is_empty(), "{:?}", run.verdicts.findings());
    let total = format!("{LIST} pages /data/total: equals the number of items on all pages");
    let total = contract
        .facts
        .iter()
        .position(|fact| fact.name == total)
        .expect("the fact");
    assert_eq!(
        run.verdicts.of(contract, FactId(total)),
        Verdict::Held,
        "the walk was not complete"
    );
}

/// Memory of this process in KiB, by Linux's own account; 0 elsewhere.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

/// The processor time of this process, the target's included, by Linux's own account; zero elsewhere. It says more than
/// the wall clock where others use the machine.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in brackets, may hold spaces; user and system time are the 12th and 13th fields after it, in
    // hundredths.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

async fn serve(listener: TcpListener, contacts: u64, per_page: u64) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(response(stream, contacts, per_page));
    }
}

/// Answers each request of a connection with its page.
async fn response(mut stream: TcpStream, contacts: u64, per_page: u64) {
    let mut head = Vec::new();
    loop {
        while !head.ends_with(b"\r\n\r\n") {
            if stream.read_buf(&mut head).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let request = String::from_utf8_lossy(&head).into_owned();
        head.clear();
        // A scheme is the same in each case (RFC 9110, section 11.1), and the check asks for that.
        let (bearer, bearer_in_small) = (format!("Bearer {TOKEN}\r\n"), format!("bearer {TOKEN}\r\n"));
        let authorized = request.contains(&bearer) || request.contains(&bearer_in_small);
        let asked = request.split(['?', ' ']).find_map(|word| word.strip_prefix("page="));
        let page = asked.and_then(|page| page.parse().ok()).unwrap_or(1);
        let (status, body) = if authorized {
            ("200 OK", body(page, contacts, per_page))
        } else {
            ("401 Unauthorized\r\nWWW-Authenticate: Bearer", "{}".to_owned())
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
        if stream.write_all((head + &body).as_bytes()).await.is_err() {
            return;
        }
    }
}

fn body(page: u64, contacts: u64, per_page: u64) -> String {
    let last = contacts.div_ceil(per_page);
    let mut body =
        format!(r#"{{"data":{{"per_page":{per_page},"page":{page},"total":{contacts},"last_page":{last},"items":["#);
    let first = page.saturating_sub(1).saturating_mul(per_page);
    for number in first..first.saturating_add(per_page).min(contacts) {
        if number > first {
            body.push(',');
        }
        contact(&mut body, number);
    }
    body + "]}}"
}

fn contact(body: &mut String, number: u64) {
    let visit = r#"[{"datetime":"2024-05-17T07:30:00Z","venue":[{"id":"v","name":"Old Mill"}]}]"#;
    // Writing into a String does not fail.
    let _ = write!(
        body,
        r#"{{"id":"00000000-0000-4000-8000-{number:012}","firstname":"Ada","lastname":"Example",
"full_name":"Ada Example","gender":"female","dob":"1990-02-28","date_of_birth":{{"day":28,"month":2,"year":1990}},
"age":34,"email":"ada.{number}@example.com","phone":"+44 7700 900123","contact_methods":[{{
"id":"00000000-0000-4000-9000-{number:012}","type":"email","contact":"ada.{number}@example.com","status":"active",
"created_at":"2024-05-17T07:30:00Z"}}],"nationality":"GB","country_of_residence":"IT","tags":{{"id":"t","name":"regular"}},
"custom_fields":{{}},"status":"active","first_visit":{visit},"first_visited_at":"2024-05-17T07:30:00Z",
"first_visited_venue":"Old Mill","last_visit":{visit},"last_visited_at":"2024-05-17T07:30:00Z",
"last_visited_venue":"Old Mill","excluded_channels":[],"created_at":"2024-05-17T07:30:00Z",
"updated_at":"2024-05-17T07:30:00Z"}}"#
    );
}
