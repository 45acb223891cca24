//! Client authentication with a private key: a signed assertion instead of a secret (RFC 7523).

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use aws_lc_rs::rand;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::json;

use crate::{BoxFuture, Error};

/// A private key that signs a client's assertions (`private_key_jwt`).
///
/// [`PemSigner`](crate::PemSigner) keeps the key in memory. Your own implementation can leave the
/// key in a key management service.
///
/// A signer represents a single key, so its algorithm, key identifier and signatures must all
/// belong to that key. If the key rotates, use
/// [`signer_provider`](crate::ClientCredentials::signer_provider), with a function that returns the
/// current signer.
///
/// ```
/// # use oas_client::{BoxFuture, ClientCredentials, Error, Signer};
/// # struct Kms;
/// # impl Kms {
/// #     async fn sign(&self, key: &str, message: &[u8]) -> std::io::Result<Vec<u8>> { todo!() }
/// # }
/// struct KmsSigner(Kms);
///
/// impl Signer for KmsSigner {
///     fn algorithm(&self) -> &str {
///         "ES256"
///     }
///
///     fn key_id(&self) -> Option<&str> {
///         Some("2026-01")
///     }
///
///     fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
///         Box::pin(async move { self.0.sign("backoffice", message).await.map_err(Error::token_from) })
///     }
/// }
/// ```
pub trait Signer: Send + Sync {
    /// The name of the signature algorithm: `RS256`, `PS256` or `ES256` (RFC 7518, section 3.1), or
    /// `EdDSA` (RFC 8037, section 3.1).
    fn algorithm(&self) -> &str;

    /// The key's identifier at the token endpoint (`kid`). `None` by default.
    fn key_id(&self) -> Option<&str> {
        None
    }

    /// Signs a message and returns the raw signature. For ES256, the signature is the 64 bytes of
    /// `R` and `S`, not their DER encoding.
    ///
    /// # Errors
    ///
    /// Create the error with [`Error::token`] or [`Error::token_from`]. All calls that wait for the
    /// token fail with this error.
    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>>;
}

impl<T: Signer + ?Sized> Signer for Arc<T> {
    fn algorithm(&self) -> &str {
        (**self).algorithm()
    }

    fn key_id(&self) -> Option<&str> {
        (**self).key_id()
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
        (**self).sign(message)
    }
}

impl<T: Signer + ?Sized> Signer for Box<T> {
    fn algorithm(&self) -> &str {
        (**self).algorithm()
    }

    fn key_id(&self) -> Option<&str> {
        (**self).key_id()
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
        (**self).sign(message)
    }
}

/// How long an assertion is valid. Token endpoints reject assertions that are valid for much
/// longer.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// Creates a signed assertion: a JWT (RFC 7519) with the claims from RFC 7523, section 3. Each
/// assertion is used for a single request.
pub(super) async fn assertion(
    signer: &dyn Signer,
    client_id: &str,
    audience: &str,
) -> Result<String, Error> {
    let mut header = json!({ "alg": signer.algorithm(), "typ": "JWT" });
    if let Some(key_id) = signer.key_id() {
        header["kid"] = key_id.into();
    }
    let mut id = [0_u8; 16];
    rand::fill(&mut id).map_err(|_| Error::token("the system can't generate random numbers"))?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let claims = json!({
        "iss": client_id,
        "sub": client_id,
        "aud": audience,
        "jti": encoded(&id),
        "iat": now.as_secs(),
        "exp": (now + LIFETIME).as_secs(),
    });
    let [header, claims] = [header, claims].map(|part| encoded(part.to_string().as_bytes()));
    let message = format!("{header}.{claims}");
    let signature = signer.sign(message.as_bytes()).await?;
    Ok(format!("{message}.{}", encoded(&signature)))
}

fn encoded(part: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(part)
}
