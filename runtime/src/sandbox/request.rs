//! A request that the sandbox received.

use axum::{
    body::Bytes,
    http::{HeaderMap, Method, StatusCode, header, request::Parts},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{parameters::pairs, problem::Rejection};
use crate::{
    Error,
    validate::{Rule, checked_body},
};

/// A request that the sandbox received, whether it succeeded or not.
///
/// The `Debug` output doesn't contain the token.
///
/// ```
/// # use oas_client::sandbox::{Data, Sandbox};
/// # fn check<D: Data>(sandbox: Sandbox<D>) {
/// for request in sandbox.requests() {
///     assert_eq!(request.header("accept"), Some("application/json"));
///     assert!(request.body().is_empty());
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The HTTP method.
    pub method: Method,
    /// The path as it was sent, still percent-encoded.
    pub path: String,
    /// The names and values of the query parameters, decoded, in the order in which they were sent.
    pub query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
}

impl Request {
    pub(super) fn new(parts: &Parts, body: Bytes) -> Self {
        let mut headers = parts.headers.clone();
        let secrets = headers.iter_mut().filter(|(name, _)| *name == header::AUTHORIZATION);
        secrets.for_each(|(_, value)| value.set_sensitive(true));
        Self {
            method: parts.method.clone(),
            path: parts.uri.path().to_owned(),
            query: pairs(parts.uri.query()),
            headers,
            body,
        }
    }

    /// Returns the first value of a header; `name` is case-insensitive. Returns `None` if the
    /// header is missing or if its value isn't visible ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as it was sent. It is empty if the request had no body, or if the sandbox rejected
    /// the body because it was incomplete or larger than 2 MiB.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the headers whose values are visible ASCII, except `Authorization`.
    pub(super) fn headers(&self) -> impl Iterator<Item = (String, String)> {
        let shown = self.headers.iter().filter(|(_, value)| !value.is_sensitive());
        shown.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())))
    }
}

/// Parses the body of a request, which must be JSON with the content type `application/json`.
///
/// # Errors
///
/// Status 415 if the content type is different, or status 400 if the body can't be deserialized as
/// `T`.
pub fn json_body<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Rejection> {
    if !has_content_type(headers, "application/json") {
        let detail = "the content type is not application/json";
        return Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    let rejection = |error| Rejection::new(StatusCode::BAD_REQUEST, format!("the body: {error}"));
    serde_json::from_slice(body).map_err(rejection)
}

/// Checks a body against its rule from the OpenAPI description: the constant `BODY` of the
/// operation's builder.
///
/// # Errors
///
/// `InvalidRequest` if the body violates the rule.
pub fn check_body(body: &impl Serialize, rule: Option<&Rule>) -> Result<(), Error> {
    checked_body(body, rule).map(drop)
}

pub(super) fn has_content_type(headers: &HeaderMap, expected: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(expected)
}
