//! A table in a database of Postgres.

mod failure;
mod prepare;
mod states;

pub(super) use self::states::{held, states_of};

use tokio::{
    runtime::{self, Runtime},
    sync::mpsc,
    task::JoinHandle,
};
use tokio_postgres::{Client, Error, Statement, types::ToSql};

use self::{
    failure::{lost, named},
    prepare::prepare,
};
use super::{
    server::Server,
    state::{self, Settled, State},
    store::{Asked, Batch, Opened, Store},
    table::{Dialect, Table},
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

impl Postgres {
    pub(super) fn open(server: &Server, asked: &Asked) -> Result<Opened, Failure> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, connection, upsert, settled) = runtime.block_on(async {
            let (mut client, connection) = server.connect().await?;
            let (upsert, settled) = prepare(&mut client, asked).await?;
            Ok::<_, Failure>((client, connection, upsert, settled))
        })?;
        let Settled { states, told, .. } = settled;
        let store = Box::new(Self { runtime, client, connection, table: asked.table, upsert });
        Ok(Opened { store, states, told })
    }
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
            let is_empty = transaction.query_one(&table.is_empty(), &[]).await?.get(0);
            table.holds_rows(state, is_empty)?;
            let mut added = 0;
            for rows in rows.chunks(MANY) {
                let rows = table.cells(rows, Dialect::Postgres)?;
                let columns: Vec<Vec<Option<&str>>> = (0..table.columns.len())
                    .map(|at| rows.iter().map(|row| row[at].as_deref()).collect())
                    .collect();
                let values: Vec<&(dyn ToSql + Sync)> =
                    columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
                match transaction.query_one(&*upsert, &values).await {
                    Ok(row) if usize::try_from(row.get::<_, i64>(1)) != Ok(rows.len()) => {
                        return Err(table.leaves_out_rows());
                    }
                    Ok(row) => added += row.get::<_, i64>(0),
                    Err(error) => {
                        drop(transaction);
                        return Err(named(error, client, *table, &columns).await);
                    }
                }
            }
            state.add(added, are_records);
            let keep = transaction.prepare(&state::upsert()).await?;
            states::keep(&transaction, &keep, *table, state).await?;
            Ok(transaction.commit().await?)
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
