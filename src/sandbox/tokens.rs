//! The tokens that were issued, and what each allows.

use std::{
    collections::VecDeque,
    fmt,
    hash::{BuildHasher, RandomState},
    sync::Mutex,
    time::Duration,
};

use axum::http::{HeaderMap, StatusCode, header};
use tokio::time::Instant;

use super::{
    problem::Rejection,
    random::{Random, Topic},
};
use crate::{Operation, lock::lock};

/// The most tokens that are valid at once; the oldest are dropped first.
const MOST_TOKENS: usize = 10_000;

/// The tokens that were issued.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) lifetime: Duration,
    salt: u64,
    issued: Mutex<Issued>,
}

#[derive(Debug, Default)]
struct Issued {
    count: u64,
    grants: VecDeque<Grant>,
}

struct Grant {
    token: String,
    scopes: Vec<String>,
    end: Option<Instant>,
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

impl Tokens {
    pub(super) fn new(lifetime: Duration) -> Self {
        // Different in every sandbox, so that no sandbox accepts another's tokens.
        let salt = RandomState::new().hash_one(0);
        Self { lifetime, salt, issued: Mutex::default() }
    }

    pub(super) fn revoke_all(&self) {
        lock(&self.issued).grants.clear();
    }

    /// 401 for a token that isn't valid, 403 for one without the operation's scope.
    pub(super) fn check(&self, headers: &HeaderMap, operation: Operation) -> Result<(), Rejection> {
        let token = bearer(headers).ok_or_else(|| Rejection::unauthorized("no bearer token"))?;
        let issued = lock(&self.issued);
        let grant = issued.grants.iter().rev().find(|grant| grant.token == token);
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

    pub(super) fn issue(&self, scopes: Vec<String>) -> String {
        let mut issued = lock(&self.issued);
        issued.count += 1;
        let unguessable = Random::new(self.salt, Topic::AccessToken, issued.count).uuid();
        let token = format!("{}.{}", unguessable.simple(), issued.count);
        let end = Instant::now().checked_add(self.lifetime);
        issued.grants.push_back(Grant { token: token.clone(), scopes, end });
        if issued.grants.len() > MOST_TOKENS {
            issued.grants.pop_front();
        }
        token
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}
