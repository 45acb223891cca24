//! Reads the records of one listing, page after page. While the records of one page are returned,
//! the next page is fetched.

use std::{
    mem,
    task::{Context, Poll, ready},
    vec,
};

use super::{
    position::{PageOffset, TimeOrder},
    record_pages::RecordPages,
    record_source::RecordSource,
};
use crate::{Error, Record};

pub(crate) struct Prefetch<T> {
    pages: RecordPages<T>,
    page: vec::IntoIter<T>,
    /// The cursor of the page that contains the last record taken.
    at: Option<String>,
    /// The place of the last record taken on its page, counted from 1.
    offset: usize,
    /// The next page, if it was requested and has arrived.
    ahead: Poll<Option<Result<Vec<T>, Error>>>,
}

impl<T: Record> Prefetch<T> {
    pub(crate) fn new(pages: RecordPages<T>) -> Self {
        Self { pages, page: Vec::new().into_iter(), at: None, offset: 0, ahead: Poll::Pending }
    }

    /// Polls for the next page, unless the page has already arrived, or needs a new request and
    /// `may_ask` is false.
    fn poll_ahead(&mut self, cx: &mut Context<'_>, may_ask: bool) {
        if self.ahead.is_pending() && (may_ask || self.is_in_flight()) {
            self.ahead = self.pages.poll_page(cx);
        }
    }
}

impl<T: Record> RecordSource<T> for Prefetch<T> {
    fn place(&self) -> Option<PageOffset<'_>> {
        Some(PageOffset { cursor: self.at.as_deref(), offset: self.offset })
    }

    fn time_order(&self) -> TimeOrder {
        TimeOrder { is_violated: !self.pages.is_in_order, is_relied_on: false }
    }

    fn is_in_flight(&self) -> bool {
        self.pages.pager.is_in_flight()
    }

    fn poll_in_flight(&mut self, cx: &mut Context<'_>) {
        self.poll_ahead(cx, false);
    }

    fn poll_front(&mut self, cx: &mut Context<'_>, may_ask: bool) -> Poll<Result<bool, Error>> {
        loop {
            if self.front().is_some() {
                // The first record of a page doesn't start a request, so that a caller who wants
                // only one record requests only one page.
                if self.offset > 0 {
                    self.poll_ahead(cx, may_ask);
                }
                return Poll::Ready(Ok(true));
            }
            // Frees the memory of this page before the next page is read.
            self.page = Vec::new().into_iter();
            self.poll_ahead(cx, may_ask);
            let page = ready!(mem::replace(&mut self.ahead, Poll::Pending)).transpose()?;
            let Some(records) = page else { return Poll::Ready(Ok(false)) };
            // If the new page is empty, the last record taken is still on an earlier page.
            if !records.is_empty() {
                (self.at, self.offset) = (self.pages.pager.at().map(str::to_owned), 0);
            }
            self.page = records.into_iter();
        }
    }

    fn front(&self) -> Option<&T> {
        self.page.as_slice().first()
    }

    fn take_front(&mut self) -> Option<T> {
        self.offset += 1;
        self.page.next()
    }
}
