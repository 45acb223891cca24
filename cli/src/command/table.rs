//! The commands that are about a table in a database.

use std::time::Duration;

use clap::{Arg, Command, builder::PossibleValuesParser};

use super::{
    help,
    option::{concurrency, connection, duration, flag, option},
    parameter, value,
};
use crate::{
    args::Values,
    defaults,
    generated::OPERATIONS,
    operation::{Listing, Operation},
};

/// Every listing without a body whose records have a key, once more, as what fills a table.
pub(super) fn sync() -> Command {
    let listings = listings("sync", "to", |operation, listing, command, example| {
        command
            .about(format!("{} into the table {}", operation.summary, listing.table))
            .after_long_help(format!("{}\n\n{example}", help::columns(listing)))
            .args(of_sync(listing))
    });
    listings
        .about("Keep a table in SQLite or Postgres in step with a listing")
        .after_long_help(help::whole_examples(help::SYNC))
}

/// The same listings, as what their tables are compared with.
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

/// A command with one for each listing that fills a table, which `of` completes. `database` is the
/// option that names the table's.
fn listings(
    name: &'static str,
    database: &str,
    of: fn(&Operation, &Listing, Command, String) -> Command,
) -> Command {
    let listings = OPERATIONS.iter().filter(|operation| operation.body.is_none());
    let listings = listings.filter_map(|operation| {
        let listing = operation.listing()?;
        listing.key()?;
        let defaults = defaults::of_sync(operation, Values::new());
        let command = Command::new(operation.command)
            .override_usage(help::usage_of(operation, name, database))
            .args(parameter::arguments(operation, &defaults, true));
        let example = help::example_of(operation, name, database);
        Some(of(operation, listing, command, example).args(connection()))
    });
    Command::new(name).subcommand_required(true).arg_required_else_help(true).subcommands(listings)
}

fn of_verify(listing: &Listing) -> Vec<Arg> {
    let mut arguments = vec![
        database("from").required(true),
        text_or_json(),
        flag("quiet", "Print no progress and no summary"),
        rate(),
    ];
    if listing.windows {
        arguments.push(concurrency("Requests at once, 4 by default"));
    }
    arguments.into_iter().map(|argument| argument.help_heading("Table")).collect()
}

pub(super) fn status() -> Command {
    Command::new("status")
        .about("Say what a database holds: rows, newest record, last success, what is running")
        .after_help(help::whole_examples(help::STATUS))
        .arg(database("of").required(true))
        .arg(text_or_json())
        .arg(
            option("max-age", "TIME")
                .value_parser(duration)
                .help("End with status 1 if the last success of a listing is older, as in 10m"),
        )
        .arg(
            option("forget", "LISTING")
                .conflicts_with("max-age")
                .help("Forget a listing that is no longer synced, by its name as status prints it; its rows stay"),
        )
        .args(connection().into_iter().filter(|argument| argument.get_id() == "env-file"))
}

fn database(name: &'static str) -> Arg {
    option(name, "DATABASE")
        .help("sqlite:FILE, or postgres://USER@HOST/NAME with its password in PGPASSWORD")
}

fn text_or_json() -> Arg {
    option("format", "FORMAT")
        .value_parser(PossibleValuesParser::new(["text", "json"]))
        .help("Format of what is printed; text by default")
}

fn rate() -> Arg {
    option("rate", "N").value_parser(value::rate).help("Send at most N requests a second")
}

fn of_sync(listing: &Listing) -> Vec<Arg> {
    let mut arguments = vec![
        database("to").required(true),
        flag(
            "force",
            "Begin anew instead of where the last sync stood; rows stay, and are replaced",
        ),
        flag("dry-run", "Print the SQL that makes the tables, and do nothing"),
        flag("quiet", "Print no progress and no summary"),
    ];
    if listing.windows {
        arguments.push(concurrency(
            "Requests at once, 4 by default. The records and their order stay the same",
        ));
        let time = |name: &'static str| option(name, "TIME").value_parser(duration);
        arguments.push(
            time("every")
                .help("Keep running: ask this often, as in 10s, for new and changed records"),
        );
        arguments.push(time("overlap").help(
            "How far back to look again, as in 1h, for records that arrive late or change; 5m by default with --every. Without it, do one round: bring what is new, late or changed since the last sync",
        ));
    }
    arguments.push(rate());
    if listing.windows {
        arguments.push(
            option("recheck", "TIME|off").value_parser(recheck).help(
                "How often to ask again for records in a state that they will leave, however old, as in 10m; 1m by default, with --every or --overlap",
            ),
        );
    }
    arguments.into_iter().map(|argument| argument.help_heading("Table")).collect()
}

/// How often open records are asked for again; `Duration::MAX` is never.
fn recheck(text: &str) -> Result<Duration, String> {
    if text == "off" { Ok(Duration::MAX) } else { duration(text) }
}
