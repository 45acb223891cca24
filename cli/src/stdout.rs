//! Printing of records, responses and help. A closed pipe ends the tool quietly.

use std::{
    io::{self, ErrorKind, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use tokio::task::JoinHandle;

use crate::failure::Failure;

pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(text.as_bytes())
}

/// Prints the findings of a command. Its exit status is the result, so a closed pipe isn't a
/// failure.
pub(crate) fn report(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::other(format!("stdout can't be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes everything and flushes.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    let had_reader = READ.load(Ordering::Relaxed);
    match written {
        Ok(()) => READ.store(true, Ordering::Relaxed),
        Err(error) if error.kind() == ErrorKind::BrokenPipe && had_reader => {
            return Err(Failure::ClosedPipe);
        }
        Err(error) => return Err(Failure::other(format!("stdout can't be written: {error}"))),
    }
    Ok(())
}

/// Whether something was written. If the reader closes the pipe after that, it has read enough.
static READ: AtomicBool = AtomicBool::new(false);

/// Writes everything on a thread of its own, because a reader that stops reading must not hold up a
/// signal.
pub(crate) fn begin(bytes: Vec<u8>) -> JoinHandle<Result<(), Failure>> {
    tokio::task::spawn_blocking(move || write(&bytes))
}

/// Whether it is neither a terminal nor a pipe to a program, which may draw on the same terminal.
pub(crate) fn is_a_file() -> bool {
    // Only opens the descriptor's file, and reads nothing.
    std::fs::metadata("/dev/stdout").is_ok_and(|stdout| stdout.is_file())
}

/// Writes a line to stderr, whether or not anyone reads it.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// `1 record`, `2 records`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
