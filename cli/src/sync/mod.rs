//! `digital-assets sync`: writes listings into a database table. A listing's rows and its position
//! are saved in the same transaction, so the position always matches the rows, even if the process
//! is killed.

mod batch;
mod cells;
mod column_type;
mod counts;
mod database;
mod dialect;
mod difference;
mod job;
mod opened;
mod position;
mod postgres;
mod request;
mod server;
mod settle;
mod sqlite;
mod state;
pub(crate) mod status;
mod store;
mod table;
mod target;
pub(crate) mod verify;
mod writer;

use std::{
    cell::RefCell,
    time::{Duration, Instant},
};

use chrono::Utc;
use clap::ArgMatches;
use futures_util::StreamExt;
use tokio::time::{sleep_until, timeout};

use self::{
    database::Written,
    job::{Job, Sync},
    position::Position,
    request::{is_ascending, key},
    settle::Asked,
    state::State,
    table::Table,
    target::Target,
    writer::Writer,
};
use crate::{
    args::{Args, Values},
    command, defaults,
    failure::Failure,
    listing,
    operation::{Listing, Operation},
    progress::{Line, Progress},
    service::Service,
    signal::Signals,
    stdout,
};

/// How long the tool waits, after a signal, for a database that doesn't respond.
const PATIENCE_OF_SIGNALS: Duration = Duration::from_secs(4);
/// The default of `--overlap`: an incremental round starts this long before the point that the
/// previous sync reached.
const OVERLAP: Duration = Duration::from_secs(300);
/// The default of `--recheck`: the interval at which open records (those in a state that isn't
/// final) are requested again.
const RECHECK: Duration = Duration::from_secs(60);
/// The interval between status lines if stderr isn't a terminal.
const SAID_AGAIN: Duration = Duration::from_secs(60);

pub(crate) async fn run(arguments: &ArgMatches, tool: &ArgMatches) -> Result<(), Failure> {
    match arguments.subcommand() {
        Some((name, arguments)) if arguments.get_flag("dry-run") => print_ddl(name, arguments),
        Some((name, arguments)) => {
            run_one(name, arguments, &Service::find(arguments, tool).await?).await
        }
        None if arguments.get_flag("all") => run_all(arguments, tool).await,
        None => Err(Failure::usage("no listing was given; name a listing to sync, or use --all")),
    }
}

/// Syncs every listing whose required options are all in the settings. If one listing fails, the
/// other listings are still synced.
async fn run_all(arguments: &ArgMatches, tool: &ArgMatches) -> Result<(), Failure> {
    let follows = arguments.get_one::<Duration>("every").is_some();
    let is_dry = arguments.get_flag("dry-run");
    // All listings share a client, with its tokens and its rate limit.
    let service = if is_dry { None } else { Some(Service::find(arguments, tool).await?) };
    let service = service.as_ref();
    let settings = Service::settings_of(arguments, tool)?;
    let mut runs = Vec::new();
    for (operation, listing) in command::synced() {
        let name = operation.command;
        if let Err(failure) = command::values(operation, None, &settings) {
            stdout::say(&format!("{name} is not synced: {failure}"));
        } else if follows && !listing.windows {
            stdout::say(&format!("{name} is not synced: this listing can't be followed"));
        } else {
            let run = async move {
                let arguments = command::of_all(operation, listing, arguments)?;
                match service {
                    None => print_ddl(name, &arguments),
                    Some(service) => run_one(name, &arguments, service).await,
                }
            };
            runs.push(async move { (name, run.await) });
        }
    }
    let all = runs.len();
    // Syncs with `--every` keep running, so all of them have to run at the same time. Other syncs
    // run one after another, because they may write to the same file.
    let at_once = if follows { all } else { 1 };
    let mut runs = futures_util::stream::iter(runs).buffer_unordered(at_once.max(1));
    let mut failed = Vec::new();
    while let Some((name, run)) = runs.next().await {
        match run {
            Ok(()) => {}
            Err(signal @ (Failure::Signal(_) | Failure::SignalItself(_))) => return Err(signal),
            Err(failure) => {
                stdout::say(&format!("{name}: {failure}"));
                failed.push(name);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::other(format!("{} of {all} listings failed: {}", failed.len(), failed.join(", "))))
}

/// Prints the SQL that creates the tables of a sync.
fn print_ddl(name: &str, arguments: &ArgMatches) -> Result<(), Failure> {
    let listing = command::operation(name).and_then(Operation::listing);
    let Some(table) = listing.and_then(Table::of) else { return Ok(()) };
    stdout::print(table.ddl(target::named(arguments, "to")?.dialect()))
}

async fn run_one(name: &str, arguments: &ArgMatches, service: &Service) -> Result<(), Failure> {
    let Some(operation) = command::operation(name) else { return Ok(()) };
    let Some(listing) = operation.listing() else { return Ok(()) };
    let Some(table) = Table::of(listing) else { return Ok(()) };
    let target = target::named(arguments, "to")?;
    let target = target.with_settings(&service.settings)?;
    let values = command::values(operation, Some(arguments), &service.settings)?;
    if !arguments.get_flag("quiet") {
        for line in command::unknown(operation, &values) {
            stdout::say(&line);
        }
    }
    let every = option(listing, arguments, "every");
    let overlap = option(listing, arguments, "overlap").or_else(|| every.map(|_| OVERLAP));
    request::check(listing, &values)?;
    if let (Some(_), Some(order)) = (overlap, &listing.order)
        && !is_ascending(listing, &values)
    {
        let option = order.option;
        return Err(Failure::usage(format!(
            "--overlap and --every always read the oldest records first; remove --{option}"
        )));
    }
    if overlap.is_none() && option(listing, arguments, "recheck").is_some() {
        return Err(Failure::usage("--recheck needs --every or --overlap; add one of them"));
    }
    let listings = command::each(operation, &values)?;
    let run =
        Run { operation, listing, table, target, service, listings, every, overlap, arguments };
    let mut signals = Signals::new()?;
    let mut is_forced = arguments.get_flag("force");
    loop {
        match sync_listings(&run, &mut signals, is_forced).await {
            // The next sync lists everything again, so a sync that follows starts itself again.
            Err(Failure::RowsLost(_)) if every.is_some() => is_forced = false,
            ended => return ended,
        }
    }
}

/// The listings that a command syncs into a table.
struct Run<'a> {
    operation: &'a Operation,
    listing: &'a Listing,
    table: Table,
    target: Target,
    service: &'a Service,
    listings: Vec<Values>,
    every: Option<Duration>,
    overlap: Option<Duration>,
    arguments: &'a ArgMatches,
}

async fn sync_listings(
    run: &Run<'_>,
    signals: &mut Signals,
    is_forced: bool,
) -> Result<(), Failure> {
    let Run { operation, listing, table, target, service, listings, every, overlap, arguments } =
        run;
    let follows = every.is_some();
    let asked = Asked {
        target: target.clone(),
        table: *table,
        service: service.name.clone(),
        client: service.client_id(),
        is_forced,
        listings: listings.iter().map(|values| key(listing, values)).collect(),
        is_endless: follows,
    };
    let opened = signals.or(Writer::open(asked)).await.flatten();
    let (writer, states) = opened.map_err(|failure| failure.of_sync(follows))?;
    let is_listed = |state: &State| state.continues_at.as_deref().is_some_and(Position::is_listed);
    let is_round = overlap.is_some() && !is_forced && states.iter().all(is_listed);
    let are_many = listings.len() > 1;
    let quiet = arguments.get_flag("quiet");
    let watched = stdout::shows_bars() && !quiet;
    let now = Utc::now();
    let jobs = listings.iter().zip(states).enumerate().map(|(at, (values, state))| {
        let name = are_many.then(|| command::name_of(operation, values));
        let line = (watched && follows).then(|| {
            let name = name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            Line::new(format!("{}{name}", table.name))
        });
        let sent = command::at(operation, values, now);
        let is_relative = sent != *values;
        let values = defaults::of_sync(operation, sent);
        let args = Args { client: &service.client, values, body: None };
        Job::new(at, args, state, is_forced, is_relative, name, line)
    });
    let begun = Instant::now();
    let requests = listing::requests(listing, arguments, None);
    let sync = Sync {
        listing,
        writer: &writer,
        progress: RefCell::new(Progress::new(watched && !follows, follows || !quiet, 0)),
        requests: if are_many { 1 } else { requests },
        overlap: *overlap,
        recheck: option(listing, arguments, "recheck").unwrap_or(RECHECK),
        is_endless: follows && !are_many,
        follows,
        is_measured: watched && overlap.is_none() && !are_many,
    };
    let work = async {
        let jobs = jobs.collect::<Result<Vec<_>, _>>()?;
        let says = !watched && !quiet;
        sync_all(&sync, jobs, if are_many { requests } else { 1 }, *every, says).await?;
        sync.progress.borrow().complete();
        Ok(())
    };
    let synced = tokio::select! {
        biased;
        signal = signals.next() => Err(Failure::Signal(signal)),
        () = writer.failed() => Ok(()),
        synced = work => synced,
    };
    sync.progress.borrow().clear();
    drop(sync);
    // Waits until the writer has written all batches. After a signal, this wait is limited.
    let closed = if let Err(Failure::Signal(_)) = synced {
        timeout(PATIENCE_OF_SIGNALS, writer.close()).await.unwrap_or(Ok((0, Written::default())))
    } else {
        signals.or(writer.close()).await.flatten()
    };
    let (records, Written { added, changed }) = ended(synced, closed, follows)?;
    if !quiet {
        let records = stdout::counted(records, "record");
        let records = if is_round { String::new() } else { format!("{records}, ") };
        let seconds = begun.elapsed().as_secs_f64();
        stdout::say(&format!(
            "{target}: {}: {records}{added} new, {changed} changed, in {seconds:.1} s",
            table.name
        ));
    }
    Ok(())
}

/// Combines the result of a sync with the result of its writer.
fn ended(
    synced: Result<(), Failure>,
    closed: Result<(u64, Written), Failure>,
    follows: bool,
) -> Result<(u64, Written), Failure> {
    match synced {
        Err(failure @ Failure::Signal(_)) => Err(failure.of_sync(follows)),
        // If the writer also failed, the writer's failure is the original cause, so it is returned
        // instead.
        Err(failure) => Err(closed.err().unwrap_or(failure)),
        Ok(()) => closed,
    }
}

/// Syncs the listings once, or repeatedly at the interval `every`. Up to `at_once` listings are
/// synced at the same time.
///
/// If one of several listings fails, the other listings continue, and the failed listing is retried
/// in the next round.
async fn sync_all(
    sync: &Sync<'_>,
    mut jobs: Vec<Job<'_>>,
    at_once: usize,
    every: Option<Duration>,
    says: bool,
) -> Result<(), Failure> {
    let all = jobs.len();
    let mut said = Instant::now();
    loop {
        let mut for_good = Vec::new();
        let began = tokio::time::Instant::now();
        let mut runs = futures_util::stream::iter(jobs)
            .map(|mut job| async {
                job.round = began.into();
                (sync.run(&mut job).await, job)
            })
            .buffer_unordered(at_once);
        let mut ran = Vec::new();
        while let Some((run, mut job)) = runs.next().await {
            job.failed = match (run, &job.name) {
                (Ok(()), _) => None,
                (Err(failure), None) => return Err(failure),
                (Err(failure), Some(name)) => {
                    let line = format!("{name}: {failure}");
                    if job.failed.as_ref() != Some(&line) {
                        stdout::say(&line);
                    }
                    if every.is_none() || !failure.may_pass() {
                        for_good.push(line.clone());
                    }
                    Some(line)
                }
            };
            ran.push(job);
        }
        drop(runs);
        jobs = ran;
        let Some(every) = every.filter(|_| for_good.len() < all) else {
            let Some(first) = for_good.first() else { return Ok(()) };
            return Err(Failure::other(format!(
                "{} of {all} listings failed: {first}",
                for_good.len()
            )));
        };
        if says && said.elapsed() >= SAID_AGAIN {
            let Written { added, changed } = sync.writer.counts.borrow().all();
            let how = match jobs.iter().filter(|job| job.failed.is_some()).count() {
                0 => "caught up".to_owned(),
                failed => format!("{failed} of {all} listings failed"),
            };
            stdout::say(&format!("{how}, {added} new, {changed} changed"));
            said = Instant::now();
        }
        match began.checked_add(every) {
            Some(next) => sleep_until(next).await,
            None => std::future::pending().await,
        }
    }
}

fn option(listing: &Listing, arguments: &ArgMatches, name: &str) -> Option<Duration> {
    if listing.windows { arguments.get_one::<Duration>(name).copied() } else { None }
}
