//! One fetch of a token from its source, shared by all calls that wait for the token.

use std::{panic::AssertUnwindSafe, sync::Arc};

use futures_util::{FutureExt, future::Shared};
use tokio::{
    runtime::{Handle, Id},
    task::JoinSet,
    time::{Duration, Instant, timeout, timeout_at},
};
use tracing::{Instrument, instrument::WithSubscriber};

use crate::{BoxFuture, Error, auth::cached_token::CachedToken};

pub(super) type Fetched = Result<CachedToken, Error>;

/// The time limit for fetching a token from any source. If the token endpoint doesn't respond,
/// `ClientCredentials` makes two attempts in this time.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// How long calls on other runtimes wait for a fetch. The wait is limited because the fetch's own
/// runtime may never run again.
const ELSEWHERE_TIMEOUT: Duration = Duration::from_secs(5);

/// A fetch in progress: a task on the runtime of the call that started the fetch. The calls that
/// wait for the fetch share it. When the last of these calls stops waiting, the fetch is aborted.
pub(super) struct InFlight {
    pub(super) number: u64,
    /// The time until which calls on other runtimes wait for the fetch.
    elsewhere_until: Instant,
    runtime: Id,
    /// The result of the fetch. `None` if the fetch's runtime shut down before the fetch finished.
    outcome: Shared<BoxFuture<'static, Option<Arc<Fetched>>>>,
}

impl InFlight {
    /// Starts a fetch. Calls on other runtimes wait for the fetch at least until `pause`, because
    /// no other fetch can start before that time.
    pub(super) fn start(
        number: u64,
        pause: Instant,
        fetch: impl Future<Output = Fetched> + Send + 'static,
    ) -> Self {
        // A `JoinSet` aborts its tasks when it is dropped.
        let mut task = JoinSet::new();
        task.spawn(fetch.map(Arc::new).in_current_span().with_current_subscriber());
        let outcome: BoxFuture<'static, _> = Box::pin(async move { task.join_next().await?.ok() });
        let elsewhere_until = pause.max(Instant::now() + ELSEWHERE_TIMEOUT);
        let (runtime, outcome) = (Handle::current().id(), outcome.shared());
        Self { number, elsewhere_until, runtime, outcome }
    }

    pub(super) fn is_of_this_runtime(&self) -> bool {
        Handle::current().id() == self.runtime
    }

    /// Waits until the fetch finishes. Returns `None` if the fetch's runtime has shut down, or if
    /// the fetch takes too long on another runtime.
    pub(super) async fn outcome(&self) -> Option<Arc<Fetched>> {
        let outcome = self.outcome.clone();
        if self.is_of_this_runtime() {
            return outcome.await;
        }
        timeout_at(self.elsewhere_until, outcome).await.ok().flatten()
    }

    /// Whether a waiting call has noticed that the fetch's runtime shut down before the fetch
    /// finished.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.outcome.peek(), Some(None))
    }
}

/// Runs a request to a token source. If the request takes too long or panics, returns an error.
pub(super) async fn bounded(request: impl Future<Output = Fetched>) -> Fetched {
    match timeout(FETCH_TIMEOUT, AssertUnwindSafe(request).catch_unwind()).await {
        Ok(Ok(fetched)) => fetched,
        Ok(Err(_)) => Err(Error::token("the token source panicked")),
        Err(_) => {
            Err(Error::token("the token source did not respond within 30 s").with_transient(true))
        }
    }
}
