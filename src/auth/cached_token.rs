//! A cached token: the header that carries it, and its lifetime.

use std::time::Duration;

use reqwest::header::HeaderValue;
use secrecy::ExposeSecret;
use tokio::time::Instant;

use crate::{AccessToken, Error, auth::source::is_sendable};

#[derive(Clone)]
pub(super) struct CachedToken {
    pub(super) header: HeaderValue,
    /// Whether the service has accepted it.
    pub(super) is_accepted: bool,
    term: Option<Term>,
}

#[derive(Clone, Copy)]
struct Term {
    /// From then on, the next call renews it.
    renewal: Instant,
    /// From then on, it isn't used.
    end: Instant,
}

/// A token is no longer used this long before it expires, or a tenth of its lifetime if that is less.
const MARGIN: Duration = Duration::from_secs(60);
/// A token is renewed this long before it expires, or a quarter of its lifetime if that is less.
const RENEWAL_WINDOW: Duration = Duration::from_secs(5 * 60);
/// How long a call waits for a renewal before it uses the old token.
const PATIENCE: Duration = Duration::from_secs(5);

impl CachedToken {
    /// # Errors
    ///
    /// `Token` if a header can't contain the token.
    pub(super) fn new(token: &AccessToken, asked: Instant) -> Result<Self, Error> {
        let header = bearer(token.secret.expose_secret()).ok_or_else(|| {
            Error::token(
                "the access token is empty or contains a character that a header can't contain",
            )
        })?;
        let term = token.lifetime.and_then(|lifetime| {
            let end = asked.checked_add(lifetime)?;
            let before_end = |span: Duration| end.checked_sub(span).unwrap_or(asked);
            Some(Term {
                renewal: before_end(RENEWAL_WINDOW.min(lifetime / 4)),
                end: before_end(MARGIN.min(lifetime / 10)),
            })
        });
        Ok(Self { header, is_accepted: false, term })
    }

    pub(super) fn is_usable(&self, now: Instant) -> bool {
        self.term.is_none_or(|term| now < term.end)
    }

    pub(super) fn is_near_its_end(&self, now: Instant) -> bool {
        self.term.is_some_and(|term| now >= term.renewal)
    }

    /// Until when a call waits for a renewal. It leaves half of its time for the request.
    pub(super) fn patience(&self, now: Instant, deadline: Instant) -> Instant {
        let patience = now + PATIENCE.min(deadline.saturating_duration_since(now) / 2);
        self.term.map_or(patience, |term| patience.min(term.end))
    }
}

/// The header that carries a token, unless a header can't contain it.
pub(crate) fn bearer(token: &str) -> Option<HeaderValue> {
    let text = is_sendable(token).then(|| format!("Bearer {token}"))?;
    let mut header = HeaderValue::try_from(text).ok()?;
    header.set_sensitive(true);
    Some(header)
}
