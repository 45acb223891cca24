//! The tokens of a client: which one a call uses, and when the source is asked for another.
//!
//! Two promises:
//!
//! - **A usable token is used.** Shortly before a token expires, one call at a time refreshes it,
//!   and waits no longer than it can afford. All other calls go on with the old token until it
//!   expires. So do all calls after a refresh that failed, hung or was abandoned.
//! - **The source isn't overloaded.** It is asked once for all calls that wait, and again only
//!   after a pause that doubles: 5 s to 60 s between refreshes, and 1 s to 30 s after a failure or
//!   after the third request in a row that nobody waited for. Calls with the time for both wait for
//!   the end of such a pause and then for the request. A token that the service rejects is replaced at
//!   most once in five seconds, or once a second if it had accepted the token before.

use std::{
    mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use futures_util::future::{Either, select};
use reqwest::header::HeaderValue;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout_at},
};
use tracing::{Instrument, field::Empty};

use crate::{
    AccessToken, BoxFuture, Error, Operation, TokenSource,
    auth::{
        flight::{Fetched, Flight},
        kept::Kept,
        trouble::Trouble,
    },
};

/// The tokens of a client and its clones: one per set of scopes.
pub(crate) struct Tokens {
    slots: Vec<Arc<Slot>>,
    renewable: bool,
}

struct Slot {
    source: Arc<dyn TokenSource>,
    scopes: Vec<String>,
    state: Mutex<State>,
    /// Whenever a flight brings a token.
    landed: Notify,
}

#[derive(Default)]
struct State {
    kept: Option<Kept>,
    /// Weak: a flight that nobody waits for is dropped.
    flight: Weak<Flight>,
    /// The number of flights so far.
    flights: u64,
    /// `None` if the last flight brought a token.
    trouble: Option<Trouble>,
    /// What it was before the latest flight.
    trouble_before: Option<Trouble>,
    /// When a rejected token was last replaced.
    replaced: Option<Instant>,
}

/// How long a token that replaced a rejected one is kept, rejected or not.
const REPLACED: Duration = Duration::from_secs(5);
/// The same, if the service had accepted it before.
const REPLACED_AFTER_USE: Duration = Duration::from_secs(1);

impl Tokens {
    /// The tokens of a source: one per operation's scopes, or one for all if `scopes` is given.
    pub(crate) fn of(source: &Arc<dyn TokenSource>, scopes: Option<&[String]>) -> Self {
        let mut slots: Vec<Arc<Slot>> = Vec::new();
        for operation in Operation::ALL {
            let scopes: Vec<String> = match scopes {
                Some(scopes) => scopes.to_vec(),
                None => operation.scopes().iter().map(ToString::to_string).collect(),
            };
            let known = slots.iter().find(|slot| slot.scopes == scopes).map(Arc::clone);
            slots.push(known.unwrap_or_else(|| {
                let source = Arc::clone(source);
                Arc::new(Slot { source, scopes, state: Mutex::default(), landed: Notify::new() })
            }));
        }
        Self { slots, renewable: true }
    }

    /// One token, which can't be refreshed.
    pub(crate) fn fixed(token: AccessToken) -> Self {
        struct Fixed(AccessToken);

        impl TokenSource for Fixed {
            fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
                Box::pin(std::future::ready(Ok(self.0.clone())))
            }
        }

        let kept = Kept::new(&token, Instant::now()).ok();
        let source: Arc<dyn TokenSource> = Arc::new(Fixed(token));
        let tokens = Self { renewable: false, ..Self::of(&source, None) };
        for slot in &tokens.slots {
            slot.state().kept.clone_from(&kept);
        }
        tokens
    }

    /// The `Authorization` header for an operation. While there is a usable token, a call waits for
    /// at most half of the time until its deadline.
    pub(crate) async fn token(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<HeaderValue, Error> {
        let slot = &self.slots[operation as usize];
        loop {
            let (flight, old) = match slot.look() {
                Look::Use(header) => return Ok(header),
                Look::Fail(error) => return Err(error),
                Look::Rest(end) => {
                    let now = Instant::now();
                    let left = deadline.saturating_duration_since(now);
                    // A call with less time would ask in vain, and cost the others another pause.
                    if end > now + left / 2 {
                        return Err(unanswered().retry_in(Some(end - now)));
                    }
                    sleep_until(end).await;
                    continue;
                }
                Look::Fetch(flight, old) => (flight, old),
            };
            if let Some(old) = old {
                let patience = old.patience(Instant::now(), deadline);
                if let Ok(Some(fetched)) = timeout_at(patience, flight.landing()).await
                    && let Ok(kept) = &*fetched
                {
                    return Ok(kept.header.clone());
                }
                if old.is_usable(Instant::now()) {
                    return Ok(old.header);
                }
            }
            if let Some(outcome) = slot.landing(&flight).await {
                return outcome;
            }
            slot.leave(&flight);
            if flight.is_at_home() {
                return Err(Error::token("the runtime is shutting down"));
            }
        }
    }

    /// Drops a token that the service rejected, if it is still the kept one. Returns whether the
    /// source can be asked for another.
    pub(crate) fn forget(&self, operation: Operation, sent: &HeaderValue) -> bool {
        if !self.renewable {
            return false;
        }
        let now = Instant::now();
        let mut state = self.slots[operation as usize].state();
        let Some(kept) = state.kept.as_ref().filter(|kept| kept.header == *sent) else {
            return true;
        };
        let pause = if kept.is_accepted { REPLACED_AFTER_USE } else { REPLACED };
        if state.replaced.is_some_and(|replaced| now < replaced + pause) {
            return false;
        }
        state.kept = None;
        state.replaced = Some(now);
        true
    }

    /// Notes that the service has accepted a token.
    pub(crate) fn accept(&self, operation: Operation, sent: &HeaderValue) {
        let mut state = self.slots[operation as usize].state();
        if let Some(kept) = state.kept.as_mut().filter(|kept| kept.header == *sent) {
            kept.is_accepted = true;
        }
    }
}

fn unanswered() -> Error {
    Error::token("the token source has not answered the last calls in time").passing(true)
}

enum Look {
    Use(HeaderValue),
    Fail(Error),
    /// The source isn't asked until then, because nobody waited for the last requests.
    Rest(Instant),
    /// A flight to wait for, and the token that is usable in the meantime.
    Fetch(Arc<Flight>, Option<Kept>),
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn usable(&self) -> Option<HeaderValue> {
        let state = self.state();
        let kept = state.kept.as_ref().filter(|kept| kept.is_usable(Instant::now()))?;
        Some(kept.header.clone())
    }

    /// Waits for the token of a flight, or of another that lands before. `None` if the flight isn't
    /// worth waiting for any more.
    async fn landing(&self, flight: &Flight) -> Option<Result<HeaderValue, Error>> {
        let mut landing = pin!(flight.landing());
        loop {
            let landed = pin!(self.landed.notified());
            if let Some(header) = self.usable() {
                return Some(Ok(header));
            }
            if let Either::Left((fetched, _)) = select(landing.as_mut(), landed).await {
                return Some(match &*fetched? {
                    Ok(kept) => Ok(kept.header.clone()),
                    Err(error) => self.usable().ok_or_else(|| error.share()),
                });
            }
        }
    }

    fn look(self: &Arc<Self>) -> Look {
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
        state.trouble = Some(Trouble::after(state.trouble_before.as_ref(), now));
        let (number, asking, landing) = (state.flights, Arc::clone(self), Arc::clone(self));
        let fetch = async move { asking.fetch(now).await };
        let flight = Flight::start(number, fetch, move |fetched| landing.land(number, fetched));
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
                state.kept = Some(kept.clone());
                state.trouble = None;
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
    fn leave(&self, flight: &Flight) {
        let mut state = self.state();
        let is_latest = state.flights == flight.number;
        if is_latest && mem::take(&mut state.flight).strong_count() > 0 && flight.is_lost() {
            state.trouble = state.trouble_before.take();
        }
    }
}
