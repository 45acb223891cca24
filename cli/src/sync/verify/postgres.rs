//! Compares a table of Postgres in the server, which converts the service's texts as a sync does.

use super::{Compare, Difference, HELD};
use crate::{
    failure::Failure,
    operation::Column,
    rows::Row,
    sync::{
        column_type,
        database::Database,
        dialect::{Dialect, quoted},
        postgres::{self, cells, transposed},
        server::Server,
        table::Table,
    },
};

pub(super) struct Postgres {
    database: postgres::Postgres,
    table: Table,
    /// The statement that compares.
    compare: String,
}

impl Postgres {
    pub(super) fn open(server: &Server, table: Table) -> Result<Self, Failure> {
        let mut database = postgres::Postgres::connect(server)?;
        let key = table.columns[table.key].name;
        let mut columns = database.columns(table.name)?.into_iter();
        let kind = columns.find(|[name, _]| name == key).map(|[_, kind]| kind);
        let compare = compare(table, &kind.unwrap_or_default());
        Ok(Self { database, table, compare })
    }
}

/// The statement that compares records, of which it takes an array for each column.
fn compare(table: Table, key_type: &str) -> String {
    let (key, name, key_name) = (table.key, quoted(table.name), table.key_name());
    let made = |column: &Column| column_type::made(column.kind, Dialect::Postgres);
    let service = table.list(|at, _| format!("service.c{at}"));
    let held = table.list(|at, _| format!("held.c{at}"));
    format!(
        "WITH service AS (SELECT {} FROM UNNEST({}) AS rows({})), \
         held AS (SELECT t.{key_name} AS place, {} FROM service JOIN {name} AS t \
         ON t.{key_name} = service.c{key}::{key_type}), \
         struck AS (DELETE FROM {HELD} USING held WHERE {HELD}.place = held.place) \
         SELECT held.c{key} IS NULL, {service}, {held} \
         FROM service LEFT JOIN held ON service.c{key} = held.c{key} \
         WHERE ({service}) IS DISTINCT FROM ({held}) ORDER BY service.c{key}",
        table.list(|at, column| format!("r{at}::{}::text AS c{at}", made(column))),
        table.list(|at, _| format!("${}", at + 1)),
        table.list(|at, _| format!("r{at}")),
        table.list(|at, column| format!("t.{}::text AS c{at}", quoted(column.name))),
    )
}

impl Compare for Postgres {
    fn compare(&mut self, records: &[Box<dyn Row>]) -> Result<Vec<Difference>, Failure> {
        let (table, count) = (self.table, self.table.columns.len());
        let rows = cells(table, records)?;
        let arrays = transposed(table, &rows);
        let found = self.database.query_arrays(&self.compare, &arrays, &[])?;
        let difference = |row: &tokio_postgres::Row| {
            let cell = |at: usize| row.get::<_, Option<String>>(1 + at);
            let id = cell(table.key).unwrap_or_default();
            if row.get(0) {
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
