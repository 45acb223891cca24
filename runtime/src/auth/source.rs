//! An access token, and the trait for sources of access tokens.

use std::{sync::Arc, time::Duration};

use secrecy::{ExposeSecret, SecretString};

use crate::{BoxFuture, Error};

/// A source of access tokens: [`ClientCredentials`](crate::ClientCredentials), or your own
/// implementation.
///
/// A source fetches a token when the client needs one. The source may retry failed requests, as
/// `ClientCredentials` does. The client does everything else: it caches the token, shares the token
/// among all calls that need the same scopes, and fetches a new token shortly before the old one
/// expires, or when the service returns 401.
///
/// How the client calls [`token`](TokenSource::token):
///
/// - All calls that wait for a token with the same scopes share one fetch.
/// - If a fetch takes longer than 30 s, it is abandoned. If a fetch panics, the waiting calls return
///   an [`Error`].
/// - After a failed fetch, the client pauses for a second before the next fetch. The pause doubles
///   with each consecutive failure, up to 30 s. Calls that need a token during the pause fail at
///   once, and [`Error::retry_after`] returns the remaining time.
/// - If the token endpoint rejects the request ([`Error::oauth_error`]), the pause is 5 s.
/// - If the token endpoint sends a `Retry-After` that is longer than the pause, the pause lasts as
///   long as `Retry-After` says, up to 5 minutes.
/// - If the last three fetches were all abandoned because no call waited for them any more, calls
///   that need a token during the pause don't fail at once. They wait until the pause ends, unless
///   they have too little time for the pause and the next fetch.
/// - A fetch is a task on the runtime of the call that started it. If no call waits for the fetch
///   any more, the task is aborted.
/// - If the runtime of a fetch shuts down, or if the fetch takes longer than 5 s, calls on other
///   runtimes start another fetch.
///
/// For example, a source that reads tokens from a vault:
///
/// ```
/// use std::time::Duration;
///
/// # use oas_client::{AccessToken, BoxFuture, Error, TokenSource};
/// # use second::Client;
/// # struct Vault;
/// # struct Lease { token: String, seconds: u64 }
/// # impl Vault {
/// #     async fn lease(&self, scope: &str) -> std::io::Result<Lease> {
/// #         Ok(Lease { token: scope.to_owned(), seconds: 60 })
/// #     }
/// # }
/// struct FromVault(Vault);
///
/// impl TokenSource for FromVault {
///     fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
///         Box::pin(async move {
///             let scope = scopes.join(" ");
///             let lease = self.0.lease(&scope).await.map_err(Error::token_from)?;
///             Ok(AccessToken::new(lease.token).expires_in(Duration::from_secs(lease.seconds)))
///         })
///     }
/// }
///
/// # fn main() -> Result<(), Error> {
/// let client =
///     Client::builder("https://api.example.com").credentials(FromVault(Vault)).build()?;
/// # Ok(())
/// # }
/// ```
pub trait TokenSource: Send + Sync {
    /// Fetches a token with all of these scopes.
    ///
    /// # Errors
    ///
    /// Create the error with [`Error::token`] or [`Error::token_from`]. All calls that wait for the
    /// token fail with this error. Calls during the pause after the failure fail as well. If the
    /// source isn't ready yet, mark the error with [`retryable`](Error::retryable). The calls then
    /// wait until the pause ends, and retry the fetch.
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>>;

    /// Tells the source the `User-Agent` of the client that uses the source. Called once, when the
    /// client is built.
    ///
    /// The default implementation does nothing. A source that wraps another source should pass the
    /// `User-Agent` on.
    fn identify(&self, user_agent: &'static str) {
        let _ = user_agent;
    }

    /// Checks the source's configuration. Called once, when the client is built. The default
    /// implementation returns `Ok`.
    ///
    /// # Errors
    ///
    /// Create the error with [`Error::token`], and name the invalid setting in its message. The
    /// client's builder returns it as an error of the kind
    /// [`Configuration`](crate::ErrorKind::Configuration).
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: TokenSource + ?Sized> TokenSource for Arc<T> {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        (**self).token(scopes)
    }

    fn identify(&self, user_agent: &'static str) {
        (**self).identify(user_agent);
    }

    fn check(&self) -> Result<(), Error> {
        (**self).check()
    }
}

impl<T: TokenSource + ?Sized> TokenSource for Box<T> {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        (**self).token(scopes)
    }

    fn identify(&self, user_agent: &'static str) {
        (**self).identify(user_agent);
    }

    fn check(&self) -> Result<(), Error> {
        (**self).check()
    }
}

/// An access token and its lifetime.
///
/// The client renews a token 5 minutes before the token expires, or when a quarter of its lifetime
/// is left, whichever is later. The client stops using a token 60 s before the token expires, or
/// when a tenth of its lifetime is left, whichever is later. `Debug` doesn't show the token:
///
/// ```
/// use std::time::Duration;
///
/// # use oas_client::AccessToken;
/// let token = AccessToken::new("open-sesame").expires_in(Duration::from_secs(3600));
///
/// assert!(!format!("{token:?}").contains("sesame"));
/// ```
#[derive(Clone, Debug)]
pub struct AccessToken {
    pub(super) secret: SecretString,
    pub(super) lifetime: Option<Duration>,
}

impl AccessToken {
    /// Creates a token with an unknown lifetime. Such a token is used until the service returns
    /// 401.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into().into(), lifetime: None }
    }

    /// Sets the token's lifetime, counted from the start of the fetch. Zero means that the lifetime
    /// is unknown, so that the token is used until the service returns 401.
    #[must_use]
    pub fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime).filter(|lifetime| !lifetime.is_zero());
        self
    }

    /// The token itself, for a source that wraps another source.
    #[must_use]
    pub fn secret(&self) -> &str {
        self.secret.expose_secret()
    }

    /// The token's lifetime, if the lifetime is known.
    #[must_use]
    pub fn lifetime(&self) -> Option<Duration> {
        self.lifetime
    }
}

/// Whether the token can be sent in an `Authorization: Bearer` header.
pub(super) fn is_sendable(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}
