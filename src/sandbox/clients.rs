//! The clients that the token endpoint knows, and how each authenticates.

use std::fmt;

use axum::http::{HeaderMap, HeaderValue, header};
use base64::{Engine, prelude::BASE64_STANDARD};

#[cfg(feature = "private-key-jwt")]
use super::public_key::PublicKey;
use crate::{AuthStyle, Operation};

pub(super) const CLIENT_ID: &str = "sandbox-client";
pub(super) const CLIENT_SECRET: &str = "sandbox-secret";

#[derive(Clone, Debug)]
pub(super) struct Clients {
    clients: Vec<Client>,
    /// The only style in which a secret is accepted.
    pub(super) auth_style: Option<AuthStyle>,
}

#[derive(Clone)]
struct Client {
    id: String,
    credential: Credential,
    scopes: Vec<String>,
}

/// What a client shows to authenticate.
#[derive(Clone)]
pub(super) enum Credential {
    Secret(String),
    /// In the TLS handshake, which the sandbox doesn't have.
    Certificate,
    #[cfg(feature = "private-key-jwt")]
    Key(PublicKey),
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("id", &self.id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

impl Default for Clients {
    fn default() -> Self {
        let mut clients = Self { clients: Vec::new(), auth_style: None };
        let scopes = Operation::ALL.iter().flat_map(|operation| operation.scopes());
        let secret = Credential::Secret(CLIENT_SECRET.to_owned());
        clients.add(
            CLIENT_ID.to_owned(),
            secret,
            scopes.map(|scope| (*scope).to_owned()).collect(),
        );
        clients
    }
}

impl Clients {
    /// Adds a client, in place of one with the same identifier.
    pub(super) fn add(&mut self, id: String, credential: Credential, scopes: Vec<String>) {
        self.clients.retain(|client| client.id != id);
        self.clients.push(Client { id, credential, scopes });
    }

    /// The scopes of a token request that may have them, or the error of RFC 6749, section 5.2.
    pub(super) fn granted(
        &self,
        headers: &HeaderMap,
        form: &Form,
        token_url: &str,
    ) -> Result<Vec<String>, &'static str> {
        let client = self.authenticated(headers, form, token_url)?;
        match form.one("grant_type")? {
            Some("client_credentials") => {}
            Some(_) => return Err("unsupported_grant_type"),
            None => return Err("invalid_request"),
        }
        let scopes = form.one("scope")?.unwrap_or_default().split_ascii_whitespace();
        let scopes: Vec<_> = scopes.map(str::to_owned).collect();
        let is_granted = !scopes.is_empty() && scopes.iter().all(|it| client.scopes.contains(it));
        is_granted.then_some(scopes).ok_or("invalid_scope")
    }

    fn authenticated(
        &self,
        headers: &HeaderMap,
        form: &Form,
        token_url: &str,
    ) -> Result<&Client, &'static str> {
        let (id, secret) = (form.one("client_id")?, form.one("client_secret")?);
        let assertion = form.one("client_assertion")?;
        let (id, secret, style) = match headers.get(header::AUTHORIZATION) {
            // Section 2.3: no more than one way in each request.
            Some(_) if secret.is_some() || assertion.is_some() => return Err("invalid_request"),
            Some(header) => {
                let (id, secret) = basic(header).ok_or("invalid_client")?;
                (id, Some(secret), AuthStyle::Basic)
            }
            None => {
                let id = id.ok_or("invalid_client")?.to_owned();
                (id, secret.map(str::to_owned), AuthStyle::Body)
            }
        };
        let client = self.clients.iter().find(|client| client.id == id).ok_or("invalid_client")?;
        let is_proven = match &client.credential {
            Credential::Secret(known) => {
                self.auth_style.is_none_or(|only| only == style) && secret.as_ref() == Some(known)
            }
            Credential::Certificate => secret.is_none_or(|secret| secret.is_empty()),
            #[cfg(feature = "private-key-jwt")]
            Credential::Key(key) => {
                let kind = form.one("client_assertion_type")?;
                kind == Some("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
                    && assertion.is_some_and(|jwt| key.has_signed(jwt, &id, token_url))
            }
        };
        #[cfg(not(feature = "private-key-jwt"))]
        let _ = token_url;
        is_proven.then_some(client).ok_or("invalid_client")
    }
}

/// The parameters of a token request.
pub(super) struct Form(pub(super) Vec<(String, String)>);

impl Form {
    fn one(&self, name: &str) -> Result<Option<&str>, &'static str> {
        let mut values = self.0.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err("invalid_request"),
        }
    }
}

/// RFC 6749, section 2.3.1: id and secret are form-encoded before they are joined.
fn basic(header: &HeaderValue) -> Option<(String, String)> {
    let text = header.to_str().ok()?;
    let (scheme, encoded) = text.split_once(' ')?;
    let decoded = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    scheme.eq_ignore_ascii_case("basic").then(|| (form_decoded(id), form_decoded(secret)))
}

fn form_decoded(text: &str) -> String {
    let first = form_urlencoded::parse(text.as_bytes()).next();
    first.map(|(name, _)| name.into_owned()).unwrap_or_default()
}
