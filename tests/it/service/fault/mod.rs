//! Faults of the reference service: each shows on the wire as named and nowhere else, and the checker finds it.

mod awkward;
mod calls;
mod caught;
mod checker;
mod creates;
mod requests;
mod responses;
mod traffic;

use countersign::Recording;
use countersign::contract::Contract;
use countersign::service::fault::{self, Faults};
use countersign::service::{Service, StoreUrl};

use super::support::{Running, TOKEN};

/// What went over the wire in a check of a sound service.
pub(crate) fn recording_of_a_check(contract: &Contract) -> Recording {
    checker::Checker::new(contract).recording(checker::Part::Whole.of_all())
}

/// Starts a service over a fresh store in memory that has these faults, and these choices in the gaps.
async fn moved(settings: &[&str], faults: &[&str]) -> Running {
    let settings: Vec<_> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    let profile = super::profile::profile(&settings);
    let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile);
    Running::serve(fault::app(service.await.unwrap(), &Faults::named(faults).unwrap())).await
}

/// Starts a service over a fresh store in memory that has these faults.
async fn with(faults: &[&str]) -> Running {
    let service = Service::in_memory(TOKEN.to_owned().into()).unwrap();
    Running::serve(fault::app(service, &Faults::named(faults).unwrap())).await
}
