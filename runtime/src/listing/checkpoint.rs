//! Checkpoints: saved positions from which another process can continue a listing.

use std::{collections::BTreeSet, fmt};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Listing, fingerprint::Fingerprint, position::Position};
use crate::{Error, call::PreparedCall};

/// A saved position in a listing, from which another process can continue the listing.
///
/// Store a checkpoint as JSON, or in any other format that serde supports. A checkpoint contains
/// hashes of the base URL and the filters, and the identifiers of the returned records that have
/// the same `created_at` as the last returned record. Checkpoints of the following listings contain
/// more. (A filter is split if it is too long for one request.)
///
/// | listing | additional content |
/// |---|---|
/// | with a split filter, in ascending order | the identifiers of all returned records that were created later than five minutes before the start of the listing |
/// | without a time filter, or not sorted by time | the cursor of the last record's page |
/// | with a split filter, and not sorted by time | the identifiers of all returned records |
///
/// [`Items::checkpoint`](crate::Items::checkpoint) returns a checkpoint, and
/// [`Items::resume`](crate::Items::resume) continues the listing from a checkpoint.
/// The service in this example delivers parcels:
///
/// ```no_run
/// # use oas_client::Checkpoint;
/// # use second::{Client, types::Sort};
/// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
/// let mut parcels = client.list_parcels().sort(Sort::OldestFirst).items();
/// if let Ok(kept) = std::fs::read("parcels.checkpoint") {
///     let checkpoint: Checkpoint = serde_json::from_slice(&kept)?;
///     parcels = parcels.resume(checkpoint);
/// }
/// while let Some(parcel) = parcels.next().await {
///     println!("{}", parcel?.id);
///     std::fs::write("parcels.checkpoint", serde_json::to_vec(&parcels.checkpoint())?)?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// Use a checkpoint to continue an interrupted listing. Don't use a checkpoint to find records that
/// begin to match a filter after they were created. For example, with `state=DELIVERED`, the
/// resumed listing would miss a parcel that is older than the checkpoint, but was delivered later.
/// To see such changes, [`follow`](crate::Items::follow) the listing without that filter.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The hash of the base URL. If empty, a listing with any base URL can resume from this
    /// checkpoint.
    service: String,
    operation: String,
    filters: String,
    /// The position of the last returned record. `None` if no record had been returned.
    position: Option<Position>,
}

impl Checkpoint {
    /// The creation time of the last record that was returned. `None` if no record had been
    /// returned, or if the records have no creation time.
    ///
    /// If a filter was split over several requests and the order is ascending, the time is capped:
    /// it is never later than five minutes before the start of the listing.
    ///
    /// If resuming fails with [`StaleCheckpoint`](crate::ErrorKind::StaleCheckpoint), start a new
    /// listing at this time.
    #[must_use]
    pub fn created_at(&self) -> Option<DateTime<Utc>> {
        self.position.as_ref()?.created_at
    }

    /// Converts the checkpoint so that a listing with any base URL can resume from it. Call this
    /// function if the service has moved to another base URL. Otherwise, `resume` would reject the
    /// checkpoint.
    #[must_use]
    pub fn for_moved_service(self) -> Self {
        Self { service: String::new(), ..self }
    }

    pub(crate) fn new(listed: &Listed, position: Option<Position>) -> Self {
        let Listed { service, operation, filters } = listed.clone();
        Self { service, operation, filters, position }
    }

    /// Returns the checkpoint's position, or an error if the checkpoint belongs to a listing other
    /// than `listed`.
    pub(crate) fn position_in(&self, listed: &Listed) -> Result<Option<Position>, Error> {
        listed.check(&self.service, &self.operation, &self.filters)?;
        Ok(self.position.clone())
    }
}

/// Prints the checkpoint without its position, which contains identifiers and possibly a cursor.
impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("operation", &self.operation)
            .field("filters", &self.filters)
            .finish_non_exhaustive()
    }
}

/// Identifies the listing to which a checkpoint belongs.
#[derive(Clone, Default)]
pub(crate) struct Listed {
    /// A hash of the base URL.
    pub service: String,
    pub operation: String,
    /// A hash of the path and the filters.
    pub filters: String,
}

impl Listed {
    pub(crate) fn new(listing: &Listing, start: &PreparedCall) -> Self {
        let mut service = Fingerprint::default();
        service.add(start.sender.shared.base.as_str().trim_end_matches('/'));
        Self {
            service: service.to_string(),
            operation: start.call.operation.id().to_owned(),
            filters: filters(listing, start),
        }
    }

    /// Checks that a checkpoint with these values belongs to this listing.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if the checkpoint belongs to another listing or another base URL.
    pub(crate) fn check(&self, service: &str, operation: &str, filters: &str) -> Result<(), Error> {
        if (operation, filters) != (&*self.operation, &*self.filters) {
            Err(Error::invalid("the checkpoint belongs to another listing"))
        } else if ![self.service.as_str(), ""].contains(&service) {
            Err(Error::invalid(
                "the checkpoint was made with another base URL; if the service has moved, use \
                 for_moved_service()",
            ))
        } else {
            Ok(())
        }
    }
}

/// Hashes the path and the filters. The page size, the cursor, duplicate filter values and
/// explicitly set defaults don't affect the hash, but an empty filter array does.
fn filters(listing: &Listing, start: &PreparedCall) -> String {
    let call = &start.call;
    let filters: BTreeSet<_> = call.query.iter().filter(|it| listing.is_filter(it)).collect();
    let mut fingerprint = Fingerprint::default();
    fingerprint.add(&call.path);
    if start.is_empty {
        fingerprint.add("");
    }
    for (name, value) in filters {
        fingerprint.add(name);
        fingerprint.add(value);
    }
    fingerprint.to_string()
}
