//! Compares the rows of a table with the service's records.

use std::mem;

use chrono::{DateTime, Utc};
use tokio::task::spawn_blocking;

use super::{
    condition::{self, Condition},
    found::Found,
    held::Held,
    subject::Subject,
    synced::Synced,
};
use crate::{
    failure::Failure,
    rows::Row,
    stdout,
    sync::{
        database::Database,
        dialect::{Dialect, quoted},
        difference::Difference,
        state::{self, STATES, State},
        target::Target,
    },
};

/// The progress of comparing a table with the service's records.
pub(super) struct Comparing {
    target: Target,
    subject: Subject,
    database: Box<dyn Database>,
    held: Held,
    pub synced: Synced,
    /// The number of records that differ because they are younger than the last round of a running
    /// sync.
    pub younger: u64,
    /// Whether the result of the verification can be saved in the database.
    marks: bool,
    newest: Option<DateTime<Utc>>,
    /// The earliest creation time of a row or record that differs. `None` if no difference has been
    /// found so far.
    first_difference: Option<DateTime<Utc>>,
}

/// The maximum number of keys in one query.
const FEW: usize = 500;

impl Comparing {
    pub(super) fn open(target: &Target, subject: Subject) -> Result<Self, Failure> {
        let opened = target.read(true).and_then(|database| {
            let mut it = Self {
                target: target.clone(),
                subject,
                database,
                held: Held::default(),
                synced: Synced::default(),
                younger: 0,
                marks: true,
                newest: None,
                first_difference: None,
            };
            it.begin()?;
            Ok(it)
        });
        opened.map_err(|failure| failure.in_words(target))
    }

    /// Prepares the comparison, and stores the keys of the existing rows. Rows that a sync adds
    /// later don't count as additional.
    fn begin(&mut self) -> Result<(), Failure> {
        let Subject { table, service, .. } = &self.subject;
        let states = self.database.states()?;
        let is_running = self.database.is_locked(table.name)?;
        self.synced = Synced::of(&states, &self.subject, is_running);
        if self.synced.is_incomplete {
            stdout::say(&format!("{} isn't complete: a sync hasn't listed everything", table.name));
        }
        let is_other = |it: &&State| it.table == table.name && it.service != *service;
        if let Some(other) = states.iter().find(is_other) {
            let words = format!(
                "{} contains records from {}, not from {service}",
                table.name, other.service
            );
            return Err(Failure::other(words));
        }
        let may_mark = format!(
            "UPDATE {STATES} SET verified_through = verified_through WHERE table_name = $1"
        );
        if let Err(refused) = self.database.execute(&may_mark, &[Some(table.name)]) {
            self.marks = false;
            let reason = Failure::from(refused);
            stdout::say(&format!(
                "can't save the verification progress of {}: {reason}",
                table.name
            ));
        }
        let mut held = Held::default();
        held.fill(|with| self.each_key(with))?;
        self.held = held;
        Ok(())
    }

    /// Calls `with` for the key of each row that the listing should contain.
    fn each_key(
        &mut self,
        with: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Subject { table, conditions, .. } = &self.subject;
        let (conditions, values) = condition::sql(conditions, self.database.dialect());
        let values: Vec<_> = values.iter().map(|value| Some(&**value)).collect();
        let keys = format!(
            "SELECT CAST(t.{key} AS TEXT) FROM {} AS t WHERE NOT {} AND {conditions} ORDER BY t.{key}",
            self.database.source(table.name)?,
            self.database.is_strange(*table),
            key = table.key_name(),
        );
        Ok(self.database.each(&keys, &values, with)?)
    }

    /// The keys of the rows that no record has been compared with.
    fn left(&mut self) -> Result<Vec<String>, Failure> {
        let held = mem::take(&mut self.held);
        let mut left = Vec::new();
        if !held.is_empty() {
            self.each_key(&mut |key| {
                left.extend(held.contains(key).then(|| key.to_owned()));
                Ok(())
            })?;
        }
        Ok(left)
    }

    /// Runs `step` on a thread that is allowed to block, and prints the differences that `step`
    /// returns.
    pub(super) async fn step(
        mut self,
        step: impl FnOnce(&mut Self) -> Result<Vec<Difference>, Failure> + Send + 'static,
        found: &mut Found,
    ) -> Result<Self, Failure> {
        let compared = spawn_blocking(move || match step(&mut self) {
            Ok(differences) => Ok((self, differences)),
            Err(failure) => Err(failure.in_words(&self.target)),
        });
        let (comparing, differences) = compared.await??;
        found.add(&differences)?;
        Ok(comparing)
    }

    pub(super) fn compare(&mut self, rows: &[Box<dyn Row>]) -> Result<Vec<Difference>, Failure> {
        let table = self.subject.table;
        let records = table.records(rows, self.database.dialect())?;
        let differences = self.database.compare(table, &records)?;
        let mut missing = differences.iter().filter_map(|(at, difference)| {
            matches!(difference, Difference::Missing(_)).then_some(*at)
        });
        let mut next = missing.next();
        let found = records.iter().enumerate().filter(|(at, _)| {
            let is_missing = next == Some(*at);
            if is_missing {
                next = missing.next();
            }
            !is_missing
        });
        self.held.strike(found.filter_map(|(_, cells)| cells[table.key].as_deref()));
        self.newest = self.newest.max(rows.iter().filter_map(|row| row.created_at()).max());
        for (at, _) in &differences {
            let time = self.subject.time_of(&records[*at]);
            self.differs(time);
        }
        let is_younger =
            |(at, _): &(usize, Difference)| self.synced.is_younger(&self.subject, &records[*at]);
        let (younger, differences): (Vec<_>, Vec<_>) =
            differences.into_iter().partition(is_younger);
        self.younger += younger.len() as u64;
        if !differences.is_empty() {
            // Clears the saved time up to which the table is verified. It is set again when the
            // verification finishes.
            self.mark(None)?;
        }
        Ok(differences.into_iter().map(|(_, difference)| difference).collect())
    }

    /// Returns the additional rows, and saves the time up to which the table is verified.
    pub(super) fn end(&mut self) -> Result<Vec<Difference>, Failure> {
        let mut differences = Vec::new();
        let left = self.left()?;
        for keys in left.chunks(FEW) {
            let source = self.database.source(self.subject.table.name)?;
            self.additional(&source, "TRUE", keys, &mut differences)?;
        }
        let strange = self.database.is_strange(self.subject.table);
        let shown = quoted(self.subject.table.name);
        self.additional(&shown, &strange, &[], &mut differences)?;
        let through = match self.first_difference {
            Some(first) => self.last_before(first)?,
            None => self.newest.map(state::text),
        };
        self.mark(through.as_deref())?;
        Ok(differences)
    }

    /// Finds the rows that match `condition` and the listing's filters, and adds them to
    /// `differences` as additional rows. If `keys` isn't empty, only rows with these keys are
    /// added.
    ///
    /// The filters are checked again, because a sync may have changed a row since its key was
    /// stored.
    fn additional(
        &mut self,
        source: &str,
        condition: &str,
        keys: &[String],
        differences: &mut Vec<Difference>,
    ) -> Result<(), Failure> {
        let Subject { table, conditions, .. } = &self.subject;
        let dialect = self.database.dialect();
        let (conditions, mut values) = condition::sql(conditions, dialect);
        let first = values.len() + 1;
        values.extend(keys.iter().cloned());
        let keys: Vec<String> = (first..=values.len()).map(|at| format!("${at}")).collect();
        let key = table.key_name();
        let keys = match (dialect, keys.is_empty()) {
            (_, true) => "TRUE".to_owned(),
            (Dialect::Sqlite, _) => format!("t.{key} IN ({})", keys.join(", ")),
            // Postgres has to convert each string to the type of the key column.
            (Dialect::Postgres, _) => {
                format!("t.{key} = ANY (ARRAY[{}]::{}[])", keys.join(", "), self.key_type()?)
            }
        };
        let rows = format!(
            "SELECT CAST(t.{key} AS TEXT), CAST({} AS TEXT) FROM {source} AS t \
             WHERE {conditions} AND {keys} AND {condition} ORDER BY 1",
            self.time()
        );
        let values: Vec<_> = values.iter().map(|value| Some(&**value)).collect();
        for row in self.database.query(&rows, &values)? {
            let [key, time] = row.try_into().unwrap_or_default();
            self.differs(time.and_then(|time| time.parse().ok()));
            differences.push(Difference::Additional(key.unwrap_or_default()));
        }
        Ok(())
    }

    fn key_type(&mut self) -> Result<String, Failure> {
        let table = self.subject.table;
        let types = table.types(&self.database.columns(table.name)?, self.database.dialect());
        Ok(types.get(table.columns[table.key].name).cloned().unwrap_or_default())
    }

    /// The SQL expression for the creation time of a row `t`. Its result is in RFC 3339 format,
    /// regardless of the session's settings.
    fn time(&self) -> String {
        let time = self.subject.time.map(|column| quoted(column.name));
        match (time, self.database.dialect()) {
            (None, _) => "NULL".to_owned(),
            (Some(name), Dialect::Sqlite) => format!("t.{name}"),
            (Some(name), Dialect::Postgres) => format!("to_json(t.{name}) #>> '{{}}'"),
        }
    }

    /// The newest creation time before `time`. Because `time` is the time of the first difference,
    /// all rows up to the returned time are equal to their records.
    fn last_before(&mut self, time: DateTime<Utc>) -> Result<Option<String>, Failure> {
        let Some(column) = self.subject.time.filter(|_| time > NEVER) else { return Ok(None) };
        if let Some(newest) = self.newest.filter(|newest| *newest < time) {
            return Ok(Some(state::text(newest)));
        }
        let name = format!("t.{}", quoted(column.name));
        let before = Condition::before(column, time);
        let (conditions, values) = condition::sql(
            &[&self.subject.conditions[..], &[before]].concat(),
            self.database.dialect(),
        );
        let last = format!(
            "SELECT CAST({} AS TEXT) FROM {} AS t WHERE {conditions} AND {name} IS NOT NULL \
             ORDER BY {name} DESC LIMIT 1",
            self.time(),
            self.database.source(self.subject.table.name)?,
        );
        let values: Vec<_> = values.iter().map(|value| Some(&**value)).collect();
        let last = self.database.query(&last, &values)?.into_iter().flatten().next().flatten();
        let last = last.and_then(|time| time.parse::<DateTime<Utc>>().ok());
        Ok(last.map(state::text))
    }

    fn differs(&mut self, time: Option<DateTime<Utc>>) {
        let time = time.unwrap_or(NEVER);
        self.first_difference = Some(self.first_difference.map_or(time, |first| first.min(time)));
    }

    fn mark(&mut self, through: Option<&str>) -> Result<(), Failure> {
        if !self.marks {
            return Ok(());
        }
        let Subject { table, asked, .. } = &self.subject;
        let values = [through, Some(table.name), Some(asked)];
        Ok(self.database.execute(&state::mark(), &values)?)
    }
}

/// The creation time that is assumed for a row or record without a creation time.
const NEVER: DateTime<Utc> = DateTime::<Utc>::MIN_UTC;
