//! The commands that work on tables in a database: `sync`, `verify` and `status`.

use std::{ffi::OsString, time::Duration};

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser, parser::ValueSource};

use super::{
    help,
    option::{concurrency, connection, duration, flag, option},
    parameter, value,
};
use crate::{
    args::Values,
    defaults,
    failure::Failure,
    generated::OPERATIONS,
    operation::{Listing, Operation},
};

/// The command `sync`, with a subcommand for every listing that can be stored in a table.
pub(super) fn sync() -> Command {
    let listings = listings("sync", "to", |operation, listing, command, example| {
        command
            .about(format!(
                "{}, and store the records in the table {}",
                operation.summary, listing.table
            ))
            .after_long_help(format!("{}\n\n{example}", help::columns(listing)))
            .args(of_sync(listing))
    });
    listings
        .about("Keep a table in SQLite or Postgres up to date with a listing")
        .after_long_help(help::whole_examples(help::SYNC))
        .subcommand_required(false)
        .args_conflicts_with_subcommands(true)
        .arg(
            flag("all", "Sync every listing for which the settings contain all required options")
                .help_heading("Table")
                .requires("to"),
        )
        .args(of_all_listings())
        .args(connection())
}

/// The options that can be combined with `--all`. They apply to every listing.
fn of_all_listings() -> Vec<Arg> {
    let mut arguments = of_table();
    arguments.extend(of_windows());
    let arguments = arguments.into_iter().map(|argument| argument.required(false).requires("all"));
    arguments.map(|argument| argument.help_heading("Table")).collect()
}

/// All listings that can be stored in a table, with their operations. A listing can be stored if
/// its records have a key and its operation takes no request body.
pub(crate) fn synced() -> impl Iterator<Item = (&'static Operation, &'static Listing)> {
    let operations = OPERATIONS.iter().filter(|operation| operation.body.is_none());
    let listings = operations.filter_map(|operation| Some((operation, operation.listing()?)));
    listings.filter(|(_, listing)| listing.key().is_some())
}

/// Converts the arguments of `sync --all` to the arguments of `sync` for one listing.
///
/// # Errors
///
/// If the arguments are invalid.
pub(crate) fn of_all(
    operation: &'static Operation,
    listing: &Listing,
    all: &ArgMatches,
) -> Result<ArgMatches, Failure> {
    let mut command = Command::new(operation.command)
        .args(parameter::arguments(operation, &Values::new(), true))
        .args(of_sync(listing))
        .args(connection());
    command.build();
    let mut line = vec![OsString::from(operation.command)];
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let is_given = matches!(all.try_contains_id(id), Ok(true))
            && all.value_source(id) == Some(ValueSource::CommandLine);
        if !is_given {
            continue;
        }
        let takes_value = argument.get_action().takes_values();
        for value in all.get_raw(id).into_iter().flatten() {
            let mut word = OsString::from(format!("--{id}"));
            if takes_value {
                word.push("=");
                word.push(value);
            }
            line.push(word);
        }
    }
    let matches = command.try_get_matches_from(line);
    matches.map_err(|error| Failure::usage(error.to_string()))
}

/// The command `verify`, with a subcommand for every listing that can be stored in a table.
pub(super) fn verify() -> Command {
    let listings = listings("verify", "from", |_, listing, command, example| {
        command
            .about(format!("Compare the table {} with the service", listing.table))
            .after_long_help(example)
            .args(of_verify(listing))
    });
    listings
        .about("Read a listing again, and compare it with its table in SQLite or Postgres")
        .after_long_help(help::whole_examples(help::VERIFY))
}

/// Creates a command with a subcommand for each listing that can be stored in a table. `database`
/// is the name of the option for the database.
///
/// The function `of` adds the help text and the specific options to each subcommand.
fn listings(
    name: &'static str,
    database: &str,
    of: fn(&Operation, &Listing, Command, String) -> Command,
) -> Command {
    let listings = synced().map(|(operation, listing)| {
        let defaults = defaults::of_sync(operation, Values::new());
        let command = Command::new(operation.command)
            .override_usage(help::usage_of(operation, name, database))
            .args(parameter::arguments(operation, &defaults, true));
        let example = help::example_of(operation, name, database);
        of(operation, listing, command, example).args(connection())
    });
    Command::new(name).subcommand_required(true).arg_required_else_help(true).subcommands(listings)
}

fn of_verify(listing: &Listing) -> Vec<Arg> {
    let mut arguments = vec![
        database("from").required(true),
        text_or_json(),
        flag("quiet", "Don't print progress or a summary"),
        rate(),
    ];
    if listing.windows {
        arguments.push(concurrency("Maximum number of concurrent requests; 4 by default"));
    }
    arguments.into_iter().map(|argument| argument.help_heading("Table")).collect()
}

pub(super) fn status() -> Command {
    Command::new("status")
        .about("Show the listings in a database: rows, newest record, last success, running syncs")
        .after_help(help::whole_examples(help::STATUS))
        .arg(database("of").required(true))
        .arg(text_or_json())
        .arg(
            option("max-age", "TIME")
                .value_parser(duration)
                .help("Exit with status 1 if the last successful sync of any listing is older than TIME, for example 10m"),
        )
        .arg(
            option("forget", "LISTING")
                .conflicts_with("max-age")
                .help("Forget a listing that is no longer synced. LISTING is its name as shown by status. Its rows stay in the table"),
        )
        .args(connection().into_iter().filter(|argument| {
            ["env-file", "profile"].contains(&argument.get_id().as_str())
        }))
}

fn database(name: &'static str) -> Arg {
    option(name, "DATABASE")
        .help("sqlite:FILE, or postgres://USER@HOST/NAME with the password in PGPASSWORD")
}

fn text_or_json() -> Arg {
    option("format", "FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json"]))
        .help("Output format; text by default")
}

fn rate() -> Arg {
    option("rate", "N").value_parser(value::rate).help("Send at most N requests per second")
}

fn of_sync(listing: &Listing) -> Vec<Arg> {
    let mut arguments = of_table();
    if listing.windows {
        arguments.extend(of_windows());
    }
    arguments.into_iter().map(|argument| argument.help_heading("Table")).collect()
}

fn of_table() -> Vec<Arg> {
    vec![
        database("to").required(true),
        flag(
            "force",
            "Start over instead of continuing where the last sync stopped, even if another client ran that sync. The rows stay until they are replaced",
        ),
        flag("dry-run", "Print the SQL that creates the tables, and do nothing else"),
        flag("quiet", "Don't print progress or a summary"),
        rate(),
    ]
}

/// The additional options for syncing a listing that can be split into time windows.
fn of_windows() -> Vec<Arg> {
    let time = |name: &'static str| option(name, "TIME").value_parser(duration);
    vec![
        concurrency("Maximum number of concurrent requests; 4 by default. Doesn't affect the records or their order"),
        time("every")
            .help("Keep running and poll for new and changed records at this interval, for example 10s"),
        time("overlap").help(
            "How far back to look for records that arrived late or changed, for example 1h; 5m by default with --every. Without --every, sync once: read only the records that are new, late or changed since the last sync",
        ),
        option("recheck", "TIME|off").value_parser(recheck).help(
            "How often to recheck unfinished records (such as unsettled executions), however old, for example 10m or off; default 1m. Only with --every or --overlap",
        ),
    ]
}

/// Parses the interval between two rechecks of open records. Returns `Duration::MAX` for `off`.
fn recheck(text: &str) -> Result<Duration, String> {
    if text == "off" { Ok(Duration::MAX) } else { duration(text) }
}
