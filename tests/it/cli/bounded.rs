//! Files that never end: a bounded amount of them is read, and the user gets an error.
#![cfg(unix)]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::thread::JoinHandle;

use super::support::countersign;

/// More than a pipe holds on Linux by itself, so that what was written and not read is known to be less.
const IN_A_PIPE: u64 = 1 << 20;

/// Writes into a pipe for as long as somebody reads it, and returns how much that was.
fn endless(pipe: PathBuf) -> JoinHandle<u64> {
    std::thread::spawn(move || {
        let mut pipe = OpenOptions::new().write(true).open(pipe).unwrap();
        let line = [b'#'; 4096];
        let mut written = 0;
        while let Ok(more) = pipe.write(&line) {
            written += more as u64;
        }
        written
    })
}

#[test]
fn no_more_is_read_of_a_file_that_never_ends_than_of_a_large_one() {
    let address = ["--base-url", "http://127.0.0.1:1"];
    // Only the pipes of a shell may be contracts, and their names begin so.
    const PIPE: &str = "/proc/self/cwd/pipe";
    for (arguments, most, words) in [
        (&["check", "--spec", PIPE][..], 16 << 20, ["the contract", "16 MiB"]),
        (&["plan", "--spec", PIPE], 16 << 20, ["the contract", "16 MiB"]),
        (&["facts", "--spec", PIPE], 16 << 20, ["the contract", "16 MiB"]),
        (&["check", "--config", "pipe"], 1 << 20, ["the configuration", "1 MiB"]),
        (
            &["check", address[0], address[1], "--token-file", "pipe"],
            64 << 10,
            ["the token", "64 KiB"],
        ),
        (&["serve", "--profile", "pipe"], 1 << 20, ["the profile", "1 MiB"]),
    ] {
        let call = countersign(arguments).pipe("pipe");
        let written = endless(call.path().join("pipe"));
        let ended = call.run();
        let message = ended.is_one_error(2);
        for word in words {
            assert!(message.contains(word), "`{word}` is not in: {message}");
        }
        let written = written.join().unwrap();
        assert!(written <= most + IN_A_PIPE, "{arguments:?}: {written}");
    }
}

#[test]
fn a_contract_that_is_as_large_as_it_may_be_is_read() {
    let contract = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml"));
    // The characters take four bytes each, as the limit is one of bytes, and each of them is looked at.
    let filled = |size: usize| {
        let left = size - contract.len() - 2;
        format!("{contract}#{}{}\n", "x".repeat(left % 4), "\u{1f4c7}".repeat(left / 4))
    };
    let facts = |size| {
        countersign(&["facts", "--spec", "large.yaml"])
            .file("large.yaml", filled(size))
            .run()
    };
    assert_eq!(facts(16 << 20).code, 0);
    assert_eq!(facts((16 << 20) + 1).code, 2);
}
