//! What can happen until a response's head is complete, and what a head can contain.

use std::io::{self, Write as _};
use std::net::TcpStream;

use super::case::Expected::{Broken, Sound};
use super::case::{Behaviour, Expected, page};
use crate::cli::stub::{drip, flood, json, reset, stall};

const TIMELY: Expected = Broken("unfinished-answer", "no complete response within 1 s");
const CUT: Expected = Broken("unfinished-answer", "connection ended before");
const NOT_HTTP: Expected = Broken("unfinished-answer", "not valid HTTP/1.1");

/// A target that writes this and closes.
fn writes(name: &'static str, expected: Expected, bytes: impl Into<Vec<u8>>) -> Behaviour {
    let bytes = bytes.into();
    Behaviour::tags(name, expected, move |_, stream| stream.write_all(&bytes))
}

/// A target that closes after these bytes the hard way.
fn resets(name: &'static str, bytes: &'static [u8]) -> Behaviour {
    Behaviour::tags(name, CUT, move |_, stream| {
        stream.write_all(bytes)?;
        reset(stream)
    })
}

/// A sound page of no tags with these lines in its head.
fn headed(name: &'static str, expected: Expected, status: &str, lines: &str) -> Behaviour {
    let body = page(&[]).to_string();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n");
    let length = body.len();
    writes(
        name,
        expected,
        format!("{head}{lines}Content-Length: {length}\r\n\r\n{body}"),
    )
}

fn endless(name: &'static str, expected: Expected, beginning: &'static str, again: Vec<u8>) -> Behaviour {
    Behaviour::tags(name, expected, move |_, stream| {
        stream.write_all(beginning.as_bytes())?;
        flood(stream, &again)
    })
}

/// Writes this as fast as it is taken, and then nothing more.
fn much(name: &'static str, text: String) -> Behaviour {
    Behaviour::tags(name, TIMELY, move |_, stream| {
        stream.write_all(text.as_bytes())?;
        stall(stream)
    })
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    [slow(), ended(), floods(), nonsense(), lines(), odd_and_sound()]
        .into_iter()
        .flatten()
        .collect()
}

fn slow() -> Vec<Behaviour> {
    let interim = |stream: &mut TcpStream| drip(stream, b"HTTP/1.1 102 Processing\r\n\r\n");
    vec![
        Behaviour::tags("silence", TIMELY, |_, stream| stall(stream)),
        Behaviour::tags("a slow head", TIMELY, |_, stream| {
            stream.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ")?;
            drip(stream, b"a")
        }),
        Behaviour::tags("one interim response after the other", TIMELY, move |_, stream| {
            interim(stream)
        }),
        Behaviour::tags("a head without an end", TIMELY, |_, stream| {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")?;
            stall(stream)
        }),
    ]
}

fn ended() -> Vec<Behaviour> {
    vec![
        writes("a connection that closes at once", CUT, ""),
        writes("a head that is cut", CUT, "HTTP/1.1 200 OK\r\nContent-Ty"),
        resets("a connection that is reset at once", b""),
        resets(
            "a connection that is reset in the head",
            b"HTTP/1.1 200 OK\r\nContent-Ty",
        ),
    ]
}

fn floods() -> Vec<Behaviour> {
    let hints = format!("HTTP/1.1 103 Early Hints\r\nLink: <{}>\r\n\r\n", "a".repeat(8000));
    let many: String = (0..5000).map(|number| format!("X-{number}: a\r\n")).collect();
    vec![
        endless(
            "endless headers",
            NOT_HTTP,
            "HTTP/1.1 200 OK\r\n",
            b"X-Endless: and on and on\r\n".into(),
        ),
        endless(
            "one endless header",
            NOT_HTTP,
            "HTTP/1.1 200 OK\r\nX-Endless: ",
            vec![b'a'; 4096],
        ),
        endless("an endless reason", NOT_HTTP, "HTTP/1.1 200 ", vec![b'a'; 4096]),
        endless("an endless status line", NOT_HTTP, "", vec![b'\n'; 4096]),
        headed("five thousand headers", NOT_HTTP, "200 OK", &many),
        // Endless, these would hold the program for as long as hyper takes to read 128 pieces: it reads all interim
        // responses of a piece, and pieces until the scheduler asks for its turn, before anybody looks at a clock.
        much("a flood of interim responses", hints.repeat(512)),
        much(
            "a dense flood of the smallest interim responses",
            "HTTP/1.1 100 \r\n\r\n".repeat(1 << 16),
        ),
    ]
}

fn nonsense() -> Vec<Behaviour> {
    vec![
        writes("another protocol", NOT_HTTP, "SSH-2.0-OpenSSH_9.7\r\n"),
        writes("the bytes of TLS", NOT_HTTP, &b"\x16\x03\x01\x00\x05\r\n\r\n"[..]),
        writes("HTTP/0.9", NOT_HTTP, page(&[]).to_string()),
        writes("HTTP/2.0", NOT_HTTP, "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        writes(
            "the frames of HTTP/2",
            NOT_HTTP,
            &b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80"[..],
        ),
        writes("a status of two digits", NOT_HTTP, "HTTP/1.1 20 Fine\r\n\r\n"),
        writes("a status of four digits", NOT_HTTP, "HTTP/1.1 2000 Fine\r\n\r\n"),
        writes("a status below zero", NOT_HTTP, "HTTP/1.1 -200 Fine\r\n\r\n"),
        writes("a status of 000", NOT_HTTP, "HTTP/1.1 000 Fine\r\n\r\n"),
        headed("a status of 999", Broken("server-error", "999"), "999 Beyond", ""),
        writes(
            "a change of protocol",
            Broken("status", "101"),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        ),
        writes(
            "an escape in the reason",
            NOT_HTTP,
            "HTTP/1.1 200 \x1b[2J\r\nContent-Length: 2\r\n\r\n{}",
        ),
    ]
}

fn lines() -> Vec<Behaviour> {
    vec![
        headed("a header with a NUL", NOT_HTTP, "200 OK", "X-Nul: a\0b\r\n"),
        headed("a header with an escape", NOT_HTTP, "200 OK", "X-Escape: \x1b[2J\r\n"),
        headed("a header without a name", NOT_HTTP, "200 OK", ": a\r\n"),
        headed("a name with a blank", NOT_HTTP, "200 OK", "X Blank: a\r\n"),
        headed("a folded header", NOT_HTTP, "200 OK", "X-Folded: a\r\n b\r\n"),
        headed("a line that is no header", NOT_HTTP, "200 OK", "and so on\r\n"),
        headed(
            "commands in the reason and in headers",
            Broken("status", "418"),
            "418 ::error::##vso[task.complete]",
            "X-Command: ::set-output name=a::b\r\n##vso: ##[error]\r\n",
        ),
    ]
}

fn odd_and_sound() -> Vec<Behaviour> {
    let old = format!("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}", page(&[]));
    vec![
        writes("HTTP/1.0", Sound, old),
        headed("a reason beyond ASCII", Sound, "200 \u{202e}KO", ""),
        headed(
            "the same header many times",
            Sound,
            "200 OK",
            &"X-Same: a\r\n".repeat(80),
        ),
        Behaviour::tags("a few interim responses", Sound, |_, stream| {
            stream.write_all(&b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20))?;
            whole(stream)
        }),
    ]
}

fn whole(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(json("200 OK", &page(&[]).to_string()).as_bytes())
}
