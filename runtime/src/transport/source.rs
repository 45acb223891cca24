//! What a builder was told to send its requests with.

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

/// The HTTP client that a user chose, or how to make one, and how long one is used.
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
            // A call would panic, or keep a lock that another one needs.
            let outcome = catch_unwind(AssertUnwindSafe(&make));
            outcome
                .map_or_else(|_| Err(Error::configuration(PANICKED)), |made| made.map_err(not_made))
        })));
    }

    /// The user's own, if there is one.
    ///
    /// # Errors
    ///
    /// `Configuration` if the first client can't be made.
    pub(crate) fn resolve(&self) -> Option<Result<HttpService, Error>> {
        Some(match self.chosen.as_ref()? {
            Chosen::Service(service) => Ok(service.clone()),
            Chosen::From(make) => self.renewing(Arc::clone(make)),
        })
    }

    /// A client that this function makes, again for other runtimes and after each lifetime.
    ///
    /// # Errors
    ///
    /// As `make` fails the first time.
    pub(crate) fn renewing(&self, make: Arc<Make>) -> Result<HttpService, Error> {
        Ok(HttpService::Renewing(Arc::new(RenewingClient::new(make, self.lifetime)?)))
    }
}

const PANICKED: &str = "the function that makes the HTTP client panicked";

/// An error of the crate stays what it is.
fn not_made(cause: BoxError) -> Error {
    match cause.downcast::<Error>() {
        Ok(error) => *error,
        Err(cause) => Error::configuration("the HTTP client can't be made").caused_by(cause),
    }
}
