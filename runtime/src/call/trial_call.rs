//! Tracks the first call after a hold (the pause after a 429). The operation's other calls wait for
//! the first call's response, but only while the first call is polled.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Wake, Waker},
    time::Duration,
};

use tokio::time::Instant;

use crate::lock::lock;

/// The longest time that other calls wait for the first call after a hold, while the first call is
/// ready to continue but isn't polled.
///
/// For example, this happens if a program stops polling the stream to which the first call belongs.
const MAX_REST: Duration = Duration::from_millis(100);

/// The state of the first call after a hold. The call's `Turn` and the operation's `Limit` share
/// this state.
pub(super) struct TrialCall {
    /// The instant at which the other calls stop waiting for the first call after a hold.
    end: Instant,
    polls: Mutex<Polls>,
}

struct Polls {
    /// The waker of the task that last polled the first call after the hold.
    task: Waker,
    /// The instant since which the first call after the hold has been ready to continue without
    /// being polled. `None` if this call isn't ready.
    resting: Option<Instant>,
}

impl TrialCall {
    pub(super) fn new(end: Instant) -> Arc<Self> {
        let polls = Polls { task: Waker::noop().clone(), resting: None };
        Arc::new(Self { end, polls: Mutex::new(polls) })
    }

    /// Returns the instant at which the waiting calls have to check this state again. If this
    /// instant isn't in the future, the calls no longer wait for the first call after the hold.
    pub(super) fn wait(&self, now: Instant) -> Instant {
        let rest = lock(&self.polls).resting.unwrap_or(now);
        self.end.min(rest + MAX_REST)
    }

    /// Runs the attempt of the first call after a hold, and records when the attempt is polled and
    /// when it becomes ready.
    pub(super) async fn watch<T>(
        self: &Arc<Self>,
        mut attempt: Pin<&mut impl Future<Output = T>>,
    ) -> T {
        let waker = Waker::from(Arc::clone(self));
        poll_fn(|context| {
            *lock(&self.polls) = Polls { task: context.waker().clone(), resting: None };
            attempt.as_mut().poll(&mut Context::from_waker(&waker))
        })
        .await
    }
}

impl Wake for TrialCall {
    fn wake(self: Arc<Self>) {
        let mut polls = lock(&self.polls);
        polls.resting.get_or_insert_with(Instant::now);
        let task = polls.task.clone();
        drop(polls);
        task.wake();
    }
}
