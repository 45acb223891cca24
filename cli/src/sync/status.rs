//! `digital-assets status`: shows the listings in a database, and how long ago each listing was
//! last synced successfully.

use std::time::Duration;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::{
    database::Database,
    state::{self, State},
    target::named,
};
use crate::{failure::Failure, generated::OPERATIONS, settings::Settings, stdout};

/// The maximum tolerated difference between the clocks of two machines.
const CLOCKS: TimeDelta = TimeDelta::minutes(1);

/// The time that a sync may take to stop after it has succeeded. An attempt that stops later than
/// that counts as failed.
const AT_ITS_END: TimeDelta = TimeDelta::minutes(1);

/// A listing of the database.
struct Held {
    state: State,
    is_running: bool,
    rows: Rows,
}

/// A table of the database.
struct Counted {
    name: String,
    rows: Rows,
    /// The number of rows that the table should have.
    expected: i64,
}

/// The result of counting the rows of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// The number of rows, which is 0 if the table doesn't exist.
    Counted(i64),
    /// Another program has locked the table, so its rows can't be counted.
    Locked,
}

pub(crate) async fn run(arguments: &ArgMatches, settings: &Settings) -> Result<(), Failure> {
    let target = named(arguments, "of")?.with_settings(settings)?;
    let words = target.to_string();
    if let Some(name) = arguments.get_one::<String>("forget").cloned() {
        let forgotten =
            tokio::task::spawn_blocking(move || forget(&mut *target.read(true)?, &name)).await?;
        let name = forgotten.map_err(|failure| failure.in_words(&words))?;
        stdout::say(&format!("{words}: removed the state of {name}; the rows stay in the table"));
        return Ok(());
    }
    let read = tokio::task::spawn_blocking(move || held(&mut *target.read(false)?));
    let (held, tables) = read.await?.map_err(|failure| failure.in_words(&words))?;
    if arguments.get_one::<String>("format").is_some_and(|format| format == "json") {
        let held: Vec<Value> = held.iter().map(Held::json).collect();
        stdout::print(format!("{}\n", serde_json::to_string_pretty(&held)?))?;
    } else {
        let lines = held.iter().map(|held| format!("{}\n", held.line()));
        stdout::print(lines.collect::<String>())?;
    }
    let lost: Vec<(&str, String)> = tables.iter().filter_map(Counted::lost).collect();
    for (_, line) in &lost {
        stdout::say(line);
    }
    if held.is_empty() {
        stdout::say(&format!("{words}: nothing has been synced into this database"));
    }
    let Some(most) = arguments.get_one::<Duration>("max-age") else { return Ok(()) };
    let is_lost = |held: &Held| lost.iter().any(|(table, _)| *table == held.state.table);
    let is_old = |held: &&Held| held.age().is_none_or(|age| age > *most) || is_lost(held);
    let old: Vec<&Held> = held.iter().filter(is_old).collect();
    match (old.first(), lost.first()) {
        (None, Some((_, line))) => Err(Failure::other(line)),
        (None, None) if !held.is_empty() => Ok(()),
        (None, None) => Err(Failure::other("the database has no listings; sync one first")),
        (Some(first), _) => Err(Failure::other(format!(
            "{} of {} listings are older than {}: {}, {}",
            old.len(),
            held.len(),
            humantime::format_duration(*most),
            first.name(),
            first.since(*most),
        ))),
    }
}

/// Reads the states of all listings in a database, and counts the rows of their tables. Doesn't
/// wait for locks.
fn held(database: &mut dyn Database) -> Result<(Vec<Held>, Vec<Counted>), Failure> {
    database.begin_without_waiting()?;
    let states = database.states()?;
    database.execute("COMMIT", &[])?;
    let (mut held, mut tables) = (Vec::new(), Vec::new());
    for states in states.chunk_by(|one, other| one.table == other.table) {
        let name = states[0].table.clone();
        let (is_running, rows) = (database.is_locked(&name)?, count(database, &name)?);
        let listings = states.iter().filter(|state| !state.is_of_table());
        held.extend(listings.map(|state| Held { state: state.clone(), is_running, rows }));
        let expected = State::of_table(states, 0).expected_rows;
        tables.push(Counted { name, rows, expected });
    }
    Ok((held, tables))
}

fn count(database: &mut dyn Database, table: &str) -> Result<Rows, Failure> {
    if database.columns(table)?.is_empty() {
        return Ok(Rows::Counted(0));
    }
    database.begin_without_waiting()?;
    let counted = database.count(table).map_err(Failure::from);
    database.execute(if counted.is_ok() { "COMMIT" } else { "ROLLBACK" }, &[])?;
    match counted {
        Err(Failure::DatabaseBusy(_)) => Ok(Rows::Locked),
        counted => counted.map(Rows::Counted),
    }
}

/// Deletes the state of the listing with this name. Returns the listing's full name.
fn forget(database: &mut dyn Database, name: &str) -> Result<String, Failure> {
    database.begin(true)?;
    let held = held_states(database)?;
    let words: Vec<&str> = name.split_whitespace().collect();
    let named = held.iter().filter(|held| held.is_named(&words)).collect::<Vec<_>>();
    let [found] = named[..] else {
        let all: Vec<String> = held.iter().map(Held::name).collect();
        let how = if named.is_empty() { "no listing" } else { "more than one listing" };
        return Err(Failure::other(format!(
            "{how} is called {name:?}; the database has: {}",
            if all.is_empty() { "none".to_owned() } else { all.join("; ") }
        )));
    };
    let State { table, asked, .. } = &found.state;
    if database.is_locked(table)? {
        return Err(Failure::other(format!(
            "a sync is writing to {table}; wait until the sync has finished"
        )));
    }
    database.execute(&state::forget(), &[Some(table), Some(asked)])?;
    database.execute("COMMIT", &[])?;
    Ok(found.name())
}

fn held_states(database: &mut dyn Database) -> Result<Vec<Held>, Failure> {
    let held = |state| Held { state, is_running: false, rows: Rows::Counted(0) };
    let states = database.states()?.into_iter().filter(|state| !state.is_of_table());
    Ok(states.map(held).collect())
}

impl Held {
    /// Whether `words` name this listing. The first word has to be the listing's table or command.
    /// The other words, if any, have to be the listing's options.
    fn is_named(&self, words: &[&str]) -> bool {
        let name = self.name();
        let own: Vec<&str> = name.split_whitespace().collect();
        let Some((first, options)) = words.split_first() else { return false };
        let of_table = OPERATIONS.iter().filter_map(|operation| {
            let listing = operation.listing()?;
            (listing.table == self.state.table).then_some(operation.command)
        });
        let is_table = *first == self.state.table || of_table.into_iter().any(|it| it == *first);
        is_table && (options.is_empty() || options == &own[1..])
    }

    /// Describes how long ago the last success was, and whether a sync of the listing is running or
    /// was attempted recently. `most` is the maximum age of a recent attempt.
    fn since(&self, most: Duration) -> String {
        let tried = age(self.state.tried_at.as_ref());
        let is_tried = self.is_running || tried.is_some_and(|tried| tried <= most);
        let succeeded = match self.age() {
            Some(age) => format!("last success {} ago", in_seconds(age)),
            None => "without a success".to_owned(),
        };
        match tried {
            _ if is_tried => format!("{succeeded}; a sync was attempted recently"),
            Some(tried) => format!(
                "{succeeded}, last tried {} ago; if this listing is no longer synced, remove it \
                 with --forget",
                in_seconds(tried)
            ),
            None => {
                format!("{succeeded}; if this listing is no longer synced, remove it with --forget")
            }
        }
    }

    /// The listing's full name: the name of its table, followed by its options.
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

    /// The time since the listing's last success. `None` if there was no success, or if the time of
    /// the last success is in the future.
    fn age(&self) -> Option<Duration> {
        age(self.state.succeeded_at.as_ref())
    }

    /// Whether a sync was attempted after the last success but didn't succeed.
    fn failed_since(&self) -> bool {
        let time = |text: &Option<String>| text.as_ref()?.parse::<DateTime<Utc>>().ok();
        let succeeded = time(&self.state.succeeded_at);
        let failed = |tried: DateTime<Utc>| succeeded.is_none_or(|it| tried - it > AT_ITS_END);
        time(&self.state.tried_at).is_some_and(failed)
    }

    fn line(&self) -> String {
        let State { service, newest, open_records, verified_through, error, .. } = &self.state;
        let rows = match self.rows {
            Rows::Counted(rows) => stdout::counted(rows.unsigned_abs(), "row") + " in the table, ",
            Rows::Locked => String::new(),
        };
        let mut parts = vec![format!("{}: {rows}from {service}", self.name())];
        parts.extend(newest.as_ref().map(|newest| format!("newest {newest}")));
        parts.extend(open_records.map(|open| format!("{open} open")));
        parts.push(match (&self.state.succeeded_at, self.age()) {
            (Some(at), Some(age)) => {
                format!("last success {} ({} ago)", seconds(at), in_seconds(age))
            }
            (Some(at), None) => format!("last success {}, which is in the future", seconds(at)),
            _ => "not complete yet".to_owned(),
        });
        let is_shown = error.is_some() || self.failed_since();
        let tried = self.state.tried_at.as_ref().filter(|_| is_shown);
        let error = error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
        parts.extend(tried.map(|at| format!("last tried {}{error}", seconds(at))));
        parts
            .extend(verified_through.as_ref().map(|through| format!("verified through {through}")));
        if self.is_running {
            parts.push(match &self.state.running_since {
                Some(since) => format!("running since {}", seconds(since)),
                None => "the table is being synced".to_owned(),
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
            "rows": match self.rows {
                Rows::Counted(rows) => Some(rows),
                Rows::Locked => None,
            },
            "newest": state.newest,
            "open": state.open_records,
            "last_success": state.succeeded_at,
            "last_tried": state.tried_at,
            "error": state.error,
            "verified_through": state.verified_through,
            "running_since": state.running_since.as_ref().filter(|_| self.is_running),
        })
    }
}

impl Counted {
    /// The name of the table and a warning, if it has lost rows or is locked by another program.
    fn lost(&self) -> Option<(&str, String)> {
        let Self { name, rows, expected } = self;
        let line = match rows {
            Rows::Counted(rows) if rows < expected => {
                format!("{name} has {rows} of the {expected} rows that were written")
            }
            Rows::Counted(_) => return None,
            Rows::Locked => {
                format!("{name} is locked by another program, so its rows aren't counted")
            }
        };
        Some((name, line))
    }
}

fn seconds(time: &str) -> String {
    let parsed = time.parse::<DateTime<Utc>>();
    parsed.map_or_else(|_| time.to_owned(), |time| state::text(time.trunc_subsecs(0)))
}

/// The time that has passed since `time`. `None` if `time` is more than a minute in the
/// future, which is possible if it comes from another machine's clock.
fn age(time: Option<&String>) -> Option<Duration> {
    let time: DateTime<Utc> = time?.parse().ok()?;
    let now = Utc::now();
    let is_near = time - now < CLOCKS;
    is_near.then(|| (now - time).to_std().unwrap_or_default())
}

fn in_seconds(age: Duration) -> humantime::FormattedDuration {
    humantime::format_duration(Duration::from_secs(age.as_secs()))
}
