//! The token endpoint: RFC 6749, client credentials, and what an issued token allows.

use std::{
    collections::VecDeque,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::json;
use tokio::time::Instant;

use super::{
    parameters::pairs,
    problem::{Refusal, answer},
    random::{Random, Topic},
    service::{Service, has_content_type},
};
use crate::Operation;

pub(super) const PATH: &str = "/oauth2/token";
pub(super) const CLIENT_ID: &str = "sandbox-client";
pub(super) const CLIENT_SECRET: &str = "sandbox-secret";

/// Tokens that can be valid at once; the oldest go first.
const MOST_TOKENS: usize = 10_000;

/// The tokens that were issued.
#[derive(Debug)]
pub(super) struct Tokens {
    lifetime: Duration,
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

impl std::fmt::Debug for Grant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
        self.issued().grants.clear();
    }

    /// 401 for a token that isn't valid, 403 for one without the operation's scope.
    pub(super) fn check(&self, headers: &HeaderMap, operation: Operation) -> Result<(), Refusal> {
        let token = bearer(headers).ok_or_else(|| Refusal::unauthorized("no bearer token"))?;
        let issued = self.issued();
        let grant = issued.grants.iter().rev().find(|grant| grant.token == token);
        let grant = grant.ok_or_else(|| Refusal::unauthorized("the token is unknown"))?;
        if grant.end.is_some_and(|end| end <= Instant::now()) {
            return Err(Refusal::unauthorized("the token has expired"));
        }
        match operation.scopes().iter().find(|scope| !grant.scopes.iter().any(|s| s == *scope)) {
            None => Ok(()),
            Some(scope) => {
                let detail = format!("the token lacks the scope {scope}");
                Err(Refusal::new(StatusCode::FORBIDDEN, detail))
            }
        }
    }

    fn issue(&self, scopes: Vec<String>) -> String {
        let mut issued = self.issued();
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

    fn issued(&self) -> std::sync::MutexGuard<'_, Issued> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
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
