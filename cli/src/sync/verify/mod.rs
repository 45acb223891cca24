//! `digital-assets verify`: reads a listing again, and compares each record with its row. Rows for
//! which the service has no record are reported as additional.

mod comparing;
mod condition;
mod found;
mod held;
mod subject;
mod synced;

use std::{future::poll_fn, mem, time::Instant};

use chrono::{SubsecRound, Utc};
use clap::ArgMatches;
use tokio::{task::spawn_blocking, time::sleep};

use self::{comparing::Comparing, found::Found, subject::Subject};
use super::{
    request::{self, key},
    table::Table,
    target::{self, Target},
};
use crate::{
    args::Args, command, defaults, failure::Failure, listing, progress::Progress,
    retry_policy::RetryPolicy, rows::Rows, service::Service, signal::Signals, stdout,
};

/// The target number of records to compare in one batch. A batch can be larger, because records
/// that were created in the same second are never split between two batches.
const BATCH: usize = 5_000;

pub(crate) async fn run(arguments: &ArgMatches, tool: &ArgMatches) -> Result<(), Failure> {
    let Some((name, arguments)) = arguments.subcommand() else { return Ok(()) };
    let Some(operation) = command::operation(name) else { return Ok(()) };
    let Some(listing) = operation.listing() else { return Ok(()) };
    let Some(table) = Table::of(listing) else { return Ok(()) };
    let target = target::named(arguments, "from")?;
    let service = Service::find(arguments, tool).await?;
    let target = target.with_settings(&service.settings)?;
    let values = command::values(operation, Some(arguments), &service.settings)?;
    request::check(listing, &values)?;
    let listings = command::each(operation, &values)?;
    let quiet = arguments.get_flag("quiet");
    let is_json = arguments.get_one::<String>("format").is_some_and(|format| format == "json");
    let requests = listing::requests(listing, arguments, None);
    let mut signals = Signals::new()?;
    let now = Utc::now();
    let mut found = Found { is_json, ..Found::default() };
    let verified = async {
        for values in listings {
            let asked = key(listing, &values);
            let mut values = command::at(operation, &values, now);
            let subject = Subject {
                table,
                asked,
                service: service.name.clone(),
                conditions: condition::all(operation, listing, &values)?,
                time: listing.time(),
            };
            // Records are read oldest first, as in a sync, even if the user requested another
            // order.
            if let Some(order) = &listing.order {
                values.remove(order.option);
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
    let Found { records, missing, additional, changed, younger, .. } = found;
    if !quiet {
        let records = stdout::counted(records, "record");
        let younger = match younger {
            0 => String::new(),
            _ => format!("; {younger} newer than the last round of the running sync"),
        };
        stdout::say(&format!(
            "{target}: compared {records} from the service: {missing} missing, {additional} \
             additional, {changed} different{younger}"
        ));
    }
    if differences == 0 {
        return Ok(());
    }
    let differences = stdout::counted(differences, "difference");
    Err(Failure::VerifyDiffers(format!("{} has {differences}", table.name)))
}

async fn verify(
    mut rows: Box<dyn Rows>,
    subject: Subject,
    target: Target,
    quiet: bool,
    found: &mut Found,
) -> Result<(), Failure> {
    let watched = stdout::shows_bars() && !quiet;
    let mut progress = Progress::new(watched, !quiet, 0);
    let mut comparing = spawn_blocking(move || Comparing::open(&target, subject)).await??;
    found.is_incomplete = comparing.synced.is_incomplete;
    let mut policy = RetryPolicy::default();
    let mut batch = Vec::new();
    // All records from the same second are compared in one batch. So if the service lists a record
    // twice with different content, the record is compared only once.
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
                    // Yields to the runtime, so that a signal is noticed even while records arrive
                    // quickly.
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
    found.younger += comparing.step(Comparing::end, found).await?.younger;
    Ok(())
}
