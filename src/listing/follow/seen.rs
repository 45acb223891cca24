//! What a followed listing has handed out of the time that its rounds ask for again.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Change;
use crate::listing::{Id, Timed, fingerprint::Fingerprint};

#[derive(Default)]
pub(super) struct Seen {
    /// Of what is older nothing is known any more, and no round asks for it.
    from: Option<DateTime<Utc>>,
    contents: HashMap<Id, (DateTime<Utc>, u64)>,
    by_time: BTreeSet<(DateTime<Utc>, Id)>,
}

/// A record in a checkpoint: its time, its identifier, and its content's hash.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark(DateTime<Utc>, String, String);

/// Longer identifiers are told apart by their hashes.
const LONGEST_ID: usize = 100;

impl Seen {
    pub(super) fn of(from: Option<DateTime<Utc>>, marks: Vec<Mark>) -> Self {
        let mut seen = Self { from, ..Self::default() };
        for Mark(time, id, content) in marks {
            let content = u64::from_str_radix(&content, 16).unwrap_or_default();
            seen.keep(Id::from(id.as_str()), time, content);
        }
        seen
    }

    pub(super) fn from(&self) -> Option<DateTime<Utc>> {
        self.from
    }

    /// The newest record's time is never forgotten: no round begins after it.
    pub(super) fn before_newest(&self, span: Duration) -> Option<DateTime<Utc>> {
        let (newest, _) = self.by_time.last()?;
        let span = chrono::TimeDelta::from_std(span).unwrap_or(chrono::TimeDelta::MAX);
        Some(newest.checked_sub_signed(span).unwrap_or(DateTime::<Utc>::MIN_UTC))
    }

    /// What has happened to a record of a round that asked for this time and later.
    pub(super) fn look<T: Timed>(
        &mut self,
        record: T,
        asked: Option<DateTime<Utc>>,
    ) -> Option<Change<T>> {
        let time = record.created_at()?;
        let content = content(&record);
        let id = record.id().map_or_else(|| Id::from(hex(content).as_str()), |id| known_by(&id));
        match self.contents.get(&id) {
            Some((_, known)) if *known == content => None,
            Some(_) => {
                self.keep(id, time, content);
                Some(Change::Changed(record))
            }
            // A service that reads bounds in coarser units shows what was forgotten.
            None if asked.max(self.from).is_some_and(|from| time < from) => None,
            None => {
                self.keep(id, time, content);
                Some(Change::New(record))
            }
        }
    }

    fn keep(&mut self, id: Id, time: DateTime<Utc>, content: u64) {
        if let Some((before, _)) = self.contents.insert(id.clone(), (time, content)) {
            self.by_time.remove(&(before, id.clone()));
        }
        self.by_time.insert((time, id));
    }

    pub(super) fn forget_before(&mut self, time: Option<DateTime<Utc>>) {
        self.from = self.from.max(time);
        while let (Some(from), Some((time, _))) = (self.from, self.by_time.first())
            && *time < from
        {
            if let Some((_, id)) = self.by_time.pop_first() {
                self.contents.remove(&id);
            }
        }
    }

    /// What is known of this time and later.
    pub(super) fn marks(&self, from: Option<DateTime<Utc>>) -> Vec<Mark> {
        let since = self.by_time.iter().filter(|(time, _)| from.is_none_or(|from| *time >= from));
        since
            .map(|(time, id)| {
                let content = self.contents.get(id).map_or(0, |(_, content)| *content);
                Mark(*time, id.to_string(), hex(content))
            })
            .collect()
    }
}

fn known_by(id: &Id) -> Id {
    let text = id.to_string();
    if text.len() <= LONGEST_ID {
        return Id::from(text);
    }
    let mut hash = Fingerprint::new();
    hash.add(&text);
    let (start, first) = (text.chars().take(LONGEST_ID / 4).collect::<String>(), hash.value());
    hash.add(&text);
    Id::from(format!("{start}…{}{}", hex(first), hex(hash.value())).as_str())
}

/// Of a record as it was decoded.
fn content<T: Timed>(record: &T) -> u64 {
    Fingerprint::of_json(&serde_json::to_value(record).unwrap_or(Value::Null))
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}
