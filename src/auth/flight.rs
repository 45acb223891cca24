//! One request for a token, shared by all calls that wait for it.

use std::{
    future::{Future, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
};

use futures_util::{FutureExt, future::Shared};
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

/// A request on its way. The calls that wait for it own and poll it; when none is left, it is
/// dropped.
pub(super) struct Flight {
    pub(super) number: u64,
    end: Instant,
    /// The runtime that owns its timers and connections.
    home: Option<Id>,
    landing: Shared<BoxFuture<'static, Landing>>,
}

/// How a flight ended.
#[derive(Clone)]
pub(super) struct Landing {
    pub(super) fetched: Arc<Fetched>,
    /// It failed without an answer after more than one runtime had polled it. The cause may be that
    /// one of them shut down, which says nothing about the source.
    pub(super) is_stranded: bool,
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
        let landing: BoxFuture<'static, _> = Box::pin(async move {
            let mut fetch = pin!(AssertUnwindSafe(fetch).catch_unwind());
            let mut was_abroad = false;
            let fetched = poll_fn(|context| {
                was_abroad |= runtime() != home;
                fetch.as_mut().poll(context)
            });
            let panicked = |_| Err(Error::token("the token source panicked"));
            let fetched = fetched.await.unwrap_or_else(panicked);
            let has_no_answer = |error: &Error| error.status().is_none();
            let is_stranded = was_abroad && fetched.as_ref().is_err_and(has_no_answer);
            if !is_stranded {
                land(&fetched);
            }
            Landing { fetched: Arc::new(fetched), is_stranded }
        });
        Self { number, end: asked + LONGEST, home, landing: landing.shared() }
    }

    /// Whether its time is over, and not only the time allowed to another runtime.
    pub(super) fn is_overdue(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Waits for the end of the flight. `None` if it takes too long. The time is measured here, not
    /// in the flight, because the timers of a runtime that has shut down never fire.
    pub(super) async fn landing(&self, patience: Option<Instant>) -> Option<Landing> {
        let mut end = self.end;
        if runtime() != self.home {
            end = end.min(Instant::now() + PATIENCE_ABROAD);
        }
        let end = patience.map_or(end, |patience| patience.min(end));
        timeout_at(end, self.landing.clone()).await.ok()
    }
}

fn runtime() -> Option<Id> {
    Handle::try_current().ok().map(|handle| handle.id())
}
