//! Where the records of a stream come from: one request after the other, many at once, or several
//! listings merged.

use std::{
    collections::HashSet,
    task::{Context, Poll},
};

use crate::Error;

/// Records in the order of their listing.
pub(crate) trait Source<T>: Send {
    /// The next record. Without leave to ask, only of what has arrived or is under way.
    fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>>;

    /// Goes on with what is under way. Returns whether any of it has arrived and left nothing under
    /// way.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool;

    /// Whether a request is under way.
    fn is_asking(&self) -> bool;

    /// Where the last record stands.
    fn place(&self) -> Place<'_> {
        Place::default()
    }
}

/// Where the last record of a source stands, beside its time and its identifier.
#[derive(Default)]
pub(crate) struct Place<'a> {
    /// The cursor of its page, if that can be asked for again.
    pub cursor: Option<&'a str>,
    /// Its place in that page, counted from 1.
    pub taken: usize,
    /// Of merged listings, all records that were handed out with its time.
    pub handed: Option<&'a HashSet<String>>,
}
