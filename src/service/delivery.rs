//! Rate, latency and compression: [`limit_rate`] and [`delay_and_compress`] add to a router what the profile asks for.
//!
//! The default profile asks for nothing, so nothing is added.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use flate2::write::GzEncoder;
use tokio::time::Instant;

use super::profile::{Compression, Latency, Profile, RateLimit};
use super::rejection::Rejection;

/// The maximum number of requests per second where they are limited.
const MAX_REQUESTS_PER_SECOND: u32 = 50;

/// The maximum size of a response in bytes, before it is compressed: more than a page of 100 whole contacts.
const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;

/// Delays and compresses the responses of `router`, as `profile` says.
pub(super) fn delay_and_compress(router: Router, profile: &Profile) -> Router {
    let mut router = router;
    if profile.compression == Compression::Gzip {
        router = router.layer(middleware::from_fn(compress));
    }
    if profile.latency != Latency::None {
        let pause = profile.latency.pause();
        router = router.layer(middleware::from_fn(move |request: Request, next: Next| async move {
            tokio::time::sleep(pause).await;
            next.run(request).await
        }));
    }
    router
}

/// Rejects requests beyond the profile's rate. Belongs inside the layer that writes rejections.
pub(super) fn limit_rate<S: Clone + Send + Sync + 'static>(router: Router<S>, profile: &Profile) -> Router<S> {
    if profile.rate_limit == RateLimit::Unlimited {
        return router;
    }
    let window = Arc::new(Mutex::new(Window::default()));
    router.layer(middleware::from_fn(move |request: Request, next: Next| {
        let admitted = window
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .admits(Instant::now());
        async move {
            if admitted {
                next.run(request).await
            } else {
                Rejection::TooManyRequests.into_response()
            }
        }
    }))
}

/// The current second, and how many requests it has seen.
#[derive(Default)]
struct Window {
    began: Option<Instant>,
    seen: u32,
}

impl Window {
    fn admits(&mut self, now: Instant) -> bool {
        if self.began.is_none_or(|began| now - began >= Duration::from_secs(1)) {
            self.began = Some(now);
            self.seen = 0;
        }
        self.seen += 1;
        self.seen <= MAX_REQUESTS_PER_SECOND
    }
}

/// Marks a response that must not be compressed, because a fault cuts it off: its body cannot be read to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoNotCompress;

/// Compresses the body of a response for a client that accepts gzip.
async fn compress(request: Request, next: Next) -> Response {
    let accepted = accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    response
        .headers_mut()
        .append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !accepted || response.status() == StatusCode::NO_CONTENT {
        return response;
    }
    if response.extensions().get::<DoNotCompress>().is_some() {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let zipped = match axum::body::to_bytes(body, MAX_RESPONSE_BYTES).await {
        // The response to HEAD has no body to compress.
        Ok(bytes) if bytes.is_empty() => return Response::from_parts(head, Body::empty()),
        Ok(bytes) => gzip(&bytes),
        Err(_) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    head.headers
        .insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, zipped.into())
}

fn gzip(bytes: &Bytes) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

/// Returns whether gzip is among the codings that a client accepts, and not at weight 0 (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
    let codings: Vec<_> = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
            let weight = weight.trim().strip_prefix(['q', 'Q']).unwrap_or_default();
            let weight = weight.strip_prefix('=').and_then(|weight| weight.parse().ok());
            (name.trim(), weight.unwrap_or(1.0))
        })
        .collect();
    let weight = |wanted: &str| codings.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    // `*` stands for the codings that are not named.
    weight("gzip")
        .or_else(|| weight("*"))
        .is_some_and(|(_, weight)| *weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_admits_its_share_and_the_next_one_again() {
        let mut window = Window::default();
        let start = Instant::now();
        let admitted = (0..MAX_REQUESTS_PER_SECOND + 5)
            .filter(|_| window.admits(start))
            .count();
        assert_eq!(admitted, MAX_REQUESTS_PER_SECOND as usize);
        assert!(!window.admits(start + Duration::from_millis(999)));
        assert!(window.admits(start + Duration::from_secs(1)));
    }

    #[test]
    fn gzip_is_taken_where_it_is_named_with_weight() {
        let taken = |line: &'static str| {
            accepts_gzip(&HeaderMap::from_iter([(
                header::ACCEPT_ENCODING,
                HeaderValue::from_static(line),
            )]))
        };
        for line in ["gzip", "br, gzip;q=0.5", "*", "GZIP", "*;q=0, gzip", "gzip;Q=1"] {
            assert!(taken(line), "{line}");
        }
        for line in ["", "identity", "br", "gzip;q=0", "gzip;q=0, *", "gzip;Q=0", "*;q=0"] {
            assert!(!taken(line), "{line}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
