//! The position at which the next sync of a listing continues, as its state stores it.

use std::{fmt::Write as _, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{state, table::Types};
use crate::rows::Row;

/// The position of a listing. Each kind of sync continues where any other stopped.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Position {
    /// The columns that the listing's rows were written with. If there are none, the rows may lack
    /// values in every column.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The types of these columns, as the database spells them.
    #[serde(default)]
    pub types: Types,
    /// The listing that has started but not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Begun>,
    /// Whether a sync of the whole listing has ended, and the time up to which it returned every
    /// record.
    #[serde(default)]
    pub is_listed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<DateTime<Utc>>,
    /// The open records in that listing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Open>,
    /// The checkpoint of the last round since that listing, and how far back that round looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<Value>,
    #[serde(default)]
    pub overlap: Duration,
}

/// A listing that hasn't ended.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begun {
    pub at: DateTime<Utc>,
    pub checkpoint: Option<Value>,
    /// The records so far, and the newest of them.
    pub records: i64,
    pub newest: Option<DateTime<Utc>>,
    /// The open records so far, one per line: the time, a space and the identifier. They are one
    /// string, because every batch writes all of them again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    open: String,
}

/// The time and the identifier of an open record: one in a state that isn't final.
pub(super) type Open = (DateTime<Utc>, String);

impl Position {
    /// The columns that the rows of this state were written with, and their types. A state that
    /// can't be read is reported later.
    pub(super) fn columns_of(state: &str) -> Option<(Vec<String>, Types)> {
        serde_json::from_str(state).ok().map(|position: Self| (position.columns, position.types))
    }

    /// Whether a sync of the whole listing has ended, according to its state.
    pub(super) fn is_listed(state: &str) -> bool {
        serde_json::from_str(state).is_ok_and(|position: Self| position.is_listed)
    }

    /// The number of open records, if it is known.
    pub(super) fn open_records(&self) -> Option<usize> {
        match (&self.begun, &self.followed) {
            (Some(_), _) => None,
            (None, Some(checkpoint)) => Some(checkpoint["open"].as_array()?.len()),
            (None, None) => Some(self.open.len()),
        }
    }

    /// The checkpoint from which a round continues: that of the last round. If the last round
    /// looked back less far than `overlap`, the checkpoint is moved to an earlier time.
    pub(super) fn followed(&self, overlap: Duration) -> Option<Value> {
        let mut checkpoint = self.followed.clone()?;
        let longer = overlap.saturating_sub(self.overlap);
        let from = checkpoint["from"].as_str().and_then(|from| from.parse::<DateTime<Utc>>().ok());
        if let (false, Some(from)) = (longer.is_zero(), from) {
            let longer = TimeDelta::from_std(longer).ok();
            let from = longer.and_then(|longer| from.checked_sub_signed(longer));
            checkpoint["from"] = from.map(state::text).into();
        }
        Some(checkpoint)
    }

    /// The time from which the first round reads the listing. `None` means from the start.
    pub(super) fn from(&self, overlap: Duration) -> Option<DateTime<Utc>> {
        self.listed?.checked_sub_signed(TimeDelta::from_std(overlap).ok()?)
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

    /// The open records. `None` if the state is invalid.
    pub(super) fn open(&self) -> Option<Vec<Open>> {
        let open = |line: &str| {
            let (time, id) = line.split_once(' ')?;
            Some((time.parse().ok()?, id.to_owned()))
        };
        self.open.lines().map(open).collect()
    }

    /// The time up to which the listing has every record. Records that appeared while it ran may be
    /// missing, so its duration is subtracted. A record with a time in the future counts as created
    /// now.
    pub(super) fn reached(&self) -> Option<DateTime<Utc>> {
        let now = Utc::now();
        let took = (now - self.at).max(TimeDelta::zero());
        self.newest?.min(now).checked_sub_signed(took)
    }
}
