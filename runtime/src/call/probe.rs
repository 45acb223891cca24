//! The call that goes first after a hold, and whether anybody polls it.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Wake, Waker},
    time::Duration,
};

use tokio::time::Instant;

use crate::lock::lock;

/// How long a call may rest that could go on. A stream that isn't polled rests for as long as its owner
/// likes.
const MAX_REST: Duration = Duration::from_millis(100);

/// Shared by the turn of the call that goes first and its limit.
pub(super) struct Probe {
    /// The end of the call's attempt.
    end: Instant,
    polls: Mutex<Polls>,
}

struct Polls {
    /// The task that polled the call last.
    task: Waker,
    /// Since when the call could go on.
    resting: Option<Instant>,
}

impl Probe {
    pub(super) fn new(end: Instant) -> Arc<Self> {
        let polls = Polls { task: Waker::noop().clone(), resting: None };
        Arc::new(Self { end, polls: Mutex::new(polls) })
    }

    /// Until when the others wait, before they look again. In the past if they no longer wait.
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
