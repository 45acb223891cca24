//! An operation's parameters as options, and their values.

use clap::{Arg, ArgAction, ArgMatches};

use super::{help, setting::setting, value::ValueOf};
use crate::{
    failure::Failure,
    given::Values,
    operation::{Operation, Parameter},
};

/// `defaults` are what the tool asks for without them.
pub(super) fn arguments(operation: &'static Operation, defaults: &Values) -> Vec<Arg> {
    let argument = |parameter| argument(operation, parameter, defaults);
    operation.parameters.iter().map(argument).collect()
}

fn argument(operation: &Operation, parameter: &'static Parameter, defaults: &Values) -> Arg {
    Arg::new(parameter.option)
        .long(parameter.option)
        .value_name(help::value_name(parameter))
        .help(help::of_parameter(operation, parameter, defaults))
        .help_heading("Parameters")
        .value_parser(ValueOf(parameter))
        // The help says that others are accepted.
        .hide_possible_values(true)
        .allow_negative_numbers(true)
        .action(if parameter.many { ArgAction::Append } else { ArgAction::Set })
        .value_delimiter(parameter.many.then_some(','))
}

/// The parameters as they were given, or as settings have them.
///
/// # Errors
///
/// Where one is missing that the operation needs.
pub(crate) fn values(
    operation: &Operation,
    matches: &ArgMatches,
    value_of: impl Fn(&str) -> Option<String>,
) -> Result<Values, Failure> {
    let mut values = Values::new();
    let mut missing = Vec::new();
    for parameter in operation.parameters {
        if let Some(given) = matches.get_many::<String>(parameter.option) {
            values.insert(parameter.option, given.cloned().collect());
            continue;
        }
        let setting = setting(operation, parameter);
        if let Some(value) = setting.as_deref().and_then(&value_of) {
            values.insert(parameter.option, vec![value]);
        } else if parameter.required {
            let setting = setting.map(|name| format!(" or {name}")).unwrap_or_default();
            missing.push(format!("--{}{setting}", parameter.option));
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
    let given = known.filter_map(|parameter| Some((parameter, values.get(parameter.option)?)));
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
