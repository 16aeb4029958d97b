//! Sends requests within bounds: one deadline over connecting, head, body and decoding, a cap on the decoded body, no
//! redirects, no proxy, the token to the target's origin alone. The main type is [`Transport`].
//!
//! # Design
//!
//! `reqwest` bounds no body, so the body is read in pieces against a cap, and `coding` decodes it under the same cap: a
//! compression bomb ends there. hyper bounds the head: 100 headers, about 400 KB. Redirects are answers here, not
//! ways: a check that follows them judges another service. The environment's proxy settings are not read, because a
//! proxy for plain HTTP would see the token.
//!
//! One thing slips the deadline for a moment: interim answers (1xx). hyper reads all of them that a piece of the
//! connection holds, and piece after piece until the scheduler asks for its turn, which is after 128 pieces of at most
//! 400 KB; no clock is looked at meanwhile. `reqwest` offers no way between: its connector's stream is sealed, its
//! requests carry no extensions (where hyper's `on_informational` would be), and the size of a piece cannot be set.
//! Exchanges on threads of their own would hold the deadline; on two processors, beside the service, they cost a fifth of
//! the requests per second with 4 or 32 of them under way, because each goes to another thread and back.

use std::error::Error as _;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::time::Instant;

use super::coding;
use super::near::{NEAR_TOKENS, Near};
use super::record::{Answer, Credential, Failure, Request};
use super::redact::Redaction;
use super::target::Target;
use crate::client::Token;

/// The part of the deadline that connecting, TLS included, may take. It is less than all of it, so that a target that
/// cannot be reached is told apart from one that does not answer.
const CONNECTING: f64 = 0.9;

/// The bounds of one exchange.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the first byte of connecting to the last of decoding.
    pub deadline: Duration,
    /// The most of a body that is read, in bytes, before decoding as after it.
    pub body: usize,
}

impl Default for Limits {
    /// Ten seconds and 8 MiB.
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(10),
            body: 8 << 20,
        }
    }
}

/// Why no transport can be made.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The TLS library or the resolver could not be set up.
    #[error("the HTTP client could not be set up: {0}")]
    Client(String),
}

/// Sends requests to one target.
#[derive(Clone, Debug)]
pub struct Transport {
    client: reqwest::Client,
    target: Target,
    token: Option<Token>,
    wrong_token: String,
    /// Whether a target that is not on this machine may be shown tokens from which the right one can be read.
    near_tokens: bool,
    limits: Limits,
}

impl Transport {
    /// A transport to the target. `wrong_token` is a text that nobody issued: what [`Credential::Wrong`] shows is the
    /// token, changed by what is drawn from that text.
    ///
    /// # Errors
    ///
    /// A [`TransportError`] where the TLS library cannot be set up.
    pub fn new(
        target: Target,
        token: Option<Token>,
        wrong_token: String,
        limits: Limits,
    ) -> Result<Self, TransportError> {
        // Another provider that the program installed before is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder();
        // The machine's root certificates cost most of a short run's start, and plain HTTP needs none of them.
        let builder = if target.is_tls() {
            builder
        } else {
            builder.tls_certs_only([])
        };
        let client = builder
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .pool_idle_timeout(Duration::from_secs(4))
            .connect_timeout(limits.deadline.mul_f64(CONNECTING))
            .build()
            .map_err(|error| TransportError::Client(error.to_string()))?;
        Ok(Self {
            client,
            target,
            token,
            wrong_token,
            near_tokens: false,
            limits,
        })
    }

    /// The same transport, which may show wrong tokens from which the right one can be read to a target that is not on this
    /// machine. One on this machine is always shown them.
    #[must_use]
    pub fn with_near_tokens(self, near_tokens: bool) -> Self {
        Self { near_tokens, ..self }
    }

    /// How the wrong token of this turn differs from the right one.
    #[must_use]
    pub fn near(&self, turn: usize) -> Near {
        let near = self.near_kinds().into_iter().flatten().nth(turn % NEAR_TOKENS);
        near.unwrap_or(Near::Half(0))
    }

    fn near_kinds(&self) -> Option<[Near; NEAR_TOKENS]> {
        let shown = self.near_tokens || self.target.is_loopback();
        self.token.as_ref().map(|token| Near::of(token, shown))
    }

    /// The target.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether there is a token to show.
    #[must_use]
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// What takes the token, and the wrong ones that are made from it, out of a text.
    #[must_use]
    pub fn redaction(&self) -> Redaction {
        let near = self.near_kinds().into_iter().flatten();
        let near: Vec<_> = near.filter_map(|near| self.wrong(near)).collect();
        Redaction::of_all(self.token.as_ref(), &near)
    }

    fn wrong(&self, near: Near) -> Option<String> {
        Some(near.write(self.token.as_ref()?, &self.wrong_token))
    }

    /// Sends one request and reads its answer whole. `busy` tells for how long the caller has kept this thread with work
    /// of its own, ever since: nothing is read meanwhile, so that time does not count against the target.
    ///
    /// # Errors
    ///
    /// A [`Failure`] when no complete answer came within the [`Limits`].
    pub async fn send(&self, request: &Request, busy: &dyn Fn() -> Duration) -> Result<Answer, Failure> {
        let deadline = self.limits.deadline;
        let (started, busy_before) = (Instant::now(), busy());
        let mut exchange = std::pin::pin!(self.exchange(request));
        loop {
            let until = started + deadline + busy().saturating_sub(busy_before);
            if until <= Instant::now() {
                return Err(Failure::Deadline { after: deadline });
            }
            if let Ok(outcome) = tokio::time::timeout_at(until, exchange.as_mut()).await {
                return outcome;
            }
        }
    }

    async fn exchange(&self, request: &Request) -> Result<Answer, Failure> {
        let started = Instant::now();
        let mut response = self.prepare(request).send().await.map_err(|error| classify(&error))?;
        let status = response.status().as_u16();
        let mut headers = std::mem::take(response.headers_mut());
        let body = self.body(&mut response).await?;
        let body = coding::decode(&mut headers, body, self.limits.body).await?;
        Ok(Answer {
            status,
            headers,
            body,
            elapsed: started.elapsed(),
        })
    }

    fn prepare(&self, request: &Request) -> reqwest::RequestBuilder {
        let method = reqwest::Method::from_bytes(request.method.as_str().as_bytes()).unwrap_or_default();
        let mut builder = self
            .client
            .request(method, self.target.url(&request.path))
            .header(ACCEPT, "application/json")
            .header(ACCEPT_ENCODING, coding::ACCEPTED);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some((name, value)) = self.credential(request) {
            builder = builder.header(name, value);
        }
        match request.text() {
            Some(body) => builder.header(CONTENT_TYPE, request.writing.media_type()).body(body),
            None => builder,
        }
    }

    fn credential(&self, request: &Request) -> Option<(HeaderName, HeaderValue)> {
        let token = self.token.as_ref().map(Token::expose);
        let (header, value) = match &request.credential {
            Credential::None => return None,
            Credential::OtherScheme => (None, format!("Basic {}", token?)),
            Credential::Token { header: Some(header) } => (Some(header), token?.to_owned()),
            Credential::Token { header: None } => (None, format!("{} {}", request.writing.scheme(), token?)),
            Credential::Empty { header: Some(header) } => (Some(header), String::new()),
            Credential::Empty { header: None } => (None, "Bearer ".to_owned()),
            Credential::Wrong { header, near } => {
                let wrong = self.wrong(*near)?;
                let scheme = if header.is_some() { "" } else { "Bearer " };
                (header.as_ref(), format!("{scheme}{wrong}"))
            }
        };
        let name = header.map_or(Some(AUTHORIZATION), |header| {
            HeaderName::from_bytes(header.as_bytes()).ok()
        })?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    }

    async fn body(&self, response: &mut reqwest::Response) -> Result<Bytes, Failure> {
        let maximum = self.limits.body;
        // Most answers come in one piece, which is handed on as it is.
        let mut first = Bytes::new();
        let mut body = BytesMut::new();
        while let Some(piece) = response.chunk().await.map_err(|error| classify(&error))? {
            if first.len() + body.len() + piece.len() > maximum {
                return Err(Failure::TooLarge { maximum });
            }
            if first.is_empty() && body.is_empty() {
                first = piece;
                continue;
            }
            if body.is_empty() {
                body.extend_from_slice(&std::mem::take(&mut first));
            }
            body.extend_from_slice(&piece);
        }
        Ok(if body.is_empty() { first } else { body.freeze() })
    }
}

/// Tells failures apart by the errors beneath `reqwest`'s own, whose texts may hold the address.
fn classify(error: &reqwest::Error) -> Failure {
    let mut source = error.source();
    let mut cut = false;
    while let Some(cause) = source {
        if let Some(tls) = tls_error(cause) {
            return Failure::Tls { reason: tls };
        }
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            cut |= is_cut(io.kind());
            if error.is_connect() && io.raw_os_error().is_some() && !is_cut(io.kind()) {
                return Failure::Connect {
                    reason: io.kind().to_string(),
                };
            }
        }
        if cause.to_string().starts_with("dns error") {
            return Failure::Resolve;
        }
        source = cause.source();
    }
    unfinished(error, cut)
}

fn unfinished(error: &reqwest::Error, cut: bool) -> Failure {
    let text = deepest(error);
    if error.is_connect() && error.is_timeout() {
        return Failure::Connect {
            reason: "timed out".to_owned(),
        };
    }
    // A connection that is open already and is closed while it is being opened was in its handshake.
    if error.is_connect() {
        return Failure::Tls {
            reason: "the target closed the connection in the handshake; is it a plain `http` address?".to_owned(),
        };
    }
    if cut
        || [
            "connection closed",
            "unexpected EOF",
            "end of file",
            "IncompleteMessage",
        ]
        .iter()
        .any(|sign| text.contains(sign))
    {
        return Failure::Cut;
    }
    Failure::NotHttp
}

/// Whether the connection ended, as against what came over it being wrong.
fn is_cut(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

fn tls_error(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    // An error of the operating system's kind passes its own source over, and here one stands in another.
    if let Some(io) = cause.downcast_ref::<std::io::Error>() {
        return tls_error(io.get_ref()?);
    }
    let error = cause.downcast_ref::<rustls::Error>()?;
    Some(match error {
        rustls::Error::InvalidCertificate(reason) => format!("the certificate is not valid: {}", certificate(reason)),
        rustls::Error::InvalidMessage(_) => "the answer is not TLS; is it a plain `http` address?".to_owned(),
        rustls::Error::AlertReceived(alert) => format!("the target refused with the alert {alert:?}"),
        _ => "the handshake failed".to_owned(),
    })
}

fn certificate(reason: &rustls::CertificateError) -> &'static str {
    match reason {
        rustls::CertificateError::Expired | rustls::CertificateError::ExpiredContext { .. } => "it has expired",
        rustls::CertificateError::NotValidForName | rustls::CertificateError::NotValidForNameContext { .. } => {
            "it is for another name"
        }
        rustls::CertificateError::UnknownIssuer => "its issuer is not known here",
        rustls::CertificateError::NotValidYet | rustls::CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet"
        }
        _ => "it is refused, as a self-signed one is",
    }
}

fn deepest(error: &reqwest::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::contract::Contract;

    /// Asks a target that never answers, and hands back what came of it and how long that took. The caller says to have
    /// been busy for so long once the request is under way.
    async fn asked_of_the_silent(deadline: Duration, busy: Duration) -> (Failure, Duration) {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let target = Target::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let limits = Limits {
            deadline,
            ..Limits::default()
        };
        let transport = Transport::new(target, None, String::new(), limits).unwrap();
        let contract = Contract::built_in().unwrap();
        let operation = contract.operation_named("getTags").unwrap();
        let request = Request::plain(operation, contract.operation(operation));
        let told = Cell::new(Duration::ZERO);
        let started = Instant::now();
        let outcome = transport.send(&request, &|| told.replace(busy)).await;
        (outcome.unwrap_err(), started.elapsed())
    }

    fn to(host: &str, token: &str) -> Transport {
        let target = Target::parse(&format!("https://{host}")).unwrap();
        let token = Some(Token::new(token).unwrap());
        Transport::new(target, token, "a draw".to_owned(), Limits::default()).unwrap()
    }

    fn wrong_tokens(transport: &Transport) -> Vec<String> {
        let turns = 0..NEAR_TOKENS;
        turns
            .map(|turn| transport.wrong(transport.near(turn)).unwrap())
            .collect()
    }

    #[test]
    fn only_a_target_on_this_machine_is_shown_the_token_by_wrong_ones_unless_the_user_says_so() {
        let token = "Secret-of-nobody-4711";
        let tells = |transport: &Transport| {
            let wrong = wrong_tokens(transport);
            wrong
                .iter()
                .any(|wrong| wrong.to_lowercase().contains("secret-of-nobody-471"))
        };
        for (host, told) in [("api.example.com", false), ("localhost", true), ("127.0.0.1", true)] {
            assert_eq!(tells(&to(host, token)), told, "{host}");
            assert!(tells(&to(host, token).with_near_tokens(true)), "{host}");
        }
        let shown = wrong_tokens(&to("api.example.com", token));
        assert!(
            shown
                .iter()
                .all(|wrong| wrong[..10] == token[..10] && wrong[10..] != token[10..])
        );
    }

    #[test]
    fn each_wrong_token_is_hidden_as_the_right_one_is() {
        for token in ["q7-x", "tk-4711-ab", "Secret-of-nobody", "tk-4711-secret-of-nobody"] {
            for transport in [to("localhost", token), to("api.example.com", token)] {
                let redaction = transport.redaction();
                for wrong in wrong_tokens(&transport) {
                    let told = redaction.hide(&format!("refused {wrong}, and {}…", &wrong[..wrong.len() - 1]));
                    let hidden = "refused $COUNTERSIGN_TOKEN, and $COUNTERSIGN_TOKEN…";
                    let short = token.len() < 8 && told.starts_with("refused $COUNTERSIGN_TOKEN, and ");
                    assert!(told == hidden || short, "{wrong}: {told}");
                }
            }
        }
    }

    #[tokio::test]
    async fn time_that_the_caller_was_busy_does_not_count_against_the_target() {
        let (deadline, busy) = (Duration::from_millis(40), Duration::from_millis(120));
        let (failure, took) = asked_of_the_silent(deadline, busy).await;
        assert_eq!(failure, Failure::Deadline { after: deadline });
        assert!(took >= deadline + busy, "{took:?}");
    }

    #[tokio::test]
    async fn a_silent_target_has_the_deadline_and_no_more() {
        let deadline = Duration::from_millis(40);
        let (failure, took) = asked_of_the_silent(deadline, Duration::ZERO).await;
        assert_eq!(failure, Failure::Deadline { after: deadline });
        assert!(took >= deadline, "{took:?}");
    }
}
