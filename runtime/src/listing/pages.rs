//! A listing page by page.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::Stream;

use super::{
    Page,
    pager::{Pager, fetch_page},
};
use crate::{Error, ResponseValue, call::PreparedCall};

/// A listing page by page, from `pages()` of a builder.
///
/// ```no_run
/// # async fn example(client: second::Client) -> Result<(), oas_client::Error> {
/// let mut pages = client.list_parcels().per_page(500).pages();
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} parcels, status {}", page.data.len(), page.status());
///     let cursor = pages.cursor(); // of the page that comes next
/// }
/// # Ok(())
/// # }
/// ```
///
/// - It ends with the page whose next cursor is absent, null or empty. An empty or short page
///   with a cursor goes on.
/// - Filters are repeated with the cursor, without what the description forbids beside one.
/// - After an error, poll again: the stream retries the page that failed. If the error has a
///   `retry_after`, wait that long first: until then, each poll is the same error at once. A cursor that
///   was seen before is a `RepeatedCursor`; that and `InvalidRequest` end the stream.
/// - It owns a client and borrows nothing. Dropping it stops what is under way.
#[must_use = "streams do nothing unless polled"]
pub struct Pages<P> {
    pager: Result<Pager<ResponseValue<P>>, Option<Error>>,
}

impl<P: Page> Pages<P> {
    pub(crate) fn new(start: Result<PreparedCall, Error>) -> Self {
        Self { pager: start.map(|start| Pager::new(start, fetch_page::<P>)).map_err(Some) }
    }

    /// The next page, with the status and headers of its answer.
    ///
    /// # Errors
    ///
    /// Those of the call that asked for it, and `RepeatedCursor`.
    pub async fn next(&mut self) -> Option<Result<ResponseValue<P>, Error>> {
        poll_fn(|cx| self.poll_page(cx)).await
    }

    /// The cursor of the page that comes next: keep it, and pass it to the setter of the cursor later to
    /// go on from there. `None` before the first page, unless the listing began at a cursor, and `None`
    /// after the last.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.pager.as_ref().ok()?.cursor()
    }

    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<ResponseValue<P>, Error>>> {
        match &mut self.pager {
            Ok(pager) => pager.poll_page(cx),
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
