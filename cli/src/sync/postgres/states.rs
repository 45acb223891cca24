//! Reads and writes the states of listings.

use tokio::runtime;
use tokio_postgres::{Client, Error, GenericClient, Row, Statement, Transaction, types::ToSql};

use super::prepare::{LOCK, LOCKED};
use crate::{
    failure::Failure,
    sync::{
        server::Server,
        state::{self, STATES, State},
        status::Held,
        table::{Table, count},
    },
};

/// The states of all listings in the table.
pub(super) async fn states(client: &impl GenericClient, table: Table) -> Result<Vec<State>, Error> {
    let states = client.query(&state::select(), &[&table.name]).await?;
    states.iter().map(state_of).collect()
}

fn state_of(row: &Row) -> Result<State, Error> {
    Ok(State {
        asked: row.try_get(0)?,
        service: row.try_get(1)?,
        continues_at: row.try_get(2)?,
        rows_added: row.try_get(3)?,
        records: row.try_get(4)?,
        newest: row.try_get(5)?,
        open_records: row.try_get(6)?,
        succeeded_at: row.try_get(7)?,
        verified_through: row.try_get(8)?,
        running_since: row.try_get(9)?,
    })
}

/// The states of all listings in the table, if any was synced.
pub(in crate::sync) async fn states_of(
    client: &Client,
    table: Table,
) -> Result<Vec<State>, Failure> {
    if !has_states(client).await? {
        return Ok(Vec::new());
    }
    Ok(states(client, table).await?)
}

async fn has_states(client: &Client) -> Result<bool, Error> {
    let there = "SELECT to_regclass($1) IS NOT NULL";
    Ok(client.query_one(there, &[&STATES]).await?.get(0))
}

/// Every listing in a database, or in the schemas that its address names.
pub(in crate::sync) fn held(server: &Server) -> Result<Vec<Held>, Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (client, _connection) = server.connect().await?;
        if !has_states(&client).await? {
            return Ok(Vec::new());
        }
        let locked = format!(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' \
             AND classid::bigint = $1 AND objid::bigint = {LOCKED}::bigint & 4294967295 \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
        );
        let there = "SELECT to_regclass(quote_ident($1)) IS NOT NULL";
        let mut held: Vec<Held> = Vec::new();
        for row in client.query(&state::select_all(), &[]).await? {
            let table: String = row.try_get(10)?;
            let is_running = client.query_one(&locked, &[&i64::from(LOCK), &table]).await?.get(0);
            let rows = match held.last() {
                Some(Held { table: last, rows, .. }) if *last == table => *rows,
                _ if !client.query_one(there, &[&table]).await?.get::<_, bool>(0) => None,
                _ => Some(client.query_one(&count(&table), &[]).await?.get(0)),
            };
            held.push(Held { table, state: state_of(&row)?, is_running, rows });
        }
        Ok(held)
    })
}

pub(super) async fn keep(
    transaction: &Transaction<'_>,
    keep: &Statement,
    table: Table,
    state: &State,
) -> Result<(), Error> {
    let values: [&(dyn ToSql + Sync); 10] = [
        &table.name,
        &state.asked,
        &state.service,
        &state.continues_at,
        &state.rows_added,
        &state.records,
        &state.newest,
        &state.open_records,
        &state.succeeded_at,
        &state.running_since,
    ];
    transaction.execute(keep, &values).await.map(drop)
}
