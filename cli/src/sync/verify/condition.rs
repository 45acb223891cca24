//! SQL conditions that select the rows matching a listing's filters.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};
use uuid::Uuid;

use crate::{
    args::Values,
    failure::Failure,
    format,
    operation::{Bound, Column, Kind, Listing, Operation, Parameter, Part},
    sync::{
        dialect::{Dialect, quoted},
        table::in_microseconds,
    },
};

/// A condition on one column: either the column has one of several values (`IN`), or its time is
/// compared with a single time.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    column: Column,
    operator: &'static str,
    pub values: Vec<String>,
}

impl Condition {
    /// The condition that the column contains a time before `time`.
    pub(super) fn before(column: Column, time: DateTime<Utc>) -> Self {
        let time = time.to_rfc3339_opts(SecondsFormat::Nanos, true);
        Self { column, operator: "<", values: vec![time] }
    }
}

/// The conditions that correspond to a listing's filters.
///
/// # Errors
///
/// If the table has no suitable column for a filter. `verify` then can't tell which rows the
/// listing should contain.
pub(super) fn all(
    operation: &Operation,
    listing: &Listing,
    values: &Values,
) -> Result<Vec<Condition>, Failure> {
    let order = listing.order.as_ref();
    let paging = [listing.size, order.map(|order| order.option), order.and_then(|order| order.by)];
    let filters = operation.parameters.iter();
    let filters = filters.filter(|parameter| !paging.contains(&Some(parameter.option)));
    let given = filters.filter_map(|filter| Some((filter, values.get(filter.option)?)));
    let conditions = given.map(|(filter, values)| {
        one(listing, filter, values).ok_or_else(|| {
            Failure::other(format!(
                "verify can't apply --{} to the table, which has no column for this filter; \
                 omit this option",
                filter.option
            ))
        })
    });
    conditions.collect()
}

fn one(listing: &Listing, filter: &Parameter, values: &[String]) -> Option<Condition> {
    let named = |name: &str| {
        let is_it = |column: &&Column| column.name == name && column.part == Part::Field;
        listing.columns.iter().find(is_it).copied()
    };
    let values = values.to_vec();
    if let Some(Bound { column, operator }) = filter.bound() {
        let column = named(column).filter(|column| column.kind == Kind::Time)?;
        let values = values.iter().map(|time| format::time(time)).collect::<Option<_>>()?;
        return Some(Condition { column, operator, values });
    }
    let singular = filter.name.strip_suffix('s').filter(|_| filter.many);
    let column = named(filter.name).or_else(|| named(singular?))?;
    let values = match column.kind {
        Kind::Text => values,
        // Converts each UUID to its canonical spelling, which the table uses, however the user
        // typed it.
        Kind::Uuid => {
            let canonical = |id: String| id.parse::<Uuid>().map_or(id, |id| id.to_string());
            values.into_iter().map(canonical).collect()
        }
        _ => return None,
    };
    Some(Condition { column, operator: "IN", values })
}

/// Converts the conditions to SQL for a table `t`. Returns the SQL and the values of its
/// parameters.
pub(super) fn sql(conditions: &[Condition], dialect: Dialect) -> (String, Vec<String>) {
    let mut sql = "TRUE".to_owned();
    let mut values = Vec::new();
    for condition in conditions {
        let column = format!("t.{}", quoted(condition.column.name));
        let numbers = (1 + values.len()..).take(condition.values.len());
        let placed = numbers.map(|number| format!("${number}")).collect::<Vec<_>>().join(", ");
        let (kind, operator) = (condition.column.kind, condition.operator);
        let is_met = match (operator, kind, dialect) {
            ("IN", Kind::Uuid, _) => format!("lower(CAST({column} AS TEXT)) IN ({placed})"),
            ("IN", ..) => format!("CAST({column} AS TEXT) IN ({placed})"),
            (_, _, Dialect::Sqlite) => format!("{column} {operator} {placed}"),
            (_, _, Dialect::Postgres) => format!("{column} {operator} {placed}::timestamptz"),
        };
        // Every record has a value in a required column, so a row without one matches any filter:
        // otherwise, no verification would find it.
        let is_unset =
            if condition.column.required { format!(" OR {column} IS NULL") } else { String::new() };
        let _ = write!(sql, " AND ({is_met}{is_unset})");
        let is_cut = dialect == Dialect::Postgres && condition.column.kind == Kind::Time;
        let given = condition.values.iter().cloned();
        values.extend(given.map(|value| if is_cut { in_microseconds(value) } else { value }));
    }
    (sql, values)
}
