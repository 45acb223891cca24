//! How a client is made.

use std::{env, fmt, sync::Arc, time::Duration};

use reqwest::{Request, Response, Url};
use tower_service::Service;

use crate::{
    AccessToken, ClientCredentials, Error, Operation, Retry, TokenSource,
    auth::Tokens,
    auth::source::is_sendable,
    call::rate_limit::Limits,
    call::retry::Budget,
    http_service::{BoxError, HttpService},
    origin::{Origin, USER_AGENT},
};

/// A client of the service: one method an operation.
///
/// Cheap to clone; clones share connections, tokens, rate limits and the budget of retries. What
/// it does unasked:
///
/// - *Tokens*: it fetches one for the scope that an operation needs, keeps it until shortly before
///   its end, and fetches another when the service answers 401.
/// - *Checks*: what the description forbids is refused before anything is sent.
/// - *Retries*: what may pass and can't do harm is tried again, see [`Retry`].
/// - *Care*: the token goes to the base URL's origin and nowhere else, and no secret is printed.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
    pub(crate) settings: Arc<Settings>,
}

/// What a client has in common with all that were made from it.
pub(crate) struct Shared {
    pub base: Url,
    pub http: HttpService,
    pub tokens: Tokens,
    pub limits: Limits,
    pub budget: Budget,
}

/// What bounds a call.
pub(crate) struct Settings {
    pub retry: Retry,
    pub attempt_timeout: Duration,
    pub call_timeout: Duration,
    pub max_response_bytes: usize,
}

impl Client {
    /// Begins a client for the service at a base URL, to which the paths (`/v2/…`) are appended.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            base_url: base_url.into(),
            credentials: None,
            scopes: None,
            http: None,
            connect_timeout: Duration::from_secs(5),
            attempt_timeout: Duration::from_secs(15),
            call_timeout: Duration::from_secs(60),
            retry: Retry::default(),
            rates: Vec::new(),
            max_response_bytes: 64 << 20,
            user_agent: USER_AGENT.to_owned(),
        }
    }

    /// A client from the environment: `DIGITAL_ASSETS_BASE_URL`, `DIGITAL_ASSETS_AUTH_URL` (the
    /// token endpoint), `DIGITAL_ASSETS_CLIENT_ID` and `DIGITAL_ASSETS_CLIENT_SECRET`.
    ///
    /// # Errors
    ///
    /// `Configuration`, naming every variable that is missing or empty.
    pub fn from_env() -> Result<Self, Error> {
        let names = ["BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"]
            .map(|name| format!("DIGITAL_ASSETS_{name}"));
        let values = names.each_ref().map(|name| env::var(name).ok().filter(|v| !v.is_empty()));
        let [Some(base_url), Some(auth_url), Some(id), Some(secret)] = values else {
            let missing: Vec<&str> = std::iter::zip(&names, &values)
                .filter_map(|(name, value)| value.is_none().then_some(name.as_str()))
                .collect();
            return Err(Error::configuration(format!(
                "missing in the environment: {}",
                missing.join(", ")
            )));
        };
        Self::builder(base_url).credentials(ClientCredentials::new(auth_url, id, secret)).build()
    }

    /// Lets the operations be called again that a 429 holds back, for this client and all its
    /// clones: calls that wait for it go at once.
    ///
    /// A 429 holds its operation back for as long as its `Retry-After` asks, at most 5 minutes.
    /// Then one call goes first, and the others follow unless that gets a 429, too.
    pub fn release_holds(&self) {
        self.shared.limits.release();
    }
}

#[cfg(feature = "sandbox")]
#[doc(hidden)]
impl Client {
    /// What a call pays for its token, for `benches/token.rs`.
    pub async fn cached_token(
        &self,
        operation: Operation,
    ) -> Result<reqwest::header::HeaderValue, Error> {
        self.shared.tokens.token(operation).await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.shared.base.as_str())
            .finish_non_exhaustive()
    }
}

/// Settings of a [`Client`], each with a default but the credentials.
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder {
    base_url: String,
    credentials: Option<Credentials>,
    scopes: Option<Vec<String>>,
    http: Option<HttpService>,
    connect_timeout: Duration,
    attempt_timeout: Duration,
    call_timeout: Duration,
    retry: Retry,
    rates: Vec<(Operation, f64)>,
    max_response_bytes: usize,
    user_agent: String,
}

enum Credentials {
    Source(Arc<dyn TokenSource>),
    Token(AccessToken),
}

impl ClientBuilder {
    /// Where tokens come from: [`ClientCredentials`], or a source of your own.
    pub fn credentials(mut self, source: impl TokenSource + 'static) -> Self {
        self.credentials = Some(Credentials::Source(Arc::new(source)));
        self
    }

    /// A token that was fetched elsewhere. It is never renewed: when the service answers 401, that
    /// is the error.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.credentials = Some(Credentials::Token(AccessToken::new(token)));
        self
    }

    /// Asks for one token with these scopes for all operations, instead of one for each
    /// operation's own scope. At least one.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Sends requests with this HTTP client. `connect_timeout` and `user_agent` are then its own
    /// matter; build it with `redirect::Policy::none()`, since an answer from behind a redirect is
    /// an error.
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.http = Some(HttpService::Reqwest(http));
        self
    }

    /// Sends requests by this [`tower_service::Service`], in place of an HTTP client: layers of
    /// `tower-http`, a signature on each request, a recording, or a service in memory.
    ///
    /// It is called once for each attempt, with the token on the request, after `poll_ready` and
    /// within `attempt_timeout`. Its errors are `Transport`, with the service's own as the cause:
    /// nothing tells whether the request had been sent, so that a POST isn't sent again.
    /// An answer made from an `http::Response` counts as the service's own; any other has to come
    /// from the address that was asked, or is an error. The last of `http_client` and
    /// `http_service` counts.
    pub fn http_service<S>(mut self, service: S) -> Self
    where
        S: Service<Request, Response = Response> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
    {
        self.http = Some(HttpService::new(service));
        self
    }

    /// How long a connection may take to be made, and less than `attempt_timeout` in any case.
    /// 5 s.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long one attempt may take, until the last byte of its answer. 15 s.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = timeout;
        self
    }

    /// How long a call may take with all its attempts and waits; of a listing, each page is a
    /// call. 60 s.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = timeout;
        self
    }

    /// Which failures are tried again, and when. [`Retry::default`]: three attempts.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Sends at most so many requests of an operation a second, evenly spaced, from this client
    /// and all its clones. Calls that wait have their turns in no particular order; one whose
    /// `call_timeout` leaves no time for its turn is a `Timeout` that was not sent. A positive
    /// number, at most one call a nanosecond. Off unless set.
    pub fn rate_limit(mut self, operation: Operation, per_second: f64) -> Self {
        self.rates.push((operation, per_second));
        self
    }

    /// Stops reading an answer at this size, decompressed. 64 MiB. Decoded, an answer can take
    /// several times its size in memory.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// The `User-Agent` of every request to the service. `digital-assets/` and the version, which
    /// the token endpoint gets in any case.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Makes the client. No runtime is needed, and nothing is sent.
    ///
    /// # Errors
    ///
    /// `Configuration`, where an address is neither https nor loopback, credentials are missing,
    /// or a setting can't be.
    pub fn build(self) -> Result<Client, Error> {
        let base = Origin::parse("the base URL", &self.base_url)?.without_query()?;
        if self.scopes.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::configuration("scopes is empty"));
        }
        let tokens = match self.credentials {
            Some(Credentials::Source(source)) => {
                source.check()?;
                Tokens::of(&source, self.scopes.as_deref())
            }
            Some(Credentials::Token(token)) if is_sendable(token.secret()) => Tokens::fixed(token),
            Some(Credentials::Token(_)) => {
                return Err(Error::configuration("the bearer token can't stand in a header"));
            }
            None => {
                return Err(Error::configuration(
                    "no credentials: set `credentials` or `bearer_token`",
                ));
            }
        };
        let http = match self.http {
            Some(http) => http,
            // Before the attempt ends, or a connection that isn't made would look like an answer
            // that doesn't come.
            None => HttpService::Reqwest(base.http_client(
                self.connect_timeout.min(self.attempt_timeout / 10 * 9),
                &self.user_agent,
            )?),
        };
        Ok(Client {
            shared: Arc::new(Shared {
                base: base.url,
                http,
                tokens,
                limits: Limits::new(&self.rates)?,
                budget: Budget::new(),
            }),
            settings: Arc::new(Settings {
                retry: self.retry,
                attempt_timeout: self.attempt_timeout,
                call_timeout: self.call_timeout,
                max_response_bytes: self.max_response_bytes,
            }),
        })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("connect_timeout", &self.connect_timeout)
            .field("attempt_timeout", &self.attempt_timeout)
            .field("call_timeout", &self.call_timeout)
            .field("retry", &self.retry)
            .field("rates", &self.rates)
            .field("max_response_bytes", &self.max_response_bytes)
            .finish_non_exhaustive()
    }
}
