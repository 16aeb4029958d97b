//! Reads the bodies of responses. A body that comes again is parsed only once, because a soak gets
//! the same pages over and over. The main type is [`BodyReader`].

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::exchange::json::{self, Body, JsonError};

/// The size of the largest body that is kept, in bytes, and the number of bodies kept: some fifty megabytes of values
/// at most.
const LARGEST: usize = 16 << 10;
const MOST: usize = 256;

/// A body as it was read.
pub(super) type ReadBody = Result<Arc<Body>, JsonError>;

/// Reads bodies.
#[derive(Debug, Default)]
pub(super) struct BodyReader {
    /// The last body of each path, where bodies are kept.
    kept: Option<HashMap<String, (Bytes, Arc<Body>)>>,
}

impl BodyReader {
    /// Creates a reader that keeps bodies.
    pub(super) fn caching() -> Self {
        Self {
            kept: Some(HashMap::new()),
        }
    }

    /// Returns the body of a response to a call of this path: parsed, or known from a response with the very same
    /// bytes.
    pub(super) fn read(&mut self, path: &str, bytes: &Bytes) -> ReadBody {
        let Some(kept) = self.kept.as_mut().filter(|_| bytes.len() <= LARGEST) else {
            return json::read(bytes).map(Arc::new);
        };
        if let Some((_, body)) = kept.get(path).filter(|(known, _)| known == bytes) {
            return Ok(Arc::clone(body));
        }
        let body = Arc::new(json::read(bytes)?);
        if kept.len() < MOST || kept.contains_key(path) {
            kept.insert(path.to_owned(), (bytes.clone(), Arc::clone(&body)));
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Bytes {
        Bytes::from(text.to_owned())
    }

    #[test]
    fn the_same_bytes_of_one_path_are_read_once() {
        let mut reading = BodyReader::caching();
        let first = reading.read("/a", &bytes("[1]")).unwrap();
        assert!(Arc::ptr_eq(&first, &reading.read("/a", &bytes("[1]")).unwrap()));
        assert!(!Arc::ptr_eq(&first, &reading.read("/b", &bytes("[1]")).unwrap()));
    }

    #[test]
    fn other_bytes_are_read_for_what_they_are() {
        let mut reading = BodyReader::caching();
        for text in ["[1]", "[2]", "[1]", "[", "[1]"] {
            let read = reading.read("/a", &bytes(text));
            assert_eq!(read, json::read(text.as_bytes()).map(Arc::new), "{text}");
        }
    }

    #[test]
    fn little_is_kept_however_much_comes() {
        let mut reading = BodyReader::caching();
        let large = bytes(&format!("\"{}\"", "x".repeat(LARGEST)));
        for number in 0..2 * MOST {
            reading.read(&format!("/{number}"), &bytes("1")).unwrap();
            reading.read("/large", &large).unwrap();
        }
        let kept = reading.kept.unwrap();
        assert_eq!((kept.len(), kept.contains_key("/large")), (MOST, false));
    }

    #[test]
    fn nothing_is_kept_unless_it_is_wanted() {
        let mut reading = BodyReader::default();
        let first = reading.read("/a", &bytes("[1]")).unwrap();
        assert!(!Arc::ptr_eq(&first, &reading.read("/a", &bytes("[1]")).unwrap()));
    }
}
