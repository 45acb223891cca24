//! The HTTP client or service that a builder was configured with.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use reqwest::Client;

use super::{
    HttpService,
    renewing::{Make, RenewingClient},
};
use crate::{Error, error::BoxError};

/// The user's HTTP client or service, or the user's function that creates clients, together with
/// the lifetime of created clients.
#[derive(Clone, Default)]
pub(crate) struct HttpSource {
    chosen: Option<Chosen>,
    pub lifetime: Option<Duration>,
}

#[derive(Clone)]
enum Chosen {
    Service(HttpService),
    From(Arc<Make>),
}

impl HttpSource {
    pub(crate) fn set(&mut self, service: HttpService) {
        self.chosen = Some(Chosen::Service(service));
    }

    pub(crate) fn set_maker<F>(&mut self, make: F)
    where
        F: Fn() -> Result<Client, BoxError> + Send + Sync + 'static,
    {
        self.chosen = Some(Chosen::From(Arc::new(move |_, _| {
            // Catches a panic in the user's function. The panic must not spread to the call, which
            // may hold a lock that other calls need.
            let outcome = catch_unwind(AssertUnwindSafe(&make));
            outcome
                .map_or_else(|_| Err(Error::configuration(PANICKED)), |made| made.map_err(not_made))
        })));
    }

    /// Returns the user's HTTP client or service, or a service that uses the user's function.
    /// Returns `None` if the user has set none of them.
    ///
    /// # Errors
    ///
    /// `Configuration` if the lifetime is zero, or if the first client can't be created. If the
    /// user's function failed with this crate's `Error`, that error is returned instead.
    pub(crate) fn resolve(&self) -> Option<Result<HttpService, Error>> {
        Some(match self.chosen.as_ref()? {
            Chosen::Service(service) => Ok(service.clone()),
            Chosen::From(make) => self.renewing(Arc::clone(make)),
        })
    }

    /// Creates a service that sends requests with clients from `make`: one client per runtime, and
    /// new clients at the end of each lifetime.
    ///
    /// # Errors
    ///
    /// The error from the first call to `make`, or `Configuration` if the lifetime is zero.
    pub(crate) fn renewing(&self, make: Arc<Make>) -> Result<HttpService, Error> {
        Ok(HttpService::Renewing(Arc::new(RenewingClient::new(make, self.lifetime)?)))
    }
}

const PANICKED: &str =
    "the HTTP client can't be created: the function passed to `http_client_from` panicked";

/// Wraps an error from the user's function that creates clients. If the function returned this
/// crate's `Error`, that error is returned unchanged.
fn not_made(cause: BoxError) -> Error {
    match cause.downcast::<Error>() {
        Ok(error) => *error,
        Err(cause) => Error::configuration("the HTTP client can't be created").caused_by(cause),
    }
}
