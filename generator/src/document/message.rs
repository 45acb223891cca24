//! Messages about a description. A message has the steps to the part that it is about, from which
//! the line in the file is found.

use std::fmt;

/// A message about a part of the description.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub trail: Vec<Step>,
    pub reason: String,
}

/// A step to a part of the description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The top level of the document.
    Document,
    /// An operation, with its name in messages.
    Operation {
        path: String,
        method: String,
        name: String,
    },
    Path(String),
    Parameter {
        location: String,
        name: String,
    },
    /// An entry of a list.
    Entry {
        list: &'static str,
        index: usize,
    },
    /// A keyword, a property or a component.
    Key(String),
}

impl Step {
    pub(crate) fn parameter(location: &str, name: &str) -> Self {
        Self::Parameter { location: location.to_owned(), name: name.to_owned() }
    }
}

impl Message {
    pub(crate) fn new(trail: Vec<Step>, reason: impl Into<String>) -> Self {
        Self { trail, reason: reason.into() }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", joined(&self.trail), self.reason)
    }
}

/// Returns the steps as they are written in a message.
pub(crate) fn joined(trail: &[Step]) -> String {
    trail.iter().map(Step::to_string).collect::<Vec<_>>().join(" → ")
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document => f.write_str("document"),
            Self::Operation { name, .. } => f.write_str(name),
            Self::Path(path) => f.write_str(path),
            Self::Parameter { location, name } => write!(f, "{location} {name}"),
            Self::Entry { list, index } => write!(f, "{list}[{index}]"),
            Self::Key(key) => f.write_str(key),
        }
    }
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<String> for Step {
    fn from(key: String) -> Self {
        Self::Key(key)
    }
}

impl From<&String> for Step {
    fn from(key: &String) -> Self {
        Self::Key(key.clone())
    }
}
