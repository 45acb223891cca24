//! HTTP clients that are replaced at the end of their lifetime, one client for each tokio runtime.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Client;
use tokio::{
    runtime::{Handle, Id},
    time::Instant,
};

use super::Tls;
use crate::{Error, lock::lock};

/// A function that creates an HTTP client. The arguments are the TLS settings, and whether the
/// client may use only HTTP/1.1. A user's function ignores both arguments.
pub(super) type Make = dyn Fn(&Tls, bool) -> Result<Client, Error> + Send + Sync;

/// One HTTP client per tokio runtime, because a connection depends on the runtime in which it was
/// opened: the connection hangs while this runtime is idle, and closes when this runtime stops.
///
/// All clients are replaced at the end of their lifetime. Requests in progress keep the old
/// clients, whose connections close after the last of these requests.
pub(crate) struct RenewingClient {
    make: Arc<Make>,
    lifetime: Option<Duration>,
    /// Whether the service has rejected HTTP/2.
    http1_only: AtomicBool,
    current: Mutex<Current>,
}

struct Current {
    tls: Arc<Tls>,
    /// The clients, each with the runtime that uses it. A client without a runtime is for the next
    /// runtime that sends a request.
    clients: Vec<(Option<Id>, Client)>,
    latest: Client,
    /// The end of the clients' lifetime. The first request afterwards creates a new client. `None`
    /// means that the lifetime never ends.
    end: Option<Instant>,
}

/// The minimum time between two attempts to replace the clients. After a failed attempt, requests
/// use the old clients until the next attempt.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The maximum number of clients that are kept. There must be a maximum, because the crate can't
/// know when a runtime has stopped.
const MAX_RUNTIMES: usize = 128;

impl RenewingClient {
    /// Creates a `RenewingClient` and its first HTTP client.
    ///
    /// # Errors
    ///
    /// The error from the first call to `make`, or `Configuration` if the lifetime is zero.
    pub(crate) fn new(make: Arc<Make>, lifetime: Option<Duration>) -> Result<Self, Error> {
        if lifetime.is_some_and(|lifetime| lifetime.is_zero()) {
            return Err(Error::configuration("`connection_lifetime` is zero"));
        }
        let tls = Tls::latest();
        let client = make(&tls, false)?;
        let current = Current::new(tls, None, client, lifetime).into();
        Ok(Self { make, lifetime, http1_only: AtomicBool::new(false), current })
    }

    /// Makes the next request replace the clients with clients that use only HTTP/1.1.
    pub(crate) fn require_http1(&self) {
        if !self.http1_only.swap(true, Ordering::Relaxed) {
            lock(&self.current).end = Some(Instant::now());
        }
    }

    /// Returns the client for the current runtime, and creates a new one if necessary.
    pub(crate) fn client(&self) -> Client {
        let runtime = Handle::try_current().ok().map(|runtime| runtime.id());
        let mut current = lock(&self.current);
        let is_old = current.end.is_some_and(|end| end <= Instant::now());
        let kept = current.of(runtime);
        let tls = match &kept {
            _ if is_old => {
                current.end = end(Some(RETRY_PAUSE));
                Tls::reload()
            }
            Some(client) => return client.clone(),
            None => Arc::clone(&current.tls),
        };
        let old = kept.unwrap_or_else(|| current.latest.clone());
        drop(current);
        let Ok(client) = (self.make)(&tls, self.http1_only.load(Ordering::Relaxed)) else {
            // The log event omits the error, because the error may quote a key.
            tracing::warn!("could not create a new HTTP client; keeping the old one");
            return old;
        };
        let mut current = lock(&self.current);
        if is_old {
            *current = Current::new(tls, runtime, client.clone(), self.lifetime);
        } else if Arc::ptr_eq(&tls, &current.tls) {
            current.add(runtime, client.clone());
        }
        client
    }
}

impl Current {
    fn new(tls: Arc<Tls>, runtime: Option<Id>, client: Client, lifetime: Option<Duration>) -> Self {
        let clients = vec![(runtime, client.clone())];
        Self { tls, clients, latest: client, end: end(lifetime) }
    }

    fn of(&mut self, runtime: Option<Id>) -> Option<Client> {
        let position = |id| self.clients.iter().position(|(of, _)| *of == id);
        let own = position(runtime).or_else(|| position(None))?;
        let (of, client) = self.clients.get_mut(own)?;
        *of = runtime;
        Some(client.clone())
    }

    fn add(&mut self, runtime: Option<Id>, client: Client) {
        if self.clients.len() == MAX_RUNTIMES {
            // Removes a random client. Removing the oldest client would be worse: if more than
            // `MAX_RUNTIMES` runtimes take turns, the oldest client is needed next.
            self.clients.swap_remove(fastrand::usize(..MAX_RUNTIMES));
        }
        self.clients.push((runtime, client));
    }
}

fn end(lifetime: Option<Duration>) -> Option<Instant> {
    Instant::now().checked_add(lifetime?)
}
