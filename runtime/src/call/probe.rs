//! The first call after a hold, and whether it is polled.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Wake, Waker},
    time::Duration,
};

use tokio::time::Instant;

use crate::lock::lock;

/// How long a call may be ready without being polled, before the others stop waiting for it. The
/// owner of a stream decides how often it is polled.
const MAX_REST: Duration = Duration::from_millis(100);

/// The state that the turn of a first call shares with its limit.
pub(super) struct Probe {
    /// The end of the call's attempt.
    end: Instant,
    polls: Mutex<Polls>,
}

struct Polls {
    /// The task that last polled the call.
    task: Waker,
    /// The time since which the call is ready to continue.
    resting: Option<Instant>,
}

impl Probe {
    pub(super) fn new(end: Instant) -> Arc<Self> {
        let polls = Polls { task: Waker::noop().clone(), resting: None };
        Arc::new(Self { end, polls: Mutex::new(polls) })
    }

    /// The time until which the others wait before they check again. It is in the past if they no
    /// longer wait.
    pub(super) fn wait(&self, now: Instant) -> Instant {
        let rest = lock(&self.polls).resting.unwrap_or(now);
        self.end.min(rest + MAX_REST)
    }

    /// Polls the call's attempt.
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
