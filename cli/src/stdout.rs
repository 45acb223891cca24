//! What is printed: records, answers, help. A reader that has gone ends the tool quietly.

use std::io::{self, ErrorKind, Write};

use crate::failure::Failure;

pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(text.as_bytes())
}

/// Writes all of it, and leaves nothing in a buffer.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::other(format!("stdout can't be written: {error}")),
    })
}

/// A line to the reader of stderr, of whom it doesn't matter whether there is one.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
