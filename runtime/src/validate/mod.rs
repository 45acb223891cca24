//! Checks a call before it is sent.

mod check;
mod kind;
mod pattern;
mod rule;

use serde::Serialize;

pub use self::{kind::Kind, pattern::Pattern, rule::Rule};
use crate::Error;

/// How a builder is used. This decides how many entries a filter array may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One request. An empty array would be no filter at all, so an empty array is an error.
    Send,
    /// A listing. An empty array is an empty listing.
    Pages,
    /// A listing that splits a long array over several requests.
    Items,
}

/// Checks that a path parameter is a single segment of the path. If it weren't, the call would go
/// to another path.
pub(crate) fn segment(name: &str, value: &str) -> Result<(), Error> {
    let reason = match value {
        "" => "is empty",
        "." | ".." => "is a relative path segment",
        _ if value.contains('\\') => "contains a backslash",
        _ => return Ok(()),
    };
    Err(Error::invalid(format!("`{name}` {reason}, so the call would go to another path")))
}

/// Writes a body as JSON, and checks it against the OpenAPI description.
///
/// # Errors
///
/// `InvalidRequest`, if the body breaks a rule, or states a property twice.
#[cfg_attr(not(feature = "sandbox"), allow(unreachable_pub))]
pub fn json(body: &impl Serialize, rule: Option<&Rule>) -> Result<Vec<u8>, Error> {
    // Writing a request fails only in `decode::others`, whose error is a sentence.
    let unwritten = |error: serde_json::Error| Error::invalid(error.to_string());
    if let Some(rule) = rule {
        let value = serde_json::to_value(body).map_err(unwritten)?;
        rule.check("", &value).map_err(Error::invalid)?;
    }
    serde_json::to_vec(body).map_err(unwritten)
}
