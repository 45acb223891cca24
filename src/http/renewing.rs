//! An HTTP client that is replaced by a fresh one when it is old.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::Client;
use tokio::time::Instant;

use super::choice::Make;
use crate::Error;

/// A client that is replaced at the end of its lifetime. Requests under way keep the old one, and its
/// connections end with the last of them.
pub(crate) struct RenewingClient {
    make: Arc<Make>,
    lifetime: Option<Duration>,
    current: Mutex<Current>,
}

struct Current {
    client: Client,
    /// From then on, the next request makes another. `None` is never.
    end: Option<Instant>,
}

/// The time between two attempts to make a client. Meanwhile, requests use the old one.
const PAUSE: Duration = Duration::from_secs(1);

impl RenewingClient {
    /// # Errors
    ///
    /// `Configuration` if the first client can't be made.
    pub(crate) fn new(make: Arc<Make>, lifetime: Option<Duration>) -> Result<Self, Error> {
        let client = make().map_err(|cause| match cause.downcast::<Error>() {
            Ok(error) => *error,
            Err(cause) => Error::configuration("the HTTP client can't be made").caused_by(cause),
        })?;
        let current = Current { client, end: end(lifetime) }.into();
        Ok(Self { make, lifetime, current })
    }

    /// The client for the next request.
    pub(crate) fn client(&self) -> Client {
        let old = {
            let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            if current.end.is_none_or(|end| Instant::now() < end) {
                return current.client.clone();
            }
            current.end = end(Some(PAUSE));
            current.client.clone()
        };
        let Ok(client) = (self.make)() else {
            // Without the error, which may quote a key.
            tracing::warn!("no fresh HTTP client could be made, so the old one goes on");
            return old;
        };
        let current = Current { client: client.clone(), end: end(self.lifetime) };
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = current;
        client
    }
}

fn end(lifetime: Option<Duration>) -> Option<Instant> {
    Instant::now().checked_add(lifetime?)
}
