//! `digital-assets verify`: reads a listing again and compares each record with its row. The rows that
//! are left are additional.

mod condition;
mod difference;
mod postgres;
mod sqlite;

use std::{future::poll_fn, io::IsTerminal, mem, time::Instant};

use chrono::{DateTime, SubsecRound, Utc};
use clap::ArgMatches;
use tokio::{task::spawn_blocking, time::sleep};

use self::{
    condition::Condition,
    difference::{Difference, Found},
};
use super::{
    database::Database,
    dialect::{Dialect, quoted},
    request::key,
    state::{self, STATES},
    table::Table,
    target::{self, Target},
};
use crate::{
    args::Args,
    command, defaults,
    failure::Failure,
    listing,
    operation::Column,
    progress::Progress,
    retry_policy::RetryPolicy,
    rows::{Row, Rows},
    service::Service,
    signal::Signals,
    stdout,
};

/// The records that are compared at once, if the last ones aren't of one second.
const BATCH: usize = 5_000;

/// A table whose rows are compared.
trait Compare: Send {
    /// Compares records with the rows of their keys, and strikes those rows from [`HELD`].
    fn compare(&mut self, records: &[Box<dyn Row>]) -> Result<Vec<Difference>, Failure>;

    fn database(&mut self) -> &mut dyn Database;
}

/// One listing and its table.
struct Subject {
    table: Table,
    asked: String,
    service: String,
    conditions: Vec<Condition>,
    /// The column of when a record was created.
    time: Option<Column>,
}

pub(crate) async fn run(arguments: &ArgMatches, tool: &ArgMatches) -> Result<(), Failure> {
    let Some((name, arguments)) = arguments.subcommand() else { return Ok(()) };
    let Some(operation) = command::operation(name) else { return Ok(()) };
    let Some(listing) = operation.listing() else { return Ok(()) };
    let Some(table) = Table::of(listing) else { return Ok(()) };
    let target = target::named(arguments, "from")?;
    let service = Service::find(arguments, tool).await?;
    let target = target.with_settings(&service.settings)?;
    let values = command::values(operation, Some(arguments), &service.settings)?;
    let listings = command::each(operation, &values)?;
    let quiet = arguments.get_flag("quiet");
    let is_json = arguments.get_one::<String>("format").is_some_and(|format| format == "json");
    let requests = listing::requests(listing, arguments, None);
    let mut signals = Signals::new()?;
    let mut found = Found { is_json, ..Found::default() };
    let verified = async {
        for mut values in listings {
            let subject = Subject {
                table,
                asked: key(operation, &values),
                service: service.name.clone(),
                conditions: condition::all(operation, listing, &values)?,
                time: listing.time(),
            };
            // The oldest first.
            if let Some(order) = listing.order {
                values.remove(order);
            }
            let values = defaults::of_sync(operation, values);
            let args = Args { client: &service.client, values, body: None };
            let rows = (listing.rows)(&args, requests, None)?;
            verify(rows, subject, target.clone(), quiet, &mut found).await?;
        }
        found.end()
    };
    signals.or(verified).await??;
    let differences = found.differences();
    let Found { records, missing, additional, changed, .. } = found;
    if !quiet {
        let records = stdout::counted(records, "record");
        stdout::say(&format!(
            "{target}: {records} of the service compared: {missing} missing, {additional} \
             additional, {changed} different"
        ));
    }
    if differences == 0 {
        return Ok(());
    }
    let differences = stdout::counted(differences, "difference");
    Err(Failure::Different(format!("{} has {differences}", table.name)))
}

async fn verify(
    mut rows: Box<dyn Rows>,
    subject: Subject,
    target: Target,
    quiet: bool,
    found: &mut Found,
) -> Result<(), Failure> {
    let watched = std::io::stderr().is_terminal() && !quiet;
    let mut progress = Progress::new(watched, !quiet, 0);
    let mut comparing = spawn_blocking(move || Comparing::open(target, subject)).await??;
    let mut policy = RetryPolicy::default();
    let mut batch = Vec::new();
    // A record that is listed twice, with two contents, is compared once: within its second.
    let mut last = None;
    let mut drawn = Instant::now();
    loop {
        match poll_fn(|cx| rows.poll_row(cx)).await {
            Some(Ok(row)) => {
                if policy.succeeded() {
                    progress.goes_on();
                }
                let second = row.created_at().map(|time| time.trunc_subsecs(0));
                if batch.len() >= BATCH && (second.is_none() || second != last) {
                    let batch = mem::take(&mut batch);
                    let compare = move |it: &mut Comparing| it.compare(&batch);
                    comparing = comparing.step(compare, found).await?;
                }
                last = second;
                progress.wrote(row.created_at());
                batch.push(row);
                found.records += 1;
                if drawn.elapsed().as_millis() > 50 {
                    // So that a signal is seen while records arrive fast.
                    tokio::task::yield_now().await;
                    drawn = Instant::now();
                }
            }
            Some(Err(error)) => {
                let Some(wait) = policy.failed(&error) else { return Err(error.into()) };
                progress.waits(wait, &error);
                sleep(wait).await;
            }
            None => break,
        }
    }
    progress.complete();
    progress.clear();
    comparing = comparing.step(move |it| it.compare(&batch), found).await?;
    comparing.step(Comparing::end, found).await.map(drop)
}

/// A listing's table, and up to when it is as the service has it.
struct Comparing {
    target: Target,
    subject: Subject,
    table: Box<dyn Compare>,
    newest: Option<DateTime<Utc>>,
    /// A time before which nothing differs.
    first_difference: Option<DateTime<Utc>>,
}

impl Comparing {
    fn open(target: Target, subject: Subject) -> Result<Self, Failure> {
        let table = open(&target, &subject).map_err(|failure| failure.in_words(&target))?;
        Ok(Self { target, subject, table, newest: None, first_difference: None })
    }

    /// Takes a step on a thread that may wait for the database.
    async fn step(
        mut self,
        step: impl FnOnce(&mut Self) -> Result<Vec<Difference>, Failure> + Send + 'static,
        found: &mut Found,
    ) -> Result<Self, Failure> {
        let compared = spawn_blocking(move || match step(&mut self) {
            Ok(differences) => Ok((self, differences)),
            Err(failure) => Err(failure.in_words(&self.target)),
        });
        let (comparing, differences) = compared.await??;
        found.add(&differences)?;
        Ok(comparing)
    }

    fn compare(&mut self, records: &[Box<dyn Row>]) -> Result<Vec<Difference>, Failure> {
        let differences = self.table.compare(records)?;
        let times = || records.iter().map(|record| record.created_at());
        self.newest = self.newest.max(times().max().flatten());
        if !differences.is_empty() {
            self.differs(times().min().flatten());
            // Until the end says how far.
            self.mark(None)?;
        }
        Ok(differences)
    }

    /// Finds the additional rows, and writes down how far the table is verified.
    fn end(&mut self) -> Result<Vec<Difference>, Failure> {
        let mut differences = Vec::new();
        for [key, time] in left(&self.subject, self.table.database())? {
            self.differs(time.and_then(|time| time.parse().ok()));
            differences.push(Difference::Additional(key.unwrap_or_default()));
        }
        self.mark(match self.first_difference {
            Some(first) => (first > NEVER).then_some(first),
            None => self.newest,
        })?;
        Ok(differences)
    }

    fn differs(&mut self, time: Option<DateTime<Utc>>) {
        let time = time.unwrap_or(NEVER);
        self.first_difference = Some(self.first_difference.map_or(time, |first| first.min(time)));
    }

    fn mark(&mut self, through: Option<DateTime<Utc>>) -> Result<(), Failure> {
        let through = through.map(state::text);
        let Subject { table, asked, .. } = &self.subject;
        let values = [through.as_deref(), Some(table.name), Some(asked)];
        Ok(self.table.database().execute(&state::mark(), &values)?)
    }
}

/// The time of what has none.
const NEVER: DateTime<Utc> = DateTime::<Utc>::MIN_UTC;
/// The rows that the listing had when its table was opened, and that no record was compared with yet.
const HELD: &str = "digital_assets_held";

/// Takes down which rows there are: what a sync adds from now on isn't additional.
fn hold(subject: &Subject, database: &mut dyn Database) -> Result<(), Failure> {
    let rows = format!(
        "SELECT t.{} AS place FROM {} AS t",
        place(subject.table, database.dialect()),
        quoted(subject.table.name)
    );
    let (conditions, values) = condition::sql(&subject.conditions, database.dialect());
    let values: Vec<_> = values.iter().map(|value| Some(&**value)).collect();
    let hold = format!("INSERT INTO {HELD} {rows} WHERE {conditions}");
    match database.dialect() {
        Dialect::Sqlite => {
            database
                .execute(&format!("CREATE TEMP TABLE {HELD} (place INTEGER PRIMARY KEY)"), &[])?;
            database.execute(&hold, &values)?;
        }
        Dialect::Postgres => {
            database.execute(&format!("CREATE TEMP TABLE {HELD} AS {rows} LIMIT 0"), &[])?;
            database.execute(&hold, &values)?;
            database.execute(&format!("CREATE INDEX ON {HELD} (place)"), &[])?;
            database.execute(&format!("ANALYZE {HELD}"), &[])?;
        }
    }
    Ok(())
}

/// The keys and times of the rows that are left and still there. A sync may have changed some since, so
/// that they aren't chosen any more.
fn left(
    subject: &Subject,
    database: &mut dyn Database,
) -> Result<Vec<[Option<String>; 2]>, Failure> {
    let (table, dialect) = (subject.table, database.dialect());
    let time = subject.time.map(|column| quoted(column.name));
    let time = match (time, dialect) {
        (None, _) => "NULL".to_owned(),
        (Some(name), Dialect::Sqlite) => format!("t.{name}"),
        // RFC 3339, whatever the session's settings are.
        (Some(name), Dialect::Postgres) => format!("to_json(t.{name}) #>> '{{}}'"),
    };
    let (conditions, values) = condition::sql(&subject.conditions, dialect);
    let rows = format!(
        "SELECT CAST(t.{} AS TEXT), CAST({time} AS TEXT) \
         FROM {HELD} AS held JOIN {} AS t ON t.{} = held.place WHERE {conditions} ORDER BY 1",
        table.key_name(),
        quoted(table.name),
        place(table, dialect)
    );
    let values: Vec<_> = values.iter().map(|value| Some(&**value)).collect();
    let rows = database.query(&rows, &values)?.into_iter();
    Ok(rows.filter_map(|row| row.try_into().ok()).collect())
}

/// What tells rows apart. A key of SQLite may be null.
fn place(table: Table, dialect: Dialect) -> String {
    match dialect {
        Dialect::Sqlite => "rowid".to_owned(),
        Dialect::Postgres => table.key_name(),
    }
}

fn open(target: &Target, subject: &Subject) -> Result<Box<dyn Compare>, Failure> {
    let mut store: Box<dyn Compare> = match target {
        Target::Sqlite(path) => Box::new(sqlite::Sqlite::open(path, subject.table)?),
        Target::Postgres(server) => Box::new(postgres::Postgres::open(server, subject.table)?),
    };
    let (table, service) = (subject.table.name, &subject.service);
    let mut states = store.database().states()?.into_iter();
    if let Some(other) = states.find(|it| it.table == table && it.service != *service) {
        let theirs = other.service;
        return Err(Failure::other(format!("{table} holds records of {theirs}, not of {service}")));
    }
    // What can't be marked in the end is refused before the listing is read.
    let may_mark =
        format!("UPDATE {STATES} SET verified_through = verified_through WHERE table_name = $1");
    store.database().execute(&may_mark, &[Some(table)])?;
    hold(subject, store.database())?;
    Ok(store)
}
