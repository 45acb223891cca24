//! How a client authenticates with the token endpoint (RFC 6749, section 2.3).

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use form_urlencoded::Serializer;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

#[cfg(feature = "private-key-jwt")]
use crate::auth::assertion::{Signer, assertion};
use crate::{BoxFuture, Error, ErrorKind};

/// How a client sends its identifier and secret to the token endpoint (RFC 6749, section 2.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthStyle {
    /// `client_id` and `client_secret` in the form body (`client_secret_post`).
    #[default]
    Body,
    /// HTTP Basic authentication (`client_secret_basic`).
    Basic,
}

/// A user-supplied function that returns the current secret or key.
pub(super) type Provider<T> = Arc<dyn Fn() -> BoxFuture<'static, Result<T, Error>> + Send + Sync>;

#[derive(Clone)]
pub(super) enum ClientAuthentication {
    Secret(SecretString),
    SecretProvider(Provider<String>),
    #[cfg(feature = "private-key-jwt")]
    Key(Provider<Arc<dyn Signer>>),
}

impl ClientAuthentication {
    /// The credential for one request: the secret, or a new assertion.
    ///
    /// # Errors
    ///
    /// `Token` if the provider or its signer fails, or if the provider returns an empty secret.
    #[cfg_attr(not(feature = "private-key-jwt"), allow(unused_variables))]
    pub(super) async fn credential(
        &self,
        client_id: &str,
        audience: &str,
    ) -> Result<SecretString, Error> {
        match self {
            Self::Secret(secret) => Ok(secret.clone()),
            Self::SecretProvider(provider) => secret(provider).await,
            #[cfg(feature = "private-key-jwt")]
            Self::Key(provider) => {
                let signer = provided(provider).await?;
                Ok(assertion(&*signer, client_id, audience).await?.into())
            }
        }
    }

    /// Returns the provider's current secret if it differs from `sent`, the secret in the rejected
    /// request. Returns `None` if the provider fails, or if there is no provider of secrets.
    pub(super) async fn rotated(&self, sent: &SecretString) -> Option<SecretString> {
        let Self::SecretProvider(provider) = self else { return None };
        let secret = secret(provider).await.ok()?;
        (secret.expose_secret() != sent.expose_secret()).then_some(secret)
    }

    /// Adds a credential to the form or the headers of a token request.
    pub(super) fn add(
        &self,
        credential: &SecretString,
        form: &mut Serializer<'_, String>,
        headers: &mut HeaderMap,
        client_id: &str,
        style: AuthStyle,
    ) {
        let credential = credential.expose_secret();
        match (self, style) {
            // The parameters from RFC 7523, section 2.2. `client_id` is optional, but some servers
            // need it to find the client.
            #[cfg(feature = "private-key-jwt")]
            (Self::Key(_), _) => {
                let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                form.append_pair("client_id", client_id);
                form.append_pair("client_assertion_type", kind);
                form.append_pair("client_assertion", credential);
            }
            (_, AuthStyle::Body) => {
                form.append_pair("client_id", client_id);
                // A client with a certificate has an empty secret. "The client MAY omit the
                // parameter if the client secret is an empty string" (RFC 6749, section 2.3.1).
                if !credential.is_empty() {
                    form.append_pair("client_secret", credential);
                }
            }
            (_, AuthStyle::Basic) => {
                headers.insert(AUTHORIZATION, basic(client_id, credential));
            }
        }
    }
}

async fn secret(provider: &Provider<String>) -> Result<SecretString, Error> {
    match provided(provider).await? {
        secret if secret.is_empty() => Err(Error::token("the client secret is empty")),
        secret => Ok(secret.into()),
    }
}

/// Calls a provider. If the provider's error isn't of kind `Token`, wraps it in a `Token` error.
async fn provided<T>(provider: &Provider<T>) -> Result<T, Error> {
    provider().await.map_err(|error| match error.kind() {
        ErrorKind::Token => error,
        _ => Error::token_from(error),
    })
}

/// The value of the `Authorization` header for HTTP Basic authentication. The identifier and the
/// secret are form-encoded before they are base64-encoded (RFC 6749, section 2.3.1).
fn basic(id: &str, secret: &str) -> HeaderValue {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pair = BASE64_STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)));
    // This can't fail, because all base64 characters are allowed in a header value.
    let mut value =
        HeaderValue::try_from(format!("Basic {pair}")).unwrap_or(HeaderValue::from_static("Basic"));
    value.set_sensitive(true);
    value
}
