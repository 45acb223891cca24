//! `digital-assets check`: what works with these settings, a line for each.

use std::{future::poll_fn, time::Duration};

use chrono::{DateTime, Utc};
use clap::ArgMatches;
use digital_assets::{TokenSource, reqwest};

use crate::{
    args::{Args, Values},
    command,
    failure::Failure,
    generated::OPERATIONS,
    operation::{Listing, Operation},
    service::{self, Service, is_loopback},
    signal::Signals,
    stdout,
};

/// A larger difference of the clocks makes tokens and signatures end too early, or begin too late.
const CLOCKS: i64 = 60;

pub(crate) async fn run(arguments: &ArgMatches, tool: &ArgMatches) -> Result<(), Failure> {
    let service = Service::find(arguments, tool).await?;
    let mut signals = Signals::new()?;
    match signals.or(all(&service)).await?? {
        0 => Ok(()),
        failures => Err(Failure::other(format!("{failures} of these don't work"))),
    }
}

/// Prints a line for each, and counts what fails.
async fn all(service: &Service) -> Result<usize, Failure> {
    let mut failures = 0;
    let mut tell = |what: &str, found: Result<String, String>| {
        let (word, found) = match found {
            Ok(found) => ("ok", found),
            Err(reason) => {
                failures += 1;
                ("FAILED", reason)
            }
        };
        line(word, what, &found)
    };
    let (answer, clock) = endpoint(&service.url).await;
    tell(&service.url, answer)?;
    if let Some(clock) = clock {
        tell("clock", clock)?;
    }
    if let Some(source) = &service.credentials {
        let named = service::scopes(&service.settings);
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let all = if named.is_empty() { scopes() } else { vec![&named[..]] };
        for scopes in all {
            let token = source.token(scopes).await.map(|_| String::new());
            let token = token.map_err(|error| Failure::from(error).to_string());
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
                line("-", operation.command, &format!("not tried, {failure}"))?;
                continue;
            }
        };
        let found = one(operation, listing, service, values).await;
        tell(operation.command, found.map_err(|failure| failure.to_string()))?;
    }
    Ok(failures)
}

fn line(word: &str, what: &str, found: &str) -> Result<(), Failure> {
    let colon = if found.is_empty() { "" } else { ": " };
    stdout::report(&format!("{word:<7} {what}{colon}{found}\n"))
}

/// Whether anything answers there, and how far its clock is from this one.
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
            let advice = "check DIGITAL_ASSETS_BASE_URL and the network";
            return (Err(format!("{}; {advice}", error.without_url())), None);
        }
    };
    let date = answer.headers().get(reqwest::header::DATE).and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let clock = date.map(|date| {
        let ahead = (date.to_utc() - Utc::now()).num_seconds();
        let words = format!("{} s {}", ahead.abs(), if ahead < 0 { "ahead" } else { "behind" });
        if ahead.abs() <= CLOCKS {
            Ok(format!("at most {} s off", ahead.abs() + 1))
        } else {
            Err(format!("this machine is {words} of the service; set its clock"))
        }
    });
    (Ok("answers".to_owned()), clock)
}

/// The scopes of each operation, without repetition.
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

/// One record of a listing.
async fn one(
    operation: &Operation,
    listing: &Listing,
    service: &Service,
    mut values: Values,
) -> Result<String, Failure> {
    if let Some(limit) = operation.limit() {
        let least = limit.minimum.unwrap_or(1).max(1);
        values.insert(limit.option, vec![least.to_string()]);
    }
    let given = Args { client: &service.client, values, body: None };
    let mut rows = (listing.rows)(&given, 1, None)?;
    Ok(match poll_fn(|cx| rows.poll_row(cx)).await.transpose()? {
        Some(_) => "has records".to_owned(),
        None => "has no record".to_owned(),
    })
}
