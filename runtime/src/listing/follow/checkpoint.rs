//! The position of a followed listing, for continuing in another process.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The position of a followed listing, for continuing in another process.
///
/// [`Following::checkpoint`](crate::Following::checkpoint) returns a checkpoint, and
/// [`Following::resume`](crate::Following::resume) continues from it. Store the checkpoint as JSON,
/// or in any other format that serde supports. It contains hashes of the base URL and the filters,
/// and the time, the identifier and a hash of each of these records:
///
/// - the open records
/// - the records created within the overlap before the last round. If that round had several pages,
///   the overlap starts earlier by the duration of the round.
/// - during the first round of a split filter, all records
///
/// In JSON, a record whose identifier is a UUID takes about 100 bytes, and at most 140. With longer
/// identifiers, it takes at most 260 bytes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowCheckpoint {
    /// The hash of the base URL. Empty if a listing with any base URL may resume.
    pub(super) service: String,
    pub(super) operation: String,
    pub(super) filters: String,
    /// The time from which the next round lists. `None` means the start of the listing.
    pub(super) from: Option<DateTime<Utc>>,
    /// The records created at `from` or later that aren't open.
    pub(super) closed: Vec<Mark>,
    pub(super) open: Vec<Mark>,
    /// The identifiers of the open records that the last recheck didn't list.
    pub(super) missing: Vec<String>,
}

impl FollowCheckpoint {
    /// The `created_at` of the newest record that was returned. `None` if there was no record.
    #[must_use]
    pub fn created_at(&self) -> Option<DateTime<Utc>> {
        self.closed.iter().chain(&self.open).map(|Mark(time, ..)| *time).max()
    }

    /// The same checkpoint for a service that has moved to another base URL. A listing with any
    /// base URL can resume from it. Without this, `resume` rejects a checkpoint from another base
    /// URL.
    #[must_use]
    pub fn for_moved_service(self) -> Self {
        Self { service: String::new(), ..self }
    }
}

/// Leaves out the records, because they contain identifiers.
impl fmt::Debug for FollowCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowCheckpoint")
            .field("operation", &self.operation)
            .field("filters", &self.filters)
            .field("records", &(self.closed.len() + self.open.len()))
            .finish_non_exhaustive()
    }
}

/// A record in a checkpoint: its time, its identifier, and its content's hash.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark(pub DateTime<Utc>, pub String, pub String);
