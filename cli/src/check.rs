//! `digital-assets check`: tests the settings against the service, and prints one line per check.

use std::{collections::BTreeSet, future::poll_fn, time::Duration};

use chrono::{DateTime, Utc};
use clap::ArgMatches;
use digital_assets::{Error, TokenSource, reqwest};

use crate::{
    args::{Args, Values},
    cause, command,
    failure::Failure,
    generated::OPERATIONS,
    operation::{Listing, Operation},
    service::{Service, is_loopback},
    signal::Signals,
    stdout,
};

/// The maximum difference between this machine's clock and the service's clock, in seconds. With a
/// larger difference, tokens and signatures expire too early or become valid too late.
const CLOCKS: i64 = 60;

pub(crate) async fn run(arguments: &ArgMatches, tool: &ArgMatches) -> Result<(), Failure> {
    let service = Service::find(arguments, tool).await?;
    let mut signals = Signals::new()?;
    match signals.or(all(&service)).await?? {
        0 => Ok(()),
        failures => {
            Err(Failure::other(format!("{} failed", stdout::counted(failures as u64, "check"))))
        }
    }
}

/// Runs all checks, prints a line for each check, and returns the number of failures. A failure
/// with the same cause as an earlier failure is neither printed nor counted.
async fn all(service: &Service) -> Result<usize, Failure> {
    let mut causes = BTreeSet::new();
    let mut tell = |what: &str, found: Result<String, Found>| match found {
        Ok(found) => line("ok", what, &found),
        Err(Found { cause, line: found }) => {
            let is_new = causes.insert(cause);
            if is_new { line("FAILED", what, &found) } else { Ok(()) }
        }
    };
    let (answer, clock) = endpoint(&service.url).await;
    tell(&service.url, answer.map_err(Found::of))?;
    if let Some(clock) = clock {
        tell("clock", clock.map_err(Found::of))?;
    }
    if let Some(source) = &service.credentials {
        let named = service.settings.environment().scopes()?;
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let all = if named.is_empty() { scopes() } else { vec![&named[..]] };
        for scopes in all {
            let token = source.token(scopes).await.map(|_| String::new());
            let token = token.map_err(|error| Found::of_error(error, scopes));
            tell(&format!("token for {}", scopes.join(" ")), token)?;
        }
    }
    for operation in OPERATIONS {
        let Some(listing) = operation.listing().filter(|_| operation.body.is_none()) else {
            continue;
        };
        let values = match command::values(operation, None, &service.settings) {
            Ok(values) => values,
            Err(failure) => {
                line("-", operation.command, &format!("not tried: {failure}"))?;
                continue;
            }
        };
        let found = one(operation, listing, service, values).await;
        let found = found.map_err(|failure| match failure {
            Failure::Service(error) => {
                let scopes =
                    error.operation().map(digital_assets::Operation::scopes).unwrap_or_default();
                Found::of_error(*error, scopes)
            }
            other => Found::of(other.to_string()),
        });
        tell(operation.command, found)?;
    }
    Ok(causes.len())
}

/// The reason why a check failed.
struct Found {
    /// The cause of the failure. If several failures have the same cause, only the first is
    /// printed.
    cause: String,
    line: String,
}

impl Found {
    /// Creates the reason from a message. The cause is the text before the first semicolon, because
    /// the advice after the semicolon may differ between failures with the same cause.
    fn of(line: String) -> Self {
        Self { cause: line.split(';').next().unwrap_or_default().to_owned(), line }
    }

    fn of_error(error: Error, scopes: &[&str]) -> Self {
        let operation = error.operation().map(|it| format!("{it}: ")).unwrap_or_default();
        // The token endpoint grants or rejects each set of scopes separately, so the scopes are
        // part of the cause.
        let scopes = match error.oauth_error() {
            Some("invalid_scope") => scopes.join(" "),
            _ => String::new(),
        };
        let line = Failure::from(error).to_string();
        let line = line.strip_prefix(&operation).unwrap_or(&line).to_owned();
        let Self { cause, line } = Self::of(line);
        Self { cause: cause + &scopes, line }
    }
}

fn line(word: &str, what: &str, found: &str) -> Result<(), Failure> {
    let colon = if found.is_empty() { "" } else { ": " };
    stdout::print(format!("{word:<7} {what}{colon}{found}\n"))
}

/// Checks that a server responds at this URL, and that the server's clock agrees with this
/// machine's clock. The second result is `None` if the server didn't report its time.
async fn endpoint(url: &str) -> (Result<String, String>, Option<Result<String, String>>) {
    let mut client = reqwest::Client::builder()
        .timeout(Duration::from_secs(15))
        .redirect(reqwest::redirect::Policy::none());
    if reqwest::Url::parse(url).is_ok_and(|url| url.host_str().is_some_and(is_loopback)) {
        client = client.no_proxy();
    }
    let answer = match client.build() {
        Ok(client) => client.get(url).send().await,
        Err(error) => Err(error),
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            let error = error.without_url();
            let reason = cause::found(&error, false).unwrap_or_else(|| {
                format!("{error}; check DIGITAL_ASSETS_BASE_URL and the network")
            });
            return (Err(reason), None);
        }
    };
    let date = answer.headers().get(reqwest::header::DATE).and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let clock = date.map(|date| {
        let ahead = (date.to_utc() - Utc::now()).num_seconds();
        let words = format!("{} s {}", ahead.abs(), if ahead < 0 { "ahead of" } else { "behind" });
        if ahead.abs() <= CLOCKS {
            Ok(format!("at most {} s off", ahead.abs() + 1))
        } else {
            Err(format!("this machine's clock is {words} the service's; set the clock"))
        }
    });
    (Ok("responds".to_owned()), clock)
}

/// The distinct sets of scopes that the operations need.
fn scopes() -> Vec<&'static [&'static str]> {
    let mut all: Vec<&[&str]> = Vec::new();
    for operation in digital_assets::operation::ALL {
        let scopes = operation.scopes();
        if !scopes.is_empty() && !all.contains(&scopes) {
            all.push(scopes);
        }
    }
    all
}

/// Checks whether a listing has records, and returns the result as text to print.
async fn one(
    operation: &Operation,
    listing: &Listing,
    service: &Service,
    values: Values,
) -> Result<String, Failure> {
    let mut values = command::at(operation, &values, Utc::now());
    if let Some(size) = operation.page_size() {
        let least = size.minimum.unwrap_or(1).max(1);
        values.insert(size.option, vec![least.to_string()]);
    }
    let given = Args { client: &service.client, values, body: None };
    let mut rows = (listing.rows)(&given, 1, None)?;
    Ok(match poll_fn(|cx| rows.poll_row(cx)).await.transpose()? {
        Some(_) => "has records".to_owned(),
        None => "has no records".to_owned(),
    })
}
