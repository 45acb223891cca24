//! A stream of the pages of a listing.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::Stream;

use super::{
    Paging,
    pager::{Pager, fetch_page},
};
use crate::{Error, ResponseValue, call::PreparedCall};

/// A stream of the pages of a listing, returned by a builder's `pages()`.
///
/// The service in this example delivers parcels:
///
/// ```no_run
/// # async fn example(client: second::Client) -> Result<(), oas_client::Error> {
/// let mut pages = client.list_parcels().per_page(500).pages();
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} parcels, status {}", page.data.len(), page.status());
///     let cursor = pages.cursor(); // the cursor of the next page
/// }
/// # Ok(())
/// # }
/// ```
///
/// - The stream ends after a page whose next cursor is absent, null or empty. An empty or short
///   page with a next cursor doesn't end the stream.
/// - Each page is returned as the service sent it. If the service lists a record again on the next
///   page, both pages contain the record.
/// - Each request repeats the filters, except parameters that the OpenAPI description forbids
///   together with a cursor.
/// - After an error, you can poll again: the stream retries the page that failed.
/// - If the error has a `retry_after`, wait that long before you poll again. Until then, each poll
///   returns the same error immediately.
/// - If the service repeats a cursor, the stream returns `RepeatedCursor`. That error,
///   `InvalidRequest` and `Configuration` end the stream.
/// - The stream owns its client and is `'static`. Dropping the stream cancels the request in
///   progress.
#[must_use = "streams do nothing unless polled"]
pub struct Pages<P> {
    pager: Result<Pager<ResponseValue<P>>, Option<Error>>,
}

impl<P> Pages<P> {
    pub(crate) fn new<L: Paging<Page = P>>(start: Result<PreparedCall, Error>) -> Self {
        Self { pager: start.map(|start| Pager::new(start, fetch_page::<L>)).map_err(Some) }
    }

    /// Waits for the next page, and returns it with the status and headers of its response. Returns
    /// `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// Any error from the request for the page, and `RepeatedCursor`.
    pub async fn next(&mut self) -> Option<Result<ResponseValue<P>, Error>> {
        poll_fn(|cx| self.poll_page(cx)).await
    }

    /// The cursor of the next page. To continue from that page later, save the cursor, and pass it
    /// to the builder's cursor setter.
    ///
    /// `None` after the last page. Also `None` before the first page, unless you set a cursor.
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

impl<P> Stream for Pages<P> {
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
