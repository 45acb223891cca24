//! Where records are written: stdout, or a file that is either complete or absent.

mod partial_file;
mod place;

use std::{mem, path::PathBuf, time::Duration};

use clap::ArgMatches;
use serde_json::Value;
use tokio::{task::JoinHandle, time::timeout};

use self::partial_file::PartialFile;
use crate::{failure::Failure, format::Encode, stdout};

pub(crate) enum Output {
    Stdout {
        records: u64,
        /// What its reader hasn't taken yet.
        writing: Option<JoinHandle<Result<(), Failure>>>,
    },
    File(Box<PartialFile>),
}

/// How long a reader of stdout has, after a signal, to take the rest of a line.
const GRACE: Duration = Duration::from_millis(500);

impl Output {
    /// The output that the arguments name. `None` if it is a file that is already complete.
    pub(crate) fn open(
        arguments: &ArgMatches,
        path: Option<&PathBuf>,
        service: &str,
        form: &str,
        listing: &Value,
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = path else {
            return Ok(Some(Self::Stdout { records: 0, writing: None }));
        };
        let (resume, force) = (arguments.get_flag("resume"), arguments.get_flag("force"));
        let file = PartialFile::open(path, service, form, listing, resume, force);
        let file = file.map_err(|failure| failure.in_words(path.display()))?;
        Ok(file.map(|file| Self::File(Box::new(file))))
    }

    /// Whether nothing has been written yet, in any run.
    pub(crate) fn is_new(&self) -> bool {
        match self {
            Self::Stdout { records, .. } => *records == 0,
            Self::File(file) => file.state.bytes == 0,
        }
    }

    /// Whether it was begun with the listing that begins here.
    pub(crate) fn is_of(&self, listing: &Value) -> bool {
        match self {
            Self::Stdout { .. } => true,
            Self::File(file) => file.state.listing == *listing,
        }
    }

    /// Whether all records were written by an earlier run.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self, Self::File(file) if file.state.finished)
    }

    /// Where the listing continues.
    pub(crate) fn checkpoint(&self) -> Option<Value> {
        match self {
            Self::Stdout { .. } => None,
            Self::File(file) => file.state.checkpoint.clone(),
        }
    }

    /// Records so far, those of earlier runs included.
    pub(crate) fn records(&self) -> u64 {
        match self {
            Self::Stdout { records, .. } => *records,
            Self::File(file) => file.state.records,
        }
    }

    pub(crate) fn count(&mut self) {
        match self {
            Self::Stdout { records, .. } => *records += 1,
            Self::File(file) => file.state.records += 1,
        }
    }

    /// Writes what is in the buffer and empties it. Can be dropped while the reader of stdout lets it
    /// wait.
    pub(crate) async fn write(&mut self, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        match self {
            _ if buffer.is_empty() => {}
            Self::Stdout { writing, .. } => {
                let written = writing.insert(stdout::begin(mem::take(buffer))).await;
                *writing = None;
                written??;
            }
            Self::File(file) => {
                file.write(buffer)?;
                buffer.clear();
            }
        }
        Ok(())
    }

    /// Whether it is time for a checkpoint.
    pub(crate) fn is_due(&self) -> bool {
        matches!(self, Self::File(file) if file.is_due())
    }

    /// Saves the checkpoint of everything written so far.
    pub(crate) fn save(&mut self, checkpoint: Value) -> Result<(), Failure> {
        match self {
            Self::Stdout { .. } => Ok(()),
            Self::File(file) => file.save(checkpoint),
        }
    }

    /// The failure for a checkpoint that isn't one.
    pub(crate) fn unreadable(&self, error: &serde_json::Error) -> Failure {
        match self {
            Self::Stdout { .. } => Failure::other(error.to_string()),
            Self::File(file) => file.unreadable(error).in_words(file.path.display()),
        }
    }

    /// Completes it, with the checkpoint of the listing's end if it has come to that. If there is an
    /// encoder, it makes the file from the lines of JSON.
    pub(crate) fn complete(
        self,
        end: Option<Value>,
        encoder: Option<Box<dyn Encode>>,
    ) -> Result<(), Failure> {
        let Self::File(mut file) = self else { return Ok(()) };
        file.complete(end, encoder).map_err(|failure| {
            let place = file.path.display();
            failure.in_words(format!("{place} is not complete, --resume continues it"))
        })
    }

    /// Leaves a file that can be resumed, with what is in the buffer if its checkpoint is given, and
    /// says so. Removes one that is empty.
    pub(crate) async fn stopped(
        self,
        failure: Failure,
        rest: Option<(Vec<u8>, Value)>,
        is_refused: bool,
    ) -> Failure {
        let mut file = match self {
            Self::File(file) => file,
            Self::Stdout { writing, .. } => {
                if let Some(writing) = writing {
                    let _ = timeout(GRACE, writing).await;
                }
                return failure;
            }
        };
        let place = file.path.display().to_string();
        // Whatever fails from here on, the first failure is the one to tell.
        if file.is_empty() {
            let _ = file.discard();
            return failure.in_words(place);
        }
        if let Some((bytes, checkpoint)) = rest {
            let _ = file.write(&bytes).and_then(|()| file.save(checkpoint));
        }
        let advice = if is_refused { "--force starts again" } else { "--resume continues it" };
        if let Failure::Signal(_) = failure {
            stdout::say(&format!("{place} is not complete; {advice}"));
        }
        failure.in_words(format!("{place} is not complete, {advice}"))
    }
}
