//! A typed client of the service, generated from `openapi.yaml`, with lists as streams on top.
//!
//! - **In**: a base URL, a [`Token`], optionally [`Settings`].
//! - **Out**: responses as [`types`], all pages of a list as a stream, or a [`ClientError`].
//! - **Start with** [`Client::new`].
//!
//! Each operation of the contract is a method of [`Client`] that returns a builder of its request; [`types`] has what
//! is sent and received. Code that a contract cannot describe is written by hand: making a client from a base URL and a
//! [`Token`], streaming a list over all its pages, and retrying reads when the service throttles.
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! # use countersign::service::{self, Service};
//! use countersign::client::futures::TryStreamExt;
//! use countersign::client::{Client, ClientError, types};
//!
//! async fn sample(base_url: &str, token: &str) -> Result<(), ClientError> {
//!     let client = Client::new(base_url, token.parse()?)?;
//!
//!     // All contacts, of all pages; one page is held at a time.
//!     let mut contacts = client.contacts();
//!     while let Some(contact) = contacts.try_next().await? {
//!         println!("{}", contact.full_name.unwrap_or_default());
//!     }
//!
//!     let tag = types::TagInput::builder().name("regular".to_owned());
//!     let created = client.create_tag().body(tag).send().await?;
//!     println!("{:?}", created.data);
//!     Ok(())
//! }
//! # // It runs against the embedded service, so that this example is tested.
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! #     let service = Service::in_memory("a-token".to_owned().into())?;
//! #     let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! #     let base_url = format!("http://{}", listener.local_addr()?);
//! #     tokio::spawn(service::run(listener, service::app(service), std::future::pending()));
//! #     sample(&base_url, "a-token").await?;
//! #     Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A list whose call has parameters other than the page is streamed from its builder, as in
//! `client.get_contacts().stream()`.
//!
//! Each method and type names its section of the document. `examples/` has three programs: one lists all contacts as
//! CSV, one imports contacts and can be killed and resumed, and one records a visit.
//!
//! # What is sent and read
//!
//! Nothing is documented as required, so every field of a request is optional and left out if it is `None`; an empty
//! list is sent as an empty list. Every field of a response is optional too: a missing field and a null become `None`,
//! an unknown field is skipped, and so is a null in an array; `7.0` is the integer 7. The client does not check
//! conformance; the checker does.
//!
//! What was learned about the service is in `openapi.overlay.yaml`. A field that it says is required is not an
//! `Option`; what it states about responses never makes decoding fail. `docs/client.md` lists what it changes.
//!
//! The crates whose types are part of this interface are re-exported, so that a program always has the right version:
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::client::chrono::{DateTime, FixedOffset};
//! use countersign::client::{types, uuid::Uuid};
//!
//! let datetime: DateTime<FixedOffset> = "2024-05-17T09:30:00+02:00".parse()?;
//! let visit = types::VisitInput {
//!     contact_id: Some(Uuid::nil().to_string()),
//!     datetime: Some(datetime),
//!     ..types::VisitInput::default()
//! };
//! # drop(visit);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Errors
//!
//! Calls and streams fail with a [`ClientError`]. Its text says what went wrong and why. It shows no token and no URL,
//! and of a body only the page number that it names. [`ClientError::Status`] contains the response.
//!
//! # In tests
//!
//! The reference service replaces the deployed one: with the feature `service`, a test serves it from memory on its own
//! port, with all nine operations. A fault from `countersign serve --fault list` shows how the program copes with a
//! broken service, and a `service::Profile` how it copes with one that chose differently where the document is silent.
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::client::futures::TryStreamExt;
//! use countersign::client::{Client, ClientError, types};
//! use countersign::service::fault::{self, Faults};
//! use countersign::service::{self, Service};
//!
//! /// A client of a service of its own, which ends with the test's runtime.
//! async fn mocked(faults: &[&str]) -> Result<Client, Box<dyn std::error::Error>> {
//!     let service = Service::in_memory("a-token".to_owned().into())?;
//!     let faults = Faults::named(&faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
//!     let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//!     let base_url = format!("http://{}", listener.local_addr()?);
//!     tokio::spawn(service::run(listener, fault::app(service, &faults), std::future::pending()));
//!     Ok(Client::new(&base_url, "a-token".parse()?)?)
//! }
//!
//! # #[cfg(any())]
//! #[tokio::test]
//! async fn a_created_tag_is_listed() -> Result<(), Box<dyn std::error::Error>> {
//! # unreachable!() }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let client = mocked(&[]).await?;
//!     let tag = types::TagInput::builder().name("regular".to_owned());
//!     client.create_tag().body(tag).send().await?;
//!     let tags: Vec<_> = client.tags().try_collect().await?;
//!     assert!(tags.iter().any(|tag| tag.name.as_deref() == Some("regular")));
//!
//!     let broken = mocked(&["getTags:server-error"]).await?;
//!     let error = broken.tags().try_next().await.unwrap_err();
//!     assert!(matches!(error, ClientError::Status { status, .. } if status == 500));
//!     Ok(())
//! }
//! ```
//!
//! # Design
//!
//! The same limits apply to every call ([`Settings`]). Requests go only to the base URL's origin: redirects are not
//! followed, and proxies from the environment are not used, so that a call reaches no host that the program did not
//! name. [`Client::with`] lets a program name a proxy.

pub(crate) mod base_url;
pub(crate) mod cause;
mod connect;
#[cfg(test)]
#[cfg(feature = "service")]
pub(crate) mod decoding_tests;
mod error;
#[cfg(all(test, feature = "checker"))]
mod generate;
mod generated;
#[expect(clippy::allow_attributes, reason = "it depends on the overlay")]
#[allow(dead_code, reason = "an overlay may state nothing that needs this module")]
mod learned;
#[cfg_attr(
    not(feature = "service"),
    expect(clippy::allow_attributes, reason = "it depends on the contract"),
    allow(dead_code, reason = "a contract may have nothing that is read leniently")
)]
mod lenient;
#[cfg_attr(
    not(feature = "service"),
    expect(clippy::allow_attributes, reason = "it depends on the contract"),
    allow(dead_code, reason = "a contract may have no list with pages")
)]
mod pages;
#[cfg(all(test, feature = "checker"))]
mod projection;
pub(crate) mod retry;
#[cfg(test)]
#[cfg(feature = "service")]
mod round_trip;
#[cfg(all(test, feature = "service"))]
mod schema;
mod session;
#[cfg(all(test, feature = "checker"))]
mod surface;
mod token;
#[cfg(any(test, feature = "checker"))]
pub(crate) mod typed;

pub use base_url::BaseUrlError;
pub use error::{ClientError, FailedResponse};
pub use generated::{ByteStream, Client, ClientInfo, ResponseValue, builder, types};
pub use pages::Items;
pub use session::Settings;
pub use token::{Token, TokenError};
/// The crate in the version that this interface uses.
pub use {chrono, futures, reqwest, serde_json, uuid};
