//! A check as a library: of a deployed service, or of one in this process, from a program's own tests.
//!
//! - **In**: a [`Contract`](crate::Contract), a service or a URL, and the settings that `countersign check` has as
//!   flags.
//! - **Out**: a [`Report`], or an [`Error`] if nothing can be checked.
//! - **Start with** [`Check`].
//!
//! ```no_run
//! use countersign::{Check, Contract};
//!
//! # async fn sample() -> Result<(), countersign::Error> {
//! let check = Check::new(Contract::open("openapi.yaml")?).url("https://contacts.example.com").token("a-long-token");
//! let report = check.only("getTags").deny("null-value").run().await?;
//! println!("{report}");
//! # Ok(())
//! # }
//! ```
//!
//! `Prepared` carries out what [`Check`] has set; the command line uses it too.

mod builder;
mod error;
mod files;
mod open;
mod prepared;
mod report;

pub use builder::Check;
#[cfg(feature = "cli")]
pub(crate) use builder::random_seed;
pub use error::Error;
#[cfg(feature = "cli")]
pub(crate) use files::other_files;
#[cfg(feature = "cli")]
pub(crate) use prepared::Prepared;
pub use report::Report;

#[cfg(all(test, feature = "service"))]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::service::{Service, app};

    /// The integration tests depend on this. It runs before them, so that `cargo test` after a change of `openapi.yaml`
    /// ends with what the reference service lacks, and not with all that follows from that.
    #[tokio::test(start_paused = true)]
    async fn the_reference_service_keeps_the_contract() {
        let service = Service::in_memory("test".to_owned().into()).unwrap();
        let check = Check::new(Arc::clone(crate::testing::built_in())).service(app(service));
        let report = check.token("test").writes(true).seed(1).run().await.unwrap();
        assert!(
            report.conforms(),
            "the reference service does not keep openapi.yaml: change its handlers in src/service/operations, or the \
             contract\n\n{report}"
        );
    }
}
