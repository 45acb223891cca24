//! The database that a table is in, of either kind.

use std::{fmt, path::PathBuf, str::FromStr};

use super::{
    postgres::Postgres,
    sqlite::Sqlite,
    table::{Cells, Dialect, Table},
};
use crate::failure::Failure;

/// What `--to` names.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Sqlite(PathBuf),
    Postgres(Box<::postgres::Config>),
}

/// A table of a database that nobody else syncs at the moment.
pub(super) trait Store: Send {
    /// What was written with the rows before.
    fn state(&mut self, asked: &str) -> Result<Option<String>, Failure>;

    /// Writes the rows and the state, or neither.
    fn write(&mut self, rows: &[Cells], asked: &str, state: &str) -> Result<(), Failure>;

    /// Gives the table free for others.
    fn close(self: Box<Self>) -> Result<(), Failure>;
}

impl Target {
    pub(super) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Opens it and makes the table as the description has it.
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

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => {
                Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into()))
            }
            Some(("postgres" | "postgresql", _)) => {
                let config = text.parse::<::postgres::Config>().map_err(|error| error.to_string());
                Ok(Self::Postgres(Box::new(config?)))
            }
            _ => Err("is neither sqlite:FILE nor postgres://HOST/DATABASE".to_owned()),
        }
    }
}

/// Without secrets.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(config) => write!(f, "postgres:{}", config.get_dbname().unwrap_or("")),
        }
    }
}
