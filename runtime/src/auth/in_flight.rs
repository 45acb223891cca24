//! One fetch of a token from its source, shared by all calls that wait for it.

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

/// How long any source may take to fetch a token. `ClientCredentials` makes two attempts in this
/// time if the token endpoint doesn't respond.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
/// How long calls on other runtimes wait for a fetch. The fetch's own runtime may never run again.
const ELSEWHERE_TIMEOUT: Duration = Duration::from_secs(5);

/// A fetch in progress, as a task on the runtime that it started on. The calls that wait for the
/// fetch own it. When the last of these calls ends, the fetch is aborted.
pub(super) struct InFlight {
    pub(super) number: u64,
    /// The time until which calls on other runtimes wait.
    elsewhere_until: Instant,
    runtime: Id,
    /// The result. `None` if the fetch's runtime shut down before the fetch finished.
    outcome: Shared<BoxFuture<'static, Option<Arc<Fetched>>>>,
}

impl InFlight {
    /// Starts a fetch. Calls on other runtimes wait at least until `pause`: no other fetch starts
    /// before that time.
    pub(super) fn start(
        number: u64,
        pause: Instant,
        fetch: impl Future<Output = Fetched> + Send + 'static,
    ) -> Self {
        // The set aborts its task when the set is dropped.
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

    /// Waits for the end of the fetch. `None` if the fetch is lost, or takes too long on another
    /// runtime.
    pub(super) async fn outcome(&self) -> Option<Arc<Fetched>> {
        let outcome = self.outcome.clone();
        if self.is_of_this_runtime() {
            return outcome.await;
        }
        timeout_at(self.elsewhere_until, outcome).await.ok().flatten()
    }

    /// Whether a call that waited for the fetch has noticed that the fetch's runtime shut down
    /// before the fetch finished.
    pub(super) fn is_lost(&self) -> bool {
        matches!(self.outcome.peek(), Some(None))
    }
}

/// The result of a request to a source. If the request takes too long or panics, the result is an
/// error.
pub(super) async fn bounded(request: impl Future<Output = Fetched>) -> Fetched {
    match timeout(FETCH_TIMEOUT, AssertUnwindSafe(request).catch_unwind()).await {
        Ok(Ok(fetched)) => fetched,
        Ok(Err(_)) => Err(Error::token("the token source panicked")),
        Err(_) => {
            Err(Error::token("the token source did not respond within 30 s").with_transient(true))
        }
    }
}
