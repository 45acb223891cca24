//! The `--help` texts, most of which are generated from the OpenAPI description.

use std::fmt::Write as _;

use super::{
    required::{is_of_each, setting},
    value::{is_split, side_of_day},
};
use crate::{
    args::Values,
    generated::ABOUT,
    operation::{Kind, Listing, Operation, Parameter},
    words::NAME,
};

pub(super) const SETTINGS: &str = "\
Settings, from the environment or --env-file; secrets are never arguments:
  DIGITAL_ASSETS_BASE_URL       the address of the service
  DIGITAL_ASSETS_AUTH_URL       the address of the token endpoint
  DIGITAL_ASSETS_CLIENT_ID      the OAuth client ID
  DIGITAL_ASSETS_CLIENT_SECRET  the secret of that client
  DIGITAL_ASSETS_AUTH_STYLE     how the client ID and secret are sent: body (the default) or basic
  DIGITAL_ASSETS_PRIVATE_KEY_FILE, _KEY_ID  a private key in PEM instead of the secret (RFC 7523)
  DIGITAL_ASSETS_SCOPES         the scopes of every token, instead of each operation's own
  DIGITAL_ASSETS_TOKEN          a bearer token, instead of the client's settings above
  DIGITAL_ASSETS_<OPTION>       a required option of a command that only reads (GET)

Exit status:
  0    complete
  1    failed; an incomplete file keeps the name FILE.part
  2    the command line is invalid, or a value is out of bounds
  3    a request that changes something may have been applied
  4    verify found differences
  130  interrupted (Ctrl-C)
  143  terminated

Examples:
  digital-assets sandbox
  digital-assets sync --help";

pub(super) const SANDBOX: &str = "\
Example:
  rm -f sandbox.env; digital-assets sandbox --executions 1000 > sandbox.env &
  until [ -s sandbox.env ]; do sleep 0.1; done
  digital-assets list-deposit-addresses --env-file sandbox.env --max 5
  kill $!";

pub(super) const SYNC: &str = "\
A sync without --overlap or --every reads the whole listing, and the next one does so again, because records may have changed. An interrupted sync continues where it stopped.

With --overlap 1h, a sync makes one round, for cron. The round starts an hour before the point that the last sync reached, and reads the records that are new, late or changed. With --every 10s, it keeps running and makes a round every 10 seconds. Rounds also recheck unfinished records, such as unsettled executions, however old they are (--recheck). Each kind of sync continues where any other stopped.

Each transaction reads back the rows that it wrote, and saves the position in the listing with them. A sync stops if the table changes or loses rows. Decimals are exact: TEXT in SQLite, NUMERIC in Postgres.

With --all instead of a listing, the tool syncs every listing for which the settings contain all required options.

Examples:
  digital-assets sync list-quote-executions --sandbox --to sqlite:sandbox.db
  digital-assets sync --all --sandbox --to sqlite:sandbox.db";

pub(super) const VERIFY: &str = "\
Compares each record with its row, by id and column. Prints the missing and different rows, and at the end the additional ones. The exit status is 0 if all are equal, 4 if not, and 1 if that can't be determined. Changes nothing except a note of how far the table has been verified, which status shows. If verify isn't allowed to write the note, it prints a warning and continues without the note.

Example:
  digital-assets verify list-quote-executions --sandbox --from sqlite:sandbox.db";

pub(super) const STATUS: &str = "\
Examples:
  digital-assets status --of sqlite:books.db
  digital-assets status --of sqlite:books.db --max-age 10m";

/// The usage line of `sync` or `verify` for a listing. `database` is the name of the option for the
/// database.
pub(super) fn usage_of(operation: &Operation, command: &str, database: &str) -> String {
    usage(operation)
        .replacen(NAME, &format!("{NAME} {command}"), 1)
        .replace(" [OPTIONS]", &format!(" --{database} <DATABASE> [OPTIONS]"))
}

pub(super) fn example_of(operation: &Operation, command: &str, database: &str) -> String {
    let (name, listing) = (NAME, operation.command);
    whole_examples(&format!(
        "Example:\n  {name} {command} {listing} --sandbox --{database} sqlite:sandbox.db"
    ))
}

pub(super) fn columns(listing: &Listing) -> String {
    let names: Vec<&str> = listing.columns.iter().map(|column| column.name).collect();
    format!("Columns: {}.", names.join(", "))
}

pub(super) fn usage(operation: &Operation) -> String {
    let mut usage = format!("{} {}", NAME, operation.command);
    for parameter in operation.parameters.iter().filter(|parameter| parameter.required) {
        let _ = write!(usage, " --{} <{}>", parameter.option, value_name(parameter));
    }
    if operation.body.as_ref().is_some_and(|body| body.required) {
        usage += " --body <JSON|@FILE|->";
    }
    usage + " [OPTIONS]"
}

/// The first paragraph of `info.description` in the OpenAPI description. The other paragraphs
/// explain how to send requests, which the tool does itself.
pub(super) fn about_tool() -> String {
    ABOUT.split("\n\n").next().unwrap_or_default().replace('\n', " ")
}

pub(super) fn about(operation: &Operation) -> String {
    let deprecated = if operation.deprecated { " (deprecated)" } else { "" };
    format!("{}{deprecated}", operation.summary)
}

pub(super) fn long_about(operation: &Operation) -> String {
    let mut about = about(operation);
    if let Some(description) = operation.description {
        about = format!("{about}\n\n{}", paragraphs(operation, description));
    }
    format!("{about}\n\nCalls {} {}.", operation.method, operation.path)
}

/// The last part of a command's help: a description of the output (for a listing, its columns), and
/// examples that can be copied and run.
pub(super) fn after(operation: &Operation) -> String {
    let mut after = String::new();
    let command = format!("{} {}", NAME, operation.command);
    let needed = operation.parameters.iter().filter(|parameter| parameter.required);
    let needed: String = needed
        .filter_map(|p| Some(format!(" --{} {}", p.option, quoted(p.examples.first()?))))
        .collect();
    if let Some(listing) = operation.listing() {
        let (columns, table) = (columns(listing), listing.table);
        let _ = write!(
            after,
            "{columns}\n\nExamples:\n  {command} --sandbox --max 10\n  \
             {command}{needed} --output {table}.csv",
        );
        let filter = operation.parameters.iter().find(|p| !p.required && !p.values.is_empty());
        if let Some((parameter, example)) = filter.and_then(|p| Some((p, p.examples.first()?))) {
            let _ = write!(
                after,
                "\n  {command}{needed} --{} {} --format jsonl",
                parameter.option,
                quoted(example),
            );
        }
    } else {
        let body = operation.body.as_ref().and_then(|body| body.example);
        let body = body.map(|body| format!(" --body {}", quoted(body))).unwrap_or_default();
        let _ =
            write!(after, "Prints the response as JSON.\n\nExample:\n  {command}{needed}{body}");
    }
    whole_examples(&after)
}

pub(super) fn of_parameter(
    operation: &Operation,
    parameter: &Parameter,
    defaults: &Values,
    are_several: bool,
) -> String {
    let mut help = paragraphs(operation, parameter.description);
    let mut add = |words: String| {
        if !help.is_empty() {
            help.push(' ');
        }
        help += &words;
    };
    if operation.listing().is_some_and(|listing| listing.size == Some(parameter.option)) {
        let max = if are_several { "" } else { "; --max limits the number of records" };
        add(format!("This is the page size{max}."));
    }
    match parameter.kind {
        Kind::Time if side_of_day(parameter).is_some() => {
            add("A date (2025-01-31, today, yesterday), a month (2025-12) or a year means the whole period in UTC. -7d means 7 days ago, and -12h means 12 hours ago.".to_owned());
        }
        _ if are_several && is_of_each(parameter) => {
            add("May be repeated. @FILE reads the values from a file, one per line.".to_owned());
        }
        _ if is_split(parameter) => {
            add("May be repeated; values may also be separated by commas.".to_owned());
        }
        _ if parameter.many => {
            add("May be repeated; a comma is part of the value.".to_owned());
        }
        _ => {}
    }
    if !parameter.values.is_empty() {
        add(format!(
            "Known values: {}; other values are accepted too.",
            parameter.values.join(", ")
        ));
    }
    if let Some(setting) = setting(operation, parameter) {
        add(format!("[setting: {setting}]"));
    }
    if let Some(default) = defaults.get(parameter.option) {
        add(format!("[default: {}]", default.join(", ")));
    } else if let Some(default) = parameter.default {
        add(format!("[default: {default}]"));
    }
    if let (Some(example), true) = (parameter.examples.first(), parameter.values.is_empty()) {
        add(format!("[example: {example}]"));
    }
    help
}

pub(super) fn value_name(parameter: &Parameter) -> String {
    match parameter.kind {
        Kind::Time => "TIME".to_owned(),
        Kind::Date => "DATE".to_owned(),
        Kind::Integer | Kind::Number => "N".to_owned(),
        _ => parameter.option.replace('-', "_").to_uppercase(),
    }
}

/// Converts a text from the OpenAPI description to help text: replaces parameter names with
/// command-line options, and joins the lines of each paragraph, so that clap can wrap the text.
fn paragraphs(operation: &Operation, text: &str) -> String {
    let lines = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    let text = lines.collect::<Vec<_>>().join("\n\n");
    operation.parameters.iter().fold(text, |text, parameter| {
        text.replace(&format!("`{}`", parameter.name), &format!("--{}", parameter.option))
    })
}

/// A placeholder for a space at which clap must not break a line.
const UNBROKEN: char = '\u{e000}';

/// Replaces the spaces in a text's examples with `UNBROKEN`, so that each example stays on one
/// line, even in a narrow terminal, and can be copied.
pub(super) fn whole_examples(text: &str) -> String {
    let Some((before, examples)) = text.split_once("Example") else { return text.to_owned() };
    let mut whole = format!("{before}Example");
    for line in examples.split_inclusive('\n') {
        match line.strip_prefix("  ") {
            Some(example) => {
                whole += "  ";
                whole.extend(example.chars().map(|c| if c == ' ' { UNBROKEN } else { c }));
            }
            None => whole += line,
        }
    }
    whole
}

/// Replaces each `UNBROKEN` in a text from clap with a space, so that the text can be printed.
pub(crate) fn printed(rendered: &str) -> String {
    rendered.replace(UNBROKEN, " ")
}

/// Quotes a string for the shell, if necessary.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@".contains(c);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
