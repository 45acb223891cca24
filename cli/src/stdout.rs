//! Printing of records, responses and help. A closed pipe ends the tool quietly.

use std::{
    io::{self, ErrorKind, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use tokio::task::JoinHandle;

use crate::failure::Failure;

/// How much is written at once. A pipe holds it, so the first part is written unless the pipe has
/// no reader.
const PART: usize = 32 << 10;

/// Prints a text of the tool's own: its help, a description, the findings of a command. A closed
/// pipe isn't a failure.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

/// Writes all records and flushes.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // If the reader needs only the first line, it is gone before the rest is flushed.
    let line = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
    let (line, rest) = bytes.split_at(line);
    for part in line.chunks(PART).chain(rest.chunks(PART)) {
        match out.write_all(part).and_then(|()| out.flush()) {
            Ok(()) => READ.store(true, Ordering::Relaxed),
            Err(error) if error.kind() == ErrorKind::BrokenPipe && READ.load(Ordering::Relaxed) => {
                return Err(Failure::ClosedPipe);
            }
            Err(error) => return Err(unwritable(&error)),
        }
    }
    Ok(())
}

fn unwritable(error: &io::Error) -> Failure {
    Failure::other(format!("stdout can't be written: {error}"))
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
