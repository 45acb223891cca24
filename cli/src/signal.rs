//! Handles SIGINT, which Ctrl-C sends, and SIGTERM, which service managers send.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};
#[cfg(unix)]
use std::{sync::Arc, thread, time::Duration};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// Whether the command listens for signals, and stops after one by itself.
static LISTENS: AtomicBool = AtomicBool::new(false);

/// The maximum time that a command takes to stop after a signal, whatever it is waiting for.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(4_500);

/// Starts a thread that ends the process after SIGINT or SIGTERM: at once if the command doesn't
/// listen for signals, or else after `GRACE`. Without this thread, the kernel would ignore a signal
/// to process 1, as in a container.
#[cfg(unix)]
pub(crate) fn watch() -> io::Result<()> {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        low_level,
    };

    let mut received = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let end = move || {
        if let Some(signal) = received.forever().next() {
            if LISTENS.load(Ordering::Relaxed) {
                thread::sleep(GRACE);
            }
            low_level::exit(128 + signal);
        }
    };
    thread::Builder::new().spawn(end).map(drop)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
pub(crate) fn watch() -> io::Result<()> {
    Ok(())
}

/// A listener for SIGINT and SIGTERM. It receives signals from the moment it is created.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        LISTENS.store(true, Ordering::Relaxed);
        Ok(Self { interrupt, terminate })
    }

    /// Waits for a signal, and returns the exit status that a shell reports for a process killed by
    /// that signal.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }
}

impl Signals {
    /// Waits for a future, and returns its result. If a signal arrives first, returns a failure.
    pub(crate) async fn or<T>(&mut self, awaited: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::select! {
            biased;
            status = self.next() => Err(Failure::Signal(status)),
            made = awaited => Ok(made),
        }
    }
}

/// Ignores SIGXFSZ, so that a write beyond the file size limit fails instead of killing the
/// process.
#[cfg(unix)]
pub(crate) fn ignore_file_limit() {
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

#[cfg(not(unix))]
pub(crate) fn ignore_file_limit() {}

/// Terminates the process with the signal that this exit status stands for, as if the signal
/// weren't handled. The status is 128 plus the signal's number. Does nothing for process 1, because
/// a signal can't terminate it.
#[cfg(unix)]
pub(crate) fn end_by(status: u8) {
    if std::process::id() != 1 {
        let _ = signal_hook::low_level::emulate_default_handler(i32::from(status) - 128);
    }
}

#[cfg(not(unix))]
pub(crate) fn end_by(_: u8) {}

#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[allow(clippy::unnecessary_wraps)]
    pub(crate) fn new() -> io::Result<Self> {
        LISTENS.store(true, Ordering::Relaxed);
        Ok(Self)
    }

    pub(crate) async fn next(&mut self) -> u8 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        130
    }
}
