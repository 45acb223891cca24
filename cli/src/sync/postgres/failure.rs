//! Converts errors from a Postgres server to messages for the user.

use std::error::Error as _;

use tokio::task::JoinError;
use tokio_postgres::{Client, Error, error::SqlState, types::Type};

use crate::{
    failure::Failure,
    sync::{column_type, database::Refused, dialect::Dialect, table::Table},
};

/// The temporary errors. After such an error, the same transaction may succeed if it is retried.
const BUSY: [SqlState; 4] = [
    SqlState::T_R_SERIALIZATION_FAILURE,
    SqlState::T_R_DEADLOCK_DETECTED,
    SqlState::TOO_MANY_CONNECTIONS,
    SqlState::LOCK_NOT_AVAILABLE,
];

/// Whether the server couldn't convert a value to the type of its column.
pub(super) fn is_of_data(error: &Error) -> bool {
    error.code().is_some_and(|code| code.code().starts_with("22"))
}

/// Converts the error of a statement whose parameters are `columns`, of which the server couldn't
/// convert a cell to the type of its column. The failure names the column and the record of that
/// cell.
pub(super) async fn named(
    error: Error,
    client: &Client,
    table: Table,
    columns: &[Vec<Option<&str>>],
) -> Failure {
    for (column, cells) in table.columns.iter().zip(columns) {
        let kind = column_type::made(column.kind, Dialect::Postgres);
        let convert = format!("SELECT count(cell::{kind}) FROM UNNEST($1::text[]) AS cells(cell)");
        let Err(error) = client.execute_typed(&convert, &[(cells, Type::TEXT_ARRAY)]).await else {
            continue;
        };
        let Some(reason) = error.as_db_error() else { return error.into() };
        let (mut first, mut end) = (0, cells.len());
        while end - first > 1 {
            let middle = usize::midpoint(first, end);
            match client
                .execute_typed(&convert, &[(&&cells[first..middle], Type::TEXT_ARRAY)])
                .await
            {
                Ok(_) => first = middle,
                Err(error) if error.as_db_error().is_some() => end = middle,
                Err(error) => return error.into(),
            }
        }
        let id = columns[table.key][first].unwrap_or_default();
        return Failure::other(format!(
            "Postgres can't store the {} of the record {id}: {}; SQLite and files can store \
             every value",
            column.name,
            reason.message(),
        ));
    }
    error.into()
}

pub(super) fn lost(ended: Result<Result<(), Error>, JoinError>) -> Failure {
    match ended {
        Ok(Err(error)) => {
            Failure::from(error).in_words("the connection was lost; run the command again")
        }
        _ => Failure::DatabaseUnreachable("the connection was closed".to_owned()),
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        // SQLSTATE class 42 means a syntax error, a wrong name or type, or a missing permission.
        let is_of_schema = error.code().is_some_and(|code| {
            code.code().starts_with("42") && *code != SqlState::INSUFFICIENT_PRIVILEGE
        });
        let objection = error.as_db_error().filter(|_| is_of_schema);
        let objection = objection.map(|reason| reason.message().to_owned());
        Self { failure: error.into(), objection }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let mut line = if let Some(reason) = error.as_db_error() {
            // Only the message, without the error's details, which may contain values from a row.
            format!("Postgres: {}", reason.message())
        } else {
            let causes = std::iter::successors(error.source(), |&cause| cause.source());
            causes.fold(format!("Postgres: {error}"), |line, cause| format!("{line}: {cause}"))
        };
        if line.contains("not valid for name") {
            line += "; if the server's certificate can't contain the name, use sslmode=verify-ca \
                     with sslrootcert";
        } else if line.contains("certificate") {
            line += "; set sslrootcert, PGSSLROOTCERT or SSL_CERT_FILE to the CA certificate";
        }
        if line.contains("password") {
            line += "; put the password into PGPASSWORD or ~/.pgpass";
        }
        // An error without a code comes from the connection. A code that starts with 57P comes from
        // a server that is shutting down, has crashed or is starting.
        if error.code().is_none_or(|code| code.code().starts_with("57P")) {
            return Self::DatabaseUnreachable(line);
        }
        let may_pass = error.code().is_some_and(|code| BUSY.contains(code));
        if may_pass { Self::DatabaseBusy(line) } else { Self::other(line) }
    }
}
