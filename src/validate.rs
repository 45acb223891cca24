//! What is wrong with a call before it is sent, and with the answer to it where the description
//! says what it has to repeat.

use std::{cmp::Reverse, fmt::Display};

use serde_json::Value;
use uuid::Uuid;

use crate::Error;

/// How a builder is used, which decides what an array of filters may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
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
    Err(Error::invalid(format!("{name} {reason}, which would call another path")))
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
            Err(Error::invalid(format!("{name} is {value}, the minimum is {least}")))
        }
        (_, Some(most)) if value > most => {
            Err(Error::invalid(format!("{name} is {value}, the maximum is {most}")))
        }
        _ => Ok(()),
    }
}

pub(crate) fn entries(
    name: &str,
    entries: Option<usize>,
    least: usize,
    most: Option<usize>,
    call: Call,
) -> Result<(), Error> {
    let Some(entries) = entries else { return Ok(()) };
    // An empty array is an empty listing to those that walk one.
    if entries < least && (call == Call::Send || (call == Call::Pages && entries > 0)) {
        return Err(Error::invalid(format!(
            "{name} has {entries} entries, the minimum is {least}"
        )));
    }
    match most {
        Some(most) if entries > most && call != Call::Items => {
            Err(Error::invalid(format!("{name} has {entries} entries, the maximum is {most}")))
        }
        _ => Ok(()),
    }
}

/// An array of the answer whose elements repeat the named fields of the request's.
#[derive(Debug)]
pub(crate) struct Repeats {
    pub array: &'static str,
    pub fields: &'static [&'static str],
}

impl Repeats {
    /// Whether every element of the request stands in the answer, and nothing else does.
    pub(crate) fn hold(&self, request: &[u8], answer: &[u8]) -> bool {
        let (Some(mut sent), Some(mut returned)) = (self.elements(request), self.elements(answer))
        else {
            return false;
        };
        // Those that say more choose first: those that say less are content with more.
        let stated = |sent: &Value| self.fields.iter().filter(|f| sent.get(f).is_some()).count();
        sent.sort_by_key(|sent| Reverse(stated(sent)));
        sent.len() == returned.len()
            && sent.iter().all(|sent| {
                // In any order: the specification shows none.
                let found = returned.iter().position(|returned| self.same(sent, returned));
                found.map(|at| returned.remove(at)).is_some()
            })
    }

    fn elements(&self, json: &[u8]) -> Option<Vec<Value>> {
        match serde_json::from_slice::<Value>(json).ok()?.get_mut(self.array)?.take() {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    fn same(&self, sent: &Value, returned: &Value) -> bool {
        self.fields.iter().all(|field| match (sent.get(field), returned.get(field)) {
            // What was left to the service can come back as anything.
            (None, _) => true,
            (Some(sent), Some(returned)) => alike(sent, returned),
            (Some(_), None) => false,
        })
    }
}

fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            one == other
                || matches!((one.parse::<Uuid>(), other.parse::<Uuid>()), (Ok(one), Ok(other)) if one == other)
        }
        (Value::Array(one), Value::Array(other)) => {
            let count = |of: &[Value], value| of.iter().filter(|v| *v == value).count();
            one.len() == other.len() && one.iter().all(|v| count(one, v) == count(other, v))
        }
        _ => one == other,
    }
}
