//! Decides whether a sync can continue from the saved states in a database, or has to start over.

use chrono::Utc;

use super::{
    position::Position,
    state::{STATES, State, reset, text},
    table::{Table, Types},
    target::Target,
};
use crate::{failure::Failure, stdout};

/// The parameters for opening the table that a sync writes to.
pub(super) struct Asked {
    pub target: Target,
    pub table: Table,
    pub service: String,
    /// The OAuth client that reads the listings, if the settings name one.
    pub client: Option<String>,
    pub listings: Vec<String>,
    /// Whether the listings start over because of `--force`.
    pub is_forced: bool,
    /// Whether to wait indefinitely for a database that can't be reached.
    pub is_endless: bool,
}

/// The result of [`settle`]: the states from which a sync continues.
pub(super) struct Settled {
    /// The table's own row.
    pub own: State,
    /// The states of the listings to sync, in the order of [`Asked::listings`].
    pub states: Vec<State>,
    /// The statement that resets or deletes the table's saved states, if they are no longer valid.
    /// Its parameter is the table's name.
    pub reset_sql: Option<String>,
    /// Whether rows have been lost since the last commit.
    pub is_lost: bool,
    /// A message for the user.
    pub notice: Option<String>,
}

impl State {
    fn begin_anew(&mut self) {
        (self.continues_at, self.succeeded_at, self.verified_through) = (None, None, None);
    }
}

/// Keeps the saved states of a table, or resets them if they no longer match the table.
///
/// A state is valid only while the table still has the rows and columns with which the state was
/// saved. `rows` is the number of rows in the table. `added` contains the names of the columns that
/// have just been added to the table, and `types` contains the types of all columns.
///
/// # Errors
///
/// If the rows come from another service, or if another OAuth client has synced one of the listings
/// and `--force` isn't set.
pub(super) fn settle(
    mut states: Vec<State>,
    asked: &Asked,
    rows: i64,
    added: &[&str],
    types: &Types,
) -> Result<Settled, Failure> {
    let Asked { table, service, client, listings, .. } = asked;
    let is_empty = rows == 0;
    let other = states.iter().find(|state| state.service != *service);
    let was_of_another = other.is_some();
    if let Some(State { service: theirs, .. }) = other.filter(|_| !is_empty) {
        return Err(Failure::other(format!(
            "{} contains records from {theirs}, not from {service}; name another database, or \
             rename the table",
            table.name
        )));
    }
    let is_asked = |state: &&State| listings.contains(&state.asked);
    let mut theirs = states.iter().filter(is_asked).filter_map(|state| state.client.as_ref());
    if let Some(ours) = client.as_ref().filter(|_| !asked.is_forced)
        && let Some(theirs) = theirs.find(|theirs| *theirs != ours)
    {
        return Err(Failure::other(format!(
            "{} was synced as the client {theirs}, but the client {ours} may list other records; \
             use --force to start over as {ours} and keep the rows",
            table.name
        )));
    }
    let mut own = State::of_table(&states, rows);
    states.retain(|state| !state.is_of_table());
    let unfilled = unfilled(&states, table, added, types);
    let is_unknown = states.is_empty();
    let is_lost = rows < own.rows;
    let mut reset_sql = None;
    if was_of_another {
        (states, own) = (Vec::new(), State::default());
        reset_sql = Some(format!("DELETE FROM {STATES} WHERE table_name = $1"));
    } else if is_lost || (!unfilled.is_empty() && !is_empty) {
        states.iter_mut().for_each(State::begin_anew);
        reset_sql = Some(reset());
    }
    let new = |asked: &String| State { asked: asked.clone(), ..State::default() };
    let now = Some(text(Utc::now()));
    let to_sync = listings.iter().map(|asked| {
        let state = states.iter().find(|state| state.asked == *asked).cloned();
        let state = state.unwrap_or_else(|| new(asked));
        State {
            table: table.name.to_owned(),
            service: service.clone(),
            client: client.clone().or(state.client),
            expected_rows: 0,
            rows: 0,
            tried_at: now.clone(),
            running_since: now.clone(),
            error: None,
            ..state
        }
    });
    let to_sync: Vec<State> = to_sync.collect();
    let is_incomplete = states.iter().chain(&to_sync).any(|state| state.succeeded_at.is_none());
    own.count(rows, is_incomplete);
    table.name.clone_into(&mut own.table);
    own.service.clone_from(service);
    let notice = if rows < own.expected_rows {
        let lost = table.has_lost(rows, own.expected_rows);
        Some(format!("{lost}; listing everything again"))
    } else if is_empty {
        None
    } else if unfilled.len() == table.columns.len() {
        let name = table.name;
        Some(format!("{name} may be missing values in every column; listing everything again"))
    } else if !unfilled.is_empty() {
        let names = unfilled.join(", ");
        Some(format!(
            "new or altered columns in {}: {names}; listing everything again to fill them",
            table.name
        ))
    } else if is_unknown {
        let rows = stdout::counted(rows.unsigned_abs(), "row");
        Some(format!("{} contains {rows} that no known sync has written", table.name))
    } else {
        None
    };
    Ok(Settled { own, states: to_sync, reset_sql, is_lost, notice })
}

/// The columns that may lack values in some rows. Either the column was just added to the table, or
/// its type has changed since a state was saved, or the column wasn't written by the version of the
/// tool that saved a state.
fn unfilled(states: &[State], table: &Table, added: &[&str], types: &Types) -> Vec<&'static str> {
    let states = states.iter().filter_map(|state| state.continues_at.as_deref());
    let written: Vec<_> = states.filter_map(Position::columns_of).collect();
    let is_unfilled = |name: &&'static str| {
        let is_unwritten = |(columns, written): &(Vec<String>, Types)| {
            let is_altered = |written| types.get(*name) != Some(written);
            !columns.iter().any(|column| column == name)
                || written.get(*name).is_some_and(is_altered)
        };
        added.contains(name) || written.iter().any(is_unwritten)
    };
    table.columns.iter().map(|column| column.name).filter(is_unfilled).collect()
}
