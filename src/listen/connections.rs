//! The limit on connections: [`Connections`] makes room for a new one by closing the one that has been idle the
//! longest.
//!
//! # Design
//!
//! A connection is idle while none of its requests is being answered: between two requests, before the first, and while
//! a head is still arriving. So a client that opens connections and sends nothing, or sends slowly, only takes room
//! from others like it; a connection whose request is being answered is never closed. When all are busy, a new
//! connection waits, and later ones wait in the listener's backlog. A connection that goes on in another protocol is
//! busy until that ends.
//!
//! A response may have ended and not yet be sent in full, because the client reads slowly: then the idle connection
//! that makes room is closed once the rest is sent, or after a while.
//!
//! A request that arrives on a connection already selected to be closed is answered like any other, and another
//! connection makes room.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How long a new connection waits for one that is being closed before another is closed too.
const CLOSE_WAIT: Duration = Duration::from_millis(100);

/// The connections that are open.
#[derive(Clone)]
pub(super) struct Connections {
    inner: Arc<Inner>,
}

struct Inner {
    idle: Mutex<Idle>,
    permits: Arc<Semaphore>,
    /// Notified when a connection becomes idle.
    became_idle: Notify,
}

/// The idle connections, the longest idle first.
#[derive(Default)]
struct Idle {
    /// What closes each, by a number that grows from one to the next.
    by_idle_since: BTreeMap<u64, Arc<Notify>>,
    next: u64,
}

/// One connection's slot among the others, held until this is dropped.
pub(super) struct Slot {
    connections: Connections,
    close: Arc<Notify>,
    state: Mutex<State>,
    _permit: OwnedSemaphorePermit,
}

#[derive(Default)]
struct State {
    /// The key that the connection has, or had, in [`Idle::by_idle_since`]; `None` while busy.
    idle_key: Option<u64>,
    /// How many responses are under way: the end of one may be noticed after the next request has begun.
    under_way: usize,
    /// Whether a request was begun, so that part of its response may not be sent yet.
    has_begun: bool,
}

/// A request that is being answered; once this is dropped, its connection may be idle.
pub(crate) struct Busy(Arc<Slot>);

impl Connections {
    /// Allows `max_connections` at a time.
    pub(super) fn new(max_connections: usize) -> Self {
        Connections {
            inner: Arc::new(Inner {
                idle: Mutex::default(),
                permits: Arc::new(Semaphore::new(max_connections)),
                became_idle: Notify::new(),
            }),
        }
    }

    /// Waits for a slot for a new connection, which starts out idle.
    pub(super) async fn slot(&self) -> Arc<Slot> {
        let permit = loop {
            if let Ok(permit) = self.inner.permits.clone().try_acquire_owned() {
                break permit;
            }
            // Created before the search for an idle one, so that none can become idle unnoticed.
            let became_idle = self.inner.became_idle.notified();
            let closed = self.close_longest_idle();
            tokio::select! {
                Ok(permit) = self.inner.permits.clone().acquire_owned() => break permit,
                () = became_idle, if !closed => {}
                // A client that reads slowly may take the rest of a response: then the next one makes room too.
                () = tokio::time::sleep(CLOSE_WAIT), if closed => {}
            }
        };
        let slot = Arc::new(Slot {
            connections: self.clone(),
            close: Arc::new(Notify::new()),
            state: Mutex::default(),
            _permit: permit,
        });
        slot.become_idle();
        slot
    }

    /// Closes the connection that has been idle the longest, and returns whether there was one.
    pub(super) fn close_longest_idle(&self) -> bool {
        let longest = self.idle().by_idle_since.pop_first();
        longest.is_some_and(|(_, close)| {
            close.notify_one();
            true
        })
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.inner.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Begins a request. The connection stays open until the request ends.
    pub(super) fn begin(self: Arc<Self>) -> Busy {
        let mut state = self.state();
        // Without a key, the connection is still busy: the end of an earlier response has not been noticed yet.
        if let Some(key) = state.idle_key.take() {
            self.connections.idle().by_idle_since.remove(&key);
        }
        state.under_way += 1;
        state.has_begun = true;
        drop(state);
        Busy(self)
    }

    /// Waits until the connection is to be closed.
    pub(super) async fn close_requested(&self) {
        self.close.notified().await;
    }

    /// Whether a request is being answered.
    pub(super) fn is_busy(&self) -> bool {
        self.state().under_way > 0
    }

    /// Whether a response may not be sent in full yet.
    pub(super) fn has_begun(&self) -> bool {
        self.state().has_begun
    }

    fn become_idle(&self) {
        let mut idle = self.connections.idle();
        let key = idle.next;
        idle.next += 1;
        idle.by_idle_since.insert(key, self.close.clone());
        drop(idle);
        self.state().idle_key = Some(key);
        self.connections.inner.became_idle.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.under_way -= 1;
        let is_idle = state.under_way == 0;
        drop(state);
        if is_idle {
            self.0.become_idle();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(key) = self.state().idle_key.take() {
            self.connections.idle().by_idle_since.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;

    use super::*;

    fn is_closed(slot: &Slot) -> bool {
        slot.close_requested().now_or_never().is_some()
    }

    #[tokio::test]
    async fn the_longest_idle_connection_makes_room() {
        let connections = Connections::new(2);
        let (first, second) = (connections.slot().await, connections.slot().await);
        // A request makes the first one the fresher of the two.
        drop(first.clone().begin());
        let mut third = pin!(connections.slot());
        assert!(third.as_mut().now_or_never().is_none());
        assert_eq!((is_closed(&first), is_closed(&second)), (false, true));
        drop(second);
        assert!(third.now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_busy_connection_is_not_cut_and_the_new_one_waits_for_it_to_turn_idle() {
        let connections = Connections::new(1);
        let only = connections.slot().await;
        let busy = only.clone().begin();
        let mut next = pin!(connections.slot());
        assert!(next.as_mut().now_or_never().is_none());
        assert!(!is_closed(&only));
        drop(busy);
        assert!(next.as_mut().now_or_never().is_none());
        assert!(is_closed(&only));
    }

    #[tokio::test]
    async fn a_connection_is_busy_until_the_last_of_its_responses_ends() {
        let connections = Connections::new(1);
        let only = connections.slot().await;
        let (first, second) = (only.clone().begin(), only.clone().begin());
        drop(first);
        assert!(!connections.close_longest_idle());
        drop(second);
        assert!(connections.close_longest_idle());
    }

    #[tokio::test]
    async fn a_request_on_a_connection_that_was_chosen_to_make_room_keeps_it_open() {
        let connections = Connections::new(1);
        let only = connections.slot().await;
        assert!(connections.close_longest_idle() && !only.is_busy());
        let busy = only.clone().begin();
        assert!(only.is_busy() && !connections.close_longest_idle());
        drop(busy);
        assert!(!only.is_busy() && connections.close_longest_idle());
    }

    #[tokio::test]
    async fn a_connection_that_is_gone_is_not_among_the_idle_ones() {
        let connections = Connections::new(1);
        drop(connections.slot().await);
        assert!(!connections.close_longest_idle());
        assert!(connections.slot().now_or_never().is_some());
    }
}
