//! The database that a command-line option names: SQLite or Postgres.

use std::{fmt, path::PathBuf, str::FromStr};

use clap::ArgMatches;

use super::{
    database::Database, dialect::Dialect, postgres::Postgres, server::Server, sqlite::Sqlite,
    table::Table,
};
use crate::{failure::Failure, settings::Settings};

/// The database that `--to`, `--from` or `--of` names.
#[derive(Clone)]
pub(crate) enum Target {
    Sqlite(PathBuf),
    Postgres(Box<Server>),
}

impl Target {
    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Adds the settings for a Postgres server.
    ///
    /// # Errors
    ///
    /// If one of the settings is invalid.
    pub(super) fn with_settings(self, settings: &Settings) -> Result<Self, Failure> {
        Ok(match self {
            Self::Postgres(server) => Self::Postgres(Box::new(server.with_settings(settings)?)),
            Self::Sqlite(path) => Self::Sqlite(path),
        })
    }

    /// Connects to the database to sync a table, and locks the table against other syncs.
    pub(super) fn lock(&self, table: Table) -> Result<Box<dyn Database>, Failure> {
        Ok(match self {
            Self::Sqlite(path) => Box::new(Sqlite::lock(path, table)?),
            Self::Postgres(server) => Box::new(Postgres::lock(server, table)?),
        })
    }

    /// Connects to the database for reading. If `writes` is set, the saved states can also be
    /// changed, which `verify` and `status --forget` do.
    pub(super) fn read(&self, writes: bool) -> Result<Box<dyn Database>, Failure> {
        Ok(match self {
            Self::Sqlite(path) => Box::new(Sqlite::read(path, writes)?),
            Self::Postgres(server) => Box::new(Postgres::connect(server)?),
        })
    }
}

/// The database that an option names.
///
/// # Errors
///
/// If the option's value doesn't name a database. The error doesn't quote the value, because the
/// value may contain a password. Errors from clap would quote the value, so clap doesn't parse this
/// option.
pub(crate) fn named(arguments: &ArgMatches, option: &str) -> Result<Target, Failure> {
    let text = arguments.get_one::<String>(option).map(String::as_str).unwrap_or_default();
    text.parse().map_err(|reason| Failure::usage(format!("--{option} {reason}")))
}

impl FromStr for Target {
    type Err = String;

    /// # Errors
    ///
    /// The error says why the text doesn't name a database. It doesn't quote the text, which may
    /// contain a password.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if path.contains(":memory:") || path.contains("mode=memory") => {
                Err("is an in-memory database, which would be lost when the command finishes; name \
                     a file"
                    .to_owned())
            }
            Some(("sqlite", path)) if !["", "//"].contains(&path) => {
                Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into()))
            }
            Some(("postgres" | "postgresql", address)) if address.starts_with("//") => {
                Ok(Self::Postgres(Box::new(text.parse()?)))
            }
            _ => Err("is neither sqlite:FILE nor postgres://HOST/DATABASE".to_owned()),
        }
    }
}

/// Shows the database without secrets: the path of a SQLite file, or the name of a Postgres
/// database.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(server) => write!(f, "postgres:{}", server.database()),
        }
    }
}
