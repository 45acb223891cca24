//! A table in a database of Postgres.

use std::error::Error as _;

use tokio::{
    runtime::{self, Runtime},
    sync::mpsc,
    task::{JoinError, JoinHandle},
};
use tokio_postgres::{
    Client, Error, GenericClient, Row as SqlRow, Statement, Transaction, error::SqlState,
    types::ToSql,
};

use super::{
    column_type,
    server::Server,
    state::{self, Found, STATES, Settled, State},
    status::Held,
    store::{Batch, Opened, Store},
    table::{Dialect, Known, Table},
};
use crate::{failure::Failure, rows::Row};

pub(super) struct Postgres {
    /// Of this thread.
    runtime: Runtime,
    client: Client,
    /// Ends when the connection does.
    connection: JoinHandle<Result<(), Error>>,
    table: Table,
    upsert: Statement,
}

/// Records per statement. Each statement is a round trip over the network.
const MANY: usize = 5_000;

/// The first half of the lock's key, the same for every sync.
const LOCK: i32 = 0x0da5_5e75;
/// The other half: the table and its schema.
const LOCKED: &str = "hashtext(concat(quote_ident(current_schema()), '.', quote_ident($2)))";

impl Postgres {
    pub(super) fn open(
        server: &Server,
        table: Table,
        service: &str,
        asked: &[String],
    ) -> Result<Opened, Failure> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, connection, upsert, settled) = runtime.block_on(async {
            let (mut client, connection) = server.connect().await?;
            let (upsert, settled) = Self::prepare(&mut client, table, service, asked).await?;
            Ok::<_, Failure>((client, connection, upsert, settled))
        })?;
        let Settled { states, told, .. } = settled;
        let store = Box::new(Self { runtime, client, connection, table, upsert });
        Ok(Opened { store, states, told })
    }

    async fn prepare(
        client: &mut Client,
        table: Table,
        service: &str,
        asked: &[String],
    ) -> Result<(Statement, Settled), Failure> {
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
        let (is_new, known) = make(&transaction, table).await.map_err(refused)?;
        let added = table.missing(&known, Dialect::Postgres)?;
        for column in &added {
            let add = table.add(*column, Dialect::Postgres);
            transaction.batch_execute(&add).await.map_err(refused)?;
        }
        let upsert = check(&transaction, table).await.map_err(refused)?;
        let rows = transaction.query_one(&table.count(), &[]).await?.get(0);
        let states = states(&transaction, table).await.map_err(refused)?;
        let added = added.iter().map(|column| column.name).collect();
        let found = Found { is_new, rows, added, states };
        let settled = found.settle(&table, service, asked)?;
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
}

/// Creates the tables. Returns whether the listing's is new, and the columns that it has.
async fn make(transaction: &Transaction<'_>, table: Table) -> Result<(bool, Vec<Known>), Error> {
    let there = "SELECT to_regclass(concat(quote_ident(current_schema()), '.', quote_ident($1))) \
                 IS NULL";
    let is_new = transaction.query_one(there, &[&table.name]).await?.get(0);
    transaction.batch_execute(&state::create()).await?;
    transaction.batch_execute(&table.create(Dialect::Postgres)).await?;
    let known = "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
                 WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped";
    let known = transaction.query(known, &[&table.name]).await?;
    Ok((is_new, known.iter().map(|row| (row.get(0), row.get(1))).collect()))
}

/// Checks that the tables can be written. Returns the statement that writes rows, and counts those
/// that are new.
async fn check(transaction: &Transaction<'_>, table: Table) -> Result<Statement, Error> {
    transaction.prepare(&state::upsert()).await?;
    let upsert = table.upsert(Dialect::Postgres);
    // Only a row that was updated has been locked, by this transaction.
    let upsert = format!(
        "WITH written AS ({upsert} RETURNING (xmax = 0) AS is_new) \
         SELECT count(*) FILTER (WHERE is_new) FROM written"
    );
    let upsert = transaction.prepare(&upsert).await?;
    // An insert of no rows makes the server check that the table has its key.
    let none: &(dyn ToSql + Sync) = &Vec::<Option<&str>>::new();
    transaction.query_one(&upsert, &vec![none; table.columns.len()]).await?;
    Ok(upsert)
}

/// The states of all listings in the table.
async fn states(client: &impl GenericClient, table: Table) -> Result<Vec<State>, Error> {
    let states = client.query(&state::select(), &[&table.name]).await?;
    states.iter().map(state_of).collect()
}

fn state_of(row: &SqlRow) -> Result<State, Error> {
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
pub(super) async fn states_of(client: &Client, table: Table) -> Result<Vec<State>, Failure> {
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
pub(super) fn held(server: &Server) -> Result<Vec<Held>, Failure> {
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
        let mut held = Vec::new();
        for row in client.query(&state::select_all(), &[]).await? {
            let table: String = row.try_get(10)?;
            let is_running = client.query_one(&locked, &[&i64::from(LOCK), &table]).await?.get(0);
            held.push(Held { table, state: state_of(&row)?, is_running });
        }
        Ok(held)
    })
}

async fn keep(
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

impl Store for Postgres {
    fn next(&mut self, batches: &mut mpsc::Receiver<Batch>) -> Result<Option<Batch>, Failure> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                ended = &mut self.connection => Err(lost(ended)),
                batch = batches.recv() => Ok(batch),
            }
        })
    }

    fn write(
        &mut self,
        rows: &[Box<dyn Row>],
        state: &mut State,
        are_records: bool,
    ) -> Result<(), Failure> {
        let Self { runtime, client, table, upsert, .. } = self;
        runtime.block_on(async {
            let transaction = client.transaction().await?;
            let mut added = 0;
            for rows in rows.chunks(MANY) {
                let rows = table.cells(rows, Dialect::Postgres)?;
                let columns: Vec<Vec<Option<&str>>> = (0..table.columns.len())
                    .map(|at| rows.iter().map(|row| row[at].as_deref()).collect())
                    .collect();
                let values: Vec<&(dyn ToSql + Sync)> =
                    columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
                match transaction.query_one(&*upsert, &values).await {
                    Ok(row) => added += row.get::<_, i64>(0),
                    Err(error) => {
                        drop(transaction);
                        return Err(named(error, client, *table, &columns).await);
                    }
                }
            }
            let written = state.with_added(added, are_records);
            let keep = transaction.prepare(&state::upsert()).await?;
            self::keep(&transaction, &keep, *table, &written).await?;
            transaction.commit().await?;
            *state = written;
            Ok(())
        })
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        let Self { runtime, client, connection, table, .. } = *self;
        runtime.block_on(async { client.execute(&state::stop(), &[&table.name]).await })?;
        drop(client);
        match runtime.block_on(connection) {
            Ok(Ok(())) => Ok(()),
            ended => Err(lost(ended)),
        }
    }
}

/// The failure of these columns, with the first cell that the server can't convert, if that is it.
async fn named(
    error: Error,
    client: &Client,
    table: Table,
    columns: &[Vec<Option<&str>>],
) -> Failure {
    let is_of_data = error.code().is_some_and(|code| code.code().starts_with("22"));
    for (column, cells) in table.columns.iter().zip(columns).filter(|_| is_of_data) {
        let kind = column_type::made(column.kind, Dialect::Postgres);
        let convert = format!("SELECT count(cell::{kind}) FROM UNNEST($1::text[]) AS cells(cell)");
        let Err(error) = client.execute(&convert, &[cells]).await else { continue };
        let Some(reason) = error.as_db_error() else { return error.into() };
        let (mut first, mut end) = (0, cells.len());
        while end - first > 1 {
            let middle = usize::midpoint(first, end);
            match client.execute(&convert, &[&&cells[first..middle]]).await {
                Ok(_) => first = middle,
                Err(error) if error.as_db_error().is_some() => end = middle,
                Err(error) => return error.into(),
            }
        }
        let id = columns[table.key_at()][first].unwrap_or_default();
        return Failure::other(format!(
            "Postgres can't hold the {} of the record {id}: {}; SQLite or a file takes every value",
            column.name,
            reason.message(),
        ));
    }
    error.into()
}

fn lost(ended: Result<Result<(), Error>, JoinError>) -> Failure {
    match ended {
        Ok(Err(error)) => Failure::from(error).in_words("the connection is lost, run this again"),
        _ => Failure::Away("the connection has ended".to_owned()),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let mut line = if let Some(reason) = error.as_db_error() {
            // Not its details, which may hold a row.
            format!("Postgres: {}", reason.message())
        } else {
            let causes = std::iter::successors(error.source(), |&cause| cause.source());
            causes.fold(format!("Postgres: {error}"), |line, cause| format!("{line}: {cause}"))
        };
        if line.contains("certificate") {
            line +=
                "; name the authority's certificate in sslrootcert, PGSSLROOTCERT or SSL_CERT_FILE";
        }
        if line.contains("password") {
            line += "; put the password into PGPASSWORD or ~/.pgpass";
        }
        // The class of a server that shuts down, has crashed or starts.
        let is_away = error.code().is_none_or(|code| code.code().starts_with("57P"));
        if is_away { Self::Away(line) } else { Self::other(line) }
    }
}
