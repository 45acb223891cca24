//! An operation of the service: the name and the options of its command, and the function that
//! calls it.

use std::{future::Future, pin::Pin};

use digital_assets::{Error, Follow};
use serde_json::Value;

use crate::{args::Args, failure::Failure, rows::Rows};

/// One command, made from one operation of the OpenAPI description.
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
    /// The name that the service uses.
    pub name: &'static str,
    /// The option on the command line.
    pub option: &'static str,
    pub description: &'static str,
    /// The kind of its value. For an array, the kind of its entries.
    pub kind: Kind,
    /// The values that the description lists.
    pub values: &'static [&'static str],
    pub examples: &'static [&'static str],
    pub default: Option<&'static str>,
    pub minimum: Option<i64>,
    pub maximum: Option<i64>,
    pub many: bool,
    pub required: bool,
    /// The bound that the parameter sets, if the description states one.
    pub bound: Option<Bound>,
}

/// A bound on the times in a column, with its SQL operator.
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

/// A function that starts a listing with this number of concurrent requests. A listing can be
/// followed only if it can be split into time windows.
pub(crate) type Begin = fn(&Args<'_>, usize, Option<Follow>) -> Result<Box<dyn Rows>, Failure>;

#[derive(Debug)]
pub(crate) struct Listing {
    /// The columns of a record, in the order of the description.
    pub columns: &'static [Column],
    /// The name of the column with the creation time.
    pub created_at: Option<&'static str>,
    /// The option for the page cursor.
    pub cursor: &'static str,
    /// The option for the page size.
    pub size: Option<&'static str>,
    pub order: Option<Order>,
    /// Whether the listing can be split into time windows, so that concurrent requests can read it.
    pub windows: bool,
    /// The name of its table in a database.
    pub table: &'static str,
    /// Starts the listing, which returns every record. If it is followed, it returns new and
    /// changed records afterwards.
    pub rows: Begin,
}

/// The option that orders the records by time, and its values.
#[derive(Debug)]
pub(crate) struct Order {
    pub option: &'static str,
    /// The option's values.
    pub ascending: &'static str,
    pub descending: &'static str,
    /// The option for the sort key.
    pub by: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// Whether it identifies a record.
    pub is_id: bool,
    /// The value if the service leaves it out, and the client can't distinguish that from an empty
    /// one.
    pub empty: Option<Empty>,
    pub part: Part,
}

/// A value without entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// The description decides which of them are used.
#[allow(dead_code)]
pub(crate) enum Empty {
    Array,
    Object,
}

/// The part of a record that a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Which of these variants are used depends on the description.
#[allow(dead_code)]
pub(crate) enum Part {
    /// The field with the column's name.
    Field,
    /// The fields that the description allows without naming them.
    Others,
    /// The whole record, because the description doesn't name any fields.
    Whole,
}

/// The kind of a value, which decides how it is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Which of these variants are used depends on the description.
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
    /// The bound that the parameter sets, from the description or from the parameter's name
    /// (`settled_at.gte`).
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
    /// The index of the column that identifies a record and is the primary key of its table.
    pub(crate) fn key(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.is_id && column.required)
    }

    /// The column with the creation time.
    pub(crate) fn time(&self) -> Option<Column> {
        self.columns.iter().find(|column| Some(column.name) == self.created_at).copied()
    }
}
