//! Decides whether a listing's records are requested sequentially or concurrently, and whether they
//! are merged from several listings.

use std::sync::{Arc, OnceLock};

use super::{
    Listing, Record,
    checkpoint::Listed,
    filter_chunks,
    merge::Merge,
    pager::Fetch,
    position::{NOT_LISTED, Resume, stale},
    prefetch::Prefetch,
    record_pages::RecordPages,
    record_source::RecordSource,
    windows::{ListingEnd, Windows},
};
use crate::{
    Error,
    call::{PreparedCall, Query},
};

pub(super) struct Plan<T> {
    pub listing: &'static Listing,
    pub start: PreparedCall,
    pub fetch: Fetch<Vec<T>>,
    pub concurrency: usize,
    /// Whether to read the listing again, starting before the last returned record, if the service
    /// rejects a cursor. False for a round of a followed listing, because the next round finds the
    /// remaining records.
    pub rereads: bool,
    /// Identifies the listing in a checkpoint. Computed on demand, because a long filter takes time
    /// to hash.
    listed: OnceLock<Listed>,
    /// The end of each listing that is read with windows: one per part of a split filter. If the
    /// listing is read again, its ends stay the same.
    ends: OnceLock<Vec<ListingEnd>>,
}

impl<T: Record> Plan<T> {
    pub(super) fn new(
        listing: &'static Listing,
        start: PreparedCall,
        fetch: Fetch<Vec<T>>,
    ) -> Self {
        Self {
            listing,
            start,
            fetch,
            concurrency: 1,
            rereads: true,
            listed: OnceLock::new(),
            ends: OnceLock::new(),
        }
    }

    /// Returns a copy of the plan, with its query changed by `edit`.
    pub(super) fn with_query(&self, edit: impl FnOnce(&mut Query)) -> Self {
        let mut start = self.start.clone();
        edit(&mut start.call.query);
        Self { start, listed: OnceLock::new(), ends: OnceLock::new(), ..*self }
    }

    pub(super) fn listed(&self) -> &Listed {
        self.listed.get_or_init(|| Listed::new(self.listing, &self.start))
    }

    pub(super) fn is_ascending(&self) -> Option<bool> {
        self.listing.is_ascending(&self.start.call.query)
    }

    /// Returns the source of the records, and the number of listings that the source merges.
    pub(super) fn source(
        &self,
        resume: Option<&mut Resume>,
    ) -> Result<(Box<dyn RecordSource<T>>, usize), Error> {
        let listing = self.listing;
        let has_cursor = self.start.call.cursor().is_some();
        let mut parts = filter_chunks::parts(listing, &self.start)?;
        if has_cursor && parts.len() > 1 {
            let cursor = listing.cursor;
            let refusal = "can't be combined with a filter that is too long for one request";
            return Err(Error::rejected(cursor, refusal));
        }
        let ascending = self.is_ascending();
        if ascending.is_none() && listing.order.is_some() && parts.len() > 1 {
            let refusal = "with a filter that is too long for one request, records can only be \
                           listed in order of time; don't set another order";
            return Err(Error::invalid(refusal));
        }
        let mut one_by_one = has_cursor || ascending.is_none();
        if let Some(resume) = resume {
            if !resume.fits(parts.len()) {
                return Err(stale(NOT_LISTED));
            }
            for part in &mut parts {
                resume.begin(&mut part.call.query, listing);
            }
            one_by_one |= !resume.time_order().is_relied_on;
        }

        let count = parts.len();
        let share = if one_by_one { 1 } else { self.concurrency / count };
        // Each part has an end of its own. Clones of one end would share it.
        let ends = self.ends.get_or_init(|| (0..count).map(|_| ListingEnd::default()).collect());
        let parts = parts.into_iter().zip(ends);
        let sources: Vec<_> =
            parts.map(|(part, end)| self.part(part, ascending, share, end)).collect();
        Ok(match <[_; 1]>::try_from(sources) {
            Ok([source]) => (source, 1),
            Err(sources) => (Box::new(Merge::new(sources, ascending, self.concurrency)), count),
        })
    }

    fn part(
        &self,
        start: PreparedCall,
        ascending: Option<bool>,
        concurrency: usize,
        end: &ListingEnd,
    ) -> Box<dyn RecordSource<T>> {
        match (&self.listing.order, &self.listing.time_range) {
            (Some(order), Some(range)) if concurrency > 1 => {
                let (fetch, listing, end) = (self.fetch, self.listing, Arc::clone(end));
                Box::new(Windows::new(start, fetch, listing, order, range, concurrency, end))
            }
            _ => Box::new(Prefetch::new(RecordPages::new(start, self.fetch, ascending))),
        }
    }
}
