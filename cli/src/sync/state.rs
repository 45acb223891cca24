//! What a database knows of its listings: one row for each in one table, which every command reads.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};

use super::{place::Place, store::Asked, table::Table};
use crate::{failure::Failure, stdout};

/// The table of states.
pub(crate) const STATES: &str = "digital_assets_syncs";

/// The columns of the table of states, in the types that both databases know, and what they hold.
const COLUMNS: [(&str, &str); 11] = [
    ("table_name", "TEXT NOT NULL"),
    // The filters of the listing, as a JSON object.
    ("asked", "TEXT NOT NULL"),
    // Where its records come from.
    ("service", "TEXT NOT NULL"),
    // Where the next sync continues, as JSON; null is the beginning.
    ("state", "TEXT"),
    // The rows that its syncs have added to the table. A table with fewer has lost some.
    ("rows_added", "BIGINT NOT NULL"),
    ("records", "BIGINT NOT NULL"),
    ("newest", "TEXT"),
    ("open_records", "BIGINT"),
    // When it last came to its end.
    ("succeeded_at", "TEXT"),
    // The time up to which `verify` found no difference.
    ("verified_through", "TEXT"),
    // Null unless a sync runs, or was killed.
    ("running_since", "TEXT"),
];

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub asked: String,
    pub service: String,
    pub continues_at: Option<String>,
    pub rows_added: i64,
    pub records: i64,
    pub newest: Option<String>,
    pub open_records: Option<i64>,
    pub succeeded_at: Option<String>,
    pub verified_through: Option<String>,
    pub running_since: Option<String>,
}

/// What a sync finds when it opens its table.
pub(super) struct Found {
    pub rows: i64,
    /// The columns that the table lacked.
    pub added: Vec<&'static str>,
    pub states: Vec<State>,
}

/// What becomes of the states when a table is opened.
pub(super) struct Settled {
    /// The states of the listings that were asked for, in their order.
    pub states: Vec<State>,
    /// The statement that ends the others, if they end. Takes the table's name.
    pub end: Option<String>,
    /// Whether one of them is new.
    pub adds: bool,
    /// What to tell.
    pub told: Option<String>,
}

/// What a state loses when its listing has to begin anew.
const ANEW: &str = "state = NULL, succeeded_at = NULL, verified_through = NULL";

impl State {
    fn begin_anew(&mut self) {
        (self.continues_at, self.succeeded_at, self.verified_through) = (None, None, None);
    }

    /// Adds these many new rows, which are records of the listing that weren't counted yet or not.
    pub(super) fn add(&mut self, rows: i64, are_records: bool) {
        self.rows_added += rows;
        self.records += if are_records { rows } else { 0 };
    }
}

pub(super) fn create() -> String {
    let mut ddl = format!("CREATE TABLE IF NOT EXISTS {STATES} (");
    for (name, definition) in COLUMNS {
        let _ = write!(ddl, "\n  {name} {definition},");
    }
    ddl + "\n  PRIMARY KEY (table_name, asked)\n)"
}

/// Takes the table's name.
pub(super) fn select() -> String {
    let names: Vec<&str> = COLUMNS.iter().skip(1).map(|(name, _)| *name).collect();
    format!("SELECT {} FROM {STATES} WHERE table_name = $1 ORDER BY asked", names.join(", "))
}

/// Of all tables, with their names last.
pub(super) fn select_all() -> String {
    let names: Vec<&str> = COLUMNS.iter().skip(1).map(|(name, _)| *name).collect();
    format!("SELECT {}, table_name FROM {STATES} ORDER BY table_name, asked", names.join(", "))
}

/// Writes a state, except for what `verify` writes.
pub(super) fn upsert() -> String {
    let kept = COLUMNS.iter().map(|(name, _)| *name).filter(|name| *name != "verified_through");
    let names: Vec<&str> = kept.collect();
    let values: Vec<String> = (1..=names.len()).map(|at| format!("${at}")).collect();
    let set: Vec<String> =
        names[2..].iter().map(|name| format!("{name} = excluded.{name}")).collect();
    format!(
        "INSERT INTO {STATES} ({}) VALUES ({}) ON CONFLICT (table_name, asked) DO UPDATE SET {}",
        names.join(", "),
        values.join(", "),
        set.join(", "),
    )
}

/// Says that no sync of the table runs any more. Takes its name.
pub(super) fn stop() -> String {
    format!("UPDATE {STATES} SET running_since = NULL WHERE table_name = $1")
}

/// The time as states have it.
pub(super) fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

impl Found {
    /// Takes the states as they are, or ends them: a state belongs to the rows that it was written
    /// with, in all of the table's columns.
    ///
    /// # Errors
    ///
    /// If the rows come from another service.
    pub(super) fn settle(mut self, asked: &Asked) -> Result<Settled, Failure> {
        let Asked { table, service, listings, .. } = asked;
        let written: i64 = self.states.iter().map(|state| state.rows_added).sum();
        let is_empty = self.rows == 0;
        let other = self.states.iter().find(|state| state.service != *service);
        let was_of_another = other.is_some();
        if let Some(State { service: theirs, .. }) = other.filter(|_| !is_empty) {
            return Err(Failure::other(format!(
                "{} holds records of {theirs}, not of {service}; name another database, or rename \
                 the table",
                table.name
            )));
        }
        let unfilled = self.unfilled(table);
        let (mut end, mut told) = (None, None);
        let lost = format!("{} has {} of the {written} rows", table.name, self.rows);
        if was_of_another {
            self.states.clear();
            end = Some(format!("DELETE FROM {STATES} WHERE table_name = $1"));
            told = (written > 0).then(|| format!("{lost} that were written; listing all again"));
        } else if self.rows < written {
            for state in &mut self.states {
                state.begin_anew();
                state.rows_added = 0;
            }
            end = Some(format!("UPDATE {STATES} SET {ANEW}, rows_added = 0 WHERE table_name = $1"));
            told = Some(format!("{lost} that were written; listing all again"));
        } else if !unfilled.is_empty() && !is_empty {
            self.states.iter_mut().for_each(State::begin_anew);
            end = Some(format!("UPDATE {STATES} SET {ANEW} WHERE table_name = $1"));
            told = Some(if unfilled.len() == table.columns.len() {
                format!("every column of {} may lack values; listing all again", table.name)
            } else {
                let names = unfilled.join(", ");
                format!("{names} is new in {}; listing all again to fill it", table.name)
            });
        } else if self.states.is_empty() && !is_empty {
            let rows = stdout::counted(self.rows.unsigned_abs(), "row");
            told =
                Some(format!("{} holds {rows} that no sync is known to have written", table.name));
        }
        let lacks_rows = self.rows < written;
        let adds = listings.iter().any(|asked| self.states.iter().all(|it| it.asked != *asked));
        let mut states: Vec<State> = listings
            .iter()
            .map(|asked| {
                let known = self.states.iter().find(|state| state.asked == *asked).cloned();
                known.unwrap_or_else(|| State { asked: asked.clone(), ..State::default() })
            })
            .collect();
        for state in &mut states {
            service.clone_into(&mut state.service);
            state.running_since = Some(text(Utc::now()));
        }
        if let (true, Some(first)) = (lacks_rows, states.first_mut()) {
            first.rows_added = self.rows;
        }
        Ok(Settled { states, end, adds, told })
    }

    /// The columns that the table lacked, or that another version of the tool didn't write.
    fn unfilled(&self, table: &Table) -> Vec<&'static str> {
        let states = self.states.iter().filter_map(|state| state.continues_at.as_deref());
        let written: Vec<Vec<String>> = states.filter_map(Place::columns_of).collect();
        let is_unfilled = |name: &&'static str| {
            self.added.contains(name)
                || written.iter().any(|columns| !columns.iter().any(|column| column == name))
        };
        table.columns.iter().map(|column| column.name).filter(is_unfilled).collect()
    }
}
