//! The token endpoint: RFC 6749, client credentials.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use super::{parameters::pairs, problem::answer, request::has_content_type, service::Service};

pub(super) const PATH: &str = "/oauth2/token";

pub(super) async fn issue(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let granted = if has_content_type(&headers, "application/x-www-form-urlencoded") {
        service.granted(&headers, &pairs(std::str::from_utf8(&body).ok()))
    } else {
        Err("invalid_request")
    };
    let scopes = match granted {
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

fn refuse(error: &'static str, headers: &HeaderMap) -> Response {
    let is_client = error == "invalid_client";
    let status = if is_client { StatusCode::UNAUTHORIZED } else { StatusCode::BAD_REQUEST };
    let body = json!({ "error": error }).to_string();
    let response = no_store(answer(status, "application/json", Body::from(body)));
    if is_client && headers.contains_key(header::AUTHORIZATION) {
        return ([(header::WWW_AUTHENTICATE, "Basic")], response).into_response();
    }
    response
}

fn no_store(response: Response) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], response).into_response()
}
