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
    given: Vec<String>,
}

impl Postgres {
    /// Takes the keys of the rows, once: what a sync adds from now on isn't additional.
    pub(super) fn open(server: &Server, subject: &Subject) -> Result<Self, Failure> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, connection) = runtime.block_on(server.connect())?;
        let kind = runtime.block_on(take_keys(&client, subject))?;
        let (table, (compare, given)) = (subject.table, compare(subject, &kind));
        Ok(Self { runtime, client, _connection: connection, table, compare, given })
    }
}

/// Takes the keys and times of the listing's rows into a table of this session. Returns the key's type.
async fn take_keys(client: &Client, subject: &Subject) -> Result<String, Error> {
    let (conditions, values) = condition::sql(&subject.conditions, 1, Dialect::Postgres);
    let time = subject.time.map_or_else(|| "NULL".to_owned(), |column| quoted(column.name));
    let rows = format!(
        "SELECT coalesce({time}, '-infinity'::timestamptz) AS at, {} AS key FROM {} AS t",
        quoted(subject.table.columns[subject.table.key_at()].name),
        quoted(subject.table.name)
    );
    client.batch_execute(&format!("CREATE TEMP TABLE held AS {rows} WITH NO DATA")).await?;
    let values: Vec<_> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
    let fill = format!("INSERT INTO pg_temp.held {rows} WHERE {conditions}");
    client.execute(&fill, &values).await?;
    client.batch_execute("CREATE INDEX ON pg_temp.held (at); ANALYZE pg_temp.held").await?;
    let kind = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute \
                WHERE attrelid = 'pg_temp.held'::regclass AND attname = 'key'";
    client.query_one(kind, &[]).await?.try_get(0)
}

/// Takes an array for each column, the bounds of the window, and the values of the conditions.
fn compare(subject: &Subject, key_type: &str) -> (String, Vec<String>) {
    let table = subject.table;
    let (from, until) = (table.columns.len() + 1, table.columns.len() + 2);
    let (conditions, given) = condition::sql(&subject.conditions, until + 1, Dialect::Postgres);
    let all = |part: &dyn Fn(usize, &str, &str) -> String| -> String {
        let parts = table.columns.iter().enumerate().map(|(at, column)| {
            part(at, &quoted(column.name), column_type::made(column.kind, Dialect::Postgres))
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let key = table.key_at();
    // A sync may have written the service's records since, or they have another time in the table. It may
    // also have changed rows so that they aren't chosen any more.
    let compare = format!(
        "WITH service AS (SELECT {} FROM UNNEST({}) AS rows({})), \
         keys AS (SELECT h.key FROM pg_temp.held AS h JOIN {} AS t ON t.{} = h.key \
         WHERE (h.at >= ${from}::text::timestamptz OR ${from}::text IS NULL) \
         AND (h.at < ${until}::text::timestamptz OR ${until}::text IS NULL) AND {conditions} \
         UNION SELECT c{key}::{key_type} FROM service), \
         held AS (SELECT {} FROM {} AS t JOIN keys ON keys.key = t.{}) \
         SELECT service.c{key} IS NULL, held.c{key} IS NULL, {}, {} \
         FROM service FULL JOIN held ON service.c{key} = held.c{key} \
         WHERE ({}) IS DISTINCT FROM ({}) ORDER BY coalesce(service.c{key}, held.c{key})",
        all(&|at, _, kind| format!("r{at}::{kind}::text AS c{at}")),
        all(&|at, _, _| format!("${}::text[]", at + 1)),
        all(&|at, _, _| format!("r{at}")),
        quoted(table.name),
        quoted(table.columns[key].name),
        all(&|at, name, _| format!("t.{name}::text AS c{at}")),
        quoted(table.name),
        quoted(table.columns[key].name),
        all(&|at, _, _| format!("service.c{at}")),
        all(&|at, _, _| format!("held.c{at}")),
        all(&|at, _, _| format!("service.c{at}")),
        all(&|at, _, _| format!("held.c{at}")),
    );
    (compare, given)
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
        values.extend(self.given.iter().map(|value| value as &(dyn ToSql + Sync)));
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
