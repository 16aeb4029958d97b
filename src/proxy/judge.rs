//! Judges what passed, one exchange after the other. The main function is [`judge`].

use std::collections::BTreeMap;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use tokio::runtime::Handle;

use super::metrics::Snapshot;
use super::queue::{CopiedBody, ExchangeCounts, ForwardedExchange, Next, Queue};
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::exchange::{Failure, Limits, decode, has_only_read_codings};
use crate::rules::Verdict;
use crate::run::Event;
use crate::traffic::{
    EntryLocation, Judged, LocatedEntry, RecordedExchange, RequestLine, Settings, Skipped, TrafficJudge, UnreadBody,
    judgeable_head,
};

/// What passed, judged.
pub(crate) struct ProxyOutcome {
    pub(crate) judged: Judged,
    pub(crate) counts: ExchangeCounts,
}

/// Receives every exchange that was not dropped, in the order in which they are judged. Findings number entries in this
/// order. The second argument is `None` if the exchange cannot be judged, such as one without a complete response.
pub(crate) type OnExchange<'closure> = &'closure mut dyn FnMut(&RequestLine, Option<&RecordedExchange>);

/// Judges what the queue has until it is closed, and emits events as a run does. Bodies are decoded on `runtime`.
pub(crate) fn judge(
    contract: &Contract,
    queue: &Queue,
    settings: Settings,
    runtime: &Handle,
    (emit, record): (&mut dyn FnMut(Event<'_>), OnExchange<'_>),
) -> ProxyOutcome {
    let mut judge = TrafficJudge::new(contract, settings, emit);
    let mut entry = 0;
    loop {
        match queue.next() {
            Next::Exchange { exchange, is_late } => {
                entry += 1;
                let (request_line, recorded) = recorded(*exchange, runtime);
                let recorded = recorded.map_err(|why| judge.skip(why, 1)).ok();
                record(&request_line, recorded.as_deref());
                judge.take(&LocatedEntry {
                    location: EntryLocation { file: 0, entry },
                    request_line,
                    recorded,
                    is_late,
                    // It is in no file.
                    bytes: 0,
                });
            }
            Next::UnseenWrite(started, ended) => judge.unseen_write(started, ended),
            // Whoever asked may have gone away.
            Next::SnapshotRequest(requested) => drop(requested.send(snapshot(contract, &judge, queue.counts()))),
            Next::Closed => break,
        }
    }
    ProxyOutcome {
        judged: judge.finish(Vec::new()),
        counts: queue.counts(),
    }
}

/// Returns what passed as if it had been recorded, or why it is not judged.
fn recorded(exchange: ForwardedExchange, runtime: &Handle) -> (RequestLine, Result<Box<RecordedExchange>, Skipped>) {
    let ForwardedExchange {
        request_line,
        headers,
        body,
        response,
        ..
    } = exchange;
    let recorded = response.ok_or(Skipped::Aborted).and_then(|response| {
        judgeable_head((&request_line, &headers), (response.status, &response.headers))?;
        let mut response_headers = response.headers;
        let decoded = match response.body {
            CopiedBody::Whole(body) => {
                Some(runtime.block_on(decode(&mut response_headers, body, Limits::default().body)))
            }
            CopiedBody::NotKept => None,
            CopiedBody::Incomplete => return Err(Skipped::Aborted),
        };
        let unread_body = match &decoded {
            Some(Ok(_)) => None,
            // The status of a failure counts whatever its body is, and a 4xx is no finding.
            Some(Err(Failure::Decoding)) if response.status < 400 && has_only_read_codings(&response_headers) => {
                Some(UnreadBody::Malformed)
            }
            _ => Some(UnreadBody::NotSupported),
        };
        response_headers.remove(CONTENT_ENCODING);
        Ok(Box::new(RecordedExchange {
            request_body: request_body(&headers, body),
            request_headers: headers,
            status: response.status,
            response_headers,
            are_headers_known: true,
            response_body: decoded.and_then(Result::ok).map(|decoded| decoded.body),
            unread_body,
        }))
    });
    (request_line, recorded)
}

/// Returns the body of a request as text; `None` where there is none, and where it is compressed, was not copied whole
/// or is not UTF-8.
fn request_body(headers: &HeaderMap, body: CopiedBody) -> Option<String> {
    match body {
        CopiedBody::Whole(body) if !body.is_empty() && !headers.contains_key(CONTENT_ENCODING) => text(&body),
        CopiedBody::Whole(_) | CopiedBody::NotKept | CopiedBody::Incomplete => None,
    }
}

fn text(body: &Bytes) -> Option<String> {
    std::str::from_utf8(body).ok().map(str::to_owned)
}

fn snapshot(contract: &Contract, judge: &TrafficJudge<'_, '_>, counts: ExchangeCounts) -> Snapshot {
    let verdicts = judge.verdicts();
    let mut facts = [0; 3];
    for id in (0..contract.facts.len()).map(FactId) {
        let index = match verdicts.of(contract, id) {
            Verdict::Held => 0,
            Verdict::Broken => 1,
            Verdict::Undecided(_) => 2,
        };
        facts[index] += 1;
    }
    let mut findings = BTreeMap::new();
    for finding in verdicts.findings() {
        let operation = &contract.operation(contract.fact(finding.fact).operation).name;
        *findings
            .entry((finding.rule.name, operation.clone(), finding.level))
            .or_default() += finding.count;
    }
    Snapshot {
        counts,
        judged: judge.judged_count(),
        not_judged: judge
            .not_judged()
            .iter()
            .map(|(why, count)| (why.describe(), *count))
            .collect(),
        facts,
        findings,
    }
}
