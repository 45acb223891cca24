//! An access token, and the trait for where it comes from.

use std::{future::Future, pin::Pin, time::Duration};

use secrecy::{ExposeSecret, SecretString};

use crate::Error;

/// A boxed future, because the trait must be object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where access tokens come from.
///
/// The client keeps the token, and asks for another shortly before it expires. A source only
/// fetches.
pub trait TokenSource: Send + Sync {
    /// Fetches a token that carries all of these scopes.
    ///
    /// # Errors
    ///
    /// Make it with [`Error::token`] or [`Error::token_from`]. All calls that wait for this token
    /// fail with it.
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>>;

    /// Checks the configuration. `ClientBuilder::build` calls it once. By default, returns `Ok`.
    ///
    /// # Errors
    ///
    /// What is wrong with the configuration.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// An access token and its lifetime.
///
/// ```
/// use std::time::Duration;
///
/// use digital_assets::AccessToken;
///
/// let token = AccessToken::new("open-sesame").expires_in(Duration::from_secs(3600));
///
/// assert!(!format!("{token:?}").contains("sesame"));
/// ```
#[derive(Clone, Debug)]
pub struct AccessToken {
    secret: SecretString,
    lifetime: Option<Duration>,
}

impl AccessToken {
    /// Creates a token without a lifetime: the client keeps it until the service answers 401.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into().into(), lifetime: None }
    }

    /// Sets the lifetime of the token, measured from the time of the request for it.
    #[must_use]
    pub fn expires_in(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime).filter(|lifetime| !lifetime.is_zero());
        self
    }

    pub(crate) fn secret(&self) -> &str {
        self.secret.expose_secret()
    }

    pub(crate) fn lifetime(&self) -> Option<Duration> {
        self.lifetime
    }
}

/// Whether a header can contain the token after `Bearer`.
pub(crate) fn is_sendable(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}
