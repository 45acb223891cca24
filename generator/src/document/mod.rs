//! The description as it is written.

mod media_type;
pub(crate) use media_type::{JSON, json};
mod operation;
pub(crate) use operation::{METHODS, name};
mod parameter;
pub(crate) use parameter::{Declared, declared, is_ignored};
mod place;
pub(crate) use place::Finder;
pub(crate) mod reference;
mod statements;
pub(crate) use statements::Statements;

use serde::de::DeserializeOwned;

/// A sentence for whoever wrote the description: what can't be served, where and why.
pub(crate) type Unsupported = String;

/// Reads the description, or what stands where in it.
pub(crate) fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    // In YAML 1.2, `yes` and `n` are strings.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
}
