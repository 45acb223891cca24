//! The records of one listing, page after page, the next being fetched while one is handed out.

use std::{
    mem,
    task::{Context, Poll, ready},
    vec,
};

use super::{
    pager::{Batch, Pager},
    source::{Place, Source},
};
use crate::Error;

pub(crate) struct Prefetch<T> {
    pager: Pager<Batch<T>>,
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

impl<T: Send + 'static> Prefetch<T> {
    pub(crate) fn new(pager: Pager<Batch<T>>) -> Self {
        Self {
            pager,
            page: Vec::new().into_iter(),
            cursor: None,
            came: 0,
            at: None,
            taken: 0,
            ahead: Poll::Pending,
        }
    }
}

impl<T: Send + 'static> Source<T> for Prefetch<T> {
    fn place(&self) -> Place<'_> {
        Place { cursor: self.at.as_deref(), taken: self.taken, handed: None }
    }

    fn is_asking(&self) -> bool {
        self.pager.is_asking()
    }

    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> bool {
        if self.ahead.is_pending() && self.is_asking() {
            self.ahead = self.pager.poll_page(cx);
            return self.ahead.is_ready();
        }
        false
    }

    fn poll_record(
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
                    self.ahead = self.pager.poll_page(cx);
                }
                return Poll::Ready(Some(Ok(record)));
            }
            // What the page stood in isn't kept while the next is read.
            self.page = Vec::new().into_iter();
            let page = match mem::replace(&mut self.ahead, Poll::Pending) {
                Poll::Ready(page) => page,
                Poll::Pending if may_poll => ready!(self.pager.poll_page(cx)),
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
