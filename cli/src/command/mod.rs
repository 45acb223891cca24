//! The command line, built from the table of operations.

mod help;
pub(crate) use help::printed;
mod option;
mod parameter;
pub(crate) use parameter::{at, each, name_of, unknown, values};
mod required;
pub(crate) use required::settings;
mod table;
pub(crate) use table::{of_all, synced};
mod value;

use clap::{Arg, ArgAction, Command, builder::PossibleValuesParser, value_parser};

use self::option::{concurrency, connection, duration, flag, option};
use crate::{
    args::Values,
    defaults,
    format::Format,
    generated::{OPERATIONS, VERSION},
    operation::{Listing, Operation},
    words::NAME,
};

/// The command line of the tool, with all its commands.
pub(crate) fn tool() -> Command {
    Command::new(NAME)
        .version(concat!(env!("CARGO_PKG_VERSION")))
        .about(help::about_tool())
        .long_version(format!(
            "{}, built from version {VERSION} of the OpenAPI description",
            env!("CARGO_PKG_VERSION")
        ))
        .after_long_help(help::whole_examples(help::SETTINGS))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(connection())
        .subcommands(OPERATIONS.iter().map(of_operation))
        .subcommand(table::sync())
        .subcommand(table::verify())
        .subcommand(table::status())
        .subcommand(
            Command::new("check")
                .about("Test the settings: check the endpoint, the clock and the tokens, and read one record from each listing")
                .after_help(help::whole_examples("Example:\n  digital-assets check --sandbox"))
                .args(connection()),
        )
        .subcommand(sandbox())
        .subcommand(
            Command::new("description")
                .about("Print the OpenAPI description that this tool was built from")
                .arg(flag("json", "Print JSON instead of YAML")),
        )
        .subcommand(
            Command::new("man")
                .about("Print the manual page of the tool, or of one of its commands")
                .after_help(help::whole_examples("Example:\n  digital-assets man list-deposit-addresses | man -l -"))
                .arg(Arg::new("command").value_name("COMMAND").num_args(0..=2).help("A command, for example list-deposit-addresses or sync list-deposit-addresses")),
        )
        .subcommand(
            Command::new("completions")
                .about("Print shell completions")
                .after_help(help::whole_examples("Example:\n  digital-assets completions bash > ~/.local/share/bash-completion/completions/digital-assets"))
                .arg(
                    Arg::new("shell")
                        .value_name("SHELL")
                        .required(true)
                        .value_parser(value_parser!(clap_complete::Shell)),
                ),
        )
}

fn of_operation(operation: &'static Operation) -> Command {
    let defaults = match operation.listing() {
        Some(_) => defaults::of_listing(operation, Values::new(), None),
        None => Values::new(),
    };
    let mut command = Command::new(operation.command)
        .about(help::about(operation))
        .long_about(help::long_about(operation))
        .after_long_help(help::after(operation))
        .override_usage(help::usage(operation))
        .args(parameter::arguments(operation, &defaults, false));
    if let Some(body) = &operation.body {
        let argument = option("body", "JSON|@FILE|-");
        command = command.arg(
            argument.required(body.required).help("The request body: JSON, @FILE, or - for stdin"),
        );
        command =
            command.arg(flag("dry-run", "Check the body and print the request without sending it"));
    }
    if let Some(listing) = operation.listing() {
        command = command.args(of_listing(listing));
    }
    command.args(connection())
}

fn of_listing(listing: &'static Listing) -> Vec<Arg> {
    let columns: Vec<&str> = listing.columns.iter().map(|column| column.name).collect();
    let size = listing.size.map(|size| format!("; --{size} is only the page size"));
    let size = size.unwrap_or_default();
    let mut arguments = vec![
        option("format", "FORMAT")
            .value_parser(PossibleValuesParser::new(Format::NAMED.map(|(name, _)| name)))
            .help("Format of the records [default: depends on FILE's extension; without FILE, a table on a terminal, otherwise jsonl]"),
        option("columns", "NAMES")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(columns))
            .help("Write only these fields, in this order; separate them with commas"),
        option("output", "FILE")
            .short('o')
            .value_parser(value_parser!(std::path::PathBuf))
            .help("Write to FILE (- means stdout). FILE appears only when it is complete; until then, the records are in FILE.part"),
        flag("resume", "Continue writing FILE after an interruption, or start a new file")
            .requires("output"),
        flag("force", "Start over, replacing FILE if it exists")
            .requires("output")
            .conflicts_with("resume"),
        option("max", "N")
            .value_parser(value_parser!(u64).range(1..))
            .help(format!("Stop after N records{size}")),
        flag("safe-cells", "In csv, put a ' before text that a spreadsheet would run as a formula"),
        option("decimals", "SCALE")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("")
            .value_parser(value::decimals)
            .help("With parquet, write amounts as 38-digit decimals with SCALE decimal places (default: as many as the records need); an amount that doesn't fit is an error. Without --decimals, amounts are strings"),
        flag("quiet", "Don't print progress or a summary"),
    ];
    if listing.windows {
        arguments.push(concurrency("Maximum number of concurrent requests; 4 by default, 1 with --max. Doesn't affect the records or their order"));
    }
    arguments.into_iter().map(|argument| argument.help_heading("Output")).collect()
}

/// The maximum number of records of each kind in a sandbox. The limit exists because the sandbox
/// counts the matching records whenever a listing starts.
const MOST_RECORDS: u64 = 100_000_000;

fn sandbox() -> Command {
    let number = |name: &'static str, help: &'static str| {
        option(name, "N").value_parser(value_parser!(u64)).help(help)
    };
    let count = |name: &'static str, help: &'static str| {
        number(name, help).value_parser(value_parser!(u64).range(..=MOST_RECORDS))
    };
    let time = |name: &'static str, help: &'static str| {
        option(name, "TIME").value_parser(duration).help(help)
    };
    Command::new("sandbox")
        .about("Serve the sandbox on 127.0.0.1 until Ctrl-C, and print the environment variables for its clients")
        .after_help(help::whole_examples(help::SANDBOX))
        .arg(
            option("port", "N")
                .value_parser(value_parser!(u16))
                .help("The port; any free port by default"),
        )
        .arg(count("executions", "The number of quote executions; 5000 by default"))
        .arg(count(
            "profiles",
            "The number of profiles that the executions belong to; 1 by default",
        ))
        .arg(count("monitoring-addresses", "The number of monitoring addresses; 400 by default"))
        .arg(count("deposit-addresses", "The number of deposit addresses; 800 by default"))
        .arg(number(
            "seed",
            "The seed for generating records; 1 by default. The same seed generates the same records",
        ))
        .arg(flag(
            "now",
            "Date the records back from the current time instead of 2026-01-01T00:00:00Z",
        ))
        .arg(time("latency", "The minimum response time, for example 20ms"))
        .arg(time("token-lifetime", "The lifetime of a token; 1h by default"))
        .arg(
            option("chaos", "SHARE")
                .value_parser(value::share)
                .help("The share of responses that fail, from 0 to 1; 0 by default"),
        )
}

/// The operation that a command calls. `None` for a command that isn't generated from an operation,
/// such as `sync`.
pub(crate) fn operation(command: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.command == command)
}

/// The options of an operation's parameters with this name.
pub(crate) fn options_of(called: digital_assets::Operation, name: &str) -> Vec<&'static str> {
    let is_called = |it: &&Operation| it.path == called.path() && called.method() == it.method;
    let parameters = OPERATIONS.iter().find(is_called).map_or(&[][..], |it| it.parameters);
    parameters.iter().filter(|it| it.name == name).map(|it| it.option).collect()
}
