//! Converts a record, written as JSON, to the cells of its row. Most values are strings, so no JSON
//! value is built for the whole record.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::operation::Column;

/// The cells of a record, in the order of the columns. `None` means null.
pub(super) type Cells = Vec<Option<String>>;

/// The columns of a table, all of which are fields of the record.
#[derive(Clone, Copy)]
pub(super) struct Fields<F> {
    pub columns: &'static [Column],
    /// Converts a value to the cell of a column.
    pub cell: F,
}

impl<'de, F: Fn(Column, Value) -> Option<String>> DeserializeSeed<'de> for Fields<F> {
    type Value = Cells;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cells, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: Fn(Column, Value) -> Option<String>> Visitor<'de> for Fields<F> {
    type Value = Cells;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cells, A::Error> {
        let mut cells = vec![None; self.columns.len()];
        // A record has its fields in the order of the columns, perhaps without some of them.
        let mut next = 0;
        while let Some(at) = map.next_key_seed(Name { columns: self.columns, next })? {
            let Some(at) = at else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            cells[at] = (self.cell)(self.columns[at], map.next_value()?);
            next = at + 1;
        }
        Ok(cells)
    }
}

/// Finds the column with the name of a field. The search starts at the column `next`.
struct Name {
    columns: &'static [Column],
    next: usize,
}

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let all = 0..self.columns.len();
        Ok((self.next..all.end).chain(all).find(|at| self.columns[*at].name == name))
    }
}
