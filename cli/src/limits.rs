//! The limits that the operating system sets for the process. They are checked once, before a
//! command runs, because a library may panic or wait forever when it can't start a thread.

use std::{
    io,
    sync::{Mutex, PoisonError},
    thread,
};

use crate::failure::Failure;

/// The number of files that a command may need, without those for a large `--concurrency`: its
/// connections, a database, certificates and the output.
const FILES: usize = 64;
/// The number of threads that a command may need for databases, files and host names, in addition
/// to the runtime's one per core.
const THREADS: usize = 8;

/// # Errors
///
/// If the process can't open [`FILES`] more files, or can't start enough threads.
pub(crate) fn check() -> Result<(), Failure> {
    let pipes: io::Result<Vec<_>> = (0..FILES / 2).map(|_| io::pipe()).collect();
    pipes.map_err(|error| {
        let words = format!("{FILES} are needed; raise the limit (ulimit -n)");
        Failure::other(format!("the process can't open enough files: {error}; {words}"))
    })?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    started(cores + THREADS).map_err(|error| {
        let threads = cores + THREADS;
        let words =
            format!("{threads} are needed; raise the limit (ulimit -u, or the container's)");
        Failure::other(format!("the process can't start enough threads: {error}; {words}"))
    })
}

/// Starts this number of threads, which exist at the same time, and stops them.
fn started(threads: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // When this guard is dropped, also after an error, all threads end.
        let _closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..threads {
            thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()))?;
        }
        Ok(())
    })
}
