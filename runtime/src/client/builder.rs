//! The client builder, which holds the settings for a client.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use reqwest::{
    Body, Request, Response, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};
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

/// Builds a [`Client`] from its settings. All settings except the credentials have a default.
///
/// Without credentials, calls that need an access token fail. To add credentials later, use
/// [`Client::with_credentials`].
///
/// The service in this example delivers parcels:
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
    /// The API keys, by header.
    api_keys: Result<HeaderMap, Error>,
    http: HttpSource,
    layers: Vec<Box<AddLayer>>,
    connect_timeout: Duration,
    rates: Vec<(Vec<Operation>, f64)>,
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
            api_keys: Ok(HeaderMap::new()),
            http: HttpSource::default(),
            layers: Vec::new(),
            connect_timeout: Duration::from_secs(5),
            rates: Vec::new(),
            user_agent: service.user_agent.to_owned(),
            options: CallOptions::new(),
            builds: PhantomData,
        }
    }

    /// Sets the source of access tokens: [`ClientCredentials`](crate::ClientCredentials), or your
    /// own [`TokenSource`].
    pub fn credentials(mut self, source: impl TokenSource + 'static) -> Self {
        self.credentials = Ok(Credentials::Source(Arc::new(source)));
        self
    }

    /// Sets a fixed access token, which you have obtained elsewhere. The client can't renew this
    /// token, so it doesn't retry a call that gets a 401.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        let header = bearer(&token.into()).ok_or_else(|| {
            Error::configuration(
                "the bearer token is empty or contains a character that a header can't contain",
            )
        });
        self.credentials = header.map(|header| Credentials::Fixed(Some(header)));
        self
    }

    /// Uses one access token with these scopes for all operations, instead of a separate token for
    /// the scopes of each operation. At least one scope is required.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the API key that is sent in a header. Only operations send it whose OpenAPI description
    /// requires an API key in that header.
    ///
    /// The key is treated as a secret: neither `Debug` nor an event contains it. To use another key
    /// for some calls, set the same header with
    /// [`CallOptions::header`](crate::CallOptions::header).
    /// [`Client::with_credentials`](crate::Client::with_credentials) keeps the key.
    ///
    /// [`build`](Self::build) returns an error if the header or the key contains a character that
    /// isn't allowed in a header, or if no operation requires an API key in this header.
    pub fn api_key(mut self, header: impl Into<String>, key: impl Into<String>) -> Self {
        match (&mut self.api_keys, api_key(self.service, &header.into(), key.into())) {
            (Ok(keys), Ok((header, key))) => _ = keys.insert(header, key),
            (Ok(_), Err(error)) => self.api_keys = Err(error),
            (Err(_), _) => {}
        }
        self
    }

    /// Sends requests with this HTTP client instead of the default one, for example to use a
    /// private certificate authority, a client certificate or a proxy.
    ///
    /// The HTTP client's own settings apply, so `connect_timeout` and `user_agent` have no effect.
    /// Unlike the default HTTP client, this one may send a POST on a connection that was kept open.
    ///
    /// All runtimes share the HTTP client's connections. While the runtime that opened a connection
    /// isn't running, requests from other runtimes on that connection hang. To avoid this, use
    /// [`http_client_from`](Self::http_client_from), which creates one HTTP client per runtime.
    ///
    /// Two settings of the HTTP client prevent it from sending the access token to other servers:
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
    /// Without the first setting, the HTTP client follows redirects. If a redirect leads to another
    /// origin, the call returns an error, but only after the redirected request was sent.
    /// If the call has an API key, the redirected request contains it.
    ///
    /// Without the second setting, the HTTP client uses the proxies from the environment variables.
    /// HTTPS is tunneled through such a proxy, but a service on loopback may be called over HTTP.
    /// The proxy from `HTTP_PROXY` would then see the token unencrypted. The default HTTP client
    /// uses no proxy for loopback.
    ///
    /// The HTTP client must come from the version of reqwest that is re-exported as
    /// [`crate::reqwest`].
    pub fn http_client(self, http: reqwest::Client) -> Self {
        self.http_service(http)
    }

    /// Like [`http_client`](Self::http_client), but `make` creates the HTTP client.
    ///
    /// `make` is called when the client is built, and once for each additional runtime. It is
    /// called again whenever the [`connection_lifetime`](Self::connection_lifetime) has passed, for
    /// example to load a renewed client certificate. If `make` fails after the client was built,
    /// the client keeps using an old HTTP client, and calls `make` again a second later.
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

    /// Sets how long an HTTP client and its connections are used before they are replaced. A new
    /// HTTP client uses the service's current address and the current certificate authorities.
    ///
    /// Requests in progress finish on the old connections. By default, there is no limit. The
    /// lifetime has no effect on [`http_client`](Self::http_client) and
    /// [`http_service`](Self::http_service).
    pub fn connection_lifetime(mut self, lifetime: Duration) -> Self {
        self.http.lifetime = Some(lifetime);
        self
    }

    /// Sends requests through this [`tower_service::Service`] instead of an HTTP client, for
    /// example to sign requests, to record traffic, or to test with an in-memory service.
    ///
    /// For each attempt, the client waits for `poll_ready` and calls the service once, within
    /// `attempt_timeout`. The request contains the access token.
    ///
    /// - If the service returns an error, the call fails with a `Transport` error whose source is
    ///   the service's error. The client can't know whether the request was sent, so it doesn't
    ///   retry a POST.
    /// - If `poll_ready` returns an error, the call fails in the same way, but it is certain that
    ///   the request wasn't sent.
    /// - If the service is a `reqwest::Client`, this method does the same as
    ///   [`http_client`](Self::http_client).
    /// - If this method and `http_client` are both called, the last call applies.
    ///
    /// A response must come from the requested origin. The path and query of its URL may differ
    /// from the request's, because a layer may add a signature to them.
    ///
    /// If a response was converted from an `http::Response`, as in `tower-http` layers, it has no
    /// URL. The client can't check the origin of such a response, so it accepts the response. If
    /// you wrap an HTTP client in such a layer, build the HTTP client with
    /// `redirect::Policy::none()`. Otherwise, the response from a redirect's target is accepted
    /// too.
    pub fn http_service<S>(mut self, service: S) -> Self
    where
        S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        self.http.set(HttpService::new(service));
        self
    }

    /// Wraps the HTTP client or service in a [tower] layer, such as a layer from `tower-http`:
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
    /// A layer sees the request of each attempt, including the access token. It doesn't see token
    /// requests. Errors, `poll_ready` and deadlines are handled as in
    /// [`http_service`](Self::http_service).
    ///
    /// Inside a layer, the default HTTP client keeps its protections: it follows no redirects,
    /// sends a POST on a new connection, and accepts only responses from the base URL's origin. A
    /// layer may change a request's path and query, for example to sign the request. If a layer
    /// changes a request's origin, the request isn't sent.
    ///
    /// All clones of the client share the layers, and so do the clients from
    /// [`with_options`](Client::with_options) and [`with_credentials`](Client::with_credentials). So
    /// the limit in this example is one limit for all operations and all tenants.
    ///
    /// If this method is called again, the new layer wraps the previous layers.
    /// [`build`](Self::build) creates the layers. So if a layer needs a runtime, like `buffer` in
    /// this example, call `build` within a runtime.
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

    /// Sets the time limit for connecting. The default is 5 s. The limit is never more than 90 % of
    /// the builder's `attempt_timeout`.
    ///
    /// If a timeout from [`CallOptions`](crate::CallOptions) or the call's deadline ends an attempt
    /// before this limit, a GET that has no connection yet fails with
    /// [`Timeout`](crate::ErrorKind::Timeout) instead of [`Connect`](crate::ErrorKind::Connect).
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the time limit of one attempt, including the whole response. The default is 15 s.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.attempt_timeout(timeout);
        self
    }

    /// Sets the time limit of a call, including all its attempts and waits. The default is 60 s. In
    /// a listing, each page is a separate call.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.options = self.options.call_timeout(timeout);
        self
    }

    /// Sets the number of retries, and the waits between attempts. The default is
    /// [`Retry::default`], with three attempts.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.options = self.options.retry(retry);
        self
    }

    /// Limits an operation to this many requests per second, evenly spaced. By default, there is no
    /// limit.
    ///
    /// All clones of the client share the limit, and so do the clients from
    /// [`with_options`](Client::with_options). A client from
    /// [`with_credentials`](Client::with_credentials), which calls the service for another tenant,
    /// has a limit of its own.
    ///
    /// The rate must be positive and at most 10⁹. Waiting calls take their turns in no particular
    /// order. If a call's turn would come after its `call_timeout`, the call fails with `Timeout`,
    /// and its request isn't sent.
    pub fn rate_limit(self, operation: Operation, per_second: f64) -> Self {
        self.shared_rate_limit([operation], per_second)
    }

    /// Like [`rate_limit`](Self::rate_limit), but limits all requests of these operations together.
    ///
    /// If an operation is limited several times, the last call of the two methods applies to it.
    ///
    /// ```
    /// # use second::{Client, operation};
    /// let client = Client::builder("https://api.example.com")
    ///     .bearer_token("token")
    ///     .shared_rate_limit(operation::ALL.iter().copied(), 10.0)
    ///     .build()?;
    /// # Ok::<(), oas_client::Error>(())
    /// ```
    pub fn shared_rate_limit(
        mut self,
        operations: impl IntoIterator<Item = Operation>,
        per_second: f64,
    ) -> Self {
        self.rates.push((operations.into_iter().collect(), per_second));
        self
    }

    /// Sets the maximum size of a decompressed response body, in bytes. The default is 64 MiB. A
    /// decoded response can take several times as much memory as its body.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.options = self.options.max_response_bytes(bytes);
        self
    }

    /// Sets the `User-Agent` of every request to the service. The default is the name and version
    /// of the client's package. Token requests always use the default.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Builds the client. This sends no request, and doesn't need a runtime unless a layer needs
    /// one.
    ///
    /// With rustls, clients that are built within a second of each other read the certificate store
    /// only once.
    ///
    /// Several runtimes can use the client, at the same time or one after the other. Each runtime
    /// opens its own connections. The client keeps connections for at most 128 runtimes. If more
    /// runtimes use the client in turn, some of them have to open new connections.
    ///
    /// A request in progress depends on the runtime that started it. If a call or a stream is moved
    /// to another runtime, its current request waits until the first runtime continues, or fails if
    /// the first runtime was shut down. The next request uses the new runtime.
    ///
    /// # Errors
    ///
    /// `Configuration` if an address is neither https nor loopback, or if a setting is invalid.
    pub fn build(self) -> Result<C, Error> {
        let base = base_url(&self.base_url)?;
        if self.scopes.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::configuration("`scopes` is empty: name at least one scope"));
        }
        let credentials = self.credentials?;
        let api_keys = self.api_keys?;
        if let Credentials::Source(source) = &credentials {
            source.identify(self.service.user_agent);
            source.check().map_err(Error::into_configuration)?;
        }
        let http = if let Some(http) = self.http.resolve().transpose()? {
            HttpServices { kept: http.clone(), fresh: http }
        } else {
            // The connect timeout is kept shorter than the attempt timeout. Otherwise, a failure to
            // connect would look like a missing response.
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
            api_keys,
            clock: ServiceClock::default(),
            limits: Limits::new(self.rates)?,
            budget: Budget::default(),
        };
        let options = Arc::new(self.options);
        Ok(Client { sender: Sender { shared: Arc::new(shared), options } }.into())
    }
}

/// Parses the address to which the paths of the operations are appended.
pub(super) fn base_url(text: &str) -> Result<Origin, Error> {
    let base = Origin::parse("the base URL", text)?;
    match base.url.query() {
        None => Ok(base),
        Some(_) => Err(Error::configuration("the base URL contains a query")),
    }
}

/// Checks an API key and its header. The error doesn't contain the key.
fn api_key(
    service: &Described,
    header: &str,
    key: String,
) -> Result<(HeaderName, HeaderValue), Error> {
    let name = HeaderName::try_from(header).ok().filter(|name| {
        let keys = |operation: &Operation| operation.details.api_keys;
        service.operations.iter().flat_map(keys).any(|(known, _)| name == known)
    });
    let name = name.ok_or_else(|| {
        Error::configuration(format!("no operation requires an API key in the header `{header}`"))
    })?;
    let mut key = HeaderValue::try_from(key).map_err(|_| {
        let reason = "contains a character that isn't allowed in a header";
        Error::configuration(format!("the API key for the header `{header}` {reason}"))
    })?;
    key.set_sensitive(true);
    Ok((name, key))
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
