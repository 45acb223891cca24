//! A builder for a sandbox.

use std::{fmt, ops::Deref, time::Duration};

use chrono::{DateTime, Utc};

use super::{data::Data, handle::Sandbox, settings::Settings, times::Times};
use crate::{AuthStyle, Error, GeneratedClient};

/// A builder for a [`Sandbox`].
///
/// A builder dereferences to the options of the sandbox, so the methods of their type can be called
/// on it.
#[must_use]
pub struct SandboxBuilder<D: Data>(D::Options);

impl<D: Data> SandboxBuilder<D> {
    /// A builder for a sandbox with these options.
    pub fn with_options(options: D::Options) -> Self {
        Self(options)
    }

    /// Sets the seed from which all records are generated. The default is 1.
    ///
    /// The same seed always generates the same records. If only the total number of records
    /// changes, the newest records stay the same, but their creation times can change. With
    /// [`Times::Uniform`], the creation times of the newest 100 records stay the same too.
    pub fn seed(mut self, seed: u64) -> Self {
        self.0.as_mut().seed = seed;
        self
    }

    /// Sets the sandbox's "now", before which all initial records were created. The default
    /// is 2026-01-01T00:00:00Z.
    ///
    /// Records that are added later have later creation times, which don't depend on the
    /// system clock. Inserted records can have any creation time.
    pub fn now(mut self, now: DateTime<Utc>) -> Self {
        self.0.as_mut().now = now;
        self
    }

    /// Sets the delay before the sandbox handles a request to an operation. The default is
    /// zero.
    pub fn latency(mut self, latency: Duration) -> Self {
        self.0.as_mut().latency = latency;
        self
    }

    /// Sets the lifetime of tokens. The default is one hour.
    ///
    /// A token response contains the lifetime as `expires_in`, rounded down to whole
    /// seconds.
    pub fn token_lifetime(mut self, lifetime: Duration) -> Self {
        self.0.as_mut().token_lifetime = lifetime;
        self
    }

    /// Sets how the records' creation times are distributed. The default is
    /// [`Times::Uniform`].
    pub fn times(mut self, times: Times) -> Self {
        self.0.as_mut().times = times;
        self
    }

    /// Makes a share of the responses fail at random. A share of 0.0 (the default) means
    /// none, and 1.0 means all. The seed determines which responses fail.
    ///
    /// Each response fails independently of the others, so several requests in a row can
    /// fail. A client that retries correctly recovers from all of these failures, and no
    /// failed request changes a record.
    ///
    /// - A listing fails with one of these: 500; 502 with an HTML page; 503; 408; 429 with
    ///   or without `Retry-After: 0`; 401; a closed connection; a truncated body; an empty
    ///   page with a cursor.
    /// - A POST fails only with 429 or 401, because after any other failure the caller
    ///   can't know whether the request was applied.
    /// - Token requests don't fail.
    pub fn chaos(mut self, share: f64, seed: u64) -> Self {
        self.0.as_mut().chaos = (share, seed);
        self
    }

    /// Sets the port on 127.0.0.1. The default is 0, which means any free port.
    pub fn port(mut self, port: u16) -> Self {
        self.0.as_mut().port = port;
        self
    }

    /// Adds an OAuth client that authenticates with a secret. The client can get tokens for
    /// these scopes. A token request that names any other scope fails.
    ///
    /// The new client replaces any client with the same id, even the default client, whose
    /// id is [`client_id`](Sandbox::client_id).
    pub fn client(
        mut self,
        id: impl Into<String>,
        secret: impl Into<String>,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.0.as_mut().clients.add_with_secret(id.into(), secret.into(), scopes);
        self
    }

    /// Like [`client`](Self::client), but the OAuth client authenticates with a certificate
    /// (RFC 8705) instead of a secret.
    ///
    /// The sandbox has no TLS, so it can't check the certificate. It accepts every token
    /// request that has this id and no secret.
    pub fn client_with_certificate(
        mut self,
        id: impl Into<String>,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.0.as_mut().clients.add_with_certificate(id.into(), scopes);
        self
    }

    /// Like [`client`](Self::client), but the OAuth client authenticates with a signed
    /// assertion (RFC 7523) instead of a secret.
    ///
    /// `public_key` is the PEM-encoded key (`PUBLIC KEY`) for RS256, PS256, ES256 or
    /// `EdDSA`. The token endpoint accepts each assertion only once, and only if its
    /// audience is [`token_url`](Sandbox::token_url). Whether an assertion has expired
    /// depends on the system clock, not on Tokio's clock.
    ///
    /// # Errors
    ///
    /// `Configuration` if `public_key` isn't a PEM-encoded public key.
    #[cfg(feature = "private-key-jwt")]
    pub fn client_with_key(
        mut self,
        id: impl Into<String>,
        public_key: impl AsRef<[u8]>,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, Error> {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.0.as_mut().clients.add_with_key(id.into(), public_key.as_ref(), scopes)?;
        Ok(self)
    }

    /// Requires OAuth clients to send their secret in this style. By default, the token
    /// endpoint accepts both styles.
    ///
    /// [`credentials`](Sandbox::credentials) also uses this style.
    pub fn auth_style(mut self, style: AuthStyle) -> Self {
        self.0.as_mut().clients.auth_style = Some(style);
        self
    }

    /// Builds a sandbox without a port. The sandbox's [`client`](Sandbox::client) calls the
    /// sandbox directly, without a network connection.
    ///
    /// `build` doesn't need a Tokio runtime. All delays and token lifetimes follow Tokio's
    /// clock, so tests that pause this clock don't have to wait. If a fault closes the
    /// connection, the call fails as it would over a network.
    #[must_use]
    pub fn build(self) -> Sandbox<D> {
        Sandbox::build(self.0)
    }

    /// Starts the sandbox on the current Tokio runtime. The runtime's I/O and timers must
    /// be enabled.
    ///
    /// # Errors
    ///
    /// `Configuration` if the sandbox can't listen on the port.
    pub async fn start(mut self) -> Result<Sandbox<D>, Error> {
        let port = self.0.as_mut().port;
        Sandbox::start_on(port, self.0).await
    }
}

impl<D: Data> Sandbox<D> {
    /// Starts a sandbox with the default settings, on any free port.
    ///
    /// # Errors
    ///
    /// `Configuration` if the sandbox can't listen on a port.
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// A builder for a sandbox, with the default settings.
    pub fn builder() -> SandboxBuilder<D> {
        SandboxBuilder::default()
    }
}

impl<D: Data> Default for SandboxBuilder<D> {
    fn default() -> Self {
        Self::with_options(Settings::new(D::Client::SERVICE.operations).into())
    }
}

impl<D: Data> Deref for SandboxBuilder<D> {
    type Target = D::Options;

    fn deref(&self) -> &D::Options {
        &self.0
    }
}

impl<D: Data> Clone for SandboxBuilder<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<D: Data> fmt::Debug for SandboxBuilder<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SandboxBuilder").field(&self.0).finish()
    }
}
