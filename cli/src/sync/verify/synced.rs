//! What the saved states say about a listing when its verification begins.

use chrono::{DateTime, Utc};

use super::subject::Subject;
use crate::{
    operation::Kind,
    sync::{cells::Cells, state::State},
};

#[derive(Debug, Default)]
pub(super) struct Synced {
    /// Whether a sync of the listing still has to list every record.
    pub is_incomplete: bool,
    /// The last round of the sync that is running. `None` if a listing that counts isn't being
    /// synced.
    last_round: Option<Round>,
}

/// The last round of a running sync.
#[derive(Debug)]
struct Round {
    at: DateTime<Utc>,
    /// The creation time of the newest record.
    newest: Option<DateTime<Utc>>,
}

impl Synced {
    /// Uses the states of the table's listings. If one of them is the listing to verify, only that
    /// one counts.
    pub(super) fn of(states: &[State], subject: &Subject, is_running: bool) -> Self {
        let is_of_table =
            |state: &&State| state.table == subject.table.name && !state.is_of_table();
        let all: Vec<&State> = states.iter().filter(is_of_table).collect();
        let time = |text: &Option<String>| text.as_ref()?.parse::<DateTime<Utc>>().ok();
        // A sync that was killed leaves its start time. Only one sync at a time writes to a table,
        // so the running sync is the one that started last.
        let last = all.iter().filter_map(|state| time(&state.running_since)).max();
        let own: Vec<&State> =
            all.iter().filter(|state| state.asked == subject.asked).copied().collect();
        let states = if own.is_empty() { all } else { own };
        let at = states.iter().filter_map(|state| time(&state.succeeded_at)).max();
        let newest = states.iter().filter_map(|state| time(&state.newest)).max();
        let is_incomplete = states.iter().any(|state| state.succeeded_at.is_none());
        let is_synced = |state: &&State| last.is_some() && time(&state.running_since) == last;
        let is_round = is_running && !is_incomplete && states.iter().all(is_synced);
        Self { is_incomplete, last_round: at.filter(|_| is_round).map(|at| Round { at, newest }) }
    }

    /// Whether a record was created or has changed since the last round of a running sync, according
    /// to its times. The next round will write it.
    pub(super) fn is_younger(&self, subject: &Subject, cells: &Cells) -> bool {
        let Some(Round { at, newest }) = &self.last_round else { return false };
        let now = Utc::now();
        let columns = subject.table.columns.iter().zip(cells);
        let times = columns.filter(|(column, _)| column.kind == Kind::Time);
        let times = times.filter_map(|(_, cell)| cell.as_ref()?.parse::<DateTime<Utc>>().ok());
        subject.time_of(cells).is_some_and(|time| newest.is_none_or(|newest| time > newest))
            || times.into_iter().any(|time| *at < time && time <= now)
    }
}
