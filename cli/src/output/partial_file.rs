//! A file that isn't complete yet, and its checkpoint.
//!
//! A checkpoint is written after the data that it covers, and contains the length of that data.
//! Bytes beyond that length were written after the checkpoint, and are cut off when writing
//! resumes.

use std::{
    fs,
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    held_file::{self, HeldFile, created_meanwhile},
    place::{behind, check, remove, unfinished_mode},
};
use crate::{
    failure::Failure,
    file::{FileNumber, beside},
    format::Encode,
};

pub(crate) struct PartialFile {
    pub(super) path: PathBuf,
    part: HeldFile,
    pub(super) saved: PathBuf,
    /// The permissions of the unfinished files.
    mode: u32,
    next: Instant,
    /// Whether a write may have stopped halfway. After such a write, no further checkpoint is
    /// saved.
    torn: bool,
}

/// The content of `FILE.checkpoint`.
#[derive(Default, Deserialize, Serialize)]
pub(crate) struct State {
    pub service: String,
    /// The format and the columns of the file.
    pub form: String,
    /// The checkpoint from before the listing's first record. It identifies the listing and its
    /// filters.
    pub listing: Value,
    /// When the listing was started. Relative time bounds are counted back from this time.
    #[serde(default)]
    pub begun_at: Option<DateTime<Utc>>,
    /// The length of the partial file at the last checkpoint, in bytes.
    pub bytes: u64,
    /// The number of records in the partial file, including those from earlier runs.
    pub records: u64,
    /// The checkpoint from which the listing continues. `None` means the start of the listing.
    pub checkpoint: Option<Value>,
    /// Whether the partial file contains every record of the listing. Only the final steps remain,
    /// such as giving the file its final name.
    #[serde(default)]
    pub finished: bool,
    /// Whether the listing was started with `--force`, and may replace a file.
    #[serde(default)]
    pub replaces: bool,
    /// The file that gets the final name next. If it already has this name, only the leftovers have
    /// to be removed.
    #[serde(default)]
    pub published: FileNumber,
}

impl State {
    /// The state of the incomplete file with this final path, if there is one.
    pub(super) fn of(path: &Path) -> Result<Option<Self>, Failure> {
        Self::read(&beside(&behind(path)?, "checkpoint"))
    }

    fn read(saved: &Path) -> Result<Option<Self>, Failure> {
        let text = held_file::read(saved)?;
        let state = text.map(|text| serde_json::from_str(&text)).transpose();
        state.map_err(|error| unreadable(saved, &error))
    }

    /// Checks that the partial file belongs to this listing.
    fn check(&self, new: &Self) -> Result<(), Failure> {
        let Self { service, form, listing, .. } = new;
        let begun_otherwise = |how: String| {
            Failure::other(format!("the file was started {how}; use --force to start over"))
        };
        if self.service != *service {
            let begun = &self.service;
            return Err(begun_otherwise(format!("with records from {begun}, not from {service}")));
        }
        if self.form != *form {
            return Err(begun_otherwise(format!("as {}, not as {form}", self.form)));
        }
        if self.checkpoint.is_some() && self.listing != *listing {
            return Err(begun_otherwise("for another listing or with other filters".to_owned()));
        }
        Ok(())
    }

    fn save(&self, saved: &Path, mode: u32) -> Result<(), Failure> {
        let new = beside(saved, "new");
        remove(&new)?;
        let file = HeldFile::create(&new, mode)?;
        (&file).write_all(&serde_json::to_vec(self)?)?;
        file.sync()?;
        Ok(fs::rename(&new, saved)?)
    }
}

/// The minimum time between two checkpoints.
const EVERY: Duration = Duration::from_millis(250);

impl PartialFile {
    /// Opens the partial file for writing. Returns `None` if the file is already complete.
    ///
    /// # Errors
    ///
    /// If another file would be overwritten, if the partial file contains records from another
    /// service or listing or in another format, or if another process is writing to the partial
    /// file.
    pub(super) fn open(
        path: &Path,
        new: State,
        resume: bool,
        force: bool,
    ) -> Result<Option<(Self, State)>, Failure> {
        check(path)?;
        let path = &behind(path)?;
        check(path)?;
        let (part, saved) = (beside(path, "part"), beside(path, "checkpoint"));
        #[cfg(unix)]
        if saved.exists() {
            held_file::make_writable(&part)?;
        }
        let old = HeldFile::open(&part)?;
        let begun = if force { None } else { State::read(&saved)? };
        if let Some(state) = &begun {
            if !resume {
                return Err(Failure::other(
                    "the file is incomplete; use --resume to continue, or --force to start over",
                ));
            }
            state.check(&new)?;
        }
        let shown = part.display();
        let gone = || Failure::other(format!("{shown} is gone; use --force to start over"));
        if path.exists() && !force {
            match &begun {
                None if resume => return Ok(None),
                None => {
                    return Err(Failure::other(
                        "the file already exists; use --force to replace it",
                    ));
                }
                // An earlier run stopped before it removed its leftovers.
                Some(state) if cfg!(unix) && state.published == FileNumber::at(path) => {
                    old.as_ref().map_or(Ok(()), HeldFile::remove)?;
                    remove(&saved)?;
                    return Ok(None);
                }
                Some(_) if old.is_none() => return Err(gone()),
                Some(state) if !state.replaces => return Err(created_meanwhile()),
                Some(_) => {}
            }
        }
        let mode = unfinished_mode(path);
        let bytes = begun.as_ref().map_or(0, |state| state.bytes);
        let part = match old {
            Some(old) if begun.is_some() => old,
            None if bytes > 0 => return Err(gone()),
            // A partial file without a checkpoint is from another program, because this tool saves
            // a checkpoint before it writes.
            Some(old) if !force && old.len()? > 0 => {
                return Err(Failure::other(format!(
                    "{shown} already exists; use --force to replace it"
                )));
            }
            old => {
                old.as_ref().map_or(Ok(()), HeldFile::remove)?;
                HeldFile::create(&part, mode)?
            }
        };
        if part.len()? < bytes {
            return Err(Failure::other(format!(
                "{shown} is shorter than it was; use --force to start over"
            )));
        }
        let mut state = match begun {
            Some(begun) if begun.checkpoint.is_some() => begun,
            Some(begun) => State { listing: new.listing, begun_at: new.begun_at, ..begun },
            None => new,
        };
        // The previous run didn't publish its file.
        state.published = FileNumber::default();
        state.save(&saved, mode)?;
        part.truncate(state.bytes)?;
        let (path, next) = (path.to_owned(), Instant::now() + EVERY);
        Ok(Some((Self { path, part, saved, mode, next, torn: false }, state)))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = (&self.part).write_all(bytes);
        self.torn |= written.is_err();
        Ok(written?)
    }

    pub(super) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Whether the partial file was removed or replaced, so that nothing is left to continue.
    pub(super) fn is_lost(&self) -> bool {
        self.part.check().is_err()
    }

    /// Saves a checkpoint that covers everything written so far.
    pub(super) fn save(&mut self, state: &mut State, checkpoint: Value) -> Result<(), Failure> {
        if self.torn {
            return Ok(());
        }
        self.part.sync()?;
        self.part.check()?;
        state.bytes = self.part.len()?;
        state.checkpoint = Some(checkpoint);
        state.save(&self.saved, self.mode)?;
        self.next = Instant::now() + EVERY;
        Ok(())
    }

    /// Removes the partial file and its checkpoint. Must be called only if the partial file
    /// contains no records.
    pub(super) fn discard(&self) -> Result<(), Failure> {
        self.part.remove()?;
        remove(&self.saved)
    }

    /// Gives the file its final name. If `encoder` is given, first converts the partial file from
    /// lines of JSON to the final format.
    ///
    /// `end` is the listing's last checkpoint, or `None` if `--max` stopped the listing. If `end`
    /// is `None`, the previous checkpoint is kept until the file has its final name. If this run is
    /// interrupted before that, the next run can continue from the previous checkpoint.
    pub(super) fn complete(
        &mut self,
        state: &mut State,
        end: Option<Value>,
        encoder: Option<Box<dyn Encode>>,
    ) -> Result<(), Failure> {
        if let Some(end) = end {
            state.finished = true;
            self.save(state, end)?;
        } else {
            self.part.sync()?;
        }
        let Some(encoder) = encoder else { return self.publish(state, &self.part) };
        let new = beside(&self.part.path, "new");
        remove(&new)?;
        let made = HeldFile::create(&new, self.mode)?;
        let published = self.encode(&made, encoder).and_then(|()| self.publish(state, &made));
        published.inspect_err(|_| drop(made.remove()))?;
        self.part.remove()
    }

    fn publish(&self, state: &mut State, whole: &HeldFile) -> Result<(), Failure> {
        self.part.check()?;
        state.published = whole.number()?;
        state.save(&self.saved, self.mode)?;
        if let Err(failure) = whole.publish(&self.path, state.replaces) {
            // Once this file is removed, another program's file may get its number.
            if FileNumber::at(&self.path) != state.published {
                state.published = FileNumber::default();
                let _ = state.save(&self.saved, self.mode);
            }
            return Err(failure);
        }
        remove(&self.saved)
    }

    /// Converts the partial file from lines of JSON to another format.
    fn encode(&self, made: &HeldFile, mut encoder: Box<dyn Encode>) -> Result<(), Failure> {
        let mut file = BufWriter::new(made);
        let mut buffer = Vec::new();
        if encoder.looks_ahead() {
            for line in BufReader::new(self.part.reader()?).lines() {
                encoder.look(serde_json::from_str(&line?)?);
            }
        }
        encoder.begin(&mut buffer)?;
        for line in BufReader::new(self.part.reader()?).lines() {
            encoder.record(serde_json::from_str(&line?)?, &mut buffer)?;
            file.write_all(&buffer)?;
            buffer.clear();
        }
        encoder.end(&mut buffer)?;
        file.write_all(&buffer)?;
        file.flush()?;
        drop(file);
        Ok(made.sync()?)
    }
}

pub(super) fn unreadable(saved: &Path, error: &serde_json::Error) -> Failure {
    Failure::other(format!("{} can't be read: {error}; use --force to start over", saved.display()))
}
