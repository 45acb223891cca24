//! The tokens of a client: which one a call uses, and when the source is asked for another.
//!
//! Two promises:
//!
//! - **A usable token is used.** Shortly before a token expires, one call at a time renews it,
//!   and waits no longer than it can afford. All other calls go on with the old token until it
//!   expires. So do all calls after a renewal that failed, hung or was abandoned.
//! - **The source isn't overloaded.** It is asked once for all calls that wait, and again only
//!   after a pause that doubles: 5 s to 60 s between renewals, and 1 s to 30 s after a failure (more
//!   if `Retry-After` says so) or after the third request in a row that nobody waited for. Calls with
//!   the time for both wait for the end of such a pause and then for the request. A token that the
//!   service rejects is replaced at most once in five seconds, or once a second if it had accepted
//!   the token before. A call waits up to a second for that; its 401 says how much longer it would be.

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

/// What a client gets its tokens from.
pub(crate) enum Credentials {
    /// The header of one token, which can't be renewed, or none.
    Fixed(Option<HeaderValue>),
    Source(Arc<dyn TokenSource>),
}

/// The tokens of a client and its clones.
pub(crate) struct TokenCache {
    credentials: Credentials,
    /// The scopes of every token, unless each operation's token has its own.
    scopes: Option<Vec<String>>,
    /// One per set of scopes that a call has needed.
    entries: Mutex<Vec<Arc<Entry>>>,
}

impl TokenCache {
    /// One token per operation's scopes, or one for all if `scopes` is given.
    pub(crate) fn new(credentials: Credentials, scopes: Option<Vec<String>>) -> Self {
        Self { credentials, scopes, entries: Mutex::default() }
    }

    /// The tokens of another source, with the same scopes.
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

    /// The `Authorization` header for an operation, or `None` without credentials. While there is a
    /// usable token, a call waits for at most half of the time until its deadline.
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

    /// Drops a token that the service rejected, so that the source is asked for another. Waits for up
    /// to a second until the source may be asked.
    ///
    /// # Errors
    ///
    /// How much longer the token is kept, if that is more than a second or ends after the deadline.
    /// `None` if it can't be replaced.
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

    /// Notes that the service has accepted a token.
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
                // A call with less time would ask in vain, and cost the others another pause.
                if end > now + left / 2 {
                    let message = "the token source has not answered the last calls in time";
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
        // The old token too, as long as it is usable.
        match entry.token_of(&fetch).await {
            // It has begun a pause.
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
