//! What a request shows instead of the token: [`PresentedCredential`], and the faults that accept it as the token.

use axum::http::header;

use super::call::{Call, InnerService};
use super::contract::{ALL_OPERATIONS, operations};
use super::expected::{ExpectedFinding, ProposedFault};
use super::pages::requested_page;

/// What a request may show instead of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PresentedCredential {
    /// The scheme with nothing after it.
    Empty,
    /// A token that starts like the right one: with its first half, or with all of a JWT except the signature.
    FirstHalf,
    /// The token with something after it.
    Longer,
    None,
    /// None, for the second page or a later one.
    NoneOnPageTwo,
    /// None, where the path has a query.
    NoneWithQuery,
    /// The token with letters in another case.
    OtherCase,
    /// The token with another last letter.
    OtherEnd,
    OtherScheme,
    /// A beginning of the token, even an empty one: software that compares only as many letters as it is sent accepts
    /// that too (CVE-2017-5689).
    Shorter,
    WrongToken,
}

/// The credentials that are nearly right, with the words for them. They concern the service, not one operation.
const NEARLY_RIGHT: [(PresentedCredential, &str, &str, &str); 6] = [
    (
        PresentedCredential::Empty,
        "let-in-without-a-token",
        "an empty token is let in",
        "a request without a credential is rejected",
    ),
    (
        PresentedCredential::FirstHalf,
        "let-in-with-a-first-half",
        "a token with the right first half is let in",
        WRONG,
    ),
    (
        PresentedCredential::Longer,
        "let-in-with-a-longer-token",
        "the token with letters after it is let in",
        WRONG,
    ),
    (
        PresentedCredential::OtherCase,
        "let-in-in-another-case",
        "the token in another case is let in",
        WRONG,
    ),
    (
        PresentedCredential::OtherEnd,
        "let-in-with-another-end",
        "the token with another last letter is let in",
        WRONG,
    ),
    (
        PresentedCredential::Shorter,
        "let-in-with-a-beginning",
        "any beginning of the token is let in, even an empty one",
        "a request without a credential is rejected",
    ),
];

const WRONG: &str = "a wrong token is rejected";

/// Returns the faults on credentials that are nearly right, or that are not required where they should be.
pub(super) fn faults() -> impl Iterator<Item = ProposedFault<PresentedCredential>> {
    let nearly_right = NEARLY_RIGHT.into_iter().map(|(credential, deviation, about, stated)| {
        // The fact that a token is required is stated for each operation.
        let fact = (stated == WRONG).then(|| format!("{ALL_OPERATIONS} auth: {stated}"));
        ProposedFault::new(ALL_OPERATIONS, deviation, about, vec![rejecting(fact)], credential)
    });
    let lists = operations().iter().filter(|operation| operation.page.is_some());
    nearly_right.chain(lists.flat_map(|list| {
        let fault = |(credential, deviation, about)| {
            let fact = format!("{} auth: a request without a credential is rejected", list.name);
            ProposedFault::new(&list.name, deviation, about, vec![rejecting(Some(fact))], credential)
        };
        let unasked = [
            (
                PresentedCredential::NoneOnPageTwo,
                "let-in-on-page-2",
                "a further page needs no credential",
            ),
            (
                PresentedCredential::NoneWithQuery,
                "let-in-with-a-query",
                "a path with a query needs no credential",
            ),
        ];
        unasked.map(fault)
    }))
}

fn rejecting(fact: Option<String>) -> ExpectedFinding {
    ExpectedFinding {
        rule: "auth",
        fact,
        pointer: String::new(),
    }
}

impl PresentedCredential {
    /// Returns whether a call shows it.
    pub(super) fn is_presented_by(self, call: &Call, inner: &InnerService) -> bool {
        let Some(value) = call.head.headers.get(header::AUTHORIZATION) else {
            return match self {
                PresentedCredential::None => true,
                PresentedCredential::NoneOnPageTwo => requested_page(call) >= Some(2),
                PresentedCredential::NoneWithQuery => call.head.uri.query().is_some(),
                _ => false,
            };
        };
        if has_valid_token(call, inner) {
            return false;
        }
        let bearer = |value: &[u8]| {
            let (scheme, token) = value.split_at_checked(BEARER.len())?;
            scheme.eq_ignore_ascii_case(BEARER).then(|| token.to_vec())
        };
        let right = bearer(inner.credential.as_bytes()).unwrap_or_default();
        match bearer(value.as_bytes()) {
            Some(token) => self.matches_token(&token, &right),
            None if value.as_bytes().trim_ascii().eq_ignore_ascii_case(BEARER.trim_ascii()) => {
                matches!(
                    self,
                    PresentedCredential::Empty | PresentedCredential::OtherScheme | PresentedCredential::Shorter
                )
            }
            None => self == PresentedCredential::OtherScheme,
        }
    }

    /// Returns whether a token, which is not the right one, is of this kind.
    fn matches_token(self, token: &[u8], right: &[u8]) -> bool {
        match self {
            PresentedCredential::Empty => token.trim_ascii().is_empty(),
            PresentedCredential::FirstHalf => {
                let is_jwt = right.iter().filter(|byte| **byte == b'.').count() == 2;
                let signature = right.iter().rposition(|byte| *byte == b'.').filter(|_| is_jwt);
                token.starts_with(right.get(..signature.unwrap_or(right.len() / 2)).unwrap_or_default())
            }
            PresentedCredential::Longer => token.starts_with(right),
            PresentedCredential::OtherCase => token.eq_ignore_ascii_case(right),
            PresentedCredential::OtherEnd => {
                let but_last = |token: &[u8]| token.split_last().map(|(_, rest)| rest.to_vec());
                but_last(token) == but_last(right)
            }
            PresentedCredential::Shorter => right.starts_with(token),
            PresentedCredential::WrongToken => true,
            PresentedCredential::None
            | PresentedCredential::NoneOnPageTwo
            | PresentedCredential::NoneWithQuery
            | PresentedCredential::OtherScheme => false,
        }
    }
}

const BEARER: &[u8] = b"Bearer ";

/// Returns whether a call presents the token.
pub(super) fn has_valid_token(call: &Call, inner: &InnerService) -> bool {
    call.head.headers.get(header::AUTHORIZATION) == Some(&inner.credential)
}
