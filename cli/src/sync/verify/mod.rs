//! `digital-assets verify`: reads a listing again and compares it with its table, a window of time
//! after the other.

mod condition;
mod difference;
mod postgres;
mod sqlite;

use std::{future::poll_fn, io::IsTerminal, time::Instant};

use chrono::{DateTime, SubsecRound, Utc};
use clap::ArgMatches;
use tokio::{
    sync::{mpsc, oneshot},
    time::sleep,
};

use self::{
    condition::Condition,
    difference::{Difference, Found, Printed},
};
use super::{
    key, state,
    table::Table,
    target::{self, Target},
};
use crate::{
    command, defaults,
    failure::Failure,
    given::{Given, Values},
    listing,
    operation::{Column, Kind, Listing, Operation},
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
trait Compare {
    fn compare(&mut self, window: &Window) -> Result<Vec<Difference>, Failure>;

    /// Says in the listing's state how far the table is verified.
    fn mark(&mut self, asked: &str, through: Option<&str>) -> Result<(), Failure>;

    fn states(&mut self) -> Result<Vec<state::State>, Failure>;
}

/// One listing and its table.
#[derive(Clone)]
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
    let target = target.with_settings(|name| service.settings.get(name))?;
    let values = command::values(operation, Some(arguments), &service.settings)?;
    let listings = command::each(operation, &values)?;
    let quiet = arguments.get_flag("quiet");
    let is_json = arguments.get_one::<String>("format").is_some_and(|format| format == "json");
    let requests = listing::requests(listing, arguments, None);
    let mut signals = Signals::new()?;
    let mut found = Found::default();
    let mut printed = Printed::new(is_json);
    let verified = async {
        for values in listings {
            let subject = Subject {
                table,
                asked: key(operation, listing, &values),
                service: service.name.clone(),
                conditions: condition::all(operation, listing, &values)?,
                time: time(listing),
            };
            let given = given(operation, listing, &service, values);
            let rows = (listing.rows)(&given, requests, None)?;
            verify(rows, subject, target.clone(), quiet, &mut found, &mut printed).await?;
        }
        printed.end()
    };
    signals.or(verified).await??;
    let Found { records, missing, additional, changed } = found;
    let differences = missing + additional + changed;
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

/// The oldest first.
fn given<'a>(
    operation: &Operation,
    listing: &Listing,
    service: &'a Service,
    mut values: Values,
) -> Given<'a> {
    if let Some(order) = listing.order {
        values.remove(order);
    }
    let values = defaults::of_sync(operation, listing, values);
    Given { client: &service.client, values, body: None }
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
    printed: &mut Printed,
) -> Result<(), Failure> {
    let watched = std::io::stderr().is_terminal() && !quiet;
    let mut progress = Progress::new(watched, !quiet, 0);
    let has_time = subject.time.is_some();
    let comparing = Comparing::begin(target, subject).await?;
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
                    found.add(&comparing.compare(full).await?, printed)?;
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
    found.add(&comparing.compare(window).await?, printed)
}

/// The table, on a thread of its own.
struct Comparing(mpsc::Sender<(Window, Answer)>);

type Answer = oneshot::Sender<Result<Vec<Difference>, Failure>>;

impl Comparing {
    async fn begin(target: Target, subject: Subject) -> Result<Self, Failure> {
        let (windows, mut received) = mpsc::channel::<(Window, Answer)>(1);
        let (opened, open) = oneshot::channel();
        std::thread::spawn(move || {
            let words = target.to_string();
            let store = open_store(&target, &subject);
            let mut store = match store {
                Ok(store) => {
                    let _ = opened.send(Ok(()));
                    store
                }
                Err(failure) => {
                    let _ = opened.send(Err(failure.in_words(&words)));
                    return;
                }
            };
            let mut marked = true;
            while let Some((window, answer)) = received.blocking_recv() {
                let compared = compare(&mut *store, &subject.asked, &window, &mut marked);
                let _ = answer.send(compared.map_err(|failure| failure.in_words(&words)));
            }
        });
        open.await.map_err(|_| Failure::other("the database's thread has ended"))??;
        Ok(Self(windows))
    }

    async fn compare(&self, window: Window) -> Result<Vec<Difference>, Failure> {
        let ended = || Failure::other("the database's thread has ended");
        let (answer, compared) = oneshot::channel();
        self.0.send((window, answer)).await.map_err(|_| ended())?;
        compared.await.map_err(|_| ended())?
    }
}

fn open_store(target: &Target, subject: &Subject) -> Result<Box<dyn Compare>, Failure> {
    let mut store: Box<dyn Compare> = match target {
        Target::Sqlite(path) => Box::new(sqlite::Sqlite::open(path, subject)?),
        Target::Postgres(server) => Box::new(postgres::Postgres::open(server, subject)?),
    };
    let states = store.states()?;
    if let Some(other) = states.iter().find(|state| state.service != subject.service) {
        let (table, service) = (subject.table.name, &subject.service);
        let theirs = &other.service;
        return Err(Failure::other(format!("{table} holds records of {theirs}, not of {service}")));
    }
    Ok(store)
}

/// Compares a window, and moves the mark of how far the table is verified: on, as long as there is no
/// difference, and never past the first.
fn compare(
    store: &mut dyn Compare,
    asked: &str,
    window: &Window,
    marked: &mut bool,
) -> Result<Vec<Difference>, Failure> {
    let differences = store.compare(window)?;
    if *marked {
        *marked = differences.is_empty();
        let newest = || window.rows.iter().filter_map(|row| row.created_at()).max();
        let through =
            if *marked { window.until.or_else(newest).or(window.from) } else { window.from };
        store.mark(asked, through.map(state::text).as_deref())?;
    }
    Ok(differences)
}
