//! The records of one listing, page after page. While one page is handed out, the next is fetched.

use std::{
    iter, mem,
    task::{Context, Poll, ready},
    vec,
};

use super::{
    pager::Pager,
    position::{PageOffset, TimeOrder},
    record_source::RecordSource,
    windows::{TimeKey, key_of},
};
use crate::{Error, Record};

pub(crate) struct Prefetch<T> {
    pager: Pager<Vec<T>>,
    page: vec::IntoIter<T>,
    /// The cursor of the last record's page, and the record's place in it.
    at: Option<String>,
    offset: usize,
    /// The next page, if it was asked for and has arrived.
    ahead: Poll<Option<Result<Vec<T>, Error>>>,
    /// The order of the times; `None` if the listing has none.
    ascending: Option<bool>,
    /// Of the last record of the last page.
    last: Option<TimeKey>,
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
            time_order: TimeOrder::default(),
        }
    }

    /// Polls the next page, unless it has arrived or would have to be asked for and may not. Once it
    /// arrives, holds the order of its times against that of the listing.
    fn poll_ahead(&mut self, cx: &mut Context<'_>, may_ask: bool) {
        if self.ahead.is_ready() || !(may_ask || self.is_in_flight()) {
            return;
        }
        self.ahead = self.pager.poll_page(cx);
        let (Some(ascending), Poll::Ready(Some(Ok(page)))) = (self.ascending, &self.ahead) else {
            return;
        };
        let keys = page.iter().map(|record| key_of(record, ascending));
        let keys = iter::once(self.last).chain(keys);
        self.time_order.is_violated |= !keys.clone().is_sorted();
        self.last = keys.last().flatten();
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
                // Not with the first record: a caller who wants only that one pays for one page.
                if self.offset > 1 {
                    self.poll_ahead(cx, may_ask);
                }
                return Poll::Ready(Some(Ok(record)));
            }
            // Frees the memory of this page before the next is read.
            self.page = Vec::new().into_iter();
            self.poll_ahead(cx, may_ask);
            let page = ready!(mem::replace(&mut self.ahead, Poll::Pending)).transpose()?;
            let Some(records) = page else { return Poll::Ready(None) };
            // The last record stays that of an earlier page if this one is empty.
            if !records.is_empty() {
                (self.at, self.offset) = (self.pager.at().map(str::to_owned), 0);
            }
            self.page = records.into_iter();
        }
    }
}
