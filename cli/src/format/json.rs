//! The JSON formats: one array of records, or one record per line (JSON Lines).

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::Encode;
use crate::{
    columns::Columns,
    failure::Failure,
    operation::{Empty, Part},
};

pub(super) struct Lines {
    pub columns: Columns,
}

impl Encode for Lines {
    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure> {
        serde_json::to_writer(&mut *out, &Written { columns: &self.columns, record: &record })?;
        out.push(b'\n');
        Ok(())
    }
}

pub(super) struct Array {
    pub columns: Columns,
    pub has_records: bool,
}

impl Encode for Array {
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.push(b'[');
        Ok(())
    }

    fn record(&mut self, record: Value, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.extend_from_slice(if self.has_records { b",\n" } else { b"\n" });
        self.has_records = true;
        serde_json::to_writer(out, &Written { columns: &self.columns, record: &record })?;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.extend_from_slice(b"\n]\n");
        Ok(())
    }
}

/// A record that is serialized with only these columns, in the order of the columns. Values are
/// written exactly as the service sent them.
///
/// A missing array or object is written as `[]` or `{}`, if the client doesn't distinguish a
/// missing value from an empty value.
struct Written<'a> {
    columns: &'a Columns,
    record: &'a Value,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { columns, record } = self;
        if columns.iter().any(|column| column.part == Part::Whole) {
            return record.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        for column in columns.iter() {
            if column.part == Part::Others {
                columns
                    .others(record)
                    .try_for_each(|(name, value)| map.serialize_entry(name, value))?;
            } else if let Some(value) = record.get(column.name) {
                map.serialize_entry(column.name, value)?;
            } else if let Some(empty) = column.empty {
                let empty = match empty {
                    Empty::Array => Value::Array(Vec::new()),
                    Empty::Object => Value::Object(Map::new()),
                };
                map.serialize_entry(column.name, &empty)?;
            }
        }
        map.end()
    }
}
