//! A listing page by page, and what its pages and records are.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use chrono::{DateTime, Utc};
use futures_util::Stream;
use progenitor_client::ResponseValue;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::{
    Error,
    listing::Start,
    listing::pager::{Walk, ask},
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
    fn id(&self) -> Option<Id>;
}

/// A record of which there is a listing that can be cut into windows of time: filtered and ordered
/// by `created_at`.
pub trait Timed: Record {}

/// What a record is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Id(Known);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Known {
    Uuid(Uuid),
    Text(Box<str>),
}

impl From<Uuid> for Id {
    fn from(id: Uuid) -> Self {
        Self(Known::Uuid(id))
    }
}

impl From<&str> for Id {
    fn from(id: &str) -> Self {
        Self(Known::Text(id.into()))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Known::Uuid(id) => id.fmt(f),
            Known::Text(id) => f.pad(id),
        }
    }
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
