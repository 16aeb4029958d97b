//! The reference service with deviations added, in this process or on a socket. The main type is [`Deviation`].
//!
//! # Design
//!
//! The service underneath stays unchanged, so a case needs only a few lines for what it does differently. A deviation
//! consists of closures in three places: before the service, on a list as a whole, after the service.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use countersign::exchange::Exchange;
use countersign::service::{self, Profile, ProfileSetting, Service, StoreUrl};
use http::StatusCode;
use serde_json::Value;

use super::call::{Call, Reply, TOKEN};
use super::checked::contract;
use super::listing::Listing;
use crate::support::again::{answered, request, response};

type Ask = Box<dyn Fn(&mut Call) -> Option<Reply> + Send + Sync>;
type Relist = Box<dyn Fn(&Call, &mut Listing) + Send + Sync>;
type Edit = Box<dyn Fn(&Call, &mut Reply) + Send + Sync>;

/// What a service does otherwise than the reference service.
#[derive(Default)]
pub(super) struct Deviation {
    asks: Vec<Ask>,
    relists: Vec<Relist>,
    /// Each with the operation whose successes it changes, where it is one's.
    edits: Vec<(Option<&'static str>, Edit)>,
    /// Whether no recording shows it.
    takes_a_run: bool,
}

/// The calls that a service was sent, in order.
pub(super) type Log = Arc<Mutex<Vec<Call>>>;

struct Laid {
    deviation: Deviation,
    log: Log,
    /// How many times a write has begun or ended in the service beneath.
    written: AtomicU64,
    /// The whole lists of the service beneath by their paths, each with how much was written before.
    lists: Mutex<HashMap<String, (u64, Reply)>>,
}

impl Laid {
    /// What the service beneath answers: a list as a whole on one page where it is cut here, which is read once until
    /// something is written.
    async fn beneath(&self, call: &Call, next: Next) -> Result<Reply, Response> {
        let is_list = !self.deviation.relists.is_empty() && !call.is_write();
        let written = self.written.load(Ordering::SeqCst);
        let kept = is_list && call.is_authorized();
        if kept
            && let Some((then, reply)) = self.lists.lock().unwrap().get(call.uri.path())
            && *then == written
        {
            return Ok(reply.clone());
        }
        let mut beneath = call.clone();
        if is_list {
            beneath.ask_for(1);
        }
        let writes = u64::from(call.is_write());
        self.written.fetch_add(writes, Ordering::SeqCst);
        let response = next.run(beneath.request()).await;
        self.written.fetch_add(writes, Ordering::SeqCst);
        if self.deviation.leaves(call, response.status()) {
            return Err(response);
        }
        let reply = Reply::read(response).await;
        if kept && reply.succeeded() {
            let list = (written, reply.clone());
            self.lists.lock().unwrap().insert(call.uri.path().to_owned(), list);
        }
        Ok(reply)
    }
}

impl Deviation {
    pub(super) fn none() -> Self {
        Self::default()
    }

    /// Before the service: changes the request, or answers it itself.
    pub(super) fn asked(mut self, ask: impl Fn(&mut Call) -> Option<Reply> + Send + Sync + 'static) -> Self {
        self.asks.push(Box::new(ask));
        self
    }

    /// Answers an authorized request itself: whoever is not let in is rejected by the service beneath.
    pub(super) fn answering(self, response: impl Fn(&Call) -> Option<Reply> + Send + Sync + 'static) -> Self {
        self.asked(move |call| call.is_authorized().then(|| response(call)).flatten())
    }

    /// On the list as a whole, for every request that a list answers.
    pub(super) fn relisted(mut self, relist: impl Fn(&Call, &mut Listing) + Send + Sync + 'static) -> Self {
        self.relists.push(Box::new(relist));
        self
    }

    /// After the service: changes the response.
    pub(super) fn replied(mut self, edit: impl Fn(&Call, &mut Reply) + Send + Sync + 'static) -> Self {
        self.edits.push((None, Box::new(edit)));
        self
    }

    /// After the service, where the operation succeeded.
    pub(super) fn at(
        mut self,
        operation: &'static str,
        edit: impl Fn(&Call, &mut Reply) + Send + Sync + 'static,
    ) -> Self {
        self.edits.push((Some(operation), Box::new(edit)));
        self
    }

    /// Says that no recording shows it: it is of what is on the wire alone, or of what a run sends next.
    pub(super) fn in_a_run(mut self) -> Self {
        self.takes_a_run = true;
        self
    }

    /// Whether all that it does is to change responses, each for itself.
    pub(super) fn only_edits(&self) -> bool {
        self.asks.is_empty() && self.relists.is_empty() && !self.takes_a_run
    }

    /// What was recorded, with the response as the deviation has it; none where it changes nothing.
    pub(super) fn edited(&self, exchange: &Exchange) -> Option<Exchange> {
        let called = contract().operation(exchange.request.operation).name.as_str();
        let edits = || self.edits.iter().filter(|(of, _)| of.is_none_or(|of| of == called));
        let response = response(exchange).filter(|_| edits().next().is_some())?;
        let (call, mut reply) = (Call::of(request(exchange)?), Reply::of(response));
        self.edit(&call, &mut reply);
        Some(answered(exchange, reply.complete()))
    }

    fn ask(&self, call: &mut Call) -> Option<Reply> {
        self.asks.iter().find_map(|ask| ask(call))
    }

    /// Cuts the whole list, which the service beneath answered on one page, as the deviation has it.
    fn relist(&self, call: &Call, reply: &mut Reply) {
        let items = reply.value_mut().and_then(|value| value.pointer_mut("/data/items"));
        let items = items.filter(|_| !self.relists.is_empty()).and_then(Value::as_array_mut);
        if let Some(items) = items.map(std::mem::take) {
            let mut listing = Listing::cut(items, 10);
            for relist in &self.relists {
                relist(call, &mut listing);
            }
            *reply = listing.response(call.page().unwrap_or(1));
        }
    }

    /// Whether a response of this status stays as the service beneath makes it.
    fn leaves(&self, call: &Call, status: StatusCode) -> bool {
        let edited = |of: Option<&str>| of.is_none_or(|operation| call.is(operation) && status.is_success());
        let is_relisted = !self.relists.is_empty() && !call.is_write();
        !is_relisted && !self.edits.iter().any(|(of, _)| edited(*of))
    }

    fn edit(&self, call: &Call, reply: &mut Reply) {
        for (of, edit) in &self.edits {
            if of.is_none_or(|operation| call.is(operation) && reply.succeeded()) {
                edit(call, reply);
            }
        }
    }
}

/// The service with the deviation laid over it, and the log of its calls.
pub(super) async fn laid(deviation: Deviation) -> (Router, Log) {
    let mut profile = Profile::default();
    if !deviation.relists.is_empty() {
        // One page holds the whole list then, and the listing is what cuts it.
        profile = Profile::of(&[ProfileSetting::parse("page-size=100").unwrap()]).unwrap();
    }
    let beneath = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile)
        .await
        .unwrap();
    let log = Log::default();
    let laid = Arc::new(Laid {
        deviation,
        log: Arc::clone(&log),
        written: AtomicU64::default(),
        lists: Mutex::default(),
    });
    let router = service::app(beneath).layer(middleware::from_fn_with_state(laid, deviate));
    (router, log)
}

/// Serves the deviation on a port of its own, and hands back its base URL and the log of its calls.
pub(super) async fn serve(deviation: Deviation) -> (String, Log, tokio::task::JoinHandle<()>) {
    let (router, log) = laid(deviation).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = tokio::spawn(async move {
        let _ = service::run(listener, router, std::future::pending()).await;
    });
    (format!("http://{address}"), log, served)
}

async fn deviate(State(laid): State<Arc<Laid>>, request: Request, next: Next) -> Response {
    let Laid { deviation, log, .. } = &*laid;
    let mut call = Call::read(request).await;
    log.lock().unwrap().push(call.clone());
    let mut reply = match deviation.ask(&mut call) {
        Some(reply) => reply,
        None => match laid.beneath(&call, next).await {
            Ok(mut reply) => {
                deviation.relist(&call, &mut reply);
                reply
            }
            Err(left) => return left,
        },
    };
    deviation.edit(&call, &mut reply);
    reply.into_response()
}
