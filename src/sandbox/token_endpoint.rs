//! The token endpoint: RFC 6749, client credentials.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::json;

use super::{parameters::pairs, problem::answer, request::has_content_type, service::Service};
use crate::Operation;

pub(super) const PATH: &str = "/oauth2/token";
pub(super) const CLIENT_ID: &str = "sandbox-client";
pub(super) const CLIENT_SECRET: &str = "sandbox-secret";

pub(super) async fn issue(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let scopes = match requested_scopes(&headers, &body) {
        Ok(scopes) => scopes,
        Err(error) => return refuse(error, &headers),
    };
    let body = json!({
        "scope": scopes.join(" "),
        "access_token": service.tokens.issue(scopes),
        "token_type": "bearer",
        "expires_in": service.tokens.lifetime.as_secs(),
    });
    no_store(answer(StatusCode::OK, "application/json", Body::from(body.to_string())))
}

/// The scopes of a request that may have them, or the error of RFC 6749, section 5.2.
fn requested_scopes(headers: &HeaderMap, body: &[u8]) -> Result<Vec<String>, &'static str> {
    if !has_content_type(headers, "application/x-www-form-urlencoded") {
        return Err("invalid_request");
    }
    let form = Form(pairs(std::str::from_utf8(body).ok()));
    let in_body = (form.one("client_id")?, form.one("client_secret")?);
    let client = match (headers.get(header::AUTHORIZATION), in_body) {
        (None, (Some(id), Some(secret))) => (id.to_owned(), secret.to_owned()),
        (Some(_), (_, Some(_))) => return Err("invalid_request"),
        (Some(header), _) => basic(header).ok_or("invalid_client")?,
        (None, _) => return Err("invalid_client"),
    };
    if client != (CLIENT_ID.to_owned(), CLIENT_SECRET.to_owned()) {
        return Err("invalid_client");
    }
    match form.one("grant_type")? {
        Some("client_credentials") => {}
        Some(_) => return Err("unsupported_grant_type"),
        None => return Err("invalid_request"),
    }
    let scopes: Vec<_> = form
        .one("scope")?
        .unwrap_or_default()
        .split_ascii_whitespace()
        .map(str::to_owned)
        .collect();
    let is_known = |scope: &String| {
        Operation::ALL.iter().any(|operation| operation.scopes().contains(&scope.as_str()))
    };
    if scopes.is_empty() || !scopes.iter().all(is_known) {
        return Err("invalid_scope");
    }
    Ok(scopes)
}

struct Form(Vec<(String, String)>);

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

fn refuse(error: &'static str, headers: &HeaderMap) -> Response {
    let is_client = error == "invalid_client";
    let status = if is_client { StatusCode::UNAUTHORIZED } else { StatusCode::BAD_REQUEST };
    let body = json!({ "error": error }).to_string();
    let mut response = no_store(answer(status, "application/json", Body::from(body)));
    if is_client && headers.contains_key(header::AUTHORIZATION) {
        let challenge = HeaderValue::from_static("Basic");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

fn no_store(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
