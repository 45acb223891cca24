//! Where records are written: stdout, or a file that is either complete or absent.

mod partial_file;

use std::path::PathBuf;

use clap::ArgMatches;
use digital_assets::ErrorKind;
use serde_json::Value;

use self::partial_file::PartialFile;
use crate::{failure::Failure, format::Encode, stdout};

pub(crate) enum Output {
    Stdout { records: u64 },
    File(Box<PartialFile>),
}

impl Output {
    /// The output that the arguments name. `None` if it is a file that is already complete.
    pub(crate) fn open(
        arguments: &ArgMatches,
        service: &str,
        form: &str,
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = arguments.get_one::<PathBuf>("output") else {
            return Ok(Some(Self::Stdout { records: 0 }));
        };
        let (resume, force) = (arguments.get_flag("resume"), arguments.get_flag("force"));
        let file = PartialFile::open(path, service, form, resume, force);
        let file = file.map_err(|failure| failure.in_words(path.display()))?;
        Ok(file.map(|file| Self::File(Box::new(file))))
    }

    /// Whether nothing has been written yet, in any run.
    pub(crate) fn is_new(&self) -> bool {
        match self {
            Self::Stdout { records } => *records == 0,
            Self::File(file) => file.is_new(),
        }
    }

    /// Whether all records were written by an earlier run.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self, Self::File(file) if file.is_finished())
    }

    /// Where the listing continues.
    pub(crate) fn checkpoint(&self) -> Option<Value> {
        match self {
            Self::Stdout { .. } => None,
            Self::File(file) => file.checkpoint(),
        }
    }

    /// Records so far, those of earlier runs included.
    pub(crate) fn records(&self) -> u64 {
        match self {
            Self::Stdout { records } => *records,
            Self::File(file) => file.records(),
        }
    }

    pub(crate) fn count(&mut self) {
        match self {
            Self::Stdout { records } => *records += 1,
            Self::File(file) => file.count(),
        }
    }

    /// Writes what is in the buffer and empties it.
    pub(crate) fn write(&mut self, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        match self {
            _ if buffer.is_empty() => {}
            Self::Stdout { .. } => stdout::write(buffer)?,
            Self::File(file) => file.write(buffer)?,
        }
        buffer.clear();
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

    /// Completes it. If there is an encoder, it makes the file from the lines of JSON.
    pub(crate) fn complete(
        self,
        checkpoint: Value,
        encoder: Option<Box<dyn Encode>>,
    ) -> Result<(), Failure> {
        let Self::File(mut file) = self else { return Ok(()) };
        file.complete(checkpoint, encoder).map_err(|failure| {
            let place = file.path().display();
            failure.in_words(format!("{place} is not complete, --resume continues it"))
        })
    }

    /// Leaves a file that can be resumed, and says so. Removes one that is empty.
    pub(crate) fn stopped(self, failure: Failure, checkpoint: Option<Value>) -> Failure {
        let Self::File(mut file) = self else { return failure };
        let place = file.path().display().to_string();
        if file.is_empty() {
            return match file.discard() {
                Ok(()) => failure.in_words(place),
                Err(other) => other.in_words(place),
            };
        }
        if let Some(checkpoint) = checkpoint
            && let Err(other) = file.save(checkpoint)
        {
            return other.in_words(format!("{place} is not complete"));
        }
        let begins_anew = matches!(
            &failure,
            Failure::Service(error) if error.kind() == ErrorKind::InvalidRequest
        );
        let advice = if begins_anew { "--force starts again" } else { "--resume continues it" };
        if let Failure::Signal(_) = failure {
            stdout::say(&format!("{place} is not complete; {advice}"));
        }
        failure.in_words(format!("{place} is not complete, {advice}"))
    }
}
