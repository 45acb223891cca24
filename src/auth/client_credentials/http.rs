//! How token requests reach their endpoint.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use reqwest::{Request, Response};
use tower_service::Service;

use super::ClientCredentials;
use crate::{
    Error,
    http::{BoxError, Connections, HttpService, Make, Origin, RenewingClient, USER_AGENT},
};

/// What sends the requests. Made before the first of them.
#[derive(Clone, Default)]
pub(super) struct Http {
    choice: Option<Choice>,
    lifetime: Option<Duration>,
    service: OnceLock<HttpService>,
}

#[derive(Clone)]
enum Choice {
    Service(HttpService),
    From(Arc<Make>),
}

/// A working token endpoint answers within seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

impl ClientCredentials {
    /// Sends token requests with this HTTP client. Use it for a private certificate authority, a
    /// proxy, or a client certificate. Replaces an earlier `http_client`, `http_client_from` or
    /// `http_service`.
    ///
    /// It has its own connect timeout, user agent and proxies. Build it with
    /// `redirect::Policy::none()`: a redirect takes the secret along, and then fails the request.
    /// For a token endpoint on loopback, build it with `no_proxy()`: a proxy from the environment
    /// would see the secret unencrypted. Build it with `pool_max_idle_per_host(0)`, as the default
    /// one is: a kept connection may have frozen, and would hold up all requests on it.
    #[must_use]
    pub fn http_client(self, client: reqwest::Client) -> Self {
        self.sending(Choice::Service(HttpService::Reqwest(client)))
    }

    /// Sends token requests with an HTTP client that this function makes, when the first of them is
    /// needed and again after each [`connection_lifetime`](Self::connection_lifetime). Use it where
    /// the certificates of [`http_client`](Self::http_client) are renewed. Replaces an earlier
    /// `http_client`, `http_client_from` or `http_service`.
    ///
    /// If the function fails when the client is built, the build fails with `Configuration`. Later, the
    /// old HTTP client goes on, and the function is called again after a second.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use digital_assets::{ClientCredentials, reqwest};
    ///
    /// let credentials = ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "")
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
        self.sending(Choice::From(Arc::new(make)))
    }

    /// How long an HTTP client is used before it is replaced by a fresh one, with the certificates of
    /// that time. Requests under way end on the old one. No limit by default. Has no effect on
    /// [`http_client`](Self::http_client) and [`http_service`](Self::http_service).
    ///
    /// The default HTTP client resolves the endpoint's name for each request anyway, because it keeps
    /// no connection.
    #[must_use]
    pub fn connection_lifetime(mut self, lifetime: Duration) -> Self {
        self.http = Http { choice: self.http.choice, lifetime: Some(lifetime), ..Http::default() };
        self
    }

    /// Sends token requests through a tower service, which sees the secret of each request.
    /// Replaces an earlier `http_client`, `http_client_from` or `http_service`.
    ///
    /// The crate still sets the address, the retries and the deadline of 15 s per request, which
    /// includes `poll_ready`. An error of the service becomes an [`Error`] of kind `Token` that
    /// keeps it as its source. The crate retries it like a broken connection.
    #[must_use]
    pub fn http_service<S>(self, service: S) -> Self
    where
        S: Service<Request, Response = Response> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
    {
        self.sending(Choice::Service(HttpService::new(service)))
    }

    fn sending(mut self, choice: Choice) -> Self {
        self.http = Http { choice: Some(choice), lifetime: self.http.lifetime, ..Http::default() };
        self
    }

    pub(super) fn origin(&self) -> Result<Origin, Error> {
        Origin::parse("the token URL", &self.token_url)
    }

    pub(super) fn http(&self) -> Result<&HttpService, Error> {
        let Http { choice, lifetime, service } = &self.http;
        if let Some(service) = service.get() {
            return Ok(service);
        }
        let make = match choice {
            Some(Choice::Service(chosen)) => return Ok(service.get_or_init(|| chosen.clone())),
            Some(Choice::From(make)) => Arc::clone(make),
            None => {
                let origin = self.origin()?;
                // Token requests are too rare to keep a connection for, and a kept one may be frozen,
                // or belong to a runtime that nobody drives.
                let make = move || {
                    Ok(origin.http_client(CONNECT_TIMEOUT, USER_AGENT, Connections::Fresh)?)
                };
                Arc::new(make)
            }
        };
        let made = HttpService::Renewing(Arc::new(RenewingClient::new(make, *lifetime)?));
        Ok(service.get_or_init(|| made))
    }
}
