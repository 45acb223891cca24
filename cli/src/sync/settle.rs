//! Decides whether a sync can continue from the saved states in a database, or has to start over.

use chrono::Utc;

use super::{
    position::Position,
    state::{STATES, State, text},
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
    /// The states of the listings to sync, in the order of [`Asked::listings`].
    pub states: Vec<State>,
    /// The statement that resets or deletes the table's saved states, if they are no longer valid.
    /// Its parameter is the table's name.
    pub end: Option<String>,
    /// A message for the user.
    pub told: Option<String>,
}

/// The SQL assignments that reset a saved state, so that its listing starts over.
const ANEW: &str = "state = NULL, succeeded_at = NULL, verified_through = NULL";

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
    let written: i64 = states.iter().map(|state| state.rows_added).sum();
    let is_empty = rows == 0;
    let lacks_rows = rows < written;
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
    let theirs = states.iter().filter(is_asked).find_map(|state| state.client.as_deref());
    if let (Some(theirs), Some(ours), false) = (theirs, client, asked.is_forced)
        && theirs != ours
    {
        return Err(Failure::other(format!(
            "{} was synced as the client {theirs}, but the client {ours} may list other records; \
             use --force to start over as {ours} and keep the rows",
            table.name
        )));
    }
    let unfilled = unfilled(&states, table, added, types);
    let (mut end, mut told) = (None, None);
    let lost = format!("{}; listing everything again", table.has_lost(rows, written));
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
            format!(
                "{} may be missing values in every column; listing everything again",
                table.name
            )
        } else {
            let names = unfilled.join(", ");
            format!(
                "new or altered columns in {}: {names}; listing everything again to fill them",
                table.name
            )
        });
    } else if states.is_empty() && !is_empty {
        let rows = stdout::counted(rows.unsigned_abs(), "row");
        told = Some(format!("{} contains {rows} that no known sync has written", table.name));
    }
    let mut states: Vec<State> = listings
        .iter()
        .map(|asked| State {
            table: table.name.to_owned(),
            asked: asked.clone(),
            service: service.clone(),
            running_since: Some(text(Utc::now())),
            ..states.iter().find(|state| state.asked == *asked).cloned().unwrap_or_default()
        })
        .map(|state| State { client: client.clone().or(state.client), ..state })
        .collect();
    if let (true, Some(first)) = (lacks_rows, states.first_mut()) {
        first.rows_added = rows;
    }
    Ok(Settled { states, end, told })
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
