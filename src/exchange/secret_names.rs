//! The names of headers and parameters that usually carry a secret.

use crate::contract::lexicon::camel_case_words;

/// Parts of such names, in lower case and without separators.
const PARTS: [&str; 9] = [
    "apikey", "cookie", "csrf", "passw", "secret", "session", "signature", "token", "xsrf",
];

/// Words that are such names, or parts of them between separators, in lower case.
const WORDS: [&str; 5] = ["credential", "credentials", "jwt", "key", "sid"];

/// Forms of *author*, which contain `auth` and name no secret; other such words are taken for the name of one.
const AUTHORS: [&str; 5] = ["author", "authored", "authoring", "authors", "authorship"];

/// Words that usual names of secrets consist of, besides [`WORDS`]: such a name is no secret itself.
#[cfg(feature = "cli")]
const USUAL: [&str; 17] = [
    "access", "api", "apikey", "auth", "authorization", "cookie", "csrf", "id", "password", "refresh", "secret",
    "session", "sessionid", "signature", "token", "x", "xsrf",
];

/// Whether a name is one that secrets usually have, and nothing else, so that it may be shown: `api_key`, but not
/// `token-4711`.
#[cfg(feature = "cli")]
#[must_use]
pub(crate) fn is_usual_secret_name(name: &str) -> bool {
    let is_usual = |word: &String| WORDS.contains(&word.as_str()) || USUAL.contains(&word.as_str());
    is_secret_name(name) && camel_case_words(name).iter().all(is_usual)
}

/// Whether a header or a parameter of this name carries a secret, as far as the name says: in any case, and with any
/// separators.
#[must_use]
pub(crate) fn is_secret_name(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.to_ascii_lowercase();
    let is_secret = |word: &String| {
        let word = word.as_str();
        WORDS.contains(&word) || (word.contains("auth") && !AUTHORS.contains(&word))
    };
    PARTS.iter().any(|part| letters.contains(part)) || camel_case_words(name).iter().any(is_secret)
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
            "X-Auth-Org",
            "auth_order",
            "authOrigin",
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
        for name in ["api_key", "accessToken", "sid", "X-Auth-Token", "key"] {
            assert!(is_usual_secret_name(name), "{name}");
        }
        for name in ["token-4711", "eyJhbGciOi", "my-secret", "id", "x"] {
            assert!(!is_usual_secret_name(name), "{name}");
        }
        for name in [
            "X-Tenant", "api-version", "keyword", "X-Author", "authors", "authorId", "co-author", "monkey", "X-Stage",
            "side",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
