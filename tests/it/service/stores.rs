//! What every store does, tested for each of them over HTTP: SQLite in a file, SQLite in memory, PostgreSQL.
//!
//! A claim is a function in `claims` or, if it needs a store that outlives a service, in `durable`; it gets a fresh
//! place for a store. What is true only of PostgreSQL is in `postgres_only`. For PostgreSQL, run `bash
//! .ci/with-postgres cargo test --features postgres`.

mod claims;
mod durable;
#[cfg(feature = "postgres")]
mod place_in_postgres;
#[cfg(feature = "postgres")]
mod postgres_only;
#[cfg(all(feature = "postgres", unix))]
mod silent_postgres;
#[cfg(all(feature = "postgres", unix))]
mod tls_to_postgres;

use countersign::service::StoreUrl;
use tempfile::TempDir;

pub(super) use claims::assert_whole;

/// Where a store can be made; what holds it is given back when this is dropped.
pub(super) struct Place {
    pub(super) url: StoreUrl,
    _folder: Option<TempDir>,
}

impl Place {
    fn file() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        Some(Place {
            url: StoreUrl::File(folder.path().join("contacts.db")),
            _folder: Some(folder),
        })
    }

    fn memory() -> Option<Self> {
        Some(Place {
            url: StoreUrl::Memory,
            _folder: None,
        })
    }
}

/// Instantiates claims for a kind of place. Where there is no such place, a claim has nothing to be true of, and
/// `stores::postgres_was_not_tested` says so.
macro_rules! claims_hold {
    ($claims:ident, $place:expr, [$($claim:ident),+ $(,)?]) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $claim() {
                if let Some(place) = $place {
                    super::$claims::$claim(place).await;
                }
            }
        )+
    };
}

macro_rules! all_claims_hold {
    ($place:expr) => {
        claims_hold!(
            claims,
            $place,
            [
                a_contact_created_in_a_venue_has_visited_it,
                a_contact_is_kept_as_sent,
                a_history_ends_as_in_memory,
                a_page_beyond_the_last_is_empty_and_knows_the_total,
                a_page_that_was_read_before_shows_every_write,
                a_rejected_create_leaves_nothing,
                concurrent_creates_skip_no_position_and_tear_no_page,
                concurrent_creates_and_updates_add_up,
                concurrent_methods_and_visits_of_one_contact_all_count,
                growth_is_the_same_everywhere_and_happens_once,
                the_seed_is_the_same_everywhere,
            ]
        );
    };
}

macro_rules! durable_claims_hold {
    ($place:expr) => {
        claims_hold!(
            durable,
            $place,
            [
                services_that_start_together_make_one_store,
                two_services_over_one_store_see_each_other,
                what_was_created_is_there_after_a_restart,
            ]
        );
    };
}

mod file {
    use super::Place;
    all_claims_hold!(Place::file());
    durable_claims_hold!(Place::file());
}

mod memory {
    use super::Place;
    all_claims_hold!(Place::memory());
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::Place;
    all_claims_hold!(Place::postgres().await);
    durable_claims_hold!(Place::postgres().await);
}

#[cfg(feature = "postgres")]
mod serializable_postgres {
    use super::Place;
    all_claims_hold!(Place::serializable_postgres().await);
    durable_claims_hold!(Place::serializable_postgres().await);
}

#[cfg(not(feature = "postgres"))]
#[test]
#[ignore = "PostgreSQL was not tested: `bash .ci/with-postgres cargo test --features postgres` does that"]
fn postgres_was_not_tested() {}

#[cfg(feature = "postgres")]
#[test]
fn postgres_was_tested_or_it_says_so() {
    use std::io::Write as _;
    if place_in_postgres::server().is_none() {
        // Straight to the terminal: the test harness shows nothing of what a test that passes prints.
        let line = b"\nPostgreSQL was NOT TESTED: `bash .ci/with-postgres cargo test --features postgres` does that\n";
        let _ = std::io::stderr().write_all(line);
    }
}
