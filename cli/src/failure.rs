//! The failure of a command, which becomes one line on stderr and an exit status.

use std::{error::Error as _, fmt, io, sync::OnceLock};

use digital_assets::{Error, ErrorKind, Operation, RejectedValue};
use parquet::errors::ParquetError;
use tokio::task::JoinError;

use crate::cause;

/// Returns the options of an operation's parameters with a name. There may be several, because a
/// path parameter and a query parameter may have the same name.
type OptionsOf = fn(Operation, &str) -> Vec<&'static str>;

static OPTIONS: OnceLock<OptionsOf> = OnceLock::new();

/// Stores the function that finds the options to name in messages about parameters.
pub(crate) fn remember(options: OptionsOf) {
    let _ = OPTIONS.set(options);
}

/// The reason why a command stopped early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is invalid.
    Usage(String),
    /// An error from the `digital_assets` crate, caused by the service, the token endpoint or a
    /// parameter.
    Service(Box<Error>),
    /// Any other failure, as a message.
    Other(String),
    /// The database can't be reached.
    DatabaseUnreachable(String),
    /// The database rejects a statement now, but may accept it later.
    DatabaseBusy(String),
    /// A table has lost rows while a sync was running.
    RowsLost(String),
    /// A request that changes something succeeded, but its response couldn't be printed.
    AppliedButUnread(String),
    /// `verify` found that a table differs from the service's records.
    VerifyDiffers(String),
    /// The command received SIGINT or SIGTERM. The value is the exit status that a shell reports
    /// for the signal.
    Signal(u8),
    /// Like [`Signal`](Self::Signal), but for a command that runs until it is stopped. The signal
    /// itself then terminates the process, instead of a normal exit with this status.
    SignalItself(u8),
    /// The reader of stdout has closed the pipe.
    ClosedPipe,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }

    /// Puts `words` before the message of a failure that comes from the service, the database or
    /// the system. Returns any other failure unchanged.
    pub(crate) fn in_words(self, words: impl fmt::Display) -> Self {
        match self {
            Self::Service(error) => Self::Other(format!("{words}: {}", described(&error))),
            Self::Other(message) => Self::Other(format!("{words}: {message}")),
            Self::DatabaseUnreachable(message) => {
                Self::DatabaseUnreachable(format!("{words}: {message}"))
            }
            Self::DatabaseBusy(message) => Self::DatabaseBusy(format!("{words}: {message}")),
            Self::RowsLost(message) => Self::RowsLost(format!("{words}: {message}")),
            other => other,
        }
    }

    /// Converts the failure of a sync. If the sync follows its listing, [`Signal`](Self::Signal)
    /// becomes [`SignalItself`](Self::SignalItself).
    pub(crate) fn of_sync(self, follows: bool) -> Self {
        match self {
            Self::Signal(status) if follows => Self::SignalItself(status),
            other => other,
        }
    }

    /// Whether the service or the client may have rejected the checkpoint from which the command
    /// resumed.
    pub(crate) fn refuses_checkpoint(&self) -> bool {
        let Self::Service(error) = self else { return false };
        match error.kind() {
            ErrorKind::InvalidRequest | ErrorKind::RepeatedCursor | ErrorKind::StaleCheckpoint => {
                true
            }
            ErrorKind::Status => {
                matches!(error.status().map(|status| status.as_u16()), Some(400 | 410 | 422))
            }
            _ => false,
        }
    }

    /// Whether the failed request may succeed if it is retried later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Service(error) if error.is_retryable())
    }

    /// The exit status of the tool for this failure.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Other(_)
            | Self::DatabaseUnreachable(_)
            | Self::DatabaseBusy(_)
            | Self::RowsLost(_) => 1,
            Self::Usage(_) => 2,
            Self::AppliedButUnread(_) => 3,
            Self::VerifyDiffers(_) => 4,
            Self::Service(error) => {
                if error.may_have_been_applied() {
                    3
                } else {
                    1
                }
            }
            Self::Signal(status) | Self::SignalItself(status) => *status,
        }
    }
}

/// Formats the failure as one line, without a line break at the end.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message)
            | Self::Other(message)
            | Self::DatabaseUnreachable(message)
            | Self::DatabaseBusy(message)
            | Self::RowsLost(message)
            | Self::VerifyDiffers(message) => f.write_str(&one_line(message)),
            Self::AppliedButUnread(message) => {
                write!(
                    f,
                    "the request has been applied, so don't send it again: {}",
                    one_line(message)
                )
            }
            Self::Service(error) => f.write_str(&described(error)),
            Self::Signal(130) | Self::SignalItself(130) => f.write_str("interrupted"),
            Self::Signal(_) | Self::SignalItself(_) => f.write_str("terminated"),
            Self::ClosedPipe => Ok(()),
        }
    }
}

/// Formats an error as one line: the error's message, its causes, and advice for the user.
pub(crate) fn described(error: &Error) -> String {
    let is_unreached =
        matches!(error.kind(), ErrorKind::Connect | ErrorKind::Token | ErrorKind::Transport);
    let cause = error.source().filter(|_| is_unreached);
    if let Some(cause) = cause.and_then(|it| cause::found(it, error.kind() == ErrorKind::Token)) {
        let operation = error.operation().map(|it| format!("{it}: ")).unwrap_or_default();
        return one_line(&format!("{operation}{cause}"));
    }
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    // `with_problem` adds the service's own error text, escaped. The tool's user is allowed to see
    // this text.
    let mut line = error.with_problem().to_string();
    for cause in causes {
        line = format!("{line}: {cause}");
    }
    if let Some(advice) = advice(error) {
        line = format!("{line}; {advice}");
    }
    one_line(&line)
}

fn advice(error: &Error) -> Option<&'static str> {
    if error.may_have_been_applied() {
        return Some("the request may have been applied; check before you send it again");
    }
    Some(match (error.kind(), error.status().map(|status| status.as_u16())) {
        (ErrorKind::Token, _) if error.oauth_error() == Some("invalid_client") => {
            "check DIGITAL_ASSETS_CLIENT_ID and DIGITAL_ASSETS_CLIENT_SECRET"
        }
        (ErrorKind::Token, _) if error.oauth_error() == Some("invalid_scope") => {
            "check the scopes that are granted to the client, and DIGITAL_ASSETS_SCOPES"
        }
        (ErrorKind::Token, _) => "check DIGITAL_ASSETS_AUTH_URL",
        (ErrorKind::Connect, _) => "check DIGITAL_ASSETS_BASE_URL and the network",
        (ErrorKind::Timeout, _) => "try again, or allow more time with --timeout",
        (ErrorKind::Status, Some(401)) => {
            "the service rejected the token: check DIGITAL_ASSETS_TOKEN, or the client ID, the \
             client secret and DIGITAL_ASSETS_AUTH_URL"
        }
        (ErrorKind::Status, Some(403)) => {
            "the client isn't allowed to send this request; check the client's permissions"
        }
        (ErrorKind::Status, Some(404)) => "check the identifiers and DIGITAL_ASSETS_BASE_URL",
        (ErrorKind::Status, Some(429)) => "try again later",
        (ErrorKind::ResponseTooLarge, _) => "request smaller pages; see --help",
        _ if error.is_retryable() => "try again later",
        _ => return None,
    })
}

fn one_line(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    text.trim().chars().map(clean).collect()
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        rejected(&error).map_or_else(|| Self::Service(Box::new(error)), Self::Usage)
    }
}

/// The message about a value that the client has rejected, which names the option.
fn rejected(error: &Error) -> Option<String> {
    let RejectedValue { parameter, place, reason, .. } = error.rejected_value()?;
    let Some(name) = parameter else {
        let place = place.strip_prefix('.').map(|place| format!(": {place}")).unwrap_or_default();
        return Some(format!("--body{place} {reason}"));
    };
    let options = OPTIONS.get()?(error.operation()?, name);
    let options: Vec<_> = options.iter().map(|option| format!("--{option}{place}")).collect();
    Some(format!("{} {reason}", options.join(" or ")))
}

/// Implements `From` for `Failure` for each of these error types. The failure has the same message
/// as the error.
macro_rules! in_own_words {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Other(error.to_string())
            }
        })*
    };
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let is_limit = error.kind() == io::ErrorKind::FileTooLarge;
        let advice = if is_limit { "; raise the file size limit (ulimit -f)" } else { "" };
        Self::other(format!("{error}{advice}"))
    }
}

in_own_words!(JoinError, serde_json::Error, csv::Error, ParquetError);
