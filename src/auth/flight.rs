//! One request for a token, shared by all calls that wait for it.

use std::{
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
};

use futures_util::{
    FutureExt,
    future::{Shared, WeakShared},
};
use tokio::{
    runtime::{Handle, Id},
    time::{Duration, Instant, timeout_at},
};

use crate::{BoxFuture, Error, auth::kept::Kept};

pub(super) type Fetched = Result<Kept, Error>;

/// How long any source may take. `ClientCredentials` makes two attempts in this time if the token
/// endpoint doesn't answer.
const LONGEST: Duration = Duration::from_secs(30);
/// How long to wait for a flight of another runtime, which may never run again.
const PATIENCE_ABROAD: Duration = Duration::from_secs(5);

/// How a flight ended.
#[derive(Clone)]
pub(super) enum Landing {
    Fetched(Arc<Fetched>),
    /// It failed after more than one runtime had polled it. The cause may be that one of them shut
    /// down, which says nothing about the source.
    Stranded,
}

/// A request on its way. The calls that wait for it poll it; when none is left, it is dropped.
pub(super) struct Flight {
    shared: Shared<BoxFuture<'static, Landing>>,
    plan: Plan,
}

/// A reference that doesn't keep the flight alive.
pub(super) struct WeakFlight {
    shared: WeakShared<BoxFuture<'static, Landing>>,
    plan: Plan,
}

#[derive(Clone, Copy)]
struct Plan {
    number: u64,
    end: Instant,
    /// The runtime that owns its timers and connections.
    home: Option<Id>,
}

impl Flight {
    /// Starts a flight. It calls `land` once with its outcome, unless it is stranded.
    pub(super) fn start(
        number: u64,
        asked: Instant,
        fetch: impl Future<Output = Fetched> + Send + 'static,
        land: impl FnOnce(&Fetched) + Send + 'static,
    ) -> Self {
        let home = runtime();
        let landing: BoxFuture<'static, Landing> = Box::pin(async move {
            let mut fetch = pin!(AssertUnwindSafe(fetch).catch_unwind());
            let mut was_abroad = false;
            let fetched = poll_fn(|context| {
                was_abroad |= runtime() != home;
                fetch.as_mut().poll(context)
            });
            let panicked = |_| Err(Error::token("the token source panicked"));
            let fetched = fetched.await.unwrap_or_else(panicked);
            if fetched.is_err() && was_abroad {
                return Landing::Stranded;
            }
            land(&fetched);
            Landing::Fetched(Arc::new(fetched))
        });
        Self { shared: landing.shared(), plan: Plan { number, end: asked + LONGEST, home } }
    }

    pub(super) fn number(&self) -> u64 {
        self.plan.number
    }

    /// Whether its time is over, and not only the time allowed to another runtime.
    pub(super) fn is_overdue(&self) -> bool {
        Instant::now() >= self.plan.end
    }

    /// Waits for the end of the flight. `None` if it takes too long. The time is measured here, not
    /// in the flight, because the timers of a runtime that has shut down never fire.
    pub(super) async fn landing(&self, patience: Option<Instant>) -> Option<Landing> {
        let mut end = self.plan.end;
        if runtime() != self.plan.home {
            end = end.min(Instant::now() + PATIENCE_ABROAD);
        }
        let end = patience.map_or(end, |patience| patience.min(end));
        timeout_at(end, self.shared.clone()).await.ok()
    }

    pub(super) fn downgrade(&self) -> Option<WeakFlight> {
        Some(WeakFlight { shared: self.shared.downgrade()?, plan: self.plan })
    }
}

impl WeakFlight {
    pub(super) fn upgrade(&self) -> Option<Flight> {
        Some(Flight { shared: self.shared.upgrade()?, plan: self.plan })
    }
}

fn runtime() -> Option<Id> {
    Handle::try_current().ok().map(|handle| handle.id())
}
