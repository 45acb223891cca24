//! The client credentials grant of OAuth 2.0, which fetches tokens from a token endpoint.

mod http;
#[cfg(feature = "private-key-jwt")]
mod key;
mod request;

use std::{
    fmt,
    future::ready,
    sync::{Arc, OnceLock},
};

use reqwest::StatusCode;

use crate::{
    AccessToken, BoxFuture, Error, Retry, TokenSource,
    auth::{
        client_authentication::{AuthStyle, ClientAuthentication},
        throttle::{MAX_WAIT, Throttle},
    },
    transport::{HttpService, HttpSource},
};

/// The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).
///
/// Token requests are sent only over https or to a loopback address. Redirects aren't followed,
/// because a redirect would send the secret to another server. By default, each request uses a new
/// connection. A request may take up to 15 s. All requests for one token may take up to 30 s in
/// total.
///
/// - The request is retried up to twice if the connection breaks, if the request times out, if the
///   response is truncated, or if the status is 408, 429 or 5xx.
/// - If the endpoint returns `invalid_client`, and the secret has been rotated in the meantime, the
///   request is retried once with the new secret.
/// - If the endpoint returns any other error, the request isn't retried.
/// - If the endpoint returns 429, the rate of token requests, for all scopes together, is limited
///   for about a minute. The interval between two requests is one second, or longer if
///   `Retry-After` says so.
///
/// | the client authenticates with | constructor and settings |
/// |---|---|
/// | a secret in the form (`client_secret_post`) | [`new`](Self::new) |
/// | a secret in the header (`client_secret_basic`) | [`new`](Self::new) and [`auth_style`](Self::auth_style)`(AuthStyle::Basic)` |
/// | a secret that rotates | [`with_secret_provider`](Self::with_secret_provider), or [`new`](Self::new) and [`secret_from`](Self::secret_from) |
/// | a key (`private_key_jwt`) | `private_key_jwt`, with the feature `private-key-jwt` |
/// | a key that rotates | `with_signer_provider`, with the feature `private-key-jwt` |
/// | a certificate (`tls_client_auth`, `self_signed_tls_client_auth`) | [`with_certificate`](Self::with_certificate), and an [`http_client`](Self::http_client) that has the certificate |
/// | a certificate that is renewed | [`with_certificate`](Self::with_certificate), [`http_client_from`](Self::http_client_from) and [`connection_lifetime`](Self::connection_lifetime) |
///
/// Tested with oidc-provider, rustls and OpenSSL. `Debug` doesn't print the secret:
///
/// ```
/// # use oas_client::ClientCredentials;
/// let credentials =
///     ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "sesame");
///
/// assert!(!format!("{credentials:?}").contains("sesame"));
/// ```
///
/// With a private certificate authority and a client certificate:
///
/// ```no_run
/// # use oas_client::{ClientCredentials, reqwest};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let authority = reqwest::Certificate::from_pem(&std::fs::read("ca.pem")?)?;
/// // The file contains both the certificate and its private key.
/// let identity = reqwest::Identity::from_pem(&std::fs::read("client.pem")?)?;
/// let http = reqwest::Client::builder()
///     .redirect(reqwest::redirect::Policy::none())
///     .tls_certs_only([authority])
///     .identity(identity)
///     .build()?;
/// let credentials =
///     ClientCredentials::with_certificate("https://auth.example.com/oauth2/token", "backoffice")
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
    /// The audience of assertions, if it isn't the token URL.
    audience: Option<String>,
    http_source: HttpSource,
    /// The `User-Agent` of the client that uses the credentials.
    user_agent: OnceLock<&'static str>,
    /// The HTTP client or service, created before the first request.
    http: OnceLock<HttpService>,
    throttle: Arc<Throttle>,
}

impl ClientCredentials {
    /// Creates credentials for a token endpoint. The identifier and the secret are sent in the form
    /// body. An empty secret is omitted.
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
            audience: None,
            http_source: HttpSource::default(),
            user_agent: OnceLock::new(),
            http: OnceLock::new(),
            throttle: Arc::default(),
        }
    }

    /// Creates credentials for a client that authenticates with a certificate instead of a secret
    /// (RFC 8705). Set the certificate on the HTTP client: see [`http_client`](Self::http_client)
    /// and [`http_client_from`](Self::http_client_from).
    pub fn with_certificate(token_url: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self::new(token_url, client_id, "")
    }

    /// Creates credentials for a client whose secret rotates. The function `secret` is called
    /// before each token request, and returns the current secret. See
    /// [`secret_provider`](Self::secret_provider).
    ///
    /// ```
    /// # use oas_client::{ClientCredentials, Error};
    /// let token_url = "https://auth.example.com/oauth2/token";
    /// let credentials = ClientCredentials::with_secret_provider(token_url, "backoffice", || {
    ///     Box::pin(async {
    ///         let secret = std::fs::read_to_string("/run/secrets/client");
    ///         Ok(secret.map_err(Error::token_from)?.trim_end().to_owned())
    ///     })
    /// });
    /// ```
    pub fn with_secret_provider<F>(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        secret: F,
    ) -> Self
    where
        F: Fn() -> BoxFuture<'static, Result<String, Error>> + Send + Sync + 'static,
    {
        Self::new(token_url, client_id, "").secret_provider(secret)
    }

    /// Sets how the identifier and the secret are sent. The default is [`AuthStyle::Body`].
    #[must_use]
    pub fn auth_style(mut self, style: AuthStyle) -> Self {
        self.style = style;
        self
    }

    /// Sets a function that returns the current secret. The function is called before each token
    /// request, so that a rotated secret is used without a restart.
    ///
    /// `secret` can't fail and must return quickly, so use this method for a secret in memory. For
    /// any other secret, use [`secret_provider`](Self::secret_provider).
    ///
    /// ```
    /// # use oas_client::ClientCredentials;
    /// # let current = std::sync::Arc::new(std::sync::RwLock::new("sesame".to_owned()));
    /// let credentials =
    ///     ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "sesame")
    ///         .secret_from(move || current.read().map(|secret| secret.clone()).unwrap_or_default());
    /// ```
    #[must_use]
    pub fn secret_from(self, secret: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.secret_provider(move || Box::pin(ready(Ok(secret()))))
    }

    /// Sets an async function that returns the current secret. The function is called before each
    /// token request, so that a rotated secret is used without a restart. After an `invalid_client`
    /// error, the function is called once more.
    ///
    /// Replaces the secret that was passed to [`new`](Self::new). If you don't have an initial
    /// secret to pass, use [`with_secret_provider`](Self::with_secret_provider) instead.
    ///
    /// If `secret` fails, no request is sent, and the calls that wait for the token fail with the
    /// error from `secret`. If that error isn't of kind `Token`, it becomes the source of a `Token`
    /// error. An empty secret is treated as a failure. The call to `secret` and the token request
    /// may take up to 30 s in total.
    #[must_use]
    pub fn secret_provider<F>(mut self, secret: F) -> Self
    where
        F: Fn() -> BoxFuture<'static, Result<String, Error>> + Send + Sync + 'static,
    {
        self.authentication = ClientAuthentication::SecretProvider(Arc::new(secret));
        self
    }

    async fn fetch(&self, scopes: &[&str]) -> Result<AccessToken, Error> {
        let audience = self.audience.as_deref().unwrap_or(&self.token_url);
        let mut waits = Retry::default().schedule();
        let (mut rotated, mut was_rotated) = (None, false);
        loop {
            self.throttle.turn().await?;
            let credential = match rotated.take() {
                Some(credential) => credential,
                None => self.authentication.credential(&self.client_id, audience).await?,
            };
            let error = match self.ask(scopes, &credential).await {
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
                self.throttle.limit(&error);
            }
            let Some(wait) = waits.next().filter(|_| error.is_transient()) else {
                return Err(error);
            };
            let wait = wait.max(error.retry_after().unwrap_or_default());
            if wait > MAX_WAIT {
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

    fn identify(&self, user_agent: &'static str) {
        // Only the first client that uses the credentials sets the `User-Agent`.
        let _ = self.user_agent.set(user_agent);
    }

    fn check(&self) -> Result<(), Error> {
        self.http().map(drop)
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials").field("style", &self.style).finish_non_exhaustive()
    }
}
