//! How long a token is kept: freshness, and one flight for all who wait.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{Shared, WeakShared},
};
use reqwest::header::HeaderValue;
use tokio::time::{Instant, timeout_at};

use crate::{AccessToken, BoxFuture, Error, Operation, TokenSource, auth::source::is_sendable};

type Fetched = Result<Kept, Error>;
type Flight = Shared<BoxFuture<'static, Shareable>>;

/// A result that all who wait for it get.
#[derive(Clone)]
struct Shareable(Arc<Fetched>);

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
    flight: Option<WeakShared<BoxFuture<'static, Shareable>>>,
    refused: Option<Refused>,
    /// Of early renewals that failed: the last wait, and its end.
    renewal: Option<(Duration, Instant)>,
}

#[derive(Clone)]
struct Kept {
    header: HeaderValue,
    /// From when on it is renewed by whoever comes first, and from when on it isn't used.
    term: Option<(Instant, Instant)>,
}

struct Refused {
    until: Instant,
    error: Error,
}

/// A token is given up this long before its end, or a tenth of its lifetime if that is less.
const MARGIN: Duration = Duration::from_secs(60);
/// And renewed from this long before its end on, or a quarter of its lifetime.
const WINDOW: Duration = Duration::from_secs(5 * 60);
/// A refusal is remembered, or a hot loop would hammer an endpoint that allows one request a second.
const REMEMBERED: Duration = Duration::from_secs(5);
/// A failed renewal is tried again after this, doubling.
const PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// So long a call waits for a renewal while the old token serves.
const PATIENCE: Duration = Duration::from_secs(5);

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

    /// The `Authorization` header for an operation.
    pub(crate) async fn token(&self, operation: Operation) -> Result<HeaderValue, Error> {
        let slot = &self.slots[operation as usize];
        let (flight, old) = match slot.look() {
            Look::Use(header) => return Ok(header),
            Look::Refused(error) => return Err(error),
            Look::Wait(flight) => return header_of(&flight.await),
            Look::Renew(flight, old) => (flight, old),
        };
        let fetched = match timeout_at(old.patience(), flight.clone()).await {
            Ok(fetched) => fetched,
            Err(_) if old.is_usable(Instant::now()) => {
                slot.state().pause(Instant::now());
                return Ok(old.header);
            }
            Err(_) => flight.await,
        };
        match &*fetched.0 {
            Err(_) if old.is_usable(Instant::now()) => Ok(old.header),
            _ => header_of(&fetched),
        }
    }

    /// Drops a token that the service didn't accept, if it is still the one that is kept.
    /// Returns whether another can be had.
    pub(crate) fn forget(&self, operation: Operation, sent: &HeaderValue) -> bool {
        let mut state = self.slots[operation as usize].state();
        if state.kept.as_ref().is_some_and(|kept| kept.header == *sent) {
            state.kept = None;
        }
        self.renewable
    }
}

fn header_of(fetched: &Shareable) -> Result<HeaderValue, Error> {
    match &*fetched.0 {
        Ok(kept) => Ok(kept.header.clone()),
        Err(error) => Err(error.share()),
    }
}

enum Look {
    Use(HeaderValue),
    Refused(Error),
    Wait(Flight),
    Renew(Flight, Kept),
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(self: &Arc<Self>) -> Look {
        let now = Instant::now();
        let mut state = self.state();
        let flying = state.flight.as_ref().and_then(WeakShared::upgrade);
        match state.kept.clone().filter(|kept| kept.is_usable(now)) {
            Some(kept) if !kept.is_near_its_end(now) || flying.is_some() || state.pauses(now) => {
                Look::Use(kept.header)
            }
            Some(kept) => Look::Renew(self.start(&mut state, now), kept),
            None => match (flying, &state.refused) {
                (Some(flight), _) => Look::Wait(flight),
                (None, Some(refused)) if refused.until > now => {
                    Look::Refused(refused.error.share())
                }
                (None, _) => Look::Wait(self.start(&mut state, now)),
            },
        }
    }

    fn start(self: &Arc<Self>, state: &mut State, asked: Instant) -> Flight {
        let slot = Arc::clone(self);
        let flight: BoxFuture<'static, Shareable> = Box::pin(async move {
            let fetched = slot.fetch(asked).await;
            slot.land(&fetched);
            Shareable(Arc::new(fetched))
        });
        let flight = flight.shared();
        state.flight = flight.downgrade();
        flight
    }

    async fn fetch(&self, asked: Instant) -> Fetched {
        let scopes: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        let token = self.source.token(&scopes).await?;
        let unsendable = || Error::token("the access token can't stand in a header");
        if !is_sendable(token.secret()) {
            return Err(unsendable());
        }
        let mut header = HeaderValue::try_from(format!("Bearer {}", token.secret()))
            .map_err(|_| unsendable())?;
        header.set_sensitive(true);
        let term = token.lifetime().and_then(|lifetime| {
            let end = asked.checked_add(lifetime)?;
            let before_end = |span: Duration| end.checked_sub(span).unwrap_or(asked);
            Some((before_end(WINDOW.min(lifetime / 4)), before_end(MARGIN.min(lifetime / 10))))
        });
        Ok(Kept { header, term })
    }

    fn land(&self, fetched: &Fetched) {
        let now = Instant::now();
        let mut state = self.state();
        state.flight = None;
        match fetched {
            Ok(kept) => {
                tracing::debug!(scopes = ?self.scopes, "token fetched");
                *state = State { kept: Some(kept.clone()), ..State::default() };
            }
            Err(error) => {
                tracing::warn!(scopes = ?self.scopes, %error, "no token");
                state.pause(now);
                let pause =
                    if error.is_refused_token() { Some(REMEMBERED) } else { error.retry_after() };
                let until = pause.and_then(|pause| now.checked_add(pause));
                state.refused = until.map(|until| Refused { until, error: error.share() });
            }
        }
    }
}

impl State {
    /// Leaves the token endpoint alone for a while.
    fn pause(&mut self, now: Instant) {
        let wait = self.renewal.map_or(PAUSE, |(last, _)| (last * 2).min(LONGEST_PAUSE));
        self.renewal = Some((wait, now + wait));
    }

    /// Whether a failed renewal is too recent for another.
    fn pauses(&self, now: Instant) -> bool {
        self.renewal.is_some_and(|(_, end)| end > now)
    }
}

impl Kept {
    /// How long a renewal is waited for: not beyond the end of what serves meanwhile.
    fn patience(&self) -> Instant {
        let limit = Instant::now() + PATIENCE;
        self.term.map_or(limit, |(_, end)| limit.min(end))
    }

    fn is_usable(&self, now: Instant) -> bool {
        self.term.is_none_or(|(_, end)| now < end)
    }

    fn is_near_its_end(&self, now: Instant) -> bool {
        self.term.is_some_and(|(near, _)| now >= near)
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").finish_non_exhaustive()
    }
}
