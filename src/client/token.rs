//! The bearer token, in a type that never shows it: [`Token`].

use std::fmt;
use std::str::FromStr;

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

/// A bearer token. Neither `Debug` nor `Display` shows it, and its memory is wiped when it is dropped.
#[derive(Clone)]
pub struct Token(SecretString);

/// Why a string is not a token. The messages do not repeat the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// A character that a header cannot carry.
    #[error("character {position} is not visible ASCII: a space, a line break, or a letter such as `é`")]
    Character {
        /// Its position, from 1.
        position: usize,
    },
    /// It is empty.
    #[error("it is empty")]
    Empty,
}

impl Token {
    /// Makes a token from `text`.
    ///
    /// # Errors
    ///
    /// [`TokenError::Empty`], or [`TokenError::Character`] for anything but visible ASCII, the line break at the end of
    /// a file included: no header could carry it (RFC 6750, section 2.1).
    pub fn new(text: impl Into<String>) -> Result<Self, TokenError> {
        let secret = SecretString::from(text.into());
        let text = secret.expose_secret();
        if text.is_empty() {
            return Err(TokenError::Empty);
        }
        if let Some(at) = text.chars().position(|character| !character.is_ascii_graphic()) {
            return Err(TokenError::Character { position: at + 1 });
        }
        Ok(Self(secret))
    }

    /// Returns the token itself, for code that has to write it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Returns the value of the header `Authorization`, marked so that HTTP libraries neither show nor compress it.
    pub(crate) fn authorization(&self) -> HeaderValue {
        let value = HeaderValue::try_from(format!("Bearer {}", self.expose()));
        let mut value = value.expect("visible ASCII is the value of a header");
        value.set_sensitive(true);
        value
    }
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        Self::new(text)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(hidden)")
    }
}

impl fmt::Display for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("hidden")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_debug_nor_display_shows_the_token() {
        let token = Token::new("s3cr3t-sample").unwrap();
        assert_eq!(
            format!("{token:?} {token} {:?}", token.authorization()),
            "Token(hidden) hidden Sensitive"
        );
    }

    #[test]
    fn an_empty_token_is_rejected() {
        assert!(matches!(Token::new(""), Err(TokenError::Empty)));
    }

    #[test]
    fn a_token_that_no_header_carries_is_rejected_without_being_shown() {
        for (text, expected) in [("s3cr3t\n", 7), ("s3 cr3t", 3), ("\u{7}s3cr3t", 1), ("s3cr\u{e9}t", 5)] {
            let error = Token::new(text).unwrap_err();
            assert!(
                matches!(error, TokenError::Character { position } if position == expected),
                "{error}"
            );
            assert!(!error.to_string().contains("cr"), "{error}");
        }
    }
}
