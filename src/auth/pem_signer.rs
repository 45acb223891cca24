//! Signs with a private key that is read from PEM.

use std::fmt;

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, RSA_PKCS1_SHA256,
        RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
    },
};
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};

use crate::{BoxFuture, Error, Signer};

/// Signs with a private key in PEM, for [`private_key_jwt`](crate::ClientCredentials::private_key_jwt).
///
/// | | key | PEM |
/// |---|---|---|
/// | [`rs256`](Self::rs256), [`ps256`](Self::ps256) | RSA, 2048 to 8192 bits | PKCS #8 or PKCS #1 |
/// | [`es256`](Self::es256) | ECDSA with P-256 | PKCS #8 or SEC 1 |
/// | [`eddsa`](Self::eddsa) | Ed25519 | PKCS #8 |
///
/// Encrypted keys aren't read. `Debug` shows nothing of the key.
///
/// ```no_run
/// use digital_assets::{ClientCredentials, PemSigner};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let signer = PemSigner::es256(std::fs::read("/run/secrets/client.pem")?)?.key_id("2026-01");
/// let credentials = ClientCredentials::private_key_jwt(
///     "https://auth.example.com/oauth2/token",
///     "backoffice",
///     signer,
/// );
/// # Ok(())
/// # }
/// ```
pub struct PemSigner {
    key: Key,
    key_id: Option<String>,
}

enum Key {
    Rsa { pair: RsaKeyPair, encoding: &'static dyn RsaEncoding, name: &'static str },
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl PemSigner {
    /// RSA with PKCS #1 v1.5 padding and SHA-256.
    ///
    /// # Errors
    ///
    /// `Configuration` if this isn't such a key.
    pub fn rs256(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let pair = rsa(pem.as_ref())?;
        Ok(Self::of(Key::Rsa { pair, encoding: &RSA_PKCS1_SHA256, name: "RS256" }))
    }

    /// RSA with PSS padding and SHA-256.
    ///
    /// # Errors
    ///
    /// `Configuration` if this isn't such a key.
    pub fn ps256(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let pair = rsa(pem.as_ref())?;
        Ok(Self::of(Key::Rsa { pair, encoding: &RSA_PSS_SHA256, name: "PS256" }))
    }

    /// ECDSA with P-256 and SHA-256.
    ///
    /// # Errors
    ///
    /// `Configuration` if this isn't such a key.
    pub fn es256(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair = match PrivateKeyDer::from_pem_slice(pem.as_ref()) {
            Ok(PrivateKeyDer::Pkcs8(der)) => {
                EcdsaKeyPair::from_pkcs8(algorithm, der.secret_pkcs8_der())
            }
            Ok(PrivateKeyDer::Sec1(der)) => {
                EcdsaKeyPair::from_private_key_der(algorithm, der.secret_sec1_der())
            }
            _ => return Err(no_key("P-256")),
        };
        Ok(Self::of(Key::Ecdsa(pair.map_err(|_| no_key("P-256"))?)))
    }

    /// Ed25519.
    ///
    /// # Errors
    ///
    /// `Configuration` if this isn't such a key.
    pub fn eddsa(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let Ok(PrivateKeyDer::Pkcs8(der)) = PrivateKeyDer::from_pem_slice(pem.as_ref()) else {
            return Err(no_key("Ed25519"));
        };
        let pair = Ed25519KeyPair::from_pkcs8(der.secret_pkcs8_der());
        Ok(Self::of(Key::Ed25519(pair.map_err(|_| no_key("Ed25519"))?)))
    }

    /// Sets the identifier by which the token endpoint knows the key (`kid`). None by default.
    #[must_use]
    pub fn key_id(mut self, id: impl Into<String>) -> Self {
        self.key_id = Some(id.into());
        self
    }

    fn of(key: Key) -> Self {
        Self { key, key_id: None }
    }
}

impl Signer for PemSigner {
    fn algorithm(&self) -> &str {
        match &self.key {
            Key::Rsa { name, .. } => name,
            Key::Ecdsa(_) => "ES256",
            Key::Ed25519(_) => "EdDSA",
        }
    }

    fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
        let random = SystemRandom::new();
        let signed = match &self.key {
            Key::Rsa { pair, encoding, .. } => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(*encoding, &random, message, &mut signature).map(|()| signature)
            }
            Key::Ecdsa(pair) => pair.sign(&random, message).map(|it| it.as_ref().to_vec()),
            Key::Ed25519(pair) => pair.try_sign(message).map(|it| it.as_ref().to_vec()),
        };
        let signed = signed.map_err(|_| Error::token("the private key can't sign"));
        Box::pin(std::future::ready(signed))
    }
}

fn rsa(pem: &[u8]) -> Result<RsaKeyPair, Error> {
    let pair = match PrivateKeyDer::from_pem_slice(pem) {
        Ok(PrivateKeyDer::Pkcs8(der)) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
        Ok(PrivateKeyDer::Pkcs1(der)) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
        _ => return Err(no_key("RSA")),
    };
    pair.map_err(|_| no_key("RSA"))
}

/// Has no cause, because a cause might quote the key.
fn no_key(kind: &str) -> Error {
    Error::configuration(format!("this is not a usable {kind} private key in PEM"))
}

impl fmt::Debug for PemSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PemSigner").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}
