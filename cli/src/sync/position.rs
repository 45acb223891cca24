//! The position at which the next sync of a listing continues. It is part of the listing's saved
//! state.

use std::{fmt::Write as _, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use digital_assets::FollowCheckpoint;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{state, table::Types};
use crate::rows::{Open, Row, Start};

/// The position at which the next sync of a listing continues. Full syncs and incremental rounds
/// can continue from each other's positions.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Position {
    /// The names of the columns that were written for each row. If the list is empty, the rows may
    /// lack values in every column.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The types of the columns in `columns`, as the database spells them.
    #[serde(default)]
    pub types: Types,
    /// The progress of a full listing that hasn't finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Begun>,
    /// Whether a full listing has ever finished.
    #[serde(default)]
    pub is_listed: bool,
    /// The time up to which the last full listing returned every record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<DateTime<Utc>>,
    /// The open records in the last full listing: those in a state that isn't final.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Open>,
    /// The checkpoint of the last incremental round after the full listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<FollowCheckpoint>,
    /// The `--overlap` of the last incremental round.
    #[serde(default)]
    pub overlap: Duration,
}

/// The progress of a full listing that hasn't finished.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begun {
    pub at: DateTime<Utc>,
    pub checkpoint: Option<Value>,
    /// The number of records that have been read so far.
    pub records: i64,
    /// The creation time of the newest record that has been read so far.
    pub newest: Option<DateTime<Utc>>,
    /// The open records that have been read so far, one per line: the creation time, a space and
    /// the identifier. They are stored as one string, because the whole list is saved again with
    /// every batch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    open: String,
}

impl Position {
    /// The names and types of the columns that were written for each row, according to a saved
    /// state. `None` if the state can't be parsed, which is reported later.
    pub(super) fn columns_of(state: &str) -> Option<(Vec<String>, Types)> {
        serde_json::from_str(state).ok().map(|position: Self| (position.columns, position.types))
    }

    /// Whether a full listing has ever finished, according to a saved state.
    pub(super) fn is_listed(state: &str) -> bool {
        serde_json::from_str(state).is_ok_and(|position: Self| position.is_listed)
    }

    /// The number of open records. `None` if the number isn't known, for example while a full
    /// listing is in progress.
    pub(super) fn open_records(&self) -> Option<usize> {
        match (&self.begun, &self.followed) {
            (Some(_), _) => None,
            (None, Some(checkpoint)) => Some(checkpoint.open_records().len()),
            (None, None) => Some(self.open.len()),
        }
    }

    /// Where the next incremental round starts, if it has this overlap. A checkpoint is only valid
    /// for the time bounds that it was made with.
    pub(super) fn start(&self, overlap: Duration, has_other_bounds: bool) -> Start {
        let (listed, open) = match &self.followed {
            None => (self.listed, self.open.clone()),
            Some(checkpoint) if has_other_bounds => {
                let open = checkpoint.open_records().map(|(time, id)| (time, id.to_owned()));
                (checkpoint.created_at().map(|time| time.min(Utc::now())), open.collect())
            }
            Some(checkpoint) => {
                let longer = overlap.saturating_sub(self.overlap);
                return Start::Checkpoint(checkpoint.clone().starting_earlier(longer));
            }
        };
        let overlap = TimeDelta::from_std(overlap).ok();
        let from = listed.zip(overlap).and_then(|(at, it)| at.checked_sub_signed(it));
        from.map_or(Start::Beginning, |from| Start::Time(from, open))
    }
}

impl Begun {
    pub(super) fn now() -> Self {
        Self { at: Utc::now(), checkpoint: None, records: 0, newest: None, open: String::new() }
    }

    pub(super) fn count(&mut self, row: &dyn Row) {
        self.records += 1;
        self.newest = self.newest.max(row.created_at());
        if let Some((time, id)) = row.open() {
            let _ = writeln!(self.open, "{} {id}", state::text(time));
        }
    }

    /// The open records that have been read so far. `None` if the saved text is invalid.
    pub(super) fn open(&self) -> Option<Vec<Open>> {
        let open = |line: &str| {
            let (time, id) = line.split_once(' ')?;
            Some((time.parse().ok()?, id.to_owned()))
        };
        self.open.lines().map(open).collect()
    }

    /// The time up to which the listing has returned every record.
    ///
    /// It is the creation time of the newest record, minus the duration of the listing, because
    /// records that appeared while the listing ran may be missing. If the newest record's time is
    /// in the future, the current time is used instead.
    pub(super) fn reached(&self) -> Option<DateTime<Utc>> {
        let now = Utc::now();
        let took = (now - self.at).max(TimeDelta::zero());
        self.newest?.min(now).checked_sub_signed(took)
    }
}
