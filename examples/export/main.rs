//! Exports a whole listing into a file: complete, or marked as partial, and never silently short.
//!
//! ```text
//! export quote-executions --profile … --from 2025-01-01 --to 2025-12-31 --out executions.csv
//! ```
//!
//! Without `DIGITAL_ASSETS_*` in the environment it works on a sandbox with 200,000 executions.

#![allow(clippy::print_stderr)]

mod arguments;
mod file;
mod listing;
mod place;
mod progress;
mod record;

use std::{error::Error, future::Future, io::IsTerminal, process::ExitCode, time::Duration};

use clap::Parser;
use digital_assets::{ErrorKind, Items};
use tokio::signal::unix::{Signal, SignalKind, signal};

use self::{
    arguments::{Arguments, Target},
    file::PartialFile,
    progress::{Extent, Progress},
    record::Exported,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How an export ends that didn't fail.
enum End {
    Complete(u64),
    WasComplete,
    Interrupted(u8),
}

/// Failures in a row, each after the client's own retries, before the export gives up.
const PATIENCE: u32 = 5;
/// How long a service may ask to be left alone, before the export gives up.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// Records between two looks at the signals that came.
const LOOK_UP: u64 = 500;

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments { listing } = Arguments::parse();
    let out = listing.target().out.display();
    match listing::export(&listing).await {
        Ok(End::Complete(records)) => {
            if is_watched() {
                eprintln!("{out}: {records} records");
            }
            ExitCode::SUCCESS
        }
        Ok(End::WasComplete) => {
            eprintln!("{out} is complete already, and was left as it is; --force begins it anew");
            ExitCode::SUCCESS
        }
        Ok(End::Interrupted(status)) => {
            eprintln!("interrupted; the same command with --resume goes on");
            ExitCode::from(status)
        }
        Err(error) => {
            eprintln!("{out}: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

/// Writes what a listing hands out into the file, behind what that has already.
async fn export<T: Exported>(
    mut items: Items<T>,
    extent: impl Future<Output = Option<Extent>>,
    service: &str,
    target: &Target,
) -> Result<End> {
    let Some(mut file) = PartialFile::find(target, service)? else { return Ok(End::WasComplete) };
    if let Some(checkpoint) = file.begin(T::COLUMNS)? {
        items = items.resume(checkpoint);
    }
    let mut interrupts = Interrupts::new()?;
    let copied = tokio::select! {
        biased;
        status = interrupts.next() => Err(status),
        copied = copy(&mut items, extent, &mut file) => Ok(copied),
    };
    match copied {
        Ok(Ok(())) => Ok(End::Complete(file.complete(items.checkpoint())?)),
        Ok(Err(error)) if file.is_empty() => {
            file.discard()?;
            Err(error)
        }
        Ok(Err(error)) => {
            file.save(items.checkpoint())?;
            let client = error.downcast_ref::<digital_assets::Error>();
            let advice = match client.map(digital_assets::Error::kind) {
                Some(ErrorKind::InvalidRequest) => "--force begins anew",
                _ => "--resume goes on",
            };
            Err(format!("not complete, {advice}: {}", chain(&*error)).into())
        }
        Err(status) => {
            file.save(items.checkpoint())?;
            Ok(End::Interrupted(status))
        }
    }
}

/// Waits for the service, for failures to pass, and to let a signal be seen, so that it can be
/// dropped between records.
async fn copy<T: Exported>(
    items: &mut Items<T>,
    extent: impl Future<Output = Option<Extent>>,
    file: &mut PartialFile,
) -> Result<()> {
    // Only who watches it has use for a bar; without its length, too, there is a file.
    let extent = if is_watched() { extent.await } else { None };
    let mut progress = Progress::new(extent.unwrap_or(Extent::Unknown), file.records());
    let mut failures = 0;
    while let Some(item) = items.next().await {
        match item {
            Ok(record) => {
                failures = 0;
                file.write(&record)?;
                progress.wrote(record.created_at());
                if file.is_due() {
                    file.save(items.checkpoint())?;
                }
                // Records that come faster than they are written never leave time for a signal.
                if file.records().is_multiple_of(LOOK_UP) {
                    tokio::task::yield_now().await;
                }
            }
            Err(error) => {
                failures += 1;
                let wait = error.retry_after().max(Some(Duration::from_secs(1 << failures)));
                match wait.filter(|wait| *wait <= LONGEST_WAIT) {
                    Some(wait) if failures < PATIENCE && error.is_retryable() => {
                        progress.waits(wait, &error);
                        tokio::time::sleep(wait).await;
                    }
                    _ => return Err(error.into()),
                }
            }
        }
    }
    Ok(())
}

/// Ctrl-C, and what a service manager sends; the status is the shell's for either.
struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    fn new() -> Result<Self> {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self { interrupt, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }
}

fn is_watched() -> bool {
    std::io::stderr().is_terminal()
}

/// An error and its causes in one line.
fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
