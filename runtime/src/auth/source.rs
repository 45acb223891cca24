//! An access token, and the trait for where it comes from.

use std::{sync::Arc, time::Duration};

use secrecy::{ExposeSecret, SecretString};

use crate::{BoxFuture, Error};

/// Where access tokens come from: [`ClientCredentials`](crate::ClientCredentials), or a source of
/// your own.
///
/// A source fetches a token and does nothing else. The client keeps the token, shares it among all
/// calls that need the same scopes, and asks again shortly before it ends, or when the service
/// answers 401:
///
/// - However many calls wait, one request is made for each set of scopes.
/// - A request that takes longer than 30 s is given up, and a panic in it becomes an [`Error`].
/// - After a failure the source is left alone for a second, which doubles to at most 30 s, or for 5 s
///   after the token endpoint refused ([`Error::oauth_error`]), or longer if a `Retry-After` asks for
///   it, up to 5 minutes. Calls in between fail at once, and
///   [`Error::retry_after`] has the time that is left. After three requests in a row that no call
///   waited for, calls in between wait if they have time for that and for the request.
/// - A request is a task of the runtime that its first call runs on, and is aborted when no call
///   waits for it any more. If that runtime shuts down, or has brought no answer after 5 s, calls on
///   other runtimes ask again.
///
/// Tokens from a vault:
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
    /// Fetches a token that carries all of these scopes.
    ///
    /// # Errors
    ///
    /// Made with [`Error::token`] or [`Error::token_from`]. All calls that wait for this token fail
    /// with it, and so do those that come during the pause after it. If the source isn't ready yet, add
    /// [`retryable`](Error::retryable): these calls then ask again after the pause.
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>>;

    /// Says the `User-Agent` of the client that uses the source: once, when the client is built. By
    /// default, does nothing. A source that wraps another passes it on.
    fn identify(&self, user_agent: &'static str) {
        let _ = user_agent;
    }

    /// Checks the configuration once, when a client is built. By default, returns `Ok`.
    ///
    /// # Errors
    ///
    /// `Configuration`, saying what is wrong.
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
/// The client stops using a token 60 s before its end, or a tenth of its lifetime if that is less,
/// and renews it from 5 min before its end, or a quarter of its lifetime. Its Debug doesn't show
/// the token:
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
    /// A token without a lifetime: it is used until the service answers 401.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into().into(), lifetime: None }
    }

    /// Sets the lifetime, counted from the request for the token. A lifetime of zero is none: the
    /// token is used until the service answers 401.
    #[must_use]
    pub fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime).filter(|lifetime| !lifetime.is_zero());
        self
    }

    /// The token itself, for a source that wraps another.
    #[must_use]
    pub fn secret(&self) -> &str {
        self.secret.expose_secret()
    }

    /// The lifetime, if it is known.
    #[must_use]
    pub fn lifetime(&self) -> Option<Duration> {
        self.lifetime
    }
}

/// Whether a header can contain the token behind `Bearer`.
pub(super) fn is_sendable(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}
