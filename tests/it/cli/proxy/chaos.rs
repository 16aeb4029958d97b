//! Targets and clients that misbehave: each costs the proxy little, and the next request is served.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::channel;

use super::super::stub::{Stub, json, stall};
use super::{exchanged, interrupted, running};
use crate::support::files::allow_open_files;

/// How many bytes of an endless body are read before its client goes away: more than what is copied of a body.
const READ: usize = 12 << 20;
/// How many connections send nothing.
const IDLE: usize = 1_000;

fn request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
}

/// A target that does as a path says, and answers any other one.
fn target(path: &'static str, hostile: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> Stub {
    Stub::start(move |request, stream| {
        if request.head.starts_with(&format!("GET {path} ")) {
            hostile(stream)
        } else {
            stream.write_all(json("200 OK", "{}").as_bytes())
        }
    })
}

fn is_served(address: &str) {
    let response = exchanged(address, &request("/next"));
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
}

#[test]
fn a_response_that_ends_early_ends_early_for_the_client_too() {
    let cut = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"data\"";
    for (cut, status) in [
        (cut, "200 OK"),
        ("HTTP/1.1 200 OK\r\nContent-", "502 Bad Gateway"),
        ("no HTTP at all\r\n\r\n", "502 Bad Gateway"),
    ] {
        let stub = target("/cut", move |stream| stream.write_all(cut.as_bytes()));
        let (running, address) = running(&stub.url(), &[]);
        let response = exchanged(&address, &request("/cut"));
        assert!(response.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{response}");
        assert_eq!(
            response.ends_with("\r\n\r\n{\"data\""),
            status == "200 OK",
            "{response}"
        );
        is_served(&address);
        let ended = interrupted(running);
        assert!(ended.stdout.contains("1 have no complete response"), "{ended:?}");
    }
}

#[test]
fn an_endless_body_streams_until_its_client_goes_away_and_then_its_target_is_left() {
    let (sender, ended) = channel();
    let sender = Mutex::new(sender);
    let stub = target("/endless", move |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")?;
        let piece = vec![b' '; 64 << 10];
        while stream.write_all(&piece).is_ok() {}
        sender.lock().unwrap().send(()).unwrap();
        Ok(())
    });
    let (running, address) = running(&stub.url(), &[]);
    let mut client = TcpStream::connect(&address).unwrap();
    client.write_all(request("/endless").as_bytes()).unwrap();
    let mut read = vec![0; READ];
    client.read_exact(&mut read).unwrap();
    drop(client);
    ended.recv().unwrap();
    is_served(&address);
    interrupted(running);
}

#[test]
fn a_client_that_does_not_wait_for_a_slow_target_ends_the_connection_there() {
    let (sender, events) = channel();
    let sender = Mutex::new(sender);
    let stub = target("/slow", move |stream| {
        sender.lock().unwrap().send("came").unwrap();
        let ended = stall(stream);
        sender.lock().unwrap().send("left").unwrap();
        ended
    });
    let (running, address) = running(&stub.url(), &[]);
    let mut client = TcpStream::connect(&address).unwrap();
    client.write_all(request("/slow").as_bytes()).unwrap();
    assert_eq!(events.recv().unwrap(), "came");
    is_served(&address);
    drop(client);
    assert_eq!(events.recv().unwrap(), "left");
    interrupted(running);
}

#[test]
fn pieces_pass_as_they_come_in_both_directions() {
    let (ask, asked) = channel();
    let asked = Mutex::new(asked);
    let stub = target("/stream", move |stream| {
        let asked = asked.lock().unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
        for piece in ["one", "two"] {
            asked.recv().unwrap();
            stream.write_all(format!("3\r\n{piece}\r\n").as_bytes())?;
        }
        // What comes of the request meanwhile.
        let mut body = Vec::new();
        while !body.ends_with(b"2\r\nup\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            body.push(byte[0]);
        }
        stream.write_all(b"0\r\n\r\n")
    });
    let (running, address) = running(&stub.url(), &[]);
    let mut client = TcpStream::connect(&address).unwrap();
    let head = "GET /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    client.write_all(head.as_bytes()).unwrap();
    let mut received = String::new();
    for piece in ["one", "two"] {
        ask.send(()).unwrap();
        while !received.contains(piece) {
            let mut bytes = [0; 1024];
            let read = client.read(&mut bytes).unwrap();
            assert!(read > 0, "{received}");
            received.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
        }
    }
    client.write_all(b"2\r\nup\r\n").unwrap();
    let mut rest = String::new();
    while !rest.contains("0\r\n\r\n") {
        let mut bytes = [0; 1024];
        let read = client.read(&mut bytes).unwrap();
        assert!(read > 0, "{rest}");
        rest.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
    }
    client.shutdown(Shutdown::Both).unwrap();
    interrupted(running);
}

#[test]
fn a_thousand_connections_that_send_nothing_keep_nobody_out() {
    allow_open_files(4_096);
    let stub = target("/none", |_| Ok(()));
    let (running, address) = running(&stub.url(), &[]);
    let idle: Vec<_> = (0..IDLE).map(|_| TcpStream::connect(&address).unwrap()).collect();
    is_served(&address);
    drop(idle);
    is_served(&address);
    interrupted(running);
}
