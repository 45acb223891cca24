//! The model of a schema, from which all code for its values is generated.

use serde_json::Value;

use crate::document::{Format, Integer, Number, Size, Text};

/// The schema of a value, such as a parameter, a property or an array entry.
#[derive(Clone)]
pub(crate) struct Schema {
    pub kind: Kind,
    /// Whether the value may be null. This is set only for responses, array entries and map values.
    /// For a property, see `Field`.
    pub nullable: bool,
    /// The schema's `example`, or else its `default`.
    pub example: Option<Value>,
}

#[derive(Clone)]
pub(crate) enum Kind {
    /// A record or an enum, by its name in the generated module `types`.
    Named(String),
    Text(Text),
    Integer(Integer),
    Number(Number),
    Boolean,
    Array(Box<Entries>),
    Map(Box<Entries>),
    Json,
}

/// The entries of an array or a map, and the bounds on their number.
#[derive(Clone)]
pub(crate) struct Entries {
    pub each: Schema,
    pub size: Size,
}

impl From<Kind> for Schema {
    fn from(kind: Kind) -> Self {
        Self { kind, nullable: false, example: None }
    }
}

impl Schema {
    pub(crate) fn array(&self) -> Option<&Entries> {
        match &self.kind {
            Kind::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the schema of an array's entries. If the schema isn't an array, returns the schema
    /// itself.
    pub(crate) fn entry(&self) -> &Self {
        self.array().map_or(self, |array| &array.each)
    }

    pub(crate) fn format(&self) -> Option<Format> {
        match &self.kind {
            Kind::Text(text) => Some(text.format),
            _ => None,
        }
    }

    pub(crate) fn is_time(&self) -> bool {
        self.format() == Some(Format::Time)
    }

    pub(crate) fn is_uuid(&self) -> bool {
        self.format() == Some(Format::Uuid)
    }

    pub(crate) fn entries(&self) -> Option<&Entries> {
        match &self.kind {
            Kind::Array(entries) | Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the schema of the entries of an array or a map, or `None` for any other schema.
    pub(crate) fn within(&self) -> Option<&Self> {
        self.entries().map(|entries| &entries.each)
    }

    /// Returns whether the schema is a map whose values are any JSON.
    pub(crate) fn is_any_object(&self) -> bool {
        matches!(&self.kind, Kind::Map(map) if matches!(map.each.kind, Kind::Json))
    }
}
