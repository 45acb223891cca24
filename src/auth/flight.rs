//! One request for a token, shared by all calls that wait for it.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt, future::Shared};
use tokio::{
    runtime::{Handle, Id},
    task::JoinHandle,
    time::{Duration, Instant, timeout, timeout_at},
};
use tracing::{Instrument, instrument::WithSubscriber};

use crate::{BoxFuture, Error, auth::kept::Kept};

pub(super) type Fetched = Result<Kept, Error>;

/// How long any source may take. `ClientCredentials` makes two attempts in this time if the token
/// endpoint doesn't answer.
const LONGEST: Duration = Duration::from_secs(30);
/// How long calls of other runtimes wait for a flight: its own may never run again.
const PATIENCE_ABROAD: Duration = Duration::from_secs(5);

/// A request on its way, as a task of the runtime that it began on. The calls that wait for it own
/// it; when none is left, it is aborted.
pub(super) struct Flight {
    pub(super) number: u64,
    /// Until when calls of other runtimes wait.
    patience_abroad: Instant,
    home: Id,
    /// `None` if its runtime shut down before its end.
    landing: Shared<BoxFuture<'static, Option<Arc<Fetched>>>>,
}

impl Flight {
    /// Starts a flight. It calls `land` once with its outcome, unless it is aborted. Calls of other
    /// runtimes wait at least until `pause`, before which the source isn't asked again.
    pub(super) fn start(
        number: u64,
        pause: Instant,
        fetch: impl Future<Output = Fetched> + Send + 'static,
        land: impl FnOnce(&Fetched) + Send + 'static,
    ) -> Self {
        let task = async move {
            let fetch = AssertUnwindSafe(fetch).catch_unwind();
            let fetched = match timeout(LONGEST, fetch).await {
                Ok(Ok(fetched)) => fetched,
                Ok(Err(_)) => Err(Error::token("the token source panicked")),
                Err(_) => {
                    let error = Error::token("the token source did not answer within 30 s");
                    Err(error.passing(true))
                }
            };
            land(&fetched);
            Arc::new(fetched)
        };
        let task = task.in_current_span().with_current_subscriber();
        let mut task = AbortOnDrop(tokio::spawn(task));
        let landing: BoxFuture<'static, _> = Box::pin(async move { (&mut task.0).await.ok() });
        let patience_abroad = pause.max(Instant::now() + PATIENCE_ABROAD);
        Self { number, patience_abroad, home: Handle::current().id(), landing: landing.shared() }
    }

    pub(super) fn is_at_home(&self) -> bool {
        Handle::current().id() == self.home
    }

    /// Waits for the end of the flight. `None` if it is lost, or takes too long on another runtime.
    pub(super) async fn landing(&self) -> Option<Arc<Fetched>> {
        let landing = self.landing.clone();
        if self.is_at_home() {
            return landing.await;
        }
        timeout_at(self.patience_abroad, landing).await.ok().flatten()
    }

    /// Whether its runtime shut down before its end, as a call that waited for it has seen.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.landing.peek(), Some(None))
    }
}

struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
