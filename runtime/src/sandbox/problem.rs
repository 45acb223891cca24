//! JSON responses and problem documents (RFC 7807).

use axum::{
    body::Body,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::json;

/// An error response: its status, the reason, and the name of the invalid parameter if there is
/// one.
#[derive(Clone, Debug)]
pub struct Rejection {
    status: StatusCode,
    detail: String,
    parameter: Option<String>,
}

impl Rejection {
    /// Creates a rejection with this status. `detail` is the human-readable reason.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), parameter: None }
    }

    /// Creates a rejection with status 400, because of an error in one parameter or field.
    pub fn parameter(name: &str, detail: impl Into<String>) -> Self {
        Self { parameter: Some(name.to_owned()), ..Self::new(StatusCode::BAD_REQUEST, detail) }
    }

    pub(super) fn unauthorized(detail: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, detail)
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let mut problem = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Unknown"),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if let Some(parameter) = self.parameter {
            problem["meta"] = json!({ "parameter": parameter });
        }
        let is_unauthorized = self.status == StatusCode::UNAUTHORIZED;
        let challenge = is_unauthorized.then_some([(header::WWW_AUTHENTICATE, "Bearer")]);
        let response = answer(self.status, "application/problem+json", problem.to_string().into());
        (challenge, response).into_response()
    }
}

/// A response with status 200 and a JSON body.
///
/// # Errors
///
/// 500 if the body can't be serialized as JSON.
pub fn ok(body: &impl Serialize) -> Result<Response, Rejection> {
    let rejection = |_| {
        Rejection::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the response can't be serialized as JSON",
        )
    };
    let body = serde_json::to_vec(body).map_err(rejection)?;
    Ok(answer(StatusCode::OK, "application/json", body.into()))
}

pub(super) fn answer(status: StatusCode, content_type: &'static str, body: Body) -> Response {
    (status, [(header::CONTENT_TYPE, content_type)], body).into_response()
}
