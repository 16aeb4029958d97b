//! Kept-alive connections that end at a bad moment: an HTTP library may resend a request that it believes was never
//! read, but a write must not be resent. A relay in front of the service ends connections at an exact byte.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use countersign::report::Record;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::checked::{Check, described};
use super::deviating::{Deviation, serve};

/// When the relay ends the connection that a write came on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// When the write was read and handed on, before a byte of its response.
    AfterTheWrite,
    /// When the write was read, and nobody was told of it.
    BeforeTheService,
    /// When the head of the response was half sent.
    WithinTheResponse,
    /// Before the write, so that it comes on a connection that is closed already.
    WithTheResponseBefore,
}

/// What came to the relay: how often each body was sent as a write with the right token.
type Writes = Arc<Mutex<HashMap<Vec<u8>, u32>>>;

#[tokio::test]
async fn a_write_on_a_connection_that_ends_is_not_sent_again() {
    for ends in [Ends::AfterTheWrite, Ends::BeforeTheService, Ends::WithinTheResponse] {
        let (record, writes) = relayed(ends).await;
        let writes = writes.lock().unwrap();
        assert!(writes.len() >= 2, "{ends:?}: {} writes", writes.len());
        for (body, times) in &*writes {
            assert_eq!(*times, 1, "{ends:?}: {}", String::from_utf8_lossy(body));
        }
        // Nobody knew what became of them, so each create is residue, with an identifier where the look at the end found
        // the record. That of an update that is an edge case is made up, and an update may create.
        assert!(!record.residue.is_empty(), "{ends:?}");
        for left in &record.residue {
            assert!(
                !left.answered && (left.id.is_none() || left.found == Some(true) || left.operation == "updateContact"),
                "{ends:?}: {left:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_connection_that_was_closed_in_the_meantime_costs_no_write_and_no_finding() {
    let (record, writes) = relayed(Ends::WithTheResponseBefore).await;
    let writes = writes.lock().unwrap();
    assert!(writes.len() > 5, "{} writes", writes.len());
    assert!(writes.values().all(|times| *times == 1), "{writes:?}");
    let found: Vec<_> = record.findings.iter().map(described).collect();
    assert!(found.is_empty(), "{found:#?}");
    assert!(record.residue.iter().all(|left| left.answered), "{:?}", record.residue);
}

async fn relayed(ends: Ends) -> (Record, Writes) {
    let (url, _, served) = serve(Deviation::none()).await;
    let service: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let writes = Writes::default();
    let seen = writes.clone();
    let relaying = tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let seen = seen.clone();
            // How a connection ends is what the test is about.
            tokio::spawn(async move { relay(client, service, ends, &seen).await.ok() });
        }
    });
    let record = Check::default().against(&format!("http://{address}")).await;
    relaying.abort();
    served.abort();
    (record, writes)
}

/// Hands requests on and responses back, one after the other, until a write ends the connection.
async fn relay(mut client: TcpStream, service: SocketAddr, ends: Ends, writes: &Writes) -> std::io::Result<()> {
    let mut service = TcpStream::connect(service).await?;
    loop {
        let request = message(&mut client).await?;
        let write = request.starts_with(b"P") && is_authorized(&request);
        if write {
            *writes.lock().unwrap().entry(request.clone()).or_default() += 1;
        }
        if write && ends == Ends::BeforeTheService {
            return reset(&client);
        }
        service.write_all(&request).await?;
        let response = message(&mut service).await?;
        match ends {
            Ends::AfterTheWrite if write => return reset(&client),
            Ends::WithinTheResponse if write => {
                client.write_all(&response[..20]).await?;
                return reset(&client);
            }
            Ends::WithTheResponseBefore => {
                // The response is whole and does not say that it is the last.
                client.write_all(&response).await?;
                return client.shutdown().await;
            }
            _ => client.write_all(&response).await?,
        }
    }
}

fn reset(client: &TcpStream) -> std::io::Result<()> {
    client.set_zero_linger()
}

fn is_authorized(request: &[u8]) -> bool {
    let right = format!("Bearer {}\r\n", super::call::TOKEN);
    String::from_utf8_lossy(request).contains(&right)
}

/// Reads one message whole: its head, and as much as its Content-Length says.
async fn message(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            if bytes.len() >= end + 4 + length {
                return Ok(bytes);
            }
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
}
