//! The token of one set of scopes, and the requests for it.

use std::{
    mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use futures_util::future::{Either, select};
use reqwest::header::HeaderValue;
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};
use tracing::{Instrument, field::Empty};

use crate::{
    Error, TokenSource,
    auth::{
        flight::{Fetched, Flight},
        kept::Kept,
        trouble::Trouble,
    },
};

pub(super) struct Slot {
    source: Arc<dyn TokenSource>,
    pub(super) scopes: Vec<String>,
    state: Mutex<State>,
    /// Whenever a flight brings a token.
    landed: Notify,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) kept: Option<Kept>,
    /// Weak: a flight that nobody waits for is dropped.
    flight: Weak<Flight>,
    /// The number of flights so far.
    flights: u64,
    /// `None` if the last flight brought a token.
    trouble: Option<Trouble>,
    /// What it was before the latest flight.
    trouble_before: Option<Trouble>,
    /// When a rejected token was last replaced.
    pub(super) replaced: Option<Instant>,
}

pub(super) enum Look {
    Use(HeaderValue),
    Fail(Error),
    /// The source isn't asked until then, because nobody waited for the last requests.
    Rest(Instant),
    /// A flight to wait for, and the token that is usable in the meantime.
    Fetch(Arc<Flight>, Option<Kept>),
}

impl Slot {
    pub(super) fn new(source: Arc<dyn TokenSource>, scopes: Vec<String>) -> Arc<Self> {
        Arc::new(Self { source, scopes, state: Mutex::default(), landed: Notify::new() })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn usable(&self) -> Option<HeaderValue> {
        let state = self.state();
        let kept = state.kept.as_ref().filter(|kept| kept.is_usable(Instant::now()))?;
        Some(kept.header.clone())
    }

    /// Waits for the token of a flight, or of another that lands before, unless the kept one is
    /// usable. `None` if the flight isn't worth waiting for any more.
    pub(super) async fn landing(&self, flight: &Flight) -> Option<Result<HeaderValue, Error>> {
        let mut landing = pin!(flight.landing());
        loop {
            let landed = pin!(self.landed.notified());
            if let Some(header) = self.usable() {
                return Some(Ok(header));
            }
            if let Either::Left((fetched, _)) = select(landing.as_mut(), landed).await {
                return Some(match &*fetched? {
                    Ok(kept) => Ok(self.usable().unwrap_or_else(|| kept.header.clone())),
                    Err(error) => self.usable().ok_or_else(|| error.share()),
                });
            }
        }
    }

    /// Waits for the end of a pause, or for a token that lands before.
    pub(super) async fn rest(&self, end: Instant) {
        let landed = self.landed.notified();
        if self.usable().is_none() {
            let _ = timeout_at(end, landed).await;
        }
    }

    pub(super) fn look(self: &Arc<Self>) -> Look {
        let now = Instant::now();
        let mut state = self.state();
        let flight = state.flight.upgrade();
        if let Some(kept) = state.kept.as_ref().filter(|kept| kept.is_usable(now)) {
            if !kept.is_near_its_end(now)
                || flight.is_some()
                || state.trouble.as_ref().is_some_and(|trouble| !trouble.allows_renewal(now))
            {
                return Look::Use(kept.header.clone());
            }
            let kept = kept.clone();
            return Look::Fetch(self.start(&mut state, now), Some(kept));
        }
        if let Some(flight) = flight {
            return Look::Fetch(flight, None);
        }
        match &state.trouble {
            Some(trouble) if trouble.end() > now => match trouble.error(now) {
                Some(error) => Look::Fail(error),
                None => Look::Rest(trouble.end()),
            },
            _ => Look::Fetch(self.start(&mut state, now), None),
        }
    }

    fn start(self: &Arc<Self>, state: &mut State, now: Instant) -> Arc<Flight> {
        state.flights += 1;
        // Until it brings a token: nobody may wait long enough to see it fail.
        state.trouble_before = state.trouble.take();
        let trouble = Trouble::after(state.trouble_before.as_ref(), now);
        let (number, asking, landing) = (state.flights, Arc::clone(self), Arc::clone(self));
        let fetch = async move { asking.fetch(now).await };
        let pause = trouble.end();
        state.trouble = Some(trouble);
        let flight =
            Flight::start(number, pause, fetch, move |fetched| landing.land(number, fetched));
        let flight = Arc::new(flight);
        state.flight = Arc::downgrade(&flight);
        flight
    }

    async fn fetch(&self, asked: Instant) -> Fetched {
        let span = tracing::info_span!(
            "token",
            otel.kind = "internal",
            otel.status_code = Empty,
            scopes = ?self.scopes,
            http.response.status_code = Empty,
            error.type = Empty,
        );
        let scopes: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        let fetch = async { Kept::new(&self.source.token(&scopes).await?, asked) };
        let fetched = fetch.instrument(span.clone()).await;
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

    fn land(&self, number: u64, fetched: &Fetched) {
        let mut state = self.state();
        let is_latest = state.flights == number;
        if is_latest {
            state.flight = Weak::new();
        }
        match fetched {
            Ok(kept) => {
                tracing::debug!(scopes = ?self.scopes, "token fetched");
                let now = Instant::now();
                // A later flight has brought it.
                if !is_latest && state.kept.as_ref().is_some_and(|kept| kept.is_usable(now)) {
                    return;
                }
                state.kept = Some(kept.clone());
                (state.trouble, state.trouble_before) = (None, None);
                self.landed.notify_waiters();
            }
            Err(error) => {
                tracing::warn!(scopes = ?self.scopes, %error, "no token");
                if is_latest && let Some(trouble) = &mut state.trouble {
                    trouble.failed(error, Instant::now());
                }
            }
        }
    }

    /// Abandons a flight, if nobody else has done so. One that is lost says nothing about the source.
    pub(super) fn leave(&self, flight: &Flight) {
        let mut state = self.state();
        let is_latest = state.flights == flight.number;
        if is_latest && mem::take(&mut state.flight).strong_count() > 0 && flight.is_lost() {
            state.trouble = state.trouble_before.take();
        }
    }
}
