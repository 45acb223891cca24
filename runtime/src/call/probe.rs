//! The first call after a hold, and whether that call is polled.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Wake, Waker},
    time::Duration,
};

use tokio::time::Instant;

use crate::lock::lock;

/// How long a first call may be ready without being polled before the other calls stop waiting for
/// it. If the call belongs to a stream, the stream's owner decides how often it is polled.
const MAX_REST: Duration = Duration::from_millis(100);

/// The state that a first call's turn shares with the operation's limit.
pub(super) struct Probe {
    /// The time limit of the call's attempt.
    end: Instant,
    polls: Mutex<Polls>,
}

struct Polls {
    /// The task that last polled the call.
    task: Waker,
    /// The time since which the call has been ready to continue.
    resting: Option<Instant>,
}

impl Probe {
    pub(super) fn new(end: Instant) -> Arc<Self> {
        let polls = Polls { task: Waker::noop().clone(), resting: None };
        Arc::new(Self { end, polls: Mutex::new(polls) })
    }

    /// The time until which the other calls wait before they check again. This time is in the past
    /// if they no longer have to wait.
    pub(super) fn wait(&self, now: Instant) -> Instant {
        let rest = lock(&self.polls).resting.unwrap_or(now);
        self.end.min(rest + MAX_REST)
    }

    /// Polls the call's attempt, and records each poll.
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

impl Wake for Probe {
    fn wake(self: Arc<Self>) {
        let mut polls = lock(&self.polls);
        polls.resting.get_or_insert_with(Instant::now);
        let task = polls.task.clone();
        drop(polls);
        task.wake();
    }
}
