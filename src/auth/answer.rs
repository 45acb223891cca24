//! The answer of a token endpoint: a token, or the reason why there is none.

use std::time::Duration;

use reqwest::{Response, StatusCode};
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    AccessToken, Error,
    auth::source::is_sendable,
    error::is_transient,
    http::{PATIENCE, read_start, read_whole},
    json, retry,
};

const SECOND: Duration = Duration::from_secs(1);
const LARGEST: usize = 1 << 20;

/// The body of an answer, or `None` if it is too large. However the body of a failed one ends, its
/// status counts.
pub(super) async fn body(response: &mut Response, end: Instant) -> Result<Option<Vec<u8>>, Error> {
    let status = response.status();
    if status.is_success() {
        return read_whole(response, LARGEST).await;
    }
    // Only the code of a refusal is worth a wait.
    let end = if is_transient(status) { end.min(Instant::now() + PATIENCE) } else { end };
    Ok(Some(read_start(response, LARGEST, end).await))
}

/// Whether a successful answer was cut off: it is empty, or its JSON ends early and nothing else shows
/// that it is complete.
pub(super) fn is_cut_off(status: StatusCode, ends_with_connection: bool, body: &[u8]) -> bool {
    status == StatusCode::OK && (body.is_empty() || ends_with_connection && json::ends_early(body))
}

/// Reads a successful answer (RFC 6749, section 5.1), or says what is wrong with it.
pub(super) fn granted(body: &[u8]) -> Result<AccessToken, &'static str> {
    let mut fields = json::fields(body).unwrap_or_default();
    let token = match fields.remove("access_token") {
        Some(Value::String(token)) if is_sendable(&token) => AccessToken::new(token),
        _ => return Err("the token endpoint sent no token: it answered"),
    };
    match fields.get("token_type") {
        None | Some(Value::Null) => {}
        Some(Value::String(kind)) if kind.eq_ignore_ascii_case("bearer") => {}
        Some(_) => {
            return Err("the token endpoint sent a token that isn't a bearer token: it answered");
        }
    }
    let lifetime = fields.get("expires_in").and_then(seconds);
    Ok(match lifetime {
        Some(lifetime) => token.expires_in(lifetime),
        None => token,
    })
}

/// Reads a number or a text. Anything else, or less than a second, leaves the lifetime unknown.
fn seconds(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds).ok().filter(|lifetime| *lifetime >= SECOND)
}

/// A failed answer (RFC 6749, section 5.2). Only the code of its body is kept.
pub(super) fn refusal(response: &Response, body: &[u8]) -> Error {
    let error = failed(response, "the token endpoint answered").oauth(error_code(body));
    error.transient(is_transient(response.status()))
}

pub(super) fn error_code(body: &[u8]) -> Option<String> {
    let mut fields = json::fields(body)?;
    let Some(Value::String(code)) = fields.remove("error") else { return None };
    // All registered codes look like this. Any other text may echo what was sent.
    let is_code = code.len() <= 64 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    is_code.then_some(code)
}

pub(super) fn failed(response: &Response, message: &'static str) -> Error {
    let wait = retry::retry_after(response.headers());
    Error::token(message).with_head(response.status(), response.headers().clone()).retry_in(wait)
}
