//! Reads the pages of one listing with sequential requests.

use std::{
    collections::HashSet,
    future::poll_fn,
    hash::BuildHasher,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::{Stream, stream::FuturesUnordered};

use super::Page;
use crate::{
    BoxFuture, Error, ErrorKind, ResponseValue,
    call::{Call, PreparedCall, Sender},
};

/// A function that requests one page.
pub(crate) type Fetch<A> = fn(Sender, Call) -> BoxFuture<'static, Result<Fetched<A>, Error>>;

pub(crate) struct Fetched<A> {
    pub page: A,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// Whether the page is known to have no records.
    pub is_empty: bool,
}

pub(crate) fn fetch_page<P: Page>(
    sender: Sender,
    call: Call,
) -> BoxFuture<'static, Result<Fetched<ResponseValue<P>>, Error>> {
    Box::pin(async move {
        let page: ResponseValue<P> = sender.call(&call).await?;
        refuse_gap(&call, &*page)?;
        Ok(Fetched { next: page.next_cursor().map(str::to_owned), page, is_empty: false })
    })
}

pub(crate) fn fetch_records<P: Page>(
    sender: Sender,
    call: Call,
) -> BoxFuture<'static, Result<Fetched<Vec<P::Item>>, Error>> {
    Box::pin(async move {
        let page: ResponseValue<P> = sender.call(&call).await?;
        refuse_gap(&call, &*page)?;
        sender.shared.clock.observe(page.headers());
        let (records, next) = page.into_inner().into_parts();
        Ok(Fetched { is_empty: records.is_empty(), page: records, next })
    })
}

/// Rejects a page that says that another one follows, but has no cursor.
fn refuse_gap<P: Page>(call: &Call, page: &P) -> Result<(), Error> {
    if page.lacks_cursor() {
        let message = "the page says that another one follows, but has no cursor for it";
        return Err(Error::new(ErrorKind::Decode, message).with_operation(call.operation));
    }
    Ok(())
}

/// A pager: its next call, and the cursors that it has seen.
///
/// - A page ends the listing only if its cursor is absent or empty.
/// - If a cursor is repeated, the pager returns an error, and then the end.
/// - After any other error, the pager requests the failed page again.
pub(crate) struct Pager<A> {
    sender: Sender,
    fetch: Fetch<A>,
    /// The next call. After the end, the last call.
    call: Call,
    then: Then,
    /// The request in flight. It is in a set, because a set polls a future only after the future
    /// was woken.
    in_flight: FuturesUnordered<BoxFuture<'static, Result<Fetched<A>, Error>>>,
    /// The cursor of the last page.
    at: Option<String>,
    /// The hashes of all cursors so far.
    seen: HashSet<u64>,
    /// The number of pages in a row without records.
    empty: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Ask,
    /// The cursor has been seen before.
    Refuse,
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

    /// The cursor of the next request.
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.call.cursor().filter(|_| self.then == Then::Ask)
    }

    /// The cursor of the last page.
    pub(crate) fn at(&self) -> Option<&str> {
        self.at.as_deref()
    }

    pub(crate) fn is_in_flight(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// Whether another page follows.
    pub(crate) fn has_more(&self) -> bool {
        self.then != Then::End
    }

    pub(crate) async fn page(&mut self) -> Option<Result<A, Error>> {
        poll_fn(|cx| self.poll_page(cx)).await
    }

    pub(crate) fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<A, Error>>> {
        if self.in_flight.is_empty() {
            match self.then {
                Then::Ask => {
                    self.in_flight.push((self.fetch)(self.sender.clone(), self.call.clone()));
                }
                Then::Refuse => {
                    self.then = Then::End;
                    let error = Error::new(ErrorKind::RepeatedCursor, REPEATED);
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
            // A retry wouldn't be sent either.
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
            Some(_) => Then::Refuse,
        };
        Ok(page)
    }
}

const REPEATED: &str = "the listing returned a cursor twice";

/// Adds a cursor. Returns whether the cursor is new. Only eight bytes of each cursor are kept.
fn insert(seen: &mut HashSet<u64>, cursor: &str) -> bool {
    seen.insert(seen.hasher().hash_one(cursor))
}
