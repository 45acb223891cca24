//! Prints records, responses and help to stdout. If the reader closes the pipe, the tool stops
//! without a message.

use std::{
    io::{self, ErrorKind, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use tokio::task::JoinHandle;

use crate::failure::Failure;

/// The number of bytes that are written at once. They fit into a pipe's buffer, so the first write
/// succeeds unless the pipe has no reader.
const PART: usize = 32 << 10;

/// Prints a text of the tool itself: its help, the OpenAPI description, the findings of a command.
/// A closed pipe isn't a failure.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

/// Writes all bytes to stdout and flushes it.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // The first line is flushed separately. A reader that needs only that line closes the pipe
    // before the rest is written.
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
    Failure::other(format!("can't write to stdout: {error}"))
}

/// Whether something was written. If the reader closes the pipe after that, it has read as much as
/// it needs.
static READ: AtomicBool = AtomicBool::new(false);

/// Starts to write everything on a separate thread, so that a reader that stops reading can't delay
/// the response to a signal.
pub(crate) fn begin(bytes: Vec<u8>) -> JoinHandle<Result<(), Failure>> {
    tokio::task::spawn_blocking(move || write(&bytes))
}

/// Whether stdout is a file. If it isn't, the records themselves, or the program that reads them
/// from a pipe, may appear on the terminal, so there is no room for a progress bar.
pub(crate) fn is_a_file() -> bool {
    // Reads only the file's metadata.
    std::fs::metadata("/dev/stdout").is_ok_and(|stdout| stdout.is_file())
}

/// Writes a line to stderr, and ignores failures to do so.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A count and its noun: `1 record`, `2 records`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
