//! The description as it is written: its YAML, references, locations, and the meaning of one
//! schema.

pub(crate) mod bounds;
pub(crate) use bounds::{BOUNDS, Integer, Number, Size, Text, bits, integers, is_unsigned, range};
mod component;
pub(crate) use component::{component, only_part};
mod format;
pub(crate) use format::Format;
mod location;
pub(crate) use location::Finder;
mod media_type;
pub(crate) use media_type::{JSON, json};
mod operation;
pub(crate) use operation::{OperationKey, name};
mod parameter;
pub(crate) use parameter::{Declared, declared, is_ignored};
pub(crate) mod reference;
mod resolved;
pub(crate) use resolved::{MAX_NESTING, leads_back, resolved};
mod shape;
pub(crate) use shape::{PARTS, Shape, is_union, is_word, shape};
mod statements;
pub(crate) use statements::Statements;

use serde::de::DeserializeOwned;

/// A sentence for the author of the description. It names the statement that isn't supported, its
/// place and the reason.
pub(crate) type Unsupported = String;

/// Parses the description.
pub(crate) fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    // In YAML 1.2, `yes` and `n` are strings, not booleans.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
}
