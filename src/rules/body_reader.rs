//! Reads the bodies of responses. A body that comes again is parsed only once, because a run of many rounds gets the
//! same pages over and over. The main type is [`BodyReader`].

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::exchange::json::{self, Body, JsonError};

/// The maximum size of a cached body, in bytes.
const MAX_CACHED_BODY_SIZE: usize = 16 << 10;
/// The maximum number of cached bodies: at most some fifty megabytes of parsed values.
const MAX_CACHED_BODIES: usize = 256;

/// A body as it was read.
pub(super) type ReadBody = Result<Arc<Body>, JsonError>;

/// Reads bodies.
#[derive(Debug, Default)]
pub(super) struct BodyReader {
    /// The last body of each path, if bodies are cached.
    cached: Option<HashMap<String, (Bytes, Arc<Body>)>>,
}

impl BodyReader {
    /// Creates a reader that caches bodies.
    pub(super) fn caching() -> Self {
        Self {
            cached: Some(HashMap::new()),
        }
    }

    /// Returns the body of a response to a call of this path: parsed, or known from a response with the very same
    /// bytes.
    pub(super) fn read(&mut self, path: &str, bytes: &Bytes) -> ReadBody {
        let Some(cached) = self.cached.as_mut().filter(|_| bytes.len() <= MAX_CACHED_BODY_SIZE) else {
            return json::read(bytes).map(Arc::new);
        };
        if let Some((_, body)) = cached.get(path).filter(|(known, _)| known == bytes) {
            return Ok(Arc::clone(body));
        }
        let body = Arc::new(json::read(bytes)?);
        if cached.len() < MAX_CACHED_BODIES || cached.contains_key(path) {
            cached.insert(path.to_owned(), (bytes.clone(), Arc::clone(&body)));
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
    fn little_is_cached_however_much_comes() {
        let mut reading = BodyReader::caching();
        let large = bytes(&format!("\"{}\"", "x".repeat(MAX_CACHED_BODY_SIZE)));
        for number in 0..2 * MAX_CACHED_BODIES {
            reading.read(&format!("/{number}"), &bytes("1")).unwrap();
            reading.read("/large", &large).unwrap();
        }
        let cached = reading.cached.unwrap();
        assert_eq!(
            (cached.len(), cached.contains_key("/large")),
            (MAX_CACHED_BODIES, false)
        );
    }

    #[test]
    fn nothing_is_cached_unless_it_is_wanted() {
        let mut reading = BodyReader::default();
        let first = reading.read("/a", &bytes("[1]")).unwrap();
        assert!(!Arc::ptr_eq(&first, &reading.read("/a", &bytes("[1]")).unwrap()));
    }
}
