//! A saved position in a followed listing, from which another process can continue the listing.

use std::{fmt, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// A saved position in a followed listing, from which another process can continue the listing.
///
/// [`Following::checkpoint`](crate::Following::checkpoint) returns a checkpoint, and
/// [`Following::resume`](crate::Following::resume) continues from it. Store the checkpoint as JSON,
/// or in any other format that serde supports. A checkpoint contains hashes of the base URL and the
/// filters. It also contains the time, the identifier and a hash of each of these records:
///
/// - all open records
/// - all records created within the [`overlap`](crate::Follow::overlap) before the newest record.
///   If the last round had several pages, the overlap is extended by the duration of that round.
/// - all records, during the first round of a listing whose filter is split over several requests
///
/// In JSON, a record whose identifier is a UUID takes about 100 bytes, and at most 140. A record
/// with a longer identifier takes at most 260 bytes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowCheckpoint {
    /// The hash of the base URL. If empty, a listing with any base URL can resume from this
    /// checkpoint.
    pub(super) service: String,
    pub(super) operation: String,
    pub(super) filters: String,
    /// The time from which the next round requests records. `None` means that the round requests
    /// the whole listing.
    pub(super) from: Option<DateTime<Utc>>,
    /// The records that aren't open and were created at `from` or later.
    pub(super) closed: Vec<SavedRecord>,
    pub(super) open: Vec<SavedRecord>,
    /// The identifiers of the open records that the last recheck didn't find.
    pub(super) missing: Vec<String>,
}

impl FollowCheckpoint {
    /// The `created_at` of the newest record that was returned. `None` if no record was returned.
    #[must_use]
    pub fn created_at(&self) -> Option<DateTime<Utc>> {
        self.closed.iter().chain(&self.open).map(|SavedRecord(time, ..)| *time).max()
    }

    /// The creation time and the identifier of each open record, oldest first.
    ///
    /// An identifier of more than 100 bytes is replaced by its first 25 characters and a hash.
    #[must_use]
    pub fn open_records(&self) -> impl ExactSizeIterator<Item = (DateTime<Utc>, &str)> {
        self.open.iter().map(|SavedRecord(time, id, _)| (*time, &**id))
    }

    /// Converts the checkpoint so that a listing with any base URL can resume from it. Call this
    /// function if the service has moved to another base URL. Otherwise, `resume` would reject the
    /// checkpoint.
    #[must_use]
    pub fn for_moved_service(self) -> Self {
        Self { service: String::new(), ..self }
    }

    /// Lets the next round start earlier by this duration, for a listing with a longer overlap than
    /// the one that made the checkpoint. The listing returns the records created in this additional
    /// time as [`New`](crate::Change::New), because the checkpoint doesn't contain them.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # use oas_client::FollowCheckpoint;
    /// # fn example(kept: FollowCheckpoint) -> FollowCheckpoint {
    /// let (before, now) = (Duration::from_secs(300), Duration::from_secs(3600));
    /// kept.starting_earlier(now.saturating_sub(before))
    /// # }
    /// ```
    #[must_use]
    pub fn starting_earlier(self, by: Duration) -> Self {
        let by = TimeDelta::from_std(by).unwrap_or(TimeDelta::MAX);
        // A time before all times means the whole listing.
        Self { from: self.from.and_then(|from| from.checked_sub_signed(by)), ..self }
    }
}

/// Prints the number of records, but not the records themselves, because they contain identifiers.
impl fmt::Debug for FollowCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowCheckpoint")
            .field("operation", &self.operation)
            .field("filters", &self.filters)
            .field("records", &(self.closed.len() + self.open.len()))
            .finish_non_exhaustive()
    }
}

/// A record in a checkpoint: its time, its identifier, and the hash of its content.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedRecord(pub DateTime<Utc>, pub String, pub String);
