//! Removes hop-by-hop headers (RFC 9110, section 7.6.1).

use http::header::{CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TE, TRANSFER_ENCODING, UPGRADE};

/// The hop-by-hop headers, besides those that `Connection` names.
const HOP_BY_HOP: [HeaderName; 5] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Whether a body has a transfer coding other than `chunked`, which is the one that is read here.
pub(super) fn has_other_transfer_coding(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(TRANSFER_ENCODING).iter();
    codings
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .any(|coding| !coding.trim_ascii().eq_ignore_ascii_case(b"chunked"))
}

/// Removes the hop-by-hop headers and a `Content-Length` beside a transfer coding, and reduces `TE` to `trailers`; all
/// else stays in its order. Returns the protocol that a request wants to change to, or that a response has changed to.
pub(super) fn remove_connection_headers(headers: &mut HeaderMap) -> Option<HeaderValue> {
    let named: Vec<_> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let protocol = headers
        .get(UPGRADE)
        .filter(|_| named.iter().any(|name| name == "upgrade"))
        .cloned();
    // A body in chunks ends by itself, whatever length is stated besides (RFC 9112, section 6.3).
    let is_chunked = headers.contains_key(TRANSFER_ENCODING);
    let mut current = None;
    // Removing a header would move the last one into its place.
    for (name, value) in std::mem::take(headers) {
        current = name.or(current);
        let Some(name) = &current else { continue };
        if is_chunked && *name == CONTENT_LENGTH {
            continue;
        }
        if *name == TE {
            // Whether the client takes trailers is the one thing in it that the service needs.
            if value.to_str().is_ok_and(|value| value.contains("trailers")) {
                headers.insert(TE, HeaderValue::from_static("trailers"));
            }
        } else if !HOP_BY_HOP.contains(name) && !named.iter().any(|named| named == name.as_str()) {
            headers.append(name, value);
        }
    }
    protocol
}

/// Adds the headers that request, or confirm, an upgrade of the protocol.
pub(super) fn add_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn what_belongs_to_one_connection_is_removed_and_all_else_stays() {
        let mut all = headers(&[
            ("connection", "keep-alive, X-Hop"),
            ("keep-alive", "timeout=5"),
            ("proxy-connection", "keep-alive"),
            ("transfer-encoding", "chunked"),
            ("x-hop", "1"),
            ("accept-encoding", "br"),
            ("authorization", "Bearer a-token"),
            ("trailer", "X-Sum"),
            ("te", "trailers, deflate"),
        ]);
        assert_eq!(remove_connection_headers(&mut all), None);
        let kept: Vec<_> = all
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        let expected = [
            ("accept-encoding", "br"),
            ("authorization", "Bearer a-token"),
            ("trailer", "X-Sum"),
            ("te", "trailers"),
        ];
        assert_eq!(kept, expected);
    }

    #[test]
    fn a_body_in_chunks_has_no_stated_length() {
        let mut both = headers(&[("content-length", "2"), ("transfer-encoding", "chunked"), ("a", "b")]);
        assert!(!has_other_transfer_coding(&both));
        remove_connection_headers(&mut both);
        assert_eq!(both, headers(&[("a", "b")]));
        let mut stated = headers(&[("content-length", "2")]);
        remove_connection_headers(&mut stated);
        assert_eq!(stated, headers(&[("content-length", "2")]));
    }

    #[test]
    fn another_transfer_coding_is_not_read() {
        for (coding, is_other) in [("Chunked", false), ("gzip, chunked", true), ("chunked, identity", true)] {
            assert_eq!(
                has_other_transfer_coding(&headers(&[("transfer-encoding", coding)])),
                is_other,
                "{coding}"
            );
        }
        assert!(!has_other_transfer_coding(&HeaderMap::new()));
    }

    #[test]
    fn an_upgrade_is_one_only_where_connection_says_so() {
        let mut asked = headers(&[("connection", "Upgrade"), ("upgrade", "websocket")]);
        let protocol = remove_connection_headers(&mut asked);
        assert_eq!(protocol, Some(HeaderValue::from_static("websocket")));
        assert!(asked.is_empty());
        add_upgrade(&mut asked, HeaderValue::from_static("websocket"));
        assert_eq!(asked, headers(&[("connection", "upgrade"), ("upgrade", "websocket")]));
        let mut stray = headers(&[("upgrade", "h2c")]);
        assert_eq!(remove_connection_headers(&mut stray), None);
        assert!(stray.is_empty());
    }
}
