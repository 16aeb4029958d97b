//! Sends requests within bounds, describes the exchanges that went over the wire, and decides what of them may be
//! shown.
//!
//! - **In**: a [`Request`], a [`Target`] with its token, and [`Limits`].
//! - **Out**: an [`Exchange`]: the request with its response, or with the reason why there is none.
//! - **Start with** [`Transport::send`]. [`json`] reads bodies, [`redact`] decides what may be printed, [`sanitize`]
//!   makes that safe to print, [`curl`] writes the command that reproduces a request, and [`shapes`] describes the
//!   shape of a body.
//!
//! ```
//! use countersign::exchange::{json, redact};
//!
//! let body = json::read(br#"{"total": "41"}"#)?;
//! assert_eq!(redact::shape(&body.value["total"]), "string(2)");
//! # Ok::<(), countersign::exchange::json::JsonError>(())
//! ```
//!
//! # Design
//!
//! A transport bounds everything, because a target may be hostile: one deadline covers connecting, head, body and
//! decoding, and limits apply to headers, to the decoded body and to nesting. It follows no redirects and uses no
//! proxy, since either would give the token to a host that nobody named.

pub(crate) mod basic;
mod coding;
mod compiled_schema;
pub mod curl;
#[expect(clippy::module_inception, reason = "the module is named after what it contains")]
mod exchange;
mod identifier;
pub mod json;
pub(crate) mod links;
pub mod redact;
pub mod sanitize;
mod secret_names;
pub mod shapes;
mod spelling;
mod target;
mod tls;
mod token_mutation;
mod transport;

pub use basic::BasicError;
#[cfg(feature = "cli")]
pub(crate) use coding::{decode, has_only_read_codings};
pub(crate) use compiled_schema::{CompiledSchema, Violation};
#[cfg(feature = "cli")]
pub(crate) use exchange::SHOWN_RESPONSE_HEADERS;
pub use exchange::{
    Content, Credential, Exchange, Failure, Intent, Printable, Purpose, RejectionMeaning, Request, Response, TrialPart,
};
pub(crate) use exchange::{NOT_UNRESERVED, parameter_placeholder, query_pairs, with_query};
pub use identifier::{Digest, LONGEST_IDENTIFIER, identifier};
pub(crate) use identifier::{is_printable_identifier, looks_machine_made};
pub(crate) use secret_names::is_secret_name;
#[cfg(feature = "cli")]
pub(crate) use secret_names::is_usual_secret_name;
pub use spelling::Spelling;
#[cfg(feature = "cli")]
pub(crate) use target::FixedHeadersAndQuery;
pub use target::Target;
#[cfg(feature = "cli")]
pub(crate) use tls::{Identity, Tls};
pub use token_mutation::{TOKEN_MUTATIONS, TokenMutation};
pub use transport::{Limits, RequestBody, Transport, TransportError};
