//! The HTTP client or service that sends token requests.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use reqwest::{Request, Response};
use tower_service::Service;

use super::ClientCredentials;
use crate::{
    Error,
    error::BoxError,
    transport::{Connections, HttpService, HttpSource, Origin, Tls},
};

/// The `User-Agent` of token requests if the credentials are used without a client.
const USER_AGENT: &str = concat!("oas-client/", env!("CARGO_PKG_VERSION"));

/// The time limit for connecting. A working token endpoint responds within seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

impl ClientCredentials {
    /// Sets the HTTP client for token requests, for example because of a private certificate
    /// authority, a proxy or a client certificate. Replaces an earlier `http_client`,
    /// `http_client_from` or `http_service`.
    ///
    /// The connect timeout, the user agent and the proxies of `client` apply. Build `client` with
    /// these settings:
    ///
    /// - `redirect::Policy::none()`: a redirect would send the secret to another server, and the
    ///   crate would reject the response.
    /// - `pool_max_idle_per_host(0)`, as in the default HTTP client: a connection that is kept open
    ///   may stall, which delays all requests on it.
    /// - `no_proxy()`, if the token endpoint has a loopback address: a proxy from the environment
    ///   would see the secret unencrypted.
    #[must_use]
    pub fn http_client(self, client: reqwest::Client) -> Self {
        self.http_service(client)
    }

    /// Sets a function that creates the HTTP clients for token requests. Use this method instead of
    /// [`http_client`](Self::http_client) if the certificates are renewed while the program runs.
    ///
    /// `make` is called when the API client is built, once per additional Tokio runtime, and again
    /// after each [`connection_lifetime`](Self::connection_lifetime). If `make` fails when the API
    /// client is built, `build` returns `Configuration`. If `make` fails later, an old HTTP client
    /// stays in use, and `make` is called again for a later request.
    ///
    /// Replaces an earlier `http_client`, `http_client_from` or `http_service`.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # use oas_client::{ClientCredentials, reqwest};
    /// let token_url = "https://auth.example.com/oauth2/token";
    /// let credentials = ClientCredentials::with_certificate(token_url, "backoffice")
    ///     .http_client_from(|| {
    ///         let identity = reqwest::Identity::from_pem(&std::fs::read("client.pem")?)?;
    ///         let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    ///         Ok(http.identity(identity).pool_max_idle_per_host(0).build()?)
    ///     })
    ///     .connection_lifetime(Duration::from_secs(600));
    /// ```
    #[must_use]
    pub fn http_client_from<F>(self, make: F) -> Self
    where
        F: Fn() -> Result<reqwest::Client, BoxError> + Send + Sync + 'static,
    {
        self.with_http(|source| source.set_maker(make))
    }

    /// Sets how long an HTTP client is used before it is replaced by a new one, with the current
    /// certificates. By default, an HTTP client is never replaced.
    ///
    /// Requests in progress finish on the old HTTP client. The lifetime has no effect on
    /// [`http_client`](Self::http_client) and [`http_service`](Self::http_service).
    ///
    /// The default HTTP client keeps no connections, so it resolves the token endpoint's host name
    /// for each request, whatever the lifetime.
    #[must_use]
    pub fn connection_lifetime(self, lifetime: Duration) -> Self {
        self.with_http(|source| source.lifetime = Some(lifetime))
    }

    /// Sets a tower service that sends the token requests. The service sees the secret in each
    /// request. Replaces an earlier `http_client`, `http_client_from` or `http_service`.
    ///
    /// The crate still sets the address, retries failed requests, and limits each request to 15 s,
    /// including `poll_ready`. An error from the service becomes the source of an [`Error`] of kind
    /// `Token`, and the request is retried as after a broken connection.
    #[must_use]
    pub fn http_service<S>(self, service: S) -> Self
    where
        S: Service<Request, Response = Response, Error: Into<BoxError>, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        self.with_http(|source| source.set(HttpService::new(service)))
    }

    fn with_http(mut self, set: impl FnOnce(&mut HttpSource)) -> Self {
        self.http = OnceLock::new();
        set(&mut self.http_source);
        self
    }

    pub(super) fn origin(&self) -> Result<Origin, Error> {
        Origin::parse("the token URL", &self.token_url)
    }

    pub(super) fn http(&self) -> Result<&HttpService, Error> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let origin = self.origin()?;
        let own = self.http_source.resolve().unwrap_or_else(|| {
            // No connections are kept, because token requests are rare, and because a kept
            // connection may have stalled.
            let fresh = Connections::Fresh;
            let user_agent = self.user_agent.get().copied().unwrap_or(USER_AGENT);
            let make = move |tls: &Tls, http1_only| {
                origin.http_client(tls, CONNECT_TIMEOUT, user_agent, fresh, http1_only)
            };
            self.http_source.renewing(Arc::new(make))
        })?;
        Ok(self.http.get_or_init(|| own))
    }
}
