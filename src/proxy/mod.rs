//! Passes requests on to a service and judges what passes, as [`traffic`](crate::traffic) judges files.
//!
//! - **In**: a contract, a listener, the service's base URL.
//! - **Out**: the same [`Judged`](crate::traffic::Judged) as of recorded traffic, and while it runs, an HTTP archive and
//!   metrics.
//! - **Start with** `serve`, which passes requests on until it is stopped, and `judge`, which runs beside it.
//!
//! # Design
//!
//! Whoever uses the proxy must not notice it. So each connection of a client has one of its own to the target (`link`),
//! heads are passed on but for what belongs to one connection (`head`), and bodies are passed on piece by piece while a
//! copy is made of each (`copy`). What both directions copied becomes an exchange once both have ended, and goes into a
//! queue of limited size (`queue`). If the queue is full, an exchange is dropped and counted; nothing waits. One thread
//! takes the exchanges in the order in which their requests began and judges them (`judge`).

mod copy;
mod forward;
mod head;
mod judge;
mod link;
mod metrics;
mod queue;

pub(crate) use forward::{Forwarding, serve};
pub(crate) use judge::judge;
pub(crate) use metrics::serve_metrics;
pub(crate) use queue::{ExchangeCounts, Queue};
