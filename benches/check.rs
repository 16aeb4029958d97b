//! The check as a whole process: wall time, time to the first request, peak memory, and the ratio to the same requests
//! sent by a plain client beside it.
//!
//! The program prints; it asserts nothing about time. Every figure is a median over runs in turn, A B A B …, so that a
//! machine that slows down slows both.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its figures"
)]

use std::io::Read as _;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use countersign::service::{self, Service};
use secrecy::SecretString;

const TOKEN: &str = "benchmark-token";
const RUNS: usize = 21;

fn main() {
    // `cargo test --benches` runs this too; there is nothing to measure in a debug build.
    if cfg!(debug_assertions) {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let base_url = runtime.block_on(serve());
    let paths = paths(&base_url);

    let embedded = series(|| run(&[]));
    report("check, embedded service", &embedded);

    let mut plain = Vec::new();
    let reads = series(|| {
        plain.push(runtime.block_on(plain_requests(&base_url, &paths)));
        run(&["--base-url", &base_url])
    });
    report("check --base-url, reads", &reads);
    let ratio = median(reads.iter().map(|run| run.wall)).as_secs_f64() / median(plain.into_iter()).as_secs_f64();
    println!("{:<32} {ratio:>8.2}", "  ratio to its requests alone");

    // Runs that begin in one second with one seed would create records of the same names.
    let mut seed = 0;
    let writes = series(|| {
        seed += 1;
        let seed = seed.to_string();
        run(&[
            "--base-url", &base_url, "--writes", "--max-writes", "100", "--seed", &seed,
        ])
    });
    report("check --base-url --writes", &writes);

    let first: Vec<_> = (0..RUNS).map(|_| first_request()).collect();
    println!(
        "{:<32} {:>8.1} ms",
        "start to first request",
        milliseconds(median(first.into_iter()))
    );
}

/// One run of the binary.
struct Run {
    wall: Duration,
    peak_kib: u64,
}

fn series(mut once: impl FnMut() -> Run) -> Vec<Run> {
    once();
    (0..RUNS).map(|_| once()).collect()
}

fn run(arguments: &[&str]) -> Run {
    let started = Instant::now();
    let mut child = command(arguments).spawn().expect("the binary");
    let mut peak_kib = 0;
    loop {
        peak_kib = peak_kib.max(high_water(&child));
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "the check failed: {status}");
            return Run {
                wall: started.elapsed(),
                peak_kib,
            };
        }
        std::thread::yield_now();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(["check", "-q"]).args(arguments);
    if !arguments.contains(&"--seed") {
        command.args(["--seed", "1"]);
    }
    command
        .env_clear()
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The peak of resident memory so far, by Linux's own account; 0 elsewhere.
fn high_water(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

/// From starting the process to the first byte of its first request.
fn first_request() -> Duration {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    let started = Instant::now();
    let mut child = command(&["--base-url", &base_url]).spawn().expect("the binary");
    let (mut stream, _) = listener.accept().expect("a connection");
    stream.read_exact(&mut [0]).expect("a request");
    let waited = started.elapsed();
    drop((stream, listener));
    let _ = child.kill();
    child.wait().expect("a child");
    waited
}

async fn serve() -> String {
    let service = Service::in_memory(SecretString::from(TOKEN)).expect("a store in memory");
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(service::run(listener, service::app(service), std::future::pending()));
    format!("http://{address}")
}

/// The paths that a reading check asks for, as its own verbose output prints them.
fn paths(base_url: &str) -> Vec<String> {
    let mut verbose = Command::new(env!("CARGO_BIN_EXE_countersign"));
    verbose
        .args(["check", "-v", "--seed", "1", "--base-url", base_url])
        .env_clear()
        .env("COUNTERSIGN_TOKEN", TOKEN);
    let output = verbose.output().expect("the binary");
    let reported = String::from_utf8(output.stderr).expect("text");
    let paths: Vec<_> = reported
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .map(str::to_owned)
        .collect();
    assert!(!paths.is_empty(), "the verbose output has no requests");
    paths
}

/// The same requests, four at a time, by a client that judges nothing; a client of its own, as a process would have.
async fn plain_requests(base_url: &str, paths: &[String]) -> Duration {
    use futures::StreamExt as _;
    let started = Instant::now();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let requests = paths.iter().map(|path| {
        let request = client.get(format!("{base_url}{path}")).bearer_auth(TOKEN).send();
        async { request.await.expect("a response").bytes().await.expect("a body").len() }
    });
    let bytes: usize = futures::stream::iter(requests)
        .buffer_unordered(4)
        .fold(0, |sum, length| async move { sum + length })
        .await;
    assert!(bytes > 0);
    started.elapsed()
}

fn report(name: &str, runs: &[Run]) {
    let wall = milliseconds(median(runs.iter().map(|run| run.wall)));
    let peak = runs.iter().map(|run| run.peak_kib).max().unwrap_or(0);
    println!("{name:<32} {wall:>8.1} ms {:>8.1} MiB peak", peak as f64 / 1024.0);
}

fn median(durations: impl Iterator<Item = Duration>) -> Duration {
    let mut sorted: Vec<_> = durations.collect();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
