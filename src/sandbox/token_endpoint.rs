//! The token endpoint: RFC 6749, client credentials.

use std::sync::Arc;

use axum::{
    body::Bytes,
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
    let (status, body) = match granted {
        Ok(scopes) => (
            StatusCode::OK,
            json!({
                "scope": scopes.join(" "),
                "access_token": service.issue_token(scopes),
                "token_type": "bearer",
                "expires_in": service.settings.token_lifetime.as_secs(),
            }),
        ),
        Err(error @ "invalid_client") => (StatusCode::UNAUTHORIZED, json!({ "error": error })),
        Err(error) => (StatusCode::BAD_REQUEST, json!({ "error": error })),
    };
    let is_basic =
        status == StatusCode::UNAUTHORIZED && headers.contains_key(header::AUTHORIZATION);
    let challenge = is_basic.then_some([(header::WWW_AUTHENTICATE, "Basic")]);
    let response = answer(status, "application/json", body.to_string().into());
    ([(header::CACHE_CONTROL, "no-store")], challenge, response).into_response()
}
