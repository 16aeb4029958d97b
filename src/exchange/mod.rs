//! What went over the wire: the record that everything else reads, the bounded transport that makes it, and what of it
//! may be shown.
//!
//! [`Transport::send`] turns a [`Request`] into an [`Answer`] or a [`Failure`]; with the request that is an
//! [`Exchange`]. [`json`] reads bodies, [`redact`] says what may be printed, [`neutral`] makes it
//! harmless to what prints it, [`curl`] tells how to see a request again, [`told`] the shape of a body.

mod coding;
pub mod curl;
mod identifier;
pub mod json;
mod near;
pub mod neutral;
mod record;
pub mod redact;
mod target;
pub mod told;
mod transport;
mod writing;

pub(crate) use identifier::is_plain_identifier;
pub use identifier::{Digest, LONGEST_IDENTIFIER, identifier};
pub use near::{NEAR_TOKENS, Near};
pub use record::{Answer, Content, Credential, Exchange, Failure, Intent, Leaning, Purpose, Request, Told};
pub(crate) use record::{RESERVED, placeholder, with_query};
pub use target::Target;
pub use transport::{Limits, RequestBody, Transport, TransportError};
pub use writing::Writing;
