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

/// The settings of a [`Client`]. All except the credentials have a default. Without credentials, the
/// client makes others with [`Client::with_credentials`], and fails calls that need a token.
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

    /// Where tokens come from: [`ClientCredentials`](crate::ClientCredentials), or a source of your own.
    pub fn credentials(mut self, source: impl TokenSource + 'static) -> Self {
        self.credentials = Ok(Credentials::Source(Arc::new(source)));
        self
    }

    /// A token that was fetched elsewhere. The client never refreshes it: a 401 from the service is
    /// final.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        let header = bearer(&token.into()).ok_or_else(|| {
            Error::configuration(
                "the bearer token is empty or contains a character that a header can't contain",
            )
        });
        self.credentials = header.map(|header| Credentials::Fixed(Some(header)));
        self
    }

    /// Asks for one token with these scopes for all operations, instead of one token per
    /// operation's scope. Needs at least one scope.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Sends requests with this HTTP client, for a private certificate authority, a client
    /// certificate, or a proxy.
    ///
    /// Its own settings apply: `connect_timeout` and `user_agent` have no effect, it may send a POST on a
    /// kept connection, and all runtimes share its connections. A request hangs on a connection that an
    /// idle runtime has opened; [`http_client_from`](Self::http_client_from) makes a client for each
    /// runtime. Two lines keep the token where it belongs:
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
    /// Without the first line, it follows redirects, and their answers are an error. Without the
    /// second, it uses the proxies of the environment. They tunnel https, but a service on loopback
    /// is called over http, so `HTTP_PROXY` would see the token unencrypted. The default HTTP client
    /// uses no proxy for loopback. [`crate::reqwest`] is the version that this method takes.
    pub fn http_client(self, http: reqwest::Client) -> Self {
        self.http_service(http)
    }

    /// Sends requests with an HTTP client that this function makes: when the client is built, for each
    /// further runtime, and again after each [`connection_lifetime`](Self::connection_lifetime), so
    /// that a renewed client certificate is used. For the rest it is as with
    /// [`http_client`](Self::http_client). If the function fails later, the old HTTP client stays in use,
    /// and the function is called again a second later.
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

    /// How long an HTTP client and its connections are used before they are replaced, so that a new
    /// address of the service or a new certificate authority is picked up. Requests under way end on
    /// the old connections. No limit by default. Has no effect on [`http_client`](Self::http_client)
    /// and [`http_service`](Self::http_service).
    pub fn connection_lifetime(mut self, lifetime: Duration) -> Self {
        self.http.lifetime = Some(lifetime);
        self
    }

    /// Sends requests through this [`tower_service::Service`] instead of an HTTP client. Use it for
    /// `tower-http` layers, to sign each request, to record traffic, or for a service in memory.
    ///
    /// The client calls it once per attempt, after `poll_ready` and within `attempt_timeout`. The
    /// request carries the token. An error of the service becomes a `Transport` error that keeps
    /// it as the cause. The client can't know whether the request was sent, so it doesn't send a
    /// POST again, unless `poll_ready` failed: then nothing was sent. A `reqwest::Client` is taken as
    /// by [`http_client`](Self::http_client). If both are set, the last one wins.
    ///
    /// An answer must come from the requested origin. Its path and query may differ, because a layer may
    /// sign them. An answer that was made from an `http::Response`, as `tower-http`'s layers make it,
    /// has lost its address and is accepted: build an HTTP client behind such a layer with
    /// `redirect::Policy::none()`, or an answer to which it was redirected counts as the service's.
    pub fn http_service<S>(mut self, service: S) -> Self
    where
        S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        self.http.set(HttpService::new(service));
        self
    }

    /// Puts a layer of [tower] around whatever sends the requests. The layers of `tower-http` fit as they
    /// are:
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
    /// A layer sees each attempt, with its token; requests for tokens don't pass it. For its errors,
    /// `poll_ready` and deadlines, it is as with [`http_service`](Self::http_service). Below it, the HTTP
    /// client is as safe as without: it follows no redirect, sends a POST on a new connection, and accepts
    /// answers of the base URL's origin only. A layer may change the path and the query, to sign them. A
    /// request that it addresses to another origin isn't sent.
    ///
    /// A second layer is put around the first. [`build`](Self::build) makes the layers, so it needs a
    /// runtime if one of them does, as `buffer` does here.
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

    /// How long connecting may take, at most 90 % of the builder's `attempt_timeout`. 5 s by default.
    /// If [`CallOptions`](crate::CallOptions) or a deadline end an attempt earlier, a GET without a
    /// connection fails with [`Timeout`](crate::ErrorKind::Timeout).
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long one attempt may take, up to the last byte of its answer. 15 s by default.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.attempt_timeout(timeout);
        self
    }

    /// How long a call may take, with all its attempts and waits. In a listing, each page is a
    /// call. 60 s by default.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.call_timeout(timeout);
        self
    }

    /// Which failures the client retries, and when. [`Retry::default`] makes three attempts.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.options = self.options.retry(retry);
        self
    }

    /// Limits an operation to this many requests per second, evenly spaced, over this client and
    /// all its clones. Waiting calls take their turns in no particular order. A call whose turn
    /// comes after its `call_timeout` fails with `Timeout` and isn't sent. The rate must be positive
    /// and at most 10⁹. No limit by default.
    pub fn rate_limit(mut self, operation: Operation, per_second: f64) -> Self {
        self.rates.push((operation, per_second));
        self
    }

    /// The largest answer that the client reads, in bytes after decompression. 64 MiB by default.
    /// A decoded answer can take several times as much memory.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.options = self.options.max_response_bytes(bytes);
        self
    }

    /// The `User-Agent` of every request to the service. By default, the name of the client's
    /// package and its version; requests to the token endpoint always use that.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Builds the client. It needs no runtime and sends nothing. With rustls, clients that are built
    /// within a second of each other read the certificate store once.
    ///
    /// Several runtimes can use the client, also one after the other: each opens connections of its own.
    /// The client keeps those of 128 runtimes. If more of them take turns, some open new ones.
    /// A request under way needs the runtime that began it, so a call or a stream that is moved
    /// to another runtime waits for the first one, or fails if that has ended. Its next request is
    /// the new runtime's.
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
            // Shorter than an attempt, or a failure to connect would look like a missing answer.
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
