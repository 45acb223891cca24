//! A parameter of an operation.

use openapiv3::{Parameter as Described, ParameterSchemaOrContent, ReferenceOr, Schema};
use proc_macro2::Ident;
use quote::format_ident;
use serde_json::Value;

use crate::{model::schemas::Schemas, read::Unsupported};

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
    /// The schema as written, and resolved.
    pub slot: ReferenceOr<Schema>,
    pub schema: Schema,
    extensions: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
}

impl Parameter {
    /// Whether an extension of the crate's is set.
    pub(crate) fn is(&self, extension: &str) -> bool {
        self.extensions.get(extension) == Some(&Value::Bool(true))
    }
}

impl Schemas {
    pub(crate) fn parameter(&self, described: &Described) -> Result<Parameter, Unsupported> {
        let data = described.parameter_data_ref();
        let ParameterSchemaOrContent::Schema(slot) = &data.format else {
            return Err(format!("parameter `{}` has no schema", data.name));
        };
        Ok(Parameter {
            name: data.name.clone(),
            setter: format_ident!("{}", rust_name(data.extensions.get("x-rust-name"))?),
            place: match described {
                Described::Path { .. } => Place::Path,
                Described::Query { .. } => Place::Query,
                Described::Header { .. } | Described::Cookie { .. } => Place::Header,
            },
            required: data.required,
            deprecated: data.deprecated.unwrap_or_default(),
            description: data.description.clone(),
            example: data.example.clone(),
            default: data.extensions.get("x-default").filter(|default| !default.is_null()).cloned(),
            separator: data.extensions.get("x-separator").and_then(|s| s.as_str()?.chars().next()),
            slot: slot.clone(),
            schema: self.resolve(slot)?.clone(),
            extensions: data.extensions.clone().into_iter().collect(),
        })
    }
}

/// The name that the plain description gives it in Rust.
pub(crate) fn rust_name(name: Option<&Value>) -> Result<&str, Unsupported> {
    name.and_then(Value::as_str).ok_or_else(|| "something has no name in Rust".into())
}
