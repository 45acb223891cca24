//! `digital-assets sync`: writes a listing into a database table, together with its checkpoint in
//! the same transaction, so that both stay consistent however the process ends.

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
    time::{Duration, Instant},
};

use clap::ArgMatches;
use digital_assets::Follow;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::{table::Table, target::Target, writer::Writer};
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
    let Some(target) = arguments.get_one::<Target>("to") else { return Ok(()) };
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
    let state: Option<State> = writer.state()?;

    let given = Given { client: &service.client, values, body: None };
    let follow = follow(listing, arguments);
    let (follows, requests) = (follow.is_some(), listing::requests(listing, arguments, None));
    let mut rows = (listing.rows)(&given, requests, follow)?;
    match state {
        Some(State::Listing(checkpoint)) if !follows => rows = rows.resume(checkpoint)?,
        Some(State::Following(checkpoint)) if follows => rows = rows.resume(checkpoint)?,
        _ => {}
    }
    let watched = std::io::stderr().is_terminal() && !quiet;
    let mut progress = Progress::new(watched, 0);
    if watched && !follows {
        progress.measure(listing::extent(operation, &given).await);
    }
    let begun = Instant::now();
    let copied = tokio::select! {
        biased;
        status = signals.next() => Err(Failure::Signal(status)),
        copied = copy(&mut rows, follows, &mut writer, &mut progress) => copied,
    };
    progress.clear();
    // Everything handed to the writer reaches the database before this returns.
    let closed = match copied {
        Err(Failure::Signal(_)) => {
            tokio::time::timeout(PATIENCE_OF_SIGNALS, writer.close()).await.unwrap_or(Ok(0))
        }
        _ => writer.close().await,
    };
    copied?;
    let records = closed?;
    if !quiet {
        let seconds = begun.elapsed().as_secs_f64();
        stdout::say(&format!("{target}: {records} records, in {seconds:.1} s"));
    }
    Ok(())
}

/// Hands the records to the writer in batches, each with the listing's checkpoint.
async fn copy(
    rows: &mut Box<dyn Rows>,
    follows: bool,
    writer: &mut Writer,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut patience = if follows { Patience::endless() } else { Patience::default() };
    let mut batch: Vec<Box<dyn Row>> = Vec::new();
    let mut sent = Instant::now();
    loop {
        let left = EVERY.saturating_sub(sent.elapsed());
        let is_due = batch.len() >= BATCH || (left.is_zero() && !batch.is_empty());
        if is_due {
            writer.write(std::mem::take(&mut batch), state(&**rows, follows)?).await?;
            sent = Instant::now();
        }
        let next = poll_fn(|cx| rows.poll_row(cx));
        let next = if batch.is_empty() {
            next.await
        } else {
            match tokio::time::timeout(left, next).await {
                Ok(next) => next,
                Err(_) => continue,
            }
        };
        match next {
            Some(Ok(row)) => {
                patience.succeeded();
                progress.wrote(row.created_at());
                batch.push(row);
            }
            Some(Err(error)) => {
                let Some(wait) = patience.failed(&error) else {
                    writer.write(batch, state(&**rows, follows)?).await?;
                    return Err(error.into());
                };
                progress.waits(wait, &error);
                tokio::time::sleep(wait).await;
            }
            None => return writer.write(batch, serde_json::to_string(&State::Complete)?).await,
        }
    }
}

fn state(rows: &dyn Rows, follows: bool) -> Result<String, Failure> {
    let checkpoint = rows.checkpoint()?;
    let state = if follows { State::Following(checkpoint) } else { State::Listing(checkpoint) };
    Ok(serde_json::to_string(&state)?)
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
