//! A table in a database of Postgres.

use std::error::Error as _;

use tokio::{
    runtime::{self, Runtime},
    sync::mpsc,
    task::{JoinError, JoinHandle},
};
use tokio_postgres::{Client, Config, Error, Statement, error::SqlState, types::ToSql};

use super::{
    column_type,
    store::{Batch, Store},
    table::{Dialect, Known, STATES, Table, create_states},
    tls,
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

impl Postgres {
    pub(super) fn open(config: &Config, table: Table) -> Result<Self, Failure> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let opened = runtime.block_on(async {
            let (client, connection) = tls::connect(config).await?;
            let upsert = Self::prepare(&client, table).await?;
            Ok::<_, Failure>((client, connection, upsert))
        });
        let (client, connection, upsert) = opened?;
        Ok(Self { runtime, client, connection, table, upsert })
    }

    async fn prepare(client: &Client, table: Table) -> Result<Statement, Failure> {
        // Includes the schema, because other schemas may have a table of the same name. Held
        // by this session: the server releases it however the session ends.
        let lock = "SELECT pg_try_advisory_lock($1, \
                    hashtext(concat(quote_ident(current_schema()), '.', quote_ident($2))))";
        if !client.query_one(lock, &[&LOCK, &table.name]).await?.get::<_, bool>(0) {
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
        let known = Self::make(client, table).await.map_err(refused)?;
        let missing = table.extend(&known, Dialect::Postgres)?;
        Self::extend(client, table, &missing).await.map_err(refused)
    }

    /// Creates the tables, and returns the columns that the table has.
    async fn make(client: &Client, table: Table) -> Result<Vec<Known>, Error> {
        client.batch_execute(&create_states()).await?;
        client.batch_execute(&table.create(Dialect::Postgres)).await?;
        let known = "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
                     WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped";
        let known = client.query(known, &[&table.name]).await?;
        Ok(known.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Adds columns, and checks that the tables can be written.
    async fn extend(client: &Client, table: Table, missing: &[String]) -> Result<Statement, Error> {
        for add in missing {
            client.batch_execute(add).await?;
        }
        client.prepare(&format!("SELECT state, asked, table_name FROM {STATES}")).await?;
        let upsert = client.prepare(&table.upsert(Dialect::Postgres)).await?;
        // An insert of no rows makes the server check that the table has its key.
        let none: &(dyn ToSql + Sync) = &Vec::<Option<&str>>::new();
        client.execute(&upsert, &vec![none; table.columns.len()]).await?;
        Ok(upsert)
    }
}

impl Store for Postgres {
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure> {
        let query = format!("SELECT state FROM {STATES} WHERE table_name = $1 AND asked = $2");
        let Self { runtime, client, table, .. } = self;
        let state =
            runtime.block_on(async { client.query_opt(&query, &[&table.name, &asked]).await });
        Ok(state?.map(|row| row.get(0)))
    }

    fn next(&mut self, batches: &mut mpsc::Receiver<Batch>) -> Result<Option<Batch>, Failure> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                ended = &mut self.connection => Err(lost(ended)),
                batch = batches.recv() => Ok(batch),
            }
        })
    }

    fn write(&mut self, rows: &[Box<dyn Row>], asked: &str, state: &str) -> Result<(), Failure> {
        let Self { runtime, client, table, upsert, .. } = self;
        runtime.block_on(async {
            let transaction = client.transaction().await?;
            for rows in rows.chunks(MANY) {
                let rows = table.cells(rows, Dialect::Postgres)?;
                let columns: Vec<Vec<Option<&str>>> = (0..table.columns.len())
                    .map(|at| rows.iter().map(|row| row[at].as_deref()).collect())
                    .collect();
                let values: Vec<&(dyn ToSql + Sync)> =
                    columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
                if let Err(error) = transaction.execute(&*upsert, &values).await {
                    drop(transaction);
                    return Err(named(error, client, *table, &columns).await);
                }
            }
            let keep = format!(
                "INSERT INTO {STATES} VALUES ($1, $2, $3) \
                 ON CONFLICT (table_name, asked) DO UPDATE SET state = excluded.state"
            );
            transaction.execute(&keep, &[&table.name, &asked, &state]).await?;
            Ok(transaction.commit().await?)
        })
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        let Self { runtime, client, connection, .. } = *self;
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
        _ => Failure::other("the connection has ended"),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        let mut line = format!("Postgres: {error}");
        for cause in causes {
            line = format!("{line}: {cause}");
        }
        if line.contains("certificate") {
            line += "; name the authority's certificate in SSL_CERT_FILE";
        }
        Self::other(line)
    }
}
