//! The OAuth clients that are registered with the token endpoint, and their credentials.

use axum::http::{HeaderMap, HeaderValue, header};
use base64::{Engine, prelude::BASE64_STANDARD};
use secrecy::{ExposeSecret, SecretString};

use super::parameters::decoded;
#[cfg(feature = "private-key-jwt")]
use super::public_key::PublicKey;
#[cfg(feature = "private-key-jwt")]
use crate::Error;
use crate::{AuthStyle, Operation};

pub(super) const CLIENT_ID: &str = "sandbox-client";
pub(super) const CLIENT_SECRET: &str = "sandbox-secret";

/// The OAuth clients that are registered with the token endpoint.
#[derive(Clone, Debug)]
pub(super) struct Clients {
    known: Vec<Client>,
    /// How clients must send their secret: in the form body or in a Basic header. If `None`, the
    /// token endpoint accepts both.
    pub(super) auth_style: Option<AuthStyle>,
}

#[derive(Clone, Debug)]
struct Client {
    id: String,
    credential: Credential,
    scopes: Vec<String>,
}

/// The credential with which a client authenticates.
#[derive(Clone, Debug)]
enum Credential {
    Secret(SecretString),
    /// A certificate. The sandbox has no TLS, so it checks only the client id.
    Certificate,
    #[cfg(feature = "private-key-jwt")]
    Key(PublicKey),
}

impl Clients {
    /// Creates a set with only the default client, which has all scopes that these operations need.
    pub(super) fn of_all_scopes(operations: &[Operation]) -> Self {
        let scopes = operations.iter().flat_map(|operation| operation.scopes());
        let client = Client {
            id: CLIENT_ID.to_owned(),
            credential: Credential::Secret(CLIENT_SECRET.into()),
            scopes: scopes.map(|scope| (*scope).to_owned()).collect(),
        };
        Self { known: vec![client], auth_style: None }
    }

    /// Returns the scopes to grant in response to a token request. If the request must be rejected,
    /// returns an error code from RFC 6749, section 5.2.
    pub(super) fn granted(
        &self,
        token_url: &str,
        headers: &HeaderMap,
        form: &[(String, String)],
    ) -> Result<Vec<String>, &'static str> {
        let client = self.authenticated(token_url, headers, form)?;
        match one(form, "grant_type")? {
            Some("client_credentials") => {}
            Some(_) => return Err("unsupported_grant_type"),
            None => return Err("invalid_request"),
        }
        let scopes = one(form, "scope")?.unwrap_or_default().split_ascii_whitespace();
        let scopes: Vec<_> = scopes.map(str::to_owned).collect();
        let is_granted = !scopes.is_empty() && scopes.iter().all(|it| client.scopes.contains(it));
        is_granted.then_some(scopes).ok_or("invalid_scope")
    }

    fn authenticated(
        &self,
        #[cfg_attr(not(feature = "private-key-jwt"), expect(unused_variables))] token_url: &str,
        headers: &HeaderMap,
        form: &[(String, String)],
    ) -> Result<&Client, &'static str> {
        let (id, secret) = (one(form, "client_id")?, one(form, "client_secret")?);
        let assertion = one(form, "client_assertion")?;
        let header = headers.get(header::AUTHORIZATION);
        // RFC 6749, section 2.3: a request must not use more than one authentication method.
        let ways = [header.is_some(), secret.is_some(), assertion.is_some()];
        if ways.into_iter().filter(|is_used| *is_used).count() > 1 {
            return Err("invalid_request");
        }
        let (id, secret, style) = match header {
            Some(header) => {
                let (id, secret) = basic(header).ok_or("invalid_client")?;
                (Some(id), Some(secret), AuthStyle::Basic)
            }
            None => (id.map(str::to_owned), secret.map(str::to_owned), AuthStyle::Body),
        };
        let id = id.ok_or("invalid_client")?;
        let client = self.known.iter().find(|client| client.id == id).ok_or("invalid_client")?;
        let is_proven = match &client.credential {
            Credential::Secret(known) => {
                self.auth_style.is_none_or(|only| only == style)
                    && secret.as_deref() == Some(known.expose_secret())
            }
            Credential::Certificate => secret.is_none_or(|secret| secret.is_empty()),
            #[cfg(feature = "private-key-jwt")]
            Credential::Key(key) => {
                let kind = one(form, "client_assertion_type")?;
                kind == Some("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
                    && assertion.is_some_and(|jwt| key.has_signed(jwt, &id, token_url))
            }
        };
        is_proven.then_some(client).ok_or("invalid_client")
    }

    /// Adds a client that authenticates with a secret.
    pub(super) fn add_with_secret(&mut self, id: String, secret: String, scopes: Vec<String>) {
        self.add(id, Credential::Secret(secret.into()), scopes);
    }

    /// Adds a client that authenticates with a certificate (RFC 8705).
    pub(super) fn add_with_certificate(&mut self, id: String, scopes: Vec<String>) {
        self.add(id, Credential::Certificate, scopes);
    }

    /// Adds a client that authenticates with a signed assertion (RFC 7523). The token endpoint
    /// verifies the signature with `public_key`.
    ///
    /// # Errors
    ///
    /// `Configuration` if `public_key` isn't a PEM-encoded public key.
    #[cfg(feature = "private-key-jwt")]
    pub(super) fn add_with_key(
        &mut self,
        id: String,
        public_key: &[u8],
        scopes: Vec<String>,
    ) -> Result<(), Error> {
        let key = PublicKey::from_pem(public_key)?;
        self.add(id, Credential::Key(key), scopes);
        Ok(())
    }

    fn add(&mut self, id: String, credential: Credential, scopes: Vec<String>) {
        self.known.retain(|client| client.id != id);
        self.known.push(Client { id, credential, scopes });
    }
}

/// Returns the value of a parameter in a token request, or an error code if there are several
/// values. Empty values are ignored (RFC 6749, section 3.2).
fn one<'a>(form: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, &'static str> {
    let values = form.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
    let mut values = values.filter(|value| !value.is_empty());
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err("invalid_request"),
    }
}

/// Returns the client id and the secret from a Basic header. In the header, the id and the secret
/// are form-encoded and joined with a colon (RFC 6749, section 2.3.1).
fn basic(header: &HeaderValue) -> Option<(String, String)> {
    let text = header.to_str().ok()?;
    let (scheme, encoded) = text.split_once(' ')?;
    let pair = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = pair.split_once(':')?;
    scheme.eq_ignore_ascii_case("basic").then(|| (decoded(id), decoded(secret)))
}
