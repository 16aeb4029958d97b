//! Reads the base URL, which comes before the paths of the contract: [`parse`] and [`BaseUrlError`].

use reqwest::Url;

/// Why a string is not a base URL. The messages do not repeat the string, which may contain a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseUrlError {
    /// It has a user name or a password.
    #[error("the base URL contains a user name or password; remove it, the token is the only credential")]
    Credentials,
    /// It has a fragment.
    #[error("the base URL has a fragment (`#…`); remove it")]
    Fragment,
    /// It has a query.
    #[error("the base URL has a query (`?…`); remove it")]
    Query,
    /// Its scheme is not HTTP.
    #[error("the scheme of the base URL is not `http` or `https`; it should look like `https://api.example.com`")]
    Scheme,
    /// It has no scheme at all.
    #[error("the base URL has no scheme; it should look like `https://api.example.com`")]
    SchemeMissing,
    /// It is not a URL.
    #[error("the base URL is not a URL ({0}); it should look like `https://api.example.com`")]
    Syntax(&'static str),
}

/// Reads a base URL: `http` or `https`, a host, and optionally a prefix of the paths.
pub(crate) fn parse(text: &str) -> Result<Url, BaseUrlError> {
    let text = text.trim();
    if !text.contains("://") {
        return Err(if text.is_empty() {
            BaseUrlError::Syntax("it is empty")
        } else {
            BaseUrlError::SchemeMissing
        });
    }
    let base = Url::parse(text).map_err(|_| BaseUrlError::Syntax("its host or port cannot be read"))?;
    if !matches!(base.scheme(), "http" | "https") {
        return Err(BaseUrlError::Scheme);
    }
    if !base.username().is_empty() || base.password().is_some() {
        return Err(BaseUrlError::Credentials);
    }
    if base.query().is_some() {
        return Err(BaseUrlError::Query);
    }
    if base.fragment().is_some() {
        return Err(BaseUrlError::Fragment);
    }
    Ok(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_base_url_is_reported_by_its_part() {
        for (text, error) in [
            ("api.example.com", BaseUrlError::SchemeMissing),
            ("localhost:8080", BaseUrlError::SchemeMissing),
            ("ftp://api.example.com", BaseUrlError::Scheme),
            ("https://api.example.com/?a=b", BaseUrlError::Query),
            ("https://api.example.com/#top", BaseUrlError::Fragment),
            ("https://ada:secret@api.example.com", BaseUrlError::Credentials),
            ("http://", BaseUrlError::Syntax("its host or port cannot be read")),
            ("", BaseUrlError::Syntax("it is empty")),
        ] {
            assert_eq!(parse(text).err(), Some(error), "{text}");
        }
    }

    #[test]
    fn an_error_repeats_no_secret() {
        let error = parse("https://ada:hunter2@api.example.com").unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}
