//! The records of one listing, page after page, the next being fetched while one is handed out.

use std::{
    task::{Context, Poll, ready},
    vec,
};

use crate::{
    Error,
    listing::pager::{Batch, Walk},
};

pub(crate) struct Strand<T> {
    walk: Walk<Batch<T>>,
    page: vec::IntoIter<T>,
    /// The cursor that the page was asked for with, and how many records came.
    cursor: Option<String>,
    came: usize,
    /// The cursor of the last record's page, and the record's place in it.
    at: Option<String>,
    taken: usize,
    /// What was asked for ahead, if it has arrived.
    ahead: Poll<Option<Result<Batch<T>, Error>>>,
}

impl<T: Send + 'static> Strand<T> {
    pub(crate) fn new(walk: Walk<Batch<T>>) -> Self {
        Self {
            walk,
            page: Vec::new().into_iter(),
            cursor: None,
            came: 0,
            at: None,
            taken: 0,
            ahead: Poll::Pending,
        }
    }

    /// Where the last record stands: the cursor of its page, and its place in it.
    pub(crate) fn place(&self) -> (Option<&str>, usize) {
        (self.at.as_deref(), self.taken)
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.walk.is_asking()
    }

    /// Goes on with what is under way. Returns whether it has arrived.
    pub(crate) fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ahead.is_pending() && self.is_asking() {
            self.ahead = self.walk.poll_page(cx);
            return self.ahead.is_ready();
        }
        false
    }

    /// The next record; without leave to ask, only of what is already on its way.
    pub(crate) fn poll_record(
        &mut self,
        cx: &mut Context<'_>,
        may_ask: bool,
    ) -> Poll<Option<Result<T, Error>>> {
        loop {
            let may_poll = may_ask || self.is_asking();
            let is_first = self.page.len() == self.came;
            if let Some(record) = self.page.next() {
                // With a page's first record, not before: an empty page is no place to stand.
                if is_first {
                    (self.at, self.taken) = (self.cursor.take(), 0);
                }
                self.taken += 1;
                // From the second record on: who wants only the first pays for one page.
                if self.taken > 1 && self.ahead.is_pending() && may_poll {
                    self.ahead = self.walk.poll_page(cx);
                }
                return Poll::Ready(Some(Ok(record)));
            }
            // What the page stood in isn't kept while the next is read.
            self.page = Vec::new().into_iter();
            let page = match std::mem::replace(&mut self.ahead, Poll::Pending) {
                Poll::Ready(page) => page,
                Poll::Pending if may_poll => ready!(self.walk.poll_page(cx)),
                Poll::Pending => return Poll::Pending,
            };
            match page {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(Batch { at, records, .. })) => {
                    (self.cursor, self.came) = (at, records.len());
                    self.page = records.into_iter();
                }
            }
        }
    }
}
