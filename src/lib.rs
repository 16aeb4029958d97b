//! Checks whether a deployed HTTP service does what its OpenAPI document says, and gives Rust programs a typed client for
//! it. The document that is built in is that of a Contact Database and Visits service.
//!
//! ```text
//! openapi.yaml ─┬─▶ build.rs ─▶ client
//!               └─▶ contract ─▶ plan ─▶ run ─▶ history ─▶ rules ─▶ report
//!                               over HTTP or in process
//! ```
//!
//! - **In**: `openapi.yaml`, written by hand after the service's document, and a service to call.
//! - **Out**: typed responses for a program; verdicts, findings and reports for a test or a pipeline.
//! - **Start with** [`client::Client`] to call the service, or with [`Check`] to check it.
//!
//! # A client call
//!
#![cfg_attr(feature = "service", doc = "```no_run")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::client::futures::TryStreamExt;
//! use countersign::client::{Client, types};
//!
//! # async fn sample(token: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("https://contacts.example.com", token.parse()?)?;
//! let mut contacts = client.contacts();                     // all pages, one at a time
//! while let Some(contact) = contacts.try_next().await? {
//!     println!("{:?}", contact.full_name);
//! }
//! let tag = types::TagInput::builder().name("regular".to_owned());
//! client.create_tag().body(tag).send().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # A check
//!
//! A service's own tests hold it to the contract, in their own process. Any `tower` service can be checked directly, an
//! axum router for example, and a deployed one with `.url("https://…")`. Here the reference service is checked:
//!
#![cfg_attr(all(feature = "checker", feature = "service"), doc = "```")]
#![cfg_attr(not(all(feature = "checker", feature = "service")), doc = "```ignore")]
//! use countersign::{Check, Contract};
//! # use countersign::service::{Service, app};
//! # fn my_app() -> axum::Router { app(Service::in_memory("test".to_owned().into()).unwrap()) }
//!
//! # #[cfg(any())]
//! #[tokio::test]
//! async fn the_service_keeps_its_contract() -> Result<(), countersign::Error> {
//! # unreachable!() }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), countersign::Error> {
//!     let report = Check::new(Contract::open("openapi.yaml")?)
//!         .service(my_app())              // any tower service; or .url("https://contacts.example.com")
//!         .token("test")
//!         .writes(true)
//!         .run()
//!         .await?;
//!     report.assert_conforms();           // panics with the report
//! #   assert!(report.record().requests.writes > 0);
//!     Ok(())
//! }
//! ```
//!
//! # Features
//!
//! A program that only calls the service needs no feature (`default-features = false`):
//!
//! | feature | brings |
//! |---|---|
//! | none | [`client`]: typed calls, lists as streams |
//! | `checker` | [`Check`]: a check as a library; `contract`, `diff`, `lint`, `exchange`, `plan`, `rules`, `history`, `gaps`, `run`, `report` beneath it; `traffic`: recorded traffic, judged by the same rules |
//! | `html` | `report::html`: the page of a report |
//! | `junit` | `report::junit`: a report as JUnit's XML |
//! | `service` (default) | `service`: the reference implementation, for `countersign serve` and a check without a target |
//! | `postgres` | PostgreSQL as a store of the reference service |
//! | `cli` (default) | `cli` and the `countersign` command, with `checker`, `html` and `junit` |

#![forbid(unsafe_code)]

pub mod client;

#[cfg(feature = "checker")]
mod built_in;
#[cfg(feature = "checker")]
mod check;
#[cfg(feature = "checker")]
pub mod contract;
#[cfg(feature = "checker")]
pub mod diff;
#[cfg(feature = "checker")]
pub mod exchange;
#[cfg(feature = "checker")]
pub mod gaps;
#[cfg(feature = "checker")]
pub mod history;
#[cfg(feature = "checker")]
pub mod lint;
#[cfg(feature = "checker")]
pub mod plan;
#[cfg(feature = "checker")]
pub mod report;
#[cfg(feature = "checker")]
pub mod rules;
#[cfg(feature = "checker")]
pub mod run;
#[cfg(feature = "checker")]
pub mod traffic;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
mod proxy;

#[cfg(any(feature = "cli", feature = "service"))]
mod listen;
#[cfg(feature = "service")]
pub mod service;

#[cfg(feature = "checker")]
pub use check::{Check, Error, Report};
#[cfg(feature = "checker")]
pub use contract::Contract;
#[cfg(feature = "checker")]
pub use rules::Recording;

#[cfg(test)]
mod testing;

// The program's allocator, which is cheaper than the C library's for many small strings.
#[cfg(all(test, feature = "cli"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// Helpers of the integration tests that unit tests need too. They name the crate as its users do.
#[cfg(all(test, feature = "cli"))]
extern crate self as countersign;
#[cfg(all(test, feature = "cli"))]
#[expect(dead_code, reason = "the integration tests use all of it")]
#[path = "../tests/it/support"]
mod support {
    pub(crate) mod archive;
    pub(crate) mod leaks;
}
