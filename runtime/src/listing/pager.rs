//! Reads the pages of one listing with sequential requests.

use std::{
    collections::HashSet,
    hash::BuildHasher,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::{Stream, stream::FuturesUnordered};

use super::Paging;
use crate::{
    BoxFuture, Error, ErrorKind, ResponseValue,
    call::{Call, PreparedCall, Sender},
};

/// A function that requests one page.
pub(crate) type Fetch<A> = fn(Sender, Call) -> BoxFuture<'static, Result<Fetched<A>, Error>>;

pub(crate) struct Fetched<A> {
    pub page: A,
    /// The cursor of the next page, if there is a next page.
    pub next: Option<String>,
    /// Whether the page is known to have no records.
    pub is_empty: bool,
}

pub(crate) fn fetch_page<L: Paging>(
    sender: Sender,
    call: Call,
) -> BoxFuture<'static, Result<Fetched<ResponseValue<L::Page>>, Error>> {
    Box::pin(async move {
        let page: ResponseValue<L::Page> = sender.call(&call).await?;
        Ok(Fetched { next: next_cursor::<L>(&call, &page)?, page, is_empty: false })
    })
}

pub(crate) fn fetch_records<L: Paging>(
    sender: Sender,
    call: Call,
) -> BoxFuture<'static, Result<Fetched<Vec<L::Item>>, Error>> {
    Box::pin(async move {
        let page: ResponseValue<L::Page> = sender.call(&call).await?;
        let next = next_cursor::<L>(&call, &page)?;
        sender.shared.clock.observe(page.headers());
        let records = L::records(page.into_inner());
        Ok(Fetched { is_empty: records.is_empty(), page: records, next })
    })
}

/// Returns the cursor of the next page, or `None` if the page is the last one.
///
/// # Errors
///
/// `Decode` if the page says that another page follows, but contains no cursor for it.
fn next_cursor<L: Paging>(call: &Call, page: &L::Page) -> Result<Option<String>, Error> {
    let cursor = L::cursor(page).filter(|cursor| !cursor.is_empty());
    match L::has_more(page) {
        Some(false) => Ok(None),
        Some(true) if cursor.is_none() => {
            let message = "the page says that another page follows, but contains no cursor for it";
            Err(Error::new(ErrorKind::Decode, message).with_operation(call.operation))
        }
        _ => Ok(cursor),
    }
}

/// Reads the pages of a listing one after another.
///
/// - Only a page without a next cursor ends the listing. An empty page with a next cursor doesn't.
/// - If a cursor is repeated, the pager returns an error, and then ends.
/// - If a request is invalid and can't be sent, the pager returns an error, and then ends.
/// - After any other error, the pager requests the failed page again.
pub(crate) struct Pager<A> {
    sender: Sender,
    fetch: Fetch<A>,
    /// The call for the next page. At the end of the listing, the call for the last page.
    call: Call,
    then: Then,
    /// The request in progress, if there is one. The request is kept in a `FuturesUnordered`, which
    /// polls a future only after the future was woken.
    in_flight: FuturesUnordered<BoxFuture<'static, Result<Fetched<A>, Error>>>,
    /// The cursor with which the last page was requested.
    at: Option<String>,
    /// The hashes of all cursors that the pager has seen.
    seen: HashSet<u64>,
    /// The number of consecutive pages without records.
    empty: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Ask,
    /// The next poll returns `RepeatedCursor` with this message.
    Refuse(&'static str),
    End,
}

impl<A> Pager<A> {
    pub(crate) fn new(start: PreparedCall, fetch: Fetch<A>) -> Self {
        let PreparedCall { sender, call, is_empty } = start;
        let mut seen = HashSet::new();
        if let Some(cursor) = call.cursor() {
            insert(&mut seen, cursor);
        }
        let then = if is_empty { Then::End } else { Then::Ask };
        let in_flight = FuturesUnordered::new();
        Self { sender, fetch, call, then, in_flight, at: None, seen, empty: 0 }
    }

    /// The cursor for the next request, if another request follows.
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.call.cursor().filter(|_| self.then == Then::Ask)
    }

    /// The cursor with which the last page was requested.
    pub(crate) fn at(&self) -> Option<&str> {
        self.at.as_deref()
    }

    pub(crate) fn is_in_flight(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// Whether another page or an error follows.
    pub(crate) fn has_more(&self) -> bool {
        self.then != Then::End
    }

    pub(crate) fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<A, Error>>> {
        if self.in_flight.is_empty() {
            match self.then {
                Then::Ask => {
                    self.in_flight.push((self.fetch)(self.sender.clone(), self.call.clone()));
                }
                Then::Refuse(message) => {
                    self.then = Then::End;
                    let error = Error::new(ErrorKind::RepeatedCursor, message);
                    return Poll::Ready(Some(Err(error.with_operation(self.call.operation))));
                }
                Then::End => return Poll::Ready(None),
            }
        }
        let answer = ready!(Pin::new(&mut self.in_flight).poll_next(cx));
        Poll::Ready(answer.map(|answer| self.take_in(answer)))
    }

    fn take_in(&mut self, answer: Result<Fetched<A>, Error>) -> Result<A, Error> {
        let is_never_sent = |error: &Error| {
            matches!(error.kind(), ErrorKind::InvalidRequest | ErrorKind::Configuration)
        };
        if answer.as_ref().is_err_and(is_never_sent) {
            // A retry would fail in the same way, because the request can't be sent.
            self.then = Then::End;
        }
        let Fetched { page, next, is_empty } = answer?;
        self.at = self.call.cursor().map(str::to_owned);
        self.empty = if is_empty { self.empty + 1 } else { 0 };
        if self.empty.is_power_of_two() {
            let operation = self.call.operation.id();
            tracing::info!(operation, pages = self.empty, "empty pages in a row");
        }
        self.then = match next {
            None => Then::End,
            Some(cursor) if insert(&mut self.seen, &cursor) => {
                self.call.set_cursor(cursor);
                Then::Ask
            }
            Some(_) => Then::Refuse(REPEATED),
        };
        Ok(page)
    }

    /// Makes the next poll return `RepeatedCursor` with this message, unless the listing has ended.
    pub(crate) fn refuse_next(&mut self, message: &'static str) {
        if self.then == Then::Ask {
            self.then = Then::Refuse(message);
        }
    }
}

const REPEATED: &str = "the listing returned the same cursor twice";

/// Adds a cursor to the set, and returns whether the cursor is new. Only a 64-bit hash of each
/// cursor is stored.
fn insert(seen: &mut HashSet<u64>, cursor: &str) -> bool {
    seen.insert(seen.hasher().hash_one(cursor))
}
