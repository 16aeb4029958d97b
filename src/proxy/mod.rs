//! Passes requests on to a service and judges what passes, as [`traffic`](crate::traffic) judges files.
//!
//! - **In**: a contract, a listener, the service's base URL.
//! - **Out**: the same [`Judged`](crate::traffic::Judged) as of recorded traffic, and while it runs, an HTTP archive
//!   and metrics.
//! - **Start with** `serve`, which passes requests on until it is stopped, and `judge`, which runs beside it.
//!
//! # Design
//!
//! Clients must not notice the proxy. So the proxy opens one connection to the target for each client connection
//! (`upstream`), passes on all headers but `Host` and the hop-by-hop ones (`head`), and passes bodies on piece by piece
//! while it copies them (`copy`). What both directions copied becomes an exchange once both have ended, and goes into a
//! queue of limited size (`queue`). If the queue is full, an exchange is dropped and counted; nothing waits. One thread
//! judges the exchanges in the order in which their requests began, except for those that take too long, which come
//! late (`judge`).

mod copy;
mod forward;
mod head;
mod judge;
mod metrics;
mod queue;
mod upstream;

pub(crate) use forward::{Forwarder, serve};
pub(crate) use judge::judge;
pub(crate) use metrics::serve_metrics;
pub(crate) use queue::{ExchangeCounts, Queue};
