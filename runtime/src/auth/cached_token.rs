//! A cached token: the header that carries it, and its lifetime.

use std::time::Duration;

use reqwest::header::HeaderValue;
use secrecy::ExposeSecret;
use tokio::time::Instant;

use crate::{AccessToken, Error, auth::source::is_sendable};

#[derive(Clone)]
pub(super) struct CachedToken {
    pub(super) header: HeaderValue,
    /// Whether the service has accepted the token.
    pub(super) is_accepted: bool,
    /// The time from which the next call renews the token.
    renewal: Option<Instant>,
    /// The time from which the token isn't used.
    end: Option<Instant>,
}

/// How long before its expiry a token stops being used. If a tenth of the token's lifetime is less,
/// that applies.
const EXPIRY_MARGIN: Duration = Duration::from_secs(60);
/// How long before its expiry a token is renewed. If a quarter of the token's lifetime is less,
/// that applies.
const RENEWAL_WINDOW: Duration = Duration::from_secs(5 * 60);
/// How long a call waits for a renewal before it uses the old token.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(5);

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
        let before_end = |longest: Duration, part| {
            let lifetime = token.lifetime?;
            Some(asked.checked_add(lifetime)? - longest.min(lifetime / part))
        };
        let (renewal, end) = (before_end(RENEWAL_WINDOW, 4), before_end(EXPIRY_MARGIN, 10));
        Ok(Self { header, is_accepted: false, renewal, end })
    }

    pub(super) fn is_usable(&self, now: Instant) -> bool {
        self.end.is_none_or(|end| now < end)
    }

    pub(super) fn is_near_its_end(&self, now: Instant) -> bool {
        self.renewal.is_some_and(|renewal| now >= renewal)
    }

    /// The time until which a call waits for a renewal. Half of the call's time is left for the
    /// request.
    pub(super) fn renewal_until(&self, now: Instant, deadline: Instant) -> Instant {
        let until = now + RENEWAL_TIMEOUT.min(deadline.saturating_duration_since(now) / 2);
        self.end.map_or(until, |end| until.min(end))
    }
}

/// The header that carries a token. `None` if a header can't contain the token.
pub(crate) fn bearer(token: &str) -> Option<HeaderValue> {
    let text = is_sendable(token).then(|| format!("Bearer {token}"))?;
    let mut header = HeaderValue::try_from(text).ok()?;
    header.set_sensitive(true);
    Some(header)
}
