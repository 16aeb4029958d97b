//! A target that is only a socket, so that it can do what no HTTP library allows. The main type is [`Stub`].

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::support::TOKEN;

/// What a stub does with a request. It may write what it likes; afterwards the connection is closed.
type Handler = dyn Fn(&Received, &mut TcpStream) -> io::Result<()> + Send + Sync;

/// A target that hands every request to a function.
pub(super) struct Stub {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    stopped: Arc<AtomicBool>,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) head: String,
    pub(super) body: String,
}

impl Stub {
    pub(super) fn start(handler: impl Fn(&Received, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Self {
        let handler: Box<Handler> = Box::new(handler);
        Self::accept(move |stream, received| serve(stream, received, &*handler))
    }

    fn accept(serve: impl Fn(TcpStream, &Mutex<Vec<Received>>) -> io::Result<()> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stub = Self {
            address: listener.local_addr().unwrap(),
            received: Arc::default(),
            stopped: Arc::default(),
        };
        let (received, stopped) = (stub.received.clone(), stub.stopped.clone());
        let serve = Arc::new(serve);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (received, serve) = (received.clone(), serve.clone());
                // What the peer does to the connection is its own affair.
                thread::spawn(move || serve(stream, &received).ok());
            }
        });
        stub
    }

    /// A target that is handed each connection before a request has come; then it says no more.
    pub(super) fn before_the_request(early: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self::accept(move |mut stream, _| early(&mut stream))
    }

    /// A target that answers `GET …/tags` by `hostile`, where the token is right, and everything else soundly.
    pub(super) fn hostile(hostile: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self::start(move |request, stream| {
            if request.head.contains("/tags") && request.authorized() {
                hostile(stream)
            } else {
                stream.write_all(sound(request).as_bytes())
            }
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request until now.
    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // The loop waits for a connection; this is the last one.
        let _ = TcpStream::connect(self.address);
    }
}

impl Received {
    /// Whether it carries the token as it is documented.
    pub(super) fn authorized(&self) -> bool {
        self.shows(TOKEN)
    }

    /// Whether it carries this token as it is documented.
    pub(super) fn shows(&self, token: &str) -> bool {
        let header = self.header("authorization").unwrap_or_default();
        // The scheme is of any case (RFC 9110, section 11.1).
        let parts = header.split_once(' ');
        parts.is_some_and(|(scheme, shown)| scheme.eq_ignore_ascii_case("Bearer") && shown == token)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields
            .filter(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .next()
    }

    /// Whether it is of this method.
    pub(super) fn is(&self, method: &str) -> bool {
        self.head.split(' ').next() == Some(method)
    }
}

/// What a sound service without any records responses.
pub(super) fn sound(request: &Received) -> String {
    if request.authorized() {
        json(
            "200 OK",
            r#"{"data":{"per_page":10,"page":1,"total":0,"last_page":1,"items":[]}}"#,
        )
    } else {
        json("401 Unauthorized", "{}")
    }
}

/// A response of this status that carries JSON.
pub(super) fn json(status: &str, body: &str) -> String {
    let length = body.len();
    let challenge = if status.starts_with("401") {
        "WWW-Authenticate: Bearer\r\n"
    } else {
        ""
    };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{challenge}Content-Length: {length}\r\nConnection: \
         close\r\n\r\n{body}"
    )
}

/// Writes the bytes again and again, one piece every few milliseconds, until the peer has enough.
pub(super) fn drip(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(20)))?;
    loop {
        stream.write_all(bytes)?;
        // A peer that goes away ends the read at once; until then it paces the writes.
        if stream.read(&mut [0]).is_ok() {
            return Ok(());
        }
    }
}

/// Writes the bytes again and again as fast as the peer takes them, until it has enough.
pub(super) fn flood(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    loop {
        stream.write_all(bytes)?;
    }
}

/// Keeps the connection open and says nothing until the peer has enough.
pub(super) fn stall(stream: &mut TcpStream) -> io::Result<()> {
    stream.read(&mut [0]).map(drop)
}

/// Ends the connection with a reset.
pub(super) fn reset(stream: &mut TcpStream) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _entered = runtime.enter();
    stream.set_nonblocking(true)?;
    tokio::net::TcpStream::from_std(stream.try_clone()?)?.set_zero_linger()
}

fn serve(mut stream: TcpStream, received: &Mutex<Vec<Received>>, handler: &Handler) -> io::Result<()> {
    let request = read(&mut stream)?;
    received.lock().unwrap().push(request.clone());
    handler(&request, &mut stream)
}

fn read(stream: &mut TcpStream) -> io::Result<Received> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let mut request = Received {
        head: String::from_utf8_lossy(&head).into_owned(),
        body: String::new(),
    };
    let length = request
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(request)
}
