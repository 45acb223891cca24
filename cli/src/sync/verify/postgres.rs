//! Compares a table of Postgres in the server, which converts the service's texts as a sync does.

use chrono::{DateTime, SecondsFormat, Utc};

use super::{Compare, Difference, Subject, Window, condition};
use crate::{
    failure::Failure,
    operation::Column,
    sync::{
        column_type,
        database::{Database, Refused},
        postgres::{self, cells, transposed},
        server::Server,
        table::{Dialect, Table, quoted},
    },
};

pub(super) struct Postgres {
    database: postgres::Postgres,
    table: Table,
    /// The statement that compares, and the values of its conditions.
    compare: String,
    given: Vec<String>,
}

impl Postgres {
    /// Takes the keys of the rows, once: what a sync adds from now on isn't additional.
    pub(super) fn open(server: &Server, subject: &Subject) -> Result<Self, Failure> {
        let mut database = postgres::Postgres::connect(server)?;
        let kind = take_keys(&mut database, subject)?;
        let (compare, given) = compare(subject, &kind);
        Ok(Self { database, table: subject.table, compare, given })
    }
}

/// Takes the keys and times of the listing's rows into a table of this session. Returns the key's type.
fn take_keys(database: &mut dyn Database, subject: &Subject) -> Result<String, Refused> {
    let (conditions, values) = condition::sql(&subject.conditions, 1, Dialect::Postgres);
    let time = subject.time.map_or_else(|| "NULL".to_owned(), |column| quoted(column.name));
    let rows = format!(
        "SELECT coalesce({time}, '-infinity'::timestamptz) AS at, {} AS key FROM {} AS t",
        subject.table.key_name(),
        quoted(subject.table.name)
    );
    database.execute(&format!("CREATE TEMP TABLE held AS {rows} WITH NO DATA"), &[])?;
    let values: Vec<_> = values.iter().map(|value| Some(&**value)).collect();
    let fill = format!("INSERT INTO pg_temp.held {rows} WHERE {conditions}");
    database.execute(&fill, &values)?;
    database.execute("CREATE INDEX ON pg_temp.held (at)", &[])?;
    database.execute("ANALYZE pg_temp.held", &[])?;
    let key = database.columns("held")?.into_iter().find(|[name, _]| name == "key");
    Ok(key.map(|[_, kind]| kind).unwrap_or_default())
}

/// Takes an array for each column, the bounds of the window, and the values of the conditions.
fn compare(subject: &Subject, key_type: &str) -> (String, Vec<String>) {
    let table = subject.table;
    let (from, until) = (table.columns.len() + 1, table.columns.len() + 2);
    let (conditions, given) = condition::sql(&subject.conditions, until + 1, Dialect::Postgres);
    let (key, name, key_name) = (table.key, quoted(table.name), table.key_name());
    let made = |column: &Column| column_type::made(column.kind, Dialect::Postgres);
    let service = table.list(|at, _| format!("service.c{at}"));
    let held = table.list(|at, _| format!("held.c{at}"));
    // A sync may have written the service's records since, or they have another time in the table. It may
    // also have changed rows so that they aren't chosen any more.
    let compare = format!(
        "WITH service AS (SELECT {} FROM UNNEST({}) AS rows({})), \
         keys AS (SELECT h.key FROM pg_temp.held AS h JOIN {name} AS t ON t.{key_name} = h.key \
         WHERE (h.at >= ${from}::timestamptz OR ${from} IS NULL) \
         AND (h.at < ${until}::timestamptz OR ${until} IS NULL) AND {conditions} \
         UNION SELECT c{key}::{key_type} FROM service), \
         held AS (SELECT {} FROM {name} AS t JOIN keys ON keys.key = t.{key_name}) \
         SELECT service.c{key} IS NULL, held.c{key} IS NULL, {service}, {held} \
         FROM service FULL JOIN held ON service.c{key} = held.c{key} \
         WHERE ({service}) IS DISTINCT FROM ({held}) \
         ORDER BY coalesce(service.c{key}, held.c{key})",
        table.list(|at, column| format!("r{at}::{}::text AS c{at}", made(column))),
        table.list(|at, _| format!("${}", at + 1)),
        table.list(|at, _| format!("r{at}")),
        table.list(|at, column| format!("t.{}::text AS c{at}", quoted(column.name))),
    );
    (compare, given)
}

impl Compare for Postgres {
    fn compare(&mut self, window: &Window) -> Result<Vec<Difference>, Failure> {
        let (table, count) = (self.table, self.table.columns.len());
        let rows = cells(table, &window.rows)?;
        let bound = |time: Option<DateTime<Utc>>| {
            time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true))
        };
        let (from, until) = (bound(window.from), bound(window.until));
        let given = self.given.iter().map(|value| Some(&**value));
        let texts: Vec<_> = [from.as_deref(), until.as_deref()].into_iter().chain(given).collect();
        let arrays = transposed(table, &rows);
        let found = self.database.query_arrays(&self.compare, &arrays, &texts)?;
        let key = table.key;
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

    fn database(&mut self) -> &mut dyn Database {
        &mut self.database
    }
}
