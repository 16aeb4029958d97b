//! Holds what passed until it is judged. The main type is [`Queue`].
//!
//! # Design
//!
//! Recorded traffic is judged in the order in which requests began, so an exchange waits here until no earlier request
//! is under way. A request that takes long must not keep all others pending: after [`PATIENCE`] it is passed over, and
//! its exchange is judged by itself once it has ended.
//!
//! All that is copied counts against one limit. An exchange that would exceed it is dropped. What a dropped write may
//! have changed is not forgotten: dropped writes are merged into one, from the first one's beginning to the last one's
//! end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use http::{HeaderMap, HeaderValue};
use tokio::sync::oneshot;

use super::metrics::Snapshot;
use crate::traffic::{ASSUMED_DURATION, RequestLine, saturating_add};

/// How long exchanges wait for an earlier request to end.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a write may still take effect if no response says that it is done.
const LATE_EFFECT: TimeDelta = ASSUMED_DURATION;
/// The maximum number of copied bytes, of all exchanges that are under way or wait to be judged.
const MAX_BYTES: usize = 64 << 20;
/// What an exchange takes besides its headers and bodies, in bytes.
const OVERHEAD: usize = 1024;
/// What a header takes besides its name and value, in bytes.
const HEADER_OVERHEAD: usize = 128;

/// The exchanges that passed and are not judged yet.
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// When the queue was made, by both clocks.
    clock: (DateTime<Utc>, Instant),
}

#[derive(Default)]
struct State {
    /// The number of the next exchange.
    next: u64,
    exchanges: BTreeMap<u64, QueuedExchange>,
    /// The exchanges that were passed over and are still under way.
    passed_over: BTreeMap<u64, RequestLine>,
    /// The exchanges that have ended after they were passed over.
    late: VecDeque<ForwardedExchange>,
    bytes: usize,
    counts: ExchangeCounts,
    /// The period in which dropped writes were under way.
    dropped_writes: Option<(DateTime<Utc>, DateTime<Utc>)>,
    is_closed: bool,
    /// The exchanges that were still under way when the queue was closed, so that they were judged without a response:
    /// they are not judged again once they have ended.
    judged_early: BTreeSet<u64>,
    /// Whether judging has ended.
    has_ended: bool,
    /// Pending requests for a snapshot, each with the number of the next exchange at that time.
    snapshot_requests: VecDeque<(u64, oneshot::Sender<Snapshot>)>,
}

enum QueuedExchange {
    UnderWay(RequestLine, Instant),
    Done(Box<ForwardedExchange>),
}

/// How many exchanges there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExchangeCounts {
    /// Those that began, dropped ones included.
    pub(crate) began: u64,
    /// Those that were dropped because the queue was full.
    pub(crate) dropped: u64,
    /// Those that the proxy answered with 502, because no usable response came from the target.
    pub(crate) bad_gateway: u64,
    /// Those that are under way or wait to be judged.
    pub(crate) pending: usize,
    /// What those take, in bytes.
    pub(crate) bytes: usize,
}

/// An exchange that has ended.
#[derive(Debug)]
pub(super) struct ForwardedExchange {
    /// Its method and URL, when it began, and how long it took.
    pub(super) request_line: RequestLine,
    pub(super) headers: HeaderMap,
    pub(super) body: CopiedBody,
    /// The response; `None` where none came.
    pub(super) response: Option<ForwardedResponse>,
    bytes: usize,
}

impl ForwardedExchange {
    /// Until when a write that ended at this time may take effect: longer if its response does not say that it is done.
    fn takes_effect_until(&self, ended: DateTime<Utc>) -> DateTime<Utc> {
        match &self.response {
            Some(response) if response.status != 202 && response.status <= 501 => ended,
            _ => saturating_add(ended, LATE_EFFECT),
        }
    }
}

#[derive(Debug)]
pub(super) struct ForwardedResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: CopiedBody,
}

/// What was copied of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CopiedBody {
    /// All of it.
    Whole(Bytes),
    /// It is too large, or there was no room for it.
    NotKept,
    /// It ended early.
    Incomplete,
}

/// What is to be judged next.
pub(super) enum Next {
    /// An exchange; it is late if later ones were judged before it.
    Exchange {
        exchange: Box<ForwardedExchange>,
        is_late: bool,
    },
    /// A write whose exchange is not available: when it began, and when it ended at the latest. Without an end it is
    /// still under way; with one, it was dropped.
    UnseenWrite(DateTime<Utc>, Option<DateTime<Utc>>),
    /// A snapshot is requested.
    SnapshotRequest(oneshot::Sender<Snapshot>),
    /// Nothing more will come.
    Closed,
}

impl Queue {
    /// Makes an empty queue; `now` is the current time.
    pub(crate) fn new(now: DateTime<Utc>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            clock: (now, Instant::now()),
        })
    }

    /// Returns the current time, which never goes back.
    pub(super) fn now(&self) -> DateTime<Utc> {
        let (began, instant) = self.clock;
        let since = TimeDelta::from_std(instant.elapsed()).unwrap_or(TimeDelta::MAX);
        began.checked_add_signed(since).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Begins an exchange. `None` where the queue is full: then it is not judged.
    pub(super) fn begin(self: &Arc<Self>, request_line: RequestLine, headers: &HeaderMap) -> Option<ExchangeUnderWay> {
        // The URL is kept twice: in the queue, and with the exchange.
        let size = size(headers) + 2 * request_line.url.as_str().len();
        let mut state = self.state();
        state.counts.began += 1;
        if !state.reserve(size) {
            // It is passed on all the same, and may take effect until it ends.
            state.drop_exchange(&request_line, saturating_add(self.now(), ASSUMED_DURATION));
            self.changed.notify_one();
            return None;
        }
        let number = state.next;
        state.next += 1;
        state
            .exchanges
            .insert(number, QueuedExchange::UnderWay(request_line.clone(), Instant::now()));
        drop(state);
        Some(ExchangeUnderWay {
            queue: Arc::clone(self),
            number,
            request_line: Some(request_line),
            headers: copied(headers),
            parts: Mutex::new(Parts {
                bytes: size,
                body: None,
                response: None,
                is_dropped: false,
            }),
        })
    }

    /// Counts an exchange that the proxy answered with 502, because no usable response came from the target.
    pub(super) fn count_bad_gateway(&self) {
        self.state().counts.bad_gateway += 1;
    }

    /// Says that nothing more will come; what is still under way counts as having no response.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_one();
    }

    /// Requests a snapshot, which is taken once all exchanges that can be judged now are judged; one that waits for an
    /// earlier request cannot be. Once judging has ended, the receiver fails.
    pub(super) fn request_snapshot(&self) -> oneshot::Receiver<Snapshot> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        let requested_at = state.next;
        if !state.has_ended {
            state.snapshot_requests.push_back((requested_at, sender));
        }
        drop(state);
        self.changed.notify_one();
        receiver
    }

    /// Returns how many exchanges there were until now.
    pub(super) fn counts(&self) -> ExchangeCounts {
        let state = self.state();
        ExchangeCounts {
            pending: state.exchanges.len() + state.passed_over.len() + state.late.len(),
            bytes: state.bytes,
            ..state.counts
        }
    }

    /// Waits for what is to be judged next.
    pub(super) fn next(&self) -> Next {
        let mut state = self.state();
        loop {
            if let Some(next) = state.ready() {
                return next;
            }
            let patience = state.patience();
            state = match patience {
                Some(patience) => {
                    let waited = self.changed.wait_timeout(state, patience);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn reserve(&mut self, bytes: usize) -> bool {
        let fits = self.bytes + bytes <= MAX_BYTES;
        if fits {
            self.bytes += bytes;
        }
        fits
    }

    fn drop_exchange(&mut self, request_line: &RequestLine, ended: DateTime<Utc>) {
        self.counts.dropped += 1;
        if request_line.is_write() {
            let (from, until) = self.dropped_writes.unwrap_or((request_line.started, ended));
            self.dropped_writes = Some((from.min(request_line.started), until.max(ended)));
        }
    }

    fn ready(&mut self) -> Option<Next> {
        if let Some((from, until)) = self.dropped_writes.take() {
            return Some(Next::UnseenWrite(from, Some(until)));
        }
        if let Some(exchange) = self.late.pop_front() {
            self.bytes -= exchange.bytes;
            return Some(Next::Exchange {
                exchange: Box::new(exchange),
                is_late: true,
            });
        }
        let first = self.exchanges.first_key_value();
        let is_due = |requested_at: u64| {
            first.is_none_or(|(number, exchange)| {
                *number >= requested_at || matches!(exchange, QueuedExchange::UnderWay(..))
            })
        };
        if let Some((_, requested)) = self
            .snapshot_requests
            .pop_front_if(|(requested_at, _)| is_due(*requested_at))
        {
            return Some(Next::SnapshotRequest(requested));
        }
        loop {
            let Some(first) = self.exchanges.first_entry() else {
                return self.is_closed.then(|| self.last());
            };
            let number = *first.key();
            match first.get() {
                QueuedExchange::UnderWay(_, since) if !self.is_closed && since.elapsed() < PATIENCE => return None,
                _ => {}
            }
            match first.remove() {
                QueuedExchange::Done(exchange) => {
                    self.bytes -= exchange.bytes;
                    return Some(Next::Exchange {
                        exchange,
                        is_late: false,
                    });
                }
                QueuedExchange::UnderWay(request_line, _) if self.is_closed => {
                    return Some(self.cut_off(number, request_line, false));
                }
                QueuedExchange::UnderWay(request_line, _) => {
                    let unseen = request_line
                        .is_write()
                        .then_some(Next::UnseenWrite(request_line.started, None));
                    self.passed_over.insert(number, request_line);
                    if unseen.is_some() {
                        return unseen;
                    }
                }
            }
        }
    }

    /// Returns what comes last in a queue that is closed: what was passed over and is still under way, then the end.
    fn last(&mut self) -> Next {
        match self.passed_over.pop_first() {
            Some((number, request_line)) => self.cut_off(number, request_line, true),
            None => {
                self.has_ended = true;
                Next::Closed
            }
        }
    }

    /// Returns an exchange that is still under way as one without a response.
    fn cut_off(&mut self, number: u64, request_line: RequestLine, is_late: bool) -> Next {
        self.judged_early.insert(number);
        let exchange = Box::new(ForwardedExchange {
            request_line,
            headers: HeaderMap::new(),
            body: CopiedBody::Incomplete,
            response: None,
            bytes: 0,
        });
        Next::Exchange { exchange, is_late }
    }

    /// Returns how long the first exchange may still be under way; `None` where it is not.
    fn patience(&self) -> Option<Duration> {
        match self.exchanges.first_key_value() {
            Some((_, QueuedExchange::UnderWay(_, since))) => Some(PATIENCE.saturating_sub(since.elapsed())),
            _ => None,
        }
    }
}

/// An exchange that is under way; it ends when this is dropped.
pub(super) struct ExchangeUnderWay {
    queue: Arc<Queue>,
    number: u64,
    /// `None` once it has ended.
    request_line: Option<RequestLine>,
    headers: HeaderMap,
    parts: Mutex<Parts>,
}

struct Parts {
    /// What was reserved.
    bytes: usize,
    body: Option<CopiedBody>,
    response: Option<ForwardedResponse>,
    is_dropped: bool,
}

impl ExchangeUnderWay {
    /// Makes room for a piece of a body, or for a head. If there is no room, the exchange is dropped.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let mut parts = self.parts();
        if !parts.is_dropped && self.queue.state().reserve(bytes) {
            parts.bytes += bytes;
            return true;
        }
        parts.is_dropped = true;
        false
    }

    /// Frees the room of a copy that is not kept.
    pub(super) fn release(&self, bytes: usize) {
        self.parts().bytes -= bytes;
        self.queue.state().bytes -= bytes;
    }

    /// Keeps the head of the response, whose body follows.
    pub(super) fn keep_response_head(&self, status: u16, headers: &HeaderMap) {
        // The status of an exchange that is dropped still says until when its write may take effect.
        let fits = self.reserve(size(headers));
        self.parts().response = Some(ForwardedResponse {
            status,
            headers: if fits { copied(headers) } else { HeaderMap::new() },
            body: CopiedBody::Incomplete,
        });
    }

    /// Keeps the body of the request.
    pub(super) fn keep_request_body(&self, body: CopiedBody) {
        self.parts().body = Some(body);
    }

    /// Keeps the body of the response.
    pub(super) fn keep_response_body(&self, body: CopiedBody) {
        if let Some(response) = &mut self.parts().response {
            response.body = body;
        }
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ExchangeUnderWay {
    fn drop(&mut self) {
        let Some(mut request_line) = self.request_line.take() else {
            return;
        };
        let ended = self.queue.now();
        request_line.elapsed = ended.signed_duration_since(request_line.started).to_std().ok();
        let mut parts = self.parts();
        let (body, response) = (
            parts.body.take().unwrap_or(CopiedBody::Incomplete),
            parts.response.take(),
        );
        let (bytes, is_dropped) = (parts.bytes, parts.is_dropped);
        drop(parts);
        let exchange = ForwardedExchange {
            request_line,
            headers: std::mem::take(&mut self.headers),
            body,
            response,
            bytes,
        };
        let mut state = self.queue.state();
        if state.judged_early.remove(&self.number) {
            state.bytes -= bytes;
        } else if is_dropped {
            state.bytes -= bytes;
            state.exchanges.remove(&self.number);
            state.passed_over.remove(&self.number);
            state.drop_exchange(&exchange.request_line, exchange.takes_effect_until(ended));
        } else if let Some(queued) = state.exchanges.get_mut(&self.number) {
            *queued = QueuedExchange::Done(Box::new(exchange));
        } else {
            state.passed_over.remove(&self.number);
            state.late.push_back(exchange);
        }
        drop(state);
        self.queue.changed.notify_one();
    }
}

/// Returns what a head takes, in bytes.
fn size(headers: &HeaderMap) -> usize {
    let pairs = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + HEADER_OVERHEAD);
    OVERHEAD + pairs.sum::<usize>()
}

/// Copies headers. A clone would share the buffer that its connection reads into, and keep all of that.
fn copied(headers: &HeaderMap) -> HeaderMap {
    let copy = |value: &HeaderValue| HeaderValue::from_bytes(value.as_bytes()).unwrap_or_else(|_| value.clone());
    headers
        .iter()
        .map(|(name, value)| (name.clone(), copy(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    #[test]
    fn what_is_kept_of_a_head_does_not_keep_the_buffer_that_it_was_read_into() {
        let buffer = Bytes::from(vec![b'a'; 8 << 10]);
        let value = |range: std::ops::Range<usize>| HeaderValue::from_maybe_shared(buffer.slice(range)).unwrap();
        let pairs = [("x-a", 0..2), ("x-b", 2..4), ("x-a", 4..9)];
        let headers: HeaderMap = pairs
            .map(|(name, range)| (name.parse().unwrap(), value(range)))
            .into_iter()
            .collect();
        let kept = copied(&headers);
        assert_eq!(kept, headers);
        drop(headers);
        assert!(buffer.is_unique());
    }

    #[test]
    fn a_head_of_many_short_lines_counts_as_what_it_takes() {
        let names = (0..1_000).map(|index| format!("x{index}").parse().unwrap());
        let headers: HeaderMap = names.map(|name| (name, HeaderValue::from_static("a"))).collect();
        assert!(size(&headers) > 100_000);
    }

    fn queue() -> Arc<Queue> {
        Queue::new(DateTime::UNIX_EPOCH)
    }

    fn request_line(queue: &Queue, method: &str) -> RequestLine {
        RequestLine {
            method: method.to_owned(),
            url: "https://contacts.example.com/tags".parse().unwrap(),
            started: queue.now(),
            elapsed: None,
        }
    }

    fn begin(queue: &Arc<Queue>, method: &str) -> Option<ExchangeUnderWay> {
        queue.begin(request_line(queue, method), &HeaderMap::new())
    }

    /// Lets the first exchange, which is under way, have begun so long ago that others no longer wait for it.
    fn make_first_overdue(queue: &Queue, method: &str) {
        let long_ago = Instant::now().checked_sub(PATIENCE).unwrap();
        let under_way = QueuedExchange::UnderWay(request_line(queue, method), long_ago);
        queue.state().exchanges.insert(0, under_way);
    }

    /// What is ready, without pending: the method of an exchange, and whether it is late.
    fn ready(queue: &Queue) -> Option<(String, bool)> {
        match queue.state().ready() {
            Some(Next::Exchange { exchange, is_late }) => Some((exchange.request_line.method, is_late)),
            Some(Next::UnseenWrite(_, None)) => Some(("write under way".to_owned(), false)),
            Some(Next::UnseenWrite(_, Some(_))) => Some(("dropped write".to_owned(), false)),
            Some(Next::Closed) => Some(("closed".to_owned(), false)),
            Some(Next::SnapshotRequest(_)) | None => None,
        }
    }

    fn on_time(method: &str) -> Option<(String, bool)> {
        Some((method.to_owned(), false))
    }

    #[test]
    fn exchanges_come_in_the_order_in_which_their_requests_began() {
        let queue = queue();
        let (first, second) = (begin(&queue, "GET"), begin(&queue, "POST"));
        drop(second);
        assert_eq!(ready(&queue), None);
        drop(first);
        assert_eq!(ready(&queue), on_time("GET"));
        assert_eq!(ready(&queue), on_time("POST"));
        assert_eq!(queue.counts().bytes, 0);
    }

    #[test]
    fn what_takes_too_long_is_passed_over_and_comes_late() {
        let queue = queue();
        let (slow, next) = (begin(&queue, "GET"), begin(&queue, "POST"));
        drop(next);
        make_first_overdue(&queue, "GET");
        assert_eq!(ready(&queue), on_time("POST"));
        drop(slow);
        assert_eq!(ready(&queue), Some(("GET".to_owned(), true)));
    }

    #[test]
    fn a_write_that_takes_too_long_is_known_before_it_ends() {
        let queue = queue();
        let _slow = begin(&queue, "POST");
        make_first_overdue(&queue, "POST");
        assert_eq!(ready(&queue), on_time("write under way"));
    }

    #[test]
    fn what_is_under_way_at_the_end_has_no_response() {
        let queue = queue();
        let _cut = begin(&queue, "POST");
        queue.close();
        assert_eq!(ready(&queue), on_time("POST"));
        assert_eq!(ready(&queue), on_time("closed"));
    }

    #[test]
    fn what_was_passed_over_and_is_under_way_at_the_end_has_no_response() {
        let queue = queue();
        let _slow = begin(&queue, "GET");
        make_first_overdue(&queue, "GET");
        assert_eq!(ready(&queue), None);
        assert_eq!(queue.counts().pending, 1);
        queue.close();
        assert_eq!(ready(&queue), Some(("GET".to_owned(), true)));
        assert_eq!(ready(&queue), on_time("closed"));
    }

    #[test]
    fn a_write_that_is_dropped_when_it_begins_may_take_effect_later() {
        let queue = queue();
        let full = begin(&queue, "GET").unwrap();
        assert!(full.reserve(MAX_BYTES - queue.counts().bytes));
        assert!(begin(&queue, "POST").is_none());
        let Some(Next::UnseenWrite(began, Some(until))) = queue.state().ready() else {
            panic!("nothing was written");
        };
        assert!(until - began >= ASSUMED_DURATION);
    }

    #[test]
    fn what_was_judged_as_under_way_is_not_judged_again_when_it_ends() {
        let queue = queue();
        let (cut, _next) = (begin(&queue, "POST"), begin(&queue, "GET"));
        queue.close();
        assert_eq!(ready(&queue), on_time("POST"));
        drop(cut);
        assert_eq!(ready(&queue), on_time("GET"));
        assert_eq!(ready(&queue), on_time("closed"));
        assert_eq!(
            queue.counts().bytes,
            OVERHEAD + 2 * request_line(&queue, "GET").url.as_str().len()
        );
    }

    #[test]
    fn who_asks_after_judging_has_ended_is_told_so() {
        let queue = queue();
        let mut before = queue.request_snapshot();
        assert!(matches!(queue.state().ready(), Some(Next::SnapshotRequest(_))));
        assert!(matches!(before.try_recv(), Err(TryRecvError::Closed)));
        queue.close();
        assert_eq!(ready(&queue), on_time("closed"));
        let mut after = queue.request_snapshot();
        assert!(matches!(after.try_recv(), Err(TryRecvError::Closed)));
    }

    #[test]
    fn a_full_queue_drops_exchanges_and_remembers_that_something_was_written() {
        let queue = queue();
        let full = begin(&queue, "GET").unwrap();
        assert!(full.reserve(MAX_BYTES - queue.counts().bytes));
        assert!(begin(&queue, "GET").is_none());
        assert_eq!(ready(&queue), None);
        assert!(begin(&queue, "POST").is_none());
        assert_eq!(ready(&queue), on_time("dropped write"));
        assert_eq!((queue.counts().began, queue.counts().dropped), (3, 2));
        drop(full);
        assert_eq!(ready(&queue), on_time("GET"));
        assert!(begin(&queue, "GET").is_some());
    }

    #[test]
    fn an_exchange_whose_copy_no_longer_fits_is_dropped() {
        let queue = queue();
        let (full, small) = (begin(&queue, "GET").unwrap(), begin(&queue, "POST").unwrap());
        assert!(full.reserve(MAX_BYTES - queue.counts().bytes));
        assert!(!small.reserve(1));
        drop((full, small));
        assert_eq!(ready(&queue), on_time("dropped write"));
        assert_eq!(ready(&queue), on_time("GET"));
        assert_eq!(ready(&queue), None);
        assert_eq!((queue.counts().dropped, queue.counts().bytes), (1, 0));
    }

    #[test]
    fn of_a_response_whose_head_does_not_fit_only_the_status_is_kept() {
        let queue = queue();
        let headers = HeaderMap::from_iter([(http::header::SERVER, HeaderValue::from_static("a"))]);
        let kept = |under_way: &ExchangeUnderWay| {
            under_way.keep_response_head(200, &headers);
            let parts = under_way.parts();
            let response = parts.response.as_ref().unwrap();
            (response.status, response.headers.len())
        };
        let (small, full) = (begin(&queue, "POST").unwrap(), begin(&queue, "GET").unwrap());
        assert_eq!(kept(&small), (200, 1));
        let small = begin(&queue, "POST").unwrap();
        assert!(full.reserve(MAX_BYTES - queue.counts().bytes));
        assert_eq!(kept(&small), (200, 0));
    }

    #[test]
    fn who_asks_how_far_judging_is_hears_of_all_that_has_ended() {
        let queue = queue();
        drop(begin(&queue, "GET"));
        let _asked = queue.request_snapshot();
        let _under_way = begin(&queue, "POST");
        assert_eq!(ready(&queue), on_time("GET"));
        assert!(matches!(queue.state().ready(), Some(Next::SnapshotRequest(_))));
        assert_eq!(ready(&queue), None);
    }

    #[test]
    fn what_is_not_kept_of_a_body_makes_room_again() {
        let queue = queue();
        let under_way = begin(&queue, "GET").unwrap();
        let empty = queue.counts().bytes;
        assert!(under_way.reserve(100));
        under_way.release(100);
        assert_eq!(queue.counts().bytes, empty);
        drop(under_way);
        assert_eq!(ready(&queue), on_time("GET"));
        assert_eq!(queue.counts().bytes, 0);
    }
}
