//! Checks a call's parameters and body before the request is sent.

mod check;
mod kind;
mod pattern;
mod rule;

use serde::Serialize;

pub use self::{kind::Kind, pattern::Pattern, rule::Rule};
use crate::Error;

/// How a call's builder is used, which determines how many entries a filter array may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Sends one request. An empty filter array is an error, because it would mean no filter at
    /// all.
    Send,
    /// Lists pages. If a filter array is empty, the listing is empty.
    Pages,
    /// Lists records. A long filter array is split across several requests.
    Items,
}

/// Checks that a path parameter's value is a single path segment. Any other value would send the
/// request to a different path.
pub(crate) fn segment(name: &'static str, value: &str) -> Result<(), Error> {
    let reason = match value {
        "" => "is empty",
        "." | ".." => "is a relative path segment",
        _ if value.contains('\\') => "contains a backslash",
        _ => return Ok(()),
    };
    Err(Error::rejected(name, format!("{reason}, so the call would go to another path")))
}

/// Serializes a body as JSON, and checks the body against its rule from the OpenAPI description.
///
/// # Errors
///
/// `InvalidRequest` if the body violates the rule, or would contain a property twice.
pub(crate) fn checked_body(body: &impl Serialize, rule: Option<&Rule>) -> Result<Vec<u8>, Error> {
    // Serialization fails only in `decode::others`, whose error is a message for users.
    let unwritten = |error: serde_json::Error| Error::invalid(error.to_string());
    if let Some(rule) = rule {
        let value = serde_json::to_value(body).map_err(unwritten)?;
        rule.check("", &value).map_err(|rejected| Error::rejected(None, rejected))?;
    }
    serde_json::to_vec(body).map_err(unwritten)
}
