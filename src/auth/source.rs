//! Where a token comes from, and what it is.

use std::{future::Future, pin::Pin, time::Duration};

use secrecy::{ExposeSecret, SecretString};

use crate::Error;

/// A future in a box, as an object-safe trait needs it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where access tokens come from.
///
/// The client keeps what it is given, and asks again shortly before a token ends: a source fetches
/// and does nothing else.
pub trait TokenSource: Send + Sync {
    /// Fetches a token that carries all of these scopes.
    ///
    /// # Errors
    ///
    /// Made with [`Error::token`] or [`Error::token_from`]; all calls that wait for this token
    /// fail with it.
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>>;

    /// Looks at the configuration, once, when a client is built. Without a word all is well.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// An access token, and how long it lives.
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
    /// A token that is kept until the service answers 401.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into().into(), lifetime: None }
    }

    /// Says how long the token lives, from the moment it was asked for.
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

/// Whether a token can stand behind `Bearer` in a header.
pub(crate) fn is_sendable(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}
