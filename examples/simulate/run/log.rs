//! What was sent and answered, and when.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hasher},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use digital_assets::Operation;
use reqwest::StatusCode;
use tokio::time::Instant;

use super::promises::{FAILURES, Renewals};

/// A handle to the one log of a seed.
#[derive(Clone)]
pub(super) struct Log(Arc<Mutex<Entries>>);

#[derive(Default)]
pub(super) struct Entries {
    begun: Option<Instant>,
    hasher: DefaultHasher,
    lines: Option<Vec<String>>,
    /// What nothing may print.
    pub(super) secrets: BTreeSet<String>,
    requests: u64,
    under_way: usize,
    most_under_way: usize,
    renewals: Renewals,
    /// When token requests failed in a row.
    failures: Vec<Instant>,
    /// Since when the program has waited for a page, if it does.
    waiting: Option<Instant>,
    longest_wait: Duration,
}

impl Log {
    pub(super) fn new(secret: &str, traced: bool) -> Self {
        let entries = Entries {
            lines: traced.then(Vec::new),
            secrets: [secret.to_owned()].into(),
            ..Entries::default()
        };
        Self(Arc::new(Mutex::new(entries)))
    }

    pub(super) fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what the program sees.
    pub(super) fn note(&self, line: &str) {
        self.entries().write(line);
    }

    /// The program begins to wait for a page. It goes on waiting while pages arrive that bring it
    /// nothing.
    pub(super) fn wait(&self) {
        self.entries().waiting = Some(Instant::now());
    }

    pub(super) fn waited(&self) {
        let mut entries = self.entries();
        entries.page();
        entries.waiting = None;
    }

    pub(super) fn sent(&self, operation: Option<Operation>, line: &str) -> Option<UnderWay> {
        let mut entries = self.entries();
        entries.requests += 1;
        entries.write(line);
        operation?;
        entries.under_way += 1;
        entries.most_under_way = entries.most_under_way.max(entries.under_way);
        Some(UnderWay(self.clone()))
    }

    pub(super) fn answered(&self, operation: Option<Operation>, status: Option<StatusCode>) {
        let mut entries = self.entries();
        let renewals = &mut entries.renewals;
        match (operation, status) {
            (Some(_), Some(StatusCode::OK)) => entries.page(),
            (Some(_), Some(StatusCode::UNAUTHORIZED)) => renewals.rejected += 1,
            (None, Some(StatusCode::OK)) => {
                renewals.granted += 1;
                entries.failures.clear();
            }
            (None, _) => entries.failure(),
            _ => {}
        }
    }
}

impl Entries {
    pub(super) fn trace(&mut self) -> (u64, Vec<String>, u64) {
        (self.hasher.finish(), self.lines.take().unwrap_or_default(), self.requests)
    }

    pub(super) fn most_under_way(&self) -> usize {
        self.most_under_way
    }

    pub(super) fn longest_wait(&self) -> Duration {
        self.longest_wait
    }

    pub(super) fn renewals(&self) -> Renewals {
        self.renewals
    }

    fn page(&mut self) {
        if let Some(since) = &mut self.waiting {
            let since = mem::replace(since, Instant::now());
            self.longest_wait = self.longest_wait.max(since.elapsed());
        }
    }

    fn failure(&mut self) {
        self.failures.push(Instant::now());
        if let Some(first) = self.failures.iter().rev().nth(FAILURES - 1) {
            let (before, time) = (self.renewals.failures, first.elapsed());
            self.renewals.failures = Some(before.map_or(time, |before| before.min(time)));
        }
    }

    fn write(&mut self, line: &str) {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let line = format!("{:12.3} {line}", begun.elapsed().as_secs_f64());
        self.hasher.write(line.as_bytes());
        if let Some(lines) = &mut self.lines {
            lines.push(line);
        }
    }
}

/// A request under way, until it is dropped.
pub(super) struct UnderWay(Log);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.entries().under_way -= 1;
    }
}
