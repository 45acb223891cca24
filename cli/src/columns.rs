//! The columns of a listing's output, and a record's values for these columns.

use std::{borrow::Cow, ops::Deref};

use serde_json::{Map, Value};

use crate::operation::{Column, Part};

#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// All columns of the listing.
    known: &'static [Column],
    /// The columns to write, in the order of the output.
    written: Vec<Column>,
}

impl Columns {
    pub(crate) fn all(known: &'static [Column]) -> Self {
        Self { known, written: known.to_vec() }
    }

    /// Selects the columns with these names, in the order of the names.
    pub(crate) fn named<'a>(
        known: &'static [Column],
        names: impl Iterator<Item = &'a String>,
    ) -> Self {
        let called = |name| known.iter().find(|column| column.name == name).copied();
        Self { known, written: names.filter_map(called).collect() }
    }

    /// Returns each column to write, with the record's value for that column. A missing value is
    /// returned as null.
    pub(crate) fn values(&self, mut record: Value) -> impl Iterator<Item = (Column, Value)> {
        self.written.iter().map(move |column| {
            let value = match column.part {
                Part::Field => record.get_mut(column.name).map(Value::take).unwrap_or_default(),
                Part::Others => self.others_value(&record),
                Part::Whole => record.take(),
            };
            (*column, value)
        })
    }

    /// Returns the record's value for a column, without taking it. A missing value is null.
    pub(crate) fn value<'a>(&self, column: Column, record: &'a Value) -> Cow<'a, Value> {
        match column.part {
            Part::Field => record.get(column.name).map_or_else(Cow::default, Cow::Borrowed),
            Part::Others => Cow::Owned(self.others_value(record)),
            Part::Whole => Cow::Borrowed(record),
        }
    }

    fn others_value(&self, record: &Value) -> Value {
        let others: Map<_, _> = self.others(record).map(|(n, v)| (n.clone(), v.clone())).collect();
        if others.is_empty() { Value::Null } else { others.into() }
    }

    /// The identifier of a record, as a string. `None` if the listing has no identifier column, or
    /// if the record has no value for that column.
    pub(crate) fn id(&self, record: &Value) -> Option<String> {
        let id = self.known.iter().find(|column| column.is_id)?;
        let id = record.get(id.name)?;
        Some(id.as_str().map_or_else(|| id.to_string(), str::to_owned))
    }

    /// The fields of a record that the OpenAPI description doesn't name.
    pub(crate) fn others<'a>(
        &self,
        record: &'a Value,
    ) -> impl Iterator<Item = (&'a String, &'a Value)> {
        let is_named =
            |column: &Column, name: &str| column.part == Part::Field && column.name == name;
        let is_other = move |name: &str| !self.known.iter().any(|column| is_named(column, name));
        record.as_object().into_iter().flatten().filter(move |(name, _)| is_other(name))
    }
}

impl Deref for Columns {
    type Target = [Column];

    fn deref(&self) -> &[Column] {
        &self.written
    }
}
