//! The target of a run: a validated base URL. The main type is [`Target`].

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::tls::Tls;
use crate::client::{BaseUrlError, base_url};

/// The URL of a service in this process, where a URL is needed. Names under `localhost` are on this machine (RFC 6761,
/// section 6.3).
const IN_PROCESS: &str = "http://in-process.localhost";

/// The base URL of a service, deployed or in this process.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    base: Url,
    fixed_headers_and_query: Arc<FixedHeadersAndQuery>,
    tls: Option<Tls>,
    /// Whether the target is a service in this process, whose URL another target may have too.
    is_in_process: bool,
}

/// What the configuration adds to every request to a target.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct FixedHeadersAndQuery {
    /// The NAME of its table `[targets.NAME]`, if the configuration adds something to its requests: then the command
    /// that checks again names it with `--target`.
    pub(crate) target_name: Option<String>,
    /// Headers.
    pub(crate) headers: Vec<(String, String)>,
    /// Pairs of the query, not encoded.
    pub(crate) query: Vec<(String, String)>,
}

impl Target {
    /// Parses a base URL: `http` or `https`, a host, and optionally a path.
    ///
    /// # Errors
    ///
    /// A [`BaseUrlError`] that says which part is wrong.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let mut base = base_url::parse(text)?;
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        Ok(Self {
            base,
            fixed_headers_and_query: Arc::default(),
            tls: None,
            is_in_process: false,
        })
    }

    /// Makes the target for a service in this process. Reports name it by a URL like any other:
    /// `http://in-process.localhost`.
    #[must_use]
    pub(crate) fn in_process() -> Self {
        let base = Url::parse(IN_PROCESS).expect("a scheme and a host are a URL");
        Self {
            base,
            fixed_headers_and_query: Arc::default(),
            tls: None,
            is_in_process: true,
        }
    }

    /// Sets the headers and the query pairs that are added to every request.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn with_fixed_headers_and_query(self, fixed_headers_and_query: FixedHeadersAndQuery) -> Self {
        Self {
            fixed_headers_and_query: Arc::new(fixed_headers_and_query),
            ..self
        }
    }

    /// Returns the headers and the query pairs that are added to every request.
    pub(crate) fn fixed_headers_and_query(&self) -> &FixedHeadersAndQuery {
        &self.fixed_headers_and_query
    }

    /// Returns the target, reached with these certificates besides the machine's.
    #[cfg(feature = "cli")]
    #[must_use]
    pub(crate) fn with_tls(self, tls: Option<Tls>) -> Self {
        Self { tls, ..self }
    }

    /// Returns the certificates for connections to it, where they are not only the machine's.
    pub(crate) fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// Whether the target is a service in this process.
    #[must_use]
    pub(crate) fn is_in_process(&self) -> bool {
        self.is_in_process
    }

    /// Whether the target is reached over TLS.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Whether the target is on this machine, so that nobody on the way can read along.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        // The names are those of RFC 6761, section 6.3.
        address.map_or_else(
            |_| host == "localhost" || host.ends_with(".localhost"),
            |address| address.to_canonical().is_loopback(),
        )
    }

    /// Returns the port, the scheme's where the URL names none.
    #[cfg(feature = "cli")]
    pub(crate) fn port(&self) -> Option<u16> {
        self.base.port_or_known_default()
    }

    /// Whether something listens at the target's address.
    pub(crate) async fn connects(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = self.base.port_or_known_default().unwrap_or_default();
        tokio::net::TcpStream::connect((host, port)).await.is_ok()
    }

    /// Returns scheme, host and port: what a report may show of the target.
    #[must_use]
    pub fn origin(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    /// Whether a URL has the target's scheme, host and port.
    #[must_use]
    pub(crate) fn is_at(&self, url: &Url) -> bool {
        self.base.origin() == url.origin()
    }

    /// Returns the path of the base URL without a slash at its end; empty where there is none.
    #[must_use]
    pub fn base_path(&self) -> String {
        self.base.path().trim_end_matches('/').to_owned()
    }

    /// Returns origin and base path, without a slash at the end: the same for every spelling of the base URL, and
    /// different for two services at one origin.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}{}", self.origin(), self.base_path())
    }

    /// Returns the path under the base URL that the value of a `Location` header names: a URL at the target, or a path
    /// that begins with that of the base URL. `None` for anything that may be another resource: another origin, a
    /// query, or a dot segment, which a URL drops.
    #[must_use]
    pub(crate) fn path_of(&self, location: &str) -> Option<String> {
        let is_dot_segment = |segment: &str| {
            let decoded = percent_decode_str(segment).decode_utf8_lossy();
            matches!(&*decoded, "." | "..")
        };
        let is_plain = location.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        let is_absolute = location.starts_with('/') || location.contains("://");
        if !is_plain || !is_absolute || location.split(['/', '?', '#']).any(is_dot_segment) {
            return None;
        }
        let url = self.base.join(location).ok()?;
        let is_here = self.is_at(&url) && url.username().is_empty() && url.password().is_none();
        let path = url.path().strip_prefix(&self.base_path())?;
        let is_whole = url.query().is_none() && url.fragment().is_none() && path.starts_with('/');
        (is_here && is_whole).then(|| path.to_owned())
    }

    /// Returns the decoded pairs in the query of a link in the response to `path`. The link is a URL at the target, or
    /// a reference relative to the request. `None` for another origin or path, where the meaning of the query is not
    /// known.
    #[must_use]
    pub(crate) fn query_of(&self, link: &str, path: &str) -> Option<Vec<(String, String)>> {
        let request = self.url(path);
        let url = request.join(link).ok()?;
        let is_same = self.is_at(&url) && url.username().is_empty() && url.password().is_none();
        let pairs = url.query_pairs();
        (is_same && url.path() == request.path()).then(|| {
            pairs
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect()
        })
    }

    /// Returns the URL of a path under the base.
    #[must_use]
    pub fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let (path, query) = path
            .split_once('?')
            .map_or((path, None), |(path, query)| (path, Some(query)));
        url.set_path(&format!("{}{path}", self.base_path()));
        url.set_query(query);
        url
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Target").field(&self.origin()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_address_and_by_name() {
        let is_loopback = |host: &str| Target::parse(&format!("http://{host}:8080")).unwrap().is_loopback();
        for host in [
            "127.0.0.1", "127.8.9.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST", "a.localhost",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "0.0.0.0", "10.0.0.1", "[::2]", "localhost.example.com", "127.example.com",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_service_in_this_process_is_on_this_machine() {
        let target = Target::in_process();
        assert!(target.is_in_process() && target.is_loopback() && !target.is_tls());
        // A URL that somebody gives is reached over the network, whatever it is.
        assert!(!Target::parse(IN_PROCESS).unwrap().is_in_process());
        assert_eq!(
            target.url("/v1/tags?page=2").as_str(),
            "http://in-process.localhost/v1/tags?page=2"
        );
    }

    #[test]
    fn a_path_is_kept_and_a_trailing_slash_is_not() {
        let target = Target::parse("https://api.example.com/tenant/a/").unwrap();
        assert_eq!(
            target.url("/v1/tags?page=2").as_str(),
            "https://api.example.com/tenant/a/v1/tags?page=2"
        );
        assert_eq!(target.origin(), "https://api.example.com");
        assert_eq!(target.base_path(), "/tenant/a");
        assert_eq!(Target::parse("https://api.example.com/").unwrap().base_path(), "");
    }

    #[test]
    fn a_base_url_is_written_in_one_way_and_is_read_back() {
        for (text, written) in [
            ("https://api.example.com", "https://api.example.com"),
            ("HTTPS://API.example.com:443/", "https://api.example.com"),
            (
                "https://api.example.com/tenant/b/../a//",
                "https://api.example.com/tenant/a",
            ),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ] {
            let target = Target::parse(text).unwrap();
            assert_eq!(target.base_url(), written);
            assert_eq!(Target::parse(written).unwrap(), target);
        }
    }
}
