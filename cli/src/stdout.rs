//! Prints records, responses and help to stdout, and messages to stderr. If the reader of stdout
//! closes the pipe after the first write, the tool stops without a message. A reader of stderr that
//! doesn't read delays nothing.

use std::{
    io::{self, ErrorKind, Write},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::Duration,
};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use tokio::task::JoinHandle;

use crate::failure::Failure;

/// The maximum number of bytes per write. A pipe's buffer has room for this many bytes, so the
/// first write succeeds unless the pipe has no reader.
const PART: usize = 32 << 10;

/// Prints text other than records and responses, such as the help or the results of `check`.
/// Doesn't fail if the pipe is closed.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

/// Writes all bytes to stdout, and flushes stdout.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // The first line is written and flushed separately, because a reader that needs only that line
    // may close the pipe afterwards.
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

/// Whether any bytes have been written to stdout. If so, a reader that closes the pipe is assumed
/// to have read enough, so the tool stops without an error message.
static READ: AtomicBool = AtomicBool::new(false);

/// Starts writing the bytes to stdout on a separate thread, so that a stalled reader can't delay
/// the handling of signals.
pub(crate) fn begin(bytes: Vec<u8>) -> JoinHandle<Result<(), Failure>> {
    tokio::task::spawn_blocking(move || write(&bytes))
}

/// Whether stdout is a regular file. Otherwise, the output may appear on the terminal, directly or
/// through a pager, and a progress bar would interfere with the output.
pub(crate) fn is_a_file() -> bool {
    // Reads only the file's metadata.
    std::fs::metadata("/dev/stdout").is_ok_and(|stdout| stdout.is_file())
}

/// Whether stderr is a terminal that can show progress bars. It isn't if `TERM` is unset or `dumb`.
/// Nothing that is printed above a bar would appear there either.
pub(crate) fn shows_bars() -> bool {
    !ProgressDrawTarget::stderr().is_hidden()
}

/// The lines on the terminal that show progress. `None` if there haven't been any.
static LINES: OnceLock<MultiProgress> = OnceLock::new();

/// Shows a progress bar below the earlier ones. Must be called only if [`shows_bars`] is true.
pub(crate) fn with_line(bar: ProgressBar) -> ProgressBar {
    LINES.get_or_init(MultiProgress::new).add(bar)
}

/// The thread that writes to stderr. It starts with the first line.
static STDERR: Mutex<Option<Stderr>> = Mutex::new(None);

struct Stderr {
    lines: SyncSender<String>,
    /// Disconnected when all lines have been written.
    ended: Receiver<()>,
}

/// The maximum number of lines that wait for the reader of stderr. Any further line is lost.
const MOST_LINES: usize = 10_000;
/// The maximum time that the tool waits, at its end, for the reader of stderr.
const STDERR_GRACE: Duration = Duration::from_secs(2);

impl Stderr {
    /// Starts the thread. Returns `None` if the system has no more threads.
    fn start() -> Option<Self> {
        let ((lines, waiting), (end, ended)) = (sync_channel::<String>(MOST_LINES), channel());
        let write = move || {
            let _end: Sender<()> = end;
            for line in waiting {
                write_line(&line);
            }
        };
        thread::Builder::new().spawn(write).ok()?;
        Some(Self { lines, ended })
    }
}

/// Writes a line to stderr, and ignores write errors. Doesn't wait for the reader.
pub(crate) fn say(line: &str) {
    let mut stderr = STDERR.lock().unwrap_or_else(PoisonError::into_inner);
    if stderr.is_none() {
        *stderr = Stderr::start();
    }
    match &*stderr {
        Some(stderr) => drop(stderr.lines.try_send(line.to_owned())),
        None => write_line(line),
    }
}

/// Writes a line to stderr, above the progress bars.
fn write_line(line: &str) {
    let _ = match LINES.get() {
        Some(lines) => lines.println(line),
        None => writeln!(io::stderr(), "{line}"),
    };
}

/// Waits until all lines have been written to stderr, if somebody reads them.
pub(crate) fn finish() {
    let stderr = STDERR.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(Stderr { lines, ended }) = stderr {
        drop(lines);
        let _ = ended.recv_timeout(STDERR_GRACE);
    }
}

/// A count followed by its noun in the singular or plural: `1 record`, `2 records`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
