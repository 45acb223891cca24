//! Builds a client.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use reqwest::{Body, Request, Response, Url};
use tower_layer::Layer;
use tower_service::Service;

use super::Client;
use crate::{
    CallOptions, Error, Operation, Retry, TokenSource,
    auth::{Credentials, TokenCache, bearer},
    call::{Limits, Sender, Shared},
    error::BoxError,
    operation::Service as Described,
    retry::Budget,
    transport::{
        Connections, HttpService, HttpServices, HttpSource, HttpTransport, Origin, ServiceClock,
        Tls,
    },
};

/// The settings of a [`Client`]. All except the credentials have a default. Without credentials,
/// calls that need a token fail, and [`Client::with_credentials`] creates clients that have
/// credentials.
///
/// ```
/// use std::time::Duration;
///
/// # use oas_client::{ClientCredentials, Retry};
/// # use second::{Client, operation};
/// # fn example() -> Result<(), oas_client::Error> {
/// let credentials =
///     ClientCredentials::new("https://auth.example.com/oauth2/token", "client-id", "secret");
/// let client = Client::builder("https://api.example.com")
///     .credentials(credentials)
///     .call_timeout(Duration::from_secs(30))
///     .retry(Retry::default().max_attempts(5))
///     .rate_limit(operation::LIST_PARCELS, 10.0)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct ClientBuilder<C = Client> {
    service: &'static Described,
    base_url: String,
    credentials: Result<Credentials, Error>,
    scopes: Option<Vec<String>>,
    http: HttpSource,
    layers: Vec<Box<AddLayer>>,
    connect_timeout: Duration,
    rates: Vec<(Operation, f64)>,
    user_agent: String,
    options: CallOptions,
    builds: PhantomData<fn() -> C>,
}

type AddLayer = dyn FnOnce(HttpServices, &Url) -> HttpServices + Send + Sync;

impl<C: From<Client>> ClientBuilder<C> {
    pub(crate) fn new(service: &'static Described, base_url: String) -> Self {
        Self {
            service,
            base_url,
            credentials: Ok(Credentials::Fixed(None)),
            scopes: None,
            http: HttpSource::default(),
            layers: Vec::new(),
            connect_timeout: Duration::from_secs(5),
            rates: Vec::new(),
            user_agent: service.user_agent.to_owned(),
            options: CallOptions::new(),
            builds: PhantomData,
        }
    }

    /// Sets the source of tokens: [`ClientCredentials`](crate::ClientCredentials), or your own
    /// source.
    pub fn credentials(mut self, source: impl TokenSource + 'static) -> Self {
        self.credentials = Ok(Credentials::Source(Arc::new(source)));
        self
    }

    /// Sets a token that was fetched elsewhere. The client can't renew it, so a 401 is final.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        let header = bearer(&token.into()).ok_or_else(|| {
            Error::configuration(
                "the bearer token is empty or contains a character that a header can't contain",
            )
        });
        self.credentials = header.map(|header| Credentials::Fixed(Some(header)));
        self
    }

    /// Uses one token with these scopes for all operations, instead of a token for each operation's
    /// scopes. At least one scope is required.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Sends requests with this HTTP client, for a private certificate authority, a client
    /// certificate, or a proxy.
    ///
    /// The HTTP client's own settings apply: `connect_timeout` and `user_agent` have no effect, and
    /// a POST may be sent on a kept connection. All runtimes share the HTTP client's connections.
    /// If the runtime that opened a connection is idle, requests on that connection hang.
    /// [`http_client_from`](Self::http_client_from) avoids this with one HTTP client per runtime.
    /// Two settings keep the token from other servers:
    ///
    /// ```
    /// # use oas_client::reqwest;
    /// # use second::Client;
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
    /// Without the first setting, the HTTP client follows redirects, and the call returns an error
    /// afterwards. Without the second setting, it uses the proxies from the environment. These
    /// proxies tunnel https, but a service on loopback is called over http, so the proxy from
    /// `HTTP_PROXY` would see the token unencrypted. The default HTTP client bypasses proxies for
    /// loopback. This method takes a client from the version of reqwest in [`crate::reqwest`].
    pub fn http_client(self, http: reqwest::Client) -> Self {
        self.http_service(http)
    }

    /// Like [`http_client`](Self::http_client), but sends requests with an HTTP client that `make`
    /// creates. `make` is called when the client is built, once per additional runtime, and again
    /// after each [`connection_lifetime`](Self::connection_lifetime), so that a renewed client
    /// certificate is used. If `make` fails after the client was built, an old HTTP client stays in
    /// use, and `make` is called again a second later.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # use oas_client::reqwest;
    /// # use second::Client;
    /// let client = Client::builder("https://api.example.com")
    ///     .bearer_token("token")
    ///     .http_client_from(|| {
    ///         let identity = reqwest::Identity::from_pem(&std::fs::read("client.pem")?)?;
    ///         let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    ///         Ok(http.identity(identity).build()?)
    ///     })
    ///     .connection_lifetime(Duration::from_secs(600));
    /// ```
    pub fn http_client_from<F>(mut self, make: F) -> Self
    where
        F: Fn() -> Result<reqwest::Client, BoxError> + Send + Sync + 'static,
    {
        self.http.set_maker(make);
        self
    }

    /// Sets how long an HTTP client and its connections are used before new ones replace them, so
    /// that a new address of the service or a new certificate authority is used. Requests in
    /// progress finish on the old connections. By default, there is no limit. The lifetime has no
    /// effect on [`http_client`](Self::http_client) and [`http_service`](Self::http_service).
    pub fn connection_lifetime(mut self, lifetime: Duration) -> Self {
        self.http.lifetime = Some(lifetime);
        self
    }

    /// Sends requests through this [`tower_service::Service`] instead of an HTTP client. Use it for
    /// `tower-http` layers, to sign each request, to record traffic, or for a service in memory.
    ///
    /// The client calls the service once per attempt, after `poll_ready` and within
    /// `attempt_timeout`. The request carries the token. An error from the service is returned as a
    /// `Transport` error that keeps the service's error as its source. After such an error, the
    /// client can't know whether the request was sent, so it doesn't send a POST again. If
    /// `poll_ready` fails, nothing was sent. If the service is a `reqwest::Client`, it is treated
    /// as in [`http_client`](Self::http_client). If both methods are called, the last call counts.
    ///
    /// A response must come from the requested origin. The path and query of its URL may differ
    /// from the request's, because a layer may sign them. If a response was converted from an
    /// `http::Response`, as `tower-http` layers do, it has no URL and is accepted. So build an HTTP
    /// client behind such a layer with `redirect::Policy::none()`. Without that policy, a response
    /// from a redirect's target would count as the service's response.
    pub fn http_service<S>(mut self, service: S) -> Self
    where
        S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        self.http.set(HttpService::new(service));
        self
    }

    /// Wraps the HTTP client or service in a layer of [tower], such as the layers of `tower-http`:
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # use second::Client;
    /// use tower::ServiceBuilder;
    /// use tower_http::{
    ///     request_id::{MakeRequestUuid, SetRequestIdLayer},
    ///     trace::TraceLayer,
    /// };
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), oas_client::Error> {
    /// # let service = tower::service_fn(async |request: reqwest::Request| {
    /// #     assert!(request.headers().contains_key("x-request-id"));
    /// #     let answer = http::Response::new(r#"{"depots":[]}"#);
    /// #     Ok::<_, std::io::Error>(reqwest::Response::from(answer))
    /// # });
    /// let layers = ServiceBuilder::new()
    ///     .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
    ///     .layer(TraceLayer::new_for_http())
    ///     .buffer(64) // a `RateLimit` can't be cloned
    ///     .rate_limit(300, Duration::from_secs(1));
    /// let client = Client::builder("https://api.example.com")
    ///     .bearer_token("token")
    ///     .layer(layers)
    /// #     .http_service(service)
    ///     .build()?;
    /// # client.list_depots().send().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A layer sees each attempt, with the token, but no token requests. The layer's errors,
    /// `poll_ready` and deadlines are treated like those of [`http_service`](Self::http_service).
    /// The HTTP client below the layer is as safe as without a layer: it follows no redirects,
    /// sends a POST on a new connection, and accepts only responses from the base URL's origin. A
    /// layer may change a request's path and query, to sign them. If a layer addresses a request to
    /// another origin, the request isn't sent.
    ///
    /// A second layer wraps the first. [`build`](Self::build) creates the layers, so `build` needs
    /// a runtime if one of the layers needs one, like `buffer` here.
    ///
    /// [tower]: https://docs.rs/tower
    pub fn layer<L, B>(mut self, layer: L) -> Self
    where
        L: Layer<HttpTransport> + Send + Sync + 'static,
        L::Service: Service<http::Request<Body>, Response = http::Response<B>>,
        L::Service: Service<http::Request<Body>, Error: Into<BoxError>, Future: Send>,
        L::Service: Clone + Send + Sync + 'static,
        B: http_body::Body<Data: Into<bytes::Bytes>, Error: Into<BoxError>> + Send + Sync + 'static,
    {
        self.layers.push(Box::new(move |http, base| http.layered(base, &layer)));
        self
    }

    /// The time limit for connecting. 5 s by default, and at most 90 % of the builder's
    /// `attempt_timeout`. If [`CallOptions`](crate::CallOptions) or a deadline ends an attempt
    /// before the connect timeout, a GET without a connection fails with
    /// [`Timeout`](crate::ErrorKind::Timeout).
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// The time limit of one attempt, up to the last byte of its response. 15 s by default.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.attempt_timeout(timeout);
        self
    }

    /// The time limit of a call, with all its attempts and waits. In a listing, each page is a
    /// call. 60 s by default.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.call_timeout(timeout);
        self
    }

    /// The number of retries, and the waits between them. [`Retry::default`], with three attempts,
    /// by default.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.options = self.options.retry(retry);
        self
    }

    /// Limits an operation to this many requests per second, evenly spaced, over this client and
    /// all its clones. Waiting calls take their turns in no particular order. If a call's turn
    /// comes after its `call_timeout`, the call fails with `Timeout` and isn't sent. The rate must
    /// be positive and at most 10⁹. No limit by default.
    pub fn rate_limit(mut self, operation: Operation, per_second: f64) -> Self {
        self.rates.push((operation, per_second));
        self
    }

    /// The largest response body that the client reads, in bytes after decompression. 64 MiB by
    /// default. A decoded response can take several times as much memory.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.options = self.options.max_response_bytes(bytes);
        self
    }

    /// The `User-Agent` of every request to the service. The default is the name of the client's
    /// package and its version. Token requests always use the default.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Builds the client. Building needs no runtime and sends nothing. With rustls, clients that
    /// are built within a second of each other read the certificate store once.
    ///
    /// Several runtimes can use the client, together or one after the other. Each runtime opens its
    /// own connections. The client keeps the connections of 128 runtimes. If more runtimes take
    /// turns, some of them open new connections. A request in progress needs the runtime that
    /// started it. If a call or a stream is moved to another runtime, its current request waits for
    /// the first runtime, or fails if that runtime has ended. The next request uses the new
    /// runtime.
    ///
    /// # Errors
    ///
    /// `Configuration` if an address is neither https nor loopback, or a setting is invalid.
    pub fn build(self) -> Result<C, Error> {
        let base = Origin::parse("the base URL", &self.base_url)?;
        if base.url.query().is_some() {
            return Err(Error::configuration("the base URL contains a query"));
        }
        if self.scopes.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::configuration("`scopes` is empty: name at least one scope"));
        }
        let credentials = self.credentials?;
        if let Credentials::Source(source) = &credentials {
            source.identify(self.service.user_agent);
            source.check()?;
        }
        let http = if let Some(http) = self.http.resolve().transpose()? {
            HttpServices { kept: http.clone(), fresh: http }
        } else {
            // The connect timeout is shorter than an attempt. If it weren't, a failure to connect
            // would look like a missing response.
            let timeout = self.connect_timeout.min(self.options.time_per_attempt() / 10 * 9);
            let http = |connections| {
                let (base, user_agent) = (base.clone(), self.user_agent.clone());
                let make = move |tls: &Tls, http1_only| {
                    base.http_client(tls, timeout, &user_agent, connections, http1_only)
                };
                self.http.renewing(Arc::new(make))
            };
            HttpServices { kept: http(Connections::Kept)?, fresh: http(Connections::Fresh)? }
        };
        let http = self.layers.into_iter().fold(http, |http, add| add(http, &base.url));
        let shared = Shared {
            service: self.service,
            base: base.url,
            http,
            tokens: TokenCache::new(credentials, self.scopes),
            clock: ServiceClock::default(),
            limits: Limits::new(&self.rates)?,
            budget: Budget::default(),
        };
        let options = Arc::new(self.options);
        Ok(Client { sender: Sender { shared: Arc::new(shared), options } }.into())
    }
}

impl<C> fmt::Debug for ClientBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("connect_timeout", &self.connect_timeout)
            .field("rates", &self.rates)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
