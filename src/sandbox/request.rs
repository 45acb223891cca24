//! A request that the sandbox received.

use axum::http::{self, HeaderMap, Method, StatusCode, header};
use serde::de::DeserializeOwned;

use super::{parameters::pairs, problem::Refusal};
use crate::decode::lenient;

/// A request that the sandbox received, whether it succeeded or not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path as it was sent, with its percent-encoding.
    pub path: String,
    /// The query's names and values, decoded, in the order in which they were sent.
    pub query: Vec<(String, String)>,
}

impl Request {
    pub(super) fn new<B>(request: &http::Request<B>) -> Self {
        Self {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            query: pairs(request.uri().query()),
        }
    }
}

/// Reads the body, which has to be a JSON object with the matching content type.
pub(super) fn json_body<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: &[u8],
) -> Result<T, Refusal> {
    if !has_content_type(headers, "application/json") {
        let detail = "the body is not application/json";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    let refusal = |error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body: {error}"));
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = lenient::object(&mut json).map_err(refusal)?;
    json.end().map_err(refusal)?;
    Ok(value)
}

pub(super) fn has_content_type(headers: &HeaderMap, expected: &str) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(expected)
}
