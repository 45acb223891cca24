//! Where the records of a stream come from: one request after the other, many at once, or several
//! listings merged.

use std::{
    collections::HashSet,
    task::{Context, Poll},
};

use crate::Error;

/// Records in the order of their listing.
pub(crate) trait Source<T>: Send {
    /// The next record. Begins a request only if it may.
    fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>>;

    /// Polls the requests under way.
    fn poll_ahead(&mut self, cx: &mut Context<'_>);

    /// Whether a request is under way.
    fn is_asking(&self) -> bool;

    /// The place of the last record.
    fn place(&self) -> Place<'_> {
        Place::default()
    }
}

/// The place of a source's last record, beside its time and its identifier.
#[derive(Default)]
pub(crate) struct Place<'a> {
    /// The cursor of its page, if the page can be asked for again.
    pub cursor: Option<&'a str>,
    /// Its place in that page, counted from 1.
    pub taken: usize,
    /// In a merge, all records with its time that were handed out.
    pub handed: Option<&'a HashSet<String>>,
}
