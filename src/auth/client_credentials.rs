//! OAuth 2.0 client credentials for a token endpoint.

use std::{
    fmt,
    future::ready,
    sync::{Arc, OnceLock},
    time::Duration,
};

use reqwest::{Request, Response, StatusCode};
use tower_service::Service;

#[cfg(feature = "private-key-jwt")]
use crate::Signer;
use crate::{
    AccessToken, BoxFuture, Error, Retry, TokenSource,
    auth::{
        client_authentication::{AuthStyle, ClientAuthentication},
        pace::{LONGEST_WAIT, Pace},
        request::{ask, request},
    },
    http::{Connections, HttpService, Origin, USER_AGENT},
};

/// The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).
///
/// Token requests go only over https or to loopback. The client doesn't follow redirects, which would
/// take the secret elsewhere. Each request has a connection of its own. The client makes up to three
/// attempts on broken connections, answers that are cut off, 408, 429 and 5xx; any other error is
/// final. After a 429, it sends the requests for all scopes one at a time, one
/// second apart or as the endpoint asks.
///
/// | the client authenticates with | how |
/// |---|---|
/// | a secret in the form (`client_secret_post`) | [`new`](Self::new) |
/// | a secret in the header (`client_secret_basic`) | [`new`](Self::new) and [`auth_style`](Self::auth_style)`(AuthStyle::Basic)` |
/// | a rotated secret | either of these, with [`secret_provider`](Self::secret_provider) or [`secret_from`](Self::secret_from) |
/// | a key (`private_key_jwt`) | `private_key_jwt`, with the feature `private-key-jwt` |
/// | a certificate (`tls_client_auth`, `self_signed_tls_client_auth`) | [`new`](Self::new) with an empty secret, and an [`http_client`](Self::http_client) that has the certificate |
///
/// Tested with oidc-provider, rustls and OpenSSL. `Debug` shows no secret:
///
/// ```
/// use digital_assets::ClientCredentials;
///
/// let credentials =
///     ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "sesame");
///
/// assert!(!format!("{credentials:?}").contains("sesame"));
/// ```
///
/// With a private certificate authority and a client certificate:
///
/// ```no_run
/// use digital_assets::{ClientCredentials, reqwest};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let authority = reqwest::Certificate::from_pem(&std::fs::read("ca.pem")?)?;
/// // The certificate and its private key, one after the other.
/// let identity = reqwest::Identity::from_pem(&std::fs::read("client.pem")?)?;
/// let http = reqwest::Client::builder()
///     .redirect(reqwest::redirect::Policy::none())
///     .tls_certs_only([authority])
///     .identity(identity)
///     .build()?;
/// let credentials =
///     ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "")
///         .http_client(http);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ClientCredentials {
    token_url: String,
    client_id: String,
    authentication: ClientAuthentication,
    style: AuthStyle,
    http: OnceLock<HttpService>,
    pace: Arc<Pace>,
}

/// A working token endpoint answers within seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

impl ClientCredentials {
    /// Credentials for a token endpoint, sent in the form body. An empty secret is left out.
    pub fn new(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        Self {
            token_url: token_url.into(),
            client_id: client_id.into(),
            authentication: ClientAuthentication::Secret(client_secret.into().into()),
            style: AuthStyle::default(),
            http: OnceLock::new(),
            pace: Arc::default(),
        }
    }

    /// Creates credentials of a client that authenticates with a key (RFC 7523). Instead of a
    /// secret, each token request carries a newly signed assertion, valid for five minutes.
    #[cfg(feature = "private-key-jwt")]
    pub fn private_key_jwt(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        signer: impl Signer + 'static,
    ) -> Self {
        let (token_url, client_id) = (token_url.into(), client_id.into());
        let authentication = ClientAuthentication::Key {
            signer: Arc::new(signer),
            client_id: client_id.clone(),
            audience: token_url.clone(),
        };
        Self { authentication, ..Self::new(token_url, client_id, "") }
    }

    /// Sets the audience (`aud`) of assertions, if the authorization server expects its issuer
    /// identifier there. The token URL by default. Has no effect on a client with a secret.
    #[cfg(feature = "private-key-jwt")]
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        if let ClientAuthentication::Key { audience: of, .. } = &mut self.authentication {
            *of = audience.into();
        }
        self
    }

    /// Sets how the identifier and the secret are sent. [`AuthStyle::Body`] unless set.
    #[must_use]
    pub fn auth_style(mut self, style: AuthStyle) -> Self {
        self.style = style;
        self
    }

    /// Calls this function for the secret before each token request, so that a rotated secret is
    /// used without a restart. Like [`secret_provider`](Self::secret_provider), for a secret that is in
    /// memory: the function can't fail, and must return quickly.
    ///
    /// ```
    /// # use digital_assets::ClientCredentials;
    /// # let current = std::sync::Arc::new(std::sync::RwLock::new("sesame".to_owned()));
    /// let credentials =
    ///     ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "")
    ///         .secret_from(move || current.read().map(|secret| secret.clone()).unwrap_or_default());
    /// ```
    #[must_use]
    pub fn secret_from(self, secret: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.secret_provider(move || Box::pin(ready(Ok(secret()))))
    }

    /// Calls this function for the secret before each token request, and once more after an
    /// `invalid_client`, so that a rotated secret is used without a restart. Replaces the secret that
    /// was passed to [`new`](Self::new).
    ///
    /// If the function fails, nothing is sent, and the calls that wait for the token fail with an
    /// [`Error`] of kind `Token`: its own, or one that has it as its source. An empty secret is such an
    /// error too. The function has 30 s, together with the request.
    ///
    /// ```
    /// use digital_assets::{ClientCredentials, Error};
    ///
    /// let credentials =
    ///     ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "")
    ///         .secret_provider(|| {
    ///             Box::pin(async {
    ///                 let secret = std::fs::read_to_string("/run/secrets/client");
    ///                 Ok(secret.map_err(Error::token_from)?.trim_end().to_owned())
    ///             })
    ///         });
    /// ```
    #[must_use]
    pub fn secret_provider<F>(mut self, secret: F) -> Self
    where
        F: Fn() -> BoxFuture<'static, Result<String, Error>> + Send + Sync + 'static,
    {
        self.authentication = ClientAuthentication::SecretProvider(Arc::new(secret));
        self
    }

    /// Sends token requests with this HTTP client. Use it for a private certificate authority, a
    /// proxy, or a client certificate. Replaces an earlier `http_client` or `http_service`.
    ///
    /// It has its own connect timeout, user agent and proxies. Build it with
    /// `redirect::Policy::none()`: a redirect takes the secret along, and then fails the request.
    /// For a token endpoint on loopback, build it with `no_proxy()`: a proxy from the environment
    /// would see the secret unencrypted.
    #[must_use]
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = HttpService::Reqwest(client).into();
        self
    }

    /// Sends token requests through a tower service, which sees the secret of each request.
    /// Replaces an earlier `http_client` or `http_service`.
    ///
    /// The crate still sets the address, the retries and the deadline of 15 s per request, which
    /// includes `poll_ready`. An error of the service becomes an [`Error`] of kind `Token` that
    /// keeps it as its source. The crate retries it like a broken connection.
    #[must_use]
    pub fn http_service<S>(mut self, service: S) -> Self
    where
        S: Service<Request, Response = Response> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.http = HttpService::new(service).into();
        self
    }

    fn origin(&self) -> Result<Origin, Error> {
        Origin::parse("the token URL", &self.token_url)
    }

    fn http(&self, origin: &Origin) -> Result<&HttpService, Error> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        // Token requests are too rare to keep a connection for, and a kept one may be frozen, or
        // belong to a runtime that nobody drives.
        let fresh = Connections::Fresh;
        let http = HttpService::Reqwest(origin.http_client(CONNECT_TIMEOUT, USER_AGENT, fresh)?);
        Ok(self.http.get_or_init(|| http))
    }

    async fn fetch(&self, scopes: &[&str]) -> Result<AccessToken, Error> {
        let mut waits = Retry::default().schedule();
        let (mut rotated, mut was_rotated) = (None, false);
        loop {
            self.pace.turn().await?;
            let credential = match rotated.take() {
                Some(credential) => credential,
                None => self.authentication.credential().await?,
            };
            let origin = self.origin()?;
            let request =
                request(origin.url.clone(), &self.client_id, self.style, scopes, &credential);
            let error = match ask(self.http(&origin)?, request).await {
                Ok(token) => return Ok(token),
                Err(error) => error,
            };
            if error.oauth_error() == Some("invalid_client") && !was_rotated {
                // The secret may have been rotated after it was read.
                rotated = self.authentication.rotated(&credential).await;
                was_rotated = rotated.is_some();
                if was_rotated {
                    continue;
                }
            }
            if error.status() == Some(StatusCode::TOO_MANY_REQUESTS) {
                self.pace.throttle(&error);
            }
            let Some(wait) = waits.next().filter(|_| error.is_transient()) else {
                return Err(error);
            };
            let wait = error.retry_after().unwrap_or(wait);
            if wait > LONGEST_WAIT {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
        }
    }
}

impl TokenSource for ClientCredentials {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(self.fetch(scopes))
    }

    fn check(&self) -> Result<(), Error> {
        self.http(&self.origin()?).map(drop)
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials").field("style", &self.style).finish_non_exhaustive()
    }
}
