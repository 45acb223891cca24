//! The database that `--to` names: SQLite or Postgres.

use std::{error::Error as _, fmt, path::PathBuf, str::FromStr};

use clap::ArgMatches;
use tokio_postgres::Config;

use super::{
    postgres::{Postgres, with_password},
    sqlite::Sqlite,
    store::Opened,
    table::{Dialect, Table},
};
use crate::failure::Failure;

/// What `--to` names.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Sqlite(PathBuf),
    Postgres(Box<Config>),
}

impl Target {
    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Opens it and creates the table from the description.
    pub(super) fn open(
        &self,
        table: Table,
        service: &str,
        asked: &[String],
        password: Option<String>,
    ) -> Result<Opened, Failure> {
        match self {
            Self::Sqlite(path) => Sqlite::open(path, table, service, asked),
            Self::Postgres(config) => {
                let config = with_password(config, password);
                Postgres::open(&config, table, service, asked)
            }
        }
    }
}

/// The database that an option names.
///
/// # Errors
///
/// Says why it is none, without the text: it may have a password, which clap would print.
pub(crate) fn named(arguments: &ArgMatches, option: &str) -> Result<Target, Failure> {
    let text = arguments.get_one::<String>(option).map(String::as_str).unwrap_or_default();
    text.parse().map_err(|reason| Failure::usage(format!("--{option} {reason}")))
}

impl FromStr for Target {
    type Err = String;

    /// # Errors
    ///
    /// Says why, without the text: it may have a password.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if path.contains(":memory:") || path.contains("mode=memory") => {
                Err("is in memory, and would be lost at the end".to_owned())
            }
            Some(("sqlite", path)) if !path.is_empty() => {
                Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into()))
            }
            Some(("postgres" | "postgresql", address)) if address.starts_with("//") => {
                // TLS always verifies the certificate and the host name.
                let text = text.replace("sslmode=verify-full", "sslmode=require");
                let config: Config = text.parse().map_err(|error| reason(&error))?;
                if config.get_password().is_some() {
                    return Err("has a password, which others can see on a command line; put it \
                                into PGPASSWORD or ~/.pgpass"
                        .to_owned());
                }
                Ok(Self::Postgres(Box::new(config)))
            }
            _ => Err("is neither sqlite:FILE nor postgres://HOST/DATABASE".to_owned()),
        }
    }
}

/// Why it isn't an address, without any part of it that may be one of its password.
fn reason(error: &tokio_postgres::Error) -> String {
    let reason = error.source().map(ToString::to_string).unwrap_or_default();
    match reason.strip_prefix("invalid value for option ") {
        Some(option) => format!("has an invalid {option}"),
        None => "is no postgres://USER@HOST/NAME?OPTION=VALUE".to_owned(),
    }
}

/// The address without its secrets.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(config) => write!(f, "postgres:{}", config.get_dbname().unwrap_or("")),
        }
    }
}
