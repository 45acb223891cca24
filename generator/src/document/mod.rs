//! Reads an OpenAPI description: parses the YAML, follows references, and interprets the schemas.

pub(crate) mod bounds;
pub(crate) use bounds::{BOUNDS, Integer, Number, Size, Text, bits, integers, is_unsigned, range};
mod component;
pub(crate) use component::{component, only_part};
mod format;
pub(crate) use format::Format;
mod location;
pub(crate) use location::Finder;
pub(crate) mod message;
pub(crate) use message::{Message, Step};
mod media_type;
pub(crate) use media_type::{JSON, json};
mod operation;
pub(crate) use operation::{OperationKey, name};
mod parameter;
pub(crate) use parameter::{Declared, declared, is_ignored};
pub(crate) mod reference;
mod resolved;
pub(crate) use resolved::{MAX_NESTING, leads_back, resolved};
pub(crate) mod security;
mod shape;
pub(crate) use shape::{PARTS, Shape, is_annotation, is_union, shape};
mod statements;
pub(crate) use statements::Statements;
mod yaml;
pub(crate) use yaml::{broken, text, yaml};

/// The reason why a keyword isn't supported, for the author of the description.
pub(crate) type Unsupported = String;
