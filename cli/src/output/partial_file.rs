//! A file that isn't complete yet, and its checkpoint.
//!
//! A checkpoint is written after the data that it covers, and contains the length of that data.
//! Bytes beyond that length were written after the checkpoint, and are cut off when writing
//! resumes.

use std::{
    fmt::Display,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::place::{behind, check, remove, replace};
use crate::{
    failure::Failure,
    file::{self, beside},
    format::Encode,
};

pub(crate) struct PartialFile {
    pub(super) path: PathBuf,
    part: PathBuf,
    pub(super) saved: PathBuf,
    file: BufWriter<File>,
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
}

impl State {
    fn save(&self, saved: &Path) -> Result<(), Failure> {
        let new = beside(saved, "new");
        let mut file = File::create(&new)?;
        serde_json::to_writer(&mut file, self)?;
        file.sync_data()?;
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
        service: &str,
        form: &str,
        listing: &Value,
        resume: bool,
        force: bool,
    ) -> Result<Option<(Self, State)>, Failure> {
        check(path)?;
        let path = &behind(path)?;
        check(path)?;
        let (part, saved) = (beside(path, "part"), beside(path, "checkpoint"));
        let new =
            || State { service: service.to_owned(), form: form.to_owned(), ..State::default() };
        let mut state: State = match fs::read(&saved) {
            Ok(_) if force => new(),
            Ok(_) if !resume => {
                return Err(Failure::other(
                    "the file is incomplete; use --resume to continue, or --force to start over",
                ));
            }
            Ok(text) => {
                serde_json::from_slice(&text).map_err(|error| unreadable(&saved, &error))?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => new(),
            Err(error) => return Err(error.into()),
        };
        if state.checkpoint.is_none() {
            state.listing = listing.clone();
        }
        if state.service != service {
            let begun = &state.service;
            return Err(begun_otherwise(format!("with records from {begun}, not from {service}")));
        }
        if state.form != form {
            return Err(begun_otherwise(format!("as {}, not as {form}", state.form)));
        }
        let is_begun = force || (resume && saved.exists() && part.exists());
        if let (false, Ok(there)) = (is_begun, fs::metadata(path)) {
            if !resume {
                return Err(Failure::other("the file already exists; use --force to replace it"));
            }
            // The file is complete, but an earlier run may have stopped before it removed the
            // checkpoint.
            if state.checkpoint.is_some() && state.bytes != there.len() {
                let part = part.display();
                return Err(Failure::other(format!("{part} is gone; use --force to start over")));
            }
            remove(&saved)?;
            return Ok(None);
        }
        if state.listing != *listing {
            return Err(begun_otherwise("for another listing or with other filters"));
        }

        let opened = OpenOptions::new().create(true).append(true).open(&part)?;
        opened.try_lock().map_err(|_| Failure::other("another process is writing to this file"))?;
        // If another process has completed the file in the meantime, the opened file is no longer
        // at the path of the partial file.
        if !file::is_at(&opened, &part)? {
            return Err(Failure::other("another process has just completed this file"));
        }
        let bytes = opened.metadata()?.len();
        if bytes < state.bytes {
            let part = part.display();
            return Err(Failure::other(format!(
                "{part} is shorter than it was; use --force to start over"
            )));
        }
        if bytes > 0 && !force && !saved.exists() {
            // A partial file without a checkpoint is from another program, because this tool saves
            // a checkpoint before it writes.
            let part = part.display();
            return Err(Failure::other(format!(
                "{part} already exists; use --force to replace it"
            )));
        }
        state.save(&saved)?;
        opened.set_len(state.bytes)?;
        let (path, file, next) = (path.to_owned(), BufWriter::new(opened), Instant::now() + EVERY);
        Ok(Some((Self { path, part, saved, file, next, torn: false }, state)))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let was_torn = std::mem::replace(&mut self.torn, true);
        self.file.write_all(bytes)?;
        self.torn = was_torn;
        Ok(())
    }

    pub(super) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Flushes the file, and saves a checkpoint that covers everything written so far.
    pub(super) fn save(&mut self, state: &mut State, checkpoint: Value) -> Result<(), Failure> {
        if self.torn {
            return Ok(());
        }
        self.torn = true;
        self.flush()?;
        self.torn = false;
        state.bytes = self.file.get_ref().metadata()?.len();
        state.checkpoint = Some(checkpoint);
        state.save(&self.saved)?;
        self.next = Instant::now() + EVERY;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.file.flush()?;
        Ok(self.file.get_ref().sync_data()?)
    }

    /// Removes the partial file and its checkpoint. Must be called only if the partial file
    /// contains no records.
    pub(super) fn discard(&self) -> Result<(), Failure> {
        remove(&self.part)?;
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
            self.flush()?;
        }
        let Some(encoder) = encoder else {
            replace(&self.path, &self.part)?;
            return remove(&self.saved);
        };
        let new = beside(&self.part, "new");
        encode(&self.part, &new, encoder).inspect_err(|_| drop(remove(&new)))?;
        replace(&self.path, &new)?;
        remove(&self.saved)?;
        remove(&self.part)
    }
}

fn encode(lines: &Path, new: &Path, mut encoder: Box<dyn Encode>) -> Result<(), Failure> {
    let mut file = BufWriter::new(File::create(new)?);
    let mut buffer = Vec::new();
    if encoder.looks_ahead() {
        for line in BufReader::new(File::open(lines)?).lines() {
            encoder.look(serde_json::from_str(&line?)?);
        }
    }
    encoder.begin(&mut buffer)?;
    for line in BufReader::new(File::open(lines)?).lines() {
        encoder.record(serde_json::from_str(&line?)?, &mut buffer)?;
        file.write_all(&buffer)?;
        buffer.clear();
    }
    encoder.end(&mut buffer)?;
    file.write_all(&buffer)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
    Ok(())
}

fn begun_otherwise(how: impl Display) -> Failure {
    Failure::other(format!("the file was started {how}; use --force to start over"))
}

pub(super) fn unreadable(saved: &Path, error: &serde_json::Error) -> Failure {
    Failure::other(format!("{} can't be read: {error}; use --force to start over", saved.display()))
}
