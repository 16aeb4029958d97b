//! How a body can arrive: its length, its pieces, its content coding.

use std::io::{self, Write as _};
use std::net::TcpStream;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::case::Expected::{Broken, Findings, Sound};
use super::case::{Behaviour, Expected, page};
use crate::cli::stub::{drip, flood, reset};
use crate::support::tried;

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";

const TIMELY: Expected = Broken("unfinished-answer", "no complete response within 1 s");
const CUT: Expected = Broken("unfinished-answer", "connection ended before");
const NOT_HTTP: Expected = Broken("unfinished-answer", "not valid HTTP/1.1");
const TOO_LARGE: Expected = Broken("unfinished-answer", "larger than 8 MiB");
const UNDECODED: Expected = Broken("unfinished-answer", "content coding");
const NOT_JSON: Expected = Broken("malformed-json", "");

/// A target that writes these lines of a head, then this.
fn body(name: &'static str, expected: Expected, lines: &str, bytes: impl Into<Vec<u8>>) -> Behaviour {
    let head = format!("{HEAD}{lines}\r\n");
    let bytes = bytes.into();
    Behaviour::tags(name, expected, move |_, stream| {
        stream.write_all(head.as_bytes())?;
        stream.write_all(&bytes)
    })
}

/// A target that writes these lines of a head, then this again and again.
fn endless(name: &'static str, expected: Expected, lines: &'static str, bytes: impl Into<Vec<u8>>) -> Behaviour {
    let bytes = bytes.into();
    Behaviour::tags(name, expected, move |_, stream| {
        write!(stream, "{HEAD}{lines}\r\n")?;
        flood(stream, &bytes)
    })
}

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
const GZIP: &str = "Content-Encoding: gzip\r\n";

fn sound() -> String {
    page(&[]).to_string()
}

fn sound_in_a_chunk() -> String {
    format!("{:x}\r\n{}\r\n", sound().len(), sound())
}

fn gzipped(piece: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..times {
        encoder.write_all(piece).unwrap();
    }
    encoder.finish().unwrap()
}

pub(super) fn behaviours() -> Vec<Behaviour> {
    [slow(), large(), lengths(), chunks(), codings()]
        .into_iter()
        .flatten()
        .collect()
}

fn slow() -> Vec<Behaviour> {
    let slowly = |lines: &'static str, piece: &'static [u8]| {
        move |stream: &mut TcpStream| -> io::Result<()> {
            write!(stream, "{HEAD}{lines}\r\n")?;
            drip(stream, piece)
        }
    };
    let plain = slowly("Content-Length: 1000000\r\n", b" ");
    let chunked = slowly(CHUNKED, b"1\r\n \r\n");
    let trailing = slowly("Transfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: ", b"a");
    vec![
        Behaviour::tags("a slow body", TIMELY, move |_, stream| plain(stream)),
        Behaviour::tags("slow chunks", TIMELY, move |_, stream| chunked(stream)),
        Behaviour::tags("a slow trailer", TIMELY, move |_, stream| trailing(stream)),
    ]
}

fn large() -> Vec<Behaviour> {
    let too_large = vec![b' '; (8 << 20) + 1];
    vec![
        endless("an endless body without a length", TOO_LARGE, "", vec![b' '; 0x10000]),
        endless(
            "an endless body in chunks",
            TOO_LARGE,
            CHUNKED,
            format!("10000\r\n{}\r\n", " ".repeat(0x10000)),
        ),
        endless("endless chunks of one byte", TIMELY, CHUNKED, "1\r\n \r\n".repeat(4096)),
        body(
            "a body one byte too large",
            TOO_LARGE,
            "Content-Length: 8388609\r\n",
            too_large,
        ),
    ]
}

fn lengths() -> Vec<Behaviour> {
    let length = sound().len();
    let twice = format!("Content-Length: {length}\r\nContent-Length: {length}\r\n");
    let listed = format!("Content-Length: {length}, {length}\r\n");
    let both = format!("{CHUNKED}Content-Length: {length}\r\n");
    vec![
        body("a length that promises too much", CUT, "Content-Length: 1000\r\n", "{}"),
        body(
            "a length that promises too little",
            NOT_JSON,
            "Content-Length: 9\r\n",
            sound(),
        ),
        body(
            "two lengths",
            NOT_HTTP,
            "Content-Length: 2\r\nContent-Length: 3\r\n",
            "{}",
        ),
        body("a length below zero", NOT_HTTP, "Content-Length: -2\r\n", "{}"),
        body(
            "a length beyond 64 bits",
            NOT_HTTP,
            "Content-Length: 99999999999999999999999\r\n",
            "{}",
        ),
        body("a length that is no number", NOT_HTTP, "Content-Length: two\r\n", "{}"),
        body("the same length twice", Sound, &twice, sound()),
        body("the same length twice in one line", Sound, &listed, sound()),
        body(
            "a length beside chunks",
            Sound,
            &both,
            format!("{}0\r\n\r\n", sound_in_a_chunk()),
        ),
        body("a length beside chunks, and none", NOT_HTTP, &both, sound()),
        Behaviour::tags("a connection that is reset in the body", CUT, |_, stream| {
            write!(stream, "{HEAD}Content-Length: 1000\r\n\r\n{{")?;
            reset(stream)
        }),
        Behaviour::tags("a connection that is reset before the body", CUT, |_, stream| {
            write!(stream, "{HEAD}Content-Length: 1000\r\n\r\n")?;
            reset(stream)
        }),
    ]
}

fn chunks() -> Vec<Behaviour> {
    let chunk = sound_in_a_chunk();
    vec![
        body("a chunk whose size is no number", NOT_HTTP, CHUNKED, "lots\r\n{}\r\n"),
        body(
            "a chunk whose size overflows",
            NOT_HTTP,
            CHUNKED,
            "FFFFFFFFFFFFFFFFFF\r\n{}\r\n",
        ),
        body(
            "a chunk of all that there is",
            CUT,
            CHUNKED,
            "FFFFFFFFFFFFFFFF\r\n{}\r\n",
        ),
        body("a chunk below zero", NOT_HTTP, CHUNKED, "-2\r\n{}\r\n"),
        body(
            "a chunk that is longer than it says",
            NOT_HTTP,
            CHUNKED,
            "1\r\n{}\r\n0\r\n\r\n",
        ),
        body("a last chunk that never comes", CUT, CHUNKED, "2\r\n{}\r\n"),
        endless(
            "an endless extension of a chunk",
            NOT_HTTP,
            "Transfer-Encoding: chunked\r\n\r\n2;a=",
            "a".repeat(4096),
        ),
        endless(
            "endless trailers",
            NOT_JSON,
            "Transfer-Encoding: chunked\r\n\r\n0\r\n",
            "X-Trailer: a\r\n".repeat(64),
        ),
        body("a trailer", Sound, CHUNKED, format!("{chunk}0\r\nX-Trailer: a\r\n\r\n")),
        body(
            "chunks that are chunked",
            Sound,
            "Transfer-Encoding: chunked, chunked\r\n",
            format!("{chunk}0\r\n\r\n"),
        ),
        body(
            "a transfer coding that nobody knows",
            NOT_JSON,
            "Transfer-Encoding: secret\r\n",
            "\x01\x02",
        ),
    ]
}

fn codings() -> Vec<Behaviour> {
    let (whole, page) = (gzipped(sound().as_bytes(), 1), sound());
    let (first, rest) = page.split_at(page.len() / 2);
    let (first, rest) = (gzipped(first.as_bytes(), 1), gzipped(rest.as_bytes(), 1));
    let members = [&first[..], &rest].concat();
    let unfinished = [&first[..], &rest[..rest.len() / 2]].concat();
    let followed = [&whole[..], b"and more"].concat();
    let padded = [&whole[..], &[0; 512]].concat();
    let half = whole[..whole.len() / 2].to_vec();
    let twice = gzipped(&whole, 1);
    let coding = |name, expected, coding: &str, bytes: &[u8]| {
        let line = format!("Content-Encoding: {coding}\r\n");
        body(name, expected, &line, bytes)
    };
    let mut behaviours = bombs();
    behaviours.extend([
        coding("compressed members", Sound, "gzip", &members),
        coding("a compressed body and more", Sound, "gzip", &followed),
        coding("a compressed body and padding", Sound, "gzip", &padded),
        coding("a content coding by its old name", Sound, "X-GZip", &whole),
        coding("a body compressed twice", Sound, "gzip, gzip", &twice),
        coding(
            "a content coding that changes nothing",
            Sound,
            "identity",
            page.as_bytes(),
        ),
        coding("a content coding that is none", Sound, "utf-8", page.as_bytes()),
        coding("no body in a content coding", NOT_JSON, "gzip", b""),
        coding("a compressed member that is cut", UNDECODED, "gzip", &unfinished),
        coding("a body that is not in its content coding", UNDECODED, "gzip", b"{}"),
        coding("a compressed body that is cut", UNDECODED, "gzip", &half),
        coding(
            "a content coding that was not asked for",
            UNDECODED,
            "br",
            b"\x8b\x00\x80",
        ),
        coding(
            "a compressed body that says so once too often",
            UNDECODED,
            "gzip, gzip",
            &whole,
        ),
        body("a compressed body that does not say so", NOT_JSON, "", whole),
    ]);
    behaviours
}

fn bombs() -> Vec<Behaviour> {
    // Twice of what is read.
    let bomb = gzipped(&[b' '; 1 << 20], 16);
    let nested = gzipped(&bomb, 1);
    let both = "Content-Encoding: gzip, gzip\r\n";
    let nothing = gzipped(b"", 1).repeat(64);
    // What comes out of the first layer is all work and no output for the second.
    let empty = gzipped(&nothing, tried(600, 6000));
    vec![
        body("a compression bomb", TOO_LARGE, GZIP, bomb),
        body("a compression bomb in another", NOT_JSON, GZIP, nested.clone()),
        body(
            "a compression bomb in another, and both are named",
            TOO_LARGE,
            both,
            nested,
        ),
        body("a compression bomb of nothing", Findings, both, empty),
        endless(
            "endless compressed members",
            TOO_LARGE,
            GZIP,
            gzipped(&[b' '; 1 << 20], 1),
        ),
        endless("endless compressed members of nothing", TOO_LARGE, GZIP, nothing),
    ]
}
