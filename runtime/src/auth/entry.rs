//! The cached token for one set of scopes, and the fetches of new tokens for these scopes.

use std::{
    mem,
    pin::pin,
    sync::{Arc, Mutex, Weak},
};

use futures_util::future::{Either, select};
use reqwest::{StatusCode, header::HeaderValue};
use tokio::{
    sync::Notify,
    time::{Duration, Instant, sleep, timeout_at},
};
use tracing::{Instrument, field::Empty};

use crate::{
    Error, TokenSource,
    auth::{
        backoff::Backoff,
        cached_token::CachedToken,
        in_flight::{Fetched, InFlight, bounded},
    },
    lock::lock,
};

pub(super) struct Entry {
    source: Arc<dyn TokenSource>,
    pub(super) scopes: Vec<String>,
    state: Mutex<TokenState>,
    /// Notified when a fetch returns a token.
    arrived: Notify,
}

#[derive(Default)]
struct TokenState {
    cached: Option<CachedToken>,
    /// The fetch in progress, if there is one. The reference is weak, so that the fetch is dropped
    /// when no call waits for it.
    in_flight: Weak<InFlight>,
    /// The number of fetches so far.
    fetches: u64,
    backoff: Backoff,
    /// The backoff before the latest fetch. This backoff is restored if the fetch's runtime shuts
    /// down.
    backoff_before: Backoff,
    /// The time at which a rejected token was last replaced.
    replaced: Option<Instant>,
    /// The token that the service rejected last, and the number of fetches before the rejection.
    /// One of these fetches may still return the same token.
    rejected: Option<(HeaderValue, u64)>,
}

/// The minimum time between two replacements of a token that the service rejects.
const REPLACEMENT: Duration = Duration::from_secs(5);
/// The minimum time between two replacements if the service accepted the token before rejecting it.
const REPLACEMENT_AFTER_USE: Duration = Duration::from_secs(1);

/// The next step of a call that needs a token.
enum Lookup {
    Use(HeaderValue),
    Fail(Error),
    /// The call waits until this time, the end of a pause. The pause follows several fetches that
    /// no call waited for.
    Pause(Instant),
    /// The call waits for this fetch. The old token is included if it is still usable.
    Wait(Arc<InFlight>, Option<CachedToken>),
}

impl Entry {
    pub(super) fn new(source: Arc<dyn TokenSource>, scopes: Vec<String>) -> Arc<Self> {
        Arc::new(Self { source, scopes, state: Mutex::default(), arrived: Notify::new() })
    }

    /// Returns the `Authorization` header with the cached token, and fetches or renews the token if
    /// necessary.
    pub(super) async fn token(self: &Arc<Self>, deadline: Instant) -> Result<HeaderValue, Error> {
        loop {
            let (fetch, old) = match self.look_up() {
                Lookup::Use(header) => return Ok(header),
                Lookup::Fail(error) => {
                    let end = error.retry_after().and_then(|wait| Instant::now().checked_add(wait));
                    match end.filter(|end| error.retries_token() && *end < deadline) {
                        Some(end) => self.pause(end).await,
                        None => return Err(error),
                    }
                    continue;
                }
                Lookup::Pause(end) => {
                    let now = Instant::now();
                    let left = deadline.saturating_duration_since(now);
                    // A call with less time left couldn't wait for the fetch after the pause. Its
                    // fetch would only cause another pause for the other calls.
                    if end > now + left / 2 {
                        let message =
                            "the token source did not respond to the previous calls in time";
                        return Err(Error::token(message)
                            .with_transient(true)
                            .retry_in(Some(end - now)));
                    }
                    self.pause(end).await;
                    continue;
                }
                Lookup::Wait(fetch, old) => (fetch, old),
            };
            if let Some(old) = old {
                let until = old.renewal_until(Instant::now(), deadline);
                if let Ok(None) = timeout_at(until, fetch.outcome()).await {
                    self.abandon(&fetch);
                }
            }
            // `token_of` also returns the old token, as long as that token is usable.
            match self.token_of(&fetch).await {
                // The failure has started a pause. The next iteration of the loop waits until that
                // pause ends.
                Some(Err(error)) if error.retries_token() => continue,
                Some(outcome) => return outcome,
                None => {}
            }
            self.abandon(&fetch);
            if fetch.is_of_this_runtime() {
                return Err(Error::token("the runtime is shutting down"));
            }
        }
    }

    fn look_up(self: &Arc<Self>) -> Lookup {
        let now = Instant::now();
        let mut state = lock(&self.state);
        let fetch = state.in_flight.upgrade();
        if let Some(cached) = state.cached.as_ref().filter(|cached| cached.is_usable(now)) {
            if !cached.is_near_its_end(now) || fetch.is_some() || !state.backoff.allows_renewal(now)
            {
                return Lookup::Use(cached.header.clone());
            }
            let cached = cached.clone();
            return Lookup::Wait(self.start(&mut state, now), Some(cached));
        }
        if let Some(fetch) = fetch {
            return Lookup::Wait(fetch, None);
        }
        match state.backoff.end().filter(|end| *end > now) {
            Some(end) => state.backoff.error(now).map_or(Lookup::Pause(end), Lookup::Fail),
            None => Lookup::Wait(self.start(&mut state, now), None),
        }
    }

    fn usable(&self) -> Option<HeaderValue> {
        let state = lock(&self.state);
        let cached = state.cached.as_ref().filter(|cached| cached.is_usable(Instant::now()))?;
        Some(cached.header.clone())
    }

    /// Waits until a pause ends, or until a token arrives.
    async fn pause(&self, end: Instant) {
        let arrived = self.arrived.notified();
        if self.usable().is_none() {
            let _ = timeout_at(end, arrived).await;
        }
    }

    /// Returns the cached token if it is usable. If not, waits for the token from `fetch`, or for
    /// another token that arrives earlier. Returns `None` if the fetch's runtime has shut down, or
    /// if the fetch takes too long on another runtime.
    async fn token_of(&self, fetch: &InFlight) -> Option<Result<HeaderValue, Error>> {
        let mut outcome = pin!(fetch.outcome());
        loop {
            let arrived = pin!(self.arrived.notified());
            if let Some(header) = self.usable() {
                return Some(Ok(header));
            }
            if let Either::Left((fetched, _)) = select(outcome.as_mut(), arrived).await {
                return Some(match &*fetched? {
                    Ok(cached) => Ok(self.usable().unwrap_or_else(|| cached.header.clone())),
                    Err(error) => self.usable().ok_or_else(|| error.clone()),
                });
            }
        }
    }

    fn start(self: &Arc<Self>, state: &mut TokenState, now: Instant) -> Arc<InFlight> {
        state.fetches += 1;
        // The pause is measured from the start of the fetch, because all calls may stop waiting
        // before the fetch fails.
        let backoff = state.backoff.with_fetch(now);
        let pause = backoff.end().unwrap_or(now);
        state.backoff_before = mem::replace(&mut state.backoff, backoff);
        let (number, entry) = (state.fetches, Arc::clone(self));
        let fetch = async move {
            let mut asked = now;
            loop {
                let fetched = bounded(entry.request(asked)).await;
                if entry.finish(number, &fetched) {
                    return fetched;
                }
                asked = Instant::now();
            }
        };
        let fetch = Arc::new(InFlight::start(number, pause, fetch));
        state.in_flight = Arc::downgrade(&fetch);
        fetch
    }

    async fn request(&self, asked: Instant) -> Fetched {
        let span = tracing::info_span!(
            "token",
            otel.kind = "internal",
            otel.status_code = Empty,
            scopes = ?self.scopes,
            http.response.status_code = Empty,
            error.type = Empty,
        );
        let scopes: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        let request = async { CachedToken::new(&self.source.token(&scopes).await?, asked) };
        let fetched = request.instrument(span.clone()).await;
        if let Err(error) = &fetched {
            span.record("otel.status_code", "ERROR");
            if let Some(status) = error.status() {
                span.record("http.response.status_code", i64::from(status.as_u16()));
            }
            let status = error.status();
            let status = status.as_ref().map(StatusCode::as_str);
            span.record("error.type", error.known_oauth_error().or(status).unwrap_or("token"));
        }
        fetched
    }

    /// Records the result of a fetch. Returns false if the fetch has to request another token,
    /// because the service has rejected this token in the meantime.
    fn finish(&self, number: u64, fetched: &Fetched) -> bool {
        let mut state = lock(&self.state);
        let is_latest = state.fetches == number;
        let is_rejected = state.rejected.as_ref().is_some_and(|(rejected, fetches)| {
            number <= *fetches && fetched.as_ref().is_ok_and(|cached| cached.header == *rejected)
        });
        if is_rejected {
            state.rejected = None;
            if is_latest {
                state.replaced = Some(Instant::now());
            }
            return false;
        }
        if is_latest {
            state.in_flight = Weak::new();
        }
        match fetched {
            Ok(cached) => {
                tracing::debug!(scopes = ?self.scopes, "token fetched");
                let now = Instant::now();
                // The cached token is from a later fetch, so this token is discarded.
                if !is_latest && state.cached.as_ref().is_some_and(|cached| cached.is_usable(now)) {
                    return true;
                }
                state.cached = Some(cached.clone());
                (state.backoff, state.backoff_before) = Default::default();
                self.arrived.notify_waiters();
            }
            Err(error) => {
                tracing::warn!(scopes = ?self.scopes, %error, "no token");
                if is_latest {
                    state.backoff.failed(error, Instant::now());
                }
            }
        }
        true
    }

    /// Abandons a fetch, unless another call has already abandoned it. If the fetch's runtime has
    /// shut down, the fetch doesn't count as a failure of the source.
    fn abandon(&self, fetch: &InFlight) {
        let mut state = lock(&self.state);
        let is_latest = state.fetches == fetch.number;
        if is_latest && mem::take(&mut state.in_flight).strong_count() > 0 && fetch.is_lost() {
            state.backoff = mem::take(&mut state.backoff_before);
        }
    }

    /// Drops the rejected token `sent`. If it can't be dropped yet, waits up to a second. Returns
    /// whether the next token replaces it.
    ///
    /// # Errors
    ///
    /// The time until the token can be dropped, if this wait would be longer than a second or end
    /// after `deadline`.
    pub(super) async fn replace(
        &self,
        sent: &HeaderValue,
        deadline: Instant,
    ) -> Result<bool, Duration> {
        loop {
            match self.drop_rejected(sent) {
                Ok(is_replaced) => return Ok(is_replaced),
                Err(wait) if wait > REPLACEMENT_AFTER_USE || Instant::now() + wait > deadline => {
                    return Err(wait);
                }
                Err(wait) => sleep(wait).await,
            }
        }
    }

    /// Drops the rejected token `sent`, if it is still the cached token. Returns whether the next
    /// token replaces it. If a fetch was started before the rejection, its token doesn't count as a
    /// replacement, because the service may reject that token for the same reason.
    ///
    /// # Errors
    ///
    /// If the token can't be dropped yet, the time for which the caller has to wait.
    fn drop_rejected(&self, sent: &HeaderValue) -> Result<bool, Duration> {
        let (mut state, now) = (lock(&self.state), Instant::now());
        let is_replaced = state.in_flight.strong_count() == 0;
        if let Some(cached) = state.cached.as_ref().filter(|cached| cached.header == *sent) {
            let pause = if cached.is_accepted { REPLACEMENT_AFTER_USE } else { REPLACEMENT };
            let end = state.replaced.map_or(now, |replaced| replaced + pause);
            if end > now {
                return Err(end - now);
            }
            (state.cached, state.rejected) = (None, Some((sent.clone(), state.fetches)));
            if is_replaced {
                state.replaced = Some(now);
            }
        }
        Ok(is_replaced)
    }

    /// Records that the service has accepted the token `sent`.
    pub(super) fn accept(&self, sent: &HeaderValue) {
        let mut state = lock(&self.state);
        if let Some(cached) = state.cached.as_mut().filter(|cached| cached.header == *sent) {
            cached.is_accepted = true;
        }
    }
}
