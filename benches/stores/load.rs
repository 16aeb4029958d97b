//! Load without weight: requests that are bytes made beforehand, and responses of which only the length is read.

use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that is kept open.
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// A response that was a success.
pub(crate) struct Response {
    pub(crate) body: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Connection {
            stream,
            received: Vec::with_capacity(64 * 1024),
        }
    }

    /// Sends a request and reads the whole response, which must be a success.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Response {
        self.stream.write_all(request).await.unwrap();
        self.received.clear();
        let head = loop {
            assert_ne!(
                self.stream.read_buf(&mut self.received).await.unwrap(),
                0,
                "the connection was closed"
            );
            let end = self.received.windows(4).position(|window| window == b"\r\n\r\n");
            if let Some(end) = end {
                break end + 4;
            }
        };
        let text = std::str::from_utf8(&self.received[..head]).unwrap();
        assert!(text.starts_with("HTTP/1.1 2"), "{text}");
        let length = text
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap();
        let whole = head + length.parse::<usize>().unwrap();
        while self.received.len() < whole {
            assert_ne!(
                self.stream.read_buf(&mut self.received).await.unwrap(),
                0,
                "the connection was closed"
            );
        }
        Response {
            body: self.received[head..whole].to_vec(),
        }
    }
}

/// Writes a request with the token.
pub(crate) fn request(method: &str, path: &str, body: &str) -> Vec<u8> {
    let token = super::program::TOKEN;
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Repeats requests in turn over several connections for a time, and returns how many were answered in a second.
pub(crate) async fn drive(address: &str, connections: usize, time: Duration, requests: &[Vec<u8>]) -> f64 {
    let mut opened = Vec::new();
    for _ in 0..connections {
        opened.push(Connection::open(address).await);
    }
    let started = Instant::now();
    let clients = opened.into_iter().enumerate().map(|(nth, mut connection)| {
        // Each begins at another place, so that no two ask for the same at the same time.
        let mut requests = requests.to_owned();
        let begin = nth * requests.len() / connections;
        requests.rotate_left(begin);
        tokio::spawn(async move {
            let mut answered = 0_u32;
            for request in requests.iter().cycle() {
                if started.elapsed() >= time {
                    break;
                }
                connection.exchange(request).await;
                answered += 1;
            }
            answered
        })
    });
    let answered = join_all(clients).await.into_iter().map(|client| client.unwrap());
    f64::from(answered.sum::<u32>()) / started.elapsed().as_secs_f64()
}
