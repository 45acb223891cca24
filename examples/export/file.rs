//! The file while it is partial, and the checkpoint that belongs to it.
//!
//! A checkpoint is written after the data that it is about, with their length: what stands behind
//! that length when an export is resumed was written after the checkpoint, and is cut off.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufWriter, ErrorKind, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use digital_assets::Checkpoint;
use serde::{Deserialize, Serialize};

use super::{Result, arguments::Target, record::Exported};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Csv,
    JsonLines,
}

impl Format {
    pub(crate) fn of(out: &Path) -> Option<Self> {
        match out.extension()?.to_str()? {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

pub(crate) struct PartialFile {
    out: PathBuf,
    part: PathBuf,
    saved: PathBuf,
    rows: Rows,
    state: State,
    every: Duration,
    next: Instant,
    /// Whether a record may have been written in part: no checkpoint is made behind that.
    torn: bool,
}

/// Records on their way into the file.
enum Rows {
    Csv(Box<csv::Writer<File>>),
    JsonLines(BufWriter<File>),
}

/// What `<OUT>.checkpoint` holds.
#[derive(Default, Deserialize, Serialize)]
struct State {
    service: String,
    /// Of the partial file, and the records in them.
    bytes: u64,
    records: u64,
    checkpoint: Option<Checkpoint>,
}

impl PartialFile {
    /// The file to write, or none where it is complete already.
    ///
    /// # Errors
    ///
    /// Where something else would be overwritten, what is there came from another service, or
    /// another export is writing here.
    pub(crate) fn find(target: &Target, service: &str) -> Result<Option<Self>> {
        let out = target.out.clone();
        let (part, saved) = (beside(&out, "part"), beside(&out, "checkpoint"));
        let format = Format::of(&out).ok_or("the file is neither .csv nor .jsonl")?;
        let new = || State { service: service.to_owned(), ..State::default() };
        let state: State = match fs::read(&saved) {
            Ok(_) if target.force => new(),
            Ok(_) if !target.resume => {
                return Err("an export stopped here; --resume goes on, --force begins anew".into());
            }
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|error| format!("{} can't be read: {error}", saved.display()))?,
            Err(error) if error.kind() == ErrorKind::NotFound => new(),
            Err(error) => return Err(error.into()),
        };
        if state.service != service {
            let begun = &state.service;
            return Err(format!("it was begun with records of {begun}, not of {service}").into());
        }
        let is_begun = target.force || (target.resume && part.exists());
        if let (false, Ok(there)) = (is_begun, fs::metadata(&out)) {
            if !target.resume {
                return Err("it is there already; --force replaces it".into());
            }
            // Complete, and perhaps stopped before it had tidied up.
            if state.checkpoint.is_some() && state.bytes != there.len() {
                return Err(format!("{} is gone", part.display()).into());
            }
            remove(&saved)?;
            return Ok(None);
        }

        let file = OpenOptions::new().create(true).append(true).open(&part)?;
        file.try_lock().map_err(|_| "another export is writing it")?;
        // The other may have completed it between the two: then this is its file, not the next.
        let (locked, there) = (file.metadata()?, fs::metadata(&part));
        if there.map_or(true, |there| (there.dev(), there.ino()) != (locked.dev(), locked.ino())) {
            return Err("another export has just completed it".into());
        }
        if file.metadata()?.len() < state.bytes {
            return Err(format!("{} is shorter than it was", part.display()).into());
        }
        file.set_len(state.bytes)?;
        if state.checkpoint.is_none() {
            remove(&saved)?;
        }
        let every = target.checkpoint_every;
        let rows = match format {
            Format::Csv => Rows::Csv(Box::new(csv::Writer::from_writer(file))),
            Format::JsonLines => Rows::JsonLines(BufWriter::new(file)),
        };
        let next = Instant::now() + every;
        Ok(Some(Self { out, part, saved, rows, state, every, next, torn: false }))
    }

    /// Writes what stands above the records. Returns where their listing goes on.
    pub(crate) fn begin(&mut self, columns: &[&str]) -> Result<Option<Checkpoint>> {
        if let (Rows::Csv(rows), 0) = (&mut self.rows, self.state.bytes) {
            rows.write_record(columns)?;
        }
        Ok(self.state.checkpoint.clone())
    }

    pub(crate) fn records(&self) -> u64 {
        self.state.records
    }

    pub(crate) fn write<T: Exported>(&mut self, record: &T) -> Result<()> {
        self.torn = true;
        match &mut self.rows {
            Rows::Csv(rows) => rows.write_record(record.cells()?)?,
            Rows::JsonLines(rows) => {
                serde_json::to_writer(&mut *rows, record)?;
                rows.write_all(b"\n")?;
            }
        }
        self.torn = false;
        self.state.records += 1;
        Ok(())
    }

    /// Whether it is time for a checkpoint.
    pub(crate) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Writes the checkpoint of all that was written so far.
    pub(crate) fn save(&mut self, checkpoint: Checkpoint) -> Result<()> {
        if self.torn {
            return Ok(());
        }
        self.torn = true;
        let written = self.rows.flush()?;
        written.sync_data()?;
        self.torn = false;
        self.state.bytes = written.metadata()?.len();
        self.state.checkpoint = Some(checkpoint);
        let new = beside(&self.saved, "new");
        let mut file = File::create(&new)?;
        serde_json::to_writer(&mut file, &self.state)?;
        file.sync_data()?;
        fs::rename(&new, &self.saved)?;
        self.next = Instant::now() + self.every;
        Ok(())
    }

    /// Whether nothing was ever exported.
    pub(crate) fn is_empty(&self) -> bool {
        self.state.records == 0 && self.state.checkpoint.is_none()
    }

    /// Leaves nothing behind of an export that didn't begin.
    pub(crate) fn discard(self) -> Result<()> {
        remove(&self.part)?;
        remove(&self.saved)
    }

    /// Gives the file its name. Returns how many records it has.
    pub(crate) fn complete(mut self, checkpoint: Checkpoint) -> Result<u64> {
        self.save(checkpoint)?;
        fs::rename(&self.part, &self.out)?;
        remove(&self.saved)?;
        Ok(self.state.records)
    }
}

impl Rows {
    fn flush(&mut self) -> Result<&File> {
        Ok(match self {
            Self::Csv(rows) => {
                rows.flush()?;
                rows.get_ref()
            }
            Self::JsonLines(rows) => {
                rows.flush()?;
                rows.get_ref()
            }
        })
    }
}

fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
