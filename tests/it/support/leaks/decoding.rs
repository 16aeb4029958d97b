//! Undoes the ways in which a text may be encoded. Each function takes any bytes, and leaves unchanged what is not
//! encoded in its way.

use memchr::memchr;

/// No output is written in more ways one over another.
const DEPTH: usize = 3;

type Decoder = fn(&[u8]) -> Vec<u8>;

const DECODERS: [Decoder; 7] = [
    |text| percent(text),
    |text| backslashes(text),
    |text| entities(text),
    |text| quoted_printable(text),
    |text| without_escapes(text),
    |text| utf_16(text, u16::from_le_bytes),
    |text| utf_16(text, u16::from_be_bytes),
];

/// The output as it is, and decoded in every way that changes it.
pub(super) fn views(output: &[u8]) -> Vec<Vec<u8>> {
    let mut views = vec![output.to_vec()];
    let mut fresh = 0;
    for _ in 0..DEPTH {
        let last = views.len();
        for index in fresh..last {
            for decode in DECODERS {
                let decoded = decode(&views[index]);
                if !decoded.is_empty() && !views.contains(&decoded) {
                    views.push(decoded);
                }
            }
        }
        fresh = last;
    }
    views
}

/// Copies a text, each beginning that `decode` knows replaced: it hands back how much it took and what that stood for.
fn replaced(text: &[u8], marker: u8, decode: impl Fn(&[u8]) -> Option<(usize, Vec<u8>)>) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(marker, rest) {
        decoded.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        if let Some((taken, stands_for)) = decode(rest) {
            decoded.extend(stands_for);
            rest = &rest[taken..];
        } else {
            decoded.push(marker);
            rest = &rest[1..];
        }
    }
    decoded.extend_from_slice(rest);
    decoded
}

fn number(digits: Option<&[u8]>, radix: u32) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits?).ok()?, radix).ok()
}

fn byte(digits: Option<&[u8]>, radix: u32) -> Option<Vec<u8>> {
    Some(vec![u8::try_from(number(digits, radix)?).ok()?])
}

fn letter(code: u32) -> Option<Vec<u8>> {
    Some(char::from_u32(code)?.to_string().into_bytes())
}

/// `%41` and `%u0041`.
fn percent(text: &[u8]) -> Vec<u8> {
    replaced(text, b'%', |rest| {
        if rest.get(1) == Some(&b'u') {
            return Some((6, letter(number(rest.get(2..6), 16)?)?));
        }
        Some((3, byte(rest.get(1..3), 16)?))
    })
}

/// `\u0041`, `\u{41}`, `\x41`, `\101`, `\n`, `\\`.
fn backslashes(text: &[u8]) -> Vec<u8> {
    replaced(text, b'\\', |rest| match rest.get(1)? {
        b'u' if rest.get(2) == Some(&b'{') => {
            let end = rest.iter().take(12).position(|byte| *byte == b'}')?;
            Some((end + 1, letter(number(rest.get(3..end), 16)?)?))
        }
        b'u' => {
            let unit = number(rest.get(2..6), 16)?;
            let low = number(rest.get(8..12), 16).filter(|low| (0xdc00..0xe000).contains(low));
            match (unit, low) {
                (0xd800..0xdc00, Some(low)) => Some((12, letter(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))?)),
                _ => Some((6, letter(unit)?)),
            }
        }
        b'x' => Some((4, byte(rest.get(2..4), 16)?)),
        b'0'..=b'7' => Some((4, byte(rest.get(1..4), 8)?)),
        b'n' | b'r' | b't' | b'b' | b'f' => Some((2, b" ".to_vec())),
        other => Some((2, vec![*other])),
    })
}

/// `&#65;`, `&#x41;` and the names that matter.
fn entities(text: &[u8]) -> Vec<u8> {
    replaced(text, b'&', |rest| {
        let end = rest.iter().take(12).position(|byte| *byte == b';')?;
        let stands_for = match &rest[1..end] {
            [b'#', b'x' | b'X', digits @ ..] => letter(number(Some(digits), 16)?)?,
            [b'#', digits @ ..] => letter(number(Some(digits), 10)?)?,
            b"amp" => b"&".to_vec(),
            b"commat" => b"@".to_vec(),
            b"nbsp" | b"shy" | b"zwj" | b"zwnj" => Vec::new(),
            _ => return None,
        };
        Some((end + 1, stands_for))
    })
}

/// `=41` and a line end behind `=` (RFC 2045, section 6.7).
fn quoted_printable(text: &[u8]) -> Vec<u8> {
    replaced(text, b'=', |rest| match rest.get(1..) {
        Some([b'\n', ..]) => Some((2, Vec::new())),
        Some([b'\r', b'\n', ..]) => Some((3, Vec::new())),
        _ => Some((3, byte(rest.get(1..3), 16)?)),
    })
}

/// Without the escapes that a terminal interprets.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    replaced(text, 0x1b, |rest| {
        let ends = |byte: &u8| (0x40..=0x7e).contains(byte) && *byte != b'[';
        let end = rest.iter().skip(1).position(ends)?;
        Some((end + 2, Vec::new()))
    })
}

fn utf_16(text: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    if !text.contains(&0) {
        return Vec::new();
    }
    // It may begin at an even or at an odd byte of the output.
    let mut decoded = Vec::new();
    for start in 0..2 {
        let pairs = text[start.min(text.len())..].chunks_exact(2);
        let units: Vec<_> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
        decoded.extend(String::from_utf16_lossy(&units).into_bytes());
        decoded.push(b'\n');
    }
    decoded
}
