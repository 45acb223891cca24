//! What is printed: records, answers, help. A closed pipe ends the tool quietly.

use std::io::{self, ErrorKind, Write};

use crate::failure::Failure;

pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(text.as_bytes())
}

/// Writes everything and flushes.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::other(format!("stdout can't be written: {error}")),
    })
}

/// Writes a line to stderr, whether or not anyone reads it.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
