//! The database that `--to` names: SQLite or Postgres.

use std::{error::Error as _, fmt, path::PathBuf, str::FromStr};

use tokio_postgres::Config;

use super::{
    postgres::Postgres,
    sqlite::Sqlite,
    store::Store,
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
        password: Option<String>,
    ) -> Result<Box<dyn Store>, Failure> {
        Ok(match self {
            Self::Sqlite(path) => Box::new(Sqlite::open(path, table)?),
            Self::Postgres(config) => {
                let mut config = (**config).clone();
                if let (Some(password), None) = (password, config.get_password()) {
                    config.password(password);
                }
                Box::new(Postgres::open(&config, table)?)
            }
        })
    }
}

impl FromStr for Target {
    type Err = String;

    /// # Errors
    ///
    /// Says why, without the text: it may have a password.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => {
                Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into()))
            }
            Some(("postgres" | "postgresql", address)) if address.starts_with("//") => {
                // TLS always verifies the certificate and the host name.
                let text = text.replace("sslmode=verify-full", "sslmode=require");
                text.parse()
                    .map(|config| Self::Postgres(Box::new(config)))
                    .map_err(|error| reason(&error))
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
