//! A token that is a user and a password, as HTTP Basic takes it: `user:password` (RFC 7617, section 2).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::redact::{SHORTEST_TOKEN, TOO_SHORT};
use crate::client::Token;
use crate::contract::Contract;
use crate::contract::defect::Defects;

/// Why a token cannot be sent by HTTP Basic. The messages contain nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BasicError {
    /// The password is too short to be hidden.
    #[error("its password has fewer than {SHORTEST_TOKEN} characters; {TOO_SHORT}")]
    ShortPassword,
}

/// Returns the user and the password; `None` if the token contains no colon.
#[must_use]
pub(super) fn parts(token: &str) -> Option<(&str, &str)> {
    token.split_once(':')
}

/// Whether the token is a user and a password.
#[must_use]
pub(crate) fn is_user_and_password(token: &Token) -> bool {
    parts(token.expose()).is_some()
}

/// Returns the secret part of a user and a password: the password or, where that is empty, the user, because some
/// services take a key there.
#[must_use]
pub(super) fn secret(token: &str) -> Option<&str> {
    let (user, password) = parts(token)?;
    Some(if password.is_empty() { user } else { password })
}

/// Returns the contract for calls with this token: if it is a user and a password, they use HTTP Basic wherever that is
/// one of several schemes. `None` if the contract needs no change.
///
/// # Errors
///
/// Those of [`Contract::for_user_and_password`].
pub(crate) fn contract_for(contract: &Contract, token: &Token) -> Result<Option<Contract>, Defects> {
    let differs = is_user_and_password(token) && contract.defines_basic();
    differs.then(|| contract.for_user_and_password()).transpose()
}

/// Checks that the password is long enough to be hidden on its own. For a target on this machine it may be shorter;
/// then it is hidden only together with its user.
///
/// # Errors
///
/// [`BasicError::ShortPassword`].
pub(crate) fn check_password_can_be_redacted(token: &Token, is_loopback: bool) -> Result<(), BasicError> {
    match secret(token.expose()) {
        Some(secret) if secret.len() < SHORTEST_TOKEN && !is_loopback => Err(BasicError::ShortPassword),
        _ => Ok(()),
    }
}

/// Returns what follows `Basic` in the header.
pub(super) fn encoded(token: &str) -> String {
    STANDARD.encode(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc_is_encoded_as_there() {
        assert_eq!(encoded("Aladdin:open sesame"), "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    }

    #[test]
    fn the_first_colon_ends_the_user_and_a_key_may_stand_in_its_place() {
        assert_eq!(parts("user:pass:word"), Some(("user", "pass:word")));
        assert_eq!(parts("no-user"), None);
        assert_eq!(secret("user:password"), Some("password"));
        assert_eq!(secret("key-of-nobody:"), Some("key-of-nobody"));
    }

    #[test]
    fn only_this_machine_may_have_a_short_password() {
        for (token, expected) in [
            ("admin:admin", Err(BasicError::ShortPassword)),
            ("admin:", Err(BasicError::ShortPassword)),
            ("admin:long-enough", Ok(())),
            ("key-of-nobody:", Ok(())),
            ("no-user", Ok(())),
        ] {
            let token = Token::new(token).unwrap();
            assert_eq!(
                check_password_can_be_redacted(&token, false),
                expected,
                "{}",
                token.expose()
            );
            assert_eq!(check_password_can_be_redacted(&token, true), Ok(()));
        }
    }
}
