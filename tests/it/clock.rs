//! A clock that stands still while requests are in progress, and moves only when a test moves it.

use std::{sync::mpsc, time::Duration};

use tokio::{
    runtime::{Builder, Runtime},
    task::spawn_blocking,
    time::advance,
};

/// Stops a test's paused clock, so that it no longer advances by itself.
///
/// A paused clock jumps to the next timer whenever the runtime is idle, and waiting for a socket
/// counts as idle. So deadlines would pass while a request is in progress. The clock doesn't jump
/// while a blocking task is running.
pub(crate) struct Clock(#[expect(dead_code, reason = "its drop ends the task")] mpsc::Sender<()>);

impl Clock {
    pub(crate) fn stopped() -> Self {
        let (running, end) = mpsc::channel();
        spawn_blocking(move || end.recv());
        Self(running)
    }

    pub(crate) async fn forward(&self, span: Duration) {
        advance(span).await;
    }
}

/// Returns a runtime with a paused clock, which jumps to the next timer when the runtime is idle.
pub(crate) fn paused() -> Runtime {
    let paused = Builder::new_current_thread().enable_all().start_paused(true).build();
    paused.expect("a runtime")
}

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
