//! Rows on their way to the database, with the state that they lead to.

use super::state::State;
use crate::rows::Row;

/// Rows of a listing, and its state with them.
pub(super) struct Batch {
    /// Which of the listings that are synced.
    pub listing: usize,
    pub rows: Vec<Box<dyn Row>>,
    pub state: State,
    /// Whether the listing has more records by those of the rows that are new.
    pub is_round: bool,
    /// Whether they are the last ones of a listing, or of a sync.
    pub is_end: bool,
}
