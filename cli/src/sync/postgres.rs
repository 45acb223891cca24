//! A table in a database of Postgres.

use std::error::Error as _;

use postgres::{Client, Config, Statement, error::SqlState, types::ToSql};

use super::{
    store::Store,
    table::{Dialect, STATES, Table, create_states},
    tls,
};
use crate::{failure::Failure, rows::Row};

pub(super) struct Postgres {
    client: Client,
    table: Table,
    upsert: Statement,
}

/// Records per statement. Each statement is a round trip over the network.
const MANY: usize = 5_000;

/// The first half of the lock's key, the same for every sync.
const LOCK: i32 = 0x0da5_5e75;

impl Postgres {
    pub(super) fn open(config: &Config, table: Table) -> Result<Self, Failure> {
        let mut client = tls::connect(config)?;
        // Includes the schema, because other schemas may have a table of the same name. Held
        // by this session: the server releases it however the session ends.
        let lock = "SELECT pg_try_advisory_lock($1, \
                    hashtext(concat(quote_ident(current_schema()), '.', quote_ident($2))))";
        if !client.query_one(lock, &[&LOCK, &table.name])?.get::<_, bool>(0) {
            let name = table.name;
            return Err(Failure::other(format!(
                "another sync is writing {name}; wait for its end"
            )));
        }
        client.batch_execute("SET client_min_messages = warning")?;
        let upsert = Self::make(&mut client, table).map_err(|error| match error.as_db_error() {
            // The class of syntax errors, which includes names, types and permissions.
            Some(reason)
                if reason.code().code().starts_with("42")
                    && *reason.code() != SqlState::INSUFFICIENT_PRIVILEGE =>
            {
                table.is_another(reason.message())
            }
            _ => error.into(),
        })?;
        Ok(Self { client, table, upsert })
    }

    /// Creates the tables, or adds missing columns.
    fn make(client: &mut Client, table: Table) -> Result<Statement, postgres::Error> {
        client.batch_execute(&create_states())?;
        client.batch_execute(&table.create(Dialect::Postgres))?;
        let known = "SELECT attname::text FROM pg_attribute \
                     WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped";
        let known = client.query(known, &[&table.name])?;
        let known: Vec<String> = known.iter().map(|row| row.get(0)).collect();
        for add in table.extend(&known, Dialect::Postgres) {
            client.batch_execute(&add)?;
        }
        client.prepare(&format!("SELECT state, asked, table_name FROM {STATES}"))?;
        let upsert = client.prepare(&table.upsert(Dialect::Postgres))?;
        // An insert of no rows makes the server check that the table has its key.
        let none: &(dyn ToSql + Sync) = &Vec::<Option<&str>>::new();
        client.execute(&upsert, &vec![none; table.columns.len()])?;
        Ok(upsert)
    }
}

impl Store for Postgres {
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure> {
        let query = format!("SELECT state FROM {STATES} WHERE table_name = $1 AND asked = $2");
        let state = self.client.query_opt(&query, &[&self.table.name, &asked])?;
        Ok(state.map(|row| row.get(0)))
    }

    fn write(&mut self, rows: &[Box<dyn Row>], asked: &str, state: &str) -> Result<(), Failure> {
        let mut transaction = self.client.transaction()?;
        for rows in rows.chunks(MANY) {
            let rows = self.table.cells(rows, Dialect::Postgres)?;
            let columns: Vec<Vec<Option<&str>>> = (0..self.table.columns.len())
                .map(|at| rows.iter().map(|row| row[at].as_deref()).collect())
                .collect();
            let columns: Vec<&(dyn ToSql + Sync)> =
                columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
            transaction.execute(&self.upsert, &columns)?;
        }
        let keep = format!(
            "INSERT INTO {STATES} VALUES ($1, $2, $3) \
             ON CONFLICT (table_name, asked) DO UPDATE SET state = excluded.state"
        );
        transaction.execute(&keep, &[&self.table.name, &asked, &state])?;
        Ok(transaction.commit()?)
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        Ok(self.client.close()?)
    }
}

impl From<postgres::Error> for Failure {
    fn from(error: postgres::Error) -> Self {
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
