//! The service whose responses are compared. The main type is [`Subject`].

use std::path::{Path, PathBuf};

use axum::Router;
use countersign::service::fault::{self, Faults};
use countersign::service::{self, Profile, ProfileSetting, Service, StoreUrl};

const TOKEN: &str = "token-of-the-responses";

/// A service whose responses are held against the snapshots.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// The service itself, where it is in this process.
    pub(super) service: Option<Router>,
    pub(super) url: String,
    pub(super) token: String,
    pub(super) writes: bool,
    /// Whether its rows are known. A deployed service's are not, so what they do not show stays as accepted.
    pub(super) rows_are_known: bool,
    /// Where the accepted snapshots are.
    pub(super) folder: PathBuf,
}

impl Subject {
    /// The deployed service that the environment names, else the embedded one. An empty name is a wrong one: a variable
    /// that was not filled in must not pass for a deployed service that was held.
    pub(super) async fn asked_for() -> Self {
        let Some(url) = variable("COUNTERSIGN_BASE_URL") else {
            return Self::embedded(&[]).await;
        };
        let token = variable("COUNTERSIGN_TOKEN").expect("there is no token for the target; set COUNTERSIGN_TOKEN");
        let writes = match variable("COUNTERSIGN_WRITES").as_deref() {
            None | Some("" | "0") => false,
            Some("1") => true,
            Some(_) => panic!("COUNTERSIGN_WRITES is 1 to send writes, else 0"),
        };
        Self {
            service: None,
            url,
            token,
            writes,
            rows_are_known: false,
            folder: named_folder().unwrap_or_else(folder),
        }
    }

    /// A service of our own, in this process, with these settings of its profile, written `axis=value`.
    pub(super) async fn embedded(settings: &[&str]) -> Self {
        let settings: Vec<_> = settings
            .iter()
            .map(|text| ProfileSetting::parse(text).unwrap())
            .collect();
        let profile = Profile::of(&settings).unwrap();
        let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile);
        let router = service::app(service.await.unwrap());
        Self {
            service: Some(router),
            writes: true,
            rows_are_known: true,
            ..Self::deployed("http://in-process.localhost".to_owned())
        }
    }

    /// A service of our own with these faults, whose rows count as unknown, as a deployed one's are.
    pub(super) async fn with_faults(faults: &[&str]) -> Self {
        let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), Profile::default());
        let router = fault::app(service.await.unwrap(), &Faults::named(faults).unwrap());
        Self {
            service: Some(router),
            rows_are_known: false,
            ..Self::embedded(&[]).await
        }
    }

    /// A service at this URL of which nothing else is known.
    pub(super) fn deployed(url: String) -> Self {
        Self {
            service: None,
            url,
            token: TOKEN.to_owned(),
            writes: false,
            rows_are_known: false,
            folder: folder(),
        }
    }
}

/// Where the snapshots of this project are.
pub(super) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"))
}

/// Where the snapshots of a deployed service are that has chosen otherwise than the embedded one.
pub(super) fn named_folder() -> Option<PathBuf> {
    let named = variable("COUNTERSIGN_SNAPSHOTS").filter(|named| !named.is_empty());
    named.map(|named| Path::new(env!("CARGO_MANIFEST_DIR")).join(named))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the environment says which service the tests hold"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
