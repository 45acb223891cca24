//! Where a listing stands, to go on from there in another process.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{CURSOR, LIMIT, Listing, fingerprint::Fingerprint, position::Position};
use crate::{Error, call::Call};

/// Where a listing stands: after which record, of which operation with which filters.
///
/// A small value to keep as JSON, or in any other form that serde knows. It holds a hash of the
/// filters, the cursor of a page, and the identifier of the last record. Where a long filter was split,
/// it holds those of all records that have the last one's time, or of all records if there are no
/// times to merge by.
/// [`Items::checkpoint`](crate::Items::checkpoint) makes it,
/// [`Items::resume`](crate::Items::resume) takes it:
///
/// ```no_run
/// use digital_assets::{Checkpoint, Client, types::Order};
///
/// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
/// let mut addresses = client.list_deposit_addresses().order(Order::Asc).items();
/// if let Ok(kept) = std::fs::read("addresses.checkpoint") {
///     let checkpoint: Checkpoint = serde_json::from_slice(&kept)?;
///     addresses = addresses.resume(checkpoint);
/// }
/// while let Some(address) = addresses.next().await {
///     println!("{}", address?.address);
///     std::fs::write("addresses.checkpoint", serde_json::to_vec(&addresses.checkpoint())?)?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(super) operation: String,
    pub(super) filters: String,
    /// None before the first record.
    position: Option<Position>,
}

impl Checkpoint {
    /// When the last record was created, where records say so; none before the first record.
    ///
    /// The time from which to begin anew if the checkpoint is stale
    /// ([`ErrorKind::StaleCheckpoint`](crate::ErrorKind::StaleCheckpoint)).
    #[must_use]
    pub fn created_at(&self) -> Option<DateTime<Utc>> {
        self.position.as_ref()?.created_at
    }

    /// Of a listing's beginning.
    pub(crate) fn new(listing: &Listing, call: &Call) -> Self {
        let filters = filters(listing, call);
        Self { operation: call.operation.id().to_owned(), filters, position: None }
    }

    pub(crate) fn at(&self, position: Option<Position>) -> Self {
        Self { position, ..self.clone() }
    }

    /// Of a stream that can't begin: it resumes nothing.
    pub(crate) fn nowhere() -> Self {
        Self { operation: String::new(), filters: String::new(), position: None }
    }

    pub(super) fn is_of(&self, operation: &str, filters: &str) -> bool {
        self.operation == operation && self.filters == filters
    }

    /// The position, if both are checkpoints of one listing.
    pub(crate) fn position_in(&self, listing: &Self) -> Result<Option<Position>, Error> {
        if listing.is_of(&self.operation, &self.filters) {
            Ok(self.position.clone())
        } else {
            Err(Error::invalid("the checkpoint is one of another listing"))
        }
    }
}

/// Without the position: it is made of identifiers and a cursor.
impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("operation", &self.operation)
            .field("filters", &self.filters)
            .finish_non_exhaustive()
    }
}

/// Over path and filters. How large the pages are, and which is the first, makes no other listing;
/// nor does what is said twice, or holds without being said.
fn filters(listing: &Listing, call: &Call) -> String {
    let is_filter = |(name, value): &(&str, &str)| {
        ![LIMIT, CURSOR].contains(name) && !listing.is_default(name, value)
    };
    let mut filters: Vec<_> = call.query.iter().filter(is_filter).collect();
    filters.sort_unstable();
    filters.dedup();
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(&call.path);
    for (name, value) in &filters {
        fingerprint.add(name);
        fingerprint.add(value);
    }
    format!("{:016x}", fingerprint.value())
}
