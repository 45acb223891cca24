//! The command-line options for an operation's parameters, and the values of these options.

use std::{collections::BTreeSet, mem};

use chrono::{DateTime, Utc};
use clap::{Arg, ArgAction, ArgMatches};
use uuid::Uuid;

use super::{
    help,
    required::{is_of_each, setting},
    value::{self, ValueOf, is_split, read},
};
use crate::{
    args::Values,
    failure::Failure,
    file,
    operation::{Bound, Kind, Operation, Parameter},
    settings::Settings,
};

/// The options for an operation's parameters. `defaults` are the values that the tool sends if an
/// option is omitted.
///
/// If `are_several` is true, the command can read several listings, so an option that takes one
/// value per listing may be repeated.
pub(super) fn arguments(
    operation: &'static Operation,
    defaults: &Values,
    are_several: bool,
) -> Vec<Arg> {
    let argument = |parameter: &'static Parameter| {
        let several = are_several && is_of_each(parameter);
        let about = help::of_parameter(operation, parameter, defaults, are_several);
        let argument = argument(parameter, several).help(about);
        if several { argument.action(ArgAction::Append) } else { argument }
    };
    operation.parameters.iter().map(argument).collect()
}

fn argument(parameter: &'static Parameter, several: bool) -> Arg {
    Arg::new(parameter.option)
        .long(parameter.option)
        .value_name(help::value_name(parameter))
        .help_heading("Parameters")
        .value_parser(ValueOf { parameter, from_file: several })
        // Hidden, because the help text already lists the known values and says that other values
        // are sent too.
        .hide_possible_values(true)
        .allow_negative_numbers(true)
        // A time may start with a hyphen, as in `-7d`.
        .allow_hyphen_values(parameter.kind == Kind::Time)
        .action(if parameter.many { ArgAction::Append } else { ArgAction::Set })
        .value_delimiter(is_split(parameter).then_some(','))
}

/// The values of an operation's parameters, from the command line or the settings. The command line
/// takes precedence. Relative times are left as they are written; see [`at`].
///
/// # Errors
///
/// If a required parameter is missing, or if two time bounds contradict each other.
pub(crate) fn values(
    operation: &Operation,
    matches: Option<&ArgMatches>,
    settings: &Settings,
) -> Result<Values, Failure> {
    let mut values = Values::new();
    let mut missing = Vec::new();
    for parameter in operation.parameters {
        let given = matches.and_then(|matches| matches.get_many::<String>(parameter.option));
        if let Some(given) = given {
            let given = given.map(|value| canonical(operation, parameter, value));
            values.insert(parameter.option, given.collect());
            continue;
        }
        let setting = setting(operation, parameter);
        if let Some(value) = setting.as_deref().and_then(|name| settings.get(name)) {
            values.insert(parameter.option, vec![canonical(operation, parameter, &value)]);
        } else if parameter.required {
            let setting = setting.map(|name| format!(" or {name}")).unwrap_or_default();
            missing.push(format!("--{}{setting}", parameter.option));
        }
    }
    if !missing.is_empty() {
        return Err(Failure::usage(format!("{} needs {}", operation.command, missing.join(", "))));
    }
    match reversed(operation, &at(operation, &values, Utc::now())) {
        Some([from, until]) => {
            Err(Failure::usage(format!("no record can match: --{from} isn't before --{until}")))
        }
        None => Ok(values),
    }
}

/// The values to send: each relative time becomes the timestamp that it stands for at the time
/// `now`.
pub(crate) fn at(operation: &Operation, values: &Values, now: DateTime<Utc>) -> Values {
    let mut values = values.clone();
    for parameter in operation.parameters {
        for value in values.get_mut(parameter.option).into_iter().flatten() {
            *value = value::at(parameter, mem::take(value), now);
        }
    }
    values
}

/// Converts a UUID to its canonical form, if the parameter takes UUIDs. Returns any other value
/// unchanged.
///
/// A parameter takes UUIDs if its kind is `Uuid`, or if the column with the same name contains
/// UUIDs.
fn canonical(operation: &Operation, parameter: &Parameter, value: &str) -> String {
    let is_column = |name: &str| {
        name == parameter.name || (parameter.many && parameter.name.strip_suffix('s') == Some(name))
    };
    let columns = operation.listing().map_or(&[][..], |listing| listing.columns);
    let is_uuid = parameter.kind == Kind::Uuid
        || columns.iter().any(|column| column.kind == Kind::Uuid && is_column(column.name));
    let id = value.parse::<Uuid>().ok().filter(|_| is_uuid);
    id.map_or_else(|| value.to_owned(), |id| id.to_string())
}

/// If a lower and an upper time bound contradict each other, returns the names of their options,
/// the lower bound first.
fn reversed(operation: &Operation, values: &Values) -> Option<[&'static str; 2]> {
    let bounds = || {
        operation.parameters.iter().filter_map(|parameter| {
            let time: DateTime<Utc> = values.get(parameter.option)?.last()?.parse().ok()?;
            let bound = parameter.bound().filter(|_| parameter.kind == Kind::Time)?;
            Some((bound, parameter.option, time))
        })
    };
    bounds().filter(|(bound, ..)| [">=", ">"].contains(&bound.operator)).find_map(|from| {
        let is_reversed = |until: &(Bound, &str, DateTime<Utc>)| {
            let excludes = from.0.operator == ">" || until.0.operator == "<";
            until.0.column == from.0.column
                && ["<=", "<"].contains(&until.0.operator)
                && (from.2 > until.2 || (from.2 == until.2 && excludes))
        };
        bounds().find(is_reversed).map(|until| [from.1, until.1])
    })
}

/// Returns the parameter values for each listing that a command reads.
///
/// If a parameter takes one value per listing, the command reads one listing for each value that
/// the user gives. The value `@FILE` stands for all values in that file.
///
/// # Errors
///
/// If a file can't be read, or contains an invalid value.
pub(crate) fn each(operation: &Operation, values: &Values) -> Result<Vec<Values>, Failure> {
    let mut listings = vec![values.clone()];
    for parameter in operation.parameters.iter().filter(|parameter| is_of_each(parameter)) {
        let mut all = Vec::new();
        for value in values.get(parameter.option).into_iter().flatten() {
            match value.strip_prefix('@') {
                Some(path) => all.extend(of_file(parameter, path)?),
                None => all.push(value.clone()),
            }
        }
        let mut known = BTreeSet::new();
        let all = all.iter().map(|value| canonical(operation, parameter, value));
        let mut all: Vec<String> = all.collect();
        all.retain(|value| known.insert(value.clone()));
        let of = |value: String| {
            let with = move |listing: &Values| {
                let mut listing = listing.clone();
                listing.insert(parameter.option, vec![value.clone()]);
                listing
            };
            listings.iter().map(with).collect::<Vec<_>>()
        };
        listings = all.into_iter().flat_map(of).collect();
    }
    Ok(listings)
}

/// Reads the values of a parameter from a file that contains one value per line.
fn of_file(parameter: &Parameter, path: &str) -> Result<Vec<String>, Failure> {
    let option = parameter.option;
    let unread = |reason: String| Failure::usage(format!("--{option} @{path}: {reason}"));
    let text = file::text(path).map_err(|error| unread(error.to_string()))?;
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let values = lines.map(|(at, line)| {
        read(parameter, line).map_err(|reason| unread(format!("line {} {reason}", at + 1)))
    });
    let values = values.collect::<Result<Vec<_>, _>>()?;
    if values.is_empty() { Err(unread("has no value".to_owned())) } else { Ok(values) }
}

/// The options that distinguish a listing from other listings of the same operation, for example
/// `--profile-id ID`.
pub(crate) fn name_of(operation: &Operation, values: &Values) -> String {
    let each = operation.parameters.iter().filter(|parameter| is_of_each(parameter));
    let each = each.filter_map(|parameter| {
        Some(format!("--{} {}", parameter.option, values.get(parameter.option)?.first()?))
    });
    each.collect::<Vec<_>>().join(" ")
}

/// The letters and digits of a value in upper case, to compare values regardless of case and
/// punctuation.
fn letters(value: &str) -> String {
    value.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// Returns a warning for each value that the OpenAPI description doesn't list for its parameter.
/// Such a value is still sent, because the service may accept it.
pub(crate) fn unknown(operation: &Operation, values: &Values) -> Vec<String> {
    let known = operation.parameters.iter().filter(|parameter| !parameter.values.is_empty());
    let given = known.filter_map(|parameter| Some((parameter, values.get(parameter.option)?)));
    given
        .flat_map(|(parameter, values)| values.iter().map(move |value| (parameter, value)))
        .filter(|(parameter, value)| !parameter.values.contains(&value.as_str()))
        .map(|(parameter, value)| {
            let option = parameter.option;
            let is_meant = |known: &&&str| letters(known) == letters(value);
            let meant = parameter.values.iter().find(is_meant);
            let meant = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
            format!("{value} is not a known value for --{option}; it is sent anyway{meant}")
        })
        .collect()
}
