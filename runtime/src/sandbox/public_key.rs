//! Verifies the signed assertions with which clients authenticate (RFC 7523).

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    UnparsedPublicKey, VerificationAlgorithm,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use rustls_pki_types::{SubjectPublicKeyInfoDer, pem::PemObject};
use serde_json::Value;

use crate::{Error, lock::lock};

#[derive(Clone, Debug)]
pub(super) struct PublicKey {
    info: SubjectPublicKeyInfoDer<'static>,
    /// The identifiers (`jti`) of the assertions that the client has already used.
    used: Arc<Mutex<HashSet<String>>>,
}

impl PublicKey {
    pub(super) fn from_pem(pem: &[u8]) -> Result<Self, Error> {
        let info = SubjectPublicKeyInfoDer::from_pem_slice(pem);
        let info =
            info.map_err(|_| Error::configuration("`public_key` is not a PEM-encoded public key"))?;
        Ok(Self { info, used: Arc::default() })
    }

    /// Returns whether the JWT is a valid, unexpired assertion from this client (RFC 7523, section
    /// 3). Accepts each assertion only once.
    pub(super) fn has_signed(&self, jwt: &str, client_id: &str, token_url: &str) -> bool {
        let Some(claims) = self.claims(jwt) else { return false };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let is_own = claims["iss"] == client_id && claims["sub"] == client_id;
        let is_valid = claims["exp"].as_u64().is_some_and(|end| end > now);
        let Some(id) = claims["jti"].as_str() else { return false };
        let mut used = lock(&self.used);
        is_own && is_valid && claims["aud"] == token_url && used.insert(id.to_owned())
    }

    /// Returns the JWT's claims if the signature is valid.
    fn claims(&self, jwt: &str) -> Option<Value> {
        let (message, signature) = jwt.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        let decoded = |part: &str| BASE64_URL_SAFE_NO_PAD.decode(part).ok();
        let json = |part| serde_json::from_slice::<Value>(&decoded(part)?).ok();
        let algorithm: &dyn VerificationAlgorithm = match json(header)?["alg"].as_str()? {
            "RS256" => &RSA_PKCS1_2048_8192_SHA256,
            "PS256" => &RSA_PSS_2048_8192_SHA256,
            "ES256" => &ECDSA_P256_SHA256_FIXED,
            "EdDSA" => &ED25519,
            _ => return None,
        };
        let key = UnparsedPublicKey::new(algorithm, &*self.info);
        key.verify(message.as_bytes(), &decoded(signature)?).ok()?;
        json(claims)
    }
}
