//! Removes the content codings from a body (RFC 9110, section 8.4). The main function is [`decode`].
//!
//! # Design
//!
//! `reqwest` reads only the first gzip member of a body and drops the rest, recognises one spelling of the coding's
//! name, and reads one coding only. So it decodes nothing here, and this module requests gzip itself.
//!
//! The document says nothing about codings, so reading is lenient where common clients are. A body may have several
//! members (RFC 1952, section 2.2), and anything after the last one that is not a member is skipped, as Python's
//! urllib3 does. A name that is not a registered coding is treated as a mistaken label of a plain body, as browsers do.
//! A member that is cut off or has a wrong checksum was not received whole, and a registered coding that was not
//! requested cannot be read.
//!
//! Each layer is bounded by the cap and yields to other tasks while it is decoded, so the deadline holds even for a
//! body of endless empty members and for one that is compressed many times over.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::write::GzDecoder;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

use super::exchange::Failure;

/// The codings that a request accepts.
pub(super) const ACCEPTED: &str = "gzip";

/// The codings that IANA registers and that are not decoded here.
const UNSUPPORTED_CODINGS: [&str; 10] = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "pack200-gzip", "x-compress", "zstd",
];

/// How a member begins: the two magic bytes, and deflate, the only method that exists.
const MEMBER: [u8; 3] = [0x1f, 0x8b, 8];

/// The number of bytes, before decoding, after which decoding yields to other tasks.
const YIELD_AFTER: usize = 16 << 10;

/// A body without its content codings.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) body: Bytes,
    /// Whether a coding was removed. `identity`, and a name that is no coding, do not count.
    pub(crate) was_compressed: bool,
}

/// Returns the body without the codings that the head names. If there were any, removes `Content-Encoding` and
/// `Content-Length` from the head. An empty body is empty in every coding.
///
/// # Errors
///
/// [`Failure::Decoding`] for a body that is not valid in its coding or has one that is not decoded here,
/// [`Failure::TooLarge`] for more than `maximum` bytes.
pub(crate) async fn decode(headers: &mut HeaderMap, mut body: Bytes, maximum: usize) -> Result<Decoded, Failure> {
    if body.is_empty() || !headers.contains_key(CONTENT_ENCODING) {
        return Ok(Decoded {
            body,
            was_compressed: false,
        });
    }
    let layers = layers(headers)?;
    for _ in 0..layers {
        body = Layer::of(&body, maximum).unpack().await?.into();
    }
    let was_compressed = layers > 0;
    if was_compressed {
        headers.remove(CONTENT_ENCODING);
        headers.remove(CONTENT_LENGTH);
    }
    Ok(Decoded { body, was_compressed })
}

/// Whether every content coding that the head names can be decoded here.
#[cfg(feature = "cli")]
pub(crate) fn has_only_read_codings(headers: &HeaderMap) -> bool {
    layers(headers).is_ok()
}

/// Returns how many times over the body is compressed.
fn layers(headers: &HeaderMap) -> Result<usize, Failure> {
    let lines = headers.get_all(CONTENT_ENCODING).iter();
    let named = lines.filter_map(|line| line.to_str().ok());
    let names = named.flat_map(|line| line.split(',')).map(str::trim);
    let mut layers = 0;
    for name in names {
        if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
            layers += 1;
        } else if UNSUPPORTED_CODINGS
            .iter()
            .any(|coding| name.eq_ignore_ascii_case(coding))
        {
            return Err(Failure::Decoding);
        }
    }
    Ok(layers)
}

/// One layer of gzip that is being removed from a body.
struct Layer<'body> {
    packed: &'body [u8],
    unpacked: Capped,
    /// The number of bytes decoded since decoding last yielded to other tasks.
    since_yield: usize,
}

impl<'body> Layer<'body> {
    fn of(packed: &'body [u8], maximum: usize) -> Self {
        Self {
            packed,
            unpacked: Capped {
                bytes: Vec::new(),
                maximum,
            },
            since_yield: 0,
        }
    }

    async fn unpack(mut self) -> Result<Vec<u8>, Failure> {
        loop {
            self.member().await?;
            if !self.packed.starts_with(&MEMBER) {
                return Ok(self.unpacked.bytes);
            }
        }
    }

    /// Decodes the next member.
    async fn member(&mut self) -> Result<(), Failure> {
        let mut decoder = GzDecoder::new(&mut self.unpacked);
        while !self.packed.is_empty() {
            let piece = &self.packed[..self.packed.len().min(YIELD_AFTER)];
            let taken = decoder.write(piece).map_err(|error| failure(&error))?;
            if taken == 0 {
                break;
            }
            self.packed = &self.packed[taken..];
            self.since_yield += taken;
            if self.since_yield >= YIELD_AFTER {
                self.since_yield = 0;
                tokio::task::yield_now().await;
            }
        }
        decoder.finish().map_err(|error| failure(&error))?;
        Ok(())
    }
}

/// The bytes of a body, up to a maximum.
struct Capped {
    bytes: Vec<u8>,
    maximum: usize,
}

/// The error of [`Capped`] for one byte too many.
#[derive(Debug, thiserror::Error)]
#[error("more than {maximum} bytes")]
struct LimitExceeded {
    maximum: usize,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let maximum = self.maximum;
        if self.bytes.len() + bytes.len() > maximum {
            return Err(io::Error::other(LimitExceeded { maximum }));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn failure(error: &io::Error) -> Failure {
    let beyond = error.get_ref().and_then(|error| error.downcast_ref::<LimitExceeded>());
    beyond.map_or(Failure::Decoding, |beyond| Failure::TooLarge {
        maximum: beyond.maximum,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use reqwest::header::HeaderValue;

    use super::*;

    const MAXIMUM: usize = 1 << 20;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    async fn decoded(lines: &[&'static str], body: impl Into<Bytes>) -> Result<Bytes, Failure> {
        with_coding(lines, body).await.map(|decoded| decoded.body)
    }

    async fn with_coding(lines: &[&'static str], body: impl Into<Bytes>) -> Result<Decoded, Failure> {
        let lines = lines
            .iter()
            .map(|line| (CONTENT_ENCODING, HeaderValue::from_static(line)));
        decode(&mut lines.collect(), body.into(), MAXIMUM).await
    }

    #[tokio::test]
    async fn the_members_of_a_body_are_read_one_after_the_other() {
        let members = [gzip(b"one"), gzip(b""), gzip(b"two")].concat();
        assert_eq!(decoded(&["gzip"], members).await.unwrap(), "onetwo");
    }

    #[tokio::test]
    async fn what_follows_the_last_member_is_skipped() {
        for beyond in [
            &b"\0\0\0\0"[..],
            b"and more",
            b"\x1f",
            b"\x1f\x8b",
            b"\x1f\x8b\x07 no method",
        ] {
            let body = [&gzip(b"one")[..], beyond].concat();
            assert_eq!(decoded(&["gzip"], body).await.unwrap(), "one", "{beyond:?}");
        }
    }

    #[tokio::test]
    async fn a_member_that_is_cut_anywhere_is_not_decoded() {
        let (first, second) = (gzip(b"one"), gzip(b"two"));
        for length in 1..first.len() {
            let cut = first[..length].to_vec();
            assert_eq!(decoded(&["gzip"], cut).await, Err(Failure::Decoding), "{length}");
        }
        for length in MEMBER.len()..second.len() {
            let cut = [&first[..], &second[..length]].concat();
            assert_eq!(decoded(&["gzip"], cut).await, Err(Failure::Decoding), "{length}");
        }
    }

    #[tokio::test]
    async fn a_wrong_checksum_and_a_wrong_length_are_seen() {
        let whole = gzip(b"one");
        for at in [whole.len() - 8, whole.len() - 4] {
            let mut wrong = whole.clone();
            wrong[at] ^= 1;
            assert_eq!(decoded(&["gzip"], wrong).await, Err(Failure::Decoding), "{at}");
        }
    }

    #[tokio::test]
    async fn a_coding_is_known_in_every_spelling_and_as_often_as_it_is_named() {
        let (once, twice) = (gzip(b"one"), gzip(&gzip(b"one")));
        for lines in [
            &["gzip"][..],
            &["GZip"],
            &["x-gzip"],
            &["identity, gzip"],
            &[" ,gzip,"],
            &["gzip", "identity"],
        ] {
            assert_eq!(decoded(lines, once.clone()).await.unwrap(), "one", "{lines:?}");
        }
        for lines in [&["gzip, gzip"][..], &["gzip", "X-GZIP"]] {
            assert_eq!(decoded(lines, twice.clone()).await.unwrap(), "one", "{lines:?}");
        }
    }

    #[tokio::test]
    async fn a_name_that_is_no_coding_leaves_the_body_as_it_is() {
        for line in ["identity", "", "utf-8", "none", "text/plain"] {
            assert_eq!(decoded(&[line], "{}").await.unwrap(), "{}", "{line}");
        }
        let body = gzip(b"one");
        assert_eq!(decoded(&[], body.clone()).await.unwrap(), body);
    }

    #[tokio::test]
    async fn a_body_was_coded_only_if_a_coding_was_removed_from_it() {
        let body = gzip(b"one");
        for lines in [&["gzip"][..], &["identity, x-gzip"], &["gzip", "identity"]] {
            assert!(
                with_coding(lines, body.clone()).await.unwrap().was_compressed,
                "{lines:?}"
            );
        }
        for lines in [&[][..], &["identity"], &["Identity, identity"], &[""], &["utf-8"]] {
            assert!(!with_coding(lines, "{}").await.unwrap().was_compressed, "{lines:?}");
        }
        assert!(!with_coding(&["gzip"], "").await.unwrap().was_compressed);
    }

    #[tokio::test]
    async fn a_coding_that_is_not_read_here_is_said_to_be_none() {
        for line in ["br", "Zstd", "deflate", "gzip, br", "br, gzip"] {
            assert_eq!(decoded(&[line], gzip(b"{}")).await, Err(Failure::Decoding), "{line}");
        }
    }

    #[tokio::test]
    async fn an_empty_body_is_empty_in_every_coding() {
        for line in ["gzip", "br", "gzip, gzip"] {
            assert_eq!(decoded(&[line], "").await.unwrap(), "", "{line}");
        }
    }

    #[tokio::test]
    async fn a_decoded_body_leaves_no_word_of_its_coding_in_the_head() {
        let body = gzip(b"one");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        decode(&mut headers, body.into(), MAXIMUM).await.unwrap();
        assert!(headers.is_empty(), "{headers:?}");
    }

    #[tokio::test]
    async fn the_cap_holds_at_its_last_byte_and_in_each_layer() {
        let (most, more) = (vec![0; MAXIMUM], vec![0; MAXIMUM + 1]);
        assert_eq!(decoded(&["gzip"], gzip(&most)).await.unwrap(), most);
        let too_large = Err(Failure::TooLarge { maximum: MAXIMUM });
        assert_eq!(decoded(&["gzip"], gzip(&more)).await, too_large);
        let members = [gzip(&most), gzip(b"a")].concat();
        assert_eq!(decoded(&["gzip"], members).await, too_large);
        // The result is small; what has to be held on the way is not.
        let nothing = gzip(b"").repeat(MAXIMUM / 20 + 1);
        assert_eq!(decoded(&["gzip, gzip"], gzip(&nothing)).await, too_large);
    }

    #[tokio::test]
    async fn a_deadline_holds_while_a_body_is_decoded() {
        let nothing = gzip(b"").repeat(1 << 16);
        let decoding = decoded(&["gzip"], nothing);
        let outcome = tokio::time::timeout(Duration::from_millis(1), decoding).await;
        assert!(outcome.is_err());
    }
}
