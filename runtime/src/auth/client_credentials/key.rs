//! Client credentials with a private key instead of a secret (RFC 7523).

use std::{future::ready, sync::Arc};

use super::ClientCredentials;
use crate::{BoxFuture, Error, Signer, auth::client_authentication::ClientAuthentication};

impl ClientCredentials {
    /// Creates credentials for a client that authenticates with a private key (RFC 7523). Instead
    /// of a secret, each token request contains a newly signed assertion, which is valid for five
    /// minutes.
    pub fn private_key_jwt(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        signer: impl Signer + 'static,
    ) -> Self {
        let signer: Arc<dyn Signer> = Arc::new(signer);
        let signer = move || -> BoxFuture<'static, _> { Box::pin(ready(Ok(Arc::clone(&signer)))) };
        Self::with_signer_provider(token_url, client_id, signer)
    }

    /// Creates credentials for a client whose private key rotates. The function `signer` is called
    /// before each token request, and returns a [`Signer`] with the current key. See
    /// [`signer_provider`](Self::signer_provider).
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// # use oas_client::{ClientCredentials, Error, PemSigner, Signer};
    /// let token_url = "https://auth.example.com/oauth2/token";
    /// let credentials = ClientCredentials::with_signer_provider(token_url, "backoffice", || {
    ///     Box::pin(async {
    ///         let pem = std::fs::read("/run/secrets/client.pem");
    ///         let signer = PemSigner::es256(pem.map_err(Error::token_from)?)?;
    ///         Ok(Arc::new(signer) as Arc<dyn Signer>)
    ///     })
    /// });
    /// ```
    pub fn with_signer_provider<F>(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        signer: F,
    ) -> Self
    where
        F: Fn() -> BoxFuture<'static, Result<Arc<dyn Signer>, Error>> + Send + Sync + 'static,
    {
        Self::new(token_url, client_id, "").signer_provider(signer)
    }

    /// Sets a function that returns a [`Signer`] with the current key. The function is called
    /// before each token request, so that a rotated key is used without a restart. Replaces the
    /// signer that was passed to [`private_key_jwt`](Self::private_key_jwt).
    ///
    /// Each assertion gets its algorithm, its key identifier and its signature from a single
    /// [`Signer`].
    ///
    /// If `signer` fails, no request is sent, and the calls that wait for the token fail with the
    /// error from `signer`. If that error isn't of kind `Token`, it becomes the source of a `Token`
    /// error. The call to `signer`, the signing and the token request may take up to 30 s in total.
    #[must_use]
    pub fn signer_provider<F>(mut self, signer: F) -> Self
    where
        F: Fn() -> BoxFuture<'static, Result<Arc<dyn Signer>, Error>> + Send + Sync + 'static,
    {
        self.authentication = ClientAuthentication::Key(Arc::new(signer));
        self
    }

    /// Sets the audience (`aud`) of assertions. The default is the token URL, but some
    /// authorization servers expect their issuer identifier. The audience has no effect on a client
    /// with a secret.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }
}
