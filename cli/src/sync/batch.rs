//! A batch of rows for the database, with the state of their listing.

use super::state::State;
use crate::rows::Row;

/// Rows of a listing, and the listing's state after these rows.
pub(super) struct Batch {
    /// The index of the listing.
    pub listing: usize,
    pub rows: Vec<Box<dyn Row>>,
    pub state: State,
    /// Whether the batch belongs to a round, so that its new rows add to the number of records.
    pub is_round: bool,
    /// Whether these are the last rows of a listing, or of a sync.
    pub is_end: bool,
}
