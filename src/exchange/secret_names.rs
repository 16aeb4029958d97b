//! The names of headers and parameters that usually carry a secret.

/// Parts of such names, in lower case and without separators.
const PARTS: [&str; 9] = [
    "apikey",
    "cookie",
    "csrf",
    "passw",
    "secret",
    "session",
    "signature",
    "token",
    "xsrf",
];

/// Words that are such names, or parts of them between separators, in lower case.
const WORDS: [&str; 5] = ["credential", "credentials", "jwt", "key", "sid"];

/// Whether a header or a parameter of this name carries a secret, as far as the name says: in any case, and with any
/// separators.
#[must_use]
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    words.any(|word| WORDS.contains(&word)) || PARTS.iter().any(|part| letters.contains(part)) || has_auth(&letters)
}

/// Whether a part is about authentication or authorization, and not an author.
fn has_auth(letters: &str) -> bool {
    let mut found = letters.match_indices("auth").map(|(at, _)| &letters[at..]);
    found.any(|rest| !rest.starts_with("author") || rest.starts_with("authori"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_secret_is_recognised_however_it_is_spelled() {
        for name in [
            "X-Api-Key",
            "apiKey",
            "Ocp-Apim-Subscription-Key",
            "key",
            "X-Auth",
            "authorised_by",
            "oauth_nonce",
            "session",
            "PHPSESSID_session",
            "sid",
            "jwt",
            "Proxy-Authorization",
            "client_secret",
            "X-CSRF-Token",
            "Cookie",
            "passwd",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "X-Tenant",
            "api-version",
            "keyword",
            "X-Author",
            "authors",
            "monkey",
            "X-Stage",
            "side",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
