//! Named schemas. Each becomes a type in the generated code.

use serde_json::Value;

use super::{Kind, Schema};
use crate::document::{Size, Text};

pub(crate) struct Type {
    pub description: Option<String>,
    pub deprecated: bool,
    /// The example, or else the default.
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
    /// The schema of additional properties. `None` if the type doesn't have a field for them.
    pub others: Option<Schema>,
    /// Whether `additionalProperties` is `true`. If only the service sends such a record, the type
    /// doesn't have a field for additional properties.
    pub others_if_sent: bool,
    /// Properties without a field, because they are read-only in a record that only the client
    /// sends.
    pub unsent: Vec<String>,
    /// The bounds on the number of properties.
    pub size: Size,
}

/// An enum of strings.
pub(crate) struct Enum {
    pub text: Text,
    /// The Rust name and the value of each variant.
    pub values: Vec<(String, String)>,
    /// The values in `x-open-values`.
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
    /// Whether the field is optional and may also be null.
    pub clearable: bool,
    /// The side for which the field is required, if only one side must send it.
    pub required_of: Option<Side>,
    /// Whether only the service sets the field.
    pub read_only: bool,
    /// Whether the field contains the cursor of the next page of a listing.
    pub next_cursor: bool,
}

/// The side that sends a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Service,
}

impl Field {
    /// Whether the field is an `Option` in Rust. `is_sent` is whether a request contains the
    /// record.
    pub(crate) fn is_option(&self, is_sent: bool) -> bool {
        if self.schema.within().is_some() {
            self.distinguishes_unset(is_sent)
        } else {
            !self.required
        }
    }

    /// Whether the field is an array or a map for which unset and empty are different. If the array
    /// or map may not be empty, unset and empty are the same: an empty array or map is omitted.
    pub(crate) fn distinguishes_unset(&self, is_sent: bool) -> bool {
        let may_be_empty = self.schema.entries().map(|entries| entries.size.least == 0);
        let may_be_null = self.null || self.clearable;
        is_sent && may_be_empty.is_some_and(|may| may_be_null || (!self.required && may))
    }

    /// Whether the field is an `Option` in an `Option`, because a request can contain null or omit
    /// the field.
    pub(crate) fn distinguishes_null(&self, is_sent: bool) -> bool {
        is_sent && self.clearable
    }

    /// Whether the record can be built without a value for the field. An array that isn't set is
    /// empty.
    pub(crate) fn may_be_left_out(&self) -> bool {
        !self.null && (!self.required || self.schema.array().is_some())
    }
}

impl Record {
    /// Adapts a record that only the service sends. Its additional properties become any JSON,
    /// because the values in a response aren't checked.
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
