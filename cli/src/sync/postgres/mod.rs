//! The `Database` implementation for Postgres.

mod failure;

use std::{
    collections::HashMap,
    pin::pin,
    thread,
    time::{Duration, Instant},
};

use futures_util::TryStreamExt;
use tokio::{
    runtime::Handle,
    sync::mpsc,
    task::JoinHandle,
    time::{timeout, timeout_at},
};
use tokio_postgres::{
    Client, Error, SimpleQueryMessage,
    types::{ToSql, Type},
};

use self::failure::{is_of_data, lost, named};
use super::{
    batch::Batch,
    cells::Cells,
    column_type,
    database::{Database, Next, Refused},
    dialect::{Dialect, quoted},
    difference::Difference,
    server::Server,
    state::{self, COLUMNS},
    table::Table,
};
use crate::{failure::Failure, operation::Column, stdout};

pub(super) struct Postgres {
    runtime: Handle,
    client: Client,
    /// The task that runs the connection. It finishes when the connection is closed or lost.
    connection: JoinHandle<Result<(), Error>>,
    /// The database's name, for messages.
    name: String,
    /// The table that this process has locked for a sync, if any. If so, a transaction is always
    /// open, because the lock is a part of it.
    locked: Option<Table>,
    /// Whether [`Database::begin`] was called in the open transaction.
    is_begun: bool,
    /// The cached results of [`Database::source`], by table name.
    sources: HashMap<String, String>,
}

/// The maximum number of records per statement. It is large because each statement needs a network
/// round trip.
const MANY: usize = 5_000;
/// The statement that begins a transaction. The tool relies on this isolation level, which isn't the
/// default of every role and database.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";
/// The first half of the advisory lock's key. It is the same for every sync.
const LOCK: i32 = 0x0da5_5e75;
/// How long to wait for the server to release the lock of a sync that has stopped.
const RELEASED_WITHIN: Duration = Duration::from_secs(3);
/// The waiting time after which the tool reports that it is still waiting for a response.
const SAID_AFTER: Duration = Duration::from_secs(10);

impl Postgres {
    pub(super) fn connect(server: &Server) -> Result<Self, Failure> {
        let runtime = Handle::current();
        let name = format!("postgres:{}", server.database());
        let (client, connection) = wait(&runtime, &name, server.connect())?;
        let sources = HashMap::new();
        Ok(Self { runtime, client, connection, name, locked: None, is_begun: false, sources })
    }

    /// Connects to the server, and locks a table for a sync.
    pub(super) fn lock(server: &Server, table: Table) -> Result<Self, Failure> {
        let mut postgres = Self::connect(server)?;
        let (asked, mut was_free) = (Instant::now(), false);
        loop {
            // Between two transactions, the lock of a running sync is free for a moment. A newcomer
            // tries to lock only if the lock was free a while ago, too. Otherwise, the running sync
            // could lose it.
            let is_free = !postgres.is_locked(table.name)?;
            if is_free && was_free && postgres.try_to_lock("ROLLBACK", table)? {
                break;
            }
            was_free = is_free;
            if asked.elapsed() > RELEASED_WITHIN {
                let schema = ", or another schema (?options=-csearch_path%3DNAME)";
                return Err(table.is_being_written(schema));
            }
            thread::sleep(Duration::from_millis(50));
        }
        postgres.locked = Some(table);
        Ok(postgres)
    }

    /// Ends the open transaction with the statement `end`, and begins the next one with the lock of
    /// a table. Returns whether the table could be locked.
    ///
    /// The server releases the lock with the transaction, even if this process is killed. A lock of
    /// a session could outlive the process, because a connection pool keeps its sessions.
    fn try_to_lock(&self, end: &str, table: Table) -> Result<bool, Failure> {
        // All statements are sent in one message, so that a pool can't use another session for the
        // next transaction.
        let key = key(&format!("'{}'", table.name.replace('\'', "''")));
        let lock = format!(
            "{end}; {BEGIN}; SET LOCAL idle_in_transaction_session_timeout = 0; \
             SELECT '' WHERE pg_try_advisory_xact_lock({LOCK}, {key})"
        );
        let answer = self.wait(self.client.simple_query(&lock))?;
        Ok(answer.iter().any(|message| matches!(message, SimpleQueryMessage::Row(_))))
    }

    /// Ends the open transaction with the statement `end`. If the table is locked, begins the next
    /// transaction.
    fn end(&mut self, end: &str) -> Result<(), Refused> {
        self.is_begun = false;
        match self.locked {
            None => self.wait(self.client.batch_execute(end))?,
            Some(table) if self.try_to_lock(end, table)? => {}
            Some(table) => return Err(table.is_being_written("").into()),
        }
        Ok(())
    }

    fn wait<T>(&self, response: impl Future<Output = T>) -> T {
        wait(&self.runtime, &self.name, response)
    }

    /// Runs a query whose parameters are an array of cells for each column, followed by `texts`.
    fn query_arrays(
        &self,
        sql: &str,
        columns: &[Vec<Option<&str>>],
        texts: &[Option<&str>],
    ) -> Result<Vec<tokio_postgres::Row>, Error> {
        let arrays = columns.iter().map(|column| (column as &(dyn ToSql + Sync), Type::TEXT_ARRAY));
        let values: Vec<_> = arrays.chain(typed(texts)).collect();
        self.wait(self.client.query_typed(sql, &values))
    }

    /// Runs a query whose parameters are the cells of these records. If the server can't convert a
    /// cell to the type of its column, the failure names the column and the record of that cell.
    fn query_records(
        &mut self,
        sql: &str,
        table: Table,
        records: &[&Cells],
    ) -> Result<Vec<tokio_postgres::Row>, Refused> {
        let column = |at: usize| records.iter().map(|row| row[at].as_deref()).collect();
        let columns: Vec<_> = (0..table.columns.len()).map(column).collect();
        let error = match self.query_arrays(sql, &columns, &[]) {
            Ok(rows) => return Ok(rows),
            Err(error) => error,
        };
        if !is_of_data(&error) {
            return Err(error.into());
        }
        // The sync fails, so the lock can end together with the transaction.
        self.locked = None;
        self.end("ROLLBACK")?;
        Err(self.runtime.block_on(named(error, &self.client, table, &columns)).into())
    }
}

/// Waits for a response from the database, and prints a message if the wait is long.
fn wait<T>(runtime: &Handle, name: &str, response: impl Future<Output = T>) -> T {
    runtime.block_on(async {
        let mut response = pin!(response);
        if let Ok(response) = timeout(SAID_AFTER, &mut response).await {
            return response;
        }
        let seconds = SAID_AFTER.as_secs();
        stdout::say(&format!(
            "{name}: no response for {seconds} s, still waiting; another program may have locked a \
             table, or the server may be down"
        ));
        response.await
    })
}

fn typed<'a>(texts: &'a [Option<&str>]) -> impl Iterator<Item = (&'a (dyn ToSql + Sync), Type)> {
    texts.iter().map(|text| (text as &(dyn ToSql + Sync), Type::TEXT))
}

/// The SQL expression for the second half of the advisory lock's key: a hash of the names of the
/// schema and the table. The schema is included, because another schema may have a table with the
/// same name.
fn key(table: &str) -> String {
    format!("hashtext(concat(quote_ident(current_schema()), '.', quote_ident({table})))")
}

/// The query that compares records with the rows of a table. Its parameters are arrays of cells,
/// one array per column.
///
/// The query returns a result row for each difference. The result row contains the record's number,
/// counted from 1. If the table has a row for the record, the result row also contains the record's
/// cells and the table row's cells. The server converts the service's strings to the types of the
/// columns, as it does for an insert. Texts are compared byte by byte, whatever the collation of
/// their column.
fn compare(table: Table, source: &str, key_type: &str) -> String {
    let (key, key_name) = (table.key, table.key_name());
    let made = |column: &Column| column_type::made(column.kind, Dialect::Postgres);
    let service = table.list(|at, _| format!("service.c{at}"));
    let held = table.list(|_, column| format!("t.{}::text COLLATE \"C\"", quoted(column.name)));
    format!(
        "WITH service AS (SELECT n, {} FROM UNNEST({}) WITH ORDINALITY AS rows({}, n)) \
         SELECT n, CASE WHEN t.{key_name} IS NOT NULL THEN ARRAY[{service}] END, \
         CASE WHEN t.{key_name} IS NOT NULL THEN ARRAY[{held}] END \
         FROM service LEFT JOIN {source} AS t ON t.{key_name} = service.c{key}::{key_type} \
         WHERE t.{key_name} IS NULL OR ({service}) IS DISTINCT FROM ({held}) ORDER BY n",
        table.list(|at, column| format!("r{at}::{}::text AS c{at}", made(column))),
        table.list(|at, _| format!("${}", at + 1)),
        table.list(|at, _| format!("r{at}")),
    )
}

impl Database for Postgres {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn begin(&mut self, _: bool) -> Result<(), Refused> {
        if self.locked.is_none() {
            self.wait(self.client.batch_execute(BEGIN))?;
        }
        self.is_begun = true;
        Ok(())
    }

    fn begin_without_waiting(&mut self) -> Result<(), Refused> {
        self.begin(false)?;
        self.execute("SET LOCAL lock_timeout = '100ms'", &[])
    }

    fn execute(&mut self, sql: &str, values: &[Option<&str>]) -> Result<(), Refused> {
        if ["COMMIT", "ROLLBACK"].contains(&sql) {
            return self.end(sql);
        }
        let values: Vec<_> = typed(values).collect();
        let done = self.wait(self.client.execute_typed(sql, &values));
        if self.locked.is_some() && !self.is_begun {
            self.end(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        }
        done?;
        Ok(())
    }

    fn create(&mut self, sql: &str) -> Result<(), Refused> {
        // Even with `IF NOT EXISTS`, the statement fails if another transaction creates the table
        // at the same time.
        self.query(&format!("SELECT pg_advisory_xact_lock({LOCK}, 0)::text"), &[])?;
        self.execute(sql, &[])
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

    fn each(
        &mut self,
        sql: &str,
        values: &[Option<&str>],
        with: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Refused> {
        self.wait(async {
            let mut rows = pin!(self.client.query_typed_raw(sql, typed(values)).await?);
            while let Some(row) = rows.try_next().await? {
                with(row.try_get(0)?)?;
            }
            Ok(())
        })
    }

    fn check(&mut self, table: Table) -> Result<(), Refused> {
        self.query(&format!("EXPLAIN {}", state::upsert()), &[None; COLUMNS.len()])?;
        // Inserting an empty list of rows makes the server check the table's columns and its key.
        let columns = vec![Vec::new(); table.columns.len()];
        self.query_arrays(&table.upsert(Dialect::Postgres), &columns, &[])?;
        Ok(())
    }

    fn compare(
        &mut self,
        table: Table,
        records: &[Cells],
    ) -> Result<Vec<(usize, Difference)>, Refused> {
        let name = table.columns[table.key].name;
        let mut columns = self.columns(table.name)?.into_iter();
        let key_type = columns.find(|[known, _]| known == name).map(|[_, kind]| kind);
        let source = self.source(table.name)?;
        let compare = compare(table, &source, &key_type.unwrap_or_default());
        let mut differences = Vec::new();
        for (chunk, records) in (0..).step_by(MANY).zip(records.chunks(MANY)) {
            let records: Vec<&Cells> = records.iter().collect();
            for row in self.query_records(&compare, table, &records)? {
                let at = usize::try_from(row.try_get::<_, i64>(0)?).unwrap_or_default() - 1;
                let id = records[at][table.key].clone().unwrap_or_default();
                let cells: [Option<Vec<Option<String>>>; 2] = [row.try_get(1)?, row.try_get(2)?];
                let difference = if let [Some(service), Some(held)] = cells {
                    let names = table.columns.iter().map(|column| column.name);
                    let cells = names.zip(service).zip(held);
                    let cells = cells.map(|((name, service), held)| (name, service, held));
                    Difference::Changed(id, cells.filter(|(_, ours, held)| ours != held).collect())
                } else {
                    Difference::Missing(id)
                };
                differences.push((chunk + at, difference));
            }
        }
        Ok(differences)
    }

    fn upsert(&mut self, table: Table, records: &[&Cells]) -> Result<(), Refused> {
        let upsert = table.upsert(Dialect::Postgres);
        for records in records.chunks(MANY) {
            self.query_records(&upsert, table, records)?;
        }
        // Runs the deferred triggers now, so that the rows are read back as the transaction leaves
        // them.
        self.execute("SET CONSTRAINTS ALL IMMEDIATE", &[])
    }

    fn is_locked(&mut self, table: &str) -> Result<bool, Refused> {
        let locks = format!(
            "SELECT '' FROM pg_locks WHERE locktype = 'advisory' AND granted \
             AND classid::bigint = {LOCK} AND objid::bigint = {}::bigint & 4294967295 \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            key("$1")
        );
        Ok(!self.query(&locks, &[Some(table)])?.is_empty())
    }

    fn next(
        &mut self,
        batches: &mut mpsc::Receiver<Batch>,
        until: Instant,
    ) -> Result<Next, Failure> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                ended = &mut self.connection => Err(lost(ended)),
                batch = timeout_at(until.into(), batches.recv()) => Ok(batch.into()),
            }
        })
    }

    fn close(mut self: Box<Self>) -> Result<(), Failure> {
        // Releases the lock, even if a connection pool keeps the session.
        if self.locked.take().is_some() {
            self.end("COMMIT")?;
        }
        let Self { runtime, client, connection, .. } = *self;
        drop(client);
        match runtime.block_on(connection) {
            Ok(Ok(())) => Ok(()),
            ended => Err(lost(ended)),
        }
    }

    fn source(&mut self, table: &str) -> Result<String, Refused> {
        if let Some(source) = self.sources.get(table) {
            return Ok(source.clone());
        }
        // The rows of a partitioned table are in its partitions, so the query has to include these.
        // The child tables of an ordinary table (`INHERITS`) are excluded with `ONLY`.
        let kind = "SELECT relkind::text FROM pg_class WHERE oid = to_regclass(quote_ident($1))";
        let kind = self.query(kind, &[Some(table)])?;
        let Some(kind) = kind.into_iter().flatten().next().flatten() else {
            return Ok(quoted(table));
        };
        let only = if kind == "r" { "ONLY " } else { "" };
        let source = format!("{only}{}", quoted(table));
        self.sources.insert(table.to_owned(), source.clone());
        Ok(source)
    }

    fn is_strange(&self, table: Table) -> String {
        let oid = format!("to_regclass('{}')", quoted(table.name).replace('\'', "''"));
        format!(
            "(t.{} IS NULL OR (t.tableoid <> {oid} \
             AND (SELECT relkind FROM pg_class WHERE oid = {oid}) = 'r'))",
            table.key_name()
        )
    }

    fn exists(&mut self, table: &str) -> Result<bool, Refused> {
        // Checks only the current schema. A table of this name in a later schema of the search path
        // is a different table.
        let there =
            "SELECT '' WHERE to_regclass(format('%I.%I', current_schema(), $1)) IS NOT NULL";
        Ok(!self.query(there, &[Some(table)])?.is_empty())
    }
}
