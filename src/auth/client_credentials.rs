//! OAuth 2.0 client credentials, at a token endpoint.

use std::{fmt, sync::OnceLock, time::Duration};

use reqwest::{Response, header::ACCEPT, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use crate::{
    AccessToken, BoxFuture, Error, Retry, TokenSource,
    auth::source::is_sendable,
    call::retry,
    error::{Answer, is_transient, without_url},
    origin::{Origin, is_loopback},
};

/// How a client names itself to the token endpoint (RFC 6749, section 2.3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthStyle {
    /// `client_id` and `client_secret` in the form body.
    #[default]
    Body,
    /// HTTP Basic.
    Basic,
}

/// The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4).
///
/// Sent as a form, over https or to loopback only, and without following redirects, which would
/// take the secret elsewhere. Connection errors, 408, 429 and 5xx are tried again, three times in
/// all; a refusal is final. Its Debug shows no secret:
///
/// ```
/// use digital_assets::ClientCredentials;
///
/// let credentials =
///     ClientCredentials::new("https://auth.example.com/oauth2/token", "backoffice", "sesame");
///
/// assert!(!format!("{credentials:?}").contains("sesame"));
/// ```
#[derive(Clone)]
pub struct ClientCredentials {
    token_url: String,
    client_id: String,
    client_secret: SecretString,
    style: AuthStyle,
    http: OnceLock<reqwest::Client>,
}

/// A token endpoint answers within seconds or not at all.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// Longer pauses are the caller's to make: its call would be over.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const LARGEST_ANSWER: usize = 1 << 20;

impl ClientCredentials {
    /// Credentials for a token endpoint, sent in the form body.
    pub fn new(
        token_url: impl Into<String>,
        client_id: impl Into<String>,
        client_secret: impl Into<String>,
    ) -> Self {
        Self {
            token_url: token_url.into(),
            client_id: client_id.into(),
            client_secret: client_secret.into().into(),
            style: AuthStyle::default(),
            http: OnceLock::new(),
        }
    }

    /// Chooses how the client names itself.
    #[must_use]
    pub fn auth_style(mut self, style: AuthStyle) -> Self {
        self.style = style;
        self
    }

    fn http(&self) -> Result<&reqwest::Client, Error> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let origin = Origin::parse("the token URL", &self.token_url)?;
        let mut http = reqwest::Client::builder()
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ATTEMPT_TIMEOUT)
            .user_agent(crate::client::USER_AGENT);
        if is_loopback(&origin.url) {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|error| {
            Error::configuration("the token endpoint's HTTP client can't be built").caused_by(error)
        })?;
        Ok(self.http.get_or_init(|| http))
    }

    async fn fetch(&self, scopes: &[&str]) -> Result<AccessToken, Error> {
        let mut waits = Retry::default().schedule();
        loop {
            let error = match self.ask(scopes).await {
                Ok(token) => return Ok(token),
                Err(error) if error.is_transient() => error,
                Err(error) => return Err(error),
            };
            let Some(wait) = waits.next() else { return Err(error) };
            let wait = error.retry_after().unwrap_or(wait);
            if wait > LONGEST_PAUSE {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn ask(&self, scopes: &[&str]) -> Result<AccessToken, Error> {
        let secret = self.client_secret.expose_secret();
        let scope = scopes.join(" ");
        let mut form = vec![("grant_type", "client_credentials"), ("scope", &scope)];
        let mut request = self.http()?.post(&self.token_url).header(ACCEPT, "application/json");
        match self.style {
            AuthStyle::Body => {
                form.extend([("client_id", self.client_id.as_str()), ("client_secret", secret)]);
            }
            AuthStyle::Basic => {
                request = request.basic_auth(encoded(&self.client_id), Some(encoded(secret)));
            }
        }
        let unreachable = |error| {
            Error::token("the token endpoint can't be reached")
                .caused_by(without_url(error))
                .passing(true)
        };
        let mut response = request.form(&form).send().await.map_err(unreachable)?;

        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST_ANSWER {
                return Err(failed(
                    &response,
                    "the token endpoint's answer is too large: it answered",
                ));
            }
        }
        if !response.status().is_success() {
            return Err(refusal(&response, &body));
        }
        granted(&body).map_err(|why| failed(&response, why))
    }
}

impl TokenSource for ClientCredentials {
    fn token<'a>(&'a self, scopes: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
        Box::pin(self.fetch(scopes))
    }

    fn check(&self) -> Result<(), Error> {
        self.http().map(|_| ())
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials").field("style", &self.style).finish_non_exhaustive()
    }
}

/// A successful answer (RFC 6749, section 5.1), or what is wrong with it.
fn granted(body: &[u8]) -> Result<AccessToken, &'static str> {
    let mut fields: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let token = match fields.remove("access_token") {
        Some(Value::String(token)) if is_sendable(&token) => AccessToken::new(token),
        _ => return Err("the token endpoint's answer holds no token: it answered"),
    };
    match fields.get("token_type") {
        None | Some(Value::Null) => {}
        Some(Value::String(kind)) if kind.eq_ignore_ascii_case("bearer") => {}
        Some(_) => return Err("the token endpoint grants no bearer token: it answered"),
    }
    let lifetime = fields.get("expires_in").and_then(seconds);
    Ok(match lifetime {
        Some(lifetime) => token.expires_in(lifetime),
        None => token,
    })
}

/// Number or text; what is neither says nothing of the lifetime.
pub(crate) fn seconds(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // What is over already lives for no time; what is no number says nothing.
    if seconds < 0.0 { Some(Duration::ZERO) } else { Duration::try_from_secs_f64(seconds).ok() }
}

/// A failed answer (RFC 6749, section 5.2). Of its body only the code is kept.
fn refusal(response: &Response, body: &[u8]) -> Error {
    let error = failed(response, "the token endpoint answered").oauth(error_code(body));
    error.passing(is_transient(response.status()))
}

pub(crate) fn error_code(body: &[u8]) -> Option<String> {
    let mut fields: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let Some(Value::String(code)) = fields.remove("error") else { return None };
    // As all registered codes are: what else stands there may be an echo of what was sent.
    let is_code = code.len() <= 64 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    is_code.then_some(code)
}

fn failed(response: &Response, message: &'static str) -> Error {
    let (status, headers) = (response.status(), response.headers().clone());
    let wait = retry::retry_after(&headers);
    let answer = Answer { status, headers, body: Vec::new() };
    Error::token(message).answered(answer).retry_in(wait)
}

/// Form encoding, as Basic wants the identifier and the secret.
fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
