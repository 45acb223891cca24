//! One request to a token endpoint, and its result (RFC 6749, section 4.4).

use std::time::Duration;

use reqwest::{
    Method, Request, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
};
use secrecy::SecretString;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::ClientCredentials;
use crate::{
    AccessToken, Error,
    auth::source::is_sendable,
    error::is_transient,
    json, retry,
    transport::{ERROR_BODY_TIMEOUT, has_no_length, read_start, read_whole},
};

/// The time limit for a token request. A working token endpoint responds within seconds.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// The maximum size of a response's body, in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;
const MIN_LIFETIME: Duration = Duration::from_secs(1);

impl ClientCredentials {
    /// Sends a token request and reads the response.
    pub(super) async fn ask(
        &self,
        scopes: &[&str],
        credential: &SecretString,
    ) -> Result<AccessToken, Error> {
        let (http, request) = (self.http()?, self.request(scopes, credential)?);
        let end = Instant::now() + REQUEST_TIMEOUT;
        let exchange = async {
            let mut response = http.send(request, None).await?;
            let has_no_length = has_no_length(&response);
            let body = body(&mut response, end).await?;
            Ok((response, has_no_length, body))
        };
        let late =
            Error::token("the token endpoint did not respond within 15 s").with_transient(true);
        let (response, has_no_length, body) = timeout_at(end, exchange)
            .await
            .map_err(|_| late)?
            .map_err(|error: Error| error.into_token("the request to the token endpoint failed"))?;
        let status = response.status();
        let token = token(status, has_no_length, body.as_deref());
        let token = token.map_err(|(message, is_transient)| {
            Error::token(message)
                .with_head(status, response.headers().clone())
                .retry_in(retry::retry_after(response.headers()))
                .with_oauth_code(body.as_deref().and_then(error_code))
                .with_transient(is_transient)
        })?;
        // Records the status of a successful response. If the request fails, the status is recorded
        // from the error.
        tracing::Span::current().record("http.response.status_code", i64::from(status.as_u16()));
        Ok(token)
    }

    /// Creates a token request (RFC 6749, section 4.4.2).
    fn request(&self, scopes: &[&str], credential: &SecretString) -> Result<Request, Error> {
        let mut request = Request::new(Method::POST, self.origin()?.url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        form.append_pair("scope", &scopes.join(" "));
        self.authentication.add(credential, &mut form, headers, &self.client_id, self.style);
        *request.body_mut() = Some(form.finish().into());
        Ok(request)
    }
}

/// Reads the body of a response. Returns `None` if the body is too large. If the status is an
/// error, returns as much of the body as could be read.
async fn body(response: &mut Response, end: Instant) -> Result<Option<Vec<u8>>, Error> {
    let status = response.status();
    if status.is_success() {
        return read_whole(response, MAX_BODY_BYTES).await;
    }
    // If the failure may be temporary, the error code in the body isn't worth a long wait.
    let end = if is_transient(status) { end.min(Instant::now() + ERROR_BODY_TIMEOUT) } else { end };
    Ok(Some(read_start(response, MAX_BODY_BYTES, end).await))
}

/// Gets the token from a response (RFC 6749, sections 5.1 and 5.2). If there is no valid token,
/// returns the error message, and whether the failure may be temporary.
///
/// Status 200 doesn't prove success, because some endpoints reject requests with that status.
fn token(
    status: StatusCode,
    has_no_length: bool,
    body: Option<&[u8]>,
) -> Result<AccessToken, (&'static str, bool)> {
    let body = body.ok_or(("the token endpoint's response is too large; status:", false))?;
    if !status.is_success() {
        return Err(("the token endpoint responded with status", is_transient(status)));
    }
    // A body counts as truncated if it is empty. It also counts as truncated if its JSON is
    // incomplete, and the response stated no length that would show that the whole body has
    // arrived.
    let ends_early = body.is_empty() || has_no_length && json::ends_early(body);
    if status == StatusCode::OK && ends_early {
        return Err(("the token endpoint's response is truncated; status:", true));
    }
    let Some(mut fields) = json::fields(body) else {
        return Err(("the token endpoint's response is not JSON; status:", false));
    };
    let token = match fields.remove("access_token") {
        Some(Value::String(token)) if is_sendable(&token) => AccessToken::new(token),
        Some(Value::String(token)) if token.is_empty() => {
            return Err(("the token endpoint sent an empty token; status:", false));
        }
        Some(Value::String(_)) => {
            let message = "the token endpoint sent a token with a character that a header can't \
                           contain; status:";
            return Err((message, false));
        }
        _ => return Err(("the token endpoint sent no token; status:", false)),
    };
    match fields.get("token_type") {
        None | Some(Value::Null) => {}
        Some(Value::String(kind)) if is_bearer(kind) => {}
        Some(_) => {
            let message = "the token endpoint sent a token that isn't a bearer token; status:";
            return Err((message, false));
        }
    }
    Ok(AccessToken { lifetime: fields.get("expires_in").and_then(seconds), ..token })
}

/// Whether a `token_type` means a bearer token. Some endpoints spell the type differently, or leave
/// it blank.
fn is_bearer(kind: &str) -> bool {
    ["", "bearer", "bearertoken"].iter().any(|name| kind.trim().eq_ignore_ascii_case(name))
}

/// Reads a lifetime in seconds from a JSON number or string. Returns `None` if the value is
/// anything else or is less than one second. The lifetime is then unknown.
fn seconds(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|lifetime| *lifetime >= MIN_LIFETIME)
}

/// The error code from the body of a rejected token request. The rest of the body isn't kept.
fn error_code(body: &[u8]) -> Option<String> {
    let mut fields = json::fields(body)?;
    let Some(Value::String(code)) = fields.remove("error") else { return None };
    // All registered codes have this form. Any other string may repeat data from the request.
    let is_code = code.len() <= 64 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    is_code.then_some(code)
}
