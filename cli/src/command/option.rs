//! The options that several commands have.

use std::time::Duration;

use clap::{Arg, ArgAction, value_parser};

use super::value;

/// An option with a value.
pub(super) fn option(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// `30s`, `2m`, `1h 30m`; a number alone is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string());
    }
    humantime::parse_duration(text).map_err(|error| error.to_string())
}

pub(super) fn concurrency(help: &'static str) -> Arg {
    option("concurrency", "N").value_parser(value_parser!(u64).range(1..=256)).help(help)
}

/// What every command that calls the service takes.
pub(super) fn connection() -> Vec<Arg> {
    let arguments = [
        flag("sandbox", "Use a temporary sandbox with made-up records instead of the service"),
        option("env-file", "FILE")
            .value_parser(value_parser!(std::path::PathBuf))
            .help("Read DIGITAL_ASSETS_… settings from FILE; they override the environment"),
        option("timeout", "TIME").value_parser(duration).help(
            "How long a request may take with all its retries, and each try alone, as in 30s or 2m; by default 60s, and 15s for each try",
        ),
        option("retries", "N")
            .value_parser(value_parser!(u32).range(0..=100))
            .help("How often to retry a failed request where that is safe; 2 by default. If it still fails in a way that may pass, a command that writes a file or a table tries up to four more times, after 2 to 16 s or what Retry-After asks for, up to 15 minutes; one with --every tries until it passes"),
        flag("verbose", "Print a line for each request on stderr, without secrets and values"),
        option("header", "NAME:VALUE")
            .action(ArgAction::Append)
            .value_parser(value::header)
            .help("Send this header with every request; may be repeated. Not for secrets: others see a command line"),
    ];
    arguments.map(|argument| argument.help_heading("Connection")).into()
}
