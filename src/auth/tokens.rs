//! The tokens of a client: which one a call is sent with, and when the source is asked for another.
//!
//! Two promises:
//!
//! - **A usable token is used.** Near its end one call at a time renews it and waits no longer than
//!   it can afford; every other call, and every call after a renewal that failed, hung or was
//!   given up, goes on with the old token until its end.
//! - **The source is left in peace.** It is asked once for all who wait, and again only after a
//!   pause that doubles: 5 s to 60 s between renewals, 1 s to 30 s after a failure, and the same
//!   from the third request on that nobody waited for. A token that the service refuses is
//!   replaced once in five seconds.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reqwest::header::HeaderValue;
use tokio::time::{Instant, sleep_until};
use tracing::{Instrument, field::Empty};

use crate::{
    AccessToken, BoxFuture, Error, Operation, TokenSource,
    auth::{
        flight::{Fetched, Flight, Landing, WeakFlight},
        kept::Kept,
        trouble::Trouble,
    },
};

/// The tokens of a client and its clones: one for each set of scopes.
pub(crate) struct Tokens {
    slots: Vec<Arc<Slot>>,
    renewable: bool,
}

struct Slot {
    source: Arc<dyn TokenSource>,
    scopes: Vec<String>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kept: Option<Kept>,
    /// Weak: a flight that nobody waits for any more is over.
    flight: Option<WeakFlight>,
    /// How many flights there have been.
    flights: u64,
    /// None while the last flight has brought a token.
    trouble: Option<Trouble>,
    /// When a refused token was last replaced.
    replaced: Option<Instant>,
}

/// How long a token that replaced a refused one is kept, refused or not.
const REPLACED: Duration = Duration::from_secs(5);
/// The same, if the service had accepted it before.
const REPLACED_AFTER_USE: Duration = Duration::from_secs(1);

impl Tokens {
    /// Tokens of a source, one for each operation's scopes, or one for all with these.
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
                Arc::new(Slot { source, scopes, state: Mutex::default() })
            }));
        }
        Self { slots, renewable: true }
    }

    /// One token, which nobody can renew.
    pub(crate) fn fixed(token: AccessToken) -> Self {
        struct Fixed(AccessToken);

        impl TokenSource for Fixed {
            fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
                Box::pin(std::future::ready(Ok(self.0.clone())))
            }
        }

        let source: Arc<dyn TokenSource> = Arc::new(Fixed(token));
        Self { renewable: false, ..Self::of(&source, None) }
    }

    /// The `Authorization` header for an operation. A call that ends at the deadline waits for at
    /// most half of its time while there is a token that it can use.
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
                    sleep_until(end).await;
                    continue;
                }
                Look::Fetch(flight, old) => (flight, old),
            };
            if let Some(old) = old {
                let patience = old.patience(Instant::now(), deadline);
                let landing = flight.landing(Some(patience)).await;
                if let Some(Landing::Fetched(fetched)) = &landing
                    && let Ok(kept) = &**fetched
                {
                    return Ok(kept.header.clone());
                }
                if old.is_usable(Instant::now()) {
                    return Ok(old.header);
                }
            }
            match flight.landing(None).await {
                Some(Landing::Fetched(fetched)) => {
                    let header = |kept: &Kept| kept.header.clone();
                    return fetched.as_ref().as_ref().map(header).map_err(Error::share);
                }
                Some(Landing::Stranded) | None => slot.leave(&flight),
            }
        }
    }

    /// Drops a token that the service refused, if it is still the one that is kept. Returns whether
    /// another can be had.
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

enum Look {
    Use(HeaderValue),
    Fail(Error),
    /// The source is left alone until then.
    Rest(Instant),
    /// A flight to wait for, and the token that serves meanwhile.
    Fetch(Flight, Option<Kept>),
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(self: &Arc<Self>) -> Look {
        let now = Instant::now();
        // Dropped after the lock is released: it may be the last to hold a future of the source's.
        let flight;
        let mut state = self.state();
        flight = state.flight.as_ref().and_then(WeakFlight::upgrade);
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

    fn start(self: &Arc<Self>, state: &mut State, now: Instant) -> Flight {
        state.flights += 1;
        // Until it brings a token: who knows whether anyone stays to see it fail.
        state.trouble = Some(Trouble::after(state.trouble.as_ref(), now));
        let (number, asking, landing) = (state.flights, Arc::clone(self), Arc::clone(self));
        let fetch = async move { asking.fetch(now).await };
        let flight =
            Flight::start(number, now, fetch, move |fetched| landing.land(number, fetched));
        state.flight = flight.downgrade();
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
            span.record("error.type", error.oauth_error().or(status).unwrap_or("token"));
        }
        fetched
    }

    fn land(&self, number: u64, fetched: &Fetched) {
        let mut state = self.state();
        let is_latest = state.flights == number;
        if is_latest {
            state.flight = None;
        }
        match fetched {
            Ok(kept) => {
                tracing::debug!(scopes = ?self.scopes, "token fetched");
                state.kept = Some(kept.clone());
                state.trouble = None;
            }
            Err(error) => {
                tracing::warn!(scopes = ?self.scopes, %error, "no token");
                if is_latest && let Some(trouble) = &mut state.trouble {
                    trouble.failed(error, Instant::now());
                }
            }
        }
    }

    /// Gives up a flight that is stranded or takes too long.
    fn leave(&self, flight: &Flight) {
        let mut state = self.state();
        let is_latest = state.flights == flight.number() && state.flight.take().is_some();
        drop(state);
        if is_latest && flight.is_overdue() {
            let error = Error::token("the token source gave no answer within 30 s");
            self.land(flight.number(), &Err(error.passing(true)));
        }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}
