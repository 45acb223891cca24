//! `digital-assets verify`: reads a listing again and compares it with its table, a window of time
//! after the other.

mod condition;
mod difference;
mod postgres;
mod sqlite;

use std::{future::poll_fn, io::IsTerminal, time::Instant};

use chrono::{DateTime, SubsecRound, Utc};
use clap::ArgMatches;
use tokio::{task::spawn_blocking, time::sleep};

use self::{
    condition::Condition,
    difference::{Difference, Found},
};
use super::{
    database::Database,
    key, state,
    table::Table,
    target::{self, Target},
};
use crate::{
    command, defaults,
    failure::Failure,
    given::Given,
    listing,
    operation::{Column, Kind, Listing},
    patience::Patience,
    progress::Progress,
    rows::{Row, Rows},
    service::Service,
    signal::Signals,
    stdout,
};

/// The records of a window, if they aren't all of one second.
const WINDOW: usize = 5_000;
const CREATED_AT: &str = "created_at";

/// The records that the service has of a span of time, and all of the table's in it are.
struct Window {
    /// Inclusive. `None` is the beginning.
    from: Option<DateTime<Utc>>,
    /// Exclusive. `None` is the end.
    until: Option<DateTime<Utc>>,
    rows: Vec<Box<dyn Row>>,
}

/// A table whose rows are compared.
trait Compare: Send {
    fn compare(&mut self, window: &Window) -> Result<Vec<Difference>, Failure>;

    fn database(&mut self) -> &mut dyn Database;
}

/// One listing and its table.
struct Subject {
    table: Table,
    asked: String,
    service: String,
    conditions: Vec<Condition>,
    /// By which the table is cut into windows.
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
                time: time(listing),
            };
            // The oldest first.
            if let Some(order) = listing.order {
                values.remove(order);
            }
            let values = defaults::of_sync(operation, values);
            let given = Given { client: &service.client, values, body: None };
            let rows = (listing.rows)(&given, requests, None)?;
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

fn time(listing: &Listing) -> Option<Column> {
    let is_time = |column: &&Column| column.name == CREATED_AT && column.kind == Kind::Time;
    listing.columns.iter().find(is_time).copied()
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
    let has_time = subject.time.is_some();
    let mut comparing = spawn_blocking(move || Comparing::open(target, subject)).await??;
    let mut patience = Patience::default();
    let mut window = Window { from: None, until: None, rows: Vec::new() };
    // Where records don't come in the order of time, the rest is one window.
    let mut last = has_time.then_some(DateTime::<Utc>::MIN_UTC);
    let mut drawn = Instant::now();
    loop {
        match poll_fn(|cx| rows.poll_row(cx)).await {
            Some(Ok(row)) => {
                if patience.succeeded() {
                    progress.goes_on();
                }
                let second = row.created_at().map(|time| time.trunc_subsecs(0));
                if let (Some(before), Some(second)) = (last, second)
                    && before < second
                    && window.rows.len() >= WINDOW
                {
                    window.until = Some(second);
                    let next = Window { from: Some(second), until: None, rows: Vec::new() };
                    let full = std::mem::replace(&mut window, next);
                    comparing = comparing.compare(full, found).await?;
                }
                last = last.zip(second).and_then(|(before, at)| (before <= at).then_some(at));
                progress.wrote(row.created_at());
                window.rows.push(row);
                found.records += 1;
                if drawn.elapsed().as_millis() > 50 {
                    // So that a signal is seen while records arrive fast.
                    tokio::task::yield_now().await;
                    drawn = Instant::now();
                }
            }
            Some(Err(error)) => {
                let Some(wait) = patience.failed(&error) else { return Err(error.into()) };
                progress.waits(wait, &error);
                sleep(wait).await;
            }
            None => break,
        }
    }
    progress.complete();
    progress.clear();
    comparing.compare(window, found).await.map(drop)
}

/// A listing's table, and whether nothing in it was different yet.
struct Comparing {
    target: Target,
    subject: Subject,
    table: Box<dyn Compare>,
    is_equal: bool,
}

impl Comparing {
    fn open(target: Target, subject: Subject) -> Result<Self, Failure> {
        let table = open(&target, &subject).map_err(|failure| failure.in_words(&target))?;
        Ok(Self { target, subject, table, is_equal: true })
    }

    /// Compares a window on a thread that may wait for the database.
    async fn compare(mut self, window: Window, found: &mut Found) -> Result<Self, Failure> {
        let compared = spawn_blocking(move || match self.compare_and_mark(&window) {
            Ok(differences) => Ok((self, differences)),
            Err(failure) => Err(failure.in_words(&self.target)),
        });
        let (comparing, differences) = compared.await??;
        found.add(&differences)?;
        Ok(comparing)
    }

    /// Compares a window, and moves the mark of how far the table is verified: on, as long as there is
    /// no difference, and never past the first.
    fn compare_and_mark(&mut self, window: &Window) -> Result<Vec<Difference>, Failure> {
        let differences = self.table.compare(window)?;
        if self.is_equal {
            self.is_equal = differences.is_empty();
            let newest = || window.rows.iter().filter_map(|row| row.created_at()).max();
            let through = if self.is_equal {
                window.until.or_else(newest).or(window.from)
            } else {
                window.from
            };
            let through = through.map(state::text);
            let Subject { table, asked, .. } = &self.subject;
            let values = [through.as_deref(), Some(table.name), Some(asked)];
            self.table.database().execute(&state::mark(), &values)?;
        }
        Ok(differences)
    }
}

fn open(target: &Target, subject: &Subject) -> Result<Box<dyn Compare>, Failure> {
    let mut store: Box<dyn Compare> = match target {
        Target::Sqlite(path) => Box::new(sqlite::Sqlite::open(path, subject)?),
        Target::Postgres(server) => Box::new(postgres::Postgres::open(server, subject)?),
    };
    let (table, service) = (subject.table.name, &subject.service);
    let mut states = state::all(store.database())?.into_iter();
    if let Some(other) = states.find(|it| it.table == table && it.service != *service) {
        let theirs = other.service;
        return Err(Failure::other(format!("{table} holds records of {theirs}, not of {service}")));
    }
    Ok(store)
}
