//! The clients that the token endpoint knows, and how each authenticates.

use axum::http::{HeaderMap, HeaderValue, header};
use base64::{Engine, prelude::BASE64_STANDARD};
use secrecy::{ExposeSecret, SecretString};

#[cfg(feature = "private-key-jwt")]
use super::public_key::PublicKey;
use super::{builder::SandboxBuilder, parameters::decoded, service::Service};
#[cfg(feature = "private-key-jwt")]
use crate::Error;
use crate::{AuthStyle, Operation};

pub(super) const CLIENT_ID: &str = "sandbox-client";
pub(super) const CLIENT_SECRET: &str = "sandbox-secret";

#[derive(Clone, Debug)]
pub(super) struct Client {
    id: String,
    credential: Credential,
    scopes: Vec<String>,
}

/// What a client shows to authenticate.
#[derive(Clone, Debug)]
enum Credential {
    Secret(SecretString),
    /// In the TLS handshake, which the sandbox doesn't have.
    Certificate,
    #[cfg(feature = "private-key-jwt")]
    Key(PublicKey),
}

/// The client that every sandbox knows.
impl Default for Client {
    fn default() -> Self {
        let scopes = Operation::ALL.iter().flat_map(|operation| operation.scopes());
        Self {
            id: CLIENT_ID.to_owned(),
            credential: Credential::Secret(CLIENT_SECRET.into()),
            scopes: scopes.map(|scope| (*scope).to_owned()).collect(),
        }
    }
}

impl Service {
    /// The scopes of a token request that may have them, or the error of RFC 6749, section 5.2.
    pub(super) fn granted(
        &self,
        headers: &HeaderMap,
        form: &[(String, String)],
    ) -> Result<Vec<String>, &'static str> {
        let client = self.authenticated(headers, form)?;
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
        headers: &HeaderMap,
        form: &[(String, String)],
    ) -> Result<&Client, &'static str> {
        let (id, secret) = (one(form, "client_id")?, one(form, "client_secret")?);
        let assertion = one(form, "client_assertion")?;
        let header = headers.get(header::AUTHORIZATION);
        // Section 2.3: no more than one way in each request.
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
        let client =
            self.settings.clients.iter().find(|client| client.id == id).ok_or("invalid_client")?;
        let is_proven = match &client.credential {
            Credential::Secret(known) => {
                self.settings.auth_style.is_none_or(|only| only == style)
                    && secret.as_deref() == Some(known.expose_secret())
            }
            Credential::Certificate => secret.is_none_or(|secret| secret.is_empty()),
            #[cfg(feature = "private-key-jwt")]
            Credential::Key(key) => {
                let kind = one(form, "client_assertion_type")?;
                kind == Some("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
                    && assertion.is_some_and(|jwt| key.has_signed(jwt, &id, &self.token_url))
            }
        };
        is_proven.then_some(client).ok_or("invalid_client")
    }
}

impl SandboxBuilder {
    /// Adds a client that the token endpoint knows by its secret, and that can get tokens for these
    /// scopes. It gets no token if a request asks for any other scope.
    ///
    /// A client with the same id is replaced, also the one that every sandbox knows by itself: the
    /// one of [`client_id`](super::Sandbox::client_id), with all scopes.
    ///
    /// ```
    /// use digital_assets::{ClientCredentials, ErrorKind, sandbox::Sandbox};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), digital_assets::Error> {
    /// let scopes = ["transfer:read_deposit_address"];
    /// let sandbox = Sandbox::builder().client("reports", "sesame", scopes).build();
    /// let credentials = ClientCredentials::new(sandbox.token_url(), "reports", "sesame")
    ///     .http_service(sandbox.http_service());
    /// let client = sandbox.client_builder().credentials(credentials).build()?;
    ///
    /// client.list_deposit_addresses().send().await?;
    /// let error = client.list_monitoring_addresses().send().await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Token); // `invalid_scope`
    /// # Ok(())
    /// # }
    /// ```
    pub fn client(
        self,
        id: impl Into<String>,
        secret: impl Into<String>,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.with_client(id, Credential::Secret(secret.into().into()), scopes)
    }

    /// Adds a client that the token endpoint knows by its certificate (RFC 8705), like
    /// [`client`](Self::client).
    ///
    /// The sandbox has no TLS and sees no certificate: it accepts a request with this id and without
    /// a secret, as an endpoint does that has checked the certificate.
    pub fn client_with_certificate(
        self,
        id: impl Into<String>,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.with_client(id, Credential::Certificate, scopes)
    }

    /// Adds a client that the token endpoint knows by its public key (RFC 7523), like
    /// [`client`](Self::client).
    ///
    /// The key is in PEM (`PUBLIC KEY`), for RS256, PS256, ES256 or `EdDSA`. The endpoint accepts each
    /// assertion once, by the system's clock, if its audience is the
    /// [`token_url`](super::Sandbox::token_url).
    ///
    /// # Errors
    ///
    /// `Configuration` if this isn't a public key in PEM.
    #[cfg(feature = "private-key-jwt")]
    pub fn client_with_key(
        self,
        id: impl Into<String>,
        public_key: impl AsRef<[u8]>,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, Error> {
        let key = PublicKey::from_pem(public_key.as_ref())?;
        Ok(self.with_client(id, Credential::Key(key), scopes))
    }

    fn with_client(
        mut self,
        id: impl Into<String>,
        credential: Credential,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let (id, scopes) = (id.into(), scopes.into_iter().map(Into::into).collect());
        self.clients.retain(|client| client.id != id);
        self.clients.push(Client { id, credential, scopes });
        self
    }

    /// The only style in which the token endpoint accepts a secret. Both by default.
    ///
    /// [`credentials`](super::Sandbox::credentials) use it as well.
    pub fn auth_style(self, style: AuthStyle) -> Self {
        Self { auth_style: Some(style), ..self }
    }
}

/// The value of a parameter, which a token request may have once. Without a value, it counts as omitted
/// (RFC 6749, section 3.2).
fn one<'a>(form: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, &'static str> {
    let values = form.iter().filter(|(n, _)| n == name).map(|(_, value)| value.as_str());
    let mut values = values.filter(|value| !value.is_empty());
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err("invalid_request"),
    }
}

/// RFC 6749, section 2.3.1: id and secret are form-encoded before they are joined.
fn basic(header: &HeaderValue) -> Option<(String, String)> {
    let text = header.to_str().ok()?;
    let (scheme, encoded) = text.split_once(' ')?;
    let pair = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = pair.split_once(':')?;
    scheme.eq_ignore_ascii_case("basic").then(|| (decoded(id), decoded(secret)))
}
