//! The limit on connections: [`Connections`] makes room for a new one by closing the one that has been idle the
//! longest.
//!
//! # Design
//!
//! A connection is idle while none of its requests is being answered: between two requests, before the first, and while
//! a head is still arriving. So a client that opens connections and sends nothing, or sends slowly, only takes room
//! from others like it; a connection whose request is being answered is never closed. When all are busy, a new
//! connection waits, and later ones wait in the listener's backlog.
//!
//! A request that arrives on a connection already selected to be closed is not started: its effects would go
//! unanswered.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

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
    closers: BTreeMap<u64, Arc<Notify>>,
    next: u64,
}

/// One connection's slot among the others, held until this is dropped.
pub(super) struct Slot {
    connections: Connections,
    close: Arc<Notify>,
    /// Its number among the idle ones; none while it is busy.
    number: Mutex<Option<u64>>,
    _permit: OwnedSemaphorePermit,
}

impl Connections {
    /// Allows `most` connections at a time.
    pub(super) fn new(most: usize) -> Self {
        Connections {
            inner: Arc::new(Inner {
                idle: Mutex::default(),
                permits: Arc::new(Semaphore::new(most)),
                became_idle: Notify::new(),
            }),
        }
    }

    /// Waits for a slot for a new connection, which starts out idle.
    pub(super) async fn slot(&self) -> Slot {
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
            }
        };
        let slot = Slot {
            connections: self.clone(),
            close: Arc::new(Notify::new()),
            number: Mutex::default(),
            _permit: permit,
        };
        slot.become_idle();
        slot
    }

    /// Closes the connection that has been idle the longest, and returns whether there was one.
    pub(super) fn close_longest_idle(&self) -> bool {
        let longest = self.idle().closers.pop_first();
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
    /// Awaits the `response` to a request, during which the connection is not closed. Never finishes on a connection
    /// that is about to be closed.
    pub(super) async fn busy<T>(&self, response: impl Future<Output = T>) -> T {
        let number = self.number().take();
        // Without a number, an earlier request on this connection was abandoned, and it is still busy.
        let is_chosen = number.is_some_and(|number| self.connections.idle().closers.remove(&number).is_none());
        if is_chosen {
            return std::future::pending().await;
        }
        let response = response.await;
        self.become_idle();
        response
    }

    /// Waits until the connection is to be closed.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }

    fn become_idle(&self) {
        let mut idle = self.connections.idle();
        let number = idle.next;
        idle.next += 1;
        idle.closers.insert(number, self.close.clone());
        drop(idle);
        *self.number() = Some(number);
        self.connections.inner.became_idle.notify_waiters();
    }

    fn number(&self) -> MutexGuard<'_, Option<u64>> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(number) = self.number().take() {
            self.connections.idle().closers.remove(&number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;

    use super::*;

    fn is_closed(slot: &Slot) -> bool {
        slot.closed().now_or_never().is_some()
    }

    #[tokio::test]
    async fn the_longest_idle_connection_makes_room() {
        let connections = Connections::new(2);
        let (first, second) = (connections.slot().await, connections.slot().await);
        // A request makes the first one the fresher of the two.
        first.busy(async {}).await;
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
        let (answered, response) = tokio::sync::oneshot::channel();
        let mut busy = pin!(only.busy(response));
        assert!(busy.as_mut().now_or_never().is_none());
        let mut next = pin!(connections.slot());
        assert!(next.as_mut().now_or_never().is_none());
        assert!(!is_closed(&only));
        answered.send(()).unwrap();
        busy.await.unwrap();
        assert!(next.as_mut().now_or_never().is_none());
        assert!(is_closed(&only));
    }

    #[tokio::test]
    async fn a_request_on_a_connection_that_is_to_be_cut_is_not_begun() {
        let connections = Connections::new(1);
        let only = connections.slot().await;
        assert!(connections.close_longest_idle());
        let begun = only.busy(async { panic!("this was begun") }).now_or_never();
        assert!(begun.is_none());
        assert!(!connections.close_longest_idle());
    }

    #[tokio::test]
    async fn a_connection_that_is_gone_is_not_among_the_idle_ones() {
        let connections = Connections::new(1);
        drop(connections.slot().await);
        assert!(!connections.close_longest_idle());
        assert!(connections.slot().now_or_never().is_some());
    }
}
