//! Writes records to stdout or to a file. A file gets its final name only when it is complete.

mod held_file;
mod partial_file;
mod place;

use std::{
    mem,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::{DateTime, Utc};
use clap::ArgMatches;
use serde_json::Value;
use tokio::{task::JoinHandle, time::timeout};

use self::partial_file::{PartialFile, State, unreadable};
use crate::{failure::Failure, format::Encode, stdout};

pub(crate) struct Output {
    /// The state of the output. It is saved only if the output is a file.
    pub state: State,
    /// The file. `None` means stdout.
    file: Option<PartialFile>,
    /// The write to stdout that is in progress, if any.
    writing: Option<JoinHandle<Result<(), Failure>>>,
}

/// The maximum time that a stopped command waits for the reader of stdout to read the last bytes.
const GRACE: Duration = Duration::from_millis(500);

impl Output {
    /// Opens the output that the arguments name. Returns `None` if the output is a file that is
    /// already complete.
    pub(crate) fn open(
        arguments: &ArgMatches,
        path: Option<&PathBuf>,
        service: &str,
        form: &str,
        listing: &Value,
        begun_at: DateTime<Utc>,
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = path else {
            let state = State { listing: listing.clone(), ..State::default() };
            return Ok(Some(Self { state, file: None, writing: None }));
        };
        let (resume, force) = (arguments.get_flag("resume"), arguments.get_flag("force"));
        let new = State {
            service: service.to_owned(),
            form: form.to_owned(),
            listing: listing.clone(),
            begun_at: Some(begun_at),
            replaces: force,
            ..State::default()
        };
        let opened = PartialFile::open(path, new, resume, force);
        let opened = opened.map_err(|failure| failure.in_words(path.display()))?;
        Ok(opened.map(|(file, state)| Self { state, file: Some(file), writing: None }))
    }

    /// When the listing in an incomplete file was started.
    pub(crate) fn begun_at(path: &Path) -> Option<DateTime<Utc>> {
        // If the checkpoint can't be read, `open` returns the error.
        State::of(path).ok()??.begun_at
    }

    pub(crate) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Writes the content of the buffer, and empties the buffer. If the future is dropped while it
    /// waits for the reader of stdout, the write itself continues.
    pub(crate) async fn write(&mut self, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        match &mut self.file {
            _ if buffer.is_empty() => {}
            None => {
                let written = self.writing.insert(stdout::begin(mem::take(buffer))).await;
                self.writing = None;
                written??;
            }
            Some(file) => {
                file.write(buffer)?;
                buffer.clear();
            }
        }
        Ok(())
    }

    /// Whether it is time to save a checkpoint. Always false for stdout.
    pub(crate) fn is_due(&self) -> bool {
        self.file.as_ref().is_some_and(PartialFile::is_due)
    }

    /// Saves a checkpoint that covers everything written so far. Does nothing for stdout.
    pub(crate) fn save(&mut self, checkpoint: Value) -> Result<(), Failure> {
        match &mut self.file {
            None => Ok(()),
            Some(file) => file.save(&mut self.state, checkpoint),
        }
    }

    /// The failure to report if a saved checkpoint is invalid.
    pub(crate) fn unreadable(&self, error: &serde_json::Error) -> Failure {
        match &self.file {
            None => Failure::other(error.to_string()),
            Some(file) => unreadable(&file.saved, error).in_words(file.path.display()),
        }
    }

    /// Completes the output, and gives an output file its final name. If `encoder` is given, first
    /// converts the partial file from lines of JSON to the final format.
    ///
    /// `end` is the listing's last checkpoint, or `None` if `--max` stopped the listing.
    pub(crate) fn complete(
        mut self,
        end: Option<Value>,
        encoder: Option<Box<dyn Encode>>,
    ) -> Result<(), Failure> {
        let Some(mut file) = self.file else { return Ok(()) };
        file.complete(&mut self.state, end, encoder).map_err(|failure| {
            let place = file.path.display();
            let advice = if file.is_lost() { "" } else { " (use --resume to continue)" };
            failure.in_words(format!("{place} is not complete{advice}"))
        })
    }

    /// Handles a failure: leaves a partial file that `--resume` can continue, and returns the
    /// failure with advice.
    ///
    /// - If `rest` is given, its bytes and its checkpoint are saved first.
    /// - If `is_refused` is true, the advice is to start over with `--force`.
    /// - If there are no records, the partial file is removed. If an older file has the final name,
    ///   the partial file stays, because `--resume` would otherwise mistake the older file for the
    ///   complete output.
    pub(crate) async fn stopped(
        mut self,
        failure: Failure,
        rest: Option<(Vec<u8>, Value)>,
        is_refused: bool,
    ) -> Failure {
        let Some(mut file) = self.file else {
            if let Some(writing) = self.writing {
                let _ = timeout(GRACE, writing).await;
            }
            return failure;
        };
        let place = file.path.display().to_string();
        // Later failures are ignored, so that the first failure is the one that is reported.
        if file.is_lost() {
            return failure.in_words(place);
        }
        let is_empty = self.state.records == 0 && self.state.checkpoint.is_none();
        if is_empty && !file.path.exists() {
            let _ = file.discard();
            return failure.in_words(place);
        }
        if let Some((bytes, checkpoint)) = rest {
            let _ = file.write(&bytes).and_then(|()| file.save(&mut self.state, checkpoint));
        }
        let advice =
            if is_refused { "use --force to start over" } else { "use --resume to continue" };
        if let Failure::Signal(_) = failure {
            stdout::say(&format!("{place} is not complete; {advice}"));
        }
        failure.in_words(format!("{place} is not complete ({advice})"))
    }
}
