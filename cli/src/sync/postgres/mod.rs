//! A database of Postgres.

mod failure;

use std::{
    collections::HashSet,
    thread,
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, sync::mpsc, task::JoinHandle};
use tokio_postgres::{
    Client, Error,
    types::{ToSql, Type},
};

use self::failure::{lost, named};
use super::{
    batch::Batch,
    database::{Database, Refused},
    dialect::Dialect,
    server::Server,
    state,
    table::{Cells, Table},
};
use crate::{failure::Failure, rows::Row};

pub(super) struct Postgres {
    runtime: Handle,
    client: Client,
    /// Ends when the connection does.
    connection: JoinHandle<Result<(), Error>>,
}

/// Records per statement. Each statement is a round trip over the network.
const MANY: usize = 5_000;
/// The first half of the lock's key, the same for every sync.
const LOCK: i32 = 0x0da5_5e75;
/// The other half: the table and its schema.
const LOCKED: &str = "hashtext(concat(quote_ident(current_schema()), '.', quote_ident($1)))";
/// How long a server may take to notice that a sync has ended.
const RELEASED_WITHIN: Duration = Duration::from_secs(3);

impl Postgres {
    pub(super) fn connect(server: &Server) -> Result<Self, Failure> {
        let runtime = Handle::current();
        let (client, connection) = runtime.block_on(server.connect())?;
        Ok(Self { runtime, client, connection })
    }

    /// Connects for the sync of a table.
    pub(super) fn lock(server: &Server, table: Table) -> Result<Self, Failure> {
        let mut postgres = Self::connect(server)?;
        // Includes the schema, because other schemas may have a table of the same name. Held
        // by this session: the server releases it however the session ends.
        let lock = format!("SELECT '' WHERE pg_try_advisory_lock({LOCK}, {LOCKED})");
        let asked = Instant::now();
        while postgres.query(&lock, &[Some(table.name)])?.is_empty() {
            if asked.elapsed() > RELEASED_WITHIN {
                let schema = ", or another schema (?options=-csearch_path%3DNAME)";
                return Err(table.is_being_written(schema));
            }
            thread::sleep(Duration::from_millis(50));
        }
        postgres.execute("SET client_min_messages = warning", &[])?;
        Ok(postgres)
    }

    /// Runs a query that takes an array for each column of cells, and these texts.
    pub(super) fn query_arrays(
        &self,
        sql: &str,
        columns: &[Vec<Option<&str>>],
        texts: &[Option<&str>],
    ) -> Result<Vec<tokio_postgres::Row>, Error> {
        let arrays = columns.iter().map(|column| (column as &(dyn ToSql + Sync), Type::TEXT_ARRAY));
        let values: Vec<_> = arrays.chain(typed(texts)).collect();
        self.runtime.block_on(self.client.query_typed(sql, &values))
    }
}

fn typed<'a>(texts: &'a [Option<&str>]) -> impl Iterator<Item = (&'a (dyn ToSql + Sync), Type)> {
    texts.iter().map(|text| (text as &(dyn ToSql + Sync), Type::TEXT))
}

/// The cells of rows. Of several with the same key the last one counts: no statement writes a row twice.
pub(super) fn cells(table: Table, rows: &[Box<dyn Row>]) -> Result<Vec<Cells>, Failure> {
    let mut cells = table.cells(rows, Dialect::Postgres)?;
    let mut known = HashSet::with_capacity(cells.len());
    cells.reverse();
    cells.retain(|cells| known.insert(cells[table.key].clone()));
    cells.reverse();
    Ok(cells)
}

/// The same cells, by column.
pub(super) fn transposed(table: Table, rows: &[Cells]) -> Vec<Vec<Option<&str>>> {
    let column = |at: usize| rows.iter().map(|row| row[at].as_deref()).collect();
    (0..table.columns.len()).map(column).collect()
}

/// Writes rows, and counts those that are new and all of them.
fn upsert(table: Table) -> String {
    // Only a row that was updated has been locked, by this transaction.
    format!(
        "WITH written AS ({} RETURNING (xmax = 0) AS is_new) \
         SELECT count(*) FILTER (WHERE is_new), count(*) FROM written",
        table.upsert(Dialect::Postgres)
    )
}

impl Database for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn begin(&mut self, _writes: bool) -> Result<(), Refused> {
        self.execute("BEGIN", &[])
    }

    fn execute(&mut self, sql: &str, values: &[Option<&str>]) -> Result<(), Refused> {
        let values: Vec<_> = typed(values).collect();
        self.runtime.block_on(self.client.execute_typed(sql, &values))?;
        Ok(())
    }

    fn query(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
    ) -> Result<Vec<Vec<Option<String>>>, Refused> {
        let rows = self.query_arrays(sql, &[], values)?;
        let cells = |row: &tokio_postgres::Row| (0..row.len()).map(|at| row.try_get(at)).collect();
        Ok(rows.iter().map(cells).collect::<Result<_, _>>()?)
    }

    fn check(&mut self, table: Table) -> Result<(), Refused> {
        self.runtime.block_on(self.client.prepare(&state::upsert()))?;
        // An insert of no rows makes the server check that the table has its key.
        self.query_arrays(&upsert(table), &transposed(table, &[]), &[])?;
        Ok(())
    }

    fn upsert(&mut self, table: Table, rows: &[Box<dyn Row>]) -> Result<i64, Refused> {
        let upsert = upsert(table);
        let mut added = 0;
        for rows in rows.chunks(MANY) {
            let rows = cells(table, rows)?;
            let columns = transposed(table, &rows);
            match self.query_arrays(&upsert, &columns, &[]) {
                Ok(counts) => {
                    let (new, written): (i64, i64) = (counts[0].get(0), counts[0].get(1));
                    if usize::try_from(written) != Ok(rows.len()) {
                        return Err(table.leaves_out_rows().into());
                    }
                    added += new;
                }
                Err(error) => {
                    let _ = self.execute("ROLLBACK", &[]);
                    let named = named(error, &self.client, table, &columns);
                    return Err(self.runtime.block_on(named).into());
                }
            }
        }
        Ok(added)
    }

    fn is_locked(&mut self, table: &str) -> Result<bool, Refused> {
        let locked = format!(
            "SELECT '' FROM pg_locks WHERE locktype = 'advisory' \
             AND classid::bigint = {LOCK} AND objid::bigint = {LOCKED}::bigint & 4294967295 \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        );
        Ok(!self.query(&locked, &[Some(table)])?.is_empty())
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

    fn close(self: Box<Self>) -> Result<(), Failure> {
        let Self { runtime, client, connection } = *self;
        drop(client);
        match runtime.block_on(connection) {
            Ok(Ok(())) => Ok(()),
            ended => Err(lost(ended)),
        }
    }
}
