//! The log of the requests, responses and events of a run, with their times.

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

use super::{faults::Final, tokens::Token};

/// A handle to the log of a run. Its clones share the log.
#[derive(Clone)]
pub(super) struct Log(Arc<Mutex<Entries>>);

#[derive(Default)]
pub(super) struct Entries {
    begun: Option<Instant>,
    hasher: DefaultHasher,
    lines: Option<Vec<String>>,
    /// The strings that must not be printed anywhere.
    pub(super) secrets: BTreeSet<String>,
    requests: u64,
    under_way: usize,
    most_under_way: usize,
    /// The events of tokens, with their times.
    tokens: Vec<(Duration, Token)>,
    token_requests: u32,
    /// Counts of the responses that the client doesn't retry.
    pub(super) sent: Final,
    /// The numbers of the cancelled calls.
    pub(super) dropped: BTreeSet<u32>,
    /// The number of requests that were sent for cancelled calls.
    pub(super) late: u64,
    /// The number of requests to an address that the program didn't set, such as the target of a
    /// redirect.
    pub(super) strays: u64,
    /// When the program started to wait for a page; `None` if it isn't waiting.
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

    /// Adds a line to the log.
    pub(super) fn note(&self, line: &str) {
        self.entries().write(line);
    }

    /// Records that the program starts to wait for a record. Each page that arrives ends this wait
    /// and starts another one, until `waited` is called.
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

    pub(super) fn answered(&self, operation: Option<Operation>, status: StatusCode) {
        match (operation, status) {
            (Some(_), StatusCode::OK) => {
                self.entries().page();
                self.token(Token::Accepted);
            }
            (Some(_), StatusCode::UNAUTHORIZED) => self.token(Token::Rejected),
            _ => {}
        }
    }

    /// Records a token request. Returns its number, starting at 1.
    pub(super) fn asked(&self) -> u32 {
        self.token(Token::Asked);
        let mut entries = self.entries();
        entries.token_requests += 1;
        entries.token_requests
    }

    pub(super) fn token(&self, event: Token) {
        let mut entries = self.entries();
        if event == Token::Asked || entries.tokens.last().is_none_or(|(_, last)| *last != event) {
            let now = entries.elapsed();
            entries.tokens.push((now, event));
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

    pub(super) fn tokens(&self) -> (&[(Duration, Token)], u32) {
        (&self.tokens, self.token_requests)
    }

    fn page(&mut self) {
        if let Some(since) = &mut self.waiting {
            let since = mem::replace(since, Instant::now());
            self.longest_wait = self.longest_wait.max(since.elapsed());
        }
    }

    fn elapsed(&mut self) -> Duration {
        self.begun.get_or_insert_with(Instant::now).elapsed()
    }

    fn write(&mut self, line: &str) {
        let line = format!("{:12.3} {line}", self.elapsed().as_secs_f64());
        self.hasher.write(line.as_bytes());
        if let Some(lines) = &mut self.lines {
            lines.push(line);
        }
    }
}

/// A request in progress, until this value is dropped.
pub(super) struct UnderWay(Log);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.entries().under_way -= 1;
    }
}
