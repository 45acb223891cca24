//! Where a followed listing continues in another process.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Where a followed listing stands, to go on from there in another process.
///
/// It holds hashes of the base URL and the filters, and marks of the records that were handed out and
/// are open, or were created within the overlap before the last round. If that round had several pages,
/// the overlap begins earlier by the time that it took. During the first round of a filter that is split, it
/// holds all that were handed out. A serde value of at most 260 bytes for each of
/// those records, as JSON. Made by [`Following::checkpoint`](crate::Following::checkpoint), for [`Following::resume`](crate::Following::resume).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowCheckpoint {
    /// Empty for any service.
    pub(super) service: String,
    pub(super) operation: String,
    pub(super) filters: String,
    /// Where the next round begins; `None` is the beginning of the listing.
    pub(super) from: Option<DateTime<Utc>>,
    /// The records from then on that aren't open.
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

    /// The same checkpoint for a service that has moved to another base URL: the next listing that
    /// resumes from it may have any. Without this, `resume` refuses a checkpoint of another base URL.
    #[must_use]
    pub fn for_moved_service(self) -> Self {
        Self { service: String::new(), ..self }
    }
}

/// Without what was handed out: identifiers.
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
