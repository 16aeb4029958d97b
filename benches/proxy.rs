//! Passing through: what `countersign proxy` adds to each request, beside a direct connection, and whether its memory
//! grows.
//!
//! The program prints; it asserts nothing about time. Direct and proxied run in turn, A B A B …, and each figure is a
//! median of the runs. The reference service, the proxy and the clients share the machine's processors.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its figures"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const TOKEN: &str = "benchmark-token";
const RUNS: usize = 7;
/// The requests of a run with one connection, for the time that a single one takes.
const ALONE: usize = 3_000;
/// The connections of a run that takes all that the machine has.
const CONNECTIONS: usize = 16;
/// The requests of such a run on each connection.
const EACH: usize = 1_000;
/// The requests after which memory is read again, and how often that is.
const SOAK: (usize, usize) = (250_000, 4);

/// A program of ours that listens, and ends with this.
struct Listening {
    child: Child,
    address: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn main() {
    // `cargo test --benches` runs this too; there is nothing to measure in a debug build.
    if cfg!(debug_assertions) {
        return;
    }
    let service = serve();
    let proxy = proxy(&service.address);
    let (mut direct, mut proxied) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        direct.push(alone(&service.address));
        proxied.push(alone(&proxy.address));
    }
    println!(
        "{:<28} {:>10} {:>10} {:>10}",
        "one connection", "direct", "proxied", "added"
    );
    for (name, index) in [("median, ms", ALONE / 2), ("99th percentile, ms", ALONE * 99 / 100)] {
        let at = |runs: &[Vec<Duration>]| median(runs.iter().map(|run| run[index].as_secs_f64() * 1000.0).collect());
        let (direct, proxied) = (at(&direct), at(&proxied));
        println!("{name:<28} {direct:>10.3} {proxied:>10.3} {:>10.3}", proxied - direct);
    }
    let (mut direct, mut proxied) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        direct.push(load(&service.address, EACH));
        proxied.push(load(&proxy.address, EACH));
    }
    let (direct, proxied) = (median(direct), median(proxied));
    println!(
        "{:<28} {:>10} {:>10} {:>10}",
        format!("{CONNECTIONS} connections"),
        "direct",
        "proxied",
        "ratio"
    );
    println!(
        "{:<28} {direct:>10.0} {proxied:>10.0} {:>10.2}",
        "requests per second",
        proxied / direct
    );
    let (count, times) = SOAK;
    for time in 1..=times {
        load(&proxy.address, count / CONNECTIONS);
        println!(
            "after {:>9} requests, memory of the proxy: {} MiB",
            count * time,
            resident(&proxy.child)
        );
    }
}

/// The reference service, with a few records.
fn serve() -> Listening {
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["serve", "--listen", "127.0.0.1:0", "--seed-contacts", "25"])
        .env_clear()
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary");
    let line = first_line(child.stdout.take().expect("its output"));
    let address = line
        .split_whitespace()
        .nth(1)
        .and_then(|url| url.strip_prefix("http://"));
    Listening {
        address: address.expect("the line begins with the URL").to_owned(),
        child,
    }
}

fn proxy(service: &str) -> Listening {
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["proxy", "--listen", "127.0.0.1:0", "--to", &format!("http://{service}")])
        .env_clear()
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let line = first_line(child.stderr.take().expect("its output"));
    let address = line
        .split_whitespace()
        .next()
        .and_then(|url| url.strip_prefix("http://"));
    Listening {
        address: address.expect("the line begins with the URL").to_owned(),
        child,
    }
}

fn first_line(output: impl std::io::Read) -> String {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).expect("a line");
    line
}

/// A client's connection that stays.
struct Connection {
    stream: TcpStream,
    request: String,
    response: Vec<u8>,
}

impl Connection {
    fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("an option of the socket");
        Self {
            stream,
            request: format!(
                "GET /organization/v1/contact-database HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
            ),
            response: Vec::new(),
        }
    }

    /// Sends the request and reads its whole response.
    fn exchange(&mut self) {
        self.stream
            .write_all(self.request.as_bytes())
            .expect("the request is sent");
        self.response.clear();
        let mut piece = [0; 16 << 10];
        while !is_whole(&self.response) {
            let read = self.stream.read(&mut piece).expect("a response");
            assert!(read > 0, "the connection stays");
            self.response.extend_from_slice(&piece[..read]);
        }
        assert!(self.response.starts_with(b"HTTP/1.1 200 "), "the list comes");
    }
}

/// Whether a response with a stated length has come as a whole.
fn is_whole(response: &[u8]) -> bool {
    let Some(end) = response.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&response[..end]).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    response.len() >= end + 4 + length.expect("a length")
}

/// How long each request of one connection takes, in ascending order.
fn alone(address: &str) -> Vec<Duration> {
    let mut connection = Connection::open(address);
    let mut times: Vec<_> = std::iter::repeat_with(|| {
        let began = Instant::now();
        connection.exchange();
        began.elapsed()
    })
    .take(ALONE)
    .collect();
    times.sort_unstable();
    times
}

/// The requests per second of several connections.
fn load(address: &str, each: usize) -> f64 {
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let mut connection = Connection::open(address);
                (0..each).for_each(|_| connection.exchange());
            });
        }
    });
    (CONNECTIONS * each) as f64 / began.elapsed().as_secs_f64()
}

/// The resident memory of a process, in MiB; none where the system does not say.
fn resident(child: &Child) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.map_or_else(|| "?".to_owned(), |kib| (kib / 1024).to_string())
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
