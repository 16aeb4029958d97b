//! The scanner finds what was planted, and nothing where nothing was planted.

use super::encoding::{WAYS, base64};
use super::{Canary, Scanner};

/// Shows a text.
type Output = fn(&[u8]) -> Vec<u8>;

/// The kinds of output that a run has, each as it shows a text.
const OUTPUTS: [(&str, Output); 7] = [
    ("a line of the terminal", |leak| {
        around(b"   3 GET /v1/tags -> 200 ", leak, b" 12 bytes\n")
    }),
    ("a coloured finding", |leak| {
        around(b"\x1b[1;31merror\x1b[0m[wrong-type]: string(", leak, b")\x1b[0m\n")
    }),
    ("a report in JSON", |leak| {
        let text = serde_json::json!({"findings": [{"received": String::from_utf8_lossy(leak)}]});
        format!("{text:#}\n").into()
    }),
    ("a report in XML", |leak| {
        let text = String::from_utf8_lossy(leak).replace('&', "&amp;").replace('<', "&lt;");
        format!("<failure message=\"{text}\"/>\n").into()
    }),
    ("a line of residue", |leak| {
        around(b"{\"operation\":\"createTag\",\"id\":\"", leak, b"\"}\n")
    }),
    ("a panic", |leak| {
        around(
            b"thread 'main' panicked at src/lib.rs:1:1:\n",
            leak,
            b"\nnote: run with\n",
        )
    }),
    ("an argument", |leak| {
        around(b"countersign\0check\0--token\0", leak, b"\0")
    }),
];

fn around(before: &[u8], leak: &[u8], behind: &[u8]) -> Vec<u8> {
    [before, leak, behind].concat()
}

#[test]
fn a_leak_is_found_in_each_way_of_writing_in_each_kind_of_output() {
    let canary = Canary::fresh("planted");
    let scanner = canary.scanner();
    let secrets = [
        ("the token", &canary.token),
        ("the first name", &canary.firstname),
        ("the e-mail address", &canary.email),
        ("the telephone number", &canary.phone),
        ("the identifier", &canary.id),
    ];
    let mut missed = Vec::new();
    for (kind, output) in OUTPUTS {
        assert_eq!(scanner.leaks(&output(b"string(17)")), [""; 0], "{kind}");
        for (way, write) in WAYS {
            for (expected, secret) in secrets {
                let leaks = scanner.leaks(&output(&write(secret)));
                if !leaks.iter().any(|leak| leak.starts_with(expected)) {
                    missed.push(format!("{expected} {way} in {kind}"));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} missed: {missed:#?}", missed.len());
}

#[test]
fn a_name_beyond_ascii_is_found_where_its_letters_can_be_read() {
    let canary = Canary::fresh("planted");
    let scanner = canary.scanner();
    for (way, write) in WAYS {
        let leaks = scanner.leaks(&around(b"name: ", &write(&canary.lastname), b"\n"));
        assert!(leaks.iter().any(|leak| leak.starts_with("the last name")), "{way}");
    }
}

#[test]
fn any_sixteen_letters_of_a_token_are_a_leak() {
    let canary = Canary::fresh("pieces");
    let scanner = canary.scanner();
    for start in 0..=canary.token.len() - 16 {
        let piece = &canary.token[start..start + 16];
        assert!(!scanner.leaks(format!("{piece}…").as_bytes()).is_empty(), "{piece}");
    }
}

#[test]
fn a_secret_within_a_larger_encoded_text_is_found() {
    let canary = Canary::fresh("within");
    for before in ["", "a", "ab", "abc"] {
        let text = base64(format!("{{\"{before}\":\"{}\"}}", canary.token).as_bytes());
        assert!(!canary.scanner().leaks(text.as_bytes()).is_empty(), "{text}");
    }
}

#[test]
fn another_run_has_other_secrets() {
    let (one, other) = (Canary::fresh("one"), Canary::fresh("other"));
    for secret in [
        &one.token, &one.firstname, &one.lastname, &one.email, &one.street, &one.id,
    ] {
        assert_eq!(other.scanner().leaks(secret.as_bytes()), [""; 0], "{secret}");
        assert_ne!(one.scanner().leaks(secret.as_bytes()), [""; 0], "{secret}");
    }
}

#[test]
fn a_scanner_without_secrets_finds_nothing() {
    assert_eq!(Scanner::new().leaks(b"any text whatever"), [""; 0]);
}

#[test]
fn a_leak_is_found_wherever_it_stands_in_a_long_output() {
    let canary = Canary::fresh("long");
    let scanner = canary.token_scanner();
    let (_, coloured) = WAYS.into_iter().find(|(way, _)| *way == "coloured").unwrap();
    let leak = coloured(&canary.token);
    for before in (0..40_000).step_by(487) {
        let output = around("&lt;= 100 %\n".repeat(before / 11).as_bytes(), &leak, &[b'\n'; 20_000]);
        assert!(!scanner.leaks(&output).is_empty(), "{before}");
    }
}
