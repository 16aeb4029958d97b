//! A service of canned responses on a real socket: a table of method and path with the responses, and a byte-for-byte
//! record of what was received. The main type is [`Stub`].

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A running stub. It stops when it is dropped.
pub(crate) struct Stub {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

/// A request as it came over the wire.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The request line and the headers, with their line ends.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// A response to give.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    complete: bool,
}

/// The table of a stub that does not run yet. A request that it does not list gets 404.
#[derive(Default)]
pub(crate) struct Table(Vec<Row>);

struct Row {
    method: &'static str,
    path: String,
    response: Box<dyn Fn(&Received) -> Response + Send + Sync>,
}

impl Stub {
    /// An empty table.
    pub(crate) fn table() -> Table {
        Table::default()
    }

    /// The base URL, without a slash at its end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was received until now, in order.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Table {
    /// Answers `method path` with `response`, however often it comes.
    pub(crate) fn on(self, method: &'static str, path: &str, response: Response) -> Self {
        self.on_each(method, path, move |_| response.clone())
    }

    /// Answers `method path` with `responses`, one after the other; the last of them stays.
    pub(crate) fn on_in_turn(self, method: &'static str, path: &str, responses: Vec<Response>) -> Self {
        let turn = Mutex::new(0);
        self.on_each(method, path, move |_| {
            let mut turn = turn.lock().unwrap();
            *turn += 1;
            responses[(*turn - 1).min(responses.len() - 1)].clone()
        })
    }

    /// Answers `method path` with what `response` makes of the request. The query is no part of the path.
    pub(crate) fn on_each(
        mut self,
        method: &'static str,
        path: &str,
        response: impl Fn(&Received) -> Response + Send + Sync + 'static,
    ) -> Self {
        self.0.push(Row {
            method,
            path: path.to_owned(),
            response: Box::new(response),
        });
        self
    }

    /// Starts the stub on a free port.
    pub(crate) async fn start(self) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (table, record) = (Arc::new(self), received.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, table.clone(), record.clone()));
            }
        });
        Stub {
            address,
            received,
            task,
        }
    }

    fn response(&self, request: &Received) -> Response {
        let row = self
            .0
            .iter()
            .find(|row| row.method == request.method() && row.path == request.path());
        row.map_or_else(|| Response::status(404), |row| (row.response)(request))
    }
}

impl Received {
    /// The method.
    pub(crate) fn method(&self) -> &str {
        self.head.split(' ').next().unwrap()
    }

    /// The path with its query, as it was sent.
    pub(crate) fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    /// The path without its query.
    pub(crate) fn path(&self) -> &str {
        self.target().split('?').next().unwrap()
    }

    /// The value of a parameter of the query.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.target().split_once('?')?;
        query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect()
    }

    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Response {
    /// A response without a body.
    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            complete: true,
        }
    }

    /// A response of JSON.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::status(status)
            .header("content-type", "application/json")
            .body(body.to_string())
    }

    /// The same with one header more.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with this body.
    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The same, but its last byte never comes and the connection stays open.
    pub(crate) fn unfinished(mut self) -> Self {
        self.complete = false;
        self
    }

    /// Whether all of it comes.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    fn bytes(&self) -> Vec<u8> {
        let length = self.body.len() + usize::from(!self.complete);
        let mut head = format!(
            "HTTP/1.1 {} Stub\r\ncontent-length: {length}\r\nconnection: close\r\n",
            self.status
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

/// Serves one request on `stream`. A peer that goes away early ends it, which is no failure of the test.
async fn serve(mut stream: TcpStream, table: Arc<Table>, record: Arc<Mutex<Vec<Received>>>) {
    let Some(request) = receive(&mut stream).await else {
        return;
    };
    let response = table.response(&request);
    record.lock().unwrap().push(request);
    if stream.write_all(&response.bytes()).await.is_ok() && !response.complete {
        std::future::pending::<()>().await;
    }
}

async fn receive(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let body = bytes.split_off(end);
    let mut request = Received {
        head: String::from_utf8(bytes).unwrap(),
        body,
    };
    let length = request
        .header("content-length")
        .first()
        .map_or(0, |length| length.parse().unwrap());
    while request.body.len() < length {
        if stream.read_buf(&mut request.body).await.ok()? == 0 {
            return None;
        }
    }
    Some(request)
}
