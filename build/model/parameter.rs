//! A parameter of an operation.

use proc_macro2::Ident;
use serde_json::Value;

use super::schema::Schema;

#[allow(clippy::struct_excessive_bools, reason = "each is a keyword of its own")]
pub(crate) struct Parameter {
    /// The name on the wire.
    pub name: String,
    pub setter: Ident,
    pub place: Place,
    pub required: bool,
    pub deprecated: bool,
    pub description: Option<String>,
    pub example: Option<Value>,
    /// What holds without it, which a named schema may not say for all that use it.
    pub default: Option<Value>,
    /// What separates the entries of an array in a query, unless each is a pair of its own.
    pub separator: Option<char>,
    pub schema: Schema,
    /// `x-not-with-page-cursor`.
    pub not_with_cursor: bool,
    /// `x-created-at-from`.
    pub created_at_from: bool,
    /// `x-created-at-until`.
    pub created_at_until: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
}
