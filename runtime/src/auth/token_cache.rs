//! The tokens of a client: which token a call uses, and when a new token is fetched.
//!
//! The cache makes two promises:
//!
//! - **A usable token is used.** Shortly before a token expires, one call at a time renews it. This
//!   call waits for the new token for at most 5 s, and for at most half of the time until its
//!   deadline. All other calls use the old token until it expires. If the renewal fails, takes too
//!   long or is abandoned, all calls use the old token.
//! - **The source isn't overloaded.** All calls that wait for a token share one fetch. Pauses
//!   separate the fetches:
//!
//! | between | pause | calls that need a token during the pause |
//! |---|---|---|
//! | renewals of a usable token | 5 s, doubling up to 60 s | use the old token |
//! | fetches, after a failure | 1 s, doubling up to 30 s, or `Retry-After` if that is longer | fail, or wait if the error is `retryable` |
//! | fetches, after three in a row that no call waited for | 1 s, doubling up to 30 s | wait, if they have time for the pause and the fetch |
//! | replacements of a rejected token | 5 s, or 1 s if the service had accepted the token before | wait, if the pause ends within 1 s; if not, return the 401 with the rest of the pause |

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use reqwest::header::HeaderValue;
use tokio::time::Instant;

use crate::{Error, Operation, TokenSource, auth::entry::Entry, lock::lock};

/// The source of a client's tokens.
pub(crate) enum Credentials {
    /// The `Authorization` header for a fixed token. `None` if the client has no credentials.
    Fixed(Option<HeaderValue>),
    Source(Arc<dyn TokenSource>),
}

/// The tokens of a client, shared with the client's clones.
pub(crate) struct TokenCache {
    credentials: Credentials,
    /// The scopes of all tokens. If `None`, a token has the scopes of the operation that needs it.
    scopes: Option<Vec<String>>,
    /// One entry per set of scopes that a call has needed.
    entries: Mutex<Vec<Arc<Entry>>>,
}

impl TokenCache {
    /// Creates an empty cache. If `scopes` is given, the cache holds a single token for all
    /// operations. If not, the cache holds one token per set of operation scopes.
    pub(crate) fn new(credentials: Credentials, scopes: Option<Vec<String>>) -> Self {
        Self { credentials, scopes, entries: Mutex::default() }
    }

    /// Creates an empty cache with the same scopes, for tokens from another source.
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

    /// Returns the `Authorization` header for an operation, and fetches or renews the token if
    /// necessary. `None` if the client has no credentials.
    ///
    /// If there is a usable token, the call waits for a renewal for at most 5 s, and for at most
    /// half of the time until `deadline`.
    pub(crate) async fn token(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<Option<HeaderValue>, Error> {
        match &self.credentials {
            Credentials::Fixed(header) => Ok(header.clone()),
            Credentials::Source(source) => {
                self.entry(source, operation).token(deadline).await.map(Some)
            }
        }
    }

    /// Drops a token that the service rejected, so that a new token is fetched. If the token can't
    /// be dropped yet, waits up to a second. Returns whether the next token counts as a
    /// replacement, which the token from a fetch before the rejection doesn't.
    ///
    /// # Errors
    ///
    /// `Some` with the time until the token can be dropped, if this wait would be longer than a
    /// second or end after `deadline`. `None` if the client has a fixed token, which can't be
    /// replaced.
    pub(crate) async fn replace(
        &self,
        operation: Operation,
        sent: &HeaderValue,
        deadline: Instant,
    ) -> Result<bool, Option<Duration>> {
        let Credentials::Source(source) = &self.credentials else { return Err(None) };
        self.entry(source, operation).replace(sent, deadline).await.map_err(Some)
    }

    /// Records that the service has accepted the token `sent`.
    pub(crate) fn accept(&self, operation: Operation, sent: &HeaderValue) {
        if let Credentials::Source(source) = &self.credentials {
            self.entry(source, operation).accept(sent);
        }
    }
}
