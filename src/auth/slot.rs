//! The token of one set of scopes, and the fetches of it.

use std::{
    mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use futures_util::future::{Either, select};
use reqwest::header::HeaderValue;
use tokio::{
    sync::Notify,
    time::{Duration, Instant, timeout_at},
};
use tracing::{Instrument, field::Empty};

use crate::{
    Error, TokenSource,
    auth::{
        backoff::Backoff,
        fetch::{Fetch, Fetched},
        kept::Kept,
    },
};

pub(super) struct Slot {
    source: Arc<dyn TokenSource>,
    pub(super) scopes: Vec<String>,
    state: Mutex<State>,
    /// Whenever a fetch brings a token.
    arrived: Notify,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) kept: Option<Kept>,
    /// Weak: a fetch that nobody waits for is dropped.
    fetch: Weak<Fetch>,
    /// The number of fetches so far.
    fetches: u64,
    /// The fetches since a token last arrived.
    backoff: Option<Backoff>,
    /// What it was before the latest fetch.
    backoff_before: Option<Backoff>,
    /// When a rejected token was last replaced.
    pub(super) replaced: Option<Instant>,
}

/// How long a token that replaced a rejected one is kept, rejected or not.
const REPLACED: Duration = Duration::from_secs(5);
/// The same, if the service had accepted it before.
pub(super) const REPLACED_AFTER_USE: Duration = Duration::from_secs(1);

/// What a call does next.
pub(super) enum Look {
    Use(HeaderValue),
    Fail(Error),
    /// The source isn't asked until then, because nobody waited for the last fetches.
    Pause(Instant),
    /// A fetch to wait for, and the token that is usable in the meantime.
    Wait(Arc<Fetch>, Option<Kept>),
}

impl Slot {
    pub(super) fn new(source: Arc<dyn TokenSource>, scopes: Vec<String>) -> Arc<Self> {
        Arc::new(Self { source, scopes, state: Mutex::default(), arrived: Notify::new() })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn usable(&self) -> Option<HeaderValue> {
        let state = self.state();
        let kept = state.kept.as_ref().filter(|kept| kept.is_usable(Instant::now()))?;
        Some(kept.header.clone())
    }

    /// Waits for the token of a fetch, or for another that arrives before, unless the kept one is
    /// usable. `None` if the fetch isn't worth waiting for any more.
    pub(super) async fn token_of(&self, fetch: &Fetch) -> Option<Result<HeaderValue, Error>> {
        let mut outcome = pin!(fetch.outcome());
        loop {
            let arrived = pin!(self.arrived.notified());
            if let Some(header) = self.usable() {
                return Some(Ok(header));
            }
            if let Either::Left((fetched, _)) = select(outcome.as_mut(), arrived).await {
                return Some(match &*fetched? {
                    Ok(kept) => Ok(self.usable().unwrap_or_else(|| kept.header.clone())),
                    Err(error) => self.usable().ok_or_else(|| error.share()),
                });
            }
        }
    }

    /// Waits for the end of a pause, or for a token that arrives before.
    pub(super) async fn pause(&self, end: Instant) {
        let arrived = self.arrived.notified();
        if self.usable().is_none() {
            let _ = timeout_at(end, arrived).await;
        }
    }

    /// Drops a rejected token, if it is still the kept one. Returns how much longer it has to be kept.
    pub(super) fn drop_rejected(&self, sent: &HeaderValue) -> Option<Duration> {
        let (mut state, now) = (self.state(), Instant::now());
        let kept = state.kept.as_ref().filter(|kept| kept.header == *sent)?;
        let pause = if kept.is_accepted { REPLACED_AFTER_USE } else { REPLACED };
        let end = state.replaced.map_or(now, |replaced| replaced + pause);
        if end > now {
            return Some(end - now);
        }
        (state.kept, state.replaced) = (None, Some(now));
        None
    }

    pub(super) fn look(self: &Arc<Self>) -> Look {
        let now = Instant::now();
        let mut state = self.state();
        let fetch = state.fetch.upgrade();
        if let Some(kept) = state.kept.as_ref().filter(|kept| kept.is_usable(now)) {
            if !kept.is_near_its_end(now)
                || fetch.is_some()
                || state.backoff.as_ref().is_some_and(|backoff| !backoff.allows_renewal(now))
            {
                return Look::Use(kept.header.clone());
            }
            let kept = kept.clone();
            return Look::Wait(self.start(&mut state, now), Some(kept));
        }
        if let Some(fetch) = fetch {
            return Look::Wait(fetch, None);
        }
        match &state.backoff {
            Some(backoff) if backoff.end() > now => match backoff.error(now) {
                Some(error) => Look::Fail(error),
                None => Look::Pause(backoff.end()),
            },
            _ => Look::Wait(self.start(&mut state, now), None),
        }
    }

    fn start(self: &Arc<Self>, state: &mut State, now: Instant) -> Arc<Fetch> {
        state.fetches += 1;
        // The pause begins now: perhaps nobody waits long enough to see the fetch fail.
        state.backoff_before = state.backoff.take();
        let backoff = Backoff::after(state.backoff_before.as_ref(), now);
        let pause = backoff.end();
        state.backoff = Some(backoff);
        let (number, asking, finishing) = (state.fetches, Arc::clone(self), Arc::clone(self));
        let request = async move { asking.request(now).await };
        let finish = move |fetched: &Fetched| finishing.finish(number, fetched);
        let fetch = Arc::new(Fetch::start(number, pause, request, finish));
        state.fetch = Arc::downgrade(&fetch);
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
        let request = async { Kept::new(&self.source.token(&scopes).await?, asked) };
        let fetched = request.instrument(span.clone()).await;
        if let Err(error) = &fetched {
            span.record("otel.status_code", "ERROR");
            if let Some(status) = error.status() {
                span.record("http.response.status_code", i64::from(status.as_u16()));
            }
            let status = error.status();
            let status = status.as_ref().map(reqwest::StatusCode::as_str);
            span.record("error.type", error.known_oauth_error().or(status).unwrap_or("token"));
        }
        fetched
    }

    fn finish(&self, number: u64, fetched: &Fetched) {
        let mut state = self.state();
        let is_latest = state.fetches == number;
        if is_latest {
            state.fetch = Weak::new();
        }
        match fetched {
            Ok(kept) => {
                tracing::debug!(scopes = ?self.scopes, "token fetched");
                let now = Instant::now();
                // A later fetch has brought it.
                if !is_latest && state.kept.as_ref().is_some_and(|kept| kept.is_usable(now)) {
                    return;
                }
                state.kept = Some(kept.clone());
                (state.backoff, state.backoff_before) = (None, None);
                self.arrived.notify_waiters();
            }
            Err(error) => {
                tracing::warn!(scopes = ?self.scopes, %error, "no token");
                if is_latest && let Some(backoff) = &mut state.backoff {
                    backoff.failed(error, Instant::now());
                }
            }
        }
    }

    /// Abandons a fetch, if nobody else has done so. One that is lost says nothing about the source.
    pub(super) fn abandon(&self, fetch: &Fetch) {
        let mut state = self.state();
        let is_latest = state.fetches == fetch.number;
        if is_latest && mem::take(&mut state.fetch).strong_count() > 0 && fetch.is_lost() {
            state.backoff = state.backoff_before.take();
        }
    }
}
