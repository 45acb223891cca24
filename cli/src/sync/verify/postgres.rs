//! Compares a table of Postgres in the server, which converts the service's texts as a sync does.

use chrono::{DateTime, SecondsFormat, Utc};
use tokio::{
    runtime::{self, Runtime},
    task::JoinHandle,
};
use tokio_postgres::{Client, Error, types::ToSql};

use super::{Compare, Difference, Subject, Window, condition};
use crate::{
    failure::Failure,
    sync::{
        column_type,
        postgres::states_of,
        server::Server,
        state::{STATES, State},
        table::{Dialect, Table, quoted},
    },
};

pub(super) struct Postgres {
    runtime: Runtime,
    client: Client,
    _connection: JoinHandle<Result<(), Error>>,
    table: Table,
    /// The statement that compares, and the values of its conditions.
    compare: String,
    values: Vec<String>,
}

impl Postgres {
    pub(super) fn open(server: &Server, subject: &Subject) -> Result<Self, Failure> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, connection) = runtime.block_on(server.connect())?;
        let (compare, values) = compare(subject);
        let table = subject.table;
        Ok(Self { runtime, client, _connection: connection, table, compare, values })
    }
}

/// Takes an array for each column, the bounds of the window, and the values of the conditions.
fn compare(subject: &Subject) -> (String, Vec<String>) {
    let table = subject.table;
    let count = table.columns.len();
    let (conditions, values) = condition::sql(&subject.conditions, count + 3, Dialect::Postgres);
    let bounds = match subject.time {
        Some(column) => {
            let time = quoted(column.name);
            format!(
                "AND ({time} >= ${0}::text::timestamptz OR ${0}::text IS NULL) \
                 AND ({time} < ${1}::text::timestamptz OR ${1}::text IS NULL)",
                count + 1,
                count + 2
            )
        }
        None => format!("AND ${}::text IS NULL AND ${}::text IS NULL", count + 1, count + 2),
    };
    let all = |part: &dyn Fn(usize, &str, &str) -> String| -> String {
        let parts = table.columns.iter().enumerate().map(|(at, column)| {
            part(at, &quoted(column.name), column_type::made(column.kind, Dialect::Postgres))
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let key = table.key_at();
    let sql = format!(
        "WITH service AS (SELECT {} FROM UNNEST({}) AS rows({})), \
         held AS (SELECT {} FROM {} WHERE {conditions} {bounds}) \
         SELECT service.c{key} IS NULL, held.c{key} IS NULL, {}, {} \
         FROM service FULL JOIN held ON service.c{key} = held.c{key} \
         WHERE ({}) IS DISTINCT FROM ({}) ORDER BY coalesce(service.c{key}, held.c{key})",
        all(&|at, _, kind| format!("r{at}::{kind}::text AS c{at}")),
        all(&|at, _, _| format!("${}::text[]", at + 1)),
        all(&|at, _, _| format!("r{at}")),
        all(&|at, name, _| format!("{name}::text AS c{at}")),
        quoted(table.name),
        all(&|at, _, _| format!("service.c{at}")),
        all(&|at, _, _| format!("held.c{at}")),
        all(&|at, _, _| format!("service.c{at}")),
        all(&|at, _, _| format!("held.c{at}")),
    );
    (sql, values)
}

impl Compare for Postgres {
    fn compare(&mut self, window: &Window) -> Result<Vec<Difference>, Failure> {
        let (table, count) = (self.table, self.table.columns.len());
        let rows = table.cells(&window.rows, Dialect::Postgres)?;
        let columns: Vec<Vec<Option<&str>>> =
            (0..count).map(|at| rows.iter().map(|row| row[at].as_deref()).collect()).collect();
        let bound = |time: Option<DateTime<Utc>>| {
            time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true))
        };
        let (from, until) = (bound(window.from), bound(window.until));
        let mut values: Vec<&(dyn ToSql + Sync)> =
            columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
        values.push(&from);
        values.push(&until);
        values.extend(self.values.iter().map(|value| value as &(dyn ToSql + Sync)));
        let found = self.runtime.block_on(self.client.query(&self.compare, &values))?;
        let key = table.key_at();
        let difference = |row: &tokio_postgres::Row| {
            let cell = |at: usize| row.get::<_, Option<String>>(2 + at);
            if row.get(0) {
                return Difference::Additional(cell(count + key).unwrap_or_default());
            }
            let id = cell(key).unwrap_or_default();
            if row.get(1) {
                return Difference::Missing(id);
            }
            let columns = table.columns.iter().enumerate();
            let columns = columns.map(|(at, column)| (column.name, cell(at), cell(count + at)));
            Difference::Changed(id, columns.filter(|(_, ours, held)| ours != held).collect())
        };
        Ok(found.iter().map(difference).collect())
    }

    fn mark(&mut self, asked: &str, through: Option<&str>) -> Result<(), Failure> {
        let mark = format!(
            "UPDATE {STATES} SET verified_through = $1 WHERE table_name = $2 AND asked = $3"
        );
        let values: [&(dyn ToSql + Sync); 3] = [&through, &self.table.name, &asked];
        self.runtime.block_on(self.client.execute(&mark, &values))?;
        Ok(())
    }

    fn states(&mut self) -> Result<Vec<State>, Failure> {
        self.runtime.block_on(states_of(&self.client, self.table))
    }
}
