//! Kept-alive connections that end at a bad moment: an HTTP library may resend a request that it believes was never
//! read, but a write must not be resent. A relay in front of the service ends connections at an exact byte.
//!
//! A service may close a connection that was used before at any time (RFC 9112, section 9.5), but not one that is new.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use countersign::report::Record;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::checked::{Check, described};
use super::deviating::{Deviation, serve};
use crate::support::sampled;

/// When the relay ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// When the write was read and handed on, before a byte of its response.
    AfterTheWrite,
    /// When the write was read, and nobody was told of it.
    BeforeTheService,
    /// When this many requests had a response and the next one was under way, which nobody was told of.
    KeptFor(u32),
    /// When this one of all authorized writes was read, and nobody was told of it.
    OneWrite(u32),
    /// When a write with this text in it was read, and nobody was told of it.
    Containing(&'static str),
    /// When a request was read whose number among all is a multiple of this one, and nobody was told of it.
    Every(u32),
    /// When the head of the response was half sent.
    WithinTheResponse,
    /// Before the write, so that it comes on a connection that is closed already.
    WithTheResponseBefore,
}

/// What came to the relay: how often each body was sent as a write with the right token.
type Writes = Arc<Mutex<HashMap<Vec<u8>, u32>>>;

#[tokio::test]
async fn a_write_on_a_connection_that_ends_is_not_sent_again_and_the_service_is_found() {
    for ends in [Ends::AfterTheWrite, Ends::BeforeTheService, Ends::WithinTheResponse] {
        let (record, writes) = relayed(ends).await;
        assert!(is_found(&record), "{ends:?}");
        let writes = writes.lock().unwrap();
        assert!(writes.len() >= 2, "{ends:?}: {} writes", writes.len());
        for (body, times) in &*writes {
            assert_eq!(*times, 1, "{ends:?}: {}", String::from_utf8_lossy(body));
        }
        // Nobody knew what became of them, so each create is residue, with an identifier where the look at the end
        // found the record. That of an update that is an edge case is made up, and an update may create.
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
    assert!(none_was_sent_twice(&writes), "{writes:?}");
    let found: Vec<_> = record.findings.iter().map(described).collect();
    assert!(found.is_empty(), "{found:#?}");
    assert!(record.residue.iter().all(|left| left.answered), "{:?}", record.residue);
}

#[tokio::test]
async fn a_service_that_closes_connections_that_were_used_before_conforms_and_gets_no_write_twice() {
    for kept_for in sampled(4, [1, 2, 3, 7]) {
        let (record, writes) = relayed(Ends::KeptFor(kept_for)).await;
        let writes = writes.lock().unwrap();
        assert!(writes.len() > 5, "{kept_for}: {} writes", writes.len());
        assert!(none_was_sent_twice(&writes), "{kept_for}: {writes:?}");
        let found: Vec<_> = record.findings.iter().map(described).collect();
        assert!(found.is_empty(), "{kept_for}: {found:#?}");
        assert!(record.residue.iter().all(|left| left.answered), "{kept_for}");
        assert_eq!(record.requests.unfinished, 0, "{kept_for}");
    }
}

#[tokio::test]
async fn a_service_that_closes_new_connections_too_is_found_and_gets_no_write_twice() {
    let (record, writes) = relayed(Ends::Every(5)).await;
    assert!(none_was_sent_twice(&writes.lock().unwrap()));
    assert!(is_found(&record));
}

#[tokio::test]
async fn a_service_that_closes_a_used_connection_at_one_write_is_not_accused_of_it() {
    for number in sampled(3, [1, 20, 60]) {
        let (record, writes) = relayed(Ends::OneWrite(number)).await;
        assert!(none_was_sent_twice(&writes.lock().unwrap()), "{number}");
        assert_eq!(record.requests.unfinished, 1, "{number}");
        let found: Vec<_> = record.findings.iter().map(described).collect();
        assert!(found.is_empty(), "{number}: {found:#?}");
        if number == 1 {
            // A create: what became of it is not known, so another was sent in its place.
            assert!(record.residue.iter().any(|left| !left.answered));
            assert!(!is_left_open(&record));
        }
    }
}

#[tokio::test]
async fn a_service_that_closes_a_used_connection_at_one_edge_case_is_found() {
    let (record, writes) = relayed(Ends::Containing("\\u0000")).await;
    assert!(none_was_sent_twice(&writes.lock().unwrap()));
    let found: Vec<_> = record.findings.iter().map(described).collect();
    assert!(is_found(&record), "{found:#?}");
    assert!(
        record.findings.iter().all(|found| found.fact.contains("edge cases")),
        "{found:#?}"
    );
}

/// Whether no write came twice, but for the first accepted update, which is sent once more.
fn none_was_sent_twice(writes: &HashMap<Vec<u8>, u32>) -> bool {
    let again: Vec<_> = writes.iter().filter(|(_, times)| **times > 1).collect();
    again.is_empty() || matches!(again[..], [(update, 2)] if update.starts_with(b"PUT "))
}

/// Whether a fact is undecided because a connection was closed that may have been idle.
fn is_left_open(record: &Record) -> bool {
    let mut reasons = record.facts.rows.iter().filter_map(|row| row.reason.as_ref());
    reasons.any(|reason| reason.to_string().contains("may have been idle"))
}

fn is_found(record: &Record) -> bool {
    record.findings.iter().any(|found| found.rule == "unfinished-answer")
}

async fn relayed(ends: Ends) -> (Record, Writes) {
    let (url, _, served) = serve(Deviation::none()).await;
    let service: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let writes = Writes::default();
    let seen = (writes.clone(), Arc::<AtomicU32>::default());
    let relaying = tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (writes, requests) = seen.clone();
            // How a connection ends is what the test is about.
            tokio::spawn(async move { relay(client, service, ends, (&writes, &requests)).await.ok() });
        }
    });
    let check = Check {
        // The last of the writes are edge cases.
        every_edge_case: matches!(ends, Ends::OneWrite(_) | Ends::Containing(_)),
        ..Check::DEFAULT
    };
    let record = check.against(&format!("http://{address}")).await;
    relaying.abort();
    served.abort();
    (record, writes)
}

/// Hands requests on and responses back, one after the other, until one ends the connection.
async fn relay(
    mut client: TcpStream,
    service: SocketAddr,
    ends: Ends,
    (writes, requests): (&Writes, &AtomicU32),
) -> std::io::Result<()> {
    let mut service = TcpStream::connect(service).await?;
    for answered in 0.. {
        let request = message(&mut client).await?;
        let number = requests.fetch_add(1, Ordering::SeqCst) + 1;
        let write = request.starts_with(b"P") && is_authorized(&request);
        let written = {
            let mut writes = writes.lock().unwrap();
            if write {
                *writes.entry(request.clone()).or_default() += 1;
            }
            writes.values().sum::<u32>()
        };
        let ends_here = match ends {
            Ends::BeforeTheService => write,
            Ends::KeptFor(most) => answered == most,
            Ends::OneWrite(one) => write && written == one,
            Ends::Containing(text) => write && String::from_utf8_lossy(&request).contains(text),
            Ends::Every(interval) => number.is_multiple_of(interval),
            Ends::AfterTheWrite | Ends::WithinTheResponse | Ends::WithTheResponseBefore => false,
        };
        if ends_here {
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
    Ok(())
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
