//! An operation as the tool knows it: its command's name and options, and how to call it.

use std::{future::Future, pin::Pin};

use digital_assets::{Error, Follow};
use serde_json::Value;

use crate::{args::Args, failure::Failure, rows::Rows};

/// One command, made from one operation of the description.
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
    /// The service's name.
    pub name: &'static str,
    /// The option on the command line.
    pub option: &'static str,
    pub description: &'static str,
    /// The kind of its value, or of an array's entries.
    pub kind: Kind,
    /// The known values of the description.
    pub values: &'static [&'static str],
    pub examples: &'static [&'static str],
    pub default: Option<&'static str>,
    pub minimum: Option<i64>,
    pub maximum: Option<i64>,
    pub many: bool,
    pub required: bool,
    /// The bound that it sets, if the description states it.
    pub bound: Option<Bound>,
}

/// A bound for the times in a column, with its SQL operator.
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

/// Sends a call and returns its response as JSON.
pub(crate) type Answer<'a> =
    Pin<Box<dyn Future<Output = Result<Result<Value, serde_json::Error>, Error>> + Send + 'a>>;

/// Starts a listing. It can be followed only if it can be split into windows of time.
pub(crate) type Begin = fn(&Args<'_>, usize, Option<Follow>) -> Result<Box<dyn Rows>, Failure>;

#[derive(Debug)]
pub(crate) struct Listing {
    /// The columns of a record, in the order of the description.
    pub columns: &'static [Column],
    /// The column of the creation time.
    pub created_at: Option<&'static str>,
    /// The option for the cursor of a page.
    pub cursor: &'static str,
    /// The option for the size of a page.
    pub size: Option<&'static str>,
    pub order: Option<Order>,
    /// Whether concurrent requests can list it.
    pub windows: bool,
    /// The name of its table in a database.
    pub table: &'static str,
    /// Lists every record, with this many concurrent requests. If it follows, returns new and
    /// changed records afterwards.
    pub rows: Begin,
}

/// The order of the records by time.
#[derive(Debug)]
pub(crate) struct Order {
    pub option: &'static str,
    /// Its values.
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
    /// The value of a record without one, if the client doesn't tell it from an empty one.
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

/// The part of a record that is in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// The description decides which of them are used.
#[allow(dead_code)]
pub(crate) enum Part {
    /// The field that it is named after.
    Field,
    /// The fields that the description allows without naming them.
    Others,
    /// The whole record, because the description names no fields.
    Whole,
}

/// The kind of a value, which decides how it is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// The description decides which of them are used.
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

    /// The parameter for the size of a page.
    pub(crate) fn page_size(&self) -> Option<&'static Parameter> {
        let size = self.listing()?.size?;
        self.parameters.iter().find(|parameter| parameter.option == size)
    }
}

impl Parameter {
    /// The bound that it sets, from the description or from its name (`settled_at.gte`).
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
    /// The column that identifies a record and is its table's key.
    pub(crate) fn key(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.is_id && column.required)
    }

    /// The column of the creation time.
    pub(crate) fn time(&self) -> Option<Column> {
        self.columns.iter().find(|column| Some(column.name) == self.created_at).copied()
    }
}
