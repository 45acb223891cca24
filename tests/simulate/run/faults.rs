//! Random faults, in addition to the sandbox's own random faults.

use std::time::Duration;

use digital_assets::{Error, ErrorKind, Operation, operation, sandbox::Fault};
use fastrand::Rng;

/// The target of every redirect.
const ELSEWHERE: &str = "https://elsewhere.example/oauth2/token";
/// JSON bodies that aren't a page: unrelated values, and errors that must not be read as empty
/// pages.
const FOREIGN: [&str; 7] = [
    "[]",
    "null",
    "\"ok\"",
    r#"{"items": 3, "addresses": 3}"#,
    r#"{"success": false}"#,
    r#"{"total_count": 3, "next_page_cursor": null, "errors": ["down"]}"#,
    r#"{"items": null, "addresses": null, "members": null, "error": "down"}"#,
];

/// Counts of responses that the client doesn't retry, or of the errors that they caused.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Final {
    /// Responses with status 200 and a body that isn't from the service.
    pub(crate) foreign: u64,
    pub(crate) redirects: u64,
    pub(crate) repeated_cursors: u64,
}

impl Final {
    pub(super) fn sent(&mut self, fault: &Fault) {
        match fault {
            Fault::NotJson | Fault::Body(200, _) => self.foreign += 1,
            Fault::Redirect(..) => self.redirects += 1,
            Fault::RepeatedCursor => self.repeated_cursors += 1,
            _ => {}
        }
    }

    pub(super) fn came(&mut self, error: &Error) {
        let is_redirect = error.status().is_some_and(|status| status.is_redirection());
        match error.kind() {
            ErrorKind::Decode => self.foreign += 1,
            ErrorKind::RepeatedCursor => self.repeated_cursors += 1,
            ErrorKind::Status if is_redirect => self.redirects += 1,
            _ => {}
        }
    }
}

/// Returns a random fault for a page request or another call; often `None`.
pub(super) fn of_call(operation: Operation, has_cursor: bool, random: &mut Rng) -> Option<Fault> {
    let fault = match (operation, random.u8(..)) {
        (_, 0..2) => Fault::TooManyRequests { retry_after: Some(minutes(random)) },
        // The programs that send this POST add their own faults.
        (operation::ADD_INSTITUTION_MEMBERS, _) => return None,
        (_, 2..4) => Fault::Silence,
        (_, 4..6) => Fault::Latency(Duration::from_secs(20)),
        (_, 6..8) => Fault::NotJson,
        (_, 8..10) => Fault::UnknownEnumValue,
        (_, 10..12) => body([200, 200, 404][random.usize(..3)], random),
        (_, 12..14) => redirect(random),
        (_, 14..16) if has_cursor => Fault::RepeatedCursor,
        // This fault is rare, because one timer per byte slows down the simulation.
        (_, 16) => Fault::Drip(Duration::from_millis([5, 50, 500][random.usize(..3)])),
        _ => return None,
    };
    Some(fault)
}

/// Returns random faults for the next token requests; often none.
pub(super) fn of_token(random: &mut Rng) -> Vec<Fault> {
    let fault = match random.u8(..) {
        2..4 => Fault::Silence,
        4..20 => Fault::Status(503),
        20..30 => Fault::Reset,
        30..33 => Fault::TooManyRequests { retry_after: Some(minutes(random) / 10) },
        33..36 => return vec![Fault::Status(503); 14],
        36..38 => body(200, random),
        38..40 => redirect(random),
        40..42 => Fault::Drip(Duration::from_millis(20)),
        _ => return Vec::new(),
    };
    vec![fault]
}

/// Returns a random fault for a POST, or `None`.
pub(super) fn of_post(random: &mut Rng) -> Option<Fault> {
    Some(match random.u8(..12) {
        0 => Fault::Reset,
        1 => Fault::ResetAfterApplying,
        2 => Fault::Truncated,
        3 => Fault::Latency(Duration::from_secs(100)),
        4 => Fault::Status(500),
        5 => Fault::Silence,
        6 => body([200, 404][random.usize(..2)], random),
        7 => redirect(random),
        8 => Fault::Drip(Duration::from_millis([5, 50, 500][random.usize(..3)])),
        _ => return None,
    })
}

/// Returns a random duration of less than five minutes, which may be zero.
fn minutes(random: &mut Rng) -> Duration {
    Duration::from_secs(random.u64(..300).saturating_sub(30))
}

fn body(status: u16, random: &mut Rng) -> Fault {
    Fault::Body(status, FOREIGN[random.usize(..FOREIGN.len())].to_owned())
}

fn redirect(random: &mut Rng) -> Fault {
    Fault::Redirect([301, 302, 307, 308][random.usize(..4)], ELSEWHERE.to_owned())
}
