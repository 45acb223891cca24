//! SIGINT from Ctrl-C, and SIGTERM from service managers.

use std::io;
#[cfg(unix)]
use std::sync::Arc;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Both signals, which are watched from the creation of this value.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for a signal and returns the shell's status for it.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }
}

impl Signals {
    /// The result of a future, or the failure of a signal that arrives first.
    pub(crate) async fn or<T>(&mut self, awaited: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::select! {
            biased;
            status = self.next() => Err(Failure::Signal(status)),
            made = awaited => Ok(made),
        }
    }
}

/// Ignores SIGXFSZ, so that a file that may not grow fails its write instead of ending the process.
#[cfg(unix)]
pub(crate) fn ignore_file_limit() {
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

#[cfg(not(unix))]
pub(crate) fn ignore_file_limit() {}

/// Ends the process by the signal of this status, as if it weren't watched.
#[cfg(unix)]
pub(crate) fn end_by(status: u8) {
    let _ = signal_hook::low_level::emulate_default_handler(i32::from(status) - 128);
}

#[cfg(not(unix))]
pub(crate) fn end_by(_: u8) {}

#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[allow(clippy::unnecessary_wraps)]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) async fn next(&mut self) -> u8 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        130
    }
}
