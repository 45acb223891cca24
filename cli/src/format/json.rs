//! JSON, as one array, or as one object on each line.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::Encode;
use crate::{failure::Failure, operation::Column};

pub(super) struct Lines {
    columns: Vec<Column>,
}

impl Lines {
    pub(super) fn new(columns: Vec<Column>) -> Self {
        Self { columns }
    }
}

impl Encode for Lines {
    fn record(&mut self, fields: Map<String, Value>, out: &mut Vec<u8>) -> Result<(), Failure> {
        serde_json::to_writer(&mut *out, &InOrder { columns: &self.columns, fields: &fields })?;
        out.push(b'\n');
        Ok(())
    }
}

pub(super) struct Array {
    columns: Vec<Column>,
    has_records: bool,
}

impl Array {
    pub(super) fn new(columns: Vec<Column>, has_records: bool) -> Self {
        Self { columns, has_records }
    }
}

impl Encode for Array {
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.push(b'[');
        Ok(())
    }

    fn record(&mut self, fields: Map<String, Value>, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.extend_from_slice(if self.has_records { b",\n" } else { b"\n" });
        self.has_records = true;
        serde_json::to_writer(out, &InOrder { columns: &self.columns, fields: &fields })?;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.extend_from_slice(b"\n]\n");
        Ok(())
    }
}

/// The record's fields that are among these columns, in their order.
struct InOrder<'a> {
    columns: &'a [Column],
    fields: &'a Map<String, Value>,
}

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for column in self.columns {
            if let Some(value) = self.fields.get(column.name) {
                map.serialize_entry(column.name, value)?;
            }
        }
        map.end()
    }
}
