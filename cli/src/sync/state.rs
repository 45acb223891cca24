//! The saved state of each listing in a database, and the number of rows of each table. They are
//! rows of a table that `sync`, `verify` and `status` read.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};

/// The name of the table that contains the saved states of all listings.
pub(crate) const STATES: &str = "digital_assets_syncs";

/// The name and type of each column in the table of states. SQLite and Postgres both support these
/// types.
pub(super) const COLUMNS: [(&str, &str); 14] = [
    ("table_name", "TEXT NOT NULL"),
    // The options of the listing, as a JSON object. Empty in the table's own row.
    ("asked", "TEXT NOT NULL"),
    // The service that the listing's records come from.
    ("service", "TEXT NOT NULL"),
    // The OAuth client that reads the listing, if the settings name one.
    ("client", "TEXT"),
    // The position at which the next sync continues, as JSON. Null means the start of the listing.
    ("state", "TEXT"),
    // In the table's own row: the number of rows that the table should have. It is larger than
    // `records` while lost rows are being listed again. In other rows: 0.
    ("rows_added", "BIGINT NOT NULL"),
    // In the table's own row: the number of rows that the table had after the tool's last commit.
    // In other rows: 0.
    ("records", "BIGINT NOT NULL"),
    ("newest", "TEXT"),
    ("open_records", "BIGINT"),
    // The time at which a sync of the listing last succeeded.
    ("succeeded_at", "TEXT"),
    // The time at which a sync of the listing last started, wrote rows or stopped.
    ("tried_at", "TEXT"),
    // The time up to which `verify` found no difference.
    ("verified_through", "TEXT"),
    // The time at which the running sync started. Null if no sync is running. A sync that is
    // killed leaves its time here.
    ("running_since", "TEXT"),
    // The error of the last attempt to sync the listing, if it failed.
    ("error", "TEXT"),
];

/// A row of the table of states: the saved state of one listing, or a table's own row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub table: String,
    pub asked: String,
    pub service: String,
    pub client: Option<String>,
    pub continues_at: Option<String>,
    /// The number of rows that the table should have. Only in the table's own row, except in a
    /// database from an earlier version of the tool.
    pub expected_rows: i64,
    /// The number of rows that the table had after the last commit. Only in the table's own row.
    pub rows: i64,
    pub newest: Option<String>,
    pub open_records: Option<i64>,
    pub succeeded_at: Option<String>,
    pub tried_at: Option<String>,
    pub verified_through: Option<String>,
    pub running_since: Option<String>,
    pub error: Option<String>,
}

impl State {
    /// Parses a row of the table of states. Returns `None` if a value is missing or invalid.
    pub(super) fn of(row: Vec<Option<String>>) -> Option<Self> {
        let mut cells = row.into_iter();
        let mut next = || cells.next().flatten();
        Some(Self {
            table: next()?,
            asked: next()?,
            service: next()?,
            client: next(),
            continues_at: next(),
            expected_rows: next()?.parse().ok()?,
            rows: next()?.parse().ok()?,
            newest: next(),
            open_records: next().and_then(|records| records.parse().ok()),
            succeeded_at: next(),
            tried_at: next(),
            verified_through: next(),
            running_since: next(),
            error: next(),
        })
    }

    /// The own row of a table, from the rows for the table and its listings. If there is none, a new
    /// one for a table with this number of rows.
    pub(super) fn of_table(states: &[Self], rows: i64) -> Self {
        if let Some(own) = states.iter().find(|state| state.is_of_table()) {
            return own.clone();
        }
        // Earlier versions of the tool counted the rows of each listing.
        let counted: i64 = states.iter().map(|state| state.expected_rows).sum();
        let rows = rows.max(counted);
        Self { expected_rows: rows, rows, ..Self::default() }
    }

    /// Whether this is the own row of a table, instead of the state of a listing.
    pub(super) fn is_of_table(&self) -> bool {
        self.asked.is_empty()
    }

    /// Sets the number of rows in a table's own row. While a listing of the table is incomplete,
    /// the expected number doesn't decrease.
    pub(super) fn count(&mut self, rows: i64, is_incomplete: bool) {
        self.expected_rows = if is_incomplete { rows.max(self.expected_rows) } else { rows };
        self.rows = rows;
    }
}

pub(super) fn create() -> String {
    let mut ddl = format!("CREATE TABLE IF NOT EXISTS {STATES} (");
    for (name, definition) in COLUMNS {
        let _ = write!(ddl, "\n  {name} {definition},");
    }
    ddl + "\n  PRIMARY KEY (table_name, asked)\n)"
}

/// The statement that adds the column `error`, which earlier versions of the tool didn't have.
pub(super) fn add_error() -> String {
    format!("ALTER TABLE {STATES} ADD COLUMN error TEXT")
}

/// The statement that inserts or updates a state, except for the column `verified_through`, which
/// `verify` writes.
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

/// The statement that records the time up to which a listing's table is verified. Its parameters
/// are that time, the table's name, and the listing's options.
pub(super) fn mark() -> String {
    format!("UPDATE {STATES} SET verified_through = $1 WHERE table_name = $2 AND asked = $3")
}

/// The statement that records that a sync of a listing has stopped. Its parameters are the current
/// time, the error, if any, the table's name, and the listing's options.
pub(super) fn stop() -> String {
    format!(
        "UPDATE {STATES} SET running_since = NULL, tried_at = $1, error = COALESCE($2, error) \
         WHERE table_name = $3 AND asked = $4"
    )
}

/// The statement that makes a sync list every listing of a table in full. Its parameter is the
/// table's name.
pub(super) fn reset() -> String {
    format!(
        "UPDATE {STATES} SET state = NULL, succeeded_at = NULL, verified_through = NULL \
         WHERE table_name = $1 AND asked <> ''"
    )
}

/// The query for a listing of a table that isn't complete. Its parameter is the table's name.
pub(super) fn incomplete() -> String {
    format!(
        "SELECT asked FROM {STATES} \
         WHERE table_name = $1 AND asked <> '' AND succeeded_at IS NULL LIMIT 1"
    )
}

/// The statement that deletes a listing's state. Its parameters are the table's name and the
/// listing's options.
pub(super) fn forget() -> String {
    format!("DELETE FROM {STATES} WHERE table_name = $1 AND asked = $2")
}

/// The query for the saved position of a listing. Its parameters are the table's name and the
/// listing's options.
pub(super) fn position() -> String {
    format!("SELECT state FROM {STATES} WHERE table_name = $1 AND asked = $2")
}

/// Formats a time as it is stored in a state: RFC 3339 in UTC, with 0, 3, 6 or 9 fractional digits.
pub(super) fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}
