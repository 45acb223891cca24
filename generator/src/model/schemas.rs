//! The schemas that have names. Each becomes a type in the generated code.

use serde_json::Value;

use super::{Kind, Schema};
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
    /// The values of properties without a name. `None` if the type has no field for them.
    pub others: Option<Schema>,
    /// Whether the schema allows such properties without describing them. If only the service sends
    /// the record, they are ignored.
    pub others_if_sent: bool,
    /// Properties that have no field, because only the service sets them.
    pub unsent: Vec<String>,
    pub size: Size,
}

/// An enum of strings.
pub(crate) struct Enum {
    pub text: Text,
    /// The name of each variant in Rust, with its value.
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
    /// Whether the field may be null, and may also be left out.
    pub clearable: bool,
    /// The side for which the field is required, if it is required for one side only.
    pub required_of: Option<Side>,
    /// Whether only the service sets it.
    pub read_only: bool,
    /// Whether the field contains the cursor of the next page of a listing.
    pub next_cursor: bool,
}

/// Who sends a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Service,
}

impl Field {
    /// Whether the field is an `Option` in Rust. This depends on whether its record is sent.
    pub(crate) fn is_option(&self, is_sent: bool) -> bool {
        if self.schema.within().is_some() { self.tells_unset(is_sent) } else { !self.required }
    }

    /// Whether the field is an array or a map that can be unset as well as empty. If it may not be
    /// empty, there is no difference: an empty one is left out.
    pub(crate) fn tells_unset(&self, is_sent: bool) -> bool {
        let may_be_empty = self.schema.entries().map(|entries| entries.size.least == 0);
        let may_be_null = self.null || self.clearable;
        is_sent && may_be_empty.is_some_and(|may| may_be_null || (!self.required && may))
    }

    /// Whether the field is an option within an option, because a request can state null as well as
    /// nothing.
    pub(crate) fn tells_null(&self, is_sent: bool) -> bool {
        is_sent && self.clearable
    }

    /// Whether the field's record can be built without a value for it. An array that isn't set is
    /// empty.
    pub(crate) fn may_be_left_out(&self) -> bool {
        !self.null && (!self.required || self.schema.array().is_some())
    }
}

impl Record {
    /// Adapts a record that only the service sends. It may state properties of any kind, so those
    /// without a name aren't checked.
    pub(super) fn is_only_read(&mut self) {
        let others = self.others.take().filter(|_| !self.others_if_sent);
        self.others = others.map(|_| Kind::Json.into());
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(crate) fn property(&self, wire: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.wire == wire)
    }
}
