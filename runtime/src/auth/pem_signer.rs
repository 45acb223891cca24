//! A signer whose private key is read from PEM.

use std::fmt;

use aws_lc_rs::{
    error::KeyRejected,
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, RSA_PKCS1_SHA256,
        RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
    },
};
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};

use crate::{BoxFuture, Error, Signer};

/// A signer with a private key in PEM format, for
/// [`private_key_jwt`](crate::ClientCredentials::private_key_jwt).
///
/// | constructor | key | PEM contents |
/// |---|---|---|
/// | [`rs256`](Self::rs256), [`ps256`](Self::ps256) | RSA, 2048 to 8192 bits | PKCS #8 or PKCS #1 |
/// | [`es256`](Self::es256) | ECDSA with P-256 | PKCS #8 or SEC 1 |
/// | [`eddsa`](Self::eddsa) | Ed25519 | PKCS #8 |
///
/// Encrypted keys aren't supported. `Debug` doesn't print the key.
///
/// ```no_run
/// # use oas_client::{ClientCredentials, PemSigner};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let signer = PemSigner::es256(std::fs::read("/run/secrets/client.pem")?)?.with_key_id("2026-01");
/// let credentials = ClientCredentials::private_key_jwt(
///     "https://auth.example.com/oauth2/token",
///     "backoffice",
///     signer,
/// );
/// # Ok(())
/// # }
/// ```
pub struct PemSigner {
    key: PrivateKey,
    key_id: Option<String>,
}

enum PrivateKey {
    Rsa { pair: RsaKeyPair, encoding: &'static dyn RsaEncoding, name: &'static str },
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl PemSigner {
    /// Creates a signer for `RS256`: RSA with PKCS #1 v1.5 padding and SHA-256.
    ///
    /// # Errors
    ///
    /// `Configuration` if `pem` doesn't contain a usable RSA private key.
    pub fn rs256(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let pair = rsa(pem.as_ref())?;
        Ok(Self::of(PrivateKey::Rsa { pair, encoding: &RSA_PKCS1_SHA256, name: "RS256" }))
    }

    /// Creates a signer for `PS256`: RSA with PSS padding and SHA-256.
    ///
    /// # Errors
    ///
    /// `Configuration` if `pem` doesn't contain a usable RSA private key.
    pub fn ps256(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let pair = rsa(pem.as_ref())?;
        Ok(Self::of(PrivateKey::Rsa { pair, encoding: &RSA_PSS_SHA256, name: "PS256" }))
    }

    /// Creates a signer for `ES256`: ECDSA with P-256 and SHA-256.
    ///
    /// # Errors
    ///
    /// `Configuration` if `pem` doesn't contain a usable P-256 private key.
    pub fn es256(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair = |der: &[u8]| EcdsaKeyPair::from_private_key_der(algorithm, der);
        read(pem.as_ref(), "P-256", pair).map(PrivateKey::Ecdsa).map(Self::of)
    }

    /// Creates a signer for `EdDSA`, with an Ed25519 key.
    ///
    /// # Errors
    ///
    /// `Configuration` if `pem` doesn't contain a usable Ed25519 private key.
    pub fn eddsa(pem: impl AsRef<[u8]>) -> Result<Self, Error> {
        let pair = read(pem.as_ref(), "Ed25519", Ed25519KeyPair::from_pkcs8);
        pair.map(PrivateKey::Ed25519).map(Self::of)
    }

    /// Sets the key's identifier at the token endpoint (`kid`). By default, assertions have no
    /// `kid`.
    #[must_use]
    pub fn with_key_id(mut self, id: impl Into<String>) -> Self {
        self.key_id = Some(id.into());
        self
    }

    fn of(key: PrivateKey) -> Self {
        Self { key, key_id: None }
    }
}

impl Signer for PemSigner {
    fn algorithm(&self) -> &str {
        match &self.key {
            PrivateKey::Rsa { name, .. } => name,
            PrivateKey::Ecdsa(_) => "ES256",
            PrivateKey::Ed25519(_) => "EdDSA",
        }
    }

    fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, Error>> {
        let random = SystemRandom::new();
        let signed = match &self.key {
            PrivateKey::Rsa { pair, encoding, .. } => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(*encoding, &random, message, &mut signature).map(|()| signature)
            }
            PrivateKey::Ecdsa(pair) => pair.sign(&random, message).map(|it| it.as_ref().to_vec()),
            PrivateKey::Ed25519(pair) => pair.try_sign(message).map(|it| it.as_ref().to_vec()),
        };
        let signed = signed.map_err(|_| Error::token("signing with the private key failed"));
        Box::pin(std::future::ready(signed))
    }
}

fn rsa(pem: &[u8]) -> Result<RsaKeyPair, Error> {
    read(pem, "RSA", |der| RsaKeyPair::from_pkcs8(der).or_else(|_| RsaKeyPair::from_der(der)))
}

/// Reads a private key of the given kind from PEM. The error has no source, because a source might
/// quote the key.
fn read<K>(
    pem: &[u8],
    kind: &str,
    key: impl FnOnce(&[u8]) -> Result<K, KeyRejected>,
) -> Result<K, Error> {
    let der = PrivateKeyDer::from_pem_slice(pem).ok();
    der.and_then(|der| key(der.secret_der()).ok()).ok_or_else(|| {
        Error::configuration(format!("the PEM data is not a usable {kind} private key"))
    })
}

impl fmt::Debug for PemSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PemSigner").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}
