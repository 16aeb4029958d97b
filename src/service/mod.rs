//! The reference service: all nine operations of the document, in the plainest reading of it. It exists to be checked,
//! developed against and read.
//!
//! - **In**: HTTP requests, a store, a token, a [`Profile`] and perhaps faults.
//! - **Out**: responses that do what the document says, or break exactly what a fault says.
//! - **Start with** [`Service::in_memory`] or [`Service::open`], [`app`] for a router, and [`run`] to serve it.
//!
//! ```no_run
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! use countersign::service::{self, Profile, Service, StoreUrl};
//!
//! let store: StoreUrl = "sqlite:contacts.db".parse()?;
//! let service = Service::open(&store, "a-token".to_owned().into(), Profile::default()).await?;
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! service::run(listener, service::app(service), std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Design
//!
//! It shares only `openapi.yaml` and the accept loop (`listen`) with the rest of the crate, so that what the checker
//! believes and what the service does are two readings of one document, not one reading twice.
//!
//! A request goes through these, in order:
//!
//! ```text
//! server ─▶ app ─▶ auth ─▶ operations ─▶ store
//!           │              │  reads page, path and body (page, path, body, json, fields, values, allowed_values)
//!           │              └▶ responds with a page or a record (response, rendering, page_cache), or a rejection
//!           └▶ writes rejections, limits, delays and compresses (rejection_response, delivery)
//! ```
//!
//! The server limits its connections, and closes idle ones to make room for new ones.
//!
//! [`fault`] is outside all of this: it makes the service deviate on purpose, so that a check can be checked. What
//! the document leaves open is chosen by [`Profile`], which holds one value for each of [`AXES`]: an *axis* is a
//! question that the document leaves open, with the values that answer it.

mod allowed_values;
mod app;
mod auth;
mod body;
mod delivery;
mod duplicates;
pub mod fault;
mod fields;
mod json;
mod list;
mod open;
mod open_error;
mod operations;
mod page;
mod page_cache;
mod path;
mod profile;
mod recent;
mod rejection;
mod rejection_response;
mod rendering;
mod response;
mod server;
mod store;
mod store_url;
mod suggestions;
mod values;

pub use app::app;
pub use open::{AddContactsError, Service};
pub use open_error::OpenError;
pub use profile::{
    AXES, Axis, AxisValue, Clock, GAPS_NOT_ON_THE_WIRE, GapNotOnTheWire, Profile, ProfileError, ProfileSetting,
    SettingOrigin, table as profile_table,
};
pub use server::run;
#[cfg(feature = "postgres")]
pub use store_url::PostgresAddress;
pub use store_url::{StoreUrl, StoreUrlError};
pub use suggestions::Suggestions;
