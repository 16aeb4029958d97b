//! Writes a token in the encodings that `decoding` does not undo: a redaction searches for each of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Returns the forms of the token that keep one letter for each of its letters (reversed and in rot13), each as its
/// letters and digits in lower case.
pub(super) fn ciphers(token: &str) -> [Vec<u8>; 2] {
    let reversed = token.chars().rev().collect::<String>();
    [alphanumerics(&reversed), alphanumerics(&rot13(token))]
}

/// Returns the token in hexadecimal, as lists of its bytes and in base64, each as its letters and digits in lower case.
pub(super) fn encodings(token: &str) -> Vec<Vec<u8>> {
    let bytes = token.as_bytes();
    let mut forms = vec![
        alphanumerics(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        // As `Debug` writes bytes, and as a list in C does.
        alphanumerics(&format!("{bytes:?}")),
        alphanumerics(&bytes.iter().map(|byte| format!("0x{byte:x}")).collect::<String>()),
        alphanumerics(&bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<String>()),
    ];
    // Up to two bytes before the token shift its digits. A digit that also encodes bits of a neighbouring byte is left
    // out, because it varies.
    for (before, begins) in [(0, 0), (1, 2), (2, 3)] {
        let padded = [&[0; 2][..before], bytes].concat();
        let text = STANDARD.encode(&padded);
        forms.push(alphanumerics(&text[begins..padded.len() / 3 * 4]));
    }
    forms
}

/// Returns the token in base32 and in base32hex (RFC 4648, sections 6 and 7), shifted by each number of bytes that may
/// precede it.
pub(super) fn in_base32(token: &str) -> Vec<Vec<u8>> {
    let alphabets = [b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHIJKLMNOPQRSTUV"];
    let shifted = alphabets
        .into_iter()
        .flat_map(|digits| (0..5).map(move |before| (digits, before)));
    let forms = shifted.map(|(digits, before)| {
        let padded = [&[0; 5][..before], token.as_bytes()].concat();
        let (begins, ends) = ((before * 8).div_ceil(5), padded.len() * 8 / 5);
        alphanumerics(base32(digits, &padded).get(begins..ends).unwrap_or_default())
    });
    forms.collect()
}

/// Returns the letters and digits of a text, in lower case.
pub(super) fn alphanumerics(text: &str) -> Vec<u8> {
    let alphanumerics = text.bytes().filter(u8::is_ascii_alphanumeric);
    alphanumerics.map(|letter| letter.to_ascii_lowercase()).collect()
}

fn rot13(text: &str) -> String {
    let rotated = |letter: char| match letter {
        'a'..='m' | 'A'..='M' => char::from(letter as u8 + 13),
        'n'..='z' | 'N'..='Z' => char::from(letter as u8 - 13),
        _ => letter,
    };
    text.chars().map(rotated).collect()
}

/// Base32 with these digits, and with zeros after an incomplete group of five bytes.
fn base32(digits: &[u8; 32], bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 5 * 8);
    for group in bytes.chunks(5) {
        let filled = group.iter().copied().chain(std::iter::repeat(0)).take(5);
        let number = filled.fold(0_u64, |number, byte| number << 8 | u64::from(byte));
        for digit in (0..8).rev() {
            let value = usize::try_from(number >> (digit * 5) & 31).unwrap_or_default();
            text.push(char::from(digits[value]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_written_as_others_write_it() {
        let token = "a-token-12";
        let forms = [&ciphers(token)[..], &encodings(token), &in_base32(token)].concat();
        // The values come from a shell's tools for RFC 4648: `printf a-token-12 | base32`, `base64`, `xxd -p`.
        for (form, text) in [
            ("reversed", "21nekota"),
            ("hex", "612d746f6b656e2d3132"),
            ("decimal", "97451161111071011104549 50"),
            ("rot13", "ngbxra12"),
            (
                "a list of hex",
                "0x61, 0x2d, 0x74, 0x6f, 0x6b, 0x65, 0x6e, 0x2d, 0x31, 0x32",
            ),
            ("base32", "mewxi33lmvxc2mjs"),
            ("base32hex", "c4mn8rrbcln2qc9i"),
            ("base64", "ys10b2tlbi0x"),
            // The same after `Bearer `, which is seven bytes, without the digits that share a bit with others.
            ("base32, moved on", "cllun5vwk3rngez"),
        ] {
            assert!(forms.contains(&alphanumerics(text)), "{form}: {forms:?}");
        }
    }
}
