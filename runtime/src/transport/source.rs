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

/// The user's HTTP client or service, or the function that creates clients, and the clients'
/// lifetime.
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
            // Catches a panic. If it weren't caught, the call would panic too, or keep a lock that
            // other calls need.
            let outcome = catch_unwind(AssertUnwindSafe(&make));
            outcome
                .map_or_else(|_| Err(Error::configuration(PANICKED)), |made| made.map_err(not_made))
        })));
    }

    /// The user's HTTP client or service, if there is one.
    ///
    /// # Errors
    ///
    /// `Configuration` if the first client can't be created.
    pub(crate) fn resolve(&self) -> Option<Result<HttpService, Error>> {
        Some(match self.chosen.as_ref()? {
            Chosen::Service(service) => Ok(service.clone()),
            Chosen::From(make) => self.renewing(Arc::clone(make)),
        })
    }

    /// A service that sends with clients created by `make`: one client per runtime, and new clients
    /// after each lifetime.
    ///
    /// # Errors
    ///
    /// The error of the first call to `make`.
    pub(crate) fn renewing(&self, make: Arc<Make>) -> Result<HttpService, Error> {
        Ok(HttpService::Renewing(Arc::new(RenewingClient::new(make, self.lifetime)?)))
    }
}

const PANICKED: &str = "the function that makes the HTTP client panicked";

/// Wraps an error from the user's function. If the function returned this crate's `Error`, it is
/// kept as it is.
fn not_made(cause: BoxError) -> Error {
    match cause.downcast::<Error>() {
        Ok(error) => *error,
        Err(cause) => Error::configuration("the HTTP client can't be made").caused_by(cause),
    }
}
