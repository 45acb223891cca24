//! The schemas that have names, which are types in Rust, and how one leads to another.

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;

use super::{Description, Kind, Schema};
use crate::document::{Size, Text};

pub(crate) struct Type {
    pub description: Option<String>,
    pub deprecated: bool,
    /// An example, or the default.
    pub example: Option<Value>,
    pub form: Form,
}

pub(crate) enum Form {
    Record(Record),
    Enum(Enum),
}

pub(crate) struct Record {
    pub name: String,
    pub fields: Vec<Field>,
    /// Whether it is said what the properties without a name are. They are any JSON.
    pub has_others: bool,
    pub size: Size,
}

/// An enum of strings.
pub(crate) struct Enum {
    pub text: Text,
    /// The variants, by their names in Rust, with their values.
    pub values: Vec<(String, String)>,
    /// `x-open-values`.
    pub open: Vec<String>,
}

#[allow(clippy::struct_excessive_bools, reason = "each is a keyword of its own")]
pub(crate) struct Field {
    /// The name in Rust.
    pub name: String,
    /// The name on the wire.
    pub wire: String,
    pub schema: Schema,
    pub description: Option<String>,
    pub deprecated: bool,
    pub required: bool,
    /// Whether the field is required but may be null.
    pub null: bool,
    /// Which side has to have the field, where only one does.
    pub required_of: Option<Side>,
    /// Whether only the service sets it.
    pub read_only: bool,
    /// `x-created-at`: whether the field says when the record was created.
    pub created_at: bool,
    /// `x-items`: whether the field has a page's records.
    pub items: bool,
}

/// Who sends a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Service,
}

impl Field {
    /// Whether it is an `Option` in Rust, in a record that is sent or in another.
    pub(crate) fn is_option(&self, is_sent: bool) -> bool {
        if self.schema.within().is_some() { self.tells_unset(is_sent) } else { !self.required }
    }

    /// Whether it is an array or a map that tells "not set" from "empty". One that may not be empty
    /// has no need of it: an empty one is left out.
    pub(crate) fn tells_unset(&self, is_sent: bool) -> bool {
        let may_be_empty = self.schema.entries().map(|entries| entries.size.least == 0);
        is_sent && may_be_empty.is_some_and(|may| self.null || (!self.required && may))
    }

    /// Whether a builder of its record needs no value of it. An array that wasn't set is empty.
    pub(crate) fn may_be_left_out(&self) -> bool {
        !self.null && (!self.required || self.schema.array().is_some())
    }
}

impl Record {
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(crate) fn property(&self, wire: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.wire == wire)
    }
}

impl Description {
    /// The named schemas, in the order of the description.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Type)> {
        self.names.iter().filter_map(|name| self.types.get_key_value(name))
    }

    /// The record that a value is, unless it may be null.
    pub(crate) fn record(&self, schema: &Schema) -> Option<&Record> {
        match &schema.kind {
            Kind::Named(name) if !schema.nullable => self.record_named(name),
            _ => None,
        }
    }

    pub(crate) fn record_named(&self, name: &str) -> Option<&Record> {
        match &self.types.get(name)?.form {
            Form::Record(record) => Some(record),
            Form::Enum(_) => None,
        }
    }

    /// Every record, in the order of their names.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.types.keys().filter_map(|name| self.record_named(name))
    }

    pub(crate) fn enumeration(&self, schema: &Schema) -> Option<&Enum> {
        let Kind::Named(name) = &schema.kind else { return None };
        match &self.types.get(name)?.form {
            Form::Enum(values) => Some(values),
            Form::Record(_) => None,
        }
    }

    /// What the values of a schema are made of.
    fn parts<'a>(&'a self, schema: &'a Schema) -> Vec<&'a Schema> {
        let Kind::Named(name) = &schema.kind else { return schema.within().into_iter().collect() };
        let Some(record) = self.record_named(name) else { return Vec::new() };
        record.fields.iter().map(|field| &field.schema).collect()
    }

    /// Notes the names of what a value is made of.
    pub(crate) fn reach(&self, schema: &Schema, reached: &mut BTreeSet<String>) {
        if let Kind::Named(name) = &schema.kind
            && !reached.insert(name.clone())
        {
            return;
        }
        for part in self.parts(schema) {
            self.reach(part, reached);
        }
    }

    /// How many named types lead to the farthest one that a value is made of, each by the shortest way.
    pub(crate) fn depth(&self, schema: &Schema) -> usize {
        let mut seen = BTreeSet::new();
        let mut farthest = 0;
        let mut next = VecDeque::from([(schema, 0)]);
        while let Some((schema, depth)) = next.pop_front() {
            farthest = depth;
            for part in self.parts(schema) {
                match &part.kind {
                    Kind::Named(name) if seen.insert(name) => next.push_back((part, depth + 1)),
                    Kind::Named(_) => {}
                    _ => next.push_front((part, depth)),
                }
            }
        }
        farthest
    }

    /// Requires the fields that one side has to have, in a record that only that side sends. What only
    /// the service sets is no part of a record that only the client sends.
    pub(crate) fn sent_by(&mut self, side: Side, name: &str) {
        let Some(Type { form: Form::Record(record), .. }) = self.types.get_mut(name) else {
            return;
        };
        let fields = &mut record.fields;
        if side == Side::Client && fields.iter().any(|field| !field.read_only) {
            fields.retain(|field| !field.read_only);
        }
        for field in fields {
            field.required |= field.required_of == Some(side);
        }
    }
}
