//! The options that several commands share.

use std::time::Duration;

use clap::{Arg, ArgAction, value_parser};

use super::value;

/// An option that takes a value. `value` is the placeholder for that value in the help.
pub(super) fn option(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// Parses a duration such as `30s`, `2m` or `1h 30m`. A number without a unit means seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string());
    }
    humantime::parse_duration(text).map_err(|error| error.to_string())
}

pub(super) fn concurrency(help: &'static str) -> Arg {
    option("concurrency", "N").value_parser(value_parser!(u64).range(1..=256)).help(help)
}

/// The options of every command that calls the service.
pub(super) fn connection() -> Vec<Arg> {
    let arguments = [
        flag("sandbox", "Use a temporary sandbox with made-up records instead of the service"),
        option("env-file", "FILE")
            .value_parser(value_parser!(std::path::PathBuf))
            .help("Read DIGITAL_ASSETS_… settings from FILE; they override the environment"),
        option("profile", "NAME").help(
            "Use the profile NAME from ~/.config/digital-assets/config.toml, or from the file that DIGITAL_ASSETS_CONFIG names; the environment takes precedence",
        ),
        option("timeout", "TIME").value_parser(duration).help(
            "Time limit for a request including retries, for example 30s or 2m; default 60s, with 15s per attempt",
        ),
        option("retries", "N")
            .value_parser(value_parser!(u32).range(0..=100))
            .help("Maximum number of retries of a request, if retrying is safe; default 2. If a temporary failure persists, a command that writes a file or table retries up to four more times. It waits 2 to 16 s before each retry, or as long as Retry-After says, up to 15 minutes. With --every, it retries until it succeeds"),
        flag("verbose", "Print a line per request on stderr, without secrets or filter values"),
        option("header", "NAME:VALUE")
            .action(ArgAction::Append)
            .value_parser(value::header)
            .help("Send this header with every request; may be repeated. Don't use it for secrets, because other users can see the command line"),
    ];
    arguments.map(|argument| argument.help_heading("Connection")).into()
}
