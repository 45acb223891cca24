//! Reads the records of one listing, page after page. While the records of one page are returned,
//! the next page is fetched.

use std::{
    collections::HashSet,
    iter, mem,
    task::{Context, Poll, ready},
    vec,
};

use super::{
    pager::Pager,
    position::{PageOffset, TimeOrder},
    record_source::RecordSource,
    time_key::{TimeKey, key_of},
};
use crate::{Error, Id, Record};

pub(crate) struct Prefetch<T> {
    pager: Pager<Vec<T>>,
    page: vec::IntoIter<T>,
    /// The cursor of the page that contains the last record returned.
    at: Option<String>,
    /// The last returned record's place on its page, counted from 1.
    offset: usize,
    /// The next page, if it was requested and has arrived.
    ahead: Poll<Option<Result<Vec<T>, Error>>>,
    /// Whether the order by time is ascending. `None` if the listing isn't known to be sorted by
    /// time.
    ascending: Option<bool>,
    /// The time of the last record on the most recent page.
    last: Option<TimeKey>,
    /// The identifiers of the records on the last page that wasn't empty. If the service's cursors
    /// are offsets, new records may push some of these records onto the next page.
    last_page: Vec<Id>,
    time_order: TimeOrder,
}

impl<T: Record> Prefetch<T> {
    pub(crate) fn new(pager: Pager<Vec<T>>, ascending: Option<bool>) -> Self {
        Self {
            pager,
            page: Vec::new().into_iter(),
            at: None,
            offset: 0,
            ahead: Poll::Pending,
            ascending,
            last: None,
            last_page: Vec::new(),
            time_order: TimeOrder::default(),
        }
    }

    /// Polls for the next page, unless the page has already arrived, or needs a new request and
    /// `may_ask` is false. When the page arrives, drops repeated records, and checks whether the
    /// page is sorted by time.
    fn poll_ahead(&mut self, cx: &mut Context<'_>, may_ask: bool) {
        if self.ahead.is_ready() || !(may_ask || self.is_in_flight()) {
            return;
        }
        self.ahead = self.pager.poll_page(cx);
        let Poll::Ready(Some(Ok(page))) = &mut self.ahead else { return };
        drop_repeated(page, &mut self.last_page, self.ascending.zip(self.last));
        let Some(ascending) = self.ascending else { return };
        let keys = page.iter().map(|record| key_of(record, ascending));
        let keys = iter::once(self.last).chain(keys);
        self.time_order.is_violated |= !keys.clone().is_sorted();
        self.last = keys.last().flatten();
    }
}

/// Drops the records that were also on the previous page, and stores the identifiers of this page's
/// records in `last_page`. If all records come after the time in `behind`, no record is dropped.
fn drop_repeated<T: Record>(
    page: &mut Vec<T>,
    last_page: &mut Vec<Id>,
    behind: Option<(bool, TimeKey)>,
) {
    if page.is_empty() {
        return;
    }
    let ids = page.iter().filter_map(Record::id).collect();
    let before = mem::replace(last_page, ids);
    let is_behind = behind.is_some_and(|(ascending, last)| {
        page.iter().all(|record| key_of(record, ascending) > Some(last))
    });
    if !is_behind {
        let before: HashSet<Id> = before.into_iter().collect();
        page.retain(|record| record.id().is_none_or(|id| !before.contains(&id)));
    }
}

impl<T: Record> RecordSource<T> for Prefetch<T> {
    fn place(&self) -> Option<PageOffset<'_>> {
        Some(PageOffset { cursor: self.at.as_deref(), offset: self.offset })
    }

    fn time_order(&self) -> TimeOrder {
        self.time_order
    }

    fn is_in_flight(&self) -> bool {
        self.pager.is_in_flight()
    }

    fn poll_in_flight(&mut self, cx: &mut Context<'_>) {
        self.poll_ahead(cx, false);
    }

    fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>> {
        loop {
            if let Some(record) = self.page.next() {
                self.offset += 1;
                // The first record of a page doesn't start a request, so that a caller who wants
                // only one record requests only one page.
                if self.offset > 1 {
                    self.poll_ahead(cx, may_ask);
                }
                return Poll::Ready(Some(Ok(record)));
            }
            // Frees the memory of this page before the next page is read.
            self.page = Vec::new().into_iter();
            self.poll_ahead(cx, may_ask);
            let page = ready!(mem::replace(&mut self.ahead, Poll::Pending)).transpose()?;
            let Some(records) = page else { return Poll::Ready(None) };
            // If the new page is empty, the last record returned is still on an earlier page.
            if !records.is_empty() {
                (self.at, self.offset) = (self.pager.at().map(str::to_owned), 0);
            }
            self.page = records.into_iter();
        }
    }
}
