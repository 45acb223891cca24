//! A listing as a stream: page by page, or record by record.

use std::{
    fmt,
    future::poll_fn,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use chrono::{DateTime, Utc};
use futures_util::Stream;
use progenitor_client::ResponseValue;
use serde::de::DeserializeOwned;

use crate::{
    Error,
    listing::Start,
    walk::{Batch, Walk, ask, ask_batch},
};

/// A page of a listing: one of the `…Page` types in [`types`](crate::types).
pub trait Page: DeserializeOwned + Send + Sync + Unpin + 'static {
    /// The records that it lists.
    type Item: Record;

    /// The cursor of the page behind it.
    fn next_cursor(&self) -> Option<&str>;

    /// The records, and the cursor of the page behind them.
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>);
}

/// A record of a listing.
pub trait Record: Send + Sync + Unpin + 'static {
    /// When it was created, if every record of its kind says so.
    fn created_at(&self) -> Option<DateTime<Utc>>;

    /// What it is known by.
    fn id(&self) -> Option<String>;
}

/// A listing page by page, from `pages()` of a builder.
///
/// - It ends with the page that has no `next_page_cursor`, or an empty one; an empty or short page
///   with a cursor goes on.
/// - Filters are repeated with the cursor; what the description forbids beside one is left out.
/// - After an error it can be polled again, and continues at the page that failed. A cursor that
///   was seen before is an error too, and then the end.
/// - It holds a client of its own and borrows nothing; dropping it stops what is under way.
#[must_use = "streams do nothing unless polled"]
pub struct Pages<P> {
    walk: Result<Walk<ResponseValue<P>>, Option<Error>>,
}

impl<P: Page> Pages<P> {
    pub(crate) fn new(start: Result<Start, Error>) -> Self {
        Self { walk: start.map(|start| Walk::new(start, ask::<P>)).map_err(Some) }
    }

    /// The next page, with the status and headers of its answer.
    ///
    /// # Errors
    ///
    /// Those of the call that asked for it, and `RepeatedCursor`.
    pub async fn next(&mut self) -> Option<Result<ResponseValue<P>, Error>> {
        poll_fn(|cx| self.poll_page(cx)).await
    }

    /// The cursor of the page that comes next: keep it, and pass it to `page_cursor()` later, to
    /// go on from there. None before the first page, unless the walk began at a cursor, and none
    /// behind the last.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.walk.as_ref().ok()?.cursor()
    }

    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<ResponseValue<P>, Error>>> {
        match &mut self.walk {
            Ok(walk) => walk.poll_page(cx),
            Err(refusal) => Poll::Ready(refusal.take().map(Err)),
        }
    }
}

impl<P: Page> Stream for Pages<P> {
    type Item = Result<ResponseValue<P>, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_page(cx)
    }
}

impl<P> fmt::Debug for Pages<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}

/// Marks the listings that can be cut into windows of time.
#[derive(Debug)]
pub enum Timed {}

/// Every record of a listing, from `items()` of a builder.
///
/// It goes from page to page as [`Pages`] does. While the records of one page are handed out the
/// next is already being fetched, from the second record on, by the stream itself: no task is
/// spawned, and dropping the stream stops all.
#[must_use = "streams do nothing unless polled"]
pub struct Items<T, K = ()> {
    walk: Result<Walk<Batch<T>>, Option<Error>>,
    records: vec::IntoIter<T>,
    handed: usize,
    ahead: Option<Option<Result<Batch<T>, Error>>>,
    kind: PhantomData<K>,
}

impl<T: Record, K> Items<T, K> {
    pub(crate) fn new<P: Page<Item = T>>(start: Result<Start, Error>) -> Self {
        Self {
            walk: start.map(|start| Walk::new(start, ask_batch::<P>)).map_err(Some),
            records: Vec::new().into_iter(),
            handed: 0,
            ahead: None,
            kind: PhantomData,
        }
    }

    /// The next record.
    ///
    /// # Errors
    ///
    /// Those of the call that asked for its page, and `RepeatedCursor`; after one that isn't the
    /// end, the stream goes on at the page that failed.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|cx| self.poll_item(cx)).await
    }

    fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, Error>>> {
        let walk = match &mut self.walk {
            Ok(walk) => walk,
            Err(refusal) => return Poll::Ready(refusal.take().map(Err)),
        };
        loop {
            if let Some(record) = self.records.next() {
                self.handed += 1;
                if self.handed > 1 && self.ahead.is_none() {
                    if let Poll::Ready(page) = walk.poll_page(cx) {
                        self.ahead = Some(page);
                    }
                }
                return Poll::Ready(Some(Ok(record)));
            }
            let page = match self.ahead.take() {
                Some(page) => page,
                None => ready!(walk.poll_page(cx)),
            };
            match page {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(batch)) => {
                    self.records = batch.records.into_iter();
                    self.handed = 0;
                }
            }
        }
    }
}

impl<T: Record, K> Stream for Items<T, K>
where
    Self: Unpin,
{
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_item(cx)
    }
}

impl<T, K> fmt::Debug for Items<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
