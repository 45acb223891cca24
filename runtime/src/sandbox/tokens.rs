//! The tokens that the token endpoint has issued, with their scopes.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use axum::http::{HeaderMap, StatusCode, header};
use tokio::time::Instant;

use super::{problem::Rejection, recent::Recent};
use crate::Operation;

/// The path of the token endpoint.
pub(super) const PATH: &str = "/oauth2/token";

/// The issued tokens with their scopes and expiry times.
#[derive(Default)]
pub(super) struct Grants(Recent<Grant>);

struct Grant {
    token: String,
    scopes: Vec<String>,
    end: Option<Instant>,
}

impl Grants {
    pub(super) fn revoke(&self) {
        self.0.clear();
    }

    /// Checks a request's token. Rejects a missing or invalid token with 401, and a token without
    /// the operation's scopes with 403.
    pub(super) fn check(&self, headers: &HeaderMap, operation: Operation) -> Result<(), Rejection> {
        let token = bearer(headers).ok_or_else(|| Rejection::unauthorized("no bearer token"))?;
        let grants = self.0.lock();
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

    pub(super) fn issue(&self, scopes: Vec<String>, lifetime: Duration) -> String {
        // The token is random, so that no other sandbox accepts it.
        let [first, second] = [0, 1].map(|half| RandomState::new().hash_one(half));
        let token = format!("{first:016x}{second:016x}");
        let end = Instant::now().checked_add(lifetime);
        self.0.add(Grant { token: token.clone(), scopes, end });
        token
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}
