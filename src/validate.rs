//! What is wrong with a call before it is sent.

use std::fmt::Display;

use serde::Serialize;

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

/// A body as JSON.
pub(crate) fn json(name: &str, body: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(body).map_err(|error| {
        Error::invalid(format!("`{name}` can't be written as JSON")).caused_by(error)
    })
}

pub(crate) fn bounds<T: PartialOrd + Display>(
    name: &str,
    value: Option<T>,
    least: Option<T>,
    most: Option<T>,
) -> Result<(), Error> {
    let Some(value) = value else { return Ok(()) };
    match (least, most) {
        (Some(least), _) if value < least => {
            Err(Error::invalid(format!("`{name}` is {value}, the minimum is {least}")))
        }
        (_, Some(most)) if value > most => {
            Err(Error::invalid(format!("`{name}` is {value}, the maximum is {most}")))
        }
        _ => Ok(()),
    }
}

pub(crate) fn entries(
    name: &str,
    entries: Option<usize>,
    least: usize,
    most: Option<usize>,
    usage: Use,
) -> Result<(), Error> {
    let Some(entries) = entries else { return Ok(()) };
    // An empty array is an empty listing to those that walk one.
    if entries < least && (usage == Use::Send || (usage == Use::Pages && entries > 0)) {
        return Err(Error::invalid(format!(
            "`{name}` has {entries} entries, the minimum is {least}"
        )));
    }
    match most {
        Some(most) if entries > most && usage != Use::Items => {
            Err(Error::invalid(format!("`{name}` has {entries} entries, the maximum is {most}")))
        }
        _ => Ok(()),
    }
}
