//! Opens a table for one sync: locks it, makes what it lacks, and settles its states.

use tokio_postgres::{Client, Error, Statement, Transaction, error::SqlState, types::ToSql};

use super::states::{keep, states};
use crate::{
    failure::Failure,
    sync::{
        state::{self, Found, Settled},
        store::Asked,
        table::{Dialect, Known, Table},
    },
};

/// The first half of the lock's key, the same for every sync.
pub(super) const LOCK: i32 = 0x0da5_5e75;
/// The other half: the table and its schema.
pub(super) const LOCKED: &str =
    "hashtext(concat(quote_ident(current_schema()), '.', quote_ident($2)))";

pub(super) async fn prepare(
    client: &mut Client,
    asked: &Asked,
) -> Result<(Statement, Settled), Failure> {
    let table = asked.table;
    // Includes the schema, because other schemas may have a table of the same name. Held
    // by this session: the server releases it however the session ends.
    let lock = format!("SELECT pg_try_advisory_lock($1, {LOCKED})");
    if !client.query_one(&lock, &[&LOCK, &table.name]).await?.get::<_, bool>(0) {
        let schema = ", or another schema (?options=-csearch_path%3DNAME)";
        return Err(table.is_being_written(schema));
    }
    client.batch_execute("SET client_min_messages = warning").await?;
    let refused = |error: Error| match error.as_db_error() {
        // The class of syntax errors, which includes names, types and permissions.
        Some(reason)
            if reason.code().code().starts_with("42")
                && *reason.code() != SqlState::INSUFFICIENT_PRIVILEGE =>
        {
            table.is_another(reason.message())
        }
        _ => error.into(),
    };
    let transaction = client.transaction().await?;
    let known = make(&transaction, table).await.map_err(refused)?;
    let added = table.missing(&known, Dialect::Postgres)?;
    for column in &added {
        let add = table.add(*column, Dialect::Postgres);
        transaction.batch_execute(&add).await.map_err(refused)?;
    }
    let upsert = check(&transaction, table).await.map_err(refused)?;
    let rows = transaction.query_one(&table.count(), &[]).await?.get(0);
    let states = states(&transaction, table).await.map_err(refused)?;
    let added = added.iter().map(|column| column.name).collect();
    let found = Found { rows, added, states };
    let settled = found.settle(asked)?;
    if let Some(end) = &settled.end {
        transaction.execute(end, &[&table.name]).await?;
    }
    let keep = transaction.prepare(&state::upsert()).await?;
    for state in &settled.states {
        self::keep(&transaction, &keep, table, state).await?;
    }
    transaction.commit().await?;
    Ok((upsert, settled))
}

/// Creates the tables. Returns the columns that the listing's has.
async fn make(transaction: &Transaction<'_>, table: Table) -> Result<Vec<Known>, Error> {
    transaction.batch_execute(&state::create()).await?;
    transaction.batch_execute(&table.create(Dialect::Postgres)).await?;
    let known = "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
                 WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped";
    let known = transaction.query(known, &[&table.name]).await?;
    Ok(known.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Checks that the tables can be written. Returns the statement that writes rows, and counts those
/// that are new and all of them.
async fn check(transaction: &Transaction<'_>, table: Table) -> Result<Statement, Error> {
    transaction.prepare(&state::upsert()).await?;
    let upsert = table.upsert(Dialect::Postgres);
    // Only a row that was updated has been locked, by this transaction.
    let upsert = format!(
        "WITH written AS ({upsert} RETURNING (xmax = 0) AS is_new) \
         SELECT count(*) FILTER (WHERE is_new), count(*) FROM written"
    );
    let upsert = transaction.prepare(&upsert).await?;
    // An insert of no rows makes the server check that the table has its key.
    let none: &(dyn ToSql + Sync) = &Vec::<Option<&str>>::new();
    transaction.query_one(&upsert, &vec![none; table.columns.len()]).await?;
    Ok(upsert)
}
