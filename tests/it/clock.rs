//! Time that stands still while bytes travel, and moves when a test says so.

use std::{sync::mpsc, time::Duration};

use tokio::{
    runtime::{Builder, Runtime},
    task::spawn_blocking,
    time::advance,
};

/// Stops the clock for the rest of a test that has it paused.
///
/// A paused clock jumps to the next timer whenever the runtime is idle, and it counts as idle while
/// it waits for a socket: deadlines would pass during the exchange. It doesn't jump while a
/// blocking task is running.
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

/// A runtime whose clock stands still while it works, and jumps to the next timer otherwise.
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
