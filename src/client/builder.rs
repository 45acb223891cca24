//! How a client is made.

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{Request, Response};
use tower_service::Service;

use super::{Client, Shared, options::Settings};
use crate::{
    AccessToken, Error, Operation, Retry, TokenSource,
    auth::{Tokens, source::is_sendable},
    call::{rate_limit::Limits, retry::Budget},
    http_service::{BoxError, HttpService},
    origin::{Connections, Origin, USER_AGENT},
};

/// Settings of a [`Client`]. All but the credentials have a default.
///
/// ```
/// use std::time::Duration;
///
/// use digital_assets::{Client, ClientCredentials, Operation, Retry};
///
/// # fn example() -> Result<(), digital_assets::Error> {
/// let credentials =
///     ClientCredentials::new("https://auth.example.com/oauth2/token", "client-id", "secret");
/// let client = Client::builder("https://api.example.com")
///     .credentials(credentials)
///     .call_timeout(Duration::from_secs(30))
///     .retry(Retry::default().max_attempts(5))
///     .rate_limit(Operation::ListQuoteExecutions, 10.0)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder {
    base_url: String,
    credentials: Option<Credentials>,
    scopes: Option<Vec<String>>,
    http: Option<HttpService>,
    connect_timeout: Duration,
    rates: Vec<(Operation, f64)>,
    user_agent: String,
    settings: Settings,
}

enum Credentials {
    Source(Arc<dyn TokenSource>),
    Token(AccessToken),
}

impl ClientBuilder {
    pub(super) fn new(base_url: String) -> Self {
        Self {
            base_url,
            credentials: None,
            scopes: None,
            http: None,
            connect_timeout: Duration::from_secs(5),
            rates: Vec::new(),
            user_agent: USER_AGENT.to_owned(),
            settings: Settings::default(),
        }
    }

    /// Where tokens come from: [`ClientCredentials`](crate::ClientCredentials), or a source of your own.
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

    /// Sends requests with this HTTP client, for a private certificate authority, a client
    /// certificate, or a proxy.
    ///
    /// What it does with a request is then its own matter: `connect_timeout` and `user_agent` don't
    /// apply, and a POST may go out on a kept connection. Two lines make it as safe as the client's
    /// own:
    ///
    /// ```
    /// use digital_assets::{Client, reqwest};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let http = reqwest::Client::builder()
    ///     .redirect(reqwest::redirect::Policy::none())
    ///     .no_proxy()
    ///     .build()?;
    /// let client = Client::builder("https://api.example.com").bearer_token("token").http_client(http);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Without the first, it follows redirects; what it brings back from there is an error all the
    /// same. Without the second, it goes through the proxies of the environment. Https is a tunnel
    /// to them, but a service on loopback is called by http: `HTTP_PROXY` then carries its token in
    /// clear. The client's own uses no proxy for loopback. [`crate::reqwest`] is the version that
    /// this method takes.
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
        self.settings.attempt_timeout = timeout;
        self
    }

    /// How long a call may take with all its attempts and waits; of a listing, each page is a
    /// call. 60 s.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.settings.call_timeout = timeout;
        self
    }

    /// Which failures are tried again, and when. [`Retry::default`]: three attempts.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.settings.retry = retry;
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
        self.settings.max_response_bytes = bytes;
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
        let (http, fresh) = if let Some(http) = self.http {
            (http.clone(), http)
        } else {
            // Before the attempt ends, or a connection that isn't made would look like an answer
            // that doesn't come.
            let timeout = self.connect_timeout.min(self.settings.attempt_timeout / 10 * 9);
            let http = |connections| {
                let http = base.http_client(timeout, &self.user_agent, connections)?;
                Ok::<_, Error>(HttpService::Reqwest(http))
            };
            (http(Connections::Kept)?, http(Connections::Fresh)?)
        };
        Ok(Client {
            shared: Arc::new(Shared {
                base: base.url,
                http,
                fresh,
                tokens,
                limits: Limits::new(&self.rates)?,
                budget: Budget::new(),
            }),
            settings: Arc::new(self.settings),
        })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("connect_timeout", &self.connect_timeout)
            .field("rates", &self.rates)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
