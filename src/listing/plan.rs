//! Decides which requests a listing's records come from: one after the other, many at once, or
//! several listings merged.

use std::sync::OnceLock;

use super::{
    CURSOR, Listing, Record,
    checkpoint::Listed,
    filter_chunks,
    merge::Merge,
    pager::{Fetch, Pager},
    position::{NOT_LISTED, Resume, stale},
    prefetch::Prefetch,
    record_source::RecordSource,
    windows::Windows,
};
use crate::{
    Error,
    call::{Call, PreparedCall, Query},
};

pub(super) struct Plan<T> {
    pub listing: &'static Listing,
    pub start: PreparedCall,
    pub fetch: Fetch<Vec<T>>,
    pub concurrency: usize,
    /// Made on demand, because a long filter takes time to hash.
    listed: OnceLock<Listed>,
}

/// Where records come from, and how many listings they are.
pub(super) type CountedSource<T> = (Box<dyn RecordSource<T>>, usize);

impl<T: Record> Plan<T> {
    pub(super) fn new(
        listing: &'static Listing,
        start: PreparedCall,
        fetch: Fetch<Vec<T>>,
    ) -> Self {
        Self { listing, start, fetch, concurrency: 1, listed: OnceLock::new() }
    }

    /// The same listing with another query.
    pub(super) fn with_query(&self, edit: impl FnOnce(&mut Query)) -> Self {
        let mut start = self.start.clone();
        edit(&mut start.call.query);
        Self { start, listed: OnceLock::new(), ..*self }
    }

    pub(super) fn listed(&self) -> &Listed {
        self.listed.get_or_init(|| Listed::new(self.listing, &self.start))
    }

    pub(super) fn is_ascending(&self) -> Option<bool> {
        self.listing.is_ascending(&self.start.call.query)
    }

    /// Where the records come from; `None` if a filter array is empty.
    pub(super) fn source(
        &self,
        resume: Option<&mut Resume>,
    ) -> Result<Option<CountedSource<T>>, Error> {
        let (listing, PreparedCall { call, is_empty, .. }) = (self.listing, &self.start);
        if *is_empty {
            return Ok(None);
        }
        let by_hand = call.query.get(CURSOR).is_some();
        let mut parts = filter_chunks::parts(listing, call)?;
        if by_hand && parts.len() > 1 {
            return Err(Error::invalid("page_cursor can't go with a filter that has to be split"));
        }
        let ascending = self.is_ascending();
        if ascending.is_none() && listing.order.is_some() && parts.len() > 1 {
            let refusal = "a filter that has to be split goes with the order of created_at alone";
            return Err(Error::invalid(refusal));
        }
        let mut one_by_one = by_hand || ascending.is_none();
        if let Some(resume) = resume {
            if !resume.fits(parts.len()) {
                return Err(stale(NOT_LISTED));
            }
            for part in &mut parts {
                resume.begin(&mut part.query, listing);
            }
            one_by_one |= !resume.time_order().needed;
        }

        let share = if one_by_one { 1 } else { self.concurrency / parts.len() };
        let source = |part| self.part(part, ascending, share);
        let mut sources: Vec<_> = parts.into_iter().map(source).collect();
        Ok(match sources.len() {
            0 | 1 => sources.pop().map(|source| (source, 1)),
            parts => Some((Box::new(Merge::new(sources, ascending, self.concurrency)), parts)),
        })
    }

    fn part(
        &self,
        call: Call,
        ascending: Option<bool>,
        concurrency: usize,
    ) -> Box<dyn RecordSource<T>> {
        let start = PreparedCall { call, sender: self.start.sender.clone(), is_empty: false };
        match (&self.listing.order, &self.listing.time_range) {
            (Some(order), Some(range)) if concurrency > 1 => {
                Box::new(Windows::new(start, self.fetch, self.listing, order, range, concurrency))
            }
            _ => Box::new(Prefetch::new(Pager::new(start, self.fetch), ascending)),
        }
    }
}
