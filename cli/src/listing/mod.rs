//! Copies a listing from the service to its output.

mod export;

use std::{
    future::poll_fn,
    io::IsTerminal,
    path::PathBuf,
    time::{Duration, Instant},
};

use chrono::Utc;
use clap::ArgMatches;
use serde_json::Value;

use self::export::Export;
use crate::{
    args::{Args, Values},
    columns::Columns,
    command, defaults,
    failure::Failure,
    format::{Decimals, Encode, Format, Shape},
    operation::{Listing, Operation},
    output::Output,
    progress::{Extent, Progress},
    service::Service,
    signal::Signals,
    stdout,
};

/// If the user chooses a page size below this value, the tool may print a note that the page size
/// doesn't limit the number of records.
const FEW: u64 = 50;

pub(crate) async fn run(
    operation: &Operation,
    listing: &Listing,
    service: &Service,
    values: Values,
    body: Option<String>,
    arguments: &ArgMatches,
) -> Result<(), Failure> {
    // As in many other tools, - means stdout.
    let path = arguments.get_one::<PathBuf>("output").filter(|path| path.as_os_str() != "-");
    if path.is_none() && (arguments.get_flag("resume") || arguments.get_flag("force")) {
        return Err(Failure::usage("--resume and --force need a file; name one with --output"));
    }
    let shape = shape(listing, arguments, path.map(PathBuf::as_path))?;
    check(&shape, path.is_some())?;
    let quiet = arguments.get_flag("quiet");
    let max = arguments.get_one::<u64>("max").copied();
    if !quiet {
        for line in command::unknown(operation, &values) {
            stdout::say(&line);
        }
        if let Some(line) = small_pages(listing, &values, max) {
            stdout::say(&line);
        }
    }
    // A listing that is continued has the time bounds with which it was started.
    let begun_at =
        path.filter(|_| arguments.get_flag("resume")).and_then(|it| Output::begun_at(it));
    let begun_at = begun_at.unwrap_or_else(Utc::now);
    let values = command::at(operation, &values, begun_at);
    let values = defaults::of_listing(operation, values, max);
    let requests = requests(listing, arguments, max);
    let args = Args { client: &service.client, values, body };
    let mut rows = (listing.rows)(&args, requests, None)?;

    let mut signals = Signals::new()?;
    let beginning = rows.checkpoint()?;
    let opened = Output::open(arguments, path, &service.name, &shape.form(), &beginning, begun_at)?;
    let Some(output) = opened else {
        stdout::say(
            "the file already exists, but the filters that it was written with are unknown; \
             use --force to start over",
        );
        return Ok(());
    };
    let before = output.state.records;
    if let Some(max) = max.filter(|&max| max < before) {
        let message = format!("the file already has {before} records, more than --max {max}");
        return Err(Failure::usage(message));
    }
    // The partial file of a Parquet file contains lines of JSON. The Parquet file is written once
    // these lines are complete.
    let last_step = || {
        let is_made = path.is_some() && shape.format == Format::Parquet;
        is_made.then(|| shape.clone().encoder(0))
    };
    if output.state.finished {
        let end = output.state.checkpoint.clone();
        return complete(output, end, last_step(), &mut signals).await;
    }
    let resumes = output.state.checkpoint.is_some();
    if let Some(checkpoint) = output.state.checkpoint.clone() {
        rows = rows.resume(checkpoint).map_err(|error| output.unreadable(&error))?;
    }
    let watched = stdout::shows_bars() && !quiet && (path.is_some() || stdout::is_a_file());
    let encoder =
        if path.is_some() { shape.partial_encoder(before) } else { shape.clone().encoder(0) };
    let mut export = Export {
        rows,
        output,
        encoder,
        buffer: Vec::new(),
        progress: Progress::new(watched, !quiet, before),
        max,
        is_refused: false,
    };
    let begun = Instant::now();
    let exported = signals.or(export.run(|| extent(listing, &args))).await.flatten();
    if exported.is_ok() {
        export.progress.complete();
    }
    export.progress.clear();
    let records = export.output.state.records;
    match exported {
        Ok(()) => {
            let end = (!export.is_full()).then(|| export.rows.checkpoint()).transpose()?;
            complete(export.output, end, last_step(), &mut signals).await?;
            if !quiet {
                summarise(path, records, before, begun.elapsed());
            }
            Ok(())
        }
        Err(failure) => {
            let is_refused = resumes && records == before && failure.refuses_checkpoint();
            let is_whole = export.encoder.is_resumable() && !export.is_refused;
            let rest =
                if is_whole { Some((export.buffer, export.rows.checkpoint()?)) } else { None };
            Err(export.output.stopped(failure, rest, is_refused).await)
        }
    }
}

/// Completes a file on a separate thread, so that a large file doesn't delay the response to a
/// signal.
async fn complete(
    output: Output,
    end: Option<Value>,
    encoder: Option<Box<dyn Encode>>,
    signals: &mut Signals,
) -> Result<(), Failure> {
    let completed = tokio::task::spawn_blocking(move || output.complete(end, encoder));
    let completed = signals.or(completed).await;
    completed
        .inspect_err(|_| stdout::say("the file is not complete; use --resume to continue"))??
}

fn summarise(path: Option<&PathBuf>, records: u64, before: u64, time: Duration) {
    let place = path.map(|path| format!("{}: ", path.display())).unwrap_or_default();
    let before =
        if before > 0 { format!(", {before} of them from earlier runs") } else { String::new() };
    let records = stdout::counted(records, "record");
    stdout::say(&format!("{place}{records}{before}, in {:.1} s", time.as_secs_f64()));
}

/// A note that the page size doesn't limit the number of records. `None` unless the user has chosen
/// a small page size without `--max`.
fn small_pages(listing: &Listing, values: &Values, max: Option<u64>) -> Option<String> {
    let option = listing.size?;
    let size = values.get(option)?.first()?;
    let is_small = max.is_none() && size.parse().is_ok_and(|size: u64| size < FEW);
    is_small.then(|| {
        format!(
            "--{option} {size} is only the page size, so all records are listed; use \
             --max {size} to limit the number of records"
        )
    })
}

fn shape(
    listing: &Listing,
    arguments: &ArgMatches,
    path: Option<&std::path::Path>,
) -> Result<Shape, Failure> {
    let format = arguments.get_one::<String>("format").and_then(|name| Format::named(name));
    let format = format.or_else(|| Format::of(path)).ok_or_else(|| {
        let names = Format::NAMED.iter().filter(|(_, format)| *format != Format::Table);
        let names = names.map(|(name, _)| format!(".{name}")).collect::<Vec<_>>().join(", ");
        Failure::usage(format!(
            "can't determine the format from FILE's extension; use one of {names}, or --format"
        ))
    })?;
    let chosen = arguments.get_many::<String>("columns");
    let columns = match &chosen {
        Some(names) => Columns::named(listing.columns, names.clone()),
        None => Columns::all(listing.columns),
    };
    let terminal = console::Term::stdout();
    let width = terminal.is_term().then(|| terminal.size().1);
    Ok(Shape {
        format,
        columns,
        chosen: chosen.is_some(),
        safe_cells: arguments.get_flag("safe-cells"),
        decimals: arguments.get_one::<Decimals>("decimals").copied(),
        width: width.filter(|_| path.is_none()),
    })
}

/// Checks the options for the output.
///
/// # Errors
///
/// If an option doesn't fit the format or the output, or if a column is repeated.
fn check(shape: &Shape, is_file: bool) -> Result<(), Failure> {
    if let Some(name) = shape.repeated() {
        return Err(Failure::usage(format!("--columns contains {name} more than once")));
    }
    if shape.format == Format::Parquet && !is_file && std::io::stdout().is_terminal() {
        return Err(Failure::usage(
            "parquet can't be printed on a terminal; name a file with --output",
        ));
    }
    if shape.decimals.is_some() && shape.format != Format::Parquet {
        return Err(Failure::usage("--decimals needs --format parquet"));
    }
    if shape.safe_cells && shape.format != Format::Csv {
        return Err(Failure::usage("--safe-cells needs --format csv"));
    }
    if shape.decimals == Some(Decimals::Found) && !is_file {
        return Err(Failure::usage(
            "--decimals without a SCALE has to read all records first; name a file with --output, \
             or give a SCALE",
        ));
    }
    Ok(())
}

pub(crate) fn requests(listing: &Listing, arguments: &ArgMatches, max: Option<u64>) -> usize {
    if !listing.windows {
        return 1;
    }
    let asked = arguments.get_one::<u64>("concurrency").copied();
    let requests = asked.unwrap_or_else(|| if max.is_some() { 1 } else { 4 });
    usize::try_from(requests).unwrap_or(usize::MAX)
}

/// Requests the oldest and the newest record of a listing, and returns their creation times.
/// Returns `None` if the listing's order can't be chosen, if a request fails, or if there are no
/// records.
pub(crate) async fn extent(listing: &Listing, args: &Args<'_>) -> Option<Extent> {
    let mut ends = Vec::new();
    let order = listing.order.as_ref()?;
    for word in [order.ascending, order.descending] {
        let mut args = args.clone();
        args.values.insert(order.option, vec![word.to_owned()]);
        if let Some(size) = listing.size {
            args.values.insert(size, vec!["1".to_owned()]);
        }
        let mut rows = (listing.rows)(&args, 1, None).ok()?;
        ends.push(poll_fn(|cx| rows.poll_row(cx)).await?.ok()?.created_at()?);
    }
    Some(Extent { first: ends[0], last: ends[1] })
}
