//! Puts a credential into a request, where its security scheme says. The main type is [`PlacedCredential`].

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};

use crate::client::Token;
use crate::contract::operation::SecurityScheme;
use crate::exchange::NOT_UNRESERVED;
use crate::exchange::basic;

/// What no cookie can hold (RFC 6265, section 4.1.1). The rest stays: few services decode a cookie.
const NOT_IN_A_COOKIE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b',').add(b';').add(b'\\');

/// A credential in its place.
pub(super) enum PlacedCredential {
    Cookie(String),
    Header(HeaderName, HeaderValue),
    /// A pair of the query, encoded.
    Query(String),
}

impl PlacedCredential {
    /// Places the credential as its scheme wants it, in a header, a cookie or the query; `bearer_spelling` is the
    /// spelling of `Bearer`. `None` if no header can have that name or value.
    pub(super) fn of(scheme: &SecurityScheme, secret: &str, bearer_spelling: &str) -> Option<Self> {
        let encoded = |name: &str| utf8_percent_encode(name, NOT_UNRESERVED).to_string();
        match scheme {
            SecurityScheme::ApiKeyCookie { name } => {
                let value = utf8_percent_encode(secret, NOT_IN_A_COOKIE);
                Some(Self::Cookie(format!("{}={value}", encoded(name))))
            }
            SecurityScheme::ApiKeyHeader { name } => {
                let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
                Some(Self::Header(name, sensitive(secret)?))
            }
            SecurityScheme::ApiKeyQuery { name } => Some(Self::Query(format!("{}={}", encoded(name), encoded(secret)))),
            // An empty user and an empty password, as the scheme wants them.
            SecurityScheme::Basic if secret.is_empty() => Self::authorization("Basic", &basic::encoded(":")),
            SecurityScheme::Basic => Self::authorization("Basic", &basic::encoded(secret)),
            SecurityScheme::Bearer => Self::authorization(bearer_spelling, secret),
            SecurityScheme::Named { name } => Self::authorization(&spelled(name, bearer_spelling), secret),
        }
    }

    /// Returns the token under another authentication scheme than the documented one.
    pub(super) fn under_other_scheme(documented: &SecurityScheme, token: &str) -> Option<Self> {
        match documented {
            SecurityScheme::Basic => Self::authorization("Bearer", &basic::encoded(token)),
            _ => Self::authorization("Basic", token),
        }
    }

    fn authorization(scheme: &str, value: &str) -> Option<Self> {
        Some(Self::Header(AUTHORIZATION, sensitive(&format!("{scheme} {value}"))?))
    }

    /// Adds it to a request.
    pub(super) fn put(self, headers: &mut HeaderMap, url: &mut Url) {
        match self {
            Self::Cookie(pair) => {
                // One header has all cookies (RFC 6265, section 5.4).
                let others = headers.get(COOKIE).and_then(|cookies| cookies.to_str().ok());
                let cookies = others.map_or_else(|| pair.clone(), |others| format!("{others}; {pair}"));
                if let Some(cookies) = sensitive(&cookies) {
                    headers.insert(COOKIE, cookies);
                }
            }
            Self::Header(name, value) => {
                headers.append(name, value);
            }
            Self::Query(pair) => {
                let query = url
                    .query()
                    .map_or_else(|| pair.clone(), |query| format!("{query}&{pair}"));
                url.set_query(Some(&query));
            }
        }
    }
}

/// Returns the name of a scheme as `Bearer` is spelled: in lower case, or as it is.
fn spelled(name: &str, bearer_spelling: &str) -> String {
    if bearer_spelling == "bearer" {
        name.to_ascii_lowercase()
    } else {
        name.to_owned()
    }
}

fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A token in parts: what is secret under a scheme, and what a wrong token keeps before and after it.
pub(super) struct Parts<'token> {
    pub(super) before: &'token str,
    pub(super) secret: &'token str,
    pub(super) after: &'token str,
}

impl<'token> Parts<'token> {
    /// Splits the token. With HTTP Basic the secret is the password, so that a wrong token is the user with a wrong
    /// password; where the password is empty, the secret is the user.
    pub(super) fn of(token: &'token Token, scheme: &SecurityScheme) -> Self {
        let token = token.expose();
        let whole = Self {
            before: "",
            secret: token,
            after: "",
        };
        let colon = token.find(':').filter(|_| *scheme == SecurityScheme::Basic);
        let Some(colon) = colon else { return whole };
        if colon + 1 == token.len() {
            let (secret, after) = token.split_at(colon);
            Self { secret, after, ..whole }
        } else {
            let (before, secret) = token.split_at(colon + 1);
            Self {
                before,
                secret,
                ..whole
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(placed: Option<PlacedCredential>) -> Option<String> {
        match placed? {
            PlacedCredential::Header(_, value) if value.is_sensitive() => Some(value.to_str().ok()?.to_owned()),
            _ => None,
        }
    }

    #[test]
    fn a_named_scheme_stands_before_the_token_as_bearer_would() {
        let named = SecurityScheme::Named {
            name: "Token".to_owned(),
        };
        for (secret, bearer_spelling, expected) in [
            ("tk-of-nobody", "Bearer", "Token tk-of-nobody"),
            ("tk-of-nobody", "bearer", "token tk-of-nobody"),
            ("", "Bearer", "Token "),
        ] {
            let placed = header(PlacedCredential::of(&named, secret, bearer_spelling));
            assert_eq!(placed.as_deref(), Some(expected));
        }
        let other = header(PlacedCredential::under_other_scheme(&named, "tk-of-nobody"));
        assert_eq!(other.as_deref(), Some("Basic tk-of-nobody"));
    }
}
