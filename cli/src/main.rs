//! A command-line tool with one command per operation of the service, generated from the OpenAPI
//! description. See `digital-assets --help`.

mod answer;
mod args;
mod cause;
mod check;
mod columns;
mod command;
mod completion;
mod defaults;
mod description;
mod dry_run;
mod failure;
mod file;
mod format;
mod generated;
mod limits;
mod listing;
mod operation;
mod output;
mod profile;
mod progress;
mod retry_policy;
mod rows;
mod sandbox;
mod service;
mod settings;
mod signal;
mod stdout;
mod sync;
mod unsent;
mod verbose;
mod words;

use std::{mem, process::ExitCode};

use chrono::Utc;
use clap::{ArgMatches, error::ErrorKind};

use crate::{failure::Failure, operation::Call, service::Service, words::NAME};

fn main() -> ExitCode {
    let code = started();
    stdout::finish();
    code
}

fn started() -> ExitCode {
    signal::ignore_file_limit();
    settings::remember(command::settings());
    failure::remember(command::options_of);
    let matches = match command::tool().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return answered(&error),
    };
    let runtime = limits::check().and_then(|()| {
        signal::watch()?;
        Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
    });
    let run = runtime.and_then(|runtime| {
        let run = runtime.block_on(run(&matches));
        // The runtime isn't dropped, because dropping it would wait for a database that doesn't
        // respond. `shutdown_background` isn't called either, because the database's thread would
        // lose its connection.
        mem::forget(runtime);
        run
    });
    ended(run)
}

async fn run(tool: &ArgMatches) -> Result<(), Failure> {
    let Some((name, arguments)) = tool.subcommand() else { return Ok(()) };
    match name {
        "sandbox" => return sandbox::serve(arguments).await,
        "description" => return description::print(arguments.get_flag("json")),
        "completions" => return completion::print(arguments),
        "man" => return man(arguments),
        "sync" => return sync::run(arguments, tool).await,
        "verify" => return sync::verify::run(arguments, tool).await,
        "status" => {
            settings::check_environment()?;
            let settings = service::settings(arguments, tool)?;
            return sync::status::run(arguments, &settings).await;
        }
        "check" => return check::run(arguments, tool).await,
        _ => {}
    }
    let Some(operation) = command::operation(name) else { return Ok(()) };
    let body = answer::body(operation, arguments)?;
    if operation.body.is_some() && arguments.get_flag("dry-run") {
        return dry_run::run(operation, body, arguments, tool).await;
    }
    let service = Service::find(arguments, tool).await?;
    let values = command::values(operation, Some(arguments), &service.settings)?;
    match &operation.call {
        Call::Answer(call) => {
            let values = command::at(operation, &values, Utc::now());
            answer::run(operation, *call, &service, values, body).await
        }
        Call::Listing(listing) => {
            listing::run(operation, listing, &service, values, body, arguments).await
        }
    }
}

fn man(arguments: &ArgMatches) -> Result<(), Failure> {
    let mut tool = command::tool();
    tool.build();
    let mut command = tool;
    for name in arguments.get_many::<String>("command").into_iter().flatten() {
        let found = command.find_subcommand(name).cloned();
        command = found.ok_or_else(|| {
            Failure::usage(format!("{} has no command `{name}`", command.get_name()))
        })?;
    }
    let command = command.version(env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    stdout::print(command::printed(&String::from_utf8_lossy(&page)))
}

/// Prints clap's message: either the help, or one line that says why the command line is invalid.
/// Returns the exit code.
fn answered(error: &clap::Error) -> ExitCode {
    let text = command::printed(&error.render().to_string());
    if !error.use_stderr() {
        return ended(stdout::print(&text));
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        stdout::say(text.trim_end());
        return ExitCode::from(2);
    }
    let lines = text.lines().take_while(|line| !line.starts_with("Usage:"));
    let lines = lines.map(str::trim).filter(|line| !line.starts_with("For more information"));
    let line = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    let line = line.strip_prefix("error: ").unwrap_or(&line).replace(":; ", ": ");
    let is_value = matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidValue);
    let given = std::env::args_os().any(|it| it.to_str().is_some_and(|it| is_short(it, &line)));
    let line = if is_value && given {
        format!("{line}; put an = before a value that starts with -, as in --OPTION=-x")
    } else {
        line
    };
    ended(Err(Failure::usage(line)))
}

/// Whether the message quotes this argument, and the argument starts with a single hyphen.
fn is_short(argument: &str, message: &str) -> bool {
    let is_it = message.contains(&format!("'{argument}'"));
    is_it && argument.starts_with('-') && !argument.starts_with("--")
}

fn ended(run: Result<(), Failure>) -> ExitCode {
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::SignalItself(status)) => {
            stdout::say(&format!("{}: {}", NAME, Failure::Signal(status)));
            stdout::finish();
            signal::end_by(status);
            ExitCode::from(status)
        }
        Err(failure) => {
            match &failure {
                Failure::ClosedPipe => {}
                Failure::Usage(_) => {
                    stdout::say(&format!("{NAME}: {failure}; see --help"));
                }
                _ => stdout::say(&format!("{NAME}: {failure}")),
            }
            ExitCode::from(failure.status())
        }
    }
}
