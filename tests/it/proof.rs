//! The proof of the checker, in both directions: a service that breaks a fact is reported at the right location, and
//! one that conforms causes no finding, whatever it chooses in the document's gaps.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod accounts;
mod at_once;
mod awkward;
mod breaks;
mod budget;
mod call;
mod careful;
mod checked;
mod chosen;
mod compared;
mod counts;
mod credentials;
mod deletions;
mod deviating;
mod devices;
mod edge_cases;
mod equivalent;
mod existing;
mod filters;
mod foreign;
mod harm;
mod headers;
mod invented;
mod keys;
mod late_records;
mod learned;
mod left_open;
mod lifecycle;
mod listing;
mod located;
mod long;
mod made_beside;
mod misled;
mod miswritten;
mod mock;
mod moves;
mod new_records;
mod numbered;
mod orders;
mod ordinary;
mod others;
mod overwritten;
mod owned;
mod paging;
mod profiles;
mod query;
mod quiet;
mod read_created;
mod record_count;
mod rejected_creates;
mod relay;
mod repeated;
mod repeated_updates;
mod request_keys;
mod shards;
mod small;
mod stated;
mod stray;
mod texts;
mod together;
mod unchecked;
mod unlisted;
mod unreadable;
mod unstable;
mod variety;
