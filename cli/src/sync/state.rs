//! What a database knows of its listings: one row for each in one table, which every command reads.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};

use super::{
    database::{Database, Refused},
    place::Place,
    store::Asked,
    table::Table,
};
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
pub(super) struct State {
    pub table: String,
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

/// What becomes of the states when a table is opened.
pub(super) struct Settled {
    /// The states of the listings that were asked for, in their order.
    pub states: Vec<State>,
    /// The statement that ends the others, if they end. Takes the table's name.
    pub end: Option<String>,
    /// Whether there is something to write: others end, or one of them is new.
    pub is_news: bool,
    /// What to tell.
    pub told: Option<String>,
}

/// What a state loses when its listing has to begin anew.
const ANEW: &str = "state = NULL, succeeded_at = NULL, verified_through = NULL";

impl State {
    fn begin_anew(&mut self) {
        (self.continues_at, self.succeeded_at, self.verified_through) = (None, None, None);
    }

    /// Of a row with all columns.
    fn of(row: Vec<Option<String>>) -> Option<Self> {
        let mut cells = row.into_iter();
        let mut next = || cells.next().flatten();
        Some(Self {
            table: next()?,
            asked: next()?,
            service: next()?,
            continues_at: next(),
            rows_added: next()?.parse().ok()?,
            records: next()?.parse().ok()?,
            newest: next(),
            open_records: next().and_then(|records| records.parse().ok()),
            succeeded_at: next(),
            verified_through: next(),
            running_since: next(),
        })
    }

    /// Writes it, except for what `verify` writes.
    pub(super) fn keep(&self, database: &mut dyn Database) -> Result<(), Refused> {
        let numbers = [Some(self.rows_added), Some(self.records), self.open_records];
        let numbers = numbers.map(|number| number.map(|number| number.to_string()));
        let [rows_added, records, open_records] = numbers.each_ref().map(Option::as_deref);
        let values = [
            Some(&*self.table),
            Some(&*self.asked),
            Some(&*self.service),
            self.continues_at.as_deref(),
            rows_added,
            records,
            self.newest.as_deref(),
            open_records,
            self.succeeded_at.as_deref(),
            self.running_since.as_deref(),
        ];
        database.execute(&upsert(), &values)
    }
}

pub(super) fn create() -> String {
    let mut ddl = format!("CREATE TABLE IF NOT EXISTS {STATES} (");
    for (name, definition) in COLUMNS {
        let _ = write!(ddl, "\n  {name} {definition},");
    }
    ddl + "\n  PRIMARY KEY (table_name, asked)\n)"
}

/// The states of all tables.
pub(super) fn all(database: &mut dyn Database) -> Result<Vec<State>, Refused> {
    if database.columns(STATES)?.is_empty() {
        return Ok(Vec::new());
    }
    let texts = COLUMNS.map(|(name, _)| format!("CAST({name} AS TEXT)")).join(", ");
    let select = format!("SELECT {texts} FROM {STATES} ORDER BY table_name, asked");
    let states = database.query(&select, &[])?.into_iter().map(State::of);
    let states: Option<Vec<State>> = states.collect();
    states.ok_or_else(|| Failure::other(format!("{STATES} has a row that can't be read")).into())
}

/// Writes a state, except for what `verify` writes.
pub(super) fn upsert() -> String {
    let kept = COLUMNS.iter().filter(|(name, _)| *name != "verified_through");
    let values = kept.clone().zip(1..).map(|((_, definition), at)| {
        let is_number = definition.starts_with("BIGINT");
        if is_number { format!("CAST(${at} AS BIGINT)") } else { format!("${at}") }
    });
    let values: Vec<String> = values.collect();
    let names: Vec<&str> = kept.map(|(name, _)| *name).collect();
    let set: Vec<String> =
        names[2..].iter().map(|name| format!("{name} = excluded.{name}")).collect();
    format!(
        "INSERT INTO {STATES} ({}) VALUES ({}) ON CONFLICT (table_name, asked) DO UPDATE SET {}",
        names.join(", "),
        values.join(", "),
        set.join(", "),
    )
}

/// Says how far a listing's table is verified. Takes that time, the table's name, and the listing.
pub(super) fn mark() -> String {
    format!("UPDATE {STATES} SET verified_through = $1 WHERE table_name = $2 AND asked = $3")
}

/// Says that no sync of the table runs any more. Takes its name.
pub(super) fn stop() -> String {
    format!("UPDATE {STATES} SET running_since = NULL WHERE table_name = $1")
}

/// The time as states have it.
pub(super) fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Takes the states of a table as they are, or ends them: a state belongs to the rows that it was
/// written with, in all of the table's columns. `added` are the columns that the table lacked.
///
/// # Errors
///
/// If the rows come from another service.
pub(super) fn settle(
    mut states: Vec<State>,
    asked: &Asked,
    rows: i64,
    added: &[&str],
) -> Result<Settled, Failure> {
    let Asked { table, service, listings, .. } = asked;
    let written: i64 = states.iter().map(|state| state.rows_added).sum();
    let is_empty = rows == 0;
    let lacks_rows = rows < written;
    let other = states.iter().find(|state| state.service != *service);
    let was_of_another = other.is_some();
    if let Some(State { service: theirs, .. }) = other.filter(|_| !is_empty) {
        return Err(Failure::other(format!(
            "{} holds records of {theirs}, not of {service}; name another database, or rename \
             the table",
            table.name
        )));
    }
    let unfilled = unfilled(&states, table, added);
    let (mut end, mut told) = (None, None);
    let lost = format!(
        "{} has {rows} of the {written} rows that were written; listing all again",
        table.name
    );
    if was_of_another {
        states.clear();
        end = Some(format!("DELETE FROM {STATES} WHERE table_name = $1"));
        told = (written > 0).then_some(lost);
    } else if lacks_rows {
        for state in &mut states {
            state.begin_anew();
            state.rows_added = 0;
        }
        end = Some(format!("UPDATE {STATES} SET {ANEW}, rows_added = 0 WHERE table_name = $1"));
        told = Some(lost);
    } else if !unfilled.is_empty() && !is_empty {
        states.iter_mut().for_each(State::begin_anew);
        end = Some(format!("UPDATE {STATES} SET {ANEW} WHERE table_name = $1"));
        told = Some(if unfilled.len() == table.columns.len() {
            format!("every column of {} may lack values; listing all again", table.name)
        } else {
            let names = unfilled.join(", ");
            format!("{names} is new in {}; listing all again to fill it", table.name)
        });
    } else if states.is_empty() && !is_empty {
        let rows = stdout::counted(rows.unsigned_abs(), "row");
        told = Some(format!("{} holds {rows} that no sync is known to have written", table.name));
    }
    let adds = listings.iter().any(|asked| states.iter().all(|it| it.asked != *asked));
    let mut states: Vec<State> = listings
        .iter()
        .map(|asked| State {
            table: table.name.to_owned(),
            asked: asked.clone(),
            service: service.clone(),
            running_since: Some(text(Utc::now())),
            ..states.iter().find(|state| state.asked == *asked).cloned().unwrap_or_default()
        })
        .collect();
    if let (true, Some(first)) = (lacks_rows, states.first_mut()) {
        first.rows_added = rows;
    }
    Ok(Settled { is_news: adds || end.is_some(), states, end, told })
}

/// The columns that the table lacked, or that another version of the tool didn't write.
fn unfilled(states: &[State], table: &Table, added: &[&str]) -> Vec<&'static str> {
    let states = states.iter().filter_map(|state| state.continues_at.as_deref());
    let written: Vec<Vec<String>> = states.filter_map(Place::columns_of).collect();
    let is_unfilled = |name: &&'static str| {
        added.contains(name)
            || written.iter().any(|columns| !columns.iter().any(|column| column == name))
    };
    table.columns.iter().map(|column| column.name).filter(is_unfilled).collect()
}
