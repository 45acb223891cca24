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
    future::ready,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::header::HeaderValue;
use tokio::time::{Instant, sleep, timeout_at};

use crate::{
    AccessToken, BoxFuture, Error, Operation, TokenSource,
    auth::{
        backoff::REPLACEMENT_AFTER_USE,
        cached_token::CachedToken,
        entry::{Entry, Lookup},
    },
};

/// The tokens of a client and its clones.
pub(crate) struct TokenCache {
    source: Arc<dyn TokenSource>,
    has_source: bool,
    /// The scopes of every token, unless each operation's token has its own.
    scopes: Option<Vec<String>>,
    /// One per set of scopes that a call has needed.
    entries: Mutex<Vec<Arc<Entry>>>,
    renewable: bool,
}

impl TokenCache {
    /// No tokens.
    pub(crate) fn none(scopes: Option<Vec<String>>) -> Self {
        struct Nothing;

        impl TokenSource for Nothing {
            fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
                Box::pin(ready(Err(Error::configuration("the client has no credentials"))))
            }
        }

        Self { has_source: false, ..Self::of(Arc::new(Nothing), scopes) }
    }

    /// Whether there are tokens.
    pub(crate) const fn has_source(&self) -> bool {
        self.has_source
    }

    /// The tokens of a source: one per operation's scopes, or one for all if `scopes` is given.
    pub(crate) fn of(source: Arc<dyn TokenSource>, scopes: Option<Vec<String>>) -> Self {
        Self { source, has_source: true, scopes, entries: Mutex::default(), renewable: true }
    }

    /// The tokens of another source, with the same scopes.
    pub(crate) fn of_another(&self, source: Arc<dyn TokenSource>) -> Self {
        Self::of(source, self.scopes.clone())
    }

    /// One token, which can't be renewed.
    pub(crate) fn fixed(token: AccessToken, scopes: Option<Vec<String>>) -> Self {
        struct Fixed(AccessToken);

        impl TokenSource for Fixed {
            fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
                Box::pin(ready(Ok(self.0.clone())))
            }
        }

        let cached = CachedToken::new(&token, Instant::now()).ok();
        let source: Arc<dyn TokenSource> = Arc::new(Fixed(token));
        let entry = Entry::new(Arc::clone(&source), Vec::new());
        entry.state().cached = cached;
        let entries = Mutex::new(vec![entry]);
        Self { source, has_source: true, scopes, entries, renewable: false }
    }

    fn entry(&self, operation: Operation) -> Arc<Entry> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let is_its = |entry: &&Arc<Entry>| {
            !self.renewable || self.scopes.is_some() || entry.scopes == operation.scopes()
        };
        if let Some(entry) = entries.iter().find(is_its) {
            return Arc::clone(entry);
        }
        let own = || operation.scopes().iter().map(ToString::to_string).collect();
        let scopes = self.scopes.clone().unwrap_or_else(own);
        let entry = Entry::new(Arc::clone(&self.source), scopes);
        entries.push(Arc::clone(&entry));
        entry
    }

    /// The `Authorization` header for an operation. While there is a usable token, a call waits for
    /// at most half of the time until its deadline.
    pub(crate) async fn token(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<HeaderValue, Error> {
        let entry = self.entry(operation);
        loop {
            let (fetch, old) = match entry.look_up() {
                Lookup::Use(header) => return Ok(header),
                Lookup::Fail(error) => return Err(error),
                Lookup::Pause(end) => {
                    let now = Instant::now();
                    let left = deadline.saturating_duration_since(now);
                    // A call with less time would ask in vain, and cost the others another pause.
                    if end > now + left / 2 {
                        return Err(unanswered().retry_in(Some(end - now)));
                    }
                    entry.pause(end).await;
                    continue;
                }
                Lookup::Wait(fetch, old) => (fetch, old),
            };
            if let Some(old) = old {
                let patience = old.patience(Instant::now(), deadline);
                if let Ok(None) = timeout_at(patience, fetch.outcome()).await {
                    entry.abandon(&fetch);
                }
            }
            // The old token too, as long as it is usable.
            if let Some(outcome) = entry.token_of(&fetch).await {
                return outcome;
            }
            entry.abandon(&fetch);
            if fetch.is_of_this_runtime() {
                return Err(Error::token("the runtime is shutting down"));
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
        if !self.renewable {
            return Err(None);
        }
        let entry = self.entry(operation);
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
        let entry = self.entry(operation);
        let mut state = entry.state();
        if let Some(cached) = state.cached.as_mut().filter(|cached| cached.header == *sent) {
            cached.is_accepted = true;
        }
    }
}

fn unanswered() -> Error {
    Error::token("the token source has not answered the last calls in time").transient(true)
}
