//! From page to page of one listing, in its order, one request after the other.

use std::{
    collections::HashSet,
    future::poll_fn,
    hash::{BuildHasher, RandomState},
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::{Stream, stream::FuturesUnordered};
use progenitor_client::ResponseValue;
use reqwest::Request;

use crate::{
    BoxFuture, Client, Error, ErrorKind, Operation,
    listing::page::Page,
    listing::{self, CURSOR, Start},
};

/// Asks for one page.
pub(crate) type Ask<A> = fn(Client, Operation, Request) -> BoxFuture<'static, Result<A, Error>>;

pub(crate) trait Answered: Send + 'static {
    fn next_cursor(&self) -> Option<&str>;
}

impl<P: Page> Answered for ResponseValue<P> {
    fn next_cursor(&self) -> Option<&str> {
        P::next_cursor(self)
    }
}

pub(crate) fn ask<P: Page>(
    client: Client,
    operation: Operation,
    request: Request,
) -> BoxFuture<'static, Result<ResponseValue<P>, Error>> {
    Box::pin(async move { client.call(operation, request).await })
}

/// The records of a page, without its type.
pub(crate) struct Batch<T> {
    /// The cursor that it was asked for with.
    pub at: Option<String>,
    pub records: Vec<T>,
    pub next: Option<String>,
}

impl<T: Send + 'static> Answered for Batch<T> {
    fn next_cursor(&self) -> Option<&str> {
        self.next.as_deref()
    }
}

pub(crate) fn ask_batch<P: Page>(
    client: Client,
    operation: Operation,
    request: Request,
) -> BoxFuture<'static, Result<Batch<P::Item>, Error>> {
    Box::pin(async move {
        let at = listing::value(request.url(), CURSOR);
        let page: ResponseValue<P> = client.call(operation, request).await?;
        let (records, next) = page.into_inner().into_parts();
        Ok(Batch { at, records, next })
    })
}

/// A walk is its next call: nothing else of it changes but the cursors that it has seen.
///
/// - A page ends it only when its cursor is absent or empty.
/// - A cursor that came before is an error, and then the end.
/// - After any other error the page that failed is asked for again.
pub(crate) struct Walk<A> {
    start: Start,
    ask: Ask<A>,
    next: Next,
    /// The call under way; a set, since a set polls its future only when it was woken.
    call: FuturesUnordered<BoxFuture<'static, Result<A, Error>>>,
    seen: Seen,
}

enum Next {
    First,
    At(String),
    Circle,
    Over,
}

impl<A: Answered> Walk<A> {
    pub(crate) fn new(start: Start, ask: Ask<A>) -> Self {
        let mut seen = Seen::default();
        let next = match listing::value(start.request.url(), CURSOR) {
            _ if start.nothing => Next::Over,
            Some(cursor) => {
                seen.insert(&cursor);
                Next::At(cursor)
            }
            None => Next::First,
        };
        Self { start, ask, next, call: FuturesUnordered::new(), seen }
    }

    /// The cursor of the page that is asked for next.
    pub(crate) fn cursor(&self) -> Option<&str> {
        match &self.next {
            Next::At(cursor) => Some(cursor),
            _ => None,
        }
    }

    pub(crate) fn is_asking(&self) -> bool {
        !self.call.is_empty()
    }

    /// Whether there is another page behind the last.
    pub(crate) fn is_going_on(&self) -> bool {
        !matches!(self.next, Next::Over)
    }

    pub(crate) async fn page(&mut self) -> Option<Result<A, Error>> {
        poll_fn(|cx| self.poll_page(cx)).await
    }

    pub(crate) fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<A, Error>>> {
        if self.call.is_empty() {
            match &self.next {
                Next::Over => return Poll::Ready(None),
                Next::Circle => {
                    self.next = Next::Over;
                    let message = "the listing came back to a cursor that it had been at before";
                    let error = Error::new(ErrorKind::RepeatedCursor, message);
                    return Poll::Ready(Some(Err(error.of(self.start.operation))));
                }
                Next::First | Next::At(_) => match self.request() {
                    Some(request) => {
                        let Start { client, operation, .. } = &self.start;
                        self.call.push((self.ask)(client.clone(), *operation, request));
                    }
                    None => return Poll::Ready(None),
                },
            }
        }
        let Some(result) = ready!(Pin::new(&mut self.call).poll_next(cx)) else {
            return Poll::Ready(None);
        };
        if let Ok(page) = &result {
            self.next = match page.next_cursor().filter(|cursor| !cursor.is_empty()) {
                None => Next::Over,
                Some(cursor) if self.seen.insert(cursor) => Next::At(cursor.to_owned()),
                Some(_) => Next::Circle,
            };
        }
        Poll::Ready(Some(result))
    }

    fn request(&self) -> Option<Request> {
        let mut request = self.start.request.try_clone()?;
        if let Next::At(cursor) = &self.next {
            listing::set(request.url_mut(), CURSOR, cursor);
        }
        Some(request)
    }
}

/// The cursors of a walk, eight bytes each, however many pages it has.
#[derive(Default)]
struct Seen {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Seen {
    /// Whether the cursor is new.
    fn insert(&mut self, cursor: &str) -> bool {
        self.hashes.insert(self.hasher.hash_one(cursor))
    }
}
