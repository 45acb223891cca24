//! What is wrong with a call before it is sent.

mod pattern;
mod rule;

use serde::Serialize;

#[allow(unused_imports, reason = "the description decides whether there is a pattern")]
pub(crate) use self::pattern::Pattern;
pub(crate) use self::rule::{Rule, count, different};
use crate::Error;

/// How a builder is used, which decides what an array of filters may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// One request: an empty array would be no filter at all.
    Send,
    /// An empty array is an empty listing.
    Pages,
    /// And a long one is split.
    Items,
}

/// A path parameter is one segment of the path, or another path would be called.
pub(crate) fn segment(name: &str, value: &str) -> Result<(), Error> {
    let reason = match value {
        "" => "is empty",
        "." | ".." => "is a relative path segment",
        _ if value.contains('\\') => "contains a backslash",
        _ => return Ok(()),
    };
    Err(Error::invalid(format!("`{name}` {reason}, which would call another path")))
}

/// A body as JSON, within the bounds of the description.
pub(crate) fn json(body: &impl Serialize, rule: Option<&Rule>) -> Result<Vec<u8>, Error> {
    let unwritten = |error| Error::invalid("`body` can't be written as JSON").caused_by(error);
    if let Some(rule) = rule {
        let value = serde_json::to_value(body).map_err(unwritten)?;
        rule.check("", &value).map_err(Error::invalid)?;
    }
    serde_json::to_vec(body).map_err(unwritten)
}
