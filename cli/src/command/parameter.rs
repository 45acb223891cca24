//! An operation's parameters as options, and their values.

use clap::{Arg, ArgAction, ArgMatches};

use super::{help, value::ValueOf};
use crate::{
    failure::Failure,
    given::Values,
    operation::{Operation, Parameter},
};

pub(super) fn argument(parameter: &'static Parameter) -> Arg {
    Arg::new(parameter.option)
        .long(parameter.option)
        .value_name(help::value_name(parameter))
        .help(help::of_parameter(parameter))
        .help_heading("Parameters")
        .value_parser(ValueOf(parameter))
        // The help says that others are accepted.
        .hide_possible_values(true)
        .allow_negative_numbers(true)
        .action(if parameter.many { ArgAction::Append } else { ArgAction::Set })
        .value_delimiter(parameter.many.then_some(','))
}

/// The parameters as they were given.
///
/// # Errors
///
/// Where one is missing that the operation needs. Settings have those that identify whose records
/// are meant: `DIGITAL_ASSETS_PROFILE_ID` is a `profile_id`.
pub(crate) fn values(
    operation: &Operation,
    matches: &ArgMatches,
    setting: impl Fn(&str) -> Option<String>,
) -> Result<Values, Failure> {
    let mut values = Values::new();
    let mut missing = Vec::new();
    for parameter in operation.parameters {
        if let Some(given) = matches.get_many::<String>(parameter.option) {
            values.insert(parameter.name, given.cloned().collect());
        } else if parameter.required {
            match setting(&help::setting(parameter)) {
                Some(value) => drop(values.insert(parameter.name, vec![value])),
                None => {
                    missing.push(format!("--{} or {}", parameter.option, help::setting(parameter)));
                }
            }
        }
    }
    if missing.is_empty() {
        return Ok(values);
    }
    Err(Failure::usage(format!("{} needs {}", operation.command, missing.join(", "))))
}

/// The values that the description doesn't know, in words. They are sent all the same: the service
/// may know more.
pub(crate) fn unknown(operation: &Operation, values: &Values) -> Vec<String> {
    let known = operation.parameters.iter().filter(|parameter| !parameter.values.is_empty());
    let given = known.filter_map(|parameter| Some((parameter, values.get(parameter.name)?)));
    given
        .flat_map(|(parameter, values)| values.iter().map(move |value| (parameter, value)))
        .filter(|(parameter, value)| !parameter.values.contains(&value.as_str()))
        .map(|(parameter, value)| {
            let option = parameter.option;
            format!(
                "--{option} {value} is not a value that this tool knows; it is sent all the same"
            )
        })
        .collect()
}
