//! The token endpoint (RFC 6749, client credentials), the tokens that it issued, and what each allows.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;
use tokio::time::Instant;

use super::{
    parameters::pairs,
    problem::{Rejection, answer},
    request::has_content_type,
    service::{Data, Service, keep},
};
use crate::{Operation, lock::lock};

pub(super) const PATH: &str = "/oauth2/token";

pub(super) async fn issue<D: Data>(
    State(service): State<Arc<Service<D>>>,
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

/// A token that was issued.
pub(super) struct Grant {
    token: String,
    scopes: Vec<String>,
    end: Option<Instant>,
}

impl<D: Data> Service<D> {
    pub(super) fn revoke_tokens(&self) {
        lock(&self.grants).clear();
    }

    /// 401 for a token that isn't valid, 403 for one without the operation's scope.
    pub(super) fn check_token(
        &self,
        headers: &HeaderMap,
        operation: Operation,
    ) -> Result<(), Rejection> {
        let token = bearer(headers).ok_or_else(|| Rejection::unauthorized("no bearer token"))?;
        let grants = lock(&self.grants);
        let grant = grants.iter().rev().find(|grant| grant.token == token);
        let grant = grant.ok_or_else(|| Rejection::unauthorized("the token is unknown"))?;
        if grant.end.is_some_and(|end| end <= Instant::now()) {
            return Err(Rejection::unauthorized("the token has expired"));
        }
        match operation.scopes().iter().find(|scope| !grant.scopes.iter().any(|s| s == *scope)) {
            None => Ok(()),
            Some(scope) => {
                let detail = format!("the token lacks the scope {scope}");
                Err(Rejection::new(StatusCode::FORBIDDEN, detail))
            }
        }
    }

    pub(super) fn issue_token(&self, scopes: Vec<String>) -> String {
        // Different each time, so that no sandbox accepts another's tokens.
        let [first, second] = [0, 1].map(|half| RandomState::new().hash_one(half));
        let token = format!("{first:016x}{second:016x}");
        let end = Instant::now().checked_add(self.settings.token_lifetime);
        keep(&self.grants, Grant { token: token.clone(), scopes, end });
        token
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}
