//! A reference service on a thread of its own, which can withhold its responses to creates.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use countersign::client::{Client, types};
use countersign::service::{self, Service};
use futures::TryStreamExt;
use tokio::sync::oneshot;

pub(super) use crate::support::parallel::runtime;

pub(super) const TOKEN: &str = "synthetic-token";

pub(super) struct Served {
    pub(super) url: String,
    /// Told for each create that is carried out and never answered.
    pub(super) withheld: Receiver<()>,
    withhold: Arc<AtomicBool>,
    creates: Arc<AtomicUsize>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    /// Starts a service with at least `contacts` contacts.
    pub(super) fn start(contacts: u32) -> Self {
        let (address, bound) = mpsc::channel();
        let (hold, withheld) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let (withhold, creates) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let seen = (Arc::clone(&withhold), Arc::clone(&creates), hold);
        let serve = async move {
            let service = Service::in_memory(TOKEN.to_owned().into()).unwrap();
            service.grow_contacts(contacts, |_| {}).await.unwrap();
            let router = service::app(service).layer(from_fn(move |request: Request, next: Next| {
                let (withhold, creates, hold) = seen.clone();
                async move {
                    let is_create = request.method() == "POST";
                    let response = next.run(request).await;
                    if is_create {
                        creates.fetch_add(1, Ordering::SeqCst);
                        if withhold.load(Ordering::SeqCst) {
                            hold.send(()).unwrap();
                            std::future::pending::<()>().await;
                        }
                    }
                    response
                }
            }));
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            address.send(listener.local_addr().unwrap()).unwrap();
            tokio::select! {
                served = service::run(listener, router, std::future::pending()) => served.unwrap(),
                _ = stopped => {}
            }
        };
        let thread = std::thread::spawn(move || runtime().block_on(serve));
        Self {
            url: format!("http://{}", bound.recv().unwrap()),
            withheld,
            withhold,
            creates,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Whether creates are carried out without being answered.
    pub(super) fn withhold(&self, withhold: bool) {
        self.withhold.store(withhold, Ordering::SeqCst);
    }

    /// How many creates were received.
    pub(super) fn creates(&self) -> usize {
        self.creates.load(Ordering::SeqCst)
    }

    pub(super) fn client(&self) -> Client {
        Client::new(&self.url, TOKEN.parse().unwrap()).unwrap()
    }

    pub(super) fn contacts(&self) -> Vec<types::ContactListed> {
        let client = self.client();
        runtime().block_on(client.contacts().try_collect()).unwrap()
    }

    /// The last names of the contacts with this first name, in order.
    pub(super) fn named(&self, firstname: &str) -> Vec<String> {
        let contacts = self.contacts().into_iter();
        let named = contacts.filter(|contact| contact.firstname.as_deref() == Some(firstname));
        let mut names: Vec<_> = named.filter_map(|contact| contact.lastname).collect();
        names.sort();
        names
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
