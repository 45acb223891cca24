//! The position of a listing, for continuing in another process.

use std::{collections::BTreeSet, fmt};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Listing, fingerprint::Fingerprint, position::Position};
use crate::{Error, call::PreparedCall};

/// The position of a listing: the last record returned, the service, the operation and the filters.
///
/// Store a checkpoint as JSON, or in any other format that serde supports. It contains hashes of
/// the base URL and the filters, and the identifiers of the returned records that have the last
/// `created_at`. Three kinds of listing need more:
///
/// | listing | also in the checkpoint |
/// |---|---|
/// | a split filter in ascending order | the identifiers of the records created since five minutes before the listing started |
/// | without a time filter | the cursor of a page |
/// | a split filter without times to merge by | the identifiers of all records |
///
/// [`Items::checkpoint`](crate::Items::checkpoint) returns a checkpoint, and
/// [`Items::resume`](crate::Items::resume) continues from it:
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
/// Use a checkpoint to continue a listing that was interrupted. Don't use it for tomorrow's run of
/// a filter whose matching records change: `state=DELIVERED` would skip a parcel that is older than
/// the checkpoint and is delivered later. To see such changes, [`follow`](crate::Items::follow) the
/// listing without that filter.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The hash of the base URL. Empty if a listing with any base URL may resume.
    service: String,
    operation: String,
    filters: String,
    /// `None` before the first record.
    position: Option<Position>,
}

impl Checkpoint {
    /// The time at which the last record was created. `None` before the first record, or if records
    /// have no time. If a split filter is listed in ascending order, the time is at most five
    /// minutes before the start of the listing.
    ///
    /// Start a new listing at this time if the checkpoint is stale
    /// ([`ErrorKind::StaleCheckpoint`](crate::ErrorKind::StaleCheckpoint)).
    #[must_use]
    pub fn created_at(&self) -> Option<DateTime<Utc>> {
        self.position.as_ref()?.created_at
    }

    /// The same checkpoint for a service that has moved to another base URL. A listing with any
    /// base URL can resume from it. Without this, `resume` rejects a checkpoint from another base
    /// URL.
    #[must_use]
    pub fn for_moved_service(self) -> Self {
        Self { service: String::new(), ..self }
    }

    pub(crate) fn new(listed: &Listed, position: Option<Position>) -> Self {
        let Listed { service, operation, filters } = listed.clone();
        Self { service, operation, filters, position }
    }

    /// The position, if the checkpoint belongs to this listing.
    pub(crate) fn position_in(&self, listed: &Listed) -> Result<Option<Position>, Error> {
        listed.check(&self.service, &self.operation, &self.filters)?;
        Ok(self.position.clone())
    }
}

/// Leaves out the position, because it contains identifiers and a cursor.
impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("operation", &self.operation)
            .field("filters", &self.filters)
            .finish_non_exhaustive()
    }
}

/// The listing to which a checkpoint belongs.
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
        let mut service = Fingerprint::new();
        service.add(start.sender.shared.base.as_str().trim_end_matches('/'));
        Self {
            service: service.to_string(),
            operation: start.call.operation.id().to_owned(),
            filters: filters(listing, start),
        }
    }

    /// # Errors
    ///
    /// `InvalidRequest` if the checkpoint with these hashes belongs to another listing.
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

/// The hash of the path and the filters. Page size, cursor, duplicates and explicit defaults don't
/// change the hash. An empty filter array does.
fn filters(listing: &Listing, start: &PreparedCall) -> String {
    let call = &start.call;
    let filters: BTreeSet<_> = call.query.iter().filter(|it| listing.is_filter(it)).collect();
    let mut fingerprint = Fingerprint::new();
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
