//! A server of Postgres: what its address says, and the settings of libpq that complete it.

use std::{error::Error as _, str::FromStr};

use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};

use super::{pgpass, tls};
use crate::failure::Failure;

#[derive(Clone, Debug)]
pub(crate) struct Server {
    config: Config,
}

impl Server {
    pub(super) fn with_settings(mut self, setting: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(password) = setting("PGPASSWORD") {
            self.config.password(password);
        }
        self
    }

    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }

    /// The task ends when the connection does.
    pub(super) async fn connect(&self) -> Result<(Client, JoinHandle<Result<(), Error>>), Failure> {
        let mut config = self.config.clone();
        if config.get_password().is_none()
            && let Some(password) = pgpass::find(&config)
        {
            config.password(password);
        }
        tls::connect(&config).await
    }
}

impl FromStr for Server {
    type Err = String;

    /// # Errors
    ///
    /// Says why, without the text: it may have a password.
    fn from_str(text: &str) -> Result<Self, String> {
        // TLS always verifies the certificate and the host name.
        let text = text.replace("sslmode=verify-full", "sslmode=require");
        let config: Config = text.parse().map_err(|error| reason(&error))?;
        if config.get_password().is_some() {
            return Err("has a password, which others can see on a command line; put it into \
                        PGPASSWORD or ~/.pgpass"
                .to_owned());
        }
        Ok(Self { config })
    }
}

/// Why it isn't an address, without any part of it that may be one of its password.
fn reason(error: &Error) -> String {
    let reason = error.source().map(ToString::to_string).unwrap_or_default();
    match reason.strip_prefix("invalid value for option ") {
        Some(option) => format!("has an invalid {option}"),
        None => "is no postgres://USER@HOST/NAME?OPTION=VALUE".to_owned(),
    }
}
