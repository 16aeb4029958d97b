//! Driving: requests per second of `check --repeat N`, reads alone, beside what a plain load tool reaches on the same
//! service with the same requests and as many under way. The plain tool is a loop of our own over reqwest that reads
//! each body and does nothing with it, on one thread, as the check is.
//!
//! The program prints; it asserts nothing about time. The two run in turn, A B A B …, and each figure is a median.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its figures"
)]

use std::process::Command;
use std::time::{Duration, Instant};

use countersign::service::{self, Service};
use futures::StreamExt as _;
use secrecy::SecretString;
use serde_json::Value;

const TOKEN: &str = "benchmark-token";
const RUNS: usize = 9;
const ROUNDS: u64 = 200;
const JOBS: [usize; 2] = [4, 32];

fn main() {
    // `cargo test --benches` runs this too; there is nothing to measure in a debug build.
    if cfg!(debug_assertions) {
        return;
    }
    let serving = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let base_url = serving.block_on(serve());
    println!("{:<8} {:>14} {:>14} {:>7}", "jobs", "plain /s", "check /s", "ratio");
    for jobs in JOBS {
        let paths = paths(&base_url);
        let (mut plain, mut check) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            plain.push(load(&base_url, &paths, jobs));
            check.push(soak(&base_url, jobs));
        }
        let (plain, check) = (median(plain), median(check));
        println!("{jobs:<8} {plain:>14.0} {check:>14.0} {:>7.2}", check / plain);
    }
}

async fn serve() -> String {
    let service = Service::in_memory(SecretString::from(TOKEN)).expect("a store in memory");
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(service::run(listener, service::app(service), std::future::pending()));
    format!("http://{address}")
}

fn command(base_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(["check", "--seed", "1", "--base-url", base_url]);
    command.env_clear().env("COUNTERSIGN_TOKEN", TOKEN);
    command
}

/// Requests per second of a soak, by its own report; the process's start is part of neither side.
fn soak(base_url: &str, jobs: usize) -> f64 {
    let mut command = command(base_url);
    command.args([
        "--repeat",
        &ROUNDS.to_string(),
        "--jobs",
        &jobs.to_string(),
        "--report",
        "json",
    ]);
    let output = command.output().expect("the binary");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["outcome"], "conforms");
    let number = |value: &Value| value.as_f64().expect("a number");
    number(&report["requests"]["sent"]) * 1000.0 / number(&report["duration_ms"])
}

/// The paths of one round as the check's own verbose output prints them, and whether the token goes with each: what was
/// rejected is rejected here too.
fn paths(base_url: &str) -> Vec<(String, bool)> {
    let output = command(base_url).arg("-v").output().expect("the binary");
    let rendered = String::from_utf8(output.stderr).expect("text");
    let paths = rendered.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let path = words.nth(2).filter(|path| path.starts_with('/'))?;
        Some((path.to_owned(), words.nth(1) != Some("401")))
    });
    paths.collect()
}

/// Requests per second of the plain loop.
fn load(base_url: &str, paths: &[(String, bool)], jobs: usize) -> f64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let count = usize::try_from(ROUNDS).expect("a count") * paths.len();
    runtime.block_on(async {
        let started = Instant::now();
        let requests = paths.iter().cycle().take(count).map(|(path, shows_token)| {
            let request = client.get(format!("{base_url}{path}"));
            let request = if *shows_token {
                request.bearer_auth(TOKEN)
            } else {
                request
            };
            let request = request.send();
            async { request.await.expect("a response").bytes().await.expect("a body").len() }
        });
        let bytes: usize = futures::stream::iter(requests)
            .buffer_unordered(jobs)
            .fold(0, |sum, length| async move { sum + length })
            .await;
        assert!(bytes > 0);
        per_second(count, started.elapsed())
    })
}

fn per_second(count: usize, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
