//! Reads the pages of one listing as records. A record that the page before has listed too is
//! dropped. This happens before the order of the records is checked, for every way of reading.

use std::{
    collections::HashSet,
    future::poll_fn,
    mem,
    task::{Context, Poll, ready},
};

use super::{
    pager::{Fetch, Pager},
    time_key::{TimeKey, key_of},
};
use crate::{Error, Id, Record, call::PreparedCall};

/// The number of consecutive pages without a new record after which the listing ends.
const MOST_REPEATED_PAGES: usize = 100;

const ONLY_REPEATS: &str = "the listing returned 100 pages in a row that only repeat the page \
                            before them, each with a new cursor";

pub(super) struct RecordPages<T> {
    pub(super) pager: Pager<Vec<T>>,
    /// Whether the order by time is ascending. `None` if the listing isn't known to be sorted by
    /// time.
    ascending: Option<bool>,
    /// The identifiers of all records that the service listed on the last page that wasn't empty.
    /// If the service's cursors are offsets, new records push some of these records onto the next
    /// page.
    last_page: Vec<Id>,
    /// The latest key of all records that were listed.
    pub(super) reached: Option<TimeKey>,
    /// Whether the records so far are sorted by time.
    pub(super) is_in_order: bool,
    /// The number of consecutive pages that had only repeated records.
    repeated_pages: usize,
}

/// How the times of a page's records are related to each other, and to the records before them.
struct TimesOfPage {
    /// Whether all records come after all earlier records. Then none of them is repeated.
    is_behind: bool,
    is_sorted: bool,
    /// The latest key, including the keys of earlier records.
    reached: Option<TimeKey>,
}

impl<T: Record> RecordPages<T> {
    pub(super) fn new(start: PreparedCall, fetch: Fetch<Vec<T>>, ascending: Option<bool>) -> Self {
        Self {
            pager: Pager::new(start, fetch),
            ascending,
            last_page: Vec::new(),
            reached: None,
            is_in_order: true,
            repeated_pages: 0,
        }
    }

    pub(super) async fn page(&mut self) -> Option<Result<Vec<T>, Error>> {
        poll_fn(|cx| self.poll_page(cx)).await
    }

    pub(super) fn poll_page(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Vec<T>, Error>>> {
        let page = ready!(self.pager.poll_page(cx));
        Poll::Ready(page.map(|page| page.map(|records| self.take_in(records))))
    }

    /// Drops the records of a page that the page before has listed too, and checks the order of the
    /// others.
    pub(super) fn take_in(&mut self, mut page: Vec<T>) -> Vec<T> {
        if page.is_empty() {
            return page;
        }
        let ids = page.iter().filter_map(Record::id).collect();
        let before = mem::replace(&mut self.last_page, ids);
        let mut times = self.times_of(&page);
        let reached = times.reached;
        if !times.is_behind {
            let before: HashSet<Id> = before.into_iter().collect();
            page.retain(|record| record.id().is_none_or(|id| !before.contains(&id)));
            times = self.times_of(&page);
        }
        self.is_in_order &= times.is_sorted;
        self.reached = reached;
        self.repeated_pages = if page.is_empty() { self.repeated_pages + 1 } else { 0 };
        if self.repeated_pages == MOST_REPEATED_PAGES {
            self.pager.refuse_next(ONLY_REPEATS);
        }
        page
    }

    fn times_of(&self, page: &[T]) -> TimesOfPage {
        let reached = self.reached;
        let Some(ascending) = self.ascending else {
            return TimesOfPage { is_behind: false, is_sorted: true, reached };
        };
        let mut times = TimesOfPage { is_behind: true, is_sorted: true, reached };
        for record in page {
            let key = key_of(record, ascending);
            times.is_behind &= key > reached;
            // The place of a record without a time is unknown.
            times.is_sorted &= key.is_some() && key >= times.reached;
            times.reached = times.reached.max(key);
        }
        times
    }
}
