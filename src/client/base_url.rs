//! The base URL: what may stand before the paths of the contract.

use reqwest::Url;

use super::ClientError;

/// Reads a base URL and returns it as the calls need it: without a slash at the end.
///
/// A path is kept as a prefix of every operation's path.
pub(super) fn parse(text: &str) -> Result<String, ClientError> {
    let refuse = |problem| Err(ClientError::BaseUrl { problem });
    let Ok(url) = Url::parse(text) else {
        return refuse("it is no URL; write it as `https://host` or `https://host:port/prefix`");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("its scheme must be `http` or `https`");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return refuse("it names no host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it must hold no user name or password; the token is the only credential");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("it must hold no query (`?`) and no fragment (`#`)");
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_at_the_end_go_and_a_prefix_stays() {
        for (text, expected) in [
            ("https://example.com", "https://example.com"),
            ("HTTP://EXAMPLE.com:80//", "http://example.com"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("https://example.com/contacts/", "https://example.com/contacts"),
            ("http://[::1]:1/a/b", "http://[::1]:1/a/b"),
        ] {
            assert_eq!(parse(text).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_no_base_url_is_refused_without_being_shown() {
        for (text, reason) in [
            ("", "no URL"),
            ("example.com", "no URL"),
            ("//example.com", "no URL"),
            ("http://", "no URL"),
            ("localhost:8080", "scheme"),
            ("ftp://example.com", "scheme"),
            ("file:///tmp", "scheme"),
            ("https://name:secret@example.com", "password"),
            ("https://name@example.com", "password"),
            ("https://example.com?", "query"),
            ("https://example.com/?page=secret", "query"),
            ("https://example.com/#secret", "fragment"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
