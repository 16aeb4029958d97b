//! A typed client of the service, generated from `openapi.yaml`, with comfort on top.
//!
//! Each operation of the contract is a method of [`Client`] that returns a builder of its request; [`types`] holds what
//! is sent and answered. By hand are the parts that a contract cannot state: how a client is made of a base URL and a
//! [`Token`], every list as a stream over all its pages, and reads that are repeated when the service is throttled.
//!
//! ```no_run
//! use countersign::client::{Client, ClientError, types};
//! use futures::TryStreamExt;
//!
//! # async fn sample(token: &str) -> Result<(), ClientError> {
//! let client = Client::new("https://contacts.example.com", token.parse()?)?;
//!
//! let mut contacts = client.contacts();
//! while let Some(contact) = contacts.try_next().await? {
//!     println!("{}", contact.full_name.unwrap_or_default());
//! }
//!
//! let tag = types::TagInput::builder().name("regular".to_owned());
//! let created = client.create_tag().body(tag).send().await?;
//! println!("{:?}", created.data);
//! # Ok(())
//! # }
//! ```
//!
//! A list whose call takes more than the page is streamed by its builder, as in `client.get_contacts().stream()`.
//!
//! # What is sent and read
//!
//! Nothing is documented as required, so every field of a request is optional and left out when it is `None`; an empty
//! list is sent as one. Every field of an answer is optional too: a missing one and a null are `None`, an unknown
//! one is skipped, and so is a null in an array; `7.0` is the integer 7. This client is no conformance check; the checker is.
//!
//! # Errors
//!
//! A call fails with progenitor's [`CallError`], which holds the whole answer to an unexpected status; the streams, and
//! `?` in a function that returns it, give a [`ClientError`], whose text says what went wrong and no value of the
//! exchange: no token, no URL, nothing of a body. A [`CallError`]'s own text may show headers and body of an answer.
//!
//! # Design
//!
//! One set of bounds covers every call ([`Settings`]). Requests go to the base URL's origin alone: redirects are not
//! followed, and proxies that the environment names are not used, since either would hand the token to a host that the
//! program did not name.

pub(crate) mod base_url;
mod connect;
mod error;
mod generated;
mod pages;
#[cfg(test)]
mod projection;
pub(crate) mod repeat;
mod session;
mod token;
#[cfg(test)]
pub(crate) mod tolerance;
mod tolerant;
#[cfg(any(test, feature = "checker"))]
pub(crate) mod typed;

pub use base_url::BaseUrlError;
pub use error::ClientError;
pub use generated::{ByteStream, Client, ClientInfo, Error as CallError, ResponseValue, builder, types};
pub use pages::Items;
pub use session::Settings;
pub use token::{Token, TokenError};
