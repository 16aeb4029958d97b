//! How fast the stores are: `cargo bench --bench stores`, or with names of parts behind `--`: `pages`, `creates`,
//! `start`, `depth`.
//!
//! Every figure compares two things in one run, or stands beside what the machine itself can do, since machines differ.
//! The load comes from the same machine and takes its share of it. PostgreSQL is measured where there is one:
//! `bash .ci/with-postgres cargo bench --features postgres --bench stores -- depth`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops where it stands, and prints"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark is told by its caller what to measure"
)]

mod load;
mod program;

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use countersign::service::{self, Profile, Service, StoreUrl};
use load::{Connection, drive, request};
use program::Program;

const CONTACTS: &str = "/organization/v1/contact-database";
const ROUND: Duration = Duration::from_secs(1);
const ROUNDS: usize = 7;
/// How many pages are more than the service remembers.
const SEVERAL: u32 = 1_000;
/// How many contacts the deep list has, on pages of ten.
const MANY: u32 = 1_000_000;

#[tokio::main]
async fn main() {
    // Cargo adds `--bench`.
    let named: Vec<String> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|wanted| wanted == name);
    let folder = tempfile::tempdir().unwrap();
    if wanted("pages") {
        pages(folder.path()).await;
    }
    if wanted("creates") {
        creates(folder.path()).await;
    }
    if wanted("start") {
        start(folder.path()).await;
    }
    if wanted("depth") {
        depth("SQLite", &format!("sqlite:{}", folder.path().join("deep.db").display())).await;
        if let Ok(server) = std::env::var("COUNTERSIGN_TEST_POSTGRES") {
            depth("PostgreSQL", &server).await;
        }
    }
}

/// Pages of contacts from a file, against a handler that answers the bytes of one from memory: the same page again and
/// again, and pages of which none was asked for lately.
async fn pages(folder: &Path) {
    let store = StoreUrl::File(folder.join("pages.db"));
    let service = Service::open(&store, program::TOKEN.to_owned().into(), Profile::default());
    let service = service.await.unwrap();
    service.grow_contacts(10 * SEVERAL, |_| ()).await.unwrap();
    let stored = serve(service::app(service)).await;
    let one = [request("GET", CONTACTS, "")];
    let several: Vec<_> = (1..=SEVERAL).map(page).collect();
    let body = Connection::open(&stored).await.exchange(&one[0]).await.body;
    let bytes = bytes::Bytes::from(body);
    let size = bytes.len();
    let bare = get(move || std::future::ready(([(CONTENT_TYPE, "application/json")], bytes)));
    let bare = serve(Router::new().route(CONTACTS, bare)).await;

    let (mut again, mut afresh) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let of_bare = drive(&bare, 32, ROUND, &one).await;
        again.push(drive(&stored, 32, ROUND, &one).await / of_bare);
        let of_bare = drive(&bare, 32, ROUND, &several).await;
        afresh.push(drive(&stored, 32, ROUND, &several).await / of_bare);
    }
    println!(
        "pages from SQLite, by the rate of {size} bytes from memory: {:.2} for one page, {:.2} for {SEVERAL} in turn",
        median(&mut again),
        median(&mut afresh)
    );
}

/// Creates on a file, each durable before it is answered, against what the disk syncs by itself.
async fn creates(folder: &Path) {
    let syncs = syncs_per_second(&folder.join("syncs"));
    let program = Program::serve(&format!("sqlite:{}", folder.join("creates.db").display()), &[]);
    let sent =
        r#"{"firstname":"Ada","lastname":"Example","contact_methods":[{"type":"email","contact":"ada@example.com"}]}"#;
    let wanted = [request("POST", CONTACTS, sent)];
    for connections in [1, 16, 128, 512] {
        let rate = drive(program.address(), connections, ROUND, &wanted).await;
        println!("creates: {rate:.0}/s over {connections} connections; the disk syncs {syncs:.0} times a second");
    }
}

fn syncs_per_second(path: &Path) -> f64 {
    let mut file = std::fs::File::create(path).unwrap();
    let started = Instant::now();
    let mut synced = 0;
    while started.elapsed() < Duration::from_secs(1) {
        file.write_all(&[1; 4096]).unwrap();
        file.sync_data().unwrap();
        synced += 1;
    }
    f64::from(synced) / started.elapsed().as_secs_f64()
}

/// From nothing to the first page of a seeded store over a socket: in this process and as a program.
async fn start(folder: &Path) {
    let wanted = request("GET", CONTACTS, "");
    let (mut memory, mut file, mut program) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..3 * ROUNDS {
        let path = folder.join(format!("start-{round}.db"));
        for (store, times) in [(StoreUrl::Memory, &mut memory), (StoreUrl::File(path), &mut file)] {
            let started = Instant::now();
            let service = Service::open(&store, program::TOKEN.to_owned().into(), Profile::default());
            let address = serve(service::app(service.await.unwrap())).await;
            Connection::open(&address).await.exchange(&wanted).await;
            times.push(started.elapsed().as_secs_f64());
        }
        let started = Instant::now();
        let serving = Program::serve("sqlite::memory:", &[]);
        Connection::open(serving.address()).await.exchange(&wanted).await;
        program.push(started.elapsed().as_secs_f64());
    }
    println!(
        "start to first response: {:.1} ms in memory, {:.1} ms with a new file, {:.1} ms for the whole program in memory",
        median(&mut memory) * 1e3,
        median(&mut file) * 1e3,
        median(&mut program) * 1e3
    );
}

/// The first pages against the last of a million contacts, the time to load them, and the memory to walk them all.
async fn depth(name: &str, store: &str) {
    let started = Instant::now();
    let program = Program::serve(store, &["--seed-contacts", &MANY.to_string()]);
    let loaded = f64::from(MANY) / started.elapsed().as_secs_f64();
    println!("{name}: {loaded:.0} synthetic contacts a second");

    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut connection = Connection::open(program.address()).await;
    for round in 0..2 * SEVERAL {
        first.push(timed(&mut connection, 1 + round % SEVERAL).await);
        last.push(timed(&mut connection, MANY / 10 - round % SEVERAL).await);
    }
    let (first, last) = (median(&mut first), median(&mut last));
    println!(
        "{name}: the first {SEVERAL} pages in {:.0} µs each, those up to page {} in {:.0} µs: {:.2}",
        first * 1e6,
        MANY / 10,
        last * 1e6,
        last / first
    );

    let started = Instant::now();
    let walker = async |start: u32| {
        let mut connection = Connection::open(program.address()).await;
        for page in (start..=MANY / 10).step_by(8) {
            timed(&mut connection, page).await;
        }
    };
    futures::future::join_all((1..=8).map(walker)).await;
    let walked = started.elapsed().as_secs_f64();
    println!(
        "{name}: all {} pages in {walked:.1} s; peak memory {} MiB",
        MANY / 10,
        program.peak_memory() / 1024
    );
}

async fn timed(connection: &mut Connection, page: u32) -> f64 {
    let wanted = self::page(page);
    let started = Instant::now();
    let response = connection.exchange(&wanted).await;
    assert!(response.body.len() > 1_000, "page {page} is short");
    started.elapsed().as_secs_f64()
}

fn page(number: u32) -> Vec<u8> {
    request("GET", &format!("{CONTACTS}?page={number}"), "")
}

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(service::run(listener, router, std::future::pending()));
    address
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
