//! Sends requests within bounds: one deadline for connecting, head, body and decoding, a limit on the decoded body, no
//! redirects, no proxy, the token to the target's origin only. The main type is [`Transport`].
//!
//! # Design
//!
//! How a request authenticates and what bounds an exchange do not depend on the way to the service, so both are here. A
//! [`Channel`] carries the request, over HTTP (`http`) or to a service in this process (`in_process`), and returns the
//! body as it came, up to the limit; `coding` decodes it under the same limit, so a compression bomb stops there. This
//! module makes the two channels, and they use what it defines for both.

mod credential;
mod http;
mod in_process;
mod renewal;

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use futures::future::LocalBoxFuture;
use http_body::Body;
use percent_encoding::utf8_percent_encode;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT,
};
use reqwest::{Method, Url};
use tokio::time::Instant;

use self::credential::{Parts, PlacedCredential};
use self::http::Http;
use super::basic;
use super::coding;
use super::exchange::{Credential, Failure, NOT_UNRESERVED, Request, Response, with_query};
use super::redact::{LaterRedaction, Redaction, SHORTEST_TOKEN};
use super::target::Target;
use super::token_mutation::{TOKEN_MUTATIONS, TokenMutation};
use crate::client::Token;
use crate::contract::operation::{self, SecurityScheme};

use in_process::InProcess;
pub use in_process::RequestBody;
use renewal::Renewal;

/// The `User-Agent` of every request.
const AGENT: HeaderValue = HeaderValue::from_static(concat!("countersign/", env!("CARGO_PKG_VERSION")));

/// The number of pieces of a body after which reading yields to other tasks: a service in this process may have endless
/// empty ones ready.
const YIELD_AFTER: usize = 64;

/// The limits of one exchange.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time from the start of connecting to the end of decoding.
    pub deadline: Duration,
    /// The maximum size of a body, in bytes, before decoding as well as after it.
    pub body: usize,
}

impl Limits {
    /// The default deadline of one exchange.
    pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(10);
}

impl Default for Limits {
    /// Ten seconds and 8 MiB.
    fn default() -> Self {
        Self {
            deadline: Self::DEFAULT_DEADLINE,
            body: 8 << 20,
        }
    }
}

/// An error while setting up a transport.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The TLS library or the resolver could not be set up.
    #[error("the HTTP client could not be set up: {0}")]
    Client(String),
}

/// Carries requests to a service and returns its responses.
trait Channel: fmt::Debug + Send + Sync {
    /// Sends a request, and returns the complete response. Its body is as it came; more than `maximum` bytes are
    /// [`Failure::TooLarge`]. The caller enforces the deadline, and drops the future when it passes.
    fn send(&self, outgoing: Outgoing, maximum: usize) -> LocalBoxFuture<'_, Result<Received, Failure>>;
}

/// A request as it is sent over any channel.
#[derive(Debug)]
struct Outgoing {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Bytes>,
    /// Whether the service may get it twice.
    may_repeat: bool,
}

/// A complete response whose body is not decoded.
#[derive(Debug)]
struct Received {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

/// Sends requests to one target.
#[derive(Clone, Debug)]
pub struct Transport {
    channel: Arc<dyn Channel>,
    target: Target,
    token: Option<Token>,
    /// What takes the token's place when it has expired.
    renewal: Option<Arc<Renewal>>,
    /// Hides the first token and the wrong ones made from it; made when it is first needed, which takes a while.
    hiding: OnceLock<Redaction>,
    /// Hides the second token in the redactions that were made before it came.
    later: LaterRedaction,
    wrong_token_seed: String,
    /// Whether a target that is not on this machine is also sent wrong tokens so close to the right one that it can be
    /// read from them.
    near_tokens: bool,
    limits: Limits,
}

impl Transport {
    /// Makes a transport to the target over HTTP. `wrong_token_seed` seeds the random characters of wrong tokens
    /// ([`Credential::Wrong`]); it is never sent.
    ///
    /// # Errors
    ///
    /// A [`TransportError`] if the TLS library cannot be set up.
    pub fn new(
        target: Target,
        token: Option<Token>,
        wrong_token_seed: String,
        limits: Limits,
    ) -> Result<Self, TransportError> {
        let channel = Arc::new(Http::new(&target, limits.deadline)?);
        Ok(Self::with_channel(channel, target, token, wrong_token_seed, limits))
    }

    /// Makes a transport to a service in this process, such as axum's router, with the same limits. `token` and
    /// `wrong_token_seed` are those of [`Transport::new`].
    ///
    /// Tokio's clock measures the deadline, so it covers what the service awaits. A panic of the service counts as a
    /// connection that ended too early.
    #[must_use]
    pub fn in_process<S, B>(service: S, token: Option<Token>, wrong_token_seed: String, limits: Limits) -> Self
    where
        S: tower_service::Service<::http::Request<RequestBody>, Response = ::http::Response<B>>
            + Clone
            + Send
            + 'static,
        B: Body + 'static,
    {
        let channel = Arc::new(InProcess::new(service));
        Self::with_channel(channel, Target::in_process(), token, wrong_token_seed, limits)
    }

    fn with_channel(
        channel: Arc<dyn Channel>,
        target: Target,
        token: Option<Token>,
        wrong_token_seed: String,
        limits: Limits,
    ) -> Self {
        Self {
            channel,
            target,
            token,
            renewal: None,
            hiding: OnceLock::new(),
            later: LaterRedaction::default(),
            wrong_token_seed,
            near_tokens: false,
            limits,
        }
    }

    /// Sets whether a target that is not on this machine is also sent wrong tokens so close to the right one that it
    /// can be read from them. A target on this machine always is.
    #[must_use]
    pub fn with_near_tokens(self, near_tokens: bool) -> Self {
        Self {
            near_tokens,
            // There may be other wrong tokens now.
            hiding: OnceLock::new(),
            ..self
        }
    }

    /// Sets where another token comes from when the first has expired.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "only a configuration names a program")
    )]
    #[must_use]
    pub(crate) fn with_renewal(self, obtain: renewal::Obtain) -> Self {
        Self {
            renewal: Some(Arc::new(Renewal::new(obtain))),
            ..self
        }
    }

    /// Whether the first token has been replaced.
    pub(crate) fn is_renewed(&self) -> bool {
        self.renewal.as_ref().is_some_and(|renewal| renewal.token().is_some())
    }

    /// Replaces the first token, unless that was tried before. Returns whether it is replaced.
    pub(crate) async fn renew(&self) -> bool {
        let (Some(renewal), Some(first)) = (&self.renewal, &self.token) else {
            return false;
        };
        // The same token would be rejected again, and the plan is for a token of the first one's kind.
        let differs = |second: &Token| {
            let is_of_its_kind = basic::is_user_and_password(second) == basic::is_user_and_password(first);
            second.expose() != first.expose() && is_of_its_kind
        };
        let prepare = |second: &Token| {
            let differs = differs(second);
            if differs {
                self.later.set(self.redaction_of(second));
            }
            differs
        };
        renewal.renewed(prepare).await.is_some()
    }

    /// Returns the token to send.
    fn token(&self) -> Option<&Token> {
        let second = self.renewal.as_ref().and_then(|renewal| renewal.token());
        second.or(self.token.as_ref())
    }

    /// Returns how the wrong token with this index differs from the right one under this scheme.
    #[must_use]
    pub fn token_mutation(&self, index: usize, scheme: &SecurityScheme) -> TokenMutation {
        let mutations = self.token().map(|token| self.token_mutations(token, scheme));
        let mut mutations = mutations.into_iter().flatten().skip(index % TOKEN_MUTATIONS);
        mutations.next().unwrap_or(TokenMutation::Half(0))
    }

    fn token_mutations(&self, token: &Token, scheme: &SecurityScheme) -> [TokenMutation; TOKEN_MUTATIONS] {
        let near = self.near_tokens || self.target.is_loopback();
        TokenMutation::of(Parts::of(token, scheme).secret, near)
    }

    /// Returns the target.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether there is a token to send.
    #[must_use]
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Returns the redaction that removes the token, and the wrong tokens made from it, from a text. For a service in
    /// this process, a token with fewer than [`SHORTEST_TOKEN`] characters is not removed.
    #[must_use]
    pub fn redaction(&self) -> Redaction {
        // In this process the token is the program's own, and short ones are not rejected.
        if self.target.is_in_process() && self.token.as_ref().is_some_and(is_short) {
            return Redaction::default();
        }
        let Some(token) = &self.token else {
            return Redaction::default();
        };
        let hiding = self.hiding.get_or_init(|| self.redaction_of(token));
        hiding.clone().with_later(self.later.clone())
    }

    fn redaction_of(&self, token: &Token) -> Redaction {
        let user = basic::parts(token.expose()).map(|_| SecurityScheme::Basic);
        let schemes = [Some(SecurityScheme::Bearer), user];
        let derived = schemes.iter().flatten().flat_map(|scheme| {
            let mutations = self.token_mutations(token, scheme).into_iter();
            mutations.map(|mutation| self.wrong(token, scheme, mutation))
        });
        let password = basic::secret(token.expose()).filter(|secret| secret.len() >= SHORTEST_TOKEN);
        let derived: Vec<_> = password.map(str::to_owned).into_iter().chain(derived).collect();
        Redaction::of_all(Some(token), &derived)
    }

    fn wrong(&self, token: &Token, scheme: &SecurityScheme, mutation: TokenMutation) -> String {
        let Parts { before, secret, after } = Parts::of(token, scheme);
        let wrong = mutation.apply(secret, &self.wrong_token_seed);
        format!("{before}{wrong}{after}")
    }

    /// Sends one request and reads its whole response. `busy` returns how long the caller has kept this thread with
    /// work of its own so far: nothing is read meanwhile, so that time does not count against the target.
    ///
    /// # Errors
    ///
    /// A [`Failure`] if no complete response came within the [`Limits`].
    pub async fn send(&self, request: &Request, busy: &dyn Fn() -> Duration) -> Result<Response, Failure> {
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

    async fn exchange(&self, request: &Request) -> Result<Response, Failure> {
        let started = Instant::now();
        let maximum = self.limits.body;
        let received = self.channel.send(self.outgoing(request)?, maximum).await?;
        let mut headers = received.headers;
        let decoded = coding::decode(&mut headers, received.body, maximum).await?;
        let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
        let location = location.and_then(|location| self.target.path_of(location));
        Ok(Response {
            status: received.status,
            headers,
            body: decoded.body,
            was_compressed: decoded.was_compressed,
            is_body_known: true,
            are_headers_known: true,
            location,
            elapsed: started.elapsed(),
        })
    }

    fn outgoing(&self, request: &Request) -> Result<Outgoing, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, AGENT);
        let accept = HeaderValue::from_str(&request.accept).map_err(|_| Failure::NotHttp)?;
        headers.insert(ACCEPT, accept);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding::ACCEPTED));
        for (name, value) in &request.headers {
            // A value that no header can hold never gets here: the run checks before it puts a value into one.
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Failure::NotHttp)?;
            headers.append(name, HeaderValue::from_str(value).map_err(|_| Failure::NotHttp)?);
        }
        let mut path = request.path.clone();
        for (name, value) in &self.target.fixed_headers_and_query().query {
            path = with_query(&path, name, &utf8_percent_encode(value, NOT_UNRESERVED).to_string());
        }
        for (name, value) in &self.target.fixed_headers_and_query().headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| Failure::NotHttp)?;
            headers.append(name, HeaderValue::from_str(value).map_err(|_| Failure::NotHttp)?);
        }
        let mut url = self.target.url(&path);
        if let Some(placed) = self.credential(request) {
            placed.put(&mut headers, &mut url);
        }
        if let Some(content_type) = request.sent_content_type() {
            let content_type = HeaderValue::from_str(&content_type).map_err(|_| Failure::NotHttp)?;
            headers.append(CONTENT_TYPE, content_type);
        }
        // A wrong token is not sent twice: a target may count them.
        let is_wrong = matches!(request.credential, Credential::Wrong { .. });
        Ok(Outgoing {
            may_repeat: request.method == operation::Method::Get && !is_wrong,
            method: Method::from_bytes(request.method.as_str().as_bytes()).unwrap_or_default(),
            url,
            headers,
            body: request.body_text().map(Bytes::from),
        })
    }

    /// Returns the credential of a request; `None` where it has none.
    fn credential(&self, request: &Request) -> Option<PlacedCredential> {
        let token = self.token();
        let (scheme, secret) = match &request.credential {
            Credential::None => return None,
            Credential::Empty { scheme } => (scheme, String::new()),
            Credential::OtherScheme { scheme } => return PlacedCredential::under_other_scheme(scheme, token?.expose()),
            Credential::Token { scheme } => (scheme, token?.expose().to_owned()),
            Credential::Wrong { scheme, mutation } => (scheme, self.wrong(token?, scheme, *mutation)),
        };
        // Only the right token is sent under a respelled scheme.
        let bearer = match &request.credential {
            Credential::Token { .. } => request.spelling.scheme(),
            _ => "Bearer",
        };
        PlacedCredential::of(scheme, &secret, bearer)
    }
}

fn is_short(token: &Token) -> bool {
    token.expose().len() < SHORTEST_TOKEN
}

/// Reads a body in pieces, up to `maximum` bytes.
async fn collect<B: Body>(body: B, maximum: usize, failure: impl Fn(B::Error) -> Failure) -> Result<Bytes, Failure> {
    let mut pieces = pin!(body);
    // Most responses come in one piece, which is passed on without a copy.
    let mut first = Bytes::new();
    let mut body = BytesMut::new();
    let mut frames = 0;
    while let Some(frame) = poll_fn(|context| pieces.as_mut().poll_frame(context)).await {
        frames += 1;
        if frames % YIELD_AFTER == 0 {
            tokio::task::yield_now().await;
        }
        // A frame that is not data has trailers, and no trailers are documented.
        let Ok(mut piece) = frame.map_err(&failure)?.into_data() else {
            continue;
        };
        let length = piece.remaining();
        if first.len() + body.len() + length > maximum {
            return Err(Failure::TooLarge { maximum });
        }
        if first.is_empty() && body.is_empty() {
            first = piece.copy_to_bytes(length);
            continue;
        }
        if body.is_empty() {
            body.extend_from_slice(&std::mem::take(&mut first));
        }
        body.put(piece);
    }
    Ok(if body.is_empty() { first } else { body.freeze() })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const BEARER: SecurityScheme = SecurityScheme::Bearer;

    /// Sends a request to a target that never answers, and returns the outcome and how long it took. The caller claims
    /// to have been busy for the given time once the request is under way.
    async fn asked_of_the_silent(deadline: Duration, busy: Duration) -> (Failure, Duration) {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let target = Target::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let limits = Limits {
            deadline,
            ..Limits::default()
        };
        let transport = Transport::new(target, None, String::new(), limits).unwrap();
        let contract = crate::testing::built_in();
        let operation = contract.operation_named("getTags").unwrap();
        let request = Request::unfilled(operation, contract.operation(operation));
        let busy_so_far = Cell::new(Duration::ZERO);
        let started = Instant::now();
        let outcome = transport.send(&request, &|| busy_so_far.replace(busy)).await;
        (outcome.unwrap_err(), started.elapsed())
    }

    fn to(host: &str, token: &str) -> Transport {
        let target = Target::parse(&format!("https://{host}")).unwrap();
        let token = Some(Token::new(token).unwrap());
        Transport::new(target, token, "a seed".to_owned(), Limits::default()).unwrap()
    }

    fn wrong_tokens(transport: &Transport) -> Vec<String> {
        let indexes = 0..TOKEN_MUTATIONS;
        indexes
            .map(|index| {
                let token = transport.token().unwrap();
                transport.wrong(token, &BEARER, transport.token_mutation(index, &BEARER))
            })
            .collect()
    }

    #[test]
    fn only_a_target_on_this_machine_is_shown_the_token_by_wrong_ones_unless_the_user_says_so() {
        let token = "Secret-of-nobody-4711";
        let shows = |transport: &Transport| {
            let wrong = wrong_tokens(transport);
            wrong
                .iter()
                .any(|wrong| wrong.to_lowercase().contains("secret-of-nobody-471"))
        };
        for (host, expected) in [("api.example.com", false), ("localhost", true), ("127.0.0.1", true)] {
            assert_eq!(shows(&to(host, token)), expected, "{host}");
            assert!(shows(&to(host, token).with_near_tokens(true)), "{host}");
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
                    let reported = redaction.hide(&format!("rejected {wrong}, and {}…", &wrong[..wrong.len() - 1]));
                    let hidden = "rejected $COUNTERSIGN_TOKEN, and $COUNTERSIGN_TOKEN…";
                    let short = token.len() < 8 && reported.starts_with("rejected $COUNTERSIGN_TOKEN, and ");
                    assert!(reported == hidden || short, "{wrong}: {reported}");
                }
            }
        }
    }

    #[test]
    fn wrong_tokens_that_are_sent_from_now_on_are_hidden_too() {
        let transport = to("api.example.com", "tk-4711-ab");
        let _ = transport.redaction();
        for near_tokens in [true, false] {
            let transport = transport.clone().with_near_tokens(near_tokens);
            for wrong in wrong_tokens(&transport) {
                let hidden = transport.redaction().hide(&format!("rejected {wrong}"));
                assert_eq!(hidden, "rejected $COUNTERSIGN_TOKEN", "{wrong}");
            }
        }
    }

    /// A transport whose second token is this one.
    #[cfg(feature = "cli")]
    fn renewing(first: &str, second: Option<&'static str>) -> (Transport, Arc<std::sync::atomic::AtomicUsize>) {
        let asked = Arc::<std::sync::atomic::AtomicUsize>::default();
        let count = Arc::clone(&asked);
        let transport = to("api.example.com", first).with_renewal(Box::new(move || {
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Box::pin(async move { second.map(|second| Token::new(second).unwrap()) })
        }));
        (transport, asked)
    }

    #[cfg(feature = "cli")]
    #[tokio::test]
    async fn a_second_token_takes_the_place_of_the_first_once_and_both_are_hidden() {
        let (transport, asked) = renewing("tk-4711-of-nobody", Some("zq/0815+of-somebody"));
        let redaction = transport.redaction();
        let renewed = futures::future::join_all([transport.renew(), transport.renew()]).await;
        assert_eq!((renewed, transport.is_renewed()), (vec![true, true], true));
        assert!(transport.clone().renew().await);
        assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), 1);
        assert_eq!(transport.token().map(Token::expose), Some("zq/0815+of-somebody"));
        let made = wrong_tokens(&transport);
        for text in ["tk-4711-of-nobody", "zq/0815+of-somebody"]
            .into_iter()
            .chain(made.iter().map(String::as_str))
        {
            for redaction in [&redaction, &transport.redaction()] {
                assert_eq!(redaction.hide(&format!("a {text} b")), "a $COUNTERSIGN_TOKEN b");
            }
        }
    }

    #[cfg(feature = "cli")]
    #[tokio::test]
    async fn the_first_token_stays_where_the_second_is_none_the_same_or_of_another_kind() {
        for second in [None, Some("tk-4711-of-nobody"), Some("jane.roe:of-nobody")] {
            let (transport, asked) = renewing("tk-4711-of-nobody", second);
            for _ in 0..2 {
                assert!(!transport.renew().await && !transport.is_renewed(), "{second:?}");
            }
            assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), 1);
            assert_eq!(transport.token().map(Token::expose), Some("tk-4711-of-nobody"));
        }
        assert!(!to("api.example.com", "tk-4711-of-nobody").renew().await);
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
