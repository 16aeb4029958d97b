//! Replaces each credential in an archive by a number, so that no secret is written and clients can still be told
//! apart. The main type is [`Credentials`].

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, PROXY_AUTHORIZATION};
use serde_json::{Value, json};

use super::entry::{BASE64, BASE64_URL, is_redacted};
use crate::contract::Contract;
use crate::contract::operation::SecurityScheme;
use crate::exchange::redact::{Redaction, SHORTEST_TOKEN};
use crate::exchange::{Digest, is_secret_name};

/// How many values are numbered: a client may send a different one with each request. The digests take less than 1 MB.
const MAX_NUMBERED: usize = 10_000;
/// How many redactions are kept. One for a token of 4,000 characters takes about 1 MB.
const MAX_REDACTIONS: usize = 16;
/// The stand-in once all numbers are used up. It looks redacted, so whoever reads the archive treats the client as
/// unknown.
const UNNUMBERED: &str = "<redacted>";

/// The credentials that were seen.
pub(super) struct Credentials {
    /// The headers, cookies and parameters that carry one according to the contract, in lower case.
    documented: HashSet<String>,
    numbers: HashMap<Digest, usize>,
    redactions: HashMap<Digest, Redaction>,
}

impl Credentials {
    pub(super) fn of(contract: &Contract) -> Self {
        let names = contract
            .operations
            .iter()
            .filter_map(|operation| match operation.security.scheme()? {
                SecurityScheme::ApiKeyCookie { name }
                | SecurityScheme::ApiKeyHeader { name }
                | SecurityScheme::ApiKeyQuery { name } => Some(name.to_ascii_lowercase()),
                SecurityScheme::Basic | SecurityScheme::Bearer | SecurityScheme::Named { .. } => None,
            });
        Self {
            documented: names.collect(),
            numbers: HashMap::new(),
            redactions: HashMap::new(),
        }
    }

    /// Returns what is written in place of a value, the same for equal values. The scheme stays if it is one of the two
    /// that nearly every service uses.
    pub(super) fn stand_in(&mut self, value: &str) -> String {
        let scheme = value.split_inclusive(' ').next().filter(|scheme| {
            let scheme = scheme.trim_end();
            scheme.len() < value.len() && ["bearer", "basic"].contains(&scheme.to_ascii_lowercase().as_str())
        });
        let scheme = scheme.unwrap_or_default();
        let secret = value.strip_prefix(scheme).unwrap_or(value);
        let next = self.numbers.len() + 1;
        let digest = Digest::of(&Value::from(secret));
        let number = match self.numbers.get(&digest) {
            Some(number) => *number,
            None if next <= MAX_NUMBERED => *self.numbers.entry(digest).or_insert(next),
            None => return format!("{scheme}{UNNUMBERED}"),
        };
        // A client whose credential was already redacted stays unknown to whoever reads the archive.
        let redacted = if is_redacted(secret) { "redacted " } else { "" };
        format!("{scheme}<{redacted}credential {number}>")
    }

    /// Whether the contract documents a credential of this name.
    pub(super) fn is_documented(&self, name: &str) -> bool {
        self.documented.contains(&name.to_ascii_lowercase())
    }

    /// Whether a header or a parameter with this name carries a secret: by a usual name, or by one that the contract
    /// documents.
    pub(super) fn is_secret(&self, name: &str) -> bool {
        self.is_documented(name) || is_secret_name(name)
    }

    /// Returns the redaction that hides the credentials in a request's headers and query wherever else they appear in
    /// its exchange.
    pub(super) fn redaction(&mut self, headers: &HeaderMap, url: &Url) -> Redaction {
        let carrying = headers.iter().filter(|(name, _)| self.is_secret(name.as_str()));
        let mut secrets: Vec<String> = carrying
            .flat_map(|(name, value)| secrets(name, &String::from_utf8_lossy(value.as_bytes())))
            .collect();
        let in_query = url.query_pairs().filter(|(name, _)| self.is_secret(name));
        secrets.extend(
            in_query
                .map(|(_, value)| value.into_owned())
                .filter(|value| is_long_enough(value)),
        );
        secrets.sort_unstable();
        secrets.dedup();
        if secrets.is_empty() {
            return Redaction::default();
        }
        if self.redactions.len() == MAX_REDACTIONS {
            self.redactions.clear();
        }
        let redaction = self.redactions.entry(Digest::of(&json!(secrets)));
        redaction
            .or_insert_with(|| Redaction::of_secrets(secrets.iter().map(String::as_str)))
            .clone()
    }
}

/// Returns the secrets in the value of a header: tokens, the values of cookies and of parameters, and the password of
/// Basic (RFC 7617). What is too short to be hidden without breaking words is left out. A token may contain what
/// separates a name from its value; in a cookie, the name is no secret.
fn secrets(header: &HeaderName, value: &str) -> Vec<String> {
    let are_cookies = *header == COOKIE;
    let pieces = value.split(|character: char| character.is_whitespace() || matches!(character, ';' | ','));
    let mut secrets = Vec::new();
    // A secret may contain spaces. In these two headers, a scheme precedes it.
    if [AUTHORIZATION, PROXY_AUTHORIZATION].contains(header) {
        secrets.extend(value.split_once(' ').map(|(_, secret)| secret.trim().to_owned()));
    } else if !are_cookies {
        secrets.push(value.trim().to_owned());
    }
    for piece in pieces {
        let named = piece.split_once('=').map(|(_, secret)| secret);
        // Base64 ends in the same character that separates a name from its value.
        let secret = named
            .filter(|secret| !secret.trim_matches('=').is_empty())
            .unwrap_or(piece);
        secrets.push(secret.trim_matches('"').to_owned());
        if !are_cookies && secret != piece {
            secrets.push(piece.to_owned());
        }
        // Some clients leave the padding out, or use the alphabet for URLs.
        let decoded = [&BASE64, &BASE64_URL]
            .into_iter()
            .find_map(|engine| engine.decode(secret).ok());
        let decoded = decoded.map(text);
        if let Some((_, password)) = decoded.as_deref().and_then(|decoded| decoded.split_once(':')) {
            secrets.push(password.to_owned());
        }
    }
    secrets.retain(|secret| is_long_enough(secret));
    secrets
}

/// Reads the user and the password of Basic: in UTF-8, or in ISO 8859-1 as older clients write them (RFC 7617, section
/// 2.1).
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect())
}

fn is_long_enough(secret: &str) -> bool {
    secret.chars().count() >= SHORTEST_TOKEN
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    use super::*;

    fn credentials() -> Credentials {
        Credentials::of(crate::testing::built_in())
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap()));
        pairs.collect()
    }

    #[test]
    fn equal_values_have_one_number_and_only_two_schemes_are_kept() {
        let mut credentials = credentials();
        for (value, stand_in) in [
            ("Bearer tk-one", "Bearer <credential 1>"),
            ("Bearer tk-two", "Bearer <credential 2>"),
            ("tk-one", "<credential 1>"),
            ("basic tk-one", "basic <credential 1>"),
            ("Digest tk-one", "<credential 3>"),
            ("Bearer", "<credential 4>"),
            ("", "<credential 5>"),
            ("Bearer ***", "Bearer <redacted credential 6>"),
            ("Bearer tk-one", "Bearer <credential 1>"),
        ] {
            assert_eq!(credentials.stand_in(value), stand_in, "{value}");
        }
    }

    #[test]
    fn more_values_than_are_numbered_have_one_stand_in_that_looks_redacted() {
        let mut credentials = credentials();
        for number in 1..=MAX_NUMBERED {
            let stand_in = credentials.stand_in(&format!("Bearer {number}"));
            assert!(!is_redacted(&stand_in), "{stand_in}");
        }
        let further = ["Bearer a", "Bearer b"].map(|value| credentials.stand_in(value));
        assert_eq!(further, ["Bearer <redacted>"; 2]);
        assert!(is_redacted(&further[0]));
        assert_eq!(credentials.stand_in("Bearer 7"), "Bearer <credential 7>");
        assert_eq!(credentials.numbers.len(), MAX_NUMBERED);
    }

    #[test]
    fn every_secret_of_a_request_is_hidden_and_no_other_text() {
        let mut credentials = credentials();
        let headers = headers(&[
            ("authorization", "Basic amFuZTpodW50ZXIyaHVudGVyMg=="),
            ("cookie", "organization=short; session=c00kie-0123456789; theme=dark"),
            ("x-api-key", "key-of-4711-abcdef"),
            ("x-auth-token", "ab+/cd=ef-gh user=jane,sig=f8d7a6"),
            ("x-tenant", "organization"),
        ]);
        let url = Url::parse("http://example.com/tags?api_key=in%2Fquery-4711&page=organization").unwrap();
        let redaction = credentials.redaction(&headers, &url);
        for secret in [
            "in/query-4711",
            "ab+/cd=ef-gh",
            "user=jane",
            "sig=f8d7a6",
            "amFuZTpodW50ZXIyaHVudGVyMg",
            "hunter2hunter2",
            "c00kie-0123456789",
            "key-of-4711-abcdef",
        ] {
            let hidden = redaction.hide(&format!("<{secret}>"));
            assert!(!hidden.contains(secret), "{secret}: {hidden}");
        }
        for other in ["/organization/v1/tags", "dark session short", "application/json"] {
            assert_eq!(redaction.hide(other), other);
        }
    }

    #[test]
    fn a_secret_with_spaces_or_letters_beyond_ascii_is_hidden() {
        let mut credentials = credentials();
        let url = Url::parse("http://example.com/tags?api_key=pass%20w%C3%B6rd%20one").unwrap();
        let basic = |text: &[u8]| format!("Basic {}", STANDARD.encode(text));
        let unpadded = |text: &[u8]| basic(text).trim_end_matches('=').to_owned();
        let of_url = |text: &[u8]| format!("Basic {}", URL_SAFE_NO_PAD.encode(text));
        for (authorization, secret) in [
            (basic("jane:correct hörse".as_bytes()), "correct hörse"),
            (basic(b"jane:correct h\xf6rse"), "correct hörse"),
            (basic(b"jane:correct horse"), "correct horse"),
            (unpadded(b"jane:correct horse"), "correct horse"),
            (of_url(b"jane:correct ~~~~ >>>> horse"), "correct ~~~~ >>>> horse"),
            ("ApiKey key of nobody".to_owned(), "key of nobody"),
        ] {
            let headers = headers(&[("authorization", &authorization), ("x-api-key", "seven red words")]);
            let redaction = credentials.redaction(&headers, &url);
            for secret in [secret, "pass wörd one", "pass%20w%C3%B6rd%20one", "seven red words"] {
                let hidden = redaction.hide(&format!("<{secret}>"));
                assert_eq!(hidden, "<$COUNTERSIGN_TOKEN>", "{secret}");
            }
            assert_eq!(redaction.hide("jane reads seven words"), "jane reads seven words");
        }
    }

    #[test]
    fn few_redactions_are_kept() {
        let mut credentials = credentials();
        for number in 0..10 * MAX_REDACTIONS {
            let value = format!("Bearer tk-of-somebody-{number}");
            let url = Url::parse("http://example.com").unwrap();
            let redaction = credentials.redaction(&headers(&[("authorization", value.as_str())]), &url);
            assert!(!redaction.hide(&value).contains("somebody"), "{value}");
            assert!(credentials.redactions.len() <= MAX_REDACTIONS);
        }
    }
}
