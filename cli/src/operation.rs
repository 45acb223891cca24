//! An operation of the service: the name and the options of its command, and the function that
//! calls it.

use std::{future::Future, pin::Pin};

use digital_assets::Error;
use serde_json::Value;

use crate::{
    args::Args,
    failure::Failure,
    rows::{Round, Rows},
};

/// An operation of the OpenAPI description, and the command that calls it.
#[derive(Debug)]
pub(crate) struct Operation {
    pub command: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    pub description: Option<&'static str>,
    pub deprecated: bool,
    pub parameters: &'static [Parameter],
    pub body: Option<Body>,
    pub call: Call,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    /// The parameter's name in a request to the service.
    pub name: &'static str,
    /// The name of the parameter's command-line option, without the leading hyphens.
    pub option: &'static str,
    pub description: &'static str,
    /// The kind of the parameter's value. For an array, this is the kind of the entries.
    pub kind: Kind,
    /// The values that the OpenAPI description lists for the parameter. Empty if no values are
    /// listed.
    pub values: &'static [&'static str],
    pub examples: &'static [&'static str],
    pub default: Option<&'static str>,
    pub minimum: Option<i64>,
    pub maximum: Option<i64>,
    pub many: bool,
    pub required: bool,
    /// The bound that the parameter sets on a column. `None` unless the OpenAPI description
    /// declares the bound.
    pub bound: Option<Bound>,
}

/// A bound on the times in a column: the name of the column, and the SQL operator for the
/// comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub column: &'static str,
    pub operator: &'static str,
}

#[derive(Debug)]
pub(crate) struct Body {
    pub example: Option<&'static str>,
    pub required: bool,
}

#[derive(Debug)]
pub(crate) enum Call {
    Answer(for<'a> fn(&'a Args<'a>) -> Result<Answer<'a>, Failure>),
    Listing(Listing),
}

/// A future that sends a request and returns the response as JSON.
pub(crate) type Answer<'a> =
    Pin<Box<dyn Future<Output = Result<Result<Value, serde_json::Error>, Error>> + Send + 'a>>;

/// A function that starts a listing. It takes the listing's arguments, the number of concurrent
/// requests and, if only one round of it is to be read, that round.
///
/// Only a listing that can be split into time windows has rounds.
pub(crate) type Begin = fn(&Args<'_>, usize, Option<Round>) -> Result<Box<dyn Rows>, Failure>;

#[derive(Debug)]
pub(crate) struct Listing {
    /// The columns of a record, in the order of the OpenAPI description.
    pub columns: &'static [Column],
    /// The name of the column that contains the creation time.
    pub created_at: Option<&'static str>,
    /// The name of the option for the page cursor.
    pub cursor: &'static str,
    /// The name of the option for the page size.
    pub size: Option<&'static str>,
    pub order: Option<Order>,
    /// Whether the listing can be split into time windows, so that concurrent requests can read it.
    pub windows: bool,
    /// The name of the listing's table in a database.
    pub table: &'static str,
    /// Starts the listing, which returns every record, or a round of it.
    pub rows: Begin,
}

/// The option that orders the records by time, and its values.
#[derive(Debug)]
pub(crate) struct Order {
    pub option: &'static str,
    /// The option's value for ascending order.
    pub ascending: &'static str,
    /// The option's value for descending order.
    pub descending: &'static str,
    /// The name of the option for the sort key.
    pub by: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// Whether the column contains the record's identifier.
    pub is_id: bool,
    /// The empty value to write if the service leaves out the field. `None` unless the client
    /// treats a missing value and an empty value in the same way.
    pub empty: Option<Empty>,
    pub part: Part,
}

/// An empty array or an empty object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Which of these variants are used depends on the OpenAPI description.
#[allow(dead_code)]
pub(crate) enum Empty {
    Array,
    Object,
}

/// The part of a record that a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Which of these variants are used depends on the OpenAPI description.
#[allow(dead_code)]
pub(crate) enum Part {
    /// The field with the column's name.
    Field,
    /// All fields that the OpenAPI description allows but doesn't name.
    Others,
    /// The whole record. Used if the OpenAPI description doesn't name any fields.
    Whole,
}

/// The kind of a value, which determines how the value is parsed and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Which of these variants are used depends on the OpenAPI description.
#[allow(dead_code)]
pub(crate) enum Kind {
    Text,
    Uuid,
    Time,
    Date,
    /// A decimal number as a string.
    Decimal,
    Integer,
    Number,
    Boolean,
    /// An array or an object.
    Json,
}

impl Operation {
    pub(crate) fn listing(&self) -> Option<&Listing> {
        match &self.call {
            Call::Listing(listing) => Some(listing),
            Call::Answer(_) => None,
        }
    }

    /// The parameter for the page size.
    pub(crate) fn page_size(&self) -> Option<&'static Parameter> {
        let size = self.listing()?.size?;
        self.parameters.iter().find(|parameter| parameter.option == size)
    }
}

impl Parameter {
    /// The bound that the parameter sets on a column: the bound that the OpenAPI description
    /// declares, or else a bound derived from the parameter's name, such as `settled_at.gte`.
    pub(crate) fn bound(&self) -> Option<Bound> {
        self.bound.or_else(|| {
            let (column, side) = self.name.rsplit_once('.')?;
            let operator = match side {
                "begin" | "gte" => ">=",
                "end" | "lte" => "<=",
                "lt" => "<",
                "gt" => ">",
                "eq" => "=",
                _ => return None,
            };
            Some(Bound { column, operator })
        })
    }
}

impl Listing {
    /// The index of the column that contains the identifier and is the table's primary key. `None`
    /// if the records don't always have an identifier.
    pub(crate) fn key(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.is_id && column.required)
    }

    /// The column that contains the creation time.
    pub(crate) fn time(&self) -> Option<Column> {
        self.columns.iter().find(|column| Some(column.name) == self.created_at).copied()
    }
}
