//! Prints errors. By default, only the crate's own message is printed, without text from the
//! response.

use std::{
    error::Error as _,
    fmt::{self, Debug, Display, Formatter},
};

use super::{
    Error,
    ErrorKind::{Timeout, Transport},
    Problem,
};

/// Error codes from RFC 6749, sections 4.1.2.1 and 5.2. Other codes aren't printed, because they
/// may repeat data from the request.
const OAUTH_CODES: [&str; 9] = [
    "access_denied",
    "invalid_client",
    "invalid_grant",
    "invalid_request",
    "invalid_scope",
    "server_error",
    "temporarily_unavailable",
    "unauthorized_client",
    "unsupported_grant_type",
];

/// The maximum number of characters printed for a cause, or for a problem's title or detail.
const MAX_TEXT_CHARS: usize = 1000;

impl Display for Error {
    /// Prints the error on one line. With `{:#}`, its causes follow on the same line.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.operation {
            write!(f, "{operation}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(status) = self.status() {
            // After a timeout or a broken connection, the status isn't the reason for the error, so
            // a colon separates it from the message.
            let colon = if matches!(self.kind(), Timeout | Transport) { ":" } else { "" };
            write!(f, "{colon} {status}")?;
        }
        if let Some(code) = self.known_oauth_error() {
            write!(f, " ({code})")?;
        }
        if self.0.attempts > 1 {
            write!(f, " (after {} attempts)", self.0.attempts)?;
        }
        if f.alternate() {
            let mut next = self.source();
            while let Some(cause) = next {
                f.write_str(": ")?;
                write_escaped(f, &cause.to_string())?;
                next = cause.source();
            }
        }
        Ok(())
    }
}

impl Error {
    /// Returns the token endpoint's error code, if the code is one of `OAUTH_CODES`.
    pub(crate) fn known_oauth_error(&self) -> Option<&str> {
        self.oauth_error().filter(|code| OAUTH_CODES.contains(code))
    }
}

impl Debug for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("operation", &self.0.operation)
            .field("message", &self.0.message)
            .field("status", &self.status())
            .field("attempts", &self.0.attempts)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

/// An error that is displayed together with the title and detail from the response.
pub(super) struct WithProblem<'a>(pub &'a Error);

impl Display for WithProblem<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self.0, f)?;
        let Some(Problem { title, detail, .. }) = self.0.problem() else { return Ok(()) };
        let phrase = self.0.status().and_then(|status| status.canonical_reason());
        let repeats = |title: &&String| title.eq_ignore_ascii_case(phrase.unwrap_or_default());
        let title = title.as_ref().filter(|title| !repeats(title));
        for text in title.into_iter().chain(detail) {
            f.write_str(": ")?;
            write_escaped(f, text)?;
        }
        Ok(())
    }
}

fn write_escaped(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let mut rest = text.chars();
    for char in rest.by_ref().take(MAX_TEXT_CHARS) {
        match char {
            '\'' | '"' => write!(f, "{char}")?,
            _ => write!(f, "{}", char.escape_debug())?,
        }
    }
    if rest.next().is_some() { f.write_str("…") } else { Ok(()) }
}
