//! Bearer authentication, which every operation requires: [`require_token`] runs before the operation reads
//! anything.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::open::Service;
use super::profile::{CredentialStatus, Profile};
use super::rejection::Rejection;

/// Lets a request through when it carries the service's token.
pub(super) async fn require_token(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    match check(request.headers(), service.token()) {
        Ok(()) => Ok(next.run(request).await),
        Err(_) if is_forbidden(service.profile(), &request) => Err(Rejection::Forbidden),
        Err(rejection) => Err(rejection),
    }
}

/// Returns whether the rejection is a 403. That of Create tag never is, because it documents 401.
fn is_forbidden(profile: &Profile, request: &Request) -> bool {
    let is_create_tag = request.method() == Method::POST && request.uri().path().ends_with("/tags");
    profile.credential_status == CredentialStatus::Forbidden && !is_create_tag
}

fn check(headers: &HeaderMap, token: &SecretString) -> Result<(), Rejection> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let credential = match (sent.next(), sent.next()) {
        (Some(only), None) => bearer(only.as_bytes()).ok_or(Rejection::NoCredential)?,
        (None, _) => return Err(Rejection::NoCredential),
        // With two credentials, it is not clear which one was meant.
        (Some(_), Some(_)) => return Err(Rejection::WrongCredential),
    };
    if bool::from(credential.ct_eq(token.expose_secret().as_bytes())) {
        Ok(())
    } else {
        Err(Rejection::WrongCredential)
    }
}

/// Returns the credential of a bearer header; the scheme's name is case-insensitive, as RFC 9110 requires.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let space = value.iter().position(|byte| *byte == b' ')?;
    let (scheme, credential) = value.split_at(space);
    scheme
        .eq_ignore_ascii_case(b"bearer")
        .then(|| credential.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn checked(values: &[&str]) -> Result<(), Rejection> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        check(&headers, &"right".to_owned().into())
    }

    #[test]
    fn the_token_is_let_in_whatever_the_case_of_the_scheme() {
        for value in ["Bearer right", "bearer right", "BEARER  right"] {
            assert!(checked(&[value]).is_ok(), "{value}");
        }
    }

    #[test]
    fn a_wrong_token_is_a_wrong_credential() {
        for values in [
            &["Bearer wrong"][..],
            &["Bearer right2"],
            &["Bearer Right"],
            &["Bearer right", "Bearer right"],
        ] {
            assert!(matches!(checked(values), Err(Rejection::WrongCredential)), "{values:?}");
        }
    }

    #[test]
    fn another_scheme_or_nothing_is_no_credential() {
        for values in [&[][..], &["Basic right"], &["right"], &["Bearer"], &["Bearerright"]] {
            assert!(matches!(checked(values), Err(Rejection::NoCredential)), "{values:?}");
        }
    }
}
