//! `digital-assets sync`: writes a listing into a database table, together with its checkpoint in
//! the same transaction, so that both stay consistent however the process ends.

mod column_type;
mod postgres;
mod sqlite;
mod store;
mod table;
pub(crate) mod target;
mod tls;
mod writer;

use std::{
    future::poll_fn,
    io::IsTerminal,
    mem,
    time::{Duration, Instant},
};

use clap::ArgMatches;
use digital_assets::Follow;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use self::{store::Batch, table::Table, target::Target, writer::Writer};
use crate::{
    command, defaults,
    failure::Failure,
    given::{Given, Values},
    listing,
    operation::{Listing, Operation},
    patience::Patience,
    progress::Progress,
    rows::{Row, Rows},
    service::Service,
    signal::Signals,
    stdout,
};

/// Records per transaction, unless a second passes first. Keys are random, so a small transaction
/// writes about one index page per record.
const BATCH: usize = 20_000;
const EVERY: Duration = Duration::from_secs(1);

/// How long the tool waits, after a signal, for a database that doesn't answer.
const PATIENCE_OF_SIGNALS: Duration = Duration::from_secs(5);

/// The progress of a sync, as stored in its database.
#[derive(Debug, Deserialize, Serialize)]
enum State {
    /// In the middle of a listing.
    Listing(Value),
    /// After the end of a listing. The next sync starts over, because records may have changed.
    Complete,
    /// Following it.
    Following(Value),
}

pub(crate) async fn run(arguments: &ArgMatches, tool: &ArgMatches) -> Result<(), Failure> {
    let Some((name, arguments)) = arguments.subcommand() else { return Ok(()) };
    let Some(operation) = command::operation(name) else { return Ok(()) };
    let Some(listing) = operation.listing() else { return Ok(()) };
    let Some(table) = Table::of(listing) else { return Ok(()) };
    let Some(to) = arguments.get_one::<String>("to") else { return Ok(()) };
    // Not by clap, which would print the value, and with it a password.
    let target: Target = to.parse().map_err(|reason| Failure::usage(format!("--to {reason}")))?;
    if arguments.get_flag("dry-run") {
        return stdout::print(&table.ddl(target.dialect()));
    }
    let service = Service::find(arguments, tool).await?;
    let values = command::values(operation, arguments, |name| service.setting(name))?;
    let quiet = arguments.get_flag("quiet");
    if !quiet {
        for line in command::unknown(operation, &values) {
            stdout::say(&line);
        }
    }
    let values = defaults::of_sync(operation, listing, values);
    let key = key(operation, &service.name, &values);
    let mut signals = Signals::new()?;
    let open = Writer::open(target.clone(), table, key, service.setting("PGPASSWORD"));
    let mut writer = tokio::select! {
        biased;
        status = signals.next() => return Err(Failure::Signal(status)),
        writer = open => writer?,
    };
    let given = Given { client: &service.client, values, body: None };
    let follow = follow(listing, arguments);
    let follows = follow.is_some();
    let watched = std::io::stderr().is_terminal() && !quiet;
    let mut progress = Progress::new(watched, follows || !quiet, 0);
    let begun = Instant::now();
    let synced = async {
        let state = writer.state().filter(|_| !arguments.get_flag("force"));
        let checkpoint = checkpoint(state, follows).map_err(|error| unreadable(&error))?;
        let resumes = checkpoint.is_some();
        let requests = listing::requests(listing, arguments, None);
        let mut rows = (listing.rows)(&given, requests, follow)?;
        if let Some(checkpoint) = checkpoint {
            rows = rows.resume(checkpoint).map_err(|error| unreadable(&error))?;
        }
        if watched && !follows {
            progress.measure(listing::extent(operation, &given).await);
        }
        let patience =
            if follows { Patience::endless(service.timeout) } else { Patience::default() };
        let copied = copy(&mut rows, follows, &mut writer, &mut progress, patience).await;
        copied.map_err(|failure| {
            if resumes && progress.records() == 0 && failure.refuses_checkpoint() {
                failure.in_words("it can't go on where the last sync stood, --force begins anew")
            } else {
                failure
            }
        })
    };
    let synced = tokio::select! {
        biased;
        status = signals.next() => Err(Failure::Signal(status)),
        synced = synced => synced,
    };
    progress.clear();
    // Unless a signal comes, everything handed to the writer reaches the database.
    let closed = if let Err(Failure::Signal(_)) = synced {
        timeout(PATIENCE_OF_SIGNALS, writer.close()).await.unwrap_or(Ok(0))
    } else {
        tokio::select! {
            biased;
            status = signals.next() => Err(Failure::Signal(status)),
            closed = writer.close() => closed,
        }
    };
    synced?;
    let records = closed?;
    if !quiet {
        let seconds = begun.elapsed().as_secs_f64();
        stdout::say(&format!("{target}: {records} records, in {seconds:.1} s"));
    }
    Ok(())
}

/// Where an earlier sync of this kind stood.
fn checkpoint(state: Option<&str>, follows: bool) -> serde_json::Result<Option<Value>> {
    let state = state.map(serde_json::from_str).transpose()?;
    Ok(match state {
        Some(State::Listing(checkpoint)) if !follows => Some(checkpoint),
        Some(State::Following(checkpoint)) if follows => Some(checkpoint),
        _ => None,
    })
}

fn unreadable(error: &serde_json::Error) -> Failure {
    Failure::other(format!("the table's state can't be read, --force begins anew: {error}"))
}

/// Hands the records to the writer in batches, each with the listing's checkpoint.
async fn copy(
    rows: &mut Box<dyn Rows>,
    follows: bool,
    writer: &mut Writer,
    progress: &mut Progress,
    mut patience: Patience,
) -> Result<(), Failure> {
    let mut batch: Vec<Box<dyn Row>> = Vec::new();
    let mut sent = Instant::now();
    loop {
        let left = EVERY.saturating_sub(sent.elapsed());
        if batch.len() >= BATCH || (left.is_zero() && !batch.is_empty()) {
            writer.write(take(&mut batch, &**rows, follows)?).await?;
            sent = Instant::now();
        }
        let left = if batch.is_empty() { Duration::MAX } else { left };
        let next = timeout(left.min(patience.left()), poll_fn(|cx| rows.poll_row(cx)));
        match writer.unless_it_fails(next).await? {
            Ok(Some(Ok(row))) => {
                if patience.succeeded() {
                    progress.goes_on();
                }
                progress.wrote(row.created_at());
                batch.push(row);
            }
            Ok(Some(Err(error))) => {
                // Before the wait, so that the rows are there meanwhile.
                writer.write(take(&mut batch, &**rows, follows)?).await?;
                let Some(wait) = patience.failed(&error) else { return Err(error.into()) };
                progress.waits(wait, &error);
                writer.unless_it_fails(sleep(wait)).await?;
            }
            Ok(None) => {
                let state = serde_json::to_string(&State::Complete)?;
                return writer.write(Batch { rows: batch, state }).await;
            }
            Err(_) => {
                if patience.left().is_zero() && patience.succeeded() {
                    progress.goes_on();
                }
            }
        }
    }
}

/// The rows so far, and the state of their listing.
fn take(
    batch: &mut Vec<Box<dyn Row>>,
    rows: &dyn Rows,
    follows: bool,
) -> serde_json::Result<Batch> {
    let checkpoint = rows.checkpoint()?;
    let state = if follows { State::Following(checkpoint) } else { State::Listing(checkpoint) };
    Ok(Batch { rows: mem::take(batch), state: serde_json::to_string(&state)? })
}

/// How to follow the listing, if `--every` asks for it and the listing allows it.
fn follow(listing: &Listing, arguments: &ArgMatches) -> Option<Follow> {
    if !listing.windows {
        return None;
    }
    let follow = Follow::every(*arguments.get_one::<Duration>("every")?);
    Some(match arguments.get_one::<Duration>("overlap") {
        Some(overlap) => follow.overlap(*overlap),
        None => follow,
    })
}

/// What a state belongs to: the service and the request, except for the page size.
fn key(operation: &Operation, service: &str, values: &Values) -> String {
    let mut filters = values.clone();
    if let Some(limit) = operation.limit() {
        filters.remove(limit.option);
    }
    serde_json::json!([service, filters]).to_string()
}
