//! Where a run goes: a base URL that was held to what a base URL may be. The main type is [`Target`].

use std::fmt;

use reqwest::Url;

/// The base URL of a deployed service.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    base: Url,
}

/// Why a text is no base URL. The text itself is not repeated where it may hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// It has a user name or a password.
    #[error("the base URL has a user name or password in it; give the token by COUNTERSIGN_TOKEN or --token-file")]
    Credentials,
    /// It has a fragment.
    #[error("the base URL has a fragment (`#…`); remove it")]
    Fragment,
    /// It has a query.
    #[error("the base URL has a query (`?…`); remove it")]
    Query,
    /// Its scheme is not HTTP.
    #[error("the base URL has another scheme than `http` or `https`; it looks like `https://api.example.com`")]
    Scheme,
    /// It has no scheme at all.
    #[error("the base URL has no scheme; it looks like `https://api.example.com`")]
    SchemeMissing,
    /// It is not a URL.
    #[error("the base URL is not a URL ({0}); it looks like `https://api.example.com`")]
    Syntax(&'static str),
}

impl Target {
    /// Reads a base URL: `http` or `https`, a host, perhaps a path.
    ///
    /// # Errors
    ///
    /// A [`TargetError`] that says which part is wrong.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let text = text.trim();
        if !text.contains("://") {
            return Err(if text.is_empty() {
                TargetError::Syntax("it is empty")
            } else {
                TargetError::SchemeMissing
            });
        }
        let mut base = Url::parse(text).map_err(|_| TargetError::Syntax("its host or port cannot be read"))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(TargetError::Scheme);
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(TargetError::Credentials);
        }
        if base.query().is_some() {
            return Err(TargetError::Query);
        }
        if base.fragment().is_some() {
            return Err(TargetError::Fragment);
        }
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        Ok(Self { base })
    }

    /// Scheme, host and port: what a report may say of the target.
    #[must_use]
    pub fn origin(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    /// The URL of a path below the base.
    #[must_use]
    pub fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let (path, query) = path
            .split_once('?')
            .map_or((path, None), |(path, query)| (path, Some(query)));
        let prefix = self.base.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}{path}"));
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
    fn a_path_is_kept_and_a_trailing_slash_is_not() {
        let target = Target::parse("https://api.example.com/tenant/a/").unwrap();
        assert_eq!(
            target.url("/v1/tags?page=2").as_str(),
            "https://api.example.com/tenant/a/v1/tags?page=2"
        );
        assert_eq!(target.origin(), "https://api.example.com");
    }

    #[test]
    fn what_is_no_base_url_is_told_by_its_part() {
        for (text, error) in [
            ("api.example.com", TargetError::SchemeMissing),
            ("localhost:8080", TargetError::SchemeMissing),
            ("ftp://api.example.com", TargetError::Scheme),
            ("https://api.example.com/?a=b", TargetError::Query),
            ("https://api.example.com/#top", TargetError::Fragment),
            ("https://ada:secret@api.example.com", TargetError::Credentials),
            ("http://", TargetError::Syntax("its host or port cannot be read")),
            ("", TargetError::Syntax("it is empty")),
        ] {
            assert_eq!(Target::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn an_error_repeats_no_secret() {
        let error = Target::parse("https://ada:hunter2@api.example.com").unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}
