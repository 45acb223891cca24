//! `digital-assets status`: what a database holds, and how old it is.

use std::time::Duration;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::{
    database::Database,
    state::{self, State},
    target::named,
};
use crate::{failure::Failure, settings::Settings, stdout};

/// By how much the clocks of two machines may differ.
const CLOCKS: TimeDelta = TimeDelta::minutes(1);

/// A listing in a database.
struct Held {
    state: State,
    is_running: bool,
    /// The rows that are in its table, if that is there.
    rows: Option<i64>,
}

pub(crate) async fn run(arguments: &ArgMatches, settings: &Settings) -> Result<(), Failure> {
    let target = named(arguments, "of")?.with_settings(settings)?;
    let words = target.to_string();
    let read = tokio::task::spawn_blocking(move || held(&mut *target.read()?));
    let held = read.await?.map_err(|failure| failure.in_words(&words))?;
    if arguments.get_one::<String>("format").is_some_and(|format| format == "json") {
        let held: Vec<Value> = held.iter().map(Held::json).collect();
        stdout::report(&format!("{}\n", serde_json::to_string_pretty(&held)?))?;
    } else {
        let lines = held.iter().map(|held| format!("{}\n", held.line()));
        stdout::report(&lines.collect::<String>())?;
    }
    let mut lost: Vec<String> = held.iter().filter_map(|at| at.lost(&held)).collect();
    lost.dedup();
    for line in lost {
        stdout::say(&line);
    }
    if held.is_empty() {
        stdout::say(&format!("{words}: nothing was synced into it"));
    }
    let Some(most) = arguments.get_one::<Duration>("max-age") else { return Ok(()) };
    let is_old = |at: &&Held| at.age().is_none_or(|age| age > *most) || at.lost(&held).is_some();
    let old: Vec<&Held> = held.iter().filter(is_old).collect();
    let most = humantime::format_duration(*most);
    match old.first() {
        None if !held.is_empty() => Ok(()),
        None => Err(Failure::other("there is no listing")),
        Some(first) => Err(Failure::other(format!(
            "{} of {} listings are older than {most}: {}",
            old.len(),
            held.len(),
            first.name()
        ))),
    }
}

/// Every listing in a database, or in the schemas that its address names.
fn held(database: &mut dyn Database) -> Result<Vec<Held>, Failure> {
    let mut held: Vec<Held> = Vec::new();
    for state in database.states()? {
        let is_running = database.is_locked(&state.table)?;
        let rows = match held.last() {
            Some(Held { state: last, rows, .. }) if last.table == state.table => *rows,
            _ if database.columns(&state.table)?.is_empty() => None,
            _ => Some(database.count(&state.table)?),
        };
        held.push(Held { state, is_running, rows });
    }
    Ok(held)
}

impl Held {
    /// The table, and the options that its listing was asked for with.
    fn name(&self) -> String {
        let mut words = vec![self.state.table.clone()];
        for (option, values) in self.filters() {
            for value in values.as_array().into_iter().flatten() {
                words.push(format!("--{option} {}", value.as_str().unwrap_or_default()));
            }
        }
        words.join(" ")
    }

    fn filters(&self) -> Map<String, Value> {
        serde_json::from_str(&self.state.asked).unwrap_or_default()
    }

    /// How long ago it last came to its end. A time that is ahead, of another clock, tells none.
    fn age(&self) -> Option<Duration> {
        let succeeded: DateTime<Utc> = self.state.succeeded_at.as_ref()?.parse().ok()?;
        let now = Utc::now();
        let is_near = succeeded - now < CLOCKS;
        is_near.then(|| (now - succeeded).to_std().unwrap_or_default())
    }

    /// What to tell of a table that has lost rows of its listings.
    fn lost(&self, held: &[Self]) -> Option<String> {
        let of_table = held.iter().filter(|other| other.state.table == self.state.table);
        let written: i64 = of_table.map(|other| other.state.rows_added).sum();
        let rows = self.rows.unwrap_or_default();
        let is_lost = rows < written;
        is_lost.then(|| {
            format!("{} has {rows} of the {written} rows that were written", self.state.table)
        })
    }

    fn line(&self) -> String {
        let State { service, records, newest, open_records, verified_through, .. } = &self.state;
        let records = stdout::counted((*records).try_into().unwrap_or(0), "row");
        let mut parts = vec![format!("{}: {records} of {service}", self.name())];
        parts.extend(newest.as_ref().map(|newest| format!("newest {newest}")));
        parts.extend(open_records.map(|open| format!("{open} open")));
        parts.push(match (&self.state.succeeded_at, self.age()) {
            (Some(at), Some(age)) => {
                let age = humantime::format_duration(Duration::from_secs(age.as_secs()));
                format!("last success {} ({age} ago)", seconds(at))
            }
            (Some(at), None) => format!("last success {}, which is ahead", seconds(at)),
            _ => "not whole yet".to_owned(),
        });
        parts
            .extend(verified_through.as_ref().map(|through| format!("verified through {through}")));
        if self.is_running {
            parts.push(match &self.state.running_since {
                Some(since) => format!("running since {}", seconds(since)),
                None => "its table is being synced".to_owned(),
            });
        }
        parts.join(", ")
    }

    fn json(&self) -> Value {
        let state = &self.state;
        json!({
            "table": self.state.table,
            "listing": self.filters(),
            "service": state.service,
            "rows": state.records,
            "newest": state.newest,
            "open": state.open_records,
            "last_success": state.succeeded_at,
            "verified_through": state.verified_through,
            "running_since": state.running_since.as_ref().filter(|_| self.is_running),
        })
    }
}

fn seconds(time: &str) -> String {
    let parsed = time.parse::<DateTime<Utc>>();
    parsed.map_or_else(|_| time.to_owned(), |time| state::text(time.trunc_subsecs(0)))
}
