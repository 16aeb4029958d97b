//! Faults of the reference service: each shows on the wire as it is named and nowhere else, and the checker sees it.

mod answers;
mod caught;
mod checker;
mod creates;
mod requests;

use countersign::service::Service;
use countersign::service::fault::{self, Faults};

use super::support::{Running, TOKEN};

/// Starts a service over a fresh store in memory that has these faults.
async fn with(faults: &[&str]) -> Running {
    let service = Service::memory(TOKEN.to_owned().into()).unwrap();
    Running::serve(fault::app(service, &Faults::named(faults).unwrap())).await
}
