//! A batch of rows to write to the database, together with the new state of their listing.

use tokio::sync::oneshot;

use super::state::State;
use crate::rows::Row;

/// Rows of one listing, and the listing's state to save in the same transaction.
pub(super) struct Batch {
    /// The index of the listing among the listings of this sync.
    pub listing: usize,
    pub rows: Vec<Box<dyn Row>>,
    pub state: State,
    /// Whether the batch comes from an incremental round. If so, the summary counts only its new
    /// rows.
    pub is_round: bool,
    /// Whether this is the last batch of a full listing, or the last batch of a sync that stops
    /// after one incremental round.
    pub is_end: bool,
    /// Receives a message after the commit.
    pub committed: oneshot::Sender<()>,
}
