//! The tokens of a client: which token a call uses, and when another token is fetched.
//!
//! Two promises:
//!
//! - **A usable token is used.** Shortly before a token expires, one call at a time renews it, and
//!   waits only as long as the call can afford. All other calls use the old token until it expires.
//!   If the renewal fails, hangs or is abandoned, all calls use the old token.
//! - **The source isn't overloaded.** All calls that wait share one fetch. Pauses separate the
//!   fetches:
//!
//! | between | pause | calls without a token |
//! |---|---|---|
//! | renewals | 5 s, doubling up to 60 s | |
//! | fetches after a failure | 1 s, doubling up to 30 s, or longer by `Retry-After` | fail, or wait if the error is `retryable` |
//! | fetches after the third in a row that no call waited for | the same | wait, if they have time for the pause and the fetch |
//! | replacements of a rejected token | 5 s, or 1 s if the service had accepted it before | wait up to 1 s, or return the 401 with the rest of the pause |

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use reqwest::header::HeaderValue;
use tokio::time::{Instant, sleep, timeout_at};

use crate::{
    Error, Operation, TokenSource,
    auth::entry::{Entry, Lookup, REPLACEMENT_AFTER_USE},
    lock::lock,
};

/// The source of a client's tokens.
pub(crate) enum Credentials {
    /// The header of a token that can't be renewed. `None` if the client has no credentials.
    Fixed(Option<HeaderValue>),
    Source(Arc<dyn TokenSource>),
}

/// The tokens of a client and its clones.
pub(crate) struct TokenCache {
    credentials: Credentials,
    /// The scopes of every token. `None` if each operation's token has that operation's scopes.
    scopes: Option<Vec<String>>,
    /// One entry per set of scopes that a call has needed.
    entries: Mutex<Vec<Arc<Entry>>>,
}

impl TokenCache {
    /// Creates the cache. It holds one token per set of operation scopes. If `scopes` is given, it
    /// holds a single token for all operations.
    pub(crate) fn new(credentials: Credentials, scopes: Option<Vec<String>>) -> Self {
        Self { credentials, scopes, entries: Mutex::default() }
    }

    /// A new cache for tokens from another source, with the same scopes.
    pub(crate) fn with_source(&self, source: Arc<dyn TokenSource>) -> Self {
        Self::new(Credentials::Source(source), self.scopes.clone())
    }

    fn entry(&self, source: &Arc<dyn TokenSource>, operation: Operation) -> Arc<Entry> {
        let mut entries = lock(&self.entries);
        let is_its =
            |entry: &&Arc<Entry>| self.scopes.is_some() || entry.scopes == operation.scopes();
        if let Some(entry) = entries.iter().find(is_its) {
            return Arc::clone(entry);
        }
        let own = || operation.scopes().iter().map(ToString::to_string).collect();
        let scopes = self.scopes.clone().unwrap_or_else(own);
        let entry = Entry::new(Arc::clone(source), scopes);
        entries.push(Arc::clone(&entry));
        entry
    }

    /// The `Authorization` header for an operation. `None` if the client has no credentials. If
    /// there is a usable token, the call waits for a renewal for at most half of the time until its
    /// deadline.
    pub(crate) async fn token(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<Option<HeaderValue>, Error> {
        match &self.credentials {
            Credentials::Fixed(header) => Ok(header.clone()),
            Credentials::Source(source) => {
                let entry = self.entry(source, operation);
                cached_or_fetched(&entry, deadline).await.map(Some)
            }
        }
    }

    /// Drops a token that the service rejected, so that another token is fetched. Waits up to a
    /// second until the token may be dropped.
    ///
    /// # Errors
    ///
    /// The time for which the token is still kept, if that is more than a second or ends after the
    /// deadline. `None` if the token can't be replaced.
    pub(crate) async fn replace(
        &self,
        operation: Operation,
        sent: &HeaderValue,
        deadline: Instant,
    ) -> Result<(), Option<Duration>> {
        let Credentials::Source(source) = &self.credentials else { return Err(None) };
        let entry = self.entry(source, operation);
        while let Some(wait) = entry.drop_rejected(sent) {
            if wait > REPLACEMENT_AFTER_USE || Instant::now() + wait > deadline {
                return Err(Some(wait));
            }
            sleep(wait).await;
        }
        Ok(())
    }

    /// Records that the service has accepted a token.
    pub(crate) fn accept(&self, operation: Operation, sent: &HeaderValue) {
        if let Credentials::Source(source) = &self.credentials {
            self.entry(source, operation).accept(sent);
        }
    }
}

async fn cached_or_fetched(entry: &Arc<Entry>, deadline: Instant) -> Result<HeaderValue, Error> {
    loop {
        let (fetch, old) = match entry.look_up() {
            Lookup::Use(header) => return Ok(header),
            Lookup::Fail(error) => {
                let end = error.retry_after().and_then(|wait| Instant::now().checked_add(wait));
                match end.filter(|end| error.retries_token() && *end < deadline) {
                    Some(end) => entry.pause(end).await,
                    None => return Err(error),
                }
                continue;
            }
            Lookup::Pause(end) => {
                let now = Instant::now();
                let left = deadline.saturating_duration_since(now);
                // A call with less time would start a fetch in vain, and cause another pause for
                // the other calls.
                if end > now + left / 2 {
                    let message = "the token source did not respond to the last calls in time";
                    return Err(Error::token(message)
                        .with_transient(true)
                        .retry_in(Some(end - now)));
                }
                entry.pause(end).await;
                continue;
            }
            Lookup::Wait(fetch, old) => (fetch, old),
        };
        if let Some(old) = old {
            let until = old.renewal_until(Instant::now(), deadline);
            if let Ok(None) = timeout_at(until, fetch.outcome()).await {
                entry.abandon(&fetch);
            }
        }
        // `token_of` also returns the old token, as long as that token is usable.
        match entry.token_of(&fetch).await {
            // The failure has started a pause, and the next round of the loop waits for its end.
            Some(Err(error)) if error.retries_token() => continue,
            Some(outcome) => return outcome,
            None => {}
        }
        entry.abandon(&fetch);
        if fetch.is_of_this_runtime() {
            return Err(Error::token("the runtime is shutting down"));
        }
    }
}
