//! The value that a client rejected because the OpenAPI description doesn't allow it.

use super::{Error, ErrorKind};

/// A parameter, or a part of the body, that the client rejected before it sent anything.
///
/// A program with its own names for the parameters can build its own message from these parts:
///
/// ```
/// # use oas_client::Error;
/// fn message(error: &Error) -> Option<String> {
///     let rejected = error.rejected_value()?;
///     let name = rejected.parameter.unwrap_or("the body");
///     Some(format!("{name}{}: {}", rejected.place, rejected.reason))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedValue {
    /// The parameter's name in the OpenAPI description. `None` for the body.
    pub parameter: Option<&'static str>,
    /// The place within the parameter or the body, such as `[3]` or `.members[0].id`. Empty for the
    /// whole of it.
    pub place: String,
    /// The rest of the sentence whose subject is the value: `is 1001, the maximum is 1000`.
    pub reason: String,
}

impl RejectedValue {
    pub(crate) fn at(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { parameter: None, place: place.into(), reason: reason.into() }
    }

    /// The message that calls the parameter `name`. An empty name stands for the body.
    pub(crate) fn message(&self, name: &str) -> String {
        let place = format!("{name}{}", self.place);
        let place = place.strip_prefix('.').unwrap_or(&place);
        format!("`{}` {}", if place.is_empty() { "body" } else { place }, self.reason)
    }
}

impl From<String> for RejectedValue {
    fn from(reason: String) -> Self {
        Self::at("", reason)
    }
}

impl From<&str> for RejectedValue {
    fn from(reason: &str) -> Self {
        Self::at("", reason)
    }
}

impl Error {
    /// Creates the error for a value that isn't allowed. Without a parameter, it is the body's.
    pub(crate) fn rejected(
        parameter: impl Into<Option<&'static str>>,
        value: impl Into<RejectedValue>,
    ) -> Self {
        let value = RejectedValue { parameter: parameter.into(), ..value.into() };
        let message = value.message(value.parameter.unwrap_or_default());
        let mut error = Self::new(ErrorKind::InvalidRequest, message);
        error.0.rejected_value = Some(value);
        error
    }
}
