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
    /// The time after which the next call renews the token. `None` if the lifetime is unknown.
    renewal: Option<Instant>,
    /// The time after which the token is no longer used. `None` if the lifetime is unknown.
    end: Option<Instant>,
}

/// The last part of a token's lifetime, in which the token is no longer used. If the lifetime is
/// under 10 minutes, this part is a tenth of the lifetime.
const EXPIRY_MARGIN: Duration = Duration::from_secs(60);
/// The last part of a token's lifetime, in which the token is renewed. If the lifetime is under 20
/// minutes, this part is a quarter of the lifetime.
const RENEWAL_WINDOW: Duration = Duration::from_secs(5 * 60);
/// The longest time for which a call waits for a renewal before it uses the old token.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(5);

impl CachedToken {
    /// Prepares a token for the cache. `asked` is the time at which the token was requested.
    ///
    /// # Errors
    ///
    /// `Token` if the token can't be sent in a header.
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

    /// The time until which a call waits for a renewal. At least half of the call's remaining time
    /// is left for its own request.
    pub(super) fn renewal_until(&self, now: Instant, deadline: Instant) -> Instant {
        let until = now + RENEWAL_TIMEOUT.min(deadline.saturating_duration_since(now) / 2);
        self.end.map_or(until, |end| until.min(end))
    }
}

/// The value of the `Authorization` header for a token. `None` if the token is empty or contains a
/// character that isn't allowed in the header.
pub(crate) fn bearer(token: &str) -> Option<HeaderValue> {
    let text = is_sendable(token).then(|| format!("Bearer {token}"))?;
    let mut header = HeaderValue::try_from(text).ok()?;
    header.set_sensitive(true);
    Some(header)
}
