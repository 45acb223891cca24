//! Runs a command that isn't a listing: sends one request, and prints the response as JSON.

use std::io::{self, Read};

use clap::ArgMatches;

use crate::{
    args::{Args, Values},
    failure::Failure,
    file,
    operation::{Answer, Operation},
    service::Service,
    signal::Signals,
    stdout,
};

pub(crate) async fn run(
    operation: &Operation,
    call: for<'a> fn(&'a Args<'a>) -> Result<Answer<'a>, Failure>,
    service: &Service,
    values: Values,
    body: Option<String>,
) -> Result<(), Failure> {
    let args = Args { client: &service.client, values, body };
    let answer = call(&args)?;
    let mut signals = Signals::new()?;
    let changes = operation.method != "GET";
    let told = |words: &str| {
        if changes {
            stdout::say(words);
        }
    };
    let answer = signals.or(answer).await;
    let answer = answer.inspect_err(|_| {
        told("the request may have been applied; check before you send it again");
    })???;
    if answer.is_null() {
        return Ok(());
    }
    let text = format!("{}\n", serde_json::to_string_pretty(&answer)?);
    let printed = signals.or(stdout::begin(text.into_bytes())).await;
    match printed
        .inspect_err(|_| told("the request has been applied, so don't send it again"))??
    {
        Err(Failure::Other(reason)) if changes => Err(Failure::AppliedButUnread(reason)),
        printed => printed,
    }
}

/// Returns the request body: the value of `--body`, or the content of a file (`--body @FILE`) or of
/// stdin (`--body -`). `None` if the operation takes no body, or if `--body` is missing.
///
/// # Errors
///
/// If the body can't be read.
pub(crate) fn body(
    operation: &Operation,
    arguments: &ArgMatches,
) -> Result<Option<String>, Failure> {
    if operation.body.is_none() {
        return Ok(None);
    }
    let Some(given) = arguments.get_one::<String>("body") else { return Ok(None) };
    let text = if given == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else if let Some(path) = given.strip_prefix('@') {
        file::text(path)
    } else {
        Ok(given.clone())
    };
    text.map(Some).map_err(|error| Failure::other(format!("--body can't be read: {error}")))
}
