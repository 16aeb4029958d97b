//! Encodes a text in the ways in which a secret may appear in an output.

use std::fmt::Write as _;

/// The forms that no decoder undoes, each by name: what is looked for.
pub(crate) fn forms(secret: &str) -> Vec<(&'static str, String)> {
    let bytes = secret.as_bytes();
    let mut forms = vec![
        ("plain", secret.to_owned()),
        ("reversed", secret.chars().rev().collect()),
        ("in hex", hex(bytes, "")),
        ("in decimal", decimal(bytes)),
        // The last letters depend on what follows.
        ("in base32", base32(&bytes[..bytes.len() / 5 * 5])),
        ("in rot13", rot13(secret)),
    ];
    for (offset, name) in ["in base64", "in base64, one byte on", "in base64, two bytes on"]
        .into_iter()
        .enumerate()
    {
        let padded = [&vec![0; offset][..], bytes].concat();
        let text = base64(&padded);
        // What shares a letter with a neighbour is not the secret's alone.
        let begins = [0, 2, 3][offset];
        let ends = padded.len() / 3 * 4;
        forms.push((name, text[begins..ends].to_owned()));
    }
    forms
}

/// Writes a text.
pub(crate) type Way = fn(&str) -> Vec<u8>;

/// Every way of writing that the scanner must see through, by name.
pub(crate) const WAYS: [(&str, Way); 27] = [
    ("plain", |text| text.into()),
    ("in capitals", |text| text.to_uppercase().into()),
    ("reversed", |text| text.chars().rev().collect::<String>().into()),
    ("percent", |text| each_byte(text, |byte| format!("%{byte:02X}"))),
    ("percent twice", |text| each_byte(text, |byte| format!("%25{byte:02x}"))),
    ("percent u", |text| {
        each_char(text, |letter| format!("%u{:04X}", u32::from(letter)))
    }),
    ("base64", |text| base64(text.as_bytes()).into()),
    ("base64, one byte on", |text| {
        base64(format!("x{text}").as_bytes()).into()
    }),
    ("base64, two bytes on", |text| {
        base64(format!("xy{text}").as_bytes()).into()
    }),
    ("base64 for URLs", |text| {
        let text = base64(format!("\u{ff}{text}").as_bytes());
        text.replace('+', "-").replace('/', "_").trim_end_matches('=').into()
    }),
    ("base64 in lines", |text| wrapped(&base64(text.as_bytes()), 10, "\r\n")),
    ("base32", |text| base32(text.as_bytes()).into()),
    ("hex", |text| hex(text.as_bytes(), "").into()),
    ("hex with colons", |text| {
        hex(text.as_bytes(), ":").to_uppercase().into()
    }),
    ("decimal", |text| decimal(text.as_bytes()).into()),
    ("JSON escapes", |text| {
        each_char(text, |letter| format!("\\u{:04x}", u32::from(letter)))
    }),
    ("Rust escapes", |text| {
        each_char(text, |letter| letter.escape_unicode().to_string())
    }),
    ("hex escapes", |text| each_byte(text, |byte| format!("\\x{byte:02x}"))),
    ("octal escapes", |text| each_byte(text, |byte| format!("\\{byte:03o}"))),
    ("entities", |text| {
        each_char(text, |letter| format!("&#{};", u32::from(letter)))
    }),
    ("entities in hex", |text| {
        each_char(text, |letter| format!("&#x{:X};", u32::from(letter)))
    }),
    ("quoted-printable", |text| {
        each_byte(text, |byte| format!("={byte:02X}=\r\n"))
    }),
    ("UTF-16, little end first", |text| {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }),
    ("UTF-16, big end first", |text| {
        text.encode_utf16().flat_map(u16::to_be_bytes).collect()
    }),
    ("wrapped", |text| wrapped(text, 5, "\n    | ")),
    ("coloured", |text| {
        each_char(text, |letter| format!("\u{1b}[1;31m{letter}\u{1b}[0m"))
    }),
    ("between what nobody sees", |text| {
        each_char(text, |letter| format!("{letter}\u{200b}\u{ad}"))
    }),
];

fn each_byte(text: &str, write: impl Fn(u8) -> String) -> Vec<u8> {
    text.bytes().map(write).collect::<String>().into()
}

fn each_char(text: &str, write: impl Fn(char) -> String) -> Vec<u8> {
    text.chars().map(write).collect::<String>().into()
}

fn wrapped(text: &str, width: usize, line_end: &str) -> Vec<u8> {
    let letters: Vec<char> = text.chars().collect();
    let lines: Vec<String> = letters.chunks(width).map(|line| line.iter().collect()).collect();
    lines.join(line_end).into()
}

fn hex(bytes: &[u8], between: &str) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(between)
}

/// As `Debug` writes bytes.
fn decimal(bytes: &[u8]) -> String {
    let mut reported = String::new();
    let _ = write!(reported, "{bytes:?}");
    reported
}

fn rot13(text: &str) -> String {
    let turned = |letter: char| match letter {
        'a'..='z' => char::from((letter as u8 - b'a' + 13) % 26 + b'a'),
        'A'..='Z' => char::from((letter as u8 - b'A' + 13) % 26 + b'A'),
        _ => letter,
    };
    text.chars().map(turned).collect()
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    in_base(
        bytes,
        3,
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    )
}

fn base32(bytes: &[u8]) -> String {
    in_base(bytes, 5, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
}

/// RFC 4648: groups of `size` bytes, each in digits of the alphabet, filled up with `=`.
fn in_base(bytes: &[u8], size: usize, alphabet: &[u8]) -> String {
    let bits = usize::try_from(alphabet.len().ilog2()).unwrap();
    let mut text = String::new();
    for group in bytes.chunks(size) {
        let mut padded = group.to_vec();
        padded.resize(size, 0);
        let number = padded.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let digits = size * 8 / bits;
        let used = (group.len() * 8).div_ceil(bits);
        for digit in 0..digits {
            let value = number >> ((digits - 1 - digit) * bits) & (alphabet.len() as u64 - 1);
            let letter = alphabet[usize::try_from(value).unwrap()];
            text.push(if digit < used { char::from(letter) } else { '=' });
        }
    }
    text
}
