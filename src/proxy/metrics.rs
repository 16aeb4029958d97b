//! Reports the progress of judging in Prometheus' text format (version 0.0.4). The main function is [`serve_metrics`].

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::{self, Display, Write as _};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use tokio::net::TcpListener;

use super::queue::{ExchangeCounts, Queue};
use crate::listen::{self, Options};
use crate::rules::Level;

/// The limits of connections that ask for metrics.
const OPTIONS: Options = Options {
    max_connections: 16,
    head_timeout: Duration::from_secs(30),
    max_head_bytes: 32 << 10,
    grace: Duration::from_secs(1),
    sends_headers_unchanged: false,
};

/// The progress of judging.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) counts: ExchangeCounts,
    /// How many exchanges were judged.
    pub(super) judged: u64,
    /// How many were not, by reason.
    pub(super) not_judged: Vec<(&'static str, u64)>,
    /// How many facts are held, broken and undecided.
    pub(super) facts: [u64; 3],
    /// How often findings were seen, by rule, operation and level.
    pub(super) findings: BTreeMap<(&'static str, String, Level), u64>,
}

/// Serves `/metrics` on a listener until `shutdown` is ready.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::TimedOut`] when connections were still open a second after `shutdown`.
pub(crate) async fn serve_metrics(
    listener: TcpListener,
    queue: Arc<Queue>,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let service = || {
        let queue = Arc::clone(&queue);
        service_fn(move |request: Request<Incoming>| {
            let queue = Arc::clone(&queue);
            async move { Ok::<_, Infallible>(respond(&request, &queue).await) }
        })
    };
    listen::run(listener, service, OPTIONS, shutdown).await
}

async fn respond(request: &Request<Incoming>, queue: &Queue) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || request.uri().path() != "/metrics" {
        return text(StatusCode::NOT_FOUND, "the metrics are at /metrics\n".to_owned());
    }
    match queue.request_snapshot().await {
        Ok(snapshot) => text(StatusCode::OK, snapshot.to_string()),
        Err(_) => text(StatusCode::SERVICE_UNAVAILABLE, "judging has ended\n".to_owned()),
    }
}

fn text(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, format);
    response
}

impl Display for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        let [held, broken, undecided] = self.facts;
        let not_judged = self.not_judged.iter();
        let findings = self.findings.iter();
        Metric(
            "countersign_exchanges_total",
            "counter",
            "Exchanges that passed the proxy.",
        )
        .write(formatter, [(labels(&[]), counts.began)])?;
        Metric("countersign_judged_total", "counter", "Exchanges that were judged.")
            .write(formatter, [(labels(&[]), self.judged)])?;
        Metric(
            "countersign_not_judged_total",
            "counter",
            "Exchanges that were not judged, by reason.",
        )
        .write(
            formatter,
            not_judged.map(|(why, count)| (labels(&[("reason", why)]), *count)),
        )?;
        Metric(
            "countersign_dropped_total",
            "counter",
            "Exchanges dropped because the queue was full.",
        )
        .write(formatter, [(labels(&[]), counts.dropped)])?;
        Metric(
            "countersign_bad_gateway_total",
            "counter",
            "Requests that the proxy answered with 502, because no usable response came from the target.",
        )
        .write(formatter, [(labels(&[]), counts.bad_gateway)])?;
        Metric(
            "countersign_queue_exchanges",
            "gauge",
            "Exchanges under way or waiting to be judged.",
        )
        .write(formatter, [(labels(&[]), counts.pending as u64)])?;
        Metric(
            "countersign_queue_bytes",
            "gauge",
            "What those exchanges take, in bytes.",
        )
        .write(formatter, [(labels(&[]), counts.bytes as u64)])?;
        Metric("countersign_facts", "gauge", "Facts of the contract, by verdict.").write(
            formatter,
            [("held", held), ("broken", broken), ("undecided", undecided)]
                .map(|(verdict, count)| (labels(&[("verdict", verdict)]), count)),
        )?;
        Metric("countersign_findings_total", "counter", "How often a finding was seen.").write(
            formatter,
            findings.map(|((rule, operation, level), count)| {
                let level = level.to_string();
                (
                    labels(&[("rule", rule), ("operation", operation), ("level", &level)]),
                    *count,
                )
            }),
        )
    }
}

/// The name, type and help of a metric.
struct Metric(&'static str, &'static str, &'static str);

impl Metric {
    fn write(
        &self,
        formatter: &mut fmt::Formatter<'_>,
        samples: impl IntoIterator<Item = (String, u64)>,
    ) -> fmt::Result {
        let Self(name, kind, help) = self;
        writeln!(formatter, "# HELP {name} {help}\n# TYPE {name} {kind}")?;
        samples
            .into_iter()
            .try_for_each(|(labels, value)| writeln!(formatter, "{name}{labels} {value}"))
    }
}

/// Returns labels with their values escaped, in braces; nothing where there are none.
fn labels(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        let escaped = value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
        let separator = if text.is_empty() { "{" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(text, "{separator}{name}=\"{escaped}\"");
    }
    if !text.is_empty() {
        text.push('}');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metrics() {
        let snapshot = Snapshot {
            counts: ExchangeCounts {
                began: 12,
                dropped: 1,
                bad_gateway: 2,
                pending: 3,
                bytes: 4096,
            },
            judged: 5,
            not_judged: vec![("were redirected", 1)],
            facts: [300, 2, 234],
            findings: BTreeMap::from([(("wrong-type", "a\"b\\c\nd".to_owned(), Level::Deny), 7)]),
        };
        crate::testing::with_snapshots(|| insta::assert_snapshot!("proxy_metrics", snapshot.to_string()));
    }
}
