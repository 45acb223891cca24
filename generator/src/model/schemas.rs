//! Named schemas. Each becomes a type in the generated code.

use serde_json::Value;

use super::{Kind, Schema};
use crate::document::{Size, Text};

pub(crate) struct Type {
    pub description: Option<String>,
    pub deprecated: bool,
    /// The schema's `example`, or else its `default`.
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
    /// The schema of additional properties, or `None` if the generated type doesn't have a field
    /// for them.
    pub others: Option<Schema>,
    /// Whether `additionalProperties` is `true`. In that case, the generated type has a field for
    /// additional properties only if a request contains the record.
    pub others_if_sent: bool,
    /// The read-only properties of a record that only the client sends. The generated type doesn't
    /// have fields for them.
    pub unsent: Vec<String>,
    /// The bounds on the number of properties.
    pub size: Size,
}

/// An enum of strings.
pub(crate) struct Enum {
    pub text: Text,
    /// The Rust name and the value of each variant.
    pub values: Vec<(String, String)>,
    /// The values in `x-open-values`. A record with one of these values can still change.
    pub open: Vec<String>,
}

#[allow(clippy::struct_excessive_bools, reason = "the flags have independent meanings")]
pub(crate) struct Field {
    /// The field's name in Rust.
    pub name: String,
    /// The property's name in JSON.
    pub wire: String,
    pub schema: Schema,
    pub description: Option<String>,
    pub deprecated: bool,
    pub required: bool,
    /// Whether the field is required but may be null.
    pub null: bool,
    /// Whether the field is optional and may also be null.
    pub clearable: bool,
    /// The side that must send the field, if the field is required for only one side.
    pub required_of: Option<Side>,
    /// Whether only the service sets the field.
    pub read_only: bool,
    /// Whether the field contains the cursor of the next page of a listing.
    pub next_cursor: bool,
}

/// The side that sends a record: the client or the service.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Service,
}

impl Field {
    /// Returns whether the field's Rust type is an `Option`. `is_sent` is true if a request
    /// contains the record.
    pub(crate) fn is_option(&self, is_sent: bool) -> bool {
        if self.schema.within().is_some() {
            self.distinguishes_unset(is_sent)
        } else {
            !self.required
        }
    }

    /// Returns whether a request distinguishes between an unset and an empty array or map. This is
    /// the case if the array or map may be null, or if it is optional and may be empty.
    pub(crate) fn distinguishes_unset(&self, is_sent: bool) -> bool {
        let may_be_empty = self.schema.entries().map(|entries| entries.size.least == 0);
        let may_be_null = self.null || self.clearable;
        is_sent && may_be_empty.is_some_and(|may| may_be_null || (!self.required && may))
    }

    /// Returns whether the field's Rust type is an `Option` in an `Option`. This is the case if a
    /// request can either omit the field or set it to null.
    pub(crate) fn distinguishes_null(&self, is_sent: bool) -> bool {
        is_sent && self.clearable
    }

    /// Returns whether the record can be built without a value for this field. An array that isn't
    /// set is empty.
    pub(crate) fn may_be_left_out(&self) -> bool {
        !self.null && (!self.required || self.schema.array().is_some())
    }
}

impl Record {
    /// Adapts the additional properties of a record that no request contains.
    ///
    /// Additional properties with a schema become any JSON, because the client doesn't check
    /// responses. If `additionalProperties` is `true`, the field for additional properties is
    /// removed.
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
